/* SPDX-License-Identifier: MIT */
/* Where an engine's bridge lies: the folder that $RIGOR_ENGINES names, else the program's own. Node's scripts need
 * their package beside them. */
#include "bench/files/folder.h"
#include "solvers/engines/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char MISSING[] = "not installed";

static bool is_script(const char *bridge)
{
    size_t length = strlen(bridge);
    return length > 4 && strcmp(bridge + length - 4, ".mjs") == 0;
}

/* The package's name without where it comes from. */
static const char *package_name(const Engine *engine)
{
    const char *space = strchr(engine->package, ' ');
    return space ? space + 1 : engine->package;
}

/* Whether the folder has the bridge and what it needs; puts its path into text. */
static bool folder_has(const char *folder, const Engine *engine, char *text, size_t size)
{
    bool script = is_script(engine->bridge);
    if (script) {
        snprintf(text, size, "%s/node_modules/%s/package.json", folder, package_name(engine));
        if (access(text, R_OK) != 0)
            return false;
    }
    int length = snprintf(text, size, "%s/%s", folder, engine->bridge);
    return length > 0 && (size_t)length < size && access(text, script ? R_OK : X_OK) == 0;
}

bool engine_file(const Engine *engine, char *path, size_t size)
{
    char folder[FOLDER_TEXT];
    const char *named = getenv("RIGOR_ENGINES");
    Folder place = is_script(engine->bridge) ? FOLDER_SCRIPTS : FOLDER_BRIDGES;
    return !engine->command && folder_has(named ? named : folder_path(place, ".", folder), engine, path, size);
}

bool engine_is_missing(const Solver *solver)
{
    const Engine *engine = engine_of(solver);
    char path[FOLDER_TEXT];
    return engine && !engine->command && !engine_file(engine, path, sizeof path);
}

bool engine_said_missing(const char *message)
{
    return strncmp(message, MISSING, sizeof MISSING - 1) == 0;
}

bool engine_command(const Engine *engine, char *text, size_t size, Status *status)
{
    char path[FOLDER_TEXT] = "";
    if (engine->command)
        return (size_t)snprintf(text, size, "%s", engine->command) < size ||
               status_set(status, STATUS_USAGE, "--engine: the command is too long");
    if (!engine_file(engine, path, sizeof path))
        return status_set(status, STATUS_UNSUPPORTED, "%s: it needs %s; `make engines` gets it", MISSING,
                          engine->package);
    if (strchr(path, '\'')) /* quoted for the shell */
        return status_set(status, STATUS_FAILED, "%s: a path with a quote cannot be started", path);
    return (size_t)snprintf(text, size, "%s'%s'", is_script(engine->bridge) ? "node " : "", path) < size ||
           status_set(status, STATUS_FAILED, "%s: the path is too long", path);
}
