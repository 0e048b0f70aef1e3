#!/bin/sh
# SPDX-License-Identifier: MIT
# rigor refute: finds what breaks a solver, the same each time, and what it prints breaks it again.
# usage: test_refute.sh RIGOR JSON_CHECK
set -u
rigor=$1 json_check=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../support/cli.sh"

# A loop breaks xpbd, and direct survives it at the same step.
document 'claim="stable" solver="xpbd" found=true scene.bodies.1.name="link2" numbers.status="blew_up" numbers.loop=true
    numbers.direct.status="ok" numbers.direct.verdict="holds" chain.found tried seed=1 ended_by="work"' \
    refute stable --solver xpbd --budget 20 --json -o "$work/loop.json"
cp "$work/out" "$work/first"
substeps=$(sed -n 's/^ *"substeps": \([0-9]*\),*$/\1/p' "$work/first" | sed -n 2p)
document 'status="blew_up" verdict="falls"' run "$work/loop.json" xpbd -s substeps="$substeps" --json
document 'status="ok" verdict="holds"' run "$work/loop.json" direct -s substeps="$substeps" --json
joints=$(grep -c '"type"' "$work/loop.json") bodies=$(grep -c '"mass"' "$work/loop.json")
[ "$joints" -gt "$bodies" ] || fail "$joints joints of $bodies links are no loop"

# The same seed, the same answer; another seed, another search.
"$rigor" refute stable --solver xpbd --budget 20 --json >"$work/second" || fail "refute again"
cmp -s "$work/first" "$work/second" || fail "the same search ends otherwise"
"$rigor" refute stable --solver xpbd --budget 20 --seed 2 --json >"$work/other" || fail "seed 2"
grep -v '"seed"' "$work/first" >"$work/first.rest" # what of it is found, and after how many trials
grep -v '"seed"' "$work/other" | cmp -s "$work/first.rest" - && fail "another seed is the same search"

# What breaks direct is told as honestly; a mechanism with the substeps asked for; what is not found is no failure.
document 'found=true numbers.status="blew_up" numbers.substeps=1 numbers.direct=null' \
    refute stable --solver direct --budget 20 -s substeps=1 --json
document 'found=true numbers.substeps=1 numbers.energy_gain_max numbers.direct=null' \
    refute energy --solver direct --budget 10 -s substeps=1 --json
document 'found=false scene=null numbers.status="ok" chain.scene=null' \
    refute stable --solver direct --budget 0.05 --json
prints "rigor run SCENE.json xpbd -s substeps=" refute energy --solver xpbd --budget 20

refuses 2 "unknown claim 'peace'" refute peace --solver xpbd
refuses 2 "--solver is missing" refute stable
refuses 2 "one solver at a time" refute stable --solver xpbd,pgs
echo "a letter" >"$work/letter.json"
refuses 1 "letter.json" refute stable --solver xpbd -o "$work/letter.json"
verdict
