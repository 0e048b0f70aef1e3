#include "solvers/rows/contact_rows.h"

#include "model/block_contact.h"
#include "model/row.h"
#include "solvers/rows/manifold.h"

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

static double row_velocity(const double J[ROW_WIDTH], const Velocity *velocity, const int body[2])
{
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        const double *j = J + 6 * k;
        Velocity u = velocity[body[k]];
        sum += vec3_dot(vec3(j[0], j[1], j[2]), u.v) + vec3_dot(vec3(j[3], j[4], j[5]), u.w);
    }
    return sum;
}

/* The bias of the normal row: J V + bias >= 0. */
static double normal_bias(const RowBlock *rb, const RowSetup *setup, const SoftRows *soft)
{
    double C = rb->C[0], rate = soft->share > 0.0 ? soft->rate : setup->rate;
    double bias = C > 0.0 ? C / setup->h : fmax(rate * fmin(C + setup->slop, 0.0), -setup->push_speed);
    return rb->bounce < 0.0 ? fmin(bias, rb->bounce) : bias;
}

static double normal_bounce(const RowBlock *rb, const World *world, const RowSetup *setup)
{
    if (rb->restitution == 0.0)
        return 0.0;
    double before = row_velocity(rb->J[0], world->velocity_before, rb->body);
    bool hits = rb->C[0] + setup->h * row_velocity(rb->J[0], world->velocity, rb->body) <= 0.0;
    return hits && before < -setup->restitution_threshold ? rb->restitution * before : 0.0;
}

/* A step for which lambda - step r contracts: below the inverse of the tangents' largest eigenvalue. */
static double slide_step(const double A[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS])
{
    double mean = 0.5 * (A[1][1] + A[2][2]), half = 0.5 * (A[1][1] - A[2][2]);
    double largest = mean + sqrt(half * half + A[1][2] * A[1][2]);
    return largest > 0.0 ? 1.0 / largest : 0.0;
}

/* The inverse of the tangents' 2 x 2 part of A, in T; falls back to the slide step if it has none. */
static void tangent_inverse(RowBlock *rb)
{
    double a = rb->A[1][1], b = rb->A[1][2], c = rb->A[2][2], determinant = a * c - b * b;
    bool regular = determinant > TANGENTS_DEPENDENT * a * c;
    rb->T[1][1] = regular ? c / determinant : rb->slide_step;
    rb->T[2][2] = regular ? a / determinant : rb->slide_step;
    rb->T[1][2] = rb->T[2][1] = regular ? -b / determinant : 0.0;
}

/* All that point_prepare does not set, but for matrices that it fills or that contacts do not have. */
static void point_clear(RowBlock *rb)
{
    rb->is_soft = false;
    rb->metres = 1.0;
    rb->slide_step = 0.0;
    for (int i = 0; i < BLOCK_MAX_ROWS; i++) {
        rb->lambda[i] = rb->bias[i] = rb->soft[i] = rb->C[i] = 0.0;
        rb->lower[i] = i == 0 ? 0.0 : -INFINITY;
        rb->upper[i] = INFINITY;
    }
}

/* Turns the tangents so that the first lies on the slip; without slip they stay. */
static void tangents_align(const World *world, const RowBlock *rb, Vec3 arm1, Vec3 arm2, Vec3 direction[BLOCK_MAX_ROWS])
{
    Vec3 v = vec3_sub(world_point_velocity(world, rb->body[1], arm2), world_point_velocity(world, rb->body[0], arm1));
    Vec3 slip = vec3_add_scaled(v, -vec3_dot(v, direction[0]), direction[0]);
    double size = vec3_norm(slip);
    if (!(size > SLIP_NONE * world->length_scale))
        return;
    direction[1] = vec3_scale(1.0 / size, slip);
    direction[2] = vec3_cross(direction[0], direction[1]);
}

/* n.(p2 - p1), the surface points where the bodies are now. */
static double point_gap(const World *world, int b, const ContactFrame *f, const RowSetup *setup)
{
    ContactFrame now = setup->levers ? contact_frame(world, &world->blocks[b]) : *f;
    return vec3_dot(f->n, vec3_sub(now.p2, now.p1));
}

static void point_set_rows(RowBlock *rb, const RowSystem *system, const World *world, int b, const ContactFrame *f,
                           const RowSetup *setup)
{
    const Pose *pose = setup->levers ? setup->levers : world->pose;
    Vec3 direction[BLOCK_MAX_ROWS] = {f->n, f->t1, f->t2};
    Vec3 arm1 = vec3_sub(f->at, pose[rb->body[0]].x), arm2 = vec3_sub(f->at, pose[rb->body[1]].x);
    if (setup->friction == FRICTION_FACETS)
        tangents_align(world, rb, arm1, arm2, direction);
    for (int i = 0; i < BLOCK_MAX_ROWS; i++)
        row_linear(rb->J[i], direction[i], arm1, arm2);
    rb->C[0] = point_gap(world, b, f, setup);
    rb->bounce = normal_bounce(rb, world, setup);
    bool grounded = world_is_fixed(world, rb->body[0]) || world_is_fixed(world, rb->body[1]);
    const SoftRows *soft = grounded ? &setup->soft_ground : &setup->soft_contact;
    rb->bias[0] = normal_bias(rb, setup, soft);
    row_block_prepare_masses(rb, system, world);
    if (rb->C[0] <= 0.0 && rb->bounce == 0.0)
        row_block_soften(rb, 0, soft->share);
    if (rb->count == BLOCK_MAX_ROWS) {
        rb->slide_step = slide_step((const double(*)[BLOCK_MAX_ROWS])rb->A);
        tangent_inverse(rb);
    }
}

static void point_prepare(RowBlock *rb, const RowSystem *system, const World *world, int b, int friction,
                          const ContactFrame *frame, const RowSetup *setup)
{
    const Block *block = &world->blocks[b];
    bool rubs = block->friction > 0.0;
    point_clear(rb);
    rb->count = block->off || (setup->part && !setup->part[b]) ? 0 : rubs ? 3 : 1;
    rb->kind = rubs ? ROWS_CONTACT : ROWS_BOUNDED;
    rb->mu = block->friction;
    rb->restitution = block->restitution;
    rb->slides_with_patch = block->patch_radius > 0.0;
    if (rb->count == 0)
        return;
    memcpy(rb->body, block->body, sizeof rb->body);
    point_set_rows(rb, system, world, b, frame, setup);
    if (setup->keep > 0.0) {
        /* The cached impulse is a vector on body 2: J's third triple is the row's direction there. */
        Vec3 cached = vec3_scale(setup->keep, vec3_add(world->block_impulse[b], world->block_impulse[friction]));
        for (int i = 0; i < rb->count; i++)
            rb->lambda[i] = vec3_dot(cached, vec3(rb->J[i][6], rb->J[i][7], rb->J[i][8]));
        rb->lambda[0] = fmax(rb->lambda[0], 0.0);
    }
}

/* All but lambda, which is there already. */
static void point_pack(ContactRow *row, const RowBlock *rb, const World *world, FrictionModel friction)
{
    bool cone = friction == FRICTION_CONE || friction == FRICTION_FACETS;
    row->slides_with_patch = rb->slides_with_patch;
    row->bias = rb->bias[0];
    row->soft = rb->soft[0];
    row->A = rb->A[0][0];
    row->step = rb->step[0];
    for (int k = 0; k < 2; k++) {
        row->body[k] = rb->body[k];
        row->inv_mass[k] = world->mass[rb->body[k]].inv_mass;
    }
    for (int i = 0; i < rb->count; i++) {
        memcpy(row->row[i], rb->J[i], sizeof(double[6]));
        memcpy(row->row[i] + 6, rb->J[i] + 9, sizeof(double[3]));
        memcpy(row->row[i] + 9, rb->B[i] + 3, sizeof(double[3]));
        memcpy(row->row[i] + 12, rb->B[i] + 9, sizeof(double[3]));
    }
    if (rb->count < BLOCK_MAX_ROWS)
        return;
    row->bound = rb->mu;
    row->slide_step = rb->slide_step;
    row->coupling[0] = rb->A[1][0];
    row->coupling[1] = rb->A[2][0];
    row->tangent[0] = cone ? rb->T[1][1] : rb->step[1];
    row->tangent[1] = cone ? rb->T[1][2] : rb->A[2][1];
    row->tangent[2] = cone ? rb->T[2][2] : rb->step[2];
}

/* The packed points of a torsion block's patch. */
static ContactRow *patch_points(const RowSystem *system, const RowBlock *torsion)
{
    return &system->contacts[system->blocks[torsion->patch.first].packed];
}

static void torsion_prepare(RowBlock *rb, const World *world, const ManifoldBlocks *manifold, RowSystem *system,
                            const RowSetup *setup)
{
    const Block *block = &world->blocks[manifold->torsion];
    Rows rows;
    block_rows(world, block, &rows);
    *rb = (RowBlock){.count = rows.count,
                     .lambda = rb->lambda,
                     .packed = rb->packed,
                     .kind = ROWS_TORSION,
                     .metres = block_metres(world, BLOCK_TORSION),
                     .mu = block->friction,
                     .patch_arm = 2.0 / 3.0 * block->patch_radius,
                     .patch = *manifold};
    memcpy(rb->body, block->body, sizeof rb->body);
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
    for (int i = 0; i < manifold->count; i++)
        points[i].slide_step = system->blocks[points[i].block].slide_step = rb->slide_step;
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
    first->group = (short)count;
    first->inverse = -1;
    for (int i = 1; i < count; i++)
        first[i].follows = true;
}

/* Lets the normals of a manifold be solved together. */
static void group_prepare(RowSystem *system, ContactRow *first, RowBlock *const point[MANIFOLD_MAX], int count)
{
    ManifoldMatrix A = {{0}};
    double B[ROW_WIDTH][MANIFOLD_MAX] = {{0}}; /* side by side, so that four sums run at once */
    for (int c = 0; c < ROW_WIDTH; c++)
        for (int j = 0; j < count; j++)
            B[c][j] = point[j]->B[0][c];
    for (int i = 0; i < count; i++)
        for (int c = 0; c < ROW_WIDTH; c++)
            for (int j = 0; j < MANIFOLD_MAX; j++)
                A[i][j] += point[i]->J[0][c] * B[c][j];
    for (int i = 0; i < count; i++)
        A[i][i] += point[i]->soft[0];
    group_begin(first, count);
    first->inverse = system->inverse_count++;
    manifold_invert(count, A, system->inverses[first->inverse]);
}

/* The next packed row, of block b. */
static ContactRow *contact_begin(RowSystem *system, int b, RowKind kind)
{
    RowBlock *rb = &system->blocks[b];
    ContactRow *row = &system->contacts[system->contact_count];
    rb->packed = system->contact_count++;
    row->block = b;
    row->kind = (short)kind;
    row->group = 0;
    row->follows = false;
    row->slide_step = 0.0;
    rb->lambda = kind == ROWS_TORSION ? system->lambda + BLOCK_MAX_ROWS * b : row->lambda;
    return row;
}

/* Counts the block's rows and returns `sum` with their b^2 added. */
static double contact_finish(RowSystem *system, const World *world, ContactRow *row, const RowBlock *rb, double sum)
{
    double r[BLOCK_MAX_ROWS];
    row->count = (short)rb->count;
    system->blocks[row->block].count = rb->count;
    system->rows += rb->count;
    if (rb->count > 0)
        row_block_residuals(rb, world->velocity, r);
    for (int i = 0; i < rb->count; i++)
        sum += rb->metres * r[i] * (rb->metres * r[i]);
    return sum;
}

/* The block of a point's friction: its rows are in the contact's. */
static void friction_block_clear(RowSystem *system, int b)
{
    system->blocks[b].count = 0;
    system->blocks[b].lambda = system->lambda + BLOCK_MAX_ROWS * b;
}

/* The points of a manifold, whose directions and arms are taken in the world `then`. Their blocks are filled where
 * someone may look at them, else on the stack. */
static double manifold_prepare(RowSystem *system, const World *world, const World *then, const ManifoldBlocks *manifold,
                               const RowSetup *setup, double sum)
{
    RowBlock here[MANIFOLD_MAX], *point[MANIFOLD_MAX];
    ContactRow *first = &system->contacts[system->contact_count];
    ContactFrame frame = contact_frame(then, &world->blocks[manifold->first]);
    for (int i = 0; i < manifold->count; i++) {
        int at = manifold_contact(manifold, i);
        const Block *block = &world->blocks[at];
        ContactRow *row = contact_begin(system, at, block->friction > 0.0 ? ROWS_CONTACT : ROWS_BOUNDED);
        point[i] = setup->sweeps_only ? &here[i] : &system->blocks[at];
        point[i]->lambda = row->lambda;
        if (i > 0)
            contact_frame_move(then, block, &frame);
        point_prepare(point[i], system, world, at, manifold_friction(manifold, i), &frame, setup);
        if (point[i]->count > 0)
            point_pack(row, point[i], world, setup->friction);
        sum = contact_finish(system, world, row, point[i], sum);
        friction_block_clear(system, manifold_friction(manifold, i));
    }
    if (setup->manifold && manifold->count > 1 && first->count > 0)
        group_prepare(system, first, point, manifold->count);
    else if (setup->normals_first && manifold->count > 1 && first->count > 0)
        group_begin(first, manifold->count);
    return sum;
}

void contact_row_set_bias(RowSystem *system, int b, double bias)
{
    RowBlock *rb = &system->blocks[b];
    rb->bias[0] = system->contacts[rb->packed].bias = bias;
}

void contact_rows_drop_errors(RowSystem *system, const RowSetup *setup)
{
    RowSetup still = *setup;
    const SoftRows rigid = {0};
    still.rate = 0.0;
    for (int k = 0; k < system->contact_count; k++) {
        const ContactRow *row = &system->contacts[k];
        if (row->kind != ROWS_TORSION && row->count > 0)
            contact_row_set_bias(system, row->block, normal_bias(&system->blocks[row->block], &still, &rigid));
    }
}

double contact_rows_prepare(RowSystem *system, const World *world, const RowSetup *setup, double sum)
{
    World moved = *world;
    moved.pose = setup->levers ? (Pose *)setup->levers : world->pose;
    system->contact_count = system->inverse_count = 0;
    for (int m = 0; m < world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &world->manifolds[m];
        int torsion = manifold->torsion;
        sum = manifold_prepare(system, world, &moved, manifold, setup, sum);
        if (torsion < 0)
            continue;
        ContactRow *row = contact_begin(system, torsion, ROWS_TORSION);
        if (setup->part && !setup->part[torsion])
            system->blocks[torsion].count = 0;
        else
            torsion_prepare(&system->blocks[torsion], world, manifold, system, setup);
        sum = contact_finish(system, world, row, &system->blocks[torsion], sum);
    }
    if (setup->friction == FRICTION_BOX)
        box_bounds_prepare(system, world, setup->h);
    return sum;
}
