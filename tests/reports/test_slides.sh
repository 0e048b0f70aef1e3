#!/bin/sh
# SPDX-License-Identifier: MIT
# Every slide that is cited exists, and so does every line: in figures and viewers ("LECTURE TITLE" or "LECTURE TITLE:
# words", parts between "; "), in the ledger of claims, in SLIDES.md and ERRATA.md, and wherever a document or a source
# says "lecture 002, TITLE", 'lecture 002, slide "TITLE"' or 'slide "TITLE"'. The list of titles is
# reports/claims/slides.txt (lecture, line, title), the number of lines the ledger's. Citations of the lecture texts
# (/* [001] TITLE) are tests/lecture/test_slides.sh's.
# usage: test_slides.sh SOURCE_ROOT
root=$1
list=$root/reports/claims/slides.txt
[ -r "$list" ] || { echo "there is no list of slides"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# Reads lines "place<TAB>lecture<TAB>title, and perhaps more words"; lecture "any": of any. A title ends where a word ends.
cat >"$work/known.awk" <<'AWK'
BEGIN {
    FS = "\t"
    while ((getline line < list) > 0)
        if (line ~ /^00[0-4] /) {
            lecture = substr(line, 1, 3)
            sub(/^00[0-4] +[0-9]+ /, "", line)
            known[lecture, line] = known["any", line] = 1
        }
}
{
    cited++
    found = 0
    for (end = length($3); end > 0 && !found; end--)
        found = (($2, substr($3, 1, end)) in known) && substr($3, end + 1) !~ (exact ? "^[^:]" : "^[A-Za-z0-9]")
    if (!found) {
        print "FAILED: " $1 ": no slide of lecture " $2 " is called: " substr($3, 1, 60)
        failures++
    }
}
END { print cited + 0 " slides cited " where; exit failures > 0 || cited < least }
AWK

# usage: hold WHERE LEAST EXACT <citations
hold() {
    awk -v list="$list" -v where="$1" -v least="$2" -v exact="$3" -f "$work/known.awk" || failures=$((failures + 1))
}

# A text as one line a paragraph: comments' margins, ends of strings and of lines taken away. Then every place where a
# lecture's number is followed by a title (a capital letter or a quotation mark), or a slide is named.
cat >"$work/cited.awk" <<'AWK'
function flush(    at, rest, lecture) {
    gsub(/[ \t]+/, " ", text)
    at = text
    while (match(at, /(^|[^0-9.,_])00[0-4],? (\("|"|from "|slides? "|[A-Z])/)) {
        rest = substr(at, RSTART + RLENGTH - 1)
        lecture = substr(at, RSTART, RLENGTH)
        match(lecture, /00[0-4]/)
        lecture = substr(lecture, RSTART, 3)
        sub(/^"/, "", rest)
        print FILENAME "\t" lecture "\t" rest
        at = rest
    }
    at = text
    while (match(at, /slides? "[A-Z]/)) {
        rest = at = substr(at, RSTART + RLENGTH - 1)
        print FILENAME "\tany\t" rest
    }
    text = ""
}
FNR == 1 { flush() }
{
    line = $0
    sub(/^ *(\*|\/\/|#)? */, "", line)
    sub(/\\n"$|"$/, "", line)
    sub(/^" */, "", line)
    text = text " " line
}
/^ *$|;$|\*\/|^\|/ { flush() }
END { flush() }
AWK

grep -Ho '"slide": "[^"]*"' "$root"/reports/figures/*.json | sed "s|^$root/||; s/:\"slide\": \"/\t/; s/\"\$//" |
    awk -F '\t' '{ n = split($2, slides, "; "); for (i = 1; i <= n; i++) print $1 "\t" substr(slides[i], 1, 3) "\t" substr(slides[i], 5) }' |
    hold "by figures and viewers" 70 1

for lecture in 000 001 002 003 004; do
    grep -o '"slide": "[^"]*"' "$root/reports/claims/$lecture.json" |
        sed "s|^\"slide\": \"|reports/claims/$lecture.json\t$lecture\t|; s/\"\$//"
done | hold "by the ledger of claims" 100 1

awk -F ' [|] ' '/^## 00[0-4] / { lecture = substr($0, 4, 3) }
    /^\| [0-9]/ { print "reports/SLIDES.md\t" lecture "\t" $2 }' "$root/reports/SLIDES.md" | hold "by SLIDES.md" 100 1

cd "$root" || exit 1
find README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md docs model solvers scenes bench reports cli library examples tests \
    \( -name node_modules -o -path reports/out -o -path docs/generated \) -prune -o \
    -type f \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.def' -o -name '*.ts' -o -name '*.mjs' -o -name '*.md' \
    -o -name '*.json' \) ! -path 'reports/claims/*.json' ! -path 'tests/*.json' -print |
    sort >"$work/files"
xargs awk -f "$work/cited.awk" <"$work/files" >"$work/texts"
hold "by documents, captions and sources" 30 0 <"$work/texts"

# "lecture 003, line 521": the lecture has so many lines.
xargs grep -Eo '\b00[0-4], lines? [0-9]+' <"$work/files" | while IFS=: read -r file cited; do
    lecture=$(echo "$cited" | cut -c1-3)
    lines=$(sed -n 's/.*"lines": \([0-9]*\),.*/\1/p' "reports/claims/$lecture.json" | head -1)
    [ "${cited##* }" -le "$lines" ] || echo "FAILED: $file: lecture $lecture has $lines lines: $cited"
done >"$work/lines"
cat "$work/lines"
failures=$((failures + $(wc -l <"$work/lines")))

# What does not exist is found, in every form.
cat >"$work/false.c" <<'EOT'
/* As in lecture 002, slide "Energy Conservation", and in lecture
 * 001, Take 3. Read lecture 002 from "Pendulum" on; the slide "How high
 * can you stack?" has more; so have 000 ("Distance") and 004, Chain Demonstration. */
    .reference = "lecture 001, Naive Takes",
EOT
awk -f "$work/cited.awk" "$work/false.c" >"$work/false"
caught=$(awk -v list="$list" -v where="falsely" -v least=0 -v exact=0 -f "$work/known.awk" "$work/false" | grep -c '^FAILED')
[ "$caught" -eq 8 ] || { echo "FAILED: of 7 false citations, one of them in two forms, $caught were found"; failures=$((failures + 1)); }
[ $failures -eq 0 ]
