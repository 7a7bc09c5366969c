/* Loops whose iterations are shared out among tasks: copies of the one that clang made, each with bounds of its own. */
#include <stdlib.h>
#include <string.h>
#include "tasks.h"

/* Copies what a task has of its own from another, and whether it is the last. */
typedef void (*duplicate)(struct task *to, struct task *from, int32_t is_last);

/* How iterations are shared out: as the runtime likes, by a number of iterations, by a number of tasks. */
enum { FREE, BY_SIZE, BY_COUNT };

int32_t __kmpc_omp_task(void *place, gtid_t thread, struct task *task);

static uint64_t trips(uint64_t lower, uint64_t upper, int64_t step)
{
	if (step == 1) return upper - lower + 1;
	if (step < 0) return (lower - upper) / (0 - (uint64_t)step) + 1;
	return (upper - lower) / (uint64_t)step + 1;
}

static struct task *copy_of(struct task *task)
{
	struct made *from = made_of(task);
	struct made *made = calloc(1, sizeof *made + from->size);
	struct task *copy = (void *)((char *)made + sizeof *made);

	memcpy(made, from, sizeof *made + from->size);
	if (task->shared) copy->shared = (char *)copy + ((char *)task->shared - (char *)task);
	return copy;
}

static void share_out(void *place, gtid_t thread, struct task *task, int deferred, uint64_t *lower, uint64_t *upper,
	int64_t step, int how, uint64_t number, int strict, duplicate duplicate)
{
	struct member *self = __symx_omp_self();
	uint64_t count = trips(*lower, *upper, step), first = *lower, tasks, size, larger = 0;
	size_t lower_at = (char *)lower - (char *)task, upper_at = (char *)upper - (char *)task;

	if (!count) {
		free(made_of(task));
		return;
	}
	if (how == FREE) number = (uint64_t)self->team->size;
	if (how == BY_SIZE) tasks = strict ? (count + number - 1) / number : number > count ? 1 : count / number;
	else tasks = number < count ? number : count;
	size = how == BY_SIZE && strict ? number : count / tasks;
	if (how != BY_SIZE || !strict) larger = count % tasks;
	for (uint64_t i = 0; i < tasks; i++) {
		int is_last = i + 1 == tasks;
		uint64_t here = size + (i < larger);
		struct task *part = copy_of(task);
		uint64_t end = is_last ? *upper : first + (here - 1) * (uint64_t)step;

		if (duplicate) duplicate(part, task, is_last);
		*(uint64_t *)((char *)part + lower_at) = first;
		*(uint64_t *)((char *)part + upper_at) = end;
		if (deferred) __kmpc_omp_task(place, thread, part);
		else {
			part->entry(thread, part);
			free(made_of(part));
		}
		first = end + (uint64_t)step;
	}
	free(made_of(task));
}

void __kmpc_taskloop(void *place, gtid_t thread, struct task *task, int32_t deferred, uint64_t *lower, uint64_t *upper,
	int64_t step, int32_t no_group, int32_t how, uint64_t number, duplicate duplicate)
{
	share_out(place, thread, task, deferred, lower, upper, step, how, number, 0, duplicate);
}

void __kmpc_taskloop_5(void *place, gtid_t thread, struct task *task, int32_t deferred, uint64_t *lower, uint64_t *upper,
	int64_t step, int32_t no_group, int32_t how, uint64_t number, int32_t strict, duplicate duplicate)
{
	share_out(place, thread, task, deferred, lower, upper, step, how, number, strict, duplicate);
}
