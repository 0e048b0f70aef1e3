/* SPDX-License-Identifier: MIT */
/* The page's table of who can do what, as `rigor list solvers --matrix` has it. */
#include "bench/text/capabilities.h"
#include "reports/draw/typeset.h"
#include "reports/html/html.h"

#include <stdlib.h>

void html_write_matrix(Text *page, const json_t *matrix)
{
    size_t i;
    json_t *row;
    if (json_array_size(matrix) == 0)
        return;
    text_add(page,
             "<section id=\"solvers\" aria-labelledby=\"solvers-title\"><h2 id=\"solvers-title\">What each solver "
             "can do</h2>\n<p>%s. <code>rigor list solvers --matrix</code></p>\n<div class=\"scroll\" "
             "tabindex=\"0\" data-part=\"solvers-matrix\"></div>\n",
             MATRIX_KEY);
    Text table = {0};
    text_add(&table, "<table><thead><tr><th scope=\"col\">solver</th><th scope=\"col\">joints</th>");
    for (int c = 0; c < MATRIX_COLUMN_COUNT; c++)
        text_add(&table, "<th scope=\"col\">%s</th>", matrix_columns[c].head);
    text_add(&table, "<th scope=\"col\">numbers</th><th scope=\"col\">friction</th></tr></thead><tbody>\n");
    json_array_foreach (matrix, i, row) {
        char letters[MATRIX_LETTERS];
        text_add(&table, "<tr><th scope=\"row\"%s>", json_object_get(row, "variant_of") ? " class=\"variant\"" : "");
        html_escape(&table, json_string_value(json_object_get(row, "name")));
        text_add(&table, "</th><td><code>%s</code></td>", matrix_letters(json_object_get(row, "joints"), letters));
        for (int c = 0; c < MATRIX_COLUMN_COUNT; c++)
            text_add(&table, "<td>%s</td>", matrix_has(row, matrix_columns[c].capability) ? "✓" : "");
        text_add(&table, "<td>");
        html_escape(&table, json_string_value(json_object_get(row, "precision")));
        text_add(&table, "</td><td>");
        html_escape(&table, json_string_value(json_object_get(row, "friction")));
        text_add(&table, "</td></tr>\n");
    }
    text_add(&table, "</tbody></table>");
    html_write_part(page, "solvers-matrix", table.failed ? "" : table.data);
    text_add(page, "</section>\n");
    free(table.data);
}
