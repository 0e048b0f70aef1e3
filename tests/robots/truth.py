#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""truth.py ROBOT_DOCUMENT RIGOR [MODEL...]: what the readers make of each model of $RIGOR_ROBOTS (folders with models.json, and
beside each model its truth.json, computed by MuJoCo) against those numbers: names, parents, masses, centres, inertias,
joints, geoms, pairs that touch, and in every state the poses, the energies and the forces of the drives. Each is exported
as a scene file, too, which exports to the same text."""
import glob
import json
import math
import os
import subprocess
import sys

TOOL, RIGOR = sys.argv[1:3]
ROBOTS = os.environ.get('RIGOR_ROBOTS', '')


def sub(a, b): return [x - y for x, y in zip(a, b)]
def add(a, b): return [x + y for x, y in zip(a, b)]
def dot(a, b): return sum(x * y for x, y in zip(a, b))
def cross(a, b): return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def matrix(q):
    n = math.sqrt(dot(q, q))
    w, x, y, z = (c / n for c in q)
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def mul(a, b): return [[dot(row, col) for col in zip(*b)] for row in a]
def turn(r, x): return [dot(row, x) for row in r]
def transpose(a): return [list(row) for row in zip(*a)]


def six(i):
    """A tensor of three or six numbers."""
    i = list(i) + [0] * (6 - len(i))
    return [[i[0], i[3], i[4]], [i[3], i[1], i[5]], [i[4], i[5], i[2]]]


def off(a, b):
    """The largest difference of two lists of lists, or of numbers."""
    if isinstance(a, (int, float)):
        return abs(a - b)
    return max((off(x, y) for x, y in zip(a, b)), default=0) if len(a) == len(b) else math.inf


def named(item):
    """What has no name is written as null, or as this."""
    return None if item['name'] == 'emsc' else item['name']


class Placed:
    """A document: bodies in the world, coordinates, shapes in the order of the file's geoms."""

    def __init__(self, document):
        self.document = document
        self.bodies = [b for b in document['bodies'] if 'frame' in b]
        self.all = {b['name']: b for b in document['bodies']}
        self.turn = {b['name']: matrix(b.get('orientation', [1, 0, 0, 0])) for b in document['bodies']}
        self.joints = [j for j in document['joints'] if j['type'] in ('hinge', 'prismatic', 'ball', 'series')
                       and not ('anchors' in j)]
        self.closures = [j for j in document['joints'] if j not in self.joints]
        self.coordinates = []  # (link, kind, the object that has the keys)
        for j in self.joints:
            kinds = {'hinge': 'hinge', 'prismatic': 'slide', 'ball': 'ball'}
            if j['type'] == 'series':
                self.coordinates += [(j['bodies'], a['kind'], a) for a in j['axes']]
            else:
                self.coordinates.append((j['bodies'], kinds[j['type']], j))
        self.shapes = [(b, s) for b in document['bodies'] for s in b.get('shapes', [])]

    def origin(self, body):
        """The link's frame."""
        return add(body['position'], turn(self.turn[body['name']], body['frame']['position']))

    def root(self, name):
        while name != 'world' and 'fused' in self.all[name]:
            name = self.all[name]['fused']
        return 'world' if name == 'world' or self.all[name].get('fixed') else name

    def parents(self):
        up = {}
        for b in self.bodies:
            up[b['name']] = self.all[b['name']].get('fused', 'world')
        for j in self.joints:
            up[j['bodies'][1]] = j['bodies'][0]
        return up


class Report:
    def __init__(self, model):
        self.model, self.worst, self.failures = model, {}, []

    def equal(self, what, a, b):
        if a != b:
            self.failures.append(f'{what}: {a} is not {b}')

    def near(self, what, a, b, bound, scale=1.0):
        error = off(a, b) / scale
        self.worst[what] = max(self.worst.get(what, 0), error)
        if not error <= bound:
            self.failures.append(f'{what}: off by {error:.2g} (bound {bound:g})')


def run(arguments):
    return subprocess.run([TOOL] + arguments, capture_output=True, text=True, timeout=60)


def documents(arguments):
    done = run(arguments)
    if done.returncode:
        raise SystemExit(f'{arguments[0]}: status {done.returncode}: {done.stderr}')
    return json.loads(done.stdout)


def check_bodies(report, truth, placed):
    # A root that the truth's own reader left out is the world there.
    names = {b['name'] for b in truth['bodies']}
    fused_there = 'fused' in truth['reader_options']
    bodies = [b for b in placed.bodies if b['name'] in names or not fused_there]
    report.equal('number of bodies', len(bodies), truth['counts']['bodies'])
    up = placed.parents()
    for i, (b, t) in enumerate(zip(bodies, truth['bodies'])):
        r = placed.turn[b['name']]
        report.equal('name', b['name'], named(t) or f'body{i + 1}')
        parent = up[b['name']]
        theirs = -1 if t['parent'] < 0 else bodies[t['parent']]['name']
        report.equal(f'parent of {b["name"]}', -1 if theirs == -1 and (parent == 'world' or parent not in names) else parent, theirs)
        report.near('mass', b.get('mass', 0), t['mass'], 1e-12, max(t['mass'], 1e-300))
        if t['mass'] > 0:
            report.near('centre', b['position'], t['com_world'], 1e-12, max(1, max(map(abs, t['com_world']))))
            i_world = mul(mul(r, six(b.get('inertia', [0, 0, 0]))), transpose(r))
            report.near('inertia', i_world, six(t['inertia_world']), 1e-12, max(map(abs, t['inertia_world'])) or 1)
        lift = [-t['gravcomp'] * t['mass'] * g for g in truth['gravity']]
        report.near('gravcomp', b.get('force', [0, 0, 0]), lift, 1e-12)
    return bodies


def limits(kind, o):
    if kind == 'ball':
        return [0, o['turn_max']] if 'turn_max' in o else None
    if 'limits' in o:
        return o['limits']
    key = 'angle' if kind == 'hinge' else 'position'
    return [o[key + '_min'], o[key + '_max']] if key + '_min' in o else None


def check_joints(report, truth, placed, bodies, no_limits):
    theirs = [(i, j) for i, j in enumerate(truth['joints']) if j['type'] != 'free']
    report.equal('number of joints', len(placed.coordinates), len(theirs))
    free = [b['name'] for b in placed.bodies if 'fused' not in b and b['name'] not in {j['bodies'][1] for j in placed.joints}]
    report.equal('free bodies', free, [bodies[j['body']]['name'] for j in truth['joints'] if j['type'] == 'free'])
    for (ends, kind, o), (i, t) in zip(placed.coordinates, theirs):
        report.equal('joint', (o['name'], kind, ends[1]), (named(t) or f'joint{i + 1}', t['type'], bodies[t['body']]['name']))
        if kind != 'ball':
            report.near('axis', o['axis'], t['axis_world'], 1e-12)
        if 'anchor' in o:
            report.near('anchor', o['anchor'], t['anchor_world'], 1e-12)
        if not no_limits:
            report.equal(f'limits of {o["name"]}', limits(kind, o) is not None, t['limited'])
        if limits(kind, o):
            report.near('range', limits(kind, o), t['range'], 1e-12)
        for mine, name in (('viscous', 'damping'), ('armature', 'armature'), ('dry_friction', 'frictionloss')):
            report.near(name, o.get(mine, 0), t[name], 1e-15)
        report.near('stiffness', o.get('spring', {}).get('stiffness', 0), t['stiffness'], 1e-15)
        if t['stiffness'] and kind != 'ball':
            report.near('springref', o['spring']['rest'], truth['qpos_spring'][t['qpos_at']], 1e-14)
        report.equal('effort', o.get('effort'), t['effort'] and [float(x) for x in t['effort']])


SIZES = {'sphere': 1, 'capsule': 2, 'cylinder': 2, 'ellipsoid': 3, 'box': 3}
Z_TO_Y = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]  # a capsule's axis is y here, z there


def shape_size(shape):
    kind = next(k for k in shape if k in ('sphere', 'capsule', 'cylinder', 'ellipsoid', 'box', 'hull', 'plane'))
    s = shape[kind]
    return kind, {'sphere': lambda: [s['radius']], 'ellipsoid': lambda: s['radii'], 'box': lambda: [x / 2 for x in s['size']],
                  'capsule': lambda: [s['radius'], s['length'] / 2], 'cylinder': lambda: [s['radius'], s['length'] / 2],
                  'hull': lambda: [], 'plane': lambda: []}[kind]()


# MuJoCo keeps the vertices of meshes as single floats.
FLOAT = 1e-6


def check_geoms(report, truth, placed, bodies):
    report.equal('number of geoms', len(placed.shapes), truth['counts']['geoms'])
    for (body, shape), t in zip(placed.shapes, truth['geoms']):
        kind, size = shape_size(shape)
        report.equal('geom', kind, {'mesh': 'hull'}.get(t['type'], t['type']))
        report.equal('geom of', body['name'] if 'frame' in body else -1, -1 if t['body'] < 0 else bodies[t['body']]['name'])
        report.near('size', size, t['size'][:SIZES.get(kind, 0)], 1e-12)
        r = placed.turn[body['name']]
        at = add(body.get('position', [0, 0, 0]), turn(r, shape['position']))
        bound = FLOAT if kind == 'hull' else 1e-12
        report.near('mesh place' if kind == 'hull' else 'geom place', at, t['pos_world'], bound)
        m = mul(r, matrix(shape['orientation']))
        theirs = [t['mat_world'][0:3], t['mat_world'][3:6], t['mat_world'][6:9]]
        if kind in ('capsule', 'cylinder'):
            m = mul(m, Z_TO_Y)
        if kind != 'hull':  # whose principal axes have no order and no sign
            report.near('geom turn', m, theirs, 1e-12)


def touching(placed):
    """Pairs of shapes that may touch, by the document's own rules."""
    d = placed.document
    collide, materials = d.get('collide', 'all'), d.get('materials', {})
    apart = {frozenset(p) for p in collide['except']} if isinstance(collide, dict) else set()
    if not isinstance(collide, dict):  # contacts are off; neighbours are those of joints
        names = [b['name'] for b in d['bodies']]
        for j in placed.joints:
            a, b = placed.root(j['bodies'][0]), placed.root(j['bodies'][1])
            apart |= {frozenset((m, n)) for m in names for n in names if placed.root(m) == a != 'world' and placed.root(n) == b}
    pairs = []
    for i, (a, s) in enumerate(placed.shapes):
        for k in range(i + 1, len(placed.shapes)):
            b, t = placed.shapes[k]
            if not (s.get('group', 1) & t.get('mask', 1) or t.get('group', 1) & s.get('mask', 1)):
                continue
            if placed.root(a['name']) == placed.root(b['name']) or frozenset((a['name'], b['name'])) in apart:
                continue
            if 'plane' in s and 'plane' in t:
                continue
            m, n = materials[s['material']], materials[t['material']]
            p, q = m.get('priority', 0), n.get('priority', 0)
            use = [m, n] if p == q else [m] if p > q else [n]
            f = [max(u[key] for u in use) for key in ('friction', 'spin_friction', 'rolling_friction')]
            pairs.append([i, k, max(u['condim'] for u in use), [f[0], f[0], f[1], f[2], f[2]]])
    return pairs


def check_pairs(report, truth, placed):
    theirs = {(p[0], p[1]): p[2:] for p in truth['collision_pairs']}
    mine = {(p[0], p[1]): p[2:] for p in touching(placed)}
    report.equal('pairs that touch only here', sorted(set(mine) - set(theirs)), [])
    report.equal('pairs that touch only there', sorted(set(theirs) - set(mine)), [])
    for key in set(mine) & set(theirs):
        report.equal(f'contact {key}', mine[key], [theirs[key][0], [float(x) for x in theirs[key][1]]])


def spring_energy(o, kind):
    if 'spring' not in o:
        return 0
    if kind == 'ball':
        w = o.get('start', [1, 0, 0, 0])
        away = 2 * math.atan2(math.sqrt(dot(w[1:], w[1:])), abs(w[0]))
    else:
        away = o.get('start', 0) - o['spring']['rest']
    return 0.5 * o['spring']['stiffness'] * away * away


def drive_force(o, q, v):
    """On the coordinate, of all its drives, within its effort."""
    drives = o.get('drive', [])
    total = 0
    for d in drives if isinstance(drives, list) else [drives]:
        g = d.get('gear', 1)
        f = d.get('force', 0) + d.get('kp', 0) * (d.get('target', 0) - g * q) + d.get('kd', 0) * (d.get('speed', 0) - g * v)
        lo, hi = d.get('max', [-math.inf, math.inf])
        total += g * min(max(f, lo), hi)
    lo, hi = o.get('effort', [-math.inf, math.inf])
    return min(max(total, lo), hi)


def check_state(report, truth, state, placed, bodies):
    by_name = {b['name']: b for b in placed.bodies}
    for b, t in zip(bodies, state['bodies']):
        mine = by_name[b['name']]
        report.near('place', placed.origin(mine), t['pos'], 1e-12, max(1, max(map(abs, t['pos']))))
        report.near('turn', placed.turn[b['name']], matrix(t['quat']), 1e-12)
    moving = [j for j in truth['joints'] if j['type'] != 'free']
    potential = kinetic = 0
    spin = {}
    for b in placed.bodies:
        if b.get('mass', 0) == 0:
            continue
        potential -= b['mass'] * dot(truth['gravity'], b['position'])
        main = placed.root(b['name'])  # what is fused moves with its root
        if main == 'world':
            continue
        root = by_name[main]
        w, v = root.get('angular_velocity', [0, 0, 0]), root.get('velocity', [0, 0, 0])
        v = add(v, cross(w, sub(b['position'], root['position'])))
        r = placed.turn[b['name']]
        i_world = mul(mul(r, six(b.get('inertia', [0, 0, 0]))), transpose(r))
        kinetic += 0.5 * b['mass'] * dot(v, v) + 0.5 * dot(w, turn(i_world, w))
    for (ends, kind, o), t in zip(placed.coordinates, moving):
        v = state['qvel'][t['dof_at']:t['dof_at'] + (3 if kind == 'ball' else 1)]
        kinetic += 0.5 * t['armature'] * dot(v, v)
        potential += spring_energy(o, kind)
    scale = max(1, abs(state['energy']['potential']), abs(state['energy']['kinetic']))
    report.near('potential energy', potential, state['energy']['potential'], 1e-12, scale)
    report.near('kinetic energy', kinetic, state['energy']['kinetic'], 1e-12, scale)
    if 'qfrc_actuator' in state:
        check_drives(report, truth, state, placed, moving)


def check_drives(report, truth, state, placed, moving):
    for (ends, kind, o), t in zip(placed.coordinates, moving):
        d = t['dof_at']
        if kind == 'ball':
            drives = o.get('drive', [])
            force = [0, 0, 0]
            for drive in drives if isinstance(drives, list) else [drives]:
                force = add(force, [g * drive['force'] for g in drive['gear']])
            report.near('drive', force, state['qfrc_actuator'][d:d + 3], 1e-12)
        else:
            force = drive_force(o, o.get('start', 0), state['qvel'][d])
            theirs = state['qfrc_actuator'][d]
            report.near('drive', force, theirs, 1e-12, max(1, abs(theirs)))


def loops_close(report, truth, model, options, folder):
    """At a start that MuJoCo closed, the anchors of each loop meet."""
    for state in truth['states']:
        if 'closed' not in state:
            continue
        path = os.path.join(folder, 'state.json')
        with open(path, 'w') as out:
            json.dump({'states': [{'qpos': state['closed']['qpos'], 'qvel': state['closed']['qvel']}]}, out)
        done = run([model, *options, '--states', path])
        if done.returncode:
            report.failures.append(f'closed: {done.stderr.strip()}')
            continue
        placed = Placed(json.loads(done.stdout)[0])
        for c in placed.closures:
            if c['type'] == 'coupling':
                report.near('closed', c['polynomial'][0], 0, 1e-9)
                continue
            if c['type'] == 'distance':
                continue
            at = []
            for name, x in zip(c['bodies'], c['anchors']):
                b = placed.all.get(name, {'position': [0, 0, 0]})
                at.append(add(b['position'], turn(placed.turn.get(name, matrix([1, 0, 0, 0])), x)))
            report.near('closed', at[0], at[1], 1e-9)


def check_keys(report, truth, model, options, folder):
    for key in truth.get('keys', []):
        path = os.path.join(folder, 'state.json')
        with open(path, 'w') as out:
            json.dump({'states': [key]}, out)
        report.equal(f'key {key["name"]}', documents([model, *options, 'key=' + key['name']]),
                     documents([model, *options, '--states', path])[0])
    report.equal('status of a key that is not there', run([model, *options, 'key=nowhere']).returncode, 2)


def check_export(report, model, options, folder):
    path = os.path.join(folder, 'scene.json')
    texts = []
    for arguments in ([model, *(x for o in options for x in ('-p', o))], [path]):
        done = subprocess.run([RIGOR, 'export', *arguments], capture_output=True, text=True, timeout=60)
        report.equal('status of export', (done.returncode, done.stderr if done.returncode else ''), (0, ''))
        texts.append(done.stdout)
        with open(path, 'w') as out:
            out.write(done.stdout)
    report.equal('an export of the export is the same', texts[0] == texts[1], True)


def check_model(part, item, folder):
    here = os.path.join(part, item['name'])
    truth = json.load(open(os.path.join(here, 'truth.json')))
    model = os.path.join(here, item['main'])
    options = ['inertia=balance'] if item.get('options', {}).get('balance') else []
    report = Report(item['name'])
    placed = Placed(documents([model, *options]))
    bodies = check_bodies(report, truth, placed)
    no_limits = '"disable"' in open(model).read() and 'constraint="disable"' in open(model).read()
    check_joints(report, truth, placed, bodies, no_limits)
    check_geoms(report, truth, placed, bodies)
    if model.endswith('.xml') and 'collision_pairs' in truth:
        check_pairs(report, truth, placed)
    # A loop of two bodies that both stand still says nothing.
    if not no_limits:
        report.equal('number of closures', len([c for c in placed.closures if c['type'] != 'distance']), truth['counts']['equalities'])
    for state, document in zip(truth['states'], documents([model, *options, '--states', os.path.join(here, 'truth.json')])):
        check_state(report, truth, state, Placed(document), bodies)
    loops_close(report, truth, model, options, folder)
    check_keys(report, truth, model, options, folder)
    check_export(report, model, options, folder)
    print(f'{item["name"]:16}', 'FAILED' if report.failures else 'ok',
          ' '.join(f'{k.replace(" ", "_")} {v:.0e}' for k, v in report.worst.items() if v > 0))
    for line in report.failures[:10]:
        print('    ' + line[:300])
    return not report.failures


def main():
    lists = sorted(glob.glob(os.path.join(ROBOTS, '*', 'models.json'))) if ROBOTS else []
    if not lists:
        print('skipped: RIGOR_ROBOTS names no folder with */models.json')
        return 77
    import tempfile
    good = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in lists:
            for item in json.load(open(path)):
                if not sys.argv[3:] or item['name'] in sys.argv[3:]:
                    total += 1
                    good += check_model(os.path.dirname(path), item, folder)
    print(f'{good} of {total} models agree')
    return 0 if good == total else 1


if __name__ == '__main__':
    sys.exit(main())
