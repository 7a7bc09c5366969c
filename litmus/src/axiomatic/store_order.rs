//! Candidates of models with one order of stores.
//!
//! First every read gets a write to read from, then every observed location its last write: that makes an
//! outcome. For each model that is not known to allow it, some coherence order is looked for. Throughout,
//! each model keeps the order of events that follows already, and is ruled out as soon as that has a cycle.
//! Its axioms judge the final candidate.

use super::order::{Events, Order, each, only};
use super::values::{Values, evaluate};
use super::{Allowed, Step, unrelated, writes_of};
use crate::program::{Observed, Program};
use symx_memmodel::{Event, Execution, Location, Operation};

/// The models that may still allow a candidate, by number, each with the order of its events.
type Orders = Vec<(usize, Order)>;

/// Adds the outcomes of one control flow, whose events `execution` has, under some `models`.
pub(super) fn add_outcomes(
    program: &Program,
    threads: &[Vec<Step>],
    mut execution: Execution,
    models: &[usize],
    allowed: &mut [Allowed],
) {
    let writes: Vec<Events> = execution.locations.iter().map(writes_of).collect();
    let reads_of = |(index, event): (usize, &Event)| {
        let (reads, range) = (event.reads(), event.range);
        let at = execution.locations.iter().enumerate();
        at.filter(move |(_, location)| reads && range.covers(location.range)).map(move |(at, _)| (index, at))
    };
    let reads = execution.events.iter().enumerate().flat_map(reads_of).collect();
    let is_observed = |location: &Location| {
        program
            .observed
            .iter()
            .any(|observed| matches!(observed, Observed::Memory(range) if range.overlaps(location.range)))
    };
    let observed = (0..writes.len()).filter(|at| is_observed(&execution.locations[*at])).collect();
    let mut coherent = Vec::new();
    for writes in &writes {
        for write in each(*writes) {
            let later = each(*writes).filter(|later| *later > write);
            let thread = execution.events[write].thread;
            let same_thread = later.filter(|later| execution.events[*later].thread == thread);
            coherent.extend(same_thread.map(|later| (write, later)));
        }
    }
    let order = |&model: &usize| {
        let mut pairs = execution.preserved_program_order(allowed[model].0);
        pairs.extend(&execution.synchronises);
        pairs.extend(&coherent);
        Some((model, Order::new(execution.events.len(), &pairs)?))
    };
    let orders = models.iter().filter_map(order).collect();
    for location in &mut execution.locations {
        *location = unrelated(location.range);
    }
    Search { program, threads, execution, writes, reads, observed, allowed }.read(0, &orders);
}

/// Looks for the candidates of one control flow.
struct Search<'a> {
    program: &'a Program,
    threads: &'a [Vec<Step<'a>>],
    /// With the choices so far.
    execution: Execution,
    /// The writes of each location.
    writes: Vec<Events>,
    /// Every read with every location it reads, in order of the events.
    reads: Vec<(usize, usize)>,
    /// The locations whose last value is a part of outcomes.
    observed: Vec<usize>,
    allowed: &'a mut [Allowed],
}

impl Search<'_> {
    /// Chooses where reads read from, from number `next` on.
    fn read(&mut self, next: usize, orders: &Orders) {
        // A read that is complete may show that a guess was wrong.
        let complete =
            next > 0 && self.reads.get(next).is_none_or(|(read, _)| *read != self.reads[next - 1].0);
        if complete && matches!(evaluate(self.program, self.threads, &self.execution), Values::WrongGuess) {
            return;
        }
        let Some(&(read, location)) = self.reads.get(next) else {
            self.end(0, orders);
            return;
        };
        let writes = self.writes[location] & !only(read);
        for source in each(writes).map(Some).chain([None]) {
            let Some(pairs) = self.coherent(read, source, location) else { continue };
            self.execution.locations[location].reads_from.push((read, source));
            let orders = self.extended(orders, &pairs);
            if !orders.is_empty() {
                self.read(next + 1, &orders);
            }
            self.execution.locations[location].reads_from.pop();
        }
    }

    /// The orders of events if a read reads from `source`, for coherence and causality; `None` if that cannot
    /// be.
    fn coherent(&self, read: usize, source: Option<usize>, location: usize) -> Option<Vec<(usize, usize)>> {
        let event = &self.execution.events[read];
        let same_thread = |other: usize| self.execution.events[other].thread == event.thread;
        let mut pairs = Vec::new();
        if let Some(source) = source {
            if same_thread(source) && source > read {
                return None;
            }
            // A load may read a store of its own thread before that takes effect.
            if !same_thread(source) || event.operation != Operation::Load {
                pairs.push((source, read));
            }
        }
        let others = self.writes[location] & !only(read) & !source.map_or(0, only);
        for write in each(others).filter(|write| same_thread(*write)) {
            match source {
                Some(source) if write < read => pairs.push((write, source)),
                Some(source) => pairs.push((source, write)),
                None if write < read => return None,
                None => {}
            }
        }
        let earlier = self.execution.locations[location].reads_from.iter();
        for &(_, before) in earlier.filter(|(reader, before)| same_thread(*reader) && *before != source) {
            if let Some(before) = before {
                pairs.push((before, source?));
            }
        }
        Some(pairs)
    }

    /// The orders with more pairs, and what follows from them.
    fn extended(&self, orders: &Orders, pairs: &[(usize, usize)]) -> Orders {
        let extended = |(model, order): &(usize, Order)| {
            let mut order = order.clone();
            let consistent = pairs.iter().all(|&(one, other)| order.add(one, other))
                && order.follow(&self.execution.locations, &self.writes);
            consistent.then_some((*model, order))
        };
        orders.iter().filter_map(extended).collect()
    }

    /// Chooses the last writes of observed locations, from number `next` on.
    fn end(&mut self, next: usize, orders: &Orders) {
        let Some(&location) = self.observed.get(next) else {
            self.judge(orders);
            return;
        };
        let writes = self.writes[location];
        if writes == 0 {
            self.end(next + 1, orders);
        }
        for last in each(writes) {
            let pairs: Vec<_> = each(writes & !only(last)).map(|write| (write, last)).collect();
            let orders = self.extended(orders, &pairs);
            if !orders.is_empty() {
                // Of coherence order, values depend on the last write alone.
                self.execution.locations[location].coherence = vec![last];
                self.end(next + 1, &orders);
            }
        }
    }

    /// Adds the outcome where there is a coherence order that the model allows.
    fn judge(&mut self, orders: &Orders) {
        let outcome = match evaluate(self.program, self.threads, &self.execution) {
            Values::WrongGuess => return,
            Values::Outcome(outcome) => Some(outcome),
            Values::Unknown => None,
        };
        for (model, order) in orders {
            let (_, outcomes) = &self.allowed[*model];
            if outcome.as_ref().is_some_and(|outcome| outcomes.contains(outcome)) {
                continue;
            }
            if let Some(execution) = self.completed(*model, order) {
                let outcome = outcome.clone().unwrap_or_else(|| panic!("thin air is allowed: {execution:?}"));
                self.allowed[*model].1.insert(outcome);
            }
        }
    }

    /// An execution with a coherence order that fits `order` and that the model allows.
    fn completed(&self, model: usize, order: &Order) -> Option<Execution> {
        if let Some((one, other)) = self.writes.iter().find_map(|writes| order.unordered(*writes)) {
            return [(one, other), (other, one)].into_iter().find_map(|pair| {
                let mut order = order.clone();
                let consistent =
                    order.add(pair.0, pair.1) && order.follow(&self.execution.locations, &self.writes);
                consistent.then(|| self.completed(model, &order)).flatten()
            });
        }
        let mut execution = self.execution.clone();
        for (location, writes) in execution.locations.iter_mut().zip(&self.writes) {
            location.coherence = each(*writes).collect();
            location.coherence.sort_by_key(|write| (order.before(*write) & writes).count_ones());
        }
        self.allowed[model].0.allows(&execution).is_ok().then_some(execution)
    }
}
