/* SPDX-License-Identifier: MIT */
#include "bench/studies/robot_states.h"

#include "bench/run/json.h"
#include "bench/studies/robot_dynamics.h"

#include <stdlib.h>
#include <string.h>

/* One element of `states`, and where its problems come from. */
typedef struct StateTask {
    const char *path;
    const RobotParams *params;
    const json_t *names; /* of the bodies that points are on, by their numbers; NULL: as the file lists them */
    Arrays arrays;
    int positions, speeds, controls;
    double *qpos, *qvel, *ctrl;
} StateTask;

/* The numbers under a key; none where it is missing. */
static bool task_numbers(StateTask *task, const json_t *state, const char *key, int *count, double **values,
                         Status *status)
{
    const json_t *array = json_object_get(state, key), *item;
    size_t i;
    *count = (int)json_array_size(array);
    if (array && !json_is_array(array))
        return status_set(status, STATUS_BAD_FILE, "%s: %s is no list", task->path, key);
    if (!OWN_ARRAY(&task->arrays, *values, (size_t)*count + 1))
        return status_set(status, STATUS_FAILED, "out of memory");
    json_array_foreach (array, i, item) {
        if (!json_is_number(item))
            return status_set(status, STATUS_BAD_FILE, "%s[%zu] is no number", key, i);
        (*values)[i] = json_number_value(item);
    }
    return true;
}

static Problem *task_problem(const StateTask *task, const double *speeds, const double *controls, Status *status)
{
    RobotState state = {.position_count = task->positions,
                        .velocity_count = task->speeds,
                        .control_count = task->controls,
                        .position = task->qpos,
                        .velocity = speeds,
                        .control = controls};
    return robot_problem(task->path, task->params, &state, status);
}

/* T and V, column by column. */
static bool task_columns(StateTask *task, RobotDynamics *dynamics, Status *status)
{
    double *unit;
    if (!OWN_ARRAY(&task->arrays, unit, (size_t)task->speeds + 1))
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int k = 0; k < task->speeds; k++) {
        unit[k] = 1.0;
        Problem *problem = task_problem(task, unit, task->ctrl, status);
        unit[k] = 0.0;
        if (!problem)
            return false;
        robot_dynamics_set_column(dynamics, k, problem->world);
        problem_destroy(problem);
    }
    return robot_dynamics_finish(dynamics, status);
}

static json_t *json_numbers(const double *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_number(values[i]));
    return list;
}

static json_t *json_matrix(const double *values, int rows, int columns)
{
    json_t *list = json_array();
    for (int i = 0; i < rows; i++)
        json_array_append_new(list, json_numbers(values + (size_t)i * (size_t)columns, columns));
    return list;
}

/* Names, masses, frames; the fixed body that only carries the world's shapes is listed like any other. */
static json_t *json_bodies(const World *world)
{
    json_t *list = json_array();
    for (int b = 1; b < world->body_count; b++) {
        Pose frame = world_reported_frame(world, b);
        double mass = world->bodies[b].mass;
        const double x[3] = {frame.x.x, frame.x.y, frame.x.z}, q[4] = {frame.q.w, frame.q.x, frame.q.y, frame.q.z};
        json_array_append_new(list, json_pack("{s:s,s:o,s:o,s:o}", "name", world->bodies[b].name, "mass",
                                              json_number(mass > 0.0 ? mass : world->ride[b].own.mass), "pos",
                                              json_numbers(x, 3), "quat", json_numbers(q, 4)));
    }
    return list;
}

/* q'' under forces, as a list under a key. */
static bool add_acceleration(StateTask *task, RobotDynamics *dynamics, const double *force, const char *key,
                             json_t *document, Status *status)
{
    double *qacc;
    if (!OWN_ARRAY(&task->arrays, qacc, (size_t)task->speeds + 1))
        return status_set(status, STATUS_FAILED, "out of memory");
    if (!robot_dynamics_accelerate(dynamics, force, qacc, status))
        return false;
    json_object_set_new(document, key, json_numbers(qacc, task->speeds));
    return true;
}

/* Under the drives at these controls. */
static bool add_driven(StateTask *task, RobotDynamics *dynamics, const double *controls, const char *key,
                       json_t *document, Status *status)
{
    double *force;
    Problem *problem = task_problem(task, task->qvel, controls, status);
    if (!problem)
        return false;
    bool ok =
        OWN_ARRAY(&task->arrays, force, (size_t)task->speeds + 1) || status_set(status, STATUS_FAILED, "out of memory");
    if (ok)
        robot_dynamics_drives(dynamics, problem->world, force);
    problem_destroy(problem);
    return ok && add_acceleration(task, dynamics, force, key, document, status);
}

static int task_body(const StateTask *task, const World *world, int number)
{
    const char *name = json_string_value(json_object_get(json_array_get(task->names, (size_t)number), "name"));
    int body = name && *name ? world_find_body(world, name) : -1;
    bool listed = world->body_count > 1 && strcmp(world->bodies[1].name, "worldbody") == 0;
    return body > 0 ? body : number + 1 + listed;
}

/* inverse_inertia: its points, and A. */
static bool add_response(StateTask *task, RobotDynamics *dynamics, const json_t *asked, json_t *document,
                         Status *status)
{
    const json_t *points = json_object_get(asked, "points");
    size_t count = json_array_size(points);
    int *body;
    Vec3 *at;
    double *A;
    if (!OWN_ARRAY(&task->arrays, body, count + 1) || !OWN_ARRAY(&task->arrays, at, count + 1) ||
        !OWN_ARRAY(&task->arrays, A, 9 * count * count + 1))
        return status_set(status, STATUS_FAILED, "out of memory");
    for (size_t p = 0; p < count; p++) {
        const json_t *point = json_array_get(points, p), *where = json_object_get(point, "point_world");
        body[p] = task_body(task, dynamics->world, (int)json_integer_value(json_object_get(point, "body")));
        if (body[p] < 1 || body[p] >= dynamics->world->body_count || json_array_size(where) != 3)
            return status_set(status, STATUS_BAD_FILE, "inverse_inertia.points[%zu] is on no body of the model", p);
        at[p] = vec3(json_number_value(json_array_get(where, 0)), json_number_value(json_array_get(where, 1)),
                     json_number_value(json_array_get(where, 2)));
    }
    if (!robot_dynamics_response(dynamics, (int)count, body, at, A, status))
        return false;
    json_object_set_new(document, "inverse_inertia",
                        json_pack("{s:o}", "A", json_matrix(A, 3 * (int)count, 3 * (int)count)));
    return true;
}

static bool state_fill(StateTask *task, RobotDynamics *dynamics, const json_t *state, json_t *document, Status *status)
{
    double *friction, *none;
    int n = task->speeds;
    const json_t *asked = json_object_get(state, "inverse_inertia");
    if (!task_columns(task, dynamics, status) || !OWN_ARRAY(&task->arrays, friction, (size_t)n + 1) ||
        !OWN_ARRAY(&task->arrays, none, (size_t)task->controls + 1))
        return false;
    json_object_set_new(document, "bodies", json_bodies(dynamics->world));
    json_object_set_new(document, "mass_matrix", json_matrix(dynamics->M, n, n));
    json_object_set_new(document, "qfrc_bias", json_numbers(dynamics->bias, n));
    json_object_set_new(document, "qfrc_passive", json_numbers(dynamics->passive, n));
    robot_dynamics_friction(dynamics, task->qvel, friction);
    return add_acceleration(task, dynamics, NULL, "qacc", document, status) &&
           add_acceleration(task, dynamics, friction, "qacc_dry", document, status) &&
           (task->controls == 0 || (add_driven(task, dynamics, none, "qacc_ctrl0", document, status) &&
                                    add_driven(task, dynamics, task->ctrl, "qacc_ctrl", document, status))) &&
           (!asked || add_response(task, dynamics, asked, document, status));
}

/* The state where loops are closed. */
static bool state_close(StateTask *task, RobotDynamics *dynamics, json_t *document, Status *status)
{
    double *qacc;
    bool ok =
        OWN_ARRAY(&task->arrays, qacc, (size_t)task->speeds + 1) || status_set(status, STATUS_FAILED, "out of memory");
    ok = ok && task_columns(task, dynamics, status) && robot_dynamics_close(dynamics, qacc, status);
    if (ok)
        json_object_set_new(document, "closed", json_pack("{s:o}", "qacc", json_numbers(qacc, task->speeds)));
    return ok;
}

/* Of `state` or its `closed`. */
static bool state_add(const StateTask *from, const json_t *state, bool closed, json_t *document, Status *status)
{
    StateTask task = *from;
    RobotDynamics dynamics = {0};
    bool ok = task_numbers(&task, state, "qpos", &task.positions, &task.qpos, status) &&
              task_numbers(&task, state, "qvel", &task.speeds, &task.qvel, status) &&
              task_numbers(&task, state, "ctrl", &task.controls, &task.ctrl, status);
    Problem *problem = ok ? task_problem(&task, task.qvel, task.ctrl, status) : NULL;
    ok = problem && robot_dynamics_init(&dynamics, problem->world, task.speeds, status) &&
         (closed ? state_close(&task, &dynamics, document, status)
                 : state_fill(&task, &dynamics, state, document, status));
    robot_dynamics_free(&dynamics);
    problem_destroy(problem);
    arrays_free(&task.arrays);
    return ok;
}

json_t *robot_states(const char *path, const RobotParams *params, const char *file, Status *status)
{
    json_error_t error;
    json_t *truth = json_load_file(file, 0, &error), *list = json_array(), *state;
    StateTask task = {.path = path, .params = params, .names = json_object_get(truth, "bodies")};
    const json_t *states = json_object_get(truth, "states");
    bool ok = truth || status_set(status, STATUS_BAD_FILE, "%s:%d:%d: %s", file, error.line, error.column, error.text);
    if (ok && !json_is_array(states))
        ok = status_set(status, STATUS_BAD_FILE, "%s: states is no list", file);
    size_t i;
    json_array_foreach (states, i, state) {
        json_t *document = json_object(), *closed = json_object_get(state, "closed");
        ok = ok && state_add(&task, state, false, document, status) &&
             (!closed || state_add(&task, closed, true, document, status));
        json_array_append_new(list, document);
        if (!ok)
            break;
    }
    json_decref(truth);
    if (ok)
        return json_pack("{s:o}", "states", list);
    json_decref(list);
    return NULL;
}
