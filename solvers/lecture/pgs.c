/* SPDX-License-Identifier: MIT */
/* Projected Gauss-Seidel: the lecture's text of solvers/pgs.c, to be read beside lecture 001 from "Constraints" on.
 *     V_2 = V* + M^-1 J^T lambda,    V* = V_1 + h M^-1 F_ext,    A lambda = b,    A = J M^-1 J^T
 * lambda is an impulse (N s), h times the slides'. A is never formed: b_i - sum_j a_ij lambda_j is -(J_i V + bias_i),
 * V being what all lambda so far have made of it. What the slides leave open is as in Catto 2005, 2006. */
#include "model/collision/collide.h"
#include "model/rows/row_memory.h"
#include "solvers/motion.h"

typedef struct PgsOptions {
    CommonOptions common;
    double beta, slop, push_speed, restitution_threshold;
} PgsOptions;

static const Setting PGS_SETTINGS[] = {
    COMMON_SETTINGS(1, 20), PARAM_REAL(PgsOptions, beta, "share of the error taken back in a substep", 0.2, 0, 2.5),
    SLOP_SETTING(PgsOptions), PUSH_SPEED_SETTING(PgsOptions), RESTITUTION_THRESHOLD_SETTING(PgsOptions)};

typedef struct Pgs {
    RowMemory rows; /* of each block: C, J, B = M^-1 J^T, A, bias (m/s), and lambda from substep to substep */
    PgsOptions options;
    Motion motion;
} Pgs;

/* [001] Equations of motion
 *     V* = V_1 + h M^-1 F_ext        V_2 as it would be without constraint forces */
static void pgs_integrate_forces(void *self, Step *step)
{
    Pgs *pgs = self;
    step_report_recovery(step, pgs->options.push_speed);
    motion_begin(&pgs->motion, step->world, step->h);
}

/* [001] Contact constraints
 *     0 <= lambda,    J V = -beta C        with beta/h for the slide's beta; a gap that is open may close: J V = -C/h.
 * Overlap up to `slop` stays; none is taken back faster than `push_speed`. A hit bounces: J V = -e J V_1 ([003]
 * Impact). */
static double bias_of_contact(const Pgs *pgs, int b, const Step *step)
{
    const PgsOptions *o = &pgs->options;
    const Block *block = &step->world->blocks[b];
    const double *J = pgs->rows.of[b].rows.J[0], C = pgs->rows.of[b].rows.C[0], h = step->h;
    double bias = C > 0.0 ? C / h : fmax(o->beta / h * fmin(C + o->slop, 0.0), -o->push_speed);
    double before = row_rate(J, block, step->world->velocity_before);
    bool hit = before < -restitution_threshold_at(o->restitution_threshold, step->world, h) &&
               C + h * row_rate(J, block, step->world->velocity) <= 0.0;
    return hit && block->restitution > 0.0 ? fmin(bias, block->restitution * before) : bias;
}

/* [001] Constraints
 *     dC/dt = J V = -beta C,    A_ii = J_i M^-1 J_i^T        springs have A_ii + alpha/h^2, and -C/h;
 * motors ask for a velocity. Friction has C = 0 as the substep begins. */
static void evaluate(Pgs *pgs, const Step *step)
{
    const World *world = step->world;
    row_memory_prepare(&pgs->rows, world, step->h, pgs->options.beta / step->h);
    for (int b = world->joint_block_count; b < world->block_count; b++)
        if (world->blocks[b].kind == BLOCK_CONTACT)
            pgs->rows.of[b].bias[0] = bias_of_contact(pgs, b, step);
}

/* [001] Contact caching (warm start)
 *     lambda = that of the last substep,    V = V* + M^-1 J^T lambda */
static void pgs_begin(void *self, Step *step)
{
    Pgs *pgs = self;
    evaluate(pgs, step);
    for (int b = 0; b < step->world->block_count; b++)
        for (int i = 0; i < pgs->rows.of[b].rows.count; i++)
            row_apply(pgs->rows.of[b].B[i], &step->world->blocks[b], pgs->rows.of[b].lambda[i], step->world->velocity);
}

/* [001] Projected Gauss-Seidel
 *     dlambda_i = (b_i - sum_j a_ij lambda_j) / A_ii,    lambda_i = clamp(lambda_i + dlambda_i, min_i, max_i) */
static void set_lambda(Pgs *pgs, int b, int i, double next, Step *step)
{
    PreparedRows *own = &pgs->rows.of[b];
    double A = own->A.m[i][i], last = own->lambda[i];
    step_show(step, &(ShownRow){b, i, own->rows.C[i], own->rows.J[i], A, own->bias[i], last, next});
    row_apply(own->B[i], &step->world->blocks[b], next - last, step->world->velocity);
    own->lambda[i] = next;
    step->row_solves++;
}

static void solve_rows(Pgs *pgs, int b, Step *step)
{
    const PreparedRows *own = &pgs->rows.of[b];
    for (int i = 0; i < own->rows.count; i++) {
        double r = rows_residual(own, &step->world->blocks[b], step->world->velocity, i);
        set_lambda(pgs, b, i, rows_clamp(own, i, own->lambda[i] - own->step[i] * r, step->h), step);
    }
}

/* [003] Contact Patch Friction
 *     |lambda_t| <= mu lambda_n;    of a patch with torque m: (sum |lambda_t|)^2 + (m/arm)^2 <= (mu sum lambda_n)^2
 * All these rows step at once, by 1 / (the largest eigenvalue of A), torque as force at the arm, 2/3 of the patch's
 * radius, and are scaled back: so friction is against the slip. ([001] Friction constraints: mu m_c g for mu lambda_n.)
 */
static void solve_friction(Pgs *pgs, const int *blocks, int count, int points, Step *step)
{
    const World *world = step->world;
    double next[MANIFOLD_MAX + 1][2] = {{0}}, largest = 0.0, load = 0.0, size = 0.0;
    for (int k = 0; k < count; k++) {
        double arm = block_patch_arm(&world->blocks[blocks[k]]);
        largest = fmax(largest, rows_largest(&pgs->rows.of[blocks[k]]) * arm * arm);
        load += k < points ? pgs->rows.of[world->blocks[blocks[k]].normal_block].lambda[0] : 0.0;
    }
    for (int k = 0; k < count; k++) {
        const PreparedRows *own = &pgs->rows.of[blocks[k]];
        const Block *block = &world->blocks[blocks[k]];
        double arm = block_patch_arm(block), slide = arm * arm / (largest * points);
        for (int i = 0; i < own->rows.count; i++)
            next[k][i] = own->lambda[i] - slide * rows_residual(own, block, world->velocity, i);
        double length = hypot(next[k][0], next[k][1]);
        size = k < points ? size + length : hypot(size, length / arm);
    }
    double limit = world->blocks[blocks[0]].friction * load, scale = size > limit ? limit / size : 1.0;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < pgs->rows.of[blocks[k]].rows.count; i++)
            set_lambda(pgs, blocks[k], i, scale * next[k][i], step);
}

/* [001] Iterative Solution
 *     one sweep: joints as listed; of each pair that touches the points, every normal before its friction */
static void pgs_sweep(void *self, Step *step)
{
    for (int b = 0; b < step->world->joint_block_count; b++)
        solve_rows(self, b, step);
    for (int k = 0; k < step->world->manifold_count; k++) {
        const ManifoldBlocks *of = &step->world->manifolds[k];
        int blocks[MANIFOLD_MAX + 1];
        for (int p = 0; p < of->count; p++) {
            solve_rows(self, manifold_contact(of, p), step);
            blocks[p] = manifold_friction(of, p);
            if (of->torsion < 0)
                solve_friction(self, &blocks[p], 1, 1, step);
        }
        blocks[of->count] = of->torsion;
        if (of->torsion >= 0)
            solve_friction(self, blocks, of->count + 1, of->count, step);
    }
}

/* [001] Equations of motion
 *     x <- x + h V_2        the regular integration step with the new velocities; joint damping comes before it */
static void pgs_move(void *self, Step *step)
{
    Pgs *pgs = self;
    row_memory_store(&pgs->rows, step->world);
    motion_damp(&pgs->motion, step->world, step->h);
    motion_move(&pgs->motion, step->world, NULL, step->h);
}

static void pgs_destroy(void *self)
{
    Pgs *pgs = self;
    if (!pgs)
        return;
    motion_free(&pgs->motion);
    row_memory_free(&pgs->rows);
    free(pgs);
}

static void *pgs_create(const SolverTask *task, Status *status)
{
    Pgs *pgs = calloc(1, sizeof *pgs);
    if (pgs)
        *pgs = (Pgs){.options = *(const PgsOptions *)task->options, .rows.goes_on = task->goes_on};
    if (pgs && motion_init(&pgs->motion, task->world, task->options) && row_memory_reserve(pgs, task->world, status))
        return pgs;
    pgs_destroy(pgs);
    status_set(status, STATUS_FAILED, "out of memory");
    return NULL;
}

static int pgs_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    int sweeps = ((const Pgs *)self)->options.common.iterations;
    phases[0] = (Phase){.name = "forces", .enter = pgs_integrate_forces};
    phases[1] = (Phase){.name = "velocity", .iterations = sweeps, .enter = pgs_begin, .iterate = pgs_sweep};
    phases[2] = (Phase){.name = "move", .enter = pgs_move};
    return 3;
}

const Solver lecture_pgs_solver = {
    .abi = SOLVER_ABI,
    .name = "lecture_pgs",
    .text_of = "pgs",
    .summary = "the lecture's text of pgs: impulses, row by row as on the slides",
    .reference = "lecture 001; Catto 2005, 2006",
    .capabilities = CAN_ALL_JOINTS | CAN_CONTACTS | CAN_COULOMB,
    SOLVER_SETTINGS(PGS_SETTINGS),
    .options_size = sizeof(PgsOptions),
    .create = pgs_create,
    .destroy = pgs_destroy,
    .reserve = row_memory_reserve,
    .plan = pgs_plan,
};
