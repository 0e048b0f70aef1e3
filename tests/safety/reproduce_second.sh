# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The holes of the second round, for reproduce.sh, whose words it uses.

# 10: HDF5 that leads out of its file
mkdir -p plugins
cp "$filter" plugins/
"$rigor" solve stack -p boxes=2 --at 0.2 --solvers pgs --dump problem.h5 >/dev/null
"$rigor" solve --problem problem.h5 --solvers pgs --json >own.out 2>&1
cp problem.h5 other.h5
"$spoil_hdf5" add other.h5 fclib_local/vectors/q 3 || echo "no other problem" >&2
head -c 100000 /dev/zero >numbers
for way in external:numbers external-link:other.h5 soft-link:other.h5 virtual:other.h5; do
    cp problem.h5 bad.h5
    "$spoil_hdf5" "${way%%:*}" bad.h5 fclib_local/vectors/q "${way#*:}"
    try solve --problem bad.h5 --solvers pgs
    told 10 "solve --problem, ${way%%:*} of another file" "$(is $status -eq 0)" "exit $status: $(said)"
done
cp problem.h5 bad.h5
"$spoil_hdf5" filter bad.h5 fclib_local/vectors/q -
HDF5_PLUGIN_PATH=$work/plugins HDF5_FILTER_RAN=$work/touched timeout $long "$rigor" solve --problem bad.h5 --solvers pgs >out 2>err
status=$?
told 10 "solve --problem, a filter of \$HDF5_PLUGIN_PATH" "$(touched)" "exit $status: $(said)"
cp problem.h5 bad.h5
mkfifo waits
"$spoil_hdf5" external bad.h5 fclib_local/vectors/q waits
timeout 10 "$rigor" solve --problem bad.h5 --solvers pgs >out 2>err
status=$?
told 10 "solve --problem, external storage in a pipe" "$(is $status -eq 124)" "exit $status: $(said)"

# 11: the cache of truths
unset RIGOR_CACHE_TRUST
export RIGOR_CACHE="$work/cache2"
mkdir -p cache2
try run pendulum kkt -p links=2 --time 0.3
truth=$(find cache2 -type f -name '*.truth' | head -n 1)
if [ -n "$truth" ]; then
    kept=$truth.kept
    cp "$truth" "$kept"
    rm "$truth"
    mkfifo "$truth"
    timeout 20 "$rigor" run pendulum kkt -p links=2 --time 0.3 >out 2>err
    status=$?
    told 11 "run, a pipe in place of a truth" "$(is $status -eq 124)" "exit $status"
    rm -f "$truth"
    cp "$kept" "$truth"
    ln -f "$kept" aside
    if [ "$(id -u)" -eq 0 ]; then
        touch -d '2 days ago' "$truth"
        chown 65534 "$truth"
        before=$(stat -c %i "$truth")
        try run pendulum kkt -p links=2 --time 0.3
        told 11 "run, a truth of another user" "$(is "$(stat -c %i "$truth")" = "$before")" "exit $status: $([ "$(stat -c %i "$truth")" = "$before" ] && echo believed || echo found anew)"
    fi
fi
export RIGOR_CACHE="$work/cache"

# 12: recordings, and what they replace
"$rigor" run pendulum xpbd --time 1 --record over.h5 >/dev/null 2>&1
cp over.h5 over.kept
"$rigor" run pendulum xpbd --time 100000 --record over.h5 >/dev/null 2>&1 &
pid=$!
until_true eval 'ls over.h5.*part >/dev/null 2>&1'
sleep 0.3
kill -9 $pid
wait $pid 2>/dev/null
told 12 "run --record over a recording, SIGKILL" "$(cmp -s over.h5 over.kept && echo 1 || echo 0)" "$(cmp -s over.h5 over.kept && echo 'as it was' || echo 'gone')"
rm -f over.h5.*part
chmod 640 over.h5
try run pendulum xpbd --time 0.1 --record over.h5
told 12 "run --record, the mode of what it replaces" "$(is "$(stat -c %a over.h5)" != 640)" "mode $(stat -c %a over.h5)"
ln -s nothing.h5 dangling.h5
try run pendulum xpbd --time 0.1 --record dangling.h5
told 12 "run --record, a link to nothing" "$(is ! -L dangling.h5)" "exit $status: $(said)"

# 13: stores
"$rigor" sweep e.json --db plain.sqlite --jobs 1 >/dev/null 2>&1 || {
    echo '{"rigor": 1, "name": "e", "grid": [{"scene": "pendulum", "solver": "xpbd", "time": 0.1}]}' >e.json
    "$rigor" sweep e.json --db plain.sqlite --jobs 1 >/dev/null 2>&1
}
if command -v python3 >/dev/null && python3 -c 'import sqlite3' 2>/dev/null; then
    change() { python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.commit(); c.close()' "$1" "$2"; }
    cp plain.sqlite endless.sqlite
    change endless.sqlite "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n; DROP VIEW results; CREATE VIEW results AS SELECT key, scene, solver, params, options, dt, time, status, version, key IN v FROM runs"
    (ulimit -f 100000; timeout 10 "$rigor" results endless.sqlite >out 2>err)
    status=$?
    told 13 "results, a view with key IN an endless view" "$(is $status -ne 3)" "exit $status: $(said)"
    cp plain.sqlite named.sqlite
    change named.sqlite "UPDATE runs SET solver = 'jolt'"
    mkdir -p fakes
    printf '#!/bin/sh\n: >"%s/touched"\nexit 1\n' "$work" >fakes/node
    chmod +x fakes/node
    PATH="$work/fakes:$PATH" RIGOR_CACHE="$work/none" timeout $long "$rigor" results named.sqlite >out 2>err
    status=$?
    grep -q checking err && : >touched
    told 13 "results, a row that names an engine" "$(touched)" "exit $status: $(said)"
fi
timeout 60 "$rigor" results plain.sqlite --where "(SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n)) > 0" >out 2>err
status=$?
told 13 "results --where, a count without end" "$(is $status -eq 124)" "exit $status: $(said)"

# 14: engines
if command -v python3 >/dev/null; then
    bridge() { echo "python3 $here/../engines/bad_bridge.py $1"; }
    try run projectile bad --engine "$(bridge negative)"
    told 14 "run, a bridge whose clock says -1 s" "$(is $status -eq 0)" "exit $status: $(said)"
    echo '{ "rigor": 1, "name": "far", "gravity": [0, 0, 0], "bodies": [ { "name": "b", "shape": { "sphere": { "radius": 0.5 } }, "density": 1000, "position": [903.7, 0.001, 3] } ] }' >far.json
    try run far.json bad --time 0.1 --engine "$(bridge turned)"
    told 14 "run, a correct echo in float" "$(is $status -ne 0)" "exit $status: $(said)"
    try run projectile bad --time 0.1 --engine "$(bridge sessions) left$$"
    sleep 0.5
    ps -eo args | grep -v grep | grep -q "time.sleep(300) left$$" && : >touched
    told 14 "run, a bridge's child in a session of its own" "$(touched)" "exit $status"
    for pid in $(ps -eo pid,args | grep -v grep | awk -v name="left$$" '$NF == name { print $1 }'); do kill -9 "$pid"; done
fi

# 15: files that a scene names
mkdir -p meshes/below
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >secret.obj
cp secret.obj meshes/below/own.obj
ln -s ../secret.obj meshes/link.obj
ln -s .. meshes/door
mkfifo meshes/pipe.obj
for file in ../secret.obj "$work/secret.obj" below/../../secret.obj link.obj door/secret.obj pipe.obj; do
    printf '{"rigor": 1, "bodies": [{"name": "a", "density": 1, "shape": {"mesh": {"file": "%s"}}}]}' "$file" >meshes/scene.json
    try check meshes/scene.json
    told 15 "check, a mesh called $(echo "$file" | sed "s|^$work|/absolute|")" "$(is $status -ne 3 -o -z "$(grep 'copy\|plain file' err)")" "exit $status: $(said)"
done
sed -i 's|"file": "[^"]*"|"file": "below/own.obj"|' meshes/scene.json
try check meshes/scene.json
told 15 "check, a mesh below the scene's folder, is read" "$(is $status -ne 0)" "exit $status: $(said)"
