#include "solvers/position/stick.h"

#include "solvers/rows/manifold.h"

enum { STICK_MAX = 2 * MANIFOLD_MAX };

/* The tangent rows of the points that carry load. */
typedef struct StickRows {
    int count, block[STICK_MAX]; /* rows, and the friction block of each */
    double share[STICK_MAX];     /* of the manifold's load that the row's point carries */
    double C[STICK_MAX], slip[STICK_MAX], J[STICK_MAX][ROW_WIDTH], B[STICK_MAX][ROW_WIDTH];
} StickRows;

static void stick_add(const World *world, int b, double share, StickRows *sticks)
{
    const Block *block = &world->blocks[b];
    Rows rows;
    block_rows(world, block, &rows);
    for (int i = 0; i < rows.count; i++) {
        int r = sticks->count++;
        sticks->block[r] = b;
        sticks->share[r] = share;
        sticks->C[r] = sticks->slip[r] = rows.C[i];
        for (int k = 0; k < 2; k++) {
            const double *J = rows.J[i] + 6 * k;
            Vec3 turn = world_inv_inertia_mul(world, block->body[k], vec3(J[3], J[4], J[5]));
            for (int c = 0; c < 3; c++) {
                sticks->J[r][6 * k + c] = J[c];
                sticks->J[r][6 * k + 3 + c] = J[3 + c];
                sticks->B[r][6 * k + c] = world->mass[block->body[k]].inv_mass * J[c];
                sticks->B[r][6 * k + 3 + c] = vec3_get(turn, c);
            }
        }
    }
}

/* Solves A x = -C in place of C by elimination. The points of a face are dependent and their slips not quite
 * consistent, so something is added to the diagonal; with much less of it opposing multipliers grow until an arch
 * bursts. It is more where a point carries less: then friction is shared as the load is, and all points begin to slip
 * together, when the whole load no longer holds. */
static void stick_solve(StickRows *sticks)
{
    static const double DEPENDENT = 1e-2; /* relative to the diagonal: one part in a hundred of a slip is left */
    int n = sticks->count;
    double A[STICK_MAX][STICK_MAX] = {{0}}, *x = sticks->C;
    for (int i = 0; i < n; i++) {
        x[i] = -x[i];
        for (int j = 0; j < n; j++) {
            for (int c = 0; c < ROW_WIDTH; c++)
                A[i][j] += sticks->J[i][c] * sticks->B[j][c];
        }
        A[i][i] *= 1.0 + DEPENDENT / (MANIFOLD_MAX * sticks->share[i]);
    }
    for (int p = 0; p < n; p++)
        for (int i = p + 1; i < n; i++) {
            double factor = A[i][p] / A[p][p];
            for (int j = p; j < n; j++)
                A[i][j] -= factor * A[p][j];
            x[i] -= factor * x[p];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            x[i] -= A[i][j] * x[j];
        x[i] /= A[i][i];
    }
}

/* Each point's share, cut to friction x load; x becomes what is really added. A point that slides takes its step
 * against the slip and goes back to the bound, where the fixed point is friction against the slip. */
static void stick_bound(const World *world, StickRows *sticks, const PositionSolve *how, const double load[], int first,
                        Multiplier *multipliers)
{
    for (int r = 0; r < sticks->count; r += 2) {
        int b = sticks->block[r];
        Multiplier *own = &multipliers[b];
        Vec3 t[2], step = VEC3_ZERO, slip = VEC3_ZERO;
        for (int i = 0; i < 2; i++) {
            t[i] = vec3(sticks->J[r + i][6], sticks->J[r + i][7], sticks->J[r + i][8]);
            step = vec3_add_scaled(step, how->stiffness * sticks->C[r + i], t[i]);
            slip = vec3_add_scaled(slip, sticks->slip[r + i], t[i]);
        }
        Vec3 next = vec3_add(own->lambda, step);
        double limit = world->blocks[b].friction * load[(b - 1 - first) / 2], left = vec3_norm(slip);
        if (vec3_norm(next) > limit && left > 0.0)
            next = vec3_add_scaled(own->lambda, -vec3_norm(step) / left, slip);
        if (vec3_norm(next) > limit)
            next = vec3_scale(limit / vec3_norm(next), next);
        Vec3 change = vec3_sub(next, own->lambda);
        for (int i = 0; i < 2; i++)
            sticks->C[r + i] = vec3_dot(t[i], change);
        own->lambda = own->on_body2 = next;
    }
}

static void stick_push(World *world, const int body[2], const StickRows *sticks)
{
    for (int k = 0; k < 2; k++) {
        if (world_is_fixed(world, body[k]))
            continue;
        double change[6] = {0};
        for (int r = 0; r < sticks->count; r++)
            for (int c = 0; c < 6; c++)
                change[c] += sticks->C[r] * sticks->B[r][6 * k + c];
        Pose *pose = &world->pose[body[k]];
        pose->x = vec3_add(pose->x, vec3(change[0], change[1], change[2]));
        pose->q = quat_nudge_body(pose->q, quat_rotate_inverse(pose->q, vec3(change[3], change[4], change[5])));
    }
}

int position_stick_manifold(World *world, int b, int points, const PositionSolve *how, const double load[],
                            Multiplier *multipliers)
{
    StickRows sticks = {.count = 0};
    double whole = 0.0;
    for (int i = 0; i < points; i++)
        whole += load[i];
    for (int i = 0; i < points; i++)
        if (load[i] > 0.0 && world->blocks[b].friction > 0.0)
            stick_add(world, b + 2 * i + 1, load[i] / whole, &sticks);
    if (sticks.count == 0)
        return 0;
    stick_solve(&sticks);
    stick_bound(world, &sticks, how, load, b, multipliers);
    stick_push(world, world->blocks[b].body, &sticks);
    return sticks.count;
}
