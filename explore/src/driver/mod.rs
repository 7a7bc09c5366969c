//! Driving one execution: which agents are enabled, and steps taken to their ends.
//!
//! Policies choose the next agent, and how a step goes on where it can go on in several ways. The walks that
//! explore every way drive their executions themselves.

pub(super) mod fork;

use smallvec::SmallVec;
use symx_expr::{StopReason, Term};
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::state::State;
use symx_interp::stop::Incomplete;
use symx_interp::stop::Step;
use symx_trace::{Agent, IncompleteReason, ThreadId};

/// After how many steps a livelock is looked for at first; then whenever there were twice as many.
const FIRST_SEARCH: u64 = 8;

/// After how many decisions within one step it is asked whether all work is to end.
const DECIDED_BETWEEN: u32 = 64;

/// How far one execution is.
#[derive(Debug)]
pub(crate) struct Course {
    begun: u64,
    next_search: u64,
}

impl Default for Course {
    fn default() -> Self {
        Self { begun: 0, next_search: FIRST_SEARCH }
    }
}

impl Course {
    /// The agents that can take the next step. `None` once the execution has ended: by itself, in a deadlock,
    /// or in a livelock, which is looked for now and then.
    pub fn enabled<E: Environment>(
        &mut self,
        executor: &mut Executor<'_, E>,
        state: &mut State<E>,
    ) -> Option<SmallVec<[Agent; 8]>> {
        if state.end.is_some() {
            return None;
        }
        if self.begun == self.next_search {
            self.next_search *= 2;
            // Where accesses are only noted, too little is known to say that no thread changes what a loop
            // reads.
            if executor.notes.quiet.is_none() && find_livelock(executor, state) {
                return None;
            }
        }
        let enabled = executor.enabled(state);
        if enabled.is_empty() {
            executor.stuck(state);
            return None;
        }
        self.begun += 1;
        Some(enabled)
    }

    /// How many steps have begun.
    pub fn begun(&self) -> u64 {
        self.begun
    }
}

/// Whether the execution is in a livelock, which ends it.
pub(crate) fn find_livelock<E: Environment>(executor: &mut Executor<'_, E>, state: &mut State<E>) -> bool {
    // Trial steps are not recorded.
    let (recorder, log) = (executor.notes.recorder.take(), executor.notes.log.take());
    let is_found = executor.find_livelock(state, &[]);
    (executor.notes.recorder, executor.notes.log) = (recorder, log);
    is_found
}

/// Schedules without preemption: a thread runs until it is blocked, or its turn is over. Store buffers drain
/// when no thread can run.
///
/// It continues executions that begin with given decisions, and adds few switches. The scheduler of one
/// execution (`single/fair_scheduler.rs`) goes by time and priorities instead. That of races
/// (`races/seeded.rs`) gives store buffers turns like threads, so that accesses meet.
#[derive(Debug)]
pub(crate) struct Unpreempted {
    /// Steps of a turn: loops that wait for others end by it.
    longest: u32,
    taken: u32,
}

impl Unpreempted {
    /// Turns of at most this many steps.
    pub fn turns_of(longest: u32) -> Self {
        Self { longest, taken: 0 }
    }

    /// The agent that is next after `running`; `None` if none is enabled.
    pub fn next(&mut self, running: ThreadId, enabled: &[Agent]) -> Option<Agent> {
        if self.taken < self.longest && enabled.contains(&Agent::Thread(running)) {
            self.taken += 1;
            return Some(Agent::Thread(running));
        }
        self.taken = 0;
        let behind = |agent: &&Agent| !agent.is_buffer() && agent.thread() > running;
        enabled.iter().find(behind).or(enabled.first()).copied()
    }
}

/// Decides how a step goes on where it can go on in several ways.
pub(crate) trait Decider<E: Environment> {
    /// One of `count` alternatives of a modelled function, from 0: the value a read returns, the thread that
    /// is woken. None if no alternative will do.
    fn choose(
        &mut self,
        executor: &mut Executor<'_, E>,
        state: &mut State<E>,
        agent: Agent,
        count: u32,
    ) -> Option<u32>;

    /// One of the constraints of which each is a way that a symbolic value goes. None if no way will do, as
    /// by default.
    fn branch(
        &mut self,
        _executor: &mut Executor<'_, E>,
        _state: &State<E>,
        _agent: Agent,
        _ways: &[Term],
    ) -> Option<Term> {
        None
    }
}

/// Where a step has ended that was taken whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reached {
    /// Before the agent's next step, or at the end of the execution.
    NextStep,
    /// In the middle of the thread's code, for having run for long.
    Pause,
}

/// Why a step cannot be taken to its end.
#[derive(Debug)]
pub(crate) enum Obstacle {
    /// The decider has none of the alternatives, of which there are this many.
    NoAlternative(u32),
    /// The decider has none of the ways a symbolic value may go.
    NoWay,
    /// An assumption does not hold, or the thread has left its recorded path.
    Pruned,
    /// Something that cannot be followed.
    Cut(Incomplete),
    /// All work is ended from outside.
    Halted(StopReason),
}

impl Obstacle {
    /// As a reason for an incomplete verdict; `None` if a decider refused.
    pub fn incomplete(self) -> Option<Incomplete> {
        match self {
            Self::NoAlternative(_) | Self::NoWay => None,
            Self::Pruned => {
                let what = "an assumption does not hold in this execution";
                Some(Incomplete { what: what.into(), ..Incomplete::from(IncompleteReason::Assumption) })
            }
            Self::Cut(incomplete) => Some(incomplete),
            Self::Halted(reason) => Some(reason.into()),
        }
    }
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoAlternative(count) => write!(formatter, "one of {count} alternatives is expected"),
            Self::NoWay => formatter.write_str("a symbolic input has no value"),
            Self::Pruned => formatter.write_str("an assumption does not hold"),
            Self::Cut(cut) => write!(formatter, "{} {}", cut.reason, cut.what),
            Self::Halted(reason) => write!(formatter, "{reason}"),
        }
    }
}

/// Chooses alternatives by a function of their number.
pub(crate) struct ByNumber<F>(pub F);

impl<E: Environment, F: FnMut(u32) -> Option<u32>> Decider<E> for ByNumber<F> {
    fn choose(&mut self, _: &mut Executor<'_, E>, _: &mut State<E>, _: Agent, count: u32) -> Option<u32> {
        (self.0)(count)
    }
}

/// Lets an agent that can do so take its step to its end.
pub(crate) fn whole_step<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &mut State<E>,
    agent: Agent,
    decider: &mut impl Decider<E>,
) -> Result<Reached, Obstacle> {
    let mut step = executor.step(state, agent);
    let mut decided = 0_u32;
    loop {
        // A thread may fork again and again without a visible step.
        decided = decided.wrapping_add(1);
        if decided.is_multiple_of(DECIDED_BETWEEN)
            && let Some(reason) = executor.machine.options.stop.reason()
        {
            return Err(Obstacle::Halted(reason));
        }
        step = match step {
            Step::Done => return Ok(Reached::NextStep),
            Step::Paused => return Ok(Reached::Pause),
            Step::Choose(count) => {
                let choice = decider.choose(executor, state, agent, count);
                state.alternative = Some(choice.ok_or(Obstacle::NoAlternative(count))?);
                executor.resume(state, agent.thread(), true)
            }
            Step::Fork { ways, granted } => {
                let way = decider.branch(executor, state, agent, &ways).ok_or(Obstacle::NoWay)?;
                state.path.add(&executor.machine.terms, way);
                executor.resume(state, agent.thread(), granted)
            }
            Step::Pruned => return Err(Obstacle::Pruned),
            Step::Cut(incomplete) => return Err(Obstacle::Cut(incomplete)),
            Step::Halted(reason) => return Err(Obstacle::Halted(reason)),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(number: u32) -> Agent {
        Agent::Thread(ThreadId(number))
    }

    #[test]
    fn a_thread_runs_until_its_turn_is_over_then_the_next_one_does() {
        let mut policy = Unpreempted::turns_of(2);
        let enabled = [thread(0), thread(1), thread(2)];
        let mut running = ThreadId(0);
        let mut taken = Vec::new();
        for _ in 0..7 {
            let next = policy.next(running, &enabled).expect("an agent is enabled");
            running = next.thread();
            taken.push(running.0);
        }
        assert_eq!(taken, [0, 0, 1, 1, 1, 2, 2]);
    }

    #[test]
    fn a_thread_that_cannot_go_on_gives_up_its_turn() {
        let mut policy = Unpreempted::turns_of(8);
        assert_eq!(policy.next(ThreadId(1), &[thread(0), thread(2)]), Some(thread(2)));
        assert_eq!(policy.next(ThreadId(2), &[thread(0)]), Some(thread(0)));
        assert_eq!(policy.next(ThreadId(0), &[]), None);
    }

    #[test]
    fn store_buffers_empty_when_no_thread_can_run() {
        let buffer = Agent::Buffer { thread: ThreadId(0), lane: 0 };
        let mut policy = Unpreempted::turns_of(8);
        assert_eq!(policy.next(ThreadId(1), &[buffer, thread(2)]), Some(thread(2)));
        assert_eq!(policy.next(ThreadId(2), &[buffer]), Some(buffer));
    }
}
