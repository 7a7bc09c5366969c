//! The kinds of failure, and a row for the check that finds each: what every crate goes by.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// The kinds of failure, as the result file names them (`contract`: `violations[].kind`).
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Debug,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs)] // the variants are the contract's words
pub enum FailureKind {
    Assert,
    Abort,
    Deadlock,
    Race,
    Memory,
    Arithmetic,
    SyncMisuse,
    Leak,
    Livelock,
    Uncaught,
    /// A non-zero exit status, with `--check exit`.
    Exit,
    /// A thread that has not ended when the process does, with `--check unfinished-thread`.
    UnfinishedThread,
    /// A lock that a thread holds when the process ends, with `--check held-lock`.
    HeldLock,
    /// Standard output that is not the one expected, with `--expect-stdout`.
    Output,
}

/// When a check is made. Those that have a name for `--check` say what they look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Made {
    /// In every run. It has no name for `--check`.
    Always,
    /// Unless others are asked for.
    ByDefault(&'static str),
    /// Where it is asked for.
    OnRequest(&'static str),
}

/// What a check looks at when the process has ended: all that is named before, too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AtEnd {
    /// Nothing, or nothing but the outcome: standard output and status.
    Nothing,
    /// How each execution has ended, also where its outcome is known.
    Process,
    /// Which threads have ended by then. Any step of theirs may come before that or after.
    Threads,
    /// What is in memory, and where pointers lead.
    Memory,
}

/// What of a failure a symbolic trace can express.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InTrace {
    /// Nothing: the trace is refused.
    Refused,
    /// That the failing thread comes to it on its path.
    Thread,
    /// That no waiting thread can go on.
    Waits,
    /// That the output is another one.
    Output,
}

/// How a process ends natively that fails so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Natively {
    /// It may go on, or end in any way.
    Unknown,
    /// It aborts.
    Aborts,
    /// An access of it is a fault.
    Faults,
    /// An operation of it is an arithmetic error.
    Miscalculates,
    /// It goes on forever.
    Hangs,
}

/// A row of [`CHECKS`].
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// The kind of failure that it finds. Its word is the check's name for `--check`.
    pub kind: FailureKind,
    /// When it is made.
    pub made: Made,
    /// What such a failure is, in a sentence.
    pub sentence: &'static str,
    /// What to do about it, if that is the same for all of the kind.
    pub advice: Option<&'static str>,
    /// What it looks at when the process has ended.
    pub at_end: AtEnd,
    /// What of it a symbolic trace can express.
    pub in_trace: InTrace,
    /// How a process ends by it.
    pub natively: Natively,
}

/// The check of every kind, in the order in which `--check` and reports list them.
///
/// A row that says no more is of a failure that is found while a step is executed, and that symbolic traces
/// refuse.
pub const CHECKS: &[Check; FailureKind::ALL.len()] = &[
    check(FailureKind::Assert, Made::ByDefault("Assertions"))
        .means("A condition that the program states does not hold.")
        .in_trace(InTrace::Thread)
        .natively(Natively::Aborts),
    check(FailureKind::Abort, Made::ByDefault("Calls of `abort`"))
        .means("The program aborts.")
        .in_trace(InTrace::Thread)
        .natively(Natively::Aborts),
    check(
        FailureKind::Memory,
        Made::ByDefault(
            "Null dereference, out-of-bounds access, use after free, double free, uninitialised memory, \
             mismatched calls",
        ),
    )
    .means("Memory is accessed or released in a way that is undefined.")
    .in_trace(InTrace::Thread)
    .natively(Natively::Faults),
    check(FailureKind::Deadlock, Made::ByDefault("Deadlock, lost wake-up and livelock"))
        .means("Threads wait for each other, or for an event that does not come.")
        .in_trace(InTrace::Waits)
        .natively(Natively::Hangs),
    check(FailureKind::Arithmetic, Made::ByDefault("Division by zero, signed overflow, shift out of range"))
        .means("An operation has no defined result for its operands.")
        .advises(
            "Check the range of the operands before the operation, or compute in a wider or unsigned type.",
        )
        .in_trace(InTrace::Thread)
        .natively(Natively::Miscalculates),
    check(FailureKind::SyncMisuse, Made::ByDefault("Misuse of mutexes and other synchronisation objects"))
        .means("A synchronisation object is used in a way that is undefined."),
    check(FailureKind::Leak, Made::OnRequest("Memory leaked at exit"))
        .means("Memory or a thread is lost: nothing can release it any more when the process ends.")
        .advises("Free the object, or keep a pointer to it until it is freed.")
        .at_end(AtEnd::Memory),
    check(FailureKind::Exit, Made::OnRequest("A non-zero exit status"))
        .means("The process ends with a status other than zero.")
        .at_end(AtEnd::Process)
        .in_trace(InTrace::Thread),
    check(
        FailureKind::UnfinishedThread,
        Made::OnRequest("A thread that has not ended when the process does"),
    )
    .means("A thread has not ended when the process does.")
    .advises("Join the thread before the process ends, or end the main thread with pthread_exit.")
    .at_end(AtEnd::Threads),
    check(FailureKind::HeldLock, Made::OnRequest("A lock that a thread holds when the process ends"))
        .means("A thread holds a lock when the process ends.")
        .advises("Release the lock on every path that leads to the end of the process.")
        .at_end(AtEnd::Threads),
    check(FailureKind::Race, Made::OnRequest("Data races"))
        .means("Two accesses to the same memory are not ordered by happens-before, and one of them writes."),
    check(FailureKind::Livelock, Made::Always)
        .means("A thread polls for a value that no other thread can write any more.")
        .advises("Write the polled variable in some thread, or bound the loop.")
        .natively(Natively::Hangs),
    check(FailureKind::Uncaught, Made::Always)
        .means("An exception is thrown that no handler catches.")
        .advises("Catch the exception, or do not throw it.")
        .in_trace(InTrace::Thread)
        .natively(Natively::Aborts),
    check(FailureKind::Output, Made::Always)
        .means("Standard output is not the expected one.")
        .in_trace(InTrace::Output),
];

/// A row that claims nothing yet.
const fn check(kind: FailureKind, made: Made) -> Check {
    Check {
        kind,
        made,
        sentence: "",
        advice: None,
        at_end: AtEnd::Nothing,
        in_trace: InTrace::Refused,
        natively: Natively::Unknown,
    }
}

impl Check {
    const fn means(self, sentence: &'static str) -> Self {
        Self { sentence, ..self }
    }

    const fn advises(self, advice: &'static str) -> Self {
        Self { advice: Some(advice), ..self }
    }

    const fn at_end(self, at_end: AtEnd) -> Self {
        Self { at_end, ..self }
    }

    const fn in_trace(self, in_trace: InTrace) -> Self {
        Self { in_trace, ..self }
    }

    const fn natively(self, natively: Natively) -> Self {
        Self { natively, ..self }
    }

    /// The check of a kind.
    pub fn of(kind: FailureKind) -> &'static Self {
        &CHECKS[ROW_OF[kind as usize]]
    }

    /// What it looks for, if it has a name for `--check`.
    pub fn looks_for(&self) -> Option<&'static str> {
        match self.made {
            Made::Always => None,
            Made::ByDefault(looks_for) | Made::OnRequest(looks_for) => Some(looks_for),
        }
    }
}

/// By kind, its row. The program is not compiled if a kind has none.
const ROW_OF: [usize; CHECKS.len()] = {
    let mut rows = [CHECKS.len(); CHECKS.len()];
    let mut row = 0;
    while row < CHECKS.len() {
        let kind = CHECKS[row].kind as usize;
        assert!(rows[kind] == CHECKS.len(), "one row for each kind");
        rows[kind] = row;
        row += 1;
    }
    rows
};

impl FailureKind {
    /// Every kind, in the order of the contract.
    pub const ALL: &[FailureKind] = Self::VARIANTS;

    /// The contract's word.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The check that finds it.
    pub fn check(self) -> &'static Check {
        Check::of(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_row_with_a_sentence() {
        for kind in FailureKind::ALL {
            let check = kind.check();
            assert_eq!(check.kind, *kind);
            assert!(check.sentence.ends_with('.') && check.sentence.len() > 10, "{check:?}");
            assert!(check.looks_for().is_none_or(|text| !text.is_empty() && !text.ends_with('.')));
        }
    }
}
