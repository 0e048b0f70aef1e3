# SPDX-License-Identifier: MIT
"""What a notebook shows: pictures, pages, tables."""

from __future__ import annotations

import glob
import html
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _rigor


def option_words(options: Mapping[str, Any]) -> list[str]:
    """Options of a command: {"at": "0,1"} as --at 0,1; True as a bare one; a list as several."""
    words: list[str] = []
    for key, value in options.items():
        name = "--" + key.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words += [] if one is False or one is None else [name] if one is True else [name, str(one)]
    return words


class Picture:
    """An SVG picture."""

    def __init__(self, svg: str, path: str | None = None) -> None:
        self.svg = svg
        self.path = path

    @classmethod
    def of_command(cls, words: Sequence[str], folder: str, path: str | os.PathLike[str] | None,
                   options: Mapping[str, Any]) -> Picture:
        """What the command draws with `-o`, as SVG, and into a file of any of its forms."""
        drawn = os.path.join(folder, "picture.svg")
        wanted = os.fspath(path) if path is not None else None
        if wanted is not None and not wanted.endswith(".svg"):
            _rigor.command([*words, "-o", wanted, *option_words(options)])
        video = wanted is not None and wanted.endswith((".mp4", ".gif"))
        _rigor.command([*words, "-o", drawn, *([] if video else option_words(options))])
        if wanted is not None and wanted.endswith(".svg"):
            shutil.copyfile(drawn, wanted)
        with open(drawn, encoding="utf-8") as file:
            return cls(file.read(), wanted)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as SVG."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg


class Page:
    """An HTML page, shown in a frame of its own."""

    def __init__(self, html: str, height: int = 600) -> None:
        self.html = html
        self.height = height

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as HTML."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html)}" style="width:100%;height:{self.height}px;border:0">'
                "</iframe>")


def figure(name: str, **options: Any) -> Picture:
    """A figure of `rigor list figures`, or of a figure file, shown inline. Options are those of `rigor report`."""
    with tempfile.TemporaryDirectory() as folder:
        _rigor.command(["report", name, "-o", folder, *option_words(options)])
        drawn = sorted(glob.glob(os.path.join(folder, "**", "*.svg"), recursive=True))
        if not drawn:
            raise _rigor.Error(f"{name}: no picture was drawn")
        with open(drawn[0], encoding="utf-8") as file:
            return Picture(file.read())


def table_html(caption: str, head: Iterable[str], rows: Iterable[Iterable[Any]], notes: Iterable[str] = ()) -> str:
    """A table with warnings below it."""
    cells = "".join("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    head_cells = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    below = "".join(f"<p>warning: {html.escape(note)}</p>" for note in notes)
    return f"<table><caption>{html.escape(caption)}</caption><tr>{head_cells}</tr>{cells}</table>{below}"
