#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measured tosses and impacts as the tables that `rigor reality` reads; needs NumPy, and SciPy for impacts.

    reality_data.py tosses contact-nets/data/tosses_processed DIR      (github.com/DAIRLab/contact-nets, c3dc21c9)
    reality_data.py impacts ImpactModeling/ellipse_uniform.mat DIR     (github.com/DAIRLab/ImpactModeling, f6c28898)

Both are BSD-3-Clause: keep their licence with the data. SI units, y up, quaternions w first.

tosses: the source has positions over H = 0.0524 m, z up, and velocities that are backward differences. Lengths are
stretched by 1.0226, with which the cube rests at its half edge and falls with 9.82 m/s^2, and the state at frame 0 is fitted
to the frames before the first touch. impacts: the angle's sense is turned round, with which angular impulses fit.
"""
import gzip
import pathlib
import pickle
import sys

import numpy as np

RATE, HALF_EDGE, STRETCH, GRAVITY = 148.0, 0.0524, 1.0226, 9.81  # 1/s, m, 1, m/s^2
TOUCH = 0.006  # m: a corner below this may touch


def half(number):
    """fmix32 of the number: odd is test, even train; of these two bits more choose those for a quick fit."""
    x = number
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x ^= x >> shift
        x = x * factor & 0xFFFFFFFF
    x ^= x >> 16
    return ("test", 0) if x & 1 else ("train", int((x >> 1) & 3 == 0))


def load_tensor(path):
    """A tensor as torch.save wrote it before it wrote zips, without torch: pickles, then the plain numbers. Nothing but
    the tensor's own parts is unpickled."""
    types = {"FloatStorage": "<f4", "DoubleStorage": "<f8"}

    class Reader(pickle.Unpickler):
        def find_class(self, module, name):
            parts = {"_rebuild_tensor_v2": lambda storage, offset, size, stride, *_: (storage, offset, size, stride),
                     "OrderedDict": dict}
            if name in parts or name in types:
                return parts.get(name, types.get(name))
            raise pickle.UnpicklingError(f"{path}: {module}.{name} is no part of a tensor")

        def persistent_load(self, saved):
            return saved[1]

    with open(path, "rb") as file:
        *_, (dtype, offset, size, stride), _ = [Reader(file).load() for _ in range(5)]
        flat = np.frombuffer(file.read()[8:], dtype)[offset:]
    return np.lib.stride_tricks.as_strided(flat, size, [s * flat.itemsize for s in stride]).copy()


def multiply(a, b):
    w, x, y, z = (a[..., i] for i in range(4))
    W, X, Y, Z = (b[..., i] for i in range(4))
    return np.stack([w * W - x * X - y * Y - z * Z, w * X + x * W + y * Z - z * Y,
                     w * Y - x * Z + y * W + z * X, w * Z + x * Y - y * X + z * W], -1)


def turn(q, v):
    """q v q^-1 for one quaternion and many vectors, or the other way round."""
    u = np.cross(q[..., 1:], v)
    return v + 2 * (q[..., :1] * u + np.cross(q[..., 1:], u))


def rotation_vector(q):
    q = np.where(q[..., :1] < 0, -q, q)
    length = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    return q[..., 1:] * np.where(length > 1e-12, 2 * np.arctan2(length, q[..., :1]) / np.maximum(length, 1e-12), 2.0)


def exponential(v):
    angle = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.concatenate([np.cos(angle / 2), v * np.sinc(angle / (2 * np.pi)) / 2], -1)


def free_frames(x, q):
    """Frames from 0 on in which every corner is above TOUCH."""
    corners = HALF_EDGE * np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
    lowest = np.array([(p + turn(r, corners))[:, 1].min() for p, r in zip(x, q)])
    touched = np.nonzero(lowest < TOUCH)[0]
    return max(4, int(touched[0]) if len(touched) else len(x))


def fit_start(x, q, free):
    """Position, orientation, velocity and angular velocity (world) at frame 0: a parabola, and a constant rate of turn."""
    t = np.arange(free) / RATE
    line = np.stack([np.ones(free), t], -1)
    fall = x[:free] + 0.5 * GRAVITY * np.outer(t * t, [0, 1, 0])
    (p, v), *_ = np.linalg.lstsq(line, fall, rcond=None)
    start, w = q[0], np.zeros(3)
    for _ in range(10):  # q_i = exp(w t_i) exp(a) start: what is left is a line in t
        left = rotation_vector(multiply(q[:free], multiply(exponential(np.outer(t, w)), start) * [1, -1, -1, -1]))
        (a, b), *_ = np.linalg.lstsq(line, left, rcond=None)
        start, w = multiply(exponential(a), start), w + b
    return p, start / np.linalg.norm(start), v, w


def tosses(source, out):
    upright = np.array([0.5 ** 0.5, -(0.5 ** 0.5), 0, 0])  # z up becomes y up
    files = sorted(pathlib.Path(source).glob("*.pt"), key=lambda f: int(f.stem))
    if not files:
        sys.exit(f"{source}: there is no NUMBER.pt")
    with gzip.open(out / "tosses.csv.gz", "wt") as poses, open(out / "starts.csv", "w") as starts:
        print("toss,frame,x,y,z,qw,qx,qy,qz", file=poses)
        print("toss,frames,free,half,fit,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz", file=starts)
        for file in files:
            number, data = int(file.stem), np.asarray(load_tensor(file), float)
            data = data.reshape(-1, data.shape[-1])
            x = data[:, [0, 2, 1]] * [1, 1, -1] * HALF_EDGE * STRETCH
            q = multiply(upright, data[:, 3:7])
            q *= -1 if q[0, 0] < 0 else 1
            q[1:] *= np.cumprod(np.where((q[1:] * q[:-1]).sum(1) < 0, -1, 1))[:, None]
            for i, row in enumerate(np.hstack([x, q])):
                print(f"{number},{i}," + ",".join([f"{a:.6f}" for a in row[:3]] + [f"{a:.7f}" for a in row[3:]]), file=poses)
            free = free_frames(x, q)
            which, quick = half(number)
            state = np.concatenate(fit_start(x, q, free))
            print(f"{number},{len(x)},{free},{which},{quick}," + ",".join(f"{a:.9g}" for a in state), file=starts)


def impacts(source, out):
    from scipy.io import loadmat

    trials = loadmat(source, simplify_cells=True)["bounce_array"]
    with open(out / "impacts.csv", "w") as table:
        print("trial,half,flagged,vx,vy,w,vx1,vy1,w1,rx,ry", file=table)
        for number, trial in enumerate(trials):
            state = np.asarray(trial["states"], float)  # x, y, angle and their rates, before and after
            turned = state * np.tile([1, 1, -1], 4)
            arm = [-trial["n"][2], -trial["d"][2]]  # rows of the contact: n = (0, 1, x), d = (1, 0, -y), x turned round
            row = ",".join(f"{a:.9g}" for a in [*turned[3:6], *turned[9:12], *arm])
            print(f"{number},{half(number)[0]},{int(np.any(trial['flags']))},{row}", file=table)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("tosses", "impacts"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    {"tosses": tosses, "impacts": impacts}[sys.argv[1]](sys.argv[2], folder)
