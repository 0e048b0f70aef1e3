/* Contact points on their way from blocks to rows, four at once: a lane each, of whatever manifolds. Each lane has the
 * bits that the point would have alone. */
#ifndef RIGOR_SOLVERS_ROWS_FOUR_POINTS_H
#define RIGOR_SOLVERS_ROWS_FOUR_POINTS_H

#include "model/block_contact.h"
#include "solvers/four.h"
#include "solvers/rows/quad_lanes.h"

/* Length scales a second; a slower slip has no direction but round-off's. */
static const double SLIP_NONE = 1e-9;
/* A determinant below this share of the diagonal's product is round-off: the tangents move as one. */
static const double TANGENTS_DEPENDENT = 1e-12;

/* The world and how its rows are set up. */
typedef struct PointSetup {
    const World *world;
    World then; /* the same with the poses where the setup has its levers */
    const RowSetup *rows;
    const Mat3 *inv_inertia; /* of each body, in the world */
} PointSetup;

typedef struct FourPoints {
    /* Of their pairs of bodies: */
    int body[2][FOUR];
    FourVec3 centre[2]; /* where the setup has its levers */
    FourQuat turn[2];
    FourVec3 inv_inertia[2][3];
    Wide inv_mass[2];
    FourVelocity velocity[2];
    /* of their manifolds: */
    Wide carrier, friction, restitution;
    bool special; /* points are placed one after the other */
    /* of the points: */
    int b[FOUR];
    const Block *block[FOUR];
    const BlockSeat *seat[FOUR];
    FourVec3 u[BLOCK_MAX_ROWS];             /* n, t1, t2 */
    FourVec3 at;                            /* where forces act */
    Wide C, bounce;                         /* of the normals */
    Wide A[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS]; /* J M^-1 J^T, with the normal's softness; the lower triangle */
    Wide stop[3];                           /* the inverse of the tangents' part of A, as 11, 12, 22 */
    Wide b2[BLOCK_MAX_ROWS];                /* r = J V + bias + s lambda of each row, squared */
    PointLanes *lanes;                      /* their rows */
} FourPoints;

static inline PointSetup point_setup(const RowSystem *system, const World *world, const RowSetup *rows)
{
    PointSetup setup = {world, *world, rows, (const Mat3 *)system->inv_inertia};
    setup.then.pose = rows->levers ? (Pose *)rows->levers : world->pose;
    return setup;
}

/* One number of each of four blocks, or seats; and where a vector of each stands. */
#define OF_FOUR(of, field) ((Wide){(of)[0]->field, (of)[1]->field, (of)[2]->field, (of)[3]->field})
#define IN_FOUR(of, field) ((const double *[]){&(of)[0]->field, &(of)[1]->field, &(of)[2]->field, &(of)[3]->field})

/* All that is known of the bodies in `points->body`. */
WIDE_INLINE void points_take_bodies(FourPoints *points, const PointSetup *setup)
{
    const Mass *mass = setup->world->mass;
    const Mat3 *I = setup->inv_inertia;
    for (int k = 0; k < 2; k++) {
        const int *body = points->body[k];
        points->centre[k] = four_gather_centres(setup->then.pose, body);
        points->turn[k] = four_gather_turns(setup->world->pose, body);
        points->velocity[k] = four_gather_velocities(setup->world->velocity, body);
        points->inv_mass[k] =
            (Wide){mass[body[0]].inv_mass, mass[body[1]].inv_mass, mass[body[2]].inv_mass, mass[body[3]].inv_mass};
        four_gather_three((const double *[]){I[body[0]].m[0], I[body[1]].m[0], I[body[2]].m[0], I[body[3]].m[0]},
                          points->inv_inertia[k]);
    }
}

WIDE_INLINE void points_take_block(FourPoints *points, int i, const World *world, int b)
{
    points->b[i] = b;
    points->block[i] = &world->blocks[b];
    points->seat[i] = points->block[i]->seat;
}

/* Whether a point is not where four are placed at once: a cylinder's side turns it, or levers are not where bodies are
 * now. */
static inline bool point_is_special(const Block *block, const RowSetup *setup)
{
    return setup->levers || block->rolls;
}

/* What all points of a manifold have in common, from the blocks of some. */
WIDE_INLINE void points_take_manifolds(FourPoints *points, const RowSetup *setup)
{
    points->carrier = OF_FOUR(points->block, carrier);
    points->friction = OF_FOUR(points->block, friction);
    points->restitution = OF_FOUR(points->block, restitution);
    points->special = false;
    for (int i = 0; i < FOUR; i++)
        points->special = points->special || point_is_special(points->block[i], setup);
}

/* As contact_frame has them, one after the other; the gap is that of the poses now. */
WIDE_INLINE void points_place_in_turn(FourPoints *points, const PointSetup *setup)
{
    ContactFrame f[FOUR];
    Wide at[FOUR];
    for (int i = 0; i < FOUR; i++) {
        f[i] = contact_frame(&setup->then, points->block[i]);
        ContactFrame now = setup->rows->levers ? contact_frame(setup->world, points->block[i]) : f[i];
        points->C[i] = vec3_dot(f[i].n, vec3_sub(now.p2, now.p1));
        at[i] = (Wide){f[i].at.x, f[i].at.y, f[i].at.z};
    }
    four_gather_three((const double *[]){&f[0].n.x, &f[1].n.x, &f[2].n.x, &f[3].n.x}, points->u);
    wide_turn(at);
    points->at = (FourVec3){at[0], at[1], at[2]};
}

/* The surface points over core points. */
WIDE_INLINE FourVec3 surfaces(FourVec3 core, Wide radius, FourVec3 u)
{
    return four_choose_vec3(radius == 0.0, core, four_add_scaled(core, radius, u));
}

/* The line from core to core; the normal of detection where there is none. */
WIDE_INLINE FourVec3 core_lines(const FourVec3 core[2], FourVec3 detected, double length_scale)
{
    FourVec3 d = four_sub(core[1], core[0]);
    Wide length = four_sqrt(four_dot(d, d));
    return four_choose_vec3(length > CORES_MEET * length_scale, four_scale(1.0 / length, d), detected);
}

/* The normal of a face turns with its body, that of round surfaces is the line between their cores. */
WIDE_INLINE FourVec3 points_normals(const FourPoints *points, const FourVec3 core[2], FourVec3 given,
                                    double length_scale)
{
    WideMask on_1 = points->carrier == (double)NORMAL_ON_1, along = points->carrier == (double)NORMAL_ALONG_CORES;
    const FourQuat *q = points->turn;
    FourQuat turn = {four_choose(on_1, q[0].w, q[1].w), four_choose(on_1, q[0].x, q[1].x),
                     four_choose(on_1, q[0].y, q[1].y), four_choose(on_1, q[0].z, q[1].z)};
    FourVec3 n = four_rotate(turn, given);
    return any_lane(along) ? four_choose_vec3(along, core_lines(core, given, length_scale), n) : n;
}

/* The tangents of detection, laid into the planes of n. */
WIDE_INLINE void points_set_tangent_directions(FourPoints *points, FourVec3 detected)
{
    FourVec3 n = points->u[0], t = four_add_scaled(detected, -four_dot(n, detected), n);
    Wide length = four_sqrt(four_dot(t, t));
    points->u[1] = four_scale(1.0 / length, t);
    for (int i = 0; i < FOUR && !four_all(length > 0.0); i++) {
        if (length[i] > 0.0)
            continue;
        Vec3 any = vec3_any_normal(vec3(n.x[i], n.y[i], n.z[i]));
        points->u[1].x[i] = any.x;
        points->u[1].y[i] = any.y;
        points->u[1].z[i] = any.z;
    }
    points->u[2] = four_cross(n, points->u[1]);
}

/* Directions, where the force acts, and the gap n.(p2 - p1). Points of faces have the directions of their manifolds:
 * they stay if `moved_on`. */
WIDE_INLINE void points_place(FourPoints *points, const PointSetup *setup, bool moved_on)
{
    FourVec3 anchor[2], given[2], p[2];
    four_gather_two(IN_FOUR(points->seat, anchor[0].x), anchor);
    for (int k = 0; k < 2; k++)
        p[k] = four_add(points->centre[k], four_rotate(points->turn[k], anchor[k]));
    if (!moved_on || any_lane(points->carrier == (double)NORMAL_ALONG_CORES)) {
        four_gather_two(IN_FOUR(points->seat, normal[0].x), given);
        points->u[0] = points_normals(points, p, given[0], setup->world->length_scale);
        points_set_tangent_directions(points, given[1]);
    }
    p[0] = surfaces(p[0], OF_FOUR(points->seat, radius[0]), points->u[0]);
    p[1] = surfaces(p[1], OF_FOUR(points->seat, radius[1]), four_negate(points->u[0]));
    points->at = four_choose_vec3(points->carrier == (double)NORMAL_ON_1, p[1], p[0]);
    points->C = four_dot(points->u[0], four_sub(p[1], p[0]));
}

/* Turns the tangents so that the first lies on the slip; without slip they stay. */
WIDE_INLINE void point_align_tangents(FourPoints *points, const PointSetup *setup, int i)
{
    const World *world = setup->world;
    const Pose *pose = setup->then.pose;
    int one = points->body[0][i], two = points->body[1][i];
    Vec3 n = vec3(points->u[0].x[i], points->u[0].y[i], points->u[0].z[i]);
    Vec3 at = vec3(points->at.x[i], points->at.y[i], points->at.z[i]);
    Vec3 v = vec3_sub(world_point_velocity(world, two, vec3_sub(at, pose[two].x)),
                      world_point_velocity(world, one, vec3_sub(at, pose[one].x)));
    Vec3 slip = vec3_add_scaled(v, -vec3_dot(v, n), n);
    double size = vec3_norm(slip);
    if (!(size > SLIP_NONE * world->length_scale))
        return;
    Vec3 t[2] = {vec3_scale(1.0 / size, slip)};
    t[1] = vec3_cross(n, t[0]);
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
WIDE_INLINE void points_set_rows(FourPoints *points)
{
    PointLanes *lanes = points->lanes;
    for (int r = 0; r < BLOCK_MAX_ROWS; r++)
        row_set_part(lanes, r, 0, four_negate(points->u[r]));
    for (int k = 0; k < 2; k++) {
        const FourVec3 *I = points->inv_inertia[k];
        FourVec3 arm = four_sub(points->at, points->centre[k]);
        lanes->inv_mass[k] = points->inv_mass[k];
        for (int r = 0; r < BLOCK_MAX_ROWS; r++) {
            FourVec3 turn = four_cross(arm, points->u[r]);
            if (k == 0)
                turn = four_negate(turn);
            row_set_part(lanes, r, 1 + k, turn);
            row_set_part(lanes, r, 3 + k, (FourVec3){four_dot(I[0], turn), four_dot(I[1], turn), four_dot(I[2], turn)});
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
    const PointLanes *lanes = points->lanes;
    FourVec3 u = points->u[r], v = points->u[s];
    Wide sum = add_products(wide_all(0.0), u, four_scale(lanes->inv_mass[0], v));
    sum = add_products(sum, row_part(lanes, r, 1), row_part(lanes, s, 3));
    sum = add_products(sum, u, four_scale(lanes->inv_mass[1], v));
    return add_products(sum, row_part(lanes, r, 2), row_part(lanes, s, 4));
}

WIDE_INLINE void points_couple_rows(FourPoints *points)
{
    for (int r = 0; r < BLOCK_MAX_ROWS; r++)
        for (int s = 0; s <= r; s++)
            points->A[r][s] = points_couple(points, r, s);
}

/* J V of the normals. */
WIDE_INLINE Wide points_approach(const FourPoints *points, const FourVelocity V[2])
{
    const PointLanes *lanes = points->lanes;
    Wide sum = wide_all(0.0);
    sum += four_dot(row_part(lanes, 0, 0), V[0].v) + four_dot(row_part(lanes, 0, 1), V[0].w);
    sum += four_dot(points->u[0], V[1].v) + four_dot(row_part(lanes, 0, 2), V[1].w);
    return sum;
}

/* e v_n- where a normal is hit. */
WIDE_INLINE Wide points_bounce(const FourPoints *points, const PointSetup *setup)
{
    Wide none = wide_all(0.0), e = points->restitution;
    if (four_all(e == 0.0))
        return none;
    const Velocity *velocity_before = setup->world->velocity_before;
    FourVelocity earlier[2] = {four_gather_velocities(velocity_before, points->body[0]),
                               four_gather_velocities(velocity_before, points->body[1])};
    Wide before = points_approach(points, earlier);
    WideMask hits = points->C + setup->rows->h * points_approach(points, points->velocity) <= 0.0;
    return four_choose(hits & (before < -setup->rows->restitution_threshold) & (e != 0.0), e * before, none);
}

/* The bias of a normal row, J V + bias >= 0, of the gap C and the bounce. */
WIDE_INLINE Wide normal_bias(Wide C, Wide bounce, const RowSetup *setup, Wide rate)
{
    Wide over = C + setup->slop, most = wide_all(-setup->push_speed);
    Wide back = rate * four_choose(over < 0.0, over, wide_all(0.0)), bias = four_choose(back > most, back, most);
    bias = four_choose(C > 0.0, C / setup->h, bias);
    return four_choose((bounce < 0.0) & (bounce < bias), bounce, bias);
}

static inline double soft_rate(const SoftRows *soft, const RowSetup *setup)
{
    return soft->share > 0.0 ? soft->rate : setup->rate;
}

/* The step of a row; one that moves nothing has none. */
WIDE_INLINE Wide inverse_or_zero(Wide a)
{
    return four_choose(a > 0.0, 1.0 / a, wide_all(0.0));
}

/* What the normals are solved with. */
WIDE_INLINE void points_set_normals(FourPoints *points, const PointSetup *with)
{
    PointLanes *lanes = points->lanes;
    const RowSetup *setup = with->rows;
    const SoftRows *ground = &setup->soft_ground, *moving = &setup->soft_contact;
    WideMask grounded = (lanes->inv_mass[0] == 0.0) | (lanes->inv_mass[1] == 0.0);
    Wide share = four_choose(grounded, wide_all(ground->share), wide_all(moving->share));
    Wide rate = four_choose(grounded, wide_all(soft_rate(ground, setup)), wide_all(soft_rate(moving, setup)));
    points->bounce = points_bounce(points, with);
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
static inline bool stops_at_once(FrictionModel friction)
{
    return friction == FRICTION_CONE || friction == FRICTION_FACETS;
}

/* What the tangents are solved with. Where their 2 x 2 part of A has no inverse they stop by the slide step. */
WIDE_INLINE void points_set_tangents(FourPoints *points, const RowSetup *setup)
{
    PointLanes *lanes = points->lanes;
    Wide a = points->A[1][1], b = points->A[2][1], c = points->A[2][2], none = wide_all(0.0);
    lanes->bound = points->friction;
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
    PointLanes *lanes = points->lanes;
    Wide none = wide_all(0.0);
    for (int r = 0; r < BLOCK_MAX_ROWS; r++)
        lanes->lambda[r] = none;
    if (!(keep > 0.0))
        return;
    FourVec3 part[2];
    const Vec3 *impulse = world->block_impulse;
    const int *b = points->b;
    four_gather_two((const double *[]){&impulse[b[0]].x, &impulse[b[1]].x, &impulse[b[2]].x, &impulse[b[3]].x}, part);
    FourVec3 given = four_scale(wide_all(keep), four_add(part[0], part[1]));
    WideMask rubs = lanes->bound > 0.0;
    for (int r = 0; r < BLOCK_MAX_ROWS; r++) {
        Wide along = four_dot(given, points->u[r]);
        WideMask carries = along > 0.0;
        lanes->lambda[r] = four_choose(r == 0 ? carries : rubs, along, none);
    }
}

/* b^2, each sum as row_times_velocity has it. */
WIDE_INLINE void points_square_b(FourPoints *points)
{
    const PointLanes *lanes = points->lanes;
    FourVelocity one = points->velocity[0], two = points->velocity[1];
    for (int r = 0; r < BLOCK_MAX_ROWS; r++) {
        FourVec3 J1 = row_part(lanes, r, 0), J2 = row_part(lanes, r, 1), J3 = points->u[r], J4 = row_part(lanes, r, 2);
        Wide even =
            ((J1.x * one.v.x + J3.x * two.v.x) + (J1.z * one.v.z + J3.z * two.v.z)) + (J2.y * one.w.y + J4.y * two.w.y);
        Wide odd =
            ((J1.y * one.v.y + J3.y * two.v.y) + (J2.x * one.w.x + J4.x * two.w.x)) + (J2.z * one.w.z + J4.z * two.w.z);
        Wide rate = even + odd;
        if (r == 0)
            rate += lanes->bias + lanes->soft * lanes->lambda[0];
        points->b2[r] = rate * rate;
    }
}

/* Everything of points whose bodies, manifolds, blocks and lanes are set. `moved_on`: they are others of the same
 * manifolds. */
WIDE_INLINE void points_prepare(FourPoints *points, const PointSetup *setup, bool moved_on)
{
    if (points->special)
        points_place_in_turn(points, setup);
    else
        points_place(points, setup, moved_on);
    for (int i = 0; i < FOUR && setup->rows->friction == FRICTION_FACETS; i++)
        point_align_tangents(points, setup, i);
    points_set_rows(points);
    points_couple_rows(points);
    points_set_normals(points, setup);
    points_set_tangents(points, setup->rows);
    points_warm_start(points, setup->world, setup->rows->keep);
    points_square_b(points);
}

#endif
