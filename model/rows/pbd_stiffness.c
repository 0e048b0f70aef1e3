/* SPDX-License-Identifier: MIT */
#include "model/rows/pbd_stiffness.h"

#include "model/block.h"

/* s: the step that XPBD is compared at. */
static const double PBD_STEP = 1.0 / 60.0;

static Vec3 row_part(const double J[ROW_WIDTH], int part)
{
    return vec3(J[3 * part], J[3 * part + 1], J[3 * part + 2]);
}

/* J M^-1 J^T of one row: of two bodies, or of a volume's four particles. */
static double row_weight(const World *world, const Block *block, const double J[ROW_WIDTH])
{
    double w = 0.0;
    bool volume = block->kind == BLOCK_VOLUME;
    for (int k = 0; k < 4; k++) {
        int body = block->body[volume ? k : k / 2];
        Vec3 part = row_part(J, k);
        bool turns = !volume && k % 2 == 1;
        Vec3 moved = turns ? world_inv_inertia_mul(world, body, part) : vec3_scale(world->mass[body].inv_mass, part);
        w += vec3_dot(part, moved);
    }
    return w;
}

void world_freeze_stiffness(World *world)
{
    for (int b = 0; b < world->joint_block_count; b++) {
        const Block *block = &world->blocks[b];
        JointTerms *terms = joint_terms(block);
        Rows rows;
        double w = 0.0;
        if (terms->compliance == 0.0 || !isnan(terms->stiffness))
            continue;
        block_rows(world, block, &rows);
        for (int i = 0; i < rows.count; i++)
            w += row_weight(world, block, rows.J[i]) / rows.count;
        if (rows.count > 0)
            terms->stiffness = w / (w + terms->compliance / (PBD_STEP * PBD_STEP));
    }
}
