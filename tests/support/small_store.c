/* SPDX-License-Identifier: MIT */
/* Writes a small store of results for tests of `rigor profile`: two scenes, xpbd with two option sets, pgs with one.
 *     drift_max           swing        sway        turn
 *     xpbd substeps=10    2e-3         blew up     3e-3
 *     xpbd substeps=20    1e-3         4e-3        crashed
 *     pgs                 8e-3         1e-3        (not run)
 * volume_error_max applies to sway alone. */
#include "bench/store/guard.h"

#include <stdio.h>

static const char SQL[] =
    "PRAGMA application_id = 0x52494752; PRAGMA user_version = 1;" /* as bench/store/store.c marks its stores */
    STORE_TABLE ", drift_max REAL, settled REAL, volume_error_max REAL" STORE_TABLE_END ";" STORE_INDEX ";"
    "CREATE VIEW results AS SELECT key, scene, solver, params, options, dt, time, status, finished_at, drift_max, "
    "settled,"
    " row_solves, volume_error_max FROM runs;"
    "CREATE TEMP TABLE rows (key, scene, solver, params, options, dt, time, status, finished_at, drift_max, settled,"
    " row_solves, volume_error_max);"
    "INSERT INTO rows VALUES"
    "  (1, 'swing', 'xpbd', '{\"links\":3}', '{\"iterations\":1,\"substeps\":10}', 0.01, 2, 'ok', '1', 2e-3, 1, 10, "
    "NULL),"
    "  (2, 'swing', 'xpbd', '{\"links\":3}', '{\"iterations\":1,\"substeps\":20}', 0.01, 2, 'ok', '1', 9e-3, 1, 20, "
    "NULL),"
    "  (3, 'swing', 'xpbd', '{\"links\":3}', '{\"iterations\":1,\"substeps\":20}', 0.01, 2, 'ok', '2', 1e-3, 1, 20, "
    "NULL),"
    "  (4, 'swing', 'pgs', '{\"links\":3}', '{\"iterations\":7}', 0.01, 2, 'ok', '1', 8e-3, 1, 5, NULL),"
    "  (5, 'sway', 'xpbd', '{}', '{\"iterations\":1,\"substeps\":10}', 0.01, 2, 'blew_up', '1', 1e-9, 0, 3, NULL),"
    "  (6, 'sway', 'xpbd', '{}', '{\"iterations\":1,\"substeps\":20}', 0.01, 2, 'ok', '1', 4e-3, 1, 20, 0.25),"
    "  (7, 'sway', 'pgs', '{}', '{\"iterations\":7}', 0.01, 2, 'ok', '1', 1e-3, 1, 5, 0.5),"
    "  (8, 'turn', 'xpbd', '{}', '{\"iterations\":1,\"substeps\":10}', 0.01, 2, 'ok', '1', 3e-3, 1, 10, NULL),"
    "  (9, 'turn', 'xpbd', '{}', '{\"iterations\":1,\"substeps\":20}', 0.01, 2, 'crashed', '1', NULL, NULL, NULL, "
    "NULL);"
    "INSERT INTO runs (key, identity, scene, params, solver, options, dt, time, status, row_solves, repeats, "
    "time_limit,"
    " kept, version, machine, finished_at, drift_max, settled, volume_error_max)"
    " SELECT key, key, scene, params, solver, options, dt, time, status, row_solves, 1, 1, '', '', '', finished_at,"
    " drift_max, settled, volume_error_max FROM rows;";

int main(int argc, char **argv)
{
    sqlite3 *store = NULL;
    char *message = NULL;
    if (argc != 2 || sqlite3_open(argv[1], &store) != SQLITE_OK ||
        sqlite3_exec(store, SQL, NULL, NULL, &message) != SQLITE_OK) {
        fprintf(stderr, "%s\n", message ? message : "usage: small_store PATH");
        return 1;
    }
    return sqlite3_close(store) != SQLITE_OK;
}
