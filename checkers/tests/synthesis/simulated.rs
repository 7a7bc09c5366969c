//! A second source of traces: programs written as coroutines, executed by a simulator of their own.
//!
//! It shares nothing with [`random`](super::random), [`families`](super::families) and
//! [`published`](super::published), nor with the library's machine. Threads run concretely under a random
//! scheduler, with store buffers where the model has them. The trace is what they did, so it has an execution
//! by construction. No limit of an engine is chosen with these traces.

use fastrand::Rng;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use symx_expr::{Term, Terms};
use symx_trace::ThreadName;
use symx_trace::symbolic::{
    AccessOrdering, ByteSpan, Condition, ObjectKind, ObjectName, ObjectRef, Operation, SymbolicTrace,
    ThreadRef, TraceBuilder,
};

/// When stores reach memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Buffering {
    None,
    /// In the order of the program.
    Fifo,
    /// In that order for each variable.
    PerVariable,
}

/// The buffering of each model of `symx_memmodel::MODELS`, in its order.
pub const BUFFERINGS: [Buffering; 3] = [Buffering::None, Buffering::Fifo, Buffering::PerVariable];

/// What a thread has read or computed: a term, and its value in this execution.
pub type Value = (Term, u64);

/// A variable, by number.
pub type Variable = usize;
/// A synchronisation object, by number.
pub type Object = usize;

enum Sync {
    Mutex(Option<u32>),
    ReadWrite { writer: bool, readers: u32 },
    Condition { sleepers: Vec<u32> },
    Barrier { width: u32, arrived: u32, rounds: u32 },
    Semaphore(u32),
}

struct World<'a> {
    terms: &'a Terms,
    builder: TraceBuilder<'a>,
    buffering: Buffering,
    random: Rng,
    memory: Vec<u64>,
    spans: Vec<ByteSpan>,
    buffers: Vec<VecDeque<(Variable, u64)>>,
    objects: Vec<(ObjectRef, Sync)>,
    /// Whether the thread that was asked did something.
    has_moved: bool,
    /// It polls in vain, so another one had better go on.
    gives_way: bool,
    /// What the failure is made of.
    facts: Vec<(Term, u64)>,
}

impl World<'_> {
    fn event(&mut self, thread: u32, operation: Operation) {
        self.builder.event(ThreadRef(thread), operation);
        self.has_moved = true;
    }

    fn load(&self, thread: u32, variable: Variable) -> u64 {
        let own = self.buffers[thread as usize].iter().rev().find(|(stored, _)| *stored == variable);
        own.map_or(self.memory[variable], |(_, value)| *value)
    }

    fn drain(&mut self, thread: u32) {
        for (variable, value) in std::mem::take(&mut self.buffers[thread as usize]) {
            self.memory[variable] = value;
        }
    }

    /// One store of some buffer reaches memory, if one is there.
    fn flush_one(&mut self) {
        let thread = self.random.usize(..self.buffers.len());
        let Some((first, _)) = self.buffers[thread].front().copied() else { return };
        let place = match self.buffering {
            Buffering::PerVariable => {
                let some = self.random.usize(..self.buffers[thread].len());
                let variable = self.buffers[thread][some].0;
                self.buffers[thread].iter().position(|(stored, _)| *stored == variable)
            }
            _ => self.buffers[thread].iter().position(|(stored, _)| *stored == first),
        };
        if let Some((variable, value)) = place.and_then(|place| self.buffers[thread].remove(place)) {
            self.memory[variable] = value;
        }
    }
}

/// A thread of a program.
#[derive(Clone)]
pub struct Thread<'a> {
    world: Rc<RefCell<World<'a>>>,
    pub number: u32,
}

/// Comes back at once, when the scheduler next asks the thread.
struct Turn(bool);

impl Future for Turn {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, _: &mut Context) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

const ORDERING: AccessOrdering = AccessOrdering::Monotonic;

impl<'a> Thread<'a> {
    /// Attempts a step at each turn until it is possible.
    async fn when<T>(&self, mut attempt: impl FnMut(&mut World<'a>) -> Option<T>) -> T {
        loop {
            Turn(false).await;
            if let Some(done) = attempt(&mut self.world.borrow_mut()) {
                return done;
            }
        }
    }

    /// A step that synchronises: own stores come first.
    async fn synchronise(
        &self,
        operation: impl Fn(ObjectRef) -> Operation,
        object: Object,
        mut attempt: impl FnMut(&mut Sync) -> bool,
    ) {
        self.when(|world| {
            let (name, state) = &mut world.objects[object];
            let operation = attempt(state).then(|| operation(*name))?;
            world.drain(self.number);
            world.event(self.number, operation);
            Some(())
        })
        .await;
    }

    pub fn constant(&self, value: u64) -> Value {
        (self.world.borrow().terms.constant(32, value), value)
    }

    pub fn plus(&self, one: Value, other: Value) -> Value {
        (self.world.borrow().terms.add(one.0, other.0), (one.1 + other.1) & 0xffff_ffff)
    }

    pub async fn load(&self, variable: Variable) -> Value {
        self.when(|world| {
            let value = world.load(self.number, variable);
            let span = world.spans[variable];
            world.has_moved = true;
            Some((world.builder.read(ThreadRef(self.number), span, ORDERING), value))
        })
        .await
    }

    pub async fn store(&self, variable: Variable, (term, value): Value) {
        self.when(|world| {
            let span = world.spans[variable];
            world.builder.write(ThreadRef(self.number), span, ORDERING, term);
            world.has_moved = true;
            match world.buffering {
                Buffering::None => world.memory[variable] = value,
                _ => world.buffers[self.number as usize].push_back((variable, value)),
            }
            Some(())
        })
        .await;
    }

    pub async fn set(&self, variable: Variable, value: u64) {
        self.store(variable, self.constant(value)).await;
    }

    /// Adds to a variable in two steps, between which others may come.
    pub async fn add(&self, variable: Variable, addend: Value) {
        let old = self.load(variable).await;
        self.store(variable, self.plus(old, addend)).await;
    }

    /// Replaces a value by another in one step, if it is there; whether it was.
    pub async fn exchange(&self, variable: Variable, expected: Value, new: Value) -> bool {
        self.when(|world| {
            world.drain(self.number);
            let (span, found) = (world.spans[variable], world.memory[variable]);
            let succeeds = found == expected.1;
            let thread = ThreadRef(self.number);
            let old = world.builder.update(thread, span, ORDERING, |_| succeeds.then_some(new.0));
            let equal = world.terms.equal(old, expected.0);
            world.builder.condition(thread, if succeeds { equal } else { world.terms.not(equal) });
            if succeeds {
                world.memory[variable] = new.1;
            }
            world.has_moved = true;
            Some(succeeds)
        })
        .await
    }

    pub async fn fence(&self) {
        self.when(|world| {
            world.drain(self.number);
            let ordering = AccessOrdering::SequentiallyConsistent;
            world.event(self.number, Operation::Fence { ordering });
            Some(())
        })
        .await;
    }

    fn branch(&self, holds: bool, condition: impl FnOnce(&Terms) -> Term) -> bool {
        let mut world = self.world.borrow_mut();
        let condition = condition(world.terms);
        let taken = if holds { condition } else { world.terms.not(condition) };
        world.builder.condition(ThreadRef(self.number), taken);
        holds
    }

    /// Branches on whether a value is this.
    pub fn is(&self, (term, value): Value, other: u64) -> bool {
        self.branch(value == other, |terms| terms.equal(term, terms.constant(32, other)))
    }

    pub fn equal(&self, one: Value, other: Value) -> bool {
        self.branch(one.1 == other.1, |terms| terms.equal(one.0, other.0))
    }

    pub fn is_below(&self, (term, value): Value, limit: u64) -> bool {
        self.branch(value < limit, |terms| terms.unsigned_less(term, terms.constant(32, limit)))
    }

    /// The path depends on exactly this value, as where it is an index.
    pub fn exactly(&self, value: Value) -> u64 {
        self.is(value, value.1);
        value.1
    }

    /// A number from the program's input.
    pub fn random(&self, below: u64) -> u64 {
        self.world.borrow_mut().random.u64(..below)
    }

    /// Others had better go on.
    pub fn relax(&self) {
        self.world.borrow_mut().gives_way = true;
    }

    pub async fn lock(&self, mutex: Object) {
        self.synchronise(Operation::Lock, mutex, |state| match state {
            Sync::Mutex(owner) if owner.is_none() => owner.replace(self.number).is_none(),
            _ => false,
        })
        .await;
    }

    /// Locks a mutex unless another thread has it; whether it did.
    pub async fn try_lock(&self, mutex: Object) -> bool {
        self.when(|world| {
            world.drain(self.number);
            let (name, state) = &mut world.objects[mutex];
            let Sync::Mutex(owner) = state else { return None };
            let (name, is_free) = (*name, owner.is_none());
            owner.get_or_insert(self.number);
            world.event(self.number, if is_free { Operation::Lock(name) } else { Operation::LockBusy(name) });
            Some(is_free)
        })
        .await
    }

    pub async fn unlock(&self, mutex: Object) {
        self.synchronise(Operation::Unlock, mutex, |state| match state {
            Sync::Mutex(owner) => owner.take().is_some(),
            _ => false,
        })
        .await;
    }

    pub async fn read_lock(&self, lock: Object) {
        self.synchronise(Operation::ReadLock, lock, |state| match state {
            Sync::ReadWrite { writer: false, readers } => {
                *readers += 1;
                true
            }
            _ => false,
        })
        .await;
    }

    pub async fn read_unlock(&self, lock: Object) {
        self.synchronise(Operation::ReadUnlock, lock, |state| match state {
            Sync::ReadWrite { readers, .. } => {
                *readers -= 1;
                true
            }
            _ => false,
        })
        .await;
    }

    pub async fn write_lock(&self, lock: Object) {
        self.synchronise(Operation::WriteLock, lock, |state| match state {
            Sync::ReadWrite { writer, readers: 0 } => !std::mem::replace(writer, true),
            _ => false,
        })
        .await;
    }

    pub async fn write_unlock(&self, lock: Object) {
        self.synchronise(Operation::WriteUnlock, lock, |state| match state {
            Sync::ReadWrite { writer, .. } => std::mem::replace(writer, false),
            _ => false,
        })
        .await;
    }

    /// Waits for a signal; one wait of ten ends by itself.
    pub async fn wait(&self, condition: Object, mutex: Object) {
        let elapses = self.random(10) == 0;
        let of = |world: &World| Condition {
            condition: world.objects[condition].0,
            mutex: world.objects[mutex].0,
        };
        self.when(|world| {
            world.drain(self.number);
            world.objects[mutex].1 = Sync::Mutex(None);
            if let Sync::Condition { sleepers } = &mut world.objects[condition].1
                && !elapses
            {
                sleepers.push(self.number);
            }
            world.event(self.number, Operation::WaitBegin(of(world)));
            Some(())
        })
        .await;
        self.when(|world| {
            let sleeps = matches!(&world.objects[condition].1,
                Sync::Condition { sleepers } if sleepers.contains(&self.number));
            if sleeps || !matches!(world.objects[mutex].1, Sync::Mutex(None)) {
                return None;
            }
            world.objects[mutex].1 = Sync::Mutex(Some(self.number));
            let wait = of(world);
            let ended = if elapses { Operation::WaitElapsed(wait) } else { Operation::WaitSignalled(wait) };
            world.event(self.number, ended);
            Some(())
        })
        .await;
    }

    pub async fn signal(&self, condition: Object) {
        let chance = self.random(1 << 32) as usize;
        self.synchronise(Operation::Signal, condition, |state| match state {
            Sync::Condition { sleepers } => {
                let count = sleepers.len().max(1);
                (!sleepers.is_empty()).then(|| sleepers.remove(chance % count));
                true
            }
            _ => false,
        })
        .await;
    }

    pub async fn broadcast(&self, condition: Object) {
        self.synchronise(Operation::Broadcast, condition, |state| match state {
            Sync::Condition { sleepers } => {
                sleepers.clear();
                true
            }
            _ => false,
        })
        .await;
    }

    pub async fn barrier(&self, barrier: Object) {
        let mut joined = 0;
        self.synchronise(Operation::BarrierArrive, barrier, |state| match state {
            Sync::Barrier { width, arrived, rounds } => {
                joined = *rounds;
                *arrived = (*arrived + 1) % *width;
                *rounds += u32::from(*arrived == 0);
                true
            }
            _ => false,
        })
        .await;
        self.synchronise(
            Operation::BarrierPass,
            barrier,
            |state| matches!(state, Sync::Barrier { rounds, .. } if *rounds > joined),
        )
        .await;
    }

    pub async fn acquire(&self, semaphore: Object) {
        self.synchronise(Operation::SemaphoreWait, semaphore, |state| match state {
            Sync::Semaphore(value) if *value > 0 => {
                *value -= 1;
                true
            }
            _ => false,
        })
        .await;
    }

    pub async fn release(&self, semaphore: Object) {
        self.synchronise(Operation::SemaphorePost, semaphore, |state| match state {
            Sync::Semaphore(value) => {
                *value += 1;
                true
            }
            _ => false,
        })
        .await;
    }
}

type Body<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// What a program has beside its threads.
pub struct Setting {
    pub buffering: Buffering,
    pub seed: u64,
    pub variables: usize,
    pub objects: Vec<ObjectKind>,
    /// Of a thousand steps of a thread, after how many another one goes on.
    pub change: u64,
    /// Whether the failure asks for a value that was not there.
    pub is_spoiled: bool,
}

/// The trace of one execution of a program with so many threads beside the main one, which at the end reads
/// these variables: their values are part of the failure.
pub fn execute(
    setting: &Setting,
    threads: u32,
    results: std::ops::Range<Variable>,
    body: impl for<'a> Fn(Thread<'a>) -> Body<'a>,
) -> SymbolicTrace {
    let terms = Terms::new();
    let mut builder = TraceBuilder::new(&terms);
    let spans = (0..setting.variables).map(|number| builder.variable(&format!("x{number}"), 4)).collect();
    let name = |number: usize| ObjectName::Allocated { thread: ThreadName::main(), number: number as u32 };
    let objects = setting.objects.iter().enumerate().map(|(number, kind)| {
        let state = match *kind {
            ObjectKind::Mutex => Sync::Mutex(None),
            ObjectKind::ReadWriteLock => Sync::ReadWrite { writer: false, readers: 0 },
            ObjectKind::ConditionVariable => Sync::Condition { sleepers: Vec::new() },
            ObjectKind::Barrier { width } => Sync::Barrier { width, arrived: 0, rounds: 0 },
            ObjectKind::Semaphore { initial } => Sync::Semaphore(initial),
            ObjectKind::Memory { .. } => unreachable!("variables are no objects"),
        };
        (builder.object(name(number), *kind, ""), state)
    });
    let objects = objects.collect();
    for thread in 1..=threads {
        let created = builder.thread(ThreadName::main().child(thread));
        builder.event(ThreadRef(0), Operation::Create(created));
        builder.event(created, Operation::Begin);
    }
    let world = Rc::new(RefCell::new(World {
        terms: &terms,
        builder,
        buffering: setting.buffering,
        random: Rng::with_seed(setting.seed),
        memory: vec![0; setting.variables],
        spans,
        buffers: vec![VecDeque::new(); threads as usize + 1],
        objects,
        has_moved: false,
        gives_way: false,
        facts: Vec::new(),
    }));
    let thread = |number| Thread { world: Rc::clone(&world), number };
    let bodies: Vec<Body> = (1..=threads).map(|number| body(thread(number))).collect();
    schedule(&world, bodies, setting.change);
    let mut world = Rc::into_inner(world).expect("the threads have ended").into_inner();
    for thread in 1..=threads {
        world.drain(thread);
        world.event(thread, Operation::End);
        world.event(0, Operation::Join(ThreadRef(thread)));
    }
    for variable in results {
        let read = world.builder.read(ThreadRef(0), world.spans[variable], ORDERING);
        world.facts.push((read, world.memory[variable]));
    }
    let last = world.facts.len() - 1;
    world.facts[last].1 += u64::from(setting.is_spoiled);
    let facts = world.facts.iter().map(|(term, value)| terms.equal(*term, terms.constant(32, *value)));
    let bug = terms.all(facts.collect::<Vec<Term>>());
    world.builder.finish(bug, None)
}

/// Lets threads go on, one at a time, until all are at their ends.
fn schedule<'a>(world: &RefCell<World<'a>>, bodies: Vec<Body<'a>>, change: u64) {
    let mut open: Vec<Option<Body>> = bodies.into_iter().map(Some).collect();
    let (mut running, mut idle) = (0, 0);
    let mut context = Context::from_waker(Waker::noop());
    while open.iter().any(Option::is_some) {
        {
            let mut world = world.borrow_mut();
            let waits = !std::mem::take(&mut world.has_moved) || std::mem::take(&mut world.gives_way);
            if waits || world.random.u64(..1000) < change {
                running = world.random.usize(..open.len());
            }
            if world.random.u8(..4) == 0 {
                world.flush_one();
            }
        }
        let Some(body) = &mut open[running] else { continue };
        if body.as_mut().poll(&mut context).is_ready() {
            open[running] = None;
        }
        idle = if world.borrow().has_moved { 0 } else { idle + 1 };
        assert!(idle < 100_000, "the program comes to a deadlock");
    }
}
