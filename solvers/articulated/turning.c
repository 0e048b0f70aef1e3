/* SPDX-License-Identifier: MIT */
#define LANES 1
#include "solvers/articulated/turning.h"

#include "model/contact/block_contact.h"
#include "model/rows/row.h"
#include "solvers/contact/law.h"

#include <stdlib.h>

bool world_resists_turning(const World *world)
{
    for (int i = 0; i < world->material_count; i++)
        if (world->materials[i].rolling_friction > 0.0 || world->materials[i].spin_friction > 0.0)
            return true;
    return false;
}

bool turning_reserve(Turning *turning, const World *world)
{
    if (!world_resists_turning(world))
        return true;
    if (!point_memory_reserve(&turning->memory, world, sizeof(Vec3)))
        return false;
    if (turning->capacity >= turning->memory.capacity)
        return true;
    TurningPoint *grown = realloc(turning->points, sizeof *grown * (size_t)turning->memory.capacity);
    turning->points = grown ? grown : turning->points;
    turning->capacity = grown ? turning->memory.capacity : turning->capacity;
    return grown != NULL;
}

void turning_free(Turning *turning)
{
    point_memory_free(&turning->memory);
    free(turning->points);
}

void turning_begin(Turning *turning, const World *world)
{
    turning->count = 0;
    if (world_resists_turning(world))
        point_memory_match(&turning->memory, world);
}

static void point_rows(const TurningPoint *point, double J[3][ROW_WIDTH])
{
    for (int i = 0; i < 3; i++)
        row_angular(J[i], point->axis[i]);
}

void turning_add(Turning *turning, int k, const Manifold *manifold, int block, const double *normal, double keep,
                 const World *world, Answers *answers, const Forest *forest, const Articulated *tree)
{
    if (!(manifold->spin_friction > 0.0 || manifold->rolling_friction > 0.0))
        return;
    const Block *at = &world->blocks[block];
    ContactFrame f = contact_frame(world, at);
    TurningPoint *point = &turning->points[turning->count++];
    Vec3 turn = vec3_sub(world->velocity[at->body[1]].w, world->velocity[at->body[0]].w);
    double J[3][ROW_WIDTH];
    *point = (TurningPoint){.normal = normal,
                            .body = {at->body[0], at->body[1]},
                            .spin = manifold->spin_friction,
                            .roll = manifold->rolling_friction,
                            .axis = {f.n, f.t1, f.t2},
                            .kept = point_memory_at(&turning->memory, k)};
    point_rows(point, J);
    answer_find(&point->answer, answers, forest, tree, point->body, 3, (const double(*)[ROW_WIDTH])J);
    for (int i = 0; i < 3; i++) {
        point->rate[i] = vec3_dot(point->axis[i], turn);
        point->lambda[i] = keep * vec3_dot(point->axis[i], *point->kept);
    }
}

void turning_apply(const Turning *turning, double *u)
{
    for (int p = 0; p < turning->count; p++)
        for (int i = 0; i < 3; i++)
            if (turning->points[p].lambda[i] != 0.0)
                answer_push(&turning->points[p].answer, i, turning->points[p].lambda[i], u);
}

static void turn_set(TurningPoint *point, int i, double next, double *u)
{
    double d = next - point->lambda[i];
    point->lambda[i] = next;
    if (d != 0.0)
        answer_push(&point->answer, i, d, u);
}

/* The spin row, then both rolling rows, by the law of sliding friction. */
static void point_solve(TurningPoint *point, double *u)
{
    double(*A)[BLOCK_MAX_ROWS] = point->answer.A;
    double N = fmax(*point->normal, 0.0), limit = point->spin * N, to[2], stop[3], tangent[3];
    if (A[0][0] > 0.0) {
        double r = point->rate[0] + answer_rate(&point->answer, 0, u);
        turn_set(point, 0, clamp(point->lambda[0] - r / A[0][0], -limit, limit), u);
    }
    const double r[2] = {point->rate[1] + answer_rate(&point->answer, 1, u),
                         point->rate[2] + answer_rate(&point->answer, 2, u)};
    const FrictionLaw law = {.model = FRICTION_CONE};
    double slide = law_slide_step(A[1][1], A[2][1], A[2][2]);
    law_stop(A[1][1], A[2][1], A[2][2], slide, stop);
    law_prepare(law.model, A[1][1], A[2][1], A[2][2], stop, tangent);
    law_step(law, slide, tangent, point->roll * N, point->lambda + 1, r, to);
    turn_set(point, 1, to[0], u);
    turn_set(point, 2, to[1], u);
}

int turning_sweep(Turning *turning, double *u)
{
    for (int p = 0; p < turning->count; p++)
        point_solve(&turning->points[p], u);
    return 3 * turning->count;
}

void turning_push(const Turning *turning, Articulated *tree)
{
    for (int p = 0; p < turning->count; p++) {
        const TurningPoint *point = &turning->points[p];
        double J[3][ROW_WIDTH];
        point_rows(point, J);
        *point->kept = VEC3_ZERO;
        for (int i = 0; i < 3; i++) {
            articulated_push(tree, point->body, J[i], point->lambda[i]);
            *point->kept = vec3_add_scaled(*point->kept, point->lambda[i], point->axis[i]);
        }
    }
}
