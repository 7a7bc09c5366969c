#!/usr/bin/env bash
# ./x clap: the programs of CLAP's Table 1 (PLDI'13) re-created. Each is run natively, recording, until it fails; symx
# finds a schedule for the recorded paths, and the native program repeats the failure under it. What does not fail natively
# in time is run in symx instead, with the store buffers of the model, much as the paper does it: all executions in order, then some at
# random.
# In either case the symbolic trace of the failing paths is solved once more, without the schedule, for the numbers of the
# table, which has the paper's beside them. Our time is the processor's for the whole of it: loading, tracing, solving, running the
# program under the schedule found.
#
# CLAP_SECONDS bounds the native runs of a program, CLAP_SEARCH the search for a schedule; SYMX is the symx to use.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/step.sh"

symx=${SYMX:-$root/target/release/symx}
out="$root/symx-out/clap"
native_seconds=${CLAP_SECONDS:-60}
search_seconds=${CLAP_SEARCH:-60}
replays=20

# Name, the model its failure needs, what the paper has (threads, shared variables, instructions, branches, shared
# accesses, constraints, seconds of solving, context switches); then the source and the arguments.
rows() {
    cat <<'ROWS'
sim_race sc  5 2 103 18 23 341 0.5 0 programs/clap/sim_race
pbzip2   sc  4 18 4203 473 65 5324 5 2 programs/block_compressor input/ledger.txt compressed 2 1024
aget     sc  4 30 39401 4017 1951 1366923 89 1 programs/clap/aget
bbuf     sc  5 11 2643 189 64 2784 5 1 programs/bounded_buffer input/harbour.txt 1 2 2
swarm    sc  3 13 840193 73728 1265 1226098 64 2 programs/clap/swarm
pfscan   sc  3 13 2261926 287713 2864 7255156 160 3 programs/file_scanner input/notes seed 2 2
apache   sc  28 22 6806939 961779 81237 10153562 344 3 programs/clap/apache
racey    sc  3 3 93035842 7133586 1361588 513086300 2280 276 programs/clap/racey
bakery   tso 5 3 1181 182 218 16355 8 1 programs/clap/bakery
dekker   tso 3 3 223 28 39 699 2 1 programs/clap/dekker
peterson tso 3 3 215 28 35 696 2 1 programs/clap/peterson
ROWS
}

# A number of a JSON result, or `-`.
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
        # 137: killed, as its time was over.
        [ "$status" -lt 128 ] || [ "$status" = 137 ] || { echo "$runs" && return; }
    done
}

# bounded COMMAND...: within the memory and time that a row may take.
bounded() {
    (
        ulimit -v 6000000
        exec timeout -s KILL $((search_seconds + 60)) "$@"
    )
}

clap_row() {
    local name=$1 model=$2 theirs=$3 source=$4
    shift 4
    local runs result="$out/$name.json" solved="$out/$name.solved.json" native=- schedule engine seconds=- switches=-
    clang-22 -O1 -g -pthread -emit-llvm -c "$root/bitcode-corpus/$source.c" -o "$out/$name.bc"
    "$symx" instrument "$out/$name.bc" -o "$out/$name"
    runs=$(clap_record "$name" "$@")
    rm -f "$result" "$solved"
    rm -rf "$out/$name.out"
    if [ -n "$runs" ]; then
        bounded "$symx" run "$out/$name.bc" --guide "$out/$name.prof" --engine both --memmodel "$model" \
            --max-time "$search_seconds" --out "$out/$name.out" --json "$result" -- "$@" >"$out/$name.run" 2>&1 || true
    fi
    schedule="$out/$name.out/schedule.json"
    engine=$(field "$result" synthesis engine)
    if [ ! -f "$schedule" ]; then
        runs=emulated engine=-
        schedule="$out/$name.out/failure-1.schedule.json"
        for way in dfs random; do
            [ ! -f "$schedule" ] || break
            bounded "$symx" run "$out/$name.bc" --check assert --memmodel "$model" --search "$way" --max-executions 1000000 \
                --max-time "$search_seconds" --out "$out/$name.out" --json "$result" -- "$@" >"$out/$name.run" 2>&1 || true
        done
    elif [ "$engine" = - ] || [ -z "$engine" ]; then
        engine=guided
    fi
    if [ -f "$schedule" ]; then
        bounded "$symx" trace solve "$out/$name.bc" "$schedule" --json "$solved" >"$out/$name.solve" 2>&1 || true
        # Once more for the time of the processor: counting constraints is no part of solving.
        TIMEFORMAT='%U'
        seconds=$({ time bounded "$symx" trace solve "$out/$name.bc" "$schedule" >/dev/null 2>&1 || true; } 2>&1)
        switches=$(field "$solved" preemptions)
        [ "$(field "$solved" fewest at_least)" != "$switches" ] || switches="$switches, the fewest"
        if [ "$runs" != emulated ]; then
            native=$({ "$symx" replay "$out/$name.bc" "$schedule" --native "$out/$name" --times $replays 2>&1 || true; } |
                tee "$out/$name.replay" |
                sed -n 's/^reproduced natively \([0-9]*\) of .*/\1/p;s/.*cannot be made to delay stores.*/buffered/p' | tail -n 1)
        fi
    fi
    printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' "$name" "$model" "$runs" "$engine" \
        "$(field "$solved" threads)" "$(field "$solved" shared_objects)" "$(field "$solved" instructions)" \
        "$(field "$solved" conditions)" "$(field "$solved" events)" "$(field "$solved" constraints)" \
        "$seconds" "$switches" "${native:--}"
    printf '| | | | the paper | %s | %s | %s | %s | %s | %s | %s | %s | |\n' $theirs
}

mkdir -p "$out"
cd "$root/bitcode-corpus/programs"
echo '| program | model | native runs | engine | threads | shared variables | instructions | branches (ours: conditions) | events | constraints | solving (s) | switches | native replays of '"$replays"' |'
echo '|---|---|---|---|---|---|---|---|---|---|---|---|---|'
wanted=" $* "
rows | while read -r name model threads variables instructions branches accesses constraints solving switches source arguments; do
    [ "$wanted" = "  " ] || [[ "$wanted" == *" $name "* ]] || continue
    read -r -a list <<<"${arguments//compressed/$out/compressed}"
    clap_row "$name" "$model" "$threads $variables $instructions $branches $accesses $constraints $solving $switches" \
        "$source" ${list[@]+"${list[@]}"} </dev/null
done
