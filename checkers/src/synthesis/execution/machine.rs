//! Executing a trace's events: threads, store buffers and synchronisation objects with concrete values.
//!
//! This is the operational side of synthesis. The validator runs schedules on it, and searches walk its
//! states; the engines that reason with orders share nothing with it but the trace.

use crate::synthesis::execution::journal::{Change, Journal};
use crate::synthesis::execution::objects::{ObjectState, Objects};
use crate::synthesis::problem::layout::{Formula, Layout};
use crate::synthesis::problem::{EventId, Problem, bytes_of, memory_ordering, value_of};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use symx_expr::{Assignment, BinaryOperator, BitVector, Evaluator, Node, Term, evaluate};
use symx_memmodel::{BufferedStore, Drain, FenceEffect, Lane, StoreBuffer, StorePlacement};
use symx_trace::symbolic::{ObjectRef, Operation};

/// Why a step was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// The thread has no further event, or the buffer no store that may leave it.
    #[error("there is nothing to do")]
    Nothing,
    /// The operation has to wait.
    #[error("the operation has to wait")]
    Waits,
    /// A condition of the path does not hold.
    #[error("the path has another condition")]
    OffPath,
    /// A choice that there is not.
    #[error("there is no such choice")]
    Choice,
    /// A term has the value of a read that comes later.
    #[error("a value depends on a read that comes later")]
    Acausal,
}

/// Executes a problem's events.
#[derive(Debug)]
pub struct Machine<'p> {
    problem: &'p Problem,
    layout: &'p Layout,
    /// Values of terms, if there is one execution only: what a read has returned stays what it is. Abandoned
    /// executions may leave values, which are removed once a read returns another one.
    known: Option<RefCell<FxHashMap<Term, BitVector>>>,
    /// Terms in the order in which they became known, for what goes back to earlier states.
    trail: Option<RefCell<Vec<Term>>>,
    /// Whether the bug is a condition of the thread whose reads decide it, if it is one.
    asks_for_bug_early: bool,
    start: State,
}

/// The state of an execution.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// By thread, its next event's place in program order.
    next: Vec<usize>,
    buffers: Vec<StoreBuffer<u8>>,
    memory: Vec<u8>,
    /// The values of inputs and of reads.
    values: Vec<Option<BitVector>>,
    objects: Objects,
    journal: Journal,
}

/// A state of an execution, to go back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    changes: usize,
    known: usize,
}

impl State {
    /// How many events of the thread have been executed.
    pub fn executed(&self, thread: usize) -> usize {
        self.next[thread]
    }

    /// Keeps what changes from now on, so that the machine can [go back](Machine::go_back).
    pub(crate) fn keep_changes(&mut self) {
        self.journal.begin();
    }

    /// Hashes all but what memory holds and reads have returned.
    pub(crate) fn hash_progress(&self, hasher: &mut impl Hasher) {
        (&self.next, &self.buffers).hash(hasher);
        self.hash_synchronisation(hasher);
    }

    /// Hashes the state of synchronisation objects on which the future depends.
    pub(crate) fn hash_synchronisation(&self, hasher: &mut impl Hasher) {
        self.objects.hash_what_matters(hasher);
    }
}

impl<'p> Machine<'p> {
    /// The machine before the first event, with these inputs; those left out are zero.
    pub fn new(problem: &'p Problem, inputs: &Assignment) -> Self {
        let layout = problem.layout();
        let mut values = vec![None; layout.readers.len()];
        for (symbol, value) in layout.unread.iter().zip(&mut values) {
            let zero = || BitVector::zero(problem.terms.width(*symbol));
            *value = Some(inputs.get(*symbol).cloned().unwrap_or_else(zero));
        }
        let mut memory = Vec::new();
        for initial in &layout.initial {
            memory.extend(bytes_of(&evaluate(&problem.terms, *initial, inputs)));
        }
        let start = State {
            next: vec![0; problem.thread_count()],
            buffers: vec![StoreBuffer::default(); problem.thread_count()],
            memory,
            values,
            objects: Objects::new(problem),
            journal: Journal::default(),
        };
        Self { problem, layout, known: None, trail: None, asks_for_bug_early: false, start }
    }

    /// The same, for one execution, and for steps that are tried and abandoned on its way.
    pub fn of_one_execution(problem: &'p Problem, inputs: &Assignment) -> Self {
        let mut machine = Self::new(problem, inputs);
        let unread = machine.layout.unread.iter().zip(&machine.start.values);
        let values = unread.filter_map(|(symbol, value)| Some((*symbol, value.clone()?)));
        machine.known = Some(RefCell::new(values.collect()));
        machine
    }

    /// The same, for one execution that [goes back](Self::go_back) to earlier states of itself.
    pub(crate) fn of_a_search(problem: &'p Problem, inputs: &Assignment) -> Self {
        let mut machine = Self::of_one_execution(problem, inputs);
        machine.trail = Some(RefCell::default());
        machine.start.journal.begin();
        machine
    }

    /// The same for a walk that has the bug asked for as soon as it is decided. It leaves open which sleeper
    /// a signal has woken until one goes on.
    pub(crate) fn of_one_that_goes_back(problem: &'p Problem, inputs: &Assignment) -> Self {
        let mut machine = Self::of_a_search(problem, inputs);
        machine.start.objects.choose_late();
        machine.asks_for_bug_early = true;
        machine
    }

    /// By event, whether what it writes, or a condition right after it, depends on what other threads read:
    /// it may have to wait for them.
    pub(crate) fn heeds_others(&self) -> Vec<bool> {
        let reads_elsewhere = |thread: usize, formula: &Formula| {
            let mut readers = formula.latest.iter().filter_map(|slot| self.layout.readers[*slot]);
            readers.any(|reader| reader.thread != thread)
        };
        let written = self.problem.events().zip(&self.layout.written).map(|(event, formula)| {
            let thread = self.problem.position(event).thread;
            formula.as_ref().is_some_and(|formula| reads_elsewhere(thread, formula))
        });
        let mut heeds: Vec<bool> = written.collect();
        for (thread, conditions) in self.layout.conditions.iter().enumerate() {
            for (after, _) in conditions.iter().filter(|(_, formula)| reads_elsewhere(thread, formula)) {
                if let Some(last) = after.checked_sub(1) {
                    heeds[self.problem.event(thread, last).index()] = true;
                }
            }
        }
        heeds
    }

    /// A mark of an execution's state, to go back to.
    pub(crate) fn mark(&self, state: &State) -> Mark {
        let known = self.trail.as_ref().map_or(0, |trail| trail.borrow().len());
        Mark { changes: state.journal.len(), known }
    }

    /// Undoes the steps since.
    pub(crate) fn go_back(&self, state: &mut State, mark: Mark) {
        while state.journal.len() > mark.changes {
            match state.journal.pop() {
                None => break,
                Some(Change::Event { thread }) => state.next[thread] -= 1,
                Some(Change::Read { slot, before }) => state.values[slot] = before,
                Some(Change::Bytes { start, before }) => {
                    state.memory[start..start + before.len()].copy_from_slice(&before);
                }
                Some(Change::Buffer { thread, before }) => state.buffers[thread] = before,
                Some(Change::Objects(before)) => state.objects.restore(before),
            }
        }
        if let (Some(known), Some(trail)) = (&self.known, &self.trail) {
            let mut known = known.borrow_mut();
            trail.borrow_mut().drain(mark.known..).for_each(|term| drop(known.remove(&term)));
        }
    }

    /// The conditions, and parts of conditions, that depend on one read and nothing else, with that read.
    pub(crate) fn conditions_on_one_read(&self) -> Vec<(EventId, Term)> {
        let reads =
            self.problem.events().filter_map(|event| Some((self.layout.slots[event.index()]?, event)));
        let reader: HashMap<usize, EventId> = reads.collect();
        let conditions = self.layout.conditions.iter().flatten();
        // The bug, where it is one of them.
        let bug = self.layout.bug_decided.filter(|_| self.asks_for_bug_early).map(|_| &self.layout.bug);
        let formulas = conditions.map(|(_, formula)| formula).chain(bug);
        let mut open: Vec<Term> = formulas.map(|formula| formula.term).collect();
        let mut found = Vec::new();
        let mut symbols = SymbolCount { problem: self.problem, known: FxHashMap::default() };
        while let Some(condition) = open.pop() {
            if let Node::Binary { operator: BinaryOperator::And, left, right, .. } =
                *self.problem.terms.node(condition)
            {
                open.extend([left, right]);
            } else if let Symbols::One(only) = symbols.count(condition) {
                let event = self.layout.slot_of.get(&only).and_then(|slot| reader.get(slot));
                found.extend(event.map(|event| (*event, condition)));
            }
        }
        found
    }

    /// The value that a read has returned.
    pub(crate) fn read_value<'s>(&self, state: &'s State, read: EventId) -> Option<&'s BitVector> {
        state.values[self.layout.slots[read.index()]?].as_ref()
    }

    /// The contents of a location.
    pub(crate) fn memory<'s>(&self, state: &'s State, location: usize) -> &'s [u8] {
        let start = self.layout.location_starts[location];
        &state.memory[start..start + self.problem.execution.locations[location].range.length as usize]
    }

    /// Whether a thread sleeps at a condition variable, and no signal may have woken it.
    pub(crate) fn sleeps_unsignalled(&self, state: &State, thread: usize, condition: ObjectRef) -> bool {
        state.objects.sleeps_unsignalled(thread, condition)
    }

    /// The state before the first event.
    pub fn start(&self) -> State {
        self.start.clone()
    }

    /// The next event of a thread.
    pub fn next(&self, state: &State, thread: usize) -> Option<EventId> {
        let index = state.next[thread];
        (index < self.problem.trace.threads[thread].events.len()).then(|| self.problem.event(thread, index))
    }

    /// Whether the thread can execute its next event.
    pub fn is_enabled(&self, state: &State, thread: usize) -> bool {
        self.next(state, thread)
            .is_some_and(|event| self.is_possible(state, thread, self.problem.operation(event)))
    }

    /// Whether a thread could execute an operation now.
    fn is_possible(&self, state: &State, thread: usize, operation: &Operation) -> bool {
        let has_joined = |other: usize| state.objects.has_ended(other) && state.buffers[other].is_empty();
        state.buffers[thread].permits(self.drain(operation))
            && match operation {
                Operation::Join(other) => has_joined(other.0 as usize),
                _ => state.objects.permit(thread, operation),
            }
    }

    /// Which of its thread's stores must have reached memory before an operation.
    pub(crate) fn drain(&self, operation: &Operation) -> Drain {
        let model = self.problem.model;
        match operation {
            Operation::Read { ordering, .. } => model.load(memory_ordering(*ordering)),
            Operation::Write { ordering, .. } => match model.store(memory_ordering(*ordering)) {
                StorePlacement::DrainThenMemory => Drain::Everything,
                _ => Drain::Nothing,
            },
            Operation::ReadModifyWrite { ordering, span, .. } => {
                model.read_modify_write(memory_ordering(*ordering), self.problem.range(*span))
            }
            Operation::Fence { ordering } => match model.fence(memory_ordering(*ordering)) {
                FenceEffect::Drain => Drain::Everything,
                _ => Drain::Nothing,
            },
            Operation::Effect { .. } | Operation::End => Drain::Nothing,
            _ => model.synchronisation(),
        }
    }

    /// Whether executing an operation only puts a store into the buffer.
    pub(crate) fn is_buffered(&self, operation: &Operation) -> bool {
        let Operation::Write { ordering, .. } = operation else { return false };
        let placement = self.problem.model.store(memory_ordering(*ordering));
        matches!(placement, StorePlacement::Buffer | StorePlacement::BufferAfterStoreStore)
    }

    /// Whether stores before an operation leave the buffer before those that follow, be the
    /// operation one of these.
    pub(crate) fn separates_stores(&self, operation: &Operation) -> bool {
        let model = self.problem.model;
        match operation {
            Operation::Write { ordering, .. } => {
                model.store(memory_ordering(*ordering)) == StorePlacement::BufferAfterStoreStore
            }
            Operation::Fence { ordering } => {
                model.fence(memory_ordering(*ordering)) == FenceEffect::StoreStore
            }
            _ => false,
        }
    }

    /// The events whose stores wait in a thread's buffer, oldest first.
    pub(crate) fn waiting<'s>(&self, state: &'s State, thread: usize) -> impl Iterator<Item = EventId> + 's {
        state.buffers[thread].stores().map(|store| EventId(store.event))
    }

    /// The threads that the thread's next event may wake, if that is a signal: none or one of these.
    pub fn sleepers<'s>(&self, state: &'s State, thread: usize) -> &'s [usize] {
        let signalled = self.next(state, thread).and_then(|event| match self.problem.operation(event) {
            Operation::Signal(condition) => Some(*condition),
            _ => None,
        });
        signalled.map_or(&[], |condition| match state.objects.object(condition) {
            ObjectState::ConditionVariable { sleepers, .. } => sleepers,
            _ => &[],
        })
    }

    /// The lanes of a thread's buffer that may commit a store.
    pub fn committable(&self, state: &State, thread: usize) -> impl IntoIterator<Item = Lane> + use<> {
        state.buffers[thread].committable(self.problem.model)
    }

    /// The event whose store a lane commits next.
    pub fn next_commit(&self, state: &State, thread: usize, lane: Lane) -> Option<EventId> {
        state.buffers[thread].next_in(self.problem.model, lane).map(|store| EventId(store.event))
    }

    /// Commits a lane's oldest store; returns the event that stored.
    pub fn commit(&self, state: &mut State, thread: usize, lane: Lane) -> Result<EventId, Refused> {
        state.journal.note(|| Change::Buffer { thread, before: state.buffers[thread].clone() });
        let store = state.buffers[thread].commit(self.problem.model, lane).ok_or(Refused::Nothing)?;
        let start = self.layout.bytes[store.event as usize];
        state.journal.note_bytes(&state.memory, start, store.bytes.len());
        state.memory[start..start + store.bytes.len()].copy_from_slice(&store.bytes);
        Ok(EventId(store.event))
    }

    /// Executes a thread's next event; a signal wakes the sleeper with the number `wakes`. Returns the event,
    /// and whether it has taken effect: a store that waits in a buffer has not.
    pub fn execute(
        &self,
        state: &mut State,
        thread: usize,
        wakes: usize,
    ) -> Result<(EventId, bool), Refused> {
        let event = self.next(state, thread).ok_or(Refused::Nothing)?;
        let operation = self.problem.operation(event);
        if !self.is_possible(state, thread, operation) {
            return Err(Refused::Waits);
        }
        let mut takes_effect = true;
        if let Some(slot) = self.layout.slots[event.index()] {
            let value = self.read(state, thread, event);
            let before = state.values[slot].replace(value);
            state.journal.note(|| Change::Read { slot, before });
            if let Some(symbol) = operation.symbol() {
                self.note(state, self.problem.term(symbol), slot);
            }
        }
        if let Some(formula) = &self.layout.written[event.index()] {
            let value = self.value(state, formula)?;
            takes_effect = self.write(state, thread, event, &value);
        }
        match operation {
            Operation::Fence { ordering } => {
                let effect = self.problem.model.fence(memory_ordering(*ordering));
                if effect == FenceEffect::StoreStore {
                    state.journal.note(|| Change::Buffer { thread, before: state.buffers[thread].clone() });
                    state.buffers[thread].push_store_store();
                }
            }
            operation if operation.span().is_none() => {
                let following = self.problem.trace.threads[thread].events.get(state.next[thread] + 1);
                let elapses = matches!(following.map(|one| &one.operation), Some(Operation::WaitElapsed(_)));
                state.journal.note(|| Change::Objects(state.objects.save(operation)));
                state.objects.execute(thread, operation, wakes, elapses).ok_or(Refused::Choice)?;
            }
            _ => {}
        }
        state.next[thread] += 1;
        state.journal.note(|| Change::Event { thread });
        self.check_path(state, thread)?;
        Ok((event, takes_effect))
    }

    /// A read has returned what is in the slot of its symbol.
    fn note(&self, state: &State, symbol: Term, slot: usize) {
        let (Some(known), Some(value)) = (&self.known, &state.values[slot]) else { return };
        let mut known = known.borrow_mut();
        let before = known.insert(symbol, value.clone());
        if let Some(trail) = self.trail.as_ref().filter(|_| before.is_none()) {
            trail.borrow_mut().push(symbol);
        }
        if before.is_some_and(|before| before != *value) {
            *known = values_of(&self.layout.slot_of, state).collect();
        }
    }

    fn read(&self, state: &State, thread: usize, event: EventId) -> BitVector {
        let span = self.problem.operation(event).span().expect("a read has bytes");
        let start = self.layout.bytes[event.index()];
        let mut bytes = state.memory[start..start + span.length as usize].to_vec();
        for forwarded in state.buffers[thread].forward(self.problem.range(span)) {
            bytes[forwarded.offset as usize] = *forwarded.value;
        }
        value_of(&bytes)
    }

    /// Whether the store takes effect at once.
    fn write(&self, state: &mut State, thread: usize, event: EventId, value: &BitVector) -> bool {
        let operation = self.problem.operation(event);
        let span = operation.span().expect("a write has bytes");
        let placement = match operation {
            Operation::Write { ordering, .. } => self.problem.model.store(memory_ordering(*ordering)),
            _ => StorePlacement::Memory,
        };
        match placement {
            StorePlacement::Memory | StorePlacement::DrainThenMemory => {
                let start = self.layout.bytes[event.index()];
                state.journal.note_bytes(&state.memory, start, span.length as usize);
                for (index, byte) in bytes_of(value).enumerate() {
                    state.memory[start + index] = byte;
                }
                true
            }
            StorePlacement::Buffer | StorePlacement::BufferAfterStoreStore => {
                state.journal.note(|| Change::Buffer { thread, before: state.buffers[thread].clone() });
                let buffer = &mut state.buffers[thread];
                if placement == StorePlacement::BufferAfterStoreStore {
                    buffer.push_store_store();
                }
                let address = self.problem.range(span).address;
                buffer.push(BufferedStore { address, bytes: bytes_of(value).collect(), event: event.0 });
                false
            }
        }
    }

    fn value(&self, state: &State, formula: &Formula) -> Result<BitVector, Refused> {
        if let Some(constant) = &formula.constant {
            return Ok(constant.clone());
        }
        if formula.latest.iter().any(|slot| state.values[*slot].is_none()) {
            return Err(Refused::Acausal);
        }
        let terms = &self.problem.terms;
        if let Some(known) = &self.known {
            let nothing = Assignment::new();
            let mut evaluator = Evaluator::resume(terms, &nothing, known.take());
            let mut trail = self.trail.as_ref().map(RefCell::borrow_mut);
            let value = evaluator.value_noting(formula.term, &mut |term| {
                trail.iter_mut().for_each(|trail| trail.push(term));
            });
            known.replace(evaluator.into_values());
            return Ok(value);
        }
        let slots =
            || symbols_of(self.problem, formula.term).into_iter().map(|one| (one, self.layout.slot_of[&one]));
        let symbols = formula.symbols.get_or_init(|| slots().collect());
        let value = |(symbol, slot): &(Term, usize)| Some((*symbol, state.values[*slot].clone()?));
        let known: Option<Assignment> = symbols.iter().map(value).collect();
        Ok(evaluate(terms, formula.term, &known.ok_or(Refused::Acausal)?))
    }

    /// Whether the conditions hold that come right at the thread's position.
    fn check_path(&self, state: &State, thread: usize) -> Result<(), Refused> {
        let conditions = &self.layout.conditions[thread];
        let first = conditions.partition_point(|(after, _)| *after < state.next[thread]);
        for (_, formula) in conditions[first..].iter().take_while(|(after, _)| *after == state.next[thread]) {
            if self.value(state, formula)?.is_zero() {
                return Err(Refused::OffPath);
            }
        }
        let is_bug_due =
            self.asks_for_bug_early && self.layout.bug_decided == Some((thread, state.next[thread]));
        if is_bug_due && self.value(state, &self.layout.bug)?.is_zero() {
            return Err(Refused::OffPath);
        }
        Ok(())
    }

    /// Whether the conditions hold that come before any event.
    pub fn can_start(&self) -> bool {
        (0..self.problem.thread_count()).all(|thread| self.check_path(&self.start, thread).is_ok())
    }

    /// Whether every event has been executed and has taken effect.
    pub fn is_over(&self, state: &State) -> bool {
        (0..self.problem.thread_count())
            .all(|thread| self.next(state, thread).is_none() && state.buffers[thread].is_empty())
    }

    /// Whether a state in which all [is over](Self::is_over) shows the bug: its condition holds, and no
    /// blocked thread can go on.
    pub fn shows_bug(&self, state: &State) -> bool {
        let threads = self.problem.trace.threads.iter().enumerate();
        let blocked =
            threads.filter_map(|(thread, trace)| Some((thread, &trace.blocked.as_ref()?.operation)));
        self.value(state, &self.layout.bug).is_ok_and(|bug| !bug.is_zero())
            && blocked.into_iter().all(|(thread, operation)| !self.is_possible(state, thread, operation))
    }

    /// The values of symbols in a state: inputs, and reads executed.
    pub fn values(&self, state: &State) -> Assignment {
        let read = |event: EventId| {
            let symbol = self.problem.term(self.problem.operation(event).symbol()?);
            Some((symbol, state.values[self.layout.slots[event.index()]?].clone()?))
        };
        let inputs = self.problem.inputs().zip(&state.values);
        let inputs = inputs.filter_map(|(symbol, value)| Some((symbol, value.clone()?)));
        inputs.chain(self.problem.events().filter_map(read)).collect()
    }
}

/// The symbols that have values.
fn values_of<'s>(
    slot_of: &'s FxHashMap<Term, usize>,
    state: &'s State,
) -> impl Iterator<Item = (Term, BitVector)> + 's {
    slot_of.iter().filter_map(|(symbol, slot)| Some((*symbol, state.values[*slot].clone()?)))
}

/// How many symbols a term has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Symbols {
    None,
    One(Term),
    More,
}

/// Counts the symbols of terms, each of which is looked at once.
struct SymbolCount<'p> {
    problem: &'p Problem,
    known: FxHashMap<Term, Symbols>,
}

impl SymbolCount<'_> {
    fn count(&mut self, term: Term) -> Symbols {
        let mut open = vec![term];
        while let Some(&current) = open.last() {
            if self.known.contains_key(&current) {
                open.pop();
                continue;
            }
            let node = self.problem.terms.node(current);
            let before = open.len();
            open.extend(node.operands().filter(|operand| !self.known.contains_key(operand)));
            if open.len() > before {
                continue;
            }
            open.pop();
            let own = if matches!(node, Node::Symbol { .. }) { Symbols::One(current) } else { Symbols::None };
            let all = node.operands().fold(own, |all, operand| match (all, self.known[&operand]) {
                (all, other) if all == other => all,
                (Symbols::None, only) | (only, Symbols::None) => only,
                _ => Symbols::More,
            });
            self.known.insert(current, all);
        }
        self.known[&term]
    }
}

/// The distinct symbols of a term.
pub(crate) fn symbols_of(problem: &Problem, term: Term) -> Vec<Term> {
    let mut seen = std::collections::HashSet::from([term]);
    let (mut open, mut symbols) = (vec![term], Vec::new());
    while let Some(current) = open.pop() {
        let node = problem.terms.node(current);
        if matches!(node, Node::Symbol { .. }) {
            symbols.push(current);
        }
        open.extend(node.operands().filter(|operand| seen.insert(*operand)));
    }
    symbols
}
