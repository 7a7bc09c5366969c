//! Programs of two or three threads around the calls of one kind of object, those that fail among them.

use crate::calls::{CALLS, Call, Kind};
use crate::program::{Operation, Own, Program, Stored, ToThread};
use fastrand::Rng;

/// Operations that belong together in a program.
const GROUPS: &[&[Kind]] = &[
    &[Kind::NormalMutex],
    &[Kind::RecursiveMutex],
    &[Kind::CheckingMutex],
    &[Kind::RobustMutex],
    &[Kind::RobustCheckingMutex],
    &[Kind::StandardMutex],
    &[Kind::StandardRecursiveMutex],
    &[Kind::Condition, Kind::NormalMutex],
    &[Kind::Condition, Kind::CheckingMutex],
    &[Kind::Condition, Kind::RobustMutex],
    &[Kind::Condition, Kind::RecursiveMutex],
    &[Kind::StandardCondition, Kind::StandardMutex],
    &[Kind::ReadWriteLock],
    &[Kind::ReadWriteLock],
    &[Kind::SpinLock],
    &[Kind::Barrier(2)],
    &[Kind::Barrier(2), Kind::NormalMutex],
    &[Kind::Semaphore(0)],
    &[Kind::Semaphore(1)],
    &[Kind::Semaphore(1), Kind::CheckingMutex],
    &[Kind::Once, Kind::CheckingMutex],
    &[Kind::Key, Kind::NormalMutex],
];

/// The program of a seed.
pub fn around_calls(seed: u64) -> Program {
    let mut random = Rng::with_seed(seed);
    let objects = GROUPS[random.usize(..GROUPS.len())].to_vec();
    let count = if random.u8(..4) == 0 { 3 } else { 2 };
    // Of two threads, one is often `main`, between creation and join.
    let main_works = count == 2 && random.bool();
    let cancels = random.u8(..4) == 0;
    let mut threads: Vec<Vec<Operation>> = vec![Vec::new()];
    let created = if main_works { 1 } else { count };
    let length = if count == 3 { 3 } else { 5 };
    for _ in 0..created {
        let mut code = work(&mut random, &objects, length);
        if cancels && random.u8(..3) == 0 {
            let at = random.usize(..=code.len());
            let own = [Own::TestCancel, Own::DisableCancel, Own::EnableCancel][random.usize(..3)];
            code.insert(at, Operation::Own(own));
        }
        threads.push(code);
    }
    let mut main: Vec<Operation> = Vec::new();
    let holds_first = main_works && random.u8(..3) == 0;
    if holds_first {
        main.extend(work(&mut random, &objects, 1));
    }
    main.extend((1..=created).map(|which| Operation::Thread(ToThread::Create, which)));
    if main_works {
        main.extend(work(&mut random, &objects, 4));
    }
    for which in 1..=created {
        if cancels && random.bool() {
            main.push(Operation::Thread(ToThread::Cancel, which));
        }
        let join = match random.u8(..12) {
            0 => ToThread::TryJoin,
            1 => ToThread::TimedJoin,
            _ => ToThread::Join,
        };
        main.push(Operation::Thread(join, which));
        if join != ToThread::Join {
            main.push(Operation::If(
                if join == ToThread::TryJoin { 16 } else { 110 },
                vec![Operation::Thread(ToThread::Join, which)],
            ));
        }
    }
    threads[0] = main;
    Program { threads, objects, alike: false, handler: None }
}

fn work(random: &mut Rng, objects: &[Kind], most: usize) -> Vec<Operation> {
    let mut code = Vec::new();
    let length = random.usize(1..=most);
    while code.len() < length {
        match random.u8(..10) {
            0..7 => call(random, objects, &mut code),
            7 => code.push(Operation::Load(random.u8(..2), None)),
            8 => code.push(Operation::Store(random.u8(..2), None, Stored::Constant(random.u8(1..4)))),
            _ => code.push(Operation::Store(random.u8(..2), None, Stored::Next)),
        }
    }
    code
}

/// Adds a call, or one with what belongs to it.
pub fn call(random: &mut Rng, objects: &[Kind], code: &mut Vec<Operation>) {
    let at = random.usize(..objects.len());
    let fitting = |call: &&'static Call| call.takes.fits(objects[at], false);
    let fitting: Vec<&'static Call> = CALLS.iter().filter(fitting).collect();
    let call = fitting[random.usize(..fitting.len())];
    let mut used = vec![at];
    if call.takes.count() == 2 {
        let Some(mutex) = objects.iter().position(|kind| call.takes.fits(*kind, true)) else { return };
        used.push(mutex);
        // Mostly as it is meant to be.
        if random.u8(..8) > 0 {
            let named = |name: &str| {
                CALLS.iter().find(|call| call.name == name && call.takes.fits(objects[mutex], false))
            };
            let (Some(lock), Some(unlock)) = (named("lock"), named("unlock")) else { return };
            code.push(Operation::Call(lock, vec![mutex]));
            let wait = Operation::Call(call, used);
            match random.u8(..3) {
                0 => code.push(Operation::If(0, vec![Operation::Load(0, None), wait])),
                1 => code.push(wait),
                _ => code.extend([Operation::Load(0, None), Operation::If(0, vec![wait])]),
            }
            code.push(Operation::Load(random.u8(..2), None));
            if random.u8(..8) > 0 {
                code.push(Operation::Call(unlock, vec![mutex]));
            }
            return;
        }
    }
    // A thread that signals has mostly changed something under the mutex.
    let mutex = objects.iter().position(|kind| kind.is_mutex() || kind.is_standard_mutex());
    if ["signal", "broadcast"].contains(&call.name)
        && let Some(mutex) = mutex.filter(|_| random.u8(..3) > 0)
    {
        let named = |name: &str| {
            CALLS.iter().find(|call| call.name == name && call.takes.fits(objects[mutex], false))
        };
        let (Some(lock), Some(unlock)) = (named("lock"), named("unlock")) else { return };
        code.push(Operation::Call(lock, vec![mutex]));
        code.push(Operation::Store(0, None, Stored::Constant(random.u8(1..4))));
        code.push(Operation::Call(call, used));
        code.push(Operation::Call(unlock, vec![mutex]));
        return;
    }
    code.push(Operation::Call(call, used.clone()));
    let takes = call.name.contains("lock") && call.name != "unlock";
    if !takes || random.u8(..4) == 0 {
        return;
    }
    let unlock = CALLS.iter().find(|other| other.name == "unlock" && other.takes.fits(objects[at], false));
    let Some(unlock) = unlock else { return };
    let mut inner = Vec::new();
    if random.bool() {
        inner.push(match random.bool() {
            true => Operation::Load(random.u8(..2), None),
            false => Operation::Store(random.u8(..2), None, Stored::Constant(random.u8(1..4))),
        });
    }
    // A result that was read in between is not the lock's any more; so it is unlocked in any case, or
    // abandoned.
    inner.push(Operation::Call(unlock, used));
    match random.u8(..3) {
        0 => code.extend(inner),
        _ => code.push(Operation::If(0, inner)),
    }
}
