#!/bin/sh
# SPDX-License-Identifier: MIT
# The README's first table is what its command prints, but for the last column, which is time; and lines fold at words.
# usage: test_readme.sh SOURCE_ROOT RIGOR
source=$1 rigor=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
command=$(sed -n 's/^\$ build\/rigor //p' "$source/README.md" | head -n 1)
[ -n "$command" ] || { echo "README.md has no command"; exit 1; }
awk '/^\$ build\/rigor /{ on = 1; next } /^```/{ if (on) exit } on' "$source/README.md" | sed 's/ *[^ ]*$//' >"$work/said"
"$rigor" $command | sed '/^~ contended/d; s/ *[^ ]*$//' >"$work/prints"
diff "$work/said" "$work/prints" || { echo "README.md does not show what rigor $command prints"; exit 1; }

# What is laid out in the source (lines that begin with blanks) stays; everything else keeps to the width.
for width in 80 120 200; do
    for words in "help converge" "list metrics" "list scenes" "show pgs" "show chain" "show reference" "compare pendulum --solvers pgs,xpbd" \
        "help" "list solvers --matrix" "version" "converge pendulum --solvers pgs --over substeps=1,2,4,8" "inverse pendulum" \
        "solve stack -p boxes=2 --solvers pgs,kkt" "check $source/examples/experiment.json" "run stack penalty --time 0.1"; do
        COLUMNS=$width "$rigor" $words 2>&1 | awk -v width=$width 'length($0) > width && !/^    / { print; bad = 1 } END { exit bad }' ||
            { echo "rigor $words has lines longer than $width"; exit 1; }
    done
done

"$rigor" list solvers --matrix --json >"$work/json"
grep -q '"prismatic": true' "$work/json" || { echo "joints by type as JSON"; exit 1; }
grep -q '"four-body rows": true' "$work/json" || { echo "the matrix as JSON"; exit 1; }
