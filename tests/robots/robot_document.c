/* SPDX-License-Identifier: MIT */
/* robot_document MODEL [key=value]... [--states FILE]: the scene document of a robot file, as its reader makes it, on
 * standard output; its notes on standard error. With --states a list of documents, one for each element of `states` in
 * that JSON file, placed at its qpos, qvel and ctrl. Ends as the program does: 3 with a message for a file that is
 * refused. */
#include "scenes/robot/robot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of an array, to be freed. */
static double *numbers(const json_t *array, int *count)
{
    *count = (int)json_array_size(array);
    double *values = calloc((size_t)*count + 1, sizeof *values);
    for (int i = 0; values && i < *count; i++)
        values[i] = json_number_value(json_array_get(array, (size_t)i));
    return values;
}

static json_t *placed(const char *model, const RobotParams *params, const json_t *at, Status *status)
{
    RobotState state;
    double *position = numbers(json_object_get(at, "qpos"), &state.position_count),
           *velocity = numbers(json_object_get(at, "qvel"), &state.velocity_count),
           *control = numbers(json_object_get(at, "ctrl"), &state.control_count);
    state.position = position;
    state.velocity = velocity;
    state.control = control;
    json_t *document = robot_document(model, params, &state, NULL, status);
    free(position);
    free(velocity);
    free(control);
    return document;
}

static json_t *all_placed(const char *model, const RobotParams *params, const char *file, Status *status)
{
    json_t *truth = json_load_file(file, 0, NULL), *states = json_object_get(truth, "states"), *list = json_array();
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(states); i++) {
        json_t *document = placed(model, params, json_array_get(states, i), status);
        ok = document && json_array_append_new(list, document) == 0;
    }
    json_decref(truth);
    if (ok)
        return list;
    json_decref(list);
    return NULL;
}

int main(int argc, char **argv)
{
    RobotParams params = {0};
    Status status = {0};
    const char *states = NULL;
    char *notes = NULL;
    bool ok =
        argc > 1 || status_set(&status, STATUS_USAGE, "usage: robot_document MODEL [key=value]... [--states FILE]");
    for (int i = 2; ok && i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (strcmp(argv[i], "--states") == 0 && i + 1 < argc) {
            states = argv[++i];
            continue;
        }
        if (equals)
            *equals = '\0';
        ok = equals && robot_params_set(&params, argv[i], equals + 1, &status);
    }
    json_t *document = !ok      ? NULL
                       : states ? all_placed(argv[1], &params, states, &status)
                                : robot_document(argv[1], &params, NULL, &notes, &status);
    if (document)
        json_dumpf(document, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    fprintf(stderr, "%s%s\n", notes ? notes : "", status.message);
    json_decref(document);
    free(notes);
    return document ? 0 : (int)status.code;
}
