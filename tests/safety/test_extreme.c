/* SPDX-License-Identifier: MIT */
/* Extreme scenes (tests/fuzz/extreme.h) from fixed seeds, through every backend and variant: all end with an outcome.
 * Under ASan and UBSan this is where their findings show. */
#include "model/random.h"
#include "solvers/engines/engine.h"
#include "tests/fuzz/extreme.h"
#include "tests/support/scratch.h"

#include <stdio.h>
#include <stdlib.h>

/* A truth takes a thousand times as long as anybody else: it gets every so many scenes. */
enum { SCENES = 60, BYTES_A_SCENE = 400, TRUTH_EVERY = 5 };

static void every_solver_comes_to_an_end_with_extreme_scenes(void **state)
{
    SolverSet set;
    Status status = {0};
    int runs = 0;
    assert_true(solver_set_open(&set, &status));
    for (int seed = 0; seed < SCENES; seed++) {
        Random random = {(uint64_t)seed};
        uint8_t data[BYTES_A_SCENE];
        for (int i = 0; i < BYTES_A_SCENE; i++)
            data[i] = (uint8_t)random_bits(&random);
        double dt;
        char *scene = extreme_scene(&(Bytes){data, sizeof data, 0}, &dt);
        assert_non_null(scene);
        const char *path = scratch_write(*state, "scene.json", scene);
        for (int i = 0; i < set.count; i++) {
            if (set.solvers[i]->error_estimate && seed % TRUTH_EVERY != 0)
                continue;
            const char *fault = engine_of(set.solvers[i]) ? NULL : extreme_run(path, set.solvers[i], dt, &status);
            if (fault)
                fail_msg("seed %d, %s, dt %g: %s\n%s", seed, set.solvers[i]->name, dt, fault, scene);
            runs++;
        }
        free(scene);
    }
    printf("%d runs\n", runs);
    solver_set_close(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_solver_comes_to_an_end_with_extreme_scenes, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
