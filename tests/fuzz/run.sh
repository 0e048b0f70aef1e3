#!/bin/sh
# Every target for so many seconds from its seeds, as many at a time as there are cores; says how many inputs that were,
# and how many that is an hour. Ends with 1 if one of them failed; what made it fail is left in this folder.
# usage: run.sh BUILD_DIR SECONDS
build=$1 seconds=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work" "$FUZZ_FOLDER"' EXIT
export FUZZ_FOLDER=$(mktemp -d /dev/shm/rigor_fuzz_XXXXXX)
export ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=1:$ASAN_OPTIONS"
. "$here/seeds.sh"
make_seeds "$build/rigor" "$work"

one() { # TARGET
    name=${1##*/fuzz_}
    log=$work/$name.log
    mkdir -p "$work/$name" "$work/$name.new"
    leaks=1 most=65536
    case $name in recording | problem | store) most=1048576 ;; esac # a file that is cut is none
    own=0 # HDF5 itself leaks, and loops in damaged heaps of texts: the child that reads ends after 10 s (bench_child)
    case $name in recording | problem) leaks=0 own=70 ;; esac
    (cd "$work/$name.new" && "$1" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 -max_len=$most -detect_leaks=$leaks \
        -verbosity=1 -print_final_stats=1 . "$work/$name" >"$log" 2>&1)
    status=$?
    inputs=$(sed -n 's/stat::number_of_executed_units: *//p' "$log")
    echo "$name: ${inputs:-0} inputs in $seconds s, $((${inputs:-0} * 3600 / seconds)) an hour, exit status $status"
    [ $status -eq 0 ] || [ $status -eq $own ] && return
    : >"$work/failed"
    grep -E 'ERROR|SUMMARY|refused|runtime error|Assertion| with dt ' "$log" | head -n 5
    for found in "$work/$name.new"/crash-* "$work/$name.new"/timeout-* "$work/$name.new"/oom-* "$work/$name.new"/leak-*; do
        [ -e "$found" ] && cp "$found" . && echo "  ${found##*/}"
    done
}

cores=$(getconf _NPROCESSORS_ONLN || echo 1) busy=0
for target in "$build"/tests/fuzz/fuzz_*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    one "$target" &
    busy=$((busy + 1))
    [ $busy -lt "$cores" ] || { wait; busy=0; }
done
wait
[ ! -e "$work/failed" ]
