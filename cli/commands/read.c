/* SPDX-License-Identifier: MIT */
/* rigor read: a solver as a text. One that the lecture has is printed as the lecture has it (solvers/lecture/), section
 * by section; of any other the phases that its plan gives with its options, in words and formulas (solvers/phases.h).
 */
#include "cli/read.h"

#include "bench/run/json.h"
#include "bench/text/wrap.h"
#include "cli/hints.h"
#include "model/suggest.h"
#include "solvers/engines/engine.h"
#include "solvers/option_text.h"

#include <stdlib.h>
#include <string.h>

enum { READ_TEXT = 1024 };

/* The words about phases are those of the backend; of a lecture text those of the backend it is the text of. */
static const Solver *reading_worded(const Reading *reading)
{
    const Solver *solver = reading->run->solver;
    for (int i = 0; solver->text_of && !solver->steps && i < solver_count; i++)
        if (strcmp(all_solvers[i]->name, solver->text_of) == 0)
            return all_solvers[i];
    return solver;
}

/* Text with the values of options; a lecture text has fewer options than its backend, whose defaults are its own. */
static const char *reading_fill(const Reading *reading, const char *from, char text[READ_TEXT])
{
    const Solver *worded = reading_worded(reading);
    _Alignas(16) unsigned char defaults[SETTINGS_MAX_BYTES] = {0};
    settings_init(worded->settings, worded->setting_count, defaults);
    option_fill(worded, worded == reading->run->solver ? reading->run->options : defaults, from, text, READ_TEXT);
    return text;
}

static const char *reading_purpose(const Reading *reading, const char *phase, char text[READ_TEXT])
{
    const char *purpose = phase_purpose(reading_worded(reading), reading->run->options, phase);
    return purpose ? reading_fill(reading, purpose, text) : "";
}

/* `20 sweeps`, `up to 50 sweeps, until 1e-14`; empty: the phase is only entered. */
static const char *phase_sweeps(const Phase *phase, char text[READ_TEXT])
{
    text[0] = '\0';
    if (phase->iterations > 0 && phase->stop > 0.0)
        snprintf(text, READ_TEXT, "up to %d sweeps", phase->iterations);
    else if (phase->iterations > 0)
        snprintf(text, READ_TEXT, "%d sweep%s", phase->iterations, phase->iterations > 1 ? "s" : "");
    return text;
}

/* Where its code is; NULL: not in this tree. */
static const char *reading_file(const Reading *reading, char text[READ_TEXT])
{
    const Solver *backend = solver_backend(reading->run->solver);
    if (reading->text)
        return reading->text->file;
    for (int i = 0; i < solver_count; i++)
        if (all_solvers[i] == backend) {
            snprintf(text, READ_TEXT, "solvers/%s.c", backend->name);
            return text;
        }
    return NULL;
}

static void print_phases(const Reading *reading, Reader *reader)
{
    enum { NAME = 13, SWEEPS = 17 };
    int substeps = ((const CommonOptions *)reading->run->options)->substeps;
    char purpose[READ_TEXT], sweeps[READ_TEXT];
    fputc('\n', reader->out);
    if (substeps > 1)
        reader_words(reader, 0, "A frame of dt has %d substeps of h = dt/%d, each in these phases:", substeps,
                     substeps);
    else
        reader_words(reader, 0, "A frame of dt is one substep, h = dt, in these phases:");
    for (int i = 0; i < reading->phase_count; i++) {
        const Phase *phase = &reading->phases[i];
        fprintf(reader->out, "  %d  %s%-*s%s%-*s", i + 1, reader_style(reader, READER_HEADING), NAME, phase->name,
                reader_style(reader, READER_PLAIN), SWEEPS, phase_sweeps(phase, sweeps));
        fold_within(reader->out, reader->width, reading_purpose(reading, phase->name, purpose), 5 + NAME + SWEEPS,
                    5 + NAME + SWEEPS);
    }
}

/* The options a variant sets, as `-s` takes them. */
static void print_sets(const char *sets, Reader *reader)
{
    char text[READ_TEXT];
    snprintf(text, sizeof text, "%s", sets);
    for (char *c = text; *c; c++)
        *c = *c == ':' ? ' ' : *c;
    reader_words(reader, 0, "sets: %s", text);
}

void read_print_head(const Reading *reading, Reader *reader)
{
    const Solver *solver = reading->run->solver;
    char file[READ_TEXT], kind[READ_TEXT] = "";
    if (solver->variant_of)
        snprintf(kind, sizeof kind, ", a variant of %s", solver->variant_of->name);
    size_t used = strlen(kind);
    snprintf(kind + used, sizeof kind - used, ": %s", solver->summary);
    fprintf(reader->out, "%s%s%s", reader_style(reader, READER_HEADING), solver->name,
            reader_style(reader, READER_PLAIN));
    fold_within(reader->out, reader->width, kind, (int)strlen(solver->name), 2);
    reader_words(reader, 0, "reference: %s", solver->reference);
    if (reading_file(reading, file))
        reader_words(reader, 0, "file: %s", reading_file(reading, file));
    if (solver->variant_of)
        print_sets(solver->sets, reader);
    if (reading->phase_count > 0)
        print_phases(reading, reader);
}

/* `once`, `in its sweep`, `in each of 20 sweeps` */
static void print_when(const Phase *phase, PhaseWhen when, Reader *reader)
{
    char sweeps[READ_TEXT];
    fputs(reader_style(reader, READER_HEADING), reader->out);
    if (when == PHASE_ENTER)
        fputs("once", reader->out);
    else if (phase->iterations == 1)
        fputs("in its sweep", reader->out);
    else
        fprintf(reader->out, "in each of %s", phase_sweeps(phase, sweeps));
    fprintf(reader->out, "%s\n", reader_style(reader, READER_PLAIN));
}

static void print_step(const Reading *reading, const PhaseStep *step, Reader *reader)
{
    enum { NAME = 20, INDENT = 2 + NAME };
    char text[READ_TEXT];
    fprintf(reader->out, "  %-*s", NAME, step->step);
    fold_within(reader->out, reader->width, reading_fill(reading, step->text, text), INDENT, INDENT);
    for (char *line = step->formula ? (char *)reading_fill(reading, step->formula, text) : NULL, *end; line;
         line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        if (end)
            *end = '\0';
        reader_formula(reader, INDENT + 2, line);
    }
}

/* The next step of this kind that the phase has. */
static const PhaseStep *next_step(const Reading *reading, const Phase *phase, PhaseWhen when, const PhaseStep *step)
{
    do
        step = phase_next_step(reading->run->solver, reading->run->options, phase->name, step);
    while (step && step->when != when);
    return step;
}

/* The phase before this one whose sweeps are the same; -1: none, or it has no sweeps. */
static int same_sweeps(const Reading *reading, int phase)
{
    for (int i = 0; i < phase; i++) {
        const PhaseStep *one = NULL, *other = NULL;
        do {
            one = next_step(reading, &reading->phases[phase], PHASE_SWEEP, one);
            other = next_step(reading, &reading->phases[i], PHASE_SWEEP, other);
        } while (one && one == other);
        if (one == other && next_step(reading, &reading->phases[phase], PHASE_SWEEP, NULL))
            return i;
    }
    return -1;
}

static void print_steps_of(const Reading *reading, int index, PhaseWhen when, Reader *reader)
{
    const Phase *phase = &reading->phases[index];
    const PhaseStep *step = next_step(reading, phase, when, NULL);
    int same = when == PHASE_SWEEP ? same_sweeps(reading, index) : -1;
    if (!step || (when == PHASE_SWEEP && phase->iterations == 0))
        return;
    print_when(phase, when, reader);
    if (same >= 0)
        fprintf(reader->out, "  as in phase %d\n", same + 1);
    for (; step && same < 0; step = next_step(reading, phase, when, step))
        print_step(reading, step, reader);
}

void read_print_steps(const Reading *reading, Reader *reader)
{
    char sweeps[READ_TEXT], left[READ_TEXT];
    for (int i = 0; i < reading->phase_count; i++) {
        snprintf(left, sizeof left, "%d  %s", i + 1, reading->phases[i].name);
        reader_heading(reader, left, phase_sweeps(&reading->phases[i], sweeps));
        print_steps_of(reading, i, PHASE_ENTER, reader);
        print_steps_of(reading, i, PHASE_SWEEP, reader);
    }
}

static json_t *steps_json(const Reading *reading, const Phase *phase)
{
    json_t *array = json_array();
    char text[READ_TEXT], formula[READ_TEXT];
    for (PhaseWhen when = PHASE_ENTER; when <= (phase->iterations > 0 ? PHASE_SWEEP : PHASE_ENTER); when++)
        for (const PhaseStep *step = NULL; (step = next_step(reading, phase, when, step));)
            json_array_append_new(array,
                                  json_pack("{s:s,s:s,s:s,s:s*}", "step", step->step, "when",
                                            when == PHASE_ENTER ? "once" : "sweep", "text",
                                            reading_fill(reading, step->text, text), "formula",
                                            step->formula ? reading_fill(reading, step->formula, formula) : NULL));
    return array;
}

json_t *read_head_json(const Reading *reading)
{
    const Solver *solver = reading->run->solver;
    char text[READ_TEXT];
    json_t *phases = json_array();
    for (int i = 0; i < reading->phase_count; i++) {
        const Phase *phase = &reading->phases[i];
        json_t *entry = json_pack("{s:s,s:i,s:s}", "name", phase->name, "sweeps", phase->iterations, "purpose",
                                  reading_purpose(reading, phase->name, text));
        if (!reading->text)
            json_object_set_new(entry, "steps", steps_json(reading, phase));
        json_array_append_new(phases, entry);
    }
    return json_pack("{s:s,s:s*,s:s*,s:s,s:s,s:s*,s:i,s:o,s:o}", "name", solver->name, "text_of", solver->text_of,
                     "variant_of", solver->variant_of ? solver->variant_of->name : NULL, "summary", solver->summary,
                     "reference", solver->reference, "file", reading_file(reading, text), "substeps",
                     ((const CommonOptions *)reading->run->options)->substeps, "options",
                     json_settings(solver->settings, solver->setting_count, reading->run->options), "phases", phases);
}

/* The phases of a substep: of the first scene that the solver runs. An engine's are its own. */
static bool reading_plan(Reading *reading, Status *status)
{
    const Run *run = reading->run;
    Status refused = {0};
    for (int i = 0; i < scene_count && reading->phase_count == 0 && !engine_of(run->solver); i++) {
        Run tried = *run;
        Stepper stepper;
        if (!run_choose_scene(&tried, all_scenes[i]->name, status))
            return false;
        Problem *problem = run_build(&tried, status);
        if (!problem)
            return false;
        if (stepper_begin(&stepper, run->solver, run->options, problem->world, run->dt, DETECT_SUBSTEP, &refused)) {
            memcpy(reading->phases, stepper.phases, sizeof reading->phases);
            reading->phase_count = stepper.phase_count;
            stepper_end(&stepper);
        }
        problem_destroy(problem);
    }
    return reading->phase_count > 0 || engine_of(run->solver) ||
           status_set(status, refused.code, "%s", refused.message);
}

static bool read_unknown(const SolverSet *set, const char *name, Status *status)
{
    Suggestion near = suggestion_for(name);
    for (int i = 0; i < set->count; i++)
        suggestion_offer(&near, set->solvers[i]->name);
    char text[SUGGESTION_TEXT];
    status_set(status, STATUS_USAGE, "unknown solver '%s'%s%s", name, suggestion_text(&near, text),
               near.best ? "" : "; rigor list solvers names them");
    return hint_unknown_solver(set, name, status);
}

static bool read_without_text(const Solver *solver, Status *status)
{
    char names[READ_TEXT] = "";
    for (const LectureText *text = lecture_texts; text->name; text++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] ? ", " : "", text->name);
    return status_set(status, STATUS_USAGE,
                      "--step fills in the numbers of a lecture text, and %s has none; these have: %s", solver->name,
                      names);
}

/* What belongs to the scene of a worked example says nothing without one. */
static bool read_check_options(const Arguments *arguments, Status *status)
{
    static const OptionId OF_STEP[] = {OPTION_PARAM,   OPTION_DETECT, OPTION_ORDER,
                                       OPTION_PERTURB, OPTION_FIRST,  OPTION_SWEEPS};
    for (size_t i = 0; i < sizeof OF_STEP / sizeof OF_STEP[0]; i++)
        if (arguments->given[OF_STEP[i]] && !arguments->given[OPTION_STEP])
            return status_set(status, STATUS_USAGE, "--%s belongs to --step SCENE", all_options[OF_STEP[i]].name);
    return true;
}

static bool read_show(const Reading *reading, bool json, Status *status)
{
    if (json) {
        json_t *document = read_head_json(reading);
        if (reading->text)
            json_object_set_new(document, "sections", read_sections_json(reading->text));
        return json_print(document, status);
    }
    Reader reader;
    if (!reader_open(&reader, status))
        return false;
    read_print_head(reading, &reader);
    if (reading->text)
        read_print_text(reading, &reader);
    else
        read_print_steps(reading, &reader);
    return reader_close(&reader, status);
}

static bool read_command(const Arguments *arguments, Status *status)
{
    const SolverSet *set = &arguments->solvers;
    bool step = arguments->given[OPTION_STEP];
    Status missing = {0};
    const char *name = arguments->operands[0];
    const Solver *solver = solver_set_find(set, name, &missing);
    if (!solver && strchr(name, ':')) /* options in place: what is wrong with them */
        return status_set(status, missing.code, "%s", missing.message);
    if (!solver)
        return read_unknown(set, name, status);
    const Solver *text = lecture_solver(solver);
    if (step && !text)
        return read_without_text(solver, status);
    if (!read_check_options(arguments, status))
        return false;
    Run run = {.dt = RUN_DEFAULT_DT};
    if (step && !arguments_named_scene(arguments, argument(arguments, OPTION_STEP), &run, status))
        return false;
    /* With options of its own a backend is read as they make it. */
    bool as_text = text && (step || solver == text || !arguments->given[OPTION_SOLVER_OPTION]);
    run_choose_solver(&run, as_text ? text : solver);
    Reading reading = {.run = &run, .text = as_text ? lecture_find(text->text_of) : NULL};
    if (!argument_seconds(arguments, OPTION_DT, RUN_DEFAULT_DT, &run.dt, status) ||
        !runs_assign_options(arguments, &run, 1, status) || !reading_plan(&reading, status))
        return false;
    return step ? read_step(arguments, &reading, status) : read_show(&reading, arguments->given[OPTION_JSON], status);
}

const Command command_read = {
    .name = "read",
    .operands = "SOLVER",
    .summary = "a solver as a text: the lecture's, section by section, or its phases in words and formulas",
    .help =
        "A solver that the lectures have is printed as they have it: what it keeps, then each part of a substep in "
        "its\n"
        "order, with its slide, the formula and the code, which runs (as lecture_NAME) and is tested against the fast\n"
        "backend. Any other solver, a variant, or one with options of its own (-s, or pgs:position=split) is printed "
        "as\n"
        "the phases that it runs with these options, each step in words and formulas with their values.\n\n"
        "--step SCENE works the text out in numbers: for the first substeps of that scene the error C, the Jacobian "
        "J,\n"
        "A_ii, the bias, lambda before and after, and what changes, row by row, as the run has them:\n"
        "    rigor read pgs --step pendulum -p links=2 --sweeps 3\n\n"
        "On a terminal the text is coloured (unless NO_COLOR is set) and paged (PAGER, else less).",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES(OPTION_STEP) | TAKES(OPTION_FIRST) | TAKES(OPTION_SWEEPS) | TAKES(OPTION_PARAM) |
               TAKES(OPTION_SOLVER_OPTION) | TAKES(OPTION_DT) | TAKES(OPTION_DETECT) | TAKES(OPTION_ORDER) |
               TAKES(OPTION_PERTURB) | TAKES(OPTION_JSON) | TAKES(OPTION_PLUGIN) | TAKES(OPTION_ENGINE),
    .only_reads = true,
    .run = read_command,
};
