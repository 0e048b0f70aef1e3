#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README and docs say what the program does. A command after `$ ` in a fenced block is run, and prints what stands below it
(`...` is anything: a line of its own, any lines); commands in indented blocks have their options in the program's help.

usage: test_docs.py SOURCE_ROOT RIGOR"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

root, rigor = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
env = {**os.environ, "PATH": f"{rigor.parent}:{os.environ['PATH']}", "COLUMNS": "400"}
work = tempfile.TemporaryDirectory()
(Path(work.name) / "examples").symlink_to(root / "examples")
wrong = 0


def said(*args):
    done = subprocess.run([rigor, *args], capture_output=True, text=True, env=env, timeout=600)
    return done.stdout


def complain(text):
    global wrong
    wrong += 1
    print(text)


def pattern(lines):
    """What must be printed: blanks count once, `...` is anything."""
    text = ""
    for line in lines:
        if line.strip() == "...":
            text += r"(?:[^\n]*\n)*?"
        else:
            text += ".*".join(r"\s+".join(map(re.escape, part.split())) for part in re.split(r"\s*\.\.\.\s*", line.strip())) + r"\s*\n"
    return text


def check_run(page, command, lines):
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=env, cwd=work.name, timeout=600)
    # What a busy machine adds: marks of contended times, and the line that explains them.
    lines_out = [line for line in done.stdout.splitlines() if not line.startswith("~ contended")]
    printed = "".join(line.strip() + "\n" for line in lines_out)
    if not re.fullmatch(pattern(lines) + r"(?:[^\n]*\n)*?" if lines[-1:] == ["..."] else pattern(lines), printed):
        complain(f"{page}: `{command}` does not print what stands there, but\n{printed}{done.stderr}")


def check_options(page, command):
    words = command.split("#")[0].split("|")[0].split(">")[0].split()
    if words[1] not in commands:
        return complain(f"{page}: `{command}`: rigor has no {words[1]}")
    for option in re.findall(r"(?<= )--?[a-z-]+", " ".join(words[2:])):
        if not re.search(rf"(?<![a-z-]){option}(?![a-z-])", helps.setdefault(words[1], said("help", words[1]))):
            complain(f"{page}: `{command}`: rigor {words[1]} has no {option}")


commands = set(re.findall(r"^  ([a-z]+) ", said("help"), re.M))
helps, runs, checked = {}, 0, 0
for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
    page = path.relative_to(root)
    if page.parts[:2] == ("docs", "generated"):
        continue
    text = path.read_text()
    for indent, block in re.findall(r"^( *)```[a-z]*\n(.*?)^\1```", text, re.M | re.S):
        block = re.sub(rf"^{indent}", "", block, flags=re.M)
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, *lines = part.rstrip("\n").split("\n")
            if page.name == "README.md":
                command = command.replace("build/rigor", "rigor")
            if command.startswith("rigor ") and page.parts[0] == "docs":
                runs += 1
                check_run(page, command, lines)
    for command in re.findall(r"^(?:    |\$ )(?:[A-Z_]+=\S+ )?(?:mpirun [-a-z 0-9]*)?((?:build/)?rigor [a-z]+.*)", text, re.M):
        checked += 1
        check_options(page, command)
print(f"{runs} commands run, {checked} looked up in the help")
if not runs or not checked:
    complain("nothing was checked")
sys.exit(1 if wrong else 0)
