/* SPDX-License-Identifier: MIT */
/* Bricard's loop: six links along the edges of a cube, one of them the world, on hinges whose axes are normal to both
 * of their links. By Gruebler's count it is rigid, 6 (6 - 1) - 6 x 5 = 0; yet it moves, turning itself inside out: one
 * row in thirty follows from the others. A benchmark of multibody dynamics (Gonzalez et al. 2006, IFToMM's library).
 *
 *   from (0,0,0) along +x, -y, +z, -x, +y of the length each; back along -z through the world */
#include "scenes/list.h"
#include "scenes/parts.h"

enum { BRICARD_LINKS = 5 };

/* It is one loop while its hinges gape by less than this part of a link. */
#define BRICARD_GAP_MAX 0.05

typedef struct BricardParams {
    double length, thickness, mass, gravity;
} BricardParams;

static const Vec3 ALONG[BRICARD_LINKS] = {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, 1, 0}};

/* Of the hinge that link i hangs on, the last of the loop's end: normal to the links that it joins. */
static const Vec3 AXES[BRICARD_LINKS + 1] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};

static bool bricard_settled(const Problem *problem, const World *world)
{
    const BricardParams *p = (const BricardParams *)problem->params;
    return part_holds(world, BRICARD_GAP_MAX * p->length);
}

/* As long along its edge as that is, and across as thick as asked. */
static double link_edge(const BricardParams *p, double along)
{
    return along != 0.0 ? p->length : p->thickness;
}

static bool bricard_add_link(World *world, const BricardParams *p, int i, Vec3 start, Status *status)
{
    Vec3 a = ALONG[i];
    double x = link_edge(p, a.x), y = link_edge(p, a.y), z = link_edge(p, a.z);
    BodyDef box = part_box(x, y, z, p->mass / (x * y * z));
    box.position = vec3_add_scaled(start, 0.5 * p->length, a);
    JointDef hinge = part_joint_at(JOINT_HINGE, i, i + 1, start, AXES[i]);
    return part_add_body(world, &box, "link", i + 1, status) >= 0 &&
           part_add_joint(world, &hinge, "hinge", i + 1, status) >= 0;
}

static bool bricard_build(Problem *problem, const void *params, Status *status)
{
    const BricardParams *p = params;
    World *world = problem->world;
    Vec3 end = VEC3_ZERO;
    part_set_gravity(world, p->gravity);
    world->collide = false;
    for (int i = 0; i < BRICARD_LINKS; i++) {
        if (!bricard_add_link(world, p, i, end, status))
            return false;
        end = vec3_add_scaled(end, p->length, ALONG[i]);
    }
    JointDef last = part_joint_at(JOINT_HINGE, 0, BRICARD_LINKS, end, AXES[BRICARD_LINKS]);
    if (part_add_joint(world, &last, "hinge", BRICARD_LINKS + 1, status) < 0)
        return false;
    problem->time = 5.0;
    problem->conserves = CONSERVES_ENERGY;
    problem->passive = true;
    problem->reference = true;
    problem->settled = bricard_settled;
    /* No centre falls further than the cube's diagonal and half a link. */
    problem_set_scales(problem, (sqrt(3.0) + 0.5) * p->length);
    return true;
}

static const Setting SETTINGS[] = {
    PARAM_REAL(BricardParams, length, "of a link (m)", 1, 1e-3, 1e3),
    PARAM_REAL(BricardParams, thickness, "of a link (m)", 0.1, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(BricardParams, mass, "of a link (kg)", 10, 1e-6, 1e6),
    PARAM_GRAVITY(BricardParams),
};

const Scene bricard_scene = {
    .name = "bricard",
    .question = "Does a loop in space hold that is redundant and yet moves?",
    .about = "Bricard's mechanism: five bars `link1` ... `link5` and the world, six edges of a cube, on six hinges "
             "whose axes "
             "stand normal to both of their links. Counted, it has no freedom; it moves all the same, turning inside "
             "out: one "
             "of its thirty rows follows from the others.\n"
             "It falls from rest. Its links pull at the hinges across their axes, so a row solved by itself turns what "
             "others hold: position-based solvers with one iteration gain energy, the sooner the shorter their "
             "substeps, and "
             "blow up; with the rows of a joint together (`xpbd_block`) they do not.\n"
             "Truth: `reference`. settled: no hinge gapes by more than a twentieth of a link. Energy is measured "
             "against the fall of all links by the cube's diagonal and half a link.",
    .lectures = "000, 002",
    SCENE_PARAMS(SETTINGS, BricardParams),
    .build = bricard_build,
};
