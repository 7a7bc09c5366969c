//! The operations of simulated threads, each step at a turn of its own.

use super::{Buffering, ORDERING, Object, Sync, Value, Variable, World};
use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use symx_expr::{Term, Terms};
use symx_trace::symbolic::{AccessOrdering, Condition, ObjectRef, Operation, ThreadRef};

/// A thread of a program.
#[derive(Clone)]
pub struct Thread<'a> {
    pub(super) world: Rc<RefCell<World<'a>>>,
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
