# pigz with zlib's source. bookworm's archive of pigz is no longer in the pool; trixie's is.
real_build_pigz() {
    real_source zlib && real_source pigz trixie && cd "$deps/real/source/pigz" || return
    cp ../zlib/*.c ../zlib/*.h . || return
    real_program "$1" "$2 -I. -D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H" \
        pigz.c yarn.c try.c zopfli/src/zopfli/*.c \
        adler32.c crc32.c deflate.c infback.c inffast.c inflate.c inftrees.c trees.c zutil.c
}
