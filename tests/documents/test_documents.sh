#!/bin/sh
# SPDX-License-Identifier: MIT
# Documents and comments name only what is there, and the format documents name everything that the readers accept.
# usage: test_documents.sh SOURCE_ROOT RIGOR
rigor=$(realpath "$2") || exit 1
cd "$1" || exit 1
bad=$(mktemp) words=$(mktemp) code=$(mktemp) || exit 1
trap 'rm -f "$bad" "$words" "$code"' EXIT
sources=$(find model solvers scenes bench reports cli tests examples -name node_modules -prune -o -name '*.[ch]' -print | sort)

# there NAME FOLDER: a file so named lies in the folder, at the root, or, named without its folder, anywhere.
there() {
    [ -e "$2/$1" ] || [ -e "$1" ] || case $1 in */*) false ;; *) echo "$sources" | grep -q "/$1\$" ;; esac
}

# What a document names as `file.c`: one, two is there: the file, and in it one and two.
check_document() { # DOCUMENT FOLDER
    grep -o '`[a-z_0-9/]*\.\(c\|h\|md\|sh\|def\|json\)`\(: [a-z_0-9, ]*\)\{0,1\}' "$1" | tr -d '`' |
        while IFS=: read -r file names; do
            there "$file" "$2" || echo "$1: no file $2/$file" >>"$bad"
            for name in $(echo "$names" | tr ',' ' '); do
                grep -qw "$name" "$2/$file" 2>/dev/null || echo "$1: $2/$file has no $name" >>"$bad"
            done
        done
}

check_document reports/SLIDES.md .
check_document reports/ERRATA.md tests
# A folder's README says what belongs there and how to add one; what takes longer is a page of docs.
readmes=$(find ./*/ -name node_modules -prune -o -path './build*' -prune -o -name README.md -print | sed 's|^\./||')
for document in README.md ARCHITECTURE.md CONTRIBUTING.md $readmes; do
    check_document "$document" "$(dirname "$document")"
done
wc -l README.md $readmes | awk '$2 != "total" && $1 > ($2 == "README.md" ? 130 : 30) { print $2 ": " $1 " lines" }' >>"$bad"
for document in docs/[a-z]*.md docs/howto/*.md docs/reference/*.md; do
    check_document "$document" .
done

# The changelog stays short, and says each thing once: no two entries begin with the same line.
[ "$(wc -l <CHANGELOG.md)" -le 150 ] || echo "CHANGELOG.md: more than 150 lines" >>"$bad"
grep '^- ' CHANGELOG.md | sort | uniq -d | sed 's/^/CHANGELOG.md: twice: /' >>"$bad"

# A comment names only files of the tree; a word in capitals is part of a name in its file's code, a name in the program's
# code, a document of the tree, or one of these. So no comment leans on a document that its reader does not have.
FOREIGN_FILES="fclib.h"
FOREIGN_NAMES="LAPACK LAPACKE MPICH SIGINT SIGTERM PRAGMA PRIMARY STRICT INTEGER FIELD FILTER SCENE SOLVER FRICTION TORSION
    SECONDS RATTLE README ARCHITECTURE CONTRIBUTING CHANGELOG SLIDES ERRATA"
for source in $(echo "$sources" | grep -v '^tests/'); do
    awk -v want=code -f tests/documents/comments.awk "$source"
done | grep -oE '\b[A-Z]{5,}\b' | sort -u >"$code"
for source in $sources; do
    awk -f tests/documents/comments.awk "$source" >"$words"
    for file in $(grep -oE '\b[A-Za-z_0-9]+(/[A-Za-z_0-9]+)*\.(md|sh)\b|\b[a-z_0-9]+(/[a-z_0-9]+)*\.h\b|\b[a-z_0-9]+(/[a-z_0-9]+)+\.c\b' "$words"); do
        case " $FOREIGN_FILES " in *" $file "*) continue ;; esac
        there "$file" "$(dirname "$source")" || echo "$source: a comment names $file, which is not in the tree" >>"$bad"
    done
    for word in $(grep -oE '\b[A-Z]{5,}\b' "$words" | sort -u); do
        case " $(echo $FOREIGN_NAMES) " in *" $word "*) continue ;; esac
        grep -qx "$word" "$code" || awk -v want=code -f tests/documents/comments.awk "$source" | grep -qF "$word" ||
            echo "$source: a comment names $word, which is neither in its code nor a document of the tree" >>"$bad"
    done
done

# named DOCUMENT WHAT: every word on standard input stands in the document, between backquotes or as a key of an example.
named() {
    while read -r word; do
        grep -qE "\`([^\`]*[^a-zA-Z_\`])?$word([^a-zA-Z_\`][^\`]*)?\`|\"$word\"" "$1" || echo "$1: does not name $2 $word" >>"$bad"
    done
}

# What the readers accept, from the readers themselves: each string of theirs that is one word is a key, a joint type, a
# shape or a choice, but for three: what messages call things, and the mode a file is opened in.
keys() { # FILE...
    cat "$@" | awk -v want=code -f tests/documents/comments.awk | grep -oE '"[a-z][a-z0-9_]*"' | tr -d '"' | sort -u | grep -vxE 'body|rb|twist'
}
keys $(ls scenes/file/*.c | grep -vE 'value|print|input|obj') model/joint/joint.c | named docs/reference/scene_files.md "the key"
keys bench/experiment/experiment.c bench/experiment/[fgpv]*.c bench/experiment/expand.c bench/run/solver_set_file.c | named docs/reference/formats.md "the key"
"$rigor" list metrics --json | sed -n 's/^ *"name": "\(.*\)",*$/\1/p' | named docs/reference/formats.md "the metric"
"$rigor" run pendulum xpbd --time 0.1 --json --state | sed -n 's/^ *"\([a-z_]*\)": .*/\1/p' | sort -u >"$words"
# Parameters and options are the scene's and the solver's own.
"$rigor" run pendulum xpbd --time 0.1 --json |
    awk '/"(scene_params|solver_options)": \{/ { on = 1; next } /\}/ { on = 0 } on' | sed -n 's/^ *"\([a-z_]*\)".*/\1/p' |
    grep -vxFf - "$words" | named docs/reference/formats.md "the key"
sed -n 's/^ *\(CAN_[A-Z_]*\) = 1 <<.*/\1/p' solvers/solver.h | named docs/howto/write_solver.md "the capability"
sed -n 's/^#define \([A-Z_]*_SETTINGS*\)\b.*/\1/p' solvers/solver.h | named docs/howto/write_solver.md "the options"

cat "$bad"
[ ! -s "$bad" ]
