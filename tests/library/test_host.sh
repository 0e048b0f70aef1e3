#!/bin/sh
# SPDX-License-Identifier: MIT
# librigor in a host program: with points and with commas in its numbers, in threads, on a small stack, out of a cache.
# usage: test_host.sh TEST_HOST plain|sanitized
#        test_host.sh TEST_HOST races SUPPRESSIONS    its threads, watched by helgrind
host=$(realpath "$1") how=$2
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export RIGOR_CACHE="$work/cache"
if [ "$how" = races ]; then
    command -v valgrind >/dev/null || { echo "no valgrind: not tested" && exit 77; }
    valgrind -q --tool=helgrind --error-exitcode=1 --suppressions="$3" "$host"
    exit
fi
"$host" || exit 1
if command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >/dev/null 2>&1; then
    # What glibc keeps of a locale found by LOCPATH is no leak of ours.
    LOCPATH=$work ASAN_OPTIONS=detect_leaks=0 "$host" de_DE.UTF-8 || exit 1
else
    echo "no locale of decimal commas can be made: not tested"
fi
# A sanitizer's own frames do not fit.
[ "$how" = sanitized ] || (ulimit -s 128 && exec "$host") || exit 1
