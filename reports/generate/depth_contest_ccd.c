/* SPDX-License-Identifier: MIT */
/* libccd 2.1 as contenders for the depth of two shapes (Debian's libccd-dev). */
#include "reports/generate/depth_contest.h"

#ifdef RIGOR_HAS_CCD
#include <ccd/ccd.h>
#include <ccd/quat.h>

/* As its tests have them; without a tolerance of its own EPA goes on until round-off. */
static const double CCD_TOLERANCE = 1e-9;
enum { CCD_ITERATIONS = 500 };

static Vec3 vec3_of(const ccd_vec3_t *v)
{
    return vec3(v->v[0], v->v[1], v->v[2]);
}

static void support(const void *shape, const ccd_vec3_t *direction, ccd_vec3_t *point)
{
    Vec3 at = convex_support(shape, vec3_of(direction));
    ccdVec3Set(point, at.x, at.y, at.z);
}

static void centre(const void *shape, ccd_vec3_t *point)
{
    Vec3 x = ((const Convex *)shape)->x;
    ccdVec3Set(point, x.x, x.y, x.z);
}

static ccd_t ccd_settings(void)
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support;
    ccd.center1 = ccd.center2 = centre;
    ccd.max_iterations = CCD_ITERATIONS;
    ccd.epa_tolerance = ccd.mpr_tolerance = CCD_TOLERANCE;
    return ccd;
}

static bool told(int code, const ccd_vec3_t *direction, ccd_real_t found, Vec3 *n, double *depth)
{
    *depth = found;
    *n = vec3_of(direction);
    bool ok = code == 0 && vec3_norm(*n) > 0.0;
    *n = ok ? vec3_unit(*n) : *n;
    return ok;
}

static bool find_gjk(const Convex *a, const Convex *b, Vec3 *n, double *depth)
{
    ccd_t ccd = ccd_settings();
    ccd_real_t found = 0.0;
    ccd_vec3_t direction, point;
    int code = ccdGJKPenetration(a, b, &ccd, &found, &direction, &point);
    return told(code, &direction, found, n, depth);
}

static bool find_mpr(const Convex *a, const Convex *b, Vec3 *n, double *depth)
{
    ccd_t ccd = ccd_settings();
    ccd_real_t found = 0.0;
    ccd_vec3_t direction, point;
    int code = ccdMPRPenetration(a, b, &ccd, &found, &direction, &point);
    return told(code, &direction, found, n, depth);
}

static const DepthContender CONTENDERS[] = {{"libccd's EPA", find_gjk}, {"libccd's MPR", find_mpr}};
const DepthContender *const ccd_contenders = CONTENDERS;
const int ccd_contender_count = 2;
#else
const DepthContender *const ccd_contenders = NULL;
const int ccd_contender_count = 0;
#endif
