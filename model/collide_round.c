/* Spheres and capsules: the nearest points of two segments (Ericson 2005, 5.1.9); a sphere's has no length. */
#include "model/collide.h"

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
