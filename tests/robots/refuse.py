#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""refuse.py RIGOR: every file of $RIGOR_ROBOTS/refuse is refused as its table EXPECT.md says: status 3, within a second and
100 MB, one line `file:line:column: what` that names the thing in the third column. What its text excepts may be read."""
import os
import re
import resource
import subprocess
import sys
import time

RIGOR = sys.argv[1]
FOLDER = os.path.join(os.environ.get('RIGOR_ROBOTS', ''), 'refuse')
MEMORY = 100e6


def rows(text):
    for line in text.splitlines():
        cells = [c.strip() for c in line.strip('|').split('|')]
        if len(cells) == 3 and re.search(r'\.(xml|urdf)$', cells[0]):
            yield cells


def check(name, wanted):
    path = os.path.join(FOLDER, name)
    began = time.time()
    child = subprocess.Popen([RIGOR, 'check', path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, err = child.communicate(timeout=60)
    took = time.time() - began
    line = err.strip()
    words = [] if wanted == 'line' else wanted.split(' or ')
    faults = []
    if child.returncode != 3:
        faults.append(f'status {child.returncode}')
    if took > 1:
        faults.append(f'{took:.1f} s')
    if '\n' in line or not re.search(r'[^:]+:\d+:\d+: ', line):
        faults.append('no one line with a place')
    if words and not any(w in line for w in words):
        faults.append(f'does not name {wanted}')
    if faults:
        print(f'{name}: {", ".join(faults)}: {line[:300]}')
    return not faults


def peak():
    """The most memory that a child had, bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def main():
    table = os.path.join(FOLDER, 'EXPECT.md')
    if not os.path.exists(table):
        print('skipped: RIGOR_ROBOTS names no folder with refuse/EXPECT.md')
        return 77
    subprocess.run([RIGOR, 'version'], stdout=subprocess.DEVNULL)
    own = peak()  # of the program itself, which sanitizers make large
    names = list(rows(open(table).read()))
    good = sum(check(name, wanted) for name, _, wanted in names)
    more = peak() - own
    print(f'{good} of {len(names)} files are refused as they should be, with {more / 1e6:.0f} MB at most beyond {own / 1e6:.0f}')
    return 0 if good == len(names) and more < MEMORY else 1


if __name__ == '__main__':
    sys.exit(main())
