/* SPDX-License-Identifier: MIT */
#include "solvers/tree/loops.h"

#include "model/array.h"

#include <string.h>

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
              least_norm_init(&loops->system, &loops->arrays, n) && OWN_ARRAY(&loops->arrays, loops->right, n) &&
              OWN_ARRAY(&loops->arrays, loops->lambda, n);
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
    articulated_push(tree, block->body, J, 1.0);
    articulated_solve(tree);
    for (int k = 0, i = 0; k < loops->block_count; k++)
        for (int a = 0; a < loops->rows[k].count; a++, i++)
            loops->system.W[j * loops->row_count + i] =
                articulated_rate(tree, world->blocks[loops->block[k]].body, loops->rows[k].J[a]);
}

static void loops_assemble(Loops *loops, Articulated *tree, const World *world)
{
    LeastNorm *system = &loops->system;
    int n = system->count = loops->row_count;
    for (int k = 0, j = 0; k < loops->block_count; k++)
        for (int a = 0; a < loops->rows[k].count; a++, j++) {
            const Block *block = &world->blocks[loops->block[k]];
            loops_try_row(loops, tree, world, block, loops->rows[k].J[a], j);
            double moved = system->W[j * n + j], free = row_mobility(world, block, loops->rows[k].J[a]);
            least_norm_scale(system, j, moved, free);
        }
    least_norm_factor(system);
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
            loops->right[i] = -(articulated_rate(tree, block->body, rows->J[a]) + wanted);
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
    least_norm_solve(&loops->system, loops->right, loops->lambda);
    for (int k = 0, i = 0; k < loops->block_count; k++)
        for (int a = 0; a < loops->rows[k].count; a++, i++)
            articulated_push(tree, world->blocks[loops->block[k]].body, loops->rows[k].J[a], loops->lambda[i]);
    articulated_solve(tree);
    return loops->row_count + 1;
}

bool loops_are_dependent(const Loops *loops)
{
    return loops->system.rank < loops->row_count;
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
