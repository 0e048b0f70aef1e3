#include "reports/entry.h"

bool entry_check_set(Node node)
{
    const char *key;
    json_t *value;
    if (node.value && !json_is_object(node.value))
        return node_wrong_type(node, "an object");
    json_object_foreach(node.value, key,
                        value) if (json_is_object(value) || json_is_array(value) ||
                                   json_is_null(value)) return node_wrong_type(node_get(&node, key),
                                                                               "a text, a number or a truth value");
    return true;
}

bool entry_read(Entry *entry, const Node *root, const Node *node, const Workshop *workshop)
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
    entry->experiment = experiment_read_entry(root, runs, workshop->solvers, workshop->plugin_paths);
    return entry->experiment != NULL;
}

void entry_clear(Entry *entry)
{
    experiment_destroy(entry->experiment);
    json_decref(entry->runs);
}
