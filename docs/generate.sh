#!/bin/sh
# SPDX-License-Identifier: MIT
# The pages that the program itself writes: its commands and its metrics.
# usage: generate.sh RIGOR FOLDER
rigor=$1 folder=$2
mkdir -p "$folder" || exit 1
COLUMNS=100
export COLUMNS
{
    printf '```text\n' && "$rigor" help && printf '```\n'
    "$rigor" help | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p' | while read -r command; do
        printf '\n## rigor %s\n\n```text\n' "$command" && "$rigor" help "$command" && printf '```\n'
    done
} >"$folder/commands.md"
{ printf '```text\n' && "$rigor" list metrics && printf '```\n'; } >"$folder/metrics.md"
