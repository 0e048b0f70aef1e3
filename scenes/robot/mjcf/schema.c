/* SPDX-License-Identifier: MIT */
/* The names that MJCF knows, and what becomes of each: read, without effect here (said in the end), or refused. */
#include "scenes/robot/mjcf/mjcf.h"

#include "model/suggest.h"

#include <string.h>

/* Names between blanks. `read`: the readers look at them; `idle`: nothing here depends on them; `refused`: what they
 * ask for cannot be mapped. */
typedef struct ElementRule {
    const char *inside; /* a parent, or NULL: any */
    const char *name;
    const char *read, *idle, *refused;
    const char *children; /* NULL: passed over below this level */
    const char *why;      /* refused as a whole */
} ElementRule;

#define POSE "pos quat axisangle xyaxes zaxis euler "
#define GEOM "class type contype conaffinity condim group priority size friction mass density mesh fromto " POSE
#define GEOM_IDLE "material rgba solmix solref solimp margin gap fluidshape fluidcoef user fitscale"
#define JOINT                                                                                                          \
    "class type pos axis limited actuatorfrclimited range actuatorfrcrange ref springref stiffness armature damping "  \
    "frictionloss "
#define JOINT_IDLE "group solreflimit solimplimit solreffriction solimpfriction margin user actuatorgravcomp"
#define ACTUATOR "class ctrllimited forcelimited ctrlrange forcerange gear joint "
#define ACTUATOR_IDLE "group user cranklength lengthrange actlimited actrange actdim actearly dynprm"
#define ACTUATOR_REFUSED "tendon slidersite cranksite site refsite body jointinparent "
#define SITE "class " POSE "fromto "
#define SITE_IDLE "type group material size rgba user"
#define EQUALITY_IDLE "solref solimp"
#define TENDON_IDLE                                                                                                    \
    "group width rgba material solreflimit solimplimit solreffriction solimpfriction margin user springlength"
#define WORLD "body geom site camera light joint freejoint inertial frame replicate composite flexcomp plugin attach"

static const ElementRule RULES[] = {
    {NULL, "mujoco", "model", "", "",
     "compiler option size visual statistic default extension custom asset worldbody deformable contact equality "
     "tendon "
     "actuator sensor keyframe mujoco",
     NULL},
    {NULL, "compiler",
     "autolimits boundmass boundinertia settotalmass balanceinertia angle eulerseq meshdir assetdir "
     "inertiafromgeom inertiagrouprange",
     "texturedir strippath discardvisual usethread fusestatic saveinertial fitaabb convexhull", "coordinate alignfree",
     "lengthrange", NULL},
    {NULL, "lengthrange", "", "", "", NULL, NULL},
    {NULL, "option", "gravity",
     "timestep apirate impratio tolerance ls_tolerance noslip_tolerance mpr_tolerance ccd_tolerance sleep_tolerance "
     "magnetic integrator cone jacobian solver iterations ls_iterations noslip_iterations mpr_iterations "
     "ccd_iterations "
     "sdf_iterations sdf_initpoints o_margin o_solref o_solimp o_friction collision",
     "density viscosity wind actuatorgroupdisable", "flag", NULL},
    {NULL, "flag",
     "constraint equality frictionloss limit contact passive spring damper gravity clampctrl filterparent actuation "
     "override",
     "warmstart refsafe sensor midphase nativeccd eulerdamp autoreset energy fwdinv invdiscrete multiccd island sleep",
     "", "", NULL},
    {NULL, "size", NULL, NULL, NULL, NULL, NULL},
    {NULL, "visual", NULL, NULL, NULL, NULL, NULL},
    {NULL, "statistic", NULL, NULL, NULL, NULL, NULL},
    {NULL, "custom", NULL, NULL, NULL, NULL, NULL},
    {NULL, "sensor", NULL, NULL, NULL, NULL, NULL},
    {NULL, "camera", NULL, NULL, NULL, NULL, NULL},
    {NULL, "light", NULL, NULL, NULL, NULL, NULL},
    {NULL, "texture", NULL, NULL, NULL, NULL, NULL},
    {NULL, "material", NULL, NULL, NULL, NULL, NULL},
    {NULL, "skin", NULL, NULL, NULL, NULL, NULL},
    {NULL, "extension", "", "", "", "plugin", NULL},
    {NULL, "plugin", "", "", "", NULL, "a plugin is code that this program does not have"},
    {NULL, "composite", "", "", "", NULL, "a composite is not read: write its bodies out"},
    {NULL, "flexcomp", "", "", "", NULL, "a flexcomp is deformable: only rigid bodies are read"},
    {NULL, "flex", "", "", "", NULL, "a flex is deformable: only rigid bodies are read"},
    {NULL, "attach", "", "", "", NULL, "attach is not read: include the model instead"},
    {NULL, "hfield", "", "", "", NULL, "an hfield (height field) has no counterpart here"},
    {"asset", "model", "", "", "", NULL, "a model as an asset is not read: include it instead"},
    {NULL, "deformable", "", "", "", "flex skin", NULL},
    {"default", "default", "class", "", "",
     "mesh material joint geom site camera light pair equality tendon general motor position velocity intvelocity "
     "damper "
     "cylinder muscle adhesion default",
     NULL},
    {"mujoco", "default", "class", "", "",
     "mesh material joint geom site camera light pair equality tendon general motor position velocity intvelocity "
     "damper "
     "cylinder muscle adhesion default",
     NULL},
    {"default", "equality", "active", EQUALITY_IDLE, "", "", NULL},
    {"default", "tendon", "limited range stiffness damping frictionloss", TENDON_IDLE, "", "", NULL},
    {"default", "muscle", NULL, NULL, NULL, NULL, NULL},
    {"default", "adhesion", NULL, NULL, NULL, NULL, NULL},
    {"default", "cylinder", NULL, NULL, NULL, NULL, NULL},
    {"default", "intvelocity", NULL, NULL, NULL, NULL, NULL},
    {NULL, "asset", "", "", "", "mesh hfield skin texture material model", NULL},
    {NULL, "mesh", "name class file vertex face refpos refquat scale",
     "content_type normal texcoord smoothnormal maxhullvert material inertia", "builtin params", "plugin", NULL},
    {NULL, "worldbody", "", "", "", WORLD, NULL},
    {NULL, "body", "name childclass gravcomp mocap " POSE, "user sleep", "", WORLD, NULL},
    {NULL, "frame", "name childclass " POSE, "", "", WORLD, NULL},
    {NULL, "replicate", "name childclass count offset euler sep", "", "", WORLD, NULL},
    {NULL, "inertial", "mass diaginertia fullinertia " POSE, "", "", "", NULL},
    {"equality", "joint", "name class joint1 joint2 polycoef active", EQUALITY_IDLE, "", "", NULL},
    {NULL, "joint", "name " JOINT, JOINT_IDLE, "springdamper", "", NULL},
    {NULL, "freejoint", "name align", "group", "", "", NULL},
    {NULL, "geom", "name " GEOM, GEOM_IDLE, "hfield shellinertia", "plugin", NULL},
    {NULL, "site", "name " SITE, SITE_IDLE, "", "", NULL},
    {NULL, "contact", "", "", "", "pair exclude", NULL},
    {NULL, "pair", "name class geom1 geom2 condim friction", "solref solreffriction solimp gap margin", "", "", NULL},
    {NULL, "exclude", "name body1 body2", "", "", "", NULL},
    {"mujoco", "equality", "", "", "", "connect weld joint tendon flex flexvert flexstrain", NULL},
    {NULL, "connect", "name class body1 body2 anchor site1 site2 active", EQUALITY_IDLE, "", "", NULL},
    {NULL, "weld", "name class body1 body2 relpose anchor site1 site2 active", EQUALITY_IDLE " torquescale", "", "",
     NULL},
    {"equality", "tendon", "", "", "", NULL, "an equality of tendons has no counterpart here"},
    {"mujoco", "tendon", "", "", "", "spatial fixed", NULL},
    {NULL, "fixed", "", "", "", NULL, "a fixed tendon has no counterpart here"},
    {NULL, "spatial", "name class limited range stiffness damping frictionloss", TENDON_IDLE " actuatorfrclimited",
     "actuatorfrcrange armature", "site geom pulley", NULL},
    {"spatial", "site", "site", "", "", "", NULL},
    {"spatial", "geom", "", "", "", "", "a tendon that wraps around a geom has no counterpart here"},
    {"spatial", "pulley", "", "", "", "", "a tendon with a pulley has no counterpart here"},
    {NULL, "actuator", "", "", "",
     "general motor position velocity intvelocity damper cylinder muscle adhesion dcmotor plugin", NULL},
    {NULL, "general", "name gaintype biastype gainprm biasprm dyntype " ACTUATOR, ACTUATOR_IDLE, ACTUATOR_REFUSED, "",
     NULL},
    {NULL, "motor", "name " ACTUATOR, ACTUATOR_IDLE, ACTUATOR_REFUSED, "", NULL},
    {NULL, "position", "name kp kv inheritrange " ACTUATOR, ACTUATOR_IDLE, ACTUATOR_REFUSED "dampratio timeconst", "",
     NULL},
    {NULL, "velocity", "name kv " ACTUATOR, ACTUATOR_IDLE, ACTUATOR_REFUSED, "", NULL},
    {NULL, "damper", "name kv " ACTUATOR, ACTUATOR_IDLE, ACTUATOR_REFUSED, "", NULL},
    {NULL, "intvelocity", "", "", "", NULL, "an actuator with a state of its own (dyntype) has no counterpart here"},
    {NULL, "cylinder", "", "", "", NULL, "an actuator with a state of its own (dyntype) has no counterpart here"},
    {NULL, "dcmotor", "", "", "", NULL, "an actuator with a state of its own (dyntype) has no counterpart here"},
    {NULL, "muscle", "", "", "", NULL, "a muscle has no counterpart here"},
    {NULL, "adhesion", "", "", "", NULL, "adhesion has no counterpart here"},
    {NULL, "keyframe", "", "", "", "key", NULL},
    {NULL, "key", "name qpos qvel ctrl", "time act mpos mquat", "", "", NULL},
};

enum { RULE_COUNT = sizeof RULES / sizeof RULES[0] };

static bool listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

static const ElementRule *rule_of(const XmlNode *node)
{
    const ElementRule *any = NULL;
    for (int i = 0; i < RULE_COUNT; i++) {
        if (strcmp(RULES[i].name, node->name) != 0)
            continue;
        if (RULES[i].inside && node->parent && xml_is(node->parent, RULES[i].inside))
            return &RULES[i];
        if (!RULES[i].inside)
            any = &RULES[i];
    }
    return any;
}

static void offer(Suggestion *near, const char *names)
{
    char word[32];
    for (const char *at = names; at && *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (length >= sizeof word)
            continue;
        memcpy(word, at, length);
        word[length] = '\0';
        suggestion_offer(near, word);
        if (near->best == word) /* it points into what is about to change */
            near->best = at;
    }
}

static bool unknown_attribute(const XmlNode *node, const ElementRule *rule, const char *name)
{
    char nearest[SUGGESTION_TEXT] = "";
    Suggestion near = suggestion_for(name);
    offer(&near, rule->read);
    offer(&near, rule->idle);
    if (near.best) { /* to the next blank */
        size_t length = strcspn(near.best, " ");
        if (length < 40)
            snprintf(nearest, sizeof nearest, ": did you mean '%.*s'?", (int)length, near.best);
    }
    return xml_fail(node, "unknown attribute %.64s%s", name, nearest);
}

/* Refused only where it asks for something. */
static bool asks(const XmlNode *node, const char *name, const char *value)
{
    double number[3] = {1.0, 0.0, 0.0};
    int count = 0;
    if (strcmp(name, "coordinate") == 0)
        return strcmp(value, "local") != 0;
    if (strcmp(value, "false") == 0 || !*value)
        return false;
    Status quiet = {0};
    XmlTree tree = {.status = &quiet};
    XmlNode copy = *node;
    copy.tree = &tree;
    if (!xml_numbers(&copy, name, value, 1, 3, number, &count))
        return true;
    return number[0] != 0.0 || number[1] != 0.0 || number[2] != 0.0;
}

static bool check_attributes(Mjcf *mjcf, const XmlNode *node, const ElementRule *rule)
{
    for (int i = 0; rule->read && i < node->attribute_count; i++) {
        const char *name = node->attributes[i].name;
        if (listed(rule->read, name))
            continue;
        if (listed(rule->idle, name)) {
            if (!robot_unused(mjcf->robot, xml_is(node, "site") ? "site" : name))
                return false;
            continue;
        }
        if (!listed(rule->refused, name))
            return unknown_attribute(node, rule, name);
        if (asks(node, name, node->attributes[i].value))
            return xml_fail(node, "%s %s has no counterpart here", node->name, name);
    }
    return true;
}

static bool check(Mjcf *mjcf, const XmlNode *node)
{
    const ElementRule *rule = rule_of(node);
    if (rule->why)
        return xml_fail(node, "%s", rule->why);
    if (!rule->read) /* passed over as a whole */
        return robot_unused(mjcf->robot, node->name);
    if (!check_attributes(mjcf, node, rule))
        return false;
    for (const XmlNode *child = node->first; rule->children && child; child = child->next) {
        if (!listed(rule->children, child->name) || !rule_of(child))
            return xml_fail(child, "an element %.64s has no place inside <%.64s>", child->name, node->name);
        if (!check(mjcf, child))
            return false;
    }
    return true;
}

bool mjcf_check(Mjcf *mjcf, const XmlNode *root)
{
    return check(mjcf, root);
}
