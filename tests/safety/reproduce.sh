#!/bin/sh
# SPDX-License-Identifier: MIT
# The holes that were found, each with its command; says of a build which are open and which are closed, and fails if one
# is open. Rows that a sanitizer's memory forbids (limits of memory, a preloaded malloc) are left out there, and counted.
# Nothing here depends on how fast the machine is: what must happen is waited for.
# usage: reproduce.sh RIGOR BAD_RECORDING FAIL_CALL.so|none ROGUE.so FLIGHT.so BAD_HDF5 HDF5_FILTER.so
#                     TEST_HOST LIBRIGOR.so SANITIZER OPTIMIZATION
here=$(cd "$(dirname "$0")" && pwd)
spoil_hdf5=$(realpath "$6") filter=$(realpath "$7")
host=$(realpath "$8") library=$(realpath "$9") sanitizer=${10} optimization=${11}
rigor=$(realpath "$1") spoil=$(realpath "$2") fail_call=$3 rogue=$(realpath "$4") flight=$(realpath "$5")
command -v gnuplot >/dev/null || { echo "gnuplot is not installed"; exit 77; }
[ "$fail_call" = none ] || fail_call=$(realpath "$fail_call")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export RIGOR_CACHE="$work/cache" RIGOR_FIGURES="$work/figures"
export ASAN_OPTIONS="handle_segv=0:detect_leaks=0:$ASAN_OPTIONS" UBSAN_OPTIONS="halt_on_error=1:$UBSAN_OPTIONS"
mkdir figures
open=0 closed=0 left_out=0

# told HOLE COMMAND OPEN WHAT: OPEN is 0 where the hole is open, as test and [ have it.
told() {
    if [ "$3" -eq 0 ]; then word=OPEN open=$((open + 1)); else word=closed closed=$((closed + 1)); fi
    printf '%-2s | %-6s | %-52s | %s\n' "$1" $word "$2" "$4"
}

# Seconds that no command here needs, however busy the machine is.
long=300

# try ARGS...: status in $status, output in out and err.
try() {
    timeout $long "$rigor" "$@" >out 2>err
    status=$?
}

# until_true COMMAND...: waits for it.
until_true() {
    tries=0
    until "$@"; do
        [ $tries -lt $((long * 20)) ] || return 1
        tries=$((tries + 1))
        sleep 0.05
    done
}
has_part() { ls "$1" | grep -q part; }
has_drawing_or_ended() { ls -d "$1"/e.?????? >/dev/null 2>&1 || ! kill -0 "$2" 2>/dev/null; }
no_part() { ! has_part "$1"; }
plain() { # WHAT: may a row with limits of memory run here?
    [ "$fail_call" != none ] || { left_out=$((left_out + 1)); false; }
}
said() { tail -n 1 err | cut -c 1-90; }
is() { [ "$@" ] && echo 0 || echo 1; }
touched() {
    is -e touched
    rm -f touched
}

# B: says nothing for 10 s; meanwhile the others run
mkfifo silent
timeout $long "$rigor" check silent 2>silence &
silent=$!

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
figure '{"x": {"field": "h"}, "y": {"field": "drift_max"}}' "$(printf 'made\n'"system 'touch $work/touched'"'\n#')"
told 1 "report -o, newline and system in the folder's name" "$(touched)" "exit $status"

# 2: crafted HDF5
"$rigor" run pendulum xpbd --time 1 --record good.h5 >/dev/null
for kind in fixed-texts variable-texts overflow; do
    cp good.h5 bad.h5
    rm -f bad.html
    "$spoil" $kind bad.h5 good.h5
    try view bad.h5 -o bad.html
    told 2 "view, $kind" "$(is $status -gt 128 -o -e bad.html -o -n "$(grep 'crashed\|Sanitizer' err)")" "exit $status: $(said)"
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
mkdir own
for file in f.csv index.html f.png; do echo "mine: $file" >own/$file; done
cp -r own own.kept
figure '{"x": {"field": "h"}, "y": {"field": "drift_max"}}' own
told 3 "report -o, over a table and a picture of somebody" "$(cmp -s own/f.csv own.kept/f.csv && cmp -s own/f.png own.kept/f.png && echo 1 || echo 0)" "exit $status: $(said)"
try report -o own
told 3 "report -o, over a page of somebody" "$(cmp -s own/index.html own.kept/index.html && echo 1 || echo 0)" "exit $status: $(said)"
viewer_named() { # NAME
    echo '{"rigor": 1, "sections": [{"lecture": "0", "title": "s", "contents": [{"name": "'"$1"'", "title": "v", "see": "s", "runs": [{"scene": "pendulum", "solver": "xpbd", "time": 0.2}]}]}]}' >figures/contents.json
    mkdir -p deep/er
    echo '%PDF-1 mine' >deep/victim.pdf
    cp deep/victim.pdf deep/victim.kept
    try report -o deep/er
    rm figures/contents.json
}
viewer_named ../victim
told 3 "report, a viewer called ../victim" "$(cmp -s deep/victim.pdf deep/victim.kept && echo 1 || echo 0)" "exit $status: $(said)"

# 4: markup in the report's page
"$rigor" export pendulum | sed 's|"name": "pendulum"|"name": "<img src=x onerror=alert(1)>"|' >figures/markup.json
echo '{"rigor": 1, "name": "m", "title": "t", "finding": "{count(dt)} runs.", "grid": [{"scene": ["markup.json", "pendulum"], "solver": "xpbd", "time": 0.1}],
 "panels": [{"kind": "bars", "by": "solver", "x": {"field": "scene"}, "y": {"field": "row_solves"}}]}' >figures/m.json
echo '{"rigor": 1, "sections": [{"lecture": "0", "title": "s", "contents": ["m", {"name": "<img src=x onerror=alert(2)>", "title": "v", "see": "s", "runs": [{"scene": "pendulum", "solver": "xpbd", "time": 0.2}]}]}]}' >figures/contents.json
try report -o page
told 4 "report, markup in names of scenes and viewers" "$(grep -qs '<img src=x' page/*.html && echo 0 || echo 1)" "exit $status: $(said)"
"$rigor" export pendulum | sed 's|"name": "pendulum"|"name": "<img src=x onerror=alert(3)>"|' >markup2.json
echo '{"rigor": 1, "name": "o", "title": "t", "finding": "{count(dt)} runs.", "grid": [{"scene": "'"$work"'/markup2.json", "solver": "xpbd", "time": 0.1}], "data": [{"generator": "verdict"}],
 "panels": [{"kind": "bars", "from": "data", "by": "solver", "x": {"field": "scene"}, "y": {"field": "worst"}}]}' >figures/o.json
echo '{"rigor": 1, "opening": {"picture": "o"}, "sections": []}' >figures/contents.json
try report -o page2
told 4 "report, markup in a scene's name, in the overview" "$(grep -q '<img src=x' page2/*.html && echo 0 || echo 1)" "exit $status"
told 4 "report, a policy for scripts in the page" "$(grep -q 'Content-Security-Policy' page2/*.html && echo 1 || echo 0)" "exit $status"
rm figures/contents.json figures/m.json figures/o.json

# 5: full disk, no memory
(
    ulimit -f 4
    trap '' XFSZ
    timeout $long "$rigor" solve stack --at 0.2 --solvers pgs --dump full.h5 >out 2>err
)
status=$?
told 5 "solve --dump on a full disk" "$(is $status -gt 128)" "exit $status: $(said)"
if plain; then
    bad=0 n=1
    while [ $n -lt 4000 ]; do
        LD_PRELOAD=$fail_call FAIL_CALL=malloc FAIL_AT=$n timeout $long "$rigor" run pendulum xpbd --time 0.05 --record r.h5 >out 2>err
        [ $? -le 128 ] || bad=$((bad + 1))
        n=$((n + n / 8 + 40))
    done
    told 5 "run --record, failed malloc" "$(is $bad -gt 0)" "$bad crashes"
fi

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

# 8: the store. These sweeps are longer than the test.
echo '{"rigor": 1, "name": "l", "grid": [{"scene": "chain", "params": {"links": 20}, "solver": "pgs", "options": {"iterations": {"linear": [1, 4000, 4000]}}, "time": 1}]}' >l.json
mkdir gone
"$rigor" sweep l.json --db gone/s.sqlite --jobs 1 >out 2>err &
pid=$!
until_true [ -s gone/s.sqlite ]
rm -r gone
wait $pid
status=$?
told 8 "sweep, its folder is removed" "$(is $status -eq 0)" "exit $status: $(said)"
"$rigor" sweep l.json --db s.sqlite --jobs 1 >/dev/null 2>&1 &
pid=$!
until_true [ -s s.sqlite ]
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
for signal in INT TERM; do
    mkdir cut$signal
    # A shell lets its background jobs ignore SIGINT: env gives it back.
    env --default-signal=INT "$rigor" run stack pgs -p boxes=2 --time 100000 --record cut$signal/r.h5 --series cut$signal/r.csv >/dev/null 2>&1 &
    pid=$!
    until_true has_part cut$signal
    kill -s $signal $pid
    wait $pid
    until_true no_part cut$signal # the child that records hears of it a moment later
    told 9 "run --record, SIG$signal" "$(has_part cut$signal && echo 0 || echo 1)" "left: $(ls cut$signal | tr '\n' ' ')"
done
for signal in INT TERM; do # while gnuplot draws
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        rm -rf drawn
        env --default-signal=INT "$rigor" report e.json -o drawn >/dev/null 2>&1 &
        pid=$!
        until_true has_drawing_or_ended drawn $pid
        kill -s $signal $pid 2>/dev/null
        wait $pid
        status=$?
        [ $status -le 128 ] || break # else it was faster
    done
    told 9 "report, SIG$signal while gnuplot draws" "$(ls -d drawn/e.?????? >/dev/null 2>&1 && echo 0 || echo 1)" "exit $status: left $(ls drawn | tr '\n' ' ')"
done
try run pendulum direct --time 0.1
told 9 "run pendulum direct, NULL + 0 (clang's UBSan)" "$(is -n "$(grep 'runtime error' err)")" "exit $status: $(said)"

# Bounds
awk 'BEGIN { printf "{\"rigor\": 1, \"collide\": \"all\", \"bodies\": ["
    for (i = 0; i < 400; i++) printf "%s{\"name\": \"b%d\", \"density\": 1000, \"shape\": {\"sphere\": {\"radius\": 0.5}}}", i ? "," : "", i
    print "]}" }' >coincident.json
# under MB ARGS...: as try, with so many MB beyond what libraries reserve
under() {
    (ulimit -v $((($1 + 300) * 1000)) && shift && timeout $long "$rigor" "$@" >out 2>err)
    status=$?
}
if plain; then
    under 200 run coincident.json pgs --time 0.017
    told B "run, 400 spheres in one place, within 200 MB" "$(is $status -ne 0)" "exit $status: $(said)"
fi
printf '{"rigor": 1, "bodies": [{"name": "a", "density": 1, "shape": {"mesh": {"file": "endless.obj"}}}]}' >endless.json
truncate -s 300M endless.obj
if plain; then
    under 2000 check endless.json
    told B "check, an OBJ of 300 MB, within 2 GB" "$(grep -q 'larger than 256 MB' err && echo 1 || echo 0)" "exit $status: $(said)"
fi
rm endless.obj
{ printf '{"rigor": 1, "bodies": [], "name": "'; head -c 60000000 /dev/zero | tr '\0' a; printf '"}'; } >name.json
try check name.json
told B "check, a name of 60 MB" "$(is $status -ne 3)" "exit $status: $(said | cut -c 1-60)"
if plain; then
    under 2000 run chain pgs -p links=1000000 --time 0.017
    told B "run chain -p links=1000000, within 2 GB" "$(is $status -eq 124 -o $status -gt 128)" "exit $status: $(said)"
fi
# 16 bytes of what is there, 2^26 - 1 frames, nothing more
try run pendulum kkt -p links=2 --time 0.1
find cache -type f | while read -r truth; do
    { head -c 16 "$truth"; printf '\377\377\377\003'; head -c 45 /dev/zero; } >short
    mv short "$truth"
done
if [ -d cache ] && plain; then
    LD_PRELOAD=$fail_call MEMORY_MOST=1000000000 timeout $long "$rigor" run pendulum kkt -p links=2 --time 0.1 >out 2>err
    status=$?
    told B "run, a cache of 65 bytes that promises 3 GB" "$(is $status -ne 0)" "exit $status: $(said)"
fi
"$rigor" export pendulum >pendulum.json
mkfifo pipe
(cat pendulum.json >pipe &)
try run pipe xpbd --time 0.1
told B "run PIPE xpbd" "$(is $status -ne 0)" "exit $status: $(said)"
. "$here/reproduce_second.sh"
wait $silent
status=$?
told B "check, a pipe that says nothing" "$(is $status -eq 124)" "exit $status: $(tail -n 1 silence)"
echo "$open open, $closed closed, $left_out left out"
[ $open -eq 0 ]
