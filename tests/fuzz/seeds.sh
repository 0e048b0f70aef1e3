# shellcheck shell=sh
# What run.sh and floors.sh share: the seeds of every target, in folders of their own. Those that are no texts are made by
# the program itself. usage: make_seeds RIGOR WORK
make_seeds() {
    mkdir -p "$2/recording" "$2/store" "$2/problem" "$2/cache" "$2/protocol"
    "$1" run pendulum xpbd --time 0.1 --record "$2/recording/pendulum.h5" >/dev/null 2>&1
    "$1" run stack pgs -p boxes=2 --time 0.2 --record "$2/recording/stack.h5" >/dev/null 2>&1
    "$1" solve stack -p boxes=2 --at 0.2 --solvers pgs --dump "$2/problem/stack.h5" >/dev/null 2>&1
    "$1" solve chain -p links=2 --at 0.1 --solvers pgs --dump "$2/problem/chain.h5" >/dev/null 2>&1
    printf '{"rigor":1,"name":"s","grid":[{"scene":"pendulum","solver":"xpbd","time":0.1}]}' >"$2/s.json"
    "$1" sweep "$2/s.json" --db "$2/store/s.sqlite" --jobs 1 >/dev/null 2>&1
    cp "$2/problem/stack.h5" "$2/recording/problem.h5" # a good file, and no recording
    head -c 4096 "$2/recording/stack.h5" >"$2/recording/cut.h5"
    head -c 4096 "$2/store/s.sqlite" >"$2/store/cut.sqlite"
    rm -f "$2/store"/*-wal "$2/store"/*-shm "$2/s.json"
    printf 'V' >"$2/protocol/silent"
    printf '{"rigor_engine": 1, "name": "f", "engine": "f", "precision": "float", "unsupported": ["joints"]}\n' >"$2/protocol/refuses"
    printf '{"rigor_engine": 1, "name": "f", "engine": "f", "precision": "float", "approximates": ["x"], "offset": [0, 0, 1]}\nRIGS' >"$2/protocol/hello"
    for at in "$here/seeds"/*; do
        mkdir -p "$2/${at##*/}"
        cp "$at"/* "$2/${at##*/}/"
    done
    mkdir -p "$2/scene" "$2/figure"
    cp "$here"/../../examples/bricard.json "$2/scene/"
    cp "$here"/../../reports/figures/s*.json "$2/figure/"
}
