/* SPDX-License-Identifier: MIT */
#include "solvers/cone/newton.h"

#include "solvers/cone/bodies.h"
#include "solvers/cone/method.h"
#include "solvers/cone/projection.h"

#include <string.h>

static const double NEWTON_FIRST_DELTA = 1e-9, NEWTON_LEAST_DELTA = 1e-14, NEWTON_MOST_DELTA = 1e-2;
static const double NEWTON_DELTA_FACTOR = 10.0;
/* A step must lower |F|^2 by this share of what the slope promises. */
static const double NEWTON_ARMIJO = 1e-4;
enum { NEWTON_HALVINGS = 12 };
/* Of |F|^2, before a centre may move on. */
static const double NEWTON_PROXIMAL_SHARE = 1e-6;

bool cone_newton_reserve(ConeNewton *newton, int rows)
{
    return cone_vectors_reserve(newton->vector, NEWTON_VECTORS, rows) && cone_factor_reserve(&newton->factor, rows);
}

void cone_newton_free(ConeNewton *newton)
{
    cone_vectors_free(newton->vector, NEWTON_VECTORS);
    cone_factor_free(&newton->factor);
}

bool cone_newton_begin(ConeNewton *newton, const ConeSystem *system)
{
    newton->delta = NEWTON_FIRST_DELTA;
    newton->steps = 0;
    return cone_factor_values(&newton->factor, system) != NULL;
}

double newton_group_begin(NewtonGroup *group, const ConeSystem *system, int i)
{
    const ConeBlock *block = &system->blocks[i];
    group->count = block->size;
    for (int a = 0; a < block->size; a++) {
        group->block[a] = i;
        group->row[a] = block->first + a;
        for (int b = 0; b < block->size; b++)
            group->P[a][b] = group->Q[a][b] = 0.0;
    }
    return cone_block_weight(system, i);
}

void newton_group_free_row(NewtonGroup *group, int a, double w, double u)
{
    group->F[a] = u / w;
    group->Q[a][a] = 1.0;
}

/* P'(x) of the cone: the identity inside, zero in the polar cone; between them, with e = x_t/|x_t| and the projection
 * c (1, mu e), it is (1, mu e)(1, mu e)^T / (1 + mu^2) + mu c/|x_t| (1 - e e^T). */
static void cone_slope(int size, double mu, const double x[CONE_MAX_SIZE], double D[CONE_MAX_SIZE][CONE_MAX_SIZE])
{
    double t = cone_tangent_norm(size, x);
    memset(D, 0, sizeof(double[CONE_MAX_SIZE][CONE_MAX_SIZE]));
    if (t <= mu * x[0]) {
        for (int a = 0; a < size; a++)
            D[a][a] = 1.0;
    } else if (mu * t > -x[0]) {
        double c = (x[0] + mu * t) / (1.0 + mu * mu), ray[CONE_MAX_SIZE] = {1.0};
        for (int a = 1; a < size; a++)
            ray[a] = mu * x[a] / t;
        for (int a = 0; a < size; a++)
            for (int b = 0; b < size; b++) {
                double across = a > 0 && b > 0 ? (a == b) - x[a] * x[b] / (t * t) : 0.0;
                D[a][b] = ray[a] * ray[b] / (1.0 + mu * mu) + mu * c / t * across;
            }
    }
}

static void block_slope(const ConeBlock *block, const double x[CONE_MAX_SIZE], double D[CONE_MAX_SIZE][CONE_MAX_SIZE])
{
    if (block->kind == CONE_CONTACT) {
        cone_slope(block->size, block->mu, x, D);
        return;
    }
    memset(D, 0, sizeof(double[CONE_MAX_SIZE][CONE_MAX_SIZE]));
    for (int a = 0; a < block->size; a++)
        D[a][a] = block->kind == CONE_JOINT || (x[a] > block->lower[a] && x[a] < block->upper[a]);
}

/* With x = r - (u + mu |u_t| e_n) / w, what is projected, and S = 1 + mu e_n (u_t/|u_t|)^T:
 *
 *     F = r - P_K(x),   w dF/dr = w (1 - P'),   w dF/du = P' S */
static void coulomb_linearise(const NewtonLaw *law, const ConeSystem *system, int i, const double *r, const double *u,
                              NewtonGroup *group)
{
    const ConeBlock *block = &system->blocks[i];
    double x[CONE_MAX_SIZE] = {0}, D[CONE_MAX_SIZE][CONE_MAX_SIZE], w = newton_group_begin(group, system, i),
           slip = block->kind == CONE_CONTACT ? cone_tangent_norm(block->size, u + block->first) : 0.0;
    (void)law;
    r += block->first;
    u += block->first;
    for (int a = 0; a < block->size; a++)
        x[a] = r[a] - 1.0 / w * u[a];
    if (block->kind == CONE_CONTACT)
        x[0] -= 1.0 / w * block->mu * slip;
    block_slope(block, x, D);
    cone_block_project(block, x);
    for (int a = 0; a < block->size; a++) {
        group->F[a] = r[a] - x[a];
        for (int b = 0; b < block->size; b++) {
            group->P[a][b] = w * ((a == b) - D[a][b]);
            group->Q[a][b] = D[a][b] + (b > 0 && slip > 0.0 ? D[a][0] * block->mu * u[b] / slip : 0.0);
        }
    }
}

const NewtonLaw newton_coulomb = {.linearise = coulomb_linearise};

double cone_newton_map(ConeNewton *newton, const ConeSystem *system, const NewtonLaw *law, const double *r)
{
    NewtonGroup group;
    double sum = 0.0, *u = newton->vector[NEWTON_U];
    cone_system_velocity(system, r, u);
    for (int i = 0; newton->epsilon > 0.0 && i < system->count; i++) {
        const ConeBlock *block = &system->blocks[i];
        for (int a = block->first; a < block->first + block->size; a++)
            u[a] += newton->epsilon * cone_block_weight(system, i) * (r[a] - newton->vector[NEWTON_CENTRE][a]);
    }
    for (int i = 0; i < system->count; i++) {
        law->linearise(law, system, i, r, u, &group);
        for (int a = 0; a < group.count; a++) {
            double f = group.F[a], w = cone_block_weight(system, group.block[a]);
            newton->vector[NEWTON_F][group.row[a]] = f;
            sum += w * w * f * f;
        }
    }
    return sum;
}

/* Row a of the group, Q (W + delta w) + P, into the matrix. Blocks of a group touch the same bodies, so that their rows
 * of W have the same pattern. */
static void newton_matrix_row(ConeNewton *newton, const ConeSystem *system, const NewtonGroup *group, int a)
{
    int i = group->block[a], own = group->row[a] - system->blocks[i].first;
    for (int e = system->start[i]; e < system->start[i + 1]; e++) {
        const ConeBlock *column = &system->blocks[system->column[e]];
        double sum[CONE_MAX_SIZE] = {0}, more[CONE_MAX_SIZE] = {0};
        for (int k = 0; k < group->count; k++) {
            int of = group->block[k], entry = of == i ? e : cone_system_find(system, of, system->column[e]);
            for (int b = 0; b < column->size; b++) {
                bool same = group->row[k] == column->first + b;
                sum[b] += group->Q[a][k] * (cone_entry(system, entry, group->row[k] - system->blocks[of].first, b) +
                                            (same && !newton->shortest
                                                 ? (newton->delta + newton->epsilon) * cone_block_weight(system, of)
                                                 : 0.0));
                more[b] = same ? group->P[a][k] : more[b];
            }
        }
        for (int b = 0; b < column->size; b++)
            newton->factor.value[system->at[e] + own * column->size + b] = sum[b] + more[b];
    }
}

/* -F, then d. */
static bool newton_direction_by_rows(ConeNewton *newton, const ConeSystem *system, const NewtonLaw *law,
                                     const double *r, double *d)
{
    NewtonGroup group;
    for (int i = 0; i < system->count; i++) {
        law->linearise(law, system, i, r, newton->vector[NEWTON_U], &group);
        for (int a = 0; a < group.count; a++) {
            newton_matrix_row(newton, system, &group, a);
            d[group.row[a]] = -cone_block_weight(system, group.block[a]) * newton->vector[NEWTON_F][group.row[a]];
        }
    }
    return newton->shortest ? cone_factor_shortest(&newton->factor, system, d)
                            : cone_factor(&newton->factor, system) && cone_factor_solve(&newton->factor, d);
}

static bool newton_direction(ConeNewton *newton, const ConeSystem *system, const NewtonLaw *law, const double *r)
{
    double *d = newton->vector[NEWTON_STEP];
    if (newton->bodies && !newton->shortest
            ? !cone_bodies_direction(newton->bodies, law, newton->delta + newton->epsilon, r, newton->vector[NEWTON_U],
                                     d)
            : !newton_direction_by_rows(newton, system, law, r, d))
        return false;
    for (int a = 0; a < system->rows; a++)
        if (!isfinite(d[a]))
            return false;
    return true;
}

/* r + t d, t halved until |F|^2 falls; false if it never does. The trial's u and F are left. */
static bool newton_search(ConeNewton *newton, const ConeSystem *system, const NewtonLaw *law, double *r, double before)
{
    double *trial = newton->vector[NEWTON_TRIAL], t = 1.0;
    for (int k = 0; k < NEWTON_HALVINGS; k++, t *= 0.5) {
        memcpy(trial, r, sizeof *r * (size_t)system->rows);
        cone_add(trial, t, newton->vector[NEWTON_STEP], system->rows);
        newton->left = cone_newton_map(newton, system, law, trial);
        if (newton->left <= (1.0 - 2.0 * NEWTON_ARMIJO * t) * before) {
            memcpy(r, trial, sizeof *r * (size_t)system->rows);
            return true;
        }
    }
    return false;
}

bool cone_newton_step(ConeNewton *newton, const ConeSystem *system, const NewtonLaw *law, double *r)
{
    double before = newton->left = cone_newton_map(newton, system, law, r);
    newton->steps++;
    while (before > 0.0) {
        if (newton_direction(newton, system, law, r) && newton_search(newton, system, law, r, before))
            break;
        newton->delta *= NEWTON_DELTA_FACTOR;
        if (newton->delta > NEWTON_MOST_DELTA || newton->shortest) {
            newton->delta = NEWTON_FIRST_DELTA;
            return false;
        }
        cone_newton_map(newton, system, law, r);
    }
    newton->delta = fmax(newton->delta / NEWTON_DELTA_FACTOR, NEWTON_LEAST_DELTA);
    return true;
}

bool cone_newton_proximal(ConeNewton *newton, const ConeSystem *system, const NewtonLaw *law, double epsilon, int most,
                          double *r)
{
    memcpy(newton->vector[NEWTON_CENTRE], r, sizeof *r * (size_t)system->rows);
    newton->epsilon = epsilon;
    double left = cone_newton_map(newton, system, law, r), goal = NEWTON_PROXIMAL_SHARE * left;
    for (int k = 0; k < most && left > goal && cone_newton_step(newton, system, law, r); k++)
        left = newton->left;
    newton->epsilon = 0.0;
    return left <= goal;
}
