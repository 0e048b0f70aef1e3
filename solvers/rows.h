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
    double J[BLOCK_MAX_ROWS][ROW_WIDTH];
    double B[BLOCK_MAX_ROWS][ROW_WIDTH];      /* M^-1 J^T, transposed */
    double A[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS]; /* J B + s */
    double step[BLOCK_MAX_ROWS];              /* 1 / A_ii */
    double bias[BLOCK_MAX_ROWS];              /* m/s */
    double soft[BLOCK_MAX_ROWS];              /* s, 1/kg */
    double lambda[BLOCK_MAX_ROWS];            /* N s */
    double lower[BLOCK_MAX_ROWS], upper[BLOCK_MAX_ROWS];
    double C[BLOCK_MAX_ROWS];                       /* error at the substep's beginning */
    double inverse[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS]; /* A^-1, where the block is solved as a whole */
    int body[4];
    int count;      /* rows; 0: inactive */
    bool four;      /* a volume: four particles' v */
    bool bilateral; /* no row is bounded */
} RowBlock;

typedef struct RowSystem {
    int count, capacity;
    RowBlock *blocks;    /* blocks[b] are the rows of world->blocks[b] */
    double b_norm;       /* |b| of the last preparation */
    int rows;            /* active */
    double *multipliers; /* lambda row by row, filled by row_system_multipliers */
} RowSystem;

/* What a position error C adds to the bias of a rigid equality row or a violated limit: rate C (rate = beta/h). A gap
 * that is still open, and a soft row's error, always enter as C/h. */
typedef struct RowBias {
    double h;
    double rate; /* 1/s */
} RowBias;

bool row_system_init(RowSystem *system, const World *world);
bool row_system_reserve(RowSystem *system, const World *world);
void row_system_free(RowSystem *system);

/* Evaluates all rows at the current poses and velocities V*. Multipliers of the last substep are kept where
 * `keep_multipliers` (warm starting; brought back inside their bounds), else set to zero; velocities are not touched.
 */
void row_system_prepare(RowSystem *system, const World *world, RowBias bias, bool keep_multipliers);

/* V += M^-1 J^T lambda of every row. */
void row_system_apply(const RowSystem *system, Velocity *velocity);

/* One Gauss-Seidel sweep in the given order of blocks (NULL: as created): each row is solved for its own multiplier
 * with all others held, clamped to its bounds. relaxation scales each change. Returns the rows solved. */
int row_system_sweep(RowSystem *system, Velocity *velocity, double relaxation, const int *order);

/* The same, a bilateral block of several rows being solved as a whole. */
int row_system_sweep_blocks(RowSystem *system, Velocity *velocity, double relaxation, const int *order);

/* One Jacobi sweep: every row sees the velocities `seen`; block b's changes are scaled by share[b] and added to
 * `velocity`. Returns the rows solved. */
int row_system_jacobi(RowSystem *system, const Velocity *seen, Velocity *velocity, const double *share);

/* |natural map of (A lambda - b)| / |b|: a row's part is A_ii (lambda - clamp(lambda - r / A_ii)), r = (A lambda -
 * b)_i, which is r itself for a row that is not at a bound. */
double row_system_residual(const RowSystem *system, const Velocity *velocity);

/* Leaves the impulse of each block on its second body in world->block_impulse. */
void row_system_store_impulses(const RowSystem *system, World *world);

/* lambda of all active rows in order; returns their number. */
int row_system_multipliers(RowSystem *system, const double **lambda);

#endif
