#!/bin/sh
# Every input has a bound, and says so: bytes, pipes, names, caches.
# usage: test_bounds.sh RIGOR
rigor=$(realpath "$1")
. "$(dirname "$0")/../bench/sweep_common.sh"
cd "$work" || exit 1

# A pipe is as good as a file, up to the bound; one that says nothing is an error.
"$rigor" export pendulum >scene.json
mkfifo pipe silent
"$rigor" export pendulum >pipe &
succeeds run pipe xpbd --time 0.2 --json
sed 's/"wall_s": [^,]*//; s/"[a-z_]*us_per_frame[a-z_]*": [^,}]*//g; s/"frame_us": [^,}]*//' "$work/out" >of_pipe
succeeds run scene.json xpbd --time 0.2 --json
sed 's/"wall_s": [^,]*//; s/"[a-z_]*us_per_frame[a-z_]*": [^,}]*//g; s/"frame_us": [^,}]*//' "$work/out" >of_file
[ "$(grep -A40 '"metrics"' of_pipe)" = "$(grep -A40 '"metrics"' of_file)" ] || fail "a pipe gives another result than a file"
refuses 3 "silent: gives no data for 10 s" check silent
yes '[1,' | head -c 70000000 >large.json
refuses 3 "large.json: larger than 64 MB" check large.json
rm large.json
printf '{"rigor": 1, "bodies": [{"name": "a", "density": 1, "shape": {"mesh": {"file": "/dev/zero"}}}]}' >endless.json
refuses 3 "/dev/zero: larger than 256 MB" check endless.json
finish
