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

# 16: a truth forged with a valid hash
export RIGOR_CACHE="$work/cache3"
mkdir -p cache3
if command -v python3 >/dev/null; then
    for what in count noise; do
        rm -f cache3/*.truth
        "$rigor" run pendulum kkt -p links=2 --time 0.3 >/dev/null 2>&1
        truth=$(find cache3 -type f -name '*.truth' | head -n 1)
        python3 - "$truth" $what <<'PYTHON' || echo "not forged: $what" >&2
import hashlib, os, random, struct, sys
path, what = sys.argv[1:]
whole = open(path, "rb").read()
key = b"+" + os.path.basename(path).split(".")[0].encode() + b"\0"
data, end = bytearray(whole[:-65]), whole[-65:-1]
assert hashlib.sha256(key + data).hexdigest().encode() == end, "the hash is another"
bodies, joints, frames = struct.unpack_from("3i", data, 8)
state = 40 + frames * (56 * bodies + 24 * joints + 8)
assert len(data) > state + 12
if what == "count":
    struct.pack_into("i", data, state + 8, 1 << 30)
else:
    data[state + 12 :] = random.Random(7).randbytes(len(data) - state - 12)
open(path, "wb").write(data + hashlib.sha256(key + data).hexdigest().encode() + b"\0")
PYTHON
        try run pendulum kkt -p links=2 --time 0.6 --json
        told 16 "run, a truth's state with $what made up" "$(is $status -ne 0 -o -z "$(grep '"status": "ok"' out)")" "exit $status: $(said)"
    done
fi
export RIGOR_CACHE="$work/cache"

# 17: what a bridge started, when rigor is killed
if command -v python3 >/dev/null; then
    "$rigor" run projectile bad --time 100000 --engine "$(bridge sessions) kept$$" >/dev/null 2>&1 &
    pid=$!
    child() { ps -eo args | grep -v grep | grep -q "time.sleep(300) kept$$"; }
    no_child() { ! child; }
    until_true child
    kill -9 $pid
    wait $pid 2>/dev/null
    tries=$((long * 20 - 200)) # it goes at once, or not
    until no_child || [ $tries -ge $((long * 20)) ]; do tries=$((tries + 1)) && sleep 0.05; done
    child && : >touched
    told 17 "run, SIGKILL while a bridge has a child elsewhere" "$(touched)" "$(no_child && echo gone || echo 'still there')"
    for pid in $(ps -eo pid,args | grep -v grep | awk -v name="kept$$" '$NF == name { print $1 }'); do kill -9 "$pid"; done
fi

# 18: librigor in a host
if command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >/dev/null 2>&1; then
    LOCPATH=$work timeout $long "$host" de_DE.UTF-8 >out 2>err
    status=$?
    told 18 "a host with decimal commas" "$(is $status -ne 0)" "exit $status: $(said)"
fi
if plain; then
    (ulimit -s 128 && exec timeout $long "$host") >out 2>err
    status=$?
    told 18 "a host of six threads, 128 kB of stack each" "$(is $status -ne 0)" "exit $status: $(said)"
fi

# 19: numbers below 2e-308, which some processors are slow with, along a straight chain
if command -v python3 >/dev/null && plain; then
    python3 - >straight.json <<'PYTHON'
import json
n, body = 1500, {"shape": {"box": {"size": [0.2, 0.02, 0.02]}}, "density": 1000}
ball = lambda i: {"name": f"j{i}", "type": "ball", "bodies": [f"b{i - 1}" if i else "world", f"b{i}"], "anchor": [0.2 * i, 0, 0]}
print(json.dumps({"rigor": 1, "name": "straight", "collide": "none",
                  "bodies": [{"name": f"b{i}", "position": [0.2 * i + 0.1, 0, 0], **body} for i in range(n)],
                  "joints": [ball(i) for i in range(n)]}))
PYTHON
    try run straight.json pgs -s substeps=4 -s iterations=10 --time 0.1 --json --state
    slow=$(grep -Eo '[0-9.]+e-3(0[89]|1[0-9]|2[0-9])' out | wc -l)
    told 19 "run, a straight chain of 1500: numbers below 1e-307" "$(is $status -ne 0 -o "$slow" -gt 0)" "exit $status: $slow"
fi

# 20: a store that was falsified
if command -v python3 >/dev/null && python3 -c 'import sqlite3' 2>/dev/null; then
    cp plain.sqlite false.sqlite
    change false.sqlite "UPDATE runs SET row_solves = row_solves + 1 WHERE row_solves > 0"
    try audit false.sqlite --share 1
    told 20 "audit, a falsified row" "$(is $status -ne 1)" "exit $status: $(said)"
    try results plain.sqlite false.sqlite --diff
    told 20 "results --diff, with a falsified store" "$(is $status -ne 1)" "exit $status: $(said)"
fi

# 21: how program and library are linked
if command -v readelf >/dev/null; then
    sh "$here/test_hardened.sh" build "$sanitizer" "$optimization" "$rigor" "$library" >out 2>err
    status=$?
    told 21 "program and library, the compiler's guards" "$(is $status -ne 0)" "exit $status: $(tail -n 1 out)"
fi

# 22: what is named by its content, and has no end
timeout 20 "$rigor" cite /dev/zero >out 2>err
status=$?
told 22 "cite, a device without end" "$(is $status -eq 124)" "exit $status: $(said)"
if command -v python3 >/dev/null; then
    timeout 60 "$rigor" run projectile toy --time 0.1 --engine "python3 $here/../../examples/engine_bridge.py /dev/zero" >out 2>err
    status=$?
    told 22 "run, a bridge's command that names such a device" "$(is $status -eq 124)" "exit $status: $(said)"
fi
