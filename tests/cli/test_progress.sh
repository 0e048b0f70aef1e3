#!/bin/sh
# SPDX-License-Identifier: MIT
# What takes seconds says how far it is without a terminal, too, in lines of standard error; what is quick says nothing.
# usage: test_progress.sh RIGOR SECONDS   of the scene, which take the program a few
rigor=$(realpath "$1") time=$2
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export RIGOR_CACHE="$work/cache"
"$rigor" compare pile -p spheres=3000 --solvers pgs,jacobi,pgs_soft --time "$time" --truth none >"$work/out" 2>"$work/err" || exit 1
grep -qE '^\[[12]/3\] (jacobi|pgs_soft), [0-9.]+ s more at this rate$' "$work/err" && grep -q '^pile with [a-z_]*: .* of '"$time"' s' "$work/err" || {
    echo "FAILED: compare says '$(cat "$work/err")'"
    exit 1
}
[ "$(wc -l <"$work/err")" -lt 40 ] || { echo "FAILED: too many lines" && exit 1; }
"$rigor" compare pendulum --solvers pgs,xpbd --time 0.1 >"$work/out" 2>"$work/err" && [ ! -s "$work/err" ] || {
    echo "FAILED: a quick comparison says '$(cat "$work/err")'"
    exit 1
}
echo "all passed"
