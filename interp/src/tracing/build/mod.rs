//! From what was noted to a symbolic trace.

mod events;

use super::objects::Objects;
use super::output::unexpected;
use crate::environment::Environment;
use crate::machine::Executor;
use crate::memory::{Object, Site};
use crate::state::State;
use crate::stop::position::location;
use crate::symbolic_trace::{Followed, Happened, Happening, Held, Moved, Synchronisation, Tracer};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use symx_expr::{Node, Term, Terms};
use symx_ir::address::Cell;
use symx_ir::{Program, SpanId};
use symx_trace::symbolic::{ByteSpan, ObjectRef, SymbolicTrace, Taken, ThreadRef, TraceBuilder};
use symx_trace::{Failure, Location, Place, ThreadId, ThreadName};

/// Why an execution has no symbolic trace.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("a symbolic trace cannot tell: {what}")]
pub struct NotTraced {
    /// The operation that it cannot express.
    pub what: String,
    /// Where in the program, if anywhere.
    pub location: Option<Location>,
}

/// An execution as a symbolic trace.
#[derive(Clone, Debug)]
pub struct Traced {
    /// The events of the threads.
    pub trace: SymbolicTrace,
    /// The order in which they did it.
    pub order: Vec<Taken>,
    /// By thread and event, the number of the event as they are counted while the thread runs; none for those
    /// that the trace has besides.
    pub counted: Vec<Vec<Option<usize>>>,
    /// Whether the bug has conditions of the paths in it: an execution without it need not be a passing one.
    pub has_path_in_bug: bool,
    /// Sites whose objects threads share, ascending.
    pub shared: Vec<Site>,
    /// Objects whose accesses are no events.
    pub private: Arc<FxHashSet<Cell>>,
}

impl Traced {
    /// Whether a thread's event is one that the trace has besides what the program does. Such an event checks
    /// whether an object that is about to be used is alive.
    pub fn looks_for_life(&self, thread: usize, event: usize) -> bool {
        self.counted.get(thread).and_then(|events| events.get(event)).is_some_and(Option::is_none)
    }
}

/// How the execution ended.
pub struct Ending {
    /// The failure, if it failed.
    pub failure: Option<Failure>,
    /// The thread whose last condition is the bug.
    pub decided_by: Option<ThreadId>,
    /// The threads that wait forever, for what, and where.
    pub blocked: Vec<(ThreadId, Synchronisation, SpanId)>,
    /// The output that should have been written, if the bug is that it was not.
    pub expected: Option<Arc<[u8]>>,
}

/// Bytes that one initial value is about at most.
const PIECE: u64 = 64;

struct Build<'b, 'm, E: Environment> {
    executor: &'b Executor<'m, E>,
    state: &'b State<E>,
    tracer: &'b Tracer,
    builder: TraceBuilder<'b>,
    objects: Objects,
    names: Vec<ThreadName>,
    /// Objects that one thread ends and another one uses: the thread that ends them.
    freed: FxHashMap<Cell, ThreadId>,
    /// Places with effects of more than one thread.
    ordered: FxHashSet<Place>,
    /// How many effects there were at a place so far.
    effects: FxHashMap<Place, u64>,
    /// The values read by calls that write to standard output: how much was written before.
    positions: FxHashMap<(ThreadId, usize), Term>,
    semaphores: FxHashMap<u64, u32>,
    /// Accessed bytes by object.
    accessed: BTreeMap<Cell, Vec<(u64, u64)>>,
    counted: Vec<Vec<Option<usize>>>,
    order: Vec<Taken>,
    /// Where the output is the bug: the last scope of the program's own code, and the conditions of
    /// libraries' code. That puts it into words and buffers. They are part of the bug, not of the path.
    wording: Option<(u32, Vec<Term>)>,
}

/// The trace of what an executor has noted. `orders_effects` says whether that is an execution: then calls
/// that touch the same thing of the system keep their order.
pub fn build<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    ending: Ending,
    orders_effects: bool,
) -> Result<Traced, NotTraced> {
    let tracer = executor.notes.tracer.take().unwrap_or_default();
    let machine = executor.machine;
    if let Some((what, span)) = &tracer.refused {
        let location = location(&machine.program, *span);
        return Err(NotTraced { what: what.clone(), location: (location.line > 0).then_some(location) });
    }
    let names: Vec<ThreadName> = state.threads.iter().map(|thread| thread.name.clone()).collect();
    if state.threads.iter().any(|thread| thread.service) {
        return Err(NotTraced { what: "a timer of the process".into(), location: None });
    }
    let build = Build {
        executor,
        state,
        builder: TraceBuilder::new(&machine.terms),
        objects: Objects::default(),
        names,
        freed: freed(&tracer.threads),
        ordered: if orders_effects { ordered(&tracer.threads) } else { FxHashSet::default() },
        effects: FxHashMap::default(),
        positions: FxHashMap::default(),
        semaphores: FxHashMap::default(),
        accessed: BTreeMap::new(),
        counted: vec![Vec::new(); state.threads.len()],
        order: Vec::new(),
        wording: ending.expected.is_some().then(|| (last_own_scope(&machine.program), Vec::new())),
        tracer: &tracer,
    };
    build.run(ending)
}

/// The last scope of the program's own code, which is linked before that of libraries.
fn last_own_scope(program: &Program) -> u32 {
    let own = program.functions.iter().filter(|function| function.in_program);
    own.flat_map(|function| &function.spans).map(|span| program.span(*span).scope).max().unwrap_or(u32::MAX)
}

/// Objects that a thread ends and another one uses.
fn freed(threads: &[Followed]) -> FxHashMap<Cell, ThreadId> {
    let all = || {
        let numbered = (0..).map(ThreadId).zip(threads);
        numbered.flat_map(|(thread, followed)| followed.events.iter().map(move |event| (thread, event)))
    };
    let mut freed = FxHashMap::default();
    for (thread, event) in all() {
        if let Happening::Freed(base) = event.what
            && let Some(cell) = Cell::of(base)
        {
            freed.insert(cell, thread);
        }
    }
    let uses = |cell: Cell, ender: ThreadId| {
        all().any(|(thread, event)| thread != ender && touches(event) == Some(cell))
    };
    freed.retain(|cell, ender| uses(*cell, *ender));
    freed
}

/// The cell of the object that an event touches, and whose end it would notice.
fn touches(event: &Happened) -> Option<Cell> {
    match event.what {
        Happening::Read { address, .. }
        | Happening::Write { address, .. }
        | Happening::Update { address, .. }
        | Happening::FoundFreed(address) => Cell::of(address),
        Happening::Synchronised(what) => what.lock().and_then(Cell::of),
        _ => None,
    }
}

fn ordered(threads: &[Followed]) -> FxHashSet<Place> {
    let mut by: FxHashMap<Place, usize> = FxHashMap::default();
    let mut ordered = FxHashSet::default();
    for (thread, followed) in threads.iter().enumerate() {
        for event in &followed.events {
            if let Happening::Effect { place, .. } | Happening::Output { place, .. } = event.what
                && *by.entry(place).or_insert(thread) != thread
            {
                ordered.insert(place);
            }
        }
    }
    ordered
}

fn thread_ref(thread: ThreadId) -> ThreadRef {
    ThreadRef(thread.0)
}

impl<'b, E: Environment> Build<'b, '_, E> {
    fn terms(&self) -> &'b Terms {
        &self.executor.machine.terms
    }

    fn place(&self, span: SpanId) -> Location {
        location(&self.executor.machine.program, span)
    }

    fn refused(&self, what: impl Into<String>, span: SpanId) -> NotTraced {
        let location = self.place(span);
        NotTraced { what: what.into(), location: (location.line > 0).then_some(location) }
    }

    fn run(mut self, mut ending: Ending) -> Result<Traced, NotTraced> {
        for name in &self.names[1..] {
            self.builder.thread(name.clone());
        }
        let tracer = self.tracer;
        let mut conditions = vec![0; tracer.threads.len()];
        // The condition that is the bug is none of the path.
        let decided = ending.decided_by.take().and_then(|thread| {
            let held = &tracer.threads.get(thread.index())?.conditions;
            Some((thread, held.len().checked_sub(1)?))
        });
        let bug =
            decided.map_or(Term::TRUE, |(thread, at)| tracer.threads[thread.index()].conditions[at].term);
        let mut found_freed = Term::TRUE;
        for moved in &tracer.order {
            match *moved {
                Moved::Event(thread, number) => {
                    let followed = &tracer.threads[thread.index()];
                    self.hold(thread, followed, &mut conditions[thread.index()], number, decided);
                    if let Some(gone) = self.event(thread, number, &followed.events[number])? {
                        found_freed = gone;
                    }
                }
                Moved::Commit(thread, number) => {
                    let counted = &self.counted[thread.index()];
                    let index = counted.iter().rposition(|counted| *counted == Some(number));
                    if let Some(index) = index {
                        self.order.push(Taken::Commit { thread: thread_ref(thread), index: index as u32 });
                    }
                }
            }
        }
        for (thread, followed) in (0..).map(ThreadId).zip(&tracer.threads) {
            self.hold(thread, followed, &mut conditions[thread.index()], usize::MAX, decided);
        }
        for (thread, what, span) in std::mem::take(&mut ending.blocked) {
            let operation = self.synchronisation(what, span)?;
            self.builder.at(self.place(span));
            self.builder.blocked(thread_ref(thread), operation);
        }
        self.initial_values();
        self.inputs();
        let mut is_part_of_bug = false;
        let bug = match ending.expected.take() {
            Some(expected) => {
                let rest = self.executor.unnoticed_output(self.state, tracer);
                let differs = unexpected(self.terms(), tracer, &rest, &expected, &self.positions);
                let differs = differs.ok_or_else(|| {
                    let what = "output as long as this, or of which nothing says where it comes";
                    self.refused(what, SpanId::UNKNOWN)
                })?;
                let wording = self.wording.take().map_or_else(Vec::new, |(_, terms)| terms);
                is_part_of_bug = !wording.is_empty();
                self.terms().all(wording.into_iter().chain([differs]))
            }
            None if found_freed == Term::TRUE => bug,
            None => found_freed,
        };
        let trace = self.builder.finish(bug, ending.failure);
        let visible = self.executor.visible.iter().flat_map(|sites| sites.iter());
        let shared: BTreeSet<Site> = visible.chain(tracer.unseen.iter()).copied().collect();
        Ok(Traced {
            trace,
            order: self.order,
            counted: self.counted,
            shared: shared.into_iter().collect(),
            has_path_in_bug: is_part_of_bug,
            private: Arc::clone(&tracer.private),
        })
    }

    /// The conditions of a thread that come before its event with this number.
    fn hold(
        &mut self,
        thread: ThreadId,
        followed: &Followed,
        next: &mut usize,
        number: usize,
        bug: Option<(ThreadId, usize)>,
    ) {
        while let Some(held) = followed.conditions.get(*next).filter(|held| held.after <= number) {
            if self.is_wording(held) {
                self.wording.iter_mut().for_each(|(_, terms)| terms.push(held.term));
            } else if bug != Some((thread, *next)) {
                self.builder.at(self.place(held.span));
                self.builder.condition(thread_ref(thread), held.term);
            }
            *next += 1;
        }
    }

    /// Whether a condition decides how a thread puts into words what it writes, or where in the
    /// buffer it puts that.
    fn is_wording(&self, held: &Held) -> bool {
        let own = self.wording.as_ref().map(|(last_own, _)| *last_own);
        own.is_some_and(|own| self.executor.machine.program.span(held.span).scope > own)
    }

    /// The object as it was before its first event, or as it is.
    fn object_in(&self, cell: Cell) -> Option<&'b Object> {
        let (tracer, state) = (self.tracer, self.state);
        tracer.before.get(&cell).or_else(|| state.memory.get(cell))
    }

    fn memory(&mut self, address: u64) -> Option<(ObjectRef, &'b Object)> {
        let cell = Cell::of(address)?;
        let object = self.object_in(cell)?;
        let place = self.objects.memory(self.executor, &mut self.builder, &self.names, cell, object);
        Some((place, object))
    }

    /// The content of accessed bytes before the first event.
    fn initial_values(&mut self) {
        let terms = self.terms();
        let inputs: FxHashSet<Term> =
            self.state.inputs.iter().flat_map(|input| input.bytes.iter().copied()).collect();
        for (cell, mut ranges) in std::mem::take(&mut self.accessed) {
            let Some(object) = self.object_in(cell) else { continue };
            let place = self.objects.memory(self.executor, &mut self.builder, &self.names, cell, object);
            ranges.sort_unstable();
            let mut done = 0;
            for (start, end) in ranges {
                let mut at = start.max(done);
                while at < end {
                    let length = PIECE.min(end - at);
                    let bytes = (at..at + length).rev().map(|offset| {
                        let byte = object.byte(terms, offset).term(terms);
                        if symbols_are(terms, byte, &inputs) { byte } else { self.plain_byte(byte) }
                    });
                    let value = bytes.reduce(|high, low| terms.concat(high, low));
                    if let Some(value) = value.filter(|value| *value != terms.zero(length as u32 * 8)) {
                        self.builder.initial(ByteSpan { object: place, offset: at, length }, value);
                    }
                    at += length;
                }
                done = done.max(end);
            }
        }
    }

    fn plain_byte(&self, byte: Term) -> Term {
        let terms = self.terms();
        terms.bitvector(&symx_expr::evaluate(terms, byte, &self.tracer.values))
    }

    fn inputs(&mut self) {
        for input in &self.state.inputs {
            for symbol in input.bytes.iter() {
                self.builder.input(*symbol, self.tracer.values.get(*symbol));
            }
        }
    }
}

/// Whether all symbols of a term are of these.
fn symbols_are(terms: &Terms, term: Term, known: &FxHashSet<Term>) -> bool {
    let mut open = vec![term];
    while let Some(current) = open.pop() {
        let node = terms.node(current);
        if matches!(node, Node::Symbol { .. }) && !known.contains(&current) {
            return false;
        }
        open.extend(node.operands());
    }
    true
}
