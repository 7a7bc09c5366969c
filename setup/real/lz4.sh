# lz4 with threads, by its own Makefile and `symx cc`. bookworm's has no threads.
real_build_lz4() {
    real_source lz4 trixie && cd "$deps/real/source/lz4" &&
        make -j"$(nproc)" CC="$root/target/release/symx-cc" CFLAGS="-g $2" lz4 &&
        real_keep_linked "$1" lz4
}
