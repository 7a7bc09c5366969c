# ./x candidates real: for each real program the candidates of the static analysis, how many of them `symx races` confirms, refutes, leaves
# open and meets in an order, and whether each race that ThreadSanitizer reports in native runs is among them. Not part of CI.

candidates_native_runs=5
candidates_seconds=${CANDIDATES_SECONDS:-600}

# The calls of LLVM's instrumentation that gcc's runtime does not have. It intercepts what they call.
candidates_runtime() {
    cat >"$1.c" <<'C' && gcc -O1 -fno-builtin -fno-optimize-sibling-calls -c "$1.c" -o "$1.o"
#include <string.h>
void *__tsan_memset(void *to, int byte, size_t size) { return memset(to, byte, size); }
void *__tsan_memcpy(void *to, const void *from, size_t size) { return memcpy(to, from, size); }
void *__tsan_memmove(void *to, const void *from, size_t size) { return memmove(to, from, size); }
C
}

# candidates_watched NAME PROGRAM: the bitcode of a real program as a native one under ThreadSanitizer.
candidates_watched() {
    local bitcode="$deps/real/$1.bc" runtime="$2.runtime"
    candidates_runtime "$runtime" &&
        "$llvm/bin/opt" -passes=forceattrs -force-attribute=sanitize_thread "$bitcode" -o "$2.bc" &&
        "$llvm/bin/clang" -w -O1 -fsanitize=thread -c "$2.bc" -o "$2.o" &&
        g++ "$2.o" "$runtime.o" -o "$2" -fsanitize=thread -lm -latomic
}

# candidates_row NAME ARGUMENT...: a row of the table; the arguments are those of ./x real.
candidates_row() {
    local name=$1 folder="$deps/real/candidates" run
    shift
    mkdir -p "$folder"
    step "build $name for ThreadSanitizer" candidates_watched "$name" "$folder/$name" || return
    rm -f "$folder/$name.reports"
    for ((run = 0; run < candidates_native_runs; run++)); do
        (cd "$deps/real/run" && TSAN_OPTIONS=history_size=7 timeout 120 "$folder/$name" "$@" 2>>"$folder/$name.reports" >/dev/null </dev/null) || true
    done
    local symx=("$root/target/release/symx" races "$deps/real/$name.bc" --quiet --max-time "$candidates_seconds" --mount "$deps/real/run")
    (cd "$deps/real/run" && "${symx[@]}" --candidates --json "$folder/$name.json" -- "$@") || true
    if grep -q "data race" "$folder/$name.reports"; then
        (cd "$deps/real/run" && "${symx[@]}" --candidates "$folder/$name.reports" --json "$folder/$name.reported.json" -- "$@") || true
    else
        rm -f "$folder/$name.reported.json"
    fi
    python3 "$root/setup/candidates_row.py" "$name" "$folder/$name"
}

# candidates_real [NAME...]
candidates_real() {
    local names=("$@") name
    [ ${#names[@]} -gt 0 ] || names=(lbzip2-O1 pigz-O1 pbzip2-O1 plzip-O1 xz-O1 zstd-O1 memcached-O1)
    cargo build --release -p symx || fail "step 'build' failed; cargo's messages are above"
    mkdir -p "$deps/real/run"
    real_text 512 >"$deps/real/run/input"
    for name in "${names[@]}"; do
        real_built "$name" && real_run "$name" candidates_row
    done
}
