# Compares symx with native runs of programs that others wrote: GCC's tests and csmith's. Not part of CI.
#
# setup/conformance/ holds the driver and, for either suite, the list of known differences with their reasons.

conformance_packages=(gcc-12-source csmith libcsmith-dev)

# The tests, unpacked once from Debian's package of GCC's source.
conformance_sources() {
    local archive folder="$deps/conformance/gcc"
    archive=$(find /usr/src/gcc-12 -maxdepth 1 -name 'gcc-12*.tar.xz' | head -n 1)
    [ -n "$archive" ] || { echo "no archive of GCC's source in /usr/src/gcc-12"; return 1; }
    rm -rf "$folder"
    mkdir -p "$folder.new"
    tar -xf "$archive" --strip-components=4 -C "$folder.new" --wildcards '*/gcc/testsuite/gcc.c-torture/execute' &&
        mv "$folder.new" "$folder"
}

# conformance [gcc|csmith [OPTION...]]: both suites at both levels, or one with the driver's own options.
conformance() {
    local suite suites=(gcc csmith) failed=0 missing
    if [ $# -gt 0 ]; then
        suites=("$1")
        shift
    fi
    missing=$(packages=("${conformance_packages[@]}") && missing_packages)
    # shellcheck disable=SC2086 # one word a package
    [ -z "$missing" ] || step "install packages for conformance" install_packages $missing
    [ -d "$deps/conformance/gcc" ] || step "unpack GCC's tests" conformance_sources
    cargo build --release -p symx || fail "step 'build' failed; cargo's messages are above"
    for suite in "${suites[@]}"; do
        python3 "$root/setup/conformance/compare.py" "$suite" --symx "$root/target/release/symx" \
            --clang "$llvm/bin/clang" --source "$deps/conformance/gcc/execute" --work "$deps/conformance" \
            --differences "$root/setup/conformance/$suite.differences" "$@" || failed=1
    done
    return $failed
}
