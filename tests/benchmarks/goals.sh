#!/bin/sh
# SPDX-License-Identifier: MIT
# The time of a whole frame, detection and all, of ours beside the goals set for it and beside ODE, Bullet and Jolt with
# their ten sweeps (Jolt as WebAssembly, in float). Medians of interleaved runs, each of which gives its median frame; then
# what a second thread gives, and what a row costs in a chain past any cache. A run that fails, or whose engine is not
# installed, has its last words instead of a time.
# usage: goals.sh RIGOR
rigor=$1 repeats=5
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/rows" <<'END'
110|chain, 100 links: pgs 4x1|chain --time 2|pgs -s substeps=4 -s iterations=1
300|chain, 100 links: xpbd 20x1|chain --time 2|xpbd -s substeps=20
|  ODE 4x10|chain --time 2|ode_quick -s substeps=4 -s iterations=10
|  Bullet 4x10|chain --time 2|bullet -s substeps=4
|  Jolt 4x10|chain --time 2|jolt -s substeps=4
800|pyramid on 20: pgs_block 1x12|pyramid -p base=20 --time 2|pgs_block -s substeps=1 -s iterations=12
650|pyramid on 20: the same, coloured|pyramid -p base=20 --time 2|pgs_block -s substeps=1 -s iterations=12 -s order=colour
|  ODE 1x50|pyramid -p base=20 --time 2|ode_quick -s iterations=50
|  Bullet 1x10|pyramid -p base=20 --time 2|bullet
|  Jolt 1x10|pyramid -p base=20 --time 2|jolt
1900|pile of 1,000: pgs 1x10|pile --time 5|pgs -s substeps=1 -s iterations=10
6000|pile of 1,000: xpbd_stick 4x1|pile --time 5|xpbd_stick -s substeps=4
|  ODE 1x10|pile --time 5|ode_quick -s iterations=10
|  Bullet 1x10|pile --time 5|bullet
|  Jolt 1x10|pile --time 5|jolt
END

# frame FILE SCENE SOLVER [options]: adds microseconds to FILE, or what went wrong to FILE.why
frame() {
    to=$1
    shift
    if "$rigor" run "$@" --truth none --json >"$work/out" 2>"$work/words"; then
        sed -n 's/.*"frame_us": \([0-9.e+]*\).*/\1/p' "$work/out" >>"$to"
    else
        tail -n 1 "$work/words" >>"$to.why"
    fi
}

# median FILE: of its numbers; nothing if some run failed
median() {
    [ -s "$1.why" ] || [ ! -s "$1" ] || sort -g "$1" | sed -n "$((($(wc -l <"$1") + 1) / 2))p"
}

# why FILE...: the first words of the first run that failed
why() {
    for file in "$@"; do [ ! -s "$file.why" ] || { head -n 1 "$file.why"; return; }; done
    echo "no time given"
}

for i in $(seq $repeats); do
    row=0
    while IFS='|' read -r goal name scene solver; do
        row=$((row + 1))
        # shellcheck disable=SC2086  # words are options
        frame "$work/$row" ${scene%% *} ${solver%% *} ${scene#* } $(echo "$solver" | sed 's/^[^ ]* *//')
    done <"$work/rows"
    frame "$work/one" pile pgs -p spheres=10000 -s substeps=1 -s iterations=10 --time 0.5
    frame "$work/two" pile pgs -p spheres=10000 -s substeps=1 -s iterations=10 --time 0.5 --threads 2
    frame "$work/few" chain pgs -p links=100000 -s substeps=1 -s iterations=10 --time 0.05
    frame "$work/many" chain pgs -p links=100000 -s substeps=1 -s iterations=50 --time 0.05
done
printf '%-36s %10s %8s\n' "whole frames" "µs" "goal"
row=0 failed=0
while IFS='|' read -r goal name scene solver; do
    row=$((row + 1))
    us=$(median "$work/$row")
    if [ -n "$us" ]; then
        printf '%-36s %10.0f %8s\n' "$name" "$us" "$goal"
    else
        failed=$((failed + 1))
        printf '%-36s %10s %8s  %s\n' "$name" "failed" "$goal" "$(why "$work/$row")"
    fi
done <"$work/rows"

# of_two FILE FILE NAME FORMAT EXPRESSION: a line with a number made of two medians, a and b
of_two() {
    a=$(median "$1") b=$(median "$2")
    if [ -n "$a" ] && [ -n "$b" ]; then
        awk -v a="$a" -v b="$b" "BEGIN { printf \"$3: $4\n\", $5 }"
    else
        failed=$((failed + 1))
        echo "$3: failed: $(why "$1" "$2")"
    fi
}
of_two "$work/one" "$work/two" "pile of 10,000" "two threads do a frame in %.2f of the time of one" "b / a"
of_two "$work/few" "$work/many" "chain of 100,000" "%.1f ns a row and sweep (goal 13)" "(b - a) * 1e3 / (40 * 300000)"
[ $failed = 0 ] || echo "$failed of these failed, or are not installed"
