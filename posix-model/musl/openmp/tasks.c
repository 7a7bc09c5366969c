/* Tasks: each is a thread of its own while the team has several, so that whatever can happen at the same time is explored.
 * Who made it waits for it at a taskwait, at a barrier and at the end of the region. */
#include <stdlib.h>
#include "tasks.h"

struct task *__kmpc_omp_task_alloc(void *place, gtid_t thread, int32_t flags, size_t size, size_t shared,
	int32_t (*entry)(gtid_t, struct task *))
{
	size_t rounded = (size + 15) & ~(size_t)15;
	struct made *made = calloc(1, sizeof(struct made) + rounded + shared);
	struct task *task = (void *)((char *)made + sizeof(struct made));

	made->size = rounded + shared;
	task->entry = entry;
	if (shared) task->shared = (char *)task + rounded;
	return task;
}

static void *begin(void *argument)
{
	struct task *task = argument;
	struct made *made = made_of(task);
	struct member self = { .team = made->team, .number = made->number, .level = made->level };

	__symx_omp_become(&self);
	__symx_omp_wait_before(made->child);
	task->entry(self.number, task);
	__symx_omp_is_done(made->child);
	__symx_omp_finish_tasks(&self);
	free(made);
	return 0;
}

void __symx_omp_start(struct member *self, struct task *task, struct child *child)
{
	struct made *made = made_of(task);

	made->team = child->team = self->team;
	made->number = self->number;
	made->level = self->level;
	made->child = child;
	child->next = self->children;
	self->children = child;
	pthread_create(&child->thread, 0, begin, task);
}

int32_t __kmpc_omp_task(void *place, gtid_t thread, struct task *task)
{
	struct member *self = __symx_omp_self();

	if (self->team->size == 1) {
		task->entry(thread, task);
		free(made_of(task));
		return 0;
	}
	__symx_omp_start(self, task, calloc(1, sizeof(struct child)));
	return 0;
}

/* A task that is not to be deferred. */
void __kmpc_omp_task_begin_if0(void *place, gtid_t thread, struct task *task) {}

void __kmpc_omp_task_complete_if0(void *place, gtid_t thread, struct task *task)
{
	free(made_of(task));
}

void __symx_omp_finish_tasks(struct member *self)
{
	while (self->children) {
		struct child *child = self->children;
		self->children = child->next;
		pthread_join(child->thread, 0);
		free(child->dependences);
		free(child);
	}
}

int32_t __kmpc_omp_taskwait(void *place, gtid_t thread)
{
	__symx_omp_finish_tasks(__symx_omp_self());
	return 0;
}

int32_t __kmpc_omp_taskyield(void *place, gtid_t thread, int end)
{
	return 0;
}

/* A group waits for the tasks within it, and these for their own: all that the thread has made serves. */
void __kmpc_taskgroup(void *place, gtid_t thread) {}

void __kmpc_end_taskgroup(void *place, gtid_t thread)
{
	__symx_omp_finish_tasks(__symx_omp_self());
}
