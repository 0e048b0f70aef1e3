/* SPDX-License-Identifier: MIT */
#include "reports/figure/list.h"

#include "model/suggest.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char EXTENSION[] = ".json";

const char *figures_folder(char folder[FOLDER_TEXT])
{
    const char *given = getenv("RIGOR_FIGURES");
    return given && given[0] ? given : folder_path(FOLDER_REPORTS, "figures", folder);
}

bool node_file_name(Node node, const char *name)
{
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t length = strlen(name);
    if (name[0] == '-' || strspn(name, LETTERS) < length)
        return node_fail(node, "files are named after it: letters, digits, _ and - only, and no - in front");
    return length <= FILE_NAME_MOST || node_fail(node, "files are named after it: at most %d letters", FILE_NAME_MOST);
}

static bool has_extension(const char *name)
{
    size_t length = strlen(name), tail = strlen(EXTENSION);
    return length > tail && strcmp(name + length - tail, EXTENSION) == 0;
}

json_t *figures_names(Status *status)
{
    struct dirent **entries;
    char room[FOLDER_TEXT];
    const char *folder = figures_folder(room);
    int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0) {
        status_set(status, STATUS_FAILED, "%s: %s", folder, strerror(errno));
        return NULL;
    }
    json_t *names = json_array();
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (has_extension(name) && strcmp(name, CONTENTS_FILE) != 0)
            json_array_append_new(names, json_stringn(name, strlen(name) - strlen(EXTENSION)));
        free(entries[i]);
    }
    free(entries);
    return names;
}

static bool figure_suggest(const char *name, Status *status)
{
    json_t *names = figures_names(status), *other;
    size_t i;
    if (!names)
        return false;
    Suggestion near = suggestion_for(name);
    json_array_foreach (names, i, other)
        suggestion_offer(&near, json_string_value(other));
    char text[SUGGESTION_TEXT];
    status_set(status, STATUS_USAGE, "there is no figure '%s'%s%srigor list figures names them", name,
               suggestion_text(&near, text), near.best ? " " : "; ");
    json_decref(names);
    return false;
}

char *figure_path(const char *name, Status *status)
{
    Text path = {0};
    char folder[FOLDER_TEXT];
    bool file = strchr(name, '/') || has_extension(name);
    if (file)
        text_add(&path, "%s", name);
    else
        text_add(&path, "%s/%s%s", figures_folder(folder), name, EXTENSION);
    if (!path.failed && (file || access(path.data, R_OK) == 0))
        return path.data;
    free(path.data);
    figure_suggest(name, status);
    return NULL;
}
