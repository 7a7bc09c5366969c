//! `symx test --cluster`: the programs of a suite are campaigns, and the results are those of one process.

use crate::server::Server;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use symx_cluster::{Access, Cluster};

/// Programs with what they are to do: one passes, one fails, one reads its own source, one asks for a search
/// that is no campaign, and one does not do what it says.
const SUITE: &[(&str, &str)] = &[
    ("ok.c", "int main(void) { return 0; }\n"),
    (
        "fail/early.c",
        "#include <assert.h>\n#include <pthread.h>\nvolatile int x;\n\
         static void *work(void *unused) { x = 1; return unused; }\n\
         int main(void) {\n    pthread_t thread;\n    pthread_create(&thread, 0, work, 0);\n    \
         assert(x == 0); //~ ERROR: assert\n    pthread_join(thread, 0);\n    return 0;\n}\n",
    ),
    (
        "own_source.c",
        "#include <assert.h>\n#include <stdio.h>\n\
         int main(void) {\n    FILE *file = fopen(__FILE__, \"r\");\n    assert(file && fgetc(file) == '#');\n    \
         fclose(file);\n    return 0;\n}\n",
    ),
    ("breadth.c", "//@ flags: --search bfs\nint main(void) { return 0; }\n"),
    ("wrong.c", "int main(void) { int *p = 0; return *p; }\n"),
];

/// Tests the suite: the exit code, and each case with what is wrong with it.
fn tested(folder: &Path, options: &[&str]) -> (Option<i32>, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_symx"));
    command.args(["test", "suite", "--json", "results.json", "--junit", "junit.xml"]).args(options);
    let status = command.current_dir(folder).output().expect("symx runs").status;
    let results = std::fs::read(folder.join("results.json")).expect("results");
    let mut results: Value = serde_json::from_slice(&results).expect("JSON");
    for case in results["cases"].as_array_mut().expect("a list") {
        case["wall_ms"] = Value::Null;
    }
    assert!(folder.join("junit.xml").exists());
    (status.code(), results)
}

#[test]
fn the_programs_of_a_suite_are_campaigns() {
    let Some(server) = Server::start() else { return };
    let (address, _workers) = (server.address(), server.workers(2));
    let place = tempfile::tempdir().expect("a folder");
    for (name, text) in SUITE {
        let path = place.path().join("suite").join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let alone = tested(place.path(), &[]);
    assert_eq!(alone.0, Some(1), "{}", alone.1);
    for more in [&[][..], &["--jobs", "2"]] {
        let together = tested(place.path(), &[&["--cluster", &address][..], more].concat());
        assert_eq!(together, alone, "{more:?}");
    }
    let cluster = Cluster::connect(&address, &Access::default()).expect("it is there");
    assert_eq!(cluster.campaigns().expect("a list").len(), 0);
    std::thread::sleep(std::time::Duration::from_secs(4));
    let units: u64 = cluster.workers().expect("a list").iter().map(|(_, worker)| worker.units).sum();
    assert!(units >= 20, "{units} units");
}
