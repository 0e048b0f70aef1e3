#!/bin/sh
# SPDX-License-Identifier: MIT
# How much more a sweep does with two jobs than with one, beside what the machine allows (two plain runs at once against
# one), and what the harness costs a run. Medians of interleaved repeats; runs of about 5 ms.
# usage: sweep_jobs.sh RIGOR
rigor=$1 repeats=9
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/runs.json" <<'END'
{ "rigor": 1, "grid": [ { "scene": "chain", "params": { "links": 20, "angle": { "linear": [0.1, 1.5, 60] } },
                          "solver": ["xpbd", "pgs"], "time": 1.5 } ] }
END
# One frame of one body: what is left is the harness, with one job
cat >"$work/empty.json" <<'END'
{ "rigor": 1, "grid": [ { "scene": "projectile", "params": { "speed": { "linear": [1, 9, 2000] } },
                          "solver": "xpbd", "time": "1/60" } ] }
END

# sweep EXPERIMENT JOBS: seconds, without the start of the program
sweep() {
    rm -f "$work/x.sqlite"
    "$rigor" sweep "$work/$1.json" --db "$work/x.sqlite" --jobs "$2" | sed -n 's/.* made in \(.*\) s$/\1/p'
}

# plain N: seconds for N runs at once
plain() {
    begin=$(date +%s.%N)
    for i in $(seq "$1"); do
        "$rigor" run chain xpbd -p links=20 --time 60 >/dev/null &
    done
    wait
    echo "$begin $(date +%s.%N)" | awk '{ print $2 - $1 }'
}

median() {
    sort -n "$work/$1" | sed -n "$(((repeats + 1) / 2))p"
}

for i in $(seq $repeats); do
    sweep runs 1 >>"$work/one"
    sweep runs 2 >>"$work/two"
    plain 1 >>"$work/plain_one"
    plain 2 >>"$work/plain_two"
    sweep empty 1 >>"$work/empty"
done
echo "$(median one) $(median two) $(median plain_one) $(median plain_two) $(median empty)" | awk '{
    printf "two jobs do %.2f times the runs of one; the machine allows %.2f\n", $1 / $2, 2 * $3 / $4
    printf "the harness costs %.3f ms a run\n", 1e3 * $5 / 2000 }'
