/* SPDX-License-Identifier: MIT */
/* Whether a chain that no cache holds is swept as fast as memory gives its rows: what a row costs in one iteration of
 * pgs on `chain` links=100000, beside a plain read of as many bytes. They take turns; the least of each counts, since
 * others on the machine share the memory. */
#include "tests/support/drive.h"

#include "scenes/scene.h"
#include "solvers/rows/rows.h"
#include "tests/benchmarks/timing.h"

#include <math.h>
#include <stdio.h>

enum { LINKS = 100000, ROWS = 3 * LINKS, SWEEPS = 5, REPEATS = 9 };

static const double DT = 1.0 / 1200.0;

/* What a sweep reads of a joint: its packed rows and a velocity. */
static const size_t BYTES = LINKS * (sizeof(JointRow) + sizeof(Velocity));

/* s, as often in a row as the sweep; `sum` keeps the compiler from leaving it out. */
static double time_read(const unsigned long long *data, unsigned long long *sum)
{
    double start = seconds();
    for (int k = 0; k < SWEEPS; k++) {
        unsigned long long total = 0;
        for (size_t i = 0; i < BYTES / sizeof *data; i++)
            total += data[i];
        *sum ^= total + (unsigned long long)k;
    }
    return (seconds() - start) / SWEEPS;
}

static double time_sweep(Drive *drive)
{
    double start = seconds();
    for (int i = 0; i < SWEEPS; i++)
        drive->phases[0].iterate(drive->self, &drive->step);
    return (seconds() - start) / SWEEPS;
}

int main(void)
{
    unsigned char params[SETTINGS_MAX_BYTES] = {0};
    const Scene *scene = scene_find("chain");
    Status status;
    Drive drive;
    settings_init(scene->settings, scene->setting_count, params);
    const Setting *links = settings_find(scene->settings, scene->setting_count, "links");
    if (!links || !setting_parse(links, params, "100000", &status))
        return 1;
    Problem *problem = scene_build(scene, params, &status);
    unsigned long long *data = calloc(BYTES, 1), sum = 0;
    if (!problem || !data)
        return 1;
    for (size_t i = 0; i < BYTES / sizeof *data; i++)
        data[i] = i;
    drive_begin(&drive, problem->world, "pgs", "substeps=1 iterations=1");
    drive_frame(&drive, DT);
    double sweep = INFINITY, read = INFINITY;
    for (int r = 0; r < REPEATS; r++) {
        sweep = fmin(sweep, time_sweep(&drive));
        read = fmin(read, time_read(data, &sum));
    }
    printf("chain links=%d (least of %d)\n  pgs, ns a row and iteration    %6.2f\n", LINKS, REPEATS,
           1e9 * sweep / ROWS);
    printf("  a plain read of its bytes      %6.2f\n  ratio %.2f (%llu)\n", 1e9 * read / ROWS, sweep / read, sum % 10);
    drive_end(&drive);
    problem_destroy(problem);
    free(data);
    return 0;
}
