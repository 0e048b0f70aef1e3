/* Reduced coordinates by the articulated-body algorithm: only the motions that the joints leave free are integrated,
 * so joints never drift, and a step costs time in proportion to the number of links (Featherstone 1983, 2008).
 *
 *     q'' = ABA(q, q', tau)      integrated by forward or semi-implicit Euler or RK4
 *
 * Limits and drives (articulated_drive.h) jump to their velocity by an impulse at the step's beginning, then hold it.
 * The coordinates are read from the world at the first step, and again when a body was removed; in between the tree's
 * own count. Velocity-dependent terms are explicit, hence RK4 by default; there is no implicit gyroscopic term. */
#include "solvers/motion.h"
#include "solvers/tree/articulated_drive.h"

#include <stdlib.h>
#include <string.h>

/* Passes of the search for the rows that hold; a few suffice unless limits fight each other. */
enum { DRIVE_PASSES = 20 };

typedef struct FeatherstoneOptions {
    CommonOptions common;
} FeatherstoneOptions;

static const char *const GYROSCOPIC_CHOICES[] = {"off", "explicit", NULL};

static const Setting FEATHERSTONE_SETTINGS[] = {
    SUBSTEPS_SETTING(20),
    PARAM_CHOICE(CommonOptions, integrator, "of the coordinates", INTEGRATE_RK4, 2, integrator_names),
    PARAM_CHOICE(CommonOptions, gyroscopic, "how -w x I w enters", GYROSCOPIC_EXPLICIT, 1, GYROSCOPIC_CHOICES),
};

typedef struct Featherstone {
    FeatherstoneOptions options;
    Motion motion;
    Articulated tree;
    Drives drives;
    LinkState *stage, *sum;
    Velocity *alone; /* accelerations without joints */
    bool started;
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
    free(f->stage);
    free(f->sum);
    free(f->alone);
    free(f);
}

static bool featherstone_init(Featherstone *f, const World *world)
{
    size_t bodies = (size_t)world->body_count;
    f->stage = calloc(bodies, sizeof *f->stage);
    f->sum = calloc(bodies, sizeof *f->sum);
    f->alone = calloc(bodies, sizeof *f->alone);
    return f->stage && f->sum && f->alone && motion_init(&f->motion, world, &f->options.common) &&
           articulated_init(&f->tree, world) && drives_init(&f->drives, world);
}

static void *featherstone_create(const SolverTask *task, Status *status)
{
    const World *world = task->world;
    Featherstone *f = calloc(1, sizeof *f);
    if (f)
        f->options = *(const FeatherstoneOptions *)task->options;
    if (!f || !featherstone_init(f, world)) {
        featherstone_destroy(f);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    if (!articulated_connect(&f->tree, world, status)) {
        featherstone_destroy(f);
        return NULL;
    }
    drives_connect(&f->drives, &f->tree, world);
    f->removed = articulated_count_removed(world);
    return f;
}

static void featherstone_solve(Featherstone *f, Step *step)
{
    articulated_solve(&f->tree);
    articulated_forces(&f->tree);
    step->row_solves += f->tree.dof_count;
}

/* q'' at a state; its reactions count for the time `share`. */
static void featherstone_evaluate(Featherstone *f, Step *step, const LinkState *state, double share)
{
    articulated_place(&f->tree, state, step->world);
    motion_accelerations(&f->motion, step->world, 0.0, f->alone);
    articulated_load(&f->tree, f->alone);
    drives_hold(&f->drives, &f->tree, step->world);
    featherstone_solve(f, step);
    articulated_add_reactions(&f->tree, step->world, share, step->world->block_impulse);
}

/* All bodies at their joints' velocities, at once: no forces act and nothing moves meanwhile. */
static void featherstone_jump(Featherstone *f, Step *step)
{
    Articulated *tree = &f->tree;
    drives_reach(&f->drives, tree, 1.0, false);
    for (int i = 0; i < tree->link_count; i++) {
        memset(tree->links[i].c, 0, sizeof tree->links[i].c);
        memset(tree->links[i].p, 0, sizeof tree->links[i].p);
    }
    featherstone_solve(f, step);
    articulated_add_reactions(tree, step->world, 1.0, step->world->block_impulse);
    for (int i = 0; i < tree->link_count; i++)
        link_add_jump(&tree->links[i], &tree->state[i], step->world);
}

/* Which limits and drives hold in this step, and their jump. */
static void featherstone_settle_drives(Featherstone *f, Step *step)
{
    World *world = step->world;
    if (f->drives.count == 0)
        return;
    articulated_place(&f->tree, f->tree.state, world);
    motion_accelerations(&f->motion, world, 0.0, f->alone);
    articulated_load(&f->tree, f->alone);
    drives_begin(&f->drives, &f->tree, world, step->h);
    int pass = 0;
    bool changed = true;
    for (; changed && pass < DRIVE_PASSES; pass++) {
        drives_reach(&f->drives, &f->tree, step->h, true);
        featherstone_solve(f, step);
        changed = drives_revise(&f->drives, &f->tree, step->h);
    }
    if (changed)
        step_report(step, "limits and drives did not settle");
    if (drives_jump(&f->drives))
        featherstone_jump(f, step);
}

/* state + h rate */
static void link_add(LinkState *state, double h, const LinkState *rate)
{
    state->turn = (Quat){state->turn.w + h * rate->turn.w, state->turn.x + h * rate->turn.x,
                         state->turn.y + h * rate->turn.y, state->turn.z + h * rate->turn.z};
    state->angle += h * rate->angle;
    state->shift = vec3_add_scaled(state->shift, h, rate->shift);
    state->spin = vec3_add_scaled(state->spin, h, rate->spin);
    state->rate = vec3_add_scaled(state->rate, h, rate->rate);
}

/* The classical Runge-Kutta step. */
static void featherstone_rk4(Featherstone *f, Step *step)
{
    Articulated *tree = &f->tree;
    size_t bytes = sizeof *tree->state * (size_t)tree->link_count;
    memcpy(f->stage, tree->state, bytes);
    memcpy(f->sum, tree->state, bytes);
    for (int s = 0; s < RK4_STAGES; s++) {
        featherstone_evaluate(f, step, f->stage, step->h * RK4_WEIGHT[s]);
        for (int i = 0; i < tree->link_count; i++) {
            const Link *link = &tree->links[i];
            LinkState rate = link_derivative(link, &f->stage[i], step->world, true);
            link_add(&f->sum[i], step->h * RK4_WEIGHT[s], &rate);
            f->stage[i] = tree->state[i];
            link_add(&f->stage[i], step->h * RK4_AT[s + 1], &rate);
            link_normalise(link, &f->stage[i]);
        }
    }
    memcpy(tree->state, f->sum, bytes);
}

/* Coordinates move by the old speeds (forward) or the new ones (semi-implicit), turns and directions along arcs. */
static void featherstone_euler(Featherstone *f, Step *step)
{
    Articulated *tree = &f->tree;
    double h = step->h;
    featherstone_evaluate(f, step, tree->state, h);
    for (int i = 0; i < tree->link_count; i++) {
        const Link *link = &tree->links[i];
        LinkState *state = &tree->state[i], rate = link_derivative(link, state, step->world, false), old = *state;
        state->spin = vec3_add_scaled(state->spin, h, rate.spin);
        state->rate = vec3_add_scaled(state->rate, h, rate.rate);
        const LinkState *speeds = f->options.common.integrator == INTEGRATE_FORWARD ? &old : state;
        if (link->turn == TURN_FREE)
            state->turn = quat_mul(quat_exp(vec3_scale(h, speeds->spin)), state->turn);
        state->angle += h * speeds->spin.x;
        if (link->shift == SHIFT_SPHERE) {
            Quat arc = quat_exp(vec3_scale(h, vec3_cross(old.shift, speeds->rate)));
            state->shift = quat_rotate(arc, old.shift);
            state->rate = quat_rotate(arc, state->rate);
        } else {
            state->shift = vec3_add_scaled(state->shift, h, speeds->rate);
        }
    }
}

static void featherstone_step(void *self, Step *step)
{
    Featherstone *f = self;
    World *world = step->world;
    int removed = articulated_count_removed(world);
    Status status;
    /* What is left of a tree is trees: this cannot be refused. */
    if (removed != f->removed && articulated_connect(&f->tree, world, &status))
        drives_connect(&f->drives, &f->tree, world);
    if (!f->started || removed != f->removed)
        articulated_read(&f->tree, world, world->velocity_before);
    f->started = true;
    f->removed = removed;
    for (int b = 0; b < world->block_count; b++)
        world->block_impulse[b] = VEC3_ZERO;
    featherstone_settle_drives(f, step);
    if (f->options.common.integrator == INTEGRATE_RK4)
        featherstone_rk4(f, step);
    else
        featherstone_euler(f, step);
    for (int i = 0; i < f->tree.link_count; i++)
        link_normalise(&f->tree.links[i], &f->tree.state[i]);
    articulated_place(&f->tree, f->tree.state, world);
}

static int featherstone_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){.name = "acceleration", .iterations = 1, .iterate = featherstone_step};
    return 1;
}

const Solver featherstone_solver = {
    .abi = SOLVER_ABI,
    .name = "featherstone",
    .summary = "reduced coordinates by the articulated-body algorithm, linear time",
    .reference = "Featherstone 1983; Featherstone 2008, ch. 5, 7, 11",
    .capabilities = CAN_JOINTS | CAN_LIMITS | CAN_DRIVES | CAN_DAMPING | CAN_PARTICLES,
    .settings = FEATHERSTONE_SETTINGS,
    .setting_count = sizeof FEATHERSTONE_SETTINGS / sizeof FEATHERSTONE_SETTINGS[0],
    .options_size = sizeof(FeatherstoneOptions),
    .create = featherstone_create,
    .destroy = featherstone_destroy,
    .plan = featherstone_plan,
};
