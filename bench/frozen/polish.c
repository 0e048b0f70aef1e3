/* SPDX-License-Identifier: MIT */
#include "bench/frozen/polish.h"

#include "bench/frozen/friction_law.h"
#include "bench/frozen/smooth.h"
#include "model/array.h"
#include "solvers/cone/bodies.h"
#include "solvers/systems/complementarity.h"

/* Sweeping ends at this residual, which is round-off, or with this much work, which takes some seconds. */
static const double CONVERGED = 1e-15;
static const double MAX_ROW_SOLVES = 2e8;
/* Sweeps between two looks at the residual, and looks without gain before it counts as round-off. */
enum { SWEEPS_AT_ONCE = 16, IDLE_LOOKS = 16 };
/* Newton goes a little beyond what counts as converged. */
static const double POLISHED = 0.1 * FROZEN_CONVERGED;
enum { NEWTON_ROUNDS = 4, NEWTON_STEPS = 400, STEPS_AT_ONE_CENTRE = 40 };
/* Of its proximal term: as it begins; smaller ones lose to round-off what they gain; beyond the largest a step is as
 * short as a sweep's. */
static const double EPSILON_FIRST = 1e-3, EPSILON_LEAST = 1e-9, EPSILON_MOST = 1.0;
/* W of 240 MB: a step takes seconds. */
static const long NEWTON_MAX_NUMBERS = 30000000;
/* Pivoting takes a matrix of 32 MB, and seconds. Guided past dependent rows, and refined to the rows as they are. */
enum { PIVOT_MAX_VARIABLES = 2000 };
static const double PIVOT_GUIDE = 1e-4;
/* Paths of smoothed systems: some hundred rows, and no more than this many n^3 in all, which is some seconds. */
enum { SMOOTH_MAX_ROWS = 600, SMOOTH_HOLDS = 12 };
static const double SMOOTH_MOST_WORK = 6e10;
/* Where they begin, as a share of the speeds asked for: near the solution; from afar, where the system is nearly
 * linear; and with the slip held at so many times what the slip changed last, and at least here. */
static const double ETA_NEAR_BY = 1e-3, ETA_AFAR = 1.0, ETA_CHANGES = 10.0, ETA_HELD = 1e-4;

typedef struct Polish {
    FrozenSystem *frozen;
    ConeAssembly assembly;
    ConeNewton newton;
    ConeBodies bodies;
    bool has_patch;
    double *best, *slip; /* r that leaves least; for smooth.h */
} Polish;

/* V of the rows' lambda. */
static void polish_apply(Polish *polish)
{
    FrozenSystem *frozen = polish->frozen;
    memcpy(frozen->velocity, frozen->world->velocity, sizeof *frozen->velocity * (size_t)frozen->world->body_count);
    row_system_apply(&frozen->system, frozen->velocity);
}

/* r becomes the rows', the residual is what it leaves; the best is kept. */
static void polish_judge(Polish *polish)
{
    FrozenSystem *frozen = polish->frozen;
    cone_assembly_store(&polish->assembly, &frozen->system);
    polish_apply(polish);
    double left = row_system_residual(&frozen->system, frozen->velocity);
    if (left < frozen->residual) {
        frozen->residual = left;
        memcpy(polish->best, polish->assembly.r, sizeof *polish->best * (size_t)polish->assembly.system.rows);
    }
}

/* Back to the best. */
static void polish_return(Polish *polish)
{
    memcpy(polish->assembly.r, polish->best, sizeof *polish->best * (size_t)polish->assembly.system.rows);
    cone_assembly_store(&polish->assembly, &polish->frozen->system);
    polish_apply(polish);
}

static void polish_sweep(Polish *polish, double max_work)
{
    FrozenSystem *frozen = polish->frozen;
    double least = INFINITY, work = 0.0;
    for (int idle = 0; idle < IDLE_LOOKS && least > CONVERGED && work < max_work; idle++) {
        for (int i = 0; i < SWEEPS_AT_ONCE; i++)
            work += row_system_sweep(&frozen->system, frozen->velocity, NULL);
        frozen->sweeps += SWEEPS_AT_ONCE;
        double residual = row_system_residual(&frozen->system, frozen->velocity);
        if (residual < 0.999 * least) {
            least = residual;
            idle = 0;
        }
    }
}

/* Newton's steps, centre by centre, as long as they lead on. */
static void polish_newton(Polish *polish)
{
    FrozenSystem *frozen = polish->frozen;
    ConeAssembly *assembly = &polish->assembly;
    ConeNewton *newton = &polish->newton;
    RowsLaw law = friction_law(&frozen->system, assembly);
    double epsilon = EPSILON_FIRST;
    int end = newton->steps + NEWTON_STEPS;
    cone_assembly_load(assembly, &frozen->system);
    polish_judge(polish);
    while (newton->steps < end && frozen->residual > POLISHED && epsilon <= EPSILON_MOST) {
        bool solved =
            cone_newton_proximal(newton, &assembly->system, &law.law, epsilon, STEPS_AT_ONE_CENTRE, assembly->r);
        epsilon = solved ? fmax(0.25 * epsilon, EPSILON_LEAST) : 4.0 * epsilon;
        polish_judge(polish);
    }
    polish_return(polish);
}

/* Where points neither stick nor slide for sure: down a path of smooth systems, from near by or from afar. Where the
 * path from afar turns back: Coulomb's law as the end of a sequence of convex problems. With the slip held the path
 * leads to a solution, and the slip there is held next. At first nothing slips. */
static void polish_smooth(Polish *polish, bool afar)
{
    FrozenSystem *frozen = polish->frozen;
    const ConeSystem *system = &polish->assembly.system;
    double scale = frozen->system.b_norm > 0.0 ? frozen->system.b_norm : 1.0, eta = ETA_AFAR, *r = polish->assembly.r;
    int most = (int)(SMOOTH_MOST_WORK / pow(system->rows + 1.0, 3.0));
    SmoothLaw smooth = smooth_law(polish->slip);
    if (frozen->system.friction != FRICTION_CONE || system->rows > SMOOTH_MAX_ROWS || polish->has_patch ||
        !smooth_law_applies(system))
        return;
    polish->newton.shortest = true;
    smooth_law_follow(&smooth, &polish->newton, system, (afar ? ETA_AFAR : ETA_NEAR_BY) * scale, scale, most, r);
    polish_judge(polish);
    smooth.holds = true;
    memset(polish->slip, 0, sizeof *polish->slip * (size_t)system->rows);
    for (int k = 0; afar && k < SMOOTH_HOLDS && frozen->residual > FROZEN_CONVERGED && smooth.steps < most; k++) {
        smooth_law_follow(&smooth, &polish->newton, system, eta * scale, scale, most, r);
        double changes = smooth_law_hold(&smooth, &polish->newton, system, r);
        eta = fmin(ETA_AFAR, fmax(ETA_HELD, ETA_CHANGES * changes / scale));
        polish_judge(polish);
    }
    polish_return(polish);
    polish->newton.shortest = false;
}

/* A polygon of friction makes a linear complementarity problem, which pivoting solves. False when out of memory. */
static bool polish_pivot(Polish *polish)
{
    FrozenSystem *frozen = polish->frozen;
    const World *world = frozen->world;
    Complementarity problem = {0};
    const double *swept;
    if (frozen->setup.friction != FRICTION_FACETS ||
        complementarity_size(world, frozen->setup.facets, ELIMINATE_DENSE) > PIVOT_MAX_VARIABLES)
        return true;
    row_system_multipliers(&frozen->system, &swept);
    bool ok = complementarity_init(&problem, world, frozen->setup.facets, ELIMINATE_DENSE) &&
              complementarity_reserve(&problem, world);
    if (ok) {
        complementarity_reduce(&problem, &frozen->system, world, swept);
        complementarity_solve(&problem, &frozen->system, world, 0.0, PIVOT_GUIDE);
        cone_assembly_load(&polish->assembly, &frozen->system);
        polish_judge(polish);
        polish_return(polish);
    }
    complementarity_free(&problem);
    return ok;
}

static bool polish_begin(Polish *polish)
{
    const RowSystem *system = &polish->frozen->system;
    size_t rows = (size_t)system->rows + 1;
    if (!NEW_ARRAY(polish->best, rows) || !NEW_ARRAY(polish->slip, rows) ||
        !cone_assembly_reserve(&polish->assembly, polish->frozen->world))
        return false;
    polish->has_patch = !cone_assembly_fill(&polish->assembly, system, polish->frozen->world);
    memcpy(polish->best, polish->assembly.r, sizeof *polish->best * (rows - 1));
    polish->newton.bodies = &polish->bodies;
    return cone_bodies_init(&polish->bodies, system, &polish->assembly, polish->frozen->world) &&
           cone_newton_reserve(&polish->newton, system->rows) &&
           cone_newton_begin(&polish->newton, &polish->assembly.system);
}

/* Sweeps and Newton's steps in turn, as long as they lead on: sweeps find who touches and who slides, Newton the rest.
 * Paths in between: the short ones soon, the long ones before the last round. */
bool frozen_polish(FrozenSystem *frozen)
{
    Polish polish = {.frozen = frozen};
    polish_sweep(&polish, MAX_ROW_SOLVES);
    frozen->residual = row_system_residual(&frozen->system, frozen->velocity);
    bool ok = frozen->residual <= POLISHED || polish_begin(&polish);
    bool fits = ok && cone_system_numbers(&polish.assembly.system) <= NEWTON_MAX_NUMBERS;
    for (int round = 0; fits && ok && round < NEWTON_ROUNDS && frozen->residual > FROZEN_CONVERGED; round++) {
        if (round > 0)
            polish_sweep(&polish, MAX_ROW_SOLVES / NEWTON_ROUNDS);
        polish_newton(&polish);
        if (frozen->residual > FROZEN_CONVERGED && round == 0) {
            polish_smooth(&polish, false);
            ok = polish_pivot(&polish);
        } else if (frozen->residual > FROZEN_CONVERGED && round == NEWTON_ROUNDS - 2) {
            polish_smooth(&polish, true);
        }
    }
    frozen->newton_steps = polish.newton.steps;
    cone_assembly_free(&polish.assembly);
    cone_newton_free(&polish.newton);
    cone_bodies_free(&polish.bodies);
    free(polish.best);
    free(polish.slip);
    return ok;
}
