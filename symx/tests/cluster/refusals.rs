//! Options that do not work over a cluster are refused by name.

use crate::server::{Server, free_port};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use symx_cluster::{Access, CampaignEntry, Cluster, State};

fn refused(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.c"), "int main(void) { return 0; }\n").expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .expect("symx runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let address = format!("nats://me:secret@127.0.0.1:{}", free_port());
    for command in
        [&["worker", &address][..], &["run", "p.c", "--cluster", &address], &["cluster", "status", &address]]
    {
        let said = refused(command);
        assert!(said.contains("no NATS server answers at nats://127.0.0.1:"), "{said}");
        assert!(!said.contains("secret"), "{said}");
    }
    let said = refused(&["run", "p.c", "--cluster", "nats://:4222"]);
    assert!(said.contains("is no address of a NATS server"), "{said}");
}

#[test]
fn what_one_process_does_is_refused() {
    let Some(server) = Server::start() else { return };
    let address = server.address();
    for (options, why) in [
        (&["--search", "random"][..], "--search"),
        (&["--search", "bfs"], "--search"),
        (&["--write-paths", "paths"], "--write-paths"),
        (&["--coverage", "c.info"], "--coverage"),
        (&["--max-forks", "3"], "--max-forks"),
        (&["--jobs", "2"], "--jobs"),
        (&["--max-memory", "100"], "--max-memory"),
        (&["--attach", "none"], "no campaign `none`"),
    ] {
        let said = refused(&[&["run", "p.c", "--cluster", &address], options].concat());
        assert!(said.contains(why), "{options:?}: {said}");
    }
    let said = refused(&["cluster", "stop", "none", &address]);
    assert!(said.contains("no campaign `none`"), "{said}");
}

#[test]
fn a_server_that_wants_more_or_keeps_nothing_is_named() {
    let Some(closed) = Server::with(&["--jetstream", "--auth", "secret"]) else { return };
    let said = refused(&["run", "p.c", "--cluster", &closed.address()]);
    assert!(said.contains("no access to the NATS server at nats://127.0.0.1:"), "{said}");
    let address = closed.address().replace("//", "//secret@");
    let status = Command::new(env!("CARGO_BIN_EXE_symx")).args(["cluster", "status", &address]).output();
    assert!(status.as_ref().is_ok_and(|status| status.status.success()), "{status:?}");
    let Some(forgetful) = Server::with(&[]) else { return };
    let said = refused(&["run", "p.c", "--cluster", &forgetful.address()]);
    assert!(said.contains("has no JetStream"), "{said}");
}

#[test]
fn another_build_does_not_take_part() {
    let Some(server) = Server::start() else { return };
    let address = server.address();
    let cluster = Cluster::connect(&address, &Access::default()).expect("it is there");
    let task = cluster.put(b"no task").expect("it is kept");
    let entry = CampaignEntry {
        build: "another".into(),
        version: "0.0.7".into(),
        program: "p.c".into(),
        task,
        state: State::Running,
        executions: 0,
        open: 1,
        done: 0,
        epoch: 0,
        results: 0,
    };
    let id = cluster.begin(&entry).expect("a campaign").to_string();
    let said = refused(&["run", "p.c", "--cluster", &address, "--attach", &id]);
    assert!(said.contains("the campaign is of symx 0.0.7 (build another)"), "{said}");
    let mut worker = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["worker", &address])
        .stderr(Stdio::piped())
        .spawn()
        .expect("a worker starts");
    let mut lines = BufReader::new(worker.stderr.take().expect("it is piped")).lines();
    let said = lines.next().expect("a line").expect("text");
    worker.kill().expect("it is there");
    worker.wait().expect("it ends");
    assert!(said.contains("is of symx 0.0.7 (build another), and this worker is of build"), "{said}");
}
