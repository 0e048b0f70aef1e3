/* SPDX-License-Identifier: MIT */
/* Joint coordinates with contacts, held to solvers in maximal coordinates, which share nothing with it but the rows'
 * errors: one frozen step, whole motions under refinement, and what follows from the equations alone. */
#include "model/rows/row.h"
#include "solvers/articulated/closing.h"
#include "tests/solvers/contact_worlds.h"
#include "tests/solvers/mechanisms.h"

/* A trunk of 10 kg with four legs of two hinges each and round feet, `above` the floor. */
static World *quadruped(double friction, double above)
{
    static const char *const THIGH[] = {"thigh1", "thigh2", "thigh3", "thigh4"};
    static const char *const SHIN[] = {"shin1", "shin2", "shin3", "shin4"};
    World *world = contact_world(friction, 0.0);
    add_plane(world, vec3(0, 1, 0));
    BodyDef trunk = box_def("trunk", vec3(0.6, 0.12, 0.3), vec3(0, 0.52 + above, 0));
    trunk.density = 0.0;
    trunk.mass = 10.3;
    int top = build_body(world, &trunk);
    for (int i = 0; i < 4; i++) {
        double x = i % 2 ? 0.26 : -0.24, z = i / 2 ? 0.17 : -0.19, lean = i % 2 ? 0.21 : -0.17;
        Vec3 hip = vec3(x, 0.5 + above, z), knee = vec3(x + 0.24 * sin(lean), 0.5 + above - 0.24 * cos(lean), z);
        BodyDef thigh = box_def(THIGH[i], vec3(0.05, 0.24, 0.05), vec3_scale(0.5, vec3_add(hip, knee)));
        thigh.orientation = quat_axis_angle(vec3(0, 0, 1), lean);
        BodyDef shin = sphere_def(SHIN[i], 0.03, vec3_add(knee, vec3(-0.03, -0.22, 0.01)));
        int upper = build_body(world, &thigh), lower = build_body(world, &shin);
        JointDef joint = joint_def(JOINT_HINGE, top, upper);
        joint.anchor[0] = hip;
        joint.axis = vec3(0.02, 0, 1);
        build_joint(world, &joint);
        joint = joint_def(JOINT_HINGE, upper, lower);
        joint.anchor[0] = knee;
        joint.axis = vec3(0, 0.01, 1);
        joint.angle_min = -0.4;
        joint.angle_max = 0.5;
        build_joint(world, &joint);
    }
    return world;
}

/* Three boxes on hinges from a fixed base, over a floor that the last one strikes. */
static World *arm_on_floor(double friction)
{
    static const char *const NAMES[] = {"upper", "fore", "hand"};
    World *world = contact_world(friction, 0.0);
    add_plane(world, vec3(0, 1, 0));
    int before = 0;
    for (int i = 0; i < 3; i++) {
        BodyDef box = box_def(NAMES[i], vec3(0.4, 0.06 + 0.01 * i, 0.07), vec3(0.2 + 0.4 * i, 0.31, 0));
        int body = build_body(world, &box);
        JointDef joint = joint_def(JOINT_HINGE, before, body);
        joint.anchor[0] = vec3(0.4 * i, 0.31, 0);
        joint.axis = i == 1 ? vec3(0, 0.03, 1) : vec3(0.02, 0, 1);
        build_joint(world, &joint);
        before = body;
    }
    return world;
}

typedef World *BuildWorld(double friction);

static World *quadruped_that_lands(double friction)
{
    return quadruped(friction, 0.001);
}

static void set_at(World *world, const World *from)
{
    size_t bodies = (size_t)world->body_count;
    memcpy(world->pose, from->pose, sizeof *world->pose * bodies);
    memcpy(world->velocity, from->velocity, sizeof *world->velocity * bodies);
}

static double largest_difference(const World *one, const World *other)
{
    double most = 0.0;
    for (int b = 1; b < one->body_count; b++) {
        most = fmax(most, vec3_norm(vec3_sub(one->velocity[b].v, other->velocity[b].v)));
        most = fmax(most, vec3_norm(vec3_sub(one->velocity[b].w, other->velocity[b].w)));
    }
    return most;
}

/* The velocities after one step of each, from what `frames` frames of a run lead to. */
static double frozen_difference(BuildWorld *build, double friction, int frames, const char *other, const char *options,
                                const char *other_options)
{
    World *run = build(friction), *one = build(friction), *two = build(friction);
    drive_run(run, "articulated", "coriolis=carried substeps=4", 1.0 / 60, frames);
    set_at(one, run);
    set_at(two, run);
    drive_run(one, "articulated", options, 1e-3, 1);
    drive_run(two, other, other_options, 1e-3, 1);
    double left = largest_difference(one, two);
    assert_true(one->manifold_count > 0);
    world_destroy(run);
    world_destroy(one);
    world_destroy(two);
    return left;
}

/* Momenta that are carried are those of maximal coordinates: then the same step is the solution of the same system. */
static void a_frozen_step_is_that_of_lcp(void **state)
{
    (void)state;
    const char *options = "coriolis=carried gyroscopic=off iterations=20000 stop_residual=1e-14 warm_start=false";
    /* lcp refines to 1e-12 of the loads; joints it holds exactly, here they cannot open: after some frames without an
     * error of its own the world has none, either */
    assert_true(frozen_difference(arm_on_floor, 0.0, 16, "lcp", options, "gyroscopic=off") < 1e-9);
    assert_true(frozen_difference(quadruped_that_lands, 0.0, 6, "lcp", options, "gyroscopic=off") < 1e-9);
}

static void a_frozen_step_with_friction_is_that_of_pgs(void **state)
{
    (void)state;
    static const char *const LAWS[] = {"friction=cone", "friction=pyramid", "friction=box"};
    for (int law = 0; law < 3; law++) {
        char own[160], other[160];
        snprintf(own, sizeof own,
                 "coriolis=carried gyroscopic=off iterations=20000 stop_residual=1e-14 warm_start=false %s", LAWS[law]);
        snprintf(other, sizeof other, "gyroscopic=off iterations=200000 stop_residual=1e-14 warm_start=false %s",
                 LAWS[law]);
        double left = frozen_difference(arm_on_floor, 0.6, 16, "pgs", own, other);
        if (!(left < 1e-8))
            fail_msg("%s: %g", LAWS[law], left);
    }
}

/* The sum of |x - x| over bodies after a second of an arm that falls on the floor and slides. */
static double motion_difference(int substeps)
{
    char own[64], other[64];
    World *one = arm_on_floor(0.0), *two = arm_on_floor(0.0);
    double sum = 0.0;
    one->collide = two->collide = false;
    snprintf(own, sizeof own, "substeps=%d", substeps);
    snprintf(other, sizeof other, "substeps=%d", substeps);
    drive_run(one, "articulated", own, 0.05, 10);
    drive_run(two, "direct", other, 0.05, 10);
    for (int b = 1; b < one->body_count; b++)
        sum += vec3_norm(vec3_sub(one->pose[b].x, two->pose[b].x));
    world_destroy(one);
    world_destroy(two);
    return sum;
}

static void motions_approach_those_of_direct_as_steps_shrink(void **state)
{
    (void)state;
    double coarse = motion_difference(100), fine = motion_difference(200);
    assert_true(fine > 1e-9); /* they are not the same */
    assert_near(log2(coarse / fine), 1.0, 0.1);
}

static void joints_do_not_drift(void **state)
{
    (void)state;
    World *world = quadruped(0.7, 0.2);
    drive_run(world, "articulated", "", 1.0 / 60, 120);
    for (int b = 0; b < world->joint_block_count; b++)
        if (!block_is_limit(&world->blocks[b]))
            assert_true(block_violation(world, &world->blocks[b]) < 1e-13);
    world_destroy(world);
}

static void what_floats_keeps_its_momenta(void **state)
{
    (void)state;
    World *world = quadruped(0.7, 1.0);
    world->gravity = VEC3_ZERO;
    for (int b = 1; b < world->body_count; b++)
        world->velocity[b] = (Velocity){vec3(0.3, -0.1, 0.2), VEC3_ZERO};
    world->velocity[3].v = vec3(2.0, 1.0, -0.7);
    Drive drive;
    drive_begin(&drive, world, "articulated", "substeps=4");
    drive_frame(&drive, 1.0 / 60);
    Vec3 p = world_momentum(world), L = world_angular_momentum(world);
    for (int f = 0; f < 60; f++)
        drive_frame(&drive, 1.0 / 60);
    drive_end(&drive);
    assert_vec3_near(world_momentum(world), p, 1e-12 * world_momentum_scale(world));
    /* spin by the implicit rule of free flight, of first order */
    assert_vec3_near(world_angular_momentum(world), L, 0.02 * world_angular_momentum_scale(world));
    world_destroy(world);
}

/* Five boxes on hinges that lie on the floor, two of them bent off to the side. */
static World *lying_chain(void)
{
    static const char *const NAMES[] = {"one", "two", "three", "four", "five"};
    World *world = contact_world(0.8, 0.0);
    add_plane(world, vec3(0, 1, 0));
    for (int i = 0; i < 5; i++) {
        BodyDef box = box_def(NAMES[i], vec3(0.28, 0.1, 0.12 + 0.01 * i), vec3(0.3 * i, 0.05, 0));
        int body = build_body(world, &box);
        if (i == 0)
            continue;
        JointDef joint = joint_def(JOINT_HINGE, body - 1, body);
        joint.anchor[0] = vec3(0.3 * i - 0.15, 0.05, 0);
        joint.axis = i % 2 ? vec3(0, 0, 1) : vec3(0, 1, 0);
        build_joint(world, &joint);
    }
    return world;
}

static void contacts_carry_the_weight_of_what_rests(void **state)
{
    (void)state;
    World *world = lying_chain();
    double mass = 0.0;
    for (int b = 1; b < world->body_count; b++)
        mass += world_is_fixed(world, b) ? 0.0 : world->mass[b].mass;
    drive_run(world, "articulated", "substeps=4 iterations=50", 1.0 / 60, 120);
    Vec3 force = vec3_scale(4 * 60.0, contact_impulse(world)); /* the floor is the first body of each pair */
    assert_vec3_near(force, vec3(0, 9.81 * mass, 0), 1e-4 * 9.81 * mass);
    for (int b = 1; b < world->body_count; b++)
        assert_true(vec3_norm(world->velocity[b].v) < 1e-4);
    world_destroy(world);
}

/* Y of rows between two links, against the change of speeds that the recursions find for the same wrenches. */
static void answers_are_those_of_the_recursions(void **state)
{
    (void)state;
    Random random = {77};
    World *world = quadruped(0.5, 0.1);
    Articulated tree;
    Forest forest;
    Answers answers;
    Answer answer;
    Status status;
    const int pairs[][2] = {{3, 9}, {0, 5}, {2, 3}};
    assert_true(articulated_init(&tree, world) && forest_init(&forest, world) && answers_init(&answers, world));
    tree.general = tree.with_rows = true;
    assert_true(articulated_connect(&tree, world, &status));
    forest_connect(&forest, &tree, world);
    articulated_read(&tree, world, world->velocity);
    for (int k = 0; k < 3; k++) {
        double J[2][ROW_WIDTH];
        size_t numbers = 0, paths = 0;
        for (int i = 0; i < 2; i++) /* forces in balance, as all rows are */
            row_linear(J[i], random_unit(&random), vec3_sub(vec3(0.1, 0.2, 0.3), world->pose[pairs[k][0]].x),
                       vec3_sub(vec3(0.1, 0.2, 0.3), world->pose[pairs[k][1]].x));
        answers_measure(&forest, &tree, pairs[k], 2, &numbers, &paths);
        assert_true(answers_reserve(&answers, numbers, paths));
        answers_clear(&answers);
        answer_find(&answer, &answers, &forest, &tree, pairs[k], 2, (const double(*)[ROW_WIDTH])J);
        for (int i = 0; i < 2; i++) {
            articulated_unload(&tree);
            articulated_push(&tree, pairs[k], J[i], 1.0);
            articulated_solve(&tree);
            for (int l = 0; l < tree.link_count; l++)
                for (int c = 0; c < tree.links[l].dofs; c++)
                    assert_near(answer_of(&answer, i, forest.first[l] + c), tree.links[l].moves->qddot[c], 1e-11);
            for (int j = 0; j < 2; j++)
                assert_near(answer.A[i][j], articulated_rate(&tree, pairs[k], J[j]), 1e-12 * answer.A[i][i]);
        }
    }
    answers_free(&answers);
    forest_free(&forest);
    articulated_free(&tree);
    world_destroy(world);
}

/* A bar on two parallel cranks: its loop's rows depend on each other, hinges as they are. */
static World *cranks(void)
{
    World *world = world_create();
    int left = mechanism_add_box(world, vec3(0, 0.5, 0), vec3(0.1, 1, 0.1));
    int right = mechanism_add_box(world, vec3(2, 0.5, 0), vec3(0.1, 1, 0.1));
    int bar = mechanism_add_box(world, vec3(1, 1, 0), vec3(2, 0.1, 0.1));
    mechanism_join(world, JOINT_HINGE, 0, left, VEC3_ZERO);
    mechanism_join(world, JOINT_HINGE, 0, right, vec3(2, 0, 0));
    mechanism_join(world, JOINT_HINGE, left, bar, vec3(0, 1, 0));
    mechanism_join(world, JOINT_HINGE, bar, right, vec3(2, 1, 0));
    world->velocity[left].w = world->velocity[right].w = vec3(0, 0, -1.0);
    return world;
}

static void loops_stay_closed_directly_and_by_sweeps(void **state)
{
    (void)state;
    World *direct = cranks(), *swept = cranks(), *other = cranks();
    drive_run(direct, "articulated", "substeps=20", 1.0 / 60, 30);
    drive_run(swept, "articulated", "substeps=20 loops=swept iterations=400", 1.0 / 60, 30);
    drive_run(other, "direct", "substeps=400", 1.0 / 60, 30);
    assert_true(worst_violation(direct) < 1e-4); /* h^2 of the turn, taken back by a fifth */
    assert_true(worst_violation(swept) < 1e-4);
    for (int b = 1; b < direct->body_count; b++) {
        assert_vec3_near(direct->pose[b].x, swept->pose[b].x, 1e-5);
        assert_vec3_near(direct->pose[b].x, other->pose[b].x, 5e-3); /* h = 1/1200 s, of first order */
    }
    world_destroy(direct);
    world_destroy(swept);
    world_destroy(other);
}

static double joint_violation(const World *world)
{
    double worst = 0.0;
    for (int b = 0; b < world->joint_block_count; b++)
        worst = fmax(worst, block_violation(world, &world->blocks[b]));
    return worst;
}

/* The bar strikes a wall: what is closed directly stays so, however few sweeps the contact has. */
static void no_row_moves_a_closed_loop(void **state)
{
    (void)state;
    World *world = cranks();
    world->collide = true;
    world->materials[0].friction = 0.4;
    build_plane(world, vec3(-1, 0, 0), -2.6);
    for (int b = 1; b < world->body_count; b++)
        world->velocity[b].w = vec3_scale(8.0, world->velocity[b].w);
    Drive drive;
    bool struck = false;
    drive_begin(&drive, world, "articulated", "iterations=1 substeps=20");
    for (int f = 0; f < 60; f++) {
        drive_frame(&drive, 1.0 / 60);
        for (int b = world->joint_block_count; b < world->block_count; b++)
            struck = struck || vec3_norm(world->block_impulse[b]) > 0.0;
        assert_true(joint_violation(world) < 1e-4); /* h^2 of the turn, taken back by a fifth */
    }
    assert_true(struck);
    drive_end(&drive);
    world_destroy(world);
}

static void loose_bodies_are_those_of_pgs(void **state)
{
    (void)state;
    World *world[2];
    for (int k = 0; k < 2; k++) {
        world[k] = contact_world(0.5, 0.1);
        add_plane(world[k], vec3(0.1, 1, 0));
        for (int i = 0; i < 3; i++) {
            static const char *const NAMES[] = {"a", "b", "c"};
            BodyDef box = box_def(NAMES[i], vec3(0.3, 0.2, 0.25), vec3(0.02 * i, 0.105 + 0.205 * i, 0.01));
            build_body(world[k], &box);
        }
        drive_run(world[k], k ? "pgs" : "articulated", "iterations=400 stop_residual=1e-13", 1.0 / 240, 24);
    }
    for (int b = 1; b < world[0]->body_count; b++)
        assert_vec3_near(world[0]->pose[b].x, world[1]->pose[b].x, 1e-8);
    world_destroy(world[0]);
    world_destroy(world[1]);
}

static void bodies_may_leave_a_tree(void **state)
{
    (void)state;
    World *world = quadruped(0.7, 0.3);
    Drive drive;
    drive_begin(&drive, world, "articulated", "");
    for (int f = 0; f < 90; f++) {
        if (f == 20)
            stepper_remove_body(&drive, 4);
        drive_frame(&drive, 1.0 / 60);
        assert_false(drive.step.failed);
    }
    for (int b = 1; b < world->body_count; b++)
        assert_true(vec3_is_finite(world->pose[b].x) && world->pose[b].x.y > -0.05);
    drive_end(&drive);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frozen_step_is_that_of_lcp),
        cmocka_unit_test(a_frozen_step_with_friction_is_that_of_pgs),
        cmocka_unit_test(motions_approach_those_of_direct_as_steps_shrink),
        cmocka_unit_test(joints_do_not_drift),
        cmocka_unit_test(what_floats_keeps_its_momenta),
        cmocka_unit_test(contacts_carry_the_weight_of_what_rests),
        cmocka_unit_test(answers_are_those_of_the_recursions),
        cmocka_unit_test(loops_stay_closed_directly_and_by_sweeps),
        cmocka_unit_test(no_row_moves_a_closed_loop),
        cmocka_unit_test(loose_bodies_are_those_of_pgs),
        cmocka_unit_test(bodies_may_leave_a_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
