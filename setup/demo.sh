#!/usr/bin/env bash
# The main job on a real program: record a native run that fails, reproduce it, replay it. Called by `./x demo`.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/step.sh"

symx="$root/target/release/symx"
program="block_compressor"
out="$root/symx-out/demo"
seconds=60

# The program reads a real file; the paths are relative so that what is printed reads well.
cd "$root/bitcode-corpus/programs"
arguments=(input/ledger.txt "$out/compressed" 2 1024)

rm -rf "$out"
mkdir -p "$out" "$deps/log"

echo "1. compile $program.c to bitcode, and that to a native program that records its paths"
step "demo compile" clang-22 -O1 -g -pthread -emit-llvm -c "$program.c" -o "$out/$program.bc"
step "demo instrument" "$symx" instrument "$out/$program.bc" -o "$out/$program"

echo "2. run it natively until it fails, at most $seconds s"
runs=0 failed=0 status=0
SECONDS=0
while [ $failed = 0 ] && [ $SECONDS -lt $seconds ]; do
    runs=$((runs + 1)) status=0
    "$symx" record -o "$out/path.prof" -- "$out/$program" "${arguments[@]}" \
        >"$deps/log/demo-record.log" 2>&1 || status=$?
    # A process killed by a signal is 128 and the signal's number.
    [ "$status" -ge 128 ] && failed=1
done
[ $failed = 1 ] || fail "step 'demo record' failed: none of $runs native runs failed; see $deps/log/demo-record.log"
echo "   run $runs failed: $(tail -n 1 "$deps/log/demo-record.log")"

# Exit status 1 is the one wanted here: an error was found and replayed.
echo "3. reproduce it along the recorded paths"
status=0
"$symx" run "$out/$program.bc" --guide "$out/path.prof" --out "$out" --json "$out/run.json" -- "${arguments[@]}" >"$out/run.txt" || status=$?
cat "$out/run.txt"
[ $status = 1 ] || fail "step 'demo reproduce' failed: symx run ended with status $status"

echo "4. replay the schedule"
status=0
"$symx" replay "$out/$program.bc" "$out/schedule.json" >"$out/replay.txt" || status=$?
[ $status = 0 ] || fail "step 'demo replay' failed: symx replay ended with status $status"
line() { sed -n "s/.*--> .*$program\.c:\([0-9]*\).*/\1/p" | head -n 1; }
reproduced=$(line <"$out/run.txt") replayed=$(line <"$out/replay.txt")
[ -n "$replayed" ] && [ "$reproduced" = "$replayed" ] ||
    fail "step 'demo replay' failed: the replay fails at line '$replayed', the reproduction at line '$reproduced'"
echo "   the replay fails at the same line, $program.c:$replayed"
echo "All artefacts are in $out"
