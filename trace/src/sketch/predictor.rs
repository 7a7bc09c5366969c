//! Predictors of a failure.

use crate::run_log::CodePlace;
use serde::{Deserialize, Serialize};

/// An observation about an execution.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Predictor {
    /// A thread accesses a place twice, and another one accesses it between.
    Atomicity {
        /// Which accesses read and write.
        pattern: Unserialisable,
        /// The first access.
        first: CodePlace,
        /// The other thread's.
        other: CodePlace,
        /// The second access.
        second: CodePlace,
    },
    /// One thread accesses a variable and then another, and a second thread the same two in the reverse
    /// order. Neither is done when the other begins.
    Interleaved {
        /// The two accesses of one thread.
        one: (CodePlace, CodePlace),
        /// Those of the other.
        other: (CodePlace, CodePlace),
    },
    /// A thread accesses a variable and then another, and between a second thread writes to one of them.
    PairAtomicity {
        /// The access to the first variable.
        first: CodePlace,
        /// The other thread's.
        other: CodePlace,
        /// The access to the second variable.
        second: CodePlace,
    },
    /// An access, and directly after it one of another thread to the same place, one of them a write.
    Order {
        /// Which of them read and write.
        pattern: Conflict,
        /// The earlier.
        before: CodePlace,
        /// The later.
        after: CodePlace,
    },
    /// A place is read or updated before another thread comes to the write that other executions show first.
    Early {
        /// The read.
        read: CodePlace,
        /// The write, which comes later or not at all.
        write: CodePlace,
    },
    /// An access reads or writes a value.
    Value {
        /// The access.
        place: CodePlace,
        /// The value, as people write it.
        value: String,
    },
    /// A branch goes one way.
    Branch {
        /// The branch.
        place: CodePlace,
        /// The control-flow edge, by its number in the function.
        edge: u32,
    },
}

/// Three accesses to one variable, the second by another thread, that no serial execution equals (Lu et al.,
/// AVIO).
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[strum(serialize_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs)] // the literature's names
pub enum Unserialisable {
    Rwr,
    Wwr,
    Rww,
    Wrw,
}

/// Two accesses of different threads to one variable.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[strum(serialize_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs)] // the literature's names
pub enum Conflict {
    Ww,
    Wr,
    Rw,
}

/// The types of predictor of which a sketch names the best.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PredictorType {
    /// Orders of accesses.
    Order,
    /// Values.
    Value,
    /// Branches.
    Branch,
}

impl Predictor {
    /// Its type.
    pub fn of_type(&self) -> PredictorType {
        match self {
            Self::Value { .. } => PredictorType::Value,
            Self::Branch { .. } => PredictorType::Branch,
            _ => PredictorType::Order,
        }
    }

    /// The class of predictors it belongs to: patterns of one variable, of two, values, branches. Between
    /// equal scores the earlier class comes first.
    pub fn class(&self) -> u8 {
        match self {
            Self::Atomicity { .. } => 0,
            Self::Order { .. } => 1,
            Self::Early { .. } => 2,
            Self::Interleaved { .. } => 3,
            Self::PairAtomicity { .. } => 4,
            Self::Value { .. } => 6,
            Self::Branch { .. } => 7,
        }
    }

    /// The instructions it is about.
    pub fn places(&self) -> Vec<CodePlace> {
        match self {
            Self::Atomicity { first, other, second, .. } | Self::PairAtomicity { first, other, second } => {
                vec![*first, *other, *second]
            }
            Self::Interleaved { one, other } => vec![one.0, other.0, one.1, other.1],
            Self::Order { before, after, .. } => vec![*before, *after],
            Self::Early { read, write } => vec![*read, *write],
            Self::Value { place, .. } | Self::Branch { place, .. } => vec![*place],
        }
    }
}
