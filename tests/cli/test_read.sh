#!/bin/sh
# SPDX-License-Identifier: MIT
# rigor read: what is printed, in which order, as data, on a terminal, and worked out in numbers.
# usage: test_read.sh RIGOR JSON_CHECK SOURCE_ROOT
rigor=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") json_check=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") source=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1 # nothing is looked up in the source tree
. "$source/tests/support/cli.sh"
unset COLUMNS NO_COLOR

# in_order FILE WORDS...: each of these stands in a line after that of the one before it.
in_order() {
    file=$1 at=0
    shift
    for words in "$@"; do
        next=$(awk -v from="$at" -v words="$words" 'NR > from && index($0, words) { print NR; exit }' "$file")
        [ -n "$next" ] || { fail "'$words' is not there, or too early"; return; }
        at=$next
    done
}

# A lecture text: what it is, its phases, what it keeps, the slides in their order, what the loop calls.
prints 'lecture_pgs' read pgs
in_order out 'reference: lecture 001; Catto' 'file: solvers/lecture/pgs.c' 'velocity     20 sweeps' '-- What it keeps ---' \
    'typedef struct Pgs' '  Equations of motion ---' 'V* = V_1 + h M^-1 F_ext' 'motion_begin(' \
    '  Contact caching (warm start) --' '  Projected Gauss-Seidel ---' 'dlambda_i = (b_i - sum_j a_ij lambda_j) / A_ii' \
    'step_show(' 'motion_move(' '-- What the loop calls ---' 'pgs_plan(' 'const Solver lecture_pgs_solver = {'
cp out pgs.txt
prints 'lecture_pgs' read lecture_pgs
cmp -s out pgs.txt || fail "read pgs and read lecture_pgs differ"

# Every text: each slide it cites and every line of its code is printed, as the file has them.
for file in "$source"/solvers/lecture/*.c; do
    name=$(basename "$file" .c)
    "$rigor" read "$name" >out || fail "read $name"
    sed -n 's|^/\* \[\(00[0-4]\)\] \(.*\)|\2|p' "$file" | sed 's| *\*/$||' >titles
    sed -n 's/^-- *[0-9]*  \(.*[^-]\) -*- lecture 00[0-4] --$/\1/p' out | sed 's/ *-*$//' >printed
    cmp -s titles printed || fail "read $name: the slides are not those of the file: $(diff titles printed)"
    "$rigor" read "$name" --json | "$json_check" "name=\"lecture_$name\"" "file=\"solvers/lecture/$name.c\"" >/dev/null ||
        fail "read $name --json"
    grep -v '^ \*\|^/\*' "$file" | grep '[a-z]' | while IFS= read -r line; do
        grep -qxF -- "$line" out || echo "$line"
    done >lost
    [ -s lost ] && fail "read $name has lost: $(head -n 1 lost)"
    COLUMNS=80 "$rigor" read "$name" | awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' ||
        fail "read $name is wider than 80"
    COLUMNS=80 "$rigor" read "$name" | awk -F'"' '/^ .*"/ && NF % 2 == 0 { print; bad = 1 } END { exit bad }' ||
        fail "read $name parts a string that is not closed"
    COLUMNS=80 "$rigor" read "$name" | grep '(([A-Z][A-Za-z]*$' && fail "read $name parts a cast"
done

# A variant: the phases that run, with the values of its options.
prints 'tgs_soft, a variant of pgs' read tgs_soft
in_order out 'sets: substeps=4' 'A frame of dt has 4 substeps of h = dt/4' '1  velocity' '2  move' '3  relax' '4  restitution' \
    '-- 1  velocity ---' 'once' 'free flight' 'springs of 60 Hz and damping ratio 10' 'f = min(60, 0.125/h)' \
    'springs of 30 Hz' 'f = min(30, 0.25/h)' 'warm start' 'in its sweep' 'joints' 'normals' 'friction' '-- 2  move ---' \
    'x <- x + h v' '-- 3  relax ---' 'bias = 0' 'as in phase 1' '-- 4  restitution ---' 'faster than 1 m/s'
grep -q 'Baumgarte' out && fail "tgs_soft does not have Baumgarte's rule"
prints 'bias = 0.2 C/h' read pgs:iterations=7
grep -q 'in each of 7 sweeps' out || fail "options in place are not the run's"
prints 'bias = 0.4 C/h' read pgs -s beta=0.4
prints '-- 2  split ---' read pgs:position=split
prints 'x <- x + h (v + u)' read pgs:position=split
prints '-- 2  position ---' read pgs_ngs
grep -q -- '-- .  split' out && fail "pgs_ngs splits nothing"
prints "q'' = D^-1 (u - U^T a_parent)" read featherstone
prints 'reference: Featherstone 1983' read featherstone
prints 'file: solvers/featherstone.c' read featherstone
for name in $("$rigor" list solvers | sed -n '2,$s/^ \{0,2\}\([a-z][a-z0-9_]*\) .*/\1/p'); do
    COLUMNS=80 "$rigor" read "$name" >out 2>err || fail "read $name: $(cat err)"
    awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' out || fail "read $name is wider than 80"
    file=$(sed -n 's/^file: //p' out)
    [ -z "$file" ] || [ -f "$source/$file" ] || fail "read $name: there is no $file"
done

# As data.
document 'name="lecture_pgs" text_of="pgs" file="solvers/lecture/pgs.c" phases.1.name="velocity" phases.1.sweeps=20 sections.2.lecture="001" sections.2.title sections.2.formula.0 sections.2.code.0 options.beta' read pgs --json
document 'name="tgs_soft" variant_of="pgs" substeps=4 phases.0.name="velocity" phases.0.steps.0.when="once" phases.0.steps.0.formula phases.2.name="relax" phases.2.purpose' read tgs_soft --json
document 'text="lecture_pgs"' show pgs --json
document 'text_of="pgs"' show lecture_pgs --json
prints 'text: rigor read pgs, as the lecture has it' show pgs
prints 'text: rigor read featherstone, its phases in words and formulas' show featherstone
prints '  lecture_pgs' list solvers
"$rigor" compare pendulum --time 0.1 --truth none >out 2>/dev/null
grep -q lecture_ out && fail "a comparison of all backends has lecture texts twice"

# In numbers: the first row of a level rod by hand, g h / (1/m + (l/2)^2/I).
prints 'worked out on the scene pendulum, links=2' read pgs --step pendulum -p links=2
in_order out 'bodies that move' 'link1' 'link2' '-- substep 1 ---' 'as it begins' 'velocity, sweep 1 of 20' 'lambda   becomes' \
    'joint1 attach x' 'joint1 attach y' '  J ' ' dv ' 'joint2 attach z' 'velocity, sweep 2 of 20' '... and 18 more sweeps' \
    'velocity, after all its sweeps' 'move' '-- substep 2 ---' 'velocity, before its sweeps'
grep -q 'substep 3' out && fail "more than two substeps"
COLUMNS=80 "$rigor" read pgs --step pendulum -p links=2 | awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' ||
    fail "the worked example is wider than 80"
prints 'velocity, sweep 4 of 5' read pgs --step pendulum --first 3 --sweeps 4 -s iterations=5
grep -q -- '-- substep 3 ---' out || fail "--first 3"
grep -q '... and 1 more sweep$' out || fail "--sweeps 4 of 5"
document 'run.scene="pendulum" run.dt h substeps_shown.0.begin.0.body="link1" substeps_shown.0.phases.1.rows.1.lambda_unit substeps_shown.0.phases.1.rows.1.bodies.1.J.0.1=1.0 substeps_shown.1.phases.1.entered.0.v.1' read pgs --step pendulum --json

# On a terminal: colours and a pager, unless told otherwise; `script` makes one.
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1; then
    on_terminal() {
        script -qec "$1" /dev/null </dev/null | tr -d '\r'
    }
    esc=$(printf '\033')
    on_terminal "env PAGER=cat '$rigor' read pgs" >out
    grep -q "$esc\[1m" out || fail "no bold on a terminal"
    grep -q "$esc\[36m" out || fail "formulas have no colour on a terminal"
    on_terminal "env PAGER=cat NO_COLOR=1 '$rigor' read pgs" >out
    grep -q "$esc" out && fail "NO_COLOR is not heard"
    on_terminal "env PAGER='sed s/^/paged:/' '$rigor' read pgs" >out
    grep -q '^paged:' out || fail "PAGER does not page"
    on_terminal "env PAGER='head -n 3' '$rigor' read pgs; echo ended \$?" >out
    grep -q '^ended 0' out || fail "who leaves the pager early is told an error: $(tail -n 1 out)"
    on_terminal "env PAGER=no_such_pager '$rigor' read pgs" >out
    grep -q 'What the loop calls' out || fail "without its pager nothing is printed"
else
    echo "no script(1): terminals were not tested"
fi
PAGER='sed s/^/paged:/' "$rigor" read pgs | grep -q '^paged:' && fail "a pipe is paged"
"$rigor" read pgs | grep -q "$(printf '\033')" && fail "a pipe is coloured"
verdict
