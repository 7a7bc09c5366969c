// A library that the program does not see is not there: programs that look for one do without.
//@ outcomes: 1,1
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
    void *library = dlopen("libz.so.1", RTLD_LAZY);
    printf("%d,%d\n", library == NULL, dlerror() != NULL);
    return 0;
}
