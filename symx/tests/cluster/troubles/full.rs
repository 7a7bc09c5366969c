//! A server that has no room: what does not fit is refused by name, and what was counted stays.

use crate::comparison::essence;
use crate::faults::{campaign, finished, run, sums};
use crate::server::Server;
use std::process::Command;
use std::time::{Duration, Instant};
use symx_cluster::{Access, Cluster, ClusterError};

/// Fills the room that a server has, with objects of this many bytes.
fn fill(cluster: &Cluster, size: usize) {
    let mut random = fastrand::Rng::with_seed(3);
    let error = loop {
        let bytes: Vec<u8> = (0..size).map(|_| random.u8(..)).collect();
        if let Err(error) = cluster.put(&bytes) {
            break error;
        }
    };
    assert!(matches!(error, ClusterError::Full { .. }), "{error}");
}

#[test]
fn a_program_that_does_not_fit_is_refused() {
    let Some(server) = Server::with_room(100) else { return };
    let cluster = Cluster::connect(&server.address(), &Access::default()).expect("it is there");
    fill(&cluster, 1 << 10);
    let folder = tempfile::tempdir().expect("a folder");
    sums(folder.path(), 2);
    let output = Command::new(env!("CARGO_BIN_EXE_symx"))
        .args(["run", "sums.c", "--cluster", &server.address()])
        .current_dir(folder.path())
        .output()
        .expect("symx runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("the NATS server is full, and could not keep an object"), "{said}");
}

#[test]
fn a_server_that_fills_up_stops_a_campaign_that_is_gone_on_with() {
    let Some(mut server) = Server::with_room(2_000) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    sums(folder.path(), 5);
    let alone = finished(folder.path(), run(folder.path(), &["--jobs", "1"]));
    let _workers = server.workers(2);
    let address = server.address();
    let own = ["--cluster", &address, "--slice", "10ms", "--max-time", "300"];
    let mut together = run(folder.path(), &own);
    let id = campaign(&mut together);
    let cluster = Cluster::connect(&address, &Access::default()).expect("it is there");
    std::thread::sleep(Duration::from_millis(700));
    fill(&cluster, 64 << 10);
    let began = Instant::now();
    let (code, report) = finished(folder.path(), together);
    assert_eq!((code, report["incomplete"][0]["reason"].as_str()), (3, Some("server-full")), "{report}");
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    // What was counted is still known, and nothing of it counts twice.
    server.make_room(200_000);
    let attached = run(folder.path(), &[&own[..], &["--attach", &id]].concat());
    assert_eq!(essence(&finished(folder.path(), attached)), essence(&alone));
}

#[test]
fn a_full_server_has_room_when_a_campaign_is_removed() {
    let Some(server) = Server::with_room(100) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    sums(folder.path(), 3);
    let address = server.address();
    let mut waiting = run(folder.path(), &["--cluster", &address, "--max-time", "300"]);
    let id = campaign(&mut waiting);
    let cluster = Cluster::connect(&address, &Access::default()).expect("it is there");
    let began = Instant::now();
    while cluster.campaigns().expect("it answers").is_empty() && began.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(50));
    }
    // The last one is hardly more than what the campaign has.
    fill(&cluster, 64);
    let removed = Command::new(env!("CARGO_BIN_EXE_symx")).args(["cluster", "stop", &id, &address]).output();
    let removed = removed.expect("symx runs");
    assert!(removed.status.success(), "{}", String::from_utf8_lossy(&removed.stderr));
    // The process that waits for workers of it sees that, and ends.
    let (code, report) = finished(folder.path(), waiting);
    assert_eq!((code, report["incomplete"][0]["reason"].as_str()), (3, Some("interrupted")), "{report}");
    assert!(cluster.put(b"something small").is_ok());
}
