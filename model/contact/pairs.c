/* SPDX-License-Identifier: MIT */
/* First half of a detection: place every shape, find pairs whose bounds overlap (planes apart: each against every
 * body), and list those that may not collide. The members of a team take a part of the bodies each. */
#include "model/contact.h"

/* Pairs whose bounds overlap, excepted ones among them, for each that may touch. */
enum { BOUNDS_OF_A_PAIR = 4 };

/* Bodies that are worth a thread's while. */
enum { PLACE_LEAST = 128 };

/* How far a body may move before pairs are looked for again, as a part of the length scale, beside what it travels
 * until the next detection: five margins. More makes the list longer, less is sooner left; no contact depends on it. */
#define PAIR_SLACK 0.05

static bool collider_is_fixed(const World *world, int collider)
{
    return world_is_fixed(world, world->colliders[collider].body);
}

static bool collider_can_collide(const World *world, const Collider *collider)
{
    Pose pose = world->pose[collider->body];
    return collider->shape.kind != SHAPE_NONE && !world->removed[collider->body] && vec3_is_finite(pose.x) &&
           isfinite(pose.q.w) && vec3_is_finite(quat_vec(pose.q));
}

/* Planes, and faces of hulls, that were added since the last detection. */
static bool contacts_list_shapes(World *world)
{
    Contacts *contacts = world->contacts;
    if (!array_reserve((void **)&contacts->polyhedra, &contacts->polyhedron_capacity, sizeof *contacts->polyhedra,
                       (size_t)world->collider_count))
        return false;
    while (contacts->polyhedron_count < (size_t)world->collider_count) {
        int collider = (int)contacts->polyhedron_count;
        const Shape *shape = &world->colliders[collider].shape;
        Polyhedron *poly = NULL;
        if (shape->mesh && !(poly = polyhedron_create(shape->mesh, shape->kind == SHAPE_HULL)))
            return false;
        contacts->polyhedra[contacts->polyhedron_count++] = poly;
        if (shape->kind != SHAPE_PLANE)
            continue;
        if (!array_reserve((void **)&contacts->planes, &contacts->plane_capacity, sizeof *contacts->planes,
                           contacts->plane_count + 1))
            return false;
        contacts->planes[contacts->plane_count++] = (PlaneListed){.collider = collider, .kind = SHAPE_NONE};
    }
    return true;
}

/* How far a shape may come in the time that detection looks ahead; at most its own size, so that a run which blows up
 * does not pair everything with everything. */
static double collider_travel(const World *world, const Collider *collider, Bounds bounds)
{
    double reach = world->contacts->reach;
    if (reach == 0.0 || world_is_fixed(world, collider->body))
        return 0.0;
    Velocity velocity = world->velocity[collider->body];
    double size = vec3_norm(vec3_sub(bounds.high, bounds.low)), lever = 0.5 * size + vec3_norm(collider->at.x);
    return fmin(reach * (vec3_norm(velocity.v) + vec3_norm(velocity.w) * lever), size);
}

/* The bounds that meet no others, of what does not collide now. */
static const Bounds NOWHERE = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

void collider_convex(const World *world, int collider, const Polyhedron *poly, Convex *convex)
{
    const Collider *own = &world->colliders[collider];
    const Pose *pose = &world->pose[own->body];
    bool turns = own->shape.kind != SHAPE_SPHERE, apart = !vec3_is_zero(own->at.x);
    convex_place(convex, &own->shape, poly, apart ? vec3_add(pose->x, quat_rotate(pose->q, own->at.x)) : pose->x,
                 turns ? quat_mul(pose->q, own->at.q) : QUAT_IDENTITY);
}

/* Places a shape. Its bounds are wider by their share of the margin. */
static Bounds collider_place(World *world, int i)
{
    Contacts *contacts = world->contacts;
    const Collider *collider = &world->colliders[i];
    const Shape *shape = &collider->shape;
    Convex *convex = &contacts->convexes[i];
    convex->kind = SHAPE_NONE;
    contacts->travel[i] = 0.0;
    if (!collider_can_collide(world, collider))
        return NOWHERE;
    collider_convex(world, i, contacts->polyhedra[i], convex);
    if (shape->kind == SHAPE_PLANE || shape->kind == SHAPE_MESH)
        return NOWHERE;
    Bounds bounds = convex_bounds(convex);
    contacts->travel[i] = collider_travel(world, collider, bounds);
    return bounds_widen(bounds, 0.5 * CONTACT_MARGIN * world->length_scale + contacts->travel[i]);
}

static bool bounds_hold(const Bounds *outer, const Bounds *inner)
{
    return outer->low.x <= inner->low.x && outer->low.y <= inner->low.y && outer->low.z <= inner->low.z &&
           outer->high.x >= inner->high.x && outer->high.y >= inner->high.y && outer->high.z >= inner->high.z;
}

/* Returns how many shapes are not within the bounds that pairs were last looked for with. */
static long colliders_find(void *context, int from, int to)
{
    World *world = context;
    Contacts *contacts = world->contacts;
    bool listed = contacts->listed.colliders == world->collider_count;
    long left = 0;
    for (int i = from; i < to; i++) {
        const BroadBody *entry = &contacts->broadphase.bodies[i];
        contacts->bounds[i] = collider_place(world, i);
        left += !(listed && entry->fixed == collider_is_fixed(world, i) &&
                  bounds_hold(&entry->bounds, &contacts->bounds[i]));
    }
    return left;
}

static bool contacts_reserve(World *world)
{
    Contacts *contacts = world->contacts;
    size_t n = (size_t)world->collider_count;
    return array_reserve((void **)&contacts->convexes, &contacts->convex_capacity, sizeof *contacts->convexes, n) &&
           array_reserve((void **)&contacts->travel, &contacts->travel_capacity, sizeof *contacts->travel, n) &&
           array_reserve((void **)&contacts->bounds, &contacts->bounds_capacity, sizeof *contacts->bounds, n) &&
           broadphase_reserve(&contacts->broadphase, world->collider_count);
}

/* The slack of pairs, and the world. */
typedef struct Widening {
    World *world;
    double slack; /* m */
} Widening;

static long colliders_widen(void *context, int from, int to)
{
    const Widening *widening = context;
    const World *world = widening->world;
    Contacts *contacts = world->contacts;
    for (int i = from; i < to; i++) {
        double wider = widening->slack > 0.0 ? widening->slack + contacts->travel[i] : 0.0;
        contacts->broadphase.bodies[i] =
            (BroadBody){i, collider_is_fixed(world, i), bounds_widen(contacts->bounds[i], wider)};
    }
    return 0;
}

/* Whether a plane may come to touch a body within its wide bounds b. Who is nearer to it than the margin has bounds, of
 * which half is a share, that reach as near as the other half. */
static bool plane_may_touch(const World *world, const Convex *plane, const Bounds *b)
{
    Vec3 n = plane->normal;
    double lowest = (n.x > 0.0 ? b->low.x : b->high.x) * n.x + (n.y > 0.0 ? b->low.y : b->high.y) * n.y +
                    (n.z > 0.0 ? b->low.z : b->high.z) * n.z;
    return lowest - plane->offset < CONTACT_MARGIN * world->length_scale;
}

/* Every plane against every shape: into the list of the part that has the shape. */
static long parts_pair_planes(void *context, int from, int to)
{
    const World *world = context;
    Contacts *contacts = world->contacts;
    Broadphase *broadphase = &contacts->broadphase;
    for (int part = from; part < to; part++) {
        PartRange range = part_range(world->collider_count, part, broadphase->part_count);
        for (int i = range.from; i < range.to; i++) {
            ShapeKind kind = contacts->convexes[i].kind;
            for (size_t k = 0; k < contacts->plane_count && kind != SHAPE_NONE && kind != SHAPE_PLANE; k++) {
                int p = contacts->planes[k].collider;
                if (contacts->planes[k].kind == SHAPE_PLANE &&
                    (kind == SHAPE_MESH ||
                     plane_may_touch(world, &contacts->convexes[p], &broadphase->bodies[i].bounds)) &&
                    !(collider_is_fixed(world, i) && collider_is_fixed(world, p)))
                    pair_list_add(&broadphase->lists[part], pair_key(p, i));
            }
        }
    }
    return 0;
}

/* Leaves the pairs that may collide. */
static void contacts_drop_excluded(World *world)
{
    Contacts *contacts = world->contacts;
    Broadphase *broadphase = &contacts->broadphase;
    size_t kept = 0;
    for (size_t i = 0, e = 0; i < broadphase->pair_count; i++) {
        PairKey pair = broadphase->pairs[i];
        while (e < contacts->excluded_count && contacts->excluded[e] < pair)
            e++;
        bool named = e < contacts->excluded_count && contacts->excluded[e] == pair;
        if (named == world->collide_only && colliders_may_meet(world, pair_first(pair), pair_second(pair)))
            broadphase->pairs[kept++] = pair;
    }
    broadphase->pair_count = kept;
}

static bool contacts_list_pairs(World *world, double slack)
{
    Contacts *contacts = world->contacts;
    Broadphase *broadphase = &contacts->broadphase;
    Team *team = world->team;
    broadphase->body_count = world->collider_count;
    broadphase->pair_most = BOUNDS_OF_A_PAIR * contacts_most(world);
    team_share(team, world->collider_count, PLACE_LEAST, colliders_widen, &(Widening){world, slack});
    if (!broadphase_find(broadphase, team))
        return false;
    if (broadphase->full && slack > 0.0)
        return contacts_list_pairs(world, 0.0);
    team_share(team, broadphase->part_count, 1, parts_pair_planes, world);
    if (!broadphase_gather(broadphase, team) || !contacts_list_excluded(world))
        return false;
    contacts_drop_excluded(world);
    return true;
}

/* Whether what the list of pairs rests on, beside the bodies' bounds, is what it was; it is from now on. */
static bool contacts_listed_same(World *world)
{
    Contacts *contacts = world->contacts;
    PairsListed now = {world->collider_count,     world->joint_count,    world->collide_except_count,
                       world->collide_only_count, world->joined_collide, world->length_scale};
    PairsListed *then = &contacts->listed;
    bool same = now.colliders == then->colliders && now.only == then->only && now.joints == then->joints &&
                now.exceptions == then->exceptions && now.joined_collide == then->joined_collide &&
                now.length_scale == then->length_scale;
    *then = now;
    for (size_t k = 0; k < contacts->plane_count; k++) {
        PlaneListed *plane = &contacts->planes[k];
        const Convex *convex = &contacts->convexes[plane->collider];
        same = same && plane->kind == convex->kind && plane->offset == convex->offset &&
               vec3_is_zero(vec3_sub(plane->normal, convex->normal));
        *plane = (PlaneListed){plane->collider, convex->kind, convex->normal, convex->offset};
    }
    return same;
}

bool contacts_find_pairs(World *world)
{
    Contacts *contacts = world->contacts;
    contacts->left_out = false;
    if (!world->collide)
        return true;
    if (!contacts_list_shapes(world) || !contacts_reserve(world))
        return false;
    long left = team_share(world->team, world->collider_count, PLACE_LEAST, colliders_find, world);
    if (!contacts_listed_same(world) || left > 0) {
        contacts->listed.colliders = 0; /* unless all goes well */
        if (!contacts_list_pairs(world, PAIR_SLACK * world->length_scale))
            return false;
        contacts->listed.colliders = world->collider_count;
    }
    contacts->left_out = contacts->broadphase.full;
    return true;
}
