/* `main` of native runs: PROGRAM RUNS SEED SECONDS. Each run is a process of its own, many at once. A line for each: its status and
 * what it wrote, as hexadecimal digits. One that does not end says `hang`. */
int main(int argc, char **argv) {
    enum { MOST = 64 };
    int which = atoi(argv[1]), runs = atoi(argv[2]), first = atoi(argv[3]), seconds = atoi(argv[4]);
    (void)argc;
    for (int done = 0; done < runs; done += MOST) {
        int count = runs - done < MOST ? runs - done : MOST, ends[MOST];
        pid_t children[MOST];
        for (int run = 0; run < count; run++) {
            int ways[2];
            if (pipe(ways)) return 1;
            children[run] = fork();
            if (children[run] == 0) {
                dup2(ways[1], 1);
                close(ways[0]);
                seed_of_run = (unsigned)(first + done + run + 1);
                alarm((unsigned)seconds);
                programs[which]();
                exit(0);
            }
            close(ways[1]);
            ends[run] = ways[0];
        }
        for (int run = 0; run < count; run++) {
            unsigned char bytes[256];
            ssize_t length = 0, more;
            while ((more = read(ends[run], bytes + length, sizeof bytes - (size_t)length)) > 0) length += more;
            int status;
            close(ends[run]);
            waitpid(children[run], &status, 0);
            if (WIFEXITED(status)) printf("%d ", WEXITSTATUS(status));
            else printf(WTERMSIG(status) == SIGALRM ? "hang " : "killed%d ", WTERMSIG(status));
            for (ssize_t i = 0; i < length; i++) printf("%02x", bytes[i]);
            printf("\n");
        }
    }
    return 0;
}
