/* SPDX-License-Identifier: MIT */
/* Projected Gauss-Seidel on the assembled matrix, the lecture's form to the letter (001):
 *
 *     A = J M^-1 J^T,   x_i <- clamp(x_i + (b_i - sum_j a_ij x_j) / a_ii),   then v = v* + M^-1 J^T x.
 *
 * Contacts are rows like all others: a normal with x >= 0, two tangents within mu times the load, which is m_c g h on
 * the slide (friction=box) or the normal's x (pyramid), and the spin of a patch within 2/3 R of its points' bounds. The
 * same iterates as `pgs_lecture`, which never forms A and keeps v instead of the sum: here a sweep costs rows^2. */
#include "solvers/motion.h"
#include "solvers/systems/dense.h"

#include <cblas.h>
#include <stdlib.h>

typedef enum PgsDensePosition { PGS_DENSE_BAUMGARTE, PGS_DENSE_NONE } PgsDensePosition;

static const char *const PGS_DENSE_POSITIONS[] = {"baumgarte", "none", NULL};

typedef enum PgsDenseFriction { PGS_DENSE_BOX, PGS_DENSE_PYRAMID } PgsDenseFriction;

static const char *const PGS_DENSE_FRICTIONS[] = {"box", "pyramid", NULL};

typedef struct PgsDenseOptions {
    CommonOptions common;
    int warm_start;
    double warm_share;
    int position;
    double beta;
    double relaxation;
    int relax;
    int friction;
    double slop, push_speed, restitution_threshold;
} PgsDenseOptions;

static const Setting PGS_DENSE_SETTINGS[] = {
    COMMON_SETTINGS(1, 20),
    STOP_RESIDUAL_SETTING,
    PARAM_BOOL(PgsDenseOptions, warm_start, "begin with the multipliers of the last substep", true),
    PARAM_REAL(PgsDenseOptions, warm_share, "share of them to begin with, as in pgs", 1, 0, 1),
    PARAM_CHOICE(PgsDenseOptions, position, "how position errors are taken back", PGS_DENSE_BAUMGARTE, 1,
                 PGS_DENSE_POSITIONS),
    PARAM_REAL(PgsDenseOptions, beta, "share of the error taken back in a substep (baumgarte)", 0.2, 0, 2.5),
    PARAM_REAL(PgsDenseOptions, relaxation, "scales each change of a multiplier", 1, 0, 2),
    PARAM_INT(PgsDenseOptions, relax, "sweeps after the move, without the position errors", 0, 0, 1e6),
    PARAM_CHOICE(PgsDenseOptions, friction, "bound of a contact's tangents: the lecture's mu m_c g, or mu lambda_n",
                 PGS_DENSE_BOX, 1, PGS_DENSE_FRICTIONS),
    PARAM_REAL(PgsDenseOptions, slop, "overlap of contacts that is left alone (m)", 0, 0, 1),
    PARAM_REAL_OR(PgsDenseOptions, push_speed, "deep overlap is taken back no faster than this (m/s); inf: no bound",
                  INFINITY, 0, 1e6, WORD_INF),
    RESTITUTION_THRESHOLD_SETTING(PgsDenseOptions),
};

typedef struct PgsDense {
    PgsDenseOptions options;
    Motion motion;
    RowSystem system;
    Dense dense;
    bool started; /* there are multipliers to start from */
} PgsDense;

static void pgs_dense_destroy(void *self)
{
    PgsDense *pgs = self;
    if (!pgs)
        return;
    motion_free(&pgs->motion);
    row_system_free(&pgs->system);
    dense_free(&pgs->dense);
    free(pgs);
}

static bool pgs_dense_reserve(void *self, const World *world, Status *status)
{
    PgsDense *pgs = self;
    return row_count_fits_dense(world, "pgs_dense", status) &&
           ((row_system_reserve(&pgs->system, world) && dense_reserve(&pgs->dense, world)) ||
            status_set(status, STATUS_FAILED, "out of memory"));
}

static void *pgs_dense_create(const SolverTask *task, Status *status)
{
    const World *world = task->world;
    if (!row_count_fits_dense(world, "pgs_dense", status))
        return NULL;
    PgsDense *pgs = calloc(1, sizeof *pgs);
    if (pgs)
        pgs->options = *(const PgsDenseOptions *)task->options;
    if (!pgs || !motion_init(&pgs->motion, world, &pgs->options.common) || !row_system_init(&pgs->system, world) ||
        !dense_init(&pgs->dense, world)) {
        pgs_dense_destroy(pgs);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    pgs->started = task->goes_on;
    if (pgs->started)
        row_system_recall_impulses(&pgs->system, world);
    return pgs;
}

static RowSetup pgs_dense_setup(const PgsDense *pgs, const World *world, double h)
{
    const PgsDenseOptions *o = &pgs->options;
    return (RowSetup){.h = h,
                      .rate = o->position == PGS_DENSE_BAUMGARTE ? o->beta / h : 0.0,
                      .relaxation = o->relaxation,
                      .friction = o->friction == PGS_DENSE_BOX ? FRICTION_BOX : FRICTION_PYRAMID,
                      .slop = o->slop,
                      .push_speed = o->push_speed,
                      .restitution_threshold = restitution_threshold_at(o->restitution_threshold, world, h),
                      .keep = o->warm_start && pgs->started ? o->warm_share : 0.0};
}

static void pgs_dense_begin(void *self, Step *step)
{
    PgsDense *pgs = self;
    World *world = step->world;
    RowSetup setup = pgs_dense_setup(pgs, step->world, step->h);
    motion_begin(&pgs->motion, world, step->h);
    row_system_prepare(&pgs->system, world, &setup);
    dense_assemble(&pgs->dense, &pgs->system, world);
    pgs->started = true;
}

/* b_i - sum_j a_ij x_j */
static double pgs_dense_row_residual(const Dense *dense, int i)
{
    return dense->b[i] - cblas_ddot(dense->rows, dense->A + i * (long)dense->rows, 1, dense->x, 1);
}

/* Where row i goes: x_i + relaxation r_i / a_ii within its bounds; a row that moves nothing stays. */
static double pgs_dense_next(const Dense *dense, int i, double relaxation)
{
    double a = dense->A[i * (long)dense->rows + i];
    double change = a > 0.0 ? relaxation * pgs_dense_row_residual(dense, i) / a : 0.0;
    return clamp(dense->x[i] + change, dense->lower[i], dense->upper[i]);
}

/* How much friction contact point b may give, whose normal is this row. */
static double pgs_dense_limit(const PgsDense *pgs, int b, int normal)
{
    return pgs->options.friction == PGS_DENSE_BOX ? pgs->system.contacts[pgs->system.packed[b]].bound
                                                  : pgs->system.blocks[b].mu * pgs->dense.x[normal];
}

/* The bounds of the friction rows of block b, which begins with this row, as the loads are now. */
static void pgs_dense_bound(PgsDense *pgs, int b, int first)
{
    const RowBlock *rb = &pgs->system.blocks[b];
    double limit = 0.0;
    if (rb->kind == ROWS_CONTACT)
        limit = pgs_dense_limit(pgs, b, first);
    else if (rb->kind != ROWS_TORSION)
        return;
    int normal = first; /* a patch's points stand right before it */
    for (int p = rb->kind == ROWS_TORSION ? rb->patch.count - 1 : -1; p >= 0; p--) {
        int point = manifold_contact(&rb->patch, p), rows = pgs->system.blocks[point].count;
        normal -= rows;
        limit += rows > 0 ? rb->patch_arm * pgs_dense_limit(pgs, point, normal) : 0.0;
    }
    for (int i = rb->kind == ROWS_CONTACT ? 1 : 0; i < rb->count; i++) {
        pgs->dense.lower[first + i] = -limit;
        pgs->dense.upper[first + i] = limit;
    }
}

static void pgs_dense_iterate(void *self, Step *step)
{
    PgsDense *pgs = self;
    for (int b = 0, row = 0; b < pgs->system.count; row += pgs->system.blocks[b++].count)
        for (int i = 0; i < pgs->system.blocks[b].count; i++) {
            if (i <= 1) /* a point's normal has just been solved, or a block begins */
                pgs_dense_bound(pgs, b, row);
            pgs->dense.x[row + i] = pgs_dense_next(&pgs->dense, row + i, pgs->options.relaxation);
        }
    step->row_solves += pgs->dense.rows;
}

/* The natural map of row_system_residual, on the matrix. */
static double pgs_dense_residual(void *self, const Step *step)
{
    const PgsDense *pgs = self;
    const Dense *dense = &pgs->dense;
    double sum = 0.0, b_squared = 0.0;
    (void)step;
    for (int b = 0, row = 0; b < pgs->system.count; b++)
        for (int i = 0; i < pgs->system.blocks[b].count; i++, row++) {
            double metres = pgs->system.blocks[b].metres, diagonal = dense->A[row * (long)dense->rows + row];
            double natural = metres * diagonal * (dense->x[row] - pgs_dense_next(dense, row, 1.0));
            sum += natural * natural;
            b_squared += metres * dense->b[row] * (metres * dense->b[row]);
        }
    return sum == 0.0 ? 0.0 : sqrt(sum) / (b_squared > 0.0 ? sqrt(b_squared) : pgs->system.pace);
}

static void pgs_dense_move(void *self, Step *step)
{
    PgsDense *pgs = self;
    World *world = step->world;
    dense_store(&pgs->dense, &pgs->system);
    row_system_apply(&pgs->system, world->velocity);
    row_system_store_impulses(&pgs->system, world);
    motion_damp(&pgs->motion, world, step->h);
    motion_move(&pgs->motion, world, NULL, step->h);
}

/* The same A; b such that b - A x is what the rows without their errors, J V + bias + s x, now lack. */
static void pgs_dense_relax_begin(void *self, Step *step)
{
    PgsDense *pgs = self;
    Dense *dense = &pgs->dense;
    RowSetup setup = pgs_dense_setup(pgs, step->world, step->h);
    int row = 0;
    row_system_drop_errors(&pgs->system, &setup);
    for (int b = 0; b < pgs->system.count; b++) {
        const RowBlock *rb = &pgs->system.blocks[b];
        double r[BLOCK_MAX_ROWS];
        if (rb->count > 0)
            row_block_residuals(rb, step->world->velocity, r);
        for (int i = 0; i < rb->count; i++, row++)
            dense->b[row] -= pgs_dense_row_residual(dense, row) + r[i];
    }
}

/* V follows the multipliers' change. */
static void pgs_dense_relax_end(void *self, Step *step)
{
    PgsDense *pgs = self;
    int row = 0;
    for (int b = 0; b < pgs->system.count; b++) {
        const RowBlock *rb = &pgs->system.blocks[b];
        double d[BLOCK_MAX_ROWS] = {0};
        for (int i = 0; i < rb->count; i++, row++)
            d[i] = pgs->dense.x[row] - rb->lambda[i];
        if (rb->count > 0)
            row_block_push(rb, d, step->world->velocity);
    }
    dense_store(&pgs->dense, &pgs->system);
    row_system_store_impulses(&pgs->system, step->world);
}

static int pgs_dense_multipliers(void *self, const double **lambda)
{
    *lambda = ((PgsDense *)self)->dense.x;
    return ((PgsDense *)self)->dense.rows;
}

static int pgs_dense_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    PgsDense *pgs = self;
    phases[0] = (Phase){.name = "velocity",
                        .iterations = pgs->options.common.iterations,
                        .enter = pgs_dense_begin,
                        .iterate = pgs_dense_iterate,
                        .residual = pgs_dense_residual};
    phases[1] = (Phase){.name = "move", .enter = pgs_dense_move};
    if (pgs->options.relax == 0)
        return 2;
    phases[2] = (Phase){.name = "relax",
                        .iterations = pgs->options.relax,
                        .enter = pgs_dense_relax_begin,
                        .iterate = pgs_dense_iterate};
    phases[3] = (Phase){.name = "apply", .enter = pgs_dense_relax_end};
    return 4;
}

static const PhaseStep PGS_DENSE_STEPS[] = {
    {"velocity", PHASE_ENTER, "", "the lecture's system A x = b, with bounds, by sweeps"},
    FLIGHT_WORDS("velocity"),
    {"velocity", PHASE_ENTER, "errors", "The share {beta} of an error is taken back, by Baumgarte's rule.",
     "bias = {beta} C/h,  contacts: max({beta} (C + {slop} m)/h, -{push_speed} m/s)", "position", "baumgarte"},
    {"velocity", PHASE_ENTER, "errors", "Errors wait: the velocities do not know of them.", "bias = 0"},
    {"velocity", PHASE_ENTER, "matrix", "All rows of the world in one dense matrix.",
     "A = J M^-1 J^T + alpha/h^2,  b = -(J v* + bias)"},
    {"velocity", PHASE_ENTER, "warm start", "The sweeps begin with {warm_share} of the last substep's multipliers.",
     "x = {warm_share} x_last", "warm_start", "true"},
    {"velocity", PHASE_ENTER, "warm start", "The sweeps begin at zero.", "x = 0"},
    {"velocity,relax", PHASE_SWEEP, "rows", "Row by row.",
     "x_i <- clamp(x_i + {relaxation} (b_i - sum_j a_ij x_j)/a_ii, min_i, max_i)"},
    {"velocity,relax", PHASE_SWEEP, "friction", "Tangents are rows within the lecture's box.", "|x_t| <= mu m_c g h",
     "friction", "box"},
    {"velocity,relax", PHASE_SWEEP, "friction", "Tangents are rows within their normal's load.", "|x_t| <= mu x_n"},
    {"move", PHASE_ENTER, "", "the velocities follow the multipliers, the poses the velocities"},
    {"move", PHASE_ENTER, "velocities", "All impulses at once.", "v <- v* + M^-1 J^T x"},
    MOVE_WORDS("move"),
    {"relax", PHASE_ENTER, "", "sweeps without errors: they take the push out of the velocities again"},
    {"relax", PHASE_ENTER, "right side", "The same matrix, without the errors.", "b = A x - J v"},
    {"apply", PHASE_ENTER, "", "the velocities follow what the relaxation has changed"},
    {"apply", PHASE_ENTER, "velocities", "All changes at once.", "v <- v + M^-1 J^T dx"},
    {NULL},
};

static const Convention PGS_DENSE_CONVENTIONS[] = {
    {CONVENTION_LAW, "friction", "pyramid", "pyramid of 4 facets: each tangent within mu lambda_n"},
    {CONVENTION_LAW, NULL, NULL, "box: each tangent within mu m_c g h, whatever the load"},
    {CONVENTION_NORMALS, NULL, NULL, "by row, point after point"},
    {CONVENTION_ORDER, NULL, NULL, "after its normal, each tangent by itself"},
    {CONVENTION_SLOP, NULL, NULL, "{slop} m"},
    {CONVENTION_PUSH, "position", "none", "not at all"},
    {CONVENTION_PUSH, NULL, NULL, "{position}, {beta} of it a substep, {push_speed} m/s at most"},
    {CONVENTION_RESTITUTION, NULL, NULL,
     "Newton, v_n >= -e v_n-, in the normal's bias; above {restitution_threshold} m/s"},
    {CONVENTION_WARM_START, "warm_start", "true", "normals, tangents and torsion, {warm_share} of the last substep's"},
    {CONVENTION_WARM_START, NULL, NULL, "nothing"},
};

const Solver pgs_dense_solver = {
    .abi = SOLVER_ABI,
    .name = "pgs_dense",
    .summary = "projected Gauss-Seidel on the assembled matrix",
    .reference = "lecture 001",
    .capabilities = CAN_ALL_JOINTS | CAN_ALL_LAWS | CAN_CONTACTS | CAN_COULOMB,
    SOLVER_SETTINGS(PGS_DENSE_SETTINGS),
    .options_size = sizeof(PgsDenseOptions),
    .row_pair_bytes = 30,
    .create = pgs_dense_create,
    .destroy = pgs_dense_destroy,
    .reserve = pgs_dense_reserve,
    .plan = pgs_dense_plan,
    .multipliers = pgs_dense_multipliers,
    SOLVER_CONVENTIONS(PGS_DENSE_CONVENTIONS),
    .steps = PGS_DENSE_STEPS,
};
