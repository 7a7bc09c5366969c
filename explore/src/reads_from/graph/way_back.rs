//! The way from a position of the run to the one before it.

use std::sync::Arc;
use symx_interp::caches::transitions::Undo;
use symx_interp::environment::Environment;
use symx_interp::state::State;
use symx_interp::threads::thread::Thread;
use symx_trace::ThreadId;

/// The way to the position before a step of the run.
pub(in crate::reads_from) enum Before<E: Environment> {
    /// Nothing does.
    Unknown,
    /// The state there.
    Kept(Box<State<E>>),
    /// The step is to be taken back, in the state after it.
    Undo(Undo<E>),
}

impl<E: Environment> Clone for Before<E> {
    fn clone(&self) -> Self {
        match self {
            Self::Unknown => Self::Unknown,
            Self::Kept(state) => Self::Kept(state.clone()),
            Self::Undo(undo) => Self::Undo(undo.clone()),
        }
    }
}

impl<E: Environment> Before<E> {
    /// The state, if it was kept.
    pub fn kept(&self) -> Option<&State<E>> {
        match self {
            Self::Kept(state) => Some(state),
            Self::Unknown | Self::Undo(_) => None,
        }
    }

    /// The thread whose step it is, as it was before.
    pub fn thread(&self, thread: ThreadId) -> Option<&Arc<Thread<E>>> {
        match self {
            Self::Unknown => None,
            Self::Kept(state) => Some(&state.threads[thread.index()]),
            Self::Undo(undo) => Some(undo.thread()),
        }
    }

    /// Makes of the state after the step, if that is known, the one before it.
    pub fn reach(self, state: &mut Option<State<E>>) {
        match self {
            Self::Unknown => *state = None,
            Self::Kept(before) => *state = Some(*before),
            Self::Undo(undo) => {
                if let Some(state) = state {
                    undo.take_back(state);
                }
            }
        }
    }

    /// The state before the step, from the one after it.
    pub fn reached_from(self, after: &State<E>) -> Option<State<E>> {
        let mut state = matches!(self, Self::Undo(_)).then(|| after.clone());
        self.reach(&mut state);
        state
    }
}
