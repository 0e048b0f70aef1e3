/* SPDX-License-Identifier: MIT */
#include "bench/frozen/contraction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Windows double until three of them in turn agree to this, or so many sweeps are done. */
#define RATE_TOLERANCE 1e-10
enum { MAX_SWEEPS = 1 << 18 };
/* Sweeping ends before residuals are this part of what they were: what round-off has put into velocities that rows do
 * not see stays, and is felt at its square, 1e-31. */
#define FLOOR 1e-24
/* Residuals are parallel, and there is one mode, when the sine of their angle is below this: well above round-off. */
#define PARALLEL 1e-6
/* A window that leaves less than this has solved the system: its rate is round-off. */
#define SOLVED 1e-14

typedef struct Sweeper {
    RowSystem *system;
    const World *world;
    Velocity *velocity;
    double *x[3]; /* residuals of all rows, in m/s, of length 1, and the logarithm of the length they had */
    double length[3];
    double scale; /* logarithm of all factors that were taken out so far */
    int sweeps;
} Sweeper;

/* The homogeneous system, whose solution is zero: what is left of lambda is the error. It starts from numbers without
 * pattern (multiples of the golden ratio modulo 1), so that the slowest modes are in them. */
static void sweeper_begin(Sweeper *sweeper)
{
    int count = 0;
    RowSystem *system = sweeper->system;
    memset(sweeper->velocity, 0, sizeof *sweeper->velocity * (size_t)sweeper->world->body_count);
    system->b_norm = 1.0;
    for (int b = 0; b < system->count; b++) {
        RowBlock *rb = &system->blocks[b];
        for (int i = 0; i < rb->count; i++) {
            rb->bias[i] = 0.0;
            rb->lower[i] = -INFINITY;
            rb->upper[i] = INFINITY;
            rb->lambda[i] = (fmod(++count * 0.6180339887498949, 1.0) - 0.5) / rb->metres;
        }
        if (rb->kind == ROWS_CONTACT || rb->kind == ROWS_TORSION)
            rb->kind = ROWS_BOUNDED; /* each row for itself: no cone couples them */
        if (b < system->joint_count)
            row_system_renew(system, b);
    }
    row_system_apply(system, sweeper->velocity);
}

/* Scales lambda and velocities, so that long sweeping stays clear of underflow. A rigid row's residual is in the
 * velocities alone, so its lambda begins anew: of dependent rows it has a part that never shrinks, and would grow with
 * the scale until it swallows the changes. */
static void sweeper_rescale(Sweeper *sweeper, double factor)
{
    RowSystem *system = sweeper->system;
    for (int b = 0; b < system->count; b++)
        for (int i = 0; i < system->blocks[b].count; i++)
            system->blocks[b].lambda[i] *= system->blocks[b].soft[i] > 0.0 ? factor : 0.0;
    for (int i = 0; i < sweeper->world->body_count; i++) {
        Velocity *u = &sweeper->velocity[i];
        *u = (Velocity){vec3_scale(factor, u->v), vec3_scale(factor, u->w)};
    }
    sweeper->scale -= log(factor);
}

/* False when nothing is left. */
static bool sweeper_sweep(Sweeper *sweeper, int sweeps)
{
    for (int i = 0; i < sweeps; i++, sweeper->sweeps++) {
        double residual = row_system_residual(sweeper->system, sweeper->velocity);
        if (!(residual > 0.0))
            return false;
        sweeper_rescale(sweeper, 1.0 / residual);
        row_system_sweep(sweeper->system, sweeper->velocity, NULL);
    }
    return true;
}

/* False when nothing is left. */
static bool sweeper_look(Sweeper *sweeper, int k)
{
    const RowSystem *system = sweeper->system;
    double length = row_system_residual(system, sweeper->velocity), *x = sweeper->x[k];
    if (!(length > 0.0))
        return false;
    for (int b = 0; b < system->count; b++) {
        if (system->blocks[b].count > 0)
            row_block_residuals(&system->blocks[b], sweeper->velocity, x);
        for (int i = 0; i < system->blocks[b].count; i++)
            *x++ *= system->blocks[b].metres / length;
    }
    sweeper->length[k] = sweeper->scale + log(length);
    return true;
}

static double sweeper_dot(const Sweeper *sweeper, int j, int k)
{
    double sum = 0.0;
    for (int i = 0; i < sweeper->system->rows; i++)
        sum += sweeper->x[j][i] * sweeper->x[k][i];
    return sum;
}

/* log |z| of the larger root of z^2 = a z + b for the three residuals. With unit vectors u_k = x_k / |x_k|, the root is
 * |x_1|/|x_0| times that of z^2 = (a' z + b') |x_2| |x_0| / |x_1|^2 where u_2 = a' u_1 + b' u_0. */
static double sweeper_slowest(const Sweeper *sweeper)
{
    double c = sweeper_dot(sweeper, 0, 1), p = sweeper_dot(sweeper, 2, 0), q = sweeper_dot(sweeper, 2, 1);
    double sine2 = 1.0 - c * c, step = sweeper->length[1] - sweeper->length[0];
    double bend = exp(sweeper->length[2] - sweeper->length[1] - step);
    if (sine2 < PARALLEL * PARALLEL)
        return sweeper->length[2] - sweeper->length[1];
    double a = bend * (q - c * p) / sine2, b = bend * (p - c * q) / sine2;
    double under = 0.25 * a * a + b;
    double largest = under >= 0.0 ? fabs(0.5 * a) + sqrt(under) : sqrt(-b);
    return step + log(largest);
}

/* The next window: twice the last one, as far as two of them stay above the floor; 0: none. */
static int sweeper_next_window(const Sweeper *sweeper, int window, double start, double rate)
{
    double above = sweeper->length[0] - start - log(FLOOR), both = -2.0 * log(rate);
    int next = both * 2 * window > above ? (int)(above / both) : 2 * window;
    return sweeper->sweeps + 2 * next <= MAX_SWEEPS ? next : 0;
}

static void sweeper_run(Sweeper *sweeper, Contraction *contraction)
{
    double before = INFINITY, earlier = INFINITY, start;
    sweeper_begin(sweeper);
    bool left = sweeper_look(sweeper, 0);
    start = sweeper->length[0];
    for (int window = 1; left && window > 0;) {
        left = sweeper_sweep(sweeper, window) && sweeper_look(sweeper, 1) &&
               sweeper->length[1] - sweeper->length[0] > log(SOLVED) && sweeper_sweep(sweeper, window) &&
               sweeper_look(sweeper, 2);
        contraction->rate = left ? exp(sweeper_slowest(sweeper) / window) : 0.0;
        if (!left || fmax(fabs(contraction->rate - before), fabs(before - earlier)) <= RATE_TOLERANCE)
            break;
        earlier = before;
        before = contraction->rate;
        left = sweeper_look(sweeper, 0);
        window = sweeper_next_window(sweeper, window, start, contraction->rate);
    }
    contraction->sweeps = sweeper->sweeps;
}

bool contraction_measure(Contraction *contraction, RowSystem *system, const World *world)
{
    Sweeper sweeper = {.system = system, .world = world};
    size_t rows = (size_t)system->rows + BLOCK_MAX_ROWS; /* a look writes whole blocks */
    *contraction = (Contraction){0};
    sweeper.velocity = malloc(sizeof *sweeper.velocity * (size_t)world->body_count);
    bool ok = sweeper.velocity != NULL;
    for (int k = 0; k < 3; k++)
        ok = (sweeper.x[k] = malloc(sizeof(double) * rows)) && ok;
    if (ok)
        sweeper_run(&sweeper, contraction);
    free(sweeper.velocity);
    for (int k = 0; k < 3; k++)
        free(sweeper.x[k]);
    return ok;
}
