//! Telling an execution step by step, as people follow it: names, values, locks, buffered stores, and from which step
//! each one reads.
//!
//! Step `n` of what is told is event `n` of the trace.

use crate::environment::Environment;
use crate::machine::Executor;
use crate::state::State;
use crate::thread::{Action, Activation};
use crate::value::{Byte, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use symx_expr::{IndeterminateTerms, evaluate};
use symx_memmodel::{BufferedStore, ByteRange, Epoch, Lane};
use symx_trace::explanation::{self, ExecutedStep, Execution};
use symx_trace::{Access, Agent, Event, EventKind, Mode, Place, ThreadId};

/// Negative numbers down to this are written with a sign; what is below is taken for a pattern of bits.
const LEAST_SIGNED: i64 = -(1 << 20);

/// Tells one execution.
#[derive(Default)]
pub(super) struct Teller {
    told: Execution,
    /// The steps that wrote memory last: by first byte, one past the last byte and the step.
    written: BTreeMap<u64, (u64, u32)>,
    /// The steps that last let others proceed, by what these wait for.
    released: FxHashMap<Place, u32>,
    /// The steps that issued stores now on their way, by thread and the store's number.
    issued: FxHashMap<Place, u32>,
    /// The steps by what they are in a history of writes.
    epochs: FxHashMap<Epoch, u32>,
    /// Objects of one origin in the order in which they were first met: where they begin, by the origin's name.
    alike: FxHashMap<String, Vec<u64>>,
    /// Locks that threads hold, in the order in which they were taken.
    held: FxHashMap<ThreadId, Vec<u64>>,
    indeterminate: IndeterminateTerms,
    /// The step under way.
    current: Option<Current>,
}

/// What a step about to be taken touches.
struct Current {
    accesses: Vec<Access>,
    /// The bytes whose value is to be told once the step is taken.
    writes: Option<ByteRange>,
    is_buffered: bool,
}

impl Teller {
    /// What `event`, the next one, is about to do in `state`; `choice` is the alternative that will be chosen.
    pub(super) fn begin<E: Environment>(
        &mut self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        event: &Event,
        choice: u32,
    ) {
        let thread = event.agent.thread();
        self.note_threads(state);
        let footprint = event.footprint.to_vec();
        let number = self.told.steps.len() as u32;
        let (mut issued_by, mut reads_from) = (None, None);
        for access in &footprint {
            match (access.place, access.mode) {
                (Place::PendingStore { .. }, Mode::Acquire) => {
                    issued_by = self.issued.get(&access.place).copied();
                }
                // A load that its own thread's buffer answers.
                (Place::PendingStore { .. }, Mode::Read) => {
                    reads_from = reads_from.max(self.issued.get(&access.place).copied());
                }
                _ => {}
            }
        }
        let kind = event.kind.clone();
        if reads_from.is_none()
            && matches!(kind, EventKind::Read | EventKind::ReadModifyWrite | EventKind::Call(_))
        {
            reads_from = self.source(executor, state, event, choice);
        }
        let action = state.thread(thread).pending.as_ref().map(|pending| &pending.action);
        let writes = match (event.agent, action) {
            (Agent::Thread(_), Some(Action::Store { address, length, .. }))
            | (Agent::Thread(_), Some(Action::ReadModifyWrite { address, length, .. })) => {
                Some(ByteRange::new(*address, *length))
            }
            _ => None,
        };
        let is_buffered = footprint
            .iter()
            .any(|access| matches!((access.place, access.mode), (Place::PendingStore { .. }, Mode::Release)));
        let told = ExecutedStep {
            thread: thread.0,
            object: self.object(executor, state, &footprint, writes),
            value: self.value_before(executor, state, event.agent, choice),
            kind,
            reads_from,
            issued_by,
            locks: self.locks(executor, state, thread),
            buffered: self.buffered(executor, state, thread),
            location: event.location.clone(),
            folded: 0,
        };
        if let Some(epoch) = state.next_epoch(thread) {
            self.epochs.insert(epoch, number);
        }
        self.told.steps.push(told);
        self.current = Some(Current { accesses: footprint, writes, is_buffered });
    }

    /// The step that was begun has led to `state`.
    pub(super) fn finish<E: Environment>(&mut self, executor: &Executor<'_, E>, state: &State<E>) {
        let Some(current) = self.current.take() else { return };
        let number = self.told.steps.len() as u32 - 1;
        let thread = ThreadId(self.told.steps[number as usize].thread);
        if let Some(range) = current.writes {
            let value = self.value_after(executor, state, thread, range, current.is_buffered);
            let told = &mut self.told.steps[number as usize].value;
            match (told.is_empty(), *told == value || value.is_empty()) {
                (true, _) => *told = value,
                (false, true) => {}
                (false, false) => *told = format!("{told} → {value}"),
            }
        }
        for access in &current.accesses {
            match (access.place, access.mode) {
                (Place::Memory { start, end }, Mode::Write) => self.write(start, end, number),
                (Place::PendingStore { .. }, Mode::Release) => {
                    self.issued.insert(access.place, number);
                }
                (place, Mode::Write | Mode::Release | Mode::Post) => {
                    self.released.insert(place, number);
                }
                _ => {}
            }
        }
        // A thread that this step created is what the step is about.
        if let Some(created) = state.threads.get(self.told.threads.len()) {
            self.told.steps[number as usize].object = format!("thread {}", created.name);
        }
        self.name_functions(executor, state, thread);
    }

    /// The execution, which has ended in `state`.
    pub(super) fn end<E: Environment>(mut self, executor: &Executor<'_, E>, state: &State<E>) -> Execution {
        for thread in 0..state.threads.len() {
            self.name_functions(executor, state, ThreadId(thread as u32));
        }
        self.told
    }

    /// Notes where threads began, as soon as that shows.
    fn name_functions<E: Environment>(
        &mut self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        thread: ThreadId,
    ) {
        self.note_threads(state);
        let program = &executor.machine.program;
        let functions = state.thread(thread).stack.iter().filter_map(|activation| match activation {
            Activation::Program(frame) => Some(&program.function(frame.function).source_name),
            Activation::Model(_) => None,
        });
        let known = &mut self.told.threads[thread.index()].function;
        // Constructors and libc's own code run before `main`.
        let main = functions.clone().find(|name| thread == ThreadId::MAIN && *name == "main");
        if let Some(name) = main.or_else(|| functions.clone().next().filter(|_| known.is_empty())) {
            known.clone_from(name);
        }
    }

    fn note_threads<E: Environment>(&mut self, state: &State<E>) {
        for thread in &state.threads[self.told.threads.len()..] {
            self.told.threads.push(explanation::Lane { name: thread.name.clone(), function: String::new() });
        }
    }

    /// Which step the event reads from.
    fn source<E: Environment>(
        &self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        event: &Event,
        choice: u32,
    ) -> Option<u32> {
        if let Some(writes) = executor.sources(state, event.agent.thread(), choice) {
            return writes.iter().filter_map(|epoch| self.epochs.get(epoch)).copied().max();
        }
        let is_call = matches!(event.kind, EventKind::Call(_));
        let source = |access: &Access| match (access.place, access.mode) {
            // Calls wait for what others release, and read no value one could point to.
            (Place::Memory { start, end }, _) if !is_call => self.last_write(start, end),
            (Place::Object(_) | Place::Thread(_), Mode::Acquire | Mode::Follow) if is_call => {
                self.released.get(&access.place).copied()
            }
            (Place::Object(start), Mode::Write) if is_call && state.memory.near(start).is_some() => {
                self.released.get(&access.place).copied()
            }
            _ => None,
        };
        event.footprint.iter().filter_map(source).max()
    }

    fn last_write(&self, start: u64, end: u64) -> Option<u32> {
        let before = self.written.range(..start).next_back().filter(|(_, (stop, _))| *stop > start);
        self.written.range(start..end).chain(before).map(|(_, (_, step))| *step).max()
    }

    fn write(&mut self, start: u64, end: u64, step: u32) {
        let first = self.written.range(..start).next_back().filter(|(_, (stop, _))| *stop > start);
        let from = first.map_or(start, |(first, _)| *first);
        let hidden: Vec<_> = self.written.range(from..end).map(|(first, rest)| (*first, *rest)).collect();
        for (first, (stop, writer)) in hidden {
            self.written.remove(&first);
            if first < start {
                self.written.insert(first, (start, writer));
            }
            if stop > end {
                self.written.insert(end, (stop, writer));
            }
        }
        self.written.insert(start, (end, step));
    }

    /// What the step touches, in a word or two.
    fn object<E: Environment>(
        &mut self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        footprint: &[Access],
        writes: Option<ByteRange>,
    ) -> String {
        if let Some(range) = writes {
            return self.name(executor, state, range.address);
        }
        let place = |access: &Access| match access.place {
            Place::Memory { start, .. } | Place::Object(start) => {
                state.memory.near(start).map(|_| (start, ThreadId::MAIN))
            }
            _ => None,
        };
        if let Some((address, _)) = footprint.iter().find_map(place) {
            return self.name(executor, state, address);
        }
        let thread = footprint.iter().find_map(|access| match access.place {
            Place::Thread(thread) => state.threads.get(thread.index()),
            _ => None,
        });
        thread.map(|thread| format!("thread {}", thread.name)).unwrap_or_default()
    }

    /// What is at an address: `count`, `table+16`, `heap a.c:12`; the second object of an origin has a number.
    fn name<E: Environment>(&mut self, executor: &Executor<'_, E>, state: &State<E>, address: u64) -> String {
        let Some(object) = state.memory.near(address) else { return format!("{address:#x}") };
        let mut name = executor.short_name(object);
        let alike = self.alike.entry(name.clone()).or_default();
        let position = alike.iter().position(|base| *base == object.base).unwrap_or_else(|| {
            alike.push(object.base);
            alike.len() - 1
        });
        if position > 0 {
            name.push_str(&format!(" #{}", position + 1));
        }
        match address.wrapping_sub(object.base) {
            0 => name,
            offset => format!("{name}+{offset}"),
        }
    }

    /// Names of the locks a thread holds, the first taken first.
    fn locks<E: Environment>(
        &mut self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        thread: ThreadId,
    ) -> Vec<String> {
        let now = executor.machine.environment.held(state, thread);
        let held = self.held.entry(thread).or_default();
        held.retain(|lock| now.contains(lock));
        for lock in now {
            if !held.contains(&lock) {
                held.push(lock);
            }
        }
        let held = held.clone();
        held.into_iter().map(|lock| self.name(executor, state, lock)).collect()
    }

    /// A thread's stores that are not in memory yet, oldest first.
    fn buffered<E: Environment>(
        &mut self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        thread: ThreadId,
    ) -> Vec<String> {
        let buffer = &state.thread(thread).buffer;
        buffer
            .stores()
            .map(|store| {
                let name = self.name(executor, state, store.address);
                format!("{name} = {}", self.stored(executor, state, store))
            })
            .collect()
    }

    fn stored<E: Environment>(
        &mut self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        store: &BufferedStore<Byte>,
    ) -> String {
        self.value(executor, state, &store.bytes)
    }

    /// The value that a load or a read-modify-write is about to read, or a commit to write.
    fn value_before<E: Environment>(
        &mut self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        agent: Agent,
        choice: u32,
    ) -> String {
        let thread = state.thread(agent.thread());
        if let Agent::Buffer { lane, .. } = agent {
            return match thread.buffer.next_in(executor.machine.model, Lane(lane)) {
                Some(store) => self.stored(executor, state, store),
                None => String::new(),
            };
        }
        match executor.about_to_read(state, agent.thread(), choice) {
            Some(bytes) => self.value(executor, state, &bytes),
            None => String::new(),
        }
    }

    /// The value that a thread has just written.
    fn value_after<E: Environment>(
        &mut self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        thread: ThreadId,
        range: ByteRange,
        is_buffered: bool,
    ) -> String {
        if is_buffered {
            let newest = state.thread(thread).buffer.stores().rev().find(|store| store.range() == range);
            return newest.map(|store| self.stored(executor, state, store)).unwrap_or_default();
        }
        match executor.in_memory(state, range) {
            Some(bytes) => self.value(executor, state, &bytes),
            None => String::new(),
        }
    }

    /// Bytes as people write them.
    fn value<E: Environment>(
        &mut self,
        executor: &Executor<'_, E>,
        state: &State<E>,
        bytes: &[Byte],
    ) -> String {
        if bytes.len() > 8 {
            return String::new();
        }
        let terms = &executor.machine.terms;
        let bits = match Byte::join(terms, bytes.iter().copied()) {
            Value::Concrete(bits) => bits,
            Value::Symbolic(term) if self.indeterminate.occur_in(terms, term) => return "undefined".into(),
            Value::Symbolic(term) => match &executor.machine.options.assignment {
                Some(assignment) => evaluate(terms, term, assignment).limbs()[0],
                None => return "symbolic".into(),
            },
        };
        if bytes.len() == 8 && state.memory.near(bits).is_some() {
            return format!("&{}", self.name(executor, state, bits));
        }
        number(bits, bytes.len())
    }
}

/// A number of this many bytes. What is signed nobody knows here: numbers near zero are taken to be.
fn number(bits: u64, bytes: usize) -> String {
    let unused = 64 - 8 * bytes.clamp(1, 8) as u32;
    let signed = (bits << unused) as i64 >> unused;
    match signed {
        LEAST_SIGNED..0 => signed.to_string(),
        0x20..0x7f if bytes == 1 => format!("{bits} '{}'", char::from(bits as u8)),
        _ if bits <= u64::from(u32::MAX) => bits.to_string(),
        _ => format!("{bits:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_near_zero_have_a_sign() {
        assert_eq!(number(0xffff_ffff, 4), "-1");
        assert_eq!(number(0xffff_ffff, 8), "4294967295");
        assert_eq!(number(0x8000_0000, 4), "2147483648");
        assert_eq!(number(0xff, 1), "-1");
        assert_eq!(number(0x41, 1), "65 'A'");
        assert_eq!(number(0x1234_5678_9abc, 8), "0x123456789abc");
        assert_eq!(number(7, 2), "7");
    }

    #[test]
    fn the_last_write_of_any_byte_counts() {
        let mut teller = Teller::default();
        teller.write(0, 16, 1);
        teller.write(4, 8, 2);
        assert_eq!(teller.last_write(0, 4), Some(1));
        assert_eq!(teller.last_write(2, 6), Some(2));
        assert_eq!(teller.last_write(8, 12), Some(1));
        teller.write(6, 32, 3);
        assert_eq!(teller.last_write(4, 6), Some(2));
        assert_eq!(teller.last_write(20, 21), Some(3));
        assert_eq!(teller.last_write(32, 40), None);
    }
}
