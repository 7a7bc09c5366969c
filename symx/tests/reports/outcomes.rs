//! Reports state the outcome of a call that has not had its effect.

use super::{failing_steps, symx};
use std::path::Path;

/// The story of a failure, the explanation of its first schedule, and the outcomes of the failing steps.
fn told(folder: &Path, file: &str) -> (String, String, Vec<String>) {
    let story = String::from_utf8(symx(folder, &["run", file]).stdout).unwrap();
    let explain = symx(folder, &["explain", file, "symx-out/failure-1.schedule.json"]);
    let outcomes =
        failing_steps(folder).into_iter().filter_map(|step| Some(step["outcome"].as_str()?.into()));
    (story, String::from_utf8(explain.stdout).unwrap(), outcomes.collect())
}

#[test]
fn a_lock_that_timed_out_is_no_lock() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("bitcode-corpus/fail");
    std::fs::copy(corpus.join("lock_timed_out_while_held.c"), folder.path().join("timed.c")).unwrap();
    let (story, explained, outcomes) = told(folder.path(), "timed.c");
    assert!(story.contains("14 lock mutex: timed out"), "{story}");
    assert!(story.contains("T1 times out while locking mutex (timed.c:14), before"), "{story}");
    assert!(!story.contains("T1 locks mutex") && !story.contains("T1 add locks mutex"), "{story}");
    assert!(explained.contains("pthread_mutex_timedlock(mutex): timed out"), "{explained}");
    assert_eq!(outcomes, ["timed_out"]);
}

/// Adds if the mutex is free at once.
const TRIES: &str = "#include <assert.h>\n#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
    static int x;\nstatic void *add(void *unused) {\n    if (pthread_mutex_trylock(&m) == 0) {\n        x++;\n\
    pthread_mutex_unlock(&m);\n    }\n    return unused;\n}\nint main(void) {\n    pthread_t other;\n\
    pthread_create(&other, 0, add, 0);\n    pthread_mutex_lock(&m);\n    x++;\n    pthread_mutex_unlock(&m);\n\
    pthread_join(other, 0);\n    assert(x == 2);\n    return 0;\n}\n";

#[test]
fn a_lock_that_is_held_is_not_taken_by_a_try() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tries.c"), TRIES).unwrap();
    let (story, _, outcomes) = told(folder.path(), "tries.c");
    assert!(story.contains("6 try to lock m: busy"), "{story}");
    assert!(story.contains("T1 finds m locked (tries.c:6), before"), "{story}");
    assert_eq!(outcomes, ["busy"]);
}

/// Looks for bytes in a pipe for some time.
const POLLS: &str = "#include <assert.h>\n#include <poll.h>\n#include <pthread.h>\n#include <unistd.h>\n\
    static int ends[2], seen;\nstatic void *look(void *unused) {\n    struct pollfd in = {ends[0], POLLIN, 0};\n\
    seen = poll(&in, 1, 10);\n    return unused;\n}\nint main(void) {\n    pthread_t looks;\n    pipe(ends);\n\
    pthread_create(&looks, 0, look, 0);\n    write(ends[1], \"a\", 1);\n    pthread_join(looks, 0);\n\
    assert(seen == 1);\n    return 0;\n}\n";

#[test]
fn poll_says_that_its_time_was_up() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("polls.c"), POLLS).unwrap();
    let (story, _, outcomes) = told(folder.path(), "polls.c");
    assert!(story.contains("8 poll(): timed out"), "{story}");
    assert_eq!(outcomes, ["timed_out"]);
}
