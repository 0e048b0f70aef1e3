/* SPDX-License-Identifier: MIT */
#include "solvers/systems/joint_projection.h"

/* A step that works leaves less than this share, or round-off, of the length scale; else up to so many. */
#define NEWTON_SHARE 0.1
#define NEWTON_ROUND_OFF 1e-10
enum { NEWTON_STEPS = 6 };

bool joint_projection_init(JointProjection *projection, const World *world)
{
    size_t blocks = (size_t)world->joint_block_count + 1;
    Arrays *own = &projection->arrays;
    return OWN_ARRAY(own, projection->held, blocks) && OWN_ARRAY(own, projection->goal, blocks) &&
           OWN_ARRAY(own, projection->shift, (size_t)world->body_count) && row_system_init(&projection->rows, world);
}

bool joint_projection_reserve(JointProjection *projection, const World *world)
{
    return row_system_reserve(&projection->rows, world);
}

void joint_projection_free(JointProjection *projection)
{
    arrays_free(&projection->arrays);
    row_system_free(&projection->rows);
}

static void projection_prepare(JointProjection *projection, const World *world, double h)
{
    RowSystem *rows = &projection->rows;
    row_system_prepare(rows, world, &(RowSetup){.h = h, .relaxation = 1.0});
    for (int b = 0; b < world->joint_block_count; b++) {
        RowBlock *rb = &rows->blocks[b];
        for (int i = 0; i < rb->count; i++) {
            bool open = (rb->lower[i] == 0.0 && rb->C[i] >= 0.0) || (rb->upper[i] == 0.0 && rb->C[i] <= 0.0);
            projection->held[b][i] = !open && !rb->is_soft && !block_terms(&world->blocks[b])->actuator;
            projection->goal[b][i] = 0.0;
            rb->bias[i] = rb->C[i];
        }
    }
}

static int projection_held_rows(const JointProjection *projection, const World *world)
{
    int count = 0;
    for (int b = 0; b < world->joint_block_count; b++)
        for (int i = 0; i < projection->rows.blocks[b].count; i++)
            count += projection->held[b][i];
    return count;
}

/* The largest error of a held row, m. */
static double projection_largest_error(const JointProjection *projection, const World *world)
{
    double largest = 0.0;
    for (int b = 0; b < world->joint_block_count; b++) {
        const RowBlock *rb = &projection->rows.blocks[b];
        for (int i = 0; i < rb->count; i++)
            if (projection->held[b][i])
                largest = fmax(largest, rb->metres * fabs(rb->C[i]));
    }
    return largest;
}

static void projection_take_once(JointProjection *projection, JointSolve *solve, Step *step)
{
    World *world = step->world;
    const bool(*held)[BLOCK_MAX_ROWS] = (const bool(*)[BLOCK_MAX_ROWS])projection->held;
    memset(projection->shift, 0, sizeof *projection->shift * (size_t)world->body_count);
    joint_solve_factor(solve, world, &projection->rows, held);
    if (solve->redundant)
        step_report(step, JOINT_SOLVE_REDUNDANT);
    step->row_solves += projection_held_rows(projection, world) *
                        joint_solve_take(solve, world, &projection->rows, held,
                                         (const double(*)[BLOCK_MAX_ROWS])projection->goal, projection->shift);
    for (int i = 1; i < world->body_count; i++) {
        Pose *pose = &world->pose[i];
        pose->x = vec3_add(pose->x, projection->shift[i].v);
        pose->q = quat_unit(quat_mul(quat_exp(projection->shift[i].w), pose->q));
    }
    projection_prepare(projection, world, step->h);
}

void joint_projection_take(JointProjection *projection, JointSolve *solve, Step *step)
{
    const World *world = step->world;
    projection_prepare(projection, world, step->h);
    double before = projection_largest_error(projection, world), left = before;
    double round_off = NEWTON_ROUND_OFF * world->length_scale;
    for (int i = 0; i < NEWTON_STEPS && (i == 0 || left > fmax(NEWTON_SHARE * before, round_off)); i++) {
        if (i == 1)
            step_report(step, "one Newton step on the positions did not suffice: more were taken");
        projection_take_once(projection, solve, step);
        left = projection_largest_error(projection, world);
    }
    if (left > fmax(before, round_off))
        step_report(step, "the projection of positions did not converge");
}
