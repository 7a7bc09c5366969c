//! Random symbolic traces: every primitive, accesses of mixed sizes, values that depend on what was read.
//!
//! A trace is a function of its seed. The events come first. Then, if they can be executed at all, the values
//! read in one random execution become the conditions of the paths and the bug. Now and then they are changed
//! a little. So about as many traces have executions as have none.

use fastrand::Rng;
use std::collections::HashMap;
use std::sync::Arc;
use symx_checkers::synthesis::{Machine, Problem};
use symx_expr::{Assignment, BitVector, Term, Terms};
use symx_memmodel::MODELS;
use symx_trace::ThreadName;
use symx_trace::symbolic::{
    AccessOrdering, ByteSpan, Condition, ObjectKind, ObjectName, ObjectRef, Operation, SymbolicTrace,
    ThreadRef, TraceBuilder,
};

/// Values that reads got, by thread and place.
type Observed = HashMap<(usize, usize), BitVector>;

/// Whether the trace of a seed has accesses only, of few places, with every value read a condition: such
/// traces distinguish memory models.
fn is_litmus(seed: u64) -> bool {
    seed % 5 < 2
}

/// Whether threads do something outside memory in the trace of a seed.
fn has_effects(seed: u64) -> bool {
    seed.is_multiple_of(3)
}

/// A trace with at most about `most` events.
pub fn trace(seed: u64, most: usize) -> SymbolicTrace {
    let bare = build(seed, most, None);
    let mut random = Rng::with_seed(seed ^ 0x5eed);
    let observed = (0..20).find_map(|_| run(&bare, &mut random, is_litmus(seed)));
    build(seed, most, Some(&observed.unwrap_or_default()))
}

/// A random execution of all events, if this attempt at one reaches the end. Where stores are `late`, threads
/// seldom wait for them.
fn run(trace: &SymbolicTrace, random: &mut Rng, late: bool) -> Option<Observed> {
    let model = MODELS[if late { random.usize(1..MODELS.len()) } else { random.usize(..MODELS.len()) }];
    let problem = Problem::new(Arc::new(Terms::new()), trace.clone(), model).expect("a trace that is right");
    let machine = Machine::new(&problem, &Assignment::new());
    let mut state = machine.start();
    while !machine.is_over(&state) {
        let threads = 0..problem.thread_count();
        let enabled: Vec<usize> =
            threads.clone().filter(|thread| machine.is_enabled(&state, *thread)).collect();
        let lanes: Vec<_> = threads
            .flat_map(|thread| {
                machine.committable(&state, thread).into_iter().map(move |lane| (thread, lane))
            })
            .collect();
        if enabled.is_empty() && lanes.is_empty() {
            return None;
        }
        let hurries = late && !enabled.is_empty() && random.u8(..8) > 0;
        let choice = random.usize(..enabled.len() + if hurries { 0 } else { lanes.len() });
        match enabled.get(choice) {
            Some(thread) => {
                let sleepers = machine.sleepers(&state, *thread).len();
                machine.execute(&mut state, *thread, random.usize(..sleepers.max(1))).ok()?;
            }
            None => {
                let (thread, lane) = lanes[choice - enabled.len()];
                machine.commit(&mut state, thread, lane).ok()?;
            }
        }
    }
    let values = machine.values(&state);
    let events = problem.events().filter_map(|event| {
        let position = problem.position(event);
        let symbol = problem.term(problem.operation(event).symbol()?);
        Some(((position.thread, position.index), values.get(symbol)?.clone()))
    });
    Some(events.collect())
}

fn pick<'a, T>(random: &mut Rng, items: &'a [T]) -> &'a T {
    &items[random.usize(..items.len())]
}

fn ordering(random: &mut Rng) -> AccessOrdering {
    use AccessOrdering::*;
    *pick(random, &[NotAtomic, NotAtomic, Monotonic, Monotonic, Acquire, Release, SequentiallyConsistent])
}

struct Objects {
    spans: Vec<ByteSpan>,
    mutexes: Vec<ObjectRef>,
    rwlock: ObjectRef,
    condition: ObjectRef,
    barrier: ObjectRef,
    semaphore: ObjectRef,
}

struct Generator<'a> {
    terms: &'a Terms,
    builder: TraceBuilder<'a>,
    random: Rng,
    /// For conditions, so that the events are the same with and without them.
    conditions: Rng,
    observed: Option<&'a Observed>,
    objects: Objects,
    is_litmus: bool,
    /// Where effects are counted, if there are any.
    effects: Option<ByteSpan>,
    /// The kinds of events of this trace.
    kinds: Vec<u8>,
    /// By thread, the number of its events.
    lengths: Vec<usize>,
    /// By thread, whether it has ended.
    ended: Vec<bool>,
    /// By thread, its last value read.
    last: Vec<Option<Term>>,
    /// Conditions that the bug may be made of.
    facts: Vec<Term>,
}

fn build(seed: u64, most: usize, observed: Option<&Observed>) -> SymbolicTrace {
    let terms = Terms::new();
    let mut random = Rng::with_seed(seed);
    let mut builder = TraceBuilder::new(&terms);
    let variables: Vec<ByteSpan> = (0..random.usize(1 + usize::from(is_litmus(seed))..=3))
        .map(|number| builder.variable(&format!("v{number}"), 8))
        .collect();
    let spans = (0..random.usize(2..=4)).map(|_| {
        let (offset, length) =
            *pick(&mut random, &[(0, 4), (0, 4), (0, 4), (0, 8), (2, 2), (4, 4), (0, 1), (3, 2)]);
        ByteSpan { offset, length, ..*pick(&mut random, &variables) }
    });
    let spans = match is_litmus(seed) {
        true => variables.iter().map(|variable| ByteSpan { length: 4, ..*variable }).collect(),
        false => spans.collect(),
    };
    let effects = has_effects(seed).then(|| builder.variable("effects", 4));
    let name = |number| ObjectName::Allocated { thread: ThreadName::main(), number };
    let mut object = |number, kind| builder.object(name(number), kind, "");
    let width = random.u32(2..=3);
    let initial = random.u32(..2);
    let objects = Objects {
        spans,
        mutexes: vec![object(0, ObjectKind::Mutex), object(1, ObjectKind::Mutex)],
        rwlock: object(2, ObjectKind::ReadWriteLock),
        condition: object(3, ObjectKind::ConditionVariable),
        barrier: object(4, ObjectKind::Barrier { width }),
        semaphore: object(5, ObjectKind::Semaphore { initial }),
    };
    if random.bool() {
        let value = terms.constant(64, random.u64(1..4));
        builder.initial(variables[0], value);
    }
    // Accesses always, and a few of the others.
    let mut kinds = vec![0, 1, 2];
    kinds.extend((0..random.usize(..4)).map(|_| random.u8(3..12)));
    let is_litmus = is_litmus(seed);
    if is_litmus {
        kinds.truncate(3);
    }
    let children = random.usize(1 + usize::from(is_litmus)..=3);
    let threads = children + 1;
    let mut generator = Generator {
        terms: &terms,
        builder,
        conditions: Rng::with_seed(seed ^ 0xc0de),
        random,
        observed,
        objects,
        is_litmus,
        effects,
        kinds,
        lengths: vec![0; threads],
        ended: vec![false; threads],
        last: vec![None; threads],
        facts: Vec::new(),
    };
    generator.fill(most, children);
    generator.finish()
}

impl Generator<'_> {
    fn event(&mut self, thread: usize, operation: Operation) {
        self.lengths[thread] += 1;
        self.builder.event(ThreadRef(thread as u32), operation);
    }

    fn fill(&mut self, most: usize, children: usize) {
        for child in 1..=children {
            let name = ThreadName::main().child(child as u32);
            let created = self.builder.thread(name);
            self.event(child, Operation::Begin);
            self.event(0, Operation::Create(created));
        }
        let length = self.random.usize(2..=most.max(3)) / (children + 1);
        let length = if self.is_litmus { length.max(7) } else { length };
        for thread in usize::from(self.is_litmus)..=children {
            while self.lengths[thread] < length {
                self.some_events(thread);
            }
            if thread > 0 && self.random.u8(..8) > 0 {
                self.event(thread, Operation::End);
                self.ended[thread] = true;
                if self.random.bool() {
                    self.event(0, Operation::Join(ThreadRef(thread as u32)));
                }
            }
        }
        if self.random.bool() {
            self.access(0);
        }
    }

    fn some_events(&mut self, thread: usize) {
        let mutex = *pick(&mut self.random, &self.objects.mutexes);
        let (rwlock, semaphore) = (self.objects.rwlock, self.objects.semaphore);
        let wait = Condition { condition: self.objects.condition, mutex: self.objects.mutexes[0] };
        match *pick(&mut self.random, &self.kinds) {
            0..3 => self.access(thread),
            3 => {
                let ordering = *pick(
                    &mut self.random,
                    &[
                        AccessOrdering::Acquire,
                        AccessOrdering::Release,
                        AccessOrdering::SequentiallyConsistent,
                    ],
                );
                self.event(thread, Operation::Fence { ordering });
            }
            4 | 5 => self.section(thread, Operation::Lock(mutex), Operation::Unlock(mutex)),
            6 if self.random.bool() => {
                self.section(thread, Operation::WriteLock(rwlock), Operation::WriteUnlock(rwlock));
            }
            6 => self.section(thread, Operation::ReadLock(rwlock), Operation::ReadUnlock(rwlock)),
            7 => {
                let busy = [
                    Operation::LockBusy(mutex),
                    Operation::ReadLockBusy(rwlock),
                    Operation::WriteLockBusy(rwlock),
                    Operation::SemaphoreZero(semaphore),
                ];
                let operation = pick(&mut self.random, &busy).clone();
                self.event(thread, operation);
            }
            8 if thread.is_multiple_of(2) => {
                self.event(thread, Operation::Lock(wait.mutex));
                self.event(thread, Operation::WaitBegin(wait));
                match self.random.u8(..4) {
                    0 => self.event(thread, Operation::WaitElapsed(wait)),
                    _ => self.event(thread, Operation::WaitSignalled(wait)),
                }
                self.access(thread);
                self.event(thread, Operation::Unlock(wait.mutex));
            }
            8 | 9 => {
                self.access(thread);
                match self.random.bool() {
                    true => self.event(thread, Operation::Signal(wait.condition)),
                    false => self.event(thread, Operation::Broadcast(wait.condition)),
                }
            }
            10 => {
                let barrier = self.objects.barrier;
                self.event(thread, Operation::BarrierArrive(barrier));
                self.event(thread, Operation::BarrierPass(barrier));
            }
            _ => match self.random.bool() {
                true => self.event(thread, Operation::SemaphoreWait(semaphore)),
                false => self.event(thread, Operation::SemaphorePost(semaphore)),
            },
        }
    }

    fn section(&mut self, thread: usize, lock: Operation, unlock: Operation) {
        self.event(thread, lock);
        for _ in 0..self.random.usize(1..=2) {
            self.access(thread);
        }
        if self.random.u8(..20) > 0 {
            self.event(thread, unlock);
        }
    }

    fn access(&mut self, thread: usize) {
        let of = ThreadRef(thread as u32);
        if let Some(span) = self.effects.filter(|_| self.random.u8(..3) == 0) {
            let value = self.value(thread, span);
            let before = match self.random.bool() {
                true => self.builder.read(of, span, AccessOrdering::Monotonic),
                false => self.builder.effect(of, span, |_| value),
            };
            return self.read(thread, before);
        }
        let span = *pick(&mut self.random, &self.objects.spans);
        let ordering = ordering(&mut self.random);
        let ordering = if self.is_litmus { AccessOrdering::Monotonic } else { ordering };
        let value = self.value(thread, span);
        let kinds = if self.is_litmus { 8 } else { 9 };
        let read = match self.random.u8(..kinds) {
            0..4 => Some(self.builder.read(of, span, ordering)),
            4..8 => {
                self.builder.write(of, span, ordering, value);
                None
            }
            _ if self.random.u8(..4) == 0 => Some(self.builder.update(of, span, ordering, |_| None)),
            _ => {
                let terms = self.terms;
                Some(self.builder.update(of, span, ordering, |old| Some(terms.add(old, value))))
            }
        };
        match read {
            Some(read) => self.read(thread, read),
            None => self.lengths[thread] += 1,
        }
    }

    /// The event just added reads.
    fn read(&mut self, thread: usize, read: Term) {
        self.lengths[thread] += 1;
        self.last[thread] = Some(read);
        self.constrain(thread, read);
    }

    fn value(&mut self, thread: usize, span: ByteSpan) -> Term {
        let width = span.length as u32 * 8;
        if self.is_litmus {
            // Each its own, so that the value read identifies the write.
            let number = 1 + (thread * 16 + self.lengths[thread]) as u64;
            return self.terms.constant(width, (number * 0x0101_0101_0101_0101) & mask(width));
        }
        let constant = self.terms.constant(width, (self.random.u64(..4) * 0x01_01_01_01) & mask(width));
        match self.last[thread].filter(|_| self.random.u8(..3) == 0) {
            None => constant,
            Some(last) if self.terms.width(last) < width => {
                self.terms.add(self.terms.zero_extend(last, width), constant)
            }
            Some(last) => self.terms.xor(self.terms.extract(last, 0, width), constant),
        }
    }

    /// The value read in the execution observed may become part of the path or the bug.
    fn constrain(&mut self, thread: usize, read: Term) {
        let (kind, change) = (self.conditions.u8(..6), self.conditions.u8(..24));
        let Some(observed) = self.observed else { return };
        let zero = BitVector::zero(self.terms.width(read));
        let value = observed.get(&(thread, self.lengths[thread] - 1)).unwrap_or(&zero);
        let value = self.terms.bitvector(value);
        let value = if change == 0 {
            self.terms.add(value, self.terms.constant(self.terms.width(value), 1))
        } else {
            value
        };
        let kind = if self.is_litmus { 1 } else { kind };
        let fact = match kind {
            0 | 1 => self.terms.equal(read, value),
            2 => self.terms.unsigned_less_equal(read, value),
            _ => return,
        };
        match kind {
            0 => self.facts.push(fact),
            _ => self.builder.condition(ThreadRef(thread as u32), fact),
        }
    }

    fn finish(mut self) -> SymbolicTrace {
        if self.random.u8(..6) == 0 {
            self.block();
        }
        let bug = self.terms.all(self.facts);
        self.builder.finish(bug, None)
    }

    /// A thread waits forever.
    fn block(&mut self) {
        let thread = self.random.usize(..self.lengths.len());
        let operations = [
            Operation::Lock(self.objects.mutexes[0]),
            Operation::ReadLock(self.objects.rwlock),
            Operation::WriteLock(self.objects.rwlock),
            Operation::SemaphoreWait(self.objects.semaphore),
        ];
        let operation = pick(&mut self.random, &operations).clone();
        if self.ended[thread] {
            return;
        }
        self.builder.blocked(ThreadRef(thread as u32), operation);
    }
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width.min(64))
}
