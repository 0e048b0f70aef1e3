/* The inner loops of the velocity-level sweeps, to be inlined into them. */
#ifndef RIGOR_SOLVERS_ROW_KERNEL_H
#define RIGOR_SOLVERS_ROW_KERNEL_H

#include "solvers/rows.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Four doubles at a time: two SSE registers or one AVX register; the sums are the same either way. */
typedef double Double4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double Double2 __attribute__((vector_size(16), aligned(8), may_alias));
#define LOAD4(p) (*(const Double4 *)(p))
#define LOAD2(p) (*(const Double2 *)(p))
#define STORE4(p, x) (*(Double4 *)(p) = (x))
#define STORE2(p, x) (*(Double2 *)(p) = (x))

/* The velocities that a block's rows act on, in registers. A body's six numbers are loaded and stored as four and two,
 * always at the same places: the next block that needs them finds them in the store buffer. */
typedef struct RowVelocity {
    Double4 a[2];
    Double2 b[2];
} RowVelocity;

static ALWAYS_INLINE void row_gather(const RowBlock *rb, const Velocity *velocity, RowVelocity *V)
{
    for (int k = 0; k < 2; k++) {
        const double *u = (const double *)&velocity[rb->body[k]];
        V->a[k] = LOAD4(u);
        V->b[k] = LOAD2(u + 4);
    }
}

static ALWAYS_INLINE void row_scatter(const RowBlock *rb, Velocity *velocity, const RowVelocity *V)
{
    for (int k = 0; k < 2; k++) {
        double *u = (double *)&velocity[rb->body[k]];
        STORE4(u, V->a[k]);
        STORE2(u + 4, V->b[k]);
    }
}

static ALWAYS_INLINE double row_times_velocity(const double *J, const RowVelocity *V)
{
    Double4 a = LOAD4(J) * V->a[0] + LOAD4(J + 6) * V->a[1];
    Double2 b = LOAD2(J + 4) * V->b[0] + LOAD2(J + 10) * V->b[1];
    return ((a[0] + a[2]) + b[0]) + ((a[1] + a[3]) + b[1]);
}

/* V += B_i d_i, summed over the rows from first to before `end` */
static ALWAYS_INLINE void row_push(const RowBlock *rb, int first, int end, const double d[], RowVelocity *V)
{
    for (int i = first; i < end; i++) {
        const double *B = rb->B[i];
        Double4 d4 = {d[i], d[i], d[i], d[i]};
        Double2 d2 = {d[i], d[i]};
        V->a[0] += d4 * LOAD4(B);
        V->b[0] += d2 * LOAD2(B + 4);
        V->a[1] += d4 * LOAD4(B + 6);
        V->b[1] += d2 * LOAD2(B + 10);
    }
}

/* The same for a volume's one row over four particles. */
static inline double four_rate(const RowBlock *rb, const Velocity *velocity)
{
    double r = 0.0;
    for (int k = 0; k < 4; k++) {
        const double *J = rb->J[0] + 3 * k;
        r += vec3_dot(vec3(J[0], J[1], J[2]), velocity[rb->body[k]].v);
    }
    return r;
}

static inline void four_push(const RowBlock *rb, double d, Velocity *velocity)
{
    for (int k = 0; k < 4; k++) {
        const double *B = rb->B[0] + 3 * k;
        Vec3 *v = &velocity[rb->body[k]].v;
        *v = vec3_add_scaled(*v, d, vec3(B[0], B[1], B[2]));
    }
}

static ALWAYS_INLINE void block_rates(const RowBlock *rb, const Velocity *velocity, double r[])
{
    RowVelocity V;
    if (rb->kind == ROWS_FOUR) {
        r[0] = four_rate(rb, velocity);
        return;
    }
    row_gather(rb, velocity, &V);
    for (int i = 0; i < rb->count; i++)
        r[i] = row_times_velocity(rb->J[i], &V);
}

/* r_i = J_i V + bias_i + s_i lambda_i */
static ALWAYS_INLINE void block_residuals(const RowBlock *rb, const Velocity *velocity, double r[])
{
    block_rates(rb, velocity, r);
    for (int i = 0; i < rb->count; i++)
        r[i] += rb->bias[i] + rb->soft[i] * rb->lambda[i];
}

static ALWAYS_INLINE void block_push(const RowBlock *rb, const double d[], Velocity *velocity)
{
    RowVelocity V;
    if (rb->kind == ROWS_FOUR) {
        four_push(rb, d[0], velocity);
        return;
    }
    row_gather(rb, velocity, &V);
    row_push(rb, 0, rb->count, d, &V);
    row_scatter(rb, velocity, &V);
}

/* lambda + step towards r = 0, within its bounds; returns the change. */
static ALWAYS_INLINE double row_change(RowBlock *rb, int i, double r, double relaxation)
{
    double next = clamp(rb->lambda[i] - relaxation * rb->step[i] * r, rb->lower[i], rb->upper[i]);
    double d = next - rb->lambda[i];
    rb->lambda[i] = next;
    return d;
}

/* dlambda = -T r = -(T J V + T bias + T s lambda), for a block without bounds */
static ALWAYS_INLINE void block_solve_bilateral(RowBlock *rb, int count, Velocity *velocity)
{
    RowVelocity V;
    double d[BLOCK_MAX_ROWS];
    row_gather(rb, velocity, &V);
    for (int i = 0; i < count; i++)
        d[i] = -(rb->Tbias[i] + row_times_velocity(rb->TJ[i], &V));
    if (rb->is_soft)
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++)
                d[i] -= rb->T[i][j] * rb->soft[j] * rb->lambda[j];
    for (int i = 0; i < count; i++)
        rb->lambda[i] += d[i];
    row_push(rb, 0, count, d, &V);
    row_scatter(rb, velocity, &V);
}

/* dlambda_i = -relaxation r_i / A_ii, clamped; r_j += A_ji dlambda_i for the rows after it. */
static ALWAYS_INLINE void block_solve_bounded(RowBlock *rb, Velocity *velocity, double relaxation)
{
    double r[BLOCK_MAX_ROWS], d[BLOCK_MAX_ROWS];
    block_residuals(rb, velocity, r);
    for (int i = 0; i < rb->count; i++) {
        d[i] = row_change(rb, i, r[i], relaxation);
        for (int j = i + 1; j < rb->count; j++)
            r[j] += rb->A[j][i] * d[i];
    }
    block_push(rb, d, velocity);
}

/* A contact point: the normal row first, then its friction with the bound that follows from it. Where both tangents
 * can be stopped within the bound they are (2 x 2 solve); else the point slides: one step of the same size for both and
 * back to the bound, whose fixed point is friction exactly against the slip. A point of a patch is left to the patch's
 * torsion block, which solves force and torque together. */
static ALWAYS_INLINE void contact_friction(RowBlock *rb, FrictionModel model, double r[BLOCK_MAX_ROWS], double d[])
{
    double x = rb->lambda[1], y = rb->lambda[2],
           limit = model == FRICTION_BOX ? rb->fixed_bound : rb->mu * rb->lambda[0];
    double u, v;
    if (rb->slides_with_patch) {
        u = x;
        v = y;
    } else if (model == FRICTION_CONE) {
        u = x - (rb->T[1][1] * r[1] + rb->T[1][2] * r[2]);
        v = y - (rb->T[2][1] * r[1] + rb->T[2][2] * r[2]);
        if (u * u + v * v > limit * limit) {
            u = x - rb->slide_step * r[1];
            v = y - rb->slide_step * r[2];
            double size2 = u * u + v * v;
            double scale = size2 > limit * limit ? limit / sqrt(size2) : 1.0;
            u *= scale;
            v *= scale;
        }
    } else {
        u = clamp(x - rb->step[1] * r[1], -limit, limit);
        v = clamp(y - rb->step[2] * (r[2] + rb->A[2][1] * (u - x)), -limit, limit);
    }
    d[1] = u - x;
    d[2] = v - y;
    rb->lambda[1] = u;
    rb->lambda[2] = v;
}

static ALWAYS_INLINE void contact_slide(RowBlock *rb, RowVelocity *V, FrictionModel model, double d[])
{
    double r[BLOCK_MAX_ROWS];
    for (int i = 1; i < 3; i++)
        r[i] = row_times_velocity(rb->J[i], V);
    contact_friction(rb, model, r, d);
}

static ALWAYS_INLINE void block_solve_contact(RowBlock *rb, Velocity *velocity, double relaxation, FrictionModel model)
{
    RowVelocity V;
    double r[BLOCK_MAX_ROWS], d[BLOCK_MAX_ROWS];
    row_gather(rb, velocity, &V);
    for (int i = 0; i < 3; i++)
        r[i] = row_times_velocity(rb->J[i], &V) + rb->bias[i];
    d[0] = row_change(rb, 0, r[0], relaxation);
    r[1] += rb->A[1][0] * d[0];
    r[2] += rb->A[2][0] * d[0];
    contact_friction(rb, model, r, d);
    row_push(rb, 0, 3, d, &V);
    row_scatter(rb, velocity, &V);
}

/* lambda - w (J B)^-1 r of all normals at once; false, and nothing done, if one would become negative. */
static ALWAYS_INLINE bool group_normals(RowBlock *first, RowVelocity *V, double relaxation)
{
    double r[MANIFOLD_MAX], next[MANIFOLD_MAX];
    bool pushes = true;
    for (int i = 0; i < first->group; i++)
        r[i] = row_times_velocity(first[2 * i].J[0], V) + first[2 * i].bias[0];
    for (int i = 0; i < first->group; i++) {
        next[i] = first[2 * i].lambda[0];
        for (int j = 0; j < first->group; j++)
            next[i] -= relaxation * first->group_inverse[i][j] * r[j];
        pushes = pushes && next[i] >= 0.0;
    }
    for (int i = 0; pushes && i < first->group; i++) {
        double d = next[i] - first[2 * i].lambda[0];
        first[2 * i].lambda[0] = next[i];
        row_push(&first[2 * i], 0, 1, &d, V);
    }
    return pushes;
}

/* A manifold: its normals together, then friction point by point; or, where a point would pull, all point by point. */
static ALWAYS_INLINE void group_solve(RowBlock *first, Velocity *velocity, double relaxation, FrictionModel model)
{
    RowVelocity V;
    row_gather(first, velocity, &V);
    bool together = group_normals(first, &V, relaxation);
    for (int i = 0; i < first->group; i++) {
        RowBlock *rb = &first[2 * i];
        double d[BLOCK_MAX_ROWS] = {0};
        if (!together) {
            d[0] = row_change(rb, 0, row_times_velocity(rb->J[0], &V) + rb->bias[0], relaxation);
            row_push(rb, 0, 1, d, &V);
        }
        if (rb->kind == ROWS_CONTACT) {
            contact_slide(rb, &V, model, d);
            row_push(rb, 1, 3, d, &V);
        }
    }
    row_scatter(first, velocity, &V);
}

#endif
