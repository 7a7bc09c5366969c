//! Small random programs of several threads: accesses to memory of every kind, and the
//! POSIX calls that synchronise.
//!
//! A program is a function of its seed. All that its threads see ends up in what `main` writes.

use fastrand::Rng;
use std::fmt;
use symx_memmodel::Ordering;

/// A program: the code of `main`, then that of the threads it and others create.
#[derive(Clone, Debug)]
pub struct Program {
    pub threads: Vec<Vec<Operation>>,
    /// Whether all threads but `main` begin alike.
    pub likeness: Likeness,
}

/// Whether the threads that `main` creates are identical.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Likeness {
    /// Each has its own code, and returns what it has seen.
    Different,
    /// All have the code of the first, and return what they have seen.
    Returning,
    /// All have the code of the first, and add what they have seen to a sum.
    Alike,
}

/// Something that threads share: a letter for its kind, and a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Object(pub char, pub u8);

/// A variable of four bytes.
pub const VARIABLE: char = 'x';
pub const MUTEX: char = 'm';
pub const READ_WRITE_LOCK: char = 'w';
pub const CONDITION: char = 'c';
pub const SEMAPHORE: char = 's';
pub const BARRIER: char = 'b';
pub const ONCE: char = 'o';

/// Functions that begin and end what others see as one step; they answer nothing.
pub const BEGIN_SECTION: &str = "__VERIFIER_atomic_begin";
pub const END_SECTION: &str = "__VERIFIER_atomic_end";

/// An operation of a thread. "The result" is that of its last operation that has one.
#[derive(Clone, PartialEq, Debug)]
pub enum Operation {
    Load(Object, Ordering),
    /// Stores a constant, or the result and one.
    Store(Object, Ordering, Option<u8>),
    Update(Object, Ordering, Update),
    LoadPart(Object, Part, Ordering),
    /// Stores a constant in all bytes.
    StorePart(Object, Part, Ordering, u8),
    Fence(Ordering),
    /// Calls a function with these objects; what it answers is the result.
    Call(&'static str, Vec<Object>),
    /// Stores a semaphore's value as the result.
    Value(Object),
    /// The next operation is left out unless this is the result.
    SkipUnless(u8),
    /// The program fails if this is the result.
    FailIf(u8),
    /// Loads until something else than a number is there.
    Await(Object, Ordering, u8),
    /// Loads until a number is there, but only this often.
    Look(Object, Ordering, Looks),
    /// Exchanges 0 for 1 until that succeeds.
    Seize(Object, Ordering),
    /// Loads, and exchanges the value for a greater one, until that succeeds. The old value is the result.
    Retry(Object, Ordering, u8),
    /// Loads one, then the other, until the one is still the same. The old value of the other is the result.
    Confirm(Object, Object, Ordering),
    /// Adds 1 and takes it back until there was 0.
    Claim(Object, Ordering),
    /// Sleeps at a variable as a futex if this is there, forever or until time is up. Whether it was
    /// woken is the result.
    Sleep(Object, u8, Patience),
    /// Wakes at most this many of the threads that sleep at a variable. How many it were is the result.
    Wake(Object, u8),
    Create(usize),
    Join(usize),
    Detach(usize),
    /// Writes a letter to standard output.
    Print(char),
    /// Ends the process.
    Exit(u8),
}

/// Some of a variable and of the bytes after it: its first one, and how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part(pub u8, pub u8);

/// How long a thread sleeps that is not woken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    ForEver,
    UntilTimeIsUp,
}

/// How a thread looks for a number that may never be there. The last value it saw is the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Looks {
    pub until: u8,
    pub rounds: u8,
    /// Whether how many rounds there were is seen, too.
    pub are_counted: bool,
    /// Whether it only stops when the number is there after the first round.
    pub skips_first: bool,
    /// Whether what each round has seen is seen after the loop.
    pub add_up: bool,
    /// Whether each round looks at the other variable, too, and stops for the same number there.
    pub at_both: bool,
}

/// Parts that lie in each other and beside each other.
const PARTS: [Part; 6] = [Part(0, 8), Part(0, 4), Part(4, 4), Part(0, 1), Part(2, 2), Part(5, 1)];

/// An atomic update.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Update {
    Add(u8),
    Exchange(u8),
    CompareExchange(u8, u8),
    /// Adds, and the old value is not used.
    AddUnseen(u8),
    /// Adds, and whether the old value compares so with a number is the result.
    AddAsked(i8, Question),
}

/// A comparison with a number: LLVM's name of the predicate, and the number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Question(pub &'static str, pub i8);

/// Predicates of questions: of equality, and of order with and without sign.
const PREDICATES: [&str; 6] = ["eq", "eq", "ne", "slt", "ult", "sge"];

impl Question {
    /// Whether the number in a variable compares so.
    pub fn holds(self, found: u32) -> bool {
        let Self(predicate, number) = self;
        let (found, number) = (found as i32, i32::from(number));
        match predicate {
            "eq" => found == number,
            "ne" => found != number,
            "slt" => found < number,
            "sge" => found >= number,
            _ => (found as u32) < number as u32,
        }
    }
}

/// Most operations of all threads but `main`.
const MOST_OPERATIONS: usize = 9;

/// The subjects of programs.
#[derive(Clone, Copy, PartialEq)]
enum Theme {
    Memory,
    Parts,
    Updates,
    Mutexes,
    ReadWriteLocks,
    Conditions,
    Semaphores,
    Barriers,
    Once,
    Children,
    Output,
    Awaits,
    Sections,
    Futexes,
    Looks,
    Shares,
}

const THEMES: [Theme; 12] = [
    Theme::Memory,
    Theme::Parts,
    Theme::Updates,
    Theme::Mutexes,
    Theme::ReadWriteLocks,
    Theme::Conditions,
    Theme::Semaphores,
    Theme::Barriers,
    Theme::Once,
    Theme::Children,
    Theme::Output,
    Theme::Awaits,
];

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    about(seed, Theme::Memory)
}

/// The program of a seed in which threads do things that others see as one step.
pub fn with_sections(seed: u64) -> Program {
    about(seed, Theme::Sections)
}

/// The program of a seed in which threads sleep at variables and are woken there.
pub fn with_futexes(seed: u64) -> Program {
    about(seed, Theme::Futexes)
}

/// The program of a seed in which threads look for something so often and no more.
pub fn with_looks(seed: u64) -> Program {
    about(seed, Theme::Looks)
}

/// The program of a seed in which threads count, and ask how the count compares with a number.
pub fn with_shares(seed: u64) -> Program {
    let mut program = about(seed, Theme::Shares);
    let start = Operation::Store(Object(VARIABLE, 0), Ordering::NotAtomic, Some((seed % 5) as u8));
    program.threads[0].insert(0, start);
    program
}

/// The program of a seed in which `main` runs two threads, is alone for a while, and runs two others.
pub fn with_rounds(seed: u64) -> Program {
    let mut random = Rng::with_seed(seed);
    let mut code: Vec<Vec<Operation>> = (0..=4).map(|_| Vec::new()).collect();
    for thread in &mut code[1..] {
        let themes = [Theme::Updates, Theme::Updates, Theme::Memory, Theme::Shares];
        for _ in 0..random.usize(1..=2) {
            some(&mut random, &themes, thread);
        }
    }
    for round in [[1, 2], [3, 4]] {
        if random.bool() {
            some(&mut random, &[Theme::Updates, Theme::Memory], &mut code[0]);
        }
        code[0].extend(round.map(Operation::Create));
        code[0].extend(round.map(Operation::Join));
    }
    Program { threads: code, likeness: Likeness::Different }
}

fn about(seed: u64, theme: Theme) -> Program {
    let mut random = Rng::with_seed(seed);
    let mut themes = vec![theme];
    themes.extend((0..random.usize(1..=2)).map(|_| THEMES[random.usize(..THEMES.len())]));
    let count = random.usize(2..=3);
    let mut code: Vec<Vec<Operation>> = (0..=count).map(|_| Vec::new()).collect();
    let mut left = MOST_OPERATIONS;
    for thread in &mut code[1..] {
        let length = random.usize(1..=if count == 2 { 4 } else { 3 }).min(left);
        left -= length;
        while thread.len() < length {
            some(&mut random, &themes, thread);
        }
    }
    // The last thread may be another one's child, and the one before it, too.
    let has_children = themes.contains(&Theme::Children) && count == 3;
    let own = if has_children { count - random.usize(1..=2) } else { count };
    for child in own + 1..=count {
        let parent = random.usize(1..child);
        let at = random.usize(..=code[parent].len());
        code[parent].insert(at, Operation::Create(child));
        let after = random.usize(at + 1..=code[parent].len());
        match random.u8(..6) {
            0 => {}
            1 => code[parent].insert(after, Operation::Detach(child)),
            _ => code[parent].insert(after, Operation::Join(child)),
        }
    }
    code[0].extend((1..=own).map(Operation::Create));
    if random.u8(..4) == 0 {
        some(&mut random, &themes, &mut code[0]);
    }
    let forgets = random.u8(..12) == 0;
    code[0].extend((1..=own).skip(usize::from(forgets)).map(Operation::Join));
    Program { threads: code, likeness: Likeness::Different }
}

/// The program of a seed in which `main` creates identical threads.
pub fn alike(seed: u64) -> Program {
    let mut random = Rng::with_seed(seed);
    let mut themes = vec![Theme::Memory];
    themes.extend((0..random.usize(1..=2)).map(|_| THEMES[random.usize(..THEMES.len())]));
    let count = random.usize(2..=4);
    let length = random.usize(1..=MOST_OPERATIONS / count);
    let mut code = Vec::new();
    while code.len() < length {
        some(&mut random, &themes, &mut code);
    }
    let mut main: Vec<Operation> = (1..=count).map(Operation::Create).collect();
    main.extend((1..=count).map(Operation::Join));
    if random.u8(..3) == 0 {
        let mut more = Vec::new();
        some(&mut random, &themes, &mut more);
        let at = random.usize(..=main.len());
        main.splice(at..at, more);
    }
    if random.u8(..12) == 0 {
        main.pop();
    }
    let likeness = if random.u8(..6) == 0 { Likeness::Returning } else { Likeness::Alike };
    Program { threads: std::iter::once(main).chain((0..count).map(|_| code.clone())).collect(), likeness }
}

fn one_of<T: Clone>(random: &mut Rng, items: &[T]) -> T {
    items[random.usize(..items.len())].clone()
}

/// Adds one operation or a few that belong together.
fn some(random: &mut Rng, themes: &[Theme], code: &mut Vec<Operation>) {
    use Ordering::{Acquire, AcquireRelease, Monotonic, NotAtomic, Release, SequentiallyConsistent};
    let variable = Object(VARIABLE, random.u8(..2));
    match random.u8(..16) {
        0 if !code.is_empty() => return code.push(Operation::FailIf(random.u8(..3))),
        1 | 2 if !code.is_empty() => code.push(Operation::SkipUnless(random.u8(..2))),
        _ => {}
    }
    match one_of(random, themes) {
        Theme::Memory | Theme::Children => match random.u8(..12) {
            0..5 => {
                let ordering = one_of(random, &[NotAtomic, Monotonic, Acquire, SequentiallyConsistent]);
                code.push(Operation::Load(variable, ordering));
            }
            5..10 => {
                let ordering = one_of(random, &[NotAtomic, Monotonic, Release, SequentiallyConsistent]);
                let value = (random.u8(..4) > 0).then(|| random.u8(1..3));
                code.push(Operation::Store(variable, ordering, value));
            }
            10 => code.push(Operation::Fence(one_of(random, &[Release, SequentiallyConsistent]))),
            _ => updates(random, variable, code),
        },
        Theme::Parts => {
            let part = one_of(random, &PARTS);
            code.push(if random.bool() {
                let ordering = one_of(random, &[NotAtomic, Monotonic, Acquire, SequentiallyConsistent]);
                Operation::LoadPart(variable, part, ordering)
            } else {
                let ordering = one_of(random, &[NotAtomic, Monotonic, Release, SequentiallyConsistent]);
                Operation::StorePart(variable, part, ordering, random.u8(1..3))
            });
        }
        Theme::Updates => updates(random, variable, code),
        Theme::Mutexes => {
            let mutex = Object(MUTEX, random.u8(..2));
            match random.u8(..8) {
                0 => code.push(Operation::Call("pthread_mutex_unlock", vec![mutex])),
                1 | 2 => {
                    code.push(Operation::Call("pthread_mutex_trylock", vec![mutex]));
                    if random.u8(..4) > 0 {
                        code.push(Operation::SkipUnless(0));
                        code.push(Operation::Call("pthread_mutex_unlock", vec![mutex]));
                    }
                }
                _ => around(random, code, "pthread_mutex_lock", "pthread_mutex_unlock", mutex),
            }
        }
        Theme::ReadWriteLocks => {
            let lock = Object(READ_WRITE_LOCK, 0);
            let unlock = "pthread_rwlock_unlock";
            match random.u8(..8) {
                0..3 => around(random, code, "pthread_rwlock_rdlock", unlock, lock),
                3..6 => around(random, code, "pthread_rwlock_wrlock", unlock, lock),
                which => {
                    let tries = ["pthread_rwlock_tryrdlock", "pthread_rwlock_trywrlock"];
                    code.push(Operation::Call(tries[usize::from(which) - 6], vec![lock]));
                    code.push(Operation::SkipUnless(0));
                    code.push(Operation::Call(unlock, vec![lock]));
                }
            }
        }
        Theme::Conditions => {
            let (mutex, condition) = (Object(MUTEX, 0), Object(CONDITION, 0));
            let wakes = one_of(random, &["pthread_cond_signal", "pthread_cond_broadcast"]);
            match random.u8(..6) {
                0 => code.push(Operation::Call(wakes, vec![condition])),
                which => {
                    code.push(Operation::Call("pthread_mutex_lock", vec![mutex]));
                    if which < 4 {
                        if random.bool() {
                            code.push(Operation::Load(variable, NotAtomic));
                            code.push(Operation::SkipUnless(0));
                        }
                        code.push(Operation::Call("pthread_cond_wait", vec![condition, mutex]));
                    } else {
                        code.push(Operation::Store(variable, NotAtomic, Some(1)));
                        code.push(Operation::Call(wakes, vec![condition]));
                    }
                    code.push(Operation::Call("pthread_mutex_unlock", vec![mutex]));
                }
            }
        }
        Theme::Semaphores => {
            let semaphore = Object(SEMAPHORE, random.u8(..2));
            match random.u8(..16) {
                0 => code.push(Operation::Call("sem_destroy", vec![semaphore])),
                1 => code.push(Operation::Value(semaphore)),
                2..6 => code.push(Operation::Call("sem_trywait", vec![semaphore])),
                6..10 => code.push(Operation::Call("sem_wait", vec![semaphore])),
                _ => code.push(Operation::Call("sem_post", vec![semaphore])),
            }
        }
        Theme::Barriers => {
            code.push(Operation::Call("pthread_barrier_wait", vec![Object(BARRIER, random.u8(2..4))]));
        }
        Theme::Once => code.push(Operation::Call("pthread_once", vec![Object(ONCE, 0)])),
        Theme::Output => match random.u8(..5) {
            0 => code.push(Operation::Exit(random.u8(..2))),
            _ => code.push(Operation::Print(one_of(random, &['a', 'b']))),
        },
        Theme::Sections => {
            code.push(Operation::Call(BEGIN_SECTION, Vec::new()));
            for _ in 0..random.usize(1..=2) {
                let it = Object(VARIABLE, random.u8(..2));
                match random.u8(..4) {
                    0 => updates(random, it, code),
                    1 => code.push(Operation::Load(it, NotAtomic)),
                    _ => code.push(Operation::Store(it, NotAtomic, None)),
                }
            }
            if random.u8(..8) > 0 {
                code.push(Operation::Call(END_SECTION, Vec::new()));
            }
        }
        Theme::Futexes => {
            let it = Object(VARIABLE, u8::from(random.u8(..4) == 0));
            code.push(match random.u8(..9) {
                0..3 => Operation::Wake(it, one_of(random, &[1, 1, 9])),
                3..6 => Operation::Sleep(it, random.u8(..2), Patience::ForEver),
                6 => Operation::Sleep(it, random.u8(..2), Patience::UntilTimeIsUp),
                _ => Operation::Store(it, SequentiallyConsistent, Some(random.u8(..2))),
            });
        }
        Theme::Looks => match random.u8(..6) {
            0..3 => {
                let ordering = one_of(random, &[Monotonic, Acquire, SequentiallyConsistent]);
                looks(random, variable, ordering, code);
            }
            3 => updates(random, variable, code),
            _ => {
                let ordering = one_of(random, &[Monotonic, Release, SequentiallyConsistent]);
                code.push(Operation::Store(variable, ordering, Some(random.u8(..3))));
            }
        },
        Theme::Shares => {
            let count = Object(VARIABLE, u8::from(random.u8(..16) == 0));
            let question = Question(one_of(random, &PREDICATES), random.i8(-1..=3));
            let update = match random.u8(..6) {
                0 => Update::AddUnseen(random.u8(1..3)),
                _ => Update::AddAsked(one_of(random, &[-2, -1, -1, -1, 1, 1, 0]), question),
            };
            code.push(Operation::Update(count, one_of(random, &[Release, AcquireRelease]), update));
            if random.u8(..4) == 0 {
                let other = Object(VARIABLE, 1);
                code.push(Operation::SkipUnless(1));
                code.push(match random.bool() {
                    true => Operation::Store(other, NotAtomic, Some(random.u8(1..3))),
                    false => Operation::Load(other, Acquire),
                });
            }
        }
        Theme::Awaits => {
            let ordering = one_of(random, &[Monotonic, Acquire, AcquireRelease, SequentiallyConsistent]);
            match random.u8(..13) {
                0 => code.push(Operation::Seize(variable, ordering)),
                10.. => looks(random, variable, reading(ordering), code),
                7 => code.push(Operation::Claim(variable, ordering)),
                8 => {
                    let other = Object(VARIABLE, 1 - variable.1);
                    code.push(Operation::Confirm(variable, other, reading(ordering)));
                }
                1 | 2 => code.push(Operation::Retry(variable, ordering, random.u8(1..3))),
                3 => code.push(Operation::Call("sched_yield", Vec::new())),
                _ => {
                    code.push(Operation::Await(variable, reading(ordering), random.u8(..2)));
                }
            }
        }
    }
}

/// An ordering that loads can have.
fn reading(ordering: Ordering) -> Ordering {
    if ordering == Ordering::AcquireRelease { Ordering::Acquire } else { ordering }
}

fn looks(random: &mut Rng, variable: Object, ordering: Ordering, code: &mut Vec<Operation>) {
    let looks = Looks {
        until: random.u8(..3),
        rounds: random.u8(2..=3),
        are_counted: random.u8(..4) == 0,
        skips_first: random.u8(..4) == 0,
        add_up: random.u8(..4) == 0,
        at_both: random.u8(..4) == 0,
    };
    code.push(Operation::Look(variable, ordering, looks));
}

fn updates(random: &mut Rng, variable: Object, code: &mut Vec<Operation>) {
    use Ordering::{Acquire, AcquireRelease, Monotonic, Release, SequentiallyConsistent};
    let ordering = one_of(random, &[Monotonic, Acquire, Release, AcquireRelease, SequentiallyConsistent]);
    let update = match random.u8(..8) {
        0 | 1 => Update::Add(random.u8(..2)),
        2 => Update::Exchange(random.u8(..3)),
        3 | 4 => Update::AddUnseen(random.u8(1..3)),
        _ => Update::CompareExchange(random.u8(..2), random.u8(..3)),
    };
    code.push(Operation::Update(variable, ordering, update));
}

/// A lock acquired, something done, and the lock released.
fn around(random: &mut Rng, code: &mut Vec<Operation>, lock: &'static str, unlock: &'static str, it: Object) {
    code.push(Operation::Call(lock, vec![it]));
    if random.bool() {
        code.push(Operation::Load(Object(VARIABLE, random.u8(..2)), Ordering::NotAtomic));
    }
    if random.bool() {
        code.push(Operation::Store(Object(VARIABLE, random.u8(..2)), Ordering::NotAtomic, None));
    }
    if random.u8(..8) > 0 {
        code.push(Operation::Call(unlock, vec![it]));
    }
}

impl Program {
    /// Whether a thread waits in a loop.
    pub fn spins(&self) -> bool {
        let spins = |operation: &Operation| {
            use Operation::{Await, Claim, Confirm, Retry, Seize};
            matches!(operation, Await(..) | Seize(..) | Retry(..) | Confirm(..) | Claim(..))
        };
        self.threads.iter().flatten().any(spins)
    }

    /// All objects it touches, each once.
    pub fn objects(&self) -> Vec<Object> {
        let mut all: Vec<Object> = vec![Object(VARIABLE, 0), Object(VARIABLE, 1)];
        for operation in self.threads.iter().flatten() {
            match operation {
                Operation::Call(_, objects) => all.extend(objects),
                Operation::Value(object)
                | Operation::Load(object, _)
                | Operation::Store(object, ..)
                | Operation::Update(object, ..)
                | Operation::Look(object, ..)
                | Operation::Await(object, ..) => all.push(*object),
                _ => {}
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The smallest program this finds that still `fails`, which this one does.
    pub fn shrunk(&self, mut fails: impl FnMut(&Program) -> bool) -> Program {
        let mut smallest = self.clone();
        loop {
            let smaller = smallest.simpler().find(&mut fails);
            let Some(smaller) = smaller else { return smallest };
            smallest = smaller;
        }
    }

    /// Programs with one operation less, or a plainer one.
    fn simpler(&self) -> impl Iterator<Item = Program> {
        let places = self.threads.iter().enumerate();
        let places: Vec<(usize, usize)> =
            places.flat_map(|(thread, code)| (0..code.len()).map(move |at| (thread, at))).collect();
        let less = places.clone().into_iter().map(|(thread, at)| {
            let mut smaller = self.clone();
            smaller.threads[thread].remove(at);
            smaller.make_alike(thread);
            smaller
        });
        let plainer = places.into_iter().filter_map(|(thread, at)| {
            let mut plainer = self.clone();
            let operation = &mut plainer.threads[thread][at];
            match operation {
                Operation::Load(_, ordering) | Operation::Store(_, ordering, _)
                    if *ordering != Ordering::NotAtomic =>
                {
                    *ordering = Ordering::NotAtomic;
                }
                Operation::Look(.., looks) if looks.at_both => looks.at_both = false,
                Operation::Look(.., looks) if looks.add_up => looks.add_up = false,
                Operation::Look(.., looks) if looks.are_counted => looks.are_counted = false,
                Operation::Look(.., looks) if looks.skips_first => looks.skips_first = false,
                Operation::Look(.., looks) if looks.rounds > 2 => looks.rounds = 2,
                Operation::Store(.., value @ None) => *value = Some(1),
                Operation::Sleep(.., patience @ Patience::UntilTimeIsUp) => *patience = Patience::ForEver,
                Operation::Call("pthread_cond_broadcast", objects) => {
                    *operation = Operation::Call("pthread_cond_signal", objects.clone());
                }
                _ => return None,
            }
            plainer.make_alike(thread);
            Some(plainer)
        });
        less.chain(plainer)
    }

    /// All threads of one that is like others do what it does.
    fn make_alike(&mut self, thread: usize) {
        if self.likeness != Likeness::Different && thread > 0 {
            let code = self.threads[thread].clone();
            self.threads[1..].fill(code);
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:?}", self.likeness)?;
        for (number, code) in self.threads.iter().enumerate() {
            writeln!(out, "thread {number}:")?;
            for (at, operation) in code.iter().enumerate() {
                writeln!(out, "  {}: {operation:?}", at + 1)?;
            }
        }
        Ok(())
    }
}
