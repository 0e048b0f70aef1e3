#!/bin/sh
# SPDX-License-Identifier: MIT
# Puts misprints into a copy of the tree, one by one, and demands that the test named for each fails. The tables stand in
# tests/misprints: `formulas`, those of reports/ERRATA.md, and of a lecture's text or its fast namesake by turns; `judge`, what
# measures and judges. A line: number ~ file ~ sed script ~ test program ~ test that must fail.
# usage: mutate.sh SOURCE_ROOT [--part K/N] [NUMBER...]   the lines with these numbers, or every N-th from the K-th on
set -u
cd "$1" || exit 1
shift
part=1 parts=1
if [ "${1:-}" = --part ]; then
    part=${2%/*} parts=${2#*/}
    shift 2
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
table=$work/table
cat tests/misprints/* | awk -v part="$part" -v parts="$parts" 'NR % parts == part % parts' >"$table"

# A copy, built once; a mutation then compiles one file and links one test.
copy=$work/tree
mkdir "$copy"
git ls-files | tar -cf - -T - | tar -xf - -C "$copy"
cd "$copy" || exit 1
CFLAGS= meson setup build --buildtype=debug -Doptimization=1 -Dpage=disabled >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }

# A test's program: solvers_kkt is tests/solvers/test_solvers_kkt.
program() { echo "tests/${1%%_*}/test_$1"; }

bad=0 tried=0
: >"$work/by_folder"
while read -r line; do
    field() { echo "$line" | awk -F' ~ ' -v i="$1" '{ print $i }'; }
    number=$(field 1) file=$(field 2) script=$(field 3) suite=$(field 4) name=$(field 5)
    [ $# = 0 ] || case " $* " in *" $number "*) ;; *) continue ;; esac
    tried=$((tried + 1))
    test=$(program "$suite")
    cp "$file" "$work/saved"
    sed -i "$script" "$file"
    if cmp -s "$file" "$work/saved"; then
        verdict="STALE: $file no longer has this formula"
    elif ! ninja -C build "$test" >"$work/log" 2>&1; then
        verdict="DOES NOT COMPILE: $(grep -m 1 error "$work/log")"
    elif CMOCKA_MESSAGE_OUTPUT=stdout timeout 300 "build/$test" >"$work/log" 2>&1; then
        verdict="NOT NOTICED"
    elif grep -q "FAILED.*$name" "$work/log"; then
        verdict=fails
    elif grep -q "FAILED" "$work/log"; then
        verdict="ANOTHER TEST FAILS: $(grep -m 1 -o 'FAILED.*' "$work/log")"
    else
        verdict="DID NOT END WELL: $(tail -n 1 "$work/log")"
    fi
    cp "$work/saved" "$file"
    echo "$number: $name: $verdict"
    [ "$verdict" = fails ] || bad=$((bad + 1))
    echo "$(dirname "$file") $verdict" >>"$work/by_folder"
done <"$table"
awk '{ tried[$1]++; noticed[$1] += $2 == "fails" } END { for (f in tried) printf "%-24s %3d of %3d noticed\n", f, noticed[f], tried[f] }' \
    "$work/by_folder" | sort
echo "$tried misprints put back, $((tried - bad)) noticed by the test cited for them"
[ "$bad" = 0 ]
