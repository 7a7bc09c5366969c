//! Candidate executions: events without their schedule.

use crate::{ByteRange, Ordering};
use std::collections::HashMap;

/// The operation of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes in one step: `atomicrmw`, or `cmpxchg` whose compare succeeded.
    ReadModifyWrite,
    /// A `cmpxchg` whose compare failed: it reads, and waits as if it wrote.
    FailedCompareExchange,
    /// Reads and writes in one step what no store goes to: something outside memory, which waits for none
    /// of the thread's stores.
    Effect,
    /// A fence.
    Fence,
    /// A call that synchronises threads (create, join, mutex, condition, barrier).
    Synchronisation,
}

impl Operation {
    /// Whether it may take effect before stores that its thread issued earlier, as loads do
    /// where stores are buffered.
    pub fn may_overtake_stores(self) -> bool {
        matches!(self, Self::Load | Self::Effect)
    }
}

/// One event of a thread. Its place in program order is its place in [`Execution::events`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// The thread that issued it.
    pub thread: u32,
    /// Its operation.
    pub operation: Operation,
    /// The ordering it asks for.
    pub ordering: Ordering,
    /// The bytes it accesses; of length 0 for fences and synchronisation.
    pub range: ByteRange,
}

impl Event {
    /// Whether it reads memory.
    pub fn reads(&self) -> bool {
        matches!(
            self.operation,
            Operation::Load
                | Operation::ReadModifyWrite
                | Operation::FailedCompareExchange
                | Operation::Effect
        )
    }

    /// Whether it writes memory.
    pub fn writes(&self) -> bool {
        matches!(self.operation, Operation::Store | Operation::ReadModifyWrite | Operation::Effect)
    }
}

/// A longest range of bytes that every event covers wholly or not at all, with its communication relations.
///
/// Coherence is a property of bytes, not of accesses: with accesses of mixed sizes a load may merge bytes of
/// several stores. Bytes that are always accessed together need no telling apart, since no model here lets a
/// load tear a store within them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The bytes.
    pub range: ByteRange,
    /// The events that write the location, in coherence order (co).
    pub coherence: Vec<usize>,
    /// The events that read the location, in list order, each with the event it reads from (rf); `None` is
    /// the initial value.
    pub reads_from: Vec<(usize, Option<usize>)>,
}

/// A candidate execution: events in program order (po), reads-from (rf) and coherence order (co).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Execution {
    /// All events. Those of one thread stand in program order; threads may be interleaved in any way.
    pub events: Vec<Event>,
    /// Pairs of events of which the first takes effect before the second because threads synchronise. An
    /// unlock comes before the next lock, a creation before the new thread's first event, and every event of
    /// a thread before its join. (Exiting does not empty a buffer; joining waits for that.)
    pub synchronises: Vec<(usize, usize)>,
    /// The locations, in order of address.
    pub locations: Vec<Location>,
}

impl Execution {
    /// The execution of `events` in which all reads are from the initial value and coherence order is list
    /// order. Callers put in the relations they mean: each location must keep the writes and reads it has.
    ///
    /// Ranges must not wrap around the end of the address space.
    pub fn new(events: Vec<Event>) -> Self {
        let bounds = events.iter().map(|event| event.range).filter(|range| range.length != 0);
        let mut cuts: Vec<u64> =
            bounds.flat_map(|range| [range.address, range.address + range.length]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let between_cuts = cuts.windows(2).map(|cut| ByteRange::new(cut[0], cut[1] - cut[0]));
        let empty = |range| Location { range, coherence: Vec::new(), reads_from: Vec::new() };
        let mut locations: Vec<Location> = between_cuts.map(empty).collect();
        for (index, event) in events.iter().enumerate() {
            let first = locations.partition_point(|location| location.range.address < event.range.address);
            for location in
                locations[first..].iter_mut().take_while(|location| event.range.covers(location.range))
            {
                if event.writes() {
                    location.coherence.push(index);
                }
                if event.reads() {
                    location.reads_from.push((index, None));
                }
            }
        }
        // Bytes that no event accesses lie between two locations and are none.
        locations.retain(|location| !location.coherence.is_empty() || !location.reads_from.is_empty());
        Self { events, synchronises: Vec::new(), locations }
    }
}

impl Location {
    /// Coherence order (co) without the pairs that follow from the others.
    pub fn overwrites(&self) -> impl Iterator<Item = (usize, usize)> {
        self.coherence.windows(2).map(|pair| (pair[0], pair[1]))
    }

    /// From-reads (fr): each read with the first write that overwrites what it read. Later overwriters follow
    /// by coherence order.
    pub fn from_reads(&self) -> impl Iterator<Item = (usize, usize)> {
        let overwriters = self.overwriters();
        self.reads_from.iter().filter_map(move |&(read, source)| {
            let overwriter = *overwriters.get(&source)?;
            // A read-modify-write may itself overwrite what it read.
            (overwriter != read).then_some((read, overwriter))
        })
    }

    /// By write (`None` for the initial value), the next write in coherence order.
    pub(crate) fn overwriters(&self) -> HashMap<Option<usize>, usize> {
        let sources = [None].into_iter().chain(self.coherence.iter().copied().map(Some));
        sources.zip(self.coherence.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(operation: Operation, address: u64, length: u64) -> Event {
        Event { thread: 0, operation, ordering: Ordering::Monotonic, range: ByteRange::new(address, length) }
    }

    #[test]
    fn locations_are_cut_where_accesses_start_and_end() {
        let execution = Execution::new(vec![
            event(Operation::Store, 100, 4),
            event(Operation::Load, 102, 1),
            event(Operation::Fence, 0, 0),
            event(Operation::ReadModifyWrite, 200, 8),
        ]);
        let ranges: Vec<_> = execution.locations.iter().map(|location| location.range).collect();
        let expected = [(100, 2), (102, 1), (103, 1), (200, 8)];
        assert_eq!(ranges, expected.map(|(address, length)| ByteRange::new(address, length)));
        assert_eq!(execution.locations[1].coherence, [0]);
        assert_eq!(execution.locations[1].reads_from, [(1, None)]);
        assert_eq!(execution.locations[3].reads_from, [(3, None)], "an update is both");
        assert_eq!(execution.locations[3].coherence, [3]);
    }

    #[test]
    fn from_reads_leads_to_the_next_write_in_coherence_order() {
        let mut execution = Execution::new(vec![
            event(Operation::Store, 0, 1),
            event(Operation::Store, 0, 1),
            event(Operation::Load, 0, 1),
            event(Operation::ReadModifyWrite, 0, 1),
        ]);
        let location = &mut execution.locations[0];
        location.coherence = vec![1, 0, 3];
        location.reads_from = vec![(2, Some(1)), (3, Some(0))];
        assert_eq!(location.from_reads().collect::<Vec<_>>(), [(2, 0)]);
    }
}
