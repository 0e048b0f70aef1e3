#!/bin/sh
# Every target for so many seconds from its seeds; says how many inputs that were. Ends with 1 if one of them failed.
# usage: run.sh BUILD_DIR SECONDS
build=$1 seconds=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work" /dev/shm/rigor_fuzz_*' EXIT
failed=0
export ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=1:$ASAN_OPTIONS"
# Seeds that are not texts are made by the program itself.
mkdir -p "$work/recording" "$work/store"
"$build/rigor" run pendulum xpbd --time 0.1 --record "$work/recording/pendulum.h5" >/dev/null 2>&1
printf '{"rigor":1,"name":"s","grid":[{"scene":"pendulum","solver":"xpbd","time":0.1}]}' >"$work/s.json"
"$build/rigor" sweep "$work/s.json" --db "$work/store/s.sqlite" --jobs 1 >/dev/null 2>&1
for target in "$build"/tests/fuzz/fuzz_*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    name=${target##*/fuzz_}
    mkdir -p "$work/$name" "$work/$name.new"
    [ -d "$here/seeds/$name" ] && cp "$here/seeds/$name"/* "$work/$name/"
    [ "$name" = scene ] && cp "$here"/../../examples/bricard.json "$work/$name/"
    [ "$name" = figure ] && cp "$here"/../../reports/figures/s*.json "$work/$name/"
    leaks=1
    [ "$name" = recording ] && leaks=0 # HDF5's own
    (cd "$work/$name.new" && "$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -max_len=65536 -detect_leaks=$leaks \
        -verbosity=1 -print_final_stats=1 . "$work/$name" >"$work/$name.log" 2>&1)
    status=$?
    inputs=$(sed -n 's/stat::number_of_executed_units: *//p' "$work/$name.log")
    echo "$name: ${inputs:-0} inputs in $seconds s, $((${inputs:-0} * 3600 / seconds)) an hour, exit status $status"
    [ $status -eq 0 ] || { failed=1; grep -E 'ERROR|SUMMARY|refused|runtime error|Assertion' "$work/$name.log" | head -n 5; ls "$work/$name.new" | grep -E 'crash|timeout|oom|leak'; cp "$work/$name.new"/crash* "$work/$name.new"/timeout* "$work/$name.new"/oom* "$work/$name.new"/leak* . 2>/dev/null; }
done
exit $failed
