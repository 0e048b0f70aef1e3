#!/bin/sh
# SPDX-License-Identifier: MIT
# Commands made of many runs, from outside: limit, map, profile, converge against cost; repeats and recordings.
# usage: test_studies.sh RIGOR JSON_CHECK PLUGIN SMALL_STORE
rigor=$1 json_check=$2 plugin=$3 small_store=$4
work=$(mktemp -d) || exit 1
export RIGOR_CACHE=$work/cache
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../support/cli.sh"

# A thrown particle without gravity, boosted in each of 10 steps, blows up at 100 times its speed: boost^10 > 100, so the
# limit is 100^(1/10) = 1.584893...
flight="projectile flight --plugin $plugin -p gravity=0 -s substeps=1 --dt 0.1 --time 1"
document "over=\"boost\" which=\"largest\" monotone=true predicate runs.6.stability=\"ok\" runs.6.status=\"ok\"" \
    limit $flight --over boost=0.5:20 --until ok --tolerance 1e-6 --json
awk '/"bracket"/ { getline low; getline high; found = low + 0 <= 1.5848931925 && high + 0 > 1.584893192 && high - low < 3e-6 }
     END { exit !found }' "$work/out" || fail "the bracket does not hold 100^(1/10): $(grep -A2 bracket "$work/out")"
prints "the largest stable boost is 1.58" limit $flight --over boost=0.5:20 --until ok
prints "stable for every boost" limit $flight --over boost=0.5:1.5
document "value=null bracket.0=null bracket.1=2.0" limit $flight --over boost=2:3 --json
document "value=1.5 bracket.0=1.5 bracket.1=null" limit $flight --over boost=0.5:1.5 --json

# Whole numbers; more is better. The particle ends within 0.01 m of the parabola when g h t / 2 <= 0.01: substeps >= 49.05
document "which=\"smallest\" value=50.0 bracket.1=49.0" \
    limit projectile flight --plugin "$plugin" --dt 0.1 --time 1 --over substeps=1:1000 --until "error_end<0.01" --json
prints "the smallest stable substeps is 50" \
    limit projectile flight --plugin "$plugin" --dt 0.1 --time 1 --over substeps=1:1000 --until "error_end<0.01"

# Energy changes but where the boost is 1: not monotone
prints "not monotone" limit $flight --over boost=0.5:1.5 --until "energy_error_end>0.1"

# Two cards that lean on each other with parallel edges stand iff mu >= (tan(lean) - thickness / 0.4) / 2 (statics: rigor
# show card_house). The bracket is 0.5 % wide; its middle must be within 1 %, which also holds the sagging of soft rows.
cards() { # thickness lean truth
    "$rigor" limit card_house pgs -p levels=1 -p "thickness=$1" -p "lean=$2deg" -s iterations=50 --over mu=0.05:0.8 \
        --tolerance 0.005 --json >"$work/out" 2>/dev/null || fail "limit card_house"
    awk -v truth="$3" '/"bracket"/ { getline stands; getline falls; middle = (stands + falls) / 2 }
         END { exit !(middle > 0.99 * truth && middle < 1.01 * truth) }' "$work/out" ||
        fail "cards $1 m thick at $2 deg need mu = $3, not $(grep -A2 bracket "$work/out" | tr -d '\n')"
}
cards 0.02 25 0.208154
cards 0.003 25 0.229404
cards 0.013 37 0.360527

# A tall block on a slope tips iff tan(angle) and mu are both above 1 m / height; 2 % to either side of it. Settled says
# that it did what it should.
for solver in pgs lcp; do
    for case in "angle=30deg mu=0.6 height=1.7" "angle=30deg mu=0.6 height=1.77" "angle=35deg mu=0.54 height=1.81" \
        "angle=35deg mu=0.54 height=1.89"; do
        set -- $case
        "$rigor" run incline $solver -p "$1" -p "$2" -p "$3" --json | grep -q '"settled": 1.0' ||
            fail "incline $case with $solver does not tip or stay as it should"
    done
done

# Warm start "converges sooner": sweeps to a residual of 0.001 of four boxes at rest, cold, with a share of the last
# multipliers, and with all of them, which are the solution already.
warm() { "$rigor" solve stack -p boxes=4 --at 0.5 --warm --solvers pgs -s iterations=400 "$@" --json | awk -F '[:,]' '/iterations_to_1e-3/ { print $2 + 0 }'; }
cold=$(warm -s warm_start=false) scaled=$(warm -s warm_share=0.8) full=$(warm)
[ "$full" = 1 ] && [ "$scaled" -gt 2 ] && [ "$cold" -gt $((2 * scaled)) ] ||
    fail "sweeps to 0.001: $cold cold, $scaled from a share, $full warm"
document "solvers.0.iterations_to_1e-3=null" solve stack -p boxes=4 --at 0.5 --warm --solvers pgs -s iterations=9 -s warm_start=false --json

# Impacts of two spheres at a time, before errors have grown from impact to impact: solvers come to the event-driven
# truth with the step (h is divided by 16, the error by 5 at least), and one pass of pairs is as good as twenty sweeps.
"$rigor" converge asteroids --solvers naive,pgs,xpbd --over substeps=4,64 --time 3 --json >"$work/out" 2>/dev/null ||
    fail "converge asteroids"
awk '/"error_end":/ { gsub(/[",]/, ""); e[n++] = $2 }
     END { for (i = 0; i < 3; i++) if (!(5 * e[2 * i + 1] < e[2 * i] && e[2 * i] < 0.2)) exit 1
           exit !(n == 6 && e[1] == e[3]) }' "$work/out" ||
    fail "asteroids against the truth: $(grep '"error_end":' "$work/out" | tr -d '\n')"

# An impact that goes through all balls and joints at once adds nothing, also not in the substeps after it.
document "metrics.energy_gain_max=0.0 metrics.settled=1.0" run cradle xpbd_stick --json

refuses 2 "--over is missing" limit $flight
refuses 2 "in a range of numbers" limit $flight --over boost=1,2,3
refuses 2 "in a range of numbers" limit projectile xpbd --over integrator=0:1
refuses 2 "unknown metric 'drft_max': did you mean 'drift_max'?" limit $flight --over boost=1:3 --until "drft_max<1"
refuses 2 "drift_max does not apply" limit $flight --over boost=1:3 --until "drift_max<1"
refuses 2 "substeps: 0 is outside" limit projectile xpbd --over substeps=0:10
refuses 2 "--tolerance: '2' is not" limit $flight --over boost=1:3 --tolerance 2
refuses 2 "one solver at a time" limit projectile xpbd,pgs --over substeps=1:10
refuses 4 "joints" limit pendulum flight --plugin "$plugin" --over substeps=1:10
"$rigor" limit $flight --over boost=1:3 --until ok --series "$work/l.csv" >/dev/null || fail "limit --series"
head -n 1 "$work/l.csv" | grep -q "^boost,time," || fail "the header of a limit's series: $(head -n 1 "$work/l.csv")"

# Maps: a grid, limits along a range, several solvers; the same for any number of jobs
document "across.name=\"boost\" up.name=\"substeps\" up.values.1=2.0 maps.0.solver=\"flight\"
    maps.0.cells=[[\"ok\",\"ok\",\"blew_up\"],[\"ok\",\"blew_up\",\"blew_up\"]]" \
    map $flight --over boost=1,1.5,3 --over substeps=1,2 --until ok --json
cp "$work/out" "$work/jobs"
"$rigor" map $flight --over boost=1,1.5,3 --over substeps=1,2 --until ok --json --jobs 1 | cmp -s - "$work/jobs" ||
    fail "a map depends on the number of jobs"
prints "2 |   .   X   X" map $flight --over boost=1,1.5,3 --over substeps=1,2 --until ok
prints "to 1.5" map $flight --over boost=0.5:20 --over substeps=1,2 --until ok
document "across.kind=\"range\" across.name=\"boost\" maps.0.limits.1.which=\"largest\" maps.0.limits.1.value
    maps.0.limits.1.bracket.1 maps.0.limits.0.runs.6.stability" \
    map $flight --over substeps=1,2 --over boost=0.5:20 --until ok --json
document "up.values.12=4.0 maps.1.limits.12.stability" \
    map projectile xpbd,pgs --over dt=0.01:0.1 --over speed=1:4 --time 0.5 --json
# What takes too long has failed: 3600 frames of two links are done in a tenth of a second, those of 5000 take half a minute.
document "maps.0.cells=[[\"ok\",\"failed\"]]" \
    map chain pgs --over links=2,5000 --over iterations=50 --until ok --time 60 --run-time-limit 4 --json
prints "took longer than 4 s" \
    map chain pgs --over links=5000:6000 --over iterations=50 --until ok --time 60 --run-time-limit 4
refuses 2 "--run-time-limit: '0' is not a number of seconds" map $flight --over boost=1,2 --over substeps=1 --run-time-limit 0
refuses 2 "--over twice" map $flight --over boost=1,2
refuses 2 "both axes are 'boost'" map $flight --over boost=1,2 --over boost=1:3
refuses 2 "--jobs: '0' is not a whole number" map $flight --over boost=1,2 --over substeps=1,2 --jobs 0
refuses 2 "substeps: 0 is outside" map $flight --over boost=1,2 --over substeps=1,0
refuses 4 "joints" map pendulum flight --plugin "$plugin" --over substeps=1,2 --over dt=0.1,0.2

# Profiles: over three problems xpbd with 10 substeps is best once and solves 2, with 20 best once and 2; pgs was
# run on two and solves both, once as the best.
"$small_store" "$work/store.sqlite" || fail "the store"
document "metric=\"drift_max\" by=\"options\" missing=1 solvers.0.solver=\"pgs\" solvers.0.name=\"pgs\"
    solvers.1.options.substeps=10 solvers.2.options.substeps=20
    solvers.0.steps=[[1.0,0.5],[8.0,1.0]]
    solvers.1.steps=[[1.0,0.33333333333333331],[2.0,0.66666666666666663]]
    solvers.2.steps=[[1.0,0.33333333333333331],[4.0,0.66666666666666663]]" \
    profile "$work/store.sqlite" --metric drift_max --json
document "by=\"solver\" solvers.1.name=\"xpbd\" solvers.1.best=0.66666666666666663 solvers.1.solved=1.0" \
    profile "$work/store.sqlite" --metric drift_max --by solver --json
prints "1 pairs of problem and solver have no value in the store" profile "$work/store.sqlite" --metric row_solves
prints "xpbd substeps=20  0.3333   0.3333   0.6667*" profile "$work/store.sqlite" --metric drift_max
prints "2 problems to which volume_error_max does not apply: left out" \
    profile "$work/store.sqlite" --metric volume_error_max
refuses 2 "--metric is missing" profile "$work/store.sqlite"
refuses 2 "unknown metric 'drift'" profile "$work/store.sqlite" --metric drift
refuses 2 "more settled is better" profile "$work/store.sqlite" --metric settled
refuses 2 "--by: 'scene' is neither" profile "$work/store.sqlite" --metric drift_max --by scene
refuses 3 "$work/none.sqlite: not a store of results" profile "$work/none.sqlite" --metric drift_max
refuses 3 "not a store of results" profile "$rigor" --metric drift_max
refuses 3 "error_end" profile "$work/store.sqlite" --metric error_end

# Error against cost: order 1 in the step is exponent -1 in the cost; the table goes from cheap to dear
document "against=\"row_solves\" fits.0.order fits.0.range.1=64.0" \
    converge pendulum --solvers xpbd --over substeps=1,2,4,...,64 --time 0.5 --against row_solves --json
"$rigor" converge pendulum --solvers xpbd,pgs --over substeps=1,2,4,...,64 --time 0.5 --against row_solves >"$work/out"
grep -q "xpbd: error_end goes as cost to the -[01]\.[09]" "$work/out" || fail "the exponent: $(tail -n 2 "$work/out")"
awk '$NF == "ok" { if ($4 + 0 < last) exit 1; last = $4 + 0; rows++ } END { exit rows != 14 }' "$work/out" ||
    fail "the table is not sorted by cost"
prints "µs/frame" converge pendulum --solvers xpbd --over substeps=4,8,...,64 --against time --repeats 2 --time 0.5
refuses 2 "--against: 'money' is neither" converge pendulum --solvers xpbd --over substeps=1,2 --against money
refuses 2 "no rows to solve" converge projectile --solvers xpbd --over substeps=1,2 --against row_solves

# Repeats
document "cost.repeats=3 cost.us_per_frame_spread cost.us_per_frame" run pendulum xpbd --time 0.1 --repeats 3 --json
document "cost.repeats=1 cost.us_per_frame_spread=null" run pendulum xpbd --time 0.1 --json
document "runs.1.cost.repeats=3" compare pendulum --solvers xpbd,pgs --time 0.1 --repeats 3 --json
prints "within the noise" compare pendulum --solvers xpbd,pgs --time 0.1 --repeats 3
prints "median of 3 runs after a warm-up" run pendulum xpbd --time 0.1 --repeats 3
refuses 2 "--repeats: 'many' is not a whole number" run pendulum xpbd --repeats many

# Recordings: one a solver in a comparison; nothing half-written beside them; a full disk is said, the last copy stays
prints "ok" run pendulum xpbd --time 0.5 --record "$work/run.h5"
prints "pgs" compare pendulum --solvers xpbd,pgs --time 0.5 --record "$work/both.h5"
for file in run.h5 both-xpbd.h5 both-pgs.h5; do
    [ -s "$work/$file" ] || fail "there is no $file"
done
ls "$work" | grep -q -e part -e next && fail "a recording left parts: $(ls "$work")"
refuses 1 "$work/none/x.h5: cannot be written: No such file" run pendulum xpbd --record "$work/none/x.h5"
(
    trap '' XFSZ
    ulimit -f 400
    "$rigor" run pendulum xpbd --time 200 --record "$work/full.h5" >/dev/null 2>"$work/err"
)
[ $? -eq 1 ] || fail "a full disk is not noticed by a recording"
grep -q "full.h5: the recording cannot be written" "$work/err" || fail "a full disk: $(cat "$work/err")"
[ -s "$work/full.h5" ] && ! ls "$work" | grep -q part || fail "after a full disk: $(ls "$work")"

# The same work for all: who spends less is scaled, who solves directly has nothing to scale.
document "row_solves_per_frame=180.0 runs.0.equal_work.option=\"iterations\" runs.0.equal_work.from=7 \
    runs.0.equal_work.to=20 runs.0.solver_options.iterations=20 runs.0.cost.row_solves=2160 \
    runs.1.equal_work.option=\"substeps\" runs.1.equal_work.to=20 runs.1.cost.row_solves=2160 runs.2.equal_work=null" \
    compare chain -p links=3 --solvers pgs,xpbd,direct -s pgs.iterations=7 --time 0.2 --equal-work --json
prints "iterations 7 -> 20" compare chain -p links=3 --solvers pgs,xpbd,direct -s pgs.iterations=7 --time 0.2 --equal-work
prints "no sweeps" compare chain -p links=3 --solvers pgs,direct --time 0.2 --equal-work

verdict
