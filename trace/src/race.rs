//! Data races as data, and all that an engine that judges them sees of execution.

use crate::IncompleteReason;
use crate::agent::ThreadName;
use crate::failure::{Failure, Location, StackFrame};
use crate::input::{InputOrigin, InputType};
use crate::schedule::Decision;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use symx_expr::Term;
use symx_ir::SourceName;

/// Two accesses that conflict, of which one is not atomic, and that nothing orders.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Race {
    /// The object accessed, for people. With its places it tells the race from others.
    pub object: SourceName,
    /// The part of it that both access, as explanations call it: `queue.count`. Of several, the one seen
    /// first.
    pub part: SourceName,
    /// How many bytes both access.
    pub size: u64,
    /// The accesses; the one made first where the race was seen comes first.
    pub accesses: [RaceAccess; 2],
}

/// One of the accesses of a race.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RaceAccess {
    /// The thread.
    pub thread: ThreadName,
    /// Its name for people.
    #[serde(default)]
    pub title: String,
    /// Whether it writes.
    pub writes: bool,
    /// Whether it is atomic.
    pub atomic: bool,
    /// Whether it is no access but the end of the variable's life, as after a write.
    #[serde(default)]
    pub ends: bool,
    /// Where.
    pub location: Location,
    /// How it got there, innermost first.
    pub stack: Vec<StackFrame>,
    /// The locks it held.
    pub locks: Vec<String>,
}

impl RaceAccess {
    /// `read`, `atomic write` and so on.
    pub fn what(&self) -> &'static str {
        match (self.writes, self.atomic) {
            _ if self.ends => "end of life",
            (false, false) => "read",
            (true, false) => "write",
            (false, true) => "atomic read",
            (true, true) => "atomic write",
        }
    }
}

impl Race {
    /// Whether two races are one bug to fix: the same two places access the same object.
    pub fn is_same(&self, other: &Race) -> bool {
        let places = |race: &Race| {
            let [first, second] = &race.accesses;
            let mut places =
                [(first.location.clone(), first.writes), (second.location.clone(), second.writes)];
            places.sort_by(|left, right| key(left).cmp(&key(right)));
            places
        };
        fn key(place: &(Location, bool)) -> (&str, u32, u32, bool) {
            (&place.0.file, place.0.line, place.0.column, place.1)
        }
        self.object == other.object && places(self) == places(other)
    }
}

/// The consequences of a race (Kasikci, thesis 2015, section 5.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RaceClass {
    /// One order of the accesses leads to a failure that the other does not lead to.
    SpecViolated,
    /// The program's output, or its exit status, depends on the order.
    OutputDiffers,
    /// Both orders were seen to have the same results in at least k pairs of path and schedule.
    KWitnessHarmless,
    /// Only one order is possible: something that is no synchronisation keeps it.
    SingleOrdering,
}

impl RaceClass {
    /// The contract's word.
    pub fn name(self) -> &'static str {
        match self {
            Self::SpecViolated => "spec-violated",
            Self::OutputDiffers => "output-differs",
            Self::KWitnessHarmless => "k-witness-harmless",
            Self::SingleOrdering => "single-ordering",
        }
    }

    /// Whether it makes a report an error.
    pub fn is_harmful(self) -> bool {
        matches!(self, Self::SpecViolated | Self::OutputDiffers)
    }
}

/// The order of a race's accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessOrder {
    /// As the race was seen (the thesis's primary).
    Seen,
    /// The other (the passing execution).
    Reversed,
}

/// How executions go on after the accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Continuation {
    /// In every way, as far as the engine that runs them is willing.
    Every,
    /// In one way: threads take turns.
    Turns,
    /// In one way: at random.
    Random(u64),
}

/// Whether both accesses of a race can be next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SideBySide {
    /// They are.
    Reached,
    /// They are, in a state that another way led to already.
    Known,
    /// One is never reached as long as the other is not made.
    Impossible,
    /// It could not be determined.
    Unknown(String),
}

/// Bytes that were written, and the terms of those that depend on inputs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Written {
    /// The bytes; 0 where they are symbolic.
    pub bytes: Vec<u8>,
    /// The symbolic ones, ascending by position.
    pub symbolic: Vec<(u64, Term)>,
}

/// How executions ended, for all inputs that satisfy a path condition.
#[derive(Clone, PartialEq, Debug)]
pub struct Ending {
    /// The path condition.
    pub path: Vec<Term>,
    /// Their result.
    pub result: EndResult,
    /// The decisions that lead there from program start.
    pub decisions: Vec<Decision>,
    /// Names of the threads, by the numbers the decisions use.
    pub threads: Vec<ThreadName>,
    /// The symbolic inputs, without values.
    pub inputs: Vec<Unknown>,
}

/// A symbolic input without a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// Its bytes, lowest address first.
    pub bytes: Arc<[Term]>,
    /// Where it enters.
    pub origin: InputOrigin,
    /// Its declared type, if that is known.
    pub declared: Option<InputType>,
}

/// The result of an execution.
#[derive(Clone, PartialEq, Debug)]
pub enum EndResult {
    /// It exits.
    Exit {
        /// With this status.
        status: u8,
        /// Its standard output.
        output: Written,
        /// Its standard error.
        errors: Written,
        /// The files it leaves written or gone, by path, ascending; nothing for one that is gone.
        files: Vec<(String, Option<Written>)>,
    },
    /// It fails.
    Failed(Failure),
}

/// The executions seen.
#[derive(Clone, Debug, Default)]
pub struct Executions {
    /// Their ends, each once.
    pub endings: Vec<Ending>,
    /// Why these are not all, if they are not.
    pub cut: Option<String>,
}

/// The executions of one race.
pub trait RaceOrders {
    /// In how many executions the race was seen, those first that are most likely to show harm.
    fn witnesses(&self) -> usize;

    /// How many ways there are to bring the accesses of a witness side by side.
    fn ways(&self) -> usize;

    /// Follows a witness to where both accesses are next, in one of the [ways](Self::ways). It goes up to the
    /// first, which is then held back until the second thread has come to its access (algorithm 2).
    fn side_by_side(&mut self, witness: usize, way: usize) -> SideBySide;

    /// Makes the accesses in this order, one right after the other, where
    /// [`side_by_side`](Self::side_by_side) led to, and goes on from there.
    fn executions(&mut self, order: AccessOrder, how: Continuation) -> Executions;

    /// Why no more executions may be run: answers since this was last `None` may be incomplete.
    fn ended(&mut self) -> Option<IncompleteReason>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(line: u32, writes: bool) -> RaceAccess {
        RaceAccess {
            thread: ThreadName::main(),
            title: "T0 main".into(),
            writes,
            atomic: false,
            ends: false,
            location: Location { file: "a.c".into(), line, column: 1, function: "f".into() },
            stack: Vec::new(),
            locks: Vec::new(),
        }
    }

    #[test]
    fn a_race_is_the_same_in_either_order() {
        let race = |part: &str, accesses| {
            let object = part.split('.').next().unwrap_or_default().into();
            Race { object, part: part.into(), size: 4, accesses }
        };
        let one = race("x", [access(1, true), access(2, false)]);
        assert!(one.is_same(&race("x", [access(2, false), access(1, true)])));
        assert!(one.is_same(&race("x.part", [access(1, true), access(2, false)])), "one bug to fix");
        assert!(!one.is_same(&race("y", [access(2, false), access(1, true)])));
        assert!(!one.is_same(&race("x", [access(2, true), access(1, true)])));
        assert!(!one.is_same(&race("x", [access(3, false), access(1, true)])));
    }
}
