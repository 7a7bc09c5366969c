# Random programs of several threads, more than the tests run: do both reductions find what all schedules have?

# threads [PROGRAMS [SEED]]
threads() {
    SYMX_THREADS_PROGRAMS=${1:-5000} SYMX_THREADS_SEED=${2:-0} \
        cargo test --profile soak -q -p symx-bitcode-corpus --test random_threads -- --nocapture ||
        fail "a reduction loses something; the program is above"
}
