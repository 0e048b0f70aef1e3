/* SPDX-License-Identifier: MIT */
/* The page's opening picture: a table of solvers by scenes, a cell a run, coloured by what became of it (generator
 * `verdict`). A cell leads to its run: numbers and command, which wait as a part of the page. */
#include "reports/draw/typeset.h"
#include "reports/html/html.h"
#include "reports/html/run_command.h"

#include <stdlib.h>
#include <string.h>

/* By `verdict`: the class of the cell, what stands in it, what it means. */
static const struct {
    const char *name, *sign, *means;
} VERDICTS[] = {
    {"holds", "✓", "holds"},
    {"drifts", "~", "drifts: more than 1 % of a body's length, or energy grows"},
    {"falls", "✕", "falls, comes apart or blows up"},
    {"cannot", "–", "cannot run it"},
};
enum { CELL_KINDS = sizeof VERDICTS / sizeof VERDICTS[0] };

static bool row_is_verdict(const json_t *row)
{
    return json_object_get(row, "verdict") && json_object_get(row, "word");
}

bool figure_has_verdicts(const Figure *figure)
{
    size_t i;
    json_t *row;
    json_array_foreach (figure->data, i, row)
        if (row_is_verdict(row))
            return true;
    return false;
}

static const char *text_of(const json_t *row, const char *field)
{
    const char *text = json_string_value(json_object_get(row, field));
    return text ? text : "";
}

static int cell_verdict(const json_t *row)
{
    int verdict = (int)json_integer_value(json_object_get(row, "verdict"));
    return verdict >= 0 && verdict < CELL_KINDS ? verdict : CELL_KINDS - 1;
}

/* Texts of a field over all verdicts, each once, in their order. */
static json_t *distinct(const json_t *rows, const char *field)
{
    json_t *list = json_array(), *seen = json_object(), *row;
    size_t i;
    json_array_foreach (rows, i, row)
        if (row_is_verdict(row) && !json_object_get(seen, text_of(row, field))) {
            json_object_set_new(seen, text_of(row, field), json_true());
            json_array_append_new(list, json_string(text_of(row, field)));
        }
    json_decref(seen);
    return list;
}

static const json_t *find_run(const json_t *rows, const char *scene, const char *solver)
{
    size_t i;
    json_t *row;
    json_array_foreach (rows, i, row)
        if (row_is_verdict(row) && strcmp(text_of(row, "scene"), scene) == 0 &&
            strcmp(text_of(row, "solver"), solver) == 0)
            return row;
    return NULL;
}

static void write_cell(Text *page, const json_t *row, const char *scene, const char *solver)
{
    if (!row) {
        text_add(page, "<td></td>");
        return;
    }
    int verdict = cell_verdict(row);
    text_add(page, "<td><a class=\"%s\" href=\"#run-", VERDICTS[verdict].name);
    html_escape(page, solver);
    text_add(page, "-on-");
    html_escape(page, scene);
    text_add(page, "\" aria-label=\"");
    html_escape(page, solver);
    text_add(page, " on ");
    html_escape(page, scene);
    text_add(page, ": %s\">%s</a></td>", VERDICTS[verdict].name, VERDICTS[verdict].sign);
}

/* Long names may break at their words. */
static void write_breakable(Text *page, const char *name)
{
    Text escaped = {0};
    html_escape(&escaped, name);
    for (const char *c = escaped.failed ? "" : escaped.data; *c; c++)
        text_add(page, *c == '_' ? "_<wbr>" : "%c", *c);
    free(escaped.data);
}

static void write_table(Text *page, const json_t *rows)
{
    json_t *scenes = distinct(rows, "scene"), *solvers = distinct(rows, "solver"), *scene, *solver;
    size_t i, k;
    text_add(page,
             "<div class=\"verdict-scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Solvers by scenes\"><table "
             "class=\"verdicts\"><colgroup><col class=\"names\"></colgroup><thead><tr><td></td>");
    json_array_foreach (scenes, i, scene) {
        text_add(page, "<th scope=\"col\">");
        write_breakable(page, json_string_value(scene));
        text_add(page, "</th>");
    }
    text_add(page, "</tr></thead><tbody>\n");
    json_array_foreach (solvers, i, solver) {
        text_add(page, "<tr><th scope=\"row\">");
        html_escape(page, json_string_value(solver));
        text_add(page, "</th>");
        json_array_foreach (scenes, k, scene)
            write_cell(page, find_run(rows, json_string_value(scene), json_string_value(solver)),
                       json_string_value(scene), json_string_value(solver));
        text_add(page, "</tr>\n");
    }
    text_add(page, "</tbody></table></div>\n<ul class=\"verdict-key\">");
    for (int v = 0; v < CELL_KINDS; v++)
        text_add(page, "<li><span class=\"%s\" aria-hidden=\"true\">%s</span>%s</li>", VERDICTS[v].name,
                 VERDICTS[v].sign, VERDICTS[v].means);
    text_add(page, "</ul>\n");
    json_decref(scenes);
    json_decref(solvers);
}

static void add_fact(json_t *facts, const char *term, double value, const char *unit)
{
    Text text = {0}, plain = {0};
    if (isnan(value))
        return;
    typeset_number(&text, value, 3);
    typeset_text(&plain, text.failed ? "" : text.data);
    text_add(&plain, "%s", unit);
    json_array_append_new(facts, json_pack("[s,s]", term, plain.failed ? "" : plain.data));
    free(text.data);
    free(plain.data);
}

/* The way to the 3D view that shows this scene with this solver; nothing: none does. */
static void find_viewer(Text *link, const Report *report, const char *scene, const char *solver)
{
    text_add(link, "%s", "");
    for (int i = 0; i < report->count && link->length == 0; i++)
        if (report->items[i].made && viewer_shows(&report->items[i].viewer, scene, solver))
            html_write_link(link, report, i);
}

static json_t *run_facts(const json_t *row)
{
    json_t *facts = json_array();
    const char *ended = text_of(row, "ended");
    if (strcmp(ended, "ok") != 0)
        json_array_append_new(facts, json_pack("[s,s]", "ended", ended));
    add_fact(facts, "blew up at", row_number(row, "blew_up_at"), " s");
    add_fact(facts, "joints parted by", row_number(row, "drift_max"), " m");
    add_fact(facts, "bodies overlapped by", row_number(row, "penetration_max"), " m");
    add_fact(facts, "energy grew by", row_number(row, "energy_gain_max"), " of the scene's scale");
    add_fact(facts, "speed left at rest", row_number(row, "jitter_rms"), " m/s");
    if (!isnan(row_number(row, "settled")))
        json_array_append_new(
            facts, json_pack("[s,s]", "ends as the scene asks", row_number(row, "settled") > 0.5 ? "yes" : "no"));
    add_fact(facts, "rows solved", row_number(row, "row_solves"), "");
    add_fact(facts, "time of a frame", row_number(row, "us_per_frame"), " µs");
    return facts;
}

static void write_runs(Text *page, const Figure *figure, const Report *report)
{
    json_t *runs = json_array(), *row;
    size_t i;
    json_array_foreach (figure->data, i, row) {
        Text command = {0}, see = {0};
        if (!row_is_verdict(row))
            continue;
        run_command(&command, row, report->workshop->solvers);
        find_viewer(&see, report, text_of(row, "scene"), text_of(row, "solver"));
        json_array_append_new(runs, json_pack("{s:s,s:s,s:s,s:o,s:s,s:s}", "scene", text_of(row, "scene"), "solver",
                                              text_of(row, "solver"), "verdict", VERDICTS[cell_verdict(row)].name,
                                              "facts", run_facts(row), "command", command.failed ? "" : command.data,
                                              "see", see.failed ? "" : see.data));
        free(command.data);
        free(see.data);
    }
    char *text = json_dumps(runs, JSON_COMPACT);
    if (text)
        html_write_part(page, "overview-runs", text);
    free(text);
    json_decref(runs);
}

void html_write_overview(Text *page, const Figure *figure, const Report *report)
{
    write_table(page, figure->data);
    text_add(page, "<div class=\"run\" hidden aria-live=\"polite\"><h3></h3><dl></dl><p><code></code></p>"
                   "<p class=\"see-run\"><a href=\"#\">See it in 3D</a></p></div>\n");
    write_runs(page, figure, report);
}
