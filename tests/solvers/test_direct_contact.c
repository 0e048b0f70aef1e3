/* SPDX-License-Identifier: MIT */
/* Multipliers with contacts: the velocities of `lcp`, which eliminates densely; joints that hold as those of `direct`;
 * work that is linear in the joints. */
#include "solvers/systems/complementarity.h"
#include "tests/solvers/contact_worlds.h"

static const double H = 1.0 / 60;

/* Balls at the ends of links: each touches the floor in one point, so that impulses are unique. The first joint is a
 * hinge with a limit, the second a motor too weak for its speed, the third soft; `loop` closes it to a ring. */
static World *chain_of_balls(int links, double friction, bool loop)
{
    Random random = {90125};
    World *world = contact_world(friction, 0.3);
    add_plane(world, vec3(0, 1, 0));
    for (int i = 0; i < links; i++) {
        char name[16];
        snprintf(name, sizeof name, "ball%d", i);
        double turn = 2.0 * PI * i / links;
        Vec3 at = loop ? vec3(0.9 * cos(turn), 0.102, 0.9 * sin(turn)) : vec3(0.27 * i, 0.102 + 0.003 * i, 0);
        BodyDef def = sphere_def(name, 0.1, at);
        def.velocity = random_vec3(&random, 0.7);
        def.angular_velocity = random_vec3(&random, 0.4);
        int ball = build_body(world, &def);
        if (i == 0)
            continue;
        JointDef joint = joint_def(i == 1 ? JOINT_HINGE : i == 2 ? JOINT_MOTOR : JOINT_BALL, ball - 1, ball);
        joint.anchor[0] = vec3_scale(0.5, vec3_add(world->pose[ball - 1].x, at));
        joint.axis = vec3(0.1, 0.3, 1);
        if (i == 1)
            joint.angle_min = -0.02, joint.angle_max = 0.05;
        if (i == 2)
            joint.speed = 9, joint.max_torque = 1.3;
        if (i == 3)
            joint.compliance = 1e-5;
        build_joint(world, &joint);
    }
    if (loop) {
        JointDef joint = joint_def(JOINT_DISTANCE, links + 1, 2);
        build_joint(world, &joint);
    }
    return world;
}

/* Largest difference of velocities, frame by frame from the same state: `a`'s. */
static double largest_difference(World *a, World *b, const char *name, const char *options, const char *lcp_options,
                                 int frames)
{
    Drive one, other;
    double apart = 0.0;
    drive_begin(&one, a, name, options);
    drive_begin(&other, b, "lcp", lcp_options);
    for (int f = 0; f < frames; f++) {
        size_t bodies = (size_t)a->body_count;
        memcpy(b->pose, a->pose, sizeof *a->pose * bodies);
        memcpy(b->velocity, a->velocity, sizeof *a->velocity * bodies);
        drive_frame(&one, H);
        drive_frame(&other, H);
        for (int i = 1; i < a->body_count; i++) {
            apart = fmax(apart, vec3_norm(vec3_sub(a->velocity[i].v, b->velocity[i].v)));
            apart = fmax(apart, 0.1 * vec3_norm(vec3_sub(a->velocity[i].w, b->velocity[i].w)));
        }
    }
    assert_true(a->block_count > a->joint_block_count); /* something touches */
    drive_end(&one);
    drive_end(&other);
    return apart;
}

/* Speeds are of 1 m/s, and the least eigenvalue of the joints' rows is some 1e-3 of the largest. */
static void sparse_and_dense_elimination_move_alike(void **state)
{
    (void)state;
    static const char *const LEVELS[] = {"substeps=1 position=baumgarte level=velocity",
                                         "substeps=1 position=baumgarte level=acceleration"};
    static const char *const LCP_LEVELS[] = {"level=velocity", "level=acceleration"};
    for (int k = 0; k < 2; k++)
        for (int mu = 0; mu < 2; mu++) {
            World *world[2] = {chain_of_balls(6, 0.4 * mu, false), chain_of_balls(6, 0.4 * mu, false)};
            assert_true(largest_difference(world[0], world[1], "direct_contact", LEVELS[k], LCP_LEVELS[k], 60) < 1e-9);
            world_destroy(world[0]);
            world_destroy(world[1]);
        }
}

static void a_ring_is_eliminated_as_a_chain_is(void **state)
{
    (void)state;
    World *world[2] = {chain_of_balls(7, 0.0, true), chain_of_balls(7, 0.0, true)};
    assert_true(largest_difference(world[0], world[1], "direct_contact", "substeps=1 position=baumgarte", "", 40) <
                1e-8);
    world_destroy(world[0]);
    world_destroy(world[1]);
}

/* Joints are taken back as `direct` does it; what touches stays within the slop. */
static void joints_hold_while_a_chain_tumbles_on_the_floor(void **state)
{
    (void)state;
    World *world = chain_of_balls(12, 0.5, false);
    Drive drive;
    double apart = 0.0, deepest = 0.0;
    drive_begin(&drive, world, "direct_contact", "");
    for (int f = 0; f < 90; f++) {
        drive_frame(&drive, H);
        for (int b = 0; b < world->joint_block_count; b++)
            if (block_unit(world->blocks[b].kind) == UNIT_LENGTH && block_terms(&world->blocks[b])->compliance == 0.0)
                apart = fmax(apart, block_violation(world, &world->blocks[b]));
        for (int i = 2; i < world->body_count; i++)
            deepest = fmax(deepest, 0.1 - world->pose[i].x.y);
    }
    assert_true(apart < 1e-6);
    assert_true(deepest < 0.006);
    drive_end(&drive);
    world_destroy(world);
}

/* A contact carries the weight of all that hangs together, whichever way joints are solved. */
static void contacts_carry_the_weight_of_a_chain_at_rest(void **state)
{
    (void)state;
    static const char *const SOLVERS[] = {"direct_contact", "kkt_contact"};
    for (int k = 0; k < 2; k++) {
        World *world = contact_world(0.6, 0.0);
        add_plane(world, vec3(0, 1, 0));
        double weight = 0.0, load = 0.0;
        for (int i = 0; i < 5; i++) {
            char name[16];
            snprintf(name, sizeof name, "link%d", i);
            BodyDef def = box_def(name, vec3(0.4, 0.1, 0.1), vec3(0.45 * i, 0.05, 0));
            def.density = 300.0 + 200.0 * i;
            int link = build_body(world, &def);
            weight += 9.81 * world->mass[link].mass;
            if (i == 0)
                continue;
            JointDef joint = joint_def(JOINT_BALL, link - 1, link);
            joint.anchor[0] = vec3(0.45 * i - 0.225, 0.05, 0);
            build_joint(world, &joint);
        }
        Drive drive;
        drive_begin(&drive, world, SOLVERS[k], "");
        for (int f = 0; f < 60; f++)
            drive_frame(&drive, H);
        for (int b = world->joint_block_count; b < world->block_count; b++)
            if (world->blocks[b].kind == BLOCK_CONTACT)
                load += world->block_impulse[b].y / drive.step.h;
        assert_near(load, weight, 1e-9 * weight);
        for (int i = 2; i < world->body_count; i++)
            assert_true(vec3_norm(world->velocity[i].v) < 1e-9);
        drive_end(&drive);
        world_destroy(world);
    }
}

/* Rows of joints without bounds are no variables of the problem: a long chain has as many as a short one. */
static void the_problem_has_no_variables_for_joints(void **state)
{
    (void)state;
    World *few = chain_of_balls(5, 0.4, false), *many = chain_of_balls(50, 0.4, false);
    assert_true(complementarity_size(many, 8, ELIMINATE_DENSE) > complementarity_size(few, 8, ELIMINATE_DENSE) + 200);
    assert_int_equal(complementarity_size(many, 8, ELIMINATE_SPARSE), complementarity_size(few, 8, ELIMINATE_SPARSE));
    world_destroy(few);
    world_destroy(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_and_dense_elimination_move_alike),
        cmocka_unit_test(a_ring_is_eliminated_as_a_chain_is),
        cmocka_unit_test(joints_hold_while_a_chain_tumbles_on_the_floor),
        cmocka_unit_test(contacts_carry_the_weight_of_a_chain_at_rest),
        cmocka_unit_test(the_problem_has_no_variables_for_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
