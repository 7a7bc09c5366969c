//! The walk of a [`Search`]: all states that a number of preemptions leads to, then those that one more does.

use super::Search;
use super::commits::{Commits, Committed};
use super::fingerprint::fingerprint;
use crate::synthesis::Unknown;
use crate::synthesis::execution::machine::{Mark, State};
use crate::synthesis::limits::{EVENTS_BEHIND, SHARE_OF_BEGINNING};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::Hash;
use symx_trace::{Agent, Move};

/// A node of the search: a state, by what led to it and what tells it from others.
#[derive(Clone)]
pub(super) struct SearchNode {
    /// The last step that led to it.
    step: Option<StepId>,
    /// Contents of memory and values read that something still depends on, for the fingerprint.
    contents: u128,
    /// Fingerprint of the state without the running thread.
    key: u128,
    /// How many events have happened.
    progress: usize,
    /// Fingerprint of how far each thread has come.
    places: u64,
    /// The thread that took the last step of a thread.
    pub(super) running: Option<usize>,
    /// Stores that were committed for a step to come.
    pub(super) committed: Option<Committed>,
}

/// A step that may be next.
pub(super) struct Alternative {
    pub(super) step: Move,
    pub(super) is_preemption: bool,
    pub(super) committed: Option<Committed>,
}

/// A state on the way to where the walk is.
struct Frame {
    mark: Mark,
    at: SearchNode,
    alternatives: Vec<Alternative>,
}

/// A step that was taken, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct StepId(u32);

/// Steps that were taken, each with the one before it.
#[derive(Default)]
struct Steps(Vec<(Option<StepId>, Move)>);

impl Steps {
    fn push(&mut self, before: Option<StepId>, step: Move) -> StepId {
        self.0.push((before, step));
        StepId(self.0.len() as u32 - 1)
    }

    /// All steps up to one, in order.
    fn up_to(&self, last: Option<StepId>) -> Vec<StepId> {
        let before = |step: &StepId| self.0[step.0 as usize].0;
        let mut steps: Vec<StepId> = std::iter::successors(last, before).collect();
        steps.reverse();
        steps
    }

    fn moves(&self, last: Option<StepId>) -> Vec<Move> {
        self.up_to(last).into_iter().map(|step| self.0[step.0 as usize].1.clone()).collect()
    }
}

/// A walk on its way.
pub(super) struct Walk<'w, 'p> {
    search: &'w Search<'p>,
    commits: Commits<'w, 'p>,
    /// Whether an execution that ends in such a state is one that is looked for.
    is_wanted: &'w dyn Fn(&State, &[Move]) -> bool,
    /// Whether states are the same whatever order led to them.
    any_order: bool,
    state: State,
    steps: Steps,
    /// The way to where the last walk began: each step, and the state after it.
    way: Vec<(StepId, Mark)>,
    start: Mark,
    /// By key, the number of preemptions that led to states.
    seen: FxHashMap<u128, u32>,
    /// Those that the present number did, with the running thread.
    seen_now: FxHashSet<(u128, Option<usize>)>,
    /// Where one more leads.
    later: Vec<SearchNode>,
    /// Executions with more preemptions were left out.
    pub(super) cut: bool,
    /// States were left out that no more preemptions lead to than were allowed.
    pub(super) is_partial: bool,
    /// Steps that may be taken.
    left: u64,
    /// How many are to be left for other beginnings.
    pause_at: u64,
    /// The steps of the last alternative taken.
    taken: Vec<Move>,
}

impl<'w, 'p> Walk<'w, 'p> {
    pub(super) fn new(
        search: &'w Search<'p>,
        any_order: bool,
        is_wanted: &'w dyn Fn(&State, &[Move]) -> bool,
    ) -> Self {
        let state = search.machine.start();
        let start = search.machine.mark(&state);
        let first = SearchNode {
            step: None,
            contents: 0,
            key: 0,
            progress: 0,
            places: 0,
            running: None,
            committed: None,
        };
        Self {
            search,
            commits: Commits::new(search.problem, &search.machine, &search.future),
            is_wanted,
            any_order,
            state,
            steps: Steps::default(),
            way: Vec::new(),
            start,
            seen: FxHashMap::default(),
            seen_now: FxHashSet::default(),
            later: vec![first],
            cut: false,
            is_partial: false,
            left: search.limits.steps,
            pause_at: 0,
            taken: Vec::new(),
        }
    }

    /// Whether there are states that more preemptions lead to than were allowed so far.
    pub(super) fn has_more(&self) -> bool {
        !self.later.is_empty()
    }

    /// Looks at all executions with this number of preemptions, which is one more than before; the moves of
    /// one that is looked for.
    pub(super) fn go_on(&mut self, preemptions: u32) -> Result<Option<Vec<Move>>, Unknown> {
        self.seen_now.clear();
        let mut beginnings = std::mem::take(&mut self.later);
        let (first, narrow) = (self.left, self.search.limits.narrow);
        if narrow.is_some() {
            rank(&mut beginnings);
        }
        for at in beginnings {
            let is_new = self.is_new(&at, preemptions);
            let taken = first - self.left;
            self.pause_at = narrow.map_or(0, |most| {
                self.left.saturating_sub((most / SHARE_OF_BEGINNING).min(most.saturating_sub(taken)))
            });
            self.is_partial |= is_new && self.is_paused();
            if !is_new || self.is_paused() {
                continue;
            }
            self.go_to(at.step)?;
            if let Some(found) = self.go_from(at, preemptions)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Whether no more steps may be taken from where the walk began.
    fn is_paused(&self) -> bool {
        self.search.limits.narrow.is_some() && self.left <= self.pause_at
    }

    /// Goes to where a step led, from where the last walk began.
    fn go_to(&mut self, step: Option<StepId>) -> Result<(), Unknown> {
        let wanted = self.steps.up_to(step);
        let common = self.way.iter().zip(&wanted).take_while(|((one, _), other)| one == *other).count();
        self.way.truncate(common);
        let mark = self.way.last().map_or(self.start, |(_, mark)| *mark);
        self.search.machine.go_back(&mut self.state, mark);
        for id in wanted.into_iter().skip(common) {
            self.count()?;
            self.search.repeat(&mut self.state, &self.steps.0[id.0 as usize].1);
            self.way.push((id, self.search.machine.mark(&self.state)));
        }
        Ok(())
    }

    /// A step is about to be taken.
    fn count(&mut self) -> Result<(), Unknown> {
        self.left = self.left.checked_sub(1).ok_or(Unknown::StepLimit)?;
        if self.left.is_multiple_of(1 << 6) {
            self.search.stop.check()?;
        }
        Ok(())
    }

    /// Looks at all executions that go on from here without a preemption.
    fn go_from(&mut self, at: SearchNode, preemptions: u32) -> Result<Option<Vec<Move>>, Unknown> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut next = Some(at);
        loop {
            if let Some(at) = next.take() {
                if !self.search.machine.is_over(&self.state) {
                    let alternatives =
                        self.search.alternatives(&self.commits, &self.state, &at, self.any_order);
                    frames.push(Frame { mark: self.search.machine.mark(&self.state), at, alternatives });
                } else {
                    let moves = self.steps.moves(at.step);
                    if (self.is_wanted)(&self.state, &moves) {
                        return Ok(Some(moves));
                    }
                }
            }
            let Some(last) = frames.last_mut() else { return Ok(None) };
            if self.is_paused() {
                self.is_partial = true;
                return Ok(None);
            }
            let Some(alternative) = last.alternatives.pop() else {
                frames.pop();
                continue;
            };
            let is_preemption = alternative.is_preemption;
            if is_preemption && preemptions >= self.search.limits.preemptions {
                self.cut = true;
                continue;
            }
            self.search.machine.go_back(&mut self.state, last.mark);
            let before = last.at.clone();
            let Some(mut at) = self.take(before, alternative)? else { continue };
            let is_wanted = match is_preemption {
                true => !self.seen.contains_key(&at.key),
                false => self.is_new(&at, preemptions),
            };
            if is_wanted {
                for step in self.taken.drain(..) {
                    at.step = Some(self.steps.push(at.step, step));
                }
                match is_preemption {
                    true => self.later.push(at),
                    false => next = Some(at),
                }
            }
        }
    }

    /// Whether a state was not seen yet.
    fn is_new(&mut self, at: &SearchNode, preemptions: u32) -> bool {
        !self.any_order
            || *self.seen.entry(at.key).or_insert(preemptions) >= preemptions
                && self.seen_now.insert((at.key, at.running))
    }

    /// Takes a step, and those that just follow; where that leads, if it is possible.
    fn take(&mut self, mut at: SearchNode, alternative: Alternative) -> Result<Option<SearchNode>, Unknown> {
        self.taken.clear();
        at.committed = alternative.committed;
        if let Agent::Thread(thread) = alternative.step.agent {
            at.running = Some(thread.index());
        }
        let mut next = Some(alternative.step);
        while let Some(step) = next.take() {
            self.count()?;
            if !self.search.step(&mut self.state, &step, &mut at.contents) {
                return Ok(None);
            }
            self.taken.push(step);
            let may_go_on = self.any_order && at.committed.is_none();
            next = at
                .running
                .filter(|_| may_go_on)
                .and_then(|running| self.search.just_goes_on(&self.state, running));
        }
        let places = || (0..self.search.problem.thread_count()).map(|thread| self.state.executed(thread));
        at.progress = places().sum();
        at.places = fingerprint(|hasher| places().for_each(|place| place.hash(hasher))) as u64;
        at.key = at.contents
            ^ fingerprint(|hasher| {
                at.committed.hash(hasher);
                self.state.hash_progress(hasher);
            });
        Ok(Some(at))
    }
}

/// From those in which most has happened. Of states in which all threads stand at the same places, each
/// counts as less advanced than the one before it. A fault of one is likely to be one of the next.
fn rank(states: &mut [SearchNode]) {
    let mut alike: HashMap<u64, usize> = HashMap::new();
    states.sort_by_cached_key(|at| {
        let before = alike.entry(at.places).or_insert(0);
        *before += EVENTS_BEHIND;
        Reverse(at.progress as i64 - *before as i64)
    });
}
