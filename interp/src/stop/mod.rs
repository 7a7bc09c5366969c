//! Why an execution cannot simply continue.

pub mod position;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use symx_expr::solver::Undecided;
use symx_expr::{StopReason, Term};
use symx_ir::SpanId;
use symx_trace::{FailureDetail, FailureKind, IncompleteReason, ThreadId, Wait};

/// Why a thread's run stops.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The thread stands before a visible operation and waits to be scheduled.
    Parked,
    /// The thread has run for long without a visible operation; it can go on at once.
    Paused,
    /// The thread has ended.
    ThreadExited,
    /// The process has exited with this status.
    ProcessExit(u8),
    /// The modelled function about to take a step has this many alternatives; it is to be resumed with one
    /// of them in [`State::alternative`](crate::state::State::alternative).
    Choose(u32),
    /// The budget of instructions of this execution is used up.
    OutOfSteps,
    /// The program is at fault.
    Fault(Box<Fault>),
    /// Symbolic values leave several ways open; each is one of these constraints, which exclude each other
    /// and together cover everything. The instruction is to be executed again under one of them.
    Fork(SmallVec<[Term; 2]>),
    /// Cannot be executed: the verdict becomes incomplete.
    Incomplete(Incomplete),
    /// Ended from outside in the middle of an instruction, which may have been done in part. The state cannot
    /// be continued, and the step is still to be taken.
    Halted(StopReason),
    /// The recorded paths do not go this way.
    OffPath,
    /// This execution is over without a verdict of its own: an assumption does not hold.
    Infeasible,
}

/// A reason that cuts exploration short.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Incomplete {
    /// Why.
    pub reason: IncompleteReason,
    /// The details.
    pub what: String,
    /// Where.
    pub span: SpanId,
}

/// A fault of the program, before it is rendered into a [`Failure`](symx_trace::Failure).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Its class.
    pub kind: FailureKind,
    /// Which of the class.
    pub detail: FailureDetail,
    /// One line for people.
    pub message: String,
    /// Related places.
    pub notes: Vec<(String, SpanId, Option<ThreadId>)>,
    /// Where the fault lies if that is not where it shows, and the message for the place where it shows.
    pub began: Option<(SpanId, String)>,
    /// The address of the object whose life has ended, if the fault is that it is used.
    pub ended: Option<u64>,
    /// The wait of the thread, if the fault is that it waits forever.
    pub wait: Option<Wait>,
}

impl Fault {
    /// A fault without related places.
    pub fn new(kind: FailureKind, detail: FailureDetail, message: impl Into<String>) -> Self {
        Self {
            kind,
            detail,
            message: message.into(),
            notes: Vec::new(),
            began: None,
            ended: None,
            wait: None,
        }
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Stop::Fault(Box::new(fault))
    }
}

impl From<IncompleteReason> for Incomplete {
    fn from(reason: IncompleteReason) -> Self {
        Incomplete { reason, what: String::new(), span: SpanId::UNKNOWN }
    }
}

impl From<StopReason> for Incomplete {
    fn from(reason: StopReason) -> Self {
        IncompleteReason::from(reason).into()
    }
}

impl From<StopReason> for Stop {
    fn from(reason: StopReason) -> Self {
        Stop::Halted(reason)
    }
}

impl From<Undecided> for Stop {
    fn from(undecided: Undecided) -> Self {
        match undecided {
            Undecided::Stopped(reason) => Stop::Halted(reason),
            Undecided::Beyond(what) => Stop::Incomplete(Incomplete {
                reason: IncompleteReason::SolverUnknown,
                what,
                span: SpanId::UNKNOWN,
            }),
        }
    }
}

impl Stop {
    /// Something symx cannot do, by name.
    pub fn unsupported(what: impl Into<String>) -> Self {
        Stop::Incomplete(Incomplete {
            reason: IncompleteReason::Unsupported,
            what: what.into(),
            span: SpanId::UNKNOWN,
        })
    }
}

/// The message for an external function that is neither defined nor modelled.
pub fn unknown_external(name: &str) -> String {
    format!("external function `{name}`")
}

/// The result of a step.
#[derive(Debug)]
pub enum Step {
    /// It is done; the agent stands before its next step, or the execution has
    /// [ended](crate::state::State::end).
    Done,
    /// The thread has run for long and stands in the middle of its code; another step goes on there.
    Paused,
    /// Several ways are possible. Clone the state, add one constraint to its path and
    /// [resume](crate::machine::Executor::resume).
    Fork {
        /// One constraint a way.
        ways: SmallVec<[Term; 2]>,
        /// To hand to `resume`.
        granted: bool,
    },
    /// A modelled function has this many alternatives. Set [one](crate::state::State::alternative) and resume
    /// with `granted`.
    Choose(u32),
    /// The execution does not exist: an assumption failed, or it left the recorded paths.
    Pruned,
    /// The execution cannot be followed further.
    Cut(Incomplete),
    /// All work is ended from outside. The state cannot be continued; the step is still to be taken.
    Halted(StopReason),
}
