/* The key whose destructor notes the end of a thread.
 *
 * Keys have the lowest free numbers, and programs see them: Rust's standard library takes no key with number 0. So this
 * one leaves the first numbers free, and the program's keys have those that they have without the runtime. */

#ifndef SYMX_END_KEY_H
#define SYMX_END_KEY_H

#include <pthread.h>

/* A thread has room for values of this many keys before glibc allocates more of it (PTHREAD_KEY_2NDLEVEL_SIZE). */
enum { KEYS_AT_HAND = 32 };

static pthread_key_t end_key;

static void make_end_key(void (*end_thread)(void *)) {
    pthread_key_t keys[KEYS_AT_HAND];
    int count = 0;
    while (count < KEYS_AT_HAND && pthread_key_create(&keys[count], end_thread) == 0)
        if (keys[count++] >= KEYS_AT_HAND - 1) break;
    if (count == 0) return;
    end_key = keys[--count];
    while (count > 0) pthread_key_delete(keys[--count]);
}

#endif
