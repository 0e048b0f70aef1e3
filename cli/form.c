/* SPDX-License-Identifier: MIT */
/* The form of a command's tables. */
#include "cli/cli.h"
#include "model/suggest.h"

#include <string.h>

static TableForm form_of(const Arguments *arguments)
{
    return arguments->given[OPTION_CSV]     ? TABLE_CSV
           : arguments->given[OPTION_MD]    ? TABLE_MARKDOWN
           : arguments->given[OPTION_LATEX] ? TABLE_LATEX
                                            : TABLE_TEXT;
}

FILE *form_beside(const Arguments *arguments)
{
    return form_of(arguments) == TABLE_TEXT ? stdout : stderr;
}

static bool form_digits(const Arguments *arguments, int *digits, Status *status)
{
    enum { ALL_DIGITS = 17 };
    return argument_whole(arguments, OPTION_DIGITS, 1, 0, digits, status) &&
           (*digits <= ALL_DIGITS ||
            status_set(status, STATUS_USAGE, "--digits: a number has no more than %d", ALL_DIGITS));
}

static bool form_check_name(const char *name, const char *const *columns, Status *status)
{
    char text[SUGGESTION_TEXT];
    Suggestion near = suggestion_for(name);
    bool known = metric_find(name) >= 0;
    for (int i = 0; i < metric_count; i++)
        suggestion_offer(&near, all_metrics[i]->name);
    for (int i = 0; columns[i]; i++) {
        known = known || strcmp(columns[i], name) == 0;
        suggestion_offer(&near, columns[i]);
    }
    return known ||
           status_set(status, STATUS_USAGE, "--metrics: unknown column '%s'%s", name, suggestion_text(&near, text));
}

bool form_check(const Arguments *arguments, const char *const *columns, Status *status)
{
    int digits, forms = (arguments->given[OPTION_CSV] > 0) + (arguments->given[OPTION_MD] > 0) +
                        (arguments->given[OPTION_LATEX] > 0) + (arguments->given[OPTION_JSON] > 0);
    if (forms > 1)
        return status_set(status, STATUS_USAGE, "one of --csv, --md, --latex and --json at a time");
    if (!form_digits(arguments, &digits, status))
        return false;
    const char *names = argument(arguments, OPTION_METRICS);
    if (arguments->given[OPTION_JSON] && (names || digits))
        return status_set(status, STATUS_USAGE, "--metrics and --digits are of tables: --json has everything");
    for (const char *at = names; columns && at && *at;) {
        char name[128];
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (!form_check_name(name, columns, status))
            return false;
        at += length + (at[length] == ',');
    }
    return true;
}

bool form_print_whole(const Arguments *arguments, Table *table, Status *status)
{
    int digits;
    if (!form_digits(arguments, &digits, status))
        return false;
    table_write(table, form_of(arguments), digits, stdout);
    return true;
}

bool form_print(const Arguments *arguments, Table *table, Status *status)
{
    const char *names = argument(arguments, OPTION_METRICS);
    return (!names || table_choose(table, names, status)) && form_print_whole(arguments, table, status);
}
