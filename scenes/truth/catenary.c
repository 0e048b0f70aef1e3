/* SPDX-License-Identifier: MIT */
/* By the principle of least complementary energy: the reactions (H, V) minimise the convex
 * Phi = sum_i l r_i - H span, r_i = |(H, V - c_i)|. Its gradient is the gap at the right end, so Newton's direction
 * always shortens that gap, and halving it makes the method global. */
#include "scenes/truth/catenary.h"

#include <math.h>

typedef struct Gap {
    double x, y;       /* gradient: sum l cos - span, sum l sin */
    double xx, xy, yy; /* Hessian */
} Gap;

/* In units of the whole length and the whole weight. */
static Gap catenary_gap(int count, const double *weight, double total, double span, double H, double V)
{
    Gap gap = {-span, 0, 0, 0, 0};
    double l = 1.0 / count, s = V;
    for (int i = 0; i < count; i++) {
        double half = 0.5 * weight[i] / total;
        s -= half;
        double r2 = H * H + s * s, r = sqrt(r2), curvature = l / (r2 * r);
        gap.x += l * H / r;
        gap.y += l * s / r;
        gap.xx += curvature * s * s;
        gap.xy -= curvature * s * H;
        gap.yy += curvature * H * H;
        s -= half;
    }
    return gap;
}

bool catenary_solve_links(int count, double length, const double *weight, double span, double *H, double *V)
{
    double total = 0.0, ratio = span / (count * length);
    for (int i = 0; i < count; i++)
        total += weight[i];
    /* A shallow parabola that holds half the weight at each end. */
    double h = sqrt(1.0 / (24.0 * (1.0 - ratio))), v = 0.5;
    Gap gap = catenary_gap(count, weight, total, ratio, h, v);
    double size = hypot(gap.x, gap.y);
    for (bool better = true; better && size > 0.0;) {
        double det = gap.xx * gap.yy - gap.xy * gap.xy;
        double dh = -(gap.yy * gap.x - gap.xy * gap.y) / det, dv = -(gap.xx * gap.y - gap.xy * gap.x) / det;
        better = false;
        for (double step = 1.0; !better && step > 1e-9; step *= 0.5) {
            if (!(h + step * dh > 0.0))
                continue;
            Gap next = catenary_gap(count, weight, total, ratio, h + step * dh, v + step * dv);
            better = hypot(next.x, next.y) < size;
            if (better) {
                h += step * dh;
                v += step * dv;
                gap = next;
                size = hypot(gap.x, gap.y);
            }
        }
    }
    *H = h * total;
    *V = v * total;
    /* Round-off of the sums is about 1e-16 sqrt(count); a chain without equilibrium stops with a gap of a link. */
    return size < 1e-11;
}
