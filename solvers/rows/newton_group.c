#include "solvers/rows/newton_group.h"

#include "solvers/linear/small.h"
#include "solvers/rows/polygon.h"

#include <string.h>

static const RowBlock *group_block(const RowSystem *system, const NewtonGroup *group, int i)
{
    return &system->blocks[group->block[i]];
}

static double group_lambda(const RowSystem *system, const NewtonGroup *group, int i)
{
    return group_block(system, group, i)->lambda[group->row[i]];
}

static void group_add_block(NewtonGroup *group, const RowSystem *system, const Velocity *velocity,
                            const Proximal *proximal, int b)
{
    const RowBlock *rb = &system->blocks[b];
    double r[BLOCK_MAX_ROWS] = {0};
    row_block_residuals(rb, velocity, r);
    for (int i = 0; i < rb->count; i++) {
        int at = group->count++;
        group->block[at] = b;
        group->row[at] = i;
        group->diagonal[at] = rb->A[i][i];
        group->r[at] =
            r[i] + proximal->epsilon * rb->A[i][i] * (rb->lambda[i] - proximal->centre[BLOCK_MAX_ROWS * b + i]);
    }
}

/* A row inside its bounds: F = r. */
static void group_free(NewtonGroup *group, int i)
{
    group->F[i] = group->r[i];
    group->Q[i][i] = 1.0;
}

/* F = A_ii (lambda - clamp(lambda - r / A_ii)). */
static void group_bounded(NewtonGroup *group, const RowSystem *system, int i)
{
    const RowBlock *rb = group_block(system, group, i);
    double A = group->diagonal[i], lambda = group_lambda(system, group, i);
    double lower = rb->lower[group->row[i]], upper = rb->upper[group->row[i]];
    if (!(A > 0.0)) { /* nothing moves */
        group->P[i][i] = 1.0;
        return;
    }
    double moved = lambda - group->r[i] / A;
    if (moved >= lower && moved <= upper) {
        group_free(group, i);
        return;
    }
    group->F[i] = A * (lambda - (moved < lower ? lower : upper));
    group->P[i][i] = A;
}

/* What the bound of two tangents does to y: P(y), its derivative by y, and by the bound's size. */
typedef struct Bound {
    double to[2], by_y[2][2], by_size[2];
} Bound;

static Bound bound_disc(const double y[2], double size)
{
    double length = hypot(y[0], y[1]), u[2] = {y[0] / length, y[1] / length}, keep = size / length;
    Bound bound;
    for (int i = 0; i < 2; i++) {
        bound.to[i] = size * u[i];
        bound.by_size[i] = u[i];
        for (int j = 0; j < 2; j++)
            bound.by_y[i][j] = keep * ((i == j) - u[i] * u[j]);
    }
    return bound;
}

static Bound bound_polygon(const double y[2], double size, int facets)
{
    double n[2], inner = cos(PI / facets), half = sin(PI / facets);
    polygon_facet(facets, y[0], y[1], n);
    const double t[2] = {-n[1], n[0]};
    double along = t[0] * y[0] + t[1] * y[1];
    bool corner = fabs(along) >= size * half;
    Bound bound;
    for (int i = 0; i < 2; i++) {
        bound.by_size[i] = inner * n[i] + (corner ? copysign(half, along) * t[i] : 0.0);
        bound.to[i] = size * bound.by_size[i] + (corner ? 0.0 : along * t[i]);
        for (int j = 0; j < 2; j++)
            bound.by_y[i][j] = corner ? 0.0 : t[i] * t[j];
    }
    return bound;
}

static Bound bound_square(const double y[2], double size)
{
    Bound bound = {{0}};
    for (int i = 0; i < 2; i++) {
        bool out = fabs(y[i]) > size;
        bound.to[i] = clamp(y[i], -size, size);
        bound.by_size[i] = out ? copysign(1.0, y[i]) : 0.0;
        bound.by_y[i][i] = out ? 0.0 : 1.0;
    }
    return bound;
}

/* Whether the tangents, at y, are within their bound; else the bound. */
static bool tangents_bound(const RowSystem *system, const double y[2], double size, Bound *bound)
{
    bool inside = system->friction == FRICTION_CONE     ? hypot(y[0], y[1]) <= size
                  : system->friction == FRICTION_FACETS ? polygon_holds(system->facets, size, y[0], y[1])
                                                        : fabs(y[0]) <= size && fabs(y[1]) <= size;
    if (!inside)
        *bound = system->friction == FRICTION_CONE     ? bound_disc(y, size)
                 : system->friction == FRICTION_FACETS ? bound_polygon(y, size, system->facets)
                                                       : bound_square(y, size);
    return inside;
}

/* The tangents t, t + 1 of a point whose normal is row t - 1 of the group: F = (lambda - P(lambda - s r)) / s. */
static void group_tangents(NewtonGroup *group, const RowSystem *system, int t)
{
    const RowBlock *rb = group_block(system, group, t);
    double s = rb->slide_step, normal = rb->lambda[0], y[2];
    bool fixed = system->friction == FRICTION_BOX; /* its size does not follow the normal */
    double size = fixed ? system->contacts[system->packed[group->block[t]]].bound : rb->mu * fmax(normal, 0.0);
    Bound bound;
    for (int i = 0; i < 2; i++)
        y[i] = rb->lambda[i + 1] - s * group->r[t + i];
    if (tangents_bound(system, y, size, &bound)) {
        group_free(group, t);
        group_free(group, t + 1);
        return;
    }
    for (int i = 0; i < 2; i++) {
        group->F[t + i] = (rb->lambda[i + 1] - bound.to[i]) / s;
        group->P[t + i][t - 1] = fixed || normal < 0.0 ? 0.0 : -rb->mu * bound.by_size[i] / s;
        for (int j = 0; j < 2; j++) {
            group->P[t + i][t + j] = ((i == j) - bound.by_y[i][j]) / s;
            group->Q[t + i][t + j] = bound.by_y[i][j];
        }
    }
}

/* A patch's tangents and spin, scaled back together where size = sqrt((sum |y_i|)^2 + (m/arm)^2) is beyond mu N. The
 * last row of the group is the spin. */
static void group_patch(NewtonGroup *group, const RowSystem *system)
{
    int m = group->count - 1, row_of[GROUP_MAX], rows = 0;
    const RowBlock *torsion = group_block(system, group, m);
    double s = torsion->slide_step, arm = torsion->patch_arm, load = 0.0, force = 0.0;
    double y[GROUP_MAX], step[GROUP_MAX], by_y[GROUP_MAX] = {0}; /* d size / d y */
    for (int i = 0; i < m; i++) {
        if (group->row[i] == 0)
            load += group_lambda(system, group, i);
        else
            row_of[rows++] = i;
    }
    row_of[rows++] = m;
    for (int k = 0; k < rows; k++) {
        int i = row_of[k];
        step[k] = i == m ? s * arm * arm : s;
        y[k] = group_lambda(system, group, i) - step[k] * group->r[i];
    }
    for (int k = 0; k + 1 < rows; k += 2)
        force += hypot(y[k], y[k + 1]);
    double size = hypot(force, y[rows - 1] / arm), limit = torsion->mu * fmax(load, 0.0);
    if (size <= limit) {
        for (int k = 0; k < rows; k++)
            group_free(group, row_of[k]);
        return;
    }
    for (int k = 0; k + 1 < rows; k += 2)
        for (int j = 0; j < 2; j++)
            by_y[k + j] = force * y[k + j] / (fmax(hypot(y[k], y[k + 1]), 1e-300) * size);
    by_y[rows - 1] = y[rows - 1] / (arm * arm * size);
    double keep = limit / size;
    for (int k = 0; k < rows; k++) {
        int i = row_of[k];
        group->F[i] = (group_lambda(system, group, i) - keep * y[k]) / step[k];
        group->P[i][i] += 1.0 / step[k];
        for (int l = 0; l < rows; l++) {
            double by = keep * ((k == l) - y[k] * by_y[l] / size) / step[k]; /* d(keep y_k)/d y_l over the step */
            group->P[i][row_of[l]] -= by;
            group->Q[i][row_of[l]] += by * step[l];
        }
        for (int n = 0; n < m && load > 0.0; n++)
            if (group->row[n] == 0)
                group->P[i][n] -= torsion->mu * y[k] / (size * step[k]);
    }
}

void newton_group_linearise(NewtonGroup *group, const RowSystem *system, const Velocity *velocity,
                            const Proximal *proximal, int b)
{
    const RowBlock *rb = &system->blocks[b];
    memset(group, 0, sizeof *group);
    if (rb->count == 0 || (rb->kind == ROWS_CONTACT && rb->slides_with_patch))
        return;
    for (int p = 0; rb->kind == ROWS_TORSION && p < rb->patch.count; p++)
        if (system->blocks[manifold_contact(&rb->patch, p)].count > 0)
            group_add_block(group, system, velocity, proximal, manifold_contact(&rb->patch, p));
    group_add_block(group, system, velocity, proximal, b);
    for (int i = 0; i < group->count; i++) {
        const RowBlock *own = group_block(system, group, i);
        bool friction = own->kind == ROWS_TORSION || (own->kind == ROWS_CONTACT && group->row[i] > 0);
        if (!friction)
            group_bounded(group, system, i);
        else if (rb->kind == ROWS_CONTACT && group->row[i] == 1)
            group_tangents(group, system, i);
    }
    if (rb->kind == ROWS_TORSION)
        group_patch(group, system);
    for (int i = 0; i < group->count; i++) /* dr has lambda's own part, too */
        for (int j = 0; j < group->count; j++)
            group->P[i][j] += group->Q[i][j] * (group_block(system, group, j)->soft[group->row[j]] +
                                                proximal->epsilon * group->diagonal[j]);
}

void newton_group_eliminate(NewtonGroup *group)
{
    small_divide(group->count, GROUP_MAX, group->P[0], group->Q[0], group->F);
}
