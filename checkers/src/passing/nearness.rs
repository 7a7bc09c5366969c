//! How near one execution is to another.

use crate::passing::limits::MOST_BYTES;
use std::collections::HashMap;
use symx_trace::{Access, Agent, Footprint, Mode, Move, Place, Run};

/// The differences of an execution from the failing one; smaller is nearer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Nearness {
    /// Whether the process ends before the thread that fails comes as far.
    pub is_cut_short: bool,
    /// Threads that take a step the failing execution does not have in its place.
    pub changed_paths: u32,
    /// Reads that get their value from another write.
    pub changed_flows: u32,
    /// Stretches of one thread that others interrupt.
    pub broken_segments: u32,
    /// Switches that it lacks.
    pub changed_switches: u32,
}

impl Nearness {
    /// Whether no execution can be nearer but in switches. A passing execution of the same paths reads
    /// another value at least once, or goes on where the other one blocks.
    pub fn is_nearest(&self) -> bool {
        !self.is_cut_short && self.changed_paths == 0 && self.changed_flows <= 1 && self.broken_segments == 0
    }
}

/// A step in every execution: the agent's `n`-th.
type Name = (Agent, u32);

/// How far an execution is from the failing one.
pub fn nearness(failing: &Run, other: &Run) -> Nearness {
    let (names, other_names) = (names(&failing.moves), names(&other.moves));
    let places: HashMap<Name, usize> = other_names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    Nearness {
        is_cut_short: is_cut_short(failing, other),
        changed_paths: changed_paths(failing, other),
        changed_flows: changed_flows(&flows(failing, &names), &flows(other, &other_names)),
        broken_segments: broken_segments(&names, &places, &other.moves),
        changed_switches: changed_switches(&names, &places, &other.moves),
    }
}

fn names(moves: &[Move]) -> Vec<Name> {
    let mut counts: HashMap<Agent, u32> = HashMap::new();
    let count = |one: &Move| {
        let count = counts.entry(one.agent).or_default();
        *count += 1;
        (one.agent, *count)
    };
    moves.iter().map(count).collect()
}

/// Whether the thread that takes the last step of the failing execution takes fewer here, all of them
/// those it took there.
fn is_cut_short(failing: &Run, other: &Run) -> bool {
    let is_thread = |one: &&Move| !one.agent.is_buffer();
    let Some(last) = failing.moves.iter().rfind(is_thread) else { return false };
    let steps = |run: &Run| -> Vec<Footprint> {
        let taken = run.moves.iter().zip(&run.footprints).filter(|(one, _)| one.agent == last.agent);
        taken.map(|(_, footprint)| footprint.clone()).collect()
    };
    is_beginning(&steps(other), &steps(failing), Footprint::eq)
}

/// Whether some steps are those that others begin with, and not all of them.
pub(crate) fn is_beginning<S>(steps: &[S], of: &[S], is_same: impl Fn(&S, &S) -> bool) -> bool {
    steps.len() < of.len() && steps.iter().zip(of).all(|(one, other)| is_same(one, other))
}

fn changed_paths(failing: &Run, other: &Run) -> u32 {
    let steps = |run: &Run| {
        let mut steps: HashMap<Agent, Vec<Footprint>> = HashMap::new();
        let taken = run.moves.iter().map(|one| one.agent).zip(run.footprints.iter().cloned());
        for (agent, footprint) in taken.chain(run.waiting.iter().cloned()) {
            steps.entry(agent).or_default().push(footprint);
        }
        steps
    };
    let others = steps(other);
    let is_changed = |(agent, mine): &(Agent, Vec<Footprint>)| {
        let theirs = others.get(agent).map_or(&[][..], Vec::as_slice);
        !agent.is_buffer() && mine.iter().zip(theirs).any(|(one, other)| one != other)
    };
    steps(failing).into_iter().filter(is_changed).count() as u32
}

/// By read, the write that each byte comes from.
fn flows(run: &Run, names: &[Name]) -> HashMap<(Name, u64), Option<Name>> {
    let mut writers: HashMap<u64, Name> = HashMap::new();
    let mut flows = HashMap::new();
    for (name, footprint) in names.iter().zip(&run.footprints) {
        let bytes = |access: &Access| match access.place {
            Place::Memory { start, end } => start..end.min(start + MOST_BYTES),
            _ => 0..0,
        };
        for access in footprint.iter().filter(|access| access.mode == Mode::Read) {
            for address in bytes(access) {
                flows.insert((*name, address), writers.get(&address).copied());
            }
        }
        for access in footprint.iter().filter(|access| access.mode == Mode::Write) {
            bytes(access).for_each(|address| {
                writers.insert(address, *name);
            });
        }
    }
    flows
}

/// Reads of both that differ, counted by the pair of write and read.
fn changed_flows(
    failing: &HashMap<(Name, u64), Option<Name>>,
    other: &HashMap<(Name, u64), Option<Name>>,
) -> u32 {
    let changed = other.iter().filter(|(read, source)| failing.get(read).is_some_and(|was| was != *source));
    let mut pairs: Vec<(Name, Option<Name>)> = changed.map(|((read, _), source)| (*read, *source)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.len() as u32
}

fn broken_segments(names: &[Name], places: &HashMap<Name, usize>, other: &[Move]) -> u32 {
    let steps: Vec<Name> = names.iter().filter(|(agent, _)| !agent.is_buffer()).copied().collect();
    let segments = steps.chunk_by(|one, next| one.0 == next.0);
    let is_broken = |segment: &&[Name]| {
        let (first, last) = (segment[0], segment[segment.len() - 1]);
        let (Some(&from), Some(&to)) = (places.get(&first), places.get(&last)) else { return false };
        let between = other[from.min(to)..from.max(to)].iter();
        between.filter(|one| !one.agent.is_buffer()).any(|one| one.agent != first.0)
    };
    segments.filter(is_broken).count() as u32
}

fn changed_switches(names: &[Name], places: &HashMap<Name, usize>, other: &[Move]) -> u32 {
    let steps: Vec<Name> = names.iter().filter(|(agent, _)| !agent.is_buffer()).copied().collect();
    let is_gone = |pair: &&[Name]| {
        let (Some(&from), Some(&to)) = (places.get(&pair[0]), places.get(&pair[1])) else { return true };
        from > to || other[from + 1..to].iter().any(|one| !one.agent.is_buffer())
    };
    steps.windows(2).filter(|pair| pair[0].0 != pair[1].0).filter(is_gone).count() as u32
}
