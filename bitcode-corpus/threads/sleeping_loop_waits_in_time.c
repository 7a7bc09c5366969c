// A thread that polls while another sleeps: time goes on for both.
//@ outcomes: 1
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int done;

static void *run(void *unused) {
    usleep(30000);
    __atomic_store_n(&done, 1, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    for (int turn = 0; turn < 3 && !__atomic_load_n(&done, __ATOMIC_SEQ_CST); turn++)
        usleep(20000);
    pthread_join(thread, NULL);
    puts("1");
    return 0;
}
