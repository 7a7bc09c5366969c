// pthread_self of the child is the identifier its creator got; the two differ.
//@ native
#include <pthread.h>
#include <stdio.h>

static pthread_t self;

static void *start(void *unused) {
    self = pthread_self();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, start, NULL);
    pthread_join(thread, NULL);
    printf("%d %d\n", pthread_equal(self, thread) != 0, pthread_equal(self, pthread_self()) != 0);
    return 0;
}
