#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The paper: its runs, its tables, its figures, and every number of its text held to them.

usage: paper.py RIGOR FOLDER [TEXT.md]

In the text a number stands as [0.0234]{of="TABLE/ROW/COLUMN"}: the digits that a reader sees, and where they come from.
TABLE is a key of tables.json, ROW the first field of a line of that CSV, COLUMN a head of it; `A over B` is a quotient.
A number that its table does not round to, and one with a point that has no source, ends this with an error. What agrees
becomes FOLDER/paper.pdf.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
NUMBER = re.compile(r'\[(-?[0-9.,]+)\]\{of="([^"]+)"\}')
FIGURES = ["substeps", "oblique_friction"]
PLOTS = [["profile", "families.sqlite", "--ecdf", "--metric", "error_end", "--targets", "1e-3:1e-1", "--plot", "ecdf.pdf"],
         ["reality", "tosses", "--solvers", "penalty,pgs,xpbd,xpbd_stick", "--class", "default", "--plot", "tosses.pdf"]]


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, **more)


def make_tables(rigor, folder):
    """Each table of tables.json, as rows by their first field."""
    tables = {}
    for name, words in json.loads((HERE / "tables.json").read_text()).items():
        text = run(rigor, *words, "--csv", cwd=folder, stdout=subprocess.PIPE, text=True).stdout
        (folder / f"{name}.csv").write_text(text)
        tables[name] = {row[next(iter(row))]: row for row in csv.DictReader(text.splitlines())}
    return tables


def value(tables, source):
    """The number that `TABLE/ROW/COLUMN` or `A over B` names."""
    if " over " in source:
        above, below = source.split(" over ")
        return value(tables, above) / value(tables, below)
    table, row, column = source.split("/")
    return float(tables[table][row][column])


def wrong_numbers(text, tables):
    """What the text says otherwise than its tables do, a line each."""
    for shown, source in NUMBER.findall(text):
        try:
            found = value(tables, source)
        except (KeyError, ValueError):
            yield f"{shown}: there is no number {source}"
            continue
        decimals = len(shown.partition(".")[2])
        if f"{found:.{decimals}f}" != shown.replace(",", ""):
            yield f"{shown}: {source} is {found:.{decimals + 2}f}"
    for bare in re.findall(r"(?<![\w./])\d+\.\d+(?![\w./]*\d)", NUMBER.sub("", text.partition("# References")[0])):
        yield f"{bare}: a number without its source"


def main(rigor, folder, text="paper.md"):
    rigor, folder = pathlib.Path(rigor).resolve(), pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    run(rigor, "report", *FIGURES, "-o", folder)
    for experiment in ["families", "iterations"]:
        run(rigor, "sweep", HERE / f"{experiment}.json", "--db", folder / f"{experiment}.sqlite")
    for words in PLOTS:
        run(rigor, *words, "--force", cwd=folder, stdout=subprocess.DEVNULL)
    words = (HERE / text).read_text()
    wrong = list(wrong_numbers(words, make_tables(rigor, folder)))
    for line in wrong:
        print(f"{text}: {line}", file=sys.stderr)
    if wrong:
        sys.exit(1)
    (folder / "paper.md").write_text(NUMBER.sub(r"\1", words))
    run("pandoc", "paper.md", "--citeproc", "--bibliography", HERE / "paper.bib", "--pdf-engine=pdflatex", "-V", "geometry:margin=2.6cm", "-V", "fontsize=11pt", "-V", "colorlinks",
        "-o", "paper.pdf", cwd=folder)
    print(folder / "paper.pdf")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except subprocess.CalledProcessError as error:
        sys.exit(f"paper.py: {' '.join(error.cmd[:3])} failed ({error.returncode})")
