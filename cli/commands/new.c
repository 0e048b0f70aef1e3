/* SPDX-License-Identifier: MIT */
/* rigor new: a small working file to start from. */
#include "bench/files/folder.h"
#include "bench/files/text_file.h"
#include "cli/cli.h"
#include "model/suggest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 6, NAME_MOST = 40 };

/* A kind of file: the template, what the file is called (NAME stands for the name), which words of the template become
 * which, and what to do with the file. */
typedef struct Skeleton {
    const char *kind, *template, *file;
    const char *words[WORDS][2]; /* up to a NULL */
    const char *next;
} Skeleton;

static const Skeleton SKELETONS[] = {
    {"scene", "scene.json", "NAME.scene.json", {{"NAME", "NAME"}}, "rigor check FILE\nrigor run ./FILE xpbd\n"},
    {"solver",
     "spring_solver.c",
     "NAME_solver.c",
     {{"\"springs\"", "\"NAME\""},
      {"pendulum springs", "pendulum NAME"},
      {"spring_solver.c", "NAME_solver.c"},
      {"spring.so", "NAME.so"}},
     "cc -shared -fPIC $(pkg-config --cflags rigor-plugin) FILE -o NAME.so\nrigor verify NAME --plugin ./NAME.so\n"
     "rigor compare pendulum --solvers NAME,xpbd --plugin ./NAME.so\n"},
    {"metric",
     "metric.c",
     "NAME_metric.c",
     {{"NAME", "NAME"}},
     "cc -shared -fPIC $(pkg-config --cflags rigor-plugin) FILE -o NAME.so\n"
     "rigor compare chain --solvers pgs,xpbd --plugin ./NAME.so --metrics NAME\n"},
    {"figure", "figure.json", "NAME.figure.json", {{"NAME", "NAME"}}, "rigor check FILE\nrigor report ./FILE -o out\n"},
    {"engine",
     "engine_bridge.py",
     "NAME_engine.py",
     {{"\"toy\"", "\"NAME\""}, {"projectile toy", "projectile NAME"}, {"examples/engine_bridge.py", "NAME_engine.py"}},
     "rigor verify NAME --engine \"python3 FILE\"\nrigor run projectile NAME --engine \"python3 FILE\"\n"},
    {"experiment",
     "experiment.json",
     "NAME.experiment.json",
     {{"NAME", "NAME"}},
     "rigor check FILE --estimate\nrigor sweep FILE --db NAME.sqlite\n"
     "rigor results NAME.sqlite --group solver --agg median,ci95\n"},
};
enum { SKELETON_COUNT = sizeof SKELETONS / sizeof SKELETONS[0] };

static const Skeleton *skeleton_find(const char *kind, Status *status)
{
    Suggestion near = suggestion_for(kind);
    char text[SUGGESTION_TEXT];
    for (int i = 0; i < SKELETON_COUNT; i++) {
        if (strcmp(SKELETONS[i].kind, kind) == 0)
            return &SKELETONS[i];
        suggestion_offer(&near, SKELETONS[i].kind);
    }
    status_set(status, STATUS_USAGE, "'%s' is none of scene, solver, metric, figure, engine, experiment%s", kind,
               suggestion_text(&near, text));
    return NULL;
}

/* It becomes the name of files, of a C function, and what a user types. */
static bool name_check(const char *name, Status *status)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz", REST[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    bool ok = name[0] && strchr(LETTERS, name[0]) && !name[strspn(name, REST)] && strlen(name) <= NAME_MOST;
    return ok ||
           status_set(status, STATUS_USAGE, "'%s' is no name: small letters, digits and _, a letter first, at most %d",
                      name, NAME_MOST);
}

/* Of a name that is there already the new file would not be known. */
static bool name_is_free(const Arguments *arguments, const char *kind, const char *name, Status *status)
{
    bool solver = strcmp(kind, "solver") == 0 || strcmp(kind, "engine") == 0;
    bool taken = (solver && solver_set_find(&arguments->solvers, name, &(Status){0})) ||
                 (strcmp(kind, "metric") == 0 && metric_find(name) >= 0);
    return !taken || status_set(status, STATUS_USAGE, "there is already a %s '%s': choose another name",
                                solver ? "solver" : "metric", name);
}

/* Installed they lie together; in the source, examples lie with the examples. */
static char *template_read(const char *name)
{
    static const char *const PLACES[] = {"new", "../examples"};
    char below[128], path[FOLDER_TEXT];
    for (int i = 0; i < 2; i++) {
        snprintf(below, sizeof below, "%s/%s", PLACES[i], name);
        if (access(folder_path(FOLDER_REPORTS, below, path), F_OK) == 0)
            return text_file_read(path);
    }
    return NULL;
}

/* The text with NAME and FILE in it replaced. */
static void put_words(FILE *out, const char *text, const char *name, const char *file)
{
    while (*text) {
        bool is_name = strncmp(text, "NAME", 4) == 0, is_file = file && strncmp(text, "FILE", 4) == 0;
        if (is_name || is_file)
            fputs(is_name ? name : file, out);
        else
            fputc(*text, out);
        text += is_name || is_file ? 4 : 1;
    }
}

static void put_skeleton(FILE *out, const char *text, const Skeleton *skeleton, const char *name)
{
    while (*text) {
        int w = 0;
        while (w < WORDS && skeleton->words[w][0] &&
               strncmp(text, skeleton->words[w][0], strlen(skeleton->words[w][0])) != 0)
            w++;
        bool known = w < WORDS && skeleton->words[w][0];
        if (known)
            put_words(out, skeleton->words[w][1], name, NULL);
        else
            fputc(*text, out);
        text += known ? strlen(skeleton->words[w][0]) : 1;
    }
}

/* A file that is there is never written over, also if another program makes it meanwhile. */
static bool skeleton_write(const Skeleton *skeleton, const char *name, const char *path, Status *status)
{
    char *text = template_read(skeleton->template);
    if (!text)
        return status_set(status, STATUS_FAILED, "the template %s cannot be read", skeleton->template);
    FILE *out = fopen(path, "wx");
    if (!out && errno == EEXIST)
        status_set(status, STATUS_USAGE, "%s is there already, and stays as it is", path);
    else if (!out)
        status_set(status, STATUS_FAILED, "%s: cannot be written: %s", path, strerror(errno));
    if (out)
        put_skeleton(out, text, skeleton, name);
    bool ok = out != NULL;
    if (out && (ferror(out) || fclose(out) != 0)) {
        ok = status_set(status, STATUS_FAILED, "%s: cannot be written", path);
        remove(path);
    }
    free(text);
    return ok;
}

static bool new_command(const Arguments *arguments, Status *status)
{
    char path[128] = "";
    const char *name = arguments->operands[1];
    const Skeleton *skeleton = skeleton_find(arguments->operands[0], status);
    if (!skeleton || !name_check(name, status) || !name_is_free(arguments, skeleton->kind, name, status))
        return false;
    snprintf(path, sizeof path, "%s%s", name, skeleton->file + strlen("NAME"));
    if (!skeleton_write(skeleton, name, path, status))
        return false;
    printf("%s is written; next:\n\n", path);
    put_words(stdout, skeleton->next, name, path);
    return true;
}

const Command command_new = {
    .name = "new",
    .operands = "KIND NAME",
    .summary = "a small working file to start from: scene, solver, metric, figure, engine or experiment",
    .help =
        "Writes NAME.scene.json, NAME_solver.c, NAME_metric.c, NAME.figure.json, NAME_engine.py or\n"
        "NAME.experiment.json into the current folder, never over a file that is there, and says what to do with it.\n"
        "Each runs as it is. Solvers and metrics are plug-ins (--plugin), an engine is a bridge (--engine).",
    .least_operands = 2,
    .most_operands = 2,
    .run = new_command,
};
