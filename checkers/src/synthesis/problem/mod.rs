//! The problem to solve: a symbolic trace and a memory model, laid out for engines.

pub(super) mod layout;
mod lives;

use crate::synthesis::limits::MOST_IN_TABLES;
use layout::Layout;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use symx_expr::{Assignment, BinaryOperator, BitVector, Node, Term, Terms};
use symx_memmodel as memmodel;
use symx_memmodel::{ByteRange, MemoryModel};
use symx_trace::symbolic::{
    AccessOrdering, ByteSpan, ObjectKind, Operation, SymbolicTrace, Taken, TermRef, TraceError,
};

/// An event, numbered thread by thread in program order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId(pub u32);

impl EventId {
    /// For indexing.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where an event stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// The thread's number in the trace.
    pub thread: usize,
    /// Its place in program order.
    pub index: usize,
}

/// Why no engine is asked about a trace.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unsupported {
    /// The trace contradicts itself.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// Executions under the model are no orders of events.
    #[error("synthesis knows no memory model like {0}")]
    Model(&'static str),
    /// There are too many events for tables of their orders.
    #[error("{events} events are more than the {most} whose orders are kept in tables")]
    TooManyEvents {
        /// How many there are.
        events: usize,
        /// How many there may be.
        most: usize,
    },
}

/// A symbolic trace under a memory model.
#[derive(Debug)]
pub struct Problem {
    /// The pool of all terms.
    pub terms: Arc<Terms>,
    /// The memory model, which says which program order is preserved.
    pub model: &'static dyn MemoryModel,
    /// The trace of the threads.
    pub trace: SymbolicTrace,
    /// Which events read and write which bytes, and which must come before which: no reads-from or coherence
    /// yet.
    pub execution: memmodel::Execution,
    /// By event.
    positions: Vec<Position>,
    /// Each thread's first event, and the number of all.
    first: Vec<u32>,
    /// The trace's terms in the pool.
    loaded: Vec<Term>,
    /// By object, the address of its first byte.
    addresses: Vec<u64>,
    /// An order of the events that may be near one that shows the bug, if any is known.
    suggested: Option<Vec<EventId>>,
    /// The layout for executing the events, once something executes them.
    layout: OnceLock<Layout>,
}

impl Problem {
    /// Lays out a trace.
    pub fn new(
        terms: Arc<Terms>,
        trace: SymbolicTrace,
        model: &'static dyn MemoryModel,
    ) -> Result<Self, Unsupported> {
        trace.check()?;
        if model.keeps_history() {
            return Err(Unsupported::Model(model.name()));
        }
        let (events, most) = (trace.event_count(), u32::MAX as usize);
        if events > most {
            return Err(Unsupported::TooManyEvents { events, most });
        }
        let loaded = trace.terms.load(&terms);
        let (mut positions, mut first) = (Vec::new(), Vec::new());
        for (thread, one) in trace.threads.iter().enumerate() {
            first.push(positions.len() as u32);
            positions.extend((0..one.events.len()).map(|index| Position { thread, index }));
        }
        first.push(positions.len() as u32);
        let addresses = lay_out(&trace);
        let execution = memmodel::Execution::new(Vec::new());
        let (suggested, layout) = (None, OnceLock::new());
        let mut problem =
            Self { terms, model, trace, execution, positions, first, loaded, addresses, suggested, layout };
        let events = problem.events().map(|event| problem.memory_event(event)).collect();
        problem.execution = memmodel::Execution::new(events);
        problem.execution.synchronises = lives::lives(&problem);
        Ok(problem)
    }

    /// Has engines that walk try this order of the events first.
    pub fn suggest(&mut self, order: &[Taken]) {
        let events = order.iter().filter_map(|taken| match taken {
            Taken::Event { thread, index, .. } => Some(self.event(thread.0 as usize, *index as usize)),
            Taken::Commit { .. } => None,
        });
        self.suggested = Some(events.collect());
    }

    /// The order that was [suggested](Self::suggest).
    pub(crate) fn suggested(&self) -> Option<&[EventId]> {
        self.suggested.as_deref()
    }

    /// The layout for executing the events.
    pub(super) fn layout(&self) -> &Layout {
        self.layout.get_or_init(|| Layout::new(self))
    }

    /// Whether a [`System`](super::System) has room for what is known of the order of the events, which grows
    /// with the square of their number. Executing events needs no such tables.
    pub fn fits_in_tables(&self) -> Result<(), Unsupported> {
        let (events, most) = (self.event_count(), MOST_IN_TABLES);
        if events > most { Err(Unsupported::TooManyEvents { events, most }) } else { Ok(()) }
    }

    /// All events.
    pub fn events(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.positions.len() as u32).map(EventId)
    }

    /// Number of events.
    pub fn event_count(&self) -> usize {
        self.positions.len()
    }

    /// Number of threads.
    pub fn thread_count(&self) -> usize {
        self.trace.threads.len()
    }

    /// A thread's events in program order.
    pub fn events_of(&self, thread: usize) -> impl DoubleEndedIterator<Item = EventId> + use<> {
        (self.first[thread]..self.first[thread + 1]).map(EventId)
    }

    /// The event of a thread at a place in program order.
    pub fn event(&self, thread: usize, index: usize) -> EventId {
        EventId(self.first[thread] + index as u32)
    }

    /// Where an event stands.
    pub fn position(&self, event: EventId) -> Position {
        self.positions[event.index()]
    }

    /// The operation of an event.
    pub fn operation(&self, event: EventId) -> &Operation {
        let Position { thread, index } = self.position(event);
        &self.trace.threads[thread].events[index].operation
    }

    /// A term of the trace.
    pub fn term(&self, term: TermRef) -> Term {
        self.loaded[term.index()]
    }

    /// The addresses of a span.
    pub fn range(&self, span: ByteSpan) -> ByteRange {
        ByteRange::new(self.addresses[span.object.0 as usize] + span.offset, span.length)
    }

    /// The locations that an event accesses.
    pub(crate) fn locations_of(&self, event: EventId) -> Range<usize> {
        let (range, all) = (self.execution.events[event.index()].range, &self.execution.locations);
        let first = all.partition_point(|one| one.range.address < range.address);
        let end = range.address + range.length;
        first..all.partition_point(|one| one.range.address < end).max(first)
    }

    /// Those bits of a value stored at `range` that lie at `part`, which it covers.
    pub fn slice(&self, value: Term, range: ByteRange, part: ByteRange) -> Term {
        let offset = part.address - range.address;
        self.terms.extract(value, offset as u32 * 8, part.length as u32 * 8)
    }

    /// The contents of `part` of memory before the first event.
    pub fn initial(&self, part: ByteRange) -> Term {
        let mut value = self.terms.zero(part.length as u32 * 8);
        for initial in &self.trace.initial {
            let range = self.range(initial.span);
            if !range.overlaps(part) {
                continue;
            }
            let bytes = (0..part.length).rev().map(|index| match range.offset_of(part.address + index) {
                Some(offset) => self.terms.extract(self.term(initial.value), offset as u32 * 8, 8),
                None => self.terms.extract(value, index as u32 * 8, 8),
            });
            value = bytes.reduce(|high, low| self.terms.concat(high, low)).expect("a part has a byte");
        }
        value
    }

    /// Every condition of every path, and that the bug shows.
    pub fn conditions(&self) -> impl Iterator<Item = Term> + '_ {
        let paths = self.trace.threads.iter().flat_map(|thread| &thread.conditions);
        paths.map(|condition| self.term(condition.term)).chain([self.bug()])
    }

    /// True where the bug shows.
    pub fn bug(&self) -> Term {
        self.term(self.trace.bug.condition)
    }

    /// The values inputs had when the execution was recorded; those unknown are left out.
    pub fn recorded_inputs(&self) -> Assignment {
        let inputs = self.trace.inputs.iter();
        inputs
            .filter_map(|input| {
                Some((self.term(input.symbol), self.terms.as_bitvector(self.term(input.recorded?))?))
            })
            .collect()
    }

    /// The symbols of inputs.
    pub fn inputs(&self) -> impl Iterator<Item = Term> + '_ {
        self.trace.inputs.iter().map(|input| self.term(input.symbol))
    }

    /// Whether some symbol is neither an input nor read: the trace leaves its value open.
    pub fn free_symbols(&self) -> Vec<Term> {
        let mut known: Vec<Term> = self.inputs().collect();
        known.extend(self.events().filter_map(|event| Some(self.term(self.operation(event).symbol()?))));
        known.sort_unstable();
        let is_free = |term: &Term| {
            matches!(self.terms.node(*term), Node::Symbol { .. }) && known.binary_search(term).is_err()
        };
        self.loaded.iter().copied().filter(is_free).collect()
    }

    /// About how many gates a circuit of all terms of the trace has.
    pub fn gates(&self) -> u64 {
        self.loaded.iter().map(|term| self.gates_of_one(*term)).sum()
    }

    /// The same of these terms and what they consist of.
    pub fn gates_of(&self, terms: &[Term]) -> u64 {
        let mut seen: HashSet<Term> = terms.iter().copied().collect();
        let mut open: Vec<Term> = seen.iter().copied().collect();
        let mut gates = 0;
        while let Some(term) = open.pop() {
            gates += self.gates_of_one(term);
            open.extend(self.terms.node(term).operands().filter(|operand| seen.insert(*operand)));
        }
        gates
    }

    fn gates_of_one(&self, term: Term) -> u64 {
        let width = u64::from(self.terms.width(term));
        match self.terms.node(term) {
            Node::Binary { operator: BinaryOperator::Multiply, .. } => width * width,
            Node::Binary { operator, .. } if is_division(*operator) => 3 * width * width,
            _ => width,
        }
    }

    fn memory_event(&self, event: EventId) -> memmodel::Event {
        let thread = self.position(event).thread as u32;
        let operation = self.operation(event);
        let range = operation.span().map_or(ByteRange::new(0, 0), |span| self.range(span));
        let (operation, ordering) = match *operation {
            Operation::Read { ordering, .. } => (memmodel::Operation::Load, ordering),
            Operation::Write { ordering, .. } => (memmodel::Operation::Store, ordering),
            Operation::ReadModifyWrite { ordering, value: Some(_), .. } => {
                (memmodel::Operation::ReadModifyWrite, ordering)
            }
            Operation::ReadModifyWrite { ordering, value: None, .. } => {
                (memmodel::Operation::FailedCompareExchange, ordering)
            }
            Operation::Effect { .. } => (memmodel::Operation::Effect, AccessOrdering::Monotonic),
            Operation::Fence { ordering } => (memmodel::Operation::Fence, ordering),
            // Ending waits for nothing and orders nothing: joining does.
            Operation::End => (memmodel::Operation::Fence, AccessOrdering::Monotonic),
            _ => (memmodel::Operation::Synchronisation, AccessOrdering::SequentiallyConsistent),
        };
        memmodel::Event { thread, operation, ordering: memory_ordering(ordering), range }
    }
}

fn is_division(operator: BinaryOperator) -> bool {
    use BinaryOperator::{SignedDivide, SignedRemainder, UnsignedDivide, UnsignedRemainder};
    matches!(operator, UnsignedDivide | SignedDivide | UnsignedRemainder | SignedRemainder)
}

/// Addresses far enough apart that no two objects touch.
fn lay_out(trace: &SymbolicTrace) -> Vec<u64> {
    let mut next = 1 << 16;
    let place = |object: &symx_trace::symbolic::Object| {
        let address = next;
        if let ObjectKind::Memory { size } = object.kind {
            next = (next + size + 64) & !15;
        }
        address
    };
    trace.objects.iter().map(place).collect()
}

/// The model's word for an ordering.
pub(crate) fn memory_ordering(ordering: AccessOrdering) -> memmodel::Ordering {
    match ordering {
        AccessOrdering::NotAtomic => memmodel::Ordering::NotAtomic,
        AccessOrdering::Unordered => memmodel::Ordering::Unordered,
        AccessOrdering::Monotonic => memmodel::Ordering::Monotonic,
        AccessOrdering::Acquire => memmodel::Ordering::Acquire,
        AccessOrdering::Release => memmodel::Ordering::Release,
        AccessOrdering::AcquireRelease => memmodel::Ordering::AcquireRelease,
        AccessOrdering::SequentiallyConsistent => memmodel::Ordering::SequentiallyConsistent,
    }
}

/// The bytes of a value, lowest first.
pub(crate) fn bytes_of(value: &BitVector) -> impl Iterator<Item = u8> + '_ {
    (0..value.width() / 8).map(|byte| (value.limbs()[byte as usize / 8] >> (byte % 8 * 8)) as u8)
}

/// The value of bytes, lowest first.
pub(crate) fn value_of(bytes: &[u8]) -> BitVector {
    let limbs: Vec<u64> = bytes
        .chunks(8)
        .map(|chunk| chunk.iter().rev().fold(0, |limb, byte| limb << 8 | u64::from(*byte)))
        .collect();
    BitVector::from_limbs(bytes.len() as u32 * 8, &limbs)
}
