#include "solvers/rows/contact_points.h"

#include "model/cache.h"
#include "solvers/four.h"
#include "solvers/rows/quad_lanes.h"

#include <stddef.h>
#include <string.h>

/* Length scales a second; a slower slip has no direction but round-off's. */
static const double SLIP_NONE = 1e-9;
/* A determinant below this share of the diagonal's product is round-off: the tangents move as one. */
static const double TANGENTS_DEPENDENT = 1e-12;

/* Points side by side; lanes beyond `count` repeat the last point and are stored nowhere. */
typedef struct FourPoints {
    FourVec3 u[BLOCK_MAX_ROWS];             /* n, t1, t2 */
    FourVec3 centre[2];                     /* of the bodies, where the setup has its levers */
    FourVec3 at;                            /* where forces act */
    Wide C, bounce;                         /* of the normals */
    Wide A[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS]; /* J M^-1 J^T, with the normal's softness; the lower triangle */
    Wide stop[3];                           /* the inverse of the tangents' part of A, as 11, 12, 22 */
    Wide lambda[BLOCK_MAX_ROWS];            /* from here on as in a ContactRow, number by number */
    PointLanes lanes;
    int count, body[2][FOUR];
    const PointPlace *place[FOUR];
    const Block *block[FOUR];
} FourPoints;

enum { STORED = (sizeof(PointLanes) + BLOCK_MAX_ROWS * sizeof(Wide)) / sizeof(Wide) };

_Static_assert(sizeof(ContactRow) - offsetof(ContactRow, lambda) == STORED * sizeof(double), "all of a row's numbers");

/* One number of each point's block. */
#define OF_BLOCKS(points, field)                                                                                       \
    ((Wide){(points)->block[0]->field, (points)->block[1]->field, (points)->block[2]->field, (points)->block[3]->field})

WIDE_INLINE void points_begin(FourPoints *points, const World *world, const Pose *pose, const PointPlace *places,
                              int count)
{
    points->count = count < FOUR ? count : FOUR;
    for (int i = 0; i < FOUR; i++) {
        points->place[i] = &places[i < points->count ? i : points->count - 1];
        points->block[i] = &world->blocks[points->place[i]->block];
        for (int k = 0; k < 2; k++)
            points->body[k][i] = points->block[i]->body[k];
    }
    four_gather_three((const double *[]){&points->place[0]->frame->n.x, &points->place[1]->frame->n.x,
                                         &points->place[2]->frame->n.x, &points->place[3]->frame->n.x},
                      points->u);
    for (int k = 0; k < 2; k++)
        points->centre[k] = four_gather_centres(pose, points->body[k]);
}

/* The surface points over core points: none of them belongs to a cylinder's round side. */
WIDE_INLINE FourVec3 surfaces(FourVec3 core, Wide radius, FourVec3 u)
{
    return four_choose_vec3(radius == 0.0, core, four_add_scaled(core, radius, u));
}

/* Where the force acts, and the gap n.(p2 - p1), as contact_frame has them, of points whose levers are where the bodies
 * are now. */
WIDE_INLINE void points_place(FourPoints *points, const World *world)
{
    FourVec3 anchor[2], p[2], n = points->u[0];
    four_gather_two((const double *[]){&points->block[0]->anchor[0].x, &points->block[1]->anchor[0].x,
                                       &points->block[2]->anchor[0].x, &points->block[3]->anchor[0].x},
                    anchor);
    for (int k = 0; k < 2; k++)
        p[k] = four_add(points->centre[k], four_rotate(four_gather_turns(world->pose, points->body[k]), anchor[k]));
    p[0] = surfaces(p[0], OF_BLOCKS(points, radius[0]), n);
    p[1] = surfaces(p[1], OF_BLOCKS(points, radius[1]), four_negate(n));
    points->at = four_choose_vec3(OF_BLOCKS(points, carrier) == (double)NORMAL_ON_1, p[1], p[0]);
    points->C = four_dot(n, four_sub(p[1], p[0]));
}

/* The same of a point that has a frame of its own; its gap is that of the poses now. */
WIDE_INLINE void point_take_frame(FourPoints *points, const World *world, int i, const RowSetup *setup)
{
    const ContactFrame *f = points->place[i]->frame;
    ContactFrame now;
    points->at.x[i] = f->at.x;
    points->at.y[i] = f->at.y;
    points->at.z[i] = f->at.z;
    if (setup->levers)
        now = contact_frame(world, points->block[i]);
    points->C[i] = setup->levers ? vec3_dot(f->n, vec3_sub(now.p2, now.p1)) : vec3_dot(f->n, vec3_sub(f->p2, f->p1));
}

/* Turns the tangents so that the first lies on the slip; without slip they stay. */
WIDE_INLINE void point_align_tangents(FourPoints *points, const World *world, int i, const Pose *pose)
{
    const ContactFrame *f = points->place[i]->frame;
    int one = points->body[0][i], two = points->body[1][i];
    Vec3 at = vec3(points->at.x[i], points->at.y[i], points->at.z[i]);
    Vec3 v = vec3_sub(world_point_velocity(world, two, vec3_sub(at, pose[two].x)),
                      world_point_velocity(world, one, vec3_sub(at, pose[one].x)));
    Vec3 slip = vec3_add_scaled(v, -vec3_dot(v, f->n), f->n);
    double size = vec3_norm(slip);
    if (!(size > SLIP_NONE * world->length_scale))
        return;
    Vec3 t[2] = {vec3_scale(1.0 / size, slip)};
    t[1] = vec3_cross(f->n, t[0]);
    for (int k = 0; k < 2; k++) {
        points->u[1 + k].x[i] = t[k].x;
        points->u[1 + k].y[i] = t[k].y;
        points->u[1 + k].z[i] = t[k].z;
    }
}

/* The parts of a packed row, which holds five vectors: J is (row 0, row 1, -row 0, row 2), I^-1 times its angular parts
 * are rows 3 and 4. */
WIDE_INLINE FourVec3 row_part(const PointLanes *lanes, int row, int part)
{
    const Wide *x = &lanes->row[row][3 * part];
    return (FourVec3){x[0], x[1], x[2]};
}

WIDE_INLINE void row_set_part(PointLanes *lanes, int row, int part, FourVec3 a)
{
    Wide *x = &lanes->row[row][3 * part];
    x[0] = a.x;
    x[1] = a.y;
    x[2] = a.z;
}

/* J and I^-1 J^T of the rows u.(velocity at the point of body 2 - that of body 1). */
WIDE_INLINE void points_set_rows(FourPoints *points, const RowSystem *system)
{
    PointLanes *lanes = &points->lanes;
    for (int r = 0; r < BLOCK_MAX_ROWS; r++)
        row_set_part(lanes, r, 0, four_negate(points->u[r]));
    for (int k = 0; k < 2; k++) {
        const int *body = points->body[k];
        const Mat3 *I = system->inv_inertia;
        FourVec3 inertia[3], arm = four_sub(points->at, points->centre[k]);
        four_gather_three((const double *[]){I[body[0]].m[0], I[body[1]].m[0], I[body[2]].m[0], I[body[3]].m[0]},
                          inertia);
        for (int r = 0; r < BLOCK_MAX_ROWS; r++) {
            FourVec3 turn = four_cross(arm, points->u[r]);
            if (k == 0)
                turn = four_negate(turn);
            row_set_part(lanes, r, 1 + k, turn);
            row_set_part(
                lanes, r, 3 + k,
                (FourVec3){four_dot(inertia[0], turn), four_dot(inertia[1], turn), four_dot(inertia[2], turn)});
        }
    }
}

/* sum + a.b, one product after the other */
WIDE_INLINE Wide add_products(Wide sum, FourVec3 a, FourVec3 b)
{
    return ((sum + a.x * b.x) + a.y * b.y) + a.z * b.z;
}

/* A_rs = J_r M^-1 J_s^T, summed over the columns in order as columns_product has it. */
WIDE_INLINE Wide points_couple(const FourPoints *points, int r, int s)
{
    const PointLanes *lanes = &points->lanes;
    FourVec3 u = points->u[r], v = points->u[s];
    Wide sum = add_products(wide_all(0.0), u, four_scale(lanes->inv_mass[0], v));
    sum = add_products(sum, row_part(lanes, r, 1), row_part(lanes, s, 3));
    sum = add_products(sum, u, four_scale(lanes->inv_mass[1], v));
    return add_products(sum, row_part(lanes, r, 2), row_part(lanes, s, 4));
}

WIDE_INLINE void points_set_masses(FourPoints *points, const World *world)
{
    for (int k = 0; k < 2; k++) {
        const int *body = points->body[k];
        const Mass *mass = world->mass;
        points->lanes.inv_mass[k] =
            (Wide){mass[body[0]].inv_mass, mass[body[1]].inv_mass, mass[body[2]].inv_mass, mass[body[3]].inv_mass};
    }
    for (int r = 0; r < BLOCK_MAX_ROWS; r++)
        for (int s = 0; s <= r; s++)
            points->A[r][s] = points_couple(points, r, s);
}

/* J V of the normals. */
WIDE_INLINE Wide points_approach(const FourPoints *points, const Velocity *velocity)
{
    Wide sum = wide_all(0.0);
    for (int k = 0; k < 2; k++) {
        FourVelocity V = four_gather_velocities(velocity, points->body[k]);
        FourVec3 u = k == 0 ? row_part(&points->lanes, 0, 0) : points->u[0];
        sum += four_dot(u, V.v) + four_dot(row_part(&points->lanes, 0, 1 + k), V.w);
    }
    return sum;
}

/* e v_n- where a normal is hit. */
WIDE_INLINE Wide points_bounce(const FourPoints *points, const World *world, const RowSetup *setup)
{
    Wide none = wide_all(0.0), e = OF_BLOCKS(points, restitution);
    if (four_all(e == 0.0))
        return none;
    Wide before = points_approach(points, world->velocity_before);
    WideMask hits = points->C + setup->h * points_approach(points, world->velocity) <= 0.0;
    return four_choose(hits & (before < -setup->restitution_threshold) & (e != 0.0), e * before, none);
}

WIDE_INLINE Wide normal_bias(Wide C, Wide bounce, const RowSetup *setup, Wide rate)
{
    Wide over = C + setup->slop, most = wide_all(-setup->push_speed);
    Wide back = rate * four_choose(over < 0.0, over, wide_all(0.0)), bias = four_choose(back > most, back, most);
    bias = four_choose(C > 0.0, C / setup->h, bias);
    return four_choose((bounce < 0.0) & (bounce < bias), bounce, bias);
}

static double soft_rate(const SoftRows *soft, const RowSetup *setup)
{
    return soft->share > 0.0 ? soft->rate : setup->rate;
}

double contact_normal_bias(double C, double bounce, const RowSetup *setup, const SoftRows *soft)
{
    return normal_bias(wide_all(C), wide_all(bounce), setup, wide_all(soft_rate(soft, setup)))[0];
}

/* The step of a row; one that moves nothing has none. */
WIDE_INLINE Wide inverse_or_zero(Wide a)
{
    return four_choose(a > 0.0, 1.0 / a, wide_all(0.0));
}

/* What the normals are solved with. */
WIDE_INLINE void points_set_normals(FourPoints *points, const World *world, const RowSetup *setup)
{
    PointLanes *lanes = &points->lanes;
    const SoftRows *ground = &setup->soft_ground, *moving = &setup->soft_contact;
    WideMask grounded = (lanes->inv_mass[0] == 0.0) | (lanes->inv_mass[1] == 0.0);
    Wide share = four_choose(grounded, wide_all(ground->share), wide_all(moving->share));
    Wide rate = four_choose(grounded, wide_all(soft_rate(ground, setup)), wide_all(soft_rate(moving, setup)));
    points->bounce = points_bounce(points, world, setup);
    lanes->bias = normal_bias(points->C, points->bounce, setup, rate);
    lanes->soft = four_choose((points->C <= 0.0) & (points->bounce == 0.0), share * points->A[0][0], wide_all(0.0));
    lanes->A = points->A[0][0] += lanes->soft;
    lanes->step = inverse_or_zero(lanes->A);
}

/* A step for which lambda - step r contracts: below the inverse of the tangents' largest eigenvalue. */
WIDE_INLINE Wide slide_steps(Wide a, Wide b, Wide c)
{
    Wide mean = 0.5 * (a + c), half = 0.5 * (a - c);
    return inverse_or_zero(mean + four_sqrt(half * half + b * b));
}

/* Whether a sweep stops both tangents of a point at once, if it can. */
static bool stops_at_once(FrictionModel friction)
{
    return friction == FRICTION_CONE || friction == FRICTION_FACETS;
}

/* What the tangents are solved with. Where their 2 x 2 part of A has no inverse they stop by the slide step. */
WIDE_INLINE void points_set_tangents(FourPoints *points, const RowSetup *setup)
{
    PointLanes *lanes = &points->lanes;
    Wide a = points->A[1][1], b = points->A[2][1], c = points->A[2][2], none = wide_all(0.0);
    lanes->bound = OF_BLOCKS(points, friction);
    lanes->coupling[0] = points->A[1][0];
    lanes->coupling[1] = points->A[2][0];
    lanes->slide_step = four_choose(lanes->bound > 0.0, slide_steps(a, b, c), none);
    if (stops_at_once(setup->friction) || !setup->sweeps_only) {
        Wide determinant = a * c - b * b;
        WideMask regular = determinant > TANGENTS_DEPENDENT * a * c;
        points->stop[0] = four_choose(regular, c / determinant, lanes->slide_step);
        points->stop[1] = four_choose(regular, -b / determinant, none);
        points->stop[2] = four_choose(regular, a / determinant, lanes->slide_step);
    }
    bool cone = stops_at_once(setup->friction), disc = setup->friction == FRICTION_DISC; /* steps by slide_step alone */
    lanes->tangent[0] = disc ? none : cone ? points->stop[0] : inverse_or_zero(a);
    lanes->tangent[1] = disc ? none : cone ? points->stop[1] : b;
    lanes->tangent[2] = disc ? none : cone ? points->stop[2] : inverse_or_zero(c);
}

/* The cached impulse is a vector on body 2, in two parts: that of the normal and that of the friction after it. */
WIDE_INLINE void points_warm_start(FourPoints *points, const World *world, double keep)
{
    Wide none = wide_all(0.0);
    for (int r = 0; r < BLOCK_MAX_ROWS; r++)
        points->lambda[r] = none;
    if (!(keep > 0.0))
        return;
    FourVec3 part[2];
    const PointPlace *const *place = points->place;
    const Vec3 *impulse = world->block_impulse;
    four_gather_two((const double *[]){&impulse[place[0]->block].x, &impulse[place[1]->block].x,
                                       &impulse[place[2]->block].x, &impulse[place[3]->block].x},
                    part);
    FourVec3 given = four_scale(wide_all(keep), four_add(part[0], part[1]));
    WideMask rubs = points->lanes.bound > 0.0;
    for (int r = 0; r < BLOCK_MAX_ROWS; r++) {
        Wide along = four_dot(given, points->u[r]);
        WideMask carries = along > 0.0;
        points->lambda[r] = four_choose(r == 0 ? carries : rubs, along, none);
    }
}

/* r = J V + bias + s lambda of each row, squared, as row_times_velocity sums it. */
WIDE_INLINE void points_square_b(const FourPoints *points, const World *world, Wide b2[BLOCK_MAX_ROWS])
{
    const PointLanes *lanes = &points->lanes;
    FourVelocity one = four_gather_velocities(world->velocity, points->body[0]);
    FourVelocity two = four_gather_velocities(world->velocity, points->body[1]);
    for (int r = 0; r < BLOCK_MAX_ROWS; r++) {
        FourVec3 J1 = row_part(lanes, r, 0), J2 = row_part(lanes, r, 1), J3 = points->u[r], J4 = row_part(lanes, r, 2);
        Wide even =
            ((J1.x * one.v.x + J3.x * two.v.x) + (J1.z * one.v.z + J3.z * two.v.z)) + (J2.y * one.w.y + J4.y * two.w.y);
        Wide odd =
            ((J1.y * one.v.y + J3.y * two.v.y) + (J2.x * one.w.x + J4.x * two.w.x)) + (J2.z * one.w.z + J4.z * two.w.z);
        Wide rate = even + odd;
        if (r == 0)
            rate += lanes->bias + lanes->soft * points->lambda[0];
        b2[r] = rate * rate;
    }
}

/* A row's block, for those who look at J and A; its packed form is there already. */
WIDE_INLINE void point_unfold(RowSystem *system, const ContactRow *row, const FourPoints *points, int i)
{
    const Block *block = points->block[i];
    RowBlock *rb = &system->blocks[row->block];
    rb->kind = (RowKind)row->kind;
    rb->lambda = system->contacts[points->place[i]->at].lambda;
    rb->B = system->B[row->block];
    rb->count = row->count;
    rb->mu = block->friction;
    rb->restitution = block->restitution;
    rb->slides_with_patch = row->slides_with_patch;
    rb->is_soft = false;
    rb->metres = 1.0;
    for (int k = 0; k < 2; k++)
        rb->fixed[k] = row->fixed >> k & 1;
    system->blocks[row->block + 1].count = 0;
    system->blocks[row->block + 1].lambda = NULL;
    if (row->count == 0)
        return;
    memcpy(rb->body, row->body, sizeof row->body);
    for (int r = 0; r < BLOCK_MAX_ROWS; r++) {
        const double *p = row->row[r];
        for (int c = 0; c < 3; c++) {
            rb->J[r][c] = p[c];
            rb->J[r][3 + c] = p[3 + c];
            rb->J[r][6 + c] = -p[c];
            rb->J[r][9 + c] = p[6 + c];
            rb->B[r][c] = row->inv_mass[0] * p[c];
            rb->B[r][3 + c] = p[9 + c];
            rb->B[r][6 + c] = row->inv_mass[1] * -p[c];
            rb->B[r][9 + c] = p[12 + c];
        }
        for (int s = 0; s <= r; s++)
            rb->A[r][s] = rb->A[s][r] = points->A[r][s][i];
        rb->bias[r] = r == 0 ? row->bias : 0.0;
        rb->soft[r] = r == 0 ? row->soft : 0.0;
        rb->C[r] = r == 0 ? points->C[i] : 0.0;
        rb->lower[r] = r == 0 ? 0.0 : -INFINITY;
        rb->upper[r] = INFINITY;
        rb->step[r] = rb->A[r][r] > 0.0 ? 1.0 / rb->A[r][r] : 0.0;
    }
    rb->bounce = points->bounce[i];
    rb->slide_step = row->slide_step;
    rb->T[1][1] = points->stop[0][i];
    rb->T[1][2] = rb->T[2][1] = points->stop[1][i];
    rb->T[2][2] = points->stop[2][i];
}

/* What of a packed row is no number of a lane; returns its active rows. */
WIDE_INLINE int row_set_names(RowSystem *system, const FourPoints *points, int i, const RowSetup *setup)
{
    const Block *block = points->block[i];
    int b = points->place[i]->block;
    bool rubs = block->friction > 0.0, off = block->off || (setup->part && !setup->part[b]);
    ContactRow *row = &system->contacts[points->place[i]->at];
    system->packed[b] = points->place[i]->at;
    system->packed[b + 1] = -1;
    row->block = b;
    row->kind = rubs ? ROWS_CONTACT : ROWS_BOUNDED;
    row->count = off ? 0 : rubs ? BLOCK_MAX_ROWS : 1;
    row->group = 0;
    row->follows = false;
    row->slides_with_patch = block->patch_radius > 0.0;
    row->fixed = rows_fixed((const double[]){points->lanes.inv_mass[0][i], points->lanes.inv_mass[1][i]});
    memcpy(row->body, block->body, sizeof row->body);
    return row->count;
}

/* The numbers of all lanes into their rows. */
WIDE_INLINE void points_store(const FourPoints *points, RowSystem *system)
{
    ContactRow nowhere;
    const Wide *from = (const Wide *)((const char *)points + offsetof(FourPoints, lambda));
    double *p[FOUR];
    for (int i = 0; i < FOUR; i++)
        p[i] = (i < points->count ? &system->contacts[points->place[i]->at] : &nowhere)->lambda;
#pragma GCC unroll 16
    for (int c = 0; c < STORED; c += FOUR) {
        int at = c < STORED - FOUR ? c : STORED - FOUR;
        lanes_store((double *[]){p[0] + at, p[1] + at, p[2] + at, p[3] + at}, from + at);
    }
}

/* Up to four of them; returns their active rows. */
WIDE_INLINE int points_prepare(RowSystem *system, const World *world, const RowSetup *setup, const PointPlace *places,
                               int count)
{
    const Pose *pose = setup->levers ? setup->levers : world->pose;
    _Alignas(CACHE_LINE) FourPoints points;
    Wide b2[BLOCK_MAX_ROWS];
    int active = 0;
    for (int i = 0; i < count && i < FOUR; i++)
        cache_expect(&system->contacts[places[i].at], sizeof(ContactRow));
    points_begin(&points, world, pose, places, count);
    points_place(&points, world);
#pragma GCC unroll 1
    for (int i = 0; i < FOUR; i++) {
        if (points.place[i]->placed)
            point_take_frame(&points, world, i, setup);
        if (setup->friction == FRICTION_FACETS)
            point_align_tangents(&points, world, i, pose);
    }
    points_set_rows(&points, system);
    points_set_masses(&points, world);
    points_set_normals(&points, world, setup);
    points_set_tangents(&points, setup);
    points_warm_start(&points, world, setup->keep);
    points_square_b(&points, world, b2);
    points_store(&points, system);
    for (int i = 0; i < points.count; i++) {
        int rows = row_set_names(system, &points, i, setup);
        for (int r = 0; r < BLOCK_MAX_ROWS; r++)
            contact_b2(system, points.place[i]->at)[r] = r < rows ? b2[r][i] : 0.0;
        if (!setup->sweeps_only)
            point_unfold(system, &system->contacts[points.place[i]->at], &points, i);
        active += rows;
    }
    return active;
}

WIDE_VERSIONS int contact_points_prepare(RowSystem *system, const World *world, const RowSetup *setup,
                                         const PointPlace *places, int count)
{
    int active = 0;
    for (int i = 0; i < count; i += FOUR)
        active += points_prepare(system, world, setup, places + i, count - i);
    return active;
}
