/* SPDX-License-Identifier: MIT */
/* Runs of the library: the harness's own loop, frame by frame (bench/run/runner.h). */
#include "library/internal.h"
#include "model/contact.h"
#include "model/energy.h"

#include <stdlib.h>
#include <string.h>

/* The motion of `reference`, where that is the scene's truth. Without it the errors have no value. */
static void run_find_reference(RigorRun *own, const RigorScene *scene)
{
    Run *run = &own->run;
    Status status = {0};
    int frames = run_frame_count(run->time, run->dt, &status);
    bool wanted = frames > 0 && problem_needs_reference(run->problem, run->time);
    Problem *fresh = wanted ? scene_problem(scene) : NULL;
    if (fresh)
        run->problem->path = reference_truths_find(own->rigor->truths, fresh, run->dt, frames, &status);
    if (run->problem->path)
        run->truth_error = run->problem->path->errors[frames - 1];
    problem_destroy(fresh);
}

/* The run as the harness knows it: what documents, warnings and recordings are made of. */
static bool run_choose(RigorRun *own, const RigorScene *scene, const RigorPlan *plan)
{
    Rigor *rigor = own->rigor;
    Run *run = &own->run;
    const Solver *solver = solver_set_find(&rigor->solvers, plan->solver ? plan->solver : "", &rigor->status);
    if (!solver || !(run->problem = scene_problem(scene)))
        return false;
    run->scene = scene->run.scene;
    memcpy(run->params, scene->run.params, sizeof run->params);
    run_choose_solver(run, solver);
    run->truth_error = NAN;
    run->dt = plan->dt != 0.0 ? plan->dt : RUN_DEFAULT_DT;
    run->time = plan->time != 0.0 ? plan->time : run->problem->time;
    run->problem->time = run->time;
    run->detect = plan->detect_by_frame ? DETECT_FRAME : DETECT_SUBSTEP;
    if (plan->reference)
        run_find_reference(own, scene);
    return true;
}

static bool run_begin(RigorRun *own, const char *recording)
{
    Run *run = &own->run;
    Status *status = &own->rigor->status;
    if (recording && !(own->recording = recording_start(run, recording))) {
        status_set(status, STATUS_FAILED, "out of memory");
        return false;
    }
    if (own->recording)
        own->watch = (RunWatch){recording_frame, own->recording};
    RunPlan harness = {.solver = run->solver,
                       .options = run->options,
                       .dt = run->dt,
                       .time = run->time,
                       .detect = run->detect,
                       .watch = own->recording ? &own->watch : NULL};
    if (run->problem->world->contacts)
        run->problem->world->contacts->sums_wanted = true;
    own->running = running_begin(run->problem, &harness, &run->result, status);
    return own->running != NULL;
}

static RigorRun *run_open(const RigorScene *scene, const RigorPlan *plan, const char *recording)
{
    RigorRun *own = scene && plan ? calloc(1, sizeof *own) : NULL;
    if (!own)
        return NULL;
    own->rigor = scene->rigor;
    if (run_choose(own, scene, plan) && run_begin(own, recording))
        return own;
    rigor_run_close(own);
    return NULL;
}

RigorRun *rigor_run_open(const RigorScene *scene, const RigorPlan *plan)
{
    LIBRARY_CALL;
    return run_open(scene, plan, NULL);
}

RigorRun *rigor_run_record(const RigorScene *scene, const RigorPlan *plan, const char *path)
{
    LIBRARY_CALL;
    return path ? run_open(scene, plan, path) : NULL;
}

RigorStatus rigor_run_finish(RigorRun *own)
{
    LIBRARY_CALL;
    if (!own || !own->recording)
        return RIGOR_FAILED;
    run_look(own);
    bool ok = recording_end(own->recording, &own->run, own->run.made, &own->rigor->status);
    own->recording = NULL;
    own->finished = true;
    return ok ? RIGOR_OK : library_failed(own->rigor);
}

void rigor_run_close(RigorRun *own)
{
    LIBRARY_CALL;
    if (!own)
        return;
    if (own->recording)
        recording_end(own->recording, &own->run, false, &(Status){0});
    running_end(own->running);
    free(own->document);
    run_clear(&own->run);
    free(own);
}

RigorStatus rigor_run_step(RigorRun *run)
{
    LIBRARY_CALL;
    if (!run)
        return RIGOR_FAILED;
    if (run->finished)
        return RIGOR_OVER;
    if (running_frame(run->running, &run->run.result, &run->rigor->status))
        return RIGOR_OK;
    switch (run->run.result.status) {
    case RUN_OK:
        return RIGOR_OVER;
    case RUN_BLEW_UP:
        return RIGOR_BLEW_UP;
    default:
        return RIGOR_FAILED;
    }
}

double rigor_run_time(const RigorRun *run)
{
    return run ? run->run.result.frames_done * run->run.dt : NAN;
}

int rigor_run_frame(const RigorRun *run)
{
    return run ? run->run.result.frames_done : 0;
}

int rigor_run_frames(const RigorRun *run)
{
    return run ? run->run.result.frames : 0;
}

/* Body 0 of the model is the world itself, which is none of the library's. */
static bool has_body(const RigorRun *run, int body)
{
    return run && body >= 0 && body < run->run.problem->world->body_count - 1;
}

int rigor_run_body_count(const RigorRun *run)
{
    return run ? run->run.problem->world->body_count - 1 : 0;
}

const char *rigor_run_body_name(const RigorRun *run, int body)
{
    return has_body(run, body) ? run->run.problem->world->bodies[body + 1].name : NULL;
}

int rigor_run_body_find(const RigorRun *run, const char *name)
{
    int body = run && name ? world_find_body(run->run.problem->world, name) : -1;
    return body > 0 ? body - 1 : -1;
}

static void give_vec3(double to[3], Vec3 from)
{
    for (int i = 0; to && i < 3; i++)
        to[i] = vec3_get(from, i);
}

RigorStatus rigor_run_pose(const RigorRun *run, int body, double position[3], double orientation[4])
{
    if (!has_body(run, body))
        return RIGOR_FAILED;
    const World *world = run->run.problem->world;
    Quat q = world_reported_orientation(world, body + 1);
    give_vec3(position, world_reported_position(world, body + 1));
    if (orientation)
        memcpy(orientation, (double[4]){q.w, q.x, q.y, q.z}, sizeof(double[4]));
    return RIGOR_OK;
}

RigorStatus rigor_run_velocity(const RigorRun *run, int body, double velocity[3], double angular_velocity[3])
{
    if (!has_body(run, body))
        return RIGOR_FAILED;
    Velocity now = world_reported_velocity(run->run.problem->world, body + 1);
    give_vec3(velocity, now.v);
    give_vec3(angular_velocity, now.w);
    return RIGOR_OK;
}

RigorStatus rigor_run_states(const RigorRun *run, double *position, double *orientation, double *velocity,
                             double *angular_velocity)
{
    if (!run)
        return RIGOR_FAILED;
    for (int i = 0; i < rigor_run_body_count(run); i++) {
        rigor_run_pose(run, i, position ? position + 3 * i : NULL, orientation ? orientation + 4 * i : NULL);
        rigor_run_velocity(run, i, velocity ? velocity + 3 * i : NULL,
                           angular_velocity ? angular_velocity + 3 * i : NULL);
    }
    return RIGOR_OK;
}

int rigor_run_joint_count(const RigorRun *run)
{
    return run ? run->run.problem->world->joint_count : 0;
}

static bool has_joint(const RigorRun *run, int joint)
{
    return joint >= 0 && joint < rigor_run_joint_count(run);
}

const char *rigor_run_joint_name(const RigorRun *run, int joint)
{
    return has_joint(run, joint) ? run->run.problem->world->joints[joint].def.name : NULL;
}

static void give_reaction(const RigorRun *run, int joint, double *force, double *torque)
{
    Vec3 f, t;
    world_reaction(run->run.problem->world, joint, run->run.dt, &f, &t);
    give_vec3(force, f);
    give_vec3(torque, t);
}

RigorStatus rigor_run_reaction(const RigorRun *run, int joint, double force[3], double torque[3])
{
    LIBRARY_CALL;
    if (!has_joint(run, joint))
        return RIGOR_FAILED;
    give_reaction(run, joint, force, torque);
    return RIGOR_OK;
}

RigorStatus rigor_run_reactions(const RigorRun *run, double *force, double *torque)
{
    LIBRARY_CALL;
    if (!run)
        return RIGOR_FAILED;
    for (int j = 0; j < rigor_run_joint_count(run); j++)
        give_reaction(run, j, force ? force + 3 * j : NULL, torque ? torque + 3 * j : NULL);
    return RIGOR_OK;
}

int rigor_run_contact_count(const RigorRun *run)
{
    return run && run->run.problem->world->contacts ? (int)run->run.problem->world->contacts->sum_count : 0;
}

RigorStatus rigor_run_contact(const RigorRun *run, int contact, RigorContact *value)
{
    if (contact < 0 || contact >= rigor_run_contact_count(run) || !value)
        return RIGOR_FAILED;
    const ContactSum *sum = &run->run.problem->world->contacts->sums[contact];
    *value = (RigorContact){.body1 = sum->body1 - 1, .body2 = sum->body2 - 1};
    give_vec3(value->point, sum->point);
    give_vec3(value->normal, sum->normal);
    give_vec3(value->impulse, sum->impulse);
    return RIGOR_OK;
}

double rigor_run_row_solves(const RigorRun *run)
{
    return run ? running_row_solves(run->running) : NAN;
}
