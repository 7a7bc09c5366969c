//! Ways of a fork that nobody has gone yet.

use crate::agents::Step;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use std::sync::Arc;
use symx_expr::Term;
use symx_trace::ThreadId;

/// A state that has not been entered: the state before a fork, which all ways of the fork share, and which way it is.
///
/// A way costs two words until somebody goes it. Then the state is copied, and the last way takes it as it is.
#[derive(Debug)]
pub struct Way<E: Environment> {
    fork: Arc<Fork<E>>,
    index: u32,
}

/// What the ways of a fork share.
#[derive(Debug)]
struct Fork<E: Environment> {
    state: State<E>,
    thread: ThreadId,
    granted: bool,
    /// What each way requires; ways beyond are alternatives of a model. In a box, with which a fork has 256 bytes: one
    /// more would take the allocator's next class, 320.
    constraints: Box<[Term]>,
}

impl<E: Environment> Way<E> {
    /// The ways of the fork at which a step of `thread` has stopped, in their order.
    ///
    /// # Panics
    /// If the step is done.
    pub fn all(state: State<E>, thread: ThreadId, step: Step) -> impl DoubleEndedIterator<Item = Way<E>> {
        let (constraints, count, granted) = match step {
            Step::Fork { ways, granted } => {
                let count = ways.len() as u32;
                (ways.into_boxed_slice(), count, granted)
            }
            Step::Choose(count) => (Box::default(), count, true),
            _ => panic!("only a fork has ways"),
        };
        let fork = Arc::new(Fork { state, thread, granted, constraints });
        (0..count).map(move |index| Way { fork: Arc::clone(&fork), index })
    }

    /// The thread that goes on.
    pub fn thread(&self) -> ThreadId {
        self.fork.thread
    }

    /// The state before the fork.
    pub fn before(&self) -> &State<E> {
        &self.fork.state
    }

    /// The number of the alternative this way is, if it is one: a decision for the schedule.
    pub fn alternative(&self) -> Option<u32> {
        (self.index as usize >= self.fork.constraints.len()).then_some(self.index)
    }

    /// Goes the way: the state on it, and what came of going on with the step.
    pub fn enter(self, executor: &mut Executor<'_, E>) -> (State<E>, Step) {
        let Way { fork, index } = self;
        let (thread, granted) = (fork.thread, fork.granted);
        let constraint = fork.constraints.get(index as usize).copied();
        let mut state = match Arc::try_unwrap(fork) {
            Ok(fork) => fork.state,
            Err(fork) => fork.state.clone(),
        };
        go(executor, &mut state, index, constraint);
        let step = executor.resume(&mut state, thread, granted);
        (state, step)
    }

    /// Goes the way in the state the fork was met in, of which the ways hold a copy.
    pub(super) fn go_on(self, executor: &mut Executor<'_, E>, state: &mut State<E>) -> Step {
        go(executor, state, self.index, self.fork.constraints.get(self.index as usize).copied());
        executor.resume(state, self.fork.thread, self.fork.granted)
    }
}

fn go<E: Environment>(
    executor: &Executor<'_, E>,
    state: &mut State<E>,
    index: u32,
    constraint: Option<Term>,
) {
    match constraint {
        Some(constraint) => {
            state.path.add(&executor.machine.terms, constraint);
        }
        None => state.alternative = Some(index),
    }
}
