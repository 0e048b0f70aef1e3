/* SPDX-License-Identifier: MIT */
#include "bench/studies/inverse.h"

#include "bench/studies/mass_matrix.h"
#include "solvers/motion.h"

#include <stdlib.h>
#include <string.h>

/* What a link's coordinates are called, turns first. */
static const char *coordinate_name(const Link *link, int k, bool *angular)
{
    static const char *const TURNS[] = {"turn 1", "turn 2", "turn 3"}, *const SHIFTS[] = {"shift 1", "shift 2",
                                                                                          "shift 3"};
    int turns = link->turn == TURN_FREE ? 3 : link->turn == TURN_AXIS ? 1 : 0;
    *angular = k < turns || link->shift == SHIFT_CIRCLE;
    if (k < turns)
        return link->turn == TURN_AXIS ? "angle" : TURNS[k];
    return link->shift == SHIFT_AXIS ? "position" : link->shift == SHIFT_CIRCLE ? "angle" : SHIFTS[k - turns];
}

/* Is link i the one given, or does it hang below it? */
static bool hangs_below(const Articulated *tree, int i, int root)
{
    while (i > root)
        i = tree->links[i].parent;
    return i == root;
}

/* tau_k = sum over the bodies below of J^T (M a - f): with S = (w, v) at the link's own centre a body at x moves with
 * w and v + w x (x - x_link). */
static double virtual_work(const Articulated *tree, const World *world, const Velocity *alone, int root, int k)
{
    const Link *link = &tree->links[root];
    double S[6];
    link_column(link, k, S);
    Vec3 w = vec3(S[0], S[1], S[2]), v = vec3(S[3], S[4], S[5]);
    double sum = 0.0;
    for (int i = root; i < tree->link_count; i++) {
        if (!hangs_below(tree, i, root))
            continue;
        const Link *body = &tree->links[i];
        const double *A = body->moves->A;
        Vec3 spin = vec3(A[0], A[1], A[2]), a = vec3(A[3], A[4], A[5]);
        Vec3 torque = mat3_mul_vec(body->at->inertia, vec3_sub(spin, alone[body->body].w));
        Vec3 force = vec3_scale(body->mass, vec3_sub(a, alone[body->body].v));
        Vec3 arm = vec3_sub(world->pose[body->body].x, world->pose[link->body].x);
        sum += vec3_dot(w, torque) + vec3_dot(vec3_add(v, vec3_cross(w, arm)), force);
    }
    return sum;
}

typedef struct InverseWork {
    Articulated tree;
    Motion motion;
    Velocity *alone; /* accelerations without joints */
} InverseWork;

/* q'' of the motion that nobody steers, kept in free_acceleration. */
static void find_free_accelerations(InverseWork *work, Inverse *inverse)
{
    int at = 0;
    for (int i = 0; i < work->tree.link_count; i++) {
        Link *link = &work->tree.links[i];
        memset(link->moves->given, 0, sizeof link->moves->given);
        memset(link->prescribed, 0, sizeof link->prescribed);
    }
    articulated_solve(&work->tree);
    for (int i = 0; i < work->tree.link_count; i++)
        for (int k = 0; k < work->tree.links[i].dofs; k++)
            inverse->forces[at++].free_acceleration = work->tree.links[i].moves->qddot[k];
}

/* Both ways at q'' = 0. */
static void find_forces(InverseWork *work, const World *world, Inverse *inverse)
{
    Articulated *tree = &work->tree;
    double largest = 0.0, difference = 0.0;
    int at = 0;
    for (int i = 0; i < tree->link_count; i++)
        memset(tree->links[i].moves->qddot, 0, sizeof tree->links[i].moves->qddot);
    articulated_accelerate(tree);
    articulated_forces(tree);
    for (int i = 0; i < tree->link_count; i++)
        for (int k = 0; k < tree->links[i].dofs; k++) {
            const Link *link = &tree->links[i];
            InverseForce *f = &inverse->forces[at++];
            f->joint = link->joint;
            f->body = link->body;
            f->coordinate = coordinate_name(link, k, &f->angular);
            bool single = (link->turn == TURN_FREE && k < 3) || link->turn == TURN_AXIS || link->shift == SHIFT_AXIS ||
                          link->shift == SHIFT_CIRCLE;
            f->speed = single ? link_speed(link, link_state(link, tree->state), world, k) : NAN;
            f->recursive = link_torque(link, k);
            f->lagrange = virtual_work(tree, world, work->alone, i, k);
            f->acceleration = NAN;
            largest = fmax(largest, fabs(f->recursive));
            difference = fmax(difference, fabs(f->recursive - f->lagrange));
        }
    inverse->difference = largest > 0.0 ? difference / largest : difference;
}

/* M, and q'' by it, held against the recursion's. */
static bool find_lagrangian_accelerations(InverseWork *work, const World *world, Inverse *inverse, Status *status)
{
    int count = inverse->count;
    if (count > MASS_MATRIX_MOST)
        return status_set(status, STATUS_UNSUPPORTED, "--mass-matrix takes %d coordinates at most, not %d",
                          MASS_MATRIX_MOST, count);
    double *h = calloc((size_t)count + 1, sizeof *h), *qddot = calloc((size_t)count + 1, sizeof *qddot);
    double *recursive = calloc((size_t)count + 1, sizeof *recursive);
    inverse->mass_matrix = calloc((size_t)count * (size_t)count + 1, sizeof *inverse->mass_matrix);
    bool ok = (h && qddot && recursive && inverse->mass_matrix &&
               mass_matrix_fill(&work->tree, world, inverse->mass_matrix)) ||
              status_set(status, STATUS_FAILED, "out of memory");
    for (int k = 0; ok && k < count; k++) {
        h[k] = inverse->forces[k].lagrange;
        recursive[k] = inverse->forces[k].free_acceleration;
    }
    ok = ok && mass_matrix_accelerations(inverse->mass_matrix, count, h, qddot, status);
    double largest = 0.0, difference = 0.0;
    for (int k = 0; ok && k < count; k++) {
        inverse->forces[k].acceleration = qddot[k];
        largest = fmax(largest, fabs(recursive[k]));
        difference = fmax(difference, fabs(qddot[k] - recursive[k]));
    }
    inverse->acceleration_difference = largest > 0.0 ? difference / largest : difference;
    if (ok)
        inverse->residual = mass_matrix_residual(inverse->mass_matrix, count, h, recursive);
    free(h);
    free(qddot);
    free(recursive);
    return ok;
}

static bool work_init(InverseWork *work, const World *world)
{
    CommonOptions options = {1, 1, INTEGRATE_RK4, GYROSCOPIC_EXPLICIT, 0.0};
    work->alone = calloc((size_t)world->body_count, sizeof *work->alone);
    return work->alone && articulated_init(&work->tree, world) && motion_init(&work->motion, world, &options);
}

bool inverse_compute(Inverse *inverse, World *world, bool mass_matrix, Status *status)
{
    InverseWork work = {0};
    *inverse = (Inverse){0};
    bool ok = work_init(&work, world) || status_set(status, STATUS_FAILED, "out of memory");
    ok = ok && articulated_connect(&work.tree, world, status);
    if (ok && work.tree.cut_count > 0)
        ok =
            status_set(status, STATUS_UNSUPPORTED, "the joints form loops: their forces do not follow from the motion");
    if (ok) {
        inverse->count = work.tree.dof_count;
        inverse->forces = calloc((size_t)inverse->count + 1, sizeof *inverse->forces);
        ok = inverse->forces || status_set(status, STATUS_FAILED, "out of memory");
    }
    if (ok) {
        memcpy(work.alone, world->velocity, sizeof *work.alone * (size_t)world->body_count);
        articulated_read(&work.tree, world, work.alone);
        motion_accelerations(&work.motion, world, 0.0, work.alone);
        articulated_load(&work.tree, work.alone);
        find_free_accelerations(&work, inverse);
        find_forces(&work, world, inverse);
        ok = !mass_matrix || find_lagrangian_accelerations(&work, world, inverse, status);
    }
    articulated_free(&work.tree);
    motion_free(&work.motion);
    free(work.alone);
    return ok;
}

void inverse_free(Inverse *inverse)
{
    free(inverse->forces);
    free(inverse->mass_matrix);
}
