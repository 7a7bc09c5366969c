//! Bounds on the schedule of one execution: how often it may leave the way a simple scheduler would go.

use smallvec::SmallVec;
use std::fmt;
use symx_interp::stop::Incomplete;
use symx_ir::SpanId;
use symx_trace::{Agent, IncompleteReason, ThreadId};

/// A bound on schedules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScheduleBound {
    /// At most this many preemptions: another thread runs though the one before was enabled. A switch away
    /// from a blocked thread is free (Musuvathi and Qadeer, "Iterative context bounding", PLDI 2007).
    Preemptions(u32),
    /// At most this many changes of the running thread.
    Switches(u32),
    /// At most this many delays of the scheduler that lets threads run as long as they can, in order of their
    /// numbers. Each passes over the one whose turn it is (Emmi, Qadeer and Rakamaric, "Delay-bounded
    /// scheduling", POPL 2011).
    Delays(u32),
}

/// The quantities that an iterative search bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoundKind {
    /// [Preemptions](ScheduleBound::Preemptions).
    Preemptions,
    /// [Delays](ScheduleBound::Delays).
    Delays,
}

impl BoundKind {
    /// The bound of this many.
    pub fn at_most(self, most: u32) -> ScheduleBound {
        match self {
            Self::Preemptions => ScheduleBound::Preemptions(most),
            Self::Delays => ScheduleBound::Delays(most),
        }
    }

    /// The reason for which an exploration is incomplete that met such a bound.
    pub fn reason(self) -> IncompleteReason {
        self.at_most(0).reason()
    }
}

impl ScheduleBound {
    /// The budget of one execution.
    pub(crate) fn most(self) -> u32 {
        let (Self::Preemptions(most) | Self::Switches(most) | Self::Delays(most)) = self;
        most
    }

    /// The cost of running `agent`, one of the enabled, after `previous`.
    pub(crate) fn cost(self, enabled: &[Agent], previous: Option<ThreadId>, agent: Agent) -> u32 {
        match self {
            Self::Preemptions(_) => match (previous, agent) {
                (Some(previous), Agent::Thread(thread)) if thread != previous => {
                    u32::from(enabled.contains(&Agent::Thread(previous)))
                }
                _ => 0,
            },
            Self::Switches(_) => match (previous, agent) {
                (Some(previous), Agent::Thread(thread)) => u32::from(thread != previous),
                _ => 0,
            },
            Self::Delays(_) => {
                let in_turn = in_turn(enabled, previous.unwrap_or(ThreadId::MAIN));
                in_turn.iter().take_while(|other| **other != agent).count() as u32
            }
        }
    }

    /// The verdict on executions beyond it.
    pub(crate) fn incomplete(self) -> Incomplete {
        let (_, nouns) = self.nouns();
        self.because(format!("schedules with more than {} {nouns}", self.most()))
    }

    /// The verdict on an exploration that ended within the next bound.
    pub(crate) fn completed(self) -> Incomplete {
        self.because(format!("all schedules with {self} were explored"))
    }

    /// The verdict on an exploration that ended within this bound, which is the first.
    pub(crate) fn not_completed(self) -> Incomplete {
        self.because(format!("not all schedules with {self} were explored"))
    }

    fn because(self, what: String) -> Incomplete {
        Incomplete { reason: self.reason(), what, span: SpanId::UNKNOWN }
    }

    /// The nouns of one and of several that it counts.
    fn nouns(self) -> (&'static str, &'static str) {
        match self {
            Self::Preemptions(_) => ("preemption", "preemptions"),
            Self::Switches(_) => ("context switch", "context switches"),
            Self::Delays(_) => ("delay", "delays"),
        }
    }

    /// The reason for which an exploration is incomplete that met it.
    pub fn reason(self) -> IncompleteReason {
        match self {
            Self::Preemptions(_) => IncompleteReason::Preemptions,
            Self::Switches(_) => IncompleteReason::Switches,
            Self::Delays(_) => IncompleteReason::Delays,
        }
    }
}

/// After "schedules with".
impl fmt::Display for ScheduleBound {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.most(), self.nouns()) {
            (0, (_, several)) => write!(out, "no {several}"),
            (1, (one, _)) => write!(out, "at most 1 {one}"),
            (most, (_, several)) => write!(out, "at most {most} {several}"),
        }
    }
}

/// Agents in the order in which they have their turns. First is the thread that ran before, then those of
/// higher numbers, those of lower ones; then stores leave their buffers.
fn in_turn(enabled: &[Agent], previous: ThreadId) -> SmallVec<[Agent; 8]> {
    let mut agents: SmallVec<[Agent; 8]> = SmallVec::from_slice(enabled);
    agents.sort_by_key(|agent| (agent.is_buffer(), agent.thread() < previous));
    agents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_passes_over_one_thread() {
        let threads = [0, 1, 3].map(|number| Agent::Thread(ThreadId(number)));
        let costs = |bound: ScheduleBound, previous| {
            threads.map(|agent| bound.cost(&threads, Some(ThreadId(previous)), agent))
        };
        assert_eq!(costs(ScheduleBound::Delays(9), 1), [2, 0, 1]);
        // Thread 2 waits: the turn is that of the next one.
        assert_eq!(costs(ScheduleBound::Delays(9), 2), [1, 2, 0]);
        assert_eq!(costs(ScheduleBound::Preemptions(9), 1), [1, 0, 1]);
        assert_eq!(costs(ScheduleBound::Preemptions(9), 2), [0, 0, 0]);
        assert_eq!(costs(ScheduleBound::Switches(9), 2), [1, 1, 1]);
    }

    #[test]
    fn bounds_are_named() {
        let named = |bound: ScheduleBound| bound.completed().what;
        assert_eq!(
            named(BoundKind::Preemptions.at_most(0)),
            "all schedules with no preemptions were explored"
        );
        assert_eq!(named(BoundKind::Delays.at_most(1)), "all schedules with at most 1 delay were explored");
        assert_eq!(BoundKind::Preemptions.reason(), IncompleteReason::Preemptions);
        let beyond = ScheduleBound::Switches(2).incomplete();
        assert_eq!(beyond.what, "schedules with more than 2 context switches");
    }
}
