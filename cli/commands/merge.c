/* SPDX-License-Identifier: MIT */
/* rigor merge: stores of several machines into one. */
#include "bench/store/merge.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same_file(const char *a, const char *b)
{
    struct stat one, two;
    return stat(a, &one) == 0 && stat(b, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

static bool merge_check(const Arguments *arguments, const char *path, Status *status)
{
    if (!path)
        return status_set(status, STATUS_USAGE, "-o is missing, as in -o all.sqlite");
    for (int i = 0; i < arguments->operand_count; i++)
        if (same_file(arguments->operands[i], path))
            return status_set(status, STATUS_USAGE, "%s: is one of the stores to merge: name another file", path);
    return access(path, F_OK) != 0 ||
           status_set(status, STATUS_USAGE, "%s is there already, and stays as it is: name another file", path);
}

/* Into a file of its own, which gets its name when it is whole. */
static bool merge_into(const Arguments *arguments, const char *part, Status *status)
{
    Store *store = store_open(part, status);
    bool ok = store != NULL;
    for (int i = 0; ok && i < arguments->operand_count; i++) {
        MergeCounts counts;
        ok = store_merge(store, arguments->operands[i], &counts, status);
        if (ok)
            printf("%s: %d runs added, %d were there\n", arguments->operands[i], counts.added, counts.there);
    }
    if (ok && sqlite3_exec(store_database(store), "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL) != SQLITE_OK)
        ok = store_fail(store, "cannot be written", status);
    store_close(store);
    return ok;
}

static bool merge_command(const Arguments *arguments, Status *status)
{
    const char *path = argument(arguments, OPTION_OUTPUT);
    char part[1024], beside[1100];
    if (!merge_check(arguments, path, status))
        return false;
    if ((size_t)snprintf(part, sizeof part, "%s.part", path) >= sizeof part)
        return status_set(status, STATUS_USAGE, "-o: the path is too long");
    remove(part);
    bool ok = merge_into(arguments, part, status);
    if (ok && rename(part, path) != 0)
        ok = status_set(status, STATUS_FAILED, "%s: cannot be written", path);
    static const char *const LEFT[] = {"", "-wal", "-shm"};
    for (int i = 0; i < 3; i++) {
        snprintf(beside, sizeof beside, "%s%s", part, LEFT[i]);
        remove(beside);
    }
    return ok;
}

const Command command_merge = {
    .name = "merge",
    .operands = "DB...",
    .summary = "stores of several machines into one (-o all.sqlite)",
    .help =
        "Runs are known by their content: what is in several stores is in the new one once. Where the same run came "
        "to\n"
        "something else (status, row_solves, a metric beyond round-off) the run is named, the exit status is 1, and\n"
        "nothing is written. Of a run that timed out on one machine the other one counts.",
    .least_operands = 1,
    .most_operands = 1000,
    .options = TAKES(OPTION_OUTPUT),
    .run = merge_command,
};
