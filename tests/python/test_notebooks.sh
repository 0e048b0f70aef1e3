#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the notebooks from the first cell to the last; their own assertions must hold.
# usage: test_notebooks.sh PYTHON FOLDER_OF_MODULE NOTEBOOK...
python=$1 module=$2
shift 2
"$python" -c 'import nbconvert, ipykernel' 2>/dev/null || { echo "no jupyter-nbconvert: not run" && exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export PYTHONPATH="$module" RIGOR_CACHE="$work/cache" HOME="$work" JUPYTER_PATH="$work/jupyter" PYDEVD_DISABLE_FILE_VALIDATION=1
mkdir -p "$work/jupyter/kernels/python3"
printf '{"argv": ["%s", "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "Python 3", "language": "python"}\n' \
    "$python" >"$work/jupyter/kernels/python3/kernel.json"
for notebook; do
    "$python" -m nbconvert --to notebook --execute --ExecutePreprocessor.timeout=300 --output-dir "$work" "$notebook" \
        >"$work/log" 2>&1 || { echo "FAILED: $notebook" && tail -40 "$work/log" && exit 1; }
    ! grep -q '"output_type": "error"' "$work/$(basename "$notebook")" || { echo "FAILED: $notebook shows an error" && exit 1; }
    grep -q '"output_type"' "$work/$(basename "$notebook")" || { echo "FAILED: $notebook shows nothing" && exit 1; }
done
echo "all passed"
