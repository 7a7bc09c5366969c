// The kernel's number of a thread is there from its creation until it ends; then there is none (glibc 2.42).
// Before that it is the number that the thread itself has, and another one than the process's.
//@ outcomes: 111,ended 111,runs
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

// No header has it where glibc is older.
pid_t pthread_gettid_np(pthread_t thread);

static pid_t own;

static void *run(void *unused) {
    own = (pid_t)syscall(SYS_gettid);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pid_t seen = pthread_gettid_np(thread);
    pthread_join(thread, NULL);
    printf("%d", pthread_gettid_np(pthread_self()) == getpid());
    printf("%d", own != getpid());
    printf("%d", seen == own || seen == -1);
    printf(",%s\n", seen == -1 ? "ended" : "runs");
    return 0;
}
