/* SPDX-License-Identifier: MIT */
/* Poisson's and Routh's laws of an impact with friction: against the conditions that state them, and against the sum of
 * many small impulses. */
#include "model/random.h"
#include "solvers/truth/impact_law.h"
#include "tests/solvers/worlds.h"

static double kinetic_change(const ImpactPoint *point, const double r[3])
{
    double change = 0.0;
    for (int i = 0; i < 3; i++) {
        change += point->q[i] * r[i];
        for (int k = 0; k < 3; k++)
            change += 0.5 * r[i] * point->W[i][k] * r[k];
    }
    return change;
}

/* Speeds after the impulse. */
static void speeds(const ImpactPoint *point, const double r[3], double w[3])
{
    for (int i = 0; i < 3; i++) {
        w[i] = point->q[i];
        for (int k = 0; k < 3; k++)
            w[i] += point->W[i][k] * r[k];
    }
}

/* B B^T + a little: any positive definite W. */
static ImpactPoint any_point(Random *random)
{
    ImpactPoint point = {.friction = random_in(random, 0.05, 1.2), .restitution = random_in(random, 0.0, 1.0)};
    double B[3][3];
    for (int i = 0; i < 9; i++)
        B[i / 3][i % 3] = random_in(random, -1.0, 1.0);
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++)
            point.W[i / 3][i % 3] += B[i / 3][k] * B[i % 3][k] + (k == 0 && i % 4 == 0 ? 0.3 : 0.0);
    for (int i = 0; i < 3; i++)
        point.q[i] = random_in(random, -2.0, 2.0);
    point.q[0] = -fabs(point.q[0]) - 0.1;
    return point;
}

/* The end of a rod of unit mass and length that strikes at an angle, in a plane along (x, y). */
static ImpactPoint rod_point(double angle, double mu, double e, double vn, double vt)
{
    double x = -0.5 * cos(angle), y = -0.5 * sin(angle), spin = 12.0, way[2] = {0.6, -0.8};
    double nn = 1.0 + spin * x * x, nt = -spin * x * y, tt = 1.0 + spin * y * y;
    ImpactPoint point = {.friction = mu, .restitution = e};
    point.W[0][0] = nn;
    for (int i = 0; i < 2; i++) {
        point.W[0][1 + i] = point.W[1 + i][0] = nt * way[i];
        for (int k = 0; k < 2; k++)
            point.W[1 + i][1 + k] = tt * way[i] * way[k] + (i == k ? 1.0 : -1.0) * way[1 - i] * way[1 - k];
        point.q[1 + i] = vt * way[i];
    }
    point.q[0] = -vn;
    return point;
}

static void rubbing_is_coulombs_law_on_the_whole_impulse(void **state)
{
    (void)state;
    Random random = {20};
    int sticks = 0, slides = 0;
    for (int i = 0; i < 500; i++) {
        ImpactPoint point = any_point(&random);
        double r[3] = {random_in(&random, 0.1, 5.0), 0, 0}, w[3];
        impact_law_rub(&point, r);
        speeds(&point, r, w);
        double most = point.friction * r[0], rubs = hypot(r[1], r[2]), slip = hypot(w[1], w[2]);
        assert_true(rubs <= most * (1 + 1e-14));
        if (slip < 1e-12) {
            sticks++;
            continue;
        }
        assert_near(rubs, most, 1e-13 * most);
        assert_near(w[1] * r[1] + w[2] * r[2], -slip * rubs, 1e-12 * slip * rubs);
        slides++;
    }
    assert_true(sticks > 50 && slides > 50);
}

/* Small impulses, each with the friction of the slip before it. Near no slip its sign is that of the step's end: what
 * would turn it round stops it. */
static void sum_impulses(const ImpactPoint *point, double dp, double sum[3])
{
    double w[3], whole = INFINITY;
    sum[0] = sum[1] = sum[2] = 0.0;
    while (sum[0] < whole) {
        double r[3] = {sum[0] + dp, sum[1], sum[2]};
        ImpactPoint rest = *point;
        speeds(point, sum, w);
        for (int i = 0; i < 3; i++)
            rest.q[i] = w[i];
        double part[3] = {dp, 0, 0};
        impact_law_rub(&rest, part); /* implicit: against the slip after it */
        r[1] += part[1];
        r[2] += part[2];
        for (int i = 0; i < 3; i++)
            sum[i] = r[i];
        speeds(point, sum, w);
        if (whole == INFINITY && w[0] >= 0.0)
            whole = (1.0 + point->restitution) * sum[0];
    }
}

static void routh_is_the_sum_of_many_small_impulses(void **state)
{
    (void)state;
    Random random = {7};
    int turned = 0, stopped = 0, through = 0;
    for (int i = 0; i < 60; i++) {
        double mu = random_in(&random, 0.05, 0.9), vt = i % 10 == 0 ? 0.0 : random_in(&random, 0.1, 3.0);
        ImpactPoint point = rod_point(random_in(&random, 0.2, 2.9), mu, random_in(&random, 0.0, 1.0), 1.7, vt);
        double r[3], sum[3], w[3];
        assert_true(impact_law_routh(&point, r));
        sum_impulses(&point, 4e-4, sum);
        for (int k = 0; k < 3; k++)
            assert_near(r[k], sum[k], 3e-3);
        speeds(&point, r, w);
        double slip = 0.6 * w[1] - 0.8 * w[2];
        turned += slip < -1e-9;
        stopped += fabs(slip) <= 1e-9;
        through += slip > 1e-9;
    }
    assert_true(turned > 3 && stopped > 3 && through > 3);
}

static void routh_never_gains_energy(void **state)
{
    (void)state;
    Random random = {3};
    double lost = 0.0;
    for (int i = 0; i < 2000; i++) {
        ImpactPoint point = rod_point(random_in(&random, 0.1, 3.0), random_in(&random, 0.0, 1.5),
                                      random_in(&random, 0.0, 1.0), 1.0, random_in(&random, 0.0, 4.0));
        double r[3];
        assert_true(impact_law_routh(&point, r));
        assert_true(kinetic_change(&point, r) <= 1e-13);
        lost = fmin(lost, kinetic_change(&point, r));
    }
    assert_true(lost < -0.1);
}

static void what_leaves_its_line_is_not_for_routh(void **state)
{
    (void)state;
    Random random = {11};
    ImpactPoint point = any_point(&random);
    double r[3];
    assert_false(impact_law_routh(&point, r));
}

/* A rod falls on its end; returns its velocity after the impact. */
static Velocity rod_after(double mu, const char *options, double *error)
{
    World *world = world_create();
    world->materials[0].friction = mu;
    world->materials[0].restitution = 0.8;
    world->collide = true;
    world->gravity = VEC3_ZERO;
    build_plane(world, vec3(0, 1, 0), 0.0);
    double angle = 1.1, radius = 1e-3;
    BodyDef def = BODY_DEF_INIT;
    def.name = "rod";
    def.shape = (Shape){.kind = SHAPE_CAPSULE, .radius = radius, .length = 1.0};
    def.mass = 1.0;
    def.has_inertia = true;
    def.inertia = vec3(1.0 / 12.0, 1e-4, 1.0 / 12.0);
    def.position = vec3(0, 0.5 * sin(angle) + radius + 0.05, 0);
    def.orientation = quat_axis_angle(vec3(0, 0, 1), angle - 0.5 * PI);
    def.velocity = vec3(0.4, -2.0, 0);
    int rod = build_body(world, &def);
    Drive drive;
    drive_begin(&drive, world, "reference", options);
    drive_frame(&drive, 0.04);
    *error = drive.solver->error_estimate(drive.self);
    drive_end(&drive);
    Velocity after = world->velocity[rod];
    world_destroy(world);
    return after;
}

/* In whole runs, where W is the rod's own: at 0.37 the slip stops, and the other two laws are one; at 0.3 it turns
 * round, and Newton's and Poisson's are. */
static void the_law_can_be_chosen(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        double mu = i ? 0.2 : 0.37, angle = 1.1, spin = 12.0, error, routh[3], poisson[3];
        double x = -0.5 * cos(angle), y = -0.5 * sin(angle) - 1e-3;
        ImpactPoint point = {.friction = mu, .restitution = 0.8, .q = {-2.0, 0.4, 0}};
        point.W[0][0] = 1.0 + spin * x * x;
        point.W[0][1] = point.W[1][0] = -spin * x * y;
        point.W[1][1] = 1.0 + spin * y * y;
        point.W[2][2] = 1.0;
        assert_true(impact_law_routh(&point, routh));
        Velocity one = rod_after(mu, "impact_law=routh", &error);
        assert_vec3_near(one.v, vec3(0.4 + routh[1], -2.0 + routh[0], 0), 1e-11);
        assert_near(one.w.z, spin * (x * routh[0] - y * routh[1]), 1e-10);
        assert_true(error < 1e-11);
        Velocity newton = rod_after(mu, "impact_law=newton", &error),
                 other = rod_after(mu, "impact_law=poisson", &error);
        assert_near(newton.v.y + newton.w.z * x, 1.6, 1e-11);
        poisson[0] = other.v.y + 2.0;
        impact_law_rub(&point, poisson);
        assert_near(other.v.x, 0.4 + poisson[1], 1e-11);
        double from_newton = vec3_norm(vec3_sub(other.v, newton.v)), from_routh = vec3_norm(vec3_sub(other.v, one.v));
        assert_true(i ? from_newton < 1e-11 && from_routh > 1e-3 : from_newton > 1e-3 && from_routh < 1e-11);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rubbing_is_coulombs_law_on_the_whole_impulse),
        cmocka_unit_test(routh_is_the_sum_of_many_small_impulses),
        cmocka_unit_test(routh_never_gains_energy),
        cmocka_unit_test(what_leaves_its_line_is_not_for_routh),
        cmocka_unit_test(the_law_can_be_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
