/* SPDX-License-Identifier: MIT */
#include "solvers/articulated/closing.h"

/* Of a joint that was cut, without compliance or range. */
static bool block_is_closed(const Articulated *tree, const Block *block)
{
    return block->joint >= 0 && tree->cut[block->joint] && block_terms(block)->compliance == 0.0 &&
           !block_is_limit(block) && !block_is_drive(block);
}

int closing_rows(const Articulated *tree, const World *world)
{
    int rows = world->coupling_count;
    for (int b = 0; b < world->joint_block_count; b++)
        if (block_is_closed(tree, &world->blocks[b]))
            rows += block_row_count(world->blocks[b].kind);
    return rows;
}

bool closing_init(Closing *closing, const Articulated *tree, const World *world, bool wanted)
{
    int most = closing_rows(tree, world);
    *closing = (Closing){.most = wanted && most <= CLOSING_MOST ? most : 0};
    size_t n = (size_t)closing->most + 1;
    return OWN_ARRAY(&closing->arrays, closing->rows, n) && OWN_ARRAY(&closing->arrays, closing->right, n) &&
           OWN_ARRAY(&closing->arrays, closing->lambda, n) && least_norm_init(&closing->system, &closing->arrays, n);
}

void closing_free(Closing *closing)
{
    arrays_free(&closing->arrays);
}

/* J of a closed row times the answer of another. */
static double closed_rate(const ClosedRow *row, const Answer *other, int i)
{
    const Answer *own = &row->block->answer;
    double sum = 0.0;
    for (int k = 0; k < own->path_count; k++)
        sum += own->J[row->i * own->path_count + k] * answer_of(other, i, own->path[k]);
    return sum;
}

/* The closed rows' answers, `x` times each, leave those of row i of another. */
static void answer_leave(Answer *answer, int i, const ClosedRow *row, double x)
{
    const Answer *own = &row->block->answer;
    double *Y = answer->Y + (size_t)i * (size_t)(answer->size[0] + answer->size[1]);
    for (int g = 0; g < 2; g++) {
        for (int k = 0; k < answer->size[g]; k++)
            Y[k] -= x * answer_of(own, row->i, answer->from[g] + k);
        Y += answer->size[g];
    }
}

static void closing_factor(Closing *closing)
{
    LeastNorm *system = &closing->system;
    int n = system->count = closing->count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            system->W[i * n + j] = closed_rate(&closing->rows[i], &closing->rows[j].block->answer, closing->rows[j].i);
    for (int i = 0; i < n; i++) {
        const ClosedRow *row = &closing->rows[i];
        double free = row->block->axis ? system->W[i * n + i] : row->block->rows->A[row->i][row->i];
        least_norm_scale(system, i, system->W[i * n + i], free);
    }
    least_norm_factor(system);
}

/* What the closed rows do about the rows of an answer becomes part of it. */
static void closing_leave(Closing *closing, Answer *answer)
{
    for (int i = 0; i < answer->count; i++) {
        for (int c = 0; c < closing->count; c++)
            closing->right[c] = closed_rate(&closing->rows[c], answer, i);
        least_norm_solve(&closing->system, closing->right, closing->lambda);
        for (int c = 0; c < closing->count; c++)
            if (closing->lambda[c] != 0.0)
                answer_leave(answer, i, &closing->rows[c], closing->lambda[c]);
    }
    answer_couple(answer);
}

int closing_prepare(Closing *closing, CoordinateRows *rows, const Articulated *tree, const World *world)
{
    closing->count = 0;
    for (int k = 0; k < rows->count && closing->most > 0; k++) {
        CoordinateBlock *block = &rows->blocks[k];
        block->closed =
            block->axis ? block->axis->kind == AXIS_COUPLING : block_is_closed(tree, &world->blocks[block->block]);
        for (int i = 0; i < block->rows->count && block->closed; i++) {
            closing->rows[closing->count++] = (ClosedRow){block, i};
            block->rows->lambda[i] = 0.0;
        }
    }
    if (closing->count == 0)
        return 0;
    closing_factor(closing);
    for (int k = 0; k < rows->count; k++)
        if (!rows->blocks[k].closed) {
            closing_leave(closing, &rows->blocks[k].answer);
            coordinate_block_weigh(rows, &rows->blocks[k]);
        }
    for (int p = 0; p < rows->turning.count; p++)
        closing_leave(closing, &rows->turning.points[p].answer);
    return closing->count;
}

static void closing_push(const Closing *closing, double *u)
{
    for (int c = 0; c < closing->count; c++)
        answer_push(&closing->rows[c].block->answer, closing->rows[c].i, closing->lambda[c], u);
}

void closing_close(Closing *closing, double *u)
{
    for (int c = 0; c < closing->count; c++)
        closing->right[c] = -closing->rows[c].block->bias[closing->rows[c].i];
    least_norm_solve(&closing->system, closing->right, closing->lambda);
    closing_push(closing, u);
}

void closing_close_back(Closing *closing, double *w)
{
    for (int c = 0; c < closing->count; c++)
        closing->right[c] = -closing->rows[c].block->back[closing->rows[c].i];
    least_norm_solve(&closing->system, closing->right, closing->lambda);
    closing_push(closing, w);
}

void closing_find_multipliers(Closing *closing, const double *speeds)
{
    for (int c = 0; c < closing->count; c++) {
        const ClosedRow *row = &closing->rows[c];
        closing->right[c] = -(answer_rate(&row->block->answer, row->i, speeds) + row->block->rows->bias[row->i]);
    }
    least_norm_solve(&closing->system, closing->right, closing->lambda);
    for (int c = 0; c < closing->count; c++)
        closing->rows[c].block->rows->lambda[closing->rows[c].i] = closing->lambda[c];
}

bool closing_is_dependent(const Closing *closing)
{
    return closing->count > closing->system.rank;
}
