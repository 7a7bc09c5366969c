//! Why an engine does not know whether there is an execution.

use symx_expr::StopReason;
use symx_expr::solver::Undecided;

/// The reason. Its text is for people.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unknown {
    /// All work was ended from outside, or the answer is not needed any more.
    #[error("{}", ended(*.0))]
    Stopped(StopReason),
    /// The steps it may take are used up.
    #[error("step-limit")]
    StepLimit,
    /// There may be one with more preemptions than were looked at.
    #[error("preemption-limit")]
    PreemptionLimit,
    /// The system has more clauses than it takes.
    #[error("clause-limit")]
    ClauseLimit,
    /// The question takes more conflicts than are allowed.
    #[error("conflict-limit")]
    ConflictLimit,
    /// The conditions are about floating-point numbers.
    #[error("floating-point")]
    FloatingPoint,
    /// The trace has too many events for the system.
    #[error("the trace is long")]
    LongTrace,
    /// There is none with the inputs recorded; there may be with others.
    #[error("none with the inputs recorded")]
    RecordedInputs,
    /// The search of all executions proves nothing: inputs could have been others.
    #[error("inputs could have been others than were recorded")]
    OtherInputs,
    /// There is none among those that a bounded search tries.
    #[error("none among those it tries")]
    NoneTried,
    /// A search that leaves most out finds none.
    #[error("a narrow search finds none")]
    NarrowSearch,
    /// The question has clauses of a kind that the engine does not take.
    #[error("the engine does not take such clauses")]
    ForeignClauses,
    /// The result is no execution under the trace's model.
    #[error("what was found is no execution")]
    NoExecution,
    /// A lock is released by a thread that does not hold it.
    #[error("a lock is released by a thread that does not hold it")]
    ForeignUnlock,
    /// No few wishes are found that answer all contradictions.
    #[error("too many contradictions")]
    ManyContradictions,
    /// The solver does not know.
    #[error("{0}")]
    Solver(Undecided),
    /// The trace is none that can be asked about.
    #[error("{0}")]
    Invalid(String),
}

fn ended(reason: StopReason) -> &'static str {
    match reason {
        StopReason::MaxTime => "the time limit was reached",
        StopReason::MaxMemory => "the memory limit was reached",
        StopReason::Interrupted => "interrupted",
    }
}

impl From<StopReason> for Unknown {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

/// An engine that does not know, and why.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}{why}", self.engine.map(|engine| format!("{engine}: ")).unwrap_or_default())]
pub struct Unsolved {
    /// Which engine, if one was asked.
    pub engine: Option<&'static str>,
    /// Why.
    pub why: Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_that_stopped_an_engine_is_printed() {
        let told = |reason| Unsolved { engine: Some("z3"), why: Unknown::Stopped(reason) }.to_string();
        assert_eq!(told(StopReason::MaxTime), "z3: the time limit was reached");
        assert_eq!(told(StopReason::MaxMemory), "z3: the memory limit was reached");
        assert_eq!(told(StopReason::Interrupted), "z3: interrupted");
    }
}
