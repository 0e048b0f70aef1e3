/* First half of a detection: place every shape, find pairs whose bounds overlap (planes apart: each against every
 * body), and list those that may not collide. The members of a team take a part of the bodies each. */
#include "model/contact.h"

#include "model/contact_memory.h"

/* Pairs whose bounds overlap, excepted ones among them, for each that may touch. */
enum { BOUNDS_OF_A_PAIR = 4 };

/* Bodies that are worth a thread's while. */
enum { PLACE_LEAST = 128 };

static bool body_can_collide(const World *world, int body)
{
    Pose pose = world->pose[body];
    return world->bodies[body].shape.kind != SHAPE_NONE && !world->removed[body] && vec3_is_finite(pose.x) &&
           isfinite(pose.q.w) && vec3_is_finite(quat_vec(pose.q));
}

/* Planes, and faces of hulls, that were added since the last detection. */
static bool contacts_list_shapes(World *world)
{
    Contacts *contacts = world->contacts;
    if (!array_reserve((void **)&contacts->polyhedra, &contacts->polyhedron_capacity, sizeof *contacts->polyhedra,
                       (size_t)world->body_count))
        return false;
    while (contacts->polyhedron_count < (size_t)world->body_count) {
        int body = (int)contacts->polyhedron_count;
        const Shape *shape = &world->bodies[body].shape;
        Polyhedron *poly = NULL;
        if (shape->mesh && !(poly = polyhedron_create(shape->mesh, shape->kind == SHAPE_HULL)))
            return false;
        contacts->polyhedra[contacts->polyhedron_count++] = poly;
        if (shape->kind != SHAPE_PLANE)
            continue;
        if (!array_reserve((void **)&contacts->planes, &contacts->plane_capacity, sizeof *contacts->planes,
                           contacts->plane_count + 1))
            return false;
        contacts->planes[contacts->plane_count++] = body;
    }
    return true;
}

/* How far a body may come in the time that detection looks ahead; at most its own size, so that a run which blows up
 * does not pair everything with everything. */
static double body_travel(const World *world, int body, Bounds bounds)
{
    double reach = world->contacts->reach;
    if (reach == 0.0 || world_is_fixed(world, body))
        return 0.0;
    Velocity velocity = world->velocity[body];
    double size = vec3_norm(vec3_sub(bounds.high, bounds.low));
    return fmin(reach * (vec3_norm(velocity.v) + vec3_norm(velocity.w) * 0.5 * size), size);
}

/* The bounds that meet no others, of what does not collide now. */
static const Bounds NOWHERE = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

/* Places a body's shape. Its bounds are wider by their share of the margin. */
static Bounds body_place(World *world, int i)
{
    Contacts *contacts = world->contacts;
    const Shape *shape = &world->bodies[i].shape;
    Convex *convex = &contacts->convexes[i];
    convex->kind = SHAPE_NONE;
    if (!body_can_collide(world, i))
        return NOWHERE;
    convex_place(convex, shape, contacts->polyhedra[i], world->pose[i].x, world_reported_orientation(world, i));
    contacts->travel[i] = 0.0;
    if (shape->kind == SHAPE_PLANE || shape->kind == SHAPE_MESH)
        return NOWHERE;
    Bounds bounds = convex_bounds(convex);
    contacts->travel[i] = body_travel(world, i, bounds);
    double wider = 0.5 * CONTACT_MARGIN * world->length_scale + contacts->travel[i];
    Vec3 w = vec3(wider, wider, wider);
    return (Bounds){vec3_sub(bounds.low, w), vec3_add(bounds.high, w)};
}

static long bodies_place(void *context, int from, int to)
{
    World *world = context;
    BroadBody *entries = world->contacts->broadphase.bodies;
    for (int i = from; i < to; i++)
        entries[i] = (BroadBody){i, world_is_fixed(world, i), body_place(world, i)};
    return 0;
}

static bool contacts_place(World *world)
{
    Contacts *contacts = world->contacts;
    if (!array_reserve((void **)&contacts->convexes, &contacts->convex_capacity, sizeof *contacts->convexes,
                       (size_t)world->body_count) ||
        !array_reserve((void **)&contacts->travel, &contacts->travel_capacity, sizeof *contacts->travel,
                       (size_t)world->body_count) ||
        !broadphase_reserve(&contacts->broadphase, world->body_count))
        return false;
    contacts->broadphase.body_count = world->body_count;
    team_share(world->team, world->body_count, PLACE_LEAST, bodies_place, world);
    return true;
}

/* The least gap between a body and a plane. */
static double plane_gap(const Convex *plane, const Convex *convex)
{
    Vec3 lowest = convex->kind == SHAPE_SPHERE ? convex->x : convex_support(convex, vec3_negate(plane->normal));
    return vec3_dot(plane->normal, lowest) - plane->offset - convex_rounding(convex);
}

/* Every plane against every body that its half-space may reach: into the list of the part that has the body. */
static long parts_pair_planes(void *context, int from, int to)
{
    const World *world = context;
    Contacts *contacts = world->contacts;
    for (int part = from; part < to; part++) {
        PartRange bodies = part_range(world->body_count, part, contacts->broadphase.part_count);
        for (int i = bodies.from; i < bodies.to; i++) {
            const Convex *convex = &contacts->convexes[i];
            if (convex->kind == SHAPE_NONE || convex->kind == SHAPE_PLANE)
                continue;
            bool fixed = world_is_fixed(world, i);
            for (size_t k = 0; k < contacts->plane_count; k++) {
                int p = contacts->planes[k];
                const Convex *plane = &contacts->convexes[p];
                if (plane->kind == SHAPE_PLANE && plane_gap(plane, convex) < contacts_margin(world, p, i) &&
                    !(fixed && world_is_fixed(world, p)))
                    pair_list_add(&contacts->broadphase.lists[part], pair_key(p, i));
            }
        }
    }
    return 0;
}

/* What was found last becomes `previous`; its array is the next to be filled. */
static void contacts_turn_over(Contacts *contacts)
{
    Manifold *free_array = contacts->previous;
    size_t free_capacity = contacts->previous_capacity;
    contacts->previous = contacts->manifolds;
    contacts->previous_capacity = contacts->capacity;
    contacts->previous_count = contacts->manifold_count;
    contacts->manifolds = free_array;
    contacts->capacity = free_capacity;
    contacts->manifold_count = contacts->kept_count = 0;
    contacts->recovers = false;
}

bool contacts_find_pairs(World *world)
{
    Contacts *contacts = world->contacts;
    Broadphase *broadphase = &contacts->broadphase;
    if (contacts->keep > 0.0)
        contacts_follow(world);
    contacts_turn_over(contacts);
    contacts_order_previous(world);
    contacts->left_out = false;
    if (!world->collide)
        return true;
    broadphase->pair_most = BOUNDS_OF_A_PAIR * contacts_most(world);
    if (!contacts_list_shapes(world) || !contacts_place(world) || !broadphase_find(broadphase, world->team))
        return false;
    contacts->left_out = broadphase->full;
    if (contacts->plane_count > 0)
        team_share(world->team, broadphase->part_count, 1, parts_pair_planes, world);
    return broadphase_gather(broadphase, world->team) && contacts_list_excluded(world);
}
