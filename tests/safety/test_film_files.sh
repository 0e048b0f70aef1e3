#!/bin/sh
# SPDX-License-Identifier: MIT
# Films of recordings made to do harm, and names of films that a shell or ffmpeg would take for something else.
# usage: test_film_files.sh RIGOR BAD_RECORDING
rigor=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") spoil=$2
. "$(dirname "$0")/../support/sweep_common.sh"

succeeds run pendulum xpbd --time 1 --record "$work/good.h5"
bad() { # KIND
    cp "$work/good.h5" "$work/$1.h5"
    "$spoil" "$1" "$work/$1.h5" "$work/good.h5" || fail "$1.h5 is not made"
}
for kind in fixed-texts variable-texts overflow rank names outside link falling-time no-time; do
    bad $kind
    refuses 3 "$work/$kind.h5: " film "$work/$kind.h5" -o "$work/$kind.png"
    grep -q crashed "$work/err" && fail "$kind: reading it crashes: $(cat "$work/err")"
    [ ! -e "$work/$kind.png" ] || fail "$kind: a film is made"
done
# What is far away or nowhere is not seen, and the rest is drawn.
for kind in far-away nowhere; do
    bad $kind
    succeeds film "$work/$kind.h5" --metric energy_error_max -o "$work/$kind.svg"
    grep -qiw -e nan -e inf "$work/$kind.svg" && fail "$kind: numbers that are none in the picture"
done

# A name is drawn as letters, whatever it holds: no element, no dictionary, no command of a picture's language.
letters=$(printf '\303\251%.0s' $(seq 100)) # two bytes each, and more of them than a label has
for name in '<script>alert(1)</script>&amp;\"><svg onload=x>]]>' '(a) Tj ET endstream endobj <<>> %%EOF' '%s%n%p' 'a\nb\u001b[31mc' \
    '<span size=\"9\">x</span>' "$letters" "x$letters" ''; do
    cp "$work/good.h5" "$work/named.h5"
    "$spoil" text "$work/named.h5" run "{\"solver\": \"$name\"}" || fail "not named: $name"
    for format in svg pdf png; do
        succeeds film "$work/named.h5" --metric energy_error_max --force -o "$work/named.$format"
        grep -q "$(printf '\033')" "$work/out" "$work/err" && fail "film $format of $name: an escape reaches the terminal"
    done
    grep -oi '<[a-z!?][a-z]*' "$work/named.svg" | sort -u |
        grep -vx -e '<?xml' -e '<svg' -e '<defs' -e '<g' -e '<path' -e '<rect' -e '<use' -e '<symbol' -e '<clipPath' -e '<mask' -e '<filter' \
            -e '<feColorMatrix' && fail "the picture of $name has other elements"
    [ "$(grep -ac '%%EOF' "$work/named.pdf")" -eq 1 ] || fail "the end of a PDF stands in it: $name"
    grep -aq -e /JS -e /OpenAction -e /Title "$work/named.pdf" && fail "the PDF of $name does, or tells, something"
done

# Bytes changed at random: a message or a film, and never a crash of rigor itself.
seed=7
for i in $(seq 12); do
    cp "$work/good.h5" "$work/bent.h5"
    for j in 1 2 3 4 5 6; do
        seed=$(((seed * 1103515245 + 12345) % 2147483648))
        printf '\377' | dd of="$work/bent.h5" bs=1 seek=$((seed % 4096)) conv=notrunc 2>/dev/null
    done
    "$rigor" film "$work/bent.h5" -o "$work/bent.png" >/dev/null 2>"$work/err"
    status=$?
    [ $status -eq 0 ] || [ $status -eq 3 ] || fail "bent recording $i: exit status $status: $(cat "$work/err")"
done
ln -s good.h5 "$work/good.png"
refuses 2 "is read by this command" film "$work/good.h5" -o "$work/good.png" --force
refuses 2 "does not end in" film "$work/good.h5" -o "$work/plain"

# A path is a path: no option, no address, no command, whatever it begins with or holds.
command -v ffmpeg >/dev/null || finish
bad endless-time
refuses 2 "more than the 36000 a video may have" film "$work/endless-time.h5" -o "$work/endless.mp4"
mkdir "$work/names" && cd "$work/names" || exit 1
wanted=0
for name in -y.mp4 "a'b.mp4" "c
d.gif" http:e.mp4 'pipe:1.gif' '$(touch touched).gif' '`touch touched`.gif' '%03d.gif' '; touch touched;.gif'; do
    "$rigor" film ../good.h5 --fps 2 --size 64x64 -o "$name" >"$work/out" 2>"$work/err" || fail "$name: $(cat "$work/err")"
    wanted=$((wanted + 1))
    [ -s "./$name" ] || fail "$name: is not made"
done
[ "$(ls -1bA | wc -l)" -eq $wanted ] || fail "other files than the films: $(ls -1bA)"
finish
