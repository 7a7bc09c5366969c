//! All executions of a small program, one by one, by the meaning of its operations alone. Memory is bytes,
//! each with the event that wrote it, and stores may wait in buffers. Nothing of symx takes part.

use crate::module::on_failure;
use crate::program::{Object, Operation, Part, Program, Update, VARIABLE};
use std::collections::BTreeMap;
use std::ops::Range;
use symx_memmodel::Ordering;
use symx_memmodel::Ordering::{NotAtomic, SequentiallyConsistent};

/// How stores reach memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Buffers {
    /// At once.
    None,
    /// In the order of their thread.
    InOrder,
    /// Those to one place in the order of their thread; others as barriers say.
    ByPlace,
}

/// Something a thread did.
#[derive(Clone, Debug)]
pub struct Event {
    pub thread: usize,
    /// Which of the thread's operations did it.
    pub operation: usize,
    pub what: What,
    /// Events of other threads that it comes after, whatever memory says.
    pub after: Vec<usize>,
}

#[derive(Clone, Debug)]
pub enum What {
    Access(Access),
    Fence(Ordering),
    /// Synchronisation.
    Call,
}

#[derive(Clone, Debug)]
pub struct Access {
    pub bytes: Range<usize>,
    pub ordering: Ordering,
    pub writes: bool,
    /// For each byte what wrote the value that it reads, if it reads.
    pub sources: Vec<Option<usize>>,
}

/// Bytes of a variable that operations can reach.
const VARIABLE_BYTES: usize = 8;
const VARIABLES: usize = 4;
/// The answer of `pthread_mutex_trylock` if another thread has the lock.
const BUSY: u32 = 16;

#[derive(Clone, Copy, Default)]
struct Byte {
    value: u8,
    writer: Option<usize>,
}

#[derive(Clone)]
struct Waiting {
    event: usize,
    start: usize,
    values: Vec<u8>,
    /// Stores with a lower number leave first.
    behind: u32,
}

#[derive(Clone, Default)]
struct Thread {
    is_there: bool,
    at: usize,
    result: u32,
    last: Option<usize>,
    buffer: Vec<Waiting>,
    /// Barriers that order stores so far.
    barriers: u32,
    /// Arrived at a barrier: the round that it waits for.
    round: Option<usize>,
    /// The sources that the last round of a loop that waits has read from.
    seen: Option<Vec<Option<usize>>>,
}

#[derive(Clone, Default)]
struct Lock {
    writer: bool,
    readers: usize,
    /// Its releases, and whether by a writer.
    released: Vec<(usize, bool)>,
}

#[derive(Clone, Default)]
struct Semaphore {
    posts: Vec<usize>,
    /// Units taken, of those it has at first, then of the posts in their order.
    taken: usize,
}

#[derive(Clone, Default)]
struct State {
    threads: Vec<Thread>,
    memory: [Byte; VARIABLES * VARIABLE_BYTES],
    locks: BTreeMap<Object, Lock>,
    semaphores: BTreeMap<Object, Semaphore>,
    /// Of each barrier, by round, the threads that have arrived.
    arrived: BTreeMap<Object, Vec<Vec<usize>>>,
    events: Vec<Event>,
    has_ended: bool,
}

/// The thread or buffer that does something next.
#[derive(Clone, Copy)]
enum Move {
    Thread(usize),
    /// A store of the thread leaves its buffer.
    Commit(usize, usize),
}

/// Shows all executions of a program; `None` if there are more than `most`.
pub fn executions(
    program: &Program,
    buffers: Buffers,
    most: usize,
    show: &mut dyn FnMut(&[Event]),
) -> Option<usize> {
    let mut state = State { threads: vec![Thread::default(); program.threads.len()], ..State::default() };
    state.threads[0].is_there = true;
    let mut machine = Machine { program, buffers, most, count: 0, show };
    machine.go_on(state).then_some(machine.count)
}

struct Machine<'p> {
    program: &'p Program,
    buffers: Buffers,
    most: usize,
    count: usize,
    show: &'p mut dyn FnMut(&[Event]),
}

impl Machine<'_> {
    /// Whether all that follows was shown.
    fn go_on(&mut self, mut state: State) -> bool {
        while let Some(thread) = (0..state.threads.len()).find(|thread| self.is_private(&state, *thread)) {
            self.step(&mut state, thread);
        }
        let moves = if state.has_ended { Vec::new() } else { self.moves(&state) };
        if moves.is_empty() {
            self.count += 1;
            (self.show)(&state.events);
            return self.count < self.most;
        }
        moves.into_iter().all(|next| {
            let mut state = state.clone();
            match next {
                Move::Thread(thread) => self.step(&mut state, thread),
                Move::Commit(thread, at) => {
                    let store = state.threads[thread].buffer.remove(at);
                    write(&mut state.memory, store.event, store.start, &store.values);
                }
            }
            self.go_on(state)
        })
    }

    fn next(&self, state: &State, thread: usize) -> Option<&Operation> {
        let known = &state.threads[thread];
        if known.is_there { self.program.threads[thread].get(known.at) } else { None }
    }

    /// Whether a thread can take a step that nothing else depends on the time of.
    fn is_private(&self, state: &State, thread: usize) -> bool {
        let is_drained = state.threads[thread].buffer.is_empty();
        match self.next(state, thread) {
            Some(Operation::SkipUnless(_)) => true,
            Some(Operation::Fence(ordering)) => is_drained || *ordering != SequentiallyConsistent,
            Some(Operation::Create(_)) => is_drained,
            Some(Operation::Join(_)) => is_drained && self.can_step(state, thread),
            Some(Operation::Call(..)) => {
                state.threads[thread].round.is_some() && self.can_step(state, thread)
            }
            _ => false,
        }
    }

    fn moves(&self, state: &State) -> Vec<Move> {
        let threads = 0..state.threads.len();
        let steps = threads.clone().filter(|thread| self.can_step(state, *thread)).map(Move::Thread);
        let commits = threads.flat_map(|thread| {
            let buffer = &state.threads[thread].buffer;
            let can_leave = move |at: &usize| {
                let store = &buffer[*at];
                let overlaps = |other: &Waiting| {
                    other.start < store.start + store.values.len()
                        && store.start < other.start + other.values.len()
                };
                match self.buffers {
                    Buffers::ByPlace => {
                        buffer[..*at].iter().all(|other| other.behind == store.behind && !overlaps(other))
                    }
                    _ => *at == 0,
                }
            };
            (0..buffer.len()).filter(can_leave).map(move |at| Move::Commit(thread, at)).collect::<Vec<_>>()
        });
        steps.chain(commits).collect()
    }

    fn can_step(&self, state: &State, thread: usize) -> bool {
        let Some(operation) = self.next(state, thread) else { return false };
        let known = &state.threads[thread];
        let is_drained = known.buffer.is_empty();
        match operation {
            Operation::Store(_, ordering, _)
            | Operation::StorePart(_, _, ordering, _)
            | Operation::Fence(ordering) => is_drained || *ordering != SequentiallyConsistent,
            Operation::Update(..) | Operation::Create(_) => is_drained,
            Operation::Join(other) => {
                let other_thread = &state.threads[*other];
                is_drained
                    && other_thread.is_there
                    && other_thread.buffer.is_empty()
                    && self.next(state, *other).is_none()
            }
            Operation::Call(name, objects) => is_drained && self.can_call(state, thread, name, objects[0]),
            // Another round that sees the same teaches nothing.
            Operation::Await(object, ..) => {
                known.seen.is_none()
                    || known.seen != Some(self.read(state, thread, of(*object, Part(0, 4))).1)
            }
            _ => true,
        }
    }

    fn can_call(&self, state: &State, thread: usize, name: &str, object: Object) -> bool {
        let lock = state.locks.get(&object);
        let (writer, readers) = lock.map_or((false, 0), |lock| (lock.writer, lock.readers));
        match name {
            "pthread_mutex_lock" | "pthread_rwlock_wrlock" => !writer && readers == 0,
            "pthread_rwlock_rdlock" => !writer,
            "sem_wait" => has_unit(state, object),
            "pthread_barrier_wait" => match state.threads[thread].round {
                Some(round) => state.arrived[&object][round].len() == usize::from(object.1),
                None => true,
            },
            _ => true,
        }
    }

    fn step(&self, state: &mut State, thread: usize) {
        let Some(operation) = self.next(state, thread).cloned() else { return };
        state.threads[thread].at += 1;
        match operation {
            Operation::Load(object, ordering) => {
                let value = self.load(state, thread, of(object, Part(0, 4)), ordering);
                state.threads[thread].result = value as u32;
            }
            Operation::LoadPart(object, part, ordering) => {
                let value = self.load(state, thread, of(object, part), ordering);
                state.threads[thread].result = value.wrapping_add(value >> 31) as u32;
            }
            Operation::Store(object, ordering, value) => {
                let value = value.map_or(state.threads[thread].result.wrapping_add(1), u32::from);
                self.store(state, thread, of(object, Part(0, 4)), ordering, value.to_le_bytes().to_vec());
            }
            Operation::StorePart(object, part, ordering, byte) => {
                self.store(state, thread, of(object, part), ordering, vec![byte; usize::from(part.1)]);
            }
            Operation::Update(object, ordering, update) => {
                self.update(state, thread, object, ordering, update)
            }
            Operation::Fence(ordering) => {
                if ordering.releases() {
                    state.threads[thread].barriers += 1;
                }
                self.event(state, thread, What::Fence(ordering), Vec::new());
            }
            Operation::SkipUnless(value) => {
                let known = &mut state.threads[thread];
                known.at += usize::from(known.result != u32::from(value));
            }
            Operation::Await(object, ordering, unwanted) => {
                let place = of(object, Part(0, 4));
                let (_, sources) = self.read(state, thread, place.clone());
                let value = self.load(state, thread, place, ordering) as u32;
                let known = &mut state.threads[thread];
                if value == u32::from(unwanted) {
                    known.at -= 1;
                    known.seen = Some(sources);
                } else {
                    known.seen = None;
                    known.result = value;
                }
            }
            Operation::Create(other) => {
                let event = self.event(state, thread, What::Call, Vec::new());
                state.threads[other].is_there = true;
                state.threads[other].last = Some(event);
            }
            Operation::Join(other) => {
                let after = state.threads[other].last.into_iter().collect();
                self.event(state, thread, What::Call, after);
                state.threads[thread].result = 0;
            }
            Operation::Call(name, objects) => self.call(state, thread, name, objects[0]),
            other => unreachable!("{other:?} is in no program of this generator"),
        }
    }

    fn event(&self, state: &mut State, thread: usize, what: What, mut after: Vec<usize>) -> usize {
        let number = state.events.len();
        after.extend(state.threads[thread].last.replace(number));
        let operation = state.threads[thread].at;
        state.events.push(Event { thread, operation, what, after });
        number
    }

    /// The value a thread would read, and the events that wrote it.
    fn read(&self, state: &State, thread: usize, place: Range<usize>) -> (u64, Vec<Option<usize>>) {
        let mut bytes: Vec<Byte> = state.memory[place.clone()].to_vec();
        for store in &state.threads[thread].buffer {
            for (at, value) in (store.start..).zip(&store.values) {
                if place.contains(&at) {
                    bytes[at - place.start] = Byte { value: *value, writer: Some(store.event) };
                }
            }
        }
        let value = bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(byte.value));
        (value, bytes.iter().map(|byte| byte.writer).collect())
    }

    fn load(&self, state: &mut State, thread: usize, bytes: Range<usize>, ordering: Ordering) -> u64 {
        let (value, sources) = self.read(state, thread, bytes.clone());
        let access = Access { bytes, ordering, writes: false, sources };
        self.event(state, thread, What::Access(access), Vec::new());
        value
    }

    fn store(
        &self,
        state: &mut State,
        thread: usize,
        bytes: Range<usize>,
        ordering: Ordering,
        values: Vec<u8>,
    ) {
        let start = bytes.start;
        let access = Access { bytes, ordering, writes: true, sources: Vec::new() };
        let event = self.event(state, thread, What::Access(access), Vec::new());
        if self.buffers == Buffers::None || ordering == SequentiallyConsistent {
            return write(&mut state.memory, event, start, &values);
        }
        let known = &mut state.threads[thread];
        known.barriers += u32::from(ordering.releases());
        known.buffer.push(Waiting { event, start, values, behind: known.barriers });
    }

    fn update(&self, state: &mut State, thread: usize, object: Object, ordering: Ordering, update: Update) {
        let bytes = of(object, Part(0, 4));
        let start = bytes.start;
        let (old, sources) = self.read(state, thread, bytes.clone());
        let old = old as u32;
        let new = match update {
            Update::Add(by) | Update::AddUnseen(by) => Some(old.wrapping_add(u32::from(by))),
            Update::AddAsked(by, _) => Some(old.wrapping_add_signed(by.into())),
            Update::Exchange(new) => Some(u32::from(new)),
            Update::CompareExchange(expected, new) => (old == u32::from(expected)).then_some(u32::from(new)),
        };
        let ordering = if new.is_some() { ordering } else { on_failure(ordering) };
        let access = Access { bytes, ordering, writes: new.is_some(), sources };
        let event = self.event(state, thread, What::Access(access), Vec::new());
        if let Some(new) = new {
            write(&mut state.memory, event, start, &new.to_le_bytes());
        }
        match update {
            Update::AddUnseen(_) => {}
            Update::AddAsked(_, question) => state.threads[thread].result = u32::from(question.holds(old)),
            _ => state.threads[thread].result = old,
        }
    }

    fn call(&self, state: &mut State, thread: usize, name: &str, object: Object) {
        let lock = state.locks.entry(object).or_default();
        let released = lock.released.clone();
        let all = || released.iter().map(|(event, _)| *event).collect();
        let mut result = 0;
        match name {
            "pthread_mutex_trylock" if lock.writer => {
                result = BUSY;
                self.event(state, thread, What::Call, Vec::new());
            }
            "pthread_mutex_lock" | "pthread_mutex_trylock" | "pthread_rwlock_wrlock" => {
                lock.writer = true;
                self.event(state, thread, What::Call, all());
            }
            "pthread_rwlock_rdlock" => {
                lock.readers += 1;
                let by_writers = released.iter().filter(|(_, writes)| *writes).map(|(event, _)| *event);
                self.event(state, thread, What::Call, by_writers.collect());
            }
            "pthread_mutex_unlock" | "pthread_rwlock_unlock" => {
                let writes = std::mem::take(&mut lock.writer);
                lock.readers -= usize::from(!writes);
                let event = self.event(state, thread, What::Call, Vec::new());
                state.locks.entry(object).or_default().released.push((event, writes));
            }
            "sem_post" => {
                let event = self.event(state, thread, What::Call, Vec::new());
                state.semaphores.entry(object).or_default().posts.push(event);
            }
            "sem_trywait" if !has_unit(state, object) => {
                result = u32::MAX;
                self.event(state, thread, What::Call, Vec::new());
            }
            "sem_wait" | "sem_trywait" => {
                let known = state.semaphores.entry(object).or_default();
                known.taken += 1;
                // Which waiting thread gets which unit is open: other executions have other orders.
                let post =
                    (known.taken - 1).checked_sub(usize::from(object.1)).map(|number| known.posts[number]);
                self.event(state, thread, What::Call, post.into_iter().collect());
            }
            "pthread_barrier_wait" => return self.barrier(state, thread, object),
            _ => unreachable!("{name} is in no program of this generator"),
        }
        state.threads[thread].result = result;
    }

    /// A thread arrives, or leaves where all have arrived.
    fn barrier(&self, state: &mut State, thread: usize, object: Object) {
        if let Some(round) = state.threads[thread].round.take() {
            let after = state.arrived[&object][round].clone();
            self.event(state, thread, What::Call, after);
            return;
        }
        let event = self.event(state, thread, What::Call, Vec::new());
        let rounds = state.arrived.entry(object).or_default();
        if rounds.last().is_none_or(|round| round.len() == usize::from(object.1)) {
            rounds.push(Vec::new());
        }
        let round = rounds.len() - 1;
        rounds[round].push(event);
        let known = &mut state.threads[thread];
        known.round = Some(round);
        known.at -= 1;
    }
}

/// Whether a semaphore, which has its number at first, has a unit left.
fn has_unit(state: &State, object: Object) -> bool {
    let known = state.semaphores.get(&object);
    known.map_or(0, |known| known.posts.len()) + usize::from(object.1) > known.map_or(0, |known| known.taken)
}

/// The bytes of a part of a variable.
fn of(object: Object, Part(offset, length): Part) -> Range<usize> {
    debug_assert_eq!(object.0, VARIABLE);
    let start = usize::from(object.1) * VARIABLE_BYTES + usize::from(offset);
    start..start + usize::from(length)
}

fn write(memory: &mut [Byte], event: usize, start: usize, values: &[u8]) {
    for (byte, value) in memory[start..].iter_mut().zip(values) {
        *byte = Byte { value: *value, writer: Some(event) };
    }
}

/// Whether an access of this ordering is atomic.
pub fn is_atomic(ordering: Ordering) -> bool {
    ordering != NotAtomic
}
