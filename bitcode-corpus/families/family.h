// What the families share: relaxed accesses to small integers, and threads that are numbered from 0.

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define LOAD(place) atomic_load_explicit(&(place), memory_order_relaxed)
#define STORE(place, value) atomic_store_explicit(&(place), (value), memory_order_relaxed)
#define ADD(place, value) atomic_fetch_add_explicit(&(place), (value), memory_order_relaxed)
#define CAS(place, expected, value)                                                                     \
    atomic_compare_exchange_strong_explicit(&(place), &(expected), (value), memory_order_relaxed,       \
                                            memory_order_relaxed)

#define START(thread, function, number) pthread_create(&(thread), 0, (function), (void *)(intptr_t)(number))
#define JOIN(thread) pthread_join((thread), 0)
#define NUMBER(argument) ((int)(intptr_t)(argument))
