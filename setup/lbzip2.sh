# lbzip2, a real program nobody here wrote, as whole-program bitcode: .deps/lbzip2/lbzip2.bc (-O0) and lbzip2-O1.bc.

# The whole program is what the linker sees before it optimises. lbzip2 2.5 carries an old gnulib that tells glibc by a
# macro that glibc no longer defines; defining it picks the right branch.
lbzip2_bitcode() {
    local target=$1
    shift
    make distclean || true
    ./configure CC="$llvm/bin/clang" CPPFLAGS=-D_IO_ftrylockfile CFLAGS="$* -g -flto" \
        LDFLAGS="-fuse-ld=lld -Wl,--save-temps=preopt" &&
        make -j "$(nproc)" &&
        mv src/lbzip2.0.0.preopt.bc "$deps/lbzip2/$target.bc"
}

lbzip2_build() {
    debian_source lbzip2 "$deps/lbzip2/source" &&
        cd "$deps/lbzip2/source" &&
        lbzip2_bitcode lbzip2 -O0 -Xclang -disable-O0-optnone &&
        lbzip2_bitcode lbzip2-O1 -O1 || return
    echo "$1" >"$deps/lbzip2/stamp"
}

setup_lbzip2() {
    local stamp
    stamp=$(stamp_of "$root/setup/lbzip2.sh")
    [ "$(cat "$deps/lbzip2/stamp" 2>/dev/null)" = "$stamp" ] && return
    mkdir -p "$deps/lbzip2"
    step "build lbzip2" lbzip2_build "$stamp"
}
