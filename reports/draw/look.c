/* SPDX-License-Identifier: MIT */
#include "reports/draw/look.h"

#include "bench/files/folder.h"
#include "reports/html/colours.h"

#include <stdio.h>
#include <string.h>

json_t *palette_read(Status *status)
{
    json_error_t error;
    char path[FOLDER_TEXT];
    folder_path(FOLDER_REPORTS, "palette.json", path);
    json_t *palette = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!palette)
        status_set(status, STATUS_BAD_FILE, "%s:%d:%d: %s", path, error.line, error.column, error.text);
    return palette;
}

/* Okabe and Ito's colours in an order that also falls apart in grey, each with a marker and a dash of its own. */
static const Look CYCLE[] = {
    {"#0072B2", 7, "solid"},          {"#D55E00", 5, "(8,3)"},  {"#009E73", 9, "(3,2)"}, {"#CC79A7", 13, "(8,3,2,3)"},
    {"#E69F00", 11, "(6,2,2,2)"},     {"#56B4E9", 6, "(4,2)"},  {"#000000", 4, "(2,2)"}, {"#8C3D00", 8, "(10,3)"},
    {"#00614A", 12, "(5,2,2,2,2,2)"}, {"#7F7F7F", 10, "(3,3)"},
};

enum { CYCLE_LENGTH = sizeof CYCLE / sizeof CYCLE[0] };

Look look_of_index(int index)
{
    return CYCLE[index % CYCLE_LENGTH];
}

static void look_set_dash(Look *look, const json_t *dash)
{
    size_t i;
    json_t *length;
    snprintf(look->dash, sizeof look->dash, "solid");
    json_array_foreach (dash, i, length) {
        size_t used = i ? strlen(look->dash) : 0;
        snprintf(look->dash + used, sizeof look->dash - used, "%s%g", i ? "," : "(", json_number_value(length));
    }
    if (json_array_size(dash) > 0)
        strncat(look->dash, ")", sizeof look->dash - strlen(look->dash) - 1);
}

/* W3C's contrast with white below which a thin line is lost on a projector, and a text cannot be read. */
static const double LINE_CONTRAST = 2.2, TEXT_CONTRAST = 3.5;

static const Colour WHITE = {255, 255, 255}, BLACK = {0, 0, 0};

/* Mixed with white, or with black where that would be too pale. */
static void look_shade(Look *look, double part)
{
    static const double DARKER = 0.6; /* of the part: black changes a colour more than white */
    Colour colour;
    if (part <= 0.0 || !colour_read(look->colour, &colour))
        return;
    Colour pale = colour_mix(colour, WHITE, part);
    bool seen = colour_contrast(pale, WHITE) >= LINE_CONTRAST;
    colour_write(look->colour, seen ? pale : colour_mix(colour, BLACK, DARKER * part));
}

void look_ink(const Look *look, char ink[8])
{
    Colour colour;
    snprintf(ink, 8, "%s", look->colour);
    if (!colour_read(ink, &colour))
        return;
    while (colour_contrast(colour, WHITE) < TEXT_CONTRAST)
        colour = colour_mix(colour, BLACK, 0.1);
    colour_write(ink, colour);
}

static unsigned text_sum(const char *text)
{
    unsigned sum = 0;
    for (; *text; text++)
        sum = sum * 31 + (unsigned char)*text;
    return sum;
}

/* The look of a label without its options in place, which make it a variant of that. */
static const json_t *look_entry(const json_t *palette, const char *solver, int *variant)
{
    char name[64];
    size_t length = strcspn(solver, ":");
    snprintf(name, sizeof name, "%.*s", (int)length, solver);
    if (solver[length] && *variant == 0)
        *variant = 1 + (int)(text_sum(solver + length) % 3);
    const json_t *entry = json_object_get(json_object_get(palette, "solvers"), name);
    const json_t *fallbacks = json_object_get(palette, "fallbacks");
    if (!entry && json_array_size(fallbacks) > 0)
        entry = json_array_get(fallbacks, text_sum(name) % json_array_size(fallbacks));
    return entry;
}

Look look_of_solver(const json_t *palette, const char *solver, int variant)
{
    const json_t *entry = look_entry(palette, solver, &variant);
    const char *colour = json_string_value(json_object_get(entry, "colour"));
    Look look = {.point = (int)json_integer_value(json_object_get(entry, "point"))};
    snprintf(look.colour, sizeof look.colour, "%s", colour ? colour : "#000000");
    look_set_dash(&look, json_object_get(entry, "dash"));
    const char *pale = json_string_value(json_object_get(entry, "band"));
    look.band = pale != NULL;
    snprintf(look.pale, sizeof look.pale, "%s", pale ? pale : "");
    if (variant > 0) {
        static const double LIGHTER[] = {0.0, 0.4, 0.6, 0.2};
        const Look *other = &CYCLE[(variant + look.point) % CYCLE_LENGTH];
        look_shade(&look, LIGHTER[variant % 4]);
        look.point = other->point;
        snprintf(look.dash, sizeof look.dash, "%s", other->dash);
    }
    return look;
}
