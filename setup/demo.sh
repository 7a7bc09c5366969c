#!/usr/bin/env bash
# The main job on a real program: record a native run that fails, reproduce it, replay it. Called by `./x demo`.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/step.sh"

symx="$root/target/release/symx"
program="$root/bitcode-corpus/programs/block_compressor.c"
out="$root/symx-out/demo"
seconds=60

# How the program is run: its arguments, and the input it compresses, any real file of some size.
input="$root/Cargo.lock"
arguments=("$input" "$out/compressed")

[ -f "$program" ] || fail "step 'demo' failed: no $program"
rm -rf "$out"
mkdir -p "$out"

echo "1. compile with path recording"
step "demo compile" "$symx" cc --symx-record -g -pthread "$program" -o "$out/program"
step "demo extract bitcode" "$symx" extract-bc "$out/program" -o "$out/program.bc"

echo "2. run natively until it fails, at most $seconds s"
runs=0 failed=0 status=0
while [ $failed = 0 ] && [ $SECONDS -lt $seconds ]; do
    runs=$((runs + 1)) status=0
    "$symx" record -o "$out/path.prof" -- "$out/program" "${arguments[@]}" \
        >"$deps/log/demo-record.log" 2>&1 || status=$?
    # A process killed by a signal is 128 and the signal's number.
    [ "$status" -ge 128 ] && failed=1
done
[ $failed = 1 ] || fail "step 'demo record' failed: none of $runs native runs failed; see $deps/log/demo-record.log"
echo "   run $runs ended with status $status"

# Exit status 1 is the one wanted here: an error was found and replayed.
echo "3. reproduce it under the recorded paths"
status=0
"$symx" run "$out/program.bc" --guide "$out/path.prof" --out "$out" --json "$out/run.json" -- "${arguments[@]}" || status=$?
[ $status = 1 ] || fail "step 'demo reproduce' failed: symx run ended with status $status"

echo "4. replay the schedule"
status=0
"$symx" replay "$out/program.bc" "$out/schedule.json" || status=$?
[ $status = 0 ] || fail "step 'demo replay' failed: symx replay ended with status $status"
echo "All artefacts are in $out"
