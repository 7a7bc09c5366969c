//! Other values for what threads have read, under which they stay on their recorded paths.

use crate::symbolic_trace::Tracer;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use symx_expr::solver::{Answer, Solver};
use symx_expr::{Assignment, BitVector, Evaluator, Node, Term, Terms, evaluate};
use symx_ir::address::Cell;
use symx_memmodel::ByteRange;
use symx_trace::ThreadId;

/// Changes of values.
pub(super) type Changes = Vec<(Term, BitVector)>;

/// Looks for values.
pub(super) struct Repairs {
    solver: Box<dyn Solver>,
    /// The symbols of terms.
    symbols: FxHashMap<Term, Arc<[Term]>>,
    /// How often values were changed.
    pub count: u64,
}

impl Repairs {
    pub(super) fn new(solver: Box<dyn Solver>) -> Self {
        Self { solver, symbols: FxHashMap::default(), count: 0 }
    }

    /// Which event of which thread reads a symbol.
    pub(super) fn owners(&self, tracer: &Tracer) -> FxHashMap<Term, (ThreadId, usize)> {
        let mut owners = FxHashMap::default();
        for (thread, followed) in (0..).map(ThreadId).zip(&tracer.threads) {
            for (number, event) in followed.events.iter().enumerate() {
                if let Some(symbol) = event.what.symbol() {
                    owners.insert(symbol, (thread, number));
                }
            }
        }
        owners
    }

    /// Values under which the condition of a thread with this number does not hold, while all it depends on with
    /// others before it does. One symbol gets a value that somebody writes there, if that does.
    pub(super) fn values_against(
        &mut self,
        terms: &Terms,
        tracer: &Tracer,
        thread: ThreadId,
        at: usize,
    ) -> Option<Changes> {
        self.count += 1;
        let wanted = terms.not(tracer.threads[thread.index()].conditions[at].term);
        let (slice, involved) = self.slice(terms, tracer, thread, at);
        let owners = self.owners(tracer);
        let mut values = Assignment::new();
        for symbol in &involved {
            if let Some(value) = tracer.values.get(*symbol) {
                values.set(*symbol, value.clone());
            }
        }
        // The thread's own reads, the latest first.
        let mut own: Vec<(usize, Term)> = self
            .symbols_of(terms, wanted)
            .iter()
            .filter_map(|symbol| {
                owners.get(symbol).filter(|(owner, _)| *owner == thread).map(|(_, at)| (*at, *symbol))
            })
            .collect();
        own.sort_unstable();
        for (number, symbol) in own.into_iter().rev() {
            let range = tracer.threads[thread.index()].events[number].what.range();
            for value in range.map_or_else(Vec::new, |range| written(terms, tracer, range)) {
                let mut changed = values.clone();
                changed.set(symbol, value.clone());
                let mut under = Evaluator::new(terms, &changed);
                if under.is_true(wanted) && slice.iter().all(|held| under.is_true(*held)) {
                    return Some(vec![(symbol, value)]);
                }
            }
        }
        let constraints: Vec<Term> = slice.into_iter().chain([wanted]).collect();
        let Answer::Sat(model) = self.solver.check(&constraints) else { return None };
        let new = involved.into_iter().filter_map(|symbol| {
            let value = model.get(symbol).cloned().unwrap_or_else(|| BitVector::zero(terms.width(symbol)));
            (tracer.values.get(symbol) != Some(&value)).then_some((symbol, value))
        });
        let new: Changes = new.collect();
        // An input is what it was.
        new.iter().all(|(symbol, _)| owners.contains_key(symbol)).then_some(new)
    }

    /// The conditions that share symbols with one, directly or through others, and all these symbols.
    fn slice(
        &mut self,
        terms: &Terms,
        tracer: &Tracer,
        thread: ThreadId,
        at: usize,
    ) -> (Vec<Term>, FxHashSet<Term>) {
        let wanted = tracer.threads[thread.index()].conditions[at].term;
        let mut by_symbol: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
        let mut held: Vec<Term> = Vec::new();
        for (other, followed) in (0..).map(ThreadId).zip(&tracer.threads) {
            let before = if other == thread { at } else { followed.conditions.len() };
            for condition in &followed.conditions[..before] {
                for symbol in self.symbols_of(terms, condition.term).iter() {
                    by_symbol.entry(*symbol).or_default().push(held.len());
                }
                held.push(condition.term);
            }
        }
        let mut involved: FxHashSet<Term> = self.symbols_of(terms, wanted).iter().copied().collect();
        let mut open: Vec<Term> = involved.iter().copied().collect();
        let mut taken = vec![false; held.len()];
        while let Some(symbol) = open.pop() {
            for &condition in by_symbol.get(&symbol).into_iter().flatten() {
                if !std::mem::replace(&mut taken[condition], true) {
                    let more = self.symbols_of(terms, held[condition]);
                    open.extend(more.iter().copied().filter(|symbol| involved.insert(*symbol)));
                }
            }
        }
        let slice = held.into_iter().zip(taken).filter_map(|(term, taken)| taken.then_some(term));
        (slice.collect(), involved)
    }

    fn symbols_of(&mut self, terms: &Terms, term: Term) -> Arc<[Term]> {
        let known = self.symbols.entry(term).or_insert_with(|| {
            let (mut seen, mut open, mut symbols) = (FxHashSet::default(), vec![term], Vec::new());
            while let Some(current) = open.pop() {
                if seen.insert(current) {
                    let node = terms.node(current);
                    if matches!(node, Node::Symbol { .. }) {
                        symbols.push(current);
                    }
                    open.extend(node.operands());
                }
            }
            symbols.into()
        });
        Arc::clone(known)
    }
}

/// Values that bytes have or get, each once.
fn written(terms: &Terms, tracer: &Tracer, range: ByteRange) -> Vec<BitVector> {
    let mut values: Vec<BitVector> = Vec::new();
    let mut add = |value: BitVector| {
        if !values.contains(&value) {
            values.push(value);
        }
    };
    for event in tracer.threads.iter().flat_map(|followed| &followed.events) {
        let (Some(place), Some(term)) = (event.what.range(), event.what.written()) else { continue };
        if place == range {
            add(evaluate(terms, term, &tracer.values));
        }
    }
    if let Some(object) = Cell::of(range.address).and_then(|cell| tracer.before.get(&cell)) {
        let offset = range.address - object.base;
        let bytes = (0..range.length).rev().map(|at| object.byte(terms, offset + at).term(terms));
        if let Some(value) = bytes.reduce(|high, low| terms.concat(high, low)) {
            add(evaluate(terms, value, &tracer.values));
        }
    }
    values
}
