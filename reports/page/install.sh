#!/bin/sh
# Installs the page's packages as the lock file names them, unless they are there already. Says why not on failure.
# usage: install.sh NPM PAGE_DIR
cd "$2" || exit 1
[ -f node_modules/.lock ] && cmp -s package-lock.json node_modules/.lock && exit 0
"$1" ci --ignore-scripts --fetch-retries=1 --fetch-timeout=60000 >/dev/null 2>&1 || {
    echo "npm ci failed (no network?)"
    exit 1
}
cp package-lock.json node_modules/.lock
