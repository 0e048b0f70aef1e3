#!/bin/sh
# SPDX-License-Identifier: MIT
# The same rows for any number of MPI ranks. Skipped (77) where MPI does not run.
# usage: test_sweep_mpi.sh RIGOR STORE_DUMP ROGUE_PLUGIN
rigor=$1 dump=$2 rogue=$3
. "$(dirname "$0")/../support/sweep_common.sh"
# OpenMPI keeps what it allocates: no affair of a leak checker.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS"
many="mpirun --oversubscribe -n"
$many 2 true >/dev/null 2>&1 || { echo "mpirun does not run here"; exit 77; }

cat >"$work/grid.json" <<'END'
{ "rigor": 1, "grid": [ { "scene": ["projectile", "pendulum"], "params": { "angle": { "linear": [0.2, 1.4, 3] } },
                          "solver": ["rogue", "xpbd", "pgs"], "time": 0.2, "options": { "act": ["behave", "abort"] } },
                        { "scene": "projectile", "solver": "rogue", "time": 0.2, "options": { "act": "loop" } } ],
  "run_time_limit": 4 }
END
succeeds sweep "$work/grid.json" --db "$work/alone.sqlite" --plugin "$rogue"
for n in 1 2 4; do
    $many $n "$rigor" sweep "$work/grid.json" --db "$work/ranks$n.sqlite" --plugin "$rogue" >"$work/out" 2>"$work/err" ||
        fail "$n ranks: $(cat "$work/err")"
    same "$work/alone.sqlite" "$work/ranks$n.sqlite"
done
[ "$(grep -c "runs; 0 were in" "$work/out")" -eq 1 ] || fail "not one rank alone tells: $(cat "$work/out")"

# A rank that is killed ends the others; what is stored stays, and the next call does the rest. The moments and the ranks,
# the one that writes included, are spread over the sweep.
kills=${RIGOR_KILLS:-6} rank=0 struck=0
for kill in $(seq "$kills"); do
    $many 3 "$rigor" sweep "$work/grid.json" --db "$work/killed.sqlite" --plugin "$rogue" >"$work/out" 2>"$work/err" &
    run=$! rank=$(((rank + 1) % 3))
    sleep "$(awk -v k="$kill" 'BEGIN { print 0.3 + (k * 0.618 - int(k * 0.618)) * 3 }')"
    victim=$(ps -eo pid,ppid,args | awk -v db="$work/killed.sqlite" -v rank=$rank '
        index($0, db) && !/mpirun|awk/ { pid[++n] = $1; parent[n] = $2; own[$1] = 1 }
        END { for (i = 1; i <= n; i++) if (!own[parent[i]] && rank-- == 0) { print pid[i]; exit } }')
    [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null
    wait "$run" || struck=$((struck + 1))
done
[ "$struck" -gt 0 ] || fail "no kill struck a sweep"
echo "$struck of $kills kills struck"
$many 3 "$rigor" sweep "$work/grid.json" --db "$work/killed.sqlite" --plugin "$rogue" >"$work/out" 2>"$work/err" ||
    fail "after kills: $(cat "$work/err")"
same "$work/alone.sqlite" "$work/killed.sqlite"
leftovers=$(ps -eo args | grep -F "$work/killed.sqlite" | grep -vc grep)
[ "$leftovers" -eq 0 ] || fail "$leftovers ranks outlive the killed one"

# What is wrong is told once, and all ranks end
printf '{ "rigor": 1, "grid": [] }\n' >"$work/bad.json"
$many 3 "$rigor" sweep "$work/bad.json" --db "$work/bad.sqlite" >"$work/out" 2>"$work/err" && fail "a bad file is accepted"
[ "$(grep -c "grid: must not be empty" "$work/err")" -eq 1 ] || fail "$(cat "$work/err")"
$many 3 "$rigor" sweep "$work/grid.json" --db "$work/none/x.sqlite" --plugin "$rogue" >"$work/out" 2>"$work/err" &&
    fail "a store that cannot be opened is accepted"
[ "$(grep -c "cannot be opened" "$work/err")" -eq 1 ] || fail "$(cat "$work/err")"
finish
