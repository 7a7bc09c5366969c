//! `--check`: which kinds of failure count.

use crate::options::ExploringOptions;
use clap::ValueEnum;
use symx_trace::FailureKind;

/// Something that can be checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Check {
    /// Assertions.
    Assert,
    /// Calls of abort.
    Abort,
    /// Null, wild, out-of-bounds, dangling and double-freed pointers; uninitialised memory;
    /// calls of another type.
    Memory,
    /// Threads that wait for ever.
    Deadlock,
    /// Division by zero, overflow of signed numbers, shifts by too much.
    Arithmetic,
    /// Misuse of mutexes and the like.
    SyncMisuse,
    /// Memory nothing refers to at exit (only on request).
    Leak,
    /// An exit status other than 0 (only on request).
    Exit,
    /// Accesses that nothing orders, of which one is not atomic (only on request).
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
