/* SPDX-License-Identifier: MIT */
#include "scenes/truth/path.h"

#include <assert.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <math.h>
#include <string.h>

/* Local error, absolute and relative to y: a little above what rk8pd's error estimate can resolve in doubles. */
static const double PATH_TOLERANCE = 1e-13;

/* The first step of each stride, as a fraction of it; the integrator grows it as it sees fit. */
static const double PATH_FIRST_STEP = 1.0 / 64.0;

/* Integrates y from t0 to t1, always beginning afresh. */
static bool path_integrate(gsl_odeiv2_driver *driver, double first_step, double t0, double t1, double y[])
{
    double t = t0;
    return t1 <= t0 || (gsl_odeiv2_driver_reset_hstart(driver, first_step) == GSL_SUCCESS &&
                        gsl_odeiv2_driver_apply(driver, &t, t1, y) == GSL_SUCCESS);
}

bool path_at(Path *path, double t, double y[])
{
    assert(t >= 0.0 && path->variables <= PATH_MAX_VARIABLES);
    size_t bytes = sizeof *y * (size_t)path->variables;
    long strides = (long)floor(t / path->stride);
    if (path->strides == 0 || strides < path->strides) {
        memcpy(path->kept, path->start, bytes);
        path->strides = 0;
    }
    double first_step = PATH_FIRST_STEP * path->stride;
    gsl_odeiv2_system system = {path->rate, NULL, (size_t)path->variables, path->data};
    gsl_odeiv2_driver *driver =
        gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, first_step, PATH_TOLERANCE, PATH_TOLERANCE);
    if (!driver)
        return false;
    bool ok = true;
    for (; ok && path->strides < strides; path->strides++)
        ok = path_integrate(driver, first_step, path->stride * (double)path->strides,
                            path->stride * (double)(path->strides + 1), path->kept);
    memcpy(y, path->kept, bytes);
    ok = ok && path_integrate(driver, first_step, path->stride * (double)strides, t, y);
    gsl_odeiv2_driver_free(driver);
    if (!ok)
        path->strides = 0; /* what is kept may be half a stride on */
    return ok;
}
