#!/bin/sh
# SPDX-License-Identifier: MIT
# The command line from outside: exit statuses, error texts, and JSON documents with nothing beside them.
# usage: test_cli.sh RIGOR JSON_CHECK PLUGIN STALE_PLUGIN
rigor=$1 json_check=$2 plugin=$3 stale=$4
work=$(mktemp -d) || exit 1
export RIGOR_CACHE=$work/cache
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../support/cli.sh"

# Wrong usage: 2
refuses 2 "usage: rigor COMMAND"
refuses 2 "unknown command 'runn': did you mean 'run'?" runn
refuses 2 "usage: rigor run SCENE SOLVER" run projectile
refuses 2 "unknown scene 'projectle': did you mean 'projectile'?" run projectle xpbd
refuses 2 "unknown solver 'xpdb': did you mean 'xpbd'?" run projectile xpdb
refuses 2 "has no parameter 'sped': did you mean 'speed'?" run projectile xpbd -p sped=3
refuses 2 "has no option 'substep': did you mean 'substeps'?" run projectile xpbd -s substep=3
refuses 2 "substeps: 0 is outside 1 .." run projectile xpbd -s substeps=0
refuses 2 "'speed' is not of the form key=value" run projectile xpbd -p speed
refuses 2 "'xpbd' is not among the solvers to run" compare projectile --solvers pgs -s xpbd.substeps=3
refuses 2 "none of the solvers has an option 'betta': did you mean 'beta'?" compare projectile --solvers xpbd,pgs -s betta=1
refuses 2 "solver pgs is named twice" compare projectile --solvers pgs,pgs
refuses 2 "--dt: '0' is not" run projectile xpbd --dt 0
refuses 2 "--detect: 'often' is none of substep, frame, lazy" run bounce pgs --detect often
refuses 2 "less than half a frame" run projectile xpbd --time 0.001
refuses 2 "did you mean '--time'?" run projectile xpbd --tiem 3
refuses 2 "option '--time' needs a value" run projectile xpbd --time
refuses 2 "'more' is one argument too many" run projectile xpbd more
refuses 2 "has no option '--series'" list --series x.csv
refuses 2 "there is no list of 'scene': did you mean 'scenes'?" list scene
refuses 2 "no scene, solver or metric is called 'pendulun': did you mean 'pendulum'?" show pendulun
refuses 2 "--at: 'soon' is not a time" spectrum pendulum --at soon
refuses 2 "--at: '-1' is not a time" spectrum pendulum --at=-1
refuses 2 "unknown solver 'pgz': did you mean 'pgs'?" spectrum pendulum --at 1 --from pgz
refuses 2 "--over is missing" converge projectile --solvers xpbd
refuses 2 "neither dt, nor a parameter" converge projectile --solvers xpbd --over nonsense=1,2
refuses 2 "comes to 9" converge projectile --solvers xpbd --over substeps=1,2,4,...,9
refuses 2 "solver xpbd has no option 'beta'" converge projectile --solvers xpbd,pgs --over beta=0.1,0.2
refuses 2 "unknown metric 'eror_end': did you mean 'error_end'?" converge projectile --over dt=0.1,0.2 --metric eror_end
refuses 2 "drift_max does not apply" converge projectile --solvers xpbd --over dt=0.1,0.05 --metric drift_max

# What makes a run doubtful is said, and the time that its frames make
trap_options='-p links=4 -p kind=particle -p mass_ratio=10 -s substeps=64 -s iterations=1 --time 1'
document 'status="ok" warnings.0' run pendulum pgs $trap_options --json
prints "warning: energy grew to 149 times the scene's scale" run pendulum pgs $trap_options
prints "falls    ok, doubtful" compare pendulum --solvers pgs $trap_options
# Who falls is the best of nothing: it lies still on the ground.
"$rigor" compare stack --solvers pgs_block,xpbd,pgs --time 4 >"$work/fallen" || fail "compare stack"
grep '^xpbd  *falls  *ok' "$work/fallen" | grep -q '[*]' && fail "a fallen stack has a star: $(cat "$work/fallen")"
grep -q '^xpbd  *falls  *ok' "$work/fallen" || fail "xpbd's stack does not fall: $(cat "$work/fallen")"
grep "^pgs_block  *holds  *ok" "$work/fallen" | grep -q "[*]" || fail "who holds the stack has no star"
prints "warning: pgs: energy grew to 149 times" compare pendulum --solvers pgs $trap_options
document 'warnings=[] cost.frame_us cost.detect_us_per_frame' run pendulum xpbd --time 0.1 --json
document 'time_reached=0.71666666666666667 frames=43' run projectile xpbd --time 0.72 --json
prints "43 frames of 0.01667 s, which end at 0.716667 s" run projectile xpbd --time 0.72

# --profile: where the time goes, by part, and only where it is asked for
document 'profile.whole_s profile.parts.2.part="blocks" profile.parts.5.part="move" profile.parts.4.seconds' run stack pgs --time 0.1 --profile --json
prints "velocity, sweeps" run stack pgs --time 0.1 --profile
refuses 2 "profile" run stack pgs --time 0.1 --profile=3
"$rigor" run stack pgs --time 0.1 --json | grep -q '"profile"' && fail "a profile that nobody asked for"

# --truth none: neither a closed form nor the reference; nothing waits for it
refuses 2 "--truth: 'some' is neither auto nor none" run pendulum pgs --truth some
document 'metrics.error_end=null metrics.drift_max' run pendulum pgs --time 0.1 --truth none --json
document 'metrics.error_end=null truth_error_estimate=null' run chain pgs -p links=3 --time 0.1 --truth none --json
"$rigor" run chain pgs -p links=3 --time 0.1 --truth auto --json | "$json_check" metrics.error_end=null 2>/dev/null &&
    fail "--truth auto: no error"

# A bad file: 3, and the message begins with the file
refuses 3 "$work/none.json" run "$work/none.json" xpbd
refuses 3 "$work/none.json" check "$work/none.json"
refuses 3 "$work/none.so: cannot be loaded" run projectile xpbd --plugin "$work/none.so"
refuses 3 "$stale: built for solver ABI" run projectile flight --plugin "$stale"
refuses 3 "there is already a solver 'flight'" run projectile flight --plugin "$plugin" --plugin "$plugin"

refuses 4 "has no place for torsional friction" solve spinning_disc --solvers pgs --dump "$work/disc.h5"
refuses 1 "$work/none/x.h5: cannot be written" solve chain -p links=3 --solvers pgs --dump "$work/none/x.h5"

# A pair that does not go together: 4; in a comparison it is a row
refuses 4 "joints" run pendulum flight --plugin "$plugin"
document "runs.0.status=\"unsupported\" runs.1.status=\"ok\"" \
    compare pendulum --solvers flight,xpbd --plugin "$plugin" --time 0.1 --json
prints "n/a" compare pendulum --solvers flight,xpbd --plugin "$plugin" --time 0.1

# Anything else: 1
refuses 1 "$work/none/x.csv: cannot be written" run projectile xpbd --series "$work/none/x.csv"
if [ -w /dev/full ]; then
    "$rigor" list >/dev/full 2>"$work/err"
    [ $? -eq 1 ] || fail "a full disk is not noticed"
fi

# Help and version
for command in list show run compare converge limit map solve spectrum verify sweep results profile export check; do
    prints "usage: rigor $command" $command --help
done
prints "usage: rigor COMMAND" --help
prints "rigor 0" --version

# Documents
document "scene=\"projectile\" scene_params.speed=7.5 solver=\"xpbd\" solver_options.substeps=4 frames=30 status=\"ok\"
    blew_up_at=null dt=0.02 metrics.error_end metrics.drift_max=null cost.row_solves cost.wall_s cost.cpu_s cost.contended cost.us_per_frame
    events build.version build.commit build.compiler build.blas" \
    run projectile xpbd -p speed=7.5 -s substeps=4 --dt 1/50 --time 0.6 --json
"$json_check" bodies <"$work/out" 2>/dev/null && fail "the state is in a document that did not ask for it"
document "bodies.0.name bodies.0.position.2 bodies.0.orientation.3 bodies.0.velocity.2 bodies.0.angular_velocity.2
    joints.0.name joints.0.force.2 joints.0.torque.2" run pendulum xpbd --time 0.1 --json --state
document "status=\"ok\" solver=\"flight\" solver_options.boost=1.0" run projectile flight --plugin "$plugin" --json
document "status=\"blew_up\" blew_up_at frames=120" run projectile flight --plugin "$plugin" -s boost=3 --json
document "runs.1.solver=\"pgs\" runs.0.solver_options.iterations=7 runs.1.solver_options.iterations=3" \
    compare projectile --solvers xpbd,pgs -s pgs.iterations=3 -s iterations=7 --time 0.1 --json
document "over=\"substeps\" metric=\"error_end\" runs.3.solver_options.substeps=8 fits.0.solver=\"xpbd\" fits.0.order
    fits.0.ci.1 fits.0.range.0=1.0 fits.0.range.1=8.0 fits.0.floor=null" \
    converge projectile --solvers xpbd --over substeps=1,2,4,...,8 --json
document "detect=\"substep\" status=\"ok\"" run bounce pgs --time 0.1 --json
document "runs.0.detect=\"frame\" runs.1.detect=\"frame\"" \
    compare bounce --solvers xpbd,pgs --detect frame --time 0.1 --json
document "rows=3 solvers.0.solver=\"pgs\" solvers.0.lambda.2 solvers.0.residuals.4 solvers.0.row_solves" \
    solve pendulum --at 0.1 --solvers pgs,xpbd -s iterations=5 --json
document "rows=9 truth.by truth.sweeps=0 truth.lambda.8 truth.residual solvers.0.lambda_error solvers.1.lambda_error
    solvers.2.lambda_error=null solvers.2.lambda=null" solve chain -p links=3 --at 0.1 --solvers pgs,direct,xpbd --json
document "solvers.0.law=\"cone\" solvers.0.law_distance=0.0 solvers.1.law solvers.1.law_distance
    solvers.1.truth_converged=true truth.converged=true" solve incline --solvers pgs,lcp:facets=4 --json
document "solvers.0.history.4.residual solvers.0.history.4.lambda.11 solvers.1.history.4.lambda_error
    solvers.1.history.4.iteration=5" solve incline --solvers pgs,nncg -s iterations=5 --history --json
document "truth.by truth.sweeps truth.lambda.11" solve incline --solvers pgs --dump "$work/incline.h5" --json
[ -s "$work/incline.h5" ] || fail "solve --dump wrote nothing"
document "rows=10 rank=10 eigenvalues.9 condition rho_gauss_seidel rho_jacobi measured_gauss_seidel" \
    spectrum pendulum -p links=10 -p kind=particle -p angle=0 --json
document "rows=0 rank=0 eigenvalues=[] condition=1.0 rho_gauss_seidel=0.0" spectrum projectile --at 0.1 --json
document "error_estimate horizons.2.until truth_error_estimate metrics.error_end=null metrics.force_error=0.0" \
    run chain reference -p links=3 --time 0.2 --json
cat >"$work/cue.json" <<'END'
{"rigor": 1, "name": "cue", "gravity": [0, 0, 0], "time": 0.5, "expect": {"truth": "reference"}, "collide": "all",
 "materials": {"ivory": {"friction": 0, "restitution": 1}}, "bodies": [
 {"name": "cue", "material": "ivory", "position": [-0.3, 0, 0], "velocity": [1, 0, 0], "mass": 1, "shape": {"sphere": {"radius": 0.1}}},
 {"name": "left", "material": "ivory", "position": [0, 0.1, 0], "mass": 1, "shape": {"sphere": {"radius": 0.1}}},
 {"name": "right", "material": "ivory", "position": [0, -0.1, 0], "mass": 1, "shape": {"sphere": {"radius": 0.1}}}]}
END
"$rigor" run "$work/cue.json" reference 2>&1 | grep -q "warning: the motion is not unique" || fail "cue: no warning"
"$rigor" run "$work/cue.json" lcp 2>&1 | grep -q "no truth by reference: after 0.1167 s bodies collide at one instant" || fail "cue: a truth that is not unique"
prints "its own error: " run chain reference -p links=3 --time 0.2
document "error_estimate=null truth_error_estimate=null metrics.error_end" run projectile xpbd --json
document "stable_step" run chain penalty -p links=3 --time 0.1 --json
document "stable_step=null" run chain xpbd -p links=3 --time 0.1 --json
prints "stable step: 0.3183 s" run spring penalty --time 0.1
document "0.name 0.summary" list scenes --json
document "0.name 0.summary 0.reference 0.capabilities.0 0.options.0.default" list solvers --json
document "0.name 0.summary 0.unit" list metrics --json
document "scenes solvers metrics" list --json
document "name=\"pgs\" options" show pgs --json
document "name=\"penalty\" reports.0=\"stable_step\"" show penalty --json
prints "reports: stable_step" show penalty

# Scene files: what export writes, check and run read; a wrong one is told by its place
"$rigor" export pendulum -p links=2 >"$work/two.json" || fail "export"
document "rigor=1 bodies.1.name joints.1.type" export pendulum -p links=2
prints "2 bodies, 2 joints" check "$work/two.json"
document "kind=\"scene\" bodies=2 joints=2" check "$work/two.json" --json
document "scene scene_params={} status=\"ok\"" run "$work/two.json" xpbd --time 0.1 --json
refuses 2 "a scene file has no parameters" run "$work/two.json" xpbd -p links=3
printf '{ "rigor": 1,\n  "nmae": "x" }\n' >"$work/bad.json"
refuses 3 "$work/bad.json" check "$work/bad.json"
printf '{ "rigor": 1,\n  "name" "x" }\n' >"$work/bad.json"
refuses 3 "$work/bad.json:2:" check "$work/bad.json"

# Text
prints "xpbd" list
prints "substeps" show xpbd
prints "energy scale" show projectile
prints "truth: reference" show chain
prints "truth: direct solve" solve chain -p links=3 --at 0.1 --solvers direct
prints "lambda off by" solve chain -p links=3 --at 0.1 --solvers pgs
prints "Gauss-Seidel, predicted  0.975528258" spectrum pendulum -p links=10 -p kind=particle -p angle=0
prints "Gauss-Seidel, measured   0.975528258" spectrum pendulum -p links=10 -p kind=particle -p angle=0 --at 0.1
prints "12 rows, rank 6" spectrum incline -p angle=0.1 --at 0.1 --from xpbd
prints "*" compare projectile --solvers xpbd,pgs --time 0.2
prints "has order" converge projectile --solvers xpbd --over dt=1/10,1/20,...,1/80
prints "contracts by" solve pendulum -p links=5 --solvers pgs

# The projectile's error falls with order 1: g h t / 2
"$rigor" converge projectile --solvers flight --plugin "$plugin" --over substeps=1,2,4,...,64 >"$work/out"
grep -q "has order 1.000 " "$work/out" || fail "flight does not converge with order 1: $(tail -n 1 "$work/out")"

# Series: complete or not there
"$rigor" run projectile xpbd --time 0.5 --dt 0.1 --series "$work/x.csv" >/dev/null || fail "series"
[ "$(wc -l <"$work/x.csv")" -eq 6 ] || fail "a series of 5 frames has $(wc -l <"$work/x.csv") lines"
head -n 1 "$work/x.csv" | grep -q "^time,.*error_end" || fail "the series' header"
"$rigor" run projectile xpbd -s substeps=0 --series "$work/y.csv" 2>/dev/null
"$rigor" run pendulum flight --plugin "$plugin" --series "$work/y.csv" 2>/dev/null
ls "$work" | grep -q "y.csv" && fail "a failed run left a series: $(ls "$work")"

# Same command, same bits, but for the wall times
for i in 1 2; do
    "$rigor" run pendulum pgs --time 0.5 --json --state | grep -v -e wall_s -e cpu_s -e contended -e us_per_frame -e frame_us >"$work/same$i"
done
cmp -s "$work/same1" "$work/same2" || fail "two runs differ"

# A perturbation is the same each time, and moves what was at rest
for i in 1 2; do
    "$rigor" run stack -p boxes=2 pgs --time 0.1 --perturb 0.01 --json --state | grep -v -e wall_s -e cpu_s -e contended -e us_per_frame -e frame_us >"$work/kick$i"
done
cmp -s "$work/kick1" "$work/kick2" || fail "two perturbed runs differ"
grep -q '"perturb": 0.01' "$work/kick1" || fail "a perturbed run does not say so"
awk -F'[:,]' '/"jitter_rms"/ { exit !($2 > 1e-4) }' "$work/kick1" || fail "--perturb moves nothing"
refuses 2 "is no speed" run stack pgs --perturb fast
# A scene in the x-y plane stays in it, for engines of two dimensions; another does not.
out_of_plane() { awk '/"velocity": \[/ { getline; getline; getline; if ($1 + 0 != 0) out = 1 } END { exit !out }' "$1"; }
"$rigor" run projectile pgs --time 0.1 --perturb 0.01 --json --state >"$work/kick3"
out_of_plane "$work/kick3" && fail "--perturb leaves the plane"
"$rigor" run torque_free pgs --time 0.1 --perturb 0.01 --json --state >"$work/kick3"
out_of_plane "$work/kick3" || fail "--perturb keeps a scene in a plane that is not in one"
prints "for timings, not for errors" compare stack -p boxes=2 --solvers pgs --time 0.1 --perturb 0.01
document "bodies joints pairs except gravity rigor_engine" export pendulum --resolved

# What takes minutes is said before the first solver begins; what does not, not.
"$rigor" compare stack --solvers pgs,xpbd_stick --time 1e5 >/dev/null 2>"$work/long" &
long=$!
for i in $(seq 100); do [ -s "$work/long" ] && break || sleep 0.2; done
kill $long; wait $long 2>/dev/null
grep -q '^all 2 solvers take about .*, .* alone .*; --solvers chooses some' "$work/long" || fail "an hour is not announced: $(cat "$work/long")"
"$rigor" compare stack --solvers pgs,xpbd_stick --time 0.1 2>&1 >/dev/null | grep -q 'take about' && fail "a second is announced"

verdict
