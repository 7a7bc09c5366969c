//! Passing executions by execution: dependent steps of two threads change places, and the program runs.
//!
//! Symbiosis (section 3.5) asks a solver about each pair. Here each is run, so all consequences of the
//! changed order (other paths, waits, wake-ups) are the program's own. Where one pair is not enough, further
//! pairs are changed in the executions that still fail (MaxSMT, section 3.1), the nearest first.

use super::nearness::{Nearness, nearness};
use crate::passing::limits::{LAST_STEPS, MOST_KEPT, MOST_STEPS};
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use symx_expr::StopToken;
use symx_trace::footprint::{dependent, reversible};
use symx_trace::{Agent, Footprint, Move, Reorder, Run, RunEnd};

/// Limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct ReorderingLimits {
    /// Executions.
    pub executions: u64,
    /// Pairs exchanged in one, or switches moved.
    pub changes: u32,
}

impl Default for ReorderingLimits {
    fn default() -> Self {
        Self { executions: 3_000, changes: 3 }
    }
}

/// The nearest execution found that does not fail.
#[derive(Clone, Debug)]
pub struct Reordered {
    /// It.
    pub run: Run,
    /// How near it is.
    pub nearness: Nearness,
    /// The failing execution it was compared with.
    pub failing: Run,
    /// Executions tried.
    pub executions: u64,
}

/// Looks for it until all pairs are tried, the limits are met, or `stop` ends it. `None` if there is none
/// among them, or `moves` do not lead to the failure.
pub fn reorder(
    replay: &mut dyn Reorder,
    moves: &[Move],
    limits: ReorderingLimits,
    stop: &StopToken,
) -> Option<Reordered> {
    search(replay, moves, limits, &|base| Box::new(exchanged(base)), stop)
}

/// An execution next to another one.
pub(super) struct Neighbour {
    /// Those of later ranks are only looked at as long as nothing is found.
    pub rank: u32,
    /// The moves tried to reach it.
    pub moves: Vec<Move>,
}

/// Executions next to one, those to be tried first in front.
pub(super) type Neighbours<'n> = dyn Fn(&Run) -> Box<dyn Iterator<Item = Neighbour> + '_> + 'n;

/// Looks at the neighbours of the failing execution, then at theirs, the nearest first, as [`reorder`] says.
pub(super) fn search(
    replay: &mut dyn Reorder,
    moves: &[Move],
    limits: ReorderingLimits,
    neighbours: &Neighbours<'_>,
    stop: &StopToken,
) -> Option<Reordered> {
    let failing = replay.run(moves).filter(|run| run.end == RunEnd::SameFailure)?;
    let mut known: HashSet<u64> = HashSet::new();
    let mut best: Option<(Nearness, u32, Run)> = None;
    // Executions that fail in any way, by how often they were changed and how near they are.
    let mut open: BTreeMap<(u32, Nearness, u64), Run> = BTreeMap::new();
    open.insert((0, Nearness::default(), 0), failing.clone());
    let mut kept = failing.moves.len();
    let mut executions = 0;
    'search: while let Some(((changes, ..), base)) = open.pop_first() {
        // More changes are no nearer.
        if changes == limits.changes || best.is_some() && changes > 0 {
            break;
        }
        kept -= base.moves.len();
        for candidate in neighbours(&base) {
            if best.as_ref().is_some_and(|(_, rank, _)| *rank < candidate.rank) {
                break;
            }
            if executions == limits.executions || stop.is_over() {
                break 'search;
            }
            executions += 1;
            let Some(run) = replay.run(&candidate.moves) else { continue };
            if !known.insert(fingerprint(&run.moves)) {
                continue;
            }
            let distance = nearness(&failing, &run);
            match run.end {
                RunEnd::Fine if best.as_ref().is_none_or(|(nearest, ..)| distance < *nearest) => {
                    best = Some((distance, candidate.rank, run));
                }
                // An execution that fails in another way may have corrected half of the fault.
                RunEnd::SameFailure | RunEnd::OtherFailure if best.is_none() => {
                    kept += run.moves.len();
                    open.insert((changes + 1, distance, executions), run);
                    while kept > MOST_KEPT
                        && let Some((_, farthest)) = open.pop_last()
                    {
                        kept -= farthest.moves.len();
                    }
                }
                _ => {}
            }
        }
    }
    best.map(|(nearness, _, run)| Reordered { run, nearness, failing, executions })
}

/// The executions in which two dependent steps of one change places: neighbours first; of those far from each
/// other, what came last. Executions with steps that are far from each other are long, and none is much
/// nearer than another.
fn exchanged(base: &Run) -> impl Iterator<Item = Neighbour> + '_ {
    let steps = Steps::of(base);
    let is_far = |(earlier, later): &(usize, usize)| later - earlier >= MOST_STEPS;
    let mut exchanges = steps.pairs();
    exchanges.sort_by_key(|pair| match is_far(pair) {
        false => (pair.1 - pair.0, pair.1),
        true => (MOST_STEPS, usize::MAX - pair.1),
    });
    exchanges.into_iter().flat_map(move |pair| {
        let rank = u32::from(is_far(&pair));
        steps.exchanged(pair.0, pair.1).map(|moves| Neighbour { rank, moves })
    })
}

/// Steps, those that wait at the end among them.
struct Steps<'r> {
    agents: Vec<Agent>,
    footprints: Vec<&'r Footprint>,
    moves: Vec<Move>,
}

/// Identifies an execution, up to hash collisions.
fn fingerprint(moves: &[Move]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for one in moves {
        (one.agent, &one.choices[..]).hash(&mut hasher);
    }
    hasher.finish()
}

impl<'r> Steps<'r> {
    fn of(base: &'r Run) -> Self {
        let waiting = base.waiting.iter();
        let more = waiting.clone().map(|(agent, _)| Move { agent: *agent, choices: Default::default() });
        let moves: Vec<Move> = base.moves.iter().cloned().chain(more).collect();
        let footprints = base.footprints.iter().chain(waiting.map(|(_, footprint)| footprint)).collect();
        Steps { agents: moves.iter().map(|one| one.agent).collect(), footprints, moves }
    }
}

impl Steps<'_> {
    fn of_one_thread(&self, one: usize, other: usize) -> bool {
        self.agents[one].thread() == self.agents[other].thread()
    }

    /// Pairs of dependent steps that could be in the reverse order. Between them the later one depends on no
    /// step of the earlier one's thread, or none of the later one's thread depends on the earlier.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let count = self.agents.len();
        let first = count.saturating_sub(MOST_STEPS);
        let mut pairs = Vec::new();
        let threads = self.agents.iter().map(|agent| agent.thread()).collect::<HashSet<_>>().len();
        let mut look = |earlier: usize, later: usize, other: usize, seen: &mut HashSet<_>| {
            let thread = self.agents[other].thread();
            if !self.of_one_thread(earlier, later)
                && !seen.contains(&thread)
                && dependent(self.footprints[earlier], self.footprints[later])
            {
                seen.insert(thread);
                if reversible(self.footprints[earlier], self.footprints[later]) {
                    pairs.push((earlier, later));
                }
            }
        };
        for later in first..count {
            let mut seen = HashSet::new();
            let begin = if later + LAST_STEPS >= count { 0 } else { first };
            for earlier in (begin..later).rev() {
                if seen.len() + 1 >= threads {
                    break;
                }
                look(earlier, later, earlier, &mut seen);
            }
        }
        for earlier in first..count {
            let mut seen = HashSet::new();
            (earlier + 1..count).for_each(|later| look(earlier, later, later, &mut seen));
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Ways to take the later step first: its thread hurries, or the other one waits; until the other of the
    /// two steps, or for good.
    fn exchanged(&self, earlier: usize, later: usize) -> [Vec<Move>; 4] {
        let end = self.agents.len();
        let hurries = |index: &usize| self.of_one_thread(*index, later);
        let waits = |index: &usize| self.of_one_thread(*index, earlier);
        let pick = |indices: Vec<usize>| indices.into_iter().map(|index| self.moves[index].clone()).collect();
        let ahead = |until: usize| {
            let taken = (0..earlier).chain((earlier..until).filter(hurries));
            taken.chain((earlier..until).filter(|index| !hurries(index))).chain(until..end)
        };
        let behind = |until: usize| {
            let taken = (0..earlier).chain((earlier..until).filter(|index| !waits(index)));
            taken.chain((earlier..until).filter(waits)).chain(until..end)
        };
        let alone = (0..earlier).chain((earlier..end).filter(hurries));
        let without = (0..earlier).chain((earlier..end).filter(|index| !waits(index)));
        [
            pick(ahead(later + 1).collect()),
            pick(behind(later + 1).collect()),
            pick(alone.collect()),
            pick(without.collect()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symx_expr::StopReason;
    use symx_trace::{Access, Decision, ThreadId};

    /// Threads of steps that read or write numbered places. The execution fails where thread 1 reads place 8
    /// before thread 0 writes it, or place 16 likewise.
    struct Flags {
        steps: [Vec<Access>; 2],
        /// How many of the places may be read too early.
        tolerated: usize,
    }

    impl Reorder for Flags {
        fn run(&mut self, moves: &[Move]) -> Option<Run> {
            let mut next = [0; 2];
            let (mut taken, mut footprints, mut early) = (Vec::new(), Vec::new(), 0);
            let all = |thread: usize| std::iter::repeat_n(thread, self.steps[thread].len());
            let rest = [0, 1].into_iter().flat_map(all);
            let wanted = moves.iter().map(|one| one.agent.thread().index());
            let mut written: Vec<Access> = Vec::new();
            for thread in wanted.chain(rest) {
                let Some(access) = self.steps[thread].get(next[thread]) else { continue };
                next[thread] += 1;
                if thread == 0 {
                    written.push(*access);
                } else {
                    early += usize::from(!written.iter().any(|write| write.place == access.place));
                }
                taken.push(Move {
                    agent: Agent::Thread(ThreadId(thread as u32)),
                    choices: Default::default(),
                });
                footprints.push(Footprint::from_slice(&[*access]));
            }
            let decisions = taken.iter().map(|one: &Move| Decision::Run(one.agent)).collect();
            let end = if early > self.tolerated { RunEnd::SameFailure } else { RunEnd::Fine };
            Some(Run { moves: taken, footprints, decisions, waiting: Vec::new(), end })
        }
    }

    fn step(thread: u32) -> Move {
        Move { agent: Agent::Thread(ThreadId(thread)), choices: Default::default() }
    }

    fn flags(tolerated: usize) -> Flags {
        let (writes, reads) = ([8, 16].map(|at| Access::write(at, 4)), [8, 16].map(|at| Access::read(at, 4)));
        Flags { steps: [writes.to_vec(), reads.to_vec()], tolerated }
    }

    fn passing(tolerated: usize) -> Reordered {
        let moves: Vec<Move> = [1, 1, 0, 0].into_iter().map(step).collect();
        reorder(&mut flags(tolerated), &moves, ReorderingLimits::default(), &StopToken::default())
            .expect("there is one")
    }

    #[test]
    fn one_pair_is_enough_where_one_flow_is_to_blame() {
        let found = passing(1);
        assert_eq!(found.nearness.changed_flows, 1);
        assert_eq!(found.nearness.changed_paths, 0);
    }

    #[test]
    fn where_two_flows_are_to_blame_both_change() {
        assert_eq!(passing(0).nearness.changed_flows, 2);
    }

    #[test]
    fn what_the_last_steps_depend_on_may_have_been_long_ago() {
        // Thread 1 looks too early, then goes on with memory of its own for longer than pairs are looked for.
        let own = std::iter::repeat_n(Access::read(32, 4), 2 * MOST_STEPS);
        let reads = std::iter::once(Access::read(8, 4)).chain(own).collect::<Vec<Access>>();
        let moves = [vec![step(1); reads.len()], vec![step(0)]].concat();
        let mut program = Flags { steps: [vec![Access::write(8, 4)], reads], tolerated: 2 * MOST_STEPS };
        let found = reorder(&mut program, &moves, ReorderingLimits::default(), &StopToken::default());
        let found = found.expect("the write can come first");
        assert!(found.executions <= 4, "{} executions", found.executions);
        assert_eq!(found.run.moves[0], step(0));
    }

    #[test]
    fn it_stops_when_asked() {
        let moves: Vec<Move> = [1, 1, 0, 0].into_iter().map(step).collect();
        assert!(
            reorder(
                &mut flags(0),
                &moves,
                ReorderingLimits::default(),
                &StopToken::when(|| Some(StopReason::MaxTime))
            )
            .is_none()
        );
    }
}
