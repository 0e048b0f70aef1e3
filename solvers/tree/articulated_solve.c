/* SPDX-License-Identifier: MIT */
/* The recursions. With D = S^T IA S = L L^T, U = IA S and Y = L^-1 U^T, z = L^-1 (tau - S^T pA):
 *     inward   Ia = IA - Y^T Y,  pa = pA + Ia c + Y^T z,   IA_parent += X^T Ia X,  pA_parent += X^T pa
 *     outward  A' = X A_parent + c,  qddot = L^-T (z - Y A'),  A = A' + S qddot.
 * A prescribed coordinate's S qddot belongs to c. Links on ball joints: articulated_ball.h. */
#include "solvers/tree/articulated_ball.h"

/* X^T f: the wrench at the parent's reference point; a particle takes the force alone. */
LANE_INLINE void wrench_at_parent(const Link *link, const Link *parent, const double f[6], double moved[6])
{
    Vec3 torque = parent->particle ? VEC3_ZERO : vec3_add(angular(f), vec3_cross(link->at->r, linear(f)));
    spatial_set(moved, torque, linear(f));
}

/* X A of the parent, zero for a fixed one. A particle's own A has no angular part. */
static void motion_from_parent(const Articulated *tree, const Link *link, double A[6])
{
    if (link->parent < 0) {
        memset(A, 0, 6 * sizeof *A);
        return;
    }
    const double *from = tree->links[link->parent].moves->A;
    spatial_set(A, angular(from), vec3_add(linear(from), vec3_cross(angular(from), link->at->r)));
}

/* c and the prescribed part of S qddot */
static void link_given_motion(const Link *link, double c[6])
{
    memcpy(c, link->at->c, sizeof link->at->c);
    for (int k = 0; k < link->dofs; k++)
        if (link->prescribed[k])
            spatial_add_scaled(c, link->moves->qddot[k], link->own->S[k]);
}

/* The link itself joins what its children have left there. */
LANE_INLINE void link_add_own(const Link *link, Subtree *sum)
{
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++)
            sum->inertia[j][k] += link->at->inertia.m[j][k];
        sum->inertia[3 + j][3 + j] += link->mass;
    }
    spatial_add_scaled(sum->bias, 1.0, link->at->p);
}

/* sum_j x_j times column j */
LANE_INLINE Six columns_times(const Six column[6], const double x[6])
{
    Six sum = six_scale(x[0], column[0]);
    for (int j = 1; j < 6; j++)
        sum = six_add_scaled(sum, x[j], column[j]);
    return sum;
}

/* L L^T of D over the n free columns, Y and z; D is positive as long as every subtree has inertia along every column.
 */
LANE_INLINE void link_factor(Link *link, const Six column[6], const double bias[6], int n)
{
    LinkJoint *own = link->own;
    for (int i = 0; i < n; i++) {
        const double *S = own->S[own->free[i]];
        double U[6];
        Six Y = columns_times(column, S);
        six_store(U, Y);
        own->z[i] = link->moves->given[own->free[i]] - spatial_dot(S, bias);
        for (int j = 0; j <= i; j++) {
            double sum = spatial_dot(own->S[own->free[j]], U);
            for (int k = 0; k < j; k++)
                sum -= own->L[i][k] * own->L[j][k];
            own->L[i][j] = i == j ? sqrt(sum + own->diagonal[own->free[i]]) : sum / own->L[j][j];
        }
        for (int k = 0; k < i; k++) {
            Y = six_add_scaled(Y, -own->L[i][k], six_load(own->Y[k]));
            own->z[i] -= own->L[i][k] * own->z[k];
        }
        double scale = 1.0 / own->L[i][i];
        six_store(own->Y[i], six_scale(scale, Y));
        own->z[i] *= scale;
    }
}

/* f + R l with R = [r]x, f and l the angular and the linear part of a column */
LANE_INLINE Vec3 column_turned(Vec3 r, const double x[6])
{
    return vec3(x[0] - r.z * x[4] + r.y * x[5], x[1] + r.z * x[3] - r.x * x[5], x[2] - r.y * x[3] + r.x * x[4]);
}

/* X^T Ia X with Ia = [a b; b^T d], by columns, and R = [r]x:
 * angular a - b R + R (b^T - d R), mixed b + R d, linear d. A particle takes the linear part alone. */
LANE_INLINE void inertia_at_parent(const Link *link, bool particle, const Six column[6], double at[6][6])
{
    Vec3 r = link->at->r;
    for (int j = 3; j < 6; j++)
        six_store(at[j], column[j]);
    if (particle) {
        memset(at, 0, 3 * sizeof *at);
        for (int j = 3; j < 6; j++)
            memset(at[j], 0, 3 * sizeof at[j][0]);
        return;
    }
    six_store(at[0], six_add_scaled(six_add_scaled(column[0], -r.z, column[4]), r.y, column[5]));
    six_store(at[1], six_add_scaled(six_add_scaled(column[1], r.z, column[3]), -r.x, column[5]));
    six_store(at[2], six_add_scaled(six_add_scaled(column[2], -r.y, column[3]), r.x, column[4]));
    for (int j = 0; j < 3; j++) {
        Vec3 top = column_turned(r, at[j]), mixed = column_turned(r, at[3 + j]);
        memcpy(at[j], &top, sizeof top);
        memcpy(at[3 + j], &mixed, sizeof mixed);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 3; j < 6; j++)
            at[i][j] = at[j][i];
}

/* What the link's subtree is to its parent: Ia and pa, moved there. */
LANE_INLINE void link_reduce(const Link *link, const Link *parent, Six column[6], Subtree *sum, int n)
{
    const LinkJoint *own = link->own;
    double c[6], wrench[6];
    link_given_motion(link, c);
    for (int k = 0; k < n; k++) {
        Six Y = six_load(own->Y[k]);
        for (int j = 0; j < 6; j++)
            column[j] = six_add_scaled(column[j], -own->Y[k][j], Y);
    }
    Six bias = six_add_scaled(six_load(sum->bias), 1.0, columns_times(column, c));
    for (int k = 0; k < n; k++)
        bias = six_add_scaled(bias, own->z[k], six_load(own->Y[k]));
    six_store(wrench, bias);
    inertia_at_parent(link, parent->particle, column, sum->inertia);
    wrench_at_parent(link, parent, wrench, sum->bias);
}

/* One link of the recursion inward; n is its number of free coordinates. */
LANE_INLINE void link_inward(Link *link, const Link *parent, Subtree *sum, int n)
{
    Six column[6];
    link_add_own(link, sum);
    for (int j = 0; j < 6; j++)
        column[j] = six_load(sum->inertia[j]);
    link_factor(link, column, sum->bias, n);
    if (parent)
        link_reduce(link, parent, column, sum, n);
}

LANE_INLINE void subtree_add(Subtree *to, const Subtree *sum)
{
    for (int j = 0; j < 6; j++)
        spatial_add_scaled(to->inertia[j], 1.0, sum->inertia[j]);
    spatial_add_scaled(to->bias, 1.0, sum->bias);
}

/* The usual numbers of coordinates have a version of their own: their loops are unrolled. */
LANE_INLINE void link_inward_any(Link *link, const Link *parent, Subtree *sum)
{
    LinkJoint *own = link->own;
    own->free_count = 0;
    for (int k = 0; k < link->dofs; k++)
        if (!link->prescribed[k])
            own->free[own->free_count++] = k;
    if (own->free_count == 1)
        link_inward(link, parent, sum, 1);
    else if (own->free_count == 3)
        link_inward(link, parent, sum, 3);
    else
        link_inward(link, parent, sum, own->free_count);
}

/* Whether a ball's parent is a ball that comes next, and has no other child. */
LANE_INLINE bool ball_goes_on(const Link *link, const Link *parent, int i)
{
    return parent && link->parent == i - 1 && parent->ball && parent->branch < 0;
}

/* A link whose parent comes next leaves its subtree in `sum`, and a ball whose parent is one in registers; only
 * branches wait in memory. */
LANE_VERSIONS void articulated_solve_inward(Articulated *tree)
{
    Subtree sum = {0};
    BallSum on;
    bool carried = false; /* `on` is what hangs on the next link */
    for (int i = tree->link_count - 1; i >= 0; i--) {
        Link *link = &tree->links[i];
        const Link *parent = link->parent >= 0 ? &tree->links[link->parent] : NULL;
        if (link->branch >= 0) {
            subtree_add(&tree->branches[link->branch], &sum);
            sum = tree->branches[link->branch];
            tree->branches[link->branch] = (Subtree){0};
        }
        if (link->ball) {
            if (!carried)
                ball_sum_load(&on, &sum);
            ball_inward(link, &on, parent);
            carried = ball_goes_on(link, parent, i);
            if (carried)
                continue;
            if (parent)
                ball_sum_store(&on, &sum);
        } else {
            link_inward_any(link, parent, &sum);
        }
        if (link->parent == i - 1 && parent)
            continue;
        if (parent)
            subtree_add(&tree->branches[parent->branch], &sum);
        sum = (Subtree){0};
    }
}

/* I A + p: what the link itself needs of its joint. */
LANE_INLINE void link_own_force(Link *link)
{
    spatial_set(link->moves->F, mat3_mul_vec(link->at->inertia, angular(link->moves->A)),
                vec3_scale(link->mass, linear(link->moves->A)));
    spatial_add_scaled(link->moves->F, 1.0, link->at->p);
}

/* One link of the recursion outward: A and qddot. */
static void link_outward(const Articulated *tree, Link *link)
{
    const LinkJoint *own = link->own;
    double c[6], x[LINK_MAX_DOFS];
    link_given_motion(link, c);
    motion_from_parent(tree, link, link->moves->A);
    spatial_add_scaled(link->moves->A, 1.0, c);
    for (int k = own->free_count - 1; k >= 0; k--) {
        x[k] = own->z[k] - spatial_dot(own->Y[k], link->moves->A);
        for (int j = k + 1; j < own->free_count; j++)
            x[k] -= own->L[j][k] * x[j];
        x[k] /= own->L[k][k];
    }
    for (int k = 0; k < own->free_count; k++) {
        link->moves->qddot[own->free[k]] = x[k];
        spatial_add_scaled(link->moves->A, x[k], own->S[own->free[k]]);
    }
    if (link->particle)
        link->moves->A[0] = link->moves->A[1] = link->moves->A[2] = 0.0;
}

LANE_VERSIONS void articulated_solve_outward(Articulated *tree, int from, int to)
{
    const BallMotion still = {-1, VEC3_ZERO, VEC3_ZERO};
    BallMotion motion = still;
    for (int i = from; i < to; i++) {
        Link *link = &tree->links[i];
        if (!link->ball) {
            link_outward(tree, link);
            link_own_force(link);
            continue;
        }
        if (motion.link != link->parent)
            motion = link->parent >= 0 ? ball_motion(tree, link->parent) : still;
        ball_outward(link, i, &motion);
    }
}

void articulated_solve(Articulated *tree)
{
    articulated_solve_inward(tree);
    articulated_solve_outward(tree, 0, tree->link_count);
}

double articulated_rate(const Articulated *tree, const int body[2], const double *J)
{
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        int link = tree->link_of_body[body[k]];
        if (link < 0)
            continue;
        const double *A = tree->links[link].moves->A, *j = J + 6 * k;
        sum += j[0] * A[3] + j[1] * A[4] + j[2] * A[5] + j[3] * A[0] + j[4] * A[1] + j[5] * A[2];
    }
    return sum;
}

void articulated_push(Articulated *tree, const int body[2], const double *J, double lambda)
{
    for (int k = 0; k < 2; k++) {
        int index = tree->link_of_body[body[k]];
        if (index < 0)
            continue;
        Link *link = &tree->links[index];
        for (int i = 0; i < 3; i++) {
            link->at->p[3 + i] -= lambda * J[6 * k + i];
            link->at->p[i] -= link->particle ? 0.0 : lambda * J[6 * k + 3 + i];
        }
    }
}

void articulated_accelerate(Articulated *tree)
{
    for (int i = 0; i < tree->link_count; i++) {
        Link *link = &tree->links[i];
        motion_from_parent(tree, link, link->moves->A);
        spatial_add_scaled(link->moves->A, 1.0, link->at->c);
        for (int k = 0; k < link->dofs; k++) {
            double S[6];
            link_column(link, k, S);
            spatial_add_scaled(link->moves->A, link->moves->qddot[k], S);
        }
        if (link->particle)
            link->moves->A[0] = link->moves->A[1] = link->moves->A[2] = 0.0;
        link_own_force(link);
    }
}

/* F on its way to the parent */
LANE_INLINE void link_pass_force(const Link *link, Link *parent)
{
    double moved[6];
    wrench_at_parent(link, parent, link->moves->F, moved);
    spatial_add_scaled(parent->moves->F, 1.0, moved);
}

/* impulse: NULL, reactions are not asked for */
LANE_VERSIONS static void tree_forces(Articulated *tree, const World *world, double share, Vec3 *impulse)
{
    const BallWrench none = {{0.0}, {0.0}};
    BallWrench left = none; /* by a ball whose parent comes next */
    for (int i = tree->link_count - 1; i >= 0; i--) {
        Link *link = &tree->links[i], *parent = link->parent >= 0 ? &tree->links[link->parent] : NULL;
        if (link->ball) {
            left = ball_force(link, left);
            if (impulse)
                ball_add_reaction(link, left.force, share, &impulse[link->reaction]);
            if (parent && link->parent == i - 1)
                continue;
            if (parent)
                ball_add_wrench(parent->moves->F, left);
        } else {
            ball_add_wrench(link->moves->F, left);
            if (impulse && link->joint >= 0)
                link_add_reaction(link, world, share, impulse);
            if (parent)
                link_pass_force(link, parent);
        }
        left = none;
    }
}

void articulated_forces(Articulated *tree)
{
    tree_forces(tree, NULL, 0.0, NULL);
}

void articulated_reactions(Articulated *tree, const World *world, double share, Vec3 *impulse)
{
    tree_forces(tree, world, share, impulse);
}

double link_torque(const Link *link, int k)
{
    double S[6];
    link_column(link, k, S);
    return spatial_dot(S, link->moves->F);
}
