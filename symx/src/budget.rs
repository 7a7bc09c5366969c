//! What ends an exploration from outside: time, memory, Ctrl-C.

use crate::memory_limit::MemoryLimit;
use crate::path_files::PathFiles;
use crate::progress::ProgressLine;
use crate::refusal::Refusal;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use symx_checkers::synthesis::Interrupt;
use symx_expr::solver::Cutoff;
use symx_interp::explore::{Observer, PathCase, Progress};
use symx_trace::Nesting;

/// How often the process's memory is looked at; reading it costs a system call.
const MEMORY_LOOK: Duration = Duration::from_millis(50);

/// When looking for more ends: at a time, if there is one, and with Ctrl-C where that is listened to.
#[derive(Clone, Debug, Default)]
pub struct Deadline {
    at: Option<Instant>,
    interrupted: Option<Arc<AtomicBool>>,
    memory: Option<Arc<MemoryLimit>>,
}

impl Deadline {
    /// At a time, or never.
    pub fn at(end: Option<Instant>) -> Self {
        Self { at: end, ..Self::default() }
    }

    /// With Ctrl-C, too; the second one ends the process at once.
    pub fn or_interrupted(self) -> Self {
        Self { interrupted: Some(interruption()), ..self }
    }

    /// And when as much memory is taken as the system leaves from now on.
    pub fn or_without_memory(self) -> Self {
        Self { memory: Some(Arc::new(MemoryLimit::of_system())), ..self }
    }

    /// The same, but at the latest in so much time.
    pub fn within(&self, time: Duration) -> Self {
        let end = Instant::now().checked_add(time);
        Self { at: self.at.into_iter().chain(end).min(), ..self.clone() }
    }

    /// In so much time from now, or with the same Ctrl-C.
    pub fn renewed(&self, time: Duration) -> Self {
        Self { at: Instant::now().checked_add(time), ..self.clone() }
    }

    /// Why to end now; none if there is no need to. Memory comes before time: what has no memory left has no time left, either.
    pub fn reason(&self) -> Option<&'static str> {
        if self.interrupted.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            Some("interrupted")
        } else if self.memory.as_ref().is_some_and(|memory| memory.is_exceeded()) {
            Some("max-memory")
        } else {
            self.at.is_some_and(|at| Instant::now() >= at).then_some("max-time")
        }
    }

    /// How much more memory may be taken, in MiB, if address space is limited.
    pub fn mebibytes_left(&self) -> Option<u32> {
        self.memory.as_ref()?.mebibytes_left()
    }

    /// Whether to end now.
    pub fn is_over(&self) -> bool {
        self.reason().is_some()
    }

    /// The time left.
    pub fn left(&self) -> Duration {
        match self.is_over() {
            true => Duration::ZERO,
            false => self.at.map_or(Duration::MAX, |at| at.saturating_duration_since(Instant::now())),
        }
    }

    /// The same for queries, and executions tried.
    pub fn cutoff(&self) -> Cutoff {
        let deadline = self.clone();
        Cutoff::when(move || deadline.reason())
    }

    /// The same for engines.
    pub fn interrupt(&self) -> Interrupt {
        let deadline = self.clone();
        Interrupt::when(move || deadline.is_over())
    }
}

/// An exploration goes on until then.
impl Observer for Deadline {
    fn progress(&mut self, _progress: &Progress) -> Option<&'static str> {
        self.reason()
    }
}

/// Watches an exploration.
pub struct Budget {
    started: Instant,
    max_time: Option<Duration>,
    max_memory_kib: Option<u64>,
    interrupted: Arc<AtomicBool>,
    looked_at_memory: Instant,
    line: ProgressLine,
    paths: Option<PathFiles>,
    nestings: Vec<Nesting>,
}

impl Budget {
    /// A budget that starts now; memory is in MiB of the whole process, by default three quarters of what is available.
    pub fn new(max_time: Option<Duration>, max_memory: Option<u64>, line: ProgressLine) -> Self {
        let now = Instant::now();
        Self {
            started: now,
            max_time,
            max_memory_kib: max_memory.map_or_else(most_memory_kib, |mib| Some(mib.saturating_mul(1024))),
            interrupted: interruption(),
            looked_at_memory: now,
            line,
            paths: None,
            nestings: Vec::new(),
        }
    }

    /// Has a test case of each path written.
    pub fn write_paths(&mut self, files: PathFiles) {
        self.paths = Some(files);
    }

    /// Locks taken while others were held.
    pub fn nestings(&self) -> &[Nesting] {
        &self.nestings
    }

    /// Takes the progress line away. An error says that test cases could not be written.
    pub fn finish(self) -> Result<(), Refusal> {
        self.paths.map_or(Ok(()), PathFiles::finish)
    }

    /// The same end for a query: one may take longer than all the time there is.
    pub fn cutoff(&self) -> Cutoff {
        let (started, max_time, interrupted) = (self.started, self.max_time, Arc::clone(&self.interrupted));
        Cutoff::when(move || ended(started, max_time, &interrupted))
    }

    /// A time, or the same Ctrl-C.
    pub fn deadline(&self, end: Option<Instant>) -> Deadline {
        Deadline { at: end, interrupted: Some(Arc::clone(&self.interrupted)), memory: None }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The time left, if it has an end.
    pub fn left(&self) -> Option<Duration> {
        self.max_time.map(|limit| limit.saturating_sub(self.elapsed()))
    }

    fn memory_exceeded(&mut self) -> bool {
        let Some(limit) = self.max_memory_kib else { return false };
        if self.looked_at_memory.elapsed() < MEMORY_LOOK {
            return false;
        }
        self.looked_at_memory = Instant::now();
        process_status("VmRSS:").is_some_and(|kib| kib > limit)
    }
}

impl Observer for Budget {
    fn progress(&mut self, progress: &Progress) -> Option<&'static str> {
        self.line.show(progress, self.started.elapsed());
        ended(self.started, self.max_time, &self.interrupted)
            .or_else(|| self.memory_exceeded().then_some("max-memory"))
    }

    fn nesting(&mut self, nesting: Nesting) {
        self.nestings.push(nesting);
    }

    fn wants_paths(&self) -> bool {
        self.paths.is_some()
    }

    fn path(&mut self, case: PathCase) {
        if let Some(paths) = &mut self.paths {
            paths.add(&case);
        }
    }
}

/// Why to end now, were there memory without end.
fn ended(started: Instant, max_time: Option<Duration>, interrupted: &AtomicBool) -> Option<&'static str> {
    if interrupted.load(Ordering::Relaxed) {
        Some("interrupted")
    } else if max_time.is_some_and(|limit| started.elapsed() >= limit) {
        Some("max-time")
    } else {
        None
    }
}

/// A flag that Ctrl-C and SIGTERM set; the second one ends the process at once.
fn interruption() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Without a handler the signal ends the process, which is what it is for.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&flag))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&flag)));
    }
    flag
}

/// Peak resident memory of this process in KiB; 0 where the system does not say.
pub fn peak_memory_kib() -> u64 {
    process_status("VmHWM:").unwrap_or(0)
}

/// What a run takes without a bound of its own, in KiB: it should end before the system has to end it.
fn most_memory_kib() -> Option<u64> {
    number_in("/proc/meminfo", "MemAvailable:").map(|kib| kib / 4 * 3)
}

fn process_status(field: &str) -> Option<u64> {
    number_in("/proc/self/status", field)
}

/// The number behind `field` in one of the system's files.
pub fn number_in(file: &str, field: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_gives_its_reason() {
        let progress = Progress::default();
        let mut free = Budget::new(None, None, ProgressLine::silent());
        assert_eq!(free.progress(&progress), None);
        let mut short = Budget::new(Some(Duration::from_nanos(1)), None, ProgressLine::silent());
        assert_eq!(short.progress(&progress), Some("max-time"));
        let mut small = Budget::new(None, Some(1), ProgressLine::silent());
        small.looked_at_memory = Instant::now() - MEMORY_LOOK;
        assert_eq!(small.progress(&progress), Some("max-memory"));
        small.interrupted.store(true, Ordering::Relaxed);
        assert_eq!(small.progress(&progress), Some("interrupted"));
    }

    #[test]
    fn part_of_the_time_that_too_little_memory_leaves_is_over_for_want_of_memory() {
        let memory = Some(Arc::new(MemoryLimit::of(None, Some(1))));
        let whole =
            Deadline { memory, ..Deadline::at(Instant::now().checked_add(Duration::from_secs(3600))) };
        std::thread::sleep(2 * MEMORY_LOOK);
        let part = whole.within(whole.left() / 4 * 3);
        assert_eq!((whole.reason(), part.reason()), (Some("max-memory"), Some("max-memory")));
        assert_eq!(Deadline::at(Some(Instant::now())).reason(), Some("max-time"));
    }

    #[test]
    fn the_peak_is_known() {
        assert!(peak_memory_kib() > 100);
    }
}
