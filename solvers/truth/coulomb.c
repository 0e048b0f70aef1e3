/* SPDX-License-Identifier: MIT */
#include "solvers/truth/coulomb.h"

#include "model/array.h"
#include "model/contact.h"
#include "solvers/truth/coulomb_contact.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

enum { BISECTIONS = 60, SECANTS = 8, MAX_EVALUATIONS = 130000 };
/* Of a step whose trial failed: so many times, to this part of it. */
enum { CUTS = 8 };
#define CUT 0.1

/* A gap of less than minus this part of the length scale is an event. */
#define GAP_SLACK 1e-12
/* Loads and openings this many times beyond what counts as zero are events: what a choice of modes lets pass is none.
 */
#define LOAD_FACTOR 4.0
/* A contact without load opens by more than this part of the accelerations, or stays. */
#define OPENING_SLACK 1e-9
#define IMPULSE_SCALE 1e30
#define FIRST_STEP 1e-4
#define TIME_ROUND_OFF 1e-16
#define SHAKING (8.0 * DBL_EPSILON)
/* In a step no point goes farther than this part of the smallest shape, and no body turns farther, rad. */
#define STEP_REACH 0.25

static bool shape_is_round(ShapeKind kind)
{
    return kind == SHAPE_SPHERE || kind == SHAPE_PLANE;
}

static double pair_friction(const World *world, int one, int two)
{
    return contacts_pair_law(world, contacts_material(world, one), contacts_material(world, two)).friction;
}

bool coulomb_is_needed(const World *world)
{
    if (!world_has_plain_shapes(world))
        return contacts_may_be(world);
    for (int i = 1; i < world->body_count; i++)
        for (int k = i + 1; k < world->body_count; k++)
            if (contacts_may_touch(world, i, k) &&
                (pair_friction(world, i, k) > 0.0 || !shape_is_round(world->bodies[i].shape.kind) ||
                 !shape_is_round(world->bodies[k].shape.kind)))
                return true;
    return false;
}

static bool coulomb_fits(const Coulomb *coulomb, const World *world, Status *status)
{
    if (world->joint_count > 0)
        return status_set(status, STATUS_UNSUPPORTED,
                          "solver reference cannot run this scene: it has joints and, at contacts, friction or shapes "
                          "other than spheres and planes");
    for (int law = 0; law < coulomb->meets.count; law++)
        for (int k = 0; k < 2 && coulomb->friction[law] > 0.0; k++) {
            const Material *material = contacts_material(world, coulomb->meets.laws[law].body[k]);
            if (material->patch_radius != 0.0)
                return status_set(status, STATUS_UNSUPPORTED,
                                  "solver reference cannot run this scene: material '%s' resists spinning, and no law "
                                  "says how its patch wears",
                                  material->name ? material->name : "default");
        }
    return true;
}

static Vec3 *impulses_of(const Coulomb *coulomb, double *y)
{
    return (Vec3 *)(y + coulomb->moving);
}

/* GSL's right-hand side. */
static int coulomb_rate(double t, const double y[], double dydt[], void *self)
{
    (void)t;
    Coulomb *coulomb = self;
    World *world = coulomb->step->world;
    Rate *rate = (Rate *)dydt;
    const BodyState *state = (const BodyState *)y;
    coulomb->evaluations++;
    memset(dydt, 0, sizeof *dydt * coulomb->size);
    bodies_give(state, world);
    if (!coulomb_accelerate(coulomb, world))
        return GSL_EBADFUNC;
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        Velocity a = coulomb->rate[i];
        if (!vec3_is_finite(a.v) || !vec3_is_finite(a.w))
            return GSL_EBADFUNC;
        rate[i] = motion_rate(state[i].pose.q, state[i].velocity, a);
        dydt[coulomb->size - 1] += vec3_dot(world->bodies[i].torque, world->velocity[i].w);
    }
    for (int g = 0, k = 0; g < coulomb->group_count; g++)
        for (int i = 0; i < coulomb->contacting[g].count; i++)
            impulses_of(coulomb, dydt)[k++] = contacting_force(&coulomb->contacting[g], &coulomb->answer[g], i);
    return GSL_SUCCESS;
}

static bool coulomb_init_stepper(Coulomb *coulomb, const World *world, double tolerance)
{
    double **arrays[] = {&coulomb->y, &coulomb->y_before, &coulomb->y_trial, &coulomb->error, &coulomb->slope};
    double L = world->length_scale;
    coulomb->moving = (size_t)world->body_count * sizeof(BodyState) / sizeof(double);
    size_t size = coulomb->size = coulomb->moving + 3 * COULOMB_TOUCHING + 1;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (!NEW_ARRAY(*arrays[i], size))
            return false;
    for (int i = 0; i < world->body_count; i++)
        ((BodyState *)coulomb->error)[i] = (BodyState){{{L, L, L}, {1, 1, 1, 1}}, {{L, L, L}, {1, 1, 1}}};
    for (size_t i = coulomb->moving; i < size; i++)
        coulomb->error[i] = IMPULSE_SCALE;
    coulomb->stepper = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, size);
    coulomb->control = gsl_odeiv2_control_scaled_new(tolerance, tolerance, 1.0, 0.0, coulomb->error, size);
    coulomb->evolve = gsl_odeiv2_evolve_alloc(size);
    coulomb->system = (gsl_odeiv2_system){coulomb_rate, NULL, size, coulomb};
    return coulomb->stepper && coulomb->control && coulomb->evolve;
}

bool coulomb_init(Coulomb *coulomb, const World *world, double tolerance, double looseness, Status *status)
{
    CommonOptions options = {1, 1, INTEGRATE_RK4, GYROSCOPIC_EXPLICIT};
    size_t bodies = (size_t)world->body_count;
    *coulomb = (Coulomb){.looseness = looseness, .longest = 1.0, .h = FIRST_STEP};
    if (!meets_init(&coulomb->meets, world, status))
        return false;
    size_t laws = (size_t)coulomb->meets.count + 1;
    if (!NEW_ARRAY(coulomb->friction, laws) || !NEW_ARRAY(coulomb->restitution, laws) ||
        !NEW_ARRAY(coulomb->state, laws) || !NEW_ARRAY(coulomb->slip, laws) || !NEW_ARRAY(coulomb->gap, laws) ||
        !NEW_ARRAY(coulomb->impulse, laws) || !NEW_ARRAY(coulomb->bodies, bodies) ||
        !NEW_ARRAY(coulomb->contacting, COULOMB_TOUCHING) || !NEW_ARRAY(coulomb->answer, COULOMB_TOUCHING) ||
        !NEW_ARRAY(coulomb->rate, bodies) || !NEW_ARRAY(coulomb->before, bodies) ||
        !motion_init(&coulomb->motion, world, &options) || !coulomb_init_stepper(coulomb, world, tolerance))
        return status_set(status, STATUS_FAILED, "out of memory");
    for (int law = 0; law < coulomb->meets.count; law++) {
        const int *body = coulomb->meets.laws[law].body;
        coulomb->friction[law] = pair_friction(world, body[0], body[1]);
        coulomb->restitution[law] = contacts_restitution(world, body[0], body[1]);
    }
    return coulomb_fits(coulomb, world, status);
}

void coulomb_free(Coulomb *coulomb)
{
    meets_free(&coulomb->meets);
    motion_free(&coulomb->motion);
    void *arrays[] = {coulomb->contacting, coulomb->answer,  coulomb->friction, coulomb->restitution,
                      coulomb->state,      coulomb->slip,    coulomb->gap,      coulomb->impulse,
                      coulomb->bodies,     coulomb->rate,    coulomb->before,   coulomb->y,
                      coulomb->y_before,   coulomb->y_trial, coulomb->error,    coulomb->slope};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
    if (coulomb->stepper)
        gsl_odeiv2_step_free(coulomb->stepper);
    if (coulomb->control)
        gsl_odeiv2_control_free(coulomb->control);
    if (coulomb->evolve)
        gsl_odeiv2_evolve_free(coulomb->evolve);
}

void coulomb_take(Coulomb *coulomb, const World *world)
{
    bool same = coulomb->started;
    for (int i = 0; i < world->body_count && same; i++) {
        BodyState state = {world->pose[i], world->velocity[i]};
        same = memcmp(&state, &coulomb->bodies[i], sizeof state) == 0;
    }
    coulomb->started = same; /* pushed from outside, it begins anew */
    bodies_take(coulomb->bodies, world);
}

/* How far a contact is from its event; negative: beyond it. Kinds of events, so that one can be followed. */
typedef enum EventKind { EVENT_GAP, EVENT_SLIP, EVENT_LOAD, EVENT_OPENING, EVENT_END, EVENT_KINDS } EventKind;

typedef struct Event {
    EventKind kind;
    int law; /* -1: none */
} Event;

/* Of a free contact: its gap, if it was positive as the step began. */
static double event_gap(const Coulomb *coulomb, const World *world, int law)
{
    Meeting meeting = coulomb_meeting(coulomb, world, law);
    double slack = GAP_SLACK * coulomb->looseness * world->length_scale;
    bool enters = !meeting.beside && coulomb->gap[law] >= -2.0 * slack;
    return enters ? (meeting.gap < -slack ? meeting.gap : fmax(meeting.gap, 0.0)) : INFINITY;
}

/* Of a closed contact, beside its loads. */
static double event_slip(const Coulomb *coulomb, const World *world, int law)
{
    Meeting meeting = coulomb_meeting(coulomb, world, law);
    return coulomb->state[law] == MEET_SLIDES && coulomb->friction[law] > 0.0
               ? vec3_dot(meeting_slip(&meeting), coulomb->slip[law])
               : INFINITY;
}

/* Of a group's loads and openings, or the end of a face. */
static Event group_find_event(const Coulomb *coulomb, const World *world, int group)
{
    const Contacting *contacting = &coulomb->contacting[group];
    const ModesAnswer *answer = &coulomb->answer[group];
    double slack = LOAD_FACTOR * modes_slack(&contacting->problem, answer), most = 0.0;
    for (int i = 0; i < 3 * contacting->count; i++)
        most = fmax(most, fabs(contacting->problem.q[i]));
    for (int i = 0; i < contacting->count; i++) {
        int law = contacting->law[i];
        if (contacting->meeting[i].beside || contacting->meeting[i].flat)
            return (Event){EVENT_END, law};
        if (event_slip(coulomb, world, law) < 0.0)
            return (Event){EVENT_SLIP, law};
        if (modes_margin(&contacting->problem, answer, i) < -slack)
            return (Event){EVENT_LOAD, law};
        if (answer->mode[i] == MODE_OPEN && fabs(answer->w[3 * i]) > LOAD_FACTOR * OPENING_SLACK * most)
            return (Event){EVENT_OPENING, law};
    }
    return (Event){EVENT_GAP, -1};
}

/* The first that finds itself beyond its event in the world's state. */
static Event coulomb_find_event(Coulomb *coulomb)
{
    World *world = coulomb->step->world;
    Event event = {EVENT_GAP, -1};
    for (int law = 0; law < coulomb->meets.count; law++)
        if (coulomb->state[law] == MEET_FREE && !coulomb_is_off(coulomb, world, law) &&
            event_gap(coulomb, world, law) < 0.0)
            return (Event){EVENT_GAP, law};
    if (coulomb->closed_count > 0 && !coulomb_accelerate(coulomb, world))
        return (Event){EVENT_END, coulomb->closed[0]};
    for (int g = 0; g < coulomb->group_count && event.law < 0; g++)
        event = group_find_event(coulomb, world, g);
    return event;
}

/* One step of length h from y_before into y_trial, and into the world. */
static bool coulomb_try(Coulomb *coulomb, double t, double h)
{
    memcpy(coulomb->y_trial, coulomb->y_before, sizeof *coulomb->y * coulomb->size);
    bool ok = gsl_odeiv2_step_apply(coulomb->stepper, t, h, coulomb->y_trial, coulomb->error, coulomb->slope, NULL,
                                    &coulomb->system) == GSL_SUCCESS;
    bodies_give((const BodyState *)coulomb->y_trial, coulomb->step->world);
    return ok;
}

/* The same, and how far a gap or a slip then is from zero. */
static double coulomb_event_at(Coulomb *coulomb, double t, double h, Event event)
{
    if (!coulomb_try(coulomb, t, h))
        return NAN;
    if (event.kind == EVENT_SLIP)
        return event_slip(coulomb, coulomb->step->world, event.law);
    return coulomb_meeting(coulomb, coulomb->step->world, event.law).gap;
}

/* From just beyond the event to where it is, to round-off, by secants. */
static double coulomb_polish(Coulomb *coulomb, double t, double after, Event event)
{
    double h0 = 0.5 * after, h1 = after, f0 = coulomb_event_at(coulomb, t, h0, event);
    double f1 = coulomb_event_at(coulomb, t, h1, event);
    for (int i = 0; i < SECANTS && (i > 0 || f0 > 0.0) && f1 != f0; i++) {
        double h = h1 - f1 * (h1 - h0) / (f1 - f0);
        if (!(h > 0.0 && h <= after) || fabs(h - h1) <= DBL_EPSILON * fmax(h, t))
            break;
        double f = coulomb_event_at(coulomb, t, h, event);
        if (!(fabs(f) < fabs(f1)))
            break;
        h0 = h1, f0 = f1;
        h1 = h, f1 = f;
    }
    return h1;
}

/* Goes back to the first event in the step from t to *t_end. */
static void coulomb_locate(Coulomb *coulomb, double t, double *t_end, Event event)
{
    double before = 0.0, after = *t_end - t;
    if (coulomb_rate(t, coulomb->y_before, coulomb->slope, coulomb) != GSL_SUCCESS)
        return;
    for (int i = 0; i < BISECTIONS && after - before > TIME_ROUND_OFF * *t_end; i++) {
        double middle = 0.5 * (before + after);
        Event found = {event.kind, event.law};
        if (coulomb_try(coulomb, t, middle))
            found = coulomb_find_event(coulomb);
        if (found.law >= 0) {
            after = middle;
            event = found;
        } else {
            before = middle;
        }
    }
    if (event.kind == EVENT_GAP || event.kind == EVENT_SLIP)
        after = coulomb_polish(coulomb, t, after, event);
    if (coulomb_try(coulomb, t, after)) {
        memcpy(coulomb->y, coulomb->y_trial, sizeof *coulomb->y * coulomb->size);
        *t_end = t + after;
    }
}

/* Where the next step may end: no farther than shapes are seen to pass. */
static double coulomb_step_end(const Coulomb *coulomb, double t)
{
    const World *world = coulomb->step->world;
    double h = fmin(coulomb->step->h - t, coulomb->longest * coulomb->step->h);
    for (int i = 1; i < world->body_count && isfinite(coulomb->meets.smallest); i++) {
        double speed = vec3_norm(world->velocity[i].v), turn = vec3_norm(world->velocity[i].w);
        double extent =
            world->bodies[i].shape.kind == SHAPE_NONE ? 0.0 : shape_bounding_radius(&world->bodies[i].shape);
        if (world_is_fixed(world, i) || world->removed[i])
            continue;
        speed += vec3_norm(world->gravity) * h + turn * (isfinite(extent) ? extent : 0.0);
        h = speed > 0.0 ? fmin(h, STEP_REACH * coulomb->meets.smallest / speed) : h;
        h = turn > 0.0 ? fmin(h, STEP_REACH / turn) : h;
    }
    return t + h;
}

/* The modes' references as a step begins. */
static void coulomb_begin_step(Coulomb *coulomb)
{
    const World *world = coulomb->step->world;
    for (int law = 0; law < coulomb->meets.count; law++) {
        if (coulomb_is_off(coulomb, world, law))
            continue;
        Meeting meeting = coulomb_meeting(coulomb, world, law);
        Vec3 slip = meeting_slip(&meeting);
        coulomb->gap[law] = meeting.gap;
        if (coulomb->state[law] == MEET_SLIDES && vec3_norm(slip) > coulomb_slow_slip(world))
            coulomb->slip[law] = vec3_unit(slip);
    }
    memcpy(coulomb->y_before, coulomb->y, sizeof *coulomb->y * coulomb->size);
}

/* The impulses since the last event belong to the contacts that were closed. */
static void coulomb_bank_impulses(Coulomb *coulomb)
{
    Vec3 *since = impulses_of(coulomb, coulomb->y);
    for (int i = 0; i < coulomb->closed_count; i++)
        coulomb->impulse[coulomb->closed[i]] = vec3_add(coulomb->impulse[coulomb->closed[i]], since[i]);
    memset(since, 0, sizeof *since * COULOMB_TOUCHING);
}

static bool coulomb_events(Coulomb *coulomb, double t)
{
    coulomb_bank_impulses(coulomb);
    bool ok = coulomb_switch(coulomb, t);
    bodies_take((BodyState *)coulomb->y, coulomb->step->world);
    gsl_odeiv2_evolve_reset(coulomb->evolve);
    return ok;
}

/* One controlled step towards `end`. A trial in which loads do not determine the motion went too far: where a slip is
 * slow friction turns it quickly. */
static bool coulomb_step(Coulomb *coulomb, double *t, double end)
{
    double start = *t, allowed = coulomb->h, tried = fmin(allowed, end - start);
    int status = GSL_FAILURE;
    for (int cuts = 0; cuts < CUTS && status != GSL_SUCCESS; cuts++) {
        coulomb->h = tried;
        *t = start;
        status = gsl_odeiv2_evolve_apply(coulomb->evolve, coulomb->control, coulomb->stepper, &coulomb->system, t, end,
                                         &coulomb->h, coulomb->y);
        if (status == GSL_SUCCESS)
            break;
        memcpy(coulomb->y, coulomb->y_before, sizeof *coulomb->y * coulomb->size);
        gsl_odeiv2_evolve_reset(coulomb->evolve);
        tried = allowed = CUT * tried;
    }
    if (coulomb->h >= tried && coulomb->h < allowed)
        coulomb->h = allowed;
    bodies_give((const BodyState *)coulomb->y, coulomb->step->world);
    return status == GSL_SUCCESS;
}

/* Moves to the next event, or as far as a step goes. */
static bool coulomb_move(Coulomb *coulomb, double *t)
{
    World *world = coulomb->step->world;
    double start = *t;
    coulomb_begin_step(coulomb);
    if (!coulomb_step(coulomb, t, coulomb_step_end(coulomb, start))) {
        step_fail(coulomb->step, "the motion is not known: its loads do not determine it %.9g s into this substep",
                  start);
        return false;
    }
    for (size_t i = 0; coulomb->looseness > 1.0 && i < coulomb->moving; i++)
        coulomb->y[i] *= 1.0 + SHAKING * random_in(&coulomb->shaking, -1.0, 1.0);
    Event event = coulomb_find_event(coulomb);
    if (event.law >= 0)
        coulomb_locate(coulomb, start, t, event);
    bodies_give((const BodyState *)coulomb->y, world);
    if (event.law >= 0)
        return coulomb_events(coulomb, *t);
    coulomb_project(coulomb, world);
    bodies_take((BodyState *)coulomb->y, world);
    gsl_odeiv2_evolve_reset(coulomb->evolve);
    return true;
}

/* The world's contact that is nearest to where law's bodies meet. */
static int coulomb_nearest_block(const Coulomb *coulomb, const World *world, int law)
{
    const int *body = coulomb->meets.laws[law].body;
    Meeting meeting = coulomb_meeting(coulomb, world, law);
    Vec3 place = vec3_add(world->pose[body[0]].x, meeting.arm[0]);
    int nearest = -1;
    double least = INFINITY;
    for (int m = 0; m < world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &world->manifolds[m];
        bool straight = manifold->body[0] == body[0] && manifold->body[1] == body[1];
        if (!straight && !(manifold->body[0] == body[1] && manifold->body[1] == body[0]))
            continue;
        for (int p = 0; p < manifold->count; p++) {
            int block = manifold_contact(manifold, p);
            const BlockSeat *seat = world->blocks[block].seat;
            double apart = vec3_norm(vec3_sub(world_point(world, manifold->body[0], seat->anchor[0]), place));
            if (apart < least) {
                least = apart;
                nearest = block;
            }
        }
    }
    return nearest;
}

/* Each contact's impulse to the block of the world that is nearest: its normal part, and the rest as friction. */
static void coulomb_give_impulses(const Coulomb *coulomb, World *world)
{
    for (int b = world->joint_block_count; b < world->block_count; b++)
        world->block_impulse[b] = VEC3_ZERO;
    for (int law = 0; law < coulomb->meets.count; law++) {
        if (vec3_is_zero(coulomb->impulse[law]))
            continue;
        int block = coulomb_nearest_block(coulomb, world, law);
        if (block < 0)
            continue;
        bool second = world->blocks[block].body[1] == coulomb->meets.laws[law].body[0];
        Vec3 n = coulomb_meeting(coulomb, world, law).normal;
        Vec3 impulse = vec3_scale(second ? 1.0 : -1.0, coulomb->impulse[law]);
        Vec3 along = vec3_scale(vec3_dot(n, impulse), n);
        world->block_impulse[block] = vec3_add(world->block_impulse[block], along);
        world->block_impulse[block + 1] = vec3_add(world->block_impulse[block + 1], vec3_sub(impulse, along));
    }
}

void coulomb_advance(Coulomb *coulomb, Step *step)
{
    World *world = step->world;
    double t = 0.0;
    coulomb->step = step;
    coulomb->evaluations = 0;
    bodies_give(coulomb->bodies, world);
    motion_collect_forces(&coulomb->motion, world);
    memset(coulomb->impulse, 0, sizeof *coulomb->impulse * (size_t)coulomb->meets.count);
    memset(coulomb->y, 0, sizeof *coulomb->y * coulomb->size);
    bodies_take((BodyState *)coulomb->y, world);
    bool ok = coulomb->started || coulomb_events(coulomb, 0.0);
    gsl_odeiv2_evolve_reset(coulomb->evolve);
    coulomb->started = true;
    while (ok && t < step->h) {
        ok = coulomb_move(coulomb, &t);
        if (coulomb->evaluations > MAX_EVALUATIONS) {
            step_fail(step, "the motion is not known: more than %d evaluations in a substep", MAX_EVALUATIONS);
            ok = false;
        }
    }
    coulomb_bank_impulses(coulomb);
    world->torque_work = coulomb->y[coulomb->size - 1];
    bodies_take(coulomb->bodies, world);
    coulomb_give_impulses(coulomb, world);
}

void coulomb_checkpoint(Coulomb *coulomb, const World *world, Checkpoint *checkpoint)
{
    size_t laws = (size_t)coulomb->meets.count, bodies = (size_t)world->body_count;
    checkpoint_flags(checkpoint, &coulomb->started, 1);
    checkpoint_numbers(checkpoint, &coulomb->h, 1);
    checkpoint->failed = checkpoint->failed || !(coulomb->h > 0.0);
    checkpoint_part(checkpoint, &coulomb->shaking, sizeof coulomb->shaking);
    checkpoint_numbers(checkpoint, &coulomb->bodies->pose.x.x, sizeof *coulomb->bodies / sizeof(double) * bodies);
    checkpoint_choices(checkpoint, coulomb->state, laws, MEET_SLIDES);
    checkpoint_numbers(checkpoint, &coulomb->slip->x, 3 * laws);
    checkpoint_choices(checkpoint, &coulomb->closed_count, 1, COULOMB_TOUCHING);
    checkpoint_choices(checkpoint, coulomb->closed, COULOMB_TOUCHING, coulomb->meets.count);
    checkpoint_choices(checkpoint, &coulomb->group_count, 1, COULOMB_TOUCHING);
    checkpoint_choices(checkpoint, coulomb->group_end, COULOMB_TOUCHING, COULOMB_TOUCHING);
}
