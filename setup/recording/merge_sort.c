/* A merge sort whose halves are sorted by two threads; short runs by insertion. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct part {
    unsigned *items, *scratch;
    long count;
};

static void insertion_sort(unsigned *items, long count) {
    for (long i = 1; i < count; i++) {
        unsigned item = items[i];
        long j = i;
        for (; j > 0 && items[j - 1] > item; j--) items[j] = items[j - 1];
        items[j] = item;
    }
}

static void merge(unsigned *items, unsigned *scratch, long middle, long count) {
    memcpy(scratch, items, (size_t)middle * sizeof *items);
    long left = 0, right = middle, to = 0;
    while (left < middle && right < count) {
        if (items[right] < scratch[left]) items[to++] = items[right++];
        else items[to++] = scratch[left++];
    }
    while (left < middle) items[to++] = scratch[left++];
}

static void merge_sort(unsigned *items, unsigned *scratch, long count) {
    if (count <= 16) {
        insertion_sort(items, count);
        return;
    }
    long middle = count / 2;
    merge_sort(items, scratch, middle);
    merge_sort(items + middle, scratch, count - middle);
    merge(items, scratch, middle, count);
}

static void *sort_part(void *argument) {
    struct part *part = argument;
    merge_sort(part->items, part->scratch, part->count);
    return NULL;
}

int main(int argument_count, char **arguments) {
    long count = argument_count > 1 ? atol(arguments[1]) : 4000000;
    unsigned *items = malloc((size_t)count * sizeof *items), *scratch = malloc((size_t)count * sizeof *items), seed = 1;
    for (long i = 0; i < count; i++) items[i] = seed = seed * 1664525u + 1013904223u;
    long middle = count / 2;
    struct part parts[2] = {{items, scratch, middle}, {items + middle, scratch + middle, count - middle}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, sort_part, &parts[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    merge(items, scratch, middle, count);
    for (long i = 1; i < count; i++)
        if (items[i - 1] > items[i]) abort();
    printf("%u %u\n", items[0], items[count - 1]);
    return 0;
}
