/* SPDX-License-Identifier: MIT */
#include "solvers/systems/constraint_graph.h"

#include <math.h>
#include <string.h>

static int joint_rows(const World *world, const Joint *joint)
{
    int rows = 0;
    for (int b = joint->first_block; b < joint->first_block + joint->block_count; b++)
        rows += block_row_count(world->blocks[b].kind);
    return rows;
}

static bool body_turns(const World *world, int body)
{
    return !vec3_is_zero(world->mass[body].inv_inertia);
}

/* Numbers the nodes and gives the factorisation their sizes. */
static bool graph_number_nodes(ConstraintGraph *graph, const World *world)
{
    size_t most = (size_t)(world->body_count + world->joint_count + 1);
    Arrays scratch = {0};
    int *size, *sign, count = 0;
    bool ok = OWN_ARRAY(&scratch, size, most) && OWN_ARRAY(&scratch, sign, most);
    for (int i = 0; ok && i < world->body_count; i++) {
        graph->node_of_body[i] = world_is_fixed(world, i) ? -1 : count++;
        if (graph->node_of_body[i] >= 0) {
            size[graph->node_of_body[i]] = body_turns(world, i) ? 6 : 3;
            sign[graph->node_of_body[i]] = 1;
        }
    }
    for (int j = 0; ok && j < world->joint_count; j++) {
        const Joint *joint = &world->joints[j];
        bool moves = false;
        for (int k = 0; k < joint_body_count(&joint->def); k++)
            moves = moves || graph->node_of_body[joint->def.body[k]] >= 0;
        graph->node_of_joint[j] = moves ? count++ : -1;
        if (moves) {
            size[graph->node_of_joint[j]] = joint_rows(world, joint);
            sign[graph->node_of_joint[j]] = -1;
        }
    }
    ok = ok && block_ldl_init(&graph->ldl, count, size, sign);
    for (int j = 0; ok && j < world->joint_count; j++) {
        const Joint *joint = &world->joints[j];
        for (int k = 0; ok && graph->node_of_joint[j] >= 0 && k < joint_body_count(&joint->def); k++)
            if (graph->node_of_body[joint->def.body[k]] >= 0)
                ok = block_ldl_connect(&graph->ldl, graph->node_of_joint[j], graph->node_of_body[joint->def.body[k]]);
    }
    arrays_free(&scratch);
    return ok;
}

static bool graph_is_done(const ConstraintGraph *graph, int node)
{
    return node < 0 || graph->ldl.nodes[node].position >= 0;
}

/* The last joint of a body that is still there, -1 without one, -2 with several. */
static int graph_last_joint(const ConstraintGraph *graph, int body)
{
    int last = -1;
    for (int k = graph->joints.start[body]; k < graph->joints.start[body + 1]; k++) {
        int joint = graph->joints.list[k];
        if (graph_is_done(graph, graph->node_of_joint[joint]))
            continue;
        if (last >= 0)
            return -2;
        last = joint;
    }
    return last;
}

/* A joint may go right after a body if its rows are independent on that body alone. */
static bool graph_holds_alone(const World *world, const Joint *joint, int body)
{
    if (joint_body_count(&joint->def) != 2)
        return false;
    for (int b = joint->first_block; b < joint->first_block + joint->block_count; b++)
        if (!body_turns(world, body) && block_unit(world->blocks[b].kind) == UNIT_ANGLE)
            return false;
    return true;
}

/* Leaves first. A body is looked at again when one of its joints has gone; `degree` says how many it still has, so that
 * a body with many joints is gone through but once. */
static bool graph_peel_trees(ConstraintGraph *graph, const World *world)
{
    size_t bodies = (size_t)world->body_count;
    Arrays scratch = {0};
    int *queue, *degree, count = 0;
    bool ok = OWN_ARRAY(&scratch, queue, 2 * bodies) && OWN_ARRAY(&scratch, degree, bodies);
    for (int i = 0; ok && i < world->body_count; i++) {
        degree[i] = graph->joints.start[i + 1] - graph->joints.start[i];
        if (graph->node_of_body[i] >= 0 && degree[i] <= 1)
            queue[count++] = i;
    }
    for (int k = 0; ok && k < count; k++) {
        int body = queue[k], joint = graph_last_joint(graph, body);
        if (graph_is_done(graph, graph->node_of_body[body]) ||
            (joint >= 0 && !graph_holds_alone(world, &world->joints[joint], body)))
            continue;
        ok = block_ldl_eliminate(&graph->ldl, graph->node_of_body[body]);
        if (joint < 0)
            continue;
        ok = ok && block_ldl_eliminate(&graph->ldl, graph->node_of_joint[joint]);
        const int *ends = world->joints[joint].def.body;
        int other = ends[0] == body ? ends[1] : ends[0];
        if (graph->node_of_body[other] >= 0 && --degree[other] == 1)
            queue[count++] = other;
    }
    arrays_free(&scratch);
    return ok;
}

static bool graph_order(ConstraintGraph *graph, const World *world, bool relaxed)
{
    bool ok = graph_peel_trees(graph, world);
    graph->loops = graph->ldl.ordered < graph->ldl.node_count;
    for (int i = 0; ok && !relaxed && i < world->body_count; i++)
        if (!graph_is_done(graph, graph->node_of_body[i]))
            ok = block_ldl_eliminate(&graph->ldl, graph->node_of_body[i]);
    return ok && block_ldl_eliminate_rest(&graph->ldl) && block_ldl_finish(&graph->ldl);
}

bool constraint_graph_init(ConstraintGraph *graph, const World *world, bool relaxed)
{
    *graph = (ConstraintGraph){0};
    return OWN_ARRAY(&graph->arrays, graph->node_of_body, (size_t)world->body_count + 1) &&
           OWN_ARRAY(&graph->arrays, graph->node_of_joint, (size_t)world->joint_count + 1) &&
           joint_lists_init(&graph->joints, world) && graph_number_nodes(graph, world) &&
           graph_order(graph, world, relaxed);
}

void constraint_graph_free(ConstraintGraph *graph)
{
    block_ldl_free(&graph->ldl);
    arrays_free(&graph->arrays);
    joint_lists_free(&graph->joints);
}

static void graph_set_bodies(ConstraintGraph *graph, const World *world)
{
    for (int i = 0; i < world->body_count; i++) {
        if (graph->node_of_body[i] < 0)
            continue;
        double *K = block_ldl_diagonal(&graph->ldl, graph->node_of_body[i]);
        int n = graph->ldl.nodes[graph->node_of_body[i]].size;
        Mat3 inertia = mat3_turn_diagonal(world->pose[i].q, world->mass[i].inertia);
        for (int r = 0; r < 3; r++) {
            K[r * n + r] = world_is_fixed(world, i) ? 1.0 : world->mass[i].mass; /* 1: its body was removed */
            for (int c = 0; n == 6 && c < 3; c++)
                K[(3 + r) * n + 3 + c] = inertia.m[r][c];
        }
    }
}

/* Row `row` of a joint's node: J */
static void graph_set_row(ConstraintGraph *graph, int node, int row, const RowBlock *rb, int i, double relax)
{
    int bodies = row_block_bodies(rb), width = row_block_width(rb), size = graph->ldl.nodes[node].size;
    double soft = fmax(rb->is_soft ? rb->soft[i] : 0.0, relax * rb->A[i][i]);
    block_ldl_diagonal(&graph->ldl, node)[row * size + row] = -soft;
    for (int k = 0; k < bodies; k++) {
        int body = graph->node_of_body[rb->body[k]];
        bool later;
        if (body < 0)
            continue;
        double *K = block_ldl_block(&graph->ldl, node, body, &later);
        int n = graph->ldl.nodes[body].size;
        for (int c = 0; c < n && c < width; c++)
            K[later ? row * n + c : c * size + row] = rb->J[i][width * k + c];
    }
}

/* A row that is not held becomes a unit row. */
static void graph_set_joint(ConstraintGraph *graph, const World *world, const RowSystem *system, int joint,
                            const bool (*held)[BLOCK_MAX_ROWS], double relax)
{
    const Joint *source = &world->joints[joint];
    int node = graph->node_of_joint[joint], row = 0, size = graph->ldl.nodes[node].size;
    for (int b = source->first_block; b < source->first_block + source->block_count; b++)
        for (int i = 0; i < block_row_count(world->blocks[b].kind); i++, row++) {
            if (i < system->blocks[b].count && held[b][i])
                graph_set_row(graph, node, row, &system->blocks[b], i, relax);
            else
                block_ldl_diagonal(&graph->ldl, node)[row * size + row] = -1.0;
        }
}

int constraint_graph_factor(ConstraintGraph *graph, const World *world, const RowSystem *system,
                            const bool (*held)[BLOCK_MAX_ROWS], double relax)
{
    block_ldl_clear(&graph->ldl);
    graph_set_bodies(graph, world);
    for (int j = 0; j < world->joint_count; j++)
        if (graph->node_of_joint[j] >= 0)
            graph_set_joint(graph, world, system, j, held, relax);
    return block_ldl_factor(&graph->ldl);
}

/* A row whose multiplier is given pushes its bodies: f += J^T dlambda. */
static void graph_push_row(ConstraintGraph *graph, const RowBlock *rb, int i, double dlambda)
{
    int bodies = row_block_bodies(rb), width = row_block_width(rb);
    for (int k = 0; k < bodies && dlambda != 0.0; k++) {
        int body = graph->node_of_body[rb->body[k]];
        for (int c = 0; body >= 0 && c < graph->ldl.nodes[body].size && c < width; c++)
            block_ldl_unknowns(&graph->ldl, body)[c] += rb->J[i][width * k + c] * dlambda;
    }
}

/* The right side: minus the residuals of held rows, the pushes of the others. */
static void graph_set_right_side(ConstraintGraph *graph, const World *world, const RowSystem *system, int joint,
                                 const bool (*held)[BLOCK_MAX_ROWS], const double (*goal)[BLOCK_MAX_ROWS],
                                 const Velocity *velocity)
{
    const Joint *source = &world->joints[joint];
    double *x = block_ldl_unknowns(&graph->ldl, graph->node_of_joint[joint]);
    for (int b = source->first_block; b < source->first_block + source->block_count; b++) {
        const RowBlock *rb = &system->blocks[b];
        double r[BLOCK_MAX_ROWS];
        if (rb->count > 0)
            row_block_residuals(rb, velocity, r);
        for (int i = 0; i < rb->count; i++) {
            if (held[b][i])
                x[i] = -r[i];
            else
                graph_push_row(graph, rb, i, goal[b][i] - rb->lambda[i]);
        }
        x += block_row_count(world->blocks[b].kind);
    }
}

/* lambda += dlambda, V += M^-1 J^T dlambda */
static void graph_take_joint(const ConstraintGraph *graph, const World *world, RowSystem *system, int joint,
                             const bool (*held)[BLOCK_MAX_ROWS], const double (*goal)[BLOCK_MAX_ROWS],
                             Velocity *velocity)
{
    const Joint *source = &world->joints[joint];
    const double *x = block_ldl_unknowns(&graph->ldl, graph->node_of_joint[joint]);
    for (int b = source->first_block; b < source->first_block + source->block_count; b++) {
        RowBlock *rb = &system->blocks[b];
        double d[BLOCK_MAX_ROWS];
        for (int i = 0; i < rb->count; i++) {
            d[i] = held[b][i] ? -x[i] : goal[b][i] - rb->lambda[i];
            rb->lambda[i] += d[i];
        }
        if (rb->count > 0)
            row_block_push(rb, d, velocity);
        x += block_row_count(world->blocks[b].kind);
    }
}

void constraint_graph_solve(ConstraintGraph *graph, const World *world, RowSystem *system,
                            const bool (*held)[BLOCK_MAX_ROWS], const double (*goal)[BLOCK_MAX_ROWS],
                            Velocity *velocity)
{
    block_ldl_clear_right_side(&graph->ldl);
    for (int j = 0; j < world->joint_count; j++)
        if (graph->node_of_joint[j] >= 0)
            graph_set_right_side(graph, world, system, j, held, goal, velocity);
    block_ldl_solve(&graph->ldl);
    for (int j = 0; j < world->joint_count; j++)
        if (graph->node_of_joint[j] >= 0)
            graph_take_joint(graph, world, system, j, held, goal, velocity);
}
