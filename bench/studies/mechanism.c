/* SPDX-License-Identifier: MIT */
#include "bench/studies/mechanism.h"

#include "bench/run/json.h"

#include <stdio.h>

/* Angles that mechanisms are built with; right angles come twice as often. */
static const int BENDS[] = {90, 90, 60, 120, 45, 30};
static const int TWISTS[] = {0, 90, 90, 60, 45, 180};
enum { ANGLES = 6 };

/* Bounds of what is tried; beyond lies what nobody builds. */
enum { LINKS_MOST = 20 };
static const double LENGTH_LEAST = 0.02, LENGTH_MOST = 1.0;
static const double MASS_RATIO_MOST = 1e4;
static const double THIN_LEAST = 0.02, THIN_MOST = 0.5;
static const double LEVER_MOST = 1.0;
static const double SPIN_MOST = 20.0;

/* A plain one: what numbers are brought near to. */
static const double PLAIN_LENGTH = 1.0, PLAIN_THICKNESS = 0.1;

static const double DENSITY = 1000.0; /* kg/m^3, of the first link */

static bool random_coin(Random *random)
{
    return random_bits(random) >> 63;
}

static int random_below(Random *random, int count)
{
    return (int)random_in(random, 0.0, count);
}

/* Small numbers more often: they are cheaper, and what is looked for. */
static int random_low(Random *random, int count)
{
    double u = random_in(random, 0.0, 1.0);
    return (int)(u * u * count);
}

static double random_geometric(Random *random, double low, double high)
{
    return low * pow(high / low, random_in(random, 0.0, 1.0));
}

/* A loop with the world has two links at least. */
static int links_least(const Mechanism *m)
{
    return m->closed ? 2 : 1;
}

/* One of the numbers anew. */
static void mechanism_draw(Mechanism *m, int number, Random *random)
{
    switch (number) {
    case 0:
        m->links = links_least(m) + random_low(random, LINKS_MOST);
        break;
    case 1:
        m->upright = random_coin(random);
        break;
    case 2:
        m->hinges = random_coin(random);
        break;
    case 3:
        m->bend = BENDS[random_below(random, ANGLES)];
        break;
    case 4:
        m->twist = TWISTS[random_below(random, ANGLES)];
        m->alternate = random_coin(random);
        break;
    case 5:
        m->length = random_coin(random) ? PLAIN_LENGTH : random_geometric(random, LENGTH_LEAST, LENGTH_MOST);
        break;
    case 6:
        m->mass_ratio = random_coin(random) ? 1.0 : random_geometric(random, 1.0 / MASS_RATIO_MOST, MASS_RATIO_MOST);
        break;
    case 7:
        m->thickness = random_geometric(random, THIN_LEAST, THIN_MOST);
        break;
    case 8:
        m->lever = random_coin(random) ? 0.0 : random_in(random, 0.0, LEVER_MOST);
        break;
    case 9: /* a loop set spinning as one piece would break at once */
        m->spin = m->closed || random_coin(random) ? 0.0 : random_in(random, 0.0, SPIN_MOST);
        break;
    default:
        m->reversed = random_coin(random);
        break;
    }
}
enum { NUMBERS = 11 };

Mechanism mechanism_random(Random *random, bool closed)
{
    Mechanism m = {.closed = closed};
    for (int i = 0; i < NUMBERS; i++)
        mechanism_draw(&m, i, random);
    return m;
}

Mechanism mechanism_mutate(const Mechanism *from, Random *random)
{
    Mechanism m = *from;
    for (int i = 0; i < 1 + random_coin(random); i++)
        mechanism_draw(&m, random_below(random, NUMBERS), random);
    return m;
}

/* Half the way, by its logarithm, to what is plain; the whole if it is near. */
static double nearer(double value, double plain)
{
    static const double NEAR = 1.3;
    double ratio = value / plain;
    return ratio < NEAR && ratio > 1.0 / NEAR ? plain : round(1e3 * sqrt(value * plain)) / 1e3;
}

bool mechanism_simplify(const Mechanism *from, int number, Mechanism *m)
{
    int least = links_least(from);
    *m = *from;
    switch (number) {
    case 0:
        m->links = from->links / 2 > least ? from->links / 2 : least;
        break;
    case 1:
        m->links = from->links > least ? from->links - 1 : least;
        break;
    case 2:
        m->mass_ratio = 1.0;
        break;
    case 3:
        m->mass_ratio = nearer(from->mass_ratio, 1.0);
        break;
    case 4:
        m->lever = 0.0;
        break;
    case 5:
        m->spin = 0.0;
        break;
    case 6:
        m->length = PLAIN_LENGTH;
        break;
    case 7:
        m->thickness = nearer(from->thickness, PLAIN_THICKNESS);
        break;
    case 8:
        m->reversed = false;
        break;
    case 9:
        m->bend = 90;
        break;
    case 10:
        m->alternate = false;
        break;
    case 11:
        m->twist = 0;
        break;
    case 12:
        m->hinges = false;
        break;
    case 13:
        m->upright = false;
        break;
    default:
        return false;
    }
    return true;
}

/* A right angle's cosine is 0: digits beyond these are round-off, and nobody wants to read them. */
static double plain(double x)
{
    static const double DIGITS = 1e12;
    return round(DIGITS * x) / DIGITS + 0.0;
}

static json_t *json_point(Vec3 a)
{
    return json_pack("[f,f,f]", plain(a.x), plain(a.y), plain(a.z));
}

/* Rodrigues' formula, the axis being of length 1. */
static Vec3 turned(Vec3 a, Vec3 axis, double angle)
{
    double c = cos(angle), s = sin(angle);
    return vec3_add(vec3_add(vec3_scale(c, a), vec3_scale(s, vec3_cross(axis, a))),
                    vec3_scale((1.0 - c) * vec3_dot(axis, a), axis));
}

static Vec3 first_axis(const Mechanism *m)
{
    return m->upright ? vec3(0.0, 1.0, 0.0) : vec3(0.0, 0.0, 1.0);
}

/* Where a link goes to, and the axis of the joint that it hangs on. */
typedef struct Frame3 {
    Vec3 start, along, axis;
} Frame3;

static void frame_step(Frame3 *frame, const Mechanism *m, int link)
{
    static const double DEGREE = 0.017453292519943295; /* rad */
    double sign = m->alternate && link % 2 == 1 ? -1.0 : 1.0;
    frame->start = vec3_add(frame->start, vec3_scale(m->length, frame->along));
    frame->axis = turned(frame->axis, frame->along, sign * m->twist * DEGREE);
    frame->along = turned(frame->along, frame->axis, m->bend * DEGREE);
}

/* The link's own frame: x along it, z along its joint's axis. */
static Quat frame_orientation(const Frame3 *frame)
{
    Vec3 x = frame->along, z = frame->axis, y = vec3_cross(z, x);
    return quat_from_mat3((Mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}});
}

static json_t *link_json(const Mechanism *m, const Frame3 *frame, int link)
{
    char name[32];
    double thickness = m->thickness * m->length, first = DENSITY * m->length * thickness * thickness;
    double mass = link == m->links - 1 ? m->mass_ratio * first : first;
    Quat q = frame_orientation(frame);
    Vec3 beside = vec3_scale(m->lever * m->length, vec3_cross(frame->axis, frame->along));
    Vec3 centre = vec3_add(vec3_add(frame->start, vec3_scale(0.5 * m->length, frame->along)), beside);
    Vec3 w = vec3_scale(m->spin, first_axis(m));
    snprintf(name, sizeof name, "link%d", link + 1);
    json_t *body = json_pack("{s:s,s:o,s:[f,f,f,f],s:f,s:{s:{s:[f,f,f]}}}", "name", name, "position",
                             json_point(centre), "orientation", q.w, q.x, q.y, q.z, "mass", mass, "shape", "box",
                             "size", m->length, thickness, thickness);
    if (m->spin != 0.0) {
        json_object_set_new(body, "velocity", json_point(vec3_cross(w, centre)));
        json_object_set_new(body, "angular_velocity", json_point(w));
    }
    return body;
}

/* Between link number `link` - 1 (0: the world) and the next; the last of a loop goes back to the world. */
static json_t *joint_json(const Mechanism *m, const Frame3 *frame, int link)
{
    char name[32], first[32], second[32];
    bool last = link == m->links;
    snprintf(name, sizeof name, "joint%d", link + 1);
    snprintf(first, sizeof first, "link%d", link);
    snprintf(second, sizeof second, "link%d", last ? link : link + 1);
    json_t *joint = json_pack("{s:s,s:s,s:[s,s],s:o}", "name", name, "type", m->hinges ? "hinge" : "ball", "bodies",
                              link == 0 || last ? "world" : first, second, "anchor", json_point(frame->start));
    if (m->hinges)
        json_object_set_new(joint, "axis", json_point(frame->axis));
    return joint;
}

json_t *mechanism_scene(const Mechanism *m, const char *name, double time)
{
    json_t *bodies = json_array(), *joints = json_array();
    Frame3 frame = {.along = vec3(1.0, 0.0, 0.0), .axis = first_axis(m)};
    for (int i = 0; i < m->links + m->closed; i++) {
        json_t *joint = joint_json(m, &frame, i);
        if (i < m->links)
            json_array_append_new(bodies, link_json(m, &frame, i));
        if (m->reversed)
            json_array_insert_new(joints, 0, joint);
        else
            json_array_append_new(joints, joint);
        frame_step(&frame, m, i);
    }
    return json_pack("{s:i,s:s,s:f,s:o,s:o,s:s,s:{s:[s]}}", "rigor", 1, "name", name, "time", time, "bodies", bodies,
                     "joints", joints, "collide", "none", "expect", "conserves", "energy");
}
