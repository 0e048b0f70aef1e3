/* SPDX-License-Identifier: MIT */
#include "bench/frozen/smooth.h"

#include "solvers/cone/projection.h"

/* Of the speeds: where the path ends; and what is left of eta after a step that succeeds. */
static const double ETA_LAST = 1e-17, ETA_SHARE = 0.5;
/* A system counts as solved, and eta may fall, when |F| is at most this many eta; else the path ends. */
static const double ETA_NEAR = 0.1;
enum { SMOOTH_STEPS = 400, STEPS_AT_ONE_ETA = 25 };

/* L_w: the arrow matrix (w_0, w_t; w_t^T, w_0 1). */
static void arrow(const double w[3], double L[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            L[i][j] = i == j ? w[0] : i == 0 ? w[j] : j == 0 ? w[i] : 0.0;
}

/* v = sqrt(w^2 + 4 eta^2 e), and D = L_v^-1 L_w, its derivative by w. */
static void jordan_root(const double w[3], double eta, double v[3], double D[3][3])
{
    double t = hypot(w[1], w[2]), c[2] = {t > 0.0 ? w[1] / t : 1.0, t > 0.0 ? w[2] / t : 0.0};
    double high = hypot(w[0] + t, 2.0 * eta), low = hypot(w[0] - t, 2.0 * eta);
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

static void smooth_cone(const SmoothLaw *smooth, const ConeBlock *block, double w, const double *r, const double *u,
                        NewtonGroup *group)
{
    double m = block->mu, slip = smooth->holds ? smooth->slip[block->first] : hypot(hypot(u[1], u[2]), smooth->eta);
    double x[3] = {w * m * r[0], w * r[1], w * r[2]}, z[3] = {u[0] / m + slip, u[1], u[2]};
    double d[3] = {x[0] - z[0], x[1] - z[1], x[2] - z[2]}, v[3], D[3][3];
    jordan_root(d, smooth->eta, v, D);
    for (int i = 0; i < 3; i++) {
        double by_z0 = (i == 0) + D[i][0];
        group->F[i] = (x[i] + z[i] - v[i]) / w;
        for (int j = 0; j < 3; j++)
            group->P[i][j] = ((i == j) - D[i][j]) * w * (j == 0 ? m : 1.0);
        group->Q[i][0] = by_z0 / m;
        for (int j = 1; j < 3; j++)
            group->Q[i][j] = (i == j) + D[i][j] + (smooth->holds ? 0.0 : by_z0 * u[j] / slip);
    }
}

/* x + z - sqrt((x - z)^2 + 4 eta^2) of one row with sign r >= 0 or sign r <= 0. */
static void smooth_row(const SmoothLaw *smooth, int a, double sign, double w, double r, double u, NewtonGroup *group)
{
    double x = sign * w * r, z = sign * u, v = hypot(x - z, 2.0 * smooth->eta), slope = (x - z) / v;
    group->F[a] = (x + z - v) / w;
    group->P[a][a] = (1.0 - slope) * sign * w;
    group->Q[a][a] = (1.0 + slope) * sign;
}

static void smooth_linearise(const NewtonLaw *law, const ConeSystem *system, int i, const double *r, const double *u,
                             NewtonGroup *group)
{
    const SmoothLaw *smooth = (const SmoothLaw *)law;
    const ConeBlock *block = &system->blocks[i];
    double w = newton_group_begin(group, system, i);
    bool contact = block->kind == CONE_CONTACT;
    r += block->first;
    u += block->first;
    if (contact && block->size == 3 && block->mu > 0.0) {
        smooth_cone(smooth, block, w, r, u, group);
        return;
    }
    for (int a = 0; a < block->size; a++) {
        bool bounds = block->kind == CONE_BOUNDS;
        if (contact && a > 0) { /* tangents without friction */
            group->F[a] = r[a];
            group->P[a][a] = w;
        } else if (contact || (bounds && isfinite(block->lower[a]))) {
            smooth_row(smooth, a, 1.0, w, r[a], u[a], group);
        } else if (bounds && isfinite(block->upper[a])) {
            smooth_row(smooth, a, -1.0, w, r[a], u[a], group);
        } else {
            newton_group_free_row(group, a, w, u[a]);
        }
    }
}

SmoothLaw smooth_law(double *slip)
{
    return (SmoothLaw){.law = {smooth_linearise}, .slip = slip};
}

bool smooth_law_applies(const ConeSystem *system)
{
    for (int i = 0; i < system->count; i++)
        for (int a = 0; system->blocks[i].kind == CONE_BOUNDS && a < system->blocks[i].size; a++) {
            double lower = system->blocks[i].lower[a], upper = system->blocks[i].upper[a];
            if (isfinite(lower) ? lower != 0.0 || isfinite(upper) : isfinite(upper) && upper != 0.0)
                return false;
        }
    return true;
}

void smooth_law_follow(SmoothLaw *smooth, ConeNewton *newton, const ConeSystem *system, double eta, double scale,
                       int most, double *r)
{
    int end = smooth->steps + SMOOTH_STEPS < most ? smooth->steps + SMOOTH_STEPS : most;
    bool on = true;
    for (smooth->eta = eta; on && smooth->eta > ETA_LAST * scale && smooth->steps < end; smooth->eta *= ETA_SHARE) {
        double near = ETA_NEAR * smooth->eta;
        bool solved = false;
        for (int k = 0; k < STEPS_AT_ONE_ETA && on && !solved; k++, smooth->steps++) {
            on = cone_newton_step(newton, system, &smooth->law, r);
            solved = on && newton->left <= near * near;
        }
        on = solved;
    }
}

double smooth_law_hold(SmoothLaw *smooth, ConeNewton *newton, const ConeSystem *system, const double *r)
{
    double changes = 0.0;
    const double *u = newton->vector[NEWTON_U];
    cone_newton_map(newton, system, &smooth->law, r);
    for (int i = 0; i < system->count; i++) {
        const ConeBlock *block = &system->blocks[i];
        if (block->kind != CONE_CONTACT)
            continue;
        double now = cone_tangent_norm(block->size, u + block->first);
        changes = hypot(changes, now - smooth->slip[block->first]);
        smooth->slip[block->first] = now;
    }
    return changes;
}
