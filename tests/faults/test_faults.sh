#!/bin/sh
# Every command with the n-th call of the system failing. It ends with a status of its own and a message, leaves no part
# file, no half file under a final name, and its inputs as they were. The number of faults is printed.
# (The C library's own streams do not pass here: a full disk for them is a limit on file sizes in other tests.)
# usage: test_faults.sh RIGOR FAIL_CALL.so PAGE_BUILT
rigor=$(realpath "$1") library=$(realpath "$2") built=$3
. "$(dirname "$0")/../bench/sweep_common.sh"
cd "$work" || exit 1
unset RIGOR_CACHE
export RIGOR_CACHE=
"$rigor" export stack -p boxes=2 >scene.json
"$rigor" run scene.json pgs --time 0.1 --record input.h5 >/dev/null || exit 1
printf '{"rigor":1,"name":"s","grid":[{"scene":"scene.json","solver":["pgs","xpbd"],"time":0.05}]}' >grid.json
cat scene.json input.h5 grid.json | cksum >before
faults=0

# one CALL N KIND COMMAND...: the fault, and what must hold after it
one() {
    call=$1 n=$2
    shift 2
    rm -rf made
    mkdir made
    timeout 60 env LD_PRELOAD="$library" FAIL_CALL=$call FAIL_AT=$n "$rigor" "$@" >out 2>err
    status=$?
    faults=$((faults + 1))
    [ $status -le 4 ] || fail "$call $n of '$*': exit status $status: $(tail -n 1 err)"
    [ $status -eq 0 ] || [ -s err ] || fail "$call $n of '$*': exit status $status without a word"
    ls made | grep -q part && fail "$call $n of '$*' leaves $(ls made)"
    for file in made/*.h5; do
        [ ! -e "$file" ] || [ "$(head -c 4 "$file" | tail -c 3)" = HDF ] || fail "$call $n of '$*': half a file $file"
    done
    if [ -s made/s.sqlite ]; then
        "$rigor" results made/s.sqlite >/dev/null 2>err || grep -q 'is empty\|no results store' err || fail "$call $n of '$*': the store: $(cat err)"
    fi
    cat scene.json input.h5 grid.json | cksum | cmp -s - before || fail "$call $n of '$*' changes an input"
}

# all CALL COMMAND...: the first calls one by one, then a sample
all() {
    call=$1
    shift
    rm -rf made count
    mkdir made
    LD_PRELOAD=$library FAIL_CALL=$call FAIL_COUNT=$work/count "$rigor" "$@" >/dev/null 2>&1
    most=$(cat count 2>/dev/null || echo 0)
    n=1
    while [ "$n" -le "$most" ]; do
        one "$call" "$n" "$@"
        n=$((n < 6 ? n + 1 : n * 3 / 2))
    done
}

for call in write rename fsync open fork; do
    all $call run scene.json pgs --time 0.1 --series made/s.csv
    all $call run scene.json pgs --time 0.1 --record made/r.h5
    all $call solve scene.json --at 0.05 --solvers pgs --dump made/d.h5
    all $call sweep grid.json --db made/s.sqlite --jobs 1
    [ "$built" = yes ] && all $call view input.h5 -o made/v.html
done
for call in open malloc; do
    all $call check scene.json
    all $call export scene.json
    all $call compare scene.json --solvers pgs,xpbd --time 0.05
done
echo "$faults faults"
[ $faults -gt 100 ] || fail "only $faults faults: the library is not loaded"
finish
