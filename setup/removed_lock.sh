#!/usr/bin/env bash
# ./x removed-lock: pigz and lbzip2, each with one lock removed by a patch (and a nap where it was, so that it fails within a few
# runs). Records native runs until one fails, finds a schedule for the recorded paths, and has the native program fail
# under it twenty times. SYMX is the symx to use.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/step.sh"
. "$root/setup/debian_source.sh"
. "$root/setup/real/build.sh"
. "$root/setup/real/pigz.sh"
. "$root/setup/lbzip2.sh"
. "$root/setup/real/run.sh"

symx=${SYMX:-$root/target/release/symx}
out="$root/symx-out/removed-lock"
patches="$root/bitcode-corpus/real"
native_runs=${NATIVE_RUNS:-200}
search_seconds=${SEARCH_SECONDS:-300}

# A copy of a program's source, patched.
patched() {
    rm -rf "$out/$1.source"
    cp -a "$2" "$out/$1.source"
    patch -s -p1 -d "$out/$1.source" <"$patches/$3"
}

build_pigz() {
    real_source zlib && real_source pigz trixie && patched pigz "$deps/real/source/pigz" pigz_drop_space.patch &&
        cp "$deps"/real/source/zlib/*.[ch] "$out/pigz.source" && cd "$out/pigz.source" || return
    local source
    mkdir -p bitcode
    for source in pigz.c yarn.c try.c zopfli/src/zopfli/*.c \
        {adler32,crc32,deflate,infback,inffast,inflate,inftrees,trees,zutil}.c; do
        "$llvm/bin/clang" -O1 -g -w -I. -D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H -emit-llvm -c "$source" \
            -o "bitcode/${source//\//_}.bc" || return
    done
    "$llvm/bin/llvm-link" bitcode/*.bc -o "$out/pigz.bc"
}

build_lbzip2() {
    setup_lbzip2 && patched lbzip2 "$deps/lbzip2/source" lbzip2_out_slots.patch && cd "$out/lbzip2.source/src" || return
    # The folder is configured; what was made of the patched source is made again.
    touch compress.c && make lbzip2 && mv lbzip2.0.0.preopt.bc "$out/lbzip2.bc"
}

# try NAME ARGUMENT...: the whole way with one program.
try() {
    local name=$1 run=0 status=0 result
    shift
    step "build $name with a lock removed" "build_$name"
    "$symx" instrument "$out/$name.bc" -o "$out/$name"
    rm -rf "$out/$name.symx-enforcing" "$out/$name.out"
    cd "$out"
    while [ "$status" != 134 ]; do
        run=$((run + 1)) status=0
        [ "$run" -le "$native_runs" ] || fail "$name: none of $native_runs native runs failed"
        "$symx" record --timeout 20 -o "$name.prof" -- "./$name" "$@" >"$name.written" 2>"$name.native" || status=$?
    done
    echo "$name: native run $run failed: $(tail -n 1 "$name.native")"
    status=0
    SECONDS=0
    (
        ulimit -v 8000000
        exec "$symx" run "$name.bc" --guide "$name.prof" --max-time "$search_seconds" --out "$name.out" -- "$@"
    ) >"$name.run" 2>&1 || status=$?
    echo "$name: after $SECONDS s: $(head -n 1 "$name.run")"
    [ "$status" = 1 ] || return 0
    status=0
    "$symx" replay "$name.bc" "$name.out/schedule.json" --native "./$name" --times 20 >"$name.replay" 2>&1 || status=$?
    echo "$name: $(tail -n 1 "$name.replay")"
}

mkdir -p "$out"
real_text 90 >"$out/text-90"
real_text 210 >"$out/text-210"
[ $# -gt 0 ] || set -- pigz lbzip2
for name in "$@"; do
    case $name in
    pigz) (try pigz -p 2 -b 32 -n -c text-90) ;;
    lbzip2) (try lbzip2 -1 -n 2 -c text-210) ;;
    *) fail "no program '$name'" ;;
    esac
done
