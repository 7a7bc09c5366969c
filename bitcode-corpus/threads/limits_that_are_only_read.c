// Looks at limits commute: there is one execution.
//@ outcomes: 2
//@ executions: 1
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static void *look(void *result) {
    struct rlimit limit;
    *(int *)result = getrlimit(RLIMIT_STACK, &limit) == 0 && sysconf(_SC_OPEN_MAX) >= 16;
    return NULL;
}

int main(void) {
    pthread_t thread;
    int mine = 0, other = 0;
    pthread_create(&thread, NULL, look, &other);
    look(&mine);
    pthread_join(thread, NULL);
    printf("%d\n", mine + other);
    return 0;
}
