#!/bin/sh
# SPDX-License-Identifier: MIT
# A plug-in that crashes: which phase of which solver is told, the status is `crashed`, and the other runs go on.
# usage: test_plugin_crash.sh RIGOR ROGUE.so SANITIZER
rigor=$(realpath "$1") rogue=$(realpath "$2") sanitizer=$3
. "$(dirname "$0")/../support/sweep_common.sh"
cd "$work" || exit 1

crash="the run crashed in phase 'rogue' of solver rogue, frame 1: "
for act in abort fault divide exit; do
    refuses 1 "$crash" run projectile rogue --plugin "$rogue" -s act=$act --time 0.1
    "$rigor" run projectile rogue --plugin "$rogue" -s act=$act --time 0.1 --json >out 2>err
    [ $? -eq 1 ] || fail "act=$act: the exit status with --json is not 1"
    grep -q '"status": "crashed"' out || fail "act=$act: the status is not crashed"
done
refuses 1 "the run crashed as solver rogue was created: " run projectile rogue --plugin "$rogue" -s act=create --time 0.1
refuses 1 "$crash" run projectile rogue --plugin "$rogue" -s act=abort --time 0.1 --record r.h5
[ "$sanitizer" = none ] && ls | grep -q part && fail "a part file stays behind: $(ls)"
succeeds compare projectile --plugin "$rogue" --solvers rogue:act=fault,rogue,xpbd --time 0.1
says "note: rogue:act=fault: the run crashed in phase 'rogue' of solver rogue:act=fault, frame 1"
says "rogue:act=fault  -        crashed"
says "6 frames"
grep -q '^xpbd *holds *ok' out || fail "the others did not run: $(cat out)"
# A plug-in that behaves gives the same results as it would in this process: the final state comes back.
succeeds compare projectile --plugin "$rogue" --solvers rogue,naive --time 0.1 --json --state --repeats 1
grep -c '"status": "ok"' out | grep -q 2 || fail "a run in a child is not ok"
# Where nobody can be spared a child, the last words still tell.
"$rigor" solve projectile --at 0.1 --from rogue --solvers pgs --plugin "$rogue" -s rogue.act=fault >out 2>err && fail "a crash is a success"
finish
