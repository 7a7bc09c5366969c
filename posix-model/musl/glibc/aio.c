/* POSIX asynchronous input and output. Each request has a thread. Requests on one descriptor take effect in the order in
 * which they were made, as with glibc, which has a thread for each descriptor. */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Requests of one lio_listio: the last one that is done notifies. */
struct group {
	int left;
	struct sigevent notice;
};

struct request {
	struct aiocb *block;
	int operation;
	struct group *group;
	struct request *next;
};

/* A thread that waits for one of its requests. */
struct waiter {
	sem_t wake;
	struct waiter *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t served = PTHREAD_COND_INITIALIZER;
static struct request *first;
static struct waiter *waiters;

static int is_next(const struct request *own)
{
	const struct request *other = first;
	while (other->block->aio_fildes != own->block->aio_fildes) other = other->next;
	return other == own;
}

static ssize_t perform(const struct aiocb *block, int operation)
{
	int file = block->aio_fildes;
	void *bytes = (void *)block->aio_buf;
	ssize_t result;

	if (operation == O_SYNC) return fsync(file);
	if (operation == O_DSYNC) return fdatasync(file);
	if (operation == LIO_READ) {
		result = pread(file, bytes, block->aio_nbytes, block->aio_offset);
		return result < 0 && errno == ESPIPE ? read(file, bytes, block->aio_nbytes) : result;
	}
	result = pwrite(file, bytes, block->aio_nbytes, block->aio_offset);
	return result < 0 && errno == ESPIPE ? write(file, bytes, block->aio_nbytes) : result;
}

static void notify(const struct sigevent *notice)
{
	if (notice->sigev_notify == SIGEV_SIGNAL) sigqueue(getpid(), notice->sigev_signo, notice->sigev_value);
	if (notice->sigev_notify == SIGEV_THREAD) notice->sigev_notify_function(notice->sigev_value);
}

/* The block is the program's again once it has an error number, and may be gone. */
static void finish(struct request *own, ssize_t result, int error)
{
	struct sigevent notice = own->block->aio_sigevent;
	struct group *group = own->group;
	struct request **place = &first;

	pthread_mutex_lock(&lock);
	while (*place != own) place = &(*place)->next;
	*place = own->next;
	own->block->__ret = result;
	__atomic_store_n(&own->block->__err, error, __ATOMIC_RELEASE);
	for (struct waiter *waiter = waiters; waiter; waiter = waiter->next) sem_post(&waiter->wake);
	pthread_cond_broadcast(&served);
	int is_last = group && !--group->left;
	pthread_mutex_unlock(&lock);
	free(own);
	notify(&notice);
	if (is_last) {
		notify(&group->notice);
		free(group);
	}
}

static void *serve(void *argument)
{
	struct request *own = argument;

	pthread_mutex_lock(&lock);
	while (!is_next(own)) pthread_cond_wait(&served, &lock);
	pthread_mutex_unlock(&lock);
	ssize_t result = perform(own->block, own->operation);
	finish(own, result, result < 0 ? errno : 0);
	return 0;
}

static int refuse(struct aiocb *block, int error)
{
	block->__ret = -1;
	__atomic_store_n(&block->__err, error, __ATOMIC_RELEASE);
	errno = error;
	return -1;
}

static int submit(struct aiocb *block, int operation, struct group *group)
{
	struct request *own, **place = &first;
	sigset_t all, before;
	pthread_attr_t detached;
	pthread_t thread;

	if (fcntl(block->aio_fildes, F_GETFD) < 0) return refuse(block, EBADF);
	if (!(own = calloc(1, sizeof *own))) return refuse(block, EAGAIN);
	own->block = block;
	own->operation = operation;
	own->group = group;
	__atomic_store_n(&block->__err, EINPROGRESS, __ATOMIC_RELAXED);
	pthread_mutex_lock(&lock);
	while (*place) place = &(*place)->next;
	*place = own;
	if (group) group->left++;
	pthread_mutex_unlock(&lock);
	/* Signals are for the program's own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	int error = pthread_create(&thread, &detached, serve, own);
	pthread_sigmask(SIG_SETMASK, &before, 0);
	if (!error) return 0;
	pthread_mutex_lock(&lock);
	for (place = &first; *place != own; place = &(*place)->next);
	*place = own->next;
	if (group) group->left--;
	pthread_mutex_unlock(&lock);
	free(own);
	return refuse(block, EAGAIN);
}

int aio_read(struct aiocb *block) { return submit(block, LIO_READ, 0); }

int aio_write(struct aiocb *block) { return submit(block, LIO_WRITE, 0); }

int aio_fsync(int operation, struct aiocb *block)
{
	if (operation == O_SYNC || operation == O_DSYNC) return submit(block, operation, 0);
	errno = EINVAL;
	return -1;
}

int aio_error(const struct aiocb *block) { return __atomic_load_n(&block->__err, __ATOMIC_ACQUIRE); }

ssize_t aio_return(struct aiocb *block) { return block->__ret; }

/* Requests that were taken are not taken back. */
int aio_cancel(int file, struct aiocb *block)
{
	int left = 0;

	if (fcntl(file, F_GETFD) < 0) return -1;
	if (block && block->aio_fildes != file) {
		errno = EINVAL;
		return -1;
	}
	pthread_mutex_lock(&lock);
	for (struct request *one = first; one; one = one->next)
		left |= block ? one->block == block : one->block->aio_fildes == file;
	pthread_mutex_unlock(&lock);
	return left ? AIO_NOTCANCELED : AIO_ALLDONE;
}

static void forget(void *argument)
{
	struct waiter *own = argument, **place = &waiters;

	pthread_mutex_lock(&lock);
	while (*place != own) place = &(*place)->next;
	*place = own->next;
	pthread_mutex_unlock(&lock);
	sem_destroy(&own->wake);
}

static int is_any_done(const struct aiocb *const blocks[], int count)
{
	for (int i = 0; i < count; i++)
		if (blocks[i] && aio_error(blocks[i]) != EINPROGRESS) return 1;
	return 0;
}

/* Waits until one of them is done; the error number of giving up. */
static int wait_for(const struct aiocb *const blocks[], int count, const struct timespec *end)
{
	struct waiter own;
	int error = 0;

	sem_init(&own.wake, 0, 0);
	pthread_mutex_lock(&lock);
	own.next = waiters;
	waiters = &own;
	pthread_mutex_unlock(&lock);
	pthread_cleanup_push(forget, &own);
	while (!error && !is_any_done(blocks, count))
		if (end ? sem_timedwait(&own.wake, end) : sem_wait(&own.wake)) error = errno;
	pthread_cleanup_pop(1);
	return error == ETIMEDOUT ? EAGAIN : error;
}

int aio_suspend(const struct aiocb *const blocks[], int count, const struct timespec *limit)
{
	struct timespec end;

	if (limit) {
		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_sec += limit->tv_sec;
		if ((end.tv_nsec += limit->tv_nsec) >= 1000000000) {
			end.tv_nsec -= 1000000000;
			end.tv_sec++;
		}
	}
	int error = wait_for(blocks, count, limit ? &end : 0);
	if (!error) return 0;
	errno = error;
	return -1;
}

static int is_asked(const struct aiocb *block) { return block && block->aio_lio_opcode != LIO_NOP; }

int lio_listio(int mode, struct aiocb *restrict const blocks[restrict], int count, struct sigevent *restrict notice)
{
	struct group *group = 0;
	int refused = 0, error = 0;

	if (count < 0 || (mode != LIO_WAIT && mode != LIO_NOWAIT)) {
		errno = EINVAL;
		return -1;
	}
	if (mode == LIO_NOWAIT && notice) {
		if (!(group = calloc(1, sizeof *group))) {
			errno = EAGAIN;
			return -1;
		}
		group->left = 1;
		group->notice = *notice;
	}
	for (int i = 0; i < count; i++)
		if (is_asked(blocks[i])) refused |= submit(blocks[i], blocks[i]->aio_lio_opcode, group) < 0;
	if (group) {
		pthread_mutex_lock(&lock);
		int is_last = !--group->left;
		pthread_mutex_unlock(&lock);
		if (is_last) {
			notify(&group->notice);
			free(group);
		}
	}
	for (int i = 0; mode == LIO_WAIT && i < count && error != EINTR; i++) {
		if (!is_asked(blocks[i])) continue;
		const struct aiocb *one = blocks[i];
		if (wait_for(&one, 1, 0)) error = EINTR;
		else if (aio_error(one)) error = EIO;
	}
	if (refused && !error) error = mode == LIO_WAIT ? EIO : EAGAIN;
	if (!error) return 0;
	errno = error;
	return -1;
}

__attribute__((alias("aio_read"))) int aio_read64();
__attribute__((alias("aio_write"))) int aio_write64();
__attribute__((alias("aio_fsync"))) int aio_fsync64();
__attribute__((alias("aio_error"))) int aio_error64();
__attribute__((alias("aio_return"))) ssize_t aio_return64();
__attribute__((alias("aio_cancel"))) int aio_cancel64();
__attribute__((alias("aio_suspend"))) int aio_suspend64();
__attribute__((alias("lio_listio"))) int lio_listio64();
