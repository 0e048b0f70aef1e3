#!/bin/sh
# SPDX-License-Identifier: MIT
# Tables for papers: CSV, Markdown, LaTeX of the same numbers; columns and digits chosen; runs of a store in groups.
# usage: test_tables.sh RIGOR
rigor=$(realpath "$1")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export RIGOR_CACHE="$work/cache"
fail() {
    echo "FAILED: $*"
    cat said words 2>/dev/null
    exit 1
}
try() { "$rigor" "$@" >said 2>words; }
refuses() { # TEXT COMMAND...
    text=$1
    shift
    try "$@"
    [ $? = 2 ] && grep -qF -- "$text" words && [ ! -s said ] || fail "'$text' is not said of: $*"
}

# One table in four forms: the same numbers, nothing else on standard output.
set -- compare stack --solvers pgs,tgs_soft,kkt --time 0.5 --metrics penetration_max,row_solves
try "$@" --csv || fail "csv"
head -n 1 said | grep -qx 'solver,penetration_max,row_solves' || fail "columns of CSV"
[ "$(wc -l <said)" = 4 ] && grep -qx 'kkt,,' said || fail "rows of CSV"
cp said all.csv
"$rigor" run stack pgs --time 0.5 --json | tr ',' '\n' | sed -n 's/.*"penetration_max": \([0-9.e-]*\).*/\1/p' >number
awk -F, -v n="$(cat number)" '$1 == "pgs" { exit !($2 == n) }' all.csv || fail "not the number of a run: $(cat number)"
try "$@" --md || fail "markdown"
[ "$(head -n 1 said)" = '| solver | penetration\_max (m) | row\_solves (1) |' ] || fail "head of Markdown"
[ "$(grep -c '^|' said)" = 5 ] && [ "$(wc -l <said)" = 5 ] && [ "$(grep -o '\*\*' said | wc -l)" = 4 ] || fail "Markdown"
try "$@" --latex || fail "latex"
grep -qF '\begin{tabular}{lSS}' said && grep -qF '{solver} & {penetration\_max} & {row\_solves} \\' said || fail "LaTeX"
[ "$(grep -c bfseries said)" -ge 1 ] && grep -qF 'kkt & {--} & {--} \\' said || fail "best of LaTeX"
[ "$(grep -cE '\\(toprule|midrule|bottomrule)' said)" = 3 ] && grep -q 'kkt' words || fail "rules of LaTeX"
try "$@" --csv --digits 2 || fail "digits"
awk -F, 'NR == 2 { exit !(length($2) <= 7) }' said || fail "two digits"
try compare stack --solvers pgs --time 0.5 --repeats 3 --latex --metrics time || fail "measured"
grep -qE '^pgs & [0-9.]+\([0-9]+\)(e-?[0-9]+)? ' said || grep -qE '^pgs & [0-9.e-]+ \\\\' said || fail "no uncertainty"
try compare stack --solvers pgs --time 0.5 --repeats 3 --csv --metrics time || fail "measured"
grep -qE '^solver,time(,time_spread)?$' said || fail "no spread in CSV"
try converge pendulum --solvers pgs,xpbd --over substeps=1,2,4 --time 0.2 --csv --metrics error_end || fail "converge"
[ "$(head -n 1 said)" = solver,substeps,error_end ] && [ "$(wc -l <said)" = 7 ] && grep -q 'order' words || fail "converge"
try solve pendulum -p links=2 --at 0.1 --solvers pgs --csv || fail "solve"
head -n 1 said | grep -qx iteration,pgs || fail "solve"
refuses "did you mean 'penetration_max'" compare stack --solvers pgs --metrics penetration_mx
refuses "one of --csv, --md, --latex and --json" compare stack --solvers pgs --csv --md
refuses "--json has everything" compare stack --solvers pgs --json --digits 3
refuses "no more than 17" compare stack --solvers pgs --digits 18
refuses "no column 'drift_mx'" converge pendulum --solvers pgs --over substeps=1,2 --metrics drift_mx

# Groups: medians, counts and intervals of what the raw rows say.
cat >e.json <<'END'
{"rigor": 1, "name": "small", "metrics": ["drift_max", "settled"],
 "grid": [{"scene": "pendulum", "params": {"links": [1, 2], "angle": [0.3, 0.6, 0.9, 1.1, 1.3]}, "solver": ["xpbd", "pgs"],
           "time": 0.3}]}
END
try sweep e.json --db r.sqlite || fail "sweep"
try results r.sqlite --csv --metrics drift_max || fail "raw"
cp said raw.csv
try results r.sqlite --group links,solver --agg count,median,min,max,mean,ci95 --metrics drift_max --csv || fail "group"
cp said group.csv
[ "$(head -n 1 said)" = "links,solver,drift_max count,drift_max median,drift_max min,drift_max max,drift_max mean,drift_max ci95 low,drift_max ci95 high" ] ||
    fail "columns of groups"
[ "$(wc -l <said)" = 5 ] && grep -q 'ci95: of 2000 resamples.*seed 1' words || fail "groups"
awk -F, 'NR == FNR { if (FNR == 1) { for (i = 1; i <= NF; i++) at[$i] = i; next }
                     k = $at["links"] "," $at["solver"]; x[k, ++n[k]] = $at["drift_max"] + 0; next }
         FNR > 1 { k = $1 "," $2
                   for (i = 1; i <= n[k]; i++) for (j = i + 1; j <= n[k]; j++)
                       if (x[k, j] < x[k, i]) { t = x[k, i]; x[k, i] = x[k, j]; x[k, j] = t }
                   sum = 0; for (i = 1; i <= n[k]; i++) sum += x[k, i]
                   if ($3 != 5 || $4 != x[k, 3] || $5 != x[k, 1] || $6 != x[k, 5] || ($7 - sum / 5) ^ 2 > 1e-30) exit 1
                   if ($8 < $5 || $8 > $7 || $9 > $6 || $9 < $7) exit 1; rows++ }
         END { exit rows != 4 }' raw.csv group.csv || fail "groups are not those of the rows"
try results r.sqlite --group links,solver --agg count,median,min,max,mean,ci95 --metrics drift_max --csv
cmp -s said group.csv || fail "the same seed gives another interval"
try results r.sqlite --group links,solver --agg count,median,min,max,mean,ci95 --metrics drift_max --csv --seed 2
cmp -s said group.csv && fail "another seed gives the same interval"
try results r.sqlite --group links,solver --pivot solver --metrics drift_max --csv || fail "pivot"
[ "$(head -n 1 said)" = links,pgs,xpbd ] && [ "$(wc -l <said)" = 3 ] || fail "pivot"
awk -F, 'NR == FNR { m[$1 "," $2] = $4; next } FNR > 1 && ($2 != m[$1 ",pgs"] || $3 != m[$1 ",xpbd"]) { exit 1 }' group.csv said ||
    fail "a pivot's numbers are others"
try results r.sqlite --group solver --latex || fail "all metrics"
grep -qF 'drift\_max median' said || fail "all metrics"
refuses "these runs have no 'lnks': did you mean 'links'" results r.sqlite --group lnks
refuses "is none of count, mean" results r.sqlite --group links --agg middle
refuses "is not among the columns of --group" results r.sqlite --group links --pivot solver
refuses "--group says by which columns" results r.sqlite --agg mean
refuses "does not go with --diff" results r.sqlite r.sqlite --diff --group links
try profile r.sqlite --metric drift_max --md --metrics solved || fail "profile"
[ "$(head -n 1 said)" = '| solver | solved |' ] || fail "profile"

# What to cite: every entry once, with versions and hashes.
try run pendulum xpbd --time 0.1 --record p.h5 || fail "record"
try cite p.h5 r.sqlite e.json tgs_soft pgs:iterations=3 || fail "cite"
for entry in '@software{rigor,' '@software{rigor-xpbd,' '@inproceedings{macklin2016,' '@software{rigor-pgs,' '@misc{catto2005,' \
    '@software{rigor-tgs_soft,' '@software{rigor-pgs-iterations-3,'; do
    [ "$(grep -cF "$entry" said)" = 1 ] || fail "cite: $entry"
done
[ "$(grep -c '^@' said)" = "$(grep -c '^}' said)" ] && [ "$(tr -cd '{' <said | wc -c)" = "$(tr -cd '}' <said | wc -c)" ] ||
    fail "cite: braces"
for file in p.h5 e.json; do grep -qF "SHA-256 $(sha256sum $file | cut -c1-64)}" said || fail "cite: hash of $file"; done
grep -qF 'r.sqlite: 20 runs of rigor' said || fail "cite: the store"
cp said first
try cite p.h5 r.sqlite e.json tgs_soft pgs:iterations=3 && cmp -s said first || fail "cite says something else the second time"
refuses "unknown solver 'nobody'" cite nobody
echo "all passed"
