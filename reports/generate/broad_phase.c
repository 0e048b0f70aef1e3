/* SPDX-License-Identifier: MIT */
/* The broad phase at work. `what` = edge and pair: the boxes of a small heap in a plane, and which pairs it keeps;
 * `what` = growth: pairs left to test and time a body by the tree and by all pairs, over the number of bodies. */
#include "reports/generate/generators.h"

#include "bench/process/clock.h"
#include "model/collision/broadphase.h"
#include "model/random.h"

static const char *const KEYS[] = {"bodies", "sizes", "all_pairs_most", NULL};

/* The picture's heap: discs round a square lattice, some far larger than the others. */
static const double SPACING = 1.25, JITTER = 0.5;

static Bounds bounds_round(Vec3 centre, Vec3 half)
{
    return (Bounds){vec3_sub(centre, half), vec3_add(centre, half)};
}

static void edge_add(json_t *rows, const char *what, Vec3 from, Vec3 to)
{
    json_array_append_new(rows, json_pack("{s:s,s:f,s:f,s:f,s:f}", "what", what, "x", from.x, "y", from.y, "dx",
                                          to.x - from.x, "dy", to.y - from.y));
}

static void box_add(json_t *rows, const Bounds *b)
{
    Vec3 corner[4] = {b->low, {b->high.x, b->low.y, 0.0}, b->high, {b->low.x, b->high.y, 0.0}};
    for (int i = 0; i < 4; i++)
        edge_add(rows, "edge", corner[i], corner[(i + 1) % 4]);
}

static bool broad_find(Broadphase *broad)
{
    return broadphase_find(broad, NULL) && broadphase_gather(broad, NULL);
}

static Vec3 bounds_middle(const Bounds *b)
{
    return vec3_scale(0.5, vec3_add(b->low, b->high));
}

static bool heap_show(int count, json_t *rows)
{
    Random random = {7};
    Broadphase broad = {0};
    int side = (int)ceil(sqrt(count));
    bool ok = broadphase_reserve(&broad, count);
    broad.body_count = ok ? count : 0;
    for (int i = 0; ok && i < count; i++) {
        Vec3 shift = random_vec3(&random, JITTER);
        Vec3 half = vec3(random_in(&random, 0.2, 0.7), random_in(&random, 0.2, 0.7), 0.5);
        Vec3 centre = vec3(SPACING * (i % side) + shift.x, SPACING * (i / side) + shift.y, 0.0);
        broad.bodies[i] = (BroadBody){.body = i, .bounds = bounds_round(centre, half)};
        box_add(rows, &broad.bodies[i].bounds);
    }
    ok = ok && broad_find(&broad);
    for (size_t i = 0; ok && i < broad.pair_count; i++)
        edge_add(rows, "pair", bounds_middle(&broad.bodies[pair_first(broad.pairs[i])].bounds),
                 bounds_middle(&broad.bodies[pair_second(broad.pairs[i])].bounds));
    if (ok)
        json_array_append_new(rows, json_pack("{s:s,s:i,s:i,s:i}", "what", "heap", "bodies", count, "kept",
                                              (int)broad.pair_count, "all", count * (count - 1) / 2));
    broadphase_free(&broad);
    return ok;
}

/* Spheres of radius 0.5 round a cubic lattice, each touching about six others: the pairs of a body do not grow. */
static bool heap_fill(Broadphase *broad, int count)
{
    Random random = {0xbe4c4};
    int side = (int)ceil(cbrt(count));
    if (!broadphase_reserve(broad, count))
        return false;
    broad->body_count = count;
    for (int i = 0; i < count; i++) {
        Vec3 lattice = vec3(i % side, i / side % side, i / (side * side));
        Vec3 centre = vec3_add(vec3_scale(0.95, lattice), random_vec3(&random, 0.1));
        broad->bodies[i] = (BroadBody){.body = i, .bounds = bounds_round(centre, vec3(0.5, 0.5, 0.5))};
    }
    return true;
}

static size_t count_all_pairs(const Broadphase *broad)
{
    size_t pairs = 0;
    for (int i = 0; i < broad->body_count; i++)
        for (int k = i + 1; k < broad->body_count; k++)
            pairs += bounds_overlap(&broad->bodies[i].bounds, &broad->bodies[k].bounds);
    return pairs;
}

/* `left`: pairs that the narrow phase would have to test. */
static void growth_row(json_t *rows, const char *how, const Broadphase *broad, double left, size_t pairs,
                       double seconds)
{
    double n = broad->body_count;
    json_array_append_new(rows, json_pack("{s:s,s:s,s:i,s:f,s:f,s:f}", "what", "growth", "how", how, "bodies",
                                          broad->body_count, "left_a_body", left / n, "pairs", (double)pairs, "ns",
                                          1e9 * seconds / n));
}

static bool growth_measure(int count, double all_most, json_t *rows)
{
    enum { REPEATS = 5 };
    Broadphase broad = {0};
    double least = INFINITY;
    size_t pairs = 0;
    bool ok = heap_fill(&broad, count);
    for (int r = 0; ok && r < REPEATS; r++) {
        double begun = clock_thread();
        ok = broad_find(&broad);
        least = fmin(least, clock_thread() - begun);
    }
    if (ok)
        growth_row(rows, "tree", &broad, (double)broad.pair_count, broad.pair_count, least);
    least = INFINITY;
    for (int r = 0; ok && count <= all_most && r < REPEATS; r++) {
        double begun = clock_thread();
        pairs = count_all_pairs(&broad);
        least = fmin(least, clock_thread() - begun);
    }
    if (ok && count <= all_most)
        growth_row(rows, "all pairs", &broad, 0.5 * count * (count - 1.0), pairs, least);
    broadphase_free(&broad);
    return ok;
}

static bool broad_phase_make(Node arguments, json_t *rows)
{
    double bodies = 40.0, all_most = 1e4, size;
    Node sizes = node_get(&arguments, "sizes");
    if (!node_object(arguments, KEYS) || !node_at_least(node_get(&arguments, "bodies"), 2.0, &bodies) ||
        !node_positive(node_get(&arguments, "all_pairs_most"), &all_most) || (sizes.value && !node_array(sizes)))
        return false;
    if (bodies > 100.0)
        return node_fail(node_get(&arguments, "bodies"), "at most 100 are seen");
    for (size_t i = 0; i < json_array_size(sizes.value); i++)
        if (!node_at_least(node_at(&sizes, i), 2.0, &size) || size > 1e6)
            return size > 1e6 ? node_fail(node_at(&sizes, i), "at most 1e6") : false;
    bool ok = !rows || heap_show((int)bodies, rows);
    for (size_t i = 0; rows && ok && i < json_array_size(sizes.value); i++)
        ok = node_at_least(node_at(&sizes, i), 2.0, &size) && growth_measure((int)size, all_most, rows);
    return ok || node_fail(arguments, "out of memory");
}

const Generator generator_broad_phase = {
    .name = "broad_phase",
    .about =
        "the broad phase at work; arguments: bodies (of the picture, 40), sizes (numbers of bodies), all_pairs_most "
        "(bodies up to which all pairs are tried, 1e4); fields: what = edge and pair with x, y, dx, dy, heap with "
        "bodies, kept, all, and growth with how (tree, all pairs), bodies, pairs (that overlap), left_a_body (pairs "
        "left for the narrow phase), ns (a body)",
    .make = broad_phase_make,
};
