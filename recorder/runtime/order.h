#ifndef SYMX_WATCH_ORDER_H
#define SYMX_WATCH_ORDER_H

/* Whether synchronisation orders the two accesses, found out on demand (RaceMob, section 3.2): an access that is looked at opens
 * an episode. While it is open, one bit of each thread and mutex says whether the access happens before all that the thread
 * does, or the next thread to lock the mutex, from now on. Nothing is tracked before and after.
 *
 * Soundness: an edge is drawn from an unlock to later locks of the same mutex, from creating a thread to all it does, and from
 * the end of a thread to joining it. These are happens-before edges of POSIX. Others (semaphores, barriers, atomics) are left
 * out, and what does not fit the table is forgotten. So an access is called ordered only if it is; not finding an order says
 * nothing. A signalled condition adds no edge of its own: the waiting thread locks the mutex again. */

#include "watching.h"

#include <threads.h>

enum {
    EPISODE_NS = 10000000, /* after which another access may take an episode's place */
    MOST_EPISODES = 65535, /* they have 16 bits in the table */
    OBJECTS = 4096,
};

/* The number of the episode that is open, or 0. */
static uint32_t episode;
static uint32_t episodes;
static struct access opened_by;
static uint64_t opened_at;
/* It is only ever tried: a handler may interrupt the thread that has it. */
static uint32_t episode_is_locked;
/* How often the second access came in an order that was found, and how often in none that was. */
static uint64_t ordered, unordered;
/* Mutexes unlocked after the episode's access: the address and, in the lowest 16 bits, the episode. */
static uint64_t unlocked[OBJECTS];

static int lock_episode(void) { return __atomic_exchange_n(&episode_is_locked, 1, __ATOMIC_ACQUIRE) == 0; }

static void compare_order(const struct access *access) {
    if (peek(episode) == 0 || !lock_episode()) return;
    uint32_t number = episode;
    if (number != 0 && conflict(&opened_by, access)) {
        if (self->knows == number) ordered++;
        else unordered++;
        store(episode, 0);
    }
    store(episode_is_locked, 0);
}

/* It opens right before the access, so that all the thread does from here on comes after. */
static void open_episode(const struct access *access) {
    uint64_t at = now();
    if (peek(mode) != WATCHING || !lock_episode()) return;
    if ((episode == 0 || at - opened_at > EPISODE_NS) && episodes < MOST_EPISODES) {
        opened_by = *access;
        opened_at = at;
        self->knows = ++episodes;
        store(episode, episodes);
    }
    store(episode_is_locked, 0);
}

static uint64_t *entry_of(const void *object) {
    return &unlocked[((uintptr_t)object * 0x9E3779B97F4A7C15u) >> 52];
}

COLD static void note_unlock(const void *object, uint32_t number) {
    if (self->knows == number) store(*entry_of(object), (uintptr_t)object << 16 | number);
}

COLD static void note_lock(const void *object, uint32_t number) {
    if (load(*entry_of(object)) == ((uintptr_t)object << 16 | number) && self != &fresh) self->knows = number;
}

/* Before the mutex is unlocked, while no other thread can have it. */
static inline HOT void before_unlock(const void *object) {
    uint32_t number = peek(episode);
    if (unlikely(number != 0)) note_unlock(object, number);
}

static inline HOT int after_lock(const void *object, int error, int is_locked) {
    uint32_t number = peek(episode);
    if (unlikely(number != 0) && is_locked) note_lock(object, number);
    return error;
}

static inline HOT int after_posix_lock(const void *object, int error) { return after_lock(object, error, error == 0); }

static inline HOT int after_c_lock(const void *object, int result) {
    return after_lock(object, result, result == thrd_success);
}

HOT int symx_watch_pthread_mutex_lock(pthread_mutex_t *mutex) { return after_posix_lock(mutex, pthread_mutex_lock(mutex)); }

HOT int symx_watch_pthread_mutex_trylock(pthread_mutex_t *mutex) {
    return after_posix_lock(mutex, pthread_mutex_trylock(mutex));
}

HOT int symx_watch_pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until) {
    return after_posix_lock(mutex, pthread_mutex_timedlock(mutex, until));
}

/* Taken back where it fails: a mutex that another thread has was not unlocked. */
static int after_unlock(const void *object, int result, int is_unlocked) {
    if (unlikely(peek(episode) != 0) && !is_unlocked) store(*entry_of(object), 0);
    return result;
}

HOT int symx_watch_pthread_mutex_unlock(pthread_mutex_t *mutex) {
    before_unlock(mutex);
    int error = pthread_mutex_unlock(mutex);
    return after_unlock(mutex, error, error == 0);
}

HOT int symx_watch_pthread_spin_lock(pthread_spinlock_t *lock) {
    return after_posix_lock((const void *)lock, pthread_spin_lock(lock));
}

HOT int symx_watch_pthread_spin_trylock(pthread_spinlock_t *lock) {
    return after_posix_lock((const void *)lock, pthread_spin_trylock(lock));
}

HOT int symx_watch_pthread_spin_unlock(pthread_spinlock_t *lock) {
    before_unlock((const void *)lock);
    return pthread_spin_unlock(lock);
}

HOT int symx_watch_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    before_unlock(mutex);
    return after_posix_lock(mutex, pthread_cond_wait(condition, mutex));
}

HOT int symx_watch_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
    before_unlock(mutex);
    int error = pthread_cond_timedwait(condition, mutex, until);
    return after_lock(mutex, error, error == 0 || error == ETIMEDOUT);
}

HOT int symx_watch_mtx_lock(mtx_t *mutex) { return after_c_lock(mutex, mtx_lock(mutex)); }

HOT int symx_watch_mtx_trylock(mtx_t *mutex) { return after_c_lock(mutex, mtx_trylock(mutex)); }

HOT int symx_watch_mtx_timedlock(mtx_t *mutex, const struct timespec *until) {
    return after_c_lock(mutex, mtx_timedlock(mutex, until));
}

HOT int symx_watch_mtx_unlock(mtx_t *mutex) {
    before_unlock(mutex);
    int result = mtx_unlock(mutex);
    return after_unlock(mutex, result, result == thrd_success);
}

HOT int symx_watch_cnd_wait(cnd_t *condition, mtx_t *mutex) {
    before_unlock(mutex);
    return after_c_lock(mutex, cnd_wait(condition, mutex));
}

HOT int symx_watch_cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until) {
    before_unlock(mutex);
    int result = cnd_timedwait(condition, mutex, until);
    return after_lock(mutex, result, result == thrd_success || result == thrd_timedout);
}

/* The record of a thread by its handle, which is its own until it is joined. */
static struct thread *thread_of(pthread_t handle, uint64_t *id) {
    struct thread *found = NULL;
    uint32_t count = load(threads_claimed);
    for (struct thread *thread = threads; thread < threads + count; thread++)
        if (thread->handle == handle && thread->life != UNUSED && (found == NULL || thread->id > found->id)) found = thread;
    *id = found == NULL ? 0 : found->id;
    return found;
}

static void after_join(const struct thread *joined, uint64_t id) {
    uint32_t number = peek(episode);
    /* A record that is another thread's by now says nothing. */
    if (number != 0 && joined != NULL && joined->id == id && joined->knows == number && self != &fresh) self->knows = number;
}

int symx_watch_pthread_join(pthread_t handle, void **result) {
    uint64_t id;
    struct thread *joined = thread_of(handle, &id);
    int error = pthread_join(handle, result);
    if (error == 0) after_join(joined, id);
    return error;
}

int symx_watch_thrd_join(thrd_t handle, int *result) {
    uint64_t id;
    struct thread *joined = thread_of(handle, &id);
    int joins = thrd_join(handle, result);
    if (joins == thrd_success) after_join(joined, id);
    return joins;
}

#endif
