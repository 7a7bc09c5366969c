//! A worker that stands still for longer than its unit is kept for it.

use crate::comparison::essence;
use crate::faults::{campaign, finished, run, sums};
use crate::server::Server;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::process::Child;
use std::time::{Duration, Instant};
use symx_cluster::{Access, CampaignId, Cluster};

/// More than it takes on a machine with other work.
const LONG: Duration = Duration::from_secs(60);

fn signal(process: &Child, signal: Signal) {
    kill_process(Pid::from_child(process), signal).expect("it is there");
}

#[test]
#[ignore = "a minute"]
fn a_worker_that_stood_still_counts_its_unit_once() {
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    sums(folder.path(), 5);
    let alone = finished(folder.path(), run(folder.path(), &["--jobs", "1"]));
    let mut workers = server.workers(1);
    let address = server.address();
    let mut together = run(folder.path(), &["--cluster", &address, "--slice", "100ms", "--max-time", "300"]);
    let id = campaign(&mut together);
    let id = CampaignId::named(&id).expect("a name");
    let cluster = Cluster::connect(&address, &Access::default()).expect("it is there");
    let (queue, mut traffic) =
        (cluster.queue(&id).expect("it is there"), cluster.traffic().expect("it listens"));
    // It stops in the middle of a unit.
    loop {
        std::thread::sleep(Duration::from_millis(20));
        signal(&workers.processes[0], Signal::STOP);
        if queue.waiting().expect("it answers").taken > 0 {
            break;
        }
        signal(&workers.processes[0], Signal::CONT);
    }
    workers.join();
    let mut handed_in = BTreeMap::<String, usize>::new();
    let mut listen_until = |is_enough: &dyn Fn(&BTreeMap<String, usize>) -> bool| {
        let before = handed_in.clone();
        let began = Instant::now();
        while (handed_in == before || !is_enough(&handed_in)) && began.elapsed() < LONG {
            if let Some(passed) = traffic.next(Duration::from_millis(50)).expect("it answers")
                && passed.effort.is_some()
            {
                *handed_in.entry(passed.unit).or_default() += 1;
            }
        }
        is_enough(&handed_in)
    };
    // A unit is given to another worker after four seconds.
    std::thread::sleep(Duration::from_secs(6));
    assert!(listen_until(&|handed_in| !handed_in.is_empty()), "the other worker explores");
    signal(&workers.processes[0], Signal::CONT);
    assert!(
        listen_until(&|handed_in| handed_in.values().any(|times| *times > 1)),
        "both workers hand the unit in"
    );
    assert_eq!(essence(&finished(folder.path(), together)), essence(&alone));
}
