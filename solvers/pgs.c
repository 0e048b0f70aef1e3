/* Projected Gauss-Seidel on J M^-1 J^T lambda = b, matrix-free, for impulses (lecture 001): v = v* + M^-1 J^T lambda,
 *     sweeps: lambda_i <- clamp(lambda_i - (J_i v + bias_i)/A_ii), v follows;    x = x + h v.
 * Of a contact point the normal, then its two tangents with one common step, back to the disc mu lambda_n (after Catto
 * 2006); `manifold` solves the normals of a pair of bodies together. Slop, push and beta 0.2 are our choices.
 * Velocities alone drift: `position` says how errors are taken back. Baumgarte adds beta C/h to the velocity asked for,
 * split does so in velocities that live for one step only, ngs corrects positions after the step. Warm started
 * multipliers repeat Baumgarte's correction: `relax` takes it out, `warm_share` lets it fade (reports/ERRATA.md). */
#include "solvers/cone/sweep.h"
#include "solvers/motion.h"
#include "solvers/position/ngs.h"
#include "solvers/rows/colour.h"
#include "solvers/rows/contact_rows.h"
#include "solvers/rows/late_bounce.h"

#include <stdlib.h>
#include <string.h>

typedef enum PgsPosition { PGS_BAUMGARTE, PGS_SPLIT, PGS_NGS, PGS_NONE } PgsPosition;

/* Of `levers` and `restitution`. */
enum { PGS_AT_SUBSTEP, PGS_AT_FRAME };
enum { PGS_RELAX_MOVED, PGS_RELAX_BEGIN };

static const char *const PGS_POSITIONS[] = {"baumgarte", "split", "ngs", "none", NULL};
typedef enum PgsOrder { PGS_LIST, PGS_COLOUR, PGS_JACOBI } PgsOrder;

static const char *const PGS_ORDERS[] = {"list", "colour", "jacobi", NULL};
static const char *const PGS_ATS[] = {"substep", "frame", NULL};
static const char *const PGS_RELAXED[] = {"moved", "begin", NULL};
static const char *const PGS_FRICTIONS[] = {"cone", "pyramid", "box", NULL};

typedef struct PgsOptions {
    CommonOptions common;
    int warm_start;
    double warm_share;
    int position;
    double beta;
    int position_iterations;
    double relaxation;
    int relax;
    int block;
    int order;
    int friction;
    int manifold, normals_first;
    int levers, restitution, relax_at;
    double slop, push_speed, restitution_threshold;
    double contact_hertz, contact_zeta, contact_cap;
    double joint_hertz, joint_zeta, joint_cap;
    double ngs_share, ngs_most;
    int ngs_only_push;
} PgsOptions;

static const Setting PGS_SETTINGS[] = {
    COMMON_SETTINGS(1, 20),
    STOP_RESIDUAL_SETTING,
    PARAM_BOOL(PgsOptions, warm_start, "begin with the multipliers of the last substep", true),
    PARAM_REAL(PgsOptions, warm_share,
               "share of them to begin with; below 1/(1 + beta) no mode gains energy, with relax below 2/(2 + beta)", 1,
               0, 1),
    PARAM_CHOICE(PgsOptions, position, "how position errors are taken back", PGS_BAUMGARTE, 3, PGS_POSITIONS),
    PARAM_REAL(PgsOptions, beta, "share of the error taken back in a substep (baumgarte, split)", 0.2, 0, 2.5),
    PARAM_INT(PgsOptions, position_iterations, "sweeps of the position pass (split, ngs)", 4, 1, 1e6),
    PARAM_REAL(PgsOptions, relaxation, "scales each change of a multiplier", 1, 0, 2),
    PARAM_INT(PgsOptions, relax,
              "sweeps after the move, without the position errors: they take the correction out of velocities again", 0,
              0, 1e6),
    PARAM_BOOL(PgsOptions, block, "solve the rows of a block as a whole", false),
    PARAM_CHOICE(PgsOptions, order,
                 "of the rows in a sweep: as created, colour by colour, or all pairs that touch at once (jacobi)",
                 PGS_LIST, 2, PGS_ORDERS),
    PARAM_CHOICE(PgsOptions, friction, "bound of a contact's tangents: cone, pyramid, or the lecture's mu m_c g (box)",
                 FRICTION_CONE, 2, PGS_FRICTIONS),
    PARAM_BOOL(PgsOptions, manifold,
               "solve the normals of one pair of bodies together, as a block, and the tangents of a point", false),
    PARAM_BOOL(PgsOptions, normals_first, "all normals of one pair of bodies, then its friction, point by point",
               false),
    PARAM_CHOICE(PgsOptions, levers, "where contacts have their lever arms: as the substep or as the frame begins", 0,
                 1, PGS_ATS),
    PARAM_CHOICE(PgsOptions, restitution, "in the rows of every substep, or after the last one of a frame", 0, 1,
                 PGS_ATS),
    PARAM_CHOICE(PgsOptions, relax_at, "where soft rows are relaxed: at the moved poses, or where the substep began", 0,
                 1, PGS_RELAXED),
    SLOP_SETTING(PgsOptions),
    PUSH_SPEED_SETTING(PgsOptions),
    RESTITUTION_THRESHOLD_SETTING(PgsOptions),
    PARAM_REAL(PgsOptions, contact_hertz,
               "closed contacts are springs of this frequency, twice it against fixed bodies (1/s); 0: rigid", 0, 0,
               1e6),
    PARAM_REAL(PgsOptions, contact_zeta, "their damping ratio", 10, 0, 1e6),
    PARAM_REAL(PgsOptions, contact_cap, "their frequency times the substep is at most this", 0.25, 0, 1e6),
    PARAM_REAL(PgsOptions, joint_hertz, "rigid joints are springs of this frequency (1/s); 0: rigid", 0, 0, 1e6),
    PARAM_REAL(PgsOptions, joint_zeta, "their damping ratio", 10, 0, 1e6),
    PARAM_REAL(PgsOptions, joint_cap, "their frequency times the substep is at most this", 0.25, 0, 1e6),
    PARAM_REAL(PgsOptions, ngs_share, "share of a contact's overlap beyond the slop that a sweep of ngs takes back", 1,
               0, 1),
    PARAM_REAL_OR(PgsOptions, ngs_most, "largest correction of a contact in a sweep of ngs (m); inf: no bound",
                  INFINITY, 0, 1e6, WORD_INF),
    PARAM_BOOL(PgsOptions, ngs_only_push,
               "no correction of a contact by ngs pulls; else their sum over a substep may not", false),
};

typedef struct Pgs {
    PgsOptions options;
    Motion motion;
    RowSystem system;
    int order_capacity;
    int *order;       /* of blocks, NULL: as created */
    RowSystem split;  /* the system of the split pass: same rows, position errors only */
    Velocity *pseudo; /* its velocities */
    int ngs_capacity;
    Multiplier *ngs;
    bool started;     /* there are multipliers to start from */
    int substep;      /* of the frame, from 0 */
    Pose *frame;      /* poses as the frame began */
    Velocity *change; /* of order = jacobi: scratch, zero between sweeps */
    LateBounce bounce;
} Pgs;

static void pgs_destroy(void *self)
{
    Pgs *pgs = self;
    if (!pgs)
        return;
    motion_free(&pgs->motion);
    row_system_free(&pgs->system);
    row_system_free(&pgs->split);
    free(pgs->order);
    free(pgs->pseudo);
    free(pgs->ngs);
    free(pgs->frame);
    free(pgs->change);
    late_bounce_free(&pgs->bounce);
    free(pgs);
}

static bool pgs_reserve(void *self, const World *world, Status *status)
{
    Pgs *pgs = self;
    bool ok = row_system_reserve(&pgs->system, world);
    if (pgs->options.position == PGS_SPLIT)
        ok = ok && row_system_reserve(&pgs->split, world);
    if (pgs->options.position == PGS_NGS && world->block_count > pgs->ngs_capacity) {
        Multiplier *grown = realloc(pgs->ngs, sizeof *grown * (size_t)world->block_capacity);
        pgs->ngs_capacity = grown ? world->block_capacity : pgs->ngs_capacity;
        pgs->ngs = grown ? grown : pgs->ngs;
        ok = ok && grown;
    }
    if (pgs->options.restitution == PGS_AT_FRAME)
        ok = ok && late_bounce_reserve(&pgs->bounce, world);
    if (pgs->options.order == PGS_COLOUR && ok) {
        int *grown = realloc(pgs->order, sizeof *grown * (size_t)(world->block_capacity + 1));
        pgs->order = grown ? grown : pgs->order;
        ok = grown && colour_order(world, grown);
    }
    return ok || status_set(status, STATUS_FAILED, "out of memory");
}

static void *pgs_create(const SolverTask *task, Status *status)
{
    const World *world = task->world;
    Pgs *pgs = calloc(1, sizeof *pgs);
    if (pgs) {
        pgs->options = *(const PgsOptions *)task->options;
        pgs->pseudo = calloc((size_t)world->body_count, sizeof *pgs->pseudo);
        pgs->frame = calloc((size_t)world->body_count, sizeof *pgs->frame);
        pgs->change = calloc((size_t)world->body_count, sizeof *pgs->change);
    }
    if (!pgs || !pgs->pseudo || !pgs->frame || !pgs->change ||
        !motion_init(&pgs->motion, world, &pgs->options.common) || !row_system_init(&pgs->system, world) ||
        !pgs_reserve(pgs, world, status)) {
        pgs_destroy(pgs);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    return pgs;
}

/* Where the normals come before friction, a point's tangents are solved together. */
static FrictionModel pgs_friction(const PgsOptions *o)
{
    bool point = !o->manifold && !o->normals_first;
    return o->friction == FRICTION_CONE && point ? FRICTION_DISC : (FrictionModel)o->friction;
}

static double pgs_threshold(const Pgs *pgs, const Step *step)
{
    return restitution_threshold_at(pgs->options.restitution_threshold, step->world, step->h);
}

static bool pgs_is_soft(const Pgs *pgs)
{
    return pgs->options.contact_hertz > 0.0 || pgs->options.joint_hertz > 0.0;
}

static RowSetup pgs_setup(const Pgs *pgs, const Step *step, double beta)
{
    const PgsOptions *o = &pgs->options;
    double h = step->h, contact = fmin(o->contact_hertz, o->contact_cap / h);
    return (RowSetup){.h = h,
                      .rate = beta / h,
                      .relaxation = o->relaxation,
                      .whole = o->block,
                      .soft_joint = soft_rows(fmin(o->joint_hertz, o->joint_cap / h), o->joint_zeta, h),
                      .soft_contact = soft_rows(contact, o->contact_zeta, h),
                      .soft_ground = soft_rows(2.0 * contact, o->contact_zeta, h),
                      .keep = o->warm_start && pgs->started ? o->warm_share : 0.0,
                      .friction = pgs_friction(o),
                      .sweeps_only = o->position != PGS_SPLIT && o->relax == 0,
                      .manifold = o->manifold,
                      .normals_first = o->normals_first,
                      .levers = o->levers == PGS_AT_FRAME ? pgs->frame : NULL,
                      .slop = o->slop,
                      .push_speed = o->push_speed,
                      .restitution_threshold = o->restitution == PGS_AT_FRAME ? INFINITY : pgs_threshold(pgs, step)};
}

/* The share of the position errors that the velocities take back. */
static double pgs_bias_share(const Pgs *pgs)
{
    return pgs->options.position == PGS_BAUMGARTE ? pgs->options.beta : 0.0;
}

static void pgs_begin_frame(Pgs *pgs, const World *world)
{
    memcpy(pgs->frame, world->pose, sizeof *pgs->frame * (size_t)world->body_count);
    if (pgs->options.restitution == PGS_AT_FRAME)
        late_bounce_begin_frame(&pgs->bounce, world);
}

static void pgs_begin(void *self, Step *step)
{
    Pgs *pgs = self;
    World *world = step->world;
    if (pgs->substep == 0)
        pgs_begin_frame(pgs, world);
    pgs->substep = (pgs->substep + 1) % pgs->options.common.substeps;
    RowSetup setup = pgs_setup(pgs, step, pgs_bias_share(pgs));
    step_report_recovery(step, pgs->options.push_speed);
    motion_begin(&pgs->motion, world, step->h);
    row_system_prepare(&pgs->system, world, &setup);
    if (setup.keep > 0.0)
        row_system_apply(&pgs->system, world->velocity);
    pgs->started = true;
}

static void pgs_iterate(void *self, Step *step)
{
    Pgs *pgs = self;
    World *world = step->world;
    if (pgs->options.order == PGS_JACOBI) {
        step->row_solves += row_system_sweep_joints(&pgs->system, world->velocity);
        step->row_solves += contact_rows_jacobi(&pgs->system, world, world->velocity, pgs->change);
    } else {
        step->row_solves += row_system_sweep(&pgs->system, world->velocity, pgs->order);
    }
}

static double pgs_residual(void *self, const Step *step)
{
    return row_system_residual(&((Pgs *)self)->system, step->world->velocity);
}

static void pgs_end_velocity(Pgs *pgs, Step *step)
{
    row_system_store_impulses(&pgs->system, step->world);
    motion_damp(&pgs->motion, step->world, step->h);
}

static void pgs_move(void *self, Step *step)
{
    Pgs *pgs = self;
    pgs_end_velocity(pgs, step);
    motion_move(&pgs->motion, step->world, NULL, step->h);
}

/* Split: pseudo-velocities u with J u = -beta C/h for rigid rows that are violated; the others stay out. */
static void pgs_split_begin(void *self, Step *step)
{
    Pgs *pgs = self;
    pgs_end_velocity(pgs, step);
    RowSetup setup = pgs_setup(pgs, step, pgs->options.beta);
    row_system_prepare_split(&pgs->split, &pgs->system, step->world, &setup);
    memset(pgs->pseudo, 0, sizeof *pgs->pseudo * (size_t)step->world->body_count);
}

static void pgs_split_iterate(void *self, Step *step)
{
    Pgs *pgs = self;
    step->row_solves += row_system_sweep(&pgs->split, pgs->pseudo, pgs->order);
}

/* Moves with v + u, keeps v. */
static void pgs_split_move(void *self, Step *step)
{
    Pgs *pgs = self;
    motion_move(&pgs->motion, step->world, pgs->pseudo, step->h);
}

/* NGS: nonlinear Gauss-Seidel on the positions, rigid blocks only; velocities stay. */
static void pgs_ngs_begin(void *self, Step *step)
{
    Pgs *pgs = self;
    pgs_move(pgs, step);
    memset(pgs->ngs, 0, sizeof *pgs->ngs * (size_t)step->world->block_count);
}

static void pgs_ngs_iterate(void *self, Step *step)
{
    Pgs *pgs = self;
    const PgsOptions *o = &pgs->options;
    PositionSolve how = {.h = step->h,
                         .stiffness = 1.0,
                         .whole = o->block,
                         .slop = o->slop,
                         .push_speed = o->push_speed,
                         .contact_share = o->ngs_share,
                         .contact_most = o->ngs_most,
                         .only_push = o->ngs_only_push};
    bool together = o->manifold && o->ngs_only_push;
    step->row_solves += ngs_sweep(step->world, &how, together, pgs->order, pgs->ngs);
}

/* Soft rows become rigid ones, without errors but for gaps that are open; multipliers stay. */
static void pgs_prepare_rigid(Pgs *pgs, const Step *step, RowSetup *setup)
{
    const SoftRows rigid = {0};
    World at = *step->world;
    if (pgs->options.relax_at == PGS_RELAX_BEGIN)
        at.pose = at.pose_before;
    setup->soft_joint = setup->soft_contact = setup->soft_ground = rigid;
    setup->rate = 0.0;
    setup->keep = 1.0;
    row_system_prepare(&pgs->system, &at, setup);
}

/* The same rows once the positions have moved, without their errors: what a correction gave the velocities goes, and
 * with it the part of the multipliers that the next substep would repeat. */
static void pgs_relax_begin(void *self, Step *step)
{
    Pgs *pgs = self;
    RowSetup setup = pgs_setup(pgs, step, pgs_bias_share(pgs));
    if (pgs_is_soft(pgs))
        pgs_prepare_rigid(pgs, step, &setup);
    else
        row_system_drop_errors(&pgs->system, &setup);
}

static void pgs_relax_iterate(void *self, Step *step)
{
    pgs_iterate(self, step);
    row_system_store_impulses(&((Pgs *)self)->system, step->world);
}

/* Restitution of the frame, once its substeps are done. */
static void pgs_bounce(void *self, Step *step)
{
    Pgs *pgs = self;
    World *world = step->world;
    late_bounce_note(&pgs->bounce, &pgs->system, world);
    if (pgs->substep != 0)
        return;
    step->row_solves += late_bounce_apply(&pgs->bounce, &pgs->system, world, pgs_threshold(pgs, step));
    row_system_store_impulses(&pgs->system, world);
}

static int pgs_multipliers(void *self, const double **lambda)
{
    return row_system_multipliers(&((Pgs *)self)->system, lambda);
}

/* On problems given by W: the same point solve, without bodies to warm start from. */
static void *pgs_method_create(const void *options, Status *status)
{
    const PgsOptions *own = options;
    if (own->manifold || own->friction != FRICTION_CONE) {
        status_set(status, STATUS_UNSUPPORTED,
                   "a problem given by W has contact points only: manifold=false, friction=cone");
        return NULL;
    }
    double *relaxation = cone_method_memory(sizeof *relaxation, status);
    if (relaxation)
        *relaxation = own->relaxation;
    return relaxation;
}

static bool pgs_method_reserve(void *self, int blocks, int rows)
{
    (void)self, (void)blocks, (void)rows;
    return true;
}

static bool pgs_method_begin(void *self, const ConeSystem *system, double *r, Status *status)
{
    (void)self, (void)system, (void)r, (void)status;
    return true;
}

static long pgs_method_iterate(void *self, const ConeSystem *system, double *r)
{
    return cone_sweep(system, *(const double *)self, r);
}

static const ConeMethod PGS_METHOD = {CONE_COULOMB,       pgs_method_create, free,
                                      pgs_method_reserve, pgs_method_begin,  pgs_method_iterate};

static const Convention PGS_CONVENTIONS[] = {
    {CONVENTION_LAW, "friction", "pyramid", "pyramid of 4 facets: each tangent within mu lambda_n"},
    {CONVENTION_LAW, "friction", "box", "box: each tangent within mu m_c g h, whatever the load"},
    {CONVENTION_LAW, NULL, NULL, "cone: |lambda_t| <= mu lambda_n"},
    {CONVENTION_NORMALS, "manifold", "true", "those of one pair of bodies together; where a point would pull, by row"},
    {CONVENTION_NORMALS, "normals_first", "true", "by row, those of one pair of bodies before its friction"},
    {CONVENTION_NORMALS, NULL, NULL, "by row, point after point"},
    {CONVENTION_ORDER, "friction", "pyramid", "after its normal, each tangent by itself"},
    {CONVENTION_ORDER, "friction", "box", "after its normal, each tangent by itself"},
    {CONVENTION_ORDER, "manifold", "true",
     "after the pair's normals; both tangents of a point at once while it sticks"},
    {CONVENTION_ORDER, "normals_first", "true",
     "after the pair's normals; both tangents of a point at once while it sticks"},
    {CONVENTION_ORDER, NULL, NULL, "after its normal; both tangents with one common step, back to the disc"},
    {CONVENTION_SLOP, NULL, NULL, "{slop} m"},
    {CONVENTION_PUSH, "position", "none", "not at all"},
    {CONVENTION_PUSH, "position", "ngs",
     "after the step, in {position_iterations} sweeps, {ngs_share} of it each, {push_speed} m/s at most"},
    {CONVENTION_PUSH, "contact_hertz", "0", "{position}, {beta} of it a substep, {push_speed} m/s at most"},
    {CONVENTION_PUSH, NULL, NULL,
     "by springs of {contact_hertz} 1/s, damping ratio {contact_zeta}, {push_speed} m/s at most; {relax} sweeps relax"},
    {CONVENTION_RESTITUTION, "restitution", "frame",
     "Newton, v_n >= -e v_n- of the frame's beginning, after its substeps, where a point pushed; above "
     "{restitution_threshold} m/s"},
    {CONVENTION_RESTITUTION, "contact_hertz", "0",
     "Newton, v_n >= -e v_n-, in the normal's bias; above {restitution_threshold} m/s"},
    {CONVENTION_RESTITUTION, NULL, NULL,
     "in the normal's bias, above {restitution_threshold} m/s; sweeps that relax may take it out again"},
    {CONVENTION_WARM_START, "warm_start", "true", "normals, tangents and torsion, {warm_share} of the last substep's"},
    {CONVENTION_WARM_START, NULL, NULL, "nothing"},
};

static int pgs_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    Pgs *pgs = self;
    int sweeps = pgs->options.position_iterations, count = 0;
    phases[count++] = (Phase){.name = "velocity",
                              .iterations = pgs->options.common.iterations,
                              .enter = pgs_begin,
                              .iterate = pgs_iterate,
                              .residual = pgs_residual};
    if (pgs->options.position == PGS_SPLIT) {
        phases[count++] =
            (Phase){.name = "split", .iterations = sweeps, .enter = pgs_split_begin, .iterate = pgs_split_iterate};
        phases[count++] = (Phase){.name = "move", .enter = pgs_split_move};
    } else if (pgs->options.position == PGS_NGS) {
        phases[count++] =
            (Phase){.name = "position", .iterations = sweeps, .enter = pgs_ngs_begin, .iterate = pgs_ngs_iterate};
    } else {
        phases[count++] = (Phase){.name = "move", .enter = pgs_move};
    }
    if (pgs->options.relax > 0)
        phases[count++] = (Phase){
            .name = "relax", .iterations = pgs->options.relax, .enter = pgs_relax_begin, .iterate = pgs_relax_iterate};
    if (pgs->options.restitution == PGS_AT_FRAME)
        phases[count++] = (Phase){.name = "restitution", .enter = pgs_bounce};
    return count;
}

const Solver pgs_solver = {
    .abi = SOLVER_ABI,
    .name = "pgs",
    .summary = "impulses by projected Gauss-Seidel, warm started",
    .reference = "lecture 001; Catto 2005, 2006",
    .capabilities = CAN_ALL_JOINTS | CAN_CONTACTS | CAN_FRICTION | CAN_W,
    .settings = PGS_SETTINGS,
    .setting_count = sizeof PGS_SETTINGS / sizeof PGS_SETTINGS[0],
    .conventions = PGS_CONVENTIONS,
    .convention_count = sizeof PGS_CONVENTIONS / sizeof PGS_CONVENTIONS[0],
    .options_size = sizeof(PgsOptions),
    .create = pgs_create,
    .destroy = pgs_destroy,
    .reserve = pgs_reserve,
    .plan = pgs_plan,
    .multipliers = pgs_multipliers,
    .method = &PGS_METHOD,
};
