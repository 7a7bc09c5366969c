// splice moves bytes from or to a pipe, and tee copies them from one pipe to another.
//@ native
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void show(const char *what, ssize_t done) {
    printf("%s %zd %d\n", what, done, done < 0 ? errno : 0);
}

static void show_text(const char *what, int from) {
    char found[16] = "";
    printf("%s %zd %s\n", what, read(from, found, 15), found);
}

int main(void) {
    char name[] = "/tmp/symx_splice_XXXXXX", other[] = "/tmp/symx_splice_XXXXXX";
    int from = mkstemp(name), to = mkstemp(other), one[2], two[2];
    unlink(name);
    if (write(from, "0123456789", 10) != 10 || lseek(from, 2, SEEK_SET) != 2 || pipe(one) || pipe(two))
        return 1;
    loff_t at = 7;
    show("file", splice(from, NULL, one[1], NULL, 3, 0));
    show("at", splice(from, &at, one[1], NULL, 100, 0));
    printf("%ld %ld\n", (long)lseek(from, 0, SEEK_CUR), (long)at);
    show("end", splice(from, &at, one[1], NULL, 100, 0));
    show("tee", tee(one[0], two[1], 4, 0));
    show("pipe", splice(one[0], NULL, two[1], NULL, 2, SPLICE_F_MOVE));
    show_text("two", two[0]);
    show("out", splice(one[0], NULL, to, NULL, 100, 0));
    lseek(to, 0, SEEK_SET);
    show_text("to", to);

    show("empty", splice(one[0], NULL, to, NULL, 1, SPLICE_F_NONBLOCK));
    show("files", splice(from, NULL, to, NULL, 1, 0));
    show("itself", splice(one[0], NULL, one[1], NULL, 1, 0));
    show("seek", splice(one[0], &at, to, NULL, 1, 0));
    show("seek", splice(from, NULL, one[1], &at, 1, 0));
    show("seek first", splice(one[1], &at, one[0], &at, 1, 0));
    show("mode first", splice(one[1], NULL, one[0], NULL, 1, 0));
    show("mode first", splice(one[1], NULL, to, &at, 1, 0));
    show("mode first", tee(one[1], from, 1, 0));
    show("tee", tee(from, one[1], 1, 0));
    show("closed", splice(99, NULL, one[1], NULL, 1, 0));
    show("ends", splice(one[1], NULL, to, NULL, 1, 0));
    show("flags", splice(from, NULL, one[1], NULL, 1, 16));
    show("none", splice(99, NULL, 99, NULL, 0, 16));
    show("none", tee(99, 99, 0, 16));
    int appending = open(other, O_WRONLY | O_APPEND);
    unlink(other);
    show("append", splice(one[0], NULL, appending, NULL, 1, 0));

    close(one[1]);
    show("last", splice(one[0], NULL, to, NULL, 1, 0));
    signal(SIGPIPE, SIG_IGN);
    close(two[0]);
    lseek(from, 0, SEEK_SET);
    show("broken", splice(from, NULL, two[1], NULL, 1, 0));
    return 0;
}
