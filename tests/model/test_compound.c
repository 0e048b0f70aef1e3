/* SPDX-License-Identifier: MIT */
/* Bodies of several shapes, and bodies fused to others: what they weigh, where they are, what they touch. */
#include "model/contact.h"
#include "tests/support/build.h"

/* Products and sums of a few tens of numbers near 1. */
#define ROUND_OFF 1e-13

/* The tensor of a body in the world, about the centre of what moves. */
static Mat3 tensor_of(const World *world, int body)
{
    return mat3_turn_diagonal(world->pose[body].q, world->mass[body].inertia);
}

static void assert_tensor_near(Mat3 a, Mat3 b, double tolerance)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_near(a.m[i][j], b.m[i][j], tolerance);
}

static BodyShape box_part(Vec3 at, Vec3 size, double density)
{
    BodyShape shape = BODY_SHAPE_INIT;
    shape.shape = (Shape){.kind = SHAPE_BOX, .size = size};
    shape.at.x = at;
    shape.density = density;
    return shape;
}

/* Two halves of a box side by side are the box. */
static void halves_together_weigh_what_the_whole_does(void **state)
{
    (void)state;
    Random random = {0xc0111};
    World *world = world_create();
    Vec3 size = {1.3, 0.7, 0.4};
    BodyDef whole = build_random_def(&random, "whole"), halved = whole;
    whole.shape = (Shape){.kind = SHAPE_BOX, .size = size};
    whole.density = 731.0;
    BodyShape halves[2] = {box_part(vec3(-0.325, 0, 0), vec3(0.65, 0.7, 0.4), 731.0),
                           box_part(vec3(0.325, 0, 0), vec3(0.65, 0.7, 0.4), 731.0)};
    halved.name = "halved";
    halved.shapes = halves;
    halved.shape_count = 2;
    int one = build_body(world, &whole), two = build_body(world, &halved);
    assert_near(world->mass[two].mass, world->mass[one].mass, 1e-10);
    assert_tensor_near(tensor_of(world, two), tensor_of(world, one), 1e-10);
    /* Uniform, of a given mass; of the body's own density. */
    halves[0].density = halves[1].density = 0.0;
    halved.mass = 5.0;
    int three = build_body(world, &halved);
    assert_near(world->mass[three].mass, 5.0, 0.0);
    assert_near(tensor_of(world, three).m[0][1] / 5.0, tensor_of(world, one).m[0][1] / world->mass[one].mass,
                ROUND_OFF);
    halved.mass = 0.0;
    halved.density = 731.0;
    int four = build_body(world, &halved);
    assert_near(world->mass[four].mass, world->mass[one].mass, 1e-10);
    world_destroy(world);
}

static void shapes_whose_centre_is_elsewhere_are_refused_with_the_place(void **state)
{
    (void)state;
    World *world = world_create();
    BodyShape part = box_part(vec3(0.25, -0.5, 0), vec3(1, 1, 1), 1000.0);
    BodyDef def = BODY_DEF_INIT;
    Status status = {0};
    def.name = "crooked";
    def.shapes = &part;
    def.shape_count = 1;
    assert_int_equal(world_add_body(world, &def, &status), -1);
    assert_non_null(strstr(status.message, "[0.25, -0.5, 0]"));
    def.mass = 2.0; /* then its own numbers count */
    def.has_inertia = true;
    def.inertia = vec3(1, 1, 1);
    assert_true(world_add_body(world, &def, &status) > 0);
    world_destroy(world);
}

/* R diag R^T given in full is the same body as diag in a frame turned by R. */
static void six_numbers_of_inertia_are_a_turned_frame(void **state)
{
    (void)state;
    Random random = {0xc0112};
    World *world = world_create();
    BodyDef def = build_random_def(&random, "full");
    Quat turn = random_quat(&random);
    Vec3 moments = {1.1, 1.7, 2.3};
    Mat3 I = mat3_turn_diagonal(turn, moments);
    def.mass = 3.0;
    def.has_inertia = true;
    def.inertia = vec3(I.m[0][0], I.m[1][1], I.m[2][2]);
    def.products = vec3(I.m[0][1], I.m[0][2], I.m[1][2]);
    int full = build_body(world, &def);
    Mat3 expected = mat3_turn_diagonal(quat_mul(def.orientation, turn), moments);
    assert_tensor_near(tensor_of(world, full), expected, ROUND_OFF);
    Quat q = world_reported_orientation(world, full);
    assert_near(fabs(q.w * def.orientation.w + vec3_dot(quat_vec(q), quat_vec(def.orientation))), 1.0, ROUND_OFF);
    def.inertia = vec3(1, 1, 1);
    def.products = vec3(2, 0, 0);
    Status status = {0};
    assert_int_equal(world_add_body(world, &def, &status), -1);
    assert_non_null(strstr(status.message, "not all positive"));
    world_destroy(world);
}

typedef struct Pair {
    World *world;
    int root, child, grandchild;
} Pair;

static BodyDef solid_def(Random *random, const char *name)
{
    BodyDef def = build_random_def(random, name);
    def.shape = (Shape){.kind = SHAPE_BOX, .size = random_sides(random, 0.2, 0.9)};
    def.density = random_in(random, 300.0, 900.0);
    def.velocity = def.angular_velocity = VEC3_ZERO;
    return def;
}

static Pair fused_three(Random *random)
{
    Pair pair = {.world = world_create()};
    BodyDef def = solid_def(random, "root");
    def.velocity = vec3(0.3, -0.2, 0.5);
    def.angular_velocity = vec3(0.7, 1.1, -0.4);
    pair.root = build_body(pair.world, &def);
    def = solid_def(random, "child");
    def.fused = true;
    def.parent = pair.root;
    pair.child = build_body(pair.world, &def);
    def = solid_def(random, "grandchild");
    def.fused = true;
    def.parent = pair.child;
    pair.grandchild = build_body(pair.world, &def);
    return pair;
}

/* Sums over the three as single bodies: mass, first moment, momentum, and angular momentum about the origin. */
static void fused_bodies_are_one_of_their_sum(void **state)
{
    (void)state;
    Random random = {0xc0113};
    for (int trial = 0; trial < 20; trial++) {
        Pair pair = fused_three(&random);
        World *world = pair.world;
        int bodies[3] = {pair.root, pair.child, pair.grandchild};
        Vec3 w = world->velocity[pair.root].w, origin = world->bodies[pair.root].position, first = VEC3_ZERO;
        Vec3 momentum = VEC3_ZERO, spin = VEC3_ZERO;
        double mass = 0.0;
        for (int k = 0; k < 3; k++) {
            const BodyDef *def = &world->bodies[bodies[k]];
            const Ride *ride = &world->ride[bodies[k]];
            Vec3 v = vec3_add(world->bodies[pair.root].velocity, vec3_cross(w, vec3_sub(def->position, origin)));
            Vec3 p = vec3_scale(ride->own.mass, v);
            Mat3 I = mat3_turn_diagonal(quat_mul(def->orientation, ride->own_axes), ride->own.inertia);
            mass += ride->own.mass;
            first = vec3_add_scaled(first, ride->own.mass, def->position);
            momentum = vec3_add(momentum, p);
            spin = vec3_add(spin, vec3_add(vec3_cross(def->position, p), mat3_mul_vec(I, w)));
        }
        const Velocity V = world->velocity[pair.root];
        Vec3 x = world->pose[pair.root].x;
        assert_near(world->mass[pair.root].mass, mass, ROUND_OFF * mass);
        assert_vec3_near(x, vec3_scale(1.0 / mass, first), ROUND_OFF);
        assert_vec3_near(vec3_scale(mass, V.v), momentum, 1e-10);
        Vec3 whole = vec3_add(vec3_cross(x, vec3_scale(mass, V.v)), mat3_mul_vec(tensor_of(world, pair.root), V.w));
        assert_vec3_near(whole, spin, 1e-9);
        assert_true(world_is_fixed(world, pair.child) && world_is_fixed(world, pair.grandchild));
        world_destroy(world);
    }
}

static void results_of_fused_bodies_are_their_own_places(void **state)
{
    (void)state;
    Random random = {0xc0114};
    Pair pair = fused_three(&random);
    World *world = pair.world;
    world_follow_fused(world);
    int bodies[3] = {pair.root, pair.child, pair.grandchild};
    for (int k = 0; k < 3; k++)
        assert_vec3_near(world_reported_position(world, bodies[k]), world->bodies[bodies[k]].position, ROUND_OFF);
    /* Moved and turned as one, they keep their distances, and their speeds are a rigid body's. */
    Vec3 apart = vec3_sub(world->bodies[pair.child].position, world->bodies[pair.grandchild].position);
    world->pose[pair.root].x = vec3(3, 4, 5);
    world->pose[pair.root].q = random_quat(&random);
    world_follow_fused(world);
    Vec3 now = vec3_sub(world_reported_position(world, pair.child), world_reported_position(world, pair.grandchild));
    assert_near(vec3_norm(now), vec3_norm(apart), ROUND_OFF);
    Velocity a = world_reported_velocity(world, pair.child), b = world_reported_velocity(world, pair.root);
    Vec3 arm = vec3_sub(world_reported_position(world, pair.child), world_reported_position(world, pair.root));
    assert_vec3_near(a.v, vec3_add(b.v, vec3_cross(b.w, arm)), ROUND_OFF);
    assert_vec3_near(a.w, b.w, 0.0);
    world_destroy(world);
}

static void a_joint_of_a_fused_body_joins_what_moves_it(void **state)
{
    (void)state;
    Random random = {0xc0115};
    Pair pair = fused_three(&random);
    World *world = pair.world;
    int other = build_random_box(world, &random, "other");
    Vec3 place = world_reported_position(world, pair.child);
    JointDef by_place = joint_def(JOINT_BALL, pair.child, other), by_frames = by_place;
    by_place.anchor[0] = place;
    by_frames.local_anchors = true; /* the child's own centre */
    by_frames.anchor[1] = vec3(0.1, 0.2, 0.3);
    const Joint *one = build_joint(world, &by_place);
    assert_int_equal(one->def.body[0], pair.root);
    assert_int_equal(one->listed_body[0], pair.child);
    assert_vec3_near(world_point(world, pair.root, one->anchor[0]), place, ROUND_OFF);
    const Joint *two = build_joint(world, &by_frames);
    assert_vec3_near(world_point(world, pair.root, two->anchor[0]), place, ROUND_OFF);
    world_destroy(world);
}

static size_t touching(World *world)
{
    world->collide = true;
    assert_true(contacts_detect(world));
    return world->contacts->manifold_count;
}

static int add_ball(World *world, Vec3 at, uint32_t group, uint32_t mask)
{
    BodyDef def = BODY_DEF_INIT;
    def.name = "ball";
    def.position = at;
    def.shape = (Shape){.kind = SHAPE_SPHERE, .radius = 0.5};
    def.density = 1.0;
    def.group = group;
    def.mask = mask;
    return build_body(world, &def);
}

/* All pairs of 16 kinds of group and mask against the definition. */
static void groups_and_masks_say_who_touches(void **state)
{
    (void)state;
    for (uint32_t a = 0; a < 16; a++)
        for (uint32_t b = 0; b < 16; b++) {
            World *world = world_create();
            add_ball(world, vec3(0, 0, 0), a & 3, a >> 2);
            add_ball(world, vec3(0.9, 0, 0), b & 3, b >> 2);
            bool may = ((a & 3) & (b >> 2)) || ((b & 3) & (a >> 2));
            assert_int_equal(touching(world), may);
            assert_int_equal(contacts_may_touch(world, 1, 2), may);
            world_destroy(world);
        }
}

static void only_named_pairs_touch_whatever_their_masks(void **state)
{
    (void)state;
    World *world = world_create();
    for (int i = 0; i < 4; i++)
        add_ball(world, vec3(0.9 * i, 0, 0), 0, 0);
    assert_int_equal(touching(world), 0);
    assert_true(world_add_collide_only(world, 3, 2));
    assert_int_equal(touching(world), 1);
    assert_int_equal(world->contacts->manifolds[0].body1, 2);
    assert_true(contacts_may_touch(world, 2, 3) && !contacts_may_touch(world, 1, 2));
    world_destroy(world);
}

/* A dumbbell on a floor: two balls, each with a material of its own, and none against the other. */
static void shapes_of_one_body_touch_others_by_their_own_materials(void **state)
{
    (void)state;
    World *world = world_create();
    Material ice = {"ice", 0.1, 0.0, 0.0}, glue = {"glue", 0.9, 0.0, 0.0};
    int materials[2] = {world_add_material(world, &ice), world_add_material(world, &glue)};
    build_plane(world, vec3(0, 1, 0), 0.0);
    BodyShape balls[2] = {BODY_SHAPE_INIT, BODY_SHAPE_INIT};
    for (int k = 0; k < 2; k++) {
        balls[k].shape = (Shape){.kind = SHAPE_SPHERE, .radius = 0.5};
        balls[k].at.x = vec3(k ? 0.4 : -0.4, 0, 0);
        balls[k].material = materials[k];
        balls[k].mass = 1.0;
    }
    BodyDef def = BODY_DEF_INIT;
    def.name = "dumbbell";
    def.position = vec3(0, 0.499, 0);
    def.shapes = balls;
    def.shape_count = 2;
    int dumbbell = build_body(world, &def);
    assert_int_equal(touching(world), 2);
    for (int m = 0; m < 2; m++) {
        const Manifold *manifold = &world->contacts->manifolds[m];
        assert_int_equal(manifold->body2, dumbbell);
        assert_near(manifold->friction, m ? 0.7 : 0.3, ROUND_OFF); /* with the floor's 0.5, averaged */
        assert_near(manifold->point[0].gap, -0.001, ROUND_OFF);
        assert_vec3_near(manifold->point[0].anchor2, vec3(m ? 0.4 : -0.4, 0, 0), ROUND_OFF);
    }
    /* Each point finds its own impulse again. */
    world->contacts->manifolds[0].point[0].impulse = vec3(0, 1, 0);
    world->contacts->manifolds[1].point[0].impulse = vec3(0, 2, 0);
    assert_int_equal(touching(world), 2);
    assert_near(world->contacts->manifolds[0].point[0].impulse.y, 1.0, 0.0);
    assert_near(world->contacts->manifolds[1].point[0].impulse.y, 2.0, 0.0);
    world_destroy(world);
}

static void fused_bodies_do_not_touch_each_other_nor_what_is_joined_to_them(void **state)
{
    (void)state;
    World *world = world_create();
    int root = add_ball(world, vec3(0, 0, 0), 1, 1);
    BodyDef def = BODY_DEF_INIT;
    def.name = "child";
    def.position = vec3(0.9, 0, 0);
    def.shape = (Shape){.kind = SHAPE_SPHERE, .radius = 0.5};
    def.density = 1.0;
    def.fused = true;
    def.parent = root;
    int child = build_body(world, &def);
    assert_int_equal(touching(world), 0);
    int other = add_ball(world, vec3(1.8, 0, 0), 1, 1);
    assert_int_equal(touching(world), 1);
    assert_int_equal(world->contacts->manifolds[0].body1, root);
    assert_int_equal(world->contacts->manifolds[0].body2, other);
    JointDef joint = joint_def(JOINT_BALL, root, other);
    build_joint(world, &joint);
    assert_int_equal(touching(world), 0);
    world->joined_collide = true;
    assert_int_equal(touching(world), 1);
    assert_true(world_add_collide_exception(world, child, other));
    assert_int_equal(touching(world), 0);
    world_destroy(world);
}

static void what_is_fused_to_something_fixed_is_fixed(void **state)
{
    (void)state;
    World *world = world_create();
    BodyDef def = BODY_DEF_INIT;
    def.name = "shelf";
    def.position = vec3(0, 2, 0);
    def.shape = (Shape){.kind = SHAPE_BOX, .size = vec3(1, 0.1, 1)};
    def.density = 100.0;
    def.fused = true;
    def.parent = 0;
    int shelf = build_body(world, &def);
    assert_true(world_is_fixed(world, shelf) && world->fused_count == 0);
    add_ball(world, vec3(0, 2.54, 0), 1, 1);
    assert_int_equal(touching(world), 1);
    world_destroy(world);
}

static void the_material_of_higher_priority_counts_alone(void **state)
{
    (void)state;
    World *world = world_create();
    Material low = {.name = "low", .friction = 0.9, .restitution = 0.8, .rolling_friction = 0.01};
    Material high = {.name = "high", .friction = 0.2, .spin_friction = 0.03, .static_friction = 0.4, .priority = 1};
    Material slick = {.name = "slick", .friction = 0.6, .frictionless = true};
    PairLaw law = contacts_pair_law(world, &low, &high);
    assert_true(law.friction == 0.2 && law.static_friction == 0.4 && law.restitution == 0.0);
    assert_true(law.rolling_friction == 0.0 && law.spin_friction == 0.03);
    world->combine_friction = COMBINE_MAX;
    law = contacts_pair_law(world, &low, &slick);
    assert_true(law.friction == 0.9 && law.rolling_friction == 0.01);
    law = contacts_pair_law(world, &slick, &slick);
    assert_true(law.friction == 0.0 && law.static_friction == 0.0);
    slick.priority = 1;
    assert_true(contacts_pair_law(world, &low, &slick).friction == 0.0);
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_together_weigh_what_the_whole_does),
        cmocka_unit_test(shapes_whose_centre_is_elsewhere_are_refused_with_the_place),
        cmocka_unit_test(six_numbers_of_inertia_are_a_turned_frame),
        cmocka_unit_test(fused_bodies_are_one_of_their_sum),
        cmocka_unit_test(results_of_fused_bodies_are_their_own_places),
        cmocka_unit_test(a_joint_of_a_fused_body_joins_what_moves_it),
        cmocka_unit_test(groups_and_masks_say_who_touches),
        cmocka_unit_test(only_named_pairs_touch_whatever_their_masks),
        cmocka_unit_test(shapes_of_one_body_touch_others_by_their_own_materials),
        cmocka_unit_test(fused_bodies_do_not_touch_each_other_nor_what_is_joined_to_them),
        cmocka_unit_test(what_is_fused_to_something_fixed_is_fixed),
        cmocka_unit_test(the_material_of_higher_priority_counts_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
