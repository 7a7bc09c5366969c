//! Why an exploration is not complete.

use serde::{Deserialize, Serialize};
use symx_expr::StopReason;

/// Why a verdict is *incomplete*. Reports have the reason's [word](Self::word).
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
#[cfg_attr(test, derive(strum::EnumIter))]
pub enum IncompleteReason {
    /// An assumption holds under no input of the only execution that was followed.
    Assumption,
    /// Executions have as many delays as they may have.
    Delays,
    /// Random executions have taken long enough.
    EnoughAtRandom,
    /// A schedule could not be followed for long enough to look for a race.
    ExecutionNotFollowed,
    /// `symx races` met a failure in which no race takes part.
    FailureWithoutRace,
    /// A failure was found by executions in random orders beside the exploration.
    FoundAtRandom,
    /// Only the recorded paths were explored.
    Guided,
    /// Inputs that the recorded run read are not known.
    InputsNotRecorded,
    /// It was ended from outside: Ctrl-C, SIGTERM.
    Interrupted,
    /// A loop that waits could not be distinguished from a livelock.
    Livelock,
    /// A path has as many forks as it may have.
    MaxDepth,
    /// As many executions were explored as were asked for.
    MaxExecutions,
    /// Paths have forked as often as they may altogether.
    MaxForks,
    /// All executions together have taken as many instructions as they may.
    MaxInstructions,
    /// The memory given is taken.
    MaxMemory,
    /// One execution has taken as many instructions as it may.
    MaxSteps,
    /// The time given has passed.
    MaxTime,
    /// Failures were looked for near a recorded run only.
    Nearness,
    /// Nothing was executed to its end.
    NoExecution,
    /// Executions have as many preemptions as they may have.
    Preemptions,
    /// A race that was found was not met again.
    RaceNotMetAgain,
    /// The consequences of a race could not be determined.
    RaceUnclassified,
    /// A recorded path begins later than the run.
    RecordBeginningLost,
    /// A recorded path ends before the run.
    RecordCutOff,
    /// A failure found does not recur when its schedule is replayed.
    ReplayDiverged,
    /// Executions were sampled.
    Sampled,
    /// Schedules were chosen at random.
    Sampling,
    /// The server of a campaign has no room left.
    ServerFull,
    /// The server of a campaign did not answer any more.
    ServerLost,
    /// One execution was asked for.
    SingleExecution,
    /// The solver could not decide a query.
    SolverUnknown,
    /// Executions have as many context switches as they may have.
    Switches,
    /// The program's output or final state depends on inputs.
    SymbolicOutput,
    /// No schedule was found from the recorded paths.
    Synthesis,
    /// How often a thread sleeps depends on time that passes meanwhile.
    TimeSlept,
    /// A failure was met that was not asked for.
    UncheckedFailure,
    /// A loop was unrolled as often as it may be.
    Unroll,
    /// The program needs what symx cannot do.
    Unsupported,
    /// An expression has more values than are tried one by one.
    ValueLimit,
}

impl IncompleteReason {
    /// The contract's word for it.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Whether it ends the whole exploration, not only the execution in which it comes up.
    pub fn ends_exploration(self) -> bool {
        matches!(
            self,
            Self::Interrupted
                | Self::FoundAtRandom
                | Self::MaxExecutions
                | Self::MaxForks
                | Self::MaxInstructions
                | Self::MaxMemory
                | Self::MaxTime
                | Self::ServerFull
                | Self::ServerLost
        )
    }
}

impl std::fmt::Display for IncompleteReason {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.word())
    }
}

impl From<StopReason> for IncompleteReason {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::MaxTime => Self::MaxTime,
            StopReason::MaxMemory => Self::MaxMemory,
            StopReason::Interrupted => Self::Interrupted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strum::IntoEnumIterator;

    #[test]
    fn json_has_the_word() {
        for reason in IncompleteReason::iter() {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.word());
            assert_eq!(serde_json::from_value::<IncompleteReason>(reason.word().into()).unwrap(), reason);
        }
    }

    #[test]
    fn what_stops_work_ends_the_exploration() {
        for reason in [StopReason::MaxTime, StopReason::MaxMemory, StopReason::Interrupted] {
            assert_eq!(IncompleteReason::from(reason).word(), reason.word());
            assert!(IncompleteReason::from(reason).ends_exploration());
        }
    }
}
