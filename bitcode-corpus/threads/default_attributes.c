// The attributes that threads get by default can be had and set.
//@ outcomes: 0,1,0,1,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_attr_t attributes;
    size_t size = 0;
    printf("%d", pthread_getattr_default_np(&attributes));
    pthread_attr_getstacksize(&attributes, &size);
    printf(",%d", size >= 16384);
    pthread_attr_setstacksize(&attributes, 1 << 18);
    printf(",%d", pthread_setattr_default_np(&attributes));
    pthread_getattr_default_np(&attributes);
    pthread_attr_getstacksize(&attributes, &size);
    printf(",%d", size == 1 << 18);
    printf(",%d\n", pthread_attr_destroy(&attributes));
    return 0;
}
