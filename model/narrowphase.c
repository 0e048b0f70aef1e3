/* Narrow phase: where the pairs that the broad phase found touch, and what their points take over from the last
 * detection. The members of a team take a part of the pairs each; the order is always that of the pairs. */
#include "model/contact.h"

#include <string.h>

/* A point whose features changed takes over the impulse of an old one this close, as a part of the length scale: it is
 * the same place on the body under another name, as when a vertex slides over an edge. */
#define SAME_PLACE CONTACT_MARGIN

/* Pairs that are worth a thread's while. */
enum { PAIRS_LEAST = 64 };

static const Material *material_of(const World *world, int body)
{
    return &world->materials[world->bodies[body].material];
}

static Vec3 to_internal(const World *world, int body, Vec3 point)
{
    return quat_rotate_inverse(world->pose[body].q, vec3_sub(point, world->pose[body].x));
}

double contact_patch_radius(double r1, double r2, double depth)
{
    double R = r1 > 0.0 && r2 > 0.0 ? r1 * r2 / (r1 + r2) : fmax(r1, r2);
    return sqrt(2.0 * R * fmax(depth, 0.0));
}

/* The larger of the two materials'. */
static double manifold_patch_radius(const Material *m1, const Material *m2, const Patch *patch)
{
    const Touch *touch = &patch->touch[0];
    double by_shape = patch->count == 1 ? contact_patch_radius(touch->radius1, touch->radius2, -touch->gap) : 0.0;
    return fmax(isnan(m1->patch_radius) ? by_shape : m1->patch_radius,
                isnan(m2->patch_radius) ? by_shape : m2->patch_radius);
}

static void manifold_set(Manifold *manifold, const World *world, PairKey pair, const Patch *patch)
{
    int one = pair_first(pair), two = pair_second(pair);
    const Material *m1 = material_of(world, one), *m2 = material_of(world, two);
    manifold->body1 = one;
    manifold->body2 = two;
    manifold->normal = patch->normal;
    manifold->carrier = patch->carrier;
    manifold->torsion = VEC3_ZERO;
    manifold->friction = contacts_combine(world->combine_friction, m1->friction, m2->friction);
    manifold->restitution = contacts_restitution(world, one, two);
    manifold->patch_radius = manifold_patch_radius(m1, m2, patch);
    manifold->count = patch->count;
    for (int i = 0; i < patch->count; i++) {
        const Touch *touch = &patch->touch[i];
        manifold->point[i] = (ContactPoint){.id = touch->id,
                                            .anchor1 = to_internal(world, one, touch->point1),
                                            .anchor2 = to_internal(world, two, touch->point2),
                                            .radius1 = touch->radius1,
                                            .radius2 = touch->radius2,
                                            .gap = touch->gap,
                                            .recovers = touch->gap < -OVERLAP_LEFT * world->length_scale};
    }
}

/* The manifold of this pair in the last detection, or NULL; `next` runs through the sorted list. */
static const Manifold *previous_manifold(const Contacts *contacts, PairKey pair, size_t *next)
{
    const Manifold *list = contacts->previous;
    while (*next < contacts->previous_count && pair_key(list[*next].body1, list[*next].body2) < pair)
        ++*next;
    bool found = *next < contacts->previous_count && pair_key(list[*next].body1, list[*next].body2) == pair;
    return found ? &list[*next] : NULL;
}

static void manifold_prefer(const Manifold *old, Patch *patch)
{
    uint64_t ids[MANIFOLD_MAX];
    for (int i = 0; i < old->count; i++)
        ids[i] = old->point[i].id;
    patch_prefer(patch, ids, old->count);
}

/* Each point takes impulse and past of the old point with its id, or else of one left over at the same place. */
static void manifold_inherit(Manifold *manifold, const Manifold *old, double length)
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

static bool manifold_recovers(const Manifold *manifold)
{
    for (int i = 0; i < manifold->count; i++)
        if (manifold->point[i].recovers)
            return true;
    return false;
}

/* Leaves the pairs that may collide. */
static void contacts_drop_excluded(Contacts *contacts)
{
    Broadphase *broadphase = &contacts->broadphase;
    size_t kept = 0;
    for (size_t i = 0, e = 0; i < broadphase->pair_count; i++) {
        PairKey pair = broadphase->pairs[i];
        while (e < contacts->excluded_count && contacts->excluded[e] < pair)
            e++;
        if (e == contacts->excluded_count || contacts->excluded[e] != pair)
            broadphase->pairs[kept++] = pair;
    }
    broadphase->pair_count = kept;
}

/* The first manifold of the last detection that does not come before this pair. */
static size_t previous_from(const Contacts *contacts, PairKey pair)
{
    size_t low = 0, high = contacts->previous_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const Manifold *manifold = &contacts->previous[middle];
        if (pair_key(manifold->body1, manifold->body2) < pair)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What one member of a team finds: the manifolds of the pairs [from, from + pairs), from `from` on. */
typedef struct NarrowPart {
    size_t from, pairs, found;
    bool recovers;
} NarrowPart;

typedef struct NarrowPhase {
    World *world;
    NarrowPart parts[TEAM_MOST];
} NarrowPhase;

static void part_collide(World *world, NarrowPart *part)
{
    const Contacts *contacts = world->contacts;
    const PairKey *pairs = contacts->broadphase.pairs + part->from;
    size_t k = part->pairs > 0 ? previous_from(contacts, pairs[0]) : 0;
    Patch patch;
    for (size_t i = 0; i < part->pairs; i++) {
        int one = pair_first(pairs[i]), two = pair_second(pairs[i]);
        collide(&contacts->convexes[one], &contacts->convexes[two], world->length_scale,
                contacts_margin(world, one, two), &patch);
        if (patch.count == 0)
            continue;
        Manifold *manifold = &contacts->manifolds[part->from + part->found++];
        const Manifold *old = previous_manifold(contacts, pairs[i], &k);
        if (old && patch.count > 1)
            manifold_prefer(old, &patch);
        patch_reduce(&patch, world->length_scale);
        manifold_set(manifold, world, pairs[i], &patch);
        if (old)
            manifold_inherit(manifold, old, world->length_scale);
        part->recovers = part->recovers || manifold_recovers(manifold);
    }
}

static long parts_collide(void *context, int from, int to)
{
    NarrowPhase *narrow = context;
    for (int p = from; p < to; p++)
        part_collide(narrow->world, &narrow->parts[p]);
    return 0;
}

/* Moves what the parts found together, in order, and leaves out what is too much. */
static void parts_gather(Contacts *contacts, const NarrowPhase *narrow, int parts, size_t most)
{
    size_t count = 0;
    for (int p = 0; p < parts; p++) {
        const NarrowPart *part = &narrow->parts[p];
        if (part->from != count && part->found > 0)
            memmove(contacts->manifolds + count, contacts->manifolds + part->from,
                    sizeof *contacts->manifolds * part->found);
        count += part->found;
        contacts->recovers = contacts->recovers || part->recovers;
    }
    contacts->left_out = contacts->left_out || count > most;
    contacts->manifold_count = count < most ? count : most;
}

static bool contacts_find_manifolds(World *world)
{
    Contacts *contacts = world->contacts;
    size_t pairs = contacts->broadphase.pair_count;
    size_t parts = (size_t)team_size(world->team);
    if (pairs < parts * PAIRS_LEAST)
        parts = 1;
    if (!array_reserve((void **)&contacts->manifolds, &contacts->capacity, sizeof *contacts->manifolds, pairs + 1))
        return false;
    NarrowPhase narrow = {.world = world};
    for (size_t p = 0; p < parts; p++) {
        size_t from = pairs * p / parts;
        narrow.parts[p] = (NarrowPart){.from = from, .pairs = pairs * (p + 1) / parts - from};
    }
    team_share(world->team, (int)parts, 1, parts_collide, &narrow);
    parts_gather(contacts, &narrow, (int)parts, contacts_most(world));
    return true;
}

bool contacts_collide_pairs(World *world)
{
    if (!world->collide)
        return true;
    contacts_drop_excluded(world->contacts);
    return contacts_find_manifolds(world) && contacts_order(world);
}
