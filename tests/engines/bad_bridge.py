# SPDX-License-Identifier: MIT
"""A bridge that misbehaves as its argument says: the protocol's failures, one by one."""
import json
import os
import signal
import struct
import sys
import time

how = sys.argv[1]
hello = {"rigor_engine": 2 if how == "version" else 1, "name": "bad", "engine": "bad", "precision": "double"}


def spam(fd, data):
    """Endless output, as fast as it is taken."""
    try:
        while True:
            os.write(fd, data)
    except BrokenPipeError:
        os._exit(1)


def drip(data):
    while True:
        os.write(1, data)
        time.sleep(0.05)  # a header takes longer than the limit of the tests


if "--describe" in sys.argv:
    if how == "boundless":
        spam(1, b"x" * 65536)
    if how == "key":
        hello["\x1b[2J"] = 1
    if how == "colourful":
        hello["engine"] = "\x1b[31mred"
    hello["rigor_engine"] = 1
    hello["name"] = {"escape": "\x1b[2J", "path": "../bad", "long": "b" * 65, "blank": "a b"}.get(how, "bad")
    if how == "range":
        hello["options"] = [{"name": "drag", "default": 5, "min": 6, "max": -6}]
    print(json.dumps(hello))
    sys.exit()
if how == "deaf":
    time.sleep(100)
world = json.loads(sys.stdin.readline())
out = sys.stdout.buffer
if how == "endless":
    spam(1, b"x" * 65536)
if how == "drip_hello":
    drip(b"x")
if how == "loud_hello":
    spam(2, b"noise\n" * 10000)


clock = {"negative": -1.0, "no_number": float("nan"), "endless_clock": float("inf"), "longer": 60.0}.get(how, 1e-7)


def rounded(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def turned(vector):
    """As an engine in float that keeps poses in another frame: a small component beside a large one is off by the
    rounding of the large one."""
    c, s = 0.6, 0.8
    x, y = rounded(c * vector[0] + s * vector[1]), rounded(c * vector[1] - s * vector[0])
    return [rounded(rounded(c * x) - rounded(s * y)), rounded(rounded(s * x) + rounded(c * y)), rounded(vector[2])]


if how == "turned":
    hello["precision"] = "float"
if how == "sessions":  # what outlives a group: a child in a session of its own, and its child in another
    script = "import os,time; os.setsid(); os.fork() and os._exit(0); os.setsid(); time.sleep(300)"
    if os.fork() == 0:
        for fd in range(3):
            os.close(fd)
        os.execvp(sys.executable, [sys.executable, "-c", script, *sys.argv[2:]])


def state(shift=0.0, more=0, pairs=0, text=b""):
    out.write(b"RIGS" + struct.pack("<5Id", len(world["bodies"]) + more, 0, pairs, len(text), 0, clock))
    for b in world["bodies"]:
        x = [b["position"][0] + shift] + b["position"][1:]
        if how == "turned":
            x = turned(x)
        out.write(struct.pack("<13d", *x, *b["orientation"], *b["velocity"], *b["angular_velocity"]))
    out.write(text)
    out.flush()


if how == "unsupported":
    hello["unsupported"] = ["colours", "sounds"]
if how == "babble":
    print("good morning", flush=True)
    time.sleep(100)
print(json.dumps(hello), flush=True)
state(1e-9 if how == "echo" else 0.0)
for count, line in enumerate(sys.stdin):
    if how == "die" and count == 3:
        print("the engine ran out of luck", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if how == "die_once" and count == 3 and world["bodies"][1]["mass"] > 2.0:
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "drip" and count == 3:
        drip(b"R")
    if how == "loud" and count == 3:
        spam(2, b"noise\n" * 10000)
    while how == "states" and count == 3:  # nobody asked for them
        state()
    if how == "events":
        state(text=b"".join(b"\x1b[31mevent %d of %d\n" % (i, count) for i in range(100)))
        continue
    if how == "hang" and count == 3:
        time.sleep(100)
    if how == "nonsense" and count == 3:
        out.write(b"x" * 4096)
        out.flush()
    wrong = count == 3
    shift = {"nan": float("nan"), "far": 1e300, "away": 1e3}.get(how, 0.0) if wrong else 0.0
    state(shift, int(wrong and how == "counts"), 2**32 - 1 if wrong and how == "pairs" else 0)
    if wrong and how == "extra":
        out.write(b"and more")
        out.flush()
