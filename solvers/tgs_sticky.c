/* SPDX-License-Identifier: MIT */
/* TGS sticky (solver2d, Catto 2024): small steps without warm starting, one sweep each, in which friction is a position
 * row. Of every point two anchors are kept, one in each body; friction draws them together,
 *     v_n >= -max(beta_n s_n/h, -push) while closed, -s_n/h while open;   v_t = -beta_t s_t/h,
 *     |lambda_t| <= mu (sum of the pair's lambda_n)/(its points),
 * impulses summed over the substeps of a frame. Anchors live from frame to frame; where the bound is reached, or the
 * normals or the gap of the anchors have gone apart, the pair gets new ones. In the end sweeps without errors.
 * Not solver2d's: 3D; a pair that slips, all of its points at their bound, gets new anchors (there: a slip's mark is
 * written over before it is read); both bodies pushed at one point; spin friction; restitution; joints by step. */
#define LANES 1
#include "solvers/contact/point_memory.h"
#include "solvers/motion.h"
#include "solvers/rows/rows.h"
#include "solvers/tgs_sticky/point.h"

#include <stdlib.h>
#include <string.h>

typedef struct StickyOptions {
    CommonOptions common;
    double normal_beta, friction_beta, joint_beta;
    double slop, push_speed, restitution_threshold;
    int relax, share_least, relax_slip, slip_renews, axial;
    int contact_point; /* ContactPointAt */
    double look_ahead; /* m */
} StickyOptions;

static const char *const STICKY_AXIALS[] = {"created", "first", NULL};

static const Setting STICKY_SETTINGS[] = {
    COMMON_SETTINGS(4, 1),
    PARAM_REAL(StickyOptions, normal_beta, "share of an overlap taken back in a substep", 0.8, 0, 1),
    PARAM_REAL(StickyOptions, friction_beta, "share of the anchors' distance taken back in a substep", 0.5, 0, 1),
    PARAM_REAL(StickyOptions, joint_beta, "share of a joint's error taken back in a substep", 0.2, 0, 1),
    PARAM_INT(StickyOptions, relax, "sweeps without errors at the end of a frame", 2, 0, 1e6),
    PARAM_INT(StickyOptions, share_least, "a pair's bound on friction is shared by so many points at least", 1, 1, 4),
    PARAM_CHOICE(StickyOptions, axial,
                 "drives and limits of joints: as created, or first of their joint; then drives ask for their speed "
                 "alone",
                 0, 1, STICKY_AXIALS),
    PARAM_BOOL(StickyOptions, relax_slip,
               "relaxing sweeps see errors with the centres of the frame's beginning, as by a slip of solver2d, and "
               "take those of joints back",
               false),
    PARAM_BOOL(StickyOptions, slip_renews,
               "a pair that slips gets new anchors; else it keeps them, as in solver2d, where the mark is written over",
               true),
    PARAM_REAL(StickyOptions, slop, "anchors live while they are apart by less than two of these along n (m)", 0.005, 0,
               1e6),
    PUSH_SPEED_FROM(StickyOptions, 4),
    CONTACT_POINT_SETTING(StickyOptions, POINT_ON_SURFACE),
    LOOK_AHEAD_SETTING(StickyOptions),
    RESTITUTION_THRESHOLD_FROM(StickyOptions, 1),
};

typedef struct Sticky {
    StickyOptions options;
    Motion motion;
    RowSystem joints;
    PointMemory memory;
    ContactPins pins;
    int row_capacity;
    StickyRow *rows;
    Velocity *before;     /* as the frame began, as the poses */
    Pose *frame, *turned; /* turned: since then */
    int *order;           /* of the joints' blocks: drives and limits first of their joint */
    Vec3 *joint_given;    /* by block: what it had given this frame as the substep began */
    int substep;          /* of the frame, from 0 */
    bool begins;          /* a frame does */
} Sticky;

static void sticky_destroy(void *self)
{
    Sticky *sticky = self;
    if (!sticky)
        return;
    motion_free(&sticky->motion);
    row_system_free(&sticky->joints);
    point_memory_free(&sticky->memory);
    contact_pins_free(&sticky->pins);
    free(sticky->rows);
    free(sticky->before);
    free(sticky->frame);
    free(sticky->turned);
    free(sticky->order);
    free(sticky->joint_given);
    free(sticky);
}

static bool sticky_reserve(void *self, const World *world, Status *status)
{
    Sticky *sticky = self;
    bool ok = row_system_reserve(&sticky->joints, world) &&
              point_memory_reserve(&sticky->memory, world, sizeof(StickyMemory)) &&
              contact_pins_reserve(&sticky->pins, world);
    if (ok && sticky->memory.capacity > sticky->row_capacity) {
        StickyRow *grown = realloc(sticky->rows, sizeof *grown * (size_t)sticky->memory.capacity);
        sticky->rows = grown ? grown : sticky->rows;
        sticky->row_capacity = grown ? sticky->memory.capacity : sticky->row_capacity;
        ok = grown != NULL;
    }
    return ok || status_set(status, STATUS_FAILED, "out of memory");
}

static void *sticky_create(const SolverTask *task, Status *status)
{
    const World *world = task->world;
    Sticky *sticky = calloc(1, sizeof *sticky);
    if (sticky) {
        sticky->options = *(const StickyOptions *)task->options;
        sticky->pins = (ContactPins){.midway = sticky->options.contact_point, .look_ahead = sticky->options.look_ahead};
        size_t blocks = (size_t)world->joint_block_count + 1;
        sticky->before = calloc((size_t)world->body_count, sizeof *sticky->before);
        sticky->frame = calloc((size_t)world->body_count, sizeof *sticky->frame);
        sticky->turned = calloc((size_t)world->body_count, sizeof *sticky->turned);
        sticky->order = calloc(blocks, sizeof *sticky->order);
        sticky->joint_given = calloc(blocks, sizeof *sticky->joint_given);
    }
    if (sticky && task->before) { /* its anchors */
        Sticky *last = task->before;
        sticky->memory = last->memory;
        last->memory = (PointMemory){0};
    }
    if (!sticky || !sticky->before || !sticky->frame || !sticky->turned || !sticky->order || !sticky->joint_given ||
        !motion_init(&sticky->motion, world, &sticky->options.common) || !row_system_init(&sticky->joints, world) ||
        !sticky_reserve(sticky, world, status)) {
        sticky_destroy(sticky);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    for (int b = 0; b < world->joint_block_count; b++)
        sticky->order[b] = b;
    if (sticky->options.axial)
        joint_order_axial_first(world, sticky->order);
    return sticky;
}

/* As the frame began: there pinned points have what their rows are divided by. */
static World sticky_then(const Sticky *sticky, const World *world)
{
    World then = *world;
    then.pose = sticky->frame;
    return then;
}

static void sticky_prepare(Sticky *sticky, const World *world)
{
    int point = 0;
    World then = sticky_then(sticky, world);
    for (int m = 0; m < world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &world->manifolds[m];
        StickyMemory *first = point_memory_at(&sticky->memory, point);
        if (sticky->substep == 0)
            sticky_renew_anchors(first, world, manifold, 2.0 * sticky->options.slop);
        for (int i = 0; i < manifold->count; i++) {
            first[i].normal_before = first[i].normal_impulse;
            first[i].torsion_before = first[i].torsion;
            first[i].friction_before = first[i].friction;
        }
        for (int i = 0; i < manifold->count; i++, point++)
            sticky_prepare_point(&sticky->rows[point], &first[i], world, &then,
                                 &world->blocks[manifold_contact(manifold, i)], manifold->count);
    }
}

/* Joints alone: contacts are not the row system's here. They begin a frame without impulses, and keep those that they
 * gave, for the bounds of limits and motors, to its end. */
static void sticky_prepare_joints(Sticky *sticky, const World *world, Pose *poses, double h, bool relaxes)
{
    World joined = *world;
    joined.pose = poses;
    joined.block_count = world->joint_block_count;
    joined.manifold_count = 0;
    RowSetup setup = {.h = h,
                      .rate = relaxes && !sticky->options.relax_slip ? 0.0 : sticky->options.joint_beta / h,
                      .relaxation = 1.0,
                      .whole = true,
                      .axial_apart = sticky->options.axial,
                      .limits_wait = relaxes,
                      .keep = sticky->begins ? 0.0 : 1.0};
    /* Compliance answers what a row gives in this substep, not in the frame so far. */
    for (int b = 0; b < world->joint_block_count && !relaxes; b++)
        if (block_terms(&world->blocks[b])->compliance > 0.0)
            memset(sticky->joints.joints[b].lambda, 0, BLOCK_MAX_ROWS * sizeof(double));
    row_system_prepare(&sticky->joints, &joined, &setup);
    for (int b = 0; b < world->joint_block_count && !relaxes; b++)
        sticky->joint_given[b] = row_system_on_body2(&sticky->joints, world, b);
    sticky->begins = false;
}

static void sticky_begin(void *self, Step *step)
{
    Sticky *sticky = self;
    World *world = step->world;
    sticky->begins = sticky->substep == 0;
    if (sticky->begins) {
        memcpy(sticky->before, world->velocity, sizeof *sticky->before * (size_t)world->body_count);
        memcpy(sticky->frame, world->pose, sizeof *sticky->frame * (size_t)world->body_count);
    }
    point_memory_match(&sticky->memory, world);
    contact_pins_set(&sticky->pins, world);
    sticky_prepare(sticky, world);
    motion_begin(&sticky->motion, world, step->h);
    sticky_prepare_joints(sticky, world, world->pose, step->h, false);
    sticky->substep = (sticky->substep + 1) % sticky->options.common.substeps;
}

static double sticky_normal_bias(const Sticky *sticky, const StickyRow *row, double h, bool errors)
{
    if (row->gap > 0.0)
        return row->gap / h;
    return errors ? fmax(sticky->options.normal_beta * row->gap / h, -sticky->options.push_speed) : 0.0;
}

/* A pair of bodies: its normals one after the other, then its friction. Returns the rows solved. */
static int sticky_solve_pair(const Sticky *sticky, World *world, const ManifoldBlocks *manifold, StickyRow *rows,
                             double h, bool errors)
{
    double load = 0.0;
    for (int i = 0; i < manifold->count; i++) {
        StickyRow *row = &rows[i];
        double r = sticky_normal_speed(row, world->velocity) + sticky_normal_bias(sticky, row, h, errors);
        sticky_push(world, row, -r / row->weight);
        load += row->memory->normal_impulse;
    }
    if (!(rows[0].mu > 0.0))
        return manifold->count;
    int least = sticky->options.share_least, shares = manifold->count > least ? manifold->count : least;
    bool slips = true;
    for (int i = 0; i < manifold->count; i++) {
        Vec3 bias = vec3_scale(errors ? sticky->options.friction_beta / h : 0.0, rows[i].offset);
        slips = sticky_rub(world, &rows[i], bias, rows[i].mu * load / shares) && slips;
    }
    for (int i = 0; i < manifold->count; i++)
        rows[i].memory->slips = rows[i].memory->slips || (slips && sticky->options.slip_renews);
    if (manifold->torsion >= 0)
        sticky_spin(world, &world->blocks[manifold->torsion], rows, load);
    return 3 * manifold->count + (manifold->torsion >= 0);
}

static void sticky_sweep(Sticky *sticky, Step *step, bool errors)
{
    World *world = step->world;
    step->row_solves +=
        row_system_sweep_part(&sticky->joints, world->velocity, sticky->order, world->joint_block_count);
    for (int m = 0, point = 0; m < world->manifold_count; point += world->manifolds[m++].count)
        step->row_solves +=
            sticky_solve_pair(sticky, world, &world->manifolds[m], &sticky->rows[point], step->h, errors);
}

static void sticky_iterate(void *self, Step *step)
{
    sticky_sweep(self, step, true);
}

/* What the blocks gave in this substep. */
static void sticky_store(const Sticky *sticky, World *world)
{
    for (int b = 0; b < world->joint_block_count; b++)
        world->block_impulse[b] = vec3_sub(row_system_on_body2(&sticky->joints, world, b), sticky->joint_given[b]);
    const StickyRow *row = sticky->rows;
    for (int m = 0; m < world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &world->manifolds[m];
        if (manifold->torsion >= 0)
            world->block_impulse[manifold->torsion] =
                vec3_scale(row->memory->torsion - row->memory->torsion_before, row->normal.n);
        for (int i = 0; i < manifold->count; i++, row++) {
            const StickyMemory *memory = row->memory;
            world->block_impulse[manifold_contact(manifold, i)] =
                vec3_scale(memory->normal_impulse - memory->normal_before, row->normal.n);
            world->block_impulse[manifold_friction(manifold, i)] = vec3_sub(memory->friction, memory->friction_before);
        }
    }
}

/* The rows where the bodies are now, if the frame is over. */
static void sticky_move(void *self, Step *step)
{
    Sticky *sticky = self;
    sticky_store(sticky, step->world);
    motion_damp(&sticky->motion, step->world, step->h);
    motion_move(&sticky->motion, step->world, NULL, step->h);
    if (sticky->substep != 0)
        return;
    int point = 0;
    World then = sticky_then(sticky, step->world), seen = *step->world;
    for (int i = 0; i < step->world->body_count; i++)
        sticky->turned[i] = (Pose){sticky->frame[i].x, step->world->pose[i].q};
    seen.pose = sticky->options.relax_slip ? sticky->turned : step->world->pose;
    for (int m = 0; m < step->world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &step->world->manifolds[m];
        for (int i = 0; i < manifold->count; i++, point++)
            sticky_prepare_point(&sticky->rows[point], point_memory_at(&sticky->memory, point), &seen, &then,
                                 &step->world->blocks[manifold_contact(manifold, i)], manifold->count);
    }
    sticky_prepare_joints(sticky, step->world, seen.pose, step->h, true);
}

static void sticky_relax(void *self, Step *step)
{
    Sticky *sticky = self;
    if (sticky->substep != 0)
        return;
    sticky_sweep(sticky, step, false);
    sticky_store(sticky, step->world);
}

/* Who was approached faster than the threshold as the frame began, and has pushed, parts with -e times that. */
static void sticky_bounce(void *self, Step *step)
{
    Sticky *sticky = self;
    World *world = step->world;
    double threshold = restitution_threshold_at(sticky->options.restitution_threshold, world, step->h);
    for (int m = 0, point = 0; sticky->substep == 0 && m < world->manifold_count; m++)
        for (int i = 0; i < world->manifolds[m].count; i++, point++) {
            int b = manifold_contact(&world->manifolds[m], i);
            StickyRow *row = &sticky->rows[point];
            double e = world->blocks[b].restitution;
            double before = sticky_normal_speed(row, sticky->before);
            if (e == 0.0 || row->memory->normal_impulse == 0.0 || before >= -threshold)
                continue;
            double now = sticky_normal_speed(row, world->velocity);
            sticky_push(world, row, -(now + e * before) / row->weight);
            step->row_solves++;
        }
    sticky_store(sticky, world);
    contact_pins_drop(&sticky->pins, world);
}

static int sticky_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    const StickyOptions *o = &((Sticky *)self)->options;
    phases[0] = (Phase){
        .name = "velocity", .iterations = o->common.iterations, .enter = sticky_begin, .iterate = sticky_iterate};
    phases[1] = (Phase){.name = "move", .enter = sticky_move};
    phases[2] = (Phase){.name = "relax", .iterations = o->relax, .iterate = sticky_relax};
    phases[3] = (Phase){.name = "restitution", .enter = sticky_bounce};
    return 4;
}

static const PhaseStep STICKY_STEPS[] = {
    {"velocity", PHASE_ENTER, "", "impulses by sweeps, in which friction is a position row"},
    {"velocity", PHASE_ENTER, "anchors",
     "As a frame begins: a pair whose friction reached its bound, or whose anchors are apart by twice {slop} m along "
     "the normal, gets new ones, one in each body.",
     "s = p2 - p1 of a point's anchors,  s_n along the normal,  s_t across"},
    FLIGHT_WORDS("velocity"),
    {"velocity", PHASE_ENTER, "joints", "Rows of joints, without warm start.", "bias = {joint_beta} C/h,  lambda = 0"},
    {"velocity", PHASE_SWEEP, "joints", "Row by row.",
     "lambda_i <- clamp(lambda_i - (J_i v + bias_i)/A_ii)\nv <- v + M^-1 J_i^T dlambda_i"},
    {"velocity", PHASE_SWEEP, "normals", "Of each pair of bodies that touch; impulses are summed over the frame.",
     "bias = max({normal_beta} s_n/h, -{push_speed}),  open: s_n/h\nlambda_n <- max(lambda_n - (v_n + bias)/A_nn, 0)"},
    {"velocity", PHASE_SWEEP, "friction", "Then its points are drawn to their anchors.",
     "lambda_t <- lambda_t - A_tt^-1 (v_t + {friction_beta} s_t/h)\n|lambda_t| <= mu (sum of the pair's lambda_n)/(its "
     "points)"},
    {"move", PHASE_ENTER, "", "the poses follow the velocities"},
    MOVE_WORDS("move"),
    {"relax", PHASE_ENTER, "", "sweeps without errors, once the frame's last substep is done"},
    {"relax", PHASE_SWEEP, "rows", "In the last substep of a frame: as above, at the new poses, without errors.",
     "bias = 0 (open: s_n/h)"},
    {"restitution", PHASE_ENTER, "", "bounces, once the frame's last substep is done"},
    {"restitution", PHASE_ENTER, "points",
     "In the last substep of a frame: each point that was approached faster than {restitution_threshold} m/s as the "
     "frame began, and has pushed since.",
     "lambda_n <- max(lambda_n - (v_n + e v_n of the frame's beginning)/A_nn, 0)"},
    {NULL},
};

static const Convention STICKY_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL, "cone: |lambda_t| <= mu times the mean of the pair's normals, over the frame"},
    {CONVENTION_NORMALS, NULL, NULL, "by row, those of one pair of bodies before its friction"},
    {CONVENTION_ORDER, NULL, NULL, "after the pair's normals; to the anchors, {friction_beta} of the way a substep"},
    {CONVENTION_SLOP, NULL, NULL, "0 m; anchors live while they are less than twice {slop} m apart"},
    {CONVENTION_PUSH, NULL, NULL, "{normal_beta} of it a substep, {push_speed} m/s at most"},
    {CONVENTION_RESTITUTION, NULL, NULL,
     "Newton, v_n >= -e v_n- of the frame's beginning, after its substeps, where a point pushed; above "
     "{restitution_threshold} m/s"},
    {CONVENTION_WARM_START, NULL, NULL, "nothing; impulses are summed within a frame"},
};

const Solver tgs_sticky_solver = {
    .abi = SOLVER_ABI,
    .name = "tgs_sticky",
    .summary = "small steps without warm starting; friction draws anchors together that last from frame to frame",
    .reference = "after solver2d (Catto 2024), in 3D",
    .capabilities = CAN_ALL_JOINTS | CAN_SERIES | CAN_CONTACTS | CAN_COULOMB,
    SOLVER_SETTINGS(STICKY_SETTINGS),
    SOLVER_CONVENTIONS(STICKY_CONVENTIONS),
    .steps = STICKY_STEPS,
    .options_size = sizeof(StickyOptions),
    .create = sticky_create,
    .destroy = sticky_destroy,
    .reserve = sticky_reserve,
    .plan = sticky_plan,
};
