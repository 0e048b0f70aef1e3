#!/bin/sh
# SPDX-License-Identifier: MIT
# MuJoCo solves, we solve again and compare: forces of single problems, then metrics of whole runs.
# usage: test_against_mujoco.sh TEST HERE ENGINES RIGOR
command -v node >/dev/null || exit 77
file=$(mktemp)
trap 'rm -f "$file"' EXIT
node "$2/dump_mujoco.mjs" "$3" >"$file"
status=$?
[ $status -eq 0 ] || exit $status
"$1" "$file" || exit 1

# Contacts are found by ourselves in one and by the engine in the other, so only scenes with plain faces agree; there
# the overlap agrees to its printed digits.
"$4" list engines 2>/dev/null | grep -q "^MuJoCo.*ready" || exit 0
for scene in stack heavy_on_light; do
    one=$("$4" run $scene mujoco_newton --time 2 --truth none | grep penetration_rms) || exit 1
    two=$("$4" run $scene mujoco --time 2 --truth none | grep penetration_rms) || exit 1
    echo "$scene:$one,$two"
    [ "$one" = "$two" ] || exit 1
done
