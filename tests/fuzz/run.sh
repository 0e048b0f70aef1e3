#!/bin/sh
# SPDX-License-Identifier: MIT
# Every target for so many seconds from its seeds, as many at a time as there are cores; says how many inputs that were,
# and what they reached. Ends with 1 if one of them failed; what made it fail is left in this folder.
# usage: run.sh BUILD_DIR SECONDS
build=$1 seconds=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work" "$FUZZ_FOLDER"' EXIT
FUZZ_FOLDER=$(mktemp -d /dev/shm/rigor_fuzz_XXXXXX)
export FUZZ_FOLDER
# What is kept of freed memory, and of who asked for it, is what the time goes into.
export ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=1:quarantine_size_mb=16:malloc_context_size=4:$ASAN_OPTIONS"
. "$here/seeds.sh"
make_seeds "$build/rigor" "$work"

# Longer inputs reach no further and are slower; a file of HDF5 or SQLite that is cut is none.
longest() {
    case $1 in
    expression | cache) echo 1024 ;;
    recording | problem) echo 131072 ;;
    store) echo 32768 ;;
    *) echo 8192 ;;
    esac
}

# HDF5 itself leaks, loops in damaged files and reads beyond its heaps: what is its own fault ends the child that reads
# (bench_child), is counted here, and ends no run.
is_hdf5() { [ "$1" = recording ] || [ "$1" = problem ]; }
is_of_hdf5() { # NAME STATUS LOG
    is_hdf5 "$1" && { [ "$2" -eq 70 ] || grep -q '^ *#[0-3] .*libhdf5' "$3"; }
}

one() { # TARGET
    name=${1##*/fuzz_}
    log=$work/$name.log left=$seconds inputs=0 leaks=1 slow=60 others=0 status=0
    mkdir -p "$work/$name" "$work/$name.new"
    is_hdf5 "$name" && leaks=0 slow=10
    [ "$name" = extreme ] && slow=600 # `reference` gives up after 130,000 evaluations, which is slow under sanitizers
    while [ "$left" -gt 0 ]; do
        began=$(date +%s)
        (cd "$work/$name.new" && "$1" -max_total_time="$left" -timeout=$slow -rss_limit_mb=4096 -max_len="$(longest "$name")" \
            -detect_leaks=$leaks -verbosity=1 -print_final_stats=1 . "$work/$name" >"$log" 2>&1)
        status=$?
        made=$(sed -n 's/stat::number_of_executed_units: *//p' "$log" | tail -n 1)
        inputs=$((inputs + ${made:-0})) left=$((left - $(date +%s) + began))
        [ $status -ne 0 ] && is_of_hdf5 "$name" $status "$log" || break
        rm -f "$work/$name.new"/timeout-* "$work/$name.new"/crash-*
        others=$((others + 1)) status=0
    done
    edges=$(sed -n 's/.*\(DONE\|NEW\|REDUCE\|INITED\) *cov: \([0-9]*\).*/\2/p' "$log" | tail -n 1)
    echo "$name: $inputs inputs in $((seconds - left)) s, ${edges:-0} edges, $others faults of HDF5, exit status $status"
    [ $status -eq 0 ] && return
    : >"$work/failed"
    grep -E 'ERROR|SUMMARY|refused|runtime error|Assertion| with dt ' "$log" | head -n 5
    for found in "$work/$name.new"/crash-* "$work/$name.new"/timeout-* "$work/$name.new"/oom-* "$work/$name.new"/leak-*; do
        [ -e "$found" ] && cp "$found" . && echo "  ${found##*/}"
    done
}

cores=$(nproc || echo 1) busy=0
for target in "$build"/tests/fuzz/fuzz_*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    one "$target" &
    busy=$((busy + 1))
    [ $busy -lt "$cores" ] || { wait; busy=0; }
done
wait
[ ! -e "$work/failed" ]
