/* The velocity-level system, matrix-free: every block's rows at the substep's beginning, ready to be swept.
 *
 *     J V + s lambda + bias = 0,   V = V* + M^-1 J^T lambda,   lower <= lambda <= upper
 *
 * that is (J M^-1 J^T + s) lambda = b with b = -(J V* + bias). lambda is an impulse (N s), s = alpha/h^2 the softness
 * of a compliant row. Shared by the backends that solve for impulses. */
#ifndef RIGOR_SOLVERS_ROWS_H
#define RIGOR_SOLVERS_ROWS_H

#include "solvers/solver.h"

/* One block of up to three rows. Hot: a sweep streams through these and the bodies' velocities. */
typedef struct RowBlock {
    int body[4];
    int count;      /* rows; 0: inactive */
    bool four;      /* a volume: four particles' v */
    bool bilateral; /* no row is bounded: the block's change is dlambda = -T r, see rows.c */
    bool is_soft;
    double lambda[BLOCK_MAX_ROWS]; /* N s */
    double Tbias[BLOCK_MAX_ROWS];
    double TJ[BLOCK_MAX_ROWS][ROW_WIDTH];
    double B[BLOCK_MAX_ROWS][ROW_WIDTH]; /* M^-1 J^T, transposed */

    double J[BLOCK_MAX_ROWS][ROW_WIDTH];
    double A[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS]; /* J B + s */
    double T[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS];
    double step[BLOCK_MAX_ROWS]; /* 1 / A_ii */
    double bias[BLOCK_MAX_ROWS]; /* m/s */
    double soft[BLOCK_MAX_ROWS]; /* s, 1/kg */
    double lower[BLOCK_MAX_ROWS], upper[BLOCK_MAX_ROWS];
    double C[BLOCK_MAX_ROWS]; /* error at the substep's beginning */
} RowBlock;

typedef struct RowSystem {
    int count, capacity;
    RowBlock *blocks; /* blocks[b] are the rows of world->blocks[b] */
    double b_norm;    /* |b| of the last preparation */
    int rows;         /* active */
    double relaxation;
    double *multipliers; /* lambda row by row, filled by row_system_multipliers */
} RowSystem;

/* How rows are set up. A position error C adds rate C to the bias of a rigid equality row or a violated limit
 * (rate = beta/h); a gap that is still open, and a soft row's error, always enter as C/h. */
typedef struct RowSetup {
    double h;
    double rate;           /* 1/s */
    double relaxation;     /* scales each change of a multiplier */
    bool whole;            /* a bilateral block is solved as a whole, not row by row */
    bool keep_multipliers; /* warm starting: those of the last substep, brought back inside their bounds; else zero */
} RowSetup;

bool row_system_init(RowSystem *system, const World *world);
bool row_system_reserve(RowSystem *system, const World *world);
void row_system_free(RowSystem *system);

/* Evaluates all rows at the current poses and velocities V*, which stay as they are. */
void row_system_prepare(RowSystem *system, const World *world, const RowSetup *setup);

/* The same rows for position errors alone, J u = -rate C, from a prepared system: rigid rows that are violated; all
 * others are left out. Multipliers start at zero. */
void row_system_prepare_split(RowSystem *split, const RowSystem *system, double rate);

/* V += M^-1 J^T lambda of every row. */
void row_system_apply(const RowSystem *system, Velocity *velocity);

/* One Gauss-Seidel sweep in the given order of blocks (NULL: as created): each row (or whole block) is solved for its
 * own multiplier with all others held, clamped to its bounds. Returns the rows solved. */
int row_system_sweep(RowSystem *system, Velocity *velocity, const int *order);

/* One Jacobi sweep: every row sees the velocities `seen`; block b's changes are scaled by share[b] and added to
 * `velocity`. Returns the rows solved. */
int row_system_jacobi(RowSystem *system, const Velocity *seen, Velocity *velocity, const double *share);

/* |natural map of (A lambda - b)| / |b|: a row's part is A_ii (lambda - clamp(lambda - r / A_ii)), r = (A lambda -
 * b)_i, which is r itself for a row that is not at a bound. */
double row_system_residual(const RowSystem *system, const Velocity *velocity);

/* J V of a block's rows; and V += M^-1 J^T d. */
void row_block_rates(const RowBlock *block, const Velocity *velocity, double rates[BLOCK_MAX_ROWS]);
void row_block_push(const RowBlock *block, const double d[BLOCK_MAX_ROWS], Velocity *velocity);

/* J^T lambda on the second body of block b: linear, or angular for angular kinds. */
Vec3 row_system_on_body2(const RowSystem *system, const World *world, int b);

/* Leaves the impulse of each block on its second body in world->block_impulse. */
void row_system_store_impulses(const RowSystem *system, World *world);

/* lambda of all active rows in order; returns their number. */
int row_system_multipliers(RowSystem *system, const double **lambda);

#endif
