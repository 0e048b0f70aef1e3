/* Sweeps over packed contact points. With p a row of theirs, J is that of row_packed.h and
 *     M^-1 J^T = (m1 p[0..2], p[9..11], -m2 p[0..2], p[12..14]). */
#include "solvers/rows/contact_rows.h"
#include "solvers/rows/polygon.h"
#include "solvers/rows/row_packed.h"

/* V += M^-1 J^T d of row i */
static ALWAYS_INLINE void point_push(const ContactRow *row, int i, double d, RowVelocity *V)
{
    packed_push(row->inv_mass, row->row[i], row->row[i] + 9, d, V);
}

/* r of the normal: J V + bias + s lambda; few rows are soft, and a sum waits for the last term. */
static ALWAYS_INLINE double normal_residual(const ContactRow *row, const RowVelocity *V)
{
    double r = packed_rate(row->row[0], V) + row->bias;
    if (__builtin_expect(row->soft != 0.0, 0))
        r += row->soft * row->lambda[0];
    return r;
}

/* lambda_n - w r / A_00, which may not pull; returns the change. */
static ALWAYS_INLINE double normal_change(ContactRow *row, double r, double relaxation)
{
    double next = not_negative(row->lambda[0] - relaxation * row->step * r), d = next - row->lambda[0];
    row->lambda[0] = next;
    return d;
}

/* The polygon's functions are long and rarely called: the registers of a sweep are not for them. */
static __attribute__((noinline)) bool facets_hold(int facets, double limit, Double2 f)
{
    return polygon_holds(facets, limit, f[0], f[1]);
}

static __attribute__((noinline)) Double2 facets_project(int facets, double limit, Double2 f)
{
    double u = f[0], v = f[1];
    polygon_project(facets, limit, &u, &v);
    return (Double2){u, v};
}

/* |f|^2 */
static ALWAYS_INLINE double tangents_square(Double2 f)
{
    Double2 squares = f * f;
    return squares[0] + squares[1];
}

/* Back into the bound of the tangents: a disc of radius limit, a polygon inscribed in it with a corner at (1, 0), or a
 * square about it. */
static ALWAYS_INLINE Double2 tangents_project(FrictionModel model, int facets, double limit, Double2 f)
{
    if (model == FRICTION_CONE || model == FRICTION_DISC) {
        double size2 = tangents_square(f);
        if (size2 > limit * limit)
            f *= limit / sqrt(size2);
        return f;
    }
    if (model == FRICTION_FACETS)
        return facets_project(facets, limit, f);
    return (Double2){clamp(f[0], -limit, limit), clamp(f[1], -limit, limit)};
}

/* Both stopped: lambda_t - A_tt^-1 r, A_tt the tangents' part of A. */
static ALWAYS_INLINE Double2 tangents_stop(const ContactRow *row, Double2 from, Double2 r)
{
    return from - (LOAD2(row->tangent) * r[0] + LOAD2(row->tangent + 1) * r[1]);
}

/* One after the other, each within the limit. */
static ALWAYS_INLINE Double2 tangents_in_turn(const ContactRow *row, double limit, Double2 from, Double2 r)
{
    double u = clamp(from[0] - row->tangent[0] * r[0], -limit, limit);
    double v = clamp(from[1] - row->tangent[2] * (r[1] + row->tangent[1] * (u - from[0])), -limit, limit);
    return (Double2){u, v};
}

/* Friction with the bound that follows from the normal; returns the change. Where both tangents can be stopped within
 * the bound they are (2 x 2 solve); else the point slides: one step of the same size for both and back to the bound,
 * whose fixed point is friction exactly against the slip. A point of a patch is left to the patch's torsion block,
 * which solves force and torque together. */
static ALWAYS_INLINE Double2 tangents_change(ContactRow *row, FrictionModel model, int facets, Double2 r)
{
    Double2 from = LOAD2(row->lambda + 1), to;
    double limit = model == FRICTION_BOX ? row->bound : row->bound * row->lambda[0];
    if (row->slides_with_patch)
        return from - from;
    if (model == FRICTION_PYRAMID || model == FRICTION_BOX) {
        to = tangents_in_turn(row, limit, from, r);
    } else {
        bool stops = false;
        if (model != FRICTION_DISC) {
            to = tangents_stop(row, from, r);
            stops = !(tangents_square(to) > limit * limit);
            stops = stops && (model != FRICTION_FACETS || facets_hold(facets, limit, to));
        }
        if (!stops)
            to = tangents_project(model, facets, limit, from - row->slide_step * r);
    }
    STORE2(row->lambda + 1, to);
    return to - from;
}

/* A point alone: all rows see the same velocities, the effect of the normal on the tangents being A_i0 d. */
static ALWAYS_INLINE void point_solve(const RowSystem *system, ContactRow *row, Velocity *velocity)
{
    RowVelocity V;
    row_gather(row->body, velocity, &V);
    double d = normal_change(row, normal_residual(row, &V), system->relaxation);
    if (row->kind == ROWS_CONTACT) {
        Double2 slip = packed_rates(row->row[1], row->row[2], &V) + LOAD2(row->coupling) * d;
        Double2 tangent = tangents_change(row, system->friction, system->facets, slip);
        point_push(row, 0, d, &V);
        point_push(row, 1, tangent[0], &V);
        point_push(row, 2, tangent[1], &V);
    } else {
        point_push(row, 0, d, &V);
    }
    row_scatter(row->body, row->fixed, velocity, &V);
}

/* lambda - w (J B)^-1 r of all normals at once, a lane a point; `inverse` has the columns of w (J B)^-1. False, and
 * nothing done, if one would become negative. */
static ALWAYS_INLINE bool group_normals(ContactRow *first, int count, const ManifoldMatrix inverse, RowVelocity *V)
{
    Double4 lambda = {first[0].lambda[0], count > 1 ? first[1].lambda[0] : 0.0, count > 2 ? first[2].lambda[0] : 0.0,
                      count > 3 ? first[3].lambda[0] : 0.0};
    Double4 next = lambda;
    double r[MANIFOLD_MAX];
    bool pushes = true;
    for (int i = 0; i < count; i++)
        r[i] = normal_residual(&first[i], V);
    for (int j = 0; j < count; j++)
        next -= LOAD4(inverse[j]) * r[j];
    for (int i = 0; i < count; i++)
        pushes = pushes && next[i] >= 0.0;
    for (int i = 0; pushes && i < count; i++) {
        first[i].lambda[0] = next[i];
        point_push(&first[i], 0, next[i] - lambda[i], V);
    }
    return pushes;
}

/* The normals one after the other. */
static ALWAYS_INLINE bool group_normals_in_turn(ContactRow *first, int count, RowVelocity *V, double relaxation)
{
    for (int i = 0; i < count; i++)
        point_push(&first[i], 0, normal_change(&first[i], normal_residual(&first[i], V), relaxation), V);
    return true;
}

/* The normals together, of those sets of points that push the one that fits; false: none does. */
static bool group_normals_by_sets(ContactRow *first, int count, RowVelocity *V)
{
    ManifoldMatrix K;
    double lambda[MANIFOLD_MAX], r[MANIFOLD_MAX], next[MANIFOLD_MAX];
    for (int j = 0; j < count; j++) {
        RowVelocity unit = {0};
        point_push(&first[j], 0, 1.0, &unit);
        for (int i = 0; i < count; i++)
            K[i][j] = packed_rate(first[i].row[0], &unit) + (i == j ? first[i].soft : 0.0);
        lambda[j] = first[j].lambda[0];
        r[j] = normal_residual(&first[j], V);
    }
    if (!manifold_enumerate(count, K, lambda, r, next))
        return false;
    for (int i = 0; i < count; i++) {
        first[i].lambda[0] = next[i];
        point_push(&first[i], 0, next[i] - lambda[i], V);
    }
    return true;
}

static ALWAYS_INLINE void group_friction(const RowSystem *system, ContactRow *row, RowVelocity *V)
{
    if (row->kind != ROWS_CONTACT)
        return;
    Double2 d = tangents_change(row, system->friction, system->facets, packed_rates(row->row[1], row->row[2], V));
    point_push(row, 1, d[0], V);
    point_push(row, 2, d[1], V);
}

/* A manifold: its normals together, then friction point by point; or, where a point would pull, all point by point. */
static ALWAYS_INLINE void group_solve(const RowSystem *system, ContactRow *first, int count, Velocity *velocity)
{
    RowVelocity V;
    row_gather(first->body, velocity, &V);
    for (int i = 0; system->friction_first && i < count; i++)
        group_friction(system, &first[i], &V);
    bool done = first->inverse < 0
                    ? group_normals_in_turn(first, count, &V, system->relaxation)
                    : group_normals(first, count, (const double(*)[MANIFOLD_MAX])system->inverses[first->inverse], &V);
    if (!done && system->enumerate) {
        RowVelocity copy = V; /* V itself has no address, and stays in registers */
        done = group_normals_by_sets(first, count, &copy);
        V = copy;
    }
    for (int i = 0; i < count; i++) {
        ContactRow *row = &first[i];
        if (!done)
            point_push(row, 0, normal_change(row, normal_residual(row, &V), system->relaxation), &V);
        if (!system->friction_first)
            group_friction(system, row, &V);
    }
    row_scatter(first->body, first->fixed, velocity, &V);
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
static PatchStep patch_step(const RowBlock *torsion, const ContactRow *points, const Velocity *velocity)
{
    double r[BLOCK_MAX_ROWS], arm = torsion->patch_arm, load = 0.0, force = 0.0;
    PatchStep to = {.turn = torsion->slide_step * arm * arm};
    row_block_residuals(torsion, velocity, r);
    to.torque = torsion->lambda[0] - to.turn * r[0];
    for (int i = 0; i < torsion->patch.count; i++) {
        const ContactRow *point = &points[i];
        double *tangent = to.tangent[i];
        RowVelocity V;
        row_gather(point->body, velocity, &V);
        load += point->lambda[0];
        for (int t = 1; t < point->count; t++)
            tangent[t] = point->lambda[t] - torsion->slide_step * packed_rate(point->row[t], &V);
        force += point->count == 3 ? sqrt(tangent[1] * tangent[1] + tangent[2] * tangent[2]) : 0;
    }
    double size = sqrt(force * force + to.torque * to.torque / (arm * arm)), limit = torsion->mu * load;
    double scale = size > limit ? limit / size : 1.0;
    to.torque *= scale;
    for (int i = 0; i < torsion->patch.count; i++)
        for (int t = 1; t < BLOCK_MAX_ROWS; t++)
            to.tangent[i][t] *= scale;
    return to;
}

/* One step of a patch's spin and its points' friction within their common ellipsoid. */
static void torsion_solve(RowBlock *torsion, ContactRow *points, Velocity *velocity)
{
    PatchStep to = patch_step(torsion, points, velocity);
    double d[BLOCK_MAX_ROWS] = {to.torque - torsion->lambda[0]};
    torsion->lambda[0] = to.torque;
    row_block_push(torsion, d, velocity);
    for (int i = 0; i < torsion->patch.count; i++) {
        RowVelocity V;
        row_gather(points[i].body, velocity, &V);
        for (int t = 1; t < points[i].count; t++) {
            point_push(&points[i], t, to.tangent[i][t] - points[i].lambda[t], &V);
            points[i].lambda[t] = to.tangent[i][t];
        }
        row_scatter(points[i].body, points[i].fixed, velocity, &V);
    }
}

/* The squared natural map of a patch: its points' tangents and its torque, whose common bound is the ellipsoid. */
static double patch_residual(const RowBlock *torsion, const ContactRow *points, const Velocity *velocity)
{
    PatchStep to = patch_step(torsion, points, velocity);
    double natural = torsion->metres * (torsion->lambda[0] - to.torque) / to.turn, sum = natural * natural;
    for (int i = 0; i < torsion->patch.count; i++)
        for (int t = 1; t < points[i].count; t++) {
            natural = (points[i].lambda[t] - to.tangent[i][t]) / torsion->slide_step;
            sum += natural * natural;
        }
    return sum;
}

static ALWAYS_INLINE void row_solve(RowSystem *system, ContactRow *row, Velocity *velocity)
{
    if (row->count == 0 || row->follows)
        return;
    if (row->group == MANIFOLD_MAX)
        group_solve(system, row, MANIFOLD_MAX, velocity); /* a face: the compiler knows its length */
    else if (row->group > 0)
        group_solve(system, row, row->group, velocity);
    else if (row->kind == ROWS_TORSION)
        torsion_solve(&system->blocks[row->block], row - system->blocks[row->block].patch.count, velocity);
    else
        point_solve(system, row, velocity);
}

WIDE_VERSIONS void contact_row_solve(RowSystem *system, ContactRow *row, Velocity *velocity)
{
    row_solve(system, row, velocity);
}

WIDE_VERSIONS int contact_rows_sweep(RowSystem *system, int from, int to, Velocity *velocity)
{
    int rows = 0;
    for (int k = from; k < to; k++) {
        row_solve(system, &system->contacts[k], velocity);
        rows += system->contacts[k].count;
    }
    return rows;
}

WIDE_VERSIONS void contact_rows_apply(const RowSystem *system, int from, int to, Velocity *velocity)
{
    for (int k = from; k < to; k++) {
        const ContactRow *row = &system->contacts[k];
        RowVelocity V;
        if (row->kind == ROWS_TORSION) {
            row_block_push(&system->blocks[row->block], system->blocks[row->block].lambda, velocity);
            continue;
        }
        row_gather(row->body, velocity, &V);
        for (int i = 0; i < row->count; i++)
            point_push(row, i, row->lambda[i], &V);
        row_scatter(row->body, row->fixed, velocity, &V);
    }
}

/* The squared natural map of a point's two tangents, r their residuals: zero for a point whose friction the patch
 * bounds, which is judged there. */
static double friction_residual(const ContactRow *row, const RowSystem *system, Double2 r)
{
    if (row->slides_with_patch || !(row->slide_step > 0.0))
        return 0.0;
    double limit = system->friction == FRICTION_BOX ? row->bound : row->bound * row->lambda[0];
    Double2 from = LOAD2(row->lambda + 1);
    Double2 to = tangents_project(system->friction, system->facets, limit, from - row->slide_step * r);
    return tangents_square((from - to) / row->slide_step);
}

double contact_rows_residual(const RowSystem *system, const Velocity *velocity, double sum)
{
    for (int k = 0; k < system->contact_count; k++) {
        const ContactRow *row = &system->contacts[k];
        RowVelocity V;
        if (row->count == 0)
            continue;
        if (row->kind == ROWS_TORSION) {
            const RowBlock *torsion = &system->blocks[row->block];
            sum += patch_residual(torsion, row - torsion->patch.count, velocity);
            continue;
        }
        row_gather(row->body, velocity, &V);
        double r = normal_residual(row, &V), moved = row->lambda[0] - row->step * r;
        double natural = row->A * (row->lambda[0] - (moved < 0.0 ? 0.0 : moved));
        sum += natural * natural;
        if (row->kind == ROWS_CONTACT)
            sum += friction_residual(row, system, packed_rates(row->row[1], row->row[2], &V));
    }
    return sum;
}

double contact_row_approach(const ContactRow *row, const Velocity *velocity)
{
    RowVelocity V;
    row_gather(row->body, velocity, &V);
    return packed_rate(row->row[0], &V);
}

void contact_row_bounce(ContactRow *row, double bias, Velocity *velocity)
{
    RowVelocity V;
    row_gather(row->body, velocity, &V);
    double rigid = row->A - row->soft, r = packed_rate(row->row[0], &V) + bias;
    double next = fmax(row->lambda[0] - (rigid > 0.0 ? r / rigid : 0.0), 0.0), d = next - row->lambda[0];
    row->lambda[0] = next;
    point_push(row, 0, d, &V);
    row_scatter(row->body, row->fixed, velocity, &V);
}

/* Sums from 0, so that no impulse is -0. */
Vec3 contact_row_on_body2(const ContactRow *row, bool friction)
{
    Vec3 sum = VEC3_ZERO;
    for (int i = friction ? 1 : 0; i < (friction ? row->count : row->count > 0); i++)
        sum = vec3_add_scaled(sum, row->lambda[i], vec3(-row->row[i][0], -row->row[i][1], -row->row[i][2]));
    return sum;
}
