#!/bin/sh
# SPDX-License-Identifier: MIT
# rigor view: what it writes, and what it refuses.
# usage: test_view.sh RIGOR MAKE_RECORDING SCENE.json PAGE_BUILT
rigor=$1 make=$2 scene=$3 built=$4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

check() {
    if [ "$2" = "$3" ]; then
        echo "ok - $1"
    else
        echo "not ok - $1: got '$2', not '$3'"
        failures=$((failures + 1))
    fi
}

cp "${scene%/*}/wedge.obj" "$work/" # meshes lie beside what names them
"$make" "$scene" xpbd "$work/a.h5" && "$make" "$scene" pgs "$work/b.h5" || exit 1
"$rigor" view "$work/a.h5" "$work/b.h5" -o "$work/page.html" >"$work/out" 2>"$work/err"
status=$?
if [ "$built" = no ]; then
    check "without the page: status" $status 1
    check "without the page: what is missing is said" "$(grep -c 'needs Node' "$work/err")" 1
    exit $failures
fi
check "status" $status 0
check "both recordings are in it" "$(grep -o '"file":"[^"]*.h5"' "$work/page.html" | wc -l)" 2
check "no outside address is asked for" "$(grep -oE '(src|href)="?https?:' "$work/page.html" | wc -l)" 0
# The recording's own text has a </script> in it; the page has four of its own: recordings, playground, script, and none more.
check "a recording cannot end its element" "$(grep -o '</script>' "$work/page.html" | wc -l)" 3
check "hull and mesh come with their triangles" "$(grep -o '"rock":{"vertices"\|"wedge":{"vertices"' "$work/page.html" | wc -l)" 4

"$rigor" view "$work/none.h5" -o "$work/none.html" >/dev/null 2>"$work/err"
check "a file that is not there: status" $? 3
check "nothing is left behind" "$(ls "$work" | grep -c none.html)" 0
"$rigor" view "$scene" -o "$work/none.html" >/dev/null 2>&1
check "a file that is no recording: status" $? 3
head -c 3000 "$work/a.h5" >"$work/cut.h5"
"$rigor" view "$work/cut.h5" -o "$work/none.html" >/dev/null 2>&1
check "a cut recording: status" $? 3
"$rigor" view "$work/a.h5" -o "$work/no/where.html" >/dev/null 2>&1
check "a place that cannot be written: status" $? 1
"$rigor" view >/dev/null 2>&1
check "no recording: status" $? 2

# The viewer without recordings must stay below 1.6 MB.
empty=$(($(wc -c <"$work/page.html") - $(sed -n '/id="rigor-recordings"/,/^<\/script>/p' "$work/page.html" | wc -c)))
check "the page without data is below 1.6 MB ($empty bytes)" $((empty < 1600000)) 1
exit $failures
