/* SPDX-License-Identifier: MIT */
/* Phenomena of impacts. */
#include "bench/reality/phenomena/measures.h"
#include "bench/reality/phenomena/stage.h"

#include <math.h>

/* A ball that strikes the floor at a slant and slides all through: friction takes mu (1 + e) v_n of its speed along it,
 * wherever in a frame it strikes. The worst of 41 heights by the golden ratio. */
bool measure_oblique(const Run *run, double *value, Status *status)
{
    enum { PHASES = 41, FRAMES = 6 };
    static const double MU = 0.2, E = 0.5, FAST = 3.0, DOWN = 1.0;
    *value = 1.0;
    for (int k = 0; k < PHASES; k++) {
        Stage stage;
        double share;
        bool ok =
            stage_begin(
                &stage, run, status,
                "{\"rigor\":1,\"name\":\"oblique\",\"time\":%.17g,\"gravity\":[0,0,0],\"materials\":{\"default\":{"
                "\"friction\":%g,\"restitution\":%g}},\"bodies\":[" STAGE_FLOOR ",{\"name\":\"ball\",\"density\":1000,"
                "\"shape\":{\"sphere\":{\"radius\":0.5}},\"position\":[0,%.17g,0],\"velocity\":[%g,%g,0]}]}",
                FRAMES * run->dt, MU, E, 0.5 + DOWN * run->dt * (1.0 + stage_phase(k)), FAST, -DOWN) &&
            stage_run(&stage, FRAMES);
        double lost = ok ? FAST - stage_velocity(&stage, "ball").v.x : 0.0;
        if (!stage_end(&stage, ok, lost / (MU * (1.0 + E) * DOWN), &share))
            return false;
        *value = farther(*value, share, 1.0);
    }
    return true;
}

/* A ball that is dropped and bounces: its fifth landing, at t1 (1 + 2 e + .. + 2 e^4), found from the flight before it.
 * The worst of 11 heights. */
bool measure_bounces(const Run *run, double *value, Status *status)
{
    enum { PHASES = 11, FLIGHTS = 4 };
    static const double E = 0.7, HEIGHT = 5.0, RADIUS = 0.5;
    *value = 1.0;
    for (int k = 0; k < PHASES; k++) {
        Stage stage;
        double height = HEIGHT * (1.0 + 0.1 * stage_phase(k)), first = sqrt(2.0 * height / PHENOMENON_G);
        double begins = first, lasts = 2.0 * first, share;
        for (int i = 1; i <= FLIGHTS; i++) {
            begins += i > 1 ? lasts : 0.0;
            lasts *= E;
        }
        int frame = (int)round((begins + 0.5 * lasts) / run->dt);
        bool ok = stage_begin(&stage, run, status,
                              "{\"rigor\":1,\"name\":\"bounces\",\"time\":%.17g,\"materials\":{\"default\":{"
                              "\"restitution\":%g}},\"bodies\":[" STAGE_FLOOR ",{\"name\":\"ball\",\"density\":1000,"
                              "\"shape\":{\"sphere\":{\"radius\":%g}},\"position\":[0,%.17g,0]}]}",
                              frame * run->dt, E, RADIUS, RADIUS + height) &&
                  stage_run(&stage, frame);
        double up = ok ? stage_velocity(&stage, "ball").v.y : 0.0;
        double over = ok ? fmax(0.0, stage_pose(&stage, "ball").x.y - RADIUS) : 0.0;
        double lands = frame * run->dt + (up + sqrt(up * up + 2.0 * PHENOMENON_G * over)) / PHENOMENON_G;
        if (!stage_end(&stage, ok, lands / (begins + lasts), &share))
            return false;
        *value = farther(*value, share, 1.0);
    }
    return true;
}

/* A rod that falls lying, but for a slope, without gravity or friction: as one end strikes and does not bounce, the
 * other one becomes 6 c^2 / (1 + 3 c^2) as fast as it fell, c the cosine of the slope: 3/2 where it is flat. The worst
 * of 11 heights. */
bool measure_rod_end(const Run *run, double *value, Status *status)
{
    enum { PHASES = 11, FRAMES = 6 };
    static const double FALLS = 1.0, SLOPE = 0.2, LENGTH = 2.0, RADIUS = 0.02, MASS = 1.0;
    double c = cos(SLOPE), expected = FALLS * 6.0 * c * c / (1.0 + 3.0 * c * c), about = MASS * LENGTH * LENGTH / 12.0;
    *value = 1.5;
    for (int k = 0; k < PHASES; k++) {
        Stage stage;
        double share, high = RADIUS + 0.5 * LENGTH * sin(SLOPE) + FALLS * run->dt * (1.0 + stage_phase(k));
        bool ok =
            stage_begin(&stage, run, status,
                        "{\"rigor\":1,\"name\":\"rod\",\"time\":%.17g,\"gravity\":[0,0,0],\"materials\":{\"default\":{"
                        "\"friction\":0}},\"bodies\":[" STAGE_FLOOR
                        ",{\"name\":\"rod\",\"mass\":%g,\"inertia\":[%.17g,%g,"
                        "%.17g],\"shape\":{\"capsule\":{\"radius\":%g,\"length\":%g}},\"position\":[0,%.17g,0],"
                        "\"orientation\":[%.17g,0,0,%.17g],\"velocity\":[0,%g,0]}]}",
                        FRAMES * run->dt, MASS, about, 0.01 * about, about, RADIUS, LENGTH, high,
                        cos(0.5 * (SLOPE - 0.5 * PI)), sin(0.5 * (SLOPE - 0.5 * PI)), -FALLS) &&
            stage_run(&stage, FRAMES);
        double end = 0.0;
        if (ok) { /* as it was when it struck: afterwards nothing acts on it */
            Velocity v = stage_velocity(&stage, "rod");
            end = fabs(v.v.y) + 0.5 * LENGTH * c * fabs(v.w.z);
        }
        if (!stage_end(&stage, ok, 1.5 * end / expected, &share))
            return false;
        *value = farther(*value, share, 1.5);
    }
    return true;
}

/* Beads on a rope, let fall onto scales: what lies there weighs 3 times as much while the rest arrives. Impulse of the
 * scales, from momentum, over that of the weight laid down; bead k arrives at sqrt(2 k d / g). */
bool measure_chain_weight(const Run *run, double *value, Status *status)
{
    enum { BEADS = 40, LANDED = 30 };
    static const double APART = 0.05, RADIUS = 0.02, MASS = 0.1;
    Stage stage;
    Text text = {0};
    double t = sqrt(2.0 * (LANDED + 0.5) * APART / PHENOMENON_G);
    int frames = (int)round(t / run->dt);
    t = frames * run->dt;
    text_add(&text, "{\"rigor\":1,\"name\":\"scales\",\"time\":%.17g,\"collide\":{\"except\":[", t);
    for (int i = 1; i <= BEADS; i++)
        for (int j = i + 2; j <= BEADS; j++)
            text_add(&text, "%s[\"b%d\",\"b%d\"]", i == 1 && j == 3 ? "" : ",", i, j);
    text_add(&text, "]},\"bodies\":[" STAGE_FLOOR);
    for (int i = 1; i <= BEADS; i++)
        text_add(&text,
                 ",{\"name\":\"b%d\",\"mass\":%g,\"shape\":{\"sphere\":{\"radius\":%g}},\"position\":[0,%.17g,0]}", i,
                 MASS, RADIUS, RADIUS + i * APART);
    text_add(&text, "],\"joints\":[");
    for (int i = 1; i < BEADS; i++)
        text_add(&text, "%s{\"type\":\"distance\",\"bodies\":[\"b%d\",\"b%d\"],\"one_sided\":true}", i > 1 ? "," : "",
                 i, i + 1);
    text_add(&text, "]}");
    bool ok = stage_begin_text(&stage, run, &text, status) && stage_run(&stage, frames);
    double laid = 0.0, impulse = ok ? stage_momentum(&stage).y + BEADS * MASS * PHENOMENON_G * t : 0.0;
    int landed = 0;
    for (int k = 1; k <= BEADS; k++) {
        double arrives = sqrt(2.0 * k * APART / PHENOMENON_G);
        landed += arrives < t;
        laid += MASS * PHENOMENON_G * fmax(0.0, t - arrives);
    }
    /* Of beads the part would be landed m g t / laid, of a rope without beads 3. */
    double beads = landed * MASS * PHENOMENON_G * t / laid;
    return stage_end(&stage, ok, 3.0 * impulse / laid / beads, value);
}

/* A folded chain, one end held, the other let go: its end falls faster than what falls freely. The way of the end over
 * g t^2 / 2 when that has gone most of the chain's length. */
bool measure_chain_tip(const Run *run, double *value, Status *status)
{
    enum { BEADS = 40 };
    static const double LINK = 0.05, PART = 0.8; /* of sqrt(2 L / g) */
    Stage stage;
    Text text = {0};
    double length = 0.5 * BEADS * LINK * 2.0;
    int frames = (int)round(PART * sqrt(2.0 * length / PHENOMENON_G) / run->dt);
    double t = frames * run->dt;
    text_add(&text, "{\"rigor\":1,\"name\":\"folded\",\"time\":%.17g,\"collide\":\"none\",\"bodies\":[", t);
    for (int i = 1; i <= BEADS; i++) {
        bool down = i <= BEADS / 2;
        double y = -LINK * (down ? i : BEADS + 1 - i);
        text_add(&text, "%s{\"name\":\"b%d\",\"mass\":0.1,\"position\":[%g,%.17g,0]}", i > 1 ? "," : "", i,
                 down ? 0.0 : LINK, y);
    }
    text_add(&text,
             "],\"joints\":[{\"type\":\"distance\",\"bodies\":[\"world\",\"b1\"],\"anchors\":[[0,0,0],[0,0,0]]}");
    for (int i = 1; i < BEADS; i++)
        text_add(&text, ",{\"type\":\"distance\",\"bodies\":[\"b%d\",\"b%d\"]}", i, i + 1);
    text_add(&text, "]}");
    char tip[16];
    snprintf(tip, sizeof tip, "b%d", BEADS);
    bool ok = stage_begin_text(&stage, run, &text, status) && stage_run(&stage, frames);
    double way = ok ? -LINK - stage_pose(&stage, tip).x.y : 0.0;
    return stage_end(&stage, ok, way / (0.5 * PHENOMENON_G * t * t), value);
}

/* Five balls that touch in a row, struck by a sixth: momentum lost, over what came. */
bool measure_cradle(const Run *run, double *value, Status *status)
{
    enum { BALLS = 5, FRAMES = 30 };
    static const double SPEED = 2.0, RADIUS = 0.1;
    Stage stage;
    Text text = {0};
    text_add(&text,
             "{\"rigor\":1,\"name\":\"cradle\",\"time\":%.17g,\"gravity\":[0,0,0],\"materials\":{\"default\":{"
             "\"friction\":0,\"restitution\":1}},\"bodies\":[",
             FRAMES * run->dt);
    for (int i = 0; i <= BALLS; i++)
        text_add(&text,
                 "%s{\"name\":\"ball%d\",\"density\":1000,\"shape\":{\"sphere\":{\"radius\":%g}},\"position\":[%.17g,0,"
                 "0],\"velocity\":[%g,0,0]}",
                 i > 0 ? "," : "", i, RADIUS, 2.0 * RADIUS * i - (i == 0 ? 3.7 * SPEED * run->dt : 0.0),
                 i == 0 ? SPEED : 0.0);
    text_add(&text, "]}");
    bool ok = stage_begin_text(&stage, run, &text, status);
    double before = ok ? stage_momentum(&stage).x : 1.0;
    ok = ok && stage_run(&stage, FRAMES);
    return stage_end(&stage, ok, ok ? 1.0 - stage_momentum(&stage).x / before : 0.0, value);
}
