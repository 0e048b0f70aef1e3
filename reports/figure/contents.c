/* SPDX-License-Identifier: MIT */
#include "reports/figure/contents.h"

#include "cli/cli.h"
#include "reports/figure/list.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const ROOT_KEYS[] = {"rigor", "opening", "sections", NULL};
static const char *const OPENING_KEYS[] = {"picture", "findings", NULL};
static const char *const SECTION_KEYS[] = {"lecture", "title", "contents", NULL};

static const char MORE[] = "More figures";

static ContentsItem *contents_add(Contents *contents)
{
    ContentsItem *items = realloc(contents->items, sizeof *items * ((size_t)contents->count + 1));
    if (!items)
        return NULL;
    contents->items = items;
    items[contents->count] = (ContentsItem){0};
    return &items[contents->count++];
}

static bool contents_has(const Contents *contents, const char *name)
{
    for (int i = 0; i < contents->count; i++)
        if (strcmp(contents->items[i].name, name) == 0)
            return true;
    return false;
}

/* A figure's name, or a viewer, which has one: they name places of the same page. */
static bool read_item(Node node, const ContentsItem *section, Contents *contents)
{
    bool viewer = json_is_object(node.value);
    Node place = viewer ? node_get(&node, "name") : node;
    const char *name = NULL;
    if (!node_required(place) || !node_text(place, &name))
        return false;
    if (viewer && !node_file_name(place, name))
        return false;
    if (contents_has(contents, name))
        return node_fail(place, "'%s' stands twice", name);
    ContentsItem *item = contents_add(contents);
    if (!item)
        return node_fail(node, "out of memory");
    *item = *section;
    item->name = name;
    item->viewer = viewer;
    item->index = node.index;
    return true;
}

static bool read_section(Node node, Contents *contents)
{
    ContentsItem section = {.section = node.index};
    Node list = node_get(&node, "contents");
    if (!node_object(node, SECTION_KEYS) || !node_required(node_get(&node, "lecture")) ||
        !node_text(node_get(&node, "lecture"), &section.lecture) || !node_required(node_get(&node, "title")) ||
        !node_text(node_get(&node, "title"), &section.heading) || !node_required(list) || !node_array(list))
        return false;
    for (size_t i = 0; i < json_array_size(list.value); i++)
        if (!read_item(node_at(&list, i), &section, contents))
            return false;
    return true;
}

/* What the page opens with: a figure of its own, and the findings of some others. */
static bool read_opening(Node node, Contents *contents)
{
    Node picture = node_get(&node, "picture"), findings = node_get(&node, "findings");
    const char *name = NULL;
    if (!node.value)
        return true;
    if (!node_object(node, OPENING_KEYS) || !node_text(picture, &name) || !node_array(findings))
        return false;
    for (size_t i = 0; i < json_array_size(findings.value); i++) {
        const char *text;
        if (!node_text(node_at(&findings, i), &text))
            return false;
    }
    contents->findings = findings.value;
    ContentsItem *item = name ? contents_add(contents) : NULL;
    if (item)
        *item = (ContentsItem){.name = name, .opening = true};
    return !name || item || node_fail(node, "out of memory");
}

/* A finding that nobody tells. */
static bool check_findings(Node root, const Contents *contents)
{
    Node opening = node_get(&root, "opening"), findings = node_get(&opening, "findings");
    for (size_t i = 0; i < json_array_size(findings.value); i++) {
        const char *name = json_string_value(json_array_get(findings.value, i));
        if (!contents_has(contents, name))
            return node_fail(node_at(&findings, i), "no section has '%s'", name);
    }
    return true;
}

static bool read_file(Contents *contents, Status *status)
{
    Reader reader = {.path = contents->path, .status = status};
    Node root = {.reader = &reader, .value = contents->document = file_parse(contents->path, status)};
    Node list = node_get(&root, "sections");
    if (!root.value || !node_object(root, ROOT_KEYS) || !file_read_version(&root) || !node_required(list) ||
        !node_array(list) || !read_opening(node_get(&root, "opening"), contents))
        return false;
    for (size_t i = 0; i < json_array_size(list.value); i++)
        if (!read_section(node_at(&list, i), contents))
            return false;
    return check_findings(root, contents);
}

static bool add_others(Contents *contents, Status *status)
{
    contents->names = figures_names(status);
    if (!contents->names)
        return false;
    size_t i;
    json_t *name;
    const char *heading = contents->document ? MORE : NULL;
    json_array_foreach (contents->names, i, name)
        if (!contents_has(contents, json_string_value(name))) {
            ContentsItem *item = contents_add(contents);
            if (!item)
                return status_set(status, STATUS_FAILED, "out of memory");
            *item = (ContentsItem){.name = json_string_value(name), .heading = heading};
        }
    return true;
}

/* `path` is its own from now on. */
static Contents *contents_create(char *path, Status *status)
{
    Contents *contents = path ? calloc(1, sizeof *contents) : NULL;
    if (contents) {
        contents->path = path;
        return contents;
    }
    status_set(status, STATUS_FAILED, "out of memory");
    free(path);
    return NULL;
}

Contents *contents_read_file(const char *path, Status *status)
{
    Contents *contents = contents_create(strdup(path), status);
    if (contents && read_file(contents, status))
        return contents;
    contents_destroy(contents);
    return NULL;
}

Contents *contents_read(Status *status)
{
    Text path = {0};
    char folder[FOLDER_TEXT];
    text_add(&path, "%s/%s", figures_folder(folder), CONTENTS_FILE);
    Contents *contents = contents_create(path.data, status);
    if (contents && (access(contents->path, F_OK) != 0 || read_file(contents, status)) && add_others(contents, status))
        return contents;
    contents_destroy(contents);
    return NULL;
}

void contents_destroy(Contents *contents)
{
    if (!contents)
        return;
    json_decref(contents->document);
    json_decref(contents->names);
    free(contents->items);
    free(contents->path);
    free(contents);
}

/* What a figure's file says of itself. */
static json_t *figure_entry(const char *name)
{
    Status status = {0};
    char *path = figure_path(name, &status);
    json_t *document = path ? json_load_file(path, 0, NULL) : NULL;
    const char *title = json_string_value(json_object_get(document, "title"));
    const char *slide = json_string_value(json_object_get(document, "slide"));
    json_t *entry = json_pack("{s:s,s:s,s:s}", "name", name, "summary", title ? title : "cannot be read", "slide",
                              slide ? slide : "");
    json_decref(document);
    free(path);
    return entry;
}

static json_t *list_figures(const SolverSet *set)
{
    (void)set;
    Status status = {0};
    Contents *contents = contents_read(&status);
    json_t *list = json_array();
    for (int i = 0; contents && i < contents->count; i++)
        if (!contents->items[i].viewer)
            json_array_append_new(list, figure_entry(contents->items[i].name));
    contents_destroy(contents);
    return list;
}

const ListKind list_kind_figures = {"figures", list_figures, false};
