#include "solvers/rows/contact_rows.h"

#include "solvers/rows/contact_points.h"
#include "solvers/rows/joint_rows.h"
#include "solvers/rows/manifold.h"
#include "solvers/rows/quad.h"
#include "solvers/rows/row_columns.h"

#include <string.h>

/* m_c of the lecture's box bound, the mass that rests on a point: a body's mass divided by its points; between two
 * moving bodies the smaller share counts. */
static double point_mass(const World *world, const int *points_of, const int body[2])
{
    double least = INFINITY;
    for (int k = 0; k < 2; k++)
        if (!world_is_fixed(world, body[k]))
            least = fmin(least, world->mass[body[k]].mass / points_of[body[k]]);
    return isinf(least) ? 0.0 : least;
}

/* The packed points of a torsion block's patch. */
static ContactRow *patch_points(const RowSystem *system, const RowBlock *torsion)
{
    return &system->contacts[system->packed[torsion->patch.first]];
}

static void torsion_prepare(RowBlock *rb, const World *world, const ManifoldBlocks *manifold, RowSystem *system,
                            const RowSetup *setup)
{
    const Block *block = &world->blocks[manifold->torsion];
    Rows rows;
    block_rows(world, block, &rows);
    *rb = (RowBlock){.count = rows.count,
                     .lambda = rb->lambda,
                     .B = rb->B,
                     .kind = ROWS_TORSION,
                     .metres = block_metres(world, BLOCK_TORSION),
                     .mu = block->friction,
                     .patch_arm = 2.0 / 3.0 * block->seat->patch_radius,
                     .patch = *manifold};
    memcpy(rb->body, block->body, sizeof rb->body);
    for (int k = 0; k < 2; k++)
        rb->fixed[k] = world_is_fixed(world, rb->body[k]);
    memcpy(rb->J[0], rows.J[0], sizeof rb->J[0]);
    rb->lower[0] = -INFINITY;
    rb->upper[0] = INFINITY;
    row_block_prepare_masses(rb, system, world);
    /* Torque counts as force at the arm: one step for all, below the inverse of the largest diagonal. */
    double largest = rb->A[0][0] * rb->patch_arm * rb->patch_arm;
    ContactRow *points = patch_points(system, rb);
    for (int i = 0; i < manifold->count; i++)
        largest = fmax(largest, 1.0 / points[i].slide_step);
    rb->slide_step = 1.0 / (largest * manifold->count);
    for (int i = 0; i < manifold->count; i++) {
        points[i].slide_step = rb->slide_step;
        if (!setup->sweeps_only)
            system->blocks[points[i].block].slide_step = rb->slide_step;
    }
    rb->lambda[0] =
        setup->keep * vec3_dot(world->block_impulse[manifold->torsion], vec3(rb->J[0][9], rb->J[0][10], rb->J[0][11]));
}

/* The lecture's bound of each point, once it is known how many points each body has. */
static void box_bounds_prepare(RowSystem *system, const World *world, double h)
{
    double g = vec3_norm(world->gravity);
    int *points_of = system->points_of;
    memset(points_of, 0, sizeof *points_of * (size_t)world->body_count);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < system->contact_count; k++) {
            ContactRow *row = &system->contacts[k];
            if (row->kind != ROWS_CONTACT || row->count == 0)
                continue;
            if (pass == 0)
                for (int i = 0; i < 2; i++)
                    points_of[row->body[i]]++;
            else
                row->bound = world->blocks[row->block].friction * point_mass(world, points_of, row->body) * g * h;
        }
}

/* Lets the points of a manifold be gone through as one. */
static void group_begin(ContactRow *first, int count)
{
    first->group = (signed char)count;
    first->inverse = -1;
    for (int i = 1; i < count; i++)
        first[i].follows = true;
}

/* The packed normals of up to four points, lane j of point j; the last four numbers begin before the others end. */
static ALWAYS_INLINE void normals_side_by_side(const ContactRow *first, int count, Double4 p[CONTACT_ROW_WIDTH])
{
    for (int c = 0; c < CONTACT_ROW_WIDTH; c += MANIFOLD_MAX) {
        int at = c < CONTACT_ROW_WIDTH - MANIFOLD_MAX ? c : CONTACT_ROW_WIDTH - MANIFOLD_MAX;
        for (int j = 0; j < MANIFOLD_MAX; j++)
            p[at + j] = j < count ? LOAD4(first[j].row[0] + at) : LANES4(0.0);
        wide_turn(p + at);
    }
}

/* Lets the normals of a manifold be solved together. A_ij = J_i B_j; lane j belongs to point j. */
static ALWAYS_INLINE void group_prepare(RowSystem *system, ContactRow *first, int count, int inverse)
{
    ManifoldMatrix A, whole;
    Double4 p[CONTACT_ROW_WIDTH], B[ROW_WIDTH], columns[MANIFOLD_MAX];
    normals_side_by_side(first, count, p);
    for (int c = 0; c < 3; c++) {
        B[c] = first->inv_mass[0] * p[c];
        B[3 + c] = p[9 + c];
        B[6 + c] = first->inv_mass[1] * -p[c];
        B[9 + c] = p[12 + c];
    }
    for (int i = 0; i < count; i++) {
        const double *own = first[i].row[0];
        Double4 J[ROW_WIDTH] = {{0.0}}, sum;
        for (int c = 0; c < 3; c++) {
            J[c] = LANES4(own[c]);
            J[3 + c] = LANES4(own[3 + c]);
            J[6 + c] = -J[c];
            J[9 + c] = LANES4(own[6 + c]);
        }
        columns_product(J, B, &sum);
        STORE4(A[i], sum);
        if (first[i].soft > 0.0) /* else the store would hold the inverse up */
            A[i][i] += first[i].soft;
    }
    group_begin(first, count);
    first->inverse = inverse;
    manifold_invert(count, A, whole);
    for (int i = 0; i < MANIFOLD_MAX; i++)
        columns[i] = system->relaxation * LOAD4(whole[i]);
    wide_turn(columns);
    for (int j = 0; j < MANIFOLD_MAX; j++)
        STORE4(system->inverses[inverse][j], columns[j]);
}

/* Manifolds that are prepared together: with one point each, as balls have, they fill the lanes of four. */
enum { TOGETHER = 4, POINTS_TOGETHER = TOGETHER * MANIFOLD_MAX };

/* Lets the points of a manifold be solved as the setup says. */
static WIDE_VERSIONS void manifold_finish(RowSystem *system, int count, int k, const RowSetup *setup)
{
    ContactRow *first = &system->contacts[system->first_row[k]];
    if (count <= 1 || first->count == 0)
        return;
    if (setup->manifold)
        group_prepare(system, first, count, k);
    else if (setup->normals_first)
        group_begin(first, count);
}

void contact_row_set_bias(RowSystem *system, int b, double bias)
{
    system->blocks[b].bias[0] = system->contacts[system->packed[b]].bias = bias;
}

void contact_rows_drop_errors(RowSystem *system, const RowSetup *setup)
{
    RowSetup still = *setup;
    const SoftRows rigid = {0};
    still.rate = 0.0;
    for (int k = 0; k < system->contact_count; k++) {
        const ContactRow *row = &system->contacts[k];
        const RowBlock *rb = &system->blocks[row->block];
        if (row->kind != ROWS_TORSION && row->count > 0)
            contact_row_set_bias(system, row->block, contact_normal_bias(rb->C[0], rb->bounce, &still, &rigid));
    }
    if (system->quads)
        contact_quads_take_biases(system);
}

/* A torsion's packed row only says where it is. */
static ContactRow *torsion_begin(RowSystem *system, int at, int b)
{
    ContactRow *row = &system->contacts[at];
    system->packed[b] = at;
    row->block = b;
    row->kind = ROWS_TORSION;
    row->group = 0;
    row->follows = false;
    row->slide_step = 0.0;
    for (int i = 0; i < BLOCK_MAX_ROWS; i++)
        row->lambda[i] = 0.0;
    return row;
}

static int patch_prepare(RowSystem *system, const World *world, const ManifoldBlocks *manifold, int at,
                         const RowSetup *setup)
{
    int b = manifold->torsion;
    RowBlock *rb = &system->blocks[b];
    double r[BLOCK_MAX_ROWS];
    double *b2 = contact_b2(system, at);
    ContactRow *row = torsion_begin(system, at, b);
    b2[0] = b2[1] = b2[2] = 0.0;
    rb->lambda = row->lambda;
    rb->B = system->B[b];
    rb->count = 0;
    if (!setup->part || setup->part[b])
        torsion_prepare(rb, world, manifold, system, setup);
    row->count = (short)rb->count;
    if (rb->count == 0)
        return 0;
    row_block_residuals(rb, world->velocity, r);
    b2[0] = rb->metres * r[0] * (rb->metres * r[0]);
    return rb->count;
}

void contact_rows_place(RowSystem *system, const World *world, const RowSetup *setup)
{
    int at = 0;
    system->contact_count = 0;
    if (world->manifold_count == 0)
        return;
    for (int k = 0; k < world->manifold_count; k++) {
        const ManifoldBlocks *manifold = manifold_at(world, setup, k);
        system->first_row[k] = at;
        at += manifold->count + (manifold->torsion >= 0);
    }
    system->first_row[world->manifold_count] = system->contact_count = at;
}

int contact_rows_prepare(RowSystem *system, const World *world, const RowSetup *setup, const int *units, int from,
                         int to)
{
    PointSetup points = point_setup(system, world, setup);
    int active = 0;
    for (int k = from; k < to; k += TOGETHER) {
        int end = k + TOGETHER < to ? k + TOGETHER : to, count = 0;
        PointPlace places[POINTS_TOGETHER];
        for (int u = k; u < end; u++) {
            int m = units ? units[u] : u;
            const ManifoldBlocks *manifold = manifold_at(world, setup, m);
            for (int i = 0; i < manifold->count; i++)
                places[count++] = (PointPlace){manifold_contact(manifold, i), system->first_row[m] + i};
        }
        active += contact_points_prepare(system, &points, places, count);
        for (int u = k; u < end; u++) {
            int m = units ? units[u] : u;
            const ManifoldBlocks *manifold = manifold_at(world, setup, m);
            manifold_finish(system, manifold->count, m, setup);
            if (manifold->torsion >= 0)
                active += patch_prepare(system, world, manifold, system->first_row[m] + manifold->count, setup);
        }
    }
    return active;
}

void contact_rows_finish(RowSystem *system, const World *world, const RowSetup *setup)
{
    if (setup->friction == FRICTION_BOX)
        box_bounds_prepare(system, world, setup->h);
}
