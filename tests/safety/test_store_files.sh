#!/bin/sh
# SPDX-License-Identifier: MIT
# The store: locked as a file and not as a name, missed when it goes, and scenes of one name kept apart.
# usage: test_store_files.sh RIGOR STORE_DUMP
rigor=$(realpath "$1") dump=$(realpath "$2")
. "$(dirname "$0")/../support/sweep_common.sh"
cd "$work" || exit 1

# Two scene files that call themselves alike
mkdir one two
"$rigor" export pendulum -p links=1 >one/scene.json
"$rigor" export pendulum -p links=3 >two/scene.json
cat >alike.json <<'JSON'
{ "rigor": 1, "name": "alike", "grid": [ {"scene": ["one/scene.json", "two/scene.json"], "solver": ["xpbd", "pgs"],
  "options": {"substeps": [1, 2]}, "time": 0.2} ] }
JSON
succeeds sweep alike.json --db alike.sqlite --jobs 1
succeeds results alike.sqlite --csv
head -n 1 "$work/out" | grep -q 'finished_at,scene_file,scene_hash,' || fail "the view has no scene_file, scene_hash: $(head -n 1 "$work/out")"
[ "$(grep -o '[a-z]*/scene.json,[0-9a-f]*' "$work/out" | sort -u | wc -l)" -eq 2 ] || fail "not two scenes: $(cat "$work/out")"
succeeds profile alike.sqlite --metric drift_max --by solver
says "2 problems"
if command -v gnuplot >/dev/null; then
    succeeds report alike.json -o "$work/report"
    grep -c 'one/scene.json' "$work/report/alike.csv" | grep -qx 0 && fail "the scenes are one in the figure: $(head -n 3 "$work/report/alike.csv")"
    grep -q 'one/scene.json' "$work/report/alike.svg" || fail "the legend does not tell the scenes apart"
fi

# Another name of the same file is the same store.
cat >long.json <<'JSON'
{ "rigor": 1, "name": "long", "grid": [ {"scene": "chain", "params": {"links": 20}, "solver": "pgs",
  "options": {"iterations": {"linear": [1, 400, 400]}}, "time": 20} ] }
JSON
succeeds sweep alike.json --db here.sqlite --jobs 1
ln -s here.sqlite link.sqlite
ln here.sqlite hard.sqlite
"$rigor" sweep long.json --db here.sqlite --jobs 1 >/dev/null 2>&1 &
pid=$!
tries=0
while [ $tries -lt 100 ] && ! "$rigor" sweep alike.json --db here.sqlite --jobs 1 2>&1 | grep -q "another sweep"; do
    tries=$((tries + 1))
done
refuses 1 "another sweep is writing to this store" sweep alike.json --db here.sqlite --jobs 1
refuses 1 "another sweep is writing to this store" sweep alike.json --db link.sqlite --jobs 1
refuses 1 "another sweep is writing to this store" sweep alike.json --db hard.sqlite --jobs 1
succeeds results link.sqlite --csv
kill $pid
wait $pid

# A folder that goes during a sweep is an error, not "ok".
mkdir gone
"$rigor" sweep long.json --db gone/store.sqlite --jobs 1 >"$work/out" 2>"$work/err" &
pid=$!
tries=0
while [ $tries -lt 200 ] && [ ! -s gone/store.sqlite ]; do sleep 0.02; tries=$((tries + 1)); done
rm -r gone
wait $pid
status=$?
[ $status -eq 1 ] || fail "a store that is removed: exit status $status"
grep -q "removed or replaced" "$work/err" || fail "a store that is removed: says '$(cat "$work/err")'"

# A store that somebody made to do harm: its schema is a program, its columns have any name, its texts any content.
crafted() { # SQL
    rm -f crafted.sqlite*
    cp alike.sqlite crafted.sqlite
    "$dump" crafted.sqlite change "$1" || fail "not crafted: $1"
}
endless="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
not_ours="its tables and views are not those of a results store"
for sql in "DROP VIEW results; CREATE VIEW results AS $endless SELECT runs.* FROM runs, n" \
    "DROP VIEW results; CREATE VIEW results AS SELECT (SELECT count(*) FROM runs a, runs b, runs c) FROM runs" \
    "DROP VIEW results; CREATE VIEW results AS SELECT a.* FROM runs a, runs b, runs c -- FROM runs" \
    "DROP VIEW results; CREATE VIEW results AS SELECT 1 /* \" */, (SELECT count(*) FROM runs a, runs b) /* \" */ FROM runs" \
    "DROP VIEW results; CREATE VIEW results AS SELECT 1 AS [\"], (SELECT count(*) FROM runs a, runs b) AS [\"] FROM runs" \
    "DROP VIEW results; CREATE VIEW results AS SELECT hex(zeroblob(8000000)) FROM runs" \
    "ALTER TABLE runs ADD COLUMN big TEXT AS (hex(zeroblob(8000000)))" \
    "CREATE VIEW v AS $endless SELECT i FROM n; DROP VIEW results; CREATE VIEW results AS SELECT *, key IN v FROM runs" \
    "CREATE VIEW v AS $endless SELECT i FROM n; DROP VIEW results; CREATE VIEW results AS SELECT key, dt IN v FROM runs" \
    "CREATE VIEW v AS SELECT 1" \
    "CREATE TABLE other (a)" \
    "CREATE INDEX other ON runs (dt)" \
    "CREATE INDEX other ON runs (abs(dt))" \
    "DROP INDEX runs_identity; CREATE INDEX runs_identity ON runs (length(identity))" \
    "DROP VIEW results; CREATE VIEW results AS SELECT * FROM runs" \
    "DROP VIEW results; CREATE VIEW results AS SELECT key, max(dt) FROM runs" \
    "DROP VIEW results; CREATE VIEW results AS SELECT DISTINCT key FROM runs" \
    "DROP VIEW results; CREATE VIEW results AS SELECT key dt FROM runs" \
    "DROP VIEW results; CREATE VIEW results(a) AS SELECT key FROM runs" \
    "ALTER TABLE runs ADD COLUMN more REAL DEFAULT 1.5" \
    "ALTER TABLE runs ADD COLUMN more REAL CHECK (more > abs(0))" \
    "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END" \
    "DROP VIEW results; ALTER TABLE runs RENAME TO old; CREATE VIEW runs AS $endless SELECT old.* FROM old, n"; do
    crafted "$sql"
    refuses 3 "$not_ours" results crafted.sqlite
    refuses 3 "$not_ours" profile crafted.sqlite --metric drift_max --by solver
    refuses 3 "$not_ours" results alike.sqlite crafted.sqlite --diff
    refuses 3 "$not_ours" sweep alike.json --db crafted.sqlite --jobs 1
done
# Words of SQL within a column's name are none, in the views of older stores, which had no quotes, and in today's.
columns="key, scene, solver, params, options, dt, time, status, blew_up_at, row_solves, us_per_frame, wall_s, version, machine,
    finished_at, scene_file, coalesce(scene_hash, scene) AS scene_hash, events, warnings, drift_max"
for name in time_from_start select_from '"since, from (select)"'; do
    crafted "DROP VIEW results; ALTER TABLE runs ADD COLUMN $name REAL; UPDATE runs SET $name = 7.25;
        CREATE VIEW results AS SELECT $(echo $columns), $name FROM runs"
    succeeds results crafted.sqlite --csv
    says 7.25
    crafted "DROP VIEW results; ALTER TABLE runs DROP COLUMN drift_rms; ALTER TABLE runs ADD COLUMN $name REAL; UPDATE runs SET $name = 7.25"
    succeeds sweep alike.json --db crafted.sqlite --jobs 1
    succeeds results crafted.sqlite --csv
    says 7.25
done
# The view is made again where a metric is missing; a column's name in it is a name.
crafted "DROP VIEW results; ALTER TABLE runs DROP COLUMN drift_max;
    ALTER TABLE runs ADD COLUMN \"x\"\" FROM runs; COMMIT; ATTACH 'stolen.sqlite' AS p; CREATE TABLE p.t (a); BEGIN; SELECT \"\"dt\" REAL"
succeeds sweep alike.json --db crafted.sqlite --jobs 1
[ ! -e stolen.sqlite ] || fail "the name of a column is executed"
# A condition reads and computes; it changes nothing, and takes no longer than a store may.
"$rigor" results alike.sqlite --where "(SELECT count(*) FROM runs a, runs b, runs c, runs d, runs e, runs f, runs g, runs h, runs i, runs j, runs k) > 0" >slow.out 2>slow.err &
slow=$!
for condition in "dt IN ($endless SELECT i FROM n)" "(SELECT count(*) FROM pragma_database_list) > 0" "load_extension('x')" \
    "writefile('stolen', 'x')" "fts3_tokenizer('a') > 1"; do
    refuses 2 "--where: " results alike.sqlite --where "$condition"
done
succeeds results alike.sqlite --where "json_extract(options, '\$.substeps') = 2 AND abs(dt) > 0 AND scene LIKE 'p%'"
# A name in a store starts nothing.
mkdir -p started
printf '#!/bin/sh\necho node >>"%s/started/log"\nexit 1\n' "$work" >started/node
cp started/node started/python3
chmod +x started/node started/python3
crafted "UPDATE runs SET solver = 'jolt'"
(
    failures=0
    export PATH="$work/started:$PATH" RIGOR_CACHE="$work/no_checks"
    for format in "" --csv --json; do
        succeeds results crafted.sqlite $format
        grep -q checking "$work/err" && fail "results $format checks an engine"
    done
    succeeds profile crafted.sqlite --metric drift_max
    grep -q checking "$work/err" && fail "profile checks an engine"
    [ $failures -eq 0 ]
) || fail "a store starts an engine"
[ ! -e started/log ] || fail "a store starts an engine: $(cat started/log)"
crafted "UPDATE runs SET scene = 'a' || char(27) || '[31mb', solver = 'c' || char(10) || 'd'"
for format in "" --csv --json; do
    succeeds results crafted.sqlite $format
    grep -q "$(printf '\033')" out && fail "results $format: an escape reaches the terminal"
done
crafted "UPDATE runs SET scene = printf('%.*c', 20000000, 'a')"
refuses 1 "too big" results crafted.sqlite
wait $slow
[ $? -eq 1 ] || fail "a condition without end: exit status is not 1"
grep -q "takes longer than 20 s" slow.err || fail "a condition without end: $(cat slow.err)"
finish
