# ./x libraries: the libraries that programs link most, static and with their bitcode, from Debian's sources:
# $deps/libraries/{include,lib}. `symx cc ... -lz` finds them there.

# What is built, in an order in which each finds what it needs.
libraries_all=(zlib bzip2 xz-utils libzstd lz4 lzo2 lzlib pcre2 libevent libarchive)

# library_configure OPTION...: configures and installs by the library's own means.
library_configure() {
    ./configure --prefix="$deps/libraries" --disable-shared "$@" && make -j"$(nproc)" && make install
}

# library_copy ARCHIVE HEADER...: installs what a plain Makefile leaves.
library_copy() {
    mkdir -p "$deps/libraries"/{include,lib} && cp "$1" "$deps/libraries/lib/" && cp "${@:2}" "$deps/libraries/include/"
}

library_zlib() {
    ./configure --static --prefix="$deps/libraries" && make -j"$(nproc)" && make install
}

library_bzip2() {
    make -j"$(nproc)" CC="$CC" CFLAGS="$CFLAGS" libbz2.a && library_copy libbz2.a bzlib.h
}

library_xz-utils() {
    library_configure --disable-xz --disable-xzdec --disable-lzmadec --disable-lzmainfo --disable-scripts --disable-doc \
        --disable-nls --disable-assembler
}

library_libzstd() {
    make -C lib -j"$(nproc)" CFLAGS="$CFLAGS -DZSTD_DISABLE_ASM=1" libzstd.a-mt &&
        library_copy lib/libzstd.a lib/{zstd,zdict,zstd_errors}.h
}

library_lz4() {
    make -C lib -j"$(nproc)" liblz4.a && library_copy lib/liblz4.a lib/lz4{,frame,hc}.h
}

library_lzo2() {
    library_configure --disable-asm
}

library_lzlib() {
    ./configure --prefix="$deps/libraries" CC="$CC" CFLAGS="$CFLAGS" && make -j"$(nproc)" && make install
}

library_pcre2() {
    library_configure --disable-jit
}

library_libevent() {
    library_configure --disable-openssl --disable-samples --disable-libevent-regress
}

library_libarchive() {
    library_configure --disable-bsdtar --disable-bsdcpio --disable-bsdcat --without-xml2 --without-expat \
        --without-openssl --without-nettle --without-libb2 --without-iconv --disable-acl --disable-xattr
}

# library_build NAME: in a subshell, since configuring exports what it needs.
library_build() (
    debian_source "$1" "$deps/libraries/source/$1" && cd "$deps/libraries/source/$1" || return
    export CC="$root/target/release/symx-cc" CFLAGS="-g -O1" PKG_CONFIG_PATH="$deps/libraries/lib/pkgconfig"
    "library_$1"
)

libraries() {
    local name names=("$@") stamp
    [ ${#names[@]} -gt 0 ] || names=("${libraries_all[@]}")
    cargo build --release -p symx || fail "step 'build' failed; cargo's messages are above"
    mkdir -p "$deps"/libraries/{include,lib,source}
    stamp=$(stamp_of "$root/setup/libraries.sh")
    for name in "${names[@]}"; do
        [ "$(cat "$deps/libraries/source/$name.stamp" 2>/dev/null)" = "$stamp" ] && continue
        step "build $name" library_build "$name" && echo "$stamp" >"$deps/libraries/source/$name.stamp"
    done
}
