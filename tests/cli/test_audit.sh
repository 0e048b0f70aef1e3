#!/bin/sh
# SPDX-License-Identifier: MIT
# rigor audit: a store says what comes of its runs, and a row that does not is found as often as the share says.
# usage: test_audit.sh RIGOR STORE_DUMP JSON_CHECK
rigor=$(realpath "$1") dump=$(realpath "$2") check=$(realpath "$3")
. "$(dirname "$0")/../support/sweep_common.sh"
cd "$work" || exit 1
"$rigor" export pendulum -p links=2 >scene.json
cat >e.json <<'JSON'
{ "rigor": 1, "name": "e", "grid": [ {"scene": ["pendulum", "stack", "chain"], "solver": ["xpbd", "pgs"],
  "options": {"substeps": [1, 2]}, "time": 0.1}, {"scene": "scene.json", "solver": ["xpbd", "pgs", "lcp"], "time": 0.1} ] }
JSON
succeeds sweep e.json --db good.sqlite --jobs 2
succeeds audit good.sqlite --share 1
says "15 of 15 rows made again: 15 the same to the bit, 0 but for round-off, 0 different"
succeeds audit good.sqlite --share 1 --json
"$check" <out || fail "no JSON"
for key in rows checked same round_off different; do grep -q "\"$key\":" out || fail "no $key: $(cat out)"; done
succeeds audit good.sqlite
says "1 of 15 rows made again"
for share in 0 -1 1.5 x nan; do refuses 2 "--share: '$share' is not a part" audit good.sqlite --share $share; done
refuses 3 "there is no such store" audit none.sqlite
# every row carries what made it, each its own
[ "$("$rigor" results good.sqlite --json | grep -o '"made_of": "[0-9a-f]\{64\}"' | sort -u | wc -l)" -eq 15 ] || fail "rows do not say what made them"

# Whatever is false is found: results, the status, and bits where the same program must have the same.
falsified() { # SQL WHAT
    rm -f bad.sqlite*
    cp good.sqlite bad.sqlite
    "$dump" bad.sqlite change "$1" || fail "not changed: $1"
    refuses 1 "are not what comes of their runs" audit bad.sqlite --share 1
    grep -q "$2" out || fail "$1: not told: $(cat out)"
}
falsified "UPDATE runs SET drift_max = drift_max * 1.001 WHERE solver = 'pgs' AND drift_max > 0" drift_max
falsified "UPDATE runs SET row_solves = row_solves - 1" row_solves
falsified "UPDATE runs SET status = 'blew_up', blew_up_at = 0.05 WHERE scene = 'stack'" status
falsified "UPDATE runs SET drift_max = NULL WHERE drift_max IS NOT NULL" drift_max
falsified "UPDATE runs SET drift_max = drift_max * 1.001, kept = ',' WHERE solver = 'pgs' AND drift_max > 0" drift_max
falsified "UPDATE runs SET verdict = CASE verdict WHEN 'holds' THEN 'falls' ELSE 'holds' END" verdict
falsified "UPDATE runs SET events = '[{\"what\": \"x\", \"count\": 1, \"first_at\": 0.05}]'" events
falsified "UPDATE runs SET warnings = '[\"x\"]'" warnings
falsified "UPDATE runs SET drift_max = drift_max * (1 + 4e-16) WHERE drift_max > 0" "other bits"
# What another compiler made may be off by round-off, and is told to be.
cp good.sqlite other.sqlite
"$dump" other.sqlite change "UPDATE runs SET made_of = 'another', drift_max = drift_max * (1 + 4e-16) WHERE drift_max > 0"
succeeds audit other.sqlite --share 1
grep -q " [1-9][0-9]* but for round-off, 0 different" out || fail "round-off is not told: $(cat out)"
# The same between two stores, and the exit status says which.
succeeds results good.sqlite other.sqlite --diff
grep -q " [1-9][0-9]* but for round-off, 0 changed" out || fail "diff does not tell round-off: $(cat out)"
succeeds results good.sqlite good.sqlite --diff
says "15 the same to the bit, 0 but for round-off, 0 changed"

# A scene file that is another is left out, and counted; engines are not started.
"$rigor" export pendulum -p links=3 >scene.json
succeeds audit good.sqlite --share 1
says "3 left out"
cp good.sqlite engine.sqlite
"$dump" engine.sqlite change "UPDATE runs SET solver = 'jolt'"
succeeds audit engine.sqlite --share 1
says "15 left out"

# As often as the share says: one false row of 15, a share of 0.2 takes 3 of them. 40 tries find it 8 times on average;
# fewer than 1 or more than 22 times happens less than once in 10^4.
"$rigor" export pendulum -p links=2 >scene.json
cp good.sqlite one.sqlite
"$dump" one.sqlite change "UPDATE runs SET row_solves = row_solves + 1 WHERE key = (SELECT min(key) FROM runs WHERE row_solves > 0)"
found=0 i=0
while [ $i -lt 40 ]; do
    "$rigor" audit one.sqlite --share 0.2 >/dev/null 2>&1 || found=$((found + 1))
    i=$((i + 1))
done
[ $found -ge 1 ] && [ $found -le 22 ] || fail "found $found times of 40, not about 8"
finish
