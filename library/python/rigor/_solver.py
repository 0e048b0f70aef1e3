# SPDX-License-Identifier: MIT
"""Solvers written in Python, for teaching: the phases of solver.h as methods of a class."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import _rigor

ROW = np.dtype([
    ("body", "i4", 2), ("block", "i4"), ("normal", "i4"), ("angular", "i4"), ("contact", "i4"),
    ("J", "f8", 12), ("W", "f8", 12), ("C", "f8"), ("lower", "f8"), ("upper", "f8"), ("velocity", "f8"),
    ("compliance", "f8"), ("friction", "f8"), ("restitution", "f8"),
], align=True)
"""A scalar row: its two bodies (0 is the world) and block; J = (v1, w1, v2, w2) and W = M^-1 J^T; its error C, the bounds of
its multiplier as a force, the speed J V it wants; a friction row is bounded by `friction` times the multiplier of the row
`normal`."""

CAPABILITIES = ("joints", "loops", "limits", "drives", "compliance", "damping", "particles", "volumes", "contacts",
                "friction")


class Phase(NamedTuple):
    """A phase of a substep, as in solver.h: entered once, then iterated; `residual` says what is left."""

    name: str
    iterations: int
    enter: Callable[[Step], object] | None = None
    iterate: Callable[[Step], object] | None = None
    residual: Callable[[Step], float] | None = None


class Rows:
    """The rows of a substep, as arrays: each field of ROW, one element (or row) a scalar row."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.table = np.frombuffer(step._rows(), ROW)
        for name in ROW.names or ():
            setattr(self, name, np.ascontiguousarray(self.table[name]))
        self.multiplier = np.zeros(len(self.table))

    def __len__(self) -> int:
        return len(self.table)

    def speed(self, i: int) -> float:
        """J V of a row."""
        one, two = self.body[i]
        v, w, J = self.step.velocity, self.step.angular_velocity, self.J[i]
        return float(J[0:3] @ v[one] + J[3:6] @ w[one] + J[6:9] @ v[two] + J[9:12] @ w[two])

    def push(self, i: int, impulse: float) -> None:
        """V += M^-1 J^T impulse, which is added to the row's multiplier (N s) and counted as a row solve."""
        one, two = self.body[i]
        v, w, W = self.step.velocity, self.step.angular_velocity, self.W[i]
        v[one] += impulse * W[0:3]
        w[one] += impulse * W[3:6]
        v[two] += impulse * W[6:9]
        w[two] += impulse * W[9:12]
        self.multiplier[i] += impulse
        self.step._count(1)

    def bounds(self, i: int) -> tuple[float, float]:
        """Of the row's multiplier as an impulse: h times those of a force; a friction row's by its normal's multiplier."""
        if self.normal[i] >= 0:
            most = self.friction[i] * self.multiplier[self.normal[i]]
            return -most, most
        return float(self.lower[i] * self.step.h), float(self.upper[i] * self.step.h)

    @property
    def diagonal(self) -> np.ndarray:
        """J M^-1 J^T of each row."""
        return np.einsum("ij,ij->i", self.J, self.W)

    def matrix(self) -> np.ndarray:
        """J M^-1 J^T as a dense matrix."""
        bodies = len(self.step.position)
        full, weighed = np.zeros((2, len(self), 6 * bodies))
        for i in range(len(self)):
            for k, body in enumerate(self.body[i]):
                part, six = slice(6 * body, 6 * body + 6), slice(6 * k, 6 * k + 6)
                full[i, part] += self.J[i, six]
                weighed[i, part] += self.W[i, six]
        return full @ weighed.T


class Step(_rigor.Step):
    """The current substep. `position`, `orientation` (of the principal axes), `velocity`, `angular_velocity` have a row a
    body, 0 being the world; what is written into them moves the bodies. `inv_mass`, `inv_inertia` (principal) and
    `gravity` are to read. `h` and `time` are in s."""

    def _arrays(self, bodies: int) -> None:
        self.position, self.velocity, self.angular_velocity, self.inv_inertia = np.zeros((4, bodies, 3))
        self.orientation = np.zeros((bodies, 4))
        self.inv_mass = np.zeros(bodies)
        self.gravity = np.zeros(3)
        self._open(self.position, self.orientation, self.velocity, self.angular_velocity, self.inv_mass,
                   self.inv_inertia, self.gravity)

    def rows(self) -> Rows:
        """The rows at the current poses."""
        return Rows(self)

    def give(self, rows: Rows) -> None:
        """Leaves the rows' multipliers (N s) behind: what reactions, contacts and the work of drives are made of."""
        impulse = np.zeros((self._blocks, 3))
        on_second = np.where(rows.angular[:, None] != 0, rows.J[:, 9:12], rows.J[:, 6:9])
        np.add.at(impulse, rows.block, rows.multiplier[:, None] * on_second)
        self._give(impulse)


class Solver:
    """A solver of your own. Override `enter` and `iterate` (one velocity phase, after which the bodies move), or `plan`
    for other phases. The class says what it can do; `options` are numbers that a run may set.

        class Relaxed(rigor.Solver):
            \"\"\"Gauss-Seidel with relaxation.\"\"\"
            capabilities = ("joints", "loops")
            options = {"relaxation": 1.0}

            def enter(self, step):
                step.fly()
                self.rows = step.rows()

            def iterate(self, step):
                for i in range(len(self.rows)):
                    error = self.rows.speed(i) + 0.2 * self.rows.C[i] / step.h
                    self.rows.push(i, -self.relaxation * error / self.rows.diagonal[i])

        rigor.run("pendulum", Relaxed, iterations=20, relaxation=1.3)
    """

    name: str | None = None
    reference = "a solver written in Python"
    capabilities: tuple[str, ...] = ("joints", "loops", "particles")
    substeps = 1
    iterations = 10
    options: dict[str, float] = {}
    rows: Rows

    def enter(self, step: Step) -> None:
        """Once a substep: free flight and the rows."""
        step.fly()
        self.rows = step.rows()

    def iterate(self, step: Step) -> None:
        """One of `iterations` sweeps over the rows."""

    def leave(self, step: Step) -> None:
        """The end of a substep: multipliers are left behind, and the bodies move."""
        step.give(self.rows)
        step.move()

    def plan(self) -> list[Phase]:
        """The phases of a substep."""
        return [Phase("velocity", self.iterations, self.enter, self.iterate), Phase("move", 0, self.leave)]

    @classmethod
    def _own(cls) -> _rigor.Solver:
        own = cls.__dict__.get("_rigor_solver")
        if own is None:
            own = _rigor.Solver(solver_name(cls), (cls.__doc__ or "a solver written in Python").strip().split("\n")[0],
                                cls.reference, capability_bits(cls.capabilities), int(cls.substeps),
                                int(cls.iterations), tuple((k, float(v)) for k, v in cls.options.items()),
                                cls._task)
            cls._rigor_solver = own
        return own

    @classmethod
    def _task(cls, bodies: int, iterations: int, values: tuple[float, ...], dt: float) -> tuple[Any, Step]:
        self = cls()
        self.iterations = iterations
        self.dt = dt
        for key, value in zip(cls.options, values):
            setattr(self, key, value)
        step = Step()
        step._arrays(bodies)
        phases = [Phase(*phase) for phase in self.plan()]
        if not 1 <= len(phases) <= 5:
            raise ValueError("a substep has 1 to 5 phases")
        return tuple((str(p.name), int(p.iterations), p.enter, p.iterate, p.residual) for p in phases), step


def solver_name(solver: str | type[Solver]) -> str:
    """The name of a solver or of a class that is one: `MySolver` is my_solver."""
    if isinstance(solver, str):
        return solver
    if not (isinstance(solver, type) and issubclass(solver, Solver)):
        raise TypeError(f"a solver is its name or a subclass of rigor.Solver, not {solver!r}")
    return solver.name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", solver.__name__).lower()


def capability_bits(names: tuple[str, ...]) -> int:
    """As solver.h has them. Volumes join four bodies, which rows of two have no place for."""
    bits = 0
    for name in names:
        if name not in CAPABILITIES or name == "volumes":
            raise _rigor.UsageError(f"'{name}' is no capability of a solver in Python: {', '.join(CAPABILITIES)}")
        bits |= 1 << CAPABILITIES.index(name)
    return bits | (1 << 8 if "friction" in names else 0)
