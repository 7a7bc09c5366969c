// dlopen with RTLD_NOLOAD asks whether a library is loaded.
//@ native
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
    void *none = dlopen("libsymx-none.so.9", RTLD_LAZY | RTLD_NOLOAD);
    const char *error = dlerror();
    printf("%d %s\n", none == NULL, error ? error : "no error");
    printf("%d\n", dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD) != NULL);
    printf("%d\n", dlopen("libsymx-none.so.9", RTLD_NOLOAD) == NULL && dlerror() != NULL);
    return 0;
}
