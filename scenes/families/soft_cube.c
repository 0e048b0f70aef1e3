/* SPDX-License-Identifier: MIT */
/* soft_cube: how well does a solver keep the volumes of a soft body?
 * n^3 cells, each cut into five tetrahedra: one of the corners whose x + y + z is even, and one at each odd corner with
 * its three neighbours. That choice makes the diagonals of neighbouring cells agree. Edges are compliant distance
 * joints, volumes are rigid rows 6 (V - V0) unless softened. */
#include "scenes/list.h"
#include "scenes/parts.h"

typedef struct SoftCubeParams {
    int n;
    double compliance, volume_compliance, damping, size, density, gravity;
} SoftCubeParams;

static const Setting SOFT_CUBE_SETTINGS[] = {
    PARAM_INT(SoftCubeParams, n, "cells along an edge", 4, 1, 60),
    PARAM_REAL(SoftCubeParams, compliance, "of every edge (m/N)", 1e-4, 0, 1e9),
    PARAM_REAL(SoftCubeParams, volume_compliance, "of every tetrahedron's 6 V (m^5/N)", 0, 0, 1e9),
    PARAM_REAL(SoftCubeParams, damping, "along every edge (1/s)", 0, 0, 1e6),
    PARAM_REAL(SoftCubeParams, size, "edge of the cube (m)", 1, 1e-3, 1e3),
    PARAM_REAL(SoftCubeParams, density, "(kg/m^3)", 1000, DENSITY_MIN, DENSITY_MAX),
    PARAM_GRAVITY(SoftCubeParams),
};

/* A corner of the grid, 0..n along each axis. */
typedef struct Corner {
    int at[3];
} Corner;

static Corner corner_step(Corner corner, int axis, int by)
{
    corner.at[axis] += by;
    return corner;
}

static bool corner_is_even(Corner corner)
{
    return (corner.at[0] + corner.at[1] + corner.at[2]) % 2 == 0;
}

static int corner_body(const SoftCubeParams *p, Corner corner)
{
    int side = p->n + 1;
    return 1 + corner.at[0] + side * (corner.at[1] + side * corner.at[2]);
}

/* The corner numbered `index` of a grid with `side` corners along an edge. */
static Corner corner_of(int index, int side)
{
    return (Corner){{index % side, index / side % side, index / (side * side)}};
}

/* A particle has an eighth of every cell it belongs to. The top face is at y = 0, held by the world. */
static bool cube_add_particles(World *world, const SoftCubeParams *p, Status *status)
{
    int side = p->n + 1, pins = 0;
    double cell = p->size / p->n;
    for (int i = 0; i < side * side * side; i++) {
        Corner corner = corner_of(i, side);
        double mass = p->density * cell * cell * cell;
        for (int axis = 0; axis < 3; axis++)
            mass *= corner.at[axis] == 0 || corner.at[axis] == p->n ? 0.5 : 1.0;
        Vec3 at = vec3(corner.at[0] * cell - 0.5 * p->size, corner.at[1] * cell - p->size,
                       corner.at[2] * cell - 0.5 * p->size);
        BodyDef particle = part_particle(mass, at);
        int body = part_add_body(world, &particle, "particle", i + 1, status);
        JointDef pin = part_joint_at(JOINT_BALL, 0, body, at, vec3(0, 1, 0));
        if (body < 0 || (corner.at[1] == p->n && part_add_joint(world, &pin, "pin", ++pins, status) < 0))
            return false;
    }
    return true;
}

static bool cube_add_edge(World *world, const SoftCubeParams *p, Corner one, Corner two, int *number, Status *status)
{
    JointDef edge = joint_def(JOINT_DISTANCE, corner_body(p, one), corner_body(p, two));
    edge.local_anchors = true;
    edge.compliance = p->compliance;
    edge.damping = p->damping;
    return part_add_joint(world, &edge, "edge", ++*number, status) >= 0;
}

/* From every corner the edge along each axis, and in each square that begins there the diagonal of its even corners. */
static bool cube_add_edges(World *world, const SoftCubeParams *p, Status *status)
{
    int side = p->n + 1, edges = 0;
    for (int i = 0; i < side * side * side; i++) {
        Corner here = corner_of(i, side);
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3;
            Corner along = corner_step(here, a, 1), across = corner_step(here, b, 1);
            if (along.at[a] > p->n)
                continue;
            if (!cube_add_edge(world, p, here, along, &edges, status))
                return false;
            if (across.at[b] > p->n)
                continue;
            bool even = corner_is_even(here);
            if (!cube_add_edge(world, p, even ? here : along, even ? corner_step(along, b, 1) : across, &edges, status))
                return false;
        }
    }
    return true;
}

/* Four corners in an order that makes the volume positive. */
static bool cube_add_tetrahedron(World *world, const SoftCubeParams *p, const Corner corner[4], int *number,
                                 Status *status)
{
    JointDef volume = joint_def(JOINT_VOLUME, 0, 0);
    Vec3 x[4];
    for (int i = 0; i < 4; i++) {
        volume.body[i] = corner_body(p, corner[i]);
        x[i] = world->bodies[volume.body[i]].position;
    }
    Vec3 normal = vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0]));
    if (vec3_dot(normal, vec3_sub(x[3], x[0])) < 0.0) {
        int swapped = volume.body[2];
        volume.body[2] = volume.body[3];
        volume.body[3] = swapped;
    }
    volume.compliance = p->volume_compliance;
    return part_add_joint(world, &volume, "volume", ++*number, status) >= 0;
}

static bool cube_add_cell(World *world, const SoftCubeParams *p, Corner first, int *number, Status *status)
{
    Corner inner[4];
    int inners = 0;
    for (int k = 0; k < 8; k++) {
        Corner bits = corner_of(k, 2), corner = first;
        for (int axis = 0; axis < 3; axis++)
            corner.at[axis] += bits.at[axis];
        if (corner_is_even(corner)) {
            inner[inners++] = corner;
            continue;
        }
        Corner outer[4] = {corner};
        for (int axis = 0; axis < 3; axis++)
            outer[axis + 1] = corner_step(corner, axis, bits.at[axis] ? -1 : 1);
        if (!cube_add_tetrahedron(world, p, outer, number, status))
            return false;
    }
    return cube_add_tetrahedron(world, p, inner, number, status);
}

static bool cube_add_cells(World *world, const SoftCubeParams *p, Status *status)
{
    int tetrahedra = 0;
    for (int i = 0; i < p->n * p->n * p->n; i++)
        if (!cube_add_cell(world, p, corner_of(i, p->n), &tetrahedra, status))
            return false;
    return true;
}

/* No tetrahedron is inverted: 6 V > 0. */
static bool soft_cube_settled(const Problem *problem, const World *world)
{
    (void)problem;
    for (int b = 0; b < world->joint_block_count; b++) {
        const Block *block = &world->blocks[b];
        Vec3 gradient[4];
        if (block->kind == BLOCK_VOLUME && !(block_volume(world, block, gradient) + block->seat->rest > 0.0))
            return false;
    }
    return true;
}

static bool soft_cube_build(Problem *problem, const void *params, Status *status)
{
    const SoftCubeParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    if (!cube_add_particles(world, p, status) || !cube_add_edges(world, p, status) || !cube_add_cells(world, p, status))
        return false;
    problem->time = 5.0;
    problem->conserves = p->damping == 0.0 ? CONSERVES_ENERGY : 0;
    problem->passive = true;
    problem->settled = soft_cube_settled;
    problem_set_scales(problem, 0.5 * p->size);
    return part_keep(problem, p, sizeof *p, status);
}

const Scene soft_cube_scene = {
    .name = "soft_cube",
    .question = "How well are the volumes of a soft body kept?",
    .about = "A cube of n^3 cells, each cut into five tetrahedra, of particles that have the mass of the cells around "
             "them. Every edge is a compliant distance joint, every tetrahedron a `volume` joint. The top face is held "
             "by ball joints at y = 0; the cube is released unstrained and swings about where it hangs.\n"
             "Every tetrahedron should keep its volume (volume_error_max), and without damping the energy stays, "
             "elastic energy included. There is no closed form. The rows are redundant: as placed, 224 of the 320 of n "
             "= 4 are "
             "independent, against 300 free coordinates.\n"
             "settled: no tetrahedron is inverted. Energy is measured against a fall by half the cube.",
    .lectures = "002",
    SCENE_PARAMS(SOFT_CUBE_SETTINGS, SoftCubeParams),
    .build = soft_cube_build,
};
