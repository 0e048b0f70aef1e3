#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A bridge to an engine, complete: a toy that knows free flight and nothing else (protocol: docs/reference/bridge_protocol.md).

    rigor run projectile toy --engine "python3 examples/engine_bridge.py"
"""
import json
import struct
import sys
import time

HELLO = {
    "rigor_engine": 1,  # version of the protocol
    "name": "toy",  # what a user types
    "engine": "toy engine",
    "version": "1.0",
    "precision": "double",
    "dimension": 3,
    "licence": "MIT",
    "options": [{"name": "drag", "meaning": "share of speed lost in a second", "default": 0, "min": 0, "max": 1}],
}


class Toy:
    """The engine: semi-implicit Euler, v += h g, x += h v."""

    def __init__(self, gravity):
        self.gravity, self.bodies = gravity, []

    def add(self, position, velocity, moves):
        self.bodies.append({"x": list(position), "v": list(velocity), "moves": moves})

    def step(self, h, drag):
        for body in self.bodies:
            if body["moves"]:
                body["v"] = [(v + h * g) * (1 - drag * h) for v, g in zip(body["v"], self.gravity)]
                body["x"] = [x + h * v for x, v in zip(body["x"], body["v"])]


def lacks(world):
    """What of this scene the engine cannot express, by name."""
    missing = []
    if world["joints"]:
        missing.append("joints")
    if world["collide"] and sum("shape" in body for body in world["bodies"]) > 1:
        missing.append("contacts")
    if any(any(body["angular_velocity"]) for body in world["bodies"]):
        missing.append("rotation")
    if "attractor" in world:
        missing.append("attractor")
    return missing


def write_state(out, world, toy, seconds):
    out.write(b"RIGS" + struct.pack("<5Id", len(toy.bodies), 0, 0, 0, 0, seconds))
    for start, body in zip(world["bodies"], toy.bodies):
        out.write(struct.pack("<13d", *body["x"], *start["orientation"], *body["v"], 0, 0, 0))
    out.flush()


def main():
    out = sys.stdout.buffer
    if "--describe" in sys.argv:
        print(json.dumps(HELLO))
        return
    world = json.loads(sys.stdin.readline())
    hello = dict(HELLO, options=world["options"], unsupported=lacks(world), approximates=[])
    out.write((json.dumps(hello) + "\n").encode())
    out.flush()
    if hello["unsupported"]:
        return
    toy = Toy(world["gravity"])
    for body in world["bodies"]:
        toy.add(body["position"], body["velocity"], not body["fixed"])
    write_state(out, world, toy, 0.0)  # the echo of the initial state
    for line in sys.stdin:  # until the end of input
        word = line.split()
        if word[0] == "step":
            begin = time.perf_counter()
            toy.step(world["h"], world["options"]["drag"])
            write_state(out, world, toy, time.perf_counter() - begin)
        elif word[0] == "remove":
            toy.bodies[int(word[1])]["moves"] = False


main()
