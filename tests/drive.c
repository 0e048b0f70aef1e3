#include "tests/drive.h"

#include "solvers/variants.h"
#include "tests/check.h"

#include <string.h>

/* Variants are made when they are asked for and kept: a test ends with its process. */
static const Solver *drive_variant(const Variant *variant)
{
    enum { MOST = 64 };
    static Solver *made[MOST];
    Status status;
    int index = (int)(variant - all_variants);
    assert_true(index < MOST);
    if (!made[index])
        made[index] = variant_create(drive_find(variant->of), variant, &status);
    assert_non_null(made[index]);
    return made[index];
}

const Solver *drive_find(const char *name)
{
    for (int i = 0; i < solver_count; i++)
        if (strcmp(all_solvers[i]->name, name) == 0)
            return all_solvers[i];
    for (int i = 0; i < variant_count; i++)
        if (strcmp(all_variants[i].name, name) == 0)
            return drive_variant(&all_variants[i]);
    fail_msg("no solver %s", name);
    return NULL;
}

static void drive_set_options(const Solver *solver, void *values, const char *options)
{
    char text[256];
    Status status;
    settings_init(solver->settings, solver->setting_count, values);
    assert_true(strlen(options) < sizeof text);
    strcpy(text, options);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value++ = '\0';
        const Setting *setting = settings_find(solver->settings, solver->setting_count, word);
        if (!setting || !setting_parse(setting, values, value, &status))
            fail_msg("%s has no option %s=%s", solver->name, word, value);
    }
}

void drive_begin(Drive *drive, World *world, const char *name, const char *options)
{
    Status status;
    *drive = (Drive){.solver = drive_find(name)};
    drive_set_options(drive->solver, &drive->options, options);
    if (!solver_supports(drive->solver, world, &status))
        fail_msg("%s", status.message);
    /* The length of a frame is given with every frame; no solver of the list asks before. */
    drive->self = drive->solver->create(&(SolverTask){drive->solver, world, &drive->options, NAN}, &status);
    if (!drive->self)
        fail_msg("%s", status.message);
    drive->phase_count = drive->solver->plan(drive->self, drive->phases);
    drive->substeps = drive->options.common.substeps;
    drive->step.world = world;
}

void drive_frame(Drive *drive, double dt)
{
    World *world = drive->step.world;
    drive->step.h = dt / drive->substeps;
    world_begin_frame(world);
    for (int s = 0; s < drive->substeps; s++) {
        Status status;
        if (!solver_refresh_contacts(drive->solver, drive->self, world, drive->step.h, &status))
            fail_msg("%s", status.message);
        world_begin_substep(world, drive->step.h);
        for (int p = 0; p < drive->phase_count; p++) {
            const Phase *phase = &drive->phases[p];
            if (phase->enter)
                phase->enter(drive->self, &drive->step);
            bool done = false;
            for (int i = 0; i < phase->iterations && !done; i++) {
                phase->iterate(drive->self, &drive->step);
                done = phase->stop > 0.0 && phase->residual(drive->self, &drive->step) <= phase->stop;
            }
        }
        world_end_substep(world, drive->step.h);
        drive->step.time += drive->step.h;
    }
}

void drive_end(Drive *drive)
{
    drive->solver->destroy(drive->self);
}

void drive_run(World *world, const char *solver, const char *options, double dt, int frames)
{
    Drive drive;
    drive_begin(&drive, world, solver, options);
    for (int f = 0; f < frames; f++)
        drive_frame(&drive, dt);
    drive_end(&drive);
}
