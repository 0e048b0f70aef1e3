#!/bin/sh
# SPDX-License-Identifier: MIT
# Sweeps from outside: they survive kills, interrupts and a full disk, and never do a run twice.
# usage: test_sweep.sh RIGOR STORE_DUMP
rigor=$1 dump=$2
. "$(dirname "$0")/../support/sweep_common.sh"

# until_it_writes NAME PID: the sweep has begun to write to this store, or ended.
until_it_writes() {
    while [ ! -s "$work/$1.sqlite-wal" ] && kill -0 "$2" 2>/dev/null; do :; done
}

# Killed at random moments and resumed: the same store as undisturbed, and nothing is done twice
cat >"$work/many.json" <<'END'
{ "rigor": 1, "name": "many",
  "grid": [ { "scene": "pendulum", "params": { "links": [6, 9], "angle": { "linear": [0.1, 1.5, 40] } },
              "solver": ["xpbd", "pgs", "pbd"], "time": 0.5 } ] }
END
succeeds sweep "$work/many.json" --db "$work/calm.sqlite"
says "240 runs; 0 were in"
kills=0
for pause in 0.03 0.11 0.06 0.09 0.04; do
    "$rigor" sweep "$work/many.json" --db "$work/killed.sqlite" --jobs 2 >/dev/null 2>&1 &
    pid=$!
    until_it_writes killed $pid
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
[ "$(rows "$work/killed.sqlite")" -eq 240 ] || fail "$(rows "$work/killed.sqlite") rows, not 240"
same "$work/calm.sqlite" "$work/killed.sqlite"
succeeds sweep "$work/many.json" --db "$work/killed.sqlite"
says "240 were in $work/killed.sqlite, 0 made"
ls "$work" | grep -q -e '-wal' -e '-shm' -e '[.]lock' && fail "a sweep leaves files behind: $(ls "$work")"

# A full disk (here: a limit on file sizes, in blocks of 512 bytes) is told, and the sweep goes on where it stopped
(ulimit -f 1000 && "$rigor" sweep "$work/many.json" --db "$work/full.sqlite" >"$work/out" 2>"$work/err")
[ $? -eq 1 ] || fail "a full disk: exit status $?"
grep -q "full.sqlite: a run could not be stored: .*what is stored is safe" "$work/err" || fail "$(cat "$work/err")"
stored=$(rows "$work/full.sqlite")
[ "$stored" -gt 0 ] && [ "$stored" -lt 240 ] || fail "$stored of 240 rows on a full disk"
succeeds sweep "$work/many.json" --db "$work/full.sqlite"
says "$stored were in"
same "$work/calm.sqlite" "$work/full.sqlite"

# Two sweeps on one store: the second is refused, the first is not disturbed
"$rigor" sweep "$work/many.json" --db "$work/two.sqlite" --jobs 1 >/dev/null 2>&1 &
pid=$!
until_it_writes two $pid
refuses 1 "another sweep is writing to this store" sweep "$work/many.json" --db "$work/two.sqlite"
wait $pid || fail "a second sweep disturbs the first"
same "$work/calm.sqlite" "$work/two.sqlite"

# An interrupt lets what is in hand end, says so, and leaves a store that resumes
cat >"$work/slow.json" <<'END'
{ "rigor": 1, "grid": [ { "scene": "chain", "params": { "links": 30, "angle": { "linear": [0.1, 1.5, 40] } },
                          "solver": "xpbd", "options": { "substeps": 40 }, "time": 2 } ] }
END
setsid "$rigor" sweep "$work/slow.json" --db "$work/slow.sqlite" --jobs 2 >"$work/out" 2>"$work/err" &
pid=$!
until_it_writes slow $pid
sleep 0.15
# To the whole group, as a terminal or a batch system sends it
kill -s TERM -- -$pid
wait $pid
[ $? -eq 1 ] || fail "an interrupted sweep does not say so"
grep -q "stopped: .* of 40 runs are stored; the same command makes the rest" "$work/err" || fail "$(cat "$work/err")"
stored=$(rows "$work/slow.sqlite")
[ "$stored" -gt 0 ] && [ "$stored" -lt 40 ] || fail "$stored of 40 rows after an interrupt"
"$dump" "$work/slow.sqlite" finished >"$work/before"
succeeds sweep "$work/slow.json" --db "$work/slow.sqlite"
says "$stored were in"
"$dump" "$work/slow.sqlite" | grep -q crashed && fail "an interrupt is recorded as a crash"
"$dump" "$work/slow.sqlite" finished >"$work/now"
[ -z "$(comm -23 "$work/before" "$work/now")" ] || fail "the resumed sweep repeats runs"

# Wrong files and wrong usage
refuses 2 "--jobs: '0' is not a number of processes" sweep "$work/many.json" --jobs 0
refuses 3 "$work/none.json" sweep "$work/none.json"
printf '{ "rigor": 1,\n  "grid" [] }\n' >"$work/bad.json"
refuses 3 "$work/bad.json:2:" sweep "$work/bad.json"
refuses 1 "cannot be opened" sweep "$work/many.json" --db "$work/none/x.sqlite"
finish
