/* SPDX-License-Identifier: MIT */
#include "solvers/truth/modes.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Pivots below this part of the largest are dependent rows. */
#define RANK_SLACK 1e-11
/* Parts of the largest w and r that count as zero. */
#define MODES_SLACK 1e-9
/* Two motions whose w are this near, as a part of q, are one; loads that change it by less leave a motion as it is. The
 * directions in which the corners of a face slide differ by round-off, the more the slower it slides. */
#define SAME_MOTION 1e-7
/* Directions of slip from rest: steps of Newton's method, its differences, and where it ends, rad. */
enum { TURNS = 15 };
#define TURN_DIFFERENCE 1e-7
#define TURN_END 1e-14
/* Projections that look for loads inside the cones: at most so many, and so many in vain, where the best is not less
 * than LOAD_BETTER times what it was. */
enum { LOAD_SWEEPS = 4000, LOAD_PATIENCE = 60 };
#define LOAD_BETTER 0.9

/* The linear system of a choice of modes: unknowns r_n, and r_t of what sticks. */
typedef struct Modal {
    int size, rank;
    int row[MODES_ROWS];                  /* of W, of each unknown */
    double A[MODES_ROWS][MODES_ROWS + 1]; /* with the right-hand side */
    double x[MODES_ROWS];
    double Z[MODES_ROWS][MODES_ROWS]; /* orthonormal: x may move along Z[0 .. size - rank) */
} Modal;

static double problem_scale(const ModesProblem *problem)
{
    double most = 0.0;
    for (int i = 0; i < 3 * problem->count; i++)
        most = fmax(most, fabs(problem->q[i]));
    return most;
}

/* d r / d x of unknown k: itself, and the friction that goes with a normal load. */
static double modal_w(const ModesProblem *problem, const ModesAnswer *answer, const Modal *modal, int row, int k)
{
    int column = modal->row[k], i = column / 3;
    double w = problem->W[row][column];
    if (answer->mode[i] == MODE_SLIDE)
        for (int t = 0; t < 2; t++)
            w -= problem->friction[i] * answer->slip[i][t] * problem->W[row][column + 1 + t];
    return w;
}

static void modal_fill(Modal *modal, const ModesProblem *problem, const ModesAnswer *answer)
{
    modal->size = 0;
    for (int i = 0; i < problem->count; i++)
        for (int k = 0; k < (answer->mode[i] == MODE_STICK ? 3 : answer->mode[i] == MODE_SLIDE); k++)
            modal->row[modal->size++] = 3 * i + k;
    for (int r = 0; r < modal->size; r++) {
        for (int k = 0; k < modal->size; k++)
            modal->A[r][k] = modal_w(problem, answer, modal, modal->row[r], k);
        modal->A[r][modal->size] = -problem->q[modal->row[r]];
    }
}

static void swap_doubles(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

/* Gauss-Jordan with complete pivoting. order[c]: the unknown of column c. False: the rows contradict each other. */
static bool modal_eliminate(Modal *modal, int *order, double contradiction)
{
    int n = modal->size;
    double first = 0.0;
    for (int c = 0; c < n; c++)
        order[c] = c;
    for (modal->rank = 0; modal->rank < n; modal->rank++) {
        int k = modal->rank, pr = k, pc = k;
        for (int r = k; r < n; r++)
            for (int c = k; c < n; c++)
                if (fabs(modal->A[r][c]) > fabs(modal->A[pr][pc]))
                    pr = r, pc = c;
        double pivot = modal->A[pr][pc];
        first = k == 0 ? fabs(pivot) : first;
        if (!(fabs(pivot) > RANK_SLACK * first))
            break;
        for (int c = 0; c <= n; c++)
            swap_doubles(&modal->A[k][c], &modal->A[pr][c]);
        for (int r = 0; r < n; r++)
            swap_doubles(&modal->A[r][k], &modal->A[r][pc]);
        int kept = order[k];
        order[k] = order[pc];
        order[pc] = kept;
        for (int c = 0; c <= n; c++)
            modal->A[k][c] = c == k ? 1.0 : modal->A[k][c] / pivot;
        for (int r = 0; r < n; r++) {
            double factor = modal->A[r][k];
            for (int c = k; r != k && c <= n; c++)
                modal->A[r][c] -= factor * modal->A[k][c];
        }
    }
    for (int r = modal->rank; r < n; r++)
        if (!(fabs(modal->A[r][n]) <= contradiction))
            return false;
    return true;
}

/* The part of v along the first `count` rows of Z is taken away. */
static void modal_reject(const Modal *modal, int count, double *v)
{
    for (int k = 0; k < count; k++) {
        double along = 0.0;
        for (int i = 0; i < modal->size; i++)
            along += modal->Z[k][i] * v[i];
        for (int i = 0; i < modal->size; i++)
            v[i] -= along * modal->Z[k][i];
    }
}

/* x of least norm, and Z. */
static bool modal_solve(Modal *modal, double contradiction)
{
    int order[MODES_ROWS], n = modal->size;
    if (!modal_eliminate(modal, order, contradiction))
        return false;
    memset(modal->x, 0, sizeof modal->x);
    for (int r = 0; r < modal->rank; r++)
        modal->x[order[r]] = modal->A[r][n];
    for (int k = 0; k < n - modal->rank; k++) {
        double *z = modal->Z[k], norm = 0.0;
        memset(z, 0, sizeof modal->Z[k]);
        z[order[modal->rank + k]] = 1.0;
        for (int r = 0; r < modal->rank; r++)
            z[order[r]] = -modal->A[r][modal->rank + k];
        for (int twice = 0; twice < 2; twice++)
            modal_reject(modal, k, z);
        for (int i = 0; i < n; i++)
            norm += z[i] * z[i];
        for (int i = 0; i < n; i++)
            z[i] /= sqrt(norm);
    }
    for (int twice = 0; twice < 2; twice++)
        modal_reject(modal, n - modal->rank, modal->x);
    return true;
}

/* Do loads that may change leave the motion as it is? */
static bool modal_moves_one_way(const Modal *modal, const ModesProblem *problem, const ModesAnswer *answer)
{
    double most = 0.0;
    for (int i = 0; i < 3 * problem->count; i++)
        most = fmax(most, problem->W[i][i]);
    for (int k = 0; k < modal->size - modal->rank; k++)
        for (int row = 0; row < 3 * problem->count; row++) {
            double w = 0.0;
            for (int c = 0; c < modal->size; c++)
                w += modal_w(problem, answer, modal, row, c) * modal->Z[k][c];
            if (!(fabs(w) <= SAME_MOTION * most))
                return false;
        }
    return true;
}

/* The nearest point of the cone |t| <= mu n; true if this one is inside. */
static bool cone_project(double mu, double *r)
{
    double t = hypot(r[1], r[2]);
    if (t <= mu * r[0])
        return true;
    double n = fmax(0.0, (r[0] + mu * t) / (1.0 + mu * mu)), part = t > 0.0 ? mu * n / t : 0.0;
    r[0] = n;
    r[1] *= part;
    r[2] *= part;
    return false;
}

static double modal_project_cones(const Modal *modal, const ModesProblem *problem, const ModesAnswer *answer, double *x)
{
    double moved = 0.0;
    for (int k = 0; k < modal->size; k++) {
        int i = modal->row[k] / 3;
        double before[3] = {x[k], 0.0, 0.0};
        if (answer->mode[i] == MODE_SLIDE) {
            x[k] = fmax(x[k], 0.0);
            moved = fmax(moved, x[k] - before[0]);
            continue;
        }
        memcpy(before, x + k, sizeof before);
        cone_project(problem->friction[i], x + k);
        for (int c = 0; c < 3; c++)
            moved = fmax(moved, fabs(x[k + c] - before[c]));
        k += 2;
    }
    return moved;
}

/* Loads that are not determined: from those of least norm into the cones, by Douglas and Rachford's reflections. */
static void modal_find_loads(Modal *modal, const ModesProblem *problem, const ModesAnswer *answer)
{
    double z[MODES_ROWS], most = 0.0;
    size_t bytes = sizeof *z * (size_t)modal->size;
    memcpy(z, modal->x, bytes);
    for (int i = 0; i < modal->size; i++)
        most = fmax(most, fabs(z[i]));
    double best = INFINITY;
    for (int sweep = 0, vain = 0; sweep < LOAD_SWEEPS && vain < LOAD_PATIENCE; sweep++, vain++) {
        double on[MODES_ROWS], turned[MODES_ROWS];
        memcpy(on, z, bytes);
        for (int i = 0; i < modal->size; i++)
            on[i] -= modal->x[i];
        for (int i = 0; i < modal->size; i++)
            turned[i] = on[i];
        modal_reject(modal, modal->size - modal->rank, turned);
        for (int i = 0; i < modal->size; i++)
            on[i] += modal->x[i] - turned[i];
        memcpy(turned, on, bytes);
        double off = modal_project_cones(modal, problem, answer, turned);
        if (off <= MODES_SLACK * most) {
            memcpy(modal->x, on, bytes);
            return;
        }
        if (off < LOAD_BETTER * best) {
            best = off;
            vain = 0;
        }
        for (int i = 0; i < modal->size; i++)
            turned[i] = 2.0 * on[i] - z[i];
        modal_project_cones(modal, problem, answer, turned);
        for (int i = 0; i < modal->size; i++)
            z[i] += turned[i] - on[i];
    }
}

bool modes_solve(const ModesProblem *problem, ModesAnswer *answer)
{
    Modal modal;
    int rows = 3 * problem->count;
    modal_fill(&modal, problem, answer);
    if (!modal_solve(&modal, MODES_SLACK * problem_scale(problem)) || !modal_moves_one_way(&modal, problem, answer))
        return false;
    answer->loose = modal.size - modal.rank;
    if (answer->loose > 0)
        modal_find_loads(&modal, problem, answer);
    memset(answer->r, 0, sizeof answer->r);
    for (int k = 0; k < modal.size; k++) {
        int i = modal.row[k] / 3;
        answer->r[modal.row[k]] = modal.x[k];
        for (int t = 0; t < 2 && answer->mode[i] == MODE_SLIDE; t++)
            answer->r[3 * i + 1 + t] = -problem->friction[i] * answer->slip[i][t] * modal.x[k];
    }
    for (int i = 0; i < rows; i++) {
        answer->w[i] = problem->q[i];
        for (int k = 0; k < rows; k++)
            answer->w[i] += problem->W[i][k] * answer->r[k];
    }
    return true;
}

void modes_cancel(const ModesProblem *problem, ModesAnswer *answer)
{
    Modal modal;
    ModesProblem smooth = *problem;
    memset(smooth.friction, 0, sizeof smooth.friction);
    memset(answer->r, 0, sizeof answer->r);
    modal_fill(&modal, &smooth, answer);
    modal_solve(&modal, INFINITY);
    for (int k = 0; k < modal.size; k++)
        answer->r[modal.row[k]] = modal.x[k];
}

double modes_margin(const ModesProblem *problem, const ModesAnswer *answer, int i)
{
    const double *r = answer->r + 3 * i;
    if (answer->mode[i] == MODE_STICK)
        return fmin(r[0], problem->friction[i] * r[0] - hypot(r[1], r[2]));
    return answer->mode[i] == MODE_SLIDE ? r[0] : INFINITY;
}

double modes_slack(const ModesProblem *problem, const ModesAnswer *answer)
{
    double most = 0.0, least = INFINITY;
    for (int i = 0; i < 3 * problem->count; i++) {
        most = fmax(most, fabs(answer->r[i]));
        least = fmin(least, problem->W[i][i]);
    }
    return MODES_SLACK * (most + (problem->count > 0 ? problem_scale(problem) / least : 0.0));
}

/* A zero slip that begins. */
static bool starts(const ModesProblem *problem, const ModesAnswer *answer, int i)
{
    return answer->mode[i] == MODE_SLIDE && !problem->slides[i];
}

/* |w_t| across the slip of the k-th contact that starts. */
static double across(const ModesAnswer *answer, int i)
{
    const double *w = answer->w + 3 * i, *d = answer->slip[i];
    return d[0] * w[2] - d[1] * w[1];
}

static void turn_slip(ModesAnswer *answer, int i, double angle)
{
    double c = cos(angle), s = sin(angle), *d = answer->slip[i], x = d[0];
    d[0] = c * x - s * d[1];
    d[1] = s * x + c * d[1];
}

/* Newton's method on the directions of the contacts in `list`: no w_t across them. */
static bool directions_solve(const ModesProblem *problem, ModesAnswer *answer, const int *list, int count)
{
    double end = TURN_END * problem_scale(problem), last = INFINITY;
    if (!modes_solve(problem, answer))
        return false;
    for (int turn = 0; turn < TURNS; turn++) {
        Modal newton = {.size = count};
        double off = 0.0;
        for (int k = 0; k < count; k++) {
            newton.A[k][count] = -across(answer, list[k]);
            off = fmax(off, fabs(newton.A[k][count]));
        }
        if (off <= end || (turn > 3 && off >= last && off <= 1e3 * end))
            return true;
        last = off;
        for (int k = 0; k < count; k++) {
            ModesAnswer other = *answer;
            turn_slip(&other, list[k], TURN_DIFFERENCE);
            if (!modes_solve(problem, &other))
                return false;
            for (int row = 0; row < count; row++)
                newton.A[row][k] = (across(&other, list[row]) - across(answer, list[row])) / TURN_DIFFERENCE;
        }
        if (!modal_solve(&newton, INFINITY))
            return false;
        for (int k = 0; k < count; k++)
            turn_slip(answer, list[k], fmax(-0.5, fmin(0.5, newton.x[k])));
        if (!modes_solve(problem, answer))
            return false;
    }
    return false;
}

/* Does it obey all that its modes ask for? */
static bool answer_holds(const ModesProblem *problem, const ModesAnswer *answer)
{
    double w_slack = MODES_SLACK * problem_scale(problem), r_slack = modes_slack(problem, answer);
    for (int i = 0; i < problem->count; i++) {
        const double *w = answer->w + 3 * i, *d = answer->slip[i];
        if (answer->mode[i] == MODE_OPEN ? !(w[0] >= -w_slack) : !(modes_margin(problem, answer, i) >= -r_slack))
            return false;
        if (starts(problem, answer, i) && !(d[0] * w[1] + d[1] * w[2] > w_slack))
            return false;
    }
    return true;
}

typedef struct Found {
    ModesAnswer best;
    int motions, loaded;
    long long solves;
} Found;

static void found_add(Found *found, const ModesProblem *problem, const ModesAnswer *answer)
{
    double apart = 0.0;
    int loaded = 0;
    for (int i = 0; i < 3 * problem->count; i++)
        apart = fmax(apart, fabs(answer->w[i] - found->best.w[i]));
    for (int i = 0; i < problem->count; i++)
        loaded += answer->mode[i] == MODE_STICK ? 3 : answer->mode[i] == MODE_SLIDE;
    bool same = apart <= SAME_MOTION * problem_scale(problem);
    if (found->motions == 0 || (same && found->motions == 1 && loaded > found->loaded)) {
        found->best = *answer;
        found->loaded = loaded;
    }
    if (found->motions == 0 || !same)
        found->motions++;
}

/* The directions in which contacts would slide from rest if they were smooth; false: one would not. */
static bool directions_guess(const ModesProblem *problem, ModesAnswer *answer, const int *list, int count)
{
    ModesProblem smooth = *problem;
    for (int k = 0; k < count; k++)
        smooth.friction[list[k]] = 0.0;
    if (!modes_solve(&smooth, answer))
        return false;
    for (int k = 0; k < count; k++) {
        const double *w = answer->w + 3 * list[k];
        double speed = hypot(w[1], w[2]);
        if (!(speed > MODES_SLACK * problem_scale(problem)))
            return false;
        answer->slip[list[k]][0] = w[1] / speed;
        answer->slip[list[k]][1] = w[2] / speed;
    }
    return true;
}

static void found_try(Found *found, const ModesProblem *problem, ModesAnswer *answer)
{
    int list[MODES_MAX], count = 0;
    for (int i = 0; i < problem->count; i++) {
        memcpy(answer->slip[i], problem->slip[i], sizeof answer->slip[i]);
        if (starts(problem, answer, i))
            list[count++] = i;
        found->solves += answer->mode[i] == MODE_STICK ? 3 : answer->mode[i] == MODE_SLIDE;
    }
    if (count == 0) {
        if (modes_solve(problem, answer) && answer_holds(problem, answer))
            found_add(found, problem, answer);
        return;
    }
    ModesAnswer guess = *answer;
    if (!directions_guess(problem, &guess, list, count))
        return;
    unsigned pairs = 0;
    for (int k = 0; k < count; k++)
        pairs |= 1U << problem->pair[list[k]];
    for (unsigned senses = 0; senses < 1U << MODES_MAX; senses++) {
        if (senses & ~pairs)
            continue;
        *answer = guess;
        for (int k = 0; k < count; k++)
            for (int t = 0; t < 2; t++)
                answer->slip[list[k]][t] *= senses >> problem->pair[list[k]] & 1 ? -1.0 : 1.0;
        if (directions_solve(problem, answer, list, count) && answer_holds(problem, answer))
            found_add(found, problem, answer);
    }
}

ModesCount modes_find(const ModesProblem *problem, ModesAnswer *answer, long long *row_solves)
{
    Found found = {0};
    int choices[MODES_MAX] = {0}, i = 0;
    while (i < problem->count || problem->count == 0) {
        ModesAnswer trial = {0};
        for (int k = 0; k < problem->count; k++)
            trial.mode[k] = choices[k] == 0 ? MODE_OPEN : choices[k] == 1 ? MODE_SLIDE : MODE_STICK;
        found_try(&found, problem, &trial);
        for (i = 0; i < problem->count; i++) { /* the next in the dictionary */
            choices[i]++;
            if (choices[i] < (problem->slides[i] ? 2 : 3))
                break;
            choices[i] = 0;
        }
        if (problem->count == 0)
            break;
    }
    *answer = found.best;
    *row_solves += found.solves;
    return found.motions == 0 ? MODES_NONE : found.motions == 1 ? MODES_ONE : MODES_MANY;
}
