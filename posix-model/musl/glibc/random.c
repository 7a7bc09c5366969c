/* rand and random as glibc has them: programs that set a seed expect its numbers. An additive feedback generator over
 * 0, 7, 15, 31 or 63 words, by the room given; rand is random. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include "lock.h"

/* As <stdlib.h> of glibc lays it out. */
struct random_data {
	int32_t *front, *rear, *state;
	int kind, degree, separation;
	int32_t *end;
};

#define KINDS 5
#define DEFAULT_DEGREE 31
#define DEFAULT_SEPARATION 3
static const int degrees[KINDS] = { 0, 7, 15, 31, 63 };
static const int separations[KINDS] = { 0, 3, 1, 3, 1 };

static int32_t default_state[DEFAULT_DEGREE + 1];
static struct random_data shared;
static volatile int lock[1];

static int fail(int error)
{
	errno = error;
	return -1;
}

int random_r(struct random_data *data, int32_t *result)
{
	if (!data || !result) return fail(EINVAL);
	if (!data->kind) {
		data->state[0] = *result = (data->state[0] * 1103515245u + 12345u) & 0x7fffffff;
		return 0;
	}
	uint32_t sum = *data->front + (uint32_t)*data->rear;
	*data->front = sum;
	*result = sum >> 1;
	if (++data->front == data->end) data->front = data->state;
	if (++data->rear == data->end) data->rear = data->state;
	return 0;
}

int srandom_r(unsigned seed, struct random_data *data)
{
	if (!data || data->kind < 0 || data->kind >= KINDS) return fail(EINVAL);
	int32_t word = seed ? seed : 1, skipped;
	data->state[0] = word;
	if (!data->kind) return 0;
	for (int at = 1; at < data->degree; at++) {
		word = 16807 * (word % 127773) - 2836 * (word / 127773);
		if (word < 0) word += 2147483647;
		data->state[at] = word;
	}
	data->front = data->state + data->separation;
	data->rear = data->state;
	for (int left = 10 * data->degree; left; left--) random_r(data, &skipped);
	return 0;
}

/* Before its words a state holds its kind and how far it has got. */
static void keep(struct random_data *data)
{
	data->state[-1] = data->kind ? KINDS * (data->rear - data->state) + data->kind : 0;
}

static void use(struct random_data *data, int32_t *state, int kind)
{
	data->kind = kind;
	data->degree = degrees[kind];
	data->separation = separations[kind];
	data->state = state;
	data->end = state + data->degree;
}

int initstate_r(unsigned seed, char *room, size_t bytes, struct random_data *data)
{
	if (!data || bytes < 8) return fail(EINVAL);
	if (data->state) keep(data);
	use(data, (int32_t *)room + 1, bytes < 32 ? 0 : bytes < 64 ? 1 : bytes < 128 ? 2 : bytes < 256 ? 3 : 4);
	srandom_r(seed, data);
	keep(data);
	return 0;
}

int setstate_r(char *room, struct random_data *data)
{
	int32_t *state = (int32_t *)room + 1;
	if (!data || !room || state[-1] < 0) return fail(EINVAL);
	int kind = state[-1] % KINDS, rear = state[-1] / KINDS;
	if (data->state) keep(data);
	use(data, state, kind);
	if (kind) {
		data->rear = state + rear;
		data->front = state + (rear + data->separation) % data->degree;
	}
	return 0;
}

/* The shared generator, with the seed 1 until another is set. */
static struct random_data *shared_data(void)
{
	if (!shared.state) {
		use(&shared, default_state + 1, 3);
		srandom_r(1, &shared);
	}
	return &shared;
}

long random(void)
{
	int32_t result;
	LOCK(lock);
	random_r(shared_data(), &result);
	UNLOCK(lock);
	return result;
}

void srandom(unsigned seed)
{
	LOCK(lock);
	srandom_r(seed, shared_data());
	UNLOCK(lock);
}

char *initstate(unsigned seed, char *room, size_t bytes)
{
	LOCK(lock);
	char *old = (char *)(shared_data()->state - 1);
	if (initstate_r(seed, room, bytes, &shared)) old = 0;
	UNLOCK(lock);
	return old;
}

char *setstate(char *room)
{
	LOCK(lock);
	char *old = (char *)(shared_data()->state - 1);
	if (setstate_r(room, &shared)) old = 0;
	UNLOCK(lock);
	return old;
}

int rand(void)
{
	return random();
}

void srand(unsigned seed)
{
	srandom(seed);
}

int rand_r(unsigned *seed)
{
	unsigned next = *seed, result = 0;
	for (int round = 0; round < 3; round++) {
		next = next * 1103515245 + 12345;
		unsigned bits = next / 65536;
		result = round ? result << 10 ^ bits % 1024 : bits % 2048;
	}
	*seed = next;
	return result;
}
