#!/bin/sh
# SPDX-License-Identifier: MIT
# A backend built outside the tree, by hand, from the one header: compiled, loaded, run, and near the truth.
# usage: test_plugin.sh SOURCE_ROOT RIGOR
set -eu
root=$1 rigor=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$root/examples/spring_solver.c" "$work/"
${CC:-cc} -std=c11 -O2 -shared -fPIC -I "$root" "$work/spring_solver.c" -o "$work/spring.so"
"$rigor" show springs --plugin "$work/spring.so" | grep -q "springs on joint rows"
"$rigor" run pendulum springs --plugin "$work/spring.so" --time 2 -s substeps=400 -s stiffness=3e6 --json >"$work/run.json"
grep -q '"status": "ok"' "$work/run.json"
# A stiff spring is nearly a joint: the rod ends within 2 cm of the truth, and sags by m g / k at least.
awk -F'[:,]' '/"error_end"/ { error = $2 } /"drift_max"/ { drift = $2 } /"row_solves"/ { rows = $2 }
    END { exit !(error < 0.02 && drift > 1e-6 && drift < 1e-3 && rows == 120 * 400 * 3) }' "$work/run.json"
# Compliance is not among its capabilities.
status=0
"$rigor" run spring springs --plugin "$work/spring.so" 2>"$work/error" || status=$?
[ "$status" = 4 ] && grep -q compliance "$work/error"
# It passes the checks of the contract, and time passes once a step, whatever `iterations` says.
"$rigor" verify springs --plugin "$work/spring.so" >"$work/verify" || { cat "$work/verify"; exit 1; }
"$rigor" verify springs --plugin "$work/spring.so" -s iterations=2 >"$work/verify" || { cat "$work/verify"; exit 1; }
