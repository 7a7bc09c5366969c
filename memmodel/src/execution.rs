//! Candidate executions: what happened, without saying when.

use crate::{ByteRange, Ordering};

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes in one step: `atomicrmw`, or `cmpxchg` whose compare succeeded.
    ReadModifyWrite,
    /// A `cmpxchg` whose compare failed: it reads, and waits as if it wrote.
    FailedCompareExchange,
    /// A fence.
    Fence,
    /// A call that synchronises threads (create, join, mutex, condition, barrier).
    Synchronisation,
}

/// One event of a thread. Its place in program order is its place in [`Execution::events`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// The thread that issued it.
    pub thread: u32,
    /// What it does.
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
            Operation::Load | Operation::ReadModifyWrite | Operation::FailedCompareExchange
        )
    }

    /// Whether it writes memory.
    pub fn writes(&self) -> bool {
        matches!(self.operation, Operation::Store | Operation::ReadModifyWrite)
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
    /// Pairs of events of which the first takes effect before the second because threads synchronise: an
    /// unlock before the lock that follows it, a creation before the first event of the new thread, and every
    /// event of a thread before its join (exiting does not empty a buffer, joining waits for that).
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
        let accesses = || events.iter().map(|event| event.range).filter(|range| range.length != 0);
        let mut cuts: Vec<u64> =
            accesses().flat_map(|range| [range.address, range.address + range.length]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let locations = cuts
            .windows(2)
            .map(|cut| ByteRange::new(cut[0], cut[1] - cut[0]))
            .filter(|range| accesses().any(|access| access.overlaps(*range)))
            .map(|range| {
                let at = || events.iter().enumerate().filter(move |(_, event)| event.range.covers(range));
                Location {
                    range,
                    coherence: at().filter(|(_, event)| event.writes()).map(|(index, _)| index).collect(),
                    reads_from: at()
                        .filter(|(_, event)| event.reads())
                        .map(|(index, _)| (index, None))
                        .collect(),
                }
            })
            .collect();
        Self { events, synchronises: Vec::new(), locations }
    }
}

impl Location {
    /// From-reads (fr): each read with the first write that overwrites what it read. Later overwriters follow
    /// by coherence order.
    pub fn from_reads(&self) -> impl Iterator<Item = (usize, usize)> {
        self.reads_from.iter().filter_map(|&(read, source)| {
            // A read-modify-write that reads from its coherence predecessor overwrites the value itself.
            let overwriter = *self.coherence.get(self.rank(source))?;
            (overwriter != read).then_some((read, overwriter))
        })
    }

    /// How many writes of the coherence order are not after `source`.
    pub(crate) fn rank(&self, source: Option<usize>) -> usize {
        source.map_or(0, |write| {
            let position = self.coherence.iter().position(|&other| other == write);
            position.expect("a read is from a write to its location") + 1
        })
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
