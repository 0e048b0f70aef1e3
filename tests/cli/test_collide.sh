#!/bin/sh
# SPDX-License-Identifier: MIT
# rigor collide: distances and depths that a reader can work out, by each method, and mistakes.
# usage: test_collide.sh RIGOR JSON_CHECK
set -u
rigor=$1 json_check=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../support/cli.sh"

cat >"$work/s.json" <<'END'
{ "rigor": 1, "name": "shapes", "gravity": [0, 0, 0], "time": 1,
  "bodies": [
    {"name": "floor", "fixed": true, "shape": {"plane": {"normal": [0, 1, 0], "offset": -2}}},
    {"name": "ball", "position": [0, 0, 0], "density": 1000, "shape": {"sphere": {"radius": 0.5}}},
    {"name": "far", "position": [3, 4, 0], "velocity": [-3, -4, 0], "density": 1000, "shape": {"sphere": {"radius": 1}}},
    {"name": "box", "position": [10, 0, 0], "density": 1000, "shape": {"box": {"size": [2, 2, 2]}}},
    {"name": "deep", "position": [11.75, 0.5, 0.25], "density": 1000, "shape": {"box": {"size": [2, 2, 2]}}},
    {"name": "corner", "position": [14, 4, 0], "density": 1000, "shape": {"box": {"size": [2, 2, 2]}}},
    {"name": "tin", "position": [10, 1.75, 0], "density": 1000, "shape": {"cylinder": {"radius": 1, "length": 2}}},
    {"name": "pill", "position": [20, 0, 0], "density": 1000, "shape": {"capsule": {"radius": 0.5, "length": 1}}},
    {"name": "rock", "position": [20, 0, 2.25], "density": 1000,
     "shape": {"hull": {"points": [[-1, -1, -1], [-1, -1, 1], [-1, 1, -1], [-1, 1, 1], [1, -1, -1], [1, -1, 1], [1, 1, -1], [1, 1, 1]]}}},
    {"name": "crag", "position": [20, 0, -1.25], "density": 1000,
     "shape": {"hull": {"points": [[-1, -1, -1], [-1, -1, 1], [-1, 1, -1], [-1, 1, 1], [1, -1, -1], [1, -1, 1], [1, 1, -1], [1, 1, 1]]}}},
    {"name": "mass", "position": [30, 0, 0], "mass": 1} ] }
END
document 'distance=3.5 normal.2 points.1.0 method iterations=1 manifold=[]' collide "$work/s.json" ball far --json
prints "ball and far are apart by 3.5 m, by closed form in 1 step" collide "$work/s.json" ball far
prints "normal from ball to far: 0.6 0.8 0" collide "$work/s.json" ball far
prints "points: 0.3 0.4 0 and 2.4 3.2 0" collide "$work/s.json" ball far
prints "normal from far to ball: -0.6 -0.8" collide "$work/s.json" far ball
prints "points: 2.4 3.2 0 and 0.3 0.4 0" collide "$work/s.json" far ball
document 'distance=1.5 normal.1=1.0' collide "$work/s.json" floor ball --json
document 'distance=1.5 normal.1=-1.0' collide "$work/s.json" ball floor --json
prints "by separating axes in 15 steps" collide "$work/s.json" box deep
document 'depth=0.25 normal.0=1.0 iterations=15 manifold.3.features' collide "$work/s.json" box deep --json
prints "box1 and ground touch, by closed form in 1 step" collide stack box1 ground
prints "normal from box1 to ground: 0 -1 0" collide stack box1 ground
document 'depth=0.25 normal.0=-1.0' collide "$work/s.json" deep box --json
document 'method="gjk" distance iterations' collide "$work/s.json" box corner --json
"$rigor" collide "$work/s.json" box corner | grep -q 'are apart by 2.82842712 m, by gjk' || fail "two corners are not a diagonal apart"
document 'depth method="epa"' collide "$work/s.json" box tin --json
"$rigor" collide "$work/s.json" box tin | grep -q 'overlap by 0.25 m, by epa in [0-9]* steps' || fail "the tin is not a quarter deep"
prints "pill and rock are apart by 0.75 m, by gjk" collide "$work/s.json" pill rock
prints "pill and crag overlap by 0.25 m, by gjk" collide "$work/s.json" pill crag
# After half a second the far ball has come half its way.
"$rigor" collide "$work/s.json" ball far --at 0.5 | grep -q 'are apart by 1 m' || fail "the far ball did not come nearer"
document 'manifold.3.features="00000000:01000004" from.solver="pgs" at=0.5' collide stack box1 box2 --at 0.5 --json

refuses 2 "the scene has no body 'bal': did you mean 'ball'?" collide "$work/s.json" bal far
refuses 2 "'ball' is one body, not two" collide "$work/s.json" ball ball
refuses 2 "--at: '-1' is not a time" collide "$work/s.json" ball far --at -1
refuses 3 "nothing.json" collide "$work/nothing.json" ball far
refuses 2 "'mass' has no shape" collide "$work/s.json" ball mass
refuses 2 "collide" collide "$work/s.json" ball

# A ball that rolls by theta = v h / R in a step, its normal carried along: (p2 - p1).(w1 x n) is zero where the point is
# found and -v (sin theta - theta cos theta) after the step.
cat >"$work/roll.json" <<'END'
{ "rigor": 1, "name": "roll", "gravity": [0, 0, 0], "time": 1,
  "bodies": [
    {"name": "floor", "fixed": true, "shape": {"plane": {"normal": [0, 1, 0], "offset": 0}}},
    {"name": "ball", "position": [0, 0.5, 0], "velocity": [3, 0, 0], "angular_velocity": [0, 0, -6], "density": 1000,
     "shape": {"sphere": {"radius": 0.5}}} ] }
END
document 'manifold.0.neglected manifold.0.speed=0.0' collide "$work/roll.json" ball floor --dt 0.05 --json
awk '{ gsub(/[",]/, "") } $1 == "neglected:" { now = $2 } $1 == "neglected_step:" { got = $2 }
     END { t = 0.3; d = got + 3 * (sin(t) - t * cos(t)); exit !(now == 0 && got < 0 && d < 1e-14 && d > -1e-14) }' \
    "$work/out" || fail "the neglected term of a rolling ball: $(grep neglected "$work/out")"
# Carried by the floor, which does not turn, the normal adds nothing.
"$rigor" collide "$work/roll.json" floor ball --dt 0.05 --json >"$work/out"
awk '{ gsub(/[",]/, "") } $1 == "neglected_step:" { n++; got = $2 } END { exit !(n == 1 && got == 0) }' "$work/out" ||
    fail "the neglected term of a floor: $(grep neglected "$work/out")"

verdict
