//! Plans: how the walk gets from a choice point to an alternative of it.

use crate::reads_from::graph::event::{Ended, Event, Name};
use serde::{Deserialize, Serialize};
use symx_trace::ThreadId;

/// How to get to an alternative.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::reads_from) struct Plan {
    pub steps: Box<[PlannedStep]>,
    /// The choices of events on the way, and of the one in question.
    pub choices: Box<[PlannedChoice]>,
    /// The event that the choice is about.
    pub thread: ThreadId,
    pub ordinal: u32,
    /// The name of the source that it shall observe; for a rival, its own name.
    pub name: Name,
    /// What it touches as it is known; nothing if that does not matter.
    #[serde(default)]
    pub places: Option<Name>,
    pub why: Why,
    /// Whether it is for an operation that commutes with others of its kind.
    #[serde(default)]
    pub is_together: bool,
    /// The names of others of these that were to come before it. Where they do, they come first.
    #[serde(default)]
    pub asleep: Vec<Name>,
    /// Events that its steps come to.
    #[serde(skip)]
    pub foreseen: Foreseen,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(in crate::reads_from) struct PlannedStep {
    pub thread: ThreadId,
    pub ordinal: u32,
    pub commits: bool,
}

/// The kind of an alternative.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(in crate::reads_from) enum Why {
    /// A read observes another write.
    Source,
    /// An update observes another one that has stolen its source.
    Theft,
    /// An operation comes instead of another.
    Rival,
    /// An operation takes another of its alternatives.
    Choice,
    /// A thread stays before a look of which nothing comes.
    Stays(Ended),
}

/// An event of a plan that is to take one of several alternatives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(in crate::reads_from) struct PlannedChoice {
    pub thread: ThreadId,
    pub ordinal: u32,
    pub choice: u32,
}

/// The events that are new in the course of a plan, in this order, as far as they are known.
pub(in crate::reads_from) type Foreseen = Vec<Option<Event>>;

/// How a thread comes to take its next step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::reads_from) enum Comes {
    /// Without a plan: what it observes is a choice.
    Freely,
    /// As the event that a plan is for.
    AsPlanned,
    /// On the way of a plan, where its thread went on when it came first.
    OnTheWay,
}
