/* Barriers, critical sections, single regions, reductions, locks. */
#include <stdlib.h>
#include "team.h"

void __kmpc_barrier(void *place, gtid_t thread)
{
	struct member *self = __symx_omp_self();

	__symx_omp_finish_tasks(self);
	if (self->team->size > 1) pthread_barrier_wait(&self->team->barrier);
}

int32_t __kmpc_cancel_barrier(void *place, gtid_t thread)
{
	__kmpc_barrier(place, thread);
	return 0;
}

void __kmpc_flush(void *place)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* A critical section's name is eight words of the program's, zero at first: the mutex is made by who comes first. */
static pthread_mutex_t *mutex_of(void **name)
{
	pthread_mutex_t *mutex = __atomic_load_n(name, __ATOMIC_ACQUIRE), *mine;
	void *expected = 0;

	if (mutex) return mutex;
	mine = malloc(sizeof *mine);
	pthread_mutex_init(mine, 0);
	if (__atomic_compare_exchange_n(name, &expected, mine, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return mine;
	free(mine);
	return expected;
}

void __kmpc_critical(void *place, gtid_t thread, void **name)
{
	pthread_mutex_lock(mutex_of(name));
}

void __kmpc_critical_with_hint(void *place, gtid_t thread, void **name, uint32_t hint)
{
	pthread_mutex_lock(mutex_of(name));
}

void __kmpc_end_critical(void *place, gtid_t thread, void **name)
{
	pthread_mutex_unlock(mutex_of(name));
}

int32_t __kmpc_single(void *place, gtid_t thread)
{
	struct member *self = __symx_omp_self();
	unsigned number = self->singles++;

	return self->team->size == 1
		|| __atomic_compare_exchange_n(&self->team->singles, &number, number + 1, 0, __ATOMIC_ACQ_REL,
			__ATOMIC_ACQUIRE);
}

void __kmpc_end_single(void *place, gtid_t thread) {}

int32_t __kmpc_master(void *place, gtid_t thread)
{
	return __symx_omp_self()->number == 0;
}

void __kmpc_end_master(void *place, gtid_t thread) {}

int32_t __kmpc_masked(void *place, gtid_t thread, int32_t which)
{
	return __symx_omp_self()->number == which;
}

void __kmpc_end_masked(void *place, gtid_t thread) {}

/* Hands what one thread has to all others. */
void __kmpc_copyprivate(void *place, gtid_t thread, size_t size, void *data, void (*copy)(void *, void *), int32_t mine)
{
	struct team *team = __symx_omp_self()->team;

	if (mine) team->copied = data;
	__kmpc_barrier(place, thread);
	if (!mine) copy(data, team->copied);
	__kmpc_barrier(place, thread);
}

/* Each thread adds its part under a lock. */
int32_t __kmpc_reduce_nowait(void *place, gtid_t thread, int32_t count, size_t size, void *data,
	void (*reduce)(void *, void *), void **name)
{
	pthread_mutex_lock(mutex_of(name));
	return 1;
}

void __kmpc_end_reduce_nowait(void *place, gtid_t thread, void **name)
{
	pthread_mutex_unlock(mutex_of(name));
}

int32_t __kmpc_reduce(void *place, gtid_t thread, int32_t count, size_t size, void *data,
	void (*reduce)(void *, void *), void **name)
{
	return __kmpc_reduce_nowait(place, thread, count, size, data, reduce, name);
}

void __kmpc_end_reduce(void *place, gtid_t thread, void **name)
{
	pthread_mutex_unlock(mutex_of(name));
	__kmpc_barrier(place, thread);
}

/* A lock of the program is one word. */
static void make_lock(void **lock, int type)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t *mutex = malloc(sizeof *mutex);

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutex_init(mutex, &attributes);
	*lock = mutex;
}

void omp_init_lock(void **lock) { make_lock(lock, PTHREAD_MUTEX_NORMAL); }
void omp_init_nest_lock(void **lock) { make_lock(lock, PTHREAD_MUTEX_RECURSIVE); }
void omp_set_lock(void **lock) { pthread_mutex_lock(*lock); }
void omp_set_nest_lock(void **lock) { pthread_mutex_lock(*lock); }
void omp_unset_lock(void **lock) { pthread_mutex_unlock(*lock); }
void omp_unset_nest_lock(void **lock) { pthread_mutex_unlock(*lock); }
int omp_test_lock(void **lock) { return !pthread_mutex_trylock(*lock); }
int omp_test_nest_lock(void **lock) { return !pthread_mutex_trylock(*lock); }

void omp_destroy_lock(void **lock)
{
	pthread_mutex_destroy(*lock);
	free(*lock);
	*lock = 0;
}

void omp_destroy_nest_lock(void **lock) { omp_destroy_lock(lock); }
