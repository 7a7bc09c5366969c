# musl, from Debian's source package, as one module of bitcode: .deps/musl/libc.bc.
#
# posix-model/musl holds what is ours in it: the architecture (hooks in the place of inline assembly), the start, the
# locks, and the names that programs compiled against glibc's headers call.

# Left out, because symx answers these itself: threads and semaphores, the allocator, the loader, the start, abort,
# assertions, the stack protector, the list of open streams, and asynchronous input and timers (threads of their own inside
# libc). What is left of them in posix-model/musl/hooks replaces src/thread and src/malloc. The second list is what differs
# from glibc so that programs notice; posix-model/musl/glibc has it as glibc does.
musl_left_out='^src/(aio|ldso|malloc|thread)/|/(__libc_start_main|__init_tls|__reset_tls|__stack_chk_fail|__lockfile|flockfile|ftrylockfile|funlockfile|abort|assert|timer_create|explicit_bzero|ofl|ofl_add)\.c$'
musl_replaced='/(basename|getifaddrs|if_(free)?nameindex|if_indextoname|if_nametoindex|getopt|getopt_long|qsort|qsort_nr|rand|rand_r|random|strerror|strerror_r|strsignal)\.c$'
musl_kept='^src/(thread/pthread_sigmask|malloc/reallocarray)\.c$'

musl_sources() {
    (cd "$deps/musl/source" && find src -mindepth 2 -maxdepth 2 -name '*.c' | sort) >"$deps/musl/all.list"
    grep -Ev "$musl_left_out|$musl_replaced" "$deps/musl/all.list"
    grep -E "$musl_kept" "$deps/musl/all.list"
}

# The headers that musl's own Makefile generates.
musl_headers() {
    local generated="$deps/musl/generated"
    mkdir -p "$generated/bits"
    sed -f tools/mkalltypes.sed arch/x86_64/bits/alltypes.h.in include/alltypes.h.in >"$generated/bits/alltypes.h"
    sed -n 'p; s/__NR_/SYS_/p' arch/x86_64/bits/syscall.h.in >"$generated/bits/syscall.h"
    printf '#define VERSION "%s"\n' "$(cat VERSION)" >"$generated/version.h"
}

# Programs are compiled with glibc's headers; where musl's say something else, the library is made to agree: numbers of
# nftw, signals that are none, the type of offsets in matches and where a pattern counts its groups, the size of a stream's buffer (so that as much is written at a time), how long a text may be, and %p.
musl_as_glibc() {
    local kind number=0
    for kind in F D DNR NS SL DP SLN; do
        sed -i -E "s/^(#define FTW_$kind +)[0-9]+$/\\1$number/" include/ftw.h || return
        number=$((number + 1))
    done
    sed -i 's/^TYPEDEF _Addr regoff_t;/TYPEDEF int regoff_t;/' include/alltypes.h.in &&
        sed -i '/^typedef struct re_pattern_buffer {$/,/^}/c\
typedef struct re_pattern_buffer { size_t __unused; void *__opaque, *__padding[4]; size_t re_nsub; char __end; } regex_t;' \
            include/regex.h &&
        sed -i 's/^#define PTHREAD_STACK_MIN 2048$/#define PTHREAD_STACK_MIN 16384/' include/limits.h &&
        sed -i -E 's/(\[_SC_(PRIORITY_SCHEDULING|THREAD_(ROBUST_)?PRIO_(INHERIT|PROTECT))\]) = -1,/\1 = VER,/' src/conf/sysconf.c &&
        # glibc keeps two signals for itself, musl three.
        sed -i 's/sig-32U < 3/sig-32U < 2/' src/signal/sig{action,addset,delset}.c &&
        sed -i 's/fffffffc7fffffff/fffffffe7fffffff/' src/signal/{sigfillset,block}.c &&
        sed -i 's/return 35;/return 34;/' src/signal/sigrtmin.c &&
        sed -i 's/0x380000000ULL/0x180000000ULL/' src/thread/pthread_sigmask.c &&
        sed -i 's/if (s >= _NSIG-1) return 0;/if (s >= _NSIG-1) return errno = EINVAL, -1;/' src/signal/sigismember.c &&
        sed -i 's/^#include <signal.h>$/#include <errno.h>\n&/' src/signal/sigismember.c &&
        # What programs compiled for large files call.
        { grep -q fcntl64 src/fcntl/fcntl.c || echo 'weak_alias(fcntl, fcntl64); weak_alias(fcntl, __fcntl);' >>src/fcntl/fcntl.c; } &&
        # Only programs ask for the rounding mode or the exceptions: libc's own functions do without.
        sed -i -E 's/\bfetestexcept\(/(0 \& /; s/^(\s*)fesetround\(/\1(void)(/' src/math/{nearbyint,nearbyintf,nearbyintl,lrint,lrintl,llrintl,fmaf,fmal}.c \
            src/fenv/feupdateenv.c &&
        # A handler interrupts who waits for other signals, but not in sigwait.
        sed -i 's/while (ret==-EINTR);/while (0);/' src/signal/sigtimedwait.c &&
        sed -i 's/^\tif (sigtimedwait(mask, &si, 0) < 0)$/\twhile (sigtimedwait(mask, \&si, 0) < 0) if (errno != EINTR)/
            s/return -1;/return errno;/; s/^#include <signal.h>$/#include <errno.h>\n&/' src/signal/sigwait.c &&
        # What a program has printed stays, also if it takes the buffer away only then.
        sed -i 's/^\tf->lbf = EOF;$/\tif (f->wpos != f->wbase) fflush(f);\n&/' src/stdio/setvbuf.c &&
        # Output is no terminal, so that its first line waits in the buffer as later ones do.
        sed -i 's/^\t\.lbf = .*/\t.lbf = -1,/; s/__stdout_write/__stdio_write/' src/stdio/stdout.c &&
        # A text without a number is no error.
        sed -i '/^\t\t\terrno = EINVAL;$/d' src/internal/intscan.c &&
        # A byte that begins no character is an error of the stream as well.
        sed -i '/^\t\tif (l == -1) {$/,/return WEOF;/{
            /F_ERR;$/d
            s/^\t\t\tif (!first) {$/\t\t\tf->flags |= F_ERR;\n&/
            }' src/stdio/fgetwc.c &&
        # A stream that is not open for a direction says so.
        for kind in read write; do
            grep -q EBADF "src/stdio/__to$kind.c" || sed -i '1s/^/#include <errno.h>\n/
                s/^\t\tf->flags |= F_ERR;$/&\n\t\terrno = EBADF;/' "src/stdio/__to$kind.c" || return
        done &&
        # An option that is not known is the value, so that a message can show it.
        sed -i '/^\t\*val = s;$/d; s/^\treturn -1;$/\t*val = s;\n&/' src/misc/getsubopt.c &&
        sed -i '/^\t*errno = EINVAL;$/d' src/internal/floatscan.c &&
        # A pattern that ends in a backslash, which is 92, matches nothing.
        { grep -q '==92' src/regex/fnmatch.c || sed -i "/^\tif (pat\[0\]=='\[') {$/i\\
\\tif (pat[0]==92 && !(flags & FNM_NOESCAPE)) {\n\t\t*step = 0;\n\t\treturn UNMATCHABLE;\n\t}" \
            src/regex/fnmatch.c; } &&
        # Hours padded with a space, am and pm in small letters, and years of five digits without a sign.
        { grep -q "case 'k'" src/time/strftime.c || sed -i "s/^\tcase 'H':$/\tcase 'k':\n\t\tdef_pad = '_';\n&/
            s/^\tcase 'I':$/\tcase 'l':\n\t\tdef_pad = '_';\n&/
            s/^\tcase 'p':$/\tcase 'P':\n\t\t*l = 2;\n\t\treturn tm->tm_hour >= 12 ? \"pm\" : \"am\";\n&/
            s/\"+%lld\", val/\"%lld\", val/" src/time/strftime.c; } &&
        # The zone of a time is the name in it, though the program put it there. The zone of gmtime is called GMT.
        { grep -q 'tm_isdst != 0' src/time/strftime.c || sed -i "/^\tcase 'Z':$/,/^\t\tgoto string;$/{
            /^\t\tif (tm->tm_isdst < 0) {$/,/^\t\t}$/d
            s/^\t\tfmt = .*/\t\tfmt = tm->__tm_zone ? tm->__tm_zone : \"\";\n\t\tif (!*fmt \&\& tm->tm_isdst >= 0) {\n\t\t\ttzset();\n\t\t\tfmt = tzname[tm->tm_isdst != 0];\n\t\t}/
            }" src/time/strftime.c; } &&
        sed -i 's/__tm_zone = __utc;/__tm_zone = "GMT";/' src/time/gmtime_r.c src/time/timegm.c &&
        # The caches of the processor (from _SC_LEVEL1_ICACHE_SIZE on): for each its size, its ways, the length of a line.
        { grep -q caches src/conf/sysconf.c || sed -i '/^long sysconf(int name)$/,/^{$/s/^{$/&\
\tstatic const int caches[15] = { 32768, 8, 64, 32768, 8, 64, 262144, 8, 64 };\
\tif (name >= 185 \&\& name < 200) return caches[name - 185];/' src/conf/sysconf.c; } &&
        # The table of protocols, for getprotobyname_r (posix-model/musl/glibc/protocols.c).
        { grep -q __protocols src/network/proto.c || {
            sed -i 's/^static const unsigned char protos\[\]/const unsigned char __protocols[]/; s/\bprotos\b/__protocols/g' \
                src/network/proto.c && echo 'const unsigned long __protocols_size = sizeof __protocols;' >>src/network/proto.c; }; } &&
        # Of runs of zeros that are equally long, the first is left out.
        { grep -q 'max -= !best' src/network/inet_ntop.c || sed -i '
            s/^\t\t\tif (j>max) best=i, max=j;$/\t\t\tif (j+!i>max) best=i, max=j+!i;/
            s/^\t\tif (max>3) {$/&\n\t\t\tmax -= !best;/' src/network/inet_ntop.c; } &&
        # With a base that is none, no end is stored.
        sed -i 's/^\tif (p) {$/\tif (p \&\& base != 1 \&\& base <= 36u) {/' src/stdlib/{strtol,wcstol}.c &&
        # A mode has a letter, and a stream is made of a descriptor that is open for what the mode says.
        sed -i 's/^\tif (!strchr("rwa", \*mode)) {$/\tif (!*mode || !strchr("rwa", *mode)) {/' \
            src/stdio/{fopen,__fdopen,fmemopen,fopencookie}.c &&
        sed -i '/^weak_alias(__fdopen, fdopen);$/c\
FILE *fdopen(int fd, const char *mode)\
{\
\tint flags = __syscall(SYS_fcntl, fd, F_GETFL), both = !!strchr(mode, 43);\
\tint reads = both || *mode == 114, writes = both || *mode != 114, access = flags & O_ACCMODE;\
\tif (flags >= 0 && !(reads && access == O_WRONLY) && !(writes && access == O_RDONLY))\
\t\treturn __fdopen(fd, mode);\
\terrno = flags < 0 ? -flags : EINVAL;\
\treturn 0;\
}' src/stdio/__fdopen.c &&
        # Locales are those of every system: C, POSIX and C.UTF-8. Others are not installed.
        { grep -q C.utf8 src/locale/locale_map.c || sed -i '/^#include <string.h>$/s/$/\n#include <strings.h>/
            s/^\t\t|| !strcmp(val, "C.UTF-8")$/\t\t|| !strcasecmp(val, "C.UTF-8") || !strcasecmp(val, "C.utf8")/
            s/\(|| val\[n\])\) val = "C.UTF-8";$/\1 return LOC_MAP_FAILED;/
            s/^\tif (!new && (new = malloc(sizeof \*new))) {$/\tif (!new) return LOC_MAP_FAILED;\n\tif (0) {/
            ' src/locale/locale_map.c; } &&
        # The locale C has the name of its characters' set, which iconv knows.
        sed -i 's/"UTF-8" : "ASCII"/"UTF-8" : "ANSI_X3.4-1968"/' src/locale/langinfo.c &&
        sed -i 's/^"ascii\\0usascii\\0/"ascii\\0ansix341968\\0usascii\\0/' src/locale/iconv.c &&
        # A command without a shell ends with 127.
        sed -i 's|^\tif (!cmd) return 1;$|\tif (!cmd) return !access("/bin/sh", X_OK);|
            s/^\tif (ret) errno = ret;$/\tif (ret) status = 127 << 8, errno = ret;/' src/process/system.c &&
        # A buffer of any length, also of none that is known.
        sed -i 's/^\tif (n > INT_MAX) {$/\tif (0) {/' src/stdio/vsnprintf.c &&
        sed -i 's/^#define BUFSIZ 1024$/#define BUFSIZ 4096/' include/stdio.h &&
        # The time that is left of a wait is stored, whatever ends it.
        sed -i '/^\treturn syscall_cp(SYS_select,/,/: 0);$/c\
\tlong left[] = { s, us };\
\tint result = syscall_cp(SYS_select, n, rfds, wfds, efds, tv ? left : 0);\
\tif (tv) tv->tv_sec = left[0], tv->tv_usec = left[1];\
\treturn result;' src/select/select.c &&
        # Spaces come before a number, which ends before it gets too large.
        sed -i 's/^\t\tnumeric_\(range\|digits\):$/&\n\t\t\twhile (*s == 32) s++;/
            s/^\t\t\tfor (i=1; i<=min+range && isdigit/\t\t\tfor (i=1; i<=min+range \&\& *dest*10 < min+range \&\& isdigit/' \
            src/time/strptime.c &&
        sed -i 's|^\t\t\tp = MAX(p, 2\*sizeof(void\*));$|\t\t\tif (!arg.p) { a = "(nil)"; z = a + (p = 5); fl \&= ~ZERO_PAD; break; }|' \
            src/stdio/vfprintf.c
}

# Errors of mathematical functions are in errno, as math_errhandling says.
musl_math_errors() {
    local kind suffix
    for kind in divzero divzerof xflow xflowf; do
        sed -i 's/^#include "libm.h"$/&\n#include <errno.h>/; s/^\treturn /\terrno = ERANGE;\n&/' "src/math/__math_$kind.c" || return
    done
    for kind in invalid invalidf invalidl; do
        sed -i 's/^#include "libm.h"$/&\n#include <errno.h>/; s/^\treturn /\tif (x == x) errno = EDOM;\n&/' "src/math/__math_$kind.c" || return
    done
    for suffix in '' f l; do
        sed -i "s|return 0/(x-x);|return __math_invalid$suffix(x);|" "src/math/acos$suffix.c" "src/math/asin$suffix.c" &&
            sed -i "s|return (x\*y)/(x\*y);|return isnan(x) \|\| isnan(y) ? x+y : __math_invalid$suffix(y);|" "src/math/fmod$suffix.c" &&
            { grep -q __math_invalid "src/math/remainder$suffix.c" || sed -i "
                s/^\treturn remquo/\tif (!isnan(x) \&\& !isnan(y) \&\& (isinf(x) || y == 0)) return __math_invalid$suffix(y);\n&/" \
                "src/math/remainder$suffix.c"; } &&
            sed -i 's/^\treturn z\*\(sqrt.*\);$/\tz *= \1;\n\tif (isinf(z)) errno = ERANGE;\n\treturn z;/' "src/math/hypot$suffix.c" &&
            sed -i 's/^#include <math.h>$/#include "libm.h"/' "src/math/fmod$suffix.c" "src/math/remainder$suffix.c" &&
            sed -i '1s/^/#include <errno.h>\n/' "src/math/hypot$suffix.c" || return
    done
    grep -q errno src/math/tgamma.c || sed -i '
        1s/^/#include <errno.h>\n/
        s/^\t\treturn x + INFINITY;$/\t\treturn x == -INFINITY ? __math_invalid(x) : x + INFINITY;/
        s|^\t\treturn 1/x;$|\t\treturn isinf(1/x) \&\& (errno = ERANGE), 1/x;|
        s|^\t\t\treturn 0/0.0;$|\t\t\treturn __math_invalid(x);|
        s/^\t\t\tFORCE_EVAL.*$/&\n\t\t\terrno = ERANGE;/
        s/^\t\tx \*= 0x1p1023;$/&\n\t\terrno = ERANGE;/
        s/^\ty = r \* z \* z;$/&\n\tif (isinf(y) || y == 0) errno = ERANGE;/' src/math/tgamma.c || return
    grep -q errno src/math/tgammaf.c || sed -i '
        1s/^/#include <errno.h>\n/
        s/^\treturn tgamma(x);$/\tfloat y = tgamma(x);\n\tif (isinf(y) \&\& !isinf(x) || y == 0) errno = ERANGE;\n\treturn y;/' \
        src/math/tgammaf.c
}

# A stream reads and writes at a cancellation point. Who is cancelled there leaves the stream's lock:
# posix-model/musl/hooks/streams.c.
musl_cancelled_streams() {
    # Whether a thread is cancelled at a call is decided by symx there: libc calls it with the call's number, by which
    # analyses know what the call does.
    sed -i 's/(__syscall_cp)(n,/__symx_syscall_cp(n,/' src/internal/syscall.h || return
    grep -q __stdio_call src/internal/stdio_impl.h ||
        sed -i 's/^hidden int __stdio_close(FILE \*);$/&\nhidden long __stdio_call(FILE *, long, long, long);/' \
            src/internal/stdio_impl.h || return
    sed -i 's/\bsyscall(SYS_\(readv\|read\|writev\), f->fd, /__stdio_call(f, SYS_\1, (long)/g' \
        src/stdio/__stdio_{read,write}.c
}

# The child of posix_spawn is made by posix-model/musl/hooks/clone.c, apart from others that share memory.
musl_spawned() {
    grep -q __clone_to_spawn src/process/posix_spawn.c ||
        sed -i 's/^static int child(/int __clone_to_spawn(int (*)(void *), void *, int, void *);\n\n&/
            s/__clone(child,/__clone_to_spawn(child,/' src/process/posix_spawn.c
}

# Places where musl reads what nobody has written or passed, or computes what has no value, to no effect: there symx would
# find uninitialised memory, arguments that are missing and overflow.
musl_determinate() {
    local without='cmd == F_GETFD || cmd == F_GETFL || cmd == F_GETOWN || cmd == F_GETSIG || cmd == F_GETLEASE'
    without+=' || cmd == F_GETPIPE_SZ || cmd == F_GET_SEALS'
    sed -i 's/union arg nl_arg\[\(NL_ARGMAX[+1]*\)\];/union arg nl_arg[\1] = { 0 };/' src/stdio/vf{,w}printf.c &&
        sed -i "s/^\targ = va_arg(ap, unsigned long);/\targ = $without ? 0 : va_arg(ap, unsigned long);/" src/fcntl/fcntl.c &&
        # The number may be any, and what is none is told after this.
        sed -i 's/unsigned s = sig-1;/unsigned s = (unsigned)sig-1;/' src/signal/sig{addset,delset,ismember}.c &&
        sed -i 's/^\targ = va_arg(ap, void \*);/\targ = req == FIOCLEX || req == FIONCLEX ? 0 : va_arg(ap, void *);/' \
            src/misc/ioctl.c &&
        # Only the first is ever used.
        sed -i 's/unsigned long x\[4\];/unsigned long x[4] = { 0 };/; s/for (i=0; i<4; i++)/for (i=0; i<1; i++)/' src/linux/prctl.c
}

# A stream is locked and unlocked in one step each, by posix-model/musl/hooks/locks.c; nothing else looks at the word. The
# standard streams have a lock from the start.
musl_stream_locks() {
    sed -i 's/((f)->lock>=0 ? __lockfile((f)) : 0)/__lockfile(f)/' src/internal/stdio_impl.h &&
        sed -i 's/\.lock = -1,/.lock = 0,/' src/stdio/std{in,out,err}.c &&
        cp "$root"/posix-model/musl/stdio/*.h src/stdio/
}

# The list of open streams is posix-model/musl/hooks/streams.c's: a stream is put in and taken out in one step, and a walk
# through the list keeps it as it is.
musl_open_streams() {
    sed -i 's/^hidden FILE \*\*__ofl_lock(void);$/hidden FILE *__ofl_first(void), *__ofl_next(FILE *);\nhidden void __ofl_remove(FILE *);/' \
        src/internal/stdio_impl.h &&
        sed -i 's/f=\*__ofl_lock(); f; f=f->next/f=__ofl_first(); f; f=__ofl_next(f)/' src/stdio/{fflush,__stdio_exit}.c &&
        sed -i 's/l = \*__ofl_lock(); l; l=l->next/l = __ofl_first(); l; l=__ofl_next(l)/' src/stdio/popen.c &&
        sed -i '/^\tFILE \*\*head = __ofl_lock();$/,/^\t__ofl_unlock();$/c\\t__ofl_remove(f);' src/stdio/fclose.c
}

# -O1 keeps the code close to its source, without vectors, which are costly on symbolic bytes. -ffreestanding keeps the
# compiler from turning a loop into a call of the very function that holds it.
musl_build() {
    local ours="$root/posix-model/musl" objects="$deps/musl/objects"
    rm -rf "$objects"
    mkdir -p "$objects"
    [ -d "$deps/musl/source/src" ] || debian_source musl "$deps/musl/source" || return
    # Under this pragma every operation becomes a constrained intrinsic; symx has one rounding mode and no trap flags.
    grep -rl --include='*.c' 'STDC FENV_ACCESS' "$deps/musl/source/src" |
        xargs -r sed -i '/^[[:space:]]*#pragma STDC FENV_ACCESS/d'
    # Reading a word at a time past the end of a string is no fault on a machine, but it is one here; and byte loops
    # are what symbolic strings want.
    sed -i 's/^#ifdef __GNUC__$/#if 0/' "$deps"/musl/source/src/string/*.c "$deps/musl/source/src/multibyte/mbsrtowcs.c"
    cd "$deps/musl/source" || return
    musl_as_glibc && musl_math_errors && musl_stream_locks && musl_open_streams && musl_cancelled_streams && musl_spawned && musl_determinate && musl_headers || return
    {
        find "$ours/hooks" "$ours/glibc" "$ours/openmp" -name '*.c' | sort # first: a mistake here shows at once
        musl_sources
    } >"$deps/musl/compiled.list"
    cat >"$deps/musl/flags" <<FLAGS
-c -emit-llvm -std=c99 -ffreestanding -nostdinc -O1 -gline-tables-only -w
-fno-pic -ffp-contract=off -fno-vectorize -fno-slp-vectorize -fno-stack-protector -fno-asynchronous-unwind-tables -fno-unwind-tables
-D_XOPEN_SOURCE=700 -ffile-prefix-map=$root=symx -ffile-prefix-map=$deps/musl/source=musl
-I$ours/arch/symx -Iarch/x86_64 -Iarch/generic -I$deps/musl/generated -Isrc/include -Isrc/internal -Iinclude
FLAGS
    # shellcheck disable=SC2016 # the inner shell expands these
    xargs -P "$(nproc)" -n 1 sh -c \
        '"$1/bin/clang" @"$2" "$4" -o "$3/$(echo "$4" | tr / _).bc" || exit 255' \
        - "$llvm" "$deps/musl/flags" "$objects" <"$deps/musl/compiled.list" &&
        "$llvm/bin/llvm-link" "$objects"/*.bc -o "$deps/musl/linked.bc" &&
        "$llvm/bin/opt" -passes=globaldce "$deps/musl/linked.bc" -o "$deps/musl/libc.new.bc" &&
        musl_check "$deps/musl/libc.new.bc" &&
        mv "$deps/musl/libc.new.bc" "$deps/musl/libc.bc" || return
    rm -rf "$objects" "$deps/musl/linked.bc"
    echo "$1" >"$deps/musl/stamp"
}

# What libc.bc may leave to symx, by name; anything else undefined is a mistake of this build.
musl_check() {
    local undefined
    undefined=$("$llvm/bin/llvm-nm" --undefined-only --just-symbol-name "$1" | grep -vxF -f "$root/posix-model/musl/undefined.list")
    [ -z "$undefined" ] && return
    echo "libc.bc leaves undefined what posix-model/musl/undefined.list does not name:"
    echo "$undefined"
    return 1
}

setup_musl() {
    local stamp
    stamp=$(find "$root/posix-model/musl" "$root/setup/musl.sh" -type f | sort | xargs cat | sha256sum)
    [ "$(cat "$deps/musl/stamp" 2>/dev/null)" = "$stamp" ] && return
    step "build musl" musl_build "$stamp"
}
