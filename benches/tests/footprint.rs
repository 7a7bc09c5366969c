//! The cost of live states in memory, as the system counts it.

use std::collections::VecDeque;
use symx_benches::{live_ways, machine, processor_time};
use symx_posix_explore::Way;
use symx_posix_model::Posix;

/// Resident memory of this process in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").expect("Linux tells");
    let pages: usize =
        status.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number of pages");
    pages * 4096
}

/// Resident memory without what is free, which the allocator would give back in its own time.
fn settled() -> usize {
    // SAFETY: it frees nothing that is in use, and may be called at any time.
    unsafe { libmimalloc_sys::mi_collect(true) };
    resident()
}

/// The bytes that live ways of a program add, and how many are made in a second of processor time; they stay
/// live.
fn added(program: &str, arguments: &[&str], count: usize) -> (usize, f64, VecDeque<Way<Posix>>) {
    let machine = machine(program, arguments);
    let (before, start) = (settled(), processor_time());
    let live = live_ways(&machine, count);
    let rate = count as f64 / (processor_time() - start).as_secs_f64();
    let added = settled().saturating_sub(before);
    assert_eq!(live.len(), count);
    (added, rate, live)
}

// One test: what another did at the same time would be counted, too.
#[test]
fn live_states_are_small() {
    let states = 1024;
    let (all, _, _kept) = added("pages", &[], 2 * states);
    println!("{states} states that wrote a byte of 1 MiB each: {} KiB", all >> 10);
    assert!(all < 24_000_000, "{all} bytes");

    let count = 1 << 18;
    let (all, rate, _kept) = added("forks", &["-DBITS=18"], count);
    println!("a live state of a tree of {count}: {} bytes, {rate:.0} made a second", all / count);
    assert!(all <= 400 * count, "{} bytes a live state", all / count);
}
