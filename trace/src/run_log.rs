//! The log of one execution's threads in the program's own code, as data: instructions visited, branches
//! taken, memory and synchronisation objects accessed.

use crate::agent::ThreadName;
use crate::event::Call;
use crate::failure::Failure;
use crate::weight::Weight;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// An instruction of the program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct CodePlace {
    /// The function's number in the linked program.
    pub function: u32,
    /// The instruction's index in its code.
    pub pc: u32,
}

/// How an access touches its object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessMode {
    /// Reads; a wait at a condition variable reads it.
    Read,
    /// Writes; `free` writes all of the object, a signal writes its condition variable.
    Write,
    /// Reads and writes at one moment; so does the acquisition of a lock.
    Update,
}

impl AccessMode {
    /// Whether it writes.
    pub fn writes(self) -> bool {
        self != Self::Read
    }
}

/// One access to memory or to a synchronisation object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedAccess {
    /// When: grows along the execution.
    pub time: u64,
    /// The thread, an index into [`RunLog::threads`].
    pub thread: u32,
    /// The instruction of the program's own code; the call, if a library makes the access, also one whose
    /// templates are compiled into the program.
    pub place: CodePlace,
    /// How.
    pub mode: AccessMode,
    /// The first address; the creation of a thread touches none, and has 0 here and in `end`.
    pub start: u64,
    /// One past the last address.
    pub end: u64,
    /// The value read or written, if it is known and has at most 8 bytes.
    pub value: Option<u64>,
    /// The modelled function that makes it, if one does.
    pub call: Option<Call>,
    /// Whether the thread waits forever to make it.
    pub waits: bool,
}

impl LoggedAccess {
    /// Whether two accesses touch common bytes.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Whether they touch common bytes, at least one of them writing.
    pub fn conflicts(&self, other: &Self) -> bool {
        self.overlaps(other) && (self.mode.writes() || other.mode.writes())
    }
}

/// How often and when a thread visited an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Visits {
    /// How often.
    pub count: u64,
    /// When last.
    pub last: u64,
}

/// A thread at an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoggedStep {
    /// When; of a call that synchronises, when it took effect.
    pub time: u64,
    /// The thread.
    pub thread: u32,
    /// The instruction.
    pub place: CodePlace,
}

/// The result of a call of a function that is not the program's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoggedResult {
    /// The call.
    pub step: LoggedStep,
    /// The value, if it is known.
    pub value: Option<u64>,
}

/// The log of one execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunLog {
    /// How many runs it stands for.
    pub weight: Weight,
    /// Names of the threads, by number.
    pub threads: Vec<ThreadName>,
    /// The accesses, in the order in which they happened.
    pub accesses: Vec<LoggedAccess>,
    /// Whether earlier accesses were left out: there were too many.
    pub is_cut: bool,
    /// Visits, by thread and instruction.
    pub visits: BTreeMap<(u32, CodePlace), Visits>,
    /// The instructions executed, in their order; the earlier half is left out where there are too many. Of
    /// failing executions only.
    pub steps: Vec<LoggedStep>,
    /// Results of calls of functions that are not the program's own. Earlier ones are left out, as of
    /// accesses.
    pub results: Vec<LoggedResult>,
    /// Where the heap objects that were accessed were allocated, by the range of the access.
    pub allocations: BTreeMap<(u64, u64), (u32, CodePlace)>,
    /// Control-flow edges taken: the branch, and the edge's number in its function.
    pub edges: BTreeSet<(CodePlace, u32)>,
    /// The positions of threads at the failure: of the one that fails, in a deadlock of all that wait.
    pub ends_at: Vec<(u32, CodePlace)>,
    /// How it failed, if it did.
    pub failure: Option<Failure>,
    /// Names of the ranges of memory accessed.
    pub names: BTreeMap<(u64, u64), String>,
    /// Names of what values of 8 bytes point to.
    pub pointers: BTreeMap<u64, String>,
    /// Numbers as their declared types write them, by range of the access and value.
    pub numbers: BTreeMap<(u64, u64, u64), String>,
}

impl RunLog {
    /// The name of the object of an access for people; "" if that is unknown.
    pub fn object(&self, access: &LoggedAccess) -> &str {
        self.names.get(&(access.start, access.end)).map_or("", String::as_str)
    }

    /// The value of an access as people write it.
    pub fn shown(&self, access: &LoggedAccess) -> Option<String> {
        let bits = access.value?;
        let length = access.end - access.start;
        if let (8, Some(name)) = (length, self.pointers.get(&bits)) {
            return Some(format!("&{name}"));
        }
        if let Some(number) = self.numbers.get(&(access.start, access.end, bits)) {
            return Some(number.clone());
        }
        let unused = 64 - 8 * (length.clamp(1, 8) as u32);
        let signed = (bits << unused) as i64 >> unused;
        let is_small = length <= 4 || signed.unsigned_abs() < 1 << 20;
        Some(if is_small { signed.to_string() } else { format!("{bits:#x}") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(start: u64, end: u64, value: u64) -> LoggedAccess {
        LoggedAccess {
            time: 0,
            thread: 0,
            place: CodePlace { function: 0, pc: 0 },
            mode: AccessMode::Read,
            start,
            end,
            value: Some(value),
            call: None,
            waits: false,
        }
    }

    #[test]
    fn values_have_the_sign_of_their_width_and_pointers_a_name() {
        let mut log = RunLog::default();
        log.pointers.insert(0x5000, "head".into());
        assert_eq!(log.shown(&access(0, 4, 0xFFFF_FFFF)).as_deref(), Some("-1"));
        assert_eq!(log.shown(&access(0, 8, 0x5000)).as_deref(), Some("&head"));
        assert_eq!(log.shown(&access(0, 8, 1 << 40)).as_deref(), Some("0x10000000000"));
        assert_eq!(log.shown(&access(0, 1, 7)).as_deref(), Some("7"));
    }

    #[test]
    fn accesses_conflict_where_bytes_are_shared_and_one_writes() {
        let (read, other) = (access(0, 4, 0), access(2, 3, 0));
        assert!(read.overlaps(&other) && !read.conflicts(&other));
        assert!(read.conflicts(&LoggedAccess { mode: AccessMode::Update, ..other }));
        assert!(!read.overlaps(&access(4, 8, 0)));
    }
}
