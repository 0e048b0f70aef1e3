/* TGS sticky (solver2d, Catto 2024): small steps without warm starting, one sweep each, in which friction is a position
 * row. Of every point two anchors are kept, one in each body; friction draws them together,
 *     v_n >= -max(beta_n s_n/h, -push) while closed, -s_n/h while open;   v_t = -beta_t s_t/h,
 *     |lambda_t| <= mu (sum of the pair's lambda_n)/(its points),
 * impulses summed over the substeps of a frame. Anchors live from frame to frame; where the bound is reached, or the
 * normals or the gap of the anchors have gone apart, the pair gets new ones. In the end sweeps without errors.
 * Not solver2d's: 3D, both bodies pushed at one point, spin friction, restitution (late_bounce.h's), joints by step. */
#include "solvers/motion.h"
#include "solvers/position/point.h"
#include "solvers/rows/point_memory.h"
#include "solvers/rows/rows.h"

#include "model/block_contact.h"

#include <stdlib.h>
#include <string.h>

/* Anchors whose normals have turned against each other by more (11 degrees) hold no more. */
static const double NORMALS_AGREE = 0.98;

typedef struct StickyOptions {
    CommonOptions common;
    double normal_beta, friction_beta, joint_beta;
    double slop, push_speed, restitution_threshold;
    int relax;
} StickyOptions;

static const Setting STICKY_SETTINGS[] = {
    COMMON_SETTINGS(4, 1),
    PARAM_REAL(StickyOptions, normal_beta, "share of an overlap taken back in a substep", 0.8, 0, 1),
    PARAM_REAL(StickyOptions, friction_beta, "share of the anchors' distance taken back in a substep", 0.5, 0, 1),
    PARAM_REAL(StickyOptions, joint_beta, "share of a joint's error taken back in a substep", 0.2, 0, 1),
    PARAM_INT(StickyOptions, relax, "sweeps without errors at the end of a frame", 2, 0, 1e6),
    PARAM_REAL(StickyOptions, slop, "anchors live while they are apart by less than two of these along n (m)", 0.005, 0,
               1e6),
    PUSH_SPEED_FROM(StickyOptions, 4),
    RESTITUTION_THRESHOLD_FROM(StickyOptions, 1),
};

/* What is kept of a point. */
typedef struct StickyMemory {
    bool anchored, slips; /* slips: the bound was reached in this frame */
    int points;           /* of its pair, when it was anchored */
    Vec3 anchor[2];       /* in the bodies' frames */
    Vec3 normal[2];       /* likewise, as anchored */
    /* N s on body 2, since the frame began and until this substep; torsion: the pair's, at its first point. */
    double normal_impulse, normal_before, torsion, torsion_before;
    Vec3 friction, friction_before;
} StickyMemory;

/* A point as the substep begins. */
typedef struct StickyRow {
    StickyMemory *memory;
    Point normal, friction; /* with their arms; both have the normal n */
    double gap;             /* m, s_n */
    Vec3 offset;            /* m, s_t: anchor 2 against anchor 1, in the plane of n */
    double weight;          /* w1 + w2 along n */
    Mat3 stop;              /* the push that stops a slip at once */
    double slide;           /* the inverse of the largest response to one: a step whose fixed point opposes the slip */
    double mu;
} StickyRow;

typedef struct Sticky {
    StickyOptions options;
    Motion motion;
    RowSystem joints;
    PointMemory memory;
    int row_capacity;
    StickyRow *rows;
    Velocity *before; /* as the frame began */
    int substep;      /* of the frame, from 0 */
} Sticky;

static void sticky_destroy(void *self)
{
    Sticky *sticky = self;
    if (!sticky)
        return;
    motion_free(&sticky->motion);
    row_system_free(&sticky->joints);
    point_memory_free(&sticky->memory);
    free(sticky->rows);
    free(sticky->before);
    free(sticky);
}

static bool sticky_reserve(void *self, const World *world, Status *status)
{
    Sticky *sticky = self;
    bool ok = row_system_reserve(&sticky->joints, world) &&
              point_memory_reserve(&sticky->memory, world, sizeof(StickyMemory));
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
        sticky->before = calloc((size_t)world->body_count, sizeof *sticky->before);
    }
    if (!sticky || !sticky->before || !motion_init(&sticky->motion, world, &sticky->options.common) ||
        !row_system_init(&sticky->joints, world) || !sticky_reserve(sticky, world, status)) {
        sticky_destroy(sticky);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    return sticky;
}

/* New anchors where the bodies touch now. */
static void sticky_anchor(StickyMemory *memory, const World *world, const Block *block, const ContactFrame *f,
                          int points)
{
    memory->anchored = true;
    memory->slips = false;
    memory->points = points;
    for (int k = 0; k < 2; k++) {
        Pose pose = world->pose[block->body[k]];
        memory->anchor[k] = quat_rotate_inverse(pose.q, vec3_sub(f->at, pose.x));
        memory->normal[k] = quat_rotate_inverse(pose.q, f->n);
    }
}

/* Whether a point's anchors hold on. */
static bool sticky_holds(const Sticky *sticky, const StickyMemory *memory, const World *world, const Block *block,
                         int points)
{
    if (!memory->anchored || memory->slips || memory->points != points)
        return false;
    Vec3 n[2], p[2];
    for (int k = 0; k < 2; k++) {
        n[k] = quat_rotate(world->pose[block->body[k]].q, memory->normal[k]);
        p[k] = world_point(world, block->body[k], memory->anchor[k]);
    }
    return vec3_dot(n[0], n[1]) >= NORMALS_AGREE &&
           fabs(vec3_dot(n[0], vec3_sub(p[1], p[0]))) <= 2.0 * sticky->options.slop;
}

/* As a frame begins: the anchors of a pair hold on all together, or are all set anew. */
static void sticky_renew_anchors(const Sticky *sticky, const World *world, const ManifoldBlocks *manifold,
                                 StickyMemory *points)
{
    bool hold = true;
    for (int i = 0; i < manifold->count; i++)
        hold = hold &&
               sticky_holds(sticky, &points[i], world, &world->blocks[manifold_contact(manifold, i)], manifold->count);
    for (int i = 0; i < manifold->count; i++) {
        const Block *block = &world->blocks[manifold_contact(manifold, i)];
        ContactFrame f = contact_frame(world, block);
        if (!hold)
            sticky_anchor(&points[i], world, block, &f, manifold->count);
        points[i].normal_impulse = points[i].torsion = 0.0;
        points[i].friction = VEC3_ZERO;
    }
}

/* K of slip in the plane of n, v_t = K p for a push p in it; along n the identity, so that it can be inverted. */
static Mat3 sticky_response(const World *world, const Point *p, const ContactFrame *f)
{
    const Vec3 u[3] = {f->n, f->t1, f->t2};
    Mat3 K = mat3_diagonal(vec3(1, 1, 1));
    for (int j = 1; j < 3; j++) {
        Vec3 v = VEC3_ZERO;
        for (int k = 0; k < 2; k++) {
            Vec3 turn = world_inv_inertia_mul(world, p->body[k], vec3_cross(p->arm[k], u[j]));
            v = vec3_add(v, vec3_add_scaled(vec3_cross(turn, p->arm[k]), world->mass[p->body[k]].inv_mass, u[j]));
        }
        for (int i = 1; i < 3; i++)
            K.m[i][j] = vec3_dot(u[i], v);
    }
    return K;
}

static void sticky_prepare_point(StickyRow *row, StickyMemory *memory, const World *world, const Block *block,
                                 int points)
{
    ContactFrame f = contact_frame(world, block);
    if (!memory->anchored) /* found in the middle of a frame */
        sticky_anchor(memory, world, block, &f, points);
    Vec3 p[2];
    *row = (StickyRow){.memory = memory, .mu = block->friction};
    for (int k = 0; k < 2; k++)
        p[k] = world_point(world, block->body[k], memory->anchor[k]);
    for (int k = 0; k < 2; k++) {
        row->normal.body[k] = row->friction.body[k] = block->body[k];
        row->normal.arm[k] = vec3_sub(f.at, world->pose[block->body[k]].x);
        row->friction.arm[k] = vec3_sub(p[1], world->pose[block->body[k]].x);
    }
    row->normal.n = row->friction.n = f.n;
    row->gap = vec3_dot(f.n, vec3_sub(f.p2, f.p1));
    row->offset = tangential(vec3_sub(p[1], p[0]), f.n);
    row->weight = point_weight(world, &row->normal, f.n);
    /* In the world: B K^-1 B^T, B = (n, t1, t2). */
    Mat3 B = {{{f.n.x, f.t1.x, f.t2.x}, {f.n.y, f.t1.y, f.t2.y}, {f.n.z, f.t1.z, f.t2.z}}};
    Mat3 K = sticky_response(world, &row->friction, &f);
    row->stop = mat3_mul(mat3_mul(B, mat3_inverse(K)), mat3_transpose(B));
    double mean = 0.5 * (K.m[1][1] + K.m[2][2]), half = 0.5 * (K.m[1][1] - K.m[2][2]);
    row->slide = 1.0 / (mean + sqrt(half * half + K.m[1][2] * K.m[1][2]));
}

static void sticky_prepare(Sticky *sticky, const World *world)
{
    int point = 0;
    for (int m = 0; m < world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &world->manifolds[m];
        StickyMemory *first = point_memory_at(&sticky->memory, point);
        if (sticky->substep == 0)
            sticky_renew_anchors(sticky, world, manifold, first);
        for (int i = 0; i < manifold->count; i++) {
            first[i].normal_before = first[i].normal_impulse;
            first[i].torsion_before = first[i].torsion;
            first[i].friction_before = first[i].friction;
        }
        for (int i = 0; i < manifold->count; i++, point++)
            sticky_prepare_point(&sticky->rows[point], &first[i], world, &world->blocks[manifold_contact(manifold, i)],
                                 manifold->count);
    }
}

static RowSetup sticky_joint_setup(const Sticky *sticky, double h, bool errors)
{
    return (RowSetup){
        .h = h, .rate = errors ? sticky->options.joint_beta / h : 0.0, .relaxation = 1.0, .keep = errors ? 0.0 : 1.0};
}

/* Joints alone: contacts are not the row system's here. */
static void sticky_prepare_joints(Sticky *sticky, const World *world, double h, bool errors)
{
    World joined = *world;
    joined.block_count = world->joint_block_count;
    joined.manifold_count = 0;
    RowSetup setup = sticky_joint_setup(sticky, h, errors);
    row_system_prepare(&sticky->joints, &joined, &setup);
}

static void sticky_begin(void *self, Step *step)
{
    Sticky *sticky = self;
    World *world = step->world;
    if (sticky->substep == 0)
        memcpy(sticky->before, world->velocity, sizeof *sticky->before * (size_t)world->body_count);
    point_memory_match(&sticky->memory, world);
    sticky_prepare(sticky, world);
    motion_begin(&sticky->motion, world, step->h);
    sticky_prepare_joints(sticky, world, step->h, true);
    sticky->substep = (sticky->substep + 1) % sticky->options.common.substeps;
}

/* lambda_n + d >= 0 */
static void sticky_push(World *world, StickyRow *row, double d)
{
    StickyMemory *memory = row->memory;
    d = fmax(d, -memory->normal_impulse);
    memory->normal_impulse += d;
    point_push(world, &row->normal, vec3_scale(d, row->normal.n));
}

static double sticky_normal_bias(const Sticky *sticky, const StickyRow *row, double h, bool errors)
{
    if (row->gap > 0.0)
        return row->gap / h;
    return errors ? fmax(sticky->options.normal_beta * row->gap / h, -sticky->options.push_speed) : 0.0;
}

/* Friction of a point within the bound; whether it was reached. */
static bool sticky_rub(World *world, StickyRow *row, Vec3 bias, double bound)
{
    StickyMemory *memory = row->memory;
    Vec3 r = vec3_add(point_slip(world->velocity, &row->friction), bias),
         held = tangential(memory->friction, row->normal.n);
    Vec3 next = vec3_sub(held, mat3_mul_vec(row->stop, r));
    bool slips = vec3_norm(next) > bound;
    if (slips) {
        next = vec3_add_scaled(held, -row->slide, r);
        double size = vec3_norm(next);
        next = vec3_scale(size > bound ? bound / size : 1.0, next);
    }
    memory->friction = next;
    point_push(world, &row->friction, vec3_sub(next, held));
    return slips;
}

/* Spin friction of a patch: a torque about n within 2/3 mu R times the load, whatever the force. */
static void sticky_spin(World *world, const Block *block, StickyRow *first, double load)
{
    Vec3 n = first->normal.n, turn[2];
    double weight = 0.0, bound = 2.0 / 3.0 * block->friction * block->patch_radius * load, rate = 0.0;
    for (int k = 0; k < 2; k++) {
        turn[k] = world_inv_inertia_mul(world, block->body[k], n);
        weight += vec3_dot(n, turn[k]);
        rate += (k == 0 ? -1.0 : 1.0) * vec3_dot(n, world->velocity[block->body[k]].w);
    }
    if (weight == 0.0)
        return;
    double next = clamp(first->memory->torsion - rate / weight, -bound, bound), d = next - first->memory->torsion;
    first->memory->torsion = next;
    for (int k = 0; k < 2; k++) {
        Vec3 *w = &world->velocity[block->body[k]].w;
        *w = vec3_add_scaled(*w, k == 0 ? -d : d, turn[k]);
    }
}

/* A pair of bodies: its normals one after the other, then its friction. Returns the rows solved. */
static int sticky_solve_pair(const Sticky *sticky, World *world, const ManifoldBlocks *manifold, StickyRow *rows,
                             double h, bool errors)
{
    double load = 0.0;
    for (int i = 0; i < manifold->count; i++) {
        StickyRow *row = &rows[i];
        double r = vec3_dot(row->normal.n, point_velocity(world->velocity, &row->normal)) +
                   sticky_normal_bias(sticky, row, h, errors);
        sticky_push(world, row, -r / row->weight);
        load += row->memory->normal_impulse;
    }
    if (!(rows[0].mu > 0.0))
        return manifold->count;
    bool slips = true;
    for (int i = 0; i < manifold->count; i++) {
        Vec3 bias = vec3_scale(errors ? sticky->options.friction_beta / h : 0.0, rows[i].offset);
        slips = sticky_rub(world, &rows[i], bias, rows[i].mu * load / manifold->count) && slips;
    }
    for (int i = 0; i < manifold->count; i++)
        rows[i].memory->slips = rows[i].memory->slips || slips;
    if (manifold->torsion >= 0)
        sticky_spin(world, &world->blocks[manifold->torsion], rows, load);
    return 3 * manifold->count + (manifold->torsion >= 0);
}

static void sticky_sweep(Sticky *sticky, Step *step, bool errors)
{
    World *world = step->world;
    step->row_solves += row_system_sweep_joints(&sticky->joints, world->velocity);
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
        world->block_impulse[b] = row_system_on_body2(&sticky->joints, world, b);
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
    for (int m = 0; m < step->world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &step->world->manifolds[m];
        for (int i = 0; i < manifold->count; i++, point++)
            sticky_prepare_point(&sticky->rows[point], point_memory_at(&sticky->memory, point), step->world,
                                 &step->world->blocks[manifold_contact(manifold, i)], manifold->count);
    }
    sticky_prepare_joints(sticky, step->world, step->h, false);
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
            double before = vec3_dot(row->normal.n, point_velocity(sticky->before, &row->normal));
            if (e == 0.0 || row->memory->normal_impulse == 0.0 || before >= -threshold)
                continue;
            double now = vec3_dot(row->normal.n, point_velocity(world->velocity, &row->normal));
            sticky_push(world, row, -(now + e * before) / row->weight);
            step->row_solves++;
        }
    sticky_store(sticky, world);
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

static const Convention STICKY_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL, "cone: |lambda_t| <= mu times the mean of the pair's normals, over the frame"},
    {CONVENTION_NORMALS, NULL, NULL, "by row, those of one pair of bodies before its friction"},
    {CONVENTION_ORDER, NULL, NULL, "after the pair's normals; to the anchors, {friction_beta} of the way a substep"},
    {CONVENTION_SLOP, NULL, NULL, "0 m"},
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
    .capabilities = CAN_ALL_JOINTS | CAN_CONTACTS | CAN_FRICTION,
    .settings = STICKY_SETTINGS,
    .setting_count = sizeof STICKY_SETTINGS / sizeof STICKY_SETTINGS[0],
    .conventions = STICKY_CONVENTIONS,
    .convention_count = sizeof STICKY_CONVENTIONS / sizeof STICKY_CONVENTIONS[0],
    .options_size = sizeof(StickyOptions),
    .create = sticky_create,
    .destroy = sticky_destroy,
    .reserve = sticky_reserve,
    .plan = sticky_plan,
};
