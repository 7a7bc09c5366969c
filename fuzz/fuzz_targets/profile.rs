//! Recorded paths, damaged: a file is read or refused by name, a thread's log is decoded or refused by name.
#![no_main]

use libfuzzer_sys::fuzz_target;
use symx_trace::profile::{Profile, ThreadProfile};

fuzz_target!(|input: &[u8]| {
    if let Ok(profile) = Profile::read(input) {
        for thread in &profile.threads {
            let _ = thread.decode();
        }
    }
    // Checksums keep damage away from the log inside a file: here it is, bare.
    let units = input.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
    let thread = ThreadProfile {
        name: "0".into(),
        started: 0,
        ended: None,
        signal: None,
        signal_handlers: 0,
        ends_in_handler: false,
        open: Vec::new(),
        lost_units: 0,
        inputs: Vec::new(),
        is_cut: false,
        units,
    };
    if let Ok(tree) = thread.decode() {
        for root in tree.roots() {
            std::hint::black_box(tree.activation(*root));
        }
    }
});
