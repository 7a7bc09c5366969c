//! Ends of an exploration from outside: time, memory, Ctrl-C.

use crate::files::paths::PathFiles;
use crate::limits::memory::{KeptFree, MemoryLimit};
use crate::limits::progress::ProgressLine;
use crate::refusal::Refusal;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use symx_expr::{StopReason, StopToken};
use symx_posix_explore::{Observer, PathCase, Progress};
use symx_trace::{IncompleteReason, Nesting};

/// When work ends: at a time, if there is one, with Ctrl-C where that is listened to, and with the memory
/// given.
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

    /// With Ctrl-C, too, and however often: for a command that has processes of its own to end.
    pub fn or_asked_to_end(self) -> Self {
        Self { interrupted: Some(request_to_end(|_, _| {})), ..self }
    }

    /// And when this many MiB are taken, or as much memory as the system leaves from now on.
    pub fn or_without_memory(self, mebibytes: Option<u64>, kept: KeptFree) -> Self {
        Self { memory: Some(Arc::new(MemoryLimit::of_system(mebibytes, kept))), ..self }
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

    /// The same, but no later than another one.
    pub fn until(&self, other: &Self) -> Self {
        Self { at: self.at.into_iter().chain(other.at).min(), ..self.clone() }
    }

    /// Why to end now; none if there is no need to. Memory comes before time: what has no memory left has
    /// no time left, either.
    pub fn reason(&self) -> Option<StopReason> {
        if self.interrupted.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            Some(StopReason::Interrupted)
        } else if self.memory.as_ref().is_some_and(|memory| memory.is_exceeded()) {
            Some(StopReason::MaxMemory)
        } else {
            self.at.is_some_and(|at| Instant::now() >= at).then_some(StopReason::MaxTime)
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

    /// The end for another reason, or for want of the same memory.
    pub fn cutoff_when(&self, reason: impl Fn() -> Option<StopReason> + Send + Sync + 'static) -> StopToken {
        let token = StopToken::when(reason);
        match &self.memory {
            Some(memory) => token.with_memory(Arc::clone(memory.account())),
            None => token,
        }
    }

    /// The same for whatever takes long.
    pub fn cutoff(&self) -> StopToken {
        let deadline = self.clone();
        self.cutoff_when(move || deadline.reason())
    }
}

/// An exploration continues until then.
impl Observer for Deadline {
    fn progress(&mut self, _progress: &Progress) -> Option<IncompleteReason> {
        self.reason().map(IncompleteReason::from)
    }
}

/// Watches an exploration.
pub struct Budget {
    started: Instant,
    end: Deadline,
    line: ProgressLine,
    paths: Option<PathFiles>,
    /// When the exploration ended and began to report what it leaves open.
    ended: Option<Instant>,
    nestings: Vec<Nesting>,
}

/// Writing the inputs of open paths may take this part of the time so far: a limit stays about what it says.
const SHARE_OF_OPEN_PATHS: u32 = 10;
/// It may take no longer than this either: a user waits who has pressed Ctrl-C. The second one ends at once.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

impl Budget {
    /// A budget that starts now; memory is in MiB of the whole process, by default three quarters
    /// of what is available.
    pub fn new(max_time: Option<Duration>, max_memory: Option<u64>, line: ProgressLine) -> Self {
        let started = Instant::now();
        let end = Deadline {
            at: max_time.and_then(|limit| started.checked_add(limit)),
            interrupted: Some(interruption()),
            memory: Some(Arc::new(MemoryLimit::of_system(max_memory, KeptFree::Eighth))),
        };
        Self { started, end, line, paths: None, ended: None, nestings: Vec::new() }
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

    /// The same end for a query, and within an instruction: one may take longer than all the time there is.
    pub fn cutoff(&self) -> StopToken {
        self.end.cutoff()
    }

    /// The same end for work before the one that the time is given for: at the latest with half of the time
    /// left, so that the other has as much.
    pub fn cutoff_of_preparation(&self) -> StopToken {
        match self.left() {
            Some(left) => self.end.within(left / 2).cutoff(),
            None => self.cutoff(),
        }
    }

    /// A time, or the same Ctrl-C.
    pub fn deadline(&self, end: Option<Instant>) -> Deadline {
        Deadline { at: end, memory: None, ..self.end.clone() }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The time left, if it has an end.
    pub fn left(&self) -> Option<Duration> {
        self.end.at.map(|at| at.saturating_duration_since(Instant::now()))
    }
}

impl Observer for Budget {
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason> {
        self.line.show(progress, self.started.elapsed());
        self.end.reason().map(IncompleteReason::from)
    }

    fn nesting(&mut self, nesting: Nesting) {
        self.nestings.push(nesting);
    }

    fn wants_paths(&self) -> bool {
        self.paths.is_some()
    }

    fn wants_open_path(&mut self) -> bool {
        let ended = *self.ended.get_or_insert_with(Instant::now);
        let most = ((ended - self.started) / SHARE_OF_OPEN_PATHS).min(LONGEST_WAIT);
        self.paths.is_some() && ended.elapsed() < most
    }

    fn path(&mut self, case: PathCase) {
        if let Some(paths) = &mut self.paths {
            paths.add(&case);
        }
    }
}

/// A flag that Ctrl-C and SIGTERM set; the second one ends the process at once.
pub fn interruption() -> Arc<AtomicBool> {
    request_to_end(|signal, flag| {
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, flag);
    })
}

/// A flag that Ctrl-C and SIGTERM set. For each of these signals, `first` registers what comes before that.
fn request_to_end(first: impl Fn(c_int, Arc<AtomicBool>)) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        first(signal, Arc::clone(&flag));
        // Without a handler the signal ends the process, which is what it is for.
        let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
    }
    flag
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::memory::exceeded;

    #[test]
    fn each_limit_gives_its_reason() {
        let progress = Progress::default();
        let mut free = Budget::new(None, None, ProgressLine::silent());
        assert_eq!(free.progress(&progress), None);
        let mut short = Budget::new(Some(Duration::from_nanos(1)), None, ProgressLine::silent());
        assert_eq!(short.progress(&progress), Some(IncompleteReason::MaxTime));
        let mut small = Budget::new(None, Some(1), ProgressLine::silent());
        std::thread::sleep(Duration::from_millis(10));
        assert_eq!(small.progress(&progress), Some(IncompleteReason::MaxMemory));
        let stop = small.cutoff();
        assert_eq!(stop.ask(1), Err(StopReason::MaxMemory));
        assert_eq!(free.cutoff().ask(1 << 60), Err(StopReason::MaxMemory));
        assert_eq!(free.progress(&progress), Some(IncompleteReason::MaxMemory), "what is refused ends all");
        small.end.interrupted.as_ref().unwrap().store(true, Ordering::Relaxed);
        assert_eq!(small.progress(&progress), Some(IncompleteReason::Interrupted));
    }

    #[test]
    fn preparation_leaves_half_of_the_time() {
        let budget = Budget::new(Some(Duration::from_millis(200)), None, ProgressLine::silent());
        let stop = budget.cutoff_of_preparation();
        while !stop.is_over() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(stop.reason(), Some(StopReason::MaxTime));
        assert!(budget.elapsed() >= Duration::from_millis(100));
        assert!(Budget::new(None, None, ProgressLine::silent()).cutoff_of_preparation().reason().is_none());
    }

    #[test]
    fn a_time_beyond_all_clocks_is_no_end() {
        let budget = Budget::new(Some(Duration::MAX), None, ProgressLine::silent());
        assert_eq!((budget.end.reason(), budget.left()), (None, None));
    }

    #[test]
    fn part_of_the_time_that_too_little_memory_leaves_is_over_for_want_of_memory() {
        let memory = Some(Arc::new(exceeded()));
        let whole =
            Deadline { memory, ..Deadline::at(Instant::now().checked_add(Duration::from_secs(3600))) };
        std::thread::sleep(Duration::from_millis(10));
        let part = whole.within(whole.left() / 4 * 3);
        assert_eq!(
            (whole.reason(), part.reason()),
            (Some(StopReason::MaxMemory), Some(StopReason::MaxMemory))
        );
        assert_eq!(Deadline::at(Some(Instant::now())).reason(), Some(StopReason::MaxTime));
    }
}
