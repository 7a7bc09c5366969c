// Two threads that write a line each: a stream's lock is one step, so there are as many executions as orders.
//@ executions[sc]: 2
//@ outcomes[sc]: onetwo twoone
#include <pthread.h>
#include <stdio.h>

static void *say(void *text) {
    fputs(text, stdout);
    return NULL;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, NULL, say, "one");
    pthread_create(&two, NULL, say, "two");
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
