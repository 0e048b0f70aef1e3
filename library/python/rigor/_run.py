# SPDX-License-Identifier: MIT
"""Scenes and runs."""

from __future__ import annotations

import json
import math
import os
import pathlib
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from . import _rigor
from ._show import Page, Picture, table_html
from ._solver import Solver, solver_name

CONTACT = np.dtype([("body1", "i4"), ("body2", "i4"), ("point", "f8", 3), ("normal", "f8", 3), ("impulse", "f8", 3)])
"""A contact of a frame: bodies (-1: the world), where it is on body2, from body1 to body2, N s on body2."""

_plugins: list[str] = []


def load_plugin(path: str | os.PathLike[str]) -> None:
    """Loads a solver built outside the tree (a shared object); later runs know it by its name."""
    path = os.fspath(path)
    _rigor.command(["list", "solvers", "--plugin", path])
    _plugins.append(path)


def text_of(value: Any) -> str:
    """A parameter or option as the command line takes it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


class Scene:
    """What is simulated: a built-in scene by its name, a file (scene or robot), or a dict in the format of scene files.
    Parameters are those of `rigor show NAME`; of a dict, keys of the outermost object."""

    def __init__(self, what: str | os.PathLike[str] | Mapping[str, Any], **params: Any) -> None:
        self.params = params
        if isinstance(what, Mapping):
            self.kind, self.what, self.name = "text", json.dumps(what), str(what.get("name", "scene"))
            self._params = tuple((key, json.dumps(value)) for key, value in params.items())
            return
        self.kind, self.what = "name", os.fspath(what)
        if isinstance(what, os.PathLike) or ("/" not in self.what and os.path.exists(self.what)
                                             and self.what not in _rigor.names("scenes")):
            self.what = os.path.join(".", self.what)
        self.name = pathlib.PurePath(self.what).stem if "/" in self.what else self.what
        self._params = tuple((key, text_of(value)) for key, value in params.items())

    def __repr__(self) -> str:
        return f"rigor.scene({', '.join([repr(self.name), *(f'{k}={v!r}' for k, v in self.params.items())])})"

    def words(self, folder: str) -> list[str]:
        """The scene on a command line; one of a dict is written into the folder."""
        if self.kind == "name":
            return [self.what, *(word for key, value in self._params for word in ("-p", f"{key}={value}"))]
        document = json.loads(self.what) | {key: json.loads(value) for key, value in self._params}
        path = os.path.join(folder, "scene.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        return [path]

    def document(self) -> dict[str, Any]:
        """The scene as a dict, in the format of scene files."""
        with tempfile.TemporaryDirectory() as folder:
            return json.loads(_rigor.command(["export", *self.words(folder)]))


def scene(what: str | os.PathLike[str] | Mapping[str, Any] | Scene, **params: Any) -> Scene:
    """A scene: `scene("chain", links=20)`, `scene("mine.json")`, `scene({"rigor": 1, ...})`."""
    if isinstance(what, Scene):
        return Scene(json.loads(what.what) if what.kind == "text" else what.what, **{**what.params, **params})
    return Scene(what, **params)


def label_of(solver: str | type[Solver], options: Mapping[str, Any]) -> str:
    """A solver with its options as `rigor` writes one in place: pgs:iterations=50."""
    return ":".join([solver_name(solver), *(f"{key}={text_of(value)}" for key, value in options.items())])


class Run:
    """A solver at work on a scene. `start` gives one at its first frame, `run` one that is over.

    Step it with `step()`, with `for frame in run`, or to its end with `finish()`. Kept frames are in `position`,
    `orientation`, `velocity`, `angular_velocity` [frame, body, :], `force`, `torque` [frame, joint, :] (frame 0 is the
    initial state; reactions there are NaN) and `contacts(frame)`; they are views of the memory that the library writes
    into."""

    def __init__(self, what: Any, solver: str | type[Solver], *, dt: float | None = None, time: float | None = None,
                 truth: bool = True, detect: str = "substep", keep: bool = True, record: str | None = None,
                 **options: Any) -> None:
        if detect not in ("substep", "frame"):
            raise _rigor.UsageError(f"detect: '{detect}' is neither 'substep' nor 'frame'")
        self.scene = scene(what)
        self.solver = solver
        self.options = options
        own = solver._own() if isinstance(solver, type) else None
        self._order = (self.scene.kind, self.scene.what, self.scene._params, label_of(solver, options),
                       0.0 if dt is None else float(dt), 0.0 if time is None else float(time), detect == "frame",
                       bool(truth))
        self._rest = (tuple(_plugins), own)
        self._run = _rigor.Run(*self._order, record, *self._rest)
        self._pushes: list[tuple[int, str, tuple[Any, ...]]] = []
        self._document: tuple[int, dict[str, Any]] | None = None
        self.bodies = self._run.body_names
        self.joints = self._run.joint_names
        self.over = False
        self._kept: tuple[np.ndarray, ...] | None = self._arrays() if keep else None
        if self._kept:
            self._run.advance(0, self._kept)

    def _arrays(self) -> tuple[np.ndarray, ...]:
        rows, bodies, joints = self._run.frames + 1, len(self.bodies), len(self.joints)
        arrays = tuple(np.empty((rows, bodies, width)) for width in (3, 4, 3, 3))
        reactions = np.empty((rows, joints, 3)), np.empty((rows, joints, 3))
        for array in reactions:
            array[0] = math.nan
        return arrays + reactions

    # --- Going on ---

    def step(self) -> bool:
        """Makes the next frame. False: the run is over, or blew up."""
        if self._kept is None:
            made = self._run.step()
        else:
            made = self._run.advance(1, self._kept)
        self.over = not made
        return made

    def finish(self) -> Run:
        """Makes the frames that are left."""
        self.over = not self._run.advance(self._run.frames - self._run.frame + 1, self._kept)
        return self

    def __iter__(self) -> Iterator[int]:
        while self.step():
            yield self._run.frame

    @property
    def time(self) -> float:
        """s since the start."""
        return self._run.time

    @property
    def frame(self) -> int:
        """Frames made so far."""
        return self._run.frame

    @property
    def frames(self) -> int:
        """Frames of the whole run."""
        return self._run.frames

    # --- Pushing ---

    def _index(self, names: tuple[str, ...], which: str | int, what: str) -> int:
        if isinstance(which, str):
            if which not in names:
                raise _rigor.UsageError(f"there is no {what} '{which}' in {self.scene.name}: {', '.join(names[:8])}")
            return names.index(which)
        if not 0 <= which < len(names):
            raise IndexError(f"{what} {which} of {len(names)}")
        return int(which)

    def _push(self, kind: str, *arguments: Any) -> None:
        getattr(self._run, kind)(*arguments)
        self._pushes.append((self._run.frame, kind, arguments))
        self._document = None

    def force(self, body: str | int, force: Any = (0, 0, 0), torque: Any = (0, 0, 0)) -> None:
        """Pushes a body from now on (N, N m; world frame, at its centre of mass), until it is set again."""
        pair = tuple(float(f) for f in force), tuple(float(t) for t in torque)
        self._push("set_force", self._index(self.bodies, body, "body"), *pair)

    def drive(self, joint: str | int, value: float | None = None) -> float:
        """What drives a joint: a servo's angle, a motor's speed or torque, a cylinder's position or force; with a value,
        it is that from now on. NaN: nothing drives it."""
        index = self._index(self.joints, joint, "joint")
        if value is not None:
            self._push("set_drive", index, float(value))
        return self._run.drive(index)

    # --- What came of it ---

    def _history(self, index: int) -> np.ndarray:
        if self._kept is None:
            raise _rigor.UsageError("this run keeps no frames (keep=False): state() is what there is")
        return self._kept[index][: self._run.frame + 1]

    position = property(lambda self: self._history(0), doc="m, [frame, body, axis]")
    orientation = property(lambda self: self._history(1), doc="w, x, y, z: [frame, body, 4]")
    velocity = property(lambda self: self._history(2), doc="m/s, [frame, body, axis]")
    angular_velocity = property(lambda self: self._history(3), doc="rad/s, [frame, body, axis]")
    reaction_force = property(lambda self: self._history(4), doc="N on each joint's second body, [frame, joint, axis]")
    reaction_torque = property(lambda self: self._history(5), doc="N m about its anchor, [frame, joint, axis]")

    @property
    def times(self) -> np.ndarray:
        """s, of each kept frame."""
        return np.arange(self._run.frame + 1) * self.document["dt"]

    def state(self) -> dict[str, np.ndarray]:
        """Position, orientation, velocity, angular_velocity, reaction_force, reaction_torque now."""
        keys = ("position", "orientation", "velocity", "angular_velocity", "reaction_force", "reaction_torque")
        shapes = [(len(self.bodies), width) for width in (3, 4, 3, 3)] + [(len(self.joints), 3)] * 2
        arrays = [np.empty(shape) for shape in shapes]
        self._run.states(*arrays)
        return dict(zip(keys, arrays))

    def contacts(self, frame: int | None = None) -> np.ndarray:
        """The contacts of a frame (None: the last), summed over it: a structured array with the fields of CONTACT."""
        if frame is None:
            return np.frombuffer(self._run.contacts(), CONTACT)
        if self._kept is None or not 0 <= frame <= self._run.frame:
            raise IndexError(f"frame {frame} is not kept")
        ends, contacts = self._run.kept_contacts()
        end = np.frombuffer(ends, "i8")
        return np.frombuffer(contacts, CONTACT)[end[frame - 1] if frame > 0 else 0:end[frame]]

    @property
    def document(self) -> dict[str, Any]:
        """The JSON document of `rigor run --json --state`, of the frames so far."""
        if self._document is None or self._document[0] != self._run.frame or not self.over:
            self._document = self._run.frame, json.loads(self._run.document())
        return self._document[1]

    @property
    def metrics(self) -> dict[str, float]:
        """All metrics; NaN where one does not apply."""
        return {name: math.nan if value is None else value for name, value in self.document["metrics"].items()}

    @property
    def verdict(self) -> str | None:
        """'holds', 'drifts' or 'falls'."""
        return self.document["verdict"]

    @property
    def status(self) -> str:
        """'ok' or 'blew_up'."""
        return self.document["status"]

    @property
    def warnings(self) -> list[str]:
        """What makes the run doubtful."""
        return self.document["warnings"]

    @property
    def events(self) -> list[dict[str, Any]]:
        """Fallbacks, caps and clamps of the solver."""
        return self.document["events"]

    @property
    def cost(self) -> dict[str, Any]:
        """row_solves, us_per_frame, ..."""
        return self.document["cost"]

    # --- Showing it ---

    def record(self, path: str | os.PathLike[str]) -> str:
        """Writes the run so far as HDF5: it is made again, with the same pushes, in a process of its own."""
        path = os.fspath(path)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            self._record_and_exit(path, write)
        os.close(write)
        with open(read, encoding="utf-8", errors="replace") as pipe:
            said = pipe.read()
        _, end = os.waitpid(child, 0)
        if end != 0:
            raise _rigor.Error(said or f"{path}: the process that writes the recording ended without a word")
        return path

    def _record_and_exit(self, path: str, write: int) -> None:
        try:
            again = _rigor.Run(*self._order, path, *self._rest)
            pushes = iter(self._pushes)
            push = next(pushes, None)
            for frame in range(self._run.frame + 1):
                while push and push[0] == frame:
                    getattr(again, push[1])(*push[2])
                    push = next(pushes, None)
                if frame < self._run.frame:
                    again.step()
            if self.status == "blew_up":
                again.step()
            again.finish()
            os._exit(0)
        except BaseException as wrong:
            os.write(write, str(wrong).encode())
        finally:
            os._exit(1)

    def film(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Picture:
        """A filmstrip, shown inline; with a path also that file (.svg, .pdf, .png, or a video: .mp4, .gif). Options are
        those of `rigor film`."""
        with tempfile.TemporaryDirectory() as folder:
            recording = self.record(os.path.join(folder, f"{self.solver_label}.h5"))
            return Picture.of_command(["film", recording], folder, path, options)

    def view(self, height: int = 600) -> Page:
        """The interactive 3D page, shown inline."""
        with tempfile.TemporaryDirectory() as folder:
            recording = self.record(os.path.join(folder, f"{self.solver_label}.h5"))
            path = os.path.join(folder, "page.html")
            _rigor.command(["view", recording, "-o", path])
            with open(path, encoding="utf-8") as file:
                return Page(file.read(), height)

    @property
    def solver_label(self) -> str:
        """Its name with its options, as in tables."""
        return self._order[3]

    def __repr__(self) -> str:
        said = f"{self.verdict}, " if self.over and self.verdict else ""
        return f"<rigor.Run {self.scene.name} with {self.solver_label}: {said}{self.frame} of {self.frames} frames>"

    def _repr_html_(self) -> str:
        rows = [(name, f"{value:.4g}") for name, value in self.metrics.items() if not math.isnan(value)]
        return table_html(repr(self)[1:-1], ("metric", "value"), rows, self.warnings)


def start(what: Any, solver: str | type[Solver], **options: Any) -> Run:
    """A run at its first frame. `dt`, `time` (s), `truth` (errors against `reference`, which may take long; closed forms
    are always there), `detect` and `keep` are the run's; other options are the solver's."""
    return Run(what, solver, **options)


def run(what: Any, solver: str | type[Solver], **options: Any) -> Run:
    """The whole run: `run("chain", "xpbd", substeps=20, time=5)`. Options as for `start`."""
    return start(what, solver, **options).finish()
