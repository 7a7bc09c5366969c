//! The answer of each call in each state, from the standard: the tables in `rows/`.

use crate::calls::Kind;

/// A row: in these states, these calls of objects of these kinds answer this.
struct Row {
    kinds: Vec<&'static str>,
    before: Vec<&'static str>,
    calls: Vec<&'static str>,
    result: Answer,
    after: &'static str,
}

/// The answer of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// This number.
    Number(i32),
    /// Nothing yet: the thread waits until another row fits.
    Waits,
    /// Nothing is said of it.
    Undefined,
    /// The thread sleeps at a condition variable.
    Sleeps,
    /// It waits for the others at a barrier.
    Gathers,
    /// It runs the routine of a once control.
    Runs,
}

/// All rows.
pub struct Rows(Vec<Row>);

const ERRORS: [(&str, i32); 11] = [
    ("EPERM", 1),
    ("ESRCH", 3),
    ("EINTR", 4),
    ("EAGAIN", 11),
    ("EBUSY", 16),
    ("EINVAL", 22),
    ("EDEADLK", 35),
    ("EOVERFLOW", 75),
    ("ETIMEDOUT", 110),
    ("EOWNERDEAD", 130),
    ("ENOTRECOVERABLE", 131),
];

impl Rows {
    /// Reads the tables.
    pub fn read() -> Self {
        let texts = [
            include_str!("rows/mutex.txt"),
            include_str!("rows/condition.txt"),
            include_str!("rows/others.txt"),
        ];
        let lines = texts.into_iter().flat_map(str::lines);
        let words = lines.map(|line| line.split('#').next().unwrap_or_default().split_whitespace().collect());
        Self(words.filter(|words: &Vec<&str>| !words.is_empty()).map(|words| row(&words)).collect())
    }

    /// The answer of `call` of an object of this kind in this state, and the state after. Exactly one row
    /// must say so.
    pub fn answer(&self, kind: &str, before: &str, call: &str) -> (Answer, &'static str) {
        let has = |list: &[&str], word: &str| list.iter().any(|one| *one == word || *one == "any");
        let is_of_mutexes = MUTEXES.contains(&kind);
        let fits = |row: &&Row| {
            (has(&row.kinds, kind) && (is_of_mutexes || !row.kinds.contains(&"any")))
                && has(&row.before, before)
                && row.calls.contains(&call)
        };
        let mut rows = self.0.iter().filter(fits);
        match (rows.next(), rows.next()) {
            (Some(row), None) => (row.result, row.after),
            (None, _) => panic!("no row: {kind} {before} {call}"),
            (Some(_), Some(_)) => panic!("two rows: {kind} {before} {call}"),
        }
    }
}

const MUTEXES: [&str; 7] =
    ["normal", "recursive", "checking", "robust", "robust-checking", "standard", "standard-recursive"];

fn row(words: &[&'static str]) -> Row {
    let list = |at: usize| words[at].split(',').collect();
    let result = match words[3] {
        "waits" => Answer::Waits,
        "undefined" => Answer::Undefined,
        "sleeps" => Answer::Sleeps,
        "gathers" => Answer::Gathers,
        "runs" => Answer::Runs,
        word => match ERRORS.iter().find(|(name, _)| *name == word) {
            Some((_, number)) => Answer::Number(*number),
            None => Answer::Number(word.parse().unwrap_or_else(|_| panic!("a result: {words:?}"))),
        },
    };
    Row { kinds: list(0), before: list(1), calls: list(2), result, after: words.get(4).unwrap_or(&"same") }
}

/// The name of a kind of object in the tables.
pub fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::NormalMutex => "normal",
        Kind::RecursiveMutex => "recursive",
        Kind::CheckingMutex => "checking",
        Kind::RobustMutex => "robust",
        Kind::RobustCheckingMutex => "robust-checking",
        Kind::StandardMutex => "standard",
        Kind::StandardRecursiveMutex => "standard-recursive",
        Kind::Condition | Kind::StandardCondition => "condition",
        Kind::ReadWriteLock => "rwlock",
        Kind::SpinLock => "spin",
        Kind::Barrier(_) => "barrier",
        Kind::Semaphore(_) => "semaphore",
        Kind::Once => "once",
        Kind::Key => "key",
    }
}
