//! Which write each read gets its bytes from, and the order that requires.
//!
//! Beyond the one order of all events, coherence restricts reads and writes of one thread. A read never gets
//! a value older than its own thread's latest write to the place. Sources that would are no candidates, and a
//! source of another thread must come after that write. (All else that coherence forbids is a cycle of the
//! one order: every model here keeps the order of reads, and of reads before writes.)

use crate::synthesis::problem::{EventId, Problem};
use crate::synthesis::system::scope::Scope;
use crate::synthesis::system::{Atom, Builder, Literal};
use symx_expr::Term;
use symx_memmodel::{Location, Operation};

/// Writes of one thread to one place take effect in program order.
pub(in crate::synthesis) fn own_coherence(problem: &Problem) -> Vec<(EventId, EventId)> {
    let events = &problem.execution.events;
    let mut pairs = Vec::new();
    for location in &problem.execution.locations {
        let mut writes = location.coherence.clone();
        writes.sort_unstable();
        let consecutive = writes.windows(2).filter(|pair| events[pair[0]].thread == events[pair[1]].thread);
        pairs.extend(consecutive.map(|pair| (EventId(pair[0] as u32), EventId(pair[1] as u32))));
    }
    pairs
}

pub(in crate::synthesis) fn constrain(problem: &Problem, scope: &Scope, builder: &mut Builder) {
    let locations = problem.execution.locations.iter().enumerate();
    for (number, location) in locations.filter(|(number, _)| scope.has_location(*number)) {
        for (read, _) in &location.reads_from {
            if builder.is_full() {
                return;
            }
            builder.about(Some(EventId(*read as u32)));
            Reader::new(problem, number, location, *read).constrain(builder);
        }
    }
    builder.about(None);
}

/// One read of one location.
struct Reader<'a> {
    problem: &'a Problem,
    number: u32,
    location: &'a Location,
    read: EventId,
    /// The last write to the location that its own thread made before.
    own: Option<EventId>,
    /// Writes that may come before or after it.
    others: Vec<EventId>,
}

impl<'a> Reader<'a> {
    fn new(problem: &'a Problem, number: usize, location: &'a Location, read: usize) -> Self {
        let events = &problem.execution.events;
        let is_own = |write: &usize| events[*write].thread == events[read].thread;
        let own = location.coherence.iter().copied().filter(|write| is_own(write) && *write < read).max();
        let others = location.coherence.iter().copied().filter(|write| !is_own(write));
        Self {
            problem,
            number: number as u32,
            location,
            read: EventId(read as u32),
            own: own.map(|write| EventId(write as u32)),
            others: others.map(|write| EventId(write as u32)).collect(),
        }
    }

    /// Whether reading from a write of the own thread waits until it has taken effect.
    fn reads_memory(&self) -> bool {
        self.problem.execution.events[self.read.index()].operation != Operation::Load
    }

    /// The bytes read are those of a source.
    fn agreement(&self, source: Option<EventId>) -> Term {
        let (problem, part) = (self.problem, self.location.range);
        let operation = problem.operation(self.read);
        let (span, symbol) = (operation.span(), operation.symbol());
        let (span, symbol) = (span.expect("a read has bytes"), symbol.expect("a read has a value"));
        let read = problem.slice(problem.term(symbol), problem.range(span), part);
        let written = match source {
            None => problem.initial(part),
            Some(write) => {
                let operation = problem.operation(write);
                let (span, value) = (operation.span(), operation.written());
                let (span, value) = (span.expect("a write has bytes"), value.expect("a write has a value"));
                problem.slice(problem.term(value), problem.range(span), part)
            }
        };
        problem.terms.equal(read, written)
    }

    /// Whether a write of another thread cannot be the source.
    fn is_hidden(&self, builder: &Builder, write: EventId) -> bool {
        let order = &builder.order;
        order.precedes(self.read, write)
            || self.own.is_some_and(|own| order.precedes(write, own))
            || self
                .others
                .iter()
                .any(|other| order.precedes(write, *other) && order.precedes(*other, self.read))
    }

    fn constrain(&self, builder: &mut Builder) {
        let mut sources: Vec<Option<EventId>> = Vec::new();
        let visible = |write: &EventId| !self.is_hidden(builder, *write);
        sources.extend(self.others.iter().copied().filter(visible).map(Some));
        match self.own {
            Some(own) => {
                let overwritten = |other: &EventId| {
                    builder.order.precedes(own, *other) && builder.order.precedes(*other, self.read)
                };
                if !self.others.iter().any(overwritten) {
                    sources.push(Some(own));
                }
            }
            None if !self.others.iter().any(|write| builder.order.precedes(*write, self.read)) => {
                sources.push(None);
            }
            None => {}
        }
        let mut possible = Vec::new();
        for source in sources {
            let agreement = builder.reduced(self.problem, self.agreement(source));
            if !builder.is_excluded(self.problem, agreement) {
                possible.push((source, agreement));
            }
        }
        let literal =
            |source| Literal::of(Atom::ReadsFrom { location: self.number, read: self.read, write: source });
        let literals: Vec<Literal> = possible.iter().map(|(source, _)| literal(*source)).collect();
        builder.at_most_one(&literals);
        builder.clause(literals);
        // A read with one source has no choice to be named.
        let is_only = possible.len() == 1;
        for (source, agreement) in possible {
            let unless = (!is_only).then(|| !literal(source));
            let mut imply = |literals: &[Literal]| builder.clause(unless.iter().chain(literals).copied());
            imply(&[Literal::of(Atom::Holds(agreement))]);
            self.order(source, &mut imply);
        }
    }

    /// Constraints on the order if a source is read.
    fn order(&self, source: Option<EventId>, imply: &mut impl FnMut(&[Literal])) {
        let read = self.read;
        if let Some(source) = source {
            if Some(source) != self.own || self.reads_memory() {
                imply(&[Literal::before(source, read)]);
            }
            // The own write, which the read sees before others do, is older than what it sees instead.
            if let Some(own) = self.own.filter(|own| *own != source) {
                imply(&[Literal::before(own, source)]);
            }
        }
        for other in self.others.iter().copied().filter(|other| Some(*other) != source) {
            match source {
                Some(source) => imply(&[Literal::before(other, source), Literal::before(read, other)]),
                None => imply(&[Literal::before(read, other)]),
            }
        }
    }
}
