/* SPDX-License-Identifier: MIT */
/* cloth: how well does a solver keep many lengths in a grid?
 * Particles in columns 0..nx-1 and rows 0..ny-1, joined along the threads by distance joints; the two corners of row 0
 * are held by the world. Threads alone leave the cloth free to shear, as woven cloth is; rigid diagonals would lock it.
 * A straight rigid thread between two fixed points cannot sag at all (its tension would be infinite), so rows start as
 * arcs of equal chords s: with nx - 1 chords turning through `arc`, p_i = sum of s e(angle_i). */
#include "scenes/list.h"
#include "scenes/parts.h"

/* The cloth has torn when a rigid thread is longer or shorter by more than this part. */
#define CLOTH_STRETCH_MAX 0.1

/* A free cloth crumples: by the estimate of `reference`, 5 x 5 particles can be foretold for 26 sqrt(spacing/g), 10 x
 * 10 for 12 and 20 x 5 for 10 of these. Longer runs of more than this many particles are not worth an attempt. */
#define CLOTH_KNOWN 26.0
enum { CLOTH_CHAOTIC = 25 };
/* Half a second of as many takes `reference` some seconds, of more minutes. */
enum { CLOTH_TRUTH_MAX = 400 };

typedef struct ClothParams {
    int nx, ny;
    double compliance, damping;
    int shear;
    double spacing, mass, arc, gravity;
} ClothParams;

static const Setting CLOTH_SETTINGS[] = {
    PARAM_INT(ClothParams, nx, "particles along a row", 20, 1, 10000),
    PARAM_INT(ClothParams, ny, "rows", 20, 1, 10000),
    PARAM_REAL(ClothParams, compliance, "of every thread and diagonal (m/N)", 0, 0, 1e9),
    PARAM_REAL(ClothParams, damping, "along every thread and diagonal (1/s)", 0, 0, 1e6),
    PARAM_BOOL(ClothParams, shear, "join the diagonals too; with compliance 0 this locks the cloth", false),
    PARAM_REAL(ClothParams, spacing, "between particles (m)", 0.05, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(ClothParams, mass, "of a particle (kg)", 0.01, 1e-9, 1e9),
    PARAM_ANGLE(ClothParams, arc, "that a row turns through as placed; 0: flat", PI / 2, 0, PI),
    PARAM_GRAVITY(ClothParams),
};

static int cloth_body(const ClothParams *p, int column, int row)
{
    return 1 + row * p->nx + column;
}

/* Rows lie in planes of x and y, the first at z = 0; its ends are at y = 0 and the arc hangs below them. */
static bool cloth_add_particles(World *world, const ClothParams *p, Status *status)
{
    int chords = p->nx - 1;
    double bend = chords > 0 ? p->arc / chords : 0.0;
    for (int row = 0; row < p->ny; row++) {
        Vec3 at = vec3(0, 0, row * p->spacing);
        for (int column = 0; column < p->nx; column++) {
            BodyDef particle = part_particle(p->mass, at);
            if (part_add_body(world, &particle, "particle", cloth_body(p, column, row), status) < 0)
                return false;
            double angle = (column - 0.5 * (chords - 1)) * bend;
            at = vec3_add(at, vec3(p->spacing * cos(angle), p->spacing * sin(angle), 0));
        }
    }
    return true;
}

static bool cloth_add_thread(World *world, const ClothParams *p, int body1, int body2, const char *word, int *number,
                             Status *status)
{
    JointDef thread = joint_def(JOINT_DISTANCE, body1, body2);
    thread.local_anchors = true;
    thread.compliance = p->compliance;
    thread.damping = p->damping;
    return part_add_joint(world, &thread, word, ++*number, status) >= 0;
}

static bool cloth_add_threads(World *world, const ClothParams *p, Status *status)
{
    int threads = 0, diagonals = 0;
    for (int row = 0; row < p->ny; row++)
        for (int column = 0; column < p->nx; column++) {
            bool right = column + 1 < p->nx, below = row + 1 < p->ny;
            int here = cloth_body(p, column, row), next = here + 1, under = here + p->nx;
            if ((right && !cloth_add_thread(world, p, here, next, "thread", &threads, status)) ||
                (below && !cloth_add_thread(world, p, here, under, "thread", &threads, status)))
                return false;
            if (p->shear && right && below &&
                !(cloth_add_thread(world, p, here, under + 1, "diagonal", &diagonals, status) &&
                  cloth_add_thread(world, p, next, under, "diagonal", &diagonals, status)))
                return false;
        }
    return true;
}

static bool cloth_add_pins(World *world, const ClothParams *p, Status *status)
{
    for (int k = 0; k < (p->nx > 1 ? 2 : 1); k++) {
        int body = cloth_body(p, k == 0 ? 0 : p->nx - 1, 0);
        JointDef pin = part_joint_at(JOINT_BALL, 0, body, world->bodies[body].position, vec3(0, 1, 0));
        if (part_add_joint(world, &pin, "pin", k + 1, status) < 0)
            return false;
    }
    return true;
}

static bool cloth_settled(const Problem *problem, const World *world)
{
    const ClothParams *p = problem->data;
    return part_holds(world, CLOTH_STRETCH_MAX * p->spacing);
}

static bool cloth_build(Problem *problem, const void *params, Status *status)
{
    const ClothParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    if (!cloth_add_particles(world, p, status) || !cloth_add_pins(world, p, status) ||
        !cloth_add_threads(world, p, status))
        return false;
    problem->time = 5.0;
    problem->conserves = p->damping == 0.0 ? CONSERVES_ENERGY : 0;
    problem->passive = true;
    problem->reference = (double)p->nx * p->ny <= CLOTH_TRUTH_MAX;
    if ((double)p->nx * p->ny > CLOTH_CHAOTIC)
        problem->truth_time = CLOTH_KNOWN * sqrt(p->spacing / p->gravity);
    problem->settled = cloth_settled;
    /* Half the diagonal bounds how far the middle of a cloth that hangs by a corner can fall. */
    problem_set_scales(problem, 0.5 * p->spacing * hypot(p->nx, p->ny));
    return part_keep(problem, p, sizeof *p, status);
}

const Scene cloth_scene = {
    .name = "cloth",
    .question = "How well are many lengths in a grid kept?",
    .about = "nx by ny particles, particle1 at one corner, counted along the rows; distance joints along both threads, "
             "with shear=true also along both diagonals of every mesh. The corners of the first row are held by ball "
             "joints pin1 and pin2. Rows start as arcs, so that the cloth is slack between the corners; it is released "
             "at rest and swings down.\n"
             "Every thread should keep its length (drift_max, with compliance 0), and without damping the energy "
             "stays. There is no closed form: the truth is the `reference` backend's, for up to 400 particles and as "
             "long as "
             "it can be known, for a free cloth crumples: 20 by 20 for 0.8 s. "
             "The motion is found once, half a second of 20 by 20 in some seconds, and kept.\n"
             "settled: no rigid thread is off by more than a tenth. Energy is measured against a fall by half the "
             "diagonal.",
    .lectures = "002",
    SCENE_PARAMS(CLOTH_SETTINGS, ClothParams),
    .build = cloth_build,
};
