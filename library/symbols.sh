#!/bin/sh
# SPDX-License-Identifier: MIT
# What librigor shows, as a version script. To programs: library/rigor.h, under a name that changes with RIGOR_API. To
# plug-ins: what the headers declare that are installed for them; the struct Solver says which SOLVER_ABI a plug-in was
# built for. Everything else is the library's own, and so are the lists of solvers.
# usage: symbols.sh HEADER... > symbols.map
cat "$@" | awk '
    /^extern / {
        sub(/\/\*.*/, "")
        gsub(/\[[^]]*\]/, "[]")
        while (match($0, /[A-Za-z_][A-Za-z0-9_]*(\[\])?[,;]/)) {
            name = substr($0, RSTART, RLENGTH)
            $0 = substr($0, RSTART + RLENGTH)
            gsub(/[^A-Za-z0-9_]/, "", name)
            print name
        }
    }
    /^[A-Za-z]/ && !/^(static|typedef|extern) / && match($0, /[a-z][a-z0-9_]*\(/) { print substr($0, RSTART, RLENGTH - 1) }' |
    grep -vxE 'all_solvers|solver_count' | sort -u | {
    echo 'RIGOR_0 { global: rigor_*; local: *; };'
    echo 'RIGOR_PLUGIN { global:'
    sed 's/$/;/'
    echo '};'
}
