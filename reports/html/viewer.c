/* SPDX-License-Identifier: MIT */
/* Viewers in the page: the viewer's script and style once, and for each viewer an element that starts when it is seen,
 * with its recordings as a part of JSON beside it (reports/page/src/main.ts). */
#include "reports/draw/typeset.h"
#include "reports/html/html.h"
#include "reports/recording/data.h"
#include "reports/recording/page_part.h"

#include <stdio.h>
#include <stdlib.h>

static bool add_part(Text *text, const char *name, Status *status)
{
    char *part = page_part_read(name, status);
    if (part)
        text_add(text, "%s", part);
    free(part);
    return part != NULL;
}

bool html_viewers_open(Text *style, Text *script, Status *status)
{
    return add_part(style, "viewer.css", status) && add_part(script, "viewer.js", status);
}

bool html_has_viewers(void)
{
    Text style = {0}, script = {0};
    Status status = {0};
    bool ok = html_viewers_open(&style, &script, &status);
    free(style.data);
    free(script.data);
    return ok;
}

json_t *html_playable(void)
{
    Status status = {0};
    char *text = page_part_read("playground.json", &status);
    json_t *data = text ? json_loads(text, 0, NULL) : NULL, *scenes = json_array(), *scene;
    size_t i;
    json_array_foreach (json_object_get(data, "scenes"), i, scene)
        json_array_append(scenes, json_object_get(scene, "name"));
    json_t *told = data ? json_pack("{s:o,s:O}", "scenes", scenes, "solvers", json_object_get(data, "runs")) : NULL;
    if (!data)
        json_decref(scenes);
    json_decref(data);
    free(text);
    return told;
}

bool html_write_licences(Text *page, Status *status)
{
    return add_part(page, "licences.html", status);
}

/* It starts when the page has been painted; a link with a run in it makes that run. */
bool html_write_playground(Text *page, Status *status)
{
    char *data = page_part_read("playground.json", status);
    if (!data)
        return false;
    text_add(page, "<section id=\"playground\" aria-labelledby=\"playground-title\"><h2 class=\"hidden\" "
                   "id=\"playground-title\">Playground</h2><div class=\"rigor-playground\"><p "
                   "class=\"waiting\">The playground starts.</p></div>\n<noscript><p>The playground needs a "
                   "script.</p></noscript></section>\n");
    html_write_part(page, "rigor-playground-data", data);
    free(data);
    return true;
}

bool html_write_viewer(Text *page, const Viewer *viewer, Status *status)
{
    char *data = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&data, &size);
    bool ok = memory ? recordings_write(memory, viewer->recordings, viewer->count, RECORDING_BRIEF, status)
                     : status_set(status, STATUS_FAILED, "out of memory");
    ok = (!memory || fclose(memory) == 0 || status_set(status, STATUS_FAILED, "out of memory")) && ok;
    if (ok) {
        text_add(page, "<div class=\"rigor-viewer\" data-recordings=\"");
        html_escape(page, viewer->name);
        text_add(page, "-data\" role=\"group\" aria-label=\"");
        typeset_plain(page, viewer->title);
        text_add(page, "\"><p class=\"waiting\">The 3D view starts when it is seen.</p></div>\n");
        text_add(page, "<noscript><p>The 3D view needs a script.</p></noscript>\n");
        Text id = {0};
        text_add(&id, "%s-data", viewer->name);
        html_write_part(page, id.failed ? "" : id.data, data);
        free(id.data);
    }
    free(data);
    return ok;
}
