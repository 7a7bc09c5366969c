# Z3 from its PyPI wheel: a shared library and headers, unpacked into .deps/z3.
#
# The library's own name (soname) becomes its full path, so that every binary linked to it finds it: from target/, from
# any other target directory, copied elsewhere on this machine, whatever RUSTFLAGS say. Setup puts it right again
# when the repository has moved.

unpack_z3() {
    local wheel new="$deps/z3.new"
    rm -rf "$new"
    mkdir -p "$new"
    python3 -m pip download --no-deps --only-binary :all: --require-hashes \
        --requirement "$root/setup/z3-requirements.txt" --dest "$new/wheel" || return
    wheel=$(echo "$new"/wheel/z3_solver-*.whl)
    python3 -m zipfile -e "$wheel" "$new/unpacked" || return
    mkdir -p "$new/lib/pkgconfig"
    mv "$new/unpacked/z3/include" "$new/include" &&
        mv "$new/unpacked/z3/lib/libz3.so" "$new/lib/libz3.so" &&
        patchelf --set-soname "$deps/z3/lib/libz3.so" "$new/lib/libz3.so" || return
    cat >"$new/lib/pkgconfig/z3.pc" <<PC
prefix=\${pcfiledir}/../..
Name: z3
Description: the Z3 theorem prover
Version: $(sed -n 's/^z3-solver==\([0-9.]*\) .*/\1/p' "$root/setup/z3-requirements.txt")
Libs: -L\${prefix}/lib -lz3
Cflags: -I\${prefix}/include
PC
    echo "$1" >"$new/stamp"
    rm -rf "$new/wheel" "$new/unpacked" "$deps/z3"
    mv "$new" "$deps/z3"
}

setup_z3() {
    local stamp
    stamp="$deps $(stamp_of "$root/setup/z3.sh" "$root/setup/z3-requirements.txt")"
    [ "$(cat "$deps/z3/stamp" 2>/dev/null)" = "$stamp" ] && return
    step "unpack z3" unpack_z3 "$stamp"
}
