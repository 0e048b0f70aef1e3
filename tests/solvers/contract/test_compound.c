/* SPDX-License-Identifier: MIT */
/* Bodies of several shapes and fused bodies in motion: the same body said in three ways moves in the same way. */
#include "tests/solvers/contact_worlds.h"
#include "tests/support/drive.h"

/* A box of two halves, as one shape, as two, and as two bodies of which one is fused to the other. */
typedef enum Said { AS_ONE, AS_SHAPES, AS_FUSED, SAYINGS } Said;

static const Vec3 SIZE = {0.6, 0.2, 0.3};

static BodyDef half_def(const char *name, const BodyDef *whole, double side)
{
    BodyDef half = *whole;
    half.name = name;
    half.shape = (Shape){.kind = SHAPE_BOX, .size = {0.5 * SIZE.x, SIZE.y, SIZE.z}};
    half.position = vec3_add(whole->position, quat_rotate(whole->orientation, vec3(0.25 * side * SIZE.x, 0, 0)));
    return half;
}

/* The body's index; its own centre is at whole.position but where it is fused. */
static int add_said(World *world, Said said, const BodyDef *whole)
{
    if (said == AS_ONE)
        return build_body(world, whole);
    if (said == AS_SHAPES) {
        BodyShape halves[2] = {BODY_SHAPE_INIT, BODY_SHAPE_INIT};
        for (int k = 0; k < 2; k++) {
            halves[k].shape = (Shape){.kind = SHAPE_BOX, .size = {0.5 * SIZE.x, SIZE.y, SIZE.z}};
            halves[k].at.x = vec3((k ? 0.25 : -0.25) * SIZE.x, 0, 0);
        }
        BodyDef def = *whole;
        def.shape = (Shape){.kind = SHAPE_NONE};
        def.shapes = halves;
        def.shape_count = 2;
        return build_body(world, &def);
    }
    BodyDef left = half_def("left", whole, -1.0), right = half_def("right", whole, 1.0);
    left.velocity =
        vec3_add(whole->velocity, vec3_cross(whole->angular_velocity, vec3_sub(left.position, whole->position)));
    int root = build_body(world, &left);
    right.fused = true;
    right.parent = root;
    right.velocity = right.angular_velocity = VEC3_ZERO;
    build_body(world, &right);
    return root;
}

static BodyDef tumbling(void)
{
    BodyDef def = box_def("box", SIZE, vec3(0.1, 1.3, -0.2));
    def.orientation = quat_axis_angle(vec3_unit(vec3(1, 2, 3)), 0.8);
    def.velocity = vec3(0.3, 0.5, -0.7);
    def.angular_velocity = vec3(1.1, -2.3, 0.9);
    return def;
}

/* Where the whole's centre is, whichever way it was said. */
static Vec3 centre_of(const World *world, int body)
{
    return world->pose[body].x;
}

static const char *const SOLVERS[] = {"pgs", "xpbd", "pbd", "lcp", "naive", "avbd", "mujoco_newton"};
enum { SOLVER_COUNT = sizeof SOLVERS / sizeof SOLVERS[0] };

/* m, rad: round-off of other sums, grown over a second. */
static void the_same_body_flies_and_swings_the_same_way(void **state)
{
    (void)state;
    for (int s = 0; s < SOLVER_COUNT; s++) {
        Vec3 x[SAYINGS], v[SAYINGS];
        Quat q[SAYINGS];
        for (int said = 0; said < SAYINGS; said++) {
            World *world = contact_world(0.5, 0.0);
            world->collide = false;
            BodyDef def = tumbling();
            int body = add_said(world, (Said)said, &def);
            JointDef joint = joint_def(JOINT_BALL, 0, body);
            joint.anchor[0] = vec3(0.4, 1.9, 0.1);
            build_joint(world, &joint);
            drive_run(world, SOLVERS[s], "", 1.0 / 60.0, 30);
            x[said] = centre_of(world, body);
            v[said] = world->velocity[body].v;
            q[said] = world_reported_orientation(world, body);
            world_destroy(world);
        }
        for (int said = 1; said < SAYINGS; said++) {
            assert_vec3_near(x[said], x[AS_ONE], 1e-11);
            assert_vec3_near(v[said], v[AS_ONE], 1e-10);
            assert_vec3_near(quat_vec(q[said]), quat_vec(q[AS_ONE]), 1e-11);
        }
    }
}

/* Shapes and fused bodies have the same colliders, so the same contacts, for every solver: a fall onto a floor, with a
 * ball on it. */
static void a_fused_body_hits_as_the_body_of_its_shapes_does(void **state)
{
    (void)state;
    for (int s = 0; s < SOLVER_COUNT; s++) {
        Vec3 x[SAYINGS];
        for (int said = AS_SHAPES; said < SAYINGS; said++) {
            World *world = contact_world(0.5, 0.0);
            add_plane(world, vec3(0, 1, 0));
            BodyDef def = tumbling(), ball = sphere_def("ball", 0.2, vec3(0.2, 2.0, -0.1));
            def.position.y = 0.5;
            int body = add_said(world, (Said)said, &def);
            build_body(world, &ball);
            drive_run(world, SOLVERS[s], "", 1.0 / 240.0, 60);
            x[said] = centre_of(world, body);
            assert_true(world->manifold_count > 0);
            world_destroy(world);
        }
        assert_vec3_near(x[AS_FUSED], x[AS_SHAPES], 1e-12); /* m; later impacts blow round-off up */
    }
}

/* At rest on its two halves it stands as the single box does: at half its height, less the slop. */
static void a_body_of_shapes_rests_on_them(void **state)
{
    (void)state;
    for (int said = 0; said < SAYINGS; said++) {
        World *world = contact_world(0.5, 0.0);
        add_plane(world, vec3(0, 1, 0));
        BodyDef def = box_def("box", SIZE, vec3(0, 0.5 * SIZE.y, 0));
        int body = add_said(world, (Said)said, &def);
        drive_run(world, "pgs", "slop=0 iterations=100", 1.0 / 60.0, 120);
        assert_near(centre_of(world, body).y, 0.5 * SIZE.y, 1e-6);
        assert_vec3_near(world->velocity[body].v, VEC3_ZERO, 1e-6);
        world_destroy(world);
    }
}

/* On its flat side an ellipsoid stands at its shortest radius; tilted, it rolls back. */
static void an_ellipsoid_rests_at_its_shortest_radius(void **state)
{
    (void)state;
    for (int s = 0; s < SOLVER_COUNT; s++) {
        World *world = contact_world(0.5, 0.0);
        add_plane(world, vec3(0, 1, 0));
        BodyDef egg = sphere_def("egg", 0.0, vec3(0, 0.2, 0));
        egg.shape = (Shape){.kind = SHAPE_ELLIPSOID, .radii = {0.4, 0.2, 0.3}};
        int body = build_body(world, &egg);
        drive_run(world, SOLVERS[s], "", 1.0 / 60.0, 120);
        assert_near(world->pose[body].x.y, 0.2, 0.005 * world->length_scale); /* what solvers leave, or the slop */
        assert_vec3_near(quat_vec(world->pose[body].q), VEC3_ZERO, 1e-9);
        world->pose[body].q = quat_axis_angle(vec3(0, 0, 1), 0.3);
        world->pose[body].x.y = hypot(0.4 * sin(0.3), 0.2 * cos(0.3));
        drive_run(world, SOLVERS[s], "", 1.0 / 240.0, 12);
        assert_true(world->velocity[body].w.z < -0.1);
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_body_flies_and_swings_the_same_way),
        cmocka_unit_test(a_fused_body_hits_as_the_body_of_its_shapes_does),
        cmocka_unit_test(a_body_of_shapes_rests_on_them),
        cmocka_unit_test(an_ellipsoid_rests_at_its_shortest_radius),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
