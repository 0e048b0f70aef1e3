/* SPDX-License-Identifier: MIT */
/* Generalised-alpha on the index-3 equations (Chung, Hulbert 1993; Arnold, Bruels 2007; on the rotation group Bruels,
 * Cardona, Arnold 2012): with accelerations a and their filtered form A,
 *
 *     (1 - am) A+ + am A = (1 - af) a+ + af a,     V+ = V + h (1 - g) A + h g A+,
 *     q+ = q o exp(h V + h^2 (1/2 - b) A + h^2 b A+),    M a+ + w x I w = f + J^T l,    C(q+) + alpha l = 0,
 *
 * spins and angular accelerations in the body's frame. One number sets all: the spectral radius r at infinity, am =
 * (2r - 1)/(r + 1), af = r/(r + 1), g = 1/2 - am + af, b = (g + 1/2)^2 / 4. Of order 2; high modes are damped where r
 * < 1 (r = 0.8 here, as is common). Newton's matrix is J M^-1 J^T, factored once a step. */
#include "solvers/motion.h"
#include "solvers/systems/row_schur.h"

#include <stdlib.h>
#include <string.h>

typedef struct GenAlphaOptions {
    CommonOptions common;
    double radius, tolerance;
} GenAlphaOptions;

static const Setting GEN_ALPHA_SETTINGS[] = {
    PARAM_INT(CommonOptions, substeps, "steps of length dt/substeps in a frame", 1, 1, 1e6),
    PARAM_INT(CommonOptions, iterations, "Newton iterations, at most", 50, 1, 1e6),
    /* Accelerations and multipliers of index 3 are not damped at r = 1 and grow (Cardona, Geradin 1989), the sooner the
     * longer the step: a swing of 60 degrees needs 40 steps a period at 0.8, and at 0.9 twice as many. */
    PARAM_REAL(GenAlphaOptions, radius, "spectral radius at infinity: 1 damps nothing, 0 all at once", 0.8, 0, 1),
    PARAM_REAL(GenAlphaOptions, tolerance, "Newton ends when errors are below this (length scales, rad)", 1e-13, 1e-16,
               1),
};

/* Errors this many times above the tolerance are no round-off: Newton has not converged. */
static const double NEWTON_FAILED = 1e3;

/* Of a step: over this the first accelerations are taken by a difference. */
static const double SHORT_STEP = 1e-4;

typedef struct GenAlpha {
    Arrays arrays;
    GenAlphaOptions options;
    Motion motion;
    RowSchur system;
    double am, af, gamma, beta;
    Pose *begin;
    Velocity *before;       /* V; spins in the body's frame */
    Velocity *rate, *rate1; /* a and a+ */
    Velocity *filtered, *filtered1;
    Velocity *force;            /* M^-1 f in the world; spins: I^-1 tau */
    double *lambda;             /* N */
    Vec3 *pulled;               /* N or N m, of each block on its second body as the substep begins */
    double *right, *correction; /* of the Schur complement */
    double left;                /* what the equations of motion lack, over g or a length scale a second squared */
    bool started;
} GenAlpha;

static void gen_alpha_destroy(void *self)
{
    GenAlpha *ga = self;
    if (!ga)
        return;
    motion_free(&ga->motion);
    row_schur_free(&ga->system);
    arrays_free(&ga->arrays);
    free(ga);
}

static bool gen_alpha_init(void *self, const SolverTask *task, Status *status)
{
    GenAlpha *ga = self;
    const World *world = task->world;
    Arrays *own = &ga->arrays;
    size_t bodies = (size_t)world->body_count, rows = (size_t)row_count_all(world) + 1;
    CommonOptions flight = {.substeps = 1, .integrator = INTEGRATE_FORWARD, .gyroscopic = GYROSCOPIC_OFF};
    ga->options = *(const GenAlphaOptions *)task->options;
    double r = ga->options.radius;
    ga->am = (2.0 * r - 1.0) / (r + 1.0);
    ga->af = r / (r + 1.0);
    ga->gamma = 0.5 - ga->am + ga->af;
    ga->beta = 0.25 * (ga->gamma + 0.5) * (ga->gamma + 0.5);
    return row_count_fits_dense(world, task->solver->name, status) && OWN_ARRAY(own, ga->before, bodies) &&
           OWN_ARRAY(own, ga->rate, bodies) && OWN_ARRAY(own, ga->rate1, bodies) &&
           OWN_ARRAY(own, ga->filtered, bodies) && OWN_ARRAY(own, ga->filtered1, bodies) &&
           OWN_ARRAY(own, ga->force, bodies) && OWN_ARRAY(own, ga->begin, bodies) && OWN_ARRAY(own, ga->lambda, rows) &&
           OWN_ARRAY(own, ga->pulled, (size_t)world->joint_block_count + 1) && OWN_ARRAY(own, ga->right, rows) &&
           OWN_ARRAY(own, ga->correction, rows) && motion_init(&ga->motion, world, &flight) &&
           row_schur_init(&ga->system, world);
}

static void *gen_alpha_create(const SolverTask *task, Status *status)
{
    return solver_create(task, sizeof(GenAlpha), gen_alpha_init, gen_alpha_destroy, status);
}

/* s x + t y */
static Velocity velocity_mix(double s, Velocity x, double t, Velocity y)
{
    return (Velocity){vec3_add_scaled(vec3_scale(s, x.v), t, y.v), vec3_add_scaled(vec3_scale(s, x.w), t, y.w)};
}

/* The state that belongs to a+ : filtered accelerations, velocities, poses. */
static void gen_alpha_advance(GenAlpha *ga, World *world, double h)
{
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Velocity now = velocity_mix(1.0 - ga->af, ga->rate1[i], ga->af, ga->rate[i]);
        ga->filtered1[i] = velocity_mix(1.0 / (1.0 - ga->am), now, -ga->am / (1.0 - ga->am), ga->filtered[i]);
        Velocity pushed = velocity_mix(h * (0.5 - ga->beta), ga->filtered[i], h * ga->beta, ga->filtered1[i]);
        Velocity mean = velocity_mix(1.0, ga->before[i], 1.0, pushed);
        Velocity gain = velocity_mix(h * (1.0 - ga->gamma), ga->filtered[i], h * ga->gamma, ga->filtered1[i]);
        world->pose[i].x = vec3_add_scaled(ga->begin[i].x, h, mean.v);
        world->pose[i].q = quat_unit(quat_mul(ga->begin[i].q, quat_exp(vec3_scale(h, mean.w))));
        world->velocity[i] = velocity_mix(1.0, ga->before[i], 1.0, gain);
    }
}

/* a+ as the equations of motion have it: M^-1 (f + J^T l) - I^-1 (w x I w), spins in the body's frame. Velocities are
 * in the body's frame, too, but for the forces, which need them in the world. */
static Velocity gen_alpha_rate(const GenAlpha *ga, const World *world, int i)
{
    Vec3 w = world->velocity[i].w, inertia = world->mass[i].inertia, inverse = world->mass[i].inv_inertia;
    Quat q = world->pose[i].q;
    Vec3 torque = quat_rotate_inverse(q, ga->system.push[i].w);
    Vec3 gyro = vec3_cross(w, vec3_mul(inertia, w));
    Vec3 outside = quat_rotate_inverse(q, ga->force[i].w);
    return (Velocity){vec3_add_scaled(ga->force[i].v, world->mass[i].inv_mass, ga->system.push[i].v),
                      vec3_add(outside, vec3_mul(inverse, vec3_sub(torque, gyro)))};
}

/* Velocities in the world, or back in the body's frame. */
static void gen_alpha_turn(World *world, bool to_world)
{
    for (int i = 1; i < world->body_count; i++) {
        Quat q = world->pose[i].q;
        Vec3 *w = &world->velocity[i].w;
        *w = to_world ? quat_rotate(q, *w) : quat_rotate_inverse(q, *w);
    }
}

/* h^2 b', b' = b (1 - af)/(1 - am): how far a+ moves a body. */
static double gen_alpha_share(const GenAlpha *ga, double h)
{
    return h * h * ga->beta * (1.0 - ga->af) / (1.0 - ga->am);
}

/* M^-1 f at the current state, and J M^-1 J^T + alpha/share there. */
static void gen_alpha_evaluate(GenAlpha *ga, World *world, double share)
{
    gen_alpha_turn(world, true);
    motion_accelerations(&ga->motion, world, 0.0, ga->force);
    row_schur_factor(&ga->system, world, sqrt(share));
    gen_alpha_turn(world, false);
}

/* scale (C + alpha l) of every row. */
static void gen_alpha_errors(const GenAlpha *ga, const World *world, double scale, double *error)
{
    const RowSystem *rows = &ga->system.rows;
    row_schur_errors(&ga->system, world, scale, error);
    for (int b = 0, row = 0; b < rows->count; row += rows->blocks[b++].count)
        for (int i = 0; i < rows->blocks[b].count; i++)
            error[row + i] += scale * block_terms(&world->blocks[b])->compliance * ga->lambda[row + i];
}

/* Soft rows of the right side become scale C: 0 for none of their impulse, -1/t^2 for the force -C/alpha, t a time so
 * short that alpha/t^2 is all there is on the diagonal. */
static void gen_alpha_set_soft(const GenAlpha *ga, const World *world, double scale)
{
    const RowSystem *rows = &ga->system.rows;
    for (int b = 0, row = 0; b < rows->count; row += rows->blocks[b++].count)
        for (int i = 0; i < rows->blocks[b].count && block_terms(&world->blocks[b])->compliance > 0.0; i++)
            ga->right[row + i] = scale * rows->blocks[b].C[i];
}

/* A start whose velocities tear rigid joints apart gets the impulses that stop it, J V = 0: index 3 has no other way
 * out. */
static void gen_alpha_join(GenAlpha *ga, World *world, double short_step)
{
    const RowSystem *rows = &ga->system.rows;
    gen_alpha_turn(world, true);
    row_schur_factor(&ga->system, world, short_step);
    row_schur_rates(&ga->system, world->velocity, -1.0, ga->right);
    gen_alpha_set_soft(ga, world, 0.0);
    schur_solve(&ga->system.schur, ga->right, ga->correction);
    for (int b = 0, row = 0; b < rows->count; row += rows->blocks[b++].count)
        row_block_push(&rows->blocks[b], ga->correction + row, world->velocity);
    gen_alpha_turn(world, false);
}

/* The first accelerations are those of the constraints' second derivative, J a = -(J V)'; it is taken by a difference
 * over a short stretch of the motion, since an error here fades with the filter. */
static void gen_alpha_start(GenAlpha *ga, World *world, double short_step)
{
    double share = short_step * short_step;
    gen_alpha_evaluate(ga, world, share);
    memset(ga->lambda, 0, sizeof *ga->lambda * (size_t)ga->system.rows.rows);
    row_schur_collect(&ga->system, world, ga->lambda);
    for (int i = 1; i < world->body_count; i++)
        ga->rate[i] = gen_alpha_rate(ga, world, i);
    /* J(q(t)) V(t) after free flight over the short step, against zero: that rate is what the multipliers undo. */
    memcpy(ga->begin, world->pose, sizeof *ga->begin * (size_t)world->body_count);
    memcpy(ga->before, world->velocity, sizeof *ga->before * (size_t)world->body_count);
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Velocity mean = velocity_mix(1.0, ga->before[i], 0.5 * short_step, ga->rate[i]);
        world->pose[i].x = vec3_add_scaled(ga->begin[i].x, short_step, mean.v);
        world->pose[i].q = quat_unit(quat_mul(ga->begin[i].q, quat_exp(vec3_scale(short_step, mean.w))));
        world->velocity[i] = velocity_mix(1.0, ga->before[i], short_step, ga->rate[i]);
    }
    gen_alpha_turn(world, true);
    row_schur_factor(&ga->system, world, short_step);
    row_schur_rates(&ga->system, world->velocity, -1.0 / short_step, ga->right);
    gen_alpha_set_soft(ga, world, -1.0 / share);
    schur_solve(&ga->system.schur, ga->right, ga->lambda);
    memcpy(world->pose, ga->begin, sizeof *ga->begin * (size_t)world->body_count);
    memcpy(world->velocity, ga->before, sizeof *ga->before * (size_t)world->body_count);
    gen_alpha_evaluate(ga, world, share);
    row_schur_collect(&ga->system, world, ga->lambda);
    for (int i = 1; i < world->body_count; i++)
        ga->filtered[i] = ga->rate[i] = gen_alpha_rate(ga, world, i);
}

static void gen_alpha_begin(void *self, Step *step)
{
    GenAlpha *ga = self;
    World *world = step->world;
    size_t bodies = (size_t)world->body_count;
    gen_alpha_turn(world, false);
    if (!ga->started) {
        gen_alpha_join(ga, world, SHORT_STEP * step->h);
        gen_alpha_start(ga, world, SHORT_STEP * step->h);
        gen_alpha_turn(world, true);
        row_schur_give(&ga->system, world, ga->lambda, false);
        gen_alpha_turn(world, false);
        for (int b = 0; b < world->joint_block_count; b++)
            ga->pulled[b] = world->block_impulse[b];
    }
    ga->started = true;
    memcpy(ga->begin, world->pose, sizeof *ga->begin * bodies);
    memcpy(ga->before, world->velocity, sizeof *ga->before * bodies);
    memcpy(ga->rate1, ga->rate, sizeof *ga->rate1 * bodies);
    gen_alpha_advance(ga, world, step->h);
    gen_alpha_evaluate(ga, world, gen_alpha_share(ga, step->h));
}

/* One Newton step. With d = M^-1 J^T dl + (rate by the equations of motion - a+) the new error is C + alpha l + alpha
 * dl
 * + h^2 b' J d: (J M^-1 J^T + alpha/(h^2 b')) dl = -(C + alpha l)/(h^2 b') - J (rate - a+). */
static void gen_alpha_iterate(void *self, Step *step)
{
    GenAlpha *ga = self;
    World *world = step->world;
    double h = step->h, share = gen_alpha_share(ga, h), left = 0.0;
    int rows = ga->system.rows.rows;
    row_schur_collect(&ga->system, world, ga->lambda);
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Velocity lack = velocity_mix(1.0, gen_alpha_rate(ga, world, i), -1.0, ga->rate1[i]);
        left = fmax(left, fmax(vec3_norm(lack.v) / world->length_scale, vec3_norm(lack.w)));
        ga->rate1[i] = velocity_mix(1.0, ga->rate1[i], 1.0, lack);
        ga->force[i] = (Velocity){lack.v, quat_rotate(world->pose[i].q, lack.w)};
    }
    ga->left = left * h * h;
    row_schur_rates(&ga->system, ga->force, -1.0, ga->right);
    gen_alpha_errors(ga, world, -1.0 / share, ga->correction);
    for (int i = 0; i < rows; i++)
        ga->right[i] += ga->correction[i];
    schur_solve(&ga->system.schur, ga->right, ga->correction);
    row_schur_collect(&ga->system, world, ga->correction);
    for (int i = 0; i < rows; i++)
        ga->lambda[i] += ga->correction[i];
    for (int i = 1; i < world->body_count; i++) {
        Vec3 turn = vec3_mul(world->mass[i].inv_inertia, quat_rotate_inverse(world->pose[i].q, ga->system.push[i].w));
        Velocity d = {vec3_scale(world->mass[i].inv_mass, ga->system.push[i].v), turn};
        ga->rate1[i] = velocity_mix(1.0, ga->rate1[i], 1.0, d);
    }
    step->row_solves += rows;
    gen_alpha_advance(ga, world, h);
    gen_alpha_evaluate(ga, world, share);
}

/* Errors of the constraints, and what the equations of motion lacked before the last correction, over h^2. */
static double gen_alpha_residual(void *self, const Step *step)
{
    GenAlpha *ga = self;
    const World *world = step->world;
    const RowSystem *rows = &ga->system.rows;
    double largest = ga->left;
    gen_alpha_errors(ga, world, 1.0, ga->correction);
    for (int b = 0, row = 0; b < rows->count; row += rows->blocks[b++].count)
        for (int i = 0; i < rows->blocks[b].count; i++)
            largest = fmax(largest, fabs(ga->correction[row + i]) / block_scale(world, world->blocks[b].kind));
    return largest;
}

static void gen_alpha_end(void *self, Step *step)
{
    GenAlpha *ga = self;
    World *world = step->world;
    if (gen_alpha_residual(ga, step) > NEWTON_FAILED * ga->options.tolerance)
        step_report(step, "Newton did not converge");
    memcpy(ga->rate, ga->rate1, sizeof *ga->rate * (size_t)world->body_count);
    memcpy(ga->filtered, ga->filtered1, sizeof *ga->filtered * (size_t)world->body_count);
    gen_alpha_turn(world, true);
    row_schur_give(&ga->system, world, ga->lambda, false);
    for (int b = 0; b < world->joint_block_count; b++) { /* h (f(t) + f(t + h))/2: of order 2, as the motion */
        Vec3 force = world->block_impulse[b];
        world->block_impulse[b] = vec3_scale(0.5 * step->h, vec3_add(ga->pulled[b], force));
        ga->pulled[b] = force;
    }
}

static int gen_alpha_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    GenAlpha *ga = self;
    phases[0] = (Phase){.name = "newton",
                        .iterations = ga->options.common.iterations,
                        .enter = gen_alpha_begin,
                        .iterate = gen_alpha_iterate,
                        .residual = gen_alpha_residual,
                        .stop = ga->options.tolerance};
    phases[1] = (Phase){.name = "end", .enter = gen_alpha_end};
    return 2;
}

static const PhaseStep GEN_ALPHA_STEPS[] = {
    {"newton", PHASE_ENTER, "", "poses, velocities, accelerations and multipliers of the step's end"},
    {"newton", PHASE_ENTER, "numbers", "All from one, the spectral radius r = {radius} at infinity.",
     "am = (2r - 1)/(r + 1),  af = r/(r + 1),  g = 1/2 - am + af,  b = (g + 1/2)^2/4"},
    {"newton", PHASE_ENTER, "predict", "With the accelerations of the last step, a and their filtered form A.",
     "(1 - am) A+ + am A = (1 - af) a+ + af a\n"
     "v+ = v + h (1 - g) A + h g A+\nq+ = q o exp(h v + h^2 (1/2 - b) A + h^2 b A+)"},
    {"newton", PHASE_SWEEP, "correct", "Until what is left is below {tolerance}; the matrix is factored once a step.",
     "M a+ + w x I w = f + J^T l,  C(q+) + alpha l = 0\n"
     "(J M^-1 J^T + alpha/(h^2 b')) dl = -(C + alpha l)/(h^2 b') - J (M^-1 (f + J^T l) - a+)"},
    {"end", PHASE_ENTER, "", "accelerations are kept for the next step"},
    {"end", PHASE_ENTER, "keep", "Of this step's end.", "a <- a+,  A <- A+"},
    {NULL},
};

const Solver gen_alpha_solver = {
    .abi = SOLVER_ABI,
    .name = "gen_alpha",
    .summary = "generalised-alpha on the index-3 equations: implicit, order 2, damps high modes",
    .reference = "Chung, Hulbert 1993; Arnold, Bruels 2007; Bruels, Cardona, Arnold 2012",
    .capabilities = CAN_SERIES | CAN_JOINTS | CAN_LOOPS | CAN_COMPLIANCE | CAN_PARTICLES | CAN_FOUR_BODY,
    SOLVER_SETTINGS(GEN_ALPHA_SETTINGS),
    .steps = GEN_ALPHA_STEPS,
    .options_size = sizeof(GenAlphaOptions),
    .row_pair_bytes = 25,
    .create = gen_alpha_create,
    .destroy = gen_alpha_destroy,
    .plan = gen_alpha_plan,
};
