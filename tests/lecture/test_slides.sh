#!/bin/sh
# SPDX-License-Identifier: MIT
# Every slide that a lecture text cites is in the list of slides; and the list is what the lectures have, where they are
# at hand: the line so numbered is the title (in lecture 003 a heading of Markdown, and all of those are in the list).
# usage: test_slides.sh SOURCE_ROOT
cd "$1/solvers/lecture" || exit 1
lectures=$1/../shared/seeds slides=$1/reports/claims/slides.txt
failures=0
list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

[ "$(grep -c '^00[0-4] ' "$slides")" -ge 150 ] || fail "the list has lost slides"
cited=0
for text in *.c; do
    sections=$(grep -c '^/\* \[' "$text")
    [ "$sections" -ge 3 ] || fail "$text cites $sections slides"
    grep -n '^/\* \[' "$text" | sed 's| *\*/$||' >"$list"
    while IFS= read -r line; do
        number=$(echo "$line" | sed -n 's|^[0-9]*:/\* \[\(00[0-4]\)\] .*|\1|p')
        title=$(echo "$line" | sed 's|^[0-9]*:/\* \[[^]]*\] ||')
        cited=$((cited + 1))
        awk -v lecture="$number" -v title="$title" '
            /^#/ { next }
            $1 == lecture { at = $0; sub(/^[0-9]+ +[0-9]+ /, "", at); if (at == title) found = 1 }
            END { exit !found }' "$slides" || fail "$text: no slide of lecture '$number' is called '$title'"
    done <"$list"
done

if [ ! -d "$lectures" ]; then
    echo "$cited slides cited; the lectures are not here: the list itself is not compared"
    [ $failures -eq 0 ]
    exit
fi
grep -v '^#' "$slides" | while read -r lecture line title; do
    there=$(sed -n "${line}p" "$lectures/${lecture}"_*.txt | sed 's/^# //')
    [ "$there" = "$title" ] || echo "FAILED: lecture $lecture, line $line: '$there', not '$title'"
done >"$list"
for line in $(grep -n '^# ' "$lectures"/003_*.txt | cut -d: -f1); do
    grep -q "^003 *$line " "$slides" || echo "FAILED: lecture 003, line $line is not in the list" >>"$list"
done
cat "$list"
failures=$((failures + $(wc -l <"$list")))
echo "$cited slides cited, $failures failures"
[ $failures -eq 0 ]
