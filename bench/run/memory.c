/* SPDX-License-Identifier: MIT */
#include "bench/run/memory.h"

#include "bench/metrics/metrics.h"
#include "bench/process/sanitized.h"
#include "model/contact.h"
#include "solvers/rows/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Of what there is: the rest is the system's and other programs'. */
static const double ALLOWED_PART = 0.8;

/* Bytes a row and a body, where a solver does not say: what the sparse backends take. */
static const double SOLVER_ROW = 700.0, SOLVER_BODY = 1000.0;

/* Pairs that a moving body with a shape brings, and the points of each: a heap of spheres has three of one, a stack one
 * of four, a pyramid two. */
static const double PAIRS_A_SPHERE = 3.0, PAIRS_A_BODY = 2.0, POINTS_A_PAIR = 4.0;

/* Bytes of addresses that libraries reserve and never fill. */
static const double RESERVED = 2.56e8;

/* Beyond this dense backends refuse a scene. */
static const double DENSE_ROWS = 1e4;

/* The kernel's word of a number in a file; infinite: there is none. */
static double number_in(const char *path, const char *format)
{
    double value = INFINITY;
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, format, &value) != 1)
        value = INFINITY;
    if (file)
        fclose(file);
    return value;
}

double memory_allowed(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    double machine = pages > 0 && page > 0 ? (double)pages * (double)page : INFINITY;
    return ALLOWED_PART * fmin(machine, number_in("/sys/fs/cgroup/memory.max", "%lf"));
}

bool memory_parse(const char *text, double *bytes)
{
    char *end;
    *bytes = strtod(text, &end);
    double unit = *end == 'k' || *end == 'K' ? 1e3 : *end == 'M' ? 1e6 : *end == 'G' ? 1e9 : *end == 'T' ? 1e12 : 1.0;
    *bytes *= unit;
    return end != text && end[unit > 1.0 ? 1 : 0] == '\0' && *bytes > 0.0 && isfinite(*bytes);
}

/* What stands in the world for each body, joint and block. */
static double world_bytes(const World *world)
{
    double body = 2.0 * sizeof(Pose) + 2.0 * sizeof(Velocity) + sizeof(Mass) + sizeof(Quat) + sizeof(BodyDef) +
                  4.0 * sizeof(void *);
    return body * world->body_capacity + sizeof(Joint) * (double)world->joint_capacity +
           (sizeof(Block) + sizeof(Vec3)) * (double)world->block_capacity +
           sizeof(JointTerms) * (double)world->terms_capacity;
}

/* Pairs that the world may have in touch at once, and their points. */
static double world_pairs(const World *world, double *points)
{
    double pairs = 0.0;
    *points = 0.0;
    for (int i = 1; world->collide && i < world->body_count; i++) {
        ShapeKind kind = world->bodies[i].shape.kind;
        if (!world_has_shape(world, i) || (world_is_fixed(world, i) && !world->bodies[i].fused))
            continue;
        bool sphere = kind == SHAPE_SPHERE;
        int shapes = world->ride[i].collider_count;
        pairs += shapes * (sphere ? PAIRS_A_SPHERE : PAIRS_A_BODY);
        *points += shapes * (sphere ? PAIRS_A_SPHERE : PAIRS_A_BODY * POINTS_A_PAIR);
    }
    return pairs;
}

double memory_of_run(const Problem *problem, const Solver *solver, double frames, bool keep_series)
{
    const World *world = problem->world;
    double points, pairs = world_pairs(world, &points);
    double contacts = 2.0 * (sizeof(Manifold) + MANIFOLD_MAX * sizeof(ContactPoint)) * pairs +
                      (2.0 * (sizeof(Block) + sizeof(Vec3)) + sizeof(BlockSeat)) * points;
    double rows = row_count_all(world) + 3.0 * points, dense = fmin(rows, DENSE_ROWS);
    double own = SOLVER_BODY * world->body_count + (solver->row_bytes > 0.0 ? solver->row_bytes : SOLVER_ROW) * rows +
                 solver->row_pair_bytes * dense * dense;
    double frame = 3.0 * sizeof(double) + (keep_series ? sizeof(double) * metric_count : 0.0);
    return world_bytes(world) + contacts + own + frame * frames;
}

bool memory_fits(double bytes, double most, Status *status)
{
    return !(bytes > most) ||
           status_set(status, STATUS_FAILED,
                      "the run would take about %.3g GB of memory, more than the %.3g GB it may have (--max-memory)",
                      1e-9 * bytes, 1e-9 * most);
}

MemoryBound memory_bound(double bytes)
{
    struct rlimit limit;
    double now = number_in("/proc/self/statm", "%lf") * (double)sysconf(_SC_PAGESIZE);
    if (SANITIZED || !isfinite(bytes) || !isfinite(now) || getrlimit(RLIMIT_AS, &limit) != 0)
        return (MemoryBound){false};
    MemoryBound bound = {true, limit.rlim_cur};
    limit.rlim_cur = (rlim_t)fmin(now + bytes + RESERVED, (double)limit.rlim_cur);
    bound.set = setrlimit(RLIMIT_AS, &limit) == 0;
    return bound;
}

void memory_release(MemoryBound bound)
{
    struct rlimit limit;
    if (!bound.set || getrlimit(RLIMIT_AS, &limit) != 0)
        return;
    limit.rlim_cur = (rlim_t)bound.before;
    setrlimit(RLIMIT_AS, &limit);
}
