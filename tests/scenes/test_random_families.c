/* SPDX-License-Identifier: MIT */
/* Random families: the same instance everywhere, another for every seed, closed as it stands. */
#include "model/energy.h"
#include "scenes/parts.h"
#include "tests/scenes/built.h"

#include <inttypes.h>
#include <stdio.h>

/* FNV-1a of the scene files, by any compiler on any machine: no function of libm is behind them. */
static const struct {
    const char *scene;
    uint64_t hash;
} KNOWN[] = {
    {"random_chain", 0xddf639034b27402fu},
    {"random_stack", 0x82bbc59d263715a2u},
    {"random_pile", 0xc0df8ec745c4ebe3u},
    {"random_mechanism", 0xa880766acfac30aau},
};
enum { FAMILIES = sizeof KNOWN / sizeof KNOWN[0] };

static char *written(const char *scene, const char *params)
{
    Built built = built_scene(scene, params);
    char *text = problem_write(built.problem);
    assert_non_null(text);
    built_destroy(&built);
    return text;
}

static void instances_are_known_by_their_hash(void **state)
{
    (void)state;
    for (int i = 0; i < FAMILIES; i++) {
        char *text = written(KNOWN[i].scene, "seed=3");
        uint64_t hash = 0xcbf29ce484222325u;
        for (const char *c = text; *c; c++)
            hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
        if (hash != KNOWN[i].hash)
            fail_msg("%s is 0x%016" PRIx64, KNOWN[i].scene, hash);
        free(text);
    }
}

static void seeds_and_sizes_give_other_instances(void **state)
{
    (void)state;
    for (int i = 0; i < FAMILIES; i++) {
        char *one = written(KNOWN[i].scene, "seed=1"), *again = written(KNOWN[i].scene, "seed=1");
        char *other = written(KNOWN[i].scene, "seed=2"), *larger = written(KNOWN[i].scene, "n=11");
        assert_string_equal(one, again);
        assert_string_not_equal(one, other);
        /* Another n is another stream, not the same bodies and one more. */
        assert_true(strncmp(one, larger, strlen(one) / 2) != 0);
        free(one), free(again), free(other), free(larger);
    }
}

/* Anchors are products and sums of numbers of a few metres. */
static void chains_and_mechanisms_are_closed(void **state)
{
    (void)state;
    char params[64];
    for (int seed = 1; seed <= 15; seed++) {
        snprintf(params, sizeof params, "n=32 seed=%d", seed);
        Built chain = built_scene("random_chain", params), mechanism = built_scene("random_mechanism", params);
        assert_true(part_holds(chain.world, 1e-13));
        assert_true(part_holds(mechanism.world, 1e-13));
        assert_int_equal(chain.world->joint_count, 32);
        assert_int_equal(mechanism.world->joint_count, 32 + 3);
        for (int i = 1; i <= 32; i++)
            assert_in_range((uintmax_t)(1e6 * chain.world->mass[i].mass), 99999, 10000001); /* 0.1 to 10 kg */
        built_destroy(&chain);
        built_destroy(&mechanism);
    }
}

/* Nothing overlaps: bodies of at most 0.5 m a side have a diagonal below the cell's 1 m. */
static void piles_start_apart(void **state)
{
    (void)state;
    Built pile = built_scene("random_pile", "n=100 seed=4");
    const World *world = pile.world;
    for (int i = 6; i < world->body_count; i++)
        for (int j = 6; j < i; j++)
            assert_true(vec3_norm(vec3_sub(world->pose[i].x, world->pose[j].x)) > 0.99);
    built_destroy(&pile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instances_are_known_by_their_hash),
        cmocka_unit_test(seeds_and_sizes_give_other_instances),
        cmocka_unit_test(chains_and_mechanisms_are_closed),
        cmocka_unit_test(piles_start_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
