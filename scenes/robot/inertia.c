/* SPDX-License-Identifier: MIT */
/* Masses: of geoms by their closed forms, of links; which links are rigidly one; what no body can have is refused. */
#include "scenes/robot/model.h"

/* A flat body has A + B = C exactly; decimals and eigenvalues miss that by round-off. */
static const double TRIANGLE_ROUND_OFF = 1e-12;

Mat3 robot_turn_inertia(Quat turn, Mat3 inertia)
{
    Mat3 r = mat3_from_quat(turn);
    return mat3_mul(mat3_mul(r, inertia), mat3_transpose(r));
}

/* The model's shape, axis y, of a geom whose axis is z. */
static MassProperties round_solid(ShapeKind kind, double radius, double half)
{
    Shape shape = {.kind = kind, .radius = radius, .length = 2.0 * half};
    MassProperties solid = shape_mass_properties(&shape, 1.0);
    double along = solid.inertia.m[1][1];
    solid.inertia.m[1][1] = solid.inertia.m[2][2];
    solid.inertia.m[2][2] = along;
    return solid;
}

static MassProperties ellipsoid_solid(const double *a)
{
    double mass = 4.0 / 3.0 * PI * a[0] * a[1] * a[2];
    return (MassProperties){
        mass, VEC3_ZERO,
        mat3_diagonal(vec3_scale(
            mass / 5.0, vec3(a[1] * a[1] + a[2] * a[2], a[0] * a[0] + a[2] * a[2], a[0] * a[0] + a[1] * a[1])))};
}

static MassProperties unit_solid(const Robot *robot, const RobotGeom *geom)
{
    const double *size = geom->size;
    Shape shape = {0};
    switch (geom->kind) {
    case GEOM_PLANE:
        return (MassProperties){0};
    case GEOM_MESH:
        return robot->meshes.items[geom->mesh].solid;
    case GEOM_ELLIPSOID:
        return ellipsoid_solid(size);
    case GEOM_CAPSULE:
        return round_solid(SHAPE_CAPSULE, size[0], size[1]);
    case GEOM_CYLINDER:
        return round_solid(SHAPE_CYLINDER, size[0], size[1]);
    case GEOM_SPHERE:
        shape = (Shape){.kind = SHAPE_SPHERE, .radius = size[0]};
        break;
    case GEOM_BOX:
        shape = (Shape){.kind = SHAPE_BOX, .size = vec3(2.0 * size[0], 2.0 * size[1], 2.0 * size[2])};
        break;
    }
    return shape_mass_properties(&shape, 1.0);
}

MassProperties robot_geom_solid(const Robot *robot, const RobotGeom *geom)
{
    MassProperties solid = unit_solid(robot, geom);
    double factor = geom->kind == GEOM_PLANE ? 0.0 : geom->has_mass ? geom->mass / solid.mass : geom->density;
    solid.mass *= factor;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            solid.inertia.m[i][j] *= factor;
    return solid;
}

static bool check_inertia(const Robot *robot, RobotLink *link, bool balance)
{
    Quat axes;
    Vec3 m;
    Status *status = robot->tree->status;
    if (link->mass == 0.0 || !inertia_principal_axes(link->inertia, &axes, &m, status))
        return link->mass == 0.0;
    double sum = m.x + m.y + m.z, largest = vec3_largest(m);
    bool none = sum == 0.0 && largest == 0.0;
    if (none)
        return true; /* a point */
    if (2.0 * largest <= sum * (1.0 + TRIANGLE_ROUND_OFF) && m.x > 0.0 && m.y > 0.0 && m.z > 0.0)
        return true;
    if (balance && sum > 0.0) {
        link->inertia = mat3_diagonal(vec3(sum / 3.0, sum / 3.0, sum / 3.0));
        return true;
    }
    return xml_fail(
        link->at,
        "inertia of \"%s\": no body has the moments %g, %g, %g: each is positive and at most the sum of the "
        "other two (-p inertia=balance takes their mean)",
        link->name, m.x, m.y, m.z);
}

/* A link without a joint is one with its parent. */
static void find_groups(Robot *robot)
{
    for (int i = 0; i < robot->links.count; i++) {
        RobotLink *link = &robot->links.items[i];
        link->group = link->joint_count > 0 ? i : link->parent < 0 ? -1 : robot->links.items[link->parent].group;
    }
}

static bool has_extent(const RobotLink *link)
{
    return link->inertia.m[0][0] + link->inertia.m[1][1] + link->inertia.m[2][2] > 0.0;
}

bool robot_check_masses(Robot *robot, bool balance)
{
    find_groups(robot);
    for (int i = 0; i < robot->links.count; i++)
        if (!check_inertia(robot, &robot->links.items[i], balance))
            return false;
    for (int i = 0; i < robot->links.count; i++) {
        const RobotLink *link = &robot->links.items[i];
        double mass = 0.0;
        int heavy = 0;
        bool extent = false;
        for (int k = i; link->group == i && k < robot->links.count; k++) {
            const RobotLink *part = &robot->links.items[k];
            if (part->group != i || part->mass == 0.0)
                continue;
            mass += part->mass;
            extent = extent || has_extent(part) || heavy++ > 0;
        }
        if (link->group == i && !(mass > 0.0))
            return xml_fail(link->at, "\"%s\" moves, and has no mass", link->name);
        if (link->group == i && !extent)
            return xml_fail(link->at, "\"%s\" moves, and has no inertia", link->name);
    }
    return true;
}
