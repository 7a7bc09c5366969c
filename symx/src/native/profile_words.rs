//! How a recorded run ended, and what its profile lacks, in words.

use symx_trace::ThreadName;
use symx_trace::profile::{ProcessEnd, Profile, ThreadProfile};

/// The events that are not in a profile though they happened.
pub fn gaps(profile: &Profile) -> Vec<String> {
    let loaded = profile.process.unrecorded.iter();
    let loaded = loaded.map(|name| {
        format!("{} is not recorded: it was loaded while the program ran", String::from_utf8_lossy(name))
    });
    let cut = profile
        .is_truncated
        .then(|| "the file is truncated: threads, or the end of a log, may be missing".into());
    thread_gaps(&profile.threads).into_iter().chain(loaded).chain(cut).collect()
}

/// The same of the records of threads.
pub fn thread_gaps(threads: &[ThreadProfile]) -> Vec<String> {
    let of = |gap: &str, has: fn(&ThreadProfile) -> bool| {
        let those = threads.iter().filter(|thread| has(thread));
        those.map(|thread| format!("{}: {gap}", ThreadName::label_of(&thread.name))).collect::<Vec<_>>()
    };
    let in_handler = "its record ends in a signal handler that did not return";
    [
        of("recording stopped early: its log was full", ThreadProfile::stopped_early),
        of("the ring buffer holds only the end of its record", |thread| thread.lost_units > 0),
        of(in_handler, |thread| thread.ends_in_handler),
    ]
    .concat()
}

/// How a recorded process ended, in words.
pub fn describe_end(end: &ProcessEnd) -> String {
    match end {
        ProcessEnd::Exited(status) => format!("exited with status {status}"),
        ProcessEnd::Signalled { signal, thread: Some(thread) } => {
            format!("signal {signal} in {}", ThreadName::label_of(thread))
        }
        ProcessEnd::Signalled { signal, thread: None } => format!("signal {signal}"),
        ProcessEnd::TimedOut => "killed at its time limit".into(),
        ProcessEnd::Unknown => "end unknown".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_distinguished() {
        let end = ProcessEnd::Signalled { signal: 11, thread: Some("0.2".into()) };
        assert_eq!(describe_end(&end), "signal 11 in T2");
        assert_eq!(describe_end(&ProcessEnd::Exited(3)), "exited with status 3");
    }
}
