//! Fewer context switches, same failure.
//!
//! The greedy algorithm of Jalbert and Sen, "A Trace Simplification Technique for Effective Debugging of
//! Concurrent Programs" (FSE 2010), algorithm 1. It removes the last interval of a thread, and moves
//! intervals up or down to another one of the same thread, until nothing helps. Each candidate is run, and
//! the moves of that run are kept (section 4.2.1).
//!
//! Other than there, an attempt that costs as many switches but fewer preemptions, or fewer steps, is
//! progress, too. The first candidate is the empty one, since many failures need no particular order.
//! Intervals are those of agents, so that commits of store buffers move like steps of threads, though they
//! count as no switch.

use std::ops::Range;
use symx_expr::StopToken;
use symx_trace::{Agent, Attempt, Move, Replay};

/// The cost of a schedule to its reader; smaller is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cost {
    /// Changes of the running thread.
    pub switches: u32,
    /// Those of them that were not forced.
    pub preemptions: u32,
    /// Runs of steps of one agent, store buffers included.
    pub intervals: usize,
    /// Steps.
    pub steps: usize,
}

impl Cost {
    /// The cost of an execution.
    pub fn of(attempt: &Attempt) -> Self {
        let threads =
            attempt.moves.iter().filter(|step| !step.agent.is_buffer()).map(|step| step.agent.thread());
        let (mut last, mut switches) = (None, 0);
        for thread in threads {
            switches += u32::from(last.is_some_and(|last| last != thread));
            last = Some(thread);
        }
        Self {
            switches,
            preemptions: attempt.preemptions,
            intervals: intervals(&attempt.moves).len(),
            steps: attempt.moves.len(),
        }
    }
}

/// A simpler execution with the same failure.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// It.
    pub attempt: Attempt,
    /// Its cost.
    pub cost: Cost,
    /// The cost of the given execution.
    pub cost_before: Cost,
    /// Executions tried.
    pub attempts: u64,
    /// Whether nothing more could be gained, as opposed to having been stopped.
    pub is_finished: bool,
}

/// Simplifies the execution of `moves` until nothing helps or `stop` ends it. `None` if the moves do not
/// lead to the failure that `replay` looks for.
pub fn simplify(replay: &mut dyn Replay, moves: &[Move], stop: &StopToken) -> Option<Simplified> {
    let best = replay.attempt(moves)?;
    let cost = Cost::of(&best);
    let mut search = Search { replay, stop, best, cost, attempts: 1, is_stopped: false };
    let cost_before = search.cost;
    search.try_moves(Vec::new());
    loop {
        let before = search.cost;
        search.remove_last_intervals();
        search.consolidate_up();
        search.consolidate_down();
        if search.is_stopped || search.cost >= before {
            break;
        }
    }
    Some(Simplified {
        attempt: search.best,
        cost: search.cost,
        cost_before,
        attempts: search.attempts,
        is_finished: !search.is_stopped,
    })
}

struct Search<'a> {
    replay: &'a mut dyn Replay,
    stop: &'a StopToken,
    best: Attempt,
    cost: Cost,
    attempts: u64,
    is_stopped: bool,
}

impl Search<'_> {
    /// Runs a candidate; keeps what it did if that fails alike and costs less.
    fn try_moves(&mut self, moves: Vec<Move>) -> bool {
        if self.is_stopped || self.stop.is_over() {
            self.is_stopped = true;
            return false;
        }
        self.attempts += 1;
        let Some(attempt) = self.replay.attempt(&moves) else { return false };
        let cost = Cost::of(&attempt);
        let is_better = cost < self.cost;
        if is_better {
            (self.best, self.cost) = (attempt, cost);
        }
        is_better
    }

    fn intervals(&self) -> Vec<Range<usize>> {
        intervals(&self.best.moves)
    }

    fn agent(&self, interval: &Range<usize>) -> Agent {
        self.best.moves[interval.start].agent
    }

    /// For each agent, from the end: is its last interval needed?
    fn remove_last_intervals(&mut self) {
        // There may be a hundred thousand, of which few are an agent's last.
        let mut intervals = self.intervals();
        let mut index = intervals.len();
        while index > 0 && !self.is_stopped {
            index = (index - 1).min(intervals.len().saturating_sub(1));
            let Some(interval) = intervals.get(index).cloned() else { return };
            let agent = self.agent(&interval);
            let is_last = !self.best.moves[interval.end..].iter().any(|step| step.agent == agent);
            if is_last {
                let mut moves = self.best.moves.clone();
                moves.drain(interval);
                if self.try_moves(moves) {
                    intervals = self.intervals();
                }
            }
        }
    }

    /// From the beginning: can an agent's next interval, or a prefix of it, follow this one at once?
    fn consolidate_up(&mut self) {
        let mut index = 0;
        while !self.is_stopped {
            let intervals = self.intervals();
            let Some(interval) = intervals.get(index).cloned() else { return };
            let agent = self.agent(&interval);
            let next = intervals[index + 1..].iter().find(|next| self.agent(next) == agent).cloned();
            if let Some(next) = next
                && self.try_moves(moved(&self.best.moves, next.clone(), interval.end))
            {
                continue;
            } else if let Some(next) = intervals[index + 1..].iter().find(|next| self.agent(next) == agent) {
                // The longest prefix counts; halving finds one nearly as long in few attempts.
                let mut length = next.len().saturating_sub(1);
                while length > 0
                    && !self.is_stopped
                    && !self.try_moves(moved(&self.best.moves, next.start..next.start + length, interval.end))
                {
                    length /= 2;
                }
            }
            index += 1;
        }
    }

    /// From the end: can an agent's previous interval wait until just before this one?
    fn consolidate_down(&mut self) {
        let mut index = self.intervals().len();
        while index > 0 && !self.is_stopped {
            let intervals = self.intervals();
            index = (index - 1).min(intervals.len().saturating_sub(1));
            let Some(interval) = intervals.get(index).cloned() else { return };
            let agent = self.agent(&interval);
            let previous = intervals[..index].iter().rev().find(|earlier| self.agent(earlier) == agent);
            if let Some(previous) = previous.cloned() {
                self.try_moves(moved(&self.best.moves, previous, interval.start));
            }
        }
    }
}

/// Runs of moves of one agent.
pub(crate) fn intervals(moves: &[Move]) -> Vec<Range<usize>> {
    let mut intervals = Vec::new();
    let mut start = 0;
    for end in 1..=moves.len() {
        if end == moves.len() || moves[end].agent != moves[start].agent {
            intervals.push(start..end);
            start = end;
        }
    }
    intervals
}

/// The moves with those of `range` before the one at `to`, which is outside of the range.
pub(crate) fn moved(moves: &[Move], range: Range<usize>, to: usize) -> Vec<Move> {
    let taken = &moves[range.clone()];
    let (before, behind) = (&moves[..range.start], &moves[range.end..]);
    if to <= range.start {
        [&before[..to], taken, &before[to..], behind].concat()
    } else {
        let to = to - range.end;
        [before, &behind[..to], taken, &behind[to..]].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use symx_expr::StopReason;
    use symx_trace::{Decision, ThreadId};

    /// Threads of numbered steps. The failure: thread 0 takes its step 1 after thread 1's step 1, and thread
    /// 1's step 1 after thread 0's step 0.
    struct Fake {
        steps: [usize; 3],
    }

    fn step(thread: u32) -> Move {
        Move { agent: Agent::Thread(ThreadId(thread)), choices: Default::default() }
    }

    impl Replay for Fake {
        fn attempt(&mut self, moves: &[Move]) -> Option<Attempt> {
            let mut taken = [0; 3];
            let mut seen = Vec::new();
            let rest =
                (0..3).flat_map(|thread| std::iter::repeat_n(step(thread), self.steps[thread as usize]));
            for candidate in moves.iter().cloned().chain(rest) {
                let thread = candidate.agent.thread().index();
                if taken[thread] == self.steps[thread] {
                    continue;
                }
                taken[thread] += 1;
                seen.push(candidate);
                let at = |thread, number| {
                    let of = |step: &&Move| step.agent.thread() == ThreadId(thread);
                    let mut positions = seen.iter().enumerate().filter(|(_, step)| of(step));
                    positions.nth(number).map(|(position, _)| position)
                };
                if let (Some(first), Some(middle), Some(last)) = (at(0, 0), at(1, 1), at(0, 1))
                    && first < middle
                    && middle < last
                {
                    let decisions = seen.iter().map(|step| Decision::Run(step.agent)).collect();
                    return Some(Attempt { moves: seen, decisions, preemptions: 1 });
                }
            }
            None
        }
    }

    #[test]
    fn what_does_not_matter_goes_and_what_matters_stays() {
        let order = [2, 1, 2, 0, 2, 1, 2, 0, 2, 0];
        let moves: Vec<Move> = order.into_iter().map(step).collect();
        let simplified = simplify(&mut Fake { steps: [4, 3, 6] }, &moves, &StopToken::default()).unwrap();
        let threads: Vec<u32> = simplified.attempt.moves.iter().map(|step| step.agent.thread().0).collect();
        assert_eq!(threads, [0, 1, 1, 0]);
        assert_eq!((simplified.cost_before.switches, simplified.cost.switches), (7, 2));
        assert!(simplified.is_finished);
    }

    #[test]
    fn it_stops_when_asked_and_keeps_what_it_has() {
        let moves: Vec<Move> = [2, 1, 2, 0, 2, 1, 2, 0].into_iter().map(step).collect();
        let asked = AtomicU32::new(0);
        let stop = StopToken::when(move || {
            let is_over = asked.fetch_add(1, Ordering::Relaxed) >= 2;
            is_over.then_some(StopReason::MaxTime)
        });
        let simplified = simplify(&mut Fake { steps: [4, 3, 6] }, &moves, &stop).unwrap();
        assert!(!simplified.is_finished && simplified.cost <= simplified.cost_before);
    }

    #[test]
    fn a_schedule_without_the_failure_is_none() {
        assert!(simplify(&mut Fake { steps: [1, 1, 1] }, &[step(0)], &StopToken::default()).is_none());
    }

    #[test]
    fn ranges_move_up_and_down() {
        let moves: Vec<Move> = (0..5).map(step).collect();
        let order = |moves: Vec<Move>| moves.iter().map(|step| step.agent.thread().0).collect::<Vec<_>>();
        assert_eq!(order(moved(&moves, 3..5, 1)), [0, 3, 4, 1, 2]);
        assert_eq!(order(moved(&moves, 0..2, 4)), [2, 3, 0, 1, 4]);
    }
}
