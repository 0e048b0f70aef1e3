#!/bin/sh
# The store: locked as a file and not as a name, missed when it goes, and scenes of one name kept apart.
# usage: test_store_files.sh RIGOR STORE_DUMP
rigor=$(realpath "$1") dump=$(realpath "$2")
. "$(dirname "$0")/../bench/sweep_common.sh"
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
  "options": {"iterations": {"linear": [1, 400, 400]}}, "time": 2} ] }
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
finish
