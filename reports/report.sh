#!/bin/sh
# The comparisons of the joint lectures as one HTML page: each table with the command that makes it.
# usage: report.sh RIGOR OUT_DIR
set -eu
rigor=$1 out=$2
mkdir -p "$out"
page=$(mktemp "$out/index.XXXXXX")
trap 'rm -f "$page"' EXIT

section() { # title, finding, rigor's arguments...
    title=$1 finding=$2
    shift 2
    echo "rigor $*" >&2
    printf '<section><h2>%s</h2><p>%s</p><pre class="command">rigor %s</pre><pre>' "$title" "$finding" "$*"
    NO_COLOR=1 COLUMNS=200 "$rigor" "$@" | sed 's/&/\&amp;/g; s/</\&lt;/g'
    printf '</pre></section>\n'
}

{
    cat <<'HTML'
<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>rigor: comparisons</title><style>
:root { color-scheme: light dark; } body { font: 1rem/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto;
padding: 0 1rem; } pre { overflow-x: auto; font-size: .8rem; } .command { opacity: .7; }</style>
<h1>Rigid-body constraint solvers on the same scenes</h1>
HTML
    section "One rod" "Position error of each solver after ten seconds." compare pendulum
    section "Order in the step" "Error falls with the first power of the substep." converge pendulum --solvers xpbd,pgs \
        --over substeps=8,16,32,...,512 --time 2
    section "Drift in the step" "Drift falls with its square." converge pendulum --solvers xpbd,pgs \
        --over substeps=8,16,32,...,512 --metric drift_max --time 2
    section "A chain" "Twenty links fall from level." compare chain -p links=20 --time 5
    section "A machine of joints" "Every type of joint at once." compare joint_gallery
    section "Gauss-Seidel" "Each sweep leaves 97.55 % of the slowest error on ten links." solve pendulum \
        -p kind=particle -p links=10 -p angle=0 --at 0 --solvers pgs -s warm_start=false -s iterations=400
} >"$page"
mv "$page" "$out/index.html"
trap - EXIT
echo "$out/index.html"
