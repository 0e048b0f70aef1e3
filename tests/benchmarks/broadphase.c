/* SPDX-License-Identifier: MIT */
/* Time of the broad phase and of a whole detection against the number of bodies: a loose heap of spheres of equal
 * density, so that the pairs a body has do not grow with their number. Near-linear: the last column stays level. */
#include "model/contact.h"
#include "tests/benchmarks/timing.h"
#include "tests/support/random.h"

#include <stdio.h>

/* Spheres of radius 0.5 jittered round a cubic lattice 0.95 apart: each touches about six others. */
static World *heap_of_spheres(int count, bool two_sizes)
{
    Random random = {0xbe4c4};
    Status status = {0};
    World *world = world_create();
    if (!world)
        return NULL;
    world->collide = true;
    int side = (int)ceil(cbrt(count));
    for (int i = 0; i < count; i++) {
        BodyDef def = BODY_DEF_INIT;
        Vec3 lattice = vec3(i % side, i / side % side, i / (side * side));
        def.name = "sphere";
        def.position = vec3_add(vec3_scale(0.95, lattice), random_vec3(&random, 0.1));
        def.shape = (Shape){.kind = SHAPE_SPHERE, .radius = two_sizes && i % 50 == 0 ? 1.5 : 0.5};
        def.density = 1000.0;
        if (world_add_body(world, &def, &status) < 0) {
            world_destroy(world);
            return NULL;
        }
    }
    BodyDef floor = BODY_DEF_INIT;
    floor.name = "floor";
    floor.fixed = true;
    floor.shape = (Shape){.kind = SHAPE_PLANE, .normal = {0, 1, 0}};
    if (world_add_body(world, &floor, &status) < 0) {
        world_destroy(world);
        return NULL;
    }
    return world;
}

static bool measure(int count, bool two_sizes)
{
    enum { REPEATS = 7 };
    World *world = heap_of_spheres(count, two_sizes);
    if (!world || !contacts_detect(world)) {
        world_destroy(world);
        return false;
    }
    double broad = INFINITY, whole = INFINITY;
    bool ok = true;
    for (int r = 0; r < REPEATS && ok; r++) {
        double start = seconds();
        Broadphase *broadphase = &world->contacts->broadphase;
        ok = broadphase_find(broadphase, NULL) && broadphase_gather(broadphase, NULL);
        double middle = seconds();
        ok = ok && contacts_detect(world);
        broad = fmin(broad, middle - start);
        whole = fmin(whole, seconds() - middle);
    }
    printf("%7d  %9s  %8zu  %10.3f  %10.3f  %18.0f  %17.0f\n", count, two_sizes ? "1:3" : "equal",
           world->contacts->manifold_count, 1e3 * broad, 1e3 * whole, 1e9 * broad / count, 1e9 * whole / count);
    world_destroy(world);
    return ok;
}

int main(void)
{
    static const int COUNTS[] = {100, 1000, 10000, 30000};
    printf("spheres      sizes  contacts  broad (ms)  whole (ms)  broad (ns a body)  whole (ns a body)\n");
    for (int two_sizes = 0; two_sizes < 2; two_sizes++)
        for (int i = 0; i < 4; i++)
            if (!measure(COUNTS[i], two_sizes))
                return 1;
    return 0;
}
