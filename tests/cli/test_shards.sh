#!/bin/sh
# SPDX-License-Identifier: MIT
# A sweep in parts, on machines that know nothing of each other: the parts are all of it, once; merged they are the store of one
# sweep; what does not agree is named. And the cluster's script, without a cluster.
# usage: test_shards.sh RIGOR STORE_DUMP SOURCE_ROOT
rigor=$(realpath "$1") dump=$(realpath "$2") source=$3
. "$(dirname "$0")/../support/sweep_common.sh"
cd "$work" || exit 1
count() { "$rigor" results "$1" --csv | tail -n +2 | wc -l; }
cat >e.json <<'END'
{"rigor": 1, "name": "parts", "metrics": ["drift_max", "energy_error_max"],
 "grid": [{"scene": "pendulum", "params": {"links": [1, 2, 3]}, "solver": ["xpbd", "pgs"], "options": {"substeps": [1, 2, 4]},
           "time": 0.2}]}
END
succeeds sweep e.json --db whole.sqlite --jobs 1
total=0
for part in 1 2 3 4; do
    succeeds sweep e.json --shard $part/4 --db part-$part.sqlite --jobs 1
    total=$((total + $(count part-$part.sqlite)))
done
[ $total = 18 ] || fail "the parts have $total runs, not 18"
succeeds sweep e.json --shard 2/4 --db part-2.sqlite
says "0 made"
succeeds results part-2.sqlite e.json --progress
grep -qE '^[45] of 18 runs \(2[0-9] %\), [45] ok$' out || fail "progress: $(cat out)"
succeeds results whole.sqlite --progress
says "18 runs, 18 ok"
says "last stored 20"
succeeds merge part-1.sqlite part-2.sqlite part-3.sqlite part-4.sqlite -o all.sqlite
[ "$(count all.sqlite)" = 18 ] || fail "merged: $(count all.sqlite) runs"
succeeds results all.sqlite whole.sqlite --diff
says "18 runs in both stores, 0 only in the first, 0 only in the second"
says "18 the same to the bit"
succeeds sweep e.json --db all.sqlite
says "18 were in all.sqlite, 0 made"

# What several have is there once; another metric of the same runs is added.
sed 's/"drift_max", "energy_error_max"/"drift_rms"/' e.json >f.json
succeeds sweep f.json --shard 1/2 --db other.sqlite --jobs 1
succeeds merge part-1.sqlite other.sqlite part-1.sqlite whole.sqlite -o both.sqlite
[ "$(count both.sqlite)" = 18 ] || fail "both: $(count both.sqlite) runs"
"$rigor" results both.sqlite --csv --metrics drift_max,drift_rms >numbers
[ "$(awk -F, 'NR > 1 && $(NF - 1) != ""' numbers | wc -l)" = 18 ] || fail "a metric was lost: $(cat numbers)"
[ "$(awk -F, 'NR > 1 && $NF != ""' numbers | wc -l)" = 9 ] || fail "a metric was not added: $(cat numbers)"

# Refusals; nothing is written.
if command -v python3 >/dev/null && python3 -c 'import sqlite3' 2>/dev/null; then
    cp part-1.sqlite false.sqlite
    python3 -c 'import sqlite3; c = sqlite3.connect("false.sqlite"); c.execute("UPDATE runs SET drift_max = 2 * drift_max"); c.commit()'
    refuses 1 "has another drift_max than in what was merged before" merge part-1.sqlite false.sqlite -o bad.sqlite
    python3 -c 'import sqlite3; c = sqlite3.connect("false.sqlite"); c.execute("UPDATE runs SET drift_max = drift_max / 2, status = \"failed\""); c.commit()'
    refuses 1 "has another status" merge part-1.sqlite false.sqlite -o bad.sqlite
    refuses 1 "(pendulum, " merge part-1.sqlite false.sqlite -o bad.sqlite
    python3 -c 'import sqlite3; c = sqlite3.connect("false.sqlite"); c.execute("UPDATE runs SET status = \"timed_out\", drift_max = NULL"); c.commit()'
    for order in "false.sqlite part-1.sqlite" "part-1.sqlite false.sqlite"; do
        rm -f late.sqlite
        succeeds merge $order -o late.sqlite
        [ "$("$rigor" results late.sqlite --where "status = 'ok'" --csv | wc -l)" = "$(($(count part-1.sqlite) + 1))" ] ||
            fail "a run that timed out on one machine took the place of one that did not ($order)"
    done
fi
refuses 2 "is there already" merge part-1.sqlite -o all.sqlite
refuses 2 "is one of the stores to merge" merge part-1.sqlite -o part-1.sqlite
refuses 3 "no such store" merge part-1.sqlite nothing.sqlite -o bad.sqlite
refuses 1 "not a database" merge part-1.sqlite e.json -o bad.sqlite
[ -z "$(ls | grep '^bad')" ] || fail "left: $(ls | grep '^bad')"

# The script, as Slurm would start it.
mkdir cluster && cp e.json cluster/ && cd cluster || exit 1
mkdir bin && ln -s "$rigor" bin/rigor
for part in 1 2 3; do
    PATH=$PWD/bin:$PATH TMPDIR=$work SLURM_ARRAY_TASK_ID=$part SLURM_ARRAY_TASK_COUNT=3 SLURM_JOB_ID=7 \
        sh "$source/examples/shards.slurm" e.json >../out 2>../err || fail "the script: $(cat ../err)"
done
succeeds merge results/part-1.sqlite results/part-2.sqlite results/part-3.sqlite -o all.sqlite
[ "$(count all.sqlite)" = 18 ] || fail "the script's parts: $(count all.sqlite) runs"
cd ..
[ $failures = 0 ] && echo "all passed"
exit $failures
