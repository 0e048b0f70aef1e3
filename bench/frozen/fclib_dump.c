/* SPDX-License-Identifier: MIT */
#include "bench/frozen/fclib_dump.h"

#include "bench/files/write_file.h"
#include "bench/problems/fclib_kinds.h"
#include "solvers/systems/dense.h"

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPACE_DIMENSION = 3 };

/* m/s: an idle contact opens. */
static const double IDLE_SPEED = 1.0;

/* Where a row of ours stands in FCLIB's problem. */
typedef struct Place {
    bool contact; /* among the triples; else an equality */
    int at;
    double sign; /* -1: a limit with lambda <= 0, turned round */
} Place;

typedef struct FclibProblem {
    int contacts, equalities, rows;
    Place *places;              /* of our rows */
    int *contact_row, *tie_row; /* our row at each place among the triples and the equalities; -1: none of ours */
    int *kinds;                 /* FclibKind of each contact */
    double *mu;
    Dense dense; /* A and b, rows in our order */
} FclibProblem;

static void problem_free(FclibProblem *problem)
{
    free(problem->places);
    free(problem->contact_row);
    free(problem->tie_row);
    free(problem->kinds);
    free(problem->mu);
    dense_free(&problem->dense);
}

static bool place_block(FclibProblem *problem, const RowBlock *rb, int row, Status *status)
{
    if (rb->kind == ROWS_TORSION)
        return status_set(status, STATUS_UNSUPPORTED, "FCLIB's problem has no place for torsional friction");
    for (int i = 0; i < rb->count; i++) {
        Place *place = &problem->places[row + i];
        bool tangent = rb->kind == ROWS_CONTACT && i > 0;
        bool free_row = isinf(rb->lower[i]) && isinf(rb->upper[i]) && rb->kind != ROWS_CONTACT;
        bool up = rb->lower[i] == 0.0 && isinf(rb->upper[i]), down = rb->upper[i] == 0.0 && isinf(rb->lower[i]);
        if (free_row) {
            *place = (Place){false, problem->equalities++, 1.0};
        } else if (tangent) {
            *place = (Place){true, SPACE_DIMENSION * (problem->contacts - 1) + i, 1.0};
        } else if (up || down) {
            *place = (Place){true, SPACE_DIMENSION * problem->contacts, up ? 1.0 : -1.0};
            problem->kinds[problem->contacts] = rb->kind == ROWS_CONTACT ? FCLIB_CONTACT : FCLIB_LIMIT;
            problem->mu[problem->contacts++] = rb->kind == ROWS_CONTACT ? rb->mu : 0.0;
        } else {
            return status_set(status, STATUS_UNSUPPORTED, "FCLIB's problem has no place for a drive with a bound");
        }
    }
    return true;
}

/* Which row of ours stands where. */
static void problem_invert(FclibProblem *problem)
{
    for (int i = 0; i < SPACE_DIMENSION * problem->contacts; i++)
        problem->contact_row[i] = -1;
    for (int i = 0; i < problem->rows; i++)
        (problem->places[i].contact ? problem->contact_row : problem->tie_row)[problem->places[i].at] = i;
}

static bool problem_init(FclibProblem *problem, const FrozenSystem *frozen, Status *status)
{
    const RowSystem *system = &frozen->system;
    size_t rows = (size_t)system->rows + 1;
    *problem = (FclibProblem){.rows = system->rows};
    if (!row_count_fits_dense(frozen->world, "solve --dump", status))
        return false;
    problem->places = calloc(rows, sizeof *problem->places);
    problem->mu = calloc(rows, sizeof *problem->mu);
    problem->kinds = calloc(rows, sizeof *problem->kinds);
    problem->contact_row = calloc(SPACE_DIMENSION * rows, sizeof *problem->contact_row);
    problem->tie_row = calloc(rows, sizeof *problem->tie_row);
    if (!problem->places || !problem->mu || !problem->kinds || !problem->contact_row || !problem->tie_row ||
        !dense_init(&problem->dense, frozen->world))
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int b = 0, row = 0; b < system->count; row += system->blocks[b++].count)
        if (!place_block(problem, &system->blocks[b], row, status))
            return false;
    if (problem->contacts == 0)
        problem->kinds[problem->contacts++] = FCLIB_IDLE;
    problem_invert(problem);
    dense_assemble(&problem->dense, system, frozen->world);
    return true;
}

/* A dataset of one dimension. */
static bool put_array(hid_t group, const char *name, hid_t type, size_t count, const void *data)
{
    hsize_t size = count;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t dataset = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = dataset >= 0 && (count == 0 || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    if (dataset >= 0)
        ok = H5Dclose(dataset) >= 0 && ok;
    H5Sclose(space);
    return ok;
}

static bool put_doubles(hid_t group, const char *name, size_t count, const double *data)
{
    return put_array(group, name, H5T_NATIVE_DOUBLE, count, data);
}

static bool put_int(hid_t group, const char *name, int value)
{
    return put_array(group, name, H5T_NATIVE_INT, 1, &value);
}

/* A scalar string of fixed length, its end included. */
static bool put_text(hid_t group, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    bool ok = H5Tset_size(type, strlen(text) + 1) >= 0;
    hid_t dataset = ok ? H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    ok = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (dataset >= 0)
        ok = H5Dclose(dataset) >= 0 && ok;
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

/* A matrix in compressed columns, filled column by column: FCLIB's own functions multiply with no other form. */
typedef struct Sparse {
    int columns, count, capacity;
    int *p, *rows;
    double *x;
    bool failed;
} Sparse;

static Sparse sparse_begin(int columns)
{
    Sparse sparse = {.columns = columns, .p = calloc((size_t)columns + 1, sizeof *sparse.p)};
    sparse.failed = !sparse.p;
    return sparse;
}

/* Columns come in order; p[column + 1] counts up. */
static void sparse_add(Sparse *sparse, int row, int column, double value)
{
    if (sparse->failed || value == 0.0)
        return;
    if (sparse->count == sparse->capacity) {
        sparse->capacity = 2 * sparse->capacity + 64;
        int *rows = realloc(sparse->rows, sizeof *rows * (size_t)sparse->capacity);
        sparse->rows = rows ? rows : sparse->rows;
        double *x = realloc(sparse->x, sizeof *x * (size_t)sparse->capacity);
        sparse->x = x ? x : sparse->x;
        sparse->failed = !rows || !x;
        if (sparse->failed)
            return;
    }
    sparse->rows[sparse->count] = row;
    sparse->x[sparse->count++] = value;
    sparse->p[column + 1] = sparse->count;
}

/* As a group in FCLIB's layout, in which nz = -1 says compressed columns; frees it. */
static bool put_sparse(hid_t file, const char *name, Sparse *sparse, int rows)
{
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    size_t columns = (size_t)sparse->columns, count = (size_t)sparse->count;
    for (size_t i = 0; !sparse->failed && i < columns; i++)
        if (sparse->p[i + 1] < sparse->p[i])
            sparse->p[i + 1] = sparse->p[i]; /* an empty column */
    bool ok = group >= 0 && !sparse->failed && put_int(group, "nzmax", sparse->count) && put_int(group, "m", rows) &&
              put_int(group, "n", sparse->columns) && put_int(group, "nz", -1) &&
              put_array(group, "p", H5T_NATIVE_INT, columns + 1, sparse->p) &&
              put_array(group, "i", H5T_NATIVE_INT, count, sparse->rows) && put_doubles(group, "x", count, sparse->x);
    if (group >= 0)
        H5Gclose(group);
    free(sparse->p);
    free(sparse->rows);
    free(sparse->x);
    return ok;
}

static double problem_entry(const FclibProblem *problem, int i, int j)
{
    return problem->places[i].sign * problem->places[j].sign * problem->dense.A[i * (long)problem->rows + j];
}

/* The diagonal of W where no row of ours stands, so that W_ii of no contact is singular: a limit's own weight, or 1. */
static double problem_filler(const FclibProblem *problem, int place)
{
    int normal = problem->contact_row[place - place % SPACE_DIMENSION];
    return normal < 0 ? 1.0 : problem_entry(problem, normal, normal);
}

/* The part of A between two kinds of rows, in FCLIB's order and signs. */
static bool put_part(hid_t file, const char *name, const FclibProblem *problem, bool contact_rows, bool contact_columns)
{
    int triples = SPACE_DIMENSION * problem->contacts;
    int rows = contact_rows ? triples : problem->equalities, columns = contact_columns ? triples : problem->equalities;
    const int *row = contact_rows ? problem->contact_row : problem->tie_row;
    const int *column = contact_columns ? problem->contact_row : problem->tie_row;
    Sparse part = sparse_begin(columns);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            if (row[i] >= 0 && column[j] >= 0)
                sparse_add(&part, i, j, problem_entry(problem, row[i], column[j]));
            else if (contact_rows && contact_columns && i == j)
                sparse_add(&part, i, j, problem_filler(problem, i));
    return put_sparse(file, name, &part, rows);
}

/* Values of our rows in FCLIB's order: of the contacts or of the equalities, scaled. `idle` is the normal value of an
 * idle contact. */
static bool put_rows(hid_t group, const char *name, const FclibProblem *problem, bool contacts, const double *values,
                     double scale, double idle)
{
    size_t count = (size_t)(contacts ? SPACE_DIMENSION * problem->contacts : problem->equalities);
    double *sorted = calloc(count + 1, sizeof *sorted);
    if (sorted && contacts && problem->kinds[0] == FCLIB_IDLE)
        sorted[0] = idle;
    for (int i = 0; sorted && i < problem->rows; i++)
        if (problem->places[i].contact == contacts)
            sorted[problem->places[i].at] = scale * problem->places[i].sign * values[i];
    bool ok = sorted && put_doubles(group, name, count, sorted);
    free(sorted);
    return ok;
}

static bool put_vectors(hid_t file, const FclibProblem *problem)
{
    hid_t group = H5Gcreate2(file, "/fclib_local/vectors", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = group >= 0 && put_rows(group, "q", problem, true, problem->dense.b, -1.0, IDLE_SPEED) &&
              put_doubles(group, "mu", (size_t)problem->contacts, problem->mu) &&
              (problem->equalities == 0 || put_rows(group, "s", problem, false, problem->dense.b, -1.0, 0.0));
    if (group >= 0)
        H5Gclose(group);
    return ok;
}

/* u = A lambda - b on the contacts. */
static bool put_solution(hid_t file, const FclibProblem *problem, const double *lambda)
{
    hid_t group = H5Gcreate2(file, "/solution", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int n = problem->rows;
    double *u = malloc(sizeof *u * ((size_t)n + 1));
    for (int i = 0; u && i < n; i++) {
        u[i] = -problem->dense.b[i];
        for (int j = 0; j < n; j++)
            u[i] += problem->dense.A[i * (long)n + j] * lambda[j];
    }
    bool ok = u && group >= 0 && put_rows(group, "u", problem, true, u, 1.0, IDLE_SPEED) &&
              put_rows(group, "r", problem, true, lambda, 1.0, 0.0) &&
              (problem->equalities == 0 || put_rows(group, "l", problem, false, lambda, 1.0, 0.0));
    if (group >= 0)
        H5Gclose(group);
    free(u);
    return ok;
}

static bool put_info(hid_t file, const char *title)
{
    hid_t group = H5Gcreate2(file, "/fclib_local/info", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = group >= 0 && put_text(group, "title", title) &&
              put_text(group, "description",
                       "one step of rigid bodies: r, l are impulses (N s, N m s), u velocities (m/s); a contact's "
                       "normal comes first; rigor_kinds: 0 a contact, 1 one row with r >= 0, as a contact without "
                       "friction whose tangents touch nothing else, 2 an idle contact, where there is no other") &&
              put_text(group, "math_info", "W is symmetric, positive semi-definite");
    if (group >= 0)
        H5Gclose(group);
    return ok;
}

/* Six rows a body: mass, then inertia about world axes; fixed bodies have none. */
static bool put_mass(hid_t file, const World *world)
{
    int n = 6 * world->body_count;
    Sparse mass = sparse_begin(n);
    for (int i = 0; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Mat3 inertia = mat3_turn_diagonal(world->pose[i].q, world->mass[i].inertia);
        for (int r = 0; r < 3; r++)
            sparse_add(&mass, 6 * i + r, 6 * i + r, world->mass[i].mass);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                sparse_add(&mass, 6 * i + 3 + c, 6 * i + 3 + r, inertia.m[c][r]);
    }
    return put_sparse(file, "/M", &mass, n);
}

/* What a block has there; a body may stand in it twice only where it is fixed. */
static void put_jacobian_column(Sparse *jacobian, const RowBlock *rb, int row, int column)
{
    int bodies = row_block_bodies(rb), width = row_block_width(rb);
    for (int i = 0; i < rb->count; i++)
        for (int k = 0; k < bodies; k++)
            if (rb->body[k] == column / 6 && column % 6 < width)
                sparse_add(jacobian, row + i, column, rb->J[i][k * width + column % 6]);
}

static bool put_jacobian(hid_t file, const FrozenSystem *frozen)
{
    const RowSystem *system = &frozen->system;
    int columns = 6 * frozen->world->body_count;
    Sparse jacobian = sparse_begin(columns);
    for (int column = 0; column < columns; column++)
        for (int b = 0, row = 0; b < system->count; row += system->blocks[b++].count)
            put_jacobian_column(&jacobian, &system->blocks[b], row, column);
    return put_sparse(file, "/J", &jacobian, system->rows);
}

static bool put_all(hid_t file, const FclibProblem *problem, const FrozenSystem *frozen, const char *title)
{
    hid_t group = H5Gcreate2(file, "/fclib_local", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = group >= 0 && put_int(group, "spacedim", SPACE_DIMENSION) &&
              put_array(file, FCLIB_KINDS, H5T_NATIVE_INT, (size_t)problem->contacts, problem->kinds) &&
              put_part(file, "/fclib_local/W", problem, true, true) &&
              (problem->equalities == 0 || (put_part(file, "/fclib_local/V", problem, true, false) &&
                                            put_part(file, "/fclib_local/R", problem, false, false))) &&
              put_vectors(file, problem) && put_info(file, title) && put_solution(file, problem, frozen->lambda) &&
              put_mass(file, frozen->world) && put_jacobian(file, frozen);
    if (group >= 0)
        H5Gclose(group);
    return ok;
}

bool fclib_dump(const char *path, const FrozenSystem *frozen, const char *title, Status *status)
{
    FclibProblem problem;
    FileWriter writer = {0};
    H5dont_atexit(); /* after a full disk the library would try again as the program ends, and crash */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* messages are made here, not printed by the library */
    bool ok = problem_init(&problem, frozen, status) && writer_reserve(&writer, path, status);
    if (ok) {
        errno = 0;
        hid_t file = H5Fcreate(writer.part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        bool written = file >= 0 && put_all(file, &problem, frozen, title);
        written = file >= 0 && H5Fclose(file) >= 0 && written;
        if (!written)
            status_set(status, STATUS_FAILED, "%s: cannot be written: %s", path,
                       errno ? strerror(errno) : "HDF5 refuses");
        ok = writer_close(&writer, written, status);
    }
    problem_free(&problem);
    return ok;
}
