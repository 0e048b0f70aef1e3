/* SPDX-License-Identifier: MIT */
#include "bench/run/json.h"

#include "bench/build.h"
#include "bench/outcome/remarks.h"
#include "bench/verify/gate.h"
#include "model/energy.h"

#include <stdio.h>

json_t *json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *json_value(const SequenceValue *value)
{
    return isnan(value->number) ? json_string(value->text) : json_number(value->number);
}

static json_t *json_vec3(Vec3 a)
{
    return json_pack("[o,o,o]", json_number(a.x), json_number(a.y), json_number(a.z));
}

static json_t *json_quat(Quat q)
{
    return json_pack("[o,o,o,o]", json_number(q.w), json_number(q.x), json_number(q.y), json_number(q.z));
}

static json_t *json_setting(const Setting *setting, const void *values)
{
    double value = setting_get(setting, values);
    switch (setting->type) {
    case SETTING_INT:
        return json_integer((json_int_t)value);
    case SETTING_BOOL:
        return json_boolean(value != 0.0);
    case SETTING_CHOICE:
        return json_string(setting_get_choice(setting, values));
    default:
        return setting_word(value) ? json_string(setting_word(value)) : json_number(value);
    }
}

json_t *json_settings(const Setting *settings, int count, const void *values)
{
    json_t *object = json_object();
    for (int i = 0; i < count; i++)
        json_object_set_new(object, settings[i].name, json_setting(&settings[i], values));
    return object;
}

static json_t *json_metrics(const RunResult *result)
{
    json_t *object = json_object();
    for (int i = 0; i < metric_count; i++)
        json_object_set_new(object, all_metrics[i]->name, json_number(result->metrics[i]));
    return object;
}

/* Every body but the world itself. */
static json_t *json_bodies(const World *world)
{
    json_t *array = json_array();
    for (int i = 1; i < world->body_count; i++) {
        Velocity now = world_reported_velocity(world, i);
        json_t *body = json_pack("{s:s,s:o,s:o,s:o,s:o}", "name", world->bodies[i].name, "position",
                                 json_vec3(world_reported_position(world, i)), "orientation",
                                 json_quat(world_reported_orientation(world, i)), "velocity", json_vec3(now.v),
                                 "angular_velocity", json_vec3(now.w));
        if (world->bodies[i].has_frame) {
            Pose frame = world_reported_frame(world, i);
            json_object_set_new(
                body, "frame",
                json_pack("{s:o,s:o}", "position", json_vec3(frame.x), "orientation", json_quat(frame.q)));
        }
        json_array_append_new(array, body);
    }
    return array;
}

/* Reactions; null where the solver does not give them. */
static json_t *json_joints(const World *world, double dt, unsigned traits)
{
    json_t *array = json_array();
    bool given = !(traits & TRAIT_NO_JOINT_IMPULSES);
    for (int j = 0; j < world->joint_count; j++) {
        Vec3 force, torque;
        world_reaction(world, j, dt, &force, &torque);
        json_array_append_new(array, json_pack("{s:s,s:o,s:o}", "name", world->joints[j].def.name, "force",
                                               given ? json_vec3(force) : json_null(), "torque",
                                               given ? json_vec3(torque) : json_null()));
    }
    return array;
}

/* PBD's share of each soft block that its scene gives a compliance alone (model/rows/pbd_stiffness.h); NULL: nothing of
 * the kind. */
static json_t *json_pbd_stiffness(const Run *run)
{
    const World *world = run->problem->world;
    json_t *list = json_array();
    for (int b = 0; b < world->joint_block_count && (run->solver->capabilities & CAN_STIFFNESS); b++) {
        const JointTerms *terms = block_terms(&world->blocks[b]);
        const JointDef *def = &world->joints[world->blocks[b].joint].def;
        if (terms->compliance > 0.0 && isnan(def->stiffness))
            json_array_append_new(
                list, json_pack("{s:s,s:o}", "joint", def->name, "stiffness", json_number(terms->stiffness)));
    }
    if (json_array_size(list) > 0)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *json_build(void)
{
    return json_pack("{s:s,s:s,s:s,s:s}", "version", build_version(), "commit", build_commit(), "compiler",
                     build_compiler(), "blas", build_blas());
}

/* Of a run that was not made there is nothing to doubt. */
static json_t *json_run_warnings(const Run *run)
{
    Warnings warnings = run->made ? warnings_of(run) : (Warnings){0};
    json_t *array = json_warnings(&warnings);
    char fails[GATE_TEXT];
    if (run->made && gate_solver_warning(run->solver, fails))
        json_array_append_new(array, json_string(fails));
    return array;
}

static json_t *json_cost(const RunResult *result)
{
    const MedianInterval *between = &result->us_interval;
    return json_pack(
        "{s:o,s:o,s:o,s:b,s:o,s:o,s:o,s:o,s:{s:o,s:o,s:o},s:i}", "row_solves", json_row_solves(result->row_solves),
        "wall_s", json_number(result->wall_s), "cpu_s", json_number(result->cpu_s), "contended", result->contended,
        "us_per_frame", json_number(result->us_per_frame), "detect_us_per_frame",
        json_number(result->detect_us_per_frame), "frame_us", json_number(result->frame_us), "us_per_frame_spread",
        json_number(result->us_per_frame_spread), "us_per_frame_interval", "low", json_number(between->low), "high",
        json_number(between->high), "level", json_number(between->level), "repeats", result->repeats);
}

static json_t *json_parts(const RunResult *result)
{
    const TimeParts *parts = &result->parts;
    json_t *list = json_array();
    for (int i = 0; i < parts->count; i++)
        json_array_append_new(list,
                              json_pack("{s:s,s:o,s:o}", "part", parts->parts[i].name, "seconds",
                                        json_number(parts->parts[i].seconds), "us_per_frame",
                                        json_number(1e6 * parts->parts[i].seconds / fmax(1.0, result->frames_done))));
    return json_pack("{s:o,s:o}", "whole_s", json_number(parts->whole), "parts", list);
}

json_t *json_request(const Run *run)
{
    const char *name = run->scene ? run->scene->name : run->problem ? run->problem->name : run->file;
    json_t *params = run->scene ? json_settings(run->scene->settings, run->scene->setting_count, run->params)
                                : robot_params_json(&run->robot);
    json_t *document = json_pack(
        "{s:s,s:o,s:s,s:o,s:o,s:o,s:s,s:s,s:o}", "scene", name, "scene_params", params, "solver", run->solver->name,
        "solver_options", json_settings(run->solver->settings, run->solver->setting_count, run->options), "dt",
        json_number(run->dt), "time", json_number(run->time), "detect", detection_names[run->detect], "order",
        constraint_order_names[run->order], "perturb", json_number(run->perturb));
    if (run->solver->variant_of)
        json_object_set_new(document, "variant_of", json_string(run->solver->variant_of->name));
    return document;
}

/* Which bodies the scene takes away, when it asks for that, and when this run's substeps let it happen. */
static json_t *json_removed(const Run *run)
{
    const Problem *problem = run->problem;
    double h = run->dt / ((const CommonOptions *)(const void *)run->options)->substeps;
    json_t *list = json_array();
    for (int i = 0; i < problem->event_count; i++) {
        const SceneEvent *event = &problem->events[i];
        json_array_append_new(list, json_pack("{s:s,s:o,s:o}", "body", problem->world->bodies[event->remove].name,
                                              "asked", json_number(event->time), "at",
                                              json_number(removal_time(event->time, h, run->result.traits))));
    }
    return list;
}

json_t *json_run(const Run *run, bool state)
{
    const RunResult *result = &run->result;
    json_t *document = json_request(run);
    if (!run->made) {
        json_object_set_new(document, "status", json_string(run_status_text(run)));
        json_object_set_new(document, "verdict", json_verdict(VERDICT_NONE));
        json_object_set_new(document, "message", json_string(run->status.message));
        json_object_set_new(document, "events", json_array());
        json_object_set_new(document, "warnings", json_run_warnings(run));
        json_object_set_new(document, "build", json_build());
        return document;
    }
    json_object_set_new(document, "time_reached", json_number(result->frames_done * run->dt));
    json_object_set_new(document, "frames", json_integer(result->frames));
    json_object_set_new(document, "status", json_string(run_status_names[result->status]));
    json_object_set_new(document, "blew_up_at", json_number(result->blew_up_at));
    json_object_set_new(document, "verdict", json_verdict(verdict_of(run)));
    json_object_set_new(document, "metrics", json_metrics(result));
    json_object_set_new(document, "cost", json_cost(result));
    if (result->parts.count > 0)
        json_object_set_new(document, "profile", json_parts(result));
    json_object_set_new(document, "error_estimate", json_number(result->error_estimate));
    if (isfinite(result->error_estimate))
        json_object_set_new(document, "horizons", json_horizons(&result->horizons));
    json_object_set_new(document, "truth_error_estimate", json_number(run->truth_error));
    json_object_set_new(document, "stable_step", json_number(result->stable_step));
    if (run->problem->event_count > 0)
        json_object_set_new(document, "removed", json_removed(run));
    json_t *pbd_stiffness = json_pbd_stiffness(run);
    if (pbd_stiffness)
        json_object_set_new(document, "pbd_stiffness", pbd_stiffness);
    if (run->amplification > 0.0)
        json_object_set_new(document, "amplification", json_number(run->amplification));
    json_object_set_new(document, "events", json_events(result->events, result->event_count));
    json_object_set_new(document, "warnings", json_run_warnings(run));
    if (state) {
        json_object_set_new(document, "bodies", json_bodies(run->problem->world));
        json_object_set_new(document, "joints", json_joints(run->problem->world, run->dt, run->result.traits));
    }
    json_object_set_new(document, "build", json_build());
    return document;
}

bool json_print(json_t *document, Status *status)
{
    if (!document)
        return status_set(status, STATUS_FAILED, "out of memory");
    bool printed = json_dumpf(document, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) == 0;
    json_decref(document);
    putchar('\n');
    return printed || status_set(status, STATUS_FAILED, "the JSON document could not be written");
}
