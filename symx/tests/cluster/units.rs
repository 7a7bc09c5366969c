//! Two workers have the results of one process.

use crate::comparison::{Case, essence};
use crate::server::Server;

/// Each model, symbolic values and none, failures, races, identical threads, both reductions, a bound.
const CASES: &[Case] = &[
    Case("families/fib_bench.c", &[]),
    Case("families/dekker.c", &["--memmodel", "tso", "--keep-going"]),
    Case("pass/signal_wakes_any_sleeper.c", &[]),
    Case("litmus/weak_updates.c", &["--memmodel", "weak", "--keep-going"]),
    Case("pass/symbolic_text.c", &[]),
    Case("families/readers_writers.c", &["--check", "race", "--keep-going"]),
    Case("pass/identical_threads.c", &["--symmetry"]),
    Case("fail/update_in_failing_step.c", &["--keep-going"]),
    Case("families/burns.c", &["--preemptions", "2"]),
];

#[test]
fn two_workers_come_to_what_one_process_comes_to() {
    let Some(server) = Server::start() else { return };
    let _workers = server.workers(2);
    let folder = tempfile::tempdir().expect("a folder");
    for case in CASES {
        let alone = case.alone(folder.path());
        let together = case.together(folder.path(), &server.address(), "20ms");
        assert_eq!(essence(&together), essence(&alone), "{} {:?}", case.0, case.1);
    }
}
