//! Happens-before as in C11: the part of other threads that each thread is ordered after.
//!
//! Threads synchronise when an acquiring operation reads what a releasing one wrote (ISO C11
//! 5.1.2.4 and 7.17), or through objects such as mutexes. Fences make relaxed operations after and before
//! them release and acquire. The keeper of the values keeps with each atomic store the clock that
//! [`store`](Synchronisation::store) returned.

use crate::{Clock, Epoch, Ordering};
use imbl::OrdMap;

/// The clocks of threads and of the objects that they synchronise with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Synchronisation {
    threads: imbl::Vector<Thread>,
    /// The clocks that threads which acquire an object come after.
    objects: OrdMap<SyncObject, Clock>,
    /// Objects that count.
    counters: OrdMap<SyncObject, Counter>,
}

/// Something threads synchronise with: an object's number or address, and a part of it.
pub type SyncObject = (u64, u64);

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Thread {
    clock: Clock,
    /// The clock of its latest releasing fence, which relaxed stores since then publish.
    fenced: Clock,
    /// The clocks that relaxed loads have met, joined: an acquiring fence comes after them.
    met: Clock,
}

/// Releases of an object that counts them, as a semaphore does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Counter {
    /// The clock that every acquirer comes after: of releases that were all used up.
    common: Clock,
    /// Releases since then.
    released: Vec<Clock>,
    /// How many acquired since then.
    acquired: usize,
}

impl Counter {
    /// The clock that the next acquirer comes after, of `available` units, whichever releases it owes them
    /// to. Of each thread, it is as much as any that many releases include. Releases commute, so a schedule
    /// represents their other orders as well.
    fn acquire(&mut self, available: usize) -> Clock {
        self.acquired += 1;
        let there_before = (self.acquired - 1 + available).saturating_sub(self.released.len());
        let mut after = self.common.clone();
        if let Some(least) = self.acquired.checked_sub(there_before + 1) {
            after.join(&Clock::least_common(&self.released, least));
        }
        if available <= 1 {
            self.released.drain(..).for_each(|released| self.common.join(&released));
            self.acquired = 0;
        }
        after
    }
}

impl Synchronisation {
    fn thread(&mut self, thread: u32) -> &mut Thread {
        while self.threads.len() <= thread as usize {
            self.threads.push_back(Thread::default());
        }
        self.threads.get_mut(thread as usize).expect("just made")
    }

    /// The clock of the next event of a thread.
    pub fn clock(&self, thread: u32) -> Clock {
        self.threads.get(thread as usize).map(|thread| thread.clock.clone()).unwrap_or_default()
    }

    /// Whether an event happens before the next one of a thread.
    pub fn is_before(&self, event: Epoch, thread: u32) -> bool {
        match self.threads.get(thread as usize) {
            Some(thread) => thread.clock.includes(event),
            None => event.time == 0,
        }
    }

    /// Whether only further events of a thread distinguish this from `before`: those that it has had, and
    /// those that its fence and objects publish.
    pub fn is_same_but_events_of(&self, before: &Self, thread: u32) -> bool {
        let absent = Thread::default();
        let is_same = |number: usize| {
            let [now, then] = [self, before].map(|order| order.threads.get(number).unwrap_or(&absent));
            let is_like = |now: &Clock, then: &Clock| match number == thread as usize {
                true => now.is_same_but_of(then, thread),
                false => now == then,
            };
            [(&now.clock, &then.clock), (&now.fenced, &then.fenced), (&now.met, &then.met)]
                .iter()
                .all(|(now, then)| is_like(now, then))
        };
        let mut objects = self.objects.iter().zip(&before.objects);
        (0..self.threads.len().max(before.threads.len())).all(is_same)
            && self.objects.len() == before.objects.len()
            && objects
                .all(|((object, now), (other, then))| object == other && now.is_same_but_of(then, thread))
            && self.counters == before.counters
    }

    /// The next event of a thread: every access is one.
    pub fn event(&mut self, thread: u32) -> Epoch {
        self.thread(thread).clock.advance(thread)
    }

    /// The newest event of a thread.
    pub fn newest(&self, thread: u32) -> Epoch {
        let time = self.threads.get(thread as usize).map_or(0, |known| known.clock.time(thread));
        Epoch { thread, time }
    }

    /// A thread reads what an atomic store published.
    pub fn load(&mut self, thread: u32, ordering: Ordering, published: &Clock) {
        let thread = self.thread(thread);
        let reached = if ordering.acquires() { &mut thread.clock } else { &mut thread.met };
        if ordering != Ordering::NotAtomic {
            reached.join(published);
        }
    }

    /// The clock that a store of a thread publishes.
    pub fn store(&mut self, thread: u32, ordering: Ordering) -> Clock {
        let thread = self.thread(thread);
        match ordering {
            Ordering::NotAtomic => Clock::default(),
            _ if ordering.releases() => thread.clock.clone(),
            _ => thread.fenced.clone(),
        }
    }

    /// The clock that a read-modify-write publishes if it read a write that published `published`: it
    /// continues a release sequence.
    pub fn update(&mut self, thread: u32, ordering: Ordering, published: &Clock) -> Clock {
        self.load(thread, ordering, published);
        let mut own = self.store(thread, ordering);
        own.join(published);
        own
    }

    /// A fence.
    pub fn fence(&mut self, thread: u32, ordering: Ordering) {
        let thread = self.thread(thread);
        if ordering.acquires() {
            thread.clock.join(&thread.met);
        }
        if ordering.releases() {
            thread.fenced = thread.clock.clone();
        }
    }

    /// Threads that acquire the object from now on come after what the thread has done.
    pub fn release(&mut self, thread: u32, object: SyncObject) {
        let clock = self.clock(thread);
        self.objects.entry(object).or_default().join(&clock);
    }

    /// The thread comes after those that released the object.
    pub fn acquire(&mut self, thread: u32, object: SyncObject) {
        if let Some(clock) = self.objects.get(&object) {
            let clock = clock.clone();
            self.thread(thread).clock.join(&clock);
        }
    }

    /// The thread adds a unit to an object that counts.
    pub fn release_unit(&mut self, thread: u32, object: SyncObject) {
        let clock = self.clock(thread);
        self.counters.entry(object).or_default().released.push(clock);
    }

    /// The thread takes one of the `available` units of an object that counts.
    pub fn acquire_unit(&mut self, thread: u32, object: SyncObject, available: usize) {
        let after = self.counters.entry(object).or_default().acquire(available);
        self.thread(thread).clock.join(&after);
    }

    /// Events of `before` so far happen before the next one of `after`: it created it, or has ended and was
    /// joined.
    pub fn follow(&mut self, before: u32, after: u32) {
        let clock = self.clock(before);
        self.thread(after).clock.join(&clock);
    }

    /// A thread comes after what `clock` includes.
    pub fn join(&mut self, thread: u32, clock: &Clock) {
        self.thread(thread).clock.join(clock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn published_by(ordering: Ordering) -> (Synchronisation, Epoch, Clock) {
        let mut order = Synchronisation::default();
        let event = order.event(0);
        let published = order.store(0, ordering);
        (order, event, published)
    }

    #[test]
    fn a_release_that_is_acquired_orders() {
        let (mut order, event, published) = published_by(Ordering::Release);
        order.load(1, Ordering::Monotonic, &published);
        assert!(!order.is_before(event, 1), "a relaxed load orders nothing");
        order.fence(1, Ordering::Acquire);
        assert!(order.is_before(event, 1), "until a fence follows");
        order.load(2, Ordering::Acquire, &published);
        assert!(order.is_before(event, 2));
        assert!(!order.is_before(event, 3));
    }

    #[test]
    fn a_relaxed_store_publishes_what_a_fence_released() {
        let (mut order, event, published) = published_by(Ordering::Monotonic);
        order.load(1, Ordering::Acquire, &published);
        assert!(!order.is_before(event, 1));
        order.fence(0, Ordering::Release);
        let later = order.event(0);
        let published = order.store(0, Ordering::Monotonic);
        order.load(1, Ordering::Acquire, &published);
        assert!(order.is_before(event, 1) && !order.is_before(later, 1));
    }

    #[test]
    fn updates_carry_a_release_on() {
        let (mut order, event, published) = published_by(Ordering::Release);
        let carried = order.update(1, Ordering::Monotonic, &published);
        assert!(!order.is_before(event, 1));
        order.load(2, Ordering::Acquire, &carried);
        assert!(order.is_before(event, 2));
    }

    #[test]
    fn objects_and_threads_order() {
        let mut order = Synchronisation::default();
        let event = order.event(0);
        order.release(0, (7, 0));
        order.acquire(1, (7, 1));
        assert!(!order.is_before(event, 1));
        order.acquire(1, (7, 0));
        assert!(order.is_before(event, 1));
        let later = order.event(0);
        assert!(!order.is_before(later, 1));
        order.follow(0, 2);
        assert!(order.is_before(later, 2));
    }

    #[test]
    fn looks_that_acquire_nothing_change_nothing() {
        let (mut order, _, published) = published_by(Ordering::Release);
        let before = order.clone();
        order.event(1);
        assert!(order.is_same_but_events_of(&before, 1) && !order.is_same_but_events_of(&before, 0));
        order.load(1, Ordering::Monotonic, &published);
        assert!(!order.is_same_but_events_of(&before, 1), "a fence would come after it");
        let before = order.clone();
        order.load(1, Ordering::Monotonic, &published);
        assert!(order.is_same_but_events_of(&before, 1), "again");
        order.fence(1, Ordering::AcquireRelease);
        assert!(!order.is_same_but_events_of(&before, 1), "it has acquired what it had met");
        let before = order.clone();
        order.event(1);
        order.fence(1, Ordering::AcquireRelease);
        assert!(order.is_same_but_events_of(&before, 1), "another fence publishes its looks alone");
    }

    #[test]
    fn a_unit_may_come_from_any_release() {
        let mut order = Synchronisation::default();
        let events = [order.event(0), order.event(1)];
        order.release_unit(0, (7, 0));
        order.release_unit(1, (7, 0));
        order.acquire_unit(2, (7, 0), 2);
        assert!(!events.iter().any(|event| order.is_before(*event, 2)), "either could have been the first");
        order.acquire_unit(3, (7, 0), 1);
        assert!(events.iter().all(|event| order.is_before(*event, 3)), "by now there were both");
        let event = order.event(0);
        order.release_unit(0, (7, 0));
        order.acquire_unit(2, (7, 0), 1);
        assert!(order.is_before(event, 2));
    }

    #[test]
    fn units_that_were_there_before_order_nothing() {
        let mut order = Synchronisation::default();
        let event = order.event(0);
        order.release_unit(0, (7, 0));
        order.acquire_unit(1, (7, 0), 2);
        assert!(!order.is_before(event, 1));
        order.acquire_unit(1, (7, 0), 1);
        assert!(order.is_before(event, 1));
    }
}
