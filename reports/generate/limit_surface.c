/* SPDX-License-Identifier: MIT */
/* Friction of a disc that slides and spins: for every ratio of the two motions its force and moment (`what` = surface),
 * and how far it slides from speed v0 for every spin of the list (`what` = slide), by the laws of scenes/truth/disc.h:
 * uniform pressure (exact), its ellipsoid, a ring at 2/3 of the radius. */
#include "reports/generate/generators.h"

#include "scenes/truth/disc.h"

static const char *const KEYS[] = {"v0", "mu", "radius", "gravity", "spins", NULL};

static const struct {
    const char *name;
    DiscLaw *law;
} LAWS[] = {{"uniform", disc_uniform}, {"ellipsoid", disc_ellipsoid}, {"ring", disc_ring}};

enum { DIRECTIONS = 90 };

static void surface_add_rows(size_t k, json_t *rows)
{
    for (int i = 0; i <= DIRECTIONS; i++) {
        double angle = 0.5 * PI * i / DIRECTIONS; /* of the motion: 0 slides, pi/2 spins */
        double s[DISC_SPEEDS] = {cos(angle), 0.0, i == 0 ? 0.0 : sin(angle)}, force[DISC_SPEEDS];
        if (i == DIRECTIONS)
            s[DISC_VX] = 0.0;
        LAWS[k].law(s, 0.0, force);
        json_array_append_new(rows, json_pack("{s:s,s:s,s:f,s:f,s:f}", "what", "surface", "law", LAWS[k].name, "motion",
                                              angle, "force", fabs(force[DISC_VX]), "moment", fabs(force[DISC_SPIN])));
    }
}

static bool limit_surface_make(Node arguments, json_t *rows)
{
    double v0 = 1.0, mu = 0.3, radius = 0.1, gravity = 9.81;
    Node spins = node_get(&arguments, "spins");
    if (!node_object(arguments, KEYS) || !node_positive(node_get(&arguments, "v0"), &v0) ||
        !node_positive(node_get(&arguments, "mu"), &mu) || !node_positive(node_get(&arguments, "radius"), &radius) ||
        !node_positive(node_get(&arguments, "gravity"), &gravity) || !node_array(spins))
        return false;
    for (size_t i = 0; i < json_array_size(spins.value); i++)
        if (!node_at_least(node_at(&spins, i), 0.0, &(double){0.0}))
            return false;
    if (!rows)
        return true;
    for (size_t k = 0; k < sizeof LAWS / sizeof LAWS[0]; k++) {
        surface_add_rows(k, rows);
        for (size_t i = 0; i < json_array_size(spins.value); i++) {
            double spin = 0.0;
            Disc disc;
            if (!node_at_least(node_at(&spins, i), 0.0, &spin))
                return false;
            if (!disc_start(&disc, LAWS[k].law, radius, mu * gravity, v0, spin))
                return node_fail(node_at(&spins, i), "the motion could not be integrated");
            json_array_append_new(rows,
                                  json_pack("{s:s,s:s,s:f,s:f,s:f}", "what", "slide", "law", LAWS[k].name, "spin", spin,
                                            "distance", disc_stop(&disc)->x, "stop", disc_stop(&disc)->time));
        }
    }
    return true;
}

const Generator generator_limit_surface = {
    .name = "limit_surface",
    .about =
        "friction of a sliding and spinning disc; arguments: v0, mu, radius, gravity, spins (list, rad/s); fields: "
        "what, law (uniform, ellipsoid, ring); surface: motion (rad; 0 slides, pi/2 spins), force (over mu N), "
        "moment (over mu N R); slide: spin, distance (m), stop (s)",
    .make = limit_surface_make,
};
