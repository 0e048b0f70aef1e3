#include "solvers/rows/contact_rows.h"

#include "model/block_contact.h"
#include "solvers/rows/joint_rows.h"
#include "solvers/rows/manifold.h"
#include "solvers/rows/row_columns.h"

#include <string.h>

/* Length scales a second; a slower slip has no direction but round-off's. */
static const double SLIP_NONE = 1e-9;
/* A determinant below this share of the diagonal's product is round-off: the tangents move as one. */
static const double TANGENTS_DEPENDENT = 1e-12;

/* m_c of the lecture's box bound, the mass that rests on a point: a body's mass divided by its points; between two
 * moving bodies the smaller share counts. */
static double point_mass(const World *world, const int *points_of, const int body[2])
{
    double least = INFINITY;
    for (int k = 0; k < 2; k++)
        if (!world_is_fixed(world, body[k]))
            least = fmin(least, world->mass[body[k]].mass / points_of[body[k]]);
    return isinf(least) ? 0.0 : least;
}

/* A point on its way from block to ContactRow: its three rows side by side, and what follows from them. */
typedef struct PointRows {
    const Block *block;
    int body[2], count;
    RowColumns columns;                       /* u = n, t1, t2 */
    double A[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS]; /* J B, with the normal's softness */
    double C, soft;                           /* of the normal */
    double bounce, bias;
    double step; /* 1 / A_00 */
    double slide_step;
    double stop[3]; /* the inverse of the tangents' part of A, as 11, 12, 22 */
} PointRows;

/* J V of the normal row. */
static double point_approach(const PointRows *point, const Velocity *velocity)
{
    const Double4 *J = point->columns.J;
    double sum = 0.0;
    for (int k = 0; k < 2; k++, J += 6) {
        Velocity u = velocity[point->body[k]];
        sum += vec3_dot(vec3(J[0][0], J[1][0], J[2][0]), u.v) + vec3_dot(vec3(J[3][0], J[4][0], J[5][0]), u.w);
    }
    return sum;
}

static double point_bounce(const PointRows *point, const World *world, const RowSetup *setup)
{
    double before = point_approach(point, world->velocity_before);
    bool hits = point->C + setup->h * point_approach(point, world->velocity) <= 0.0;
    return hits && before < -setup->restitution_threshold ? point->block->restitution * before : 0.0;
}

/* The bias of the normal row: J V + bias >= 0. */
static double normal_bias(double C, double bounce, const RowSetup *setup, const SoftRows *soft)
{
    double rate = soft->share > 0.0 ? soft->rate : setup->rate, over = C + setup->slop;
    double back = rate * (over < 0.0 ? over : 0.0), bias = back > -setup->push_speed ? back : -setup->push_speed;
    if (C > 0.0)
        bias = C / setup->h;
    return bounce < 0.0 && bounce < bias ? bounce : bias;
}

/* A step for which lambda - step r contracts: below the inverse of the tangents' largest eigenvalue. */
static double slide_step(const double A[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS])
{
    double mean = 0.5 * (A[1][1] + A[2][2]), half = 0.5 * (A[1][1] - A[2][2]);
    double largest = mean + sqrt(half * half + A[1][2] * A[1][2]);
    return largest > 0.0 ? 1.0 / largest : 0.0;
}

/* Whether a sweep stops both tangents of a point at once, if it can. */
static bool stops_at_once(FrictionModel friction)
{
    return friction == FRICTION_CONE || friction == FRICTION_FACETS;
}

/* The inverse of the tangents' 2 x 2 part of A; falls back to the slide step if it has none. */
static void tangent_inverse(PointRows *point)
{
    double a = point->A[1][1], b = point->A[1][2], c = point->A[2][2], determinant = a * c - b * b;
    bool regular = determinant > TANGENTS_DEPENDENT * a * c;
    point->stop[0] = regular ? c / determinant : point->slide_step;
    point->stop[1] = regular ? -b / determinant : 0.0;
    point->stop[2] = regular ? a / determinant : point->slide_step;
}

/* Turns the tangents so that the first lies on the slip; without slip they stay. */
static void tangents_align(const World *world, const int body[2], Vec3 arm1, Vec3 arm2, Vec3 direction[BLOCK_MAX_ROWS])
{
    Vec3 v = vec3_sub(world_point_velocity(world, body[1], arm2), world_point_velocity(world, body[0], arm1));
    Vec3 slip = vec3_add_scaled(v, -vec3_dot(v, direction[0]), direction[0]);
    double size = vec3_norm(slip);
    if (!(size > SLIP_NONE * world->length_scale))
        return;
    direction[1] = vec3_scale(1.0 / size, slip);
    direction[2] = vec3_cross(direction[0], direction[1]);
}

/* arm x u of each row */
static ALWAYS_INLINE void columns_cross(Vec3 arm, const Double4 u[3], Double4 turn[3])
{
    turn[0] = arm.y * u[2] - arm.z * u[1];
    turn[1] = arm.z * u[0] - arm.x * u[2];
    turn[2] = arm.x * u[1] - arm.y * u[0];
}

/* x, y, z of n, t1, t2: the rows' directions side by side, as columns have them. */
typedef struct Directions {
    double u[3][4];
} Directions;

static ALWAYS_INLINE void directions_set(Directions *to, Vec3 n, Vec3 t1, Vec3 t2)
{
    STORE4(to->u[0], ((Double4){n.x, t1.x, t2.x, 0.0}));
    STORE4(to->u[1], ((Double4){n.y, t1.y, t2.y, 0.0}));
    STORE4(to->u[2], ((Double4){n.z, t1.z, t2.z, 0.0}));
}

/* J, B and A: the rows u.(velocity at the point of body 2 - that of body 1), as row_linear has them. */
static ALWAYS_INLINE void point_set_rows(PointRows *point, const RowSystem *system, const World *world,
                                         const ContactFrame *f, const Directions *directions, const RowSetup *setup)
{
    int one = point->body[0], two = point->body[1];
    const Pose *pose = setup->levers ? setup->levers : world->pose;
    Vec3 arm1 = vec3_sub(f->at, pose[one].x), arm2 = vec3_sub(f->at, pose[two].x);
    Double4 *J = point->columns.J, *u = J + 6;
    Directions aligned;
    if (setup->friction == FRICTION_FACETS) {
        Vec3 own[BLOCK_MAX_ROWS] = {f->n, f->t1, f->t2};
        tangents_align(world, point->body, arm1, arm2, own);
        directions_set(&aligned, own[0], own[1], own[2]);
        directions = &aligned;
    }
    for (int i = 0; i < 3; i++)
        u[i] = LOAD4(directions->u[i]);
    columns_cross(arm1, u, J + 3);
    columns_cross(arm2, u, J + 9);
    for (int i = 0; i < 3; i++) {
        J[i] = -u[i];
        J[3 + i] = -J[3 + i];
    }
    const double inv_mass[2] = {world->mass[one].inv_mass, world->mass[two].inv_mass};
    const Mat3 *const inv_inertia[2] = {&system->inv_inertia[one], &system->inv_inertia[two]};
    columns_times_inverse_mass(&point->columns, inv_mass, inv_inertia);
    columns_couple(&point->columns, point->A);
}

/* The step of a row; one that moves nothing has none. */
static double inverse_or_zero(double a)
{
    return a > 0.0 ? 1.0 / a : 0.0;
}

/* n.(p2 - p1), the surface points where the bodies are now. */
static ALWAYS_INLINE double point_gap(const PointRows *point, const World *world, const ContactFrame *f,
                                      const RowSetup *setup)
{
    if (!setup->levers)
        return vec3_dot(f->n, vec3_sub(f->p2, f->p1));
    ContactFrame now = contact_frame(world, point->block);
    return vec3_dot(f->n, vec3_sub(now.p2, now.p1));
}

/* What the rows are solved with. */
static ALWAYS_INLINE void point_set_steps(PointRows *point, const World *world, const ContactFrame *f,
                                          const RowSetup *setup)
{
    point->C = point_gap(point, world, f, setup);
    point->bounce = point->block->restitution == 0.0 ? 0.0 : point_bounce(point, world, setup);
    bool grounded = world_is_fixed(world, point->body[0]) || world_is_fixed(world, point->body[1]);
    const SoftRows *soft = grounded ? &setup->soft_ground : &setup->soft_contact;
    point->bias = normal_bias(point->C, point->bounce, setup, soft);
    point->soft = point->C <= 0.0 && point->bounce == 0.0 ? soft->share * point->A[0][0] : 0.0;
    point->A[0][0] += point->soft;
    point->step = inverse_or_zero(point->A[0][0]);
    point->slide_step = 0.0;
    if (point->count < BLOCK_MAX_ROWS)
        return;
    point->slide_step = slide_step((const double(*)[BLOCK_MAX_ROWS])point->A);
    if (stops_at_once(setup->friction) || !setup->sweeps_only)
        tangent_inverse(point);
}

/* The cached impulse is a vector on body 2: u are the rows' directions there. */
static ALWAYS_INLINE void point_warm_start(const PointRows *point, Vec3 cached, double lambda[BLOCK_MAX_ROWS])
{
    const Double4 *u = point->columns.J + 6;
    Double4 along = cached.x * u[0] + cached.y * u[1] + cached.z * u[2];
    lambda[0] = along[0] > 0.0 ? along[0] : 0.0;
    if (point->count == BLOCK_MAX_ROWS)
        STORE2(lambda + 1, __builtin_shufflevector(along, along, 1, 2));
}

/* What the sweep reads, but for lambda. */
static ALWAYS_INLINE void point_pack(ContactRow *row, const PointRows *point, const World *world,
                                     FrictionModel friction)
{
    const Double4 *J = point->columns.J, *B = point->columns.B;
    bool cone = stops_at_once(friction);
    row->slides_with_patch = point->block->patch_radius > 0.0;
    row->bias = point->bias;
    row->soft = point->soft;
    row->A = point->A[0][0];
    row->step = point->step;
    for (int k = 0; k < 2; k++) {
        row->body[k] = point->body[k];
        row->inv_mass[k] = world->mass[point->body[k]].inv_mass;
    }
    row->fixed = rows_fixed(row->inv_mass);
    columns_store(&J[0], &J[1], &J[2], &J[3], row->row[0], CONTACT_ROW_WIDTH);
    columns_store(&J[4], &J[5], &J[9], &J[10], row->row[0] + 4, CONTACT_ROW_WIDTH);
    columns_store(&J[11], &B[3], &B[4], &B[5], row->row[0] + 8, CONTACT_ROW_WIDTH);
    columns_store(&B[5], &B[9], &B[10], &B[11], row->row[0] + 11, CONTACT_ROW_WIDTH);
    if (point->count < BLOCK_MAX_ROWS)
        return;
    row->bound = point->block->friction;
    row->slide_step = point->slide_step;
    row->coupling[0] = point->A[1][0];
    row->coupling[1] = point->A[2][0];
    if (friction == FRICTION_DISC)
        return; /* it steps by slide_step alone */
    row->tangent[0] = cone ? point->stop[0] : inverse_or_zero(point->A[1][1]);
    row->tangent[1] = cone ? point->stop[1] : point->A[2][1];
    row->tangent[2] = cone ? point->stop[2] : inverse_or_zero(point->A[2][2]);
}

/* The same as a block, for those who look at J and A. */
static void point_unfold(RowBlock *rb, const PointRows *point)
{
    rb->count = point->count;
    rb->mu = point->block->friction;
    rb->restitution = point->block->restitution;
    rb->slides_with_patch = point->block->patch_radius > 0.0;
    rb->is_soft = false;
    rb->metres = 1.0;
    if (point->count == 0)
        return;
    memcpy(rb->body, point->body, sizeof point->body);
    columns_store_rows(point->columns.J, rb->J);
    columns_store_rows(point->columns.B, rb->B);
    memcpy(rb->A, point->A, sizeof rb->A);
    for (int i = 0; i < BLOCK_MAX_ROWS; i++) {
        rb->bias[i] = i == 0 ? point->bias : 0.0;
        rb->soft[i] = i == 0 ? point->soft : 0.0;
        rb->C[i] = i == 0 ? point->C : 0.0;
        rb->lower[i] = i == 0 ? 0.0 : -INFINITY;
        rb->upper[i] = INFINITY;
        rb->step[i] = inverse_or_zero(rb->A[i][i]);
    }
    rb->bounce = point->bounce;
    rb->slide_step = point->slide_step;
    if (point->count < BLOCK_MAX_ROWS)
        return;
    rb->T[1][1] = point->stop[0];
    rb->T[1][2] = rb->T[2][1] = point->stop[1];
    rb->T[2][2] = point->stop[2];
}

/* The packed points of a torsion block's patch. */
static ContactRow *patch_points(const RowSystem *system, const RowBlock *torsion)
{
    return &system->contacts[system->packed[torsion->patch.first]];
}

static void torsion_prepare(RowBlock *rb, const World *world, const ManifoldBlocks *manifold, RowSystem *system,
                            const RowSetup *setup)
{
    const Block *block = &world->blocks[manifold->torsion];
    Rows rows;
    block_rows(world, block, &rows);
    *rb = (RowBlock){.count = rows.count,
                     .lambda = rb->lambda,
                     .B = rb->B,
                     .kind = ROWS_TORSION,
                     .metres = block_metres(world, BLOCK_TORSION),
                     .mu = block->friction,
                     .patch_arm = 2.0 / 3.0 * block->patch_radius,
                     .patch = *manifold};
    memcpy(rb->body, block->body, sizeof rb->body);
    for (int k = 0; k < 2; k++)
        rb->fixed[k] = world_is_fixed(world, rb->body[k]);
    memcpy(rb->J[0], rows.J[0], sizeof rb->J[0]);
    rb->lower[0] = -INFINITY;
    rb->upper[0] = INFINITY;
    row_block_prepare_masses(rb, system, world);
    /* Torque counts as force at the arm: one step for all, below the inverse of the largest diagonal. */
    double largest = rb->A[0][0] * rb->patch_arm * rb->patch_arm;
    ContactRow *points = patch_points(system, rb);
    for (int i = 0; i < manifold->count; i++)
        largest = fmax(largest, 1.0 / points[i].slide_step);
    rb->slide_step = 1.0 / (largest * manifold->count);
    for (int i = 0; i < manifold->count; i++) {
        points[i].slide_step = rb->slide_step;
        if (!setup->sweeps_only)
            system->blocks[points[i].block].slide_step = rb->slide_step;
    }
    rb->lambda[0] =
        setup->keep * vec3_dot(world->block_impulse[manifold->torsion], vec3(rb->J[0][9], rb->J[0][10], rb->J[0][11]));
}

/* The lecture's bound of each point, once it is known how many points each body has. */
static void box_bounds_prepare(RowSystem *system, const World *world, double h)
{
    double g = vec3_norm(world->gravity);
    int *points_of = system->points_of;
    memset(points_of, 0, sizeof *points_of * (size_t)world->body_count);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < system->contact_count; k++) {
            ContactRow *row = &system->contacts[k];
            if (row->kind != ROWS_CONTACT || row->count == 0)
                continue;
            if (pass == 0)
                for (int i = 0; i < 2; i++)
                    points_of[row->body[i]]++;
            else
                row->bound = world->blocks[row->block].friction * point_mass(world, points_of, row->body) * g * h;
        }
}

/* Lets the points of a manifold be gone through as one. */
static void group_begin(ContactRow *first, int count)
{
    first->group = (signed char)count;
    first->inverse = -1;
    for (int i = 1; i < count; i++)
        first[i].follows = true;
}

/* The packed normals of up to four points, lane j of point j; the last four numbers begin before the others end. */
static ALWAYS_INLINE void normals_side_by_side(const ContactRow *first, int count, Double4 p[CONTACT_ROW_WIDTH])
{
    for (int c = 0; c < CONTACT_ROW_WIDTH; c += MANIFOLD_MAX) {
        int at = c < CONTACT_ROW_WIDTH - MANIFOLD_MAX ? c : CONTACT_ROW_WIDTH - MANIFOLD_MAX;
        for (int j = 0; j < MANIFOLD_MAX; j++)
            p[at + j] = j < count ? LOAD4(first[j].row[0] + at) : LANES4(0.0);
        wide_turn(p + at);
    }
}

/* Lets the normals of a manifold be solved together. A_ij = J_i B_j; lane j belongs to point j. */
static ALWAYS_INLINE void group_prepare(RowSystem *system, ContactRow *first, int count, int inverse)
{
    ManifoldMatrix A, whole;
    Double4 p[CONTACT_ROW_WIDTH], B[ROW_WIDTH], columns[MANIFOLD_MAX];
    normals_side_by_side(first, count, p);
    for (int c = 0; c < 3; c++) {
        B[c] = first->inv_mass[0] * p[c];
        B[3 + c] = p[9 + c];
        B[6 + c] = first->inv_mass[1] * -p[c];
        B[9 + c] = p[12 + c];
    }
    for (int i = 0; i < count; i++) {
        const double *own = first[i].row[0];
        Double4 J[ROW_WIDTH] = {{0.0}}, sum;
        for (int c = 0; c < 3; c++) {
            J[c] = LANES4(own[c]);
            J[3 + c] = LANES4(own[3 + c]);
            J[6 + c] = -J[c];
            J[9 + c] = LANES4(own[6 + c]);
        }
        columns_product(J, B, &sum);
        STORE4(A[i], sum);
        A[i][i] += first[i].soft;
    }
    group_begin(first, count);
    first->inverse = inverse;
    manifold_invert(count, A, whole);
    for (int i = 0; i < MANIFOLD_MAX; i++)
        columns[i] = system->relaxation * LOAD4(whole[i]);
    wide_turn(columns);
    for (int j = 0; j < MANIFOLD_MAX; j++)
        STORE4(system->inverses[inverse][j], columns[j]);
}

/* The packed row at `at`, of block b. */
static ContactRow *contact_begin(RowSystem *system, int at, int b, RowKind kind)
{
    ContactRow *row = &system->contacts[at];
    system->packed[b] = at;
    row->block = b;
    row->kind = (short)kind;
    row->group = 0;
    row->follows = false;
    row->slide_step = 0.0;
    for (int i = 0; i < BLOCK_MAX_ROWS; i++)
        row->lambda[i] = 0.0;
    return row;
}

/* Of a packed row's three. */
static double *contact_b2(const RowSystem *system, int at)
{
    return &system->multipliers[BLOCK_MAX_ROWS * (system->joint_count + at)];
}

static ALWAYS_INLINE void point_square_b(const PointRows *point, const ContactRow *row, const World *world, double *b2)
{
    double rates[4];
    columns_rates(point->columns.J, &world->velocity[point->body[0]], &world->velocity[point->body[1]], rates);
    rates[0] += row->bias + row->soft * row->lambda[0];
    b2[0] = rates[0] * rates[0];
    if (point->count == BLOCK_MAX_ROWS)
        STORE2(b2 + 1, LOAD2(rates + 1) * LOAD2(rates + 1));
}

/* The point of block b, packed at `at`; returns its active rows. */
static ALWAYS_INLINE int point_prepare(RowSystem *system, const World *world, int at, int b, int friction,
                                       const ContactFrame *frame, const Directions *directions, const RowSetup *setup)
{
    const Block *block = &world->blocks[b];
    bool rubs = block->friction > 0.0, off = block->off || (setup->part && !setup->part[b]);
    PointRows point; /* set field by field: its columns are filled anyway */
    point.block = block;
    memcpy(point.body, block->body, sizeof point.body);
    point.count = off ? 0 : rubs ? BLOCK_MAX_ROWS : 1;
    ContactRow *row = contact_begin(system, at, b, rubs ? ROWS_CONTACT : ROWS_BOUNDED);
    double *b2 = contact_b2(system, at);
    b2[0] = b2[1] = b2[2] = 0.0;
    system->packed[friction] = -1;
    row->count = (short)point.count;
    if (!off) {
        point_set_rows(&point, system, world, frame, directions, setup);
        point_set_steps(&point, world, frame, setup);
        point_pack(row, &point, world, setup->friction);
        if (setup->keep > 0.0) {
            Vec3 given = vec3_add(world->block_impulse[b], world->block_impulse[friction]);
            point_warm_start(&point, vec3_scale(setup->keep, given), row->lambda);
        }
        point_square_b(&point, row, world, b2);
    }
    if (!setup->sweeps_only) {
        RowBlock *rb = &system->blocks[b];
        rb->kind = (RowKind)row->kind;
        rb->lambda = row->lambda;
        rb->B = system->B[b];
        for (int k = 0; k < 2; k++)
            rb->fixed[k] = world_is_fixed(world, block->body[k]);
        system->blocks[friction].count = 0;
        system->blocks[friction].lambda = NULL;
        point_unfold(rb, &point);
    }
    return point.count;
}

/* The points of the manifold that stands k-th, whose directions and arms are taken in the world `then`. */
static ALWAYS_INLINE int manifold_prepare(RowSystem *system, const World *world, const World *then,
                                          const ManifoldBlocks *manifold, int k, const RowSetup *setup)
{
    int at = system->first_row[k], active = 0;
    ContactRow *first = &system->contacts[at];
    ContactFrame frame = contact_frame(then, &world->blocks[manifold->first]);
    Directions directions;
    directions_set(&directions, frame.n, frame.t1, frame.t2);
    for (int i = 0; i < manifold->count; i++) {
        int b = manifold_contact(manifold, i);
        if (i > 0)
            contact_frame_move(then, &world->blocks[b], &frame);
        if (i > 0 && world->blocks[b].carrier == NORMAL_ALONG_CORES) /* else all points have one normal */
            directions_set(&directions, frame.n, frame.t1, frame.t2);
        active += point_prepare(system, world, at + i, b, manifold_friction(manifold, i), &frame, &directions, setup);
    }
    if (setup->manifold && manifold->count > 1 && first->count > 0)
        group_prepare(system, first, manifold->count, k);
    else if (setup->normals_first && manifold->count > 1 && first->count > 0)
        group_begin(first, manifold->count);
    return active;
}

void contact_row_set_bias(RowSystem *system, int b, double bias)
{
    system->blocks[b].bias[0] = system->contacts[system->packed[b]].bias = bias;
}

void contact_rows_drop_errors(RowSystem *system, const RowSetup *setup)
{
    RowSetup still = *setup;
    const SoftRows rigid = {0};
    still.rate = 0.0;
    for (int k = 0; k < system->contact_count; k++) {
        const ContactRow *row = &system->contacts[k];
        const RowBlock *rb = &system->blocks[row->block];
        if (row->kind != ROWS_TORSION && row->count > 0)
            contact_row_set_bias(system, row->block, normal_bias(rb->C[0], rb->bounce, &still, &rigid));
    }
}

static int patch_prepare(RowSystem *system, const World *world, const ManifoldBlocks *manifold, int at,
                         const RowSetup *setup)
{
    int b = manifold->torsion;
    RowBlock *rb = &system->blocks[b];
    double r[BLOCK_MAX_ROWS];
    double *b2 = contact_b2(system, at);
    ContactRow *row = contact_begin(system, at, b, ROWS_TORSION);
    b2[0] = b2[1] = b2[2] = 0.0;
    rb->lambda = row->lambda;
    rb->B = system->B[b];
    rb->count = 0;
    if (!setup->part || setup->part[b])
        torsion_prepare(rb, world, manifold, system, setup);
    row->count = (short)rb->count;
    if (rb->count == 0)
        return 0;
    row_block_residuals(rb, world->velocity, r);
    b2[0] = rb->metres * r[0] * (rb->metres * r[0]);
    return rb->count;
}

static const ManifoldBlocks *manifold_at(const World *world, const RowSetup *setup, int k)
{
    return &world->manifolds[setup->manifolds ? setup->manifolds[k] : k];
}

void contact_rows_place(RowSystem *system, const World *world, const RowSetup *setup)
{
    int at = 0;
    system->contact_count = 0;
    if (world->manifold_count == 0)
        return;
    for (int k = 0; k < world->manifold_count; k++) {
        const ManifoldBlocks *manifold = manifold_at(world, setup, k);
        system->first_row[k] = at;
        at += manifold->count + (manifold->torsion >= 0);
    }
    system->first_row[world->manifold_count] = system->contact_count = at;
}

WIDE_VERSIONS int contact_rows_prepare(RowSystem *system, const World *world, const RowSetup *setup, int from, int to)
{
    int active = 0;
    World then = *world;
    then.pose = setup->levers ? (Pose *)setup->levers : world->pose;
    for (int k = from; k < to; k++) {
        const ManifoldBlocks *manifold = manifold_at(world, setup, k);
        active += manifold_prepare(system, world, &then, manifold, k, setup);
        if (manifold->torsion >= 0)
            active += patch_prepare(system, world, manifold, system->first_row[k] + manifold->count, setup);
    }
    return active;
}

void contact_rows_finish(RowSystem *system, const World *world, const RowSetup *setup)
{
    if (setup->friction == FRICTION_BOX)
        box_bounds_prepare(system, world, setup->h);
}
