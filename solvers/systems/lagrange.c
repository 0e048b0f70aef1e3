/* SPDX-License-Identifier: MIT */
#include "solvers/systems/lagrange.h"

#include "model/joint/law_rows.h"

#include <string.h>

/* A limit that does not act is taken in when it is violated by more than this (length scales or radians, a second or a
 * second squared): round-off is not. */
#define CHOICE_SLACK 1e-10
/* A held limit pulls when it does so by more than this share of the largest multiplier. */
#define PULL_SLACK 1e-12
/* A band pays when this many of it fit into a row of A. */
#define BAND_SHARE 4
/* Newton's method on the poses ends below this (of the length scale, or rad), or when below NEWTON_NEAR a step no
 * longer halves the error: that is round-off. */
#define PROJECTION_TOLERANCE 1e-14
#define NEWTON_NEAR 1e-10
enum { PROJECTION_STEPS = 12 };

typedef enum LagrangeLevel { LEVEL_POSITION, LEVEL_VELOCITY, LEVEL_ACCELERATION } LagrangeLevel;

bool lagrange_init(Lagrange *lagrange, const World *world, const CommonOptions *options, bool banded)
{
    size_t blocks = (size_t)world->block_count + 1, bodies = (size_t)world->body_count + 1;
    Arrays *own = &lagrange->arrays;
    *lagrange = (Lagrange){0};
    bool ok =
        OWN_ARRAY(own, lagrange->state, blocks) && OWN_ARRAY(own, lagrange->touching, blocks) &&
        OWN_ARRAY(own, lagrange->bias, blocks) && OWN_ARRAY(own, lagrange->pull, blocks) &&
        OWN_ARRAY(own, lagrange->soft, blocks) && OWN_ARRAY(own, lagrange->law, blocks) &&
        OWN_ARRAY(own, lagrange->first, blocks) && OWN_ARRAY(own, lagrange->free, bodies) &&
        OWN_ARRAY(own, lagrange->acceleration, bodies) && OWN_ARRAY(own, lagrange->rhs, BLOCK_MAX_ROWS * blocks) &&
        OWN_ARRAY(own, lagrange->least, BLOCK_MAX_ROWS * blocks) && motion_init(&lagrange->motion, world, options) &&
        row_system_init(&lagrange->rows, world) && coupling_init(&lagrange->coupling, world, banded);
    if (!ok)
        return false;
    int rows = row_count_all(world);
    for (int b = 0; b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        const LawRow *law = block_terms(block)->law;
        lagrange->soft[b] = law && law->inertia > 0.0 ? 1.0 / law->inertia : 0.0;
        lagrange->state[b] = lagrange->soft[b] > 0.0                ? LAGRANGE_HELD
                             : block_terms(block)->compliance > 0.0 ? LAGRANGE_SOFT
                             : block_is_limit(block)                ? LAGRANGE_FREE
                                                                    : LAGRANGE_HELD;
        if (lagrange->state[b] == LAGRANGE_FREE || lagrange_is_bounded_drive(block))
            lagrange->switchable++;
    }
    bool narrow = banded && BAND_SHARE * lagrange->coupling.band < rows;
    return schur_init(&lagrange->schur, rows, narrow ? lagrange->coupling.band : rows);
}

void lagrange_free(Lagrange *lagrange)
{
    motion_free(&lagrange->motion);
    row_system_free(&lagrange->rows);
    coupling_free(&lagrange->coupling);
    schur_free(&lagrange->schur);
    kkt_matrix_free(&lagrange->matrix);
    arrays_free(&lagrange->arrays);
}

bool lagrange_takes_laws(const World *world, const char *solver, Status *status)
{
    for (int j = 0; j < world->joint_count; j++)
        if (world->joints[j].def.type == JOINT_BALL && world->joints[j].law_row_count > 0)
            return status_set(status, STATUS_UNSUPPORTED,
                              "solver %s cannot run this scene: joint %s is a ball with a law", solver,
                              world->joints[j].def.name);
    return true;
}

bool lagrange_keep_whole(Lagrange *lagrange, const World *world)
{
    lagrange->whole = true;
    return kkt_matrix_init(&lagrange->matrix, world, row_count_all(world));
}

void lagrange_evaluate(Lagrange *lagrange, const World *world)
{
    row_system_prepare(&lagrange->rows, world, &(RowSetup){.h = 1.0, .relaxation = 1.0});
}

int lagrange_limit_sign(const Lagrange *lagrange, const World *world, int b)
{
    const RowBlock *rb = &lagrange->rows.blocks[b];
    if (rb->count == 0 || !block_is_limit(&world->blocks[b]))
        return 0;
    return rb->lower[0] == 0.0 ? 1 : -1;
}

/* Numbers the rows of the held blocks. */
static int lagrange_number_rows(Lagrange *lagrange, const World *world, LagrangeLevel level)
{
    int rows = 0;
    for (int k = 0; k < lagrange->rows.count; k++) {
        int b = lagrange->coupling.order[k];
        bool takes_part = lagrange->state[b] == LAGRANGE_HELD && lagrange->rows.blocks[b].count > 0 &&
                          !(level == LEVEL_POSITION && lagrange->soft[b] > 0.0) &&
                          (level == LEVEL_ACCELERATION || !lagrange_is_bounded_drive(&world->blocks[b]));
        lagrange->first[b] = takes_part ? rows : -1;
        rows += takes_part ? lagrange->rows.blocks[b].count : 0;
    }
    return rows;
}

/* Adds J_p M^-1 J_q^T of the body that is slot sp of block p and sq of block q. */
static void lagrange_couple(Lagrange *lagrange, int p, int sp, int q, int sq)
{
    const RowBlock *one = &lagrange->rows.blocks[p], *two = &lagrange->rows.blocks[q];
    /* A volume's four bodies and a point mass's share of two-body rows both begin with v. */
    int width1 = one->kind == ROWS_FOUR ? 3 : 6, width2 = two->kind == ROWS_FOUR ? 3 : 6,
        width = width1 < width2 ? width1 : width2;
    for (int i = 0; i < one->count; i++)
        for (int j = 0; j < (p == q ? i + 1 : two->count); j++) {
            const double *J = one->J[i] + width1 * sp, *B = two->B[j] + width2 * sq;
            double sum = 0.0;
            for (int c = 0; c < width; c++)
                sum += J[c] * B[c];
            *schur_at(&lagrange->schur, lagrange->first[p] + i, lagrange->first[q] + j) += sum;
        }
}

static void lagrange_assemble(Lagrange *lagrange, const World *world)
{
    const Coupling *coupling = &lagrange->coupling;
    schur_clear(&lagrange->schur, lagrange->held_rows);
    for (int i = 0; i < world->body_count; i++)
        for (int m = coupling->start[i]; m < coupling->start[i + 1]; m++)
            for (int n = m; n < coupling->start[i + 1]; n++) {
                int p = coupling->block[m], q = coupling->block[n];
                if (lagrange->first[p] >= 0 && lagrange->first[q] >= 0)
                    lagrange_couple(lagrange, p, coupling->slot[m], q, coupling->slot[n]);
            }
    for (int b = 0; b < lagrange->rows.count; b++)
        if (lagrange->first[b] >= 0 && lagrange->soft[b] > 0.0)
            *schur_at(&lagrange->schur, lagrange->first[b], lagrange->first[b]) += lagrange->soft[b];
    schur_factor(&lagrange->schur);
}

/* u = u_free, with the bounds of spent drives as forces. */
static void lagrange_push_spent(Lagrange *lagrange, const Velocity *u_free, Velocity *u, int bodies,
                                LagrangeLevel level)
{
    if (u != u_free)
        memcpy(u, u_free, sizeof *u * (size_t)bodies);
    for (int b = 0; b < lagrange->rows.count; b++) {
        RowBlock *rb = &lagrange->rows.blocks[b];
        LagrangeState state = lagrange->state[b];
        if (state == LAGRANGE_SOFT)
            continue;
        bool spent = level == LEVEL_ACCELERATION && (state == LAGRANGE_LOWER || state == LAGRANGE_UPPER);
        for (int i = 0; i < rb->count; i++)
            rb->lambda[i] = !spent ? 0.0 : state == LAGRANGE_LOWER ? rb->lower[i] : rb->upper[i];
        if (spent && rb->count > 0)
            row_block_push(rb, rb->lambda, u);
    }
}

/* A lambda = -(J u + bias), u += M^-1 J^T lambda. */
static void lagrange_solve_held(Lagrange *lagrange, Velocity *u)
{
    for (int b = 0; b < lagrange->rows.count; b++) {
        if (lagrange->first[b] < 0)
            continue;
        double r[BLOCK_MAX_ROWS];
        row_block_rates(&lagrange->rows.blocks[b], u, r);
        for (int i = 0; i < lagrange->rows.blocks[b].count; i++)
            lagrange->rhs[lagrange->first[b] + i] = -(r[i] + lagrange->bias[b][i]);
    }
    schur_solve(&lagrange->schur, lagrange->rhs, lagrange->least);
    for (int b = 0; b < lagrange->rows.count; b++) {
        RowBlock *rb = &lagrange->rows.blocks[b];
        if (lagrange->first[b] < 0)
            continue;
        row_block_push(rb, lagrange->rhs + lagrange->first[b], u);
        memcpy(rb->lambda, lagrange->least + lagrange->first[b], sizeof *rb->lambda * (size_t)rb->count);
    }
}

/* The same from the whole matrix; false: it is singular. */
static bool lagrange_solve_whole(Lagrange *lagrange, const World *world, Velocity *u)
{
    KktRows rows = {&lagrange->rows, lagrange->first, lagrange->held_rows,
                    (const double(*)[BLOCK_MAX_ROWS])lagrange->bias, lagrange->soft};
    if (!kkt_matrix_solve(&lagrange->matrix, world, &rows, u, lagrange->least))
        return false;
    lagrange->schur.deficient = false;
    for (int b = 0; b < lagrange->rows.count; b++) {
        RowBlock *rb = &lagrange->rows.blocks[b];
        if (lagrange->first[b] >= 0)
            memcpy(rb->lambda, lagrange->least + lagrange->first[b], sizeof *rb->lambda * (size_t)rb->count);
    }
    return true;
}

double lagrange_pull_slack(const Lagrange *lagrange, const World *world)
{
    double largest = 0.0;
    for (int b = 0; b < lagrange->rows.count; b++)
        for (int i = 0; lagrange->first[b] >= 0 && i < lagrange->rows.blocks[b].count; i++)
            largest = fmax(largest,
                           fabs(lagrange->least[lagrange->first[b] + i]) * block_scale(world, world->blocks[b].kind));
    return PULL_SLACK * largest;
}

/* Lets go what pulls the wrong way, by more than round-off, or is overloaded; true if anything changed. */
static bool lagrange_let_go(Lagrange *lagrange, const World *world, LagrangeLevel level)
{
    bool changed = false;
    double slack = lagrange_pull_slack(lagrange, world);
    for (int b = 0; b < lagrange->rows.count; b++) {
        const RowBlock *rb = &lagrange->rows.blocks[b];
        if (lagrange->first[b] < 0)
            continue;
        LagrangeState next = LAGRANGE_HELD;
        double pull = -lagrange_limit_sign(lagrange, world, b) * rb->lambda[0];
        if (pull * block_scale(world, world->blocks[b].kind) > slack)
            next = LAGRANGE_FREE;
        else if (level == LEVEL_ACCELERATION && rb->lambda[0] < rb->lower[0])
            next = LAGRANGE_LOWER;
        else if (level == LEVEL_ACCELERATION && rb->lambda[0] > rb->upper[0])
            next = LAGRANGE_UPPER;
        changed = changed || next != LAGRANGE_HELD;
        lagrange->state[b] = next;
    }
    return changed;
}

/* Takes in the one touching row that is violated most; true if there was one. */
static bool lagrange_take_in(Lagrange *lagrange, const World *world, const Velocity *u, LagrangeLevel level)
{
    int worst = -1;
    double most = CHOICE_SLACK;
    for (int b = 0; b < lagrange->rows.count; b++) {
        LagrangeState state = lagrange->state[b];
        bool spent = state == LAGRANGE_LOWER || state == LAGRANGE_UPPER;
        if (!lagrange->touching[b] || lagrange->rows.blocks[b].count == 0 ||
            !(state == LAGRANGE_FREE || (spent && level == LEVEL_ACCELERATION)))
            continue;
        double r[BLOCK_MAX_ROWS];
        row_block_rates(&lagrange->rows.blocks[b], u, r);
        /* A drive at its upper bound may fall short of its target, but not go beyond it. */
        int sign = spent ? (state == LAGRANGE_UPPER ? -1 : 1) : lagrange_limit_sign(lagrange, world, b);
        double violation = -sign * (r[0] + lagrange->bias[b][0]) / block_scale(world, world->blocks[b].kind);
        if (violation > most) {
            most = violation;
            worst = b;
        }
    }
    if (worst >= 0)
        lagrange->state[worst] = LAGRANGE_HELD;
    return worst >= 0;
}

static int lagrange_solve(Lagrange *lagrange, const World *world, const Velocity *u_free, Velocity *u, bool choose,
                          LagrangeLevel level)
{
    int solved = 0, passes = choose ? 2 + 4 * lagrange->switchable : 1;
    lagrange->unsettled = false;
    for (int pass = 0; pass < passes; pass++) {
        lagrange->held_rows = lagrange_number_rows(lagrange, world, level);
        lagrange_push_spent(lagrange, u_free, u, world->body_count, level);
        lagrange->whole_lost = lagrange->whole && !lagrange_solve_whole(lagrange, world, u);
        if (!lagrange->whole || lagrange->whole_lost) {
            lagrange_assemble(lagrange, world);
            lagrange_solve_held(lagrange, u);
        }
        solved += lagrange->held_rows;
        if (!choose || (!lagrange_let_go(lagrange, world, level) && !lagrange_take_in(lagrange, world, u, level)))
            return solved;
    }
    lagrange->unsettled = true;
    return solved;
}

/* A law's own force; the row of its armature has a multiplier besides. */
static void lagrange_push_law(Lagrange *lagrange, const World *world, int b)
{
    RowBlock *rb = &lagrange->rows.blocks[b];
    rb->lambda[0] = lagrange->law[b] = law_row_force(world, &world->blocks[b]);
    row_block_push(rb, rb->lambda, lagrange->free);
}

static bool lagrange_has_law(const World *world, int b)
{
    const LawRow *law = block_terms(&world->blocks[b])->law;
    return law && !law->friction && !world->blocks[b].off;
}

/* lambda = -C/alpha within its bounds, as a force on the bodies. Returns the rows. */
static int lagrange_push_springs(Lagrange *lagrange, const World *world)
{
    int rows = 0;
    for (int b = 0; b < lagrange->rows.count; b++) {
        RowBlock *rb = &lagrange->rows.blocks[b];
        if (lagrange_has_law(world, b) && rb->count > 0) {
            lagrange_push_law(lagrange, world, b);
            rows++;
            continue;
        }
        if (lagrange->state[b] != LAGRANGE_SOFT || rb->count == 0)
            continue;
        for (int i = 0; i < rb->count; i++)
            rb->lambda[i] = clamp(-rb->C[i] / block_terms(&world->blocks[b])->compliance, rb->lower[i], rb->upper[i]);
        row_block_push(rb, rb->lambda, lagrange->free);
        rows += rb->count;
    }
    return rows;
}

/* 2 a (J V - target) + a^2 C */
static void lagrange_take_pull(Lagrange *lagrange, const World *world, int b, const LagrangeSetup *setup)
{
    const Block *block = &world->blocks[b];
    const RowBlock *rb = &lagrange->rows.blocks[b];
    double rates[BLOCK_MAX_ROWS], speed = lagrange_target_velocity(block);
    double a = lagrange_is_bounded_drive(block) ? setup->drive_rate : setup->rate;
    row_block_rates(rb, world->velocity, rates);
    for (int i = 0; i < rb->count; i++)
        lagrange->pull[b][i] = 2.0 * a * (rates[i] - speed) + a * a * (rb->C[i] - speed * setup->elapsed);
}

int lagrange_accelerate(Lagrange *lagrange, const World *world, const LagrangeSetup *setup)
{
    lagrange_evaluate(lagrange, world);
    motion_accelerations(&lagrange->motion, world, setup->h, lagrange->free);
    int springs = lagrange_push_springs(lagrange, world);
    for (int b = 0; b < lagrange->rows.count; b++) {
        int count = lagrange->rows.blocks[b].count;
        if (count == 0 || lagrange->state[b] == LAGRANGE_SOFT)
            continue;
        if (setup->begin && lagrange->soft[b] == 0.0)
            lagrange_take_pull(lagrange, world, b, setup);
        block_rows_bias(world, &world->blocks[b], lagrange->bias[b]);
        for (int i = 0; i < count; i++)
            lagrange->bias[b][i] += lagrange->pull[b][i];
    }
    int solved =
        lagrange_solve(lagrange, world, lagrange->free, lagrange->acceleration, setup->begin, LEVEL_ACCELERATION);
    for (int b = 0; b < lagrange->rows.count; b++)
        if (lagrange->soft[b] > 0.0 && lagrange->rows.blocks[b].count > 0)
            lagrange->rows.blocks[b].lambda[0] += lagrange->law[b];
    return springs + solved;
}

/* Rows that ask for the targets' velocities. */
static void lagrange_begin_velocities(Lagrange *lagrange, const World *world)
{
    lagrange_evaluate(lagrange, world);
    memcpy(lagrange->free, world->velocity, sizeof *world->velocity * (size_t)world->body_count);
    for (int b = 0; b < lagrange->rows.count; b++)
        for (int i = 0; i < BLOCK_MAX_ROWS; i++)
            lagrange->bias[b][i] = -lagrange_target_velocity(&world->blocks[b]);
    /* Armature resists a change of its rate. */
    for (int b = 0; b < lagrange->rows.count; b++) {
        double rates[BLOCK_MAX_ROWS];
        if (lagrange->soft[b] == 0.0 || lagrange->rows.blocks[b].count == 0)
            continue;
        row_block_rates(&lagrange->rows.blocks[b], world->velocity, rates);
        lagrange->bias[b][0] = -rates[0];
    }
}

int lagrange_bounce(Lagrange *lagrange, World *world, int contact, double e)
{
    double rates[BLOCK_MAX_ROWS];
    lagrange_begin_velocities(lagrange, world);
    for (int b = 0; b < lagrange->rows.count; b++)
        if (world->blocks[b].kind == BLOCK_CONTACT)
            lagrange->state[b] = b == contact ? LAGRANGE_HELD : LAGRANGE_FREE;
    row_block_rates(&lagrange->rows.blocks[contact], world->velocity, rates);
    lagrange->bias[contact][0] = e * rates[0];
    int solved = lagrange_solve(lagrange, world, lagrange->free, world->velocity, false, LEVEL_VELOCITY);
    lagrange->state[contact] = LAGRANGE_FREE;
    return solved;
}

int lagrange_project_velocities(Lagrange *lagrange, World *world, bool choose)
{
    lagrange_begin_velocities(lagrange, world);
    return lagrange_solve(lagrange, world, lagrange->free, world->velocity, choose, LEVEL_VELOCITY);
}

/* C of the held rows as bias; returns the largest, over its block's scale. */
static double lagrange_errors(Lagrange *lagrange, const World *world, double elapsed)
{
    double largest = 0.0;
    lagrange_evaluate(lagrange, world);
    lagrange_number_rows(lagrange, world, LEVEL_POSITION);
    for (int b = 0; b < lagrange->rows.count; b++)
        for (int i = 0; lagrange->first[b] >= 0 && i < lagrange->rows.blocks[b].count; i++) {
            double target = lagrange_target_velocity(&world->blocks[b]) * elapsed;
            lagrange->bias[b][i] = lagrange->rows.blocks[b].C[i] - target;
            largest = fmax(largest, fabs(lagrange->bias[b][i]) / block_scale(world, world->blocks[b].kind));
        }
    return largest;
}

int lagrange_project_positions(Lagrange *lagrange, World *world, double elapsed, double *left)
{
    int solved = 0;
    size_t size = sizeof *lagrange->free * (size_t)world->body_count;
    *left = lagrange_errors(lagrange, world, elapsed);
    for (int step = 0; step < PROJECTION_STEPS; step++) {
        if (!(*left > PROJECTION_TOLERANCE))
            break;
        memset(lagrange->free, 0, size);
        solved += lagrange_solve(lagrange, world, lagrange->free, lagrange->acceleration, false, LEVEL_POSITION);
        for (int i = 1; i < world->body_count; i++) {
            Velocity move = lagrange->acceleration[i];
            world->pose[i].x = vec3_add(world->pose[i].x, move.v);
            if (world->mass[i].inv_inertia.x != 0.0)
                world->pose[i].q = motion_turn(world->pose[i].q, move.w, 1.0);
        }
        double before = *left;
        *left = lagrange_errors(lagrange, world, elapsed);
        if (*left > 0.5 * before && before < NEWTON_NEAR)
            break;
    }
    return solved;
}

void lagrange_add_impulses(const Lagrange *lagrange, const World *world, double scale, Vec3 *impulse)
{
    for (int b = 0; b < lagrange->rows.count; b++)
        impulse[b] = vec3_add_scaled(impulse[b], scale, row_system_on_body2(&lagrange->rows, world, b));
}
