# xz and its library, by their own Makefile.
real_build_xz() {
    local name=$1 flags=$2
    real_source xz-utils && rm -rf "$deps/real/objects/$name" && mkdir -p "$deps/real/objects/$name" &&
        cd "$deps/real/objects/$name" &&
        ../../source/xz-utils/configure CC="$llvm/bin/clang" CFLAGS="$real_flags $flags" LDFLAGS="$real_link" \
            AR="$llvm/bin/llvm-ar" RANLIB="$llvm/bin/llvm-ranlib" NM="$llvm/bin/llvm-nm" \
            --disable-shared --enable-static --disable-nls --disable-assembler --disable-doc --disable-scripts &&
        make -j "$(nproc)" &&
        real_keep "$name" src/xz/xz
}
