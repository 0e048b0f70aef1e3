/* Contacts and joints as one mixed linear complementarity problem at velocity level, solved directly by pivoting:
 *
 *     v = v* + M^-1 J^T lambda,   J v + s lambda + bias _|_ lambda within its bounds,   x = x + h v.
 *
 * The rows, biases and targets of `pgs`, but exact, by Lemke's method: a friction bound that depends on another
 * multiplier is part of the problem, and a large coefficient (Painleve) cannot trap it. Friction must be linear: its
 * disc becomes a polygon of `facets` corners, up to 1 - cos(pi/facets) too weak, but exact against the slip of free
 * flight, which a corner opposes. Rows that contradict each other have no solution: they are softened. */
#include "solvers/linear/complementarity.h"
#include "solvers/motion.h"
#include "solvers/rows/polygon.h"

#include <stdlib.h>

typedef enum LcpPosition { LCP_BAUMGARTE, LCP_NONE } LcpPosition;

static const char *const LCP_POSITIONS[] = {"baumgarte", "none", NULL};

typedef struct LcpOptions {
    CommonOptions common;
    int position, facets;
    double beta, slop, push_speed, restitution_threshold;
} LcpOptions;

static const Setting LCP_SETTINGS[] = {
    COMMON_SETTINGS(1, 1),
    PARAM_CHOICE(LcpOptions, position, "how position errors are taken back", LCP_BAUMGARTE, 1, LCP_POSITIONS),
    PARAM_REAL(LcpOptions, beta, "share of the error taken back in a substep (baumgarte)", 0.2, 0, 2.5),
    SLOP_SETTING(LcpOptions),
    PUSH_SPEED_SETTING(LcpOptions),
    RESTITUTION_THRESHOLD_SETTING(LcpOptions),
    PARAM_INT(LcpOptions, facets, "corners of the polygon that stands for the friction disc; even, on the slip", 8, 4,
              64),
};

/* Two matrices of 128 MB; a solve takes minutes. */
enum { LCP_MAX_VARIABLES = 4000 };

/* Guides the path past dependent rows, such as the four points of a face, far above the round-off of its pivots; the
 * solution is refined to that of the rows as they are. Of all loads of equal effect it gives the most even. */
static const double LCP_GUIDE = 1e-4;

/* Added to the unit diagonal where there is no solution: rows that contradict each other then share their error, and
 * the others are off by a millionth. */
static const double LCP_SOFTNESS = 1e-6;

/* Sweeps when pivoting fails even so: enough for any problem small enough for this backend to look settled. */
enum { LCP_SWEEPS = 1000 };

typedef struct Lcp {
    LcpOptions options;
    Motion motion;
    RowSystem system;
    Complementarity problem;
} Lcp;

static void lcp_destroy(void *self)
{
    Lcp *lcp = self;
    if (!lcp)
        return;
    motion_free(&lcp->motion);
    row_system_free(&lcp->system);
    complementarity_free(&lcp->problem);
    free(lcp);
}

static bool lcp_fits(const World *world, int facets, Status *status)
{
    int size = complementarity_size(world, facets);
    return size <= LCP_MAX_VARIABLES ||
           status_set(status, STATUS_UNSUPPORTED,
                      "solver lcp cannot run this scene: it takes %d variables at most (%d a contact point), not %d",
                      LCP_MAX_VARIABLES, facets + 2, size);
}

static bool lcp_reserve(void *self, const World *world, Status *status)
{
    Lcp *lcp = self;
    return lcp_fits(world, lcp->options.facets, status) &&
           ((row_system_reserve(&lcp->system, world) && complementarity_reserve(&lcp->problem, world)) ||
            status_set(status, STATUS_FAILED, "out of memory"));
}

static void *lcp_create(const SolverTask *task, Status *status)
{
    const World *world = task->world;
    const LcpOptions *options = task->options;
    if (options->facets % 2 != 0) {
        status_set(status, STATUS_USAGE, "option 'facets' of lcp: must be even, not %d", options->facets);
        return NULL;
    }
    if (!lcp_fits(world, options->facets, status))
        return NULL;
    Lcp *lcp = calloc(1, sizeof *lcp);
    if (lcp)
        lcp->options = *options;
    if (!lcp || !motion_init(&lcp->motion, world, &lcp->options.common) || !row_system_init(&lcp->system, world) ||
        !complementarity_init(&lcp->problem, world, lcp->options.facets)) {
        lcp_destroy(lcp);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    return lcp;
}

static void lcp_begin(void *self, Step *step)
{
    Lcp *lcp = self;
    const LcpOptions *o = &lcp->options;
    step_report_recovery(step, o->push_speed);
    motion_begin(&lcp->motion, step->world, step->h);
    row_system_prepare(
        &lcp->system, step->world,
        &(RowSetup){.h = step->h,
                    .rate = o->position == LCP_BAUMGARTE ? o->beta / step->h : 0.0,
                    .relaxation = 1.0,
                    .friction = FRICTION_FACETS,
                    .facets = o->facets,
                    .slop = o->slop,
                    .push_speed = o->push_speed,
                    .restitution_threshold = restitution_threshold_at(o->restitution_threshold, step->world, step->h)});
}

/* Where friction lies on a facet, and not at a corner, it is weaker than Coulomb's. */
static void lcp_report_facets(const Lcp *lcp, Step *step)
{
    const double round_off = 1e-9;
    for (int b = 0; b < lcp->system.count; b++) {
        const RowBlock *rb = &lcp->system.blocks[b];
        double limit = rb->mu * rb->lambda[0] * (1.0 - round_off);
        if (rb->kind == ROWS_CONTACT && rb->count > 1 && hypot(rb->lambda[1], rb->lambda[2]) < limit &&
            !polygon_holds(lcp->options.facets, limit, rb->lambda[1], rb->lambda[2])) {
            step_report(step, "friction between two corners of its polygon: up to 1 - cos(pi/facets) too weak");
            return;
        }
    }
}

static bool lcp_pivot(Lcp *lcp, Step *step, double softness)
{
    LemkeEnd end = complementarity_solve(&lcp->problem, &lcp->system, softness, LCP_GUIDE);
    step->row_solves += lcp->system.rows * lcp->problem.lemke.pivots;
    return end == LEMKE_SOLVED;
}

static void lcp_solve(void *self, Step *step)
{
    Lcp *lcp = self;
    Velocity *velocity = step->world->velocity;
    if (lcp->system.rows == 0)
        return;
    complementarity_reduce(&lcp->problem, &lcp->system, step->world);
    step->row_solves += lcp->problem.equalities; /* eliminated once */
    if (lcp->problem.schur.deficient)
        step_report(step, "dependent rows: multipliers of least norm");
    bool solved = lcp_pivot(lcp, step, 0.0);
    if (!solved) {
        step_report(step, "no exact solution found: softened");
        solved = lcp_pivot(lcp, step, LCP_SOFTNESS);
    }
    if (solved) {
        lcp_report_facets(lcp, step);
        row_system_apply(&lcp->system, velocity);
        return;
    }
    step_report(step, "pivoting failed: swept instead");
    for (int i = 0; i < LCP_SWEEPS; i++)
        step->row_solves += row_system_sweep(&lcp->system, velocity, NULL);
}

static double lcp_residual(void *self, const Step *step)
{
    return row_system_residual(&((Lcp *)self)->system, step->world->velocity);
}

static void lcp_move(void *self, Step *step)
{
    Lcp *lcp = self;
    row_system_store_impulses(&lcp->system, step->world);
    motion_damp(&lcp->motion, step->world, step->h);
    motion_move(&lcp->motion, step->world, NULL, step->h);
}

static int lcp_multipliers(void *self, const double **lambda)
{
    return row_system_multipliers(&((Lcp *)self)->system, lambda);
}

static int lcp_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){
        .name = "velocity", .iterations = 1, .enter = lcp_begin, .iterate = lcp_solve, .residual = lcp_residual};
    phases[1] = (Phase){.name = "move", .enter = lcp_move};
    return 2;
}

const Solver lcp_solver = {
    .abi = SOLVER_ABI,
    .name = "lcp",
    .summary = "contacts, friction as a polygon, and joints as one mixed LCP, solved by pivoting",
    .reference = "lectures 001, 003; Lemke 1965; Anitescu and Potra 1997",
    .capabilities = CAN_ALL_JOINTS | CAN_CONTACTS | CAN_FRICTION,
    .settings = LCP_SETTINGS,
    .setting_count = sizeof LCP_SETTINGS / sizeof LCP_SETTINGS[0],
    .options_size = sizeof(LcpOptions),
    .create = lcp_create,
    .destroy = lcp_destroy,
    .reserve = lcp_reserve,
    .plan = lcp_plan,
    .multipliers = lcp_multipliers,
};
