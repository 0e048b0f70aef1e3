/* SPDX-License-Identifier: MIT */
/* The fields that a panel names: one that no row has is a slip of the pen, and told before an empty picture is. */
#include "reports/figure/curves.h"

#include "model/suggest.h"
#include "reports/figure/rows.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct Naming {
    const Figure *figure;
    const char *from; /* which rows */
    int panel;
    Status *status;
} Naming;

/* Expressions are left to who evaluates them. */
static bool is_plain(const char *field)
{
    for (; *field; field++)
        if (!isalnum((unsigned char)*field) && *field != '_' && *field != '.')
            return false;
    return true;
}

/* Does any of the rows have it, or can it be derived? Where there are no rows nothing is said. */
static bool field_known(const Naming *naming, const char *what, const char *field)
{
    size_t i, rows = 0;
    json_t *row, *value;
    const char *key;
    if (!field || !is_plain(field))
        return true;
    Suggestion near = suggestion_for(field);
    json_array_foreach (naming->figure->data, i, row) {
        const char *from = json_string_value(json_object_get(row, "from"));
        if (!from || strcmp(from, naming->from) != 0)
            continue;
        if (json_object_get(row, field) || !isnan(row_number(row, field)))
            return true;
        if (rows++ == 0)
            json_object_foreach (row, key, value)
                suggestion_offer(&near, key);
    }
    char text[SUGGESTION_TEXT];
    return rows == 0 ||
           status_set(naming->status, STATUS_BAD_FILE, "%s: panels[%d].%s: no row of %s has a field '%s'%s",
                      naming->figure->path, naming->panel, what, naming->from, field, suggestion_text(&near, text));
}

static bool where_known(const Naming *naming, json_t *where)
{
    const char *field;
    json_t *value;
    json_object_foreach (where, field, value)
        if (!field_known(naming, "where", field))
            return false;
    return true;
}

bool panel_fields_known(const Figure *figure, const Panel *panel, int index, Status *status)
{
    Naming naming = {figure, panel->from, index, status};
    bool ok = field_known(&naming, "by", json_string_value(panel->by));
    for (size_t i = 0; ok && i < json_array_size(panel->by); i++)
        ok = field_known(&naming, "by", json_string_value(json_array_get(panel->by, i)));
    if (panel->curve_count == 0)
        return ok && field_known(&naming, "x.field", panel->x.field) &&
               field_known(&naming, "y.field", panel->y.field) && field_known(&naming, "z.field", panel->z.field) &&
               where_known(&naming, panel->where);
    for (int i = 0; ok && i < panel->curve_count; i++) {
        const CurveRequest *curve = &panel->curves[i];
        naming.from = curve->from;
        ok = field_known(&naming, "curves.x", curve->x) && field_known(&naming, "curves.y", curve->y) &&
             where_known(&naming, curve->where);
    }
    return ok;
}
