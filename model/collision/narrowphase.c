/* SPDX-License-Identifier: MIT */
/* Narrow phase: where the pairs that the broad phase found are near and touch, and what they take over from the last
 * detection. The members of a team take a part of the pairs each; the order is always that of the pairs. */
#include "model/contact.h"

#include "model/contact/memory.h"
#include "model/lanes/row.h"
#include "model/lanes/vectors.h"

#include <string.h>

/* Pairs that are worth a thread's while. */
enum { PAIRS_LEAST = 64 };

/* The touching points on one body, in its internal frame: q^-1 (p - x) q, as quat_rotate has it. A point at the centre,
 * as a sphere's is, stays there. */
static Vec3 to_internal(const Pose *pose, Vec3 point)
{
    Vec3 arm = vec3_sub(point, pose->x);
    return vec3_is_zero(arm) ? arm : quat_rotate_inverse(pose->q, arm);
}

/* The same for four points of both bodies at once. */
LANE_VERSIONS static void to_internal_wide(const Pose *one, const Pose *two, const Touch from[4], ContactPoint to[4])
{
    LanesVec3 p = lanes_vec3_at((const Vec3 *[]){&from[0].point1, &from[1].point1, &from[2].point1, &from[3].point1});
    LanesVec3 q = lanes_vec3_at((const Vec3 *[]){&from[0].point2, &from[1].point2, &from[2].point2, &from[3].point2});
    p = lanes_rotate(lanes_same_quat(quat_conj(one->q)), lanes_sub(p, lanes_same(one->x)));
    q = lanes_rotate(lanes_same_quat(quat_conj(two->q)), lanes_sub(q, lanes_same(two->x)));
    Lanes anchor1[4] = {p.x, p.y, p.z, p.z}, anchor2[4] = {q.x, q.y, q.z, q.z};
    lanes4_turn(anchor1);
    lanes4_turn(anchor2);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        lane_row_store(&to[i].anchor1, anchor1[i]);
        lane_row_store(&to[i].anchor2, anchor2[i]);
    }
}

/* Before the numbers that follow the anchors. */
static void manifold_anchor(const World *world, Manifold *manifold, const Patch *patch)
{
    const Pose *one = &world->pose[manifold->body1], *two = &world->pose[manifold->body2];
    if (patch->count == MANIFOLD_MAX) {
        to_internal_wide(one, two, patch->touch, manifold->point);
        return;
    }
    for (int i = 0; i < patch->count; i++) {
        manifold->point[i].anchor1 = to_internal(one, patch->touch[i].point1);
        manifold->point[i].anchor2 = to_internal(two, patch->touch[i].point2);
    }
}

double contact_patch_radius(double r1, double r2, double depth)
{
    double R = r1 > 0.0 && r2 > 0.0 ? r1 * r2 / (r1 + r2) : fmax(r1, r2);
    return sqrt(2.0 * R * fmax(depth, 0.0));
}

static void manifold_fill(const World *world, Manifold *manifold, PairKey pair, const Patch *patch)
{
    int one = world->colliders[pair_first(pair)].body, two = world->colliders[pair_second(pair)].body;
    const Material *material1 = collider_material(world, pair_first(pair));
    const Material *material2 = collider_material(world, pair_second(pair));
    manifold->body1 = one;
    manifold->body2 = two;
    manifold->collider1 = pair_first(pair);
    manifold->collider2 = pair_second(pair);
    manifold->normal = patch->normal;
    manifold->carrier = (unsigned char)patch->carrier;
    manifold->torsion = VEC3_ZERO;
    manifold->stays = false;
    PairLaw law = contacts_pair_law(world, material1, material2);
    manifold->friction = law.friction;
    manifold->static_friction = law.static_friction;
    manifold->rolling_friction = law.rolling_friction;
    manifold->spin_friction = law.spin_friction;
    manifold->restitution = law.restitution;
    if (world->contacts->keep > 0.0)
        manifold->found_at = contacts_relative_pose(world, one, two);
    manifold->count = (unsigned char)patch->count;
    manifold_anchor(world, manifold, patch);
    for (int i = 0; i < patch->count; i++) {
        const Touch *touch = &patch->touch[i];
        ContactPoint *point = &manifold->point[i];
        point->id = touch->id;
        point->radius1 = touch->radius1;
        point->radius2 = touch->radius2;
        point->gap = touch->gap;
        manifold->recovers[i] = touch->gap < -OVERLAP_LEFT * world->length_scale;
        point->impulse = VEC3_ZERO;
    }
    manifold->patch_radius = manifold_patch_radius(world, manifold);
}

/* The manifold of this pair in the last detection, or NULL; `next` runs through the sorted list. */
static const Manifold *previous_manifold(const Contacts *contacts, PairKey pair, size_t *next)
{
    const Manifold *list = contacts->previous;
    while (*next < contacts->previous_count && pair_key(list[*next].collider1, list[*next].collider2) < pair)
        ++*next;
    bool found = *next < contacts->previous_count && pair_key(list[*next].collider1, list[*next].collider2) == pair;
    return found ? &list[*next] : NULL;
}

/* The least gap between a body and a plane. */
static double plane_gap(const Convex *plane, const Convex *convex)
{
    Vec3 lowest = convex->kind == SHAPE_SPHERE ? convex->x : convex_support(convex, vec3_negate(plane->normal));
    return vec3_dot(plane->normal, lowest) - plane->offset - convex_rounding(convex);
}

/* Whether a pair of the list is near enough now. Spheres are told apart here, unless their last points may be kept. */
static bool pair_is_near(const World *world, int one, int two)
{
    const Contacts *contacts = world->contacts;
    const Bounds *around1 = &contacts->bounds[one], *around2 = &contacts->bounds[two];
    const Convex *a = &contacts->convexes[one], *b = &contacts->convexes[two];
    if (!bounds_are_empty(around1) && !bounds_are_empty(around2))
        return bounds_overlap(around1, around2) &&
               !(contacts->keep == 0.0 && a->kind == SHAPE_SPHERE && b->kind == SHAPE_SPHERE &&
                 spheres_are_apart(a, b, contacts_margin(world, one, two)));
    const Convex *plane = a->kind == SHAPE_PLANE ? a : b, *other = a->kind == SHAPE_PLANE ? b : a;
    return plane->kind == SHAPE_PLANE && other->kind != SHAPE_NONE &&
           plane_gap(plane, other) < contacts_margin(world, one, two);
}

/* Where the pair touches now, into `manifold`; false if it does not. */
static bool pair_collide(const World *world, PairKey pair, const Manifold *old, Manifold *manifold)
{
    const Convex *convexes = world->contacts->convexes;
    int one = pair_first(pair), two = pair_second(pair);
    Patch patch;
    collide(&convexes[one], &convexes[two], world->length_scale, contacts_margin(world, one, two), &patch);
    if (patch.count == 0)
        return false;
    if (old && patch.count > 1)
        manifold_prefer(old, &patch);
    patch_reduce(&patch, world->length_scale);
    manifold_fill(world, manifold, pair, &patch);
    if (old)
        manifold_inherit(manifold, old, world->length_scale);
    return true;
}

/* The first manifold of the last detection that does not come before this pair. */
static size_t previous_from(const Contacts *contacts, PairKey pair)
{
    size_t low = 0, high = contacts->previous_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const Manifold *manifold = &contacts->previous[middle];
        if (pair_key(manifold->collider1, manifold->collider2) < pair)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What one member of a team finds: the manifolds of the pairs [from, from + pairs), from `from` on. */
typedef struct NarrowPart {
    size_t from, pairs, found, kept, blocks;
    bool recovers;
} NarrowPart;

typedef struct NarrowPhase {
    World *world;
    NarrowPart parts[TEAM_MOST];
} NarrowPhase;

/* Into its own points. */
static void manifold_copy(Manifold *to, const Manifold *from)
{
    ContactPoint *point = to->point;
    memcpy(point, from->point, sizeof *point * (size_t)from->count);
    *to = *from;
    to->point = point;
}

static void part_collide(World *world, NarrowPart *part)
{
    const Contacts *contacts = world->contacts;
    if (part->pairs == 0) /* then there may be no list */
        return;
    const PairKey *pairs = contacts->broadphase.pairs + part->from;
    ContactPoint *point = contacts->points + MANIFOLD_MAX * part->from;
    size_t k = previous_from(contacts, pairs[0]);
    for (size_t i = 0; i < part->pairs; i++) {
        if (!pair_is_near(world, pair_first(pairs[i]), pair_second(pairs[i])))
            continue;
        const Manifold *old = previous_manifold(contacts, pairs[i], &k);
        Manifold *manifold = &contacts->manifolds[part->from + part->found];
        bool stays = contacts->keep > 0.0 && old && old->stays;
        manifold->point = point;
        if (stays)
            manifold_copy(manifold, old);
        else if (!pair_collide(world, pairs[i], old, manifold))
            continue;
        point += manifold->count;
        part->found++;
        part->blocks += (size_t)manifold_block_count(manifold);
        part->kept += stays;
        part->recovers = part->recovers || manifold_recovers(manifold);
    }
}

static long parts_collide(void *context, int from, int to)
{
    NarrowPhase *narrow = context;
    for (int p = from; p < to; p++) {
        NarrowPart part = narrow->parts[p]; /* others look at its neighbours */
        part_collide(narrow->world, &part);
        narrow->parts[p] = part;
    }
    return 0;
}

typedef struct ManifoldMove {
    Manifold *to;
    const Manifold *from;
} ManifoldMove;

static long manifolds_copy(void *context, int from, int to)
{
    const ManifoldMove *move = context;
    for (int i = from; i < to; i++)
        move->to[i] = move->from[i];
    return 0;
}

/* Moves manifolds forward in their array, as many at once as do not overlap. Their points stay. */
static void manifolds_move(Team *team, Manifold *to, const Manifold *from, size_t count)
{
    size_t apart = (size_t)(from - to);
    for (size_t i = 0, some; i < count && apart > 0; i += some) {
        some = count - i < apart ? count - i : apart;
        team_share(team, (int)some, PAIRS_LEAST, manifolds_copy, &(ManifoldMove){to + i, from + i});
    }
}

/* Moves what the parts found together, in order, and leaves out what is too much. */
static void parts_gather(Contacts *contacts, const NarrowPhase *narrow, int parts, size_t most)
{
    size_t count = 0;
    contacts->block_count = 0;
    for (int p = 0; p < parts; p++) {
        const NarrowPart *part = &narrow->parts[p];
        manifolds_move(narrow->world->team, &contacts->manifolds[count], &contacts->manifolds[part->from], part->found);
        count += part->found;
        contacts->block_count += part->blocks;
        contacts->kept_count += part->kept;
        contacts->recovers = contacts->recovers || part->recovers;
    }
    contacts->left_out = contacts->left_out || count > most;
    for (; count > most; count--)
        contacts->block_count -= (size_t)manifold_block_count(&contacts->manifolds[count - 1]);
    contacts->manifold_count = count;
}

static bool contacts_find_manifolds(World *world)
{
    Contacts *contacts = world->contacts;
    size_t pairs = contacts->broadphase.pair_count;
    int parts = team_parts(world->team, (int)pairs, PAIRS_LEAST);
    if (!lines_reserve_anew((void **)&contacts->manifolds, &contacts->capacity, sizeof *contacts->manifolds,
                            pairs + 1) ||
        !lines_reserve_anew((void **)&contacts->points, &contacts->point_capacity, sizeof *contacts->points,
                            MANIFOLD_MAX * (pairs + 1)))
        return false;
    NarrowPhase narrow = {.world = world};
    for (int p = 0; p < parts; p++) {
        PartRange range = part_range((int)pairs, p, parts);
        narrow.parts[p] = (NarrowPart){.from = (size_t)range.from, .pairs = (size_t)(range.to - range.from)};
    }
    team_share(world->team, parts, 1, parts_collide, &narrow);
    parts_gather(contacts, &narrow, parts, contacts_most(world));
    return true;
}

/* What was found last becomes `previous`; its arrays are the next to be filled. */
static void contacts_turn_over(Contacts *contacts)
{
    const Contacts last = *contacts;
    contacts->previous = last.manifolds;
    contacts->previous_points = last.points;
    contacts->previous_capacity = last.capacity;
    contacts->previous_point_capacity = last.point_capacity;
    contacts->previous_count = last.manifold_count;
    contacts->manifolds = last.previous;
    contacts->points = last.previous_points;
    contacts->capacity = last.previous_capacity;
    contacts->point_capacity = last.previous_point_capacity;
    contacts->manifold_count = contacts->kept_count = contacts->block_count = 0;
    contacts->recovers = false;
}

bool contacts_collide_pairs(World *world)
{
    if (world->contacts->keep > 0.0)
        contacts_follow(world);
    contacts_turn_over(world->contacts);
    contacts_order_previous(world);
    if (!world->collide)
        return true;
    return contacts_find_manifolds(world) && contacts_order(world);
}
