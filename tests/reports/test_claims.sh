#!/bin/sh
# SPDX-License-Identifier: MIT
# The ledger of claims: its form, what it refuses, that it covers the lectures line by line, and that SLIDES.md is made of
# it. Whether its numbers still stand: test_claims_check.sh.
# usage: test_claims.sh RIGOR SOURCE_ROOT TESTS (meson-info/intro-tests.json)
rigor=$1 root=$2 tests=$3 failures=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# Every line once, by the program itself (it refuses a gap), and the words that every claim must have.
"$rigor" claims --json >"$work/claims.json" || fail "rigor claims --json"
"$rigor" list scenes --json >"$work/scenes.json" || fail "rigor list scenes --json"
python3 - "$work/claims.json" "$root" "$work/scenes.json" "$tests" <<'PY' || fail "what --json says"
import json, os, sys
claims, root = json.load(open(sys.argv[1])), sys.argv[2]
scenes, tests = ({entry["name"] for entry in json.load(open(path))} for path in sys.argv[3:5])
# Built without the page, or under sanitizers, its tests or those of the lectures' texts are not there.
left_out = tuple(kind for kind in ("page_", "lecture_texts") if not any(test.startswith(kind) for test in tests))
lectures = {c["lecture"] for c in claims}
assert lectures == {"000", "001", "002", "003", "004"}, lectures
figures = {f[:-5] for f in os.listdir(root + "/reports/figures") if f.endswith(".json")}
for lecture in lectures:
    lines = [c["lines"] for c in claims if c["lecture"] == lecture]
    assert lines[0][0] == 1 and all(a[1] + 1 == b[0] for a, b in zip(lines, lines[1:])), lecture
for c in claims:
    if c["finding"] == "no claim":
        continue
    place = f'{c["lecture"]}:{c["lines"][0]}'
    assert c["finding"] in ("confirmed", "refuted", "bounded"), place
    assert c["command"] and c["number"] is not None and c["verdict"] and "{" not in c["verdict"], place
    assert not c["figure"] or c["figure"] in figures, (place, c["figure"])
    assert c["scene"] in scenes or os.path.exists(root + "/" + c["scene"]), (place, c["scene"])
    assert c["test"] in tests or c["test"].startswith(left_out), (place, c["test"])
    assert not c["code"] or os.path.exists(root + "/" + c["code"]), (place, c["code"])
    assert all(n["number"] is not None for n in c["numbers"].values()), place

# Slides are in the list of titles, and begin no later than what is said on them.
titles = {}
for line in open(root + "/reports/claims/slides.txt", encoding="utf-8"):
    word = line.split(None, 2)
    if len(word) == 3 and word[0] in lectures:
        titles.setdefault((word[0], word[2].strip()), []).append(int(word[1]))
for c in claims:
    if c["finding"] != "no claim":
        place = f'{c["lecture"]}:{c["lines"][0]}'
        assert any(at <= c["lines"][1] for at in titles.get((c["lecture"], c["slide"]), [])), (place, c["slide"])

# Who gives a number from one of our files finds it there.
for lecture in lectures:
    for entry in json.load(open(f"{root}/reports/claims/{lecture}.json", encoding="utf-8"))["entries"]:
        for number, source in entry.get("given", {}).items():
            if source.startswith("tests/"):
                text = open(root + "/" + source, encoding="utf-8").read()
                assert all(word in text for word in number.split() if word[0].isdigit()), (lecture, entry["lines"], number)
PY

# The lectures themselves, where they are at hand: in $RIGOR_LECTURES, or beside the tree.
seeds=${RIGOR_LECTURES:-$root/../shared/seeds}
if [ -d "$seeds" ]; then
    for lecture in 000 001 002 003 004; do
        file=$(echo "$seeds/$lecture"_*)
        [ "$(awk 'END { print NR }' "$file")" = "$(sed -n 's/.*"lines": \([0-9]*\), "sha256".*/\1/p' "$root/reports/claims/$lecture.json")" ] ||
            fail "$lecture: the ledger's line count is not the lecture's"
        grep -q "\"$(sha256sum <"$file" | cut -c1-64)\"" "$root/reports/claims/$lecture.json" ||
            fail "$lecture: the ledger is about another text"
        awk -v lecture="$lecture" -v list="$root/reports/claims/slides.txt" '
            BEGIN {
                while ((getline slide < list) > 0)
                    if (split(slide, word, " ") > 2 && word[1] == lecture) {
                        sub(/^00[0-4] +[0-9]+ /, "", slide)
                        title[word[2]] = slide
                    }
            }
            FNR in title && index($0, title[FNR]) == 0 { print lecture ":" FNR ": no " title[FNR]; bad = 1 }
            END { exit bad }' "$file" || fail "$lecture: slides.txt has a title that is not at its line"
    done
else
    echo "the lectures are not at hand: the ledger is not compared with their texts"
fi

"$rigor" claims --md | cmp -s - "$root/reports/SLIDES.md" || fail "reports/SLIDES.md is not what rigor claims --md prints"
"$rigor" claims warm | grep -q "Contact\|warm" || fail "a word finds its claims"
"$rigor" claims 003 | grep -q "^000" && fail "a lecture's number shows another lecture"

"$rigor" claims Nowhere >"$work/none" 2>&1
[ $? -eq 2 ] && grep -q "no claim has 'Nowhere'" "$work/none" || fail "a word that no claim has: $(cat "$work/none")"
# A word is checked alone.
"$rigor" claims --check --json ignored >"$work/one.json" || fail "rigor claims --check ignored"
grep -q '"supported": true' "$work/one.json" || fail "a word's claims are not checked"

exit $((failures > 0))
