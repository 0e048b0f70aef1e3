/* SPDX-License-Identifier: MIT */
#include "bench/run/child.h"

#include "bench/process/fork.h"
#include "bench/process/place.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a run leaves behind, but for its arrays. */
typedef struct Left {
    bool made;
    Status status;
    RunResult result;
    double actuator_work;
} Left;

/* fwrite or fread of `count` elements. */
typedef bool Move(FILE *file, void *data, size_t size, size_t count);

static bool move_out(FILE *file, void *data, size_t size, size_t count)
{
    return count == 0 || fwrite(data, size, count, file) == count;
}

static bool move_in(FILE *file, void *data, size_t size, size_t count)
{
    return count == 0 || fread(data, size, count, file) == count;
}

/* The final state: what results are printed from. */
static bool world_move(FILE *file, World *world, Move *move)
{
    size_t bodies = (size_t)world->body_count;
    bool ok = move(file, world->pose, sizeof *world->pose, bodies) &&
              move(file, world->velocity, sizeof *world->velocity, bodies) &&
              move(file, world->removed, sizeof *world->removed, bodies);
    for (int j = 0; ok && j < world->joint_count; j++)
        ok = move(file, &world->joints[j].impulse, sizeof(Vec3), 1) &&
             move(file, &world->joints[j].angular_impulse, sizeof(Vec3), 1);
    return ok;
}

static size_t series_length(const RunResult *result)
{
    return (size_t)result->frames_done * (size_t)metric_count;
}

static bool left_send(FILE *file, const Run *run)
{
    World *world = run->problem->world;
    Left left = {run->made, run->status, run->result, world->actuator_work};
    return move_out(file, &left, sizeof left, 1) && world_move(file, world, move_out) &&
           (!run->result.series || move_out(file, run->result.series, sizeof(double), series_length(&run->result))) &&
           fflush(file) == 0;
}

/* False: the child did not tell everything. */
static bool left_receive(FILE *file, Run *run)
{
    Left left;
    World *world = run->problem->world;
    if (!move_in(file, &left, sizeof left, 1) || !world_move(file, world, move_in))
        return false;
    world->actuator_work = left.actuator_work;
    if (left.result.series) {
        left.result.series = malloc(sizeof(double) * (series_length(&left.result) + 1));
        if (!left.result.series || !move_in(file, left.result.series, sizeof(double), series_length(&left.result))) {
            free(left.result.series);
            return false;
        }
    }
    run->made = left.made;
    run->status = left.status;
    run->result = left.result;
    return true;
}

static void run_crashed(Run *run, int end, const RunPlace *place)
{
    char text[PLACE_TEXT];
    run->made = false;
    run->result =
        (RunResult){.status = RUN_CRASHED, .begun = true, .frames = run_frame_count(run->time, run->dt, &(Status){0})};
    if (WIFSIGNALED(end))
        status_set(&run->status, STATUS_FAILED, "the run crashed%s: %s", place_text(place, text),
                   strsignal(WTERMSIG(end)));
    else
        status_set(&run->status, STATUS_FAILED, "the run crashed%s: its process ended with status %d",
                   place_text(place, text), WEXITSTATUS(end));
}

static void child_make(Run *run, RunWork *work, void *context, RunPlace *place, int to)
{
    FILE *file = fdopen(to, "wb");
    place_keep_at(place);
    work(run, context);
    _exit(file && left_send(file, run) ? 0 : 1);
}

static void child_await(Run *run, pid_t child, int from, const RunPlace *place)
{
    FILE *file = fdopen(from, "rb");
    bool told = file && left_receive(file, run);
    if (file)
        fclose(file);
    else
        close(from);
    int end = fork_await(child);
    if (!told)
        run_crashed(run, end, place);
}

bool run_in_child(Run *run, RunWork *work, void *context)
{
    int ends[2];
    RunPlace *place = places_create(1);
    if (!place || pipe(ends) != 0) {
        places_destroy(place, 1);
        return status_set(&run->status, STATUS_FAILED, "no process for the run: %s", strerror(errno));
    }
    pid_t child = fork_child(SIGTERM);
    if (child == 0) {
        close(ends[0]);
        child_make(run, work, context, place, ends[1]);
    }
    int error = errno;
    close(ends[1]);
    if (child > 0) {
        child_await(run, child, ends[0], place);
    } else {
        close(ends[0]);
        run->made = status_set(&run->status, STATUS_FAILED, "no process for the run: %s", strerror(error));
    }
    places_destroy(place, 1);
    return run->made;
}
