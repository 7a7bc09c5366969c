# memcached with libevent, both configured and made with `symx cc`, and a client within: setup/real/memcached_session.c.
real_build_memcached() {
    local client="$deps/real/objects/$1" event="$deps/real/libevent-$1"
    real_source libevent && real_source memcached && mkdir -p "$client" "$event" || return
    export CC="$root/target/release/symx cc" CFLAGS="-g $2"
    cd "$deps/real/source/libevent" &&
        ./configure --prefix="$event" --disable-shared --disable-openssl --disable-samples --disable-libevent-regress &&
        make -j"$(nproc)" install &&
        cd "$deps/real/source/memcached" &&
        ./configure --with-libevent="$event" --disable-docs --disable-coverage &&
        make -j"$(nproc)" memcached || return
    # shellcheck disable=SC2086 # words
    $CC $CFLAGS -c "$root/setup/real/memcached_session.c" -o "$client/session.o" &&
        $CC $CFLAGS memcached-*.o "$client/session.o" -o "$client/program" -L"$event/lib" -levent -pthread &&
        "$root/target/release/symx" extract-bc "$client/program" -o "$deps/real/$1.bc" &&
        mv "$client/program" "$deps/real/$1" &&
        rm -rf "$client"
}
