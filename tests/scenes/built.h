/* SPDX-License-Identifier: MIT */
/* A scene built from parameters as a user types them, and its truth at any time. */
#ifndef RIGOR_TESTS_SCENES_BUILT_H
#define RIGOR_TESTS_SCENES_BUILT_H

#include "scenes/scene.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

typedef struct Built {
    Problem *problem;
    World *world;
    Truth truth;
} Built;

/* `settings` is "key=value key=value ..."; NULL with a message if the scene refuses them. */
static inline Problem *built_problem(const char *name, const char *settings, Status *status)
{
    const Scene *scene = scene_find(name);
    assert_non_null(scene);
    unsigned char params[SETTINGS_MAX_BYTES];
    settings_init(scene->settings, scene->setting_count, params);
    char words[256], *rest = words, *word;
    assert_true(strlen(settings) < sizeof words);
    strcpy(words, settings);
    while ((word = strtok_r(rest, " ", &rest))) {
        char *equals = strchr(word, '=');
        assert_non_null(equals);
        *equals = '\0';
        const Setting *setting = settings_find(scene->settings, scene->setting_count, word);
        assert_non_null(setting);
        if (!setting_parse(setting, params, equals + 1, status))
            return NULL;
    }
    return scene_build(scene, params, status);
}

static inline Truth built_truth(const World *world)
{
    Truth truth;
    assert_true(truth_init(&truth, world));
    return truth;
}

static inline Built built_scene(const char *name, const char *settings)
{
    Status status = {0};
    Built built = {.problem = built_problem(name, settings, &status)};
    if (!built.problem)
        fail_msg("%s %s: %s", name, settings, status.message);
    built.world = built.problem->world;
    built.truth = built_truth(built.world);
    return built;
}

static inline void built_destroy(Built *built)
{
    truth_free(&built->truth);
    problem_destroy(built->problem);
}

/* The centre, orientation and joint force that the truth gives at time t; it must give them. */
static inline Vec3 built_position(Built *built, int body, double t)
{
    built->truth.has_position[body] = false;
    built->problem->truth(built->problem, t, &built->truth);
    assert_true(built->truth.has_position[body]);
    return built->truth.position[body];
}

static inline Quat built_orientation(Built *built, int body, double t)
{
    built->truth.has_orientation[body] = false;
    built->problem->truth(built->problem, t, &built->truth);
    assert_true(built->truth.has_orientation[body]);
    return built->truth.orientation[body];
}

static inline Vec3 built_force(Built *built, int joint, double t)
{
    built->truth.has_force[joint] = false;
    built->problem->truth(built->problem, t, &built->truth);
    assert_true(built->truth.has_force[joint]);
    return built->truth.force[joint];
}

/* Step of the finite differences below: fourth-order formulas err by about (h d/dt)^4 and, from rounding, 1e-16/h^n. */
#define BUILT_STEP 1e-3

/* The truth's velocity and acceleration by central differences of its positions; t >= 2 BUILT_STEP. */
static inline Vec3 built_velocity(Built *built, int body, double t)
{
    double h = BUILT_STEP;
    Vec3 near = vec3_sub(built_position(built, body, t + h), built_position(built, body, t - h));
    Vec3 far = vec3_sub(built_position(built, body, t + 2 * h), built_position(built, body, t - 2 * h));
    return vec3_scale(1.0 / (12.0 * h), vec3_add_scaled(vec3_scale(8.0, near), -1.0, far));
}

static inline Vec3 built_acceleration(Built *built, int body, double t)
{
    double h = BUILT_STEP;
    Vec3 here = built_position(built, body, t);
    Vec3 near = vec3_add(built_position(built, body, t + h), built_position(built, body, t - h));
    Vec3 far = vec3_add(built_position(built, body, t + 2 * h), built_position(built, body, t - 2 * h));
    Vec3 sum = vec3_add_scaled(vec3_scale(16.0, near), -1.0, far);
    return vec3_scale(1.0 / (12.0 * h * h), vec3_add_scaled(sum, -30.0, here));
}

#endif
