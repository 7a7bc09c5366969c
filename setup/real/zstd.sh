# zstd with threads, without the assembly of its Huffman decoder.
real_build_zstd() {
    real_source libzstd && cd "$deps/real/source/libzstd" || return
    real_program "$1" "$2 -Ilib -Ilib/common -Iprograms -DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM=1 -DXXH_NAMESPACE=ZSTD_" \
        programs/*.c lib/common/*.c lib/compress/*.c lib/decompress/*.c lib/dictBuilder/*.c
}
