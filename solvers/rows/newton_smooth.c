#include "solvers/rows/newton_smooth.h"

#include "model/array.h"
#include "solvers/rows/dense.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

/* mu as a share of the speeds asked for: at first from near the solution, and from afar, where the system is nearly
 * linear; at the end; and what is left of it after a step that succeeds. */
static const double MU_NEAR_BY = 1e-3, MU_AFAR = 1.0, MU_LAST = 1e-17, MU_SHARE = 0.5;
/* With the slip held, a path begins at so many times what the slip changed last, and at least here. */
static const double MU_CHANGES = 10.0, MU_HELD = 1e-4;
/* A system counts as solved, and mu may fall, when |Phi| is at most this many mu; else the path ends. */
static const double MU_NEAR = 0.1;
/* The line search takes a step if |Phi| falls by this share of what it promises. */
static const double DESCENT = 1e-4;
/* Singular values below this share of the largest belong to multipliers that are not unique. */
static const double RANK_SHARE = 1e-13;
/* A step takes n^3 or so: no more than this in all, which is some seconds. */
static const double MOST_WORK = 6e10;
enum { SMOOTH_STEPS = 400, STEPS_AT_ONE_MU = 25, HALVINGS = 20, HOLDS = 12 };

typedef struct Smooth {
    Dense dense;
    int n, *index; /* of each block: the number of its first row */
    double *lambda, *trial, *step, *u, *F, *K;
    double *best, *slip; /* lambda that leaves least; |r_t| where it is held, m/s */
    lapack_int *pivots;
    double mu;  /* m/s */
    bool holds; /* the slip: the law is then an associated one, whose path does not turn back */
    int steps, most;
} Smooth;

static void smooth_free(Smooth *s)
{
    dense_free(&s->dense);
    free(s->index);
    free(s->lambda);
    free(s->trial);
    free(s->step);
    free(s->u);
    free(s->F);
    free(s->K);
    free(s->best);
    free(s->slip);
    free(s->pivots);
}

static bool smooth_init(Smooth *s, const RowSystem *system, const World *world)
{
    size_t n = (size_t)system->rows + 1;
    *s = (Smooth){.n = system->rows};
    s->most = (int)(MOST_WORK / pow((double)n, 3.0));
    return NEW_ARRAY(s->index, (size_t)system->count + 1) && NEW_ARRAY(s->lambda, n) && NEW_ARRAY(s->trial, n) &&
           NEW_ARRAY(s->step, n) && NEW_ARRAY(s->u, n) && NEW_ARRAY(s->F, n) && NEW_ARRAY(s->K, n * n) &&
           NEW_ARRAY(s->pivots, n) && NEW_ARRAY(s->best, n) && NEW_ARRAY(s->slip, n) && dense_init(&s->dense, world) &&
           dense_reserve(&s->dense, world);
}

bool newton_smooth_applies(const RowSystem *system)
{
    if (system->friction != FRICTION_CONE)
        return false;
    for (int b = 0; b < system->count; b++) {
        const RowBlock *rb = &system->blocks[b];
        if (rb->count > 0 && (rb->kind == ROWS_TORSION || (rb->kind == ROWS_CONTACT && rb->slides_with_patch)))
            return false;
        for (int i = 0; rb->kind != ROWS_CONTACT && i < rb->count; i++)
            if (isfinite(rb->lower[i]) ? rb->lower[i] != 0.0 || isfinite(rb->upper[i])
                                       : isfinite(rb->upper[i]) && rb->upper[i] != 0.0)
                return false;
    }
    return true;
}

/* A contact of one cone: its rows, or a limit's one row (size 1), or an equality (size 0 in the cone). */
typedef struct Cone {
    int first, size; /* 3: a friction cone; 1: one sign; 0: equality, count rows */
    int count;
    double sign;   /* of one row: lambda >= 0 or <= 0 */
    double mu;     /* friction */
    double weight; /* A_ii, 1/kg: lambda times it is a velocity */
} Cone;

static Cone cone_of(const Smooth *s, const RowSystem *system, int b)
{
    const RowBlock *rb = &system->blocks[b];
    Cone cone = {.first = s->index[b], .count = rb->count, .sign = 1.0, .mu = rb->mu, .weight = 0.0};
    for (int i = 0; i < rb->count; i++)
        cone.weight += rb->A[i][i] / rb->count;
    cone.weight = cone.weight > 0.0 ? cone.weight : 1.0;
    if (rb->kind == ROWS_CONTACT)
        cone.size = rb->count == 3 && rb->mu > 0.0 ? 3 : 1;
    else if (rb->count == 1 && (isfinite(rb->lower[0]) || isfinite(rb->upper[0]))) {
        cone.size = 1;
        cone.sign = isfinite(rb->lower[0]) ? 1.0 : -1.0;
    }
    return cone;
}

/* L_w: the arrow matrix (w_0, w_t; w_t^T, w_0 1). */
static void arrow(const double w[3], double L[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            L[i][j] = i == j ? w[0] : i == 0 ? w[j] : j == 0 ? w[i] : 0.0;
}

/* v = sqrt(w^2 + 4 mu^2 e), and D = L_v^-1 L_w, its derivative by w. */
static void jordan_root(const double w[3], double mu, double v[3], double D[3][3])
{
    double t = hypot(w[1], w[2]), c[2] = {t > 0.0 ? w[1] / t : 1.0, t > 0.0 ? w[2] / t : 0.0};
    double high = hypot(w[0] + t, 2.0 * mu), low = hypot(w[0] - t, 2.0 * mu);
    double Lw[3][3], d = 0.5 * (high - low);
    v[0] = 0.5 * (high + low);
    v[1] = d * c[0];
    v[2] = d * c[1];
    arrow(w, Lw);
    double rest = v[0] * v[0] - d * d; /* of the arrow's determinant: high low */
    for (int j = 0; j < 3; j++) {
        double along = v[1] * Lw[1][j] + v[2] * Lw[2][j];
        D[0][j] = (v[0] * Lw[0][j] - along) / rest;
        for (int i = 1; i < 3; i++)
            D[i][j] = (Lw[i][j] - v[i] * D[0][j]) / v[0];
    }
}

/* Row i of dPhi/dlambda += a A_row */
static void add_row(Smooth *s, int i, double a, int row)
{
    for (int j = 0; j < s->n; j++)
        s->K[i * (long)s->n + j] += a * s->dense.A[row * (long)s->n + j];
}

/* Phi of a friction cone and, if asked for, its rows of the derivative. */
static void phi_cone(Smooth *s, const Cone *cone, const double *lambda, bool derive)
{
    int f = cone->first;
    double m = cone->mu, w = cone->weight, slip = s->holds ? s->slip[f] : hypot(hypot(s->u[f + 1], s->u[f + 2]), s->mu);
    double x[3] = {w * m * lambda[f], w * lambda[f + 1], w * lambda[f + 2]};
    double z[3] = {s->u[f] / m + slip, s->u[f + 1], s->u[f + 2]};
    double d[3] = {x[0] - z[0], x[1] - z[1], x[2] - z[2]}, v[3], D[3][3];
    jordan_root(d, s->mu, v, D);
    for (int i = 0; i < 3; i++)
        s->F[f + i] = x[i] + z[i] - v[i];
    for (int i = 0; derive && i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double by_x = (i == j) - D[i][j], by_z = (i == j) + D[i][j];
            s->K[(f + i) * (long)s->n + f + j] += by_x * w * (j == 0 ? m : 1.0);
            if (j > 0)
                add_row(s, f + i, by_z, f + j);
            for (int k = 0; j == 0 && k < (s->holds ? 1 : 3); k++)
                add_row(s, f + i, by_z * (k == 0 ? 1.0 / m : s->u[f + k] / slip), f + k);
        }
}

static void phi_row(Smooth *s, const Cone *cone, const double *lambda, bool derive)
{
    int f = cone->first;
    double w = cone->weight, x = cone->sign * w * lambda[f], z = cone->sign * s->u[f], v = hypot(x - z, 2.0 * s->mu);
    double slope = (x - z) / v;
    s->F[f] = x + z - v;
    if (derive) {
        s->K[f * (long)s->n + f] += (1.0 - slope) * cone->sign * w;
        add_row(s, f, (1.0 + slope) * cone->sign, f);
    }
    for (int i = 1; i < cone->count; i++) { /* tangents without friction */
        s->F[f + i] = w * lambda[f + i];
        if (derive)
            s->K[(f + i) * (long)s->n + f + i] += w;
    }
}

/* Phi at lambda, |Phi|; with its derivative in K if asked for. */
static double smooth_phi(Smooth *s, const RowSystem *system, const double *lambda, bool derive)
{
    int n = s->n;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        s->u[i] = -s->dense.b[i];
        for (int j = 0; j < n; j++)
            s->u[i] += s->dense.A[i * (long)n + j] * lambda[j];
    }
    if (derive)
        memset(s->K, 0, sizeof *s->K * (size_t)n * (size_t)n);
    for (int b = 0; b < system->count; b++) {
        if (system->blocks[b].count == 0)
            continue;
        Cone cone = cone_of(s, system, b);
        if (cone.size == 3)
            phi_cone(s, &cone, lambda, derive);
        else if (cone.size == 1)
            phi_row(s, &cone, lambda, derive);
        for (int i = 0; cone.size == 0 && i < cone.count; i++) {
            s->F[cone.first + i] = s->u[cone.first + i];
            if (derive)
                add_row(s, cone.first + i, 1.0, cone.first + i);
        }
    }
    for (int i = 0; i < n; i++)
        sum += s->F[i] * s->F[i];
    return sqrt(sum);
}

/* Columns in units of 1/A_jj, and back: what x_j or d_j means. */
static double unit_of(const Smooth *s, int j)
{
    double A = s->dense.A[j * (long)s->n + j];
    return A > 0.0 ? 1.0 / A : 1.0;
}

/* The shortest of the steps that solve the linearised system, into `step`; false: LAPACK found none. */
static bool smooth_direction(Smooth *s, double *step)
{
    int n = s->n;
    lapack_int rank;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            s->K[i * (long)n + j] *= unit_of(s, j);
        s->pivots[j] = 0;
    }
    if (LAPACKE_dgelsy(LAPACK_ROW_MAJOR, n, n, 1, s->K, n, s->F, 1, s->pivots, RANK_SHARE, &rank) != 0)
        return false;
    for (int j = 0; j < n; j++)
        step[j] = -s->F[j] * unit_of(s, j);
    return true;
}

/* One step at this mu, as far as |Phi| falls; returns the new |Phi|, or a negative number where it falls nowhere. */
static double smooth_step(Smooth *s, const RowSystem *system)
{
    int n = s->n;
    double before = smooth_phi(s, system, s->lambda, true), part = 1.0;
    if (!smooth_direction(s, s->step))
        return -1.0;
    for (int k = 0; k < HALVINGS; k++, part *= 0.5) {
        for (int i = 0; i < n; i++)
            s->trial[i] = s->lambda[i] + part * s->step[i];
        double after = smooth_phi(s, system, s->trial, false);
        if (after <= (1.0 - DESCENT * part) * before) {
            memcpy(s->lambda, s->trial, sizeof *s->lambda * (size_t)n);
            return after;
        }
    }
    return -1.0;
}

static void smooth_give(const Smooth *s, const double *lambda, RowSystem *system, const World *world,
                        Velocity *velocity)
{
    for (int b = 0; b < system->count; b++) {
        RowBlock *rb = &system->blocks[b];
        for (int i = 0; i < rb->count; i++)
            rb->lambda[i] = lambda[s->index[b] + i];
    }
    memcpy(velocity, world->velocity, sizeof *velocity * (size_t)world->body_count);
    row_system_apply(system, velocity);
}

/* Down the path from lambda and this mu, as far as it can be followed. */
static void smooth_follow(Smooth *s, const RowSystem *system, double first, double scale)
{
    double left = 0.0;
    int end = s->steps + SMOOTH_STEPS < s->most ? s->steps + SMOOTH_STEPS : s->most;
    s->mu = first * scale;
    for (bool on = true; on && s->mu > MU_LAST * scale && s->steps < end; s->mu *= MU_SHARE) {
        left = INFINITY;
        for (int k = 0; k < STEPS_AT_ONE_MU && left > MU_NEAR * s->mu; k++, s->steps++)
            left = smooth_step(s, system);
        on = left >= 0.0 && left <= MU_NEAR * s->mu;
    }
}

/* The residual that lambda leaves; the best is kept. */
static double smooth_judge(Smooth *s, RowSystem *system, const World *world, Velocity *velocity, double least)
{
    smooth_give(s, s->lambda, system, world, velocity);
    double left = row_system_residual(system, velocity);
    if (!(left < least))
        return least;
    memcpy(s->best, s->lambda, sizeof *s->best * (size_t)s->n);
    return left;
}

/* Holds every point's slip where it is now; returns how much that changed, |.|, m/s. */
static double smooth_hold(Smooth *s, const RowSystem *system)
{
    double changes = 0.0;
    smooth_phi(s, system, s->lambda, false);
    for (int b = 0; b < system->count; b++) {
        int f = s->index[b];
        if (system->blocks[b].kind != ROWS_CONTACT || system->blocks[b].count < 3)
            continue;
        double now = hypot(s->u[f + 1], s->u[f + 2]);
        changes = hypot(changes, now - s->slip[f]);
        s->slip[f] = now;
    }
    return changes;
}

/* Coulomb's law as the end of a sequence of convex problems: with the slip held the path leads to a solution, and the
 * slip there is held next. At first nothing slips. */
static double smooth_hold_on(Smooth *s, RowSystem *system, const World *world, Velocity *velocity, double least,
                             double goal, double scale)
{
    double first = MU_AFAR;
    s->holds = true;
    for (int k = 0; k < HOLDS && least > goal && s->steps < s->most; k++) {
        smooth_follow(s, system, first, scale);
        first = fmin(MU_AFAR, fmax(MU_HELD, MU_CHANGES * smooth_hold(s, system) / scale));
        least = smooth_judge(s, system, world, velocity, least);
    }
    return least;
}

double newton_smooth_solve(RowSystem *system, const World *world, Velocity *velocity, SmoothStart start, double goal,
                           int *steps)
{
    Smooth s;
    bool ok = smooth_init(&s, system, world);
    double least = row_system_residual(system, velocity), scale = system->b_norm > 0.0 ? system->b_norm : 1.0;
    for (int b = 0, row = 0; ok && b < system->count; b++) {
        s.index[b] = row;
        for (int i = 0; i < system->blocks[b].count; i++, row++)
            s.best[row] = s.lambda[row] = system->blocks[b].lambda[i];
    }
    if (ok) {
        dense_assemble(&s.dense, system, world);
        smooth_follow(&s, system, start == SMOOTH_AFAR ? MU_AFAR : MU_NEAR_BY, scale);
        least = smooth_judge(&s, system, world, velocity, least);
        if (least > goal && start == SMOOTH_AFAR)
            least = smooth_hold_on(&s, system, world, velocity, least, goal, scale);
        smooth_give(&s, s.best, system, world, velocity);
    }
    *steps = s.steps;
    smooth_free(&s);
    return ok ? least : NAN;
}
