#ifndef SYMX_RECORDER_INPUTS_H
#define SYMX_RECORDER_INPUTS_H

/* What external calls answered through which input enters the program: a file a thread, mapped like its log. The file
 * is there once the thread has made such a call. Its layout is described in src/input_file.rs; the numbers of the
 * functions are their places in symx-trace, module profile::recorded_call. */

#include "log.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/time.h>

enum input_function {
    FILLING, /* nothing; the rest of a chunk */
    TIME,
    GETTIMEOFDAY,
    CLOCK_GETTIME,
    CLOCK,
    RAND,
    RANDOM,
    GETPID,
    GETPPID,
    GETRANDOM,
    GETENTROPY,
    READ,
    RECV,
    TIMESPEC_GET,
    RAND_R,
    SYSCONF,
    ISATTY,
    GETTID,
    SCHED_GETCPU,
    GETUID,
    GETEUID,
    GETGID,
    GETEGID,
    STEADY_CLOCK_NOW,
    SYSTEM_CLOCK_NOW,
    HARDWARE_CONCURRENCY,
    RANDOM_DEVICE,
    TIME_STAMP,
};

enum { INPUT_CHUNK_BYTES = 1 << 16, ANSWERED = 1, ANEW = 2 };

/* What was written into the buffer follows, filled up to 32 bytes. */
struct input {
    uint16_t function;
    uint8_t kind; /* stored last; 0 where the file ends */
    uint8_t unused;
    int32_t error;
    uint64_t bytes;
    int64_t result;
    uint64_t times;
};

struct input_log {
    char *at, *end, *chunk;
    size_t chunk_bytes;
    uint64_t file_bytes;
    struct input *last_anew;
    int is_off;
};

static _Thread_local struct input_log inputs;
static int inputs_are_off;

static size_t filled_up(size_t bytes) { return (bytes + 31) & ~(size_t)31; }

static void begin_input(struct input *input, uint16_t function, uint64_t bytes, int64_t result, int error) {
    input->function = function;
    input->error = error;
    input->bytes = bytes;
    input->result = result;
    input->times = 1;
}

static void end_input(struct input *input, uint8_t kind) { *(volatile uint8_t *)&input->kind = kind; }

/* Where an input of so many bytes goes; NULL if there is no room. */
static struct input *room_for_input(size_t bytes) {
    size_t needed = sizeof(struct input) + filled_up(bytes);
    if (inputs.is_off || inputs_are_off || self.at.state != RECORDING) return NULL;
    if ((size_t)(inputs.end - inputs.at) < needed) {
        size_t chunk_bytes = needed > INPUT_CHUNK_BYTES ? (needed + PAGE - 1) & ~(size_t)(PAGE - 1) : INPUT_CHUNK_BYTES;
        int file = open_own_file("inputs", inputs.chunk == NULL ? O_CREAT | O_EXCL : 0);
        char *chunk = file < 0 ? MAP_FAILED : map_part(file, inputs.file_bytes, chunk_bytes, chunk_bytes);
        if (file >= 0) close(file);
        if (chunk == MAP_FAILED) {
            inputs.is_off = 1;
            return NULL;
        }
        if (inputs.at < inputs.end) {
            struct input *filling = (struct input *)inputs.at;
            begin_input(filling, FILLING, (size_t)(inputs.end - inputs.at) - sizeof *filling, 0, 0);
            end_input(filling, ANSWERED);
        }
        if (inputs.chunk != NULL) munmap(inputs.chunk, inputs.chunk_bytes);
        inputs.at = inputs.chunk = chunk;
        inputs.end = chunk + chunk_bytes;
        inputs.chunk_bytes = chunk_bytes;
        inputs.file_bytes += chunk_bytes;
        inputs.last_anew = NULL;
    }
    struct input *input = (struct input *)inputs.at;
    inputs.at += needed;
    return input;
}

/* Notes an answer; `errno` is as it was behind the call, and stays so. */
static void note(uint16_t function, int64_t result, const void *bytes, size_t count) {
    int error = errno;
    struct input *input = room_for_input(count);
    if (input != NULL) {
        begin_input(input, function, count, result, error);
        if (count > 0) memcpy(input + 1, bytes, count);
        end_input(input, ANSWERED);
        inputs.last_anew = NULL;
    }
    errno = error;
}

/* Notes a call that is to be answered anew. */
static void note_anew(uint16_t function) {
    int error = errno;
    struct input *last = inputs.last_anew;
    if (last != NULL && last->function == function && self.at.state == RECORDING) {
        *(volatile uint64_t *)&last->times = last->times + 1;
    } else if ((last = room_for_input(0)) != NULL) {
        begin_input(last, function, 0, 0, 0);
        end_input(last, ANEW);
        inputs.last_anew = last;
    }
    errno = error;
}

static void forget_inputs(void) {
    if (inputs.chunk != NULL) munmap(inputs.chunk, inputs.chunk_bytes);
    inputs = (struct input_log){.is_off = 1};
}

/* The pipes that were open when the process began: they lead out of it. */
enum { INHERITED_DESCRIPTORS = 64 };
static struct {
    dev_t device;
    ino_t number;
} inherited_pipes[INHERITED_DESCRIPTORS];

static void note_inherited_pipes(void) {
    struct stat status;
    for (int descriptor = 0; descriptor < INHERITED_DESCRIPTORS; descriptor++) {
        if (fstat(descriptor, &status) != 0 || !S_ISFIFO(status.st_mode)) continue;
        inherited_pipes[descriptor].device = status.st_dev;
        inherited_pipes[descriptor].number = status.st_ino;
    }
}

static int is_inherited(const struct stat *pipe) {
    for (int at = 0; at < INHERITED_DESCRIPTORS; at++)
        if (inherited_pipes[at].number == pipe->st_ino && inherited_pipes[at].device == pipe->st_dev) return 1;
    return 0;
}

/* Whether what comes over a descriptor comes again by itself: files are read again, and the process's own pipes,
 * counters and pairs of sockets carry what it writes itself. */
static int comes_again(int descriptor) {
    struct stat status;
    struct ucred peer;
    socklen_t length = sizeof peer;
    int error = errno, again = 0;
    if (fstat(descriptor, &status) == 0) {
        if (S_ISFIFO(status.st_mode)) again = !is_inherited(&status);
        else if (S_ISSOCK(status.st_mode))
            again = getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.pid == getpid();
        else again = !S_ISCHR(status.st_mode);
    }
    errno = error;
    return again;
}

/* The variables of the environment that were asked for, by a hash of their names. */
static uint64_t asked[256];

static int is_asked_first(const char *name) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char *at = name; *at != 0; at++) hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
    if (hash == 0) hash = 1;
    for (unsigned probe = 0; probe < 16; probe++) {
        uint64_t *slot = &asked[(hash + probe) % 256], empty = 0;
        if (__atomic_compare_exchange_n(slot, &empty, hash, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return 1;
        if (empty == hash) return 0;
    }
    return 1;
}

/* Variables are inherited by the process as a whole: a file of them, each with a 0 behind it. */
char *symx_recorder_getenv(const char *name) {
    char *value = getenv(name);
    if (value == NULL || inputs_are_off || self.at.state != RECORDING || !is_asked_first(name)) return value;
    int error = errno;
    char path[sizeof directory + 16];
    snprintf(path, sizeof path, "%s/environment", directory);
    int out = open(path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
    if (out >= 0) {
        dprintf(out, "%s=%s%c", name, value, 0);
        close(out);
    }
    errno = error;
    return value;
}

time_t symx_recorder_time(time_t *out) {
    time_t result = time(out);
    note(TIME, result, out, out == NULL ? 0 : sizeof *out);
    return result;
}

int symx_recorder_gettimeofday(struct timeval *out, void *zone) {
    int result = gettimeofday(out, zone);
    note(GETTIMEOFDAY, result, out, result == 0 ? sizeof *out : 0);
    return result;
}

int symx_recorder_clock_gettime(clockid_t clock, struct timespec *out) {
    int result = clock_gettime(clock, out);
    note(CLOCK_GETTIME, result, out, result == 0 ? sizeof *out : 0);
    return result;
}

clock_t symx_recorder_clock(void) {
    clock_t result = clock();
    note(CLOCK, result, NULL, 0);
    return result;
}

int symx_recorder_rand(void) {
    int result = rand();
    note(RAND, result, NULL, 0);
    return result;
}

long symx_recorder_random(void) {
    long result = random();
    note(RANDOM, result, NULL, 0);
    return result;
}

pid_t symx_recorder_getpid(void) {
    pid_t result = getpid();
    note(GETPID, result, NULL, 0);
    return result;
}

pid_t symx_recorder_getppid(void) {
    pid_t result = getppid();
    note(GETPPID, result, NULL, 0);
    return result;
}

ssize_t symx_recorder_getrandom(void *out, size_t bytes, unsigned flags) {
    ssize_t result = getrandom(out, bytes, flags);
    note(GETRANDOM, result, out, result > 0 ? (size_t)result : 0);
    return result;
}

int symx_recorder_getentropy(void *out, size_t bytes) {
    int result = getentropy(out, bytes);
    note(GETENTROPY, result, out, result == 0 ? bytes : 0);
    return result;
}

ssize_t symx_recorder_read(int descriptor, void *out, size_t bytes) {
    ssize_t result = read(descriptor, out, bytes);
    if (comes_again(descriptor)) note_anew(READ);
    else note(READ, result, out, result > 0 ? (size_t)result : 0);
    return result;
}

ssize_t symx_recorder_recv(int descriptor, void *out, size_t bytes, int flags) {
    ssize_t result = recv(descriptor, out, bytes, flags);
    /* With MSG_TRUNC it tells of more than there was room for. */
    size_t count = out == NULL || result <= 0 ? 0 : (size_t)result < bytes ? (size_t)result : bytes;
    if (comes_again(descriptor)) note_anew(RECV);
    else note(RECV, result, out, count);
    return result;
}

int symx_recorder_timespec_get(struct timespec *out, int base) {
    int result = timespec_get(out, base);
    note(TIMESPEC_GET, result, out, result == 0 ? 0 : sizeof *out);
    return result;
}

int symx_recorder_rand_r(unsigned *seed) {
    int result = rand_r(seed);
    note(RAND_R, result, seed, sizeof *seed);
    return result;
}

long symx_recorder_sysconf(int name) {
    long result = sysconf(name);
    note(SYSCONF, result, NULL, 0);
    return result;
}

int symx_recorder_isatty(int descriptor) {
    int result = isatty(descriptor);
    note(ISATTY, result, NULL, 0);
    return result;
}

pid_t symx_recorder_gettid(void) {
    pid_t result = gettid();
    note(GETTID, result, NULL, 0);
    return result;
}

int symx_recorder_sched_getcpu(void) {
    int result = sched_getcpu();
    note(SCHED_GETCPU, result, NULL, 0);
    return result;
}

uid_t symx_recorder_getuid(void) {
    uid_t result = getuid();
    note(GETUID, (int)result, NULL, 0);
    return result;
}

uid_t symx_recorder_geteuid(void) {
    uid_t result = geteuid();
    note(GETEUID, (int)result, NULL, 0);
    return result;
}

gid_t symx_recorder_getgid(void) {
    gid_t result = getgid();
    note(GETGID, (int)result, NULL, 0);
    return result;
}

gid_t symx_recorder_getegid(void) {
    gid_t result = getegid();
    note(GETEGID, (int)result, NULL, 0);
    return result;
}

/* Functions of libstdc++, whose own calls are not seen here. They are answered from where it takes its answers, so
 * that programs in C need no libstdc++. */

static int64_t nanoseconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t symx_recorder__ZNSt6chrono3_V212steady_clock3nowEv(void) {
    int64_t result = nanoseconds_of(CLOCK_MONOTONIC);
    note(STEADY_CLOCK_NOW, result, NULL, 0);
    return result;
}

int64_t symx_recorder__ZNSt6chrono3_V212system_clock3nowEv(void) {
    int64_t result = nanoseconds_of(CLOCK_REALTIME);
    note(SYSTEM_CLOCK_NOW, result, NULL, 0);
    return result;
}

unsigned symx_recorder__ZNSt6thread20hardware_concurrencyEv(void) {
    int result = get_nprocs();
    note(HARDWARE_CONCURRENCY, result, NULL, 0);
    return (unsigned)result;
}

/* Without a sign: no value means that the call has failed. */
unsigned symx_recorder__ZNSt13random_device9_M_getvalEv(void *device) {
    unsigned result;
    (void)device;
    if (getentropy(&result, sizeof result) != 0) abort();
    note(RANDOM_DEVICE, (int64_t)result, NULL, 0);
    return result;
}

uint64_t symx_recorder___rdtsc(void) {
    uint64_t result = __builtin_ia32_rdtsc();
    note(TIME_STAMP, (int64_t)result, NULL, 0);
    return result;
}

/* With the number of the processor: the first, as in the interpreter. */
struct stamp {
    uint64_t ticks;
    uint32_t processor;
};

struct stamp symx_recorder_rdtscp(void) {
    return (struct stamp){symx_recorder___rdtsc(), 0};
}

/* What inline assembly takes in place of stamps of its own. No compiler sees that. */
__attribute__((used)) volatile _Thread_local uint64_t symx_recorder_stamps[4];

void symx_recorder_time_stamp(int number) {
    symx_recorder_stamps[number] = symx_recorder___rdtsc();
}

#endif
