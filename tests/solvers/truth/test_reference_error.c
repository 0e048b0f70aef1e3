/* SPDX-License-Identifier: MIT */
/* The error that `reference` states of itself, against motions known to more digits: impacts one by one in long double.
 * `RIGOR_TABLE=1 test_solvers_reference_error` prints scene, time, true error, stated error. */
#include "tests/solvers/worlds.h"

#include <stdlib.h>

typedef struct Ray {
    long double x[2], v[2];
} Ray;

static int add_ball(World *world, Vec3 position, Vec3 velocity, double radius, double mass, bool fixed)
{
    BodyDef def = BODY_DEF_INIT;
    def.name = "ball";
    def.position = position;
    def.velocity = velocity;
    def.fixed = fixed;
    def.shape = (Shape){.kind = SHAPE_SPHERE, .radius = radius};
    def.mass = mass;
    return build_body(world, &def);
}

static World *elastic_world(double restitution)
{
    World *world = world_create();
    world->materials[0].restitution = restitution;
    world->materials[0].friction = 0.0;
    world->collide = true;
    return world;
}

static double stated(Drive *drive)
{
    return drive->solver->error_estimate(drive->self);
}

static void row(const char *scene, double t, double error, double estimate)
{
    if (getenv("RIGOR_TABLE"))
        printf("%-16s %6.2f s   true %.2e   stated %.2e\n", scene, t, error, estimate);
}

/* Sinai's billiard: a ball in a square, around a fixed one. */
static const double SIDE = 1.0, PEG = 0.4, BALL = 0.1;

/* The time until the ball touches the wall `axis` on the side it flies to, or the peg; infinite: never. */
static long double time_to_wall(const Ray *ray, int axis)
{
    long double room = (long double)SIDE - (long double)BALL, v = ray->v[axis];
    return v == 0 ? INFINITY : ((v > 0 ? room : -room) - ray->x[axis]) / v;
}

static long double time_to_peg(const Ray *ray)
{
    long double R = (long double)PEG + (long double)BALL;
    long double b = ray->x[0] * ray->v[0] + ray->x[1] * ray->v[1], a = ray->v[0] * ray->v[0] + ray->v[1] * ray->v[1];
    long double c = ray->x[0] * ray->x[0] + ray->x[1] * ray->x[1] - R * R, d = b * b - a * c;
    return b < 0 && d > 0 ? c / (-b + sqrtl(d)) : INFINITY;
}

static void sinai_advance(Ray *ray, long double time)
{
    while (time > 0) {
        long double t[3] = {time_to_wall(ray, 0), time_to_wall(ray, 1), time_to_peg(ray)};
        int first = t[0] < t[1] ? 0 : 1;
        first = t[2] < t[first] ? 2 : first;
        long double dt = fminl(fmaxl(t[first], 0), time);
        for (int i = 0; i < 2; i++)
            ray->x[i] += dt * ray->v[i];
        time -= dt;
        if (dt < t[first])
            return;
        if (first < 2) {
            ray->v[first] = -ray->v[first];
        } else {
            long double rr = ray->x[0] * ray->x[0] + ray->x[1] * ray->x[1];
            long double s = 2 * (ray->x[0] * ray->v[0] + ray->x[1] * ray->v[1]) / rr;
            for (int i = 0; i < 2; i++)
                ray->v[i] -= s * ray->x[i];
        }
    }
}

static void a_billiard_is_not_further_off_than_stated(void **state)
{
    (void)state;
    World *world = elastic_world(1.0);
    world->gravity = VEC3_ZERO;
    build_plane(world, vec3(1, 0, 0), -SIDE);
    build_plane(world, vec3(-1, 0, 0), -SIDE);
    build_plane(world, vec3(0, 1, 0), -SIDE);
    build_plane(world, vec3(0, -1, 0), -SIDE);
    add_ball(world, VEC3_ZERO, VEC3_ZERO, PEG, 1.0, true);
    Ray ray = {{0.7, 0.13}, {-1.3, 0.71}};
    int ball = add_ball(world, vec3(0.7, 0.13, 0), vec3(-1.3, 0.71, 0), BALL, 1.0, false);
    Drive drive;
    drive_begin(&drive, world, "reference", "");
    for (int frame = 1; frame <= 15 * 60; frame++) {
        drive_frame(&drive, 1.0 / 60);
        sinai_advance(&ray, (long double)(1.0 / 60));
        Vec3 x = world->pose[ball].x;
        double error = (double)hypotl(x.x - ray.x[0], x.y - ray.x[1]);
        if (frame % 60 == 0)
            row("sinai", frame / 60.0, error, stated(&drive));
        if (stated(&drive) < 1e-3) {
            assert_true(error <= stated(&drive));
            assert_true(stated(&drive) <= 1e3 * error + 1e-13);
        }
    }
    drive_end(&drive);
    world_destroy(world);
}

/* A ball on a plane that leans by 20 degrees: along the plane it falls, across it bounces. */
static void a_bounce_on_a_tilted_plane_is_not_further_off_than_stated(void **state)
{
    (void)state;
    double lean = 20.0 * PI / 180.0, r = 0.1, e = 0.8, g = 9.81;
    Vec3 n = vec3(-sin(lean), cos(lean), 0), t = vec3(cos(lean), sin(lean), 0);
    World *world = elastic_world(e);
    build_plane(world, n, 0);
    int ball = add_ball(world, vec3_scale(0.83, n), VEC3_ZERO, r, 1.0, false);
    Drive drive;
    drive_begin(&drive, world, "reference", "");
    long double gn = g * cosl(lean), gt = -g * sinl(lean), y = (long double)0.83 - r, v = 0, since = 0;
    for (int frame = 1; frame <= 120; frame++) {
        drive_frame(&drive, 1.0 / 60);
        since += 1.0 / 60;
        long double left = 1.0 / 60;
        for (;;) { /* y + v t - gn t^2/2 = 0 */
            long double hit = (v + sqrtl(v * v + 2 * gn * y)) / gn;
            if (hit > left)
                break;
            left -= hit;
            v = e * (gn * hit - v);
            y = 0;
        }
        y += left * (v - 0.5L * gn * left);
        v -= gn * left;
        long double along = 0.5L * gt * since * since;
        Vec3 x = world->pose[ball].x, u = world->velocity[ball].v;
        double error = (double)hypotl(vec3_dot(x, n) - r - y, vec3_dot(x, t) - along);
        double off = (double)hypotl(vec3_dot(u, n) - v, vec3_dot(u, t) - gt * since);
        if (frame % 30 == 0) {
            row("tilted", frame / 60.0, error, stated(&drive));
            row("tilted (m/s)", frame / 60.0, off, stated(&drive));
        }
        assert_true(error <= stated(&drive) && off <= 20.0 * stated(&drive));
        assert_true(error < 1e-13 && off < 1e-13); /* each impact is where the gap closes, to round-off */
    }
    drive_end(&drive);
    world_destroy(world);
}

/* Galperin's balls: a heavy one drives a light one against a wall. 100^k : 1 gives the digits of pi: 314 impacts. */
static void galperins_balls_are_not_further_off_than_stated(void **state)
{
    (void)state;
    double r = 0.05, M = 1e4;
    World *world = elastic_world(1.0);
    world->gravity = VEC3_ZERO;
    build_plane(world, vec3(1, 0, 0), 0);
    int light = add_ball(world, vec3(0.6, 0, 0), VEC3_ZERO, r, 1.0, false);
    int heavy = add_ball(world, vec3(1.1, 0, 0), vec3(-0.9, 0, 0), r, M, false);
    Drive drive;
    drive_begin(&drive, world, "reference", "");
    long double x[2] = {(long double)0.6 - r, (long double)1.1 - 3 * (long double)r}, v[2] = {0, -0.9};
    int impacts = 0;
    for (int frame = 1; frame <= 600; frame++) {
        drive_frame(&drive, 1.0 / 60);
        long double left = 1.0 / 60;
        for (;;) { /* points on a line */
            long double wall = v[0] < 0 ? -x[0] / v[0] : INFINITY;
            long double meet = v[0] > v[1] ? (x[1] - x[0]) / (v[0] - v[1]) : INFINITY, dt = fminl(wall, meet);
            if (dt > left)
                break;
            left -= dt;
            x[0] += dt * v[0];
            x[1] += dt * v[1];
            impacts++;
            if (wall < meet) {
                v[0] = -v[0];
            } else {
                long double centre = (v[0] + M * v[1]) / (1 + M);
                v[0] = 2 * centre - v[0];
                v[1] = 2 * centre - v[1];
            }
        }
        x[0] += left * v[0];
        x[1] += left * v[1];
        double error = (double)fmaxl(fabsl(world->pose[light].x.x - r - x[0]),
                                     fabsl(world->pose[heavy].x.x - 3 * (long double)r - x[1]));
        if (frame % 60 == 0)
            row("galperin", frame / 60.0, error, stated(&drive));
        assert_true(error <= stated(&drive));
    }
    assert_int_equal(impacts, 314);
    drive_end(&drive);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_billiard_is_not_further_off_than_stated),
        cmocka_unit_test(a_bounce_on_a_tilted_plane_is_not_further_off_than_stated),
        cmocka_unit_test(galperins_balls_are_not_further_off_than_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
