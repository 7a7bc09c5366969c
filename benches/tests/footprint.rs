//! What live states cost in memory, as the system counts it.

use symx_benches::{live_ways, machine};

/// Resident memory of this process in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").expect("Linux tells");
    let pages: usize =
        status.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number of pages");
    pages * 4096
}

/// Bytes that `count` live ways of a program add, in all.
fn added(program: &str, arguments: &[&str], count: usize) -> usize {
    let machine = machine(program, arguments);
    drop(live_ways(&machine, 4));
    let before = resident();
    let live = live_ways(&machine, count);
    let added = resident().saturating_sub(before);
    assert_eq!(live.len(), count);
    added
}

// One test: what another did at the same time would be counted, too.
#[test]
fn live_states_are_small() {
    let count = 1 << 18;
    let each = added("forks", &["-DBITS=18"], count) / count;
    println!("a live state of a tree of {count}: {each} bytes");
    assert!(each <= 400, "{each} bytes a live state");

    let states = 1024;
    let all = added("pages", &[], 2 * states);
    println!("{states} states that wrote a byte of 1 MiB each: {} KiB", all >> 10);
    assert!(all < 24_000_000, "{all} bytes");
}
