#!/usr/bin/env bash
# What recording costs: CPU time of the recorded beside the plain program, both at -O2 with two threads, least of
# ROUNDS interleaved runs, with the whole log kept and with a ring; and how long the log is. Called by
# `./x recording [ROUNDS [MIB]]`.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/step.sh"
for part in debian_source lbzip2 real/build real/pigz real/run; do
    # shellcheck source=/dev/null
    . "$root/setup/$part.sh"
done

symx="$root/target/release/symx"
rounds=${1:-5}
ring=${2:-1}
out="$root/target/recording"
clang="$llvm/bin/clang"
mkdir -p "$out"
cd "$out"

# optimised NAME FROM: NAME.bc at -O2 and the programs NAME and NAME-recorded of it.
optimised() {
    "$clang" -w -g -O2 -pthread -emit-llvm -c "$2" -o "$1.bc"
    "$clang" -w -O2 "$1.bc" -o "$1" -pthread -lm
    "$symx" instrument "$1.bc" -o "$1-recorded"
}

# cpu COMMAND...: the user and system milliseconds it takes; it must succeed.
cpu() {
    local TIMEFORMAT="%U %S" times
    times=$({ time "$@" >/dev/null 2>stderr || echo "failed" >&2; } 2>&1)
    case $times in *failed*) fail "'$*' failed; see $out/stderr" ;; esac
    awk '{printf "%d\n", ($1 + $2) * 1000}' <<<"$times"
}

# recorded SETTING COMMAND...: its milliseconds with SYMX_RECORD_RING as the setting says; the logs are thrown away.
recorded() {
    local logs
    logs=$(mktemp -d /dev/shm/recording.XXXXXX)
    if [ -n "$1" ]; then export SYMX_RECORD_RING=$1; fi
    SYMX_RECORD_DIR=$logs cpu "${@:2}"
    unset SYMX_RECORD_RING
    rm -rf "$logs"
}

least() { sort -g "$1" | head -1; }

# branches PROGRAM ARGUMENT...: the conditional branches it executes, where valgrind is there (which cannot read every
# program's debugging information).
branches() {
    "$llvm/bin/llvm-objcopy" --strip-debug "$1" "$1.stripped"
    valgrind --tool=callgrind --branch-sim=yes --callgrind-out-file=/dev/null "$1.stripped" "${@:2}" 2>&1 >/dev/null |
        sed -n 's/.*Branches: .*(\(.*\) cond.*/\1/p' | tr -d ,
}

# measure NAME SMALL -- ARGS: times with ARGS; the log's length with SMALL, one word or an empty one for ARGS.
measure() {
    local name=$1 small=$2 round length=""
    shift 3
    rm -f native stream ring
    for ((round = 0; round < rounds; round++)); do
        cpu "./$name" "$@" >>native
        recorded "" "./$name-recorded" "$@" >>stream
        recorded "$ring" "./$name-recorded" "$@" >>ring
    done
    if command -v valgrind >/dev/null && command -v zstd >/dev/null; then
        set -- "${@:1:$#-1}" "$small"
        "$symx" record --quiet -o path.prof -- "./$name-recorded" "$@" >/dev/null 2>&1
        length=$(awk -v log_bytes="$(stat -c %s path.prof)" -v packed="$(zstd -q -1 -c path.prof | wc -c)" \
            -v branches="$(branches "./$name" "$@")" 'BEGIN {
                printf "%.2f bytes a branch, %.1f KB a million branches after zstd -1",
                    log_bytes / branches, packed / branches * 1000 }')
    fi
    awk -v name="$name" -v native="$(least native)" -v stream="$(least stream)" -v ring="$(least ring)" -v size="$ring" \
        -v length_text="$length" 'BEGIN {
            printf "%-15s %6d ms, stream %.2f, ring of %d MiB %.2f; %s\n",
                name, native, stream / native, size, ring / native, length_text }'
}

awk -v size=10000000 -f "$root/setup/recording/text.awk" >input
head -c 1000000 input >small
for name in racy_array bounded_buffer merge_sort compressor; do
    optimised "$name" "$root/setup/recording/$name.c"
done
setup_lbzip2
real_built pigz-O2
optimised lbzip2 "$deps/lbzip2/lbzip2-O1.bc"
optimised pigz "$deps/real/pigz-O2.bc"

measure racy_array 1000000 -- 20000000
measure bounded_buffer 100000 -- 1000000
measure merge_sort 400000 -- 4000000
measure compressor small -- input
measure lbzip2 small -- -n 2 -c input
measure pigz small -- -p 2 -c input
