//! Running a program again under a schedule that need not fit it exactly: all that an
//! engine sees of execution.

use crate::agent::Agent;
use crate::footprint::Footprint;
use crate::schedule::Decision;
use smallvec::SmallVec;

/// One step of an agent, with what is chosen on the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// The agent that takes it. Threads are numbered as in the schedule that the moves come from, in every
    /// execution.
    pub agent: Agent,
    /// Its [`Decision::Choose`] alternatives, in order.
    pub choices: SmallVec<[u32; 2]>,
}

/// The moves of a schedule's decisions.
pub fn moves(decisions: impl IntoIterator<Item = Decision>) -> Vec<Move> {
    let mut moves: Vec<Move> = Vec::new();
    for decision in decisions {
        match (decision, moves.last_mut()) {
            (Decision::Run(agent), _) => moves.push(Move { agent, choices: SmallVec::new() }),
            (Decision::Choose(choice), Some(last)) => last.choices.push(choice),
            // No schedule begins so.
            (Decision::Choose(_), None) => {}
        }
    }
    moves
}

/// An execution that ended in the failure looked for.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The steps that were taken.
    pub moves: Vec<Move>,
    /// The same as decisions, threads numbered as in this execution.
    pub decisions: Vec<Decision>,
    /// How often another thread took a step though the one before it could have gone on.
    pub preemptions: u32,
}

/// A way to run the program again.
pub trait Replay {
    /// Takes these steps, as far as they are possible, and then goes on without preemption to the end.
    ///
    /// An agent that cannot take its step gives way to the next agent's steps (Tinertia section 4.2.1).
    /// `None` if the execution does not end in the failure looked for, or does not end within a bound.
    fn attempt(&mut self, moves: &[Move]) -> Option<Attempt>;
}

/// An execution, however it ended.
#[derive(Clone, Debug)]
pub struct Run {
    /// The steps that were taken.
    pub moves: Vec<Move>,
    /// By move, what it touched.
    pub footprints: Vec<Footprint>,
    /// The same as decisions, threads numbered as in this execution.
    pub decisions: Vec<Decision>,
    /// The agents that had not ended when it ended, and what they would have touched next: the next steps of
    /// those that wait.
    pub waiting: Vec<(Agent, Footprint)>,
    /// How it ended.
    pub end: RunEnd,
}

/// How a [`Run`] ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// Nothing was wrong.
    Fine,
    /// In the failure that others are compared with.
    SameFailure,
    /// In another failure.
    OtherFailure,
}

/// A way to run the program in other orders than the one that failed.
pub trait Reorder {
    /// Takes these steps as [`Replay::attempt`] does. `None` if the execution does not end within a bound,
    /// or cannot be followed.
    fn run(&mut self, moves: &[Move]) -> Option<Run>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::ThreadId;

    #[test]
    fn choices_belong_to_the_step_before_them() {
        let run = |thread| Decision::Run(Agent::Thread(ThreadId(thread)));
        let moves = moves([run(0), Decision::Choose(2), Decision::Choose(1), run(1)]);
        assert_eq!(moves.len(), 2);
        assert_eq!(moves[0].choices.as_slice(), [2, 1]);
        assert!(moves[1].choices.is_empty());
    }
}
