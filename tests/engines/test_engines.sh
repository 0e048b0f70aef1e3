#!/bin/sh
# SPDX-License-Identifier: MIT
# The bridges, held against each other and against our solvers: what two engines compute in the same way must agree in its
# digits, and every engine must fall, swing, stop and rest as the scene says. An engine that is missing is named.
# usage: test_engines.sh RIGOR SOURCE_FOLDER ENGINE...
set -u
rigor=$1 here=$2
shift
fails=0 tried=0 work=$(mktemp) ways=$(mktemp)
trap 'rm -f "$work" "$ways"' EXIT
fail() { echo "FAILED: $*"; fails=$((fails + 1)); }

has() {
    "$rigor" run projectile "$1" --time 0.02 2>&1 | grep -q "not installed" || return 0
    echo "missing: $1; make engines gets it"
    return 1
}

# value METRIC SCENE SOLVER ARGUMENTS...
value() {
    metric=$1
    shift
    "$rigor" run "$@" --json 2>&1 |
        awk -F'[:,]' -v key="\"$metric\"" '/cannot run this scene/ { print "refused"; found = 1; exit }
            index($1, key) { print $2; found = 1; exit } END { if (!found) print "none" }'
}

# near WHAT A B RELATIVE: |A - B| <= RELATIVE |B|
near() {
    awk -v a="$2" -v b="$3" -v r="$4" 'BEGIN { if (a !~ /[0-9]/ || b !~ /[0-9]/) exit 1; d = a - b; if (d < 0) d = -d; if (b < 0) b = -b; exit !(d <= r * b) }' ||
        fail "$1: $2 and $3 differ by more than $4"
}

# below WHAT A LIMIT
below() {
    [ "$2" = refused ] && { echo "refused: $1"; return; }
    awk -v a="$2" -v l="$3" 'BEGIN { exit !(a ~ /[0-9]/ && a + 0 <= l) }' || fail "$1: $2 is above $3"
}

# given WHAT A LIMIT: below, unless the engine does not tell
given() {
    case $2 in *null* | none) echo "not given: $1" ;; *) below "$@" ;; esac
}

# types ENGINE: it refuses a plain joint of a type, by name, if and only if the matrix of solvers says so.
types() {
    letters=$("$rigor" list solvers --matrix | awk -v e="$1" '$1 == e { print $2 }')
    k=0
    for type in fixed distance ball hinge servo motor prismatic cylinder wire volume; do
        k=$((k + 1))
        joint='"bodies":["world","a"],"anchor":[0.5,0,0]' extra=
        case $type in
        distance) joint='"bodies":["world","a"]' ;;
        hinge) joint="$joint,\"axis\":[0,0,1]" ;;
        servo) joint="$joint,\"axis\":[0,0,1],\"target\":0.1" ;;
        motor) joint="$joint,\"axis\":[0,0,1],\"torque\":0.1" ;;
        prismatic | cylinder) joint="$joint,\"axis\":[1,0,0]" ;;
        wire) joint='"bodies":["world","a"],"center":[0,0,0],"axis":[0,0,1],"radius":1' ;;
        volume)
            joint='"bodies":["b","c","d","e"]'
            extra=',{"name":"b","position":[2,0,0],"mass":1},{"name":"c","position":[3,0,0],"mass":1},
                {"name":"d","position":[2,1,0],"mass":1},{"name":"e","position":[2,0,1],"mass":1}'
            ;;
        esac
        cat >"$work" <<END
{ "rigor": 1, "name": "one $type", "collide": "none",
  "bodies": [ { "name": "a", "position": [1,0,0], "mass": 1, "inertia": [0.1,0.1,0.1] } $extra ],
  "joints": [ { "name": "j", "type": "$type", $joint } ] }
END
        "$rigor" run "$work" "$1" --time 0.05 --truth none >/dev/null 2>&1
        status=$?
        case $status,$(echo "$letters" | cut -c $k) in
        0,[a-z] | 4,-) ;;
        *) fail "$1: status $status of a $type joint, where the matrix says $letters" ;;
        esac
    done
}

# Where every body of a scene ends, a line each: the scene with options given to RIGOR run.
places() {
    "$rigor" run "$@" --truth none --json --state 2>/dev/null |
        awk '/"position": \[/ { getline; x = $1 + 0; getline; print x, $1 + 0 }'
}

# Motors, slides, limits and servos, with the world as the first body and as the second, off the centres. 20 mm: of soft
# limits and drives, first order in h; a wrong sign or a bound that is not one is 100 mm and more.
both_ways() {
    places "$here/joints_both_ways.json" "$@" >"$work"
    [ -s "$work" ] || { echo "refused: $1: joints both ways"; return; }
    paste -d ' ' "$work" "$ways" | awk '{ d = ($1 - $3) ^ 2 + ($2 - $4) ^ 2; if (!(d <= 0.02 ^ 2)) { print "joint", NR, $0; bad = 1 } } END { exit bad || NR != 8 }' ||
        fail "$1: joints both ways"
}

# Every engine, on its own steps. Limits are of the step, h = 1/600: one-step errors of a first-order method.
one() {
    engine=$1 fine="-s substeps=10"
    has "$engine" || return 0
    case $engine in mujoco*) options="-s integrator=implicitfast" ;; *) options= ;; esac
    both_ways "$engine" -s substeps=40 $options
    tried=$((tried + 1))
    types "$engine"
    # x - x_truth = g h t / 2 in free fall, whatever the engine; twice that for one that puts all of h first.
    below "$engine: projectile" "$(value error_end projectile "$engine" $fine --time 1)" 0.017
    below "$engine: hinge_limit" "$(value error_angle_end hinge_limit "$engine" $fine)" 0.01
    below "$engine: bounce" "$(value penetration_max bounce "$engine" $fine)" 0.01
    # of 2 m; cannon is off by 21 mm whatever the step, the others by less than 5
    below "$engine: rolling" "$(value error_end rolling "$engine" $fine)" 0.025
    below "$engine: pendulum" "$(value error_end pendulum "$engine" $fine --time 1)" 0.05
    # Reactions, of engines that give them: a swinging chain's forces, first order in h = 1/1200; the arm's torque
    # m g x = 20.60 N m, sign included (Havok's wavers by 3 %).
    given "$engine: force_error" "$(value force_error pendulum "$engine" -p links=3 -s substeps=20 --time 0.5)" 0.01
    torque=$("$rigor" run "$here/cantilever.json" "$engine" --json --state 2>/dev/null |
        awk '/"torque": null/ { print "null"; exit } /"torque": \[/ { getline; getline; getline; print $1; exit }')
    # A weight falls 1 s on a spring from its rest length: 1 m, k = 100 N/m. First order in h; ours is at -1.0607 m, and
    # 0.5 % is a tenth of the swing.
    height=$("$rigor" run "$here/weight_on_spring.json" "$engine" -s substeps=20 --json --state 2>/dev/null |
        awk '/"position": \[/ { getline; getline; print $1 + 0; exit }')
    [ -z "$height" ] || near "$engine: spring" "$height" -1.0607 0.005
    case $torque in null | "") echo "not given: $engine: torque" ;; *) near "$engine: torque" "$torque" 20.601 0.05 ;; esac
}

shift
places "$here/joints_both_ways.json" pgs -s substeps=100 >"$ways"
for engine in "$@"; do one "$engine"; done
[ $tried = 0 ] && { echo "no engine is installed: make engines"; exit 77; }

# Three rods, joints at velocity level with Baumgarte's 0.2 (Bullet: ERP 0.2, CFM 0; ODE: ERP 0.2, CFM 1e-10), 60 steps a
# second, all sweeps converged: the same equations, so the same drift. 1e-9: what 200 sweeps leave.
ours=$(value drift_max pendulum lcp -p links=3 --time 2)
near "pgs against lcp" "$(value drift_max pendulum pgs -p links=3 --time 2 -s iterations=200)" "$ours" 1e-9
if has bullet; then
    near "bullet against lcp, drift" "$(value drift_max pendulum bullet -p links=3 --time 2 -s iterations=200)" "$ours" 1e-9
    near "bullet against lcp, error" "$(value error_end pendulum bullet -p links=3 --time 2 -s iterations=200)" \
        "$(value error_end pendulum lcp -p links=3 --time 2)" 1e-9
    near "bullet against pgs, one rod" "$(value drift_max pendulum bullet)" "$(value drift_max pendulum pgs)" 1e-5
fi
# ODE turns bodies by q + h w q / 2, not by exp: 0.07 % after 2 s. Its two solvers agree with each other.
if has ode_step; then
    steps=$(value drift_max pendulum ode_step -p links=3 --time 2)
    near "ode_step against lcp" "$steps" "$ours" 1e-3
    near "ode_quick against ode_step" "$(value drift_max pendulum ode_quick -p links=3 --time 2 -s iterations=200)" "$steps" 1e-9
    near "ode_quick against pgs, one rod" "$(value drift_max pendulum ode_quick)" "$(value drift_max pendulum pgs)" 5e-4
fi

# Joint coordinates, semi-implicit Euler: no drift, and the same motion but for round-off (1e-9: of 60 steps, amplified).
euler="-s integrator=semi_implicit -s substeps=1"
for engine in bullet_multibody mujoco; do
    has $engine || continue
    for metric in error_end energy_error_max; do
        near "$engine against featherstone, $metric" "$(value $metric pendulum $engine -p links=3 --time 1)" \
            "$(value $metric pendulum featherstone -p links=3 --time 1 $euler)" 1e-9
    done
    below "$engine: drift" "$(value drift_max pendulum $engine -p links=3 --time 1)" 1e-12
done

# Two boxes, a nanometre into each other: MuJoCo has no contact where surfaces only touch, ours has. 1e-12: round-off.
if has mujoco; then
    near "mujoco against mujoco_newton" "$(value penetration_max "$here/deeper_boxes.json" mujoco)" \
        "$(value penetration_max "$here/deeper_boxes.json" mujoco_newton)" 1e-12
fi

# What an engine fails of the checks stands below every table that it enters: reduced coordinates with Euler's method do
# not keep momentum, and its impacts and limits throw back. It is checked once.
if has bullet_multibody; then
    folder=$(mktemp -d) fails_text="fails of rigor verify: momentum" impacts="oblique friction, limit rebound"
    RIGOR_CACHE=$folder/cache
    export RIGOR_CACHE
    "$rigor" compare pendulum --solvers pgs,bullet_multibody,bullet_multibody_tuned --time 0.1 >"$work" 2>"$folder/first" || fail "compare"
    grep -q "warning: bullet_multibody: $fails_text, $impacts\$" "$work" || fail "compare does not say what fails"
    # A tuning is checked for itself: ten times as many steps find the ball near the ground, and leave it no bounce.
    grep -q "warning: bullet_multibody_tuned: $fails_text, bounce, $impacts\$" "$work" || fail "compare does not say what a tuning fails"
    "$rigor" verify bullet_multibody_tuned 2>/dev/null | grep -q "^bounce *FAIL" || fail "a tuning is not verified as itself"
    grep -q "warning: pgs" "$work" && fail "compare warns of pgs"
    for name in bullet_multibody bullet_multibody_tuned; do
        grep -q "checking $name," "$folder/first" || fail "the first use of $name does not say that it checks"
    done
    "$rigor" run pendulum bullet_multibody --time 0.1 --json >"$work" 2>"$folder/second"
    grep -q "\"$fails_text, $impacts\"" "$work" || fail "no warning in JSON"
    grep -q "checking" "$folder/second" && fail "checked again"
    echo '{ "rigor": 1, "name": "few", "grid": [ { "scene": ["pendulum"], "solver": ["pgs", "bullet_multibody"], "time": 0.1 } ] }' >"$folder/few.json"
    "$rigor" sweep "$folder/few.json" --db "$folder/few.sqlite" >/dev/null 2>&1 || fail "sweep"
    "$rigor" results "$folder/few.sqlite" | grep -q "warning: bullet_multibody: $fails_text" || fail "results do not say what fails"
    "$rigor" profile "$folder/few.sqlite" --metric drift_max | grep -q "warning: bullet_multibody: $fails_text" ||
        fail "profile does not say what fails"
    unset RIGOR_CACHE
    rm -rf "$folder"
fi

# An implicit spring is the same row everywhere: ERP 1, CFM alpha/h.
has ode_quick && near "ode_quick: spring" "$(value error_end spring ode_quick)" "$(value error_end spring pgs)" 1e-4
# ODE's gyroscopic term is of first order up to the first flip, 6 s: four times the steps, a fourth of the error.
has ode_quick && near "ode_quick: order of torque_free" "$(value error_angle_max torque_free ode_quick --time 6 -s substeps=16)" \
    "$(value error_angle_max torque_free ode_quick --time 6 -s substeps=64 | awk '{ print 4 * $1 }')" 0.02
# The gyroscopic term, backward Euler as ours: Bullet's.
has bullet && near "bullet: torque_free" "$(value energy_error_max torque_free bullet)" "$(value energy_error_max torque_free pgs)" 0.01
# These tell, always; a servo that is too weak pulls with its bound; WorldStep solves a symmetric pile.
for engine in ode_quick ode_step bullet chipmunk; do
    has $engine || continue
    "$rigor" run pendulum $engine --time 0.1 --json | grep -q '"force_error": [0-9]' || fail "$engine gives no reactions"
    "$rigor" verify $engine 2>/dev/null | grep -Eq '^bounds +pass +1 ' || fail "$engine: a weak servo"
done
if has ode_step; then
    "$rigor" run stack ode_step --truth none --json >"$work"
    grep -q '"settled": 1' "$work" || fail "ode_step: the stack does not stand"
    grep -q "LCP was not solved" "$work" && fail "ode_step: the LCP of a stack"
    # Without the remedy it fails, and says so.
    "$rigor" run stack ode_step --truth none -s untie=0 --json | grep -q "LCP was not solved" || fail "ode_step: an LCP that fails is no event"
fi
# Room for contacts grows with the scene, the binding's default (1,000) and beyond it (2,000).
has jolt && for spheres in 1000 2000; do
    "$rigor" run pile jolt -p spheres=$spheres --time 0.05 --truth none --json 2>&1 | grep -q '"status": "ok"' || fail "jolt: a pile of $spheres"
done
# tells WHAT MODE SCENE OPTIONS BRIDGE: in every step all impulses that are told give each body m (v - v0 - g h). 1e-5 of
# its weight: floats round to 1e-6 of it.
tells() {
    "$rigor" export --resolved "$3" | sed "s/\"mode\": *\"\"/\"mode\": \"$2\"/" >"$work"
    off=$(python3 "$here/contact_impulses.py" "$work" "$4" node "$here/../../solvers/engines/$5") || fail "$1: no contact impulses"
    awk -v off="$off" 'BEGIN { exit !(off != "" && off < 1e-5) }' || fail "$1: impulses are off by $off of the weight"
}
if command -v python3 >/dev/null; then
    # Rapier where nothing rubs; PhysX with friction and bounces, and with joints besides.
    has rapier && tells rapier "" "$here/smooth_boxes.json" '{"iterations": 4, "pgs_iterations": 1, "contact_frequency": 30,
        "slop": 0.005, "prediction": 0.02}' rapier.mjs
    physx='{"iterations": 4, "velocity_iterations": 1, "contact_reports": true, "contact_offset": 0.02, "restitution_threshold": 2,
        "push_speed": "inf"}'
    has physx && for mode in pgs tgs; do
        tells "physx, $mode" $mode "$here/rough_boxes.json" "$physx" physx.mjs
        tells "physx, $mode, with joints" $mode cradle "$physx" physx.mjs
    done
fi
[ $fails = 0 ]
