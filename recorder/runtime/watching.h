#ifndef SYMX_WATCHING_H
#define SYMX_WATCHING_H

/* Watching one pair of accesses in a native run: on-demand validation of a candidate (Kasikci, Zamfir, Candea: RaceMob, SOSP
 * 2013). A thread that comes to one of the two source locations is now and then held back there. If another thread comes to the
 * other location meanwhile, with an address that overlaps, both are about to make their access at once: the race is seen.
 *
 * Soundness: the thread that finds another one held back exchanges the state of its slot from HELD to SEEN. The held thread
 * leaves by the opposite exchange. So at the moment of the exchange neither has made its access, and no happens-before order
 * between the two can exist. */

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HOT __attribute__((always_inline))
#define COLD __attribute__((noinline, cold))
/* A call that leaves nearly all registers alone costs inlined code the least where it does not call. */
#define SLOW_PATH __attribute__((noinline, cold, preserve_most))
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#define load(object) __atomic_load_n(&(object), __ATOMIC_ACQUIRE)
#define peek(object) __atomic_load_n(&(object), __ATOMIC_RELAXED)
#define store(object, value) __atomic_store_n(&(object), value, __ATOMIC_RELEASE)

enum {
    NAME_BYTES = 48,
    MOST_THREADS = 1024, /* at a time; further ones are not watched */
    SLOTS = 4,           /* threads held back at a time */
    ALWAYS_LOOKED_AT = 16, /* of a thread's accesses at a location; the rest by a falling probability */
    RAREST_LOG = 20,
    FIRST_DELAYS = 10, /* made whatever share of the time they are */
};

/* What the pass says of an access. */
enum { FIRST = 1, SECOND = 2, WRITES = 4 };
/* As a size: all of the object on the heap. */
#define WHOLE UINT64_MAX

/* Defined by the program: its hash, the candidate's number and the fingerprint of the pair. */
extern const uint8_t symx_watch_program[32];
extern const uint32_t symx_watch_candidate;
extern const uint64_t symx_watch_pair;
/* Whether both locations are one, and each access is at both. */
extern const uint32_t symx_watch_is_one_location;

enum life { UNUSED, ALIVE, OVER };

struct thread {
    /* By location: how many accesses pass until one is looked at, and how many that was in the beginning. */
    uint32_t left[2], drawn[2];
    uint64_t passed[2]; /* before that */
    uint32_t looked_at[2];
    uint32_t life, children;
    /* The episode (order.h) whose access happens before what this thread does now. */
    uint32_t knows;
    int is_busy; /* in the slow path, which a signal handler may interrupt */
    int rounds_of_destruction;
    uint64_t id, random;
    pthread_t handle;
    char name[NAME_BYTES];
} __attribute__((aligned(128)));

struct access {
    uint64_t address, size;
    uint32_t what;
    uint64_t thread;
    char name[NAME_BYTES];
};

enum slot_state { EMPTY, CLAIMED, HELD, SEEN, STATES = 4 };

struct slot {
    uint32_t state; /* and above it a number that differs each time */
    struct access access;
};

/* OFF: no folder for reports. */
enum mode { OFF, WATCHING, DONE };

static uint32_t mode;
static struct thread threads[MOST_THREADS];
static uint32_t threads_claimed, threads_alive;
static uint64_t thread_ids, threads_begun;
static uint64_t passed_by_reused[2];
/* That of threads before their first access; it is never written. */
static struct thread fresh;
static _Thread_local struct thread *self = &fresh;
/* Of threads without a record of their own. */
static _Thread_local struct thread spare;

/* How many slots are in use: where it is not 0, every access is looked at. */
static uint32_t held;
static struct slot slots[SLOTS];

static uint64_t started, last_delay;
static uint64_t delay_ns = 1000000, share_percent = 1, most_delays = 1000;
static uint64_t delays, held_ns;

static uint32_t is_seen; /* 1: being noted; 2: noted */
static struct access seen[2];

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void begin_unknown_thread(void);
static void write_report(const char *end);
static void compare_order(const struct access *access);
static void open_episode(const struct access *access);

static int conflict(const struct access *one, const struct access *other) {
    if (one->thread == other->thread || !((one->what | other->what) & WRITES)) return 0;
    int is_pair = (one->what & FIRST && other->what & SECOND) || (one->what & SECOND && other->what & FIRST);
    return is_pair && one->address < other->address + other->size && other->address < one->address + one->size;
}

static void note_seen(const struct access *one, const struct access *other) {
    uint32_t none = 0;
    if (!__atomic_compare_exchange_n(&is_seen, &none, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return;
    int is_first = (one->what & FIRST) != 0;
    seen[0] = is_first ? *one : *other;
    seen[1] = is_first ? *other : *one;
    store(is_seen, 2);
    store(mode, DONE);
    /* At once: the race may be what ends the process. */
    write_report("running");
}

/* Whether a thread is held back at an access that conflicts. */
static int meets(const struct access *access) {
    for (struct slot *slot = slots; slot < slots + SLOTS; slot++) {
        uint32_t state = load(slot->state);
        if (state % STATES != HELD) continue;
        struct access other = slot->access;
        if (!conflict(&other, access)) continue;
        /* It fails if the thread went on meanwhile, also if the slot was used again: what was read is then no access. */
        if (!__atomic_compare_exchange_n(&slot->state, &state, state - HELD + SEEN, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        syscall(SYS_futex, &slot->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
        note_seen(&other, access);
        return 1;
    }
    return 0;
}

/* Whether the bounds allow one more delay, which is then accounted for. */
static int may_delay(uint64_t at) {
    if (peek(mode) != WATCHING || peek(threads_alive) < 2 || share_percent == 0) return 0;
    uint64_t made = peek(delays);
    if (made >= most_delays) return 0;
    uint64_t sum = peek(held_ns) + delay_ns;
    /* The first ones lie further and further apart, so that not one thread at its beginning has all of them. */
    int is_early = made < FIRST_DELAYS && at - peek(last_delay) >= made * delay_ns;
    if (!is_early && sum > (at - started) / 100 * share_percent) return 0;
    __atomic_add_fetch(&held_ns, delay_ns, __ATOMIC_RELAXED);
    __atomic_add_fetch(&delays, 1, __ATOMIC_RELAXED);
    return 1;
}

static void wait_in(struct slot *slot, uint32_t state, uint64_t begun) {
    for (uint64_t at = begun; at - begun < delay_ns; at = now()) {
        uint64_t rest = delay_ns - (at - begun);
        struct timespec time = {.tv_sec = (time_t)(rest / 1000000000u), .tv_nsec = (long)(rest % 1000000000u)};
        if (load(slot->state) != state) return;
        syscall(SYS_futex, &slot->state, FUTEX_WAIT_PRIVATE, state, &time, NULL, 0);
    }
}

/* Holds the thread back before its access. Signals wait: a handler that jumps away would leave the slot in use. */
static void hold_back(const struct access *access, uint64_t begun) {
    struct slot *slot = slots;
    uint32_t state = 0;
    for (; slot < slots + SLOTS; slot++) {
        state = load(slot->state);
        if (state % STATES == EMPTY &&
            __atomic_compare_exchange_n(&slot->state, &state, state + CLAIMED, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            break;
    }
    if (slot == slots + SLOTS) {
        __atomic_sub_fetch(&held_ns, delay_ns, __ATOMIC_RELAXED);
        __atomic_sub_fetch(&delays, 1, __ATOMIC_RELAXED);
        return;
    }
    uint64_t all = UINT64_MAX, before = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
    slot->access = *access;
    uint32_t is_held = state + HELD;
    __atomic_store_n(&slot->state, is_held, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&held, 1, __ATOMIC_SEQ_CST);
    /* Two that came at once: each has published its access before it looks for others, so one of them finds the other. */
    if (!meets(access)) wait_in(slot, is_held, begun);
    __atomic_sub_fetch(&held, 1, __ATOMIC_RELAXED);
    store(slot->state, state + STATES);
    uint64_t end = now();
    /* The whole delay is accounted for already. */
    __atomic_add_fetch(&held_ns, end - begun - delay_ns, __ATOMIC_RELAXED);
    store(last_delay, end);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
}

/* How many accesses pass until the next is looked at. A step of splitmix64 is the source of chance. */
static void draw(struct thread *thread, unsigned location) {
    thread->passed[location] += thread->drawn[location] + 1ull;
    uint32_t count = ++thread->looked_at[location], next = 0;
    if (peek(mode) != WATCHING) {
        next = UINT32_MAX - 1;
    } else if (count > ALWAYS_LOOKED_AT) {
        uint64_t number = thread->random += 0x9E3779B97F4A7C15u;
        number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
        number = (number ^ number >> 27) * 0x94D049BB133111EBu;
        uint32_t rarity = (count - ALWAYS_LOOKED_AT) / 4 + 1;
        next = (uint32_t)(number >> 40) & ((2u << (rarity < RAREST_LOG ? rarity : RAREST_LOG)) - 1);
    }
    thread->drawn[location] = thread->left[location] = next;
}

SLOW_PATH void symx_watch_look(uint64_t address, uint64_t size, uint32_t what) {
    int saved_errno = errno;
    if (self == &fresh) begin_unknown_thread();
    struct thread *thread = self;
    unsigned location = what & FIRST ? 0 : 1;
    if (thread->is_busy) return;
    thread->is_busy = 1;
    int is_due = thread->left[location] == 0;
    if (is_due) draw(thread, location);
    else thread->left[location]--;
    if (peek(mode) == WATCHING && thread != &spare) {
        if (size == WHOLE) size = address == 0 ? 0 : malloc_usable_size((void *)address);
        struct access access = {.address = address, .size = size, .what = what, .thread = thread->id};
        memcpy(access.name, thread->name, NAME_BYTES);
        if (!meets(&access) && is_due) {
            compare_order(&access);
            uint64_t at = now();
            if (may_delay(at)) hold_back(&access, at);
            open_episode(&access);
        }
    }
    thread->is_busy = 0;
    errno = saved_errno;
}

/* Before each access at one of the two locations; inlined into the program. */
HOT void symx_watch_access(uint64_t address, uint64_t size, uint32_t what) {
    struct thread *thread = self;
    unsigned location = what & FIRST ? 0 : 1;
    if (unlikely(thread->left[location] == 0 || peek(held) != 0)) symx_watch_look(address, size, what);
    else thread->left[location]--;
}

#endif
