/* SPDX-License-Identifier: MIT */
/* Draws poses: faces turned away are left out, the rest painted from the far to the near (painter's algorithm), shaded
 * by one light from the upper left. */
#include "reports/film/film.h"
#include "reports/film/solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More faces than this are painted as a picture of points: a vector file of them helps nobody. Of a ghost, which is
 * pale, and of which there are several, fewer. */
enum { VECTOR_FACES_MAX = 6000, GHOST_FACES_MAX = 500 };

/* Points a side of such a picture has for one of the page. */
#define RASTER_SCALE 3.0

/* A particle's radius over the length scale. */
#define PARTICLE_RADIUS 0.06

/* What a face in shadow keeps of its colour. */
#define SHADE_LEAST 0.55

/* And what the edges of its sides have of it. */
#define EDGE_SHADE 0.65

typedef struct Painted {
    double depth; /* towards the eye */
    int count;
    double x[FACE_CORNERS], y[FACE_CORNERS];
    double colour[3];
    bool edged, line, hollow; /* hollow: its edges alone */
} Painted;

typedef struct Painter {
    const FilmView *view;
    double scale, x, y; /* points a metre; where the world's origin lies */
    size_t count, capacity;
    Painted *faces;
    bool failed;
    Vec3 at; /* of the body at hand */
    Quat turn;
    bool housing;
    double colour[3];
} Painter;

/* Bodies of one picture, so that neighbours can be told apart; the last is of what does not move. */
static const double BODY_COLOURS[][3] = {
    {0.34, 0.56, 0.78}, {0.93, 0.60, 0.32}, {0.46, 0.71, 0.55},
    {0.80, 0.52, 0.68}, {0.62, 0.60, 0.78}, {0.86, 0.76, 0.42},
};
static const double FIXED_COLOUR[3] = {0.72, 0.72, 0.72}, JOINT_COLOUR[3] = {0.2, 0.2, 0.2};

enum { BODY_COLOUR_COUNT = sizeof BODY_COLOURS / sizeof BODY_COLOURS[0] };

static void project(const Painter *painter, Vec3 p, double *x, double *y, double *depth)
{
    *x = painter->x + painter->scale * vec3_dot(painter->view->right, p);
    *y = painter->y - painter->scale * vec3_dot(painter->view->up, p);
    *depth = vec3_dot(painter->view->back, p);
}

static Painted *painter_add(Painter *painter)
{
    if (painter->count == painter->capacity) {
        size_t capacity = 2 * painter->capacity + 256;
        Painted *grown = realloc(painter->faces, sizeof *grown * capacity);
        if (!grown) {
            painter->failed = true;
            return NULL;
        }
        painter->faces = grown;
        painter->capacity = capacity;
    }
    return &painter->faces[painter->count++];
}

static void painter_face(void *context, const Face *face)
{
    Painter *painter = context;
    Vec3 corner[FACE_CORNERS];
    for (int i = 0; i < face->count; i++)
        corner[i] = vec3_add(painter->at, quat_rotate(painter->turn, face->corner[i]));
    Vec3 normal = vec3_cross(vec3_sub(corner[1], corner[0]), vec3_sub(corner[2], corner[0]));
    double size = vec3_norm(normal);
    if (!(size > 0.0 && isfinite(size)) || (!painter->housing && vec3_dot(normal, painter->view->back) <= 0.0))
        return;
    Painted *painted = painter_add(painter);
    if (!painted)
        return;
    const FilmView *view = painter->view;
    Vec3 light = vec3_unit(
        vec3_add(vec3_add(vec3_scale(-0.4, view->right), vec3_scale(0.8, view->up)), vec3_scale(0.9, view->back)));
    double lit = SHADE_LEAST + (1.0 - SHADE_LEAST) * fmax(0.0, vec3_dot(normal, light) / size), sum = 0.0;
    *painted = (Painted){.count = face->count, .edged = face->edged, .hollow = painter->housing};
    for (int i = 0; i < face->count; i++) {
        double depth;
        project(painter, corner[i], &painted->x[i], &painted->y[i], &depth);
        sum += depth;
    }
    painted->depth = sum / face->count;
    for (int i = 0; i < 3; i++)
        painted->colour[i] = fmin(1.0, 1.08 * lit * painter->colour[i]);
}

static Vec3 run_position(const FilmPose *pose, size_t body)
{
    const double *x = pose->run->position + 3 * (pose->frame * pose->run->bodies + body);
    return vec3(x[0], x[1], x[2]);
}

static Quat run_turn(const FilmPose *pose, size_t body)
{
    const double *q = pose->run->turn + 4 * (pose->frame * pose->run->bodies + body);
    return (Quat){q[0], q[1], q[2], q[3]};
}

/* Where a point of a body that is placed as the scene begins is in the pose. */
static bool pose_point(const FilmPose *pose, int body, Vec3 local, Vec3 *point)
{
    *point = local;
    for (size_t i = 0; body > 0 && i < pose->run->bodies; i++)
        if (pose->run->body[i] == body) {
            *point = vec3_add(run_position(pose, i), quat_rotate(run_turn(pose, i), local));
            return true;
        }
    return body == 0;
}

/* An anchor in the body's frame. */
static Vec3 anchor_local(const World *world, const JointDef *def, int side)
{
    const BodyDef *body = &world->bodies[def->body[side]];
    if (def->local_anchors)
        return def->anchor[side];
    if (def->type == JOINT_DISTANCE)
        return VEC3_ZERO;
    return def->body[side] == 0 ? def->anchor[0]
                                : quat_rotate_inverse(body->orientation, vec3_sub(def->anchor[0], body->position));
}

/* Whether an event of the scene has taken the body away: it stays in the recording where it was last. */
static bool pose_lacks(const FilmPose *pose, int body)
{
    const Problem *problem = pose->run->problem;
    for (int i = 0; i < problem->event_count; i++)
        if (problem->events[i].remove == body && problem->events[i].time <= pose->run->time[pose->frame] + 1e-9)
            return true;
    return false;
}

/* Whether a box holds the centres of two other bodies or more from the start: a housing, which must not hide them. */
static bool is_housing(const World *world, int body)
{
    const BodyDef *box = &world->bodies[body];
    int inside = 0;
    for (int i = 1; box->shape.kind == SHAPE_BOX && i < world->body_count; i++) {
        Vec3 at = quat_rotate_inverse(box->orientation, vec3_sub(world->bodies[i].position, box->position));
        inside += i != body && world->bodies[i].shape.kind != SHAPE_PLANE && fabs(at.x) < 0.5 * box->shape.size.x &&
                  fabs(at.y) < 0.5 * box->shape.size.y && fabs(at.z) < 0.5 * box->shape.size.z;
    }
    return inside >= 2;
}

/* A joint's two anchors as a line: of a distance its rod; of others, where they come apart, the gap. */
static void painter_joint(Painter *painter, const FilmPose *pose, const JointDef *def)
{
    Vec3 ends[2];
    if (def->type == JOINT_VOLUME || def->type == JOINT_WIRE)
        return;
    for (int side = 0; side < 2; side++)
        if (pose_lacks(pose, def->body[side]) ||
            !pose_point(pose, def->body[side], anchor_local(pose->run->problem->world, def, side), &ends[side]) ||
            !vec3_is_finite(ends[side]))
            return;
    Painted *painted = painter_add(painter);
    if (!painted)
        return;
    double depth[2];
    *painted = (Painted){.count = 2, .line = true};
    for (int side = 0; side < 2; side++)
        project(painter, ends[side], &painted->x[side], &painted->y[side], &depth[side]);
    painted->depth = fmax(depth[0], depth[1]) + 1e-6;
    memcpy(painted->colour, pose->one_colour ? pose->run->colour : JOINT_COLOUR, sizeof painted->colour);
}

/* Every shape of the body; what has none is a dot. */
static void painter_body(Painter *painter, const World *world, int body)
{
    const Ride *ride = &world->ride[body];
    Vec3 at = painter->at;
    Quat turn = painter->turn;
    for (int c = ride->first_collider; c < ride->first_collider + ride->collider_count; c++) {
        const Collider *collider = &world->colliders[c];
        painter->at = vec3_add(at, quat_rotate(turn, collider->given.x));
        painter->turn = quat_mul(turn, collider->given.q);
        solid_faces(&collider->shape, PARTICLE_RADIUS * world->length_scale, painter_face, painter);
    }
}

static void painter_collect(Painter *painter, const FilmPose *pose)
{
    const World *world = pose->run->problem->world;
    for (size_t i = 0; i < pose->run->bodies; i++) {
        int body = pose->run->body[i];
        const double *colour = world_is_fixed(world, world->ride[body].root) ? FIXED_COLOUR
                               : pose->one_colour                            ? pose->run->colour
                                                                             : BODY_COLOURS[i % BODY_COLOUR_COUNT];
        painter->at = run_position(pose, i);
        painter->turn = run_turn(pose, i);
        painter->housing = is_housing(world, body);
        memcpy(painter->colour, colour, sizeof painter->colour);
        if (vec3_is_finite(painter->at) && !pose_lacks(pose, body))
            painter_body(painter, world, body);
    }
    for (int j = 0; j < world->joint_count; j++)
        painter_joint(painter, pose, &world->joints[j].def);
}

static int compare_depth(const void *left, const void *right)
{
    double a = ((const Painted *)left)->depth, b = ((const Painted *)right)->depth;
    return (a > b) - (a < b);
}

static void paint_one(cairo_t *cairo, const Painted *painted)
{
    const double *c = painted->colour;
    cairo_move_to(cairo, painted->x[0], painted->y[0]);
    for (int i = 1; i < painted->count; i++)
        cairo_line_to(cairo, painted->x[i], painted->y[i]);
    cairo_set_source_rgb(cairo, c[0], c[1], c[2]);
    cairo_set_line_width(cairo, painted->line ? 1.0 : 0.3);
    if (painted->line) {
        cairo_stroke(cairo);
        return;
    }
    cairo_close_path(cairo);
    if (!painted->hollow)
        cairo_fill_preserve(cairo);
    if (painted->edged) /* else a line of the same colour closes the gaps between pieces of something round */
        cairo_set_source_rgb(cairo, EDGE_SHADE * c[0], EDGE_SHADE * c[1], EDGE_SHADE * c[2]);
    cairo_stroke(cairo);
}

/* The faces, blended as one: a ghost's own faces do not shine through each other. */
static void paint(cairo_t *cairo, const Painter *painter, double alpha)
{
    cairo_push_group(cairo);
    for (size_t i = 0; i < painter->count; i++)
        paint_one(cairo, &painter->faces[i]);
    cairo_pop_group_to_source(cairo);
    cairo_paint_with_alpha(cairo, alpha);
}

static void paint_as_points(cairo_t *cairo, const Painter *painter, FilmBox box, double alpha)
{
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)(RASTER_SCALE * box.width) + 1,
                                                        (int)(RASTER_SCALE * box.height) + 1);
    cairo_t *inner = cairo_create(image);
    cairo_scale(inner, RASTER_SCALE, RASTER_SCALE);
    cairo_translate(inner, -box.x, -box.y);
    paint(inner, painter, alpha);
    cairo_destroy(inner);
    cairo_save(cairo);
    cairo_translate(cairo, box.x, box.y);
    cairo_scale(cairo, 1.0 / RASTER_SCALE, 1.0 / RASTER_SCALE);
    cairo_set_source_surface(cairo, image, 0.0, 0.0);
    cairo_paint(cairo);
    cairo_restore(cairo);
    cairo_surface_destroy(image);
}

/* A fixed plane as a pale patch with a grid, as wide as what is shown. */
static void draw_ground(cairo_t *cairo, const Painter *painter, const World *world, const Collider *plane)
{
    enum { LINES = 10 };
    const FilmView *view = painter->view;
    const BodyDef *body = &world->bodies[plane->listed];
    Vec3 at = vec3_add(body->position, quat_rotate(body->orientation, plane->given.x));
    Vec3 n = quat_rotate(body->orientation, quat_rotate(plane->given.q, plane->shape.normal));
    Vec3 middle = vec3_scale(0.5, vec3_add(view->low, view->high)), span = vec3_sub(view->high, view->low);
    double above = vec3_dot(n, vec3_sub(middle, at)) - plane->shape.offset;
    Vec3 centre = vec3_add_scaled(middle, -above, n),
         u = vec3_unit(fabs(n.x) < 0.9 ? vec3_sub(vec3(1, 0, 0), vec3_scale(n.x, n)) : vec3_cross(n, vec3(0, 0, 1))),
         v = vec3_cross(n, u);
    double half = 0.75 * fmax(span.x, fmax(span.y, span.z));
    if (vec3_dot(n, view->back) < 1e-3)
        half *= 1.5; /* seen from the side: a line */
    Vec3 corner[4];
    double x, y, depth;
    for (int i = 0; i < 4; i++) {
        corner[i] =
            vec3_add_scaled(vec3_add_scaled(centre, i == 0 || i == 3 ? -half : half, u), i < 2 ? -half : half, v);
        project(painter, corner[i], &x, &y, &depth);
        if (i == 0)
            cairo_move_to(cairo, x, y);
        else
            cairo_line_to(cairo, x, y);
    }
    cairo_close_path(cairo);
    cairo_set_source_rgb(cairo, 0.945, 0.945, 0.94);
    cairo_fill_preserve(cairo);
    cairo_set_line_width(cairo, 0.4);
    cairo_set_source_rgb(cairo, 0.84, 0.84, 0.83);
    cairo_stroke(cairo);
    for (int i = 1; i < LINES; i++)
        for (int way = 0; way < 2; way++) {
            double part = (double)i / LINES;
            Vec3 a = corner[0], b = corner[way ? 1 : 3], c = corner[way ? 3 : 1], d = corner[2];
            Vec3 from = vec3_add_scaled(a, part, vec3_sub(c, a)), to = vec3_add_scaled(b, part, vec3_sub(d, b));
            project(painter, from, &x, &y, &depth);
            cairo_move_to(cairo, x, y);
            project(painter, to, &x, &y, &depth);
            cairo_line_to(cairo, x, y);
        }
    cairo_stroke(cairo);
}

/* The scale and origin that put the view's box into the picture's. */
static void painter_place(Painter *painter, FilmBox box)
{
    const FilmView *view = painter->view;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 8; i++) {
        Vec3 p = vec3(i & 1 ? view->low.x : view->high.x, i & 2 ? view->low.y : view->high.y,
                      i & 4 ? view->low.z : view->high.z);
        double at[2] = {vec3_dot(view->right, p), vec3_dot(view->up, p)};
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    painter->scale = fmin(box.width / (high[0] - low[0]), box.height / (high[1] - low[1]));
    painter->x = box.x + 0.5 * box.width - painter->scale * 0.5 * (low[0] + high[0]);
    painter->y = box.y + 0.5 * box.height + painter->scale * 0.5 * (low[1] + high[1]);
}

bool film_draw(cairo_t *cairo, const FilmView *view, FilmBox box, const FilmPose *poses, int count)
{
    Painter painter = {.view = view};
    painter_place(&painter, box);
    cairo_save(cairo);
    cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
    cairo_clip(cairo);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
    const World *world = count > 0 ? poses[0].run->problem->world : NULL;
    for (int c = 0; world && c < world->collider_count; c++)
        if (world->colliders[c].shape.kind == SHAPE_PLANE)
            draw_ground(cairo, &painter, world, &world->colliders[c]);
    cairo_surface_type_t type = cairo_surface_get_type(cairo_get_target(cairo));
    for (int i = 0; i < count && !painter.failed; i++) {
        painter.count = 0;
        painter_collect(&painter, &poses[i]);
        if (painter.count > 0)
            qsort(painter.faces, painter.count, sizeof *painter.faces, compare_depth);
        size_t most = poses[i].alpha < 1.0 ? GHOST_FACES_MAX : VECTOR_FACES_MAX;
        if (painter.count > most && type != CAIRO_SURFACE_TYPE_IMAGE)
            paint_as_points(cairo, &painter, box, poses[i].alpha);
        else
            paint(cairo, &painter, poses[i].alpha);
    }
    cairo_restore(cairo);
    free(painter.faces);
    return !painter.failed;
}
