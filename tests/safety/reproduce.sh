#!/bin/sh
# The holes that were found, each with its command; says of a build which are open and which are closed. For comparing
# two builds; the tests beside it hold every one of them closed.
# usage: reproduce.sh RIGOR BAD_RECORDING FAIL_CALL.so ROGUE.so FLIGHT.so
rigor=$(realpath "$1") spoil=$(realpath "$2") fail_call=$(realpath "$3") rogue=$(realpath "$4") flight=$(realpath "$5")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export RIGOR_CACHE="$work/cache" RIGOR_FIGURES="$work/figures" ASAN_OPTIONS="handle_segv=0:$ASAN_OPTIONS"
mkdir figures
open=0 closed=0

# told HOLE COMMAND OPEN WHAT: OPEN is 0 where the hole is open, as test and [ have it.
told() {
    if [ "$3" -eq 0 ]; then word=OPEN open=$((open + 1)); else word=closed closed=$((closed + 1)); fi
    printf '%-2s | %-6s | %-52s | %s\n' "$1" $word "$2" "$4"
}

# try ARGS...: status in $status, output in out and err; nothing takes longer than a minute.
try() {
    timeout 60 "$rigor" "$@" >out 2>err
    status=$?
}
said() { tail -n 1 err | cut -c 1-90; }
is() { [ "$@" ] && echo 0 || echo 1; }
touched() {
    is -e touched
    rm -f touched
}

# 1: texts as commands
mark='`touch '$work/touched'`'
"$rigor" export pendulum | sed "s|\"name\": \"pendulum\"|\"name\": \"a$mark\"|" >named.json
echo '{"rigor": 1, "name": "e", "grid": [{"scene": ["named.json", "pendulum"], "solver": "xpbd", "options": {"substeps": [1, 2]}, "time": 0.1}]}' >e.json
try report e.json -o report
told 1 "report, back-tick in a scene's name" "$(touched)" "exit $status"
figure() { # PANEL
    cat >figures/f.json <<JSON
{"rigor": 1, "name": "f", "title": "t", "finding": "{count(dt)} runs.",
 "grid": [{"scene": "pendulum", "solver": ["xpbd", "pgs"], "options": {"substeps": [1, 2, 4]}, "time": 0.1}], "panels": [$1]}
JSON
    try report figures/f.json -o "${2:-made}"
}
figure '{"title": "p '"$mark"'", "x": {"field": "h"}, "y": {"field": "drift_max"}}'
told 1 "report, back-tick in a panel's title" "$(touched)" "exit $status"
figure '{"x": {"field": "h", "label": "x\nsystem '"'touch $work/touched'"'\n"}, "y": {"field": "drift_max"}}'
told 1 "report, newline and system in an axis label" "$(touched)" "exit $status: $(said)"
figure '{"kind": "map", "x": {"field": "h"}, "y": {"field": "options.substeps"}, "z": {"field": "options.substeps", "labels": {"1,system('"'touch $work/touched'"')": "a", "2": "b", "4": "c"}}}'
told 1 "report, system in a key of z.labels" "$(touched)" "exit $status: $(said)"
figure '{"x": {"field": "h"}, "y": {"field": "drift_max"}}' 'made `touch touched`'
[ ! -e "made \`touch touched\`/touched" ] || : >touched
told 1 "report -o, back-tick in the folder's name" "$(touched)" "exit $status"

# 2: crafted HDF5
"$rigor" run pendulum xpbd --time 1 --record good.h5 >/dev/null
for kind in fixed-texts variable-texts; do
    cp good.h5 bad.h5
    rm -f bad.html
    "$spoil" $kind bad.h5 good.h5
    try view bad.h5 -o bad.html
    told 2 "view, $kind" "$(is $status -gt 128 -o -e bad.html)" "exit $status: $(said)"
done

# 3: files destroyed
echo precious >page.html
cp page.html page.kept
try view none.h5 -o page.html
told 3 "view none.h5 -o page.html" "$(cmp -s page.html page.kept && echo 1 || echo 0)" "exit $status"
cp good.h5 own.h5
try view own.h5 -o own.h5
told 3 "view a.h5 -o a.h5" "$(cmp -s own.h5 good.h5 && echo 1 || echo 0)" "exit $status: $(said)"
echo '{"precious": 1}' >x.json
cp x.json x.kept
try run pendulum xpbd --time 0.1 --record x.json
told 3 "run --record x.json" "$(cmp -s x.json x.kept && echo 1 || echo 0)" "exit $status: $(said)"

# 4: markup in the report's page
"$rigor" export pendulum | sed 's|"name": "pendulum"|"name": "<img src=x onerror=alert(1)>"|' >figures/markup.json
echo '{"rigor": 1, "name": "m", "title": "t", "finding": "{count(dt)} runs.", "grid": [{"scene": ["markup.json", "pendulum"], "solver": "xpbd", "time": 0.1}],
 "panels": [{"kind": "bars", "by": "solver", "x": {"field": "scene"}, "y": {"field": "row_solves"}}]}' >figures/m.json
echo '{"rigor": 1, "sections": [{"lecture": "0", "title": "s", "contents": ["m", {"name": "<img src=x onerror=alert(2)>", "title": "v", "see": "s", "runs": [{"scene": "pendulum", "solver": "xpbd", "time": 0.2}]}]}]}' >figures/contents.json
try report -o page
told 4 "report, markup in names of scenes and viewers" "$(grep -q '<img src=x' page/*.html && echo 0 || echo 1)" "exit $status"
told 4 "report, a policy for scripts in the page" "$(grep -q 'Content-Security-Policy' page/*.html && echo 1 || echo 0)" "exit $status"
rm figures/contents.json figures/m.json

# 5: full disk, no memory
(
    ulimit -f 4
    trap '' XFSZ
    timeout 60 "$rigor" solve stack --at 0.2 --solvers pgs --dump full.h5 >out 2>err
)
status=$?
told 5 "solve --dump on a full disk" "$(is $status -gt 128)" "exit $status: $(said)"
bad=0 n=1
while [ $n -lt 4000 ]; do
    LD_PRELOAD=$fail_call FAIL_CALL=malloc FAIL_AT=$n timeout 60 "$rigor" run pendulum xpbd --time 0.05 --record r.h5 >out 2>err
    [ $? -le 128 ] || bad=$((bad + 1))
    n=$((n + n / 8 + 40))
done
told 5 "run --record, failed malloc" "$(is $bad -gt 0)" "$bad crashes"

# 6: commands in figure files
command_figure() {
    echo '{"rigor": 1, "name": "c", "title": "t", "finding": "{count(error_end)} rows.", "data": [{"command": "'"$1"'", "rows": "metrics"}], "panels": [{"x": {"field": "error_end"}, "y": {"field": "error_end"}}]}' >figures/c.json
}
command_figure "run pendulum xpbd --time 0.1 --record $work/written.h5"
try report figures/c.json -o made
told 6 "report, --record in a figure's command" "$(is -e written.h5)" "exit $status: $(said)"
command_figure "run projectile flight --time 0.1 --plugin $flight"
try check figures/c.json
told 6 "check, --plugin in a figure's command" "$(is $status -eq 0)" "exit $status: $(said)"

# 7: the terminal, plug-ins
printf '{ "rigor": 1, "a\\u001b[31mred": 1 }' >escape.json
try check escape.json
told 7 "check, an escape in an unknown key" "$(grep -q "$(printf '\033')" err && echo 0 || echo 1)" "exit $status"
try run projectile rogue --plugin "$rogue" -s act=fault --time 0.1
told 7 "run, a plug-in that crashes" "$(is $status -gt 128)" "exit $status: $(said)"

# 8: the store
echo '{"rigor": 1, "name": "l", "grid": [{"scene": "chain", "params": {"links": 20}, "solver": "pgs", "options": {"iterations": {"linear": [1, 60, 60]}}, "time": 1}]}' >l.json
mkdir gone
"$rigor" sweep l.json --db gone/s.sqlite --jobs 1 >out 2>err &
pid=$! tries=0
while [ $tries -lt 200 ] && [ ! -s gone/s.sqlite ]; do sleep 0.02; tries=$((tries + 1)); done
rm -r gone
wait $pid
status=$?
told 8 "sweep, its folder is removed" "$(is $status -eq 0)" "exit $status: $(said)"
"$rigor" sweep l.json --db s.sqlite --jobs 1 >/dev/null 2>&1 &
pid=$! tries=0
while [ $tries -lt 200 ] && [ ! -s s.sqlite ]; do sleep 0.02; tries=$((tries + 1)); done
ln -s s.sqlite link.sqlite
try sweep e.json --db link.sqlite --jobs 1
kill $pid
wait $pid
told 8 "sweep, another name of a store in use" "$(is $status -eq 0)" "exit $status: $(said)"
mkdir one two
"$rigor" export pendulum -p links=1 >one/scene.json
"$rigor" export pendulum -p links=3 >two/scene.json
echo '{"rigor": 1, "name": "a", "grid": [{"scene": ["one/scene.json", "two/scene.json"], "solver": ["xpbd", "pgs"], "time": 0.2}]}' >a.json
try sweep a.json --db a.sqlite --jobs 1
try profile a.sqlite --metric drift_max --by solver
told 8 "profile, two scene files of one inner name" "$(grep -q '2 problems' out && echo 1 || echo 0)" "$(grep -o '[0-9]* problems*' out | head -n 1)"

# 9: leftovers
mkdir cut
timeout -s INT 2 "$rigor" run stack pgs -p boxes=2 --time 100000 --record cut/r.h5 --series cut/r.csv >/dev/null 2>&1
sleep 1
told 9 "run --record, SIGINT" "$(ls cut | grep -q part && echo 0 || echo 1)" "left: $(ls cut | tr '\n' ' ')"

# Bounds
awk 'BEGIN { printf "{\"rigor\": 1, \"collide\": \"all\", \"bodies\": ["
    for (i = 0; i < 400; i++) printf "%s{\"name\": \"b%d\", \"density\": 1000, \"shape\": {\"sphere\": {\"radius\": 0.5}}}", i ? "," : "", i
    print "]}" }' >coincident.json
# under MB ARGS...: as try, with so many MB beyond what libraries reserve
under() {
    (ulimit -v $((($1 + 300) * 1000)) && shift && timeout 60 "$rigor" "$@" >out 2>err)
    status=$?
}
under 200 run coincident.json pgs --time 0.017
told B "run, 400 spheres in one place, within 200 MB" "$(is $status -ne 0)" "exit $status: $(said)"
printf '{"rigor": 1, "bodies": [{"name": "a", "density": 1, "shape": {"mesh": {"file": "endless.obj"}}}]}' >endless.json
mkfifo endless.obj silent
(timeout 30 yes 'v 0 0 0' >endless.obj 2>/dev/null &)
under 2000 check endless.json
told B "check, an OBJ without end, within 2 GB" "$(grep -q 'larger than 256 MB' err && echo 1 || echo 0)" "exit $status: $(said)"
try check silent
told B "check, a pipe that says nothing" "$(is $status -eq 124)" "exit $status: $(said)"
{ printf '{"rigor": 1, "bodies": [], "name": "'; head -c 60000000 /dev/zero | tr '\0' a; printf '"}'; } >name.json
try check name.json
told B "check, a name of 60 MB" "$(is $status -ne 3)" "exit $status: $(said | cut -c 1-60)"
under 2000 run chain pgs -p links=1000000 --time 0.017
told B "run chain -p links=1000000, within 2 GB" "$(is $status -eq 124 -o $status -gt 128)" "exit $status: $(said)"
"$rigor" export pendulum >pendulum.json
mkfifo pipe
(cat pendulum.json >pipe &)
try run pipe xpbd --time 0.1
told B "run PIPE xpbd" "$(is $status -ne 0)" "exit $status: $(said)"
echo "$open open, $closed closed"
[ $open -eq 0 ]
