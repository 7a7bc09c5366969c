//! Random programs that hand data over between threads, rightly or not. They have plain accesses to data
//! beside flags of every ordering, fences, locks, semaphores, barriers and thread creation.

use crate::program::{
    BARRIER, Likeness, MUTEX, Object, Operation, Part, Program, READ_WRITE_LOCK, SEMAPHORE, Update, VARIABLE,
};
use fastrand::Rng;
use symx_memmodel::Ordering;
use symx_memmodel::Ordering::{
    Acquire, AcquireRelease, Monotonic, NotAtomic, Release, SequentiallyConsistent,
};

/// Operations of all threads but `main`, about.
const MOST_OPERATIONS: usize = 10;

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut random = Rng::with_seed(seed);
    if random.bool() {
        return handed_on(&mut random);
    }
    let count = if random.u8(..3) == 0 { 3 } else { 2 };
    let mut threads: Vec<Vec<Operation>> = vec![Vec::new(); count + 1];
    let length = MOST_OPERATIONS / count;
    for code in &mut threads[1..] {
        while code.len() < length {
            some(&mut random, code);
        }
    }
    let last_is_child = count == 3 && random.u8(..4) == 0;
    let own = if last_is_child { count - 1 } else { count };
    if last_is_child {
        let parent = random.usize(1..count);
        let at = place(&mut random, &threads[parent]);
        threads[parent].insert(at, Operation::Create(count));
        threads[parent].push(Operation::Join(count));
    }
    // Accesses of `main` before, between and after its threads are ordered, or are not.
    if random.bool() {
        threads[0].push(data(&mut random));
    }
    for thread in 1..=own {
        threads[0].push(Operation::Create(thread));
        if random.u8(..6) == 0 {
            threads[0].push(data(&mut random));
        }
    }
    for thread in 1..=own {
        threads[0].push(Operation::Join(thread));
        if random.u8(..4) == 0 {
            threads[0].push(data(&mut random));
        }
    }
    Program { threads, likeness: Likeness::Different }
}

/// Data handed from one thread to another through a flag that a third one changes in between. Whether the
/// last one comes after the first depends on every ordering and fence on the way.
fn handed_on(random: &mut Rng) -> Program {
    let flag = Object(VARIABLE, 2);
    let any = [Monotonic, Acquire, Release, AcquireRelease, SequentiallyConsistent];
    let reading = one_of(random, &[Monotonic, Monotonic, Acquire, Acquire, SequentiallyConsistent]);
    let writing = one_of(random, &[Monotonic, Monotonic, Release, Release, SequentiallyConsistent]);
    let has_middle = random.u8(..3) > 0;
    let mut first = vec![Operation::Store(Object(VARIABLE, 0), NotAtomic, Some(1))];
    if random.u8(..3) == 0 {
        first.push(fence(random, &any[1..]));
    }
    first.push(match random.u8(..3) {
        0 => Operation::Update(flag, one_of(random, &any), Update::Add(1)),
        _ => Operation::Store(flag, writing, Some(1)),
    });
    match random.u8(..8) {
        0 => first.push(Operation::Store(flag, Monotonic, Some(1))),
        1 => first.push(Operation::Update(flag, Monotonic, Update::Add(0))),
        2 => first.push(data(random)),
        _ => {}
    }
    let mut middle = Vec::new();
    match random.u8(..4) {
        0 => middle.extend([
            Operation::Load(flag, reading),
            Operation::SkipUnless(1),
            Operation::Store(flag, one_of(random, &[Monotonic, Release, SequentiallyConsistent]), Some(2)),
        ]),
        1 => middle.push(Operation::Update(flag, one_of(random, &any), Update::CompareExchange(1, 2))),
        _ => middle.push(Operation::Update(flag, one_of(random, &any), Update::Add(1))),
    }
    if random.u8(..4) == 0 {
        let at = place(random, &middle);
        middle.insert(at, fence(random, &any[1..]));
    }
    let wanted = if has_middle { 2 } else { 1 };
    let mut last = vec![match random.u8(..4) {
        0 => Operation::Await(flag, reading, 0),
        1 => Operation::Update(flag, one_of(random, &any), Update::Add(0)),
        _ => Operation::Load(flag, reading),
    }];
    if random.u8(..3) == 0 {
        last.push(fence(random, &any[1..]));
    }
    last.extend([Operation::SkipUnless(wanted), Operation::Load(Object(VARIABLE, 0), NotAtomic)]);
    if random.u8(..4) == 0 {
        last.push(data(random));
    }
    let mut threads = vec![Vec::new(), first];
    threads.extend(has_middle.then_some(middle));
    threads.push(last);
    threads[0] =
        (1..threads.len()).map(Operation::Create).chain((1..threads.len()).map(Operation::Join)).collect();
    Program { threads, likeness: Likeness::Different }
}

/// A position at which an operation can be added, which is none after a condition.
fn place(random: &mut Rng, code: &[Operation]) -> usize {
    let free = |at: &usize| *at == 0 || !matches!(code[*at - 1], Operation::SkipUnless(_));
    let places: Vec<usize> = (0..=code.len()).filter(free).collect();
    places[random.usize(..places.len())]
}

fn one_of<T: Copy>(random: &mut Rng, items: &[T]) -> T {
    items[random.usize(..items.len())]
}

fn datum(random: &mut Rng) -> Object {
    Object(VARIABLE, u8::from(random.u8(..4) == 0))
}

fn flag(random: &mut Rng) -> Object {
    Object(VARIABLE, 2 + u8::from(random.u8(..4) == 0))
}

/// An access to data, most often a plain one.
fn data(random: &mut Rng) -> Operation {
    let object = datum(random);
    let ordering = if random.u8(..12) == 0 { Monotonic } else { NotAtomic };
    let part = one_of(random, &[Part(0, 8), Part(4, 4), Part(0, 1), Part(2, 2), Part(5, 1)]);
    let value = random.u8(1..3);
    match random.u8(..10) {
        0 => Operation::LoadPart(object, part, ordering),
        1 => Operation::StorePart(object, part, ordering, value),
        2..5 => Operation::Load(object, ordering),
        _ => Operation::Store(object, ordering, Some(value)),
    }
}

/// Adds one operation, or a few that belong together.
fn some(random: &mut Rng, code: &mut Vec<Operation>) {
    let flag = flag(random);
    let reading = one_of(random, &[Monotonic, Acquire, Acquire, SequentiallyConsistent]);
    let writing = one_of(random, &[Monotonic, Release, Release, SequentiallyConsistent]);
    match random.u8(..26) {
        0..5 => code.push(data(random)),
        5..9 => {
            if random.bool() {
                code.push(data(random));
            }
            if random.u8(..4) == 0 {
                code.push(fence(random, &[Release, AcquireRelease, SequentiallyConsistent]));
            }
            code.push(Operation::Store(flag, writing, Some(random.u8(1..3))));
        }
        9..14 => {
            code.push(Operation::Load(flag, reading));
            look(random, code);
        }
        14..17 => {
            code.push(update(random, flag));
            look(random, code);
        }
        17 => code.push(fence(random, &[Acquire, Release, AcquireRelease, SequentiallyConsistent])),
        18 | 19 => {
            let mutex = Object(MUTEX, random.u8(..2));
            around(random, code, "pthread_mutex_lock", "pthread_mutex_unlock", mutex);
        }
        20 => {
            let lock = one_of(random, &["pthread_rwlock_rdlock", "pthread_rwlock_wrlock"]);
            around(random, code, lock, "pthread_rwlock_unlock", Object(READ_WRITE_LOCK, 0));
        }
        21 => {
            let mutex = Object(MUTEX, 0);
            code.push(Operation::Call("pthread_mutex_trylock", vec![mutex]));
            code.push(Operation::SkipUnless(0));
            code.push(Operation::Call("pthread_mutex_unlock", vec![mutex]));
            code.push(Operation::SkipUnless(0));
            code.push(data(random));
        }
        22 => {
            code.push(data(random));
            code.push(Operation::Call("pthread_barrier_wait", vec![Object(BARRIER, 2)]));
            code.push(data(random));
        }
        23 | 24 => {
            let semaphore = vec![Object(SEMAPHORE, u8::from(random.u8(..4) == 0))];
            if random.bool() {
                code.push(data(random));
                return code.push(Operation::Call("sem_post", semaphore));
            }
            if random.u8(..3) > 0 {
                code.push(Operation::Call("sem_wait", semaphore));
            } else {
                code.push(Operation::Call("sem_trywait", semaphore));
                code.push(Operation::SkipUnless(0));
            }
            code.push(data(random));
        }
        _ => {
            code.push(Operation::Await(flag, reading, 0));
            if random.u8(..4) == 0 {
                code.push(fence(random, &[Acquire, SequentiallyConsistent]));
            }
            code.push(data(random));
        }
    }
}

/// An access to data after a look at a flag: most often only if that was raised.
fn look(random: &mut Rng, code: &mut Vec<Operation>) {
    if random.u8(..4) == 0 {
        code.push(fence(random, &[Acquire, AcquireRelease, SequentiallyConsistent]));
    }
    if random.u8(..4) > 0 {
        code.push(Operation::SkipUnless(random.u8(..3)));
    }
    code.push(data(random));
}

fn fence(random: &mut Rng, orderings: &[Ordering]) -> Operation {
    Operation::Fence(one_of(random, orderings))
}

fn update(random: &mut Rng, object: Object) -> Operation {
    let ordering = one_of(random, &[Monotonic, Acquire, Release, AcquireRelease, SequentiallyConsistent]);
    let update = match random.u8(..5) {
        0 | 1 => Update::Add(random.u8(..2)),
        2 => Update::Exchange(random.u8(..3)),
        _ => Update::CompareExchange(random.u8(..2), random.u8(..3)),
    };
    Operation::Update(object, ordering, update)
}

/// A lock acquired, data accessed, the lock released.
fn around(random: &mut Rng, code: &mut Vec<Operation>, lock: &'static str, unlock: &'static str, it: Object) {
    code.push(Operation::Call(lock, vec![it]));
    for _ in 0..random.usize(1..=2) {
        code.push(data(random));
    }
    code.push(Operation::Call(unlock, vec![it]));
}
