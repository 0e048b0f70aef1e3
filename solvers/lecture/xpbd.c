/* SPDX-License-Identifier: MIT */
/* XPBD with substeps: the lecture's text of solvers/xpbd.c, to be read beside lecture 000, which has the algorithm for
 * rigid bodies, 002 (general constraints) and 004 (a body's motion). What they leave out, contacts, is as in Mueller,
 * Macklin, Chentanez, Jeschke, Kim 2020. x, q are the pose, p and q_prev the pose as the substep began. */
#include "model/collision/collide.h"
#include "model/rows/gradient.h"
#include "model/rows/position_memory.h"
#include "solvers/motion.h"

static const Setting XPBD_SETTINGS[] = {COMMON_SETTINGS(20, 1)};

typedef struct Xpbd {
    PositionMemory memory; /* each block's lambda; V by forces alone */
    Motion motion;
} Xpbd;

/* [004] PBD Integration
 *     p <- x,    v <- v + h g,    x <- x + h v,    q and w likewise;    lambda <- 0 */
static void xpbd_integrate(void *self, Step *step)
{
    Xpbd *xpbd = self;
    motion_begin(&xpbd->motion, step->world, step->h);
    position_memory_begin(&xpbd->memory, step->world);
    motion_predict(&xpbd->motion, step->world, step->h);
}

/* [000] Linear Correction
 *     C <- |Dp|,    n <- Dp/|Dp|,    w_i <- 1/m_i + (r_i x n)^T I_i^-1 (r_i x n);    a turn: n^T I_i^-1 n
 *     dlambda <- (-C - a lambda) / (w_1 + w_2 + a),    a = alpha/h^2,    x_i <- x_i +- dlambda n/m_i,    q_i likewise
 * Blocks of one row have their own C and n = grad C ([002] Volume Conservation Constraint: of four particles), and
 * bounds: a limit may not pull. Of several rows n is left as long as Dp: C is |Dp|^2 then, w too, and no root is
 * needed. Slides solve once a substep and so need no a lambda; of several rows it is a part of Dp. */
static void solve(Xpbd *xpbd, int b, const BlockError *e, double most, Step *step)
{
    const Block *block = &step->world->blocks[b];
    BlockMultiplier *own = &xpbd->memory.of[b];
    double h2 = step->h * step->h, a = block_terms(block)->compliance / h2, lambda = own->lambda;
    Vec3 n = e->scalar ? e->gradient : vec3_add_scaled(e->error, a, own->on_body2);
    double C = e->scalar ? e->C : vec3_dot(n, n), n2 = e->scalar ? 1.0 : C;
    if (lambda == 0.0 && ((e->lower == 0.0 && C >= 0.0) || (e->upper == 0.0 && C <= 0.0)))
        return;
    Gradient g = gradient_along(step->world, block, e, n);
    double w = gradient_weight(step->world, &g), dlambda = (-C - a * lambda) / (w + a * n2);
    double next = clamp(lambda + dlambda, h2 * e->lower, h2 * e->upper);
    Vec3 given = vec3_add_scaled(e->scalar ? VEC3_ZERO : own->on_body2, next, n);
    step->row_solves += w > 0.0 || n2 == 0.0 ? block_row_count(block->kind) : 0;
    if (w == 0.0 || vec3_norm(given) > most)
        return;
    double size = sqrt(n2), A = w / n2 + a;
    step_show(step,
              &(ShownRow){b, 0, C / size, gradient_row(&g, n2).J, A, a * lambda, lambda, size * next, SHOWN_POSITION});
    gradient_move(step->world, &g, next - lambda);
    *own = (BlockMultiplier){e->scalar ? next : 0.0, given};
}

/* [000] XPBD Algorithm for Rigid Bodies
 *     for all constraints C: solve(C, h)
 * Of a contact lambda_n >= 0 where C < 0, then all of the slip since p, or nothing if |lambda_t| > mu lambda_n with it
 * ([003] Contact Simulation, Contact Point Friction). */
static void xpbd_solve(void *self, Step *step)
{
    for (int b = 0; b < step->world->block_count; b++) {
        const Block *block = &step->world->blocks[b];
        BlockError e;
        block_error(step->world, block, &e);
        if (!e.active || (block->kind == BLOCK_CONTACT ? e.C >= 0.0 : b >= step->world->joint_block_count))
            continue;
        solve(self, b, &e, INFINITY, step);
        if (!contact_rubs_alone(block))
            continue;
        block_error(step->world, block + 1, &e);
        solve(self, b + 1, &e, block->friction * ((Xpbd *)self)->memory.of[b].lambda, step);
    }
}

/* [004] PBD Velocity Update
 *     v <- (x - p)/h,    Dq <- q q_prev^-1,    w <- 2 [Dq_x, Dq_y, Dq_z]/h */
static void xpbd_update(void *self, Step *step)
{
    Xpbd *xpbd = self;
    motion_derive_velocities(&xpbd->motion, step->world, step->h);
    position_memory_store(&xpbd->memory, step->world, step->h);
}

/* [003] Contact Patch Friction
 *     (f, m) = -mu N (v, a^2 s) / sqrt(v^2 + a^2 s^2)        against slip v and spin s, a = 2/3 of the patch's radius;
 * neither turns its velocity round. A point has a = 0: dv = -v/|v| min(mu lambda_n/h (w_1 + w_2), |v|). */
static void rub(const Xpbd *xpbd, int first, int points, int torsion, Step *step)
{
    World *world = step->world;
    const Block *block = &world->blocks[first];
    double a = torsion < 0 ? 0.0 : block_patch_arm(&world->blocks[torsion]), N = 0.0, v2 = 0.0, w = 0.0;
    BlockError e[MANIFOLD_MAX], turn = {.angular = true};
    for (int p = 0; p < points; p++) {
        double share = xpbd->memory.of[first + 2 * p].lambda / step->h;
        block_error(world, &block[2 * p], &e[p]);
        Vec3 v = error_slip(block, &e[p], world->velocity);
        N += share;
        v2 += share * vec3_dot(v, v);
        turn.gradient = share > 0.0 ? e[p].gradient : turn.gradient;
        w = fmax(w, share > 0.0 ? error_weight(world, block, &e[p], vec3_unit_or_zero(v)) : 0.0);
    }
    double s = vec3_dot(turn.gradient, error_velocity(block, &turn, world->velocity));
    double sigma = sqrt(v2 / N + a * a * s * s), most = block->friction * N / sigma;
    if (N == 0.0 || sigma == 0.0)
        return;
    for (int p = 0; p < points; p++) {
        double share = xpbd->memory.of[first + 2 * p].lambda / step->h / N;
        Vec3 v = error_slip(block, &e[p], world->velocity);
        error_kick(world, first + 2 * p + 1, &e[p], vec3_scale(-fmin(most, 1.0 / w) * share, v));
    }
    if (torsion < 0)
        return;
    double w_turn = error_weight(world, block, &turn, turn.gradient);
    error_kick(world, torsion, &turn, vec3_scale(-fmin(a * a * most, 1.0 / w_turn) * s, turn.gradient));
    step->row_solves++;
}

/* [003] Impact
 *     v_n <- -e v_n of free flight, if it is faster than 2 g h, else 0: what the position solve made of it goes */
static void bounce(const Xpbd *xpbd, int b, Step *step)
{
    const Block *block = &step->world->blocks[b];
    BlockError e;
    block_error(step->world, block, &e);
    double now = vec3_dot(e.gradient, error_velocity(block, &e, step->world->velocity));
    double before = vec3_dot(e.gradient, error_velocity(block, &e, xpbd->memory.predicted));
    bool fast = fabs(now) > restitution_threshold_at(NAN, step->world, step->h);
    double dv = (fast ? fmax(-block->restitution * before, 0.0) : 0.0) - now;
    Vec3 P = vec3_scale(dv / error_weight(step->world, block, &e, e.gradient), e.gradient);
    error_kick(step->world, b, &e, P);
}

/* [000] Velocity Step
 *     for all constraints C: apply velocity corrections        at contacts that pushed; then the damping of joints */
static void xpbd_correct(void *self, Step *step)
{
    Xpbd *xpbd = self;
    for (int b = step->world->joint_block_count; b < step->world->block_count; b++) {
        const Block *block = &step->world->blocks[b];
        const ManifoldBlocks *of = &step->world->manifolds[block->manifold];
        if (block->kind == BLOCK_TORSION)
            rub(xpbd, of->first, of->count, b, step);
        if (block->kind != BLOCK_CONTACT || xpbd->memory.of[b].lambda == 0.0)
            continue;
        if (contact_rubs_alone(block))
            rub(xpbd, b, 1, -1, step);
        bounce(xpbd, b, step);
        step->row_solves += contact_rubs_alone(block) ? 3 : 1;
    }
    motion_damp(&xpbd->motion, step->world, step->h);
}

static void xpbd_destroy(void *self)
{
    Xpbd *xpbd = self;
    if (!xpbd)
        return;
    motion_free(&xpbd->motion);
    position_memory_free(&xpbd->memory);
    free(xpbd);
}

static void *xpbd_create(const SolverTask *task, Status *status)
{
    Xpbd *xpbd = calloc(1, sizeof *xpbd);
    if (xpbd && motion_init(&xpbd->motion, task->world, task->options) &&
        position_memory_reserve(xpbd, task->world, status))
        return xpbd;
    xpbd_destroy(xpbd);
    status_set(status, STATUS_FAILED, "out of memory");
    return NULL;
}

static int xpbd_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    int n = ((Xpbd *)self)->motion.options.iterations;
    phases[0] = (Phase){.name = "position", .iterations = n, .enter = xpbd_integrate, .iterate = xpbd_solve};
    phases[1] = (Phase){.name = "velocity", .iterations = 1, .enter = xpbd_update, .iterate = xpbd_correct};
    return 2;
}

const Solver lecture_xpbd_solver = {
    .abi = SOLVER_ABI,
    .name = "lecture_xpbd",
    .text_of = "xpbd",
    .summary = "the lecture's text of xpbd: substeps, corrections of positions, compliance",
    .reference = "lectures 000, 002, 003, 004; Mueller et al. 2020",
    .capabilities = CAN_ALL_JOINTS | CAN_CONTACTS | CAN_COULOMB,
    SOLVER_SETTINGS(XPBD_SETTINGS),
    .options_size = sizeof(CommonOptions),
    .create = xpbd_create,
    .destroy = xpbd_destroy,
    .reserve = position_memory_reserve,
    .plan = xpbd_plan,
};
