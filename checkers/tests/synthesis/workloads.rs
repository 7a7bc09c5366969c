//! Programs of the [simulator](super::simulated), each with another way of sharing, and what engines make of
//! their traces. No limit of an engine is chosen with them.

use super::simulated::{Buffering, Setting, Thread, Value, execute};
use symx_trace::symbolic::{ObjectKind, SymbolicTrace};

const MUTEX: ObjectKind = ObjectKind::Mutex;
const CONDITION: ObjectKind = ObjectKind::ConditionVariable;

/// A way of sharing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    BoundedBuffer,
    ReadersAndWriters,
    Phases,
    HandOver,
    WorkStealing,
    NestedLocks,
    SequenceLock,
    Mailboxes,
    Pool,
    LinkedStack,
}

pub const SHAPES: [Shape; 10] = [
    Shape::BoundedBuffer,
    Shape::ReadersAndWriters,
    Shape::Phases,
    Shape::HandOver,
    Shape::WorkStealing,
    Shape::NestedLocks,
    Shape::SequenceLock,
    Shape::Mailboxes,
    Shape::Pool,
    Shape::LinkedStack,
];

/// The trace of a program in which each thread goes `rounds` rounds.
pub fn trace(shape: Shape, rounds: u64, seed: u64, buffering: Buffering, is_spoiled: bool) -> SymbolicTrace {
    let setting = |variables: usize, objects: Vec<ObjectKind>| Setting {
        buffering,
        seed,
        variables,
        objects,
        change: [20, 100, 300][seed as usize % 3],
        is_spoiled,
    };
    match shape {
        Shape::BoundedBuffer => {
            let setting = setting(4, vec![MUTEX, CONDITION, CONDITION]);
            execute(&setting, 4, 3..4, |thread| Box::pin(bounded_buffer(thread, rounds)))
        }
        Shape::ReadersAndWriters => {
            let setting = setting(3, vec![ObjectKind::ReadWriteLock]);
            execute(&setting, 4, 0..3, |thread| Box::pin(readers_and_writers(thread, rounds)))
        }
        Shape::Phases => {
            let setting = setting(5, vec![ObjectKind::Barrier { width: 4 }]);
            execute(&setting, 4, 4..5, |thread| Box::pin(phases(thread, rounds)))
        }
        Shape::HandOver => {
            let setting = setting(3, Vec::new());
            execute(&setting, 3, 1..3, |thread| Box::pin(hand_over(thread, rounds)))
        }
        Shape::WorkStealing => {
            let setting = setting(2 + RING + 1, Vec::new());
            execute(&setting, 3, 2 + RING..3 + RING, |thread| Box::pin(work_stealing(thread, rounds)))
        }
        Shape::NestedLocks => {
            let setting = setting(5, vec![MUTEX; 4]);
            execute(&setting, 4, 0..5, |thread| Box::pin(nested_locks(thread, rounds)))
        }
        Shape::SequenceLock => {
            let setting = setting(4, Vec::new());
            execute(&setting, 4, 3..4, |thread| Box::pin(sequence_lock(thread, rounds)))
        }
        Shape::Mailboxes => {
            let setting = setting(2 * BOXES + 1, Vec::new());
            execute(&setting, 4, 2 * BOXES..2 * BOXES + 1, |thread| Box::pin(mailboxes(thread, rounds)))
        }
        Shape::Pool => {
            let setting = setting(3, vec![ObjectKind::Semaphore { initial: 2 }, MUTEX]);
            execute(&setting, 4, 0..3, |thread| Box::pin(pool(thread, rounds)))
        }
        Shape::LinkedStack => {
            let setting = setting(2 + NODES, Vec::new());
            execute(&setting, 4, 1..2, |thread| Box::pin(linked_stack(thread, rounds)))
        }
    }
}

/// Two producers and two consumers of two slots; what is consumed is added up without the lock.
async fn bounded_buffer(thread: Thread<'_>, rounds: u64) {
    let (count_at, first_slot_at, sum_at) = (0, 1, 3);
    let (mutex, not_full, not_empty) = (0, 1, 2);
    for round in 0..rounds {
        thread.lock(mutex).await;
        let mut count = thread.load(count_at).await;
        if thread.number.is_multiple_of(2) {
            while !thread.is_below(count, 2) {
                thread.wait(not_full, mutex).await;
                count = thread.load(count_at).await;
            }
            let slot = thread.exactly(count) as usize;
            thread.set(first_slot_at + slot, 1 + round % 3).await;
            thread.store(count_at, thread.plus(count, thread.constant(1))).await;
            thread.signal(not_empty).await;
            thread.unlock(mutex).await;
        } else {
            while thread.is(count, 0) {
                thread.wait(not_empty, mutex).await;
                count = thread.load(count_at).await;
            }
            let slot = thread.exactly(count) as usize - 1;
            thread.set(count_at, slot as u64).await;
            let item = thread.load(first_slot_at + slot).await;
            if thread.random(4) == 0 {
                thread.broadcast(not_full).await;
            } else {
                thread.signal(not_full).await;
            }
            thread.unlock(mutex).await;
            thread.add(sum_at, item).await;
        }
    }
}

/// Two writers of a pair, a reader with the lock, and one without.
async fn readers_and_writers(thread: Thread<'_>, rounds: u64) {
    let (one_at, other_at, torn_at) = (0, 1, 2);
    let lock = 0;
    for _ in 0..rounds {
        match thread.number {
            1 | 2 => {
                thread.write_lock(lock).await;
                let old = thread.load(one_at).await;
                let new = thread.plus(old, thread.constant(thread.number as u64));
                thread.store(one_at, new).await;
                thread.store(other_at, new).await;
                thread.write_unlock(lock).await;
            }
            number => {
                if number == 3 {
                    thread.read_lock(lock).await;
                }
                let (one, other) = (thread.load(one_at).await, thread.load(other_at).await);
                if !thread.equal(one, other) {
                    thread.add(torn_at, thread.constant(1)).await;
                }
                if number == 3 {
                    thread.read_unlock(lock).await;
                }
            }
        }
    }
}

/// Each thread writes its cell and reads its neighbour's; every other barrier is left out.
async fn phases(thread: Thread<'_>, rounds: u64) {
    const SUM: usize = 4;
    let own = thread.number as usize - 1;
    for round in 0..rounds {
        thread.set(own, 10 * round + own as u64).await;
        thread.barrier(0).await;
        let seen = thread.load((own + 1) % 4).await;
        if thread.is(seen, 10 * round + (own as u64 + 1) % 4) {
            thread.add(SUM, thread.constant(1)).await;
        }
        if round % 2 == 0 {
            thread.barrier(0).await;
        }
    }
}

/// Three threads pass a turn; some of them write the data after they have passed it on.
async fn hand_over(thread: Thread<'_>, rounds: u64) {
    let (turn_at, data_at, late_at) = (0, 1, 2);
    let own = thread.number as u64 - 1;
    for round in 0..rounds {
        while !thread.is(thread.load(turn_at).await, own) {
            thread.relax();
        }
        thread.add(data_at, thread.constant(1 + own)).await;
        thread.set(turn_at, (own + 1) % 3).await;
        if (round + own).is_multiple_of(3) {
            thread.add(late_at, thread.constant(1)).await;
        }
    }
}

const RING: usize = 4;

/// An owner pushes tasks and takes them back; two thieves steal the oldest. A task can be done twice.
async fn work_stealing(thread: Thread<'_>, rounds: u64) {
    let (top_at, bottom_at, first, done_at) = (0, 1, 2, 2 + RING);
    let slot = |index: u64| first + index as usize % RING;
    for round in 0..rounds {
        if thread.number > 1 {
            let top = thread.load(top_at).await;
            let bottom = thread.load(bottom_at).await;
            let first = thread.exactly(top);
            if !thread.is_below(bottom, first + 1) {
                let task = thread.load(slot(first)).await;
                if thread.exchange(top_at, top, thread.constant(first + 1)).await {
                    thread.add(done_at, task).await;
                }
            }
            continue;
        }
        let bottom = thread.load(bottom_at).await;
        let end = thread.exactly(bottom);
        thread.set(slot(end), 1 + round % 4).await;
        thread.set(bottom_at, end + 1).await;
        if round % 2 == 1 {
            thread.set(bottom_at, end).await;
            thread.fence().await;
            let top = thread.load(top_at).await;
            if thread.is_below(top, end) {
                let task = thread.load(slot(end)).await;
                thread.add(done_at, task).await;
            } else {
                thread.set(bottom_at, end + 1).await;
            }
        }
    }
}

/// Transfers between four accounts, each with a lock; an auditor tries locks and looks anyway.
async fn nested_locks(thread: Thread<'_>, rounds: u64) {
    const MISSED: usize = 4;
    for _ in 0..rounds {
        if thread.number == 4 {
            let account = thread.random(4) as usize;
            let is_locked = thread.try_lock(account).await;
            let balance = thread.load(account).await;
            if thread.is_below(balance, 4) {
                thread.add(MISSED, thread.constant(1)).await;
            }
            if is_locked {
                thread.unlock(account).await;
            }
            continue;
        }
        let from = thread.random(3) as usize;
        let to = from + 1 + thread.random(3 - from as u64) as usize;
        thread.lock(from).await;
        thread.lock(to).await;
        let old = thread.load(from).await;
        if thread.is(old, 0) {
            thread.set(from, 5).await;
        } else {
            thread.store(from, thread.plus(old, thread.constant(u64::from(u32::MAX)))).await;
            thread.add(to, thread.constant(1)).await;
        }
        thread.unlock(to).await;
        thread.unlock(from).await;
    }
}

/// A writer that counts before and after, and readers that try again; the last one forgets to.
async fn sequence_lock(thread: Thread<'_>, rounds: u64) {
    let (count_at, one_at, other_at, torn_at) = (0, 1, 2, 3);
    for round in 0..rounds {
        if thread.number == 1 {
            thread.set(count_at, 2 * round + 1).await;
            thread.set(one_at, round % 5).await;
            thread.set(other_at, round % 5).await;
            thread.set(count_at, 2 * round + 2).await;
            continue;
        }
        loop {
            let before = thread.load(count_at).await;
            let (one, other) = (thread.load(one_at).await, thread.load(other_at).await);
            let after = thread.load(count_at).await;
            if thread.number < 4 && (!thread.equal(before, after) || thread.exactly(before) % 2 == 1) {
                thread.relax();
                continue;
            }
            if !thread.equal(one, other) {
                thread.add(torn_at, thread.constant(1)).await;
            }
            break;
        }
    }
}

const BOXES: usize = 4;

/// Two senders fill boxes that they see empty, two receivers empty those that they see full.
async fn mailboxes(thread: Thread<'_>, rounds: u64) {
    const SUM: usize = 2 * BOXES;
    let is_sender = thread.number.is_multiple_of(2);
    for round in 0..rounds {
        let one = thread.random(BOXES as u64) as usize;
        let is_full = !thread.is(thread.load(one).await, 0);
        match (is_sender, is_full) {
            (true, false) => {
                thread.set(BOXES + one, 1 + round % 3).await;
                thread.set(one, 1).await;
            }
            (false, true) => {
                let letter = thread.load(BOXES + one).await;
                thread.set(one, 0).await;
                if thread.is_below(letter, 3) {
                    thread.add(SUM, thread.constant(1)).await;
                }
            }
            _ => thread.relax(),
        }
    }
}

/// Two of four threads at a time use something, and count without and with a lock.
async fn pool(thread: Thread<'_>, rounds: u64) {
    let (inside_at, most_at, uses_at) = (0, 1, 2);
    let (semaphore, mutex) = (0, 1);
    for _ in 0..rounds {
        thread.acquire(semaphore).await;
        thread.add(inside_at, thread.constant(1)).await;
        let inside = thread.load(inside_at).await;
        if !thread.is_below(inside, 2) {
            thread.store(most_at, inside).await;
        }
        thread.add(inside_at, thread.constant(u64::from(u32::MAX))).await;
        thread.release(semaphore).await;
        thread.lock(mutex).await;
        thread.add(uses_at, thread.constant(1)).await;
        thread.unlock(mutex).await;
    }
}

const NODES: usize = 4;

/// A stack of four nodes, whose head is exchanged; that a node has come back meanwhile is not noticed.
async fn linked_stack(thread: Thread<'_>, rounds: u64) {
    let (head_at, popped_at) = (0, 1);
    let next_of = |node: u64| 1 + node as usize;
    let mut own: Option<Value> = Some(thread.constant(thread.number as u64));
    for _ in 0..rounds {
        let head = thread.load(head_at).await;
        let first = thread.exactly(head);
        match own {
            Some(node) => {
                thread.store(next_of(node.1), head).await;
                if thread.exchange(head_at, head, node).await {
                    own = None;
                }
            }
            None if first == 0 => thread.relax(),
            None => {
                let next = thread.load(next_of(first)).await;
                if thread.exchange(head_at, head, next).await {
                    own = Some(thread.constant(first));
                    thread.add(popped_at, thread.constant(1)).await;
                }
            }
        }
    }
}
