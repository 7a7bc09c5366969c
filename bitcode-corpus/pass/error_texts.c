// What errors and signals are called: strerror, both strerror_r, perror, %m, strsignal, error().
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <error.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char room[64];
    dup2(1, 2);
    for (int number = 0; number < 135; number++)
        printf("%d %s\n", number, strerror(number));
    printf("%s|%s\n", strerror_r(ERANGE, room, sizeof room), strerror_r(999, room, sizeof room));
    printf("%s %s %d\n", strerrorname_np(ENOENT), strerrordesc_np(EPERM), strerrorname_np(1000) == NULL);
    for (int number = 1; number < 66; number++)
        printf("%d %s\n", number, strsignal(number));
    printf("%s %s\n", sigabbrev_np(SIGSEGV), sigdescr_np(SIGTERM));
    errno = ENOTTY;
    printf("%m\n");
    fflush(stdout);
    errno = EDOM;
    perror("perror");
    program_invocation_name = "prog";
    error(0, ENOMEM, "cannot %s", "continue");
    error_at_line(0, 0, "file.c", 12, "odd");
    fprintf(stderr, "%u\n", error_message_count);
    return 0;
}
