# cargo-nextest runs the tests side by side; without it `./x test` falls back to cargo test.

setup_nextest() {
    command -v cargo-nextest >/dev/null && return
    [ -e "$deps/no-nextest" ] && return
    echo "x: install cargo-nextest" >&2
    cargo install --locked cargo-nextest >"$deps/log/install-nextest.log" 2>&1 </dev/null && return
    # Asked once: a machine that cannot build it should not try at every run.
    touch "$deps/no-nextest"
    echo "x: cargo-nextest could not be installed (see $deps/log/install-nextest.log); tests run with cargo test" >&2
}
