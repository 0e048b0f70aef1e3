/* SPDX-License-Identifier: MIT */
#include "scenes/robot/robot.h"

#include "model/suggest.h"
#include "scenes/robot/model.h"

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const PARAMS[] = {"key", "ctrl", "base", "inertia", "package", NULL};

static bool set_choice(const char *key, const char *value, const char *no, const char *yes, bool *to, Status *status)
{
    *to = strcmp(value, yes) == 0;
    return *to || strcmp(value, no) == 0 ||
           status_set(status, STATUS_USAGE, "%s: '%s' is neither %s nor %s", key, value, no, yes);
}

static bool set_text(const char *key, const char *value, char *to, size_t size, Status *status)
{
    if (strlen(value) >= size)
        return status_set(status, STATUS_USAGE, "%s: longer than %zu bytes", key, size - 1);
    strcpy(to, value);
    return true;
}

bool robot_params_set(RobotParams *params, const char *key, const char *value, Status *status)
{
    char text[SUGGESTION_TEXT];
    Suggestion near = suggestion_for(key);
    if (strcmp(key, "base") == 0)
        return set_choice(key, value, "fixed", "floating", &params->floating, status);
    if (strcmp(key, "inertia") == 0)
        return set_choice(key, value, "strict", "balance", &params->balance, status);
    if (strcmp(key, "key") == 0)
        return set_text(key, value, params->key, sizeof params->key, status);
    if (strcmp(key, "ctrl") == 0)
        return set_text(key, value, params->ctrl, sizeof params->ctrl, status);
    if (strcmp(key, "package") == 0)
        return set_text(key, value, params->package, sizeof params->package, status);
    for (int i = 0; PARAMS[i]; i++)
        suggestion_offer(&near, PARAMS[i]);
    return status_set(status, STATUS_USAGE,
                      "a robot file has no parameter '%s'%s (it has key, ctrl, base, inertia, package)", key,
                      suggestion_text(&near, text));
}

json_t *robot_params_json(const RobotParams *params)
{
    const struct {
        const char *key, *value;
    } SET[] = {
        {"key", params->key},
        {"ctrl", params->ctrl},
        {"base", params->floating ? "floating" : ""},
        {"inertia", params->balance ? "balance" : ""},
        {"package", params->package},
    };
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof SET / sizeof SET[0]; i++)
        if (*SET[i].value)
            json_object_set_new(object, SET[i].key, json_string(SET[i].value));
    return object;
}

bool robot_is_file(const char *path)
{
    struct stat facts;
    char head[64];
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool plain = fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
    ssize_t got = plain ? pread(fd, head, sizeof head, 0) : -1;
    if (fd >= 0)
        close(fd);
    ssize_t at = got >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* a byte order mark */
    while (at < got && strchr(" \t\r\n", head[at]))
        at++;
    return at < got && head[at] == '<';
}

/* One line of all that the file says and nothing here looks at. */
static bool note_unused(Robot *robot)
{
    Text *notes = &robot->notes;
    const char *name, *between = "without effect here: ";
    json_t *value;
    if (json_object_size(robot->unused) > 0)
        text_add(notes, "%s: ", robot->tree->path);
    json_object_foreach (robot->unused, name, value) {
        text_add(notes, "%s%s", between, name);
        between = ", ";
    }
    if (json_object_size(robot->unused) > 0)
        text_add(notes, "\n");
    return !notes->failed || status_set(robot->tree->status, STATUS_FAILED, "out of memory");
}

/* Reads and places the robot; the caller frees robot and tree in either case. */
static bool read_robot(Robot *robot, XmlTree *tree, const char *path, const RobotParams *params,
                       const RobotState *state, Status *status)
{
    *robot = (Robot){.tree = tree};
    if (!xml_read(tree, path, status))
        return false;
    bool mjcf = xml_is(tree->root, "mujoco");
    if (!mjcf && !xml_is(tree->root, "robot"))
        return xml_fail(tree->root, "this is neither MJCF (<mujoco>) nor URDF (<robot>)");
    return (mjcf ? mjcf_read(robot, params) : urdf_read(robot, params)) && robot_start(robot) &&
           robot_set_state(robot, params, state) && note_unused(robot);
}

/* A message of the scene reader names a part of the document; here it stands at an element of the file. */
static void name_place(const Robot *robot, Status *status)
{
    int index = -1;
    const XmlNode *at = robot->tree->root;
    char what[sizeof status->message];
    const char *bodies = strstr(status->message, ": bodies["), *joints = strstr(status->message, ": joints[");
    if (bodies && sscanf(bodies, ": bodies[%d]", &index) == 1) {
        index -= robot->world_geom_count > 0;
        at = index >= 0 && index < robot->links.count ? robot->links.items[index].at : at;
    } else if (joints && sscanf(joints, ": joints[%d]", &index) == 1 && index >= 0 && index < robot->written.count) {
        at = robot->written.items[index];
    }
    size_t skip =
        strncmp(status->message, robot->tree->path, strlen(robot->tree->path)) == 0 ? strlen(robot->tree->path) + 2 : 0;
    snprintf(what, sizeof what, "%s", strlen(status->message) > skip ? status->message + skip : "");
    if (status->code == STATUS_BAD_FILE)
        xml_fail(at, "%s", what);
}

static json_t *make(const char *path, const RobotParams *params, const RobotState *state, char **notes,
                    Problem **problem, Status *status)
{
    Robot robot;
    XmlTree tree;
    locale_t numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = numbers ? uselocale(numbers) : (locale_t)0;
    json_t *document = read_robot(&robot, &tree, path, params, state, status) ? robot_write(&robot) : NULL;
    if (document && problem && !(*problem = file_read_document(document, path, status)))
        name_place(&robot, status);
    if (document && notes) {
        *notes = robot.notes.data;
        robot.notes.data = NULL;
    }
    robot_free(&robot);
    xml_free(&tree);
    if (numbers) {
        uselocale(before);
        freelocale(numbers);
    }
    return document;
}

json_t *robot_document(const char *path, const RobotParams *params, const RobotState *state, char **notes,
                       Status *status)
{
    return make(path, params, state, notes, NULL, status);
}

Problem *robot_problem(const char *path, const RobotParams *params, const RobotState *state, Status *status)
{
    Problem *problem = NULL;
    char *notes = NULL;
    json_t *document = make(path, params, state, &notes, &problem, status);
    json_decref(document);
    if (problem && notes) { /* the file's own lines first */
        Text all = {0};
        text_add(&all, "%s%s", notes, problem->notes ? problem->notes : "");
        free(problem->notes);
        problem->notes = all.data;
    }
    free(notes);
    return problem;
}
