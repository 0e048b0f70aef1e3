/* SPDX-License-Identifier: MIT */
#include "solvers/tree/loops.h"

#include "model/array.h"

#include <string.h>

/* A pivot below this share of its diagonal is lost, and so is a row that moves the tree less than this share of what it
 * would move free links: positions that are off by d, as inside a Runge-Kutta step, make dependent rows look
 * independent by d^2. */
#define LOOP_PIVOT_LOST 1e-9
/* A pass of the recursion for every row, and a dense matrix of them: beyond this it is no longer a linear-time method.
 */
enum { LOOP_ROWS_MAX = 120 };

/* Counts the rows of the joints that are cut, and lists their blocks if `block` is there. */
static int loops_count_rows(const Articulated *tree, const World *world, int *blocks, int *block)
{
    int rows = 0;
    *blocks = 0;
    for (int j = 0; j < world->joint_count; j++) {
        const Joint *joint = &world->joints[j];
        for (int b = joint->first_block; tree->cut[j] && b < joint->first_block + joint->block_count; b++) {
            if (block)
                block[*blocks] = b;
            (*blocks)++;
            rows += block_row_count(world->blocks[b].kind);
        }
    }
    return rows;
}

/* Limits and drives are the tree's business: on a joint that is cut there is no coordinate to hold. */
static bool loops_refuse(const Articulated *tree, const World *world, int rows, Status *status)
{
    for (int b = 0; b < world->joint_block_count; b++) {
        const Block *block = &world->blocks[b];
        if (tree->cut[block->joint] && (block_is_limit(block) || block_is_drive(block)))
            return status_set(status, STATUS_UNSUPPORTED,
                              "solver featherstone cannot run this scene: joint %s closes a loop and has a limit or "
                              "a drive",
                              world->joints[block->joint].def.name);
    }
    return rows <= LOOP_ROWS_MAX ||
           status_set(status, STATUS_UNSUPPORTED,
                      "solver featherstone cannot run this scene: its loops have %d rows, more than %d", rows,
                      LOOP_ROWS_MAX);
}

bool loops_init(Loops *loops, const Articulated *tree, const World *world, Status *status)
{
    int blocks, rows = loops_count_rows(tree, world, &blocks, NULL);
    *loops = (Loops){0};
    if (!loops_refuse(tree, world, rows, status))
        return false;
    size_t n = (size_t)rows + 1;
    bool ok = OWN_ARRAY(&loops->arrays, loops->block, (size_t)blocks + 1) &&
              OWN_ARRAY(&loops->arrays, loops->rows, (size_t)blocks + 1) &&
              OWN_ARRAY(&loops->arrays, loops->load, (size_t)world->body_count) &&
              OWN_ARRAY(&loops->arrays, loops->W, n * n) && OWN_ARRAY(&loops->arrays, loops->G, n * n) &&
              OWN_ARRAY(&loops->arrays, loops->R, n * n) && OWN_ARRAY(&loops->arrays, loops->scale, n) &&
              OWN_ARRAY(&loops->arrays, loops->right, n) && OWN_ARRAY(&loops->arrays, loops->lambda, n) &&
              OWN_ARRAY(&loops->arrays, loops->pivot, n);
    if (!ok)
        return status_set(status, STATUS_FAILED, "out of memory");
    loops_connect(loops, tree, world);
    return true;
}

void loops_free(Loops *loops)
{
    arrays_free(&loops->arrays);
}

void loops_connect(Loops *loops, const Articulated *tree, const World *world)
{
    loops_count_rows(tree, world, &loops->block_count, loops->block);
}

double loops_evaluate(Loops *loops, const World *world)
{
    double largest = 0.0;
    loops->row_count = 0;
    for (int k = 0; k < loops->block_count; k++) {
        const Block *block = &world->blocks[loops->block[k]];
        Rows *rows = &loops->rows[k];
        block_rows(world, block, rows);
        loops->row_count += rows->count;
        for (int i = 0; i < rows->count; i++)
            largest = fmax(largest, fabs(rows->C[i]) / block_scale(world, block->kind));
    }
    return largest;
}

/* J u of one row, u given as the links' A. */
static double row_rate(const Articulated *tree, const Block *block, const double J[ROW_WIDTH])
{
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        int link = tree->link_of_body[block->body[k]];
        if (link < 0)
            continue;
        const double *A = tree->links[link].moves->A, *j = J + 6 * k;
        sum += j[0] * A[3] + j[1] * A[4] + j[2] * A[5] + j[3] * A[0] + j[4] * A[1] + j[5] * A[2];
    }
    return sum;
}

/* J V of one row at the world's velocities. */
static double row_velocity(const World *world, const Block *block, const double J[ROW_WIDTH])
{
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        Velocity u = world->velocity[block->body[k]];
        const double *j = J + 6 * k;
        sum += vec3_dot(vec3(j[0], j[1], j[2]), u.v) + vec3_dot(vec3(j[3], j[4], j[5]), u.w);
    }
    return sum;
}

/* J^T lambda acts on the links. A particle takes no torque. */
static void row_push(Articulated *tree, const Block *block, const double J[ROW_WIDTH], double lambda)
{
    for (int k = 0; k < 2; k++) {
        int index = tree->link_of_body[block->body[k]];
        if (index < 0)
            continue;
        Link *link = &tree->links[index];
        for (int i = 0; i < 3; i++) {
            link->at->p[3 + i] -= lambda * J[6 * k + i];
            link->at->p[i] -= link->particle ? 0.0 : lambda * J[6 * k + 3 + i];
        }
    }
}

static void load_keep(Loops *loops, const Articulated *tree)
{
    for (int i = 0; i < tree->link_count; i++) {
        const Link *link = &tree->links[i];
        LoopLoad *load = &loops->load[i];
        memcpy(load->c, link->at->c, sizeof link->at->c);
        memcpy(load->p, link->at->p, sizeof link->at->p);
        memcpy(load->given, link->moves->given, sizeof link->moves->given);
        memcpy(load->qddot, link->moves->qddot, sizeof link->moves->qddot);
    }
}

static void load_restore(const Loops *loops, Articulated *tree)
{
    for (int i = 0; i < tree->link_count; i++) {
        Link *link = &tree->links[i];
        const LoopLoad *load = &loops->load[i];
        memcpy(link->at->c, load->c, sizeof link->at->c);
        memcpy(link->at->p, load->p, sizeof link->at->p);
        memcpy(link->moves->given, load->given, sizeof link->moves->given);
        memcpy(link->moves->qddot, load->qddot, sizeof link->moves->qddot);
    }
}

/* J M^-1 J^T of one row: what it would move if the links were free. */
static double row_mobility(const World *world, const Block *block, const double J[ROW_WIDTH])
{
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        int i = block->body[k];
        const double *j = J + 6 * k;
        Vec3 v = vec3(j[0], j[1], j[2]), w = quat_rotate_inverse(world->pose[i].q, vec3(j[3], j[4], j[5]));
        Vec3 I = world->mass[i].inv_inertia;
        sum += world->mass[i].inv_mass * vec3_dot(v, v) + I.x * w.x * w.x + I.y * w.y * w.y + I.z * w.z * w.z;
    }
    return sum;
}

/* Column j of J W J^T into row j: what a unit of row j moves. */
static void loops_try_row(Loops *loops, Articulated *tree, const World *world, const Block *block,
                          const double J[ROW_WIDTH], int j)
{
    articulated_unload(tree);
    row_push(tree, block, J, 1.0);
    articulated_solve(tree);
    for (int k = 0, i = 0; k < loops->block_count; k++)
        for (int a = 0; a < loops->rows[k].count; a++, i++)
            loops->W[j * loops->row_count + i] = row_rate(tree, &world->blocks[loops->block[k]], loops->rows[k].J[a]);
}

static void loops_assemble(Loops *loops, Articulated *tree, const World *world)
{
    int n = loops->row_count;
    for (int k = 0, j = 0; k < loops->block_count; k++)
        for (int a = 0; a < loops->rows[k].count; a++, j++) {
            const Block *block = &world->blocks[loops->block[k]];
            loops_try_row(loops, tree, world, block, loops->rows[k].J[a], j);
            double moved = loops->W[j * n + j], free = row_mobility(world, block, loops->rows[k].J[a]);
            loops->scale[j] = moved > LOOP_PIVOT_LOST * free ? 1.0 / sqrt(moved) : 0.0;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            loops->W[i * n + j] = loops->W[j * n + i] =
                0.5 * (loops->W[i * n + j] + loops->W[j * n + i]) * loops->scale[i] * loops->scale[j];
}

/* The row that has most of its diagonal left after r columns of G, or -1; *left is that much. */
static int loops_find_pivot(const Loops *loops, int r, double *left)
{
    int n = loops->row_count, best = -1;
    *left = LOOP_PIVOT_LOST;
    for (int i = 0; i < n; i++) {
        double rest = loops->W[i * n + i];
        for (int k = 0; k < r; k++)
            rest -= loops->G[i * n + k] * loops->G[i * n + k];
        if (rest > *left) {
            *left = rest;
            best = i;
        }
    }
    return best;
}

/* Cholesky's factor with the largest pivot first, as far as there is one: W = G G^T, G of n x rank, row i of G that of
 * row i of W; the rows of the pivots are a triangle. */
static void loops_factor(Loops *loops)
{
    int n = loops->row_count, best;
    double *G = loops->G, left;
    for (loops->rank = 0; loops->rank < n && (best = loops_find_pivot(loops, loops->rank, &left)) >= 0; loops->rank++) {
        int r = loops->rank;
        loops->pivot[r] = best;
        for (int i = 0; i < n; i++) {
            double sum = loops->W[i * n + best];
            for (int k = 0; k < r; k++)
                sum -= G[i * n + k] * G[best * n + k];
            G[i * n + r] = sum / sqrt(left);
        }
        for (int k = 0; k < r; k++) /* done with: nothing of their diagonal is left but round-off */
            G[loops->pivot[k] * n + r] = 0.0;
    }
}

/* G = Q R by Gram and Schmidt, each column made normal to the others twice, which is as good as once exactly. Q takes
 * the place of G. */
static void loops_orthogonalise(Loops *loops)
{
    int n = loops->row_count;
    double *Q = loops->G, *R = loops->R;
    for (int c = 0; c < loops->rank; c++) {
        for (int k = 0; k <= c; k++)
            R[k * n + c] = 0.0;
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < c; k++) {
                double dot = 0.0;
                for (int i = 0; i < n; i++)
                    dot += Q[i * n + k] * Q[i * n + c];
                R[k * n + c] += dot;
                for (int i = 0; i < n; i++)
                    Q[i * n + c] -= dot * Q[i * n + k];
            }
        double square = 0.0;
        for (int i = 0; i < n; i++)
            square += Q[i * n + c] * Q[i * n + c];
        R[c * n + c] = sqrt(square);
        for (int i = 0; i < n; i++)
            Q[i * n + c] /= R[c * n + c];
    }
}

/* W lambda = right on the rows of the pivots: G_p y = right_p, and of all that G^T lambda = y the shortest, lambda =
 * Q R^-T y. */
static void loops_solve(Loops *loops)
{
    int n = loops->row_count;
    double *y = loops->lambda, *x = loops->right;
    for (int r = 0; r < loops->rank; r++) {
        int row = loops->pivot[r];
        y[r] = loops->scale[row] * x[row];
        for (int k = 0; k < r; k++)
            y[r] -= loops->G[row * n + k] * y[k];
        y[r] /= loops->G[row * n + r];
    }
    loops_orthogonalise(loops);
    for (int r = 0; r < loops->rank; r++) {
        for (int k = 0; k < r; k++)
            y[r] -= loops->R[k * n + r] * y[k];
        y[r] /= loops->R[r * n + r];
    }
    for (int i = 0; i < n; i++) {
        x[i] = 0.0;
        for (int r = 0; r < loops->rank; r++)
            x[i] += loops->G[i * n + r] * y[r];
    }
    for (int i = 0; i < n; i++)
        loops->lambda[i] = loops->scale[i] * x[i];
}

/* -(J A0 + k) */
static void loops_take_right(Loops *loops, const Articulated *tree, const World *world, LoopLevel level)
{
    for (int k = 0, i = 0; k < loops->block_count; k++) {
        const Block *block = &world->blocks[loops->block[k]];
        const Rows *rows = &loops->rows[k];
        double bias[BLOCK_MAX_ROWS];
        block_rows_bias(world, block, bias);
        for (int a = 0; a < rows->count; a++, i++) {
            double wanted = level == LOOPS_ACCELERATION ? bias[a] : rows->C[a];
            if (level == LOOPS_VELOCITY)
                wanted = row_velocity(world, block, rows->J[a]);
            loops->right[i] = -(row_rate(tree, block, rows->J[a]) + wanted);
        }
    }
}

int loops_close(Loops *loops, Articulated *tree, const World *world, LoopLevel level)
{
    if (loops->row_count == 0)
        return 0;
    loops_take_right(loops, tree, world, level);
    load_keep(loops, tree);
    loops_assemble(loops, tree, world);
    load_restore(loops, tree);
    loops_factor(loops);
    loops_solve(loops);
    for (int k = 0, i = 0; k < loops->block_count; k++)
        for (int a = 0; a < loops->rows[k].count; a++, i++)
            row_push(tree, &world->blocks[loops->block[k]], loops->rows[k].J[a], loops->lambda[i]);
    articulated_solve(tree);
    return loops->row_count + 1;
}

bool loops_are_dependent(const Loops *loops)
{
    return loops->rank < loops->row_count;
}

void loops_add_reactions(const Loops *loops, const World *world, double share, Vec3 *impulse)
{
    for (int k = 0, i = 0; k < loops->block_count; k++) {
        int b = loops->block[k], first = block_unit(world->blocks[b].kind) == UNIT_ANGLE ? 9 : 6;
        for (int a = 0; a < loops->rows[k].count; a++, i++) {
            const double *J = loops->rows[k].J[a] + first;
            impulse[b] = vec3_add_scaled(impulse[b], share * loops->lambda[i], vec3(J[0], J[1], J[2]));
        }
    }
}
