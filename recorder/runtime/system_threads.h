/* The function that creates threads, and the system's behind it.
 *
 * Libraries the program is linked with create threads in its name, as std::thread does. So it is the runtime's function
 * that they call: in a static program the linker puts it there (--wrap), else it comes before the system's. */

#ifndef SYMX_SYSTEM_THREADS_H
#define SYMX_SYSTEM_THREADS_H

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#ifdef STATIC_PROGRAM
#define PTHREAD_CREATE __wrap_pthread_create
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
#else
#define PTHREAD_CREATE pthread_create
#endif

static int system_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*routine)(void *),
                                 void *argument) {
#ifdef STATIC_PROGRAM
    return __real_pthread_create(handle, attributes, routine, argument);
#else
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    return create == NULL ? EAGAIN : create(handle, attributes, routine, argument);
#endif
}

#endif
