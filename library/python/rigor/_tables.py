# SPDX-License-Identifier: MIT
"""Comparisons, convergence, sweeps: tables. With pandas they are DataFrames, without it lists of dicts."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from . import _rigor
from ._run import label_of, run, scene
from ._solver import Solver


def table(rows: list[dict[str, Any]]) -> Any:
    """A DataFrame where pandas is installed, else the rows."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def _named(solvers: str | Iterable[str | type[Solver]]) -> list[str | type[Solver]]:
    return list(solvers.split(",")) if isinstance(solvers, str) else list(solvers)


def compare(what: Any, solvers: str | Iterable[str | type[Solver]], *, metrics: Iterable[str] | None = None,
            options: Mapping[str, Mapping[str, Any]] | None = None, **common: Any) -> Any:
    """One row a solver: verdict, status, metrics, cost, message. A solver that cannot run the scene has the status
    'unsupported'. `options` gives one solver its own ({"xpbd": {"substeps": 20}}); the rest are for all runs."""
    of = scene(what)
    rows = []
    for solver in _named(solvers):
        own = dict((options or {}).get(label_of(solver, {}), {}))
        row: dict[str, Any] = {"solver": label_of(solver, own)}
        try:
            made = run(of, solver, keep=False, **common, **own)
        except _rigor.UnsupportedError as refused:
            rows.append(row | {"verdict": None, "status": "unsupported", "message": str(refused)})
            continue
        values = made.metrics
        row |= {"verdict": made.verdict, "status": made.status}
        row |= {name: values[name] for name in (metrics if metrics is not None else values)}
        row |= {"row_solves": made.cost["row_solves"], "us_per_frame": made.cost["us_per_frame"], "message": None}
        rows.append(row)
    return table(rows)


def _command_words(solvers: Iterable[str | type[Solver]], options: Mapping[str, Any]) -> list[str]:
    names = _named(solvers)
    if not all(isinstance(name, str) for name in names):
        raise TypeError("solvers by name are needed: the program does not know classes of this process")
    words = ["--solvers", ",".join(str(name) for name in names)]
    for key in ("dt", "time", "metric"):
        if key in options:
            words += [f"--{key}", str(options[key])]
    return words + [word for key, value in options.items() if key not in ("dt", "time", "metric")
                    for word in ("-s", f"{key}={value}")]


def converge(what: Any, solvers: Iterable[str], over: str, values: Iterable[Any], **options: Any) -> Any:
    """Errors against the truth: one row a solver and value of `over` (a solver's option, a scene's parameter or dt).
    `order` is the one fitted to the solver's rows. Options: dt, time, metric ('error_end'), and the solvers' own."""
    with tempfile.TemporaryDirectory() as folder:
        text = _rigor.command(["converge", *scene(what).words(folder), *_command_words(solvers, options), "--over",
                               f"{over}={','.join(str(value) for value in values)}", "--json"])
    document = json.loads(text)
    metric = document["metric"]
    orders = {fit["solver"]: fit["order"] for fit in document["fits"]}
    return table([{"solver": one["solver"], over: one["value"], metric: (one.get("metrics") or {}).get(metric),
                   "status": one["status"], "row_solves": (one.get("cost") or {}).get("row_solves"),
                   "order": orders.get(one["solver"])} for one in document["runs"]])


PROGRESS = re.compile(r"(\d+) of (\d+) runs")


def _bar(line: str) -> None:
    """The program's own words, in a line that is written over on a terminal."""
    done = PROGRESS.search(line)
    if done and sys.stderr.isatty():
        share = int(done[1]) / max(1, int(done[2]))
        bar = "#" * int(30 * share)
        print(f"\r{bar:30} {line.strip()}", end="\n" if share == 1 else "", file=sys.stderr, flush=True)
    elif line.strip():
        print(line, file=sys.stderr, flush=True)


def sweep(experiment: str | os.PathLike[str] | Mapping[str, Any], db: str | os.PathLike[str] | None = None, *,
          jobs: int | None = None, progress: bool | Callable[[str], object] = True) -> Any:
    """Makes every run of an experiment (a file, or a dict in its format) on all cores, and returns the stored table. With
    a `db` (SQLite) a sweep that was stopped goes on from there."""
    with tempfile.TemporaryDirectory() as folder:
        path = experiment if not isinstance(experiment, Mapping) else os.path.join(folder, "experiment.json")
        if isinstance(experiment, Mapping):
            with open(path, "w", encoding="utf-8") as file:
                json.dump(experiment, file)
        store = os.fspath(db) if db is not None else os.path.join(folder, "results.sqlite")
        words = ["sweep", os.fspath(path), "--db", store] + ([] if jobs is None else ["--jobs", str(jobs)])
        _rigor.command(words, progress if callable(progress) else _bar if progress else None)
        return results(store)


def results(db: str | os.PathLike[str], where: str | None = None) -> Any:
    """What sweeps stored: one row a run; `params` and `options` are dicts. `where` is a condition in SQL."""
    text = _rigor.command(["results", os.fspath(db), "--json", *(["--where", where] if where else [])])
    return table(json.loads(text))
