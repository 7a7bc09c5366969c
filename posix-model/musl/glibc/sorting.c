/* qsort as glibc has it: a merge sort, so elements that compare equal keep their order. Programs come to depend on it. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

typedef int comparison(const void *, const void *, void *);

/* Room that is taken from the stack rather than from the heap. */
#define STACK_BYTES 1024

/* Sorts `count` elements at `base`, with room for half of them. */
static void merge_sort(char *base, size_t count, size_t size, comparison *compare, void *argument, char *room)
{
	if (count < 2) return;
	size_t half = count / 2;
	merge_sort(base, half, size, compare, argument, room);
	merge_sort(base + half * size, count - half, size, compare, argument, room);

	char *left = room, *left_end = room + half * size;
	char *right = base + half * size, *right_end = base + count * size;
	memcpy(room, base, half * size);
	for (char *to = base; left < left_end; to += size) {
		char **from = right < right_end && compare(left, right, argument) > 0 ? &right : &left;
		memmove(to, *from, size);
		*from += size;
	}
}

/* Without memory for half of the elements: slow, but as stable. */
static void insertion_sort(char *base, size_t count, size_t size, comparison *compare, void *argument)
{
	for (size_t sorted = 1; sorted < count; sorted++)
		for (char *at = base + sorted * size; at > base && compare(at - size, at, argument) > 0; at -= size)
			for (size_t byte = 0; byte < size; byte++) {
				char moved = at[byte];
				at[byte] = at[byte - size];
				at[byte - size] = moved;
			}
}

void qsort_r(void *base, size_t count, size_t size, comparison *compare, void *argument)
{
	size_t bytes = count / 2 * size;
	if (bytes <= STACK_BYTES) {
		_Alignas(16) char room[STACK_BYTES];
		merge_sort(base, count, size, compare, argument, room);
		return;
	}
	char *room = malloc(bytes);
	if (room) merge_sort(base, count, size, compare, argument, room);
	else insertion_sort(base, count, size, compare, argument);
	free(room);
}

void __qsort_r(void *base, size_t count, size_t size, comparison *compare, void *argument)
{
	qsort_r(base, count, size, compare, argument);
}

static int without_argument(const void *left, const void *right, void *compare)
{
	return ((int (*)(const void *, const void *))compare)(left, right);
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	qsort_r(base, count, size, without_argument, (void *)compare);
}
