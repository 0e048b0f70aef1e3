/* SPDX-License-Identifier: MIT */
#include "reports/figure/curves.h"
#include "reports/figure/figure.h"

#include "tests/support/scratch.h"

#include <stdlib.h>

/* A figure's file from a text in which ' stands for ". */
static Figure *read_text(Scratch *scratch, const char *text, Status *status)
{
    char quoted[4096];
    snprintf(quoted, sizeof quoted, "%s", text);
    for (char *c = quoted; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    *status = (Status){0};
    return figure_read(scratch_write(scratch, "figure.json", quoted), status);
}

#define HEAD "'rigor': 1, 'name': 'f', 'title': 't', 'finding': '{count(dt)} runs.'"
#define GRID "'grid': [{'scene': 'pendulum', 'solver': 'xpbd', 'options': {'substeps': [1, 2]}, 'time': 0.1}]"
#define AXES "'x': {'field': 'h', 'log': true}, 'y': {'field': 'drift_max', 'log': true}"

static void errors_name_their_place(void **state)
{
    static const struct {
        const char *text, *place, *what;
    } CASES[] = {
        {"{'rigor': 1, 'title': 't', 'panels': []}", "name", "is missing"},
        {"{'rigor': 1, 'name': 'a/b', 'title': 't', 'panels': []}", "name", "letters"},
        {"{'rigor': 1, 'name': 'f', 'title': 't', " GRID ", 'panels': [{" AXES "}]}", "finding", "is missing"},
        {"{'rigor': 1, 'name': 'f', 'title': 't', 'finding': 'None.', " GRID ", 'panels': [{" AXES "}]}", "finding",
         "no number"},
        {"{" HEAD ", 'holds': ['max(h)', 'most(h)'], " GRID ", 'panels': [{" AXES "}]}", "holds[1]",
         "no function 'most'"},
        {"{" HEAD ", 'panles': []}", "panles", "unknown key"},
        {"{" HEAD ", 'panels': []}", "panels", "must not be empty"},
        {"{" HEAD ", " GRID ", 'panels': [{'x': {'field': 'h'}}]}", "panels[0].y", "is missing"},
        {"{" HEAD ", " GRID ", 'panels': [{'x': {'field': 'h +'}, 'y': {'field': 'h'}}]}", "panels[0].x.field",
         "is missing at the end"},
        {"{" HEAD ", " GRID ", 'panels': [{" AXES ", 'kind': 'pie'}]}", "panels[0].kind", "none of lines"},
        {"{" HEAD ", " GRID ", 'panels': [{" AXES ", 'from': 'series'}]}", "panels[0].from", "no such source"},
        {"{" HEAD ", 'data': [], " GRID ", 'panels': [{" AXES "}]}", "panels[0].from", "several sources"},
        {"{" HEAD ", " GRID ", 'panels': [{" AXES ", 'where': {'h': {'least': 1}}}]}", "panels[0].where.h.least",
         "unknown key"},
        {"{" HEAD ", " GRID ", 'panels': [{'kind': 'map', " AXES "}]}", "panels[0].z", "is missing"},
        {"{" HEAD ", " GRID ", 'panels': [{'x': {'field': 'h'}, 'y': {'field': 'h'}, "
         "'slopes': [1]}]}",
         "panels[0].slopes", "logarithmic"},
        {"{" HEAD ", " GRID ", 'panels': [{" AXES ", 'curves': [{'y': 'h'}]}]}", "panels[0].curves[0].label",
         "is missing"},
        {"{" HEAD ", 'caption': '{most(x)}', " GRID ", 'panels': [{" AXES "}]}", "caption", "no function 'most'"},
        {"{" HEAD ", " GRID ", 'panels': [{" AXES "}, {" AXES "}], 'layout': [1, 1]}", "layout",
         "no room for 2 panels"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Status status;
        Figure *figure = read_text(*state, CASES[i].text, &status);
        char place[96];
        snprintf(place, sizeof place, "figure.json: %s: ", CASES[i].place);
        if (figure || status.code != STATUS_BAD_FILE || !strstr(status.message, place) ||
            !strstr(status.message, CASES[i].what))
            fail_msg("%s\nsays '%s', not '%s%s'", CASES[i].text, status.message, place, CASES[i].what);
    }
}

/* A workshop in the scratch folder. */
static Workshop workshop_open(Scratch *scratch, char directory[128])
{
    static SolverSet built_in;
    char command[160];
    Status status = {0};
    assert_true(built_in.count > 0 || solver_set_open(&built_in, &status));
    snprintf(directory, 128, "%s", scratch->folder);
    snprintf(command, sizeof command, "mkdir -p %s/cache", directory);
    assert_int_equal(system(command), 0);
    Workshop workshop = {.directory = directory, .solvers = &built_in, .jobs = 2};
    workshop.store = store_open(scratch_path(scratch, "store.sqlite"), &status);
    assert_non_null(workshop.store);
    return workshop;
}

static void errors_in_sources_name_their_place(void **state)
{
    static const struct {
        const char *source, *place;
    } CASES[] = {
        {"'grid': [{'scene': 'pendulum', 'solver': 'xpbd'}, {'scene': 'pendulum', 'solver': 'none'}]",
         "grid[1].solver"},
        {"'grid': [{'scene': 'pendulum', 'solver': 'xpbd', 'set': {'a': [1]}}]", "grid[0].set.a"},
        {"'series': [{'scene': 'pendulum', 'solver': 'xpbd', 'time': 0.1}]", "series[0].columns"},
        {"'series': [{'scene': 'pendulum', 'solver': 'xpbd', 'time': 0.1, 'columns': ['link7.x']}]", "series[0]"},
        {"'data': [{'generator': 'sparcity'}]", "data[0].generator"},
        {"'data': [{'generator': 'cheapest', 'arguments': {'cost': 'wall_s'}}]", "data[0].arguments.over"},
        {"'data': [{'generator': 'sparsity', 'arguments': {'scene': 'pendulum', 'params': {'links': -1}}}]",
         "data[0].arguments.params.links"},
        {"'data': [{'generator': 'spin_update', 'arguments': {'dt': 1e-9}}]", "data[0].arguments.time"},
        {"'data': [{'generator': 'bead_step', 'arguments': {'scene': 'bead_on_wire', 'after': 1e9}}]",
         "data[0].arguments.after"},
        {"'data': [{'rows': 'a'}]", "data[0]"},
        {"'data': [{'command': 'list metrics', 'rows': 'nothing[]'}]", "data[0].rows"},
    };
    char directory[128];
    Workshop workshop = workshop_open(*state, directory);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char text[1024], place[96];
        Status status;
        snprintf(text, sizeof text, "{" HEAD ", 'panels': [{" AXES "}], %s}", CASES[i].source);
        Figure *figure = read_text(*state, text, &status);
        if (!figure)
            fail_msg("%s", status.message);
        snprintf(place, sizeof place, "figure.json: %s: ", CASES[i].place);
        if (figure_gather(figure, &workshop, &status) || !strstr(status.message, place))
            fail_msg("%s\nsays '%s', not at %s", text, status.message, place);
        figure_destroy(figure);
    }
    store_close(workshop.store);
}

static void a_check_runs_no_generator(void **state)
{
    char directory[128];
    Status status;
    Workshop workshop = workshop_open(*state, directory);
    workshop.check = true;
    Figure *figure = read_text(
        *state,
        "{" HEAD ", 'panels': [{" AXES "}], 'data': [{'generator': 'sparsity', 'arguments': {'scene': 'pendulum'}}, "
        "{'generator': 'mass_properties'}, {'generator': 'spin_update'}, {'generator': 'limit_surface', 'arguments': "
        "{'spins': [1]}}, {'generator': 'cheapest', 'arguments': {'over': 'dt'}}, {'generator': 'profile'}, "
        "{'generator': 'bead_step', 'arguments': {'scene': 'bead_on_wire'}}]}",
        &status);
    assert_non_null(figure);
    if (!figure_gather(figure, &workshop, &status))
        fail_msg("%s", status.message);
    assert_int_equal(json_array_size(figure->data), 0);
    figure_destroy(figure);
    store_close(workshop.store);
}

static void rows_and_csv_hold_what_the_store_holds(void **state)
{
    char directory[128], query[160], number[64];
    Status status;
    Workshop workshop = workshop_open(*state, directory);
    Figure *figure = read_text(*state,
                               "{" HEAD ", 'panels': [{" AXES "}], 'grid': [{'scene': "
                               "'pendulum', 'solver': ['xpbd', 'pgs'], 'options': {'substeps': [1, 3]}, 'time': 0.1, "
                               "'set': {'case': 'a'}}]}",
                               &status);
    assert_non_null(figure);
    assert_true(figure_gather(figure, &workshop, &status));
    assert_int_equal(workshop.made, 4);
    assert_int_equal(json_array_size(figure->data), 4);
    assert_true(rows_write_csv(figure->data, scratch_path(*state, "f.csv"), &status));
    FILE *file = fopen(scratch_path(*state, "f.csv"), "r");
    char csv[16384];
    csv[fread(csv, 1, sizeof csv - 1, file)] = '\0';
    fclose(file);
    for (size_t i = 0; i < 4; i++) {
        json_t *row = json_array_get(figure->data, i);
        sqlite3_stmt *statement = NULL;
        snprintf(query, sizeof query, "SELECT drift_max, error_end, dt FROM results WHERE key = '%s'",
                 json_string_value(json_object_get(row, "key")));
        assert_int_equal(sqlite3_prepare_v2(store_database(workshop.store), query, -1, &statement, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
        for (int c = 0; c < 3; c++) {
            double stored = sqlite3_column_double(statement, c);
            assert_true(stored == row_number(row, sqlite3_column_name(statement, c)));
            snprintf(number, sizeof number, ",%.17g,", stored);
            assert_non_null(strstr(csv, number));
        }
        assert_true(row_number(row, "h") == row_number(row, "dt") / row_number(row, "options.substeps"));
        assert_string_equal(json_string_value(json_object_get(row, "case")), "a");
        sqlite3_finalize(statement);
    }
    /* Everything is there: nothing is made again. */
    workshop.made = 0;
    assert_true(figure_gather(figure, &workshop, &status));
    assert_int_equal(workshop.made, 0);
    figure_destroy(figure);
    store_close(workshop.store);
}

/* One wants the runs timed three times and held against the truth, the other a metric more of them: neither takes from
 * the other. */
static void figures_that_share_runs_do_not_make_them_twice(void **state)
{
    static const char *const TEXTS[] = {"{" HEAD ", 'panels': [{" AXES
                                        "}], 'metrics': ['error_end'], 'repeats': 3, " GRID "}",
                                        "{" HEAD ", 'panels': [{" AXES "}], 'metrics': ['drift_max'], " GRID "}"};
    char directory[128];
    Status status;
    Workshop workshop = workshop_open(*state, directory);
    for (int i = 0; i < 4; i++) {
        Figure *figure = read_text(*state, TEXTS[i % 2], &status);
        assert_non_null(figure);
        workshop.made = 0;
        assert_true(figure_gather(figure, &workshop, &status));
        assert_int_equal(workshop.made, i < 2 ? 2 : 0);
        for (size_t k = 0; i > 0 && k < 2; k++) {
            json_t *row = json_array_get(figure->data, k);
            assert_true(row_number(row, "error_end") > 0.0 && row_number(row, "drift_max") > 0.0);
        }
        figure_destroy(figure);
    }
    store_close(workshop.store);
}

static void series_follow_bodies_joints_and_metrics(void **state)
{
    char directory[128];
    Status status;
    Workshop workshop = workshop_open(*state, directory);
    Figure *figure = read_text(*state,
                               "{" HEAD ", 'panels': [{'x': {'field': 'time'}, 'y': "
                               "{'field': 'link1.y'}}], 'series': [{'scene': 'pendulum', 'solver': 'kkt', 'dt': 0.01, "
                               "'time': 0.05, 'columns': ['link1.x', 'link1.y', 'link1.wz', 'joint1.force', "
                               "'drift_max', 'energy']}]}",
                               &status);
    assert_non_null(figure);
    if (!figure_gather(figure, &workshop, &status))
        fail_msg("%s", status.message);
    assert_int_equal(json_array_size(figure->data), 6);
    json_t *first = json_array_get(figure->data, 0), *last = json_array_get(figure->data, 5);
    assert_true(row_number(first, "time") == 0.0 && fabs(row_number(last, "time") - 0.05) < 1e-15);
    /* A rod of length 1 let go from level: its centre at 0.5, falling with 3/2 g at its end, turning clockwise. */
    assert_true(row_number(first, "link1.x") == 0.5 && row_number(first, "link1.wz") == 0.0);
    assert_true(row_number(last, "link1.y") < -0.005 && row_number(last, "link1.wz") < -0.7);
    assert_true(isnan(row_number(first, "joint1.force")) && isnan(row_number(first, "drift_max")));
    assert_true(row_number(last, "joint1.force") > 0.0 && row_number(last, "drift_max") >= 0.0);
    assert_true(isfinite(row_number(first, "energy")));
    assert_int_equal(workshop.made, 1);
    assert_true(figure_gather(figure, &workshop, &status));
    assert_int_equal(workshop.made, 1);
    figure_destroy(figure);
    store_close(workshop.store);
}

static void generators_and_commands_give_rows(void **state)
{
    char directory[128];
    Status status;
    Workshop workshop = workshop_open(*state, directory);
    Figure *figure = read_text(
        *state,
        "{" HEAD ", 'panels': [{" AXES "}], 'data': [{'generator': 'sparsity', "
        "'arguments': {'scene': 'pendulum', 'params': {'kind': 'particle', 'links': 5}}, 'set': {'what': 'A'}}, "
        "{'generator': 'mass_properties', 'arguments': {'refinements': 3}, 'set': {'what': 'mass'}}, {'command': "
        "'solve pendulum -p links=2 --solvers pgs -s iterations=4', 'rows': 'solvers[].residuals[]', 'name': "
        "'residual', 'set': {'what': 'solve'}}]}",
        &status);
    assert_non_null(figure);
    if (!figure_gather(figure, &workshop, &status))
        fail_msg("%s", status.message);
    double value;
    /* A chain of 5 rows couples neighbours: 5 + 2 x 4, but a level chain's are all along x. */
    assert_true(figure_value(figure->data, "count(value; what=A)", NAN, &value, &status) && value == 13.0);
    /* A box's mesh is exact, to within the round-off of some thousand terms. */
    assert_true(figure_value(figure->data, "max(inertia_error; shape=box)", NAN, &value, &status) && value < 1e-12);
    /* An inscribed polyhedron's error falls with the square of the edge; 16 edges are not yet far into that. */
    assert_true(figure_value(figure->data, "slope(mass_error, around; shape=cylinder)", NAN, &value, &status));
    assert_true(fabs(value + 2.0) < 0.35);
    assert_true(figure_value(figure->data, "count(residual; what=solve, solver=pgs)", NAN, &value, &status));
    assert_true(value == 4.0);
    assert_true(figure_value(figure->data, "max(index; what=solve)", NAN, &value, &status) && value == 4.0);
    figure_destroy(figure);
    store_close(workshop.store);
}

/* A machine without engines: what is drawn is ours, and the caption says what is missing and how to get it. */
static void a_caption_says_which_engines_are_missing(void **state)
{
    char directory[128];
    Status status;
    setenv("RIGOR_ENGINES", "/nowhere", 1);
    Workshop workshop = workshop_open(*state, directory);
    Figure *figure = read_text(*state,
                               "{" HEAD ", 'caption': 'A pendulum.', 'panels': [{" AXES "}], 'grid': [{'scene': "
                               "'pendulum', 'solver': ['jolt', 'pgs', 'bullet_tuned'], 'time': 0.1}]}",
                               &status);
    assert_non_null(figure);
    if (!figure_gather(figure, &workshop, &status) || !figure_tell(figure, &status))
        fail_msg("%s", status.message);
    assert_string_equal(figure->told_finding, "1 runs.");
    assert_non_null(strstr(figure->told_caption, "A pendulum. Not installed, and so left out: "));
    assert_non_null(strstr(figure->told_caption, "jolt"));
    assert_non_null(strstr(figure->told_caption, "bullet"));
    assert_null(strstr(figure->told_caption, "pgs"));
    assert_non_null(strstr(figure->told_caption, "`make engines` gets"));
    figure_destroy(figure);
    store_close(workshop.store);
    unsetenv("RIGOR_ENGINES");
}

/* After a second the pendulum is off by 3.5 mm with 8 substeps of xpbd and 3.2 mm with kkt from 0.5 rad, by 10.6
 * mm, 1.4 mm with 64 substeps and 9.3 mm from 1 rad; the goal lies between. */
static void the_cheapest_run_that_meets_a_goal_is_found(void **state)
{
    static const char FOUND[] = "value(cost; what=goal, solver=%s, at=%g)",
                      MEETS[] = "count(dt; solver=%s, params.angle=%g, options.substeps<=%g, error_end<=0.004)";
    static const struct {
        const char *solver;
        double angle, cost;
    } goals[] = {{"xpbd", 0.5, 8}, {"xpbd", 1, 64}, {"kkt", 0.5, 1}};
    char directory[128], text[160];
    Status status;
    double value;
    Workshop workshop = workshop_open(*state, directory);
    Figure *figure = read_text(
        *state,
        "{" HEAD ", 'panels': [{'from': 'data', " AXES "}], 'metrics': ['error_end'], 'grid': [{'scene': "
        "'pendulum', 'params': {'angle': [0.5, 1]}, 'solver': ['xpbd', 'kkt'], 'options': {'xpbd.substeps': [1, 8, 64, "
        "512]}, 'time': 1}], 'data': [{'generator': 'cheapest', 'arguments': {'cost': 'options.substeps', 'over': "
        "'params.angle', 'goal': {'error_end': {'max': 0.004}}}, 'set': {'what': 'goal'}}]}",
        &status);
    assert_non_null(figure);
    if (!figure_gather(figure, &workshop, &status))
        fail_msg("%s", status.message);
    assert_true(figure_value(figure->data, "count(cost; what=goal)", NAN, &value, &status) && value == 3.0);
    for (size_t i = 0; i < sizeof goals / sizeof goals[0]; i++) {
        snprintf(text, sizeof text, FOUND, goals[i].solver, goals[i].angle);
        assert_true(figure_value(figure->data, text, NAN, &value, &status) && value == goals[i].cost);
        /* One run up to that cost meets the goal: the one found. */
        snprintf(text, sizeof text, MEETS, goals[i].solver, goals[i].angle, goals[i].cost);
        assert_true(figure_value(figure->data, text, NAN, &value, &status) && value == 1.0);
    }
    figure_destroy(figure);
    store_close(workshop.store);
}

/* Points at one x become one; what is below the floor stands on it, and where there is no floor nothing is moved. */
static void points_are_reduced_and_stand_on_the_floor(void **state)
{
    char directory[128];
    Status status = {0};
    Workshop workshop = workshop_open(*state, directory);
    Figure *figure = read_text(
        *state,
        "{" HEAD ", 'panels': [{'reduce': 'max', 'x': {'field': 'dt'}, 'y': {'field': 'options.substeps'}}, "
        "{'reduce': 'median', 'x': {'field': 'dt'}, 'y': {'field': '0 - options.substeps'}}, {'x': {'field': 'dt'}, "
        "'y': {'field': 'options.substeps', 'log': true, 'floor': 3}}], 'grid': [{'scene': 'pendulum', 'solver': "
        "'xpbd', 'options': {'substeps': [1, 2, 8]}, 'time': 0.05}]}",
        &status);
    assert_non_null(figure);
    if (!figure_gather(figure, &workshop, &status))
        fail_msg("%s", status.message);
    PanelCurves *panels = figure_curves(figure, &status);
    assert_non_null(panels);
    assert_true(panels[0].curves[0].count == 1 && panels[0].curves[0].points[0].y == 8.0);
    assert_true(panels[1].curves[0].count == 1 && panels[1].curves[0].points[0].y == -2.0);
    assert_int_equal(panels[2].curves[0].count, 3);
    for (int i = 0; i < 3; i++)
        assert_true(panels[2].curves[0].points[i].y == (i < 2 ? 3.0 : 8.0));
    figure_curves_destroy(panels, figure->panel_count);
    figure_destroy(figure);
    store_close(workshop.store);
}

/* A stack at rest: after a second every frame repeats the last one's impulses. */
static void a_warm_start_begins_where_the_last_frame_ended(void **state)
{
    char directory[128];
    Status status;
    double gain;
    Workshop workshop = workshop_open(*state, directory);
    Figure *figure = read_text(
        *state,
        "{" HEAD ", 'panels': [{" AXES "}], 'data': [{'command': 'solve stack -p boxes=3 "
        "--at 1 --solvers pgs', 'rows': 'solvers[].residuals[]', 'set': {'start': 'cold'}}, {'command': 'solve stack "
        "-p boxes=3 --at 1 --solvers pgs --warm', 'rows': 'solvers[].residuals[]', 'set': {'start': 'warm'}}]}",
        &status);
    assert_non_null(figure);
    if (!figure_gather(figure, &workshop, &status))
        fail_msg("%s", status.message);
    assert_true(
        figure_value(figure->data, "ratio(first(value; start=warm); first(value; start=cold))", NAN, &gain, &status));
    /* 60 frames of 20 sweeps have long converged to round-off; cold begins near 1. */
    assert_true(gain < 1e-6);
    figure_destroy(figure);
    store_close(workshop.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(errors_name_their_place, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(errors_in_sources_name_their_place, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_check_runs_no_generator, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(rows_and_csv_hold_what_the_store_holds, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(figures_that_share_runs_do_not_make_them_twice, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(series_follow_bodies_joints_and_metrics, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(generators_and_commands_give_rows, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_caption_says_which_engines_are_missing, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(the_cheapest_run_that_meets_a_goal_is_found, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(points_are_reduced_and_stand_on_the_floor, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_warm_start_begins_where_the_last_frame_ended, scratch_setup,
                                        scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
