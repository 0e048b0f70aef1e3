#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The order of every backend, from substeps halved again and again, on ten smooth scenes and ten with friction.

Errors are held against closed forms or `reference`. A cell is the fitted order; `grows`, `floor` or `none` where there
is none, `-` where the backend has no such scene. As published, few keep an order across impacts and slips.

usage: orders.py RIGOR [--solvers a,b] [--over 8:64] [--scenes name,name]
"""

import argparse
import json
import subprocess
import sys

SMOOTH = {
    "orbit": ["orbit", "--time", "1"],
    "spring": ["spring", "--time", "1"],
    "torque_free": ["torque_free", "--time", "1", "--metric", "error_angle_end"],
    "tumbling_box": ["tumbling_box", "--time", "0.5", "--metric", "error_angle_end"],
    "heavy_top": ["heavy_top", "--time", "0.2"],
    "bead_on_wire": ["bead_on_wire", "--time", "0.5"],
    "pendulum": ["pendulum", "--time", "0.5"],
    "chain": ["chain", "-p", "links=3", "--time", "0.5"],
    "bricard": ["bricard", "--time", "0.2"],
    "random_chain": ["random_chain", "-p", "n=4", "--time", "0.3"],
}

FRICTION = {
    "slide": ["incline", "-p", "angle=35deg", "--time", "0.5"],
    "slide_fast": ["incline", "-p", "angle=50deg", "-p", "mu=0.13", "--time", "0.5"],
    "rolling": ["rolling", "--time", "1"],
    "skid": ["rolling", "-p", "v0=3.7", "-p", "mu=0.31", "--time", "0.5"],
    "oblique": ["oblique", "-p", "restitution=0"],
    "oblique_spin": ["oblique", "-p", "spin=29", "-p", "mu=0.37"],
    "tilting_box": ["tilting_box", "--time", "0.2"],
    "ladder": ["ladder", "--time", "0.3"],
    "impact_rod": ["impact_rod", "--time", "0.3"],
    "spinning_disc": ["spinning_disc", "--time", "0.2"],
}


UNSUPPORTED = 4


def fits(rigor, arguments, over, solver):
    """Of one solver; none where it cannot run the scene. Without a solver: of every backend, if all can."""
    command = [rigor, "converge", *arguments, "--over", "substeps=" + over, "--json"]
    command += ["--solvers", solver] if solver else []
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == UNSUPPORTED:
        return []
    if not done.stdout:  # no error is large enough to be told from the truth's
        print(" ".join(arguments), solver + ":", done.stderr.splitlines()[-1], file=sys.stderr)
        return []
    return json.loads(done.stdout)["fits"]


def cells(rigor, arguments, solvers, over):
    return {fit["solver"]: cell(fit) for name in solvers for fit in fits(rigor, arguments, over, name)}


def cell(fit):
    return f"{fit['order']:.2f}" if fit["order"] is not None else fit.get("state", "none")


def show(title, columns, rows, names):
    print(f"\n{title}\n" + "solver".ljust(22) + "".join(c.rjust(14) for c in columns))
    for name in names:
        print(name.ljust(22) + "".join(rows[c].get(name, "-").rjust(14) for c in columns))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rigor")
    parser.add_argument("--solvers", default="")
    parser.add_argument("--scenes", default="")
    parser.add_argument("--over", default="8:64")
    asked = parser.parse_args()
    everybody = [fit["solver"] for fit in fits(asked.rigor, ["orbit", "--time", "0.1"], "1:2", "")]
    solvers = asked.solvers.split(",") if asked.solvers else everybody
    for title, scenes in (("smooth", SMOOTH), ("friction", FRICTION)):
        chosen = [s for s in scenes if not asked.scenes or s in asked.scenes.split(",")]
        rows = {s: cells(asked.rigor, scenes[s], solvers, asked.over) for s in chosen}
        names = list(dict.fromkeys(name for s in chosen for name in rows[s]))
        show(title, chosen, rows, names)


main()
