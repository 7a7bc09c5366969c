//! Objects of the reference, and how the rows' words name their states.

use crate::calls::Kind;

/// An object's state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Object {
    Mutex {
        owner: Option<usize>,
        depth: u8,
        health: Health,
    },
    Condition {
        sleepers: Vec<usize>,
    },
    ReadWriteLock {
        writer: Option<usize>,
        readers: Vec<usize>,
    },
    SpinLock {
        owner: Option<usize>,
    },
    Barrier {
        count: u8,
        arrived: u8,
        round: u8,
    },
    Semaphore {
        value: u8,
    },
    Once {
        running: bool,
        done: bool,
    },
    /// The threads that have set it.
    Key {
        set: Vec<usize>,
    },
}

/// The state of the data that a robust mutex protects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Health {
    Sound,
    Abandoned,
    Lost,
}

impl Object {
    /// An object as it is at first.
    pub fn new(kind: Kind) -> Self {
        match kind {
            Kind::Condition | Kind::StandardCondition => Self::Condition { sleepers: Vec::new() },
            Kind::ReadWriteLock => Self::ReadWriteLock { writer: None, readers: Vec::new() },
            Kind::SpinLock => Self::SpinLock { owner: None },
            Kind::Barrier(count) => Self::Barrier { count, arrived: 0, round: 0 },
            Kind::Semaphore(value) => Self::Semaphore { value },
            Kind::Once => Self::Once { running: false, done: false },
            Kind::Key => Self::Key { set: Vec::new() },
            _ => Self::Mutex { owner: None, depth: 0, health: Health::Sound },
        }
    }

    /// The rows' word for its state, as this thread sees it.
    pub fn word(&self, me: usize) -> &'static str {
        match self {
            Self::Mutex { health: Health::Lost, .. } => "lost",
            Self::Mutex { owner: None, health: Health::Abandoned, .. } => "dead",
            Self::Mutex { owner: None, .. } => "free",
            Self::Mutex { owner: Some(owner), .. } if *owner != me => "theirs",
            Self::Mutex { health: Health::Abandoned, .. } => "dead-mine",
            Self::Mutex { depth: 1, .. } => "mine",
            Self::Mutex { .. } => "mine+",
            Self::Condition { .. } => "any",
            Self::ReadWriteLock { writer: Some(writer), .. } => {
                if *writer == me {
                    "write-mine"
                } else {
                    "write-theirs"
                }
            }
            Self::ReadWriteLock { readers, .. } if readers.is_empty() => "free",
            Self::ReadWriteLock { readers, .. } => {
                if readers.contains(&me) {
                    "read-mine"
                } else {
                    "read"
                }
            }
            Self::SpinLock { owner: None } => "free",
            Self::SpinLock { owner: Some(owner) } => {
                if *owner == me {
                    "mine"
                } else {
                    "theirs"
                }
            }
            Self::Barrier { count, arrived, .. } => {
                if arrived + 1 == *count {
                    "last"
                } else {
                    "early"
                }
            }
            Self::Semaphore { value: 0 } => "zero",
            Self::Semaphore { .. } => "some",
            Self::Once { running: true, .. } => "running",
            Self::Once { done: true, .. } => "done",
            Self::Once { .. } => "fresh",
            Self::Key { set } => {
                if set.contains(&me) {
                    "set"
                } else {
                    "null"
                }
            }
        }
    }

    /// Goes on to the state that a row names.
    pub fn become_word(&mut self, me: usize, word: &str) {
        match (self, word) {
            (_, "same") => {}
            (Self::Mutex { owner, depth, health }, word) => match word {
                "mine" => (*owner, *depth, *health) = (Some(me), 1, Health::Sound),
                "mine+" => *depth += 1,
                "less" => *depth -= 1,
                "free" => (*owner, *depth) = (None, 0),
                "dead" => (*owner, *depth, *health) = (None, 0, Health::Abandoned),
                "dead-mine" => (*owner, *depth) = (Some(me), 1),
                "lost" => (*owner, *depth, *health) = (None, 0, Health::Lost),
                _ => panic!("a mutex that is {word}"),
            },
            (Self::ReadWriteLock { writer, readers }, word) => match word {
                "reader" => {
                    readers.push(me);
                    readers.sort_unstable();
                }
                "no-reader" => {
                    let at = readers.iter().position(|reader| *reader == me).expect("a reader");
                    readers.remove(at);
                }
                "write-mine" => *writer = Some(me),
                "free" => *writer = None,
                _ => panic!("a read-write lock that is {word}"),
            },
            (Self::SpinLock { owner }, "mine") => *owner = Some(me),
            (Self::SpinLock { owner }, "free") => *owner = None,
            (Self::Barrier { arrived, .. }, "more") => *arrived += 1,
            (Self::Barrier { arrived, round, .. }, "opens") => (*arrived, *round) = (0, *round + 1),
            (Self::Semaphore { value }, "more") => *value += 1,
            (Self::Semaphore { value }, "less") => *value -= 1,
            (Self::Once { running, .. }, "running") => *running = true,
            (Self::Key { set }, "set") => {
                set.push(me);
                set.sort_unstable();
                set.dedup();
            }
            (object, word) => panic!("{object:?} that is {word}"),
        }
    }
}
