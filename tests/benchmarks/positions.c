/* SPDX-License-Identifier: MIT */
/* What the sweeps of the position-based backends cost a contact point, in a pile that lies and a pyramid that stands:
 * one by one through the list, four at once with the bits of the list, and four at once colour by colour. All take
 * turns on the same substep, medians are taken. `lining up` is what is done before the first sweep to have four at
 * once. */
#include "tests/support/drive.h"

#include "scenes/scene.h"
#include "solvers/position/position_based.h"
#include "tests/benchmarks/timing.h"

#include <stdio.h>
#include <string.h>

enum { REPEATS = 101, SUBSTEPS = 4 };

static const double H = 1.0 / 60.0 / SUBSTEPS;

enum { ONE_BY_ONE, BY_LIST, BY_COLOUR, WAYS };
enum { LINING_UP, STATIC, POSITIONS, VELOCITIES, PARTS };

static const char *const PART_NAMES[] = {"lining up", "static friction", "position solve", "velocity pass"};

/* A world as a substep begins, to go back to. */
typedef struct Frozen {
    World *world;
    Pose *pose;
    Velocity *velocity;
    Vec3 *impulse;
} Frozen;

static void *copy_of(const void *from, size_t bytes)
{
    void *to = malloc(bytes);
    return to ? memcpy(to, from, bytes) : NULL;
}

static Frozen frozen(World *world)
{
    size_t bodies = (size_t)world->body_count, blocks = (size_t)world->block_count;
    return (Frozen){world, copy_of(world->pose, sizeof(Pose) * bodies),
                    copy_of(world->velocity, sizeof(Velocity) * bodies),
                    copy_of(world->block_impulse, sizeof(Vec3) * blocks)};
}

static void frozen_restore(const Frozen *from)
{
    World *world = from->world;
    memcpy(world->pose, from->pose, sizeof(Pose) * (size_t)world->body_count);
    memcpy(world->velocity, from->velocity, sizeof(Velocity) * (size_t)world->body_count);
    memcpy(world->block_impulse, from->impulse, sizeof(Vec3) * (size_t)world->block_count);
}

static void frozen_free(Frozen *from)
{
    free(from->pose);
    free(from->velocity);
    free(from->impulse);
}

static PositionBased *backend(const World *world, ContactForm contact, int way)
{
    Status status;
    PositionBasedOptions options = {.common = {.substeps = SUBSTEPS, .iterations = 1},
                                    .contact = contact,
                                    .order = way == BY_COLOUR ? POSITION_COLOUR : POSITION_LIST,
                                    .push_speed = INFINITY,
                                    .look_ahead = INFINITY,
                                    .restitution_threshold = NAN,
                                    .velocity_iterations = 1};
    PositionBased *based = position_based_create(world, &options, (PositionSolve){.stiffness = 1.0}, &status);
    if (based)
        based->quads.four = based->quads.four && way != ONE_BY_ONE;
    return based;
}

/* One substep; s of each part. */
static void substep(PositionBased *based, Step *step, double part[PARTS])
{
    World *world = step->world;
    double begin = seconds();
    position_based_begin(based, step);
    part[LINING_UP] = seconds() - begin;
    motion_predict(&based->motion, world, step->h);
    multipliers_clear(&based->lambda, world);
    double start = seconds();
    if (based->options.contact == CONTACT_STICK)
        position_based_tangents(based, step);
    double middle = seconds();
    position_based_contacts(based, step);
    part[POSITIONS] = seconds() - middle;
    part[STATIC] = middle - start;
    motion_derive_velocities(&based->motion, world, step->h);
    multipliers_store_impulses(&based->lambda, world, step->h);
    double end = seconds();
    position_based_velocities(based, step);
    part[VELOCITIES] = seconds() - end;
}

static void print(const char *scene, ContactForm contact, int points, double times[WAYS][PARTS][REPEATS])
{
    double base = median(times[ONE_BY_ONE][LINING_UP], REPEATS);
    for (int p = 0; p < PARTS; p++) {
        if (p == STATIC && contact != CONTACT_STICK)
            continue;
        printf("  %-8s %-10s %-16s", scene, contact_form_names[contact], PART_NAMES[p]);
        for (int way = 0; way < WAYS; way++)
            printf(" %11.1f", 1e9 * (median(times[way][p], REPEATS) - (p == LINING_UP ? base : 0.0)) / points);
        printf("\n");
    }
}

static bool measure(const char *name, int frames, ContactForm contact)
{
    static double times[WAYS][PARTS][REPEATS];
    unsigned char params[SETTINGS_MAX_BYTES] = {0};
    const Scene *scene = scene_find(name);
    Status status;
    settings_init(scene->settings, scene->setting_count, params);
    Problem *problem = scene_build(scene, params, &status);
    if (!problem)
        return false;
    World *world = problem->world;
    drive_run(world, "xpbd", contact == CONTACT_STICK ? "substeps=4 contact=stick" : "substeps=4", 1.0 / 60.0, frames);
    Frozen from = frozen(world);
    PositionBased *based[WAYS];
    bool ok = from.pose && from.velocity && from.impulse;
    for (int way = 0; way < WAYS; way++)
        ok = (based[way] = backend(world, contact, way)) && ok;
    for (int r = 0; r < REPEATS && ok; r++)
        for (int way = 0; way < WAYS; way++) {
            double part[PARTS];
            frozen_restore(&from);
            substep(based[way], &(Step){.world = world, .h = H}, part);
            for (int p = 0; p < PARTS; p++)
                times[way][p][r] = part[p];
        }
    if (ok)
        print(name, contact, (world->block_count - world->joint_block_count) / 2, times);
    for (int way = 0; way < WAYS; way++)
        position_based_destroy(based[way]);
    frozen_free(&from);
    problem_destroy(problem);
    return ok;
}

int main(void)
{
    printf("ns a contact point (median of %d)         one by one, list    in quads   by colour\n", REPEATS);
    bool ok = measure("pile", 200, CONTACT_STICK) && measure("pile", 200, CONTACT_PUBLISHED) &&
              measure("pyramid", 120, CONTACT_STICK) && measure("pyramid", 60, CONTACT_PUBLISHED);
    return ok ? 0 : 1;
}
