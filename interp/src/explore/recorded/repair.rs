//! Other values for what threads have read, under which they stay on their recorded paths.

use crate::symbolic_trace::Tracer;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use symx_expr::solver::{Answer, Solver};
use symx_expr::{Assignment, BitVector, Evaluator, Node, Term, Terms, evaluate};
use symx_ir::address::Cell;
use symx_memmodel::ByteRange;
use symx_trace::ThreadId;

/// Changes of values.
pub(super) type Changes = Vec<(Term, BitVector)>;

/// A condition that is not to hold.
struct Wanted {
    /// Its negation.
    condition: Term,
    /// What else must hold that shares symbols with it, directly or through others.
    others: Vec<Term>,
    /// All these symbols.
    involved: FxHashSet<Term>,
    /// Which event of which thread reads a symbol.
    owners: FxHashMap<Term, (ThreadId, usize)>,
}

/// Looks for values.
pub(super) struct Repairs {
    solver: Box<dyn Solver>,
    /// The symbols of terms.
    symbols: FxHashMap<Term, Arc<[Term]>>,
    /// Values that reads were given when threads ran anew, with those of the thread's reads before, as a hash.
    tried: FxHashSet<(u64, BitVector)>,
    /// How often values were changed.
    pub count: u64,
}

impl Repairs {
    pub(super) fn new(solver: Box<dyn Solver>) -> Self {
        Self { solver, symbols: FxHashMap::default(), tried: FxHashSet::default(), count: 0 }
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
        let wanted = self.wanted(terms, tracer, thread, at);
        self.written_value(terms, tracer, thread, &wanted, false).or_else(|| {
            let constraints: Vec<Term> = wanted.others.iter().copied().chain([wanted.condition]).collect();
            let Answer::Sat(model) = self.solver.check(&constraints) else { return None };
            let new = wanted.involved.iter().filter_map(|symbol| {
                let value = model.get(*symbol).cloned();
                let value = value.unwrap_or_else(|| BitVector::zero(terms.width(*symbol)));
                (tracer.values.get(*symbol) != Some(&value)).then_some((*symbol, value))
            });
            let new: Changes = new.collect();
            // An input is what it was.
            new.iter().all(|(symbol, _)| wanted.owners.contains_key(symbol)).then_some(new)
        })
    }

    /// A value for one symbol, written there by somebody, under which the condition of a thread with this number does
    /// not hold, and with which the thread did not run yet.
    pub(super) fn new_value_against(
        &mut self,
        terms: &Terms,
        tracer: &Tracer,
        thread: ThreadId,
        at: usize,
    ) -> Option<Changes> {
        self.count += 1;
        let wanted = self.wanted(terms, tracer, thread, at);
        self.written_value(terms, tracer, thread, &wanted, true)
    }

    fn wanted(&mut self, terms: &Terms, tracer: &Tracer, thread: ThreadId, at: usize) -> Wanted {
        let condition = terms.not(tracer.threads[thread.index()].conditions[at].term);
        let (others, involved) = self.slice(terms, tracer, thread, at);
        Wanted { condition, others, involved, owners: self.owners(tracer) }
    }

    fn written_value(
        &mut self,
        terms: &Terms,
        tracer: &Tracer,
        thread: ThreadId,
        wanted: &Wanted,
        is_new: bool,
    ) -> Option<Changes> {
        let mut values = Assignment::new();
        for symbol in &wanted.involved {
            if let Some(value) = tracer.values.get(*symbol) {
                values.set(*symbol, value.clone());
            }
        }
        // The thread's own reads, the latest first.
        let symbols = self.symbols_of(terms, wanted.condition);
        let mut own: Vec<(usize, Term)> = symbols
            .iter()
            .filter_map(|symbol| {
                wanted.owners.get(symbol).filter(|(owner, _)| *owner == thread).map(|(_, at)| (*at, *symbol))
            })
            .collect();
        own.sort_unstable();
        for (number, symbol) in own.into_iter().rev() {
            let range = tracer.threads[thread.index()].events[number].what.range();
            let before = if is_new { what_was_read(tracer, thread, number) } else { 0 };
            if is_new && let Some(present) = tracer.values.get(symbol) {
                self.tried.insert((before, present.clone()));
            }
            for value in range.map_or_else(Vec::new, |range| written(terms, tracer, range)) {
                let mut changed = values.clone();
                changed.set(symbol, value.clone());
                let mut under = Evaluator::new(terms, &changed);
                if under.is_true(wanted.condition)
                    && wanted.others.iter().all(|held| under.is_true(*held))
                    && (!is_new || self.tried.insert((before, value.clone())))
                {
                    return Some(vec![(symbol, value)]);
                }
            }
        }
        None
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

/// What a thread's reads up to the event with this number returned, as a hash.
fn what_was_read(tracer: &Tracer, thread: ThreadId, number: usize) -> u64 {
    let mut hasher = FxHasher::default();
    (thread.0, number).hash(&mut hasher);
    let events = &tracer.threads[thread.index()].events[..number];
    for symbol in events.iter().filter_map(|event| event.what.symbol()) {
        tracer.values.get(symbol).hash(&mut hasher);
    }
    hasher.finish()
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
