/* SPDX-License-Identifier: MIT */
/* The broad phase against all pairs. */
#include "model/collision/broadphase.h"
#include "tests/support/check.h"
#include "tests/support/random.h"

#include <stdlib.h>
#include <string.h>

static bool overlap(const Bounds *a, const Bounds *b)
{
    for (int i = 0; i < 3; i++)
        if (vec3_get(a->low, i) > vec3_get(b->high, i) || vec3_get(b->low, i) > vec3_get(a->high, i))
            return false;
    return true;
}

/* A cloud in a box of this width; sizes from 0.01 to 10 spread evenly in their logarithm, or all 1. */
static void fill_cloud(Broadphase *broadphase, Random *random, int count, double width, bool even)
{
    assert_true(broadphase_reserve(broadphase, count));
    broadphase->body_count = count;
    for (int i = 0; i < count; i++) {
        double half = even ? 0.5 : 0.5 * pow(10.0, random_in(random, -2.0, 1.0));
        Vec3 x = random_vec3(random, 0.5 * width), h = vec3(half, half, half);
        BroadBody body = {3 * i + 1, random_in(random, 0.0, 1.0) < 0.2, {vec3_sub(x, h), vec3_add(x, h)}};
        broadphase->bodies[i] = body;
    }
}

static void check_against_all_pairs(Broadphase *broadphase, Team *team)
{
    assert_true(broadphase_find(broadphase, team));
    assert_true(broadphase_gather(broadphase, team));
    size_t next = 0;
    for (int i = 0; i < broadphase->body_count; i++)
        for (int k = i + 1; k < broadphase->body_count; k++) {
            const BroadBody *a = &broadphase->bodies[i], *b = &broadphase->bodies[k];
            if ((a->fixed && b->fixed) || !overlap(&a->bounds, &b->bounds))
                continue;
            assert_true(next < broadphase->pair_count);
            assert_true(broadphase->pairs[next++] == pair_key(a->body, b->body));
        }
    assert_int_equal(next, broadphase->pair_count);
}

static void pairs_are_those_of_all_pairs_in_order(void **state)
{
    (void)state;
    Random random = {0xb20ad};
    Broadphase broadphase = {0};
    for (int count = 0; count < 40; count++) {
        fill_cloud(&broadphase, &random, count, 3.0, count % 2);
        check_against_all_pairs(&broadphase, NULL);
    }
    fill_cloud(&broadphase, &random, 1500, 12.0, true);
    check_against_all_pairs(&broadphase, NULL);
    fill_cloud(&broadphase, &random, 1000, 40.0, false);
    check_against_all_pairs(&broadphase, NULL);
    broadphase_free(&broadphase);
}

/* Parts of a search find what one search does, each in a list of its own. */
static void a_team_finds_the_same_pairs(void **state)
{
    (void)state;
    Random random = {0x7ea4};
    Broadphase broadphase = {0};
    for (int members = 2; members < 5; members++) {
        Status status = {0};
        Team *team = team_create(members, &status);
        assert_non_null(team);
        fill_cloud(&broadphase, &random, 1300 + members, 12.0, members % 2);
        check_against_all_pairs(&broadphase, team);
        assert_true(broadphase.part_count > 1);
        team_destroy(team);
    }
    broadphase_free(&broadphase);
}

/* Which pairs are left out where there are too many does not depend on who looked for them. */
static void a_team_leaves_out_the_same_pairs(void **state)
{
    (void)state;
    enum { COUNT = 600, MOST = 5000 };
    Random random = {0xf011};
    Broadphase broadphase = {0};
    Status status = {0};
    Team *team = team_create(3, &status);
    PairKey alone[MOST];
    broadphase.pair_most = MOST;
    fill_cloud(&broadphase, &random, COUNT, 1.0, true);
    for (int together = 0; together < 2; together++) {
        assert_true(broadphase_find(&broadphase, together ? team : NULL));
        assert_true(broadphase_gather(&broadphase, NULL));
        assert_true(broadphase.full);
        assert_int_equal(broadphase.pair_count, MOST);
        if (together)
            assert_memory_equal(alone, broadphase.pairs, sizeof alone);
        else
            memcpy(alone, broadphase.pairs, sizeof alone);
    }
    team_destroy(team);
    broadphase_free(&broadphase);
}

static void flat_and_coincident_clouds_are_no_special_case(void **state)
{
    (void)state;
    Random random = {0xf1a7};
    Broadphase broadphase = {0};
    for (int flat = 0; flat < 3; flat++) {
        fill_cloud(&broadphase, &random, 300, 20.0, true);
        for (int i = 0; i < broadphase.body_count; i++) {
            Bounds *bounds = &broadphase.bodies[i].bounds;
            bounds->low.y = 0.0;
            bounds->high.y = 0.0;
            if (flat > 0)
                bounds->low.z = bounds->high.z = 1.0;
            if (flat > 1)
                bounds->low.x = bounds->high.x = -1.0;
        }
        check_against_all_pairs(&broadphase, NULL);
    }
    broadphase_free(&broadphase);
}

/* The tree works in single precision; what it rounds, and what it cannot hold, may cost no pair. */
static void far_clouds_lose_no_pair(void **state)
{
    (void)state;
    Random random = {0xfa2};
    Broadphase broadphase = {0};
    for (int far = 0; far < 3; far++) {
        const double away[] = {1e7, -1e16, 1e40};
        fill_cloud(&broadphase, &random, 300, 6.0, true);
        for (int i = 0; i < broadphase.body_count; i++) {
            Bounds *bounds = &broadphase.bodies[i].bounds;
            bounds->low.x += away[far];
            bounds->high.x += away[far];
        }
        check_against_all_pairs(&broadphase, NULL);
        assert_true(broadphase.pair_count > 100);
    }
    broadphase_free(&broadphase);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void keys_are_sorted(void **state)
{
    (void)state;
    Random random = {0x50a7};
    enum { COUNT = 1000 };
    uint64_t keys[COUNT], scratch[COUNT], expected[COUNT];
    for (int bits = 1; bits < 65; bits += 7) {
        for (int i = 0; i < COUNT; i++)
            keys[i] = expected[i] = random_bits(&random) >> (64 - bits);
        sort_keys(keys, scratch, COUNT, 0);
        qsort(expected, COUNT, sizeof *expected, compare_keys);
        assert_memory_equal(keys, expected, sizeof keys);
    }
}

/* The lowest bits number the keys: where they are left out, equal keys must stay in that order. */
static void equal_keys_keep_their_order(void **state)
{
    (void)state;
    Random random = {0x0e2d};
    enum { COUNT = 1000, NUMBER_BITS = 10, DIFFERENT = 40 };
    uint64_t keys[COUNT], scratch[COUNT], expected[COUNT];
    for (int i = 0; i < COUNT; i++)
        keys[i] = expected[i] =
            (random_bits(&random) % DIFFERENT * 0x9e3779b97f4a7c15u >> NUMBER_BITS << NUMBER_BITS) + i;
    sort_keys(keys, scratch, COUNT, NUMBER_BITS);
    qsort(expected, COUNT, sizeof *expected, compare_keys);
    assert_memory_equal(keys, expected, sizeof keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_all_pairs_in_order),
        cmocka_unit_test(a_team_finds_the_same_pairs),
        cmocka_unit_test(a_team_leaves_out_the_same_pairs),
        cmocka_unit_test(flat_and_coincident_clouds_are_no_special_case),
        cmocka_unit_test(far_clouds_lose_no_pair),
        cmocka_unit_test(keys_are_sorted),
        cmocka_unit_test(equal_keys_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
