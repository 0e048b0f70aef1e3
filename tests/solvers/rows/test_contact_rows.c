/* Contacts at velocity level: bounds of friction, bias of overlaps and gaps, the cache that survives a turned basis. */
#include "solvers/rows/contact_rows.h"
#include "tests/solvers/contact_worlds.h"

#include <string.h>

static const double DT = 1.0 / 60.0;

/* Speed down the slope after half a second. */
static double slope_speed(double angle, double mu, const char *options)
{
    World *world = block_on_slope(angle, mu);
    drive_run(world, "pgs", options, DT, 30);
    double speed = vec3_dot(world->velocity[2].v, vec3(cos(angle), -sin(angle), 0));
    world_destroy(world);
    return speed;
}

/* mu m g is no bound on a slope: it slips at sin(angle) = mu, not at tan (erratum 4). */
static void the_box_bound_holds_at_40_degrees_where_the_cone_slips(void **state)
{
    (void)state;
    double angle = 40.0 * PI / 180.0, g = 9.81;
    assert_near(slope_speed(angle, 0.7, "friction=box"), 0.0, 1e-9);
    double a = g * (sin(angle) - 0.7 * cos(angle)); /* 1.0456 m/s^2 */
    assert_near(slope_speed(angle, 0.7, "friction=cone"), 0.5 * a, 1e-6);
    assert_near(slope_speed(angle, 0.7, "friction=pyramid"), 0.5 * a, 1e-6);
    /* and beyond sin = mu it slips with g (sin - mu) */
    assert_near(slope_speed(50.0 * PI / 180.0, 0.7, "friction=box"), 0.5 * g * (sin(50.0 * PI / 180.0) - 0.7), 1e-6);
}

static RowSetup warm_setup(void)
{
    return (RowSetup){.h = DT, .relaxation = 1.0, .keep = 1.0, .push_speed = INFINITY, .slop = 0.005};
}

/* The cached impulse is a vector in the world: the rows' basis is not part of it (erratum 5). */
static void warm_start_is_unchanged_when_the_tangents_turn(void **state)
{
    (void)state;
    Random random = {0xba515};
    World *world = block_on_slope(0.35, 0.6);
    Drive drive;
    drive_begin(&drive, world, "pgs", "");
    for (int f = 0; f < 5; f++)
        drive_frame(&drive, DT);
    RowSystem system;
    assert_true(row_system_init(&system, world));
    RowSetup setup = warm_setup();
    Velocity first = {0};
    for (int k = 0; k < 6; k++) {
        Velocity velocity[3] = {0};
        row_system_prepare(&system, world, &setup);
        row_system_apply(&system, velocity);
        if (k == 0)
            first = velocity[2];
        assert_true(vec3_norm(first.v) > 0.1); /* 9.81/60: it carries the block */
        assert_vec3_near(velocity[2].v, first.v, 1e-15);
        assert_vec3_near(velocity[2].w, first.w, 1e-14); /* times 0.5 m over 0.08 m^2 */
        for (int b = 0; b < world->block_count; b += 2) {
            Vec3 n = contact_impulse(world);
            Quat turn = quat_axis_angle(vec3_unit(n), random_in(&random, 0.3, 1.5));
            for (int i = 0; i < 2; i++)
                world->blocks[b + i].normal[1] = quat_rotate(turn, world->blocks[b + i].normal[1]);
        }
    }
    row_system_free(&system);
    drive_end(&drive);
    world_destroy(world);
}

static double overlap_after_one_step(double overlap, const char *options)
{
    World *world = contact_world(0.0, 0.0);
    world->gravity = VEC3_ZERO;
    add_plane(world, vec3(0, 1, 0));
    BodyDef ball = sphere_def("ball", 0.3, vec3(0, 0.3 - overlap, 0));
    build_body(world, &ball);
    drive_run(world, "pgs", options, DT, 1);
    double C = world->pose[2].x.y - 0.3;
    world_destroy(world);
    return C;
}

/* C+ = (1 - beta) C, our beta being the lecture's times dt: beyond 1 it overshoots, beyond 2 by more than it was
 * (erratum 6). */
static void baumgarte_leaves_one_minus_beta_of_an_overlap(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        double beta;
    } CASES[] = {{"beta=0.5 slop=0 push_speed=1e6", 0.5},
                 {"beta=1 slop=0 push_speed=1e6", 1.0},
                 {"beta=1.5 slop=0 push_speed=1e6", 1.5},
                 {"beta=2.1 slop=0 push_speed=1e6", 2.1}};
    for (int i = 0; i < 4; i++) {
        double C = overlap_after_one_step(0.017, CASES[i].options);
        assert_near(C, -(1.0 - CASES[i].beta) * 0.017, 1e-15);
        assert_true((fabs(C) > 0.017) == (CASES[i].beta > 2.0));
    }
}

static void overlap_within_the_slop_stays_and_the_push_is_bounded(void **state)
{
    (void)state;
    assert_near(overlap_after_one_step(0.004, "slop=0.005"), -0.004, 1e-16);
    /* beta (0.011 - 0.005) of the overlap beyond the slop */
    assert_near(overlap_after_one_step(0.011, "slop=0.005 beta=0.3"), -0.011 + 0.3 * 0.006, 1e-15);
    static const char *const BOUNDED[] = {"push_speed=0.7 beta=1 slop=0", "push_speed=0.7 beta=1 slop=0 position=split",
                                          "push_speed=0.7 slop=0 position=ngs position_iterations=1"};
    for (int i = 0; i < 3; i++)
        assert_near(overlap_after_one_step(0.2, BOUNDED[i]), -0.2 + 0.7 * DT, 1e-15);
}

/* A flat block slides and spins on the ground with random velocities. */
static World *sliding_block(Random *random, double mu)
{
    World *world = contact_world(mu, 0.0);
    add_plane(world, vec3(0, 1, 0));
    BodyDef block = box_def("block", vec3(0.9, 0.1, 0.7), vec3(0, 0.05, 0));
    block.velocity = vec3(random_in(random, -3, 3), 0, random_in(random, -3, 3));
    block.angular_velocity = vec3(0, random_in(random, -1, 1), 0);
    build_body(world, &block);
    return world;
}

/* |f| <= mu N at every point, equal and against the slip where it slides (erratum 18). */
static void sliding_points_rub_with_mu_times_load_against_the_slip(void **state)
{
    (void)state;
    const double mu = 0.37;
    for (int k = 0; k < 20; k++) {
        Random random = {(uint64_t)(50 + k)};
        World *world = sliding_block(&random, mu);
        drive_run(world, "pgs", "iterations=200", DT / 10, 2);
        int slides = 0;
        for (int b = 0; b < world->block_count; b += 2) {
            PointImpulse p = point_impulse(world, b);
            BlockError e;
            block_error(world, &world->blocks[b], &e);
            Vec3 slip = world_point_velocity(world, 2, e.arm2);
            slip.y = 0.0;
            assert_true(vec3_norm(p.tangent) <= mu * p.normal * (1 + 1e-12));
            if (vec3_norm(slip) < 0.05 || p.normal < 1e-3)
                continue;
            slides++;
            assert_near(vec3_norm(p.tangent), mu * p.normal, 1e-9 * p.normal);
            /* the slip has turned by what the block moved since the rows were made: |w| h = 1.7e-3 */
            assert_near(vec3_dot(p.tangent, slip), -vec3_norm(p.tangent) * vec3_norm(slip),
                        1e-4 * vec3_norm(p.tangent) * vec3_norm(slip));
        }
        assert_true(slides > 0);
        world_destroy(world);
    }
}

/* What an impulse p at the rod's contact point changes of that point's velocity. */
static Vec3 rod_response(const World *world, int rod, Vec3 arm, Vec3 p)
{
    Vec3 spin = world_inv_inertia_mul(world, rod, vec3_cross(arm, p));
    return vec3_add(vec3_scale(world->mass[rod].inv_mass, p), vec3_cross(spin, arm));
}

/* One sweep of pgs over one point: the normal first, to its end; then both tangents with one step, that of their
 * largest eigenvalue, and back to the disc. The rod's two tangents weigh differently: solved by themselves or together
 * they would not push straight against the slip. */
static void a_sweep_of_pgs_takes_the_normal_then_one_step_of_both_tangents(void **state)
{
    (void)state;
    static const double MU[] = {50.0, 0.1}; /* far from the bound, and at it */
    const double h = 1e-7;                  /* s: no arm moves */
    for (int k = 0; k < 2; k++) {
        World *world = falling_rod();
        int rod = 2;
        world->materials[0].friction = MU[k];
        world->velocity[rod].v = vec3(2, -1, 3);
        drive_run(world, "pgs", "iterations=1", h, 1);
        PointImpulse p = point_impulse(world, world->joint_block_count);
        BlockError e;
        block_error(world, &world->blocks[world->joint_block_count], &e);
        Vec3 arm = e.arm2, x = rod_response(world, rod, arm, vec3(1, 0, 0)),
             z = rod_response(world, rod, arm, vec3(0, 0, 1)), y = rod_response(world, rod, arm, vec3(0, 1, 0));
        double half = 0.5 * (x.x - z.z), largest = 0.5 * (x.x + z.z) + sqrt(half * half + x.z * x.z);
        assert_true(fabs(half) > 0.1 * largest);
        assert_near(p.normal, 1.0 / y.y, 1e-6);
        Vec3 slip = vec3_add_scaled(vec3(2, 0, 3), p.normal, vec3(y.x, 0, y.z));
        Vec3 expected = vec3_scale(-1.0 / largest, slip);
        double size = vec3_norm(expected), bound = MU[k] * p.normal;
        assert_true(k == 0 ? size < bound : size > bound);
        expected = vec3_scale(fmin(1.0, bound / size), expected);
        assert_vec3_near(p.tangent, expected, 1e-5); /* the rod's end is round: the arm's 1 mm */
        world_destroy(world);
    }
}

/* Velocities, multipliers and residual after some sweeps of a block that slides and spins. */
typedef struct Swept {
    Velocity velocity[3];
    double lambda[3 * MANIFOLD_MAX], residual;
} Swept;

static Swept sweep_sliding_block(double mu, const RowSetup *setup, bool unpack)
{
    Random random = {0x5eeb7};
    World *world = sliding_block(&random, mu);
    Drive drive;
    drive_begin(&drive, world, "pgs_block", "");
    drive_frame(&drive, DT);
    RowSystem system;
    assert_true(row_system_init(&system, world));
    world->velocity[2].v.y -= 0.3;
    row_system_prepare(&system, world, setup);
    if (unpack)
        row_system_unpack(&system);
    Swept swept = {0};
    row_system_apply(&system, world->velocity);
    for (int i = 0; i < 3; i++)
        assert_int_equal(row_system_sweep(&system, world->velocity, NULL), mu > 0.0 ? 12 : 4);
    const double *lambda;
    int rows = row_system_multipliers(&system, &lambda);
    memcpy(swept.lambda, lambda, sizeof *lambda * (size_t)rows);
    memcpy(swept.velocity, world->velocity, sizeof swept.velocity);
    swept.residual = row_system_residual(&system, world->velocity);
    assert_true(lambda[0] > 0.0 && swept.residual > 0.0);
    row_system_free(&system);
    drive_end(&drive);
    world_destroy(world);
    return swept;
}

static void packed_rows_do_what_their_blocks_do_to_the_bit(void **state)
{
    (void)state;
    static const double MU[] = {0.0, 0.37};
    for (int k = 0; k < 4; k++) {
        RowSetup setup = warm_setup();
        setup.manifold = k >= 2;
        Swept blocks = sweep_sliding_block(MU[k % 2], &setup, false);
        setup.sweeps_only = true;
        Swept packed = sweep_sliding_block(MU[k % 2], &setup, false);
        assert_memory_equal(&packed, &blocks, sizeof packed);
        setup.sweeps_only = false;
        /* Without friction and manifolds a point is one bounded row, which blocks can sweep too. */
        Swept unpacked = k == 0 ? sweep_sliding_block(0.0, &setup, true) : blocks;
        assert_memory_equal(&unpacked, &blocks, sizeof unpacked);
    }
}

/* One sweep as pgs makes it, written out: of each point the normal, then both tangents by one step, the inverse of the
 * larger eigenvalue of their 2 x 2 matrix, and back to the disc mu lambda_n. */
static void sweep_point_by_point(const RowSystem *system, Velocity *velocity, double mu, double *lambda)
{
    for (int b = 0; b < system->count; b++) {
        const RowBlock *rb = &system->blocks[b];
        double r[BLOCK_MAX_ROWS], d[BLOCK_MAX_ROWS] = {0}, *own = lambda + BLOCK_MAX_ROWS * b;
        if (rb->count == 0)
            continue;
        row_block_rates(rb, velocity, r);
        d[0] = fmax(own[0] - (r[0] + rb->bias[0]) / rb->A[0][0], 0.0) - own[0];
        own[0] += d[0];
        row_block_push(rb, d, velocity);
        row_block_rates(rb, velocity, r);
        double half = 0.5 * (rb->A[1][1] - rb->A[2][2]);
        double largest = 0.5 * (rb->A[1][1] + rb->A[2][2]) + hypot(half, rb->A[1][2]);
        double u = own[1] - r[1] / largest, v = own[2] - r[2] / largest;
        double scale = fmin(1.0, mu * own[0] / hypot(u, v));
        double change[BLOCK_MAX_ROWS] = {0.0, scale * u - own[1], scale * v - own[2]};
        own[1] = scale * u;
        own[2] = scale * v;
        row_block_push(rb, change, velocity);
    }
}

static void a_points_tangents_take_one_step_back_to_the_disc(void **state)
{
    (void)state;
    const double mu = 0.37;
    for (int k = 0; k < 20; k++) {
        Random random = {(uint64_t)(700 + k)};
        World *world = sliding_block(&random, k % 2 ? mu : 5.0);
        world->velocity[2].v.y = -0.3;
        assert_true(contacts_detect(world) && contacts_add_blocks(world));
        RowSystem system;
        assert_true(row_system_init(&system, world));
        RowSetup setup = warm_setup();
        setup.friction = FRICTION_DISC;
        row_system_prepare(&system, world, &setup);
        Velocity swept[3] = {0}, expected[3] = {0};
        swept[2] = expected[2] = world->velocity[2];
        double lambda[BLOCK_MAX_ROWS * 2 * MANIFOLD_MAX] = {0};
        for (int sweep = 0; sweep < 3; sweep++) {
            sweep_point_by_point(&system, expected, k % 2 ? mu : 5.0, lambda);
            row_system_sweep(&system, swept, NULL);
        }
        assert_vec3_near(swept[2].v, expected[2].v, 1e-13);
        assert_vec3_near(swept[2].w, expected[2].w, 1e-12); /* times 0.5 m over 0.08 m^2 */
        for (int b = 0; b < system.count; b++)
            for (int i = 0; i < system.blocks[b].count; i++)
                assert_near(system.blocks[b].lambda[i], lambda[BLOCK_MAX_ROWS * b + i], 1e-11); /* 63 kg at 1 m/s */
        row_system_free(&system);
        world_destroy(world);
    }
}

/* (f / mu N)^2 + (m / m_max)^2 <= 1 with m_max = 2/3 mu N R; a ball that only spins is braked with m_max itself. */
static void a_patch_brakes_spin_with_two_thirds_mu_n_r(void **state)
{
    (void)state;
    const double mu = 0.3, R = 0.08, h = DT / 10;
    for (int k = 0; k < 12; k++) {
        Random random = {(uint64_t)(9 + k)};
        World *world = contact_world(mu, 0.0);
        world->materials[0].patch_radius = R;
        add_plane(world, vec3(0, 1, 0));
        BodyDef ball = sphere_def("ball", 0.1, vec3(0, 0.1, 0));
        ball.angular_velocity = vec3(0, random_in(&random, 20, 50), 0);
        ball.velocity = k % 2 ? vec3(random_in(&random, 1, 4), 0, random_in(&random, 1, 4)) : VEC3_ZERO;
        build_body(world, &ball);
        drive_run(world, "pgs", "iterations=100", h, 2);
        PointImpulse p = point_impulse(world, 0);
        double f = vec3_norm(p.tangent) / (mu * p.normal);
        double m = vec3_norm(world->block_impulse[2]) / (2.0 / 3.0 * mu * p.normal * R);
        assert_near(p.normal, world->mass[2].mass * 9.81 * h, 1e-9);
        assert_near(f * f + m * m, 1.0, 1e-9); /* it slides or spins: on the ellipsoid */
        if (k % 2 == 0)
            assert_near(m, 1.0, 1e-12);
        world_destroy(world);
    }
}

/* Pressed in by d, and left there, a ball of radius r loses 5/2 (2/3 mu g sqrt(2 r d)) / r^2 of its spin a second. */
static void a_patch_from_overlap_brakes_spin_by_the_circle_of_the_overlap(void **state)
{
    (void)state;
    const double mu = 0.3, r = 0.1, d = 2e-4, time = 0.2;
    World *world = contact_world(mu, 0.0);
    world->materials[0].patch_radius = NAN;
    add_plane(world, vec3(0, 1, 0));
    BodyDef ball = sphere_def("ball", r, vec3(0, r - d, 0));
    ball.angular_velocity = vec3(0, 40, 0);
    build_body(world, &ball);
    drive_run(world, "pgs", "position=none iterations=50", DT, 12);
    double slowed = time * 2.5 * (2.0 / 3.0) * mu * 9.81 * sqrt(2 * r * d) / (r * r);
    assert_true(slowed > 0.5);
    assert_near(world->velocity[2].w.y, 40 - slowed, 1e-9);
    world_destroy(world);
}

static void slow_impacts_do_not_bounce(void **state)
{
    (void)state;
    static const double SPEED[] = {0.29, 0.31};
    for (int i = 0; i < 2; i++) {
        World *world = contact_world(0.0, 0.8);
        world->gravity = VEC3_ZERO;
        add_plane(world, vec3(0, 1, 0));
        BodyDef ball = sphere_def("ball", 0.3, vec3(0, 0.3, 0));
        ball.velocity = vec3(0, -SPEED[i], 0);
        build_body(world, &ball);
        drive_run(world, "pgs", "restitution_threshold=0.3", DT, 1);
        assert_near(world->velocity[2].v.y, i ? 0.8 * 0.31 : 0.0, 1e-15);
        world_destroy(world);
    }
}

/* A stack's lowest box carries all: pgs with few iterations can only because it starts from the last substep's. */
/* Restitution is asked of the velocity, not of the position: relaxing leaves it. */
static void relaxing_leaves_a_bounce_and_takes_a_push_back(void **state)
{
    (void)state;
    for (int deep = 0; deep < 2; deep++) {
        World *world = contact_world(0.3, deep ? 0.0 : 0.6);
        world->gravity = VEC3_ZERO;
        add_plane(world, vec3(0, 1, 0));
        BodyDef ball = sphere_def("ball", 0.2, vec3(0, deep ? 0.15 : 0.2001, 0));
        ball.velocity = vec3(0, deep ? 0.0 : -1.3, 0);
        int body = build_body(world, &ball);
        drive_run(world, "pgs", "relax=3", DT, 1);
        assert_near(world->velocity[body].v.y, deep ? 0.0 : 0.6 * 1.3, 1e-14);
        /* the overlap beyond the slop, taken back by beta */
        if (deep)
            assert_near(world->pose[body].x.y, 0.15 + 0.2 * (0.05 - 0.005), 1e-14);
        world_destroy(world);
    }
}

static void warm_starting_carries_a_stack_that_a_cold_start_lets_sink(void **state)
{
    (void)state;
    double deepest[2];
    for (int warm = 0; warm < 2; warm++) {
        World *world = contact_world(0.5, 0.0);
        add_plane(world, vec3(0, 1, 0));
        for (int i = 0; i < 8; i++) {
            char name[2] = {(char)('a' + i), 0};
            BodyDef box = box_def(name, vec3(1, 1, 1), vec3(0, i + 0.5, 0));
            build_body(world, &box);
        }
        drive_run(world, "pgs", warm ? "iterations=5" : "iterations=5 warm_start=false", DT, 120);
        deepest[warm] = 0.0;
        for (int i = 0; i < 8; i++)
            deepest[warm] = fmax(deepest[warm], i + 0.5 - world->pose[2 + i].x.y);
        world_destroy(world);
    }
    assert_true(deepest[1] < 0.02); /* 8 overlaps of no more than the slop, 5 mm, and what the start took */
    assert_true(deepest[0] > 3.0 * deepest[1]);
}

/* A disc that slides and spins on a patch, or rests on it. */
static World *disc_on_patch(Random *random, double speed)
{
    World *world = contact_world(0.3, 0.0);
    world->materials[0].patch_radius = 0.1;
    add_plane(world, vec3(0, 1, 0));
    BodyDef disc = box_def("disc", vec3(0.2, 0.04, 0.2), vec3(0, 0.02, 0));
    disc.velocity = vec3(speed * random_in(random, -1, 1), 0, speed * random_in(random, -1, 1));
    disc.angular_velocity = vec3(0, 10.0 * speed * random_in(random, -1, 1), 0);
    build_body(world, &disc);
    return world;
}

/* Sliding, a patch's torque is at the ellipsoid's bound and its spin is not zero: that is no error. A torque that is
 * off is one, of as much as it would change the spin. */
static void a_patch_that_slides_or_sticks_has_no_residual_when_solved(void **state)
{
    (void)state;
    Random random = {0xe111};
    for (int k = 0; k < 12; k++) {
        World *world = disc_on_patch(&random, k % 2 ? 1.5 : 0.0);
        Drive drive;
        drive_begin(&drive, world, "pgs", "iterations=2000");
        for (int f = 0; f < 2; f++)
            drive_frame(&drive, DT);
        assert_true(drive.phases[0].residual(drive.self, &drive.step) < 1e-12);
        world->velocity[2].w.y += 0.3 + world->velocity[2].w.y;
        assert_true(drive.phases[0].residual(drive.self, &drive.step) > 1e-3);
        drive_end(&drive);
        world_destroy(world);
    }
}

/* Points that rub against each other use up the bound: in pure spin their forces add up to nothing. */
static void the_friction_of_a_patch_is_bounded_point_by_point(void **state)
{
    (void)state;
    Random random = {0x5b1};
    const double mu = 0.3, arm = 2.0 / 3.0 * 0.1;
    for (int k = 0; k < 10; k++) {
        World *world = disc_on_patch(&random, 0.0);
        world->velocity[2].w.y = random_in(&random, 5.0, 20.0);
        drive_run(world, "pgs", "iterations=200", DT, 2);
        double rubs = 0.0, load = 0.0, torque = 0.0;
        for (int b = 0; b < world->block_count; b++) {
            double size = vec3_norm(world->block_impulse[b]);
            BlockKind kind = world->blocks[b].kind;
            load += kind == BLOCK_CONTACT ? size : 0.0;
            rubs += kind == BLOCK_FRICTION ? size : 0.0;
            torque += kind == BLOCK_TORSION ? size : 0.0;
        }
        assert_true(torque > 0.1 * arm * mu * load && rubs > 0.1 * mu * load);
        assert_near(hypot(rubs, torque / arm), mu * load, 1e-9 * load);
        world_destroy(world);
    }
}

/* A normal that has turned may leave a cached impulse that pulls. */
static void a_cached_impulse_that_pulls_begins_at_zero(void **state)
{
    (void)state;
    World *world = block_on_slope(0.2, 0.5);
    Drive drive;
    drive_begin(&drive, world, "pgs_block", "");
    drive_frame(&drive, DT);
    RowSystem system;
    RowSetup setup = warm_setup();
    assert_true(row_system_init(&system, world));
    for (int b = 0; b < world->block_count; b += 2)
        world->block_impulse[b] = vec3_negate(world->block_impulse[b]);
    row_system_prepare(&system, world, &setup);
    for (int b = 0; b < world->block_count; b += 2)
        assert_true(system.blocks[b].lambda[0] == 0.0);
    row_system_free(&system);
    drive_end(&drive);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_patch_that_slides_or_sticks_has_no_residual_when_solved),
        cmocka_unit_test(the_friction_of_a_patch_is_bounded_point_by_point),
        cmocka_unit_test(a_cached_impulse_that_pulls_begins_at_zero),
        cmocka_unit_test(the_box_bound_holds_at_40_degrees_where_the_cone_slips),
        cmocka_unit_test(warm_start_is_unchanged_when_the_tangents_turn),
        cmocka_unit_test(baumgarte_leaves_one_minus_beta_of_an_overlap),
        cmocka_unit_test(overlap_within_the_slop_stays_and_the_push_is_bounded),
        cmocka_unit_test(sliding_points_rub_with_mu_times_load_against_the_slip),
        cmocka_unit_test(a_sweep_of_pgs_takes_the_normal_then_one_step_of_both_tangents),
        cmocka_unit_test(packed_rows_do_what_their_blocks_do_to_the_bit),
        cmocka_unit_test(a_points_tangents_take_one_step_back_to_the_disc),
        cmocka_unit_test(a_patch_brakes_spin_with_two_thirds_mu_n_r),
        cmocka_unit_test(a_patch_from_overlap_brakes_spin_by_the_circle_of_the_overlap),
        cmocka_unit_test(slow_impacts_do_not_bounce),
        cmocka_unit_test(relaxing_leaves_a_bounce_and_takes_a_push_back),
        cmocka_unit_test(warm_starting_carries_a_stack_that_a_cold_start_lets_sink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
