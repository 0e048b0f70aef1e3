#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dynamics.py RIGOR [FOLDER...]: `rigor inverse MODEL --states truth.json --json` for each model of $RIGOR_ROBOTS (folders
of models, each with a truth.json that MuJoCo computed) against that file: poses, mass matrix, bias and passive forces,
A of points, accelerations, with loops closed. Prints the worst of each, ends with 1 where one is beyond its bound and
with 77 without models."""
import glob
import json
import math
import os
import subprocess
import sys

RIGOR, FOLDERS = sys.argv[1], sys.argv[2:]
ROBOTS = os.environ.get('RIGOR_ROBOTS', '')
# Of the largest number of its kind; accelerations of that or 1.
BOUNDS = {'position': 1e-12, 'turn': 1e-12, 'mass_matrix': 1e-11, 'bias': 1e-11, 'passive': 1e-11, 'A': 1e-11,
          'qacc': 1e-9, 'dry': 1e-9, 'ctrl0': 1e-9, 'ctrl': 1e-9, 'closed': 1e-9}
# What is refused as long as it cannot be held, by what the message names: the drive of a ball.
REFUSED = {'orientations': 'drive'}
# Forces that cancel are no more exact than what they are sums of: N, N m.
LEAST_FORCE = 1e-3


def numbers(x):
    return [z for y in x for z in numbers(y)] if isinstance(x, list) else [x]


def off(mine, truth, least):
    a, b = numbers(mine), numbers(truth)
    if len(a) != len(b) or None in a:
        return math.inf
    return max((abs(x - y) for x, y in zip(a, b)), default=0.0) / max([least] + [abs(y) for y in b])


def turned(mine, truth):
    sign = 1 if sum(x * y for x, y in zip(mine, truth)) > 0 else -1
    return max(abs(sign * x - y) for x, y in zip(mine, truth))


def compare(truth, state, mine, worst):
    def put(key, value):
        worst[key] = max(worst.get(key, 0.0), value)
    bodies = {body['name']: body for body in mine['bodies']}
    for i, (body, at) in enumerate(zip(truth['bodies'], state['bodies'])):
        own = bodies.get(body['name']) or bodies.get('body%d' % (i + 1))
        put('position', off(own['pos'], at['pos'], 1.0) if own else math.inf)
        put('turn', turned(own['quat'], at['quat']) if own else math.inf)
    if 'mass_matrix' in state:
        put('mass_matrix', off(mine['mass_matrix'], state['mass_matrix'], 1e-300))
    put('bias', off(mine['qfrc_bias'], state['qfrc_bias'], LEAST_FORCE))
    put('passive', off(mine['qfrc_passive'], state['qfrc_passive'], LEAST_FORCE))
    for key, name in (('qacc', 'qacc'), ('qacc_dry', 'dry'), ('qacc_ctrl0', 'ctrl0'), ('qacc_ctrl', 'ctrl')):
        if key in state:
            put(name, off(mine.get(key, []), state[key], 1.0))
    if 'inverse_inertia' in state:
        put('A', off(mine['inverse_inertia']['A'], state['inverse_inertia']['A'], 1e-300))
    if 'closed' in state:
        put('closed', off(mine['closed']['qacc'], state['closed']['qacc'], 1.0))


def model(folder):
    """The worst of each kind, or what the program said."""
    with open(os.path.join(folder, 'truth.json')) as file:
        truth = json.load(file)
    options = ['-p', 'inertia=balance'] if 'balance' in str(truth.get('reader_options')) else []
    path = os.path.join(folder, os.path.basename(truth['file']))
    done = subprocess.run([RIGOR, 'inverse', path, '--states', os.path.join(folder, 'truth.json'), '--json'] + options,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip()
    worst = {}
    for state, mine in zip(truth['states'], json.loads(done.stdout)['states']):
        compare(truth, state, mine, worst)
    return worst, ''


def main():
    folders = FOLDERS or sorted({os.path.dirname(path) for depth in ('*', '*/*')
                                 for path in glob.glob(os.path.join(ROBOTS, depth, 'truth.json')) if ROBOTS})
    failed = 0
    for folder in folders:
        worst, said = model(folder)
        name = os.path.basename(folder)
        refused = worst is None and name in REFUSED and REFUSED[name] in said
        bad = not refused and (worst is None or any(not value <= BOUNDS[key] for key, value in worst.items()))
        text = said if worst is None else '  '.join('%s %.0e' % item for item in worst.items())
        print('%-7s %-20s %s' % ('FAIL' if bad else 'refused' if refused else 'ok', name, text))
        failed += bad
    if not folders:
        print('no models: RIGOR_ROBOTS names a folder of them')
    sys.exit(77 if not folders else 1 if failed else 0)


main()
