//! A second source of traces: programs written as coroutines, executed by a simulator of their own.
//!
//! It shares nothing with [`random`](super::random), [`families`](super::families) and
//! [`published`](super::published), nor with the library's machine. Threads run concretely under a random
//! scheduler, with store buffers where the model has them. The trace is what they did, so it has an execution
//! by construction. No limit of an engine is chosen with these traces.

mod thread;

use fastrand::Rng;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Waker};
use symx_expr::{Term, Terms};
use symx_trace::ThreadName;
use symx_trace::symbolic::{
    AccessOrdering, ByteSpan, ObjectKind, ObjectName, ObjectRef, Operation, SymbolicTrace, ThreadRef,
    TraceBuilder,
};
pub use thread::Thread;

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

/// A value that a thread has read or computed: a term, and its value in this execution.
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
    /// Its poll fails, so another thread had better go on.
    gives_way: bool,
    /// The values that make up the failure.
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

/// How accesses are ordered: atomic, and no more than that.
const ORDERING: AccessOrdering = AccessOrdering::Monotonic;

type Body<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// The program without its threads.
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

/// The trace of one execution of a program with this many threads beside the main one. At the end the main
/// thread reads these variables: their values are part of the failure.
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
