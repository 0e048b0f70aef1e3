/* SPDX-License-Identifier: MIT */
#include "bench/run/recording.h"
#include "model/energy.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#include <hdf5.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A two-link pendulum with xpbd. */
static Run pendulum_run(double time)
{
    Run run = {.dt = 1.0 / 60.0, .time = time};
    Status status = {0};
    assert_true(run_choose_scene(&run, "pendulum", &status));
    assert_true(run_set_param(&run, "links", "2", &status));
    for (int i = 0; i < solver_count; i++)
        if (strcmp(all_solvers[i]->name, "xpbd") == 0)
            run_choose_solver(&run, all_solvers[i]);
    assert_non_null(run.solver);
    return run;
}

static void temporary_path(char path[64])
{
    snprintf(path, 64, "/tmp/rigor_recording_XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
}

/* A dataset's numbers, freed by the caller; its shape, padded with ones. */
static double *read_numbers(hid_t file, const char *name, hsize_t shape[3])
{
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset < 0)
        fail_msg("there is no %s", name);
    hid_t space = H5Dget_space(dataset);
    shape[0] = shape[1] = shape[2] = 1;
    H5Sget_simple_extent_dims(space, shape, NULL);
    double *numbers = malloc(sizeof(double) * (size_t)H5Sget_simple_extent_npoints(space) + 1);
    assert_non_null(numbers);
    if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) < 0)
        fail_msg("%s cannot be read", name);
    H5Sclose(space);
    H5Dclose(dataset);
    return numbers;
}

static json_t *read_document(hid_t file, const char *name)
{
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    assert_true(attribute >= 0);
    hid_t type = H5Aget_type(attribute);
    char *text = NULL;
    assert_true(H5Aread(attribute, type, &text) >= 0);
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(document);
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(attribute);
    return document;
}

static hid_t open_recording(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        fail_msg("%s cannot be opened", path);
    return file;
}

static void check_shape(hid_t file, const char *name, hsize_t a, hsize_t b, hsize_t c)
{
    hsize_t shape[3];
    free(read_numbers(file, name, shape));
    if (shape[0] != a || shape[1] != b || shape[2] != c)
        fail_msg("%s is %d x %d x %d", name, (int)shape[0], (int)shape[1], (int)shape[2]);
}

/* 1003 frames: several chunks and a part of one. */
static void recording_has_every_frame_as_the_run_had_it(void **state)
{
    (void)state;
    char path[64];
    temporary_path(path);
    Run run = pendulum_run(1003.0 / 60.0);
    assert_true(run_make_recorded(&run, path));
    hid_t file = open_recording(path);
    check_shape(file, "time", 1004, 1, 1);
    check_shape(file, "position", 1004, 2, 3);
    check_shape(file, "orientation", 1004, 2, 4);
    check_shape(file, "velocity", 1004, 2, 3);
    check_shape(file, "angular_velocity", 1004, 2, 3);
    check_shape(file, "metrics/drift_max", 1004, 1, 1);
    check_shape(file, "contacts/offset", 1004, 1, 1);
    check_shape(file, "contacts/point", 0, 3, 1);
    assert_true(H5Lexists(file, "metrics/momentum_error", H5P_DEFAULT) == 0); /* does not apply here */

    hsize_t shape[3];
    double *time = read_numbers(file, "time", shape), *x = read_numbers(file, "position", shape);
    double *drift = read_numbers(file, "metrics/drift_max", shape), largest = 0.0;
    assert_near(time[0], 0.0, 0.0);
    assert_near(time[1003], 1003.0 * run.dt, 0.0);
    assert_near(x[0], 0.5,
                1e-15); /* the first link begins along +x, its centre at half its length: round-off of trig */
    Vec3 end = run.problem->world->pose[2].x;
    assert_vec3_near(vec3(x[6 * 1003 + 3], x[6 * 1003 + 4], x[6 * 1003 + 5]), end, 0.0);
    assert_true(isnan(drift[0]));
    for (int i = 1; i <= 1003; i++)
        largest = fmax(largest, drift[i]);
    assert_near(largest, run.result.metrics[metric_find("drift_max")], 0.0);
    free(time);
    free(x);
    free(drift);
    H5Fclose(file);
    run_clear(&run);
    unlink(path);
}

static void joints_have_their_reactions_and_errors(void **state)
{
    (void)state;
    char path[64];
    temporary_path(path);
    Run run = pendulum_run(0.5);
    assert_true(run_make_recorded(&run, path));
    hid_t file = open_recording(path);
    check_shape(file, "joints/torque", 31, 2, 3);
    hsize_t shape[3];
    double *force = read_numbers(file, "joints/force", shape), *error = read_numbers(file, "joints/error", shape);
    assert_true(shape[0] == 31 && shape[1] == 2 && shape[2] == 2);
    const World *world = run.problem->world;
    double largest = 0.0;
    assert_true(isnan(force[0])); /* before the first frame */
    for (int j = 0; j < 2; j++) {
        Vec3 expected, torque;
        const double *last = force + (30 * 2 + j) * 3;
        world_reaction(world, j, run.dt, &expected, &torque);
        assert_vec3_near(vec3(last[0], last[1], last[2]), expected, 0.0);
        assert_true(vec3_norm(expected) > 1.0);
    }
    for (int i = 0; i < 31 * 2; i++)
        largest = fmax(largest, error[2 * i]);
    assert_near(largest, run.result.metrics[metric_find("drift_max")], 0.0);
    free(force);
    free(error);
    H5Fclose(file);
    run_clear(&run);
    unlink(path);
}

/* A box at rest: its weight for a frame, whatever the substeps. */
static void contact_impulses_are_those_of_the_whole_frame(void **state)
{
    (void)state;
    char path[64];
    temporary_path(path);
    Run run = pendulum_run(1.0);
    Status status = {0};
    assert_true(run_choose_scene(&run, "stack", &status));
    assert_true(run_set_param(&run, "boxes", "1", &status) && run_set_option(&run, "substeps", "7", &status));
    assert_true(run_make_recorded(&run, path));
    hid_t file = open_recording(path);
    hsize_t shape[3];
    double *impulse = read_numbers(file, "contacts/impulse", shape), sum = 0.0;
    hsize_t rows = shape[0];
    double *offset = read_numbers(file, "contacts/offset", shape);
    for (hsize_t i = (hsize_t)offset[60]; i < rows; i++)
        sum += impulse[3 * i + 1];
    const World *world = run.problem->world;
    double weight = 0.0;
    for (int i = 1; i < world->body_count; i++)
        weight += world_is_fixed(world, i) ? 0.0 : world->mass[i].mass * vec3_norm(world->gravity);
    /* What is left of its settling moves it by less than a thousandth of g. */
    assert_near(sum / (weight * run.dt), 1.0, 1e-3);
    free(impulse);
    free(offset);
    H5Fclose(file);
    run_clear(&run);
    unlink(path);
}

static void attributes_say_what_was_run(void **state)
{
    (void)state;
    char path[64];
    temporary_path(path);
    Run run = pendulum_run(0.5);
    assert_true(run_make_recorded(&run, path));
    hid_t file = open_recording(path);
    json_t *document = read_document(file, "run"), *scene = read_document(file, "scene");
    assert_string_equal(json_string_value(json_object_get(document, "status")), "ok");
    assert_string_equal(json_string_value(json_object_get(document, "solver")), "xpbd");
    assert_int_equal(json_array_size(json_object_get(scene, "bodies")), 2);
    json_decref(document);
    json_decref(scene);
    H5Fclose(file);
    run_clear(&run);
    unlink(path);
}

/* Every frame that the partial file says it has equals that of the whole one, as far as that goes. */
static hsize_t check_partial(const char *path, const double *whole, hsize_t known)
{
    hid_t file = open_recording(path);
    hsize_t shape[3];
    double *x = read_numbers(file, "position", shape);
    hsize_t frames = shape[0];
    double *time = read_numbers(file, "time", shape);
    assert_int_equal(shape[0], frames);
    for (hsize_t i = 0; i < 6 * (frames < known ? frames : known); i++)
        assert_near(x[i], whole[i], 0.0);
    for (hsize_t i = 0; i < frames; i++)
        assert_near(time[i], (double)i * (1.0 / 60.0), 0.0);
    json_t *document = read_document(file, "run");
    assert_string_equal(json_string_value(json_object_get(document, "status")), "unfinished");
    json_decref(document);
    free(x);
    free(time);
    H5Fclose(file);
    return frames;
}

/* Waits until the file has at least this many bytes; returns how many it has. It appears as the run begins. */
static off_t wait_for(const char *path, off_t bytes)
{
    struct timespec pause = {.tv_nsec = 100000};
    struct stat file;
    while (stat(path, &file) != 0 || file.st_size < bytes)
        nanosleep(&pause, NULL);
    return file.st_size;
}

/* Kills a child that records a long run; writing and copying take a fair part of its time. */
static void killed_recording_opens_up_to_its_last_chunk(void **state)
{
    (void)state;
    enum { KILLS = 10 };
    char path[64], part[112];
    temporary_path(path);
    Run run = pendulum_run(5000.0); /* s, far more than a child gets done before it is killed */
    Run whole = pendulum_run(300.0);
    assert_true(run_make_recorded(&whole, path));
    hid_t file = open_recording(path);
    hsize_t shape[3];
    double *positions = read_numbers(file, "position", shape);
    hsize_t known = shape[0];
    H5Fclose(file);
    run_clear(&whole);
    Random random = {917};
    for (int i = 0; i < KILLS; i++) {
        unlink(path);
        pid_t child = fork();
        if (child == 0) {
            run_make_recorded(&run, path);
            _exit(0);
        }
        wait_for(path, 1); /* the first chunk, however slow the machine is */
        struct timespec pause = {.tv_nsec = (long)random_in(&random, 0.0, 80e6)};
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        int how;
        waitpid(child, &how, 0);
        for (int k = 0; k < 2; k++) { /* the recording and its copy */
            snprintf(part, sizeof part, "%s.%ld-%d.part", path, (long)child, k);
            unlink(part);
        }
        assert_true(WIFSIGNALED(how)); /* else it was done before */
        hsize_t frames = check_partial(path, positions, known);
        assert_int_equal(frames % 256, 0);
        assert_true(frames > 0);
    }
    free(positions);
    unlink(path);
}

/* Whenever the kill comes: the recording that was there is the same to the byte. */
static void killed_recording_leaves_the_one_that_was_there(void **state)
{
    (void)state;
    char path[64], copy[80], command[256];
    temporary_path(path);
    Run good = pendulum_run(2.0), run = pendulum_run(5000.0);
    assert_true(run_make_recorded(&good, path));
    run_clear(&good);
    snprintf(copy, sizeof copy, "%s.good", path);
    snprintf(command, sizeof command, "cp %s %s", path, copy);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "cmp -s %s %s", path, copy);
    Random random = {31};
    for (int i = 0; i < 12; i++) {
        int how;
        pid_t child = fork();
        if (child == 0) {
            run_make_recorded(&run, path);
            _exit(0);
        }
        struct timespec pause = {.tv_nsec = (long)random_in(&random, 0.0, i < 6 ? 5e6 : 200e6)};
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        waitpid(child, &how, 0);
        assert_true(WIFSIGNALED(how));
        assert_int_equal(system(command), 0);
    }
    snprintf(command, sizeof command, "rm -f %s*", path);
    assert_int_equal(system(command), 0);
}

static void file_that_cannot_be_written_is_a_run_not_made(void **state)
{
    (void)state;
    Run run = pendulum_run(0.5);
    assert_false(run_make_recorded(&run, "/nonexistent/folder/x.h5"));
    assert_int_equal(run.status.code, STATUS_FAILED);
    assert_non_null(strstr(run.status.message, "/nonexistent/folder/x.h5: cannot be written: No such"));
    run_clear(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recording_has_every_frame_as_the_run_had_it),
        cmocka_unit_test(joints_have_their_reactions_and_errors),
        cmocka_unit_test(contact_impulses_are_those_of_the_whole_frame),
        cmocka_unit_test(attributes_say_what_was_run),
        cmocka_unit_test(killed_recording_opens_up_to_its_last_chunk),
        cmocka_unit_test(killed_recording_leaves_the_one_that_was_there),
        cmocka_unit_test(file_that_cannot_be_written_is_a_run_not_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
