/* SPDX-License-Identifier: MIT */
#include "reports/figure/entry.h"

bool entry_check_set(Node node)
{
    const char *key;
    json_t *value;
    if (node.value && !json_is_object(node.value))
        return node_wrong_type(node, "an object");
    json_object_foreach (node.value, key, value)
        if (json_is_object(value) || json_is_array(value) || json_is_null(value))
            return node_wrong_type(node_get(&node, key), "a text, a number or a truth value");
        else if (!node_printable(node, key) ||
                 (json_is_string(value) && !node_printable(node_get(&node, key), json_string_value(value))))
            return false;
    return true;
}

bool entry_is_wanted(Node node, const Workshop *workshop, bool *wanted)
{
    const char *needs = NULL;
    if (!node_text(node_get(&node, "needs"), &needs))
        return false;
    *wanted = workshop->check || figure_need_is_met(needs);
    return true;
}

/* False with a message; what it holds is to be freed in any case. */
static bool entry_read(Entry *entry, const Node *root, const Node *node, const Workshop *workshop)
{
    *entry = (Entry){.columns = node_get(node, "columns")};
    if (!json_is_object(node->value))
        return node_wrong_type(*node, "an object");
    Node set = node_get(node, "set"), runs = *node;
    if (!entry_check_set(set))
        return false;
    entry->set = set.value;
    entry->runs = runs.value = json_copy(node->value);
    json_object_del(runs.value, "set");
    json_object_del(runs.value, "columns");
    json_object_del(runs.value, "needs");
    entry->experiment = experiment_read_entry(root, runs, workshop->solvers, workshop->plugin_paths);
    return entry->experiment != NULL;
}

bool figure_add_entries(Figure *figure, const char *key, EntryAdd *add, Workshop *workshop, Status *status)
{
    Reader reader = {.path = figure->path, .status = status};
    Node root = {.reader = &reader, .value = figure->document}, list = node_get(&root, key);
    bool ok = node_array(list);
    for (size_t i = 0; ok && i < json_array_size(list.value); i++) {
        Entry entry;
        Node place = node_at(&list, i);
        bool wanted;
        if (!(ok = entry_is_wanted(place, workshop, &wanted)) || !wanted)
            continue;
        ok = entry_read(&entry, &root, &place, workshop) && add(&entry, place, workshop, figure->data);
        experiment_destroy(entry.experiment);
        json_decref(entry.runs);
    }
    return ok;
}
