/* SPDX-License-Identifier: MIT */
/* What MJCF's links weigh: as <inertial> says, or, without it, what all their geoms weigh, decoration included; then
 * what the compiler's bounds ask for. */
#include "scenes/robot/mjcf/mjcf.h"

/* Inertia of a mass about a point at this distance from its centre: m (d.d 1 - d d^T). */
static void add_shifted(Mat3 *to, Mat3 inertia, double mass, Vec3 d)
{
    double square = vec3_dot(d, d);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            to->m[i][j] += inertia.m[i][j] + mass * ((i == j ? square : 0.0) - vec3_get(d, i) * vec3_get(d, j));
}

static bool weigh(const Robot *robot, RobotLink *link)
{
    link->mass = 0.0;
    link->centre = VEC3_ZERO;
    link->inertia = (Mat3){0};
    for (int i = 0; i < link->geom_count; i++) {
        const RobotGeom *geom = &robot->geoms.items[link->first_geom + i];
        MassProperties solid = robot_geom_solid(robot, geom);
        if (!geom->weighs)
            continue;
        if (geom->kind == GEOM_MESH && !robot->meshes.items[geom->mesh].closed && solid.mass > 0.0)
            return xml_fail(geom->at, "the mesh is no closed surface, and so has no mass: give the body an inertial");
        link->mass += solid.mass;
        link->centre = vec3_add_scaled(link->centre, solid.mass, geom->pose.x);
    }
    if (!(link->mass > 0.0))
        return true;
    link->centre = vec3_scale(1.0 / link->mass, link->centre);
    for (int i = 0; i < link->geom_count; i++) {
        const RobotGeom *geom = &robot->geoms.items[link->first_geom + i];
        MassProperties solid = robot_geom_solid(robot, geom);
        if (geom->weighs)
            add_shifted(&link->inertia, robot_turn_inertia(geom->pose.q, solid.inertia), solid.mass,
                        vec3_sub(geom->pose.x, link->centre));
    }
    return isfinite(link->mass) || xml_fail(link->at, "the mass is beyond double precision");
}

/* Bounds from below, of the mass and of each principal moment. */
static bool bound(const Mjcf *mjcf, RobotLink *link)
{
    Quat axes;
    Vec3 m;
    link->mass = fmax(link->mass, mjcf->boundmass);
    if (!(mjcf->boundinertia > 0.0))
        return true;
    if (!inertia_principal_axes(link->inertia, &axes, &m, mjcf->robot->tree->status))
        return false;
    double least = mjcf->boundinertia;
    if (m.x < least || m.y < least || m.z < least)
        link->inertia = mat3_turn_diagonal(axes, vec3(fmax(m.x, least), fmax(m.y, least), fmax(m.z, least)));
    return true;
}

static void scale_to_total(const Mjcf *mjcf)
{
    double total = 0.0;
    Robot *robot = mjcf->robot;
    for (int i = 0; i < robot->links.count; i++)
        total += robot->links.items[i].mass;
    for (int i = 0; total > 0.0 && i < robot->links.count; i++) {
        RobotLink *link = &robot->links.items[i];
        double factor = mjcf->totalmass / total;
        link->mass *= factor;
        for (int k = 0; k < 9; k++)
            link->inertia.m[k / 3][k % 3] *= factor;
    }
}

static bool planes_stand(const Robot *robot)
{
    for (int i = 0; i < robot->links.count; i++) {
        const RobotLink *link = &robot->links.items[i];
        for (int g = link->first_geom; g < link->first_geom + link->geom_count; g++)
            if (robot->geoms.items[g].kind == GEOM_PLANE && link->group >= 0)
                return xml_fail(robot->geoms.items[g].at, "a plane stands on a body that moves");
    }
    return true;
}

bool mjcf_set_masses(Mjcf *mjcf)
{
    Robot *robot = mjcf->robot;
    for (int i = 0; i < robot->links.count; i++) {
        RobotLink *link = &robot->links.items[i];
        bool stated = link->has_inertial && !mjcf->geom_inertia;
        if ((!stated && !mjcf->fixed_inertia && !weigh(robot, link)) || !bound(mjcf, link))
            return false;
    }
    bool ok = robot_check_masses(robot, mjcf->balance) && planes_stand(robot);
    if (ok && mjcf->totalmass > 0.0)
        scale_to_total(mjcf);
    return ok;
}
