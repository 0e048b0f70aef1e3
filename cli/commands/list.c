/* SPDX-License-Identifier: MIT */
/* rigor list: what there is. */
#include "bench/run/json.h"
#include "bench/text/capabilities.h"
#include "bench/text/describe.h"
#include "bench/text/table.h"
#include "bench/text/wrap.h"
#include "cli/hints.h"
#include "model/suggest.h"
#include "solvers/engines/engine.h"
#include "solvers/provenance.h"

#include <stdio.h>
#include <string.h>

static json_t *list_scenes(const SolverSet *set)
{
    (void)set;
    json_t *array = json_array();
    for (int i = 0; i < scene_count; i++)
        json_array_append_new(array, describe_scene(all_scenes[i]));
    return array;
}

/* What an engine's bridge says of itself, or what is missing. Names that share a bridge stand together: it is asked
 * once. */
static json_t *list_engine(const Engine *engine, const Engine **last, json_t *said)
{
    char command[4096];
    Status status = {0};
    if (*last && strcmp((*last)->bridge, engine->bridge) == 0 && !engine->command)
        return json_incref(said);
    *last = engine;
    json_t *description =
        engine_command(engine, command, sizeof command, &status) ? engine_describe(command, &status) : NULL;
    return description ? description : json_pack("{s:s}", "missing", status.message);
}

static json_t *list_solvers(const SolverSet *set)
{
    json_t *array = json_array(), *said = NULL;
    const Engine *last = NULL;
    for (int i = 0; i < set->count; i++) {
        const Engine *engine = engine_of(set->solvers[i]);
        json_t *entry = describe_solver(set->solvers[i]);
        json_array_append_new(array, entry);
        if (!engine)
            continue;
        json_t *next = list_engine(engine, &last, said);
        json_decref(said);
        said = next;
        json_object_set(entry, "engine", said);
    }
    json_decref(said);
    return array;
}

/* Each engine once: version, precision, licence, ready or why not. */
static json_t *list_engines(const SolverSet *set)
{
    json_t *array = json_array();
    const char *last = "";
    for (int i = 0; i < set->count; i++) {
        char command[4096], summary[256];
        Status status = {0};
        const Engine *engine = engine_of(set->solvers[i]);
        if (!engine || strcmp(engine->bridge, last) == 0)
            continue;
        last = engine->bridge;
        json_t *said = engine_command(engine, command, sizeof command, &status) ? engine_describe(command, &status)
                                                                                : json_object();
        const char *version = "", *precision = "", *licence = "", *name = set->solvers[i]->name;
        int dimension = 3;
        bool ready = json_unpack(said, "{s:s,s:s,s:s,s:s,s?i}", "engine", &name, "version", &version, "precision",
                                 &precision, "licence", &licence, "dimension", &dimension) == 0;
        snprintf(summary, sizeof summary, "%s, %s, %dD, %s: ready", version, precision, dimension, licence);
        json_array_append_new(array, json_pack("{s:s,s:s,s:b,s:o}", "name", name, "summary",
                                               ready ? summary : status.message, "ready", ready, "about", said));
    }
    return array;
}

/* The summary, with an engine's version, precision and dimension, or what is missing. */
static void entry_summary(const json_t *entry, char *text, size_t size)
{
    const json_t *engine = json_object_get(entry, "engine");
    const char *missing = json_string_value(json_object_get(engine, "missing"));
    const char *name = "", *version = "", *precision = "";
    int dimension = 3;
    snprintf(text, size, "%s", json_string_value(json_object_get(entry, "summary")));
    size_t used = strlen(text);
    if (missing)
        snprintf(text + used, size - used, " (%s)", missing);
    else if (json_unpack((json_t *)engine, "{s:s,s?s,s?s,s?i}", "engine", &name, "version", &version, "precision",
                         &precision, "dimension", &dimension) == 0)
        snprintf(text + used, size - used, " (%s %s, %s, %dD)", name, version, precision, dimension);
}

static json_t *list_metrics(const SolverSet *set)
{
    (void)set;
    json_t *array = json_array();
    for (int i = 0; i < metric_count; i++)
        json_array_append_new(array, describe_metric(all_metrics[i]));
    return array;
}

/* Which original each name stands for, and how far its recorded motions are that one's. */
static json_t *list_originals(const SolverSet *set)
{
    json_t *array = json_array();
    for (int i = 0; i < set->count; i++) {
        const char *name = set->solvers[i]->name;
        const Provenance *p = provenance_of(name);
        char summary[256];
        if (!p)
            continue;
        snprintf(summary, sizeof summary, "%s: %d SAME (to %s m), %d BY DESIGN, %d UNEXPLAINED", p->original, p->same,
                 p->farthest, p->by_design, p->open);
        json_array_append_new(array, json_pack("{s:s,s:s,s:s,s:i,s:i,s:i,s:s,s:s*}", "name", name, "summary", summary,
                                               "original", p->original, "same", p->same, "by_design", p->by_design,
                                               "unexplained", p->open, "farthest", p->farthest, "why", p->why));
    }
    return array;
}

const ListKind list_kind_scenes = {"scenes", list_scenes, false};
const ListKind list_kind_solvers = {"solvers", list_solvers, false};
const ListKind list_kind_metrics = {"metrics", list_metrics, false};
const ListKind list_kind_engines = {"engines", list_engines, true};
const ListKind list_kind_originals = {"originals", list_originals, true};

static int kind_find(const SolverSet *set, const char *name, Status *status)
{
    Suggestion near = suggestion_for(name);
    for (int i = 0; i < list_kind_count; i++) {
        if (strcmp(all_list_kinds[i]->name, name) == 0)
            return i;
        suggestion_offer(&near, all_list_kinds[i]->name);
    }
    char text[SUGGESTION_TEXT], known[128] = "";
    for (int i = 0; i < list_kind_count && !near.best; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s %s",
                 i > 0 ? "," : "; lists are:", all_list_kinds[i]->name);
    status_set(status, STATUS_USAGE, "there is no list of '%s'%s%s", name, suggestion_text(&near, text), known);
    hint_elsewhere(set, name, status);
    return -1;
}

/* Variants and texts stand under their backend. */
static const char *entry_indent(const json_t *entry)
{
    return json_object_get(entry, "variant_of") || json_object_get(entry, "text_of") ? "  " : "";
}

/* The text is read from the same description as the JSON. */
static void kind_print(const char *name, json_t *array)
{
    size_t i;
    json_t *entry;
    Table *table = table_create();
    table_add_column(table, name, "", BEST_NONE);
    table_add_column(table, "", "", BEST_NONE);
    json_array_foreach (array, i, entry) {
        char label[SOLVER_LABEL], summary[512];
        snprintf(label, sizeof label, "%s%s", entry_indent(entry), json_string_value(json_object_get(entry, "name")));
        table_add_text(table, label);
        entry_summary(entry, summary, sizeof summary);
        table_add_text(table, summary);
    }
    table_print(table, stdout);
    table_destroy(table);
}

static void matrix_print(json_t *array)
{
    size_t i;
    json_t *row;
    Table *table = table_create();
    table_add_column(table, "solver", "", BEST_NONE);
    table_add_column(table, "joints", "", BEST_NONE);
    for (int c = 0; c < MATRIX_COLUMN_COUNT; c++)
        table_add_column(table, matrix_columns[c].head, "", BEST_NONE);
    table_add_column(table, "numbers", "", BEST_NONE);
    table_add_column(table, "friction", "", BEST_NONE);
    table_add_column(table, "needs", "", BEST_NONE);
    json_array_foreach (array, i, row) {
        char label[SOLVER_LABEL], letters[MATRIX_LETTERS];
        const char *needs = json_string_value(json_object_get(row, "needs"));
        snprintf(label, sizeof label, "%s%s", entry_indent(row), json_string_value(json_object_get(row, "name")));
        table_add_text(table, label);
        table_add_text(table, matrix_letters(json_object_get(row, "joints"), letters));
        for (int c = 0; c < MATRIX_COLUMN_COUNT; c++)
            table_add_text(table, matrix_has(row, matrix_columns[c].capability) ? "x" : "");
        table_add_text(table, json_string_value(json_object_get(row, "precision")));
        table_add_text(table, json_string_value(json_object_get(row, "friction")));
        table_add_text(table, needs ? needs : "");
    }
    table_print(table, stdout);
    table_destroy(table);
    fold_print(stdout, MATRIX_KEY, 0, 0);
}

static bool list_print_matrix(const Arguments *arguments, Status *status)
{
    if (arguments->operand_count != 1 || strcmp(arguments->operands[0], list_kind_solvers.name) != 0)
        return status_set(status, STATUS_USAGE, "--matrix belongs to `rigor list solvers`");
    json_t *solvers = list_solvers(&arguments->solvers), *array = matrix_describe(&arguments->solvers, solvers);
    json_decref(solvers);
    if (arguments->given[OPTION_JSON])
        return json_print(array, status);
    matrix_print(array);
    json_decref(array);
    return true;
}

static bool list_command(const Arguments *arguments, Status *status)
{
    if (arguments->given[OPTION_MATRIX])
        return list_print_matrix(arguments, status);
    bool json = arguments->given[OPTION_JSON];
    int first = 0, last = list_kind_count - 1;
    if (arguments->operand_count > 0) {
        first = last = kind_find(&arguments->solvers, arguments->operands[0], status);
        if (first < 0)
            return false;
    }
    json_t *document = json_object();
    for (int i = first; i <= last; i++) {
        if (first < last && all_list_kinds[i]->by_name_only)
            continue;
        json_t *array = all_list_kinds[i]->list(&arguments->solvers);
        json_object_set_new(document, all_list_kinds[i]->name, array);
        if (!json) {
            fputs(i > first ? "\n" : "", stdout);
            kind_print(all_list_kinds[i]->name, array);
        }
    }
    bool ok = true;
    if (json) {
        json_t *one = json_object_get(document, all_list_kinds[first]->name);
        ok = json_print(json_incref(first == last ? one : document), status);
    }
    json_decref(document);
    return ok;
}

const Command command_list = {
    .name = "list",
    .operands = "[scenes|solvers|metrics|engines|originals|figures]",
    .summary = "what there is: scenes, solvers, metrics, figures",
    .least_operands = 0,
    .most_operands = 1,
    .options = TAKES(OPTION_JSON) | TAKES(OPTION_MATRIX) | TAKES(OPTION_PLUGIN) | TAKES(OPTION_ENGINE),
    .only_reads = true,
    .run = list_command,
};
