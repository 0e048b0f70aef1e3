/* Reduced coordinates, held against dense Lagrange multipliers on random trees and against published motions. */
#include "model/energy.h"
#include "solvers/articulated_drive.h"
#include "solvers/motion.h"
#include "tests/build.h"
#include "tests/drive.h"

#include <lapacke.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DT = 1.0 / 60.0;

static int add_rod(World *world, Vec3 from, Vec3 to, double thickness)
{
    Vec3 along = vec3_sub(to, from), x = vec3(1, 0, 0);
    double length = vec3_norm(along);
    BodyDef def = BODY_DEF_INIT;
    def.name = "rod";
    def.position = vec3_scale(0.5, vec3_add(from, to));
    Vec3 turn = vec3_cross(x, along);
    def.orientation =
        quat_exp(vec3_norm(turn) > 0.0 ? vec3_scale(atan2(vec3_norm(turn), along.x), vec3_unit(turn)) : VEC3_ZERO);
    def.shape = (Shape){.kind = SHAPE_BOX, .size = {length, thickness, thickness}};
    def.density = 1000.0;
    return build_body(world, &def);
}

/* `pendulum`: rods in a row along +x from the origin, on ball joints. */
static World *rod_chain(int links, double length)
{
    World *world = world_create();
    for (int i = 0; i < links; i++) {
        int body = add_rod(world, vec3(i * length, 0, 0), vec3((i + 1) * length, 0, 0), 0.05);
        JointDef joint = joint_def(JOINT_BALL, body - 1, body);
        joint.anchor[0] = vec3(i * length, 0, 0);
        build_joint(world, &joint);
    }
    return world;
}

static World *particle_chain(int links, double length, double mass)
{
    World *world = world_create();
    for (int i = 0; i < links; i++) {
        BodyDef def = BODY_DEF_INIT;
        def.name = "particle";
        def.position = vec3((i + 1) * length, 0, 0);
        def.mass = mass;
        int body = build_body(world, &def);
        JointDef joint = joint_def(JOINT_DISTANCE, body - 1, body);
        joint.local_anchors = true;
        build_joint(world, &joint);
    }
    return world;
}

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

/* A random state of the tree: a target that a joint holds stays where it is. */
static void scatter_tree(Articulated *tree, const Drives *drives, World *world, Random *random)
{
    for (int i = 0; i < tree->link_count; i++) {
        Link *link = &tree->links[i];
        LinkState *state = &tree->state[i];
        bool held = false;
        for (int k = 0; k < drives->count; k++)
            held = held || drives->rows[k].link == i;
        if (link->turn == TURN_FREE) {
            state->turn = random_quat(random);
            state->spin = random_vec3(random, 2.0);
        } else if (link->turn == TURN_AXIS && !held) {
            state->angle = random_in(random, -3, 3);
            state->turn = quat_mul(quat_axis_angle(link->axis, state->angle), link->base);
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

/* [M J^T; J 0] [a; -lambda] = [M a_alone; -k], least squares for rows that repeat each other; six unknowns a body, a
 * particle's last three and a fixed body's all being zero. `on_two[j]` is what joint j gives its second body. */
static void dense_accelerations(const World *world, const Velocity *alone, Velocity *out, Vec3 *force_on_two)
{
    int bodies = world->body_count, rows = 0, n = 6 * bodies;
    for (int b = 0; b < world->block_count; b++)
        rows += block_row_count(world->blocks[b].kind);
    int size = n + rows, at = n;
    double *K = calloc((size_t)size * (size_t)size, sizeof *K), *x = calloc((size_t)size, sizeof *x);
    double *singular = calloc((size_t)size, sizeof *singular);
    for (int i = 0; i < bodies; i++) {
        Mat3 inertia = mat3_turn_diagonal(world->pose[i].q, world->mass[i].inertia);
        bool turns = !world_is_fixed(world, i) && !vec3_is_zero(world->mass[i].inertia);
        for (int c = 0; c < 3; c++) {
            double mass = world_is_fixed(world, i) ? 1.0 : world->mass[i].mass;
            K[(6 * i + c) * size + 6 * i + c] = mass;
            x[6 * i + c] = world_is_fixed(world, i) ? 0.0 : mass * vec3_get(alone[i].v, c);
            for (int d = 0; d < 3; d++) {
                K[(6 * i + 3 + c) * size + 6 * i + 3 + d] = turns ? inertia.m[c][d] : c == d;
                x[6 * i + 3 + c] += turns ? inertia.m[c][d] * vec3_get(alone[i].w, d) : 0.0;
            }
        }
    }
    for (int b = 0; b < world->block_count; b++) {
        Rows r;
        double k[BLOCK_MAX_ROWS];
        block_rows(world, &world->blocks[b], &r);
        block_rows_bias(world, &world->blocks[b], k);
        for (int i = 0; i < r.count; i++, at++) {
            for (int s = 0; s < 12; s++) {
                int body = world->blocks[b].body[s / 6];
                bool fixed = s % 6 < 3 ? world_is_fixed(world, body) : vec3_is_zero(world->mass[body].inv_inertia);
                if (!fixed)
                    K[(6 * body + s % 6) * size + at] = K[at * size + 6 * body + s % 6] = r.J[i][s];
            }
            x[at] = -k[i];
        }
    }
    lapack_int rank;
    /* Rows that repeat each other have no singular value above round-off, 1e-12 of the largest. */
    assert_int_equal(LAPACKE_dgelsd(LAPACK_ROW_MAJOR, size, size, 1, K, size, x, 1, singular, 1e-12, &rank), 0);
    for (int i = 0; i < bodies; i++)
        out[i] = (Velocity){vec3(x[6 * i], x[6 * i + 1], x[6 * i + 2]), vec3(x[6 * i + 3], x[6 * i + 4], x[6 * i + 5])};
    at = n;
    memset(force_on_two, 0, sizeof *force_on_two * (size_t)world->joint_count);
    for (int b = 0; b < world->block_count; b++) {
        Rows r;
        block_rows(world, &world->blocks[b], &r);
        for (int i = 0; i < r.count; i++, at++) {
            Vec3 *sum = &force_on_two[world->blocks[b].joint];
            *sum = vec3_add_scaled(*sum, -x[at], vec3(r.J[i][6], r.J[i][7], r.J[i][8]));
        }
    }
    free(K);
    free(x);
    free(singular);
}

typedef struct Setup {
    World *world;
    Articulated tree;
    Drives drives;
    Motion motion;
    Velocity *alone;
} Setup;

static void setup_begin(Setup *setup, World *world)
{
    Status status = {0};
    CommonOptions options = {1, 1, INTEGRATE_RK4, GYROSCOPIC_EXPLICIT};
    *setup = (Setup){.world = world, .alone = calloc((size_t)world->body_count, sizeof(Velocity))};
    assert_true(articulated_init(&setup->tree, world) && drives_init(&setup->drives, world) &&
                motion_init(&setup->motion, world, &options));
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

static void accelerations_and_forces_equal_dense_multipliers_on_random_trees(void **state)
{
    (void)state;
    Random random = {0x7ee5eed};
    for (int trial = 0; trial < 12; trial++) {
        Setup s;
        setup_begin(&s, random_tree(&random, 12, trial % 2 == 0));
        World *world = s.world;
        scatter_tree(&s.tree, &s.drives, world, &random);
        motion_accelerations(&s.motion, world, 0.0, s.alone);
        articulated_load(&s.tree, s.alone);
        drives_begin(&s.drives, &s.tree, world, DT);
        drives_hold(&s.drives, &s.tree, world);
        articulated_solve(&s.tree);
        articulated_forces(&s.tree);
        Velocity *dense = calloc((size_t)world->body_count, sizeof *dense);
        Vec3 *force = calloc((size_t)world->joint_count, sizeof *force);
        dense_accelerations(world, s.alone, dense, force);
        double scale = 0.0, force_scale = 0.0;
        for (int i = 1; i < world->body_count; i++)
            scale = fmax(scale, fmax(vec3_norm(dense[i].v), vec3_norm(dense[i].w)));
        for (int j = 0; j < world->joint_count; j++)
            force_scale = fmax(force_scale, vec3_norm(force[j]));
        for (int i = 0; i < s.tree.link_count; i++) {
            const Link *link = &s.tree.links[i];
            /* The dense matrix of mixed units has a condition near 1e4. */
            assert_vec3_near(vec3(link->A[3], link->A[4], link->A[5]), dense[link->body].v, 1e-11 * scale);
            assert_vec3_near(vec3(link->A[0], link->A[1], link->A[2]), dense[link->body].w, 1e-11 * scale);
            if (link->joint < 0)
                continue;
            double sign = link->reversed ? -1.0 : 1.0;
            assert_vec3_near(vec3_scale(sign, vec3(link->F[3], link->F[4], link->F[5])), force[link->joint],
                             1e-11 * force_scale);
        }
        free(dense);
        free(force);
        setup_end(&s);
    }
}

static void inverse_dynamics_gives_the_applied_torques_back(void **state)
{
    (void)state;
    Random random = {0x1d37};
    for (int trial = 0; trial < 6; trial++) {
        Setup s;
        setup_begin(&s, random_tree(&random, 15, trial % 2 == 0));
        scatter_tree(&s.tree, &s.drives, s.world, &random);
        motion_accelerations(&s.motion, s.world, 0.0, s.alone);
        articulated_load(&s.tree, s.alone);
        for (int i = 0; i < s.tree.link_count; i++)
            for (int k = 0; k < s.tree.links[i].dofs; k++)
                s.tree.links[i].given[k] = random_in(&random, -10, 10);
        articulated_solve(&s.tree);
        articulated_accelerate(&s.tree);
        articulated_forces(&s.tree);
        for (int i = 0; i < s.tree.link_count; i++)
            for (int k = 0; k < s.tree.links[i].dofs; k++)
                /* Forces of a few hundred newton in the tree: round-off of 1e-16 each, 15 links. */
                assert_near(s.tree.links[i].tau[k], s.tree.links[i].given[k], 1e-11);
        setup_end(&s);
    }
}

static void velocities_that_fit_the_joints_are_read_back(void **state)
{
    (void)state;
    Random random = {0xabc1};
    Setup s;
    setup_begin(&s, random_tree(&random, 12, true));
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

static Vec3 tip_after(World *world, const char *options, double dt, int frames, double tip)
{
    drive_run(world, "featherstone", options, dt, frames);
    Vec3 at = world_point(world, world->body_count - 1, vec3(tip, 0, 0));
    world_destroy(world);
    return at;
}

static void integrators_converge_with_their_orders_on_three_rods(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int substeps;
        double ratio;
    } CASES[] = {{"rk4", 4, 16.0}, {"semi_implicit", 512, 2.0}, {"forward", 512, 2.0}};
    char options[64];
    Vec3 exact = tip_after(rod_chain(3, 1.0), "substeps=400", DT, 30, 0.5);
    for (int c = 0; c < 3; c++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            snprintf(options, sizeof options, "integrator=%s substeps=%d", CASES[c].name, CASES[c].substeps << k);
            error[k] = vec3_norm(vec3_sub(tip_after(rod_chain(3, 1.0), options, DT, 30, 0.5), exact));
        }
        /* The next term of the error is a tenth of the first at these steps. */
        assert_near(error[0] / error[1], CASES[c].ratio, 0.12 * CASES[c].ratio);
    }
}

static void double_pendulum_of_particles_meets_its_published_motion(void **state)
{
    (void)state;
    World *world = particle_chain(2, 1.0, 1.0);
    Drive drive;
    drive_begin(&drive, world, "featherstone", "substeps=100");
    static const struct {
        int frames;
        double x, y;
    } AT[] = {{30, 1.473465670, -1.200389435},
              {60, -1.444818850, -1.321794461},
              {120, -1.434124817, -1.129870196},
              {300, -1.550778469, -1.075912735}};
    for (int k = 0, f = 0; k < 4; k++) {
        for (; f < AT[k].frames; f++)
            drive_frame(&drive, DT);
        /* Nine digits are printed; RK4 at 1/6000 s adds 1e-9 in the chaos up to 5 s. */
        assert_vec3_near(world->pose[2].x, vec3(AT[k].x, AT[k].y, 0), 5e-9);
        assert_near(world_energy(world), 0.0, 1e-9);
        assert_near(vec3_norm(vec3_sub(world->pose[2].x, world->pose[1].x)), 1.0, 1e-15); /* no drift */
    }
    drive_end(&drive);
    world_destroy(world);
}

static void chain_of_ten_particles_meets_its_published_motion(void **state)
{
    (void)state;
    World *world = particle_chain(10, 0.1, 0.1);
    Drive drive;
    drive_begin(&drive, world, "featherstone", "substeps=200");
    for (int f = 0; f < 60; f++) {
        drive_frame(&drive, DT);
        if (f == 29)
            assert_vec3_near(world->pose[10].x, vec3(-0.156401511, -0.915683202, 0), 2e-9);
    }
    assert_vec3_near(world->pose[10].x, vec3(-0.913312229, -0.149655141, 0), 2e-8); /* chaos: 1e-9 grows */
    drive_end(&drive);
    world_destroy(world);
}

static void bead_on_a_wire_keeps_time_and_feels_thirty_cosine(void **state)
{
    (void)state;
    World *world = world_create();
    world->gravity = vec3(0, -10, 0);
    BodyDef def = BODY_DEF_INIT;
    def.name = "bead";
    def.position = vec3(0.8, 0, 0);
    def.mass = 1.0;
    int bead = build_body(world, &def);
    JointDef joint = joint_def(JOINT_WIRE, 0, bead);
    joint.axis = vec3(0, 0, 1);
    joint.radius = 0.8;
    joint.anchor[0] = def.position;
    build_joint(world, &joint);
    drive_run(world, "featherstone", "substeps=50", DT, 60);
    Vec3 x = world->pose[bead].x, force, torque;
    assert_near(atan2(x.x, -x.y), -1.555898390, 2e-9); /* nine digits are printed */
    world_reaction(world, 0, DT, &force, &torque);
    /* The frame's mean of 30 cos(theta) towards the centre, against its value at the end: O(dt). */
    double normal = -vec3_dot(force, x) / 0.8;
    assert_near(normal, 30.0 * -x.y / 0.8, 0.5);
    world_destroy(world);
}

static void a_rod_released_level_loads_its_pivot_by_a_quarter(void **state)
{
    (void)state;
    World *world = rod_chain(1, 1.0);
    double weight = 9.81 * world->mass[1].mass;
    Vec3 force, torque;
    drive_run(world, "featherstone", "substeps=1", 1e-6, 1);
    world_reaction(world, 0, 1e-6, &force, &torque);
    assert_vec3_near(force, vec3(0, 0.250468 * weight, 0), 1e-6 * weight); /* six digits, and w^2 r after 1e-6 s */
    assert_vec3_near(torque, VEC3_ZERO, 1e-12);
    assert_near(world->velocity[1].w.z / 1e-6, -1.499063 * 9.81, 1e-5);
    world_destroy(world);
}

static void heavy_top_meets_its_published_motion(void **state)
{
    (void)state;
    World *world = world_create();
    world->gravity = vec3(0, 0, -9.81);
    BodyDef def = BODY_DEF_INIT;
    def.name = "top";
    def.position = vec3(0, 1, 0);
    def.mass = 15.0;
    def.has_inertia = true;
    def.inertia = vec3(0.234375, 0.46875, 0.234375);
    def.angular_velocity = vec3(0, 150, -4.61538);
    def.velocity = vec3_cross(def.angular_velocity, def.position);
    int top = build_body(world, &def);
    JointDef joint = joint_def(JOINT_BALL, 0, top);
    build_joint(world, &joint);
    Drive drive;
    drive_begin(&drive, world, "featherstone", "substeps=100");
    for (int f = 0; f < 100; f++) {
        drive_frame(&drive, 0.01);
        if (f == 9) /* RK4 at 1e-4 s and 150 rad/s: 1e-8 */
            assert_vec3_near(world->pose[top].x, vec3(0.421296659, 0.894571974, -0.149164701), 2e-8);
    }
    assert_vec3_near(world->pose[top].x, vec3(0.173343964, 0.640088592, -0.748490791), 5e-7);
    drive_end(&drive);
    world_destroy(world);
}

/* A rod on a hinge at the origin along z, falling from level to a stop. */
static World *stopped_rod(double stop)
{
    World *world = world_create();
    int rod = add_rod(world, VEC3_ZERO, vec3(1, 0, 0), 0.05);
    JointDef joint = joint_def(JOINT_HINGE, 0, rod);
    joint.axis = vec3(0, 0, 1);
    joint.angle_min = stop;
    joint.angle_max = 2.0;
    build_joint(world, &joint);
    return world;
}

static void a_hinge_limit_stops_without_bounce_and_then_carries(void **state)
{
    (void)state;
    const char *integrators[] = {"integrator=rk4", "integrator=semi_implicit", "integrator=forward"};
    for (int k = 0; k < 3; k++) {
        World *world = stopped_rod(-0.6);
        Drive drive;
        double lowest = 0.0;
        drive_begin(&drive, world, "featherstone", integrators[k]);
        for (int f = 0; f < 60; f++) {
            drive_frame(&drive, DT);
            lowest = fmin(lowest, joint_angle(world, &world->joints[0]));
        }
        assert_near(lowest, -0.6, 1e-12); /* lands on it: the last approach is cut to the gap */
        assert_near(joint_angle(world, &world->joints[0]), -0.6, 1e-12);
        assert_near(world->velocity[1].w.z, 0.0, 1e-12);
        Vec3 force, torque;
        world_reaction(world, 0, DT, &force, &torque);
        double weight = 9.81 * world->mass[1].mass;
        assert_vec3_near(force, vec3(0, weight, 0), 1e-9 * weight);
        assert_vec3_near(torque, vec3(0, 0, 0.5 * cos(0.6) * weight), 1e-9 * weight);
        drive_end(&drive);
        world_destroy(world);
    }
}

static void ball_limits_hold_swing_and_twist(void **state)
{
    (void)state;
    World *world = world_create();
    int rod = add_rod(world, VEC3_ZERO, vec3(0, -1, 0), 0.1);
    world->velocity[rod].w = vec3(2.0, 5.0, 3.0);
    JointDef joint = joint_def(JOINT_BALL, 0, rod);
    joint.axis = vec3(0, -1, 0);
    joint.swing_max = 0.5;
    joint.twist_min = -0.4;
    joint.twist_max = 0.3;
    build_joint(world, &joint);
    Drive drive;
    double swing = 0.0, twist = 0.0;
    drive_begin(&drive, world, "featherstone", "substeps=40");
    for (int f = 0; f < 240; f++) {
        drive_frame(&drive, DT);
        swing = fmax(swing, block_violation(world, &world->blocks[1]));
        twist = fmax(twist, block_violation(world, &world->blocks[2]));
    }
    /* The step that meets a limit at w = 5 rad/s bends by (w h)^2 = 4e-6; later ones take it back. */
    assert_true(swing < 1e-5 && twist < 1e-5);
    assert_int_equal(drive.step.event_count, 0);
    assert_true(world_energy(world) < -0.4 * 9.81 * world->mass[rod].mass);
    drive_end(&drive);
    world_destroy(world);
}

static void a_motor_keeps_its_speed_and_a_weak_one_gives_its_torque(void **state)
{
    (void)state;
    for (int weak = 0; weak < 2; weak++) {
        World *world = world_create();
        world->gravity = VEC3_ZERO;
        int rod = add_rod(world, vec3(-0.5, 0, 0), vec3(0.5, 0, 0), 0.05);
        JointDef joint = joint_def(JOINT_MOTOR, 0, rod);
        joint.axis = vec3(0, 0, 1);
        joint.speed = 3.0;
        if (weak)
            joint.max_torque = 0.2;
        build_joint(world, &joint);
        drive_run(world, "featherstone", "", DT, 30);
        double inertia = world->mass[rod].mass * (1.0 + 0.05 * 0.05) / 12.0;
        Vec3 force, torque;
        world_reaction(world, 0, DT, &force, &torque);
        assert_near(world->velocity[rod].w.z, weak ? 0.2 * 0.5 / inertia : 3.0, 1e-12);
        assert_near(torque.z, weak ? 0.2 : 0.0, 1e-10);
        if (!weak)
            assert_near(joint_angle(world, &world->joints[0]), 3.0 * 0.5, 1e-12);
        world_destroy(world);
    }
}

static void a_servo_from_170_degrees_arrives_and_holds(void **state)
{
    (void)state;
    for (int weak = 0; weak < 2; weak++) {
        World *world = world_create();
        int rod = add_rod(world, VEC3_ZERO, vec3(1, 0, 0), 0.05);
        JointDef joint = joint_def(JOINT_SERVO, 0, rod);
        joint.axis = vec3(0, 0, 1);
        joint.target = 170.0 / 180.0 * PI;
        /* At a torque bound the servo pushes fully either way: only damping makes that come to rest. */
        joint.angular_damping = 4.0;
        if (weak)
            joint.max_torque = 40.0;
        build_joint(world, &joint);
        drive_run(world, "featherstone", "", DT, weak ? 600 : 1);
        assert_near(joint_angle(world, &world->joints[0]), joint.target, 1e-12);
        assert_near(world->velocity[1].w.z, 0.0, 1e-9);
        world_destroy(world);
    }
}

static void reactions_are_those_of_the_multipliers_while_a_chain_swings(void **state)
{
    (void)state;
    Random random = {0x99};
    World *world = random_tree(&random, 9, true);
    Setup s;
    double h = 1e-3;
    setup_begin(&s, world);
    scatter_tree(&s.tree, &s.drives, world, &random);
    Velocity *dense = calloc((size_t)world->body_count, sizeof *dense);
    Vec3 *force = calloc((size_t)world->joint_count, sizeof *force);
    motion_accelerations(&s.motion, world, 0.0, s.alone);
    dense_accelerations(world, s.alone, dense, force);
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

static void energy_is_conserved_as_the_step_shrinks(void **state)
{
    (void)state;
    double before = 0.0;
    for (int k = 0; k < 3; k++) {
        World *world = rod_chain(5, 0.4);
        char options[32];
        double start = world_energy(world), worst = 0.0;
        snprintf(options, sizeof options, "substeps=%d", 8 << k);
        Drive drive;
        drive_begin(&drive, world, "featherstone", options);
        for (int f = 0; f < 40; f++) {
            drive_frame(&drive, DT);
            worst = fmax(worst, fabs(world_energy(world) - start));
        }
        drive_end(&drive);
        world_destroy(world);
        assert_true(k == 0 || worst < before / 12.0); /* fourth order: 16 */
        before = worst;
    }
}

static void a_floating_tree_keeps_momentum_even_of_velocities_that_break_its_joints(void **state)
{
    (void)state;
    Random random = {0xf00d};
    World *world = world_create();
    world->gravity = VEC3_ZERO;
    for (int i = 0; i < 6; i++) {
        int body = build_random_box(world, &random, "box");
        if (i == 0)
            continue;
        JointDef joint = joint_def(i % 2 ? JOINT_BALL : JOINT_HINGE, body - 1, body);
        joint.anchor[0] = random_vec3(&random, 1.0);
        joint.axis = random_unit(&random);
        build_joint(world, &joint);
    }
    Vec3 momentum = world_momentum(world), angular = world_angular_momentum(world);
    double scale = world_angular_momentum_scale(world);
    drive_run(world, "featherstone", "substeps=20", DT, 30);
    assert_vec3_near(world_momentum(world), momentum, 1e-12 * scale);
    assert_vec3_near(world_angular_momentum(world), angular, 1e-7 * scale); /* RK4's error at this step */
    world_destroy(world);
}

static void what_it_cannot_do_is_refused_by_name(void **state)
{
    (void)state;
    Status status;
    World *world = rod_chain(3, 1.0);
    JointDef joint = joint_def(JOINT_BALL, 0, 3);
    joint.anchor[0] = vec3(3, 0, 0);
    build_joint(world, &joint);
    assert_false(solver_supports(drive_find("featherstone"), world, &status));
    assert_non_null(strstr(status.message, "loops"));
    world_destroy(world);

    world = particle_chain(1, 1.0, 1.0);
    world->blocks[0].one_sided = true;
    CommonOptions options = {1, 1, INTEGRATE_RK4, GYROSCOPIC_EXPLICIT};
    assert_null(drive_find("featherstone")->create(world, &options, &status));
    assert_non_null(strstr(status.message, "rope"));
    world_destroy(world);
}

static void a_removed_body_lets_the_rest_fall(void **state)
{
    (void)state;
    World *world = particle_chain(3, 0.5, 1.0);
    Drive drive;
    drive_begin(&drive, world, "featherstone", "");
    for (int f = 0; f < 5; f++)
        drive_frame(&drive, DT);
    world_remove_body(world, 1);
    Vec3 x = vec3_scale(0.5, vec3_add(world->pose[2].x, world->pose[3].x));
    Vec3 v = vec3_scale(0.5, vec3_add(world->velocity[2].v, world->velocity[3].v));
    for (int f = 0; f < 30; f++)
        drive_frame(&drive, DT);
    Vec3 end = vec3_scale(0.5, vec3_add(world->pose[2].x, world->pose[3].x));
    Vec3 parabola = vec3_add_scaled(vec3_add_scaled(x, 0.5, v), 0.125, world->gravity);
    assert_vec3_near(end, parabola, 1e-9); /* RK4 is exact on the parabola, not on the pair's turning */
    drive_end(&drive);
    world_destroy(world);
}

static void work_grows_with_the_number_of_links(void **state)
{
    (void)state;
    long long solves[2];
    for (int k = 0; k < 2; k++) {
        World *world = rod_chain(k == 0 ? 10 : 1000, 0.2);
        Drive drive;
        drive_begin(&drive, world, "featherstone", "substeps=1");
        drive_frame(&drive, 1e-3);
        solves[k] = drive.step.row_solves;
        drive_end(&drive);
        world_destroy(world);
    }
    assert_int_equal(solves[0], 4 * 3 * 10); /* RK4: four evaluations, three coordinates a link */
    assert_int_equal(solves[1], 100 * solves[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations_and_forces_equal_dense_multipliers_on_random_trees),
        cmocka_unit_test(inverse_dynamics_gives_the_applied_torques_back),
        cmocka_unit_test(velocities_that_fit_the_joints_are_read_back),
        cmocka_unit_test(integrators_converge_with_their_orders_on_three_rods),
        cmocka_unit_test(double_pendulum_of_particles_meets_its_published_motion),
        cmocka_unit_test(chain_of_ten_particles_meets_its_published_motion),
        cmocka_unit_test(bead_on_a_wire_keeps_time_and_feels_thirty_cosine),
        cmocka_unit_test(a_rod_released_level_loads_its_pivot_by_a_quarter),
        cmocka_unit_test(heavy_top_meets_its_published_motion),
        cmocka_unit_test(a_hinge_limit_stops_without_bounce_and_then_carries),
        cmocka_unit_test(ball_limits_hold_swing_and_twist),
        cmocka_unit_test(a_motor_keeps_its_speed_and_a_weak_one_gives_its_torque),
        cmocka_unit_test(a_servo_from_170_degrees_arrives_and_holds),
        cmocka_unit_test(reactions_are_those_of_the_multipliers_while_a_chain_swings),
        cmocka_unit_test(energy_is_conserved_as_the_step_shrinks),
        cmocka_unit_test(a_floating_tree_keeps_momentum_even_of_velocities_that_break_its_joints),
        cmocka_unit_test(what_it_cannot_do_is_refused_by_name),
        cmocka_unit_test(a_removed_body_lets_the_rest_fall),
        cmocka_unit_test(work_grows_with_the_number_of_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
