/* SPDX-License-Identifier: MIT */
/* Widths of DejaVu Sans, which is among the widest of the fonts that `sans-serif` stands for: what fits with it fits
 * with Arial and Helvetica. */
#include "reports/draw/text_width.h"

#include <stdbool.h>

/* Thousandths of the size, of the characters from space to ~. */
static const short ASCII[] = {318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
                              636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
                              1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
                              603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
                              500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
                              635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};

/* Letters of two bytes (Greek, accents), and signs of three (minus, arrows, comparisons). */
static const short LETTER = 660, SIGN = 838;

/* gnuplot's sub- and superscripts, as a part of the size. */
static const double SHIFTED = 0.8;

/* Of the character that begins here; the bytes that continue one have none. */
static double character_width(const char *at)
{
    unsigned char c = (unsigned char)*at;
    if (c >= ' ' && c <= '~')
        return 1e-3 * ASCII[c - ' '];
    if (c < 0xC0)
        return 0.0;
    return 1e-3 * (c < 0xE0 ? LETTER : SIGN);
}

double text_width(const char *text, double size)
{
    double width = 0.0;
    for (; *text; text++)
        width += size * character_width(text);
    return width;
}

double label_width(const char *label, double size)
{
    double width = 0.0, scale = 1.0;
    bool group = false; /* what is shifted stands in braces */
    for (const char *at = label; *at; at++) {
        bool starts = (*at & 0xC0) != 0x80;
        if (*at == '*')
            continue;
        if ((*at == '_' || *at == '^') && at[1]) {
            scale = SHIFTED;
            group = at[1] == '{';
            at += group;
            continue;
        }
        if (group && *at == '}') {
            group = false;
            scale = 1.0;
            continue;
        }
        if (*at == '\\' && at[1])
            at++;
        width += size * scale * character_width(at);
        if (!group && starts)
            scale = 1.0;
    }
    return width;
}
