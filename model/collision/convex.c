/* SPDX-License-Identifier: MIT */
/* Support function of each kind of shape, and the feature of it that a direction sees. */
#include "model/collision/convex.h"

/* A cylinder shows its cap to directions within 45 degrees of its axis, its side to the others. */
#define CAP_MIN_COSINE 0.70710678118654752
/* Vertices whose heights differ by less than this part of their distance are equally far: round-off chooses no face. */
#define SAME_HEIGHT 1e-9
/* A direction this close to a cylinder's axis has no part normal to it. */
#define MIN_RADIAL 1e-12

static Vec3 column(Mat3 a, int j)
{
    return vec3(a.m[0][j], a.m[1][j], a.m[2][j]);
}

/* |R^T R| h: its round-off is that of any direction. */
static Vec3 box_own_reach(const Convex *box)
{
    Vec3 x = column(box->turn, 0), y = column(box->turn, 1), z = column(box->turn, 2), h = box->half;
    double xx = vec3_dot(x, x), yy = vec3_dot(y, y), zz = vec3_dot(z, z);
    double xy = fabs(vec3_dot(x, y)), yz = fabs(vec3_dot(y, z)), zx = fabs(vec3_dot(z, x));
    return vec3(h.x * xx + h.y * xy + h.z * zx, h.x * xy + h.y * yy + h.z * yz, h.x * zx + h.y * yz + h.z * zz);
}

void convex_place(Convex *convex, const Shape *shape, const Polyhedron *poly, Vec3 x, Quat q)
{
    *convex = (Convex){.kind = shape->kind, .x = x, .turn = mat3_from_quat(q), .poly = poly};
    switch (shape->kind) {
    case SHAPE_SPHERE:
        convex->radius = shape->radius;
        break;
    case SHAPE_CAPSULE:
    case SHAPE_CYLINDER:
        convex->radius = shape->radius;
        convex->half.y = 0.5 * shape->length;
        break;
    case SHAPE_BOX:
        convex->half = vec3_scale(0.5, shape->size);
        convex->poly = &polyhedron_cube;
        convex->reach = box_own_reach(convex);
        break;
    case SHAPE_PLANE:
        convex->normal = quat_rotate(q, shape->normal);
        convex->offset = shape->offset + vec3_dot(convex->normal, x);
        break;
    case SHAPE_ELLIPSOID:
        convex->half = shape->radii;
        break;
    default:
        convex->half = vec3(1, 1, 1);
    }
}

static Vec3 to_world(const Convex *convex, Vec3 local)
{
    return vec3_add(convex->x, mat3_mul_vec(convex->turn, local));
}

static Vec3 to_local(const Convex *convex, Vec3 direction)
{
    return mat3_mul_vec(mat3_transpose(convex->turn), direction);
}

static Vec3 poly_vertex(const Convex *convex, int v)
{
    return vec3_mul(convex->half, convex->poly->vertices[v]);
}

/* The vertex moved inwards, of a hull. */
static Vec3 poly_vertex_inset(const Convex *convex, int v, double inset)
{
    return inset == 0.0 ? poly_vertex(convex, v)
                        : vec3_add_scaled(poly_vertex(convex, v), -inset, convex->poly->inset[v]);
}

/* The vertex farthest along a local direction; the first of equals. */
static int poly_support(const Convex *convex, Vec3 d, double inset)
{
    int best = 0;
    double height = -INFINITY;
    for (int v = 0; v < convex->poly->vertex_count; v++) {
        double h = vec3_dot(d, poly_vertex_inset(convex, v, inset));
        if (h > height) {
            height = h;
            best = v;
        }
    }
    return best;
}

static inline Vec3 box_support(const Convex *box, Vec3 half, Vec3 d)
{
    return to_world(box, vec3(copysign(half.x, d.x), copysign(half.y, d.y), copysign(half.z, d.z)));
}

static Vec3 cylinder_support(const Convex *cylinder, double radius, double half, Vec3 d)
{
    double radial = sqrt(d.x * d.x + d.z * d.z), s = radial > 0.0 ? radius / radial : 0.0;
    return to_world(cylinder, vec3(s * d.x, copysign(half, d.y), s * d.z));
}

Vec3 convex_support_inset(const Convex *convex, Vec3 direction, double inset)
{
    if (convex->kind == SHAPE_SPHERE)
        return convex->x;
    Vec3 d = to_local(convex, direction), h = vec3_sub(convex->half, vec3(inset, inset, inset));
    switch (convex->kind) {
    case SHAPE_BOX:
        return box_support(convex, h, d);
    case SHAPE_CAPSULE:
        return to_world(convex, vec3(0, copysign(h.y, d.y), 0));
    case SHAPE_CYLINDER:
        return cylinder_support(convex, convex->radius - inset, h.y, d);
    case SHAPE_ELLIPSOID:
        return to_world(convex, ellipsoid_support(convex->half, d));
    default:
        return to_world(convex, poly_vertex_inset(convex, poly_support(convex, d, inset), inset));
    }
}

Vec3 convex_support(const Convex *convex, Vec3 direction)
{
    return convex_support_inset(convex, direction, 0.0);
}

Vec3 convex_support_outer(const Convex *convex, Vec3 direction, double inset)
{
    if (convex->kind != SHAPE_HULL)
        return convex_support(convex, direction);
    return to_world(convex, poly_vertex(convex, poly_support(convex, to_local(convex, direction), inset)));
}

double convex_inset_max(const Convex *convex)
{
    Vec3 h = convex->half;
    switch (convex->kind) {
    case SHAPE_BOX:
        return 0.5 * fmin(h.x, fmin(h.y, h.z));
    case SHAPE_CYLINDER:
        return 0.5 * fmin(convex->radius, h.y);
    case SHAPE_HULL:
        return convex->poly->inset_max;
    default:
        return 0.0;
    }
}

/* x -+ |R| h, to the bit what the supports along the axes say. */
static Bounds box_bounds(const Convex *box)
{
    const double(*m)[3] = box->turn.m;
    Vec3 h = box->half, reach = vec3(fabs(m[0][0]) * h.x + fabs(m[0][1]) * h.y + fabs(m[0][2]) * h.z,
                                     fabs(m[1][0]) * h.x + fabs(m[1][1]) * h.y + fabs(m[1][2]) * h.z,
                                     fabs(m[2][0]) * h.x + fabs(m[2][1]) * h.y + fabs(m[2][2]) * h.z);
    return (Bounds){vec3_sub(box->x, reach), vec3_add(box->x, reach)};
}

Bounds convex_bounds(const Convex *convex)
{
    double low[3], high[3], r = convex_rounding(convex);
    if (convex->kind == SHAPE_SPHERE)
        return (Bounds){vec3_sub(convex->x, vec3(r, r, r)), vec3_add(convex->x, vec3(r, r, r))};
    if (convex->kind == SHAPE_BOX)
        return box_bounds(convex);
    for (int i = 0; i < 3; i++) {
        high[i] = vec3_get(convex_support(convex, vec3_axis(i)), i) + r;
        low[i] = vec3_get(convex_support(convex, vec3_negate(vec3_axis(i))), i) - r;
    }
    return (Bounds){vec3(low[0], low[1], low[2]), vec3(high[0], high[1], high[2])};
}

Vec3 convex_cylinder_axis(const Convex *convex)
{
    return convex->kind == SHAPE_CYLINDER ? column(convex->turn, 1) : VEC3_ZERO;
}

Vec3 convex_round_offset(double radius, Vec3 axis, Vec3 direction)
{
    if (radius == 0.0 || vec3_is_zero(axis))
        return vec3_scale(radius, direction);
    Vec3 radial = vec3_add_scaled(direction, -vec3_dot(axis, direction), axis);
    double length = vec3_norm(radial);
    return length < MIN_RADIAL ? vec3_scale(radius, vec3_any_normal(axis)) : vec3_scale(radius / length, radial);
}

Vec3 convex_surface_offset(const Convex *convex, double radius, Vec3 direction)
{
    if (convex->kind != SHAPE_ELLIPSOID)
        return convex_round_offset(radius, convex_cylinder_axis(convex), direction);
    return mat3_mul_vec(convex->turn, ellipsoid_support(convex->half, to_local(convex, direction)));
}

/* The segment between the ends of the axis. */
static void axis_feature(const Convex *convex, Feature *feature)
{
    feature->count = 2;
    for (int i = 0; i < 2; i++) {
        feature->point[i] = to_world(convex, vec3(0, i ? convex->half.y : -convex->half.y, 0));
        feature->vertex[i] = (uint32_t)i;
    }
    feature->radius = convex->radius;
    feature->axis = convex_cylinder_axis(convex);
}

/* A cap as a polygon whose vertices are fixed to the body, so that they are the same in the next detection. */
static void cap_feature(const Convex *convex, bool top, Feature *feature)
{
    double side = top ? 1.0 : -1.0;
    feature->count = CAP_SIDES;
    feature->normal = vec3_scale(side, column(convex->turn, 1));
    for (int i = 0; i < CAP_SIDES; i++) {
        double angle = -side * 2.0 * PI * i / CAP_SIDES;
        Vec3 local = vec3(convex->radius * cos(angle), side * convex->half.y, convex->radius * sin(angle));
        feature->point[i] = to_world(convex, local);
        feature->vertex[i] = (uint32_t)(i + (top ? CAP_SIDES : 0));
    }
}

/* Height of the face's highest vertex along a local direction. */
static double face_height(const Convex *convex, const PolyFace *face, Vec3 d)
{
    double height = -INFINITY;
    for (int i = 0; i < face->count; i++)
        height = fmax(height, vec3_dot(d, poly_vertex(convex, convex->poly->loop[face->first + i])));
    return height;
}

/* A cube's faces follow each other as -x, +x, -y, ...: the one that a local direction is most normal to. */
static int cube_face(Vec3 d)
{
    const double c[6] = {-d.x, d.x, -d.y, d.y, -d.z, d.z};
    int best = 0;
    for (int f = 1; f < 6; f++)
        if (c[f] > c[best])
            best = f;
    return best;
}

BoxFace convex_box_face(const Convex *box, Vec3 direction)
{
    Vec3 d = to_local(box, direction);
    int number = cube_face(d);
    return (BoxFace){box, number, fabs(vec3_get(d, number / 2))};
}

/* Of the faces that reach as far as the corner farthest along d, the one that d is most normal to; -1: none does. */
static int hull_face(const Convex *convex, Vec3 d, int corner)
{
    const Polyhedron *poly = convex->poly;
    int best = -1;
    Vec3 far = poly_vertex(convex, corner);
    double cosine = -INFINITY, height = vec3_dot(d, far) - SAME_HEIGHT * vec3_norm(far);
    for (int f = 0; f < poly->face_count; f++) {
        double c = vec3_dot(d, poly->faces[f].normal);
        if (c > cosine && face_height(convex, &poly->faces[f], d) >= height) {
            cosine = c;
            best = f;
        }
    }
    return best;
}

/* The face that d sees. A hull without faces, or a degenerate one, shows the vertex. */
static void face_feature(const Convex *convex, Vec3 direction, Feature *feature)
{
    const Polyhedron *poly = convex->poly;
    Vec3 d = to_local(convex, direction);
    bool is_box = convex->kind == SHAPE_BOX;
    int corner = is_box ? 0 : poly_support(convex, d, 0.0), best = is_box ? cube_face(d) : hull_face(convex, d, corner);
    if (best < 0) {
        feature->count = 1;
        feature->point[0] = to_world(convex, poly_vertex(convex, corner));
        feature->vertex[0] = (uint32_t)corner;
        return;
    }
    const PolyFace *face = &poly->faces[best];
    bool whole = face->count <= FEATURE_MAX; /* else thinned; a division takes longer than all the rest of a vertex */
    feature->count = whole ? face->count : FEATURE_MAX;
    feature->normal = mat3_mul_vec(convex->turn, face->normal);
    for (int i = 0; i < feature->count; i++) {
        int v = poly->loop[face->first + (whole ? i : (int)((long)i * face->count / FEATURE_MAX))];
        feature->point[i] = to_world(convex, poly_vertex(convex, v));
        feature->vertex[i] = (uint32_t)v;
    }
}

void convex_feature(const Convex *convex, Vec3 direction, Feature *feature)
{
    feature->radius = 0.0;
    feature->axis = VEC3_ZERO;
    double along = vec3_dot(direction, column(convex->turn, 1));
    switch (convex->kind) {
    case SHAPE_SPHERE:
        feature->count = 1;
        feature->point[0] = convex->x;
        feature->vertex[0] = 0;
        feature->radius = convex->radius;
        break;
    case SHAPE_CAPSULE:
        axis_feature(convex, feature);
        break;
    case SHAPE_ELLIPSOID:
        feature->count = 1;
        feature->point[0] = convex_support(convex, direction);
        feature->vertex[0] = 0;
        break;
    case SHAPE_CYLINDER:
        if (fabs(along) > CAP_MIN_COSINE)
            cap_feature(convex, along > 0.0, feature);
        else
            axis_feature(convex, feature);
        break;
    default:
        face_feature(convex, direction, feature);
    }
}

void feature_keep_edge(Feature *feature, Vec3 direction)
{
    if (feature->count < 3)
        return;
    int best = 0;
    double height = -INFINITY;
    for (int i = 0; i < feature->count; i++) {
        double h =
            fmin(vec3_dot(direction, feature->point[i]), vec3_dot(direction, feature->point[(i + 1) % feature->count]));
        if (h > height) {
            height = h;
            best = i;
        }
    }
    int next = (best + 1) % feature->count;
    Vec3 p[2] = {feature->point[best], feature->point[next]};
    uint32_t v[2] = {feature->vertex[best], feature->vertex[next]};
    bool ordered = v[0] < v[1];
    for (int i = 0; i < 2; i++) {
        feature->point[i] = p[ordered ? i : 1 - i];
        feature->vertex[i] = v[ordered ? i : 1 - i];
    }
    feature->count = 2;
}
