# plzip, C++, and lzlib, both configured and made with `symx cc`.
real_build_plzip() {
    local library="$deps/real/lzlib-$1"
    real_source lzlib trixie && real_source plzip trixie && cd "$deps/real/source/lzlib" || return
    export CC="$root/target/release/symx-cc" CXX="$root/target/release/symx-cxx"
    ./configure --prefix="$library" CC="$CC" CFLAGS="-g $2" && make -j"$(nproc)" install &&
        cd "$deps/real/source/plzip" &&
        ./configure CXX="$CXX" CXXFLAGS="-g $2" CPPFLAGS="-I$library/include" LDFLAGS="-L$library/lib" &&
        make -j"$(nproc)" && real_keep_linked "$1" plzip
}
