/* SPDX-License-Identifier: MIT */
/* Does the thrust line of an arch find its way? A semicircular arch of wedges with radial joints stands iff a line of
 * thrust fits into its thickness: t/R > 0.107478 for the continuous arch, 0.106265 for 15 equal voussoirs. */
#include "scenes/ground.h"
#include "scenes/list.h"

typedef struct ArchParams {
    int voussoirs;
    double radius, thickness, mu, gravity;
} ArchParams;

static const Setting ARCH_SETTINGS[] = {
    PARAM_INT(ArchParams, voussoirs, "how many, all equal", 15, 2, 10000),
    PARAM_REAL(ArchParams, radius, "of the centreline (m)", 10, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(ArchParams, thickness, "radially (m)", 1.2, LENGTH_MIN, LENGTH_MAX),
    PARAM_MU(ArchParams, 0.8),
    PARAM_GRAVITY(ArchParams),
};

/* It stands if no voussoir has moved by more than this part of the radius. */
static const double ARCH_MOVE_MAX = 0.05;

/* Corners at the joints' ends, so that joints are whole; inside and outside are chords. The section is a trapezium:
 * about its centre at distance `centre` from the arch's. */
typedef struct Voussoir {
    double inner, outer, half; /* m, m, rad: half of its angle */
    double centre;
} Voussoir;

static Voussoir arch_voussoir(const ArchParams *p)
{
    Voussoir v = {p->radius - 0.5 * p->thickness, p->radius + 0.5 * p->thickness, 0.5 * PI / p->voussoirs, 0.0};
    /* The chords have width 2 r sin(half) at distance r cos(half): the mean of the distance over the trapezium. */
    double a = v.inner, b = v.outer;
    v.centre = 2.0 / 3.0 * cos(v.half) * (a * a + a * b + b * b) / (a + b);
    return v;
}

/* One voussoir at the crown, about its centre; depth along z is the thickness. */
static Mesh *arch_mesh(const ArchParams *p, const Voussoir *v, Status *status)
{
    Vec3 points[8];
    for (int i = 0; i < 8; i++) {
        double r = i & 1 ? v->outer : v->inner, side = i & 2 ? 1.0 : -1.0, z = i & 4 ? 0.5 : -0.5;
        points[i] = vec3(side * r * sin(v->half), r * cos(v->half) - v->centre, z * p->thickness);
    }
    return mesh_create_hull(8, points, status);
}

/* Voussoir i, counted from the springing at +x. */
static Pose arch_pose(const Voussoir *v, int i)
{
    double angle = (2 * i + 1) * v->half;
    return (Pose){vec3(v->centre * cos(angle), v->centre * sin(angle), 0),
                  quat_axis_angle(vec3(0, 0, 1), angle - 0.5 * PI)};
}

static bool arch_settled(const Problem *problem, const World *world)
{
    const ArchParams *p = problem->data;
    return part_stays(problem, world, ARCH_MOVE_MAX * p->radius);
}

static bool arch_build(Problem *problem, const void *params, Status *status)
{
    const ArchParams *p = params;
    if (p->thickness >= 2.0 * p->radius)
        return status_set(status, STATUS_USAGE, "thickness: must be below twice the radius");
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, 0.0);
    if (ground_add(world, status) < 0)
        return false;
    Voussoir v = arch_voussoir(p);
    BodyDef def = BODY_DEF_INIT;
    Mesh *mesh = arch_mesh(p, &v, status);
    if (!mesh)
        return false;
    def.shape = (Shape){.kind = SHAPE_HULL, .mesh = mesh};
    def.density = GROUND_DENSITY;
    double height = 0.0;
    bool ok = true;
    for (int i = 0; ok && i < p->voussoirs; i++) {
        part_place(&def, arch_pose(&v, i));
        height += def.position.y / p->voussoirs;
        ok = part_add_body(world, &def, "voussoir", i + 1, status) >= 0;
    }
    mesh_destroy(mesh);
    if (!ok)
        return false;
    problem_set_scales(problem, height);
    problem->passive = true;
    problem->rest = true;
    problem->settled = arch_settled;
    return part_keep(problem, p, sizeof *p, status);
}

const Scene arch_scene = {
    .name = "arch",
    .question = "Does an arch stand above its critical thickness and fall below it?",
    .about =
        "A semicircular arch of equal wedges `voussoir1` (on the `ground` at +x) to the last (on the ground at -x), "
        "with radial joints, centreline `radius` about the origin. Inside and outside are chords between the joints' "
        "ends; it is as deep as thick.\n"
        "It stands iff a line of thrust fits into its thickness: thickness / radius > 0.107478 for a continuous arch "
        "(Milankovitch), 0.106265 for 15 equal voussoirs, 0.106068 for them with chords as built; friction of mu = 0.8 "
        "keeps the joints from sliding. A "
        "solver must find that line: load travels from wedge to wedge, so that it needs many sweeps.\n"
        "settled: no voussoir has moved by more than 5 % of the radius: it stands. (Whether it should is the user's "
        "choice of thickness.) Scales: energy = total mass x g x the height of the centre of mass. Time: 10 s.",
    .lectures = "001, 003",
    SCENE_PARAMS(ARCH_SETTINGS, ArchParams),
    .build = arch_build,
};
