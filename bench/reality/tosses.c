/* SPDX-License-Identifier: MIT */
#include "bench/reality/tosses.h"

#include "bench/reality/measured.h"

#include <math.h>
#include <stdlib.h>

static const char GET[] =
    "Get it: git clone https://github.com/DAIRLab/contact-nets (commit c3dc21c9, BSD-3-Clause), then python3 "
    "examples/reality_data.py tosses contact-nets/data/tosses_processed DIR, and RIGOR_DATA=DIR";

enum { TOSS_COLUMN, FRAME_COLUMN, POSE_COLUMN, TOSSES_COLUMNS = POSE_COLUMN + 7 };
static const char *const POSES[] = {"toss", "frame", "x", "y", "z", "qw", "qx", "qy", "qz", NULL};

enum { START_TOSS, START_FRAMES, START_HALF, START_FIT, START_POSE, START_SPEED = START_POSE + 7 };
static const char *const STARTS[] = {"toss", "frames", "half", "fit", "x",  "y",  "z",  "qw", "qx",
                                     "qy",   "qz",     "vx",   "vy",  "vz", "wx", "wy", "wz", NULL};

/* A pose with a unit quaternion; false if that is none. */
static bool pose_of(const double *v, Pose *pose)
{
    static const double UNIT = 1e-3;
    Quat q = {v[3], v[4], v[5], v[6]};
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    *pose = (Pose){.x = vec3(v[0], v[1], v[2]), .q = q};
    if (fabs(length - 1.0) > UNIT)
        return false;
    pose->q = quat_unit(q);
    return true;
}

static void toss_start(Toss *toss, const double *row)
{
    const double *v = row + START_SPEED;
    *toss = (Toss){.number = (int)row[START_TOSS],
                   .frames = (int)row[START_FRAMES],
                   .test = row[START_HALF] == 1.0,
                   .quick = row[START_FIT] == 1.0,
                   .speed = {vec3(v[0], v[1], v[2]), vec3(v[3], v[4], v[5])}};
}

/* The rows of a toss follow each other, from frame 0 on, as many as its start says; tosses come in the order of starts.
 */
static bool tosses_join(Tosses *tosses, const MeasuredTable *starts, const MeasuredTable *poses, const char *path,
                        Status *status)
{
    int next = 0;
    for (int t = 0; t < starts->rows; t++) {
        Toss *toss = &tosses->list[t];
        toss_start(toss, measured_row(starts, t));
        toss->measured = tosses->poses + next;
        if (!pose_of(measured_row(starts, t) + START_POSE, &toss->start))
            return status_set(status, STATUS_BAD_FILE, "starts.csv:%d: no unit quaternion", t + 2);
        if (toss->frames < 2)
            return status_set(status, STATUS_BAD_FILE, "starts.csv: toss %d has %d frames", toss->number, toss->frames);
        for (int f = 0; f < toss->frames; f++, next++) {
            const double *row = next < poses->rows ? measured_row(poses, next) : NULL;
            if (!row || row[TOSS_COLUMN] != toss->number || row[FRAME_COLUMN] != f)
                return status_set(status, STATUS_BAD_FILE, "%s:%d: toss %d, frame %d of %d should be here", path,
                                  next + 2, toss->number, f, toss->frames);
            if (!pose_of(row + POSE_COLUMN, &tosses->poses[next]))
                return status_set(status, STATUS_BAD_FILE, "%s:%d: no unit quaternion", path, next + 2);
        }
    }
    return next == poses->rows ||
           status_set(status, STATUS_BAD_FILE, "%s:%d: starts.csv has no start of this toss", path, next + 2);
}

bool tosses_read(Tosses *tosses, Status *status)
{
    char path[MEASURED_PATH], starts_path[MEASURED_PATH];
    MeasuredTable starts = {0}, poses = {0};
    *tosses = (Tosses){0};
    bool ok = measured_find("starts.csv", GET, starts_path, status) &&
              measured_find("tosses.csv.gz", GET, path, status) &&
              measured_read(&starts, starts_path, STARTS, status) && measured_read(&poses, path, POSES, status);
    tosses->count = starts.rows;
    tosses->list = calloc((size_t)starts.rows + 1, sizeof *tosses->list);
    tosses->poses = calloc((size_t)poses.rows + 1, sizeof *tosses->poses);
    if (ok && (!tosses->list || !tosses->poses))
        ok = status_set(status, STATUS_FAILED, "out of memory");
    ok = ok && tosses_join(tosses, &starts, &poses, path, status);
    measured_clear(&starts);
    measured_clear(&poses);
    if (!ok)
        tosses_clear(tosses);
    return ok;
}

void tosses_clear(Tosses *tosses)
{
    free(tosses->list);
    free(tosses->poses);
    *tosses = (Tosses){0};
}
