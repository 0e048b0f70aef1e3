#!/bin/sh
# SPDX-License-Identifier: MIT
# Whatever a figure, a scene or a folder is called, nothing of it is run.
# usage: test_figure_texts.sh RIGOR STORE_DUMP PLUGIN
rigor=$(realpath "$1") dump=$2 plugin=$(realpath "$3")
. "$(dirname "$0")/../support/sweep_common.sh"
command -v gnuplot >/dev/null || { echo "gnuplot is not installed"; exit 77; }
export RIGOR_FIGURES="$work/figures"
mkdir "$RIGOR_FIGURES"
cd "$work" || exit 1
# A command in a text would make one of these.
untouched() {
    [ ! -e "$work/touched" ] || fail "$1 runs a command"
    rm -f "$work/touched"
}
run='`touch '$work/touched'`'

# The name of a scene, in a plain experiment
"$rigor" export pendulum | sed "s|\"name\": \"pendulum\"|\"name\": \"a$run'; system 'touch $work/touched' #\"|" >scene.json
grep -q 'system' scene.json || fail "the scene has no bad name"
cat >experiment.json <<JSON
{ "rigor": 1, "name": "bad", "grid": [ {"scene": ["scene.json", "pendulum"], "solver": "xpbd", "options": {"substeps": [1, 2]}, "time": 0.1} ] }
JSON
succeeds report experiment.json -o "$work/report"
untouched "a scene's name"

# Titles, labels, units, legends, marks; and the folder
cat >figures/bad.json <<JSON
{ "rigor": 1, "name": "bad", "title": "t $run", "finding": "{count(dt)} f $run 'x'.", "caption": "c $run",
  "grid": [ {"scene": ["../scene.json", "pendulum"], "solver": ["xpbd", "pgs"], "options": {"substeps": [1, 2, 4]}, "time": 0.1} ],
  "panels": [ {"title": "p $run ' . system('touch $work/touched') . '", "by": "scene", "label": {"x": "$run"},
               "x": {"field": "h", "label": "x $run \\\\", "unit": "'; system 'touch $work/touched'"},
               "y": {"field": "drift_max", "label": "y $run \" . system(\"touch $work/touched\") . \""},
               "marks": [{"y": 0.1, "label": "m $run '' ' %s @macro \\\\' "}], "truth": "x", "truth_label": "$run"},
              {"kind": "bars", "by": "solver", "x": {"field": "scene", "labels": {"pendulum": "%n %s 100%% $run"}}, "y": {"field": "row_solves"}},
              {"kind": "map", "x": {"field": "h"}, "y": {"field": "options.substeps"},
               "z": {"field": "options.substeps", "labels": {"1": "$run", "2": "' '' two", "4": "{/=99 big"}}} ] }
JSON
succeeds report figures/bad.json -o "$work/made $run' ; x"
untouched "a text of a figure, or the folder"
[ -s "$work/made $run' ; x/bad.svg" ] || fail "the figure is not drawn"
grep -q 'touch' "$work/made $run' ; x/bad.svg" || fail "the texts are not in the drawing"
grep -c '"' "$work/made $run' ; x/cache/bad.gp" | grep -qx 0 || grep '"' "$work/made $run' ; x/cache/bad.gp" | grep -q "^[^']*\"" &&
    fail "a script has a double-quoted string"

bad() { # MESSAGE SED: the figure with this change is refused
    sed "$2" figures/bad.json >figures/changed.json
    cmp -s figures/changed.json figures/bad.json && fail "'$2' changes nothing"
    refuses 3 "$1" check figures/changed.json
    refuses 3 "$1" report figures/changed.json -o "$work/report"
}
bad "has a control character" 's|"x $run|"x \\nsystem '"'touch touched'"'\\n |; s|"label": "x |"label": "x\\n |'
bad "has a control character" 's|"title": "p |"title": "p\\u001b[2J|'
bad "the category of a map must be a number" 's|"1": "|"1))+system(1)+((1": "|'
for name in ../bad a/b /bad -o "$(printf %0101d 1)" "b.d" "ä"; do
    bad "files are named after it" "s|\"name\": \"bad\"|\"name\": \"$name\"|"
done

# So are viewers: nothing is written beside the folder.
viewer() { # NAME
    echo '{"rigor": 1, "sections": [{"lecture": "1", "title": "s", "contents": ["bad",
        {"name": "'"$1"'", "title": "v", "see": "s", "runs": [{"scene": "pendulum", "solver": "xpbd", "time": 0.1}]}]}]}' >figures/contents.json
}
mkdir deep
for name in ../out a/b "$work/out" -o "$(printf %0101d 1)" "b.d"; do
    viewer "$name"
    refuses 3 "contents[1].name: files are named after it" check figures/contents.json
    refuses 3 "contents[1].name: files are named after it" report -o "$work/deep/er"
done
[ "$(ls deep/er)" = "$(printf 'cache\nstore.sqlite')" ] || fail "a viewer's name leaves $(ls -R deep)"
viewer bad
refuses 3 "'bad' stands twice" check figures/contents.json
rm figures/contents.json

# Two figures of one name, also where a file system takes them for one: the second does not replace the first one's files.
sed 's|"name": "bad"|"name": "BAD"|' figures/bad.json >same.json
succeeds report figures/bad.json figures/bad.json -o "$work/both"
cksum <both/bad.csv >both.sum
refuses 1 "is called 'BAD' as one before it" report figures/bad.json same.json -o "$work/both"
[ ! -e both/BAD.svg ] && cksum <both/bad.csv | cmp -s - both.sum || fail "a second figure replaces the files of the first"

# Files that are somebody else's stay, but with --force.
mkdir mine
for file in bad.csv bad.svg index.html; do echo "mine" >mine/$file; done
refuses 1 "bad.csv: is there and is not the data of a figure" report figures/bad.json -o mine
rm mine/bad.csv
refuses 1 "bad.svg: is there and is not a picture" report figures/bad.json -o mine
refuses 1 "index.html: is there and is not a page of rigor" report -o mine
[ "$(cat mine/bad.svg mine/index.html)" = "$(printf 'mine\nmine')" ] || fail "a report overwrites what is not its own"
succeeds report figures/bad.json -o mine --force
succeeds report figures/bad.json -o mine

# A field's name is one column of the data, whatever it holds.
sed 's|"time": 0.1}|"time": 0.1, "set": {"a,b\\"c": 1}}|' figures/bad.json >figures/set.json
grep -q "a,b" figures/set.json || fail "no field is set"
succeeds report figures/set.json -o "$work/set"
head -n 1 set/bad.csv | grep -qF '"a,b""c"' || fail "the name of a field is no cell: $(head -n 1 set/bad.csv)"

# Commands in a figure's file read; they write nothing and load nothing, and a check runs nothing.
command_figure() {
    cat >figures/command.json <<JSON
{ "rigor": 1, "name": "command", "title": "t", "finding": "{count(error_end)} rows.", "data": [ {"command": "$1", "rows": "metrics"} ],
  "panels": [ {"x": {"field": "error_end"}, "y": {"field": "error_end"}} ] }
JSON
}
for option in "--engine ./touch_something" "--record $work/made.h5" "--series $work/made.csv" "--plugin $plugin" "--plu=$plugin"; do
    command_figure "run pendulum xpbd --time 0.1 $option"
    refuses 3 "writes no files and loads no plug-ins" check figures/command.json
    refuses 3 "writes no files and loads no plug-ins" report figures/command.json -o "$work/report"
done
command_figure "solve pendulum --solvers pgs --dump $work/made.h5"
refuses 3 "writes no files" check figures/command.json
for command in "sweep experiment.json" "report bad -o $work/made" "view x.h5 -o $work/made.html"; do
    command_figure "$command"
    refuses 3 "a figure's file cannot run 'rigor ${command%% *}'" check figures/command.json
    refuses 3 "a figure's file cannot run 'rigor ${command%% *}'" report figures/command.json -o "$work/report"
done
ls "$work" | grep -q "made\." && fail "a command in a figure wrote a file"
command_figure "run projectile flight --time 0.1"
refuses 3 "the command failed" report figures/command.json -o "$work/report"
succeeds report figures/command.json -o "$work/report" --plugin "$plugin"

# Names and unknown keys cannot write to the terminal.
printf '{ "rigor": 1, "a\\u001b[31mred": 1 }' >escape.json
refuses 3 'a\x1b[31mred: unknown key' check escape.json
printf '{ "rigor": 1, "name": "a\\u001b[31mred", "bodies": [] }' >escape.json
refuses 3 "name: has a control character" check escape.json
refuses 3 "name: has a control character" run escape.json xpbd
refuses 2 'unknown command' "$(printf 'ru\033[31mn')"
grep -q "$(printf '\033')" "$work/err" && fail "an escape reaches the terminal"
for text in caption slide question; do # texts have a bound, and so have curves
    printf '{"rigor": 1, "name": "long", "title": "t", "%s": "%05000d", "finding": "{count(dt)} f.", "grid": [{"scene": "pendulum", "solver": "xpbd", "time": 0.1}],
        "panels": [{"x": {"field": "h"}, "y": {"field": "dt"}}]}' $text 1 >long.json
    refuses 3 "$text: a text has at most 4096 bytes" check long.json
done
awk 'BEGIN { printf "{\"rigor\": 1, \"name\": \"many\", \"title\": \"t\", \"finding\": \"{count(dt)} f.\", "
    printf "\"grid\": [{\"scene\": \"pendulum\", \"solver\": \"xpbd\", \"params\": {\"angle\": {\"linear\": [0, 1, 300]}}, \"time\": 0.02}], "
    printf "\"panels\": [{\"by\": \"params.angle\", \"x\": {\"field\": \"h\"}, \"y\": {\"field\": \"dt\"}}]}" }' >many.json
refuses 3 "many.json: panels[0]: 300 curves, and a panel shows at most 256" report many.json -o "$work/many"
sed 's|"by": "params.angle"|"curves": [{"label": "c0"}'"$(printf ', {"label": "c%d"}' $(seq 300))"']|' many.json >named.json
refuses 3 "curves: at most 256 curves" check named.json
printf '{ "rigor": 1, "name": "%0300d", "bodies": [] }' 1 >long.json
refuses 3 "name: a name has at most 256 characters" check long.json
finish
