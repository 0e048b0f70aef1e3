/* SPDX-License-Identifier: MIT */
/* Places and directions of MJCF. A small letter of eulerseq turns about the axis that has turned with the body, a
 * capital about the fixed one. Quaternions need not be unit. */
#include "scenes/robot/mjcf/mjcf.h"

#include <string.h>

bool mjcf_euler(const Mjcf *mjcf, Vec3 angles, Quat *turn)
{
    *turn = QUAT_IDENTITY;
    for (int i = 0; i < 3; i++) {
        char letter = mjcf->eulerseq[i];
        bool fixed = letter < 'a';
        Quat one =
            quat_axis_angle(vec3_axis((fixed ? letter + 32 : letter) - 'x'), mjcf_angle(mjcf, vec3_get(angles, i)));
        *turn = fixed ? quat_mul(one, *turn) : quat_mul(*turn, one);
    }
    return true;
}

Quat mjcf_turn_z(Vec3 to)
{
    Vec3 unit = vec3_unit(to), axis = vec3_cross(vec3(0, 0, 1), unit);
    double sine = vec3_norm(axis), angle = atan2(sine, unit.z);
    return quat_axis_angle(sine > 1e-10 ? vec3_scale(1.0 / sine, axis) : vec3(1, 0, 0), angle);
}

/* Shorter vectors have no direction. */
static const double SHORTEST = 1e-10;

static bool turn_axes(const XmlNode *node, const char *text, Quat *turn)
{
    double v[6];
    if (!xml_numbers(node, "xyaxes", text, 6, 6, v, NULL))
        return false;
    Vec3 x = vec3(v[0], v[1], v[2]), y = vec3(v[3], v[4], v[5]);
    if (!(vec3_norm(x) > SHORTEST))
        return xml_fail(node, "xyaxes: the x axis has no length");
    x = vec3_unit(x);
    y = vec3_add_scaled(y, -vec3_dot(x, y), x);
    if (!(vec3_norm(y) > SHORTEST))
        return xml_fail(node, "xyaxes: the axes lie along each other");
    y = vec3_unit(y);
    Vec3 z = vec3_cross(x, y);
    *turn = quat_from_mat3((Mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}});
    return true;
}

static bool turn_axis_angle(const Mjcf *mjcf, const XmlNode *node, const char *text, Quat *turn)
{
    double v[4];
    if (!xml_numbers(node, "axisangle", text, 4, 4, v, NULL))
        return false;
    Vec3 axis = vec3(v[0], v[1], v[2]);
    if (!(vec3_norm(axis) > SHORTEST))
        return xml_fail(node, "axisangle: the axis has no length");
    *turn = quat_axis_angle(vec3_unit(axis), mjcf_angle(mjcf, v[3]));
    return true;
}

/* What says an orientation, beside quat. */
static const char *const WAYS[] = {"axisangle", "xyaxes", "zaxis", "euler"};
enum { WAY_COUNT = 4 };

static bool turn_by(const Mjcf *mjcf, const XmlNode *node, int way, const char *text, Quat *turn)
{
    Vec3 v = VEC3_ZERO;
    if (way == 0)
        return turn_axis_angle(mjcf, node, text, turn);
    if (way == 1)
        return turn_axes(node, text, turn);
    if (way == 3)
        return xml_vec3(node, WAYS[way], text, &v) && mjcf_euler(mjcf, v, turn);
    if (!xml_axis(node, WAYS[way], text, &v))
        return false;
    *turn = mjcf_turn_z(v);
    return true;
}

static bool turn_quat(const XmlNode *node, const char *text, Quat *turn)
{
    double q[4] = {1.0, 0.0, 0.0, 0.0};
    if (!xml_numbers(node, "quat", text, 4, 4, q, NULL))
        return false;
    double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(square > SHORTEST * SHORTEST) || !isfinite(square))
        return xml_fail(node, "quat: has no usable length");
    *turn = quat_unit((Quat){q[0], q[1], q[2], q[3]});
    return true;
}

/* Another way beats quat, wherever it stands; the element's own beats its class's. */
bool mjcf_turn(const Mjcf *mjcf, const XmlNode *node, int class, const char *kind, Quat *turn)
{
    int given = xml_get(node, "quat") != NULL, way = -1;
    for (int i = 0; i < WAY_COUNT; i++)
        if (xml_get(node, WAYS[i])) {
            given++;
            way = i;
        }
    if (given > 1)
        return xml_fail(node, "an orientation is given in more than one way");
    for (int i = 0; way < 0 && class >= 0 && i < WAY_COUNT; i++)
        if (mjcf_default(mjcf, class, kind, WAYS[i]))
            way = i;
    if (way >= 0)
        return turn_by(mjcf, node, way, mjcf_get(mjcf, node, class, kind, WAYS[way]), turn);
    return turn_quat(node, mjcf_get(mjcf, node, class, kind, "quat"), turn);
}

bool mjcf_pose(const Mjcf *mjcf, const XmlNode *node, int class, const char *kind, RobotPose *pose)
{
    *pose = ROBOT_HERE;
    return xml_vec3(node, "pos", mjcf_get(mjcf, node, class, kind, "pos"), &pose->x) &&
           mjcf_turn(mjcf, node, class, kind, &pose->q);
}

bool mjcf_limited(const Mjcf *mjcf, const XmlNode *node, const char *name, const char *text, const char *range_name,
                  bool has_range, const double *range, bool *limited)
{
    static const char *const words[] = {"false", "true", "auto", NULL};
    int word = 2;
    if (!xml_choice(node, name, text, words, &word))
        return false;
    bool some = has_range && (range[0] != 0.0 || range[1] != 0.0);
    if (word == 2 && mjcf->no_autolimits && some)
        return xml_fail(node, "%s is given, but not %s, and autolimits is off", range_name, name);
    *limited = word == 1 || (word == 2 && some);
    if (*limited && !(range[0] < range[1]))
        return xml_fail(node, has_range ? "%s: %g is not below %g" : "%s is missing (%g to %g is none)", range_name,
                        range[0], range[1]);
    return true;
}
