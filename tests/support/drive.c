/* SPDX-License-Identifier: MIT */
#include "tests/support/drive.h"

#include "solvers/variants.h"
#include "tests/support/check.h"

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
    _Alignas(16) unsigned char values[SETTINGS_MAX_BYTES] = {0};
    const Solver *solver = drive_find(name);
    Status status;
    drive_set_options(solver, values, options);
    if (!stepper_begin(drive, solver, values, world, 0.0, DETECT_SUBSTEP, &status))
        fail_msg("%s", status.message);
}

void drive_frame(Drive *drive, double dt)
{
    drive->dt = dt;
    drive->step.h = dt / drive->substeps;
    stepper_frame(drive, false);
    if (drive->step.failed)
        fail_msg("%s", drive->step.status.message);
}

void drive_end(Drive *drive)
{
    stepper_end(drive);
}

void drive_run(World *world, const char *solver, const char *options, double dt, int frames)
{
    Drive drive;
    drive_begin(&drive, world, solver, options);
    for (int f = 0; f < frames; f++)
        drive_frame(&drive, dt);
    drive_end(&drive);
}
