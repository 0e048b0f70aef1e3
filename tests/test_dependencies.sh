#!/bin/sh
# Dependencies point one way: model <- {solvers, scenes} <- bench <- reports <- library. And what of model/ also runs as
# WebAssembly (model_plain in model/meson.build, and every header) touches no file, stream, clock or library.
# usage: test_dependencies.sh SOURCE_ROOT
cd "$1" || exit 1
bad=$(mktemp) || exit 1
trap 'rm -f "$bad"' EXIT

# allow FOLDER MAY_INCLUDE...: names each line of FOLDER that includes from another folder of the tree.
allow() {
    folder=$1
    shift
    allowed=$(echo "$@" | tr ' ' '|')
    [ -d "$folder" ] || return 0
    grep -rnE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$folder" |
        grep -vE "\"($allowed)/[^\"]*\"" >>"$bad"
}

allow model model
allow solvers model solvers
allow scenes model scenes
allow bench model solvers scenes bench
allow reports model solvers scenes bench reports
allow library model solvers scenes bench reports library

plain=$(awk '/^model_plain = files\(/ { on = 1 } on { print; if (/\)/) exit }' model/meson.build | grep -oE "[a-z0-9_]+\.c")
if [ -z "$plain" ]; then
    echo "model/meson.build names no model_plain files"
    exit 1
fi
for file in $plain $(cd model && ls *.h); do
    outside='lapacke|lapack|cblas|gsl/|libqhull|jansson|sqlite|hdf5|time\.h|sys/|fcntl|unistd|pthread|threads|signal|dlfcn'
    # status.c formats into memory, which needs vsnprintf and no stream.
    [ "$file" = status.c ] || outside="$outside|stdio|wchar"
    grep -nHE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($outside)" "model/$file" >>"$bad"
done

if [ -s "$bad" ]; then
    echo "includes against the direction of dependencies:"
    cat "$bad"
    exit 1
fi
