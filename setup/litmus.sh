# Random litmus programs, more than the tests run: do the two halves of each memory model agree, and does symx agree?

# litmus [PROGRAMS [SEED]]: the halves on so many programs, symx's exploration on a tenth of them.
litmus() {
    local programs=${1:-10000} seed=${2:-0}
    local tenth=$(((programs + 9) / 10))
    echo "x: both halves of each model on $programs programs from seed $seed on" >&2
    SYMX_LITMUS_PROGRAMS=$programs SYMX_LITMUS_SEED=$seed \
        cargo test --profile soak -q -p symx-litmus --test halves_agree random -- --nocapture ||
        fail "the halves differ; the program is above"
    echo "x: symx's exploration of $tenth of them" >&2
    SYMX_LITMUS_PROGRAMS=$tenth SYMX_LITMUS_SEED=$seed \
        cargo test --profile soak -q -p symx-bitcode-corpus --test random_litmus -- --nocapture ||
        fail "symx differs; the program is above"
}
