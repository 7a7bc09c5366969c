//! The axioms of the happens-before model.
//!
//! Events have one order of execution: of each thread, from a write to its reads, and through
//! synchronisation. A candidate's coherence lists are the order in which writes are executed, which counts
//! at places that read-modify-writes touch.
//!
//! Coherence order is looked for. It has to agree with happens-before between writes. A read must return no
//! write before one that happens before it, nor an atomic load one before a write that an atomic load before
//! it returned. A store comes after what atomic loads before it returned. A read-modify-write returns the
//! newest of the writes executed before it, and comes between them and all writes executed later. A write of
//! several locations has one place in coherence order.
//!
//! Happens-before is the closure of program order, synchronisation, and a release that is acquired: directly,
//! by fences, or along read-modify-writes. It also leads from each sequentially consistent store, update and
//! fence to every sequentially consistent event executed later. Since the order of execution is no part of a
//! candidate, one is looked for.

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
}

impl Execution {
    /// Whether the happens-before model allows the execution, else the first axiom it breaks.
    pub fn check_happens_before(&self) -> Result<(), Forbidden> {
        self.check_untorn()?;
        let program_order = self.program_order();
        let mut executed = program_order.clone();
        executed.extend(&self.synchronises);
        for location in &self.locations {
            executed.extend(location.reads_from.iter().filter_map(|&(read, source)| Some((source?, read))));
            if location.reads_from.iter().any(|(read, _)| self.events[*read].is_update()) {
                executed.extend(location.overwrites());
            }
        }
        let total: Vec<usize> =
            (0..self.events.len()).filter(|event| self.events[*event].is_sequentially_consistent()).collect();
        let updates = self.updates();
        let fixed = vec![Pairs::new(); self.locations.len()];
        let acquired = self.acquired();
        let mut search =
            Search { execution: self, program_order, acquired, executed, total, fixed, broken: None };
        match search.any_moments(&updates) {
            true => Ok(()),
            false => Err(search.broken.unwrap_or(Forbidden::Order { cycle: search.total })),
        }
    }

    /// The updates, those whose compare fails included, each with its location and what it reads there.
    fn updates<'e>(&'e self) -> Vec<(usize, usize, Option<usize>)> {
        let of = |(index, location): (usize, &'e Location)| {
            let updates = location.reads_from.iter().filter(|(read, _)| self.events[*read].is_update());
            updates.map(move |(read, source)| (index, *read, *source))
        };
        self.locations.iter().enumerate().flat_map(of).collect()
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
            before.thread == event.thread
                && before.operation == Operation::Fence
                && before.ordering.releases()
        };
        let mut all: Vec<usize> = if event.ordering.releases() {
            vec![write]
        } else {
            (0..write).rev().find(fence).into_iter().collect()
        };
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
        if event.ordering.acquires() {
            return Some(read);
        }
        let fence = |after: &usize| {
            let after = &self.events[*after];
            after.thread == event.thread && after.operation == Operation::Fence && after.ordering.acquires()
        };
        (read + 1..self.events.len()).find(fence).filter(|_| event.ordering != Ordering::NotAtomic)
    }
}

/// Looks for an order of execution under which some coherence order has what is asked of it.
struct Search<'a> {
    execution: &'a Execution,
    program_order: Pairs,
    acquired: Pairs,
    executed: Pairs,
    /// The sequentially consistent events.
    total: Vec<usize>,
    /// By location, pairs of its coherence order that updates ask for.
    fixed: Vec<Pairs>,
    /// What an order broke.
    broken: Option<Forbidden>,
}

impl Search<'_> {
    /// Whether the updates can be executed at some moments among the writes of their locations.
    fn any_moments(&mut self, updates: &[(usize, usize, Option<usize>)]) -> bool {
        let execution = self.execution;
        let Some((&(at, update, source), rest)) = updates.split_first() else {
            let total = self.total.clone();
            return self.is_executed(&self.executed) && self.any_order(&mut Vec::new(), &total);
        };
        let location = &execution.locations[at];
        let writes = &location.coherence;
        let own = writes.iter().position(|write| *write == update);
        let moments = own.map_or(0..writes.len() + 1, |own| own..own + 1);
        for moment in moments {
            let (before, after) = writes.split_at(moment);
            if source.is_some_and(|source| !before.contains(&source)) || source.is_none() && moment > 0 {
                continue;
            }
            let (executed, fixed) = (self.executed.len(), self.fixed[at].len());
            let later = after.iter().filter(|write| **write != update);
            self.executed.extend(before.iter().map(|write| (*write, update)));
            self.executed.extend(later.map(|write| (update, *write)));
            let older = before.iter().filter(|write| Some(**write) != source);
            self.fixed[at].extend(older.flat_map(|write| Some((*write, source?))));
            self.fixed[at].extend(before.iter().flat_map(|one| after.iter().map(|other| (*one, *other))));
            if own.is_some() {
                self.fixed[at].extend(after[1..].iter().map(|other| (update, *other)));
            }
            let found = self.any_moments(rest);
            self.executed.truncate(executed);
            self.fixed[at].truncate(fixed);
            if found {
                return true;
            }
        }
        false
    }

    fn is_executed(&self, executed: &Pairs) -> bool {
        cycle(executed.clone()).is_none()
    }

    /// Whether the sequentially consistent events can be executed as `ordered`, then `rest` in some order.
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
        if !self.is_executed(&executed) {
            return false;
        }
        // Loads publish nothing.
        let mut total = Vec::new();
        for (index, before) in ordered.iter().enumerate() {
            if self.execution.events[*before].operation != Operation::Load {
                total.extend(ordered[index + 1..].iter().chain(rest).map(|after| (*before, *after)));
            }
        }
        let before = self.closure(&total);
        let broken = self.broken(&total, &before);
        let is_allowed = broken.is_ok();
        self.broken = broken.err().or(self.broken.take());
        is_allowed
    }

    /// How coherence is broken, if sequentially consistent events are executed so.
    fn broken(&self, total: &Pairs, before: &Closure) -> Result<(), Forbidden> {
        let mut all = Pairs::new();
        for (at, location) in self.execution.locations.iter().enumerate() {
            let order = self.order_at(at, total, before)?;
            all.extend_from_slice(&order);
            let address = location.range.address;
            cycle(order).map_or(Ok(()), |cycle| Err(Forbidden::Coherence { address, cycle }))?;
        }
        // A write of several locations has one place among all of them.
        let address = |cycle: &[usize]| self.execution.events[cycle[0]].range.address;
        let coherence = |cycle: Vec<usize>| Err(Forbidden::Coherence { address: address(&cycle), cycle });
        cycle(all).map_or(Ok(()), coherence)
    }

    /// The pairs of writes of a location of which the first comes before the second.
    fn order_at(&self, at: usize, total: &Pairs, before: &Closure) -> Result<Pairs, Forbidden> {
        let execution = self.execution;
        let location = &execution.locations[at];
        let address = location.range.address;
        // Events that a load acquires itself come too late to hide anything from it.
        let direct = || self.program_order.iter().chain(&execution.synchronises).chain(total);
        let comes_after = |event: usize, earlier: usize| {
            let mut into = direct().filter(|(_, after)| *after == event);
            into.any(|(last, _)| *last == earlier || before.contains(earlier, *last))
        };
        let is_atomic = |event: usize| execution.events[event].ordering != Ordering::NotAtomic;
        let mut order = self.fixed[at].clone();
        for &write in &location.coherence {
            let others = location.coherence.iter().filter(|other| before.contains(**other, write));
            order.extend(others.map(|other| (*other, write)));
            // A store comes after what atomic loads before it have returned.
            let loads = location.reads_from.iter().filter(|(load, source)| {
                *source != Some(write) && *load != write && is_atomic(*load) && comes_after(write, *load)
            });
            order.extend(loads.filter_map(|(_, source)| Some(((*source)?, write))));
        }
        for &(read, source) in &location.reads_from {
            let writes = location.coherence.iter().copied().filter(|write| comes_after(read, *write));
            let loads = location
                .reads_from
                .iter()
                .filter(|(earlier, _)| is_atomic(read) && is_atomic(*earlier) && comes_after(read, *earlier));
            for known in writes.chain(loads.filter_map(|(_, source)| *source)) {
                match source {
                    Some(source) if source == known => {}
                    Some(source) => order.push((known, source)),
                    None => return Err(Forbidden::Hidden { address, read }),
                }
            }
        }
        Ok(order)
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
