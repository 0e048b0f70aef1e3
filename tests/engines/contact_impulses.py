# SPDX-License-Identifier: MIT
"""usage: contact_impulses.py WORLD OPTIONS COMMAND...: runs a bridge for a second on a resolved world with these options.
Prints by how much the impulses of contacts and joints on any body in any step are off m (dv - g h), as a share of m g h."""
import json
import struct
import subprocess
import sys

world = json.load(open(sys.argv[1]))
world["options"].update(json.loads(sys.argv[2]))
bridge = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def send(line):
    bridge.stdin.write(line.encode() + b"\n")
    bridge.stdin.flush()


def state():
    bodies, joints, pairs, text, _ = struct.unpack("<5I", bridge.stdout.read(32)[4:24])
    speeds = [struct.unpack("<13d", bridge.stdout.read(104))[7:10] for _ in range(bodies)]
    held = [struct.unpack("<6d", bridge.stdout.read(48)) for _ in range(joints)]
    impulses = [(*joint["bodies"], *held[j][:3]) for j, joint in enumerate(world["joints"]) if joints]
    impulses += [struct.unpack("<2I3d", bridge.stdout.read(32)) for _ in range(pairs)]
    bridge.stdout.read(text)
    return speeds, impulses


send(json.dumps(world))
if not json.loads(bridge.stdout.readline())["contact_impulses"]:
    sys.exit("no contact impulses")
before, _ = state()
h, g, worst = world["h"], world["gravity"], 0.0
for _ in range(60):
    send("step")
    speeds, impulses = state()
    for i, body in enumerate(world["bodies"]):
        for k in range(0 if body["fixed"] else 3):
            told = sum(c[2 + k] * ((c[1] == i) - (c[0] == i)) for c in impulses)
            true = body["mass"] * (speeds[i][k] - before[i][k] - g[k] * h)
            worst = max(worst, abs(told - true) / (body["mass"] * abs(g[1]) * h))
    before = speeds
print(worst)
