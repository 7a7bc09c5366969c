// Creating a thread hands it everything stored before, and joining it hands back
// everything it stored, under every model: both are full fences.
//@ outcomes[sc,tso,pso]: 1234

#include <pthread.h>
#include <stdio.h>

int before_one, before_two, seen_one, seen_two, after_one, after_two;

static void *child(void *unused) {
    (void)unused;
    seen_one = before_one;
    seen_two = before_two;
    after_one = 3;
    after_two = 4;
    return NULL;
}

int main(void) {
    pthread_t thread;
    before_one = 1;
    before_two = 2;
    pthread_create(&thread, NULL, child, NULL);
    pthread_join(thread, NULL);
    printf("%d%d%d%d\n", seen_one, seen_two, after_one, after_two);
    return 0;
}
