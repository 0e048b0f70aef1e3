#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_originals.py RIGOR DIR [NAME]: hold a build to motions recorded from the originals' own code.

DIR has MAP.json, which of our names stands for which original, and the cases, an original a file (README.md). A case
that is recorded as `same` must be within its tolerance at every frame, one that is `open` must not be: whoever explains
it says so. `by_design` has a switch, options that take it to within the tolerance: it must not be there without, and be
there with them. What `rigor show` prints of a name must be what was measured. NAME: the cases of that name alone.
Exit status: 0 if all is as recorded."""
import json, math, os, re, subprocess, sys, tempfile

TAKES = 13  # numbers of a state: position, orientation, velocity, angular velocity


class NotInstalled(Exception):
    pass


def distance(a, b, dt, turns):
    """The largest of |dx| (m), the angle between the orientations (rad), dt |dv| and dt |dw|."""
    parts = [math.dist(a[:3], b[:3]), dt * math.dist(a[7:10], b[7:10])]
    if turns:
        sign = 1 if sum(x * y for x, y in zip(a[3:7], b[3:7])) >= 0 else -1
        chord = math.dist(a[3:7], [sign * x for x in b[3:7]])
        parts += [4 * math.asin(min(1.0, chord / 2)), dt * math.dist(a[10:], b[10:])]
    return max(math.inf if p != p else p for p in parts)


def states_after(rigor, path, solver, case, frame):
    run = subprocess.run([rigor, 'run', path, solver, '--json', '--state', '--truth', 'none', '--detect', case['detect'],
                          '--dt', repr(case['dt']), '--time', repr(frame * case['dt'])], capture_output=True, text=True)
    if run.returncode == 4 and case.get('needs') == 'engine':
        raise NotInstalled()
    if run.returncode != 0:
        sys.exit('%s: %s' % (case['case'], run.stderr.strip()))
    document = json.loads(run.stdout)
    if document['frames'] != frame:
        return {}
    return {b['name']: [float('nan') if x is None else x for x in
                        b['position'] + b['orientation'] + b['velocity'] + b['angular_velocity']]
            for b in document['bodies']}


def worst(rigor, case, solver):
    """(distance, distance over tolerance) of the frame that is worst."""
    result = (0.0, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'scene.json')
        with open(path, 'w') as file:
            json.dump(case['scene'], file)
        for k, frame in enumerate(case['frames']):
            ours = states_after(rigor, path, solver, case, frame)
            far = max(distance(ours.get(name, [math.nan] * TAKES), states[k], case['dt'], case['turn'])
                      for name, states in case['bodies'].items())
            result = max(result, (far, far / case['tolerance'][k]), key=lambda r: r[1])
    return result


def solver_of(names, case):
    keys = [k for k in names if case['case'].startswith(k)]
    return names[max(keys, key=len)] if keys else case['solver']


def verdict_of(rigor, case, solver):
    far, share = worst(rigor, case, solver)
    if share <= 1:
        return 'same', far
    if case.get('switch'):
        return ('by_design' if worst(rigor, case, solver + ':' + case['switch'])[1] <= 1 else 'open'), far
    return 'open', far


def main():
    rigor, folder = sys.argv[1:3]
    only = sys.argv[3] if len(sys.argv) > 3 else None
    names = json.load(open(os.path.join(folder, 'MAP.json')))
    counts, wrong = {}, 0
    for file in sorted(f for f in os.listdir(folder) if f.endswith('.json') and f != 'MAP.json'):
        for case in json.load(open(os.path.join(folder, file)))['cases']:
            solver = solver_of(names, case)
            name = solver.split(':')[0]
            if only and name != only:
                continue
            try:
                verdict, far = verdict_of(rigor, case, solver)
            except NotInstalled:
                print('%-60s %-16s skipped: not installed' % (case['case'], name))
                continue
            counts.setdefault(name, dict.fromkeys(('same', 'by_design', 'open'), 0))[verdict] += 1
            if verdict != case['verdict']:
                wrong += 1
            print('%-60s %-16s %9.2e  %s%s' % (case['case'], name, far, verdict,
                                              '' if verdict == case['verdict'] else '  WRONG: recorded as ' + case['verdict']))
    for name, count in sorted(counts.items()):
        shown = subprocess.run([rigor, 'show', name], capture_output=True, text=True).stdout
        said = re.search(r'(\d+) SAME \([^)]*\), (\d+) BY DESIGN, (\d+) UNEXPLAINED', re.sub(r'\s+', ' ', shown))
        if not said or tuple(map(int, said.groups())) != (count['same'], count['by_design'], count['open']):
            wrong += 1
            print('rigor show %s says %s, measured were %s' % (name, said.group(0) if said else 'nothing', count))
    if not counts and only:
        sys.exit('no case is of %s' % only)
    sys.exit(1 if wrong else 0)


main()
