//! Choice points of the present path: events that observe something, and what else each of them may observe.
//!
//! The open alternatives of a choice point belong to all workers whose paths lead through it. Most choice
//! points are met, exhausted and left by one: nothing is locked until another worker is [given](Node::share)
//! a path.

use crate::bounds::estimate::{Passed, Since};
use crate::reads_from::choice_points::plan::Plan;
use crate::reads_from::graph::event::{Event, Location, Name, Turn};
use crate::reads_from::graph::index::Index;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::cell::{RefCell, RefMut};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A choice point on the present path: an event that observes something.
pub(in crate::reads_from) struct Node {
    /// Events known before it.
    pub base: usize,
    pub event: Index,
    /// The name of its event before any plan.
    pub first: Name,
    /// What this event did at objects. The alternatives are about which operation comes next there.
    turns: SmallVec<[Turn; 2]>,
    /// Where and what it read then, if its thread went on.
    pub passed: Option<(Location, Index)>,
    /// The last plan followed from there.
    pub plan: Option<Arc<Plan>>,
    alternatives: Held,
}

/// The owner of the alternatives of a choice point.
enum Held {
    /// The one worker whose path leads through it.
    Own(RefCell<Alternatives>),
    /// Several workers.
    Shared(Arc<Mutex<Alternatives>>),
}

/// The other sources that the event of a choice point may observe; of all workers whose paths lead through
/// it.
#[derive(Default)]
pub(in crate::reads_from) struct Alternatives {
    /// The sources it observed in all executions so far, and those it cannot observe.
    pub seen: FxHashSet<Name>,
    /// Where it has alternatives: a place's identity.
    pub contended: Option<u128>,
    pub pending: Vec<Plan>,
    /// Of the plans taken, the names of rivals that commute with others of their kind.
    pub together: Vec<Name>,
    /// How many plans were taken from there.
    pub taken: usize,
    pub since: Since,
}

/// The alternatives of a choice point while they are looked at.
pub(in crate::reads_from) enum Opened<'n> {
    Own(RefMut<'n, Alternatives>),
    Shared(MutexGuard<'n, Alternatives>),
}

impl Deref for Opened<'_> {
    type Target = Alternatives;

    #[inline]
    fn deref(&self) -> &Alternatives {
        match self {
            Self::Own(alternatives) => alternatives,
            Self::Shared(alternatives) => alternatives,
        }
    }
}

impl DerefMut for Opened<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Alternatives {
        match self {
            Self::Own(alternatives) => alternatives,
            Self::Shared(alternatives) => alternatives,
        }
    }
}

impl Alternatives {
    pub fn locked(shared: &Mutex<Self>) -> MutexGuard<'_, Self> {
        shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The plan to be tried next, after `executed` executions.
    pub fn take(&mut self, executed: u64) -> Option<Plan> {
        let mut plan = self.pending.pop()?;
        if plan.is_together {
            plan.asleep.clone_from(&self.together);
            self.together.push(plan.name);
        }
        self.taken += 1;
        self.since.next(executed);
        Some(plan)
    }
}

impl Node {
    pub fn new(
        base: usize,
        event: Index,
        first: &Event,
        passed: Option<(Location, Index)>,
        seen: FxHashSet<Name>,
        executed: u64,
    ) -> Self {
        let alternatives = Alternatives { seen, since: Since::now(executed), ..Alternatives::default() };
        let alternatives = Held::Own(RefCell::new(alternatives));
        let turns = first.turns().collect();
        Self { base, event, first: first.name, turns, passed, plan: None, alternatives }
    }

    /// Whether a rival that does this at objects comes in place of its present event, where its first event
    /// was.
    ///
    /// An operation that has nothing to do with the first event commutes with it. It comes before the present
    /// one behind the first event, too, unless something else comes first. That is a rival itself, with the
    /// operation in its past.
    pub fn is_contended_by(&self, rival: &[Turn], present: &Event) -> bool {
        let is_open = |turn: &Turn| present.turns().any(|other| other.conflicts(*turn));
        rival.iter().any(|turn| self.replaces_first(*turn) && is_open(turn))
    }

    /// Whether an operation that does this comes in place of its first event.
    pub fn replaces_first(&self, turn: Turn) -> bool {
        self.turns.iter().any(|first| first.conflicts(turn))
    }

    #[inline]
    pub fn alternatives(&self) -> Opened<'_> {
        match &self.alternatives {
            Held::Own(alternatives) => Opened::Own(alternatives.borrow_mut()),
            Held::Shared(alternatives) => Opened::Shared(Alternatives::locked(alternatives)),
        }
    }

    /// Its alternatives, for others to take from, too.
    pub fn shared(&mut self) -> Arc<Mutex<Alternatives>> {
        let own = match &self.alternatives {
            Held::Own(own) => own.take(),
            Held::Shared(alternatives) => return Arc::clone(alternatives),
        };
        let alternatives = Arc::new(Mutex::new(own));
        self.alternatives = Held::Shared(Arc::clone(&alternatives));
        alternatives
    }

    /// Continues with what others have of the same choice point.
    pub fn join(&mut self, alternatives: &Arc<Mutex<Alternatives>>) {
        self.alternatives = Held::Shared(Arc::clone(alternatives));
    }

    /// The same choice point on another worker's path.
    pub fn share(&mut self) -> Self {
        let Self { base, event, first, passed, .. } = *self;
        let alternatives = Held::Shared(self.shared());
        let (turns, plan) = (self.turns.clone(), self.plan.clone());
        Self { base, event, first, turns, passed, plan, alternatives }
    }

    /// The input of an estimate.
    pub fn passed(&self) -> Passed {
        let alternatives = self.alternatives();
        let (done, waiting) = (alternatives.taken, alternatives.pending.len());
        Passed { done, executions: alternatives.since.executions(), waiting }
    }

    #[inline]
    pub fn has_pending(&self) -> bool {
        !self.alternatives().pending.is_empty()
    }
}
