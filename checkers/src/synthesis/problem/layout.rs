//! The layout that executing a problem's events needs, whatever the inputs are: where values and bytes lie,
//! and when conditions are decided.
//!
//! It is computed once: a schedule that an engine finds is executed many times until it is reported.

use crate::synthesis::problem::{EventId, Position, Problem};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};
use symx_expr::{BitVector, Node, Term};

/// A term and the slots of its symbols.
#[derive(Debug)]
pub(in crate::synthesis) struct Formula {
    pub term: Term,
    pub constant: Option<BitVector>,
    /// By thread that reads what it depends on, the slot of the last such read.
    pub latest: Arc<[usize]>,
    /// Looked for once they are asked for: terms of long executions have thousands each.
    pub symbols: OnceLock<Vec<(Term, usize)>>,
}

/// Where the events that a [machine](crate::synthesis::Machine) executes are kept.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Symbols that no event reads: inputs, and those the trace leaves open. They have the first slots.
    pub(in crate::synthesis) unread: Vec<Term>,
    /// By symbol, the slot of its value.
    pub(in crate::synthesis) slot_of: FxHashMap<Term, usize>,
    /// By slot, where its value is read; none for the unread.
    pub(in crate::synthesis) readers: Vec<Option<Position>>,
    /// By event, the value it writes.
    pub(in crate::synthesis) written: Vec<Option<Formula>>,
    /// By event, the slot of the value it reads.
    pub(in crate::synthesis) slots: Vec<Option<usize>>,
    /// By event, where its bytes begin in memory; only bytes that are accessed are kept.
    pub(in crate::synthesis) bytes: Vec<usize>,
    /// By location, where its bytes begin there.
    pub(in crate::synthesis) location_starts: Vec<usize>,
    /// By location, what it holds before the first event.
    pub(in crate::synthesis) initial: Vec<Term>,
    /// By thread, the conditions with the number of events from which on they are decided.
    pub(in crate::synthesis) conditions: Vec<Vec<(usize, Formula)>>,
    /// Whether the bug shows.
    pub(in crate::synthesis) bug: Formula,
    /// The thread whose reads decide that, if it is one, and the number of its events from which
    /// on it is decided.
    pub(in crate::synthesis) bug_decided: Option<(usize, usize)>,
}

impl Layout {
    /// Lays out a problem.
    pub(in crate::synthesis) fn new(problem: &Problem) -> Self {
        let unread: Vec<Term> = problem.inputs().chain(problem.free_symbols()).collect();
        let mut slot_of = FxHashMap::default();
        for (slot, symbol) in unread.iter().enumerate() {
            slot_of.entry(*symbol).or_insert(slot);
        }
        let (mut slots, mut readers) = (Vec::new(), vec![None; unread.len()]);
        for event in problem.events() {
            let symbol = problem.operation(event).symbol().map(|symbol| problem.term(symbol));
            slots.push(symbol.map(|symbol| {
                slot_of.insert(symbol, readers.len());
                readers.push(Some(problem.position(event)));
                readers.len() - 1
            }));
        }
        let mut formulas = Formulas { problem, slot_of, readers, latest: FxHashMap::default() };
        let written = problem
            .events()
            .map(|event| Some(formulas.of(problem.term(problem.operation(event).written()?))))
            .collect();
        let threads = problem.trace.threads.iter().enumerate();
        let conditions = threads.map(|(number, thread)| {
            let conditions = thread.conditions.iter().map(|one| {
                let formula = formulas.of(problem.term(one.term));
                (formulas.decided(number, &formula).unwrap_or(one.after as usize), formula)
            });
            let mut conditions: Vec<_> = conditions.collect();
            conditions.sort_by_key(|(after, _)| *after);
            conditions
        });
        let conditions = conditions.collect();
        let bug = formulas.of(problem.bug());
        let bug_decided = match bug.latest[..] {
            [slot] => formulas.readers[slot].map(|Position { thread, index }| (thread, index + 1)),
            _ => None,
        };
        let (mut location_starts, mut initial, mut end) = (Vec::new(), Vec::new(), 0);
        for location in &problem.execution.locations {
            location_starts.push(end);
            end += location.range.length as usize;
            initial.push(problem.initial(location.range));
        }
        let offset = |event: EventId| {
            let address = problem.range(problem.operation(event).span()?).address;
            let locations = &problem.execution.locations;
            let location = locations.partition_point(|one| one.range.address <= address) - 1;
            Some(location_starts[location] + (address - locations[location].range.address) as usize)
        };
        let bytes = problem.events().map(|event| offset(event).unwrap_or(0)).collect();
        let Formulas { slot_of, readers, .. } = formulas;
        Self {
            unread,
            slot_of,
            readers,
            written,
            slots,
            bytes,
            location_starts,
            initial,
            conditions,
            bug,
            bug_decided,
        }
    }
}

/// Finds what terms depend on.
struct Formulas<'p> {
    problem: &'p Problem,
    slot_of: FxHashMap<Term, usize>,
    /// By slot, where it is read; none for inputs.
    readers: Vec<Option<Position>>,
    latest: FxHashMap<Term, Arc<[usize]>>,
}

impl Formulas<'_> {
    fn of(&mut self, term: Term) -> Formula {
        let constant = self.problem.terms.as_bitvector(term);
        Formula { term, constant, latest: self.latest(term), symbols: OnceLock::new() }
    }

    /// After how many of a thread's events a formula is decided, if by nothing but what they read.
    fn decided(&self, thread: usize, formula: &Formula) -> Option<usize> {
        match formula.latest[..] {
            [] => Some(0),
            [slot] => {
                self.readers[slot].filter(|reader| reader.thread == thread).map(|reader| reader.index + 1)
            }
            _ => None,
        }
    }

    /// By thread, the last read that a term depends on.
    fn latest(&mut self, term: Term) -> Arc<[usize]> {
        let mut open = vec![term];
        while let Some(&current) = open.last() {
            let node = self.problem.terms.node(current);
            let before = open.len();
            open.extend(node.operands().filter(|operand| !self.latest.contains_key(operand)));
            if open.len() > before {
                continue;
            }
            open.pop();
            if self.latest.contains_key(&current) {
                continue;
            }
            let own = match node {
                Node::Symbol { .. } => Some(self.slot_of[&current]),
                _ => None,
            };
            let own = own.filter(|slot| self.readers[*slot].is_some());
            let parts = node.operands().flat_map(|operand| self.latest[&operand].iter().copied());
            let mut slots: Vec<usize> = own.into_iter().chain(parts).collect();
            let thread = |slot: usize| self.readers[slot].map(|reader| reader.thread);
            slots.sort_unstable_by_key(|slot| (thread(*slot), std::cmp::Reverse(*slot)));
            slots.dedup_by_key(|slot| thread(*slot));
            self.latest.insert(current, slots.into());
        }
        Arc::clone(&self.latest[&term])
    }
}
