#!/bin/sh
# SPDX-License-Identifier: MIT
# rigor film: every format is what its ending says, the same each time, and mistakes are answered.
# usage: test_film.sh RIGOR XML_CHECK
rigor=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") xml_check=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export RIGOR_CACHE=
. "$(dirname "$0")/../support/cli.sh"
for solver in pgs xpbd; do
    "$rigor" run stack $solver -p boxes=3 --time 0.5 --record "$work/$solver.h5" >/dev/null || fail "recording"
done
"$rigor" run pendulum xpbd -p kind=particle --time 0.5 --record "$work/rods.h5" >/dev/null || fail "recording"

starts() { # FILE BYTES
    [ "$(head -c ${#2} "$1" | tr -d '\0')" = "$2" ] || fail "$1 does not begin with $2"
}
"$rigor" film "$work/pgs.h5" "$work/xpbd.h5" --metric penetration_max -o "$work/a.pdf" || fail "pdf"
starts "$work/a.pdf" "%PDF"
sleep 1
"$rigor" film "$work/pgs.h5" "$work/xpbd.h5" --metric penetration_max -o "$work/b.pdf" || fail "pdf again"
cmp -s "$work/a.pdf" "$work/b.pdf" || fail "the same strip is another file a second later"
"$rigor" film "$work/rods.h5" --view front --at 0,0.2,0.4 -o "$work/a.svg" || fail "svg"
"$xml_check" "$work/a.svg" || fail "the SVG is no XML"
"$rigor" film "$work/pgs.h5" "$work/xpbd.h5" --overlay --view 20,10 -o "$work/a.png" || fail "png"
[ "$(head -c 4 "$work/a.png" | tail -c 3)" = PNG ] || fail "a.png is no PNG"
# More poses are a wider picture: bytes 16 to 19 of a PNG are its width.
width() { od -An -tu1 -j16 -N4 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'; }
"$rigor" film "$work/pgs.h5" --at 0,0.1,0.2,0.3,0.4,0.5,0.5,0.5 -o "$work/wide.png" || fail "png"
[ "$(width "$work/wide.png")" -gt "$(width "$work/a.png")" ] || fail "eight poses are not wider than six"
# A body that an event removes is drawn until then, and so is its joint: dark lines are joints.
cat >"$work/drop.json" <<'END'
{ "rigor": 1, "name": "drop", "bodies": [ {"name": "bob", "position": [0.3, -0.7, 0], "mass": 1.3} ],
  "joints": [ {"type": "distance", "bodies": ["world", "bob"], "anchors": [[0, 0, 0], [0, 0, 0]]} ],
  "events": [ {"time": 0.2, "remove": "bob"} ] }
END
"$rigor" run "$work/drop.json" pgs --time 0.4 --record "$work/drop.h5" >/dev/null || fail "recording"
lines() { # FILE TIME
    "$rigor" film "$work/$1.h5" --at "$2" -o "$work/$1.svg" --force || fail "film of $1"
    grep -Ec 'stroke(:|=")rgb\(20%, ?20%, ?20%\)' "$work/$1.svg"
}
[ "$(lines drop 0.1)" = 1 ] || fail "the rod is not drawn before its bob is removed"
[ "$(lines drop 0.3)" = 0 ] || fail "the rod is drawn after its bob was removed"
# A box around other bodies is drawn by its edges; one around nothing is filled.
box() { # NAME X
    cat >"$work/$1.json" <<END
{ "rigor": 1, "name": "$1", "gravity": [0, 0, 0], "collide": "none", "bodies": [
  {"name": "box", "shape": {"box": {"size": [3.1, 1.7, 2.3]}}, "density": 1.1},
  {"name": "a", "position": [$2, 0.1, 0], "mass": 1.3}, {"name": "b", "position": [$2, -0.2, 0], "mass": 0.7} ] }
END
    "$rigor" run "$work/$1.json" pgs --time 0.1 --record "$work/$1.h5" >/dev/null || fail "recording"
    "$rigor" film "$work/$1.h5" --at 0 -o "$work/$1.svg" || fail "film of $1"
    grep -Ec 'fill(:|=")rgb' "$work/$1.svg"
}
[ "$(box around 0.4)" -lt "$(box beside 4.4)" ] || fail "a box hides the bodies in it"

refuses 2 "-o is missing" film "$work/pgs.h5"
refuses 2 "does not end in" film "$work/pgs.h5" -o "$work/a.avi"
refuses 2 "--view: 'behind'" film "$work/pgs.h5" --view behind -o "$work/c.png"
refuses 2 "--at: 'soon'" film "$work/pgs.h5" --at soon -o "$work/c.png"
refuses 2 "--size: '10'" film "$work/pgs.h5" --size 10 -o "$work/c.mp4"
refuses 2 "did you mean 'penetration_max'" film "$work/pgs.h5" --metric penetration_mx -o "$work/c.png"
refuses 3 "drift_max: was not recorded; --metric can be energy_gain_max," film "$work/pgs.h5" --metric drift_max -o "$work/c.png"
refuses 3 "none.h5" film "$work/none.h5" -o "$work/c.png"
[ ! -e "$work/c.png" ] || fail "a film that failed left a file"
cp "$work/pgs.h5" "$work/precious.png"
refuses 1 "name another file, or give --force" film "$work/pgs.h5" -o "$work/precious.png"

# Without ffmpeg a video is refused by name; the tools that the shell needs are still there.
mkdir "$work/bin" && ln -s "$(command -v sh)" "$work/bin/sh"
PATH=$work/bin "$rigor" film "$work/pgs.h5" -o "$work/a.mp4" 2>"$work/err"
[ $? = 1 ] && grep -q "needs ffmpeg" "$work/err" || fail "without ffmpeg: $(cat "$work/err")"
if command -v ffmpeg >/dev/null; then
    "$rigor" film "$work/pgs.h5" "$work/xpbd.h5" --metric penetration_max --fps 10 --size 320x240 -o "$work/a.mp4" || fail mp4
    [ "$(tail -c +5 "$work/a.mp4" | head -c 4)" = ftyp ] || fail "a.mp4 is no MP4"
    "$rigor" film "$work/xpbd.h5" --fps 10 --size 160x120 -o "$work/a.gif" || fail gif
    starts "$work/a.gif" GIF89a
fi
verdict
