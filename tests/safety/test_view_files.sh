#!/bin/sh
# SPDX-License-Identifier: MIT
# Recordings made to do harm, and outputs that lie where something else is.
# usage: test_view_files.sh RIGOR BAD_RECORDING PAGE_BUILT
rigor=$1 spoil=$2 built=$3
. "$(dirname "$0")/../support/sweep_common.sh"
[ "$built" = yes ] || { echo "skipped: the page was not built"; exit 77; }

succeeds run pendulum xpbd --time 1 --record "$work/good.h5"
cp "$work/good.h5" "$work/kept.h5"
for kind in fixed-texts variable-texts overflow huge rank names outside link; do
    cp "$work/good.h5" "$work/$kind.h5"
    "$spoil" $kind "$work/$kind.h5" "$work/good.h5" || fail "$kind.h5 is not made"
    refuses 3 "$work/$kind.h5: " view "$work/$kind.h5" -o "$work/$kind.html"
    grep -q crashed "$work/err" && fail "$kind: reading it crashes: $(cat "$work/err")"
    [ ! -e "$work/$kind.html" ] || fail "$kind: a page is made"
done

# Bytes changed at random: a message or a page, and never a crash of rigor itself.
seed=1
for i in $(seq 12); do
    cp "$work/good.h5" "$work/bent.h5"
    size=$(wc -c <"$work/bent.h5")
    for j in 1 2 3 4 5 6; do
        seed=$(((seed * 1103515245 + 12345) % 2147483648))
        printf '\377' | dd of="$work/bent.h5" bs=1 seek=$((seed % (size < 4096 ? size : 4096))) conv=notrunc 2>/dev/null
    done
    "$rigor" view "$work/bent.h5" -o "$work/bent.html" >/dev/null 2>"$work/err"
    status=$?
    [ $status -eq 0 ] || [ $status -eq 3 ] || fail "bent recording $i: exit status $status: $(cat "$work/err")"
done

# A missing input leaves the page that is there; a recording is never its own page.
succeeds view "$work/good.h5" -o "$work/page.html"
cp "$work/page.html" "$work/page.kept"
refuses 3 "none.h5" view "$work/none.h5" -o "$work/page.html"
cmp -s "$work/page.html" "$work/page.kept" || fail "a missing input changes the page that was there"
refuses 2 "is read by this command" view "$work/good.h5" -o "$work/good.h5"
refuses 2 "is read by this command" view "$work/good.h5" -o "$work/good.h5" --force
ln -s good.h5 "$work/link_to_good.h5"
refuses 2 "is read by this command" view "$work/good.h5" -o "$work/link_to_good.h5" --force
cmp -s "$work/good.h5" "$work/kept.h5" || fail "the recording was changed"

# A file of another kind is not overwritten, but with --force; one of the same kind is.
printf '{"precious": 1}' >"$work/x.json"
cp "$work/x.json" "$work/x.kept"
refuses 1 "is not an HDF5 file" run pendulum xpbd --time 0.1 --record "$work/x.json"
refuses 1 "is not a series" run pendulum xpbd --time 0.1 --series "$work/x.json"
refuses 1 "is not an HDF5 file" solve pendulum --solvers pgs --dump "$work/x.json"
refuses 1 "is not recordings as JSON" view "$work/good.h5" -o "$work/x.json"
cp "$work/x.json" "$work/x.html"
refuses 1 "is not a page" view "$work/good.h5" -o "$work/x.html"
{ cmp -s "$work/x.json" "$work/x.kept" && cmp -s "$work/x.html" "$work/x.kept"; } || fail "a file of another kind was changed"
succeeds run pendulum xpbd --time 0.1 --series "$work/x.json" --force
succeeds run pendulum xpbd --time 0.1 --series "$work/x.json"
succeeds view "$work/good.h5" -o "$work/page.html"
mkfifo "$work/fifo"
refuses 1 "is no regular file" run pendulum xpbd --time 0.1 --series "$work/fifo"
"$rigor" export pendulum >"$work/scene.json"
cp "$work/scene.json" "$work/scene.kept"
refuses 2 "is read by this command" run "$work/scene.json" xpbd --record "$work/scene.json" --force
cmp -s "$work/scene.json" "$work/scene.kept" || fail "the scene was changed"

# A full disk ends it with a message, although the child that reads has much more to give: frames beyond the pipe's and
# the page's buffers, in a file that may not be larger than the page without them.
succeeds run stack pgs --time 20 --record "$work/long.h5"
blocks=$(($(wc -c <"$work/page.html") / 512))
(
    trap '' XFSZ
    ulimit -f $blocks
    timeout 60 "$rigor" view "$work/long.h5" -o "$work/full.html" >/dev/null 2>"$work/err"
    [ $? -eq 1 ]
) || fail "a full disk: $(cat "$work/err")"
grep -q "cannot be written" "$work/err" || fail "a full disk: says '$(cat "$work/err")'"
ls "$work" | grep full.html && fail "a full disk leaves a file"

# An interrupted run leaves no part file.
for signal in INT TERM; do
    rm -f "$work/cut.h5"
    for seconds in 1 4 16 64; do # until it has recorded something, however busy the machine is
        timeout -s $signal $seconds "$rigor" run stack pgs -p boxes=2 --time 50000 --record "$work/cut.h5" \
            --series "$work/cut.csv" >/dev/null 2>&1
        [ -e "$work/cut.h5" ] && break
    done
    [ -e "$work/cut.h5" ] || fail "the run was interrupted before it recorded"
    for wait in $(seq 50); do # the child that records hears of it a moment later
        ls "$work" | grep -q part || break
        sleep 0.2
    done
    ls "$work" | grep part && fail "SIG$signal leaves part files"
done
finish
