// Frames lie within a thread's stack, the lower the deeper: programs look there how much of it is left.
//@ native
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

__attribute__((noinline, optnone)) static int is_below(char *caller, int more) {
    char *own = __builtin_frame_address(0);
    return own < caller && (more == 0 || is_below(own, more - 1));
}

__attribute__((noinline, optnone)) static void *thread(void *result) {
    char *own = __builtin_frame_address(0);
    pthread_attr_t attributes;
    void *lowest;
    size_t size;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    *(int *)result = own > (char *)lowest && own < (char *)lowest + size && is_below(own, 100);
    return NULL;
}

int main(void) {
    int result = 0;
    pthread_t other;
    pthread_create(&other, NULL, thread, &result);
    pthread_join(other, NULL);
    printf("%d %d\n", result, is_below(__builtin_frame_address(0), 100));
    return 0;
}
