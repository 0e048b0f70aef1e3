/* SPDX-License-Identifier: MIT */
#include "bench/reality/tosses.h"

#include "scenes/file/file.h"

#include <math.h>
#include <stdlib.h>

/* Frames whose errors are printed one by one. */
static const int MARKS[] = {15, 30, 45, 60};
enum { MARK_COUNT = sizeof MARKS / sizeof MARKS[0] };

static json_t *numbers3(Vec3 a)
{
    return json_pack("[f,f,f]", a.x, a.y, a.z);
}

/* Box and hull touch alike; a hull alone can lean, or have its centre of mass elsewhere. */
static bool cube_is_hull(const TossCube *cube)
{
    return !vec3_is_zero(cube->centre) || !vec3_is_zero(cube->skew);
}

static json_t *cube_shape(const TossCube *cube)
{
    Vec3 size = vec3_add(vec3(TOSS_EDGE, TOSS_EDGE, TOSS_EDGE), cube->edges);
    if (!cube_is_hull(cube))
        return json_pack("{s:{s:o}}", "box", "size", numbers3(size));
    json_t *points = json_array();
    for (int corner = 0; corner < 8; corner++) {
        double x = corner & 1 ? 0.5 : -0.5, y = corner & 2 ? 0.5 : -0.5, z = corner & 4 ? 0.5 : -0.5;
        Vec3 leans = vec3(z * cube->skew.y, x * cube->skew.z, y * cube->skew.x);
        json_array_append_new(points, numbers3(vec3_add(vec3(x * size.x, y * size.y, z * size.z), leans)));
    }
    return json_pack("{s:{s:o}}", "hull", "points", points);
}

static json_t *cube_document(const Toss *toss, const TossCube *cube)
{
    Quat q = toss->start.q;
    double inertia = cube->inertia * TOSS_INERTIA;
    Vec3 w = toss->speed.w, arm = quat_rotate(q, cube->centre);
    return json_pack("{s:s,s:f,s:[f,f,f],s:o,s:o,s:[f,f,f,f],s:o,s:o}", "name", "cube", "mass", TOSS_MASS, "inertia",
                     inertia, inertia, inertia, "shape", cube_shape(cube), "position",
                     numbers3(vec3_add(toss->start.x, arm)), "orientation", q.w, q.x, q.y, q.z, "velocity",
                     numbers3(vec3_add(toss->speed.v, vec3_cross(w, arm))), "angular_velocity", numbers3(w));
}

Problem *toss_problem(const Toss *toss, const TossCube *cube, Status *status)
{
    json_t *floor = json_pack("{s:s,s:b,s:{s:{}}}", "name", "floor", "fixed", 1, "shape", "plane");
    json_t *document = json_pack("{s:i,s:s,s:f,s:[f,f,f],s:{s:{s:f,s:f,s:f}},s:[o,o]}", "rigor", 1, "name", "toss",
                                 "time", (toss->frames - 1) * TOSS_FRAME, "gravity", 0.0, -TOSS_GRAVITY, 0.0,
                                 "materials", "default", "friction", cube->friction, "restitution", cube->restitution,
                                 "patch_radius", cube->patch, "bodies", floor, cube_document(toss, cube));
    Problem *problem = document ? file_read_document(document, "toss", status) : NULL;
    if (!document)
        status_set(status, STATUS_FAILED, "out of memory");
    json_decref(document);
    if (problem && cube_is_hull(cube)) /* as read, the hull's centre of mass is its middle */
        mesh_recentre(problem->world->meshes[world_find_body(problem->world, "cube")], cube->centre);
    return problem;
}

/* The body axis that is up: 0 +x, 1 -x, 2 +y, 3 -y, 4 +z, 5 -z. */
static int face_up(Quat q)
{
    Vec3 up = quat_rotate(quat_conj(q), vec3(0, 1, 0));
    double part[3] = {up.x, up.y, up.z};
    int best = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(part[i]) > fabs(part[best]))
            best = i;
    return 2 * best + (part[best] < 0.0);
}

/* degrees: of the turn from one to the other. */
static double angle_between(Quat a, Quat b)
{
    return 2.0 * acos(fmin(1.0, fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z))) * 180.0 / PI;
}

/* mm */
static double level_distance(Vec3 a, Vec3 b)
{
    return 1e3 * hypot(a.x - b.x, a.z - b.z);
}

/* % of the cube's edge. */
static double distance_part(Vec3 a, Vec3 b)
{
    return 100.0 * vec3_norm(vec3_sub(a, b)) / TOSS_EDGE;
}

static void score_begin(Score *score, const Toss *toss)
{
    *score = (Score){.lost = false};
    score->value[TOSS_MEASURED] = level_distance(toss->measured[toss->frames - 1].x, toss->measured[0].x);
    for (int i = 0; i < MARK_COUNT; i++)
        score->value[TOSS_POS_AT + i] = score->value[TOSS_ROT_AT + i] = NAN;
    score->curve[0] = (float)distance_part(toss->start.x, toss->measured[0].x);
    for (int i = 1; i <= SUITE_CURVE; i++)
        score->curve[i] = NAN;
}

static void score_frame(Score *score, const Toss *toss, int frame, Vec3 x, Quat q)
{
    const Pose *real = &toss->measured[frame];
    double off = distance_part(x, real->x), turned = angle_between(q, real->q);
    score->value[TOSS_POS] += off / (toss->frames - 1);
    score->value[TOSS_ROT] += turned / (toss->frames - 1);
    if (frame <= SUITE_CURVE)
        score->curve[frame] = (float)off;
    for (int i = 0; i < MARK_COUNT; i++)
        if (frame == MARKS[i]) {
            score->value[TOSS_POS_AT + i] = off;
            score->value[TOSS_ROT_AT + i] = turned;
        }
    if (frame < toss->frames - 1)
        return;
    score->value[TOSS_END] = level_distance(x, real->x);
    score->value[TOSS_TRAVEL] = level_distance(x, toss->start.x);
    score->value[TOSS_FACE] = face_up(q) == face_up(real->q) ? 100.0 : 0.0;
}

/* A run that blows up is off by an edge and by half a turn in everything. */
static void score_lose(Score *score, const Toss *toss)
{
    score_begin(score, toss);
    score->lost = true;
    score->value[TOSS_POS] = 100.0;
    score->value[TOSS_ROT] = 180.0;
    score->value[TOSS_END] = 1e3 * TOSS_EDGE;
    score->value[TOSS_TRAVEL] = NAN;
    for (int i = 0; i < MARK_COUNT && MARKS[i] < toss->frames; i++) {
        score->value[TOSS_POS_AT + i] = 100.0;
        score->value[TOSS_ROT_AT + i] = 180.0;
    }
    for (int i = 1; i <= SUITE_CURVE && i < toss->frames; i++)
        score->curve[i] = 100.0f;
}

static void toss_lose(const void *data, int item, Score *score)
{
    score_lose(score, &((const Tosses *)data)->list[item]);
}

bool toss_measure(const Toss *toss, const Run *run, const TossCube *cube, Score *score, Status *status)
{
    double begin = suite_cpu_now();
    Problem *problem = toss_problem(toss, cube, status);
    if (!problem)
        return false;
    RunResult result = {0};
    RunPlan plan = {.solver = run->solver, .options = run->options, .dt = TOSS_FRAME, .time = problem->time};
    const World *world = problem->world;
    int body = world_find_body(world, "cube");
    score_begin(score, toss);
    Running *running = running_begin(problem, &plan, &result, status);
    while (running && running_frame(running, &result, status)) {
        Quat q = world_reported_orientation(world, body);
        Vec3 middle = vec3_sub(world->pose[body].x, quat_rotate(q, cube->centre));
        score_frame(score, toss, result.frames_done, middle, q);
    }
    bool ok = running && (result.status == RUN_OK || result.status == RUN_BLEW_UP);
    if (ok && result.status == RUN_BLEW_UP)
        score_lose(score, toss);
    running_end(running);
    run_result_clear(&result);
    problem_destroy(problem);
    score->seconds = suite_cpu_now() - begin;
    return ok;
}

static bool toss_score(const void *data, int item, const Run *run, double friction, double restitution, Score *score,
                       Status *status)
{
    TossCube cube = {.friction = friction, .restitution = restitution, .inertia = 1.0};
    return toss_measure(&((const Tosses *)data)->list[item], run, &cube, score, status);
}

static bool tosses_open(void **data, int *count, Status *status)
{
    Tosses *tosses = calloc(1, sizeof *tosses);
    if (!tosses)
        return status_set(status, STATUS_FAILED, "out of memory");
    bool ok = tosses_read(tosses, status);
    *data = tosses;
    *count = tosses->count;
    return ok;
}

static void tosses_close(void *data)
{
    if (data)
        tosses_clear(data);
    free(data);
}

static int toss_number(const void *data, int item, bool *test, bool *quick)
{
    const Toss *toss = &((const Tosses *)data)->list[item];
    *test = toss->test;
    *quick = toss->quick;
    return toss->number;
}

static const Measure MEASURES[TOSS_MEASURES] = {
    [TOSS_POS] = {"pos", "pos", "%", BEST_LOWEST},
    [TOSS_ROT] = {"rot", "rot", "deg", BEST_LOWEST},
    [TOSS_END] = {"end", "end", "mm", BEST_LOWEST},
    [TOSS_FACE] = {"face", "face", "%", BEST_HIGHEST},
    [TOSS_TRAVEL] = {"travel", "travel", "mm", BEST_NONE},
    [TOSS_MEASURED] = {"travel_measured", NULL, "mm", BEST_NONE},
    [TOSS_POS_AT] = {"pos_15", NULL, "%", BEST_NONE},
    {"pos_30", NULL, "%", BEST_NONE},
    {"pos_45", NULL, "%", BEST_NONE},
    {"pos_60", NULL, "%", BEST_NONE},
    [TOSS_ROT_AT] = {"rot_15", NULL, "deg", BEST_NONE},
    {"rot_30", NULL, "deg", BEST_NONE},
    {"rot_45", NULL, "deg", BEST_NONE},
    {"rot_60", NULL, "deg", BEST_NONE},
};

const Suite suite_tosses = {
    .name = "tosses",
    .item = "toss",
    .about =
        "570 real tosses of a cube on a board (Pfrommer, Halm, Posa 2020), 148 frames a second. pos: mean distance of\n"
        "the centres over all frames after the first, as % of the edge; rot: mean angle between them; end: the last\n"
        "frame's horizontal miss; face: the same face ends up; travel: 414.3 mm was measured. Both classes start\n"
        "from the state that fits the free flight best. A run that blows up counts 100 % and 180 degrees.",
    .frame = 1.0 / 148.0,
    .friction = 0.18,
    .restitution = 0.125,
    .fit_friction = {0.10, 0.14, 0.18, 0.22, 0.26, 0.32},
    .fit_restitution = {0.0, 0.1, 0.2, 0.35, 0.5, -1.0},
    .measure_count = TOSS_MEASURES,
    .measures = MEASURES,
    .curve = true,
    .open = tosses_open,
    .close = tosses_close,
    .number = toss_number,
    .score = toss_score,
    .lose = toss_lose,
};
