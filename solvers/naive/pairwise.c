/* SPDX-License-Identifier: MIT */
#include "solvers/naive/pairwise.h"

#include "model/array.h"
#include "model/rows/block_gradient.h"
#include "solvers/position/position.h"

void pairwise_destroy(void *self)
{
    Pairwise *pairwise = self;
    if (!pairwise)
        return;
    motion_free(&pairwise->motion);
    row_system_free(&pairwise->system);
    free(pairwise->seen);
    free(pairwise->share);
    free(pairwise->touching);
    free(pairwise);
}

bool pairwise_reserve(void *self, const World *world, Status *status)
{
    Pairwise *pairwise = self;
    return (array_reserve((void **)&pairwise->share, &pairwise->capacity, sizeof *pairwise->share,
                          (size_t)world->block_count) &&
            row_system_reserve(&pairwise->system, world)) ||
           status_set(status, STATUS_FAILED, "out of memory");
}

void *pairwise_create(const SolverTask *task, Status *status)
{
    const World *world = task->world;
    Pairwise *pairwise = calloc(1, sizeof *pairwise);
    size_t bodies = (size_t)world->body_count;
    if (pairwise)
        pairwise->options = *(const PairwiseOptions *)task->options;
    if (!pairwise || !NEW_ARRAY(pairwise->seen, bodies) || !NEW_ARRAY(pairwise->touching, bodies) ||
        !motion_init(&pairwise->motion, world, &pairwise->options.common) ||
        !row_system_init(&pairwise->system, world) || !pairwise_reserve(pairwise, world, status)) {
        pairwise_destroy(pairwise);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    return pairwise;
}

/* Whether the block has something to solve at these velocities, or has pushed already and rubs on: an open limit or gap
 * that does not close has nothing, and a patch's spin is part of its points. */
static bool pairwise_competes(const RowBlock *rb, const RowSystem *system, const World *world, int b, double h)
{
    double r[BLOCK_MAX_ROWS] = {0};
    if (rb->count == 0 || rb->kind == ROWS_TORSION)
        return false;
    row_block_residuals(rb, world->velocity, r);
    if (world->blocks[b].kind == BLOCK_CONTACT) /* its bias may have a bounce, which is due only where it is hit */
        r[0] += fmax(rb->C[0], 0.0) / h - rb->bias[0];
    bool one_sided = rb->kind != ROWS_BILATERAL && !isinf(rb->lower[0]) != !isinf(rb->upper[0]);
    double touching = ROWS_TOUCHING * system->pace / rb->metres;
    return !one_sided || rb->lambda[0] != 0.0 || (isinf(rb->upper[0]) ? r[0] < touching : r[0] > -touching);
}

void pairwise_count_competitors(Pairwise *pairwise, const World *world, double h)
{
    memset(pairwise->touching, 0, sizeof *pairwise->touching * (size_t)world->body_count);
    for (int b = 0; b < pairwise->system.count; b++) {
        const RowBlock *rb = &pairwise->system.blocks[b];
        bool competes = pairwise_competes(rb, &pairwise->system, world, b, h);
        for (int k = 0; competes && k < (rb->kind == ROWS_FOUR ? 4 : 2); k++)
            if (!world_is_fixed(world, rb->body[k]))
                pairwise->touching[rb->body[k]]++;
    }
    for (int b = 0; b < pairwise->system.count; b++) {
        const RowBlock *rb = &pairwise->system.blocks[b];
        int most = 1;
        for (int k = 0; rb->count > 0 && k < (rb->kind == ROWS_FOUR ? 4 : 2); k++)
            if (pairwise->touching[rb->body[k]] > most)
                most = pairwise->touching[rb->body[k]];
        pairwise->share[b] = 1.0 / most;
    }
}

/* A servo of bounded force cannot be pushed into place: its whole error becomes a speed, as far as its force reaches.
 */
static void pairwise_aim_servos(Pairwise *pairwise, const World *world, double h)
{
    for (int b = 0; b < world->joint_block_count; b++) {
        RowBlock *rb = &pairwise->system.blocks[b];
        for (int i = 0; block_is_weak_servo(&world->blocks[b]) && !rb->is_soft && i < rb->count; i++)
            rb->bias[i] += rb->C[i] / h;
    }
}

/* Free flight; rows with no bias but that of soft rows and of gaps still open; blocks are solved as a whole. */
static void pairwise_begin(void *self, Step *step)
{
    Pairwise *pairwise = self;
    motion_begin(&pairwise->motion, step->world, step->h);
    row_system_prepare(&pairwise->system, step->world, &(RowSetup){.h = step->h, .relaxation = 1.0, .whole = true});
    pairwise_aim_servos(pairwise, step->world, step->h);
    pairwise->threshold = restitution_threshold_at(pairwise->options.restitution_threshold, step->world, step->h);
    for (int b = step->world->joint_block_count; b < step->world->block_count; b++)
        pairwise->system.blocks[b].bounce = 0.0;
}

static double pairwise_residual(void *self, const Step *step)
{
    return row_system_residual(&((Pairwise *)self)->system, step->world->velocity);
}

/* Sets the finite end of every one-sided row: to its multiplier, or back to zero. */
static void pairwise_set_bounds(Pairwise *pairwise, bool at_multiplier)
{
    for (int b = 0; b < pairwise->system.count; b++) {
        RowBlock *rb = &pairwise->system.blocks[b];
        for (int i = 0; i < rb->count; i++) {
            double bound = at_multiplier ? rb->lambda[i] : 0.0;
            if (isinf(rb->upper[i]) && !isinf(rb->lower[i]))
                rb->lower[i] = bound;
            else if (isinf(rb->lower[i]) && !isinf(rb->upper[i]))
                rb->upper[i] = bound;
        }
    }
}

void pairwise_begin_pass(Pairwise *pairwise)
{
    pairwise_set_bounds(pairwise, true);
}

void pairwise_end_pass(Pairwise *pairwise)
{
    pairwise_set_bounds(pairwise, false);
}

/* v_n + e v_n- of a point if it approaches and touches within the substep, else 0: what its impulse must take away.
 * v_n- is its fastest approach of the substep, so that a bounce of which a pass gives only a share is not lost. */
static double pairwise_approach(const Pairwise *pairwise, RowBlock *rb, double v, double h)
{
    if (v < -pairwise->threshold)
        rb->bounce = fmin(rb->bounce, rb->restitution * v);
    bool touches = rb->C[0] + h * v <= 0.0 || rb->lambda[0] > 0.0;
    return touches ? fmin(v + rb->bounce, 0.0) : 0.0;
}

/* The normal impulse of a point, (1 + e) |v_n| / w for a first hit; 0: nothing to do. v: its rows' J V. */
static double pairwise_bounce(const Pairwise *pairwise, RowBlock *rb, const double v[], const Contest *contest, int b)
{
    double d = -contest_share(contest, b) * rb->step[0] * pairwise_approach(pairwise, rb, v[0], contest->h);
    rb->lambda[0] += d;
    row_block_push(rb, (double[BLOCK_MAX_ROWS]){d}, contest->velocity);
    return d;
}

/* What rubs at one bound: one point, or the points of a patch and its spin. */
typedef struct Rubbing {
    int count;
    RowBlock *point[MANIFOLD_MAX];
    double slip[MANIFOLD_MAX][2]; /* m/s */
    RowBlock *torsion;            /* NULL: none */
    double spin;                  /* rad/s */
    double share;
} Rubbing;

typedef struct Rub {
    double force[MANIFOLD_MAX][2], torque; /* N s, N m s: in all, so far */
    double size;                           /* against the bound mu N: sqrt((sum |force|)^2 + (torque/arm)^2) */
} Rub;

/* What stops slip and spin if `stop`; else one step against all of them, torque counting as force at the arm, which is
 * the direction of maximal dissipation and at least as long. */
static Rub rubbing_aim(const Rubbing *rubbing, bool stop)
{
    const RowBlock *torsion = rubbing->torsion;
    double arm = torsion ? torsion->patch_arm : 0.0, step = torsion ? torsion->step[0] / (arm * arm) : 0.0, sum = 0.0;
    Rub rub = {0};
    for (int i = 0; i < rubbing->count; i++)
        step = fmax(step, rubbing->point[i]->T[1][1] + rubbing->point[i]->T[2][2]);
    for (int i = 0; i < rubbing->count; i++) {
        const RowBlock *rb = rubbing->point[i];
        const double *slip = rubbing->slip[i];
        for (int t = 0; t < 2; t++) {
            double change = stop ? rb->T[t + 1][1] * slip[0] + rb->T[t + 1][2] * slip[1] : step * slip[t];
            rub.force[i][t] = rb->lambda[t + 1] - rubbing->share * change;
        }
        sum += hypot(rub.force[i][0], rub.force[i][1]);
    }
    if (torsion)
        rub.torque = torsion->lambda[0] - rubbing->share * (stop ? torsion->step[0] : step * arm * arm) * rubbing->spin;
    rub.size = torsion ? hypot(sum, rub.torque / arm) : sum;
    return rub;
}

/* Friction stops the slip or, where mu times the normal impulses so far cannot, gives that much against it. */
static void pairwise_rub(const Rubbing *rubbing, Velocity *velocity)
{
    double limit = 0.0;
    for (int i = 0; i < rubbing->count; i++)
        limit += rubbing->point[i]->mu * rubbing->point[i]->lambda[0];
    Rub rub = rubbing_aim(rubbing, true);
    if (rub.size > limit)
        rub = rubbing_aim(rubbing, false);
    double scale = rub.size > limit ? limit / rub.size : 1.0;
    for (int i = 0; i < rubbing->count; i++) {
        RowBlock *rb = rubbing->point[i];
        double d[BLOCK_MAX_ROWS] = {0};
        for (int t = 0; t < 2; t++) {
            d[t + 1] = scale * rub.force[i][t] - rb->lambda[t + 1];
            rb->lambda[t + 1] += d[t + 1];
        }
        row_block_push(rb, d, velocity);
    }
    if (rubbing->torsion) {
        double d[BLOCK_MAX_ROWS] = {scale * rub.torque - rubbing->torsion->lambda[0]};
        rubbing->torsion->lambda[0] += d[0];
        row_block_push(rubbing->torsion, d, velocity);
    }
}

/* A point: its normal, then its friction if no patch bounds it. Returns the rows solved. */
static int pairwise_collide_point(Pairwise *pairwise, const Contest *contest, int b)
{
    RowBlock *rb = &pairwise->system.blocks[b];
    double v[BLOCK_MAX_ROWS] = {0};
    row_block_rates(rb, contest->seen, v);
    double d = pairwise_bounce(pairwise, rb, v, contest, b);
    if (!(rb->lambda[0] > 0.0))
        return 0;
    if (rb->kind != ROWS_CONTACT || rb->slides_with_patch)
        return 1;
    Rubbing rubbing = {.count = 1, .point = {rb}, .share = contest_share(contest, b)};
    for (int t = 0; t < 2; t++)
        rubbing.slip[0][t] = v[t + 1] + rb->A[t + 1][0] * d;
    pairwise_rub(&rubbing, contest->velocity);
    return rb->count;
}

/* The friction of a patch: its points' tangents and its spin, within their common ellipsoid. */
static int pairwise_rub_patch(Pairwise *pairwise, const Contest *contest, int b)
{
    RowBlock *torsion = &pairwise->system.blocks[b];
    Rubbing rubbing = {.torsion = torsion, .share = contest_share(contest, torsion->patch.first)};
    double v[BLOCK_MAX_ROWS] = {0};
    row_block_rates(torsion, contest->seen, v);
    rubbing.spin = v[0];
    for (int i = 0; i < torsion->patch.count; i++) {
        RowBlock *rb = &pairwise->system.blocks[manifold_contact(&torsion->patch, i)];
        if (rb->kind != ROWS_CONTACT || !(rb->lambda[0] > 0.0))
            continue;
        row_block_rates(rb, contest->seen, v);
        memcpy(rubbing.slip[rubbing.count], v + 1, sizeof rubbing.slip[0]);
        rubbing.point[rubbing.count++] = rb;
    }
    if (rubbing.count > 0)
        pairwise_rub(&rubbing, contest->velocity);
    return rubbing.count > 0 ? 2 * rubbing.count + 1 : 0;
}

int pairwise_collide_all(Pairwise *pairwise, const World *world, const Contest *contest)
{
    int rows = 0;
    for (int b = world->joint_block_count; b < world->block_count; b++) {
        if (pairwise->system.blocks[b].count == 0)
            continue;
        if (world->blocks[b].kind == BLOCK_CONTACT)
            rows += pairwise_collide_point(pairwise, contest, b);
        else if (world->blocks[b].kind == BLOCK_TORSION)
            rows += pairwise_rub_patch(pairwise, contest, b);
    }
    return rows;
}

static void pairwise_move(void *self, Step *step)
{
    Pairwise *pairwise = self;
    row_system_store_impulses(&pairwise->system, step->world);
    motion_damp(&pairwise->motion, step->world, step->h);
    motion_move(&pairwise->motion, step->world, NULL, step->h);
}

static void pairwise_push(void *self, Step *step)
{
    const PairwiseOptions *o = &((Pairwise *)self)->options;
    World *world = step->world;
    PositionSolve how = {.h = step->h, .stiffness = 1.0, .slop = o->slop, .push_speed = o->push_speed};
    for (int b = 0; b < world->block_count; b++) {
        Multiplier multiplier = {0};
        if (block_is_placed(&world->blocks[b]))
            step->row_solves += position_solve_block(world, &world->blocks[b], &how, &multiplier);
    }
}

int pairwise_plan(const Pairwise *pairwise, void (*pass)(void *self, Step *step), Phase phases[SOLVER_MAX_PHASES])
{
    const PairwiseOptions *o = &pairwise->options;
    phases[0] = (Phase){.name = "impulse",
                        .iterations = o->common.iterations,
                        .enter = pairwise_begin,
                        .iterate = pass,
                        .residual = pairwise_residual};
    phases[1] = (Phase){.name = "push", .iterations = o->push_passes, .enter = pairwise_move, .iterate = pairwise_push};
    return 2;
}
