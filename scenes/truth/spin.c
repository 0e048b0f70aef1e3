/* SPDX-License-Identifier: MIT */
/* Euler's equations by Jacobi's functions. With s = +-1 the sense of (a, b, c),
 *     A^2 = wa^2 + Ib(Ic-Ib)/(Ia(Ic-Ia)) wb^2,   B^2 = wb^2 + Ia(Ic-Ia)/(Ib(Ic-Ib)) wa^2,
 *     C^2 = wc^2 + Ib(Ib-Ia)/(Ic(Ic-Ia)) wb^2,   mc = (wc^2 - Ia(Ib-Ia)/(Ic(Ic-Ib)) wa^2)/C^2,
 *     rate^2 = C^2 (Ic-Ia)(Ic-Ib)/(Ia Ib),       Ib B rate = s (Ic-Ia) A C     (all sums of squares, but mc).
 * Orientation: L is fixed in space and known in the body. Let P(t) be the shortest turn of l = L/|L| (body) onto the
 * axis e = +-c; then q = P(0)^-1 turn(e, psi) P(t), psi' = (2T + |L| w.e)/(|L| + L.e): smooth, for L.e > 0. */
#include "scenes/truth/spin.h"

#include "scenes/truth/elliptic.h"

#include <assert.h>
#include <gsl/gsl_integration.h>

/* psi' is analytic within K' >= pi/2 of the real u axis: with 16 Gauss points on a panel of length 1 the quadrature
 * error is below 6^-32. */
enum { PANEL_POINTS = 16 };

/* psi' at u0 + u; a gsl_function of a Spin. */
static double spin_precession_rate(double u, void *data)
{
    const Spin *spin = data;
    double w = fabs(spin->C) * elliptic_jacobi(spin->u0 + u, spin->mc).dn, L = spin->momentum;
    return (spin->energy_twice + L * w) / (L + vec3_get(spin->inertia, spin->c) * w);
}

/* psi gained while u runs over `length` from u0. */
static double spin_precession(const Spin *spin, double length)
{
    gsl_function rate = {spin_precession_rate, (void *)spin};
    gsl_integration_glfixed_table *gauss = gsl_integration_glfixed_table_alloc(PANEL_POINTS);
    int panels = (int)ceil(length);
    double sum = 0.0;
    for (int i = 0; i < panels; i++)
        sum += gsl_integration_glfixed(&rate, length * i / panels, length * (i + 1) / panels, gauss);
    gsl_integration_glfixed_table_free(gauss);
    return sum / spin->rate;
}

/* Names the axes: L circulates about the largest moment's axis if L^2 > 2 T I_middle, else about the smallest's. */
static void spin_name_axes(Spin *spin)
{
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (vec3_get(spin->inertia, order[j]) > vec3_get(spin->inertia, order[j + 1])) {
                int swap = order[j];
                order[j] = order[j + 1];
                order[j + 1] = swap;
            }
    double I[3], w[3];
    for (int i = 0; i < 3; i++) {
        I[i] = vec3_get(spin->inertia, order[i]);
        w[i] = vec3_get(spin->start, order[i]);
    }
    /* L^2 - 2 T I_middle, without their cancellation */
    bool largest = I[2] * (I[2] - I[1]) * w[2] * w[2] > I[0] * (I[1] - I[0]) * w[0] * w[0];
    spin->a = largest ? order[0] : order[2];
    spin->b = order[1];
    spin->c = largest ? order[2] : order[0];
}

Spin spin_from(Vec3 inertia, Vec3 angular_velocity)
{
    assert(inertia.x > 0.0 && inertia.y > 0.0 && inertia.z > 0.0);
    Spin spin = {.start = angular_velocity, .inertia = inertia};
    Vec3 w = angular_velocity;
    /* w x I w, component by component: exactly zero for a symmetric body where it should be */
    spin.steady = (inertia.z - inertia.y) * w.y * w.z == 0.0 && (inertia.x - inertia.z) * w.z * w.x == 0.0 &&
                  (inertia.y - inertia.x) * w.x * w.y == 0.0;
    if (spin.steady)
        return spin;
    spin_name_axes(&spin);
    double Ia = vec3_get(inertia, spin.a), Ib = vec3_get(inertia, spin.b), Ic = vec3_get(inertia, spin.c);
    double wa = vec3_get(w, spin.a), wb = vec3_get(w, spin.b), wc = vec3_get(w, spin.c);
    double ba = Ib * (Ic - Ib) / (Ia * (Ic - Ia)); /* A^2 / B^2 */
    double C2 = wc * wc + Ib * (Ib - Ia) / (Ic * (Ic - Ia)) * wb * wb;
    spin.mc = clamp((wc * wc - Ia * (Ib - Ia) / (Ic * (Ic - Ib)) * wa * wa) / C2, 0.0, 1.0);
    spin.rate = sqrt(C2 * (Ic - Ia) * (Ic - Ib) / (Ia * Ib));
    spin.C = copysign(sqrt(C2), wc);
    spin.A = copysign(sqrt(wa * wa + ba * wb * wb), wa);
    double sense = (spin.b - spin.a + 3) % 3 == 1 ? 1.0 : -1.0;
    spin.B = copysign(sqrt(wb * wb + wa * wa / ba), sense * (Ic - Ia) * spin.A * spin.C);
    spin.u0 = elliptic_inverse(wb / spin.B, wa / spin.A, spin.mc);
    spin.period = 2.0 * elliptic_quarter_period(spin.mc);

    spin.momentum = vec3_norm(vec3_mul(inertia, w));
    spin.energy_twice = vec3_dot(w, vec3_mul(inertia, w));
    spin.axis = vec3_scale(copysign(1.0, wc), vec3_axis(spin.c));
    spin.turn = isinf(spin.period) ? 0.0 : spin_precession(&spin, spin.period);
    return spin;
}

Vec3 spin_velocity(const Spin *spin, double t)
{
    if (spin->steady)
        return spin->start;
    Jacobi j = elliptic_jacobi(spin->u0 + spin->rate * t, spin->mc);
    Vec3 w = vec3_scale(spin->A * j.cn, vec3_axis(spin->a));
    w = vec3_add_scaled(w, spin->B * j.sn, vec3_axis(spin->b));
    return vec3_add_scaled(w, spin->C * j.dn, vec3_axis(spin->c));
}

/* The shortest turn of L/|L| onto the axis, for the body-frame angular velocity w. */
static Quat spin_turn_to_axis(const Spin *spin, Vec3 w)
{
    Vec3 l = vec3_unit(vec3_mul(spin->inertia, w)), n = vec3_cross(l, spin->axis);
    return quat_unit((Quat){1.0 + vec3_dot(l, spin->axis), n.x, n.y, n.z});
}

Quat spin_orientation(const Spin *spin, double t)
{
    if (spin->steady)
        return quat_exp(vec3_scale(t, spin->start));
    double u = spin->rate * t, periods = isinf(spin->period) ? 0.0 : floor(u / spin->period);
    double rest = periods > 0.0 ? fmax(u - periods * spin->period, 0.0) : u;
    double psi = periods * spin->turn + spin_precession(spin, rest);
    Quat now = quat_mul(quat_axis_angle(spin->axis, psi), spin_turn_to_axis(spin, spin_velocity(spin, t)));
    return quat_mul(quat_conj(spin_turn_to_axis(spin, spin->start)), now);
}
