/* SPDX-License-Identifier: MIT */
/* Two boxes: the search of the axis against all fifteen of them, and clipping four corners at a time against clipping
 * of any polygons. */
#include "tests/model/shapes.h"

#define MARGIN 0.05
/* 1 - cosine below which directions are one, and how near to that a pair may be called either way. */
#define SAME_DIRECTION 5e-7
#define EITHER_WAY 1e-9

typedef struct Boxes {
    Convex a, b;
    int roll; /* 0: they lie on each other along y, 1: along z, 2: along x */
} Boxes;

static Convex box_at(Vec3 size, Vec3 x, Quat q)
{
    Convex box;
    convex_place(&box, &(Shape){.kind = SHAPE_BOX, .size = size}, NULL, x, q);
    return box;
}

/* x, y, z become y, z, x, `times` times. */
static Vec3 rolled(Vec3 v, int times)
{
    return times == 0 ? v : rolled(vec3(v.z, v.x, v.y), times - 1);
}

/* One on the other along any of their axes, askew by up to 1e-8 to 0.1 rad, every third pair turned about it, every
 * fifth flush. */
static Boxes random_boxes(Random *random, int trial)
{
    Vec3 size = random_sides(random, 0.2, 1.2), other = trial % 2 ? size : random_sides(random, 0.2, 1.2);
    double askew = pow(10.0, random_in(random, -8.0, -1.0)), yaw = trial % 3 ? 0.0 : random_in(random, -PI, PI);
    Vec3 x = random_vec3(random, 2.0), d = random_across(random, -0.5, 0.5, 0.0), turn = random_vec3(random, askew);
    Quat q = trial % 7 ? random_quat(random) : QUAT_IDENTITY;
    d = vec3_mul(vec3_add(size, other), d);
    d.y = 0.5 * (size.y + other.y) + random_in(random, -0.012, 0.004);
    d.z = trial % 5 ? d.z : random_in(random, -1e-4, 1e-4);
    int roll = trial / 2 % 3;
    Quat q2 = quat_mul(quat_mul(q, quat_exp(turn)), quat_axis_angle(rolled(vec3(0, 1, 0), roll), yaw));
    Convex lower = box_at(rolled(size, roll), x, q);
    Convex upper = box_at(rolled(other, roll), vec3_add(x, quat_rotate(q, rolled(d, roll))), q2);
    return trial % 4 < 2 ? (Boxes){lower, upper, roll} : (Boxes){upper, lower, roll};
}

static Vec3 column(const Convex *box, int i)
{
    return vec3(box->turn.m[0][i], box->turn.m[1][i], box->turn.m[2][i]);
}

/* The separation along the unit direction n, from supports. */
static double separation_along(const Boxes *boxes, Vec3 n)
{
    Vec3 back = vec3_negate(n);
    double one = vec3_dot(n, vec3_sub(convex_support(&boxes->b, back), convex_support(&boxes->a, n)));
    double two = vec3_dot(back, vec3_sub(convex_support(&boxes->b, n), convex_support(&boxes->a, back)));
    return fmax(one, two);
}

/* All axes; returns how many. */
static int all_axes(const Boxes *boxes, Vec3 n[15])
{
    int count = 0;
    for (int i = 0; i < 3; i++) {
        n[count++] = column(&boxes->a, i);
        n[count++] = column(&boxes->b, i);
    }
    for (int i = 0; i < 9; i++) {
        Vec3 cross = vec3_cross(column(&boxes->a, i / 3), column(&boxes->b, i % 3));
        if (vec3_norm(cross) > 1e-5)
            n[count++] = vec3_unit(cross);
    }
    return count;
}

/* Whether the axis has a rival: 1 or 0; -1 where round-off may decide. */
static int has_rival(const Boxes *boxes, const Axis *axis)
{
    Vec3 n[15];
    int count = all_axes(boxes, n), has = 0;
    for (int i = 0; i < count; i++) {
        double over = separation_along(boxes, n[i]) - (axis->separation - EDGE_GAP);
        double other = 1.0 - SAME_DIRECTION - fabs(vec3_dot(n[i], axis->n));
        if (over < -EITHER_WAY || other < -EITHER_WAY)
            continue;
        if (over < EITHER_WAY || other < EITHER_WAY)
            return -1;
        has = 1;
    }
    return has;
}

/* Whether edge_soften_axis would leave the axis. */
static bool stays(const Boxes *boxes, const Axis *axis)
{
    Axis inner;
    double inset = edge_inset(&boxes->a, &boxes->b, 1.0, axis->separation);
    return !(inset > 0.0) || gjk_distance(&boxes->a, &boxes->b, inset, &inner) == 0.0 ||
           vec3_norm(vec3_cross(inner.n, axis->n)) < 1e-6;
}

static void the_axis_is_the_best_of_all_and_knows_its_rivals(void **state)
{
    (void)state;
    Random random = {0xb0c5e5};
    int edges = 0, rivals = 0, none = 0, held = 0;
    for (int trial = 0; trial < 40000; trial++) {
        Boxes boxes = random_boxes(&random, trial);
        Vec3 n[15];
        Axis axis;
        box_box_axis(&boxes.a, &boxes.b, 1.0, &axis);
        double best = -INFINITY, size = vec3_norm(boxes.a.half) + vec3_norm(boxes.b.half);
        for (int i = 0, count = all_axes(&boxes, n); i < count; i++)
            best = fmax(best, separation_along(&boxes, n[i]));
        assert_near(axis.separation, best, 3e-9 * size);
        assert_near(axis.separation, separation_along(&boxes, axis.n), 1e-12);
        int rival = has_rival(&boxes, &axis);
        edges += axis.edge_a >= 0;
        if (axis.rival > axis.separation - EDGE_GAP) {
            assert_int_not_equal(rival, 0);
            rivals++;
        } else if (rival > 0) {
            assert_true(stays(&boxes, &axis));
            held++;
        } else {
            none++;
        }
    }
    assert_true(edges > 1000 && rivals > 1000 && none > 1000 && held > 1000);
}

static void assert_same_touch(const Touch *one, const Touch *two)
{
    assert_true(one->id == two->id && one->gap == two->gap);
    assert_true(vec3_is_zero(vec3_sub(one->point1, two->point1)));
    assert_true(vec3_is_zero(vec3_sub(one->point2, two->point2)));
    assert_true(one->radius1 == two->radius1 && one->radius2 == two->radius2);
}

static void faces_are_clipped_to_the_bits_of_any_polygons(void **state)
{
    (void)state;
    Random random = {0xc11b};
    int points[9] = {0};
    for (int trial = 0; trial < 40000; trial++) {
        Boxes boxes = random_boxes(&random, trial);
        bool on_a = random_in(&random, 0.0, 1.0) < 0.5;
        Vec3 lean = random_vec3(&random, trial % 4 ? 1e-3 : 0.1);
        Axis axis = {.n = vec3_unit(vec3_add(column(on_a ? &boxes.a : &boxes.b, (1 + boxes.roll) % 3), lean))};
        if (vec3_dot(axis.n, vec3_sub(boxes.b.x, boxes.a.x)) < 0.0)
            axis.n = vec3_negate(axis.n);
        axis.separation = random_in(&random, -0.03, 0.0);
        Vec3 back = vec3_negate(axis.n), n = on_a ? axis.n : back;
        Feature one, two;
        Patch any = {.normal = n, .carrier = NORMAL_ON_1}, boxed = {.carrier = on_a ? NORMAL_ON_1 : NORMAL_ON_2};
        convex_feature(&boxes.a, axis.n, &one);
        convex_feature(&boxes.b, back, &two);
        patch_clip(&any, on_a ? &one : &two, on_a ? &two : &one, n, axis.separation, MARGIN);
        if (!on_a)
            patch_swap(&any);
        BoxFace face1 = convex_box_face(&boxes.a, axis.n), face2 = convex_box_face(&boxes.b, back);
        patch_clip_boxes(&boxed, on_a ? &face1 : &face2, on_a ? &face2 : &face1, &axis, MARGIN);
        assert_int_equal(boxed.count, any.count);
        for (int i = 0; i < any.count; i++)
            assert_same_touch(&boxed.touch[i], &any.touch[i]);
        points[any.count]++;
    }
    assert_true(points[0] > 100 && points[3] > 100 && points[4] > 1000 && points[5] > 100 && points[6] > 100);
}

static void bounds_are_those_of_the_supports(void **state)
{
    (void)state;
    Random random = {0xb0d5};
    for (int trial = 0; trial < 1000; trial++) {
        Convex box = random_boxes(&random, trial).b;
        Bounds bounds = convex_bounds(&box);
        for (int i = 0; i < 3; i++) {
            Vec3 e = vec3_axis(i);
            assert_true(vec3_get(bounds.high, i) == vec3_get(convex_support(&box, e), i));
            assert_true(vec3_get(bounds.low, i) == vec3_get(convex_support(&box, vec3_negate(e)), i));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_axis_is_the_best_of_all_and_knows_its_rivals),
        cmocka_unit_test(faces_are_clipped_to_the_bits_of_any_polygons),
        cmocka_unit_test(bounds_are_those_of_the_supports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
