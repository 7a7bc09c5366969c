// What threads print as they end comes in any order, and all of it comes before the process ends.
//@ outcomes: 12 21
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;

static void tell(void *number) {
    putchar(*(char *)number);
}

static void *run(void *number) {
    pthread_setspecific(key, number);
    return NULL;
}

int main(void) {
    static char numbers[] = "12";
    pthread_key_create(&key, tell);
    for (int index = 0; index < 2; index++) {
        pthread_t thread;
        pthread_create(&thread, NULL, run, &numbers[index]);
    }
    pthread_exit(NULL);
}
