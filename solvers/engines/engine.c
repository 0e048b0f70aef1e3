/* SPDX-License-Identifier: MIT */
/* The solver behind every engine's name. create() starts the bridge, sends the resolved world, reads its hello and
 * checks that it begins where we do; its one phase asks for a step and takes over the state. */
#include "solvers/engines/engine.h"

#include "bench/process/clock.h"
#include "bench/run/json.h"
#include "model/contact.h"
#include "scenes/resolved.h"
#include "solvers/engines/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that a hello may have: options and refusals of the largest scene fit many times. */
static const size_t HELLO_MOST = 1 << 20;

/* How far the initial state may be off: 4 roundings to float; some of double, since a frame may be turned twice. */
static const double FLOAT_ECHO = 4.0 / (1 << 24), DOUBLE_ECHO = 1e-12;

/* Two clocks of one machine: how far their rates differ at most (the kernel slews by 5e-4), and the coarser tick, s. */
static const double CLOCK_RATE = 1e-3, CLOCK_TICK = 1e-6;

enum { STATE_VALUES = 13, JOINT_VALUES = 6, CONTACT_MOST = 1 << 20, TEXT_MOST = 1 << 16 };

/* What a state begins with; little-endian, as this machine. */
typedef struct StateHead {
    char magic[4]; /* "RIGS" */
    uint32_t bodies, joints, contacts, text, reserved;
    double seconds;
} StateHead;

typedef struct PairImpulse {
    uint32_t body1, body2;
    double impulse[3]; /* N s on body2, net */
} PairImpulse;

typedef struct EngineRun {
    EngineProcess process;
    const World *world;
    json_t *hello;
    bool single; /* the engine computes in float */
    bool gives_joints, gives_contacts, told;
    double echo;    /* how far the first state was off, over what is allowed */
    Vec3 offset;    /* m, by which the engine shifts moving bodies on purpose */
    double *values; /* STATE_VALUES for each body */
    double *joints; /* JOINT_VALUES for each joint */
    size_t pair_capacity;
    PairImpulse *pairs;
    uint32_t pair_count;
    char text[TEXT_MOST + 1]; /* events of the last state, a line each */
    double seconds;
} EngineRun;

const Engine *engine_of(const Solver *solver)
{
    return solver->create == engine_create ? solver->data : NULL;
}

char *engine_line(const World *world, const char *mode, double dt, int substeps, json_t *options)
{
    json_t *root = resolved_world(world);
    json_t *head = json_pack("{s:i,s:s,s:f,s:i,s:f,s:o}", "rigor_engine", ENGINE_PROTOCOL, "mode", mode, "dt", dt,
                             "substeps", substeps, "h", dt / substeps, "options", options);
    char *line = NULL;
    if (root && head && json_object_update(head, root) == 0)
        line = json_dumps(head, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(root);
    json_decref(head);
    return line;
}

static bool text_is_printable(const char *text)
{
    while (text && *text && text_control(text) == 0)
        text++;
    return !text || !*text;
}

/* No text of it, nor a key, moves a terminal's cursor. */
static bool hello_is_printable(json_t *value)
{
    const char *key;
    size_t i;
    json_t *part;
    bool ok = text_is_printable(json_string_value(value));
    json_array_foreach (value, i, part)
        ok = ok && hello_is_printable(part);
    json_object_foreach (value, key, part)
        ok = ok && text_is_printable(key) && hello_is_printable(part);
    return ok;
}

/* A bridge's first line, its version checked. */
static json_t *hello_read(EngineProcess *process, Status *status)
{
    json_error_t error;
    char *line = process_read_line(process, HELLO_MOST, status);
    json_t *hello = line ? json_loads(line, JSON_REJECT_DUPLICATES, &error) : NULL;
    int version = 0;
    if (line && !json_is_object(hello))
        process_fail(process, status, "the engine's first line is no JSON object: `%.60s`", line);
    else if (hello && json_unpack(hello, "{s:i}", "rigor_engine", &version) != 0)
        process_fail(process, status, "the engine's first line lacks `rigor_engine`, the version of the protocol");
    else if (hello && version != ENGINE_PROTOCOL)
        process_fail(process, status, "the bridge speaks version %d of the protocol, this program %d", version,
                     ENGINE_PROTOCOL);
    else if (hello && !hello_is_printable(hello))
        process_fail(process, status, "the engine's first line holds control characters");
    else if (hello) {
        free(line);
        return hello;
    }
    free(line);
    json_decref(hello);
    return NULL;
}

json_t *engine_describe(const char *command, Status *status)
{
    char line[4096];
    EngineProcess *process = malloc(sizeof *process);
    json_t *hello = NULL;
    snprintf(line, sizeof line, "%s --describe", command);
    if (!process)
        status_set(status, STATUS_FAILED, "out of memory");
    else if (process_start(process, line, 30.0, status)) {
        hello = hello_read(process, status);
        process_end(process);
    }
    free(process);
    return hello;
}

/* Everything that the engine cannot express, named. */
static bool hello_refuses(const json_t *hello, const char *name, Status *status)
{
    char names[400] = "";
    size_t i;
    json_t *entry;
    json_array_foreach (json_object_get(hello, "unsupported"), i, entry) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "",
                 json_is_string(entry) ? json_string_value(entry) : "?");
    }
    return names[0] &&
           !status_set(status, STATUS_UNSUPPORTED,
                       "engine %s cannot run this scene: the scene needs %s, which %s lacks", name, names, name);
}

static bool hello_read_facts(EngineRun *run, Status *status)
{
    const char *precision = "";
    int joints = 0, contacts = 0;
    double offset[3] = {0, 0, 0};
    if (json_unpack(run->hello, "{s:s,s?b,s?b,s?[F,F,F]}", "precision", &precision, "joint_impulses", &joints,
                    "contact_impulses", &contacts, "offset", &offset[0], &offset[1], &offset[2]) != 0)
        return process_fail(&run->process, status, "the engine's hello lacks `precision`, or has what it should not");
    run->single = strcmp(precision, "float") == 0;
    if (!run->single && strcmp(precision, "double") != 0)
        return process_fail(&run->process, status, "the engine's precision is neither float nor double: `%.20s`",
                            precision);
    run->gives_joints = joints;
    run->gives_contacts = contacts;
    run->offset = vec3(offset[0], offset[1], offset[2]);
    return true;
}

static bool state_read_pairs(EngineRun *run, uint32_t count, Status *status)
{
    if (count > run->pair_capacity) {
        PairImpulse *longer = realloc(run->pairs, 2 * sizeof *longer * count);
        if (!longer)
            return status_set(status, STATUS_FAILED, "out of memory");
        run->pairs = longer;
        run->pair_capacity = 2 * count;
    }
    run->pair_count = count;
    if (!process_read(&run->process, run->pairs, sizeof *run->pairs * count, status))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (run->pairs[i].body1 >= (uint32_t)run->world->body_count ||
            run->pairs[i].body2 >= (uint32_t)run->world->body_count)
            return process_fail(&run->process, status, "the engine gave the impulse of a body that is not there");
    return true;
}

static bool state_read(EngineRun *run, Status *status)
{
    StateHead head;
    size_t bodies = (size_t)run->world->body_count, joints = (size_t)run->world->joint_count;
    if (!process_read(&run->process, &head, sizeof head, status))
        return false;
    if (memcmp(head.magic, "RIGS", 4) != 0 || head.bodies != bodies ||
        head.joints != (run->gives_joints ? joints : 0) || head.contacts > CONTACT_MOST || head.text > TEXT_MOST)
        return process_fail(&run->process, status, "the engine sent something that is no state of this world");
    run->seconds = head.seconds;
    bool ok = process_read(&run->process, run->values, sizeof *run->values * STATE_VALUES * bodies, status) &&
              process_read(&run->process, run->joints, sizeof *run->joints * JOINT_VALUES * head.joints, status) &&
              state_read_pairs(run, head.contacts, status) && process_read(&run->process, run->text, head.text, status);
    run->text[ok ? head.text : 0] = '\0';
    return ok;
}

/* |got - wanted| / max(1, |wanted|): a vector that is turned is rounded by its length, not by its components. */
static double echo_off(const double *got, const double *wanted, int count)
{
    double error = 0.0, size = 0.0;
    for (int i = 0; i < count; i++) {
        error += (got[i] - wanted[i]) * (got[i] - wanted[i]);
        size += wanted[i] * wanted[i];
    }
    return isfinite(error) ? sqrt(error) / fmax(1.0, sqrt(size)) : INFINITY;
}

/* The engine begins where we do, or it is not the same scene. */
static bool echo_check(EngineRun *run, Status *status)
{
    static const char *const parts[] = {"position", "orientation", "velocity", "angular velocity"};
    double most = run->single ? FLOAT_ECHO : DOUBLE_ECHO;
    for (int i = 1; i < run->world->body_count; i++) {
        const double *got = run->values + STATE_VALUES * i;
        Pose pose = run->world->pose[i];
        Velocity speed = run->world->velocity[i];
        Vec3 x = world_is_fixed(run->world, i) ? pose.x : vec3_add(pose.x, run->offset);
        double sign = got[3] * pose.q.w + got[4] * pose.q.x + got[5] * pose.q.y + got[6] * pose.q.z < 0.0 ? -1.0 : 1.0;
        double position[3] = {x.x, x.y, x.z}, velocity[3] = {speed.v.x, speed.v.y, speed.v.z};
        double spin[3] = {speed.w.x, speed.w.y, speed.w.z};
        double turn[4] = {sign * pose.q.w, sign * pose.q.x, sign * pose.q.y, sign * pose.q.z};
        double off[4] = {echo_off(got, position, 3), echo_off(got + 3, turn, 4), echo_off(got + 7, velocity, 3),
                         echo_off(got + 10, spin, 3)};
        for (int k = 0; k < 4; k++) {
            run->echo = fmax(run->echo, off[k] / most);
            if (off[k] > most)
                return process_fail(&run->process, status,
                                    "the engine does not begin where the scene does: %s of %s "
                                    "is off by %.3g",
                                    parts[k], run->world->bodies[i].name, off[k]);
        }
    }
    return true;
}

/* Bridges know one plain shape a body; a refusal names what is beyond that. */
static bool world_is_bridged(const World *world, const char *name, Status *status)
{
    bool ellipsoids = false, several = false, masks = false;
    for (int c = 0; c < world->collider_count && contacts_may_be(world); c++) {
        const Collider *collider = &world->colliders[c];
        bool solid = collider->shape.kind != SHAPE_NONE;
        ellipsoids = ellipsoids || collider->shape.kind == SHAPE_ELLIPSOID;
        several = several || (solid && (world->ride[collider->listed].collider_count > 1 ||
                                        collider->body != collider->listed || world_rides(world, collider->body)));
        masks = masks || (solid && (collider->group != 1 || collider->mask != 1));
    }
    const char *lacks = ellipsoids            ? "ellipsoids"
                        : several             ? "several shapes a body"
                        : masks               ? "groups and masks of shapes"
                        : world->collide_only ? "a list of pairs that alone collide"
                                              : NULL;
    return !lacks ||
           status_set(status, STATUS_UNSUPPORTED,
                      "engine %s cannot run this scene: the scene needs %s, which no bridge speaks of", name, lacks);
}

static bool engine_begin(EngineRun *run, const SolverTask *task, Status *status)
{
    char command[4096];
    const Engine *engine = task->solver->data;
    const EngineOptions *options = task->options;
    if (!world_is_bridged(task->world, task->solver->name, status) ||
        !engine_command(engine, command, sizeof command, status) ||
        !process_start(&run->process, command, options->answer_limit, status))
        return false;
    char *line = engine_line(task->world, engine->mode, task->dt, options->common.substeps,
                             json_settings(task->solver->settings, task->solver->setting_count, options));
    if (!line)
        return status_set(status, STATUS_FAILED, "out of memory");
    bool ok = process_write(&run->process, line, strlen(line), status) &&
              process_write(&run->process, "\n", 1, status) && (run->hello = hello_read(&run->process, status));
    free(line);
    return ok && !hello_refuses(run->hello, task->solver->name, status) && hello_read_facts(run, status) &&
           state_read(run, status) && echo_check(run, status);
}

void *engine_create(const SolverTask *task, Status *status)
{
    EngineRun *run = calloc(1, sizeof *run);
    if (run) {
        run->process.to = run->process.from = run->process.errors = -1;
        run->world = task->world;
        run->values = calloc(STATE_VALUES * (size_t)task->world->body_count, sizeof *run->values);
        run->joints = calloc(JOINT_VALUES * (size_t)task->world->joint_count + 1, sizeof *run->joints);
    }
    if (!run || !run->values || !run->joints) {
        engine_destroy(run);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    if (!engine_begin(run, task, status)) {
        engine_destroy(run);
        return NULL;
    }
    return run;
}

void engine_destroy(void *self)
{
    EngineRun *run = self;
    if (!run)
        return;
    process_end(&run->process);
    json_decref(run->hello);
    free(run->values);
    free(run->joints);
    free(run->pairs);
    free(run);
}

unsigned engine_traits(const void *self)
{
    const EngineRun *run = self;
    return TRAIT_NO_ROW_SOLVES | TRAIT_OWN_CLOCK | (run->single ? TRAIT_SINGLE : 0) |
           (run->gives_joints ? 0 : TRAIT_NO_JOINT_IMPULSES) | (run->gives_contacts ? 0 : TRAIT_NO_CONTACT_IMPULSES);
}

const json_t *engine_approximates(const void *self)
{
    return json_object_get(((const EngineRun *)self)->hello, "approximates");
}

double engine_echo(const void *self)
{
    return ((const EngineRun *)self)->echo;
}

void engine_removed(void *self, int body)
{
    EngineRun *run = self;
    char line[32];
    Status unheard; /* a child that ended says so at its next step */
    snprintf(line, sizeof line, "remove %d\n", body);
    process_write(&run->process, line, strlen(line), &unheard);
}

static void state_take_bodies(const EngineRun *run, World *world)
{
    for (int i = 1; i < world->body_count; i++) {
        const double *s = run->values + STATE_VALUES * i;
        if (world_is_fixed(world, i))
            continue;
        world->pose[i] = (Pose){vec3(s[0], s[1], s[2]), quat_unit((Quat){s[3], s[4], s[5], s[6]})};
        world->velocity[i] = (Velocity){vec3(s[7], s[8], s[9]), vec3(s[10], s[11], s[12])};
    }
}

/* A joint's impulse goes to its first length block, its torque to a twist about the axis, the rest to the other
 * angular block. */
static void state_take_joints(const EngineRun *run, World *world)
{
    for (int j = 0; j < world->joint_count && run->gives_joints; j++) {
        const Joint *joint = &world->joints[j];
        const double *s = run->joints + JOINT_VALUES * j;
        Vec3 force = vec3(s[0], s[1], s[2]), torque = vec3(s[3], s[4], s[5]);
        Vec3 axis = quat_rotate(world->pose[joint->def.body[0]].q, joint->axis[0]);
        for (int b = joint->first_block; b < joint->first_block + joint->block_count; b++) {
            const Block *block = &world->blocks[b];
            Vec3 part = block_unit(block->kind) != UNIT_ANGLE ? force : torque;
            if (block->kind == BLOCK_TWIST)
                part = vec3_scale(vec3_dot(torque, axis), axis);
            world->block_impulse[b] = part;
            if (block_unit(block->kind) != UNIT_ANGLE)
                force = VEC3_ZERO;
            else
                torque = vec3_sub(torque, part);
        }
    }
}

static int pair_order(const void *a, const void *b)
{
    const PairImpulse *p = a, *q = b;
    return p->body1 != q->body1 ? (p->body1 > q->body1) - (p->body1 < q->body1)
                                : (p->body2 > q->body2) - (p->body2 < q->body2);
}

/* The first body is the lower one, as in our manifolds; sorted. */
static void pairs_sort(EngineRun *run)
{
    for (uint32_t i = 0; i < run->pair_count; i++) {
        PairImpulse *pair = &run->pairs[i];
        if (pair->body1 < pair->body2)
            continue;
        *pair = (PairImpulse){pair->body2, pair->body1, {-pair->impulse[0], -pair->impulse[1], -pair->impulse[2]}};
    }
    if (run->pair_count > 0)
        qsort(run->pairs, run->pair_count, sizeof *run->pairs, pair_order);
}

/* A pair's net impulse, in equal parts to its points. */
static void state_take_contacts(EngineRun *run, World *world)
{
    pairs_sort(run);
    for (int b = world->joint_block_count; b < world->block_count; b++)
        world->block_impulse[b] = VEC3_ZERO;
    for (int m = 0; m < world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &world->manifolds[m];
        PairImpulse key = {(uint32_t)manifold->body[0], (uint32_t)manifold->body[1], {0}};
        const PairImpulse *pair =
            run->pair_count > 0 ? bsearch(&key, run->pairs, run->pair_count, sizeof key, pair_order) : NULL;
        for (int i = 0; pair && i < manifold->count; i++)
            world->block_impulse[manifold_contact(manifold, i)] =
                vec3_scale(1.0 / manifold->count, vec3(pair->impulse[0], pair->impulse[1], pair->impulse[2]));
    }
}

/* What it approximates is reported once, events as they come. */
static void state_take_events(EngineRun *run, Step *step)
{
    size_t i;
    json_t *entry;
    char text[STEP_EVENT_TEXT + 16], printable[sizeof text];
    if (!run->told)
        json_array_foreach (engine_approximates(run), i, entry) {
            snprintf(text, sizeof text, "approximated: %s", json_is_string(entry) ? json_string_value(entry) : "?");
            step_report(step, text);
        }
    run->told = true;
    for (const char *line = run->text; *line;) {
        size_t length = strcspn(line, "\n");
        snprintf(text, sizeof text, "%.*s", (int)length, line);
        text_make_printable(text, printable, sizeof printable);
        step_report(step, printable);
        line += length + (line[length] == '\n');
    }
}

/* An engine's own time is a part of ours: a bridge that says less than none or more than all has a wrong clock, or
 * lies.
 */
static bool clock_check(EngineRun *run, double wall, Status *status)
{
    return (run->seconds >= 0.0 && run->seconds <= wall * (1.0 + CLOCK_RATE) + CLOCK_TICK) ||
           process_fail(&run->process, status, "the engine's own clock says %.3g s of a step that took %.3g s",
                        run->seconds, wall);
}

static void engine_step(void *self, Step *step)
{
    EngineRun *run = self;
    Status status;
    double begin = clock_now();
    if (!process_write(&run->process, "step\n", 5, &status) || !state_read(run, &status) ||
        !clock_check(run, clock_now() - begin, &status)) {
        step_fail(step, "%s", status.message);
        return;
    }
    step->own_seconds += run->seconds;
    state_take_bodies(run, step->world);
    state_take_joints(run, step->world);
    state_take_contacts(run, step->world);
    state_take_events(run, step);
}

int engine_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    (void)self;
    phases[0] = (Phase){.name = "engine", .enter = engine_step};
    return 1;
}
