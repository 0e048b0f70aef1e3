#!/bin/sh
# Sweeps from outside: they survive kills, crashes and hangs, and never do a run twice.
# usage: test_sweep.sh RIGOR STORE_DUMP JSON_CHECK ROGUE_PLUGIN
rigor=$1 dump=$2 json_check=$3 rogue=$4
. "$(dirname "$0")/sweep_common.sh"

# Killed at random moments and resumed: the same store as undisturbed, and nothing is done twice
cat >"$work/many.json" <<'END'
{ "rigor": 1, "name": "many",
  "grid": [ { "scene": "pendulum", "params": { "links": [8, 13], "angle": { "linear": [0.1, 1.5, 50] } },
              "solver": ["xpbd", "pgs", "pbd"], "time": 0.7 } ] }
END
succeeds sweep "$work/many.json" --db "$work/calm.sqlite"
says "300 runs; 0 were in"
kills=0
for pause in 0.05 0.13 0.08 0.11 0.06; do
    "$rigor" sweep "$work/many.json" --db "$work/killed.sqlite" --jobs 2 >/dev/null 2>&1 &
    pid=$!
    sleep $pause
    kill -9 $pid 2>/dev/null && kills=$((kills + 1))
    wait $pid 2>/dev/null
    [ -s "$work/killed.sqlite" ] || continue
    "$dump" "$work/killed.sqlite" finished >"$work/now" 2>/dev/null || continue
    [ -f "$work/before" ] && [ -n "$(comm -23 "$work/before" "$work/now")" ] && fail "a resumed sweep repeats runs"
    cp "$work/now" "$work/before"
done
[ $kills -gt 0 ] || fail "the sweep was always faster than its killer"
[ -s "$work/before" ] || fail "no run was stored before a kill"
succeeds sweep "$work/many.json" --db "$work/killed.sqlite"
"$dump" "$work/killed.sqlite" finished >"$work/now"
[ -z "$(comm -23 "$work/before" "$work/now")" ] || fail "the last sweep repeats runs"
[ "$(rows "$work/killed.sqlite")" -eq 300 ] || fail "$(rows "$work/killed.sqlite") rows, not 300"
same "$work/calm.sqlite" "$work/killed.sqlite"
succeeds sweep "$work/many.json" --db "$work/killed.sqlite"
says "300 were in $work/killed.sqlite, 0 made"
ls "$work" | grep -q -e '-wal' -e '-shm' -e '[.]lock' && fail "a sweep leaves files behind: $(ls "$work")"

# The number of jobs does not matter; --force makes all again
succeeds sweep "$work/many.json" --db "$work/one.sqlite" --jobs 1
same "$work/calm.sqlite" "$work/one.sqlite"
succeeds sweep "$work/many.json" --db "$work/one.sqlite" --force
says "300 made"

# An interrupt lets what is in hand end, says so, and leaves a store that resumes
cat >"$work/slow.json" <<'END'
{ "rigor": 1, "grid": [ { "scene": "chain", "params": { "links": 30, "angle": { "linear": [0.1, 1.5, 40] } },
                          "solver": "xpbd", "options": { "substeps": 40 }, "time": 1 } ] }
END
"$rigor" sweep "$work/slow.json" --db "$work/slow.sqlite" --jobs 2 >"$work/out" 2>"$work/err" &
pid=$!
sleep 0.2
kill -INT $pid
wait $pid
[ $? -eq 1 ] || fail "an interrupted sweep does not say so"
grep -q "stopped: .* of 40 runs are stored; the same command makes the rest" "$work/err" || fail "$(cat "$work/err")"
stored=$(rows "$work/slow.sqlite")
[ "$stored" -gt 0 ] && [ "$stored" -lt 40 ] || fail "$stored of 40 rows after an interrupt"
"$dump" "$work/slow.sqlite" finished >"$work/before"
succeeds sweep "$work/slow.json" --db "$work/slow.sqlite"
says "$stored were in"
"$dump" "$work/slow.sqlite" finished >"$work/now"
[ -z "$(comm -23 "$work/before" "$work/now")" ] || fail "the resumed sweep repeats runs"

# Crashes, hangs and refused pairs are rows; the sweep completes
cat >"$work/rogue.json" <<'END'
{ "rigor": 1, "grid": [ { "scene": ["projectile", "pendulum"], "solver": ["rogue", "xpbd"], "time": 0.1,
                          "options": { "act": ["abort", "fault", "behave", "loop", "exit"] } } ],
  "run_time_limit": 0.4 }
END
succeeds sweep "$work/rogue.json" --db "$work/rogue.sqlite" --plugin "$rogue" --jobs 2
says "12 runs"
for expected in "abort crashed" "fault crashed" "exit crashed" "loop timed_out" "behave ok"; do
    act=${expected% *}
    succeeds results "$work/rogue.sqlite" --where "scene = 'projectile' AND options LIKE '%\"$act\"%'" --json
    "$json_check" "0.status=\"${expected#* }\"" <"$work/out" || fail "$act"
done
succeeds results "$work/rogue.sqlite" --where "status = 'unsupported'" --json
"$json_check" 4.scene=\"pendulum\" <"$work/out" || fail "unsupported pairs"
"$dump" "$work/rogue.sqlite" | grep -q "killed by signal 6" || fail "the signal is not told"
"$dump" "$work/rogue.sqlite" | grep -q "not done after 0.4 s" || fail "the time limit is not told"
"$dump" "$work/rogue.sqlite" | grep -q "ended with status 7" || fail "the exit status is not told"
succeeds sweep "$work/rogue.json" --db "$work/rogue.sqlite" --plugin "$rogue"
says "12 were in"
# More time: only what was too slow is made again
sed 's/0[.]4/0.5/' "$work/rogue.json" >"$work/patient.json"
succeeds sweep "$work/patient.json" --db "$work/rogue.sqlite" --plugin "$rogue"
says "11 were in $work/rogue.sqlite, 1 made"
# A rogue solver does not take the estimate with it
succeeds check "$work/rogue.json" --plugin "$rogue"
says "12 runs"
says "5 of them are pairs that will be recorded as unsupported"

# Metrics: what is kept; more of them, or more repeats, make a run again and lose nothing
cat >"$work/metrics.json" <<'END'
{ "rigor": 1, "grid": [ { "scene": "pendulum", "solver": "xpbd", "time": 0.1 } ], "metrics": ["drift_max"] }
END
succeeds sweep "$work/metrics.json" --db "$work/metrics.sqlite"
succeeds results "$work/metrics.sqlite" --json
"$json_check" 0.drift_max 0.energy_error_max=null <"$work/out" || fail "a metric that nobody wanted is kept"
sed 's/drift_max/energy_error_max/' "$work/metrics.json" >"$work/more.json"
succeeds sweep "$work/more.json" --db "$work/metrics.sqlite"
says "1 made"
succeeds results "$work/metrics.sqlite" --json
"$json_check" 0.drift_max=null <"$work/out" 2>/dev/null && fail "a metric that was kept is lost"
"$json_check" 0.energy_error_max=null <"$work/out" 2>/dev/null && fail "a metric that is wanted is missing"
sed 's/"grid"/"repeats": 5, "grid"/' "$work/metrics.json" >"$work/repeated.json"
succeeds sweep "$work/repeated.json" --db "$work/metrics.sqlite"
says "1 made"
succeeds sweep "$work/metrics.json" --db "$work/metrics.sqlite"
says "0 made"

# Reading back
succeeds results "$work/calm.sqlite" --where "solver = 'pgs' AND json_extract(params, '\$.links') = 13" --csv
[ "$(wc -l <"$work/out")" -eq 51 ] || fail "$(wc -l <"$work/out") lines of 50 rows and a header"
head -n 1 "$work/out" | grep -q "^key,scene,solver,params,options,dt,time,status,blew_up_at,row_solves,us_per_frame,wall_s,\
version,machine,finished_at,drift_max,.*residual$" || fail "the columns are $(head -n 1 "$work/out")"
succeeds results "$work/calm.sqlite" --json
"$json_check" 299.key 299.params.links 0.options.substeps 0.dt 0.machine <"$work/out" || fail "JSON"
succeeds results "$work/calm.sqlite"
says "300 runs"
says 'time 0.7'
succeeds results "$work/calm.sqlite" --where "solver = 'none'"
says "0 runs"
refuses 2 "--where: no such column: nonsense" results "$work/calm.sqlite" --where "nonsense = 1"
refuses 2 "--where: not one condition" results "$work/calm.sqlite" --where "1); DELETE FROM runs; --"
refuses 3 "there is no such store" results "$work/none.sqlite"
refuses 2 "--diff takes two stores" results --diff "$work/calm.sqlite"
refuses 2 "--csv does not go with" results "$work/calm.sqlite" --csv --json

# Differences
succeeds results --diff "$work/calm.sqlite" "$work/killed.sqlite"
says "300 runs in both stores, 0 only in the first, 0 only in the second"
says "results: 0 changed by more than 1e-09"
refuses 1 "no run in common" results --diff "$work/calm.sqlite" "$work/rogue.sqlite"

# Wrong files and wrong usage
refuses 2 "--jobs: '0' is not a number of processes" sweep "$work/many.json" --jobs 0
refuses 3 "$work/none.json" sweep "$work/none.json"
printf '{ "rigor": 1,\n  "grid" [] }\n' >"$work/bad.json"
refuses 3 "$work/bad.json:2:" sweep "$work/bad.json"
refuses 1 "cannot be opened" sweep "$work/many.json" --db "$work/none/x.sqlite"
finish
