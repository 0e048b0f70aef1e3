#!/bin/sh
# rigor verify on every built-in backend and variant. What one honestly fails is stated here, with the reason.
# usage: test_verify.sh RIGOR
set -u
rigor=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $1"
    cat "$work/out"
    exit 1
}

# passes SOLVER
passes() {
    "$rigor" verify "$1" >"$work/out" 2>&1 || fail "verify $1"
    grep -q "FAIL" "$work/out" && fail "verify $1 exits 0 with a failed check"
    grep -Eq "^free flight +pass" "$work/out" || fail "verify $1 has no free flight"
}

# fails SOLVER CHECK...: exactly these
fails() {
    solver=$1
    shift
    "$rigor" verify "$solver" >"$work/out" 2>&1
    [ $? -eq 1 ] || fail "verify $solver does not exit 1"
    [ "$(grep -c "FAIL" "$work/out")" -eq $# ] || fail "verify $solver does not fail $# checks"
    for check in "$@"; do
        grep -Eq "^$check +FAIL" "$work/out" || fail "verify $solver passes '$check'"
    done
}

for solver in naive_avg pgs pgs_soft jacobi tgs_sticky kkt lcp featherstone direct reference; do
    passes $solver
done
# One pass of impulses does not hold a block: it creeps by millimetres.
fails naive "friction threshold"
# A spring gives way under load: the rod lies deeper in its limit than the scene allows, and friction needs a slip.
fails penalty "hinge limit" "friction threshold"

# Body by body a pair's forces are opposite only once the sweeps have converged; multipliers that decay let a block creep.
fails avbd "momentum" "friction threshold"

# The primal sweeps of avbd, with other ends.
fails avbd_post "momentum"
fails vbd "momentum" "friction threshold"
# Published friction before the load is known: a block at the edge slides.
fails xpbd_block "friction threshold"
# Soft limits give way under load, and regularised friction creeps: so does the engine's.
fails mujoco_newton "hinge limit" "friction threshold"

# mu m g instead of mu N: the lecture's bound holds a block on too steep a slope.
fails pgs_lecture "friction threshold"
fails pgs_dense "friction threshold"
# Whatever these fail as their contacts change, every check comes to an end.
for solver in pbd xpbd pgs_block; do
    "$rigor" verify $solver >"$work/out" 2>&1
    [ $? -le 1 ] || fail "verify $solver"
    [ "$(grep -Ec "^[a-z -]+ +(pass|FAIL) " "$work/out")" -eq 11 ] || fail "verify $solver: eleven checks"
done

# Every other named variant passes.
stated="pgs_soft jacobi avbd_post vbd xpbd_block pgs_lecture"
"$rigor" list solvers --json >"$work/list" || fail "list solvers"
variants=$(awk -F'"' '/^    "name"/ { name = $4 } /^    "variant_of"/ { print name }' "$work/list" | grep -v "_tuned$")
[ -n "$variants" ] || fail "no variants are listed"
for variant in $variants; do
    case " $stated " in *" $variant "*) ;; *) passes "$variant" ;; esac
done

# Not for contacts, so their checks do not apply.
"$rigor" verify kkt >"$work/out"
grep -Eq "^bounce +n/a" "$work/out" || fail "kkt is asked to bounce"

"$rigor" verify pgs --json >"$work/out" || fail "verify --json"
grep -q '"passes": true' "$work/out" || fail "verify --json: passes"
[ "$(grep -c '"measured"' "$work/out")" -eq 12 ] || fail "verify --json: twelve checks"
exit 0
