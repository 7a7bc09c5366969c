//! The one loop of the forward search: an open list says which thread goes on where, a space does it.
//!
//! A walk goes through a [`Space`]: states, their successors, and the test whether a state is a dead end. An
//! [`OpenList`] holds the alternatives left to try. The operations that a list needs beyond single steps are
//! traits of their own: [`Undoable`] for backtracking, [`Comparable`] for beams.

use crate::synthesis::Unknown;
use symx_expr::StopToken;
use symx_trace::Move;

/// The states that the executions of a trace pass through, one at a time.
pub(super) trait Space {
    /// Goes to the first state; whether it is no dead end.
    fn start(&mut self) -> bool;
    /// Lets a thread take a step, and all threads the steps that commute with what is left. False at a dead
    /// end: the state is then undefined, and the list goes to another one.
    fn go_on(&mut self, thread: usize) -> bool;
    /// Whether all events have happened.
    fn is_over(&self) -> bool;
    /// Whether the bug shows then.
    fn shows_bug(&self) -> bool;
    /// Threads in all.
    fn threads(&self) -> usize;
    /// Steps taken in all states so far, in units of an executed event.
    fn steps(&self) -> u64;
    /// Hash of what the state's future depends on (two states collide with a probability of 2^-64).
    fn fingerprint(&self) -> u64;
    /// The moves that led to the state.
    fn moves(&self) -> Vec<Move>;
}

/// A space that goes back to states on the way to where it is.
pub(super) trait Undoable: Space {
    /// Such a state.
    type Mark: Copy;
    fn mark(&self) -> Self::Mark;
    fn undo(&mut self, mark: Self::Mark);
    /// The threads that may go on.
    fn ready(&self) -> &[usize];
    /// The thread that took the last step.
    fn running(&self) -> usize;
    /// How many moves led here.
    fn depth(&self) -> usize;
    /// When a thread's next event is due in an order that is known, or else fair.
    fn rank(&self, thread: usize) -> u64;
    /// Whether steps follow an order that is likely to be right, so that dead ends are seldom.
    fn trust_order(&mut self, is_trusted: bool);
}

/// A space whose states can be kept, and compared by what is left to do.
pub(super) trait Comparable: Space {
    /// A state that is kept.
    type Kept;
    fn keep(&mut self) -> Self::Kept;
    fn return_to(&mut self, kept: &Self::Kept);
    /// In how many turns all threads reach their ends, at least.
    fn turns_left(&self) -> u32;
    /// By thread, the steps taken.
    fn taken(&self) -> &[usize];
    /// A dead-end test that is too slow for every step.
    fn can_go_on(&mut self) -> bool;
}

/// The alternatives left to try.
pub(super) trait OpenList<S> {
    /// A state was reached that no thread has left yet.
    fn push(&mut self, space: &mut S);
    /// Goes to the state to leave next; the thread that goes on there. None if nothing is left.
    fn pop(&mut self, space: &mut S) -> Option<usize>;
    /// Whether everything was tried once nothing is left.
    fn is_exhaustive(&self) -> bool;
}

/// Why a walk ended.
pub(super) enum End {
    Found(Vec<Move>),
    /// Its steps are used up, or states were left out.
    Abandoned,
    /// There is no execution.
    Exhausted,
    Stopped(Unknown),
}

/// Walks from the first state, until the space has taken `steps` steps.
pub(super) fn walk<S: Space>(
    space: &mut S,
    open: &mut impl OpenList<S>,
    steps: u64,
    stop: &StopToken,
) -> End {
    let mut is_reached = space.start();
    loop {
        if is_reached {
            if !space.is_over() {
                open.push(space);
            } else if space.shows_bug() {
                return End::Found(space.moves());
            }
        }
        let Some(thread) = open.pop(space) else {
            return if open.is_exhaustive() { End::Exhausted } else { End::Abandoned };
        };
        if space.steps() >= steps {
            return End::Abandoned;
        }
        if let Some(reason) = stop.reason() {
            return End::Stopped(reason.into());
        }
        is_reached = space.go_on(thread);
    }
}
