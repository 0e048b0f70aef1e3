/* SPDX-License-Identifier: MIT */
#include "tests/benchmarks/ode_chain.h"

#include <stddef.h>

#ifdef HAVE_ODE
#include <ode/ode.h>
#include <stdlib.h>

struct OdeChain {
    dWorldID world;
};

bool ode_chain_available(void)
{
    return true;
}

OdeChain *ode_chain_create(int links, double length, double thickness, double density, int iterations)
{
    OdeChain *chain = malloc(sizeof *chain);
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    dRandSetSeed(1); /* QuickStep's row order is random */
    chain->world = dWorldCreate();
    dWorldSetGravity(chain->world, 0, -9.81, 0);
    dWorldSetQuickStepNumIterations(chain->world, iterations);
    dBodyID previous = 0;
    for (int i = 0; i < links; i++) {
        dBodyID body = dBodyCreate(chain->world);
        dMass mass;
        dMassSetBox(&mass, density, length, thickness, thickness);
        dBodySetMass(body, &mass);
        dBodySetPosition(body, (i + 0.5) * length, 0, 0);
        dJointID joint = dJointCreateBall(chain->world, 0);
        dJointAttach(joint, previous, body);
        dJointSetBallAnchor(joint, i * length, 0, 0);
        previous = body;
    }
    return chain;
}

void ode_chain_step(OdeChain *chain, double dt)
{
    dWorldQuickStep(chain->world, dt);
}

void ode_chain_destroy(OdeChain *chain)
{
    dWorldDestroy(chain->world);
    dCloseODE();
    free(chain);
}
#else
bool ode_chain_available(void)
{
    return false;
}

OdeChain *ode_chain_create(int links, double length, double thickness, double density, int iterations)
{
    (void)links, (void)length, (void)thickness, (void)density, (void)iterations;
    return NULL;
}

void ode_chain_step(OdeChain *chain, double dt)
{
    (void)chain, (void)dt;
}

void ode_chain_destroy(OdeChain *chain)
{
    (void)chain;
}
#endif
