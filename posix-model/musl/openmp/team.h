/* OpenMP's runtime over modelled threads: what clang's -fopenmp calls (the interface of LLVM's libomp). */
#include <pthread.h>
#include <stdint.h>

typedef int32_t gtid_t;
typedef void (*microtask)(gtid_t *global, gtid_t *bound, ...);

/* The most variables that a parallel region shares by pointer. */
#define MOST_SHARED 24

/* A loop whose iterations threads take as they come. */
struct loop {
	struct loop *next;
	/* Which of the team's loops it is, from 0. */
	unsigned number;
	int schedule;
	uint64_t trips, chunk, taken;
	/* The iteration whose ordered part is next. */
	uint64_t ordered;
	/* How many threads have done their part of it. */
	int left;
};

struct team {
	int size;
	microtask body;
	int count;
	void *shared[MOST_SHARED];
	pthread_barrier_t barrier;
	/* How many single regions have been entered. */
	unsigned singles;
	/* What a single region hands to all. */
	void *copied;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct loop *loops;
};

/* A task that runs: a thread of its own. */
struct child {
	struct child *next;
	pthread_t thread;
	struct team *team;
	/* What it depends on, as the program said, and how many places these are. */
	struct dependence *dependences;
	int count;
	/* Whether it has come to its end, for tasks that depend on it. */
	int done;
};

/* What a thread is in its team. */
struct member {
	struct team *team;
	int number;
	/* How many levels of active regions it is in. */
	int level;
	unsigned singles, loops;
	/* What it takes of the present loop: iterations from `first` on up to `end`, and how many chunks it has had. */
	struct loop *loop;
	uint64_t first, end, chunks;
	/* How numbers of iterations become values of the loop's variable. */
	uint64_t lower, step;
	int ordered;
	struct child *children;
	/* The number of threads requested for the next region; 0 if not set. */
	int asked;
};

/* Ends the execution: symx cannot do this. */
void __symx_unsupported(const char *what);

/* The calling thread's place; outside of regions a team of one. */
struct member *__symx_omp_self(void);

/* Has `self` stand for the calling thread. */
void __symx_omp_become(struct member *self);

/* Waits for the tasks that the calling thread made. */
void __symx_omp_finish_tasks(struct member *self);
