# SPDX-License-Identifier: MIT
"""How pip builds the Python module (PEP 517), by Meson and without a network:

    pip install --no-build-isolation .

The wheel has the package, and beside it what `make install` puts into a prefix: the program, librigor, figures, the page.
`-C build=FOLDER` takes a build that is there."""

import base64
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def _options(build):
    text = subprocess.run(["meson", "introspect", "--buildoptions", build], check=True, capture_output=True, text=True)
    return {option["name"]: option["value"] for option in json.loads(text.stdout)}


def _build():
    build = ROOT / "build-python"
    options = ["-Dpython=enabled", f"-Dpython_program={sys.executable}", "-Dlibdir=lib"]
    again = ["--reconfigure"] if (build / "build.ninja").exists() else []
    subprocess.run(["meson", "setup", *again, str(build), str(ROOT), *options], check=True, stdout=sys.stderr)
    subprocess.run(["ninja", "-C", str(build)], check=True, stdout=sys.stderr)
    return build


def _version(build):
    text = subprocess.run(["meson", "introspect", "--projectinfo", build], check=True, capture_output=True, text=True)
    return json.loads(text.stdout)["version"]


def _places(prefix, name):
    """Where each installed file goes in the wheel; a link goes where its soname is asked for."""
    for path in sorted(prefix.rglob("*")):
        inside = path.relative_to(prefix)
        if path.is_dir() or path.name.endswith((".so", ".pc")) and inside.parts[0] == "lib" and "rigor" != path.parent.name:
            continue
        if path.name.startswith("librigor.so.") and not path.is_symlink():
            continue
        if path.parent.name == "rigor" and path.parent.parent.name.endswith("-packages"):
            yield path, f"rigor/{path.name}"
        elif inside.parts[0] != "include":
            yield path, f"{name}.data/data/{inside}"


def _add(wheel, record, place, content, executable=False):
    info = zipfile.ZipInfo(place)
    info.external_attr = (0o100755 if executable else 0o100644) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    wheel.writestr(info, content)
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    record.append(f"{place},sha256={digest},{len(content)}")


def _metadata(version):
    """What stands in the wheel's .dist-info, by name."""
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    tag = f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    return tag, {
        "METADATA": f"Metadata-Version: 2.1\nName: rigor\nVersion: {version}\nRequires-Dist: numpy\n",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: rigor\nRoot-Is-Purelib: false\nTag: {tag}\n",
    }


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    given = (config_settings or {}).get("build")
    build = pathlib.Path(given) if given else _build()
    version = _version(build)
    name = f"rigor-{version}"
    tag, metadata = _metadata(version)
    file = f"{name}-{tag}.whl"
    record = []
    with tempfile.TemporaryDirectory() as stage, zipfile.ZipFile(pathlib.Path(wheel_directory, file), "w") as wheel:
        subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", stage], check=True,
                       stdout=sys.stderr)
        prefix = pathlib.Path(stage + _options(build)["prefix"])
        for path, place in _places(prefix, name):
            _add(wheel, record, place, path.read_bytes(), os.access(path, os.X_OK))
        for part, text in metadata.items():
            _add(wheel, record, f"{name}.dist-info/{part}", text.encode())
        wheel.writestr(f"{name}.dist-info/RECORD", "\n".join([*record, f"{name}.dist-info/RECORD,,"]) + "\n")
    return file


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    version = _version((config_settings or {}).get("build", ROOT / "meson.build"))
    folder = pathlib.Path(metadata_directory, f"rigor-{version}.dist-info")
    folder.mkdir()
    for part, text in _metadata(version)[1].items():
        (folder / part).write_text(text)
    return folder.name


def get_requires_for_build_wheel(config_settings=None):
    return []
