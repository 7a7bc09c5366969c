// setenv, getenv, unsetenv, and a variable that is not set.
//@ native
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    printf("%d\n", getenv("SYMX_CORPUS_UNSET") == NULL);
    setenv("SYMX_CORPUS", "one", 1);
    setenv("SYMX_CORPUS", "two", 0);
    printf("%s\n", getenv("SYMX_CORPUS"));
    setenv("SYMX_CORPUS", "three", 1);
    printf("%s\n", getenv("SYMX_CORPUS"));
    unsetenv("SYMX_CORPUS");
    printf("%d\n", getenv("SYMX_CORPUS") == NULL);
    return 0;
}
