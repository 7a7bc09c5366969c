//! Candidates of models that keep history, which need not be coherent: any write can be read.
//!
//! One read after another gets writes to read from, which makes the outcome. The order in which writes are
//! executed matters to updates alone. After each read, there must be one that the axioms allow.

use super::order::{Events, Order};
use super::values::{Values, evaluate};
use super::{Allowed, Step, writes_of};
use crate::program::Program;
use symx_memmodel::{ByteRange, Execution, Location, Operation};

/// Adds the outcomes of one control flow, whose events `execution` has, under some `models`.
pub(super) fn add_outcomes(
    program: &Program,
    threads: &[Vec<Step>],
    mut execution: Execution,
    models: &[usize],
    allowed: &mut [Allowed],
) {
    let ways = (0..execution.events.len()).map(|read| ways(&execution, read)).collect();
    let has_updates =
        |location: &Location| location.reads_from.iter().any(|(read, _)| is_update(&execution, *read));
    let ordered = execution.locations.iter().map(|at| if has_updates(at) { writes_of(at) } else { 0 });
    let ordered = ordered.collect();
    let same_thread =
        |pair: &(usize, usize)| execution.events[pair.0].thread == execution.events[pair.1].thread;
    let mut pairs: Vec<_> =
        (1..execution.events.len()).map(|event| (event - 1, event)).filter(same_thread).collect();
    pairs.extend(&execution.synchronises);
    let Some(order) = Order::new(execution.events.len(), &pairs) else { return };
    execution.locations.iter_mut().for_each(|location| location.reads_from.clear());
    Search { program, threads, execution, ways, ordered, allowed }.read(0, models, &order);
}

fn is_update(execution: &Execution, event: usize) -> bool {
    matches!(execution.events[event].operation, Operation::ReadModifyWrite | Operation::FailedCompareExchange)
}

/// Where the bytes of a read come from, a write a location (by number; `None` for the initial value).
type Way = Vec<(usize, Option<usize>)>;

/// The ways of a read that tear no write and show nothing of its own thread that comes later.
fn ways(execution: &Execution, read: usize) -> Vec<Way> {
    let event = execution.events[read];
    if !event.reads() {
        return Vec::new();
    }
    let mut ways = vec![Way::new()];
    let at = execution.locations.iter().enumerate();
    for (index, location) in at.filter(|(_, location)| event.range.covers(location.range)) {
        let writes = location.coherence.iter().copied().filter(|write| {
            *write != read && (*write < read || execution.events[*write].thread != event.thread)
        });
        let sources: Vec<Option<usize>> = writes.map(Some).chain([None]).collect();
        let extended = ways.iter().flat_map(|way| {
            let whole = sources.iter().filter(|source| !tears(execution, way, **source, location));
            whole.map(|source| [way.as_slice(), &[(index, *source)]].concat())
        });
        ways = extended.collect();
    }
    ways
}

/// Whether a read that takes other locations as `way` says would tear a write by taking `here` from `source`.
fn tears(execution: &Execution, way: &Way, source: Option<usize>, here: &Location) -> bool {
    let wrote = |write: Option<usize>, range: ByteRange| {
        write.is_none_or(|write| execution.events[write].range.covers(range))
    };
    way.iter().any(|&(there, other)| {
        other != source && wrote(other, here.range) && wrote(source, execution.locations[there].range)
    })
}

/// Looks for the candidates of one control flow.
struct Search<'a> {
    program: &'a Program,
    threads: &'a [Vec<Step<'a>>],
    /// With the choices so far; coherence order is any order.
    execution: Execution,
    /// By event, how it can read.
    ways: Vec<Vec<Way>>,
    /// The writes of each location that updates read: they have an order.
    ordered: Vec<Events>,
    allowed: &'a mut [Allowed],
}

impl Search<'_> {
    /// Chooses where events from number `next` on read from; `models` allow the choices so far.
    fn read(&mut self, next: usize, models: &[usize], order: &Order) {
        let Some(next) = (next..self.ways.len()).find(|event| !self.ways[*event].is_empty()) else {
            self.add(models, order);
            return;
        };
        for way in std::mem::take(&mut self.ways[next]) {
            let mut order = order.clone();
            for &(location, source) in &way {
                self.execution.locations[location].reads_from.push((next, source));
            }
            let mut sources = way.iter().filter_map(|(_, source)| *source);
            if sources.all(|source| order.add(source, next)) {
                let allow = |model: &usize| self.is_allowed(*model, &order);
                match evaluate(self.program, self.threads, &self.execution) {
                    // A read may show that a guess was wrong, and the last one determines the outcome.
                    Values::WrongGuess => {}
                    Values::Outcome(_) => self.read(next + 1, models, &order),
                    Values::Unknown => {
                        let models: Vec<usize> = models.iter().copied().filter(allow).collect();
                        if !models.is_empty() {
                            self.read(next + 1, &models, &order);
                        }
                    }
                }
            }
            for &(location, _) in &way {
                self.execution.locations[location].reads_from.pop();
            }
            self.ways[next].push(way);
        }
    }

    /// Adds the outcome of the choices, if the models allow it.
    fn add(&mut self, models: &[usize], order: &Order) {
        let outcome = match evaluate(self.program, self.threads, &self.execution) {
            Values::WrongGuess => return,
            Values::Outcome(outcome) => Some(outcome),
            Values::Unknown => None,
        };
        for &model in models {
            let known = outcome.as_ref().is_some_and(|outcome| self.allowed[model].1.contains(outcome));
            if !known && self.is_allowed(model, order) {
                let outcome = outcome.clone();
                let outcome = outcome.unwrap_or_else(|| panic!("thin air is allowed: {:?}", self.execution));
                self.allowed[model].1.insert(outcome);
            }
        }
    }

    /// Whether the model allows the choices with some order of executed writes that fits `order`.
    fn is_allowed(&self, model: usize, order: &Order) -> bool {
        if let Some((one, other)) = self.ordered.iter().find_map(|writes| order.unordered(*writes)) {
            return [(one, other), (other, one)].into_iter().any(|pair| {
                let mut order = order.clone();
                order.add(pair.0, pair.1) && self.is_allowed(model, &order)
            });
        }
        let mut execution = self.execution.clone();
        for (location, writes) in execution.locations.iter_mut().zip(&self.ordered) {
            location.coherence.sort_by_key(|write| (order.before(*write) & writes).count_ones());
        }
        self.allowed[model].0.allows(&execution).is_ok()
    }
}
