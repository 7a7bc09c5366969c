/* The recorder's runtime outside the log: the beginning and the end of processes and threads, and signals. */

#define _GNU_SOURCE
#include "inputs.h"
#include "paths.h"
#include "system_threads.h"

struct given {
    char name[NAME_BYTES];
};

#include "thread_starts.h"

static struct sigaction program_handlers[_NSIG];

/* Destructors of the program's own keys may still run instrumented code after ours ran once, so the thread's record is
 * closed in the second round. */
static void end_thread(void *unused) {
    (void)unused;
    if (self.at.state != RECORDING) return;
    abandon_above((struct frame *)((char *)self.header + PAGE) - 1);
    if (self.rounds_of_destruction++ == 0) {
        pthread_setspecific(end_key, &self);
        return;
    }
    one_unit(ENDED);
    self.header->ended = ticks();
    stop_silently();
    forget_inputs();
    munmap(self.log, self.log_bytes);
    munmap(self.header, LOG_OFFSET);
    self.header = NULL;
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    if (self.signal_stack != MAP_FAILED) munmap(self.signal_stack, SIGNAL_STACK_BYTES);
    self.signal_stack = NULL;
}

static void give(struct given *given) {
    if (self.at.state == FRESH) make_room();
    name_child(given->name, self.name, self.children + 1);
}

static void begin_with(const struct given *given) {
    start_thread(given->name);
    disturb();
}

static void note_created(const struct given *given, pthread_t handle) {
    (void)given, (void)handle;
    self.children++;
    if (self.at.state == RECORDING) with_value(CREATED, self.children);
    disturb();
}

static void take_back(const struct given *given) { (void)given; }

int symx_recorder_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*routine)(void *),
                                 void *argument) {
    return start_pthread(system_pthread_create, handle, attributes, routine, argument);
}

int PTHREAD_CREATE(pthread_t *handle, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument) {
    return symx_recorder_pthread_create(handle, attributes, routine, argument);
}

int symx_recorder_thrd_create(thrd_t *handle, thrd_start_t routine, void *argument) {
    return start_thrd(thrd_create, handle, routine, argument);
}

/* A handler may interrupt an event half logged. So the interrupted position is put away while it runs, and what
 * it does is not recorded; the header tells that it ran. */
static void run_handler(int number, siginfo_t *details, void *context) {
    struct cursors interrupted = self.at;
    struct header *header = self.header;
    stop_silently();
    if (header != NULL) header->handlers_entered++;
    struct sigaction *action = &program_handlers[number];
    if (action->sa_flags & SA_SIGINFO) action->sa_sigaction(number, details, context);
    else action->sa_handler(number);
    if (header != NULL) header->handlers_left++;
    /* A child that the handler forked has nothing to go on with. */
    if (directory[0] != 0) self.at = interrupted;
}

/* What another process sends is no failure of the thread that happens to receive it. */
static void note_fatal_signal(int number, siginfo_t *details, void *context) {
    (void)context;
    if (self.header != NULL && (details->si_code > 0 || details->si_pid == getpid())) {
        self.header->signalled = ticks();
        self.header->signal = (uint32_t)number;
    }
    /* A fault repeats when the instruction does; SA_RESETHAND has restored the default action. */
    if (details->si_code <= 0) raise(number);
}

static const int fatal_signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

static const struct sigaction on_fatal_signal = {.sa_sigaction = note_fatal_signal,
                                                 .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER};

static int is_fatal(int number) {
    for (size_t i = 0; i < sizeof fatal_signals / sizeof *fatal_signals; i++)
        if (fatal_signals[i] == number) return 1;
    return 0;
}

/* A program sees its own handlers only. Where it has none for a fatal signal, the recorder has. */
int symx_recorder_sigaction(int number, const struct sigaction *action, struct sigaction *old) {
    if (number <= 0 || number >= _NSIG) return sigaction(number, action, old);
    struct sigaction previous = program_handlers[number], installed;
    if (action != NULL) {
        installed = *action;
        if (action->sa_handler == SIG_DFL && is_fatal(number) && directory[0] != 0) installed = on_fatal_signal;
        if (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
            program_handlers[number] = *action;
            installed.sa_sigaction = run_handler;
            installed.sa_flags |= SA_SIGINFO;
        }
    }
    int result = sigaction(number, action == NULL ? NULL : &installed, old);
    if (result == 0 && old != NULL && old->sa_sigaction == run_handler) *old = previous;
    if (result == 0 && old != NULL && old->sa_sigaction == note_fatal_signal)
        *old = (struct sigaction){.sa_handler = SIG_DFL};
    return result;
}

/* Likewise with the stack for signals: until the program has one, the recorder's is there. */
int symx_recorder_sigaltstack(const stack_t *stack, stack_t *old) {
    int result = sigaltstack(stack, old);
    if (result != 0 || self.signal_stack == NULL) return result;
    if (old != NULL && old->ss_sp == self.signal_stack) *old = (stack_t){.ss_flags = SS_DISABLE};
    if (stack != NULL && stack->ss_flags & SS_DISABLE) use_signal_stack();
    return result;
}

sighandler_t symx_recorder_signal(int number, sighandler_t handler) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
    return symx_recorder_sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* System V's: the handler is gone once it runs, and may be interrupted by the same signal. */
sighandler_t symx_recorder_sysv_signal(int number, sighandler_t handler) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND | SA_NODEFER}, old;
    return symx_recorder_sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* The handler, which is to have the signal, or SIG_HOLD, which only holds it back; tells what was so before. */
sighandler_t symx_recorder_sigset(int number, sighandler_t handler) {
    struct sigaction action = {.sa_handler = handler}, old;
    sigset_t only, before;
    if (sigemptyset(&only) != 0 || sigaddset(&only, number) != 0) return SIG_ERR;
    int is_held = handler == SIG_HOLD;
    if (symx_recorder_sigaction(number, is_held ? NULL : &action, &old) != 0) return SIG_ERR;
    if (sigprocmask(is_held ? SIG_BLOCK : SIG_UNBLOCK, &only, &before) != 0) return SIG_ERR;
    return sigismember(&before, number) ? SIG_HOLD : old.sa_handler;
}

/* The child of a fork is another process: what it does is not recorded, and it must not write on its parent's
 * pages through addresses it still holds. */
static void stop_in_child(void) {
    directory[0] = 0;
    const int own = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (self.header != NULL) mmap(self.header, LOG_OFFSET, PROT_READ | PROT_WRITE, own, -1, 0);
    if (self.log != NULL) mmap(self.log, self.log_bytes, PROT_READ | PROT_WRITE, own, -1, 0);
    forget_inputs();
    stop_silently();
}

/* Code that is loaded later has no instrumentation: its name is noted, a line each. */
static void note_unrecorded(const char *name) {
    char path[sizeof directory + 16];
    snprintf(path, sizeof path, "%s/unrecorded", directory);
    int out = open(path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
    if (out < 0) return;
    dprintf(out, "%s\n", name);
    close(out);
}

void *symx_recorder_dlopen(const char *name, int flags) {
    void *loaded = dlopen(name, flags);
    if (loaded != NULL && name != NULL && directory[0] != 0 && self.at.state == RECORDING) {
        int saved_errno = errno;
        note_unrecorded(name);
        errno = saved_errno;
    }
    return loaded;
}

/* The command line and the working directory, for when nobody is left who knows them. */
static void note_process(void) {
    char path[sizeof directory + 16], buffer[4096];
    snprintf(path, sizeof path, "%s/process", directory);
    int out = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (out < 0) return;
    if (getcwd(buffer, sizeof buffer) == NULL) buffer[0] = 0;
    ssize_t length = (ssize_t)strlen(buffer) + 1;
    int in = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    while (length > 0 && write(out, buffer, (size_t)length) == length)
        length = in < 0 ? 0 : read(in, buffer, sizeof buffer);
    if (in >= 0) close(in);
    close(out);
}

static void start_process(void) {
    if (process_started) return;
    process_started = 1;
    /* Whoever runs a program with more rights than his own does not say where it writes. */
    const char *wanted = secure_getenv("SYMX_RECORD_DIR");
    if (wanted != NULL && wanted[0] == '/' && strlen(wanted) < sizeof directory) strcpy(directory, wanted);
    /* The last so many MiB of each thread's log. */
    const char *ring = secure_getenv("SYMX_RECORD_RING");
    if (ring != NULL) {
        unsigned long windows = (strtoul(ring, NULL, 10) << 20) / WINDOW_BYTES;
        ring_windows = windows > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)windows;
    }
    start_noise();
    inputs_are_off = secure_getenv("SYMX_RECORD_NO_INPUTS") != NULL;
    note_inherited_pipes();
    if (secure_getenv("SYMX_RECORD_SYNC") != NULL) map_sequence();
    make_end_key(end_thread);
    start_thread("0");
    if (self.at.state != RECORDING) {
        directory[0] = 0;
        return;
    }
    note_process();
    pthread_atfork(NULL, NULL, stop_in_child);
    for (size_t i = 0; i < sizeof fatal_signals / sizeof *fatal_signals; i++)
        sigaction(fatal_signals[i], &on_fatal_signal, NULL);
}

__attribute__((constructor(101))) static void start_before_main(void) { start_process(); }
