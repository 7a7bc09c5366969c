//! Schedules, damaged: read or refused by name; what is read is written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use symx_trace::Schedule;

fuzz_target!(|input: &[u8]| {
    let Ok(schedule) = serde_json::from_slice::<Schedule>(input) else { return };
    std::hint::black_box((schedule.context_switches(), schedule.unfolded().take(1_000).count()));
    let text = serde_json::to_vec(&schedule).expect("plain data becomes JSON");
    assert!(serde_json::from_slice::<Schedule>(&text).expect("what was written is read") == schedule);
});
