# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What tests of the command line share; sourced with $rigor, $json_check and the folder $work set.
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# refuses STATUS TEXT ARGS...: this exit status, nothing on standard output, TEXT on standard error.
refuses() {
    status=$1 text=$2
    shift 2
    "$rigor" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$status" ] || fail "rigor $*: exit status $got, not $status"
    [ -s "$work/out" ] && fail "rigor $*: wrote on standard output"
    grep -qF -- "$text" "$work/err" || fail "rigor $*: says '$(cat "$work/err")', not '$text'"
}

# What a slow machine hears of a truth that takes longer than a second is no complaint.
complaints() {
    grep -v '^finding the truth by reference:' "$work/err" | grep -v ' at this rate$'
}

# prints TEXT ARGS...: exit status 0 and TEXT on standard output, nothing on standard error.
prints() {
    text=$1
    shift
    "$rigor" "$@" >"$work/out" 2>"$work/err" || fail "rigor $*: exit status $?"
    complaints >"$work/complaints" && fail "rigor $*: wrote on standard error: $(cat "$work/err")"
    grep -qF -- "$text" "$work/out" || fail "rigor $*: does not print '$text'"
}

# document PATHS ARGS...: one JSON document in which the paths (words of the first argument) hold.
document() {
    paths=$1
    shift
    "$rigor" "$@" >"$work/out" 2>"$work/err" || fail "rigor $*: exit status $?"
    complaints >"$work/complaints" && fail "rigor $*: wrote on standard error: $(cat "$work/err")"
    "$json_check" $paths <"$work/out" || fail "rigor $*: JSON document"
}

# Ends the test.
verdict() {
    [ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
    echo "all passed"
}
