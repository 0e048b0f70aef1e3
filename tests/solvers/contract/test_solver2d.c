/* SPDX-License-Identifier: MIT */
/* What the solvers after solver2d claim, each against a number that follows from its statement. */
#include "solvers/contact/point_memory.h"
#include "solvers/rows/contact_rows.h"
#include "tests/solvers/contact_worlds.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

static const double FRAME = 1.0 / 60;

/* A ball of 0.5 m at this height over the ground, with a speed along y. */
static World *ball_over_ground(double gap, double v, double e)
{
    World *world = contact_world(0.0, e);
    add_plane(world, vec3(0, 1, 0));
    BodyDef ball = sphere_def("ball", 0.5, vec3(0, 0.5 + gap, 0));
    ball.velocity = vec3(0, v, 0);
    build_body(world, &ball);
    return world;
}

/* v+ = (v - h w^2 x)/D, x+ = ((1 + 2 zeta w h) x + h v)/D, D = 1 + 2 zeta w h + w^2 h^2, while the contact pushes;
 * twice the frequency against the ground. */
static void a_closed_contact_is_a_spring_by_backward_euler(void **state)
{
    (void)state;
    static const struct {
        const char *solver;
        int substeps;
        double cap;
    } CASES[] = {{"soft_step", 4, 0.25}, {"tgs_soft", 4, 0.25}, {"pgs_soft", 1, 0.333}, {"jacobi", 1, 0.333}};
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        World *world = ball_over_ground(-0.03, -0.2, 0.0);
        double h = FRAME / CASES[k].substeps, w = 4.0 * PI * fmin(30.0, CASES[k].cap / h), zeta = 10.0;
        double x = -0.03, v = -0.2, D = 1.0 + 2.0 * zeta * w * h + w * w * h * h;
        world->gravity = VEC3_ZERO;
        Drive drive;
        drive_begin(&drive, world, CASES[k].solver, "relax=0");
        for (int f = 0; f < 12; f++) {
            for (int i = 0; i < CASES[k].substeps; i++) {
                double next = ((1.0 + 2.0 * zeta * w * h) * x + h * v) / D;
                v = (v - h * w * w * x) / D;
                x = next;
            }
            drive_frame(&drive, FRAME);
            if (f == 0)
                assert_true(v > 0.0); /* the ball is on its way out, and the spring brakes it */
            /* a spring that would have to pull lets go: compare while it pushes */
            if (vec3_norm(contact_impulse(world)) == 0.0)
                break;
            assert_near(world->pose[2].x.y - 0.5, x, 1e-14); /* round-off of a length of 0.5 */
            assert_near(world->velocity[2].v.y, v, 1e-12);   /* of x over h */
        }
        drive_end(&drive);
        world_destroy(world);
    }
}

/* Directions and arms are those of the given poses, the gap that of the poses now. */
static void lever_arms_may_be_those_of_the_frames_beginning(void **state)
{
    (void)state;
    World *world = contact_world(0.5, 0.0);
    add_plane(world, vec3(0, 1, 0));
    BodyDef box = box_def("box", vec3(1, 0.4, 0.8), vec3(0, 0.199, 0));
    build_body(world, &box);
    world->contacts->reach = 0.0;
    assert_true(contacts_detect(world) && contacts_add_blocks(world));
    Pose then[3];
    memcpy(then, world->pose, sizeof then);
    RowSystem now, kept;
    RowSetup setup = {.h = 0.01, .relaxation = 1.0};
    assert_true(row_system_init(&now, world) && row_system_init(&kept, world));
    row_system_prepare(&now, world, &setup);
    world->pose[2].x.y += 0.0003;
    world->pose[2].q = quat_axis_angle(vec3(0.2, 0.3, 0.93), 0.01);
    setup.levers = then;
    row_system_prepare(&kept, world, &setup);
    int first = world->manifolds[0].first;
    for (int i = 0; i < world->manifolds[0].count; i++) {
        const RowBlock *a = &now.blocks[first + 2 * i], *b = &kept.blocks[first + 2 * i];
        BlockError e;
        block_error(world, &world->blocks[first + 2 * i], &e);
        assert_memory_equal(a->J, b->J, sizeof a->J);
        assert_near(b->C[0], e.C, 1e-16); /* the plane carries the normal, which has not turned */
        assert_true(fabs(b->C[0] - a->C[0]) > 1e-4);
    }
    row_system_free(&now);
    row_system_free(&kept);
    world_destroy(world);
}

/* e times the approach as the frame began, whatever gravity added since; and none below the threshold. */
static void restitution_comes_after_the_substeps(void **state)
{
    (void)state;
    static const char *const SOLVERS[] = {"soft_step", "tgs_soft", "pgs_soft", "jacobi", "tgs_sticky"};
    for (size_t k = 0; k < sizeof SOLVERS / sizeof SOLVERS[0]; k++) {
        World *world = ball_over_ground(0.02, -3.0, 0.6);
        drive_run(world, SOLVERS[k], "", FRAME, 1);
        assert_near(world->velocity[2].v.y, 0.6 * 3.0, 1e-13);
        world_destroy(world);
        world = ball_over_ground(0.005, -0.9, 0.6);
        drive_run(world, SOLVERS[k], "", FRAME, 1);
        assert_true(world->velocity[2].v.y < 0.2); /* 0.54 if it bounced */
        world_destroy(world);
    }
}

/* Two contacts with the same normal both stop the ball: twice what is needed. Gauss-Seidel stops it once. */
static void jacobi_adds_up_what_contacts_do_at_once(void **state)
{
    (void)state;
    static const struct {
        const char *solver;
        double after;
    } CASES[] = {{"jacobi", 0.7}, {"pgs", 0.0}};
    for (int k = 0; k < 2; k++) {
        World *world = contact_world(0.0, 0.0);
        world->gravity = VEC3_ZERO;
        BodyDef plane = BODY_DEF_INIT;
        plane.fixed = true;
        plane.shape = (Shape){.kind = SHAPE_PLANE, .normal = {0, 1, 0}};
        for (int i = 0; i < 2; i++) {
            plane.name = i ? "two" : "one";
            build_body(world, &plane);
        }
        BodyDef ball = sphere_def("ball", 0.5, vec3(0, 0.5, 0));
        ball.velocity = vec3(0, -0.7, 0);
        build_body(world, &ball);
        drive_run(world, CASES[k].solver, "iterations=1 relax=0 contact_hertz=0 position=none", FRAME, 1);
        assert_near(world->velocity[3].v.y, CASES[k].after, 1e-15);
        world_destroy(world);
    }
}

static void jacobi_keeps_momentum_to_round_off(void **state)
{
    (void)state;
    for (int k = 0; k < 20; k++) {
        Random random = {(uint64_t)(4100 + k)};
        /* spheres have one inertia for every orientation: turning them moves no angular momentum */
        World *world = colliding_cluster(&random, false, 0.4, 0.0);
        Vec3 p = world_momentum(world), L = world_angular_momentum(world);
        drive_run(world, "jacobi", "relax=0", FRAME, 40);
        assert_true(vec3_norm(vec3_sub(world_momentum(world), p)) < 1e-13 * world_momentum_scale(world));
        assert_true(vec3_norm(vec3_sub(world_angular_momentum(world), L)) <
                    1e-13 * world_angular_momentum_scale(world));
        world_destroy(world);
    }
}

/* Below the friction angle, 21.8 of 26.6 degrees, once it has settled. */
static void a_sticky_block_does_not_creep(void **state)
{
    (void)state;
    World *world = block_on_slope(0.38, 0.5);
    Drive drive;
    Vec3 at = VEC3_ZERO;
    drive_begin(&drive, world, "tgs_sticky", "");
    for (int f = 0; f < 1200; f++) {
        drive_frame(&drive, FRAME);
        if (f == 119)
            at = world->pose[2].x;
    }
    assert_vec3_near(world->pose[2].x, at, 1e-9); /* from 2 s to 20 s */
    drive_end(&drive);
    world_destroy(world);
}

/* Above it the anchors are given up, and it slides as Coulomb says. */
static void a_sticky_block_slides_above_the_friction_angle(void **state)
{
    (void)state;
    double angle = 0.6, mu = 0.5, a = 9.81 * (sin(angle) - mu * cos(angle));
    World *world = block_on_slope(angle, mu);
    drive_run(world, "tgs_sticky", "", FRAME, 60);
    double v = vec3_dot(world->velocity[2].v, vec3(cos(angle), -sin(angle), 0));
    assert_near(v, a, 3e-3 * a); /* it drops by 64 um in the first of 60 frames, under a smaller load */
    world_destroy(world);
}

/* A correction takes a fifth of the overlap beyond the slop, 0.2 m at most; two sweeps a frame. */
static void a_position_sweep_has_a_largest_correction(void **state)
{
    (void)state;
    static const struct {
        double depth, left;
    } CASES[] = {{0.45, 0.45}, {2.0, 1.6}};
    double c = 0.45 - 0.005; /* what is beyond the slop; 0.8 of it stays after a sweep */
    for (int k = 0; k < 2; k++) {
        World *world = ball_over_ground(-CASES[k].depth, 0.0, 0.0);
        world->gravity = VEC3_ZERO;
        world->bodies[2].shape.radius = 0.5;
        drive_run(world, "pgs_ngs", "", FRAME, 1);
        double left = k == 0 ? 0.005 + 0.64 * c : CASES[k].left;
        assert_near(0.5 - world->pose[2].x.y, left, 1e-14);
        world_destroy(world);
    }
}

/* A level box in the ground: point by point each corner turns it a little, together they lift it straight. */
static void the_block_form_corrects_a_face_at_once(void **state)
{
    (void)state;
    double turned[2];
    static const char *const SOLVERS[] = {"pgs_ngs", "pgs_ngs_block"};
    for (int k = 0; k < 2; k++) {
        World *world = contact_world(0.5, 0.0);
        world->gravity = VEC3_ZERO;
        add_plane(world, vec3(0, 1, 0));
        BodyDef box = box_def("box", vec3(1, 0.4, 0.8), vec3(0, 0.17, 0));
        int body = build_body(world, &box);
        drive_run(world, SOLVERS[k], "", FRAME, 1);
        turned[k] = vec3_norm(quat_log(world_reported_orientation(world, body)));
        if (k == 1) /* 0.8^2 of the 25 mm beyond the slop are left */
            assert_near(world->pose[body].x.y, 0.195 - 0.64 * 0.025,
                        1e-7); /* the normals' added diagonal: 1e-6 of it */
        world_destroy(world);
    }
    assert_true(turned[0] > 1e-4);
    assert_true(turned[1] < 1e-9);
}

/* A high box, leaning: pushing its deep edge up also lifts the other, which must not be pulled down to where it was. */
static void no_point_of_a_face_pulls(void **state)
{
    (void)state;
    World *world = contact_world(0.5, 0.0);
    world->gravity = VEC3_ZERO;
    add_plane(world, vec3(0, 1, 0));
    double lean = 0.07; /* 28 mm over its width of 0.4 m: one edge lies 34 mm deep, the other 6 mm */
    BodyDef box = box_def("box", vec3(0.4, 2, 0.4), vec3(0, cos(lean) - 0.02, 0));
    box.orientation = quat_axis_angle(vec3(0, 0, 1), lean);
    int body = build_body(world, &box);
    double before = world_point(world, body, vec3(0.2, -1, 0)).y;
    assert_true(before < 0.0 && world_point(world, body, vec3(-0.2, -1, 0)).y < -0.03);
    drive_run(world, "pgs_ngs_block", "", FRAME, 1);
    assert_true(world_point(world, body, vec3(0.2, -1, 0)).y > before + 2e-3);
    world_destroy(world);
}

/* A point keeps its item while its pair and features stay, and begins with zeros when it is new. */
static void a_point_is_remembered_by_its_pair_and_features(void **state)
{
    (void)state;
    World *world = contact_world(0.5, 0.0);
    add_plane(world, vec3(0, 1, 0));
    static const char *const NAMES[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        BodyDef box = box_def(NAMES[i], vec3(0.4, 0.4, 0.4), vec3(0.5 * i, 0.199, 0));
        build_body(world, &box);
    }
    PointMemory memory = {0};
    assert_true(contacts_detect(world) && contacts_add_blocks(world));
    assert_true(point_memory_reserve(&memory, world, sizeof(double)));
    point_memory_match(&memory, world);
    assert_int_equal(memory.count, 12);
    for (int i = 0; i < 12; i++) {
        assert_true(*(double *)point_memory_at(&memory, i) == 0.0);
        *(double *)point_memory_at(&memory, i) = 1.0 + i;
    }
    world->pose[3].x.y = 5.0; /* the middle box is gone, then back */
    assert_true(contacts_detect(world) && contacts_add_blocks(world));
    point_memory_match(&memory, world);
    assert_int_equal(memory.count, 8);
    for (int i = 0; i < 8; i++)
        assert_near(*(double *)point_memory_at(&memory, i), i < 4 ? 1.0 + i : 5.0 + i, 0.0);
    world->pose[3].x.y = 0.199;
    assert_true(contacts_detect(world) && contacts_add_blocks(world));
    point_memory_match(&memory, world);
    for (int i = 0; i < 12; i++)
        assert_near(*(double *)point_memory_at(&memory, i), i >= 4 && i < 8 ? 0.0 : 1.0 + i, 0.0);
    point_memory_free(&memory);
    world_destroy(world);
}

/* Random manifolds: of all sets the one that is found solves the LCP, from whatever the points carry. */
static void a_manifold_is_solved_as_an_lcp(void **state)
{
    (void)state;
    Random random = {20};
    int all = 0, some = 0, none = 0;
    for (int trial = 0; trial < 300; trial++) {
        enum { N = 3 }; /* with four points a face's matrix is singular, and the softened solution is not exact */
        ManifoldMatrix K = {{0}};
        double J[N][N + 1], lambda[N], r[N], x[MANIFOLD_MAX];
        int pushing = 0;
        for (int i = 0; i < N; i++) {
            for (int j = 0; j <= N; j++)
                J[i][j] = random_in(&random, -1, 1);
            lambda[i] = random_in(&random, 0, 2);
            r[i] = random_in(&random, -1, 1);
        }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                for (int k = 0; k <= N; k++)
                    K[i][j] += J[i][k] * J[j][k];
        assert_true(manifold_enumerate(N, K, lambda, r, x));
        for (int i = 0; i < N; i++) {
            double rate = r[i];
            for (int j = 0; j < N; j++)
                rate += K[i][j] * (x[j] - lambda[j]);
            assert_true(x[i] >= 0.0);
            pushing += x[i] > 0.0;
            if (x[i] > 0.0)
                assert_near(rate, 0.0, 1e-3); /* the diagonal is softened by 1e-6, lambda may be a thousand */
            else
                assert_true(rate >= 0.0);
        }
        all += pushing == N;
        none += pushing == 0;
        some += pushing > 0 && pushing < N;
    }
    assert_true(all > 10 && some > 10 && none > 0);
}

/* Friction before the normals has the load of the sweep before for its bound: nothing in a first sweep from zero. */
static void friction_first_is_bounded_by_the_last_sweeps_load(void **state)
{
    (void)state;
    static const char *const OPTIONS[] = {"friction_first=true", "friction_first=false"};
    static const char *const SOLVERS[] = {"pgs_ngs", "pgs_ngs_block"};
    for (int k = 0; k < 4; k++) {
        World *world = contact_world(0.5, 0.0);
        BodyDef box = box_def("box", vec3(1, 1, 1), vec3(0, 0.499, 0));
        add_plane(world, vec3(0, 1, 0));
        box.velocity = vec3(1, 0, 0);
        int body = build_body(world, &box);
        char options[64];
        snprintf(options, sizeof options, "iterations=1 %s", OPTIONS[k / 2]);
        drive_run(world, SOLVERS[k % 2], options, FRAME, 1);
        if (k / 2 == 0)
            assert_near(world->velocity[body].v.x, 1.0, 0.0);
        else
            assert_near(world->velocity[body].v.x, 1.0 - 0.5 * 9.81 * FRAME, 0.01); /* one sweep of normals */
        world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_contact_is_a_spring_by_backward_euler),
        cmocka_unit_test(lever_arms_may_be_those_of_the_frames_beginning),
        cmocka_unit_test(restitution_comes_after_the_substeps),
        cmocka_unit_test(jacobi_adds_up_what_contacts_do_at_once),
        cmocka_unit_test(jacobi_keeps_momentum_to_round_off),
        cmocka_unit_test(a_sticky_block_does_not_creep),
        cmocka_unit_test(a_sticky_block_slides_above_the_friction_angle),
        cmocka_unit_test(a_position_sweep_has_a_largest_correction),
        cmocka_unit_test(the_block_form_corrects_a_face_at_once),
        cmocka_unit_test(no_point_of_a_face_pulls),
        cmocka_unit_test(a_point_is_remembered_by_its_pair_and_features),
        cmocka_unit_test(a_manifold_is_solved_as_an_lcp),
        cmocka_unit_test(friction_first_is_bounded_by_the_last_sweeps_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
