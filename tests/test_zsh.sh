#!/bin/sh
# SPDX-License-Identifier: MIT
# Completion in a real zsh: what Tab makes of the beginning of a command line. Status 77: there is no zsh.
# usage: test_zsh.sh COMPLETION
command -v zsh >/dev/null || { echo "skipped: zsh is not installed"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp "$1" "$work/_rigor" || exit 1
cat >"$work/ask.zsh" <<'END'
zmodload zsh/zpty || exit 77
work=$1 failures=0
zpty shell "ZDOTDIR=$work HOME=$work TERM=dumb zsh -f -i"
# Everything that the shell shows until it shows this pattern; within a minute.
await() {
    local seen= part
    integer tries=0
    while (( tries++ < 600 )); do
        if zpty -r -t shell part; then seen+=$part; else sleep 0.1; fi
        [[ $seen == ${~1} ]] && return 0
    done
    print -r -- "it shows: $seen"
    return 1
}
zpty -w shell "fpath=($work \$fpath); autoload -Uz compinit; compinit -u -D; setopt no_beep; PS1='%% '; print rea''dy"
await '*ready*' || exit 1
# complete BEGINNING RESULT: then the line is thrown away.
complete() {
    zpty -w -n shell "$1"$'\t'
    if await "*$2*"; then print "ok - $1<Tab> is $2"; else print "not ok - $1<Tab> is not $2"; failures=1; fi
    zpty -w -n shell $'\C-u'
}
complete 'rigor comp' 'rigor compare '
complete 'rigor run pendu' 'rigor run pendulum '
complete 'rigor run pendulum featherst' 'rigor run pendulum featherstone '
complete 'rigor run pendulum xpbd -p thick' '-p thickness='
complete 'rigor run pendulum xpbd -s subst' '-s substeps='
complete 'rigor compare stack --solvers pgs,xpbd_st' 'pgs,xpbd_stick'
complete 'rigor report work_pre' 'rigor report work_precision '
zpty -d shell
exit $failures
END
zsh -f "$work/ask.zsh" "$work"
