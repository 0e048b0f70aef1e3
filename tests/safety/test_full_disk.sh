#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command that writes, on a disk that becomes full: a message and its own exit status, nothing half-made under a final
# name, inputs as they were; and once there is room again the same sweep goes on. The disk is a small tmpfs of our own.
# usage: test_full_disk.sh RIGOR PAGE_BUILT
if [ "$3" != mounted ]; then
    unshare -rm mount -t tmpfs none /mnt 2>/dev/null || { echo "no mounts of our own here"; exit 77; }
    exec unshare -rm "$0" "$1" "$2" mounted
fi
rigor=$(realpath "$1") built=$2
. "$(dirname "$0")/../support/sweep_common.sh"
cd "$work" || exit 1
export RIGOR_CACHE=
"$rigor" export stack -p boxes=2 >scene.json
"$rigor" run scene.json pgs --time 1 --record input.h5 >/dev/null || exit 1
printf '{"rigor":1,"name":"s","grid":[{"scene":"pendulum","solver":["pgs","xpbd"],"time":0.05}]}' >grid.json
inputs="scene.json input.h5 grid.json"
cksum $inputs >before
mkdir disk
full=0

# one ROOM COMMAND...: in a folder with so many KB left
one() {
    room=$1
    shift
    (cd disk && "$rigor" "$@" >../out 2>../err)
    status=$?
    [ $status -eq 0 ] || full=$((full + 1))
    [ $status -le 1 ] || fail "$room KB, '$*': exit status $status: $(tail -n 1 err)"
    [ $status -eq 0 ] || [ -s err ] || fail "$room KB, '$*': exit status $status without a word"
    left=$(cd disk && find . -name '*.part*' -o -name 'figure.*')
    [ -z "$left" ] || fail "$room KB, '$*' leaves $left"
    cksum $inputs | cmp -s - before && (cd disk && cksum $inputs) | cmp -s - before || fail "$room KB, '$*' changes an input"
    for file in disk/r.h5 disk/d.h5; do # of a run that did not end, what was written so far, whole
        [ ! -e $file ] || [ "$(head -c 4 $file | tail -c 3)" = HDF ] || fail "$room KB, '$*': half a file $file"
    done
    [ ! -e disk/r.h5 ] || "$rigor" view disk/r.h5 -o seen.json --force 2>err || grep -q "has no frame" err || fail "$room KB: r.h5: $(cat err)"
    [ $status -eq 0 ] || for file in disk/d.h5 disk/s.csv disk/v.html disk/v.json disk/f.svg disk/f.pdf disk/f.png disk/rep/index.html; do
        [ ! -e $file ] || fail "$room KB, '$*' failed and left $file"
    done
    [ ! -e disk/rep/s.svg ] || tail -c 8 disk/rep/s.svg | grep -q '</svg>' || fail "$room KB, '$*': half a picture"
    case $1 in sweep)
        rm disk/filler
        (cd disk && "$rigor" "$@" >../out 2>../err) || fail "$room KB: the sweep does not go on: $(cat err)"
        [ "$("$rigor" results disk/s.sqlite --csv | grep -c ',ok,')" -eq 2 ] || fail "$room KB: runs are missing"
        ;;
    esac
}

for room in 0 12 32 64; do
    for command in "run scene.json pgs --time 1 --record r.h5" "run scene.json pgs --time 1 --series s.csv" \
        "solve scene.json --at 0.05 --solvers pgs --dump d.h5" "sweep grid.json --db s.sqlite --jobs 1" "view input.h5 -o v.json" \
        "view input.h5 -o v.html" "film input.h5 -o f.svg" "film input.h5 -o f.pdf" "film input.h5 -o f.png" "report grid.json -o rep"; do
        [ "$built" = yes ] || [ "${command##*.}" != html ] || continue
        mount -t tmpfs -o size=1m none disk || exit 1
        cp $inputs disk
        head -c $((($(df -k disk | awk 'NR == 2 { print $4 }') - room) * 1024)) /dev/zero >disk/filler
        one $room $command
        umount disk
    done
done
echo "$full commands found the disk full"
[ $full -ge 20 ] || fail "only $full commands found the disk full"
finish
