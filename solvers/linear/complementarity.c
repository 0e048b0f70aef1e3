#include "solvers/linear/complementarity.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>

/* Variables of a contact's normal, of its two tangents, and of a patch's spin. */
enum { NORMAL_SIZE = 1, TANGENTS_SIZE = 6, TORSION_SIZE = 3, BOUNDED_SIZE = 2 };

int complementarity_size(const World *world)
{
    int size = 0;
    for (int b = 0; b < world->block_count; b++) {
        BlockKind kind = world->blocks[b].kind;
        size += kind == BLOCK_CONTACT    ? NORMAL_SIZE
                : kind == BLOCK_FRICTION ? TANGENTS_SIZE
                : kind == BLOCK_TORSION  ? TORSION_SIZE
                                         : BOUNDED_SIZE * block_row_count(kind);
    }
    return size;
}

static int joint_rows(const World *world)
{
    int rows = 0;
    for (int b = 0; b < world->joint_block_count; b++)
        rows += block_row_count(world->blocks[b].kind);
    return rows;
}

bool complementarity_init(Complementarity *lcp, const World *world)
{
    int joints = joint_rows(world);
    *lcp = (Complementarity){0};
    return dense_init(&lcp->dense, world) && schur_init(&lcp->schur, joints, joints) &&
           complementarity_reserve(lcp, world);
}

static void complementarity_free_arrays(Complementarity *lcp)
{
    free(lcp->rows);
    free(lcp->equality);
    free(lcp->other);
    free(lcp->coupling);
    free(lcp->eliminated);
    free(lcp->reduced);
    free(lcp->lambda);
    free(lcp->free);
    free(lcp->least);
}

bool complementarity_reserve(Complementarity *lcp, const World *world)
{
    if (!dense_reserve(&lcp->dense, world) || !lemke_reserve(&lcp->lemke, complementarity_size(world)))
        return false;
    if (lcp->dense.capacity <= lcp->capacity)
        return true;
    size_t rows = (size_t)lcp->dense.capacity, joints = (size_t)lcp->schur.capacity + 1;
    complementarity_free_arrays(lcp);
    lcp->rows = calloc(rows, sizeof *lcp->rows);
    lcp->equality = calloc(joints, sizeof *lcp->equality);
    lcp->other = calloc(rows, sizeof *lcp->other);
    lcp->coupling = calloc(rows * joints, sizeof *lcp->coupling);
    lcp->eliminated = calloc(rows * joints, sizeof *lcp->eliminated);
    lcp->reduced = calloc(rows * rows, sizeof *lcp->reduced);
    lcp->lambda = calloc(rows, sizeof *lcp->lambda);
    lcp->free = calloc(joints, sizeof *lcp->free);
    lcp->least = calloc(joints, sizeof *lcp->least);
    bool ok = lcp->rows && lcp->equality && lcp->other && lcp->coupling && lcp->eliminated && lcp->reduced &&
              lcp->lambda && lcp->free && lcp->least;
    lcp->capacity = ok ? lcp->dense.capacity : 0;
    return ok;
}

void complementarity_free(Complementarity *lcp)
{
    dense_free(&lcp->dense);
    schur_free(&lcp->schur);
    lemke_free(&lcp->lemke);
    complementarity_free_arrays(lcp);
}

static double dense_at(const Dense *dense, int i, int j)
{
    return dense->A[(size_t)i * (size_t)dense->rows + (size_t)j];
}

static bool row_is_friction(const RowBlock *rb, int i)
{
    return rb->kind == ROWS_TORSION || (rb->kind == ROWS_CONTACT && i > 0);
}

/* Which rows are equalities, and what variables the others have. */
static void complementarity_classify(Complementarity *lcp, const RowSystem *system)
{
    const Dense *dense = &lcp->dense;
    int row = 0, size = 0;
    lcp->equalities = lcp->others = 0;
    for (int b = 0; b < system->count; b++)
        for (int i = 0; i < system->blocks[b].count; i++, row++) {
            double a = dense_at(dense, row, row), lower = dense->lower[row], upper = dense->upper[row];
            bool friction = row_is_friction(&system->blocks[b], i);
            ComplementarityRow *r = &lcp->rows[row];
            *r = (ComplementarityRow){.index = -1, .slack = -1, .sign = 1.0};
            if (!(a > 0.0))
                continue;
            r->scale = 1.0 / sqrt(a);
            r->equality = !friction && isinf(lower) && isinf(upper);
            if (r->equality) {
                r->index = lcp->equalities;
                lcp->equality[lcp->equalities++] = row;
                continue;
            }
            r->index = lcp->others;
            lcp->other[lcp->others++] = row;
            r->first = size;
            r->count = friction ? 2 : 1;
            size += r->count;
            if (!friction) {
                r->sign = isinf(lower) ? -1.0 : 1.0;
                r->offset = isinf(lower) ? upper : lower;
            }
            if (friction || !(isinf(lower) || isinf(upper)))
                r->slack = size++;
        }
    lcp->lemke.count = size;
}

/* coupling = A_bf and eliminated = A_bf A_ff^-1, row by row. */
static void complementarity_eliminate(Complementarity *lcp)
{
    const Dense *dense = &lcp->dense;
    int f = lcp->equalities;
    schur_clear(&lcp->schur, f);
    for (int j = 0; j < f; j++)
        for (int i = j; i < f; i++)
            *schur_at(&lcp->schur, i, j) = dense_at(dense, lcp->equality[i], lcp->equality[j]);
    schur_factor(&lcp->schur);
    for (int k = 0; k < lcp->others; k++) {
        double *coupling = lcp->coupling + (size_t)k * (size_t)f, *x = lcp->eliminated + (size_t)k * (size_t)f;
        for (int j = 0; j < f; j++)
            coupling[j] = dense_at(dense, lcp->other[k], lcp->equality[j]);
        memcpy(x, coupling, sizeof *x * (size_t)f);
        schur_solve(&lcp->schur, x, lcp->least);
    }
}

void complementarity_reduce(Complementarity *lcp, const RowSystem *system, const World *world)
{
    const Dense *dense = &lcp->dense;
    dense_assemble(&lcp->dense, system, world);
    complementarity_classify(lcp, system);
    complementarity_eliminate(lcp);
    int n = lcp->others, f = lcp->equalities;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            lcp->reduced[(size_t)i * (size_t)n + (size_t)j] = dense_at(dense, lcp->other[i], lcp->other[j]);
    if (n > 0 && f > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, f, -1.0, lcp->coupling, f, lcp->eliminated, f, 1.0,
                    lcp->reduced, n);
}

static double *matrix_at(Complementarity *lcp, int i, int j)
{
    return &lcp->lemke.M[(size_t)i * (size_t)lcp->lemke.count + (size_t)j];
}

/* s scale v = s scale (A' lambda - b') of a row's variables, s their sign. */
static void complementarity_fill_row(Complementarity *lcp, const ComplementarityRow *r, double softness)
{
    const double *A = lcp->reduced + (size_t)r->index * (size_t)lcp->others;
    double rate = -lcp->dense.b[lcp->other[r->index]];
    for (int j = 0; j < lcp->equalities; j++)
        rate +=
            lcp->eliminated[(size_t)r->index * (size_t)lcp->equalities + (size_t)j] * lcp->dense.b[lcp->equality[j]];
    for (int k = 0; k < lcp->others; k++) {
        const ComplementarityRow *column = &lcp->rows[lcp->other[k]];
        double scaled = r->sign * column->sign * r->scale * column->scale * A[k];
        rate += A[k] * column->offset;
        for (int i = 0; i < r->count; i++)
            for (int j = 0; j < column->count; j++)
                *matrix_at(lcp, r->first + i, column->first + j) = i == j ? scaled : -scaled;
    }
    for (int i = 0; i < r->count; i++) {
        lcp->lemke.q[r->first + i] = (i == 0 ? 1.0 : -1.0) * r->sign * r->scale * rate;
        *matrix_at(lcp, r->first + i, r->first + i) += softness;
        if (r->slack < 0)
            continue;
        *matrix_at(lcp, r->first + i, r->slack) = 1.0;
        *matrix_at(lcp, r->slack, r->first + i) = -1.0;
    }
    if (r->slack >= 0) /* of two bounds; friction has only what its normals give */
        lcp->lemke.q[r->slack] = r->count == 1 ? (lcp->dense.upper[lcp->other[r->index]] - r->offset) / r->scale : 0.0;
}

/* The bound of a friction row: share times the impulse of this normal row. */
static void complementarity_bind(Complementarity *lcp, int row, int normal, double share)
{
    const ComplementarityRow *r = &lcp->rows[row], *n = &lcp->rows[normal];
    if (r->index >= 0 && n->index >= 0)
        *matrix_at(lcp, r->slack, n->first) = share * n->scale / r->scale;
}

static void complementarity_bind_block(Complementarity *lcp, const RowSystem *system, int b, int row)
{
    const RowBlock *rb = &system->blocks[b];
    if (rb->kind == ROWS_CONTACT)
        for (int i = 1; i < rb->count; i++)
            complementarity_bind(lcp, row + i, row, rb->mu);
    if (rb->kind != ROWS_TORSION)
        return;
    /* A patch's points stand right before it. */
    int normal = row;
    for (int p = rb->patch.count - 1; p >= 0; p--) {
        const RowBlock *point = &system->blocks[manifold_contact(&rb->patch, p)];
        normal -= point->count;
        if (point->count > 0)
            complementarity_bind(lcp, row, normal, rb->mu * rb->patch_arm);
    }
}

/* lambda of all rows from z: the others first, then the equalities, lambda_f = A_ff^-1 (b_f - A_fb lambda_b). */
static void complementarity_store(Complementarity *lcp, RowSystem *system)
{
    double *x = lcp->dense.x;
    for (int i = 0; i < lcp->dense.rows; i++)
        x[i] = 0.0;
    for (int k = 0; k < lcp->others; k++) {
        const ComplementarityRow *r = &lcp->rows[lcp->other[k]];
        const double *z = lcp->lemke.z + r->first;
        x[lcp->other[k]] = lcp->lambda[k] = r->offset + r->sign * r->scale * (r->count == 2 ? z[0] - z[1] : z[0]);
    }
    for (int j = 0; j < lcp->equalities; j++) {
        lcp->free[j] = lcp->dense.b[lcp->equality[j]];
        for (int k = 0; k < lcp->others; k++)
            lcp->free[j] -= lcp->coupling[(size_t)k * (size_t)lcp->equalities + (size_t)j] * lcp->lambda[k];
    }
    schur_solve(&lcp->schur, lcp->free, lcp->least);
    for (int j = 0; j < lcp->equalities; j++)
        x[lcp->equality[j]] = lcp->least[j];
    dense_store(&lcp->dense, system);
}

LemkeEnd complementarity_solve(Complementarity *lcp, RowSystem *system, double softness, double guide)
{
    size_t n = (size_t)lcp->lemke.count;
    for (size_t i = 0; i < n * n; i++)
        lcp->lemke.M[i] = 0.0;
    for (int k = 0; k < lcp->others; k++)
        complementarity_fill_row(lcp, &lcp->rows[lcp->other[k]], softness);
    for (int b = 0, row = 0; b < system->count; row += system->blocks[b++].count)
        complementarity_bind_block(lcp, system, b, row);
    LemkeEnd end = lemke_solve(&lcp->lemke, guide);
    if (end == LEMKE_SOLVED)
        complementarity_store(lcp, system);
    return end;
}
