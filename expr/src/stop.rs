//! The end of work from outside: one token for time, memory and interruption.
//!
//! This crate reads no clock and no process size: the maker of a token says how to measure.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Why work is to end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StopReason {
    /// The time given has passed.
    MaxTime,
    /// The memory given is taken.
    MaxMemory,
    /// An interruption: Ctrl-C, SIGTERM, or a caller that needs no answer any more.
    Interrupted,
}

impl StopReason {
    /// The contract's word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::MaxTime => "max-time",
            Self::MaxMemory => "max-memory",
            Self::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

/// Says whether work is to end now, and why.
type Reason = dyn Fn() -> Option<StopReason> + Send + Sync;

/// Ends all work that has a clone of it. By default nothing does.
///
/// Work that may take long, or much memory at once, proceeds in pieces and asks before each.
#[derive(Clone, Default)]
pub struct StopToken(Option<Arc<Source>>);

struct Source {
    reason: Box<Reason>,
    memory: Option<Arc<MemoryAccount>>,
}

/// Ends some work, whose [token](StopToken) it made, before all work ends.
#[derive(Clone, Debug)]
pub struct Canceller(Arc<AtomicBool>);

impl Canceller {
    /// Ends it: the work need not be finished.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl StopToken {
    /// Work ends as soon as there is a reason. It is asked often, and by several threads.
    pub fn when(reason: impl Fn() -> Option<StopReason> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(Source { reason: Box::new(reason), memory: None })))
    }

    /// The same, and memory is asked for there.
    pub fn with_memory(self, memory: Arc<MemoryAccount>) -> Self {
        let outer = self.clone();
        let reason = move || outer.reason();
        Self(Some(Arc::new(Source { reason: Box::new(reason), memory: Some(memory) })))
    }

    /// For a part of the work: it ends with the whole, or when it is cancelled. Memory is asked for where the
    /// whole asks.
    pub fn cancellable(&self) -> (Self, Canceller) {
        let canceller = Canceller(Arc::default());
        let (outer, is_cancelled) = (self.clone(), Arc::clone(&canceller.0));
        let reason = move || match is_cancelled.load(Ordering::Relaxed) {
            true => Some(StopReason::Interrupted),
            false => outer.reason(),
        };
        let memory = self.0.as_ref().and_then(|source| source.memory.clone());
        (Self(Some(Arc::new(Source { reason: Box::new(reason), memory }))), canceller)
    }

    /// Whether nothing ever ends the work.
    pub fn is_endless(&self) -> bool {
        self.0.is_none()
    }

    /// Why work ends now; none if it need not.
    pub fn reason(&self) -> Option<StopReason> {
        let source = self.0.as_ref()?;
        let is_exceeded = source.memory.as_ref().is_some_and(|memory| memory.is_exceeded());
        if is_exceeded { Some(StopReason::MaxMemory) } else { (source.reason)() }
    }

    /// Whether work ends now.
    pub fn is_over(&self) -> bool {
        self.reason().is_some()
    }

    /// As [`reason`](Self::reason), for a loop.
    pub fn check(&self) -> Result<(), StopReason> {
        self.reason().map_or(Ok(()), Err)
    }

    /// Asks for memory that is about to be taken. Where it is refused all work ends.
    pub fn ask(&self, bytes: u64) -> Result<(), StopReason> {
        match self.0.as_ref().and_then(|source| source.memory.as_ref()) {
            Some(memory) if !memory.grants(bytes) => Err(StopReason::MaxMemory),
            _ => Ok(()),
        }
    }

    /// Whether this much memory could be taken now. Nothing is granted and nothing ends.
    pub fn has_room(&self, bytes: u64) -> bool {
        let memory = self.0.as_ref().and_then(|source| source.memory.as_ref());
        memory.is_none_or(|memory| (memory.measure)() >= bytes)
    }
}

impl fmt::Debug for StopToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("StopToken").field(&self.reason()).finish()
    }
}

/// How much memory may still be taken, by all that ask.
///
/// Memory granted counts until the next measurement, which finds it taken or not. Memory that was not asked
/// for is found then, too: small things that grow slowly need not ask.
pub struct MemoryAccount {
    /// How many bytes are left now; asking costs a system call.
    measure: Box<dyn Fn() -> u64 + Send + Sync>,
    /// Bytes left at the last measurement, less what was granted since.
    left: AtomicU64,
    /// Whether there was too little once: work that stops for that gives memory back, and the reason is
    /// needed afterwards, too.
    is_exceeded: AtomicBool,
}

impl MemoryAccount {
    /// Of as much memory as is left.
    pub fn new(measure: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        let left = AtomicU64::new(measure());
        Self { measure: Box::new(measure), left, is_exceeded: AtomicBool::new(false) }
    }

    /// Grants memory if there is enough.
    pub fn grants(&self, bytes: u64) -> bool {
        let taken =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.is_ok() || self.measure_for(bytes)
    }

    /// Measures anew; none may be left.
    pub fn look(&self) {
        self.measure_for(1);
    }

    fn measure_for(&self, bytes: u64) -> bool {
        match (self.measure)().checked_sub(bytes) {
            Some(left) => self.left.store(left, Ordering::Relaxed),
            None => self.is_exceeded.store(true, Ordering::Relaxed),
        }
        !self.is_exceeded()
    }

    /// Whether there was too little.
    pub fn is_exceeded(&self) -> bool {
        self.is_exceeded.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for MemoryAccount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("MemoryAccount").field("left", &self.left).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_granted_counts_until_it_is_measured() {
        let free = Arc::new(AtomicU64::new(100));
        let measured = Arc::clone(&free);
        let account = Arc::new(MemoryAccount::new(move || measured.load(Ordering::Relaxed)));
        let token = StopToken::when(|| None).with_memory(Arc::clone(&account));
        assert_eq!((token.ask(60), token.ask(40)), (Ok(()), Ok(())));
        // The memory granted was not taken after all.
        assert_eq!(token.ask(70), Ok(()));
        free.store(10, Ordering::Relaxed);
        assert_eq!((token.has_room(10), token.has_room(11), token.reason()), (true, false, None));
        assert_eq!((token.ask(30), token.reason()), (Ok(()), None));
        account.look();
        assert_eq!(token.reason(), None);
        assert_eq!(token.ask(11), Err(StopReason::MaxMemory));
        free.store(100, Ordering::Relaxed);
        assert_eq!(token.reason(), Some(StopReason::MaxMemory), "it stays so");
        assert_eq!(token.check(), Err(StopReason::MaxMemory));
    }

    #[test]
    fn a_part_ends_with_the_whole_or_when_it_is_cancelled() {
        let whole_is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&whole_is_over);
        let whole = StopToken::when(move || ends.load(Ordering::Relaxed).then_some(StopReason::MaxTime));
        let ((first, canceller), (second, _)) = (whole.cancellable(), whole.cancellable());
        canceller.cancel();
        assert_eq!((first.reason(), second.reason()), (Some(StopReason::Interrupted), None));
        assert!(!whole.is_over(), "the whole goes on");
        whole_is_over.store(true, Ordering::Relaxed);
        assert_eq!(second.reason(), Some(StopReason::MaxTime));
        let (never, _) = StopToken::default().cancellable();
        assert!(!never.is_over());
    }

    #[test]
    fn nothing_ends_what_has_no_end() {
        let token = StopToken::default();
        assert_eq!((token.reason(), token.ask(u64::MAX), token.is_endless()), (None, Ok(()), true));
        let token = StopToken::when(|| Some(StopReason::Interrupted));
        assert_eq!((token.reason(), token.ask(u64::MAX)), (Some(StopReason::Interrupted), Ok(())));
        assert_eq!(StopReason::Interrupted.to_string(), "interrupted");
    }
}
