/* SPDX-License-Identifier: MIT */
/* Least overlap of two convex cores: the smallest value of the support function of A - B over all directions, found on
 * a growing inner polytope (van den Bergen 2001). The face of least signed distance d from the origin is pushed out to
 * the support point along its normal until that gains nothing: then d is that value and the normal its direction.
 * Unlike the usual form it need not begin round the origin, so cores that just touch are no special case. */
#include "model/collision/collide.h"

#include <string.h>

/* Overlap is found to this part of the size of A - B: 1 nm on a metre. */
#define EPA_TOLERANCE 1e-9
/* A new point sees the faces that it is not below by more than this part of the size: coplanar ones are cut anew. */
#define EPA_COPLANAR 1e-14
/* 1 - cosine between the normals of faces that lie in one plane. */
#define EPA_SAME_PLANE 1e-12
/* Polytopes end by themselves; a rim against a rim needs about 60 points to reach the tolerance. Where all directions
 * round a cylinder's axis are nearly as good no number is enough: see epa_settle(). */
enum { EPA_MAX_POINTS = 160, EPA_MAX_FACES = 2 * EPA_MAX_POINTS };

typedef struct EpaPoint {
    Vec3 a, b, w; /* w = a - b */
} EpaPoint;

typedef struct EpaFace {
    int v[3]; /* counter-clockwise from outside */
    Vec3 n;
    double d; /* n.w on it; infinite: no area */
} EpaFace;

typedef struct Polytope {
    const Convex *a, *b;
    int point_count, face_count;
    EpaPoint point[EPA_MAX_POINTS];
    EpaFace face[EPA_MAX_FACES];
    double size;
} Polytope;

static EpaPoint epa_support(const Polytope *p, Vec3 direction)
{
    EpaPoint s = {convex_support(p->a, direction), convex_support(p->b, vec3_negate(direction)), VEC3_ZERO};
    s.w = vec3_sub(s.a, s.b);
    return s;
}

static void epa_add_face(Polytope *p, int i, int j, int k)
{
    Vec3 a = p->point[i].w, e1 = vec3_sub(p->point[j].w, a), e2 = vec3_sub(p->point[k].w, a);
    Vec3 n = vec3_cross(e1, e2);
    double area = vec3_norm(n);
    EpaFace face = {{i, j, k}, VEC3_ZERO, INFINITY};
    if (area > EPA_COPLANAR * vec3_norm(e1) * vec3_norm(e2)) {
        face.n = vec3_scale(1.0 / area, n);
        face.d = vec3_dot(face.n, a);
    }
    p->face[p->face_count++] = face;
}

/* The support point farthest from a line or plane through point 0, along +direction or -direction. */
static bool epa_add_spread(Polytope *p, Vec3 direction)
{
    EpaPoint up = epa_support(p, direction), down = epa_support(p, vec3_negate(direction));
    double base = vec3_dot(direction, p->point[0].w);
    double rise = vec3_dot(direction, up.w) - base, fall = base - vec3_dot(direction, down.w);
    p->point[p->point_count++] = rise >= fall ? up : down;
    return fmax(rise, fall) > EPA_TOLERANCE * p->size;
}

/* A tetrahedron of support points; false if A - B is flat. */
static bool epa_begin(Polytope *p)
{
    double widest = 0.0;
    p->point_count = p->face_count = 0;
    for (int i = 0; i < 3; i++) {
        EpaPoint up = epa_support(p, vec3_axis(i)), down = epa_support(p, vec3_negate(vec3_axis(i)));
        double width = vec3_get(up.w, i) - vec3_get(down.w, i);
        if (width > widest) {
            widest = width;
            p->point[0] = down;
            p->point[1] = up;
        }
    }
    p->size = widest;
    if (!(widest > 0.0))
        return false;
    p->point_count = 2;
    Vec3 u = vec3_unit(vec3_sub(p->point[1].w, p->point[0].w)), side = vec3_any_normal(u);
    /* Lanes across u in one of three directions 60 degrees apart, unless A - B is a line. */
    bool wide = false;
    for (int k = 0; k < 3 && !wide; k++) {
        p->point_count = 2;
        wide = epa_add_spread(p, quat_rotate(quat_axis_angle(u, k * PI / 3.0), side));
    }
    if (!wide)
        return false;
    Vec3 n = vec3_unit(vec3_cross(u, vec3_sub(p->point[2].w, p->point[0].w)));
    if (!epa_add_spread(p, n))
        return false;
    bool above = vec3_dot(n, vec3_sub(p->point[3].w, p->point[0].w)) > 0.0;
    int one = above ? 2 : 1, two = above ? 1 : 2;
    epa_add_face(p, 0, one, two);
    epa_add_face(p, 0, two, 3);
    epa_add_face(p, two, one, 3);
    epa_add_face(p, one, 0, 3);
    return true;
}

static EpaFace epa_nearest(const Polytope *p)
{
    int best = 0;
    for (int f = 1; f < p->face_count; f++)
        if (p->face[f].d < p->face[best].d)
            best = f;
    return p->face[best];
}

/* Replaces all faces that the last point sees by faces from it to their border. */
static bool epa_grow(Polytope *p)
{
    int newest = p->point_count - 1, edges = 0;
    int edge[3 * EPA_MAX_FACES][2];
    Vec3 w = p->point[newest].w;
    for (int f = 0; f < p->face_count;) {
        const EpaFace face = p->face[f];
        if (!(vec3_dot(face.n, w) - face.d > -EPA_COPLANAR * p->size)) {
            f++;
            continue;
        }
        for (int k = 0; k < 3; k++) {
            int from = face.v[k], to = face.v[(k + 1) % 3], e = 0;
            while (e < edges && !(edge[e][0] == to && edge[e][1] == from))
                e++;
            if (e < edges) {
                edges--;
                edge[e][0] = edge[edges][0];
                edge[e][1] = edge[edges][1];
            } else {
                edge[edges][0] = from;
                edge[edges++][1] = to;
            }
        }
        p->face[f] = p->face[--p->face_count];
    }
    if (edges == 0 || p->face_count + edges > EPA_MAX_FACES)
        return false;
    for (int e = 0; e < edges; e++)
        epa_add_face(p, edge[e][0], edge[e][1], newest);
    return true;
}

/* Barycentric coordinates of the origin's foot on a face; returns the least of them. */
static double epa_foot(const Polytope *p, const EpaFace *face, double weight[3])
{
    Vec3 a = p->point[face->v[0]].w, ab = vec3_sub(p->point[face->v[1]].w, a), ac = vec3_sub(p->point[face->v[2]].w, a);
    double area = vec3_dot(face->n, vec3_cross(ab, ac));
    weight[1] = -vec3_dot(face->n, vec3_cross(a, ac)) / area;
    weight[2] = -vec3_dot(face->n, vec3_cross(ab, a)) / area;
    weight[0] = 1.0 - weight[1] - weight[2];
    return fmin(weight[0], fmin(weight[1], weight[2]));
}

/* The face of least overlap gives the axis, and the origin's foot on it, or beside it in the same plane, the points. */
static void epa_finish(const Polytope *p, const EpaFace *least, double overlap, Axis *axis)
{
    const EpaFace *found = least;
    double weight[3], best = epa_foot(p, least, weight), sum = 0.0;
    for (int f = 0; f < p->face_count; f++) {
        const EpaFace *face = &p->face[f];
        double w[3], inside;
        if (fabs(face->d - least->d) <= EPA_TOLERANCE * p->size && vec3_dot(face->n, least->n) > 1.0 - EPA_SAME_PLANE &&
            (inside = epa_foot(p, face, w)) > best) {
            best = inside;
            found = face;
            memcpy(weight, w, sizeof w);
        }
    }
    for (int i = 0; i < 3; i++)
        sum += weight[i] = fmax(weight[i], 0.0);
    axis->n = least->n;
    axis->separation = -overlap;
    /* A face that was left below the surface has its points there, too: the support points are on it. */
    EpaPoint s = epa_support(p, least->n);
    axis->a = s.a;
    axis->b = s.b;
    if (overlap - least->d > EPA_TOLERANCE * p->size)
        return;
    axis->a = axis->b = VEC3_ZERO;
    for (int i = 0; i < 3; i++) {
        axis->a = vec3_add_scaled(axis->a, weight[i] / sum, p->point[found->v[i]].a);
        axis->b = vec3_add_scaled(axis->b, weight[i] / sum, p->point[found->v[i]].b);
    }
}

/* Neither shape has volume, and both lie in one plane: they are taken apart along their centres. */
static void epa_flat(const Polytope *p, Axis *axis)
{
    Vec3 between = vec3_sub(p->b->x, p->a->x);
    axis->n = vec3_norm(between) > 0.0 ? vec3_unit(between) : vec3(0, 1, 0);
    EpaPoint s = epa_support(p, axis->n);
    axis->a = s.a;
    axis->b = s.b;
    axis->separation = -vec3_dot(axis->n, s.w);
}

/* Takes a direction if the overlap along it is smaller. */
static void epa_try(const Polytope *p, Vec3 n, Axis *axis)
{
    EpaPoint s = epa_support(p, n);
    double overlap = vec3_dot(n, s.w);
    if (overlap < -axis->separation)
        *axis = (Axis){.n = n, .separation = -overlap, .a = s.a, .b = s.b, .rival = axis->rival};
}

/* The part of a direction across a line. */
static void epa_try_across(const Polytope *p, Vec3 line, Vec3 direction, Axis *axis)
{
    Vec3 across = vec3_add_scaled(direction, -vec3_dot(line, direction), line);
    if (!vec3_is_zero(line) && vec3_norm(across) > EPA_TOLERANCE * vec3_norm(direction))
        epa_try(p, vec3_unit(across), axis);
}

/* Overlap with a cylinder or capsule is sharp across its cross-section and flat round it, where the search may end
 * short of the best direction. What that may be: the normal of a polyhedron's face; in a cross-section the common
 * normal of both axes, the way from one axis to the other between middles and ends, and the part of what is best so
 * far. */
static void epa_settle(const Polytope *p, Axis *axis)
{
    const Convex *shape[2] = {p->a, p->b};
    Vec3 line[2];
    for (int i = 0; i < 2; i++) {
        const Convex *c = shape[i];
        line[i] = c->poly ? VEC3_ZERO : mat3_mul_vec(c->turn, vec3(0, 1, 0));
        for (int f = 0; c->poly && f < c->poly->face_count; f++)
            epa_try(p, vec3_scale(i ? -1.0 : 1.0, mat3_mul_vec(c->turn, c->poly->faces[f].normal)), axis);
    }
    Vec3 common = vec3_cross(line[0], line[1]), between = vec3_sub(p->b->x, p->a->x);
    for (int i = 0; i < 2; i++) {
        epa_try_across(p, line[i], common, axis);
        epa_try_across(p, line[i], vec3_negate(common), axis);
        for (int k = 0; k < 9; k++) {
            Vec3 way = vec3_add_scaled(between, (k % 3 - 1) * p->a->half.y, line[0]);
            epa_try_across(p, line[i], vec3_add_scaled(way, (k / 3 - 1) * p->b->half.y, line[1]), axis);
        }
        epa_try_across(p, line[i], axis->n, axis);
        /* The shape's own x: on a common axis any direction across is as good. */
        epa_try_across(p, line[i], mat3_mul_vec(shape[i]->turn, vec3(1, 0, 0)), axis);
    }
}

/* Tells whoever watches; nobody costs nothing. */
static inline void epa_tell(const EpaWatch *watch, const Polytope *p, const EpaFace *nearest, Vec3 support)
{
    Vec3 points[EPA_MAX_POINTS];
    int faces[EPA_MAX_FACES][3];
    for (int i = 0; i < p->point_count; i++)
        points[i] = p->point[i].w;
    for (int f = 0; f < p->face_count; f++)
        memcpy(faces[f], p->face[f].v, sizeof faces[f]);
    EpaStep step = {p->point_count, p->face_count, points, faces, nearest->n, nearest->d, support};
    watch->step(watch->context, &step);
}

static inline void epa_run(const Convex *a, const Convex *b, Axis *axis, const EpaWatch *watch)
{
    Polytope p;
    p.a = a;
    p.b = b;
    if (!epa_begin(&p)) {
        epa_flat(&p, axis);
        return;
    }
    EpaFace least = {0};
    double overlap = INFINITY;
    bool found = false;
    while (p.point_count < EPA_MAX_POINTS) {
        EpaFace nearest = epa_nearest(&p);
        EpaPoint s = epa_support(&p, nearest.n);
        double reach = vec3_dot(nearest.n, s.w);
        if (watch)
            epa_tell(watch, &p, &nearest, s.w);
        if (reach < overlap + EPA_TOLERANCE * p.size) {
            overlap = reach;
            least = nearest;
        }
        found = reach - nearest.d <= EPA_TOLERANCE * p.size;
        if (found)
            break;
        p.point[p.point_count++] = s;
        if (!epa_grow(&p))
            break;
    }
    epa_finish(&p, &least, overlap, axis);
    if (!found)
        epa_settle(&p, axis);
}

void epa_axis(const Convex *a, const Convex *b, Axis *axis)
{
    epa_run(a, b, axis, NULL);
}

void epa_axis_watched(const Convex *a, const Convex *b, Axis *axis, const EpaWatch *watch)
{
    epa_run(a, b, axis, watch);
}
