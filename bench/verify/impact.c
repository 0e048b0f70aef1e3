/* SPDX-License-Identifier: MIT */
/* Checks of impacts: what friction gives while a ball strikes the ground at a slant; whether a joint's limit throws
 * back what runs into it. */
#include "bench/verify/checks.h"

#include <stdio.h>

enum { OBLIQUE_PHASES = 41 }; /* balls of a world, whose impacts are spread over a frame */

/* A ball that slides through the impact, without and with a bounce, and one that is gripped. */
static const struct ObliqueCase {
    double restitution, vt; /* m/s */
} OBLIQUE_CASES[] = {{0.0, 4.0}, {0.5, 4.0}, {0.5, 0.5}};

enum { OBLIQUE_CASE_COUNT = sizeof OBLIQUE_CASES / sizeof *OBLIQUE_CASES };

/* What the balls of one world keep of the friction impulse that is due: mu (1 + e) m vn, or 2/7 m vt, if that is less.
 */
static bool oblique_shares(const Run *like, const struct ObliqueCase *at, double shares[OBLIQUE_PHASES], Status *status)
{
    const double mu = 0.2, vn = 2.0, frames_before = 3.0, time = 0.2, frame = vn * RUN_DEFAULT_DT;
    double expected = fmin(mu * (1.0 + at->restitution) * vn, 2.0 / 7.0 * at->vt);
    char params[160];
    Run run;
    snprintf(params, sizeof params, "mu=%.17g restitution=%.17g vn=%.17g vt=%.17g balls=%d gap=%.17g spread=%.17g", mu,
             at->restitution, vn, at->vt, OBLIQUE_PHASES, frames_before * frame, frame);
    bool ok = verify_run(like, "oblique", params, RUN_DEFAULT_DT, time, NULL, &run, status);
    for (int k = 0; ok && k < OBLIQUE_PHASES; k++) {
        const World *world = run.problem->world;
        double left = world->velocity[world->body_count - OBLIQUE_PHASES + k].v.x;
        shares[k] = run.result.status == RUN_OK ? (at->vt - left) / expected : NAN;
    }
    run_clear(&run);
    return ok;
}

static bool check_oblique(const Run *like, VerifyResult *result, Status *status)
{
    double shares[OBLIQUE_PHASES], sum = 0.0, worst = 1.0, worst_e = 0.0;
    int worst_ball = 0;
    for (int c = 0; c < OBLIQUE_CASE_COUNT; c++) {
        if (!oblique_shares(like, &OBLIQUE_CASES[c], shares, status))
            return false;
        for (int k = 0; k < OBLIQUE_PHASES; k++) {
            sum += shares[k];
            if (fabs(shares[k] - 1.0) > fabs(worst - 1.0)) {
                worst = shares[k];
                worst_ball = k + 1;
                worst_e = OBLIQUE_CASES[c].restitution;
            }
        }
    }
    result->measured = isnan(sum) ? NAN : fabs(worst - 1.0);
    result->bound = 0.02; /* as the scene's own predicate */
    snprintf(result->detail, sizeof result->detail, "mean share %.3f, worst %.3f of ball%d, e = %g",
             sum / (OBLIQUE_CASE_COUNT * OBLIQUE_PHASES), worst, worst_ball, worst_e);
    return true;
}

const VerifyCheck verify_oblique = {"oblique friction",
                                    "friction impulse of oblique impacts over its true one, off 1, worst of 41 balls",
                                    CAN_CONTACTS | CAN_FRICTION, check_oblique};

/* Angular speed of a rod that falls on its limit, rad/s: the largest towards it, and the largest away from it later. */
typedef struct Arrival {
    double towards, away;
} Arrival;

static bool arrival_frame(void *context, const Problem *problem, int frame, const double *metrics, Status *status)
{
    (void)frame, (void)metrics, (void)status;
    Arrival *arrival = context;
    double away = problem->world->velocity[problem->world->body_count - 1].w.z; /* it falls about -z */
    arrival->towards = fmax(arrival->towards, -away);
    arrival->away = fmax(arrival->away, away);
    return true;
}

/* A limit stops without a bounce, and the weight of the rod keeps it there. */
static bool check_rebound(const Run *like, VerifyResult *result, Status *status)
{
    Run run;
    Arrival arrival = {0.0, 0.0};
    RunWatch watch = {arrival_frame, &arrival};
    bool ok = verify_run(like, "hinge_limit", "", RUN_DEFAULT_DT, 1.5, &watch, &run, status);
    result->measured = ok && run.result.status == RUN_OK ? arrival.away / arrival.towards : NAN;
    result->bound = 0.05; /* a step's correction of what is over the limit, g h / l at 1/60 s: 0.25 of 5 rad/s */
    snprintf(result->detail, sizeof result->detail, "arrives at %.3g, leaves at %.3g rad/s", arrival.towards,
             arrival.away);
    run_clear(&run);
    return ok;
}

const VerifyCheck verify_rebound = {"limit rebound", "speed at which a rod leaves its limit over that of its arrival",
                                    CAN_JOINTS | CAN_LIMITS, check_rebound};
