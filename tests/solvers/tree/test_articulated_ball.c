/* SPDX-License-Identifier: MIT */
/* The recursions of balls, one and four at once, against the general ones: the same numbers to the bit. */
#include "solvers/tree/articulated.h"
#include "tests/solvers/mechanisms.h"
#include "tests/support/drive.h"

enum { TRIALS = 24, MOST_LINKS = 40 };

/* What links hang on, and what by: the one before; any; any, and some by hinges, some the other way round. */
typedef enum Growth { CHAIN, TREE, MIXED, GROWTHS } Growth;

static World *random_tree(Random *random, Growth growth, int links)
{
    World *world = world_create();
    world->gravity = random_vec3(random, 10.0);
    for (int i = 1; i <= links; i++) {
        int parent = growth == CHAIN ? i - 1 : (int)(random_bits(random) % (unsigned)i);
        Vec3 at = parent == 0 ? random_vec3(random, 1.0) : vec3_add(world->pose[parent].x, random_vec3(random, 0.4));
        BodyDef def = BODY_DEF_INIT;
        def.name = "link";
        def.position = vec3_add(at, random_vec3(random, 0.4));
        def.orientation = random_quat(random);
        def.velocity = random_vec3(random, 2.0);
        def.angular_velocity = random_vec3(random, 2.0);
        def.mass = random_in(random, 0.1, 3.0);
        def.has_inertia = true;
        def.inertia = vec3(random_in(random, 0.1, 0.2), random_in(random, 0.1, 0.2), random_in(random, 0.1, 0.2));
        def.force = growth == TREE ? random_vec3(random, 1.0) : VEC3_ZERO;
        def.torque = growth == TREE ? random_vec3(random, 1.0) : VEC3_ZERO;
        int body = build_body(world, &def);
        bool hinge = growth == MIXED && i % 3 == 0, back = growth == MIXED && i % 2 == 0;
        mechanism_join(world, hinge ? JOINT_HINGE : JOINT_BALL, back ? body : parent, back ? parent : body, at);
    }
    return world;
}

typedef struct Solved {
    World *world;
    Articulated tree;
    Motion motion;
    Velocity alone[MOST_LINKS + 1];
    Vec3 impulse[4 * MOST_LINKS];
} Solved;

/* Read, placed, loaded, solved; with a torque at every coordinate. */
static void solve(Solved *s, uint64_t seed, Growth growth, int links, bool general, bool absolute)
{
    Random random = {seed};
    CommonOptions options = {1, 1, INTEGRATE_RK4, GYROSCOPIC_EXPLICIT, 0.0};
    Status status;
    *s = (Solved){.world = random_tree(&random, growth, links)};
    assert_true(articulated_init(&s->tree, s->world) && motion_init(&s->motion, s->world, &options));
    s->tree.general = general;
    s->tree.absolute = absolute;
    assert_true(articulated_connect(&s->tree, s->world, &status));
    articulated_read(&s->tree, s->world, s->world->velocity_before);
    motion_collect_forces(&s->motion, s->world);
    articulated_place_loaded(&s->tree, s->tree.state, s->world, &s->motion, s->alone);
    for (int i = 0; i < links; i++)
        for (int k = 0; k < s->tree.links[i].dofs; k++)
            s->tree.links[i].moves->given[k] = random_in(&random, -1, 1);
    articulated_solve(&s->tree);
    articulated_reactions(&s->tree, s->world, 0.7, s->impulse);
}

static void solved_free(Solved *s)
{
    motion_free(&s->motion);
    articulated_free(&s->tree);
    world_destroy(s->world);
}

static void assert_same_link(const Solved *a, const Solved *b, int i)
{
    const Link *one = &a->tree.links[i], *two = &b->tree.links[i];
    size_t coordinates = sizeof(double) * one->dofs;
    assert_int_equal(one->body, two->body);
    assert_memory_equal(one->at, two->at, sizeof *one->at);
    assert_memory_equal(one->moves->A, two->moves->A, sizeof one->moves->A);
    assert_memory_equal(one->moves->F, two->moves->F, sizeof one->moves->F);
    assert_memory_equal(one->moves->qddot, two->moves->qddot, coordinates);
    LinkState from = link_get(one, a->tree.state), same = link_get(two, b->tree.state);
    LinkState rate = link_derivative(one, &from, a->world, true), other = link_derivative(two, &same, b->world, true);
    assert_memory_equal(&rate.turn, &other.turn, sizeof rate.turn);
    assert_memory_equal(&rate.spin, &other.spin, sizeof rate.spin);
}

static void balls_are_solved_as_any_joint_is_to_the_bit(void **state)
{
    (void)state;
    static Solved balls, general;
    for (int trial = 0; trial < TRIALS; trial++) {
        Growth growth = trial % GROWTHS;
        int links = 1 + trial * (MOST_LINKS - 1) / (TRIALS - 1), fours = 0, found = 0;
        solve(&balls, 0xba11u + (unsigned)trial, growth, links, false, false);
        solve(&general, 0xba11u + (unsigned)trial, growth, links, true, false);
        for (int i = 0; i < links; i++) {
            assert_same_link(&balls, &general, i);
            assert_false(general.tree.links[i].ball || general.tree.links[i].four);
            fours += balls.tree.links[i].four;
            found += balls.tree.links[i].ball;
        }
        assert_int_equal(found, growth == MIXED ? links - links / 3 : links);
        assert_true(growth != CHAIN || fours == links / 4);
        size_t bodies = (size_t)links + 1;
        assert_memory_equal(balls.world->pose, general.world->pose, sizeof(Pose) * bodies);
        assert_memory_equal(balls.world->velocity, general.world->velocity, sizeof(Velocity) * bodies);
        assert_memory_equal(balls.impulse, general.impulse, sizeof(Vec3) * (size_t)balls.world->block_count);
        solved_free(&balls);
        solved_free(&general);
    }
}

/* Against the world, too, accelerations are those of the same motion, but for round-off of sums of some dozen. */
static void balls_that_turn_against_the_world_are_accelerated_alike(void **state)
{
    (void)state;
    static Solved relative, absolute;
    for (int trial = 0; trial < TRIALS; trial++) {
        solve(&relative, 0xab5u + (unsigned)trial, trial % GROWTHS, MOST_LINKS, false, false);
        solve(&absolute, 0xab5u + (unsigned)trial, trial % GROWTHS, MOST_LINKS, false, true);
        double largest = 0.0, apart = 0.0;
        for (int i = 0; i < MOST_LINKS; i++)
            for (int k = 0; k < 6; k++) {
                double a = relative.tree.links[i].moves->A[k], b = absolute.tree.links[i].moves->A[k];
                largest = fmax(largest, fabs(a));
                apart = fmax(apart, fabs(a - b));
            }
        assert_true(apart < 1e-11 * largest);
        solved_free(&relative);
        solved_free(&absolute);
    }
}

/* Bodies that do not follow each other are not taken four at once: backward, none are; with the first link's body last,
 * fours begin at the second. Every third joint has its bodies the other way round. */
typedef enum Numbering { FORWARD, BACKWARD, FIRST_IS_LAST, NUMBERINGS } Numbering;

enum { CHAIN_LINKS = 150 };

static int body_of(Numbering numbering, int link)
{
    if (numbering == BACKWARD)
        return CHAIN_LINKS - link;
    return numbering == FORWARD ? 1 + link : link == 0 ? CHAIN_LINKS : link;
}

static World *numbered_chain(Numbering numbering)
{
    World *world = world_create();
    for (int body = 1; body <= CHAIN_LINKS; body++) {
        int k = 0;
        while (body_of(numbering, k) != body)
            k++;
        mechanism_add_box(world, vec3((k + 0.5) * 0.2, 0.05 * (k % 3), 0.03 * (k % 2)), vec3(0.2, 0.05, 0.04));
    }
    for (int k = 0; k < CHAIN_LINKS; k++) {
        int body = body_of(numbering, k), before = k == 0 ? 0 : body_of(numbering, k - 1);
        bool back = k % 3 == 1;
        mechanism_join(world, JOINT_BALL, back ? body : before, back ? before : body,
                       vec3(k * 0.2, 0.05 * (k % 3), 0.01));
    }
    world->gravity = vec3(0.3, -9.81, 0.7);
    drive_run(world, "featherstone", "substeps=2", 1.0 / 60, 10);
    return world;
}

static void a_step_does_not_depend_on_how_many_are_taken_at_once(void **state)
{
    (void)state;
    World *ones = numbered_chain(BACKWARD);
    for (Numbering n = 0; n < NUMBERINGS; n++) {
        World *world = numbered_chain(n);
        for (int k = 0; k < CHAIN_LINKS; k++) {
            int one = body_of(BACKWARD, k), other = body_of(n, k);
            assert_memory_equal(&ones->pose[one], &world->pose[other], sizeof(Pose));
            assert_memory_equal(&ones->velocity[one], &world->velocity[other], sizeof(Velocity));
            assert_memory_equal(&ones->joints[k].impulse, &world->joints[k].impulse, sizeof(Vec3));
        }
        world_destroy(world);
    }
    world_destroy(ones);
}

/* A force on the world's side of a joint is the weight of all that hangs there, whichever side is written first. */
static void joints_carry_what_hangs_on_them(void **state)
{
    (void)state;
    double weight[2];
    for (int back = 0; back < 2; back++) {
        World *world = world_create();
        world->gravity = vec3(0, -10, 0);
        for (int i = 1; i <= 5; i++) {
            mechanism_add_box(world, vec3(0, -i, 0), vec3(0.1, 1, 0.1));
            mechanism_join(world, JOINT_BALL, back ? i : i - 1, back ? i - 1 : i, vec3(0, 0.5 - i, 0));
        }
        drive_run(world, "featherstone", "", 1.0 / 60, 1);
        weight[back] = world->joints[0].impulse.y * 60.0;
        assert_near(fabs(weight[back]), 10.0 * 5.0 * world->mass[1].mass, 1e-9);
        world_destroy(world);
    }
    assert_near(weight[0], -weight[1], 1e-9);
    assert_true(weight[0] > 0.0);
}

/* A chain that hangs at rest, then falls to the side: as if it had not hung before, nor been pushed. */
static double sideways_speed(bool hung, bool pushed)
{
    World *world = world_create();
    Drive drive;
    for (int i = 1; i <= 6; i++) {
        mechanism_add_box(world, vec3(0, -i, 0), vec3(0.1, 1, 0.1));
        mechanism_join(world, JOINT_BALL, i - 1, i, vec3(0, 0.5 - i, 0));
    }
    drive_begin(&drive, world, "featherstone", "substeps=2");
    world->gravity = hung ? vec3(0, -10, 0) : vec3(10, 0, 0);
    if (hung)
        drive_frame(&drive, 1.0 / 60);
    world->gravity = pushed ? world->gravity : vec3(10, 0, 0);
    for (int i = 1; i <= 6 && pushed; i++)
        world->bodies[i].force = vec3(10.0 * world->mass[i].mass, 10.0 * world->mass[i].mass, 0);
    drive_frame(&drive, 1.0 / 60);
    double speed = world->velocity[6].v.x;
    drive_end(&drive);
    world_destroy(world);
    return speed;
}

static void what_changes_between_steps_is_felt_at_once(void **state)
{
    (void)state;
    double speed = sideways_speed(false, false);
    assert_true(speed > 0.1);
    assert_near(sideways_speed(true, false), speed, 1e-12);
    assert_near(sideways_speed(true, true), speed, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_are_solved_as_any_joint_is_to_the_bit),
        cmocka_unit_test(balls_that_turn_against_the_world_are_accelerated_alike),
        cmocka_unit_test(a_step_does_not_depend_on_how_many_are_taken_at_once),
        cmocka_unit_test(joints_carry_what_hangs_on_them),
        cmocka_unit_test(what_changes_between_steps_is_felt_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
