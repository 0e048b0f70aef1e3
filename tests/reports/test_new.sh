#!/bin/sh
# SPDX-License-Identifier: MIT
# rigor new: every kind of file works as it is written, and none is written over another.
# usage: test_new.sh RIGOR SOURCE_ROOT
rigor=$(realpath "$1") source=$2
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export RIGOR_CACHE="$work/cache"
cc=${CC:-cc}
fail() {
    echo "FAILED: $*"
    cat said words 2>/dev/null
    exit 1
}
try() { "$rigor" "$@" >said 2>words; }
refuses() { # TEXT COMMAND...
    text=$1
    shift
    try "$@"
    [ $? = 2 ] && grep -qF -- "$text" words || fail "'$text' is not said of: $*"
}
new() { # KIND FILE
    try new "$1" mine && [ -s "$2" ] && grep -qF "$2" said || fail "new $1"
    ! grep -q 'NAME' "$2" said || fail "a word of the template stands in $2"
    cp "$2" kept
    refuses "is there already" new "$1" mine
    cmp -s "$2" kept || fail "$2 was written over"
}

new scene mine.scene.json
try check mine.scene.json && try run ./mine.scene.json xpbd --json && grep -q '"scene": "mine"' said || fail "the scene"
new experiment mine.experiment.json
try check mine.experiment.json && try sweep mine.experiment.json --db mine.sqlite || fail "the experiment"
try results mine.sqlite --group solver --agg median,ci95 && grep -q '^xpbd' said || fail "the experiment's results"
new figure mine.figure.json
try check mine.figure.json || fail "the figure"
if command -v gnuplot >/dev/null; then
    try report ./mine.figure.json -o out && [ -s out/mine.svg ] || fail "the figure's drawing"
fi
new engine mine_engine.py
if command -v python3 >/dev/null; then
    try verify mine --engine "python3 mine_engine.py" && grep -q 'free flight' said || fail "the engine"
    try run projectile mine --engine "python3 mine_engine.py" || fail "a run of the engine"
fi
new solver mine_solver.c
$cc -shared -fPIC -Wall -Wextra -Werror -I "$source" mine_solver.c -o solver.so || fail "the solver does not build"
try verify mine --plugin ./solver.so || fail "the solver"
try compare pendulum --solvers mine,xpbd --plugin ./solver.so --time 0.2 && grep -q '^mine' said || fail "a run of the solver"

# A metric: its number is that of the states, in tables, documents and lists.
new metric mine_metric.c
$cc -shared -fPIC -Wall -Wextra -Werror -I "$source" mine_metric.c -o metric.so || fail "the metric does not build"
try list metrics --plugin ./metric.so && grep -q '^mine ' said || fail "the metric is not listed"
document='{"rigor": 1, "name": "free", "gravity": [0, 0, 0], "time": 1, "collide": "none", "bodies": [{"name": "a", "mass": 1, "velocity": [3, 4, 0]}]}'
echo "$document" >free.json
try run ./free.json pgs --plugin ./metric.so --json && grep -qE '"mine": 5(\.0)?,?$' said || fail "the metric's value"
try compare ./free.json --solvers pgs,xpbd --plugin ./metric.so --csv --metrics mine --digits 6 || fail "the metric in a table"
[ "$(cat said)" = "$(printf 'solver,mine\npgs,5\nxpbd,5')" ] || fail "the metric in a table"
try compare pendulum --plugin ./metric.so --plugin ./solver.so --solvers mine --time 0.1 || fail "a metric beside a solver"
try run pendulum pgs --plugin ./metric.so --plugin ./metric.so --time 0.1
[ $? = 3 ] && grep -q 'already a metric' words || fail "a metric twice"
sed 's/METRIC_ABI;/METRIC_ABI + 1;/' mine_metric.c >old.c && $cc -shared -fPIC -I "$source" old.c -o old.so || fail "old.c"
try run pendulum pgs --plugin ./old.so
[ $? = 3 ] && grep -q 'built for another version' words || fail "a metric of another version"
sed 's/"mine"/"drift_max"/' mine_metric.c >taken.c && $cc -shared -fPIC -I "$source" taken.c -o taken.so || fail "taken.c"
try run pendulum pgs --plugin ./taken.so
[ $? = 3 ] && grep -q 'already a metric' words || fail "a metric with the name of another"

refuses "'scen' is none of scene, solver" new scen mine
refuses "is no name" new scene 'my scene'
refuses "is no name" new scene ../mine
refuses "there is already a solver 'pgs'" new solver pgs
refuses "there is already a metric 'drift_max'" new metric drift_max
[ "$(find . -name 'pgs*' -o -name 'drift*' | wc -l)" = 0 ] || fail "something is left of what was refused"
echo "all passed"
