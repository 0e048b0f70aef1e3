/* SPDX-License-Identifier: MIT */
/* What `settled` says of the scenes: it tells right from wrong, and knows no metre. */
#include "tests/scenes/built.h"

#include <stdio.h>

static void what_stands_is_settled_and_what_has_moved_is_not(void **state)
{
    (void)state;
    static const char *const STANDING[] = {"stack", "pyramid",        "arch",           "card_house",
                                           "wall",  "heavy_on_light", "warm_start_kick"};
    for (size_t c = 0; c < sizeof STANDING / sizeof STANDING[0]; c++) {
        Built scene = built_scene(STANDING[c], "");
        World *world = scene.world;
        assert_true(scene.problem->rest && scene.problem->settled(scene.problem, world));
        for (int i = 2; i < world->body_count; i++) {
            if (strcmp(world->bodies[i].name, "top") == 0)
                continue; /* it is gone at the end */
            Vec3 x = world->pose[i].x;
            world->pose[i].x.z += 0.51;
            assert_false(scene.problem->settled(scene.problem, world));
            world->pose[i].x = x;
        }
        assert_true(scene.problem->settled(scene.problem, world));
        built_destroy(&scene);
    }
}

/* Lengths, speeds and gravity times 2^k, time as it is. */
static void scale_world(World *world, int k)
{
    world->length_scale = ldexp(world->length_scale, k);
    world->gravity = vec3_scale(ldexp(1.0, k), world->gravity);
    for (int i = 0; i < world->body_count; i++) {
        Vec3 *lengths[] = {&world->pose[i].x, &world->velocity[i].v, &world->bodies[i].position};
        for (size_t j = 0; j < sizeof lengths / sizeof lengths[0]; j++)
            *lengths[j] = vec3_scale(ldexp(1.0, k), *lengths[j]);
    }
    for (int b = 0; b < world->joint_block_count; b++) {
        BlockKind kind = world->blocks[b].kind;
        JointTerms *terms = joint_terms(&world->blocks[b]);
        for (int j = 0; j < 2; j++)
            terms->seat.anchor[j] = vec3_scale(ldexp(1.0, k), terms->seat.anchor[j]);
        terms->seat.rest = ldexp(terms->seat.rest, block_unit(kind) == UNIT_LENGTH ? k : 0);
        terms->lower = ldexp(terms->lower, kind == BLOCK_SLIDE ? k : 0);
        terms->upper = ldexp(terms->upper, kind == BLOCK_SLIDE ? k : 0);
    }
}

/* What the last body (or, `body` before it, another one) may have at the scene's own size; what reaches the predicate
 * is five percent nearer or farther: more than 0.1 m/s is from 0.032 sqrt(9.81) m/s. */
typedef struct PredicateEdge {
    const char *scene;
    int body;
    Vec3 shift;   /* m */
    double speed; /* m/s; INFINITY: any */
} PredicateEdge;

/* Of four ways, two shift and two push; the odd ones go too far. */
static void edge_approach(const PredicateEdge *edge, const Built *scene, int way, int k)
{
    World *world = scene->world;
    double part = way % 2 ? 1.05 : 0.95;
    int body = world->body_count - 1 - edge->body;
    bool right = way % 2 == 0 || (way >= 2 && !isfinite(edge->speed));
    if (way < 2)
        world->pose[body].x = vec3_add_scaled(world->pose[body].x, ldexp(part, k), edge->shift);
    else if (isfinite(edge->speed))
        world->velocity[body].v.z = ldexp(part * edge->speed, k);
    if (scene->problem->settled(scene->problem, world) != right)
        fail_msg("%s, 2^%d, way %d", edge->scene, k, way);
}

/* Near the edge of what a predicate allows, from either side, at any size. */
static void predicates_know_no_metre(void **state)
{
    (void)state;
    static const PredicateEdge EDGES[] = {
        {"stack", 0, {0, 0, 0.1}, 0.1},
        {"heavy_on_light", 0, {0, 0, 0.1}, 0.1},
        {"pyramid", 0, {0, 0, 0.1}, 0.1},
        {"card_house", 0, {0, 0, 0.05}, 0.0634},
        {"wall", 0, {0, 0, 0.05}, 0.1},
        {"overlap", 0, {0, 0, 4}, 0.1},
        {"ragdoll", 0, {0, 0, 0.02}, INFINITY},
        {"joint_gallery", 0, {0, 0, 0.01}, INFINITY},
        {"warm_start_kick", 1, {0, 0.01, 0}, 0.1},
    };
    for (size_t c = 0; c < sizeof EDGES / sizeof EDGES[0]; c++)
        for (int way = 0; way < 4; way++)
            for (int k = -10; k <= 10; k += 10) {
                Built scene = built_scene(EDGES[c].scene, "");
                PredicateEdge edge = EDGES[c];
                if (strcmp(edge.scene, "joint_gallery") == 0)
                    edge.body = scene.world->body_count - 2; /* its frame */
                scale_world(scene.world, k);
                edge_approach(&edge, &scene, way, k);
                built_destroy(&scene);
            }
}

/* The same where a predicate reads lengths from the parameters: these are scaled, then the scene is built. */
static void predicates_know_no_metre_of_their_parameters(void **state)
{
    (void)state;
    static const struct {
        PredicateEdge edge;
        const char *settings, *length; /* the parameter that is a length; NULL: the predicate needs none */
        double value;                  /* m, of that length */
    } AT[] = {
        {{"pile", 0, {0, -0.05, 0}, 0.1}, "spheres=1", "radius", 0.5},
        {{"incline", 0, {0, 0, 0.003}, 0.001}, "angle=16deg", NULL, 0.0},
        {{"cylinder", 0, {0.001, 0, 0}, INFINITY}, "mode=target", "length", 0.4},
    };
    for (size_t c = 0; c < sizeof AT / sizeof AT[0]; c++)
        for (int way = 0; way < 4; way++)
            for (int k = -10; k <= 10; k += 10) {
                char settings[128];
                Built own = built_scene(AT[c].edge.scene, AT[c].settings);
                int used = snprintf(settings, sizeof settings, "%s gravity=%.17g", AT[c].settings, ldexp(9.81, k));
                if (AT[c].length)
                    snprintf(settings + used, sizeof settings - (size_t)used, " %s=%.17g", AT[c].length,
                             ldexp(AT[c].value, k));
                Built scene = built_scene(AT[c].edge.scene, settings);
                scene.world->length_scale = ldexp(own.world->length_scale, k);
                if (strcmp(AT[c].edge.scene, "pile") == 0) /* it lies on the ground */
                    scene.world->pose[scene.world->body_count - 1].x = vec3(0, ldexp(AT[c].value, k), 0);
                edge_approach(&AT[c].edge, &scene, way, k);
                built_destroy(&scene);
                built_destroy(&own);
            }
}

static void predicates_tell_right_from_wrong(void **state)
{
    (void)state;
    Built scene = built_scene("incline", "angle=30deg mu=0.3");
    World *world = scene.world;
    assert_false(scene.problem->settled(scene.problem, world)); /* it should slide, and stands */
    Vec3 down = vec3(cos(PI / 6), -0.5, 0);
    world->pose[2].x = vec3_add_scaled(world->pose[2].x, 2.0, down);
    world->velocity[2].v = vec3_scale(sqrt(4.0 * 2.356287237), down);
    assert_true(scene.problem->settled(scene.problem, world));
    world->velocity[2].v = vec3_scale(1.02, world->velocity[2].v);
    assert_false(scene.problem->settled(scene.problem, world));
    built_destroy(&scene);

    scene = built_scene("incline", "angle=16deg mu=0.3");
    assert_true(scene.problem->rest && scene.problem->settled(scene.problem, scene.world));
    scene.world->velocity[2].v.x = 0.002;
    assert_false(scene.problem->settled(scene.problem, scene.world));
    built_destroy(&scene);

    scene = built_scene("incline", "angle=30deg mu=0.6 height=1.8"); /* 1 / 1.8 = 0.556 < tan(angle) = 0.577 */
    assert_true(!scene.problem->rest && !scene.problem->truth);
    assert_false(scene.problem->settled(scene.problem, scene.world));
    scene.world->pose[2].q = quat_axis_angle(vec3(0, 0, 1), -PI / 6 - 0.3);
    assert_true(scene.problem->settled(scene.problem, scene.world));
    built_destroy(&scene);

    scene = built_scene("impact_rod", "");
    assert_true(scene.problem->settled(scene.problem, scene.world));
    scene.world->velocity[2].w.z = 5.8; /* 1.4 J more, as the clipped impulse gives */
    assert_false(scene.problem->settled(scene.problem, scene.world));
    built_destroy(&scene);

    scene = built_scene("dominoes", "count=4");
    assert_false(scene.problem->settled(scene.problem, scene.world));
    for (int i = 2; i < scene.world->body_count; i++)
        scene.world->pose[i].q = quat_axis_angle(vec3(0, 0, 1), -0.7);
    assert_true(scene.problem->settled(scene.problem, scene.world));
    scene.world->pose[4].q = quat_axis_angle(vec3(0, 0, 1), 0.7);
    assert_false(scene.problem->settled(scene.problem, scene.world));
    built_destroy(&scene);
}

/* Three balls, the first with speed 1: (0, 0, 1) is right, (-1/3, 2/3, 2/3) is not. */
static void cradle_knows_the_pairwise_outcome_from_the_simultaneous_one(void **state)
{
    (void)state;
    Built scene = built_scene("cradle", "balls=3");
    World *world = scene.world;
    double speed = sqrt(2.0 * 9.81 * (1.0 - cos(PI / 4))), share[2][3] = {{0, 0, 1}, {-1 / 3.0, 2 / 3.0, 2 / 3.0}};
    world->pose[1].x = vec3(world->pose[2].x.x - 0.2, 0, 0);
    for (int way = 0; way < 2; way++) {
        for (int i = 0; i < 3; i++)
            world->velocity[i + 1].v = vec3(share[way][i] * speed, 0, 0);
        assert_true(scene.problem->settled(scene.problem, world) == (way == 0));
    }
    built_destroy(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_is_settled_and_what_has_moved_is_not),
        cmocka_unit_test(predicates_know_no_metre),
        cmocka_unit_test(predicates_know_no_metre_of_their_parameters),
        cmocka_unit_test(predicates_tell_right_from_wrong),
        cmocka_unit_test(cradle_knows_the_pairwise_outcome_from_the_simultaneous_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
