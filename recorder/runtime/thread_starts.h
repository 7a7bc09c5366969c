/* Threads that a runtime creates where the program does: each calls the runtime before its routine.
 *
 * A runtime defines `struct given` before it includes this: what a new thread has from its creator. */

#ifndef SYMX_THREAD_STARTS_H
#define SYMX_THREAD_STARTS_H

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

/* Called by the creator, before. */
static void give(struct given *);
/* Called by the new thread, before its routine. */
static void begin_with(const struct given *);
/* Called by the creator once the thread is created; it may run or have ended. */
static void note_created(const struct given *, pthread_t);
/* Called by the creator if the thread is not created. */
static void take_back(const struct given *);

typedef int create_pthread(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int create_thrd(thrd_t *, thrd_start_t, void *);

struct start {
    void *(*pthread_routine)(void *);
    thrd_start_t thrd_routine;
    void *argument;
    struct given given;
};

/* The name of the child of this number: its creator's, and the number. */
static void name_child(char *name, const char *creator, uint32_t number) {
    snprintf(name, NAME_BYTES, "%.*s.%u", NAME_BYTES - 12, creator, number);
}

static struct start *prepare_start(void *argument) {
    struct start *start = calloc(1, sizeof *start);
    if (start == NULL) return NULL;
    start->argument = argument;
    give(&start->given);
    return start;
}

static void *pthread_main(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    begin_with(&start.given);
    return start.pthread_routine(start.argument);
}

static int thrd_main(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    begin_with(&start.given);
    return start.thrd_routine(start.argument);
}

static void abandon_start(struct start *start) {
    take_back(&start->given);
    free(start);
}

static int start_pthread(create_pthread *create, pthread_t *handle, const pthread_attr_t *attributes,
                         void *(*routine)(void *), void *argument) {
    struct start *start = prepare_start(argument);
    if (start == NULL) return EAGAIN;
    /* The new thread frees what it began with. */
    struct given given = start->given;
    start->pthread_routine = routine;
    int error = create(handle, attributes, pthread_main, start);
    if (error == 0) note_created(&given, *handle);
    else abandon_start(start);
    return error;
}

static int start_thrd(create_thrd *create, thrd_t *handle, thrd_start_t routine, void *argument) {
    struct start *start = prepare_start(argument);
    if (start == NULL) return thrd_nomem;
    struct given given = start->given;
    start->thrd_routine = routine;
    int result = create(handle, thrd_main, start);
    if (result == thrd_success) note_created(&given, *handle);
    else abandon_start(start);
    return result;
}

#endif
