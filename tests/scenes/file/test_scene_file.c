/* SPDX-License-Identifier: MIT */
/* Scene files: what is read is what the file says, and what is written reads back to the same bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/scenes/files.h"

static Problem *read_path(const char *path)
{
    Status status = {0};
    Problem *problem = problem_read(path, &status);
    if (!problem)
        fail_msg("%s", status.message);
    return problem;
}

static Problem *read_text(const char *text)
{
    scratch_write(&scratch, text, strlen(text));
    return read_path(scratch.path);
}

static void assert_same_bodies(const World *a, const World *b)
{
    size_t count = (size_t)a->body_count;
    assert_int_equal(a->body_count, b->body_count);
    assert_memory_equal(a->pose, b->pose, count * sizeof *a->pose);
    assert_memory_equal(a->velocity, b->velocity, count * sizeof *a->velocity);
    assert_memory_equal(a->mass, b->mass, count * sizeof *a->mass);
    assert_memory_equal(a->principal, b->principal, count * sizeof *a->principal);
    for (size_t i = 0; i < count; i++) {
        const BodyDef *p = &a->bodies[i], *q = &b->bodies[i];
        assert_string_equal(p->name, q->name);
        assert_int_equal(p->fixed, q->fixed);
        assert_int_equal(p->material, q->material);
        assert_memory_equal(&p->force, &q->force, sizeof p->force);
        assert_memory_equal(&p->torque, &q->torque, sizeof p->torque);
        assert_int_equal(p->shape.kind, q->shape.kind);
        assert_memory_equal(&p->shape.size, &q->shape.size, sizeof p->shape.size);
        assert_memory_equal(&p->shape.normal, &q->shape.normal, sizeof p->shape.normal);
        assert_true(p->shape.radius == q->shape.radius && p->shape.length == q->shape.length);
        assert_true(p->shape.offset == q->shape.offset);
        if (!a->meshes[i])
            continue;
        const Mesh *m = a->meshes[i], *n = b->meshes[i];
        assert_int_equal(m->vertex_count, n->vertex_count);
        assert_int_equal(m->triangle_count, n->triangle_count);
        assert_memory_equal(m->vertices, n->vertices, (size_t)m->vertex_count * sizeof *m->vertices);
        assert_memory_equal(m->triangles, n->triangles, (size_t)m->triangle_count * sizeof *m->triangles);
    }
}

/* Field by field: the padding between them is anybody's. */
#define ASSERT_SAME_FIELD(a, b, field) assert_memory_equal(&(a)->field, &(b)->field, sizeof(a)->field)

static void assert_same_joints(const World *a, const World *b)
{
    assert_int_equal(a->joint_count, b->joint_count);
    for (int i = 0; i < a->joint_count; i++) {
        const Joint *p = &a->joints[i], *q = &b->joints[i];
        assert_string_equal(p->def.name, q->def.name);
        ASSERT_SAME_FIELD(p, q, anchor);
        ASSERT_SAME_FIELD(p, q, axis);
        ASSERT_SAME_FIELD(&p->def, &q->def, stiffness);
        assert_true(p->def.damping == q->def.damping && p->def.angular_damping == q->def.angular_damping);
        assert_int_equal(joint_has_actuator(p), joint_has_actuator(q));
        assert_int_equal(p->block_count, q->block_count);
    }
    assert_int_equal(a->block_count, b->block_count);
    for (int i = 0; i < a->block_count; i++) {
        const Block *p = &a->blocks[i], *q = &b->blocks[i];
        const JointTerms *t = block_terms(p), *u = block_terms(q);
        ASSERT_SAME_FIELD(p, q, kind);
        ASSERT_SAME_FIELD(p, q, body);
        ASSERT_SAME_FIELD(p->seat, q->seat, anchor);
        ASSERT_SAME_FIELD(t, u, axis);
        ASSERT_SAME_FIELD(p->seat, q->seat, normal);
        ASSERT_SAME_FIELD(t, u, placed);
        ASSERT_SAME_FIELD(p->seat, q->seat, rest);
        ASSERT_SAME_FIELD(t, u, lower);
        ASSERT_SAME_FIELD(t, u, upper);
        ASSERT_SAME_FIELD(t, u, compliance);
        ASSERT_SAME_FIELD(t, u, max_force);
        ASSERT_SAME_FIELD(t, u, one_sided);
        ASSERT_SAME_FIELD(t, u, driven);
        ASSERT_SAME_FIELD(t, u, speed);
        ASSERT_SAME_FIELD(t, u, actuator);
    }
}

static void assert_same_surroundings(const World *a, const World *b)
{
    ASSERT_SAME_FIELD(a, b, gravity);
    ASSERT_SAME_FIELD(a, b, attractor.at);
    ASSERT_SAME_FIELD(a, b, attractor.gm);
    ASSERT_SAME_FIELD(a, b, combine_friction);
    ASSERT_SAME_FIELD(a, b, combine_restitution);
    assert_int_equal(a->material_count, b->material_count);
    for (int i = 0; i < a->material_count; i++) {
        assert_string_equal(a->materials[i].name, b->materials[i].name);
        ASSERT_SAME_FIELD(&a->materials[i], &b->materials[i], friction);
        ASSERT_SAME_FIELD(&a->materials[i], &b->materials[i], restitution);
        ASSERT_SAME_FIELD(&a->materials[i], &b->materials[i], patch_radius);
    }
    assert_int_equal(a->collide, b->collide);
    assert_int_equal(a->collide_except_count, b->collide_except_count);
    if (a->collide_except_count > 0)
        assert_memory_equal(a->collide_except, b->collide_except,
                            (size_t)a->collide_except_count * sizeof *a->collide_except);
}

static void assert_same_problem(const Problem *a, const Problem *b)
{
    assert_string_equal(a->name, b->name);
    ASSERT_SAME_FIELD(a, b, time);
    ASSERT_SAME_FIELD(a, b, energy_scale);
    ASSERT_SAME_FIELD(a, b, speed_scale);
    ASSERT_SAME_FIELD(a->world, b->world, length_scale);
    ASSERT_SAME_FIELD(a, b, conserves);
    ASSERT_SAME_FIELD(a, b, passive);
    ASSERT_SAME_FIELD(a, b, rest);
    ASSERT_SAME_FIELD(a, b, reference);
    ASSERT_SAME_FIELD(a, b, truth_time);
    assert_int_equal(a->event_count, b->event_count);
    for (int i = 0; i < a->event_count; i++)
        assert_true(a->events[i].time == b->events[i].time && a->events[i].remove == b->events[i].remove);
    assert_same_surroundings(a->world, b->world);
    assert_same_bodies(a->world, b->world);
    assert_same_joints(a->world, b->world);
}

/* Writes, reads back, compares everything, and returns the text. */
static char *assert_round_trip(const Problem *problem)
{
    char *text = problem_write(problem);
    assert_non_null(text);
    Problem *again = read_text(text);
    assert_same_problem(problem, again);
    char *same = problem_write(again);
    assert_string_equal(text, same);
    free(same);
    problem_destroy(again);
    return text;
}

static void every_part_of_a_scene_reads_back_to_the_same_bits(void **state)
{
    (void)state;
    char *given = read_rich_text();
    Problem *problem = read_text(given);
    char *text = assert_round_trip(problem);
    assert_null(strstr(text, "inf"));
    assert_null(strstr(text, "nan"));
    free(text);
    free(given);
    problem_destroy(problem);
}

static void a_file_means_what_it_says(void **state)
{
    (void)state;
    Problem *problem = read_path(TEST_DATA "/rich.json");
    const World *world = problem->world;
    assert_string_equal(problem->name, "all \"of\" it \xc3\xa4");
    assert_true(problem->time == 3.7 && problem->energy_scale == 123.456789012345678 && world->length_scale == 0.37);
    assert_int_equal(problem->conserves, CONSERVES_ENERGY | CONSERVES_ANGULAR_MOMENTUM);
    assert_true(problem->rest && problem->reference && problem->passive);
    assert_true(signbit(world->gravity.z) && world->attractor.gm == 0.7);
    assert_int_equal(world->combine_friction, COMBINE_MULTIPLY);
    assert_int_equal(world->combine_restitution, COMBINE_MIN);
    assert_true(world->materials[0].friction == 0.1 && world->materials[0].restitution == 0.2);
    const BodyDef *ball = &world->bodies[world_find_body(world, "ball")];
    assert_string_equal(world->materials[ball->material].name, "steel");
    assert_true(ball->shape.radius == 0.17 && ball->velocity.z == 1e-17 && ball->density == 811.5);
    assert_true(world->collide && world->collide_except_count == 2);
    assert_int_equal(world->collide_except[1][1], world_find_body(world, "drum"));
    assert_int_equal(world->joint_count, 16);
    assert_string_equal(world->joints[15].def.name, "joint16");
    assert_true(world->joints[1].def.one_sided && world->joints[1].def.rest == 7.7);
    assert_true(isnan(world->joints[0].def.rest));
    /* In order of time. */
    assert_int_equal(problem->events[0].remove, world_find_body(world, "p4"));
    assert_true(problem->events[1].time == 2.5);
    problem_destroy(problem);
}

static void a_shape_that_is_shifted_to_its_centre_is_said(void **state)
{
    (void)state;
    Problem *problem = read_path(TEST_DATA "/rich.json");
    assert_non_null(problem->notes);
    assert_non_null(strstr(problem->notes, "bodies[5] (rock): shape shifted by ["));
    /* The wedge's centre: a third along its triangle, half along its length. */
    assert_non_null(strstr(problem->notes, "bodies[6] (wedge): shape shifted by [-0.333333, -0.2, -0.35]"));
    const Mesh *wedge = problem->world->meshes[world_find_body(problem->world, "wedge")];
    assert_true(fabs(wedge->vertices[0].x + 1.0 / 3.0) < 1e-15);
    problem_destroy(problem);
}

static void what_a_file_leaves_out_has_its_default(void **state)
{
    (void)state;
    Problem *problem =
        read_text("{\"rigor\": 1, \"bodies\": [{\"name\": \"a\", \"mass\": 2, \"position\": [3, 4, 0]}]}");
    const World *world = problem->world;
    assert_string_equal(problem->name, "scene");
    assert_true(problem->time == 10.0 && world->gravity.y == -9.81 && world->gravity.x == 0.0);
    assert_true(world->collide && world->collide_except_count == 0);
    assert_true(problem->passive && !problem->rest && !problem->reference && problem->conserves == 0);
    assert_true(world->bodies[1].orientation.w == 1.0 && world->bodies[1].material == 0);
    assert_true(world->mass[1].mass == 2.0 && vec3_is_zero(world->mass[1].inv_inertia));
    /* 5 m from the origin: m g drop = 2 x 9.81 x 5 J, sqrt(2 g drop); 1e-15: a few roundings. */
    assert_true(fabs(problem->energy_scale / 98.1 - 1.0) < 1e-15);
    assert_true(fabs(problem->speed_scale / sqrt(98.1) - 1.0) < 1e-15);
    assert_null(problem->notes);
    free(assert_round_trip(problem));
    problem_destroy(problem);
}

static void drives_and_forces_make_a_scene_active(void **state)
{
    (void)state;
    static const char *const additions[] = {
        "\"force\": [0, 1, 0]}]", "\"inertia\": [1, 1, 1], \"torque\": [0, 1, 0]}]",
        "\"inertia\": [1, 1, 1]}], \"joints\": [{\"type\": \"motor\", \"bodies\": [\"world\", \"a\"], "
        "\"anchor\": [0, 0, 0], \"axis\": [0, 1, 0], \"speed\": 1}]",
        "\"inertia\": [1, 1, 1]}], \"joints\": [{\"type\": \"cylinder\", \"bodies\": [\"world\", \"a\"], "
        "\"anchor\": [0, 0, 0], \"axis\": [0, 1, 0], \"force\": 1}]"};
    for (size_t i = 0; i < sizeof additions / sizeof additions[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "{\"rigor\": 1, \"bodies\": [{\"name\": \"a\", \"mass\": 2, %s}", additions[i]);
        Problem *problem = read_text(text);
        assert_false(problem->passive);
        problem_destroy(problem);
    }
}

static void typed_quaternions_become_unit_and_unit_ones_keep_their_bits(void **state)
{
    (void)state;
    Problem *problem = read_text("{\"rigor\": 1, \"bodies\": ["
                                 "{\"name\": \"a\", \"mass\": 1, \"orientation\": [0.707, 0, -0.707, 0]},"
                                 "{\"name\": \"b\", \"mass\": 1, \"orientation\": [0.6, 0, 0.8000000000000003, 0]}]}");
    Quat a = problem->world->bodies[1].orientation, b = problem->world->bodies[2].orientation;
    /* Round-off of one normalisation. */
    assert_true(fabs(a.w - sqrt(0.5)) < 4e-16 && a.y == -a.w);
    assert_true(b.w == 0.6 && b.y == 0.8000000000000003);
    problem_destroy(problem);
}

static void every_built_in_scene_reads_back_to_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < scene_count; i++) {
        Status status = {0};
        Problem *problem = scene_build(all_scenes[i], NULL, &status);
        assert_non_null(problem);
        free(assert_round_trip(problem));
        problem_destroy(problem);
    }
}

/* The same for what only code can leave open: an infinite bound, a default material that was changed. */
static void a_scene_built_by_code_reads_back_to_the_same_bits(void **state)
{
    (void)state;
    Problem *problem = problem_create("by code");
    World *world = problem->world;
    Status status = {0};
    world->materials[0].friction = 1.0 / 3.0;
    world->gravity = vec3(-0.0, 0.0, 1.0 / 7.0);
    world->attractor = (Attractor){vec3(0.0, 1e-300, 5e-324), 1.0 / 9.0};
    BodyDef def = BODY_DEF_INIT;
    def.name = "turned";
    def.orientation = quat_mul(quat_axis_angle(vec3_unit(vec3(1, 2, 3)), 0.7), quat_axis_angle(vec3(0, 1, 0), 1.9));
    def.position = vec3(1.0 / 3.0, 2.0 / 7.0, -0.0);
    def.shape = (Shape){.kind = SHAPE_BOX, .size = vec3(0.1, 0.2, 0.30000000000000004)};
    def.density = 1e3 / 3.0;
    int first = world_add_body(world, &def, &status);
    def.name = "other";
    def.position = vec3(1.0, 0.0, 12345678901234567890.0);
    int second = world_add_body(world, &def, &status);
    JointDef joint = joint_def(JOINT_SERVO, first, second);
    joint.name = "drive";
    joint.axis = vec3(0.1, 0.2, 0.3);
    joint.max_torque = INFINITY;
    assert_true(world_add_joint(world, &joint, &status) >= 0);
    problem_set_scales(problem, 0.1);
    free(assert_round_trip(problem)); /* nothing collides unless the scene says so */
    world->collide = true;
    for (int i = 0; i < 70; i++)
        assert_true(world_add_collide_exception(world, i % 3, (i + 1) % 3));
    free(assert_round_trip(problem));

    /* No file can say that a prismatic joint twists freely: better no file than another scene. */
    joint = joint_def(JOINT_PRISMATIC, first, second);
    joint.axis = vec3(1, 0, 0);
    joint.angle_min = -INFINITY;
    joint.angle_max = INFINITY;
    assert_true(world_add_joint(world, &joint, &status) >= 0);
    assert_null(problem_write(problem));
    problem_destroy(problem);
}

static void vectors_stand_on_one_line_and_numbers_are_as_short_as_can_be(void **state)
{
    (void)state;
    Problem *problem =
        read_text("{\"rigor\": 1, \"name\": \"n\", \"energy_scale\": 1, \"speed_scale\": 0.1, \"bodies\": "
                  "[{\"name\": \"a\", \"mass\": 0.30000000000000004, \"position\": [0.1, 2, 1e-7]}]}");
    char *text = problem_write(problem);
    assert_string_equal(text, "{\n"
                              "  \"rigor\": 1,\n"
                              "  \"name\": \"n\",\n"
                              "  \"gravity\": [0, -9.81, 0],\n"
                              "  \"time\": 10,\n"
                              "  \"energy_scale\": 1,\n"
                              "  \"speed_scale\": 0.1,\n"
                              "  \"length_scale\": 1,\n"
                              "  \"bodies\": [{\"name\": \"a\", \"position\": [0.1, 2, 1e-07], "
                              "\"mass\": 0.30000000000000004}]\n"
                              "}\n");
    free(text);
    problem_destroy(problem);
}

static void a_mesh_that_no_file_holds_is_not_written(void **state)
{
    (void)state;
    Problem *problem = read_path(TEST_DATA "/rich.json");
    Mesh *mesh = problem->world->meshes[world_find_body(problem->world, "wedge")];
    free(mesh->file);
    mesh->file = NULL;
    assert_null(problem_write(problem));
    problem_destroy(problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_of_a_scene_reads_back_to_the_same_bits),
        cmocka_unit_test(a_file_means_what_it_says),
        cmocka_unit_test(a_shape_that_is_shifted_to_its_centre_is_said),
        cmocka_unit_test(what_a_file_leaves_out_has_its_default),
        cmocka_unit_test(drives_and_forces_make_a_scene_active),
        cmocka_unit_test(typed_quaternions_become_unit_and_unit_ones_keep_their_bits),
        cmocka_unit_test(every_built_in_scene_reads_back_to_the_same_bits),
        cmocka_unit_test(a_scene_built_by_code_reads_back_to_the_same_bits),
        cmocka_unit_test(vectors_stand_on_one_line_and_numbers_are_as_short_as_can_be),
        cmocka_unit_test(a_mesh_that_no_file_holds_is_not_written),
    };
    return cmocka_run_group_tests(tests, open_scratch, close_scratch);
}
