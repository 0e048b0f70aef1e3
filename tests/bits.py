#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the results of two builds: every scene x every solver x option sets that choose another path through the code.

usage: bits.py OLD_RIGOR NEW_RIGOR [--scenes a,b] [--solvers a,b] [--time 0.3] [--jobs 2] [--all]

States and joint reactions at the end of a short run, row solves and status must be the same to the bit. Where they are
not, one substep from the start is compared: its largest difference over the scene's own numbers is printed, which must be
round-off (1e-12). Exits 1 if a status, a count of row solves, or more than round-off of one substep differs."""
import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

# Beside every solver at its defaults: forms that take another path. Option strings as `rigor` reads them.
FORMS = [
    "pgs:order=colour", "pgs:manifold=true:order=colour", "pgs:position=split", "pgs:position=ngs", "pgs:position=none",
    "pgs:block=true", "pgs:friction=pyramid", "pgs:friction=box", "pgs:normals_first=true", "pgs:relax=2",
    "pgs:warm_start=false", "pgs:substeps=4:iterations=3", "pgs_block:substeps=2", "pgs:position=split:order=colour",
    "tgs_soft:order=colour", "soft_step:order=colour", "xpbd:order=colour", "xpbd_stick:order=colour",
    "xpbd:iterations=3", "xpbd:slop=0.001", "pbd:order=colour", "pbd:stiffness=0.5", "naive_avg:iterations=3",
    "nncg:friction=pyramid", "avbd:iterations=3",
]
COMMON = [["--detect", "lazy"], ["--detect", "frame"], ["--threads", "2"]]  # on a few solvers
EVERYWHERE = ["pgs", "pgs:order=colour", "xpbd_stick", "xpbd"]


def names(rigor, what):
    rows = json.loads(subprocess.run([rigor, "list", what, "--json"], capture_output=True, check=True).stdout)
    return [r["name"] for r in rows if "engine" not in r and "bridge" not in r and "missing" not in r]


def run(rigor, case, time):
    scene, solver, extra = case
    command = [rigor, "run", scene, solver, "--time", time, "--truth", "none", "--json", "--state", *extra]
    done = subprocess.run(command, capture_output=True, timeout=600)
    if done.returncode:
        return {"refused": done.returncode}
    out = json.loads(done.stdout)
    return {"status": out["status"], "rows": out["cost"]["row_solves"], "bodies": out.get("bodies"),
            "joints": out.get("joints"), "dt": out["dt"], "options": out["solver_options"]}


def numbers(value):
    if isinstance(value, dict):
        return [n for v in value.values() for n in numbers(v)]
    if isinstance(value, list):
        return [n for v in value for n in numbers(v)]
    return [float(value)] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def distance(a, b):
    """The largest difference of two states over the largest number of the same kind."""
    worst = 0.0
    for key in ("position", "orientation", "velocity", "angular_velocity"):
        x, y = [numbers([body[key] for body in s["bodies"] or []]) for s in (a, b)]
        scale = max([abs(n) for n in x] + [1.0])
        worst = max([worst] + [abs(p - q) / scale for p, q in zip(x, y)])
    return worst


def compare(old, new, case, time):
    a, b = run(old, case, time), run(new, case, time)
    if all(a.get(key) == b.get(key) for key in a.keys() | b.keys() if key != "options"):  # there may be new ones
        return "same", 0.0
    if a.get("refused") != b.get("refused"):
        return "REFUSED OTHERWISE", 0.0
    # One substep: a frame as long as a substep was.
    substeps = a["options"].get("substeps", 1)
    h = a["dt"] / substeps
    short = (case[0], case[1] + ":substeps=1" if substeps != 1 else case[1], case[2] + ["--dt", repr(h)])
    c, d = run(old, short, repr(h)), run(new, short, repr(h))
    step = distance(c, d) if "bodies" in c and "bodies" in d else float("inf")
    if a["rows"] != b["rows"] and step == 0.0:
        return "ROW SOLVES DIFFER", 0.0
    return ("round-off" if step <= 1e-12 and c.get("rows") == d.get("rows") else "DIFFERS"), step


def main():
    ask = argparse.ArgumentParser()
    ask.add_argument("old")
    ask.add_argument("new")
    ask.add_argument("--scenes")
    ask.add_argument("--solvers")
    ask.add_argument("--time", default="0.3")
    ask.add_argument("--jobs", type=int, default=2)
    ask.add_argument("--all", action="store_true", help="print what is the same, too")
    args = ask.parse_args()
    scenes = args.scenes.split(",") if args.scenes else names(args.old, "scenes")
    solvers = args.solvers.split(",") if args.solvers else names(args.old, "solvers") + FORMS
    cases = [(s, v, []) for v in solvers for s in scenes]
    cases += [(s, v, extra) for v in solvers if v in EVERYWHERE for s in scenes for extra in COMMON]
    counts = {}
    with ThreadPoolExecutor(args.jobs) as pool:
        for case, (what, step) in zip(cases, pool.map(lambda c: compare(args.old, args.new, c, args.time), cases)):
            counts[what] = counts.get(what, 0) + 1
            if what != "same" or args.all:
                print(f"{what:20s} {case[0]:16s} {case[1]} {' '.join(case[2])} {step:.1e}" if step else
                      f"{what:20s} {case[0]:16s} {case[1]} {' '.join(case[2])}", flush=True)
    print(", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
    sys.exit(any(what not in ("same", "round-off") for what in counts))


if __name__ == "__main__":
    main()
