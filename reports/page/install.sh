#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the page's packages as the lock file names them, unless they are there already. Says why not on failure.
# usage: install.sh NPM PAGE_DIR
cd "$2" || exit 1
[ -f node_modules/.lock ] && cmp -s package-lock.json node_modules/.lock && exit 0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$1" ci --ignore-scripts --fetch-retries=1 --fetch-timeout=60000 >"$log" 2>&1 || {
    why=$(grep -iE '^npm (err!|error)' "$log" | grep -viE 'a complete log|^npm [a-z!]+ *$' | head -n 3 | tr '\n' ' ')
    echo "npm ci failed: ${why:-$(tail -n 1 "$log")}"
    exit 1
}
cp package-lock.json node_modules/.lock
