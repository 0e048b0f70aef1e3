#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The paper's text is held to its tables: what differs, names nothing, or has no source is found; the text itself is whole.

usage: test_paper.py PAPER_FOLDER
"""
import json
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(folder))
sys.dont_write_bytecode = True
import paper  # noqa: E402

TABLES = {"tosses": {"pgs": {"pos": "13.6627", "travel": "1412.9"}, "xpbd": {"pos": "36.97"}}}


def wrong(text):
    return list(paper.wrong_numbers(text, TABLES))


assert wrong('[13.7]{of="tosses/pgs/pos"} and [1,413]{of="tosses/pgs/travel"}, [2.71]{of="tosses/xpbd/pos over tosses/pgs/pos"}') == []
assert wrong('[13.6]{of="tosses/pgs/pos"}') == ["13.6: tosses/pgs/pos is 13.663"]
assert wrong('[2.70]{of="tosses/xpbd/pos over tosses/pgs/pos"}') == ["2.70: tosses/xpbd/pos over tosses/pgs/pos is 2.7059"]
for nowhere in ["tosses/pgs/face", "tosses/lcp/pos", "drops/pgs/pos", "tosses"]:
    assert wrong(f'[1.0]{{of="{nowhere}"}}') == [f"1.0: there is no number {nowhere}"], nowhere
assert wrong("an error of 0.25 m") == ["0.25: a number without its source"]
assert wrong("64 sweeps of 1/2960 s in 3D\n# References\n12.5") == []

text, tables = (folder / "paper.md").read_text(), json.loads((folder / "tables.json").read_text())
sources = [part for _, source in paper.NUMBER.findall(text) for part in source.split(" over ")]
assert len(sources) > 20
assert {source.split("/")[0] for source in sources} == set(tables), "a table that no number names, or the other way round"
