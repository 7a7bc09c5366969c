// A buffer whose length nobody knows is given as the longest there could be; so fortified calls do.
//@ native
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...);

int main(void) {
    char text[32];
    volatile size_t unknown = SIZE_MAX;
    printf("%d ", snprintf(text, unknown, "%s-%d", "a", 1));
    printf("%s\n", text);
    printf("%d ", __sprintf_chk(text, 1, unknown, "%*s|", 3, "b"));
    printf("%s\n", text);
    memcpy(text, "seen", 5);
    printf("%td %zu\n", (char *)memchr(text, 'e', unknown) - text, strnlen(text, unknown));
}
