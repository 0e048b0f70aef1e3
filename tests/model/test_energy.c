/* SPDX-License-Identifier: MIT */
/* Energy, momentum and reactions against direct sums over point masses: eight of m/8 at half the edges / sqrt(3) have a
 * box's mass, centre and second moments exactly. */
#include "model/energy.h"
#include "tests/support/box_mesh.h"
#include "tests/support/build.h"

#define ROUND_OFF 1e-12

enum { BODIES = 5, POINTS = 8 * BODIES };

typedef struct Points {
    int count;
    double mass[POINTS];
    Vec3 x[POINTS], v[POINTS];
} Points;

/* Boxes, every second one as a mesh in a turned frame, and their point masses. */
static World *make_world(Random *random, Points *points)
{
    World *world = world_create();
    assert_non_null(world);
    points->count = 0;
    for (int i = 0; i < BODIES; i++) {
        Vec3 size = random_sides(random, 0.2, 1.5);
        Quat frame = i % 2 ? random_quat(random) : QUAT_IDENTITY;
        BodyDef def = build_random_def(random, "body");
        Mesh *mesh = i % 2 ? box_mesh(size, frame, random_vec3(random, 1.0)) : NULL;
        def.shape = (Shape){.kind = mesh ? SHAPE_MESH : SHAPE_BOX, .size = size, .mesh = mesh};
        def.density = random_in(random, 0.5, 4.0);
        build_body(world, &def);
        mesh_destroy(mesh);
        Vec3 corners[8];
        box_corners(vec3_scale(1.0 / sqrt(3.0), size), quat_mul(def.orientation, frame), VEC3_ZERO, corners);
        for (int k = 0; k < 8; k++, points->count++) {
            points->mass[points->count] = def.density * size.x * size.y * size.z / 8.0;
            points->x[points->count] = vec3_add(def.position, corners[k]);
            points->v[points->count] = vec3_add(def.velocity, vec3_cross(def.angular_velocity, corners[k]));
        }
    }
    return world;
}

static void kinetic_energy_and_momenta_are_sums_over_points(void **state)
{
    (void)state;
    Random random = {301};
    for (int trial = 0; trial < 20; trial++) {
        Points points;
        World *world = make_world(&random, &points);
        double kinetic = 0.0;
        Vec3 momentum = VEC3_ZERO, angular = VEC3_ZERO;
        for (int k = 0; k < points.count; k++) {
            Vec3 p = vec3_scale(points.mass[k], points.v[k]);
            kinetic += 0.5 * vec3_dot(p, points.v[k]);
            momentum = vec3_add(momentum, p);
            angular = vec3_add(angular, vec3_cross(points.x[k], p));
        }
        assert_near(world_kinetic_energy(world), kinetic, ROUND_OFF);
        assert_vec3_near(world_momentum(world), momentum, ROUND_OFF);
        assert_vec3_near(world_angular_momentum(world), angular, ROUND_OFF);
        world_destroy(world);
    }
}

static void momentum_scales_add_the_bodies_absolute_momenta(void **state)
{
    (void)state;
    Random random = {302};
    Points points;
    World *world = make_world(&random, &points);
    double linear = 0.0, angular = 0.0;
    for (int i = 0; i < BODIES; i++) {
        Vec3 p = VEC3_ZERO, l = VEC3_ZERO;
        for (int k = 8 * i; k < 8 * i + 8; k++) {
            p = vec3_add_scaled(p, points.mass[k], points.v[k]);
            l = vec3_add(l, vec3_cross(points.x[k], vec3_scale(points.mass[k], points.v[k])));
        }
        linear += vec3_norm(p);
        angular += vec3_norm(l);
    }
    assert_near(world_momentum_scale(world), linear, ROUND_OFF);
    assert_near(world_angular_momentum_scale(world), angular, ROUND_OFF);
    world_destroy(world);
}

static void potential_energy_is_that_of_gravity_and_attractor(void **state)
{
    (void)state;
    Random random = {303};
    World *world = world_create();
    world->gravity = vec3(0.3, -9.81, 0.7);
    world->attractor = (Attractor){vec3(4.0, -3.5, 5.0), 2.6};
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        int body = build_random_particle(world, &random, "particle");
        Vec3 x = world->pose[body].x;
        sum -= world->mass[body].mass * (vec3_dot(world->gravity, x) + 2.6 / vec3_norm(vec3_sub(x, vec3(4, -3.5, 5))));
    }
    assert_near(world_potential_energy(world), sum, ROUND_OFF);
    world_destroy(world);
}

static void field_is_minus_the_gradient_of_the_potential(void **state)
{
    (void)state;
    Random random = {304};
    World *world = world_create();
    world->attractor = (Attractor){vec3(4.0, -3.5, 5.0), 260.0};
    int body = build_random_particle(world, &random, "particle");
    Vec3 field = world_field(world, world->pose[body].x);
    for (int axis = 0; axis < 3; axis++) {
        double energy[2];
        for (int k = 0; k < 2; k++) {
            Pose kept = world->pose[body];
            build_move(world, body, axis, k == 0 ? -1e-4 : 1e-4);
            energy[k] = world_potential_energy(world);
            world->pose[body] = kept;
        }
        /* Truncation 1e-8/6 x third derivative (260 / 3^4), round-off 1e-14/1e-4. */
        assert_near(world->mass[body].mass * vec3_get(field, axis), -(energy[1] - energy[0]) / 2e-4, 1e-7);
    }
    world_destroy(world);
}

static void elastic_energy_sums_C_squared_over_two_alpha(void **state)
{
    (void)state;
    Random random = {305};
    World *world = world_create();
    build_random_box(world, &random, "one");
    build_random_box(world, &random, "two");
    JointDef spring = joint_def(JOINT_DISTANCE, 1, 2), ball = joint_def(JOINT_BALL, 1, 2);
    JointDef rope = spring, rigid = ball;
    spring.local_anchors = rope.local_anchors = true;
    spring.rest = 0.3;
    spring.compliance = 0.07;
    ball.compliance = 0.11;
    rope.one_sided = true;
    rope.rest = 50.0;
    rope.compliance = 0.013;
    build_joint(world, &spring);
    build_joint(world, &ball);
    build_joint(world, &rope);
    build_joint(world, &rigid);
    build_scatter(world, &random);
    double C = vec3_norm(vec3_sub(world->pose[2].x, world->pose[1].x)) - 0.3;
    Vec3 gap = vec3_sub(world_point(world, 2, world->blocks[1].seat->anchor[1]),
                        world_point(world, 1, world->blocks[1].seat->anchor[0]));
    /* The slack rope and the rigid joint store nothing. */
    assert_near(world_elastic_energy(world), C * C / 0.14 + vec3_dot(gap, gap) / 0.22, ROUND_OFF * 100.0);
    assert_near(world_energy(world),
                world_kinetic_energy(world) + world_potential_energy(world) + world_elastic_energy(world), 0.0);
    world_destroy(world);
}

/* 1.3 rad away, soft up to alpha max_torque = 0.6 rad: half of 2 N m x 0.6 rad, then 2 N m over the rest. */
static void a_saturated_spring_stores_its_largest_torque_times_the_way(void **state)
{
    (void)state;
    Random random = {306};
    World *world = world_create();
    build_random_box(world, &random, "arm");
    JointDef servo = joint_def(JOINT_SERVO, 0, 1);
    servo.axis = vec3(0, 0, 1);
    servo.compliance = 0.3;
    servo.max_torque = 2.0;
    servo.target = 1.3;
    build_joint(world, &servo);
    assert_near(world_elastic_energy(world), 0.6 + 2.0 * 0.7, ROUND_OFF * 10.0);
    world_destroy(world);
}

static void fixed_and_removed_bodies_have_no_energy_or_momentum(void **state)
{
    (void)state;
    Random random = {306};
    World *world = world_create();
    BodyDef def = build_random_def(&random, "wall");
    def.fixed = true;
    build_body(world, &def);
    world_remove_body(world, build_random_box(world, &random, "gone"));
    assert_near(world_energy(world), 0.0, 0.0);
    assert_vec3_near(world_momentum(world), VEC3_ZERO, 0.0);
    assert_vec3_near(world_angular_momentum(world), VEC3_ZERO, 0.0);
    world_destroy(world);
}

/* Reactions are the impulses of all blocks over the substeps of a frame and the actuators', divided by dt. */
static void reaction_is_the_frames_impulse_over_dt_with_actuators(void **state)
{
    (void)state;
    Random random = {307};
    World *world = world_create();
    build_random_box(world, &random, "one");
    build_random_box(world, &random, "two");
    JointDef hinge = joint_def(JOINT_HINGE, 1, 2), cylinder = joint_def(JOINT_CYLINDER, 1, 2);
    cylinder.axis = random_unit(&random);
    cylinder.force = 6.5;
    build_joint(world, &hinge);
    build_joint(world, &cylinder);
    double dt = 1.0 / 60.0, h = dt / 3.0;
    Vec3 linear = VEC3_ZERO, angular = VEC3_ZERO, force, torque;
    world->joints[0].impulse = vec3(9, 9, 9); /* a former frame's */
    world_begin_frame(world);
    for (int substep = 0; substep < 3; substep++) {
        world_begin_substep(world, h);
        world->block_impulse[0] = random_vec3(&random, 1.0); /* attach */
        world->block_impulse[1] = random_vec3(&random, 1.0); /* align */
        linear = vec3_add(linear, world->block_impulse[0]);
        angular = vec3_add(angular, world->block_impulse[1]);
        world_end_substep(world, h);
    }
    world_reaction(world, 0, dt, &force, &torque);
    assert_vec3_near(force, vec3_scale(60.0, linear), ROUND_OFF * 100.0);
    assert_vec3_near(torque, vec3_scale(60.0, angular), ROUND_OFF * 100.0);
    world_reaction(world, 1, dt, &force, &torque);
    assert_vec3_near(force, vec3_scale(6.5, cylinder.axis), ROUND_OFF);
    assert_vec3_near(torque, VEC3_ZERO, 0.0);
    world_destroy(world);
}

static void max_speed_finds_the_fastest_body_and_any_state_that_is_not_finite(void **state)
{
    (void)state;
    Random random = {308};
    World *world = world_create();
    for (int i = 0; i < 4; i++)
        build_random_box(world, &random, "box");
    world->velocity[3].v = vec3(-3.0, 4.0, 12.0);
    assert_near(world_max_speed(world), 13.0, ROUND_OFF);
    double *fields[] = {&world->pose[2].x.y, &world->pose[2].q.w, &world->pose[2].q.z, &world->velocity[2].v.x,
                        &world->velocity[2].w.z};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        double kept = *fields[i];
        *fields[i] = i % 2 ? NAN : INFINITY;
        assert_false(isfinite(world_max_speed(world)));
        *fields[i] = kept;
    }
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinetic_energy_and_momenta_are_sums_over_points),
        cmocka_unit_test(momentum_scales_add_the_bodies_absolute_momenta),
        cmocka_unit_test(potential_energy_is_that_of_gravity_and_attractor),
        cmocka_unit_test(field_is_minus_the_gradient_of_the_potential),
        cmocka_unit_test(elastic_energy_sums_C_squared_over_two_alpha),
        cmocka_unit_test(a_saturated_spring_stores_its_largest_torque_times_the_way),
        cmocka_unit_test(fixed_and_removed_bodies_have_no_energy_or_momentum),
        cmocka_unit_test(reaction_is_the_frames_impulse_over_dt_with_actuators),
        cmocka_unit_test(max_speed_finds_the_fastest_body_and_any_state_that_is_not_finite),
    };
    return cmocka_run_group_tests_name("energy", tests, NULL, NULL);
}
