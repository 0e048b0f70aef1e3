/* SPDX-License-Identifier: MIT */
#include "bench/frozen/friction_law.h"

#include "solvers/contact/polygon.h"

#include <math.h>
#include <string.h>

/* A contact's normal: F = r - max(r - u / w, 0). */
static void law_normal(NewtonGroup *group, int a, double w, double r, double u)
{
    if (r - u / w >= 0.0) {
        newton_group_free_row(group, a, w, u);
    } else {
        group->F[a] = r;
        group->P[a][a] = w;
    }
}

/* What the bound of two tangents does to y: P(y), its derivative by y, and by the bound's size. */
typedef struct Bound {
    double to[2], by_y[2][2], by_size[2];
} Bound;

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

/* A point with a polygon, a square or the lecture's box, whose size does not follow the normal. */
static void law_point(const RowSystem *rows, int b, double w, const double *r, const double *u, NewtonGroup *group)
{
    bool polygon = rows->friction == FRICTION_FACETS, fixed = rows->friction == FRICTION_BOX;
    double size = fixed ? rows->contacts[rows->packed[b]].bound : rows->blocks[b].mu * fmax(r[0], 0.0);
    law_normal(group, 0, w, r[0], u[0]);
    if (group->count < 3)
        return;
    double y[2] = {r[1] - u[1] / w, r[2] - u[2] / w};
    if (polygon ? polygon_holds(rows->facets, size, y[0], y[1]) : fabs(y[0]) <= size && fabs(y[1]) <= size) {
        newton_group_free_row(group, 1, w, u[1]);
        newton_group_free_row(group, 2, w, u[2]);
        return;
    }
    Bound bound = polygon ? bound_polygon(y, size, rows->facets) : bound_square(y, size);
    for (int i = 0; i < 2; i++) {
        group->F[1 + i] = r[1 + i] - bound.to[i];
        group->P[1 + i][0] = fixed || r[0] < 0.0 ? 0.0 : -w * rows->blocks[b].mu * bound.by_size[i];
        for (int j = 0; j < 2; j++) {
            group->P[1 + i][1 + j] = w * ((i == j) - bound.by_y[i][j]);
            group->Q[1 + i][1 + j] = bound.by_y[i][j];
        }
    }
}

/* Which block of the assembly the world's block b is; -1: an inactive one. They are in order. */
static int law_find(const ConeAssembly *assembly, int b)
{
    int low = 0, high = assembly->system.count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (assembly->of[middle] < b)
            low = middle + 1;
        else
            high = middle;
    }
    return low < assembly->system.count && assembly->of[low] == b ? low : -1;
}

/* A patch's points, then its spin. */
static void patch_list(const RowsLaw *law, const ConeSystem *system, int i, NewtonGroup *group)
{
    const RowBlock *torsion = &law->rows->blocks[law->assembly->of[i]];
    memset(group, 0, sizeof *group);
    for (int p = 0; p <= torsion->patch.count; p++) {
        int block = p < torsion->patch.count ? law_find(law->assembly, manifold_contact(&torsion->patch, p)) : i;
        for (int a = 0; block >= 0 && a < system->blocks[block].size; a++, group->count++) {
            group->block[group->count] = block;
            group->row[group->count] = system->blocks[block].first + a;
        }
    }
}

/* A patch's tangents and spin, scaled back together where size = sqrt((sum |y_i|)^2 + (m/arm)^2) is beyond mu N. The
 * last row of the group is the spin; in the system's units its arm is a number. */
static void law_patch(const RowsLaw *law, const ConeSystem *system, int i, const double *r, const double *u,
                      NewtonGroup *group)
{
    const RowBlock *torsion = &law->rows->blocks[law->assembly->of[i]];
    patch_list(law, system, i, group);
    int m = group->count - 1, row_of[NEWTON_GROUP_MAX], rows = 0;
    double s = torsion->slide_step, arm = torsion->patch_arm / torsion->metres, load = 0.0, force = 0.0;
    double y[NEWTON_GROUP_MAX], step[NEWTON_GROUP_MAX], by_y[NEWTON_GROUP_MAX] = {0}; /* d size / d y */
    bool normal[NEWTON_GROUP_MAX];
    for (int a = 0; a <= m; a++) {
        int at = group->row[a], block = group->block[a];
        normal[a] = a < m && at == system->blocks[block].first;
        if (normal[a]) {
            load += r[at];
            law_normal(group, a, cone_block_weight(system, block), r[at], u[at]);
            continue;
        }
        step[rows] = a == m ? s * arm * arm : s;
        y[rows] = r[at] - step[rows] * u[at];
        row_of[rows++] = a;
    }
    for (int k = 0; k + 1 < rows; k += 2)
        force += hypot(y[k], y[k + 1]);
    double size = hypot(force, y[rows - 1] / arm), limit = torsion->mu * fmax(load, 0.0), keep = limit / size;
    for (int k = 0; k + 1 < rows; k += 2)
        for (int j = 0; j < 2; j++)
            by_y[k + j] = force * y[k + j] / (fmax(hypot(y[k], y[k + 1]), 1e-300) * size);
    by_y[rows - 1] = y[rows - 1] / (arm * arm * size);
    for (int k = 0; k < rows; k++) {
        int a = row_of[k];
        double w = cone_block_weight(system, group->block[a]), lambda = r[group->row[a]];
        if (size <= limit) {
            newton_group_free_row(group, a, w, u[group->row[a]]);
            continue;
        }
        group->F[a] = (lambda - keep * y[k]) / (step[k] * w);
        group->P[a][a] += 1.0 / step[k];
        for (int l = 0; l < rows; l++) {
            double by = keep * ((k == l) - y[k] * by_y[l] / size) / step[k]; /* d(keep y_k)/d y_l over the step */
            group->P[a][row_of[l]] -= by;
            group->Q[a][row_of[l]] += by * step[l];
        }
        for (int n = 0; n < m && load > 0.0; n++)
            if (normal[n])
                group->P[a][n] -= torsion->mu * y[k] / (size * step[k]);
    }
}

static void law_linearise(const NewtonLaw *self, const ConeSystem *system, int i, const double *r, const double *u,
                          NewtonGroup *group)
{
    const RowsLaw *law = (const RowsLaw *)self;
    int b = law->assembly->of[i], first = system->blocks[i].first;
    const RowBlock *rb = &law->rows->blocks[b];
    if (rb->kind == ROWS_TORSION)
        law_patch(law, system, i, r, u, group);
    else if (rb->kind == ROWS_CONTACT && rb->slides_with_patch)
        group->count = 0;
    else if (rb->kind == ROWS_CONTACT && law->rows->friction != FRICTION_CONE)
        law_point(law->rows, b, newton_group_begin(group, system, i), r + first, u + first, group);
    else
        newton_coulomb.linearise(self, system, i, r, u, group);
}

RowsLaw friction_law(const RowSystem *rows, const ConeAssembly *assembly)
{
    return (RowsLaw){{law_linearise}, rows, assembly};
}
