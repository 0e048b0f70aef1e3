#include "scenes/scene.h"

#include "model/energy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A run's length where the scene does not say otherwise. */
static const double DEFAULT_TIME = 10.0; /* s */
/* Slower scenes are measured against walking pace, so that a scene at rest has a scale at all. */
static const double MIN_SPEED_SCALE = 1.0; /* m/s */

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
    problem->truth_time = INFINITY;
    problem->world = world_create();
    problem->name = strdup(name);
    if (!problem->world || !problem->name) {
        problem_destroy(problem);
        return NULL;
    }
    return problem;
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
    if (!scene->build(problem, problem->params, status)) {
        problem_destroy(problem);
        return NULL;
    }
    return problem;
}

void problem_set_scales(Problem *problem, double drop)
{
    const World *world = problem->world;
    double mass = 0.0;
    for (int i = 1; i < world->body_count; i++)
        if (!world_is_fixed(world, i))
            mass += world->mass[i].mass;
    double energy = world_kinetic_energy(world) + mass * vec3_norm(world->gravity) * drop;
    if (energy == 0.0)
        energy = fabs(world_energy(world));
    if (energy == 0.0)
        energy = 0.5 * (mass > 0.0 ? mass : 1.0) * MIN_SPEED_SCALE * MIN_SPEED_SCALE;
    problem->energy_scale = energy;
    problem->speed_scale = mass > 0.0 ? fmax(MIN_SPEED_SCALE, sqrt(2.0 * energy / mass)) : MIN_SPEED_SCALE;
}
