/* SPDX-License-Identifier: MIT */
/* What a program does to a run and hears from it beyond its states (library/rigor.h): pushes, what a run says,
 * commands, recordings. */
#define _GNU_SOURCE /* mkstemps */
#include "library/rigor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* --- Pushing --- */

/* A servo, a motor, a torque motor, a cylinder with a target and one with a force, on bodies of their own. */
static RigorScene *build_drives(Rigor *rigor, double value, double force)
{
    static const char *const TYPES[] = {"servo", "motor", "motor", "cylinder", "cylinder"};
    static const char *const KEYS[] = {"target", "speed", "torque", "target", "force"};
    RigorScene *scene = rigor_scene_create(rigor, "drives");
    rigor_scene_set(scene, "collide", "\"none\"");
    for (int i = 0; i < 5; i++) {
        char name[2] = {(char)('a' + i), 0}, more[96], pushed[96];
        snprintf(more, sizeof more, "{\"%s\": %.17g%s}", KEYS[i], value, i == 0 ? ", \"max_torque\": 1e6" : "");
        snprintf(pushed, sizeof pushed, "{\"force\": [%.17g, 0.25, 0], \"torque\": [0, 0, %.17g]}", force, force);
        assert_int_equal(rigor_scene_add_body(scene, &(RigorBodyDef){.name = name,
                                                                     .shape = RIGOR_BOX,
                                                                     .size = {0.31, 0.42, 0.53},
                                                                     .position = {3.0 * i + 0.2, 0, 0},
                                                                     .more = pushed}),
                         RIGOR_OK);
        RigorJointDef joint = {.type = TYPES[i],
                               .name = name,
                               .body2 = name,
                               .anchor = {3.0 * i, 0, 0},
                               .axis = {0, 0.6, 0.8},
                               .more = more};
        assert_int_equal(rigor_scene_add_joint(scene, &joint), RIGOR_OK);
    }
    return scene;
}

enum { DRIVE_STATE = 5 * 13 };

/* The state after some frames of a scene whose numbers are its own, or are set before the first frame. */
static RigorStatus drive_state(Rigor *rigor, const char *solver, bool from_outside, double state[DRIVE_STATE])
{
    static const double VALUE = 0.37, FORCE = 11.3;
    RigorScene *scene = build_drives(rigor, from_outside ? 0.05 : VALUE, from_outside ? 0.5 : FORCE);
    RigorRun *run = rigor_run_open(scene, &(RigorPlan){.solver = solver, .time = 0.2});
    RigorStatus status = run ? RIGOR_OK : rigor_status(rigor);
    rigor_scene_close(scene);
    for (int i = 0; from_outside && i < 5 && status == RIGOR_OK; i++) {
        status = rigor_run_set_force(run, i, (double[]){FORCE, 0.25, 0}, (double[]){0, 0, FORCE});
        if (status == RIGOR_OK)
            status = rigor_run_set_drive(run, i, VALUE);
        assert_true(status != RIGOR_OK || rigor_run_drive(run, i) == VALUE);
    }
    while (status == RIGOR_OK)
        status = rigor_run_step(run);
    rigor_run_states(run, state, state + 15, state + 35, state + 50);
    rigor_run_close(run);
    return status;
}

static void what_is_set_before_the_first_frame_is_as_if_the_scene_said_it(void **state)
{
    Rigor *rigor = *state;
    int compared = 0;
    for (int i = 0; rigor_solver_name(rigor, i); i++) {
        const char *name = rigor_solver_name(rigor, i);
        static double own[DRIVE_STATE], set[DRIVE_STATE];
        RigorStatus pushed = drive_state(rigor, name, true, set);
        if (pushed != RIGOR_OVER && pushed != RIGOR_BLEW_UP)
            continue; /* refused: an engine, or no drives */
        assert_int_equal(drive_state(rigor, name, false, own), pushed);
        if (pushed == RIGOR_OVER && memcmp(own, set, sizeof own) != 0)
            fail_msg("%s: forces and drives set from outside are not those of a scene", name);
        compared++;
    }
    assert_true(compared > 15);
}

static void pushes_that_cannot_be_are_refused(void **state)
{
    Rigor *rigor = *state;
    RigorScene *scene = rigor_scene_open(rigor, "pendulum");
    RigorRun *run = rigor_run_open(scene, &(RigorPlan){.solver = "pgs", .time = 0.1});
    RigorRun *truth = rigor_run_open(scene, &(RigorPlan){.solver = "reference", .time = 0.1});
    rigor_scene_close(scene);
    assert_int_equal(rigor_run_set_force(NULL, 0, NULL, NULL), RIGOR_FAILED);
    assert_int_equal(rigor_run_set_force(run, 1, NULL, NULL), RIGOR_FAILED);
    assert_int_equal(rigor_run_set_force(run, 0, (double[]){0, NAN, 0}, NULL), RIGOR_USAGE);
    assert_int_equal(rigor_run_set_drive(run, 0, 1.0), RIGOR_USAGE);
    assert_non_null(strstr(rigor_message(rigor), "nothing drives this joint"));
    assert_true(isnan(rigor_run_drive(run, 0)));
    assert_int_equal(rigor_run_set_force(truth, 0, NULL, NULL), RIGOR_UNSUPPORTED);
    assert_int_equal(rigor_run_step(run), RIGOR_OK);
    assert_false(isnan(rigor_run_metric(run, "error_max")));
    assert_int_equal(rigor_run_set_force(run, 0, (double[]){0, 1, 0}, NULL), RIGOR_OK);
    assert_true(isnan(rigor_run_metric(run, "error_max"))); /* the truth is that of a pendulum left alone */
    rigor_run_close(run);
    rigor_run_close(truth);
}

static void a_run_says_what_the_program_says(void **state)
{
    Rigor *rigor = *state;
    RigorScene *scene = rigor_scene_open(rigor, "joint_gallery");
    RigorRun *run = rigor_run_open(scene, &(RigorPlan){.solver = "naive", .time = 2});
    rigor_scene_close(scene);
    while (rigor_run_step(run) == RIGOR_OK)
        continue;
    RigorWarning warning;
    assert_int_equal(rigor_run_warning(run, 0, &warning), RIGOR_OK);
    assert_non_null(strstr(warning.text, "joints came apart by"));
    assert_int_equal(rigor_run_warning(run, 5, &warning), RIGOR_FAILED);
    assert_int_equal(rigor_run_event(run, 0, &(RigorEvent){{0}, 0, 0}), RIGOR_FAILED);
    char verdict[64];
    snprintf(verdict, sizeof verdict, "\"verdict\": \"%s\"", rigor_run_verdict(run));
    assert_non_null(strstr(rigor_run_document(run), verdict));
    assert_null(rigor_run_verdict(NULL));
    assert_null(rigor_run_document(NULL));
    rigor_run_close(run);
}

static void an_event_of_the_solver_is_told(void **state)
{
    Rigor *rigor = *state;
    RigorScene *scene = rigor_scene_create(rigor, "deep");
    rigor_scene_add_body(scene, &(RigorBodyDef){.name = "ground", .shape = RIGOR_PLANE});
    rigor_scene_add_body(scene, &(RigorBodyDef){.name = "box", .shape = RIGOR_BOX, .size = {1, 1, 1}});
    RigorRun *run = rigor_run_open(scene, &(RigorPlan){.solver = "pgs", .time = 0.1});
    rigor_scene_close(scene);
    RigorEvent event = {{0}, 0, NAN};
    while (rigor_run_step(run) == RIGOR_OK)
        continue;
    assert_int_equal(rigor_run_event(run, 0, &event), RIGOR_OK);
    assert_true(strlen(event.what) > 0 && event.count > 0 && event.first_at >= 0.0);
    rigor_run_close(run);
}

/* --- Commands and recordings --- */

typedef struct Heard {
    int lines, stop_after;
    char last[256];
} Heard;

static int hear(void *context, const char *line)
{
    Heard *heard = context;
    if (line) {
        heard->lines++;
        snprintf(heard->last, sizeof heard->last, "%s", line);
    }
    return heard->stop_after > 0 && heard->lines >= heard->stop_after;
}

static void a_command_gives_its_output_and_its_message(void **state)
{
    Rigor *rigor = *state;
    const char *const version[] = {"version", NULL}, *const wrong[] = {"run", "pendlum", "pgs", NULL},
                      *const missing[] = {"check", "/no/such.json", NULL};
    assert_string_equal(rigor_output(rigor), "");
    assert_int_equal(rigor_command(rigor, version, NULL, NULL), RIGOR_OK);
    assert_non_null(strstr(rigor_output(rigor), rigor_version()));
    Heard heard = {0, 0, ""};
    assert_int_equal(rigor_command(rigor, wrong, hear, &heard), RIGOR_USAGE);
    assert_non_null(strstr(rigor_message(rigor), "unknown scene 'pendlum': did you mean 'pendulum'"));
    assert_int_equal(heard.lines, 1);
    assert_int_equal(rigor_command(rigor, missing, NULL, NULL), RIGOR_BAD_FILE);
    assert_int_equal(rigor_command(NULL, version, NULL, NULL), RIGOR_FAILED);
}

static int stop_at_once(void *context, const char *line)
{
    (void)context;
    (void)line;
    return 1;
}

/* Half an hour of work, if it went on. */
static void a_command_is_stopped(void **state)
{
    Rigor *rigor = *state;
    const char *const words[] = {"run", "pile", "pgs", "-p", "spheres=3000", "--time", "1000", NULL};
    assert_int_equal(rigor_command(rigor, words, stop_at_once, NULL), RIGOR_FAILED);
    assert_string_equal(rigor_message(rigor), "stopped");
}

static void a_recorded_run_is_a_file_once_it_is_finished(void **state)
{
    Rigor *rigor = *state;
    char path[] = "/tmp/rigor_XXXXXX.h5";
    int file = mkstemps(path, 3);
    assert_true(file >= 0);
    close(file);
    RigorScene *scene = rigor_scene_open(rigor, "pendulum");
    RigorRun *run = rigor_run_record(scene, &(RigorPlan){.solver = "pgs", .time = 0.1}, path);
    rigor_scene_close(scene);
    assert_int_equal(rigor_run_step(run), RIGOR_OK);
    assert_int_equal(rigor_run_finish(run), RIGOR_OK);
    assert_int_equal(rigor_run_finish(run), RIGOR_FAILED);
    assert_int_equal(rigor_run_step(run), RIGOR_OVER);
    rigor_run_close(run);
    char bytes[9] = {0};
    FILE *written = fopen(path, "rb");
    assert_true(written && fread(bytes, 1, 8, written) == 8);
    fclose(written);
    assert_memory_equal(bytes, "\211HDF\r\n\032\n", 8);
    remove(path);
    assert_null(rigor_run_record(NULL, &(RigorPlan){.solver = "pgs"}, path));
}

static int set_up(void **state)
{
    return (*state = rigor_open()) ? 0 : 1;
}

static int take_down(void **state)
{
    rigor_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_set_before_the_first_frame_is_as_if_the_scene_said_it),
        cmocka_unit_test(pushes_that_cannot_be_are_refused),
        cmocka_unit_test(a_run_says_what_the_program_says),
        cmocka_unit_test(an_event_of_the_solver_is_told),
        cmocka_unit_test(a_command_gives_its_output_and_its_message),
        cmocka_unit_test(a_command_is_stopped),
        cmocka_unit_test(a_recorded_run_is_a_file_once_it_is_finished),
    };
    return cmocka_run_group_tests(tests, set_up, take_down);
}
