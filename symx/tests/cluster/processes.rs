//! Processes, and for how long processors executed them: on a shared machine that says more than the clock.

use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// For how long processors have executed a process and those of its children that it has waited for. That is
/// still known of one that has ended and has not been waited for.
pub fn processor_time(process: u32) -> Duration {
    let ticks: u64 =
        fields(process)[11..15].iter().map(|field| field.parse::<u64>().expect("a number")).sum();
    Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// The fields that the system reports of a process from its state on.
fn fields(process: u32) -> Vec<String> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("it is there");
    // Its name is in parentheses, and may have spaces and parentheses in it.
    let (_, rest) = text.rsplit_once(") ").expect("a name");
    rest.split(' ').map(str::to_owned).collect()
}

/// Waits for a process: how it ends, for how long processors executed it, and how long it took from here.
pub fn end_of(mut process: Child) -> (ExitStatus, Duration, Duration) {
    let began = Instant::now();
    while fields(process.id())[0] != "Z" {
        std::thread::sleep(Duration::from_millis(5));
    }
    let (passed, executed) = (began.elapsed(), processor_time(process.id()));
    (process.wait().expect("it ends"), executed, passed)
}

/// How many processes wanted a processor in the last minute.
pub fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").expect("a file");
    text.split(' ').next().and_then(|load| load.parse().ok()).expect("a number")
}
