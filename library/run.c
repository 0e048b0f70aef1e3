/* Runs of the library: the harness's own loop, frame by frame (bench/runner.h). */
#include "library/internal.h"
#include "model/contact.h"
#include "model/energy.h"

#include <stdlib.h>
#include <string.h>

struct RigorRun {
    Rigor *rigor;
    Problem *problem;
    double dt; /* s */
    RunResult result;
    Running *running;
};

/* The motion of `reference`, where that is the scene's truth. Without it the errors have no value. */
static void run_find_reference(RigorRun *run, const RigorScene *scene)
{
    Problem *problem = run->problem, *fresh = scene_problem(scene);
    Status status = {0};
    int frames = run_frame_count(problem->time, run->dt, &status);
    if (fresh && frames > 0 && problem->reference && !problem->truth)
        problem->path = reference_truths_find(run->rigor->truths, fresh, run->dt, frames, &status);
    problem_destroy(fresh);
}

static bool run_begin(RigorRun *run, const RigorScene *scene, const RigorPlan *plan)
{
    Rigor *rigor = run->rigor;
    Run choice = {0};
    const Solver *solver = solver_set_find(&rigor->solvers, plan->solver ? plan->solver : "", &rigor->status);
    if (!solver || !(run->problem = scene_problem(scene)))
        return false;
    run_choose_solver(&choice, solver);
    run->dt = plan->dt != 0.0 ? plan->dt : RUN_DEFAULT_DT;
    if (plan->time != 0.0)
        run->problem->time = plan->time;
    if (plan->reference)
        run_find_reference(run, scene);
    RunPlan harness = {.solver = solver,
                       .options = choice.options,
                       .dt = run->dt,
                       .time = run->problem->time,
                       .detect = plan->detect_by_frame ? DETECT_FRAME : DETECT_SUBSTEP};
    if (run->problem->world->contacts)
        run->problem->world->contacts->sums_wanted = true;
    run->running = running_begin(run->problem, &harness, &run->result, &rigor->status);
    return run->running != NULL;
}

RigorRun *rigor_run_open(const RigorScene *scene, const RigorPlan *plan)
{
    LIBRARY_CALL;
    RigorRun *run = scene && plan ? calloc(1, sizeof *run) : NULL;
    if (!run)
        return NULL;
    run->rigor = scene->rigor;
    if (run_begin(run, scene, plan))
        return run;
    rigor_run_close(run);
    return NULL;
}

void rigor_run_close(RigorRun *run)
{
    LIBRARY_CALL;
    if (!run)
        return;
    running_end(run->running);
    run_result_clear(&run->result);
    problem_destroy(run->problem);
    free(run);
}

RigorStatus rigor_run_step(RigorRun *run)
{
    LIBRARY_CALL;
    if (!run)
        return RIGOR_FAILED;
    if (running_frame(run->running, &run->result, &run->rigor->status))
        return RIGOR_OK;
    switch (run->result.status) {
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
    return run ? run->result.frames_done * run->dt : NAN;
}

int rigor_run_frame(const RigorRun *run)
{
    return run ? run->result.frames_done : 0;
}

int rigor_run_frames(const RigorRun *run)
{
    return run ? run->result.frames : 0;
}

/* Body 0 of the model is the world itself, which is none of the library's. */
static bool has_body(const RigorRun *run, int body)
{
    return run && body >= 0 && body < run->problem->world->body_count - 1;
}

int rigor_run_body_count(const RigorRun *run)
{
    return run ? run->problem->world->body_count - 1 : 0;
}

const char *rigor_run_body_name(const RigorRun *run, int body)
{
    return has_body(run, body) ? run->problem->world->bodies[body + 1].name : NULL;
}

int rigor_run_body_find(const RigorRun *run, const char *name)
{
    int body = run && name ? world_find_body(run->problem->world, name) : -1;
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
    const World *world = run->problem->world;
    Quat q = world_reported_orientation(world, body + 1);
    give_vec3(position, world->pose[body + 1].x);
    if (orientation)
        memcpy(orientation, (double[4]){q.w, q.x, q.y, q.z}, sizeof(double[4]));
    return RIGOR_OK;
}

RigorStatus rigor_run_velocity(const RigorRun *run, int body, double velocity[3], double angular_velocity[3])
{
    if (!has_body(run, body))
        return RIGOR_FAILED;
    Velocity now = run->problem->world->velocity[body + 1];
    give_vec3(velocity, now.v);
    give_vec3(angular_velocity, now.w);
    return RIGOR_OK;
}

int rigor_run_joint_count(const RigorRun *run)
{
    return run ? run->problem->world->joint_count : 0;
}

static bool has_joint(const RigorRun *run, int joint)
{
    return joint >= 0 && joint < rigor_run_joint_count(run);
}

const char *rigor_run_joint_name(const RigorRun *run, int joint)
{
    return has_joint(run, joint) ? run->problem->world->joints[joint].def.name : NULL;
}

RigorStatus rigor_run_reaction(const RigorRun *run, int joint, double force[3], double torque[3])
{
    LIBRARY_CALL;
    Vec3 f, t;
    if (!has_joint(run, joint))
        return RIGOR_FAILED;
    world_reaction(run->problem->world, joint, run->dt, &f, &t);
    give_vec3(force, f);
    give_vec3(torque, t);
    return RIGOR_OK;
}

int rigor_run_contact_count(const RigorRun *run)
{
    return run && run->problem->world->contacts ? (int)run->problem->world->contacts->sum_count : 0;
}

RigorStatus rigor_run_contact(const RigorRun *run, int contact, RigorContact *value)
{
    if (contact < 0 || contact >= rigor_run_contact_count(run) || !value)
        return RIGOR_FAILED;
    const ContactSum *sum = &run->problem->world->contacts->sums[contact];
    *value = (RigorContact){.body1 = sum->body1 - 1, .body2 = sum->body2 - 1};
    give_vec3(value->point, sum->point);
    give_vec3(value->normal, sum->normal);
    give_vec3(value->impulse, sum->impulse);
    return RIGOR_OK;
}

double rigor_run_metric(const RigorRun *run, const char *name)
{
    LIBRARY_CALL;
    int metric = run && name ? metric_find(name) : -1;
    if (metric < 0)
        return NAN;
    double values[METRICS_MAX];
    running_metrics(run->running, &run->result, values);
    return values[metric];
}

double rigor_run_row_solves(const RigorRun *run)
{
    return run ? running_row_solves(run->running) : NAN;
}
