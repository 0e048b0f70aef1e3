/* SPDX-License-Identifier: MIT */
/* Augmented vertex block descent (Giles, Diaz, Yuksel 2025) for rigid bodies. Each body in turn makes a Newton step on
 *     (1/2 h^2) |x - y|_M^2 + sum over rows of the augmented energy,   y = x_old + h v + h^2 g,
 *     (M/h^2 + sum k J J^T + |f| G) dx = M/h^2 (y - x) + sum J f,   f = clamp(lambda - k C*)      (descent/element.h),
 * the others held; after each sweep over the bodies lambda = f, and k += beta |C*| where f is inside its bounds. From
 * step to step lambda *= alpha gamma, k *= gamma. With `post_stabilise` errors wait altogether (alpha = 1), lambda is
 * kept whole, and one last sweep without multipliers' update takes the errors back once v = (x - x_old)/h is taken.
 * The variant vbd (Chen et al. 2024) has no multipliers and constant penalties. Restitution is not theirs: bounce.h.
 * Bodies are solved one by one, so momentum is kept as the sweeps converge, not in each. */
#include "solvers/contact/point_memory.h"
#include "solvers/descent/demo_face.h"
#include "solvers/descent/element.h"
#include "solvers/linear/small.h"
#include "solvers/motion.h"
#include "solvers/position/bounce.h"

#include <stdlib.h>
#include <string.h>

typedef struct AvbdOptions {
    CommonOptions common;
    double alpha, gamma, beta, penalty_min, penalty_max;
    int post_stabilise, dual, per_kg, demo_contacts;
    double restitution_threshold;
    int velocity_iterations;
} AvbdOptions;

static const Setting AVBD_SETTINGS[] = {
    COMMON_SETTINGS(1, 10),
    PARAM_REAL(AvbdOptions, alpha, "share of an error that is left alone in a step, and of the multipliers kept", 0.99,
               0, 1),
    PARAM_REAL(AvbdOptions, gamma, "share of penalties and multipliers kept from step to step", 0.99, 0, 1),
    PARAM_REAL(AvbdOptions, beta, "growth of penalties: per sweep and metre of error (N/m^2; with per_kg 1/(m s^2))",
               1e5, 0, 1e30),
    PARAM_REAL(AvbdOptions, penalty_min, "least penalty (N/m; with per_kg 1/s^2)", 1, 0, 1e30),
    PARAM_REAL(AvbdOptions, penalty_max, "largest penalty (N/m; with per_kg 1/s^2)", 1e9, 0, 1e30),
    PARAM_BOOL(AvbdOptions, per_kg,
               "the last three are per kg of a row's effective mass; else as the authors have them", true),
    PARAM_BOOL(AvbdOptions, demo_contacts,
               "contacts as the authors' demo has them: those that overlap, and to 0.0005 m at rest", false),
    PARAM_BOOL(AvbdOptions, post_stabilise, "errors are taken back by one last sweep, after the velocities", false),
    PARAM_BOOL(AvbdOptions, dual, "multipliers, and penalties that grow; else constant penalties (penalty_min)", true),
    RESTITUTION_THRESHOLD_SETTING(AvbdOptions),
    PARAM_INT(AvbdOptions, velocity_iterations, "sweeps over the rows of an impact that bounces, at most", 50, 1, 1e6),
};

typedef struct Avbd {
    AvbdOptions options;
    Motion motion;
    Bounce bounce;
    PointMemory memory;
    int element_count, element_capacity;
    Element *elements; /* the joints' blocks, which last, then those of contacts */
    int *start, *of;   /* by body: its elements, of[start[i] .. start[i + 1]); 4 of + side */
    int of_capacity;
    Multiplier *given; /* by block, for the bounce */
    int given_capacity;
    Pose *inertial;       /* y */
    Velocity *last, *old; /* velocities of the last two substeps */
} Avbd;

static void avbd_destroy(void *self)
{
    Avbd *avbd = self;
    if (!avbd)
        return;
    motion_free(&avbd->motion);
    bounce_free(&avbd->bounce);
    point_memory_free(&avbd->memory);
    free(avbd->elements);
    free(avbd->start);
    free(avbd->of);
    free(avbd->given);
    free(avbd->inertial);
    free(avbd->last);
    free(avbd->old);
    free(avbd);
}

static bool avbd_grow(void *array, int *capacity, int needed, size_t item)
{
    void **at = array;
    if (needed <= *capacity)
        return true;
    void *grown = realloc(*at, item * (size_t)needed);
    if (!grown)
        return false;
    memset((unsigned char *)grown + item * (size_t)*capacity, 0, item * (size_t)(needed - *capacity));
    *at = grown;
    *capacity = needed;
    return true;
}

static bool avbd_reserve(void *self, const World *world, Status *status)
{
    Avbd *avbd = self;
    int blocks = world->block_capacity + 1;
    bool ok = point_memory_reserve(&avbd->memory, world, sizeof(ElementMemory)) &&
              bounce_reserve(&avbd->bounce, world) &&
              avbd_grow(&avbd->elements, &avbd->element_capacity, blocks, sizeof *avbd->elements) &&
              avbd_grow(&avbd->of, &avbd->of_capacity, 4 * blocks, sizeof *avbd->of) &&
              avbd_grow(&avbd->given, &avbd->given_capacity, blocks, sizeof *avbd->given);
    return ok || status_set(status, STATUS_FAILED, "out of memory");
}

/* In the place of the run so far: its joints' multipliers and penalties, its points', and its last velocities. Forces
 * and stiffnesses do not depend on the step; that the velocities do touches one substep's first guess alone. */
static void avbd_take_over(Avbd *avbd, Avbd *before, size_t bodies)
{
    avbd->elements = before->elements;
    avbd->element_capacity = before->element_capacity;
    avbd->memory = before->memory;
    before->elements = NULL;
    before->memory = (PointMemory){0};
    memcpy(avbd->old, before->old, sizeof *avbd->old * bodies);
}

static void *avbd_create(const SolverTask *task, Status *status)
{
    const World *world = task->world;
    size_t bodies = (size_t)world->body_count;
    Avbd *avbd = calloc(1, sizeof *avbd);
    if (avbd) {
        avbd->options = *(const AvbdOptions *)task->options;
        avbd->start = calloc(bodies + 1, sizeof *avbd->start);
        avbd->inertial = calloc(bodies, sizeof *avbd->inertial);
        avbd->last = calloc(bodies, sizeof *avbd->last);
        avbd->old = calloc(bodies, sizeof *avbd->old);
    }
    bool ok = avbd && avbd->start && avbd->inertial && avbd->last && avbd->old;
    if (ok)
        memcpy(avbd->old, world->velocity, sizeof *avbd->old * bodies);
    if (ok && task->before)
        avbd_take_over(avbd, task->before, bodies);
    if (!ok || !motion_init(&avbd->motion, world, &avbd->options.common) || !bounce_init(&avbd->bounce, world) ||
        !avbd_reserve(avbd, world, status)) {
        avbd_destroy(avbd);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    return avbd;
}

static PenaltyRule avbd_rule(const AvbdOptions *o)
{
    return (PenaltyRule){.per_kg = o->per_kg,
                         .least = o->penalty_min,
                         .most = o->penalty_max,
                         .growth = o->beta,
                         .keep_k = o->gamma,
                         .keep_lambda = o->post_stabilise ? 1.0 : o->alpha * o->gamma,
                         .dual = o->dual,
                         .demo = o->demo_contacts};
}

/* Of errors, in the sweeps before the velocities are taken. */
static double avbd_alpha(const AvbdOptions *o)
{
    return o->post_stabilise ? 1.0 : o->alpha;
}

static void avbd_begin_elements(Avbd *avbd, const World *world, double h)
{
    PenaltyRule rule = avbd_rule(&avbd->options);
    int count = world->joint_block_count, point = 0;
    for (int b = 0; b < count; b++)
        element_begin_joint(&avbd->elements[b], world, b, h, &rule);
    point_memory_match(&avbd->memory, world);
    for (int m = 0; m < world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &world->manifolds[m];
        int first = count;
        ElementMemory *memory = point_memory_at(&avbd->memory, point);
        int face = rule.demo ? demo_reference_face(world, manifold->body) : 0;
        for (int i = 0; i < manifold->count; i++)
            if (memory[i].face != face)
                memory[i] = (ElementMemory){.face = face};
        for (int i = 0; i < manifold->count; i++, point++)
            element_begin_point(&avbd->elements[count++], world, manifold_contact(manifold, i), &memory[i], &rule);
        if (manifold->torsion >= 0)
            element_begin_patch(&avbd->elements[count++], world, manifold->torsion, memory, first, manifold->count,
                                &rule);
    }
    avbd->element_count = count;
}

/* Which elements pull at which body, in their order. */
static void avbd_list_elements(Avbd *avbd, const World *world)
{
    int *start = avbd->start;
    memset(start, 0, sizeof *start * (size_t)(world->body_count + 1));
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < avbd->element_count; i++) {
            const Element *e = &avbd->elements[i];
            for (int k = 0; k < (e->count > 0 ? e->bodies : 0); k++)
                if (pass == 0)
                    start[e->body[k] + 1]++;
                else
                    avbd->of[start[e->body[k]]++] = 4 * i + k;
        }
        for (int i = 0; pass == 0 && i < world->body_count; i++)
            start[i + 1] += start[i];
    }
    for (int i = world->body_count; i > 0; i--) /* the second pass has moved each start on to the next */
        start[i] = start[i - 1];
    start[0] = 0;
}

/* The first guess: free flight with that part of gravity which the body has felt in the last step. */
static Vec3 avbd_guess(const Avbd *avbd, const World *world, int i, double h)
{
    Vec3 g = world_field(world, world->pose[i].x), y = avbd->inertial[i].x;
    double squared = vec3_dot(g, g);
    if (squared == 0.0)
        return y;
    Vec3 a = vec3_scale(1.0 / h, vec3_sub(avbd->last[i].v, avbd->old[i].v));
    double felt = clamp(vec3_dot(a, g) / squared, 0.0, 1.0);
    return vec3_add_scaled(y, -(1.0 - felt) * h * h, g);
}

static void avbd_begin(void *self, Step *step)
{
    Avbd *avbd = self;
    World *world = step->world;
    size_t bodies = (size_t)world->body_count;
    avbd_begin_elements(avbd, world, step->h);
    avbd_list_elements(avbd, world);
    memcpy(avbd->last, world->velocity, sizeof *avbd->last * bodies);
    motion_begin(&avbd->motion, world, step->h);
    motion_predict(&avbd->motion, world, step->h);
    memcpy(avbd->inertial, world->pose, sizeof *avbd->inertial * bodies);
    for (int i = 1; i < world->body_count; i++)
        if (!world_is_fixed(world, i) && avbd->start[i + 1] > avbd->start[i])
            world->pose[i].x = avbd_guess(avbd, world, i, step->h);
}

/* M/h^2 in A, and M/h^2 (y - x) in g. */
static void avbd_add_inertia(const Avbd *avbd, const World *world, int i, double h, double A[6][6], double g[6])
{
    Pose pose = world->pose[i], y = avbd->inertial[i];
    double m = world->mass[i].mass / (h * h);
    Mat3 I = mat3_turn_diagonal(pose.q, vec3_scale(1.0 / (h * h), world->mass[i].inertia));
    Vec3 move = vec3_sub(y.x, pose.x), turn = mat3_mul_vec(I, quat_log(quat_mul(y.q, quat_conj(pose.q))));
    for (int a = 0; a < 3; a++) {
        A[a][a] = m;
        g[a] = m * vec3_get(move, a);
        g[3 + a] = vec3_get(turn, a);
        for (int c = 0; c < 3; c++)
            A[3 + a][3 + c] = I.m[a][c];
    }
}

/* One body's Newton step. Returns the rows that pulled at it. */
static int avbd_solve_body(Avbd *avbd, World *world, int i, double h, double alpha)
{
    double A[6][6] = {{0}}, d[6];
    bool turns = world->mass[i].inv_inertia.x != 0.0;
    int rows = 0;
    avbd_add_inertia(avbd, world, i, h, A, d);
    for (int k = avbd->start[i]; k < avbd->start[i + 1]; k++) {
        const Element *e = &avbd->elements[avbd->of[k] / 4];
        ElementRows at;
        element_evaluate(e, avbd->elements, world, h, alpha, avbd->options.dual, &at);
        element_add(e, world, &at, avbd->of[k] % 4, A, d);
        rows += e->count;
    }
    small_solve(turns ? 6 : 3, 6, A[0], d);
    Pose *pose = &world->pose[i];
    pose->x = vec3_add(pose->x, vec3(d[0], d[1], d[2]));
    if (turns)
        pose->q = quat_unit(quat_mul(quat_exp(vec3(d[3], d[4], d[5])), pose->q));
    return rows;
}

static void avbd_primal(Avbd *avbd, Step *step, double alpha)
{
    for (int i = 1; i < step->world->body_count; i++)
        if (!world_is_fixed(step->world, i) && avbd->start[i + 1] > avbd->start[i])
            step->row_solves += avbd_solve_body(avbd, step->world, i, step->h, alpha);
}

/* The authors' demo asks before each change of the multipliers, and in the last sweep. */
static void avbd_note_sticking(Avbd *avbd, const World *world)
{
    for (int i = 0; i < avbd->element_count; i++)
        if (avbd->elements[i].demo)
            element_note_sticking(&avbd->elements[i], world);
}

static void avbd_dual(Avbd *avbd, const Step *step)
{
    PenaltyRule rule = avbd_rule(&avbd->options);
    avbd_note_sticking(avbd, step->world);
    for (int i = 0; i < avbd->element_count; i++) {
        ElementRows rows;
        /* friction is bounded by the new load: the multipliers stay in their cone */
        element_evaluate(&avbd->elements[i], avbd->elements, step->world, step->h, avbd_alpha(&avbd->options), false,
                         &rows);
        element_raise(&avbd->elements[i], &rows, &rule);
    }
}

static void avbd_iterate(void *self, Step *step)
{
    Avbd *avbd = self;
    avbd_primal(avbd, step, avbd_alpha(&avbd->options));
    if (avbd->options.dual)
        avbd_dual(avbd, step);
}

/* What each block gave; the multipliers are kept for the next substep. */
static void avbd_store(Avbd *avbd, Step *step)
{
    World *world = step->world;
    double h = step->h;
    memset(avbd->given, 0, sizeof *avbd->given * (size_t)world->block_count);
    for (int i = 0; i < avbd->element_count; i++) {
        Element *e = &avbd->elements[i];
        ElementRows rows;
        element_evaluate(e, avbd->elements, world, h, avbd_alpha(&avbd->options), avbd->options.dual, &rows);
        if (avbd->options.dual && isinf(e->stiffness))
            memcpy(rows.f, e->lambda, sizeof rows.f);
        bool point = e->linear && !e->patch;
        world->block_impulse[e->b] = vec3_scale(h, element_on_body2(e, world, &rows, false));
        if (point)
            world->block_impulse[e->b + 1] = vec3_scale(h, element_on_body2(e, world, &rows, true));
        avbd->given[e->b].lambda.x = e->count > 0 ? rows.f[0] * h * h : 0.0;
        if (e->linear && avbd->options.dual)
            element_keep(e, world);
    }
}

static void avbd_take_velocities(void *self, Step *step)
{
    Avbd *avbd = self;
    avbd_store(avbd, step);
    motion_derive_velocities(&avbd->motion, step->world, step->h);
}

/* One sweep that takes the errors back: velocities stay. */
static void avbd_stabilise(void *self, Step *step)
{
    avbd_note_sticking(self, step->world);
    avbd_primal(self, step, 0.0);
}

static void avbd_bounce_begin(void *self, Step *step)
{
    Avbd *avbd = self;
    avbd->bounce.threshold = restitution_threshold_at(avbd->options.restitution_threshold, step->world, step->h);
    bounce_begin(&avbd->bounce, step, avbd->given);
}

static void avbd_bounce(void *self, Step *step)
{
    bounce_sweep(&((Avbd *)self)->bounce, step);
}

static double avbd_bounce_residual(void *self, const Step *step)
{
    return bounce_residual(&((Avbd *)self)->bounce, step->world);
}

static void avbd_end(void *self, Step *step)
{
    Avbd *avbd = self;
    bounce_end(&avbd->bounce, step);
    motion_damp(&avbd->motion, step->world, step->h);
    memcpy(avbd->old, avbd->last, sizeof *avbd->old * (size_t)step->world->body_count);
}

static int avbd_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    const AvbdOptions *o = &((Avbd *)self)->options;
    phases[0] =
        (Phase){.name = "descent", .iterations = o->common.iterations, .enter = avbd_begin, .iterate = avbd_iterate};
    phases[1] = (Phase){.name = "stabilise",
                        .iterations = o->post_stabilise ? 1 : 0,
                        .enter = avbd_take_velocities,
                        .iterate = avbd_stabilise};
    phases[2] = (Phase){.name = "bounce",
                        .iterations = o->velocity_iterations,
                        .enter = avbd_bounce_begin,
                        .iterate = avbd_bounce,
                        .residual = avbd_bounce_residual,
                        .stop = BOUNCE_CONVERGED};
    phases[3] = (Phase){.name = "damp", .enter = avbd_end};
    return 4;
}

static const PhaseStep AVBD_STEPS[] = {
    {"descent", PHASE_ENTER, "", "body by body, each to the least of its energy while the others are held"},
    {"descent", PHASE_ENTER, "penalties", "Constant, of the mass m that the row feels (1 without per_kg).",
     "lambda = 0,  k = {penalty_min} m", "dual", "false"},
    {"descent", PHASE_ENTER, "penalties",
     "Multipliers are kept whole, penalties but for a share. m is the row's mass, or 1 without per_kg.",
     "lambda = lambda_last,  k <- {gamma} k,  {penalty_min} m <= k <= {penalty_max} m", "post_stabilise", "true"},
    {"descent", PHASE_ENTER, "penalties",
     "Multipliers and penalties of the last substep fade. m is the row's mass, or 1 without per_kg.",
     "lambda <- {alpha} x {gamma} lambda,  k <- {gamma} k,  {penalty_min} m <= k <= {penalty_max} m"},
    FLIGHT_WORDS("descent"),
    {"descent", PHASE_ENTER, "first guess", "Where inertia leads, y; x begins there with what the body felt of g.",
     "y = x + h v*,  x = y - (1 - felt) h^2 g"},
    {"descent", PHASE_SWEEP, "primal",
     "Each body: one Newton step with all rows that act on it. The share {alpha} of the error that the substep began "
     "with is left alone.",
     "(M/h^2 + sum k J J^T + |f| G) dx = M/h^2 (y - x) + sum J f\nf = clamp(lambda - k C*),  C* = C - {alpha} C_begin",
     "post_stabilise", "false"},
    {"descent", PHASE_SWEEP, "primal",
     "Each body: one Newton step with all rows that act on it. The error that the substep began with waits.",
     "(M/h^2 + sum k J J^T + |f| G) dx = M/h^2 (y - x) + sum J f\nf = clamp(lambda - k C*),  C* = C - C_begin"},
    {"descent", PHASE_SWEEP, "dual", NULL, NULL, "dual", "false"},
    {"descent", PHASE_SWEEP, "dual", "Each row: its force becomes its multiplier, and its penalty grows.",
     "lambda = f,  k <- k + {beta} m |C*|  where f is inside its bounds"},
    {"stabilise", PHASE_ENTER, "", "velocities from poses, and one sweep that takes errors back", NULL,
     "post_stabilise", "true"},
    {"stabilise", PHASE_ENTER, "", "velocities from poses"},
    {"stabilise", PHASE_ENTER, "derive", "The velocities are what the poses did.",
     "v = (x - x_prev)/h\nw = 2 vec(q q_prev^-1)/h"},
    {"stabilise", PHASE_SWEEP, "primal", "Once more body by body, with all of the errors; velocities stay.", "C* = C",
     "post_stabilise", "true"},
    {"bounce", PHASE_ENTER, "", "impacts: all their contacts together, by sweeps until they agree"},
    {"bounce", PHASE_ENTER, "points",
     "Those that approached faster than {restitution_threshold} m/s and push; they ask for the share e of that."},
    {"bounce", PHASE_SWEEP, "points", "One after the other; joints and other contacts hold meanwhile.",
     "lambda_n <- max(lambda_n - (v_n + e v_n before)/A_nn, 0)"},
    {"damp", PHASE_ENTER, "", "joint damping"},
    {"damp", PHASE_ENTER, "damping", "Damped joints slow down along their free directions, by pairs of impulses.",
     "v <- v max(0, 1 - c h)"},
    {NULL},
};

static const Convention AVBD_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL,
     "cone: |f_t| <= mu times the load of the last sweep; of a patch each bound for itself"},
    {CONVENTION_NORMALS, NULL, NULL, "by body: all rows of one at once"},
    {CONVENTION_ORDER, NULL, NULL, "with the normals; to the anchors of the points that stick"},
    {CONVENTION_SLOP, "demo_contacts", "true", "0.0005 m, the demo's margin"},
    {CONVENTION_SLOP, NULL, NULL, "0 m"},
    {CONVENTION_PUSH, "post_stabilise", "true", "by one sweep after the velocities are taken, no bound"},
    {CONVENTION_PUSH, NULL, NULL, "all but {alpha} of it a substep, no bound"},
    {CONVENTION_RESTITUTION, NULL, NULL, "Newton, over all contacts of an impact; above {restitution_threshold} m/s"},
    {CONVENTION_WARM_START, "dual", "false", "nothing"},
    {CONVENTION_WARM_START, NULL, NULL, "multipliers and penalties, {gamma} of the last substep's"},
};

/* With the paper's numbers an error decays by alpha, and penalties by gamma, in a step of whatever length: a hundred
 * times as many steps forget a hundred times as fast. Constant penalties (vbd) are springs, which steps do refine. */
static const char *avbd_per_step(const void *options)
{
    const AvbdOptions *own = options;
    return own->dual ? "alpha, gamma and the growth of penalties hold for a step of any length" : NULL;
}

const Solver avbd_solver = {
    .abi = SOLVER_ABI,
    .name = "avbd",
    .summary = "augmented block descent: body by body, multipliers and penalties that grow",
    .reference = "Giles, Diaz, Yuksel 2025",
    .capabilities = CAN_ALL_JOINTS | CAN_SERIES | CAN_CONTACTS | CAN_FRICTION,
    .settings = AVBD_SETTINGS,
    .setting_count = sizeof AVBD_SETTINGS / sizeof AVBD_SETTINGS[0],
    .conventions = AVBD_CONVENTIONS,
    .convention_count = sizeof AVBD_CONVENTIONS / sizeof AVBD_CONVENTIONS[0],
    .steps = AVBD_STEPS,
    .per_step = avbd_per_step,
    .options_size = sizeof(AvbdOptions),
    .create = avbd_create,
    .destroy = avbd_destroy,
    .reserve = avbd_reserve,
    .plan = avbd_plan,
};
