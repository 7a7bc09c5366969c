/* Dependences between tasks of one thread. A task is a thread of its own, which first waits for those made before it that
 * touch the same places. */
#include <stdlib.h>
#include <string.h>
#include "tasks.h"

/* A place that a task depends on, as clang passes it. */
struct dependence {
	intptr_t place;
	size_t length;
	uint8_t kind;
};

/* Kinds: reading; reading and writing; writing together with others of this kind. */
#define IN 1
#define OUT 2
#define TOGETHER 8

static int is_kept_apart(const struct dependence *one, const struct dependence *other)
{
	if (one->place != other->place) return 0;
	return one->kind != other->kind || one->kind != IN && one->kind != TOGETHER;
}

static int depends(const struct child *later, const struct child *earlier)
{
	for (int i = 0; i < later->count; i++)
		for (int j = 0; j < earlier->count; j++)
			if (is_kept_apart(&later->dependences[i], &earlier->dependences[j])) return 1;
	return 0;
}

static void note(struct child *child, const struct dependence *list, int count)
{
	for (int i = 0; i < count; i++) {
		/* Clang says inout as both. */
		if (list[i].kind == (IN | OUT)) child->dependences[child->count] = (struct dependence){ list[i].place, 0, OUT };
		else if (list[i].kind == IN || list[i].kind == OUT || list[i].kind == TOGETHER)
			child->dependences[child->count] = list[i];
		else __symx_unsupported("a task that excludes others, or depends on all memory (OpenMP's depend)");
		child->count++;
	}
}

static void note_all(struct child *child, int count, const struct dependence *list, int more, const struct dependence *rest)
{
	child->dependences = calloc(count + more + 1, sizeof(struct dependence));
	note(child, list, count);
	note(child, rest, more);
}

/* Who waits, waits for all tasks that were made before and are not joined: these stand behind it in the list. */
void __symx_omp_wait_before(struct child *child)
{
	struct team *team = child->team;

	if (!child->count) return;
	for (struct child *earlier = child->next; earlier; earlier = earlier->next) {
		if (!depends(child, earlier)) continue;
		pthread_mutex_lock(&team->lock);
		while (!earlier->done) pthread_cond_wait(&team->changed, &team->lock);
		pthread_mutex_unlock(&team->lock);
	}
}

void __symx_omp_is_done(struct child *child)
{
	struct team *team = child->team;

	if (!child->count) return;
	pthread_mutex_lock(&team->lock);
	child->done = 1;
	pthread_cond_broadcast(&team->changed);
	pthread_mutex_unlock(&team->lock);
}

int32_t __kmpc_omp_task(void *place, gtid_t thread, struct task *task);

int32_t __kmpc_omp_task_with_deps(void *place, gtid_t thread, struct task *task, int32_t count,
	struct dependence *list, int32_t more, struct dependence *rest)
{
	struct member *self = __symx_omp_self();

	/* A team of one has done all that was made before. */
	if (self->team->size == 1) return __kmpc_omp_task(place, thread, task);
	struct child *child = calloc(1, sizeof *child);
	note_all(child, count, list, more, rest);
	__symx_omp_start(self, task, child);
	return 0;
}

void __kmpc_omp_wait_deps(void *place, gtid_t thread, int32_t count, struct dependence *list, int32_t more,
	struct dependence *rest)
{
	struct member *self = __symx_omp_self();
	struct child waiting = { .next = self->children, .team = self->team };

	if (self->team->size == 1) return;
	note_all(&waiting, count, list, more, rest);
	__symx_omp_wait_before(&waiting);
	free(waiting.dependences);
}

void __kmpc_omp_taskwait_deps_51(void *place, gtid_t thread, int32_t count, struct dependence *list, int32_t more,
	struct dependence *rest, int32_t goes_on)
{
	__kmpc_omp_wait_deps(place, thread, count, list, more, rest);
}
