/* rigor list: what there is. */
#include "bench/cli/cli.h"
#include "bench/describe.h"
#include "bench/json.h"
#include "bench/suggest.h"
#include "bench/table.h"

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

static json_t *list_solvers(const SolverSet *set)
{
    json_t *array = json_array();
    for (int i = 0; i < set->count; i++)
        json_array_append_new(array, describe_solver(set->solvers[i]));
    return array;
}

static json_t *list_metrics(const SolverSet *set)
{
    (void)set;
    json_t *array = json_array();
    for (int i = 0; i < metric_count; i++)
        json_array_append_new(array, describe_metric(all_metrics[i]));
    return array;
}

const ListKind list_kind_scenes = {"scenes", list_scenes};
const ListKind list_kind_solvers = {"solvers", list_solvers};
const ListKind list_kind_metrics = {"metrics", list_metrics};

static int kind_find(const char *name, Status *status)
{
    Suggestion near = suggestion_for(name);
    for (int i = 0; i < list_kind_count; i++) {
        if (strcmp(all_list_kinds[i]->name, name) == 0)
            return i;
        suggestion_offer(&near, all_list_kinds[i]->name);
    }
    char text[SUGGESTION_TEXT];
    status_set(status, STATUS_USAGE, "there is no list of '%s'%s", name, suggestion_text(&near, text));
    return -1;
}

/* The text is read from the same description as the JSON; a variant stands under its backend. */
static void kind_print(const char *name, json_t *array)
{
    size_t i;
    json_t *entry;
    Table *table = table_create();
    table_add_column(table, name, "", BEST_NONE);
    table_add_column(table, "", "", BEST_NONE);
    json_array_foreach (array, i, entry) {
        char label[SOLVER_LABEL];
        bool variant = json_object_get(entry, "variant_of") != NULL;
        snprintf(label, sizeof label, "%s%s", variant ? "  " : "", json_string_value(json_object_get(entry, "name")));
        table_add_text(table, label);
        table_add_text(table, json_string_value(json_object_get(entry, "summary")));
    }
    table_print(table, stdout);
    table_destroy(table);
}

static bool list_command(const Arguments *arguments, Status *status)
{
    bool json = arguments->given[OPTION_JSON];
    int first = 0, last = list_kind_count - 1;
    if (arguments->operand_count > 0) {
        first = last = kind_find(arguments->operands[0], status);
        if (first < 0)
            return false;
    }
    json_t *document = json_object();
    for (int i = first; i <= last; i++) {
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
    .operands = "[scenes|solvers|metrics|figures]",
    .summary = "what there is: scenes, solvers, metrics, figures",
    .least_operands = 0,
    .most_operands = 1,
    .options = TAKES(OPTION_JSON) | TAKES(OPTION_PLUGIN),
    .only_reads = true,
    .run = list_command,
};
