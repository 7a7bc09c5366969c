//! Failure sketches (Kasikci, chapter 4), as data. A sketch has the statements that a failure depends on, in
//! the order of one failing execution, and what distinguishes failing executions from passing ones.

mod predictor;
mod score;

pub use predictor::{Conflict, Predictor, PredictorType, Unserialisable};
pub use score::{BETA, Score};

use crate::event::Call;
use crate::failure::{Failure, Location};
use crate::run_log::AccessMode;
use serde::{Deserialize, Serialize};

/// The version of the format.
pub const SKETCH_VERSION: u32 = 2;

/// A failure sketch.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sketch {
    /// [`SKETCH_VERSION`].
    pub version: u32,
    /// The program's path, for people.
    pub program: String,
    /// The failure.
    pub failure: Failure,
    /// How many executions there were.
    pub runs: RunCounts,
    /// Where profiles were followed: what the counts stand on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub followed: Option<FollowedProfiles>,
    /// The best predictor of each type that predicts anything, the best of all first. Empty if none does.
    pub predictors: Vec<RankedPredictor>,
    /// Names of the threads of the execution shown.
    pub threads: Vec<String>,
    /// The statements, in the order of a failing execution.
    pub lines: Vec<SketchLine>,
    /// How many statements the whole backward slice has.
    pub slice: u32,
    /// What was not examined, a sentence each.
    pub limits: Vec<String>,
}

/// What is known where no execution fails: a [`Sketch`] whose failure is null.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct NoSketch {
    /// [`SKETCH_VERSION`].
    pub version: u32,
    /// The program's path, for people.
    pub program: String,
    /// None.
    pub failure: Option<Failure>,
    /// How many executions there were.
    pub runs: RunCounts,
    /// What was not examined, a sentence each.
    pub limits: Vec<String>,
}

impl NoSketch {
    /// Of that many executions, all of which pass.
    pub fn of(program: String, passing: u32, limits: Vec<String>) -> Self {
        let runs = RunCounts { passing, ..RunCounts::default() };
        Self { version: SKETCH_VERSION, program, failure: None, runs, limits }
    }
}

/// Executions by how they end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RunCounts {
    /// With this failure.
    pub failing: u32,
    /// Without a failure.
    pub passing: u32,
    /// With another failure: these count neither way.
    pub otherwise: u32,
}

/// Profiles, and the executions that stand for their runs. A profile has the paths of threads, and neither
/// values nor the order of accesses: those are of executions made up along the paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FollowedProfiles {
    /// How many profiles.
    pub profiles: u32,
    /// How many of them differ in their paths.
    pub paths: u32,
    /// How many executions along these paths.
    pub executions: u32,
}

/// A predictor with its score.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RankedPredictor {
    /// The observed event.
    pub predictor: Predictor,
    /// In how many executions.
    pub score: Score,
    /// Where its instructions are, in the order of [`Predictor::places`].
    pub locations: Vec<Location>,
    /// For a branch, where it goes.
    pub target: Option<Location>,
    /// The object that its instructions access; "" if that is unknown.
    pub object: String,
}

/// One statement, as one thread executes it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SketchLine {
    /// The thread, an index into [`Sketch::threads`].
    pub thread: u32,
    /// Where.
    pub location: Location,
    /// How often the thread executes it in this execution.
    pub visits: u64,
    /// Its accesses then.
    pub accesses: Vec<LineAccess>,
    /// The predictors it is part of: indices into [`Sketch::predictors`], ascending.
    pub marks: Vec<u32>,
    /// Whether the thread fails or waits forever there.
    pub fails: bool,
}

/// An access of a statement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LineAccess {
    /// How.
    pub mode: AccessMode,
    /// The object; "" if that is unknown.
    pub object: String,
    /// The value read or written; "" if that is unknown.
    pub value: String,
    /// The modelled function that makes it, if one does.
    pub call: Option<Call>,
}
