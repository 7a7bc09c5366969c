// strchr, strrchr, strstr, strpbrk, strspn, strcspn and strtok_r.
//@ cflags: -fno-builtin
//@ native
#include <stdio.h>
#include <string.h>

int main(void) {
    const char *text = "the cat sat on the mat";
    printf("%s|%s|%d\n", strchr(text, 'c'), strrchr(text, 't'), strchr(text, 'z') == NULL);
    printf("%s|%d\n", strstr(text, "the m"), strstr(text, "dog") == NULL);
    printf("%s|%zu|%zu\n", strpbrk(text, "xyzno"), strspn(text, "eht "), strcspn(text, "s"));
    char copy[32];
    char *rest;
    strcpy(copy, text);
    for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        printf("[%s]", word);
    printf("\n%zu %zu\n", strlen(text), strnlen(text, 5));
    return 0;
}
