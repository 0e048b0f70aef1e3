/* SPDX-License-Identifier: MIT */
#include "solvers/truth/impact_law.h"

#include <float.h>
#include <math.h>

/* Couplings out of the plane below this part of the largest are none. */
#define PLANE_SLACK 1e-12
/* Slip along one line stops, or turns round, at most once before and once after the compression ends. */
enum { ROUTH_PHASES = 8, RUB_HALVINGS = 200 };

/* (A + s I) x = -c, |x|. */
static double rub_length(const ImpactPoint *point, const double c[2], double s, double x[2])
{
    double a = point->W[1][1] + s, b = point->W[1][2], d = point->W[2][2] + s, det = a * d - b * b;
    x[0] = -(d * c[0] - b * c[1]) / det;
    x[1] = -(a * c[1] - b * c[0]) / det;
    return hypot(x[0], x[1]);
}

/* w_t = -s r_t with s >= 0: |r_t| falls with s. */
void impact_law_rub(const ImpactPoint *point, double r[3])
{
    double c[2], most = point->friction * r[0];
    for (int t = 0; t < 2; t++)
        c[t] = point->q[1 + t] + point->W[1 + t][0] * r[0];
    r[1] = r[2] = 0.0;
    if (most <= 0.0 || rub_length(point, c, 0.0, r + 1) <= most)
        return;
    double low = 0.0, high = hypot(c[0], c[1]) / most; /* |x| <= |c| / s */
    for (int i = 0; i < RUB_HALVINGS && high - low > DBL_EPSILON * high; i++) {
        double middle = 0.5 * (low + high);
        if (rub_length(point, c, middle, r + 1) > most)
            low = middle;
        else
            high = middle;
    }
    double length = rub_length(point, c, high, r + 1);
    r[1] *= most / length;
    r[2] *= most / length;
}

/* The rows n and along the line of the slip. */
typedef struct Line {
    double nn, nt, tt; /* W */
    double n, t;       /* speeds */
    double way[2];     /* of the line */
} Line;

static bool line_of(const ImpactPoint *point, Line *line)
{
    const double(*W)[3] = point->W;
    double slip = hypot(point->q[1], point->q[2]), turn = hypot(W[1][0], W[2][0]);
    const double pull[2] = {W[1][0], W[2][0]}, *along = slip > 0.0 ? point->q + 1 : pull;
    double length = slip > 0.0 ? slip : turn;
    double x = length > 0.0 ? along[0] / length : 1.0, y = length > 0.0 ? along[1] / length : 0.0;
    double most = fmax(W[0][0], fmax(W[1][1], W[2][2]));
    *line = (Line){.nn = W[0][0],
                   .nt = x * W[1][0] + y * W[2][0],
                   .tt = x * x * W[1][1] + 2.0 * x * y * W[1][2] + y * y * W[2][2],
                   .n = point->q[0],
                   .t = slip,
                   .way = {x, y}};
    double across = x * W[2][0] - y * W[1][0];
    double twist = x * y * (W[2][2] - W[1][1]) + (x * x - y * y) * W[1][2];
    return fabs(across) <= PLANE_SLACK * most && fabs(twist) <= PLANE_SLACK * most;
}

/* Friction for each part of the normal impulse, where the slip is as it is. */
static double line_friction(const Line *line, double mu)
{
    if (line->t != 0.0)
        return line->t > 0.0 ? -mu : mu;
    double sticks = -line->nt / line->tt;
    return fabs(sticks) <= mu ? sticks : copysign(mu, sticks);
}

bool impact_law_routh(const ImpactPoint *point, double r[3])
{
    Line line;
    if (!line_of(point, &line))
        return false;
    double normal = 0.0, along = 0.0, whole = INFINITY;
    for (int phase = 0; phase < ROUTH_PHASES && normal < whole; phase++) {
        double f = line_friction(&line, point->friction);
        double rise = line.nn + line.nt * f, change = line.nt + line.tt * f;
        bool compresses = whole == INFINITY, stops = line.t * change < 0.0;
        double left = compresses ? (rise > 0.0 ? -line.n / rise : INFINITY) : whole - normal;
        double until = stops ? -line.t / change : INFINITY, step = fmin(left, until);
        if (step == INFINITY)
            return false;
        normal += step;
        along += f * step;
        line.n += rise * step;
        line.t = until <= left ? 0.0 : line.t + change * step;
        if (compresses && left <= until)
            whole = (1.0 + point->restitution) * normal;
    }
    r[0] = normal;
    r[1] = along * line.way[0];
    r[2] = along * line.way[1];
    return true;
}
