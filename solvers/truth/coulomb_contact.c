/* SPDX-License-Identifier: MIT */
#include "solvers/truth/coulomb_contact.h"

#include "model/energy.h"
#include "solvers/truth/impact_orders.h"

#include <string.h>

/* Gaps within this part of the length scale touch. */
#define TOUCH_SLACK 1e-10
/* Slips slower than this part of the world's pace are none, nor do contacts open that slowly. */
#define REST_SLACK 1e-9
/* A slip slower than this part of the pace keeps its direction: round-off would turn it. */
#define SLOW_SLIP 1e-5
/* Impacts slower than this part of the pace do not bounce, and what they leave slower ends there: so do endless
 * sequences. What is left out is 4.5e-10 length scales high. */
#define IMPACT_REST 3e-5
/* Velocities after impacts, as a part of the largest, that are the same. */
#define SAME_OUTCOME 1e-8
/* Impacts of pairs one after the other, at one instant. */
enum { MAX_IMPACTS = 1000 };

double coulomb_touch_slack(const Coulomb *coulomb, const World *world)
{
    return TOUCH_SLACK * coulomb->looseness * world->length_scale;
}

double coulomb_rest_speed(const Coulomb *coulomb, const World *world)
{
    return REST_SLACK * coulomb->looseness * world_pace(world);
}

double coulomb_slow_slip(const World *world)
{
    return SLOW_SLIP * world_pace(world);
}

Meeting coulomb_meeting(const Coulomb *coulomb, const World *world, int law)
{
    return meet_evaluate(&coulomb->meets, &coulomb->meets.laws[law], world);
}

bool coulomb_is_off(const Coulomb *coulomb, const World *world, int law)
{
    const int *body = coulomb->meets.laws[law].body;
    return world->removed[body[0]] || world->removed[body[1]];
}

/* d_a . (effect of the force d_b at one contact on the point of another), where both are on this body. */
static double body_coupling(const World *world, int body, Vec3 arm_a, Vec3 a, Vec3 arm_b, Vec3 b)
{
    Vec3 turn = world_inv_inertia_mul(world, body, vec3_cross(arm_b, b));
    return world->mass[body].inv_mass * vec3_dot(a, b) + vec3_dot(vec3_cross(arm_a, a), turn);
}

static void contacting_couple(Contacting *contacting, const Coulomb *coulomb, const World *world, int i, int j)
{
    const int *one = coulomb->meets.laws[contacting->law[i]].body, *two = coulomb->meets.laws[contacting->law[j]].body;
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++)
            for (int row = 0; row < 9 && one[p] == two[q] && !world_is_fixed(world, one[p]); row++)
                contacting->problem.W[3 * i + row / 3][3 * j + row % 3] +=
                    (p == q ? 1.0 : -1.0) * body_coupling(world, one[p], contacting->meeting[i].arm[p],
                                                          contacting->axis[i][row / 3], contacting->meeting[j].arm[q],
                                                          contacting->axis[j][row % 3]);
}

/* What the method cannot do: no fault of the motion. */
static void coulomb_refuse(Coulomb *coulomb, const char *why)
{
    step_fail(coulomb->step, "the motion is not known: %s", why);
    coulomb->step->status.code = STATUS_UNSUPPORTED;
}

static bool same_pair(const Coulomb *coulomb, int one, int two)
{
    const int *a = coulomb->meets.laws[one].body, *b = coulomb->meets.laws[two].body;
    return (a[0] == b[0] && a[1] == b[1]) || (a[0] == b[1] && a[1] == b[0]);
}

/* W of the contacts in the list. q is zero, and nothing slides. */
static void contacting_begin(Contacting *contacting, const Coulomb *coulomb, const World *world, const int *laws,
                             int count)
{
    memset(&contacting->problem, 0, sizeof contacting->problem);
    contacting->count = contacting->problem.count = count;
    for (int i = 0; i < count; i++) {
        Vec3 *axis = contacting->axis[i];
        contacting->law[i] = laws[i];
        contacting->meeting[i] = coulomb_meeting(coulomb, world, laws[i]);
        axis[0] = contacting->meeting[i].normal;
        axis[1] = vec3_any_normal(axis[0]);
        axis[2] = vec3_cross(axis[0], axis[1]);
        contacting->problem.friction[i] = coulomb->friction[laws[i]];
    }
    for (int i = 0, pairs = 0; i < count; i++) {
        int same = 0;
        while (!same_pair(coulomb, laws[same], laws[i]))
            same++;
        contacting->problem.pair[i] = same < i ? contacting->problem.pair[same] : pairs++;
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            contacting_couple(contacting, coulomb, world, i, j);
}

/* The rows of a vector at contact i. */
static void contacting_rows(const Contacting *contacting, int i, Vec3 v, double *rows)
{
    for (int k = 0; k < 3; k++)
        rows[k] = vec3_dot(contacting->axis[i][k], v);
}

/* Where contact i slides to: along its slip, where that is one; else along `before`. */
static void contacting_slide(Contacting *contacting, int i, Vec3 before, double rest)
{
    Vec3 slip = meeting_slip(&contacting->meeting[i]);
    double rows[3], speed = vec3_norm(slip);
    Vec3 way = !(speed > rest)                ? before
               : vec3_dot(slip, before) < 0.0 ? vec3_scale(-1.0 / speed, slip)
                                              : vec3_scale(1.0 / speed, slip);
    contacting_rows(contacting, i, way, rows);
    double norm = hypot(rows[1], rows[2]);
    contacting->problem.slides[i] = true;
    contacting->problem.slip[i][0] = norm > 0.0 ? rows[1] / norm : 1.0;
    contacting->problem.slip[i][1] = norm > 0.0 ? rows[2] / norm : 0.0;
}

/* q by the accelerations in `rate`: n.a + n'.u along the normal, t.a across it, where what sticks has no slip. */
static void contacting_pull(Contacting *contacting, const Coulomb *coulomb, const World *world)
{
    for (int i = 0; i < contacting->count; i++) {
        const Meeting *meeting = &contacting->meeting[i];
        Vec3 a[2];
        for (int k = 0; k < 2; k++) {
            int body = coulomb->meets.laws[contacting->law[i]].body[k];
            a[k] = vec3_add(vec3_add(coulomb->rate[body].v, vec3_cross(coulomb->rate[body].w, meeting->arm[k])),
                            vec3_cross(world->velocity[body].w, meeting->arm_rate[k]));
        }
        double *q = contacting->problem.q + 3 * i;
        contacting_rows(contacting, i, vec3_sub(a[0], a[1]), q);
        q[0] += vec3_dot(meeting->normal_rate, meeting->slip);
    }
}

/* A group of closed contacts under the free accelerations in `rate`, with the modes that they have. */
static void contacting_accelerations(Contacting *contacting, const Coulomb *coulomb, const World *world, int group,
                                     ModesAnswer *modes)
{
    int first = group > 0 ? coulomb->group_end[group - 1] : 0;
    contacting_begin(contacting, coulomb, world, coulomb->closed + first, coulomb->group_end[group] - first);
    contacting_pull(contacting, coulomb, world);
    for (int i = 0; i < contacting->count; i++) {
        int law = contacting->law[i];
        modes->mode[i] = coulomb->state[law] == MEET_STICKS   ? MODE_STICK
                         : coulomb->state[law] == MEET_SLIDES ? MODE_SLIDE
                                                              : MODE_OPEN;
        if (coulomb->state[law] == MEET_SLIDES)
            contacting_slide(contacting, i, coulomb->slip[law], coulomb_slow_slip(world));
        memcpy(modes->slip[i], contacting->problem.slip[i], sizeof modes->slip[i]);
    }
}

Vec3 contacting_force(const Contacting *contacting, const ModesAnswer *answer, int i)
{
    Vec3 force = VEC3_ZERO;
    for (int k = 0; k < 3; k++)
        force = vec3_add_scaled(force, answer->r[3 * i + k], contacting->axis[i][k]);
    return force;
}

/* M^-1 J^T r of all of them, onto accelerations or velocities. */
static void contacting_apply(const Contacting *contacting, const Coulomb *coulomb, const World *world,
                             const ModesAnswer *answer, Velocity *onto)
{
    for (int i = 0; i < contacting->count; i++)
        for (int k = 0; k < 2; k++) {
            int body = coulomb->meets.laws[contacting->law[i]].body[k];
            Vec3 force = vec3_scale(k ? -1.0 : 1.0, contacting_force(contacting, answer, i));
            if (world_is_fixed(world, body))
                continue;
            onto[body].v = vec3_add_scaled(onto[body].v, world->mass[body].inv_mass, force);
            onto[body].w = vec3_add(
                onto[body].w, world_inv_inertia_mul(world, body, vec3_cross(contacting->meeting[i].arm[k], force)));
        }
}

static void coulomb_free_accelerations(Coulomb *coulomb, const World *world)
{
    for (int i = 0; i < world->body_count; i++)
        coulomb->rate[i] = world_is_fixed(world, i) ? (Velocity){0} : motion_acceleration(&coulomb->motion, world, i);
}

bool coulomb_accelerate(Coulomb *coulomb, const World *world)
{
    bool ok = true;
    coulomb_free_accelerations(coulomb, world);
    for (int g = 0; g < coulomb->group_count; g++) {
        Contacting *contacting = &coulomb->contacting[g];
        ModesAnswer *answer = &coulomb->answer[g];
        contacting_accelerations(contacting, coulomb, world, g, answer);
        ok = modes_solve(&contacting->problem, answer) && ok;
        if (ok)
            contacting_apply(contacting, coulomb, world, answer, coulomb->rate);
        for (int i = 0; i < contacting->count; i++)
            coulomb->step->row_solves += answer->mode[i] == MODE_STICK ? 3 : 1;
    }
    return ok;
}

/* Does a body that moves touch by both? */
static bool laws_share(const Coulomb *coulomb, const World *world, int one, int two)
{
    const int *a = coulomb->meets.laws[one].body, *b = coulomb->meets.laws[two].body;
    for (int k = 0; k < 4; k++)
        if (a[k / 2] == b[k % 2] && !world_is_fixed(world, a[k / 2]))
            return true;
    return false;
}

/* Puts the laws of a list group by group, each where it ends; returns how many there are, 0 if one is too large. */
static int coulomb_group(Coulomb *coulomb, const World *world, int *list, int count, int *ends)
{
    int groups = 0;
    for (int first = 0, end = 0; first < count; first = end) {
        end = first + 1;
        for (int member = first; member < end; member++)
            for (int i = end; i < count; i++)
                if (laws_share(coulomb, world, list[member], list[i])) {
                    int law = list[i];
                    memmove(list + end + 1, list + end, sizeof *list * (size_t)(i - end));
                    list[end++] = law;
                }
        _Static_assert(MODES_MAX == 8 && COULOMB_TOUCHING == 64, "the messages say so");
        if (end - first > MODES_MAX) {
            coulomb_refuse(coulomb, "more than 8 points of bodies that hang together touch at one instant");
            return 0;
        }
        ends[groups++] = end;
    }
    return groups;
}

/* The velocity of a group's contacts becomes zero in all rows that their states hold. */
static void coulomb_project_velocities(Coulomb *coulomb, World *world, int group)
{
    Contacting contacting;
    ModesAnswer hold = {0};
    int first = group > 0 ? coulomb->group_end[group - 1] : 0;
    contacting_begin(&contacting, coulomb, world, coulomb->closed + first, coulomb->group_end[group] - first);
    for (int i = 0; i < contacting.count; i++) {
        hold.mode[i] = coulomb->state[contacting.law[i]] == MEET_STICKS ? MODE_STICK : MODE_SLIDE;
        contacting_rows(&contacting, i, contacting.meeting[i].slip, contacting.problem.q + 3 * i);
    }
    modes_cancel(&contacting.problem, &hold);
    contacting_apply(&contacting, coulomb, world, &hold, world->velocity);
}

/* The gaps of the listed contacts become zero by the least motion. */
static void coulomb_close(Coulomb *coulomb, World *world, const int *laws, int count)
{
    for (int twice = 0; twice < 2; twice++) {
        Contacting contacting;
        ModesAnswer shift = {0};
        contacting_begin(&contacting, coulomb, world, laws, count);
        for (int i = 0; i < count; i++) {
            shift.mode[i] = MODE_SLIDE;
            contacting.problem.q[3 * i] = contacting.meeting[i].gap;
        }
        modes_cancel(&contacting.problem, &shift);
        memset(coulomb->rate, 0, sizeof *coulomb->rate * (size_t)world->body_count);
        contacting_apply(&contacting, coulomb, world, &shift, coulomb->rate);
        for (int i = 1; i < world->body_count; i++)
            if (!world_is_fixed(world, i)) {
                world->pose[i].x = vec3_add(world->pose[i].x, coulomb->rate[i].v);
                world->pose[i].q = quat_nudge_world(world->pose[i].q, coulomb->rate[i].w);
            }
    }
}

void coulomb_project(Coulomb *coulomb, World *world)
{
    for (int g = 0, first = 0; g < coulomb->group_count; first = coulomb->group_end[g++]) {
        coulomb_close(coulomb, world, coulomb->closed + first, coulomb->group_end[g] - first);
        coulomb_project_velocities(coulomb, world, g);
    }
}

/* All that touches; false: more than can be enumerated, or a whole face. */
static bool coulomb_find_touching(Coulomb *coulomb, const World *world, int *touching, int *count)
{
    *count = 0;
    for (int law = 0; law < coulomb->meets.count; law++) {
        if (coulomb_is_off(coulomb, world, law))
            continue;
        Meeting meeting = coulomb_meeting(coulomb, world, law);
        if (meeting.beside || !(fabs(meeting.gap) <= coulomb_touch_slack(coulomb, world)))
            continue;
        if (meeting.flat) {
            coulomb_refuse(coulomb, "a whole rim lies on its plane, and no law says how it carries its load");
            return false;
        }
        if (*count == COULOMB_TOUCHING) {
            coulomb_refuse(coulomb, "more than 64 points touch at one instant");
            return false;
        }
        touching[(*count)++] = law;
    }
    return true;
}

/* The impact of one point by Poisson's law or Routh's, after its compression. False: Routh's is not for it. */
static bool coulomb_restitute(const Coulomb *coulomb, const Contacting *contacting, double restitution,
                              ModesAnswer *answer)
{
    ImpactPoint point = {.friction = contacting->problem.friction[0], .restitution = restitution};
    for (int i = 0; i < 3; i++) {
        memcpy(point.W[i], contacting->problem.W[i], sizeof point.W[i]);
        point.q[i] = contacting->problem.q[i];
    }
    if (coulomb->impact_law == IMPACT_ROUTH)
        return impact_law_routh(&point, answer->r);
    answer->r[0] *= 1.0 + restitution;
    impact_law_rub(&point, answer->r);
    return true;
}

/* Impacts of the listed contacts at once: u_n+ + e u_n- for w_n. */
static ModesCount coulomb_strike(Coulomb *coulomb, World *world, const int *laws, int count, bool bounces, bool counts)
{
    Contacting contacting;
    ModesAnswer answer;
    bool newton = coulomb->impact_law == IMPACT_NEWTON;
    contacting_begin(&contacting, coulomb, world, laws, count);
    for (int i = 0; i < count; i++) {
        double *q = contacting.problem.q + 3 * i;
        contacting_rows(&contacting, i, contacting.meeting[i].slip, q);
        if (bounces && newton && q[0] < 0.0)
            q[0] *= 1.0 + coulomb->restitution[laws[i]];
        if (contacting.problem.friction[i] == 0.0)
            contacting_slide(&contacting, i, contacting.axis[i][1], INFINITY);
    }
    ModesCount found = modes_find(&contacting.problem, &answer, &coulomb->step->row_solves);
    if (found == MODES_NONE)
        return found;
    if (!newton && (count > 1 ||
                    !coulomb_restitute(coulomb, &contacting, bounces ? coulomb->restitution[laws[0]] : 0.0, &answer))) {
        coulomb_refuse(coulomb, "Poisson's law is for impacts of one point, Routh's for those in a plane");
        return MODES_NONE;
    }
    contacting_apply(&contacting, coulomb, world, &answer, world->velocity);
    for (int i = 0; i < count && counts; i++)
        coulomb->impulse[laws[i]] = vec3_add(coulomb->impulse[laws[i]], contacting_force(&contacting, &answer, i));
    return found;
}

/* Slower impacts do not bounce, m/s. */
static double coulomb_slowest_bounce(const Coulomb *coulomb, const World *world)
{
    return IMPACT_REST * sqrt(coulomb->looseness) * world_pace(world);
}

typedef enum StrikeOrder { FASTEST_FIRST, SLOWEST_FIRST, ALL_AT_ONCE } StrikeOrder;

/* Strikes until nothing approaches. `counts`: their impulses are kept. */
static ModesCount coulomb_play(Coulomb *coulomb, World *world, const int *touching, int count, StrikeOrder order,
                               bool counts, int *strikes)
{
    double rest = coulomb_rest_speed(coulomb, world), bounce = coulomb_slowest_bounce(coulomb, world);
    ModesCount worst = MODES_ONE;
    for (*strikes = 0; *strikes < MAX_IMPACTS; ++*strikes) {
        int chosen = -1, together[MODES_MAX], size = 0;
        double speed = 0.0;
        for (int i = 0; i < count; i++) {
            Meeting meeting = coulomb_meeting(coulomb, world, touching[i]);
            double closing = -meeting_opening(&meeting);
            bool first = chosen < 0 || (order == SLOWEST_FIRST ? closing < speed : closing > speed);
            if (closing > rest && first) {
                chosen = touching[i];
                speed = closing;
            }
        }
        if (chosen < 0)
            return worst;
        for (int i = 0; i < count; i++)
            if (order == ALL_AT_ONCE || same_pair(coulomb, chosen, touching[i]))
                together[size++] = touching[i];
        ModesCount found = coulomb_strike(coulomb, world, together, size, speed > bounce, counts);
        if (found == MODES_NONE)
            return found;
        worst = found == MODES_MANY ? found : worst;
    }
    return MODES_NONE;
}

static double coulomb_apart(const World *world, const Velocity *a, const Velocity *b)
{
    double most = 0.0;
    for (int i = 1; i < world->body_count; i++) {
        most = fmax(most, vec3_norm(vec3_sub(a[i].v, b[i].v)));
        most = fmax(most, world->length_scale * vec3_norm(vec3_sub(a[i].w, b[i].w)));
    }
    return most;
}

/* Would impacts of several pairs end otherwise in another order, or all at once? */
static bool coulomb_orders_agree(Coulomb *coulomb, World *world, const int *touching, int count)
{
    size_t bytes = sizeof *world->velocity * (size_t)world->body_count;
    bool pairs = false, agree = true;
    for (int i = 1; i < count; i++)
        pairs = pairs || !same_pair(coulomb, touching[0], touching[i]);
    if (!pairs)
        return true;
    double same = SAME_OUTCOME * fmax(world_max_speed(world), coulomb_rest_speed(coulomb, world));
    memcpy(coulomb->before, world->velocity, bytes);
    for (int order = FASTEST_FIRST; order <= ALL_AT_ONCE; order++) {
        int strikes;
        memcpy(world->velocity, coulomb->before, bytes);
        if (coulomb_play(coulomb, world, touching, count, order, false, &strikes) != MODES_ONE)
            agree = false;
        if (order == FASTEST_FIRST)
            memcpy(coulomb->rate, world->velocity, bytes);
        else
            agree = agree && coulomb_apart(world, coulomb->rate, world->velocity) <= same;
    }
    memcpy(world->velocity, coulomb->before, bytes);
    return agree;
}

/* False: the step has failed. *leaves: a contact that then opens more slowly stays closed, m/s: after slow impacts what
 * is left of a sequence ends. */
static bool coulomb_bounce(Coulomb *coulomb, World *world, const int *touching, int count, double t, double *leaves)
{
    int strikes;
    double closing = 0.0;
    *leaves = coulomb_rest_speed(coulomb, world);
    for (int i = 0; i < count; i++) {
        Meeting meeting = coulomb_meeting(coulomb, world, touching[i]);
        closing = fmax(closing, -meeting_opening(&meeting));
    }
    if (closing <= *leaves)
        return true;
    if (closing <= coulomb_slowest_bounce(coulomb, world))
        *leaves = coulomb_slowest_bounce(coulomb, world);
    if (coulomb->looseness == 1.0 && !coulomb_orders_agree(coulomb, world, touching, count))
        step_report(coulomb->step, IMPACTS_NOT_UNIQUE);
    ModesCount found = coulomb_play(coulomb, world, touching, count, FASTEST_FIRST, true, &strikes);
    coulomb->evaluations += strikes;
    if (found == MODES_NONE && !coulomb->step->failed)
        step_fail(coulomb->step, "the motion is not known: no impulse obeys Coulomb's law %.9g s into this substep", t);
    else if (found == MODES_MANY)
        step_report(coulomb->step, COULOMB_NOT_UNIQUE);
    return found != MODES_NONE;
}

/* Those that touch and do not open are closed; slips that are none stick, until the modes say more. */
static void coulomb_list_closed(Coulomb *coulomb, World *world, const int *touching, int count, double leaves)
{
    double rest = coulomb_rest_speed(coulomb, world);
    for (int i = 0; i < count; i++) {
        Meeting meeting = coulomb_meeting(coulomb, world, touching[i]);
        Vec3 slip = meeting_slip(&meeting);
        if (meeting_opening(&meeting) > leaves)
            continue;
        coulomb->closed[coulomb->closed_count++] = touching[i];
        coulomb->state[touching[i]] =
            vec3_norm(slip) > rest || coulomb->friction[touching[i]] == 0.0 ? MEET_SLIDES : MEET_STICKS;
        coulomb->slip[touching[i]] = vec3_unit_or_zero(slip);
    }
}

/* The modes of a group of closed contacts. */
static bool coulomb_choose(Coulomb *coulomb, const World *world, double t, int group)
{
    Contacting *contacting = &coulomb->contacting[group];
    ModesAnswer answer = {0};
    contacting_accelerations(contacting, coulomb, world, group, &answer);
    ModesCount found = modes_find(&contacting->problem, &answer, &coulomb->step->row_solves);
    if (found == MODES_NONE) {
        step_fail(coulomb->step,
                  "the motion is not known: no accelerations obey Coulomb's law %.9g s into this substep (Painleve)",
                  t);
        return false;
    }
    if (found == MODES_MANY)
        step_report(coulomb->step, COULOMB_NOT_UNIQUE);
    double most = 0.0;
    for (int i = 0; i < 3 * contacting->count; i++)
        most = fmax(most, fabs(contacting->problem.q[i]));
    for (int i = 0; i < contacting->count; i++) {
        int law = contacting->law[i];
        bool idle = answer.w[3 * i] <= REST_SLACK * most;
        coulomb->state[law] = answer.mode[i] == MODE_STICK   ? MEET_STICKS
                              : answer.mode[i] == MODE_SLIDE ? MEET_SLIDES
                              : idle                         ? MEET_IDLE
                                                             : MEET_FREE;
        for (int k = 0; k < 2 && answer.mode[i] == MODE_SLIDE && !contacting->problem.slides[i]; k++)
            coulomb->slip[law] =
                vec3_add(k ? coulomb->slip[law] : VEC3_ZERO, vec3_scale(answer.slip[i][k], contacting->axis[i][1 + k]));
    }
    return true;
}

/* Groups of what is closed. */
static bool coulomb_regroup(Coulomb *coulomb, const World *world)
{
    int kept = 0;
    for (int i = 0; i < coulomb->closed_count; i++)
        if (coulomb->state[coulomb->closed[i]] != MEET_FREE)
            coulomb->closed[kept++] = coulomb->closed[i];
    coulomb->closed_count = kept;
    coulomb->group_count = coulomb_group(coulomb, world, coulomb->closed, kept, coulomb->group_end);
    return kept == 0 || coulomb->group_count > 0;
}

bool coulomb_switch(Coulomb *coulomb, double t)
{
    World *world = coulomb->step->world;
    int touching[COULOMB_TOUCHING] = {0}, ends[COULOMB_TOUCHING], count;
    if (!coulomb_find_touching(coulomb, world, touching, &count))
        return false;
    for (int law = 0; law < coulomb->meets.count; law++)
        coulomb->state[law] = MEET_FREE;
    coulomb->closed_count = coulomb->group_count = 0;
    int groups = coulomb_group(coulomb, world, touching, count, ends);
    bool ok = count == 0 || groups > 0;
    for (int g = 0, first = 0; ok && g < groups; first = ends[g++]) {
        double leaves;
        coulomb_close(coulomb, world, touching + first, ends[g] - first);
        ok = coulomb_bounce(coulomb, world, touching + first, ends[g] - first, t, &leaves);
        coulomb_list_closed(coulomb, world, touching + first, ends[g] - first, leaves);
    }
    ok = ok && coulomb_regroup(coulomb, world);
    for (int g = 0; ok && g < coulomb->group_count; g++)
        coulomb_project_velocities(coulomb, world, g);
    coulomb_free_accelerations(coulomb, world);
    for (int g = 0; ok && g < coulomb->group_count; g++)
        ok = coulomb_choose(coulomb, world, t, g);
    return ok && coulomb_regroup(coulomb, world);
}
