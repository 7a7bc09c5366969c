# ./x real: builds each real program, runs it natively and in symx on the same inputs, compares what they write byte for
# byte, and says how much slower symx is: processor time, the median of three runs each.

real_runs=3

# real_timed OUTPUT COMMAND...: runs the command with what it writes in OUTPUT, OUTPUT.errors and its status in
# OUTPUT.status, and prints its processor time in milliseconds. The database fresh.db is gone before each run.
real_timed() {
    local output=$1 times
    shift
    rm -f "$deps/real/run/fresh.db"
    times=$({
        TIMEFORMAT='%3U %3S'
        time { "$@" >"$output" 2>"$output.errors" <"${real_stdin:-/dev/null}" && echo 0 || echo $?; } >"$output.status"
    } 2>&1)
    awk '{ printf "%d\n", ($1 + $2) * 1000 }' <<<"$times"
}

# real_median OUTPUT COMMAND...: the median processor time of three runs.
real_median() {
    local run
    for ((run = 0; run < real_runs; run++)); do
        real_timed "$@"
    done | sort -n | sed -n "$((real_runs / 2 + 1))p"
}

# real_compare NAME ARGUMENT...: one row of the table. The program is $deps/real/NAME(.bc), its standard input $real_stdin.
real_compare() {
    local name=$1 native symx part folder="$deps/real/run"
    shift
    native=$(cd "$folder" && real_median "$folder/native" "$deps/real/$name" "$@")
    symx=$(cd "$folder" && real_median "$folder/symx" "$root/target/release/symx" exec --mount "$folder" \
        "$deps/real/$name.bc" -- "$@")
    # What symx itself notes is no output of the program.
    sed -i '/^symx: note: /d' "$folder/symx.errors"
    for part in "" .errors .status; do
        cmp -s "$folder/native$part" "$folder/symx$part" && continue
        real_differs "$name" "$folder/native$part and symx$part differ; symx says: $(tail -n 1 "$folder/symx.errors")"
        return
    done
    printf '%-12s %8d ms native %8d ms symx %6d times   %s\n' "$name" "$native" "$symx" \
        $((symx / (native > 0 ? native : 1))) "$*"
}

real_differs() {
    printf '%-12s FAILED: %s\n' "$1" "$2"
    real_failed=1
}

# The flags of each build, by the end of its name.
real_flags_of() {
    case $1 in
    *-O0) echo "-O0 -Xclang -disable-O0-optnone" ;;
    *) echo "-${1##*-}" ;;
    esac
}

# lbzip2 is built by ./x setup; its native program comes out of the same bitcode.
real_build_lbzip2() {
    local bitcode=lbzip2
    [ "$1" = lbzip2-O0 ] || bitcode=$1
    setup_lbzip2 && cp "$deps/lbzip2/$bitcode.bc" "$deps/real/$1.bc" &&
        "$llvm/bin/clang" "-${1##*-}" -fuse-ld=lld "$deps/real/$1.bc" -o "$deps/real/$1" -pthread
}

# pbzip2 (C++) likewise, where its set-up is.
real_build_pbzip2() {
    setup_pbzip2 && cp "$deps/pbzip2/pbzip2-O1.bc" "$deps/real/$1.bc" && cp "$deps/pbzip2/pbzip2" "$deps/real/$1"
}

real_built() {
    local name=$1 stamp
    stamp=$(stamp_of "$root"/setup/real/{build,"${name%-*}"}.sh 2>/dev/null || stamp_of "$root/setup/real/build.sh")
    [ -x "$deps/real/$name" ] && [ "$(cat "$deps/real/$name.stamp" 2>/dev/null)" = "$stamp" ] && return
    mkdir -p "$deps/real/objects"
    step "build $name" "real_build_${name%-*}" "$name" "$(real_flags_of "$name")" && echo "$stamp" >"$deps/real/$name.stamp"
}

# Text with repetitions, the same everywhere, of about as many kilobytes as asked for.
real_text() {
    awk -v bytes=$(($1 * 1024)) 'BEGIN {
        while (written < bytes) {
            line = ++count " line " (count * 7919) % 10007 (count % 3 ? " alpha" : " beta gamma")
            written += length(line) + 1
            print line
        }
    }'
}

# How each program is run.
# real_run NAME [ROW]: runs ROW, real_compare if there is none, on a program's name and its arguments.
real_run() {
    local wanted=$1 row=${2:-real_compare}
    case $wanted in
    lbzip2-*) "$row" "$wanted" -n 4 -c input ;;
    pigz-*) "$row" "$wanted" -p 4 -b 128 -n -c input ;;
    zstd-*) "$row" "$wanted" -q -T4 -c input ;;
    xz-*) "$row" "$wanted" -T4 --block-size=64KiB -c input ;;
    pbzip2-*) "$row" "$wanted" -p4 -b1 -c input ;;
    sqlite-*) real_stdin=$root/bitcode-corpus/real/sqlite.sql "$row" "$wanted" -batch fresh.db ;;
    lz4-*) "$row" "$wanted" -q -T4 -B4 -c input ;;
    plzip-*) "$row" "$wanted" -q -n 4 -1 -B 128KiB -c input ;;
    nanomsg-*) "$row" "$wanted" ;;
    # Its own choice of a hash, Murmur's, reads keys at misaligned addresses, which symx reports.
    memcached-*) "$row" "$wanted" -p 11299 -U 0 -l 127.0.0.1 -u root -t 2 -o hash_algorithm=jenkins ;;
    *) fail "no real program '$wanted'" ;;
    esac
}

# The programs named NAME-FLAGS, or all.
real() {
    local name names=("$@")
    [ ${#names[@]} -gt 0 ] || {
        names=(lbzip2-O1 pigz-O0 pigz-O1 pigz-O2 sqlite-O1 sqlite-O2 zstd-O1 xz-O1 memcached-O1 lz4-O1 plzip-O1 nanomsg-O1)
        [ -f "$root/setup/pbzip2.sh" ] && names+=(pbzip2-O1)
    }
    cargo build --release -p symx || fail "step 'build' failed; cargo's messages are above"
    mkdir -p "$deps/real/run"
    real_text 512 >"$deps/real/run/input"
    real_failed=0
    for name in "${names[@]}"; do
        real_built "$name" && real_run "$name"
    done
    [ "$real_failed" = 0 ] || fail "not every program ran in symx as it does natively"
}
