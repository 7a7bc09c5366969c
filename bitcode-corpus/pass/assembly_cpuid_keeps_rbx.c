// cpuid with rbx copied away and exchanged back, as code writes it that may not change rbx.
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned a = 0, b, c = 0, d;
    unsigned long kept;
    __asm__ __volatile__("mov %%rbx, %q1\n\tcpuid\n\txchg %%rbx, %q1" : "=a"(a), "=&r"(kept), "=c"(c), "=d"(d) : "0"(0), "2"(0));
    b = (unsigned)kept;
    char name[13] = "";
    memcpy(name, &b, 4);
    memcpy(name + 4, &d, 4);
    memcpy(name + 8, &c, 4);
    printf("%s\n", name);
    assert(!strcmp(name, "Symx86-6Base"));
    return 0;
}
