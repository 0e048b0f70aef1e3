#include "solvers/rows/contact_rows.h"

static void velocity_add(Velocity *sum, double scale, Velocity u)
{
    sum->v = vec3_add_scaled(sum->v, scale, u.v);
    sum->w = vec3_add_scaled(sum->w, scale, u.w);
}

int contact_rows_jacobi(RowSystem *system, const World *world, Velocity *velocity, Velocity *change)
{
    int rows = 0;
    for (int m = 0; m < world->manifold_count; m++) {
        const ManifoldBlocks *manifold = &world->manifolds[m];
        ContactRow *first = &system->contacts[system->packed[manifold->first]];
        Velocity seen[2] = {velocity[manifold->body[0]], velocity[manifold->body[1]]};
        for (int i = 0; i < manifold->count + (manifold->torsion >= 0); i++) {
            contact_row_solve(system, &first[i], velocity);
            rows += first[i].count;
        }
        for (int k = 0; k < 2; k++) {
            Velocity *u = &velocity[manifold->body[k]], *sum = &change[manifold->body[k]];
            velocity_add(sum, 1.0, *u);
            velocity_add(sum, -1.0, seen[k]);
            *u = seen[k];
        }
    }
    for (int i = 0; i < world->body_count; i++) {
        velocity_add(&velocity[i], 1.0, change[i]);
        change[i] = (Velocity){VEC3_ZERO, VEC3_ZERO};
    }
    return rows;
}
