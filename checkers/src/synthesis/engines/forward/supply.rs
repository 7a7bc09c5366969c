//! Whether the reads still to come can return what their paths need.
//!
//! A read that a path puts a condition on needs a value that meets it: the present one, or one still to be
//! written. A write that overwrites the last such value before the read leads to a dead end, long before the
//! read is reached.

use super::limits::MOST_DEMANDS;
use crate::synthesis::execution::machine::{Machine, State};
use crate::synthesis::problem::{EventId, Problem};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use symx_expr::{Assignment, BinaryOperator, BitVector, Node, Term, evaluate};

/// The accesses of threads to one location.
#[derive(Default, Debug)]
struct Place {
    /// By thread, its reads that have conditions, by their places.
    demands: HashMap<usize, Vec<usize>>,
    /// By thread, its writes, by their places, with their values if those are constants.
    writes: HashMap<usize, Vec<(usize, Option<BitVector>)>>,
}

/// Conditions on single reads, and the writes that may meet them.
#[derive(Debug)]
pub(super) struct Supply<'p> {
    pub problem: &'p Problem,
    /// By location; those that are accessed in parts have nothing.
    places: Vec<Place>,
    /// By event that reads, the conditions on that read alone.
    conditions: HashMap<EventId, Vec<Term>>,
    /// All of these.
    single: HashSet<Term>,
    /// Whether a value meets the conditions on a read, once it was asked.
    known: RefCell<FxHashMap<(EventId, BitVector), bool>>,
}

impl<'p> Supply<'p> {
    pub(super) fn new(problem: &'p Problem, machine: &Machine, locations: &[Range<usize>]) -> Self {
        let (mut conditions, mut single) = (HashMap::<EventId, Vec<Term>>::new(), HashSet::new());
        for (event, condition) in machine.conditions_on_one_read() {
            conditions.entry(event).or_default().push(condition);
            single.insert(condition);
        }
        let all = &problem.execution.locations;
        let mut places: Vec<Place> = all.iter().map(|_| Place::default()).collect();
        for event in problem.events() {
            let position = problem.position(event);
            let (operation, range) =
                (problem.operation(event), problem.execution.events[event.index()].range);
            for location in locations[event.index()].clone() {
                let part = all[location].range;
                if let Some(written) = operation.written() {
                    let value = problem.terms.as_bitvector(problem.slice(problem.term(written), range, part));
                    let writes = places[location].writes.entry(position.thread).or_default();
                    writes.push((position.index, value));
                }
                if part == range && operation.written().is_none() && conditions.contains_key(&event) {
                    places[location].demands.entry(position.thread).or_default().push(position.index);
                }
            }
        }
        Self { problem, places, conditions, single, known: RefCell::default() }
    }

    /// Whether a condition, or each part of it, is on one read.
    pub(super) fn is_on_one_read(&self, condition: Term) -> bool {
        match *self.problem.terms.node(condition) {
            Node::Binary { operator: BinaryOperator::And, left, right, .. } => {
                self.is_on_one_read(left) && self.is_on_one_read(right)
            }
            _ => condition == Term::TRUE || self.single.contains(&condition),
        }
    }

    /// Whether there are conditions on what an event reads alone.
    pub(super) fn has_conditions(&self, read: EventId) -> bool {
        self.conditions.contains_key(&read)
    }

    /// Whether a location, if it holds this now, leaves no reader without.
    pub(super) fn suffices(&self, state: &State, location: usize, now: &BitVector) -> bool {
        let place = &self.places[location];
        place.demands.iter().all(|(thread, demands)| {
            let done = state.executed(*thread);
            let own = place.writes.get(thread).map_or(&[][..], |writes| writes);
            let own = own
                .get(own.partition_point(|(index, _)| *index < done))
                .map_or(usize::MAX, |(index, _)| *index);
            let next = demands.partition_point(|index| *index < done);
            demands[next..].iter().take(MOST_DEMANDS).take_while(|index| **index < own).all(|index| {
                let read = self.problem.event(*thread, *index);
                self.meets(read, now)
                    || place.writes.iter().filter(|(other, _)| *other != thread).any(|(other, writes)| {
                        let left =
                            &writes[writes.partition_point(|(index, _)| *index < state.executed(*other))..];
                        left.iter()
                            .any(|(_, value)| value.as_ref().is_none_or(|value| self.meets(read, value)))
                    })
            })
        })
    }

    /// Whether a value meets the conditions on a read alone, as far as it is the whole value that is read.
    pub(super) fn meets(&self, read: EventId, value: &BitVector) -> bool {
        let Some(conditions) = self.conditions.get(&read) else { return true };
        let symbol = self.problem.operation(read).symbol().map(|symbol| self.problem.term(symbol));
        let Some(symbol) = symbol.filter(|symbol| self.problem.terms.width(*symbol) == value.width()) else {
            return true;
        };
        let key = (read, value.clone());
        if let Some(known) = self.known.borrow().get(&key) {
            return *known;
        }
        let values: Assignment = std::iter::once((symbol, value.clone())).collect();
        let meets = conditions.iter().all(|one| !evaluate(&self.problem.terms, *one, &values).is_zero());
        self.known.borrow_mut().insert(key, meets);
        meets
    }
}
