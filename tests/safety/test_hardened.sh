#!/bin/sh
# SPDX-License-Identifier: MIT
# Program and library as they were linked: position independent, call tables read-only before they run, no stack to run
# code from, checked stacks and string functions, landing marks of CET, and no library sought outside of the tree; in a build
# folder also where the system's own libraries are.
# usage: test_hardened.sh build|installed SANITIZER OPTIMIZATION RIGOR LIBRIGOR.so
build=$1 sanitizer=$2 optimization=$3
shift 3
command -v readelf >/dev/null || { echo "there is no readelf"; exit 77; }
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
for file in "$@"; do
    readelf -h "$file" | grep -q 'Type: *DYN' || fail "$file is not position independent"
    readelf -W -l "$file" | grep -q GNU_RELRO || fail "$file has no RELRO"
    readelf -d "$file" | grep -Eq 'BIND_NOW|FLAGS_1.*NOW' || fail "$file binds its calls as it runs"
    readelf -d "$file" | grep -q TEXTREL && fail "$file changes its own code"
    readelf -W -l "$file" | awk '/GNU_STACK/ { found = 1; if ($0 ~ /RWE/) exit 1 } END { exit !found }' || fail "$file has a stack that code runs from"
    readelf -W -l "$file" | awk '$1 == "LOAD" && /RWE/ { exit 1 }' || fail "$file has memory that is written and run"
    readelf -d "$file" | sed -n 's/.*\(RPATH\|RUNPATH\).*\[\(.*\)\]/\2/p' | tr ':' '\n' | while read -r place; do
        case $place in
        '$ORIGIN' | '$ORIGIN/'* | '') ;;
        /usr/lib/*) [ "$build" = build ] && [ "$(stat -c %u "$place")" = 0 ] && [ -z "$(find "$place/" -maxdepth 0 -perm /022)" ] || echo "$place" ;;
        *) echo "$place" ;;
        esac
    done | grep . && fail "$file seeks libraries there"
done
library=$2
readelf -W -s "$library" | grep -q '__stack_chk_fail' || fail "stacks are not checked"
if [ "$sanitizer" = none ] && [ "$optimization" != 0 ]; then
    for name in memcpy snprintf vsnprintf; do
        readelf -W -s "$library" | grep -q "__${name}_chk" || fail "$name is not checked"
    done
fi
# A frame of more than a page is probed page by page.
if [ "$(uname -m)" = x86_64 ] && [ "$optimization" != 0 ]; then
    objdump -d "$library" | grep -Eq '(or[ql]?|mov[ql]?) +\$0x0,(0x[0-9a-f]+)?\(%rsp\)' || fail "large frames are not probed"
fi
if [ "$(uname -m)" = x86_64 ] && echo 'int main(void) { return 0; }' | cc -fcf-protection=full -x c -c -o /dev/null - 2>/dev/null; then
    # The linker's own mark needs all objects to have it, and the C library's may not.
    objdump -d --disassemble=rigor_open "$library" | grep -q endbr64 || fail "functions have no mark to land on"
fi
[ $failures -eq 0 ] && echo "all passed"
