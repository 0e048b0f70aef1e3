/* Alignment and angle limits as springs: every backend that can do compliance bends by torque x compliance. */
#include "tests/drive.h"
#include "tests/solvers/mechanisms.h"

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
static double mean_bend(World *world, const char *solver)
{
    Drive drive;
    double sum = 0.0;
    drive_begin(&drive, world, solver, "substeps=20");
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
            if (solver_supports(all_solvers[s], world, &status)) {
                double bend = mean_bend(world, all_solvers[s]->name);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arm_bends_by_torque_times_compliance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
