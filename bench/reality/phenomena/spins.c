/* SPDX-License-Identifier: MIT */
/* Phenomena of bodies that turn on one contact. */
#include "bench/reality/phenomena/measures.h"
#include "bench/reality/phenomena/stage.h"

#include <math.h>

/* A thin disc that rolls on its rim without slipping, its centre at rest: the contact goes round at Omega^2 sin(alpha)
 * = 4 g / a (Euler's disc), also while it loses energy. The mean of Omega^2 sin(alpha) a / (4 g) over a second. */
bool measure_euler_disc(const Run *run, double *value, Status *status)
{
    static const double RADIUS = 1.0, ALPHA = 0.2, SECONDS = 1.0, MASS = 1.0, THIN = 1e-3 /* half, of the radius */;
    double around = sqrt(4.0 * PHENOMENON_G / (RADIUS * sin(ALPHA))), w = around * sin(ALPHA);
    double across = 0.25 * MASS * RADIUS * RADIUS, sum = 0.0, before = 0.0;
    int frames = (int)round(SECONDS / run->dt);
    Stage stage;
    bool ok = stage_begin(
        &stage, run, status,
        "{\"rigor\":1,\"name\":\"disc\",\"time\":%.17g,\"materials\":{\"default\":{\"friction\":2}},\"bodies\":"
        "[" STAGE_FLOOR
        ",{\"name\":\"disc\",\"mass\":%g,\"inertia\":[%.17g,%.17g,%.17g],\"shape\":{\"cylinder\":{\"radius\":%g,"
        "\"length\":%g}},\"position\":[0,%.17g,0],\"orientation\":[%.17g,0,0,%.17g],\"angular_velocity\":[%.17g,%.17g,"
        "0]}]}",
        frames * run->dt, MASS, across, 2.0 * across, across, RADIUS, 2.0 * THIN * RADIUS,
        RADIUS * (sin(ALPHA) + THIN * cos(ALPHA)), cos(0.5 * ALPHA), sin(0.5 * ALPHA), w * cos(ALPHA), w * sin(ALPHA));
    for (int frame = 0; ok && frame < frames; frame++) {
        ok = stage_run(&stage, frame + 1);
        Vec3 axis = quat_rotate(stage_pose(&stage, "disc").q, vec3(0, 1, 0));
        double direction = atan2(-axis.z, axis.x), turned = remainder(direction - before, 2.0 * PI);
        if (frame > 0)
            sum += turned * turned / (run->dt * run->dt) * hypot(axis.x, axis.z) / (frames - 1);
        before = direction;
    }
    return stage_end(&stage, ok, sum * RADIUS / (4.0 * PHENOMENON_G), value);
}

/* A rod that slides leaning backwards at tan = 2 with mu = 1.6 > 4/3: friction drives it into the floor, and rigid
 * bodies have no answer without an impact. Energy that comes from nowhere, of the scene's scale. */
bool measure_painleve(const Run *run, double *value, Status *status)
{
    static const double SECONDS = 0.5;
    Stage stage;
    double slope = atan(2.0), metrics[METRICS_MAX];
    bool ok =
        stage_begin(&stage, run, status,
                    "{\"rigor\":1,\"name\":\"painleve\",\"time\":%g,\"materials\":{\"default\":{\"friction\":1.6}},"
                    "\"bodies\":[" STAGE_FLOOR
                    ",{\"name\":\"rod\",\"mass\":1,\"shape\":{\"capsule\":{\"radius\":0.01,\"length\":1}},"
                    "\"position\":[0,%.17g,0],\"orientation\":[%.17g,0,0,%.17g],\"velocity\":[-4,0,0]}]}",
                    SECONDS, 0.01 + 0.5 * sin(slope), cos(0.5 * (slope - 0.5 * PI)), sin(0.5 * (slope - 0.5 * PI))) &&
        stage_run(&stage, (int)round(SECONDS / run->dt));
    if (ok)
        running_metrics(stage.running, &stage.result, metrics);
    return stage_end(&stage, ok, ok ? metrics[metric_find("energy_gain_max")] : 0.0, value);
}
