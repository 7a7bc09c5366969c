// Obstacks: growing objects, finishing, freeing back to one.
//@ native
#define _GNU_SOURCE
#include <obstack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

int main(void) {
    struct obstack stack;
    obstack_init(&stack);
    char *first = obstack_copy0(&stack, "first", 5);
    for (int i = 0; i < 2000; i++)
        obstack_grow(&stack, "0123456789", 10);
    obstack_1grow(&stack, 0);
    printf("%d\n", (int)obstack_object_size(&stack));
    char *large = obstack_finish(&stack);
    int *numbers = obstack_alloc(&stack, 100 * sizeof(int));
    for (int i = 0; i < 100; i++)
        numbers[i] = i;
    printf("%s %zu %d\n", first, strlen(large), numbers[99]);
    obstack_free(&stack, large);
    obstack_printf(&stack, "%s-%d", "formatted", 7);
    obstack_1grow(&stack, 0);
    printf("%s %s\n", (char *)obstack_finish(&stack), first);
    obstack_free(&stack, NULL);
    return 0;
}
