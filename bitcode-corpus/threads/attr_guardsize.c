// pthread_attr_setguardsize: what is set can be got, and what is no value is refused and changes nothing.
//@ outcomes: 4096,0,0,0,8192,8192,0
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
    pthread_attr_t attributes;
    size_t value = -1;
    pthread_attr_init(&attributes);
    pthread_attr_getguardsize(&attributes, &value);
    printf("%d", (int)value);
    printf(",%d", pthread_attr_setguardsize(&attributes, 0));
    pthread_attr_getguardsize(&attributes, &value);
    printf(",%d", (int)value);
    printf(",%d", pthread_attr_setguardsize(&attributes, 8192));
    pthread_attr_getguardsize(&attributes, &value);
    printf(",%d", (int)value);
    pthread_attr_getguardsize(&attributes, &value);
    printf(",%d,%d\n", (int)value, pthread_attr_destroy(&attributes));
    return 0;
}
