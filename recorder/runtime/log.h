#ifndef SYMX_RECORDER_LOG_H
#define SYMX_RECORDER_LOG_H

/* The log of one thread of a recorded program: each thread logs its path numbers (paths.h) into a file of its own.
 *
 * The file is memory-mapped and shared with the kernel, so what was logged survives however the process ends.
 * Threads share nothing here and never wait for each other: recording adds no synchronisation that could hide
 * or cause the failure being recorded. The layout of the file is described in src/thread_file.rs, the units of
 * the log in symx-trace, module profile::unit; the constants below repeat them.
 *
 * The hot functions are always inlined into the instrumented program, which is linked with this file before it
 * is optimised. All stores to the log and to the shadow stack are volatile: their order is the order in which
 * a process that is killed between two of them left them behind. Nothing is cleared before it is written: what is stored as
 * the end of the log brings the 0 that stands behind it. */

#include "end_key.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HOT __attribute__((always_inline))
#define COLD __attribute__((noinline, cold))
/* What inlined code calls where it must: a call that leaves nearly all registers alone costs it the least where it does not. */
#define SLOW_PATH __attribute__((noinline, cold, preserve_most))
#define unlikely(condition) __builtin_expect(!!(condition), 0)

enum unit {
    PATH = 0x0000,   /* + path number + 1; 0 itself is the end of the log */
    RETURN = 0x4000, /* + path number */
    ENTER = 0x8000,  /* + function index */
    PADDING = 0xC000,
    WIDE_PATH = 0xC001, /* from here to OUTER: a 32-bit value follows, low half first */
    WIDE_RETURN = 0xC002,
    WIDE_ENTER = 0xC003,
    ABANDONED = 0xC004,
    JUMPED_BACK = 0xC005,
    CREATED = 0xC006,
    BEFORE_CALL = 0xC007,
    OUTER = 0xC008,
    TICKS = 0xC009, /* a 64-bit value follows */
    STOPPED = 0xC00A,
    ENDED = 0xC00B,
    ACTIVE = 0xC00C, /* a 32-bit value follows */
    ROUNDS_OF = 0xC00D, /* a 32-bit value follows */
    ROUNDS_OFTEN = 0xC00E, /* a 32-bit value follows */
    AGAIN = 0xD000, /* + how often the path before it was taken again */
    AGAIN_LAST = 0xDFFF,
    ROUNDS = 0xE000, /* + loop * ROUNDS_IN_UNIT + how often it was gone round */
    ROUNDS_IN_UNIT = 128,
    LOOPS_IN_UNIT = 63,
    IN_LOOP = 0xFF80, /* + loop: the log ends here, and the path before is in this loop */
};

/* In a frame in place of the sum: the path so far is where the log's next event goes. */
#define SUM_IN_LOG 0x40000000u
/* Beside the sum: it may already, or still, be there, too. */
#define SUM_MAY_BE_IN_LOG 0x20000000u
/* Beside the sum and the number of the loop, which stands above it: the activation is in that loop. */
#define SUM_IN_LOOP 0x80000000u

enum {
    FORMAT_VERSION = 6,
    PAGE = 4096,
    STACK_FRAMES = 1 << 20,
    STACK_BYTES = STACK_FRAMES * 8,
    STACK_FIRST_BYTES = 1 << 14,
    LOG_OFFSET = PAGE + STACK_BYTES,
    WINDOW_BYTES = 1 << 16,
    WINDOWS = 2, /* those of the ring come on top */
    FRAMES_TOLD = 512,
    SLACK_UNITS = 256, /* more than what is logged between two checks for room: src/instrument/slack.rs */
    NAME_BYTES = 200,
    SIGNAL_STACK_BYTES = 1 << 16,
};

/* The sum comes first: it is what the inlined code stores. */
struct frame {
    uint32_t sum;
    uint32_t function; /* + 1 */
};

struct header {
    char magic[8];
    uint32_t version;
    uint32_t log_offset;
    uint8_t program[32];
    uint64_t started; /* ticks */
    uint64_t ended;   /* ticks; 0 while the thread runs */
    uint64_t signalled;
    uint32_t signal; /* the fatal signal this thread received, or 0 */
    uint32_t handlers_entered;
    uint32_t handlers_left;
    uint32_t ring_windows; /* how many full windows there is room for; 0 if the whole log is kept */
    uint32_t window_bytes;
    /* How many windows became full: src/thread_file.rs. */
    volatile uint32_t windows_written;
};

typedef volatile uint32_t __attribute__((aligned(2), may_alias)) two_units;
typedef volatile uint64_t __attribute__((aligned(2), may_alias)) four_units;

enum state { FRESH, RECORDING, OFF };

struct cursors {
    volatile uint16_t *unit;
    volatile uint16_t *unit_limit;
    struct frame *top;
    struct frame *stack_limit;
    enum state state;
};

struct thread {
    struct cursors at;
    struct header *header;
    char *log; /* what is mapped of it */
    size_t log_bytes;
    volatile uint16_t *window_end;
    uint64_t last_tick;
    uint32_t children;
    uint64_t drawn; /* noise.h */
    int rounds_of_destruction;
    void *signal_stack;
    char name[NAME_BYTES];
    /* Where the inlined code writes while nothing is recorded, from the second unit on: a run is counted one before. */
    uint16_t unit_sink[1 + SLACK_UNITS];
    struct frame frame_sink[2];
};

/* Defined by the instrumented program: the hash of the module it was made from. */
extern const uint8_t symx_recorder_program[32];

static _Thread_local struct thread self;
static char directory[3072];
static int process_started;
/* How many full windows of each thread's log are kept, the last ones; 0 if all of them. */
static uint32_t ring_windows;

/* With --record-sync, what the clock stamps are instead: the place of the operation in the order of all. The threads
 * wait for each other's place here, which orders them more than the program does; it is for machines whose cores do not
 * have one clock. */
static uint64_t *sequence;

static void map_sequence(void) {
    uint64_t *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) sequence = page;
}

static uint64_t ticks(void) {
    if (sequence != NULL) return __atomic_add_fetch(sequence, 1, __ATOMIC_SEQ_CST);
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

/* From here on the inlined code takes its slow path at every event, wherever its cursor is, and writes into the sinks. */
static void stop_silently(void) {
    self.at = (struct cursors){self.unit_sink + 1, NULL, self.frame_sink, NULL, OFF};
}

static int open_own_file(const char *extension, int flags) {
    char path[sizeof directory + NAME_BYTES + 16];
    int length = snprintf(path, sizeof path, "%s/%s.%s", directory, self.name, extension);
    if (length < 0 || (size_t)length >= sizeof path) return -1;
    return open(path, flags | O_RDWR | O_CLOEXEC, 0600);
}

static int open_thread_file(int flags) { return open_own_file("thread", flags); }

/* Backs part of the file with storage, so that a full disk shows here and not as SIGBUS later. No descriptor
 * is kept: a program may close descriptors it does not know. */
static void *map_part(int file, uint64_t offset, size_t bytes, size_t backed) {
    if (posix_fallocate(file, (off_t)offset, (off_t)backed) != 0) return MAP_FAILED;
    if (backed < bytes && ftruncate(file, (off_t)(offset + bytes)) != 0) return MAP_FAILED;
    int populate = backed == bytes ? MAP_POPULATE : 0;
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | populate, file, (off_t)offset);
}

/* Maps what the log is written in. Storage comes a window at a time. */
static int map_log(int file) {
    size_t bytes = WINDOW_BYTES * (WINDOWS + (size_t)ring_windows);
    if (ftruncate(file, (off_t)(LOG_OFFSET + bytes)) != 0) return 0;
    char *log = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, LOG_OFFSET);
    if (log == MAP_FAILED) return 0;
    self.log = log;
    self.log_bytes = bytes;
    return 1;
}

/* Gives a window of what is mapped its storage. */
static int back(int file, size_t window) {
    if (posix_fallocate(file, (off_t)(LOG_OFFSET + window * WINDOW_BYTES), WINDOW_BYTES) != 0) return 0;
#ifdef MADV_POPULATE_WRITE
    madvise(self.log + window * WINDOW_BYTES, WINDOW_BYTES, MADV_POPULATE_WRITE);
#endif
    return 1;
}

static void begin_window(uint32_t window) {
    volatile uint16_t *begin = (uint16_t *)(self.log + (size_t)window * WINDOW_BYTES);
    *begin = 0;
    self.at.unit = begin;
    self.window_end = begin + WINDOW_BYTES / sizeof *begin;
    self.at.unit_limit = self.window_end - SLACK_UNITS;
}

/* Adds a full window to the end of the file. */
static int append(int file, const char *full, uint32_t written) {
    off_t end = LOG_OFFSET + (off_t)WINDOW_BYTES * (WINDOWS + (off_t)written);
    for (ssize_t done = 0, count; done < WINDOW_BYTES; done += count) {
        /* Not through the library: its function may end the thread. */
        count = syscall(SYS_pwrite64, file, full + done, WINDOW_BYTES - (size_t)done, end + done);
        if (count < 0 && errno == EINTR) count = 0;
        else if (count <= 0) return 0;
    }
    return 1;
}

static void tell_active(void);

/* The log goes on in the next window: of a ring, in place of the oldest; else a full window is written to the end of the file and
 * there are two in turn, as what is written all the time stays in the cache, and to write to a file is cheaper than to map new
 * pages of it. The header's count tells what is whole: so it does not matter where in here the process is killed. */
static int go_on(int file) {
    uint32_t written = self.header->windows_written;
    if (written == UINT32_MAX) return 0;
    uint32_t windows = WINDOWS + ring_windows, next = (written + 1) % windows;
    if (written + 1 < windows && !back(file, next)) return 0;
    if (ring_windows == 0 && !append(file, self.log + written % windows * WINDOW_BYTES, written)) return 0;
    begin_window(next);
    __asm__ volatile("" ::: "memory");
    self.header->windows_written = written + 1;
    if (ring_windows != 0) tell_active();
    return 1;
}

static int begin_log(int file) {
    if (!back(file, 0)) return 0;
    begin_window(0);
    return 1;
}

/* The thread's signals are handled on the recorder's stack. */
static void use_signal_stack(void) {
    if (self.signal_stack == MAP_FAILED) return;
    sigaltstack(&(stack_t){.ss_sp = self.signal_stack, .ss_size = SIGNAL_STACK_BYTES}, NULL);
}

static void start_thread(const char *name) {
    int saved_errno = errno;
    snprintf(self.name, sizeof self.name, "%s", name);
    stop_silently();
    if (directory[0] == 0) return;
    int file = open_thread_file(O_CREAT | O_EXCL);
    if (file < 0) goto done;
    char *base = map_part(file, 0, LOG_OFFSET, PAGE + STACK_FIRST_BYTES);
    if (base == MAP_FAILED) goto done;
    self.header = (struct header *)base;
    self.header->ring_windows = ring_windows;
    self.header->window_bytes = WINDOW_BYTES;
    if (!map_log(file) || !begin_log(file)) {
        if (self.log != NULL) munmap(self.log, self.log_bytes);
        munmap(base, LOG_OFFSET);
        self.header = NULL;
        self.log = NULL;
        stop_silently();
        goto done;
    }
    self.header->version = FORMAT_VERSION;
    self.header->log_offset = LOG_OFFSET;
    memcpy(self.header->program, symx_recorder_program, 32);
    self.last_tick = self.header->started = ticks();
    memcpy(self.header->magic, "SYMXTHRD", 8);
    self.at.top = (struct frame *)(base + PAGE) - 1;
    self.at.stack_limit = (struct frame *)(base + PAGE + STACK_FIRST_BYTES);
    self.at.state = RECORDING;
    pthread_setspecific(end_key, &self);
    self.signal_stack = mmap(NULL, SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    use_signal_stack();
done:
    if (file >= 0) close(file);
    errno = saved_errno;
}

static void start_process(void);

static void log_clock(uint64_t now) {
    volatile uint16_t *at = self.at.unit;
    at[5] = 0;
    for (int part = 0; part < 4; part++) at[1 + part] = (uint16_t)(now >> (16 * part));
    at[0] = TICKS;
    self.at.unit = at + 5;
}

static void make_room(void) {
    if (self.at.state == FRESH) {
        if (!process_started) {
            start_process();
        } else {
            char name[32];
            snprintf(name, sizeof name, "foreign-%d", (int)gettid());
            start_thread(name);
        }
        return;
    }
    if (self.at.state == OFF) {
        self.at.unit = self.unit_sink + 1;
        return;
    }
    volatile uint16_t *old = self.at.unit;
    int saved_errno = errno;
    int needs_file = ring_windows == 0 || self.header->windows_written + 1 < WINDOWS + ring_windows;
    int file = needs_file ? open_thread_file(0) : -1;
    /* The window is filled up before it is left, from its end on: until that is done the log ends where it did, and not in what was
     * logged before. On failure the padding is taken back. */
    for (volatile uint16_t *unit = self.window_end; unit-- > old;) *unit = PADDING;
    if ((needs_file && file < 0) || !go_on(file)) {
        *old = STOPPED;
        stop_silently();
    }
    if (file >= 0) close(file);
    errno = saved_errno;
}

/* Makes room for one event, which would have gone to `at`; tells where it goes. A path so far that is kept there comes along. */
SLOW_PATH volatile uint16_t *symx_recorder_make_room(volatile uint16_t *at) {
    volatile uint32_t *sum = &self.at.top->sum;
    uint32_t so_far = 0;
    if (self.at.state == RECORDING) {
        self.at.unit = at;
        if (*sum == SUM_IN_LOG) so_far = *at;
    }
    if (so_far != 0) *sum = SUM_MAY_BE_IN_LOG | (so_far - 1);
    make_room();
    if (so_far != 0 && self.at.state == RECORDING) {
        *(two_units *)self.at.unit = so_far;
        *sum = SUM_IN_LOG;
    }
    return self.at.unit;
}

/* Where the next event's place is kept: by the thread, or by the code of a stretch without calls (src/instrument/stretch.rs). */
static inline HOT volatile uint16_t **kept(volatile uint16_t **cursor) { return cursor != NULL ? cursor : &self.at.unit; }

/* Where the next event goes. */
static inline HOT volatile uint16_t *room(volatile uint16_t **cursor) {
    volatile uint16_t *at = *kept(cursor);
    if (unlikely(at >= self.at.unit_limit)) at = symx_recorder_make_room(at);
    return at;
}

static inline HOT void put_unit(volatile uint16_t **cursor, volatile uint16_t *at, uint32_t unit) {
    *(two_units *)at = (uint16_t)unit;
    *kept(cursor) = at + 1;
}

/* The tag is stored last: where it is, the value is whole. */
static inline HOT void put_value(volatile uint16_t **cursor, volatile uint16_t *at, enum unit tag, uint32_t value) {
    at[3] = 0;
    *(two_units *)(at + 1) = value;
    at[0] = (uint16_t)tag;
    *kept(cursor) = at + 3;
}

static inline HOT void one_unit(uint32_t unit) { put_unit(NULL, room(NULL), unit); }

static inline HOT void with_value(enum unit tag, uint32_t value) { put_value(NULL, room(NULL), tag, value); }

/* What a log needs that begins here: which functions are active, and the clock. */
static void tell_active(void) {
    struct frame *base = (struct frame *)((char *)self.header + PAGE);
    uint32_t depth = (uint32_t)(self.at.top + 1 - base), told = depth < FRAMES_TOLD ? depth : FRAMES_TOLD;
    with_value(OUTER, depth - told);
    for (uint32_t i = depth - told; i < depth; i++) with_value(ACTIVE, base[i].function - 1);
    log_clock(self.last_tick);
}

#endif
