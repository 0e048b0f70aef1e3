/* SPDX-License-Identifier: MIT */
/* Phenomena of friction. */
#include "bench/reality/phenomena/measures.h"
#include "bench/reality/phenomena/stage.h"

#include <math.h>

/* A ball that is pushed without spin slides, then rolls at 5/7 of its speed. */
bool measure_roll(const Run *run, double *value, Status *status)
{
    static const double V0 = 3.0, SECONDS = 1.0;
    Stage stage;
    bool ok =
        stage_begin(&stage, run, status,
                    "{\"rigor\":1,\"name\":\"roll\",\"time\":%g,\"materials\":{\"default\":{\"friction\":0.3}},"
                    "\"bodies\":[" STAGE_FLOOR
                    ",{\"name\":\"ball\",\"density\":1000,\"shape\":{\"sphere\":{\"radius\":0.5}},\"position\":[0,"
                    "0.5,0],\"velocity\":[%g,0,0]}]}",
                    SECONDS, V0) &&
        stage_run(&stage, (int)round(SECONDS / run->dt));
    return stage_end(&stage, ok, ok ? stage_velocity(&stage, "ball").v.x / (5.0 / 7.0 * V0) : 0.0, value);
}

/* How far it slides until then: 12 v0^2 / (49 mu g), of the way that rolling since then does not explain. */
bool measure_roll_way(const Run *run, double *value, Status *status)
{
    static const double V0 = 3.0, MU = 0.3, SECONDS = 1.0;
    Stage stage;
    double slides = 2.0 * V0 / (7.0 * MU * PHENOMENON_G), way = 12.0 * V0 * V0 / (49.0 * MU * PHENOMENON_G);
    bool ok = stage_begin(
                  &stage, run, status,
                  "{\"rigor\":1,\"name\":\"roll\",\"time\":%g,\"materials\":{\"default\":{\"friction\":%g}},\"bodies\":"
                  "[" STAGE_FLOOR
                  ",{\"name\":\"ball\",\"density\":1000,\"shape\":{\"sphere\":{\"radius\":0.5}},\"position\":[0,0.5,0],"
                  "\"velocity\":[%g,0,0]}]}",
                  SECONDS, MU, V0) &&
              stage_run_all(&stage, run);
    double rolled = 5.0 / 7.0 * V0 * (stage.problem && ok ? stage.problem->time - slides : 0.0);
    return stage_end(&stage, ok, ok ? (stage_pose(&stage, "ball").x.x - rolled) / way : 0.0, value);
}

/* A box that slides to rest: v^2 / (2 mu g). */
bool measure_slip_decay(const Run *run, double *value, Status *status)
{
    static const double V0 = 3.0, MU = 0.3, SECONDS = 2.0;
    Stage stage;
    bool ok =
        stage_begin(&stage, run, status,
                    "{\"rigor\":1,\"name\":\"slip\",\"time\":%g,\"materials\":{\"default\":{\"friction\":%g}},"
                    "\"bodies\":[" STAGE_FLOOR
                    ",{\"name\":\"box\",\"density\":1000,\"shape\":{\"box\":{\"size\":[1,0.2,1]}},\"position\":[0,"
                    "0.1,0],\"velocity\":[%g,0,0]}]}",
                    SECONDS, MU, V0) &&
        stage_run(&stage, (int)round(SECONDS / run->dt));
    return stage_end(&stage, ok, ok ? stage_pose(&stage, "box").x.x / (V0 * V0 / (2.0 * MU * PHENOMENON_G)) : 0.0,
                     value);
}

/* A box on a slope: gravity is turned, not the floor. */
typedef struct Slope {
    double width, height, mu, seconds;
    bool (*gives)(const Stage *stage);
} Slope;

/* Degrees between which the angle is found where the box gives way. */
static const double SLOPE_LEAST = 20.0, SLOPE_MOST = 34.0;
enum { SLOPE_HALVINGS = 10 };

static bool slope_try(const Slope *slope, const Run *run, double degrees, bool *gives, Status *status)
{
    Stage stage;
    double ignored, angle = degrees * PI / 180.0;
    bool ok = stage_begin(
                  &stage, run, status,
                  "{\"rigor\":1,\"name\":\"slope\",\"time\":%g,\"gravity\":[%.17g,%.17g,0],\"materials\":{\"default\":{"
                  "\"friction\":%g}},\"bodies\":[" STAGE_FLOOR
                  ",{\"name\":\"box\",\"density\":1000,\"shape\":{\"box\":{\"size\":["
                  "%g,%g,1]}},\"position\":[0,%g,0]}]}",
                  slope->seconds, PHENOMENON_G * sin(angle), -PHENOMENON_G * cos(angle), slope->mu, slope->width,
                  slope->height, 0.5 * slope->height) &&
              stage_run(&stage, (int)round(slope->seconds / run->dt));
    *gives = !ok || slope->gives(&stage);
    return stage_end(&stage, ok, 0.0, &ignored);
}

/* degrees, by bisection; infinite: it stands at the steepest, or gives at the flattest. */
static bool slope_angle(const Slope *slope, const Run *run, double *value, Status *status)
{
    double stands = SLOPE_LEAST, falls = SLOPE_MOST;
    bool low, high;
    if (!slope_try(slope, run, stands, &low, status) || !slope_try(slope, run, falls, &high, status))
        return false;
    *value = low ? -INFINITY : INFINITY;
    for (int i = 0; !low && high && i < SLOPE_HALVINGS; i++) {
        bool gives;
        double middle = 0.5 * (stands + falls);
        if (!slope_try(slope, run, middle, &gives, status))
            return false;
        *(gives ? &falls : &stands) = middle;
        *value = 0.5 * (stands + falls);
    }
    return true;
}

/* 0.05 degrees beyond the angle it slides 17 mm in two seconds. */
static bool slope_slid(const Stage *stage)
{
    return fabs(stage_pose(stage, "box").x.x) > 0.017;
}

static bool slope_tipped(const Stage *stage)
{
    static const double LEANS = 10.0; /* degrees */
    Vec3 up = quat_rotate(stage_pose(stage, "box").q, vec3(0, 1, 0));
    return up.y < cos(LEANS * PI / 180.0);
}

bool measure_slide(const Run *run, double *value, Status *status)
{
    static const Slope SLOPE = {1.0, 0.2, 0.5, 2.0, slope_slid};
    return slope_angle(&SLOPE, run, value, status);
}

bool measure_tip(const Run *run, double *value, Status *status)
{
    static const Slope SLOPE = {0.5, 1.0, 2.0, 4.0, slope_tipped};
    return slope_angle(&SLOPE, run, value, status);
}

/* A rod of 0.45 N between two pads that are pressed with 20 N each: friction holds 60 times its weight. um/s from 2 s
 * to 4 s. */
bool measure_pinch(const Run *run, double *value, Status *status)
{
    static const double BEGIN = 2.0, END = 4.0;
    Stage stage;
    double from = 0.0;
    bool ok =
        stage_begin(
            &stage, run, status,
            "{\"rigor\":1,\"name\":\"pinch\",\"time\":%g,\"materials\":{\"default\":{\"friction\":0.7}},\"bodies\":["
            "{\"name\":\"left\",\"mass\":0.2,\"position\":[-0.014,0,0],\"shape\":{\"box\":{\"size\":[0.02,0.04,"
            "0.04]}}},{\"name\":\"right\",\"mass\":0.2,\"position\":[0.014,0,0],\"shape\":{\"box\":{\"size\":["
            "0.02,0.04,0.04]}}},{\"name\":\"rod\",\"mass\":0.045,\"orientation\":[0.70710678118,"
            "0.70710678118,0,0],\"shape\":{\"capsule\":{\"radius\":0.004,\"length\":0.06}}}],\"joints\":[{"
            "\"type\":\"cylinder\",\"bodies\":[\"world\",\"left\"],\"anchor\":[-0.014,0,0],\"axis\":[1,0,0],"
            "\"force\":20,\"angle\":0},{\"type\":\"cylinder\",\"bodies\":[\"world\",\"right\"],\"anchor\":["
            "0.014,0,0],\"axis\":[1,0,0],\"force\":-20,\"angle\":0}]}",
            END) &&
        stage_run(&stage, (int)round(BEGIN / run->dt));
    if (ok) {
        from = stage_pose(&stage, "rod").x.y;
        ok = stage_run(&stage, (int)round(END / run->dt));
    }
    return stage_end(&stage, ok, ok ? 1e6 * (from - stage_pose(&stage, "rod").x.y) / (END - BEGIN) : 0.0, value);
}
