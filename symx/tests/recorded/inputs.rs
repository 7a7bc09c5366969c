//! The answers of external calls in a native run are given again where it is reproduced and replayed.

use std::path::Path;
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = r#"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static int ways;

static void *draw(void *unused) {
    unsigned char bytes[8];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return unused;
    for (int i = 0; i < 8; i++) ways += bytes[i] & 1 ? 3 : bytes[i] & 2 ? 2 : 1;
    return unused;
}

int main(int count, char **arguments) {
    if (count != 2 || strcmp(arguments[1], "seven") != 0) return 6;
    if (getenv("COLOUR") == NULL || strcmp(getenv("COLOUR"), "red") != 0) return 7;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    for (long bits = now.tv_nsec & 0xFF; bits > 0; bits >>= 1) ways += bits & 1 ? 1 : 2;
    if (rand() != 1804289383) return 3;
    if (getpid() % 2) ways++;
    if (getuid() != 1000) ways++;
    if (geteuid() != 1000) ways += 2;
    if (getgid() != 1000) ways += 3;
    if (getegid() != 1000) ways += 4;
    char line[16], rest[16];
    int number;
    if (fgets(line, sizeof line, stdin) == NULL || line[0] != 'f') return 4;
    if (scanf("%d", &number) != 1) return 8;
    for (; number > 0; number--) ways += number & 1;
    while (!feof(stdin)) ways += getchar() == 'x' ? 1 : 2;
    if (read(-1, rest, sizeof rest) != -1 || errno != EBADF) return 5;
    pthread_t thread;
    pthread_create(&thread, NULL, draw, NULL);
    pthread_join(thread, NULL);
    abort();
}
"#;

fn symx(at: &Path, arguments: &[&str], input: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_symx"));
    command
        .args(arguments)
        .current_dir(at)
        .env("COLOUR", "red")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command.stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut pipe, input.unwrap_or_default().as_bytes()).unwrap();
    drop(pipe);
    child.wait_with_output().unwrap()
}

#[test]
fn inputs_come_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("draws.c"), PROGRAM).unwrap();
    let compile = ["-O1", "-g", "-pthread", "-emit-llvm", "-c", "draws.c", "-o", "draws.bc"];
    assert!(Command::new("clang-22").args(compile).current_dir(at).status().unwrap().success());
    assert!(symx(at, &["instrument", "draws.bc", "-o", "draws"], None).status.success());
    let recorded = symx(at, &["record", "--", "./draws", "seven"], Some("first\n3 xyz"));
    assert_eq!(recorded.status.code(), Some(128 + 6), "{recorded:?}");
    let guided = ["run", "--guide", "path.prof", "--max-time", "60", "draws.bc"];
    let found = symx(at, &guided, None);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let again = symx(at, &["replay", "draws.bc", "symx-out/schedule.json"], None);
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    // Without them the program goes another way.
    let recorded = symx(at, &["record", "--no-inputs", "--", "./draws", "seven"], Some("first\n3 xyz"));
    assert_eq!(recorded.status.code(), Some(128 + 6));
    assert_eq!(symx(at, &guided, None).status.code(), Some(3));
}

/// The number of the process is that of the recorded run, and `kill` knows it as the process's own.
#[test]
fn a_process_that_ends_itself_does_so_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let text = "#include <pthread.h>\n#include <signal.h>\n#include <unistd.h>\n\
                static int count;\nstatic void *add(void *unused) { count++; return unused; }\n\
                int main(void) {\n    pthread_t thread;\n    pthread_create(&thread, 0, add, 0);\n\
                    pthread_join(thread, 0);\n    kill(getpid(), SIGABRT);\n    return count;\n}\n";
    std::fs::write(at.join("ends.c"), text).unwrap();
    assert!(symx(at, &["instrument", "ends.c", "-o", "ends"], None).status.success());
    assert_eq!(symx(at, &["record", "--", "./ends"], None).status.code(), Some(128 + 6));
    let found = symx(at, &["run", "--guide", "path.prof", "--max-time", "60", "ends.c"], None);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let again = symx(at, &["replay", "ends.c", "symx-out/schedule.json"], None);
    assert_eq!(again.status.code(), Some(0), "{again:?}");
}

const ARGUMENT: &str = r#"#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int count;

static void *work(void *text) {
    if (atoi(text) > 3)
        count = 1;
    return NULL;
}

int main(int arguments, char **words) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, arguments > 1 ? words[1] : "0");
    pthread_join(thread, NULL);
    assert(count != 1);
    return 0;
}
"#;

#[test]
fn a_recorded_path_that_nothing_follows_has_the_place_where_it_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("p.c"), ARGUMENT).unwrap();
    let compile = ["-O0", "-g", "-pthread", "-emit-llvm", "-c", "p.c", "-o", "p.bc"];
    assert!(Command::new("clang-22").args(compile).current_dir(at).status().unwrap().success());
    assert_eq!(symx(at, &["record", "p.bc", "--", "7"], None).status.code(), Some(128 + 6));
    for engine in ["search", "both"] {
        let guided = ["run", "--guide", "path.prof", "--engine", engine, "p.bc", "--", "1"];
        let output = symx(at, &guided, None);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            told.contains("no-execution (no execution follows the recorded paths to its end; in the one")
                && told.contains("T1 work diverges from its path in `work`) at ")
                && told.contains("p.c:8"),
            "{told}"
        );
    }
}
