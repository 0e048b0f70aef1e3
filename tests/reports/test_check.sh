#!/bin/sh
# SPDX-License-Identifier: MIT
# rigor check of figure files and of their contents.
# usage: test_check.sh RIGOR FIGURES
rigor=$1 figures=$2
. "$(dirname "$0")/../support/sweep_common.sh"

for file in "$figures"/*.json; do
    succeeds check "$file"
    case $file in
    */contents.json) says "valid contents" ;;
    *) says "a valid figure, '$(basename "$file" .json)'" ;;
    esac
done

figure() { # PART...: a figure of these parts besides its name
    printf '{ "rigor": 1, "name": "f", "title": "t", "finding": "{count(dt)} runs.", %s }' "$*" >"$work/f.json"
}
panel='"panels": [{"x": {"field": "h"}, "y": {"field": "drift_max"}}]'
grid='"grid": [{"scene": "pendulum", "solver": "xpbd", "options": {"substeps": [1, 2, 3]}}]'

figure "$grid, $panel"
succeeds check "$work/f.json"
says "1 panels, 3 runs"
succeeds check "$work/f.json" --json
says '"kind": "figure"'
[ -z "$(find "$work" -name '*.sqlite')" ] || fail "a check makes a store"

figure "$grid, \"panels\": [{\"x\": {\"field\": \"h\"}}]"
refuses 3 "f.json: panels[0].y: is missing" check "$work/f.json"
figure "$(echo "$grid" | sed s/xpbd/xpdb/), $panel"
refuses 3 "f.json: grid[0].solver: " check "$work/f.json"
figure '"series": [{"scene": "pendulum", "solver": "xpbd", "columns": ["link1.x", "link9.x"]}]', "$panel"
refuses 3 "f.json: series[0].columns[1]: 'link9.x'" check "$work/f.json"
figure '"data": [{"command": "solve pendulum --solvent pgs"}]', "$panel"
refuses 3 "f.json: data[0].command: " check "$work/f.json"
figure '"data": [{"command": "solve pendulum --solvers pgs"}, {"command": "solv pendulum"}]', "$panel"
refuses 3 "f.json: data[1].command: " check "$work/f.json"
figure '"data": [{"generator": "spin_update", "arguments": {"spin": -1}}]', "$panel"
refuses 3 "f.json: data[0].arguments.spin: " check "$work/f.json"
figure "$grid, $panel, \"caption\": \"{max(drift_max}\""
refuses 3 "f.json: caption: " check "$work/f.json"
printf '{ "rigor": 1, "name": "f", "title": "t", %s }' "$grid, $panel" >"$work/f.json"
refuses 3 "f.json: finding: is missing" check "$work/f.json"
printf '{ "rigor": 1,\n  "panels": [ }' >"$work/f.json"
refuses 3 "f.json:2:15: " check "$work/f.json"

printf '{ "rigor": 1, "sections": [{"lecture": "000", "title": "t", "contents": ["a", "b", "a"]}] }' >"$work/contents.json"
refuses 3 "contents.json: sections[0].contents[2]: 'a' stands twice" check "$work/contents.json"
finish
