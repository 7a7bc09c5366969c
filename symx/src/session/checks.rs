//! `--check`: which kinds of failure count.

use crate::options::ExploringOptions;
use clap::ValueEnum;
use symx_trace::FailureKind;

/// Something that can be checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Check {
    /// Assertions.
    Assert,
    /// Calls of `abort`.
    Abort,
    /// Null dereference, out-of-bounds access, use after free, double free, uninitialised memory, mismatched
    /// calls.
    Memory,
    /// Deadlock, lost wake-up and livelock.
    Deadlock,
    /// Division by zero, signed overflow, shift out of range.
    Arithmetic,
    /// Misuse of mutexes and other synchronisation objects.
    SyncMisuse,
    /// Memory leaked at exit (only on request).
    Leak,
    /// A non-zero exit status (only on request).
    Exit,
    /// Data races (only on request).
    Race,
}

/// Checks that are on unless `--check` says otherwise.
const DEFAULT: [Check; 6] =
    [Check::Assert, Check::Abort, Check::Memory, Check::Deadlock, Check::Arithmetic, Check::SyncMisuse];

/// The checks of one run.
#[derive(Clone, Debug)]
pub struct Checks(Vec<Check>);

impl ExploringOptions {
    /// The checks asked for, or the default ones.
    pub fn checks(&self) -> Checks {
        Checks(if self.check.is_empty() { DEFAULT.to_vec() } else { self.check.clone() })
    }
}

impl Checks {
    /// The default ones.
    pub fn default_ones() -> Self {
        Self(DEFAULT.to_vec())
    }

    /// Whether `check` is on.
    pub fn contains(&self, check: Check) -> bool {
        self.0.contains(&check)
    }

    /// Whether no default check is off.
    pub fn has_all_defaults(&self) -> bool {
        DEFAULT.iter().all(|check| self.contains(*check))
    }

    /// Whether a failure of this kind counts. Kinds nobody can switch off always do.
    pub fn counts(&self, kind: FailureKind) -> bool {
        let check = match kind {
            FailureKind::Assert => Check::Assert,
            FailureKind::Abort => Check::Abort,
            FailureKind::Memory => Check::Memory,
            FailureKind::Deadlock => Check::Deadlock,
            FailureKind::Arithmetic => Check::Arithmetic,
            FailureKind::SyncMisuse => Check::SyncMisuse,
            FailureKind::Leak => Check::Leak,
            FailureKind::Exit => Check::Exit,
            FailureKind::Race => Check::Race,
            FailureKind::Livelock | FailureKind::Uncaught | FailureKind::Output => return true,
        };
        self.contains(check)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaks_count_only_on_request() {
        assert!(!Checks::default_ones().counts(FailureKind::Leak));
        assert!(Checks::default_ones().counts(FailureKind::Memory));
        let asked = Checks(vec![Check::Leak]);
        assert!(asked.counts(FailureKind::Leak) && !asked.counts(FailureKind::Memory));
        assert!(!asked.has_all_defaults());
    }
}
