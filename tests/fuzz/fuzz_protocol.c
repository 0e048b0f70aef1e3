/* SPDX-License-Identifier: MIT */
/* What a bridge says: its hello, its first state, its answers. The bytes come out of the pipe; an input that begins
 * with 'V' is what follows a valid hello and a valid first state. process_start and engine_command are replaced here:
 * nothing is started (tests/fuzz/meson.build). */
#include "tests/fuzz/fuzz.h"

#include "scenes/list.h"
#include "scenes/scene.h"
#include "solvers/engines/engine.h"
#include "solvers/engines/process.h"

#include <fcntl.h>

static FuzzFile said;

bool __wrap_process_start(EngineProcess *process, const char *command, double limit, Status *status);
bool __wrap_engine_command(const Engine *engine, char *command, size_t size, Status *status);

bool __wrap_process_start(EngineProcess *process, const char *command, double limit, Status *status)
{
    (void)command, (void)status, (void)limit;
    *process = (EngineProcess){.to = open("/dev/null", O_WRONLY), .from = dup(said.fd), .errors = -1, .limit = 0.05};
    lseek(process->from, 0, SEEK_SET);
    return true;
}

bool __wrap_engine_command(const Engine *engine, char *command, size_t size, Status *status)
{
    (void)engine, (void)status;
    return snprintf(command, size, "none") > 0;
}

static size_t valid_begin(const World *world, unsigned char *to)
{
    static const char HELLO[] = "{\"rigor_engine\": 1, \"name\": \"f\", \"engine\": \"f\", \"precision\": \"double\", "
                                "\"contact_impulses\": true}\n";
    size_t at = sizeof HELLO - 1;
    memcpy(to, HELLO, at);
    memcpy(to + at, "RIGS", 4);
    memcpy(to + at + 4, (uint32_t[]){(uint32_t)world->body_count, 0, 0, 0, 0}, 20);
    memcpy(to + at + 24, (double[]){0.0}, 8);
    at += 32;
    for (int i = 0; i < world->body_count; i++) {
        Pose pose = world->pose[i];
        Velocity v = world->velocity[i];
        double values[13] = {pose.x.x, pose.x.y, pose.x.z, pose.q.w, pose.q.x, pose.q.y, pose.q.z,
                             v.v.x,    v.v.y,    v.v.z,    v.w.x,    v.w.y,    v.w.z};
        memcpy(to + at, values, sizeof values);
        at += sizeof values;
    }
    return at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Status status = {0};
    Problem *problem = scene_build(scene_find("projectile"), NULL, &status);
    if (!problem || size > 60000)
        abort();
    static unsigned char bytes[1 << 17];
    size_t begun = size > 0 && data[0] == 'V' ? valid_begin(problem->world, bytes) : 0;
    memcpy(bytes + begun, data + (begun > 0), size - (begun > 0));
    said = fuzz_open(bytes, begun + size - (begun > 0));
    const Solver *solver = all_engines[0];
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
    settings_init(solver->settings, solver->setting_count, options);
    SolverTask task = {.solver = solver, .options = options, .world = problem->world, .dt = 1.0 / 60};
    void *self = solver->create(&task, &status);
    Phase phases[SOLVER_MAX_PHASES] = {{0}};
    Step step = {.world = problem->world, .h = 1.0 / 60};
    if (self && solver->plan(self, phases) == 1)
        for (int i = 0; i < 4 && !step.failed; i++)
            phases[0].enter(self, &step);
    if (self)
        solver->destroy(self);
    problem_destroy(problem);
    fuzz_close(&said);
    return 0;
}
