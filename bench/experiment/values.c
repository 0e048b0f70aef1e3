/* SPDX-License-Identifier: MIT */
/* Values of a dimension: [..], {"log2": [a, b]}, {"geom": [from, to, count]}, {"linear": [from, to, count]}. */
#include "bench/experiment/grid.h"

/* A longer range is a slip, not a study. */
static const double RANGE_MAX = 100000;

/* A value this near to a whole one, relative, is meant to be whole: powers leave some round-off. */
static const double WHOLE_TOLERANCE = 1e-12;

static double snap(double x)
{
    return fabs(x - round(x)) <= WHOLE_TOLERANCE * fabs(x) ? round(x) : x;
}

static bool range_count(Node node, int *count)
{
    double number = NAN;
    if (!node_real(node, &number))
        return false;
    if (number != floor(number) || number < 2.0 || number > RANGE_MAX)
        return node_fail(node, "must be a whole number of values, 2 .. %g", RANGE_MAX);
    *count = (int)number;
    return true;
}

static bool range_log2(Node range, json_t *values)
{
    double a = NAN, b = NAN;
    Node from = node_at(&range, 0), to = node_at(&range, 1);
    if (!node_array_of(range, 2) || !node_real(from, &a) || !node_real(to, &b))
        return false;
    if (a != floor(a) || fabs(a) > 1022.0)
        return node_fail(from, "must be a whole exponent, -1022 .. 1022");
    if (b != floor(b) || fabs(b) > 1022.0)
        return node_fail(to, "must be a whole exponent, -1022 .. 1022");
    if (a > b)
        return node_fail(range, "runs backwards: %g is more than %g", a, b);
    for (int e = (int)a; e <= (int)b; e++)
        if (json_array_append_new(values, json_real(ldexp(1.0, e))) != 0)
            return node_fail(range, "out of memory");
    return true;
}

/* a + (b - a) t or a (b/a)^t, t = 0 .. 1; both ends exactly. */
static bool range_between(Node range, bool geometric, json_t *values)
{
    double a = NAN, b = NAN;
    int count = 0;
    if (!node_array_of(range, 3) || !node_real(node_at(&range, 0), &a) || !node_real(node_at(&range, 1), &b) ||
        !range_count(node_at(&range, 2), &count))
        return false;
    if (geometric && !(a * b > 0.0))
        return node_fail(range, "a geometric range has two ends of one sign, not %g and %g", a, b);
    if (a == b)
        return node_fail(range, "both ends are %g", a);
    for (int i = 0; i < count; i++) {
        double t = (double)i / (count - 1);
        double x = i == 0 ? a : i == count - 1 ? b : snap(geometric ? a * pow(b / a, t) : a + (b - a) * t);
        if (!isfinite(x))
            return node_fail(range, "leaves the range of double precision");
        if (json_array_append_new(values, json_real(x)) != 0)
            return node_fail(range, "out of memory");
    }
    return true;
}

static bool range_read(Node node, json_t *values)
{
    static const char *const keys[] = {"log2", "geom", "linear", NULL};
    if (!node_object(node, keys))
        return false;
    if (json_object_size(node.value) != 1)
        return node_fail(node, "must be one of log2, geom, linear");
    Node log2 = node_get(&node, "log2"), geom = node_get(&node, "geom"), linear = node_get(&node, "linear");
    if (log2.value)
        return range_log2(log2, values);
    return geom.value ? range_between(geom, true, values) : range_between(linear, false, values);
}

static bool list_check(Node list)
{
    if (json_array_size(list.value) == 0)
        return node_fail(list, "must not be empty");
    for (size_t i = 0; i < json_array_size(list.value); i++) {
        Node item = node_at(&list, i);
        if (json_is_object(item.value) || json_is_array(item.value) || json_is_null(item.value))
            return node_wrong_type(item, "a number, a string or a truth value");
    }
    return true;
}

json_t *values_read(Node node, bool *range)
{
    *range = json_is_object(node.value);
    if (json_is_array(node.value))
        return list_check(node) ? json_incref(node.value) : NULL;
    if (json_is_null(node.value)) {
        node_wrong_type(node, "a value, a list or a range");
        return NULL;
    }
    json_t *values = json_array();
    bool ok = values != NULL;
    if (!ok)
        node_fail(node, "out of memory");
    else if (*range)
        ok = range_read(node, values);
    else
        ok = json_array_append(values, node.value) == 0;
    if (ok)
        return values;
    json_decref(values);
    return NULL;
}
