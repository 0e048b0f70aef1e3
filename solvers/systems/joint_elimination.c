/* SPDX-License-Identifier: MIT */
#include "solvers/systems/joint_elimination.h"

bool joint_elimination_init(JointElimination *elimination, const World *world)
{
    size_t blocks = (size_t)world->joint_block_count + 1;
    Arrays *own = &elimination->arrays;
    *elimination = (JointElimination){0};
    return OWN_ARRAY(own, elimination->held, blocks) && OWN_ARRAY(own, elimination->goal, blocks) &&
           OWN_ARRAY(own, elimination->bias, blocks) && OWN_ARRAY(own, elimination->moved, (size_t)world->body_count) &&
           joint_solve_init(&elimination->solve, world);
}

void joint_elimination_free(JointElimination *elimination)
{
    joint_solve_free(&elimination->solve);
    arrays_free(&elimination->arrays);
}

bool joint_row_is_eliminated(const RowBlock *rb, int i)
{
    return isinf(rb->lower[i]) && isinf(rb->upper[i]) && rb->A[i][i] > 0.0;
}

/* Held rows go on from zero, the others have what `goal` says; velocities become those of the joints' exact solve. */
static void elimination_take(JointElimination *elimination, const World *world, RowSystem *system)
{
    for (int b = 0; b < world->joint_block_count; b++)
        memset(system->blocks[b].lambda, 0, sizeof(double) * (size_t)system->blocks[b].count);
    joint_solve_take(&elimination->solve, world, system, (const bool(*)[BLOCK_MAX_ROWS])elimination->held,
                     (const double(*)[BLOCK_MAX_ROWS])elimination->goal, elimination->moved);
}

void joint_elimination_factor(JointElimination *elimination, const World *world, RowSystem *system)
{
    for (int b = 0; b < world->joint_block_count; b++)
        for (int i = 0; i < BLOCK_MAX_ROWS; i++) {
            const RowBlock *rb = &system->blocks[b];
            elimination->held[b][i] = i < rb->count && joint_row_is_eliminated(rb, i);
            elimination->goal[b][i] = 0.0;
        }
    joint_solve_factor(&elimination->solve, world, system, (const bool(*)[BLOCK_MAX_ROWS])elimination->held);
}

const Velocity *joint_elimination_rest(JointElimination *elimination, const World *world, RowSystem *system)
{
    memcpy(elimination->moved, world->velocity, sizeof *elimination->moved * (size_t)world->body_count);
    elimination_take(elimination, world, system);
    return elimination->moved;
}

void joint_elimination_begin_columns(JointElimination *elimination, RowSystem *system)
{
    for (int b = 0; b < system->joint_count; b++)
        for (int i = 0; i < system->blocks[b].count; i++) {
            elimination->bias[b][i] = system->blocks[b].bias[i];
            system->blocks[b].bias[i] = 0.0;
        }
}

void joint_elimination_end_columns(JointElimination *elimination, RowSystem *system)
{
    for (int b = 0; b < system->joint_count; b++)
        for (int i = 0; i < system->blocks[b].count; i++)
            system->blocks[b].bias[i] = elimination->bias[b][i];
}

const Velocity *joint_elimination_column(JointElimination *elimination, const World *world, RowSystem *system, int b,
                                         int i)
{
    double unit[BLOCK_MAX_ROWS] = {0};
    memset(elimination->moved, 0, sizeof *elimination->moved * (size_t)world->body_count);
    unit[i] = 1.0;
    row_block_push(&system->blocks[b], unit, elimination->moved);
    elimination_take(elimination, world, system);
    return elimination->moved;
}

void joint_elimination_finish(JointElimination *elimination, const World *world, RowSystem *system)
{
    memcpy(elimination->moved, world->velocity, sizeof *elimination->moved * (size_t)world->body_count);
    for (int b = 0; b < world->joint_block_count; b++)
        for (int i = 0; i < system->blocks[b].count; i++)
            elimination->goal[b][i] = elimination->held[b][i] ? 0.0 : system->blocks[b].lambda[i];
    for (int b = world->joint_block_count; b < system->count; b++)
        if (system->blocks[b].count > 0)
            row_block_push(&system->blocks[b], system->blocks[b].lambda, elimination->moved);
    elimination_take(elimination, world, system);
}
