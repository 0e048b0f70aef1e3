/* SPDX-License-Identifier: MIT */
/* Real impacts of an ellipse on a plane (data: impacts.csv, after Fazeli et al. 2017), each alone: velocities before,
 * contact point, velocities after. A solver meets it as a body that touches the plane at that point, without gravity,
 * and runs until nothing pushes it any more. Beside the solvers the closed form of one contact: Newton's restitution,
 * Coulomb's friction with stick, P = -W^-1 (u_t, (1+e) u_n), W = J M^-1 J^T. */
#include "bench/reality/measured.h"
#include "bench/reality/suite.h"
#include "scenes/file/file.h"

#include <math.h>
#include <stdlib.h>

static const char GET[] =
    "Get it: git clone https://github.com/DAIRLab/ImpactModeling (commit f6c28898, BSD-3-Clause), then python3 "
    "examples/reality_data.py impacts ImpactModeling/ellipse_uniform.mat DIR, and RIGOR_DATA=DIR";

/* Of the ellipse: kg, half axes in m; its inertia is m (a^2 + b^2) / 4. */
static const double MASS = 0.037, HALF_LONG = 0.035, HALF_SHORT = 0.025;
static const double INERTIA = 0.037 * (0.07 * 0.07 + 0.05 * 0.05) / 16.0; /* kg m^2: m (a^2 + b^2)/4 of half axes */

enum { IMPACT_FRAMES = 25 };           /* most that an impact may take: 0.1 s */
static const double SAME_SPEED = 1e-9; /* relative: two frames with the same velocities saw no force */

typedef struct Impact {
    int number;
    bool test;
    double before[3], after[3]; /* vx, vy, w */
    double rx, ry;              /* m, from the centre to the contact */
} Impact;

typedef struct Impacts {
    int count;
    Impact *list;
} Impacts;

static const char *const COLUMNS[] = {"trial", "half", "flagged", "vx", "vy", "w",
                                      "vx1",   "vy1",  "w1",      "rx", "ry", NULL};

static bool impacts_open(void **data, int *count, Status *status)
{
    char path[MEASURED_PATH];
    MeasuredTable table = {0};
    Impacts *impacts = calloc(1, sizeof *impacts);
    *data = impacts;
    bool ok = (impacts || status_set(status, STATUS_FAILED, "out of memory")) &&
              measured_find("impacts.csv", GET, path, status) && measured_read(&table, path, COLUMNS, status);
    if (ok && !(impacts->list = calloc((size_t)table.rows, sizeof *impacts->list)))
        ok = status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; ok && i < table.rows; i++) {
        const double *v = measured_row(&table, i);
        if (v[2] == 0.0) /* the source does not doubt it */
            impacts->list[impacts->count++] =
                (Impact){(int)v[0], v[1] == 1.0, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}, v[9], v[10]};
        if (!(v[10] < 0.0))
            ok = status_set(status, STATUS_BAD_FILE, "%s:%d: the contact is not below the centre", path, i + 2);
    }
    measured_clear(&table);
    *count = impacts ? impacts->count : 0;
    return ok;
}

static void impacts_close(void *data)
{
    Impacts *impacts = data;
    if (impacts)
        free(impacts->list);
    free(impacts);
}

static int impact_number(const void *data, int item, bool *test, bool *quick)
{
    const Impact *impact = &((const Impacts *)data)->list[item];
    *test = impact->test;
    *quick = !impact->test;
    return impact->number;
}

/* sqrt(v' M v) */
static double mass_norm(const double v[3])
{
    return sqrt(MASS * (v[0] * v[0] + v[1] * v[1]) + INERTIA * v[2] * v[2]);
}

/* How far velocities are off the measured ones, over those before, in the metric of the mass. */
static void impact_judge(const Impact *impact, const double after[3], Score *score)
{
    double off[3];
    for (int i = 0; i < 3; i++)
        off[i] = after[i] - impact->after[i];
    score->value[0] = mass_norm(off) / mass_norm(impact->before);
}

/* Nothing happened: it went on as before. */
static void impact_lose(const void *data, int item, Score *score)
{
    const Impact *impact = &((const Impacts *)data)->list[item];
    *score = (Score){.lost = true};
    impact_judge(impact, impact->before, score);
}

static bool impact_closed(const void *data, int item, double mu, double e, Score *score)
{
    const Impact *impact = &((const Impacts *)data)->list[item];
    const double *v = impact->before;
    double rx = impact->rx, ry = impact->ry, u_t = v[0] - v[2] * ry, u_n = v[1] + v[2] * rx;
    double w_tt = 1.0 / MASS + ry * ry / INERTIA, w_nn = 1.0 / MASS + rx * rx / INERTIA, w_tn = -rx * ry / INERTIA;
    double determinant = w_tt * w_nn - w_tn * w_tn, lift = -(1.0 + e) * u_n, p_t = 0.0, p_n = 0.0;
    if (u_n < 0.0) {
        p_t = (-w_nn * u_t - w_tn * lift) / determinant;
        p_n = (w_tt * lift + w_tn * u_t) / determinant;
        if (fabs(p_t) > mu * p_n) { /* slips the way it would have been held */
            double slope = copysign(mu, p_t);
            p_n = lift / (w_nn + slope * w_tn);
            p_t = slope * p_n;
        }
    }
    double after[3] = {v[0] + p_t / MASS, v[1] + p_n / MASS, v[2] + (rx * p_n - ry * p_t) / INERTIA};
    *score = (Score){.lost = false};
    impact_judge(impact, after, score);
    return true;
}

/* A double pyramid whose lower tip is the contact point: one point touches, and its centre is the ellipse's. */
static Problem *impact_problem(const Impact *impact, double friction, double restitution, Status *status)
{
    double x = impact->rx, y = impact->ry;
    json_t *tips = json_pack("[[f,f,f],[f,f,f],[f,f,f],[f,f,f],[f,f,f],[f,f,f]]", x, y, 0.0, -x, -y, 0.0, HALF_LONG,
                             0.0, 0.0, -HALF_LONG, 0.0, 0.0, 0.0, 0.0, HALF_SHORT, 0.0, 0.0, -HALF_SHORT);
    json_t *body = json_pack("{s:s,s:f,s:[f,f,f],s:{s:{s:o}},s:[f,f,f],s:[f,f,f],s:[f,f,f]}", "name", "ellipse", "mass",
                             MASS, "inertia", INERTIA, INERTIA, INERTIA, "shape", "hull", "points", tips, "position",
                             -x, -y, 0.0, "velocity", impact->before[0], impact->before[1], 0.0, "angular_velocity",
                             0.0, 0.0, impact->before[2]);
    json_t *document =
        json_pack("{s:i,s:s,s:f,s:[f,f,f],s:{s:{s:f,s:f}},s:[{s:s,s:b,s:{s:{}}},o]}", "rigor", 1, "name", "impact",
                  "time", IMPACT_FRAMES / 250.0, "gravity", 0.0, 0.0, 0.0, "materials", "default", "friction", friction,
                  "restitution", restitution, "bodies", "name", "floor", "fixed", 1, "shape", "plane", body);
    Problem *problem = document ? file_read_document(document, "impact", status) : NULL;
    if (!document)
        status_set(status, STATUS_FAILED, "out of memory");
    json_decref(document);
    return problem;
}

/* Whether a frame changed nothing; the velocities become the last ones. */
static bool impact_over(const World *world, int body, double last[3])
{
    const Velocity *now = &world->velocity[body];
    double v[3] = {now->v.x, now->v.y, now->w.z}, change[3];
    for (int i = 0; i < 3; i++) {
        change[i] = v[i] - last[i];
        last[i] = v[i];
    }
    return mass_norm(change) <= SAME_SPEED * mass_norm(v);
}

static bool impact_score(const void *data, int item, const Run *run, double friction, double restitution, Score *score,
                         Status *status)
{
    const Impact *impact = &((const Impacts *)data)->list[item];
    double begin = suite_cpu_now(), last[3] = {impact->before[0], impact->before[1], impact->before[2]};
    Problem *problem = impact_problem(impact, friction, restitution, status);
    if (!problem)
        return false;
    RunResult result = {0};
    RunPlan plan = {.solver = run->solver, .options = run->options, .dt = 1.0 / 250.0, .time = problem->time};
    int body = world_find_body(problem->world, "ellipse");
    bool over = false;
    *score = (Score){.lost = false};
    Running *running = running_begin(problem, &plan, &result, status);
    while (running && !over && running_frame(running, &result, status))
        over = impact_over(problem->world, body, last) && result.frames_done > 1;
    bool ok = running && (result.status == RUN_OK || result.status == RUN_BLEW_UP);
    if (ok && result.status == RUN_BLEW_UP)
        impact_lose(data, item, score);
    else
        impact_judge(impact, last, score);
    running_end(running);
    run_result_clear(&result);
    problem_destroy(problem);
    score->seconds = suite_cpu_now() - begin;
    return ok;
}

static const Measure MEASURES[] = {{"error", "error", "", BEST_LOWEST}};

const Suite suite_impacts = {
    .name = "impacts",
    .item = "impact",
    .about =
        "1,718 real impacts of an ellipse on a plane (Fazeli et al. 2017; of 2,000 the source doubts the rest), one\n"
        "by one. error: |v - measured v| over |v before|, in the metric of the mass; beside the solvers the closed\n"
        "form of one contact, whose pair, fitted on the training half, is the default. The published inertia is\n"
        "some 15 % too large for the impulses measured.",
    .frame = 1.0 / 250.0,
    .friction = 0.18,
    .restitution = 0.53,
    .fit_friction = {0.10, 0.14, 0.18, 0.22, 0.26, 0.32},
    .fit_restitution = {0.3, 0.4, 0.5, 0.6, 0.7, -1.0},
    .measure_count = 1,
    .measures = MEASURES,
    .median = true,
    .open = impacts_open,
    .close = impacts_close,
    .number = impact_number,
    .score = impact_score,
    .lose = impact_lose,
    .closed_form = "closed_form",
    .score_closed = impact_closed,
};
