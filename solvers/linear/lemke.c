/* SPDX-License-Identifier: MIT */
#include "solvers/linear/lemke.h"
#include "solvers/linear/lemke_basis.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

/* Below this share of its column an entry is what round-off left of a zero: dependent contacts make many. */
#define PIVOT_MIN 1e-9
/* Ratios and lexicographic entries that differ by less are equal. */
#define TIE LEMKE_ZERO
/* Lemke's path mostly takes about one pivot a variable. */
#define PIVOTS_PER_VARIABLE 20
/* Relative error above which a solution is none. */
#define ERROR_MAX 1e-9
/* Changes of a path's last basis at most; of a guessed one. */
#define PATH_EXCHANGES 5
#define GUESS_EXCHANGES 40
/* Paths at most, each with less of a guide, the last without: the first mostly does; where the guide chooses wrongly
 * one of the others is right, and the less it is the worse are the pivots. */
#define PATHS 8
#define GUIDE_FALL 0.1

/* Variables have numbers: w_i is i, z_i is count + i, z0 is 2 count. place: column of a nonbasic one, ~row of a basic
 * one. */

bool lemke_reserve(Lemke *lemke, int capacity)
{
    size_t n = (size_t)capacity + 1;
    Arrays *own = &lemke->arrays;
    if (capacity <= lemke->capacity)
        return true;
    arrays_free(own);
    bool ok = OWN_ARRAY(own, lemke->M, n * n) && OWN_ARRAY(own, lemke->q, n) && OWN_ARRAY(own, lemke->z, n) &&
              OWN_ARRAY(own, lemke->T, n * n) && OWN_ARRAY(own, lemke->value, n) && OWN_ARRAY(own, lemke->column, n) &&
              OWN_ARRAY(own, lemke->w, n) && OWN_ARRAY(own, lemke->fix, n) && OWN_ARRAY(own, lemke->basic, n) &&
              OWN_ARRAY(own, lemke->nonbasic, n) && OWN_ARRAY(own, lemke->place, 2 * n) &&
              OWN_ARRAY(own, lemke->chosen, n) && OWN_ARRAY(own, lemke->swaps, n) &&
              OWN_ARRAY(own, lemke->row_start, n + 1) && OWN_ARRAY(own, lemke->row_column, n * n) &&
              OWN_ARRAY(own, lemke->guess, n) && OWN_ARRAY(own, lemke->in_fan, n) && OWN_ARRAY(own, lemke->fans, n);
    lemke->capacity = ok ? capacity : 0;
    return ok;
}

void lemke_free(Lemke *lemke)
{
    arrays_free(&lemke->arrays);
}

static double *lemke_row(const Lemke *lemke, int i)
{
    return lemke->T + (size_t)i * (size_t)(lemke->count + 1);
}

/* w basic, z and z0 not. */
static void lemke_begin(Lemke *lemke, double guide, double scale)
{
    int n = lemke->count;
    for (int i = 0; i < n; i++) {
        memcpy(lemke_row(lemke, i), lemke->M + (size_t)i * (size_t)n, sizeof *lemke->T * (size_t)n);
        lemke_row(lemke, i)[n] = 1.0;
        lemke_row(lemke, i)[i] += lemke_row(lemke, i)[i] > 0.0 ? guide : 0.0;
        lemke->value[i] = lemke->q[i] / scale;
        lemke->basic[i] = i;
        lemke->place[i] = ~i;
    }
    for (int j = 0; j <= n; j++) {
        lemke->nonbasic[j] = n + j;
        lemke->place[n + j] = j;
    }
}

/* The variable of column c becomes basic in row r: x_c = (x_r - value_r - sum_j T_rj x_j) / T_rc, put into all rows. */
static void lemke_pivot(Lemke *lemke, int r, int c)
{
    int n = lemke->count, entering = lemke->nonbasic[c], leaving = lemke->basic[r];
    double *pivot = lemke_row(lemke, r), scale = -1.0 / pivot[c];
    cblas_dscal(n + 1, scale, pivot, 1);
    lemke->value[r] *= scale;
    pivot[c] = -scale;
    for (int i = 0; i < n; i++) {
        double *row = lemke_row(lemke, i), factor = row[c];
        if (i == r || factor == 0.0)
            continue;
        row[c] = 0.0;
        cblas_daxpy(n + 1, factor, pivot, 1, row, 1);
        lemke->value[i] += factor * lemke->value[r];
    }
    lemke->basic[r] = entering;
    lemke->nonbasic[c] = leaving;
    lemke->place[entering] = ~r;
    lemke->place[leaving] = c;
    lemke->pivots++;
}

/* Row i of the inverse of the basis at w_k: with q_k perturbed by e^k, basic_i changes by it times e^k. */
static double lemke_inverse(const Lemke *lemke, int i, int k)
{
    int place = lemke->place[k];
    return place >= 0 ? -lemke_row(lemke, i)[place] : ~place == i;
}

static bool lemke_lexically_less(const Lemke *lemke, int i, int other)
{
    for (int k = 0; k < lemke->count; k++) {
        double a = lemke_inverse(lemke, i, k) / -lemke->column[i];
        double b = lemke_inverse(lemke, other, k) / -lemke->column[other];
        if (fabs(a - b) > TIE * fmax(1.0, fmax(fabs(a), fabs(b))))
            return a < b;
    }
    return false;
}

/* The row whose variable first falls to zero as that of column c grows; z0's among equals; -1: none does. */
static int lemke_leaving_row(Lemke *lemke, int c)
{
    int n = lemke->count, best = -1;
    double largest = 1.0, least = INFINITY;
    for (int i = 0; i < n; i++) {
        lemke->column[i] = lemke_row(lemke, i)[c];
        largest = fmax(largest, fabs(lemke->column[i]));
    }
    for (int i = 0; i < n; i++)
        if (lemke->column[i] < -PIVOT_MIN * largest)
            least = fmin(least, fmax(lemke->value[i], 0.0) / -lemke->column[i]);
    for (int i = 0; i < n; i++) {
        if (!(lemke->column[i] < -PIVOT_MIN * largest) ||
            fmax(lemke->value[i], 0.0) / -lemke->column[i] > least + TIE * fmax(1.0, least))
            continue;
        if (lemke->basic[i] == 2 * n)
            return i;
        if (best < 0 || lemke_lexically_less(lemke, i, best))
            best = i;
    }
    return best;
}

static LemkeEnd lemke_follow(Lemke *lemke)
{
    int n = lemke->count, r = 0, c = n;
    for (int i = 1; i < n; i++) /* the last of equals is lexically least */
        r = lemke->value[i] <= lemke->value[r] ? i : r;
    if (lemke->value[r] >= 0.0)
        return LEMKE_SOLVED;
    for (long cap = lemke->pivots + (long)PIVOTS_PER_VARIABLE * n; lemke->pivots < cap;) {
        int leaving = lemke->basic[r];
        lemke_pivot(lemke, r, c);
        if (leaving == 2 * n)
            return LEMKE_SOLVED;
        c = lemke->place[leaving < n ? leaving + n : leaving - n];
        r = lemke_leaving_row(lemke, c);
        if (r < 0)
            return LEMKE_RAY;
    }
    return LEMKE_CAPPED;
}

/* From a guess by what is wrong with it, which mostly takes a few changes of many at once. */
static void lemke_try_guess(Lemke *lemke, double guide, double scale)
{
    for (int i = 0; i < lemke->count; i++)
        lemke->place[lemke->count + i] = lemke->guess[i] ? -1 : 0;
    lemke_mend(lemke, guide, scale, GUESS_EXCHANGES);
}

LemkeEnd lemke_solve(Lemke *lemke, double guide)
{
    int n = lemke->count;
    double scale = 0.0, least = 0.0;
    lemke->pivots = 0;
    lemke->error = 0.0;
    if (n == 0)
        return LEMKE_SOLVED;
    memset(lemke->z, 0, sizeof *lemke->z * (size_t)n);
    for (int i = 0; i < n; i++) {
        scale = fmax(scale, fabs(lemke->q[i]));
        least = fmin(least, lemke->q[i]);
    }
    LemkeEnd end = LEMKE_SOLVED;
    lemke->error = least == 0.0 ? 0.0 : INFINITY;
    lemke_begin_bases(lemke);
    if (lemke->guessed && least < 0.0)
        lemke_try_guess(lemke, guide, scale);
    for (int path = 0; path < PATHS && lemke->error > LEMKE_AIM * scale; path++, guide *= GUIDE_FALL) {
        lemke_begin(lemke, path < PATHS - 1 ? guide : 0.0, scale);
        end = lemke_follow(lemke);
        lemke_mend(lemke, path < PATHS - 1 ? guide : 0.0, scale, PATH_EXCHANGES);
    }
    if (lemke->error <= ERROR_MAX * scale)
        return LEMKE_SOLVED;
    return end == LEMKE_SOLVED ? LEMKE_INACCURATE : end;
}
