/* SPDX-License-Identifier: MIT */
#include "solvers/systems/joint_solve.h"

/* How much redundant rows are relaxed, as a share of (J M^-1 J^T)_ii: well above round-off, so that near repetitions do
 * no harm; each pass takes back what the last left but for this share over the smallest eigenvalue. */
#define JOINT_SOLVE_RELAX 1e-7
enum { RELAXED_PASSES = 2 };

/* More rigid rows than the bodies have freedom: some repeat others for certain, and nothing needs to find out. */
static bool joints_have_too_many_rows(const World *world)
{
    int rows = 0, freedom = 0;
    for (int i = 1; i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            freedom += vec3_is_zero(world->mass[i].inv_inertia) ? 3 : 6;
    for (int b = 0; b < world->joint_block_count; b++) {
        const Block *block = &world->blocks[b];
        const JointTerms *terms = block_terms(block);
        bool held = !block->off && terms->compliance == 0.0 && !block_is_limit(block) && !terms->actuator;
        bool moves = false;
        for (int k = 0; k < block_body_count(block); k++)
            moves = moves || !world_is_fixed(world, block->body[k]);
        rows += held && moves ? block_row_count(block->kind) : 0;
    }
    return rows > freedom;
}

bool joint_solve_init(JointSolve *solve, const World *world)
{
    *solve = (JointSolve){.redundant = joints_have_too_many_rows(world)};
    return constraint_graph_init(&solve->graph, world, solve->redundant) &&
           (!solve->graph.loops || solve->redundant || constraint_graph_init(&solve->relaxed, world, true));
}

void joint_solve_free(JointSolve *solve)
{
    constraint_graph_free(&solve->graph);
    constraint_graph_free(&solve->relaxed);
}

static ConstraintGraph *joint_solve_graph(JointSolve *solve)
{
    return solve->redundant && solve->relaxed.ldl.node_count > 0 ? &solve->relaxed : &solve->graph;
}

void joint_solve_factor(JointSolve *solve, const World *world, const RowSystem *system,
                        const bool (*held)[BLOCK_MAX_ROWS])
{
    if (!solve->redundant)
        solve->redundant = constraint_graph_factor(&solve->graph, world, system, held, 0.0) > 0;
    if (solve->redundant)
        constraint_graph_factor(joint_solve_graph(solve), world, system, held, JOINT_SOLVE_RELAX);
}

int joint_solve_take(JointSolve *solve, const World *world, RowSystem *system, const bool (*held)[BLOCK_MAX_ROWS],
                     const double (*goal)[BLOCK_MAX_ROWS], Velocity *velocity)
{
    int passes = solve->redundant ? RELAXED_PASSES : 1;
    for (int pass = 0; pass < passes; pass++)
        constraint_graph_solve(joint_solve_graph(solve), world, system, held, goal, velocity);
    return passes;
}
