/* SPDX-License-Identifier: MIT */
/* The truth by `reference`: what the metrics make of it, and its files. */
#include "bench/files/sha256.h"
#include "bench/run/run.h"
#include "bench/truth/reference_cache.h"
#include "bench/truth/reference_truth.h"
#include "model/random.h"
#include "tests/support/scratch.h"

#include <dirent.h>
#include <gsl/gsl_errno.h>
#include <sys/stat.h>
#include <time.h>

extern const Solver reference_solver, direct_solver, kkt_solver, xpbd_solver;

static const double DT = 1.0 / 50;

static Run chain_run(const Solver *solver, const char *links, double time)
{
    Run run = {.dt = DT, .time = time};
    Status status = {0};
    assert_true(run_choose_scene(&run, "chain", &status));
    assert_true(run_set_param(&run, "links", links, &status));
    run_choose_solver(&run, solver);
    return run;
}

static double metric(const Run *run, const char *name)
{
    return run->result.metrics[metric_find(name)];
}

static void use_cache(const char *folder)
{
    assert_int_equal(setenv("RIGOR_CACHE", folder, 1), 0);
}

/* The one file in a folder; its name is left in `path`. Returns how many there are. */
static int files_in(const char *folder, char path[512])
{
    int count = 0;
    DIR *entries = opendir(folder);
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries))
        if (entry->d_name[0] != '.') {
            snprintf(path, 512, "%s/%s", folder, entry->d_name);
            count++;
        }
    if (entries)
        closedir(entries);
    return count;
}

/* kkt with RK4 at so many substeps. */
static Run rk4_run(const char *substeps)
{
    Run run = chain_run(&kkt_solver, "3", 0.4);
    Status status = {0};
    assert_true(run_set_option(&run, "integrator", "rk4", &status) &&
                run_set_option(&run, "substeps", substeps, &status));
    assert_true(run_make(&run, NULL));
    return run;
}

static void runs_are_held_against_the_reference(void **state)
{
    (void)state;
    use_cache("");
    Run coarse = rk4_run("10"), fine = rk4_run("20");
    static const char *const names[] = {"error_max",       "error_rms",       "error_end",
                                        "error_angle_max", "error_angle_end", "force_error"};
    for (int i = 0; i < 6; i++)
        assert_near(log2(metric(&coarse, names[i]) / metric(&fine, names[i])), 4.0, 0.2); /* 1 + O(h) */
    assert_true(isnan(fine.result.error_estimate) && fine.truth_error > 0.0);
    run_clear(&coarse);
    run_clear(&fine);
}

/* Order 4 meets the truth's own error: there an error has no value, and it is said why; far from it, it has one. */
static void an_error_that_the_truth_may_have_made_is_not_stated(void **state)
{
    (void)state;
    use_cache("");
    Run coarse = rk4_run("10"), finest = rk4_run("400");
    assert_true(metric(&coarse, "error_max") >= 10.0 * coarse.truth_error);
    assert_true(isnan(metric(&finest, "error_max")) && isnan(metric(&finest, "error_angle_end")));
    assert_true(metric(&finest, "force_error") > 0.0);
    assert_null(coarse.problem->notes);
    assert_non_null(strstr(finest.problem->notes, "errors too small to tell: the truth itself is known to"));
    run_clear(&coarse);
    run_clear(&finest);
}

static void horizons_end_where_the_estimate_passes_them(void **state)
{
    (void)state;
    Horizons horizons = {0};
    char text[HORIZON_TEXT];
    static const double ERRORS[] = {3e-13, 1e-9, 1.1e-9, 9e-7, 2e-6, 5e-4};
    for (int i = 0; i < 6; i++)
        horizons_note(&horizons, 0.5 * (i + 1), ERRORS[i]);
    assert_true(horizons.until[0] == 1.0 && horizons.until[1] == 2.0 && horizons.until[2] == 3.0);
    assert_string_equal(horizons_text(&horizons, 3.0, text), "known to 1e-09 m until 1 s, to 1e-06 m until 2 s");
    assert_string_equal(horizons_text(&horizons, 1.0, text), "");
}

static void the_reference_is_its_own_truth_and_states_its_error(void **state)
{
    (void)state;
    use_cache("");
    Run run = chain_run(&reference_solver, "3", 0.4);
    assert_true(run_make(&run, NULL));
    assert_true(isnan(metric(&run, "error_max")) && metric(&run, "force_error") == 0.0); /* held against itself */
    assert_true(run.result.error_estimate > 0.0 && run.result.error_estimate < 1e-10);
    assert_true(run.truth_error == run.result.error_estimate);
    run_clear(&run);
}

static void a_longer_motion_serves_a_shorter_run(void **state)
{
    (void)state;
    use_cache("");
    ReferenceTruths *truths = reference_truths_create();
    Status status = {0};
    Run run = chain_run(&xpbd_solver, "2", 1.0);
    Problem *one = run_build(&run, &status), *two = run_build(&run, &status), *three = run_build(&run, &status);
    const ReferencePath *longer = reference_truths_find(truths, one, DT, 20, &status);
    assert_non_null(longer);
    assert_int_equal(longer->frames, 20);
    Vec3 fifth = longer->poses[4 * longer->bodies + 2].x;
    assert_ptr_equal(reference_truths_find(truths, two, DT, 5, &status), longer);
    assert_vec3_near(two->world->pose[2].x, three->world->pose[2].x, 0.0); /* was not run again */
    const ReferencePath *another = reference_truths_find(truths, three, 2 * DT, 5, &status);
    assert_ptr_not_equal(another, longer);
    assert_true(vec3_norm(vec3_sub(another->poses[4 * another->bodies + 2].x, fifth)) > 1e-3);
    reference_truths_destroy(truths);
    problem_destroy(one);
    problem_destroy(two);
    problem_destroy(three);
}

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* A chain of 10^6 links has its first frame without a minute's work for the name of a truth that is not to be had. */
static void what_is_too_large_is_refused_before_its_text_is_made(void **state)
{
    (void)state;
    use_cache("");
    ReferenceTruths *truths = reference_truths_create();
    Status status = {0};
    Run run = chain_run(&xpbd_solver, "1500", 1.0);
    Problem *problem = run_build(&run, &status);
    double begin = cpu_seconds();
    assert_null(reference_truths_find(truths, problem, DT, 1, &status));
    double refused = cpu_seconds();
    char *text = problem_write(problem);
    double written = cpu_seconds();
    assert_string_equal(status.message, "4500 rows are more than 3000");
    assert_non_null(text);
    assert_true(refused - begin < 0.5 * (written - refused)); /* here a thousandth of it */
    free(text);
    problem_destroy(problem);
    reference_truths_destroy(truths);
}

/* One run with the cache; returns error_end. */
static double cached_error(const char *links, double time)
{
    Run run = chain_run(&xpbd_solver, links, time);
    assert_true(run_make(&run, NULL));
    assert_null(run.problem->notes);
    double error = metric(&run, "error_end");
    run_clear(&run);
    return error;
}

static void files_are_kept_once_and_read_back(void **state)
{
    Scratch *scratch = *state;
    char folder[160], path[512];
    struct stat first, second, longer;
    snprintf(folder, sizeof folder, "%s/deep/cache", scratch->folder);
    use_cache(folder);
    double error = cached_error("3", 0.5);
    assert_int_equal(files_in(folder, path), 1);
    assert_int_equal(stat(path, &first), 0);
    assert_true(cached_error("3", 0.5) == error);
    assert_true(cached_error("3", 0.3) > 0.0);
    assert_int_equal(stat(path, &second), 0);
    assert_true(first.st_ino == second.st_ino); /* a file that serves is not written again */
    assert_true(cached_error("3", 0.7) > 0.0);
    assert_int_equal(stat(path, &longer), 0);
    assert_true(longer.st_size > first.st_size);
    assert_true(cached_error("3", 0.5) == error);
    assert_true(cached_error("4", 0.5) != error);
    assert_int_equal(files_in(folder, path), 2);
}

/* As many poses, forces and errors as both have. */
static bool paths_agree(const ReferencePath *one, const ReferencePath *two)
{
    size_t frames = (size_t)one->frames, bodies = (size_t)one->bodies, joints = (size_t)one->joints;
    return one->frames == two->frames && one->end == two->end && one->has_forces == two->has_forces &&
           memcmp(one->poses, two->poses, sizeof *one->poses * frames * bodies) == 0 &&
           memcmp(one->forces, two->forces, sizeof *one->forces * frames * joints) == 0 &&
           memcmp(one->errors, two->errors, sizeof *one->errors * frames) == 0;
}

/* With the cache as it is; NULL: reference refuses the scene, or gives up before that. */
static const ReferencePath *find_path(ReferenceTruths *truths, const Scene *scene, int frames)
{
    Status status = {0};
    Problem *problem = scene_build(scene, NULL, &status);
    assert_non_null(problem);
    bool small = problem->world->body_count <= 20 && problem->world->joint_count <= 20;
    const ReferencePath *path = small ? reference_truths_find(truths, problem, DT, frames, &status) : NULL;
    problem_destroy(problem);
    return path;
}

/* Whatever the scene has: trees and loops, limits, drives, springs, impacts, bodies that are taken out. */
static void a_motion_that_was_cut_off_goes_on_with_the_same_bits(void **state)
{
    Scratch *scratch = *state;
    int compared = 0;
    use_cache(scratch->folder);
    for (int i = 0; i < scene_count; i++) {
        ReferenceTruths *first = reference_truths_create(), *second = reference_truths_create(),
                        *whole = reference_truths_create();
        use_cache(scratch->folder);
        if (find_path(first, all_scenes[i], 7)) {
            const ReferencePath *resumed = find_path(second, all_scenes[i], 20);
            use_cache("");
            const ReferencePath *direct = find_path(whole, all_scenes[i], 20);
            assert_true((resumed == NULL) == (direct == NULL));
            if (resumed && !paths_agree(resumed, direct))
                fail_msg("%s goes on in another way", all_scenes[i]->name);
            compared += resumed != NULL;
        }
        reference_truths_destroy(first);
        reference_truths_destroy(second);
        reference_truths_destroy(whole);
    }
    assert_true(compared >= 10);
}

static void damage(const char *path, long at, bool cut)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    if (cut) {
        assert_int_equal(ftruncate(fileno(file), at), 0);
    } else {
        fseek(file, at, SEEK_SET);
        int byte = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(byte ^ 0x10, file);
    }
    assert_int_equal(fclose(file), 0);
}

static void damaged_files_are_passed_over_and_replaced(void **state)
{
    Scratch *scratch = *state;
    char path[512];
    struct stat facts, after;
    use_cache(scratch->folder);
    double error = cached_error("2", 0.4);
    assert_int_equal(files_in(scratch->folder, path), 1);
    assert_int_equal(stat(path, &facts), 0);
    long size = (long)facts.st_size;
    const long places[] = {0, 9, 14, 19, 27, size / 2, size - 3};
    for (int i = 0; i < 14; i++) {
        damage(path, places[i % 7], i >= 7);
        assert_true(cached_error("2", 0.4) == error);
        assert_int_equal(stat(path, &after), 0);
        assert_int_equal(after.st_size, size);
    }
    assert_int_equal(files_in(scratch->folder, path), 1);
}

/* Puts the hash in order behind whatever was changed: the file is whole, and false. */
static void forge(const char *path, const unsigned char *bytes, size_t size)
{
    const char *name = strrchr(path, '/') + 1;
    char key[SHA256_TEXT] = "", hash[SHA256_TEXT];
    memcpy(key, name, SHA256_TEXT - 1);
    Sha256 content = sha256_begin();
    sha256_add_text(&content, key);
    sha256_add(&content, bytes, size - SHA256_TEXT);
    sha256_text(&content, hash);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size - SHA256_TEXT, file), size - SHA256_TEXT);
    assert_int_equal(fwrite(hash, 1, SHA256_TEXT, file), SHA256_TEXT);
    assert_int_equal(fclose(file), 0);
}

static unsigned char *file_bytes(const char *path, size_t *size)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    unsigned char *bytes = malloc((size_t)facts.st_size);
    FILE *file = fopen(path, "rb");
    assert_true(file && fread(bytes, 1, (size_t)facts.st_size, file) == (size_t)facts.st_size);
    fclose(file);
    *size = (size_t)facts.st_size;
    return bytes;
}

/* A longer run than the one that was kept: it goes on from the state, or says why not. NaN: no truth. */
static double longer_error(void)
{
    Run run = chain_run(&xpbd_solver, "2", 0.5);
    assert_true(run_make(&run, NULL));
    double error = metric(&run, "error_end");
    run_clear(&run);
    return error;
}

/* Every word of a file takes every value that hurts, with a valid hash: nothing crashes, and what is believed
 * afterwards is finite. GSL's handler is off, as in the program. */
static void forged_files_with_a_valid_hash_are_survived(void **state)
{
    static const double HURTS[] = {NAN, INFINITY, -1.0, 1e300, 5e-324, 7e22};
    Scratch *scratch = *state;
    char path[512];
    size_t size;
    gsl_set_error_handler_off();
    use_cache(scratch->folder);
    cached_error("2", 0.4);
    assert_int_equal(files_in(scratch->folder, path), 1);
    unsigned char *good = file_bytes(path, &size), *bad = malloc(size);
    Random random = {7};
    int tried = 0;
    for (size_t at = 8; at + 8 <= size - SHA256_TEXT; at += 4, tried++) {
        memcpy(bad, good, size);
        if (tried % 3 == 0)
            memcpy(bad + at, &HURTS[tried / 3 % 6], 8);
        else if (tried % 3 == 1)
            memcpy(bad + at, (int[]){1 << 30}, sizeof(int));
        else
            for (size_t i = at; i < size - SHA256_TEXT; i++) /* from here on noise */
                bad[i] = (unsigned char)(random_bits(&random) >> 40);
        forge(path, bad, size);
        double error = longer_error();
        if (!isnan(error) && !(error < 1e30))
            fail_msg("byte %zu: an error of %g is believed", at, error);
    }
    assert_true(tried > 300);
    free(good);
    free(bad);
}

/* Two frames of two bodies and a joint, all of it possible; freed by the caller. */
static ReferencePath made_path(void)
{
    ReferencePath path;
    assert_true(reference_path_allocate(&path, 2, 1, 2));
    path.frames = 2;
    path.has_forces = true;
    for (int i = 0; i < 4; i++)
        path.poses[i] = (Pose){vec3(1.5 + i, -2.25, 0.125), QUAT_IDENTITY};
    for (int i = 0; i < 2; i++) {
        path.forces[i] = vec3(3.5, -9.81 * i, 0.0);
        path.errors[i] = 1e-9 * (i + 1);
    }
    return path;
}

/* Whatever the one number is, nothing but what can be is read back. */
static void numbers_that_no_motion_has_are_not_read_back(void **state)
{
    static const char KEY[SHA256_TEXT] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    static const double BAD[] = {NAN, INFINITY, -INFINITY, 1e31, -1e300};
    Scratch *scratch = *state;
    use_cache(scratch->folder);
    ReferencePath good = made_path(), back;
    reference_cache_write(KEY, &good);
    assert_true(reference_cache_read(KEY, &back));
    assert_memory_equal(back.poses, good.poses, 4 * sizeof *good.poses);
    reference_path_free(&back);
    double *const numbers[] = {&good.poses[0].x.x, &good.poses[3].x.y, &good.poses[1].x.z, &good.poses[0].q.w,
                               &good.poses[2].q.x, &good.poses[1].q.y, &good.poses[3].q.z, &good.forces[0].x,
                               &good.forces[1].y,  &good.forces[1].z,  &good.errors[0],    &good.errors[1]};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
            double kept = *numbers[k];
            *numbers[k] = BAD[i];
            reference_cache_write(KEY, &good);
            *numbers[k] = kept;
            if (reference_cache_read(KEY, &back))
                fail_msg("number %zu is read back as %g", k, BAD[i]);
        }
    good.errors[1] = 0.5 * good.errors[0]; /* an estimate never shrinks */
    reference_cache_write(KEY, &good);
    assert_false(reference_cache_read(KEY, &back));
    reference_path_free(&good);
}

/* Off by a metre, and in order otherwise: whose it is decides. */
static void files_of_others_are_passed_over(void **state)
{
    static const char *const WAYS[] = {"uid", "group", "world", "link", "pipe", "folder"};
    Scratch *scratch = *state;
    char path[512], aside[600];
    size_t size;
    use_cache(scratch->folder);
    double error = cached_error("2", 0.4);
    assert_int_equal(files_in(scratch->folder, path), 1);
    snprintf(aside, sizeof aside, "%s/.aside", scratch->folder);
    for (size_t i = 0; i < sizeof WAYS / sizeof WAYS[0]; i++) {
        unsigned char *bytes = file_bytes(path, &size);
        for (size_t at = 40; at < size / 2; at += sizeof(double)) { /* positions and turns */
            double number;
            memcpy(&number, bytes + at, sizeof number);
            number += 0.7;
            memcpy(bytes + at, &number, sizeof number);
        }
        forge(path, bytes, size);
        const char *way = WAYS[i];
        if (strcmp(way, "uid") == 0)
            assert_true(geteuid() != 0 || chown(path, 65534, 65534) == 0);
        else if (strcmp(way, "group") == 0 || strcmp(way, "world") == 0)
            assert_int_equal(chmod(path, way[0] == 'g' ? 0620 : 0602), 0);
        else
            assert_int_equal(rename(path, aside), 0);
        if (strcmp(way, "link") == 0)
            assert_int_equal(symlink(".aside", path), 0);
        else if (strcmp(way, "pipe") == 0)
            assert_int_equal(mkfifo(path, 0600), 0);
        else if (strcmp(way, "folder") == 0)
            assert_int_equal(mkdir(path, 0700), 0);
        else if (strcmp(way, "uid") == 0 && geteuid() != 0)
            unlink(path); /* nobody can give it away: left to who can */
        double again = cached_error("2", 0.4);
        if (again != error)
            fail_msg("%s: %g is believed, not %g", way, again, error);
        if (strcmp(way, "link") == 0) { /* replaced, and what it pointed to is as it was */
            size_t now;
            unsigned char *left = file_bytes(aside, &now);
            assert_true(now == size && memcmp(left, bytes, size - SHA256_TEXT) == 0);
            free(left);
        }
        free(bytes);
        if (strcmp(way, "folder") == 0)
            assert_int_equal(rmdir(path), 0);
    }
    /* A folder that is trusted is believed, and that is what the setting means. */
    assert_true(cached_error("2", 0.4) == error);
    unsigned char *bytes = file_bytes(path, &size);
    ((double *)(bytes + 40))[7] += 1.0; /* the second body's x in the first frame */
    forge(path, bytes, size);
    free(bytes);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(setenv("RIGOR_CACHE_TRUST", "folder", 1), 0);
    Run run = chain_run(&xpbd_solver, "2", 0.4);
    assert_true(run_make(&run, NULL));
    assert_true(metric(&run, "error_max") > 0.5);
    run_clear(&run);
    unsetenv("RIGOR_CACHE_TRUST");
}

static void a_cache_that_cannot_be_written_costs_only_time(void **state)
{
    Scratch *scratch = *state;
    char folder[160];
    scratch_write(scratch, "file", "in the way");
    snprintf(folder, sizeof folder, "%s/file/cache", scratch->folder);
    use_cache("");
    double error = cached_error("2", 0.4);
    use_cache(folder);
    assert_true(cached_error("2", 0.4) == error);
}

static void what_reference_cannot_give_is_said_and_left_out(void **state)
{
    Scratch *scratch = *state;
    use_cache("");
    Run large = chain_run(&xpbd_solver, "1100", 0.02);
    assert_true(run_make(&large, NULL));
    assert_true(isnan(metric(&large, "error_max")) && isnan(large.truth_error));
    assert_string_equal(large.problem->notes, "no truth by reference: 3300 rows are more than 3000\n");
    run_clear(&large);

    const char *rubbing = "{\"rigor\": 1, \"name\": \"r\", \"time\": 0.1, \"materials\": {\"m\": {\"friction\": 0.3, "
                          "\"patch_radius\": 0.1}}, \"bodies\": ["
                          "{\"name\": \"a\", \"density\": 100, \"material\": \"m\", \"position\": [0,1,0],"
                          " \"shape\": {\"sphere\": {\"radius\": 0.2}}}, {\"name\": \"b\", \"fixed\": true,"
                          " \"shape\": {\"plane\": {\"normal\": [0,1,0], \"offset\": 0}}}],"
                          " \"collide\": \"all\", \"expect\": {\"truth\": \"reference\"}}";
    Run run = {.dt = DT, .time = NAN};
    Status status = {0};
    char path[128];
    snprintf(path, sizeof path, "%s", scratch_write(scratch, "rubs.json", rubbing));
    if (!run_choose_scene(&run, path, &status))
        fail_msg("%s", status.message);
    run_choose_solver(&run, &xpbd_solver);
    if (!run_make(&run, NULL))
        fail_msg("%s", run.status.message);
    assert_true(isnan(metric(&run, "error_max")));
    assert_non_null(
        strstr(run.problem->notes, "no truth by reference: solver reference cannot run this scene: material 'm'"));
    run_clear(&run);
}

static Run cloth_run(const char *nx, const char *ny, double time, const char *substeps)
{
    Run run = {.dt = DT, .time = time};
    Status status = {0};
    assert_true(run_choose_scene(&run, "cloth", &status));
    assert_true(run_set_param(&run, "nx", nx, &status) && run_set_param(&run, "ny", ny, &status));
    run_choose_solver(&run, &direct_solver);
    assert_true(run_set_option(&run, "substeps", substeps, &status));
    assert_true(run_make(&run, NULL));
    return run;
}

/* Two routes that share no integrator: if the truth were another, errors would end at their distance. */
static void direct_comes_to_the_truth_of_a_cloth_with_order_1(void **state)
{
    (void)state;
    use_cache("");
    Run coarse = cloth_run("6", "5", 0.3, "80"), fine = cloth_run("6", "5", 0.3, "320");
    assert_true(fine.truth_error < 1e-9 && metric(&fine, "error_max") < 1e-3);
    assert_near(log2(metric(&coarse, "error_max") / metric(&fine, "error_max")) / 2.0, 1.0, 0.05); /* 1 + O(h) */
    assert_near(log2(metric(&coarse, "force_error") / metric(&fine, "force_error")) / 2.0, 1.0, 0.05);
    run_clear(&coarse);
    run_clear(&fine);
}

static void a_motion_known_to_be_chaotic_is_not_attempted(void **state)
{
    (void)state;
    use_cache("");
    Run longer = cloth_run("20", "20", 2.0, "1"); /* would take half a minute */
    assert_true(isnan(metric(&longer, "error_max")) && isnan(longer.truth_error));
    assert_string_equal(longer.problem->notes,
                        "no truth by reference: the motion is chaotic, and known for 1.856 s at most\n");
    run_clear(&longer);
    Run larger = cloth_run("21", "20", DT, "1");
    assert_true(isnan(metric(&larger, "error_max")) && !larger.problem->reference);
    run_clear(&larger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_held_against_the_reference),
        cmocka_unit_test(an_error_that_the_truth_may_have_made_is_not_stated),
        cmocka_unit_test(horizons_end_where_the_estimate_passes_them),
        cmocka_unit_test(the_reference_is_its_own_truth_and_states_its_error),
        cmocka_unit_test(a_longer_motion_serves_a_shorter_run),
        cmocka_unit_test(what_is_too_large_is_refused_before_its_text_is_made),
        cmocka_unit_test(direct_comes_to_the_truth_of_a_cloth_with_order_1),
        cmocka_unit_test(a_motion_known_to_be_chaotic_is_not_attempted),
        cmocka_unit_test_setup_teardown(files_are_kept_once_and_read_back, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_motion_that_was_cut_off_goes_on_with_the_same_bits, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(forged_files_with_a_valid_hash_are_survived, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(numbers_that_no_motion_has_are_not_read_back, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(files_of_others_are_passed_over, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(damaged_files_are_passed_over_and_replaced, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_cache_that_cannot_be_written_costs_only_time, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(what_reference_cannot_give_is_said_and_left_out, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
