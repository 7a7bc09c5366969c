# Fuzzing: ./x fuzz TARGET [CPU SECONDS], with cargo-fuzz and libFuzzer. Not part of the tests.
#
# The corpus in .deps/fuzz/TARGET is kept and grows. No sanitizer runs: what is looked for are panics and wrong values in
# safe code, and that works on the stable toolchain (cargo-fuzz passes flags that are stable but named by a nightly
# option, hence RUSTC_BOOTSTRAP).

fuzz_seconds=1800

install_cargo_fuzz() {
    [ -x "$deps/cargo-fuzz/bin/cargo-fuzz" ] && return
    step "install cargo-fuzz" cargo install cargo-fuzz --locked --version 0.13.2 --root "$deps/cargo-fuzz"
}

# Where mutation starts: small programs as text and as bitcode. Targets without seeds grow their corpus from nothing.
seed_loader() {
    local source name
    for source in "$root"/bitcode-corpus/{pass,fail,litmus}/*.c; do
        name=$(basename "$source" .c)
        [ -e "$1/$name.ll" ] && continue
        "$llvm/bin/clang" -O1 -g0 -S -emit-llvm -pthread -o "$1/$name.ll" "$source" 2>/dev/null || continue
        # Large modules slow every mutation down and teach nothing that small ones do not.
        [ "$(stat -c %s "$1/$name.ll")" -lt 20000 ] || rm "$1/$name.ll"
        [ -e "$1/$name.ll" ] && "$llvm/bin/llvm-as" "$1/$name.ll" -o "$1/$name.bc"
    done
}

# A report of each tool.
seed_reports() {
    cp "$root"/fuzz/seeds/reports/* "$1"/
}

# LLVM's reader crashes on some input; symx reads files in a child process for that reason. A finding is an input on which
# our own code panics, or on which the command does not end with exit code 2 (or 0, 1, 3: the damage did no harm).
judge_loader() {
    local input status findings=0 crashes=0
    for input in "$1"/crash-*; do
        [ -e "$input" ] || continue
        crashes=$((crashes + 1))
        if "$2" "$input" 2>&1 | grep -q "panicked at"; then
            echo "finding: our code panics on $input"
            findings=$((findings + 1))
            continue
        fi
        status=0
        # What a finding leaves goes beside the inputs.
        (cd "$1" && "$root/target/release/symx" exec --max-steps 1000000 "$input" >/dev/null 2>message </dev/null) || status=$?
        if [ $status -ge 4 ] && [ $status != 70 ]; then continue; fi
        if [ $status = 70 ] || grep -q "panicked" "$1/message"; then
            echo "finding: symx exec ends with status $status on $input"
            findings=$((findings + 1))
        fi
    done
    echo "loader: $crashes inputs crash LLVM's reader or ours; $findings findings"
    [ $findings = 0 ]
}

# A child whose crash interrupts the allocator can wait for ever in libFuzzer's own handler. Children that used no CPU time
# since the last look are ended; the parent goes on with the next.
end_idle_children() {
    local parent=$1 child ticks
    local -A seen=()
    while sleep 30 && kill -0 "$parent" 2>/dev/null; do
        for child in $(pgrep -f "^$2 " || true); do
            [ "$child" != "$parent" ] || continue
            ticks=$(cut -d' ' -f14,15 "/proc/$child/stat" 2>/dev/null) || continue
            [ "${seen[$child]:-}" != "$ticks" ] || kill -KILL "$child" 2>/dev/null || true
            seen[$child]=$ticks
        done
    done
}

fuzz() {
    local target=${1:-} seconds=${2:-$fuzz_seconds} longest=512 corpus artifacts binary
    case $target in
    loader | simplifier | profile | schedule | trace | explanation | reports) ;;
    *) fail "no fuzz target '$target'; there are loader, simplifier, profile, schedule, trace, explanation and reports" ;;
    esac
    install_cargo_fuzz
    corpus="$deps/fuzz/$target" artifacts="$deps/fuzz/$target-artifacts"
    mkdir -p "$corpus" "$artifacts"
    cd "$root/fuzz"
    step "build fuzz target $target" env RUSTC_BOOTSTRAP=1 PATH="$deps/cargo-fuzz/bin:$PATH" \
        cargo fuzz build --sanitizer none "$target"
    binary="$root/fuzz/target/$(rustc -vV | sed -n 's/^host: //p')/release/$target"
    case $target in
    loader)
        seed_loader "$corpus"
        (cd "$root" && cargo build --release -p symx) || fail "step 'build' failed"
        # Forked children, so that a crash of LLVM's does not end the run.
        "$binary" "$corpus" -artifact_prefix="$artifacts/" -max_total_time="$seconds" -max_len=16384 -fork=1 \
            -ignore_crashes=1 -ignore_ooms=1 -ignore_timeouts=1 -rss_limit_mb=2048 -timeout=20 -print_final_stats=1 \
            -dict="$root/fuzz/ir.dict" &
        end_idle_children $! "$binary"
        wait $! || true
        judge_loader "$artifacts" "$binary"
        ;;
    *)
        # A report of both accesses is longer than what other targets read.
        [ "$target" != reports ] || { seed_reports "$corpus" && longest=4096; }
        "$binary" "$corpus" -artifact_prefix="$artifacts/" -max_total_time="$seconds" -max_len="$longest" -timeout=20 \
            -print_final_stats=1
        ;;
    esac
}
