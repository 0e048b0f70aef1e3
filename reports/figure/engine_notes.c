/* SPDX-License-Identifier: MIT */
#include "reports/figure/engine_notes.h"

#include "bench/verify/gate.h"
#include "reports/draw/typeset.h"
#include "solvers/engines/engine.h"

#include <string.h>

/* What is said of an engine in a list; false: nothing. */
typedef bool EngineNote(const char *name, Text *out);

static bool note_missing(const char *name, Text *out)
{
    const Solver *engine = gate_engine(name);
    char path[4096];
    if (!engine || engine_file(engine_of(engine), path, sizeof path))
        return false;
    typeset_name(out, name);
    return true;
}

static bool note_fails(const char *name, Text *out)
{
    char fails[GATE_TEXT];
    if (!gate_failures(name, fails))
        return false;
    typeset_name(out, name);
    text_add(out, " (%s)", fails);
    return true;
}

/* One sentence about each of the rows' solvers of which there is something to say. */
static void notes_add(Text *caption, const json_t *rows, const char *begin, EngineNote *note, const char *end)
{
    json_t *row, *told = json_object();
    size_t i;
    int count = 0;
    json_array_foreach (rows, i, row) {
        const char *solver = json_string_value(json_object_get(row, "solver"));
        if (!solver || !json_object_get(row, "scene") || json_object_get(told, solver))
            continue;
        json_object_set_new(told, solver, json_true());
        Text part = {0};
        if (note(solver, &part)) {
            text_add(caption, "%s%s", count++ ? ", " : begin, part.data);
            caption->failed = caption->failed || part.failed;
        }
        free(part.data);
    }
    text_add(caption, "%s", count ? end : "");
    json_decref(told);
}

void engine_notes(Text *caption, const json_t *rows)
{
    notes_add(caption, rows, " Not installed, and so left out: ", note_missing, "; `make engines` gets what it can.");
    notes_add(caption, rows, " Fail checks of `rigor verify`: ", note_fails, ".");
}
