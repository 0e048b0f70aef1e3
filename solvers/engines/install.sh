#!/bin/sh
# SPDX-License-Identifier: MIT
# The engines' npm packages as the lock file names them, unless they are there already. If they cannot be had, says why, and
# keeps it in .deps/why for the end of `make report`; that is no failure.
cd "$(dirname "$0")" || exit 1
why=../../.deps/why
mkdir -p ../../.deps && rm -f "$why"
[ -n "$(find node_modules/.package-lock.json -newer package-lock.json 2>/dev/null)" ] && exit 0
command -v npm >/dev/null || { echo "engines of npm: there is no npm" | tee "$why"; exit 0; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "fetching the engines of solvers/engines/package-lock.json: npm ci --ignore-scripts" >&2
npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=60000 >"$log" 2>&1 && exit 0
said=$(grep -iE '^npm (err!|error)' "$log" | grep -viE 'a complete log|^npm [a-z!]+ *$' | head -n 3 | tr '\n' ' ')
echo "engines of npm: npm ci failed: ${said:-$(tail -n 1 "$log")}" | tee "$why"
