#include "model/contact_memory.h"

#include "model/block_contact.h"

/* A point whose features changed takes over the impulse of an old one this close, as a part of the length scale: it is
 * the same place on the body under another name, as when a vertex slides over an edge. */
#define SAME_PLACE CONTACT_MARGIN

void manifold_prefer(const Manifold *old, Patch *patch)
{
    uint64_t ids[MANIFOLD_MAX];
    for (int i = 0; i < old->count; i++)
        ids[i] = old->point[i].id;
    patch_prefer(patch, ids, old->count);
}

void manifold_inherit(Manifold *manifold, const Manifold *old, double length)
{
    double near = SAME_PLACE * length;
    bool used[MANIFOLD_MAX] = {false}, found[MANIFOLD_MAX] = {false};
    manifold->torsion = old->torsion;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < manifold->count; i++)
            for (int k = 0; k < old->count && !found[i]; k++) {
                ContactPoint *point = &manifold->point[i];
                const ContactPoint *before = &old->point[k];
                bool same = pass == 0 ? point->id == before->id
                                      : vec3_norm(vec3_sub(point->anchor1, before->anchor1)) < near &&
                                            vec3_norm(vec3_sub(point->anchor2, before->anchor2)) < near;
                if (same && !used[k]) {
                    point->impulse = before->impulse;
                    point->recovers = before->recovers && point->gap < 0.0;
                    used[k] = found[i] = true;
                }
            }
}

Pose contacts_relative_pose(const World *world, int one, int two)
{
    const Pose *p1 = &world->pose[one], *p2 = &world->pose[two];
    return (Pose){quat_rotate_inverse(p1->q, vec3_sub(p2->x, p1->x)), quat_mul(quat_conj(p1->q), p2->q)};
}

bool manifold_stays(const World *world, const Manifold *manifold)
{
    double keep = world->contacts->keep, lever = world->length_scale;
    if (keep == 0.0)
        return false;
    Pose now = contacts_relative_pose(world, manifold->body1, manifold->body2), found = manifold->found_at;
    for (int i = 0; i < manifold->count; i++)
        lever = fmax(lever, vec3_norm(manifold->point[i].anchor2));
    double shift = vec3_norm(vec3_sub(now.x, found.x));
    double turn = 2.0 * vec3_norm(quat_vec(quat_mul(quat_conj(found.q), now.q))); /* 2 sin(angle / 2) */
    return shift + lever * turn <= keep;
}

void contacts_follow(World *world)
{
    for (int m = 0; m < world->manifold_count; m++) {
        const ManifoldBlocks *blocks = &world->manifolds[m];
        Manifold *manifold = &world->contacts->manifolds[m];
        for (int i = 0; i < blocks->count; i++) {
            ContactPoint *point = &manifold->point[i];
            BlockError e;
            contact_error(world, &world->blocks[manifold_contact(blocks, i)], &e);
            if (i == 0)
                manifold->normal = e.gradient;
            point->gap = e.C;
            point->recovers = point->recovers && e.C < 0.0;
        }
        manifold->patch_radius = manifold_patch_radius(world, manifold);
    }
}

double manifold_patch_radius(const World *world, const Manifold *manifold)
{
    double one = contacts_material(world, manifold->body1)->patch_radius;
    double two = contacts_material(world, manifold->body2)->patch_radius, by_shape = 0.0;
    if ((isnan(one) || isnan(two)) && manifold->count == 1) {
        const ContactPoint *point = &manifold->point[0];
        by_shape = contact_patch_radius(point->radius1, point->radius2, -point->gap);
    }
    one = isnan(one) ? by_shape : one;
    two = isnan(two) ? by_shape : two;
    return one > two ? one : two;
}
