#!/bin/sh
# SPDX-License-Identifier: MIT
# What `make test` says before it begins: how long it will take, and what will be skipped for want of what.
# usage: foretell.sh BUILD
build=$1
cores=$(nproc 2>/dev/null || echo 1)
count=$(meson test -C "$build" --list 2>/dev/null | grep -c .)
# 1,320 s of tests; the longest one takes 115 s.
minutes=$((1320 / cores / 60))
[ "$minutes" -ge 2 ] || minutes=2
echo "$count tests, about $minutes minutes on $cores idle cores; \`meson test -C $build --suite fast\` takes some seconds"
skips() { # COMMAND WHAT
    command -v "$1" >/dev/null || echo "    will be skipped: $2, for there is no $1"
}
skips zsh "completions of zsh"
skips chromium "the page in a browser"
skips mpirun "sweeps across machines"
skips valgrind "races of the library"
skips gnuplot "figures"
[ -e "$build/reports/page/viewer.html" ] || echo "    will be skipped: the page, which was not built (\`meson setup\` says why)"
for engine in $("$build/rigor" list engines | sed -n 's/^\([^ ]*\) .*not installed.*/\1/p'); do
    echo "    will be skipped: the engine $engine, which is not installed (\`make engines\`)"
done
exit 0
