# An LLVM prefix for llvm-sys whose llvm-config leaves out three libraries.
#
# Debian's LLVM was configured with Z3, and `llvm-config --system-libs` therefore names -lz3: Debian's 4.8.12 would be
# linked in the place of the Z3 that symx is made for, without a word. None of LLVM's code that symx uses calls it (nor
# libxml2, nor Polly, a package of its own). LLVM is linked statically for the same reason: libLLVM.so needs libz3.so.4 at run time.

setup_llvm() {
    [ -x "$llvm/bin/clang" ] || fail "step 'llvm' failed: no clang in $llvm"
    cmp -s "$root/setup/llvm-config" "$deps/llvm/bin/llvm-config" && return
    mkdir -p "$deps/llvm/bin"
    install -m 755 "$root/setup/llvm-config" "$deps/llvm/bin/llvm-config"
}
