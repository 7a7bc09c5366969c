#!/usr/bin/env bash
# ./x clap: the programs of CLAP's Table 1 (PLDI'13) re-created. Each is run natively, recording, until it fails; symx
# finds a schedule for the recorded paths, and the native program repeats the failure under it. Prints a table with the
# paper's numbers beside ours.
#
# CLAP_SECONDS bounds the native runs of a program, CLAP_SEARCH the search for a schedule.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/step.sh"

symx="$root/target/release/symx"
out="$root/symx-out/clap"
native_seconds=${CLAP_SECONDS:-60}
search_seconds=${CLAP_SEARCH:-60}
replays=20

# Name, the model its failure needs, the paper's threads, instructions, branches, shared accesses, seconds (symbolic and
# solving) and context switches; then the source and the arguments.
rows() {
    cat <<'ROWS'
sim_race sc  5 103      18      23      0.8+0.5  0   programs/clap/sim_race
pbzip2   sc  4 4203     473     65      4+5      2   programs/block_compressor input/ledger.txt compressed 2 1024
aget     sc  4 39401    4017    1951    125+89   1   programs/clap/aget
bbuf     sc  5 2643     189     64      3+5      1   programs/bounded_buffer input/harbour.txt 1 2 2
swarm    sc  3 840193   73728   1265    27+64    2   programs/clap/swarm
pfscan   sc  3 2261926  287713  2864    332+160  3   programs/file_scanner input/notes seed 2 2
apache   sc  28 6806939 961779  81237   770+344  3   programs/clap/apache
racey    sc  3 93035842 7133586 1361588 857+2280 276 programs/clap/racey
bakery   tso 5 1181     182     218     1+8      1   programs/clap/bakery
dekker   tso 3 223      28      39      1+2      1   programs/clap/dekker
peterson tso 3 215      28      35      1+2      1   programs/clap/peterson
ROWS
}

# A number of the last line of a JSON result, or `-`.
field() {
    python3 -c 'import json, sys
value = json.load(open(sys.argv[1]))
for name in sys.argv[2:]:
    value = value[int(name)] if isinstance(value, list) else value.get(name)
    if value in (None, []): break
print("-" if value in (None, []) else value)' "$@" 2>/dev/null || echo -
}

# clap_record NAME ARGUMENT...: native runs until one fails; how many it took, or nothing.
clap_record() {
    local name=$1 runs=0 status=0
    shift
    SECONDS=0
    while [ $SECONDS -lt "$native_seconds" ]; do
        runs=$((runs + 1)) status=0
        "$symx" record --timeout 10 -o "$out/$name.prof" -- "$out/$name" "$@" >"$out/$name.native" 2>&1 || status=$?
        [ "$status" -lt 128 ] || { echo "$runs" && return; }
    done
}

clap_row() {
    local name=$1 model=$2 theirs=$3 source=$4
    shift 4
    local runs seconds status=0 result="$out/$name.json" native=- schedule
    clang-22 -O1 -g -pthread -emit-llvm -c "$root/bitcode-corpus/$source.c" -o "$out/$name.bc"
    "$symx" instrument "$out/$name.bc" -o "$out/$name"
    runs=$(clap_record "$name" "$@")
    rm -f "$result"
    rm -rf "$out/$name.out"
    if [ -n "$runs" ]; then
        SECONDS=0
        (
            ulimit -v 6000000
            exec timeout -s KILL $((search_seconds + 30)) "$symx" run "$out/$name.bc" --guide "$out/$name.prof" \
                --memmodel "$model" --max-time "$search_seconds" --out "$out/$name.out" --json "$result" -- "$@"
        ) >"$out/$name.run" 2>&1 || status=$?
    fi
    schedule="$out/$name.out/schedule.json"
    if [ -f "$schedule" ]; then
        native=$({ "$symx" replay "$out/$name.bc" "$schedule" --native "$out/$name" --times $replays 2>&1 || true; } |
            tee "$out/$name.replay" | sed -n 's/^reproduced natively \([0-9]*\) of .*/\1/p;s/.*cannot be made to delay stores.*/buffered/p' | tail -n 1)
    fi
    seconds=$(field "$result" stats wall_ms)
    [ "$seconds" = - ] || seconds=$(awk "BEGIN { printf \"%.1f\", $seconds / 1000 }")
    printf '%-9s %-4s %6s %7s %12s %8s %8s %5s %9s | %s\n' "$name" "$model" "${runs:-none}" \
        "$(field "$result" stats threads)" "$(field "$result" stats instructions)" "$(field "$result" stats events)" \
        "$seconds" "$(field "$result" violations 0 context_switches)" "${native:--}" "$theirs"
}

mkdir -p "$out"
cd "$root/bitcode-corpus/programs"
printf '%-9s %-4s %6s %7s %12s %8s %8s %5s %9s | %s\n' program model runs threads instructions events seconds switches \
    "native/$replays" "the paper: threads instructions branches shared-accesses seconds switches"
wanted=" $* "
rows | while read -r name model threads instructions branches accesses seconds switches source arguments; do
    [ "$wanted" = "  " ] || [[ "$wanted" == *" $name "* ]] || continue
    read -r -a list <<<"${arguments//compressed/$out/compressed}"
    clap_row "$name" "$model" "$threads $instructions $branches $accesses $seconds $switches" "$source" \
        ${list[@]+"${list[@]}"} </dev/null
done
echo "runs: native runs until one failed. instructions, events: of the search. buffered: the failure needs store buffers."
