#!/bin/sh
# SPDX-License-Identifier: MIT
# Kills at random times (fixed seed) of sweeps, their workers, MPI ranks, recordings and reports. Whatever is killed is
# resumed, and must end with what an undisturbed one has: nothing lost, nothing twice. After SIGINT and SIGTERM no part
# file stays behind. The number of kills is printed.
# usage: test_kills.sh RIGOR STORE_DUMP RECORDING_SUM [ROUNDS [SEED]]
rigor=$(realpath "$1") dump=$(realpath "$2") sum=$(realpath "$3") rounds=${4:-3} seed=${5:-7}
. "$(dirname "$0")/../support/sweep_common.sh"
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 RIGOR_CACHE=
cat >grid.json <<'END'
{ "rigor": 1, "name": "g", "grid": [ { "scene": ["pendulum", "chain"], "solver": ["xpbd", "pgs"], "time": 1,
    "params": { "links": [1, 2, 3, 5, 8, 13] }, "options": { "substeps": [1, 7, 20, 40], "iterations": [1, 10] } } ],
  "metrics": ["drift_max", "energy_error_max"] }
END
kills=0 lost=0

# A time up to $1 s; the next one at each call, which is a process of its own, and the same with every awk.
random() {
    echo >>"$work/calls"
    awk -v seed="$seed" -v n="$(wc -l <"$work/calls")" -v most="$1" \
        'BEGIN { print most * ((seed * 7919 + n * 617) % 997) / 997 }'
}

# hit SIGNAL SECONDS PID...: after so long
hit() {
    signal=$1
    sleep "$2"
    shift 2
    kill -s "$signal" "$@" 2>/dev/null && kills=$((kills + 1))
}

gone() { # WHAT: nothing of it is lost
    lost=$((lost + 1))
    fail "$@"
}

complete() { # WHAT STORE: resumed, it has what the calm one has
    succeeds sweep grid.json --db "$2"
    "$dump" calm.sqlite >a
    "$dump" "$2" >b
    cmp -s a b || gone "$1: $(diff a b | grep -c '^<') runs differ from the undisturbed sweep: $(diff a b | head -n 4)"
}

tell() { # WHAT: since the last
    echo "$1: $((kills - told)) kills, $lost lost"
    told=$kills
}
told=0

succeeds sweep grid.json --db calm.sqlite --jobs 2
for i in $(seq "$rounds"); do
    "$rigor" sweep grid.json --db killed.sqlite --jobs 2 >/dev/null 2>&1 &
    hit KILL "$(random 0.12)" $!
    wait $! 2>/dev/null
done
complete sweep killed.sqlite
tell sweep

"$rigor" sweep grid.json --db workers.sqlite --jobs 2 >/dev/null 2>&1 &
pid=$!
for i in $(seq $((2 * rounds))); do
    sleep "$(random 0.05)"
    workers=$(pgrep -P $pid | head -n $((1 + i % 2)) | tail -n 1)
    [ -n "$workers" ] && hit KILL 0 "$workers"
done
wait $pid || fail "a sweep whose workers are killed fails"
complete workers workers.sqlite
tell workers

if mpirun --oversubscribe -n 2 true >/dev/null 2>&1 && command -v setsid >/dev/null; then
    for i in $(seq "$rounds"); do
        setsid mpirun --oversubscribe -n 3 "$rigor" sweep grid.json --db ranks.sqlite >/dev/null 2>&1 &
        pid=$!
        sleep "$(random 0.4)"
        ranks=$(pgrep -P $pid | head -n $((1 + i % 3)) | tail -n 1)
        [ -n "$ranks" ] && hit KILL 0 "$ranks"
        # mpirun itself waits for ever for a rank that died before it had begun.
        { sleep 10; kill -9 $pid 2>/dev/null; } &
        watchdog=$!
        wait $pid 2>/dev/null
        kill $watchdog 2>/dev/null
    done
    complete ranks ranks.sqlite
    tell "MPI ranks"
fi

# A recording that was killed is none, or whole up to some frame; made again it is the same as the undisturbed one.
succeeds run chain xpbd -p links=20 --time 20 --record calm.h5
whole=$("$sum" calm.h5)
for i in $(seq "$rounds"); do
    rm -f killed.h5
    "$rigor" run chain xpbd -p links=20 --time 20 --record killed.h5 >/dev/null 2>&1 &
    hit KILL "$(random 0.1)" $!
    wait $! 2>/dev/null
    [ -e killed.h5 ] || continue
    frames=$("$sum" killed.h5) || { gone "a killed recording cannot be read"; continue; }
    frames=${frames% *}
    [ "$("$sum" killed.h5)" = "$frames $("$sum" calm.h5 "$frames" | sed 's/.* //')" ] || gone "a killed recording has other frames"
done
succeeds run chain xpbd -p links=20 --time 20 --record killed.h5
[ "$("$sum" killed.h5)" = "$whole" ] || gone "a recording made again differs"
tell recording

# Rows without the columns that are times, in any order; a comma with a blank stands in a text.
timeless() {
    sed 's/, / /g' "$1" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) keep[i] = $i !~ /us_|wall|finished/ }
             { line = ""; for (i = 1; i <= NF; i++) if (keep[i]) line = line "," $i; print line }' | sort
}
succeeds report grid.json -o calm
for i in $(seq "$rounds"); do
    "$rigor" report grid.json -o killed >/dev/null 2>&1 &
    hit KILL "$(random 0.15)" $!
    wait $! 2>/dev/null
done
succeeds report grid.json -o killed
timeless calm/g.csv >a
timeless killed/g.csv >b
cmp -s a b || gone "a report made again has other data: $(diff a b | head -n 3)"
"$dump" calm/store.sqlite >a
"$dump" killed/store.sqlite >b
cmp -s a b || gone "a report made again has another store"
for file in calm/g.*; do
    [ -s "killed/${file#calm/}" ] || gone "a report made again has no ${file#calm/}"
done
tell report

# Signals that can be handled leave no part file.
for try in $(seq 20); do # children whose parent was killed end by themselves
    pgrep -f "grid.json -o killed" >/dev/null || break
    sleep 0.5
done
rm -f ./*.part killed/*.part
interrupted() { # SIGNAL COMMAND...
    signal=$1
    shift
    "$rigor" "$@" >/dev/null 2>&1 &
    hit "$signal" "$(random 0.15)" $!
    wait $! 2>/dev/null
    for try in 1 2 3 4 5 6 7 8 9 10; do # a child removes its own, once it is told that its parent has ended
        parts=$(find . -name '*.part')
        [ -n "$parts" ] || break
        sleep 0.5
    done
    [ -z "$parts" ] || gone "$signal of '$*' leaves $parts"
}
for signal in INT TERM HUP; do
    for i in $(seq $((rounds - 1))); do
        interrupted $signal run chain xpbd -p links=20 --time 20 --record i.h5
        interrupted $signal run chain xpbd -p links=20 --time 20 --series i.csv
        interrupted $signal report grid.json -o "i$signal$i"
    done
done
tell signals
echo "$kills kills, $lost lost"
[ $kills -gt $((6 * rounds)) ] || fail "only $kills kills: everything was faster than its killer"
finish
