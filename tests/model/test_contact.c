/* SPDX-License-Identifier: MIT */
/* Detection in a world: who collides, in which order, with which material, and what is carried over. */
#include "model/contact.h"
#include "model/contact/block_contact.h"
#include "tests/support/build.h"

static int add_sphere(World *world, Vec3 x, double radius)
{
    BodyDef def = BODY_DEF_INIT;
    def.name = "sphere";
    def.position = x;
    def.shape = (Shape){.kind = SHAPE_SPHERE, .radius = radius};
    def.density = 1000.0;
    return build_body(world, &def);
}

static int add_box(World *world, Vec3 x, Vec3 size, bool fixed)
{
    BodyDef def = BODY_DEF_INIT;
    def.name = "box";
    def.position = x;
    def.fixed = fixed;
    def.shape = (Shape){.kind = SHAPE_BOX, .size = size};
    def.density = 1000.0;
    return build_body(world, &def);
}

static World *colliding_world(void)
{
    World *world = world_create();
    assert_non_null(world);
    world->collide = true;
    return world;
}

static size_t detect(World *world)
{
    assert_true(contacts_detect(world));
    return world->contacts->manifold_count;
}

static void only_bodies_that_may_collide_do(void **state)
{
    (void)state;
    World *world = colliding_world();
    int a = add_sphere(world, vec3(0, 0, 0), 0.5), b = add_sphere(world, vec3(0.9, 0, 0), 0.5);
    int c = add_box(world, vec3(0, -0.9, 0), vec3(1, 1, 1), true);
    add_box(world, vec3(0, -1.5, 0), vec3(1, 1, 1), true);
    /* a-b, a-c, and b-c within the margin of 1 cm or not: their gap is 0.02. */
    world->pose[b].x = vec3(0.9, 0.12, 0);
    assert_int_equal(detect(world), 2);
    assert_int_equal(world->contacts->manifolds[0].body1, a);
    assert_int_equal(world->contacts->manifolds[0].body2, b);
    assert_int_equal(world->contacts->manifolds[1].body2, c);

    world->collide = false;
    assert_int_equal(detect(world), 0);
    world->collide = true;

    assert_true(world_add_collide_exception(world, c, a));
    assert_int_equal(detect(world), 1);
    assert_int_equal(world->contacts->manifolds[0].body2, b);
    world->collide_except_count = 0;

    JointDef joint = joint_def(JOINT_BALL, b, a);
    joint.anchor[0] = vec3(0.5, 0, 0);
    build_joint(world, &joint);
    assert_int_equal(detect(world), 1);
    assert_int_equal(world->contacts->manifolds[0].body2, c);
    world->joined_collide = true;
    assert_int_equal(detect(world), 2);

    world_remove_body(world, b);
    assert_int_equal(detect(world), 1);
    world->pose[a].x.y = NAN;
    assert_int_equal(detect(world), 0);
    world_destroy(world);
}

static World *random_heap(Random *random)
{
    World *world = colliding_world();
    build_plane(world, vec3(0, 1, 0), -2.0);
    for (int i = 0; i < 60; i++) {
        int body = build_random_box(world, random, "box");
        world->bodies[body].shape.size = vec3_scale(0.6, world->bodies[body].shape.size);
        double radius = random_in(random, 0.1, 0.4);
        add_sphere(world, random_vec3(random, 2.0), radius);
        if (i == 30)
            build_plane(world, vec3(1, 0, 0), -1.5);
    }
    return world;
}

/* A detection finds what all pairs, one by one, find: returns how many. */
static size_t check_against_all_pairs(World *world)
{
    detect(world);
    const Contacts *contacts = world->contacts;
    size_t next = 0;
    for (int i = 1; i < world->body_count; i++)
        for (int k = i + 1; k < world->body_count; k++) {
            if ((world_is_fixed(world, i) && world_is_fixed(world, k)))
                continue;
            Patch patch;
            collide(&contacts->convexes[i], &contacts->convexes[k], world->length_scale, CONTACT_MARGIN, &patch);
            if (patch.count == 0)
                continue;
            assert_true(next < contacts->manifold_count);
            assert_int_equal(contacts->manifolds[next].body1, i);
            assert_int_equal(contacts->manifolds[next++].body2, k);
        }
    assert_int_equal(next, contacts->manifold_count);
    return next;
}

/* A random heap with planes. */
static void detection_finds_what_all_pairs_find(void **state)
{
    (void)state;
    Random random = {0xc047ac7};
    World *world = random_heap(&random);
    assert_true(check_against_all_pairs(world) > 100);
    world_destroy(world);
}

/* Pairs that may be near are listed once for many detections. Bodies creep, one leaps, a plane turns: none is missed,
 * and while all creep the list is that of before. */
static void a_list_of_pairs_serves_until_a_body_leaves(void **state)
{
    (void)state;
    Random random = {0x11572};
    World *world = random_heap(&random);
    check_against_all_pairs(world);
    int kept = 0;
    for (int step = 0; step < 60; step++) {
        for (int i = 1; i < world->body_count; i++)
            if (!world_is_fixed(world, i))
                world->pose[i].x = vec3_add(world->pose[i].x, random_vec3(&random, 0.004));
        if (step % 20 == 10)
            world->pose[5].x = random_vec3(&random, 1.5);
        if (step == 35)
            world->pose[1].q = quat_axis_angle(vec3(0, 0, 1), 0.2);
        size_t listed = world->contacts->broadphase.pair_count;
        Bounds before = world->contacts->broadphase.bodies[5].bounds;
        check_against_all_pairs(world);
        bool same = vec3_is_zero(vec3_sub(before.low, world->contacts->broadphase.bodies[5].bounds.low));
        kept += same && listed == world->contacts->broadphase.pair_count;
        assert_false(same && (step % 20 == 10 || step == 35));
    }
    assert_in_range(kept, 20, 56);
    world_destroy(world);
}

static World *heap_after_a_push(void)
{
    Random random = {0xde7};
    World *world = colliding_world();
    build_plane(world, vec3(0, 1, 0), 0.0);
    for (int i = 0; i < 40; i++)
        build_random_box(world, &random, "box");
    detect(world);
    world->pose[3].x.x += 0.01;
    detect(world);
    return world;
}

/* Which of many equal points a manifold holds depends on the last detection, and on nothing else. */
static void the_same_history_gives_the_same_bits(void **state)
{
    (void)state;
    World *one = heap_after_a_push(), *two = heap_after_a_push();
    const Contacts *a = one->contacts, *b = two->contacts;
    assert_true(a->manifold_count > 20);
    assert_int_equal(a->manifold_count, b->manifold_count);
    for (size_t i = 0; i < a->manifold_count; i++) {
        const Manifold *m = &a->manifolds[i], *n = &b->manifolds[i];
        assert_true(i == 0 || pair_key(m[-1].body1, m[-1].body2) < pair_key(m->body1, m->body2));
        assert_int_equal(m->body1, n->body1);
        assert_int_equal(m->body2, n->body2);
        assert_int_equal(m->count, n->count);
        assert_memory_equal(&m->normal, &n->normal, sizeof m->normal);
        for (int p = 0; p < m->count; p++)
            assert_memory_equal(&m->point[p], &n->point[p], sizeof m->point[p]);
    }
    world_destroy(one);
    world_destroy(two);
}

static void materials_combine_as_the_world_says(void **state)
{
    (void)state;
    const struct {
        Combine how;
        double friction, restitution;
    } expected[] = {{COMBINE_AVERAGE, 0.5, 0.4},
                    {COMBINE_MULTIPLY, 0.21, 0.12},
                    {COMBINE_SUM, 1.0, 0.8},
                    {COMBINE_MIN, 0.3, 0.2},
                    {COMBINE_MAX, 0.7, 0.6}};
    World *world = colliding_world();
    Material one = {"one", 0.3, 0.6, 0.02}, two = {"two", 0.7, 0.2, 0.05};
    int a = add_sphere(world, vec3(0, 0, 0), 0.5), b = add_sphere(world, vec3(0.9, 0, 0), 0.5);
    world->bodies[a].material = world_add_material(world, &one);
    world->bodies[b].material = world_add_material(world, &two);
    for (int i = 0; i < 5; i++) {
        world->combine_friction = world->combine_restitution = expected[i].how;
        assert_int_equal(detect(world), 1);
        const Manifold *m = &world->contacts->manifolds[0];
        assert_near(m->friction, expected[i].friction, 1e-15);
        assert_near(m->restitution, expected[i].restitution, 1e-15);
        assert_near(m->patch_radius, 0.05, 0.0);
    }
    world_destroy(world);
}

/* Overlapping by d, a ball of radius r and a plane share a circle of radius sqrt(2 r d - d^2), balls of r1 and r2 one
 * of sqrt(2 R d) to first order in d, 1/R = 1/r1 + 1/r2. A face with four points needs none. */
static void a_patch_may_come_from_the_shapes_overlap(void **state)
{
    (void)state;
    const double d = 1e-3;
    for (int k = 0; k < 3; k++) {
        World *world = colliding_world();
        Material by_shape = {"round", 0.5, 0.0, NAN};
        build_plane(world, vec3(0, 1, 0), 0.0);
        int body = k == 2 ? add_box(world, vec3(0, 0.5 - d, 0), vec3(1, 1, 1), false)
                          : add_sphere(world, vec3(0, k == 0 ? 0.4 - d : 5.0, 0), 0.4);
        if (k == 1)
            add_sphere(world, vec3(0.7 - d, 5.0, 0), 0.3);
        world->bodies[body].material = world_add_material(world, &by_shape);
        assert_int_equal(detect(world), 1);
        assert_int_equal(world->contacts->manifolds[0].count, k == 2 ? 4 : 1);
        double R = k == 0 ? 0.4 : 0.4 * 0.3 / 0.7, circle = k == 0 ? sqrt(2 * R * d - d * d) : sqrt(2 * R * d);
        assert_near(world->contacts->manifolds[0].patch_radius, k == 2 ? 0.0 : circle, k == 0 ? 1e-3 * circle : 1e-14);
        assert_true(contacts_add_blocks(world));
        assert_int_equal(world->manifolds[0].torsion >= 0, k != 2);
        world_destroy(world);
    }
}

/* Open, it has no patch; beside a material with a length, the larger of both counts. */
static void a_patch_from_overlap_ends_with_it(void **state)
{
    (void)state;
    World *world = colliding_world();
    Material by_shape = {"round", 0.5, 0.0, NAN}, given = {"given", 0.5, 0.0, 0.02};
    int floor = build_plane(world, vec3(0, 1, 0), 0.0), ball = add_sphere(world, vec3(0, 0.4 + 1e-6, 0), 0.4);
    world->bodies[ball].material = world_add_material(world, &by_shape);
    assert_int_equal(detect(world), 1);
    assert_near(world->contacts->manifolds[0].patch_radius, 0.0, 0.0);
    world->bodies[floor].material = world_add_material(world, &given);
    assert_int_equal(detect(world), 1);
    assert_near(world->contacts->manifolds[0].patch_radius, 0.02, 0.0);
    world_destroy(world);
}

static void blocks_follow_the_joints_and_name_their_contact(void **state)
{
    (void)state;
    World *world = colliding_world();
    Material patch = {"patch", 0.4, 0.1, 0.1};
    int floor = build_plane(world, vec3(0, 1, 0), 0.0);
    int box = add_box(world, vec3(0, 0.499, 0), vec3(1, 1, 1), false);
    world->bodies[floor].material = world_add_material(world, &patch);
    JointDef joint = joint_def(JOINT_BALL, 0, box);
    build_joint(world, &joint);
    detect(world);
    for (int twice = 0; twice < 2; twice++) {
        assert_true(contacts_add_blocks(world));
        assert_int_equal(world->block_count, world->joint_block_count + 4 * 2 + 1);
    }
    int first = world->joint_block_count;
    for (int i = 0; i < 4; i++) {
        const Block *contact = &world->blocks[first + 2 * i], *friction = contact + 1;
        assert_int_equal(contact->kind, BLOCK_CONTACT);
        assert_int_equal(friction->kind, BLOCK_FRICTION);
        assert_int_equal(friction->normal_block, first + 2 * i);
        assert_true(friction->seat == contact->seat && (i == 0 || contact->seat != world->blocks[first].seat));
        assert_near(friction->friction, 0.45, 1e-15);
        assert_near(contact->restitution, 0.1, 0.0);
    }
    const Block *torsion = &world->blocks[first + 8];
    assert_int_equal(torsion->kind, BLOCK_TORSION);
    assert_int_equal(world->manifold_count, 1);
    assert_int_equal(world->manifolds[0].first, first);
    assert_int_equal(world->manifolds[0].count, 4);
    assert_int_equal(world->manifolds[0].torsion, first + 8);
    assert_int_equal(torsion->manifold, 0);
    assert_near(torsion->seat->patch_radius, 0.1, 0.0);
    world_destroy(world);
}

/* Leaves a different impulse in each block, moves the box a little, and finds each again. */
static int add_cylinder(World *world, Vec3 x)
{
    BodyDef def = BODY_DEF_INIT;
    def.name = "cylinder";
    def.position = x;
    def.orientation = quat_axis_angle(vec3(1, 0, 0), 0.5 * PI);
    def.shape = (Shape){.kind = SHAPE_CYLINDER, .radius = 0.5, .length = 1.0};
    def.density = 1000.0;
    return build_body(world, &def);
}

/* Whatever a block's place held before, it is as in a world that never had another. */
static void blocks_forget_who_had_their_place(void **state)
{
    (void)state;
    World *world = colliding_world(), *fresh = colliding_world();
    add_box(world, vec3(0, -0.5, 0), vec3(20, 1, 20), true);
    add_box(fresh, vec3(0, -0.5, 0), vec3(20, 1, 20), true);
    int cylinder = add_cylinder(world, vec3(-3, 0.499, 0));
    int box = add_box(world, vec3(3, 0.499, 0), vec3(1, 1, 1), false);
    add_cylinder(fresh, vec3(-3, 5, 0));
    add_box(fresh, vec3(3, 0.499, 0), vec3(1, 1, 1), false);
    assert_true(detect(world) == 2 && contacts_add_blocks(world));
    assert_true(world->blocks[0].rolls && vec3_norm(contact_axis(world, &world->blocks[0], 1)) > 0.5);
    world_remove_body(world, cylinder);
    assert_true(world->blocks[0].off);
    assert_true(detect(world) == 1 && contacts_add_blocks(world));
    assert_true(detect(fresh) == 1 && contacts_add_blocks(fresh));
    assert_int_equal(world->block_count, fresh->block_count);
    for (int b = 0; b < world->block_count; b++) {
        const Block *one = &world->blocks[b], *two = &fresh->blocks[b];
        assert_true(one->body[1] == box && !one->off && !one->rolls && one->joint == -1);
        assert_memory_equal(one->seat, two->seat, sizeof *one->seat);
        assert_true(block_terms(one) == &block_contact_terms);
        assert_int_equal(one->normal_block, two->normal_block);
    }
    world_destroy(fresh);
    world_destroy(world);
}

static void impulses_are_found_again_after_a_small_motion(void **state)
{
    (void)state;
    Random random = {0x3a5};
    World *world = colliding_world();
    add_box(world, vec3(0, -0.5, 0), vec3(4, 1, 4), true);
    int box = add_box(world, vec3(0.2, 0.499, 0.1), vec3(1, 1, 1), false);
    detect(world);
    assert_true(contacts_add_blocks(world));
    for (int b = 0; b < world->block_count; b++)
        world->block_impulse[b] = random_vec3(&random, 3.0);
    contacts_store_impulses(world);
    Vec3 left[4];
    for (int i = 0; i < 4; i++)
        left[i] = world->contacts->manifolds[0].point[i].impulse;

    world->pose[box].x = vec3_add(world->pose[box].x, vec3(1e-4, -1e-4, 2e-4));
    detect(world);
    const Manifold *m = &world->contacts->manifolds[0];
    for (int i = 0; i < 4; i++)
        assert_memory_equal(&m->point[i].impulse, &left[i], sizeof left[i]);
    assert_true(contacts_add_blocks(world));
    for (int i = 0; i < 4; i++) {
        Vec3 normal = world->block_impulse[2 * i], tangent = world->block_impulse[2 * i + 1];
        assert_vec3_near(vec3_add(normal, tangent), left[i], 1e-15);
        assert_near(vec3_dot(tangent, m->normal), 0.0, 1e-15);
        assert_near(vec3_norm(vec3_cross(normal, m->normal)), 0.0, 1e-15);
    }

    /* Away and back: what was cached is gone. */
    world->pose[box].x.y += 1.0;
    assert_int_equal(detect(world), 0);
    world->pose[box].x.y -= 1.0;
    detect(world);
    assert_true(vec3_is_zero(world->contacts->manifolds[0].point[0].impulse));
    world_destroy(world);
}

/* The box slides until its corner hangs over: the point has another name, but is where the old one was. */
static void a_point_that_changes_its_features_keeps_its_impulse(void **state)
{
    (void)state;
    World *world = colliding_world();
    add_box(world, vec3(0, -0.5, 0), vec3(2, 1, 2), true);
    int box = add_box(world, vec3(0.499, 0.499, 0), vec3(1, 1, 1), false);
    detect(world);
    Manifold *before = &world->contacts->manifolds[0];
    for (int i = 0; i < 4; i++)
        before->point[i].impulse = vec3(0, 1.0 + i, 0);
    double sum = 0.0;
    world->pose[box].x.x += 0.003;
    detect(world);
    Manifold *after = &world->contacts->manifolds[0];
    bool renamed = false;
    for (int i = 0; i < 4; i++) {
        renamed = renamed || after->point[i].id != world->contacts->previous[0].point[i].id;
        sum += after->point[i].impulse.y;
    }
    assert_true(renamed);
    assert_near(sum, 10.0, 1e-15);
    world_destroy(world);
}

/* The heights of one sphere over the ground, in turn, and whether its contact recovers there. */
static void only_what_began_inside_recovers_until_it_is_apart(void **state)
{
    (void)state;
    static const struct {
        double height;
        bool recovers;
    } FOUND_INSIDE[] = {{0.37, true}, {0.48, true}, {0.499, true}, {0.503, false}, {0.41, false}},
      PRESSED_IN[] = {{0.5, false}, {0.47, false}, {0.33, false}};
    for (int story = 0; story < 2; story++) {
        World *world = colliding_world();
        build_plane(world, vec3(0, 1, 0), 0.0);
        int ball = add_sphere(world, VEC3_ZERO, 0.5);
        for (int i = 0; i < (story == 0 ? 5 : 3); i++) {
            bool expected = story == 0 ? FOUND_INSIDE[i].recovers : PRESSED_IN[i].recovers;
            world->pose[ball].x.y = story == 0 ? FOUND_INSIDE[i].height : PRESSED_IN[i].height;
            assert_int_equal(detect(world), 1);
            assert_true(contacts_add_blocks(world));
            assert_int_equal(world->blocks[0].recovers, expected);
            assert_int_equal(world->contacts->recovers, expected);
        }
        world_destroy(world);
    }
}

static void looking_ahead_finds_what_speed_will_close(void **state)
{
    (void)state;
    World *world = colliding_world();
    build_plane(world, vec3(0, 1, 0), 0.0);
    int ball = add_sphere(world, vec3(0, 0.15, 0), 0.1);
    assert_int_equal(detect(world), 0);
    world->velocity[ball].v = vec3(0, -6.0, 0);
    world->contacts->reach = 1.0 / 60.0;
    assert_int_equal(detect(world), 1);
    assert_near(world->contacts->manifolds[0].point[0].gap, 0.05, 1e-15);
    world_destroy(world);
}

static void a_mesh_among_other_shapes_is_named(void **state)
{
    (void)state;
    World *world = colliding_world();
    int pair[2] = {-1, -1};
    Vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    Mesh *mesh = mesh_create(4, corners, 4, (const int(*)[3])triangles);
    BodyDef def = BODY_DEF_INIT;
    def.name = "mesh";
    def.shape = (Shape){.kind = SHAPE_MESH, .mesh = mesh};
    def.density = 1000.0;
    int body = build_body(world, &def);
    build_plane(world, vec3(0, 1, 0), 0.0);
    assert_false(contacts_unsupported_pair(world, pair));
    assert_int_equal(detect(world), 1);
    int ball = add_sphere(world, VEC3_ZERO, 0.1);
    assert_true(contacts_unsupported_pair(world, pair));
    assert_int_equal(pair[0], body);
    assert_int_equal(pair[1], ball);
    mesh_destroy(mesh);
    world_destroy(world);
}

/* 120 spheres in one place would be 7140 pairs. */
static void contacts_end_at_the_bound_and_say_so(void **state)
{
    (void)state;
    World *world = colliding_world();
    for (int i = 0; i < 120; i++)
        add_sphere(world, VEC3_ZERO, 0.5);
    assert_int_equal(detect(world), CONTACT_PAIRS + CONTACT_PAIRS_A_BODY * world->body_count);
    assert_true(world->contacts->left_out && contacts_add_blocks(world));
    assert_int_equal(world->block_count, 2 * world->contacts->manifold_count);
    for (int i = 1; i < world->body_count; i++)
        world->pose[i].x = vec3(0.9 * i, 0.0, 0.0);
    assert_int_equal(detect(world), 119);
    assert_false(world->contacts->left_out);
    assert_true(contacts_add_blocks(world));
    assert_int_equal(world->block_count, 2 * 119);
    world_destroy(world);
}

/* More points than the first sums have room for, met in another order in the second substep: each keeps its own. */
static void impulses_of_a_frame_are_summed_by_point(void **state)
{
    (void)state;
    enum { BOXES = 40 };
    World *world = colliding_world();
    int plate = add_box(world, vec3(0, -0.5, 0), vec3(200, 1, 200), true);
    for (int i = 0; i < BOXES; i++)
        add_box(world, vec3(2.0 * i - BOXES, 0.499, 0), vec3(1, 1, 1), false);
    world->contacts->sums_wanted = true;
    for (int frame = 0; frame < 2; frame++) {
        world_begin_frame(world);
        for (int substep = 0; substep < 2; substep++) {
            assert_true(contacts_detect(world) && contacts_add_blocks(world));
            for (int b = 0; b < world->block_count; b++)
                world->block_impulse[b] =
                    vec3(0, world->blocks[b].body[1] == plate ? world->blocks[b].body[0] : world->blocks[b].body[1], 0);
            assert_true(contacts_add_sums(world));
        }
        const Contacts *contacts = world->contacts;
        assert_int_equal(contacts->sum_count, 4 * BOXES);
        for (size_t i = 0; i < contacts->sum_count; i++) {
            int box = contacts->sums[i].body1 == plate ? contacts->sums[i].body2 : contacts->sums[i].body1;
            assert_true(contacts->sums[i].impulse.y == 4.0 * box); /* normal and friction, two substeps */
        }
    }
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_bodies_that_may_collide_do),
        cmocka_unit_test(detection_finds_what_all_pairs_find),
        cmocka_unit_test(a_list_of_pairs_serves_until_a_body_leaves),
        cmocka_unit_test(the_same_history_gives_the_same_bits),
        cmocka_unit_test(materials_combine_as_the_world_says),
        cmocka_unit_test(a_patch_may_come_from_the_shapes_overlap),
        cmocka_unit_test(a_patch_from_overlap_ends_with_it),
        cmocka_unit_test(blocks_follow_the_joints_and_name_their_contact),
        cmocka_unit_test(blocks_forget_who_had_their_place),
        cmocka_unit_test(impulses_are_found_again_after_a_small_motion),
        cmocka_unit_test(a_point_that_changes_its_features_keeps_its_impulse),
        cmocka_unit_test(only_what_began_inside_recovers_until_it_is_apart),
        cmocka_unit_test(looking_ahead_finds_what_speed_will_close),
        cmocka_unit_test(a_mesh_among_other_shapes_is_named),
        cmocka_unit_test(contacts_end_at_the_bound_and_say_so),
        cmocka_unit_test(impulses_of_a_frame_are_summed_by_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
