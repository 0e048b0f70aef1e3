/* Static friction of a manifold. Point by point the corrections of one would be the slips of the others, and a block on
 * a slope would creep.
 *
 * It goes before the normals and is tested against the load that the contact carried in the last substep (its cached
 * impulse); a new contact is held by the velocity pass alone. After the normals it would leave them broken: with one
 * iteration a stack of boxes then shakes itself apart. If the bound followed the normals through the iterations, the
 * two would drive each other up where bodies jam: a falling house of cards bursts. */
#include "model/collide.h"
#include "solvers/linear/small.h"
#include "solvers/position/stick.h"

/* Of the length scale. A point whose load moves its bodies by less carries nothing: what is left of a load that was
 * given back shrinks by ten decades a substep, and would be a row until it underflows. */
#define LOAD_NONE 1e-20

enum { STICK_MAX = 2 * MANIFOLD_MAX };

/* The tangent rows of the points that carry load. */
typedef struct StickRows {
    int count, point[STICK_MAX]; /* rows, and the point of each */
    double share[STICK_MAX];     /* of the manifold's load that the row's point carries */
    double C[STICK_MAX], slip[STICK_MAX], J[STICK_MAX][ROW_WIDTH], B[STICK_MAX][ROW_WIDTH];
} StickRows;

static void stick_add(const World *world, const ManifoldBlocks *manifold, int point, double share, StickRows *sticks)
{
    const Block *block = &world->blocks[manifold_friction(manifold, point)];
    Rows rows;
    block_rows(world, block, &rows);
    for (int i = 0; i < rows.count; i++) {
        int r = sticks->count++;
        sticks->point[r] = point;
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

/* Solves A x = -C in place of C. The points of a face are dependent and their slips not quite
 * consistent, so something is added to the diagonal; with much less of it opposing multipliers grow until an arch
 * bursts. It is more where a point carries less: then friction is shared as the load is, and all points begin to slip
 * together, when the whole load no longer holds. */
static void stick_solve(StickRows *sticks)
{
    static const double SOFTENED = 1e-2; /* relative to the diagonal: one part in a hundred of a slip is left */
    int n = sticks->count;
    double A[STICK_MAX][STICK_MAX] = {{0}}, *x = sticks->C;
    for (int i = 0; i < n; i++) {
        x[i] = -x[i];
        for (int j = 0; j < n; j++) {
            for (int c = 0; c < ROW_WIDTH; c++)
                A[i][j] += sticks->J[i][c] * sticks->B[j][c];
        }
        A[i][i] *= 1.0 + SOFTENED / (MANIFOLD_MAX * sticks->share[i]);
    }
    small_solve(n, STICK_MAX, A[0], x);
}

/* Each point's share, cut to friction x load; x becomes what is really added. A point that slides takes its step
 * against the slip and goes back to the bound, where the fixed point is friction against the slip. */
static void stick_bound(const World *world, const ManifoldBlocks *manifold, StickRows *sticks, const PositionSolve *how,
                        const double load[], Multiplier *multipliers)
{
    for (int r = 0; r < sticks->count; r += 2) {
        int point = sticks->point[r], b = manifold_friction(manifold, point);
        Multiplier *own = &multipliers[b];
        Vec3 t[2], step = VEC3_ZERO, slip = VEC3_ZERO;
        for (int i = 0; i < 2; i++) {
            t[i] = vec3(sticks->J[r + i][6], sticks->J[r + i][7], sticks->J[r + i][8]);
            step = vec3_add_scaled(step, how->stiffness * sticks->C[r + i], t[i]);
            slip = vec3_add_scaled(slip, sticks->slip[r + i], t[i]);
        }
        Vec3 next = vec3_add(own->lambda, step);
        double limit = world->blocks[b].friction * load[point], left = vec3_norm(slip);
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

/* The multiplier that would move the bodies by LOAD_NONE. */
static double load_least(const World *world, const int body[2])
{
    double weight = world->mass[body[0]].inv_mass + world->mass[body[1]].inv_mass;
    return weight > 0.0 ? LOAD_NONE * world->length_scale / weight : INFINITY;
}

/* load: the normal multipliers that the last substep's impulses amount to. */
static int stick_manifold(World *world, const ManifoldBlocks *manifold, const PositionSolve *how,
                          Multiplier *multipliers)
{
    StickRows sticks = {.count = 0};
    double load[MANIFOLD_MAX], whole = 0.0, least = load_least(world, manifold->body);
    for (int i = 0; i < manifold->count; i++) {
        load[i] = how->h * vec3_norm(world->block_impulse[manifold_contact(manifold, i)]);
        whole += load[i];
    }
    for (int i = 0; i < manifold->count; i++)
        if (load[i] > least && world->blocks[manifold->first].friction > 0.0)
            stick_add(world, manifold, i, load[i] / whole, &sticks);
    if (sticks.count == 0)
        return 0;
    stick_solve(&sticks);
    stick_bound(world, manifold, &sticks, how, load, multipliers);
    stick_push(world, manifold->body, &sticks);
    return sticks.count;
}

/* A patch sticks and slides as one, in the velocity pass. */
int stick_tangents(World *world, const PositionSolve *how, Multiplier *multipliers)
{
    int rows = 0;
    for (int m = 0; m < world->manifold_count; m++)
        if (world->manifolds[m].torsion < 0)
            rows += stick_manifold(world, &world->manifolds[m], how, multipliers);
    return rows;
}
