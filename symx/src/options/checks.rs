//! `--check`: which kinds of failure count.

use crate::options::ExploringOptions;
use crate::options::properties::Properties;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use symx_trace::{FailureKind, FailureKinds};

/// Something that can be checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
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
    /// A thread that has not ended when the process does (only on request).
    UnfinishedThread,
    /// Data races (only on request).
    Race,
}

/// Checks that are on unless `--check` says otherwise.
const DEFAULT: [Check; 6] =
    [Check::Assert, Check::Abort, Check::Memory, Check::Deadlock, Check::Arithmetic, Check::SyncMisuse];

/// Kinds of failure that are always checked.
const ALWAYS: [FailureKind; 3] = [FailureKind::Livelock, FailureKind::Uncaught, FailureKind::Output];

impl Check {
    /// The kind of failure it finds.
    pub fn kind(self) -> FailureKind {
        match self {
            Self::Assert => FailureKind::Assert,
            Self::Abort => FailureKind::Abort,
            Self::Memory => FailureKind::Memory,
            Self::Deadlock => FailureKind::Deadlock,
            Self::Arithmetic => FailureKind::Arithmetic,
            Self::SyncMisuse => FailureKind::SyncMisuse,
            Self::Leak => FailureKind::Leak,
            Self::Exit => FailureKind::Exit,
            Self::UnfinishedThread => FailureKind::UnfinishedThread,
            Self::Race => FailureKind::Race,
        }
    }
}

impl std::fmt::Display for Check {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = self.to_possible_value();
        formatter.write_str(value.as_ref().map_or("", |value| value.get_name()))
    }
}

/// The kinds of failure that these checks find; of the default ones if there is none.
fn counted(checks: &[Check]) -> FailureKinds {
    let checks = if checks.is_empty() { &DEFAULT } else { checks };
    checks.iter().map(|check| check.kind()).chain(ALWAYS).collect()
}

impl ExploringOptions {
    /// The failures that count: of properties, where some are asked for.
    pub fn checks(&self) -> FailureKinds {
        match self.properties() {
            none if none.is_empty() => counted(&self.check),
            properties => properties.violations().with(FailureKind::Output),
        }
    }

    /// The properties that are asked for.
    pub fn properties(&self) -> Properties {
        self.property.iter().fold(Properties::default(), Properties::and)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_counts() {
        assert!(!counted(&[]).contains(FailureKind::Leak) && !counted(&[]).contains(FailureKind::Race));
        assert!(!counted(&[]).contains(FailureKind::UnfinishedThread));
        assert!(counted(&[]).contains(FailureKind::Memory));
        let asked = counted(&[Check::Leak]);
        assert!(asked.contains(FailureKind::Leak) && !asked.contains(FailureKind::Memory));
        assert!(asked.contains(FailureKind::Uncaught));
    }
}
