/* SPDX-License-Identifier: MIT */
/* Contacts as a whole, what two materials have together, and which pairs may touch. */
#include "model/contact.h"

#include <stdlib.h>

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
    lines_free(contacts->manifolds);
    lines_free(contacts->points);
    lines_free(contacts->previous);
    lines_free(contacts->previous_points);
    free(contacts->convexes);
    free(contacts->travel);
    free(contacts->bounds);
    free(contacts->polyhedra);
    free(contacts->planes);
    free(contacts->excluded);
    free(contacts->sums);
    free(contacts->sum_slots);
    ordering_free(&contacts->ordering);
    free(contacts);
}

/* Visits pairs of bodies as they are listed, until a visit says false; whether none did. */
typedef bool PairVisit(void *context, int one, int two);

/* All bodies that move with one, against all that move with the other. */
static bool moving_visit(const World *world, int one, int two, PairVisit *visit, void *context)
{
    if (world->fused_count == 0)
        return visit(context, one, two);
    for (int a = one; a < world->body_count; a++)
        for (int b = two; world->ride[a].root == one && b < world->body_count; b++)
            if (world->ride[b].root == two && !visit(context, a, b))
                return false;
    return true;
}

/* Those that alone collide, where there are such; else those that may not: excepted ones, and bodies that a joint holds
 * together. */
static bool named_visit(const World *world, PairVisit *visit, void *context)
{
    for (int i = 0; i < world->collide_only_count; i++)
        if (!visit(context, world->collide_only_pairs[i][0], world->collide_only_pairs[i][1]))
            return false;
    for (int i = 0; i < world->collide_except_count && !world->collide_only; i++)
        if (!visit(context, world->collide_except[i][0], world->collide_except[i][1]))
            return false;
    for (int j = 0; j < world->joint_count && !world->joined_collide && !world->collide_only; j++) {
        const JointDef *def = &world->joints[j].def;
        int bodies = joint_body_count(def);
        for (int a = 0; a < bodies; a++)
            for (int b = a + 1; b < bodies; b++)
                if (!moving_visit(world, def->body[a], def->body[b], visit, context))
                    return false;
    }
    return true;
}

/* All colliders of one body against all of the other. */
static bool contacts_name(void *context, int one, int two)
{
    const World *world = context;
    Contacts *contacts = world->contacts;
    const Ride *a = &world->ride[one], *b = &world->ride[two];
    size_t more = (size_t)a->collider_count * (size_t)b->collider_count;
    if (!array_reserve((void **)&contacts->excluded, &contacts->excluded_capacity, sizeof *contacts->excluded,
                       2 * (contacts->excluded_count + more)))
        return false;
    for (int i = 0; i < a->collider_count; i++)
        for (int k = 0; k < b->collider_count; k++)
            contacts->excluded[contacts->excluded_count++] = pair_key(a->first_collider + i, b->first_collider + k);
    return true;
}

/* The array's second half is the sort's scratch. */
bool contacts_list_excluded(World *world)
{
    Contacts *contacts = world->contacts;
    contacts->excluded_count = 0;
    if (!named_visit(world, contacts_name, world))
        return false;
    if (contacts->excluded_count > 0)
        sort_keys(contacts->excluded, contacts->excluded + contacts->excluded_count, contacts->excluded_count, 0);
    return true;
}

static int material_condim(const Material *material)
{
    if (material->frictionless || material->condim > 0)
        return material->frictionless ? 1 : material->condim;
    return material->rolling_friction > 0.0 ? 6 : material->spin_friction > 0.0 ? 4 : 3;
}

/* Leaves out what lies above the number of directions. */
static PairLaw law_within(PairLaw law, int condim)
{
    law.friction = condim < 3 ? 0.0 : law.friction;
    law.static_friction = condim < 3 ? 0.0 : law.static_friction;
    law.spin_friction = condim < 4 ? 0.0 : law.spin_friction;
    law.rolling_friction = condim < 6 ? 0.0 : law.rolling_friction;
    return law;
}

static double material_static_friction(const Material *material)
{
    return fmax(material->static_friction, material->friction);
}

static PairLaw material_law(const Material *material)
{
    PairLaw law = {.friction = material->friction,
                   .static_friction = material_static_friction(material),
                   .restitution = material->restitution,
                   .rolling_friction = material->rolling_friction,
                   .spin_friction = material->spin_friction};
    return law_within(law, material_condim(material));
}

PairLaw contacts_pair_law(const World *world, const Material *one, const Material *two)
{
    Combine how = world->combine_friction;
    if (one->priority != two->priority)
        return material_law(one->priority > two->priority ? one : two);
    int condim1 = material_condim(one), condim2 = material_condim(two);
    PairLaw law = {.friction = contacts_combine(how, one->friction, two->friction),
                   .static_friction =
                       contacts_combine(how, material_static_friction(one), material_static_friction(two)),
                   .restitution = contacts_combine(world->combine_restitution, one->restitution, two->restitution),
                   .rolling_friction = contacts_combine(how, one->rolling_friction, two->rolling_friction),
                   .spin_friction = contacts_combine(how, one->spin_friction, two->spin_friction)};
    return law_within(law, condim1 > condim2 ? condim1 : condim2);
}

double contacts_restitution(const World *world, int one, int two)
{
    return contacts_pair_law(world, contacts_material(world, one), contacts_material(world, two)).restitution;
}

size_t contacts_most(const World *world)
{
    return CONTACT_PAIRS + CONTACT_PAIRS_A_BODY * (size_t)world->body_count;
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

/* Whether some shape of each may meet one of the other. */
static bool shapes_may_meet(const World *world, int one, int two)
{
    const Ride *a = &world->ride[one], *b = &world->ride[two];
    for (int i = a->first_collider; i < a->first_collider + a->collider_count; i++)
        for (int k = b->first_collider; k < b->first_collider + b->collider_count; k++)
            if (world->colliders[i].shape.kind != SHAPE_NONE && world->colliders[k].shape.kind != SHAPE_NONE &&
                colliders_may_meet(world, i, k))
                return true;
    return false;
}

bool contacts_may_touch(const World *world, int one, int two)
{
    if (!world->collide || one == two || (world_is_fixed(world, one) && world_is_fixed(world, two)) ||
        !shapes_may_meet(world, one, two))
        return false;
    return named_visit(world, is_other_pair, &(PairKey){pair_key(one, two)}) != world->collide_only;
}

bool contacts_may_be(const World *world)
{
    bool moving = false, solid = false;
    for (int c = 0; c < world->collider_count && world->collide; c++) {
        const Collider *a = &world->colliders[c];
        if (a->shape.kind == SHAPE_NONE)
            continue;
        bool moves = !world_is_fixed(world, a->body);
        if ((moves && (moving || solid)) || (moving && solid))
            return true;
        moving = moving || moves;
        solid = true;
    }
    return false;
}

bool contacts_unsupported_pair(const World *world, int pair[2])
{
    for (int i = 0; i < world->collider_count && world->collide; i++)
        for (int k = 0; world->colliders[i].shape.kind == SHAPE_MESH && k < world->collider_count; k++) {
            const Collider *one = &world->colliders[i], *two = &world->colliders[k];
            if (two->body == one->body || two->shape.kind == SHAPE_NONE ||
                (world_is_fixed(world, one->body) && world_is_fixed(world, two->body)) ||
                collide_supported(SHAPE_MESH, two->shape.kind))
                continue;
            pair[0] = one->listed;
            pair[1] = two->listed;
            return true;
        }
    return false;
}
