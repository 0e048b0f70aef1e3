/* SPDX-License-Identifier: MIT */
/* Lagrange multipliers at acceleration level (lecture 003, slides "Lagrange Multiplier Method"):
 *     [M -J^T; J 0] [a; lambda] = [F; -k],    k = J' V        a: the accelerations of all bodies, q'' on the slide
 * Elimination takes a out first and leaves A lambda = -(J a_F + k), A = J M^-1 J^T, a_F = M^-1 F, which is smaller,
 * symmetric and not negative; then a = a_F + M^-1 J^T lambda. The same solve takes velocities onto J V = target by
 * impulses, and poses onto C = 0. Compliant rows are forces -C/alpha. */
#include "model/array.h"
#include "model/rows/active_set.h"
#include "solvers/motion.h"

#include <lapacke.h>

static const Setting KKT_SETTINGS[] = {SUBSTEPS_SETTING(1)};
enum { MOST_ROWS = 10000 }; /* 800 MB */

typedef struct Row {
    int b, i; /* its block, and which of the block's */
} Row;

typedef struct Kkt {
    Motion motion;
    ActiveRows *of;          /* each block: rows at the last evaluation, and lambda of the last solve */
    int n, rank, switchable; /* rows of the last solve; independent ones; limits and bounded drives */
    Row *row;                /* the n that are equalities */
    double *L;               /* A in rows of unit diagonal, then its factor, n x n */
    double *S, *b, *z, *work;
    int *pivot;
    Velocity *a, *free, *unit; /* each body: what a solve gives, what it begins with, and scratch, always zero */
    bool started;
} Kkt;

/* [003] Lagrange Multiplier Method
 *     C'' = J a + k = 0,    C' = J V = target,    C = 0 at the end of the step        as J u + bias = 0
 * A drive of bounded force takes its error of speed in one step: C'' + 2 c C' + c^2 C = 0, 2 c h = 1 (Baumgarte). */
static void kkt_ask(Kkt *kkt, const World *world, ShownLevel level, double h)
{
    for (int b = 0; b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        PreparedRows *p = &kkt->of[b].p;
        double k[BLOCK_MAX_ROWS] = {0}, c = block_is_bounded_drive(block) ? 0.5 / h : 0.0;
        rows_prepare(world, block, 1.0, 0.0, p);
        if (level == SHOWN_ACCELERATION && p->rows.count > 0)
            block_rows_bias(world, block, k);
        for (int i = 0; i < p->rows.count; i++) {
            double C = p->rows.C[i], target = p->rows.velocity[i],
                   rate = row_rate(p->rows.J[i], block, world->velocity);
            p->bias[i] = level == SHOWN_POSITION   ? C - h * target
                         : level == SHOWN_VELOCITY ? -target
                                                   : k[i] + 2.0 * c * (rate - target) + c * c * C;
        }
    }
}

/* [003] Lagrange Multiplier Method
 *     A lambda = -(J u + bias),    u <- u + M^-1 J^T lambda
 * by Cholesky with pivots. Where one is lost rows are dependent: those before it give u, which is unique all the same;
 * of all lambda, z <- Q Q^T z with L = Q R is that of least norm. */
#define PIVOT_LOST 1e-9 /* of a unit diagonal: the square of a singular value of J */
static void kkt_assemble(Kkt *kkt, const World *world, const Velocity *u)
{
    int n = kkt->n;
    memset(kkt->L, 0, sizeof *kkt->L * (size_t)n * (size_t)n);
    for (int j = 0; j < n; j++) { /* column j: what a unit of lambda_j does to every row */
        Row from = kkt->row[j];
        row_apply(kkt->of[from.b].p.B[from.i], &world->blocks[from.b], 1.0, kkt->unit);
        for (int i = j; i < n; i++) {
            Row on = kkt->row[i];
            kkt->L[i + j * n] = row_rate(kkt->of[on.b].p.rows.J[on.i], &world->blocks[on.b], kkt->unit);
        }
        row_apply(kkt->of[from.b].p.B[from.i], &world->blocks[from.b], -1.0, kkt->unit);
        kkt->S[j] = kkt->L[j + j * n] > 0.0 ? 1.0 / sqrt(kkt->L[j + j * n]) : 0.0;
        kkt->b[j] = -kkt->S[j] * rows_residual(&kkt->of[from.b].p, &world->blocks[from.b], u, from.i);
    }
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            kkt->L[i + j * n] = i == j ? 1.0 : kkt->L[i + j * n] * kkt->S[i] * kkt->S[j];
}

static void kkt_eliminate(Kkt *kkt, const World *world, Step *step, Velocity *u)
{
    int n = kkt->n, r = 0;
    double *z = kkt->z, *tau = kkt->b;
    if (n == 0)
        return;
    kkt_assemble(kkt, world, u);
    LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', n, kkt->L, n, kkt->pivot, &r, PIVOT_LOST, kkt->work);
    for (int i = 0; i < n; i++)
        z[i] = i < r ? kkt->b[kkt->pivot[i] - 1] : 0.0;
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', r, 1, kkt->L, n, z, n);
    for (int i = 0; i < n; i++) {
        Row of = kkt->row[kkt->pivot[i] - 1];
        row_apply(kkt->of[of.b].p.B[of.i], &world->blocks[of.b], kkt->S[kkt->pivot[i] - 1] * z[i], u);
    }
    if (r < n) {
        LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, r, kkt->L, n, tau, kkt->work, n);
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', n, 1, r, kkt->L, n, tau, z, n, kkt->work, n);
        memset(z + r, 0, sizeof *z * (size_t)(n - r));
        LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'N', n, 1, r, kkt->L, n, tau, z, n, kkt->work, n);
    }
    for (int i = 0; i < n; i++) {
        Row of = kkt->row[kkt->pivot[i] - 1];
        kkt->of[of.b].p.lambda[of.i] = kkt->S[kkt->pivot[i] - 1] * z[i];
    }
    kkt->rank = r;
    step->row_solves += n;
}

/* [003] Contact Simulation
 *     lambda_c >= 0,    J_c a + k_c >= 0,    lambda_c^T a_c = 0
 * of limits: those held are equalities; if one pulls, or one that touches is violated, the choice is made anew. Drives
 * of bounded force that cannot hold push with their bound. */
static void kkt_solve(Kkt *kkt, Step *step, Velocity *u, bool choose, bool forces)
{
    const World *world = step->world;
    for (int pass = 0; pass < (choose ? 2 + 4 * kkt->switchable : 1); pass++) {
        memcpy(u, kkt->free, sizeof *u * (size_t)world->body_count);
        kkt->n = kkt->rank = 0;
        for (int b = 0; b < world->block_count; b++) {
            ActiveRows *own = &kkt->of[b];
            for (int i = 0; i < own->p.rows.count && own->state != ROWS_SPRING; i++) {
                own->p.lambda[i] = active_is_spent(own, forces) ? active_bound(own, i) : 0.0;
                row_apply(own->p.B[i], &world->blocks[b], own->p.lambda[i], u);
                if (active_takes_part(own, &world->blocks[b], forces))
                    kkt->row[kkt->n++] = (Row){b, i};
            }
        }
        kkt_eliminate(kkt, world, step, u);
        if (!choose || (!active_let_go(kkt->of, world, forces) && !active_take_in(kkt->of, world, u, forces)))
            return;
    }
    step_report(step, "the active set did not settle");
}

/* What the multipliers, impulses or forces, give in this step. */
static void kkt_give(const Kkt *kkt, Step *step, ShownLevel level)
{
    Vec3 *sum = step->world->block_impulse;
    for (int b = 0; b < step->world->block_count; b++) {
        const PreparedRows *p = &kkt->of[b].p;
        for (int i = 0; i < p->rows.count; i++)
            step_show(step, &(ShownRow){b, i, p->rows.C[i], p->rows.J[i], p->A.m[i][i], p->bias[i], 0.0, p->lambda[i],
                                        level});
        Vec3 given = rows_impulse(&p->rows, step->world->blocks[b].kind, p->lambda);
        sum[b] = vec3_add_scaled(sum[b], level == SHOWN_VELOCITY ? 1.0 : step->h, given);
    }
    if (kkt->rank < kkt->n)
        step_report(step, "dependent rows: multipliers of least norm");
}

/* [003] Impulse Based Simulation
 *     J V = target by impulses        of what is run into, and of velocities that the constraints do not allow */
static void kkt_stop(Kkt *kkt, Step *step, bool choose)
{
    kkt_ask(kkt, step->world, SHOWN_VELOCITY, step->h);
    memcpy(kkt->free, step->world->velocity, sizeof *kkt->free * (size_t)step->world->body_count);
    kkt_solve(kkt, step, kkt->a, choose, false);
    kkt_give(kkt, step, SHOWN_VELOCITY);
    memcpy(step->world->velocity, kkt->a, sizeof *kkt->a * (size_t)step->world->body_count);
}

/* [003] Rigidbody Simulation: integration
 *     semi-implicit Euler:    v <- v + a h,    x <- x + v h,    a = a_F + M^-1 J^T lambda */
static void kkt_integrate(Kkt *kkt, Step *step)
{
    World *world = step->world;
    kkt_ask(kkt, world, SHOWN_ACCELERATION, step->h);
    motion_accelerations(&kkt->motion, world, step->h, kkt->free);
    for (int b = 0; b < world->block_count; b++) {
        PreparedRows *p = &kkt->of[b].p;
        for (int i = 0; i < p->rows.count && kkt->of[b].state == ROWS_SPRING; i++, step->row_solves++) {
            double f = -p->rows.C[i] / block_terms(&world->blocks[b])->compliance;
            p->lambda[i] = clamp(f, p->rows.lower[i], p->rows.upper[i]);
            row_apply(p->B[i], &world->blocks[b], p->lambda[i], kkt->free);
        }
    }
    kkt_solve(kkt, step, kkt->a, true, true);
    kkt_give(kkt, step, SHOWN_ACCELERATION);
    for (int i = 1; i < world->body_count; i++) {
        Velocity *u = &world->velocity[i];
        if (world_is_fixed(world, i))
            continue;
        u->v = vec3_add_scaled(u->v, step->h, kkt->a[i].v);
        u->w = vec3_add_scaled(u->w, step->h, kkt->a[i].w);
        world->pose[i].x = vec3_add_scaled(world->pose[i].x, step->h, u->v);
        if (world->mass[i].inv_inertia.x != 0.0)
            world->pose[i].q = motion_turn(world->pose[i].q, u->w, step->h);
    }
}

/* [003] Simulate A Single Ball Joint
 *     discrete time integration will accumulate errors; project back to correct position:    J dx = -C
 * by Newton's method with M^-1 as weight, until no step halves what is left any more. */
static double kkt_error(Kkt *kkt, const World *world, double h)
{
    double largest = 0.0;
    kkt_ask(kkt, world, SHOWN_POSITION, h);
    for (int b = 0; b < world->block_count; b++)
        for (int i = 0; i < kkt->of[b].p.rows.count && active_takes_part(&kkt->of[b], &world->blocks[b], false); i++)
            largest = fmax(largest, fabs(kkt->of[b].p.bias[i]) / block_scale(world, world->blocks[b].kind));
    return largest;
}

static void kkt_project(Kkt *kkt, Step *step)
{
    World *world = step->world;
    double left = kkt_error(kkt, world, step->h), before = INFINITY;
    for (int k = 0; k < 12 && left > 1e-14 && !(left > 0.5 * before && before < 1e-10); k++) {
        memset(kkt->free, 0, sizeof *kkt->free * (size_t)world->body_count);
        kkt_solve(kkt, step, kkt->a, false, false);
        for (int i = 1; i < world->body_count; i++) {
            world->pose[i].x = vec3_add(world->pose[i].x, kkt->a[i].v);
            if (world->mass[i].inv_inertia.x != 0.0)
                world->pose[i].q = motion_turn(world->pose[i].q, kkt->a[i].w, 1.0);
        }
        before = left;
        left = kkt_error(kkt, world, step->h);
    }
    if (!(left < 1e-9))
        step_report(step, "projection did not converge");
}

static void kkt_step(void *self, Step *step)
{
    Kkt *kkt = self;
    World *world = step->world;
    for (int b = 0; b < world->block_count; b++)
        world->block_impulse[b] = VEC3_ZERO;
    kkt_ask(kkt, world, SHOWN_VELOCITY, step->h);
    if (active_find_touching(kkt->of, world) || !kkt->started) {
        kkt_stop(kkt, step, true);
        kkt_ask(kkt, world, SHOWN_VELOCITY, step->h);
        active_find_touching(kkt->of, world);
        kkt->started = true;
    }
    kkt_integrate(kkt, step);
    kkt_ask(kkt, world, SHOWN_VELOCITY, step->h);
    active_find_touching(kkt->of, world);
    bool impact = active_hold_violated(kkt->of, world); /* limits that were run through */
    kkt_project(kkt, step);
    kkt_stop(kkt, step, impact);
}

static void kkt_destroy(void *self)
{
    Kkt *kkt = self;
    if (!kkt)
        return;
    motion_free(&kkt->motion);
    void *const owned[] = {kkt->of,   kkt->row, kkt->L,    kkt->S,    kkt->b,    kkt->z,
                           kkt->work, kkt->a,   kkt->free, kkt->unit, kkt->pivot};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    free(kkt);
}

static void *kkt_create(const SolverTask *task, Status *status)
{
    const World *world = task->world;
    if (row_count_all(world) > MOST_ROWS &&
        !status_set(status, STATUS_UNSUPPORTED, "lecture_kkt takes %d rows at most", MOST_ROWS))
        return NULL;
    Kkt *kkt = calloc(1, sizeof *kkt);
    size_t bodies = (size_t)world->body_count, blocks = (size_t)world->block_count, n = (size_t)row_count_all(world);
    CommonOptions options = {.integrator = INTEGRATE_SEMI_IMPLICIT, .gyroscopic = GYROSCOPIC_IMPLICIT};
    if (!kkt || !NEW_ARRAY(kkt->of, blocks + 1) || !NEW_ARRAY(kkt->row, n + 1) || !NEW_ARRAY(kkt->L, n * n + 1) ||
        !NEW_ARRAY(kkt->S, n + 1) || !NEW_ARRAY(kkt->b, n + 1) || !NEW_ARRAY(kkt->z, n + 1) ||
        !NEW_ARRAY(kkt->work, 2 * n + 1) || !NEW_ARRAY(kkt->pivot, n + 1) || !NEW_ARRAY(kkt->a, bodies) ||
        !NEW_ARRAY(kkt->free, bodies) || !NEW_ARRAY(kkt->unit, bodies) || !motion_init(&kkt->motion, world, &options)) {
        kkt_destroy(kkt);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    for (int b = 0; b < world->block_count; b++) {
        kkt->of[b].state = active_start(&world->blocks[b]);
        kkt->switchable += kkt->of[b].state == ROWS_FREE || block_is_bounded_drive(&world->blocks[b]);
    }
    return kkt;
}

static int kkt_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){.name = "solve", .iterations = 1, .iterate = kkt_step};
    return 1;
}

const Solver lecture_kkt_solver = {
    .abi = SOLVER_ABI,
    .name = "lecture_kkt",
    .text_of = "kkt",
    .summary = "the lecture's text of kkt: Lagrange multipliers at acceleration level",
    .reference = "lecture 003, Lagrange Multiplier Method; Cline 2002",
    .capabilities = CAN_ALL_JOINTS,
    SOLVER_SETTINGS(KKT_SETTINGS),
    .options_size = sizeof(CommonOptions),
    .row_pair_bytes = 25,
    .create = kkt_create,
    .destroy = kkt_destroy,
    .plan = kkt_plan,
};
