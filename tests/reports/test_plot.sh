#!/bin/sh
# SPDX-License-Identifier: MIT
# --plot: every format is what its ending says, the picture shows what the document says, and mistakes are answered.
# usage: test_plot.sh RIGOR XML_CHECK
rigor=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") xml_check=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export RIGOR_CACHE=
. "$(dirname "$0")/../support/cli.sh"

shows() { # FILE TEXT...
    file=$1
    "$xml_check" "$file" || fail "$file is no XML"
    shift
    for text in "$@"; do
        sed 's/<[^>]*>//g' "$file" | tr -d '\n' | grep -qF -- "$text" || fail "$file does not show '$text'"
    done
}
study="converge pendulum --over substeps=4,8,16,32 --time 0.5"
prints "" $study --solvers xpbd,pgs --metric error_end,drift_max --plot "$work/a.svg"
order=$("$rigor" $study --solvers xpbd --metric drift_max | sed -n 's/^xpbd: drift_max has order \([0-9.]*\) .*/\1/p')
shows "$work/a.svg" "$order ±" "pgs: order" "error_end" "substep"
# A triangle for each order, with 1 across: orders 1 and 2 here.
[ "$(sed 's/<[^>]*>/\n/g' "$work/a.svg" | grep -cx ' *2')" -ge 1 ] || fail "no triangle of slope 2"
prints "" $study --solvers xpbd --plot "$work/a.pdf"
[ "$(head -c 4 "$work/a.pdf")" = "%PDF" ] || fail "a.pdf is no PDF"
prints "" $study --solvers xpbd --plot "$work/a.png"
[ "$(head -c 4 "$work/a.png" | tail -c 3)" = PNG ] || fail "a.png is no PNG"
[ "$(ls "$work" | grep -c '^a')" -eq 3 ] || fail "more than what was asked for: $(ls "$work")"

prints "" limit chain pgs -p links=5 --over mass_ratio=1:1e4 --time 0.5 --until "drift_max<0.05" --plot "$work/limit.svg"
shows "$work/limit.svg" "largest stable:" "drift_max&lt;0.05" "not stable" "chain with pgs"
prints "" map chain xpbd,pgs -p links=5 --over dt=1/120,1/60 --over mass_ratio=1,100 --time 0.5 --plot "$work/map.svg"
shows "$work/map.svg" "chain with xpbd" "chain with pgs" "mass_ratio"
prints "" map chain pgs -p links=5 --over mass_ratio=1:1e4 --over dt=1/120,1/60 --time 0.5 --plot "$work/limits.svg"
shows "$work/limits.svg" "limit" "stable:"

# Before any run is made, it is said that nothing could be drawn.
refuses 2 "ends in none of .svg .pdf .png" $study --solvers xpbd --plot "$work/a.jpg"
echo "a letter" >"$work/letter.svg"
refuses 1 "letter.svg" $study --solvers xpbd --plot "$work/letter.svg"
[ "$(cat "$work/letter.svg")" = "a letter" ] || fail "a letter was written over"
verdict
