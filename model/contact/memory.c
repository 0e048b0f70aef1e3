/* SPDX-License-Identifier: MIT */
#include "model/contact/memory.h"

#include "model/contact/block_contact.h"
#include "model/lanes/vectors.h"

/* A point whose features changed takes over the impulse of an old one this close, as a part of the length scale: it is
 * the same place on the body under another name, as when a vertex slides over an edge. */
#define SAME_PLACE CONTACT_MARGIN

/* Manifolds that are worth a thread's while. */
enum { FOLLOW_LEAST = 64 };

void manifold_prefer(const Manifold *old, Patch *patch)
{
    uint64_t ids[MANIFOLD_MAX];
    for (int i = 0; i < old->count; i++)
        ids[i] = old->point[i].id;
    patch_prefer(patch, ids, old->count);
}

/* Point i from point k of the old one. */
static void point_inherit(Manifold *manifold, int i, const Manifold *old, int k)
{
    manifold->point[i].impulse = old->point[k].impulse;
    manifold->recovers[i] = old->recovers[k] && manifold->point[i].gap < 0.0;
}

/* The points that are left over after the first `same` of both. */
static void points_match(Manifold *manifold, const Manifold *old, int same, double near)
{
    bool used[MANIFOLD_MAX] = {false}, found[MANIFOLD_MAX] = {false};
    for (int pass = 0; pass < 2; pass++)
        for (int i = same; i < manifold->count; i++)
            for (int k = same; k < old->count && !found[i]; k++) {
                const ContactPoint *point = &manifold->point[i], *before = &old->point[k];
                bool is_same = pass == 0 ? point->id == before->id
                                         : vec3_norm(vec3_sub(point->anchor1, before->anchor1)) < near &&
                                               vec3_norm(vec3_sub(point->anchor2, before->anchor2)) < near;
                if (is_same && !used[k]) {
                    point_inherit(manifold, i, old, k);
                    used[k] = found[i] = true;
                }
            }
}

void manifold_inherit(Manifold *manifold, const Manifold *old, double length)
{
    int same = 0, count = manifold->count < old->count ? manifold->count : old->count;
    manifold->torsion = old->torsion;
    for (; same < count && manifold->point[same].id == old->point[same].id; same++) /* as a rule, all */
        point_inherit(manifold, same, old, same);
    if (same < manifold->count)
        points_match(manifold, old, same, SAME_PLACE * length);
}

Pose contacts_relative_pose(const World *world, int one, int two)
{
    const Pose *p1 = &world->pose[one], *p2 = &world->pose[two];
    return (Pose){quat_rotate_inverse(p1->q, vec3_sub(p2->x, p1->x)), quat_mul(quat_conj(p1->q), p2->q)};
}

bool manifold_stays(const World *world, const Manifold *manifold)
{
    double keep = world->contacts->keep, lever = world->length_scale, farthest2 = 0.0;
    if (keep == 0.0)
        return false;
    Pose now = contacts_relative_pose(world, manifold->body1, manifold->body2), found = manifold->found_at;
    for (int i = 0; i < manifold->count; i++) {
        double squared = vec3_dot(manifold->point[i].anchor2, manifold->point[i].anchor2);
        farthest2 = squared > farthest2 ? squared : farthest2;
    }
    lever = sqrt(farthest2) > lever ? sqrt(farthest2) : lever;
    double shift = vec3_norm(vec3_sub(now.x, found.x));
    double turn = 2.0 * vec3_norm(quat_vec(quat_mul(quat_conj(found.q), now.q))); /* 2 sin(angle / 2) */
    return shift + lever * turn <= keep;
}

/* Four points without round surfaces, of a normal that a face holds: C = n.(p2 - p1), as contact_error has it. */
LANE_VERSIONS static void manifold_follow_wide(const World *world, const Block *block, Manifold *manifold)
{
    const Pose *one = &world->pose[manifold->body1], *two = &world->pose[manifold->body2];
    ContactPoint *at = manifold->point;
    double gap[4];
    LanesVec3 p = lanes_vec3_at((const Vec3 *[]){&at[0].anchor1, &at[1].anchor1, &at[2].anchor1, &at[3].anchor1});
    LanesVec3 q = lanes_vec3_at((const Vec3 *[]){&at[0].anchor2, &at[1].anchor2, &at[2].anchor2, &at[3].anchor2});
    p = lanes_add(lanes_same(one->x), lanes_rotate(lanes_same_quat(one->q), p));
    q = lanes_add(lanes_same(two->x), lanes_rotate(lanes_same_quat(two->q), q));
    Vec3 n = quat_rotate(manifold->carrier == NORMAL_ON_1 ? one->q : two->q, block->seat->normal[0]);
    lanes_store(gap, lanes_dot(lanes_same(n), lanes_sub(q, p)));
    manifold->normal = n;
    for (int i = 0; i < 4; i++)
        at[i].gap = gap[i];
}

static bool manifold_is_flat(const Manifold *manifold)
{
    const ContactPoint *p = manifold->point;
    bool flat = manifold->count == 4 && manifold->carrier != NORMAL_ALONG_CORES;
    for (int i = 0; i < 4 && flat; i++)
        flat = p[i].radius1 == 0.0 && p[i].radius2 == 0.0;
    return flat;
}

/* Moves a manifold on to the current poses. */
static void manifold_follow(const World *world, const ManifoldBlocks *blocks, Manifold *manifold)
{
    if (manifold_is_flat(manifold)) {
        manifold_follow_wide(world, &world->blocks[manifold_contact(blocks, 0)], manifold);
    } else {
        for (int i = 0; i < blocks->count; i++) {
            BlockError e;
            contact_error(world, &world->blocks[manifold_contact(blocks, i)], &e);
            if (i == 0)
                manifold->normal = e.gradient;
            manifold->point[i].gap = e.C;
        }
    }
    for (int i = 0; i < blocks->count; i++)
        manifold->recovers[i] = manifold->recovers[i] && manifold->point[i].gap < 0.0;
    manifold->patch_radius = manifold_patch_radius(world, manifold);
}

/* Of one that does not stay, its successor takes over who still recovers. */
static long manifolds_follow(void *context, int from, int to)
{
    const World *world = context;
    for (int m = from; m < to; m++) {
        Manifold *manifold = &world->contacts->manifolds[m];
        manifold->stays = manifold_stays(world, manifold);
        if (manifold->stays || manifold_recovers(manifold))
            manifold_follow(world, &world->manifolds[m], manifold);
    }
    return 0;
}

void contacts_follow(World *world)
{
    team_share(world->team, world->manifold_count, FOLLOW_LEAST, manifolds_follow, world);
}

/* The material's part in it: none where the other counts alone, or nothing rubs. */
static double material_patch_radius(const Material *own, const Material *other)
{
    return own->priority < other->priority || own->frictionless || own->condim == 1 ? 0.0 : own->patch_radius;
}

double manifold_patch_radius(const World *world, const Manifold *manifold)
{
    const Material *material1 = collider_material(world, manifold->collider1);
    const Material *material2 = collider_material(world, manifold->collider2);
    double one = material_patch_radius(material1, material2);
    double two = material_patch_radius(material2, material1), by_shape = 0.0;
    if ((isnan(one) || isnan(two)) && manifold->count == 1) {
        const ContactPoint *point = &manifold->point[0];
        by_shape = contact_patch_radius(point->radius1, point->radius2, -point->gap);
    }
    one = isnan(one) ? by_shape : one;
    two = isnan(two) ? by_shape : two;
    return one > two ? one : two;
}
