#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command with the n-th call of the system failing. It ends with a status of its own and a message, leaves no part
# file, no half file under a final name, and its inputs as they were. Which n: the first DENSE ones, then each about
# GROWTH times the last. The number of faults is printed for each call and command.
# (The C library's own streams do not pass here: a full disk for them is a limit on file sizes in other tests.)
# usage: test_faults.sh RIGOR FAIL_CALL.so PAGE_BUILT
rigor=$(realpath "$1") library=$(realpath "$2") built=$3
dense=${DENSE:-6} growth=${GROWTH:-1.6}
. "$(dirname "$0")/../support/sweep_common.sh"
cd "$work" || exit 1
export RIGOR_CACHE=
"$rigor" export stack -p boxes=2 >scene.json
"$rigor" run scene.json pgs --time 0.1 --record input.h5 >/dev/null || exit 1
"$rigor" solve scene.json --at 0.05 --solvers pgs --dump problem.h5 >/dev/null || exit 1
printf '{"rigor":1,"name":"s","grid":[{"scene":"scene.json","solver":["pgs","xpbd"],"time":0.05}]}' >grid.json
inputs="scene.json input.h5 problem.h5 grid.json"
cat $inputs | cksum >before
faults=0 bad=0

wrong() {
    bad=$((bad + 1))
    fail "$@"
}

# one CALL N COMMAND...: the fault, and what must hold after it
one() {
    call=$1 n=$2
    shift 2
    rm -rf made
    mkdir made
    timeout 60 env LD_PRELOAD="$library" FAIL_CALL=$call FAIL_AT=$n "$rigor" "$@" >out 2>err
    status=$?
    faults=$((faults + 1))
    [ $status -le 4 ] || [ "$call $status" = "signal 143" ] || wrong "$call $n of '$*': exit status $status: $(tail -n 1 err)"
    [ $status -eq 0 ] || [ "$call" = signal ] || [ -s err ] || wrong "$call $n of '$*': exit status $status without a word"
    left=$(find made -name '*.part*' -o -name 'figure.*' -o -path '*report/*' -type d ! -name cache)
    [ -z "$left" ] || wrong "$call $n of '$*' leaves $left"
    for file in made/*.h5; do
        [ ! -e "$file" ] || [ "$(head -c 4 "$file" | tail -c 3)" = HDF ] || wrong "$call $n of '$*': half a file $file"
    done
    [ ! -e made/f.svg ] || tail -c 8 made/f.svg | grep -q '</svg>' || wrong "$call $n of '$*': half a picture"
    [ ! -e made/v.html ] || tail -c 20 made/v.html | grep -q '</html>' || wrong "$call $n of '$*': half a page"
    if [ -s made/s.sqlite ]; then
        "$rigor" results made/s.sqlite >/dev/null 2>err || grep -q 'is empty\|no results store' err || wrong "$call $n of '$*': the store: $(cat err)"
    fi
    cat $inputs | cksum | cmp -s - before || wrong "$call $n of '$*' changes an input"
}

# all CALL COMMAND...: how many there are, then the sample
all() {
    call=$1
    shift
    rm -rf made count
    mkdir made
    LD_PRELOAD=$library FAIL_CALL=$call FAIL_COUNT=$work/count "$rigor" "$@" >/dev/null 2>&1
    most=$(cat count 2>/dev/null || echo 0)
    first=$faults bad_first=$bad
    for n in $(awk -v most="$most" -v dense="$dense" -v growth="$growth" \
        'BEGIN { for (n = 1; n <= most; n = n < dense ? n + 1 : int(n * growth)) print n }'); do
        one "$call" "$n" "$@"
    done
    printf '%-7s %-9s %6d calls, %4d faults, %d bad\n' "$call" "$1" "$most" $((faults - first)) $((bad - bad_first))
}

for call in write rename fsync open fork malloc; do
    all $call run scene.json pgs --time 0.1 --record made/r.h5
    all $call solve scene.json --at 0.05 --solvers pgs --dump made/d.h5
    all $call sweep grid.json --db made/s.sqlite --jobs 1
    [ "$built" = yes ] && all $call view input.h5 -o made/v.html
    all $call film input.h5 -o made/f.svg
    all $call report grid.json -o made/report
done
for call in write open rename signal; do
    all $call run scene.json pgs --time 0.1 --series made/s.csv
done
all signal film input.h5 -o made/f.svg
all signal report grid.json -o made/report
for call in open malloc fork; do
    all $call check scene.json
    all $call export scene.json
    all $call compare scene.json --solvers pgs,xpbd --time 0.05
    all $call solve --problem problem.h5 --solvers pgs
done
echo "$faults faults, $bad bad"
[ $faults -gt 150 ] || fail "only $faults faults: the library is not loaded"
finish
