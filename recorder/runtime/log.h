#ifndef SYMX_RECORDER_LOG_H
#define SYMX_RECORDER_LOG_H

/* The log of one thread of a recorded program: each thread logs its path numbers into a file of its own.
 *
 * The file is memory-mapped and shared with the kernel, so what was logged survives however the process ends.
 * Threads share nothing here and never wait for each other: recording adds no synchronisation that could hide
 * or cause the failure being recorded. The layout of the file is described in src/thread_file.rs, the units of
 * the log in symx-trace, module profile::unit; the constants below repeat them.
 *
 * The hot functions are always inlined into the instrumented program, which is linked with this file before it
 * is optimised. All stores to the log and to the shadow stack are volatile: their order is the order in which
 * a process that is killed between two of them left them behind. */

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
#include <time.h>
#include <unistd.h>

#define HOT __attribute__((always_inline))
#define COLD __attribute__((noinline, cold))
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
    AGAIN = 0xD000, /* + how often the path before it was taken again */
    AGAIN_LAST = 0xFFFE,
};

enum {
    FORMAT_VERSION = 2,
    PAGE = 4096,
    STACK_FRAMES = 1 << 20,
    STACK_BYTES = STACK_FRAMES * 8,
    STACK_FIRST_BYTES = 1 << 14,
    LOG_OFFSET = PAGE + STACK_BYTES,
    FIRST_CHUNK_BYTES = 1 << 16,
    LAST_CHUNK_BYTES = 1 << 20,
    RING_CHUNK_BYTES = 1 << 16,
    RING_CHUNKS = 512,
    FRAMES_TOLD = 512,
    SLACK_UNITS = 32, /* more than any single event takes */
    NAME_BYTES = 200,
    SIGNAL_STACK_BYTES = 1 << 16,
};

struct frame {
    uint32_t function; /* + 1 */
    uint32_t sum;
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
    uint32_t ring_chunk_bytes; /* 0 if the whole log is kept */
    /* When each chunk of the ring was begun, counted from 1; 0 if there is nothing in it. */
    volatile uint32_t serials[RING_CHUNKS];
};

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
    char *chunk;
    size_t chunk_bytes;
    uint64_t file_bytes;
    uint32_t ring_chunks_begun;
    uint64_t last_tick;
    uint32_t children;
    int rounds_of_destruction;
    void *signal_stack;
    char name[NAME_BYTES];
    /* Where the inlined code writes while nothing is recorded, from the second unit on: a run is counted one before. */
    uint16_t unit_sink[SLACK_UNITS + 1];
    struct frame frame_sink[2];
};

/* Defined by the instrumented program: the hash of the module it was made from. */
extern const uint8_t symx_recorder_program[32];

static _Thread_local struct thread self;
static char directory[3072];
static int process_started;
static pthread_key_t end_key;
/* How much of each thread's log is kept, its end; 0 if all of it. */
static size_t ring_bytes, ring_chunk_bytes;

/* With --record-sync, what the clock stamps are instead: the place of the operation in the order of all. The threads
 * wait for each other's place here, which orders them more than the program does. */
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

/* From here on the inlined code takes its slow path at every event and writes into the sinks. */
static void stop_silently(void) {
    self.at = (struct cursors){self.unit_sink + 1, self.unit_sink + 1, self.frame_sink, NULL, OFF};
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

static int map_next_chunk(int file) {
    size_t bytes = self.chunk_bytes == 0 ? FIRST_CHUNK_BYTES : self.chunk_bytes * 2;
    if (bytes > LAST_CHUNK_BYTES) bytes = LAST_CHUNK_BYTES;
    char *chunk = map_part(file, self.file_bytes, bytes, bytes);
    if (chunk == MAP_FAILED) return 0;
    if (self.chunk != NULL) munmap(self.chunk, self.chunk_bytes);
    self.chunk = chunk;
    self.chunk_bytes = bytes;
    self.file_bytes += bytes;
    self.at.unit = (uint16_t *)chunk;
    self.at.unit_limit = (uint16_t *)(chunk + bytes) - SLACK_UNITS;
    return 1;
}

/* Maps the whole ring; storage comes a chunk at a time. */
static int map_ring(int file) {
    if (ftruncate(file, (off_t)(LOG_OFFSET + ring_bytes)) != 0) return 0;
    char *ring = mmap(NULL, ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, LOG_OFFSET);
    if (ring == MAP_FAILED) return 0;
    self.chunk = ring;
    self.chunk_bytes = ring_bytes;
    return 1;
}

static void tell_active(void);

/* The oldest chunk of the ring becomes the newest. */
static int begin_ring_chunk(int file) {
    uint32_t slot = self.ring_chunks_begun % (uint32_t)(ring_bytes / ring_chunk_bytes);
    size_t offset = slot * ring_chunk_bytes;
    char *chunk = self.chunk + offset;
    if (self.header->serials[slot] == 0) {
        if (posix_fallocate(file, (off_t)(LOG_OFFSET + offset), (off_t)ring_chunk_bytes) != 0) return 0;
#ifdef MADV_POPULATE_WRITE
        madvise(chunk, ring_chunk_bytes, MADV_POPULATE_WRITE);
#endif
    } else {
        self.header->serials[slot] = 0;
        memset(chunk, 0, ring_chunk_bytes);
    }
    self.at.unit = (uint16_t *)chunk;
    self.at.unit_limit = (uint16_t *)(chunk + ring_chunk_bytes) - SLACK_UNITS;
    __asm__ volatile("" ::: "memory");
    self.header->serials[slot] = ++self.ring_chunks_begun;
    if (self.ring_chunks_begun > 1) tell_active();
    return 1;
}

static int begin_chunk(int file) { return ring_bytes == 0 ? map_next_chunk(file) : begin_ring_chunk(file); }

static void start_thread(const char *name) {
    int saved_errno = errno;
    snprintf(self.name, sizeof self.name, "%s", name);
    stop_silently();
    if (directory[0] == 0) return;
    int file = open_thread_file(O_CREAT | O_EXCL);
    if (file < 0) goto done;
    char *base = map_part(file, 0, LOG_OFFSET, PAGE + STACK_FIRST_BYTES);
    if (base == MAP_FAILED) goto done;
    self.file_bytes = LOG_OFFSET;
    self.header = (struct header *)base;
    self.header->ring_chunk_bytes = (uint32_t)ring_chunk_bytes;
    if ((ring_bytes != 0 && !map_ring(file)) || !begin_chunk(file)) {
        if (self.chunk != NULL) munmap(self.chunk, self.chunk_bytes);
        munmap(base, LOG_OFFSET);
        self.header = NULL;
        self.chunk = NULL;
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
    if (self.signal_stack != MAP_FAILED)
        sigaltstack(&(stack_t){.ss_sp = self.signal_stack, .ss_size = SIGNAL_STACK_BYTES}, NULL);
done:
    if (file >= 0) close(file);
    errno = saved_errno;
}

static void start_process(void);

static void log_clock(uint64_t now) {
    volatile uint16_t *at = self.at.unit;
    for (int part = 0; part < 4; part++) at[1 + part] = (uint16_t)(now >> (16 * part));
    at[0] = TICKS;
    self.at.unit = at + 5;
}

/* Makes room for one event. */
COLD void symx_recorder_make_room(void) {
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
    int saved_errno = errno;
    volatile uint16_t *old = self.at.unit, *end = self.at.unit_limit + SLACK_UNITS;
    int needs_storage = ring_bytes == 0 || self.ring_chunks_begun < ring_bytes / ring_chunk_bytes;
    int file = needs_storage ? open_thread_file(0) : -1;
    /* The old chunk is unmapped on success, so it is padded before; on failure the padding is taken back. */
    for (volatile uint16_t *unit = old; unit < end; unit++) *unit = PADDING;
    if ((needs_storage && file < 0) || !begin_chunk(file)) {
        *old = STOPPED;
        stop_silently();
    }
    if (file >= 0) close(file);
    errno = saved_errno;
}

static inline HOT void one_unit(uint32_t unit) {
    if (unlikely(self.at.unit >= self.at.unit_limit)) symx_recorder_make_room();
    volatile uint16_t *at = self.at.unit;
    *at = (uint16_t)unit;
    self.at.unit = at + 1;
}

/* The tag is stored last: where it is, the value is whole. */
static inline HOT void with_value(enum unit tag, uint32_t value) {
    if (unlikely(self.at.unit >= self.at.unit_limit)) symx_recorder_make_room();
    volatile uint16_t *at = self.at.unit;
    at[1] = (uint16_t)value;
    at[2] = (uint16_t)(value >> 16);
    at[0] = (uint16_t)tag;
    self.at.unit = at + 3;
}

/* What a log needs that begins here: which functions are active, and the clock. */
static void tell_active(void) {
    struct frame *base = (struct frame *)((char *)self.header + PAGE);
    uint32_t depth = (uint32_t)(self.at.top + 1 - base), told = depth < FRAMES_TOLD ? depth : FRAMES_TOLD;
    with_value(OUTER, depth - told);
    for (uint32_t i = depth - told; i < depth; i++) with_value(ACTIVE, base[i].function - 1);
    log_clock(self.last_tick);
}

/* Makes room for a frame and for an event; tells where the frame goes. */
COLD struct frame *symx_recorder_make_frame(void) {
    if (self.at.state == FRESH || self.at.unit >= self.at.unit_limit) symx_recorder_make_room();
    struct frame *next = self.at.top + 1;
    if (self.at.state != RECORDING) goto off;
    if (next >= self.at.stack_limit) {
        int saved_errno = errno;
        struct frame *base = (struct frame *)((char *)self.header + PAGE);
        size_t frames = (size_t)(self.at.stack_limit - base);
        int file = frames < STACK_FRAMES ? open_thread_file(0) : -1;
        int failed = file < 0 || posix_fallocate(file, PAGE, (off_t)(frames * 2 * sizeof *base)) != 0;
        if (file >= 0) close(file);
        errno = saved_errno;
        if (failed) {
            one_unit(STOPPED);
            stop_silently();
            goto off;
        }
        self.at.stack_limit = base + frames * 2;
    }
    return next;
off:
    stop_silently();
    return &self.frame_sink[1];
}

/* The rest of the frames above one were left by longjmp, an exception or the end of the thread. */
static void abandon_above(struct frame *frame) {
    if (self.at.state != RECORDING) return;
    struct frame *base = (struct frame *)((char *)self.header + PAGE);
    if (frame < base - 1 || frame > self.at.top) return;
    while (self.at.top > frame && self.at.state == RECORDING) {
        with_value(ABANDONED, self.at.top->sum);
        if (self.at.state == RECORDING) self.at.top--;
    }
}

HOT struct frame *symx_recorder_enter(uint32_t function, uint32_t wide) {
    struct frame *frame = self.at.top + 1;
    if (unlikely(frame >= self.at.stack_limit || self.at.unit >= self.at.unit_limit))
        frame = symx_recorder_make_frame();
    *(volatile uint64_t *)frame = (uint64_t)function + 1;
    if (wide) with_value(WIDE_ENTER, function);
    else one_unit(ENTER + function);
    self.at.top = frame;
    return frame;
}

HOT void symx_recorder_sum(struct frame *frame, uint32_t sum) { *(volatile uint32_t *)&frame->sum = sum; }

HOT uint32_t symx_recorder_saved_sum(struct frame *frame) { return *(volatile uint32_t *)&frame->sum; }

HOT void symx_recorder_path(struct frame *frame, uint32_t path, uint32_t restart, uint32_t wide) {
    if (wide) with_value(WIDE_PATH, path);
    else one_unit(PATH + path + 1);
    symx_recorder_sum(frame, restart);
}

/* A path of a loop with one way round, `whole` if it is all of it. Where such a path follows itself it is counted in
 * the unit after it: a store, and the log grows no more. */
HOT void symx_recorder_round(struct frame *frame, uint32_t path, uint32_t restart, uint32_t whole, uint32_t keeps_sum,
                             uint32_t *run_path, uint32_t *run_unit) {
    if (path == whole && *run_path == whole + 1) {
        uint32_t unit = *run_unit + 1;
        if (unlikely(unit > AGAIN_LAST)) unit = AGAIN + 1;
        if (unlikely(unit == AGAIN + 1)) one_unit(unit);
        else self.at.unit[-1] = (uint16_t)unit;
        *run_unit = unit;
        if (!keeps_sum) symx_recorder_sum(frame, restart);
        return;
    }
    one_unit(PATH + path + 1);
    *run_path = path + 1;
    *run_unit = AGAIN;
    symx_recorder_sum(frame, restart);
}

COLD void symx_recorder_caught(struct frame *frame) { abandon_above(frame); }

HOT void symx_recorder_leave(struct frame *frame, uint32_t path, uint32_t wide) {
    if (unlikely(self.at.top != frame)) symx_recorder_caught(frame);
    if (wide) with_value(WIDE_RETURN, path);
    else one_unit(RETURN + path);
    self.at.top = frame - 1;
}

/* After a function that returns twice: 0 the first time. */
COLD void symx_recorder_returned(struct frame *frame, int32_t value, uint32_t restart) {
    if (value == 0) return;
    abandon_above(frame);
    with_value(JUMPED_BACK, symx_recorder_saved_sum(frame));
    symx_recorder_sum(frame, restart);
}

static void stamp(void) {
    uint64_t now = ticks(), since = now - self.last_tick;
    if (since >> 32) {
        if (self.at.unit >= self.at.unit_limit) symx_recorder_make_room();
        log_clock(now);
        since = 0;
    }
    with_value(BEFORE_CALL, (uint32_t)since);
    self.last_tick = now;
}

COLD void symx_recorder_before_call(uint32_t acquires) {
    if (self.at.state == FRESH) symx_recorder_make_room();
    if (self.at.state == RECORDING && !(acquires && sequence != NULL)) stamp();
}

/* An operation that waits takes its place in the order when it is over. */
COLD void symx_recorder_after_call(void) {
    if (self.at.state == RECORDING && sequence != NULL) stamp();
}

#endif
