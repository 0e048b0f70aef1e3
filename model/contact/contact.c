/* SPDX-License-Identifier: MIT */
/* Contacts as a whole, what two materials have together, and which pairs may never touch. */
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
        int bodies = joint_body_count(def);
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

/* The array's second half is the sort's scratch. */
bool contacts_list_excluded(World *world)
{
    Contacts *contacts = world->contacts;
    contacts->excluded_count = 0;
    if (!excluded_visit(world, contacts_exclude, contacts))
        return false;
    if (contacts->excluded_count > 0)
        sort_keys(contacts->excluded, contacts->excluded + contacts->excluded_count, contacts->excluded_count, 0);
    return true;
}

double contacts_restitution(const World *world, int one, int two)
{
    return contacts_combine(world->combine_restitution, contacts_material(world, one)->restitution,
                            contacts_material(world, two)->restitution);
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
