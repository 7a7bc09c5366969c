/* Enforces a schedule on a native run: a plan says in which order the steps of all threads are to be taken. A thread
 * that comes to its next step waits for its turn, takes the step and passes the turn on.
 *
 * The plan is a text (src/enforce/plan.rs). Where everybody stands is written to a page that the process that started
 * this one reads (src/enforce/watch.rs); it has the clock and ends what does not get on. */

#define _GNU_SOURCE
#include "end_key.h"
#include "enforce.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

enum { NONE = 0xFFFFFFFFu, NAME_BYTES = 120, MOST_THREADS = 4096, PAGE_VERSION = 1 };

struct given {
    char name[NAME_BYTES];
};

#include "thread_starts.h"

/* How a step is taken. The same letters stand in the plan. */
enum action {
    PERFORM = 'p', /* as it is, in turn */
    ENTER = 'e',   /* a call in which the thread takes further steps: it begins in turn */
    RELEASE = 'r', /* going to sleep at a condition variable */
    WAKE = 'w',    /* going on from there */
    ARRIVE = 'a',  /* at a barrier, with others to come */
    DEPART = 'd',  /* going on from there */
    HOLD = 'h',    /* the thread does not get this far before the failure */
    BLOCK = 'b',   /* the thread waits here for ever */
    FAIL = 'f',    /* the failure is here */
};

enum { NO_RESULT = INT32_MIN };

struct step {
    uint32_t thread, site, occurrence, next_here, next_of_thread;
    int32_t result; /* of the call */
    uint8_t action;
};

/* What a thread does, for those who look on. */
enum thread_state { NOT_CREATED, RUNNING, WAITING, HELD, BLOCKED, UNBLOCKED, FAILED, ENDED };

struct seen {
    uint32_t state, step, site, occurrence;
};

enum error { FINE, NO_PLAN, ANOTHER_PROGRAM, BAD_PLAN, NO_SUCH_SITE, OUT_OF_ORDER, ENDED_EARLY, CREATED_UNPLANNED };

struct page {
    char magic[8];
    uint32_t version;
    _Atomic uint32_t turn, total;
    _Atomic uint32_t error, error_thread, error_step, error_line;
    struct seen threads[MOST_THREADS];
};

struct site {
    uint32_t function, number;
};

struct lane {
    char name[NAME_BYTES];
    uint32_t first; /* of its steps */
    uint32_t last;
    _Atomic uint32_t wake;
};

/* Defined by the instrumented program. */
extern const uint8_t symx_enforce_program[32];
extern const uint32_t symx_enforce_site_count;
extern const struct site symx_enforce_sites[];

static struct step *steps;
static uint32_t ordered;   /* how many steps have a turn; those after them are ends of threads */
static struct lane *lanes;
static uint32_t lane_count;
static struct page *page;
static int traps; /* a debugger wants to be told: of an error (1), and where the failure is (2) */
static _Atomic uint32_t released;
static uint32_t failing = NONE; /* the lane of the thread that the schedule has fail */
static uint32_t waits;          /* how many threads the schedule leaves waiting */
static _Atomic uint32_t waiting; /* how many of them have come there */

static _Thread_local struct {
    uint32_t lane; /* + 1 */
    uint32_t next; /* its next step */
    uint32_t holding;
    uint32_t children;
    uint32_t *counts, *expected; /* by site */
    int rounds_of_destruction;
    char name[NAME_BYTES];
} self = {.next = NONE, .holding = NONE};

static void futex(_Atomic uint32_t *word, int operation, uint32_t value) {
    int saved_errno = errno;
    syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
    errno = saved_errno;
}

static void sleep_forever(void) {
    static _Atomic uint32_t nothing;
    for (;;) futex(&nothing, FUTEX_WAIT_PRIVATE, 0);
}

static struct seen *seen(void) { return &page->threads[self.lane - 1]; }

static void show(enum thread_state state, uint32_t step) {
    seen()->step = step;
    if (step != NONE) {
        seen()->site = steps[step].site;
        seen()->occurrence = steps[step].occurrence;
    }
    __atomic_store_n(&seen()->state, state, __ATOMIC_RELEASE);
}

/* The schedule cannot be kept to; whoever started the process says why and ends it. */
static void abandon(enum error error, uint32_t step, uint32_t line) {
    uint32_t none = FINE;
    if (page == NULL) _exit(125);
    if (atomic_compare_exchange_strong(&page->error_line, &(uint32_t){0}, line + 1)) {
        page->error_thread = self.lane;
        page->error_step = step;
        atomic_compare_exchange_strong(&page->error, &none, error);
    }
    if (traps) {
        static const char words[] = "symx: the run diverges from the schedule\n";
        (void)!write(2, words, sizeof words - 1);
        raise(SIGTRAP);
    }
    sleep_forever();
}

static void wake_lane(uint32_t lane) {
    atomic_fetch_add(&lanes[lane].wake, 1);
    futex(&lanes[lane].wake, FUTEX_WAKE_PRIVATE, INT_MAX);
}

static void wait_until(_Atomic uint32_t *word, uint32_t value) {
    _Atomic uint32_t *wake = &lanes[self.lane - 1].wake;
    for (int spin = 0; spin < 200; spin++) {
        if (atomic_load(word) == value) return;
        __builtin_ia32_pause();
    }
    for (;;) {
        uint32_t woken = atomic_load(wake);
        if (atomic_load(word) == value) return;
        futex(wake, FUTEX_WAIT_PRIVATE, woken);
    }
}

static void wake_all(void) {
    for (uint32_t lane = 0; lane < lane_count; lane++) wake_lane(lane);
}

static void pass(void) {
    uint32_t next = self.holding + 1;
    if (self.holding >= ordered) {
        self.holding = NONE;
        return;
    }
    self.holding = NONE;
    atomic_store(&page->turn, next);
    if (next == ordered) wake_all();
    else if (steps[next].thread != self.lane - 1) wake_lane(steps[next].thread);
}

/* The last step of a thread, which has no turn: it is taken, or not, when all others are. */
static void end_of_lane(uint32_t step) {
    if (steps[step].action == HOLD) {
        show(HELD, step);
        wait_until(&released, 1);
        show(RUNNING, NONE);
        return;
    }
    wait_until(&page->turn, ordered);
    self.holding = step;
    show(steps[step].action == BLOCK ? BLOCKED : FAILED, step);
    /* A deadlock is complete with the last thread that is about to wait. */
    int is_complete = steps[step].action == BLOCK && failing == NONE && atomic_fetch_add(&waiting, 1) + 1 == waits;
    if (traps == 2 && (steps[step].action == FAIL || is_complete)) raise(SIGTRAP);
}

static void let_go(void) {
    atomic_store(&released, 1);
    wake_all();
}

/* Whether the failure is in a step itself, the last one. */
static int fails_in(uint32_t step) {
    uint32_t next = steps[step].next_of_thread;
    return next != NONE && steps[next].action == FAIL && steps[next].site == steps[step].site &&
           steps[next].occurrence == steps[step].occurrence;
}

/* Waits for the turn of the thread's next step and begins it. */
static void begin(uint32_t step) {
    self.next = steps[step].next_of_thread;
    self.expected[steps[step].site] = steps[step].next_here;
    show(WAITING, step);
    if (step >= ordered) {
        end_of_lane(step);
        return;
    }
    wait_until(&page->turn, step);
    self.holding = step;
    show(RUNNING, step);
    if (fails_in(step)) {
        show(FAILED, self.next);
        if (traps == 2) raise(SIGTRAP);
    }
    if (steps[step].action == ENTER) pass();
}

void symx_enforce_begin(uint32_t site) {
    if (self.lane == 0) return;
    uint32_t count = ++self.counts[site], step = self.expected[site];
    if (step == NONE || steps[step].occurrence != count) return;
    /* A step that did not come to its end (by a jump), or in which another begins. */
    if (self.holding != NONE) pass();
    if (step != self.next) abandon(OUT_OF_ORDER, step, 0);
    begin(step);
}

void symx_enforce_end(uint32_t site) {
    uint32_t step = self.holding;
    if (step == NONE || steps[step].site != site) return;
    if (steps[step].action == BLOCK) show(UNBLOCKED, step);
    int failed = steps[step].action == FAIL || fails_in(step);
    pass();
    if (failed) let_go();
}

void symx_enforce_return(uint32_t site) {
    symx_enforce_begin(site);
    symx_enforce_end(site);
}

/* Whether the thread is in a step of this kind. A call of a library that waits several times has several. */
static int is_in(enum action action) {
    if (self.lane == 0) return 0;
    uint32_t next = self.next;
    if (self.holding != NONE && steps[self.holding].action != action && next != NONE &&
        steps[next].action == action && steps[next].site == steps[self.holding].site &&
        steps[next].occurrence == steps[self.holding].occurrence) {
        pass();
        begin(next);
    }
    return self.holding != NONE && steps[self.holding].action == action;
}

static void *real(const char *name, const char *version) {
    void *function = version == NULL ? NULL : dlvsym(RTLD_NEXT, name, version);
    if (function == NULL) function = dlsym(RTLD_NEXT, name);
    if (function == NULL) _exit(125);
    return function;
}

/* The function of the C library whose place one of ours takes. */
#define REAL(name, version)                                       \
    ({                                                            \
        static _Atomic(void *) found;                             \
        void *function = atomic_load(&found);                     \
        if (function == NULL) {                                   \
            function = real(#name, version);                      \
            atomic_store(&found, function);                       \
        }                                                         \
        (__typeof__(&name))function;                              \
    })

/* A wait at a condition variable: the plan says when it ends, and how. */
static int planned_wait(pthread_mutex_t *mutex, int *result) {
    pthread_mutex_unlock(mutex);
    pass();
    uint32_t next = self.next;
    if (next != NONE && steps[next].action == WAKE) {
        begin(next);
        *result = steps[next].result == NO_RESULT ? 0 : steps[next].result;
        int error = pthread_mutex_lock(mutex);
        if (error != 0) *result = error;
        return 1;
    }
    /* It does not end in the schedule: from then on it waits as it would. */
    if (next != NONE && next >= ordered) begin(next);
    else wait_until(&page->turn, ordered);
    pthread_mutex_lock(mutex);
    return 0;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    int result;
    if (is_in(RELEASE) && planned_wait(mutex, &result)) return result;
    return REAL(pthread_cond_wait, "GLIBC_2.3.2")(condition, mutex);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
    int result;
    if (is_in(RELEASE) && planned_wait(mutex, &result)) return result;
    return REAL(pthread_cond_timedwait, "GLIBC_2.3.2")(condition, mutex, until);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until) {
    int result;
    if (is_in(RELEASE) && planned_wait(mutex, &result)) return result;
    return REAL(pthread_cond_clockwait, NULL)(condition, mutex, clock, until);
}

int cnd_wait(cnd_t *condition, mtx_t *mutex) {
    int result;
    if (is_in(RELEASE) && planned_wait((pthread_mutex_t *)mutex, &result)) return result;
    return REAL(cnd_wait, NULL)(condition, mutex);
}

int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until) {
    int result;
    if (is_in(RELEASE) && planned_wait((pthread_mutex_t *)mutex, &result)) return result;
    return REAL(cnd_timedwait, NULL)(condition, mutex, until);
}

int pthread_barrier_wait(pthread_barrier_t *barrier) {
    int waits = is_in(ARRIVE);
    uint32_t next = self.next;
    int goes_on = waits && next != NONE && (steps[next].action == DEPART || steps[next].action == HOLD);
    if (waits) {
        uint32_t site = steps[self.holding].site, occurrence = steps[self.holding].occurrence;
        pass();
        if (next != NONE && steps[next].action == BLOCK && steps[next].site == site &&
            steps[next].occurrence == occurrence)
            begin(next);
    }
    int result = REAL(pthread_barrier_wait, NULL)(barrier);
    if (goes_on) begin(next);
    if (self.holding != NONE && steps[self.holding].result != NO_RESULT) result = steps[self.holding].result;
    return result;
}

/* A wait that the schedule lets time out does so at once. */
static int times_out(int error) {
    return self.lane != 0 && self.holding != NONE && steps[self.holding].action == PERFORM &&
           steps[self.holding].result == error;
}

#define TIMED(name, parameters, arguments)                        \
    int name parameters {                                         \
        if (times_out(ETIMEDOUT)) return ETIMEDOUT;               \
        return REAL(name, NULL) arguments;                        \
    }

TIMED(pthread_mutex_timedlock, (pthread_mutex_t * mutex, const struct timespec *until), (mutex, until))
TIMED(pthread_mutex_clocklock, (pthread_mutex_t * mutex, clockid_t clock, const struct timespec *until),
      (mutex, clock, until))
TIMED(pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const struct timespec *until), (lock, until))
TIMED(pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const struct timespec *until), (lock, until))

int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
    if (times_out(-1)) {
        errno = ETIMEDOUT;
        return -1;
    }
    return REAL(sem_timedwait, NULL)(semaphore, until);
}

/* Threads. */

static void start_lane(const char *name) {
    snprintf(self.name, sizeof self.name, "%s", name);
    if (page == NULL) return;
    for (uint32_t lane = 0; lane < lane_count; lane++) {
        if (strcmp(lanes[lane].name, name) != 0) continue;
        self.counts = calloc(symx_enforce_site_count, sizeof *self.counts);
        self.expected = malloc(symx_enforce_site_count * sizeof *self.expected);
        if (self.counts == NULL || self.expected == NULL) _exit(125);
        memset(self.expected, 0xFF, symx_enforce_site_count * sizeof *self.expected);
        self.lane = lane + 1;
        self.next = lanes[lane].first;
        /* For each site, the first of its steps. */
        for (uint32_t step = self.next; step != NONE; step = steps[step].next_of_thread)
            if (self.expected[steps[step].site] == NONE) self.expected[steps[step].site] = step;
        pthread_setspecific(end_key, &self);
        show(RUNNING, NONE);
        return;
    }
}

static void end_thread(void *unused) {
    (void)unused;
    if (self.lane == 0) return;
    if (self.holding != NONE) pass();
    /* Destructors of the program's own keys may take steps yet. */
    if (self.rounds_of_destruction++ < 2) {
        pthread_setspecific(end_key, &self);
        return;
    }
    if (self.next != NONE && self.next < ordered) abandon(ENDED_EARLY, self.next, 0);
    show(ENDED, NONE);
    self.lane = 0;
    free(self.counts);
    free(self.expected);
}

static void give(struct given *given) { name_child(given->name, self.name, self.children + 1); }

/* A thread of the plan that takes no step does not begin before the failure. */
static void begin_with(const struct given *given) {
    start_lane(given->name);
    if (self.lane == 0 || lanes[self.lane - 1].first != NONE) return;
    show(HELD, NONE);
    wait_until(&released, 1);
    show(RUNNING, NONE);
}

static void note_created(const struct given *given, pthread_t handle) {
    (void)given, (void)handle;
    self.children++;
}

static void take_back(const struct given *given) { (void)given; }

int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument) {
    return start_pthread(REAL(pthread_create, NULL), handle, attributes, routine, argument);
}

int thrd_create(thrd_t *handle, thrd_start_t routine, void *argument) {
    return start_thrd(REAL(thrd_create, NULL), handle, routine, argument);
}

/* The plan. */

static uint32_t site_of(uint32_t function, uint32_t number) {
    uint32_t low = 0, high = symx_enforce_site_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        struct site site = symx_enforce_sites[middle];
        if (site.function == function && site.number == number) return middle;
        if (site.function < function || (site.function == function && site.number < number)) low = middle + 1;
        else high = middle;
    }
    return NONE;
}

static void read_program(const char *hex) {
    for (int byte = 0; byte < 32; byte++) {
        unsigned value;
        if (sscanf(hex + 2 * byte, "%2x", &value) != 1) abandon(BAD_PLAN, NONE, 2);
        if (value != symx_enforce_program[byte]) abandon(ANOTHER_PROGRAM, NONE, 2);
    }
}

static void add_step(uint32_t at, uint32_t line, const char *text) {
    unsigned thread, function, number, occurrence;
    int result = NO_RESULT;
    char action;
    int fields = sscanf(text, "%c %u %u %u %u %d", &action, &thread, &function, &number, &occurrence, &result);
    if (fields < 5 || thread >= lane_count) abandon(BAD_PLAN, at, line);
    uint32_t site = site_of(function, number);
    if (action == FAIL) failing = thread;
    if (site == NONE && action == FAIL) {
        steps[at].thread = NONE; /* what fails is no operation that others could see */
        return;
    }
    if (site == NONE) abandon(NO_SUCH_SITE, at, line);
    steps[at] = (struct step){thread, site, occurrence, NONE, NONE, result, (uint8_t)action};
    symx_enforce_planned[site] = 1;
    struct lane *lane = &lanes[thread];
    if (lane->first == NONE) lane->first = at;
    else steps[lane->last].next_of_thread = at;
    lane->last = at;
}

/* Links the steps of a thread at one site: the last of them found at a site, going backwards, is the next. */
static void link_steps(uint32_t count) {
    uint32_t *later = malloc((size_t)lane_count * symx_enforce_site_count * sizeof *later);
    if (later == NULL) _exit(125);
    memset(later, 0xFF, (size_t)lane_count * symx_enforce_site_count * sizeof *later);
    for (uint32_t at = count; at-- > 0;) {
        if (steps[at].thread == NONE) continue;
        uint32_t *next = &later[(size_t)steps[at].thread * symx_enforce_site_count + steps[at].site];
        steps[at].next_here = *next;
        *next = at;
    }
    free(later);
}

static void read_plan(char *text) {
    unsigned version, threads, turns, ends;
    char hex[65];
    int used;
    if (sscanf(text, "symx-plan %u\nprogram %64s\nthreads %u turns %u ends %u trap %d\n%n", &version, hex, &threads,
               &turns, &ends, &traps, &used) != 6 ||
        version != 2 || strlen(hex) != 64 || threads == 0 || threads > MOST_THREADS)
        abandon(BAD_PLAN, NONE, 1);
    read_program(hex);
    lanes = calloc(threads, sizeof *lanes);
    steps = calloc((size_t)turns + ends + 1, sizeof *steps);
    if (lanes == NULL || steps == NULL) _exit(125);
    lane_count = threads;
    ordered = turns;
    char *at = text + used;
    uint32_t line = 4, lane = 0, step = 0;
    for (char *end; (end = strchr(at, '\n')) != NULL; at = end + 1, line++) {
        *end = 0;
        if (strcmp(at, "end") == 0) break;
        if (lane < threads) {
            if (sscanf(at, "thread %119s", lanes[lane].name) != 1) abandon(BAD_PLAN, NONE, line);
            lanes[lane++].first = NONE;
        } else if (step < turns + ends) {
            add_step(step++, line, at);
        } else {
            abandon(BAD_PLAN, NONE, line);
        }
    }
    if (strcmp(at, "end") != 0 || step != turns + ends) abandon(BAD_PLAN, NONE, line);
    link_steps(step);
    for (uint32_t end = ordered; end < step; end++)
        waits += steps[end].thread != NONE && steps[end].action == BLOCK;
    page->total = ordered;
}

static char *read_file(const char *path) {
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0) return NULL;
    char *text = malloc((size_t)status.st_size + 1);
    for (ssize_t had = 0, got; text != NULL; had += got) {
        got = read(file, text + had, (size_t)(status.st_size - had));
        if (got > 0) continue;
        text[had] = 0;
        break;
    }
    close(file);
    return text;
}

/* A thread that ends the process has nothing more to do in the schedule, but others may have. */
static void hold_at_exit(void) {
    if (page == NULL || self.lane == 0) return;
    if (self.holding != NONE) pass();
    if (self.next != NONE && self.next < ordered) abandon(ENDED_EARLY, self.next, 0);
    wait_until(&page->turn, ordered);
    if (failing != NONE && failing != self.lane - 1) wait_until(&released, 1);
}

/* The child of a fork is another process, which the schedule says nothing of. */
static void stop_in_child(void) {
    page = NULL;
    self.lane = 0;
    memset(symx_enforce_planned, 0, symx_enforce_site_count);
}

__attribute__((constructor(101))) static void start_before_main(void) {
    snprintf(self.name, sizeof self.name, "0");
    const char *plan = secure_getenv("SYMX_ENFORCE_PLAN"), *place = secure_getenv("SYMX_ENFORCE_PAGE");
    if (plan == NULL || place == NULL) return;
    int file = open(place, O_RDWR | O_CLOEXEC);
    void *mapped = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    if (mapped == MAP_FAILED) _exit(125);
    page = mapped;
    memcpy(page->magic, "SYMXPLAY", 8);
    page->version = PAGE_VERSION;
    char *text = read_file(plan);
    if (text == NULL) abandon(NO_PLAN, NONE, 0);
    read_plan(text);
    free(text);
    make_end_key(end_thread);
    pthread_atfork(NULL, NULL, stop_in_child);
    atexit(hold_at_exit);
    start_lane("0");
    unsetenv("SYMX_ENFORCE_PLAN");
    unsetenv("SYMX_ENFORCE_PAGE");
}
