/* SPDX-License-Identifier: MIT */
#include "bench/frozen/contact_rate.h"

/* The arm of a point of the body's surface after some time. */
static Vec3 carried_arm(const World *world, int body, Vec3 point, double later)
{
    return quat_rotate(quat_exp(vec3_scale(later, world->velocity[body].w)), vec3_sub(point, world->pose[body].x));
}

ContactRate contact_rate(const World *world, int i, int j, const Touch *touch, Vec3 normal, double later)
{
    const Velocity *vi = &world->velocity[i], *vj = &world->velocity[j];
    Vec3 surface1 = vec3_add(touch->point1, vec3_scale(touch->radius1, normal));
    Vec3 surface2 = vec3_sub(touch->point2, vec3_scale(touch->radius2, normal));
    Vec3 ri = carried_arm(world, i, surface1, later), rj = carried_arm(world, j, surface2, later);
    Vec3 pi = vec3_add(vec3_add(world->pose[i].x, vec3_scale(later, vi->v)), ri);
    Vec3 pj = vec3_add(vec3_add(world->pose[j].x, vec3_scale(later, vj->v)), rj);
    Vec3 n = quat_rotate(quat_exp(vec3_scale(later, vi->w)), normal);
    Vec3 apart = vec3_sub(vec3_add(vj->v, vec3_cross(vj->w, rj)), vec3_add(vi->v, vec3_cross(vi->w, ri)));
    return (ContactRate){.kept = vec3_dot(apart, n),
                         .neglected = vec3_dot(vec3_sub(pj, pi), vec3_cross(vi->w, n)),
                         .speed = vec3_norm(apart)};
}
