/* SPDX-License-Identifier: MIT */
/* Carried by friction alone: a house of cards, which should stand, and dominoes, which should all fall in order. */
#include "scenes/ground.h"
#include "scenes/list.h"

typedef struct CardsParams {
    int levels;
    double lean, thickness, mu, gravity;
} CardsParams;

static const Setting CARDS_SETTINGS[] = {
    PARAM_INT(CardsParams, levels, "of leaning pairs", 5, 1, 500),
    PARAM_ANGLE(CardsParams, lean, "of a card from upright", 25.0 * PI / 180.0, 0.02, 1.5),
    PARAM_REAL(CardsParams, thickness, "of a card (m)", 0.02, 1e-3, 0.05),
    PARAM_MU(CardsParams, 0.7),
    PARAM_GRAVITY(CardsParams),
};

static const double CARD_LENGTH = 0.4, CARD_DEPTH = 0.3; /* m */
static const double CARD_JOINT = 0.004;                  /* m, open, between two lying cards */
static const double CARD_MOVE_MAX = 0.125;               /* of its length, in a house that stands */

/* A pair leans together with the upper inner edges and stands on the lower inner ones. The outer edges are, above, at
 * `height`, where the next cards lie on them, and, below, at `reach` from the middle. */
typedef struct CardPair {
    double height, reach;
} CardPair;

static CardPair card_pair(const CardsParams *p)
{
    double s = sin(p->lean), c = cos(p->lean);
    return (CardPair){p->thickness * s + CARD_LENGTH * c, CARD_LENGTH * s + p->thickness * c};
}

/* The card on side -1 or +1 of the pair whose edges meet above x. */
static Pose card_leaning(const CardsParams *p, double x, double floor, int side)
{
    CardPair pair = card_pair(p);
    return (Pose){vec3(x + 0.5 * side * pair.reach, floor + 0.5 * pair.height, 0),
                  quat_axis_angle(vec3(0, 0, 1), side * p->lean)};
}

static Pose card_lying(double x, double y)
{
    return (Pose){vec3(x, y, 0), quat_axis_angle(vec3(0, 0, 1), 0.5 * PI)};
}

static bool card_add(World *world, const CardsParams *p, Pose pose, Status *status)
{
    BodyDef card = part_box(p->thickness, CARD_LENGTH, CARD_DEPTH, GROUND_DENSITY);
    part_place(&card, pose);
    return part_add_body(world, &card, "card", world->body_count - 1, status) >= 0;
}

/* Pairs in a row, and lying cards from each to the next. */
static bool cards_add_level(World *world, const CardsParams *p, int level, Status *status)
{
    CardPair pair = card_pair(p);
    int pairs = p->levels - level;
    double apart = p->levels > 1 ? CARD_LENGTH + CARD_JOINT : 0.0, floor = level * (pair.height + p->thickness);
    double left = -0.5 * apart * (pairs - 1);
    for (int i = 0; i < pairs; i++)
        for (int side = -1; side <= 1; side += 2)
            if (!card_add(world, p, card_leaning(p, left + apart * i, floor, side), status))
                return false;
    for (int i = 0; i + 1 < pairs; i++) {
        double y = floor + pair.height + 0.5 * p->thickness;
        if (!card_add(world, p, card_lying(left + apart * (i + 0.5), y), status))
            return false;
    }
    return true;
}

static bool cards_settled(const Problem *problem, const World *world)
{
    return part_stays(problem, world, CARD_MOVE_MAX * world->length_scale) && ground_at_rest(world);
}

static bool cards_build(Problem *problem, const void *params, Status *status)
{
    const CardsParams *p = params;
    CardPair pair = card_pair(p);
    /* The lower outer edges of neighbours, which lie a card and a joint apart, must not meet. */
    if (p->levels > 1 && pair.reach > 0.5 * CARD_LENGTH)
        return status_set(status, STATUS_USAGE,
                          "lean: cards of %g m that lean this far (27 deg and more if they are 0.02 m thick) need "
                          "more room than a lying card bridges",
                          CARD_LENGTH);
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, 0.0);
    if (ground_add(world, status) < 0)
        return false;
    for (int level = 0; level < p->levels; level++)
        if (!cards_add_level(world, p, level, status))
            return false;
    double height = 0.0;
    int cards = world->body_count - 2;
    for (int i = 2; i < world->body_count; i++)
        height += world->pose[i].x.y / cards;
    problem_set_scales(problem, height - 0.5 * p->thickness);
    problem->passive = true;
    problem->rest = true;
    problem->truth = ground_rest_truth;
    problem->settled = cards_settled;
    return true;
}

const Scene card_house_scene = {
    .name = "card_house",
    .question = "Does a house of cards, carried by friction, stand?",
    .about =
        "Cards `thickness` x 0.4 x 0.3 m, `card1`, ... from below: in each level pairs that lean against each other by "
        "`lean`, one fewer than in the level below, and between the levels lying cards from pair to pair.\n"
        "It should stand at mu = 0.7. One pair alone stands iff mu >= (tan(lean) - thickness / 0.4 m) / 2: a card "
        "stands "
        "on its lower inner edge, and its weight W, at (0.4 m sin(lean) - thickness cos(lean)) / 2 from there, is held "
        "by a level force H <= mu W at the upper inner edges, 0.4 m cos(lean) high. That is 0.208154 at 25 deg, and "
        "tan(lean) / 2 = 0.233154 for a card without thickness. With much "
        "load on it a leaning card needs up to tan(lean) at its foot. The outermost pairs are loaded on their inner "
        "cards only: there the lying card is a tie, which needs friction up to tan(lean) too.\n"
        "Truth: at rest (where mu suffices). settled: no card has moved by more than 5 cm, and none is faster than "
        "0.032 sqrt(g length_scale) = 0.06 m/s. "
        "Scales: energy = total mass x g x the fall of the centre of mass if all cards lay on the ground. "
        "Time: 10 s.",
    .lectures = "001, 003",
    SCENE_PARAMS(CARDS_SETTINGS, CardsParams),
    .build = cards_build,
};

typedef struct DominoesParams {
    int count;
    double spacing, push, mu, gravity;
} DominoesParams;

static const Vec3 DOMINO = {0.25, 1.0, 0.5}; /* m */

static const Setting DOMINOES_SETTINGS[] = {
    PARAM_INT(DominoesParams, count, "how many", 15, 1, 100000),
    /* Beyond thickness + height the next one is out of reach. */
    PARAM_REAL(DominoesParams, spacing, "centre to centre (m)", 0.8, 0.26, 1.24),
    PARAM_REAL(DominoesParams, push, "angular velocity of the first about its lower edge (rad/s)", 1.5, 0, 100),
    PARAM_MU(DominoesParams, 0.5),
    PARAM_GRAVITY(DominoesParams),
};

/* rad; a domino that has fallen leans at least so, on the next one or flat. Balance is at 14 deg. */
static const double DOMINO_FALLEN = 0.4;
/* s for each domino: twice what a slow wave takes. */
static const double DOMINO_PACE = 0.4;

static bool dominoes_settled(const Problem *problem, const World *world)
{
    const DominoesParams *p = problem->data;
    for (int i = 2; i < 2 + p->count; i++) {
        Vec3 up = quat_rotate(world_reported_orientation(world, i), vec3(0, 1, 0));
        if (!(atan2(up.x, up.y) >= DOMINO_FALLEN))
            return false;
        if (i > 2 && !(world->pose[i].x.x > world->pose[i - 1].x.x))
            return false;
    }
    return true;
}

static bool dominoes_build(Problem *problem, const void *params, Status *status)
{
    const DominoesParams *p = params;
    World *world = problem->world;
    part_set_gravity(world, p->gravity);
    ground_set_material(world, p->mu, 0.0);
    if (ground_add(world, status) < 0)
        return false;
    BodyDef domino = part_box(DOMINO.x, DOMINO.y, DOMINO.z, GROUND_DENSITY);
    for (int i = 0; i < p->count; i++) {
        domino.position = vec3(p->spacing * i, 0.5 * DOMINO.y, 0);
        Vec3 from_edge = vec3(-0.5 * DOMINO.x, 0.5 * DOMINO.y, 0);
        domino.angular_velocity = vec3(0, 0, i == 0 ? -p->push : 0.0);
        domino.velocity = vec3_cross(domino.angular_velocity, from_edge);
        if (part_add_body(world, &domino, "domino", i + 1, status) < 0)
            return false;
    }
    problem->time = fmax(10.0, DOMINO_PACE * p->count);
    problem_set_scales(problem, 0.5 * (DOMINO.y - DOMINO.x));
    problem->passive = true;
    problem->rest = true;
    problem->settled = dominoes_settled;
    problem->settled_time = problem->time;
    return part_keep(problem, p, sizeof *p, status);
}

const Scene dominoes_scene = {
    .name = "dominoes",
    .question = "Do all dominoes fall, one after the other?",
    .about =
        "Dominoes 0.25 x 1 x 0.5 m, `domino1`, ... along +x on the `ground`, `spacing` apart from centre to centre; "
        "the first is pushed: it turns about its lower edge towards +x at `push`.\n"
        "0.93 rad/s carry it over its balance at 14 deg (at 9.81 m/s^2); then each should push over the next, and all "
        "should come to rest, leaning on each other.\n"
        "settled: every one leans towards +x by at least 0.4 rad, and they lie in the order in which they stood. "
        "Scales: energy = total mass x g x the fall of the centre of mass to lying flat, and the push. Time: 10 s, or "
        "0.4 s for each.",
    .lectures = "001, 003",
    SCENE_PARAMS(DOMINOES_SETTINGS, DominoesParams),
    .build = dominoes_build,
};
