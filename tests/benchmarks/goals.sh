#!/bin/sh
# The time of a whole frame, detection and all, of ours beside the goals set for it and beside ODE, Bullet and Jolt with
# their ten sweeps, where they are installed (Jolt as WebAssembly, in float). Medians of interleaved runs, each of which
# gives its median frame; then what a second thread gives, and what a row costs in a chain past any cache.
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

# frame SCENE SOLVER [options]: microseconds; nothing where it is not installed
frame() {
    "$rigor" run "$@" --truth none --json 2>/dev/null | sed -n 's/.*"frame_us": \([0-9.e+]*\).*/\1/p'
}

median() {
    [ ! -s "$1" ] || sort -g "$1" | sed -n "$((($(wc -l <"$1") + 1) / 2))p"
}

for i in $(seq $repeats); do
    row=0
    while IFS='|' read -r goal name scene solver; do
        row=$((row + 1))
        # shellcheck disable=SC2086  # words are options
        frame ${scene%% *} ${solver%% *} ${scene#* } $(echo "$solver" | sed 's/^[^ ]* *//') >>"$work/$row"
    done <"$work/rows"
    frame pile pgs -p spheres=10000 -s substeps=1 -s iterations=10 --time 0.5 >>"$work/one"
    frame pile pgs -p spheres=10000 -s substeps=1 -s iterations=10 --time 0.5 --threads 2 >>"$work/two"
    frame chain pgs -p links=100000 -s substeps=1 -s iterations=10 --time 0.05 >>"$work/few"
    frame chain pgs -p links=100000 -s substeps=1 -s iterations=50 --time 0.05 >>"$work/many"
done
printf '%-36s %10s %8s\n' "whole frames" "µs" "goal"
row=0
while IFS='|' read -r goal name scene solver; do
    row=$((row + 1))
    us=$(median "$work/$row")
    [ -z "$us" ] || printf '%-36s %10.0f %8s\n' "$name" "$us" "$goal"
done <"$work/rows"
echo "$(median "$work/one") $(median "$work/two") $(median "$work/few") $(median "$work/many")" | awk '{
    printf "pile of 10,000: two threads do a frame in %.2f of the time of one\n", $2 / $1
    printf "chain of 100,000: %.1f ns a row and sweep (goal 13)\n", ($4 - $3) * 1e3 / (40 * 300000) }'
