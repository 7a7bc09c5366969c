//! The plain scheduler of one execution: which agent runs next where there is no search.
//!
//! Each thread is thought to have a processor of its own and a time that its steps take there. It is the turn
//! of the one that is least far, and it keeps its turn until it is well ahead. So loops that wait for others
//! end though threads do not change at each step. A thread that waits for time goes on when the others are as
//! far, or have nothing to do. Where threads are about as far, priorities decide; on one processor they do in
//! any case.

use std::cmp::Reverse;
use symx_trace::{Agent, ThreadId};

/// The time of a step, in nanoseconds: threads that wait for time go on in due course though others never
/// rest.
const STEP_TIME: u64 = 100_000;

/// The additional time of an instruction: threads that compute for long without a visible step progress, too.
const INSTRUCTION_TIME: u64 = 10;

/// How far a thread may be ahead of the others before its turn ends, whatever its priority.
const SLACK: u64 = 256 * STEP_TIME;

/// The facts about an agent that can take a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// The agent.
    pub agent: Agent,
    /// The preferred time of its step, if it only waits for time.
    pub until: Option<u64>,
    /// Whether its next step does nothing but let others go first.
    pub gives_way: bool,
    /// Its priority, 0 for all that have none, and the one processor that it is bound to, if any.
    pub priority: (u32, Option<u32>),
}

/// A thread's time.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// How far it is.
    time: u64,
    /// The time it waits for, and when that comes in its own time.
    wait: Option<(u64, u64)>,
    /// The number of the choice in which it was a candidate last.
    seen: u64,
}

/// Gives every thread its turn.
///
/// Of all schedulers only this one knows time, priorities and processors, as `symx exec` is to look like a
/// native run. `driver::Unpreempted` and the scheduler of races count steps.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    threads: Vec<Progress>,
    /// Whose turn it is.
    current: Option<Agent>,
    /// How far the thread was that took the last step.
    reached: u64,
    /// Choices so far.
    choices: u64,
}

impl Turns {
    /// The next to take a step, of `candidates`; `clock` is what the program's clock shows.
    pub fn next(&mut self, candidates: &[Candidate], clock: u64) -> Agent {
        self.choices += 1;
        for candidate in candidates {
            self.look_at(candidate, clock);
        }
        let busy = candidates.iter().filter(|candidate| candidate.until.is_none());
        let chosen = self.choose_busy(busy.copied());
        // The time of threads that wait comes as the one that would run gets there.
        let due = candidates.iter().filter_map(|candidate| {
            let thread = candidate.agent.thread();
            let (_, due) = candidate.until.and(self.threads[thread.index()].wait)?;
            Some((due, thread, candidate.agent))
        });
        let first = due.min_by_key(|(due, thread, _)| (*due, *thread));
        let next = match (chosen, first) {
            (Some(busy), Some((due, _, agent))) if due <= self.time_of(busy) => (agent, Some(due)),
            (Some(busy), _) => (busy, None),
            (None, Some((due, _, agent))) => (agent, Some(due)),
            (None, None) => (candidates[0].agent, None),
        };
        self.take(next.0, next.1)
    }

    /// The step just taken has executed this many instructions.
    pub fn spent(&mut self, instructions: u64) {
        if let Some(agent) = self.current {
            let progress = &mut self.threads[agent.thread().index()];
            progress.time = progress.time.saturating_add(instructions.saturating_mul(INSTRUCTION_TIME));
            self.reached = progress.time;
        }
    }

    fn time_of(&self, agent: Agent) -> u64 {
        self.threads[agent.thread().index()].time
    }

    /// Notes what a candidate waits for. One that was blocked before has been enabled by the last step.
    fn look_at(&mut self, candidate: &Candidate, clock: u64) {
        let index = candidate.agent.thread().index();
        if index >= self.threads.len() {
            self.threads.resize(index + 1, Progress::default());
        }
        let progress = &mut self.threads[index];
        let waited = progress.wait.is_some() && candidate.until.is_none();
        if waited || progress.seen + 1 < self.choices {
            // Not quite as far as the others, so that a thread that enables it again and again does not stay
            // before it.
            progress.time = progress.time.max(self.reached.saturating_sub(SLACK));
        }
        progress.seen = self.choices;
        progress.wait = candidate.until.map(|until| match progress.wait {
            Some((same, due)) if same == until => (until, due),
            // No limit at all is no time to reach.
            _ if until == u64::MAX => (until, until),
            _ => (until, progress.time.saturating_add(until.saturating_sub(clock))),
        });
    }

    /// The agent whose turn it is, of those that have something to do.
    fn choose_busy(&self, busy: impl Iterator<Item = Candidate> + Clone) -> Option<Agent> {
        // On one processor no thread runs while one of a higher priority can.
        let all = busy.clone();
        let overtakes = |mine: Candidate, other: Candidate| {
            mine.priority.1.is_some()
                && mine.priority.1 == other.priority.1
                && mine.priority.0 < other.priority.0
        };
        let busy = busy.filter(move |mine| !all.clone().any(|other| overtakes(*mine, other)));
        let least = busy.clone().map(|candidate| self.time_of(candidate.agent)).min()?;
        let near = move |candidate: &Candidate| self.time_of(candidate.agent) < least.saturating_add(SLACK);
        let near = busy.filter(near);
        if let Some(current) = self.current
            && near.clone().any(|candidate| candidate.agent == current && !candidate.gives_way)
        {
            return Some(current);
        }
        let after = self.current.map_or(ThreadId::MAIN, |agent| ThreadId(agent.thread().0 + 1));
        let order = |candidate: &Candidate| {
            let thread = candidate.agent.thread();
            let time = self.time_of(candidate.agent);
            (Reverse(candidate.priority.0), candidate.gives_way, time, thread < after, thread)
        };
        near.min_by_key(order).map(|candidate| candidate.agent)
    }

    /// `agent` takes a step, its wait over at `due` if it waited.
    fn take(&mut self, agent: Agent, due: Option<u64>) -> Agent {
        let progress = &mut self.threads[agent.thread().index()];
        progress.time = match due {
            Some(due) if due < u64::MAX => progress.time.max(due),
            Some(_) => progress.time,
            None => progress.time.saturating_add(STEP_TIME),
        };
        progress.wait = None;
        self.reached = progress.time;
        self.current = Some(agent);
        agent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(thread: u32, until: Option<u64>, priority: u32) -> Candidate {
        Candidate {
            agent: Agent::Thread(ThreadId(thread)),
            until,
            gives_way: false,
            priority: (priority, None),
        }
    }

    /// The threads chosen in `count` choices among the same candidates.
    fn chosen(candidates: &[Candidate], count: usize) -> Vec<u32> {
        let mut turns = Turns::default();
        (0..count).map(|_| turns.next(candidates, 0).thread().0).collect()
    }

    #[test]
    fn busy_threads_change_after_a_turn() {
        let order = chosen(&[candidate(0, None, 0), candidate(1, None, 0)], 1200);
        assert!(order.windows(2).filter(|pair| pair[0] != pair[1]).count() < 8, "not at each step");
        let first = order.iter().filter(|thread| **thread == 0).count();
        assert!((400..800).contains(&first), "{first}");
    }

    #[test]
    fn who_sleeps_again_and_again_leaves_others_their_time() {
        let mut turns = Turns::default();
        let (mut slept, mut worked) = (0, 0);
        for _ in 0..1000 {
            // Thread 0 does nothing but sleep for a tenth of a millisecond, and the clock shows when
            // it woke up last.
            let clock = slept * STEP_TIME;
            let both = [candidate(0, Some(clock + STEP_TIME), 0), candidate(1, None, 0)];
            match turns.next(&both, clock).thread() {
                ThreadId(0) => slept += 1,
                _ => worked += 1,
            }
        }
        assert!(worked > 300 && slept > 300, "{worked} {slept}");
    }

    #[test]
    fn time_passes_at_once_if_no_thread_has_anything_to_do() {
        let order = chosen(&[candidate(0, Some(5_000_000_000), 0), candidate(1, Some(1_000_000_000), 0)], 1);
        assert_eq!(order, [1]);
    }

    #[test]
    fn priorities_decide_but_no_thread_starves() {
        let order = chosen(&[candidate(0, None, 1), candidate(1, None, 9)], 2000);
        assert_eq!(order[0], 1);
        assert!(order.iter().filter(|thread| **thread == 0).count() > 500);
    }

    #[test]
    fn who_is_let_go_on_now_and_then_gets_its_turn() {
        // Thread 1 is enabled only while thread 0 does not hold a lock, that is before every second step of
        // it.
        let mut turns = Turns::default();
        let mut waited = 0;
        let got = (0..10_000).any(|step| {
            let both = [candidate(0, None, 0), candidate(1, None, 0)];
            waited = step;
            turns.next(&both[..1 + step % 2], 0).thread() == ThreadId(1)
        });
        assert!(got && waited < 1000, "{waited}");
    }

    #[test]
    fn who_gives_way_is_last() {
        let mut turns = Turns::default();
        let polite = Candidate { gives_way: true, ..candidate(0, None, 0) };
        let order: Vec<u32> =
            (0..300).map(|_| turns.next(&[polite, candidate(1, None, 0)], 0).thread().0).collect();
        assert!(order[..200].iter().all(|thread| *thread == 1));
        assert!(order.contains(&0), "but not for ever");
    }

    #[test]
    fn on_one_processor_the_lower_priority_waits() {
        let on_first =
            |thread, priority| Candidate { priority: (priority, Some(0)), ..candidate(thread, None, 0) };
        assert!(chosen(&[on_first(0, 1), on_first(1, 9)], 2000).iter().all(|thread| *thread == 1));
    }
}
