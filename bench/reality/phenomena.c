/* SPDX-License-Identifier: MIT */
#include "bench/reality/phenomena.h"

#include "scenes/file/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double G = 9.81; /* m/s^2 */

/* A scene at work with a solver, frame by frame. */
typedef struct Stage {
    Problem *problem;
    RunResult result;
    Running *running;
    Status *status;
} Stage;

/* `format` gives a scene file. False with a message; to be ended in any case. */
static bool __attribute__((format(printf, 4, 5)))
stage_begin(Stage *stage, const Run *run, Status *status, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    *stage = (Stage){.status = status};
    json_t *document = json_loads(text, 0, NULL);
    stage->problem = document ? file_read_document(document, "phenomenon", status) : NULL;
    if (!document)
        status_set(status, STATUS_FAILED, "out of memory");
    json_decref(document);
    if (!stage->problem)
        return false;
    RunPlan plan = {.solver = run->solver, .options = run->options, .dt = run->dt, .time = stage->problem->time};
    stage->running = running_begin(stage->problem, &plan, &stage->result, status);
    return stage->running != NULL;
}

/* The rest of the time, or until so many frames are done. False: it blew up, or, with a message, cannot go on. */
static bool stage_run(Stage *stage, int frames)
{
    while (stage->result.frames_done < frames && running_frame(stage->running, &stage->result, stage->status))
        ;
    return stage->result.status == RUN_OK;
}

/* Of the body so named. */
static Pose stage_pose(const Stage *stage, const char *name)
{
    return stage->problem->world->pose[world_find_body(stage->problem->world, name)];
}

static Velocity stage_velocity(const Stage *stage, const char *name)
{
    return stage->problem->world->velocity[world_find_body(stage->problem->world, name)];
}

/* A run that failed is the phenomenon's failure; one that blew up has an infinite number. */
static bool stage_end(Stage *stage, bool ok, double number, double *value)
{
    bool failed = !ok && stage->result.status != RUN_BLEW_UP;
    *value = ok ? number : INFINITY;
    running_end(stage->running);
    run_result_clear(&stage->result);
    problem_destroy(stage->problem);
    return !failed;
}

static const char FLOOR[] = "{\"name\":\"floor\",\"fixed\":true,\"shape\":{\"plane\":{}}}";

/* A ball that strikes the floor at a slant and slides all through: friction takes mu (1 + e) v_n of its speed along it,
 * wherever in a frame it strikes. The worst of 41 heights by the golden ratio. */
static bool measure_oblique(const Run *run, double *value, Status *status)
{
    enum { PHASES = 41, FRAMES = 6 };
    static const double MU = 0.2, E = 0.5, FAST = 3.0, DOWN = 1.0, GOLDEN = 0.6180339887498949;
    *value = 1.0;
    for (int k = 0; k < PHASES; k++) {
        Stage stage;
        double phase = fmod(GOLDEN * (k + 1), 1.0), share;
        bool ok =
            stage_begin(
                &stage, run, status,
                "{\"rigor\":1,\"name\":\"oblique\",\"time\":%.17g,\"gravity\":[0,0,0],\"materials\":{\"default\":{"
                "\"friction\":%g,\"restitution\":%g}},\"bodies\":[%s,{\"name\":\"ball\",\"density\":1000,"
                "\"shape\":{\"sphere\":{\"radius\":0.5}},\"position\":[0,%.17g,0],\"velocity\":[%g,%g,0]}]}",
                FRAMES * run->dt, MU, E, FLOOR, 0.5 + DOWN * run->dt * (1.0 + phase), FAST, -DOWN) &&
            stage_run(&stage, FRAMES);
        double lost = ok ? FAST - stage_velocity(&stage, "ball").v.x : 0.0;
        if (!stage_end(&stage, ok, lost / (MU * (1.0 + E) * DOWN), &share))
            return false;
        if (fabs(share - 1.0) > fabs(*value - 1.0))
            *value = share;
    }
    return true;
}

/* A ball that is pushed without spin slides, then rolls at 5/7 of its speed. */
static bool measure_roll(const Run *run, double *value, Status *status)
{
    static const double V0 = 3.0, SECONDS = 1.0;
    Stage stage;
    bool ok =
        stage_begin(
            &stage, run, status,
            "{\"rigor\":1,\"name\":\"roll\",\"time\":%g,\"materials\":{\"default\":{\"friction\":0.3}},\"bodies\":["
            "%s,{\"name\":\"ball\",\"density\":1000,\"shape\":{\"sphere\":{\"radius\":0.5}},\"position\":[0,"
            "0.5,0],\"velocity\":[%g,0,0]}]}",
            SECONDS, FLOOR, V0) &&
        stage_run(&stage, (int)round(SECONDS / run->dt));
    return stage_end(&stage, ok, ok ? stage_velocity(&stage, "ball").v.x / (5.0 / 7.0 * V0) : 0.0, value);
}

/* A box that slides to rest: v^2 / (2 mu g). */
static bool measure_slip_decay(const Run *run, double *value, Status *status)
{
    static const double V0 = 3.0, MU = 0.3, SECONDS = 2.0;
    Stage stage;
    bool ok =
        stage_begin(
            &stage, run, status,
            "{\"rigor\":1,\"name\":\"slip\",\"time\":%g,\"materials\":{\"default\":{\"friction\":%g}},\"bodies\":["
            "%s,{\"name\":\"box\",\"density\":1000,\"shape\":{\"box\":{\"size\":[1,0.2,1]}},\"position\":[0,"
            "0.1,0],\"velocity\":[%g,0,0]}]}",
            SECONDS, MU, FLOOR, V0) &&
        stage_run(&stage, (int)round(SECONDS / run->dt));
    return stage_end(&stage, ok, ok ? stage_pose(&stage, "box").x.x / (V0 * V0 / (2.0 * MU * G)) : 0.0, value);
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
                  "\"friction\":%g}},\"bodies\":[%s,{\"name\":\"box\",\"density\":1000,\"shape\":{\"box\":{\"size\":["
                  "%g,%g,1]}},\"position\":[0,%g,0]}]}",
                  slope->seconds, G * sin(angle), -G * cos(angle), slope->mu, FLOOR, slope->width, slope->height,
                  0.5 * slope->height) &&
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

static bool measure_slide(const Run *run, double *value, Status *status)
{
    static const Slope SLOPE = {1.0, 0.2, 0.5, 2.0, slope_slid};
    return slope_angle(&SLOPE, run, value, status);
}

static bool measure_tip(const Run *run, double *value, Status *status)
{
    static const Slope SLOPE = {0.5, 1.0, 2.0, 4.0, slope_tipped};
    return slope_angle(&SLOPE, run, value, status);
}

/* A rod of 0.45 N between two pads that are pressed with 20 N each: friction holds 60 times its weight. um/s from 2 s
 * to 4 s. */
static bool measure_pinch(const Run *run, double *value, Status *status)
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

/* A rod that slides leaning backwards at tan = 2 with mu = 1.6 > 4/3: friction drives it into the floor, and rigid
 * bodies have no answer without an impact. Energy that comes from nowhere, of the scene's scale. */
static bool measure_painleve(const Run *run, double *value, Status *status)
{
    static const double SECONDS = 0.5;
    Stage stage;
    double slope = atan(2.0), metrics[METRICS_MAX];
    bool ok =
        stage_begin(
            &stage, run, status,
            "{\"rigor\":1,\"name\":\"painleve\",\"time\":%g,\"materials\":{\"default\":{\"friction\":1.6}},"
            "\"bodies\":[%s,{\"name\":\"rod\",\"mass\":1,\"shape\":{\"capsule\":{\"radius\":0.01,\"length\":1}},"
            "\"position\":[0,%.17g,0],\"orientation\":[%.17g,0,0,%.17g],\"velocity\":[-4,0,0]}]}",
            SECONDS, FLOOR, 0.01 + 0.5 * sin(slope), cos(0.5 * (slope - 0.5 * PI)), sin(0.5 * (slope - 0.5 * PI))) &&
        stage_run(&stage, (int)round(SECONDS / run->dt));
    if (ok)
        running_metrics(stage.running, &stage.result, metrics);
    return stage_end(&stage, ok, ok ? metrics[metric_find("energy_gain_max")] : 0.0, value);
}

const Phenomenon all_phenomena[] = {
    {"oblique", "1", "a ball strikes at a slant and slides: dv_t / (mu (1+e) v_n), the worst of 41 phases", 0.99, 1.01,
     measure_oblique},
    {"roll", "1", "a ball that slides, then rolls: speed over 5/7 v0", 0.995, 1.005, measure_roll},
    {"slip_decay", "1", "a box that slides to rest: way over v^2 / (2 mu g)", 0.99, 1.01, measure_slip_decay},
    {"slide", "deg", "a box on a slope, mu 0.5, gives way at atan(mu) = 26.57 degrees", 26.465, 26.665, measure_slide},
    {"tip", "deg", "a box of 0.5 by 1 on a slope, mu 2, tips at atan(b/h) = 26.57 degrees", 26.465, 26.665,
     measure_tip},
    {"pinch", "um/s", "a rod pinched with 60 times the friction it needs: how fast it sinks", -1.0, 1.0, measure_pinch},
    {"painleve", "1", "a rod driven into the floor by friction, mu 1.6, tan 2: energy from nowhere, of the scale",
     -1e-9, 0.01, measure_painleve},
};
const int phenomenon_count = sizeof all_phenomena / sizeof all_phenomena[0];
