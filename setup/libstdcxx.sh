# libstdc++, from Debian's package of GCC's source, as one module of bitcode: .deps/libstdcxx/libstdcxx.bc.
#
# The source is of the version whose headers clang++ finds here, and is compiled against those very headers, so that
# programs compiled by plain clang++ fit. posix-model/libstdcxx holds what is ours in it: the half of the personality
# function that knows types, memory of exceptions, the terminate handler, and a few names of glibc's.

libstdcxx_source=/usr/src/gcc-12/gcc-12.2.0-dfsg.tar.xz

# Left out: other machines' ABIs, transactional memory, what posix-model/libstdcxx replaces, and duplicates.
libstdcxx_left_out='/(atexit_arm|eh_arm|eh_tm|eh_alloc|eh_call|eh_personality|vterminate|vtv_stubs|parallel_settings|hash-long-double-tr1-aux|compatibility-[^/]*)\.cc$'
# The part of a locale that depends on the string: compiled once for each of the two.
libstdcxx_twice='config/locale/generic/(collate|messages|monetary|numeric)_members\.cc$|posix-model/libstdcxx/messages\.cc$'

libstdcxx_unpack() {
    local inside=gcc-12.2.0
    rm -rf "$deps/libstdcxx/source"
    mkdir -p "$deps/libstdcxx/source"
    tar -xf "$libstdcxx_source" -C "$deps/libstdcxx/source" --strip-components=1 --wildcards \
        "$inside/libstdc++-v3/src" "$inside/libstdc++-v3/libsupc++" "$inside/libstdc++-v3/config" \
        "$inside/libiberty/cp-demangle.[ch]" "$inside/include/*.h"
    # This header is made by configure; every large-file interface is the plain one.
    mkdir -p "$deps/libstdcxx/generated/bits"
    : >"$deps/libstdcxx/generated/bits/largefile-config.h"
}

# One line a compilation: standard, string (1: the new one, -: as the file says), source.
libstdcxx_sources() {
    local library="$deps/libstdcxx/source/libstdc++-v3"
    find "$root/posix-model/libstdcxx" -name '*.cc' | sort # first: a mistake here shows at once
    find "$library/src" "$library/libsupc++" "$library/config/locale/generic" "$library/config/os/gnu-linux" \
        -name '*.cc' -not -path '*/src/filesystem/*' -not -path '*/libbacktrace/*' -not -path '*/src/shared/*' | sort
    echo "$library/config/io/basic_file_stdio.cc"
}

libstdcxx_compilations() {
    local file standard
    libstdcxx_sources | grep -Ev "$libstdcxx_left_out" | while read -r file; do
        case $file in
        */src/c++98/locale_init.cc | */src/c++98/localename.cc) standard=gnu++11 ;;
        */src/c++98/*) standard=gnu++98 ;;
        */src/c++20/*) standard=gnu++20 ;;
        */src/c++17/* | */libsupc++/* | */posix-model/*) standard=gnu++17 ;;
        *) standard=gnu++11 ;;
        esac
        echo "$standard - $file"
        if [[ $file =~ $libstdcxx_twice ]]; then echo "$standard 0 $file"; fi
    done
}

# libstdcxx_compile STANDARD STRING FILE
libstdcxx_compile() {
    local library="$deps/libstdcxx/source/libstdc++-v3" ours="$root/posix-model/libstdcxx/include"
    local special=()
    [ "$2" = - ] || special+=("-D_GLIBCXX_USE_CXX11_ABI=$2")
    case $3 in
    */random.cc) special+=(-include "$ours/no_random_instructions.h") ;;
    */ctype_configure_char.cc) special+=(-include "$ours/no_gnu_locale.h") ;;
    # Its private class is named as the one of fs_dir.cc, and holds strings of the other kind.
    */cow-fs_dir.cc) special+=(-D_Dir=_Dir_cow) ;;
    esac
    "$llvm/bin/clang++" -c -emit-llvm "-std=$1" "${special[@]}" "${libstdcxx_flags[@]}" \
        -I"$ours" -I"$library/config/locale/generic" -I"$library/libsupc++" -I"$deps/libstdcxx/generated" \
        -I"$library/src/c++11" -I"$library/src/c++17" -iquote "$library/src/filesystem" \
        "$3" -o "$deps/libstdcxx/objects/$(echo "$3.$2" | tr / _).bc"
}

# As for musl: close to the source and without vectors. Positions by line are enough for a library.
libstdcxx_build() {
    rm -rf "$deps/libstdcxx/objects"
    mkdir -p "$deps/libstdcxx/objects"
    [ -d "$deps/libstdcxx/source/libstdc++-v3" ] || libstdcxx_unpack || return
    libstdcxx_flags=(
        -O1 -gline-tables-only -w -pthread -fno-pic -ffp-contract=off -fno-vectorize -fno-slp-vectorize
        -fno-stack-protector "-ffile-prefix-map=$root=symx"
        "-ffile-prefix-map=$deps/libstdcxx/source/libstdc++-v3=libstdc++"
    )
    export root deps llvm
    export -f libstdcxx_compile
    export libstdcxx_flags_line="${libstdcxx_flags[*]}"
    # shellcheck disable=SC2016 # the inner shell expands these
    libstdcxx_compilations | xargs -P "$(nproc)" -L 1 bash -c \
        'read -ra libstdcxx_flags <<<"$libstdcxx_flags_line"; libstdcxx_compile "$@" || exit 255' - || return
    local demangler="$deps/libstdcxx/source"
    "$llvm/bin/clang" -c -emit-llvm "${libstdcxx_flags[@]}" "$root/posix-model/libstdcxx/glibc.c" \
        -o "$deps/libstdcxx/objects/glibc.bc" &&
        "$llvm/bin/clang" -c -emit-llvm "${libstdcxx_flags[@]}" -DIN_GLIBCPP_V3 -DHAVE_STDLIB_H -DHAVE_STRING_H \
            -I"$demangler/include" "$demangler/libiberty/cp-demangle.c" -o "$deps/libstdcxx/objects/demangle.bc" &&
        "$llvm/bin/llvm-link" "$deps"/libstdcxx/objects/*.bc -o "$deps/libstdcxx/libstdcxx.new.bc" &&
        libstdcxx_check "$deps/libstdcxx/libstdcxx.new.bc" &&
        mv "$deps/libstdcxx/libstdcxx.new.bc" "$deps/libstdcxx/libstdcxx.bc" || return
    rm -rf "$deps/libstdcxx/objects"
    echo "$1" >"$deps/libstdcxx/stamp"
}

# What libstdcxx.bc may leave undefined: what libc.bc defines, and what symx answers, by name.
libstdcxx_check() {
    local undefined
    undefined=$("$llvm/bin/llvm-nm" --undefined-only --just-symbol-name "$1" | sort -u |
        grep -vxF -f <("$llvm/bin/llvm-nm" --defined-only --just-symbol-name "$deps/musl/libc.bc") |
        grep -vxF -f "$root/posix-model/libstdcxx/undefined.list")
    [ -z "$undefined" ] && return
    echo "libstdcxx.bc leaves undefined what posix-model/libstdcxx/undefined.list does not name:"
    echo "$undefined"
    return 1
}

setup_libstdcxx() {
    local stamp
    stamp=$(find "$root/posix-model/libstdcxx" "$root/setup/libstdcxx.sh" -type f | sort | xargs cat | sha256sum)
    [ "$(cat "$deps/libstdcxx/stamp" 2>/dev/null)" = "$stamp" ] && return
    step "build libstdc++" libstdcxx_build "$stamp"
}
