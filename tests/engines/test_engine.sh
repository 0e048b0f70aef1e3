#!/bin/sh
# SPDX-License-Identifier: MIT
# Engines as child processes: the example bridge, and every way in which a bridge can misbehave.
# usage: test_engine.sh RIGOR SOURCE_ROOT
set -u
rigor=$1 root=$2
command -v python3 >/dev/null || { echo "python3 is missing: no bridge to test with"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fails=0
fail() { echo "FAILED: $*"; fails=$((fails + 1)); }
toy="python3 $root/examples/engine_bridge.py"
bad() { echo "python3 $root/tests/engines/bad_bridge.py $1"; }

# expect STATUS TEXT COMMAND...: the exit status, and a text among the messages.
expect() {
    wanted=$1 text=$2
    shift 2
    timeout 60 "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got = "$wanted" ] || fail "exit status $got, not $wanted: $* ($(cat "$work/err"))"
    cat "$work/out" "$work/err" | grep -qF -- "$text" || fail "no '$text' from: $* ($(cat "$work/out" "$work/err"))"
}

# The toy falls as semi-implicit Euler does: g h t / 2 below the parabola; twice the substeps, half of that.
for n in 1 2; do
    "$rigor" run projectile toy --engine "$toy" -s substeps=$n --time 1 --json >"$work/toy.json" || fail "the toy does not run"
    awk -F'[:,]' -v n=$n '/"error_end"/ { d = $2 - 9.81 / 60 / n / 2; exit !(d < 1e-9 && d > -1e-9) }' "$work/toy.json" ||
        fail "the toy is off: $(grep error_end "$work/toy.json")"
done
grep -q '"row_solves": null' "$work/toy.json" || fail "row solves of an engine are not null"
expect 0 "toy engine" "$rigor" list solvers --engine "$toy"
expect 0 "share of speed lost" "$rigor" show toy --engine "$toy"
expect 4 "the scene needs joints" "$rigor" run pendulum toy --engine "$toy"
expect 0 "n/a" "$rigor" compare pendulum --solvers pgs,toy --engine "$toy" --time 0.1
expect 2 "no option 'dragg'" "$rigor" run projectile toy --engine "$toy" -s dragg=1

# What a bridge says of itself becomes names in tables, stores and files.
for how in escape key colourful; do
    expect 1 "first line holds control characters" "$rigor" list solvers --engine "$(bad $how)"
done
for name in path long blank; do
    expect 3 "its name is not of letters, digits" "$rigor" list solvers --engine "$(bad $name)"
done
expect 3 "its default is not from min to max" "$rigor" list solvers --engine "$(bad range)"
expect 2 "--engine: needs a command" "$rigor" list solvers --engine " "
expect 2 "more than 4000 characters" "$rigor" list solvers --engine "$toy $(printf '%4000s' x)"

expect 1 "its last words: \`the engine ran out of luck\`" "$rigor" run projectile bad --engine "$(bad die)"
expect 1 "ended by signal 11" "$rigor" run projectile bad --engine "$(bad die)"
expect 1 "did not answer within 0.2 s" "$rigor" run projectile bad --engine "$(bad hang)" -s answer_limit=0.2
expect 1 "no state of this world" "$rigor" run projectile bad --engine "$(bad nonsense)"
for how in counts pairs extra; do
    expect 1 "no state of this world" "$rigor" run projectile bad --engine "$(bad $how)"
done
expect 1 "first line has more than" "$rigor" run projectile bad --engine "$(bad endless)"
expect 1 "first line has more than" "$rigor" list solvers --engine "$(bad boundless)"
# Drop by drop, or with endless noise beside it, an answer has the same time.
for how in drip_hello loud_hello drip loud; do
    expect 1 "did not answer within 0.5 s" "$rigor" run projectile bad --engine "$(bad $how)" -s answer_limit=0.5
done
# States that nobody asked for wait in the pipe; of events as many are kept as a run has room for, as plain text.
expect 0 "cost:" "$rigor" run projectile bad --engine "$(bad states)"
expect 0 'note: \x1b[31mevent 0 of 0' "$rigor" run projectile bad --engine "$(bad events)"
[ "$(grep -c '^note:' "$work/out")" -le 8 ] || fail "$(grep -c '^note:' "$work/out") notes of a bridge"
# Nor does it matter how much of the world it leaves unread.
expect 1 "did not read within 0.5 s" "$rigor" run pyramid -p base=30 bad --engine "$(bad deaf)" -s answer_limit=0.5
expect 0 "blew up" "$rigor" run projectile bad --engine "$(bad nan)" # the engine's own numbers: its result
# So is a body that jumps, at rest before and after, also in a scene without a truth that would notice.
cat >"$work/rest.json" <<END
{ "rigor": 1, "name": "rest", "gravity": [0, 0, 0], "bodies": [ { "name": "ball", "shape": { "sphere": { "radius": 0.5 } }, "density": 1000 } ] }
END
for how in far away; do
    expect 0 "blew up at 0.06667 s" "$rigor" run "$work/rest.json" bad --time 0.2 --engine "$(bad $how)"
    expect 0 '"status": "blew_up"' "$rigor" run projectile bad --json --engine "$(bad $how)"
done
expect 1 "no JSON object: \`good morning\`" "$rigor" run projectile bad --engine "$(bad babble)"
expect 1 "speaks version 2 of the protocol" "$rigor" run projectile bad --engine "$(bad version)"
expect 1 "does not begin where the scene does: position" "$rigor" run projectile bad --engine "$(bad echo)"
# An engine's own time is a part of ours, or the run has failed: no such time is anybody's best.
for how in negative no_number endless_clock longer; do
    expect 1 "the engine's own clock says" "$rigor" run projectile bad --engine "$(bad $how)"
    expect 0 "failed" "$rigor" compare projectile --solvers pgs,bad --engine "$(bad $how)"
    grep '^bad' "$work/out" | grep -q '[*]' && fail "$how: a false clock is starred"
done
# A float's rounding goes with the length of a vector: 0.001 m beside 900 m is off by more than its own.
cat >"$work/far.json" <<END
{ "rigor": 1, "name": "far", "gravity": [0, 0, 0], "bodies": [ { "name": "ball", "shape": { "sphere": { "radius": 0.5 } }, "density": 1000, "position": [903.7, 0.001, 3] } ] }
END
expect 0 "cost:" "$rigor" run "$work/far.json" bad --time 0.1 --engine "$(bad turned)"
expect 4 "the scene needs colours, sounds" "$rigor" run projectile bad --engine "$(bad unsupported)"
expect 1 "ended" "$rigor" run projectile bad --engine "/nowhere/bridge"
expect 1 '"status": "failed"' "$rigor" run projectile bad --json --engine "$(bad die)"
expect 0 "failed" "$rigor" compare projectile --solvers pgs,bad --engine "$(bad die)"

# A bridge that is killed in a sweep: its run fails, the sweep goes on.
cat >"$work/e.json" <<END
{ "rigor": 1, "name": "killed", "grid": [ { "scene": ["pendulum"], "params": { "kind": "particle", "mass": [1, 2.5, 2] },
  "solver": ["bad"], "time": 0.2 } ] }
END
"$rigor" sweep "$work/e.json" --db "$work/e.sqlite" --jobs 2 --engine "$(bad die_once)" >"$work/out" 2>&1 ||
    fail "the sweep did not end well: $(cat "$work/out")"
[ "$("$rigor" results "$work/e.sqlite" --csv | grep -c ',ok,')" = 2 ] || fail "not two runs of the sweep are ok"
[ "$("$rigor" results "$work/e.sqlite" --csv | grep -c ',failed,')" = 1 ] || fail "not one run of the sweep failed"

# What anyone's bridge fails of the checks stands below every table that it enters, too; it is checked once, and again
# when a file that its command names is another.
RIGOR_CACHE=$work/cache
export RIGOR_CACHE
cp "$root/tests/engines/bad_bridge.py" "$work/still.py"
still="python3 $work/still.py none"
expect 0 "warning: bad: fails of rigor verify: free flight" "$rigor" compare projectile --solvers pgs,bad --engine "$still"
expect 0 "checking toy" "$rigor" run projectile toy --engine "$toy"
expect 0 "checking toy" "$rigor" run projectile toy --engine "$toy /dev/zero" # which is no file to tell it by
expect 0 "fails of rigor verify: free flight" "$rigor" run projectile bad --engine "$still"
grep -q "checking" "$work/err" && fail "a bridge was checked again"
expect 0 "warning: bad: fails of rigor verify" "$rigor" sweep "$work/e.json" --db "$work/still.sqlite" --engine "$still"
expect 0 "warning: bad: fails of rigor verify" "$rigor" results "$work/still.sqlite"
echo "# another" >>"$work/still.py"
expect 0 "checking bad" "$rigor" run projectile bad --engine "$still"
unset RIGOR_CACHE

# Nothing is left behind, whatever its session, when a run ends, when the bridge is killed, and when rigor is.
left() { ps -eo args | grep -v grep | grep -q "$1"; }
gone() { # WHAT NAME
    for try in 1 2 3 4 5 6 7 8 9 10; do
        left "$2" || return
        sleep 0.2
    done
    fail "$1: $(ps -eo pid,args | grep -v grep | grep "$2")"
}
"$rigor" run projectile bad --time 0.1 --engine "$(bad sessions) ended$$" >/dev/null 2>&1 || fail "no bridge with sessions"
gone "a session outlived its run" "ended$$"
for victim in rigor bridge; do
    "$rigor" run projectile bad --time 100000 --engine "$(bad sessions) $victim$$" >/dev/null 2>&1 &
    pid=$!
    for try in 1 2 3 4 5 6 7 8 9 10; do
        [ "$(ps -eo args | grep -v grep | grep -c "time.sleep(300) $victim$$")" -ge 1 ] && break
        sleep 0.5
    done
    left "time.sleep(300) $victim$$" || fail "there is no session to outlive"
    bridge=$(ps -eo pid,args | awk -v name="$victim$$" '/bad_bridge.py sessions/ && $NF == name && !/rigor run/ { print $1; exit }')
    [ $victim = rigor ] && kill -9 $pid || kill -9 $bridge || kill -9 $pid
    wait $pid 2>/dev/null
    gone "a session outlived the killed $victim" "$victim$$"
done

# Nor when rigor itself is killed while the bridge says nothing.
"$rigor" run projectile bad --engine "$(bad hang) orphan$$" >/dev/null 2>&1 &
pid=$!
sleep 1
kill -9 $pid
wait $pid 2>/dev/null
for try in 1 2 3 4 5 6 7 8 9 10; do # it ends when it next reads
    ps -eo args | grep -v grep | grep -q "orphan$$" || break
    sleep 0.5
done
ps -eo args | grep -v grep | grep -q "orphan$$" && fail "a bridge outlived rigor"
[ $fails = 0 ]
