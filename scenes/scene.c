/* SPDX-License-Identifier: MIT */
#include "scenes/scene.h"

#include "model/array.h"
#include "model/energy.h"
#include "model/rows/pbd_stiffness.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A run's length where the scene does not say otherwise. */
static const double DEFAULT_TIME = 10.0; /* s */

const Scene *scene_find(const char *name)
{
    for (int i = 0; i < scene_count; i++)
        if (strcmp(all_scenes[i]->name, name) == 0)
            return all_scenes[i];
    return NULL;
}

Problem *problem_create(const char *name)
{
    Problem *problem = calloc(1, sizeof *problem);
    if (!problem)
        return NULL;
    problem->time = DEFAULT_TIME;
    problem->closed_until = problem->truth_time = INFINITY;
    problem->world = world_create();
    problem->name = strdup(name);
    if (!problem->world || !problem->name) {
        problem_destroy(problem);
        return NULL;
    }
    return problem;
}

bool truth_init(Truth *truth, const World *world)
{
    size_t bodies = (size_t)world->body_count, joints = (size_t)world->joint_count + 1;
    *truth = (Truth){0};
    return NEW_ARRAY(truth->has_position, bodies) && NEW_ARRAY(truth->has_orientation, bodies) &&
           NEW_ARRAY(truth->has_force, joints) && NEW_ARRAY(truth->position, bodies) &&
           NEW_ARRAY(truth->orientation, bodies) && NEW_ARRAY(truth->force, joints);
}

void truth_free(Truth *truth)
{
    free(truth->has_position);
    free(truth->has_orientation);
    free(truth->has_force);
    free(truth->position);
    free(truth->orientation);
    free(truth->force);
}

void problem_destroy(Problem *problem)
{
    if (!problem)
        return;
    world_destroy(problem->world);
    free(problem->name);
    free(problem->events);
    free(problem->notes);
    free(problem->data);
    free(problem);
}

Problem *scene_build(const Scene *scene, const void *params, Status *status)
{
    assert(scene->params_size <= SETTINGS_MAX_BYTES);
    Problem *problem = problem_create(scene->name);
    if (!problem) {
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    problem->scene = scene;
    if (params)
        memcpy(problem->params, params, scene->params_size);
    else
        settings_init(scene->settings, scene->setting_count, problem->params);
    problem->world->length_scale = 0.0; /* measured, unless build() knows better */
    bool ok = scene->build(problem, problem->params, status);
    if (ok && problem->world->length_scale == 0.0 && !world_measure_length(problem->world))
        ok = status_set(status, STATUS_FAILED, "out of memory");
    if (ok) {
        problem_finish_scales(problem);
        world_freeze_stiffness(problem->world);
        return problem;
    }
    problem_destroy(problem);
    return NULL;
}

static double moving_mass(const World *world)
{
    double mass = 0.0;
    for (int i = 1; i < world->body_count; i++)
        mass += world_is_fixed(world, i) ? 0.0 : world->mass[i].mass;
    return mass;
}

void problem_set_energy_scale(Problem *problem, double energy)
{
    double mass = moving_mass(problem->world);
    problem->energy_scale = energy;
    problem->speed_scale = mass > 0.0 ? sqrt(2.0 * energy / mass) : 0.0;
}

void problem_set_scales(Problem *problem, double drop)
{
    const World *world = problem->world;
    double energy = world_kinetic_energy(world) + moving_mass(world) * vec3_norm(world->gravity) * drop;
    problem_set_energy_scale(problem, energy == 0.0 ? fabs(world_energy(world)) : energy);
}

void problem_finish_scales(Problem *problem)
{
    const World *world = problem->world;
    double mass = moving_mass(world), least = world_pace(world);
    problem->speed_scale = fmax(problem->speed_scale, least);
    if (problem->energy_scale == 0.0)
        problem->energy_scale = 0.5 * (mass > 0.0 ? mass : 1.0) * least * least;
}
