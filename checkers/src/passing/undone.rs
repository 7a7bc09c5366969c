//! Passing executions by undoing a scheduler's switches: a thread that was interrupted goes on, or gets to
//! where it is interrupted only in its next turn.
//!
//! Whole switches are undone first, then all at once. Next, turns that follow each other are exchanged, then
//! a switch is moved by some steps, by few first. Further switches are moved in executions that still fail. A
//! run costs no more than its steps, however many threads there are. So a schedule of few preemptions is soon
//! compared with a passing one.

use super::reordering::{Neighbour, Reordered, ReorderingLimits, search};
use crate::passing::limits::{MOST_FURTHER, MOST_SINGLE};
use crate::simplify::{intervals, moved};
use std::ops::Range;
use symx_expr::StopToken;
use symx_trace::{Agent, Move, Reorder, Run};

/// Looks for it until all switches are tried, the limits are met, or `stop` ends it. `None` if there is
/// none among them, or `moves` do not lead to the failure.
pub fn undo(
    replay: &mut dyn Reorder,
    moves: &[Move],
    limits: ReorderingLimits,
    stop: &StopToken,
) -> Option<Reordered> {
    search(replay, moves, limits, &|base| Box::new(undone(base)), stop)
}

/// The change to one switch, from a thread's interval to the next one of the same.
#[derive(Clone, Copy)]
enum Change {
    /// The thread goes on for this many of its next steps.
    Up { from: usize, next: usize, steps: usize },
    /// The last steps before the switch, this many, wait for the next ones.
    Down { from: usize, next: usize, steps: usize },
    /// The thread goes on as far as it can.
    On { from: usize },
    /// The turn after the switch comes before the one that precedes it.
    Exchange { from: usize },
    /// All switches are undone.
    All,
}

/// The executions next to one: whole switches undone, the last first; all of them; turns exchanged; then some
/// steps moved.
fn undone(base: &Run) -> impl Iterator<Item = Neighbour> + '_ {
    let stretches = intervals(&base.moves);
    let (mut whole, mut exchanges) = (Vec::new(), Vec::new());
    let mut parts = Vec::new();
    let has_buffers = base.moves.iter().any(|one| one.agent.is_buffer());
    for from in (0..stretches.len()).rev() {
        let agent = base.moves[stretches[from].start].agent;
        let is_own = |other: &usize| base.moves[stretches[*other].start].agent == agent;
        let (length, next) = (stretches[from].len(), (from + 1..stretches.len()).find(is_own));
        let is_part = |steps: &usize| *steps <= MOST_SINGLE || steps.is_power_of_two();
        if let Some(next) = next {
            let ahead = stretches[next].len();
            whole.push(Change::Down { from, next, steps: length });
            whole.push(Change::Up { from, next, steps: ahead });
            parts
                .extend((1..length).filter(is_part).map(|steps| (steps, Change::Down { from, next, steps })));
            parts.extend((1..ahead).filter(is_part).map(|steps| (steps, Change::Up { from, next, steps })));
        }
        if !agent.is_buffer() {
            whole.push(Change::On { from });
        }
        // A turn does not take its stores along where these wait in a buffer.
        if from + 1 < stretches.len() && !has_buffers {
            exchanges.push(Change::Exchange { from });
        }
    }
    parts.sort_by_key(|(steps, _)| *steps);
    let ranked = whole.into_iter().map(|change| (0, change)).chain([(1, Change::All)]);
    let ranked = ranked.chain(exchanges.into_iter().map(|change| (2, change)));
    let ranked = ranked.chain(parts.into_iter().map(|(_, change)| (3, change)));
    ranked.map(move |(rank, change)| Neighbour { rank, moves: changed(&base.moves, &stretches, change) })
}

fn changed(moves: &[Move], stretches: &[Range<usize>], change: Change) -> Vec<Move> {
    match change {
        Change::Up { from, next, steps } => {
            let next = stretches[next].start;
            moved(moves, next..next + steps, stretches[from].end)
        }
        Change::Down { from, next, steps } => {
            let end = stretches[from].end;
            moved(moves, end - steps..end, stretches[next].start)
        }
        Change::On { from } => {
            let end = stretches[from].end;
            let further = Move { agent: agent_of(moves, end), choices: Default::default() };
            let further = std::iter::repeat_n(further, MOST_FURTHER);
            moves[..end].iter().cloned().chain(further).chain(moves[end..].iter().cloned()).collect()
        }
        Change::Exchange { from } => moved(moves, stretches[from + 1].clone(), stretches[from].start),
        Change::All => Vec::new(),
    }
}

/// The agent of the step before a place.
fn agent_of(moves: &[Move], end: usize) -> Agent {
    moves[end - 1].agent
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_trace::{Access, Decision, Footprint, RunEnd, ThreadId};

    /// Threads that read a number and write one more, each in two steps; it fails where an update is lost.
    struct Updates {
        threads: usize,
    }

    impl Reorder for Updates {
        fn run(&mut self, moves: &[Move]) -> Option<Run> {
            let mut seen: Vec<Vec<usize>> = vec![Vec::new(); self.threads];
            let (mut taken, mut footprints, mut number) = (Vec::new(), Vec::new(), 0);
            let rest = (0..self.threads).flat_map(|thread| [thread, thread]);
            for thread in moves.iter().map(|one| one.agent.thread().index()).chain(rest) {
                let access = match seen[thread][..] {
                    [] => Access::read(8, 4),
                    [read] => {
                        number = read + 1;
                        Access::write(8, 4)
                    }
                    _ => continue,
                };
                seen[thread].push(number);
                taken.push(step(thread));
                footprints.push(Footprint::from_slice(&[access]));
            }
            let decisions = taken.iter().map(|one: &Move| Decision::Run(one.agent)).collect();
            let end = if number == self.threads { RunEnd::Fine } else { RunEnd::SameFailure };
            Some(Run { moves: taken, footprints, decisions, waiting: Vec::new(), end })
        }
    }

    fn step(thread: usize) -> Move {
        Move { agent: Agent::Thread(ThreadId(thread as u32)), choices: Default::default() }
    }

    #[test]
    fn one_preemption_among_many_threads_is_undone_at_once() {
        for threads in [4, 8, 64] {
            let others = (1..threads).flat_map(|thread| [step(thread), step(thread)]);
            let moves: Vec<Move> = [step(0)].into_iter().chain(others).chain([step(0)]).collect();
            let limits = ReorderingLimits::default();
            let found =
                undo(&mut Updates { threads }, &moves, limits, &StopToken::default()).expect("there is one");
            assert!(found.nearness.is_nearest(), "{threads} threads: {:?}", found.nearness);
            assert!(found.executions <= 4 * threads as u64 + 4, "{} executions", found.executions);
        }
    }

    #[test]
    fn a_switch_is_moved_by_as_few_steps_as_it_takes() {
        // Two threads: each reads before the other writes.
        let moves = [0, 1, 0, 1].map(step);
        let found =
            undo(&mut Updates { threads: 2 }, &moves, ReorderingLimits::default(), &StopToken::default());
        assert!(found.is_some_and(|found| found.nearness.changed_flows == 1));
    }

    #[test]
    fn it_stops_when_asked() {
        let moves = [0, 1, 0, 1].map(step);
        let limits = ReorderingLimits::default();
        assert!(
            undo(
                &mut Updates { threads: 2 },
                &moves,
                limits,
                &StopToken::when(|| Some(symx_expr::StopReason::MaxTime))
            )
            .is_none()
        );
    }
}
