#include "solvers/rows/newton.h"

#include "solvers/rows/newton_group.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

/* Levenberg-Marquardt's epsilon, relative to A_ii: as a solve begins; smaller ones lose to round-off what they gain;
 * beyond the largest a step is as short as a sweep's. */
static const double EPSILON_FIRST = 1e-3, EPSILON_LEAST = 1e-9, EPSILON_MOST = 1.0;

/* With a centre held, |F| falls to this share of what it was with none before the centre moves. */
static const double INNER_SHARE = 1e-3;
enum { INNER_STEPS = 40 };

/* The line search halves a step down to this, and takes it if |F| falls by this share of what the step promises. */
static const double SHORTEST = 1e-4, DESCENT = 1e-4;

bool newton_init(Newton *newton, const World *world)
{
    size_t bodies = (size_t)world->body_count;
    *newton = (Newton){.bodies = world->body_count};
    newton->column = calloc(bodies, sizeof *newton->column);
    newton->order = calloc(bodies, sizeof *newton->order);
    newton->level = calloc(bodies, sizeof *newton->level);
    newton->right = calloc(6 * bodies, sizeof *newton->right);
    newton->pivots = calloc(6 * bodies, sizeof *newton->pivots);
    newton->before = calloc(bodies, sizeof *newton->before);
    newton->turn = calloc(bodies, sizeof *newton->turn);
    newton->best_velocity = calloc(bodies, sizeof *newton->best_velocity);
    return newton->column && newton->order && newton->level && newton->right && newton->pivots && newton->before &&
           newton->turn && newton->best_velocity;
}

void newton_free(Newton *newton)
{
    free(newton->column);
    free(newton->order);
    free(newton->level);
    free(newton->matrix);
    free(newton->right);
    free(newton->pivots);
    free(newton->lambda);
    free(newton->change);
    free(newton->centre);
    free(newton->best);
    free(newton->best_velocity);
    free(newton->before);
    free(newton->turn);
}

static int block_bodies(const RowBlock *rb)
{
    return rb->kind == ROWS_FOUR ? 4 : 2;
}

/* Numbers what moves with body `root`, level by level: neighbours get near numbers, and the band is narrow. Returns how
 * many bodies are numbered now. */
static int number_from(Newton *newton, const RowSystem *system, int root, int count)
{
    newton->level[root] = 1;
    newton->order[count++] = root;
    for (int from = count - 1, level = 1; from < count; level++) {
        int end = count;
        for (int b = 0; b < system->count; b++) {
            const RowBlock *rb = &system->blocks[b];
            bool touches = false;
            for (int k = 0; rb->count > 0 && k < block_bodies(rb); k++)
                touches = touches || newton->level[rb->body[k]] == level;
            for (int k = 0; touches && k < block_bodies(rb); k++)
                if (newton->level[rb->body[k]] == 0) {
                    newton->level[rb->body[k]] = level + 1;
                    newton->order[count++] = rb->body[k];
                }
        }
        from = end;
    }
    return count;
}

/* Two passes: the second begins where the first ended, at the far end. A fixed body joins nobody (level -1). */
static void newton_number(Newton *newton, const RowSystem *system, const World *world)
{
    int count = 0, moving = 0;
    for (int i = 0; i < newton->bodies; i++)
        moving += !world_is_fixed(world, i);
    for (int pass = 0; pass < 2; pass++) {
        int last = count > 0 ? newton->order[count - 1] : -1;
        for (int i = 0; i < newton->bodies; i++)
            newton->level[i] = world_is_fixed(world, i) ? -1 : 0;
        count = last >= 0 ? number_from(newton, system, last, 0) : 0;
        for (int i = 0; i < newton->bodies && count < moving; i++)
            if (newton->level[i] == 0)
                count = number_from(newton, system, i, count);
    }
    for (int i = 0; i < newton->bodies; i++)
        newton->column[i] = -1;
    for (int k = 0; k < count; k++)
        newton->column[newton->order[k]] = 6 * k;
    newton->size = 6 * count;
}

static void newton_measure_band(Newton *newton, const RowSystem *system)
{
    newton->band = 5;
    for (int b = 0; b < system->count; b++) {
        const RowBlock *rb = &system->blocks[b];
        for (int k = 0; rb->count > 0 && k < block_bodies(rb); k++)
            for (int l = 0; l < block_bodies(rb); l++) {
                int i = newton->column[rb->body[k]], j = newton->column[rb->body[l]];
                if (i >= 0 && j >= 0 && abs(i - j) + 5 > newton->band)
                    newton->band = abs(i - j) + 5;
            }
    }
    newton->band = newton->band < newton->size ? newton->band : newton->size > 0 ? newton->size - 1 : 0;
}

bool newton_prepare(Newton *newton, const RowSystem *system, const World *world, size_t most)
{
    newton_number(newton, system, world);
    newton_measure_band(newton, system);
    size_t room = (size_t)newton->size * (3 * (size_t)newton->band + 1), rows = BLOCK_MAX_ROWS * (size_t)system->count;
    if (room > most)
        return false;
    free(newton->matrix);
    free(newton->lambda);
    free(newton->change);
    free(newton->centre);
    free(newton->best);
    newton->centre = calloc(rows + 1, sizeof *newton->centre);
    newton->best = calloc(rows + 1, sizeof *newton->best);
    newton->matrix = malloc(sizeof *newton->matrix * (room + 1));
    newton->lambda = calloc(rows + 1, sizeof *newton->lambda);
    newton->change = calloc(rows + 1, sizeof *newton->change);
    return newton->matrix && newton->lambda && newton->change && newton->centre && newton->best;
}

static double *matrix_at(Newton *newton, int i, int j)
{
    int pitch = 3 * newton->band + 1;
    return &newton->matrix[2 * newton->band + i - j + (size_t)j * (size_t)pitch];
}

/* matrix += B_i (S J)_i and right -= B_i f_i for one row of a block, SJ being a row over the same bodies. */
static void newton_add_row(Newton *newton, const RowBlock *rb, int row, const double SJ[ROW_WIDTH], double f)
{
    int width = rb->kind == ROWS_FOUR ? 3 : 6;
    const double *B = rb->B[row];
    for (int k = 0; k < block_bodies(rb); k++) {
        int i = newton->column[rb->body[k]];
        for (int c = 0; i >= 0 && c < width; c++)
            newton->right[i + c] -= B[width * k + c] * f;
        for (int l = 0; i >= 0 && l < block_bodies(rb); l++) {
            int j = newton->column[rb->body[l]];
            for (int c = 0; j >= 0 && c < width; c++)
                for (int d = 0; d < width; d++)
                    *matrix_at(newton, i + c, j + d) += B[width * k + c] * SJ[width * l + d];
        }
    }
}

static void newton_assemble(Newton *newton, const RowSystem *system, const Velocity *velocity, const Proximal *proximal)
{
    NewtonGroup group;
    memset(newton->matrix, 0, sizeof *newton->matrix * (size_t)newton->size * (3 * (size_t)newton->band + 1));
    for (int i = 0; i < newton->size; i++) {
        newton->right[i] = 0.0;
        *matrix_at(newton, i, i) = 1.0;
    }
    for (int b = 0; b < system->count; b++) {
        newton_group_linearise(&group, system, velocity, proximal, b);
        newton_group_eliminate(&group);
        for (int i = 0; i < group.count; i++) {
            double SJ[ROW_WIDTH] = {0};
            for (int j = 0; j < group.count; j++)
                for (int c = 0; group.Q[i][j] != 0.0 && c < ROW_WIDTH; c++)
                    SJ[c] += group.Q[i][j] * system->blocks[group.block[j]].J[group.row[j]][c];
            newton_add_row(newton, &system->blocks[group.block[i]], group.row[i], SJ, group.F[i]);
        }
    }
}

/* dlambda = -P^-1 (F + Q J dV). */
static void newton_changes(Newton *newton, const RowSystem *system, const Velocity *velocity, const Proximal *proximal)
{
    NewtonGroup group;
    for (int i = 0; i < newton->bodies; i++) {
        const double *x = newton->right + (newton->column[i] >= 0 ? newton->column[i] : 0);
        newton->turn[i] = newton->column[i] >= 0 ? (Velocity){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}} : (Velocity){0};
    }
    for (int b = 0; b < system->count; b++) {
        newton_group_linearise(&group, system, velocity, proximal, b);
        newton_group_eliminate(&group);
        double rates[GROUP_MAX] = {0}, of_block[BLOCK_MAX_ROWS];
        for (int i = 0; i < group.count; i++) {
            row_block_rates(&system->blocks[group.block[i]], newton->turn, of_block);
            rates[i] = of_block[group.row[i]];
        }
        for (int i = 0; i < group.count; i++) {
            double *change = &newton->change[BLOCK_MAX_ROWS * group.block[i] + group.row[i]];
            *change = -group.F[i];
            for (int j = 0; j < group.count; j++)
                *change -= group.Q[i][j] * rates[j];
        }
    }
}

/* lambda and V at `part` of the step. */
static void newton_move(const Newton *newton, RowSystem *system, Velocity *velocity, double part)
{
    for (int b = 0; b < system->count; b++)
        for (int i = 0; i < system->blocks[b].count; i++)
            system->blocks[b].lambda[i] =
                newton->lambda[BLOCK_MAX_ROWS * b + i] + part * newton->change[BLOCK_MAX_ROWS * b + i];
    for (int i = 0; i < newton->bodies; i++) {
        velocity[i].v = vec3_add_scaled(newton->before[i].v, part, newton->turn[i].v);
        velocity[i].w = vec3_add_scaled(newton->before[i].w, part, newton->turn[i].w);
    }
}

/* |F| / |b|, the proximal term included. */
static double newton_merit(const RowSystem *system, const Velocity *velocity, const Proximal *proximal)
{
    NewtonGroup group;
    double sum = 0.0;
    for (int b = 0; b < system->count; b++) {
        newton_group_linearise(&group, system, velocity, proximal, b);
        for (int i = 0; i < group.count; i++)
            sum += group.F[i] * group.F[i];
    }
    return sqrt(sum) / (system->b_norm > 0.0 ? system->b_norm : 1.0);
}

/* The step's direction; false: the matrix is singular. */
static bool newton_direction(Newton *newton, const RowSystem *system, const Velocity *velocity,
                             const Proximal *proximal)
{
    newton_assemble(newton, system, velocity, proximal);
    int info = LAPACKE_dgbsv(LAPACK_COL_MAJOR, newton->size, newton->band, newton->band, 1, newton->matrix,
                             3 * newton->band + 1, newton->pivots, newton->right, newton->size);
    if (info == 0)
        newton_changes(newton, system, velocity, proximal);
    return info == 0;
}

static void newton_keep(const Newton *newton, const RowSystem *system, const Velocity *velocity, double *lambda,
                        Velocity *at)
{
    for (int b = 0; b < system->count; b++)
        for (int i = 0; i < system->blocks[b].count; i++)
            lambda[BLOCK_MAX_ROWS * b + i] = system->blocks[b].lambda[i];
    memcpy(at, velocity, sizeof *velocity * (size_t)newton->bodies);
}

/* One step as far along its direction as |F| falls; returns the new |F|, or what it was: it falls nowhere. */
static double newton_step(Newton *newton, RowSystem *system, Velocity *velocity, const Proximal *proximal, double merit)
{
    newton->steps++;
    newton_keep(newton, system, velocity, newton->lambda, newton->before);
    bool found = newton_direction(newton, system, velocity, proximal);
    for (double part = 1.0; found && part >= SHORTEST; part *= 0.5) {
        newton_move(newton, system, velocity, part);
        double next = newton_merit(system, velocity, proximal);
        if (next <= (1.0 - DESCENT * part) * merit)
            return next;
    }
    newton_move(newton, system, velocity, 0.0);
    return merit;
}

/* Steps with the centre held where lambda is now; returns whether |F| fell far enough for the centre to move on. */
static bool newton_solve_proximal(Newton *newton, RowSystem *system, Velocity *velocity, double epsilon, int steps)
{
    Proximal proximal = {epsilon, newton->centre};
    newton_keep(newton, system, velocity, newton->centre, newton->before);
    double merit = newton_merit(system, velocity, &proximal), goal = INNER_SHARE * merit;
    for (int i = 0; i < INNER_STEPS && newton->steps < steps && merit > goal; i++) {
        double next = newton_step(newton, system, velocity, &proximal, merit);
        if (next >= merit)
            return false;
        merit = next;
    }
    return merit <= goal;
}

double newton_solve(Newton *newton, RowSystem *system, Velocity *velocity, int steps, double tolerance)
{
    double residual = row_system_residual(system, velocity), epsilon = EPSILON_FIRST;
    newton->steps = 0;
    newton_keep(newton, system, velocity, newton->best, newton->best_velocity);
    while (newton->size > 0 && newton->steps < steps && residual > tolerance && epsilon <= EPSILON_MOST) {
        bool solved = newton_solve_proximal(newton, system, velocity, epsilon, steps);
        double next = row_system_residual(system, velocity);
        epsilon = solved ? fmax(0.25 * epsilon, EPSILON_LEAST) : 4.0 * epsilon;
        if (next < residual) {
            residual = next;
            newton_keep(newton, system, velocity, newton->best, newton->best_velocity);
        }
    }
    for (int b = 0; b < system->count; b++)
        for (int i = 0; i < system->blocks[b].count; i++)
            system->blocks[b].lambda[i] = newton->best[BLOCK_MAX_ROWS * b + i];
    memcpy(velocity, newton->best_velocity, sizeof *velocity * (size_t)newton->bodies);
    return residual;
}
