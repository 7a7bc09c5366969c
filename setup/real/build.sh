# Real programs as whole-program bitcode, from Debian's source packages: $deps/real/NAME.bc each, and a native program
# NAME of the same bitcode beside it.

# The whole program is what the linker sees before it optimises; the native program is what comes out of it.
real_flags="-g -flto"
real_link="-fuse-ld=lld -Wl,--save-temps=preopt -pthread -lm"

# real_program NAME FLAGS SOURCE...: compiles the sources in the current folder with the flags (words) and links them.
real_program() {
    local name=$1 flags=$2 objects source
    shift 2
    objects="$deps/real/objects/$name"
    rm -rf "$objects"
    mkdir -p "$objects"
    for source in "$@"; do
        echo "$source"
    done | xargs -P "$(nproc)" -I{} sh -c \
        '"$1/bin/clang" $2 -c "$4" -o "$3/$(echo "$4" | tr / _).o" || exit 255' \
        - "$llvm" "$real_flags $flags" "$objects" {} &&
        # shellcheck disable=SC2086 # words
        "$llvm/bin/clang" "$objects"/*.o $flags $real_link -o "$objects/program" &&
        real_keep "$name" "$objects/program" &&
        rm -rf "$objects"
}

# real_keep NAME PROGRAM: keeps a linked program and the bitcode the linker saw.
real_keep() {
    mv "$2.0.0.preopt.bc" "$deps/real/$1.bc" && mv "$2" "$deps/real/$1"
}

# real_keep_linked NAME PROGRAM: keeps a program that `symx cc` linked, and the bitcode in it.
real_keep_linked() {
    "$root/target/release/symx" extract-bc "$2" -o "$deps/real/$1.bc" && cp "$2" "$deps/real/$1"
}

# real_source NAME [SUITE]: the upstream source of a package, where it is not there yet; the folder is $deps/real/NAME-source.
real_source() {
    local folder="$deps/real/source/$1"
    [ -e "$folder.complete" ] && return
    mkdir -p "$deps/real/source"
    debian_source "$1" "$folder" "${2:-bookworm}" && touch "$folder.complete"
}
