/* SPDX-License-Identifier: MIT */
/* The world: bodies, joints and the building blocks they are made of, and the state that a solver moves.
 * Definitions (BodyDef, JointDef) are what a scene wrote, in the scene's own body frames; everything else is internal,
 * in frames turned to the principal axes. A body's inertia in the world is R diag(moments) R^T. */
#ifndef RIGOR_MODEL_WORLD_H
#define RIGOR_MODEL_WORLD_H

#include "model/block.h"
#include "model/joint.h"
#include "model/math3.h"
#include "model/shape.h"
#include "model/status.h"
#include "model/team.h"

#include <stdint.h>

typedef struct Contacts Contacts;

typedef struct Material {
    char *name;
    double friction;     /* mu */
    double restitution;  /* e */
    double patch_radius; /* m, of torsional friction; 0: a point; NaN: from the contact's geometry (contact.h) */

    double rolling_friction; /* m; the torque against rolling is at most this times the normal force */
    double spin_friction;    /* m; the same about the normal */
    double static_friction;  /* mu of what does not slide yet; 0: as friction, and never less */
    bool frictionless;       /* no friction of any kind, unless the other material has some */
    int condim;              /* of MuJoCo: 1 no friction, 3 sliding, 4 and spinning, 6 and rolling; 0: what is given */
    int priority;            /* of two materials the one of higher priority counts alone */
} Material;

typedef enum Combine { COMBINE_AVERAGE, COMBINE_MULTIPLY, COMBINE_SUM, COMBINE_MIN, COMBINE_MAX } Combine;

/* Position of the centre of mass and orientation of the principal axes. */
typedef struct Pose {
    Vec3 x;
    Quat q;
} Pose;

/* One of several shapes of a body. */
typedef struct BodyShape {
    const char *name; /* NULL: none */
    Shape shape;
    Pose at;              /* in the body's frame */
    int material;         /* -1: the body's */
    uint32_t group, mask; /* see BodyDef */
    double density, mass; /* kg/m^3 or kg; both 0: it weighs nothing, unless the body's own density counts */
} BodyShape;

#define BODY_SHAPE_INIT                                                                                                \
    {                                                                                                                  \
        .at = {.q = {1, 0, 0, 0}}, .material = -1, .group = 1, .mask = 1                                               \
    }

typedef struct BodyDef {
    const char *name;
    Vec3 position;
    Quat orientation;
    Vec3 velocity, angular_velocity;
    bool fixed;
    int material; /* index into the world's materials; 0 is the default material */
    Vec3 force;   /* N, constant, world frame, at the centre of mass */
    Vec3 torque;  /* N m */
    Shape shape;
    double density;   /* kg/m^3; 0: mass is given */
    double mass;      /* kg; with a shape: scales the shape's inertia to this mass */
    bool has_inertia; /* else the inertia is the shape's; no shape and no inertia: a particle, which never turns */
    Vec3 inertia;     /* kg m^2, about the axes of the body's frame: xx, yy, zz */
    Vec3 products;    /* likewise: xy, xz, yz */

    /* Several shapes in the place of `shape`. Where the body has neither mass nor density, theirs are its own, and
     * their centre must be its origin. */
    int shape_count;
    const BodyShape *shapes;

    /* Two shapes may touch if one's group and the other's mask have a bit in common. */
    uint32_t group, mask;

    bool has_frame; /* a frame of its own for results, given in the body's frame */
    Pose frame;

    /* Rigidly part of a body that is there already: solvers see one body, which has the mass and the shapes of all.
     * `position` and `orientation` are in the world all the same. */
    bool fused;
    int parent;
} BodyDef;

/* What a fresh definition holds: at the origin, at rest, unturned. */
#define BODY_DEF_INIT                                                                                                  \
    {                                                                                                                  \
        .orientation = {1, 0, 0, 0}, .group = 1, .mask = 1, .frame = {.q = {1, 0, 0, 0} }                              \
    }

typedef struct Velocity {
    Vec3 v; /* of the centre of mass */
    Vec3 w; /* angular, world frame */
} Velocity;

/* Zero inverses: fixed, or a particle that does not turn. */
typedef struct Mass {
    double mass, inv_mass;
    Vec3 inertia, inv_inertia; /* principal moments */
} Mass;

/* One shape as detection sees it. Colliders are numbered in the order of bodies and of the shapes of each; a body
 * without a shape has one of no kind, so that where no body has several, a collider has its body's number. */
typedef struct Collider {
    int body;   /* that moves it */
    int listed; /* whose shape it is: another one, where that is fused */
    Shape shape;
    Pose given;   /* in the frame of `listed` */
    Pose at;      /* in the internal frame of `body` */
    int material; /* -1: that of `listed` */
    uint32_t group, mask;
    Mesh *own_mesh; /* of one of several shapes, about its own centre; else NULL */
} Collider;

/* How a listed body rides on the one that moves it. */
typedef struct Ride {
    int root;      /* itself, unless it is fused */
    Pose seat;     /* of the definition's frame, in the root's internal frame */
    Mass own;      /* its own: world->mass of a root is that of all that is fused to it, and of these it is zero */
    Quat own_axes; /* its own principal axes in the definition's frame */
    int first_collider, collider_count;
} Ride;

typedef struct Joint {
    JointDef def;       /* with the bodies that move, where it was given for fused ones */
    int listed_body[4]; /* as given */
    int first_block, block_count;
    Vec3 anchor[2];                /* in the two bodies' internal frames */
    Vec3 axis[2];                  /* unit, likewise */
    bool off;                      /* one of its bodies was removed */
    Vec3 impulse, angular_impulse; /* N s and N m s on body 2, about its anchor; summed since world_begin_frame */
    int coordinate_count;          /* of those with a law, or of a series */
    JointCoordinate *coordinates;
    struct LawRow *law_rows; /* model/joint/law_rows.h */
    int law_row_count;
    bool needs_coordinates; /* its laws or axes have no rows between two bodies: joint coordinates alone can hold it */
} Joint;

/* A coordinate of a joint: of a series, axis `axis`; else the joint's own. */
typedef struct CoordinateRef {
    int joint, axis;
} CoordinateRef;

enum { COUPLING_MAX_TERMS = 8 };

/* q1 - start1 = polynomial(q2 - start2), or the constant alone where there is no second coordinate. */
typedef struct JointCoupling {
    const char *name;
    CoordinateRef of[2]; /* joint -1: none */
    int term_count;
    double polynomial[COUPLING_MAX_TERMS]; /* rising powers */
} JointCoupling;

/* The blocks of the contact points of one pair of bodies: a contact and a friction block a point, and one torsion block
 * if the pair touches in a patch. Filled where contacts become blocks; nobody else knows how they lie. */
typedef struct ManifoldBlocks {
    int body[2];
    int first, count; /* block of the first point; points */
    int torsion;      /* block, or -1 */
} ManifoldBlocks;

static inline int manifold_contact(const ManifoldBlocks *manifold, int point)
{
    return manifold->first + 2 * point;
}

static inline int manifold_friction(const ManifoldBlocks *manifold, int point)
{
    return manifold->first + 2 * point + 1;
}

typedef struct Attractor {
    Vec3 at;
    double gm; /* m^3/s^2; acceleration -gm r / |r|^3; 0: none */
} Attractor;

typedef struct World {
    Vec3 gravity;        /* m/s^2 */
    double length_scale; /* m; margins and tolerances are parts of it: 1 until world_measure_length or the scene says */
    Attractor attractor;

    int material_count;
    Material *materials;
    Combine combine_friction, combine_restitution;

    /* Bodies; body 0 is `world`: fixed, at the origin. One array for each use, so that hot loops stream. */
    int body_count, body_capacity;
    Pose *pose;
    Velocity *velocity;
    Mass *mass;
    Quat *principal; /* the internal axes in the definition's frame: q_internal = q_definition principal */
    BodyDef *bodies;
    Mesh **meshes;      /* a body's own mesh, or NULL */
    Vec3 **hull_points; /* a hull's vertices as the scene gave them, before recentring; else NULL */
    bool *removed;
    Ride *ride;
    int fused_count; /* bodies that are fused to others */
    int collider_count, collider_capacity;
    Collider *colliders;
    bool colliders_differ; /* in groups or masks, or in number from the bodies */
    Pose *pose_before;     /* at the beginning of the substep, for the work of forces */
    Velocity *velocity_before;

    /* Which bodies may touch: none until the scene says so; then all but the excepted pairs and joined bodies. */
    bool collide;
    bool joined_collide; /* bodies that a joint holds together touch as well */
    int collide_except_count, collide_except_capacity;
    int (*collide_except)[2];
    bool collide_only; /* these pairs alone, whatever their masks; `collide_except` is then empty */
    int collide_only_count, collide_only_capacity;
    int (*collide_only_pairs)[2];
    Contacts *contacts; /* what the last detection found: model/contact.h */

    int joint_count, joint_capacity;
    int actuated_count; /* joints with a force or torque of their own */
    int lawful_count;   /* joints with coordinates */
    Joint *joints;

    int coupling_count;
    JointCoupling *couplings;

    /* The joints' blocks in order of creation (or as model/order.h says), then the contacts' blocks of the current
     * detection. */
    int block_count, joint_block_count, block_capacity;
    Block *blocks;
    size_t terms_capacity, seat_capacity;
    JointTerms *terms; /* of the joints' blocks, as created: the blocks point at them */
    BlockSeat *seats;  /* of the contacts */
    int manifold_count, manifold_capacity;
    ManifoldBlocks *manifolds; /* of the contacts' blocks, in their order */

    /* N s or N m s that each block gave its second body in the last substep, world frame; left by the solver. */
    Vec3 *block_impulse;

    double actuator_work; /* J, of motors, servos, actuators and the bodies' constant forces, since the start */
    double torque_work;   /* J, of the bodies' constant torques in this substep, from a solver that knows more of their
                           * turns than the two ends; NaN: the model's rule */

    Team *team; /* threads that detection and solvers may use (model/team.h), not the world's own; NULL: no others */
} World;

/* Where the contact of this block sits. Contacts are two blocks apart at least: half their numbers all differ. */
static inline BlockSeat *world_contact_seat(const World *world, int block)
{
    return &world->seats[(block - world->joint_block_count) / 2];
}

/* Limits of a world: the broad phase can number this many bodies; joints may be twice as many. */
enum { WORLD_MAX_BODIES = 1 << 22, WORLD_MAX_JOINTS = 1 << 23 };

World *world_create(void);
void world_destroy(World *world);

/* Returns the index, or -1 with a message. Names are copied; the mesh of a shape is copied and recentred. */
int world_add_material(World *world, const Material *material);
int world_add_body(World *world, const BodyDef *def, Status *status);
int world_add_joint(World *world, const JointDef *def, Status *status);

/* The name is copied; false when out of memory. */
bool world_add_coupling(World *world, const JointCoupling *coupling);

/* These two bodies pass through each other; false when out of memory. */
bool world_add_collide_exception(World *world, int body1, int body2);

/* From now on only the pairs so named may touch; false when out of memory. */
bool world_add_collide_only(World *world, int body1, int body2);

/* A fresh block of a joint at the end of the list: rigid, unbounded, without limits; NULL when out of memory. */
Block *world_add_block(World *world);

/* Room for `count` more blocks at the end of the list, which the caller fills; NULL when out of memory. */
Block *world_add_blocks(World *world, int count);

/* More manifolds, for the caller to fill; false when out of memory. */
bool world_add_manifolds(World *world, int count);

/* Returns the index of the body so named, or -1. */
int world_find_body(const World *world, const char *name);

/* Sets length_scale from what there is now: the lower median over moving bodies with a shape of the longest edge of
 * their bounds; without one, the largest distance between joined anchors or centres; else 1 m. False when out of
 * memory. */
bool world_measure_length(World *world);

/* m/s: sqrt(g length_scale), as a body falls over its own length; without gravity a length scale in a second. */
double world_pace(const World *world);

/* Takes the body and its joints out of the simulation: it stays where it is, fixed, without contacts. */
void world_remove_body(World *world, int body);

static inline bool world_is_fixed(const World *world, int body)
{
    return world->mass[body].inv_mass == 0.0;
}

/* Equal moments, as a ball or a cube has them: its inertia is the same in every frame. */
static inline bool mass_is_even(const Mass *mass)
{
    Vec3 i = mass->inv_inertia;
    return i.x == i.y && i.y == i.z;
}

/* The pose's orientation in the definition's frame: what results report. */
static inline Quat world_reported_orientation(const World *world, int body)
{
    return quat_mul(world->pose[body].q, quat_conj(world->principal[body]));
}

/* Whether results of the body differ from what solvers move: others are fused to it, or it to another. */
static inline bool world_rides(const World *world, int body)
{
    return world->fused_count > 0 && !vec3_is_zero(world->ride[body].seat.x);
}

/* The body's own centre of mass, as the definition has it. */
static inline Vec3 world_reported_position(const World *world, int body)
{
    const Ride *ride = &world->ride[body];
    if (!world_rides(world, body))
        return world->pose[body].x;
    return vec3_add(world->pose[ride->root].x, quat_rotate(world->pose[ride->root].q, ride->seat.x));
}

Velocity world_reported_velocity(const World *world, int body);

/* Of a body's own frame (BodyDef), in the world. */
Pose world_reported_frame(const World *world, int body);

/* Puts fused bodies where the bodies that move them are. */
void world_follow_fused(World *world);

/* Whether the body has a shape of its own, or one of several. */
static inline bool world_has_shape(const World *world, int body)
{
    return world->bodies[body].shape.kind != SHAPE_NONE || world->bodies[body].shape_count > 0;
}

/* The smallest distance from the moving body's centre that holds all shapes it carries; infinite with a plane. */
double world_bounding_radius(const World *world, int body);

/* Several shapes on some body that collides, ellipsoids, groups, or pairs that alone collide: what reaches beyond one
 * plain shape a body. */
bool world_has_plain_shapes(const World *world);

/* R diag(inv_inertia) R^T u without forming the matrix. */
static inline Vec3 world_inv_inertia_mul(const World *world, int body, Vec3 u)
{
    Quat q = world->pose[body].q;
    return quat_rotate(q, vec3_mul(world->mass[body].inv_inertia, quat_rotate_inverse(q, u)));
}

static inline Mat3 world_inv_inertia(const World *world, int body)
{
    return mat3_turn_diagonal(world->pose[body].q, world->mass[body].inv_inertia);
}

static inline Vec3 world_point(const World *world, int body, Vec3 local)
{
    return vec3_add(world->pose[body].x, quat_rotate(world->pose[body].q, local));
}

static inline Vec3 world_point_velocity(const World *world, int body, Vec3 arm)
{
    return vec3_add(world->velocity[body].v, vec3_cross(world->velocity[body].w, arm));
}

/* Acceleration of gravity and attractor at a place; not the bodies' own forces. */
Vec3 world_field(const World *world, Vec3 at);

/* Bookkeeping that is the same for every solver; the runner calls it around the solver's steps.
 * begin_frame forgets the joints' summed impulses; begin_substep moves the motors' targets on by h;
 * end_substep adds block impulses to the joints and to actuator_work, follows unwrapped angles, and keeps a stalled
 * motor from winding up. drop_traces, before it, makes zeros of poses', velocities' and block impulses' numbers below
 * TRACE. */
void world_begin_frame(World *world);
void world_begin_substep(World *world, double h);
void world_drop_traces(World *world);
void world_end_substep(World *world, double h);

#endif
