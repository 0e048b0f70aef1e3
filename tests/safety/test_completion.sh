#!/bin/sh
# SPDX-License-Identifier: MIT
# Completing in bash runs nothing that a file is called, and gives names whole.
# usage: test_completion.sh COMPLETION
command -v bash >/dev/null || exit 77
completion=$(realpath "$1")
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# shellcheck disable=SC2016 # the names are meant to look like commands
mkdir '$(touch ran)d' && touch '$(touch ran)' '`touch ran`.json' 'a b.json' '*' '$(touch ran)d/x.json' ./-o

cat >"$work/.complete" <<'END'
source "$1"
complete_line() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMPREPLY=()
    _rigor 2>&1
    printf '%s\n' "${COMPREPLY[@]}"
}
for word in '' '$(touch ran)' '`touch ran`' '*' '; touch ran;' '$(touch ran)d/'; do
    complete_line rigor "$word"
    complete_line rigor "$word" ''
    complete_line rigor run "$word"
    complete_line rigor run "$word" ''
    complete_line rigor run "$word" pgs -p ''
    complete_line rigor run chain "$word" -o ''
    complete_line rigor compare chain --solvers "pgs,$word" --over ''
    complete_line rigor compare chain --solvers "pgs,$word"
    complete_line rigor compare chain "$word" ''
done >.all
complete_line rigor check '' >.names
complete_line rigor check 'a' >.one
END
bash "$work/.complete" "$completion" || { echo "completion failed"; exit 1; }
[ ! -e ran ] && [ ! -e "\$(touch ran)d/ran" ] || { echo "completing ran a command"; exit 1; }
# shellcheck disable=SC2016
for name in '$(touch ran)' '`touch ran`.json' 'a b.json' '*' '$(touch ran)d'; do
    [ "$(grep -cxF -e "$name" .names)" = 1 ] || { echo "'$name' is not given once and whole:"; cat .names; exit 1; }
done
[ "$(cat .one)" = 'a b.json' ] || { echo "blanks split a name:"; cat .one; exit 1; }
