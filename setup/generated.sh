# Generated C programs of several threads, more than the tests run: is what symx finds the same in all modes, by the rows of the
# standard, and in native runs? And are killed explorations resumed without loss?

# generated [PROGRAMS [SEED [KILLED]]]: half of the programs around calls, half of everything; so many explorations are killed.
generated() {
    local half=$(((${1:-20000} + 1) / 2))
    SYMX_GENERATED_PROGRAMS=$half SYMX_GENERATED_SEED=${2:-0} SYMX_GENERATED_KILLS=${3:-300} \
        cargo test --profile soak -q -p symx-bitcode-corpus --test generated_programs -- --nocapture ||
        fail "symx disagrees with itself, the rows or a native run; the program is above"
}
