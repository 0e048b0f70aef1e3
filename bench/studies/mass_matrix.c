/* SPDX-License-Identifier: MIT */
#include "bench/studies/mass_matrix.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

/* The coordinates that move one body: those of its own link and of all links on the way to the root. */
typedef struct Movers {
    int count;
    int *coordinate;
    Velocity *column; /* J_ik */
} Movers;

/* S = (w, v) holds at the centre of the coordinate's link; at x the velocity is v + w x (x - x_link). */
static void find_movers(Movers *movers, const Articulated *tree, const World *world, const int *first, int link)
{
    Vec3 x = world->pose[tree->links[link].body].x;
    movers->count = 0;
    for (int a = link; a >= 0; a = tree->links[a].parent)
        for (int k = 0; k < tree->links[a].dofs; k++) {
            double S[6];
            link_column(&tree->links[a], k, S);
            Vec3 w = vec3(S[0], S[1], S[2]), v = vec3(S[3], S[4], S[5]);
            Vec3 arm = vec3_sub(x, world->pose[tree->links[a].body].x);
            movers->coordinate[movers->count] = first[a] + k;
            movers->column[movers->count++] = (Velocity){vec3_add(v, vec3_cross(w, arm)), w};
        }
}

/* M += J_i^T M_i J_i. */
static void add_body(const Movers *movers, const Link *link, int dofs, double *M)
{
    for (int k = 0; k < movers->count; k++) {
        Vec3 momentum = vec3_scale(link->mass, movers->column[k].v);
        Vec3 spin = mat3_mul_vec(link->at->inertia, movers->column[k].w);
        double *row = M + (size_t)movers->coordinate[k] * (size_t)dofs;
        for (int l = 0; l < movers->count; l++)
            row[movers->coordinate[l]] += vec3_dot(movers->column[l].v, momentum) + vec3_dot(movers->column[l].w, spin);
    }
}

bool mass_matrix_fill(const Articulated *tree, const World *world, double *M)
{
    size_t dofs = (size_t)tree->dof_count;
    int *first = calloc((size_t)tree->link_count + 1, sizeof *first); /* coordinate of each link */
    Movers movers = {0, calloc(dofs + 1, sizeof *movers.coordinate), calloc(dofs + 1, sizeof *movers.column)};
    bool ok = first && movers.coordinate && movers.column;
    for (int i = 0; ok && i < tree->link_count; i++)
        first[i + 1] = first[i] + tree->links[i].dofs;
    if (ok)
        memset(M, 0, dofs * dofs * sizeof *M);
    for (int i = 0; ok && i < tree->link_count; i++) {
        find_movers(&movers, tree, world, first, i);
        add_body(&movers, &tree->links[i], tree->dof_count, M);
    }
    free(first);
    free(movers.coordinate);
    free(movers.column);
    return ok;
}

bool mass_matrix_accelerations(const double *M, int count, const double *h, double *qddot, Status *status)
{
    size_t n = (size_t)count;
    double *factor = malloc((n * n + 1) * sizeof *factor);
    if (!factor)
        return status_set(status, STATUS_FAILED, "out of memory");
    memcpy(factor, M, n * n * sizeof *factor);
    for (int k = 0; k < count; k++)
        qddot[k] = -h[k];
    int info = count > 0 ? LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', count, 1, factor, count, qddot, count) : 0;
    free(factor);
    return info == 0 ||
           status_set(status, STATUS_FAILED, "the mass matrix is not positive definite (coordinate %d)", info);
}

double mass_matrix_residual(const double *M, int count, const double *h, const double *qddot)
{
    double largest = 0.0, left = 0.0;
    for (int k = 0; k < count; k++) {
        double sum = h[k];
        for (int l = 0; l < count; l++)
            sum += M[(size_t)k * (size_t)count + (size_t)l] * qddot[l];
        left = fmax(left, fabs(sum));
        largest = fmax(largest, fabs(h[k]));
    }
    return largest > 0.0 ? left / largest : left;
}
