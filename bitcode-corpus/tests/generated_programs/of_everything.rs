//! Programs of everything at once: threads that create threads, every kind of object, inputs, accesses of all
//! orders, loops, clean-up routines, cancellation, signals.

use crate::around_calls::call;
use crate::calls::Kind;
use crate::program::{Handler, Operation, Order, Own, Program, Stored, ToThread, Update, VARIABLES};
use fastrand::Rng;
use std::ops::RangeInclusive;

const KINDS: &[Kind] = &[
    Kind::NormalMutex,
    Kind::NormalMutex,
    Kind::RecursiveMutex,
    Kind::CheckingMutex,
    Kind::RobustMutex,
    Kind::RobustCheckingMutex,
    Kind::StandardMutex,
    Kind::ReadWriteLock,
    Kind::SpinLock,
    Kind::Barrier(2),
    Kind::Barrier(3),
    Kind::Semaphore(0),
    Kind::Semaphore(1),
    Kind::Once,
    Kind::Key,
];

const ORDERS: [Order; 5] =
    [Order::Relaxed, Order::Acquire, Order::Release, Order::AcquireRelease, Order::SequentiallyConsistent];

/// Features of a program that not all have.
struct Traits {
    inputs: bool,
    cancels: bool,
    signals: bool,
    blocks: bool,
    fails: bool,
    /// Loops and clean-up routines.
    nests: bool,
}

/// The program of a seed.
pub fn of_everything(seed: u64) -> Program {
    program(seed, 4..=9)
}

/// A program whose exploration takes a while.
pub fn long(seed: u64) -> Program {
    program(seed, 14..=18)
}

fn program(seed: u64, lengths: RangeInclusive<usize>) -> Program {
    let mut random = Rng::with_seed(seed.wrapping_add(0x5eed));
    let objects = objects(&mut random);
    let traits = Traits {
        inputs: random.u8(..4) == 0,
        cancels: random.u8(..4) == 0,
        signals: random.u8(..8) == 0,
        blocks: random.u8(..3) == 0,
        fails: random.u8(..3) == 0,
        nests: random.u8(..4) == 0,
    };
    if random.u8(..6) == 0 {
        return identical(&mut random, objects, &traits);
    }
    let count = random.usize(2..=3);
    let mut threads: Vec<Vec<Operation>> = vec![Vec::new()];
    let mut left = random.usize(lengths);
    for thread in 1..=count {
        let share = random.usize(1..=left.saturating_sub(count - thread).max(1));
        left = left.saturating_sub(share);
        threads.push(code(&mut random, &objects, &traits, share));
    }
    // Each thread has a parent that comes before it.
    let parents: Vec<usize> =
        (1..=count).map(|thread| if random.u8(..5) < 2 { random.usize(..thread) } else { 0 }).collect();
    if random.u8(..3) == 0 {
        threads[0] = code(&mut random, &objects, &traits, 2);
    }
    for thread in (1..=count).rev() {
        let parent = parents[thread - 1];
        let code = &mut threads[parent];
        // All of `main`'s are created one after the other, so that a later one may know an earlier one.
        let at = if parent == 0 { 0 } else { random.usize(..=code.len()) };
        let is_detached = random.u8(..12) == 0;
        let create = if is_detached { ToThread::CreateDetached } else { ToThread::Create };
        code.insert(at, Operation::Thread(create, thread));
        if is_detached {
            continue;
        }
        let mut end = Vec::new();
        if traits.cancels && random.bool() {
            end.push(Operation::Thread(ToThread::Cancel, thread));
        }
        if traits.signals && random.bool() {
            end.push(Operation::Thread(ToThread::Kill, thread));
        }
        match random.u8(..14) {
            0 => {}
            1 => end.push(Operation::Thread(ToThread::Detach, thread)),
            2 => {
                end.push(Operation::Thread(ToThread::TryJoin, thread));
                end.push(Operation::If(16, vec![Operation::Thread(ToThread::Detach, thread)]));
            }
            3 => {
                end.push(Operation::Thread(ToThread::TimedJoin, thread));
                end.push(Operation::If(110, vec![Operation::Thread(ToThread::Join, thread)]));
            }
            _ => end.push(Operation::Thread(ToThread::Join, thread)),
        }
        let at = if parent == 0 { code.len() } else { random.usize(at + 1..=code.len()) };
        code.splice(at..at, end);
    }
    // A younger thread of `main`'s may do something to an older one, which is joined after it.
    if (traits.cancels || traits.signals) && count >= 2 && parents[..2] == [0, 0] {
        let to = if traits.cancels { ToThread::Cancel } else { ToThread::Kill };
        let at = random.usize(..=threads[2].len());
        threads[2].insert(at, Operation::Thread(to, 1));
    }
    let handler = traits.signals.then(|| handler(&mut random, &objects));
    Program { threads, objects, alike: false, handler }
}

/// A handler. Of two that could post a semaphore, one does.
fn handler(random: &mut Rng, objects: &[Kind]) -> Handler {
    let restarts = random.bool();
    let semaphore = objects.iter().position(|object| matches!(object, Kind::Semaphore(_)));
    Handler { restarts, posts: semaphore.filter(|_| random.bool()) }
}

/// `main` creates two or three threads with the same code.
fn identical(random: &mut Rng, objects: Vec<Kind>, traits: &Traits) -> Program {
    let count = random.usize(2..=3);
    let traits = Traits { cancels: false, signals: false, ..*traits };
    let length = random.usize(1..=3);
    let work = code(random, &objects, &traits, length);
    let mut main: Vec<Operation> =
        (1..=count).map(|thread| Operation::Thread(ToThread::Create, thread)).collect();
    if random.u8(..3) == 0 {
        let more = code(random, &objects, &traits, 1);
        main.extend(more);
    }
    main.extend((1..=count).map(|thread| Operation::Thread(ToThread::Join, thread)));
    let threads = std::iter::once(main).chain((0..count).map(|_| work.clone())).collect();
    Program { threads, objects, alike: true, handler: None }
}

fn objects(random: &mut Rng) -> Vec<Kind> {
    let mut objects = vec![KINDS[random.usize(..KINDS.len())]];
    if random.bool() {
        objects.push(KINDS[random.usize(..KINDS.len())]);
    }
    match random.u8(..8) {
        0 | 1 => objects.extend([Kind::Condition, Kind::NormalMutex]),
        2 => objects.extend([Kind::StandardCondition, Kind::StandardMutex]),
        _ => {}
    }
    objects
}

fn code(random: &mut Rng, objects: &[Kind], traits: &Traits, length: usize) -> Vec<Operation> {
    let mut code = Vec::new();
    while code.len() < length {
        let mut next = Vec::new();
        some(random, objects, traits, &mut next);
        if traits.nests && random.u8(..3) == 0 {
            next = vec![match random.u8(..3) {
                0 => {
                    let mut routine = Vec::new();
                    call(random, objects, &mut routine);
                    Operation::CleanUp(routine, next)
                }
                _ => Operation::Repeat(2, next),
            }];
        }
        code.append(&mut next);
    }
    code
}

fn ordering(random: &mut Rng, allowed: [Order; 3]) -> Option<Order> {
    (random.u8(..3) > 0).then(|| allowed[random.usize(..3)])
}

/// Adds one operation or a few that belong together.
fn some(random: &mut Rng, objects: &[Kind], traits: &Traits, code: &mut Vec<Operation>) {
    use Order::{Acquire, Relaxed, Release, SequentiallyConsistent};
    let variable = random.u8(..VARIABLES);
    match random.u8(..20) {
        0..7 => call(random, objects, code),
        7..10 => {
            let order = ordering(random, [Relaxed, Acquire, SequentiallyConsistent]);
            code.push(Operation::Load(variable, order));
        }
        10..13 => {
            let order = ordering(random, [Relaxed, Release, SequentiallyConsistent]);
            let stored = match random.u8(..3) {
                0 => Stored::Next,
                _ => Stored::Constant(random.u8(1..4)),
            };
            code.push(Operation::Store(variable, order, stored));
        }
        13 | 14 => {
            let update = match random.u8(..3) {
                0 => Update::Add(random.u8(..3)),
                1 => Update::Exchange(random.u8(1..4)),
                _ => Update::CompareExchange(random.u8(..2), random.u8(1..4)),
            };
            code.push(Operation::Update(variable, ORDERS[random.usize(..5)], update));
        }
        15 => code.push(Operation::Fence(ORDERS[random.usize(1..5)])),
        16 if traits.inputs => {
            code.push(Operation::Input(random.u8(2..4)));
            let mut inner = Vec::new();
            some(random, objects, &Traits { inputs: false, ..*traits }, &mut inner);
            match random.u8(..3) {
                0 => code.push(Operation::Store(variable, Some(Relaxed), Stored::Next)),
                _ => code.push(Operation::If(i32::from(random.bool()), inner)),
            }
        }
        17 if traits.cancels || traits.signals => {
            const CANCEL: [Own; 5] =
                [Own::TestCancel, Own::DisableCancel, Own::EnableCancel, Own::CancelAtOnce, Own::CancelLater];
            const SIGNAL: [Own; 3] = [Own::BlockSignal, Own::UnblockSignal, Own::WaitForSignal];
            let own = match traits.cancels {
                true => CANCEL[random.usize(..5)],
                false => SIGNAL[random.usize(..3)],
            };
            code.push(Operation::Own(own));
        }
        18 if traits.fails => {
            code.push(Operation::Load(variable, None));
            code.push(Operation::FailIf(i32::from(random.u8(..3))));
        }
        19 => match random.u8(..6) {
            0 => code.push(Operation::Print(if random.bool() { 'a' } else { 'b' })),
            1 => code.push(Operation::Own(Own::Exit)),
            2 => code.push(Operation::Own(Own::Yield)),
            _ => {
                let mut inner = Vec::new();
                call(random, objects, &mut inner);
                let condition = i32::from(random.u8(..2));
                code.push(Operation::Load(variable, ordering(random, [Relaxed, Acquire, Relaxed])));
                code.push(Operation::If(condition, inner));
            }
        },
        _ if traits.blocks => call(random, objects, code),
        _ => code.push(Operation::Load(variable, None)),
    }
}
