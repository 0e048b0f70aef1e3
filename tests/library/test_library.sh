#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs into a folder, moves it, and uses nothing but what is there: the program, the library, a plug-in.
# usage: test_library.sh SOURCE_ROOT BUILD_ROOT LIBDIR
source=$1 build=$2 libdir=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cc=${CC:-cc}
fail() {
    echo "FAILED: $*"
    exit 1
}
DESTDIR=$work/stage meson install -C "$build" --no-rebuild --quiet >"$work/log" 2>&1 || fail "install: $(tail -5 "$work/log")"
moved="$work/moved"
mv "$work/stage$(dirname "$(cd / && dirname "$(find "$work/stage" -name rigor.h | sed "s|^$work/stage||")")")" "$moved" ||
    fail "the prefix cannot be moved"
cp "$source/examples/drop.c" "$source/examples/spring_solver.c" "$work" && cd "$work" || exit 1
export PKG_CONFIG_PATH="$moved/$libdir/pkgconfig" RIGOR_CACHE=
rigor=$moved/bin/rigor
"$source/tests/safety/test_hardened.sh" installed none 0 "$rigor" "$moved/$libdir/librigor.so" || fail "what is installed is not hardened"

# Figures, page and bridges are those of the moved tree.
cp "$moved/share/rigor/figures/averaging.json" "$moved/share/rigor/figures/only_here.json" || fail "no figures"
"$rigor" list figures | grep -q '^only_here' || fail "figures are not taken from where the program is"
[ -s "$moved/libexec/rigor/engines/bridge_protocol.md" ] || fail "no engines"
for page in rigor rigor-run rigor-help; do
    [ -s "$moved/share/man/man1/$page.1" ] || fail "no manual page $page"
done
"$rigor" help run | grep -q -- '--perturb' && grep -q 'perturb' "$moved/share/man/man1/rigor-run.1" || fail "manual page"

# A program of the library gives what the program gives.
$cc -Wall -Wextra -Werror drop.c -o drop $(pkg-config --cflags --libs rigor) || fail "drop.c does not build"
LD_LIBRARY_PATH=$moved/$libdir ./drop pgs >said || fail "drop: $(cat said)"
grep -q '^c  *0.2' said && grep -q 'contacts, penetration_max 0.0' said || fail "drop says: $(cat said)"
LD_LIBRARY_PATH=$moved/$libdir ./drop pgz 2>said && fail "an unknown solver must fail"
grep -q "did you mean 'pgs'" said || fail "drop does not say what is wrong: $(cat said)"
echo '#include <rigor.h>
int main() { return rigor_version() == nullptr; }' >plus.cpp
if command -v c++ >/dev/null; then
    c++ -std=c++11 -fsyntax-only $(pkg-config --cflags rigor) plus.cpp || fail "rigor.h is no C++"
fi

# A plug-in needs the installed headers alone, and each of them stands by itself.
$cc -shared -fPIC -Wall -Wextra -Werror $(pkg-config --cflags rigor-plugin) spring_solver.c -o spring.so ||
    fail "spring_solver.c does not build"
"$rigor" run pendulum springs --plugin ./spring.so --time 0.5 >said || fail "plug-in: $(cat said)"
for header in $(cd "$moved/include/rigor" && find . -name '*.h'); do
    echo "#include \"$header\"" | $cc -std=gnu11 -fsyntax-only -I "$moved/include/rigor" -x c - || fail "$header"
done

# A plug-in sees the model, the contract, free flight and the loop, and nothing of how backends are made.
[ "$(cd "$moved/include/rigor/solvers" && echo $(find . -name '*.h' | sort))" = \
    "./conventions.h ./motion.h ./phases.h ./solver.h ./stepper.h" ] || fail "headers: $(ls -R "$moved/include/rigor/solvers")"

# Nothing but the interfaces is shown: no function of the harness, and no solver by name.
nm -D --defined-only "$moved/$libdir/librigor.so" | awk '{ print $NF }' | sed 's/@.*//' | sort -u >shown
grep -E '^(run_|runs_|store_|sweep_|json_|table_|scene_|problem_|all_|figure)|_solver$' shown && fail "these are shown"
for name in rigor_open rigor_run_step rigor_main motion_begin block_rows world_add_body status_set integrator_names; do
    grep -qx $name shown || fail "$name is not shown"
done
cat $(find "$moved/include" -name '*.h') >declared
grep -vE '^RIGOR_' shown | while read -r name; do
    grep -qw "$name" declared || fail "$name is shown, and no header declares it"
done || fail "more is shown than declared"
nm -D --undefined-only spring.so | awk '$1 == "U" { print $2 }' | grep -v @ | while read -r name; do
    grep -qx "$name" shown || fail "$name"
done || fail "the plug-in needs what is not shown"

# Without the source tree: over it lies an empty folder, where the system lets us.
hide="unshare -m"
[ "$(id -u)" = 0 ] || hide="unshare -rm"
empty="mount -t tmpfs none '$build' && mount -t tmpfs none '$source'" # the build first: it may lie within the source
if $hide sh -c "$empty" 2>/dev/null; then
    $hide sh -c "$empty && ! ls '$source/README.md' 2>/dev/null && '$rigor' list figures && '$rigor' run pendulum xpbd &&
        LD_LIBRARY_PATH=$moved/$libdir ./drop pgs && '$rigor' run pendulum springs --plugin ./spring.so" >said 2>&1 ||
        fail "without the source tree: $(cat said)"
else
    echo "the source tree cannot be hidden here: not looked at"
fi

# Completion knows commands, scenes, solvers, options, parameters and figures.
complete_is() { # EXPECTED WORD...: the last word is being typed
    wanted=$1
    shift
    bash -c '. "$0"; COMP_WORDS=(rigor "$@"); COMP_CWORD=$#; _rigor 2>/dev/null; echo "${COMPREPLY[*]}"' \
        "$moved/share/bash-completion/completions/rigor" "$@" >said
    grep -qxF -- "$wanted" said || fail "completing rigor $*: '$(cat said)', not '$wanted'"
}
if command -v bash >/dev/null; then
    complete_is "spectrum" spe
    complete_is "pendulum" run pendu
    complete_is "rattle" run pendulum ratt
    complete_is "pgs,rattle" compare pendulum --solvers pgs,ratt
    complete_is "angle=" run pendulum xpbd -p ang
    complete_is "warm_start=" run pendulum pgs -s warm_st
    complete_is "--perturb" run pendulum pgs --pert
    complete_is "penetration_max" converge stack --metric penetration_m
    complete_is "averaging" report averag
fi
echo "all passed"
