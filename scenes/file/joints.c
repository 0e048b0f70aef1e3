/* SPDX-License-Identifier: MIT */
/* Joints of a scene file. One table says which key is whose; reader and writer both go by it. */
#include "model/joint/law_rows.h"
#include "model/suggest.h"
#include "scenes/file/file.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define OF(type) (1u << JOINT_##type)

enum {
    ALL_TYPES = (1u << JOINT_TYPES) - 1,
    TURNS =
        OF(HINGE) | OF(SERVO) | OF(MOTOR) | OF(PRISMATIC) | OF(CYLINDER), /* about or along an axis: it must be given */
    SOFTENS = ALL_TYPES & ~OF(SERIES), /* its axes have springs and friction of their own */
    LAWFUL = OF(HINGE) | OF(PRISMATIC) | OF(CYLINDER),
    ALIGNS = TURNS | OF(FIXED) | OF(BALL), /* has blocks that hold or limit an angle */
    HAS_ANCHOR = ALL_TYPES & ~(OF(VOLUME) | OF(SERIES)),
    /* Without anchors: a distance joins the centres, a wire holds the body's centre; a fixed joint and a slide are the
     * same wherever they stand, and stand at body 2's centre. */
    NEEDS_ANCHOR = HAS_ANCHOR & ~(OF(DISTANCE) | OF(WIRE) | OF(FIXED) | OF(PRISMATIC)),
};

/* Numbers; NaN as default: not given. */
static const struct {
    const char *key;
    size_t offset;
    unsigned types;
    double initial, least;
} REALS[] = {
    {"rest", offsetof(JointDef, rest), OF(DISTANCE), NAN, 0.0},
    {"rest", offsetof(JointDef, rest), OF(VOLUME), NAN, -INFINITY},
    {"swing_max", offsetof(JointDef, swing_max), OF(BALL), NAN, 0.0},
    {"twist_min", offsetof(JointDef, twist_min), OF(BALL), NAN, -INFINITY},
    {"twist_max", offsetof(JointDef, twist_max), OF(BALL), NAN, -INFINITY},
    {"turn_max", offsetof(JointDef, turn_max), OF(BALL), NAN, 0.0},
    {"angle_min", offsetof(JointDef, angle_min), OF(HINGE) | OF(PRISMATIC), NAN, -INFINITY},
    {"angle_max", offsetof(JointDef, angle_max), OF(HINGE) | OF(PRISMATIC), NAN, -INFINITY},
    {"position_min", offsetof(JointDef, position_min), OF(PRISMATIC), NAN, -INFINITY},
    {"position_max", offsetof(JointDef, position_max), OF(PRISMATIC), NAN, -INFINITY},
    {"target", offsetof(JointDef, target), OF(SERVO) | OF(CYLINDER), NAN, -INFINITY},
    {"speed", offsetof(JointDef, speed), OF(MOTOR), NAN, -INFINITY},
    {"torque", offsetof(JointDef, torque), OF(MOTOR), NAN, -INFINITY},
    {"force", offsetof(JointDef, force), OF(CYLINDER), NAN, -INFINITY},
    {"max_torque", offsetof(JointDef, max_torque), OF(SERVO) | OF(MOTOR), NAN, 0.0},
    {"angle", offsetof(JointDef, angle), OF(CYLINDER), NAN, -INFINITY},
    {"radius", offsetof(JointDef, radius), OF(WIRE), NAN, 0.0},
    {"compliance", offsetof(JointDef, compliance), SOFTENS, 0.0, 0.0},
    {"angular_compliance", offsetof(JointDef, angular_compliance), ALIGNS, 0.0, 0.0},
    {"stiffness", offsetof(JointDef, stiffness), SOFTENS, NAN, 0.0},
    {"damping", offsetof(JointDef, damping), SOFTENS, 0.0, 0.0},
    {"angular_damping", offsetof(JointDef, angular_damping), SOFTENS, 0.0, 0.0},
};

/* Vectors; zero: not given, but for a centre, which may be the origin. */
static const struct {
    const char *key;
    size_t offset;
    unsigned types, required;
    bool direction;
} VECTORS[] = {
    {"axis", offsetof(JointDef, axis), TURNS | OF(BALL) | OF(WIRE), TURNS | OF(WIRE), true},
    {"normal", offsetof(JointDef, normal), TURNS | OF(BALL) | OF(WIRE), 0, true},
    {"center", offsetof(JointDef, centre), OF(WIRE), OF(WIRE), false},
};

enum { REAL_COUNT = sizeof REALS / sizeof REALS[0], VECTOR_COUNT = sizeof VECTORS / sizeof VECTORS[0] };

/* The smallest sine between axis and normal that still tells a direction apart from round-off (as the model). */
static const double NORMAL_MIN = 1e-9;

static const struct {
    const char *key;
    unsigned types;
} OTHERS[] = {
    {"name", ALL_TYPES},
    {"type", ALL_TYPES},
    {"bodies", ALL_TYPES},
    {"anchor", HAS_ANCHOR},
    {"anchors", HAS_ANCHOR},
    {"one_sided", OF(DISTANCE)},
    {"axes", OF(SERIES)},
    {"viscous", LAWFUL | OF(BALL)},
    {"spring", LAWFUL | OF(BALL)},
    {"armature", LAWFUL | OF(BALL)},
    {"dry_friction", LAWFUL | OF(BALL)},
    {"start", LAWFUL | OF(BALL) | OF(FIXED)},
    {"drive", LAWFUL},
    {"effort", LAWFUL},
};

enum { OTHER_COUNT = sizeof OTHERS / sizeof OTHERS[0], KEY_COUNT = OTHER_COUNT + REAL_COUNT + VECTOR_COUNT };

/* The keys of all tables, by number; NULL: not one of this type. */
static const char *key_of(JointType type, int i)
{
    int real = i - OTHER_COUNT, vector = real - REAL_COUNT;
    unsigned types = vector >= 0 ? VECTORS[vector].types : real >= 0 ? REALS[real].types : OTHERS[i].types;
    const char *key = vector >= 0 ? VECTORS[vector].key : real >= 0 ? REALS[real].key : OTHERS[i].key;
    return types >> type & 1u ? key : NULL;
}

static bool key_belongs(const char *key, JointType type)
{
    for (int i = 0; i < KEY_COUNT; i++)
        if (key_of(type, i) && strcmp(key_of(type, i), key) == 0)
            return true;
    return false;
}

static bool key_unknown(Node node, JointType type)
{
    Suggestion near = suggestion_for(node.key);
    char text[SUGGESTION_TEXT], known[512] = "";
    for (int i = 0; i < KEY_COUNT; i++)
        if (key_of(type, i)) {
            suggestion_offer(&near, key_of(type, i));
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", known[0] ? ", " : "",
                     key_of(type, i));
        }
    return node_fail(node, "unknown key: a %s joint has no such%s%s here: %s", joint_type_names[type],
                     suggestion_text(&near, text), near.best ? " Known" : "; known", known);
}

static bool check_keys(const Node *joint, JointType type)
{
    const char *key;
    json_t *value;
    json_object_foreach (joint->value, key, value) {
        if (!key_belongs(key, type))
            return key_unknown(node_get(joint, key), type);
    }
    return true;
}

/* The type JOINT_TYPES is a coupling: no joint, but among them. */
static bool read_type(const Node *joint, JointType *type)
{
    const char *names[JOINT_TYPES + 2] = {NULL};
    memcpy(names, joint_type_names, sizeof joint_type_names);
    names[JOINT_TYPES] = "coupling";
    Node node = node_get(joint, "type");
    int index = 0;
    if (!node_required(node) || !node_choice(node, names, &index))
        return false;
    *type = (JointType)index;
    return true;
}

static bool check_volume_particle(Node node, const World *world, int body)
{
    bool particle = world->bodies[body].shape.kind == SHAPE_NONE && !world->bodies[body].has_inertia;
    return particle || world_is_fixed(world, body) || node_fail(node, "must be a particle: mass alone, no shape");
}

/* Whether what moves the body does not. */
static bool mover_is_fixed(const World *world, int body)
{
    return world_is_fixed(world, world->ride[body].root);
}

static bool read_joint_bodies(const Node *joint, JointDef *def)
{
    const World *world = joint->reader->world;
    size_t count = (size_t)joint_body_count(def);
    Node bodies = node_get(joint, "bodies");
    if (!node_required(bodies) || !node_array_of(bodies, count))
        return false;
    bool all_fixed = true;
    for (size_t i = 0; i < count; i++) {
        Node name = node_at(&bodies, i);
        if (!node_lookup(name, joint->reader->bodies, "body", &def->body[i]))
            return false;
        for (size_t k = 0; k < i; k++)
            if (def->body[k] == def->body[i])
                return node_fail(name, "a joint cannot join a body with itself");
        for (size_t k = 0; k < i; k++)
            if (world->ride[def->body[k]].root == world->ride[def->body[i]].root)
                return node_fail(name, "is fused to %s, so that there is nothing to join",
                                 world->bodies[def->body[k]].name);
        if (def->type == JOINT_VOLUME && !check_volume_particle(name, world, def->body[i]))
            return false;
        all_fixed = all_fixed && mover_is_fixed(world, def->body[i]);
    }
    if (all_fixed)
        return node_fail(bodies, "all are fixed: there is nothing to join");
    if (def->type == JOINT_WIRE && mover_is_fixed(world, def->body[1]))
        return node_fail(node_at(&bodies, 1), "is fixed, but a wire's second body is the one that slides on it");
    return true;
}

static bool read_anchors(const Node *joint, JointDef *def)
{
    Node anchor = node_get(joint, "anchor"), anchors = node_get(joint, "anchors");
    if (anchor.value && anchors.value)
        return node_fail(anchor, "give anchor or anchors, not both");
    if (!anchor.value && !anchors.value && (NEEDS_ANCHOR >> def->type & 1u))
        return node_fail(anchor, "is missing: a %s joint needs anchor or anchors", joint_type_names[def->type]);
    def->local_anchors = !anchor.value && (HAS_ANCHOR >> def->type & 1u);
    if (anchor.value)
        return node_vec3(anchor, &def->anchor[0]);
    if (anchors.value)
        return node_array_of(anchors, 2) && node_vec3(node_at(&anchors, 0), &def->anchor[0]) &&
               node_vec3(node_at(&anchors, 1), &def->anchor[1]);
    if (def->type == JOINT_FIXED || def->type == JOINT_PRISMATIC) {
        def->local_anchors = false;
        def->anchor[0] = joint->reader->world->bodies[def->body[1]].position;
    }
    return true;
}

static bool read_numbers(const Node *joint, JointDef *def)
{
    for (int i = 0; i < REAL_COUNT; i++)
        if ((REALS[i].types >> def->type & 1u) &&
            !node_at_least(node_get(joint, REALS[i].key), REALS[i].least, (double *)((char *)def + REALS[i].offset)))
            return false;
    for (int i = 0; i < VECTOR_COUNT; i++) {
        Node node = node_get(joint, VECTORS[i].key);
        Vec3 *value = (Vec3 *)((char *)def + VECTORS[i].offset);
        if (!(VECTORS[i].types >> def->type & 1u))
            continue;
        if ((VECTORS[i].required >> def->type & 1u) && !node_required(node))
            return false;
        if (!(VECTORS[i].direction ? node_direction(node, value) : node_vec3(node, value)))
            return false;
    }
    return node_bool(node_get(joint, "one_sided"), &def->one_sided);
}

/* Ends that were not given are `otherwise`; NaN compares false. */
static bool check_range(const Node *joint, const char *what, double min, double max, double otherwise)
{
    double lower = isnan(min) ? otherwise : min, upper = isnan(max) ? otherwise : max;
    char key[32];
    snprintf(key, sizeof key, "%s_min", what);
    return !(lower > upper) || node_fail(node_get(joint, key), "%g is above %s_max, %g", lower, what, upper);
}

static bool check_ranges(const Node *joint, const JointDef *def)
{
    /* A prismatic joint does not twist unless the file asks for it. */
    double open = def->type == JOINT_PRISMATIC ? 0.0 : NAN;
    return check_range(joint, "twist", def->twist_min, def->twist_max, NAN) &&
           check_range(joint, "angle", def->angle_min, def->angle_max, open) &&
           check_range(joint, "position", def->position_min, def->position_max, NAN);
}

static bool check_axes(const Node *joint, const JointDef *def)
{
    bool limited = !isnan(def->swing_max) || !isnan(def->twist_min) || !isnan(def->twist_max);
    if (vec3_is_zero(def->axis))
        return (!limited && vec3_is_zero(def->normal)) ||
               node_fail(node_get(joint, "axis"), "is missing: limits and normal count from it");
    if (vec3_is_zero(def->normal))
        return true;
    return vec3_norm(vec3_cross(vec3_unit(def->axis), vec3_unit(def->normal))) > NORMAL_MIN ||
           node_fail(node_get(joint, "normal"), "must not lie along the axis");
}

static bool check_drive(const Node *joint, const JointDef *def)
{
    bool speed = !isnan(def->speed), torque = !isnan(def->torque);
    if (def->type == JOINT_MOTOR && speed == torque)
        return speed ? node_fail(node_get(joint, "torque"), "give speed or torque, not both")
                     : node_fail(node_get(joint, "speed"), "is missing: a motor needs speed or torque");
    if (torque && !isnan(def->max_torque))
        return node_fail(node_get(joint, "max_torque"), "a torque motor has its torque already");
    if (def->type == JOINT_SERVO && def->compliance > 0.0 && def->angular_compliance > 0.0)
        return node_fail(node_get(joint, "angular_compliance"), "a servo's angle has its compliance already");
    if (def->stiffness > 1.0)
        return node_fail(node_get(joint, "stiffness"), "must not be above 1");
    if (!isnan(def->target) && !isnan(def->force))
        return node_fail(node_get(joint, "force"), "give target or force, not both");
    if (def->type == JOINT_WIRE && !(def->radius > 0.0)) {
        Node radius = node_get(joint, "radius");
        return node_required(radius) && node_fail(radius, "must be positive");
    }
    return true;
}

static bool read_name(const Node *joint, size_t index, char *numbered, size_t size, const char **name)
{
    snprintf(numbered, size, "joint%zu", index + 1);
    *name = numbered;
    Node node = node_get(joint, "name");
    return node_text(node, name) && node_define(node, joint->reader->joints, *name, joint->reader->world->joint_count);
}

static bool add_joint(const Node *node, const JointDef *def)
{
    World *world = node->reader->world;
    Status why = {0};
    int index = world_add_joint(world, def, &why);
    if (index < 0)
        return node_fail(*node, "%s", why.message);
    const Joint *joint = &world->joints[index];
    bool finite = vec3_is_finite(joint->anchor[0]) && vec3_is_finite(joint->anchor[1]);
    for (int b = joint->first_block; b < world->block_count; b++)
        finite = finite && isfinite(world->blocks[b].seat->rest);
    for (int i = 0; i < joint->coordinate_count; i++)
        finite = finite && isfinite(joint->coordinates[i].push);
    for (int i = 0; i < joint->law_row_count; i++) {
        const LawRow *row = &joint->law_rows[i];
        finite = finite && isfinite(row->inertia + row->damping + row->stiffness) && isfinite(row->force);
    }
    return finite || node_fail(*node, "its lengths or laws are beyond double precision");
}

static bool is_coupling(const Node *joint)
{
    const char *type = json_string_value(json_object_get(joint->value, "type"));
    return type && strcmp(type, "coupling") == 0;
}

/* Laws and axes are the reader's until the world has copied them. */
static bool read_motion(const Node *joint, const JointDef *def)
{
    JointDef whole = *def;
    JointLaw law;
    SeriesAxis axes[SERIES_MAX_AXES];
    char names[SERIES_MAX_AXES][16];
    bool given = false;
    if (def->type == JOINT_SERIES && !file_read_series(joint, axes, names, &whole.axis_count))
        return false;
    bool turns = def->type == JOINT_BALL || def->type == JOINT_FIXED; /* starts by a turn */
    if (((LAWFUL | OF(BALL) | OF(FIXED)) >> def->type & 1u) && !file_read_law(joint, turns, &law, &given))
        return false;
    whole.axes = axes;
    whole.law = given ? &law : NULL;
    return add_joint(joint, &whole);
}

static bool read_joint(const Node *joint, size_t index)
{
    char numbered[32];
    JointType type;
    if (!json_is_object(joint->value))
        return node_object(*joint, (const char *const[]){NULL});
    if (!read_type(joint, &type))
        return false;
    if (is_coupling(joint))
        return true;
    if (!check_keys(joint, type))
        return false;
    JointDef def = joint_def(type, -1, -1);
    return read_name(joint, index, numbered, sizeof numbered, &def.name) && read_joint_bodies(joint, &def) &&
           read_anchors(joint, &def) && read_numbers(joint, &def) && check_ranges(joint, &def) &&
           check_axes(joint, &def) && check_drive(joint, &def) && read_motion(joint, &def);
}

/* Couplings come last: they name joints. */
static bool read_couplings(const Node *joints)
{
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(joints->value); i++) {
        Node node = node_at(joints, i), name = node_get(&node, "name");
        char numbered[32];
        const char *own = numbered;
        snprintf(numbered, sizeof numbered, "coupling%zu", i + 1);
        if (is_coupling(&node))
            ok = node_text(name, &own) && node_define(name, joints->reader->couplings, own, (int)i) &&
                 file_read_coupling(&node, own);
    }
    return ok;
}

bool file_read_joints(const Node *root)
{
    Node joints = node_get(root, "joints");
    bool ok = node_array(joints);
    for (size_t i = 0; ok && i < json_array_size(joints.value); i++) {
        Node joint = node_at(&joints, i);
        ok = read_joint(&joint, i);
    }
    return ok && read_couplings(&joints);
}

/* As they were given: of what is fused, not what moves it. */
static bool write_joint_bodies(json_t *object, const World *world, const Joint *joint)
{
    json_t *bodies = file_put_part(object, "bodies", json_array());
    bool ok = bodies;
    for (int i = 0; ok && i < joint_body_count(&joint->def); i++)
        ok = json_array_append_new(bodies, json_string(world->bodies[joint->listed_body[i]].name)) == 0;
    return ok;
}

static bool write_anchors(json_t *object, const JointDef *def)
{
    if (!(HAS_ANCHOR >> def->type & 1u))
        return true;
    if (!def->local_anchors)
        return file_put(object, "anchor", file_write_vec3(def->anchor[0]));
    bool centres = memcmp(def->anchor, (Vec3[2]){{0}}, sizeof def->anchor) == 0;
    if (centres && (def->type == JOINT_DISTANCE || def->type == JOINT_WIRE))
        return true;
    json_t *anchors = file_put_part(object, "anchors", json_array());
    return json_array_append_new(anchors, file_write_vec3(def->anchor[0])) == 0 &&
           json_array_append_new(anchors, file_write_vec3(def->anchor[1])) == 0;
}

static bool write_numbers(json_t *object, const JointDef *def)
{
    for (int i = 0; i < VECTOR_COUNT; i++) {
        Vec3 value = *(const Vec3 *)((const char *)def + VECTORS[i].offset);
        bool needed = !VECTORS[i].direction || !vec3_is_zero(value);
        if ((VECTORS[i].types >> def->type & 1u) && needed && !file_put(object, VECTORS[i].key, file_write_vec3(value)))
            return false;
    }
    for (int i = 0; i < REAL_COUNT; i++) {
        double value = *(const double *)((const char *)def + REALS[i].offset);
        if (!(REALS[i].types >> def->type & 1u) || isnan(value) || value == REALS[i].initial)
            continue;
        /* An infinite bound is one that was not given; only a prismatic joint's twist is bounded if not given. */
        bool twist = def->type == JOINT_PRISMATIC && strncmp(REALS[i].key, "angle", 5) == 0;
        if (isinf(value) && !twist)
            continue;
        if (!file_put(object, REALS[i].key, json_real(value)))
            return false;
    }
    return !def->one_sided || file_put(object, "one_sided", json_true());
}

static bool write_joint(json_t *object, const World *world, const Joint *joint)
{
    const JointDef *def = &joint->def;
    return (!*def->name || file_put(object, "name", json_string(def->name))) &&
           file_put(object, "type", json_string(joint_type_names[def->type])) &&
           write_joint_bodies(object, world, joint) && write_anchors(object, def) && write_numbers(object, def) &&
           (!def->law || file_write_law(object, def->law)) &&
           (def->type != JOINT_SERIES || file_write_series(object, def));
}

bool file_write_joints(json_t *root, const World *world)
{
    json_t *joints = file_put_part(root, "joints", json_array());
    bool ok = joints;
    for (int i = 0; ok && i < world->joint_count; i++) {
        json_t *object = json_object();
        ok = json_array_append_new(joints, object) == 0 && write_joint(object, world, &world->joints[i]);
    }
    for (int i = 0; ok && i < world->coupling_count; i++)
        ok = json_array_append_new(joints, file_write_coupling(world, &world->couplings[i])) == 0;
    if (ok && world->joint_count + world->coupling_count == 0)
        json_object_del(root, "joints");
    return ok;
}
