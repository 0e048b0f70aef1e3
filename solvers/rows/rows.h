/* SPDX-License-Identifier: MIT */
/* The velocity-level system, matrix-free: every block's rows at the substep's beginning, ready to be swept.
 *
 *     J V + s lambda + bias = 0,   V = V* + M^-1 J^T lambda,   lower <= lambda <= upper
 *
 * that is (J M^-1 J^T + s) lambda = b with b = -(J V* + bias). lambda is an impulse (N s), s = alpha/h^2 the softness
 * of a compliant row. Shared by the backends that solve for impulses. */
#ifndef RIGOR_SOLVERS_ROWS_ROWS_H
#define RIGOR_SOLVERS_ROWS_ROWS_H

#include "model/contact.h"
#include "model/rows/row_apply.h"
#include "solvers/contact/friction.h"
#include "solvers/contact/manifold.h"
#include "solvers/order/schedule.h"
#include "solvers/solver.h"

typedef enum RowKind {
    ROWS_BILATERAL, /* no row is bounded: the block's change is dlambda = -T r, see rows.c */
    ROWS_BOUNDED,   /* gone through one by one */
    ROWS_FOUR,      /* one row over four particles' v */
    ROWS_CONTACT,   /* a contact point: normal and two tangents, see contact_rows.h */
    ROWS_TORSION,   /* the spin of a contact patch */
} RowKind;

/* One block of up to three rows, as those see it who look at J and A. A sweep reads the packed forms below instead, but
 * for rows with bounds, volumes and torsion. */
typedef struct RowBlock {
    int body[4];
    bool fixed[4]; /* bodies that are never written */
    int count;     /* rows; 0: inactive */
    RowKind kind;
    bool is_soft;
    double forgets; /* share of its multipliers that a solve takes away: a block that is soft as a whole; else 0 */
    bool slides_with_patch; /* contact: its friction is bounded by the patch's TORSION block */
    double *lambda;         /* N s, where the sweep keeps it: in the packed form */
    double J[BLOCK_MAX_ROWS][ROW_WIDTH];
    double (*B)[ROW_WIDTH];      /* M^-1 J^T, transposed; apart, since a sweep has it packed */
    double bias[BLOCK_MAX_ROWS]; /* m/s */
    union {
        double T[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS];
        struct {                  /* of a torsion, which has no T */
            double patch_arm;     /* m: 2/3 patch radius, the largest torque over the largest force */
            ManifoldBlocks patch; /* the points it bounds */
        };
    };
    double step[BLOCK_MAX_ROWS]; /* 1 / A_ii */
    double lower[BLOCK_MAX_ROWS], upper[BLOCK_MAX_ROWS];

    /* Contact and torsion. */
    double mu;
    double slide_step; /* one step size for all sliding rows, so that friction opposes the slip exactly */

    double A[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS]; /* J B + s */
    double soft[BLOCK_MAX_ROWS];              /* s, 1/kg */
    double C[BLOCK_MAX_ROWS];                 /* error at the substep's beginning */
    double metres;                            /* block_metres: what norms weigh its rows with */
    double restitution;
    double bounce; /* m/s, contact: e v_n- where it is hit, what restitution makes of the bias; else 0 */
} RowBlock;

/* Two bodies, each with its v and w, or the four particles of a volume with their v. */
static inline int row_block_bodies(const RowBlock *rb)
{
    return rb->kind == ROWS_FOUR ? 4 : 2;
}

/* How many numbers of a row a body has: those of body k begin at J[i][k * width]. */
static inline int row_block_width(const RowBlock *rb)
{
    return ROW_WIDTH / row_block_bodies(rb);
}

enum { JOINT_COLUMNS = 9, CONTACT_ROW_WIDTH = 15 };

/* Where a joint's row that is alone has its linear part, and I^-1 times the angular ones. */
enum { ALONE_LINEAR = JOINT_COLUMNS, ALONE_TURN = ALONE_LINEAR + 3, ALONE_WIDTH = ALONE_TURN + 6 };

/* All that a sweep needs of a joint's block without bounds, in eight cache lines: a long chain has more of them than a
 * cache holds. T J is packed (row_packed.h) and stands column by column: four numbers from one on are a column of all
 * rows. A row that is alone has all its numbers there, one after the other. The rows' I^-1 times the angular parts of J
 * stand row by row. */
typedef struct JointRow {
    int body[2];
    short count, kind; /* as in its RowBlock, which is swept itself if it is not ROWS_BILATERAL */
    bool is_soft;
    unsigned char fixed;           /* bit k: body k is never written */
    bool is_ball;                  /* its rows are the three axes: J's linear part is -1 and 1, and not kept */
    bool is_bare;                  /* a ball whose RowBlock is not filled (ball_rows.h) */
    double lambda[BLOCK_MAX_ROWS]; /* N s; of every kind */
    double Tbias[BLOCK_MAX_ROWS];
    double inv_mass[2];
    double TJ[JOINT_COLUMNS][BLOCK_MAX_ROWS];
    double turn[BLOCK_MAX_ROWS][6];
    union {
        double linear[BLOCK_MAX_ROWS][3]; /* rows of J, of the first body */
        struct {                          /* of a bare ball, for those who ask for J */
            Vec3 arm[2];                  /* m, world */
            Vec3 C;                       /* m, error at the substep's beginning */
        };
    };
} JointRow;

/* The numbers of a contact point that a sweep needs, one each or a lane each (solvers/rows/point_lanes.h):
 *     lambda          N s
 *     bias, soft      of the normal, m/s, and its s, part of A_00; 0: rigid. The tangents have neither
 *     A, step         A_00, 1 / A_00
 *     coupling        A_10, A_20
 *     bound           of the tangents: mu; for FRICTION_BOX the lecture's mu m_c g h, N s
 *     slide_step, tangent   what the law of friction steps with (solvers/contact/law.h)
 *     row             J packed, -u, -(arm1 x u), arm2 x u, then I^-1 times the last two */
#define POINT_NUMBERS(Number)                                                                                          \
    Number lambda[BLOCK_MAX_ROWS], bias, soft, A, step, coupling[2], bound, slide_step, tangent[3], inv_mass[2];       \
    Number row[BLOCK_MAX_ROWS][CONTACT_ROW_WIDTH];

/* A contact point (or, for a patch's torsion, where to find it): a pile has more contacts than a cache holds, and the
 * time to solve one is the time to fetch it. */
typedef struct ContactRow {
    int body[2];
    int block;         /* the world's: of its normal, or the torsion */
    int unit;          /* its manifold's place in the order of the rows */
    short count, kind; /* of the block; kind is a RowKind */
    signed char group; /* points solved as a whole: their number at the first of them, 0 at the others and if alone */
    bool follows;      /* solved with the first of its group */
    bool slides_with_patch;
    unsigned char fixed; /* bit k: body k is never written */
    POINT_NUMBERS(double)
} ContactRow;

typedef struct RowSystem {
    int count, capacity;
    RowBlock *blocks; /* blocks[b] are the rows of world->blocks[b]; a friction block's are in its contact's */
    double (*B)[BLOCK_MAX_ROWS][ROW_WIDTH]; /* of each block */
    int plain_count;                        /* blocks before the contacts' packed ones */
    int joint_count;
    JointRow *joints; /* packed: joints[b] is blocks[b] */
    int contact_count;
    ContactRow *contacts; /* packed, in order of the blocks */
    struct RowSchedule
        *quads;     /* has the numbers of some manifolds instead (solvers/rows/row_schedule.h); NULL: of none */
    int *packed;    /* by block: its contact's index, -1: none */
    int unit_count; /* manifolds, in the order of the rows */
    int *first_row; /* by unit: its first contact; one more for the end */
    ManifoldMatrix *inverses; /* likewise: columns of w (J B)^-1 of the normals, where they are solved together */
    double b_norm;            /* |b| of the last preparation, m/s: each b_i times its block's metres */
    double pace;              /* m/s, a length scale a second: what residuals are shares of where b is zero */
    int rows;                 /* active */
    double joint_rate;        /* 1/s: row_rigid_rate, which gives the bias of a bare ball */
    double relaxation;
    FrictionModel friction;
    int facets;
    bool together, normals_first, friction_first, enumerate; /* as RowSetup has them; together: `manifold` */
    Mat3 *inv_inertia;                                       /* of each body, in the world, at the last preparation */
    int *points_of;                                          /* contact points of each body, scratch */
    double *multipliers; /* lambda row by row, filled by row_system_multipliers; b^2 while rows are prepared */
} RowSystem;

/* A row as a spring and damper by backward Euler (Catto 2011): with w = 2 pi hertz it asks for J V = -rate C and is
 * soft by `share` of its own A_ii. One row alone then moves as x'' = -w^2 x - 2 zeta w x', whatever it starts from. */
typedef struct SoftRows {
    double rate;  /* 1/s: w / (2 zeta + h w) */
    double share; /* 1 / (h w (2 zeta + h w)); 0: the row is rigid, and RowSetup's rate counts */
} SoftRows;

static inline SoftRows soft_rows(double hertz, double zeta, double h)
{
    double w = 2.0 * PI * hertz, a = 2.0 * zeta + h * w;
    return hertz > 0.0 ? (SoftRows){w / a, 1.0 / (h * w * a)} : (SoftRows){0};
}

/* How rows are set up. A position error C adds rate C to the bias of a rigid equality row or a violated limit
 * (rate = beta/h); a gap that is still open, and a soft row's error, always enter as C/h. */
typedef struct RowSetup {
    double h;
    double rate;                        /* 1/s */
    double relaxation;                  /* scales each change of a multiplier */
    bool whole;                         /* a bilateral block is solved, and softened, as a whole, not row by row */
    bool axial_apart;                   /* drives are apart: see block_is_axial */
    bool limits_wait;                   /* a rigid limit that is violated takes no error back */
    bool limit_slip;                    /* a soft upper limit does not let go of its impulse */
    SoftRows soft_joint;                /* violated rigid rows of joints */
    SoftRows soft_contact, soft_ground; /* closed contacts between moving bodies, and with fixed ones */
    double keep; /* warm starting: share of the last substep's, or the contact cache's, multipliers */
    FrictionModel friction;
    int facets;         /* of FRICTION_FACETS */
    bool sweeps_only;   /* nobody looks at blocks of contact points and balls, nor at B of joints: not filled */
    bool manifold;      /* the normals of a manifold are solved together, not point by point */
    bool normals_first; /* all normals of a manifold, point by point, then its friction */
    bool some_off;      /* points of a manifold may be off while others are not */
    /* Where blocks of several rows of joints, and pinned points, have what they are divided by; NULL: where they are.
     */
    const Pose *joint_masses, *point_masses;
    const Pose *contacts_at;      /* where contacts are; NULL: at the current poses */
    const Pose *levers;           /* where contacts have their directions and lever arms; NULL: at the current poses */
    double slop;                  /* m, contacts: overlap that is left alone */
    double push_speed;            /* m/s, contacts: an overlap is taken back no faster than this */
    double restitution_threshold; /* m/s: slower impacts do not bounce */
    bool friction_first;          /* of manifolds: friction comes before the normals */
    bool enumerate;               /* where a point of a manifold would pull: all sets that push are tried */
    const bool *part;             /* of each block, whether it takes part; NULL: all do */
    struct RowSchedule *quads;    /* where manifolds stand side by side; NULL: nowhere */
} RowSetup;

/* What kernels over rows, which a team shares, are given as their context. */
typedef struct RowWork {
    RowSystem *system;
    ScheduleSpan span;     /* of a level: joints' blocks, or manifolds in the order of the rows; else all of them */
    const World *world;    /* of preparations, impulses and Jacobi sweeps */
    const RowSetup *setup; /* of preparations */
    Velocity *velocity;    /* of sweeps */
    Velocity *change;      /* of Jacobi sweeps: of each body, summed here, while `velocity` stays */
} RowWork;

/* The joints' blocks, axial ones first of each joint. */
void joint_order_axial_first(const World *world, int *order);

/* False with a message if a dense matrix of that many rows is out of reach. */
bool row_count_fits_dense(const World *world, const char *solver, Status *status);

bool row_system_init(RowSystem *system, const World *world);
bool row_system_reserve(RowSystem *system, const World *world);
void row_system_free(RowSystem *system);

/* From now on packed rows have the numbers of all manifolds. */
void row_system_leave_quads(RowSystem *system);

/* Evaluates all rows at the current poses and velocities V*, which stay as they are. */
void row_system_prepare(RowSystem *system, const World *world, const RowSetup *setup);

/* The same rows for position errors alone, J u = -rate C, from a prepared system: rigid rows that are violated; all
 * others are left out. Multipliers start at zero. */
void row_system_prepare_split(RowSystem *split, const RowSystem *system, const World *world, const RowSetup *setup);

/* Takes the position errors of violated rigid rows out of the biases of a prepared system; targets, restitution, open
 * gaps and soft rows stay. Multipliers go on from where they are. */
void row_system_drop_errors(RowSystem *system, const RowSetup *setup);

/* Sweeps go through the contacts' blocks, which the caller may then change. */
void row_system_unpack(RowSystem *system);

/* Tells the sweep of a change of a joint block's count, kind or bias. */
void row_system_renew(RowSystem *system, int b);

/* V += M^-1 J^T lambda of every row. */
void row_system_apply(RowSystem *system, Velocity *velocity);

/* One Gauss-Seidel sweep in the given order of blocks (NULL: as created): each row (or whole block) is solved for its
 * own multiplier with all others held, clamped to its bounds. Returns the rows solved. */
int row_system_sweep(RowSystem *system, Velocity *velocity, const int *order);

/* The same over `count` blocks of the order alone. */
int row_system_sweep_part(RowSystem *system, Velocity *velocity, const int *order, int count);

/* The same over the joints' blocks alone, in order of creation. */
int row_system_sweep_joints(RowSystem *system, Velocity *velocity);

/* One Jacobi sweep over the joints' blocks: every block sees the velocities `seen` and, if none of its rows is bounded,
 * is solved as a whole; block b's changes are scaled by share[b] and added to `velocity`. Returns the rows solved. */
int row_system_jacobi(RowSystem *system, const World *world, const Velocity *seen, Velocity *velocity,
                      const double *share);

/* |natural map of (A lambda - b)| / |b|: a row's part is A_ii (lambda - clamp(lambda - r / A_ii)), r = (A lambda -
 * b)_i, which is r itself for a row that is not at a bound. */
double row_system_residual(const RowSystem *system, const Velocity *velocity);

/* A block's J V; its r = J V + bias + s lambda; V += M^-1 J^T d. For those that do not sweep. */
void row_block_rates(const RowBlock *rb, const Velocity *velocity, double rates[BLOCK_MAX_ROWS]);
void row_block_residuals(const RowBlock *rb, const Velocity *velocity, double r[BLOCK_MAX_ROWS]);
void row_block_push(const RowBlock *rb, const double d[BLOCK_MAX_ROWS], Velocity *velocity);

/* J^T lambda on the second body of block b: linear, or angular for angular kinds. */
Vec3 row_system_on_body2(const RowSystem *system, const World *world, int b);

/* Leaves the impulse of each block on its second body in world->block_impulse. */
void row_system_store_impulses(const RowSystem *system, World *world);

/* The joints' lambda from world->block_impulse, for a run that goes on: the inverse of the above, a row's direction
 * being at right angles to those of its block's others. */
void row_system_recall_impulses(RowSystem *system, const World *world);

/* lambda of all active rows in order; returns their number. */
int row_system_multipliers(RowSystem *system, const double **lambda);

#endif
