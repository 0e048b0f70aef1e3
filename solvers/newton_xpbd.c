/* SPDX-License-Identifier: MIT */
/* The XPBD of NVIDIA's Newton, Warp's successor (newton-physics/newton 41a5392c): not that of Mueller et al. 2020.
 *
 *     v, w from forces;  x <- x + h v,  q <- q + h/2 (w, 0) q;  n times: a pass over the contacts, one over the joints
 *     a pass     every constraint reads the same poses and velocities and gives an impulse P and a torque T of its own
 *     a body     v <- v + s sum P/m,  x <- x + h s sum P/m,  w and q likewise;  s = 1/(its contacts) for contacts
 *
 * So it is Jacobi, relaxed, without multipliers that last, and velocities are sums of impulses. A contact whose bodies
 * have unlike numbers of contacts loses momentum, and a joint's row, whose impulse is relaxed by 0.7 and its torque by
 * 0.4, angular momentum. What moves by less than 1e-4 stands still after every pass. Restitution is off there, too.
 * Not Newton's: double precision, and no bounce even where its option would have one; impulses are reported as body 2
 * feels them. A drive's bound, swing limits and wires are refused: it has none. */
#include "solvers/motion.h"
#include "solvers/newton_xpbd/contact.h"
#include "solvers/newton_xpbd/joint.h"

#include "model/array.h"
#include "model/contact.h"

typedef struct NewtonXpbdOptions {
    CommonOptions common;
    double linear_relaxation, angular_relaxation, contact_relaxation, angular_damping;
    double torsional, rolling;
    double still_speed, still_spin, least_error;
    int con_weighting;
} NewtonXpbdOptions;

static const Setting NEWTON_XPBD_SETTINGS[] = {
    SUBSTEPS_SETTING(1),
    PARAM_INT(CommonOptions, iterations, "passes over contacts and joints in a substep", 2, 1, 1e6),
    PARAM_REAL(NewtonXpbdOptions, linear_relaxation, "share of a joint row's impulse that is given", 0.7, 0, 2),
    PARAM_REAL(NewtonXpbdOptions, angular_relaxation, "share of a joint row's torque that is given", 0.4, 0, 2),
    PARAM_REAL(NewtonXpbdOptions, contact_relaxation, "share of a contact row's impulse that is given", 0.8, 0, 2),
    PARAM_BOOL(NewtonXpbdOptions, con_weighting, "a body takes the mean of what its contacts give, not the sum", true),
    PARAM_REAL(NewtonXpbdOptions, angular_damping, "share of the spin lost in a second", 0, 0, 1e6),
    PARAM_REAL(NewtonXpbdOptions, torsional, "friction against spin about the normal, over mu's (m)", 0.005, 0, 1e6),
    PARAM_REAL(NewtonXpbdOptions, rolling, "friction against rolling (m)", 1e-4, 0, 1e6),
    PARAM_REAL(NewtonXpbdOptions, still_speed, "what is slower after a pass stands still (m/s)", 1e-4, 0, 1e6),
    PARAM_REAL(NewtonXpbdOptions, still_spin, "the same of spin (rad/s)", 1e-4, 0, 1e6),
    PARAM_REAL(NewtonXpbdOptions, least_error, "a joint's row along an axis that is off by less waits (m, m/s)", 1e-9,
               0, 1e6),
};

typedef struct NewtonXpbd {
    Arrays arrays;
    NewtonXpbdOptions options;
    Motion motion;
    NewtonChange *change; /* by body */
    NewtonJoint *joints;
    unsigned long detection; /* whose points are in `points` */
    size_t point_capacity;
    NewtonPoint *points;
} NewtonXpbd;

static void newton_xpbd_destroy(void *self)
{
    NewtonXpbd *own = self;
    if (!own)
        return;
    motion_free(&own->motion);
    arrays_free(&own->arrays);
    free(own->points);
    free(own);
}

static bool newton_xpbd_reserve(void *self, const World *world, Status *status)
{
    NewtonXpbd *own = self;
    size_t needed = (size_t)(world->block_capacity - world->joint_block_count) / 2 + 1;
    return array_reserve((void **)&own->points, &own->point_capacity, sizeof *own->points, needed) ||
           status_set(status, STATUS_FAILED, "out of memory");
}

static bool newton_xpbd_init(void *self, const SolverTask *task, Status *status)
{
    NewtonXpbd *own = self;
    const World *world = task->world;
    own->options = *(const NewtonXpbdOptions *)task->options;
    own->options.common.integrator = INTEGRATE_SEMI_IMPLICIT;
    own->options.common.gyroscopic = GYROSCOPIC_EXPLICIT;
    bool ok = OWN_ARRAY(&own->arrays, own->change, (size_t)world->body_count) &&
              OWN_ARRAY(&own->arrays, own->joints, (size_t)world->joint_count) &&
              motion_init(&own->motion, world, &own->options.common) && newton_xpbd_reserve(own, world, status);
    for (int i = 0; ok && i < world->joint_count; i++)
        ok = newton_joint_read(&own->joints[i], world, i, status);
    return ok;
}

static void *newton_xpbd_create(const SolverTask *task, Status *status)
{
    return solver_create(task, sizeof(NewtonXpbd), newton_xpbd_init, newton_xpbd_destroy, status);
}

static bool turns(const World *world, int body)
{
    return world->mass[body].inv_inertia.x != 0.0;
}

/* q + h/2 (w, 0) q, normalised. */
static Quat turned(Quat q, Vec3 w, double h)
{
    Quat d = quat_mul((Quat){0.0, 0.5 * h * w.x, 0.5 * h * w.y, 0.5 * h * w.z}, q);
    return quat_unit((Quat){q.w + d.w, q.x + d.x, q.y + d.y, q.z + d.z});
}

static void points_set(NewtonXpbd *own, const World *world)
{
    if (!world->contacts || own->detection == world->contacts->detection)
        return;
    own->detection = world->contacts->detection;
    for (int m = 0, point = 0; m < world->manifold_count; m++)
        for (int i = 0; i < world->manifolds[m].count; i++)
            newton_point_set(&own->points[point++], world, &world->blocks[manifold_contact(&world->manifolds[m], i)]);
}

static void newton_xpbd_begin(void *self, Step *step)
{
    NewtonXpbd *own = self;
    World *world = step->world;
    points_set(own, world);
    motion_begin(&own->motion, world, step->h);
    if (world->block_count > 0) /* else there may be no array */
        memset(world->block_impulse, 0, sizeof *world->block_impulse * (size_t)world->block_count);
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Pose *pose = &world->pose[i];
        Velocity *u = &world->velocity[i];
        pose->x = vec3_add_scaled(pose->x, step->h, u->v);
        if (!turns(world, i))
            continue;
        pose->q = turned(pose->q, u->w, step->h);
        u->w = vec3_scale(1.0 - own->options.angular_damping * step->h, u->w);
    }
}

/* What the torque T of a step does to w, with the gyroscopic term's change. */
static Vec3 change_of_spin(const World *world, int i, Vec3 T, double h)
{
    Quat q = world->pose[i].q;
    Vec3 I = world->mass[i].inertia, inverse = world->mass[i].inv_inertia;
    Vec3 w = quat_rotate_inverse(q, world->velocity[i].w), d = vec3_mul(inverse, quat_rotate_inverse(q, T));
    Vec3 gyroscopic = vec3_add(vec3_cross(d, vec3_mul(I, vec3_add(w, d))), vec3_cross(w, vec3_mul(I, d)));
    return quat_rotate(q, vec3_add_scaled(d, -h, vec3_mul(inverse, gyroscopic)));
}

/* Every body takes what the pass gave it. */
static void take_changes(NewtonXpbd *own, World *world, double h, bool weighted)
{
    for (int i = 1; i < world->body_count; i++) {
        NewtonChange change = own->change[i];
        own->change[i] = (NewtonChange){0};
        if (world_is_fixed(world, i))
            continue;
        double share = weighted && change.contacts > 0 ? 1.0 / change.contacts : 1.0;
        Pose *pose = &world->pose[i];
        Velocity *u = &world->velocity[i];
        Vec3 dv = vec3_scale(share * world->mass[i].inv_mass, change.P), dw = VEC3_ZERO;
        if (turns(world, i)) {
            dw = change_of_spin(world, i, vec3_scale(share, change.T), h);
            pose->q = turned(pose->q, dw, h);
        }
        pose->x = vec3_add_scaled(pose->x, h, dv);
        *u = (Velocity){vec3_add(u->v, dv), vec3_add(u->w, dw)};
        if (vec3_norm(u->v) < own->options.still_speed)
            u->v = VEC3_ZERO;
        if (vec3_norm(u->w) < own->options.still_spin)
            u->w = VEC3_ZERO;
    }
}

/* What body 2 took of it; body 1, where that is fixed. */
static void store_point(const NewtonXpbd *own, World *world, const NewtonPoint *point, int contact, int friction)
{
    const int *body = world->blocks[contact].body;
    int contacts = own->change[body[world_is_fixed(world, body[1]) ? 0 : 1]].contacts;
    double share = own->options.con_weighting && contacts > 0 ? 1.0 / contacts : 1.0;
    world->block_impulse[contact] = vec3_add_scaled(world->block_impulse[contact], share, point->normal);
    world->block_impulse[friction] = vec3_add_scaled(world->block_impulse[friction], share, point->friction);
}

static void contact_pass(NewtonXpbd *own, Step *step)
{
    World *world = step->world;
    const NewtonXpbdOptions *o = &own->options;
    NewtonFriction how = {o->contact_relaxation, o->torsional, o->rolling};
    for (int pass = 0; pass < 2; pass++)
        for (int m = 0, point = 0; m < world->manifold_count; m++) {
            const ManifoldBlocks *manifold = &world->manifolds[m];
            for (int i = 0; i < manifold->count; i++, point++) {
                int b = manifold_contact(manifold, i);
                NewtonPoint *p = &own->points[point];
                if (pass == 0)
                    step->row_solves += newton_point_solve(p, world, &world->blocks[b], step->h, how, own->change);
                else
                    store_point(own, world, p, b, manifold_friction(manifold, i));
            }
        }
    take_changes(own, world, step->h, o->con_weighting);
}

static void joint_pass(NewtonXpbd *own, Step *step)
{
    World *world = step->world;
    const NewtonXpbdOptions *o = &own->options;
    NewtonRelaxation relax = {o->linear_relaxation, o->angular_relaxation, o->least_error};
    for (int i = 0; i < world->joint_count; i++)
        if (!world->joints[i].off)
            step->row_solves += newton_joint_solve(&own->joints[i], world, step->h, relax, own->change);
    take_changes(own, world, step->h, false);
}

static void newton_xpbd_iterate(void *self, Step *step)
{
    NewtonXpbd *own = self;
    if (step->world->collide)
        contact_pass(own, step);
    if (step->world->joint_count > 0)
        joint_pass(own, step);
}

static void newton_xpbd_end(void *self, Step *step)
{
    NewtonXpbd *own = self;
    World *world = step->world;
    for (int m = 0; m < world->manifold_count; m++)
        for (int i = 0; i < world->manifolds[m].count; i++) {
            int b = manifold_contact(&world->manifolds[m], i);
            if (world->blocks[b].restitution > 0.0 && !vec3_is_zero(world->block_impulse[b]))
                step_report(step, "a bounce was left out");
        }
    motion_damp(&own->motion, world, step->h);
}

static int newton_xpbd_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    const NewtonXpbdOptions *o = &((NewtonXpbd *)self)->options;
    phases[0] = (Phase){.name = "position",
                        .iterations = o->common.iterations,
                        .enter = newton_xpbd_begin,
                        .iterate = newton_xpbd_iterate};
    phases[1] = (Phase){.name = "damp", .enter = newton_xpbd_end};
    return 2;
}

static const PhaseStep NEWTON_XPBD_STEPS[] = {
    {"position", PHASE_ENTER, "", "poses from free flight, then passes in which all constraints act at once"},
    {"position", PHASE_ENTER, "predict", "Bodies move without constraints; turns are linear.",
     "v <- v + h (g + f/m),  w <- w + h I^-1 (tau - w x I w)\nx <- x + h v,  q <- q + h/2 (w, 0) q"},
    {"position", PHASE_SWEEP, "contacts",
     "Every point that overlaps, by {contact_relaxation} of its depth d; friction takes back how far the points that "
     "met "
     "are apart, within mu times this pass's load.",
     "lambda_n = -{contact_relaxation} d/(h w_n),  |lambda_t| <= mu lambda_n"},
    {"position", PHASE_SWEEP, "take", "Each body takes the mean of what its contacts gave.",
     "v <- v + sum P/(N m),  x <- x + h sum P/(N m)", "con_weighting", "true"},
    {"position", PHASE_SWEEP, "take", "Each body takes the sum of what its contacts gave.",
     "v <- v + sum P/m,  x <- x + h sum P/m"},
    {"position", PHASE_SWEEP, "joints",
     "Row by row along and about the axes of body 1's frame, without memory: {linear_relaxation} of the impulse, "
     "{angular_relaxation} of its torque.",
     "lambda = -(e + g e')/((h + g) w + a/h)"},
    {"position", PHASE_SWEEP, "stand", "What moves by less than {still_speed} m/s or {still_spin} rad/s stands still."},
    {"damp", PHASE_ENTER, "", "joint damping"},
    {"damp", PHASE_ENTER, "damping", "Damped joints slow down along their free directions, by pairs of impulses.",
     "v <- v max(0, 1 - c h)"},
    {NULL},
};

static const Convention NEWTON_XPBD_CONVENTIONS[] = {
    {CONVENTION_LAW, NULL, NULL,
     "cone: |lambda_t| <= mu lambda_n of the pass; against spin {torsional} m, against rolling {rolling} m of it"},
    {CONVENTION_NORMALS, NULL, NULL, "all points at once; a body takes their mean"},
    {CONVENTION_ORDER, NULL, NULL, "with its normal; to where the points met as they were found"},
    {CONVENTION_SLOP, NULL, NULL, "0 m; a load presses in what two passes leave"},
    {CONVENTION_PUSH, NULL, NULL, "{contact_relaxation} of it a pass, no bound; it stays as speed"},
    {CONVENTION_RESTITUTION, NULL, NULL, "none, as by its default; what would bounce is counted"},
    {CONVENTION_WARM_START, NULL, NULL, "nothing"},
};

const Solver newton_xpbd_solver = {
    .abi = SOLVER_ABI,
    .name = "newton_xpbd",
    .summary = "NVIDIA Newton's XPBD: all constraints at once, relaxed, velocities as sums of impulses",
    .reference = "newton-physics/newton 41a5392c (SolverXPBD); after Macklin et al. 2016, Mueller et al. 2020",
    .capabilities = CAN_JOINTS | CAN_LOOPS | CAN_LIMITS | CAN_DRIVES | CAN_COMPLIANCE | CAN_DAMPING | CAN_PARTICLES |
                    CAN_CONTACTS | CAN_COULOMB,
    SOLVER_SETTINGS(NEWTON_XPBD_SETTINGS),
    SOLVER_CONVENTIONS(NEWTON_XPBD_CONVENTIONS),
    .steps = NEWTON_XPBD_STEPS,
    .options_size = sizeof(NewtonXpbdOptions),
    .create = newton_xpbd_create,
    .destroy = newton_xpbd_destroy,
    .reserve = newton_xpbd_reserve,
    .plan = newton_xpbd_plan,
};
