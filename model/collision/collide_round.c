/* SPDX-License-Identifier: MIT */
/* Spheres and capsules with each other: the nearest points of two segments (Ericson 2005, 5.1.9); a sphere's has no
 * length, and of two spheres nothing is left but the line through their centres. A sphere and a cylinder or a box:
 * where its centre lies against cap and side, or against the faces. */
#include "model/collision/collide.h"

/* Cores closer than this part of their radii have no direction between them. */
#define ROUND_COINCIDENT 1e-12

typedef struct Segment {
    Vec3 from, along; /* points from + t along, 0 <= t <= 1 */
} Segment;

static Segment segment_of(const Convex *convex)
{
    Vec3 half = mat3_mul_vec(convex->turn, vec3(0, convex->half.y, 0));
    return (Segment){vec3_sub(convex->x, half), vec3_scale(2.0, half)};
}

static void segment_nearest(const Segment *one, const Segment *two, double *s, double *t)
{
    Vec3 r = vec3_sub(one->from, two->from);
    double a = vec3_dot(one->along, one->along), e = vec3_dot(two->along, two->along);
    double b = vec3_dot(one->along, two->along), c = vec3_dot(one->along, r), f = vec3_dot(two->along, r);
    double determinant = a * e - b * b;
    *s = determinant > 0.0 ? clamp((b * f - c * e) / determinant, 0.0, 1.0) : 0.0;
    *t = e > 0.0 ? clamp((b * *s + f) / e, 0.0, 1.0) : 0.0;
    *s = a > 0.0 ? clamp((b * *t - c) / a, 0.0, 1.0) : 0.0;
}

/* Cores that meet: out of the plane of two crossing segments, or across one of them, or up. */
static Vec3 coincident_normal(const Segment *one, const Segment *two)
{
    Vec3 cross = vec3_cross(one->along, two->along);
    if (vec3_norm(cross) > ROUND_COINCIDENT * vec3_norm(one->along) * vec3_norm(two->along))
        return vec3_unit(cross);
    const Segment *longer = vec3_norm(one->along) >= vec3_norm(two->along) ? one : two;
    return vec3_is_zero(longer->along) ? vec3(0, 1, 0) : vec3_any_normal(vec3_unit(longer->along));
}

void round_axis(const Convex *a, const Convex *b, Axis *axis)
{
    Segment one = segment_of(a), two = segment_of(b);
    double s, t;
    segment_nearest(&one, &two, &s, &t);
    axis->a = vec3_add_scaled(one.from, s, one.along);
    axis->b = vec3_add_scaled(two.from, t, two.along);
    Vec3 between = vec3_sub(axis->b, axis->a);
    double distance = vec3_norm(between);
    bool apart = distance > ROUND_COINCIDENT * (a->radius + b->radius);
    axis->n = apart ? vec3_scale(1.0 / distance, between) : coincident_normal(&one, &two);
    axis->separation = distance;
}

void sphere_cylinder_axis(const Convex *sphere, const Convex *cylinder, Axis *axis)
{
    Vec3 a = convex_cylinder_axis(cylinder), d = vec3_sub(sphere->x, cylinder->x);
    double height = vec3_dot(a, d);
    Vec3 up = vec3_scale(height < 0.0 ? -1.0 : 1.0, a), radial = vec3_add_scaled(d, -height, a);
    double distance = vec3_norm(radial);
    Vec3 out = distance > ROUND_COINCIDENT * cylinder->radius ? vec3_scale(1.0 / distance, radial) : vec3_any_normal(a);
    double over = fabs(height) - cylinder->half.y, beside = distance - cylinder->radius;
    if (over > 0.0 && beside > 0.0) {
        /* Nearest is the rim. */
        axis->separation = sqrt(over * over + beside * beside);
        axis->n = vec3_scale(-1.0 / axis->separation, vec3_add_scaled(vec3_scale(over, up), beside, out));
    } else {
        axis->separation = fmax(over, beside);
        axis->n = vec3_negate(over > beside ? up : out);
    }
    axis->a = sphere->x;
    axis->b = vec3_add_scaled(sphere->x, axis->separation, axis->n);
}

/* Outside of the box the nearest point is the centre, cut to the box; inside the nearest face counts. */
void sphere_box_axis(const Convex *sphere, const Convex *box, Axis *axis)
{
    Vec3 d = mat3_mul_vec(mat3_transpose(box->turn), vec3_sub(sphere->x, box->x)), h = box->half;
    Vec3 nearest = vec3(clamp(d.x, -h.x, h.x), clamp(d.y, -h.y, h.y), clamp(d.z, -h.z, h.z));
    Vec3 out = vec3_sub(d, nearest);
    double distance = vec3_norm(out);
    if (distance > ROUND_COINCIDENT * sphere->radius) {
        axis->separation = distance;
        axis->n = mat3_mul_vec(box->turn, vec3_scale(-1.0 / distance, out));
    } else {
        int face = 0;
        axis->separation = -INFINITY;
        for (int i = 0; i < 3; i++)
            if (fabs(vec3_get(d, i)) - vec3_get(h, i) > axis->separation) {
                axis->separation = fabs(vec3_get(d, i)) - vec3_get(h, i);
                face = i;
            }
        double inwards = vec3_get(d, face) < 0.0 ? 1.0 : -1.0;
        axis->n = vec3_scale(inwards, vec3(box->turn.m[0][face], box->turn.m[1][face], box->turn.m[2][face]));
    }
    axis->a = sphere->x;
    axis->b = vec3_add_scaled(sphere->x, axis->separation, axis->n);
}

void sphere_sphere_touch(const Convex *a, const Convex *b, double margin, Patch *patch)
{
    if (spheres_are_apart(a, b, margin))
        return;
    Vec3 between = vec3_sub(b->x, a->x);
    double radii = a->radius + b->radius, distance = vec3_norm(between);
    if (!(distance - radii < margin))
        return;
    patch->normal = distance > ROUND_COINCIDENT * radii ? vec3_scale(1.0 / distance, between) : vec3(0, 1, 0);
    patch->carrier = distance > CORES_APART * radii ? NORMAL_ALONG_CORES : NORMAL_ON_1;
    patch->count = 1;
    patch->touch[0] =
        (Touch){touch_id(LABEL_NEAREST, LABEL_NEAREST), a->x, b->x, a->radius, b->radius, distance - radii};
}
