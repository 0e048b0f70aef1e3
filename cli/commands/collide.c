/* SPDX-License-Identifier: MIT */
/* rigor collide: two bodies as the narrow phase sees them (bench/studies/collide_pair.h). */
#include "bench/frozen/contact_rate.h"
#include "bench/run/json.h"
#include "bench/studies/collide_pair.h"
#include "cli/cli.h"
#include "model/suggest.h"

#include <inttypes.h>
#include <string.h>

/* Who brings a scene to --at unless --from says otherwise: it does contacts. */
extern const Solver pgs_solver;

/* -1 with a message. */
static int body_find(const World *world, const char *name, Status *status)
{
    Suggestion near = suggestion_for(name);
    char text[SUGGESTION_TEXT];
    for (int i = 0; i < world->body_count; i++) {
        if (strcmp(world->bodies[i].name, name) == 0)
            return i;
        suggestion_offer(&near, world->bodies[i].name);
    }
    status_set(status, STATUS_USAGE, "the scene has no body '%s'%s", name, suggestion_text(&near, text));
    return -1;
}

static json_t *json_point(Vec3 a)
{
    return json_pack("[o,o,o]", json_number(a.x), json_number(a.y), json_number(a.z));
}

/* Whose contact it is, and how long a step its points are carried. */
typedef struct Pair {
    const World *world;
    int one, two;
    double dt;
} Pair;

/* How fast a contact point opens, and what the lecture's row leaves out of that: now, and at the end of a step. */
static void rates_add(json_t *point, const Pair *pair, const Patch *patch, int i)
{
    ContactRate now = contact_rate(pair->world, pair->one, pair->two, &patch->touch[i], patch->normal, 0.0);
    ContactRate end = contact_rate(pair->world, pair->one, pair->two, &patch->touch[i], patch->normal, pair->dt);
    json_object_set_new(point, "rate", json_number(now.kept));
    json_object_set_new(point, "neglected", json_number(now.neglected));
    json_object_set_new(point, "neglected_step", json_number(end.neglected));
    json_object_set_new(point, "speed", json_number(now.speed));
}

/* Features of both bodies, as the ids of contacts have them. */
static json_t *manifold_json(const Patch *patch, const Pair *pair)
{
    json_t *list = json_array();
    for (int i = 0; i < patch->count; i++) {
        char id[24];
        snprintf(id, sizeof id, "%08" PRIx64 ":%08" PRIx64, patch->touch[i].id >> 32, patch->touch[i].id & 0xffffffff);
        json_t *point =
            json_pack("{s:s,s:o,s:o,s:o}", "features", id, "gap", json_number(patch->touch[i].gap), "point1",
                      json_point(patch->touch[i].point1), "point2", json_point(patch->touch[i].point2));
        rates_add(point, pair, patch, i);
        json_array_append_new(list, point);
    }
    return list;
}

static json_t *collide_json(const PairReport *report, const Pair *pair, double at, json_t *from)
{
    bool overlap = report->separation < 0.0;
    return json_pack("{s:o,s:o,s:[o,o],s:s,s:i,s:o,s:o,s:o}", overlap ? "depth" : "distance",
                     json_number(fabs(report->separation)), "normal", json_point(report->normal), "points",
                     json_point(report->points[0]), json_point(report->points[1]), "method",
                     pair_method_names[report->method], "iterations", report->iterations, "manifold",
                     manifold_json(&report->manifold, pair), "at", json_number(at), "from", from);
}

static void collide_print(const PairReport *report, const Pair *pair, const char *one, const char *two)
{
    const Vec3 *p = report->points;
    if (report->separation == 0.0)
        printf("%s and %s touch", one, two);
    else
        printf("%s and %s %s by %.9g m", one, two, report->separation < 0.0 ? "overlap" : "are apart",
               fabs(report->separation));
    printf(", by %s in %d step%s\n", pair_method_names[report->method], report->iterations,
           report->iterations == 1 ? "" : "s");
    printf("normal from %s to %s: %.9g %.9g %.9g\n", one, two, report->normal.x, report->normal.y, report->normal.z);
    printf("points: %.9g %.9g %.9g and %.9g %.9g %.9g\n", p[0].x, p[0].y, p[0].z, p[1].x, p[1].y, p[1].z);
    printf("contact points: %d\n", report->manifold.count);
    for (int i = 0; i < report->manifold.count; i++) {
        const Touch *touch = &report->manifold.touch[i];
        ContactRate end = contact_rate(pair->world, pair->one, pair->two, touch, report->manifold.normal, pair->dt);
        printf("    %08" PRIx64 ":%08" PRIx64 "  gap %.6g m, (p2 - p1).(w1 x n) %.2g m/s after a step\n",
               touch->id >> 32, touch->id & 0xffffffff, touch->gap, end.neglected);
    }
}

static bool collide_command(const Arguments *arguments, Status *status)
{
    Run run, from;
    double at;
    Remarks said;
    PairReport report;
    if (!arguments_scene(arguments, &run, status) || !freeze_time(arguments, &at, status))
        return false;
    run_choose_solver(&run, &pgs_solver);
    Problem *problem = freeze_scene(arguments, &run, at, &from, &said, status);
    if (!problem)
        return false;
    const char *one = arguments->operands[1], *two = arguments->operands[2];
    int first = body_find(problem->world, one, status);
    int second = first < 0 ? -1 : body_find(problem->world, two, status);
    bool ok = second >= 0 && pair_report(problem->world, first, second, &report, status);
    Pair pair = {problem->world, first, second, run.dt};
    if (ok && arguments->given[OPTION_JSON])
        ok = json_print(collide_json(&report, &pair, at, freeze_describe(&from, &said)), status);
    else if (ok)
        collide_print(&report, &pair, one, two);
    problem_destroy(problem);
    return ok;
}

const Command command_collide = {
    .name = "collide",
    .operands = "SCENE A B",
    .summary = "distance or depth of two bodies, witness points, how it was found",
    .help = "Closed forms for spheres, capsules and planes, separating axes for boxes that overlap, GJK for what is\n"
            "apart and the expanding polytope (EPA) for what overlaps; `iterations` counts support points, or axes.\n"
            "Below them the contact points that solvers get, with the features that they are known by, and the term\n"
            "(p2 - p1).(w1 x n) of the gap's rate, n turning with A, once the points went on with their bodies for a\n"
            "step: the lecture's row ignores it. `pgs` brings the scene to --at, unless --from says otherwise.",
    .least_operands = 3,
    .most_operands = 3,
    .options = TAKES_SCENE | TAKES(OPTION_DT) | TAKES(OPTION_PLUGIN) | TAKES(OPTION_AT) | TAKES(OPTION_FROM),
    .only_reads = true,
    .run = collide_command,
};
