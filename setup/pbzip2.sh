# pbzip2, a real program in C++ nobody here wrote, with libbz2, as whole-program bitcode: .deps/pbzip2/pbzip2.bc (-O0) and
# pbzip2-O1.bc; and natively from the latter, to compare with.

pbzip2_compilation() {
    local compiler=$1 flags=$2 file=$3
    # shellcheck disable=SC2086 # a word a flag
    "$llvm/bin/$compiler" -c -emit-llvm $flags -g -pthread -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 \
        -DUSE_STACKSIZE_CUSTOMIZATION -I"$deps/pbzip2/libbz2" "$file" -o "$deps/pbzip2/objects/$(basename "$file").bc"
}

# The sources are those that the two makefiles name.
pbzip2_bitcode() {
    local target=$1 flags=$2 file
    rm -rf "$deps/pbzip2/objects"
    mkdir -p "$deps/pbzip2/objects"
    for file in pbzip2 BZ2StreamScanner ErrorContext; do
        # From before string literals could have suffixes.
        pbzip2_compilation clang++ "-std=gnu++98 $flags" "$deps/pbzip2/source/$file.cpp" || return
    done
    for file in blocksort huffman crctable randtable compress decompress bzlib; do
        pbzip2_compilation clang "$flags" "$deps/pbzip2/libbz2/$file.c" || return
    done
    "$llvm/bin/llvm-link" "$deps"/pbzip2/objects/*.bc -o "$deps/pbzip2/$target.bc" || return
    rm -rf "$deps/pbzip2/objects"
}

pbzip2_build() {
    debian_source pbzip2 "$deps/pbzip2/source" &&
        debian_source bzip2 "$deps/pbzip2/libbz2" &&
        pbzip2_bitcode pbzip2 "-O0 -Xclang -disable-O0-optnone" &&
        pbzip2_bitcode pbzip2-O1 -O1 &&
        "$llvm/bin/clang++" -O1 -pthread "$deps/pbzip2/pbzip2-O1.bc" -o "$deps/pbzip2/pbzip2" || return
    echo "$1" >"$deps/pbzip2/stamp"
}

setup_pbzip2() {
    local stamp
    stamp=$(stamp_of "$root/setup/pbzip2.sh")
    [ "$(cat "$deps/pbzip2/stamp" 2>/dev/null)" = "$stamp" ] && return
    mkdir -p "$deps/pbzip2"
    step "build pbzip2" pbzip2_build "$stamp"
}
