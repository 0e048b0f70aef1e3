/* SPDX-License-Identifier: MIT */
/* No hidden length: a scene whose lengths, speeds, forces and options are all times 2^k, time being the same, gives the
 * same bits, times 2^k, and the same number of row solves. Powers of two round nothing, so every formula that adds a
 * metre to a radian, or compares with a number of metres, is found here. Masses stay. */
#include "bench/run/run.h"
#include "solvers/variants.h"
#include "tests/support/scratch.h"

#include <jansson.h>

/* All scenes, smaller than by default, so that all solvers get through; their lengths are what they are. */
static const struct {
    const char *scene, *param, *value;
} SCENES[] = {
    {"bounce", NULL, NULL},         {"oblique", NULL, NULL},
    {"cradle", "balls", "3"},       {"collide2", NULL, NULL},
    {"incline", NULL, NULL},        {"rolling", NULL, NULL},
    {"spinning_disc", NULL, NULL},  {"stack", "boxes", "4"},
    {"pyramid", "base", "3"},       {"arch", NULL, NULL},
    {"card_house", "levels", "2"},  {"wall", "rows", "2"},
    {"dominoes", NULL, NULL},       {"tilting_box", NULL, NULL},
    {"impact_rod", NULL, NULL},     {"asteroids", "spheres", "10"},
    {"pile", "spheres", "15"},      {"overlap", NULL, NULL},
    {"heavy_on_light", NULL, NULL}, {"warm_start_kick", NULL, NULL},
    {"bridge", "planks", "6"},      {"ragdoll", NULL, NULL},
    {"four_bar", NULL, NULL},       {"joint_gallery", NULL, NULL},
    {"orbit", NULL, NULL},          {"spring", NULL, NULL},
    {"projectile", NULL, NULL},     {"torque_free", NULL, NULL},
    {"tumbling_box", NULL, NULL},   {"heavy_top", NULL, NULL},
    {"bead_on_wire", NULL, NULL},   {"pendulum", NULL, NULL},
    {"chain", "links", "5"},        {"hanging_chain", "links", "6"},
    {"hinge_limit", NULL, NULL},    {"servo", NULL, NULL},
    {"motor", NULL, NULL},          {"ball_limit", NULL, NULL},
    {"prismatic", NULL, NULL},      {"cylinder", NULL, NULL},
    {"slider_crank", NULL, NULL},   {"cloth", "nx", "2"},
    {"soft_cube", "n", "1"},        {"soft_cube", "n", "3"}, /* for direct alone: it takes reference minutes */
};

/* Keys of a scene file and options of solvers that hold lengths, and to which power. Time is not scaled, mass neither:
 * a force is m kg/s^2. A key is looked for at any depth. */
typedef struct Dimension {
    const char *key;
    int power;
    const char *solver; /* the only one where the option has it; NULL: all */
} Dimension;

static const Dimension KEYS[] = {
    {"gravity", 1},      {"energy_scale", 2}, {"speed_scale", 1}, {"length_scale", 1}, {"position", 1},
    {"velocity", 1},     {"force", 1},        {"torque", 2},      {"max_torque", 2},   {"density", -3},
    {"inertia", 2},      {"radius", 1},       {"length", 1},      {"size", 1},         {"offset", 1},
    {"points", 1},       {"patch_radius", 1}, {"anchor", 1},      {"anchors", 1},      {"center", 1},
    {"position_min", 1}, {"position_max", 1}, {"rest", 1},        {"at", 1},           {"gm", 3},
};

static const Dimension OPTIONS[] = {
    {"still_speed", 1},   {"least_error", 1},           {"torsional", 1},  {"rolling", 1},    {"slop", 1},
    {"push_speed", 1},    {"restitution_threshold", 1}, {"look_ahead", 1}, {"slip_speed", 1}, {"angular_stiffness", 2},
    {"beta", -1, "avbd"}, {"solimp_width", 1},          {"ngs_most", 1},
};

/* Numbers of a value, however deep in arrays. */
static json_t *scaled_numbers(const json_t *value, double factor)
{
    if (json_is_number(value))
        return json_real(json_number_value(value) * factor);
    if (!json_is_array(value))
        return json_deep_copy(value);
    json_t *array = json_array();
    for (size_t i = 0; i < json_array_size(value); i++)
        json_array_append_new(array, scaled_numbers(json_array_get(value, i), factor));
    return array;
}

static void scale_document(json_t *value, int k)
{
    const char *key, *type = json_string_value(json_object_get(value, "type"));
    json_t *part;
    void *next;
    for (size_t i = 0; json_is_array(value) && i < json_array_size(value); i++)
        scale_document(json_array_get(value, i), k);
    json_object_foreach_safe(value, next, key, part)
    {
        int power = 0;
        for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++)
            power = strcmp(KEYS[i].key, key) == 0 ? KEYS[i].power : power;
        if (type && strcmp(type, "volume") == 0 && strcmp(key, "rest") == 0)
            power = 3;
        if (type && strcmp(type, "cylinder") == 0 && strcmp(key, "target") == 0)
            power = 1;
        if (power != 0)
            json_object_set_new(value, key, scaled_numbers(part, ldexp(1.0, power * k)));
        else
            scale_document(part, k);
    }
}

static json_t *scene_document(size_t s)
{
    Run run = {0};
    Status status = {0};
    assert_true(run_choose_scene(&run, SCENES[s].scene, &status));
    if (SCENES[s].param && !run_set_param(&run, SCENES[s].param, SCENES[s].value, &status))
        fail_msg("%s: %s", SCENES[s].scene, status.message);
    Problem *problem = run_build(&run, &status);
    assert_non_null(problem);
    char *text = problem_write(problem);
    json_t *document = json_loads(text, 0, NULL);
    assert_non_null(document);
    free(text);
    problem_destroy(problem);
    return document;
}

static void scale_options(Run *run, int k)
{
    for (size_t i = 0; i < sizeof OPTIONS / sizeof OPTIONS[0]; i++) {
        const Setting *setting = run_find_option(run, OPTIONS[i].key);
        char value[40];
        Status status = {0};
        bool other = OPTIONS[i].solver && strcmp(OPTIONS[i].solver, solver_backend(run->solver)->name) != 0;
        if (!setting || other || !isfinite(setting->initial)) /* auto and inf scale by themselves */
            continue;
        snprintf(value, sizeof value, "%.17g", setting->initial * ldexp(1.0, OPTIONS[i].power * k));
        if (!run_set_option(run, OPTIONS[i].key, value, &status))
            fail_msg("%s", status.message);
    }
}

/* A few frames of the scene 2^k times as large; false: the solver refuses it. */
static bool run_scaled(Scratch *scratch, const json_t *document, const Solver *solver, int k, Run *run)
{
    json_t *scaled = json_deep_copy(document);
    scale_document(scaled, k);
    char *text = json_dumps(scaled, JSON_REAL_PRECISION(17));
    const char *path = scratch_write(scratch, "scene.json", text);
    *run = (Run){.file = path, .dt = RUN_DEFAULT_DT, .time = 3 * RUN_DEFAULT_DT, .without_truth = true};
    run_choose_solver(run, solver);
    scale_options(run, k);
    bool made = run_make(run, false);
    free(text);
    json_decref(scaled);
    return made;
}

static bool same_vec3(Vec3 a, Vec3 b, double scale)
{
    return scale * a.x == b.x && scale * a.y == b.y && scale * a.z == b.z;
}

static bool same_state(const World *one, const World *other, int k)
{
    double s = ldexp(1.0, k);
    for (int i = 1; i < one->body_count; i++) {
        Pose p = one->pose[i], q = other->pose[i];
        Velocity u = one->velocity[i], v = other->velocity[i];
        if (!same_vec3(p.x, q.x, s) || memcmp(&p.q, &q.q, sizeof p.q) != 0 || !same_vec3(u.v, v.v, s) ||
            !same_vec3(u.w, v.w, 1.0))
            return false;
    }
    for (int j = 0; j < one->joint_count; j++)
        if (!same_vec3(one->joints[j].impulse, other->joints[j].impulse, s) ||
            !same_vec3(one->joints[j].angular_impulse, other->joints[j].angular_impulse, s * s))
            return false;
    return true;
}

/* One number for metres and radians: MuJoCo's width of the impedance, and the penalties of AVBD's demo, the same in N/m
 * and in N m/rad. They scale without joints only; and the demo's contacts rest 0.0005 m deep. */
static bool mixes_units(const Run *run)
{
    const World *world = run->problem ? run->problem->world : NULL;
    bool demo = strncmp(run->solver->name, "avbd_demo", 9) == 0;
    return world && ((demo && world->manifold_count > 0) ||
                     (world->joint_count > 0 && (demo || run_find_option(run, "solimp_width"))));
}

/* Forms that an option chooses and no name of its own has. kkt's form=kkt is left to round-off: LAPACK's pivoting
 * compares lengths with angles. */
static const Variant FORMS[] = {
    {"lcp acceleration", "lcp", "level=acceleration"},
    {"pgs split", "pgs", "position=split"},
    {"pgs pyramid", "pgs", "friction=pyramid"},
    {"pgs that stops", "pgs", "iterations=200:stop_residual=0.01"},
};
enum { FORM_COUNT = sizeof FORMS / sizeof FORMS[0], POWER_MAX = 10 };

/* One power of two for each pair of scene and solver, so that all of 2^-10 to 2^10 have their turn. */
static int power_of(size_t scene, int solver)
{
    int k = ((int)scene * 5 + solver * 8) % (2 * POWER_MAX) - POWER_MAX;
    return k < 0 ? k : k + 1;
}

static const Solver *backend_named(const char *name)
{
    int i = 0;
    while (strcmp(all_solvers[i]->name, name) != 0)
        i++;
    return all_solvers[i];
}

typedef enum Scaled { SCALES, DIFFERS, REFUSED } Scaled;

static Scaled compare_scales(Scratch *scratch, const json_t *document, const Solver *solver, int k, const char *scene)
{
    Run one = {0}, other = {0};
    Scaled scaled = REFUSED;
    if (run_scaled(scratch, document, solver, 0, &one) && !mixes_units(&one)) {
        bool made = run_scaled(scratch, document, solver, k, &other);
        scaled = made && other.result.row_solves == one.result.row_solves &&
                         same_state(one.problem->world, other.problem->world, k)
                     ? SCALES
                     : DIFFERS;
        if (scaled == DIFFERS)
            print_error("%s with %s, times 2^%d: another motion, or %g row solves for %g %s\n", scene, solver->name, k,
                        other.result.row_solves, one.result.row_solves, made ? "" : other.status.message);
    }
    run_clear(&one);
    run_clear(&other);
    return scaled;
}

enum { SCENE_COUNT = sizeof SCENES / sizeof SCENES[0] - 1, LARGER_CUBE = SCENE_COUNT };

/* Prints how many scenes scale with a solver, and returns it; fails if one does not. */
static int scenes_that_scale(Scratch *scratch, json_t *const documents[], const Solver *solver, int number)
{
    int scales = 0, differing = 0;
    for (size_t s = 0; s < SCENE_COUNT; s++) {
        Scaled scaled = compare_scales(scratch, documents[s], solver, power_of(s, number), SCENES[s].scene);
        scales += scaled == SCALES;
        differing += scaled == DIFFERS;
    }
    print_message("%-18s the same bits in %2d scenes, refuses %2d\n", solver->name, scales,
                  (int)SCENE_COUNT - scales - differing);
    assert_int_equal(differing, 0);
    assert_true(scales > 0);
    return scales;
}

/* Every backend, every variant, and the forms; foreign engines have tolerances of their own. */
static void any_power_of_two_gives_the_same_bits(void **state)
{
    json_t *documents[SCENE_COUNT];
    int compared = 0;
    for (size_t s = 0; s < SCENE_COUNT; s++)
        documents[s] = scene_document(s);
    for (int i = 0; i < solver_count; i++)
        compared += scenes_that_scale(*state, documents, all_solvers[i], i);
    for (int v = 0; v < variant_count + FORM_COUNT; v++) {
        const Variant *variant = v < variant_count ? &all_variants[v] : &FORMS[v - variant_count];
        Solver *made = variant_create(backend_named(variant->of), variant, &(Status){0});
        assert_non_null(made);
        compared += scenes_that_scale(*state, documents, made, solver_count + v);
        variant_destroy(made);
    }
    for (size_t s = 0; s < SCENE_COUNT; s++)
        json_decref(documents[s]);
    print_message("%d pairs of scene and solver\n", compared);
}

/* Its Newton steps on positions end at round-off, a share of the length scale: many rows show it. */
static void direct_projects_a_cube_of_any_size(void **state)
{
    json_t *document = scene_document(LARGER_CUBE);
    assert_int_equal(compare_scales(*state, document, backend_named("direct"), -9, "soft_cube"), SCALES);
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_power_of_two_gives_the_same_bits, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(direct_projects_a_cube_of_any_size, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
