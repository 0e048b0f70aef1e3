/* Manifolds side by side: prepared straight into the lanes that a sweep reads, and what else looks at their rows. */
#include "model/cache.h"
#include "solvers/linear/small.h"
#include "solvers/rows/contact_points.h"
#include "solvers/rows/contact_rows.h"

#include <stddef.h>

_Static_assert(sizeof(PointLanes) == QUAD * (sizeof(ContactRow) - offsetof(ContactRow, lambda)),
               "lanes are ContactRow's");

/* A_ij = J_i B_j of the normals of each manifold, as group_prepare of contact_rows.c sums it. */
static ALWAYS_INLINE Double4 normals_couple(const PointLanes *one, const PointLanes *two)
{
    const Double4 *p = one->row[0], *q = two->row[0];
    Double4 sum = LANES4(0.0);
    for (int c = 0; c < 3; c++)
        sum += p[c] * (two->inv_mass[0] * q[c]);
    for (int c = 0; c < 3; c++)
        sum += p[3 + c] * q[9 + c];
    for (int c = 0; c < 3; c++)
        sum += -p[c] * (two->inv_mass[1] * -q[c]);
    for (int c = 0; c < 3; c++)
        sum += p[6 + c] * q[12 + c];
    return sum;
}

typedef struct MatrixLanes {
    Double4 a[MANIFOLD_MAX][MANIFOLD_MAX];
} MatrixLanes;

/* The same for each lane by itself. */
static __attribute__((noinline)) void lanes_invert_in_turn(int count, const MatrixLanes *A, MatrixLanes *inverse)
{
    for (int lane = 0; lane < QUAD; lane++) {
        ManifoldMatrix one, whole;
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++)
                one[i][j] = A->a[i][j][lane];
        manifold_invert(count, one, whole);
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++)
                inverse->a[i][j][lane] = whole[i][j];
    }
}

/* manifold_invert of each lane, as long as no pivot is lost. */
static ALWAYS_INLINE void lanes_invert(int count, const MatrixLanes *A, MatrixLanes *inverse)
{
    MatrixLanes left = *A;
    Double4 diagonal[MANIFOLD_MAX];
    for (int i = 0; i < count; i++) {
        diagonal[i] = left.a[i][i] = left.a[i][i] * (1.0 + MANIFOLD_SOFTENED);
        for (int j = 0; j < count; j++)
            inverse->a[i][j] = LANES4(i == j ? 1.0 : 0.0);
    }
    for (int p = 0; p < count; p++) {
        if (!all_lanes((Mask4)(left.a[p][p] > SMALL_DEPENDENT * diagonal[p]))) {
            lanes_invert_in_turn(count, A, inverse);
            return;
        }
        Double4 scale = 1.0 / left.a[p][p];
        for (int j = 0; j < count; j++) {
            left.a[p][j] *= scale;
            inverse->a[p][j] *= scale;
        }
        for (int i = 0; i < count; i++) {
            Double4 factor = left.a[i][p];
            for (int j = 0; j < count && i != p; j++) {
                left.a[i][j] -= factor * left.a[p][j];
                inverse->a[i][j] -= factor * inverse->a[p][j];
            }
        }
    }
}

/* Columns of w (J B)^-1. */
static ALWAYS_INLINE void quad_invert(const PointLanes *points, int count, double relaxation, InverseLanes *to)
{
    MatrixLanes A, inverse;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++)
            A.a[i][j] = normals_couple(&points[i], &points[j]);
        A.a[i][i] = choose_lanes((Mask4)(points[i].soft > 0.0), A.a[i][i] + points[i].soft, A.a[i][i]);
    }
    lanes_invert(count, &A, &inverse);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            to->column[j][i] = relaxation * inverse.a[i][j];
}

/* Lanes that are no unit's move nothing. */
static void lanes_stop(const QuadUnits *units, PointLanes *points)
{
    for (int n = 0; n < units->count; n++)
        for (int i = units->lanes; i < QUAD; i++)
            points[n].inv_mass[0][i] = points[n].inv_mass[1][i] = 0.0;
}

/* The packed rows of the points in these lanes, filled only for those who look at them. */
static ALWAYS_INLINE void quad_name_rows(RowSystem *system, const RowSetup *setup, const FourPoints *points,
                                         const int at[QUAD], int lanes)
{
    for (int i = 0; i < lanes; i++)
        point_set_names(system, points, i, at[i], BLOCK_MAX_ROWS, true, false);
    if (setup->sweeps_only)
        return;
    points_store(points->lanes, system->contacts, at, lanes);
    for (int i = 0; i < lanes; i++)
        contact_point_unfold(system, at[i], points, i);
}

static ALWAYS_INLINE int quad_prepare(RowSystem *system, const PointSetup *setup, int q)
{
    QuadUnits *units = &system->quads->manifolds.quads[q];
    PointLanes *lanes = &system->quads->points[units->first];
    const ManifoldBlocks *manifold[QUAD];
    FourPoints points;
    for (int i = 0; i < QUAD; i++) {
        manifold[i] = manifold_at(setup->world, setup->rows, units->unit[i]);
        for (int k = 0; k < 2; k++)
            points.body[k][i] = units->body[k][i] = manifold[i]->body[k];
    }
    points_take_bodies(&points, setup);
    units->has_fixed =
        units->lanes < QUAD || any_lane((Mask4)(points.inv_mass[0] == 0.0) | (Mask4)(points.inv_mass[1] == 0.0));
    for (int n = 0; n < units->count; n++) {
        int at[QUAD];
        points.lanes = &lanes[n];
        for (int i = 0; i < QUAD; i++) {
            points_take_block(&points, i, setup->world, manifold_contact(manifold[i], n));
            at[i] = system->first_row[units->unit[i]] + n;
        }
        if (n == 0)
            points_take_manifolds(&points, setup->rows);
        points_prepare(&points, setup, n > 0);
        quad_name_rows(system, setup->rows, &points, at, units->lanes);
    }
    if (setup->rows->manifold && units->count == MANIFOLD_MAX)
        quad_invert(lanes, MANIFOLD_MAX, system->relaxation, &system->quads->inverses[q]);
    else if (setup->rows->manifold && units->count > 1)
        quad_invert(lanes, units->count, system->relaxation, &system->quads->inverses[q]);
    if (units->lanes < QUAD)
        lanes_stop(units, lanes);
    return BLOCK_MAX_ROWS * units->lanes * units->count;
}

/* Quads ahead whose contacts are asked for: they may lie anywhere in a pile, and the processor does not foresee it. */
enum { QUADS_AHEAD = 3 };

static ALWAYS_INLINE void quad_ask(const RowSystem *system, const World *world, const RowSetup *setup, int q)
{
    const QuadUnits *units = &system->quads->manifolds.quads[q];
    for (int i = 0; i < QUAD; i++) {
        const ManifoldBlocks *manifold = manifold_at(world, setup, units->unit[i]);
        for (int n = 0; n < units->count; n++) {
            int contact = manifold_contact(manifold, n);
            cache_ask(&world->blocks[contact], sizeof(Block));
            cache_ask(world_contact_seat(world, contact), sizeof(BlockSeat));
        }
    }
}

WIDE_VERSIONS int contact_quads_prepare(RowSystem *system, const World *world, const RowSetup *setup, int from, int to)
{
    PointSetup points = point_setup(system, world, setup);
    int active = 0;
    for (int q = from; q < to; q++) {
        if (q + QUADS_AHEAD < to)
            quad_ask(system, world, setup, q + QUADS_AHEAD);
        active += quad_prepare(system, &points, q);
    }
    return active;
}

WIDE_VERSIONS long contact_quads_apply(const RowQuads *quads, int from, int to, Velocity *velocity)
{
    for (int q = from; q < to; q++) {
        const QuadUnits *units = &quads->manifolds.quads[q];
        const PointLanes *points = &quads->points[units->first];
        QuadVelocity V;
        quad_gather(units, velocity, &V);
        for (int n = 0; n < units->count; n++)
            for (int r = 0; r < BLOCK_MAX_ROWS; r++)
                quad_push(points[n].inv_mass, points[n].row[r], points[n].row[r] + 9, points[n].lambda[r], &V);
        quad_scatter(units, points->inv_mass, velocity, &V);
    }
    return 0;
}

/* Of a point's two blocks, as contact_row_on_body2 has them: six numbers, as a velocity's. */
static ALWAYS_INLINE void point_impulses(const PointLanes *point, Double4 u[6])
{
    for (int c = 0; c < 3; c++) {
        u[c] = 0.0 + point->lambda[0] * -point->row[0][c];
        u[3 + c] = (0.0 + point->lambda[1] * -point->row[1][c]) + point->lambda[2] * -point->row[2][c];
    }
}

WIDE_VERSIONS void contact_quads_store_impulses(const RowSystem *system, World *world, int from, int to)
{
    for (int q = from; q < to; q++) {
        const QuadUnits *units = &system->quads->manifolds.quads[q];
        for (int n = 0; n < units->count; n++) {
            Velocity nowhere, *at[QUAD];
            Double4 u[6];
            for (int i = 0; i < QUAD; i++) {
                const ContactRow *row = &system->contacts[system->first_row[units->unit[i]] + n];
                at[i] = i < units->lanes ? (Velocity *)&world->block_impulse[row->block] : &nowhere;
            }
            point_impulses(&system->quads->points[units->first + n], u);
            quad_write(u, at);
        }
    }
}

/* Where point n of each unit is packed. */
static void quad_rows(const RowSystem *system, const QuadUnits *units, int n, int at[QUAD])
{
    for (int i = 0; i < QUAD; i++)
        at[i] = system->first_row[units->unit[i]] + n;
}

void contact_quads_copy_back(const RowSystem *system)
{
    for (int q = 0; q < system->quads->manifolds.quad_count; q++) {
        const QuadUnits *units = &system->quads->manifolds.quads[q];
        for (int n = 0; n < units->count; n++) {
            int at[QUAD];
            quad_rows(system, units, n, at);
            points_store(&system->quads->points[units->first + n], system->contacts, at, units->lanes);
        }
    }
}

void contact_quads_take_biases(const RowSystem *system)
{
    for (int q = 0; q < system->quads->manifolds.quad_count; q++) {
        const QuadUnits *units = &system->quads->manifolds.quads[q];
        for (int n = 0; n < units->count; n++) {
            int at[QUAD];
            quad_rows(system, units, n, at);
            for (int i = 0; i < QUAD; i++)
                system->quads->points[units->first + n].bias[i] = system->contacts[at[i]].bias;
        }
    }
}
