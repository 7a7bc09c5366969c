// What _FORTIFY_SOURCE makes of ordinary calls.
//@ native
//@ cflags: -O2 -D_FORTIFY_SOURCE=2
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

int main(int count, char **words) {
    char room[64];
    wchar_t wide[16];
    size_t length = strlen(words[0]) > 0 ? 5 : count;
    memcpy(room, "hello world", length + 1);
    memset(room + length, 0, 1);
    strcat(strcpy(room + 20, room), "!");
    strncpy(room + 40, room, length);
    snprintf(room + 50, 10, "%d", count);
    sprintf(room + 30, "%s", room);
    printf("%s %s %.5s %s %s\n", room, room + 20, room + 40, room + 50, room + 30);
    fprintf(stdout, "%d\n", (int)length);
    memmove(room + 1, room, length);
    wmemcpy(wide, L"wide", length);
    printf("%.6s %ls\n", room, wide);
    int ends[2];
    struct pollfd wait = {.events = POLLIN};
    if (pipe(ends) == 0) {
        wait.fd = ends[0];
        write(ends[1], "x", 1);
        printf("%d %zd\n", poll(&wait, count > 0, 0), read(ends[0], room, length));
    }
    char *text;
    printf("%d\n", asprintf(&text, "%s", "grown"));
    free(text);
    swprintf(wide, 16, L"%d", 9);
    printf("%ls %d\n", wide, getcwd(room, sizeof room) != NULL || 1);
    return 0;
}
