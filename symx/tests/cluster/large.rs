//! Long tests, run by `./x cluster`: many explorations with slices of all lengths, and many kills.

use crate::comparison::{Case, essence};
use crate::faults::{campaign, finished, run, sums};
use crate::server::Server;
use std::time::Duration;

/// Explorations of the corpus: each model, without and with symbolic values, failures and races, identical
/// threads, both reductions, bounds on schedules, C++.
const CASES: &[Case] = &[
    Case("families/account.c", &[]),
    Case("families/ainc.c", &["--memmodel", "tso"]),
    Case("families/airline.c", &["--keep-going"]),
    Case("families/bakery.c", &["--memmodel", "pso", "--keep-going"]),
    Case("families/burns.c", &["--keep-going"]),
    Case("families/casw.c", &[]),
    Case("families/chase_lev.c", &["--memmodel", "tso", "--keep-going"]),
    Case("families/dekker.c", &["--memmodel", "pso", "--keep-going"]),
    Case("families/fib_bench.c", &[]),
    Case("families/fib_bench.c", &["--memmodel", "tso"]),
    Case("families/lastzero.c", &[]),
    Case("families/linuxrwlocks.c", &["--reduction", "source-sets"]),
    Case("families/mpmc_queue.c", &[]),
    Case("families/ms_queue.c", &["--memmodel", "tso"]),
    Case("families/peterson.c", &["--memmodel", "tso", "--keep-going"]),
    Case("families/readers.c", &["--check", "race", "--keep-going"]),
    Case("families/readers_writers.c", &[]),
    Case("families/sigma.c", &["--symmetry"]),
    Case("families/szymanski.c", &["--keep-going"]),
    Case("families/treiber.c", &["--memmodel", "tso"]),
    Case("families/ttas_lock.c", &["--check", "race", "--keep-going"]),
    Case("litmus/weak_updates.c", &["--memmodel", "weak", "--keep-going"]),
    Case("litmus/weak_store_buffering.c", &["--memmodel", "weak", "--keep-going"]),
    Case("litmus/iriw.c", &["--memmodel", "weak", "--keep-going"]),
    Case("pass/identical_threads.c", &["--symmetry"]),
    Case("pass/several_create_threads.c", &[]),
    Case("pass/signal_wakes_any_sleeper.c", &[]),
    Case("pass/symbolic_exit_status.c", &[]),
    Case("pass/symbolic_sort.c", &[]),
    Case("pass/symbolic_text.c", &[]),
    Case("families/szymanski.c", &["--preemptions", "2", "--keep-going"]),
    Case("families/burns.c", &["--delays", "3", "--keep-going"]),
    Case("families/ms_queue.c", &["--memmodel", "pso-v9", "--keep-going"]),
    Case("families/mpmc_queue.c", &["--memmodel", "weak", "--keep-going"]),
    Case("families/sigma.c", &["--symmetry", "--memmodel", "tso"]),
    Case("families/ticket_lock.c", &["--symmetry", "--check", "race", "--keep-going"]),
    Case("families/lastzero.c", &["--reduction", "source-sets", "--memmodel", "pso"]),
    Case("pass/identical_threads_that_read.c", &["--symmetry"]),
    Case("pass/symbolic_input_and_schedule.c", &[]),
    Case("pass/symbolic_input_and_schedule.c", &["--memmodel", "tso", "--keep-going"]),
    Case("pass/symbolic_passed_to_thread.c", &["--memmodel", "weak", "--keep-going"]),
    Case("pass/symbolic_sort.c", &["--check", "race"]),
    Case("races/fail/increments.c", &["--check", "race", "--keep-going"]),
    Case("races/fail/cxx_shared_ptr_itself.cc", &["--check", "race", "--keep-going"]),
    Case("races/classes/symbolic_output.c", &["--check", "race", "--keep-going"]),
];

#[test]
#[ignore = "some minutes"]
fn four_workers_come_to_what_one_process_comes_to_for_slices_of_all_lengths() {
    let Some(server) = Server::start() else { return };
    let _workers = server.workers(4);
    let folder = tempfile::tempdir().expect("a folder");
    let mut wrong = Vec::new();
    for case in CASES {
        let alone = essence(&case.alone(folder.path()));
        for slice in ["50ms", "500ms", "5s"] {
            let together = essence(&case.together(folder.path(), &server.address(), slice));
            println!("{} {:?}, slices of {slice}: {}", case.0, case.1, together["counts"]);
            if together != alone {
                wrong.push(format!("{} {:?}, slices of {slice}:\n{together}\n{alone}", case.0, case.1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How often something is killed in one exploration.
const KILLS: usize = 50;

/// Sums that each thread makes: an exploration takes about a minute.
const SUMS: u32 = 7;

#[test]
#[ignore = "some minutes"]
fn fifty_kills_change_nothing() {
    let Some(mut server) = Server::start() else { return };
    let explorations: [&[&str]; 5] = [
        &[],
        &["--memmodel", "tso"],
        &["--memmodel", "pso"],
        &["--reduction", "source-sets"],
        &["--check", "race", "--keep-going"],
    ];
    for (seed, options) in (1..).zip(explorations) {
        let folder = tempfile::tempdir().expect("a folder");
        sums(folder.path(), SUMS);
        let with = |more: &[&str]| run(folder.path(), &[options, more].concat());
        let alone = essence(&finished(folder.path(), with(&["--jobs", "1"])));
        let mut workers = server.workers(4);
        let mut random = fastrand::Rng::with_seed(seed);
        let address = server.address();
        let mut coordinator = with(&["--cluster", &address, "--slice", "50ms"]);
        let id = campaign(&mut coordinator);
        let mut kills = [0; 3];
        while kills.iter().sum::<usize>() < KILLS {
            std::thread::sleep(Duration::from_millis(random.u64(50..1200)));
            if coordinator.try_wait().expect("it is ours").is_some() {
                break;
            }
            let victim = [0, 0, 0, 0, 1, 2][random.usize(..6)];
            kills[victim] += 1;
            match victim {
                0 => workers.replace(random.usize(..4)),
                1 => {
                    let _ = coordinator.kill();
                    if coordinator.wait().expect("it ends").code().is_some() {
                        break;
                    }
                    let attach = ["--cluster", &address, "--attach", &id, "--slice", "50ms"];
                    coordinator = with(&attach);
                    let _ = campaign(&mut coordinator);
                }
                _ => server.restart(),
            }
        }
        let together = essence(&finished(folder.path(), coordinator));
        println!("{options:?}: {} with {kills:?} kills of workers, coordinator, server", together["counts"]);
        assert_eq!(together, alone, "{options:?}");
        assert_eq!(kills.iter().sum::<usize>(), KILLS, "{options:?}: it has ended before all were killed");
    }
}
