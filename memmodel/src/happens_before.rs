//! The axioms of the happens-before model.
//!
//! Events have one order of execution: of each thread, from a write to its reads, and through
//! synchronisation. At places that read-modify-writes touch, it also orders all writes. Within it, a load
//! returns any write that no other write follows by happens-before and precedes the load by happens-before.
//! Nor does an atomic load return a write that follows so before one that an earlier atomic load returned.
//!
//! Happens-before is the closure of program order, synchronisation, and a release that is acquired: directly,
//! by fences, or along read-modify-writes, which all release and acquire. It also leads from each
//! sequentially consistent store, update and fence to every sequentially consistent event executed later.
//! Since that order of execution is no part of a candidate, one is looked for.

use crate::axioms::cycle;
use crate::{Event, Execution, Forbidden, Location, Operation, Ordering};

type Pairs = Vec<(usize, usize)>;

impl Event {
    fn is_update(&self) -> bool {
        matches!(self.operation, Operation::ReadModifyWrite | Operation::FailedCompareExchange)
    }

    fn is_sequentially_consistent(&self) -> bool {
        self.ordering == Ordering::SequentiallyConsistent && self.operation != Operation::Synchronisation
    }

    fn acquires(&self) -> bool {
        self.is_update() || self.ordering.acquires()
    }

    fn releases(&self) -> bool {
        self.is_update() || self.ordering.releases()
    }
}

impl Execution {
    /// Whether the happens-before model allows the execution, else the first axiom it breaks.
    pub fn check_happens_before(&self) -> Result<(), Forbidden> {
        self.check_atomicity()?;
        self.check_untorn()?;
        let program_order = self.program_order();
        let mut executed = program_order.clone();
        executed.extend(&self.synchronises);
        for location in &self.locations {
            executed.extend(location.reads_from.iter().filter_map(|&(read, source)| Some((source?, read))));
            if location.reads_from.iter().any(|(read, _)| self.events[*read].is_update()) {
                executed.extend(location.overwrites());
                executed.extend(location.from_reads().filter(|(read, _)| self.events[*read].is_update()));
            }
        }
        if let Some(cycle) = cycle(executed.clone()) {
            return Err(Forbidden::Order { cycle });
        }
        let acquired = self.acquired();
        let total: Vec<usize> =
            (0..self.events.len()).filter(|event| self.events[*event].is_sequentially_consistent()).collect();
        let mut search = Search { execution: self, program_order, acquired, executed, hidden: None };
        match search.any_order(&mut Vec::new(), &total) {
            true => Ok(()),
            false => Err(search.hidden.unwrap_or(Forbidden::Order { cycle: total })),
        }
    }

    /// An update writes next after what it read.
    fn check_atomicity(&self) -> Result<(), Forbidden> {
        for location in &self.locations {
            let overwriters = location.overwriters();
            let torn = location.reads_from.iter().find(|(read, source)| {
                self.events[*read].writes() && overwriters.get(source).copied() != Some(*read)
            });
            if let Some(&(update, _)) = torn {
                return Err(Forbidden::Atomicity { address: location.range.address, update });
            }
        }
        Ok(())
    }

    /// A read does not show one of two writes at one location and the other at another, if both wrote both.
    fn check_untorn(&self) -> Result<(), Forbidden> {
        let wrote = |write: Option<usize>, location: &Location| {
            write.is_none_or(|write| self.events[write].range.covers(location.range))
        };
        for (index, one) in self.locations.iter().enumerate() {
            for other in &self.locations[index + 1..] {
                for &(read, here) in &one.reads_from {
                    let there = other.reads_from.iter().find(|(reader, _)| *reader == read);
                    if let Some(&(_, there)) = there
                        && here != there
                        && wrote(here, other)
                        && wrote(there, one)
                    {
                        return Err(Forbidden::Hidden { address: other.range.address, read });
                    }
                }
            }
        }
        Ok(())
    }

    /// Each event of a thread with its next.
    fn program_order(&self) -> Pairs {
        let mut last = std::collections::HashMap::new();
        let mut pairs = Vec::new();
        for (index, event) in self.events.iter().enumerate() {
            pairs.extend(last.insert(event.thread, index).map(|before| (before, index)));
        }
        pairs
    }

    /// From each releasing event to each event that acquires what it released.
    fn acquired(&self) -> Pairs {
        let mut pairs = Vec::new();
        for location in &self.locations {
            for &(read, source) in &location.reads_from {
                let Some(source) = source else { continue };
                for release in self.released_by(source) {
                    pairs.extend(self.acquirer(read).map(|acquirer| (release, acquirer)));
                }
            }
        }
        pairs
    }

    /// The events whose past a reader of `write` can acquire. (Updates read from earlier
    /// writes, so this ends.)
    fn released_by(&self, write: usize) -> Vec<usize> {
        let event = &self.events[write];
        if event.ordering == Ordering::NotAtomic {
            return Vec::new();
        }
        let fence = |before: &usize| {
            let before = &self.events[*before];
            before.thread == event.thread && before.operation == Operation::Fence && before.releases()
        };
        let mut all: Vec<usize> =
            if event.releases() { vec![write] } else { (0..write).rev().find(fence).into_iter().collect() };
        if event.is_update() {
            for location in &self.locations {
                let read = location.reads_from.iter().find(|(read, _)| *read == write);
                all.extend(
                    read.and_then(|(_, source)| *source).map(|s| self.released_by(s)).unwrap_or_default(),
                );
            }
        }
        all
    }

    /// The event that comes after what `read` acquires: itself, or a fence after it.
    fn acquirer(&self, read: usize) -> Option<usize> {
        let event = &self.events[read];
        if event.acquires() {
            return Some(read);
        }
        let fence = |after: &usize| {
            let after = &self.events[*after];
            after.thread == event.thread && after.operation == Operation::Fence && after.acquires()
        };
        (read + 1..self.events.len()).find(fence).filter(|_| event.ordering != Ordering::NotAtomic)
    }
}

/// Looks for an order of the sequentially consistent events under which nothing hidden is read.
struct Search<'a> {
    execution: &'a Execution,
    program_order: Pairs,
    acquired: Pairs,
    executed: Pairs,
    /// Why an order failed.
    hidden: Option<Forbidden>,
}

impl Search<'_> {
    /// Whether `ordered`, then `rest` in some order, is such an order.
    fn any_order(&mut self, ordered: &mut Vec<usize>, rest: &[usize]) -> bool {
        // A violation stays one, however the rest is ordered.
        if !self.allows(ordered, rest) {
            return false;
        }
        if rest.is_empty() {
            return true;
        }
        rest.iter().enumerate().any(|(index, next)| {
            // Those of one thread come in program order, which is list order.
            let thread = self.execution.events[*next].thread;
            if rest[..index].iter().any(|before| self.execution.events[*before].thread == thread) {
                return false;
            }
            ordered.push(*next);
            let mut left = rest.to_vec();
            left.remove(index);
            let found = self.any_order(ordered, &left);
            ordered.pop();
            found
        })
    }

    /// Whether nothing speaks against `ordered` coming in this order and before `rest`.
    fn allows(&mut self, ordered: &[usize], rest: &[usize]) -> bool {
        let mut executed = self.executed.clone();
        executed.extend(ordered.windows(2).map(|pair| (pair[0], pair[1])));
        executed.extend(ordered.last().into_iter().flat_map(|last| rest.iter().map(|next| (*last, *next))));
        if cycle(executed).is_some() {
            return false;
        }
        // Loads publish nothing.
        let mut total = Vec::new();
        for (index, before) in ordered.iter().enumerate() {
            if self.execution.events[*before].operation != Operation::Load {
                total.extend(ordered[index + 1..].iter().chain(rest).map(|after| (*before, *after)));
            }
        }
        let into = |event: usize| {
            let direct = self.program_order.iter().chain(&self.execution.synchronises).chain(&total);
            direct.filter(move |(_, after)| *after == event).map(|(before, _)| *before)
        };
        let before = self.closure(&total);
        let precedes = |one: usize, other: usize| before.contains(one, other);
        for location in &self.execution.locations {
            let loads = location
                .reads_from
                .iter()
                .filter(|(read, _)| self.execution.events[*read].operation == Operation::Load);
            for &(read, source) in loads {
                // Events that a load acquires itself come too late to hide anything from it.
                let is_known = |event: usize| into(read).any(|last| last == event || precedes(event, last));
                let is_atomic = |event: usize| self.execution.events[event].ordering != Ordering::NotAtomic;
                let is_seen = |write: usize| {
                    let mut seen = location.reads_from.iter().filter(|(_, seen)| *seen == Some(write));
                    is_atomic(read) && seen.any(|(earlier, _)| is_atomic(*earlier) && is_known(*earlier))
                };
                let hides = |write: &usize| {
                    Some(*write) != source
                        && source.is_none_or(|source| precedes(source, *write))
                        && (is_known(*write) || is_seen(*write))
                };
                if location.coherence.iter().any(hides) {
                    self.hidden = Some(Forbidden::Hidden { address: location.range.address, read });
                    return false;
                }
            }
        }
        true
    }

    /// For each event, which events happen before it: a bit each.
    fn closure(&self, total: &[(usize, usize)]) -> Closure {
        let count = self.execution.events.len();
        let mut before = Closure { width: count.div_ceil(64), bits: vec![0; count * count.div_ceil(64)] };
        let direct = self.program_order.iter().chain(&self.execution.synchronises);
        for &(one, other) in direct.chain(&self.acquired).chain(total) {
            before.add(one, other);
        }
        for middle in 0..count {
            for event in (0..count).filter(|event| *event != middle) {
                if before.contains(middle, event) {
                    before.join(middle, event);
                }
            }
        }
        before
    }
}

/// A transitive relation, as rows of bits.
struct Closure {
    width: usize,
    bits: Vec<u64>,
}

impl Closure {
    /// Whether `one` comes before `other`.
    fn contains(&self, one: usize, other: usize) -> bool {
        self.bits[other * self.width + one / 64] >> (one % 64) & 1 == 1
    }

    fn add(&mut self, one: usize, other: usize) {
        self.bits[other * self.width + one / 64] |= 1 << (one % 64);
    }

    /// Events before `one` come before `other`.
    fn join(&mut self, one: usize, other: usize) {
        for word in 0..self.width {
            self.bits[other * self.width + word] |= self.bits[one * self.width + word];
        }
    }
}
