#!/bin/sh
# SPDX-License-Identifier: MIT
# The figures of the lectures that are made in a second, drawn: `rigor report` reads each drawing, and says on standard
# error where a text is cut, covered or missing. The others are read alike whenever the whole report is made.
# usage: test_drawings.sh RIGOR FIGURES
rigor=$1
. "$(dirname "$0")/../support/sweep_common.sh"
command -v gnuplot >/dev/null || { echo "gnuplot is not installed"; exit 77; }
export RIGOR_FIGURES="$2"
succeeds report -o "$work/report" bead_step contact_hinge contact_level felt_mass gauss_seidel mass_properties \
    patch_friction polls stiffness
[ -s "$work/err" ] && fail "a drawing is hard to read: $(cat "$work/err")"
grep -l "'-' using" "$work"/report/cache/*.gp && fail "a script has data in its commands, which gnuplot 6 complains of"

# A label that is too long is told of, and the figure is made.
mkdir "$work/figures"
export RIGOR_FIGURES="$work/figures"
cat >"$RIGOR_FIGURES/long.json" <<'JSON'
{ "rigor": 1, "name": "long", "title": "Long", "finding": "There are {count(dt)} runs.",
  "grid": [ {"scene": "pendulum", "solver": ["xpbd", "pgs"], "time": 0.1} ],
  "panels": [ {"by": "solver", "x": {"field": "dt"}, "y": {"field": "drift_max",
    "label": "a label that is far too long for an axis of this length, even if it were set in letters half as large as these"}} ] }
JSON
succeeds report long -o "$work/long"
[ -s "$work/long/long.svg" ] || fail "no long.svg"
grep -q "long: hard to read: the text 'a label that is far too long.*reaches over the edge" "$work/err" ||
    fail "a long label is not told of: $(cat "$work/err")"

# A map whose cells are all of one kind says of which.
cat >"$RIGOR_FIGURES/one.json" <<'JSON'
{ "rigor": 1, "name": "one", "title": "One", "finding": "There are {count(dt)} runs.",
  "grid": [ {"scene": "pendulum", "solver": ["xpbd", "pgs"], "time": 0.1, "set": {"state": 1}} ],
  "panels": [ {"kind": "map", "x": {"field": "scene"}, "y": {"field": "solver"},
    "z": {"field": "state", "labels": {"0": "passes", "1": "fails"}}} ] }
JSON
succeeds report one -o "$work/one"
[ -s "$work/err" ] && fail "a map of one kind is hard to read: $(cat "$work/err")"
grep -q fails "$work/one/one.svg" || fail "a map of one kind has no legend"
finish
