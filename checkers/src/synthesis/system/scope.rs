//! Part of a problem: the places and objects that a question is about.
//!
//! A system of a part has some of the clauses of the whole. An execution satisfies it, too. So a
//! contradiction of the part is one of the whole. Questions about a long trace can be limited to the few
//! places that its bug depends on.

use crate::synthesis::problem::{EventId, Problem};
use std::collections::{HashMap, HashSet};
use symx_expr::{Derived, Term};
use symx_trace::symbolic::Operation;

/// Which places of memory a system speaks of, and whether it does of locks and the like.
#[derive(Clone, Debug)]
pub struct Scope {
    /// By location of the execution.
    locations: Vec<bool>,
    /// Whether synchronisation objects are part of it: all or none.
    pub has_synchronisation: bool,
}

impl Scope {
    /// Everything.
    pub fn whole(problem: &Problem) -> Self {
        Self { locations: vec![true; problem.execution.locations.len()], has_synchronisation: true }
    }

    /// The places that the bug reads, then those that the values written there depend on, and so on. Each
    /// comes first without synchronisation, then with it; at last everything.
    pub fn growing(problem: &Problem) -> Vec<Self> {
        let sources = Sources::new(problem);
        let nothing =
            Self { locations: vec![false; problem.execution.locations.len()], has_synchronisation: false };
        let mut scope = sources.with_reads_of(&nothing, &[problem.bug()]);
        let mut scopes = Vec::new();
        loop {
            scopes.push(scope.clone());
            scopes.push(Self { has_synchronisation: true, ..scope.clone() });
            let written = scope.written(problem);
            let further = sources.with_reads_of(&scope, &written);
            if further.locations == scope.locations {
                scopes.push(Self::whole(problem));
                return scopes;
            }
            scope = further;
        }
    }

    /// Whether it speaks of a location.
    pub fn has_location(&self, location: usize) -> bool {
        self.locations[location]
    }

    fn is_whole(&self) -> bool {
        self.has_synchronisation && self.locations.iter().all(|is_in| *is_in)
    }

    /// The conditions that say something about it alone.
    pub(in crate::synthesis) fn conditions(&self, problem: &Problem, conditions: Vec<Term>) -> Vec<Term> {
        if self.is_whole() {
            return conditions;
        }
        let sources = Sources::new(problem);
        // Conditions of one trace share most of their terms: each is looked at once.
        let mut about_it = Derived::default();
        let is_read_here =
            |term| sources.of.get(&term).is_none_or(|read| read.iter().all(|at| self.locations[*at]));
        let is_about_it = |term, operands: &mut dyn Iterator<Item = bool>| {
            operands.fold(is_read_here(term), |is_about_it, is_operand| is_about_it && is_operand)
        };
        conditions.into_iter().filter(|term| about_it.of(&problem.terms, *term, is_about_it)).collect()
    }

    /// About how much a system of it takes: literals of the clauses about reads and locks, and
    /// gates of the values.
    pub fn cost(&self, problem: &Problem) -> u64 {
        let kept = (0..self.locations.len()).filter(|location| self.locations[*location]);
        let of_location = |location: usize| {
            let location = &problem.execution.locations[location];
            let (reads, writes) = (location.reads_from.len() as u64, location.coherence.len() as u64);
            reads * writes * writes
        };
        let memory: u64 = kept.map(of_location).sum();
        let synchronises = |event: &EventId| {
            let operation = problem.operation(*event);
            let is_life = matches!(operation, Operation::Create(_) | Operation::Begin | Operation::End);
            !operation.is_access_or_fence() && !is_life && !matches!(operation, Operation::Join(_))
        };
        let uses = match self.has_synchronisation {
            true => problem.events().filter(synchronises).count() as u64,
            false => 0,
        };
        let mut values = self.written(problem);
        values.push(problem.bug());
        memory + uses * uses + problem.gates_of(&values)
    }

    /// Values written to its locations.
    fn written(&self, problem: &Problem) -> Vec<Term> {
        let locations = problem.execution.locations.iter().zip(&self.locations);
        let writes = locations.filter(|(_, is_in)| **is_in).flat_map(|(location, _)| &location.coherence);
        let events: HashSet<usize> = writes.copied().collect();
        let value = |event: &usize| problem.operation(EventId(*event as u32)).written();
        events.iter().filter_map(value).map(|value| problem.term(value)).collect()
    }
}

/// Where values come from.
struct Sources<'p> {
    problem: &'p Problem,
    /// By what a read returns, the locations read.
    of: HashMap<Term, Vec<usize>>,
}

impl<'p> Sources<'p> {
    fn new(problem: &'p Problem) -> Self {
        let mut of: HashMap<Term, Vec<usize>> = HashMap::new();
        for (number, location) in problem.execution.locations.iter().enumerate() {
            for (read, _) in &location.reads_from {
                if let Some(symbol) = problem.operation(EventId(*read as u32)).symbol() {
                    of.entry(problem.term(symbol)).or_default().push(number);
                }
            }
        }
        Self { problem, of }
    }

    /// The scope, and the places that these terms depend on.
    fn with_reads_of(&self, scope: &Scope, terms: &[Term]) -> Scope {
        let mut scope = scope.clone();
        let (mut open, mut seen) = (terms.to_vec(), HashSet::new());
        while let Some(current) = open.pop() {
            if !seen.insert(current) {
                continue;
            }
            for location in self.of.get(&current).into_iter().flatten() {
                scope.locations[*location] = true;
            }
            open.extend(self.problem.terms.node(current).operands());
        }
        scope
    }
}
