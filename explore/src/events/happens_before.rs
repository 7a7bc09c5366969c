//! Happens-before over the events of one execution, and the races that partial-order reduction reverses.
//!
//! Source-set reduction after Abdulla, Aronis, Jonsson and Sagonas, "Optimal Dynamic Partial Order Reduction"
//! (POPL 2014), algorithm 1, with blocking operations. An operation that acquires what an earlier one
//! released was not enabled before the release, so the two are no race. The operation races with the earlier
//! acquirer instead.

use crate::events::dependency_index::Touched;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use symx_trace::footprint::{dependent, reversible};
use symx_trace::{Agent, Footprint, Mode, Place};

/// How many events of each agent happen before something, by the agents' numbers.
type Clock = SmallVec<[u32; 8]>;

fn join(clock: &mut Clock, other: &Clock) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

/// Whether a step may have to wait. (Stores on their way through a buffer and the ends of threads come once.)
fn may_wait(footprint: &Footprint) -> bool {
    footprint.iter().any(|access| {
        matches!(access.mode, Mode::Acquire | Mode::Follow)
            && matches!(access.place, Place::Object(_) | Place::Readers(_) | Place::Memory { .. })
    })
}

/// An event of the execution.
#[derive(Clone, Debug)]
struct Record {
    agent: usize,
    /// Its number among the agent's events, from 1.
    ordinal: u32,
    footprint: Footprint,
    /// The events that happen before it, itself included.
    clock: Clock,
    /// Where it was scheduled; the caller's number.
    node: usize,
}

/// A race: two dependent events that nothing orders, the later one just added.
#[derive(Clone, Debug)]
pub struct Race {
    /// Where the earlier event was scheduled.
    pub node: usize,
    /// The agents of which one must run first there for the race to be reversed; never empty.
    pub initials: SmallVec<[Agent; 4]>,
}

/// The events of the present execution, in order.
#[derive(Debug, Default)]
pub struct HappensBefore {
    numbers: FxHashMap<Agent, usize>,
    agents: Vec<Agent>,
    events: Vec<Record>,
    /// Per agent number, its events' positions.
    by_agent: Vec<Vec<usize>>,
    touched: Touched,
}

impl HappensBefore {
    /// Count of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Forgets all events from number `length` on.
    pub fn truncate(&mut self, length: usize) {
        while self.events.len() > length
            && let Some(record) = self.events.pop()
        {
            self.by_agent[record.agent].pop();
            self.touched.pop(self.events.len(), record.agent, &record.footprint);
        }
    }

    fn number(&mut self, agent: Agent) -> usize {
        *self.numbers.entry(agent).or_insert_with(|| {
            self.agents.push(agent);
            self.by_agent.push(Vec::new());
            self.agents.len() - 1
        })
    }

    fn includes(&self, clock: &Clock, event: usize) -> bool {
        let record = &self.events[event];
        clock.get(record.agent).is_some_and(|count| *count >= record.ordinal)
    }

    /// Adds an event of `agent`, scheduled at `node`, and returns the races it is the later half of.
    pub fn push(&mut self, agent: Agent, footprint: Footprint, node: usize) -> Vec<Race> {
        let (number, clock, races) = self.examine(agent, &footprint);
        let ordinal = self.by_agent[number].len() as u32 + 1;
        let mut clock = clock;
        if clock.len() <= number {
            clock.resize(number + 1, 0);
        }
        clock[number] = ordinal;
        self.by_agent[number].push(self.events.len());
        self.touched.push(self.events.len(), number, &footprint);
        self.events.push(Record { agent: number, ordinal, footprint, clock, node });
        races
    }

    /// The races that an event would be the later half of, were it enabled now.
    pub fn races_of(&mut self, agent: Agent, footprint: &Footprint) -> Vec<Race> {
        self.examine(agent, footprint).2
    }

    fn examine(&mut self, agent: Agent, footprint: &Footprint) -> (usize, Clock, Vec<Race>) {
        let number = self.number(agent);
        let program_order: Clock = match self.by_agent[number].last() {
            Some(&last) => self.events[last].clock.clone(),
            None => Clock::new(),
        };
        // `full` is happens-before. `seen` leaves out what comes only through a release that this event
        // acquires. After that release the earlier acquirer is found, with which this event does race.
        let (mut full, mut seen) = (program_order.clone(), program_order.clone());
        let mut races = Vec::new();
        // The own events, and those of others that are ordered already, are no concern of what follows.
        let first = |agent: usize| {
            let before = program_order.get(agent).copied().unwrap_or(0);
            self.by_agent[agent].get(before as usize).copied().filter(|_| agent != number)
        };
        for position in self.touched.candidates(footprint, first) {
            let record = &self.events[position];
            if self.includes(&seen, position) {
                continue;
            }
            if !dependent(&record.footprint, footprint) {
                continue;
            }
            if reversible(&record.footprint, footprint) {
                races.push(self.race(position, number, footprint, &program_order));
                // One that may have to wait cannot always come right before the earlier event. Examples are
                // the second time that a thread takes a recursive lock, and a limited wait whose signal is
                // sent under the mutex it needs. Then it may still come before an earlier one.
                if !may_wait(footprint) {
                    join(&mut seen, &self.events[position].clock);
                }
            }
            join(&mut full, &self.events[position].clock);
        }
        (number, full, races)
    }

    /// The race between the event at `position` and a coming event of agent `number`.
    fn race(&self, position: usize, number: usize, footprint: &Footprint, program_order: &Clock) -> Race {
        // The events that do not happen after the earlier event, then the later one, could all run before the
        // earlier event.
        let mut suffix: SmallVec<[usize; 16]> = SmallVec::new();
        // Of each agent the number of its first event among these, 0 if it has none.
        let mut firsts = Clock::from_elem(0, self.agents.len());
        let follows = |firsts: &Clock, clock: &Clock| {
            clock.iter().zip(firsts).any(|(count, first)| *first > 0 && count >= first)
        };
        let mut initials: SmallVec<[Agent; 4]> = SmallVec::new();
        let mut met: SmallVec<[usize; 8]> = SmallVec::new();
        for later in position + 1..self.events.len() {
            let record = &self.events[later];
            if self.includes(&record.clock, position) {
                continue;
            }
            if !met.contains(&record.agent) {
                met.push(record.agent);
                if !follows(&firsts, &record.clock) {
                    initials.push(self.agents[record.agent]);
                }
            }
            if firsts[record.agent] == 0 {
                firsts[record.agent] = record.ordinal;
            }
            suffix.push(later);
        }
        if !met.contains(&number) {
            let depends = follows(&firsts, program_order)
                || suffix.iter().any(|before| dependent(&self.events[*before].footprint, footprint));
            if !depends {
                initials.push(self.agents[number]);
            }
        }
        if initials.is_empty() {
            initials.push(self.agents[number]);
        }
        Race { node: self.events[position].node, initials }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;
    use symx_trace::{Access, ThreadId};

    fn thread(number: u32) -> Agent {
        Agent::Thread(ThreadId(number))
    }

    #[test]
    fn conflicting_accesses_race_once() {
        let mut order = HappensBefore::default();
        assert!(order.push(thread(0), smallvec![Access::write(0, 4)], 0).is_empty());
        assert!(order.push(thread(1), smallvec![Access::write(8, 4)], 1).is_empty());
        let races = order.push(thread(1), smallvec![Access::read(0, 4)], 2);
        assert_eq!(races.len(), 1);
        assert_eq!((races[0].node, &races[0].initials[..]), (0, &[thread(1)][..]));
        assert!(order.push(thread(1), smallvec![Access::write(0, 4)], 3).is_empty(), "ordered by the read");
    }

    #[test]
    fn a_limited_wait_races_with_the_lock_under_which_it_is_signalled() {
        let (condition, mutex) = (128, 64);
        let mut order = HappensBefore::default();
        order.push(thread(1), smallvec![Access::object(mutex, Mode::Acquire)], 0);
        order.push(thread(1), smallvec![Access::object(condition, Mode::Write)], 1);
        order.push(thread(1), smallvec![Access::object(mutex, Mode::Release)], 2);
        let wake = smallvec![Access::object(condition, Mode::Write), Access::object(mutex, Mode::Acquire)];
        let races = order.push(thread(0), wake, 3);
        assert!(races.iter().any(|race| race.node == 0), "it cannot come between the lock and the signal");
    }

    #[test]
    fn a_lock_races_with_the_lock_before_not_with_the_unlock() {
        let mut order = HappensBefore::default();
        let lock = || smallvec![Access::object(64, Mode::Acquire)];
        order.push(thread(0), lock(), 0);
        order.push(thread(0), smallvec![Access::write(0, 4)], 1);
        order.push(thread(0), smallvec![Access::object(64, Mode::Release)], 2);
        let races = order.push(thread(1), lock(), 3);
        assert_eq!(races.iter().map(|race| race.node).collect::<Vec<_>>(), [0]);
        assert!(order.push(thread(1), smallvec![Access::write(0, 4)], 4).is_empty(), "the lock orders it");
    }
}
