// The kernel's number of a thread means it until it has ended, and to calls about processes its process.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static sem_t known, asked;
static int number;

static void *run(void *unused) {
    number = syscall(SYS_gettid);
    sem_post(&known);
    sem_wait(&asked);
    return unused;
}

static void show(const char *what, long result) {
    printf("%s %ld %d\n", what, result, result < 0 ? errno : 0);
}

static void ask(void) {
    struct rlimit limit;
    struct timespec interval;
    unsigned long set[16] = {0};
    errno = 0;
    show("getpriority", getpriority(PRIO_PROCESS, number) == -1 && errno ? -1 : 0);
    show("setpriority", setpriority(PRIO_PROCESS, number, 0));
    show("interval", sched_rr_get_interval(number, &interval));
    show("getaffinity", syscall(SYS_sched_getaffinity, number, sizeof set, set) > 0 ? 0 : -1);
    show("setaffinity", syscall(SYS_sched_setaffinity, number, sizeof set, set) == -1 && errno == ESRCH);
    show("tgkill", syscall(SYS_tgkill, getpid(), number, 0));
    show("tkill", syscall(SYS_tkill, number, 0));
    show("tgkill of another", syscall(SYS_tgkill, 1, number, 0));
    show("tgkill no signal", syscall(SYS_tgkill, getpid(), number, 99));
    show("kill", kill(number, 0));
    show("kill no signal", kill(number, 99));
    show("limit", prlimit(number, RLIMIT_NOFILE, NULL, &limit));
    show("group", getpgid(number) == getpgid(0) ? 0 : -1);
    show("session", getsid(number) == getsid(0) ? 0 : -1);
}

int main(void) {
    pthread_t thread;
    sem_init(&known, 0, 0);
    sem_init(&asked, 0, 0);
    pthread_create(&thread, NULL, run, NULL);
    sem_wait(&known);
    ask();
    sem_post(&asked);
    pthread_join(thread, NULL);
    // Natively it may be there for a moment yet.
    while (syscall(SYS_tkill, number, 0) == 0)
        sched_yield();
    ask();
    show("zero", syscall(SYS_tkill, 0, 0));
    show("negative", syscall(SYS_tgkill, getpid(), -5, 0));
    return 0;
}
