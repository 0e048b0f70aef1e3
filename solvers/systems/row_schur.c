/* SPDX-License-Identifier: MIT */
#include "solvers/systems/row_schur.h"

#include <stdlib.h>
#include <string.h>

bool row_schur_init(RowSchur *system, const World *world)
{
    int rows = row_count_all(world) + 1;
    system->push = calloc((size_t)world->body_count, sizeof *system->push);
    return system->push && row_system_init(&system->rows, world) && schur_init(&system->schur, rows, rows - 1);
}

void row_schur_free(RowSchur *system)
{
    row_system_free(&system->rows);
    schur_free(&system->schur);
    free(system->push);
}

void row_schur_factor(RowSchur *system, const World *world, double h)
{
    RowSetup setup = {.h = h, .relaxation = 1.0};
    const RowSystem *rows = &system->rows;
    row_system_prepare(&system->rows, world, &setup);
    schur_clear(&system->schur, rows->rows);
    for (int b = 0, first = 0; b < rows->count; first += rows->blocks[b++].count)
        for (int i = 0; i < rows->blocks[b].count; i++) {
            double unit[BLOCK_MAX_ROWS] = {0};
            unit[i] = 1.0;
            memset(system->push, 0, sizeof *system->push * (size_t)world->body_count);
            row_block_push(&rows->blocks[b], unit, system->push);
            for (int c = 0, at = 0; c <= b; at += rows->blocks[c++].count) {
                double rates[BLOCK_MAX_ROWS];
                row_block_rates(&rows->blocks[c], system->push, rates);
                for (int j = 0; j < rows->blocks[c].count && at + j <= first + i; j++)
                    *schur_at(&system->schur, first + i, at + j) = rates[j];
            }
            *schur_at(&system->schur, first + i, first + i) += rows->blocks[b].soft[i];
        }
    schur_factor(&system->schur);
}

void row_schur_collect(RowSchur *system, const World *world, const double *impulse)
{
    const RowSystem *rows = &system->rows;
    memset(system->push, 0, sizeof *system->push * (size_t)world->body_count);
    for (int b = 0, row = 0; b < rows->count; b++) {
        const RowBlock *rb = &rows->blocks[b];
        int width = rb->kind == ROWS_FOUR ? 3 : 6;
        for (int i = 0; i < rb->count; i++, row++)
            for (int k = 0; k < ROW_WIDTH / width; k++) {
                const double *J = rb->J[i] + k * width;
                Velocity *push = &system->push[rb->body[k]];
                push->v = vec3_add_scaled(push->v, impulse[row], vec3(J[0], J[1], J[2]));
                if (width == 6)
                    push->w = vec3_add_scaled(push->w, impulse[row], vec3(J[3], J[4], J[5]));
            }
    }
}

void row_schur_errors(const RowSchur *system, const World *world, double scale, double *error)
{
    const RowSystem *rows = &system->rows;
    for (int b = 0, row = 0; b < rows->count; row += rows->blocks[b++].count) {
        Rows now;
        block_rows(world, &world->blocks[b], &now);
        for (int i = 0; i < rows->blocks[b].count; i++)
            error[row + i] = i < now.count ? scale * now.C[i] : 0.0;
    }
}

void row_schur_rates(const RowSchur *system, const Velocity *velocity, double scale, double *rate)
{
    const RowSystem *rows = &system->rows;
    for (int b = 0, row = 0; b < rows->count; row += rows->blocks[b++].count) {
        double rates[BLOCK_MAX_ROWS];
        row_block_rates(&rows->blocks[b], velocity, rates);
        for (int i = 0; i < rows->blocks[b].count; i++)
            rate[row + i] = scale * rates[i];
    }
}

double row_schur_largest(const RowSchur *system, const World *world)
{
    double largest = 0.0;
    for (int b = 0; b < system->rows.count; b++) {
        Rows now;
        block_rows(world, &world->blocks[b], &now);
        for (int i = 0; i < now.count; i++)
            largest = fmax(largest, fabs(now.C[i]) / block_scale(world, world->blocks[b].kind));
    }
    return largest;
}

void row_schur_give(RowSchur *system, World *world, const double *impulse, bool add)
{
    for (int b = 0, row = 0; b < system->rows.count; row += system->rows.blocks[b++].count) {
        RowBlock *rb = &system->rows.blocks[b];
        memcpy(rb->lambda, impulse + row, sizeof *impulse * (size_t)rb->count);
        Vec3 given = row_system_on_body2(&system->rows, world, b);
        world->block_impulse[b] = add ? vec3_add(world->block_impulse[b], given) : given;
    }
}
