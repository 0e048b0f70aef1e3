/* SPDX-License-Identifier: MIT */
/* In gnuplot's SVG a text is <g transform="translate(x,y) rotate(a)" font-size=".." text-anchor=".."><text> with a
 * <tspan> for each change of font. Its box is reckoned with the widths of reports/draw/text_width.h. */
#include "reports/draw/check.h"

#include "bench/files/text_file.h"
#include "reports/draw/draw.h"
#include "reports/draw/text_width.h"
#include "reports/draw/typeset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of capitals and of what hangs below the line, as parts of the size. */
static const double ASCENT = 0.73, DESCENT = 0.05;

/* Bold letters are wider. */
static const double BOLD = 1.13;

/* px by which two boxes may touch, and a box may stand over the edge: widths are known no better. */
static const double TOLERANCE = 1.5;

static const char FAMILY[] = "sans-serif";

enum { TEXT_MOST = 512 };

typedef struct DrawnText {
    char text[TEXT_MOST];
    double corners[4][2];
    bool wrong_font;
    bool names_a_curve; /* it has the form of an entry of a legend, or of a label at a curve's end */
} DrawnText;

typedef struct DrawnTexts {
    DrawnText *list;
    int count;
} DrawnTexts;

/* The value of an attribute within the tag that begins at `tag`; NULL: it has none. */
static const char *attribute(const char *tag, const char *name, size_t *length)
{
    const char *end = strchr(tag, '>');
    for (const char *at = strstr(tag, name); at && at < end; at = strstr(at + 1, name)) {
        size_t n = strlen(name);
        if (at[-1] == ' ' && at[n] == '=' && at[n + 1] == '"') {
            *length = strcspn(at + n + 2, "\"");
            return at + n + 2;
        }
    }
    return NULL;
}

static double attribute_number(const char *tag, const char *name, double otherwise)
{
    size_t length;
    const char *value = attribute(tag, name, &length);
    return value ? strtod(value, NULL) : otherwise;
}

static bool attribute_is(const char *tag, const char *name, const char *wanted)
{
    size_t length;
    const char *value = attribute(tag, name, &length);
    return value && length == strlen(wanted) && strncmp(value, wanted, length) == 0;
}

/* Text up to the next tag, with its entities as characters. */
static void content_read(const char *at, char out[TEXT_MOST])
{
    static const struct {
        const char *entity;
        char c;
    } ENTITIES[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    size_t length = 0;
    while (*at && *at != '<' && length + 1 < TEXT_MOST) {
        char c = *at;
        size_t step = 1;
        for (size_t i = 0; c == '&' && i < sizeof ENTITIES / sizeof ENTITIES[0]; i++)
            if (strncmp(at, ENTITIES[i].entity, strlen(ENTITIES[i].entity)) == 0) {
                c = ENTITIES[i].c;
                step = strlen(ENTITIES[i].entity);
            }
        out[length++] = c;
        at += step;
    }
    out[length] = '\0';
}

typedef struct Box {
    double left, right, top, bottom; /* px from the text's place, y down */
} Box;

static void box_corners(const Box *box, const char *group, double corners[4][2])
{
    double x = 0.0, y = 0.0, angle = 0.0;
    size_t length;
    const char *transform = attribute(group, "transform", &length),
               *turn = transform ? strstr(transform, "rotate(") : 0;
    if (transform && sscanf(transform, "translate(%lf,%lf)", &x, &y) == 2 && turn && turn < transform + length)
        angle = strtod(turn + strlen("rotate("), NULL) * acos(-1.0) / 180.0;
    for (int i = 0; i < 4; i++) {
        double u = i == 0 || i == 3 ? box->left : box->right, v = i < 2 ? box->top : box->bottom;
        corners[i][0] = x + cos(angle) * u - sin(angle) * v;
        corners[i][1] = y + sin(angle) * u + cos(angle) * v;
    }
}

/* Entries and labels begin at their place, level and in type of full size. Titles are bold, marks are smaller, numbers
 * and names of axes are centred, end at their tics, or are turned; a colour bar's numbers alone have the same form. */
static bool has_form_of_label(const char *group, double size, bool bold)
{
    size_t length;
    const char *transform = attribute(group, "transform", &length);
    const char *turn = transform ? strstr(transform, "rotate(") : NULL;
    bool level = !turn || turn >= transform + length;
    return level && !bold && fabs(size - FONT) < 0.01 && attribute_is(group, "text-anchor", "start");
}

/* The <text> within a group. */
static void text_read(DrawnText *out, const char *group, const char *text)
{
    double size = attribute_number(group, "font-size", 16.0), width = 0.0, shift = 0.0;
    const char *end = strstr(text, "</text>");
    Box box = {0};
    bool any_bold = false;
    *out = (DrawnText){0};
    for (const char *span = strstr(text, "<tspan"); span && span < end; span = strstr(span + 1, "<tspan")) {
        char content[TEXT_MOST];
        double of_span = attribute_number(span, "font-size", size);
        shift += attribute_number(span, "dy", 0.0);
        content_read(strchr(span, '>') + 1, content);
        if (!content[0])
            continue;
        bool bold = attribute_is(span, "font-weight", "bold");
        any_bold = any_bold || bold;
        width += text_width(content, of_span) * (bold ? BOLD : 1.0);
        box.top = fmin(box.top, shift - ASCENT * of_span);
        box.bottom = fmax(box.bottom, shift + DESCENT * of_span);
        out->wrong_font = out->wrong_font || !attribute_is(span, "font-family", FAMILY);
        size_t used = strlen(out->text), room = TEXT_MOST - 1 - used, length = strlen(content);
        memcpy(out->text + used, content, length < room ? length : room);
    }
    double before = attribute_is(group, "text-anchor", "middle") ? 0.5 : attribute_is(group, "text-anchor", "end");
    box.left = -before * width;
    box.right = box.left + width;
    box_corners(&box, group, out->corners);
    out->names_a_curve = has_form_of_label(group, size, any_bold);
}

static bool texts_read(DrawnTexts *texts, const char *svg)
{
    static const char GROUP[] = "<g transform=\"translate(";
    for (const char *group = strstr(svg, GROUP); group; group = strstr(group + 1, GROUP)) {
        const char *text = strstr(group, "<text"), *end = strstr(group, "</g>");
        if (!text || !end || text > end)
            continue;
        DrawnText *grown = realloc(texts->list, sizeof *grown * (size_t)(texts->count + 1));
        if (!grown)
            return false;
        texts->list = grown;
        text_read(&texts->list[texts->count], group, text);
        texts->count += texts->list[texts->count].text[0] != '\0';
    }
    return true;
}

/* Is there a line along a side of `a` that parts the two? */
static bool side_parts(const DrawnText *a, const DrawnText *b)
{
    for (int i = 0; i < 2; i++) {
        double nx = a->corners[i + 1][0] - a->corners[i][0], ny = a->corners[i + 1][1] - a->corners[i][1];
        double length = hypot(nx, ny), range[2][2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
        const DrawnText *both[] = {a, b};
        for (int which = 0; which < 2; which++)
            for (int k = 0; k < 4; k++) {
                double along = (nx * both[which]->corners[k][0] + ny * both[which]->corners[k][1]) / length;
                range[which][0] = fmin(range[which][0], along);
                range[which][1] = fmax(range[which][1], along);
            }
        if (range[0][1] - TOLERANCE < range[1][0] || range[1][1] - TOLERANCE < range[0][0])
            return true;
    }
    return false;
}

static bool texts_check(const DrawnTexts *texts, double width, double height, Status *status)
{
    for (int i = 0; i < texts->count; i++) {
        const DrawnText *text = &texts->list[i];
        if (text->wrong_font)
            return status_set(status, STATUS_FAILED, "the text '%s' is not in %s", text->text, FAMILY);
        for (int k = 0; k < 4; k++)
            if (text->corners[k][0] < -TOLERANCE || text->corners[k][0] > width + TOLERANCE ||
                text->corners[k][1] < -TOLERANCE || text->corners[k][1] > height + TOLERANCE)
                return status_set(status, STATUS_FAILED, "the text '%s' reaches over the edge", text->text);
        for (int other = 0; other < i; other++)
            if (!side_parts(text, &texts->list[other]) && !side_parts(&texts->list[other], text))
                return status_set(status, STATUS_FAILED, "the texts '%s' and '%s' overlap", texts->list[other].text,
                                  text->text);
    }
    return true;
}

static bool label_check(const DrawnTexts *texts, const char *label, Status *status)
{
    Text plain = {0};
    typeset_bare(&plain, label);
    bool found = !plain.data || !plain.data[0];
    for (int i = 0; i < texts->count && !found; i++)
        found = texts->list[i].names_a_curve && strcmp(texts->list[i].text, plain.data) == 0;
    if (!found)
        status_set(status, STATUS_FAILED, "no legend names '%s'", plain.data);
    free(plain.data);
    return found;
}

bool drawing_check(const char *svg, const char *const *labels, int count, Status *status)
{
    double width = 0.0, height = 0.0;
    const char *view = strstr(svg, "viewBox=\"0 0 ");
    if (!view || sscanf(view, "viewBox=\"0 0 %lf %lf", &width, &height) != 2)
        return status_set(status, STATUS_FAILED, "it has no viewBox");
    DrawnTexts texts = {0};
    bool ok = texts_read(&texts, svg) || status_set(status, STATUS_FAILED, "out of memory");
    ok = ok && texts_check(&texts, width, height, status);
    for (int i = 0; ok && i < count; i++)
        ok = label_check(&texts, labels[i], status);
    free(texts.list);
    return ok;
}

/* What tells the curves of a panel apart. */
static bool panel_check(const char *svg, const Panel *panel, const PanelCurves *curves, Status *status)
{
    const char *key;
    json_t *label;
    bool cells = false, ok = true;
    for (int i = 0; ok && i < curves->count; i++) {
        const char *name = curves->curves[i].label;
        cells = cells || curves->curves[i].kind == PANEL_MAP;
        if (curves->count > 1 && curves->curves[i].kind != PANEL_MAP && curves->curves[i].kind != PANEL_IMAGE)
            ok = drawing_check(svg, &name, 1, status);
    }
    json_object_foreach (panel->z.labels, key, label) {
        const char *name = json_string_value(label);
        bool drawn = cells && curves_have_category(curves, strtod(key, NULL));
        ok = ok && (!drawn || drawing_check(svg, &name, 1, status));
    }
    return ok;
}

bool figure_check_drawing(const Figure *figure, const Workshop *workshop, Status *status)
{
    PanelCurves *panels = figure_curves(figure, status);
    bool ok = panels != NULL;
    for (int p = 0; ok && p < figure->panel_count; p++) {
        Text path = {0};
        figure_drawing_path(&path, figure, workshop, p);
        text_add(&path, ".svg");
        char *svg = path.failed ? NULL : text_file_read(path.data);
        ok = svg ? panel_check(svg, &figure->panels[p], &panels[p], status)
                 : status_set(status, STATUS_FAILED, "%s cannot be read", path.failed ? "" : path.data);
        free(svg);
        free(path.data);
    }
    figure_curves_destroy(panels, figure->panel_count);
    return ok;
}
