#!/bin/sh
# SPDX-License-Identifier: MIT
# The same command gives the same bits whatever the working folder, time zone, umask, locale, place of the program in
# memory, BLAS kernel, number of threads, of jobs and of MPI ranks, and whichever compiler built it.
# usage: test_determinism.sh RIGOR STORE_DUMP [OTHER_RIGOR]
rigor=$(realpath "$1") dump=$(realpath "$2") other=${3:+$(realpath "$3")}
. "$(dirname "$0")/../support/sweep_common.sh"
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 RIGOR_CACHE=
cases="chain,kkt,-p,links=12 stack,lcp stack,pgs chain,pgs_dense,-p,links=12 chain,reference,-p,links=2 stack,newton stack,admm
    cloth,direct,-p,nx=6,-p,ny=6 pendulum,rattle pendulum,gen_alpha stack,apgd chain,featherstone,-p,links=12 ragdoll,xpbd stack,penalty
    pile,pgs,-p,spheres=300,-s,order=colour pile,pgs,-p,spheres=300 chain,pgs,-p,links=300,-s,order=colour"

# states PROGRAM...: every result but times and what the build is called
states() {
    for case in $cases; do
        echo "$case"
        "$@" run $(echo "$case" | tr , ' ') --time 0.1 --truth none --json --state |
            sed -n '/"build"/q; /wall_s\|cpu_s\|contended\|us_per_frame\|frame_us/!p'
    done
}

holds() { # WHAT: $work/now is as always
    compared=$((compared + 1))
    cmp -s first now || fail "$1 changes results: $(diff first now | head -n 4)"
}
compared=0

states "$rigor" >first
[ "$(grep -c '"status": "ok"' first)" -eq "$(echo $cases | wc -w)" ] || fail "not every run is ok"
mkdir -p elsewhere
printf '#!/bin/sh\nn=$1\nshift\nexec "%s" "$@" --threads "$n"\n' "$rigor" >with_threads && chmod +x with_threads
(cd elsewhere && umask 077 && TZ=Asia/Kolkata states "$rigor") >now
holds "another folder, umask and time zone"
for core in Prescott Haswell Zen SkylakeX; do
    OPENBLAS_CORETYPE=$core OPENBLAS_NUM_THREADS=4 states "$rigor" >now
    holds "OPENBLAS_CORETYPE=$core"
done
for threads in 2 3; do
    states "$work/with_threads" $threads >now
    holds "--threads $threads"
done
if setarch -R true 2>/dev/null; then
    states setarch -R "$rigor" >now
    holds "a program that always lies at the same addresses"
fi
# A locale with a decimal comma, made here where the system has none.
if command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >/dev/null 2>&1; then
    LOCPATH=$work LC_ALL=de_DE.UTF-8 states "$rigor" >now
    holds "a decimal comma"
    LOCPATH=$work LC_ALL=de_DE.UTF-8 "$rigor" export stack >comma.json
    "$rigor" export stack | cmp -s - comma.json || fail "a decimal comma changes an exported scene"
else
    echo "no localedef, or no de_DE here: the decimal comma is left out"
fi
if [ -n "$other" ]; then
    states "$other" >now
    holds "another compiler"
fi

cat >grid.json <<'END'
{ "rigor": 1, "grid": [ { "scene": ["pendulum", "stack"], "solver": ["xpbd", "pgs", "lcp", "kkt"], "time": 0.2,
                          "options": { "substeps": [1, 2, 5] } } ] }
END
succeeds sweep grid.json --db one.sqlite --jobs 1
for jobs in 2 5; do
    OPENBLAS_CORETYPE=Prescott succeeds sweep grid.json --db jobs$jobs.sqlite --jobs $jobs
    same one.sqlite jobs$jobs.sqlite
    compared=$((compared + 1))
done
# Ranks on machines of several kinds.
if mpirun --oversubscribe -n 2 true >/dev/null 2>&1; then
    mpirun --oversubscribe -n 1 "$rigor" sweep grid.json --db ranks.sqlite : \
        -n 1 -x OPENBLAS_CORETYPE=Prescott "$rigor" sweep grid.json --db ranks.sqlite : \
        -n 1 -x OPENBLAS_CORETYPE=Zen "$rigor" sweep grid.json --db ranks.sqlite >out 2>err || fail "mixed ranks: $(cat err)"
    same one.sqlite ranks.sqlite
    compared=$((compared + 1))
fi
echo "$compared comparisons of $(echo $cases | wc -w) runs or a sweep"
finish
