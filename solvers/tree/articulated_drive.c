/* SPDX-License-Identifier: MIT */
#include "solvers/tree/articulated_drive.h"

#include <stdlib.h>

bool drives_init(Drives *drives, const World *world)
{
    *drives = (Drives){.rows = calloc((size_t)world->joint_block_count + 1, sizeof(DriveRow))};
    return drives->rows;
}

void drives_free(Drives *drives)
{
    free(drives->rows);
}

/* The coordinate that a block acts on, or -1: a particle's directions do not turn. */
static int drive_dof(const Link *link, BlockKind kind)
{
    if (kind == BLOCK_SLIDE)
        return link->turn == TURN_AXIS ? 1 : 0;
    if (link->turn == TURN_AXIS && kind == BLOCK_TWIST)
        return 0;
    if (link->turn == TURN_FREE && (kind == BLOCK_SWING || kind == BLOCK_TWIST))
        return kind == BLOCK_SWING ? 0 : 1;
    return -1;
}

void drives_connect(Drives *drives, const Articulated *tree, const World *world)
{
    drives->count = 0;
    for (int i = 0; i < tree->link_count; i++) {
        const Link *link = &tree->links[i];
        if (link->joint < 0)
            continue;
        const Joint *joint = &world->joints[link->joint];
        for (int b = joint->first_block; b < joint->first_block + joint->block_count; b++) {
            BlockKind kind = world->blocks[b].kind;
            if (kind != BLOCK_SLIDE && kind != BLOCK_TWIST && kind != BLOCK_SWING)
                continue;
            int dof = drive_dof(link, kind);
            if (dof >= 0)
                drives->rows[drives->count++] = (DriveRow){.block = b, .link = i, .dof = dof};
        }
    }
}

void drives_begin(Drives *drives, const Articulated *tree, const World *world, double h)
{
    for (int k = 0; k < drives->count; k++) {
        DriveRow *row = &drives->rows[k];
        const Link *link = &tree->links[row->link];
        const Block *block = &world->blocks[row->block];
        BlockError error;
        block_error(world, block, &error);
        if (!error.active || !(error.lower < error.upper)) { /* undefined here, or a drive without force */
            row->state = DRIVE_OFF;
            continue;
        }
        row->scale = link->turn == TURN_FREE ? vec3_norm(error.gradient) : 1.0;
        row->rate = row->scale * link_speed(link, link_state(link, tree->state), world, row->dof);
        row->wanted = -error.C / h;
        row->lower = error.lower;
        row->upper = error.upper;
        /* A limit may have changed ends since; its state belonged to the other one. */
        bool stale =
            (row->state == DRIVE_AT_LOWER && isinf(row->lower)) || (row->state == DRIVE_AT_UPPER && isinf(row->upper));
        if (row->state == DRIVE_OFF || stale)
            row->state = row->lower == 0.0 ? DRIVE_AT_LOWER : row->upper == 0.0 ? DRIVE_AT_UPPER : DRIVE_HOLDS;
    }
}

static void drive_set(const DriveRow *row, Link *link, double qddot, bool with_forces)
{
    double lambda = row->state == DRIVE_AT_LOWER ? row->lower : row->state == DRIVE_AT_UPPER ? row->upper : 0.0;
    link->prescribed[row->dof] = row->state == DRIVE_HOLDS;
    link->moves->given[row->dof] = with_forces ? row->scale * lambda : 0.0;
    if (row->state == DRIVE_HOLDS)
        link->moves->qddot[row->dof] = qddot;
}

void drives_reach(const Drives *drives, Articulated *tree, double time, bool with_forces)
{
    for (int k = 0; k < drives->count; k++) {
        const DriveRow *row = &drives->rows[k];
        double qddot = row->state == DRIVE_HOLDS ? (row->wanted - row->rate) / (time * row->scale) : 0.0;
        drive_set(row, &tree->links[row->link], qddot, with_forces);
    }
}

/* C'' = g.(w2' - w1') + k = scale (qddot + basis.c) + k = 0; a coordinate of its own needs qddot = 0. */
void drives_hold(const Drives *drives, Articulated *tree, const World *world)
{
    for (int k = 0; k < drives->count; k++) {
        const DriveRow *row = &drives->rows[k];
        Link *link = &tree->links[row->link];
        double qddot = 0.0, bias[BLOCK_MAX_ROWS];
        if (row->state == DRIVE_HOLDS && link->turn == TURN_FREE) {
            block_rows_bias(world, &world->blocks[row->block], bias);
            qddot = -bias[0] / row->scale -
                    vec3_dot(link->own->basis[row->dof], vec3(link->at->c[0], link->at->c[1], link->at->c[2]));
        }
        drive_set(row, link, qddot, true);
    }
}

bool drives_revise(Drives *drives, const Articulated *tree, double h)
{
    bool changed = false;
    for (int k = 0; k < drives->count; k++) {
        DriveRow *row = &drives->rows[k];
        const Link *link = &tree->links[row->link];
        DriveState before = row->state;
        double lambda = link_torque(link, row->dof) / row->scale,
               end = row->rate + h * row->scale * link->moves->qddot[row->dof];
        if (before == DRIVE_HOLDS && lambda < row->lower)
            row->state = DRIVE_AT_LOWER;
        else if (before == DRIVE_HOLDS && lambda > row->upper)
            row->state = DRIVE_AT_UPPER;
        else if ((before == DRIVE_AT_LOWER && end < row->wanted) || (before == DRIVE_AT_UPPER && end > row->wanted))
            row->state = DRIVE_HOLDS;
        changed = changed || row->state != before;
    }
    return changed;
}

bool drives_jump(const Drives *drives)
{
    for (int k = 0; k < drives->count; k++)
        if (drives->rows[k].state == DRIVE_HOLDS && drives->rows[k].wanted != drives->rows[k].rate)
            return true;
    return false;
}
