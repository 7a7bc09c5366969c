//! What `symx.toml` adds to a command line holds for workers, too.

use crate::comparison::{essence, report};
use crate::server::Server;
use std::process::Command;

/// Store buffering: both reads return 0 under TSO only.
const PROGRAM: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
    static atomic_int x, y;\nstatic int a, b;\n\
    static void *f(void *u) {\n    atomic_store_explicit(&x, 1, memory_order_relaxed);\n\
        a = atomic_load_explicit(&y, memory_order_relaxed);\n    return u;\n}\n\
    int main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, f, 0);\n\
        atomic_store_explicit(&y, 1, memory_order_relaxed);\n\
        b = atomic_load_explicit(&x, memory_order_relaxed);\n\
        pthread_join(t, 0);\n    assert(a || b);\n    return 0;\n}\n";

#[test]
fn settings_of_a_project_hold_for_workers() {
    let Some(server) = Server::start() else { return };
    let _workers = server.workers(2);
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write("symx.toml", "[explore]\nmemory-model = \"tso\"\njobs = 1\n");
    write("sb.c", PROGRAM);
    let run = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_symx"));
        command.args(["run", "--quiet", "--no-explain", "--keep-going", "--json", "-", "sb.c"]).args(more);
        report(&command.current_dir(folder.path()).output().expect("symx runs"))
    };
    let alone = run(&[]);
    assert_eq!(alone.0, 1, "the settings say tso: {}", alone.1);
    assert_eq!(essence(&run(&["--cluster", &server.address()])), essence(&alone));
}
