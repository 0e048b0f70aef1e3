#!/bin/sh
# SPDX-License-Identifier: MIT
# Dependencies point one way: model <- {solvers, scenes} <- bench <- reports <- cli <- library, in what files include and in what
# they link, and within solvers/ as the table below says, without a cycle. What speaks to engines (solvers/engines) belongs to the
# harness: it starts processes and reads JSON. A lecture's text needs the contract and nothing else. What of model/ also runs as
# WebAssembly (model_plain in model/meson.build, and every header) touches no file, stream, clock or library. One piece forks. And
# no folder's listing is longer than 30 entries.
# usage: test_dependencies.sh SOURCE_ROOT BUILD_ROOT
build=$(realpath "$2") || exit 1
cd "$1" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# includes FOLDER...: file:line:what it includes, of every include in quotes.
includes() {
    grep -rnE --include='*.[ch]' --include='*.cpp' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$@" |
        sed -E 's/^([^:]*:[0-9]*):[^"]*"([^"]*)".*/\1:\2/'
}

# allow FOLDER MAY_INCLUDE...: names each line of FOLDER that includes from another folder of the tree.
allow() {
    folder=$1
    shift
    allowed=$(echo "$@" | tr ' ' '|')
    [ -d "$folder" ] || return 0
    includes "$folder" | grep -vE ":($allowed)/[^:]*\$"
}

folders() {
    allow model model
    allow solvers model solvers | grep -v '^solvers/engines/'
    allow solvers/engines model solvers scenes bench
    allow scenes model scenes
    allow bench model solvers scenes bench
    # A figure may take its data from a command.
    allow reports model solvers scenes bench reports | grep -vE '^reports/figure/(read_command.h|contents.c):[0-9]*:cli/cli.h$'
    allow cli model solvers scenes bench reports cli
    allow library model solvers scenes bench reports cli library
}

# Who may include whom in solvers/. A folder names only folders above it, so that there can be no cycle; `base` is the
# files of solvers/ itself that are no backends, a backend's name is the folder of what it alone uses.
cat >"$work/table" <<'END'
base
linear
order base
contact base linear order
rows base linear order contact
position base linear order contact rows
systems base linear order contact rows
tree base linear systems
cone base linear contact rows
convex base linear position
descent base position
truth base systems tree
engines base
articulated base linear contact rows tree
naive base rows position
penalty base rows contact
pgs base rows contact position
newton_xpbd base
tgs_sticky base rows contact position
END

# What stands in solvers/ under the current folder, held to the table.
subfolders() {
    includes solvers | awk -F: -v table="$work/table" '
        BEGIN {
            while ((getline line < table) > 0) {
                n = split(line, word, " ")
                known[word[1]] = 1
                may[word[1], word[1]] = 1
                for (i = 2; i <= n; i++) {
                    may[word[1], word[i]] = 1
                    if (!(word[i] in known) || word[i] == word[1])
                        print "table: " word[1] " includes " word[i] ", which is not above it"
                }
            }
            while ((getline line < "solvers/list.def") > 0)
                if (split(line, word, /[()]/) > 1 && word[1] ~ /^SOLVER/)
                    backend[word[2]] = 1
        }
        # The folder of a file; the name of a backend for its own file.
        function part(path, names, n) {
            n = split(path, names, "/")
            if (n > 2)
                return names[2]
            sub(/\.[a-z]*$/, "", names[2])
            return names[2] in backend ? names[2] : "base"
        }
        $3 ~ /^solvers\// {
            from = part($1); to = part($3)
            if (from == "engines")
                next
            whole = $1 ":" $2 ": " $3
            if (from == "lecture") {
                if ($3 != "solvers/solver.h" && $3 != "solvers/motion.h")
                    print whole " (a lecture text includes solver.h, motion.h and model/)"
            } else if (split($1, names, "/") == 2 && from != "base") {
                own = from == "naive_avg" ? "naive" : from
                if (!(to in known) || to == "engines" || (to in backend && to != own))
                    print whole " (a backend includes no other backend)"
            } else if (!(from in known)) {
                print whole " (solvers/" from "/ is not in the table)"
            } else if (!((from, to) in may))
                print whole
        }'
    for file in solvers/lecture/*.[ch]; do
        [ -f "$file" ] || continue
        case $file in */kkt.c | */penalty.c) most=300 ;; *) most=200 ;; esac
        [ "$(wc -l <"$file")" -le $most ] || echo "$file: more than $most lines"
        grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"(\.|[^"/]*")' "$file"
    done
}

# The model without libraries.
plain() {
    plain=$(awk '/^model_plain = files\(/ { on = 1 } on { print; if (/\)/) exit }' model/meson.build | grep -oE "[a-z0-9_/]+\.c")
    [ -n "$plain" ] || echo "model/meson.build names no model_plain files"
    for file in $plain $(cd model && ls *.h */*.h); do
        outside='lapacke|lapack|cblas|gsl/|libqhull|jansson|sqlite|hdf5|time\.h|sys/|fcntl|unistd|pthread|threads|signal|dlfcn'
        # status.c formats into memory, which needs vsnprintf and no stream.
        [ "$file" = status.c ] || outside="$outside|stdio|wchar"
        grep -nHE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($outside)" "model/$file"
    done
}

# What the built libraries define and use: FOLDER OBJECT KIND NAME a line.
linked() {
    for folder in model solvers scenes bench reports cli; do
        find "$build/$folder" -name '*.o' -path "$build/$folder/lib*.a.p/*" -exec nm -A {} + 2>/dev/null |
            awk -v folder=$folder '{ sub(/:.*/, "", $1); print folder, $1, $(NF - 1), $NF }'
    done
}

# upward, of such lines: each use of a name that only a folder above, or beside, defines. A declaration by hand cannot hide it.
upward() {
    awk 'BEGIN { rank["model"] = 1; rank["solvers"] = rank["scenes"] = 2; rank["bench"] = 3; rank["reports"] = 4; rank["cli"] = 5 }
        $3 ~ /^[TDBRGCVW]$/ { if (!($4 in home) || rank[$1] < rank[home[$4]]) home[$4] = $1 }
        $3 == "U" { used[$1, $4] = $2 }
        END {
            for (use in used) {
                split(use, of, SUBSEP)
                if (of[2] in home && home[of[2]] != of[1] && rank[home[of[2]]] >= rank[of[1]])
                    print used[use] ": " of[2] " of " home[of[2]] "/"
            }
        }'
}
# A figure may take its data from a command, and so may a claim.
symbols() { linked | upward | grep -vE '/(figure_read_command|ledger_check)\.c\.o: [a-z_]* of cli/$'; }

# How a child begins and is awaited is said once; between us and an engine stands a process of its own making.
forks() { grep -rnE --include='*.c' '\b(v?fork|PR_SET_PDEATHSIG)\b *[(,]' model solvers scenes bench reports cli | grep -vE '^(bench/process/fork|solvers/engines/process)\.c:'; }

# Entries of a folder that are kept in the tree, files and folders. Data, and the backends, which lie flat (CONTRIBUTING.md).
listings() {
    git -c safe.directory='*' ls-files 2>/dev/null | grep -v '^\.' |
        awk -F/ '{ folder = "."; for (i = 1; i <= NF; i++) { if (!((folder, $i) in seen)) { seen[folder, $i] = 1; count[folder]++ }; folder = folder "/" $i } }
            END { for (folder in count) if (count[folder] > 30) print substr(folder, 3) "/: " count[folder] " entries" }' |
        grep -vE '^(solvers|reports/figures|tests/fuzz/seeds/[a-z_]*|tests/originals|tests/misprints)/:'
}

{ folders; subfolders; plain; symbols; forks; listings; } >"$work/bad"
if [ -s "$work/bad" ]; then
    echo "against the direction of dependencies, or out of its place:"
    cat "$work/bad"
    exit 1
fi

# The check itself can fail: on a name from above, on a cycle of two folders, on a text that leans on a fast backend, on a long one.
[ "$(printf '%s\n' 'bench b.o T report_all' 'bench b.o U world_create' 'model a.o U report_all' 'model w.o T world_create' | upward)" = \
    "a.o: report_all of bench/" ] || { echo "not noticed: a name of bench/ in model/"; exit 1; }
mkdir "$work/copy" && cp -R solvers "$work/copy/" && cd "$work/copy" || exit 1
mkdir -p solvers/lecture
# refused FILE: what was put into FILE is noticed.
refused() {
    subfolders | grep -q "^$1:" || { echo "not noticed: $1"; exit 1; }
}
echo '#include "solvers/position/position.h"' >>solvers/rows/rows.h
echo '#include "solvers/rows/rows.h"' >>solvers/linear/band.c
echo '#include "solvers/pgs/options.h"' >>solvers/naive.c
echo '#include "solvers/rows/rows.h"' >solvers/lecture/leaning.c
echo '#include "solver.h"' >solvers/lecture/near.c
yes '/* a line */' | head -201 >solvers/lecture/long.c
for file in rows/rows.h linear/band.c naive.c lecture/leaning.c lecture/near.c lecture/long.c; do
    refused "solvers/$file"
done
