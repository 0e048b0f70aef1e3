# SPDX-License-Identifier: MIT
"""What stepping from Python costs over C: a chain of 100, the states of all bodies read after each frame. Runs take turns, by
processor time, so that what slows the machine slows both; the ratio is that of their fastest. usage: steps.py LIBRARY_STEPS"""

import subprocess
import sys
import time

import rigor

ROUNDS, MOST = 60, 1.05
failed = False
for solver in ("pgs:substeps=4:iterations=1", "xpbd:substeps=20"):
    c = subprocess.Popen([sys.argv[1], solver], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    best = {"C": float("inf"), "Python": float("inf"), "Python, frames kept": float("inf")}
    for _ in range(ROUNDS):
        c.stdin.write("\n")
        c.stdin.flush()
        best["C"] = min(best["C"], float(c.stdout.readline()))
        for keep in (False, True):
            run = rigor.start(rigor.scene("chain", links=100), solver, time=1, truth=False, keep=keep)
            began = time.process_time()
            if keep:
                while run.step():
                    pass
            else:
                while run.step():
                    run.state()
            name = "Python, frames kept" if keep else "Python"
            best[name] = min(best[name], 1e6 * (time.process_time() - began) / run.frames)
    c.stdin.close()
    c.wait()
    for name, took in best.items():
        print(f"{solver:30} {name:20} {took:8.1f} us a frame, {took / best['C']:.3f} of C's")
    failed = failed or best["Python, frames kept"] > MOST * best["C"]
print("goal: at most 1.05 with frames kept:", "missed" if failed else "met")
