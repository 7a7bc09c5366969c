# Compares symx with native runs of the Open POSIX Test Suite's programs for threads and what goes with them. Not part of CI.
#
# The suite is a part of the Linux Test Project (testcases/open_posix_testsuite); no package has it, so its folder is given.

# posix FOLDER [OPTION...]: the driver's own options behind the folder.
posix() {
    local folder=${1:-}
    [ -d "$folder/conformance/interfaces" ] || fail "posix: name the folder of the Open POSIX Test Suite, with include/ and conformance/"
    shift
    cargo build --release -p symx || fail "step 'build' failed; cargo's messages are above"
    mkdir -p "$deps/conformance"
    python3 "$root/setup/conformance/posix.py" --symx "$root/target/release/symx" --clang "$llvm/bin/clang" --suite "$folder" \
        --work "$deps/conformance" --differences "$root/setup/conformance/posix.differences" "$@"
}
