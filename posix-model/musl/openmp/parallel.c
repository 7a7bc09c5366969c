/* Parallel regions: a team is made for each, and gone at its end. */
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include "team.h"

static _Thread_local struct member *present;
static _Thread_local struct member alone;
static _Thread_local struct team of_one;

/* What omp_set_num_threads said last; 0 if nothing. */
static int wanted;

struct member *__symx_omp_self(void)
{
	if (present) return present;
	of_one.size = 1;
	alone.team = &of_one;
	return present = &alone;
}

void __symx_omp_become(struct member *self)
{
	present = self;
}

int omp_get_max_threads(void)
{
	if (wanted) return wanted;
	char *asked = getenv("OMP_NUM_THREADS");
	int number = asked ? atoi(asked) : 0;
	return number > 0 ? number : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

void omp_set_num_threads(int number)
{
	wanted = number > 0 ? number : 1;
}

gtid_t __kmpc_global_thread_num(void *place)
{
	return __symx_omp_self()->number;
}

void __kmpc_push_num_threads(void *place, gtid_t thread, gtid_t number)
{
	__symx_omp_self()->asked = number;
}

/* Calls the region's body with pointers to what it shares. */
static void run(struct member *self)
{
	struct team *team = self->team;
	void **s = team->shared;
	gtid_t global = self->number, bound = self->number;

	switch (team->count) {
	case 0: team->body(&global, &bound); break;
	case 1: team->body(&global, &bound, s[0]); break;
	case 2: team->body(&global, &bound, s[0], s[1]); break;
	case 3: team->body(&global, &bound, s[0], s[1], s[2]); break;
	case 4: team->body(&global, &bound, s[0], s[1], s[2], s[3]); break;
	case 5: team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4]); break;
	case 6: team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5]); break;
	case 7: team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6]); break;
	case 8: team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]); break;
	case 9: team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8]); break;
	case 10: team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9]); break;
	case 11: team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10]); break;
	case 12:
		team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11]);
		break;
	case 13:
		team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12]);
		break;
	case 14:
		team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12],
			s[13]);
		break;
	case 15:
		team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12],
			s[13], s[14]);
		break;
	case 16:
		team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12],
			s[13], s[14], s[15]);
		break;
	case 17:
		team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12],
			s[13], s[14], s[15], s[16]);
		break;
	case 18:
		team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12],
			s[13], s[14], s[15], s[16], s[17]);
		break;
	case 19:
		team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12],
			s[13], s[14], s[15], s[16], s[17], s[18]);
		break;
	case 20:
		team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12],
			s[13], s[14], s[15], s[16], s[17], s[18], s[19]);
		break;
	case 21:
		team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12],
			s[13], s[14], s[15], s[16], s[17], s[18], s[19], s[20]);
		break;
	case 22:
		team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12],
			s[13], s[14], s[15], s[16], s[17], s[18], s[19], s[20], s[21]);
		break;
	case 23:
		team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12],
			s[13], s[14], s[15], s[16], s[17], s[18], s[19], s[20], s[21], s[22]);
		break;
	case 24:
		team->body(&global, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12],
			s[13], s[14], s[15], s[16], s[17], s[18], s[19], s[20], s[21], s[22], s[23]);
		break;
	}
	__symx_omp_finish_tasks(self);
}

static void *begin(void *self)
{
	__symx_omp_become(self);
	run(self);
	return 0;
}

/* Runs a region in a team of `size`. */
static void region(struct member *outer, struct team *team, int size)
{
	struct member *members = calloc(size, sizeof *members);
	pthread_t *threads = calloc(size, sizeof *threads);

	team->size = size;
	pthread_barrier_init(&team->barrier, 0, size);
	pthread_mutex_init(&team->lock, 0);
	pthread_cond_init(&team->changed, 0);
	for (int number = 0; number < size; number++) {
		members[number].team = team;
		members[number].number = number;
		members[number].level = outer->level + (size > 1);
	}
	for (int number = 1; number < size; number++) pthread_create(&threads[number], 0, begin, &members[number]);
	__symx_omp_become(&members[0]);
	run(&members[0]);
	for (int number = 1; number < size; number++) pthread_join(threads[number], 0);
	__symx_omp_become(outer);
	pthread_barrier_destroy(&team->barrier);
	pthread_cond_destroy(&team->changed);
	pthread_mutex_destroy(&team->lock);
	free(threads);
	free(members);
}

void __kmpc_fork_call(void *place, int32_t count, microtask body, ...)
{
	struct member *outer = __symx_omp_self();
	struct team team = { .body = body, .count = count };
	/* Regions within regions have one thread, as libomp has it unless told otherwise. */
	int size = outer->level ? 1 : outer->asked ? outer->asked : omp_get_max_threads();
	va_list shared;

	outer->asked = 0;
	if (count > MOST_SHARED) __symx_unsupported("an OpenMP region that shares so many variables");
	va_start(shared, body);
	for (int index = 0; index < count; index++) team.shared[index] = va_arg(shared, void *);
	va_end(shared);
	region(outer, &team, size);
}

/* A region that is not to run in parallel: the caller calls its body itself. */
struct serial {
	struct member self;
	struct team team;
	struct member *outer;
};

void __kmpc_serialized_parallel(void *place, gtid_t thread)
{
	struct member *outer = __symx_omp_self();
	struct serial *inner = calloc(1, sizeof *inner);

	inner->team.size = 1;
	inner->self.team = &inner->team;
	inner->self.level = outer->level;
	inner->outer = outer;
	pthread_mutex_init(&inner->team.lock, 0);
	pthread_cond_init(&inner->team.changed, 0);
	__symx_omp_become(&inner->self);
}

void __kmpc_end_serialized_parallel(void *place, gtid_t thread)
{
	struct serial *inner = (void *)__symx_omp_self();

	__symx_omp_finish_tasks(&inner->self);
	__symx_omp_become(inner->outer);
	pthread_cond_destroy(&inner->team.changed);
	pthread_mutex_destroy(&inner->team.lock);
	free(inner);
}
