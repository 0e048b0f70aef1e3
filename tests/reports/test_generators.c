/* SPDX-License-Identifier: MIT */
/* Every generator's rows against a closed form, or against a computation of another kind. */
#include "reports/generate/generators.h"

#include "reports/figure/figure.h"
#include "reports/generate/depth_contest.h"
#include "tests/support/scratch.h"

/* The rows that a generator makes from arguments, in which ' stands for "; `rows` may have some before. */
static bool generate(const char *name, const char *arguments, json_t *rows, Status *status)
{
    char quoted[1024];
    snprintf(quoted, sizeof quoted, "%s", arguments);
    for (char *c = quoted; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    json_t *document = json_pack("{s:s,s:o}", "generator", name, "arguments", json_loads(quoted, 0, NULL));
    assert_non_null(document);
    Reader reader = {.path = "figure.json", .status = status};
    Node root = {.reader = &reader, .value = document};
    const Generator *generator = generator_find(node_get(&root, "generator"));
    bool ok = generator && generator->make(node_get(&root, "arguments"), rows);
    json_decref(document);
    return ok;
}

static json_t *rows_of(const char *name, const char *arguments)
{
    json_t *rows = json_array();
    Status status = {0};
    if (!generate(name, arguments, rows, &status))
        fail_msg("%s", status.message);
    return rows;
}

/* The one number that a caption's expression has in the rows. */
static double told(const json_t *rows, const char *expression)
{
    double value = NAN;
    Status status = {0};
    if (!figure_value(rows, expression, NAN, &value, &status))
        fail_msg("%s: %s", expression, status.message);
    return value;
}

/* Point masses in a level row on distance joints: along x, A couples neighbours by minus the inverse mass between. */
static void sparsity_is_the_tridiagonal_matrix_of_a_chain(void **state)
{
    (void)state;
    enum { LINKS = 4 };
    const double w = 1.0 / 2.6, last = w / 3.5;
    json_t *rows = rows_of("sparsity", "{'scene': 'pendulum', 'params': {'kind': 'particle', 'links': 4, 'mass': 2.6, "
                                       "'mass_ratio': 3.5}}");
    assert_int_equal(json_array_size(rows), LINKS + 2 * (LINKS - 1));
    size_t k;
    json_t *row;
    json_array_foreach (rows, k, row) {
        int i = (int)row_number(row, "row"), j = (int)row_number(row, "column");
        double diagonal = i == 1 ? w : i < LINKS ? 2.0 * w : w + last;
        assert_true(abs(i - j) <= 1 && row_number(row, "rows") == LINKS);
        /* Four products of numbers near 1: a few units of round-off. */
        assert_near(row_number(row, "value"), i == j ? diagonal : -w, 1e-14);
        assert_near(row_number(row, "magnitude"), fabs(i == j ? diagonal : w), 1e-14);
    }
    json_decref(rows);
}

/* The generator's solids. */
static const double RADIUS = 0.7, LENGTH = 1.9;

/* Area of a regular polygon of n corners on the unit circle, and its polar moment about the centre. */
static double polygon_area(int n)
{
    return 0.5 * n * sin(2.0 * PI / n);
}

static double polygon_polar(int n)
{
    double t = 2.0 * PI / n;
    return n * sin(t) * (2.0 + cos(t)) / 12.0;
}

/* A prism of n sides: volume and moments from those of its polygon. */
static void prism_errors(int n, double *mass, double *inertia)
{
    double disc = PI * RADIUS * RADIUS, r4 = pow(RADIUS, 4.0), l3 = pow(LENGTH, 3.0);
    double area = polygon_area(n) * RADIUS * RADIUS, polar = polygon_polar(n) * r4;
    double along = LENGTH * 0.5 * PI * r4, across = 0.5 * along + disc * l3 / 12.0;
    double found_across = 0.5 * LENGTH * polar + area * l3 / 12.0;
    *mass = 1.0 - area / disc;
    *inertia = fmax(fabs(LENGTH * polar - along), fabs(found_across - across)) / fmax(along, across);
}

/* A ball's polyhedron: between two rings of n corners the radius goes in a line with the height, so that volume and
 * moments are integrals of polynomials of degree 4 at most, which three points of Gauss integrate exactly. */
static void polyhedron_errors(int n, double *mass, double *inertia)
{
    static const double POINTS[3] = {-0.77459666924148338, 0.0, 0.77459666924148338}, WEIGHTS[3] = {5.0, 8.0, 5.0};
    double volume = 0.0, about = 0.0, across = 0.0, ball = 4.0 / 3.0 * PI;
    for (int band = 0; band < n / 2; band++) {
        double low = PI * ((double)band / (n / 2) - 0.5), high = PI * ((band + 1.0) / (n / 2) - 0.5);
        for (int i = 0; i < 3; i++) {
            double part = 0.5 + 0.5 * POINTS[i], weight = WEIGHTS[i] / 18.0 * (sin(high) - sin(low));
            double r = cos(low) + part * (cos(high) - cos(low)), y = sin(low) + part * (sin(high) - sin(low));
            volume += weight * polygon_area(n) * r * r;
            about += weight * polygon_polar(n) * pow(r, 4.0);
            across += weight * polygon_area(n) * r * r * y * y;
        }
    }
    double truth = 0.4 * ball;
    across += 0.5 * about;
    *mass = 1.0 - volume / ball;
    *inertia = fmax(fabs(about - truth), fabs(across - truth)) / truth;
}

static void mass_properties_are_those_of_inscribed_polyhedra(void **state)
{
    (void)state;
    json_t *rows = rows_of("mass_properties", "{'refinements': 5}"), *row;
    assert_int_equal(json_array_size(rows), 3 * 5);
    size_t k;
    json_array_foreach (rows, k, row) {
        const char *shape = json_string_value(json_object_get(row, "shape"));
        int n = (int)row_number(row, "around");
        double mass = 0.0, inertia = 0.0; /* a box is exact */
        assert_int_equal(n, 4 << k % 5);
        if (strcmp(shape, "cylinder") == 0)
            prism_errors(n, &mass, &inertia);
        else if (strcmp(shape, "sphere") == 0)
            polyhedron_errors(n, &mass, &inertia);
        /* Sums over up to 4096 triangles, each to round-off. */
        assert_near(row_number(row, "mass_error"), mass, 1e-12);
        assert_near(row_number(row, "centre_error"), 0.0, 1e-13);
        assert_near(row_number(row, "inertia_error"), inertia, 1e-12);
    }
    json_decref(rows);
}

static void spin_update_loses_spin_as_its_formula_says(void **state)
{
    (void)state;
    const double h = 0.013;
    json_t *rows = rows_of("spin_update", "{'spin': 47.3, 'time': 0.65, 'dt': 0.013}");
    assert_int_equal(json_array_size(rows), 2 * 51);
    double spin = 47.3;
    for (size_t i = 0; i <= 50; i++) {
        json_t *slides = json_array_get(rows, i), *exact = json_array_get(rows, 51 + i);
        assert_string_equal(json_string_value(json_object_get(slides, "update")), "slides");
        assert_near(row_number(slides, "time"), (double)i * h, 1e-15);
        assert_near(row_number(slides, "spin"), spin, 1e-11); /* 50 steps of round-off in 47 */
        assert_near(row_number(exact, "spin"), 47.3, 1e-11);
        spin /= sqrt(1.0 + 0.25 * spin * spin * h * h);
    }
    assert_true(spin < 20.0); /* the loss is no small matter at this step */
    json_decref(rows);
}

/* Force and moment of uniform pressure by midpoints in polar coordinates. */
static void disc_by_midpoints(double v, double spin, double *force, double *moment)
{
    enum { RADII = 400, ANGLES = 400 };
    *force = *moment = 0.0;
    for (int i = 0; i < RADII; i++)
        for (int k = 0; k < ANGLES; k++) {
            double r = (i + 0.5) / RADII, angle = 2.0 * PI * (k + 0.5) / ANGLES;
            double ux = v - spin * r * sin(angle), uy = spin * r * cos(angle), speed = hypot(ux, uy);
            double part = 2.0 * r / RADII / ANGLES;
            *force += part * ux / speed;
            *moment += part * r * (cos(angle) * uy - sin(angle) * ux) / speed;
        }
}

static void limit_surface_follows_its_laws(void **state)
{
    (void)state;
    json_t *rows = rows_of("limit_surface", "{'v0': 1, 'mu': 0.25, 'gravity': 4, 'radius': 1, 'spins': [0, 1]}"), *row;
    size_t k;
    json_array_foreach (rows, k, row) {
        if (strcmp(json_string_value(json_object_get(row, "what")), "surface") != 0)
            continue;
        const char *law = json_string_value(json_object_get(row, "law"));
        double motion = row_number(row, "motion"), f = row_number(row, "force"), m = row_number(row, "moment");
        double force, moment;
        if (strcmp(law, "ellipsoid") == 0)
            assert_near(f * f + 2.25 * m * m, 1.0, 1e-13);
        if (strcmp(law, "uniform") == 0 && k % 10 == 3) {
            disc_by_midpoints(cos(motion), sin(motion), &force, &moment);
            /* Midpoints near the point that stands still, where the direction jumps: their area is 1e-5. */
            assert_near(f, force, 1e-4);
            assert_near(m, moment, 1e-4);
        }
        if (motion == 0.0)
            assert_true(f == 1.0 && m == 0.0);
    }
    /* All three turn on the spot with 2/3 mu N R. */
    assert_near(told(rows, "min(moment; what=surface, motion>=1.5707)"), 2.0 / 3.0, 1e-12);
    assert_near(told(rows, "max(moment; what=surface, motion>=1.5707)"), 2.0 / 3.0, 1e-12);
    /* Without spin v0^2 / (2 mu g) after v0 / (mu g); with it, numbers integrated apart from this program, to their
     * last digit. */
    assert_near(told(rows, "max(distance; what=slide, spin=0)"), 0.5, 1e-12);
    assert_near(told(rows, "min(stop; what=slide, spin=0)"), 1.0, 1e-12);
    assert_near(told(rows, "value(distance; law=uniform, spin=1)"), 0.637397, 5e-7);
    assert_near(told(rows, "value(stop; law=uniform, spin=1)"), 1.340298, 5e-7);
    assert_near(told(rows, "value(distance; law=ellipsoid, spin=1)"), 0.612245, 5e-7);
    assert_near(told(rows, "value(stop; law=ellipsoid, spin=1)"), 1.252032, 5e-7);
    json_decref(rows);
}

typedef struct Arrow {
    double x, y, dx, dy;
} Arrow;

static Arrow arrow_of(const json_t *rows, size_t index, const char *stage)
{
    const json_t *row = json_array_get(rows, index);
    assert_string_equal(json_string_value(json_object_get(row, "stage")), stage);
    return (Arrow){row_number(row, "x"), row_number(row, "y"), row_number(row, "dx"), row_number(row, "dy")};
}

/* The wire has its centre at the origin; gravity is along -y. */
static void bead_step_is_the_lectures_step(void **state)
{
    (void)state;
    const double h = 0.11, g = 9.3, r = 0.8;
    json_t *rows = rows_of("bead_step", "{'scene': 'bead_on_wire', 'params': {'radius': 0.8, 'gravity': 9.3}, 'body': "
                                        "'bead', 'dt': 0.11, 'after': 0.23}");
    assert_int_equal(json_array_size(rows), 5);
    Arrow before = arrow_of(rows, 0, "state"), flight = arrow_of(rows, 1, "integrate"),
          back = arrow_of(rows, 2, "solve");
    Arrow moved = arrow_of(rows, 3, "displacement"), after = arrow_of(rows, 4, "velocity");
    /* Where it begins: on the wire, along it, with the speed of its fall from the height of the centre. Steps of h/1000
     * keep the energy to some 1e-3 of itself. */
    assert_near(hypot(before.x, before.y), r, 1e-12);
    assert_near((before.x * before.dx + before.y * before.dy) / (r * h), 0.0, 1e-3);
    assert_near(0.5 * (before.dx * before.dx + before.dy * before.dy) / (h * h), -g * before.y, 2e-3 * g * r);
    assert_true(before.y < -0.1); /* it has fallen */
    /* h v + h^2 g, back to the wire along the radius, and v = (x - x_before) / h. */
    assert_near(flight.dx, before.dx, 1e-15);
    assert_near(flight.dy, before.dy - h * h * g, 1e-15);
    double px = flight.x + flight.dx, py = flight.y + flight.dy, length = hypot(px, py);
    assert_near(back.x, px, 1e-15);
    assert_near(back.y, py, 1e-15);
    assert_near(back.dx, px * (r / length - 1.0), 1e-14);
    assert_near(back.dy, py * (r / length - 1.0), 1e-14);
    assert_near(moved.dx, flight.dx + back.dx, 1e-15);
    assert_near(moved.dy, flight.dy + back.dy, 1e-15);
    assert_near(after.dx, moved.dx, 1e-14);
    assert_near(after.dy, moved.dy, 1e-14);
    json_decref(rows);
}

static void profile_add_run(json_t *rows, const char *scene, const char *solver, const char *status, double cost,
                            double error)
{
    json_array_append_new(rows, json_pack("{s:s,s:s,s:s,s:s,s:f,s:f}", "from", "grid", "scene", scene, "solver", solver,
                                          "status", status, "row_solves", cost, "error_end", error));
}

/* Three problems: a needs 10, 30, 5; b 20 (its cheaper run is too far off), 10, and never. */
static void profile_counts_ratios_to_the_best(void **state)
{
    (void)state;
    static const struct {
        const char *solver;
        double tau, rho;
    } CORNERS[] = {{"a", 1, 2.0 / 3}, {"a", 3, 2.0 / 3}, {"a", 3, 1.0},     {"a", NAN, 1.0},
                   {"b", 1, 1.0 / 3}, {"b", 2, 1.0 / 3}, {"b", 2, 2.0 / 3}, {"b", NAN, 2.0 / 3}};
    json_t *rows = json_array();
    Status status = {0};
    profile_add_run(rows, "first", "a", "ok", 10, 0.001);
    profile_add_run(rows, "first", "b", "ok", 7, 0.02);
    profile_add_run(rows, "first", "b", "ok", 20, 0.001);
    profile_add_run(rows, "second", "a", "ok", 30, 0.009);
    profile_add_run(rows, "second", "b", "ok", 10, 0.0);
    profile_add_run(rows, "third", "a", "ok", 5, 0.003);
    profile_add_run(rows, "third", "b", "blew_up", 1, 0.0);
    size_t runs = json_array_size(rows);
    if (!generate("profile", "{'cost': 'row_solves', 'goal': {'error_end': {'max': 0.01}}}", rows, &status))
        fail_msg("%s", status.message);
    assert_int_equal(json_array_size(rows) - runs, sizeof CORNERS / sizeof CORNERS[0]);
    for (size_t i = 0; i < sizeof CORNERS / sizeof CORNERS[0]; i++) {
        json_t *row = json_array_get(rows, runs + i);
        assert_string_equal(json_string_value(json_object_get(row, "solver")), CORNERS[i].solver);
        assert_near(row_number(row, "rho"), CORNERS[i].rho, 1e-15);
        assert_int_equal((int)row_number(row, "problems"), 3);
        if (isnan(CORNERS[i].tau))
            assert_true(row_number(row, "tau") >= 3.0); /* the end of the axis, beyond every ratio */
        else
            assert_near(row_number(row, "tau"), CORNERS[i].tau, 1e-15);
    }
    json_decref(rows);
}

/* Of two scenes `late` solves both, one at three times the cost: it comes first, though its runs come last. */
static void profile_has_values_at_factors_for_maps(void **state)
{
    (void)state;
    static const struct {
        const char *solver;
        double tau, rho;
    } VALUES[] = {{"late", 1, 0.5},  {"late", 2, 0.5},  {"late", 4, 1.0},
                  {"early", 1, 0.5}, {"early", 2, 0.5}, {"early", 4, 0.5}};
    json_t *rows = json_array();
    Status status = {0};
    profile_add_run(rows, "first", "early", "ok", 10, 0.001);
    profile_add_run(rows, "second", "early", "blew_up", 1, 0.0);
    profile_add_run(rows, "first", "late", "ok", 30, 0.001);
    profile_add_run(rows, "second", "late", "ok", 7, 0.001);
    size_t runs = json_array_size(rows);
    if (!generate("profile", "{'cost': 'row_solves', 'at': [1, 2, 4]}", rows, &status))
        fail_msg("%s", status.message);
    assert_int_equal(json_array_size(rows) - runs, sizeof VALUES / sizeof VALUES[0]);
    for (size_t i = 0; i < sizeof VALUES / sizeof VALUES[0]; i++) {
        json_t *row = json_array_get(rows, runs + i);
        assert_string_equal(json_string_value(json_object_get(row, "solver")), VALUES[i].solver);
        assert_true(row_number(row, "tau") == VALUES[i].tau && row_number(row, "rho") == VALUES[i].rho);
    }
    json_decref(rows);
}

static void wrong_arguments_are_refused_at_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *name, *arguments, *place;
    } CASES[] = {
        {"sparsity", "{'scene': 'pendulum', 'size': 3}", "arguments.size"},
        {"sparsity", "{'scene': 'pendulun'}", "arguments.scene"},
        {"mass_properties", "{'refinements': 8}", "arguments.refinements"},
        {"spin_update", "{'dt': 0}", "arguments.dt"},
        {"limit_surface", "{'spins': [1, -1]}", "arguments.spins[1]"},
        {"bead_step", "{'scene': 'bead_on_wire', 'body': 'pearl'}", "arguments.body"},
        {"profile", "{'goal': {'error_end': {'least': 1}}}", "arguments.goal.error_end.least"},
        {"profile", "{'at': [1, 0.5]}", "arguments.at[1]"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Status status = {0};
        json_t *rows = json_array();
        char place[96];
        snprintf(place, sizeof place, "figure.json: %s: ", CASES[i].place);
        if (generate(CASES[i].name, CASES[i].arguments, rows, &status) || status.code != STATUS_BAD_FILE ||
            !strstr(status.message, place))
            fail_msg("%s %s says '%s', not at %s", CASES[i].name, CASES[i].arguments, status.message, place);
        json_decref(rows);
    }
}

/* Without rows arguments are checked, and nothing runs: 6e7 frames of a thousand joints would take days. */
static void nothing_runs_where_arguments_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *name, *arguments, *wrong;
    } CASES[] = {
        {"joint_history", "{'scene': 'chain', 'params': {'links': 1000}, 'solvers': ['pgs', 'kkt'], 'time': 1e6}",
         "{'scene': 'chain', 'params': {'links': 1000}, 'solvers': ['pgs', 'kkk'], 'time': 1e6}"},
        {"energy_ledger", "{'scene': 'chain', 'params': {'links': 1000}, 'solvers': ['pgs'], 'time': 1e6}",
         "{'scene': 'chain', 'params': {'lynx': 1000}, 'solvers': ['pgs'], 'time': 1e6}"},
        {"sweep_modes", "{'scene': 'chain', 'params': {'links': 3}}", "{'scene': 'chian'}"},
        {"checks", "{'solvers': ['kkt']}", "{'solvers': ['kkk']}"},
        {"holds", "{'goal': {'settled': 1}}", "{}"},
        {"verdict", "{}", "{'seen': 0.1}"},
        {"standing", "{'good': 0.1}", "{'fair': 0}"},
        {"front", "{'over': 'case'}", "{'cost': 1}"},
        {"profile", "{'at': [1, 2]}", "{'at': 1}"},
        {"broad_phase", "{'sizes': [1e6]}", "{'sizes': [1]}"},
        {"narrow_phase", "{}", "{'step': 1}"},
        {"depth_contest", "{'pairs': 1e6}", "{'pairs': 1e7}"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Status status = {0};
        if (!generate(CASES[i].name, CASES[i].arguments, NULL, &status))
            fail_msg("%s: %s", CASES[i].name, status.message);
        if (generate(CASES[i].name, CASES[i].wrong, NULL, &status))
            fail_msg("%s takes %s", CASES[i].name, CASES[i].wrong);
    }
}

static void checks_say_who_passes_what(void **state)
{
    (void)state;
    json_t *rows = rows_of("checks", "{'solvers': ['kkt', 'penalty']}");
    assert_int_equal(told(rows, "count(number; solver=kkt, state=1)"), 0);
    assert_int_equal(told(rows, "value(state; solver=kkt, check=bounce)"), 2);
    /* A spring gives way: the rod lies deeper in its limit than the scene allows and is thrown back; friction needs a
     * slip, in an impact, too. */
    assert_int_equal(told(rows, "value(state; solver=penalty, check=hinge limit)"), 1);
    assert_int_equal(told(rows, "value(failed; solver=penalty, number=1)"), 4);
    assert_int_equal(told(rows, "count(number; kind=ours, number=1)"), 2);
    json_decref(rows);
}

/* Equal masses on a string that hangs from a fixed point: Jacobi's matrix has the modes cos((i - 1) theta), theta =
 * pi / 2n, and the matrix is tridiagonal, so a Gauss-Seidel sweep has the squares of its eigenvalues, and modes that
 * fade by cos theta from row to row besides. */
static void sweep_modes_are_those_of_a_hanging_string(void **state)
{
    (void)state;
    enum { LINKS = 7 };
    json_t *rows =
        rows_of("sweep_modes", "{'scene': 'pendulum', 'params': {'kind': 'particle', 'links': 7, 'angle': 0, "
                               "'length': 0.31}, 'modes': 1}");
    double theta = acos(-1.0) / (2 * LINKS);
    assert_true(told(rows, "count(size)") == LINKS);
    /* The eigenvalues of a matrix that is not symmetric: to the root of round-off at worst. */
    assert_true(fabs(told(rows, "value(size; index=1)") - cos(theta) * cos(theta)) < 1e-12);
    assert_true(fabs(told(rows, "value(size; index=2)") - pow(cos(3 * theta), 2.0)) < 1e-12);
    for (int i = 0; i < LINKS; i++) {
        char expression[64];
        snprintf(expression, sizeof expression, "value(amplitude; what=mode, row=%d)", i + 1);
        assert_true(fabs(told(rows, expression) - pow(cos(theta), i) * cos(i * theta)) < 1e-10);
        snprintf(expression, sizeof expression, "value(y; what=mode, row=%d)", i + 1);
        assert_true(fabs(told(rows, expression) + 0.31 * (i + 0.5)) < 1e-12);
    }
    json_decref(rows);
}

extern const Solver pgs_solver;

/* The metric drift_max sees the same joints at the same times; at rest a joint carries what hangs on it. */
static void joint_history_is_what_the_metrics_see(void **state)
{
    (void)state;
    json_t *rows = rows_of("joint_history", "{'scene': 'chain', 'params': {'links': 3, 'mass_ratio': 7}, 'solvers': "
                                            "['pgs:iterations=9', 'kkt'], 'time': 0.4}");
    Run run = {.dt = RUN_DEFAULT_DT, .time = 0.4, .without_truth = true};
    Status status = {0};
    assert_true(run_choose_scene(&run, "chain", &status));
    assert_true(run_set_param(&run, "links", "3", &status) && run_set_param(&run, "mass_ratio", "7", &status));
    run_choose_solver(&run, &pgs_solver);
    assert_true(run_set_option(&run, "iterations", "9", &status));
    assert_true(run_make(&run, NULL));
    assert_true(told(rows, "max(error; solver=pgs:iterations=9)") == run.result.metrics[metric_find("drift_max")]);
    assert_true(told(rows, "count(error; solver=kkt)") == 24.0 * run.problem->world->joint_count);
    assert_true(told(rows, "max(force; solver=kkt, joint=1)") > told(rows, "min(force; solver=kkt, joint=1)"));
    run_clear(&run);
    json_decref(rows);
}

/* Its total is what the metric energy_error_end sees of the same run, and what the sources add up to. */
static void the_energy_ledger_is_what_the_metrics_see(void **state)
{
    (void)state;
    static const char *const SOURCES[] = {"integrator",          "constraints", "warm start",
                                          "position correction", "restitution", "friction"};
    json_t *rows =
        rows_of("energy_ledger", "{'scene': 'chain', 'params': {'links': 3}, 'solvers': ['pgs:iterations=9'], "
                                 "'time': 0.4}");
    Run run = {.dt = RUN_DEFAULT_DT, .time = 0.4, .without_truth = true};
    Status status = {0};
    double sum = 0.0;
    for (int i = 0; i < 6; i++) {
        char expression[64];
        snprintf(expression, sizeof expression, "value(energy; source=%s)", SOURCES[i]);
        sum += told(rows, expression);
    }
    assert_true(run_choose_scene(&run, "chain", &status) && run_set_param(&run, "links", "3", &status));
    run_choose_solver(&run, &pgs_solver);
    assert_true(run_set_option(&run, "iterations", "9", &status) && run_make(&run, NULL));
    double total = told(rows, "value(energy; source=total)");
    assert_near(sum, total, 1e-14); /* round-off of parts of the energy scale */
    assert_near(fabs(total), run.result.metrics[metric_find("energy_error_end")], 1e-14);
    assert_true(fabs(total) > 1e-3);
    run_clear(&run);
    json_decref(rows);
}

/* A share of the scale, by the metric that the grid names; a fall and a blow-up are poor, a row of no grid is not told,
 * nor one that ran out of time. */
static void standings_are_shares_of_a_scale(void **state)
{
    (void)state;
    static const struct {
        const char *status;
        double error, settled;
        int standing;
    } RUNS[] = {{"ok", 0.002, 1, 0},        {"ok", 0.0021, 1, 1},     {"ok", 0.02, 1, 1},       {"ok", 0.021, 1, 2},
                {"ok", 0.001, 0, 2},        {"blew_up", 0.001, 1, 2}, {"unsupported", 0, 1, 3}, {"failed", 0, 1, 2},
                {"not_installed", 0, 1, 4}, {"timed_out", 0, 1, -1}};
    enum { COUNT = sizeof RUNS / sizeof RUNS[0] };
    json_t *rows = json_pack("[{s:s}]", "from", "data");
    Status status = {0};
    for (int i = 0; i < COUNT; i++)
        json_array_append_new(rows,
                              json_pack("{s:s,s:s,s:i,s:s,s:f,s:f,s:f,s:s}", "from", "grid", "status", RUNS[i].status,
                                        "run", i, "measure", "error_end", "scale", 0.2, "error_end", RUNS[i].error,
                                        "drift_rms", 7.0, "verdict", RUNS[i].settled > 0.0 ? "holds" : "falls"));
    if (!generate("standing", "{}", rows, &status))
        fail_msg("%s", status.message);
    assert_int_equal(json_array_size(rows), 2 * COUNT);
    for (int i = 0; RUNS[i].standing >= 0; i++) {
        char expression[64];
        snprintf(expression, sizeof expression, "value(standing; run=%d, standing>=0)", i);
        assert_int_equal(told(rows, expression), RUNS[i].standing);
    }
    assert_true(fabs(told(rows, "value(share; run=3, standing=2)") - 0.105) < 1e-12);
    json_decref(rows);
}

/* Of two cases each with a metric of its own: b is cheaper, a better, c is beaten by a, d did not end well. Who is
 * equal in time and worse is beaten, too. */
static void the_front_is_who_nobody_beats(void **state)
{
    (void)state;
    static const struct {
        const char *where, *solver, *status;
        double cost, error;
        const char *part;
    } RUNS[] = {{"one", "a", "ok", 4, 1, "named"},     {"one", "a", "ok", 8, 2, "named"},
                {"one", "b", "ok", 2, 3, "named"},     {"one", "c", "ok", 4, 1.5, "others"},
                {"one", "d", "blew_up", 1, 0.1, NULL}, {"two", "c", "ok", 9, 9, "named"}};
    enum { COUNT = sizeof RUNS / sizeof RUNS[0] };
    json_t *rows = json_pack("[{s:s}]", "from", "data");
    Status status = {0};
    for (int i = 0; i < COUNT; i++)
        json_array_append_new(rows,
                              json_pack("{s:s,s:s,s:s,s:s,s:s,s:f,s:f,s:f}", "from", "data", "case", RUNS[i].where,
                                        "solver", RUNS[i].solver, "status", RUNS[i].status, "measure",
                                        i == COUNT - 1 ? "depth" : "drift", "cost.frame_us", RUNS[i].cost, "drift",
                                        i == COUNT - 1 ? 1e9 : RUNS[i].error, "depth", RUNS[i].error));
    if (!generate("front", "{}", rows, &status))
        fail_msg("%s", status.message);
    for (int i = 0; i < COUNT; i++)
        if (RUNS[i].part) {
            char expression[128];
            snprintf(expression, sizeof expression, "value(error; case=%s, solver=%s, cost=%g, part=%s)", RUNS[i].where,
                     RUNS[i].solver, RUNS[i].cost, RUNS[i].part);
            assert_true(told(rows, expression) == RUNS[i].error);
        }
    assert_int_equal(told(rows, "count(error; part=front, case=one)"), 2);
    assert_true(told(rows, "value(cost; part=front, case=one, solver=a)") == 4);
    assert_true(told(rows, "value(cost; part=front, case=one, solver=b)") == 2);
    assert_int_equal(told(rows, "count(error; part=front, case=two)"), 1);
    assert_int_equal(json_array_size(rows), 1 + COUNT + (COUNT - 1) + 3);
    json_decref(rows);
}

static void verdicts_are_those_of_the_runs(void **state)
{
    (void)state;
    Status status = {0};
    static const char *const WORDS[] = {"holds", "drifts", "falls", NULL, "falls", NULL};
    static const char *const ENDED[] = {"ok", "ok", "ok", "unsupported", "blew_up", "not_installed"};
    static const double EXPECTED[] = {0.0, 1.0, 2.0, 3.0, 2.0, 4.0};
    json_t *rows = json_array();
    for (int i = 0; i < 6; i++) {
        char solver[] = {(char)('a' + i), '\0'};
        json_t *row =
            json_pack("{s:s,s:s,s:s,s:s}", "from", "grid", "scene", "stack", "solver", solver, "status", ENDED[i]);
        if (WORDS[i])
            json_object_set_new(row, "verdict", json_string(WORDS[i]));
        json_array_append_new(rows, row);
    }
    if (!generate("verdict", "{}", rows, &status))
        fail_msg("%s", status.message);
    for (int i = 0; i < 6; i++) {
        char expression[64];
        snprintf(expression, sizeof expression, "value(verdict; case=run, solver=%c)", 'a' + i);
        assert_true(told(rows, expression) == EXPECTED[i]);
    }
    assert_true(told(rows, "value(held; case=tally, solver=a)") == 1.0);
    assert_true(told(rows, "value(held; case=tally, solver=b)") == 0.0);
    assert_true(told(rows, "value(fell; case=tally, solver=e)") == 1.0);
    assert_true(told(rows, "value(could_not; case=tally, solver=d)") == 1.0);
    assert_true(told(rows, "value(absent; case=tally, solver=f)") == 1.0);
    json_decref(rows);
}

/* A tree and all pairs are two ways to the same pairs. */
static void the_broad_phase_keeps_what_overlaps(void **state)
{
    (void)state;
    json_t *rows = rows_of("broad_phase", "{'bodies': 30, 'sizes': [137, 1000]}");
    assert_true(told(rows, "value(pairs; how=tree, bodies=137)") ==
                told(rows, "value(pairs; how=all pairs, bodies=137)"));
    assert_true(told(rows, "value(pairs; how=tree, bodies=1000)") ==
                told(rows, "value(pairs; how=all pairs, bodies=1000)"));
    assert_true(told(rows, "value(pairs; how=tree, bodies=1000)") > 2000);
    assert_true(told(rows, "value(left_a_body; how=tree, bodies=1000)") ==
                told(rows, "value(pairs; how=tree, bodies=1000)") / 1000);
    assert_true(told(rows, "value(left_a_body; how=all pairs, bodies=1000)") == 999.0 / 2);
    assert_int_equal(told(rows, "count(x; what=edge)"), 4 * 30);
    assert_true(told(rows, "count(x; what=pair)") == told(rows, "value(kept; what=heap)"));
    json_decref(rows);
}

/* m: the distance of a disc from a turned rectangle, in the rectangle's frame. */
static double disc_from_rectangle(double x, double y, double radius, double half_x, double half_y, double angle)
{
    double u = fabs(cos(angle) * x + sin(angle) * y), v = fabs(cos(angle) * y - sin(angle) * x);
    return hypot(fmax(u - half_x, 0.0), fmax(v - half_y, 0.0)) - radius;
}

static void the_narrow_phase_ends_at_the_closed_form(void **state)
{
    (void)state;
    json_t *rows = rows_of("narrow_phase", "{}");
    /* The slices are 1e-6 m thick. */
    assert_near(told(rows, "value(distance; what=gjk_end)"), disc_from_rectangle(0.9, 1.7, 0.5, 1.3, 0.25, 0.3), 1e-6);
    /* Seen from where the distance of the boxes has its true length. */
    assert_near(told(rows, "last(dy; what=gjk3, part=nearest)"), -told(rows, "value(distance; what=gjk3_end)"), 1e-9);
    assert_near(told(rows, "last(dx; what=gjk3, part=nearest)"), 0.0, 1e-9);
    /* A - B of two boxes in no special place has 60 edges; 12 are its outline, and half of the others are in front. */
    assert_int_equal(told(rows, "count(x; what=gjk3_outline)"), 36);
    assert_near(told(rows, "max(max(y, y + dy); what=gjk3_outline)"), -told(rows, "value(distance; what=gjk3_end)"),
                1e-9);
    assert_int_equal(told(rows, "count(overlap; what=sat)"), 15);
    assert_true(told(rows, "min(overlap; what=sat, kind!=others)") == told(rows, "min(overlap; what=sat)"));
    assert_int_equal(told(rows, "count(x; what=kept)"), 4);
    /* The nearest face of the polytope goes away from the origin, up to the depth. */
    assert_true(told(rows, "max(depth; what=epa_step)") <= told(rows, "value(depth; what=epa_end)") + 1e-9);
    assert_near(told(rows, "last(depth; what=epa_step)"), told(rows, "value(depth; what=epa_end)"), 1e-8);
    json_decref(rows);
}

static void brute_force_knows_the_depth_of_two_boxes(void **state)
{
    (void)state;
    Convex a, b;
    Shape unit = {.kind = SHAPE_BOX, .size = {1.0, 1.0, 1.0}};
    convex_place(&a, &unit, NULL, VEC3_ZERO, QUAT_IDENTITY);
    convex_place(&b, &unit, NULL, vec3(0.83, 0.3, 0.1), QUAT_IDENTITY);
    assert_near(depth_certified(&a, &b), 0.17, 1e-15);
    /* An edge against an edge: turned by 45 degrees about z, and about x. */
    convex_place(&a, &unit, NULL, VEC3_ZERO, quat_axis_angle(vec3(0, 0, 1), 0.25 * PI));
    convex_place(&b, &unit, NULL, vec3(0.0, sqrt(2.0) - 0.05, 0.0), quat_axis_angle(vec3(1, 0, 0), 0.25 * PI));
    assert_near(depth_certified(&a, &b), 0.05, 1e-14);
    json_t *rows = rows_of("depth_contest", "{'pairs': 300, 'seed': 5}");
    assert_int_equal(told(rows, "value(wrong + missed; who=our EPA)"), 0);
    assert_int_equal(told(rows, "value(wrong + missed; who=our axes)"), 0);
    assert_true(told(rows, "value(depth_error; who=our EPA)") < 1e-6);
    /* Whoever else is there tells the depth that it found: only few may be off. */
    static const char *const OTHERS[] = {"libccd's EPA", "Bullet's EPA", "Bullet's axes"};
    for (int i = 0; i < 3; i++) {
        char text[80];
        snprintf(text, sizeof text, "count(ns; who=%s)", OTHERS[i]);
        bool there = told(rows, text) > 0.0;
        snprintf(text, sizeof text, "value(depth_error_mean; who=%s)", OTHERS[i]);
        assert_true(!there || told(rows, text) < 0.02);
    }
    json_decref(rows);
}

static json_t *contest_without_bullet(void)
{
    setenv("RIGOR_ENGINES", "/nowhere", 1);
    json_t *rows = rows_of("depth_contest", "{'pairs': 20}");
    unsetenv("RIGOR_ENGINES");
    return rows;
}

static void a_contender_that_is_missing_is_left_out_and_said(void **state)
{
    (void)state;
    json_t *rows = contest_without_bullet();
    assert_int_equal(json_array_size(rows), 2 + ccd_contender_count);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        assert_null(strstr(json_string_value(json_object_get(row, "who")), "Bullet"));
        assert_non_null(strstr(json_string_value(json_object_get(row, "absent")), "Bullet"));
    }
    json_decref(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_say_who_passes_what),
        cmocka_unit_test(sparsity_is_the_tridiagonal_matrix_of_a_chain),
        cmocka_unit_test(mass_properties_are_those_of_inscribed_polyhedra),
        cmocka_unit_test(spin_update_loses_spin_as_its_formula_says),
        cmocka_unit_test(limit_surface_follows_its_laws),
        cmocka_unit_test(bead_step_is_the_lectures_step),
        cmocka_unit_test(profile_counts_ratios_to_the_best),
        cmocka_unit_test(profile_has_values_at_factors_for_maps),
        cmocka_unit_test(sweep_modes_are_those_of_a_hanging_string),
        cmocka_unit_test(joint_history_is_what_the_metrics_see),
        cmocka_unit_test(the_energy_ledger_is_what_the_metrics_see),
        cmocka_unit_test(verdicts_are_those_of_the_runs),
        cmocka_unit_test(standings_are_shares_of_a_scale),
        cmocka_unit_test(the_front_is_who_nobody_beats),
        cmocka_unit_test(the_broad_phase_keeps_what_overlaps),
        cmocka_unit_test(the_narrow_phase_ends_at_the_closed_form),
        cmocka_unit_test(brute_force_knows_the_depth_of_two_boxes),
        cmocka_unit_test(a_contender_that_is_missing_is_left_out_and_said),
        cmocka_unit_test(nothing_runs_where_arguments_are_checked),
        cmocka_unit_test(wrong_arguments_are_refused_at_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
