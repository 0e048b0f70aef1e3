/* SPDX-License-Identifier: MIT */
#include "bench/studies/worked.h"

#include "bench/run/runner.h"
#include "model/rows/row_apply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void worked_free(Worked *worked)
{
    for (int i = 0; i < worked->state_count; i++) {
        free(worked->states[i].pose);
        free(worked->states[i].velocity);
    }
    free(worked->rows);
    free(worked->states);
}

/* One more of an array that doubles; NULL: out of memory, for good. */
static void *worked_add(Worked *worked, void *array, int *count, int *capacity, size_t size)
{
    void **at = array;
    if (*count == *capacity) {
        void *grown = worked->failed ? NULL : realloc(*at, size * (size_t)(2 * *capacity + 64));
        worked->failed = !grown;
        if (!grown)
            return NULL;
        *at = grown;
        *capacity = 2 * *capacity + 64;
    }
    return (char *)*at + size * (size_t)(*count)++;
}

static void worked_note_state(Worked *worked, int phase, int sweep)
{
    const World *world = worked->world;
    size_t bodies = (size_t)world->body_count;
    WorkedState *state =
        worked_add(worked, &worked->states, &worked->state_count, &worked->state_capacity, sizeof *worked->states);
    if (!state)
        return;
    *state =
        (WorkedState){worked->substeps, phase, sweep, malloc(sizeof(Pose) * bodies), malloc(sizeof(Velocity) * bodies)};
    worked->failed = !state->pose || !state->velocity;
    if (worked->failed)
        return;
    memcpy(state->pose, world->pose, sizeof(Pose) * bodies);
    memcpy(state->velocity, world->velocity, sizeof(Velocity) * bodies);
}

static void worked_note_row(void *watcher, const Step *step, const ShownRow *shown)
{
    Worked *worked = watcher;
    const World *world = step->world;
    WorkedRow *row = worked_add(worked, &worked->rows, &worked->row_count, &worked->row_capacity, sizeof *worked->rows);
    if (!row)
        return;
    *row = (WorkedRow){.substep = worked->substeps,
                       .phase = step->phase,
                       .sweep = step->sweep,
                       .level = shown->level,
                       .block = world->blocks[shown->block],
                       .index = shown->block,
                       .row = shown->row,
                       .C = shown->C,
                       .A = shown->A,
                       .bias = shown->bias,
                       .before = shown->before,
                       .after = shown->after,
                       .rate = row_rate(shown->J, &world->blocks[shown->block], world->velocity)};
    memcpy(row->J, shown->J, sizeof row->J);
    row_times_inverse_mass(world, &row->block, row->J, row->change);
    for (int c = 0; c < ROW_WIDTH; c++)
        row->change[c] *= row->after - row->before;
}

/* The states between phases, as the loop goes on. */
static void worked_note_part(void *context, StepPart part, int phase)
{
    Worked *worked = context;
    if (part == STEP_ENTER)
        worked_note_state(worked, phase - 1, -1); /* before the first: as the substep begins */
    else if (part == STEP_SWEEP)
        worked_note_state(worked, phase, 0);
}

static void worked_substep(Worked *worked, Stepper *stepper, double dt)
{
    int frame = worked->substeps / stepper->substeps;
    if (worked->substeps % stepper->substeps == 0) {
        stepper->frame = frame;
        stepper_catch_up(stepper);
        world_begin_frame(worked->world);
    }
    stepper->step.time = frame * dt + worked->substeps % stepper->substeps * worked->h;
    stepper_substep(stepper, NULL, false);
    worked_note_state(worked, stepper->phase_count - 1, -1);
    worked->substeps++;
}

bool worked_make(Worked *worked, Problem *problem, const Solver *solver, const void *options, double dt,
                 Detection detect, int substeps, Status *status)
{
    Stepper stepper;
    *worked = (Worked){.world = problem->world};
    if (!stepper_begin(&stepper, solver, options, problem->world, dt, detect, status))
        return false;
    stepper.hook = (StepHook){worked_note_part, worked};
    stepper.step.show = worked_note_row;
    stepper.step.watcher = worked;
    worked->failed = !run_removals(problem, &stepper.removals);
    worked->h = stepper.step.h;
    worked->phase_count = stepper.phase_count;
    memcpy(worked->phases, stepper.phases, sizeof worked->phases);
    while (worked->substeps < substeps && !stepper.step.failed && !worked->failed)
        worked_substep(worked, &stepper, dt);
    run_removals_free(&stepper.removals);
    worked->row_solves = stepper.step.row_solves;
    if (stepper.step.failed)
        *status = stepper.step.status;
    else if (worked->failed)
        status_set(status, STATUS_FAILED, "out of memory");
    stepper_end(&stepper);
    return !stepper.step.failed && !worked->failed;
}

const WorkedState *worked_state(const Worked *worked, int substep, int phase, int sweep)
{
    for (int i = 0; i < worked->state_count; i++) {
        const WorkedState *state = &worked->states[i];
        if (state->substep == substep && state->phase == phase && state->sweep == sweep)
            return state;
    }
    return NULL;
}

/* Of each kind its name, and those of its rows. */
static const struct {
    const char *name, *rows[BLOCK_MAX_ROWS];
} BLOCK_NAMES[BLOCK_KINDS] = {
    [BLOCK_ATTACH] = {"attach", {"x", "y", "z"}},
    [BLOCK_DISTANCE] = {"distance", {""}},
    [BLOCK_GUIDE] = {"guide", {"b", "c"}},
    [BLOCK_SLIDE] = {"slide", {""}},
    [BLOCK_ALIGN] = {"align", {"b", "c"}},
    [BLOCK_ORIENT] = {"orient", {"x", "y", "z"}},
    [BLOCK_TWIST] = {"twist", {""}},
    [BLOCK_SWING] = {"swing", {""}},
    [BLOCK_TURN] = {"turn", {""}},
    [BLOCK_WIRE] = {"wire", {"axial", "radial"}},
    [BLOCK_VOLUME] = {"volume", {""}},
    [BLOCK_CONTACT] = {"contact", {"n"}},
    [BLOCK_FRICTION] = {"friction", {"t1", "t2"}},
    [BLOCK_TORSION] = {"torsion", {""}},
};

const char *worked_kind_name(const WorkedRow *row)
{
    return BLOCK_NAMES[row->block.kind].name;
}

const char *worked_direction_name(const WorkedRow *row)
{
    bool along = row->level == SHOWN_POSITION && block_row_count(row->block.kind) > 1;
    return along ? "" : BLOCK_NAMES[row->block.kind].rows[row->row];
}

const char *worked_row_name(const Worked *worked, const WorkedRow *row, char *text, size_t size)
{
    const World *world = worked->world;
    const Block *block = &row->block;
    const char *kind = worked_kind_name(row), *of = worked_direction_name(row);
    const Joint *joint = block->joint >= 0 ? &world->joints[block->joint] : NULL;
    if (!joint)
        snprintf(text, size, "%s-%s %s %s", world->bodies[block->body[0]].name, world->bodies[block->body[1]].name,
                 kind, of);
    else if (joint->def.name)
        snprintf(text, size, "%s %s %s", joint->def.name, kind, of);
    else
        snprintf(text, size, "%s_%d %s %s", joint_type_names[joint->def.type], block->joint + 1, kind, of);
    for (size_t length = strlen(text); length > 0 && text[length - 1] == ' ';)
        text[--length] = '\0';
    return text;
}
