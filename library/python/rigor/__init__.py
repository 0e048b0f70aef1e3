# SPDX-License-Identifier: MIT
"""rigor: rigid-body constraint solvers, compared.

    import rigor
    r = rigor.run(rigor.scene("chain", links=20), "xpbd", substeps=20, time=5)
    r.verdict, r.metrics["drift_max"], r.position[-1]      # position[frame, body, axis]

    for frame in (run := rigor.start("pendulum", "pgs")):  # frame by frame
        run.force("link1", (0, 5, 0))

    rigor.compare("stack", ["pgs", "xpbd"])                # a table; with pandas a DataFrame

Units are SI, y is up, quaternions are w, x, y, z. The same calls give the same bits as the program `rigor`.
A mistake is a `rigor.Error` with the program's message."""

from ._rigor import Error, FileError, UnsupportedError, UsageError, names
from ._rigor import version as __version__
from ._run import Run, Scene, load_plugin, run, scene, start
from ._show import Page, Picture, figure
from ._solver import Phase, Rows, Solver, Step
from ._tables import compare, converge, results, sweep

__all__ = [
    "Error", "FileError", "Page", "Phase", "Picture", "Rows", "Run", "Scene", "Solver", "Step", "UnsupportedError",
    "UsageError", "compare", "converge", "figure", "load_plugin", "metrics", "results", "run", "scene", "scenes",
    "solvers", "start", "sweep",
]


def scenes() -> list[str]:
    """The names of the built-in scenes."""
    return names("scenes")


def solvers() -> list[str]:
    """The names of all solvers: backends, their variants, engines."""
    return names("solvers")


def metrics() -> list[str]:
    """The names of all metrics."""
    return names("metrics")
