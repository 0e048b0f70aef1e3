/* Detection: place every shape, find pairs whose bounds overlap (planes apart: each against every body), leave out
 * those that may not collide, and collide the rest in the order of their bodies. Sorted lists make every step a merge.
 */
#include "model/contact.h"

#include "model/contact_memory.h"

#include <stdlib.h>

/* Pairs whose bounds overlap, excepted ones among them, for each that may touch. */
enum { BOUNDS_OF_A_PAIR = 4 };

Contacts *contacts_create(void)
{
    return calloc(1, sizeof(Contacts));
}

void contacts_destroy(Contacts *contacts)
{
    if (!contacts)
        return;
    for (size_t i = 0; i < contacts->polyhedron_count; i++)
        polyhedron_destroy(contacts->polyhedra[i]);
    broadphase_free(&contacts->broadphase);
    free(contacts->manifolds);
    free(contacts->previous);
    free(contacts->convexes);
    free(contacts->travel);
    free(contacts->polyhedra);
    free(contacts->excluded);
    free(contacts->sums);
    ordering_free(&contacts->ordering);
    free(contacts);
}

static bool body_can_collide(const World *world, int body)
{
    Pose pose = world->pose[body];
    return world->bodies[body].shape.kind != SHAPE_NONE && !world->removed[body] && vec3_is_finite(pose.x) &&
           isfinite(pose.q.w) && vec3_is_finite(quat_vec(pose.q));
}

/* Faces of hulls that were added since the last detection. */
static bool contacts_build_polyhedra(World *world)
{
    Contacts *contacts = world->contacts;
    if (!array_reserve((void **)&contacts->polyhedra, &contacts->polyhedron_capacity, sizeof *contacts->polyhedra,
                       (size_t)world->body_count))
        return false;
    while (contacts->polyhedron_count < (size_t)world->body_count) {
        const Shape *shape = &world->bodies[contacts->polyhedron_count].shape;
        Polyhedron *poly = NULL;
        if (shape->mesh && !(poly = polyhedron_create(shape->mesh, shape->kind == SHAPE_HULL)))
            return false;
        contacts->polyhedra[contacts->polyhedron_count++] = poly;
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

double contacts_margin(const World *world, int one, int two)
{
    return CONTACT_MARGIN * world->length_scale + world->contacts->travel[one] + world->contacts->travel[two];
}

/* Places the shapes and fills the broad phase with bounds, each wider by its share of the margin. */
static bool contacts_place(World *world)
{
    Contacts *contacts = world->contacts;
    if (!array_reserve((void **)&contacts->convexes, &contacts->convex_capacity, sizeof *contacts->convexes,
                       (size_t)world->body_count) ||
        !array_reserve((void **)&contacts->travel, &contacts->travel_capacity, sizeof *contacts->travel,
                       (size_t)world->body_count))
        return false;
    contacts->broadphase.body_count = 0;
    for (int i = 0; i < world->body_count; i++) {
        const Shape *shape = &world->bodies[i].shape;
        contacts->convexes[i].kind = SHAPE_NONE;
        if (!body_can_collide(world, i))
            continue;
        contacts->convexes[i] =
            convex_place(shape, contacts->polyhedra[i], world->pose[i].x, world_reported_orientation(world, i));
        contacts->travel[i] = 0.0;
        if (shape->kind == SHAPE_PLANE || shape->kind == SHAPE_MESH)
            continue;
        BroadBody entry = {i, world_is_fixed(world, i), convex_bounds(&contacts->convexes[i])};
        contacts->travel[i] = body_travel(world, i, entry.bounds);
        double wider = 0.5 * CONTACT_MARGIN * world->length_scale + contacts->travel[i];
        Vec3 w = vec3(wider, wider, wider);
        entry.bounds = (Bounds){vec3_sub(entry.bounds.low, w), vec3_add(entry.bounds.high, w)};
        if (!broadphase_add_body(&contacts->broadphase, entry))
            return false;
    }
    return true;
}

/* Every plane against every body that its half-space may reach. */
static bool contacts_pair_plane(World *world, int p)
{
    Contacts *contacts = world->contacts;
    const Convex *plane = &contacts->convexes[p];
    for (int i = 0; i < world->body_count; i++) {
        const Convex *convex = &contacts->convexes[i];
        if (convex->kind == SHAPE_NONE || convex->kind == SHAPE_PLANE ||
            (world_is_fixed(world, p) && world_is_fixed(world, i)))
            continue;
        Vec3 lowest = convex_support(convex, vec3_negate(plane->normal));
        double gap = vec3_dot(plane->normal, lowest) - plane->offset - convex_rounding(convex);
        if (gap < contacts_margin(world, p, i) && !broadphase_add_pair(&contacts->broadphase, pair_key(p, i)))
            return false;
    }
    return true;
}

static bool contacts_pair_planes(World *world)
{
    for (int p = 0; p < world->body_count; p++)
        if (world->contacts->convexes[p].kind == SHAPE_PLANE && !contacts_pair_plane(world, p))
            return false;
    return true;
}

/* Visits the pairs that may not collide, excepted ones and bodies that a joint holds together, until a visit says
 * false; whether none did. */
typedef bool PairVisit(void *context, int one, int two);

static bool excluded_visit(const World *world, PairVisit *visit, void *context)
{
    for (int i = 0; i < world->collide_except_count; i++)
        if (!visit(context, world->collide_except[i][0], world->collide_except[i][1]))
            return false;
    for (int j = 0; j < world->joint_count && !world->joined_collide; j++) {
        const JointDef *def = &world->joints[j].def;
        int bodies = def->type == JOINT_VOLUME ? 4 : 2;
        for (int a = 0; a < bodies; a++)
            for (int b = a + 1; b < bodies; b++)
                if (!visit(context, def->body[a], def->body[b]))
                    return false;
    }
    return true;
}

static bool contacts_exclude(void *context, int one, int two)
{
    Contacts *contacts = context;
    if (!array_reserve((void **)&contacts->excluded, &contacts->excluded_capacity, sizeof *contacts->excluded,
                       2 * (contacts->excluded_count + 1)))
        return false;
    contacts->excluded[contacts->excluded_count++] = pair_key(one, two);
    return true;
}

/* The pairs that may not collide, sorted. The array's second half is the sort's scratch. */
static bool contacts_list_excluded(World *world)
{
    Contacts *contacts = world->contacts;
    contacts->excluded_count = 0;
    if (!excluded_visit(world, contacts_exclude, contacts))
        return false;
    if (contacts->excluded_count > 0)
        sort_keys(contacts->excluded, contacts->excluded + contacts->excluded_count, contacts->excluded_count, 0);
    return true;
}

double contacts_combine(Combine how, double a, double b)
{
    switch (how) {
    case COMBINE_MULTIPLY:
        return a * b;
    case COMBINE_SUM:
        return a + b;
    case COMBINE_MIN:
        return fmin(a, b);
    case COMBINE_MAX:
        return fmax(a, b);
    default:
        return 0.5 * (a + b);
    }
}

static const Material *material_of(const World *world, int body)
{
    return &world->materials[world->bodies[body].material];
}

double contacts_restitution(const World *world, int one, int two)
{
    return contacts_combine(world->combine_restitution, material_of(world, one)->restitution,
                            material_of(world, two)->restitution);
}

size_t contacts_most(const World *world)
{
    return CONTACT_PAIRS + CONTACT_PAIRS_A_BODY * (size_t)world->body_count;
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
    if (contacts->keep > 0.0)
        contacts_follow(world);
    contacts_turn_over(contacts);
    contacts_order_previous(world);
    contacts->left_out = false;
    if (!world->collide)
        return true;
    contacts->broadphase.pair_most = BOUNDS_OF_A_PAIR * contacts_most(world);
    if (!contacts_build_polyhedra(world) || !contacts_place(world) || !broadphase_find(&contacts->broadphase))
        return false;
    contacts->left_out = contacts->broadphase.full;
    return contacts_pair_planes(world) && broadphase_sort_pairs(&contacts->broadphase) && contacts_list_excluded(world);
}

bool contacts_detect(World *world)
{
    return contacts_find_pairs(world) && contacts_collide_pairs(world);
}

static bool is_other_pair(void *context, int one, int two)
{
    const PairKey *pair = context;
    return pair_key(one, two) != *pair;
}

bool contacts_may_touch(const World *world, int one, int two)
{
    if (!world->collide || one == two || world->bodies[one].shape.kind == SHAPE_NONE ||
        world->bodies[two].shape.kind == SHAPE_NONE || (world_is_fixed(world, one) && world_is_fixed(world, two)))
        return false;
    return excluded_visit(world, is_other_pair, &(PairKey){pair_key(one, two)});
}

bool contacts_unsupported_pair(const World *world, int pair[2])
{
    for (int i = 0; i < world->body_count && world->collide; i++)
        for (int k = 0; world->bodies[i].shape.kind == SHAPE_MESH && k < world->body_count; k++) {
            ShapeKind other = world->bodies[k].shape.kind;
            if (k == i || other == SHAPE_NONE || (world_is_fixed(world, i) && world_is_fixed(world, k)) ||
                collide_supported(SHAPE_MESH, other))
                continue;
            pair[0] = i;
            pair[1] = k;
            return true;
        }
    return false;
}
