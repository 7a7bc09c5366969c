//! Facts that single places imply for all executions, and for the rest of one.

use super::before::{Before, Contradiction};
use super::limits::{MOST_ORDER_ENTRIES, MOST_VISITORS, STATES_OF_ALL_ORDERS, STATES_OF_ORDERS};
use super::place::{Access, Place, Values};
use super::supply::Supply;
use crate::synthesis::execution::machine::{Machine, State};
use crate::synthesis::problem::value_of;
use std::cell::{RefCell, RefMut};
use std::collections::HashMap;
use std::ops::Range;
use symx_expr::StopToken;

/// All places about which something is known.
#[derive(Debug)]
pub(super) struct Places {
    by_location: Vec<Option<Place>>,
    values: RefCell<Values>,
}

impl Places {
    pub(super) fn new(supply: &Supply, machine: &Machine, locations: &[Range<usize>]) -> Self {
        let all = &supply.problem.execution.locations;
        let mut values = Values::default();
        let mut visits: Vec<HashMap<usize, Vec<Access>>> = all.iter().map(|_| HashMap::new()).collect();
        let mut in_parts = vec![false; all.len()];
        for event in supply.problem.events() {
            let range = supply.problem.execution.events[event.index()].range;
            for location in locations[event.index()].clone() {
                in_parts[location] |= all[location].range != range;
                let of_thread = visits[location].entry(supply.problem.position(event).thread).or_default();
                let access = Access::of(supply, event, of_thread, &mut values);
                of_thread.push(access);
            }
        }
        let by_location = visits.into_iter().zip(in_parts).map(|(visits, in_parts)| {
            let is_asked = visits.values().flatten().any(Access::is_asked);
            let may_fail = !in_parts && is_asked && (2..=MOST_VISITORS).contains(&visits.len());
            may_fail.then(|| Place::of(visits))
        });
        let start = machine.start();
        let by_location = by_location.enumerate().map(|(number, place)| {
            let held = values.number(value_of(machine.memory(&start, number)));
            place.map(|place| place.holding(supply, &values, held))
        });
        let by_location = by_location.collect();
        Self { by_location, values: RefCell::new(values) }
    }

    /// All of them, by location.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, &Place)> {
        self.by_location.iter().enumerate().filter_map(|(location, place)| Some((location, place.as_ref()?)))
    }

    /// The place of a location.
    pub(super) fn at(&self, location: usize) -> Option<&Place> {
        self.by_location[location].as_ref()
    }

    /// The values that their numbers denote.
    pub(super) fn values(&self) -> RefMut<'_, Values> {
        self.values.borrow_mut()
    }

    /// Computes the orders that single places imply, and their consequences for the others; nothing where
    /// that would take long.
    pub(super) fn put_in_order(
        &mut self,
        supply: &Supply,
        stop: &StopToken,
    ) -> Result<Option<Before>, Contradiction> {
        // Stores that wait in buffers take effect later than they are executed.
        let work = supply.problem.event_count().saturating_mul(supply.problem.thread_count().pow(2));
        if supply.problem.model.buffers_stores()
            || work > MOST_ORDER_ENTRIES
            || self.by_location.iter().all(Option::is_none)
        {
            return Ok(None);
        }
        let mut before = Before::new(supply.problem);
        before.close(supply.problem)?;
        let (mut looked_at, mut most) = (0, STATES_OF_ORDERS[0]);
        let mut asked: Vec<bool> = self.by_location.iter().map(Option::is_some).collect();
        let mut has_too_many = vec![false; self.by_location.len()];
        loop {
            if !asked.contains(&true) {
                // Those that had too many have fewer by now, or are asked for more.
                if most >= STATES_OF_ORDERS[1] || !has_too_many.contains(&true) {
                    return Ok(Some(before));
                }
                asked = has_too_many.clone();
                most *= 4;
            }
            let mut is_new = false;
            for (location, place) in self.by_location.iter_mut().enumerate() {
                let Some(place) = place.as_mut().filter(|_| asked[location]) else { continue };
                if looked_at > STATES_OF_ALL_ORDERS || stop.is_over() {
                    return Ok(Some(before));
                }
                place.needs_of(&before);
                asked[location] = false;
                let orders = place.orders(supply, self.values.get_mut(), most, &mut looked_at)?;
                has_too_many[location] = orders.is_none();
                for (event, thread, count) in orders.into_iter().flatten() {
                    is_new |= before.require(event, thread, count);
                }
            }
            if is_new {
                before.close(supply.problem)?;
                for (location, place) in self.by_location.iter_mut().enumerate() {
                    asked[location] |= place.as_mut().is_some_and(|place| place.needs_of(&before));
                }
            }
        }
    }

    /// Whether the accesses left to a location can be put in an order that meets the conditions on what is
    /// read. True where that would take too long to decide.
    pub(super) fn can_go_on(
        &self,
        supply: &Supply,
        machine: &Machine,
        state: &State,
        location: usize,
    ) -> bool {
        let Some(place) = &self.by_location[location] else { return true };
        let mut values = self.values.borrow_mut();
        let held = values.number(value_of(machine.memory(state, location)));
        let read = |event| machine.read_value(state, event).cloned();
        place.can_go_on(supply, &mut values, &|thread| state.executed(thread), held, &read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthesis::execution::machine::Machine;
    use crate::synthesis::problem::Problem;
    use std::sync::Arc;
    use symx_expr::{Assignment, Term, Terms};
    use symx_memmodel::MODELS;
    use symx_trace::ThreadName;
    use symx_trace::symbolic::{AccessOrdering, Operation, SymbolicTrace, ThreadRef, TraceBuilder};

    const PLAIN: AccessOrdering = AccessOrdering::NotAtomic;

    /// The orders found in a trace, and the problem.
    fn put_in_order(trace: SymbolicTrace) -> (Problem, Result<Option<Before>, Contradiction>) {
        let problem = Problem::new(Arc::new(Terms::new()), trace, MODELS[0]).expect("a trace that is right");
        let machine = Machine::new(&problem, &Assignment::new());
        let future = crate::synthesis::execution::future::Future::new(&problem);
        let supply = Supply::new(&problem, &machine, future.locations());
        let mut places = Places::new(&supply, &machine, future.locations());
        let before = places.put_in_order(&supply, &StopToken::default());
        (problem, before)
    }

    /// Thread 1 increments `counter` three times and then writes 7 to `other`. Thread 2 reads 0 from `other`,
    /// so before that write, and then reads `seen` from `counter`.
    fn counter(seen: u64) -> SymbolicTrace {
        let terms = Terms::new();
        let mut builder = TraceBuilder::new(&terms);
        let (counter, other) = (builder.variable("counter", 4), builder.variable("other", 4));
        for thread in 1..=2 {
            let created = builder.thread(ThreadName::main().child(thread));
            builder.event(ThreadRef(0), Operation::Create(created));
            builder.event(created, Operation::Begin);
        }
        for _ in 0..3 {
            let read = builder.read(ThreadRef(1), counter, PLAIN);
            builder.write(ThreadRef(1), counter, PLAIN, terms.add(read, terms.constant(32, 1)));
        }
        builder.write(ThreadRef(1), other, PLAIN, terms.constant(32, 7));
        let read = builder.read(ThreadRef(2), other, PLAIN);
        builder.condition(ThreadRef(2), terms.equal(read, terms.constant(32, 0)));
        let read = builder.read(ThreadRef(2), counter, PLAIN);
        builder.condition(ThreadRef(2), terms.equal(read, terms.constant(32, seen)));
        builder.finish(Term::TRUE, None)
    }

    #[test]
    fn a_value_seen_puts_what_wrote_it_before_and_the_next_write_after() {
        let (problem, before) = put_in_order(counter(2));
        let before = before.expect("there is an execution").expect("few events");
        // Begin, three times a read and a write, the write to the other place; begin, two reads.
        assert_eq!(before.of(problem.event(2, 2))[1], 5, "the second sum comes before it is seen");
        assert_eq!(before.of(problem.event(1, 6))[2], 3, "the third comes after");
        assert_eq!(before.of(problem.event(1, 7))[2], 3, "and so does what follows it");
    }

    #[test]
    fn a_value_that_is_never_written_is_a_contradiction() {
        assert!(put_in_order(counter(4)).1.is_err());
        assert!(put_in_order(counter(3)).1.is_ok());
    }
}
