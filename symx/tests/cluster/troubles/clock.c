// A clock that jumps, for a process that has this preloaded: as on a machine whose clock is set, and that is
// suspended now and then.
//
// The time of day jumps by hours in both directions. The clocks that only advance jump forwards by minutes.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// One reading of this many moves a clock.
enum { RARELY = 100, HOUR = 3600, MINUTE = 60 };

static atomic_long advanced, set, readings;

static long random_below(long bound) {
    static _Thread_local unsigned state;
    if (state == 0) {
        const char *seed = getenv("CLOCK_SEED");
        state = 2463534242u ^ (unsigned)(seed ? atoi(seed) : 0) * 2654435761u ^ (unsigned)(size_t)&state;
    }
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    return state % bound;
}

// The file that the environment names gets a character for each, from all processes.
static void jump(void) {
    switch (random_below(2)) {
        case 0: advanced += (1 + random_below(9)) * MINUTE; break;
        default: set = (random_below(9) - 4) * HOUR; break;
    }
    const char *path = getenv("CLOCK_JUMPS");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (file >= 0) {
        (void)!write(file, ".", 1);
        close(file);
    }
}

static int is_steady(clockid_t clock) {
    return clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME || clock == CLOCK_MONOTONIC_RAW
        || clock == CLOCK_MONOTONIC_COARSE;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, time);
    if (result != 0)
        return result;
    // The first jump comes soon.
    if (++readings == 100 || random_below(RARELY) == 0)
        jump();
    if (is_steady(clock))
        time->tv_sec += advanced;
    else if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
        time->tv_sec += advanced + set;
    return 0;
}

// The kernel does not know of it: what is awaited until a time is awaited until that time of the kernel's.
long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long argument[6];
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(list, long);
    va_end(list);
    static long (*real)(long, ...);
    if (!real)
        real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    struct timespec end;
    int operation = (int)argument[1] & FUTEX_CMD_MASK;
    if (number == SYS_futex && operation == FUTEX_WAIT_BITSET && argument[3]) {
        end = *(struct timespec *)argument[3];
        end.tv_sec -= advanced;
        argument[3] = (long)&end;
    }
    return real(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}
