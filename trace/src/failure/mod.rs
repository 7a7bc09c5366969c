//! Faults of the program, as data.

pub mod checks;
pub mod detail;
pub mod sets;

use crate::agent::ThreadName;
use checks::FailureKind;
use detail::FailureDetail;
use serde::{Deserialize, Serialize};

/// A source position.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Location {
    /// Path as the compiler recorded it; "" if unknown.
    pub file: String,
    /// From 1; 0 is unknown.
    pub line: u32,
    /// From 1; 0 is unknown.
    pub column: u32,
    /// The function whose text this is.
    pub function: String,
}

/// One level of a call stack, innermost first; inlined calls have levels of their own.
pub type StackFrame = Location;

/// A fault of the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The class of fault.
    pub kind: FailureKind,
    /// Which of its class.
    pub detail: FailureDetail,
    /// One line for people.
    pub message: String,
    /// Where: the innermost frame of the failing thread that has a known position in the program.
    pub location: Location,
    /// The failing thread.
    pub thread: ThreadName,
    /// Its stack, innermost first.
    pub stack: Vec<StackFrame>,
    /// Other places that matter: allocation and free sites, the other threads of a deadlock.
    pub notes: Vec<Note>,
    /// The stacks of the other threads that have not ended, in order of creation.
    #[serde(default)]
    pub others: Vec<ThreadStack>,
    /// The wait of a deadlock's thread.
    #[serde(default)]
    pub wait: Option<Wait>,
}

/// A wait of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Wait {
    /// The event that would end the wait.
    pub kind: WaitKind,
    /// Whether it is the thread itself that keeps it from ending: it holds the lock, took from the
    /// semaphore, runs the routine.
    pub is_own: bool,
}

/// An event that would end a wait.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitKind {
    /// The holder of a lock of any kind releases it.
    Lock,
    /// A post to a semaphore.
    Semaphore,
    /// A signal at a condition variable.
    Condition,
    /// Enough threads at a barrier.
    Barrier,
    /// The end of a routine of `pthread_once`.
    Once,
    /// The end of a thread.
    ThreadEnd,
    /// A message in a queue, or room for one.
    Message,
    /// A wake-up at a futex.
    Futex,
    /// Something else: a signal, bytes in a pipe, time.
    #[default]
    Other,
}

/// The stack of a thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ThreadStack {
    /// The thread.
    pub thread: ThreadName,
    /// Its stack, innermost first.
    pub stack: Vec<StackFrame>,
}

/// A place that belongs to a failure, with what happened there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Note {
    /// One line for people.
    pub message: String,
    /// Where.
    pub location: Location,
    /// The thread, where one is meant.
    pub thread: Option<ThreadName>,
    /// Its stack, innermost first.
    pub stack: Vec<StackFrame>,
}

impl Failure {
    /// A failure of the main thread of which no more is known.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            detail: FailureDetail::Plain,
            message: message.into(),
            location: Location::default(),
            thread: ThreadName::main(),
            stack: Vec::new(),
            notes: Vec::new(),
            others: Vec::new(),
            wait: None,
        }
    }

    /// Whether two failures are the same fault: kind, detail and source position agree. (Messages may name
    /// values.) A race has two positions, in either order.
    pub fn same_fault(&self, other: &Failure) -> bool {
        let same_places = match (self.other_access(), other.other_access()) {
            (Some(mine), Some(theirs)) => {
                (&self.location, mine) == (&other.location, theirs)
                    || (&self.location, mine) == (theirs, &other.location)
            }
            _ => self.location == other.location,
        };
        self.kind == other.kind && self.detail == other.detail && same_places
    }

    /// Kind and detail in the contract's words: `memory/null-deref`, `deadlock`.
    pub fn class(&self) -> String {
        match self.detail {
            FailureDetail::Plain => self.kind.name().to_owned(),
            detail => format!("{}/{detail}", self.kind.name()),
        }
    }

    /// Where a race's earlier access is.
    fn other_access(&self) -> Option<&Location> {
        self.notes.first().filter(|_| self.kind == FailureKind::Race).map(|note| &note.location)
    }
}
