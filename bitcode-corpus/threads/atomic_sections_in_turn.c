// Of atomic sections only those are in order that touch the same: two of three threads share each variable.
//@ outcomes: 001 010 011 100 101 110
#include <pthread.h>
#include <stdio.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static int marks[3], seen[3];

static void *run(void *argument) {
    long self = (int *)argument - marks;
    __VERIFIER_atomic_begin();
    marks[self] = 1;
    seen[self] = marks[(self + 1) % 3];
    __VERIFIER_atomic_end();
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    for (int index = 0; index < 3; index++)
        pthread_create(&threads[index], NULL, run, &marks[index]);
    for (int index = 0; index < 3; index++)
        pthread_join(threads[index], NULL);
    printf("%d%d%d\n", seen[0], seen[1], seen[2]);
    return 0;
}
