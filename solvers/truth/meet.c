/* SPDX-License-Identifier: MIT */
#include "solvers/truth/meet.h"

#include "model/array.h"
#include "model/contact.h"

#include <stdlib.h>

/* A corner as far past the end of a face is still over it, of the length scale; edges that cross at a smaller sine are
 * parallel; a rim whose plane is as near is flat. */
#define FACE_SLACK 1e-9
#define PARALLEL 1e-6
#define FLAT 1e-9
/* Laws: a pair of boxes has 8 6 + 6 8 + 12 12 of them. */
enum { MEET_MAX_LAWS = 20000 };

/* A number, or a vector, and its rate. */
typedef struct Dual {
    double x, d;
} Dual;

typedef struct DualVec {
    Vec3 x, d;
} DualVec;

static DualVec dv_add(DualVec a, DualVec b)
{
    return (DualVec){vec3_add(a.x, b.x), vec3_add(a.d, b.d)};
}

static DualVec dv_sub(DualVec a, DualVec b)
{
    return (DualVec){vec3_sub(a.x, b.x), vec3_sub(a.d, b.d)};
}

static DualVec dv_scale(Dual s, DualVec a)
{
    return (DualVec){vec3_scale(s.x, a.x), vec3_add(vec3_scale(s.d, a.x), vec3_scale(s.x, a.d))};
}

static Dual dv_dot(DualVec a, DualVec b)
{
    return (Dual){vec3_dot(a.x, b.x), vec3_dot(a.d, b.x) + vec3_dot(a.x, b.d)};
}

static DualVec dv_cross(DualVec a, DualVec b)
{
    return (DualVec){vec3_cross(a.x, b.x), vec3_add(vec3_cross(a.d, b.x), vec3_cross(a.x, b.d))};
}

static Dual dv_norm(DualVec a)
{
    double norm = vec3_norm(a.x);
    return (Dual){norm, vec3_dot(a.x, a.d) / norm};
}

static DualVec dv_unit(DualVec a)
{
    Dual norm = dv_norm(a);
    return dv_scale((Dual){1.0 / norm.x, -norm.d / (norm.x * norm.x)}, a);
}

static Dual dual_ratio(Dual a, Dual b)
{
    return (Dual){a.x / b.x, (a.d - a.x / b.x * b.d) / b.x};
}

static Dual dual_constant(double x)
{
    return (Dual){x, 0.0};
}

/* A direction, and a place, in a body's internal frame. */
static DualVec body_direction(const World *world, int body, Vec3 local)
{
    Vec3 x = quat_rotate(world->pose[body].q, local);
    return (DualVec){x, vec3_cross(world->velocity[body].w, x)};
}

static DualVec body_place(const World *world, int body, Vec3 local)
{
    DualVec centre = {world->pose[body].x, world->velocity[body].v};
    return dv_add(centre, body_direction(world, body, local));
}

/* Points p0 of body 0 and p1 of body 1 meet along n. */
static Meeting meet_points(const MeetLaw *law, const World *world, DualVec n, DualVec p0, DualVec p1)
{
    Meeting meeting = {.gap = vec3_dot(n.x, vec3_sub(p0.x, p1.x)), .normal = n.x, .normal_rate = n.d};
    DualVec p[2] = {p0, p1};
    Vec3 v[2];
    for (int k = 0; k < 2; k++) {
        int body = law->body[k];
        meeting.arm[k] = vec3_sub(p[k].x, world->pose[body].x);
        meeting.arm_rate[k] = vec3_sub(p[k].d, world->velocity[body].v);
        v[k] = world_point_velocity(world, body, meeting.arm[k]);
    }
    meeting.slip = vec3_sub(v[0], v[1]);
    return meeting;
}

/* Is a place past an edge of the law's face? */
static bool face_ends_before(const Meets *meets, const MeetLaw *law, const World *world, Vec3 place)
{
    int body = law->body[1];
    if (law->face < 0)
        return false;
    const Polyhedron *poly = meets->poly[body];
    const PolyFace *face = &poly->faces[law->face];
    Vec3 local = quat_rotate_inverse(world->pose[body].q, vec3_sub(place, world->pose[body].x));
    local = quat_rotate(world->principal[body], local);
    for (int i = 0; i < face->count; i++) {
        const int *loop = poly->loop + face->first;
        Vec3 from = vec3_mul(meets->scale[body], poly->vertices[loop[i]]);
        Vec3 to = vec3_mul(meets->scale[body], poly->vertices[loop[(i + 1) % face->count]]);
        Vec3 inward = vec3_unit(vec3_cross(face->normal, vec3_sub(to, from)));
        if (vec3_dot(inward, vec3_sub(local, from)) < -FACE_SLACK * world->length_scale)
            return true;
    }
    return false;
}

static Meeting meet_face(const Meets *meets, const MeetLaw *law, const World *world)
{
    DualVec n = body_direction(world, law->body[1], law->out[1][0]);
    DualVec on = body_place(world, law->body[1], law->at[1]), lowest = body_place(world, law->body[0], law->at[0]);
    bool flat = false;
    if (law->kind == MEET_RIM_FACE) {
        DualVec axis = body_direction(world, law->body[0], law->along[0]);
        DualVec up = dv_sub(n, dv_scale(dv_dot(n, axis), axis));
        flat = vec3_norm(up.x) < FLAT;
        if (!flat)
            lowest = dv_sub(lowest, dv_scale(dual_constant(law->radius[0]), dv_unit(up)));
    } else {
        lowest = dv_sub(lowest, dv_scale(dual_constant(law->radius[0]), n));
    }
    Dual gap = dv_dot(n, dv_sub(lowest, on));
    Meeting meeting = meet_points(law, world, n, lowest, dv_sub(lowest, dv_scale(gap, n)));
    meeting.flat = flat;
    meeting.beside =
        face_ends_before(meets, law, world, lowest.x) || (law->face >= 0 && meeting.gap < -0.25 * meets->smallest);
    return meeting;
}

static Meeting meet_round(const MeetLaw *law, const World *world)
{
    DualVec c0 = body_place(world, law->body[0], law->at[0]), c1 = body_place(world, law->body[1], law->at[1]);
    DualVec n = dv_unit(dv_sub(c0, c1));
    return meet_points(law, world, n, dv_sub(c0, dv_scale(dual_constant(law->radius[0]), n)),
                       dv_add(c1, dv_scale(dual_constant(law->radius[1]), n)));
}

/* Does n, across edge k, point out between its two faces? */
static bool edge_sees(const MeetLaw *law, const World *world, int k, Vec3 n)
{
    Vec3 one = body_direction(world, law->body[k], law->out[k][0]).x;
    Vec3 two = body_direction(world, law->body[k], law->out[k][1]).x;
    Vec3 turn = vec3_cross(one, two);
    return vec3_dot(vec3_cross(one, n), turn) > 0.0 && vec3_dot(vec3_cross(n, two), turn) > 0.0;
}

static Meeting meet_edges(const Meets *meets, const MeetLaw *law, const World *world)
{
    DualVec a = body_place(world, law->body[0], law->at[0]), b = body_place(world, law->body[1], law->at[1]);
    DualVec e0 = body_direction(world, law->body[0], law->along[0]);
    DualVec e1 = body_direction(world, law->body[1], law->along[1]), N = dv_cross(e0, e1);
    if (vec3_norm(N.x) < PARALLEL * vec3_norm(e0.x) * vec3_norm(e1.x))
        return (Meeting){.gap = INFINITY, .beside = true};
    DualVec n = dv_unit(N), apart = dv_sub(a, b);
    if (vec3_dot(n.x, body_direction(world, law->body[1], vec3_add(law->out[1][0], law->out[1][1])).x) < 0.0)
        n = dv_scale(dual_constant(-1.0), n);
    Dual s = dual_ratio(dv_dot(apart, dv_cross(N, e1)), dv_dot(N, N));
    Dual t = dual_ratio(dv_dot(apart, dv_cross(N, e0)), dv_dot(N, N));
    Meeting meeting = meet_points(law, world, n, dv_add(a, dv_scale(s, e0)), dv_add(b, dv_scale(t, e1)));
    meeting.beside = s.x < 0.0 || s.x > 1.0 || t.x < 0.0 || t.x > 1.0 || !edge_sees(law, world, 1, n.x) ||
                     !edge_sees(law, world, 0, vec3_negate(n.x)) || meeting.gap < -0.25 * meets->smallest;
    return meeting;
}

Meeting meet_evaluate(const Meets *meets, const MeetLaw *law, const World *world)
{
    return law->kind == MEET_POINT_POINT ? meet_round(law, world)
           : law->kind == MEET_EDGE_EDGE ? meet_edges(meets, law, world)
                                         : meet_face(meets, law, world);
}

static Vec3 in_body(const World *world, int body, Vec3 v)
{
    return quat_rotate_inverse(world->principal[body], v);
}

static Vec3 poly_vertex(const Meets *meets, const World *world, int body, int vertex)
{
    return in_body(world, body, vec3_mul(meets->scale[body], meets->poly[body]->vertices[vertex]));
}

/* Corners and round ends of a body, that many; with their radius. */
static int body_points(const Meets *meets, const World *world, int body)
{
    ShapeKind kind = world->bodies[body].shape.kind;
    return meets->poly[body] ? meets->poly[body]->vertex_count : kind == SHAPE_CAPSULE ? 2 : kind == SHAPE_SPHERE;
}

static Vec3 body_point(const Meets *meets, const World *world, int body, int point, double *radius)
{
    const Shape *shape = &world->bodies[body].shape;
    *radius = meets->poly[body] ? 0.0 : shape->radius;
    if (meets->poly[body])
        return poly_vertex(meets, world, body, point);
    double half = shape->kind == SHAPE_CAPSULE ? 0.5 * shape->length : 0.0;
    return in_body(world, body, vec3(0, point ? -half : half, 0));
}

static void meets_add(Meets *meets, const MeetLaw *law)
{
    if (meets->laws)
        meets->laws[meets->count] = *law;
    meets->count++;
}

/* Points of one body over the faces of another, or over a plane. */
static void add_faces(Meets *meets, const World *world, int one, int two)
{
    const Polyhedron *poly = meets->poly[two];
    const Shape *shape = &world->bodies[two].shape;
    MeetLaw law = {.kind = MEET_POINT_FACE, .body = {one, two}};
    if (!poly && shape->kind != SHAPE_PLANE)
        return;
    for (int f = 0; f < (poly ? poly->face_count : 1); f++) {
        law.face = poly ? f : -1;
        law.out[1][0] = in_body(world, two, poly ? poly->faces[f].normal : shape->normal);
        law.at[1] = poly ? poly_vertex(meets, world, two, poly->loop[poly->faces[f].first])
                         : vec3_scale(shape->offset, law.out[1][0]);
        for (int p = 0; p < body_points(meets, world, one); p++) {
            law.at[0] = body_point(meets, world, one, p, &law.radius[0]);
            meets_add(meets, &law);
        }
    }
}

/* The two rims of a cylinder over a plane. */
static void add_rims(Meets *meets, const World *world, int cylinder, int plane)
{
    const Shape *shape = &world->bodies[cylinder].shape;
    MeetLaw law = {.kind = MEET_RIM_FACE, .body = {cylinder, plane}, .face = -1, .radius = {shape->radius, 0.0}};
    law.out[1][0] = in_body(world, plane, world->bodies[plane].shape.normal);
    law.at[1] = vec3_scale(world->bodies[plane].shape.offset, law.out[1][0]);
    law.along[0] = in_body(world, cylinder, vec3(0, 1, 0));
    for (int end = -1; end <= 1; end += 2) {
        law.at[0] = vec3_scale(0.5 * end * shape->length, law.along[0]);
        meets_add(meets, &law);
    }
}

/* The n-th edge of a polyhedron: where it begins, and both faces' normals. False: there are fewer. */
static bool poly_edge(const Meets *meets, const World *world, int body, int n, MeetLaw *law, int k)
{
    const Polyhedron *poly = meets->poly[body];
    for (int f = 0; f < poly->face_count; f++)
        for (int i = 0; i < poly->faces[f].count; i++) {
            const int *loop = poly->loop + poly->faces[f].first;
            int from = loop[i], to = loop[(i + 1) % poly->faces[f].count];
            if (from > to || n-- > 0)
                continue;
            law->at[k] = poly_vertex(meets, world, body, from);
            law->along[k] = vec3_sub(poly_vertex(meets, world, body, to), law->at[k]);
            law->out[k][0] = in_body(world, body, poly->faces[f].normal);
            for (int g = 0; g < poly->face_count; g++)
                for (int j = 0; j < poly->faces[g].count; j++) {
                    const int *other = poly->loop + poly->faces[g].first;
                    if (other[j] == to && other[(j + 1) % poly->faces[g].count] == from)
                        law->out[k][1] = in_body(world, body, poly->faces[g].normal);
                }
            return true;
        }
    return false;
}

static void add_edges(Meets *meets, const World *world, int one, int two)
{
    MeetLaw law = {.kind = MEET_EDGE_EDGE, .body = {one, two}, .face = -1};
    for (int a = 0; poly_edge(meets, world, one, a, &law, 0); a++)
        for (int b = 0; poly_edge(meets, world, two, b, &law, 1); b++)
            meets_add(meets, &law);
}

static void add_round(Meets *meets, const World *world, int one, int two)
{
    MeetLaw law = {.kind = MEET_POINT_POINT, .body = {one, two}, .face = -1};
    law.radius[0] = world->bodies[one].shape.radius;
    law.radius[1] = world->bodies[two].shape.radius;
    meets_add(meets, &law);
}

/* All laws of a pair, or a refusal. */
static bool add_pair(Meets *meets, const World *world, int one, int two, Status *status)
{
    ShapeKind kind[2] = {world->bodies[one].shape.kind, world->bodies[two].shape.kind};
    bool poly[2] = {meets->poly[one] != NULL, meets->poly[two] != NULL};
    if (kind[0] == SHAPE_SPHERE && kind[1] == SHAPE_SPHERE) {
        add_round(meets, world, one, two);
    } else if (poly[0] && poly[1]) {
        add_faces(meets, world, one, two);
        add_faces(meets, world, two, one);
        add_edges(meets, world, one, two);
    } else if (kind[0] == SHAPE_PLANE || kind[1] == SHAPE_PLANE) {
        int plane = kind[0] == SHAPE_PLANE ? one : two, other = one + two - plane;
        if (kind[other - one ? 1 : 0] == SHAPE_CYLINDER)
            add_rims(meets, world, other, plane);
        else
            add_faces(meets, world, other, plane);
    } else {
        return status_set(status, STATUS_UNSUPPORTED,
                          "solver reference cannot run this scene: of contacts with friction it knows those of planes, "
                          "two spheres, and boxes and hulls with each other, and '%s' and '%s' are none",
                          world->bodies[one].name, world->bodies[two].name);
    }
    return true;
}

static bool add_all(Meets *meets, const World *world, Status *status)
{
    meets->count = 0;
    if (!world_has_plain_shapes(world) && contacts_may_be(world))
        return status_set(status, STATUS_UNSUPPORTED,
                          "solver reference cannot run this scene: at contacts it knows bodies of one shape, and no "
                          "ellipsoids, groups, or fused bodies");
    for (int i = 1; i < world->body_count; i++)
        for (int k = i + 1; k < world->body_count; k++)
            if (contacts_may_touch(world, i, k) && !add_pair(meets, world, i, k, status))
                return false;
    return meets->count <= MEET_MAX_LAWS ||
           status_set(status, STATUS_UNSUPPORTED,
                      "solver reference cannot run this scene: its bodies may meet in more than %d ways",
                      MEET_MAX_LAWS);
}

static double shape_smallest(const Shape *shape)
{
    switch (shape->kind) {
    case SHAPE_BOX:
        return fmin(shape->size.x, fmin(shape->size.y, shape->size.z));
    case SHAPE_CAPSULE: /* thin ones touch by their ends: what can pass through a plane unseen is their length */
        return shape->radius + 0.5 * shape->length;
    case SHAPE_CYLINDER:
        return fmax(shape->radius, shape->length);
    case SHAPE_HULL:
        return shape_longest_edge(shape);
    default:
        return shape->kind == SHAPE_SPHERE ? shape->radius : INFINITY;
    }
}

bool meets_init(Meets *meets, const World *world, Status *status)
{
    size_t bodies = (size_t)world->body_count;
    *meets = (Meets){.bodies = world->body_count, .smallest = INFINITY};
    if (!NEW_ARRAY(meets->own, bodies) || !NEW_ARRAY(meets->poly, bodies) || !NEW_ARRAY(meets->scale, bodies))
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 1; i < world->body_count; i++) {
        const Shape *shape = &world->bodies[i].shape;
        meets->scale[i] = shape->kind == SHAPE_BOX ? vec3_scale(0.5, shape->size) : vec3(1, 1, 1);
        if (shape->kind == SHAPE_HULL && !(meets->own[i] = polyhedron_create(shape->mesh, true)))
            return status_set(status, STATUS_FAILED, "out of memory");
        meets->poly[i] = shape->kind == SHAPE_BOX ? &polyhedron_cube : meets->own[i];
        meets->smallest = fmin(meets->smallest, shape_smallest(shape));
    }
    if (!add_all(meets, world, status))
        return false;
    meets->laws = calloc((size_t)meets->count + 1, sizeof *meets->laws);
    return meets->laws ? add_all(meets, world, status) : status_set(status, STATUS_FAILED, "out of memory");
}

void meets_free(Meets *meets)
{
    for (int i = 0; meets->own && i < meets->bodies; i++)
        polyhedron_destroy(meets->own[i]);
    free(meets->own);
    free(meets->poly);
    free(meets->scale);
    free(meets->laws);
}
