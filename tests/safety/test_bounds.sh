#!/bin/sh
# SPDX-License-Identifier: MIT
# Every input has a bound, and says so: bytes, pipes, names, caches.
# usage: test_bounds.sh RIGOR SANITIZER
rigor=$(realpath "$1") sanitizer=$2
. "$(dirname "$0")/../support/sweep_common.sh"
cd "$work" || exit 1

# A pipe is as good as a file, up to the bound; one that says nothing is an error.
"$rigor" export pendulum >scene.json
mkfifo pipe silent
# Two commands wait for a pipe that says nothing, while the rest goes on.
"$rigor" check silent 2>silent_check &
check=$!
"$rigor" solve --problem silent --solvers pgs 2>silent_problem &
problem=$!
"$rigor" export pendulum >pipe &
succeeds run pipe xpbd --time 0.2 --json
sed 's/"\(wall_s\|cpu_s\|contended\)": [^,]*//g; s/"us_per_frame_interval": {[^}]*}//; s/"[a-z_]*us_per_frame[a-z_]*": [^,}]*//g; s/"frame_us": [^,}]*//' "$work/out" >of_pipe
succeeds run scene.json xpbd --time 0.2 --json
sed 's/"\(wall_s\|cpu_s\|contended\)": [^,]*//g; s/"us_per_frame_interval": {[^}]*}//; s/"[a-z_]*us_per_frame[a-z_]*": [^,}]*//g; s/"frame_us": [^,}]*//' "$work/out" >of_file
[ "$(grep -A40 '"metrics"' of_pipe)" = "$(grep -A40 '"metrics"' of_file)" ] || fail "a pipe gives another result than a file"
echo "2 1  0 2 2 2 2  2 0 0 2  -1 3  0.5" >problem.dat
cat problem.dat >pipe &
succeeds solve --problem pipe --solvers pgs
says "1 contacts in 2D"
# What is named by its content is a plain file: a pipe has been read by then, a device has no end.
mkfifo pipe.json
"$rigor" export pendulum >pipe.json &
echo '{"rigor": 1, "name": "p", "grid": [{"scene": "pipe.json", "solver": "xpbd", "time": 0.1}]}' >piped.json
refuses 3 "pipe.json: is not a plain file" sweep piped.json --db piped.sqlite
refuses 3 "/dev/zero: is not a plain file" cite /dev/zero
yes '[1,' | head -c 70000000 >large.json
refuses 3 "large.json: larger than 64 MB" check large.json
rm large.json
printf '{"rigor": 1, "bodies": [{"name": "a", "density": 1, "shape": {"mesh": {"file": "endless.obj"}}}]}' >endless.json
truncate -s 300M endless.obj # without blocks on the disk
refuses 3 "endless.json: bodies[0].shape.mesh.file: endless.obj: larger than 256 MB" check endless.json
rm endless.obj
sed 's|endless.obj|/dev/zero|' endless.json >away.json
refuses 3 "bodies[0].shape.mesh.file: /dev/zero: must lie in the folder of the file that names it" check away.json

# Memory is estimated before a run starts, and a scene that does not fit is not even built.
refuses 1 "more than the 0.08 GB it may have (--max-memory)" run chain lcp -p links=500 --time 0.02 --max-memory 80M
refuses 1 "more than the 1 GB it may have (--max-memory)" run pendulum pgs --dt 1e-7 --time 9 --max-memory 1G
refuses 1 "the run would take about" spectrum chain -p links=300 --at 0.1 --from lcp --max-memory 20M
refuses 2 "'3x' is no size" run pendulum pgs --max-memory 3x
succeeds compare chain --solvers pgs,lcp -p links=500 --time 0.02 --truth none --max-memory 80M
grep -q '^lcp *- *failed' out && grep -q '^pgs *holds *ok' out || fail "one solver that does not fit ends the comparison: $(cat out)"
if [ "$sanitizer" = none ]; then
    refuses 1 "the scene alone takes more than the 0.02 GB it may have" run chain pgs -p links=1000000 --max-memory 20M
fi

# Bodies put into one another: contacts end at the bound, and that is told.
awk 'BEGIN { printf "{\"rigor\": 1, \"collide\": \"all\", \"bodies\": ["
    for (i = 0; i < 400; i++) printf "%s{\"name\": \"b%d\", \"density\": 1000, \"shape\": {\"sphere\": {\"radius\": 0.5}}}", i ? "," : "", i
    print "]}" }' >coincident.json
succeeds run coincident.json pgs --time 0.017 --truth none
says "too many contacts: pairs beyond the bound were left out"

wait $check
[ $? -eq 3 ] || fail "check of a silent pipe: exit status is not 3"
wait $problem
[ $? -eq 3 ] || fail "solve --problem of a silent pipe: exit status is not 3"
for said in silent_check silent_problem; do
    grep -q "silent: gives no data for 10 s" $said || fail "$said: $(cat $said)"
done
finish
