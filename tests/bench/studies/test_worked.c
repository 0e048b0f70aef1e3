/* SPDX-License-Identifier: MIT */
/* The worked example is the run itself: a hand computation, sums that lead from state to state, and the bits of a run
 * that nobody watches. */
#include "bench/studies/worked.h"
#include "tests/support/check.h"
#include "tests/support/drive.h"

#include <stdlib.h>
#include <string.h>

static const double DT = 1.0 / 60.0;

static Problem *scene_of(const char *name, const char *key, const char *value)
{
    const Scene *scene = scene_find(name);
    _Alignas(16) unsigned char params[SETTINGS_MAX_BYTES] = {0};
    Status status = {0};
    assert_non_null(scene);
    settings_init(scene->settings, scene->setting_count, params);
    if (key)
        assert_true(setting_parse(settings_find(scene->settings, scene->setting_count, key), params, value, &status));
    Problem *problem = scene_build(scene, params, &status);
    assert_non_null(problem);
    return problem;
}

static void make(Worked *worked, Problem *problem, const Solver *solver, int substeps)
{
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
    Status status = {0};
    settings_init(solver->settings, solver->setting_count, options);
    if (!worked_make(worked, problem, solver, options, DT, DETECT_SUBSTEP, substeps, &status))
        fail_msg("%s: %s", solver->name, status.message);
}

/* A rod that begins level, its end at the origin: v* = (0, -g h, 0), the point's J = (0 1 0 | 0 0 -l/2), so that
 * A = 1/m + (l/2)^2/I and lambda = g h / A in the first sweep; later ones have nothing left to do. */
static void one_link_is_as_by_hand(void **state)
{
    (void)state;
    Problem *problem = scene_of("pendulum", "links", "1");
    World *world = problem->world;
    Worked worked;
    int body = 1, seen = 0;
    double half = world->pose[body].x.x, m = world->mass[body].mass;
    double g = -world->gravity.y, I = 1.0 / world_inv_inertia_mul(world, body, vec3(0, 0, 1)).z;
    assert_near(world->pose[body].x.y, 0.0, 0.0);
    assert_true(half > 0.0 && g > 0.0);
    make(&worked, problem, drive_find("lecture_pgs"), 1);
    double A = 1.0 / m + half * half / I, lambda = g * DT / A;
    for (int i = 0; i < worked.row_count; i++) {
        const WorkedRow *row = &worked.rows[i];
        char name[64];
        if (row->sweep > 1) {
            assert_near(row->after - row->before, 0.0, 1e-15); /* round-off of impulses below 1 N s */
            continue;
        }
        bool upward = row->row == 1;
        seen++;
        assert_int_equal(row->block.kind, BLOCK_ATTACH);
        assert_near(row->C, 0.0, 0.0);
        assert_near(row->bias, 0.0, 0.0);
        assert_near(row->before, 0.0, 0.0);
        assert_near(row->A, row->row == 0 ? 1.0 / m : A, 1e-15 * A);
        assert_near(row->rate, upward ? -g * DT : 0.0, 1e-16);
        assert_near(row->after, upward ? lambda : 0.0, 1e-15 * lambda);
        assert_near(row->J[6 + row->row], 1.0, 0.0);
        assert_near(row->J[11], upward ? -half : 0.0, 1e-16);
        assert_near(row->change[7], upward ? lambda / m : 0.0, 1e-15);
        assert_near(row->change[11], upward ? -half * lambda / I : 0.0, 1e-15);
        worked_row_name(&worked, row, name, sizeof name);
        assert_non_null(strstr(name, row->row == 0 ? " attach x" : upward ? " attach y" : " attach z"));
    }
    assert_int_equal(seen, 3);
    const WorkedState *end = worked_state(&worked, 0, worked.phase_count - 1, -1);
    assert_near(end->velocity[body].v.y, lambda / m - g * DT, 1e-15);
    assert_near(end->velocity[body].w.z, -half * lambda / I, 1e-15);
    worked_free(&worked);
    problem_destroy(problem);
}

/* The same rod by accelerations, from rest: lambda = g/A, a force, after impulses that have nothing to do. */
static void one_link_by_accelerations_is_as_by_hand(void **state)
{
    (void)state;
    Problem *problem = scene_of("pendulum", "links", "1");
    World *world = problem->world;
    Worked worked;
    int body = 1, forces = 0;
    double half = world->pose[body].x.x, m = world->mass[body].mass;
    double g = -world->gravity.y, I = 1.0 / world_inv_inertia_mul(world, body, vec3(0, 0, 1)).z;
    make(&worked, problem, drive_find("lecture_kkt"), 1);
    double lambda = g / (1.0 / m + half * half / I);
    for (int i = 0; i < worked.row_count && forces < 3; i++) {
        const WorkedRow *row = &worked.rows[i];
        if (row->level != SHOWN_ACCELERATION) {
            assert_int_equal(row->level, SHOWN_VELOCITY);
            assert_near(row->after, 0.0, 0.0); /* at rest */
            continue;
        }
        forces++;
        assert_near(row->after, row->row == 1 ? lambda : 0.0, 1e-14 * lambda);
        assert_near(row->change[7], row->row == 1 ? lambda / m : 0.0, 1e-14 * g);
        assert_near(row->change[11], row->row == 1 ? -half * lambda / I : 0.0, 1e-13 * g);
    }
    assert_int_equal(forces, 3);
    worked_free(&worked);
    problem_destroy(problem);
}

/* Adds what the rows of a phase change to a body's centre and turning. */
static void add_changes(const Worked *worked, int substep, int phase, Velocity *sum)
{
    for (int i = 0; i < worked->row_count; i++) {
        const WorkedRow *row = &worked->rows[i];
        if (row->substep != substep || row->phase != phase || row->sweep == 0)
            continue;
        for (int part = 0; part < 4; part++) {
            bool volume = row->block.kind == BLOCK_VOLUME, turns = !volume && part % 2 == 1;
            Velocity *u = &sum[row->block.body[volume ? part : part / 2]];
            Vec3 *to = turns ? &u->w : &u->v;
            for (int c = 0; c < 3; c++)
                *to = vec3_add(*to, vec3(c == 0 ? row->change[3 * part] : 0.0, c == 1 ? row->change[3 * part + 1] : 0.0,
                                         c == 2 ? row->change[3 * part + 2] : 0.0));
        }
    }
}

/* From a phase entered to the phase left, the changes of its rows are all that happened to the velocities, or to the
 * places of the centres; turns at position level do not add up as vectors. */
static void check_sums(const Worked *worked, const Solver *solver, const char *scene)
{
    const World *world = worked->world;
    for (int s = 0; s < worked->substeps; s++)
        for (int p = 0; p < worked->phase_count; p++) {
            const WorkedState *from = worked_state(worked, s, p, 0), *to = worked_state(worked, s, p, -1);
            int rows = 0, level = 0, forces = 0;
            for (int i = 0; i < worked->row_count; i++)
                if (worked->rows[i].substep == s && worked->rows[i].phase == p && worked->rows[i].sweep > 0) {
                    level = (int)worked->rows[i].level;
                    forces += worked->rows[i].level == SHOWN_ACCELERATION;
                    rows++;
                }
            if (rows == 0 || forces > 0) /* these are integrated, with the outside forces, before the phase ends */
                continue;
            Velocity *sum = calloc((size_t)world->body_count, sizeof *sum);
            add_changes(worked, s, p, sum);
            for (int b = 1; b < world->body_count; b++) {
                if (world_is_fixed(world, b))
                    continue;
                Vec3 moved = vec3_sub(to->pose[b].x, from->pose[b].x);
                Vec3 faster = vec3_sub(to->velocity[b].v, from->velocity[b].v);
                Vec3 spun = vec3_sub(to->velocity[b].w, from->velocity[b].w);
                /* sums of tens of numbers below 10 */
                double off = vec3_norm(vec3_sub(level == SHOWN_POSITION ? moved : faster, sum[b].v));
                double turn = level == SHOWN_POSITION ? 0.0 : vec3_norm(vec3_sub(spun, sum[b].w));
                if (!(off < 1e-12) || !(turn < 1e-12))
                    fail_msg("%s on %s, substep %d, phase %s, body %d: changes miss %g m/s or m, %g rad/s",
                             solver->name, scene, s, worked->phases[p].name, b, off, turn);
            }
            free(sum);
        }
}

static const char *const SCENES[] = {"pendulum", "chain", "stack", "hinge_limit"};

static void changes_add_up_to_the_states(void **state)
{
    (void)state;
    for (int i = 0; i < solver_count; i++)
        for (size_t k = 0; all_solvers[i]->text_of && k < sizeof SCENES / sizeof SCENES[0]; k++) {
            Problem *problem = scene_of(SCENES[k], NULL, NULL);
            Status status = {0};
            Worked worked;
            if (solver_supports(all_solvers[i], problem->world, &status)) {
                make(&worked, problem, all_solvers[i], 3);
                assert_true(worked.row_count > 0);
                if (strcmp(all_solvers[i]->text_of, "pgs") == 0) /* each row that it counts is shown */
                    assert_int_equal(worked.row_count, worked.row_solves);
                check_sums(&worked, all_solvers[i], SCENES[k]);
                worked_free(&worked);
            }
            problem_destroy(problem);
        }
}

static void a_run_that_is_watched_has_the_bits_of_one_that_is_not(void **state)
{
    enum { FRAMES = 4 };
    (void)state;
    for (int i = 0; i < solver_count; i++) {
        if (!all_solvers[i]->text_of)
            continue;
        _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
        settings_init(all_solvers[i]->settings, all_solvers[i]->setting_count, options);
        int substeps = ((const CommonOptions *)options)->substeps;
        Problem *watched = scene_of("hinge_limit", NULL, NULL), *alone = scene_of("hinge_limit", NULL, NULL);
        size_t bodies = (size_t)alone->world->body_count;
        Worked worked;
        make(&worked, watched, all_solvers[i], FRAMES * substeps);
        drive_run(alone->world, all_solvers[i]->name, "", DT, FRAMES);
        assert_memory_equal(watched->world->pose, alone->world->pose, sizeof(Pose) * bodies);
        assert_memory_equal(watched->world->velocity, alone->world->velocity, sizeof(Velocity) * bodies);
        worked_free(&worked);
        problem_destroy(watched);
        problem_destroy(alone);
    }
}

static void nobody_is_shown_what_a_text_does_not_solve(void **state)
{
    (void)state;
    Problem *problem = scene_of("pendulum", NULL, NULL);
    Worked worked;
    make(&worked, problem, drive_find("featherstone"), 2); /* it has no text, and shows nothing */
    assert_int_equal(worked.row_count, 0);
    assert_int_equal(worked.substeps, 2);
    assert_non_null(worked_state(&worked, 1, 0, -1));
    assert_null(worked_state(&worked, 2, 0, -1));
    worked_free(&worked);
    problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_link_is_as_by_hand),
        cmocka_unit_test(one_link_by_accelerations_is_as_by_hand),
        cmocka_unit_test(changes_add_up_to_the_states),
        cmocka_unit_test(a_run_that_is_watched_has_the_bits_of_one_that_is_not),
        cmocka_unit_test(nobody_is_shown_what_a_text_does_not_solve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
