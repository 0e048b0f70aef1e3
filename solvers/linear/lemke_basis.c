/* SPDX-License-Identifier: MIT */
#include "solvers/linear/lemke_basis.h"
#include "model/math3.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

/* Steps of refinement at most: each takes away all but guide / (guide + eigenvalue) of the error. */
enum { REFINEMENTS = 60 };
/* Refinement ends when a change is not smaller than the last by this factor: what is left is round-off. */
static const double REFINEMENT_GAIN = 0.95;
/* The guide while a basis is mended: it may be smaller than the path's, as nothing is chosen by its pivots. */
static const double MEND_GUIDE = 1e-6;
/* Changes of many at once that leave no fewer wrong, before only the last is changed. */
enum { PATIENCE = 10 };

/* Contacts of bodies that do not touch do not act on each other: most of M is zero. */
void lemke_begin_bases(Lemke *lemke)
{
    int n = lemke->count, k = 0;
    for (int i = 0; i < n; i++) {
        const double *row = lemke->M + (size_t)i * (size_t)n;
        lemke->row_start[i] = k;
        for (int j = 0; j < n; j++)
            if (row[j] != 0.0)
                lemke->row_column[k++] = j;
    }
    lemke->row_start[n] = k;
    for (int i = 0; i < n; i++)
        lemke->in_fan[i] = false;
    for (int f = 0; f < lemke->fan_count; f++)
        for (int j = 0; j <= lemke->fans[f].count; j++)
            lemke->in_fan[lemke->fans[f].first + j] = true;
}

static bool is_basic(const Lemke *lemke, int i)
{
    return lemke->place[lemke->count + i] < 0;
}

static void set_basic(Lemke *lemke, int i, bool basic)
{
    lemke->place[lemke->count + i] = basic ? -1 : 0;
}

/* w_i = (M z + q)_i */
static void basis_rate(Lemke *lemke, const double *z, int i)
{
    const double *row = lemke->M + (size_t)i * (size_t)lemke->count;
    double w = lemke->q[i];
    for (int k = lemke->row_start[i]; k < lemke->row_start[i + 1]; k++)
        w += row[lemke->row_column[k]] * z[lemke->row_column[k]];
    lemke->w[i] = w;
}

/* w = M z + q and the largest |min(z_i, w_i)|. */
static double basis_judge(Lemke *lemke, const double *z)
{
    double error = 0.0;
    for (int i = 0; i < lemke->count; i++) {
        basis_rate(lemke, z, i);
        double natural = fabs(fmin(z[i], lemke->w[i]));
        if (isnan(natural))
            return NAN;
        error = fmax(error, natural);
    }
    return error;
}

/* M_bb with the guide on its positive diagonal, factored, its rows as LAPACK's columns, so that both are gone through
 * as they lie; the number of its columns in `count`. */
static bool basis_factor(Lemke *lemke, double guide, int *count)
{
    int n = lemke->count, m = 0;
    for (int i = 0; i < n; i++)
        if (is_basic(lemke, i))
            lemke->chosen[m++] = i;
    for (int i = 0; i < m; i++) {
        const double *row = lemke->M + (size_t)lemke->chosen[i] * (size_t)n;
        double *T = lemke->T + (size_t)i * (size_t)m;
        for (int j = 0; j < m; j++)
            T[j] = row[lemke->chosen[j]];
        T[i] += T[i] > 0.0 ? guide : 0.0;
    }
    *count = m;
    lemke->pivots += m;
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, m, m, lemke->T, m > 0 ? m : 1, lemke->swaps) == 0 && m > 0;
}

/* z_b of one basis: z += dz with (M_bb + guide) dz_b = -(M z + q)_b, from z = 0, while dz shrinks. The round-off of the
 * pivots goes, and so does the guide's effect (iterated Tikhonov regularisation). Leaves w = M z + q. */
static void basis_solve(Lemke *lemke, int m, double *z)
{
    double before = INFINITY;
    memset(z, 0, sizeof *z * (size_t)lemke->count);
    for (int pass = 0; pass < REFINEMENTS; pass++) {
        for (int i = 0; i < m; i++) {
            basis_rate(lemke, z, lemke->chosen[i]);
            lemke->fix[i] = -lemke->w[lemke->chosen[i]];
        }
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', m, 1, lemke->T, m, lemke->swaps, lemke->fix, m);
        double change = cblas_dnrm2(m, lemke->fix, 1);
        if (!(change < REFINEMENT_GAIN * before))
            break;
        for (int i = 0; i < m; i++)
            z[lemke->chosen[i]] += lemke->fix[i];
        before = change;
    }
    basis_judge(lemke, z);
}

/* The corners a, a + 1 that a vector (x, y) lies between, and its parts along them. */
static int fan_sector(int count, double x, double y, double part[2])
{
    double wide = 2.0 * PI / count, angle = atan2(y, x);
    int corner = (int)floor(angle / wide);
    double from = angle - corner * wide, size = hypot(x, y);
    part[0] = size * sin(wide - from) / sin(wide);
    part[1] = size * sin(from) / sin(wide);
    return (corner + count) % count;
}

/* Friction that sticks is free: the corners it lies between stand for it. */
static void fan_turn(Lemke *lemke, const LemkeFan *fan, double *z)
{
    double x = 0.0, y = 0.0, part[2], before = 0.0, wide = 2.0 * PI / fan->count;
    int basic = 0;
    for (int j = 0; j < fan->count; j++) {
        x += z[fan->first + j] * cos(j * wide);
        y += z[fan->first + j] * sin(j * wide);
        before += z[fan->first + j];
        basic += is_basic(lemke, fan->first + j);
    }
    if (is_basic(lemke, fan->first + fan->count) || basic < 2)
        return;
    int corner = fan_sector(fan->count, x, y, part);
    for (int j = 0; j < fan->count; j++) {
        bool first = j == corner, second = j == (corner + 1) % fan->count;
        z[fan->first + j] = first ? part[0] : second ? part[1] : 0.0;
        set_basic(lemke, fan->first + j, first || second);
    }
    lemke->w[fan->first + fan->count] += before - part[0] - part[1];
}

/* What is negative: in the basis z, outside it w. */
static bool is_wrong(const Lemke *lemke, const double *z, int i, double tolerance)
{
    return (is_basic(lemke, i) ? z[i] : lemke->w[i]) < -tolerance;
}

static int count_wrong(const Lemke *lemke, const double *z, double tolerance)
{
    int wrong = 0;
    for (int i = 0; i < lemke->count; i++)
        wrong += is_wrong(lemke, z, i, tolerance);
    return wrong;
}

static bool fan_is_wrong(const Lemke *lemke, const LemkeFan *fan, const double *z, double tolerance)
{
    bool wrong = false;
    for (int j = 0; j <= fan->count; j++)
        wrong = wrong || is_wrong(lemke, z, fan->first + j, tolerance);
    return wrong;
}

/* Sliding: the corner of least w, which is against the slip, joins the one beside it or takes the place of others; of
 * two the one that pulls goes. */
static void fan_slide(Lemke *lemke, const LemkeFan *fan, const double *z, double tolerance)
{
    int n = fan->count, least = 0, basic = 0, beside = 0;
    for (int j = 0; j < n; j++) {
        least = lemke->w[fan->first + j] < lemke->w[fan->first + least] ? j : least;
        basic += is_basic(lemke, fan->first + j);
    }
    beside = is_basic(lemke, fan->first + (least + 1) % n) || is_basic(lemke, fan->first + (least + n - 1) % n);
    if (lemke->w[fan->first + least] < -tolerance) {
        for (int j = 0; j < n && !(beside && basic == 1); j++)
            set_basic(lemke, fan->first + j, false);
        set_basic(lemke, fan->first + least, true);
        return;
    }
    for (int j = 0; j < n && basic > 1; j++)
        if (is_basic(lemke, fan->first + j) && z[fan->first + j] < -tolerance) {
            set_basic(lemke, fan->first + j, false);
            basic--;
        }
}

/* From sliding to sticking: both tangents are held, by a corner and its neighbour. */
static void fan_stick(Lemke *lemke, const LemkeFan *fan)
{
    int n = fan->count, basic = 0, corner = 0;
    set_basic(lemke, fan->first + n, false);
    for (int j = 0; j < n; j++)
        if (is_basic(lemke, fan->first + j)) {
            corner = j;
            basic++;
        }
    if (basic < 2) {
        set_basic(lemke, fan->first + corner, true);
        set_basic(lemke, fan->first + (corner + 1) % n, true);
    }
}

static void fan_exchange(Lemke *lemke, const LemkeFan *fan, const double *z, double tolerance)
{
    int slack = fan->first + fan->count;
    bool slides = is_basic(lemke, slack);
    if (slides && z[slack] >= -tolerance)
        fan_slide(lemke, fan, z, tolerance);
    else if (!slides && lemke->w[slack] < -tolerance)
        set_basic(lemke, slack, true);
    else
        fan_stick(lemke, fan);
}

/* Takes out of the basis what is negative in it and puts in what is negative outside, Newton's step for min(z, w) = 0;
 * or only the last of them, which does not cycle where M is a P-matrix (Murty). */
static void basis_exchange(Lemke *lemke, const double *z, double tolerance, bool only_last)
{
    for (int f = lemke->fan_count - 1; f >= 0; f--)
        if (fan_is_wrong(lemke, &lemke->fans[f], z, tolerance)) {
            fan_exchange(lemke, &lemke->fans[f], z, tolerance);
            if (only_last)
                return;
        }
    for (int i = lemke->count - 1; i >= 0; i--)
        if (!lemke->in_fan[i] && is_wrong(lemke, z, i, tolerance)) {
            set_basic(lemke, i, !is_basic(lemke, i));
            if (only_last)
                return;
        }
}

/* Keeps z if its error is below `bound`. */
static void basis_offer(Lemke *lemke, double *z, double bound)
{
    for (int i = 0; i < lemke->count; i++)
        z[i] = fmax(z[i], 0.0);
    double error = basis_judge(lemke, z);
    if (error < bound) {
        lemke->error = error;
        memcpy(lemke->z, z, sizeof *z * (size_t)lemke->count);
    }
}

/* Puts in what is zero in both: it may share a load, of which the guide chooses the most even. False: there is none. */
static bool basis_add_idle(Lemke *lemke, double tolerance)
{
    bool added = false;
    for (int i = 0; i < lemke->count; i++)
        if (!lemke->in_fan[i] && !is_basic(lemke, i) && lemke->w[i] < tolerance) {
            set_basic(lemke, i, true);
            added = true;
        }
    return added;
}

void lemke_mend(Lemke *lemke, double guide, double scale, int changes)
{
    int m, least = lemke->count + 1, patience = PATIENCE;
    double *z = lemke->value, aim = LEMKE_AIM * scale, tolerance = LEMKE_ZERO * scale;
    bool evened = false;
    for (int k = 0; k < changes && basis_factor(lemke, fmin(guide, MEND_GUIDE), &m); k++) {
        basis_solve(lemke, m, z);
        for (int f = 0; f < lemke->fan_count; f++)
            fan_turn(lemke, &lemke->fans[f], z);
        int wrong = count_wrong(lemke, z, tolerance);
        patience = wrong < least ? PATIENCE : patience - 1;
        least = wrong < least ? wrong : least;
        basis_exchange(lemke, z, tolerance, patience < 0);
        basis_offer(lemke, z, evened && wrong == 0 ? aim : lemke->error);
        if (wrong > 0)
            continue;
        if (lemke->error > aim && tolerance > aim)
            tolerance = 0.5 * aim; /* small enough to be left alone, but not to be left */
        else if (evened || !(evened = basis_add_idle(lemke, LEMKE_ZERO * scale)))
            return;
    }
}
