# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of `rigor sweep` share; expects $rigor, $dump.
# Crashes are wanted, and wanted quickly: a sanitizer's report of one takes longer than the runs.
export ASAN_OPTIONS="handle_segv=0:symbolize=0:$ASAN_OPTIONS" UBSAN_OPTIONS="symbolize=0:$UBSAN_OPTIONS"
work=$(mktemp -d) || exit 1
export RIGOR_CACHE=$work/cache
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# succeeds ARGS...: exit status 0; output in $work/out and $work/err.
succeeds() {
    "$rigor" "$@" >"$work/out" 2>"$work/err" || fail "rigor $*: exit status $?: $(cat "$work/err")"
}

# refuses STATUS TEXT ARGS...: this exit status, TEXT on standard error.
refuses() {
    status=$1 text=$2
    shift 2
    "$rigor" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$status" ] || fail "rigor $*: exit status $got, not $status: $(cat "$work/err")"
    grep -qF -- "$text" "$work/err" || fail "rigor $*: says '$(cat "$work/err")', not '$text'"
}

# says TEXT: the last command printed TEXT.
says() {
    grep -qF -- "$1" "$work/out" || fail "prints '$(cat "$work/out")', not '$1'"
}

# same A B: the two stores hold the same but for times.
same() {
    "$dump" "$1" >"$work/dump_a" && "$dump" "$2" >"$work/dump_b" && cmp -s "$work/dump_a" "$work/dump_b" ||
        fail "$1 and $2 differ: $(diff "$work/dump_a" "$work/dump_b" | head -n 5)"
}

rows() {
    "$dump" "$1" | wc -l
}

finish() {
    [ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
    echo "all passed"
    exit 0
}
