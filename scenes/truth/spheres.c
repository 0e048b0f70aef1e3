/* SPDX-License-Identifier: MIT */
#include "scenes/truth/spheres.h"

#include <stdlib.h>

static Vec3 sphere_position(const Sphere *sphere, double t)
{
    return vec3_add_scaled(sphere->x, t - sphere->time, sphere->v);
}

/* When two spheres meet, from the later of their last impacts on; infinite if they do not. With b = r.v < 0:
 * t = (r.r - d^2) / (-b + sqrt(b^2 - v.v (r.r - d^2))), which does not cancel. */
static double spheres_meet(const Spheres *spheres, int i, int j)
{
    const Sphere *one = &spheres->now[i], *two = &spheres->now[j];
    double from = fmax(one->time, two->time), d = 2.0 * spheres->radius;
    Vec3 r = vec3_sub(sphere_position(two, from), sphere_position(one, from)), v = vec3_sub(two->v, one->v);
    double b = vec3_dot(r, v), gap = vec3_dot(r, r) - d * d;
    if (b >= 0.0)
        return INFINITY;
    double root = b * b - vec3_dot(v, v) * gap;
    return root < 0.0 ? INFINITY : from + fmax(0.0, gap) / (sqrt(root) - b);
}

/* Finds sphere i's first meeting with any other; the others learn of a meeting that is earlier than theirs. */
static void spheres_predict(Spheres *spheres, int i)
{
    Sphere *one = &spheres->now[i];
    one->next = INFINITY;
    one->partner = -1;
    for (int j = 0; j < spheres->count; j++) {
        double t = j == i ? INFINITY : spheres_meet(spheres, i, j);
        if (t < one->next) {
            one->next = t;
            one->partner = j;
        }
        if (t < spheres->now[j].next) {
            spheres->now[j].next = t;
            spheres->now[j].partner = i;
        }
    }
}

static void spheres_reset(Spheres *spheres)
{
    spheres->impacts = 0;
    for (int i = 0; i < spheres->count; i++)
        spheres->now[i] = (Sphere){spheres->start[i][0], spheres->start[i][1], 0.0, INFINITY, -1};
    for (int i = 0; i < spheres->count; i++)
        spheres_predict(spheres, i);
}

static void spheres_collide(Spheres *spheres, int i, int j, double t)
{
    Sphere *pair[2] = {&spheres->now[i], &spheres->now[j]};
    for (int k = 0; k < 2; k++) {
        pair[k]->x = sphere_position(pair[k], t);
        pair[k]->time = t;
    }
    Vec3 n = vec3_unit(vec3_sub(pair[1]->x, pair[0]->x));
    double exchanged = vec3_dot(n, vec3_sub(pair[1]->v, pair[0]->v));
    pair[0]->v = vec3_add_scaled(pair[0]->v, exchanged, n);
    pair[1]->v = vec3_add_scaled(pair[1]->v, -exchanged, n);
    spheres->impacts++;
    /* Those who counted on one of the two must look again. */
    for (int k = 0; k < spheres->count; k++) {
        int partner = spheres->now[k].partner;
        if (k == i || k == j || partner == i || partner == j)
            spheres_predict(spheres, k);
    }
}

Spheres *spheres_create(int count, double radius, const Vec3 *x, const Vec3 *v)
{
    size_t n = (size_t)count;
    Spheres *spheres = malloc(sizeof *spheres + n * (sizeof *spheres->now + sizeof *spheres->start));
    if (!spheres)
        return NULL;
    spheres->count = count;
    spheres->radius = radius;
    spheres->now = (Sphere *)(spheres + 1);
    spheres->start = (Vec3(*)[2])(spheres->now + n);
    for (int i = 0; i < count; i++) {
        spheres->start[i][0] = x[i];
        spheres->start[i][1] = v[i];
        spheres->now[i].time = INFINITY; /* the first run begins at the start */
    }
    return spheres;
}

static int spheres_first(const Spheres *spheres)
{
    int first = 0;
    for (int i = 1; i < spheres->count; i++)
        if (spheres->now[i].next < spheres->now[first].next)
            first = i;
    return first;
}

void spheres_run(Spheres *spheres, double t)
{
    for (int i = 0; i < spheres->count; i++)
        if (spheres->now[i].time > t) {
            spheres_reset(spheres);
            break;
        }
    for (int i = spheres_first(spheres); spheres->now[i].next <= t; i = spheres_first(spheres))
        spheres_collide(spheres, i, spheres->now[i].partner, spheres->now[i].next);
}

Vec3 sphere_at(const Spheres *spheres, int i, double t)
{
    return sphere_position(&spheres->now[i], t);
}
