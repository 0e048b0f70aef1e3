/* SPDX-License-Identifier: MIT */
/* Reduced coordinates by the articulated-body algorithm: only the motions that the joints leave free are integrated,
 * so joints never drift, and a step costs time in proportion to the number of links (Featherstone 1983, 2008).
 *
 *     q'' = ABA(q, q', tau)      integrated by forward or semi-implicit Euler or RK4
 *
 * Limits and drives (articulated_drive.h) jump to their velocity by an impulse at the step's beginning, then hold it.
 * Loops are cut and closed by multipliers (loops.h), and after a step the coordinates go back onto them. Velocity-
 * dependent terms are explicit, hence RK4 by default; there is no implicit gyroscopic term. */
#include "solvers/tree/articulated_drive.h"
#include "solvers/tree/articulated_four.h"
#include "solvers/tree/loops.h"

#include <stdlib.h>
#include <string.h>

/* Passes of the search for the rows that hold; a few suffice unless limits fight each other. */
enum { DRIVE_PASSES = 20 };

/* Newton's method on the loops ends below this (of the length scale, or rad), or when below LOOPS_NEAR a step no longer
 * halves the error: that is round-off. */
#define LOOPS_CLOSED 1e-13
#define LOOPS_NEAR 1e-10
#define LOOPS_OPEN 1e-6 /* more than this left is said */
enum { LOOPS_STEPS = 12 };

typedef struct FeatherstoneOptions {
    CommonOptions common;
} FeatherstoneOptions;

static const char *const GYROSCOPIC_CHOICES[] = {"off", "explicit", NULL};

static const Setting FEATHERSTONE_SETTINGS[] = {
    SUBSTEPS_SETTING(20),
    PARAM_CHOICE(CommonOptions, integrator, "of the coordinates", INTEGRATE_RK4, 2, integrator_names),
    PARAM_CHOICE(CommonOptions, gyroscopic, "how -w x I w enters", GYROSCOPIC_EXPLICIT, 1, GYROSCOPIC_CHOICES),
};

/* N, the linear part of I A + p of a link in each stage; then of all that hangs on it. */
typedef struct StageForces {
    Vec3 of[RK4_STAGES];
} StageForces;

typedef struct Featherstone {
    Arrays arrays;
    FeatherstoneOptions options;
    Motion motion;
    Articulated tree;
    Drives drives;
    Loops loops;
    double *stage, *sum; /* states of the tree */
    StageForces *forces; /* of each link */
    Velocity *alone;     /* accelerations without joints */
    bool started;        /* the coordinates were read from the world; from then on the tree's own count */
    bool placed;         /* the tree is placed and loaded, in this field, where the last step ended */
    Vec3 field;
    int removed;
} Featherstone;

static void featherstone_destroy(void *self)
{
    Featherstone *f = self;
    if (!f)
        return;
    motion_free(&f->motion);
    articulated_free(&f->tree);
    drives_free(&f->drives);
    loops_free(&f->loops);
    arrays_free(&f->arrays);
    free(f);
}

static bool featherstone_init(void *self, const SolverTask *task, Status *status)
{
    Featherstone *f = self;
    const World *world = task->world;
    Arrays *own = &f->arrays;
    size_t bodies = (size_t)world->body_count;
    f->options = *(const FeatherstoneOptions *)task->options;
    if (!OWN_ARRAY(own, f->stage, bodies * LINK_STATE_SIZE) || !OWN_ARRAY(own, f->sum, bodies * LINK_STATE_SIZE) ||
        !OWN_ARRAY(own, f->forces, bodies) || !OWN_ARRAY(own, f->alone, bodies) ||
        !motion_init(&f->motion, world, &f->options.common) || !articulated_init(&f->tree, world) ||
        !drives_init(&f->drives, world) || !articulated_connect(&f->tree, world, status) ||
        !loops_init(&f->loops, &f->tree, world, status))
        return false;
    drives_connect(&f->drives, &f->tree, world);
    f->removed = articulated_count_removed(world);
    return true;
}

static void *featherstone_create(const SolverTask *task, Status *status)
{
    return solver_create(task, sizeof(Featherstone), featherstone_init, featherstone_destroy, status);
}

/* The tree under its load, its loops closed: qddot and A. */
static void featherstone_solve(Featherstone *f, Step *step, LoopLevel level)
{
    loops_evaluate(&f->loops, step->world);
    articulated_solve(&f->tree);
    int passes = 1 + loops_close(&f->loops, &f->tree, step->world, level);
    step->row_solves += (long long)passes * f->tree.dof_count + f->loops.row_count;
    if (loops_are_dependent(&f->loops))
        step_report(step, "dependent rows: multipliers of least norm");
}

/* F, and the impulses of what the joints carry. */
static void featherstone_add_reactions(Featherstone *f, Step *step, double share)
{
    articulated_reactions(&f->tree, step->world, share, step->world->block_impulse);
    loops_add_reactions(&f->loops, step->world, share, step->world->block_impulse);
}

static void featherstone_place(Featherstone *f, Step *step, const double *state)
{
    articulated_place_loaded(&f->tree, state, step->world, &f->motion, f->alone);
    drives_hold(&f->drives, &f->tree, step->world);
}

/* q'' at a state; its reactions count for the time `share`. */
static void featherstone_evaluate(Featherstone *f, Step *step, const double *state, double share)
{
    featherstone_place(f, step, state);
    featherstone_solve(f, step, LOOPS_ACCELERATION);
    featherstone_add_reactions(f, step, share);
}

static void featherstone_add_jumps(Featherstone *f, const World *world)
{
    for (int i = 0; i < f->tree.link_count; i++)
        link_add_jump(&f->tree.links[i], link_state(&f->tree.links[i], f->tree.state), world);
}

/* All bodies at their joints' velocities, at once: no forces act and nothing moves meanwhile. */
static void featherstone_jump(Featherstone *f, Step *step)
{
    articulated_unload(&f->tree);
    drives_reach(&f->drives, &f->tree, 1.0, false);
    featherstone_solve(f, step, LOOPS_VELOCITY);
    featherstone_add_reactions(f, step, 1.0);
    featherstone_add_jumps(f, step->world);
}

/* Which limits and drives hold in this step, and their jump. */
static void featherstone_settle_drives(Featherstone *f, Step *step)
{
    World *world = step->world;
    if (f->drives.count == 0)
        return;
    articulated_place_loaded(&f->tree, f->tree.state, world, &f->motion, f->alone);
    drives_begin(&f->drives, &f->tree, world, step->h);
    int pass = 0;
    bool changed = true;
    for (; changed && pass < DRIVE_PASSES; pass++) {
        drives_reach(&f->drives, &f->tree, step->h, true);
        featherstone_solve(f, step, LOOPS_ACCELERATION);
        articulated_forces(&f->tree);
        changed = drives_revise(&f->drives, &f->tree, step->h);
    }
    if (changed)
        step_report(step, "limits and drives did not settle");
    if (drives_jump(&f->drives))
        featherstone_jump(f, step);
}

static inline Quat quat_add_scaled(Quat q, double h, Quat rate)
{
    return (Quat){q.w + h * rate.w, q.x + h * rate.x, q.y + h * rate.y, q.z + h * rate.z};
}

/* state + h rate */
static void link_add(LinkState *state, double h, const LinkState *rate)
{
    state->turn = quat_add_scaled(state->turn, h, rate->turn);
    state->angle += h * rate->angle;
    state->shift = vec3_add_scaled(state->shift, h, rate->shift);
    state->spin = vec3_add_scaled(state->spin, h, rate->spin);
    state->rate = vec3_add_scaled(state->rate, h, rate->rate);
}

/* A stage of Runge and Kutta: its part of the sum, and the next stage `ahead`, from the state that was evaluated and
 * the sum so far, which are the beginning's at first. */
typedef struct Stage {
    int number;
    const double *at, *sum;
    double part, ahead;
} Stage;

/* Then there is no other, and the sum is normalised. */
static bool stage_is_last(const Stage *stage)
{
    return stage->number == RK4_STAGES - 1;
}

LANE_INLINE void stage_of_four(Featherstone *f, const Stage *stage, const World *world, const Link *link)
{
    FourStates at = four_states(link_state_of(link, stage->at)), rate = ball_rate_four(link, &at, world);
    FourStates sum = four_states_add(four_states(link_state_of(link, stage->sum)), stage->part, &rate);
    if (stage_is_last(stage)) {
        sum.turn = lanes_unit(sum.turn);
    } else {
        FourStates next = four_states_add(four_states(link_state_of(link, f->tree.state)), stage->ahead, &rate);
        next.turn = lanes_unit(next.turn);
        four_set_states(link_state(link, f->stage), next);
    }
    four_set_states(link_state(link, f->sum), sum);
}

static void stage_of_one(Featherstone *f, const Stage *stage, const World *world, const Link *link)
{
    LinkState at = link_get(link, stage->at), sum = link_get(link, stage->sum), next = link_get(link, f->tree.state);
    LinkState rate = link_derivative(link, &at, world, true);
    link_add(&sum, stage->part, &rate);
    link_add(&next, stage->ahead, &rate);
    link_normalise(link, stage_is_last(stage) ? &sum : &next);
    link_put(link, f->sum, &sum);
    link_put(link, f->stage, &next);
}

LANE_VERSIONS static void featherstone_stage(Featherstone *f, const Stage *stage, const World *world, int from, int to)
{
    for (int i = from; i < to; i++) {
        const Link *link = &f->tree.links[i];
        if (!link->four) {
            stage_of_one(f, stage, world, link);
            continue;
        }
        stage_of_four(f, stage, world, link);
        i += LANES - 1;
    }
}

/* Links whose accelerations stay in the nearest caches until they have been used. */
enum { LINKS_AT_ONCE = 64 };

/* Where some links from here on end, and no four of them is cut. */
static int links_end(const Articulated *tree, int from)
{
    int to = from + LINKS_AT_ONCE;
    for (int k = 1; k < LANES && to < tree->link_count; k++)
        if (tree->links[to - k].four)
            return to - k + LANES;
    return to < tree->link_count ? to : tree->link_count;
}

/* A ball carries the forces on all that hangs on it. Where there is nothing else they are summed once a step, all
 * stages side by side. */
static bool featherstone_has_balls_alone(const Featherstone *f)
{
    return f->tree.own_count == 0 && f->loops.block_count == 0;
}

/* Where a step ends the next one begins: what it was placed with must be the same. */
static bool featherstone_is_placed(const Featherstone *f, const World *world)
{
    return f->placed && !f->motion.pushes && memcmp(&f->field, &world->gravity, sizeof f->field) == 0;
}

static void featherstone_end(Featherstone *f, World *world)
{
    const Motion *motion = &f->motion;
    f->placed = featherstone_has_balls_alone(f) && !motion->pushes && motion->damped_count == 0 &&
                world->attractor.gm == 0.0 && f->options.common.integrator == INTEGRATE_RK4;
    f->field = world->gravity;
    if (f->placed)
        articulated_place_loaded(&f->tree, f->tree.state, world, &f->motion, f->alone);
    else
        articulated_place(&f->tree, f->tree.state, world);
}

static void featherstone_sum_forces(Featherstone *f, World *world, double h)
{
    for (int i = f->tree.link_count - 1; i >= 0; i--) {
        const Link *link = &f->tree.links[i];
        const StageForces *mine = &f->forces[i];
        Vec3 *impulse = &world->block_impulse[link->reaction];
        for (int s = 0; s < RK4_STAGES; s++) {
            double share = h * RK4_WEIGHT[s];
            *impulse = vec3_add_scaled(*impulse, link->reversed ? -share : share, mine->of[s]);
            if (link->parent >= 0)
                f->forces[link->parent].of[s] = vec3_add(f->forces[link->parent].of[s], mine->of[s]);
        }
    }
}

/* The tree placed and loaded is solved, and the stage done. */
static void featherstone_finish_stage(Featherstone *f, Step *step, const Stage *stage)
{
    Articulated *tree = &f->tree;
    if (!featherstone_has_balls_alone(f)) {
        featherstone_solve(f, step, LOOPS_ACCELERATION);
        featherstone_stage(f, stage, step->world, 0, tree->link_count);
        featherstone_add_reactions(f, step, stage->part);
        return;
    }
    articulated_solve_inward(tree);
    for (int from = 0, to; from < tree->link_count; from = to) {
        to = links_end(tree, from);
        articulated_solve_outward(tree, from, to);
        featherstone_stage(f, stage, step->world, from, to);
        for (int i = from; i < to; i++)
            f->forces[i].of[stage->number] = linear(tree->links[i].moves->F);
    }
    step->row_solves += tree->dof_count;
}

/* The classical Runge-Kutta step. */
static void featherstone_rk4(Featherstone *f, Step *step)
{
    for (int s = 0; s < RK4_STAGES; s++) {
        double part = step->h * RK4_WEIGHT[s], ahead = step->h * RK4_AT[s + 1];
        const double *begin = f->tree.state;
        Stage stage = {s, s == 0 ? begin : f->stage, s == 0 ? begin : f->sum, part, ahead};
        if (s > 0 || !featherstone_is_placed(f, step->world))
            featherstone_place(f, step, stage.at);
        featherstone_finish_stage(f, step, &stage);
    }
    if (featherstone_has_balls_alone(f))
        featherstone_sum_forces(f, step->world, step->h);
    double *old = f->tree.state;
    f->tree.state = f->sum;
    f->sum = old;
}

/* Coordinates move by the old speeds (forward) or the new ones (semi-implicit). */
static void featherstone_euler(Featherstone *f, Step *step)
{
    Articulated *tree = &f->tree;
    double h = step->h;
    featherstone_evaluate(f, step, tree->state, h);
    for (int i = 0; i < tree->link_count; i++) {
        const Link *link = &tree->links[i];
        LinkState state = link_get(link, tree->state), rate = link_derivative(link, &state, step->world, false);
        const LinkState old = state;
        state.spin = vec3_add_scaled(state.spin, h, rate.spin);
        state.rate = vec3_add_scaled(state.rate, h, rate.rate);
        const LinkState speeds = f->options.common.integrator == INTEGRATE_FORWARD ? old : state;
        link_move(link, &state, &speeds, h);
        link_normalise(link, &state);
        link_put(link, tree->state, &state);
    }
}

/* Coordinates, then velocities, onto the loops, the shortest way in the metric of the masses. */
static void featherstone_project(Featherstone *f, Step *step)
{
    Articulated *tree = &f->tree;
    double left = loops_evaluate(&f->loops, step->world), before = INFINITY;
    for (int n = 0; n < LOOPS_STEPS && left > LOOPS_CLOSED && !(before < LOOPS_NEAR && left > 0.5 * before); n++) {
        articulated_unload(tree);
        featherstone_solve(f, step, LOOPS_POSITION);
        for (int i = 0; i < tree->link_count; i++) {
            const Link *link = &tree->links[i];
            LinkState state = link_get(link, tree->state), move = state;
            move.spin = move.rate = VEC3_ZERO;
            link_add_jump(link, &move, step->world);
            link_move(link, &state, &move, 1.0);
            link_normalise(link, &state);
            link_put(link, tree->state, &state);
        }
        articulated_place(tree, tree->state, step->world);
        before = left;
        left = loops_evaluate(&f->loops, step->world);
    }
    if (!(left < LOOPS_OPEN))
        step_report(step, "a loop could not be closed");
    articulated_unload(tree);
    featherstone_solve(f, step, LOOPS_VELOCITY);
    featherstone_add_reactions(f, step, 1.0);
    featherstone_add_jumps(f, step->world);
    articulated_place(tree, tree->state, step->world);
}

/* The tree as the world is now, at the beginning and after a removal. What is left of a tree is trees: connecting
 * cannot be refused then. */
static void featherstone_read(Featherstone *f, Step *step, int removed)
{
    World *world = step->world;
    Status status;
    if (removed != f->removed && articulated_connect(&f->tree, world, &status)) {
        drives_connect(&f->drives, &f->tree, world);
        loops_connect(&f->loops, &f->tree, world);
    }
    articulated_read(&f->tree, world, world->velocity_before);
    if (f->loops.block_count > 0)
        featherstone_project(f, step);
    f->started = true;
    f->placed = false;
    f->removed = removed;
}

static void featherstone_step(void *self, Step *step)
{
    Featherstone *f = self;
    World *world = step->world;
    int removed = articulated_count_removed(world);
    for (int b = 0; b < world->block_count; b++)
        world->block_impulse[b] = VEC3_ZERO;
    if (!f->started || removed != f->removed)
        featherstone_read(f, step, removed);
    motion_collect_forces(&f->motion, world);
    featherstone_settle_drives(f, step);
    if (f->options.common.integrator == INTEGRATE_RK4)
        featherstone_rk4(f, step);
    else
        featherstone_euler(f, step);
    featherstone_end(f, world);
    if (f->loops.block_count > 0)
        featherstone_project(f, step);
}

static int featherstone_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){.name = "acceleration", .iterations = 1, .iterate = featherstone_step};
    return 1;
}

static const PhaseStep FEATHERSTONE_STEPS[] = {
    {"acceleration", PHASE_ENTER, "", "accelerations of the joints' own coordinates, in linear time"},
    {"acceleration", PHASE_SWEEP, "drives", "Limits and drives jump to their velocity by an impulse, then hold it."},
    {"acceleration", PHASE_SWEEP, "outward",
     "From the root to the leaves: velocities, and the accelerations they bring.",
     "v_i = v_parent + S_i q'_i,  c_i = v_i x S_i q'_i"},
    {"acceleration", PHASE_SWEEP, "inward",
     "From the leaves to the root: inertia and force of all that hangs on a link.",
     "U = I^A S,  D = S^T U,  u = tau - S^T p^A\n"
     "I^A_parent += I^A - U D^-1 U^T,  p^A_parent += p^A + (I^A - U D^-1 U^T) c + U D^-1 u"},
    {"acceleration", PHASE_SWEEP, "accelerations", "From the root to the leaves.",
     "q'' = D^-1 (u - U^T a_parent),  a = a_parent + c + S q''"},
    {"acceleration", PHASE_SWEEP, "loops", "Loops were cut, and are closed by multipliers.",
     "(J H^-1 J^T) lambda = -(J q''_free + J' q')"},
    {"acceleration", PHASE_SWEEP, "integrate", "The classical Runge-Kutta method: four passes a substep.",
     "(q, q') <- RK4 of q'' = ABA(q, q', tau)", "integrator", "rk4"},
    {"acceleration", PHASE_SWEEP, "integrate", "Forward Euler.", "q <- q + h q',  q' <- q' + h q''", "integrator",
     "forward"},
    {"acceleration", PHASE_SWEEP, "integrate", "Semi-implicit Euler.", "q' <- q' + h q'',  q <- q + h q'"},
    {"acceleration", PHASE_SWEEP, "project", "Coordinates go back onto the loops, the shortest way, then velocities."},
    {NULL},
};

const Solver featherstone_solver = {
    .abi = SOLVER_ABI,
    .name = "featherstone",
    .summary = "reduced coordinates by the articulated-body algorithm, loops closed by multipliers",
    .reference = "Featherstone 1983; Featherstone 2008, ch. 5, 7, 8, 11",
    .capabilities = CAN_JOINTS | CAN_LOOPS | CAN_LIMITS | CAN_DRIVES | CAN_DAMPING | CAN_PARTICLES,
    SOLVER_SETTINGS(FEATHERSTONE_SETTINGS),
    .steps = FEATHERSTONE_STEPS,
    .options_size = sizeof(FeatherstoneOptions),
    .create = featherstone_create,
    .destroy = featherstone_destroy,
    .plan = featherstone_plan,
};
