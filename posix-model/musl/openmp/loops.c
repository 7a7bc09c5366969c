/* Iterations and who takes them. */
#include <stdlib.h>
#include "team.h"

/* Schedules as clang numbers them, without the bits of modifiers; those with ordered parts count from 65. */
enum { STATIC_CHUNKED = 33, STATIC = 34, DYNAMIC = 35, GUIDED = 36, RUNTIME = 37, AUTO = 38, BALANCED = 45, ORDERED = 32 };

static int plain(int schedule)
{
	schedule &= 0xff;
	if (schedule >= STATIC_CHUNKED + ORDERED && schedule <= AUTO + ORDERED) schedule -= ORDERED;
	return schedule == AUTO || schedule == RUNTIME ? STATIC : schedule == BALANCED ? STATIC_CHUNKED : schedule;
}

/* What thread `self` has of `trips` iterations without a chunk: `*first` and how many. */
static uint64_t share(struct member *self, uint64_t trips, uint64_t *first)
{
	uint64_t each = trips / self->team->size, more = trips % self->team->size, number = self->number;

	*first = number * each + (number < more ? number : more);
	return each + (number < more);
}

static void enter(struct member *self, int schedule, uint64_t trips, uint64_t chunk)
{
	struct team *team = self->team;
	struct loop **at = &team->loops;

	pthread_mutex_lock(&team->lock);
	while (*at && (*at)->number != self->loops) at = &(*at)->next;
	if (!*at) {
		*at = calloc(1, sizeof **at);
		(*at)->number = self->loops;
		(*at)->schedule = plain(schedule);
		(*at)->trips = trips;
		(*at)->chunk = chunk ? chunk : 1;
	}
	self->loop = *at;
	pthread_mutex_unlock(&team->lock);
	self->loops++;
	self->first = self->end = self->chunks = 0;
}

/* Lets the ordered parts behind the iterations that the thread has had go on. */
static void pass_ordered(struct member *self)
{
	struct loop *loop = self->loop;

	while (loop->ordered < self->first) pthread_cond_wait(&self->team->changed, &self->team->lock);
	if (loop->ordered < self->end) {
		loop->ordered = self->end;
		pthread_cond_broadcast(&self->team->changed);
	}
}

static void leave(struct member *self)
{
	struct team *team = self->team;
	struct loop **at = &team->loops, *loop = self->loop;

	self->loop = 0;
	if (++loop->left < team->size) return;
	while (*at != loop) at = &(*at)->next;
	*at = loop->next;
	free(loop);
}

/* The next iterations for the thread, from `*first` on; how many. */
static uint64_t take(struct member *self, uint64_t *first, int ordered)
{
	struct loop *loop = self->loop;
	uint64_t count = 0, size = self->team->size;

	pthread_mutex_lock(&self->team->lock);
	if (ordered && self->chunks) pass_ordered(self);
	if (loop->schedule == STATIC) {
		if (!self->chunks) count = share(self, loop->trips, first);
	} else if (loop->schedule == STATIC_CHUNKED) {
		*first = (self->chunks * size + self->number) * loop->chunk;
		if (*first < loop->trips) count = loop->chunk;
	} else {
		*first = loop->taken;
		count = loop->chunk;
		if (loop->schedule == GUIDED && (loop->trips - *first) / (2 * size) > count)
			count = (loop->trips - *first) / (2 * size);
	}
	if (count > loop->trips - *first) count = loop->trips - *first;
	if (loop->schedule == DYNAMIC || loop->schedule == GUIDED) loop->taken += count;
	self->chunks++;
	self->first = *first;
	self->end = *first + count;
	if (!count) leave(self);
	pthread_mutex_unlock(&self->team->lock);
	return count;
}

void __kmpc_ordered(void *place, gtid_t thread)
{
	struct member *self = __symx_omp_self();

	if (!self->loop) return;
	pthread_mutex_lock(&self->team->lock);
	while (self->loop->ordered < self->first) pthread_cond_wait(&self->team->changed, &self->team->lock);
	pthread_mutex_unlock(&self->team->lock);
}

void __kmpc_end_ordered(void *place, gtid_t thread)
{
	struct member *self = __symx_omp_self();

	if (!self->loop) return;
	pthread_mutex_lock(&self->team->lock);
	self->loop->ordered = ++self->first;
	pthread_cond_broadcast(&self->team->changed);
	pthread_mutex_unlock(&self->team->lock);
}

#define TRIPS(type, unsigned_type) \
	static uint64_t trips_##type(type lower, type upper, int64_t step) \
	{ \
		if (step > 0) return upper < lower ? 0 : ((unsigned_type)upper - (unsigned_type)lower) / (unsigned_type)step + 1; \
		return lower < upper ? 0 : ((unsigned_type)lower - (unsigned_type)upper) / (unsigned_type)-step + 1; \
	}

#define LOOPS(name, type, unsigned_type, step_type) \
	TRIPS(type, unsigned_type) \
	void __kmpc_for_static_init_##name(void *place, gtid_t thread, int32_t schedule, int32_t *last, type *lower, \
		type *upper, step_type *stride, step_type step, step_type chunk) \
	{ \
		struct member *self = __symx_omp_self(); \
		uint64_t trips = trips_##type(*lower, *upper, step), size = self->team->size, first, count; \
		if (plain(schedule) == STATIC_CHUNKED) { \
			uint64_t each = chunk > 0 ? chunk : 1; \
			*upper = *lower + (unsigned_type)((self->number + 1) * each - 1) * (unsigned_type)step; \
			*lower += (unsigned_type)(self->number * each) * (unsigned_type)step; \
			*stride = (unsigned_type)(each * size) * (unsigned_type)step; \
			if (last) *last = trips && (trips - 1) / each % size == (uint64_t)self->number; \
			return; \
		} \
		count = share(self, trips, &first); \
		if (last) *last = count && first + count == trips; \
		*stride = (unsigned_type)trips; \
		if (!count) { \
			*lower = *upper + (unsigned_type)step; \
			return; \
		} \
		*upper = *lower + (unsigned_type)(first + count - 1) * (unsigned_type)step; \
		*lower += (unsigned_type)first * (unsigned_type)step; \
	} \
	void __kmpc_dispatch_init_##name(void *place, gtid_t thread, int32_t schedule, type lower, type upper, \
		step_type step, step_type chunk) \
	{ \
		struct member *self = __symx_omp_self(); \
		enter(self, schedule, trips_##type(lower, upper, step), chunk > 0 ? chunk : 0); \
		self->ordered = (schedule & 0xff) > BALANCED; \
		self->lower = (uint64_t)lower; \
		self->step = step; \
	} \
	int __kmpc_dispatch_next_##name(void *place, gtid_t thread, int32_t *last, type *lower, type *upper, \
		step_type *stride) \
	{ \
		struct member *self = __symx_omp_self(); \
		uint64_t trips = self->loop->trips, first, count = take(self, &first, self->ordered); \
		if (!count) return 0; \
		*lower = (type)(self->lower + first * self->step); \
		*upper = (type)(self->lower + (first + count - 1) * self->step); \
		if (stride) *stride = self->step; \
		if (last) *last = first + count == trips; \
		return 1; \
	} \
	void __kmpc_dispatch_fini_##name(void *place, gtid_t thread) {}

LOOPS(4, int32_t, uint32_t, int32_t)
LOOPS(4u, uint32_t, uint32_t, int32_t)
LOOPS(8, int64_t, uint64_t, int64_t)
LOOPS(8u, uint64_t, uint64_t, int64_t)

void __kmpc_for_static_fini(void *place, gtid_t thread) {}
void __kmpc_dispatch_deinit(void *place, gtid_t thread) {}
