/* SPDX-License-Identifier: MIT */
/* Alignment and angle limits as springs: every backend that can do compliance bends by torque x compliance. */
#include "model/energy.h"
#include "tests/solvers/mechanisms.h"
#include "tests/support/drive.h"

#include <string.h>

static const double DT = 1.0 / 60.0;
/* How far the arm bends, rad: small, so that an angle is its sine to 1e-4 of itself. */
static const double BEND = 0.01;

enum { FRAMES = 180 };

/* A level arm of 1 m on a joint at its end, so soft that its weight bends it by BEND. */
static World *arm_on(JointType type, Vec3 axis)
{
    World *world = world_create();
    int arm = mechanism_add_box(world, vec3(0.5, 0, 0), vec3(1, 0.1, 0.1));
    JointDef joint = joint_def(type, 0, arm);
    joint.name = "joint";
    joint.axis = axis;
    joint.angular_compliance = BEND / (world->mass[arm].mass * 9.81 * 0.5);
    if (type == JOINT_HINGE && axis.z != 0.0)
        joint.angle_min = joint.angle_max = 0.0;
    if (type == JOINT_BALL)
        joint.swing_max = 0.0;
    build_joint(world, &joint);
    return world;
}

/* Nothing damps the arm: it swings about where it would rest, and its mean bend is that. */
static double mean_bend(World *world, const Solver *solver)
{
    Drive drive;
    double sum = 0.0;
    /* What halves its turns is not balanced where the law says; and it stops the spin of a joint that bends. */
    bool departs = settings_find(solver->settings, solver->setting_count, "halve_turns") != NULL;
    drive_begin(&drive, world, solver->name,
                departs ? "substeps=20 halve_turns=false own_damping=false" : "substeps=20");
    for (int frame = 0; frame < FRAMES; frame++) {
        drive_frame(&drive, DT);
        Vec3 along = quat_rotate(world_reported_orientation(world, 1), vec3(1, 0, 0));
        sum -= asin(along.y);
    }
    drive_end(&drive);
    return sum / FRAMES;
}

static void an_arm_bends_by_torque_times_compliance(void **state)
{
    (void)state;
    const struct {
        JointType type;
        Vec3 axis;
    } cases[] = {
        {JOINT_HINGE, {1, 0, 0}},     /* the alignment carries the weight */
        {JOINT_HINGE, {0, 0, 1}},     /* the held angle does */
        {JOINT_FIXED, {1, 0, 0}},     /* the orientation */
        {JOINT_PRISMATIC, {0, 0, 1}}, /* the twist that a slide does not have */
    };
    int solvers = 0;
    for (int s = 0; s < solver_count; s++)
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            World *world = arm_on(cases[c].type, cases[c].axis);
            Status status;
            /* Newton's XPBD forgets multipliers from pass to pass: its springs depend on their number, as the
             * original's */
            bool forgets =
                settings_find(all_solvers[s]->settings, all_solvers[s]->setting_count, "con_weighting") != NULL;
            if (!forgets && solver_supports(all_solvers[s], world, &status)) {
                double bend = mean_bend(world, all_solvers[s]);
                /* Whole swings do not fit into the time: a period of 0.2 s cut short in 3 s is 3 percent of the swing.
                 */
                if (!(fabs(bend - BEND) < 0.05 * BEND))
                    fail_msg("%s bends case %zu by %g, not %g", all_solvers[s]->name, c, bend, BEND);
                solvers++;
            }
            world_destroy(world);
        }
    assert_true(solvers >= 4 * 6);
}

/* A soft arm that falls far: nearly 2 rad, in a plane and, pushed aside, out of it. */
static World *arm_that_bends_far(JointType type, Vec3 axis, Vec3 spin)
{
    World *world = arm_on(type, axis);
    for (int b = 0; b < world->joint_block_count; b++)
        if (block_terms(&world->blocks[b])->compliance > 0.0)
            joint_terms(&world->blocks[b])->compliance *= 200.0;
    world->velocity[1].w = spin;
    world->velocity[1].v = vec3_cross(spin, world->pose[1].x);
    return world;
}

static const struct {
    JointType type;
    Vec3 axis, spin;
} FAR[] = {
    {JOINT_HINGE, {1, 0, 0}, {0, 0, 0}},
    {JOINT_FIXED, {1, 0, 0}, {0, 0, 0}},
    {JOINT_HINGE, {1, 0, 0}, {0.7, 1.9, -0.4}},
    {JOINT_FIXED, {1, 0, 0}, {0.7, 1.9, -0.4}},
};
enum { FAR_COUNT = sizeof FAR / sizeof FAR[0] };

static World *arm_after(int which, const char *solver, const char *options, int frames, double dt)
{
    World *world = arm_that_bends_far(FAR[which].type, FAR[which].axis, FAR[which].spin);
    drive_run(world, solver, options, dt, frames);
    return world;
}

static void the_truth_keeps_the_energy_of_a_turn_at_any_angle(void **state)
{
    (void)state;
    for (int c = 0; c < FAR_COUNT; c++) {
        World *world = arm_that_bends_far(FAR[c].type, FAR[c].axis, FAR[c].spin);
        double before = world_energy(world), most = 0.0, scale = 9.81 * world->mass[1].mass;
        Drive drive;
        drive_begin(&drive, world, "reference", "");
        for (int frame = 0; frame < 120; frame++) {
            drive_frame(&drive, DT);
            most = fmax(most, block_violation(world, &world->blocks[world->joint_block_count - 1]));
            assert_near(world_energy(world), before, 1e-9 * scale);
        }
        drive_end(&drive);
        assert_true(most > 1.5);
        world_destroy(world);
    }
}

/* They bend by one law, and so come to one motion as steps shrink: a step of half the length leaves half of the error
 * or less, of gen_alpha a quarter. penalty's rigid rows are springs, and avbd takes several of its steps to catch up:
 * they stay some cm beside. By the sine it would be half a metre. Errors at the end of 0.5 s, m. */
static void solvers_come_to_one_law_at_large_angles(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double part, most;
    } WHO[] = {{"xpbd", 0.6, 0.01}, {"pgs", 0.6, 0.01},  {"lcp", 0.6, 0.01},         {"direct", 0.6, 0.01},
               {"kkt", 0.6, 0.01},  {"avbd", 1.2, 0.03}, {"gen_alpha", 0.3, 0.0001}, {"penalty", 1.2, 0.03}};
    for (int c = 0; c < FAR_COUNT; c++) {
        World *truth = arm_after(c, "reference", "", 30, DT);
        for (size_t s = 0; s < sizeof WHO / sizeof WHO[0]; s++) {
            double error[2];
            for (int half = 0; half < 2; half++) {
                World *world = arm_after(c, WHO[s].name, "substeps=1", 1920 << half, 1.0 / (3840 << half));
                error[half] = vec3_norm(vec3_sub(world->pose[1].x, truth->pose[1].x));
                world_destroy(world);
            }
            if (!(error[1] < WHO[s].part * error[0] && error[1] < WHO[s].most))
                fail_msg("%s, case %d: %g, then %g", WHO[s].name, c, error[0], error[1]);
        }
        world_destroy(truth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_truth_keeps_the_energy_of_a_turn_at_any_angle),
        cmocka_unit_test(solvers_come_to_one_law_at_large_angles),
        cmocka_unit_test(an_arm_bends_by_torque_times_compliance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
