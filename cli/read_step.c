/* SPDX-License-Identifier: MIT */
/* rigor read --step: a lecture text worked out in numbers (bench/studies/worked.h). */
#include "cli/read.h"

#include "bench/run/json.h"
#include "bench/studies/worked.h"
#include "model/rows/row_apply.h"

#include <stdlib.h>
#include <string.h>

/* Smaller numbers are round-off of a sum that is zero; the document has them as they are. */
static const double ROUND_OFF = 1e-13;

/* Of a table: six numbers and what they are, within 80 places. */
enum { CELL = 10, LABEL = 18, CELLS = 6 };

/* As many digits as a cell holds with a blank before them, four at most. */
static const char *cell_text(double x, char text[32])
{
    if (x == 0.0)
        snprintf(text, 32, "0");
    else if (fabs(x) < ROUND_OFF)
        snprintf(text, 32, "~0");
    else if (snprintf(text, 32, "%.4g", x) >= CELL)
        snprintf(text, 32, "%.3g", x);
    return text;
}

static void print_cells(FILE *out, const double *x, int count)
{
    char text[32];
    for (int i = 0; i < count; i++)
        fprintf(out, "%*s", CELL, isnan(x[i]) ? "" : cell_text(x[i], text));
    fputc('\n', out);
}

/* A label that is too long has a line of its own. */
static void print_label(FILE *out, const char *label)
{
    if ((int)strlen(label) < LABEL)
        fprintf(out, "%-*s", LABEL, label);
    else
        fprintf(out, "%s\n%*s", label, LABEL, "");
}

static void print_line(FILE *out, const char *body, const char *what, Vec3 v, Vec3 w, bool turns)
{
    char label[64];
    double cells[CELLS] = {v.x, v.y, v.z, w.x, w.y, w.z};
    snprintf(label, sizeof label, "    %-*s %s", LABEL - 9, body, what);
    print_label(out, label);
    print_cells(out, cells, turns ? CELLS : 3);
}

static const char *const ERROR_UNITS[] = {[UNIT_LENGTH] = "m", [UNIT_ANGLE] = "rad", [UNIT_VOLUME] = "m^3"};

/* What a row of this level changes, and the unit of its multiplier by that of its error. */
static const struct {
    const char *name, *rows, *change, *lambda[3];
} LEVELS[] = {
    [SHOWN_VELOCITY] = {"velocity", "velocities", "dv", {"N s", "N m s", "N s/m^2"}},
    [SHOWN_POSITION] = {"position", "positions", "dx", {"N s^2", "N m s^2", "N s^2/m^2"}},
    [SHOWN_ACCELERATION] = {"acceleration", "accelerations", "a", {"N", "N m", "N/m^2"}},
};

static bool body_turns(const World *world, int body)
{
    return world->mass[body].inv_inertia.x != 0.0;
}

/* The part of a row that belongs to the k-th body of its block. */
static void row_part(const WorkedRow *row, const double of[ROW_WIDTH], int k, Vec3 *v, Vec3 *w)
{
    bool volume = row->block.kind == BLOCK_VOLUME;
    *v = row_vector(of, volume ? k : 2 * k);
    *w = volume ? VEC3_ZERO : row_vector(of, 2 * k + 1);
}

static int row_bodies(const WorkedRow *row)
{
    return row->block.kind == BLOCK_VOLUME ? 4 : 2;
}

/* The same row, solved before in this substep, had the same J. */
static bool row_is_known(const Worked *worked, const WorkedRow *row)
{
    for (const WorkedRow *last = row; last-- > worked->rows && last->substep == row->substep;)
        if (last->index == row->index && last->row == row->row)
            return memcmp(last->J, row->J, sizeof row->J) == 0;
    return false;
}

static void print_row(const Worked *worked, const WorkedRow *row, FILE *out)
{
    const World *world = worked->world;
    char name[128];
    double cells[CELLS] = {row->C,    row->level == SHOWN_VELOCITY ? row->rate : NAN, row->bias, row->A, row->before,
                           row->after};
    print_label(out, worked_row_name(worked, row, name, sizeof name));
    print_cells(out, cells, CELLS);
    for (int known = row_is_known(worked, row); known < 2; known++)
        for (int k = 0; k < row_bodies(row); k++) {
            int body = row->block.body[k];
            Vec3 v, w;
            row_part(row, known == 0 ? row->J : row->change, k, &v, &w);
            if (!world_is_fixed(world, body) && (known == 0 || row->after != row->before))
                print_line(out, world->bodies[body].name, known == 0 ? "J" : LEVELS[row->level].change, v, w,
                           body_turns(world, body) && row->block.kind != BLOCK_VOLUME);
        }
}

static void print_row_head(const WorkedRow *row, Reader *reader)
{
    static const char *const HEADS[CELLS] = {"C", "J v", "bias", "A", "lambda", "becomes"};
    fprintf(reader->out, "  %-*s", LABEL - 2, LEVELS[row->level].rows);
    for (int i = 0; i < CELLS; i++)
        fprintf(reader->out, "%*s", CELL, i == 1 && row->level != SHOWN_VELOCITY ? "" : HEADS[i]);
    fputc('\n', reader->out);
}

/* What has changed since another state: where bodies are, and how they move. */
static void print_state(const Worked *worked, const WorkedState *state, const WorkedState *before, const char *when,
                        Reader *reader)
{
    static const char *const HEADS[CELLS] = {"x", "y", "z", "about x", "y", "z"};
    const World *world = worked->world;
    size_t bodies = (size_t)world->body_count;
    bool moved = !before || memcmp(state->pose, before->pose, sizeof(Pose) * bodies) != 0;
    bool faster = !before || memcmp(state->velocity, before->velocity, sizeof(Velocity) * bodies) != 0;
    if (moved || faster)
        fprintf(reader->out, "%s%-*s%s", reader_style(reader, READER_HEADING), LABEL, when,
                reader_style(reader, READER_PLAIN));
    for (int i = 0; !before && i < CELLS; i++)
        fprintf(reader->out, "%*s", CELL, HEADS[i]);
    fputs(moved || faster ? "\n" : "", reader->out);
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i) || world->removed[i])
            continue;
        const char *name = world->bodies[i].name;
        Vec3 turn = quat_log(state->pose[i].q);
        if (moved)
            print_line(reader->out, name, "x", state->pose[i].x, turn, body_turns(world, i));
        if (faster)
            print_line(reader->out, name, "v", state->velocity[i].v, state->velocity[i].w, body_turns(world, i));
    }
}

/* The rows of one sweep; false: there are none. */
static bool print_sweep(const Worked *worked, int substep, int phase, int sweep, Reader *reader)
{
    bool any = false;
    ShownLevel level = SHOWN_VELOCITY;
    for (int i = 0; i < worked->row_count; i++) {
        const WorkedRow *row = &worked->rows[i];
        if (row->substep != substep || row->phase != phase || row->sweep != sweep)
            continue;
        const Phase *of = &worked->phases[phase];
        if (!any && sweep > 0)
            fprintf(reader->out, "%s%s, sweep %d of %d%s\n", reader_style(reader, READER_HEADING), of->name, sweep,
                    of->iterations, reader_style(reader, READER_PLAIN));
        if (!any || row->level != level)
            print_row_head(row, reader);
        print_row(worked, row, reader->out);
        level = row->level;
        any = true;
    }
    return any;
}

static void print_phase(const Worked *worked, int substep, int phase, int sweeps, Reader *reader)
{
    const Phase *of = &worked->phases[phase];
    const WorkedState *before = worked_state(worked, substep, phase - 1, -1);
    const WorkedState *entered = worked_state(worked, substep, phase, 0);
    const WorkedState *end = worked_state(worked, substep, phase, -1);
    char when[128];
    bool any = false;
    print_sweep(worked, substep, phase, 0, reader);
    snprintf(when, sizeof when, of->iterations > 0 ? "%s, before its sweeps" : "%s", of->name);
    print_state(worked, entered, before, when, reader);
    for (int k = 1; k <= sweeps && k <= of->iterations; k++)
        any = print_sweep(worked, substep, phase, k, reader) || any;
    if (any && of->iterations > sweeps)
        fprintf(reader->out, "... and %d more sweep%s\n", of->iterations - sweeps,
                of->iterations - sweeps > 1 ? "s" : "");
    snprintf(when, sizeof when, "%s, after %s", of->name, of->iterations > 1 ? "all its sweeps" : "its sweep");
    print_state(worked, end, entered, when, reader);
}

/* `pendulum, links=2`: the scene, and what is not its default. */
static void print_scene(const Run *run, const Problem *problem, Reader *reader)
{
    char text[512];
    snprintf(text, sizeof text, "%s", problem->name);
    for (int i = 0; run->scene && i < run->scene->setting_count; i++) {
        const Setting *setting = &run->scene->settings[i];
        double value = setting_get(setting, run->params);
        size_t used = strlen(text);
        if (value == setting->initial || (isnan(value) && isnan(setting->initial)))
            continue;
        if (setting->type == SETTING_CHOICE)
            snprintf(text + used, sizeof text - used, ", %s=%s", setting->name,
                     setting_get_choice(setting, run->params));
        else
            snprintf(text + used, sizeof text - used, ", %s=%.6g", setting->name, value);
    }
    reader_words(reader, 0, "worked out on the scene %s", text);
}

static void print_bodies(const World *world, Reader *reader)
{
    static const char *const HEADS[] = {"kg", "kg m^2"};
    fprintf(reader->out, "\n%-*s%*s%*s\n", LABEL, "bodies that move", CELL, HEADS[0], 3 * CELL, HEADS[1]);
    for (int i = 1; i < world->body_count; i++) {
        const Mass *mass = &world->mass[i];
        double cells[] = {mass->mass, mass->inertia.x, mass->inertia.y, mass->inertia.z};
        if (world_is_fixed(world, i))
            continue;
        print_label(reader->out, world->bodies[i].name);
        print_cells(reader->out, cells, body_turns(world, i) ? 4 : 1);
    }
}

/* How the rows of a level are read, and in which units. */
static const char *const KEYS[] = {
    [SHOWN_VELOCITY] =
        ("A row of velocities has the error C (m, rad), its rate J v and what is added to it, the bias (m/s, "
         "rad/s), A = J M^-1 J^T, and its multiplier lambda (N s, N m s) before it is solved and after. It "
         "changes the velocities of its bodies by"),
    [SHOWN_POSITION] =
        ("A row of positions goes along the error of its block, C (m, rad; of several rows its length), with A = J "
         "M^-1 "
         "J^T + a, "
         "a = alpha/h^2, the bias is a lambda, and its multiplier lambda (N s^2, N m s^2: h^2 times a force) "
         "stands before it is solved and after. It moves its bodies by"),
    [SHOWN_ACCELERATION] =
        ("A row of accelerations has the error C (m, rad), its bias (m/s^2, rad/s^2), A = J M^-1 J^T, and "
         "its multiplier lambda, a force (N, N m). It accelerates its bodies by"),
};

static void print_key(const Worked *worked, Reader *reader)
{
    bool used[] = {false, false, false};
    char formula[64];
    for (int i = 0; i < worked->row_count; i++)
        used[worked->rows[i].level] = true;
    fputc('\n', reader->out);
    for (int level = SHOWN_VELOCITY; level <= SHOWN_ACCELERATION; level++) {
        if (!used[level])
            continue;
        reader_words(reader, 0, "%s", KEYS[level]);
        snprintf(formula, sizeof formula, "%s = M^-1 J^T (lambda after - lambda before)", LEVELS[level].change);
        reader_formula(reader, 4, formula);
    }
    reader_words(
        reader, 0,
        "Six numbers of a body belong to its centre (x, y, z) and to its turning (x, y, z); x of a body is its "
        "place (m) and the vector of its rotation (rad). ~0 is round-off.");
}

static void print_worked(const Reading *reading, const Problem *problem, const Worked *worked, int sweeps,
                         Reader *reader)
{
    char left[64], right[64];
    read_print_head(reading, reader);
    fputc('\n', reader->out);
    print_scene(reading->run, problem, reader);
    print_bodies(worked->world, reader);
    print_key(worked, reader);
    for (int s = 0; s < worked->substeps; s++) {
        snprintf(left, sizeof left, "substep %d", s + 1);
        snprintf(right, sizeof right, "%.4g s to %.4g s", s * worked->h, (s + 1) * worked->h);
        reader_heading(reader, left, right);
        if (s == 0)
            print_state(worked, worked_state(worked, s, -1, -1), NULL, "as it begins", reader);
        for (int i = 0; i < worked->phase_count; i++)
            print_phase(worked, s, i, sweeps, reader);
    }
}

static json_t *vector_json(Vec3 v)
{
    return json_pack("[o,o,o]", json_number(v.x), json_number(v.y), json_number(v.z));
}

static json_t *numbers_json(const double *x, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(array, json_number(x[i]));
    return array;
}

static json_t *state_json(const Worked *worked, const WorkedState *state)
{
    const World *world = worked->world;
    json_t *array = json_array();
    for (int i = 1; i < world->body_count; i++) {
        const Pose *pose = &state->pose[i];
        const Velocity *u = &state->velocity[i];
        double q[] = {pose->q.w, pose->q.x, pose->q.y, pose->q.z};
        json_array_append_new(array, json_pack("{s:s,s:o,s:o,s:o,s:o}", "body", world->bodies[i].name, "x",
                                               vector_json(pose->x), "q", numbers_json(q, 4), "v", vector_json(u->v),
                                               "w", vector_json(u->w)));
    }
    return array;
}

static json_t *row_json(const Worked *worked, const WorkedRow *row)
{
    char name[128];
    const World *world = worked->world;
    BlockUnit unit = block_unit(row->block.kind);
    json_t *bodies = json_array();
    for (int k = 0; k < row_bodies(row); k++) {
        Vec3 v, w, dv, dw;
        row_part(row, row->J, k, &v, &w);
        row_part(row, row->change, k, &dv, &dw);
        json_array_append_new(bodies,
                              json_pack("{s:s,s:[o,o],s:[o,o]}", "body", world->bodies[row->block.body[k]].name, "J",
                                        vector_json(v), vector_json(w), "change", vector_json(dv), vector_json(dw)));
    }
    return json_pack("{s:s,s:s,s:s,s:i,s:i,s:s,s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:s,s:o}", "row",
                     worked_row_name(worked, row, name, sizeof name), "kind", worked_kind_name(row), "direction",
                     worked_direction_name(row), "block", row->index, "sweep", row->sweep, "level",
                     LEVELS[row->level].name, "C", json_number(row->C), "C_unit", ERROR_UNITS[unit], "Jv",
                     json_number(row->rate), "bias", json_number(row->bias), "A", json_number(row->A), "lambda_before",
                     json_number(row->before), "lambda_after", json_number(row->after), "lambda_unit",
                     LEVELS[row->level].lambda[unit], "bodies", bodies);
}

static json_t *phase_json(const Worked *worked, int substep, int phase, int sweeps)
{
    json_t *rows = json_array();
    for (int i = 0; i < worked->row_count; i++) {
        const WorkedRow *row = &worked->rows[i];
        if (row->substep == substep && row->phase == phase && row->sweep <= sweeps)
            json_array_append_new(rows, row_json(worked, row));
    }
    return json_pack("{s:s,s:i,s:o,s:o,s:o}", "name", worked->phases[phase].name, "sweeps",
                     worked->phases[phase].iterations, "entered",
                     state_json(worked, worked_state(worked, substep, phase, 0)), "rows", rows, "end",
                     state_json(worked, worked_state(worked, substep, phase, -1)));
}

static json_t *worked_json(const Reading *reading, const Worked *worked, int sweeps)
{
    json_t *document = read_head_json(reading), *substeps = json_array();
    for (int s = 0; s < worked->substeps; s++) {
        json_t *phases = json_array();
        for (int i = 0; i < worked->phase_count; i++)
            json_array_append_new(phases, phase_json(worked, s, i, sweeps));
        json_array_append_new(substeps,
                              json_pack("{s:o,s:o,s:o}", "time", json_number(s * worked->h), "begin",
                                        state_json(worked, worked_state(worked, s, -1, -1)), "phases", phases));
    }
    json_object_set_new(document, "run", json_request(reading->run));
    json_object_set_new(document, "h", json_number(worked->h));
    json_object_set_new(document, "substeps_shown", substeps);
    return document;
}

bool read_step(const Arguments *arguments, const Reading *reading, Status *status)
{
    const Run *run = reading->run;
    int substeps, sweeps;
    Worked worked = {0};
    Reader reader;
    if (!argument_whole(arguments, OPTION_FIRST, 1, 2, &substeps, status) ||
        !argument_whole(arguments, OPTION_SWEEPS, 1, 2, &sweeps, status))
        return false;
    Problem *problem = run_build_within(run, status);
    if (!problem)
        return false;
    notes_print(problem);
    bool ok = worked_make(&worked, problem, run->solver, run->options, run->dt, run->detect, substeps, status);
    if (ok && arguments->given[OPTION_JSON]) {
        ok = json_print(worked_json(reading, &worked, sweeps), status);
    } else if (ok && (ok = reader_open(&reader, status))) {
        print_worked(reading, problem, &worked, sweeps, &reader);
        ok = reader_close(&reader, status);
    }
    worked_free(&worked);
    problem_destroy(problem);
    return ok;
}
