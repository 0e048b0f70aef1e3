/* SPDX-License-Identifier: MIT */
/* The recursions on trees, held against dense Lagrange multipliers and against each other. */
#include "model/energy.h"
#include "solvers/motion.h"
#include "solvers/tree/articulated_drive.h"
#include "tests/solvers/mechanisms.h"
#include "tests/support/drive.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

static const double DT = 1.0 / 60.0;

/* One joint of a random tree: every type that leaves a body something to do. */
static void add_random_joint(World *world, Random *random, int parent, int child, int which)
{
    static const JointType TYPES[] = {JOINT_BALL,     JOINT_HINGE, JOINT_FIXED, JOINT_PRISMATIC,
                                      JOINT_CYLINDER, JOINT_MOTOR, JOINT_WIRE,  JOINT_DISTANCE};
    JointType type = TYPES[which % 8];
    bool particle = vec3_is_zero(world->mass[child].inertia);
    if (particle)
        type = which % 2 ? JOINT_DISTANCE : JOINT_WIRE;
    bool reversed = type != JOINT_WIRE && random_in(random, 0, 1) < 0.5;
    JointDef joint = reversed ? joint_def(type, child, parent) : joint_def(type, parent, child);
    joint.name = "joint";
    joint.axis = random_unit(random);
    joint.anchor[0] = vec3_add(world->pose[child].x, particle ? VEC3_ZERO : random_vec3(random, 0.7));
    joint.damping = random_in(random, 0.0, 0.5);
    joint.angular_damping = random_in(random, 0.0, 0.5);
    if (type == JOINT_MOTOR)
        joint.torque = random_in(random, -3, 3);
    if (type == JOINT_CYLINDER)
        joint.force = random_in(random, -3, 3);
    if (type == JOINT_WIRE) {
        joint.radius = random_in(random, 0.3, 1.2);
        Vec3 out = vec3_unit(vec3_cross(joint.axis, random_unit(random)));
        joint.centre = vec3_add_scaled(joint.anchor[0], -joint.radius, out);
    }
    if (type == JOINT_DISTANCE) {
        joint.local_anchors = true;
        joint.anchor[0] = random_vec3(random, 0.4);
        joint.anchor[1] = random_vec3(random, 0.4);
        if (particle)
            joint.anchor[reversed ? 0 : 1] = VEC3_ZERO;
    }
    build_joint(world, &joint);
}

static World *random_tree(Random *random, int bodies, bool grounded)
{
    World *world = world_create();
    for (int i = 1; i <= bodies; i++) {
        bool leaf = i > bodies - 3;
        int body = leaf ? build_random_particle(world, random, "p") : build_random_box(world, random, "b");
        world->bodies[body].force = random_vec3(random, 5.0);
        world->bodies[body].torque = random_vec3(random, 2.0);
        int boxes = leaf ? bodies - 3 : i - 1;
        int parent = (int)random_in(random, grounded ? 0 : 1, boxes + 1 - 1e-9);
        if (i > 1 || grounded)
            add_random_joint(world, random, parent, body, i + (grounded ? 0 : 3));
    }
    return world;
}

/* Boxes on balls: runs of links whose parent is the one before, branches, and now and then a hinge between. */
static World *ball_tree(Random *random, int bodies)
{
    enum { BALL, HINGE }; /* of the types above */
    World *world = world_create();
    for (int i = 1; i <= bodies; i++) {
        int body = build_random_box(world, random, "b");
        world->bodies[body].force = random_vec3(random, 5.0);
        world->bodies[body].torque = random_vec3(random, 2.0);
        int parent = random_in(random, 0, 1) < 0.9 ? i - 1 : (int)random_in(random, 0, i - 1e-9);
        add_random_joint(world, random, parent, body, random_in(random, 0, 1) < 0.85 ? BALL : HINGE);
    }
    return world;
}

/* A random state of the tree: a target that a joint holds stays where it is. */
static void scatter_tree(Articulated *tree, const Drives *drives, World *world, Random *random)
{
    for (int i = 0; i < tree->link_count; i++) {
        Link *link = &tree->links[i];
        LinkState *state = link_state(link, tree->state);
        bool held = false;
        for (int k = 0; k < drives->count; k++)
            held = held || drives->rows[k].link == i;
        if (link->turn == TURN_FREE) {
            state->turn = random_quat(random);
            state->spin = random_vec3(random, 2.0);
        } else if (link->turn == TURN_AXIS && !held) {
            state->angle = random_in(random, -3, 3);
            state->turn = quat_mul(quat_axis_angle(link->own->axis, state->angle), link->own->base);
            state->spin.x = random_in(random, -2, 2);
        } else if (link->turn == TURN_AXIS) {
            state->spin.x = 0.0;
        }
        if (link->shift == SHIFT_SPHERE) {
            state->shift = random_unit(random);
            state->rate = vec3_cross(state->shift, random_vec3(random, 2.0));
        } else if (link->shift != SHIFT_NONE) {
            state->shift = random_vec3(random, 1.0);
            state->rate = random_vec3(random, 2.0);
        }
    }
    articulated_place(tree, tree->state, world);
}

/* [M J^T; J 0] [a; -lambda] = [M a_alone; -k], row-major; six unknowns a body, a particle's last three and a fixed
 * body's all being zero. */
typedef struct Dense {
    int size;
    double *K, *x;
} Dense;

static void dense_add_body(Dense *dense, const World *world, int i, Velocity alone)
{
    Mat3 inertia = mat3_turn_diagonal(world->pose[i].q, world->mass[i].inertia);
    bool fixed = world_is_fixed(world, i), turns = !fixed && !vec3_is_zero(world->mass[i].inertia);
    double mass = fixed ? 1.0 : world->mass[i].mass;
    for (int c = 0; c < 3; c++) {
        dense->K[(6 * i + c) * dense->size + 6 * i + c] = mass;
        dense->x[6 * i + c] = fixed ? 0.0 : mass * vec3_get(alone.v, c);
        for (int d = 0; d < 3; d++) {
            dense->K[(6 * i + 3 + c) * dense->size + 6 * i + 3 + d] = turns ? inertia.m[c][d] : c == d;
            dense->x[6 * i + 3 + c] += turns ? inertia.m[c][d] * vec3_get(alone.w, d) : 0.0;
        }
    }
}

static int dense_add_block(Dense *dense, const World *world, const Block *block, int at)
{
    Rows rows;
    double k[BLOCK_MAX_ROWS];
    block_rows(world, block, &rows);
    block_rows_bias(world, block, k);
    for (int i = 0; i < rows.count; i++, at++) {
        for (int s = 0; s < 12; s++) {
            int body = block->body[s / 6];
            bool fixed = s % 6 < 3 ? world_is_fixed(world, body) : vec3_is_zero(world->mass[body].inv_inertia);
            int column = 6 * body + s % 6;
            if (!fixed)
                dense->K[column * dense->size + at] = dense->K[at * dense->size + column] = rows.J[i][s];
        }
        dense->x[at] = -k[i];
    }
    return at;
}

/* Accelerations, and the force that each joint gives its second body; least squares, since some rows repeat others. */
static void dense_solve(const World *world, const Velocity *alone, Velocity *out, Vec3 *force_on_two)
{
    int rows = 0, at = 6 * world->body_count;
    for (int b = 0; b < world->block_count; b++)
        rows += block_row_count(world->blocks[b].kind);
    size_t size = (size_t)(at + rows);
    Dense dense = {(int)size, calloc(size * size, sizeof(double)), calloc(size, sizeof(double))};
    double *singular = calloc(size, sizeof *singular);
    for (int i = 0; i < world->body_count; i++)
        dense_add_body(&dense, world, i, alone[i]);
    for (int b = 0; b < world->block_count; b++)
        at = dense_add_block(&dense, world, &world->blocks[b], at);
    lapack_int rank, n = dense.size;
    /* Rows that repeat each other have no singular value above round-off, 1e-12 of the largest. */
    assert_int_equal(LAPACKE_dgelsd(LAPACK_ROW_MAJOR, n, n, 1, dense.K, n, dense.x, 1, singular, 1e-12, &rank), 0);
    const double *x = dense.x;
    for (int i = 0; i < world->body_count; i++, x += 6)
        out[i] = (Velocity){vec3(x[0], x[1], x[2]), vec3(x[3], x[4], x[5])};
    memset(force_on_two, 0, sizeof *force_on_two * (size_t)world->joint_count);
    for (int b = 0; b < world->block_count; b++) {
        Rows r;
        Vec3 *sum = &force_on_two[world->blocks[b].joint];
        block_rows(world, &world->blocks[b], &r);
        for (int i = 0; i < r.count; i++)
            *sum = vec3_add_scaled(*sum, -*x++, vec3(r.J[i][6], r.J[i][7], r.J[i][8]));
    }
    free(dense.K);
    free(dense.x);
    free(singular);
}

typedef struct Setup {
    World *world;
    Articulated tree;
    Drives drives;
    Motion motion;
    Velocity *alone;
} Setup;

/* absolute: balls turn against the world */
static void setup_begin(Setup *setup, World *world, bool absolute)
{
    Status status = {0};
    CommonOptions options = {1, 1, INTEGRATE_RK4, GYROSCOPIC_EXPLICIT, 0.0};
    *setup = (Setup){.world = world, .alone = calloc((size_t)world->body_count, sizeof(Velocity))};
    assert_true(articulated_init(&setup->tree, world) && drives_init(&setup->drives, world) &&
                motion_init(&setup->motion, world, &options));
    setup->tree.absolute = absolute;
    if (!articulated_connect(&setup->tree, world, &status))
        fail_msg("%s", status.message);
    drives_connect(&setup->drives, &setup->tree, world);
    articulated_read(&setup->tree, world, world->velocity_before);
}

static void setup_end(Setup *setup)
{
    articulated_free(&setup->tree);
    drives_free(&setup->drives);
    motion_free(&setup->motion);
    free(setup->alone);
    world_destroy(setup->world);
}

/* The tree is scattered and solved under its load. */
static void assert_equals_dense_multipliers(Setup *s, Random *random)
{
    World *world = s->world;
    scatter_tree(&s->tree, &s->drives, world, random);
    motion_accelerations(&s->motion, world, 0.0, s->alone);
    articulated_load(&s->tree, s->alone);
    drives_begin(&s->drives, &s->tree, world, DT);
    drives_hold(&s->drives, &s->tree, world);
    articulated_solve(&s->tree);
    articulated_forces(&s->tree);
    Velocity *dense = calloc((size_t)world->body_count, sizeof *dense);
    Vec3 *force = calloc((size_t)world->joint_count, sizeof *force);
    dense_solve(world, s->alone, dense, force);
    double scale = 0.0, force_scale = 0.0;
    for (int i = 1; i < world->body_count; i++)
        scale = fmax(scale, fmax(vec3_norm(dense[i].v), vec3_norm(dense[i].w)));
    for (int j = 0; j < world->joint_count; j++)
        force_scale = fmax(force_scale, vec3_norm(force[j]));
    for (int i = 0; i < s->tree.link_count; i++) {
        const Link *link = &s->tree.links[i];
        /* The dense matrix of mixed units has a condition near 1e4. */
        assert_vec3_near(vec3(link->moves->A[3], link->moves->A[4], link->moves->A[5]), dense[link->body].v,
                         1e-11 * scale);
        assert_vec3_near(vec3(link->moves->A[0], link->moves->A[1], link->moves->A[2]), dense[link->body].w,
                         1e-11 * scale);
        if (link->joint < 0)
            continue;
        double sign = link->reversed ? -1.0 : 1.0;
        assert_vec3_near(vec3_scale(sign, vec3(link->moves->F[3], link->moves->F[4], link->moves->F[5])),
                         force[link->joint], 1e-11 * force_scale);
    }
    free(dense);
    free(force);
}

static void accelerations_and_forces_equal_dense_multipliers_on_random_trees(void **state)
{
    (void)state;
    Random random = {0x7ee5eed};
    for (int trial = 0; trial < 12; trial++) {
        Setup s;
        setup_begin(&s, random_tree(&random, 12, trial % 2 == 0), trial % 3 == 0);
        assert_equals_dense_multipliers(&s, &random);
        setup_end(&s);
    }
}

static void runs_of_balls_equal_dense_multipliers_in_both_frames(void **state)
{
    (void)state;
    Random random = {0xba11};
    int runs = 0, branches = 0;
    for (int trial = 0; trial < 12; trial++) {
        Setup s;
        setup_begin(&s, ball_tree(&random, 14), trial % 2 == 0);
        for (int i = 1; i < s.tree.link_count; i++) {
            const Link *link = &s.tree.links[i], *last = &s.tree.links[i - 1];
            assert_true(link->absolute == (link->ball && trial % 2 == 0));
            runs += link->ball && last->ball && link->parent == i - 1 && last->branch < 0;
            branches += link->branch >= 0;
        }
        assert_equals_dense_multipliers(&s, &random);
        setup_end(&s);
    }
    assert_true(runs > 30 && branches > 10); /* both ways were taken */
}

/* Where balls are, how they move, and the rates of their states are the same in both frames. */
static void a_state_against_the_world_is_that_against_the_parent(void **state)
{
    (void)state;
    Random one = {0xf4a3e}, two = one;
    Setup s[2];
    setup_begin(&s[0], ball_tree(&one, 12), false);
    setup_begin(&s[1], ball_tree(&two, 12), true);
    scatter_tree(&s[0].tree, &s[0].drives, s[0].world, &one);
    size_t bodies = (size_t)s[0].world->body_count;
    memcpy(s[1].world->pose, s[0].world->pose, sizeof(Pose) * bodies);
    articulated_read(&s[1].tree, s[1].world, s[0].world->velocity);
    for (size_t i = 1; i < bodies; i++) { /* of speeds of 10 and 12 links of round-off */
        assert_vec3_near(s[1].world->pose[i].x, s[0].world->pose[i].x, 1e-12);
        assert_vec3_near(s[1].world->velocity[i].v, s[0].world->velocity[i].v, 1e-11);
        assert_vec3_near(s[1].world->velocity[i].w, s[0].world->velocity[i].w, 1e-11);
    }
    for (int k = 0; k < 2; k++) {
        motion_collect_forces(&s[k].motion, s[k].world);
        articulated_place_loaded(&s[k].tree, s[k].tree.state, s[k].world, &s[k].motion, s[k].alone);
        articulated_solve(&s[k].tree);
    }
    for (int i = 0; i < s[0].tree.link_count; i++) {
        const Link *link = &s[1].tree.links[i];
        for (int c = 0; c < 6; c++)
            assert_near(link->moves->A[c], s[0].tree.links[i].moves->A[c], 1e-9); /* of accelerations of some hundred */
        if (!link->ball)
            continue;
        LinkState rate = link_derivative(link, link_state(link, s[1].tree.state), s[1].world, true);
        assert_vec3_near(rate.spin, vec3(link->moves->A[0], link->moves->A[1], link->moves->A[2]), 0.0);
    }
    setup_end(&s[0]);
    setup_end(&s[1]);
}

static void inverse_dynamics_gives_the_applied_torques_back(void **state)
{
    (void)state;
    Random random = {0x1d37};
    for (int trial = 0; trial < 9; trial++) {
        Setup s;
        setup_begin(&s, trial % 3 == 0 ? ball_tree(&random, 15) : random_tree(&random, 15, trial % 2 == 0), false);
        scatter_tree(&s.tree, &s.drives, s.world, &random);
        motion_accelerations(&s.motion, s.world, 0.0, s.alone);
        articulated_load(&s.tree, s.alone);
        for (int i = 0; i < s.tree.link_count; i++)
            for (int k = 0; k < s.tree.links[i].dofs; k++)
                s.tree.links[i].moves->given[k] = random_in(&random, -10, 10);
        articulated_solve(&s.tree);
        articulated_accelerate(&s.tree);
        articulated_forces(&s.tree);
        for (int i = 0; i < s.tree.link_count; i++)
            for (int k = 0; k < s.tree.links[i].dofs; k++)
                /* Forces of a few hundred newton in the tree: round-off of 1e-16 each, 15 links. */
                assert_near(link_torque(&s.tree.links[i], k), s.tree.links[i].moves->given[k], 1e-11);
        setup_end(&s);
    }
}

static void velocities_that_fit_the_joints_are_read_back(void **state)
{
    (void)state;
    Random random = {0xabc1};
    Setup s;
    setup_begin(&s, random_tree(&random, 12, true), false);
    scatter_tree(&s.tree, &s.drives, s.world, &random);
    size_t bodies = (size_t)s.world->body_count;
    Velocity *before = malloc(sizeof *before * bodies);
    Pose *pose = malloc(sizeof *pose * bodies);
    memcpy(before, s.world->velocity, sizeof *before * bodies);
    memcpy(pose, s.world->pose, sizeof *pose * bodies);
    articulated_read(&s.tree, s.world, before);
    for (size_t i = 0; i < bodies; i++) {
        assert_vec3_near(s.world->velocity[i].v, before[i].v,
                         1e-11); /* m/s, of speeds of 10 and 12 links of round-off */
        assert_vec3_near(s.world->velocity[i].w, before[i].w, 1e-11);
        assert_vec3_near(s.world->pose[i].x, pose[i].x, 1e-12);
    }
    free(before);
    free(pose);
    setup_end(&s);
}

static void reactions_are_those_of_the_multipliers_while_a_chain_swings(void **state)
{
    (void)state;
    Random random = {0x99};
    World *world = random_tree(&random, 9, true);
    Setup s;
    double h = 1e-3;
    setup_begin(&s, world, false);
    scatter_tree(&s.tree, &s.drives, world, &random);
    Velocity *dense = calloc((size_t)world->body_count, sizeof *dense);
    Vec3 *force = calloc((size_t)world->joint_count, sizeof *force);
    motion_accelerations(&s.motion, world, 0.0, s.alone);
    dense_solve(world, s.alone, dense, force);
    for (int j = 0; j < world->joint_count; j++) {
        Vec3 push, turn;
        joint_actuation(world, &world->joints[j], &push, &turn);
        force[j] = vec3_add(force[j], push);
    }
    drive_run(world, "featherstone", "substeps=1 integrator=forward", h, 1);
    for (int j = 0; j < world->joint_count; j++) {
        Vec3 got, torque;
        world_reaction(world, j, h, &got, &torque);
        /* An actuator's force is added by the model at the step's end, 1e-3 s on: it has turned by some 1e-3 rad. */
        double turned = isnan(world->joints[j].def.force) ? 0.0 : 1e-2;
        /* A held angle is off by round-off, 1e-15 rad, and is put right within h: forces of 1e-15 m r / h^2. */
        assert_vec3_near(got, force[j], 1e-8 + turned);
    }
    free(dense);
    free(force);
    setup_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations_and_forces_equal_dense_multipliers_on_random_trees),
        cmocka_unit_test(runs_of_balls_equal_dense_multipliers_in_both_frames),
        cmocka_unit_test(a_state_against_the_world_is_that_against_the_parent),
        cmocka_unit_test(inverse_dynamics_gives_the_applied_torques_back),
        cmocka_unit_test(velocities_that_fit_the_joints_are_read_back),
        cmocka_unit_test(reactions_are_those_of_the_multipliers_while_a_chain_swings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
