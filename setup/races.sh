#!/usr/bin/env bash
# ./x races classes: the programs that show what races can do: every class right in ten runs of ten under every model, each
# program in less than 0.2 s; and that no race of the corpus is missed, nor anything else called one.
# ./x races: lbzip2, pigz and pbzip2 at four threads, the first two with a lock removed as well: the races that symx finds, with their
# classes, and for each whether ThreadSanitizer reports the two places in native runs.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/step.sh"
. "$root/setup/debian_source.sh"
. "$root/setup/real/build.sh"
. "$root/setup/real/pigz.sh"
. "$root/setup/lbzip2.sh"
. "$root/setup/pbzip2.sh"
. "$root/setup/real/run.sh"

symx=${SYMX:-"$root/target/release/symx"}
out="$root/symx-out/races"
native_runs=${NATIVE_RUNS:-20}
seconds=${RACES_SECONDS:-300}

# copied NAME SOURCE [PATCH]: a copy of a program's source.
copied() {
    rm -rf "$out/$1.source"
    cp -a "$2" "$out/$1.source"
    [ -z "${3-}" ] || patch -s -p1 -d "$out/$1.source" <"$root/bitcode-corpus/real/$3"
}

# build_pigz NAME [PATCH]: NAME.bc for symx and NAME for ThreadSanitizer.
build_pigz() {
    real_source zlib && real_source pigz trixie && copied "$1" "$deps/real/source/pigz" "${2-}" &&
        cp "$deps"/real/source/zlib/*.[ch] "$out/$1.source" && cd "$out/$1.source" || return
    local source flags="-O1 -g -w -I. -D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H" sources
    sources="pigz.c yarn.c try.c $(echo zopfli/src/zopfli/*.c) adler32.c crc32.c deflate.c infback.c inffast.c
        inflate.c inftrees.c trees.c zutil.c"
    mkdir -p bitcode
    for source in $sources; do
        # shellcheck disable=SC2086 # words
        "$llvm/bin/clang" $flags -emit-llvm -c "$source" -o "bitcode/${source//\//_}.bc" || return
    done
    # shellcheck disable=SC2086 # words
    "$llvm/bin/llvm-link" bitcode/*.bc -o "$out/$1.bc" &&
        gcc $flags -fsanitize=thread $sources -o "$out/$1" -pthread -lm
}

build_lbzip2() {
    setup_lbzip2 && copied "$1" "$deps/lbzip2/source" "${2-}" && cd "$out/$1.source" || return
    # The folder is configured; what was made of a patched source is made again.
    touch src/compress.c && make && mv src/lbzip2.0.0.preopt.bc "$out/$1.bc" && make distclean || return
    ./configure CC=gcc CPPFLAGS=-D_IO_ftrylockfile CFLAGS="-O1 -g -w -fsanitize=thread" LDFLAGS=-fsanitize=thread &&
        make && cp src/lbzip2 "$out/$1"
}

build_pbzip2() {
    setup_pbzip2 && cp "$deps/pbzip2/pbzip2-O1.bc" "$out/$1.bc" || return
    local name flags="-O1 -g -w -fsanitize=thread -pthread -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64
        -DUSE_STACKSIZE_CUSTOMIZATION -I$deps/pbzip2/libbz2"
    rm -rf "$out/$1.objects"
    mkdir -p "$out/$1.objects"
    for name in blocksort huffman crctable randtable compress decompress bzlib; do
        # shellcheck disable=SC2086 # words
        gcc $flags -c "$deps/pbzip2/libbz2/$name.c" -o "$out/$1.objects/$name.o" || return
    done
    # shellcheck disable=SC2086 # words
    g++ -std=gnu++98 $flags "$deps"/pbzip2/source/{pbzip2,BZ2StreamScanner,ErrorContext}.cpp "$out/$1.objects"/*.o -o "$out/$1"
}

# pairs_of: the places of each race that ThreadSanitizer reports on standard input, as "LINE LINE" of files' base names. Of a place
# that it remembers no longer ("failed to restore the stack") it says where in memory it was: "OBJECT? LINE".
pairs_of() {
    awk '
        function told() { if (count == 2) print (place[0] < place[1] ? place[0] " " place[1] : place[1] " " place[0]) }
        /WARNING: ThreadSanitizer: data race/ { wanted = 0; count = 0; lost = -1 }
        /^  (Previous )?([Aa]tomic )?([Rr]ead|[Ww]rite) of size/ { wanted = 1 }
        wanted && /failed to restore the stack/ { lost = count++; place[lost] = "?"; wanted = 0 }
        # A function that ThreadSanitizer stands in for is named by who calls it.
        wanted && /#[0-9]+ .*:[0-9]+/ && !/tsan_|sanitizer_common/ {
            match($0, /[^\/ ]+:[0-9]+/)
            place[count++] = substr($0, RSTART, RLENGTH)
            wanted = 0
        }
        lost >= 0 && /Location is global / { match($0, /\047[^\047]+\047/); place[lost] = substr($0, RSTART + 1, RLENGTH - 2) "?" }
        /SUMMARY: ThreadSanitizer/ { told() }' | sort -u
}

# compare NAME ARGUMENT...: the races of one program.
compare() {
    local name=$1 run
    shift
    cd "$out"
    for ((run = 0; run < native_runs; run++)); do
        TSAN_OPTIONS="exitcode=0 history_size=7" timeout 60 setarch -R "./$name" "$@" 2>&1 >/dev/null </dev/null || true
    done | pairs_of >"$name.native"
    (
        ulimit -v 8000000
        exec "$symx" races "$name.bc" --mount "$out" --max-time "$seconds" --out "$name.out" --json "$name.json" --quiet \
            -- "$@"
    ) || true
    python3 - "$name" "$*" <<'PYTHON'
import json, sys
name, arguments = sys.argv[1:]
report = json.load(open(f"{name}.json"))
native = set(open(f"{name}.native").read().splitlines())
def place(access):
    at = access["location"]
    return f"{at['file'].rsplit('/', 1)[-1]}:{at['line']}"
print(f"{name} {arguments}: {len(report.get('races') or [])} races")
seen = set()
objects = set()
for race in report.get("races") or []:
    first, second = sorted(map(place, race["accesses"]))
    seen.add(f"{first} {second}")
    objects |= {(race["object"], first), (race["object"], second)}
    answer = "yes" if f"{first} {second}" in native else "no"
    print(f"  {race['object']:<14} {first:<18} {second:<18} {race['class']:<20} ThreadSanitizer: {answer}")
for pair in sorted(native - seen):
    lost = [place for place in pair.split() if place.endswith("?")]
    known = [place for place in pair.split() if not place.endswith("?")]
    # Where it remembers one place only, a race of the same object there is it.
    is_seen = bool(lost and known) and (lost[0][:-1], known[0]) in objects
    print(f"  ThreadSanitizer{', one place forgotten' if is_seen else ' alone'}: {pair}")
for cut in report.get("incomplete") or []:
    print("  incomplete:", cut.get("reason"), cut.get("what", ""))
PYTHON
}

if [ "${1-}" = classes ]; then
    # The tests are built as `./x test` builds them; what they run and time is the release build.
    export SYMX_RACES_OPTIMISED="$symx"
    exec cargo test -q -p symx-bitcode-corpus --test races classes -- --nocapture --test-threads 1
fi
mkdir -p "$out"
real_text 210 >"$out/text-210"
real_text 90 >"$out/text-90"
real_text 20 >"$out/text-20"
for name in lbzip2 pigz; do
    patch=lbzip2_out_slots.patch
    [ "$name" = lbzip2 ] || patch=pigz_drop_space.patch
    step "build $name" "build_$name" "$name"
    step "build $name with a lock removed" "build_$name" "$name-removed" "$patch"
done
step "build pbzip2" build_pbzip2 pbzip2
compare lbzip2 -1 -n 4 -c text-210
compare lbzip2-removed -1 -n 4 -c text-210
compare pigz -p 4 -b 32 -n -c text-90
compare pigz-removed -p 4 -b 32 -n -c text-90
compare pbzip2 -p4 -b1 -c text-210
