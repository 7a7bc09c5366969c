// A stack for handlers can be set, asked for and taken away; a handler that runs on it is told so, another is not.
//@ outcomes: 1,1,1,1,1
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int flags = -1, refused;

static void handler(int number) {
    stack_t now, none = {.ss_flags = SS_DISABLE};
    (void)number;
    sigaltstack(NULL, &now);
    flags = now.ss_flags;
    refused = sigaltstack(&none, NULL) == -1 && errno == EPERM;
}

int main(void) {
    size_t size = sysconf(_SC_SIGSTKSZ) < 16384 ? 16384 : sysconf(_SC_SIGSTKSZ);
    stack_t stack = {.ss_sp = malloc(size), .ss_size = size}, now, bad = {.ss_flags = 99}, small = {.ss_size = 1};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    printf("%d", sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_DISABLE);
    printf(",%d", sigaltstack(&bad, NULL) == -1 && errno == EINVAL && sigaltstack(&small, NULL) == -1 && errno == ENOMEM);
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    printf(",%d", flags == SS_ONSTACK && refused);
    action.sa_flags = 0;
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    printf(",%d", flags == 0 && !refused);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
    sigaltstack(NULL, &now);
    printf(",%d\n", now.ss_flags == SS_DISABLE);
    return 0;
}
