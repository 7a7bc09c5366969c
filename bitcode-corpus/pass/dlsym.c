// dlsym finds the program's own functions and variables, and those of libraries that it names; dlopen what is linked in.
//@ native
//@ cflags: -rdynamic
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int shared = 7;

// Called by its name only.
int twice(int x) { return 2 * x; }

// In place of the library's, which it finds behind itself.
int atoi(const char *text) {
    int (*next)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "atoi");
    return next(text) + 100;
}

int main(void) {
    void *self = dlopen(0, RTLD_NOW);
    int (*function)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "twice");
    int *variable = dlsym(self, "shared");
    printf("%d %d\n", function ? function(4) : -1, variable ? *variable : -1);
    printf("%d\n", atoi("4"));
    void *math = dlopen("libm.so.6", RTLD_LAZY);
    double (*root)(double) = (double (*)(double))dlsym(math, "sqrt");
    printf("%g\n", root ? root(9) : -1);
    printf("%d %d\n", dlerror() == 0, dlsym(RTLD_DEFAULT, "no_such_name") == 0);
    const char *message = dlerror();
    printf("%d %d\n", message && strstr(message, "undefined symbol: no_such_name"), dlerror() == 0);
    printf("%d\n", dlopen("/no/such/library.so", RTLD_NOW) == 0);
    puts(dlerror());
    return dlclose(math) || dlclose(self);
}
