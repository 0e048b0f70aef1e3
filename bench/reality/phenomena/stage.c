/* SPDX-License-Identifier: MIT */
#include "bench/reality/phenomena/stage.h"

#include <math.h>
#include <stdlib.h>

static bool stage_start(Stage *stage, const Run *run)
{
    RunPlan plan = {.solver = run->solver, .options = run->options, .dt = run->dt, .time = stage->problem->time};
    stage->running = running_begin(stage->problem, &plan, &stage->result, stage->status);
    return stage->running != NULL;
}

bool stage_begin_text(Stage *stage, const Run *run, Text *text, Status *status)
{
    *stage = (Stage){.status = status};
    json_t *document = text->failed ? NULL : json_loads(text->data, 0, NULL);
    stage->problem = document ? file_read_document(document, "phenomenon", status) : NULL;
    if (!document)
        status_set(status, STATUS_FAILED, "out of memory");
    json_decref(document);
    free(text->data);
    *text = (Text){0};
    return stage->problem && stage_start(stage, run);
}

bool stage_begin(Stage *stage, const Run *run, Status *status, const char *format, ...)
{
    char scene[2048];
    Text text = {0};
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(scene, sizeof scene, format, arguments);
    va_end(arguments);
    text.failed = length < 0 || length >= (int)sizeof scene;
    text_add(&text, "%s", scene);
    return stage_begin_text(stage, run, &text, status);
}

bool stage_begin_scene(Stage *stage, const Run *run, Status *status)
{
    *stage = (Stage){.status = status};
    stage->problem = run_build(run, status);
    return stage->problem && stage_start(stage, run);
}

bool stage_run(Stage *stage, int frames)
{
    while (stage->result.frames_done < frames && running_frame(stage->running, &stage->result, stage->status))
        ;
    return stage->result.status == RUN_OK;
}

bool stage_run_all(Stage *stage, const Run *run)
{
    return stage_run(stage, (int)round(stage->problem->time / run->dt));
}

Pose stage_pose(const Stage *stage, const char *name)
{
    return stage->problem->world->pose[world_find_body(stage->problem->world, name)];
}

Velocity stage_velocity(const Stage *stage, const char *name)
{
    return stage->problem->world->velocity[world_find_body(stage->problem->world, name)];
}

Vec3 stage_momentum(const Stage *stage)
{
    const World *world = stage->problem->world;
    Vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < world->body_count; i++)
        if (world->mass[i].inv_mass > 0.0)
            sum = vec3_add_scaled(sum, world->mass[i].mass, world->velocity[i].v);
    return sum;
}

bool stage_end(Stage *stage, bool ok, double number, double *value)
{
    bool failed = !ok && stage->result.status != RUN_BLEW_UP;
    *value = ok ? number : INFINITY;
    running_end(stage->running);
    run_result_clear(&stage->result);
    problem_destroy(stage->problem);
    return !failed;
}

double stage_phase(int k)
{
    static const double GOLDEN = 0.6180339887498949;
    return fmod(GOLDEN * (k + 1), 1.0);
}

double farther(double a, double b, double from)
{
    return fabs(b - from) > fabs(a - from) ? b : a;
}
