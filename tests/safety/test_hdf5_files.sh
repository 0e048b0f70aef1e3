#!/bin/sh
# SPDX-License-Identifier: MIT
# Nothing that a recording or a problem says leads out of its file: every way that HDF5 has, in place of every dataset that
# is read.
# usage: test_hdf5_files.sh RIGOR BAD_HDF5 HDF5_FILTER.so
rigor=$(realpath "$1") spoil=$(realpath "$2") filter=$(realpath "$3")
. "$(dirname "$0")/../support/sweep_common.sh"
cd "$work" || exit 1
mkdir plugins
cp "$filter" plugins/
export HDF5_PLUGIN_PATH="$work/plugins" HDF5_FILTER_RAN="$work/ran"

succeeds run stack pgs -p boxes=2 --time 0.5 --record good.h5
succeeds solve stack -p boxes=2 --at 0.2 --solvers pgs --dump problem.h5
cp good.h5 other_good.h5
cp problem.h5 other_problem.h5
for name in time position orientation velocity contacts/offset contacts/point; do
    datasets="$datasets good:$name"
done
for name in spacedim vectors/mu vectors/q W/m W/n W/nz W/p W/i W/x; do
    datasets="$datasets problem:fclib_local/$name"
done
cat problem.h5 good.h5 problem.h5 good.h5 >numbers # as many bytes as any of them wants
mkfifo pipe
tried=0
for dataset in $datasets; do
    file=${dataset%%:*} name=${dataset#*:}
    for way in external:numbers external:pipe external:/dev/zero external-link:other_$file.h5 soft-link:other_$file.h5 \
        virtual:other_$file.h5 filter:-; do
        cp $file.h5 bad.h5
        "$spoil" "${way%%:*}" bad.h5 "$name" "${way#*:}" 2>/dev/null || fail "$way of $name cannot be made"
        rm -f ran bad.json
        if [ $file = good ]; then
            refuses 3 "bad.h5: $name: " view bad.h5 -o bad.json
            [ ! -e bad.json ] || fail "$way of $name: something is read"
        else
            refuses 3 "bad.h5: /$name: " solve --problem bad.h5 --solvers pgs
        fi
        [ ! -e ran ] || fail "$way of $name: the filter has run"
        tried=$((tried + 1))
    done
done
[ $tried -ge 105 ] || fail "only $tried tried"

# The filter does run where somebody else opens such a file: the test can fail.
cp good.h5 bad.h5
"$spoil" filter bad.h5 position - || fail "no filter"
rm -f ran
"$spoil" add bad.h5 position 1 2>/dev/null
[ -e ran ] || fail "the filter never runs"

# Names that are no files.
mkdir folder.h5
for name in /dev/zero folder.h5; do
    refuses 3 "is not a plain file" view $name -o bad.json
done
finish
