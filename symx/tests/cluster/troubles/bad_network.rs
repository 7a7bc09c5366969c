//! Campaigns over a bad network: they come to what one process comes to, and they end.

use super::network::{Network, Rates};
use crate::comparison::essence;
use crate::faults::{campaign, finished, run, sums};
use crate::server::{Server, Workers};

/// Explores over a network with faults. How many there were.
fn explore(options: &[&str], times: u32, rates: Rates, seed: u64) -> usize {
    let Some(server) = Server::start() else { return usize::MAX };
    let folder = tempfile::tempdir().expect("a folder");
    sums(folder.path(), times);
    let alone = finished(folder.path(), run(folder.path(), &[options, &["--jobs", "1"]].concat()));
    let network = Network::to(server.port(), rates, seed);
    let _workers = Workers::at(network.address(), 2, 1);
    let address = network.address();
    let own = ["--cluster", &address, "--slice", "20ms", "--max-time", "300"];
    let mut together = run(folder.path(), &[options, &own].concat());
    let _ = campaign(&mut together);
    let together = essence(&finished(folder.path(), together));
    let faults = network.faults();
    println!("{options:?}, seed {seed}: {} with {faults:?}", together["counts"]);
    assert_eq!(together, essence(&alone), "{options:?}, seed {seed}: {faults:?}");
    faults.all()
}

#[test]
fn a_bad_network_changes_nothing() {
    // What is lost is missed after seconds: that is for the long test.
    let rates = Rates { cut: 300, stalled: usize::MAX, delayed: 30, lost: usize::MAX, doubled: 5 };
    let faults = explore(&[], 3, rates, 1);
    assert!(faults >= 30, "{faults}");
}

#[test]
#[ignore = "half an hour"]
fn bad_networks_of_all_kinds_change_nothing() {
    let none = usize::MAX;
    let networks = [
        Rates { cut: 60, stalled: none, delayed: 50, lost: none, doubled: none },
        Rates { cut: none, stalled: none, delayed: 50, lost: 60, doubled: none },
        Rates { cut: none, stalled: none, delayed: none, lost: none, doubled: 3 },
        Rates { cut: none, stalled: 200, delayed: 20, lost: none, doubled: none },
        Rates { cut: 100, stalled: 500, delayed: 30, lost: 100, doubled: 10 },
    ];
    let explorations: [&[&str]; 3] = [&[], &["--memmodel", "tso"], &["--check", "race", "--keep-going"]];
    for (seed, rates) in (2..).zip(networks) {
        for options in explorations {
            let faults = explore(options, 5, rates, seed);
            assert!(faults >= 30, "{rates:?} {options:?}: {faults}");
        }
    }
}
