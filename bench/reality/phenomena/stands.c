/* SPDX-License-Identifier: MIT */
/* Phenomena of many blocks. */
#include "bench/reality/phenomena/measures.h"
#include "bench/reality/phenomena/stage.h"

#include <math.h>

/* An arch of 15 equal wedges stands above t/R = 0.106068 (with chords as built; scene `arch`): the thickness at which
 * it falls, over that, by bisection. */
bool measure_arch(const Run *run, double *value, Status *status)
{
    static const double RADIUS = 10.0, CRITICAL = 0.106068, LEAST = 0.9, MOST = 1.3;
    enum { HALVINGS = 6, LOOKS = 30 /* frames */ };
    double falls = LEAST, stands = MOST;
    *value = INFINITY;
    for (int i = -2; i < HALVINGS; i++) {
        double part = i == -2 ? MOST : i == -1 ? LEAST : 0.5 * (falls + stands), ignored;
        char text[32];
        Run own = *run;
        Stage stage;
        snprintf(text, sizeof text, "%.17g", part * CRITICAL * RADIUS);
        if (!run_choose_scene(&own, "arch", status) || !run_set_param(&own, "thickness", text, status))
            return false;
        bool ok = stage_begin_scene(&stage, &own, status), stood = ok;
        for (int frame = LOOKS; ok && stood && frame * run->dt <= stage.problem->time; frame += LOOKS) {
            ok = stage_run(&stage, frame);
            stood = ok && stage.problem->settled(stage.problem, stage.problem->world);
        }
        if (!stage_end(&stage, ok, 0.0, &ignored))
            return false;
        if (stood == (i == -1)) { /* it falls at the thickest, or stands at the thinnest */
            *value = i == -1 ? -INFINITY : INFINITY;
            if (i < 0)
                return true;
        }
        *(stood ? &stands : &falls) = part;
    }
    *value = 0.5 * (falls + stands);
    return true;
}

/* Dominoes of height H at half of that apart: V / sqrt(g H) of the wave, from the instants at which two lean. */
enum { DOMINOES = 30, FROM = 10, TO = 25 };

static bool dominoes_speed(const Run *run, double height, double density, double *value, Status *status)
{
    static const double APART = 0.5, THICK = 0.1, DEEP = 0.5, LEANS = 0.1,
                        PUSH = 1.5; /* of the height; rad; sqrt(g/H) */
    double scale = sqrt(height / PHENOMENON_G), time = 25.0 * scale, w = PUSH / scale, at[2] = {0.0, 0.0};
    double before[2] = {0.0, 0.0};
    char names[2][16];
    Stage stage;
    Text text = {0};
    text_add(&text,
             "{\"rigor\":1,\"name\":\"dominoes\",\"time\":%.17g,\"materials\":{\"default\":{\"friction\":0.3}},"
             "\"bodies\":[" STAGE_FLOOR,
             time);
    for (int i = 0; i < DOMINOES; i++)
        text_add(
            &text,
            ",{\"name\":\"d%d\",\"density\":%g,\"shape\":{\"box\":{\"size\":[%.17g,%.17g,%.17g]}},\"position\":[%.17g,"
            "%.17g,0],\"velocity\":[%.17g,%.17g,0],\"angular_velocity\":[0,0,%.17g]}",
            i, density, THICK * height, height, DEEP * height, i * APART * height, 0.5 * height,
            i ? 0.0 : 0.5 * w * height, i ? 0.0 : 0.5 * w * THICK * height, i ? 0.0 : -w);
    text_add(&text, "]}");
    snprintf(names[0], sizeof names[0], "d%d", FROM);
    snprintf(names[1], sizeof names[1], "d%d", TO);
    bool ok = stage_begin_text(&stage, run, &text, status);
    for (int frame = 1; ok && at[1] == 0.0 && frame * run->dt < time; frame++) {
        ok = stage_run(&stage, frame);
        for (int i = 0; ok && i < 2; i++) {
            Vec3 up = quat_rotate(stage_pose(&stage, names[i]).q, vec3(0, 1, 0));
            double lean = atan2(up.x, up.y);
            if (at[i] == 0.0 && lean >= LEANS)
                at[i] = run->dt * (frame - (lean - LEANS) / (lean - before[i]));
            before[i] = lean;
        }
    }
    bool fell = ok && at[1] > at[0];
    return stage_end(&stage, ok, fell ? (TO - FROM) * APART * scale / (at[1] - at[0]) : 0.0, value);
}

/* The wave does not know its size or its mass: of ten times either, the speed over that of the first. */
bool measure_dominoes(const Run *run, double *value, Status *status)
{
    static const double HEIGHT = 1.0, DENSITY = 1000.0, TEN = 10.0;
    double first, larger, heavier;
    if (!dominoes_speed(run, HEIGHT, DENSITY, &first, status) ||
        !dominoes_speed(run, TEN * HEIGHT, DENSITY, &larger, status) ||
        !dominoes_speed(run, HEIGHT, TEN * DENSITY, &heavier, status))
        return false;
    bool all = first > 0.0 && isfinite(first) && isfinite(larger) && isfinite(heavier);
    *value = all ? farther(larger / first, heavier / first, 1.0) : INFINITY;
    return true;
}
