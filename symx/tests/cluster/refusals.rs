//! What does not work over a cluster is refused by name.

use crate::server::{Server, free_port};
use std::process::Command;

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
    let said = refused(&["run", "p.c", "--cluster", "nats://"]);
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
        (&["--mount", "."], "--mount"),
        (&["--attach", "none"], "no campaign `none`"),
        (&["--", "p.c"], "`p.c` names a file"),
    ] {
        let said = refused(&[&["run", "p.c", "--cluster", &address], options].concat());
        assert!(said.contains(why), "{options:?}: {said}");
    }
    let said = refused(&["cluster", "stop", "none", &address]);
    assert!(said.contains("no campaign `none`"), "{said}");
}
