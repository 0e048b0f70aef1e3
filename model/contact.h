/* SPDX-License-Identifier: MIT */
/* Contacts: what detection found between the world's bodies. They are kept from one detection to the next, so that a
 * solver may start from the last impulses. How a contact travels:
 *     contacts_detect          a ContactPoint of a Manifold: where it is on both bodies, and its cached impulse
 *     contacts_add_blocks      two Blocks (normal, friction), which any solver evaluates at any pose; world->manifolds
 *                              says which; block_impulse holds the cached impulse, and in the end what the solver gave
 *     row_system_prepare       velocity level only: a packed ContactRow, what a sweep reads (a RowBlock beside it only
 *                              for those who want J or A of single points)
 *     contacts_store_impulses  from block_impulse back into the point, before the next detection
 * The order is always that of the bodies. Where more than four points touch, those of the last detection are preferred.
 */
#ifndef RIGOR_MODEL_CONTACT_H
#define RIGOR_MODEL_CONTACT_H

#include "model/collision/broadphase.h"
#include "model/collision/collide.h"
#include "model/order.h"
#include "model/world.h"

/* Points closer than this part of the length scale are contacts with C > 0: a body that rocks or bounces by as much as
 * solvers leave keeps its points, and with them its cached impulses. */
#define CONTACT_MARGIN (2.0 * OVERLAP_LEFT)

/* How much a kept manifold may be off, as a part of the length scale: a tenth of the margin, so that no contact comes
 * late by more, and a fifth of the overlap that solvers leave. */
#define CONTACT_KEEP (0.1 * CONTACT_MARGIN)

/* Most pairs that touch in one detection: CONTACT_PAIRS + CONTACT_PAIRS_A_BODY for each body. Spheres of one size touch
 * twelve others at most, six pairs a body; bodies put into one another would touch each with each. Pairs beyond that,
 * in the order of the bodies, are left out, and the run says so. A pair has MANIFOLD_MAX points at most. */
enum { CONTACT_PAIRS = 1024, CONTACT_PAIRS_A_BODY = 32 };

/* Points on the two cores in the bodies' internal frames; the surfaces lie `radius` beyond (collide.h, Touch), so that
 * C = n.(p2 - p1) can be taken anew at any pose, also of a body that rolls. */
typedef struct ContactPoint {
    uint64_t id; /* of the touching features, for finding the point again */
    Vec3 anchor1, anchor2;
    double radius1, radius2;
    double gap;   /* m, C at detection; negative: overlap */
    Vec3 impulse; /* N s on body 2, world: normal and tangent as one vector, so that it survives a turned basis */
} ContactPoint;

/* All but found_at is written by every detection. */
typedef struct Manifold {
    int body1, body2;             /* body1 < body2, unless shapes of fused bodies touch */
    int collider1, collider2;     /* theirs that touch, in order */
    unsigned char count, carrier; /* NormalCarrier */
    bool stays;                   /* the next detection keeps it: it hardly moved since the points were found */
    bool recovers[MANIFOLD_MAX];  /* a point first found deeper than OVERLAP_LEFT, so not pressed in by load, and not
                                   * apart since */
    Vec3 normal;                  /* from 1 to 2, world, at detection */
    Vec3 torsion;                 /* N m s on body 2, world: of the patch's spin friction */
    double friction, restitution, patch_radius; /* of the two materials together */
    double static_friction;                     /* likewise; friction, if there is no other */
    double rolling_friction, spin_friction;     /* m */
    ContactPoint *point;                        /* `count` of the list's points */
    Pose found_at;                              /* of body 2 in body 1's frame, when the points were found */
} Manifold;

/* The blocks that it becomes. */
static inline int manifold_block_count(const Manifold *manifold)
{
    return 2 * manifold->count + (manifold->patch_radius != 0.0);
}

/* m, of the circle in which round surfaces of radii r1, r2 (0: flat) overlap by the depth d: sqrt(2 R d) to first order
 * in d, 1/R = 1/r1 + 1/r2. A material whose patch radius comes from the contact's geometry has this one at contacts of
 * one point. Several points resist spinning by their own friction and have none. */
double contact_patch_radius(double r1, double r2, double depth);

/* What one contact point gave in the frame so far, and where it was last. */
typedef struct ContactSum {
    int body1, body2;
    int collider1, collider2;
    uint64_t id;
    Vec3 point, normal; /* on body 2; from body 1 to body 2 */
    Vec3 impulse;       /* N s on body 2 */
} ContactSum;

/* What a list of pairs was made with. */
typedef struct PairsListed {
    int colliders, joints, exceptions, only;
    bool joined_collide;
    double length_scale;
} PairsListed;

typedef struct PlaneListed {
    int collider;
    ShapeKind kind; /* SHAPE_NONE: it did not collide */
    Vec3 normal;
    double offset;
} PlaneListed;

struct Contacts {
    size_t manifold_count, capacity, point_capacity;
    Manifold *manifolds;
    ContactPoint *points;    /* of the manifolds: one after the other, those of each thread */
    size_t block_count;      /* that the manifolds become */
    bool recovers;           /* some point does */
    Ordering ordering;       /* created: they are sorted by body1, body2 */
    bool left_out;           /* more pairs touch than are kept */
    unsigned long detection; /* its number, from 1: blocks are those of this one */

    /* s, how far ahead to look: points that the bodies' speeds could close in this time are contacts. 0: only those
     * within the margin. Set it to the time between two detections where substeps lie between. */
    double reach;

    /* m; a pair keeps its points if it moved by no more than this since they were found (model/contact/memory.h).
     * 0: no pair keeps them. A part of the length scale: CONTACT_KEEP for --detect lazy. */
    double keep;
    size_t kept_count; /* manifolds of the last detection that were kept */

    /* Over the frame, where somebody asks for them. */
    bool sums_wanted, sums_lost;    /* lost: out of memory */
    size_t sum_count, sum_capacity; /* the capacity is a power of two */
    ContactSum *sums;
    uint32_t *sum_slots; /* twice the capacity: model/contact/sums.c */

    size_t previous_count, previous_capacity, previous_point_capacity;
    Manifold *previous;
    ContactPoint *previous_points;
    Broadphase broadphase;
    size_t convex_count, convex_capacity;
    Convex *convexes; /* by collider, as all below; SHAPE_NONE: does not collide now */
    size_t travel_capacity;
    double *travel; /* m: how far it may come within the reach */
    size_t bounds_capacity;
    Bounds *bounds; /* with its share of the margin; those that `broadphase` has are wider */
    size_t polyhedron_count, polyhedron_capacity;
    Polyhedron **polyhedra; /* NULL: not needed */
    size_t plane_count, plane_capacity;
    PlaneListed *planes;
    PairsListed listed;
    size_t excluded_count, excluded_capacity;
    PairKey *excluded; /* pairs of colliders that may not collide, or, where `only` some may, those; sorted */
};

Contacts *contacts_create(void);
void contacts_destroy(Contacts *contacts);

/* Finds all contacts at the current poses. Allocates only where its arrays must grow; false when out of memory. */
bool contacts_detect(World *world);

/* Its two halves: which pairs may be near (broad phase), and which are, and where they touch (narrow phase). */
bool contacts_find_pairs(World *world);
bool contacts_collide_pairs(World *world);

/* m, how near two colliders must be for a contact. */
static inline double contacts_margin(const World *world, int one, int two)
{
    return CONTACT_MARGIN * world->length_scale + world->contacts->travel[one] + world->contacts->travel[two];
}

static inline const Material *contacts_material(const World *world, int body)
{
    return &world->materials[world->bodies[body].material];
}

/* How many pairs that touch are kept at most. */
size_t contacts_most(const World *world);

/* Replaces the blocks after the joints': for each point CONTACT and FRICTION, for each manifold with a patch one
 * TORSION after its points. Their block_impulse is the cached one. False when out of memory. */
bool contacts_add_blocks(World *world);

/* Sums over a frame: forgotten as it begins, added to after every substep. False when out of memory. */
void contacts_begin_sums(Contacts *contacts);
bool contacts_add_sums(World *world);

/* Puts the contact blocks' impulses into the points they came from. */
void contacts_store_impulses(World *world);

/* Lists in `excluded` the pairs that are told apart by name. False when out of memory. */
bool contacts_list_excluded(World *world);

/* Whether groups, masks and bodies let two colliders touch: not of one body, and a bit in common, unless pairs are
 * named. */
static inline bool colliders_may_meet(const World *world, int one, int two)
{
    const Collider *a = &world->colliders[one], *b = &world->colliders[two];
    return !world->colliders_differ ||
           (a->body != b->body && (world->collide_only || (a->group & b->mask) || (b->group & a->mask)));
}

/* Whether two bodies could ever touch: both have shapes, one can move, and nothing excepts the pair. */
bool contacts_may_touch(const World *world, int one, int two);

/* Whether any two shapes could ever touch. */
bool contacts_may_be(const World *world);

/* What two materials have together. */
typedef struct PairLaw {
    double friction, static_friction, restitution;
    double rolling_friction, spin_friction; /* m */
} PairLaw;

PairLaw contacts_pair_law(const World *world, const Material *one, const Material *two);

/* Combines two materials' coefficients. */
static inline double contacts_combine(Combine how, double a, double b)
{
    switch (how) {
    case COMBINE_MULTIPLY:
        return a * b;
    case COMBINE_SUM:
        return a + b;
    case COMBINE_MIN:
        return fmin(a, b);
    case COMBINE_MAX:
        return fmax(a, b);
    default:
        return 0.5 * (a + b);
    }
}

/* The restitution of two bodies, from both materials. */
double contacts_restitution(const World *world, int one, int two);

/* A shape where its body is now, not of no kind; `poly` as convex_place has it. */
void collider_convex(const World *world, int collider, const Polyhedron *poly, Convex *convex);

/* The material of a collider. */
static inline const Material *collider_material(const World *world, int collider)
{
    const Collider *own = &world->colliders[collider];
    return &world->materials[own->material >= 0 ? own->material : world->bodies[own->listed].material];
}

/* Whether some pair of bodies may collide but has shapes that no collision test exists for. Fills the first such pair.
 */
bool contacts_unsupported_pair(const World *world, int pair[2]);

#endif
