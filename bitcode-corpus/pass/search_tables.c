// search.h: trees, hash tables, lists, linear search.
//@ native
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) { return strcmp(a, b); }

static int compare_numbers(const void *a, const void *b) { return *(const int *)a != *(const int *)b; }

static void visit(const void *node, VISIT order, int level) {
    if (order == postorder || order == leaf)
        printf("%s ", *(char *const *)node);
    (void)level;
}

static void nothing(void *key) { (void)key; }

struct link { struct link *next, *previous; int number; };

int main(void) {
    char *names[] = {"pear", "apple", "fig", "cherry", "lime", "kiwi"};
    void *root = NULL;
    for (int i = 0; i < 6; i++)
        tsearch(names[i], &root, compare);
    twalk(root, visit);
    printf("%d %d\n", tfind("fig", &root, compare) != NULL, tfind("plum", &root, compare) != NULL);
    tdelete("fig", &root, compare);
    twalk(root, visit);
    tdestroy(root, nothing);
    hcreate(10);
    for (long i = 0; i < 6; i++)
        hsearch((ENTRY){names[i], (void *)i}, ENTER);
    ENTRY *found = hsearch((ENTRY){"lime", 0}, FIND);
    printf("\n%ld %d\n", (long)found->data, hsearch((ENTRY){"plum", 0}, FIND) == NULL);
    hdestroy();
    struct hsearch_data table = {0};
    ENTRY *result;
    hcreate_r(4, &table);
    hsearch_r((ENTRY){"key", "value"}, ENTER, &result, &table);
    printf("%d %s\n", hsearch_r((ENTRY){"key", 0}, FIND, &result, &table), (char *)result->data);
    hdestroy_r(&table);
    struct link links[3] = {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}};
    insque(&links[0], NULL);
    insque(&links[1], &links[0]);
    insque(&links[2], &links[1]);
    remque(&links[1]);
    printf("%d\n", links[0].next->number);
    size_t count = 6;
    int numbers[8] = {4, 8, 15, 16, 23, 42}, key = 15, other = 99;
    int *at = lfind(&key, numbers, &count, sizeof *numbers, compare_numbers);
    printf("%d\n", (int)(at - numbers));
    lsearch(&other, numbers, &count, sizeof *numbers, compare_numbers);
    printf("%zu\n", count);
    return 0;
}
