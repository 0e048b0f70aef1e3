/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/extreme.h"

#include "scenes/file/file.h"

#include <stdlib.h>
#include <string.h>

enum { BODIES_MOST = 7, JOINTS_MOST = 10 };

/* A truth resolves the fastest motion there is: it gets a smaller part of it. */
static const double TRUTH_SHARE = 1e-4;

static int take(Bytes *bytes, int below)
{
    int byte = bytes->at < bytes->size ? bytes->data[bytes->at++] : 0;
    return byte % below;
}

#define PICK(bytes, list) ((list)[take(bytes, (int)(sizeof(list) / sizeof *(list)))])

static const double SIZES[] = {1.0, 0.1, 1e-3, 1e-6, 10.0, 1e3};
static const double MASSES[] = {1.0, 1e-9, 1e9, 1e-3, 1e3, 1e6};
static const double PLACES[] = {0.0, 0.0, 1.0, -1.0, 0.5, 1e-9, 1e3, 1e6};
static const double SPEEDS[] = {0.0, 0.0, 0.0, 1.0, -10.0, 1e3, 1e6, -1e9};
static const double COMPLIANCES[] = {0.0, 0.0, 1e-12, 1e-6, 1.0, 1e9};
static const double DAMPINGS[] = {0.0, 0.0, 1.0, 1e6};
static const double ANGLES[] = {0.0, 0.0, 0.5, -0.5, 3.1415926535897931, -6.5, 1e-9};
static const double STEPS[] = {1.0 / 60.0, 1.0 / 60.0, 1e-4, 1e-9, 1.0, 1e3};

static void put_vector(Text *text, const char *key, double x, double y, double z)
{
    text_add(text, ", \"%s\": [%.17g, %.17g, %.17g]", key, x, y, z);
}

static void put_picked(Text *text, Bytes *bytes, const char *key, const double *list, int count)
{
    double x = list[take(bytes, count)], y = list[take(bytes, count)], z = list[take(bytes, count)];
    put_vector(text, key, x, y, z);
}

#define PUT_PICKED(text, bytes, key, list) put_picked(text, bytes, key, list, (int)(sizeof(list) / sizeof *(list)))

static void put_shape(Text *text, Bytes *bytes, int kind)
{
    double a = PICK(bytes, SIZES), b = PICK(bytes, SIZES), c = PICK(bytes, SIZES);
    text_add(text, ", \"shape\": ");
    switch (kind) {
    case 0:
        text_add(text, "{\"sphere\": {\"radius\": %g}}", a);
        break;
    case 1:
        text_add(text, "{\"box\": {\"size\": [%g, %g, %g]}}", a, b, c);
        break;
    case 2:
        text_add(text, "{\"capsule\": {\"radius\": %g, \"length\": %g}}", a, b);
        break;
    case 3:
        text_add(text, "{\"cylinder\": {\"radius\": %g, \"length\": %g}}", a, b);
        break;
    default:
        text_add(text, "{\"hull\": {\"points\": [[0,0,0],[%g,0,0],[0,%g,0],[0,0,%g]]}}", a, b, c);
    }
}

/* A plane, a particle, a body without a shape, or one of the shapes. */
static void put_body(Text *text, Bytes *bytes, int index, bool all_fixed)
{
    int kind = take(bytes, 8);
    bool plane = kind == 7, fixed = plane || all_fixed || take(bytes, 6) == 5;
    text_add(text, "%s{\"name\": \"b%d\", \"material\": \"m%d\"", index ? ", " : "", index, take(bytes, 2));
    if (fixed)
        text_add(text, ", \"fixed\": true");
    if (plane) {
        text_add(text, ", \"shape\": {\"plane\": {\"normal\": [0, 1, 0], \"offset\": %g}}}", PICK(bytes, PLACES));
        return;
    }
    PUT_PICKED(text, bytes, "position", PLACES);
    if (take(bytes, 3) == 2)
        text_add(text, ", \"orientation\": [0.6, 0.8, 0, 0]");
    if (kind < 5)
        put_shape(text, bytes, kind);
    if (kind < 5 && take(bytes, 2)) {
        text_add(text, ", \"density\": %g", PICK(bytes, MASSES));
    } else {
        text_add(text, ", \"mass\": %g", PICK(bytes, MASSES));
        double moment = PICK(bytes, MASSES);
        if (kind == 5)
            text_add(text, ", \"inertia\": [%g, %g, %g]", moment, moment, take(bytes, 2) ? moment : 1e-6 * moment);
    }
    if (!fixed) {
        PUT_PICKED(text, bytes, "velocity", SPEEDS);
        if (kind != 6)
            PUT_PICKED(text, bytes, "angular_velocity", SPEEDS);
    }
    text_add(text, "}");
}

static void put_limits(Text *text, Bytes *bytes, const char *what)
{
    double low = PICK(bytes, ANGLES), high = PICK(bytes, ANGLES);
    text_add(text, ", \"%s_min\": %.17g, \"%s_max\": %.17g", what, low < high ? low : high, what,
             low < high ? high : low);
}

/* What a type has of its own. */
static void put_own_keys(Text *text, Bytes *bytes, const char *type)
{
    if (strcmp(type, "hinge") == 0 && take(bytes, 2))
        put_limits(text, bytes, "angle");
    if (strcmp(type, "prismatic") == 0 && take(bytes, 2))
        put_limits(text, bytes, "position");
    if (strcmp(type, "ball") == 0 && take(bytes, 2)) {
        put_limits(text, bytes, "twist");
        text_add(text, ", \"swing_max\": %g", fabs(PICK(bytes, ANGLES)));
    }
    if (strcmp(type, "servo") == 0)
        text_add(text, ", \"target\": %g, \"max_torque\": %g", PICK(bytes, ANGLES), PICK(bytes, MASSES));
    if (strcmp(type, "motor") == 0)
        text_add(text, ", \"speed\": %g", PICK(bytes, SPEEDS));
    if (strcmp(type, "wire") == 0)
        text_add(text, ", \"center\": [0, 0, 0], \"radius\": %g", PICK(bytes, SIZES));
    if (strcmp(type, "distance") == 0 && take(bytes, 2))
        text_add(text, ", \"rest\": %g, \"one_sided\": %s", PICK(bytes, SIZES), take(bytes, 2) ? "true" : "false");
}

/* Half of them hang on the first body: many on one. */
static void put_joint(Text *text, Bytes *bytes, int index, int bodies)
{
    static const char *const TYPES[] = {"distance",  "ball",     "hinge", "fixed", "servo",
                                        "prismatic", "cylinder", "motor", "wire"};
    const char *type = PICK(bytes, TYPES);
    int one = take(bytes, 2) ? 0 : take(bytes, bodies + 1) - 1, two = take(bytes, bodies);
    text_add(text, "%s{\"type\": \"%s\", \"bodies\": [\"", index ? ", " : "", type);
    text_add(text, one < 0 || one == two ? "world" : "b%d", one);
    text_add(text, "\", \"b%d\"]", two);
    if (strcmp(type, "wire") != 0)
        PUT_PICKED(text, bytes, "anchor", PLACES);
    if (strcmp(type, "distance") != 0 && strcmp(type, "fixed") != 0)
        put_vector(text, "axis", take(bytes, 2), 1.0, take(bytes, 2));
    put_own_keys(text, bytes, type);
    text_add(text, ", \"compliance\": %g, \"damping\": %g}", PICK(bytes, COMPLIANCES), PICK(bytes, DAMPINGS));
}

char *extreme_scene(Bytes *bytes, double *dt)
{
    static const double GRAVITIES[] = {-9.81, -9.81, 0.0, 1e3, -1e6};
    Text text = {0};
    int bodies = 1 + take(bytes, BODIES_MOST), joints = take(bytes, JOINTS_MOST + 1);
    bool all_fixed = take(bytes, 16) == 15;
    *dt = PICK(bytes, STEPS);
    text_add(&text, "{\"rigor\": 1, \"name\": \"extreme\", \"time\": 1");
    put_vector(&text, "gravity", 0.0, PICK(bytes, GRAVITIES), 0.0);
    text_add(&text,
             ", \"materials\": {\"m0\": {\"friction\": %d, \"restitution\": %d}, \"m1\": {\"friction\": 0.5, "
             "\"patch_radius\": %g}}, \"collide\": \"%s\", \"bodies\": [",
             take(bytes, 3), take(bytes, 2), PICK(bytes, SIZES), take(bytes, 4) ? "all" : "none");
    for (int i = 0; i < bodies; i++)
        put_body(&text, bytes, i, all_fixed);
    text_add(&text, "], \"joints\": [");
    for (int j = 0; j < joints; j++)
        put_joint(&text, bytes, j, bodies);
    text_add(&text, "]}\n");
    if (!text.failed)
        return text.data;
    free(text.data);
    return NULL;
}

/* NaN: does not apply; infinite: nothing that may be printed. */
static const char *result_fault(const RunResult *result, const World *world)
{
    if (result->status != RUN_OK && result->status != RUN_BLEW_UP)
        return "an outcome that is none";
    for (int i = 0; i < metric_count; i++)
        if (isinf(result->metrics[i]))
            return all_metrics[i]->name;
    for (int i = 0; result->status == RUN_OK && i < world->body_count; i++)
        if (!vec3_is_finite(world->pose[i].x) || !vec3_is_finite(world->velocity[i].v))
            return "a state that is not finite, in a run that is ok";
    if (result->row_solves < 0.0)
        return "row_solves below zero";
    return NULL;
}

const char *extreme_run(const char *path, const Solver *solver, double dt, Status *status)
{
    Run run = {0};
    RunResult result = {0};
    Problem *problem = problem_read(path, status);
    if (!problem)
        return status->message[0] ? NULL : "a scene refused without a word";
    run_choose_solver(&run, solver);
    if (solver->error_estimate)
        dt *= TRUTH_SHARE;
    RunPlan plan = {.solver = solver, .options = run.options, .dt = dt, .time = 2.0 * dt};
    const char *fault = NULL;
    if (run_problem(problem, &plan, &result, status))
        fault = result_fault(&result, problem->world);
    else if (!status->message[0])
        fault = "a run refused without a word";
    run_result_clear(&result);
    problem_destroy(problem);
    return fault;
}
