/* SPDX-License-Identifier: MIT */
#include "bench/studies/robot_dynamics.h"

#include "bench/studies/mass_matrix.h"
#include "solvers/linear/least_norm.h"
#include "solvers/tree/forest.h"

#include <string.h>

bool robot_dynamics_init(RobotDynamics *dynamics, World *world, int speeds, Status *status)
{
    CommonOptions options = {1, 1, INTEGRATE_RK4, GYROSCOPIC_EXPLICIT, 0.0};
    Arrays *own = &dynamics->arrays;
    size_t n = (size_t)speeds, bodies = (size_t)world->body_count;
    *dynamics = (RobotDynamics){.world = world, .count = speeds, .bodies = world->body_count};
    bool ok = OWN_ARRAY(own, dynamics->alone, bodies) && OWN_ARRAY(own, dynamics->T, n * n + 1) &&
              OWN_ARRAY(own, dynamics->V, n * bodies + 1) && OWN_ARRAY(own, dynamics->bias_acceleration, bodies) &&
              OWN_ARRAY(own, dynamics->M, n * n + 1) && OWN_ARRAY(own, dynamics->bias, n + 1) &&
              OWN_ARRAY(own, dynamics->passive, n + 1) && OWN_ARRAY(own, dynamics->work, n * n + n + 1) &&
              articulated_init(&dynamics->tree, world) && motion_init(&dynamics->motion, world, &options);
    if (!ok)
        return status_set(status, STATUS_FAILED, "out of memory");
    dynamics->tree.general = dynamics->tree.with_rows = true;
    /* What closes loops comes last: as many of them are cut as leave the file's coordinates. */
    for (int first = world->joint_count; first >= 0 && dynamics->tree.dof_count != speeds; first--) {
        dynamics->tree.first_cut = first;
        if (!articulated_connect(&dynamics->tree, world, status))
            return false;
    }
    return dynamics->tree.dof_count == speeds ||
           status_set(status, STATUS_BAD_FILE, "qvel has %d numbers, but the model has %d coordinates", speeds,
                      dynamics->tree.dof_count);
}

void robot_dynamics_free(RobotDynamics *dynamics)
{
    articulated_free(&dynamics->tree);
    motion_free(&dynamics->motion);
    arrays_free(&dynamics->arrays);
}

/* The tree at a world's state. */
static void dynamics_read(RobotDynamics *dynamics, World *world)
{
    memcpy(dynamics->alone, world->velocity, sizeof *dynamics->alone * (size_t)dynamics->bodies);
    articulated_read(&dynamics->tree, world, dynamics->alone);
}

/* The tree's qddot, link after link. */
static void dynamics_take(const RobotDynamics *dynamics, double *to, int stride)
{
    const Articulated *tree = &dynamics->tree;
    for (int i = 0, at = 0; i < tree->link_count; i++)
        for (int k = 0; k < tree->links[i].dofs; k++, at++)
            to[at * stride] = tree->links[i].moves->qddot[k];
}

void robot_dynamics_set_column(RobotDynamics *dynamics, int k, World *unit)
{
    memcpy(dynamics->V + (size_t)k * (size_t)dynamics->bodies, unit->velocity,
           sizeof *unit->velocity * (size_t)dynamics->bodies);
    dynamics_read(dynamics, unit);
    dynamics_take(dynamics, dynamics->T + k, dynamics->count);
}

/* T^T of forces on the tree's coordinates. */
static void dynamics_turn(const RobotDynamics *dynamics, const double *tau, double *to)
{
    int n = dynamics->count;
    for (int k = 0; k < n; k++) {
        to[k] = 0.0;
        for (int i = 0; i < n; i++)
            to[k] += dynamics->T[i * n + k] * tau[i];
    }
}

/* What the laws give the tree's coordinates at a world's state. */
static void dynamics_laws(RobotDynamics *dynamics, const World *world, LawPart part, double *tau)
{
    Articulated *tree = &dynamics->tree;
    for (int i = 0, at = 0; i < tree->link_count; i++) {
        Link *link = &tree->links[i];
        memset(link->moves->given, 0, sizeof link->moves->given);
        for (int k = 0; k < link->dofs; k++, at++) {
            const JointLaw *law = link_law(link, world, k);
            tau[at] = law ? link_law_force(link, tree->state, world, k, part).force : 0.0;
        }
    }
}

static bool dynamics_fill_mass(RobotDynamics *dynamics)
{
    int n = dynamics->count;
    double *tree_M = dynamics->work;
    if (!mass_matrix_fill(&dynamics->tree, dynamics->world, tree_M))
        return false;
    for (int i = 0, at = 0; i < dynamics->tree.link_count; i++)
        for (int k = 0; k < dynamics->tree.links[i].dofs; k++, at++) {
            const JointLaw *law = link_law(&dynamics->tree.links[i], dynamics->world, k);
            tree_M[at * n + at] += law ? law->armature : 0.0;
        }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            double sum = 0.0;
            for (int i = 0; i < n; i++) {
                double row = 0.0;
                for (int j = 0; j < n; j++)
                    row += tree_M[i * n + j] * dynamics->T[j * n + b];
                sum += dynamics->T[i * n + a] * row;
            }
            dynamics->M[a * n + b] = sum;
        }
    return true;
}

/* The tree's qddot where the file's is zero: the origin of a body that floats goes straight on, and its centre about
 * it. */
static void dynamics_hold(RobotDynamics *dynamics)
{
    Articulated *tree = &dynamics->tree;
    const World *world = dynamics->world;
    for (int i = 0; i < tree->link_count; i++) {
        Link *link = &tree->links[i];
        memset(link->moves->qddot, 0, sizeof link->moves->qddot);
        if (link->joint >= 0 || link->particle)
            continue;
        Vec3 w = world->velocity[link->body].w;
        Vec3 arm = vec3_sub(world->pose[link->body].x, world_reported_frame(world, link->body).x);
        Vec3 a = vec3_cross(w, vec3_cross(w, arm));
        memcpy(link->moves->qddot + 3, &a, sizeof a);
    }
}

static void dynamics_fill_bias(RobotDynamics *dynamics)
{
    Articulated *tree = &dynamics->tree;
    World *world = dynamics->world;
    Motion *motion = &dynamics->motion;
    double *tau = dynamics->work;
    motion->actuated_count = motion->damped_count = 0; /* gravity and gyroscopic torques alone */
    articulated_place_loaded(tree, tree->state, world, motion, dynamics->alone);
    dynamics_hold(dynamics);
    articulated_accelerate(tree);
    for (int i = 0; i < tree->link_count; i++) {
        const double *A = tree->links[i].moves->A;
        dynamics->bias_acceleration[tree->links[i].body] = (Velocity){vec3(A[3], A[4], A[5]), vec3(A[0], A[1], A[2])};
    }
    articulated_forces(tree);
    for (int i = 0, at = 0; i < tree->link_count; i++)
        for (int k = 0; k < tree->links[i].dofs; k++, at++)
            tau[at] = link_torque(&tree->links[i], k);
    dynamics_turn(dynamics, tau, dynamics->bias);
}

/* The velocity of a listed body's point at a unit of speed k. */
static Vec3 point_velocity(const RobotDynamics *dynamics, int k, int body, Vec3 at)
{
    int root = dynamics->world->ride[body].root;
    const Velocity *u = &dynamics->V[(size_t)k * (size_t)dynamics->bodies + (size_t)root];
    return vec3_add(u->v, vec3_cross(u->w, vec3_sub(at, dynamics->world->pose[root].x)));
}

/* Springs, viscous friction, and forces that act on the bodies all the time. */
static void dynamics_fill_passive(RobotDynamics *dynamics)
{
    const World *world = dynamics->world;
    dynamics_laws(dynamics, world, LAW_PASSIVE, dynamics->work);
    dynamics_turn(dynamics, dynamics->work, dynamics->passive);
    for (int k = 0; k < dynamics->count; k++)
        for (int b = 1; b < dynamics->bodies; b++)
            if (!vec3_is_zero(world->bodies[b].force))
                dynamics->passive[k] +=
                    vec3_dot(world->bodies[b].force, point_velocity(dynamics, k, b, world_reported_position(world, b)));
}

bool robot_dynamics_finish(RobotDynamics *dynamics, Status *status)
{
    dynamics_read(dynamics, dynamics->world);
    if (!dynamics_fill_mass(dynamics))
        return status_set(status, STATUS_FAILED, "out of memory");
    dynamics_fill_bias(dynamics);
    dynamics_fill_passive(dynamics);
    return true;
}

void robot_dynamics_drives(RobotDynamics *dynamics, World *world, double *force)
{
    dynamics_laws(dynamics, world, LAW_DRIVES, dynamics->work);
    dynamics_turn(dynamics, dynamics->work, force);
}

void robot_dynamics_friction(RobotDynamics *dynamics, const double *speed, double *force)
{
    int n = dynamics->count;
    double *tau = dynamics->work;
    for (int i = 0, at = 0; i < dynamics->tree.link_count; i++)
        for (int k = 0; k < dynamics->tree.links[i].dofs; k++, at++) {
            const JointLaw *law = link_law(&dynamics->tree.links[i], dynamics->world, k);
            double rate = 0.0;
            for (int j = 0; j < n; j++)
                rate += dynamics->T[at * n + j] * speed[j];
            tau[at] = law && law->dry_friction > 0.0 && rate != 0.0 ? -copysign(law->dry_friction, rate) : 0.0;
        }
    dynamics_turn(dynamics, tau, force);
}

bool robot_dynamics_accelerate(RobotDynamics *dynamics, const double *force, double *qacc, Status *status)
{
    double *h = dynamics->work;
    for (int k = 0; k < dynamics->count; k++)
        h[k] = dynamics->bias[k] - dynamics->passive[k] - (force ? force[k] : 0.0);
    return mass_matrix_accelerations(dynamics->M, dynamics->count, h, qacc, status);
}

/* M^-1 of a row. */
static bool dynamics_answer(const RobotDynamics *dynamics, const double *row, double *answer, Status *status)
{
    double *h = dynamics->work;
    for (int k = 0; k < dynamics->count; k++)
        h[k] = -row[k];
    return mass_matrix_accelerations(dynamics->M, dynamics->count, h, answer, status);
}

/* Rows that hold accelerations: J q'' = right. */
typedef struct HeldRows {
    int count, most;
    double *J, *Y, *right;
} HeldRows;

/* Row a of a cut joint's block: J over two bodies, of the accelerations that they have at q''. */
static void held_add_block(HeldRows *held, const RobotDynamics *dynamics, const Block *block, const double *row,
                           double bias)
{
    double *J = held->J + (size_t)held->count * (size_t)dynamics->count, right = -bias;
    for (int k = -1; k < dynamics->count; k++) {
        double sum = 0.0;
        for (int i = 0; i < 2; i++) {
            const Velocity *of =
                k < 0 ? dynamics->bias_acceleration : &dynamics->V[(size_t)k * (size_t)dynamics->bodies];
            const Velocity *u = &of[block->body[i]];
            sum += vec3_dot(vec3(row[6 * i], row[6 * i + 1], row[6 * i + 2]), u->v) +
                   vec3_dot(vec3(row[6 * i + 3], row[6 * i + 4], row[6 * i + 5]), u->w);
        }
        if (k < 0)
            right -= sum;
        else
            J[k] = sum;
    }
    held->right[held->count++] = right;
}

static int tree_coordinate(const RobotDynamics *dynamics, const CoordinateRef *of, double *rate)
{
    const Articulated *tree = &dynamics->tree;
    int link = forest_link_of_joint(tree, of->joint), at = 0;
    for (int i = 0; i < link; i++)
        at += tree->links[i].dofs;
    int k = link_coordinate_of_axis(&tree->links[link], dynamics->world, of->axis);
    *rate = link_speed(&tree->links[link], link_state_of(&tree->links[link], tree->state), dynamics->world, k);
    return at + k;
}

/* q1 - p(q2), at the placed state where both have not moved: J = T_1 - p' T_2, and p'' q2'^2 on the right. */
static void held_add_coupling(HeldRows *held, const RobotDynamics *dynamics, const JointCoupling *coupling)
{
    int n = dynamics->count;
    double *J = held->J + (size_t)held->count * (size_t)n, rate, right = 0.0;
    int one = tree_coordinate(dynamics, &coupling->of[0], &rate);
    memcpy(J, dynamics->T + one * n, sizeof *J * (size_t)n);
    if (coupling->of[1].joint >= 0) {
        double slope = coupling->term_count > 1 ? coupling->polynomial[1] : 0.0;
        double curve = coupling->term_count > 2 ? 2.0 * coupling->polynomial[2] : 0.0;
        int two = tree_coordinate(dynamics, &coupling->of[1], &rate);
        for (int k = 0; k < n; k++)
            J[k] -= slope * dynamics->T[two * n + k];
        right = curve * rate * rate;
    }
    held->right[held->count++] = right;
}

static void held_find(HeldRows *held, const RobotDynamics *dynamics)
{
    const World *world = dynamics->world;
    for (int b = 0; b < world->joint_block_count; b++) {
        const Block *block = &world->blocks[b];
        Rows rows;
        double bias[BLOCK_MAX_ROWS];
        if (!dynamics->tree.cut[block->joint] || block_is_limit(block) || block_is_drive(block))
            continue;
        block_rows(world, block, &rows);
        block_rows_bias(world, block, bias);
        for (int a = 0; a < rows.count; a++)
            held_add_block(held, dynamics, block, rows.J[a], bias[a]);
    }
    for (int c = 0; c < world->coupling_count; c++)
        held_add_coupling(held, dynamics, &world->couplings[c]);
}

bool robot_dynamics_close(RobotDynamics *dynamics, double *qacc, Status *status)
{
    const World *world = dynamics->world;
    size_t n = (size_t)dynamics->count, most = (size_t)(3 * world->joint_block_count + world->coupling_count) + 1;
    Arrays own = {0};
    HeldRows held = {0};
    LeastNorm system = {0};
    double *b = NULL, *lambda = NULL;
    bool ok = (OWN_ARRAY(&own, held.J, most * n + 1) && OWN_ARRAY(&own, held.Y, most * n + 1) &&
               OWN_ARRAY(&own, held.right, most) && OWN_ARRAY(&own, b, most) && OWN_ARRAY(&own, lambda, most)) ||
              status_set(status, STATUS_FAILED, "out of memory");
    if (ok)
        held_find(&held, dynamics);
    ok = ok &&
         (least_norm_init(&system, &own, (size_t)held.count + 1) || status_set(status, STATUS_FAILED, "out of memory"));
    ok = ok && robot_dynamics_accelerate(dynamics, NULL, qacc, status);
    for (int i = 0; ok && i < held.count; i++)
        ok = dynamics_answer(dynamics, held.J + (size_t)i * n, held.Y + (size_t)i * n, status);
    if (ok && held.count > 0) {
        system.count = held.count;
        for (int i = 0; i < held.count; i++) {
            b[i] = held.right[i];
            for (size_t k = 0; k < n; k++)
                b[i] -= held.J[(size_t)i * n + k] * qacc[k];
            for (int j = 0; j < held.count; j++) {
                double sum = 0.0;
                for (size_t k = 0; k < n; k++)
                    sum += held.J[(size_t)i * n + k] * held.Y[(size_t)j * n + k];
                system.W[i * held.count + j] = sum;
            }
            least_norm_scale(&system, i, system.W[i * held.count + i], dynamics->M[0]);
        }
        least_norm_factor(&system);
        least_norm_solve(&system, b, lambda);
        for (int i = 0; i < held.count; i++)
            for (size_t k = 0; k < n; k++)
                qacc[k] += held.Y[(size_t)i * n + k] * lambda[i];
    }
    arrays_free(&own);
    return ok;
}

bool robot_dynamics_response(RobotDynamics *dynamics, int points, const int body[], const Vec3 at[], double *A,
                             Status *status)
{
    size_t n = (size_t)dynamics->count, rows = 3 * (size_t)points;
    Arrays own = {0};
    double *J = NULL, *Y = NULL;
    bool ok = (OWN_ARRAY(&own, J, rows * n + 1) && OWN_ARRAY(&own, Y, n + 1)) ||
              status_set(status, STATUS_FAILED, "out of memory");
    for (int p = 0; ok && p < points; p++)
        for (size_t k = 0; k < n; k++) {
            Vec3 v = point_velocity(dynamics, (int)k, body[p], at[p]);
            const double parts[3] = {v.x, v.y, v.z};
            for (size_t c = 0; c < 3; c++)
                J[(3 * (size_t)p + c) * n + k] = parts[c];
        }
    for (size_t i = 0; ok && i < rows; i++) {
        ok = dynamics_answer(dynamics, J + i * n, Y, status);
        for (size_t j = 0; ok && j < rows; j++) {
            A[j * rows + i] = 0.0;
            for (size_t k = 0; k < n; k++)
                A[j * rows + i] += J[j * n + k] * Y[k];
        }
    }
    arrays_free(&own);
    return ok;
}
