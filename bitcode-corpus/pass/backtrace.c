// A program that lists its callers for a message, or asks which object a function is of, finds none.
//@ outcomes: 0,1,0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    void *callers[4];
    int count = backtrace(callers, 4);
    char **names = backtrace_symbols(callers, count);
    backtrace_symbols_fd(callers, count, 1);
    Dl_info info;
    printf("%d,%d,%d\n", count, names != NULL, dladdr((void *)main, &info));
    free(names);
    return 0;
}
