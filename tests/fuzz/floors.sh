#!/bin/sh
# SPDX-License-Identifier: MIT
# Every target, run over its seeds alone, covers at least what floors.txt says, and passes through every function that it
# names, where a number follows through so many of its edges: those are the branches of a reader's grammar.
# usage: floors.sh BUILD_DIR FLOORS.txt
build=$1 floors=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/seeds.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work" "$FUZZ_FOLDER"' EXIT
FUZZ_FOLDER=$(mktemp -d /dev/shm/rigor_fuzz_XXXXXX)
export FUZZ_FOLDER
export ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=0:$ASAN_OPTIONS"
make_seeds "$build/rigor" "$work"
failures=0
while read -r name floor functions; do
    case $name in '' | '#'*) continue ;; esac
    mkdir -p "$work/$name"
    (cd "$work" && "$build/tests/fuzz/fuzz_$name" -runs=0 -print_coverage=1 -rss_limit_mb=4096 "$work/$name" >"$work/$name.log" 2>&1) ||
        { echo "FAILED: $name ends with $?: $(tail -n 3 "$work/$name.log")"; failures=$((failures + 1)); }
    covered=$(sed -n 's/.*INITED *cov: \([0-9]*\).*/\1/p' "$work/$name.log" | tail -n 1)
    echo "$name: $(ls "$work/$name" | wc -l) seeds cover ${covered:-0}, $floor wanted"
    [ "${covered:-0}" -ge "$floor" ] || { echo "FAILED: $name"; failures=$((failures + 1)); }
    for wanted in $functions; do
        function=${wanted%%:*} edges=0
        case $wanted in *:*) edges=${wanted#*:} ;; esac
        reached=$(sed -n "s/^COVERED_FUNC: .*edges: \([0-9]*\)\/[0-9]* $function\( .*\|(.*\|\)\$/\1/p" "$work/$name.log" | sort -n | tail -n 1)
        [ -n "$reached" ] && [ "$reached" -ge "$edges" ] ||
            { echo "FAILED: the seeds of $name cover ${reached:-none} of $function, $edges wanted"; failures=$((failures + 1)); }
    done
done <"$floors"
for target in "$build"/tests/fuzz/fuzz_*; do
    name=${target##*/fuzz_}
    [ ! -f "$target" ] || grep -q "^$name " "$floors" ||
        { echo "FAILED: $name has no floor"; failures=$((failures + 1)); }
done
[ $failures -eq 0 ]
