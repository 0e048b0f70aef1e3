#include "solvers/contact_rows.h"

#include "model/block_contact.h"
#include "solvers/manifold.h"

#include <string.h>

/* Half of mass of the lighter moving body: what the lecture's box bound takes as the load of a point is the mass of a
 * body divided by its points; between two moving bodies the smaller share counts. */
static double point_mass(const World *world, const int *points_of, const int body[2])
{
    double least = INFINITY;
    for (int k = 0; k < 2; k++)
        if (!world_is_fixed(world, body[k]))
            least = fmin(least, world->mass[body[k]].mass / points_of[body[k]]);
    return isinf(least) ? 0.0 : least;
}

static double row_velocity(const double J[ROW_WIDTH], const Velocity *velocity, const int body[2])
{
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        const double *j = J + 6 * k;
        Velocity u = velocity[body[k]];
        sum += vec3_dot(vec3(j[0], j[1], j[2]), u.v) + vec3_dot(vec3(j[3], j[4], j[5]), u.w);
    }
    return sum;
}

/* The bias of the normal row: J V + bias >= 0. */
static double normal_bias(const RowBlock *rb, const RowSetup *setup)
{
    double C = rb->C[0];
    double bias = C > 0.0 ? C / setup->h : fmax(setup->rate * fmin(C + setup->slop, 0.0), -setup->push_speed);
    return rb->bounce < 0.0 ? fmin(bias, rb->bounce) : bias;
}

static double normal_bounce(const RowBlock *rb, const World *world, const RowSetup *setup)
{
    double before = row_velocity(rb->J[0], world->velocity_before, rb->body);
    bool hits = rb->C[0] + setup->h * row_velocity(rb->J[0], world->velocity, rb->body) <= 0.0;
    return hits && before < -setup->restitution_threshold ? rb->restitution * before : 0.0;
}

/* A step for which lambda - step r contracts: below the inverse of the tangents' largest eigenvalue. */
static double slide_step(const double A[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS])
{
    double mean = 0.5 * (A[1][1] + A[2][2]), half = 0.5 * (A[1][1] - A[2][2]);
    double largest = mean + sqrt(half * half + A[1][2] * A[1][2]);
    return largest > 0.0 ? 1.0 / largest : 0.0;
}

/* The inverse of the tangents' 2 x 2 part of A, in T; falls back to the slide step if it has none. */
static void tangent_inverse(RowBlock *rb)
{
    double a = rb->A[1][1], b = rb->A[1][2], c = rb->A[2][2], determinant = a * c - b * b;
    bool regular = determinant > 1e-12 * a * c;
    rb->T[1][1] = regular ? c / determinant : rb->slide_step;
    rb->T[2][2] = regular ? a / determinant : rb->slide_step;
    rb->T[1][2] = rb->T[2][1] = regular ? -b / determinant : 0.0;
}

/* All that point_prepare does not set, but for matrices that it fills or that contacts do not have. */
static void point_clear(RowBlock *rb)
{
    rb->is_soft = rb->follows = false;
    rb->group = 0;
    rb->slide_step = rb->fixed_bound = 0.0;
    for (int i = 0; i < BLOCK_MAX_ROWS; i++) {
        rb->lambda[i] = rb->bias[i] = rb->soft[i] = rb->C[i] = 0.0;
        rb->lower[i] = i == 0 ? 0.0 : -INFINITY;
        rb->upper[i] = INFINITY;
    }
}

static void point_prepare(RowBlock *rb, const RowSystem *system, const World *world, int b, const RowSetup *setup)
{
    const Block *block = &world->blocks[b];
    Rows rows;
    contact_point_rows(world, block, &rows);
    bool rubs = block->friction > 0.0;
    point_clear(rb);
    rb->count = rows.count == 0 ? 0 : rubs ? 3 : 1;
    rb->kind = rubs ? ROWS_CONTACT : ROWS_BOUNDED;
    rb->mu = block->friction;
    rb->restitution = block->restitution;
    rb->slides_with_patch = block->patch_radius > 0.0;
    if (rb->count == 0)
        return;
    memcpy(rb->body, block->body, sizeof rb->body);
    memcpy(rb->J, rows.J, sizeof rb->J);
    rb->C[0] = rows.C[0];
    rb->bounce = normal_bounce(rb, world, setup);
    rb->bias[0] = normal_bias(rb, setup);
    row_block_prepare_masses(rb, system, world);
    rb->slide_step = slide_step((const double(*)[BLOCK_MAX_ROWS])rb->A);
    tangent_inverse(rb);
    if (setup->keep > 0.0) {
        /* The cached impulse is a vector on body 2: J's third triple is the row's direction there. */
        Vec3 cached = vec3_scale(setup->keep, vec3_add(world->block_impulse[b], world->block_impulse[b + 1]));
        for (int i = 0; i < rb->count; i++)
            rb->lambda[i] = vec3_dot(cached, vec3(rb->J[i][6], rb->J[i][7], rb->J[i][8]));
        rb->lambda[0] = fmax(rb->lambda[0], 0.0);
    }
}

static void torsion_prepare(RowBlock *rb, const World *world, int b, RowSystem *system, const RowSetup *setup)
{
    const Block *block = &world->blocks[b];
    Rows rows;
    block_rows(world, block, &rows);
    *rb = (RowBlock){.count = rows.count,
                     .kind = ROWS_TORSION,
                     .mu = block->friction,
                     .patch_arm = 2.0 / 3.0 * block->patch_radius,
                     .first_point = block->normal_block,
                     .point_count = block->normal_count};
    memcpy(rb->body, block->body, sizeof rb->body);
    memcpy(rb->J[0], rows.J[0], sizeof rb->J[0]);
    rb->lower[0] = -INFINITY;
    rb->upper[0] = INFINITY;
    row_block_prepare_masses(rb, system, world);
    /* Torque counts as force at the arm: one step for all, below the inverse of the largest diagonal. */
    double largest = rb->A[0][0] * rb->patch_arm * rb->patch_arm;
    for (int i = 0; i < rb->point_count; i++)
        largest = fmax(largest, 1.0 / system->blocks[rb->first_point + 2 * i].slide_step);
    rb->slide_step = 1.0 / (largest * rb->point_count);
    for (int i = 0; i < rb->point_count; i++)
        system->blocks[rb->first_point + 2 * i].slide_step = rb->slide_step;
    rb->lambda[0] = setup->keep * vec3_dot(world->block_impulse[b], vec3(rb->J[0][9], rb->J[0][10], rb->J[0][11]));
}

/* How many contact points each body has: kept in the RowBlocks' fixed_bound until it is known. */
static void box_bounds_prepare(RowSystem *system, const World *world, double h)
{
    double g = vec3_norm(world->gravity);
    int *points_of = system->points_of;
    memset(points_of, 0, sizeof *points_of * (size_t)world->body_count);
    for (int pass = 0; pass < 2; pass++)
        for (int b = world->joint_block_count; b < world->block_count; b++) {
            RowBlock *rb = &system->blocks[b];
            if (rb->kind != ROWS_CONTACT || rb->count == 0)
                continue;
            if (pass == 0)
                for (int k = 0; k < 2; k++)
                    points_of[rb->body[k]]++;
            else
                rb->fixed_bound = rb->mu * point_mass(world, points_of, rb->body) * g * h;
        }
}

static void groups_prepare(RowSystem *system, const World *world)
{
    for (int b = world->joint_block_count; b < world->block_count; b++) {
        RowBlock *first = &system->blocks[b];
        if (world->blocks[b].kind != BLOCK_CONTACT || first->count == 0)
            continue;
        int count = manifold_count(world, b);
        if (count == 1)
            continue;
        ManifoldMatrix A;
        for (int i = 0; i < count; i++) {
            const RowBlock *one = &system->blocks[b + 2 * i];
            system->blocks[b + 2 * i].follows = i > 0;
            for (int j = 0; j < count; j++) {
                const RowBlock *two = &system->blocks[b + 2 * j];
                A[i][j] = 0.0;
                for (int c = 0; c < ROW_WIDTH; c++)
                    A[i][j] += one->J[0][c] * two->B[0][c];
            }
        }
        first->group = count;
        manifold_invert(count, A, first->group_inverse);
        b += 2 * count - 1;
    }
}

void contact_rows_drop_errors(RowSystem *system, const World *world, const RowSetup *setup)
{
    RowSetup still = *setup;
    still.rate = 0.0;
    for (int b = world->joint_block_count; b < world->block_count; b++)
        if (world->blocks[b].kind == BLOCK_CONTACT && system->blocks[b].count > 0)
            system->blocks[b].bias[0] = normal_bias(&system->blocks[b], &still);
}

void contact_rows_prepare(RowSystem *system, const World *world, const RowSetup *setup)
{
    for (int b = world->joint_block_count; b < world->block_count; b++) {
        RowBlock *rb = &system->blocks[b];
        if (setup->part && !setup->part[b])
            rb->count = 0;
        else if (world->blocks[b].kind == BLOCK_CONTACT)
            point_prepare(rb, system, world, b, setup);
        else if (world->blocks[b].kind == BLOCK_TORSION)
            torsion_prepare(rb, world, b, system, setup);
        else
            rb->count = 0;
    }
    if (setup->manifold)
        groups_prepare(system, world);
    if (setup->friction == FRICTION_BOX)
        box_bounds_prepare(system, world, setup->h);
}

/* Where one step of the patch leads: the tangents of its points and its torque. */
typedef struct PatchStep {
    double tangent[MANIFOLD_MAX][BLOCK_MAX_ROWS]; /* [point][1..2], N s */
    double torque;                                /* N m s */
    double turn;                                  /* step size of the torque, the tangents' times arm^2 */
} PatchStep;

/* All step from the same velocities, then back into the bound: with torque as force at the arm the ellipsoid is a ball,
 * sum |f_i|^2 + (m/arm)^2 <= (mu N)^2, and the way back a scaling. Its fixed point has friction against the slip and
 * torque against the spin, in the ratio of maximal dissipation. */
static PatchStep patch_step(const RowSystem *system, const RowBlock *torsion, const Velocity *velocity)
{
    double r[BLOCK_MAX_ROWS], arm = torsion->patch_arm, load = 0.0, force = 0.0;
    PatchStep to = {.turn = torsion->slide_step * arm * arm};
    row_block_residuals(torsion, velocity, r);
    to.torque = torsion->lambda[0] - to.turn * r[0];
    for (int i = 0; i < torsion->point_count; i++) {
        const RowBlock *point = &system->blocks[torsion->first_point + 2 * i];
        row_block_residuals(point, velocity, r);
        load += point->lambda[0];
        for (int t = 1; t < point->count; t++)
            to.tangent[i][t] = point->lambda[t] - torsion->slide_step * r[t];
        force +=
            point->count == 3 ? sqrt(to.tangent[i][1] * to.tangent[i][1] + to.tangent[i][2] * to.tangent[i][2]) : 0;
    }
    double size = sqrt(force * force + to.torque * to.torque / (arm * arm)), limit = torsion->mu * load;
    double scale = size > limit ? limit / size : 1.0;
    to.torque *= scale;
    for (int i = 0; i < torsion->point_count; i++)
        for (int t = 1; t < BLOCK_MAX_ROWS; t++)
            to.tangent[i][t] *= scale;
    return to;
}

void torsion_solve(RowSystem *system, RowBlock *torsion, Velocity *velocity)
{
    PatchStep to = patch_step(system, torsion, velocity);
    double d[BLOCK_MAX_ROWS] = {to.torque - torsion->lambda[0]};
    torsion->lambda[0] = to.torque;
    row_block_push(torsion, d, velocity);
    for (int i = 0; i < torsion->point_count; i++) {
        RowBlock *point = &system->blocks[torsion->first_point + 2 * i];
        d[0] = 0.0;
        for (int t = 1; t < point->count; t++) {
            d[t] = to.tangent[i][t] - point->lambda[t];
            point->lambda[t] = to.tangent[i][t];
        }
        row_block_push(point, d, velocity);
    }
}

double contact_patch_residual(const RowSystem *system, const RowBlock *torsion, const Velocity *velocity)
{
    PatchStep to = patch_step(system, torsion, velocity);
    double natural = (torsion->lambda[0] - to.torque) / to.turn, sum = natural * natural;
    for (int i = 0; i < torsion->point_count; i++) {
        const RowBlock *point = &system->blocks[torsion->first_point + 2 * i];
        for (int t = 1; t < point->count; t++) {
            natural = (point->lambda[t] - to.tangent[i][t]) / torsion->slide_step;
            sum += natural * natural;
        }
    }
    return sum;
}

double contact_friction_residual(const RowSystem *system, const RowBlock *rb, const double r[BLOCK_MAX_ROWS])
{
    if (rb->slides_with_patch)
        return 0.0;
    double limit = system->friction == FRICTION_BOX ? rb->fixed_bound : rb->mu * rb->lambda[0];
    double u = rb->lambda[1] - rb->slide_step * r[1], v = rb->lambda[2] - rb->slide_step * r[2];
    if (system->friction == FRICTION_CONE) {
        double size = sqrt(u * u + v * v), scale = size > limit ? limit / size : 1.0;
        u *= scale;
        v *= scale;
    } else {
        u = clamp(u, -limit, limit);
        v = clamp(v, -limit, limit);
    }
    double du = (rb->lambda[1] - u) / rb->slide_step, dv = (rb->lambda[2] - v) / rb->slide_step;
    return rb->slide_step > 0.0 ? du * du + dv * dv : 0.0;
}
