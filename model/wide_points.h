/* Four points, or directions, in the lanes; each is computed as math3.h has it, so it has the same bits. */
#ifndef RIGOR_MODEL_WIDE_POINTS_H
#define RIGOR_MODEL_WIDE_POINTS_H

#include "model/wide.h"

typedef struct WidePoints {
    Wide x, y, z;
} WidePoints;

WIDE_INLINE WidePoints points_same(Vec3 a)
{
    return (WidePoints){wide_all(a.x), wide_all(a.y), wide_all(a.z)};
}

WIDE_INLINE WidePoints points_of(const Vec3 *a, const Vec3 *b, const Vec3 *c, const Vec3 *d)
{
    return (WidePoints){{a->x, b->x, c->x, d->x}, {a->y, b->y, c->y, d->y}, {a->z, b->z, c->z, d->z}};
}

WIDE_INLINE WidePoints points_add(WidePoints a, WidePoints b)
{
    return (WidePoints){a.x + b.x, a.y + b.y, a.z + b.z};
}

WIDE_INLINE WidePoints points_sub(WidePoints a, WidePoints b)
{
    return (WidePoints){a.x - b.x, a.y - b.y, a.z - b.z};
}

WIDE_INLINE Wide points_dot(WidePoints a, WidePoints b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

WIDE_INLINE WidePoints points_cross(WidePoints a, WidePoints b)
{
    return (WidePoints){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* q a q^-1 */
WIDE_INLINE WidePoints points_rotate(Quat q, WidePoints a)
{
    WidePoints u = points_same(quat_vec(q)), t = points_cross(u, a);
    Wide w = wide_all(q.w), two = wide_all(2.0);
    t = (WidePoints){two * t.x, two * t.y, two * t.z};
    WidePoints turned = {a.x + w * t.x, a.y + w * t.y, a.z + w * t.z};
    return points_add(turned, points_cross(u, t));
}

#endif
