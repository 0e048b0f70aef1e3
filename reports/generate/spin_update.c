/* SPDX-License-Identifier: MIT */
/* A free sphere's spin, read back from its orientation step by step. The slides' pair (004, PBD Integration and PBD
 * Velocity Update), q <- unit(q + h/2 [0, w] q) and w <- 2 vec(q q_prev^-1) / h, is no inverse of itself: each step
 * divides w by sqrt(1 + (w h)^2 / 4). With exp and log it is. */
#include "reports/generate/generators.h"

#include "solvers/motion.h"

static const char *const KEYS[] = {"spin", "time", "dt", NULL};

static Vec3 update_slides(Quat *q, Vec3 w, double h)
{
    Pose pose = {.q = *q};
    Velocity u = {.w = w};
    Rate rate = motion_rate(*q, u, (Velocity){0});
    motion_add_rate(&pose, &u, h, &rate);
    Quat next = quat_unit(pose.q), turned = quat_mul(next, quat_conj(*q));
    *q = next;
    return vec3_scale((turned.w < 0.0 ? -2.0 : 2.0) / h, quat_vec(turned));
}

static Vec3 update_exact(Quat *q, Vec3 w, double h)
{
    Quat next = motion_turn(*q, w, h), turned = quat_mul(next, quat_conj(*q));
    *q = next;
    return vec3_scale(1.0 / h, quat_log(turned));
}

static const struct {
    const char *name;
    Vec3 (*update)(Quat *q, Vec3 w, double h);
} UPDATES[] = {{"slides", update_slides}, {"exp and log", update_exact}};

static bool spin_update_make(Node arguments, json_t *rows)
{
    double spin = 50.0, time = 1.0, h = RUN_DEFAULT_DT;
    if (!node_object(arguments, KEYS) || !node_positive(node_get(&arguments, "spin"), &spin) ||
        !node_positive(node_get(&arguments, "time"), &time) || !node_positive(node_get(&arguments, "dt"), &h))
        return false;
    if (!(time / h <= GENERATOR_STEPS))
        return node_fail(node_get(&arguments, "time"), "is more than %d steps", GENERATOR_STEPS);
    if (!rows)
        return true;
    for (size_t k = 0; k < sizeof UPDATES / sizeof UPDATES[0]; k++) {
        Quat q = {1, 0, 0, 0};
        Vec3 w = {0, spin, 0};
        for (int i = 0; i <= (int)round(time / h); i++) {
            json_array_append_new(
                rows, json_pack("{s:s,s:f,s:f}", "update", UPDATES[k].name, "time", i * h, "spin", vec3_norm(w)));
            w = UPDATES[k].update(&q, w, h);
        }
    }
    return true;
}

const Generator generator_spin_update = {
    .name = "spin_update",
    .about = "spin of a free sphere by the slides' quaternion update and by exp and log; arguments: spin (rad/s), time "
             "(s), dt (s); fields: update, time, spin",
    .make = spin_update_make,
};
