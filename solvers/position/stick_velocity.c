#include "solvers/position/stick.h"

/* A contact point at the end of the substep. */
typedef struct Point {
    int body[2];
    Vec3 n, arm[2];
} Point;

static bool point_at(const World *world, int b, Point *point)
{
    const Block *block = &world->blocks[b];
    BlockError e;
    block_error(world, block, &e);
    *point = (Point){{block->body[0], block->body[1]}, e.gradient, {e.arm1, e.arm2}};
    return e.active;
}

static Vec3 point_velocity(const Velocity *velocity, const Point *p)
{
    Vec3 v[2];
    for (int k = 0; k < 2; k++)
        v[k] = vec3_add(velocity[p->body[k]].v, vec3_cross(velocity[p->body[k]].w, p->arm[k]));
    return vec3_sub(v[1], v[0]);
}

/* w1 + w2 along the unit direction u */
static double point_weight(const World *world, const Point *p, Vec3 u)
{
    double w = 0.0;
    for (int k = 0; k < 2; k++) {
        Vec3 moment = vec3_cross(p->arm[k], u);
        w += world->mass[p->body[k]].inv_mass + vec3_dot(moment, world_inv_inertia_mul(world, p->body[k], moment));
    }
    return w;
}

static void point_push(World *world, const Point *p, Vec3 impulse)
{
    for (int k = 0; k < 2; k++) {
        Velocity *u = &world->velocity[p->body[k]];
        Vec3 own = k == 0 ? vec3_negate(impulse) : impulse;
        u->v = vec3_add_scaled(u->v, world->mass[p->body[k]].inv_mass, own);
        u->w = vec3_add(u->w, world_inv_inertia_mul(world, p->body[k], vec3_cross(p->arm[k], own)));
    }
}

static Vec3 tangential(Vec3 v, Vec3 n)
{
    return vec3_add_scaled(v, -vec3_dot(n, v), n);
}

static void point_slide(World *world, int b, int friction, const Point *p, double N)
{
    double limit = world->blocks[b].friction * N;
    Vec3 slip = tangential(point_velocity(world->velocity, p), p->n);
    double speed = vec3_norm(slip), left = limit - vec3_norm(world->block_impulse[friction]);
    if (speed == 0.0 || left <= 0.0)
        return;
    Vec3 u = vec3_scale(1.0 / speed, slip);
    Vec3 impulse = vec3_scale(-fmin(left, speed / point_weight(world, p, u)), u);
    point_push(world, p, impulse);
    world->block_impulse[friction] = vec3_add(world->block_impulse[friction], impulse);
}

/* Stops the point, at most back to where its contact has given nothing. */
static void point_stop(World *world, int b, const Point *p)
{
    double now = vec3_dot(p->n, point_velocity(world->velocity, p));
    double given = vec3_dot(p->n, world->block_impulse[b]);
    double impulse = fmax(-now / point_weight(world, p, p->n), -given);
    point_push(world, p, vec3_scale(impulse, p->n));
    world->block_impulse[b] = vec3_add_scaled(world->block_impulse[b], impulse, p->n);
}

/* Friction force and torque of a patch together; neither may turn its velocity round. */
static int patch_slide(World *world, const ManifoldBlocks *manifold, const Multiplier *multipliers, double h)
{
    const Block *block = &world->blocks[manifold->torsion];
    double arm = 2.0 / 3.0 * block->patch_radius, N = 0.0, slip2 = 0.0, weight = 0.0;
    Vec3 n = VEC3_ZERO;
    for (int i = 0; i < manifold->count; i++) {
        int contact = manifold_contact(manifold, i);
        Point p;
        if (multipliers[contact].lambda.x <= 0.0 || !point_at(world, contact, &p))
            continue;
        Vec3 slip = tangential(point_velocity(world->velocity, &p), p.n);
        double share = multipliers[contact].lambda.x / h, speed = vec3_norm(slip);
        N += share;
        n = p.n;
        slip2 += share * speed * speed;
        if (speed > 0.0)
            weight = fmax(weight, point_weight(world, &p, vec3_scale(1.0 / speed, slip)));
    }
    if (N == 0.0)
        return 0;
    Vec3 turn1 = world_inv_inertia_mul(world, block->body[0], n),
         turn2 = world_inv_inertia_mul(world, block->body[1], n);
    double spin_weight = vec3_dot(n, turn1) + vec3_dot(n, turn2);
    double spin = vec3_dot(n, vec3_sub(world->velocity[block->body[1]].w, world->velocity[block->body[0]].w));
    double sigma = sqrt(slip2 / N + arm * arm * spin * spin);
    if (sigma == 0.0)
        return 0;
    double turn_weight = arm * arm * spin_weight, most = fmax(weight, turn_weight);
    double k = most > 0.0 ? fmin(block->friction * N / sigma, 1.0 / most) : block->friction * N / sigma;
    for (int i = 0; i < manifold->count; i++) {
        int contact = manifold_contact(manifold, i);
        Point p;
        if (multipliers[contact].lambda.x <= 0.0 || !point_at(world, contact, &p))
            continue;
        Vec3 slip = tangential(point_velocity(world->velocity, &p), p.n);
        Vec3 impulse = vec3_scale(-k * multipliers[contact].lambda.x / h / N, slip);
        point_push(world, &p, impulse);
        world->block_impulse[manifold_friction(manifold, i)] =
            vec3_add(world->block_impulse[manifold_friction(manifold, i)], impulse);
    }
    double torque = -k * arm * arm * spin;
    world->velocity[block->body[0]].w = vec3_add_scaled(world->velocity[block->body[0]].w, -torque, turn1);
    world->velocity[block->body[1]].w = vec3_add_scaled(world->velocity[block->body[1]].w, torque, turn2);
    world->block_impulse[manifold->torsion] = vec3_scale(torque, n);
    return 1;
}

/* Static friction was bounded by the loads of an earlier iteration or substep, and a stop may take load away: what the
 * load of the manifold does not carry in the end is given back. Of the manifold, since its points are dependent:
 * which of them carries is open. */
static void manifold_release(World *world, const ManifoldBlocks *manifold)
{
    double held = 0.0, limit = 0.0;
    for (int i = 0; i < manifold->count; i++) {
        int b = manifold_contact(manifold, i);
        held += vec3_norm(world->block_impulse[manifold_friction(manifold, i)]);
        limit += world->blocks[b].friction * vec3_norm(world->block_impulse[b]);
    }
    for (int i = 0; held > limit && i < manifold->count; i++) {
        Vec3 *friction = &world->block_impulse[manifold_friction(manifold, i)];
        Vec3 excess = vec3_scale(1.0 - limit / held, *friction);
        Point p;
        if (point_at(world, manifold_contact(manifold, i), &p))
            point_push(world, &p, vec3_negate(excess));
        *friction = vec3_sub(*friction, excess);
    }
}

/* The points of a manifold, once each. Returns the rows solved. */
static int manifold_pass(World *world, const ManifoldBlocks *manifold, const Multiplier *multipliers, double h)
{
    int rows = 0;
    for (int i = 0; i < manifold->count; i++) {
        int b = manifold_contact(manifold, i);
        Point p;
        if (multipliers[b].lambda.x <= 0.0 || !point_at(world, b, &p))
            continue;
        if (manifold->torsion < 0 && world->blocks[b].friction > 0.0) {
            point_slide(world, b, manifold_friction(manifold, i), &p, multipliers[b].lambda.x / h);
            rows += 2;
        }
        point_stop(world, b, &p);
        rows++;
    }
    manifold_release(world, manifold);
    return rows;
}

int stick_velocities(World *world, const Multiplier *multipliers, double h)
{
    int rows = 0;
    for (int m = 0; m < world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &world->manifolds[m];
        rows += manifold_pass(world, manifold, multipliers, h);
        if (manifold->torsion >= 0)
            rows += patch_slide(world, manifold, multipliers, h);
    }
    return rows;
}
