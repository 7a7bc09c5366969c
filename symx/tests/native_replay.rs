//! `symx replay --native`: failures that native runs have every time, divergence, and gdb.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A program of the corpus, the schedule of its failure, and its instrumented binary.
struct Failing {
    folder: TempDir,
}

impl Failing {
    fn new(source: &str) -> Self {
        Self::of(&of_corpus(source), &["-O1"])
    }

    fn of(source: &Path, compiling: &[&str]) -> Self {
        let failing = Self { folder: tempfile::tempdir().expect("a folder") };
        let clang = Command::new("clang-22")
            .args(compiling)
            .args(["-g", "-pthread", "-emit-llvm", "-c", "-o"])
            .arg(failing.path("p.bc"))
            .arg(source)
            .status()
            .expect("clang runs");
        assert!(clang.success());
        let ran = failing.symx(&["run", "p.bc", "--quiet", "--out", "out"]);
        assert_eq!(ran.status.code(), Some(1), "{}", text(&ran));
        let built = failing.symx(&["instrument", "p.bc", "-o", "p"]);
        assert!(built.status.success(), "{}", text(&built));
        failing
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn symx(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_symx"))
            .args(arguments)
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .output()
            .expect("symx runs")
    }

    fn replay(&self, options: &[&str]) -> Output {
        self.symx(&[&["replay", "p.bc", "out/failure-1.schedule.json", "--native", "p"], options].concat())
    }
}

fn of_corpus(source: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../bitcode-corpus").join(source)
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Replays the failure of a program of the corpus twenty times.
fn twenty_times(source: &str, expected: &str) {
    is_repeated(&Failing::new(source), source, expected);
}

fn is_repeated(failing: &Failing, name: &str, expected: &str) {
    let replayed = failing.replay(&["--times", "20"]);
    let said = text(&replayed);
    assert_eq!(replayed.status.code(), Some(0), "{name}: {said}");
    assert!(said.contains("reproduced natively 20 of 20 times"), "{name}: {said}");
    assert!(said.contains(expected), "{name}: {said}");
}

/// The failing program that this text is.
fn written(text: &str) -> Failing {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("written.c");
    std::fs::write(&source, text).expect("a file");
    Failing::of(&source, &["-O1"])
}

#[test]
fn a_data_race_loses_an_update_every_time() {
    twenty_times("fail/lost_update.c", "killed by signal 6");
}

/// At -O0, with the attribute that keeps passes out and without. What the loader leaves in memory is a
/// register in the native program.
#[test]
fn variables_that_only_one_side_promotes_change_no_number() {
    let source = "fail/lost_update_of_a_step_not_always_set.c";
    for compiling in [&["-O0"][..], &["-O0", "-Xclang", "-disable-O0-optnone"]] {
        is_repeated(&Failing::of(&of_corpus(source), compiling), source, "killed by signal 6");
    }
}

#[test]
fn a_program_that_forks_is_refused() {
    let replayed = Failing::new("processes/lost_update_is_a_failure.c").replay(&[]);
    let said = text(&replayed);
    assert!(replayed.status.code() != Some(0) && said.contains("the program forks"), "{said}");
}

#[test]
fn an_atomicity_violation_is_repeated() {
    twenty_times("fail/check_then_act.c", "balance >= 0");
}

#[test]
fn an_order_violation_is_repeated() {
    twenty_times("fail/null_before_initialisation.c", "killed by signal 11");
}

#[test]
fn locks_taken_in_opposite_order_deadlock() {
    twenty_times("fail/deadlock_opposite_order.c", "deadlock: T1 ");
}

#[test]
fn a_missed_signal_is_missed_every_time() {
    twenty_times("fail/lost_wakeup.c", "the last signal came while no thread waited");
}

#[test]
fn a_signal_wakes_the_waiter_that_the_schedule_says() {
    twenty_times("fail/deadlock_signal_wakes_the_wrong_one.c", "deadlock: T1 ");
}

#[test]
fn a_barrier_is_entered_in_order() {
    twenty_times("fail/deadlock_barrier_too_few.c", "2 of 3 have arrived");
}

#[test]
fn a_futex_is_waited_at() {
    twenty_times("fail/futex_lost_wakeup.c", "deadlock");
}

/// The thread may see that no post is wanted yet. Coming to a semaphore that the program destroys is a step.
const WAITS_FOR_NO_POST: &str = "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n\
    static sem_t done;\nstatic atomic_int wanted;\n\
    static void *post(void *nothing) { if (wanted) sem_post(&done); return nothing; }\n\
    int main(void) {\n    pthread_t thread;\n    sem_init(&done, 0, 0);\n\
        pthread_create(&thread, NULL, post, NULL);\n    wanted = 1;\n    sem_wait(&done);\n\
        pthread_join(thread, NULL);\n    sem_destroy(&done);\n    return 0;\n}\n";

#[test]
fn a_semaphore_is_waited_at_that_would_be_destroyed() {
    is_repeated(&written(WAITS_FOR_NO_POST), "waits for no post", "deadlock");
}

/// As Rust's standard library makes its first key: number 0 stands for none, and is given back.
const KEY_BESIDES_ZERO: &str = "#include <assert.h>\n#include <pthread.h>\n\
    static volatile int sum;\n\
    static pthread_key_t make_key(void) {\n    pthread_key_t key, other;\n\
        pthread_key_create(&key, NULL);\n    if (key != 0) return key;\n\
        pthread_key_create(&other, NULL);\n    pthread_key_delete(key);\n    return other;\n}\n\
    static void *add(void *nothing) {\n    pthread_key_t key = make_key();\n\
        pthread_setspecific(key, &sum);\n    sum++;\n    return nothing;\n}\n\
    int main(void) {\n    pthread_t threads[2];\n\
        for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, add, NULL);\n\
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);\n    assert(sum == 2);\n    return 0;\n}\n";

#[test]
fn thread_specific_keys_have_the_numbers_of_the_schedule() {
    is_repeated(&written(KEY_BESIDES_ZERO), "key besides zero", "killed by signal 6");
}

#[test]
fn a_thread_without_a_step_does_not_begin() {
    twenty_times("fail/used_before_its_thread_begins.c", "killed by signal 6");
}

#[test]
fn a_freed_block_is_used_every_time() {
    twenty_times("fail/free_while_in_use.c", "use after free");
}

/// The thread has locked standard error before it ends in the call that throws.
#[test]
fn an_uncaught_exception_ends_every_run() {
    twenty_times("fail/cxx/uncaught_in_thread.cc", "killed by signal 6");
}

#[test]
fn gdb_stands_where_the_failure_is() {
    if Command::new("gdb").arg("--version").output().is_err() {
        return;
    }
    for (source, line) in [
        ("fail/lost_update.c", "lost_update.c:18"),
        ("fail/free_while_in_use.c", "free_while_in_use.c:9"),
        ("explained/opposite_locks.c", "opposite_locks.c:"),
    ] {
        let gdb = Failing::new(source).replay(&["--gdb", "--", "-batch", "-ex", "run", "-ex", "bt"]);
        assert!(text(&gdb).contains(line), "{source}: {}", text(&gdb));
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let failing = Failing::new("fail/lost_update.c");
    let refused = |options: &[&str], why: &str| {
        let schedule = "out/failure-1.schedule.json";
        let output = failing.symx(&[&["replay", "p.bc", schedule, "--native"], options].concat());
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains(why), "{why}: {}", text(&output));
    };
    refused(&["/bin/true"], "is not instrumented");
    refused(&["no/such/binary"], "cannot read");
    let other = Failing::new("fail/check_then_act.c");
    let path = other.path("p");
    refused(&[path.to_str().expect("a path of text")], "is of another program than the schedule");
}

/// The thread behaves otherwise than in the interpreter, since the program reads what only a native run has.
const DIVERGING: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdio.h>\n\
    static volatile int x;\n\
    static void *work(void *native) { if (!native) x = 1; return native; }\n\
    int main(void) {\n    pthread_t thread;\n    FILE *file = fopen(\"only-native\", \"r\");\n\
        pthread_create(&thread, NULL, work, file);\n    int seen = x;\n    pthread_join(thread, NULL);\n\
        assert(seen == x);\n    return 0;\n}\n";

#[test]
fn a_run_that_leaves_the_schedule_is_named() {
    let failing = written(DIVERGING);
    std::fs::write(failing.path("only-native"), "").expect("a file");
    let replayed = failing.replay(&["--patience", "2"]);
    let said = text(&replayed);
    assert_eq!(replayed.status.code(), Some(1), "{said}");
    assert!(said.contains("not reproduced natively"), "{said}");
    assert!(said.contains("T1 has ended, where the schedule has it at write"), "{said}");
}
