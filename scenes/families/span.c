/* SPDX-License-Identifier: MIT */
/* Chains held at both ends, in the xy-plane, with the ends at y = 0.
 * hanging_chain: does a closed chain of rods keep the shape of a catenary, and its tension?
 * bridge: how do stiff rows carry loads that are much heavier than the planks between them?
 * Both start in the equilibrium of rigid links (scenes/truth/catenary.h), in which joint j gives the next link the
 * force
 * (-H, V - weight of the links before it). */
#include "scenes/list.h"
#include "scenes/parts.h"
#include "scenes/truth/catenary.h"

#include <stdlib.h>

/* The shape is lost when a link has moved by more than this part of its length. */
#define SPAN_MOVE_MAX 0.1
/* A joint of the bridge has come apart when it gapes by more than this part of a plank. */
#define SPAN_GAP_MAX 0.1
/* Spans nearer to the full length than this have tensions of hundreds of weights; at the length, infinite. */
#define SPAN_RATIO_MAX 0.999999
/* A load is a cube of this edge, hung this far below the middle of its plank, m. */
#define BRIDGE_LOAD_EDGE 0.3
#define BRIDGE_LOAD_DROP 0.5

typedef struct Span {
    int links, loads;
    double length;    /* of a link, m */
    double link_mass; /* kg */
    double load_mass; /* kg */
    double width;     /* between the ends, m */
    double H, V;      /* per unit of gravity, kg: the pull at the left end */
} Span;

/* Load k (from 0) hangs from this link (from 0): the middles of equal parts of the span. */
static int span_loaded_link(const Span *span, int k)
{
    return (int)((2LL * k + 1) * span->links / (2LL * span->loads));
}

/* The equilibrium reactions, with or without the loads. */
static bool span_solve(Span *span, bool loaded, Status *status)
{
    double *mass = malloc(sizeof *mass * (size_t)span->links);
    if (!mass)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int i = 0; i < span->links; i++)
        mass[i] = span->link_mass;
    for (int k = 0; loaded && k < span->loads; k++)
        mass[span_loaded_link(span, k)] += span->load_mass;
    bool found = catenary_solve_links(span->links, span->length, mass, span->width, &span->H, &span->V);
    free(mass);
    return found ||
           status_set(status, STATUS_USAGE, "span: %d links of %g m cannot hang between ends that are only %g m apart",
                      span->links, span->length, span->width);
}

/* Places the links one after another from the left end, and joins them; the last joint is where the last link ends,
 * which is the right end but for round-off. `sag` is the depth of the lowest joint. */
static bool span_add_links(World *world, const Span *span, bool loaded, BodyDef *link, JointType type,
                           const char *names[2], double *sag, Status *status)
{
    Vec3 axis = vec3(0, 0, 1), end = vec3(-0.5 * span->width, 0, 0);
    double V = span->V;
    *sag = 0.0;
    for (int i = 0, k = 0; i < span->links; i++) {
        double mass = span->link_mass;
        for (; loaded && k < span->loads && span_loaded_link(span, k) == i; k++)
            mass += span->load_mass;
        double angle = atan2(0.5 * mass - V, span->H);
        V -= mass;
        part_place(link, part_rod_pose(end, span->length, angle));
        JointDef joint = part_joint_at(type, i, i + 1, end, axis);
        if (part_add_body(world, link, names[0], i + 1, status) < 0 ||
            part_add_joint(world, &joint, names[1], i + 1, status) < 0)
            return false;
        end = vec3_add(end, vec3(span->length * cos(angle), span->length * sin(angle), 0));
        *sag = fmax(*sag, -end.y);
    }
    JointDef last = part_joint_at(type, 0, span->links, end, axis);
    return part_add_joint(world, &last, names[1], span->links + 1, status) >= 0;
}

static void span_truth(const Problem *problem, double t, Truth *truth)
{
    (void)t;
    const Span *span = problem->data;
    double g = -problem->world->gravity.y, V = span->V;
    truth_set_rest(problem, truth);
    for (int i = 0, k = 0; i < span->links; i++) {
        truth_set_force(truth, i, vec3(-g * span->H, g * V, 0));
        V -= span->link_mass;
        for (; k < span->loads && span_loaded_link(span, k) == i; k++)
            V -= span->load_mass;
    }
    truth_set_force(truth, span->links, vec3(g * span->H, -g * V, 0));
    for (int k = 0; k < span->loads; k++)
        truth_set_force(truth, span->links + 1 + k, vec3(0, g * span->load_mass, 0));
}

static bool span_stays(const Problem *problem, const World *world)
{
    const Span *span = problem->data;
    return part_stays(problem, world, SPAN_MOVE_MAX * span->length);
}

static bool span_holds(const Problem *problem, const World *world)
{
    const Span *span = problem->data;
    return part_holds(world, SPAN_GAP_MAX * span->length);
}

static void span_set_facts(Problem *problem, bool rest, double sag)
{
    problem->time = 10.0;
    problem->conserves = CONSERVES_ENERGY;
    problem->passive = true;
    problem->rest = rest;
    problem->reference = !rest;
    problem->truth = rest ? span_truth : NULL;
    problem->settled = rest ? span_stays : span_holds;
    problem_set_scales(problem, sag);
}

typedef struct HangingChainParams {
    int links;
    double length, thickness, density, span, gravity;
} HangingChainParams;

static const Setting HANGING_CHAIN_SETTINGS[] = {
    PARAM_INT(HangingChainParams, links, "number of rods", 40, 2, PARTS_MAX),
    PARAM_REAL(HangingChainParams, length, "of a rod (m)", 0.2, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(HangingChainParams, thickness, "of a rod (m)", 0.05, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(HangingChainParams, density, "of a rod (kg/m^3)", 1000, DENSITY_MIN, DENSITY_MAX),
    PARAM_REAL(HangingChainParams, span, "distance of the ends over the chain's length", 0.5, 0.01, SPAN_RATIO_MAX),
    PARAM_GRAVITY(HangingChainParams),
};

static bool hanging_chain_build(Problem *problem, const void *params, Status *status)
{
    const HangingChainParams *p = params;
    part_set_gravity(problem->world, p->gravity);
    BodyDef link = part_box(p->length, p->thickness, p->thickness, p->density);
    Span span = {.links = p->links, .length = p->length, .width = p->span * p->links * p->length};
    span.link_mass = p->length * p->thickness * p->thickness * p->density;
    double sag;
    if (!span_solve(&span, false, status) || !span_add_links(problem->world, &span, false, &link, JOINT_BALL,
                                                             (const char *[]){"link", "joint"}, &sag, status))
        return false;
    span_set_facts(problem, true, sag);
    return part_keep(problem, &span, sizeof span, status);
}

const Scene hanging_chain_scene = {
    .name = "hanging_chain",
    .question = "Does a chain held at both ends keep the shape and the tension of a catenary?",
    .about = "Rods of the same cross-section as in `chain`, link1 to linkN, on ball joints; joint1 and the last joint "
             "hold the ends to the world at y = 0, `span` of the chain's length apart.\n"
             "It starts in the equilibrium of rigid links, which tends to the catenary as links grow, and should stay "
             "there: positions, orientations and all joint forces are known. The last joint's force is the world's on "
             "the last link. The centre of mass is as low as it can be, so energy is measured against a fall by the "
             "sag.\n"
             "settled: no link has moved by more than a tenth of its length.",
    .lectures = "000, 002",
    SCENE_PARAMS(HANGING_CHAIN_SETTINGS, HangingChainParams),
    .build = hanging_chain_build,
};

typedef struct BridgeParams {
    int planks, loads;
    double mass_ratio, length, thickness, width, density, span;
    int preloaded;
    double gravity;
} BridgeParams;

static const Setting BRIDGE_SETTINGS[] = {
    PARAM_INT(BridgeParams, planks, "number of planks", 40, 2, PARTS_MAX),
    PARAM_INT(BridgeParams, loads, "number of weights, spread evenly", 5, 0, PARTS_MAX),
    PARAM_REAL(BridgeParams, mass_ratio, "a weight's mass over a plank's", 10, 1e-6, 1e9),
    PARAM_REAL(BridgeParams, length, "of a plank, along the bridge (m)", 0.5, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(BridgeParams, thickness, "of a plank (m)", 0.05, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(BridgeParams, width, "of a plank, across the bridge (m)", 1, LENGTH_MIN, LENGTH_MAX),
    PARAM_REAL(BridgeParams, density, "of a plank (kg/m^3)", 600, DENSITY_MIN, DENSITY_MAX),
    PARAM_REAL(BridgeParams, span, "distance of the ends over the bridge's length", 0.95, 0.01, SPAN_RATIO_MAX),
    PARAM_BOOL(BridgeParams, preloaded, "start in the equilibrium with the weights, not without", false),
    PARAM_GRAVITY(BridgeParams),
};

static bool bridge_add_loads(World *world, const Span *span, Status *status)
{
    BodyDef load = BODY_DEF_INIT;
    load.shape = (Shape){.kind = SHAPE_BOX, .size = vec3(BRIDGE_LOAD_EDGE, BRIDGE_LOAD_EDGE, BRIDGE_LOAD_EDGE)};
    load.mass = span->load_mass;
    for (int k = 0; k < span->loads; k++) {
        int plank = span_loaded_link(span, k) + 1;
        Vec3 middle = world->bodies[plank].position;
        load.position = vec3_sub(middle, vec3(0, BRIDGE_LOAD_DROP, 0));
        int body = part_add_body(world, &load, "load", k + 1, status);
        JointDef hanger = part_joint_at(JOINT_BALL, plank, body, middle, vec3(0, 1, 0));
        if (body < 0 || part_add_joint(world, &hanger, "hanger", k + 1, status) < 0)
            return false;
    }
    return true;
}

static bool bridge_build(Problem *problem, const void *params, Status *status)
{
    const BridgeParams *p = params;
    if (p->loads > p->planks)
        return status_set(status, STATUS_USAGE, "loads: %d weights need as many planks, not %d", p->loads, p->planks);
    part_set_gravity(problem->world, p->gravity);
    BodyDef plank = part_box(p->length, p->thickness, p->width, p->density);
    Span span = {.links = p->planks, .loads = p->loads, .length = p->length};
    span.width = p->span * p->planks * p->length;
    span.link_mass = p->length * p->thickness * p->width * p->density;
    span.load_mass = p->mass_ratio * span.link_mass;
    double sag;
    if (!span_solve(&span, p->preloaded, status) ||
        !span_add_links(problem->world, &span, p->preloaded, &plank, JOINT_HINGE, (const char *[]){"plank", "hinge"},
                        &sag, status) ||
        !bridge_add_loads(problem->world, &span, status))
        return false;
    span_set_facts(problem, p->preloaded || p->loads == 0, sag);
    return part_keep(problem, &span, sizeof span, status);
}

const Scene bridge_scene = {
    .name = "bridge",
    .question = "How do stiff rows carry loads much heavier than the planks between them?",
    .about = "Planks plank1 to plankN on hinges across the bridge, both ends hinged to the world at y = 0; weights "
             "load1, load2, ... each hang by a ball joint from the middle of a plank, spread evenly. The hinges make "
             "the plane of the bridge redundant on purpose.\n"
             "It starts in the equilibrium of the planks alone. Without loads it should stay there: positions and the "
             "tension in every hinge are known. With loads it is released under them and moves; its energy stays, and "
             "the truth is the `reference` backend's. With preloaded=true it starts in the equilibrium under the "
             "loads, and everything is known again.\n"
             "settled: at rest, no plank has moved by more than a tenth of its length; moving, no joint gapes by more "
             "than that. Energy is measured against a fall by the sag.",
    .lectures = "000, 001, 002",
    SCENE_PARAMS(BRIDGE_SETTINGS, BridgeParams),
    .build = bridge_build,
};
