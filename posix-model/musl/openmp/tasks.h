/* What the files about tasks share. */
#include <stddef.h>
#include "team.h"

/* The beginning of what clang knows of a task. */
struct task {
	void *shared;
	int32_t (*entry)(gtid_t, struct task *);
	int32_t part;
	void *data[2];
};

/* What a task is made with, in front of it: a multiple of sixteen bytes, which keeps it aligned. */
struct made {
	struct team *team;
	struct child *child;
	/* How many bytes the task has, with what it shares. */
	size_t size;
	int number, level;
};

static inline struct made *made_of(struct task *task)
{
	return (void *)((char *)task - sizeof(struct made));
}

/* Starts a task in a team of several, as this child of the calling thread. */
void __symx_omp_start(struct member *self, struct task *task, struct child *child);

/* Waits for the tasks made before this one that it depends on. */
void __symx_omp_wait_before(struct child *child);

/* Lets go on what depends on this one. */
void __symx_omp_is_done(struct child *child);
