#!/bin/sh
# SPDX-License-Identifier: MIT
# A lecture text is whole and short: it includes the contract, free motion and the model, nothing else of solvers/; it has
# at most 200 lines (penalty and kkt 300); and its sections name their slides, `/* [001] Title`.
# usage: test_form.sh SOURCE_ROOT
cd "$1/solvers/lecture" || exit 1
bad=0
fail() {
    echo "$*"
    bad=1
}
for file in *.c; do
    name=${file%.c} most=200
    case $name in penalty | kkt) most=300 ;; esac
    lines=$(wc -l <"$file")
    [ "$lines" -le $most ] || fail "$file has $lines lines, more than $most"
    others=$(grep '#include "' "$file" | grep -vE '"(model/[a-z0-9_/]+|solvers/solver|solvers/motion)\.h"')
    [ -z "$others" ] || fail "$file includes more than solver.h, motion.h and model/: $others"
    [ "$(grep -cE '^/\* \[00[0-4]\] [A-Z]' "$file")" -ge 3 ] || fail "$file has not three sections that name a slide"
    grep -qE "^LECTURE(_NUMERIC)?\($name\)" ../list.def || fail "$file is not in list.def"
    grep -q 'step_show(step' "$file" || fail "$file shows no row"
    grep -q "\.text_of = \"$name\"" "$file" || fail "$file does not say whose text it is"
done
exit $bad
