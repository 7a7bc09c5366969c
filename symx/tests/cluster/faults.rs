//! Workers that are killed, a coordinator that is, and limits: nothing is lost, and nothing counts twice.

use crate::comparison::{Case, essence};
use crate::server::Server;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Some thousands of executions.
const LONG: Case = Case("families/treiber.c", &["--memmodel", "tso"]);

/// Two threads that add each other's number to their own, `times` times.
pub fn sums(folder: &Path, times: u32) -> std::path::PathBuf {
    let text = format!(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n\
         static atomic_int i = 1, j = 1;\n\
         static void add(atomic_int *mine, atomic_int *other) {{\n\
             int sum = atomic_load(mine) + atomic_load(other);\n    atomic_store(mine, sum);\n}}\n\
         static void *first(void *unused) {{ for (int k = 0; k < {times}; k++) add(&i, &j); return unused; }}\n\
         static void *second(void *unused) {{ for (int k = 0; k < {times}; k++) add(&j, &i); return unused; }}\n\
         int main(void) {{\n    pthread_t one, two;\n    pthread_create(&one, NULL, first, NULL);\n\
             pthread_create(&two, NULL, second, NULL);\n    pthread_join(one, NULL);\n    pthread_join(two, NULL);\n\
             printf(\"%d %d\\n\", i, j);\n    return 0;\n}}\n"
    );
    let path = folder.join("sums.c");
    std::fs::write(&path, text).expect("a file");
    path
}

pub fn run(folder: &Path, options: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["run", "--no-explain", "--json", "report.json", "sums.c"])
        .args(options)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("symx runs")
}

/// The campaign that a run began.
pub fn campaign(run: &mut Child) -> String {
    let errors = BufReader::new(run.stderr.take().expect("it is piped"));
    let mut lines = errors.lines().map_while(Result::ok);
    let line = lines.find(|line| line.starts_with("symx: campaign ")).expect("it names its campaign");
    std::thread::spawn(move || lines.for_each(drop));
    line.trim_start_matches("symx: campaign ").to_owned()
}

pub fn finished(folder: &Path, mut run: Child) -> (i32, Value) {
    let code = run.wait().expect("it ends").code().expect("an exit code");
    let text = std::fs::read(folder.join("report.json")).expect("a report");
    (code, serde_json::from_slice(&text).expect("JSON"))
}

#[test]
fn killed_workers_change_nothing() {
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    sums(folder.path(), 3);
    let alone = finished(folder.path(), run(folder.path(), &["--jobs", "1"]));
    let mut workers = server.workers(2);
    let mut random = fastrand::Rng::with_seed(7);
    let address = server.address();
    let mut together = run(folder.path(), &["--cluster", &address, "--slice", "10ms"]);
    let _ = campaign(&mut together);
    for _ in 0..2 {
        std::thread::sleep(Duration::from_millis(random.u64(200..900)));
        workers.replace(random.usize(..2));
    }
    assert_eq!(essence(&finished(folder.path(), together)), essence(&alone));
}

#[test]
fn a_stopped_campaign_is_gone_on_with() {
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    sums(folder.path(), 4);
    let alone = finished(folder.path(), run(folder.path(), &["--jobs", "1"]));
    let address = server.address();
    // No worker explores it: the limit ends it, and the report says that.
    let mut stopped = run(folder.path(), &["--cluster", &address, "--max-time", "0.5"]);
    let id = campaign(&mut stopped);
    let (code, report) = finished(folder.path(), stopped);
    assert_eq!((code, report["incomplete"][0]["reason"].as_str()), (3, Some("max-time")), "{report}");
    let _workers = server.workers(1);
    let mut killed = run(folder.path(), &["--cluster", &address, "--attach", &id, "--slice", "10ms"]);
    std::thread::sleep(Duration::from_millis(500));
    assert!(killed.try_wait().expect("it is there").is_none(), "it has not ended yet");
    killed.kill().expect("it is there");
    killed.wait().expect("it ends");
    let attached = run(folder.path(), &["--cluster", &address, "--attach", &id, "--slice", "10ms"]);
    assert_eq!(essence(&finished(folder.path(), attached)), essence(&alone));
}

#[test]
fn a_bound_holds_for_the_whole() {
    let Some(server) = Server::start() else { return };
    let _workers = server.workers(2);
    let folder = tempfile::tempdir().expect("a folder");
    let case = Case(LONG.0, &["--max-executions", "20"]);
    let (code, report) = case.together(folder.path(), &server.address(), "5ms");
    assert_eq!(code, 3, "{report}");
    assert_eq!(report["stats"]["executions"], 20, "{report}");
    assert_eq!(report["incomplete"][0]["reason"], "max-executions", "{report}");
}
