#!/bin/sh
# SPDX-License-Identifier: MIT
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

for solver in naive_avg naive_avg:iterations=64 pgs nncg admm newton kkt lcp featherstone articulated direct direct_contact reference; do
    passes $solver
done
# Impulses that all see the same velocities and are not averaged grow from sweep to sweep; those that mass splitting averages
# leave the stack so deep in itself that the push apart lifts it, and the hinge so far from its pivot that it throws the rod.
fails jacobi "stack energy" "oblique friction"
fails jacobi_split "stack energy" "limit rebound"
# One pass of impulses does not hold a block: it creeps by millimetres.
fails naive "friction threshold"
# A spring gives way under load: the rod lies deeper in its limit than the scene allows, friction needs a slip, and both
# give back what they took.
fails penalty "hinge limit" "friction threshold" "oblique friction" "limit rebound"

# Body by body a pair's forces are opposite only once the sweeps have converged; multipliers that decay let a block creep
# and an impact's friction go.
fails avbd "momentum" "contact momentum" "friction threshold" "oblique friction"

# The primal sweeps of avbd, with other ends.
fails avbd_post "momentum" "contact momentum" "oblique friction"
fails vbd "momentum" "contact momentum" "friction threshold"
# Published friction before the load is known: a block at the edge slides, an impact rubs with the part of its impulse that
# the position solve gives. The limit turns the rod about its centre, and the hinge throws it back in the next substep.
fails pbd "friction threshold" "oblique friction"
fails pbd_approach "friction threshold" "oblique friction"
for solver in xpbd xpbd_approach xpbd_block; do
    fails $solver "friction threshold" "oblique friction" "limit rebound"
done
fails xpbd_stick "limit rebound"
# The lecture's program has no gyroscopic term, and its halved turns keep neither angular momentum nor energy.
fails xpbd_lecture "torque-free flip" "angular momentum" "pendulum energy" "limit rebound"
# Newton's XPBD gives a joint's impulse and its torque by unlike shares, and a body the mean of what its contacts give: both
# lose momentum. It has no bounce, friction sees the load of one pass, and what takes an overlap back stays as speed.
fails newton_xpbd "angular momentum" "contact momentum" "pendulum energy" "bounce" "friction threshold" "oblique friction" \
    "limit rebound"
# Soft limits give way under load, and regularised friction creeps: so does the engine's.
fails mujoco_newton "hinge limit" "friction threshold" "limit rebound"
# Restitution comes after friction, which never hears of it; soft limits are springs.
for solver in pgs_soft tgs_sticky; do
    fails $solver "oblique friction"
done
for solver in tgs_soft soft_step; do
    fails $solver "oblique friction" "limit rebound"
done
# Positions are taken back where they stand, and the next substep takes it for a speed; a point midway between surfaces
# that are still apart is no longer midway, nor on either, when they meet, and friction has the wrong arm.
for solver in pgs_ngs pgs_ngs_block tgs_ngs pgs_solver2d; do
    fails $solver "oblique friction" "limit rebound"
done
# solver2d's XPBD has no limits, its sticky joints take errors back in the wrong place as they relax.
fails xpbd_solver2d "hinge limit" "friction threshold" "oblique friction" "limit rebound"
fails tgs_sticky_solver2d "angular momentum" "pendulum energy" "oblique friction" "limit rebound"
# The penalties of AVBD's demo begin at 1 N/m, whatever they hold.
fails avbd_demo "momentum" "contact momentum" "friction threshold" "oblique friction"
fails avbd_demo_post "momentum" "contact momentum" "friction threshold" "oblique friction"
# At acceleration level a ball whose gap closes just as a substep ends is gripped by more than friction gives (of 41 this
# one); so it is in lcp with level=acceleration.
fails kkt_contact "oblique friction"
# The convex law lifts what slides, and the harder push rubs harder.
fails apgd "oblique friction"

# mu m g instead of mu N: the lecture's bound holds a block on too steep a slope, and nothing without weight.
fails pgs_lecture "friction threshold" "oblique friction"
fails pgs_dense "friction threshold" "oblique friction"
# Every check comes to an end.
for solver in pbd xpbd pgs_block; do
    "$rigor" verify $solver >"$work/out" 2>&1
    [ "$(grep -Ec "^[a-z -]+ +(pass|FAIL) " "$work/out")" -eq 16 ] || fail "verify $solver: sixteen checks"
done
# What the oblique impacts give: the mean and the worst of the balls. xpbd_stick gives all of it.
"$rigor" verify xpbd >"$work/out" 2>&1
grep -Eq "^oblique friction .*mean share 0\.5[0-9]*, worst 0\.000 of ball" "$work/out" || fail "verify xpbd: mean and worst"
grep -Eq "^limit rebound .*arrives at 5\.1, leaves at 2\.[0-9]+ rad/s" "$work/out" || fail "verify xpbd: rebound"
"$rigor" verify xpbd_stick --json >"$work/out" 2>&1
grep -q '"detail": "mean share 1.000, worst 1.000 of ball' "$work/out" || fail "verify xpbd_stick: oblique friction"

# Every other named variant passes.
stated="pgs_soft tgs_soft soft_step pgs_ngs pgs_ngs_block tgs_ngs jacobi avbd_post vbd xpbd_stick xpbd_block xpbd_approach"
stated="$stated pbd_approach pgs_lecture pgs_solver2d xpbd_solver2d tgs_sticky_solver2d avbd_demo avbd_demo_post kkt_contact"
"$rigor" list solvers --json >"$work/list" || fail "list solvers"
variants=$(awk -F'"' '/^    "name"/ { name = $4 } /^    "variant_of"/ { print name }' "$work/list" | grep -v "_tuned$")
[ -n "$variants" ] || fail "no variants are listed"
for variant in $variants; do
    case " $stated " in *" $variant "*) ;; *) passes "$variant" ;; esac
done

# The recorded motions of the original: those of the name, with what explains a difference; who leaves it is told.
"$rigor" verify soft_step >"$work/out" 2>&1
grep -Eq "^solver2d/soft_step/chain10 +SAME +[0-9.]+e-1[0-9]" "$work/out" || fail "verify soft_step: its original"
grep -Eq "^solver2d/soft_step/two_balls_collide +BY DESIGN .* look_ahead=0.02: " "$work/out" || fail "verify soft_step: a switch"
"$rigor" verify kkt >"$work/out" 2>&1
grep -q "recorded motion" "$work/out" && fail "kkt has no original"
"$rigor" verify newton_xpbd -s contact_relaxation=0.81 >"$work/out" 2>&1
grep -Eq "^newton/one_row_1 +UNEXPLAINED .* was SAME" "$work/out" || fail "verify: an original that was left"
"$rigor" verify mujoco_newton --json >"$work/out" 2>&1
[ "$(grep -c '"verdict": "SAME"' "$work/out")" -eq 9 ] || fail "verify mujoco_newton --json: nine motions"

# Not for contacts, so their checks do not apply.
"$rigor" verify kkt >"$work/out"
grep -Eq "^bounce +n/a" "$work/out" || fail "kkt is asked to bounce"

"$rigor" verify pgs --json >"$work/out" || fail "verify --json"
grep -q '"passes": true' "$work/out" || fail "verify --json: passes"
[ "$(grep -c '"measured"' "$work/out")" -eq 17 ] || fail "verify --json: seventeen checks"
exit 0
