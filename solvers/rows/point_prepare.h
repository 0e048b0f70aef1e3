/* SPDX-License-Identifier: MIT */
/* Contact points on their way from blocks to rows, a lane each, of whatever manifolds. Each lane has the bits that the
 * point would have alone. */
#ifndef RIGOR_SOLVERS_ROWS_POINT_PREPARE_H
#define RIGOR_SOLVERS_ROWS_POINT_PREPARE_H

#include "model/cache.h"
#include "model/contact/place.h"
#include "solvers/linear/small.h"
#include "solvers/rows/contact_rows.h"
#include "solvers/rows/point_lanes.h"

/* Length scales a second; a slower slip has no direction but round-off's. */
static const double SLIP_NONE = 1e-9;

/* The world and how its rows are set up. */
typedef struct PointSetup {
    const World *world;
    const Pose *levers; /* where the setup has them */
    const RowSetup *rows;
    const Mat3 *inv_inertia; /* of each body, in the world */
} PointSetup;

typedef struct PointWork {
    /* Of their pairs of bodies: */
    int body[2][LANES];
    BothPose pose; /* where the setup has its levers */
    LanesVec3 inv_inertia[2][3];
    Lanes inv_mass[2];
    LanesVelocity velocity[2];
    /* of their manifolds: */
    Lanes friction, restitution;
    ManifoldSeat manifold;
    /* of the points: */
    int b[LANES];
    const Block *block[LANES];
    LanesVec3 u[BLOCK_MAX_ROWS];             /* n, t1, t2 */
    BothVec3 at;                             /* where forces act on each body */
    Lanes C, bounce;                         /* of the normals */
    Lanes A[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS]; /* J M^-1 J^T, with the normal's softness; the lower triangle */
    Lanes stop[3];                           /* the inverse of the tangents' part of A, as 11, 12, 22 */
    Lanes b2[BLOCK_MAX_ROWS];                /* r = J V + bias + s lambda of each row, squared */
    LanePoint *lanes;                        /* their rows */
} PointWork;

static inline PointSetup point_setup(const RowSystem *system, const World *world, const RowSetup *rows)
{
    return (PointSetup){world, rows->levers ? rows->levers : world->pose, rows, system->inv_inertia};
}

/* All that is known of the bodies in `points->body`. */
LANE_INLINE void points_take_bodies(PointWork *points, const PointSetup *setup)
{
    const Mass *mass = setup->world->mass;
    const Mat3 *I = setup->inv_inertia;
    points->pose = both_gather_poses(setup->levers, (const int *)points->body);
    for (int k = 0; k < 2; k++) {
        const int *body = points->body[k];
        points->velocity[k] = lanes_gather_velocities(setup->world->velocity, body);
        points->inv_mass[k] = lanes_gather_inv_mass(mass, body);
        lanes_gather_three(LANE_ELEMENTS(I, body, m[0][0]), points->inv_inertia[k]);
    }
}

LANE_INLINE void points_take_block(PointWork *points, int i, const World *world, int b)
{
    points->b[i] = b;
    points->block[i] = &world->blocks[b];
}

/* What all points of a manifold have in common, from the blocks of some. */
LANE_INLINE void points_take_manifolds(PointWork *points)
{
    points->manifold = manifold_seat(points->block);
    points->friction = LANE_FIELDS(points->block, friction);
    points->restitution = LANE_FIELDS(points->block, restitution);
}

/* The gap of the poses now along the normal of the levers. */
LANE_INLINE Lanes points_gap_now(const PointWork *points, const PointSeat *seat, const World *world)
{
    BothPose now = both_gather_poses(world->pose, (const int *)points->body);
    return lanes_dot(points->u[0], both_difference(contact_place(world, &points->manifold, seat, &now).p));
}

/* Directions, where the force acts, and the gap n.(p2 - p1). Points of faces have the directions of their manifolds:
 * they stay if `moved_on`. */
LANE_INLINE void points_place(PointWork *points, const PointSetup *setup, const PointSeat *seat, bool moved_on)
{
    const ManifoldSeat *manifold = &points->manifold;
    BothVec3 core = contact_cores(manifold, seat, &points->pose);
    if (!moved_on || manifold->any_along_cores || manifold->any_pinned || manifold->any_rolls) {
        points->u[0] = contact_normal(setup->world, manifold, seat, &points->pose, &core);
        contact_tangents(seat, points->u[0], points->u + 1);
    }
    ContactPlace place = contact_place_along(setup->world, manifold, seat, &points->pose, core, points->u[0]);
    points->at = place.at;
    points->C = setup->rows->levers ? points_gap_now(points, seat, setup->world) : place.C;
}

/* Turns the tangents so that the first lies on the slip; without slip they stay. */
LANE_INLINE void point_align_tangents(PointWork *points, const PointSetup *setup, int i)
{
    const World *world = setup->world;
    const Pose *pose = setup->levers;
    int one = points->body[0][i], two = points->body[1][i];
    Vec3 n = lane_vec3(points->u[0], i), at = lane_vec3(both_get_vec3(points->at, 1), i);
    Vec3 v = vec3_sub(world_point_velocity(world, two, vec3_sub(at, pose[two].x)),
                      world_point_velocity(world, one, vec3_sub(at, pose[one].x)));
    Vec3 slip = vec3_add_scaled(v, -vec3_dot(v, n), n);
    double size = vec3_norm(slip);
    if (!(size > SLIP_NONE * world->length_scale))
        return;
    lane_set_vec3(&points->u[1], i, vec3_scale(1.0 / size, slip));
    lane_set_vec3(&points->u[2], i, vec3_cross(n, vec3_scale(1.0 / size, slip)));
}

/* The parts of a packed row, which holds five vectors: J is (row 0, row 1, -row 0, row 2), I^-1 times its angular parts
 * are rows 3 and 4. */
LANE_INLINE LanesVec3 row_part(const LanePoint *lanes, int row, int part)
{
    const Lanes *x = &lanes->row[row][3 * part];
    return (LanesVec3){x[0], x[1], x[2]};
}

LANE_INLINE void row_set_part(LanePoint *lanes, int row, int part, LanesVec3 a)
{
    Lanes *x = &lanes->row[row][3 * part];
    x[0] = a.x;
    x[1] = a.y;
    x[2] = a.z;
}

/* J and I^-1 J^T of the rows u.(velocity at the point of body 2 - that of body 1). */
LANE_INLINE void points_set_rows(PointWork *points)
{
    LanePoint *lanes = points->lanes;
    for (int r = 0; r < BLOCK_MAX_ROWS; r++)
        row_set_part(lanes, r, 0, lanes_negate(points->u[r]));
    BothVec3 arms = both_sub(points->at, points->pose.x);
    for (int k = 0; k < 2; k++) {
        const LanesVec3 *I = points->inv_inertia[k];
        LanesVec3 arm = both_get_vec3(arms, k);
        lanes->inv_mass[k] = points->inv_mass[k];
        for (int r = 0; r < BLOCK_MAX_ROWS; r++) {
            LanesVec3 turn = lanes_cross(arm, points->u[r]);
            if (k == 0)
                turn = lanes_negate(turn);
            row_set_part(lanes, r, 1 + k, turn);
            row_set_part(lanes, r, 3 + k,
                         (LanesVec3){lanes_dot(I[0], turn), lanes_dot(I[1], turn), lanes_dot(I[2], turn)});
        }
    }
}

/* sum + a.b, one product after the other */
LANE_INLINE Lanes add_products(Lanes sum, LanesVec3 a, LanesVec3 b)
{
    return ((sum + a.x * b.x) + a.y * b.y) + a.z * b.z;
}

/* A_rs = J_r M^-1 J_s^T, summed over the columns in order as columns_product has it. */
LANE_INLINE Lanes points_couple(const PointWork *points, int r, int s)
{
    const LanePoint *lanes = points->lanes;
    LanesVec3 u = points->u[r], v = points->u[s];
    Lanes sum = add_products(lanes_all(0.0), u, lanes_scale(lanes->inv_mass[0], v));
    sum = add_products(sum, row_part(lanes, r, 1), row_part(lanes, s, 3));
    sum = add_products(sum, u, lanes_scale(lanes->inv_mass[1], v));
    return add_products(sum, row_part(lanes, r, 2), row_part(lanes, s, 4));
}

LANE_INLINE void points_couple_rows(PointWork *points)
{
    for (int r = 0; r < BLOCK_MAX_ROWS; r++)
        for (int s = 0; s <= r; s++)
            points->A[r][s] = points_couple(points, r, s);
}

/* J V of the normals. */
LANE_INLINE Lanes points_approach(const PointWork *points, const LanesVelocity V[2])
{
    const LanePoint *lanes = points->lanes;
    Lanes sum = lanes_all(0.0);
    sum += lanes_dot(row_part(lanes, 0, 0), V[0].v) + lanes_dot(row_part(lanes, 0, 1), V[0].w);
    sum += lanes_dot(points->u[0], V[1].v) + lanes_dot(row_part(lanes, 0, 2), V[1].w);
    return sum;
}

/* e v_n- where a normal is hit. */
LANE_INLINE Lanes points_bounce(const PointWork *points, const PointSetup *setup)
{
    Lanes none = lanes_all(0.0), e = points->restitution;
    if (mask_all((LaneMask)(e == 0.0)))
        return none;
    const Velocity *velocity_before = setup->world->velocity_before;
    LanesVelocity earlier[2] = {lanes_gather_velocities(velocity_before, points->body[0]),
                                lanes_gather_velocities(velocity_before, points->body[1])};
    Lanes before = points_approach(points, earlier);
    LaneMask hits = (LaneMask)(points->C + setup->rows->h * points_approach(points, points->velocity) <= 0.0);
    LaneMask fast = (LaneMask)(before < -setup->rows->restitution_threshold) & (LaneMask)(e != 0.0);
    return lanes_choose(hits & fast, e * before, none);
}

/* The bias of a normal row, J V + bias >= 0, of the gap C and the bounce. */
LANE_INLINE Lanes normal_bias(Lanes C, Lanes bounce, const RowSetup *setup, Lanes rate)
{
    Lanes over = C + setup->slop, most = lanes_all(-setup->push_speed);
    Lanes back = rate * lanes_choose((LaneMask)(over < 0.0), over, lanes_all(0.0));
    Lanes bias = lanes_choose((LaneMask)(back > most), back, most);
    bias = lanes_choose((LaneMask)(C > 0.0), C / setup->h, bias);
    return lanes_choose((LaneMask)(bounce < 0.0) & (LaneMask)(bounce < bias), bounce, bias);
}

static inline double soft_rate(const SoftRows *soft, const RowSetup *setup)
{
    return soft->share > 0.0 ? soft->rate : setup->rate;
}

/* What the normals are solved with. */
LANE_INLINE void points_set_normals(PointWork *points, const PointSetup *with)
{
    LanePoint *lanes = points->lanes;
    const RowSetup *setup = with->rows;
    const SoftRows *ground = &setup->soft_ground, *moving = &setup->soft_contact;
    LaneMask grounded = (LaneMask)(lanes->inv_mass[0] == 0.0) | (LaneMask)(lanes->inv_mass[1] == 0.0);
    Lanes share = lanes_choose(grounded, lanes_all(ground->share), lanes_all(moving->share));
    Lanes rate = lanes_choose(grounded, lanes_all(soft_rate(ground, setup)), lanes_all(soft_rate(moving, setup)));
    points->bounce = points_bounce(points, with);
    lanes->bias = normal_bias(points->C, points->bounce, setup, rate);
    LaneMask closed = (LaneMask)(points->C <= 0.0) & (LaneMask)(points->bounce == 0.0);
    lanes->soft = lanes_choose(closed, share * points->A[0][0], lanes_all(0.0));
    lanes->A = points->A[0][0] += lanes->soft;
    lanes->step = lanes_inverse_or_zero(lanes->A);
}

/* What the tangents are solved with. */
LANE_INLINE void points_set_tangents(PointWork *points, const RowSetup *setup)
{
    LanePoint *lanes = points->lanes;
    Lanes a = points->A[1][1], b = points->A[2][1], c = points->A[2][2];
    lanes->bound = points->friction;
    lanes->coupling[0] = points->A[1][0];
    lanes->coupling[1] = points->A[2][0];
    lanes->slide_step = lanes_choose((LaneMask)(lanes->bound > 0.0), law_slide_step(a, b, c), lanes_all(0.0));
    if (law_stops_at_once(setup->friction) || !setup->sweeps_only)
        law_stop(a, b, c, lanes->slide_step, points->stop);
    law_prepare(setup->friction, a, b, c, points->stop, lanes->tangent);
}

/* The cached impulse is a vector on body 2, in two parts: that of the normal and that of the friction after it. */
LANE_INLINE void points_warm_start(PointWork *points, const World *world, double keep)
{
    LanePoint *lanes = points->lanes;
    Lanes none = lanes_all(0.0);
    for (int r = 0; r < BLOCK_MAX_ROWS; r++)
        lanes->lambda[r] = none;
    if (!(keep > 0.0))
        return;
    LanesVec3 part[2];
    const Vec3 *impulse = world->block_impulse;
    lanes_gather_two(LANE_ELEMENTS(impulse, points->b, x), part);
    LanesVec3 given = lanes_scale(lanes_all(keep), lanes_add(part[0], part[1]));
    LaneMask rubs = (LaneMask)(lanes->bound > 0.0);
    for (int r = 0; r < BLOCK_MAX_ROWS; r++) {
        Lanes along = lanes_dot(given, points->u[r]);
        LaneMask carries = (LaneMask)(along > 0.0);
        lanes->lambda[r] = lanes_choose(r == 0 ? carries : rubs, along, none);
    }
}

/* b^2, each sum as row_times_velocity has it. */
LANE_INLINE void points_square_b(PointWork *points)
{
    const LanePoint *lanes = points->lanes;
    LanesVelocity one = points->velocity[0], two = points->velocity[1];
    for (int r = 0; r < BLOCK_MAX_ROWS; r++) {
        LanesVec3 J1 = row_part(lanes, r, 0), J2 = row_part(lanes, r, 1), J3 = points->u[r], J4 = row_part(lanes, r, 2);
        Lanes even =
            ((J1.x * one.v.x + J3.x * two.v.x) + (J1.z * one.v.z + J3.z * two.v.z)) + (J2.y * one.w.y + J4.y * two.w.y);
        Lanes odd =
            ((J1.y * one.v.y + J3.y * two.v.y) + (J2.x * one.w.x + J4.x * two.w.x)) + (J2.z * one.w.z + J4.z * two.w.z);
        Lanes rate = even + odd;
        if (r == 0)
            rate += lanes->bias + lanes->soft * lanes->lambda[0];
        points->b2[r] = rate * rate;
    }
}

/* What each row is divided by, A_ii, as it was at other poses, along the directions of now. */
LANE_INLINE void points_couple_at(PointWork *points, const PointSetup *setup, const PointSeat *seat, const Pose *poses,
                                  Lanes A[BLOCK_MAX_ROWS])
{
    BothPose pose = points->pose;
    BothVec3 at = points->at;
    points->pose = both_gather_poses(poses, (const int *)points->body);
    points->at = contact_place(setup->world, &points->manifold, seat, &points->pose).at;
    points_set_rows(points);
    for (int r = 0; r < BLOCK_MAX_ROWS; r++)
        A[r] = points_couple(points, r, r);
    points->pose = pose;
    points->at = at;
}

/* Everything of points whose bodies, manifolds, blocks and lanes are set. `moved_on`: they are others of the same
 * manifolds. */
LANE_INLINE void points_prepare(PointWork *points, const PointSetup *setup, bool moved_on)
{
    PointSeat seat;
    Lanes A[BLOCK_MAX_ROWS];
    bool masses_apart = setup->rows->point_masses && points->manifold.any_pinned;
    point_seat(points->block, &points->manifold, &seat);
    points_place(points, setup, &seat, moved_on);
    for (int i = 0; i < LANES && law_lies_on_slip(setup->rows->friction); i++)
        point_align_tangents(points, setup, i);
    if (masses_apart)
        points_couple_at(points, setup, &seat, setup->rows->point_masses, A);
    points_set_rows(points);
    points_couple_rows(points);
    for (int r = 0; r < BLOCK_MAX_ROWS && masses_apart; r++)
        points->A[r][r] = A[r];
    points_set_normals(points, setup);
    points_set_tangents(points, setup->rows);
    points_warm_start(points, setup->world, setup->rows->keep);
    points_square_b(points);
}

/* A_ij = J_i B_j of the normals of each manifold. */
LANE_INLINE Lanes normals_couple(const LanePoint *one, const LanePoint *two)
{
    const Lanes *p = one->row[0], *q = two->row[0];
    Lanes sum = lanes_all(0.0);
    for (int c = 0; c < 3; c++)
        sum += p[c] * (two->inv_mass[0] * q[c]);
    for (int c = 0; c < 3; c++)
        sum += p[3 + c] * q[9 + c];
    for (int c = 0; c < 3; c++)
        sum += -p[c] * (two->inv_mass[1] * -q[c]);
    for (int c = 0; c < 3; c++)
        sum += p[6 + c] * q[12 + c];
    return sum;
}

/* The inverse as small_invert has it, of the softened A of manifold.h; a lane stays as it is from where a pivot is
 * lost.
 */
LANE_INLINE void normals_invert(int count, Lanes A[MANIFOLD_MAX][MANIFOLD_MAX],
                                Lanes inverse[MANIFOLD_MAX][MANIFOLD_MAX])
{
    Lanes diagonal[MANIFOLD_MAX];
    LaneMask regular = mask_first(LANES);
    for (int i = 0; i < count; i++) {
        diagonal[i] = A[i][i] = A[i][i] * (1.0 + MANIFOLD_SOFTENED);
        for (int j = 0; j < count; j++)
            inverse[i][j] = lanes_all(i == j ? 1.0 : 0.0);
    }
    for (int p = 0; p < count; p++) {
        regular &= (LaneMask)(A[p][p] > SMALL_DEPENDENT * diagonal[p]);
        bool all = mask_all(regular);
        Lanes scale = 1.0 / A[p][p];
        if (!all)
            scale = lanes_choose(regular, scale, lanes_all(1.0));
        for (int j = 0; j < count; j++) {
            A[p][j] *= scale;
            inverse[p][j] *= scale;
        }
        for (int i = 0; i < count; i++) {
            Lanes factor = A[i][p];
            if (!all)
                factor = lanes_where(regular, factor);
            for (int j = 0; j < count && i != p; j++) {
                A[i][j] -= factor * A[p][j];
                inverse[i][j] -= factor * inverse[p][j];
            }
        }
    }
}

/* Columns of w (J B)^-1. */
LANE_INLINE void points_invert(const LanePoint *points, int count, double relaxation, InverseLanes *to)
{
    Lanes A[MANIFOLD_MAX][MANIFOLD_MAX], inverse[MANIFOLD_MAX][MANIFOLD_MAX];
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++)
            A[i][j] = normals_couple(&points[i], &points[j]);
        A[i][i] = lanes_choose((LaneMask)(points[i].soft > 0.0), A[i][i] + points[i].soft, A[i][i]);
    }
    normals_invert(count, A, inverse);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            to->column[j][i] = relaxation * inverse[i][j];
}

#if LANES > 1
/* The rows at `at`, of which there are up to four, from their lanes. */
LANE_INLINE void points_store(const LanePoint *lanes, ContactRow *rows, const int at[LANES], int count)
{
    enum { NUMBERS = sizeof(LanePoint) / sizeof(Lanes) };
    _Static_assert(sizeof(LanePoint) == LANES * (sizeof(ContactRow) - offsetof(ContactRow, lambda)),
                   "lanes are ContactRow's numbers");
    ContactRow nowhere;
    double *p[LANES];
    for (int i = 0; i < LANES; i++)
        p[i] = (i < count ? &rows[at[i]] : &nowhere)->lambda;
#pragma GCC unroll 16
    for (int c = 0; c < NUMBERS; c += LANES) {
        int from = c < NUMBERS - LANES ? c : NUMBERS - LANES;
        const Lanes *x = (const Lanes *)lanes + from;
        lanes_scatter((double *[]){p[0] + from, p[1] + from, p[2] + from, p[3] + from}, x[0], x[1], x[2], x[3]);
    }
}
#endif

/* What of a packed row is no number of a lane, with its b^2; returns its active rows. Of lanes of four most is known.
 */
LANE_INLINE int point_name(RowSystem *system, const RowSetup *setup, const PointWork *points, int i, int at, int unit)
{
    int b = points->b[i];
    bool rubs = LANES > 1 || points->block[i]->friction > 0.0;
    bool off = LANES == 1 && (points->block[i]->off || (setup->part && !setup->part[b]));
    ContactRow *row = &system->contacts[at];
    double *b2 = contact_b2(system, at);
    system->packed[b] = at;
    system->packed[b + 1] = -1;
    for (int k = 0; k < 2; k++)
        row->body[k] = points->body[k][i];
    row->block = b;
    row->unit = unit;
    row->count = (short)(off ? 0 : rubs ? BLOCK_MAX_ROWS : 1);
    row->kind = rubs ? ROWS_CONTACT : ROWS_BOUNDED;
    row->group = 0;
    row->follows = false;
    row->slides_with_patch = LANES == 1 && points->block[i]->seat->patch_radius > 0.0;
    row->fixed = (unsigned char)((lane(points->inv_mass[0], i) == 0.0) | (lane(points->inv_mass[1], i) == 0.0) << 1);
    for (int r = 0; r < BLOCK_MAX_ROWS; r++)
        b2[r] = row->count > r ? lane(points->b2[r], i) : 0.0;
    return row->count;
}

/* Their blocks, for those who look at J and A. */
LANE_INLINE void points_unfold(RowSystem *system, const PointWork *points, const int at[LANES], int lanes)
{
    for (int i = 0; i < lanes; i++) {
        PointLook look = {.C = lane(points->C, i), .bounce = lane(points->bounce, i)};
        for (int r = 0; r < BLOCK_MAX_ROWS; r++) {
            look.stop[r] = lane(points->stop[r], i);
            for (int s = 0; s <= r; s++)
                look.A[r][s] = look.A[s][r] = lane(points->A[r][s], i);
        }
        contact_row_unfold(system, at[i], points->block[i], &look);
    }
}

/* The manifolds of each lane, of `count` points, in the order of the rows at `unit`: `lanes` of them are there, those
 * beyond repeat others and are stored nowhere. Returns the active rows. */
LANE_INLINE int unit_prepare(RowSystem *system, const PointSetup *setup, const int unit[LANES], int lanes, int count,
                             int body[2][LANES], LanePoint *to, InverseLanes *inverse)
{
    const ManifoldBlocks *manifold[LANES];
    PointWork points;
    int active = 0;
    for (int i = 0; i < LANES; i++) {
        manifold[i] = &setup->world->manifolds[unit[i]];
        for (int k = 0; k < 2; k++)
            points.body[k][i] = body[k][i] = manifold[i]->body[k];
    }
    points_take_bodies(&points, setup);
    for (int n = 0; n < count; n++) {
        int at[LANES];
        points.lanes = &to[n];
        for (int i = 0; i < LANES; i++) {
            points_take_block(&points, i, setup->world, manifold_contact(manifold[i], n));
            at[i] = system->first_row[unit[i]] + n;
        }
        if (n == 0)
            points_take_manifolds(&points);
        points_prepare(&points, setup, n > 0);
        for (int i = 0; i < lanes; i++)
            active += point_name(system, setup->rows, &points, i, at[i], unit[i]);
        if (setup->rows->sweeps_only)
            continue;
#if LANES > 1
        points_store(&to[n], system->contacts, at, lanes);
#endif
        points_unfold(system, &points, at, lanes);
    }
    if (setup->rows->manifold && count == MANIFOLD_MAX)
        points_invert(to, MANIFOLD_MAX, system->relaxation, inverse);
    else if (setup->rows->manifold && count > 1)
        points_invert(to, count, system->relaxation, inverse);
    return active;
}

/* Asks for the contacts of a manifold that comes soon: they may lie anywhere in a pile, and the processor does not
 * foresee it. */
LANE_INLINE void manifold_ask(const World *world, const ManifoldBlocks *manifold)
{
    for (int n = 0; n < manifold->count; n++) {
        int contact = manifold_contact(manifold, n);
        cache_ask(&world->blocks[contact], sizeof(Block));
        cache_ask(world_contact_seat(world, contact), sizeof(BlockSeat));
    }
}

#endif
