/* SPDX-License-Identifier: MIT */
/* Force-based simulation (lecture 002): a spring and a damper on every row that is violated,
 *
 *     f = -k C - c (J V - target),   within the row's bounds;    V+ = V* + h M^-1 J^T f;    x+ = x + h V+.
 *
 * k is plain, as in the lecture: stiff is fast and unstable, soft is squishy and late; c = `damping` k. A compliant row
 * is its own spring, k = 1/alpha; contacts: penalty/contact.h. Unlike `pgs` nothing is solved: errors are what carries
 * the load. A mode u (u'Mu = 1) obeys z^2 - (2 - h^2 u'Ku - h u'Cu) z + 1 - h u'Cu = 0: all are stable while
 * h^2 K + 2 h C < 4 M, K = J^T k J, C = J^T c J. The step at which that ends is reported. */
#include "model/array.h"
#include "model/random.h"
#include "solvers/motion.h"
#include "solvers/penalty/contact.h"

/* Power iterations before the first substep, and before any other: the estimate's error falls with the square of the
 * eigenvalues' ratio, and each substep goes on where the last one ended. */
enum { POWER_START = 40, POWER_STEP = 1 };

typedef struct PenaltyOptions {
    CommonOptions common;
    double stiffness;
    double angular_stiffness;
    double damping;
    double contact_frequency;
    double slip_speed;
} PenaltyOptions;

/* Defaults, for ten substeps at dt = 1/60: links of half a kilogram and 0.2 m (u'Ku = 3e5 1/s^2) are stable, and a
 * kilogram hangs 1 mm low. Contacts are as stiff as their masses allow, whatever these are: with k = m w^2 at each
 * point and e = 0 (c = 2 m w) cubes in a stack have u'Ku = 3 w^2, u'Cu = 6 w, so that they need h w < 0.309, f < 29.5
 * Hz; a body rests g/w^2 = 0.4 mm deep. Creep below slip_speed is what a slope's gravity takes friction to bear. */
static const Setting PENALTY_SETTINGS[] = {
    COMMON_SETTINGS_DIRECT(10),
    PARAM_REAL(PenaltyOptions, stiffness,
               "k of a length (N/m), over length_scale^4 of a volume; of a contact point if contact_frequency is 0",
               1e4, 0, 1e15),
    PARAM_REAL(PenaltyOptions, angular_stiffness, "k of an angular row (N m/rad)", 1e2, 0, 1e15),
    PARAM_REAL(PenaltyOptions, damping, "c/k of every rigid joint row (s); a contact's c follows from its restitution",
               1e-3, 0, 1e3),
    PARAM_REAL(PenaltyOptions, contact_frequency,
               "f (1/s): a contact point has k = m (2 pi f)^2, m the mass that it feels", 25, 0, 1e9),
    PARAM_REAL(PenaltyOptions, slip_speed, "slower than this (m/s) friction is viscous, faster it is mu N", 0.01, 0,
               1e6),
};

typedef struct Penalty {
    PenaltyOptions options;
    Motion motion;
    RowSystem system;
    ContactSprings contacts;
    size_t capacity;
    PenaltyRows *rows; /* of each block */
    Velocity *push;    /* u */
    bool started;
    double limit;       /* s, longest stable step in this state; infinite: nothing pushes */
    double least_limit; /* over the run so far */
} Penalty;

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
    row_system_free(&penalty->system);
    free(penalty->rows);
    free(penalty->push);
    free(penalty);
}

/* A row's mode before it has pushed: alternating as in the stiffest mode of a chain, and uneven, so that no symmetry of
 * a scene keeps it from any mode. */
static double penalty_start_mode(int b, int i)
{
    Random random = {(uint64_t)b * BLOCK_MAX_ROWS + (uint64_t)i};
    return (b % 2 == 0 ? 1.0 : -1.0) * random_in(&random, 0.5, 1.5);
}

static bool penalty_reserve(void *self, const World *world, Status *status)
{
    Penalty *penalty = self;
    size_t before = penalty->capacity;
    bool ok =
        row_system_reserve(&penalty->system, world) &&
        array_reserve((void **)&penalty->rows, &penalty->capacity, sizeof *penalty->rows, (size_t)world->block_count);
    for (size_t b = before; b < penalty->capacity; b++)
        for (int i = 0; i < BLOCK_MAX_ROWS; i++)
            penalty->rows[b].mode[i] = penalty_start_mode((int)b, i);
    return ok || status_set(status, STATUS_FAILED, "out of memory");
}

static void *penalty_create(const SolverTask *task, Status *status)
{
    const World *world = task->world;
    Penalty *penalty = calloc(1, sizeof *penalty);
    if (penalty) {
        const PenaltyOptions *o = task->options;
        penalty->options = *o;
        penalty->contacts = (ContactSprings){o->contact_frequency, o->stiffness, o->slip_speed, NAN, NAN};
        penalty->limit = penalty->least_limit = INFINITY;
    }
    if (!penalty || !NEW_ARRAY(penalty->push, (size_t)world->body_count) ||
        !motion_init(&penalty->motion, world, &penalty->options.common) || !row_system_init(&penalty->system, world) ||
        !penalty_reserve(penalty, world, status)) {
        penalty_destroy(penalty);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    return penalty;
}

/* A volume's spring pushes faces of a length scale as a length's does: k C = k_V C_V L^2 for C_V = C L^2. */
static double penalty_stiffness(const Penalty *penalty, const World *world, const Block *block)
{
    const PenaltyOptions *o = &penalty->options;
    double L = world->length_scale;
    const double k[] = {[UNIT_LENGTH] = o->stiffness,
                        [UNIT_ANGLE] = o->angular_stiffness,
                        [UNIT_VOLUME] = o->stiffness / (L * L * L * L)};
    double compliance = block_terms(block)->compliance;
    return compliance > 0.0 ? 1.0 / compliance : k[block_unit(block->kind)];
}

/* A limit that is not reached carries nothing. */
static bool penalty_is_open(const RowBlock *rb, int i)
{
    return (rb->lower[i] == 0.0 && rb->C[i] >= 0.0) || (rb->upper[i] == 0.0 && rb->C[i] <= 0.0);
}

/* lambda = h f of one joint block's rows at the substep's beginning; RowBlock's bounds are impulses already. */
static void penalty_spring(const Penalty *penalty, const World *world, const Block *block, RowBlock *rb, double h,
                           Spring *rows)
{
    const JointTerms *terms = block_terms(block);
    double rate[BLOCK_MAX_ROWS], k = penalty_stiffness(penalty, world, block);
    double c = terms->compliance > 0.0 ? 0.0 : k * penalty->options.damping;
    row_block_rates(rb, world->velocity_before, rate);
    /* A motor of bounded torque is a damper that would take its whole error of speed at once, so that one that is too
     * slow gives all of its torque: a spring alone would begin anew whenever its bound is reached. */
    bool bounded_motor = terms->driven && isfinite(terms->max_force);
    for (int i = 0; i < rb->count; i++) {
        double target = terms->driven ? terms->speed : 0.0;
        bool open = penalty_is_open(rb, i);
        rows[i] = open ? (Spring){0, 0, 0} : (Spring){k, c, bounded_motor ? rb->step[i] : 0.0};
        double impulse = -h * rows[i].k * rb->C[i] - (h * rows[i].c + rows[i].s) * (rate[i] - target);
        rb->lambda[i] = open ? 0.0 : clamp(impulse, rb->lower[i], rb->upper[i]);
    }
}

static bool penalty_row_pushes(Spring row)
{
    return row.k > 0.0 || row.c > 0.0 || row.s > 0.0;
}

/* u <- M^-1 J^T w mode, w = h^2 k + 2 h c + 2 s at the limit found so far. Returns u'Mu. */
static double penalty_mode_push(Penalty *penalty, const World *world)
{
    const RowSystem *system = &penalty->system;
    double h = isfinite(penalty->limit) ? penalty->limit : 1.0, sum = 0.0;
    memset(penalty->push, 0, sizeof *penalty->push * (size_t)world->body_count);
    for (int b = 0; b < system->count; b++) {
        double d[BLOCK_MAX_ROWS] = {0};
        for (int i = 0; i < system->blocks[b].count; i++) {
            Spring row = penalty->rows[b].spring[i];
            d[i] = (h * h * row.k + 2.0 * h * row.c + 2.0 * row.s) * penalty->rows[b].mode[i];
        }
        if (system->blocks[b].count > 0)
            row_block_push(&system->blocks[b], d, penalty->push);
    }
    for (int i = 1; i < world->body_count; i++) {
        Velocity u = penalty->push[i];
        Vec3 w = quat_rotate_inverse(world->pose[i].q, u.w);
        sum += world_is_fixed(world, i)
                   ? 0.0
                   : world->mass[i].mass * vec3_dot(u.v, u.v) + vec3_dot(w, vec3_mul(world->mass[i].inertia, w));
    }
    return sum;
}

/* One step of the power iteration for h^2 K + 2 h C + 2 S, and the h at which its mode has 4. The mode's scale is free;
 * rows that do not push keep their part of it for when they do. */
static void penalty_power_step(Penalty *penalty, const World *world)
{
    const RowSystem *system = &penalty->system;
    double stiff = 0.0, damped = 0.0, left = 4.0, largest = 0.0, mass = penalty_mode_push(penalty, world);
    for (int b = 0; b < system->count && mass > 0.0; b++) {
        double rate[BLOCK_MAX_ROWS];
        if (system->blocks[b].count > 0)
            row_block_rates(&system->blocks[b], penalty->push, rate);
        for (int i = 0; i < system->blocks[b].count; i++) {
            Spring row = penalty->rows[b].spring[i];
            stiff += row.k * rate[i] * rate[i] / mass;
            damped += row.c * rate[i] * rate[i] / mass;
            left -= 2.0 * row.s * rate[i] * rate[i] / mass; /* at least 2: see penalty/contact.c */
            if (penalty_row_pushes(row)) {
                penalty->rows[b].mode[i] = rate[i];
                largest = fmax(largest, fabs(rate[i]));
            }
        }
    }
    for (int b = 0; b < system->count && largest > 0.0; b++)
        for (int i = 0; i < system->blocks[b].count; i++)
            penalty->rows[b].mode[i] /= penalty_row_pushes(penalty->rows[b].spring[i]) ? largest : 1.0;
    double rates = damped + sqrt(damped * damped + left * stiff);
    penalty->limit = rates > 0.0 ? left / rates : INFINITY;
}

static void penalty_begin(void *self, Step *step)
{
    Penalty *penalty = self;
    World *world = step->world;
    motion_begin(&penalty->motion, world, step->h);
    row_system_prepare(&penalty->system, world, &(RowSetup){.h = step->h, .relaxation = 1.0});
    for (int b = 0; b < world->joint_block_count; b++)
        if (penalty->system.blocks[b].count > 0)
            penalty_spring(penalty, world, &world->blocks[b], &penalty->system.blocks[b], step->h,
                           penalty->rows[b].spring);
    penalty_contacts(&penalty->contacts, &penalty->system, world, step->h, penalty->rows);
}

static void penalty_push(void *self, Step *step)
{
    Penalty *penalty = self;
    row_system_apply(&penalty->system, step->world->velocity);
    row_system_store_impulses(&penalty->system, step->world);
    step->row_solves += penalty->system.rows;
}

static void penalty_judge_step(void *self, Step *step)
{
    Penalty *penalty = self;
    for (int i = 0; i < (penalty->started ? POWER_STEP : POWER_START); i++)
        penalty_power_step(penalty, step->world);
    penalty->started = true;
    penalty->least_limit = fmin(penalty->least_limit, penalty->limit);
    if (step->h > penalty->limit)
        step_report(step, "step is longer than the springs' stable limit");
}

static void penalty_move(void *self, Step *step)
{
    Penalty *penalty = self;
    motion_damp(&penalty->motion, step->world, step->h);
    motion_move(&penalty->motion, step->world, NULL, step->h);
}

static int penalty_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){.name = "force", .iterations = 1, .enter = penalty_begin, .iterate = penalty_push};
    phases[1] = (Phase){.name = "limit", .enter = penalty_judge_step};
    phases[2] = (Phase){.name = "move", .enter = penalty_move};
    return 3;
}

static const PhaseStep PENALTY_STEPS[] = {
    {"force", PHASE_ENTER, "", "a spring and a damper on every row that is violated"},
    FLIGHT_WORDS("force"),
    {"force", PHASE_ENTER, "springs",
     "Of joints: k = {stiffness} N/m, {angular_stiffness} N m/rad, or 1/alpha of a compliant one; c = {damping} s k.",
     "lambda = -h (k C + c J v),  within the row's bounds"},
    {"force", PHASE_ENTER, "contacts",
     "A spring of {stiffness} N/m at each point, a damper that gives the restitution e, and friction that is viscous "
     "below {slip_speed} m/s.",
     "N = max(-k C - c v_n, 0),  f_t = -mu N v_t / max(|v_t|, {slip_speed})", "contact_frequency", "0"},
    {"force", PHASE_ENTER, "contacts",
     "At each point a spring of {contact_frequency} Hz with the mass that it feels, a damper that gives the "
     "restitution e, and friction that is viscous below {slip_speed} m/s.",
     "k = m (2 pi {contact_frequency})^2\nN = max(-k C - c v_n, 0),  f_t = -mu N v_t / max(|v_t|, {slip_speed})"},
    {"force", PHASE_SWEEP, "push", "All of them at once: nothing is solved.", "v <- v* + M^-1 J^T lambda"},
    {"limit", PHASE_ENTER, "", "the longest step at which these springs are stable, by a power iteration"},
    {"limit", PHASE_ENTER, "mode", "The mode that becomes unstable first, one iteration a substep.",
     "h^2 u'Ku + 2 h u'Cu = 4,  u'Mu = 1,  K = J^T k J,  C = J^T c J"},
    {"move", PHASE_ENTER, "", "the poses follow the velocities"},
    MOVE_WORDS("move"),
    {NULL},
};

static const Convention PENALTY_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL, "cone, smoothed: mu N v_t / max(|v_t|, {slip_speed} m/s)"},
    {CONVENTION_NORMALS, NULL, NULL, "a spring and a damper at each point"},
    {CONVENTION_ORDER, NULL, NULL, "against the spring's load in the same step"},
    {CONVENTION_SLOP, NULL, NULL, "0 m, but the load compresses the spring"},
    {CONVENTION_PUSH, NULL, NULL, "by the spring, no bound"},
    {CONVENTION_RESTITUTION, NULL, NULL, "the damper that gives e in an undisturbed impact; no threshold"},
    {CONVENTION_WARM_START, NULL, NULL, "nothing: no multipliers"},
};

const Solver penalty_solver = {
    .abi = SOLVER_ABI,
    .name = "penalty",
    .summary = "forces: a spring and a damper on every violation",
    .reference = "lecture 002; Moore and Wilhelms 1988",
    .capabilities = CAN_ALL_JOINTS | CAN_SERIES | CAN_CONTACTS | CAN_FRICTION,
    SOLVER_SETTINGS(PENALTY_SETTINGS),
    SOLVER_CONVENTIONS(PENALTY_CONVENTIONS),
    .steps = PENALTY_STEPS,
    .options_size = sizeof(PenaltyOptions),
    .row_bytes = 1300,
    .create = penalty_create,
    .destroy = penalty_destroy,
    .reserve = penalty_reserve,
    .plan = penalty_plan,
    .stable_step = penalty_stable_step,
};
