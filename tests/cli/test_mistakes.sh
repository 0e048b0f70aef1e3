#!/bin/sh
# SPDX-License-Identifier: MIT
# Slips of the pen and of the mind, one a line of mistakes.txt: what a person types, the exit status, and the words that
# must be in the answer. Nothing is written on standard output.
# usage: test_mistakes.sh RIGOR SOURCE_ROOT
rigor=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") source=$2
list=$source/tests/cli/mistakes.txt
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp -r "$source/examples" "$source/README.md" "$work" && mkdir -p "$work/reports/figures" &&
    cp "$source/reports/figures/averaging.json" "$work/reports/figures" && cd "$work" || exit 1
export RIGOR_CACHE=
echo '{"rigor": 1, "bodys": []}' >mistake_key.json
echo '{"rigor": 1, "bodies": [{"name": "a", "mass": 1}], "joints": [{"type": "ball", "bodies": ["world", "a"], "achor": [0, 0, 0]}]}' >mistake_joint.json
echo '{"rigor": 1, "name": "m", "gird": []}' >mistake_grid.json
echo '{"rigor": 1, "name": "m", "grid": [{"scene": "pendulum", "solver": "pgs", "params": {"lunks": 3}}]}' >mistake_param.json
echo '{"rigor": 1, "name": "m", "titel": "x"}' >mistake_figure.json
echo '{"rigor": 1, "bodies": [{"name": "a", "mas": 1}]}' >mistake_body.json
echo '{"rigor": 1, "bodies": [{"name": "a", "mass": 1}], "joints": [{"type": "hinj", "bodies": ["world", "a"]}]}' >mistake_type.json
echo '{"rigor": 1, "bodies": [{"name": "base", "mass": 1}], "joints": [{"type": "ball", "bodies": ["world", "bsae"]}]}' >mistake_end.json
echo '{"rigor": 1, "bodies": [{"name": "a", "mass": 1, "material": "stel"}], "materials": {"steel": {}}}' >mistake_material.json
experiment() { # NAME REST: an experiment of one pendulum, with what is wrong in it
    echo "{\"rigor\": 1, \"name\": \"m\", $2}" >"mistake_$1.json"
}
experiment scene '"grid": [{"scene": "pendlum", "solver": "pgs"}]'
experiment solver '"grid": [{"scene": "pendulum", "solver": "pgz"}]'
experiment option '"grid": [{"scene": "pendulum", "solver": "pgs", "options": {"iteratons": 3}}]'
experiment metric '"metrics": ["drift"], "grid": [{"scene": "pendulum", "solver": "pgs"}]'
experiment dt '"grid": [{"scene": "pendulum", "solver": "pgs", "dt": "fast"}]'
failures=0 count=0
# Where the page was not built, every `view` is told so first.
"$rigor" view nosuch.h5 2>&1 | grep -q 'page was not built' && page=no || page=yes
while IFS='|' read -r status words command; do
    case $status in '#'* | '') continue ;; esac
    case $page$command in no"view "*) continue ;; esac
    count=$((count + 1))
    eval "\"$rigor\" $command" >out 2>err </dev/null
    got=$?
    if [ $got != "$status" ] || [ -s out ] || ! grep -qF -- "$words" err; then
        echo "FAILED: rigor $command: exit status $got, not $status; says '$(cat err)', wanted '$words'$([ -s out ] && echo ', and wrote on standard output')"
        failures=$((failures + 1))
    fi
done <"$list"
echo "$count mistakes, $failures answered badly"
[ $count -ge 100 ] && [ $failures = 0 ]
