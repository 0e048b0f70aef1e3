/* SPDX-License-Identifier: MIT */
#include "reports/figure/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Parser {
    const char *text, *at;
    const Scope *scope;
    Status *status;
    int depth;
} Parser;

/* Deeper nesting is a slip, and would end the stack. */
enum { MAX_DEPTH = 64 };

static const struct {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
} FUNCTIONS[] = {
    {"sqrt", sqrt, NULL},   {"abs", fabs, NULL},    {"exp", exp, NULL},   {"log", log, NULL},
    {"log10", log10, NULL}, {"log2", log2, NULL},   {"sin", sin, NULL},   {"cos", cos, NULL},
    {"tan", tan, NULL},     {"asin", asin, NULL},   {"acos", acos, NULL}, {"atan", atan, NULL},
    {"floor", floor, NULL}, {"round", round, NULL}, {"min", NULL, fmin},  {"max", NULL, fmax},
    {"atan2", NULL, atan2},
};

static bool parse_sum(Parser *parser, double *value);

static bool parser_fail(const Parser *parser, const char *what)
{
    return status_set(parser->status, STATUS_BAD_FILE, "'%.200s': %s%s%.40s", parser->text, what,
                      *parser->at ? " at " : " at the end", parser->at);
}

static void skip_blanks(Parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

static bool parser_take(Parser *parser, char symbol)
{
    skip_blanks(parser);
    if (*parser->at != symbol)
        return false;
    parser->at++;
    return true;
}

bool expression_next_part(const char **text, char separator, char part[EXPRESSION_TEXT])
{
    const char *at = *text;
    int depth = 0;
    if (!at)
        return false;
    while (*at && (depth > 0 || *at != separator)) {
        depth += (*at == '(') - (*at == ')');
        at++;
    }
    const char *from = *text, *to = at;
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    size_t length = (size_t)(to - from) < EXPRESSION_TEXT ? (size_t)(to - from) : EXPRESSION_TEXT - 1;
    memcpy(part, from, length);
    part[length] = '\0';
    *text = *at ? at + 1 : NULL;
    return true;
}

/* The text up to the parenthesis that closes the one just read. */
static bool parse_arguments(Parser *parser, char arguments[EXPRESSION_TEXT])
{
    const char *from = parser->at;
    int depth = 1;
    while (*parser->at && depth > 0) {
        depth += (*parser->at == '(') - (*parser->at == ')');
        parser->at++;
    }
    if (depth > 0)
        return parser_fail(parser, "a ')' is missing");
    size_t length = (size_t)(parser->at - 1 - from);
    if (length >= EXPRESSION_TEXT)
        return parser_fail(parser, "too long");
    memcpy(arguments, from, length);
    arguments[length] = '\0';
    return true;
}

static bool call_mathematics(Parser *parser, size_t function, const char *arguments, double *value)
{
    char part[EXPRESSION_TEXT];
    double argument[2];
    int count = 0, wanted = FUNCTIONS[function].one ? 1 : 2;
    for (const char *rest = arguments; expression_next_part(&rest, ',', part); count++)
        if (count == wanted || !expression_evaluate(part, parser->scope, &argument[count], parser->status))
            return count == wanted ? parser_fail(parser, "too many arguments") : false;
    if (count < wanted)
        return parser_fail(parser, "too few arguments");
    *value = wanted == 1 ? FUNCTIONS[function].one(argument[0]) : FUNCTIONS[function].two(argument[0], argument[1]);
    return true;
}

/* The scope comes first: min and max of rows are its own. */
static bool parse_call(Parser *parser, const char *name, double *value)
{
    char arguments[EXPRESSION_TEXT];
    bool known = false;
    if (!parse_arguments(parser, arguments))
        return false;
    if (parser->scope->call && !parser->scope->call(parser->scope, name, arguments, &known, value, parser->status))
        return false;
    for (size_t i = 0; !known && i < sizeof FUNCTIONS / sizeof FUNCTIONS[0]; i++)
        if (strcmp(FUNCTIONS[i].name, name) == 0)
            return call_mathematics(parser, i, arguments, value);
    return known ||
           status_set(parser->status, STATUS_BAD_FILE, "'%.200s': there is no function '%s'", parser->text, name);
}

static bool parse_name(Parser *parser, double *value)
{
    char name[EXPRESSION_NAME];
    size_t length = 0;
    while (isalnum((unsigned char)*parser->at) || *parser->at == '_' || *parser->at == '.') {
        if (length + 1 == sizeof name)
            return parser_fail(parser, "a name is too long");
        name[length++] = *parser->at++;
    }
    name[length] = '\0';
    if (parser_take(parser, '('))
        return parse_call(parser, name, value);
    if (strcmp(name, "pi") == 0) {
        *value = acos(-1.0);
        return true;
    }
    return parser->scope->name(parser->scope, name, value) ||
           status_set(parser->status, STATUS_BAD_FILE, "'%.200s': there is no '%s'", parser->text, name);
}

static bool parse_factor(Parser *parser, double *value)
{
    skip_blanks(parser);
    if (parser_take(parser, '(')) {
        if (!parse_sum(parser, value))
            return false;
        return parser_take(parser, ')') || parser_fail(parser, "a ')' is missing");
    }
    if (isdigit((unsigned char)*parser->at) || (*parser->at == '.' && isdigit((unsigned char)parser->at[1]))) {
        char *end;
        *value = strtod(parser->at, &end);
        parser->at = end;
        return true;
    }
    if (isalpha((unsigned char)*parser->at) || *parser->at == '_')
        return parse_name(parser, value);
    return parser_fail(parser, "a number or a name is missing");
}

/* -x^2 is -(x^2); x^-2 is allowed; powers bind to the right. */
static bool parse_power(Parser *parser, double *value)
{
    if (++parser->depth > MAX_DEPTH)
        return parser_fail(parser, "too deep");
    bool negative = parser_take(parser, '-'), ok;
    if (negative) {
        ok = parse_power(parser, value);
        *value = -*value;
    } else {
        double exponent;
        ok = parse_factor(parser, value);
        if (ok && parser_take(parser, '^') && (ok = parse_power(parser, &exponent)))
            *value = pow(*value, exponent);
    }
    parser->depth--;
    return ok;
}

static bool parse_product(Parser *parser, double *value)
{
    double factor;
    if (!parse_power(parser, value))
        return false;
    for (;;) {
        bool times = parser_take(parser, '*'), over = !times && parser_take(parser, '/');
        if (!times && !over)
            return true;
        if (!parse_power(parser, &factor))
            return false;
        *value = times ? *value * factor : *value / factor;
    }
}

static bool parse_sum(Parser *parser, double *value)
{
    double term;
    if (!parse_product(parser, value))
        return false;
    for (;;) {
        bool plus = parser_take(parser, '+'), minus = !plus && parser_take(parser, '-');
        if (!plus && !minus)
            return true;
        if (!parse_product(parser, &term))
            return false;
        *value += plus ? term : -term;
    }
}

bool expression_evaluate(const char *text, const Scope *scope, double *value, Status *status)
{
    Parser parser = {.text = text, .at = text, .scope = scope, .status = status};
    *value = NAN;
    if (!parse_sum(&parser, value))
        return false;
    skip_blanks(&parser);
    return *parser.at == '\0' || parser_fail(&parser, "something is left over");
}

static bool any_name(const Scope *scope, const char *name, double *value)
{
    (void)scope, (void)name;
    *value = 1.0;
    return true;
}

bool expression_check(const char *text, Status *status)
{
    double value;
    return expression_evaluate(text, &(Scope){.name = any_name}, &value, status);
}
