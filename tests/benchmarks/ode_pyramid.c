/* SPDX-License-Identifier: MIT */
#include "tests/benchmarks/ode_pyramid.h"

#include <stddef.h>

#ifdef HAVE_ODE
#include <ode/ode.h>
#include <stdlib.h>

struct OdePyramid {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID last;
    int rows;
    double mu, density, deepest;
};

bool ode_pyramid_available(void)
{
    return true;
}

OdePyramid *ode_pyramid_create(int iterations, double mu, double density)
{
    OdePyramid *pyramid = malloc(sizeof *pyramid);
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    dRandSetSeed(1); /* QuickStep's row order is random */
    *pyramid = (OdePyramid){.world = dWorldCreate(),
                            .space = dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XYZ),
                            .contacts = dJointGroupCreate(0),
                            .mu = mu,
                            .density = density};
    dWorldSetGravity(pyramid->world, 0, -9.81, 0);
    dWorldSetQuickStepNumIterations(pyramid->world, iterations);
    dCreatePlane(pyramid->space, 0, 1, 0, 0);
    return pyramid;
}

void ode_pyramid_add_box(OdePyramid *pyramid, double x, double y, double z)
{
    dBodyID body = dBodyCreate(pyramid->world);
    dMass mass;
    dMassSetBox(&mass, pyramid->density, 1, 1, 1);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x, y, z);
    dGeomSetBody(dCreateBox(pyramid->space, 1, 1, 1), body);
    pyramid->last = body;
}

static void pyramid_near(void *data, dGeomID one, dGeomID two)
{
    enum { POINTS = 4 };
    OdePyramid *pyramid = data;
    dContact contact[POINTS];
    dBodyID body1 = dGeomGetBody(one), body2 = dGeomGetBody(two);
    int count = body1 || body2 ? dCollide(one, two, POINTS, &contact[0].geom, sizeof contact[0]) : 0;
    for (int i = 0; i < count; i++) {
        contact[i].surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = pyramid->mu};
        dJointAttach(dJointCreateContact(pyramid->world, pyramid->contacts, &contact[i]), body1, body2);
        pyramid->rows += 3;
        if (contact[i].geom.depth > pyramid->deepest)
            pyramid->deepest = contact[i].geom.depth;
    }
}

int ode_pyramid_collide(OdePyramid *pyramid)
{
    dJointGroupEmpty(pyramid->contacts);
    pyramid->rows = 0;
    pyramid->deepest = 0.0;
    dSpaceCollide(pyramid->space, pyramid, pyramid_near);
    return pyramid->rows;
}

void ode_pyramid_step(OdePyramid *pyramid, double dt)
{
    dWorldQuickStep(pyramid->world, dt);
}

double ode_pyramid_height(const OdePyramid *pyramid)
{
    return dBodyGetPosition(pyramid->last)[1];
}

double ode_pyramid_deepest(const OdePyramid *pyramid)
{
    return pyramid->deepest;
}

void ode_pyramid_destroy(OdePyramid *pyramid)
{
    dJointGroupDestroy(pyramid->contacts);
    dSpaceDestroy(pyramid->space);
    dWorldDestroy(pyramid->world);
    dCloseODE();
    free(pyramid);
}
#else
bool ode_pyramid_available(void)
{
    return false;
}

OdePyramid *ode_pyramid_create(int iterations, double mu, double density)
{
    (void)iterations, (void)mu, (void)density;
    return NULL;
}

void ode_pyramid_add_box(OdePyramid *pyramid, double x, double y, double z)
{
    (void)pyramid, (void)x, (void)y, (void)z;
}

int ode_pyramid_collide(OdePyramid *pyramid)
{
    (void)pyramid;
    return 0;
}

void ode_pyramid_step(OdePyramid *pyramid, double dt)
{
    (void)pyramid, (void)dt;
}

double ode_pyramid_height(const OdePyramid *pyramid)
{
    (void)pyramid;
    return 0.0;
}

double ode_pyramid_deepest(const OdePyramid *pyramid)
{
    (void)pyramid;
    return 0.0;
}

void ode_pyramid_destroy(OdePyramid *pyramid)
{
    (void)pyramid;
}
#endif
