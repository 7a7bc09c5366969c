/* What stands before the generated programs: for symx as it is, for native runs with NATIVE. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* What a thread has seen: a byte for each result; and all that another one has seen. */
#define SEE(result) (seen = seen << 8 | ((result) & 255))
#define SEE_ALL(result) (seen = seen * 1000003 + (uint64_t)(result))

#define ERRNO(call) ((call) == 0 ? 0 : errno)

static const struct timespec never_a_time = { 0, 2000000000 };
#define NEVER_A_TIME (&never_a_time)

/* FreeBSD's: no header of Linux declares it. */
int pthread_mutex_isowned_np(pthread_mutex_t *mutex);

#ifdef NATIVE
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>

int pthread_mutex_isowned_np(pthread_mutex_t *mutex) {
    return __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) == gettid();
}

static _Thread_local unsigned random_state;
static unsigned seed_of_run, threads_seen;

static unsigned some(unsigned below) {
    if (random_state == 0) random_state = seed_of_run * 2654435761u + __atomic_add_fetch(&threads_seen, 1, __ATOMIC_RELAXED) * 40503u + 1;
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % below;
}

/* Not by a call at which a thread can be cancelled. */
static void sleep_microseconds(long count) {
    struct timespec time = { 0, count * 1000 };
    syscall(SYS_nanosleep, &time, NULL);
}

/* Delays at random between calls. */
static void pause_a_little(void) {
    switch (some(6)) {
    case 0: sched_yield(); break;
    case 1: sleep_microseconds(some(400)); break;
    case 2: for (volatile unsigned i = some(300); i > 0; i--) { } break;
    case 3: sleep_microseconds(some(2000)); break;
    }
}
#define PAUSE pause_a_little();

static const struct timespec *soon(void) {
    static _Thread_local struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_nsec += some(2) ? some(1500000) : 0;
    if (time.tv_nsec >= 1000000000) { time.tv_nsec -= 1000000000; time.tv_sec++; }
    return &time;
}
#define SOON soon()
#define CHECK(holds) do { if (!(holds)) _exit(99); } while (0)
#define INPUT(name, below) ((int)some(below))
#else
#include <symx.h>
#define PAUSE
static const struct timespec long_ago = { 1, 0 };
#define SOON (&long_ago)
#define CHECK(holds) assert(holds)
static int input(const char *name, unsigned below) {
    unsigned char value;
    symx_make_symbolic(&value, 1, name);
    symx_assume(value < below);
    return value;
}
#define INPUT(name, below) input(name, below)
#endif

/* Whatever it is, a branch of its own. */
static int decided(int value) {
    int known = 0;
    while (known != value) known++;
    return known;
}

static int value_of(sem_t *semaphore) {
    int value;
    sem_getvalue(semaphore, &value);
    return value;
}

static void make_mutex(pthread_mutex_t *mutex, int type, int robust) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    if (robust) pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(mutex, &attributes);
}

static int create_detached(pthread_t *thread, void *(*start)(void *)) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    return pthread_create(thread, &attributes, start, NULL);
}

static int mask(int how) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    return pthread_sigmask(how, &set, NULL);
}

static int await_signal(void) {
    sigset_t set;
    int which;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    int error = sigwait(&set, &which);
    return error ? error : which;
}

static void handle_with(void (*handler)(int), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(SIGUSR1, &action, NULL);
}
