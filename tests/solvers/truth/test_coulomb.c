/* SPDX-License-Identifier: MIT */
/* `reference` with friction, by modes of contact, against closed forms: sticks, slides, rolls, tips, leaves, lands; and
 * where Coulomb's law allows no motion, or several. */
#include "model/energy.h"
#include "solvers/truth/coulomb.h"
#include "solvers/truth/impact_orders.h"
#include "tests/solvers/worlds.h"

#include <string.h>

#define G 9.81

static World *rough_world(double mu, double restitution)
{
    World *world = world_create();
    world->materials[0].friction = mu;
    world->materials[0].restitution = restitution;
    world->collide = true;
    return world;
}

static int add_shape(World *world, Shape shape, double mass, Vec3 position, Quat orientation)
{
    BodyDef def = BODY_DEF_INIT;
    def.name = "body";
    def.shape = shape;
    def.mass = mass;
    def.position = position;
    def.orientation = orientation;
    return build_body(world, &def);
}

static Shape box_shape(double x, double y, double z)
{
    return (Shape){.kind = SHAPE_BOX, .size = vec3(x, y, z)};
}

static void set_velocity(World *world, int body, Vec3 v, Vec3 w)
{
    world->velocity[body] = (Velocity){v, w};
}

/* Frames of about 1/60 s to this time; how often `event` was reported; -1: the step failed. */
static int run_watched(World *world, double time, const char *event)
{
    Drive drive;
    int frames = (int)ceil(time * 60 - 1e-9), met = 0;
    drive_begin(&drive, world, "reference", "");
    drive.dt = drive.step.h = time / frames;
    for (int f = 0; f < frames && !drive.step.failed; f++)
        stepper_frame(&drive, false);
    for (int i = 0; i < drive.step.event_count; i++)
        met += event && strcmp(drive.step.events[i].what, event) == 0;
    if (drive.step.failed)
        met = -1;
    drive_end(&drive);
    return met;
}

static void run_to(World *world, double time)
{
    int frames = (int)ceil(time * 60 - 1e-9);
    drive_run(world, "reference", "", time / frames, frames);
}

/* Of a slope that falls towards `down` by `angle`, its normal and its steepest line. */
static void slope(double angle, double bearing, Vec3 *normal, Vec3 *line)
{
    Vec3 level = vec3(cos(bearing), 0, sin(bearing));
    *normal = vec3_add_scaled(vec3_scale(cos(angle), vec3(0, 1, 0)), sin(angle), level);
    *line = vec3_add_scaled(vec3_scale(-sin(angle), vec3(0, 1, 0)), cos(angle), level);
}

/* Across the cone and beside it, whatever the slope's bearing and the box's heading. */
static void a_block_on_a_slope_sticks_or_slides(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        double angle = 0.37, mu = i < 3 ? 0.31 : 0.39, bearing = 0.7 * i;
        World *world = rough_world(mu, 0.0);
        Vec3 normal, line;
        slope(angle, bearing, &normal, &line);
        Quat lean = quat_axis_angle(vec3(sin(bearing), 0, -cos(bearing)), angle);
        Quat turned = quat_mul(lean, quat_axis_angle(vec3(0, 1, 0), 0.23 + i));
        build_plane(world, normal, 0.0);
        int box = add_shape(world, box_shape(0.9, 0.22, 0.61), 3.1, vec3_scale(0.11, normal), turned);
        run_to(world, 0.83);
        double a = fmax(0.0, G * (sin(angle) - mu * cos(angle)));
        Vec3 there = vec3_add_scaled(vec3_scale(0.11, normal), 0.5 * a * 0.83 * 0.83, line);
        assert_vec3_near(world->pose[box].x, there, 1e-12);
        assert_near(vec3_norm(world->velocity[box].w), 0.0, 1e-12);
        world_destroy(world);
    }
}

/* A block that slides up a slope stops there, or comes back with what friction leaves. */
static void a_slip_stops_or_turns_back(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        double angle = 0.4, mu = i ? 0.2 : 0.6, v0 = 2.3, t = 1.1;
        World *world = rough_world(mu, 0.0);
        Vec3 normal, line;
        slope(angle, 0.0, &normal, &line);
        build_plane(world, normal, 0.0);
        int box = add_shape(world, box_shape(0.8, 0.2, 0.5), 2.0, vec3_scale(0.1, normal),
                            quat_axis_angle(vec3(0, 0, -1), angle));
        set_velocity(world, box, vec3_scale(-v0, line), VEC3_ZERO);
        run_to(world, t);
        double up = G * (sin(angle) + mu * cos(angle)), down = fmax(0.0, G * (sin(angle) - mu * cos(angle)));
        double stops = v0 / up, s = -0.5 * v0 * stops + 0.5 * down * (t - stops) * (t - stops);
        assert_vec3_near(world->pose[box].x, vec3_add_scaled(vec3_scale(0.1, normal), s, line), 1e-12);
        world_destroy(world);
    }
}

/* The billiard masse: the slip keeps its direction, and so the centre goes along a parabola, then rolls straight. */
static void a_ball_slides_along_a_parabola_and_rolls(void **state)
{
    (void)state;
    double r = 0.13, mu = 0.17;
    World *world = rough_world(mu, 0.0);
    build_plane(world, vec3(0, 1, 0), 0.0);
    int ball = add_shape(world, (Shape){.kind = SHAPE_SPHERE, .radius = r}, 1.7, vec3(0, r, 0), QUAT_IDENTITY);
    Vec3 v0 = vec3(2.1, 0, -0.4), w0 = vec3(13, 5, 21);
    Vec3 slip = vec3_add(v0, vec3_cross(w0, vec3(0, -r, 0)));
    double rolls = 2.0 * vec3_norm(slip) / (7.0 * mu * G), t = rolls + 0.4;
    set_velocity(world, ball, v0, w0);
    run_to(world, t);
    Vec3 a = vec3_scale(-mu * G / vec3_norm(slip), slip), v = vec3_add_scaled(v0, rolls, a);
    Vec3 x = vec3_add_scaled(vec3_add_scaled(vec3(0, r, 0), rolls, v0), 0.5 * rolls * rolls, a);
    assert_vec3_near(world->velocity[ball].v, vec3_add_scaled(v0, -2.0 / 7.0, slip), 1e-11);
    assert_vec3_near(world->pose[ball].x, vec3_add_scaled(x, t - rolls, v), 1e-11);
    assert_near(world->velocity[ball].w.y, 5.0, 1e-12); /* a point does not resist spinning */
    world_destroy(world);
}

/* On an edge that does not slip a box is a pendulum: its energy tells its rate, up to where the edge slips. */
static void a_box_tips_about_its_edge(void **state)
{
    (void)state;
    double a = 0.6, b = 1.1, m = 2.0, tilt = 0.4, t = 0.35;
    World *world = rough_world(2.0, 0.0);
    build_plane(world, vec3(0, 1, 0), 0.0);
    double half = 0.5 * hypot(a, b), lean = atan2(a, b); /* of the diagonal in the box */
    double start = lean - tilt;                          /* of the centre from straight above the edge, towards -x */
    int box = add_shape(world, box_shape(a, b, 0.7), m, vec3(-half * sin(start), half * cos(start), 0),
                        quat_axis_angle(vec3(0, 0, 1), -tilt));
    run_to(world, t);
    double I = m * (a * a + b * b) / 12.0 + m * half * half, y = world->pose[box].x.y;
    double angle = atan2(-world->pose[box].x.x, y), w = world->velocity[box].w.z;
    assert_near(hypot(world->pose[box].x.x, y), half, 1e-12); /* about the edge, which stayed at the origin */
    assert_near(0.5 * I * w * w, m * G * (half * cos(start) - y), 1e-11);
    assert_true(angle > start + 0.05 && w > 0.1);
    world_destroy(world);
}

/* A square face that slides straight is one load short of being known, and moves all the same. */
static void the_loads_of_a_face_may_be_unknown_and_its_motion_not(void **state)
{
    (void)state;
    World *world = rough_world(0.3, 0.0);
    build_plane(world, vec3(0, 1, 0), 0.0);
    int box = add_shape(world, box_shape(1, 0.4, 1), 2.0, vec3(0, 0.2, 0), QUAT_IDENTITY);
    set_velocity(world, box, vec3(1.9, 0, 0.7), VEC3_ZERO);
    assert_int_equal(run_watched(world, 0.5, COULOMB_NOT_UNIQUE), 0);
    double speed = hypot(1.9, 0.7), left = speed - 0.3 * G * 0.5;
    assert_near(vec3_norm(world->velocity[box].v), left, 1e-12);
    /* One that spins besides is slowed by what its corners bear, and no one knows that. */
    set_velocity(world, box, vec3(1.9, 0, 0.7), vec3(0, 3, 0));
    assert_true(run_watched(world, 0.05, COULOMB_NOT_UNIQUE) > 0);
    world_destroy(world);
}

/* Of two blocks the lower is pulled: together, or from under the other. */
static void a_stack_that_is_pulled_goes_together_or_not(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        double mu = 0.3, m1 = 1.0, m2 = 2.5, force = i ? 35.0 : 15.0, t = 0.3;
        World *world = rough_world(mu, 0.0);
        build_plane(world, vec3(0, 1, 0), 0.0);
        BodyDef low = BODY_DEF_INIT;
        low.name = "low";
        low.shape = box_shape(2, 0.3, 1);
        low.mass = m2;
        low.position = vec3(0, 0.15, 0);
        low.force = vec3(force, 0, 0);
        int lower = build_body(world, &low);
        int upper = add_shape(world, box_shape(0.5, 0.2, 0.5), m1, vec3(0, 0.4, 0), QUAT_IDENTITY);
        run_to(world, t);
        double together = (force - mu * G * (m1 + m2)) / (m1 + m2), slides = mu * G;
        double a1 = fmin(together, slides);
        double a2 = together <= slides ? together : (force - mu * G * (m1 + m2) - mu * G * m1) / m2;
        assert_near(world->pose[upper].x.x, 0.5 * a1 * t * t, 1e-12);
        assert_near(world->pose[lower].x.x, 0.5 * a2 * t * t, 1e-12);
        world_destroy(world);
    }
}

/* A block that slides down a wedge pushes it away, smooth or rough. */
static void a_block_pushes_its_wedge_away(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        double mu = i ? 0.05 : 0.0, angle = 0.5, m = 1.3, M = 2.9, t = 0.2;
        World *world = rough_world(mu, 0.0);
        build_plane(world, vec3(0, 1, 0), 0.0);
        double height = 2.0 * tan(angle);
        Vec3 corners[6] = {{0, 0, -1}, {2, 0, -1}, {0, height, -1}, {0, 0, 1}, {2, 0, 1}, {0, height, 1}};
        Status status = {0};
        Mesh *hull = mesh_create_hull(6, corners, &status);
        Vec3 centre = {2.0 / 3.0, height / 3.0, 0};
        mesh_recentre(hull, centre);
        int wedge = add_shape(world, (Shape){.kind = SHAPE_HULL, .mesh = hull}, M, centre, QUAT_IDENTITY);
        mesh_destroy(hull);
        Vec3 n = vec3(sin(angle), cos(angle), 0), along = vec3(cos(angle), -sin(angle), 0);
        Vec3 at = vec3_add_scaled(vec3_scale(0.8, along), 0.1, n);
        int block = add_shape(world, box_shape(0.3, 0.2, 0.4), m, vec3_add(vec3(0, height, 0), at),
                              quat_axis_angle(vec3(0, 0, -1), angle));
        Vec3 from = world->pose[block].x;
        run_to(world, t);
        /* Block: m a = N (n - mu along) - m g y; wedge: M A = -N (n.x - mu along.x) + mu (M g + N (n.y - mu along.y));
         * n.(a - A x) = 0, and so N (1/m + n.x (push)/M) = g n.y + n.x mu g, push = n.x - mu along.x - mu (n.y -
         * mu along.y). */
        double push = n.x - mu * along.x - mu * (n.y - mu * along.y);
        double N = (G * n.y + n.x * mu * G) / (1.0 / m + n.x * push / M);
        double A = -N * push / M + mu * G;
        Vec3 a = vec3_add_scaled(vec3(0, -G, 0), N / m, vec3_add_scaled(n, -mu, along));
        assert_true(A < 0.0);
        assert_near(world->pose[wedge].x.x, centre.x + 0.5 * A * t * t, 1e-11);
        assert_vec3_near(world->pose[block].x, vec3_add_scaled(from, 0.5 * t * t, a), 1e-11);
        world_destroy(world);
    }
}

/* A smooth ladder: w^2 = 3 g (sin a0 - sin a) / l until it leaves the wall at sin a = 2/3 sin a0; from there its centre
 * keeps the speed sqrt(g l sin^3 a0) / 3 along the ground. */
static void a_smooth_ladder_leaves_the_wall_at_two_thirds(void **state)
{
    (void)state;
    double l = 1.7, m = 4.0, start = 1.1, r = 0.01, leaves = sqrt(G * l * pow(sin(start), 3)) / 3.0;
    World *world = rough_world(0.0, 0.0);
    build_plane(world, vec3(0, 1, 0), 0.0);
    build_plane(world, vec3(1, 0, 0), 0.0);
    BodyDef def = BODY_DEF_INIT;
    def.name = "ladder";
    def.shape = (Shape){.kind = SHAPE_CAPSULE, .radius = r, .length = l};
    def.mass = m;
    def.has_inertia = true;
    def.inertia = vec3(m * l * l / 12.0, 1e-3, m * l * l / 12.0);
    def.position = vec3(r + 0.5 * l * cos(start), r + 0.5 * l * sin(start), 0);
    def.orientation = quat_axis_angle(vec3(0, 0, 1), 0.5 * PI - start);
    int ladder = build_body(world, &def);
    Drive drive;
    drive_begin(&drive, world, "reference", "");
    bool leaned = false, left = false;
    for (int f = 0; f < 90; f++) {
        drive_frame(&drive, 1.0 / 120);
        double sine = (world->pose[ladder].x.y - r) / (0.5 * l), w = world->velocity[ladder].w.z;
        if (sine > 2.0 / 3.0 * sin(start)) {
            leaned = true;
            assert_near(w * w, 3.0 * G * (sin(start) - sine) / l, 1e-11);
        } else if (sine > 0.01) {
            left = true;
            assert_near(world->velocity[ladder].v.x, leaves, 1e-11);
        }
    }
    assert_true(leaned && left);
    assert_near(world->pose[ladder].x.y, r, 1e-12); /* it has come down flat */
    drive_end(&drive);
    world_destroy(world);
}

/* A coin that circles about its own centre: L's precession is the torque of its weight. */
static void a_coin_rolls_in_circles_about_its_centre(void **state)
{
    (void)state;
    double R = 0.4, h = 0.05, m = 1.2, tilt = 0.35; /* between its face and the ground */
    double across = 0.31 * m * R * R, along = 0.52 * m * R * R, c = cos(tilt), s = sin(tilt), t = 0.7;
    World *world = rough_world(0.4, 0.0);
    build_plane(world, vec3(0, 1, 0), 0.0);
    BodyDef def = BODY_DEF_INIT;
    def.name = "coin";
    def.shape = (Shape){.kind = SHAPE_CYLINDER, .radius = R, .length = h};
    def.mass = m;
    def.has_inertia = true;
    def.inertia = vec3(across, along, across);
    /* From the lowest point, in the plane z = 0: R up the face d = (c, s), h/2 along the axis a = (-s, c). */
    Vec3 p = vec3(R * c - 0.5 * h * s, R * s + 0.5 * h * c, 0);
    def.position = vec3(0, p.y, 0);
    def.orientation = quat_axis_angle(vec3(0, 0, 1), tilt);
    double precession = sqrt(m * G * (R * c - 0.5 * h * s) / (s / R * (across * R * c - along * 0.5 * h * s)));
    def.angular_velocity = vec3_scale(precession * s / R, p);
    int coin = build_body(world, &def);
    run_to(world, t);
    Vec3 axis = quat_rotate(world_reported_orientation(world, coin), vec3(0, 1, 0));
    assert_vec3_near(world->pose[coin].x, vec3(0, p.y, 0), 1e-11);
    assert_vec3_near(axis, vec3(-s * cos(precession * t), c, s * sin(precession * t)), 1e-10);
    world_destroy(world);
}

/* A rough impact gives mu times the normal impulse, or stops the slip; the slip may be any way. */
static void an_impact_slides_through_or_grips(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        double r = 0.2, e = 0.6, mu = i ? 0.9 : 0.11;
        World *world = rough_world(mu, e);
        build_plane(world, vec3(0, 1, 0), 0.0);
        world->gravity = VEC3_ZERO;
        int ball =
            add_shape(world, (Shape){.kind = SHAPE_SPHERE, .radius = r}, 1.0, vec3(0, r + 0.1, 0), QUAT_IDENTITY);
        Vec3 v = vec3(1.2, -2.0, -0.8), w = vec3(3, 2, 1), slip = vec3_add(v, vec3_cross(w, vec3(0, -r, 0)));
        slip.y = 0.0;
        set_velocity(world, ball, v, w);
        run_to(world, 0.1);
        double p = fmin(mu * (1 + e) * 2.0, 2.0 / 7.0 * vec3_norm(slip));
        Vec3 after = vec3_add_scaled(vec3(1.2, 2.0 * e, -0.8), -p, vec3_unit(slip));
        assert_vec3_near(world->velocity[ball].v, after, 1e-12);
        world_destroy(world);
    }
}

/* Painleve: a rod whose end slides ahead of it, rough enough, can neither slide on nor leave; and where its spin would
 * lift the end, it can slide or leave as it likes. */
static World *painleve_rod(double spin)
{
    World *world = rough_world(2.0, 0.0);
    double l = 1.0, angle = 1.0, r = 1e-3;
    build_plane(world, vec3(0, 1, 0), 0.0);
    BodyDef def = BODY_DEF_INIT;
    def.name = "rod";
    def.shape = (Shape){.kind = SHAPE_CAPSULE, .radius = r, .length = l};
    def.mass = 1.0;
    def.has_inertia = true;
    def.inertia = vec3(1.0 / 12.0, 1e-4, 1.0 / 12.0);
    /* Its lower end towards -x, sliding towards -x: friction turns that end into the ground. */
    def.position = vec3(0, 0.5 * l * sin(angle) + r, 0);
    def.orientation = quat_axis_angle(vec3(0, 0, 1), angle - 0.5 * PI);
    Vec3 arm = vec3(-0.5 * l * cos(angle), -0.5 * l * sin(angle) - r, 0);
    def.angular_velocity = vec3(0, 0, spin);
    /* The end's own velocity: 3 m/s along the ground. */
    def.velocity = vec3_sub(vec3(-3, 0, 0), vec3_cross(def.angular_velocity, arm));
    build_body(world, &def);
    return world;
}

static void a_rod_of_painleve_ends_the_motion_that_is_known(void **state)
{
    (void)state;
    World *jammed = painleve_rod(0.0), *free = painleve_rod(6.0);
    assert_int_equal(run_watched(jammed, 0.05, NULL), -1);
    assert_true(run_watched(free, 0.05, COULOMB_NOT_UNIQUE) > 0);
    world_destroy(jammed);
    world_destroy(free);
}

/* One point, its slip given: w_n = A r_n + q_n with A = W_nn - mu W_nt. */
static void modes_are_counted(void **state)
{
    (void)state;
    static const struct {
        double mu, q;
        ModesCount count;
    } CASES[] = {{0.2, -1, MODES_ONE}, {0.2, 1, MODES_ONE}, {2, -1, MODES_NONE}, {2, 1, MODES_MANY}};
    for (int i = 0; i < 4; i++) {
        ModesProblem problem = {.count = 1, .W = {{1, 0.9, 0}, {0.9, 3, 0}, {0, 0, 3}}, .q = {CASES[i].q, 0.3, 0}};
        problem.friction[0] = CASES[i].mu;
        problem.slides[0] = true;
        problem.slip[0][0] = 1.0;
        ModesAnswer answer;
        long long solves = 0;
        assert_int_equal(modes_find(&problem, &answer, &solves), CASES[i].count);
        assert_true(solves > 0);
    }
}

/* From rest the slip's direction is that of the cone: r_t against w_t, both along no axis. */
static void a_slip_from_rest_is_against_its_friction(void **state)
{
    (void)state;
    ModesProblem problem = {.count = 1, .W = {{1.3, 0.4, -0.2}, {0.4, 2.1, 0.5}, {-0.2, 0.5, 3.7}}, .q = {-2, 3, 5}};
    problem.friction[0] = 0.37;
    ModesAnswer answer;
    long long solves = 0;
    assert_int_equal(modes_find(&problem, &answer, &solves), MODES_ONE);
    const double *r = answer.r, *w = answer.w;
    assert_int_equal(answer.mode[0], MODE_SLIDE);
    assert_near(hypot(r[1], r[2]), 0.37 * r[0], 1e-13);
    assert_near(r[1] * w[2] - r[2] * w[1], 0.0, 1e-12);
    assert_true(r[1] * w[1] + r[2] * w[2] < 0.0 && r[0] > 0.0);
    assert_near(w[0], 0.0, 1e-13);
}

/* A corner lands on a face of another box; an edge lands across an edge: momentum, and Newton's law along the normal.
 */
static void boxes_strike_by_corner_and_by_edge(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        World *world = rough_world(0.0, 0.7);
        world->gravity = VEC3_ZERO;
        Quat up = quat_axis_angle(vec3(0, 0, 1), PI / 4), over = quat_axis_angle(vec3(1, 0, 0), PI / 4);
        /* An edge along z on top of the lower one; of the upper one an edge along x, or a corner, below. */
        int low = add_shape(world, box_shape(1, 1, 1), 2.0, VEC3_ZERO, i ? QUAT_IDENTITY : up);
        double reach = sqrt(0.5), rests = i ? 0.5 : reach, hangs = i ? 0.5 * sqrt(3.0) : reach;
        Quat tip = quat_mul(quat_axis_angle(vec3(1, 0, 0), atan(sqrt(0.5))), up);
        int high = add_shape(world, box_shape(1, 1, 1), 3.0, vec3(0.13, rests + hangs + 0.05, 0.07), i ? tip : over);
        set_velocity(world, high, vec3(0, -1.0, 0), VEC3_ZERO);
        run_to(world, 0.1);
        Vec3 momentum = vec3_add(vec3_scale(2.0, world->velocity[low].v), vec3_scale(3.0, world->velocity[high].v));
        assert_vec3_near(momentum, vec3(0, -3, 0), 1e-11);
        /* They met 0.05 s in; the points that met part at 0.7 m/s. */
        Vec3 at = vec3(i ? 0.13 : 0.0, rests, i ? 0.07 : 0.07);
        assert_true(world->velocity[high].v.y > -0.99);
        Vec3 low_arm = vec3_sub(at, VEC3_ZERO), high_arm = vec3_sub(at, vec3(0.13, rests + hangs, 0.07));
        Vec3 part = vec3_sub(vec3_add(world->velocity[high].v, vec3_cross(world->velocity[high].w, high_arm)),
                             vec3_add(world->velocity[low].v, vec3_cross(world->velocity[low].w, low_arm)));
        assert_near(part.y, 0.7, 1e-10); /* cubes turn freely at a constant w */
        world_destroy(world);
    }
}

static void what_is_beyond_is_refused_by_name(void **state)
{
    (void)state;
    Status status = {0};
    SolverTask task = {.dt = 0.01};
    const Solver *reference = drive_find("reference");
    _Alignas(16) unsigned char options[SETTINGS_MAX_BYTES] = {0};
    settings_init(reference->settings, reference->setting_count, options);
    World *world = rough_world(0.3, 0.0);
    add_shape(world, (Shape){.kind = SHAPE_CYLINDER, .radius = 1, .length = 1}, 1, vec3(0, 5, 0), QUAT_IDENTITY);
    add_shape(world, (Shape){.kind = SHAPE_CYLINDER, .radius = 1, .length = 1}, 1, VEC3_ZERO, QUAT_IDENTITY);
    task.world = world;
    task.options = options;
    assert_null(reference->create(&task, &status));
    assert_int_equal(status.code, STATUS_UNSUPPORTED);
    assert_non_null(strstr(status.message, "boxes and hulls"));
    world_destroy(world);
    /* An upright cylinder stands on a whole rim. */
    world = rough_world(0.3, 0.0);
    build_plane(world, vec3(0, 1, 0), 0.0);
    add_shape(world, (Shape){.kind = SHAPE_CYLINDER, .radius = 1, .length = 1}, 1, vec3(0, 0.5, 0), QUAT_IDENTITY);
    assert_int_equal(run_watched(world, 0.02, NULL), -1);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_on_a_slope_sticks_or_slides),
        cmocka_unit_test(a_slip_stops_or_turns_back),
        cmocka_unit_test(a_ball_slides_along_a_parabola_and_rolls),
        cmocka_unit_test(a_box_tips_about_its_edge),
        cmocka_unit_test(the_loads_of_a_face_may_be_unknown_and_its_motion_not),
        cmocka_unit_test(a_stack_that_is_pulled_goes_together_or_not),
        cmocka_unit_test(a_block_pushes_its_wedge_away),
        cmocka_unit_test(a_smooth_ladder_leaves_the_wall_at_two_thirds),
        cmocka_unit_test(a_coin_rolls_in_circles_about_its_centre),
        cmocka_unit_test(an_impact_slides_through_or_grips),
        cmocka_unit_test(a_rod_of_painleve_ends_the_motion_that_is_known),
        cmocka_unit_test(modes_are_counted),
        cmocka_unit_test(a_slip_from_rest_is_against_its_friction),
        cmocka_unit_test(boxes_strike_by_corner_and_by_edge),
        cmocka_unit_test(what_is_beyond_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
