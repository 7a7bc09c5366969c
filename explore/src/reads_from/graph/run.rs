//! The present run: the steps that have led from the beginning to where the walk is.

use crate::reads_from::graph::event::Location;
use crate::reads_from::graph::index::Index;
use crate::reads_from::graph::way_back::Before;
use smallvec::SmallVec;
use std::ops::Deref;
use symx_interp::environment::Environment;
use symx_trace::ThreadId;

/// A step of the present run.
pub(in crate::reads_from) struct RunStep<E: Environment> {
    pub thread: ThreadId,
    pub ordinal: u32,
    /// Whether it is not the thread's own step, but the one in which its store reaches memory.
    pub commits: bool,
    pub event: Index,
    pub takes_effect: bool,
    /// The decisions before it.
    pub decisions: usize,
    /// The last observable writes before at the places it wrote.
    pub overwritten: SmallVec<[(Location, Index); 1]>,
    /// The way back to before it.
    pub before: Before<E>,
}

impl<E: Environment> Clone for RunStep<E> {
    fn clone(&self) -> Self {
        Self {
            thread: self.thread,
            ordinal: self.ordinal,
            commits: self.commits,
            event: self.event,
            takes_effect: self.takes_effect,
            decisions: self.decisions,
            overwritten: self.overwritten.clone(),
            before: self.before.clone(),
        }
    }
}

/// Steps in the order in which they were taken.
pub(in crate::reads_from) struct Run<E: Environment> {
    steps: Vec<RunStep<E>>,
    /// The events that took effect, in this order: questions about other orders begin with it.
    effects: Vec<Index>,
}

impl<E: Environment> Default for Run<E> {
    fn default() -> Self {
        Self { steps: Vec::new(), effects: Vec::new() }
    }
}

impl<E: Environment> Clone for Run<E> {
    fn clone(&self) -> Self {
        Self { steps: self.steps.clone(), effects: self.effects.clone() }
    }
}

impl<E: Environment> Deref for Run<E> {
    type Target = [RunStep<E>];

    fn deref(&self) -> &[RunStep<E>] {
        &self.steps
    }
}

impl<E: Environment> Run<E> {
    #[inline]
    pub fn push(&mut self, step: RunStep<E>) {
        if step.takes_effect {
            self.effects.push(step.event);
        }
        self.steps.push(step);
    }

    #[inline]
    pub fn pop(&mut self) -> Option<RunStep<E>> {
        let step = self.steps.pop()?;
        if step.takes_effect {
            self.effects.pop();
        }
        Some(step)
    }

    /// The way back to before the last step.
    pub fn last_way_back(&mut self) -> Option<&mut Before<E>> {
        self.steps.last_mut().map(|step| &mut step.before)
    }

    /// The run's events in the order in which they took effect.
    pub fn effects(&self) -> &[Index] {
        &self.effects
    }
}
