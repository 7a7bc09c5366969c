// A thread names main while main creates another one, which begins with the name that main has by then.
//@ outcomes: new old

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

static pthread_t first;

static void *name(void *unused) {
    pthread_setname_np(first, "new");
    return unused;
}

static void *look(void *unused) {
    char own[16];
    prctl(PR_GET_NAME, own);
    puts(strcmp(own, "new") == 0 ? "new" : "old");
    return unused;
}

int main(void) {
    pthread_t namer, looker;
    first = pthread_self();
    pthread_create(&namer, NULL, name, NULL);
    pthread_create(&looker, NULL, look, NULL);
    pthread_join(namer, NULL);
    pthread_join(looker, NULL);
    return 0;
}
