/* SPDX-License-Identifier: MIT */
#include "reports/html/colours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const RAMP[RAMP_STOPS] = {"#00224E", "#123570", "#3B496C", "#575D6D", "#707173",
                                      "#8A8678", "#A59C74", "#C3B369", "#FEE838"};

/* Channels of a colour of the ramp are rounded, by gnuplot and by a file's format. */
enum { RAMP_ROUNDING = 2 };

/* Of what is white on paper, and of what is black. */
static const Colour DARK_GROUND = {22, 24, 27}, DARK_INK = {235, 235, 235};

/* Channels that differ by less than this make a grey. */
enum { GREY = 20 };

/* W3C's contrast that a line must have with its ground. */
static const double CONTRAST = 3.5;

static double channel_light(int channel)
{
    double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

double colour_contrast(Colour a, Colour b)
{
    double la = 0.2126 * channel_light(a.red) + 0.7152 * channel_light(a.green) + 0.0722 * channel_light(a.blue);
    double lb = 0.2126 * channel_light(b.red) + 0.7152 * channel_light(b.green) + 0.0722 * channel_light(b.blue);
    return (fmax(la, lb) + 0.05) / (fmin(la, lb) + 0.05);
}

Colour colour_mix(Colour from, Colour to, double part)
{
    return (Colour){(int)lround(from.red + part * (to.red - from.red)),
                    (int)lround(from.green + part * (to.green - from.green)),
                    (int)lround(from.blue + part * (to.blue - from.blue))};
}

bool colour_read(const char *text, Colour *colour)
{
    unsigned r, g, b;
    if (!text || sscanf(text, "#%2x%2x%2x", &r, &g, &b) != 3)
        return false;
    *colour = (Colour){(int)r, (int)g, (int)b};
    return true;
}

void colour_write(char text[8], Colour colour)
{
    snprintf(text, 8, "#%02x%02x%02x", colour.red & 255, colour.green & 255, colour.blue & 255);
}

static bool same(Colour a, Colour b)
{
    return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

static bool entry_dark(const json_t *entry, Colour colour, Colour *dark)
{
    Colour known;
    return colour_read(json_string_value(json_object_get(entry, "colour")), &known) && same(known, colour) &&
           colour_read(json_string_value(json_object_get(entry, "dark")), dark);
}

static bool palette_dark(const json_t *palette, Colour colour, Colour *dark)
{
    const char *name;
    json_t *entry;
    size_t i;
    json_object_foreach (json_object_get(palette, "solvers"), name, entry)
        if (entry_dark(entry, colour, dark))
            return true;
    json_array_foreach (json_object_get(palette, "cells"), i, entry)
        if (entry_dark(entry, colour, dark))
            return true;
    return false;
}

static bool near(Colour a, Colour b)
{
    return abs(a.red - b.red) <= RAMP_ROUNDING && abs(a.green - b.green) <= RAMP_ROUNDING &&
           abs(a.blue - b.blue) <= RAMP_ROUNDING;
}

/* Whether a colour lies between two of the ramp's, whose red grows all the way. */
static bool on_ramp(Colour colour)
{
    Colour from, to;
    for (int i = 0; i + 1 < RAMP_STOPS; i++)
        if (colour_read(RAMP[i], &from) && colour_read(RAMP[i + 1], &to) &&
            near(colour, colour_mix(from, to, clamp((double)(colour.red - from.red) / (to.red - from.red), 0.0, 1.0))))
            return true;
    return false;
}

bool colour_on_dark(const json_t *palette, Colour colour, Colour *dark)
{
    *dark = colour;
    if (on_ramp(colour))
        return false;
    int most = colour.red > colour.green ? colour.red : colour.green, least = colour.red + colour.green - most;
    most = most > colour.blue ? most : colour.blue;
    least = least < colour.blue ? least : colour.blue;
    if (most - least < GREY)
        *dark = colour_mix(DARK_INK, DARK_GROUND, (most + least) / 510.0);
    else if (!palette_dark(palette, colour, dark))
        for (int step = 0; step < 10 && colour_contrast(*dark, DARK_GROUND) < CONTRAST; step++)
            *dark = colour_mix(*dark, (Colour){255, 255, 255}, 0.12);
    return !same(*dark, colour);
}

/* A colour that begins here, as gnuplot writes it, and how many characters it takes; 0: none does. */
static int colour_at(const char *at, Colour *colour)
{
    int length = 0;
    if (*at == '#' && strspn(at + 1, "0123456789abcdefABCDEF") >= 6)
        return colour_read(at, colour) ? 7 : 0;
    if (strncmp(at, "rgb(", 4) == 0 &&
        sscanf(at, "rgb(%d , %d , %d )%n", &colour->red, &colour->green, &colour->blue, &length) == 3)
        return length;
    if (strncmp(at, "\"black\"", 7) == 0) {
        *colour = (Colour){0, 0, 0};
        return -7;
    }
    return 0;
}

void colours_as_variables(Text *out, const char *svg, const json_t *palette, json_t *used)
{
    const char *at = svg;
    while (*at) {
        Colour colour, dark;
        int length = colour_at(at, &colour);
        size_t run = 1;
        if (length == 0) {
            while (at[run] && !strchr("#r\"", at[run]))
                run++;
            text_add(out, "%.*s", (int)run, at);
            at += run;
            continue;
        }
        bool quoted = length < 0; /* the quotes were part of it */
        length = abs(length);
        if (colour_on_dark(palette, colour, &dark)) {
            char name[16], values[2][8];
            snprintf(name, sizeof name, "--c%02x%02x%02x", colour.red & 255, colour.green & 255, colour.blue & 255);
            colour_write(values[0], colour);
            colour_write(values[1], dark);
            json_object_set_new(used, name, json_pack("[s,s]", values[0], values[1]));
            text_add(out, quoted ? "\"var(%s)\"" : "var(%s)", name);
        } else
            text_add(out, "%.*s", length, at);
        at += length;
    }
}

void colours_write_style(Text *page, const json_t *used)
{
    const char *name;
    json_t *values;
    static const char *const OPEN[] = {":root{", "}@media screen and (prefers-color-scheme:dark){:root{"};
    text_add(page, "<style>");
    for (int ground = 0; ground < 2; ground++) {
        text_add(page, "%s", OPEN[ground]);
        json_object_foreach ((json_t *)used, name, values)
            text_add(page, "%s:%s;", name, json_string_value(json_array_get(values, (size_t)ground)));
    }
    text_add(page, "--figure-ground:#%02x%02x%02x}}</style>\n", DARK_GROUND.red, DARK_GROUND.green, DARK_GROUND.blue);
}

void colours_darken_script(Text *out, const char *script, const json_t *palette)
{
    const char *at = script;
    while (*at) {
        Colour colour, dark;
        size_t run = strcspn(at, "#");
        text_add(out, "%.*s", (int)run, at);
        at += run;
        bool found = *at == '#' && at > script && at[-1] == '\'' && at[7] == '\'' && colour_at(at, &colour) == 7;
        if (found && colour_on_dark(palette, colour, &dark))
            text_add(out, "#%02x%02x%02x", dark.red & 255, dark.green & 255, dark.blue & 255);
        else if (*at)
            text_add(out, "%.*s", found ? 7 : 1, at);
        at += found ? 7 : *at != '\0';
    }
}
