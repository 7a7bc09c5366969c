// What `nice` and `setpriority` set is got by `getpriority`; a thread's name also by `prctl`.
//@ native
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static void *run(void *unused) {
    char name[16];
    assert(prctl(PR_GET_NAME, name) == 0);
    printf("%s %d\n", name, getpriority(PRIO_PROCESS, 0));
    assert(setpriority(PRIO_PROCESS, 0, 7) == 0);
    assert(pthread_setname_np(pthread_self(), "inner") == 0);
    memset(name, 'x', sizeof name);
    assert(prctl(PR_GET_NAME, name) == 0);
    printf("%s %d %d\n", name, name[15], getpriority(PRIO_PROCESS, 0));
    return unused;
}

int main(void) {
    char name[16];
    pthread_t thread;
    assert(getpriority(PRIO_PROCESS, 0) == 0);
    assert(nice(3) == 3 && nice(0) == 3 && getpriority(PRIO_PROCESS, getpid()) == 3);
    errno = 0;
    assert(getpriority(9, 0) == -1 && errno == EINVAL);
    assert(prctl(PR_SET_NAME, "of-sixteen-bytes") == 0);
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    printf("%s\n", name);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    assert(prctl(PR_GET_NAME, name) == 0);
    printf("%s %d\n", name, getpriority(PRIO_PROCESS, 0));
    assert(setpriority(PRIO_PROCESS, 0, 100) == 0 && getpriority(PRIO_PROCESS, 0) == 19);
    return 0;
}
