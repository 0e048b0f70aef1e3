#!/bin/sh
# What the documents name as `file.c`: one, two is there: the file, and in it one and two.
# usage: test_documents.sh SOURCE_ROOT
cd "$1" || exit 1
bad=$(mktemp) || exit 1
trap 'rm -f "$bad"' EXIT

# check DOCUMENT FOLDER: files are named relative to the folder.
check() {
    grep -o '`[a-z_0-9/]*\.[ch]`\(: [a-z_0-9, ]*\)\{0,1\}' "$1" | tr -d '`' | while IFS=: read -r file names; do
        [ -f "$2/$file" ] || echo "$1: no file $2/$file" >>"$bad"
        for name in $(echo "$names" | tr ',' ' '); do
            grep -qw "$name" "$2/$file" || echo "$1: $2/$file has no $name" >>"$bad"
        done
    done
}

check reports/SLIDES.md .
check reports/ERRATA.md tests
cat "$bad"
[ ! -s "$bad" ]
