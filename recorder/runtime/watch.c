/* The watching runtime outside the accesses: the beginning and the end of processes and threads. */

#define _GNU_SOURCE
#include "end_key.h"
#include "system_threads.h"
#include "watch_report.h"

static uint32_t next_to_reuse;

static struct thread *claim_record(void) {
    struct thread *found = NULL;
    uint32_t at = peek(threads_claimed);
    while (at < MOST_THREADS && found == NULL)
        if (__atomic_compare_exchange_n(&threads_claimed, &at, at + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            found = &threads[at];
    /* In turns, so that a record that ended just now is not another thread's yet. */
    for (int tries = 0; found == NULL && tries < MOST_THREADS; tries++) {
        struct thread *thread = &threads[__atomic_fetch_add(&next_to_reuse, 1, __ATOMIC_RELAXED) % MOST_THREADS];
        uint32_t over = OVER;
        if (!__atomic_compare_exchange_n(&thread->life, &over, ALIVE, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
        for (int i = 0; i < 2; i++) {
            uint64_t passed = thread->passed[i] + (thread->drawn[i] - thread->left[i]);
            __atomic_add_fetch(&passed_by_reused[i], passed, __ATOMIC_RELAXED);
        }
        memset(thread, 0, sizeof *thread);
        found = thread;
    }
    if (found == NULL) return NULL;
    found->life = ALIVE;
    found->random = found->id = __atomic_add_fetch(&thread_ids, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&threads_begun, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&threads_alive, 1, __ATOMIC_RELAXED);
    return found;
}

static void release_record(struct thread *thread) {
    store(thread->life, OVER);
    __atomic_sub_fetch(&threads_alive, 1, __ATOMIC_RELAXED);
}

static void begin_thread(struct thread *thread) {
    if (thread == NULL) {
        spare.left[0] = spare.left[1] = spare.drawn[0] = spare.drawn[1] = UINT32_MAX - 1;
        self = &spare;
        return;
    }
    thread->handle = pthread_self();
    self = thread;
    pthread_setspecific(end_key, thread);
}

/* Destructors of the program's own keys may still make watched accesses after this one ran once: the record is left in the
 * second round. */
static void end_thread(void *record) {
    struct thread *thread = record;
    if (thread != self) return;
    if (thread->rounds_of_destruction++ == 0) {
        pthread_setspecific(end_key, thread);
        return;
    }
    begin_thread(NULL);
    release_record(thread);
}

static void start_process(void);

/* One that was created by other means than those that this file stands in for. */
static void begin_unknown_thread(void) {
    if (process == 0) {
        start_process();
        return;
    }
    struct thread *thread = claim_record();
    if (thread != NULL) snprintf(thread->name, NAME_BYTES, "foreign-%d", (int)gettid());
    begin_thread(thread);
}

struct start {
    void *(*pthread_routine)(void *);
    thrd_start_t thrd_routine;
    void *argument;
    struct thread *thread;
};

/* The record of a thread to be created, which knows all that its creator does. */
static struct start *prepare_start(void *argument) {
    if (self == &fresh) begin_unknown_thread();
    struct start *start = calloc(1, sizeof *start);
    if (start == NULL) return NULL;
    start->argument = argument;
    start->thread = claim_record();
    if (start->thread != NULL) {
        start->thread->knows = self->knows;
        snprintf(start->thread->name, NAME_BYTES, "%.*s.%u", NAME_BYTES - 12, self->name, self->children + 1);
    }
    return start;
}

static void abandon_start(struct start *start) {
    if (start->thread != NULL) release_record(start->thread);
    free(start);
}

/* The creator may join it before it began. */
static void note_created(struct thread *thread, pthread_t handle) {
    self->children++;
    pthread_t none = 0;
    if (thread != NULL)
        __atomic_compare_exchange_n(&thread->handle, &none, handle, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void *pthread_main(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    begin_thread(start.thread);
    return start.pthread_routine(start.argument);
}

static int thrd_main(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    begin_thread(start.thread);
    return start.thrd_routine(start.argument);
}

int symx_watch_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument) {
    struct start *start = prepare_start(argument);
    if (start == NULL) return EAGAIN;
    struct thread *thread = start->thread;
    start->pthread_routine = routine;
    int error = system_pthread_create(handle, attributes, pthread_main, start);
    if (error == 0) note_created(thread, *handle);
    else abandon_start(start);
    return error;
}

int PTHREAD_CREATE(pthread_t *handle, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument) {
    return symx_watch_pthread_create(handle, attributes, routine, argument);
}

int symx_watch_thrd_create(thrd_t *handle, thrd_start_t routine, void *argument) {
    struct start *start = prepare_start(argument);
    if (start == NULL) return thrd_nomem;
    struct thread *thread = start->thread;
    start->thrd_routine = routine;
    int result = thrd_create(handle, thrd_main, start);
    if (result == thrd_success) note_created(thread, *handle);
    else abandon_start(start);
    return result;
}

/* The child of a fork is another process, of which nothing is reported. */
static void stop_in_child(void) {
    directory[0] = 0;
    mode = OFF;
    episode = held = 0;
    memset(slots, 0, sizeof slots);
}

static void on_fatal_signal(int number, siginfo_t *details, void *context) {
    (void)context;
    char end[32];
    snprintf(end, sizeof end, "signal %d", number);
    write_report(end);
    /* A fault repeats when the instruction does; SA_RESETHAND has restored the default action. */
    int is_fault = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL;
    if (!is_fault || details->si_code <= 0) raise(number);
}

static void on_fatal_signals(void) {
    const int fatal[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTERM, SIGINT, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) {
        struct sigaction now_installed;
        if (sigaction(fatal[i], NULL, &now_installed) != 0 || now_installed.sa_handler != SIG_DFL) continue;
        struct sigaction action = {.sa_sigaction = on_fatal_signal,
                                   .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
        sigaction(fatal[i], &action, NULL);
    }
}

static void on_quick_exit(void) { write_report("quick_exit"); }

__attribute__((noreturn)) void symx_watch_exit_now(int status) {
    write_report("_exit");
    _exit(status);
}

/* A number from the environment, at most `most`. */
static void set(uint64_t *to, const char *name, uint64_t most) {
    const char *text = secure_getenv(name);
    if (text == NULL || *text < '0' || *text > '9') return;
    uint64_t number = strtoull(text, NULL, 10);
    *to = number < most ? number : most;
}

static void start_process(void) {
    if (process != 0) return;
    process = getpid();
    started = last_delay = now();
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    process_began = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    make_end_key(end_thread);
    /* A program that runs with more rights than its user has takes no folder from its user. */
    const char *wanted = secure_getenv("SYMX_WATCH_DIR");
    if (wanted != NULL && wanted[0] == '/' && strlen(wanted) < sizeof directory) {
        strcpy(directory, wanted);
        uint64_t delay_us = delay_ns / 1000;
        set(&delay_us, "SYMX_WATCH_DELAY_US", 1000000);
        delay_ns = delay_us * 1000;
        set(&share_percent, "SYMX_WATCH_SHARE", 100);
        set(&most_delays, "SYMX_WATCH_DELAYS", UINT32_MAX);
        mode = WATCHING;
    }
    struct thread *thread = claim_record();
    strcpy(thread->name, "0");
    begin_thread(thread);
    if (mode == OFF) return;
    pthread_atfork(NULL, NULL, stop_in_child);
    at_quick_exit(on_quick_exit);
    on_fatal_signals();
}

__attribute__((constructor(101))) static void start_before_main(void) { start_process(); }

__attribute__((destructor(101))) static void report_at_exit(void) { write_report("exit"); }
