#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: test_report.sh RIGOR STORE_DUMP XML_CHECK PAGE_EXPAND PAGE_BUILT
rigor=$1 dump=$2 xml_check=$3 page_expand=$4 built=$5
. "$(dirname "$0")/../support/sweep_common.sh"
command -v gnuplot >/dev/null || { echo "gnuplot is not installed"; exit 77; }
export RIGOR_FIGURES="$work/figures"
mkdir "$RIGOR_FIGURES"
out=$work/report

cat >"$RIGOR_FIGURES/small.json" <<'JSON'
{ "rigor": 1, "name": "small", "title": "A small & <plain> figure", "slide": "002 Sub-steps", "question": "How small?",
  "finding": "The order of pgs\\_dense is {fit(error_end; solver=pgs_dense)}, not 10^{−2}.",
  "holds": ["fit(error_end; solver=pgs_dense) - 0.5"],
  "caption": "The order is {fit(error_end; solver=pgs_dense)}.",
  "grid": [ {"scene": "pendulum", "solver": ["xpbd", "pgs_dense"], "options": {"substeps": {"log2": [0, 5]}}, "time": 0.2} ],
  "panels": [ {"title": "*e* < 1 & \"more\"", "by": "solver", "slopes": [1], "floor": true,
               "x": {"field": "h", "label": "*h*", "unit": "s", "log": true},
               "y": {"field": "error_end", "label": "error", "unit": "m", "log": true}},
              {"by": "solver", "x": {"field": "options.substeps"}, "y": {"field": "0 - row_solves", "label": "below zero"}},
              {"kind": "bars", "by": "solver", "x": {"field": "options.substeps", "label": "*n*"},
               "y": {"field": "row_solves", "label": "row solves"}},
              {"kind": "map", "x": {"field": "h", "log": true}, "y": {"field": "options.substeps", "log": true},
               "z": {"field": "drift_max", "label": "drift", "unit": "m", "log": true}} ] }
JSON
cat >"$RIGOR_FIGURES/curve.json" <<'JSON'
{ "rigor": 1, "name": "curve", "title": "A curve", "finding": "It ends at {last(link1.y)} m.", "caption": "Ends at {last(link1.y)} m.",
  "series": [ {"scene": "pendulum", "solver": "xpbd", "time": 0.3, "columns": ["link1.y"]} ],
  "panels": [ {"x": {"field": "time", "label": "*t*", "unit": "s"}, "y": {"field": "link1.y", "label": "*y*", "unit": "m"},
               "marks": [{"y": "last(link1.y)", "label": "end"}], "truth": "-9.81*x^2*3/8", "truth_label": "at first"} ] }
JSON

succeeds list figures
says small
says "A curve"
succeeds report -o "$out"
says "small: 12 made"
grep -q "^    The order of pgs_dense is [01]\.[0-9]*, not 10^−2\.$" "$work/out" || fail "the finding is not printed: $(cat "$work/out")"
[ -s "$work/err" ] && fail "a report warns: $(cat "$work/err")"
for figure in small curve; do
    for extension in svg pdf png csv; do
        [ -s "$out/$figure.$extension" ] || fail "no $figure.$extension"
    done
    "$xml_check" "$out/$figure.svg" || fail "$figure.svg is not well-formed"
done
page=$out/index.html
whole=$work/whole.html
expand() { # every page of the report, as it is when its parts are expanded
    : >"$whole"
    for one in "$out"/index.html "$out"/lecture-*.html "$out"/part-*.html "$out"/claims.html; do
        if [ -e "$one" ]; then "$page_expand" "$one" >>"$whole" || fail "a part of $one cannot be expanded"; fi
    done
}
expand
grep -q "The order is 1\.0[0-9]\.\|The order is 0\.9[0-9]*\." "$page" || fail "the caption has no order: $(grep -o 'The order is[^<]*' "$page")"
grep -q '<p class="finding">The order of pgs_dense is [01]\.[0-9]*, not 10<sup>−2</sup>\.</p>' "$page" || fail "the page has no finding"
grep -q '<svg role="img" aria-label="The order of pgs_dense is' "$whole" || fail "the drawing's text is not the finding"
[ "$(grep -c '<noscript><svg' "$page")" -eq "$(grep -c '<svg' "$page")" ] || fail "a drawing does not wait until it is seen"
grep -q 'stroke=.var(--c0072b2)' "$whole" && grep -q -- '--c0072b2:#3c9bd6' "$page" || fail "blue has no shade for a dark ground"
# What names XML's namespaces is no address, nor what stands in a notice of a licence.
sed '/^Copyright/d; s|"http://www\.w3\.org/[0-9]*/[a-z]*"||g' "$whole" | grep -qE '(src|href|action)="?(https?:)?//|https?://|@import|url\((.?https?:|//)' && fail "the page has an outside address"
for part in 'lang="en"' 'class="skip"' 'aria-label' 'prefers-color-scheme' '@media print' 'rigor report small' 'OpenBLAS' \
            'A small &amp; &lt;plain&gt; figure' 'Lecture 002'; do
    grep -qF "$part" "$page" || fail "the page has no $part"
done
[ "$(grep -o ' id="[^"]*"' "$whole" | sort | uniq -d | wc -l)" -eq 0 ] || fail "ids stand twice in the page"

# A second time nothing is made, and nothing is drawn.
touch -d '2001-01-01' "$out/small.svg"
"$dump" "$out/store.sqlite" >"$work/before"
succeeds report -o "$out"
says "small: 0 made"
says "2 figures and 0 viewers; 0 runs and commands made"
[ -z "$(find "$out/small.svg" -newermt 2002-01-01)" ] || fail "small.svg was drawn again"
"$dump" "$out/store.sqlite" | cmp -s - "$work/before" || fail "the store changed"

# A panel a slide, for a dark ground; only of figures that are named.
succeeds report small --slide --dark -o "$out"
for panel in 1 2 3 4; do
    [ -s "$out/small-$panel-dark.svg" ] || fail "no slide of panel $panel"
    grep -q 'viewBox="0 0 640 360"' "$out/small-$panel-dark.svg" || fail "slide $panel has another shape"
    grep -q '#16181b' "$out/small-$panel-dark.svg" || fail "slide $panel is not dark"
done
grep -q 'A small &amp; &lt;plain' "$out/small-2-dark.svg" || fail "a panel without a title has not its figure's"
refuses 2 "for figures that are named" report --slide -o "$out"

# A finding that is no longer true: the page and the terminal say so.
cp "$RIGOR_FIGURES/small.json" "$work/small.json"
sed -i 's/pgs_dense) - 0.5/pgs_dense) - 2/' "$RIGOR_FIGURES/small.json"
succeeds report -o "$out"
grep -qF 'small: The finding is not true of these runs: fit(error_end; solver=pgs_dense) - 2 should be positive' "$work/err" ||
    fail "nobody is told that a finding is false: $(cat "$work/err")"
grep -q 'class="failed"[^>]*>The finding is not true of these runs' "$page" || fail "the page does not tell that a finding is false"
cp "$work/small.json" "$RIGOR_FIGURES/small.json"

# A field that no row has is named, with the nearest; nothing is drawn without a word.
slip() { # FROM TO MESSAGE
    sed "s/$1/$2/" "$work/small.json" >"$work/slip.json"
    refuses 3 "$3" report "$work/slip.json" -o "$out"
}
slip '"field": "error_end"' '"field": "eror_end"' "panels[0].y.field: no row of grid has a field 'eror_end': did you mean 'error_end'?"
slip '"field": "options.substeps"' '"field": "options.substep"' "panels[1].x.field: no row of grid has a field 'options.substep': did you mean"
slip '"by": "solver"' '"by": "solvr"' "panels[0].by: no row of grid has a field 'solvr': did you mean 'solver'?"
slip '"by": "solver"' '"where": {"params.lnks": 1}' "panels[0].where: no row of grid has a field 'params.lnks': did you mean 'params.links'?"

# A figure that needs what is not there is left out, and that is told.
sed 's/"rigor": 1,/"rigor": 1, "needs": "NO_SUCH_VARIABLE",/; s/"small"/"needy"/' "$work/small.json" >"$RIGOR_FIGURES/needy.json"
succeeds report -o "$out"
says "2 figures and 0 viewers"
grep -qF "needy is left out: NO_SUCH_VARIABLE is not set" "$work/err" || fail "nobody is told that a figure is left out"
NO_SUCH_VARIABLE=1 succeeds report -o "$out"
says "3 figures and 0 viewers"
rm "$RIGOR_FIGURES/needy.json"

# A figure by its path, and one that fails: the others come out, and the page tells.
succeeds report "$RIGOR_FIGURES/curve.json" -o "$work/elsewhere"
[ -s "$work/elsewhere/curve.svg" ] || fail "no curve.svg elsewhere"
sed 's/"small"/"broken"/; s/pgs_dense/no_such/' "$RIGOR_FIGURES/small.json" >"$RIGOR_FIGURES/broken.json"
refuses 1 "1 of 3 figures failed" report -o "$out"
refuses 1 "grid[0].solver[1]" report -o "$out"
grep -q 'class="failed"[^>]*>This figure could not be made: .*no_such' "$page" || fail "the page does not tell of the failure"
refuses 2 "did you mean 'small'" report smal -o "$out"
refuses 3 "broken.json" report broken -o "$out"

# The contents say in which order figures stand, under which headings, and what can be seen in 3D between them.
rm "$RIGOR_FIGURES/broken.json"
cat >"$RIGOR_FIGURES/contents.json" <<'JSON'
{ "rigor": 1, "sections": [
  { "lecture": "002", "title": "Sub-steps & more", "contents": [
    "small", {"name": "see", "title": "See <it>", "slide": "002 Demo", "see": "It *swings*.",
              "runs": [{"scene": "pendulum", "solver": ["xpbd", "pgs"], "time": 0.2}]} ] } ] }
JSON
succeeds list figures
[ "$(grep -n small "$work/out" | cut -d: -f1)" -lt "$(grep -n curve "$work/out" | cut -d: -f1)" ] || fail "list has its own order"
succeeds report -o "$out"
expand
order=$(cat "$page" "$out"/lecture-002.html "$out"/part-2.html | grep -oE '(<h1>|<h2 id=")[^<"]*' | sed 's/.*[">]//' | grep -v '^solvers-title' | tr '\n' '|')
if [ "$built" = yes ]; then
    [ "$order" = "Rigid-body constraint solvers compared|find-title|Lecture 002: Sub-steps &amp; more|small-title|see-title|More figures|curve-title|" ] || fail "the page's order is $order"
    says "see: 2 recorded"
    says "2 figures and 1 viewers"
    for part in 'class="rigor-viewer" data-recordings="see-data"' '<script type="application/x-rigor-part" id="see-data"' \
                'See &lt;it&gt;' 'It <em>swings</em>' 'rg-viewport'; do
        grep -qF "$part" "$whole" || fail "the page has no $part"
    done
    succeeds report -o "$out"
    says "see: 0 recorded"
    says "viewers; 0 runs and commands made"
else
    [ "$order" = "Rigid-body constraint solvers compared|find-title|Lecture 002: Sub-steps &amp; more|small-title|More figures|curve-title|" ] || fail "the page's order is $order"
    grep -q 'The 3D views are left out: the viewer page was not built' "$page" || fail "the page does not tell that viewers are missing"
fi
for one in "$page" "$out"/lecture-002.html "$out"/part-2.html; do
    [ "$("$page_expand" "$one" | grep -o ' id="[^"]*"' | sed '/ id="rg/d' | sort | uniq -d | wc -l)" -eq 0 ] || fail "ids stand twice in $one"
done
sed -i 's/"pgs"\]/"pgx"]/' "$RIGOR_FIGURES/contents.json"
if [ "$built" = yes ]; then
    refuses 1 "contents.json: sections[0].contents[1].runs[0].solver[1]: " report -o "$out"
    grep -q 'This viewer could not be made: .*pgx' "$out"/lecture-002.html || fail "the page does not tell of the viewer's failure"
fi
sed -i 's/"title": "Sub/"titel": "Sub/' "$RIGOR_FIGURES/contents.json"
refuses 3 "contents.json: sections[0].titel: " report -o "$out"
rm "$RIGOR_FIGURES/contents.json"

# The page opens with a table of what became of every run, and with the findings that matter most.
cat >"$RIGOR_FIGURES/table.json" <<'JSON'
{ "rigor": 1, "name": "table", "title": "A table", "finding": "One holds {max(held; case=tally)} of two.",
  "grid": [ {"scene": ["pendulum", "incline"], "solver": ["xpbd", "pgs", "kkt"], "options": {"xpbd.substeps": 4}, "time": 0.2} ],
  "data": [ {"generator": "verdict"} ],
  "panels": [ {"kind": "map", "from": "data", "where": {"case": "run"}, "x": {"field": "scene"}, "y": {"field": "solver"},
               "z": {"field": "verdict", "labels": {"0": "holds", "1": "drifts", "2": "falls", "3": "cannot"}}} ] }
JSON
cat >"$RIGOR_FIGURES/contents.json" <<'JSON'
{ "rigor": 1, "opening": {"picture": "table", "findings": ["curve"]},
  "sections": [ { "lecture": "002", "title": "Sub-steps", "contents": ["small", "curve"] } ] }
JSON
succeeds report -o "$out"
expand
for part in '<th scope="row">xpbd</th>' 'href="#run-kkt-on-incline" aria-label="kkt on incline: cannot"' 'id="findings"' \
            '<a href="lecture-002.html#curve">A curve</a>' 'rigor run pendulum xpbd -s substeps=4 --time 0.2'; do
    grep -qF -- "$part" "$whole" || fail "the opening has no $part"
done
# The ledger comes first: counted and marked where the page opens, each mark leading to the claim's row, which has its command; what
# stands between back-ticks is code.
claims=$("$rigor" claims | sed -n 's/^\([0-9]*\) claims:.*/\1/p')
grep -q "<p>$claims claims of the five lectures: .*<a href=\"claims.html\">" "$out/index.html" || fail "the page does not open with the claims"
[ "$claims" -gt 100 ] && page=$out/claims.html
[ "$(grep -c '^<tr id="line-00[^"]*"><td class="place">00' "$page")" -eq "$claims" ] || fail "the page has not all claims"
grep -o 'href="claims.html#[^"]*"' "$out/index.html" | sed 's/.*#//; s/"$//' >"$work/marks"
[ "$(sort -u "$work/marks" | wc -l)" -eq "$claims" ] || fail "the page does not open with a mark a claim"
while read -r mark; do
    grep -q "<tr id=\"$mark\">" "$page" || fail "a mark leads to no row: $mark"
done <"$work/marks"
[ "$(grep -c '<summary>command</summary><code>rigor ' "$page")" -eq "$claims" ] || fail "a claim has no command"
grep -q 'raises the energy of <code>warm_start_kick</code> by 0.163 of' "$page" || fail "back-ticks are no code in a verdict"
sed -i 's/\["curve"\]/["curves"]/' "$RIGOR_FIGURES/contents.json"
refuses 3 "contents.json: opening.findings[0]: no section has 'curves'" report -o "$out"
rm "$RIGOR_FIGURES/contents.json" "$RIGOR_FIGURES/table.json"

# A plain experiment becomes a figure, too.
cat >"$work/plain.json" <<'JSON'
{ "rigor": 1, "name": "plain", "metrics": ["drift_max", "error_end"],
  "grid": [ {"scene": "pendulum", "solver": ["xpbd"], "options": {"substeps": {"log2": [0, 2]}}, "time": 0.1} ] }
JSON
succeeds report "$work/plain.json" -o "$work/elsewhere"
"$xml_check" "$work/elsewhere/plain.svg" || fail "plain.svg is not well-formed"
grep -q '<noscript><svg role="img"' "$work/elsewhere/plain.html" || fail "a figure that is named has no page"
grep -qE '(src|href|action)="?(https?:)?//|https?://' "$work/elsewhere/plain.html" && fail "its page has an outside address"

# A store that a sweep has filled: nothing is made again, and the store keeps what it lacked.
succeeds sweep "$work/plain.json" --db "$work/swept.sqlite"
succeeds report "$work/plain.json" --db "$work/swept.sqlite" -o "$work/stored"
says "plain: 0 made"
[ -e "$work/stored/store.sqlite" ] && fail "a second store is made beside that of --db"

# What cannot be drawn is said before anything is run.
sed 's/"plain"/"many"/; s/"time": 0.1/"params": {"links": {"linear": [1, 20, 20]}, "length": {"linear": [0.1, 2, 20]}}, "time": 1e6/' "$work/plain.json" >"$work/many.json"
refuses 3 "many.json: panels[0]: 400 curves, and a panel shows at most 256" report "$work/many.json" -o "$work/elsewhere"

# A series with an error has a truth to be held against, whatever metrics its figure keeps of the grid's runs.
cat >"$work/errors.json" <<'JSON'
{ "rigor": 1, "name": "errors", "title": "Errors", "finding": "It ends {last(error_end)} m off.", "metrics": ["drift_max"],
  "series": [ {"scene": "pendulum", "solver": "xpbd", "time": 0.1, "columns": ["error_end"]} ],
  "panels": [ {"x": {"field": "time", "unit": "s"}, "y": {"field": "error_end", "unit": "m"}} ] }
JSON
succeeds report "$work/errors.json" -o "$work/errors"

# Of an engine that is not there the cells say so, nothing is found of it, and it is run once it is there; what a figure
# needs besides is left out without it.
mkdir "$work/bridges"
cat >"$work/engine.json" <<'JSON'
{ "rigor": 1, "name": "engine", "title": "An engine", "finding": "It drifts by {max(drift_max; kind=engine)} m.",
  "stated_if": ["count(drift_max; kind=engine)"], "caption": "{count(dt; kind=missing, status!=ok)} missing.", "metrics": ["drift_max"],
  "grid": [ {"scene": "pendulum", "solver": ["ode_quick", "pgs"], "time": 0.1, "set": {"measure": "drift_max", "scale": 1}},
            {"needs": "NOBODY_SETS_THIS", "scene": "chain", "solver": ["pgs"], "time": 0.1} ],
  "data": [ {"generator": "standing"} ],
  "panels": [ {"kind": "map", "from": "data", "x": {"field": "scene"}, "y": {"field": "solver"},
               "z": {"field": "standing", "labels": {"0": "near", "1": "far", "4": "not installed"}}} ] }
JSON
RIGOR_ENGINES="$work/bridges" succeeds report "$work/engine.json" -o "$work/engine"
says "engine: 2 made"
says "No finding: the engines that it speaks of are not installed"
grep -q "^.*,chain," "$work/engine/engine.csv" && fail "an entry is made without what it needs"
grep -q "not_installed" "$work/engine/engine.csv" || fail "an engine that is not there is not said to be: $(cat "$work/engine/engine.csv")"
grep -q "not installed" "$work/engine/engine.svg" || fail "the drawing does not say who is not installed"
RIGOR_ENGINES="$work/bridges" succeeds compare pendulum --solvers pgs,ode_quick --time 0.1
says "not installed"
# A bridge comes: the same figure makes its run.
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(dirname "$0")/../../examples/engine_bridge.py" >"$work/bridges/ode_bridge"
chmod +x "$work/bridges/ode_bridge"
RIGOR_ENGINES="$work/bridges" RIGOR_CACHE= succeeds report "$work/engine.json" -o "$work/engine"
says "engine: 1 made"
finish
