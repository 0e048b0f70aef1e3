#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the module by pip, without a network, into an environment of its own, and uses nothing but what is there.
# usage: test_wheel.sh PYTHON SOURCE_ROOT BUILD_ROOT
python=$1 source=$2 build=$3
"$python" -c 'import venv, ensurepip, pip' 2>/dev/null || { echo "no venv or pip: not installed" && exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
fail() {
    echo "FAILED: $*"
    exit 1
}
"$python" -m venv --system-site-packages "$work/venv" || fail "venv"
unset PYTHONPATH
export PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1
cp "$source/pyproject.toml" "$work/" && mkdir -p "$work/library" && cp -r "$source/library/python" "$work/library/python" || exit 1
"$work/venv/bin/pip" install --no-build-isolation --config-settings "build=$build" "$work" >"$work/log" 2>&1 ||
    fail "pip: $(tail -20 "$work/log")"
cd / || exit 1
"$work/venv/bin/python" - "$work/venv" <<'END' || fail "the installed module"
import subprocess
import sys

import rigor

place = sys.argv[1]
assert rigor.__file__.startswith(place), rigor.__file__
run = rigor.run("stack", "pgs", time=0.2)
assert run.film().svg.startswith("<?xml")
said = subprocess.run([place + "/bin/rigor", "run", "stack", "pgs", "--time", "0.2", "--json"], capture_output=True, text=True)
assert f'"verdict": "{run.verdict}"' in said.stdout, said
assert rigor.compare("pendulum", "pgs", time=0.1) is not None
maps = open("/proc/self/maps").read()
assert place + "/lib" in maps and "librigor" in maps
assert not [line for line in maps.split("\n") if "librigor" in line and place not in line], "another librigor"
END
"$work/venv/bin/pip" uninstall -y rigor >"$work/log" 2>&1 || fail "uninstall: $(cat "$work/log")"
[ ! -e "$work/venv/bin/rigor" ] || fail "the program is left"
echo "all passed"
