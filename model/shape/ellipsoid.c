/* SPDX-License-Identifier: MIT */
/* Points of an ellipsoid x^T D^-2 x = 1, D = diag(radii): farthest along a direction, nearest to a point. */
#include "model/shape.h"

/* Halvings of an interval until its ends are neighbours. */
enum { BISECTIONS = 1100 };
/* A coordinate below this part of the smallest radius lies in the plane of symmetry. */
#define IN_PLANE 1e-14

Vec3 ellipsoid_support(Vec3 radii, Vec3 direction)
{
    Vec3 scaled = vec3_mul(radii, direction);
    return vec3_scale(1.0 / vec3_norm(scaled), vec3_mul(radii, scaled));
}

double ellipsoid_curvature_radius(Vec3 radii, Vec3 direction)
{
    double height = vec3_norm(vec3_mul(radii, direction)) / vec3_norm(direction);
    return radii.x * radii.y * radii.z / (height * height);
}

/* sum_i (r_i y_i / (t + r_i^2))^2 - 1, which falls for t > -min r_i^2 */
static double nearest_excess(const double r[3], const double y[3], double t)
{
    double sum = -1.0;
    for (int i = 0; i < 3; i++) {
        double part = r[i] * y[i] / (t + r[i] * r[i]);
        sum += y[i] > 0.0 ? part * part : 0.0;
    }
    return sum;
}

/* The root between a point where the excess is positive (or a pole) and one where it is not. */
static double nearest_root(const double r[3], const double y[3], double low, double high)
{
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = 0.5 * (low + high);
        if (!(middle > low && middle < high))
            break;
        if (nearest_excess(r, y, middle) > 0.0)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

/* The nearest point x has y = x + t D^-2 x, so x_i = r_i^2 y_i / (t + r_i^2) with the largest t that puts it on the
 * surface. Near the plane across the shortest axis that t may be -r^2: then x leaves the plane by what is missing. */
Vec3 ellipsoid_nearest(Vec3 radii, Vec3 point, Vec3 *normal)
{
    const double r[3] = {radii.x, radii.y, radii.z};
    double y[3] = {fabs(point.x), fabs(point.y), fabs(point.z)}, x[3];
    int shortest = r[0] <= r[1] && r[0] <= r[2] ? 0 : r[1] <= r[2] ? 1 : 2;
    double low = -r[shortest] * r[shortest], reach = 0.0;
    for (int i = 0; i < 3; i++) {
        if (y[i] <= IN_PLANE * r[shortest])
            y[i] = 0.0;
        reach += r[i] * r[i] * y[i] * y[i];
    }
    bool flat = y[shortest] == 0.0 && !(nearest_excess(r, y, low) > 0.0);
    double t = flat ? low : nearest_root(r, y, low, sqrt(reach)), left = 1.0;
    for (int i = 0; i < 3; i++) {
        double below = t + r[i] * r[i];
        x[i] = y[i] > 0.0 ? r[i] * r[i] * y[i] / below : 0.0;
        left -= x[i] * x[i] / (r[i] * r[i]);
    }
    if (flat)
        x[shortest] = r[shortest] * sqrt(fmax(left, 0.0));
    Vec3 at = vec3(copysign(x[0], point.x), copysign(x[1], point.y), copysign(x[2], point.z));
    *normal = vec3_unit(vec3(at.x / (r[0] * r[0]), at.y / (r[1] * r[1]), at.z / (r[2] * r[2])));
    return at;
}
