/* SPDX-License-Identifier: MIT */
#include "solvers/systems/complementarity.h"
#include "solvers/contact/polygon.h"

#include <cblas.h>
#include <string.h>

/* Variables of a contact's normal, of a patch's spin, and of a row with two bounds; friction: its facets and a slack.
 */
enum { NORMAL_SIZE = 1, TORSION_SIZE = 3, BOUNDED_SIZE = 2 };

/* Swept friction this close to its bound, as a share, is taken to be at it. */
static const double SWEPT_TO_BOUND = 1e-6;
/* Guesses of which contacts are open; then all have friction in the problem. */
enum { GUESSES = 4 };

/* A joint's block whose rows may have bounds. */
static bool block_may_be_bounded(const Block *block)
{
    return block_is_limit(block) || isfinite(block_terms(block)->max_force);
}

int complementarity_size(const World *world, int facets, EliminationForm form)
{
    int size = 0;
    for (int b = 0; b < world->block_count; b++) {
        BlockKind kind = world->blocks[b].kind;
        if (form == ELIMINATE_SPARSE && b < world->joint_block_count && !block_may_be_bounded(&world->blocks[b]))
            continue;
        size += kind == BLOCK_CONTACT    ? NORMAL_SIZE
                : kind == BLOCK_FRICTION ? facets + 1
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

bool complementarity_init(Complementarity *lcp, const World *world, int facets, EliminationForm form)
{
    *lcp = (Complementarity){.facets = facets, .form = form};
    if (form == ELIMINATE_SPARSE)
        return dense_init_rows(&lcp->dense, world) && joint_elimination_init(&lcp->joints, world) &&
               complementarity_reserve(lcp, world);
    int joints = joint_rows(world);
    return dense_init(&lcp->dense, world) && schur_init(&lcp->schur, joints, joints) &&
           complementarity_reserve(lcp, world);
}

/* Others are rows that have a variable: sparse, there are far fewer than rows. */
bool complementarity_reserve(Complementarity *lcp, const World *world)
{
    int size = complementarity_size(world, lcp->facets, lcp->form);
    if (!dense_reserve(&lcp->dense, world) || !lemke_reserve(&lcp->lemke, size))
        return false;
    if (lcp->dense.capacity <= lcp->capacity && size <= lcp->variable_capacity)
        return true;
    size_t rows = (size_t)lcp->dense.capacity, joints = (size_t)lcp->schur.capacity + 1;
    size_t others = lcp->form == ELIMINATE_SPARSE && (size_t)size + 1 < rows ? (size_t)size + 1 : rows;
    Arrays *own = &lcp->arrays;
    arrays_free(own);
    bool ok = OWN_ARRAY(own, lcp->variables, (size_t)size + 1) && OWN_ARRAY(own, lcp->rows, rows) &&
              OWN_ARRAY(own, lcp->equality, rows) && OWN_ARRAY(own, lcp->other, rows) &&
              OWN_ARRAY(own, lcp->diagonal, rows) && OWN_ARRAY(own, lcp->coupling, others * joints) &&
              OWN_ARRAY(own, lcp->eliminated, others * joints) && OWN_ARRAY(own, lcp->reduced, others * others) &&
              OWN_ARRAY(own, lcp->lambda, others) && OWN_ARRAY(own, lcp->rest, others) &&
              OWN_ARRAY(own, lcp->rate, others) && OWN_ARRAY(own, lcp->acts, others) &&
              OWN_ARRAY(own, lcp->known, rows) && OWN_ARRAY(own, lcp->free, joints) &&
              OWN_ARRAY(own, lcp->least, joints);
    lcp->capacity = ok ? lcp->dense.capacity : 0;
    lcp->variable_capacity = ok ? size : 0;
    return ok;
}

void complementarity_free(Complementarity *lcp)
{
    dense_free(&lcp->dense);
    schur_free(&lcp->schur);
    joint_elimination_free(&lcp->joints);
    lemke_free(&lcp->lemke);
    arrays_free(&lcp->arrays);
}

bool complementarity_is_deficient(const Complementarity *lcp)
{
    return lcp->form == ELIMINATE_DENSE ? lcp->schur.deficient : lcp->joints.solve.redundant;
}

int complementarity_pivoted_rows(const Complementarity *lcp)
{
    return lcp->form == ELIMINATE_DENSE ? lcp->dense.rows : lcp->others;
}

long long complementarity_eliminated_rows(const Complementarity *lcp)
{
    return lcp->form == ELIMINATE_DENSE ? lcp->equalities : (lcp->others + 2LL) * lcp->equalities;
}

static double dense_at(const Dense *dense, int i, int j)
{
    return dense->A[(size_t)i * (size_t)dense->rows + (size_t)j];
}

/* The next variable: one of row `index` among the others, or a slack. */
static ComplementarityVariable *variable_add(Complementarity *lcp, double scale, int slack)
{
    ComplementarityVariable *variable = &lcp->variables[lcp->lemke.count++];
    *variable = (ComplementarityVariable){.scale = scale, .slack = slack};
    lcp->lemke.guess[lcp->lemke.count - 1] = false;
    return variable;
}

static void variable_give(ComplementarityVariable *variable, int index, double weight)
{
    variable->row[variable->count] = index;
    variable->weight[variable->count++] = weight * variable->scale;
}

/* A row that is bounded by itself. */
static void classify_bounded(Complementarity *lcp, int row, double scale)
{
    double lower = lcp->dense.lower[row], upper = lcp->dense.upper[row];
    ComplementarityRow *r = &lcp->rows[row];
    bool two = !isinf(lower) && !isinf(upper);
    r->offset = isinf(lower) ? upper : lower;
    r->variable = lcp->lemke.count;
    variable_give(variable_add(lcp, scale, two ? r->variable + 1 : -1), r->index, isinf(lower) ? -1.0 : 1.0);
    if (two)
        variable_add(lcp, scale, -1);
    lcp->lemke.guess[r->variable] = lcp->guessed && lcp->known[row] != r->offset;
    if (two)
        lcp->lemke.guess[r->variable + 1] = lcp->guessed && lcp->known[row] == upper;
}

/* The two corners of the polygon that swept friction lies between, and whether it is at its bound. */
static void guess_friction(Complementarity *lcp, int first, int count, const double *swept, double bound)
{
    double wide = 2.0 * PI / count, n[2];
    bool *guess = lcp->lemke.guess + first;
    int corner = ((int)floor(atan2(swept[1], swept[0]) / wide) + count) % count;
    polygon_facet(count, swept[0], swept[1], n);
    guess[corner] = guess[(corner + 1) % count] = true;
    guess[count] = n[0] * swept[0] + n[1] * swept[1] >= (1.0 - SWEPT_TO_BOUND) * bound * cos(PI / count);
}

/* Friction: its directions, then the slack that bounds their sum. Tangents are aligned with the slip (RowSetup): the
 * first corner of the polygon lies on it. */
static void classify_friction(Complementarity *lcp, int row, int tangents, double scale, double bound)
{
    int first = lcp->lemke.count, count = tangents == 2 ? lcp->facets : 2;
    for (int j = 0; j < count; j++) {
        ComplementarityVariable *variable = variable_add(lcp, scale, first + count);
        double angle = 2.0 * PI * j / count;
        variable_give(variable, lcp->rows[row].index, tangents == 2 ? cos(angle) : 1.0 - 2.0 * j);
        if (tangents == 2)
            variable_give(variable, lcp->rows[row + 1].index, sin(angle));
    }
    for (int t = 0; t < tangents; t++)
        lcp->rows[row + t].variable = first + count; /* the slack, which normals bind */
    variable_add(lcp, scale, -1);
    if (tangents == 2)
        lcp->lemke.fans[lcp->lemke.fan_count++] = (LemkeFan){first, count};
    if (lcp->guessed && tangents == 2)
        guess_friction(lcp, first, count, lcp->known + row, bound);
}

/* Numbers a row among the equalities or the others; false: nothing moves. */
static bool classify_row(Complementarity *lcp, int row, bool friction)
{
    ComplementarityRow *r = &lcp->rows[row];
    *r = (ComplementarityRow){.index = -1, .variable = -1};
    if (!(lcp->diagonal[row] > 0.0))
        return false;
    r->equality = !friction && isinf(lcp->dense.lower[row]) && isinf(lcp->dense.upper[row]);
    if (r->equality)
        lcp->equality[r->index = lcp->equalities++] = row;
    else
        lcp->other[r->index = lcp->others++] = row;
    return true;
}

/* Which rows are equalities, and what variables the others have. */
static void complementarity_classify(Complementarity *lcp, const RowSystem *system)
{
    lcp->equalities = lcp->others = lcp->lemke.count = lcp->lemke.fan_count = 0;
    lcp->lemke.guessed = lcp->guessed;
    for (int b = 0, row = 0; b < system->count; row += system->blocks[b++].count) {
        const RowBlock *rb = &system->blocks[b];
        int bounded = rb->kind == ROWS_TORSION ? 0 : rb->kind == ROWS_CONTACT ? 1 : rb->count;
        for (int i = 0; i < bounded && i < rb->count; i++)
            if (classify_row(lcp, row + i, false) && !lcp->rows[row + i].equality)
                classify_bounded(lcp, row + i, 1.0 / sqrt(lcp->diagonal[row + i]));
        int tangents = rb->count - bounded;
        bool moves = tangents > 0;
        double diagonal = 0.0;
        for (int t = 0; t < tangents; t++) {
            moves = classify_row(lcp, row + bounded + t, true) && moves;
            diagonal += lcp->diagonal[row + bounded + t] / tangents;
        }
        bool open = lcp->guessed && rb->kind == ROWS_CONTACT && lcp->known[row] == 0.0;
        if (moves && !open)
            classify_friction(lcp, row + bounded, tangents, 1.0 / sqrt(diagonal),
                              lcp->guessed ? rb->mu * lcp->known[row] : 0.0);
    }
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

/* Dense: A' = A_bb - A_bf A_ff^-1 A_fb, and -b' = A_bf A_ff^-1 b_f - b_b. */
static void complementarity_reduce_dense(Complementarity *lcp)
{
    const Dense *dense = &lcp->dense;
    int n = lcp->others, f = lcp->equalities;
    complementarity_eliminate(lcp);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            lcp->reduced[(size_t)i * (size_t)n + (size_t)j] = dense_at(dense, lcp->other[i], lcp->other[j]);
    if (n > 0 && f > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, f, -1.0, lcp->coupling, f, lcp->eliminated, f, 1.0,
                    lcp->reduced, n);
    for (int i = 0; i < n; i++) {
        const double *eliminated = lcp->eliminated + (size_t)i * (size_t)f;
        lcp->rest[i] = -dense->b[lcp->other[i]];
        for (int j = 0; j < f; j++)
            lcp->rest[i] += eliminated[j] * dense->b[lcp->equality[j]];
    }
}

/* J V of the others, `pitch` numbers apart; + bias. */
static void complementarity_rates_of_others(const Complementarity *lcp, const RowSystem *system,
                                            const Velocity *velocity, bool biased, double *rate, size_t pitch)
{
    for (int b = 0, row = 0; b < system->count; row += system->blocks[b++].count) {
        const RowBlock *rb = &system->blocks[b];
        double rates[BLOCK_MAX_ROWS];
        if (rb->count > 0)
            row_block_rates(rb, velocity, rates);
        for (int i = 0; i < rb->count; i++)
            if (lcp->rows[row + i].index >= 0 && !lcp->rows[row + i].equality)
                rate[(size_t)lcp->rows[row + i].index * pitch] = rates[i] + (biased ? rb->bias[i] : 0.0);
    }
}

/* Sparse: a column of A' is what the joints leave of a unit impulse. */
static void complementarity_reduce_sparse(Complementarity *lcp, RowSystem *system, const World *world)
{
    size_t n = (size_t)lcp->others;
    joint_elimination_factor(&lcp->joints, world, system);
    complementarity_rates_of_others(lcp, system, joint_elimination_rest(&lcp->joints, world, system), true, lcp->rest,
                                    1);
    joint_elimination_begin_columns(&lcp->joints, system);
    for (int b = 0, row = 0; b < system->count; row += system->blocks[b++].count)
        for (int i = 0; i < system->blocks[b].count; i++) {
            const ComplementarityRow *r = &lcp->rows[row + i];
            if (r->index < 0 || r->equality)
                continue;
            complementarity_rates_of_others(lcp, system, joint_elimination_column(&lcp->joints, world, system, b, i),
                                            false, lcp->reduced + r->index, n);
            lcp->reduced[(size_t)r->index * (n + 1)] += system->blocks[b].soft[i];
        }
    joint_elimination_end_columns(&lcp->joints, system);
}

void complementarity_reduce(Complementarity *lcp, RowSystem *system, const World *world, const double *guess)
{
    bool dense = lcp->form == ELIMINATE_DENSE;
    if (dense)
        dense_assemble(&lcp->dense, system, world);
    else
        dense_gather(&lcp->dense, system, world);
    for (int b = 0, row = 0; b < system->count; b++)
        for (int i = 0; i < system->blocks[b].count; i++, row++)
            lcp->diagonal[row] = dense ? dense_at(&lcp->dense, row, row) : system->blocks[b].A[i][i];
    lcp->guessed = guess;
    if (guess)
        memcpy(lcp->known, guess, sizeof *guess * (size_t)lcp->dense.rows);
    complementarity_classify(lcp, system);
    if (dense)
        complementarity_reduce_dense(lcp);
    else
        complementarity_reduce_sparse(lcp, system, world);
}

static double *matrix_at(Complementarity *lcp, int i, int j)
{
    return &lcp->lemke.M[(size_t)i * (size_t)lcp->lemke.count + (size_t)j];
}

/* A' offset - b' of the others: v at z = 0. */
static void complementarity_rates(Complementarity *lcp)
{
    for (int i = 0; i < lcp->others; i++) {
        const double *A = lcp->reduced + (size_t)i * (size_t)lcp->others;
        lcp->rate[i] = lcp->rest[i];
        for (int k = 0; k < lcp->others; k++)
            lcp->rate[i] += A[k] * lcp->rows[lcp->other[k]].offset;
    }
}

/* w_p = weights . v, v = A' (offset + sum of weights z) - b'. A row of M is the weighted rows of A' times all weights.
 */
static void complementarity_fill_variable(Complementarity *lcp, int p, double softness)
{
    const ComplementarityVariable *variable = &lcp->variables[p];
    double *acts = lcp->acts, *M = matrix_at(lcp, p, 0);
    memset(acts, 0, sizeof *acts * (size_t)lcp->others);
    lcp->lemke.q[p] = 0.0;
    for (int i = 0; i < variable->count; i++) {
        lcp->lemke.q[p] += variable->weight[i] * lcp->rate[variable->row[i]];
        cblas_daxpy(lcp->others, variable->weight[i], lcp->reduced + (size_t)variable->row[i] * (size_t)lcp->others, 1,
                    acts, 1);
    }
    for (int q = 0; q < lcp->lemke.count; q++) {
        const ComplementarityVariable *other = &lcp->variables[q];
        M[q] = 0.0;
        for (int j = 0; j < other->count; j++)
            M[q] += acts[other->row[j]] * other->weight[j];
    }
    M[p] += variable->count > 0 ? softness : 0.0;
}

/* A slack enters the rates of what it bounds, and they take from its room. */
static void complementarity_fill_slacks(Complementarity *lcp)
{
    for (int p = 0; p < lcp->lemke.count; p++)
        if (lcp->variables[p].slack >= 0) {
            *matrix_at(lcp, p, lcp->variables[p].slack) = 1.0;
            *matrix_at(lcp, lcp->variables[p].slack, p) = -1.0;
        }
}

/* The room between two bounds, to its slack; friction has only what its normals give. */
static void complementarity_fill_rooms(Complementarity *lcp)
{
    for (int k = 0; k < lcp->others; k++) {
        int first = lcp->rows[lcp->other[k]].variable;
        double upper = lcp->dense.upper[lcp->other[k]], lower = lcp->dense.lower[lcp->other[k]];
        if (first >= 0 && !isinf(upper) && !isinf(lower))
            lcp->lemke.q[lcp->variables[first].slack] = (upper - lower) / lcp->variables[first].scale;
    }
}

/* The bound of friction, whose first row this is: share times the impulse of this normal row. */
static void complementarity_bind(Complementarity *lcp, int row, int normal, double share)
{
    const ComplementarityRow *r = &lcp->rows[row], *n = &lcp->rows[normal];
    if (r->variable >= 0 && n->variable >= 0)
        *matrix_at(lcp, r->variable, n->variable) =
            share * lcp->variables[n->variable].scale / lcp->variables[r->variable].scale;
}

static void complementarity_bind_block(Complementarity *lcp, const RowSystem *system, int b, int row)
{
    const RowBlock *rb = &system->blocks[b];
    if (rb->kind == ROWS_CONTACT)
        complementarity_bind(lcp, row + 1, row, rb->mu);
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

/* lambda_f = A_ff^-1 (b_f - A_fb lambda_b). */
static void complementarity_store_equalities(Complementarity *lcp)
{
    for (int j = 0; j < lcp->equalities; j++) {
        lcp->free[j] = lcp->dense.b[lcp->equality[j]];
        for (int k = 0; k < lcp->others; k++)
            lcp->free[j] -= lcp->coupling[(size_t)k * (size_t)lcp->equalities + (size_t)j] * lcp->lambda[k];
    }
    schur_solve(&lcp->schur, lcp->free, lcp->least);
    for (int j = 0; j < lcp->equalities; j++)
        lcp->dense.x[lcp->equality[j]] = lcp->least[j];
}

/* lambda of all rows from z: the others first, then, dense, the equalities. */
static void complementarity_store(Complementarity *lcp)
{
    double *x = lcp->dense.x;
    for (int i = 0; i < lcp->dense.rows; i++)
        x[i] = 0.0;
    for (int k = 0; k < lcp->others; k++)
        lcp->lambda[k] = lcp->rows[lcp->other[k]].offset;
    for (int p = 0; p < lcp->lemke.count; p++)
        for (int i = 0; i < lcp->variables[p].count; i++)
            lcp->lambda[lcp->variables[p].row[i]] += lcp->variables[p].weight[i] * lcp->lemke.z[p];
    for (int k = 0; k < lcp->others; k++)
        x[lcp->other[k]] = lcp->lambda[k];
    if (lcp->form == ELIMINATE_DENSE)
        complementarity_store_equalities(lcp);
}

/* A contact that was thought open, and so has no friction in the problem, pushes: then the solution is the better
 * guess. */
static bool complementarity_was_wrong(Complementarity *lcp, const RowSystem *system)
{
    bool wrong = false;
    for (int b = 0, row = 0; lcp->guessed && b < system->count; row += system->blocks[b++].count)
        if (system->blocks[b].kind == ROWS_CONTACT && system->blocks[b].count > 1 && lcp->known[row] == 0.0)
            wrong = wrong || lcp->dense.x[row] > 0.0;
    return wrong;
}

static LemkeEnd complementarity_attempt(Complementarity *lcp, const RowSystem *system, double softness, double guide)
{
    complementarity_rates(lcp);
    for (int p = 0; p < lcp->lemke.count; p++)
        complementarity_fill_variable(lcp, p, softness);
    complementarity_fill_slacks(lcp);
    complementarity_fill_rooms(lcp);
    for (int b = 0, row = 0; b < system->count; row += system->blocks[b++].count)
        complementarity_bind_block(lcp, system, b, row);
    LemkeEnd end = lemke_solve(&lcp->lemke, guide);
    if (end == LEMKE_SOLVED)
        complementarity_store(lcp);
    return end;
}

LemkeEnd complementarity_solve(Complementarity *lcp, RowSystem *system, const World *world, double softness,
                               double guide)
{
    LemkeEnd end = complementarity_attempt(lcp, system, softness, guide);
    for (int again = 0; end == LEMKE_SOLVED && complementarity_was_wrong(lcp, system); again++) {
        lcp->guessed = again < GUESSES;
        memcpy(lcp->known, lcp->dense.x, sizeof *lcp->known * (size_t)lcp->dense.rows);
        complementarity_classify(lcp, system);
        long pivots = lcp->lemke.pivots;
        end = complementarity_attempt(lcp, system, softness, guide);
        lcp->lemke.pivots += pivots;
    }
    if (end != LEMKE_SOLVED)
        return end;
    dense_store(&lcp->dense, system);
    if (lcp->form == ELIMINATE_SPARSE)
        joint_elimination_finish(&lcp->joints, world, system);
    return end;
}
