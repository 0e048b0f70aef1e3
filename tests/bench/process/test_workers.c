/* SPDX-License-Identifier: MIT */
#include "bench/process/workers.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct Item {
    int index;
    double square;
    pid_t by;
} Item;

static void square_item(void *context, int index, void *result)
{
    int deadly = *(const int *)context;
    if (deadly > 0 && index % deadly == 0)
        abort();
    *(Item *)result = (Item){index, (double)index * index, getpid()};
}

static void check_results(int jobs, int deadly)
{
    enum { COUNT = 37 };
    Status status = {0};
    Work work = {.count = COUNT, .result_size = sizeof(Item), .item = square_item, .context = &deadly};
    WorkResults *results = workers_run(&work, jobs, &status);
    assert_non_null(results);
    for (int i = 0; i < COUNT; i++) {
        const Item *item = work_result(results, i);
        if (deadly > 0 && i % deadly == 0) {
            assert_null(item);
            continue;
        }
        assert_non_null(item);
        assert_int_equal(item->index, i);
        assert_near(item->square, (double)i * i, 0.0);
        assert_int_not_equal(item->by, getpid());
    }
    work_results_destroy(results);
}

static void results_do_not_depend_on_the_number_of_jobs(void **state)
{
    (void)state;
    for (int jobs = 1; jobs <= 4; jobs++)
        check_results(jobs, 0);
    check_results(100, 0); /* more than items */
}

static void death_costs_the_item_alone(void **state)
{
    (void)state;
    check_results(1, 5);
    check_results(3, 7);
    check_results(2, 1); /* all of them */
}

static void no_items_are_no_work(void **state)
{
    (void)state;
    int deadly = 1;
    Status status = {0};
    Work work = {.count = 0, .result_size = sizeof(Item), .item = square_item, .context = &deadly};
    WorkResults *results = workers_run(&work, 4, &status);
    assert_non_null(results);
    work_results_destroy(results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_do_not_depend_on_the_number_of_jobs),
        cmocka_unit_test(death_costs_the_item_alone),
        cmocka_unit_test(no_items_are_no_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
