//! Bounds on the schedule of one execution: how often it may leave the way a simple scheduler would go.

use smallvec::SmallVec;
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
        let what = match self {
            Self::Preemptions(most) => format!("schedules with more than {most} preemptions"),
            Self::Switches(most) => format!("schedules with more than {most} context switches"),
            Self::Delays(most) => format!("schedules with more than {most} delays"),
        };
        Incomplete { reason: self.reason(), what, span: SpanId::UNKNOWN }
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
}
