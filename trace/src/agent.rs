//! Agents, which take steps: threads, and the store buffers between them and memory.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A thread of one execution, numbered in order of creation over all threads; 0 is the main thread.
///
/// Under another schedule the same thread may get another number: use [`ThreadName`] across executions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ThreadId(pub u32);

impl ThreadId {
    /// The thread that `main` runs in.
    pub const MAIN: ThreadId = ThreadId(0);

    /// For indexing.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A thread's name: the path of creation order (CLAP section 3.2). The main thread is `0`, its second child
/// `0.2`, that one's first child `0.2.1`. The same in every execution, native or interpreted.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ThreadName(Arc<[u32]>);

impl ThreadName {
    /// The main thread's name.
    pub fn main() -> Self {
        Self(Arc::new([0]))
    }

    /// The name of this thread's `number`-th child, counted from 1. Threads that the program has not created,
    /// such as a timer's, count as the main thread's child 0.
    pub fn child(&self, number: u32) -> Self {
        Self(self.0.iter().copied().chain([number]).collect())
    }

    /// A short name for people: `T0` is the main thread, `T2` its second child, `T2.1` that one's first.
    pub fn label(&self) -> String {
        format!("T{}", self.path())
    }

    /// The numbers of all that are created on the way to it: `2.1`. Of the main thread, `0`.
    fn path(&self) -> String {
        match &self.0[1..] {
            // Not that of the main thread.
            [0] => "0.0".to_owned(),
            [] => "0".to_owned(),
            path => path.iter().map(u32::to_string).collect::<Vec<_>>().join("."),
        }
    }

    /// The [label](Self::label) of the thread that a text names; the text itself if it names none.
    pub fn label_of(text: &str) -> String {
        Self::try_from(text.to_owned()).map_or_else(|_| text.to_owned(), |name| name.label())
    }

    /// For people: the label, and what the thread is called beside it, if anything: `T2 worker`. One of a
    /// process that the program has forked has that before it, by the thread that the fork made:
    /// `P1 T1.2 worker`.
    pub fn titled(&self, process: Option<&Self>, own: &str) -> String {
        let process = process.map(|process| format!("P{} ", process.path())).unwrap_or_default();
        let own = if own.is_empty() { String::new() } else { format!(" {own}") };
        format!("{process}{}{own}", self.label())
    }

    /// As which of its creator's children it is counted, from 1; 0 is the main thread's number.
    pub fn number(&self) -> u32 {
        self.0.last().copied().unwrap_or_default()
    }

    /// Whether the thread named `parent` creates this one.
    pub fn is_child_of(&self, parent: &Self) -> bool {
        self.0.split_last().is_some_and(|(_, rest)| *rest == *parent.0)
    }
}

impl Default for ThreadName {
    fn default() -> Self {
        Self::main()
    }
}

impl fmt::Display for ThreadName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, number) in self.0.iter().enumerate() {
            if index > 0 {
                out.write_str(".")?;
            }
            write!(out, "{number}")?;
        }
        Ok(())
    }
}

impl From<ThreadName> for String {
    fn from(name: ThreadName) -> String {
        name.to_string()
    }
}

/// Text that is no thread name.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not a thread name such as 0.2.1")]
pub struct NotAThreadName(String);

impl TryFrom<String> for ThreadName {
    type Error = NotAThreadName;
    fn try_from(text: String) -> Result<Self, NotAThreadName> {
        let numbers: Result<Vec<u32>, _> = text.split('.').map(str::parse).collect();
        match numbers {
            Ok(numbers) if numbers[0] == 0 => Ok(Self(numbers.into())),
            _ => Err(NotAThreadName(text)),
        }
    }
}

/// Something the scheduler can run: a thread up to its next visible operation, or one commit
/// of a store buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Agent {
    /// A thread.
    Thread(ThreadId),
    /// One lane of a thread's store buffer; its step commits the lane's oldest store to memory.
    Buffer {
        /// The buffer's thread.
        thread: ThreadId,
        /// The lane, in the memory model's numbering.
        lane: u64,
    },
}

impl Agent {
    /// The thread, or the buffer's thread.
    pub fn thread(self) -> ThreadId {
        match self {
            Agent::Thread(thread) | Agent::Buffer { thread, .. } => thread,
        }
    }

    /// Whether it is a store buffer.
    pub fn is_buffer(self) -> bool {
        matches!(self, Agent::Buffer { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_paths_of_creation_order() {
        let name = ThreadName::main().child(2).child(1);
        assert_eq!(name.to_string(), "0.2.1");
        assert_eq!((name.label().as_str(), ThreadName::main().label().as_str()), ("T2.1", "T0"));
        assert_eq!(ThreadName::try_from("0.2.1".to_string()), Ok(name));
        assert_eq!(ThreadName::main().child(0).label(), "T0.0");
        for wrong in ["", "1", "0.", "0.x", "0..1"] {
            assert!(ThreadName::try_from(wrong.to_string()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn titles_have_what_is_known() {
        let (child, grandchild) = (ThreadName::main().child(2), ThreadName::main().child(2).child(1));
        assert_eq!(child.titled(None, ""), "T2");
        assert_eq!(child.titled(None, "worker"), "T2 worker");
        assert_eq!(grandchild.titled(Some(&child), "worker"), "P2 T2.1 worker");
    }
}
