/* SPDX-License-Identifier: MIT */
/* Where the eye is, and how much of the world it sees. */
#include "reports/film/film.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What flies away is followed up to so many times the extent of the start. */
static const double EXTENT_MOST = 4.0;

static const struct {
    const char *name;
    double azimuth, elevation; /* degrees */
} VIEWS[] = {{"front", 0, 0}, {"side", 90, 0}, {"top", 0, 90}, {"corner", 30, 20}};

bool film_view_parse(FilmView *view, const char *text, Status *status)
{
    double azimuth = 0.0, elevation = 0.0;
    char tail;
    bool known =
        sscanf(text, "%lf,%lf%c", &azimuth, &elevation, &tail) == 2 && isfinite(azimuth) && fabs(elevation) <= 90.0;
    for (size_t i = 0; !known && i < sizeof VIEWS / sizeof VIEWS[0]; i++)
        if (strcmp(VIEWS[i].name, text) == 0) {
            azimuth = VIEWS[i].azimuth;
            elevation = VIEWS[i].elevation;
            known = true;
        }
    if (!known)
        return status_set(status, STATUS_USAGE,
                          "--view: '%s' is not front, side, top, corner or AZIMUTH,ELEVATION in degrees", text);
    double a = azimuth * PI / 180.0, e = elevation * PI / 180.0;
    view->right = vec3(cos(a), 0, -sin(a));
    view->up = vec3(-sin(a) * sin(e), cos(e), -cos(a) * sin(e));
    view->back = vec3_cross(view->right, view->up);
    return true;
}

static void box_add(Vec3 *low, Vec3 *high, Vec3 at, Vec3 half)
{
    *low = vec3(fmin(low->x, at.x - half.x), fmin(low->y, at.y - half.y), fmin(low->z, at.z - half.z));
    *high = vec3(fmax(high->x, at.x + half.x), fmax(high->y, at.y + half.y), fmax(high->z, at.z + half.z));
}

/* m: the ball around the centre that holds the body's own shapes; 0: there are none. */
static double listed_radius(const World *world, int body)
{
    double radius = 0.0;
    for (int c = 0; c < world->ride[body].collider_count; c++) {
        const Collider *collider = &world->colliders[world->ride[body].first_collider + c];
        if (collider->shape.kind != SHAPE_NONE)
            radius = fmax(radius, vec3_norm(collider->given.x) + shape_bounding_radius(&collider->shape));
    }
    return radius;
}

/* m along the world's axes from the centre of mass: of a box its own, of other shapes their radius; of a body without
 * shape a little. */
static Vec3 body_half(const World *world, int body, Quat turn)
{
    const Shape *shape = &world->bodies[body].shape;
    if (shape->kind != SHAPE_BOX) {
        double own = listed_radius(world, body), radius = own > 0.0 ? own : 0.1 * world->length_scale;
        return vec3(radius, radius, radius);
    }
    Vec3 x = quat_rotate(turn, vec3(0.5 * shape->size.x, 0, 0)), y = quat_rotate(turn, vec3(0, 0.5 * shape->size.y, 0)),
         z = quat_rotate(turn, vec3(0, 0, 0.5 * shape->size.z));
    return vec3(fabs(x.x) + fabs(y.x) + fabs(z.x), fabs(x.y) + fabs(y.y) + fabs(z.y),
                fabs(x.z) + fabs(y.z) + fabs(z.z));
}

static void box_add_frame(const FilmRun *run, size_t frame, Vec3 *low, Vec3 *high)
{
    const World *world = run->problem->world;
    for (size_t i = 0; i < run->bodies; i++) {
        const double *x = run->position + 3 * (frame * run->bodies + i);
        const double *q = run->turn + 4 * (frame * run->bodies + i);
        Vec3 at = vec3(x[0], x[1], x[2]), half = body_half(world, run->body[i], (Quat){q[0], q[1], q[2], q[3]});
        if (vec3_is_finite(at) && vec3_is_finite(half))
            box_add(low, high, at, half);
    }
}

void film_view_fit(FilmView *view, const FilmRun *runs, int count, double from, double to)
{
    Vec3 nowhere = vec3(INFINITY, INFINITY, INFINITY), low = nowhere, high = vec3_scale(-1.0, nowhere);
    for (int r = 0; r < count; r++)
        box_add_frame(&runs[r], film_frame_at(&runs[r], from), &low, &high);
    if (!(low.x <= high.x))
        low = high = VEC3_ZERO;
    /* Where joints hold on to the world is part of the picture. */
    for (int j = 0; count > 0 && j < runs[0].problem->world->joint_count; j++) {
        const JointDef *def = &runs[0].problem->world->joints[j].def;
        if (def->body[0] == 0)
            box_add(&low, &high, def->anchor[0], VEC3_ZERO);
    }
    Vec3 middle = vec3_scale(0.5, vec3_add(low, high));
    double reach = EXTENT_MOST * 0.5 * vec3_norm(vec3_sub(high, low)) + 1e-9;
    view->low = low;
    view->high = high;
    for (int r = 0; r < count; r++) {
        size_t first = film_frame_at(&runs[r], from), last = film_frame_at(&runs[r], to);
        for (size_t frame = first; frame <= last; frame++)
            box_add_frame(&runs[r], frame, &view->low, &view->high);
    }
    view->low = vec3(fmax(view->low.x, middle.x - reach), fmax(view->low.y, middle.y - reach),
                     fmax(view->low.z, middle.z - reach));
    view->high = vec3(fmin(view->high.x, middle.x + reach), fmin(view->high.y, middle.y + reach),
                      fmin(view->high.z, middle.z + reach));
    Vec3 margin = vec3_scale(0.04, vec3_sub(view->high, view->low));
    double least = 0.02 * vec3_norm(vec3_sub(view->high, view->low)) + 1e-6;
    margin = vec3(fmax(margin.x, least), fmax(margin.y, least), fmax(margin.z, least));
    view->low = vec3_sub(view->low, margin);
    view->high = vec3_add(view->high, margin);
}

double film_view_aspect(const FilmView *view)
{
    Vec3 size = vec3_sub(view->high, view->low);
    double width = fabs(view->right.x) * size.x + fabs(view->right.y) * size.y + fabs(view->right.z) * size.z;
    double height = fabs(view->up.x) * size.x + fabs(view->up.y) * size.y + fabs(view->up.z) * size.z;
    return width / height;
}
