/* SPDX-License-Identifier: MIT */
/* Joint coordinates with contacts: the tree's coordinates are all that moves, so joints never drift, and rows of
 * contacts, limits, drives and loops are swept as in `pgs`, but over the coordinates (Featherstone 2008, ch. 7, 11):
 *
 *     qdot* = (S^T M S)^-1 S^T M v*,   v* free flight;   u = sum of Y lambda,   sweeps over lambda;   q = q + h (qdot*
 * + u).
 *
 * Forces of turning axes are explicit, and what floats keeps its momenta (momentum.h); `coriolis=carried` carries the
 * momenta of all bodies over the turn instead, as solvers in maximal coordinates do. Y = M^-1 J^T is found in linear
 * time, and a row is read in as many steps as it is deep. `direct` holds the same joints by multipliers, `featherstone`
 * is the recursion without contacts. */
#include "solvers/articulated/closing.h"
#include "solvers/articulated/momentum.h"
#include "solvers/motion.h"
#include "solvers/tree/articulated_law.h"
#include "solvers/tree/spatial.h"

#include <string.h>

typedef enum ArticulatedPosition { ARTICULATED_BAUMGARTE, ARTICULATED_SPLIT, ARTICULATED_NONE } ArticulatedPosition;
typedef enum ArticulatedCoriolis { CORIOLIS_EXPLICIT, CORIOLIS_CARRIED } ArticulatedCoriolis;
typedef enum ArticulatedLoops { LOOPS_DIRECT, LOOPS_SWEPT } ArticulatedLoops;

static const char *const POSITIONS[] = {"baumgarte", "split", "none", NULL};
static const char *const FRICTIONS[] = {"cone", "pyramid", "box", NULL};
static const char *const CORIOLIS[] = {"explicit", "carried", NULL};
static const char *const GYROSCOPIC_CHOICES[] = {"off", "explicit", "implicit", NULL};
static const char *const LOOPS[] = {"direct", "swept", NULL};

typedef struct ArticulatedOptions {
    CommonOptions common;
    int warm_start;
    double warm_share;
    int position, position_iterations;
    double beta, relaxation;
    int friction, block, loops, coriolis;
    double slop, push_speed, restitution_threshold;
    double contact_hertz, contact_zeta, contact_cap;
} ArticulatedOptions;

static const Setting ARTICULATED_SETTINGS[] = {
    SUBSTEPS_SETTING(1),
    PARAM_INT(CommonOptions, iterations, "sweeps over all rows in a substep", 20, 1, 1e6),
    FLIGHT_SETTINGS(GYROSCOPIC_IMPLICIT, GYROSCOPIC_CHOICES),
    STOP_RESIDUAL_SETTING,
    PARAM_BOOL(ArticulatedOptions, warm_start, "begin with the multipliers of the last substep", true),
    PARAM_REAL(ArticulatedOptions, warm_share, "share of them to begin with", 1, 0, 1),
    PARAM_CHOICE(ArticulatedOptions, position, "how errors of contacts, limits and loops are taken back",
                 ARTICULATED_BAUMGARTE, 2, POSITIONS),
    PARAM_REAL(ArticulatedOptions, beta, "share of the error taken back in a substep (baumgarte, split)", 0.2, 0, 2.5),
    PARAM_INT(ArticulatedOptions, position_iterations, "sweeps of the position pass (split)", 4, 1, 1e6),
    PARAM_REAL(ArticulatedOptions, relaxation, "scales each change of a multiplier but friction's", 1, 0, 2),
    PARAM_CHOICE(ArticulatedOptions, friction,
                 "bound of a contact's tangents: cone, pyramid, or the lecture's mu m_c g (box)", FRICTION_CONE, 2,
                 FRICTIONS),
    PARAM_BOOL(ArticulatedOptions, block, "stop both tangents of a point at once, where they can be", false),
    PARAM_CHOICE(ArticulatedOptions, loops,
                 "rigid rows of joints that close loops: solved directly, or swept as others", LOOPS_DIRECT, 1, LOOPS),
    PARAM_CHOICE(ArticulatedOptions, coriolis,
                 "forces of turning axes: as they are when the substep begins, or by carrying the bodies' momenta, as "
                 "solvers in maximal coordinates do",
                 CORIOLIS_EXPLICIT, 1, CORIOLIS),
    SLOP_SETTING(ArticulatedOptions),
    PUSH_SPEED_SETTING(ArticulatedOptions),
    RESTITUTION_THRESHOLD_SETTING(ArticulatedOptions),
    PARAM_REAL(ArticulatedOptions, contact_hertz,
               "closed contacts are springs of this frequency, twice it against fixed bodies (1/s); 0: rigid", 0, 0,
               1e6),
    PARAM_REAL(ArticulatedOptions, contact_zeta, "their damping ratio", 10, 0, 1e6),
    PARAM_REAL(ArticulatedOptions, contact_cap, "their frequency times the substep is at most this", 0.25, 0, 1e6),
};

typedef struct Backend {
    Arrays arrays;
    ArticulatedOptions options;
    Motion motion;
    Articulated tree;
    Forest forest;
    CoordinateRows rows;
    Closing closing;
    Velocity *body; /* of each body: room for velocities */
    Vec3 *moved;    /* of each body: where its velocity alone would have taken it */
    FloatingTree *trees;
    double (*c)[6]; /* of each link: its Coriolis acceleration as the substep begins; zero where momenta are carried */
    double *free, *way; /* speeds without rows, and what they move by: of each coordinate */
    double *w;          /* what the pass that takes errors back adds to the way */
    double *still;      /* zeros */
    double *speeds;     /* under all rows but those of closed loops */
    bool started;       /* the coordinates were read; from then on the tree's own count */
    bool swept_loops;   /* there were too many rows to close them directly */
    bool warm;          /* there are multipliers to start from */
    int removed;
} Backend;

static void backend_destroy(void *self)
{
    Backend *backend = self;
    if (!backend)
        return;
    motion_free(&backend->motion);
    articulated_free(&backend->tree);
    forest_free(&backend->forest);
    coordinate_rows_free(&backend->rows);
    closing_free(&backend->closing);
    arrays_free(&backend->arrays);
    free(backend);
}

static bool backend_reserve(void *self, const World *world, Status *status)
{
    Backend *backend = self;
    return coordinate_rows_reserve(&backend->rows, &backend->forest, &backend->tree, world, status);
}

/* The pushes of joints without rows act along axes that the tree alone knows. */
static void backend_leave_pushes(Motion *motion, const World *world)
{
    int kept = 0;
    for (int k = 0; k < motion->actuated_count; k++)
        if (!world->joints[motion->actuated[k]].needs_coordinates)
            motion->actuated[kept++] = motion->actuated[k];
    motion->actuated_count = kept;
}

static bool backend_init(void *self, const SolverTask *task, Status *status)
{
    Backend *backend = self;
    const World *world = task->world;
    Arrays *own = &backend->arrays;
    size_t bodies = (size_t)world->body_count, coordinates = LINK_MAX_DOFS * bodies;
    backend->options = *(const ArticulatedOptions *)task->options;
    bool wanted = backend->options.loops == LOOPS_DIRECT;
    bool ok = OWN_ARRAY(own, backend->body, bodies) && OWN_ARRAY(own, backend->c, bodies) &&
              OWN_ARRAY(own, backend->moved, bodies) && OWN_ARRAY(own, backend->trees, bodies) &&
              OWN_ARRAY(own, backend->free, coordinates) && OWN_ARRAY(own, backend->way, coordinates) &&
              OWN_ARRAY(own, backend->w, coordinates) && OWN_ARRAY(own, backend->still, coordinates) &&
              OWN_ARRAY(own, backend->speeds, coordinates) &&
              motion_init(&backend->motion, world, &backend->options.common) &&
              articulated_init(&backend->tree, world) && forest_init(&backend->forest, world) &&
              coordinate_rows_init(&backend->rows, world);
    backend->tree.with_rows = backend->tree.general = true;
    backend_leave_pushes(&backend->motion, world);
    if (!ok || !articulated_connect(&backend->tree, world, status) ||
        !closing_init(&backend->closing, &backend->tree, world, wanted) ||
        !coordinate_rows_connect(&backend->rows, &backend->tree, world, status))
        return false;
    forest_connect(&backend->forest, &backend->tree, world);
    backend->swept_loops = wanted && backend->closing.most == 0 && closing_rows(&backend->tree, world) > 0;
    backend->removed = articulated_count_removed(world);
    backend->warm = task->goes_on;
    if (!backend_reserve(backend, world, status))
        return false;
    if (backend->warm)
        row_system_recall_impulses(&backend->rows.system, world);
    return true;
}

static void *backend_create(const SolverTask *task, Status *status)
{
    return solver_create(task, sizeof(Backend), backend_init, backend_destroy, status);
}

static FrictionModel backend_friction(const ArticulatedOptions *o)
{
    return o->friction == FRICTION_CONE && !o->block ? FRICTION_DISC : (FrictionModel)o->friction;
}

static RowSetup backend_setup(const Backend *backend, const Step *step)
{
    const ArticulatedOptions *o = &backend->options;
    double h = step->h, contact = fmin(o->contact_hertz, o->contact_cap / h);
    return (RowSetup){.h = h,
                      .rate = o->position == ARTICULATED_BAUMGARTE ? o->beta / h : 0.0,
                      .relaxation = o->relaxation,
                      .soft_contact = soft_rows(contact, o->contact_zeta, h),
                      .soft_ground = soft_rows(2.0 * contact, o->contact_zeta, h),
                      .keep = o->warm_start && backend->warm ? o->warm_share : 0.0,
                      .friction = backend_friction(o),
                      .slop = o->slop,
                      .push_speed = o->push_speed,
                      .restitution_threshold = restitution_threshold_at(o->restitution_threshold, step->world, h)};
}

/* Poses follow from the coordinates. Where momenta are carried, the bodies keep their velocities. */
static void backend_place(Backend *backend, World *world)
{
    Articulated *tree = &backend->tree;
    bool carried = backend->options.coriolis == CORIOLIS_CARRIED;
    size_t size = sizeof *backend->body * (size_t)world->body_count;
    memcpy(backend->body, world->velocity, size);
    articulated_place(tree, tree->state, world);
    for (int i = 0; i < tree->link_count && !carried; i++)
        memcpy(backend->c[i], tree->links[i].at->c, sizeof backend->c[i]);
    if (carried)
        memcpy(world->velocity, backend->body, size);
    else
        articulated_keep_momentum(tree, world, backend->moved, backend->body, backend->trees);
}

/* The tree as the world is now, at the beginning and after a removal; what is left of a tree is trees, which as a rule
 * are smaller. False: they are not. */
static bool backend_read(Backend *backend, World *world, int removed)
{
    Status status;
    if (removed != backend->removed && articulated_connect(&backend->tree, world, &status)) {
        forest_connect(&backend->forest, &backend->tree, world);
        if (!coordinate_rows_connect(&backend->rows, &backend->tree, world, &status) ||
            !coordinate_rows_fit(&backend->rows, &backend->forest, &backend->tree, world))
            return false;
    }
    memcpy(backend->body, world->velocity, sizeof *backend->body * (size_t)world->body_count);
    articulated_read(&backend->tree, world, backend->body);
    for (int b = 0; b < world->body_count; b++)
        backend->moved[b] = world->pose[b].x;
    backend_place(backend, world);
    backend->started = true;
    backend->removed = removed;
    return true;
}

/* What the Coriolis accelerations change in a time h. */
static void backend_set_coriolis(const Backend *backend, double h)
{
    for (int i = 0; i < backend->tree.link_count; i++)
        for (int k = 0; k < 6; k++)
            backend->tree.links[i].at->c[k] = h * backend->c[i][k];
}

static void backend_take_speeds(const Backend *backend, double *speeds)
{
    const Articulated *tree = &backend->tree;
    for (int i = 0; i < tree->link_count; i++)
        memcpy(speeds + backend->forest.first[i], tree->links[i].moves->qddot,
               sizeof(double) * (size_t)tree->links[i].dofs);
}

/* The coordinates' speeds that have the momenta of these velocities after a time h: what joints forbid is taken out as
 * by an impact. */
static void backend_project(Backend *backend, const World *world, const Velocity *velocity, double h, double *speeds)
{
    Articulated *tree = &backend->tree;
    articulated_load(tree, velocity);
    articulated_add_laws_over(tree, tree->state, world, h);
    backend_set_coriolis(backend, h);
    articulated_solve(tree);
    backend_take_speeds(backend, speeds);
}

/* By what free flight moves each body in this substep, as a velocity: x_base + h (v - v_base). */
static void backend_find_way(const Backend *backend, const World *world, double h, Velocity *way)
{
    const Motion *motion = &backend->motion;
    for (int i = 0; i < world->body_count; i++) {
        Pose from = world->pose[i], base = motion->base_pose[i];
        Velocity v = world->velocity[i], at = motion->base_velocity[i];
        Vec3 turn = quat_log(quat_mul(base.q, quat_conj(from.q)));
        way[i].v = vec3_add_scaled(vec3_sub(v.v, at.v), 1.0 / h, vec3_sub(base.x, from.x));
        way[i].w = vec3_add_scaled(vec3_sub(v.w, at.w), 1.0 / h, turn);
    }
}

/* The links' A are the velocities of their bodies. */
static void backend_take_velocities(const Articulated *tree, World *world)
{
    for (int i = 0; i < tree->link_count; i++) {
        const double *A = tree->links[i].moves->A;
        world->velocity[tree->links[i].body] = (Velocity){vec3(A[3], A[4], A[5]), vec3(A[0], A[1], A[2])};
    }
}

/* How much of a substep's acceleration the way has: all, none of it, or its mean. */
static double backend_way_time(const Backend *backend, double h)
{
    static const double SHARE[] = {[INTEGRATE_FORWARD] = 0.0, [INTEGRATE_SEMI_IMPLICIT] = 1.0, [INTEGRATE_RK4] = 0.5};
    return SHARE[backend->options.common.integrator] * h;
}

/* Free flight, and what the joints leave of it. */
static void backend_fly(Backend *backend, Step *step)
{
    World *world = step->world;
    motion_begin(&backend->motion, world, step->h);
    motion_damp(&backend->motion, world, step->h);
    if (backend->options.common.integrator != INTEGRATE_SEMI_IMPLICIT) {
        backend_find_way(backend, world, step->h, backend->body);
        backend_project(backend, world, backend->body, backend_way_time(backend, step->h), backend->way);
        step->row_solves += backend->tree.dof_count;
    }
    backend_project(backend, world, world->velocity, step->h, backend->free);
    step->row_solves += backend->tree.dof_count;
    if (backend->options.common.integrator == INTEGRATE_SEMI_IMPLICIT)
        memcpy(backend->way, backend->free, sizeof *backend->way * (size_t)backend->tree.dof_count);
    backend_set_coriolis(backend, 0.0);
    articulated_accelerate(&backend->tree);
    backend_take_velocities(&backend->tree, world);
}

static void backend_begin(void *self, Step *step)
{
    Backend *backend = self;
    World *world = step->world;
    int removed = articulated_count_removed(world);
    if ((!backend->started || removed != backend->removed) && !backend_read(backend, world, removed)) {
        step_fail(step, "what is left without a body that was removed has longer trees than before");
        return;
    }
    RowSetup setup = backend_setup(backend, step);
    step_report_recovery(step, backend->options.push_speed);
    if (backend->swept_loops)
        step_report(step, "too many rows close loops: swept");
    backend_fly(backend, step);
    coordinate_rows_prepare(&backend->rows, &backend->forest, &backend->tree, world, &setup);
    step->row_solves += closing_prepare(&backend->closing, &backend->rows, &backend->tree, world);
    if (closing_is_dependent(&backend->closing))
        step_report(step, "dependent rows: multipliers of least norm");
    closing_close(&backend->closing, backend->rows.u);
    coordinate_rows_apply(&backend->rows);
    memset(backend->w, 0, sizeof *backend->w * (size_t)backend->tree.dof_count);
    backend->warm = true;
}

static void backend_iterate(void *self, Step *step)
{
    step->row_solves += coordinate_rows_sweep(&((Backend *)self)->rows);
}

static double backend_residual(void *self, const Step *step)
{
    (void)step;
    return coordinate_rows_residual(&((Backend *)self)->rows);
}

/* Errors are taken back by speeds that live for this move alone. */
static void backend_begin_split(void *self, Step *step)
{
    Backend *backend = self;
    RowSetup setup = backend_setup(backend, step);
    setup.rate = backend->options.beta / step->h;
    coordinate_rows_begin_back(&backend->rows, &setup);
    closing_close_back(&backend->closing, backend->w);
}

static void backend_iterate_split(void *self, Step *step)
{
    Backend *backend = self;
    step->row_solves += coordinate_rows_sweep_back(&backend->rows, backend->w);
}

/* The tree's qddot: these speeds and what the rows have changed. */
static void backend_set_speeds(const Backend *backend, const double *speeds, const double *more)
{
    for (int i = 0; i < backend->tree.link_count; i++) {
        const Link *link = &backend->tree.links[i];
        for (int k = 0, c = backend->forest.first[i]; k < link->dofs; k++, c++)
            link->moves->qddot[k] = speeds[c] + backend->rows.u[c] + more[c];
    }
}

/* All impulses act on the tree: what its joints carry follows. */
static void backend_give(Backend *backend, Step *step)
{
    World *world = step->world;
    Articulated *tree = &backend->tree;
    coordinate_rows_push(&backend->rows, tree, false);
    if (backend->closing.count > 0) {
        backend_set_coriolis(backend, step->h);
        articulated_solve(tree);
        backend_take_speeds(backend, backend->speeds);
        closing_find_multipliers(&backend->closing, backend->speeds);
        coordinate_rows_push(&backend->rows, tree, true);
    }
    backend_set_speeds(backend, backend->free, backend->still);
    backend_set_coriolis(backend, step->h);
    articulated_accelerate(tree);
    row_system_store_impulses(&backend->rows.system, world);
    articulated_reactions(tree, world, 1.0, world->block_impulse);
    backend_take_velocities(tree, world);
}

/* The links' speeds from the tree's qddot. */
static LinkState link_speeds(const Link *link, const Articulated *tree, const World *world)
{
    LinkState state = link_get(link, tree->state);
    link_stop(link, &state);
    link_add_jump(link, &state, world);
    return state;
}

/* Coordinates move by their way. */
static void backend_move(void *self, Step *step)
{
    Backend *backend = self;
    World *world = step->world;
    Articulated *tree = &backend->tree;
    backend_give(backend, step);
    for (int i = 0; i < tree->link_count; i++) {
        LinkState state = link_speeds(&tree->links[i], tree, world);
        link_put(&tree->links[i], tree->state, &state);
    }
    backend_set_speeds(backend, backend->way, backend->w);
    backend_set_coriolis(backend, backend_way_time(backend, step->h));
    articulated_accelerate(tree);
    for (int i = 0; i < tree->link_count; i++) {
        int body = tree->links[i].body;
        backend->moved[body] = vec3_add_scaled(world->pose[body].x, step->h, linear(tree->links[i].moves->A));
    }
    for (int i = 0; i < tree->link_count; i++) {
        const Link *link = &tree->links[i];
        LinkState state = link_get(link, tree->state), way = link_speeds(link, tree, world);
        link_move(link, &state, &way, step->h);
        link_normalise(link, &state);
        link_put(link, tree->state, &state);
    }
    backend_place(backend, world);
}

static int backend_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    const ArticulatedOptions *o = &((Backend *)self)->options;
    int count = 0;
    phases[count++] = (Phase){.name = "velocity",
                              .iterations = o->common.iterations,
                              .enter = backend_begin,
                              .iterate = backend_iterate,
                              .residual = backend_residual};
    if (o->position == ARTICULATED_SPLIT)
        phases[count++] = (Phase){.name = "split",
                                  .iterations = o->position_iterations,
                                  .enter = backend_begin_split,
                                  .iterate = backend_iterate_split};
    phases[count++] = (Phase){.name = "move", .enter = backend_move};
    return count;
}

#define SOFT_WORDS "f = min({contact_hertz}, {contact_cap}/h),  w = 2 pi f,  a = 2 x {contact_zeta} + h w\n"

static const PhaseStep ARTICULATED_STEPS[] = {
    {"velocity", PHASE_ENTER, "", "impulses by sweeps over the rows, which the trees of joints answer"},
    FLIGHT_WORDS("velocity"),
    {"velocity", PHASE_ENTER, "damping", "Damped joints slow down along their free directions, by pairs of impulses.",
     "v* <- v* max(0, 1 - c h)"},
    {"velocity", PHASE_ENTER, "joints",
     "The speeds of the joints' coordinates that have the momenta of free flight: from the leaves to the root the "
     "inertia and momentum of all that hangs on a link, from the root to the leaves the speeds.",
     "U = I^A S,  D = S^T U,  I^A_parent += I^A - U D^-1 U^T,  p^A_parent += p^A - U D^-1 S^T p^A\n"
     "q'* = D^-1 (-S^T p^A - U^T V_parent),  V = V_parent + S q'*"},
    {"velocity", PHASE_ENTER, "laws",
     "Springs, viscous friction, unbounded drives and armature of a coordinate stand on the diagonal of D, by backward "
     "Euler.",
     "D_jj += I + h d + h^2 k,  right side += I q' + h (f + d q')"},
    {"velocity", PHASE_ENTER, "Coriolis", "What axes that turn do to the momenta, as it is when the substep begins.",
     "p^A_parent += (I^A - U D^-1 U^T) h c,  V = V_parent + h c + S q'*,  c = S' q'", "coriolis", "explicit"},
    {"velocity", PHASE_ENTER, "Coriolis",
     "Bodies have the velocities of the last substep's end, where axes had not turned yet: no force is missing."},
    {"velocity", PHASE_ENTER, "rows",
     "Each row of contacts, limits, bounded drives, dry friction, couplings, soft and cut joints: a unit impulse goes "
     "up to the root and comes down the "
     "tree.",
     "Y = M^-1 J^T,  A_ii = J_i Y_i + s_i,  s_i = alpha_i/h^2"},
    {"velocity", PHASE_ENTER, "errors", "The share {beta} of an error is taken back, by Baumgarte's rule.",
     "bias = {beta} C/h", "position", "baumgarte"},
    {"velocity", PHASE_ENTER, "errors", "Errors wait: the velocities do not know of them.", "bias = 0"},
    {"velocity", PHASE_ENTER, "errors of contacts",
     "Closed contacts are springs of {contact_hertz} Hz, twice that against fixed bodies, and damping ratio "
     "{contact_zeta}, by backward Euler. They part at no more than {push_speed} m/s. A gap may close, and no more.",
     SOFT_WORDS "bias = max((C + {slop} m) w/a, -{push_speed} m/s),  s = A_nn/(h w a)\nopen: bias = C/h",
     "contact_hertz", "!0"},
    {"velocity", PHASE_ENTER, "errors of contacts",
     "The share {beta} of an overlap beyond {slop} m is taken back, at no more than {push_speed} m/s. A gap may close, "
     "and no more.",
     "bias = max({beta} (C + {slop} m)/h, -{push_speed} m/s)\nopen: bias = C/h", "position", "baumgarte"},
    {"velocity", PHASE_ENTER, "errors of contacts", "An overlap waits. A gap may close, and no more.",
     "bias = 0\nopen: bias = C/h"},
    {"velocity", PHASE_ENTER, "restitution",
     "Who approaches faster than {restitution_threshold} m/s is asked to part with the share e of that.",
     "bias = e v_n of the substep's beginning"},
    {"velocity", PHASE_ENTER, "loops",
     "Joints that close loops are cut; their rigid rows are solved directly, and no other row moves them again.",
     "lambda_l = -W^+ (J_l v + bias),  W = J_l Y_l\nY <- Y - Y_l W^+ J_l Y", "loops", "direct"},
    {"velocity", PHASE_ENTER, "loops", "Joints that close loops are cut; their rows are swept as all others."},
    {"velocity", PHASE_ENTER, "warm start", "The sweeps begin without impulses.", "lambda = 0", "warm_start", "false"},
    {"velocity", PHASE_ENTER, "warm start", "The sweeps begin with the multipliers of the last substep.",
     "lambda = lambda_last,  u = Y lambda", "warm_share", "1"},
    {"velocity", PHASE_ENTER, "warm start", "The sweeps begin with {warm_share} of the last substep's multipliers.",
     "lambda = {warm_share} lambda_last,  u = Y lambda"},
    {"velocity", PHASE_SWEEP, "joints", "Row by row; the next one sees the new speeds.",
     "lambda_i <- clamp(lambda_i - {relaxation} (J_i (q'* + u) + bias_i + s_i lambda_i)/A_ii)\nu <- u + Y_i dlambda_i"},
    {"velocity", PHASE_SWEEP, "normals", "Of each contact point: its normal.",
     "lambda_n <- max(lambda_n - {relaxation} (v_n + bias + s lambda_n)/A_nn, 0)"},
    {"velocity", PHASE_SWEEP, "friction",
     "Then its two tangents, each by itself, within the lecture's box, whatever the load.",
     "lambda_t <- clamp(lambda_t - v_t/A_tt, -mu m_c g h, mu m_c g h)", "friction", "box"},
    {"velocity", PHASE_SWEEP, "friction", "Then its two tangents, each by itself, within the pyramid.",
     "lambda_t <- clamp(lambda_t - v_t/A_tt, -mu lambda_n, mu lambda_n)", "friction", "pyramid"},
    {"velocity", PHASE_SWEEP, "friction", "Then both its tangents at once while it sticks.",
     "lambda_t <- lambda_t - A_tt^-1 v_t,  back to |lambda_t| <= mu lambda_n", "block", "true"},
    {"velocity", PHASE_SWEEP, "friction", "Then its two tangents with one common step, back to the disc.",
     "lambda_t <- lambda_t - v_t/max eig A_tt,  back to |lambda_t| <= mu lambda_n"},
    {"velocity", PHASE_SWEEP, "turning",
     "Last of a sweep: each contact point whose materials resist spinning or rolling, by their lengths c.",
     "|lambda_n| <= c_spin N,  |lambda_t| <= c_roll N"},
    {"split", PHASE_ENTER, "", "speeds that take back errors, and are forgotten after the move"},
    {"split", PHASE_ENTER, "rows", "The same rows, rigid and violated ones alone, with speeds of their own.",
     "bias = {beta} C/h,  w = 0,  lambda = 0"},
    {"split", PHASE_SWEEP, "rows", "Row by row.",
     "lambda_i <- clamp(lambda_i - {relaxation} (J_i w + bias_i)/A_ii)\nw <- w + Y_i dlambda_i"},
    {"move", PHASE_ENTER, "", "the coordinates follow their speeds, and the poses the coordinates"},
    {"move", PHASE_ENTER, "reactions", "What each joint carries, from the leaves to the root.",
     "F = I V - I v* - sum of J^T lambda + sum of the children's F"},
    {"move", PHASE_ENTER, "move", "Turns go along arcs. Joints hold by what coordinates are.",
     "q <- q + h (q'* + u + w),  x = x(q)", "position", "split"},
    {"move", PHASE_ENTER, "move", "Turns go along arcs. Joints hold by what coordinates are.",
     "q <- q + h (q'* + u),  x = x(q)"},
    {"move", PHASE_ENTER, "momentum", NULL, NULL, "coriolis", "carried"},
    {"move", PHASE_ENTER, "momentum",
     "Trees that hang on nothing have the momenta of before the move: a rigid motion makes up for what axes that "
     "turned "
     "have changed.",
     "V <- V + (v + w x (x - x_c), w),  m v = P - P(x),  I w = L - L(x)"},
    {NULL},
};

static const Convention ARTICULATED_CONVENTIONS[] = {
    {CONVENTION_LAW, "friction", "pyramid", "pyramid of 4 facets: each tangent within mu lambda_n"},
    {CONVENTION_LAW, "friction", "box", "box: each tangent within mu m_c g h, whatever the load"},
    {CONVENTION_LAW, NULL, NULL, "cone: |lambda_t| <= mu lambda_n"},
    {CONVENTION_NORMALS, NULL, NULL, "by row, point after point"},
    {CONVENTION_ORDER, "friction", "pyramid", "after its normal, each tangent by itself"},
    {CONVENTION_ORDER, "friction", "box", "after its normal, each tangent by itself"},
    {CONVENTION_ORDER, "block", "true", "after its normal; both tangents of a point at once while it sticks"},
    {CONVENTION_ORDER, NULL, NULL, "after its normal; both tangents with one common step, back to the disc"},
    {CONVENTION_SLOP, NULL, NULL, "{slop} m"},
    {CONVENTION_PUSH, "contact_hertz", "!0",
     "by springs of {contact_hertz} 1/s, damping ratio {contact_zeta}, {push_speed} m/s at most"},
    {CONVENTION_PUSH, "position", "none", "not at all"},
    {CONVENTION_PUSH, NULL, NULL, "{position}, {beta} of it a substep, {push_speed} m/s at most"},
    {CONVENTION_RESTITUTION, NULL, NULL,
     "Newton, v_n >= -e v_n-, in the normal's bias; above {restitution_threshold} m/s"},
    {CONVENTION_WARM_START, "warm_start", "true", "normals, tangents and torsion, {warm_share} of the last substep's"},
    {CONVENTION_WARM_START, NULL, NULL, "nothing"},
};

const Solver articulated_solver = {
    .abi = SOLVER_ABI,
    .name = "articulated",
    .summary = "joint coordinates with contacts: articulated bodies, impulses by projected Gauss-Seidel",
    .reference = "Featherstone 2008, ch. 7, 8, 11; Mirtich 1996",
    .capabilities = (CAN_ALL_JOINTS & ~CAN_FOUR_BODY) | CAN_CONTACTS | CAN_COULOMB | CAN_ROLLING | CAN_ALL_LAWS |
                    CAN_COUPLINGS | CAN_COORDINATES,
    SOLVER_SETTINGS(ARTICULATED_SETTINGS),
    SOLVER_CONVENTIONS(ARTICULATED_CONVENTIONS),
    .steps = ARTICULATED_STEPS,
    .options_size = sizeof(ArticulatedOptions),
    .create = backend_create,
    .destroy = backend_destroy,
    .reserve = backend_reserve,
    .plan = backend_plan,
};
