/* SPDX-License-Identifier: MIT */
/* Random blocks of every joint kind at random poses of two turned, moving bodies (volume: four particles), limits on
 * both sides of both ends. */
#ifndef RIGOR_TESTS_MODEL_BLOCK_CASES_H
#define RIGOR_TESTS_MODEL_BLOCK_CASES_H

#include "model/block.h"
#include "tests/support/build.h"

enum { TRIALS = 60, FIRST_BODY = 1, FIRST_PARTICLE = 3 };

/* A few dozen operations on numbers of order one. */
#define ROUND_OFF 1e-13
/* Central differences with step 1e-5: round-off 1e-15/1e-5 and truncation 1e-10 x third derivatives of order 10. */
#define DIFFERENCE_STEP 1e-5
#define DIFFERENCE_TOLERANCE 2e-8

/* How a limit stands to its ends, or a distance to its rest. */
typedef enum Stand {
    PLAIN,
    NEAR_LOWER,
    NEAR_UPPER,
    BELOW_LOWER,
    ABOVE_UPPER,
    ON_TARGET,
    SLACK,
    TAUT,
    DRIVEN,
    SOFT
} Stand;

typedef struct Case {
    BlockKind kind;
    Stand stand;
} Case;

static const Case CASES[] = {
    {BLOCK_ATTACH, PLAIN},      {BLOCK_DISTANCE, PLAIN},   {BLOCK_DISTANCE, SLACK},    {BLOCK_DISTANCE, TAUT},
    {BLOCK_GUIDE, PLAIN},       {BLOCK_SLIDE, NEAR_LOWER}, {BLOCK_SLIDE, NEAR_UPPER},  {BLOCK_SLIDE, BELOW_LOWER},
    {BLOCK_SLIDE, ABOVE_UPPER}, {BLOCK_SLIDE, ON_TARGET},  {BLOCK_ALIGN, PLAIN},       {BLOCK_ORIENT, PLAIN},
    {BLOCK_TWIST, NEAR_LOWER},  {BLOCK_TWIST, NEAR_UPPER}, {BLOCK_TWIST, BELOW_LOWER}, {BLOCK_TWIST, ABOVE_UPPER},
    {BLOCK_TWIST, ON_TARGET},   {BLOCK_TWIST, DRIVEN},     {BLOCK_SWING, NEAR_UPPER},  {BLOCK_SWING, ABOVE_UPPER},
    {BLOCK_WIRE, PLAIN},        {BLOCK_VOLUME, PLAIN},     {BLOCK_ALIGN, SOFT},        {BLOCK_ORIENT, SOFT},
    {BLOCK_TURN, NEAR_UPPER},   {BLOCK_TURN, ABOVE_UPPER},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

/* A joint's block, whose terms these are. */
static inline Block make_block(Random *random, BlockKind kind, JointTerms *terms)
{
    Block block = {.kind = kind, .seat = &terms->seat};
    *terms = (JointTerms){.lower = -INFINITY, .upper = INFINITY, .max_force = INFINITY};
    for (int i = 0; i < 4; i++)
        block.body[i] = kind == BLOCK_VOLUME ? FIRST_PARTICLE + i : i < 2 ? FIRST_BODY + i : -1;
    for (int i = 0; i < 2; i++)
        terms->seat.anchor[i] = random_vec3(random, 0.7);
    terms->placed = random_quat(random);
    terms->axis[0] = random_unit(random);
    terms->axis[1] = quat_rotate_inverse(terms->placed, terms->axis[0]);
    Quat about = quat_axis_angle(terms->axis[0], random_in(random, -PI, PI));
    terms->seat.normal[0] = quat_rotate(about, vec3_any_normal(terms->axis[0]));
    terms->seat.normal[1] = vec3_cross(terms->axis[0], terms->seat.normal[0]);
    terms->seat.rest = random_in(random, 0.3, 1.5);
    return block;
}

static inline Vec3 world_direction(const World *world, int body, Vec3 local)
{
    return mat3_mul_vec(mat3_from_quat(world->pose[body].q), local);
}

static inline Vec3 span_of(const World *world, const Block *block)
{
    Vec3 p[2];
    for (int i = 0; i < 2; i++)
        p[i] = vec3_add(world->pose[block->body[i]].x, world_direction(world, block->body[i], block->seat->anchor[i]));
    return vec3_sub(p[1], p[0]);
}

static inline Vec3 axis_of(const World *world, const Block *block, int i)
{
    return world_direction(world, block->body[i], block_terms(block)->axis[i]);
}

/* Body 2 turned against body 1 since it was placed, about body 1's axis. */
static inline double cosine_of_turn(const World *world, const Block *block)
{
    Quat q = quat_mul(quat_conj(world->pose[block->body[0]].q), world->pose[block->body[1]].q);
    return fabs(quat_mul(q, quat_conj(block_terms(block)->placed)).w);
}

/* Away from where a kind has no derivative: half turns, parallel or opposite axes, points on each other. */
static inline bool is_regular(const World *world, const Block *block)
{
    Vec3 d = span_of(world, block), a1 = axis_of(world, block, 0), a2 = axis_of(world, block, 1);
    switch (block->kind) {
    case BLOCK_DISTANCE:
        return vec3_norm(d) > 0.4;
    case BLOCK_WIRE:
        return vec3_norm(vec3_cross(a1, d)) > 0.4;
    case BLOCK_ORIENT:
        return cosine_of_turn(world, block) > 0.1;
    case BLOCK_TURN:
        return cosine_of_turn(world, block) > 0.1 && cosine_of_turn(world, block) < 0.98;
    case BLOCK_TWIST:
        return vec3_dot(a1, a2) > -0.6;
    case BLOCK_ALIGN:
    case BLOCK_SWING:
        return vec3_norm(vec3_cross(a1, a2)) > 0.3;
    default:
        return true;
    }
}

/* The coordinate of slide, twist, swing or distance: its error against a target of zero. */
static inline double coordinate_of(const World *world, const Block *block)
{
    JointTerms terms = *joint_terms(block);
    Block zero = *block;
    zero.seat = &terms.seat;
    terms.lower = terms.upper = terms.seat.rest = 0.0;
    terms.driven = terms.one_sided = false;
    BlockError e;
    block_error(world, &zero, &e);
    assert_true(e.active && e.scalar);
    return e.C;
}

/* Sets ends 1.0 apart, the nearer one 0.2 away. */
static inline void stand_set(const World *world, const Block *block, Stand stand)
{
    if (stand == SOFT)
        joint_terms(block)->compliance = 0.37;
    if (stand == PLAIN || stand == SOFT)
        return;
    double value = coordinate_of(world, block);
    static const double LOWER[] = {
        [NEAR_LOWER] = -0.2, [NEAR_UPPER] = -0.8, [BELOW_LOWER] = 0.2, [ABOVE_UPPER] = -1.2, [ON_TARGET] = 0.3};
    JointTerms *terms = joint_terms(block);
    terms->lower = value + LOWER[stand <= ON_TARGET ? stand : ON_TARGET];
    terms->upper = terms->lower + (stand == ON_TARGET ? 0.0 : 1.0);
    if (block->kind == BLOCK_SWING || block->kind == BLOCK_TURN)
        terms->lower = 0.0;
    terms->one_sided = stand == SLACK || stand == TAUT;
    if (terms->one_sided)
        terms->seat.rest = value + (stand == SLACK ? 0.2 : -0.2);
    if (stand == DRIVEN) {
        terms->driven = true;
        terms->speed = 1.7;
        terms->target_before = value - 0.35;
        terms->target = terms->target_before + terms->speed / 60.0;
    }
}

/* A random block of this case at random regular poses; a twist may have wound up by whole turns. */
static inline Block make_case(World *world, Random *random, Case which, JointTerms *terms)
{
    Block block = make_block(random, which.kind, terms);
    do
        build_scatter(world, random);
    while (!is_regular(world, &block));
    if (which.kind == BLOCK_TWIST)
        terms->angle = block_twist(world, &block) + 2.0 * PI * (double)(random_bits(random) % 5) - 4.0 * PI +
                       random_in(random, -0.5, 0.5);
    stand_set(world, &block, which.stand);
    return block;
}

typedef void CaseCheck(World *world, Random *random, Block *block, Stand stand);

static inline void for_all_cases(CaseCheck *check, uint64_t seed)
{
    Random random = {seed};
    World *world = build_random_world(&random);
    for (int i = 0; i < CASE_COUNT; i++)
        for (int trial = 0; trial < TRIALS; trial++) {
            JointTerms terms;
            Block block = make_case(world, &random, CASES[i], &terms);
            check(world, &random, &block, CASES[i].stand);
        }
    world_destroy(world);
}

#endif
