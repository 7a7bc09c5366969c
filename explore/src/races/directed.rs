//! Executions at random that are directed at races (Sen, "Race directed random testing of concurrent
//! programs", PLDI 2008). A thread that is about to access memory that may race is postponed until another
//! thread is about to make an access that conflicts. Nothing orders two accesses that are next at once. So
//! each such meeting of plain accesses is a race, whatever else the schedule happens to order. A random
//! choice decides which goes first.

use super::hold::{NextAccess, next_accesses};
use super::seeded::{Scheduler, Turns};
use crate::races::limits::{MOST_INSTRUCTIONS_POSTPONED, MOST_STEPS_POSTPONED};
use smallvec::SmallVec;
use symx_interp::environment::Environment;
use symx_interp::machine::Executor;
use symx_interp::memory::Site;
use symx_interp::state::State;
use symx_trace::{Agent, ThreadId};

/// Chooses the next agent in such an execution.
pub(super) struct Directed {
    scheduler: Scheduler,
    random: fastrand::Rng,
    /// The allocation site of the objects at which threads are postponed.
    focus: Site,
    postponed: Vec<Postponed>,
    steps: u64,
    /// How often a thread was postponed without a meeting.
    in_vain: u32,
}

/// A thread that is postponed, with its next accesses to the objects in focus.
struct Postponed {
    thread: ThreadId,
    accesses: SmallVec<[NextAccess; 2]>,
    steps: u64,
    instructions: u64,
}

impl Directed {
    /// Directed at the objects of one allocation site.
    pub fn new(seed: u64, focus: Site) -> Self {
        Self {
            scheduler: Scheduler::new(Some(seed)),
            random: fastrand::Rng::with_seed(seed),
            focus,
            postponed: Vec::new(),
            steps: 0,
            in_vain: 0,
        }
    }

    /// Postpones threads that came to an access to an object in focus. Where one meets another, returns which
    /// goes first. The one that stays postponed may meet others, and learns nothing meanwhile that would
    /// order the two accesses.
    fn postpone<E: Environment>(
        &mut self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        enabled: &[Agent],
    ) -> Option<ThreadId> {
        let mut first = None;
        for agent in enabled {
            let &Agent::Thread(thread) = agent else { continue };
            if self.postponed.iter().any(|other| other.thread == thread) {
                continue;
            }
            let mut accesses = next_accesses(executor, state, thread);
            accesses.retain(|access| {
                let object = state.memory.near(access.range.address);
                object.is_some_and(|object| object.site == self.focus)
            });
            if accesses.is_empty() {
                continue;
            }
            let meets = |other: &&Postponed| {
                enabled.contains(&Agent::Thread(other.thread))
                    && other
                        .accesses
                        .iter()
                        .any(|there| accesses.iter().any(|here| there.conflicts_with(here)))
            };
            if let Some(other) = self.postponed.iter().find(meets) {
                first = Some(if self.random.bool() { other.thread } else { thread });
            }
            let (steps, instructions) = (self.steps, executor.counters.instructions);
            self.postponed.push(Postponed { thread, accesses, steps, instructions });
        }
        first
    }

    /// The next agent where none meet: of those postponed one that has waited too long, or any if there is no
    /// other.
    fn one_of(&mut self, enabled: &[Agent], instructions: u64) -> Agent {
        let is_postponed =
            |agent: &Agent| self.postponed.iter().any(|other| Agent::Thread(other.thread) == *agent);
        let (waiting, others): (Vec<Agent>, Vec<Agent>) = enabled.iter().copied().partition(is_postponed);
        let is_over = |other: &&Postponed| {
            let (steps, instructions) = (self.steps - other.steps, instructions - other.instructions);
            steps > MOST_STEPS_POSTPONED >> self.in_vain.min(63)
                || instructions > MOST_INSTRUCTIONS_POSTPONED >> self.in_vain.min(63)
        };
        let over = self.postponed.iter().find(is_over).map(|other| Agent::Thread(other.thread));
        match over.filter(|agent| enabled.contains(agent)) {
            Some(agent) => {
                self.in_vain += 1;
                self.release(agent.thread())
            }
            None if others.is_empty() => {
                let at = self.random.usize(..waiting.len());
                self.release(waiting[at].thread())
            }
            None => self.scheduler.next(&others),
        }
    }

    /// Lets a thread make the access before which it was postponed.
    fn release(&mut self, thread: ThreadId) -> Agent {
        self.postponed.retain(|other| other.thread != thread);
        Agent::Thread(thread)
    }
}

impl<E: Environment> Turns<E> for Directed {
    fn next(&mut self, executor: &Executor<'_, E>, state: &State<E>, enabled: &[Agent]) -> Agent {
        self.steps += 1;
        match self.postpone(executor, state, enabled) {
            Some(first) => self.release(first),
            None => self.one_of(enabled, executor.counters.instructions),
        }
    }

    fn choose(&mut self, count: u32) -> u32 {
        self.scheduler.choose(count)
    }

    fn end_turn(&mut self) {}
}
