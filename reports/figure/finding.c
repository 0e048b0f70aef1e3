/* SPDX-License-Identifier: MIT */
/* What a figure says: its finding, one sentence that the runs must bear out, and its caption. */
#include "reports/draw/typeset.h"
#include "reports/figure/engine_notes.h"
#include "reports/figure/figure.h"

#include <stdlib.h>
#include <string.h>

/* Longer findings are not read at a glance; every number counts as one character. */
enum { FINDING_LENGTH = 180 };

/* Where a sentence ends within a text: a mark before a space. NULL: nowhere. */
static const char *sentence_end(const char *text)
{
    for (const char *at = text; (at = strpbrk(at, ".!?")); at++)
        if (at[1] == ' ')
            return at;
    return NULL;
}

static int characters(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += (*text & 0xC0) != 0x80;
    return count;
}

bool finding_check(const char *finding, Status *status)
{
    Text out = {0};
    bool ok = caption_fill(finding, NULL, &out, status);
    const char *text = out.data ? out.data : "";
    size_t length = strlen(text);
    if (ok && strcmp(text, finding) == 0)
        ok = status_set(status, STATUS_BAD_FILE, "has no number that is computed");
    else if (ok && (length == 0 || text[length - 1] != '.' || sentence_end(text)))
        ok = status_set(status, STATUS_BAD_FILE, "must be one sentence, with a full stop at its end");
    else if (ok && characters(text) > FINDING_LENGTH)
        ok = status_set(status, STATUS_BAD_FILE, "is longer than %d characters", FINDING_LENGTH);
    free(out.data);
    return ok;
}

static bool figure_fill(const Figure *figure, const char *what, const char *text, char **told, Status *status)
{
    Text out = {0};
    Status why = {0};
    free(*told);
    *told = NULL;
    text_add(&out, "%s", "");
    if (!caption_fill(text, figure->data, &out, &why)) {
        free(out.data);
        return status_set(status, why.code, "%s: %s: %s", figure->path, what, why.message);
    }
    *told = out.data;
    return true;
}

/* Is there something to find? If one of the counts is zero, the finding says what is missing in place of itself. */
static bool figure_finds(Figure *figure, bool *stated, Status *status)
{
    Status why = {0};
    *stated = true;
    for (size_t i = 0; i < json_array_size(figure->stated_if) && *stated; i++) {
        double value;
        if (!figure_value(figure->data, json_string_value(json_array_get(figure->stated_if, i)), NAN, &value, &why))
            return status_set(status, why.code, "%s: stated_if[%zu]: %s", figure->path, i, why.message);
        *stated = value > 0.0;
    }
    if (*stated)
        return true;
    free(figure->told_finding);
    figure->told_finding = strdup("No finding: the engines that it speaks of are not installed; `make engines` gets "
                                  "what it can.");
    return figure->told_finding || status_set(status, STATUS_FAILED, "out of memory");
}

/* The first expression under `holds` that is not positive takes the finding's place. */
static bool figure_verify(Figure *figure, Status *status)
{
    Status why = {0};
    for (size_t i = 0; i < json_array_size(figure->holds) && !figure->refuted; i++) {
        const char *expression = json_string_value(json_array_get(figure->holds, i));
        double value;
        if (!figure_value(figure->data, expression, NAN, &value, &why))
            return status_set(status, why.code, "%s: holds[%zu]: %s", figure->path, i, why.message);
        if (value > 0.0)
            continue;
        Text out = {0};
        text_add(&out, "The finding is not true of these runs: ");
        typeset_name(&out, expression);
        text_add(&out, " should be positive, and is ");
        typeset_number(&out, value, 3);
        text_add(&out, ".");
        free(figure->told_finding);
        figure->told_finding = out.data;
        figure->refuted = true;
        if (out.failed)
            return status_set(status, STATUS_FAILED, "out of memory");
    }
    return true;
}

static bool figure_add_notes(Figure *figure, Status *status)
{
    Text out = {0};
    text_add(&out, "%s", figure->told_caption);
    engine_notes(&out, figure->data);
    free(figure->told_caption);
    figure->told_caption = out.data;
    return !out.failed || status_set(status, STATUS_FAILED, "out of memory");
}

bool figure_tell(Figure *figure, Status *status)
{
    bool stated;
    figure->refuted = false;
    return figure_finds(figure, &stated, status) &&
           (!stated || figure_fill(figure, "finding", figure->finding, &figure->told_finding, status)) &&
           figure_fill(figure, "caption", figure->caption, &figure->told_caption, status) &&
           figure_add_notes(figure, status) && (!stated || figure_verify(figure, status));
}
