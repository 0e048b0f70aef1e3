/* SPDX-License-Identifier: MIT */
/* The engines: for each name its bridge, which of the engine's solvers it asks for, and its options with the engine's
 * own defaults. A new engine is its bridge in solvers/engines/ and its entry here. */
#include "solvers/engines/conventions.h"
#include "solvers/engines/engine.h"

/* Rows of an engine's table: named, in the order of their slots. */
/* clang-format off */
#define ENGINE_REAL(slot, name, meaning, initial, min, max) \
    {name, meaning, SETTING_REAL, offsetof(EngineOptions, real) + (slot) * sizeof(double), initial, min, max, NULL, false, 0}
#define ENGINE_REAL_OR_INF(slot, name, meaning, initial, min, max) \
    {name, meaning, SETTING_REAL, offsetof(EngineOptions, real) + (slot) * sizeof(double), initial, min, max, NULL, false, WORD_INF}
#define ENGINE_INT(slot, name, meaning, initial, min, max) \
    {name, meaning, SETTING_INT, offsetof(EngineOptions, whole) + (slot) * sizeof(int), initial, min, max, NULL, false, 0}
#define ENGINE_BOOL(slot, name, meaning, initial) \
    {name, meaning, SETTING_BOOL, offsetof(EngineOptions, whole) + (slot) * sizeof(int), initial, 0, 1, NULL, false, 0}
#define ENGINE_CHOICE(slot, name, meaning, initial, last, names) \
    {name, meaning, SETTING_CHOICE, offsetof(EngineOptions, whole) + (slot) * sizeof(int), initial, 0, last, names, false, 0}

#define ENGINE_STEPS \
    PARAM_INT(CommonOptions, substeps, "calls of the engine's step with dt/substeps", 1, 1, 1e6), \
    PARAM_REAL(EngineOptions, answer_limit, "s that the engine may take for an answer; later: the run has failed", 60, 1e-3, 1e6)
#define ENGINE_ITERATIONS(meaning, initial) PARAM_INT(CommonOptions, iterations, meaning, initial, 1, 1e6)

#define ENGINE_SOLVER(id, its_bridge, its_mode, its_package, its_summary, its_reference, can, lacks, table, contacts)  \
    static const Engine id##_engine = {its_bridge, its_mode, its_package, NULL, NULL, (lacks)};                        \
    static const Solver id##_solver = {                                                                                \
        .abi = SOLVER_ABI, .name = #id, .summary = its_summary, .reference = its_reference, .capabilities = (can),     \
        .settings = table, .setting_count = sizeof(table) / sizeof(table)[0], .options_size = sizeof(EngineOptions),   \
        .create = engine_create, .destroy = engine_destroy, .traits = engine_traits, .removed = engine_removed,        \
        .plan = engine_plan, .data = &id##_engine, .conventions = contacts, .convention_count = CONVENTION_COUNT,      \
    }
/* clang-format on */

/* The bridge refuses by name what is missing within these. */
enum {
    CAN_MOST = CAN_JOINTS | CAN_LOOPS | CAN_LIMITS | CAN_DRIVES | CAN_PARTICLES | CAN_CONTACTS | CAN_FRICTION,
    CAN_TREE = CAN_MOST & ~CAN_LOOPS,
    CAN_SPRINGS = CAN_MOST | CAN_COMPLIANCE,
};

/* Types of joints that no engine has, and that some lack besides. */
enum {
    LACKS_RARE = 1 << JOINT_WIRE | 1 << JOINT_VOLUME | 1 << JOINT_SERIES,
    LACKS_DISTANCE = LACKS_RARE | 1 << JOINT_DISTANCE,
    LACKS_CYLINDER = LACKS_DISTANCE | 1 << JOINT_CYLINDER,
    LACKS_SLIDES = LACKS_RARE | 1 << JOINT_PRISMATIC | 1 << JOINT_CYLINDER,
};

static const char ODE_SOURCE[] = "Open Dynamics Engine, Russell Smith; ode.org", BULLET_SOURCE[] = "Bullet, E. Coumans",
                  MUJOCO_SOURCE[] = "MuJoCo; Todorov et al. 2012", PHYSX_SOURCE[] = "NVIDIA PhysX 5";

static const Setting ODE_QUICK_SETTINGS[] = {
    ENGINE_STEPS,
    ENGINE_ITERATIONS("sweeps of QuickStep", 20),
    ENGINE_REAL(0, "erp", "share of a position error that a step takes back", 0.2, 0, 1),
    ENGINE_REAL(1, "cfm", "softness of every row (1/kg and the like)", 1e-10, 0, 1),
    ENGINE_REAL(2, "sor", "over-relaxation of QuickStep", 1.3, 0.1, 1.99),
    ENGINE_REAL(3, "surface_layer", "depth that contacts are left with (m)", 0, 0, 1),
    ENGINE_REAL_OR_INF(4, "push_speed", "speed at which overlap is taken back, at most (m/s)", INFINITY, 0, 1e6),
    ENGINE_REAL(5, "restitution_threshold", "impacts slower than this do not bounce (m/s)", 0.05, 0, 1e6),
};

static const Setting ODE_STEP_SETTINGS[] = {
    ENGINE_STEPS,
    ENGINE_REAL(0, "erp", "share of a position error that a step takes back", 0.2, 0, 1),
    ENGINE_REAL(1, "cfm", "softness of every row (1/kg and the like)", 1e-10, 0, 1),
    ENGINE_REAL(3, "surface_layer", "depth that contacts are left with (m)", 0, 0, 1),
    ENGINE_REAL_OR_INF(4, "push_speed", "speed at which overlap is taken back, at most (m/s)", INFINITY, 0, 1e6),
    ENGINE_REAL(5, "restitution_threshold", "impacts slower than this do not bounce (m/s)", 0.05, 0, 1e6),
    ENGINE_REAL(6, "untie",
                "m by which contacts are deeper at random, at most: the LCP fails where two of its rows reach their "
                "bounds at once",
                1e-11, 0, 1e-3),
};

static const char *const bullet_solver_names[] = {"si", "nncg", "dantzig", NULL};

static const Setting BULLET_SETTINGS[] = {
    ENGINE_STEPS,
    ENGINE_ITERATIONS("sweeps of the sequential impulses", 10),
    ENGINE_CHOICE(1, "solver", "sequential impulses, NNCG, or Dantzig's pivoting", 0, 2, bullet_solver_names),
    ENGINE_BOOL(2, "split_impulse", "deep overlap is taken back without adding speed", 1),
    ENGINE_REAL(0, "erp", "share of a joint's error that a step takes back", 0.2, 0, 1),
    ENGINE_REAL(1, "contact_erp", "the same of a contact's overlap", 0.2, 0, 1),
    ENGINE_REAL(2, "slop", "depth that contacts are left with (m)", 0, 0, 1),
    ENGINE_REAL(3, "restitution_threshold", "impacts slower than this do not bounce (m/s)", 0.2, 0, 1e6),
    ENGINE_REAL(4, "margin", "m by which boxes and hulls are rounded inwards", 0.04, 1e-6, 1),
    ENGINE_REAL(5, "warm_start", "share of the last impulses that contacts start from", 0.85, 0, 1),
};

static const Setting BULLET_MULTIBODY_SETTINGS[] = {
    ENGINE_STEPS,
    ENGINE_ITERATIONS("sweeps over contacts and limits", 10),
    ENGINE_REAL(1, "contact_erp", "share of a contact's overlap that a step takes back", 0.2, 0, 1),
    ENGINE_REAL(3, "restitution_threshold", "impacts slower than this do not bounce (m/s)", 0.2, 0, 1e6),
    ENGINE_REAL(4, "margin", "m by which boxes and hulls are rounded inwards", 0.04, 1e-6, 1),
};

static const Setting CHIPMUNK_SETTINGS[] = {
    ENGINE_STEPS,
    ENGINE_ITERATIONS("sweeps over all constraints", 10),
    ENGINE_REAL(0, "slop", "depth that contacts are left with (m)", 0.1, 0, 1),
    ENGINE_REAL(1, "bias", "share of an overlap that is left after a second", 0.00179701029991443, 0, 1),
    ENGINE_REAL(2, "joint_bias", "the same of a joint's error", 0.00179701029991443, 0, 1),
};

static const Setting JOLT_SETTINGS[] = {
    ENGINE_STEPS,
    ENGINE_ITERATIONS("sweeps at velocity level", 10),
    ENGINE_INT(0, "position_iterations", "sweeps at position level", 2, 0, 1000),
    ENGINE_BOOL(1, "warm_start", "sweeps start from the last impulses", 1),
    ENGINE_REAL(0, "baumgarte", "share of a position error that a step takes back", 0.2, 0, 1),
    ENGINE_REAL(1, "slop", "depth that contacts are left with (m)", 0.02, 0, 1),
    ENGINE_REAL(2, "speculative", "distance from which contacts are made (m)", 0.02, 0, 1),
    ENGINE_REAL(3, "restitution_threshold", "impacts slower than this do not bounce (m/s)", 1, 0, 1e6),
    ENGINE_REAL(4, "convex_radius", "m by which boxes, cylinders and hulls are rounded", 0.05, 0, 1),
};

static const Setting RAPIER_SETTINGS[] = {
    ENGINE_STEPS,
    ENGINE_ITERATIONS("the engine's own substeps within a step", 4),
    ENGINE_INT(0, "pgs_iterations", "sweeps in each of them", 1, 1, 1000),
    ENGINE_REAL(0, "contact_frequency", "of the contacts' springs (1/s)", 30, 0, 1e6),
    ENGINE_REAL(1, "slop", "the engine's own tolerance (m); no depth that is left", 0.005, 0, 1),
    ENGINE_REAL(2, "prediction", "distance from which contacts are made (m)", 0.02, 0, 1),
};

static const char *const mujoco_integrator_names[] = {"euler", "implicitfast", "rk4", NULL};
static const char *const mujoco_cone_names[] = {"pyramidal", "elliptic", NULL};
static const char *const mujoco_joint_names[] = {"tree", "equality", NULL};

#define MUJOCO_TABLE(default_iterations, default_integrator)                                                           \
    ENGINE_STEPS, ENGINE_ITERATIONS("iterations of the constraint solver, at most", default_iterations),               \
        ENGINE_CHOICE(0, "integrator", "of the joints' coordinates", default_integrator, 2, mujoco_integrator_names),  \
        ENGINE_CHOICE(1, "cone", "friction cone", 0, 1, mujoco_cone_names),                                            \
        ENGINE_CHOICE(2, "joints", "joints as reduced coordinates, or as soft equality constraints", 0, 1,             \
                      mujoco_joint_names),                                                                             \
        ENGINE_REAL(0, "solref_time", "time constant of contacts, limits and equalities (s)", 0.02, 1e-6, 1e3),        \
        ENGINE_REAL(1, "solref_damping", "their damping ratio", 1, 0, 1e3),                                            \
        ENGINE_REAL(2, "impratio", "stiffness of friction over that of the normal", 1, 1e-3, 1e6),                     \
        ENGINE_REAL(3, "tolerance", "at which the solver stops", 1e-8, 0, 1)

static const Setting MUJOCO_SETTINGS[] = {MUJOCO_TABLE(100, 0)}, MUJOCO_RK4_SETTINGS[] = {MUJOCO_TABLE(100, 2)};

#define PHYSX_TABLE(meaning)                                                                                           \
    ENGINE_STEPS, ENGINE_ITERATIONS(meaning, 4),                                                                       \
        ENGINE_INT(0, "velocity_iterations", "sweeps at velocity level", 1, 0, 255),                                   \
        ENGINE_BOOL(1, "contact_reports",                                                                              \
                    "contacts tell their impulses; such reports are work of the engine, and on its clock", 0),         \
        ENGINE_REAL(0, "contact_offset", "distance from which contacts are made (m)", 0.02, 1e-6, 1),                  \
        ENGINE_REAL(1, "restitution_threshold", "impacts slower than this do not bounce (m/s)", 2, 0, 1e6),            \
        ENGINE_REAL_OR_INF(2, "push_speed",                                                                            \
                           "speed at which overlap is taken back, at most (m/s); inf: the engine's own", INFINITY, 0,  \
                           1e6)

static const Setting PHYSX_SETTINGS[] = {PHYSX_TABLE("sweeps at position level")};
static const Setting PHYSX_TGS_SETTINGS[] = {PHYSX_TABLE("the engine's own substeps within a step, one sweep each")};

static const Setting BOX2D_SETTINGS[] = {
    ENGINE_STEPS,
    ENGINE_ITERATIONS("the engine's own substeps within a step", 4),
    ENGINE_REAL(0, "contact_hertz", "of the contacts' springs (1/s)", 30, 0, 1e4),
    ENGINE_REAL(1, "contact_damping", "their damping ratio", 10, 0, 1e3),
    ENGINE_REAL(4, "push_speed", "speed at which overlap is taken back, at most (m/s)", 3, 0, 1e6),
    ENGINE_REAL(5, "restitution_threshold", "impacts slower than this do not bounce (m/s)", 1, 0, 1e6),
};

static const Setting HAVOK_SETTINGS[] = {ENGINE_STEPS};

static const Setting CANNON_SETTINGS[] = {
    ENGINE_STEPS,
    ENGINE_ITERATIONS("sweeps over all equations", 10),
    ENGINE_REAL(0, "tolerance", "at which the sweeps stop", 1e-7, 0, 1),
    ENGINE_REAL(1, "stiffness", "of every equation (N/m)", 1e7, 0, 1e12),
    ENGINE_REAL(2, "relaxation", "steps in which an error is taken back", 3, 0, 1e6),
};

ENGINE_SOLVER(ode_quick, "ode_bridge", "quick", "Debian libode-dev", "ODE's QuickStep: projected Gauss-Seidel, double",
              ODE_SOURCE, CAN_SPRINGS, LACKS_RARE, ODE_QUICK_SETTINGS, ode_quick_contacts);
ENGINE_SOLVER(ode_step, "ode_bridge", "step", "Debian libode-dev",
              "ODE's WorldStep: the LCP by Dantzig's pivoting, "
              "double",
              ODE_SOURCE, CAN_SPRINGS, LACKS_RARE, ODE_STEP_SETTINGS, ode_step_contacts);
ENGINE_SOLVER(bullet, "bullet_bridge", "si", "Debian libbullet-dev", "Bullet's sequential impulses, double",
              BULLET_SOURCE, CAN_MOST, LACKS_DISTANCE, BULLET_SETTINGS, bullet_contacts);
ENGINE_SOLVER(bullet_multibody, "bullet_bridge", "multibody", "Debian libbullet-dev",
              "Bullet's multibody: Featherstone's joints in reduced coordinates, double", BULLET_SOURCE, CAN_TREE,
              LACKS_CYLINDER, BULLET_MULTIBODY_SETTINGS, bullet_multibody_contacts);
ENGINE_SOLVER(bullet_float, "bullet_float_bridge", "si", "Debian libbullet-dev", "bullet in float", BULLET_SOURCE,
              CAN_MOST, LACKS_DISTANCE, BULLET_SETTINGS, bullet_contacts);
ENGINE_SOLVER(bullet_multibody_float, "bullet_float_bridge", "multibody", "Debian libbullet-dev",
              "bullet_multibody in float", BULLET_SOURCE, CAN_TREE, LACKS_CYLINDER, BULLET_MULTIBODY_SETTINGS,
              bullet_multibody_contacts);
ENGINE_SOLVER(chipmunk, "chipmunk_bridge", "", "Debian chipmunk-dev", "Chipmunk 7: impulses in the x-y plane, double",
              "Chipmunk2D, S. Lembcke", CAN_SPRINGS, LACKS_RARE, CHIPMUNK_SETTINGS, chipmunk_contacts);
ENGINE_SOLVER(jolt, "jolt.mjs", "", "npm jolt-physics", "Jolt: impulses, then positions; float",
              "Jolt Physics, "
              "J. Rouwe",
              CAN_SPRINGS, LACKS_RARE, JOLT_SETTINGS, jolt_contacts);
ENGINE_SOLVER(rapier, "rapier.mjs", "", "npm @dimforge/rapier3d-compat", "Rapier: soft contacts with substeps; float",
              "Rapier, Dimforge", CAN_SPRINGS, LACKS_DISTANCE, RAPIER_SETTINGS, rapier_contacts);
ENGINE_SOLVER(mujoco, "mujoco.mjs", "newton", "npm @mujoco/mujoco",
              "MuJoCo: reduced coordinates, soft convex contacts by Newton; double", MUJOCO_SOURCE, CAN_SPRINGS,
              LACKS_RARE, MUJOCO_SETTINGS, mujoco_contacts);
ENGINE_SOLVER(mujoco_pgs, "mujoco.mjs", "pgs", "npm @mujoco/mujoco", "the same by projected Gauss-Seidel",
              MUJOCO_SOURCE, CAN_SPRINGS, LACKS_RARE, MUJOCO_SETTINGS, mujoco_contacts);
ENGINE_SOLVER(mujoco_cg, "mujoco.mjs", "cg", "npm @mujoco/mujoco", "the same by conjugate gradients", MUJOCO_SOURCE,
              CAN_SPRINGS, LACKS_RARE, MUJOCO_SETTINGS, mujoco_contacts);
ENGINE_SOLVER(mujoco_rk4, "mujoco.mjs", "newton", "npm @mujoco/mujoco", "MuJoCo with Newton and Runge-Kutta 4",
              MUJOCO_SOURCE, CAN_SPRINGS, LACKS_RARE, MUJOCO_RK4_SETTINGS, mujoco_contacts);
ENGINE_SOLVER(physx, "physx.mjs", "pgs", "npm physx-js-webidl", "PhysX with PGS: impulses, then positions; float",
              PHYSX_SOURCE, CAN_SPRINGS, LACKS_RARE, PHYSX_SETTINGS, physx_contacts);
ENGINE_SOLVER(physx_tgs, "physx.mjs", "tgs", "npm physx-js-webidl", "PhysX with TGS: substeps of one sweep; float",
              PHYSX_SOURCE, CAN_SPRINGS, LACKS_RARE, PHYSX_TGS_SETTINGS, physx_tgs_contacts);
ENGINE_SOLVER(physx_articulation, "physx.mjs", "articulation", "npm physx-js-webidl",
              "PhysX articulations: Featherstone's joints in reduced coordinates; float", PHYSX_SOURCE,
              CAN_TREE | CAN_COMPLIANCE, LACKS_CYLINDER, PHYSX_TGS_SETTINGS, physx_tgs_contacts);
ENGINE_SOLVER(box2d, "box2d.mjs", "", "npm box2d3-wasm", "Box2D 3: soft step in the x-y plane; float",
              "Box2D, E. Catto", CAN_SPRINGS, LACKS_RARE, BOX2D_SETTINGS, box2d_contacts);
ENGINE_SOLVER(havok, "havok.mjs", "", "npm @babylonjs/havok", "Havok; float", "Havok Physics for the web", CAN_SPRINGS,
              LACKS_RARE, HAVOK_SETTINGS, havok_contacts);
ENGINE_SOLVER(cannon, "cannon.mjs", "", "npm cannon-es", "cannon-es: Gauss-Seidel on regularised equations; double",
              "cannon.js, S. Hedman", CAN_SPRINGS, LACKS_SLIDES, CANNON_SETTINGS, cannon_contacts);

/* clang-format off */
const Solver *const all_engines[] = {
    &ode_quick_solver,
    &ode_step_solver,
    &bullet_solver,
    &bullet_multibody_solver,
    &bullet_float_solver,
    &bullet_multibody_float_solver,
    &chipmunk_solver,
    &jolt_solver,
    &rapier_solver,
    &mujoco_solver,
    &mujoco_pgs_solver,
    &mujoco_cg_solver,
    &mujoco_rk4_solver,
    &physx_solver,
    &physx_tgs_solver,
    &physx_articulation_solver,
    &box2d_solver,
    &havok_solver,
    &cannon_solver,
};
/* clang-format on */

const int engine_count = sizeof all_engines / sizeof all_engines[0];

/* The declared tuning: ten substeps of ten sweeps, or of one where the engine's sweeps are substeps of its own, and
 * contact margins as small as it allows. Sleeping is off for everyone, always. */
#define TUNED(engine, options)                                                                                         \
    {                                                                                                                  \
#engine "_tuned", #engine, options, #engine " in the tuning for comparisons", NULL, false                      \
    }

const Variant engine_variants[] = {
    TUNED(ode_quick, "substeps=10:iterations=10"),
    TUNED(ode_step, "substeps=10"),
    TUNED(bullet, "substeps=10:iterations=10:margin=0.001:restitution_threshold=0.05"),
    TUNED(bullet_multibody, "substeps=10:iterations=10:margin=0.001:restitution_threshold=0.05"),
    TUNED(chipmunk, "substeps=10:iterations=10:slop=0.0001"),
    TUNED(jolt, "substeps=10:iterations=10:slop=0.0001:speculative=0.001:convex_radius=0:restitution_threshold=0.05"),
    TUNED(rapier, "substeps=10:iterations=1:pgs_iterations=10:slop=0.0001:prediction=0.001"),
    TUNED(mujoco, "substeps=10:solref_time=0.004:cone=elliptic"),
    TUNED(physx, "substeps=10:iterations=10:contact_offset=0.001:restitution_threshold=0.05"),
    TUNED(physx_tgs, "substeps=10:iterations=1:contact_offset=0.001:restitution_threshold=0.05"),
    TUNED(box2d, "substeps=10:iterations=1:restitution_threshold=0.05"),
    TUNED(havok, "substeps=10"),
    TUNED(cannon, "substeps=10:iterations=10"),
};

const int engine_variant_count = sizeof engine_variants / sizeof engine_variants[0];
