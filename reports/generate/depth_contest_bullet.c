/* SPDX-License-Identifier: MIT */
/* Bullet as a contender for the depth of two boxes: it is asked in a process of its own
 * (solvers/engines/bullet/pairs.cpp, which says what it reads and writes). */
#include "bench/files/folder.h"
#include "bench/process/program.h"
#include "reports/generate/depth_contest.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const BULLET_NAMES[BULLET_WAYS] = {"Bullet's EPA", "Bullet's axes"};
static const char *const WAYS[BULLET_WAYS] = {"epa", "boxes"};

bool bullet_pairs_find(char *path, size_t size)
{
    char place[FOLDER_TEXT];
    const char *named = getenv("RIGOR_ENGINES");
    int length = named ? snprintf(path, size, "%s/bullet_pairs", named)
                       : snprintf(path, size, "%s", folder_path(FOLDER_BRIDGES, "bullet_pairs", place));
    return length > 0 && (size_t)length < size && access(path, X_OK) == 0;
}

static void write_box(FILE *out, const Convex *box)
{
    fprintf(out, "%.17g %.17g %.17g %.17g %.17g %.17g", box->half.x, box->half.y, box->half.z, box->x.x, box->x.y,
            box->x.z);
    for (int i = 0; i < 9; i++)
        fprintf(out, " %.17g", box->turn.m[i / 3][i % 3]);
    fputc('\n', out);
}

static bool read_way(FILE *in, const char *way, DepthAnswer *answers, int count, double *seconds)
{
    char word[16];
    bool ok = fscanf(in, "%15s %lf", word, seconds) == 2 && strcmp(word, way) == 0;
    for (int i = 0; ok && i < count; i++) {
        DepthAnswer *answer = &answers[i];
        int found;
        ok = fscanf(in, "%d %lf %lf %lf %lf", &found, &answer->n.x, &answer->n.y, &answer->n.z, &answer->depth) == 5;
        answer->found = ok && found && vec3_norm(answer->n) > 0.0;
    }
    return ok;
}

static bool ask(const char *path, char *name, const ContestPair *pairs, int count, Status *status)
{
    Program program;
    if (!program_start(&program, path, (char *[]){"bullet_pairs", name, NULL}, status))
        return false;
    for (int i = 0; i < count; i++) {
        write_box(program.in, &pairs[i].a);
        write_box(program.in, &pairs[i].b);
    }
    return program_end(&program) || status_set(status, STATUS_FAILED, "%s did not end well", path);
}

bool bullet_answer(const char *path, const ContestPair *pairs, int count, DepthAnswer *answers[BULLET_WAYS],
                   double seconds[BULLET_WAYS], Status *status)
{
    char name[] = "/tmp/rigor_pairs_XXXXXX";
    int file = mkstemp(name);
    FILE *in = file >= 0 ? fdopen(file, "r") : NULL;
    bool ok = in != NULL || status_set(status, STATUS_FAILED, "no file for Bullet's answers in /tmp");
    ok = ok && ask(path, name, pairs, count, status);
    for (int i = 0; ok && i < BULLET_WAYS; i++)
        ok = read_way(in, WAYS[i], answers[i], count, &seconds[i]) ||
             status_set(status, STATUS_FAILED, "%s gave no answer to every pair", path);
    if (in)
        fclose(in);
    else if (file >= 0)
        close(file);
    if (file >= 0)
        unlink(name);
    return ok;
}
