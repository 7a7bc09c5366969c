//! Ways of a fork that have not been gone yet.

use smallvec::SmallVec;
use std::sync::Arc;
use symx_expr::Term;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::state::State;
use symx_interp::stop::Step;
use symx_trace::ThreadId;

/// A state that has not been entered: the state before a fork, which all ways of the fork share, and
/// which way it is.
///
/// A way costs two words until it is gone. Then the state is copied, and the last way takes it as it is.
#[derive(Debug)]
pub struct Way<E: Environment> {
    fork: Arc<Fork<E>>,
    which: Which,
}

/// The common part of the ways of a fork.
#[derive(Debug)]
struct Fork<E: Environment> {
    state: State<E>,
    thread: ThreadId,
    granted: bool,
}

/// The choice that a way is.
#[derive(Clone, Copy, Debug)]
enum Which {
    /// That on which this holds.
    Where(Term),
    /// An alternative of a model.
    Alternative(u32),
}

impl<E: Environment> Way<E> {
    /// The ways of the fork at which a step of `thread` has stopped, in their order.
    ///
    /// # Panics
    /// If the step is done.
    pub fn all(state: State<E>, thread: ThreadId, step: Step) -> impl DoubleEndedIterator<Item = Way<E>> {
        let (ways, granted): (SmallVec<[Which; 2]>, bool) = match step {
            Step::Fork { ways, granted } => (ways.into_iter().map(Which::Where).collect(), granted),
            Step::Choose(count) => ((0..count).map(Which::Alternative).collect(), true),
            _ => panic!("only a fork has ways"),
        };
        // With the counts of its `Arc` it is of one of the allocator's classes; a byte more would
        // take the next, 256.
        const { assert!(size_of::<Fork<E>>() + 16 <= 224) };
        let fork = Arc::new(Fork { state, thread, granted });
        ways.into_iter().map(move |which| Way { fork: Arc::clone(&fork), which })
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
        match self.which {
            Which::Where(_) => None,
            Which::Alternative(number) => Some(number),
        }
    }

    /// Goes the way: the state on it, and the result of continuing the step.
    pub fn enter(self, executor: &mut Executor<'_, E>) -> (State<E>, Step) {
        let Way { fork, which } = self;
        let (thread, granted) = (fork.thread, fork.granted);
        let mut state = match Arc::try_unwrap(fork) {
            Ok(fork) => fork.state,
            Err(fork) => fork.state.clone(),
        };
        which.go(executor, &mut state);
        let step = executor.resume(&mut state, thread, granted);
        (state, step)
    }

    /// Goes the way in the state the fork was met in, of which the ways hold a copy.
    pub(crate) fn go_on(self, executor: &mut Executor<'_, E>, state: &mut State<E>) -> Step {
        self.which.go(executor, state);
        executor.resume(state, self.fork.thread, self.fork.granted)
    }
}

impl Which {
    fn go<E: Environment>(self, executor: &Executor<'_, E>, state: &mut State<E>) {
        match self {
            Which::Where(constraint) => {
                state.path.add(&executor.machine.terms, constraint);
            }
            Which::Alternative(number) => state.alternative = Some(number),
        }
    }
}
