# nanomsg made with `symx cc`, and one of its tests: nodes of a bus, over sockets of this machine, with worker threads.
real_build_nanomsg() {
    command -v cmake >/dev/null || install_packages cmake || return
    real_source nanomsg && mkdir -p "$deps/real/source/nanomsg/made" && cd "$deps/real/source/nanomsg/made" &&
        CC="$root/target/release/symx-cc" cmake .. -DNN_STATIC_LIB=ON -DNN_ENABLE_DOC=OFF -DCMAKE_BUILD_TYPE=Release \
            -DCMAKE_C_FLAGS="-g -DNN_STATIC_LIB" -DCMAKE_C_FLAGS_RELEASE="$2" &&
        make -j"$(nproc)" tcp_shutdown && real_keep_linked "$1" tcp_shutdown
}
