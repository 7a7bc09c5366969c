//! Small programs of several threads around the objects of POSIX and C11, as data.
//!
//! "The result" is that of a thread's last operation that has one. A thread returns what it has seen, and the
//! program writes what `main` has seen and was returned.

use crate::calls::{Call, Kind};
use std::fmt;

/// A program: `main`, then the threads that it and others create.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub threads: Vec<Vec<Operation>>,
    pub objects: Vec<Kind>,
    /// Whether all threads but `main` have the code of the first of them.
    pub alike: bool,
    /// The handler that `main` installs, if it does.
    pub handler: Option<Handler>,
}

/// A handler of a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handler {
    /// Whether calls are restarted after it.
    pub restarts: bool,
    /// The number of the semaphore that it posts, if it does: a call that it interrupts may wait for that.
    pub posts: Option<usize>,
}

/// How an access is ordered; `None` is a plain one.
pub type Ordering = Option<Order>;

/// C11's orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

/// The value that a store writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stored {
    Constant(u8),
    /// The result and one.
    Next,
}

/// An atomic update.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Update {
    Add(u8),
    Exchange(u8),
    CompareExchange(u8, u8),
}

/// An operation of one thread on another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ToThread {
    Create,
    CreateDetached,
    Join,
    TryJoin,
    TimedJoin,
    Detach,
    Cancel,
    Kill,
}

/// An operation of a thread on itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Own {
    TestCancel,
    DisableCancel,
    EnableCancel,
    CancelAtOnce,
    CancelLater,
    Yield,
    Exit,
    BlockSignal,
    UnblockSignal,
    WaitForSignal,
}

/// An operation of a thread.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    Load(u8, Ordering),
    Store(u8, Ordering, Stored),
    Update(u8, Order, Update),
    Fence(Order),
    /// A call with these objects.
    Call(&'static Call, Vec<usize>),
    Thread(ToThread, usize),
    Own(Own),
    /// An unknown number below this one becomes the result.
    Input(u8),
    /// The program fails if this is the result.
    FailIf(i32),
    /// Its body is executed if this is the result.
    If(i32, Vec<Operation>),
    /// Its body is executed this often.
    Repeat(u8, Vec<Operation>),
    /// The second is executed; if the thread is cancelled or exits in it, so is the first.
    CleanUp(Vec<Operation>, Vec<Operation>),
    /// Writes a letter to standard output.
    Print(char),
}

/// How many variables there are.
pub const VARIABLES: u8 = 3;

impl Operation {
    /// The operations in it.
    pub fn inner(&self) -> Vec<&Operation> {
        match self {
            Self::If(_, inner) | Self::Repeat(_, inner) => inner.iter().collect(),
            Self::CleanUp(first, second) => first.iter().chain(second).collect(),
            _ => Vec::new(),
        }
    }

    /// It and all in it.
    pub fn all(&self) -> Vec<&Operation> {
        let inner = self.inner();
        std::iter::once(self).chain(inner.into_iter().flat_map(Operation::all)).collect()
    }

    /// Plainer operations in its place.
    fn simpler(&self) -> Vec<Vec<Operation>> {
        let mut ways = vec![Vec::new()];
        match self {
            Self::Load(variable, Some(_)) => ways.push(vec![Self::Load(*variable, None)]),
            Self::Store(variable, Some(_), stored) => {
                ways.push(vec![Self::Store(*variable, None, *stored)]);
            }
            Self::If(value, inner) => {
                ways.push(inner.clone());
                ways.extend(lists(inner).into_iter().map(|inner| vec![Self::If(*value, inner)]));
            }
            Self::Repeat(rounds, inner) => {
                ways.push(inner.clone());
                ways.extend(lists(inner).into_iter().map(|inner| vec![Self::Repeat(*rounds, inner)]));
            }
            Self::CleanUp(first, second) => {
                ways.push(second.clone());
                let firsts = lists(first).into_iter();
                ways.extend(firsts.map(|first| vec![Self::CleanUp(first, second.clone())]));
                let seconds = lists(second).into_iter();
                ways.extend(seconds.map(|second| vec![Self::CleanUp(first.clone(), second)]));
            }
            _ => {}
        }
        ways
    }
}

/// The list with one operation less, or a plainer one.
fn lists(code: &[Operation]) -> Vec<Vec<Operation>> {
    let replaced = |at: usize, by: Vec<Operation>| {
        let mut shorter = code.to_vec();
        shorter.splice(at..=at, by);
        shorter
    };
    code.iter()
        .enumerate()
        .flat_map(|(at, operation)| operation.simpler().into_iter().map(move |by| (at, by)))
        .map(|(at, by)| replaced(at, by))
        .collect()
}

impl Program {
    /// All its operations.
    pub fn all(&self) -> Vec<&Operation> {
        self.threads.iter().flatten().flat_map(Operation::all).collect()
    }

    /// Whether any of its operations is such.
    pub fn has(&self, is_such: impl Fn(&Operation) -> bool) -> bool {
        self.all().into_iter().any(is_such)
    }

    /// The smallest program found that still `fails`, which this one does.
    pub fn shrunk(&self, mut fails: impl FnMut(&Program) -> bool) -> Program {
        let mut smallest = self.clone();
        while let Some(smaller) = smallest.simpler().into_iter().find(|program| fails(program)) {
            smallest = smaller;
        }
        smallest
    }

    fn simpler(&self) -> Vec<Program> {
        let mut ways = Vec::new();
        for thread in 0..self.threads.len() {
            if self.alike && thread > 1 {
                break;
            }
            for code in lists(&self.threads[thread]) {
                let mut smaller = self.clone();
                match self.alike && thread == 1 {
                    true => smaller.threads[1..].fill(code),
                    false => smaller.threads[thread] = code,
                }
                if smaller.is_sound() {
                    ways.push(smaller);
                }
            }
        }
        ways
    }

    /// Whether each thread that is used was created by the one that uses it, or before that was.
    fn is_sound(&self) -> bool {
        let created = |by: &Vec<Operation>, which: usize| {
            let is_it = |operation: &&Operation| matches!(operation, Operation::Thread(ToThread::Create | ToThread::CreateDetached, thread) if *thread == which);
            by.iter().flat_map(Operation::all).any(|operation| is_it(&operation))
        };
        self.all().into_iter().all(|operation| match operation {
            Operation::Thread(ToThread::Create | ToThread::CreateDetached, _) => true,
            Operation::Thread(_, which) => {
                *which == 0 || self.threads.iter().any(|code| created(code, *which))
            }
            _ => true,
        })
    }
}

impl fmt::Display for Program {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "objects {:?}, alike {}, handler {:?}", self.objects, self.alike, self.handler)?;
        for (number, code) in self.threads.iter().enumerate() {
            writeln!(out, "thread {number}:")?;
            for operation in code {
                writeln!(out, "  {operation:?}")?;
            }
        }
        Ok(())
    }
}
