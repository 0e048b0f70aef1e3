/* SPDX-License-Identifier: MIT */
/* Force-based simulation (lecture 002, slide "Force Based Simulation"): nothing is solved, errors carry the load.
 *     f = -k C - c (J V - target)     a spring and a damper on every row that is violated, within the row's bounds
 *     V+ = V* + h M^-1 J^T f,  x+ = x + h V+
 * lambda = h f is a row's impulse (N s). V in f is that of the step's beginning, V* has gravity. Forces say nothing
 * about friction, restitution or stability: what is chosen for these is said where it is done. */
#include "model/rows/row_memory.h"
#include "model/rows/springs.h"
#include "solvers/motion.h"

typedef struct PenaltyOptions {
    CommonOptions common;
    double stiffness, angular_stiffness, damping, contact_frequency, slip_speed;
} PenaltyOptions;

static const Setting PENALTY_SETTINGS[] = {
    COMMON_SETTINGS_DIRECT(10),
    PARAM_REAL(PenaltyOptions, stiffness, "k of a length (N/m), over length_scale^4 of a volume", 1e4, 0, 1e15),
    PARAM_REAL(PenaltyOptions, angular_stiffness, "k of an angular row (N m/rad)", 1e2, 0, 1e15),
    PARAM_REAL(PenaltyOptions, damping, "c/k of every rigid joint row (s)", 1e-3, 0, 1e3),
    PARAM_REAL(PenaltyOptions, contact_frequency, "f (1/s): a contact point has k = m (2 pi f)^2", 25, 1e-9, 1e9),
    PARAM_REAL(PenaltyOptions, slip_speed, "slower than this (m/s) friction is viscous, faster it is mu N", 0.01, 0,
               1e6),
};

typedef struct Penalty {
    PenaltyOptions options;
    Motion motion;
    size_t capacity;
    SprungRows *of;
    int *points; /* of each body: contact points that overlap */
    Velocity *u; /* of each body: the mode */
    bool started;
    double limit, least_limit; /* s, the longest stable step: in this state, over the run */
} Penalty;

/* What the row does in this step; `impulse` is h f. */
static void penalty_set(Penalty *penalty, int b, int i, Spring spring, double impulse)
{
    penalty->of[b].spring[i] = spring;
    penalty->of[b].p.lambda[i] = impulse;
}

/* [002] Force Based Simulation
 *     penetration causes force:    f = -k C - c (J V - target)
 * of joints. A compliant row is its own spring, k = 1/alpha; an open limit carries nothing. A motor of bounded torque
 * is a damper that would take its whole error of speed at once: a spring would begin anew at its bound. */
static void penalty_join(Penalty *penalty, const Step *step, int b)
{
    const World *world = step->world;
    const Block *block = &world->blocks[b];
    const JointTerms *terms = block_terms(block);
    const PenaltyOptions *o = &penalty->options;
    double L = world->length_scale, h = step->h;
    BlockUnit unit = block_unit(block->kind);
    double hard =
        unit == UNIT_ANGLE ? o->angular_stiffness : o->stiffness / (unit == UNIT_VOLUME ? L * L * L * L : 1.0);
    double k = terms->compliance > 0.0 ? 1.0 / terms->compliance : hard;
    double c = terms->compliance > 0.0 ? 0.0 : k * o->damping, target = terms->driven ? terms->speed : 0.0;
    const PreparedRows *p = &penalty->of[b].p;
    const Rows *rows = &p->rows;
    for (int i = 0; i < rows->count; i++) {
        bool open = (rows->lower[i] == 0.0 && rows->C[i] >= 0.0) || (rows->upper[i] == 0.0 && rows->C[i] <= 0.0);
        double s = terms->driven && isfinite(terms->max_force) ? p->step[i] : 0.0;
        double error = row_rate(rows->J[i], block, world->velocity_before) - target;
        double impulse = rows_clamp(p, i, -h * k * rows->C[i] - (h * c + s) * error, h);
        if (!open)
            penalty_set(penalty, b, i, (Spring){k, c, s}, impulse);
    }
}

/* [002] Force Based Simulation
 *     overlap needed:    N = max(0, -k C - c n.v),    k = m (2 pi f)^2,    m = 1/A, the mass that the point feels */
static bool penalty_overlaps(const Penalty *penalty, const World *world, int b)
{
    const Rows *rows = &penalty->of[b].p.rows;
    return world->blocks[b].kind == BLOCK_CONTACT && rows->count > 0 && rows->C[0] < 0.0;
}

static void penalty_touch(Penalty *penalty, const Step *step, int b)
{
    const PreparedRows *p = &penalty->of[b].p;
    const Block *block = &step->world->blocks[b];
    double omega = 2.0 * PI * penalty->options.contact_frequency, m = p->step[0], k = m * omega * omega;
    double c = 2.0 * contact_damping_ratio(block->restitution) * sqrt(k * m);
    double v = row_rate(p->rows.J[0], block, step->world->velocity_before);
    penalty_set(penalty, b, 0, (Spring){k, c, 0.0}, step->h * fmax(-k * p->rows.C[0] - c * v, 0.0));
}

/* [003] Contact Point Friction
 *     f = mu N, as a force:    f = -min(mu N / max(|v_t|, slip_speed), most) v_t
 * viscous where it is slow, and never more than what stops the slip in a step. That is shared by the points of the body
 * that has more of them: then all dampers together take at most the slip away. */
static double penalty_stop(const Penalty *penalty, const World *world, const Block *block)
{
    const ManifoldBlocks *points = &world->manifolds[block->manifold];
    if (points->torsion < 0)
        return 1.0 / rows_largest(&penalty->of[block->normal_block + 1].p);
    double arm = block_patch_arm(&world->blocks[points->torsion]);
    double largest = arm * arm * rows_largest(&penalty->of[points->torsion].p);
    for (int k = 0; k < points->count; k++)
        largest = fmax(largest, rows_largest(&penalty->of[manifold_friction(points, k)].p));
    return 1.0 / (largest * points->count);
}

static void penalty_rub(Penalty *penalty, const Step *step, int b)
{
    const World *world = step->world;
    const Block *block = &world->blocks[b];
    const Rows *rows = &penalty->of[b].p.rows;
    double rate[2], slow = penalty->options.slip_speed,
                    load = block->friction * penalty->of[b - 1].p.lambda[0] / step->h;
    int share = 1;
    for (int k = 0; k < 2; k++) {
        rate[k] = row_rate(rows->J[k], block, world->velocity_before);
        if (!world_is_fixed(world, block->body[k]) && penalty->points[block->body[k]] > share)
            share = penalty->points[block->body[k]];
    }
    bool patch = world->manifolds[block->manifold].torsion >= 0; /* it bounds its points together */
    double speed = patch ? slow : fmax(sqrt(rate[0] * rate[0] + rate[1] * rate[1]), slow);
    double most = penalty_stop(penalty, world, block) / (step->h * share),
           c = load < most * speed ? load / speed : most;
    for (int i = 0; i < 2; i++)
        penalty_set(penalty, b, i, (Spring){0.0, 0.0, step->h * c}, -step->h * c * rate[i]);
}

/* [003] Contact Patch Friction
 *     (|f| / f_max)^2 + (m / m_max)^2 <= 1
 * A torque against the spin, as that of the points' dampers at the arm 2/3 R; then force and torque are scaled back. */
static void penalty_rub_patch(Penalty *penalty, const Step *step, int b)
{
    const Block *block = &step->world->blocks[b];
    const ManifoldBlocks *points = &step->world->manifolds[block->manifold];
    double arm = block_patch_arm(block), taken = 0.0, load = 0.0;
    Vec3 f = VEC3_ZERO;
    for (int k = 0; k < points->count; k++) {
        const SprungRows *friction = &penalty->of[manifold_friction(points, k)];
        taken += friction->spring[0].s;
        load += penalty->of[manifold_contact(points, k)].p.lambda[0];
        f = vec3_add(f, rows_impulse(&friction->p.rows, BLOCK_FRICTION, friction->p.lambda));
    }
    double m = -taken * arm * row_rate(penalty->of[b].p.rows.J[0], block, step->world->velocity_before);
    double size = sqrt(vec3_dot(f, f) + m * m), limit = block->friction * load;
    double scale = size > limit ? limit / size : 1.0;
    penalty_set(penalty, b, 0, (Spring){0.0, 0.0, scale * taken * arm * arm}, scale * m * arm);
    for (int k = 0; k < points->count; k++)
        for (int i = 0; i < 2; i++) {
            SprungRows *friction = &penalty->of[manifold_friction(points, k)];
            friction->spring[i].s *= scale;
            friction->p.lambda[i] *= scale;
        }
}

/* [002] Force Based Simulation
 *     V* = V + h M^-1 F_ext; all forces are those of the state as the step begins */
static void penalty_begin(void *self, Step *step)
{
    Penalty *penalty = self;
    World *world = step->world;
    motion_begin(&penalty->motion, world, step->h);
    memset(penalty->points, 0, sizeof *penalty->points * (size_t)world->body_count);
    for (int b = 0; b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        rows_prepare(world, block, step->h, 0.0, &penalty->of[b].p);
        memset(penalty->of[b].spring, 0, sizeof penalty->of[b].spring);
        if (block->kind == BLOCK_FRICTION && block->friction == 0.0)
            penalty->of[b].p.rows.count = 0;
        for (int k = 0; k < 2 && penalty_overlaps(penalty, world, b); k++)
            penalty->points[block->body[k]]++;
    }
    for (int b = 0; b < world->block_count; b++) {
        bool rows = penalty->of[b].p.rows.count > 0;
        if (b < world->joint_block_count)
            penalty_join(penalty, step, b);
        else if (penalty_overlaps(penalty, world, b))
            penalty_touch(penalty, step, b);
        else if (rows && world->blocks[b].kind == BLOCK_FRICTION && penalty_overlaps(penalty, world, b - 1))
            penalty_rub(penalty, step, b);
        else if (rows && world->blocks[b].kind == BLOCK_TORSION)
            penalty_rub_patch(penalty, step, b);
    }
}

/* [002] Force Based Simulation
 *     forces change velocities:    V <- V + M^-1 J^T lambda */
static void penalty_push(void *self, Step *step)
{
    Penalty *penalty = self;
    World *world = step->world;
    for (int b = 0; b < world->block_count; b++) {
        const PreparedRows *p = &penalty->of[b].p;
        for (int i = 0; i < p->rows.count; i++, step->row_solves++) {
            step_show(step, &(ShownRow){b, i, p->rows.C[i], p->rows.J[i], p->A.m[i][i], 0.0, 0.0, p->lambda[i]});
            row_apply(p->B[i], &world->blocks[b], p->lambda[i], world->velocity);
        }
        world->block_impulse[b] = rows_impulse(&p->rows, world->blocks[b].kind, p->lambda);
    }
}

/* [002] Force Based Simulation
 *     large stiffness k -> stability problems, overshooting:    stable while h^2 K + 2 h C < 4 M,    K = J^T k J
 * The step at which that ends is found by a power iteration that goes on from step to step, and reported. */
static void penalty_judge_step(void *self, Step *step)
{
    Penalty *penalty = self;
    for (int i = 0; i < (penalty->started ? 1 : 40); i++)
        penalty->limit = springs_stable_step(penalty->of, step->world, penalty->limit, penalty->u);
    penalty->started = true;
    penalty->least_limit = fmin(penalty->least_limit, penalty->limit);
    if (step->h > penalty->limit)
        step_report(step, "step is longer than the springs' stable limit");
}

/* [002] Force Based Simulation
 *     velocities change positions:    x <- x + h v */
static void penalty_move(void *self, Step *step)
{
    Penalty *penalty = self;
    motion_damp(&penalty->motion, step->world, step->h);
    motion_move(&penalty->motion, step->world, NULL, step->h);
}

static double penalty_stable_step(const void *self)
{
    return ((const Penalty *)self)->least_limit;
}

static void penalty_destroy(void *self)
{
    Penalty *penalty = self;
    if (!penalty)
        return;
    motion_free(&penalty->motion);
    free(penalty->of);
    free(penalty->points);
    free(penalty->u);
    free(penalty);
}

static bool penalty_reserve(void *self, const World *world, Status *status)
{
    Penalty *penalty = self;
    size_t before = penalty->capacity;
    bool ok = array_reserve((void **)&penalty->of, &penalty->capacity, sizeof *penalty->of, (size_t)world->block_count);
    springs_start_modes(penalty->of, before, penalty->capacity);
    return ok || status_set(status, STATUS_FAILED, "out of memory");
}

static void *penalty_create(const SolverTask *task, Status *status)
{
    Penalty *penalty = calloc(1, sizeof *penalty);
    size_t bodies = (size_t)task->world->body_count;
    if (penalty)
        *penalty =
            (Penalty){.options = *(const PenaltyOptions *)task->options, .limit = INFINITY, .least_limit = INFINITY};
    if (penalty && NEW_ARRAY(penalty->points, bodies) && NEW_ARRAY(penalty->u, bodies) &&
        motion_init(&penalty->motion, task->world, task->options) && penalty_reserve(penalty, task->world, status))
        return penalty;
    penalty_destroy(penalty);
    status_set(status, STATUS_FAILED, "out of memory");
    return NULL;
}

static int penalty_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){.name = "force", .iterations = 1, .enter = penalty_begin, .iterate = penalty_push};
    phases[1] = (Phase){.name = "limit", .enter = penalty_judge_step};
    phases[2] = (Phase){.name = "move", .enter = penalty_move};
    return 3;
}

const Solver lecture_penalty_solver = {
    .abi = SOLVER_ABI,
    .name = "lecture_penalty",
    .text_of = "penalty",
    .summary = "the lecture's text of penalty: a spring and a damper on every violation",
    .reference = "lecture 002, Force Based Simulation; Moore and Wilhelms 1988",
    .capabilities = CAN_ALL_JOINTS | CAN_CONTACTS | CAN_FRICTION,
    SOLVER_SETTINGS(PENALTY_SETTINGS),
    .options_size = sizeof(PenaltyOptions),
    .row_bytes = 1300,
    .create = penalty_create,
    .destroy = penalty_destroy,
    .reserve = penalty_reserve,
    .plan = penalty_plan,
    .stable_step = penalty_stable_step,
};
