#!/usr/bin/env bash
# How fast programs run in symx and in LLVM's own interpreter, side by side: CPU seconds of whole processes, in pairs.
# The peer is lli of LLVM 19, which runs the same bitcode, made by the clang of that version. Called by `./x compare [ROUNDS]`.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/step.sh"

symx="$root/target/release/symx"
lli=/usr/lib/llvm-19/bin/lli
clang=/usr/lib/llvm-19/bin/clang
rounds=${1:-3}
out="$root/target/compare"
mkdir -p "$out"

if [ ! -x "$lli" ] || [ ! -x "$clang" ]; then
    step "install the peer" as_root apt-get install -y --no-install-recommends llvm-19 clang-19
fi

# cpu COMMAND...: the user and system milliseconds it takes; it must succeed.
cpu() {
    local TIMEFORMAT="%U %S" times
    times=$({ time "$@" >/dev/null 2>"$out/stderr" || echo "failed" >&2; } 2>&1)
    case $times in *failed*) fail "'$*' failed; see $out/stderr" ;; esac
    awk '{printf "%d\n", ($1 + $2) * 1000}' <<<"$times"
}

# median: of the numbers on standard input.
median() {
    sort -g | awk '{value[NR] = $1} END {print value[int((NR + 1) / 2)]}'
}

# Turns enough for symx to run for a good part of a second; the start of either process counts.
declare -A more=([register_loop]="-DTURNS=20000000" [sieve]="-DROUNDS=30" [matrix_product]="-DSIDE=240")
for name in register_loop sieve matrix_product; do
    "$clang" -O1 -c -emit-llvm "${more[$name]}" "$root/benches/programs/$name.c" -o "$out/$name.bc"
    : >"$out/pairs"
    for ((round = 0; round < rounds; round++)); do
        ours=$(cpu "$symx" exec "$out/$name.bc")
        theirs=$(cpu "$lli" -force-interpreter "$out/$name.bc")
        echo "$ours $theirs" >>"$out/pairs"
    done
    printf '%-15s symx %6d ms, lli %6d ms, ratio %s\n' "$name" "$(awk '{print $1}' "$out/pairs" | median)" \
        "$(awk '{print $2}' "$out/pairs" | median)" "$(awk '{printf "%.1f\n", $2 / $1}' "$out/pairs" | median)"
done

# The start: a module of some 50 KB whose main does nothing, 11 times.
{
    echo 'int main(void) { return 0; }'
    for ((number = 0; number < 120; number++)); do
        echo "int f$number(int *p, int n) { int s = $number; for (int i = 0; i < n; i++) s += p[i] * i; return s; }"
    done
} >"$out/start.c"
"$clang" -O1 -g -c -emit-llvm "$out/start.c" -o "$out/start.bc"
for ((round = 0; round < 11; round++)); do cpu "$symx" exec "$out/start.bc"; done >"$out/starts"
echo "start-up of a module of $(($(wc -c <"$out/start.bc") / 1024)) KB: $(median <"$out/starts") ms of CPU time"
