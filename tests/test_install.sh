#!/bin/sh
# SPDX-License-Identifier: MIT
# .ci/install against a made-up system: one package is there, one can be had, one is not in this release.
# usage: test_install.sh SOURCE_ROOT
install=$1/.ci/install
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && cd "$work" || exit 1
fake() { # NAME SCRIPT
    printf '#!/bin/sh\n%s\n' "$2" >"bin/$1" && chmod +x "bin/$1"
}
fake id 'echo 0'
fake dpkg-query 'for p; do :; done; grep -qx "$p" installed && echo "install ok installed"'
fake apt-cache 'case $2 in old|new) echo "  Candidate: 1.0" ;; esac'
fake apt-get 'echo "apt-get $*" >>calls; [ "$1" = update ] && [ -f offline ] && { echo "E: no network"; exit 1; }
[ "$1" = install ] && for p; do echo "$p" >>installed; done; exit 0'
PATH=$work/bin:$PATH
export PATH
fail() {
    echo "$*"
    exit 1
}

echo old >installed
"$install" needed build old || fail "what is there must not be installed"
[ ! -f calls ] || fail "apt-get was called for nothing"

# The package that does not exist does not take the other with it, and is said once.
"$install" optional page old new gone 2>said || fail "optional packages must not fail"
grep -qx new installed || fail "new was not installed"
grep -q "gone.*this release has no such package" said || fail "not said: $(cat said)"
calls=$(wc -l <calls)
"$install" optional page old new gone 2>said || fail "the second time failed"
[ ! -s said ] && [ "$(wc -l <calls)" = "$calls" ] || fail "tried or said again"
"$install" optional page old new gone other 2>said
[ -s said ] || fail "a new list must be tried"

# What will be done is said first; who forbids it is obeyed.
"$install" optional extras late 2>said
grep -q "    apt-get install -y --no-install-recommends late" said || fail "the command is not said: $(cat said)"
calls=$(wc -l <calls)
DEPS=no "$install" needed build missing 2>said || fail "DEPS=no is a failure"
grep -q "DEPS=no: not installing missing (build)" said && [ "$(wc -l <calls)" = "$calls" ] || fail "DEPS=no is not obeyed"

"$install" needed build gone 2>said && fail "a needed package is missing, and nobody says so"
grep -q "cannot install gone: this release" said || fail "not said: $(cat said)"
touch offline
"$install" optional extras far 2>said
grep -q "far (extras): apt-get update: E: no network" said || fail "not said: $(cat said)"

# The page's packages: why npm fails is said, whatever it says; what is there already is not fetched again.
mkdir page && echo 1 >page/package-lock.json
fake npm 'echo "npm error code ENOTFOUND"; echo "npm error network request failed"; exit 1'
"$1/reports/page/install.sh" npm page >said && fail "npm's failure is no failure"
grep -q "npm ci failed: npm error code ENOTFOUND npm error network request failed" said || fail "not said: $(cat said)"
fake npm 'echo "Segmentation fault"; exit 139'
"$1/reports/page/install.sh" npm page >said && fail "npm's crash is no failure"
grep -q "npm ci failed: Segmentation fault" said || fail "not said: $(cat said)"
fake npm 'mkdir -p node_modules; echo fetched >>../fetches'
"$1/reports/page/install.sh" npm page && "$1/reports/page/install.sh" npm page || fail "packages cannot be installed"
[ "$(cat fetches)" = fetched ] || fail "packages were fetched twice"

# `make uninstall` takes the files and the folders that were made for them, and leaves what else is there.
mkdir -p build "prefix/bin" "prefix/share/rigor" && touch prefix/bin/rigor prefix/share/rigor/page prefix/share/other
printf '# comment\n%s\n' "$work/prefix/bin" "$work/prefix/bin/rigor" "$work/prefix/share" "$work/prefix/share/rigor" \
    "$work/prefix/share/rigor/page" >build/installed.txt
make -s -C "$1" uninstall BUILD="$work/build" || fail "make uninstall failed"
[ "$(cd prefix && find . -type f)" = ./share/other ] && [ ! -d prefix/bin ] && [ ! -d prefix/share/rigor ] ||
    fail "make uninstall leaves $(find prefix)"
make -s -C "$1" uninstall BUILD="$work/build" >said && fail "there is nothing to uninstall, and nobody says so"
grep -q "nothing was installed" said || fail "not said: $(cat said)"
