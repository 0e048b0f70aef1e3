/* SPDX-License-Identifier: MIT */
#include "bench/text/capabilities.h"

#include "bench/text/describe.h"
#include "solvers/engines/engine.h"
#include "solvers/stepper.h"

#include <stdio.h>
#include <string.h>

const char MATRIX_KEY[] =
    "joints: fixed, distance, ball, hinge, servo, motor, prismatic, cylinder, wire, volume, series, by their "
    "first letters";

const MatrixColumn matrix_columns[MATRIX_COLUMN_COUNT] = {
    {CAN_LOOPS, "loops"},     {CAN_LIMITS, "limits"},    {CAN_DRIVES, "drives"},    {CAN_COMPLIANCE, "soft"},
    {CAN_DAMPING, "damping"}, {CAN_PARTICLES, "points"}, {CAN_CONTACTS, "contact"},
};

bool matrix_has(const json_t *row, unsigned capability)
{
    const json_t *can = json_object_get(row, "can");
    for (int c = 0; c < CAPABILITY_COUNT; c++)
        if ((capability >> c & 1u) && json_is_true(json_object_get(can, capability_names[c])))
            return true;
    return false;
}

/* Four bodies beside each other; particles where the joint is between particles. */
static bool try_bodies(World *world, bool particles)
{
    Status status = {0};
    static const Vec3 PLACES[] = {{0.3, 0.1, 0.0}, {1.4, 0.2, 0.1}, {0.5, 1.3, 0.2}, {0.6, 0.4, 1.5}};
    for (int i = 0; i < (particles ? 4 : 2); i++) {
        BodyDef def = {.name = "body", .position = PLACES[i], .orientation = {.w = 1.0}, .mass = 1.0};
        def.has_inertia = !particles;
        def.inertia = particles ? (Vec3){0} : (Vec3){0.1, 0.1, 0.1};
        if (world_add_body(world, &def, &status) < 0)
            return false;
    }
    return true;
}

/* A series of one axis. */
static const SeriesAxis SLIDE = {
    .name = "slide", .axis = {1.0, 0.0, 0.0}, .limits = {-INFINITY, INFINITY}, .law = JOINT_LAW_INIT};

/* A joint of this type with nothing but what it must be given. */
static JointDef plain_joint(JointType type)
{
    bool from_ground = type == JOINT_WIRE;
    JointDef def = joint_def(type, from_ground ? 0 : 1, from_ground ? 1 : 2);
    def.name = "joint";
    def.axis = (Vec3){0.0, 0.0, 1.0};
    if (type == JOINT_SERVO)
        def.target = 0.1;
    if (type == JOINT_MOTOR)
        def.torque = 0.1;
    if (type == JOINT_WIRE)
        def.radius = 0.3;
    if (type == JOINT_VOLUME)
        def.body[2] = 3, def.body[3] = 4;
    if (type == JOINT_SERIES)
        def.axis_count = 1, def.axes = &SLIDE;
    return def;
}

/* One substep is made of it, too: some backends refuse when they see the rows. */
static bool backend_takes(const Solver *solver, JointType type)
{
    unsigned char options[SETTINGS_MAX_BYTES];
    Status status = {0};
    Stepper stepper = {0};
    JointDef def = plain_joint(type);
    World *world = world_create();
    settings_init(solver->settings, solver->setting_count, options);
    bool ok = world && try_bodies(world, type == JOINT_VOLUME) && world_add_joint(world, &def, &status) >= 0 &&
              solver_supports(solver, world, &status) &&
              stepper_begin(&stepper, solver, options, world, 1.0 / 60.0, DETECT_SUBSTEP, &status);
    if (ok) {
        stepper_substep(&stepper, NULL, false);
        ok = !stepper.step.failed;
        stepper_end(&stepper);
    }
    world_destroy(world);
    return ok;
}

unsigned solver_joint_types(const Solver *solver)
{
    const Engine *engine = engine_of(solver);
    unsigned types = 0;
    for (int t = 0; t < JOINT_TYPES; t++)
        if (engine ? !(engine->lacks >> t & 1u) : backend_takes(solver, (JointType)t))
            types |= 1u << t;
    return types;
}

/* The first words of how a solver treats friction; of an engine nothing is known but what its bridge says. */
static json_t *friction_law(const Solver *solver)
{
    json_t *contacts = describe_contacts(solver);
    const char *law = json_string_value(json_object_get(contacts, convention_names[CONVENTION_LAW]));
    static const char *const DETAILS[] = {" along ", " inside ", " at "};
    size_t length = law ? strcspn(law, ",;:(") : 0;
    for (int i = 0; law && i < 3; i++) {
        const char *detail = strstr(law, DETAILS[i]);
        if (detail && (size_t)(detail - law) < length)
            length = (size_t)(detail - law);
    }
    json_t *text = json_stringn(law ? law : "", length);
    json_decref(contacts);
    return text;
}

static json_t *matrix_row(const Solver *solver, json_t *engine)
{
    json_t *can = json_object(), *joints = json_object();
    json_t *row = json_pack("{s:s,s:o,s:o}", "name", solver->name, "joints", joints, "can", can);
    unsigned types = solver_joint_types(solver);
    for (int t = 0; t < JOINT_TYPES; t++)
        json_object_set_new(joints, joint_type_names[t], json_boolean(types >> t & 1u));
    for (int c = 0; c < CAPABILITY_COUNT; c++)
        json_object_set_new(can, capability_names[c], json_boolean(solver->capabilities >> c & 1u));
    json_t *precision = json_object_get(engine, "precision"), *missing = json_object_get(engine, "missing");
    json_object_set_new(row, "friction", friction_law(solver));
    json_object_set_new(row, "precision", precision ? json_incref(precision) : json_string(engine ? "" : "double"));
    if (missing)
        json_object_set(row, "needs", missing);
    if (solver->variant_of)
        json_object_set_new(row, "variant_of", json_string(solver->variant_of->name));
    return row;
}

json_t *matrix_describe(const SolverSet *set, const json_t *solvers)
{
    json_t *array = json_array();
    for (int i = 0; i < set->count; i++) {
        json_t *engine = json_object_get(json_array_get(solvers, (size_t)i), "engine");
        if (!set->solvers[i]->text_of) /* a text can do what its backend can */
            json_array_append_new(array, matrix_row(set->solvers[i], engine));
    }
    return array;
}

const char *matrix_letters(const json_t *joints, char text[MATRIX_LETTERS])
{
    int count = 0;
    for (int t = 0; t < JOINT_TYPES; t++)
        text[count++] =
            (char)(json_is_true(json_object_get(joints, joint_type_names[t])) ? joint_type_names[t][0] : '-');
    text[count] = '\0';
    return text;
}
