/* SPDX-License-Identifier: MIT */
/* A contest on random pairs of overlapping boxes, whose least overlap brute force certifies: who gives a direction
 * along which they overlap by more, by how much, and in what time. */
#include "reports/generate/generators.h"

#include "bench/files/folder.h"
#include "bench/process/clock.h"
#include "bench/studies/collide_pair.h"
#include "model/random.h"
#include "reports/generate/depth_contest.h"

#include <stdlib.h>

static const char *const KEYS[] = {"pairs", "seed", NULL};

/* Beyond the least overlap by this part: a wrong way out. */
static const double WRONG = 0.01;

/* Overlap below this is left out: whether it is one is round-off. */
static const double LEAST_DEPTH = 1e-6;

double depth_along(const Convex *a, const Convex *b, Vec3 n)
{
    return vec3_dot(n, vec3_sub(convex_support(a, n), convex_support(b, vec3_negate(n))));
}

/* One way and the other. */
static double depth_both_ways(const Convex *a, const Convex *b, Vec3 n)
{
    return fmin(depth_along(a, b, n), depth_along(a, b, vec3_negate(n)));
}

static Vec3 vertex(const Convex *shape, int face, int k)
{
    const Polyhedron *poly = shape->poly;
    const PolyFace *f = &poly->faces[face];
    return mat3_mul_vec(shape->turn, vec3_mul(shape->half, poly->vertices[poly->loop[f->first + k % f->count]]));
}

double depth_certified(const Convex *a, const Convex *b)
{
    const Convex *shape[2] = {a, b};
    double least = INFINITY;
    for (int i = 0; i < 2; i++)
        for (int f = 0; f < shape[i]->poly->face_count; f++) {
            Vec3 e1 = vec3_sub(vertex(shape[i], f, 1), vertex(shape[i], f, 0));
            Vec3 e2 = vec3_sub(vertex(shape[i], f, 2), vertex(shape[i], f, 1));
            least = fmin(least, depth_both_ways(a, b, vec3_unit(vec3_cross(e1, e2))));
        }
    for (int f = 0; f < a->poly->face_count; f++)
        for (int k = 0; k < a->poly->faces[f].count; k++)
            for (int g = 0; g < b->poly->face_count; g++)
                for (int l = 0; l < b->poly->faces[g].count; l++) {
                    Vec3 n = vec3_cross(vec3_sub(vertex(a, f, k + 1), vertex(a, f, k)),
                                        vec3_sub(vertex(b, g, l + 1), vertex(b, g, l)));
                    if (vec3_norm(n) > 1e-9)
                        least = fmin(least, depth_both_ways(a, b, vec3_unit(n)));
                }
    return least;
}

static bool find_epa(const Convex *a, const Convex *b, Vec3 *n, double *depth)
{
    Axis axis = {.rival = INFINITY};
    if (gjk_distance(a, b, 0.0, &axis) > 0.0)
        return false;
    epa_axis(a, b, &axis);
    *n = axis.n;
    *depth = -axis.separation;
    return true;
}

static bool find_axes(const Convex *a, const Convex *b, Vec3 *n, double *depth)
{
    Axis axis = {.rival = INFINITY};
    box_box_axis(a, b, 1.0, &axis);
    *n = axis.n;
    *depth = -axis.separation;
    return *depth > 0.0;
}

static const DepthContender OURS[] = {{"our EPA", find_epa}, {"our axes", find_axes}};
enum { OUR_COUNT = 2 };

static Quat random_turn(Random *random)
{
    Vec3 axis;
    do
        axis = random_vec3(random, 1.0);
    while (vec3_norm(axis) > 1.0 || vec3_norm(axis) < 0.1);
    return quat_axis_angle(vec3_unit(axis), random_in(random, -PI, PI));
}

static Convex random_box(Random *random, Vec3 x)
{
    Convex box;
    Vec3 size = vec3(random_in(random, 0.2, 1.5), random_in(random, 0.2, 1.5), random_in(random, 0.2, 1.5));
    convex_place(&box, &(Shape){.kind = SHAPE_BOX, .size = size}, NULL, x, random_turn(random));
    return box;
}

/* So many that overlap. */
static void pairs_draw(ContestPair *pairs, int count, Random *random)
{
    for (int i = 0; i < count;) {
        ContestPair *pair = &pairs[i];
        pair->a = random_box(random, VEC3_ZERO);
        pair->b = random_box(random, random_vec3(random, 1.0));
        pair->depth = depth_certified(&pair->a, &pair->b);
        i += pair->depth > LEAST_DEPTH;
    }
}

/* `absent`: who could not be asked. */
static void judge(const char *who, const ContestPair *pairs, const DepthAnswer *answers, int count, double seconds,
                  const char *absent, json_t *rows)
{
    int wrong = 0, missed = 0;
    double beyond = 0.0, error = 0.0, errors = 0.0;
    for (int i = 0; i < count; i++) {
        if (!answers[i].found) {
            missed++;
            continue;
        }
        double ratio = depth_along(&pairs[i].a, &pairs[i].b, answers[i].n) / pairs[i].depth - 1.0;
        wrong += ratio > WRONG;
        beyond = fmax(beyond, ratio);
        double off = fabs(answers[i].depth / pairs[i].depth - 1.0);
        error = fmax(error, off);
        errors += off;
    }
    json_array_append_new(rows,
                          json_pack("{s:s,s:i,s:i,s:i,s:f,s:f,s:f,s:f,s:f,s:s}", "who", who, "pairs", count, "wrong",
                                    wrong, "missed", missed, "wrong_share", (double)(wrong + missed) / count, "beyond",
                                    beyond, "depth_error", error, "depth_error_mean",
                                    errors / fmax(count - missed, 1.0), "ns", 1e9 * seconds / count, "absent", absent));
}

/* Seconds for all: the least of some rounds, since whatever else the machine does only adds to them. */
static double contender_answer(const DepthContender *contender, const ContestPair *pairs, int count,
                               DepthAnswer *answers)
{
    double least = INFINITY;
    for (int round = 0; round < CONTEST_ROUNDS; round++) {
        double begun = clock_thread();
        for (int i = 0; i < count; i++)
            answers[i].found = contender->find(&pairs[i].a, &pairs[i].b, &answers[i].n, &answers[i].depth);
        least = fmin(least, clock_thread() - begun);
    }
    return least;
}

static bool contest(Node arguments, const ContestPair *pairs, int count, DepthAnswer *answers[BULLET_WAYS],
                    json_t *rows)
{
    char path[FOLDER_TEXT];
    double seconds[BULLET_WAYS];
    Status status = {0};
    bool bullet = bullet_pairs_find(path, sizeof path), ccd = ccd_contender_count > 0;
    const char *absent = bullet && ccd ? "nobody" : bullet ? "libccd" : ccd ? "Bullet" : "libccd and Bullet";
    for (int i = 0; i < OUR_COUNT + ccd_contender_count; i++) {
        const DepthContender *contender = i < OUR_COUNT ? &OURS[i] : &ccd_contenders[i - OUR_COUNT];
        double time = contender_answer(contender, pairs, count, answers[0]);
        judge(contender->name, pairs, answers[0], count, time, absent, rows);
    }
    if (bullet && !bullet_answer(path, pairs, count, answers, seconds, &status))
        return node_fail(arguments, "%s", status.message);
    for (int i = 0; bullet && i < BULLET_WAYS; i++)
        judge(BULLET_NAMES[i], pairs, answers[i], count, seconds[i], absent, rows);
    return true;
}

static bool depth_contest_make(Node arguments, json_t *rows)
{
    double count = 5000.0, seed = 1.0;
    if (!node_object(arguments, KEYS) || !node_at_least(node_get(&arguments, "pairs"), 1.0, &count) ||
        !node_at_least(node_get(&arguments, "seed"), 0.0, &seed))
        return false;
    if (count > GENERATOR_STEPS)
        return node_fail(node_get(&arguments, "pairs"), "at most %d", GENERATOR_STEPS);
    if (!rows)
        return true;
    Random random = {(uint64_t)seed};
    ContestPair *pairs = malloc(sizeof *pairs * (size_t)count);
    DepthAnswer *answers[BULLET_WAYS];
    bool ok = pairs != NULL;
    for (int i = 0; i < BULLET_WAYS; i++)
        ok = (answers[i] = malloc(sizeof *answers[i] * (size_t)count)) && ok;
    if (ok) {
        pairs_draw(pairs, (int)count, &random);
        ok = contest(arguments, pairs, (int)count, answers, rows);
    } else {
        node_fail(arguments, "out of memory");
    }
    free(pairs);
    for (int i = 0; i < BULLET_WAYS; i++)
        free(answers[i]);
    return ok;
}

const Generator generator_depth_contest = {
    .name = "depth_contest",
    .about = "who finds the depth of random overlapping boxes, against brute force; arguments: pairs (5000), seed (1); "
             "fields: who, pairs, wrong (a direction with 1 % more overlap than the least), missed (said to be apart), "
             "wrong_share, beyond (the most, relative), depth_error (of the depth it says itself: the most, relative), "
             "depth_error_mean, ns (a pair), "
             "absent (who is not installed)",
    .make = depth_contest_make,
};
