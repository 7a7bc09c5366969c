//! Other values for what threads have read, under which they stay on their recorded paths.

use crate::recorded::limits::{MOST_PARTS, MOST_WRITES};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use symx_expr::solver::{Answer, Solver};
use symx_expr::{Assignment, BitVector, Evaluator, Node, Term, Terms, evaluate};
use symx_interp::symbolic_trace::Tracer;
use symx_ir::address::Cell;
use symx_memmodel::ByteRange;
use symx_trace::ThreadId;

/// Changes of values.
pub(super) type Changes = Vec<(Term, BitVector)>;

/// A condition that is not to hold.
struct Wanted {
    /// Its negation.
    condition: Term,
    /// The other conditions that share symbols with it, directly or through others.
    others: Vec<Term>,
    /// All these symbols.
    involved: FxHashSet<Term>,
}

/// Looks for values.
pub(super) struct Repairs {
    solver: Box<dyn Solver>,
    /// The symbols of terms.
    symbols: FxHashMap<Term, Arc<[Term]>>,
    /// By thread, the conditions of this run that are in `by_symbol`.
    indexed: Vec<Vec<Term>>,
    /// By symbol, the conditions on it: thread and number.
    by_symbol: FxHashMap<Term, Vec<(ThreadId, usize)>>,
    /// Values that reads were given when threads ran again, with those of the thread's reads before, as a
    /// hash.
    tried: FxHashSet<(u64, BitVector)>,
    /// How often values were changed.
    pub count: u64,
}

impl Repairs {
    pub(super) fn new(solver: Box<dyn Solver>) -> Self {
        Self {
            solver,
            symbols: FxHashMap::default(),
            indexed: Vec::new(),
            by_symbol: FxHashMap::default(),
            tried: FxHashSet::default(),
            count: 0,
        }
    }

    /// Forgets what was noted in the run before.
    pub(super) fn begin(&mut self) {
        self.indexed.clear();
        self.by_symbol.clear();
    }

    /// Takes over which conditions came and went since it was asked last.
    fn catch_up(&mut self, terms: &Terms, tracer: &mut Tracer) {
        self.indexed.resize_with(tracer.threads.len().max(self.indexed.len()), Vec::new);
        for (thread, followed) in (0..).map(ThreadId).zip(&mut tracer.threads) {
            while self.indexed[thread.index()].len() > followed.unchanged {
                let Some(term) = self.indexed[thread.index()].pop() else { break };
                let gone = (thread, self.indexed[thread.index()].len());
                for symbol in self.symbols_of(terms, term).iter() {
                    let on_it = self.by_symbol.entry(*symbol).or_default();
                    if let Some(at) = on_it.iter().rposition(|one| *one == gone) {
                        on_it.remove(at);
                    }
                }
            }
            for number in self.indexed[thread.index()].len()..followed.conditions.len() {
                let term = followed.conditions[number].term;
                for symbol in self.symbols_of(terms, term).iter() {
                    self.by_symbol.entry(*symbol).or_default().push((thread, number));
                }
                self.indexed[thread.index()].push(term);
            }
            followed.unchanged = followed.conditions.len();
        }
    }

    /// Values under which the condition of a thread with this number does not hold, and these terms do. All
    /// that it depends on with others before it holds. One symbol gets a value that some thread writes there,
    /// if that does.
    pub(super) fn values_against(
        &mut self,
        terms: &Terms,
        tracer: &mut Tracer,
        thread: ThreadId,
        at: usize,
        besides: &[Term],
    ) -> Option<Changes> {
        self.count += 1;
        let mut wanted = self.wanted(terms, tracer, thread, at);
        for term in besides {
            wanted.involved.extend(self.symbols_of(terms, *term).iter());
        }
        wanted.others.extend(besides);
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
            new.iter().all(|(symbol, _)| tracer.reader(*symbol).is_some()).then_some(new)
        })
    }

    /// A value for one symbol, written there by some thread, under which the condition of a thread with this
    /// number does not hold. The thread did not run with it yet.
    pub(super) fn new_value_against(
        &mut self,
        terms: &Terms,
        tracer: &mut Tracer,
        thread: ThreadId,
        at: usize,
    ) -> Option<Changes> {
        self.count += 1;
        let wanted = self.wanted(terms, tracer, thread, at);
        self.written_value(terms, tracer, thread, &wanted, true)
    }

    fn wanted(&mut self, terms: &Terms, tracer: &mut Tracer, thread: ThreadId, at: usize) -> Wanted {
        self.catch_up(terms, tracer);
        let condition = terms.not(tracer.threads[thread.index()].conditions[at].term);
        let (others, involved) = self.slice(terms, tracer, thread, at);
        Wanted { condition, others, involved }
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
                let (owner, at) = tracer.reader(*symbol)?;
                (owner == thread).then_some((at, *symbol))
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
        let mut involved: FxHashSet<Term> = self.symbols_of(terms, wanted).iter().copied().collect();
        let mut open: Vec<Term> = involved.iter().copied().collect();
        let (mut seen, mut taken) = (FxHashSet::default(), Vec::new());
        while let Some(symbol) = open.pop() {
            let on_it = self.by_symbol.get(&symbol).cloned().unwrap_or_default();
            for (other, number) in on_it {
                if (other == thread && number >= at) || !seen.insert((other, number)) {
                    continue;
                }
                let condition = tracer.threads[other.index()].conditions[number].term;
                taken.push((other, number, condition));
                let more = self.symbols_of(terms, condition);
                open.extend(more.iter().copied().filter(|symbol| involved.insert(*symbol)));
            }
        }
        taken.sort_unstable_by_key(|(other, number, _)| (*other, *number));
        (taken.into_iter().map(|(.., condition)| condition).collect(), involved)
    }

    /// The symbols of a term, or some of them if it has very many parts: values are guesses.
    fn symbols_of(&mut self, terms: &Terms, term: Term) -> Arc<[Term]> {
        let known = self.symbols.entry(term).or_insert_with(|| {
            let (mut seen, mut open, mut symbols) = (FxHashSet::default(), vec![term], Vec::new());
            while let Some(current) = open.pop() {
                if seen.len() < MOST_PARTS && seen.insert(current) {
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

/// The values that a thread's reads up to the event with this number returned, as a hash.
fn what_was_read(tracer: &Tracer, thread: ThreadId, number: usize) -> u64 {
    let mut hasher = FxHasher::default();
    (thread.0, number).hash(&mut hasher);
    let events = &tracer.threads[thread.index()].events[..number];
    for symbol in events.iter().filter_map(|event| event.what.symbol()) {
        tracer.values.get(symbol).hash(&mut hasher);
    }
    hasher.finish()
}

/// Values that bytes get or have, each once, the latest first.
fn written(terms: &Terms, tracer: &Tracer, range: ByteRange) -> Vec<BitVector> {
    let mut values: Vec<BitVector> = Vec::new();
    let mut add = |value: BitVector| {
        if !values.contains(&value) {
            values.push(value);
        }
    };
    for event in tracer.writes_to(range).rev().take(MOST_WRITES) {
        let Some(term) = event.what.written() else { continue };
        add(evaluate(terms, term, &tracer.values));
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
