//! `symx exec`: which thread goes on, how time passes, and what follows misuse.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Runs a program with these options before its name.
fn exec(options: &[&str], program: &Path) -> Output {
    let place = tempfile::tempdir().unwrap();
    Command::new(env!("CARGO_BIN_EXE_symx"))
        .arg("exec")
        .args(options)
        .arg(program)
        .current_dir(place.path())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Writes a program and runs it.
fn exec_text(options: &[&str], text: &str) -> Output {
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("program.c");
    std::fs::write(&program, text).unwrap();
    exec(options, &program)
}

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../bitcode-corpus").join(name)
}

/// Its output, if it passed.
fn written(output: &Output) -> &str {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::str::from_utf8(&output.stdout).unwrap()
}

#[test]
fn misuse_has_its_native_effect_and_is_warned_of() {
    for (name, warning) in [
        ("cond_wait_unlocked_mutex", "sync-misuse/wait-not-owner"),
        ("destroy_held_rwlock", "sync-misuse/destroy-locked"),
        ("destroy_held_spin_lock", "sync-misuse/destroy-locked"),
        ("destroy_locked_mutex", "sync-misuse/destroy-locked"),
        ("destroy_waited_semaphore", "sync-misuse/use-after-destroy"),
        ("detach_after_join", "sync-misuse/detach-joined"),
        ("detach_twice", "sync-misuse/detach-twice"),
        ("exit_holding_lock", "sync-misuse/exit-holding-lock"),
        ("init_locked_mutex", "sync-misuse/init-locked"),
        ("join_detached", "sync-misuse/join-detached"),
        ("join_twice", "sync-misuse/join-twice"),
        ("rwlock_unlock_not_held", "sync-misuse/unlock-not-owner"),
        ("spin_unlock_not_owner", "sync-misuse/unlock-not-owner"),
        ("uninitialised_mutex", "memory/uninitialised"),
        ("unlock_not_owner", "sync-misuse/unlock-not-owner"),
        ("use_destroyed_barrier", "sync-misuse/use-after-destroy"),
        ("use_destroyed_condition", "sync-misuse/use-after-destroy"),
        ("use_destroyed_mutex", "sync-misuse/use-after-destroy"),
        ("use_destroyed_rwlock", "sync-misuse/use-after-destroy"),
        ("use_destroyed_semaphore", "sync-misuse/use-after-destroy"),
        ("use_destroyed_spin_lock", "sync-misuse/use-after-destroy"),
    ] {
        let program = corpus(&format!("fail/{name}.c"));
        let output = exec(&[], &program);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(&format!("warning[{warning}]")), "{name}: {text}");
        // Two of them natively wait forever.
        let hangs = matches!(name, "cond_wait_unlocked_mutex" | "destroy_waited_semaphore");
        assert_eq!(output.status.success(), !hangs, "{name}: {text}");
        assert_eq!(text.contains("error[deadlock]"), hangs, "{name}: {text}");
        let output = exec(&["--strict"], &program);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.code() == Some(1) && text.contains(&format!("error[{warning}]")),
            "{name}: {text}"
        );
    }
}

#[test]
fn a_call_with_a_bit_field_beside_unwritten_bits_is_not_warned_of() {
    let program = "#include <stdlib.h>\n#include <stdio.h>\n\
        struct store { size_t size; struct { unsigned grows : 1; } flags; };\n\
        __attribute__((noinline)) struct store *make(unsigned grows) {\n\
        struct store *made = malloc(sizeof *made);\n    made->size = 0, made->flags.grows = !!grows;\n\
        return made;\n}\n\
        __attribute__((noinline)) void *put(struct store *in, size_t size) {\n    size_t left = in->size;\n\
        size = in->flags.grows ? size : size < left ? size : left;\n    return malloc(size + left);\n}\n\
        int main(int count, char **words) {\n    struct store *store = make(count);\n\
        free(put(store, 10));\n    puts(\"done\");\n    free(store);\n    return words == 0;\n}\n";
    let output = exec_text(&[], program);
    assert_eq!(written(&output), "done\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn who_polls_by_short_sleeps_leaves_others_their_time() {
    let program = "#include <pthread.h>\n#include <stdio.h>\n#include <time.h>\n\
        static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\nstatic int done;\n\
        static void *work(void *unused) {\n    for (int turn = 0; turn < 1000; turn++) {\n\
        pthread_mutex_lock(&mutex); done++; pthread_mutex_unlock(&mutex);\n    }\n    return unused;\n}\n\
        int main(void) {\n    pthread_t thread;\n    struct timespec moment = {0, 1000};\n    int seen;\n\
        pthread_create(&thread, NULL, work, NULL);\n    do {\n        nanosleep(&moment, NULL);\n\
        pthread_mutex_lock(&mutex); seen = done; pthread_mutex_unlock(&mutex);\n    } while (seen < 1000);\n\
        printf(\"%d\\n\", seen);\n    pthread_join(thread, NULL);\n    return 0;\n}\n";
    assert_eq!(written(&exec_text(&["--max-time", "20"], program)), "1000\n");
}

#[test]
fn who_yields_with_the_lock_free_lets_others_have_it() {
    let program = "#include <pthread.h>\n#include <sched.h>\n#include <stdio.h>\n\
        static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\nstatic int ready;\n\
        static void *work(void *unused) {\n    pthread_mutex_lock(&mutex); ready++; pthread_mutex_unlock(&mutex);\n\
        return unused;\n}\n\
        int main(void) {\n    pthread_t threads[40];\n    long rounds = 0;\n\
        for (int i = 0; i < 40; i++) pthread_create(&threads[i], NULL, work, NULL);\n\
        pthread_mutex_lock(&mutex);\n    while (ready < 40) {\n        pthread_mutex_unlock(&mutex);\n\
        sched_yield();\n        pthread_mutex_lock(&mutex);\n        rounds++;\n    }\n    pthread_mutex_unlock(&mutex);\n\
        for (int i = 0; i < 40; i++) pthread_join(threads[i], NULL);\n\
        printf(\"%d\\n\", rounds < 1000);\n    return 0;\n}\n";
    assert_eq!(written(&exec_text(&["--max-time", "20"], program)), "1\n");
}

#[test]
fn real_time_priorities_decide() {
    let program = "#define _GNU_SOURCE\n#include <pthread.h>\n#include <sched.h>\n#include <stdio.h>\n\
        static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\nstatic int child;\n\
        static void *work(void *name) {\n    child++;\n    pthread_mutex_lock(&mutex);\n\
        printf(\"%s\", (const char *)name);\n    pthread_mutex_unlock(&mutex);\n    return NULL;\n}\n\
        static pthread_t start(char *name, int priority) {\n    pthread_t thread;\n    pthread_attr_t attributes;\n\
        struct sched_param parameters = {.sched_priority = priority};\n    pthread_attr_init(&attributes);\n\
        pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);\n\
        pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);\n\
        pthread_attr_setschedparam(&attributes, &parameters);\n\
        pthread_create(&thread, &attributes, work, name);\n    return thread;\n}\n\
        int main(void) {\n    cpu_set_t set;\n    struct sched_param own = {.sched_priority = 2};\n\
        CPU_ZERO(&set);\n    CPU_SET(0, &set);\n    sched_setaffinity(0, sizeof set, &set);\n\
        pthread_setschedparam(pthread_self(), SCHED_FIFO, &own);\n    pthread_mutex_lock(&mutex);\n\
        pthread_t low = start(\"low \", 1);\n    printf(\"%d \", child);\n\
        pthread_t middle = start(\"middle \", 5);\n    printf(\"%d \", child);\n\
        pthread_t high = start(\"high \", 9);\n    printf(\"%d \", child);\n\
        pthread_mutex_unlock(&mutex);\n    pthread_join(low, NULL);\n    pthread_join(middle, NULL);\n\
        pthread_join(high, NULL);\n    printf(\"%d\\n\", child);\n    return 0;\n}\n";
    assert_eq!(written(&exec_text(&["--max-time", "20"], program)), "0 1 2 high middle low 3\n");
}

#[test]
fn a_loop_of_modelled_calls_ends_with_the_time() {
    let program = "#include <pthread.h>\nint main(void) {\n    for (volatile unsigned long round = 0;; round++)\n        \
        pthread_self();\n}\n";
    let output = exec_text(&["--max-time", "0.5"], program);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("incomplete: max-time at ") && said.contains("program.c:"), "{said}");
}

#[test]
fn a_shell_is_refused_with_what_may_stand_for_it() {
    let output = exec_text(&[], "#include <stdlib.h>\nint main(void) { return system(\"true\"); }\n");
    let said = String::from_utf8_lossy(&output.stderr);
    let wanted = "execve of another program, `/bin/sh`; the program may define `system` or `popen` itself";
    assert!(!output.status.success() && said.contains(wanted), "{said}");
}
