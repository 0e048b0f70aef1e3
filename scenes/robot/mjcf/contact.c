/* SPDX-License-Identifier: MIT */
/* Who touches whom in MJCF, beyond masks: pairs of bodies that do not, pairs of geoms that do whatever their masks say.
 * A listed pair gets a bit of the masks that nobody else has; its friction becomes that of the geom that touches
 * nothing else, by priority. A pair that needs more than that is refused. */
#include "scenes/robot/mjcf/mjcf.h"

/* Each is held against every other. */
enum { MOST_PAIRS = 1000 };

static bool read_exclude(Mjcf *mjcf, const XmlNode *node)
{
    Robot *robot = mjcf->robot;
    int link[2];
    if (!mjcf_find_body(mjcf, node, "body1", &link[0]) || !mjcf_find_body(mjcf, node, "body2", &link[1]))
        return false;
    int(*exclude)[2] = ROBOT_ADD(robot, excludes);
    if (!exclude)
        return false;
    (*exclude)[0] = link[0];
    (*exclude)[1] = link[1];
    return true;
}

static bool find_geom(const Mjcf *mjcf, const XmlNode *node, const char *attribute, int *geom)
{
    const char *name = xml_get(node, attribute);
    *geom = name ? robot_find(mjcf->robot, ROBOT_GEOMS, name) : -1;
    return *geom >= 0 || (name ? xml_fail(node, "%s: there is no geom \"%.64s\"", attribute, name)
                               : xml_fail(node, "%s is missing", attribute));
}

static bool read_pair(Mjcf *mjcf, const XmlNode *node)
{
    int class, count = 0;
    double friction[5] = {1.0, 1.0, 0.005, 0.0001, 0.0001}, condim = 3.0;
    RobotPair *pair = ROBOT_ADD(mjcf->robot, pairs);
    if (!pair || !mjcf_class_of(mjcf, node, NULL, &class))
        return false;
    *pair = (RobotPair){.at = node};
    if (mjcf->robot->pairs.count > MOST_PAIRS)
        return xml_fail(node, "more than %d pairs", MOST_PAIRS);
    if (!find_geom(mjcf, node, "geom1", &pair->geom[0]) || !find_geom(mjcf, node, "geom2", &pair->geom[1]) ||
        !xml_numbers(node, "friction", mjcf_get(mjcf, node, class, "pair", "friction"), 1, 5, friction, &count) ||
        !xml_whole(node, "condim", mjcf_get(mjcf, node, class, "pair", "condim"), 1.0, 6.0, &condim))
        return false;
    if (condim == 2.0 || condim == 5.0)
        return xml_fail(node, "condim: %g is none of 1, 3, 4, 6", condim);
    if (count == 1)
        friction[1] = friction[0];
    if (count == 4)
        friction[4] = friction[3];
    if (friction[0] != friction[1] || friction[3] != friction[4])
        return xml_fail(node, "friction: one that differs by direction has no counterpart here");
    pair->friction[0] = friction[0];
    pair->friction[1] = friction[2];
    pair->friction[2] = friction[3];
    pair->condim = (int)condim;
    return true;
}

static int link_of(const Robot *robot, int geom)
{
    for (int i = 0; i < robot->links.count; i++)
        if (geom >= robot->links.items[i].first_geom &&
            geom < robot->links.items[i].first_geom + robot->links.items[i].geom_count)
            return i;
    return -1;
}

static int group_of(const Robot *robot, int link)
{
    return link < 0 ? -1 : robot->links.items[link].group;
}

static int parent_group(const Robot *robot, int group)
{
    return group < 0 ? -1 : group_of(robot, robot->links.items[group].parent);
}

/* Do bodies keep the pair apart, so that only the pair's own word makes it touch? */
static bool kept_apart(const Robot *robot, const RobotPair *pair)
{
    int a = link_of(robot, pair->geom[0]), b = link_of(robot, pair->geom[1]), ga = group_of(robot, a),
        gb = group_of(robot, b);
    for (int i = 0; i < robot->excludes.count; i++) {
        const int *not = robot->excludes.items[i];
        if ((not [0] == a && not [1] == b) || (not [0] == b && not [1] == a))
            return true;
    }
    bool neighbours = !robot->neighbours_touch && ga >= 0 && gb >= 0 &&
                      (parent_group(robot, ga) == gb || parent_group(robot, gb) == ga);
    return ga == gb || neighbours;
}

static bool meet_by_masks(const RobotGeom *a, const RobotGeom *b)
{
    return (a->group & b->mask) || (b->group & a->mask);
}

/* Has the pair the friction that its geoms have anyway? */
static bool same_friction(const RobotPair *pair, const RobotGeom *a, const RobotGeom *b)
{
    const RobotGeom *of = a->priority > b->priority ? a : b;
    bool equal = a->priority == b->priority;
    int condim = !equal ? of->condim : a->condim > b->condim ? a->condim : b->condim;
    for (int i = 0; i < 3; i++)
        if (pair->friction[i] != (equal ? fmax(a->friction[i], b->friction[i]) : of->friction[i]))
            return false;
    return pair->condim == condim;
}

static bool only_in_pairs_like(const Robot *robot, int geom, const RobotPair *pair)
{
    const RobotGeom *of = &robot->geoms.items[geom];
    for (int i = 0; i < robot->geoms.count; i++)
        if (i != geom && meet_by_masks(of, &robot->geoms.items[i]))
            return false;
    for (int i = 0; i < robot->pairs.count; i++) {
        const RobotPair *other = &robot->pairs.items[i];
        if ((other->geom[0] == geom || other->geom[1] == geom) &&
            (other->condim != pair->condim || other->friction[0] != pair->friction[0] ||
             other->friction[1] != pair->friction[1] || other->friction[2] != pair->friction[2]))
            return false;
    }
    return true;
}

static unsigned free_bit(const Robot *robot)
{
    unsigned used = 0;
    for (int i = 0; i < robot->geoms.count; i++)
        used |= robot->geoms.items[i].group | robot->geoms.items[i].mask;
    unsigned bit = 1u << 31;
    while (bit & used)
        bit >>= 1;
    return bit;
}

/* The friction of the pair becomes that of a geom that touches nothing else. */
static bool give_friction(Robot *robot, const RobotPair *pair)
{
    RobotGeom *a = &robot->geoms.items[pair->geom[0]], *b = &robot->geoms.items[pair->geom[1]];
    if (kept_apart(robot, pair))
        return xml_fail(pair->at, "a pair of geoms whose bodies do not touch otherwise has no counterpart here");
    if (same_friction(pair, a, b))
        return true;
    RobotGeom *own = only_in_pairs_like(robot, pair->geom[1], pair)   ? b
                     : only_in_pairs_like(robot, pair->geom[0], pair) ? a
                                                                      : NULL;
    if (!own)
        return xml_fail(
            pair->at, "a pair with friction of its own has no counterpart here where both its geoms touch others, too");
    const RobotGeom *other = own == a ? b : a;
    for (int i = 0; i < 3; i++)
        own->friction[i] = pair->friction[i];
    own->condim = pair->condim;
    if (own->priority <= other->priority)
        own->priority = other->priority + 1;
    return true;
}

static bool give_bit(Robot *robot, const RobotPair *pair)
{
    RobotGeom *a = &robot->geoms.items[pair->geom[0]], *b = &robot->geoms.items[pair->geom[1]];
    if (meet_by_masks(a, b))
        return true;
    unsigned bit = free_bit(robot);
    a->group |= bit;
    b->mask |= bit;
    return bit || xml_fail(pair->at, "no bit of the masks is left for this pair");
}

bool mjcf_read_contacts(Mjcf *mjcf)
{
    Robot *robot = mjcf->robot;
    for (const XmlNode *block = mjcf->root->first; block; block = block->next)
        for (const XmlNode *child = xml_is(block, "contact") ? block->first : NULL; child; child = child->next)
            if (!(xml_is(child, "pair") ? read_pair(mjcf, child) : read_exclude(mjcf, child)))
                return false;
    for (int i = 0; i < robot->pairs.count; i++)
        if (!give_friction(robot, &robot->pairs.items[i]))
            return false;
    for (int i = 0; i < robot->pairs.count; i++)
        if (!give_bit(robot, &robot->pairs.items[i]))
            return false;
    return true;
}
