//! The explanation of a failure, as data: the failing execution, the closest passing one, and where they
//! differ. It also says what would have to hold for the failure never to happen (Symbiosis section 3.5,
//! MaxSMT section 4).
//!
//! Engines produce an [`Explanation`], reports draw it. It refers to source by [`Location`] and holds no
//! source text; indices are into the lists of the same explanation. [`Explanation::from_json`] refuses an
//! index out of range.

mod limit;
mod part;
mod remedy;
mod written_object;

pub use limit::Limit;
pub use part::{HeldLock, Part, PlaceInMemory, lock_mode};
pub use remedy::{AtomicOrdering, Remedy, Trial};

use crate::agent::ThreadName;
use crate::event::{CallEffect, CallOutcome, EventKind};
use crate::failure::{Failure, Location};
use crate::flipped_branch::FlippedBranch;
use crate::input::Input;
use crate::schedule::Decision;
use serde::{Deserialize, Serialize};
use symx_ir::SourceName;

/// The version of the format.
pub const VERSION: u32 = 10;

/// How far a thread gets with a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// The step is taken.
    #[default]
    Taken,
    /// The thread waits for it forever.
    Waits,
    /// The thread would have taken it next, had the execution not failed before.
    NotReached,
}

impl Progress {
    /// The progress that a step's [value](ExecutedStep::value) stated up to version 4.
    fn of_value(value: &str) -> Self {
        match value {
            "waits for ever" => Self::Waits,
            "not reached" => Self::NotReached,
            _ => Self::Taken,
        }
    }
}

/// A failure, explained as far as that was possible.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Explanation {
    /// [`VERSION`].
    pub version: u32,
    /// The program's path, for people.
    pub program: String,
    /// Name of the memory model.
    pub memory_model: String,
    /// The execution that fails.
    pub failing: Execution,
    /// The nearest execution of the same paths that was found not to fail, replayed.
    #[serde(alias = "alternate")] // up to version 7
    pub passing: Option<Execution>,
    /// Where the two differ; empty without a passing execution.
    pub difference: Difference,
    /// Orders of events of the failing execution such that whenever all hold, it fails.
    pub cause: Cause,
    /// The difference on which the failure depends.
    #[serde(default)]
    pub dependence: Dependence,
    /// Suggested fixes that would rule the failure out.
    pub remedies: Vec<Remedy>,
    /// The branches that go other ways in the failing execution than in the passing execution.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<FlippedBranch>,
    /// Why parts are missing, a sentence each: for people.
    pub limits: Vec<Limit>,
    /// The symbolic inputs under which it fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Input>,
}

/// One execution, step by step.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Execution {
    /// The threads in order of creation, the main thread first.
    pub threads: Vec<Lane>,
    /// Its visible steps in the order in which they happened.
    pub steps: Vec<ExecutedStep>,
    /// How often another thread goes on than before; commits of buffered stores do not count.
    pub context_switches: u32,
    /// How often that happens though the thread before could have gone on.
    pub preemptions: u32,
    /// How it fails, if it does.
    pub failure: Option<Failure>,
    /// Its standard output.
    pub output: String,
    /// The inputs that calls of the program returned, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub returned: Vec<ReturnedInput>,
    /// The course by which it is replayed; no part of a report.
    #[serde(skip)]
    pub course: Course,
}

/// An input that a call of the program returned, as `__VERIFIER_nondet_int()` does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReturnedInput {
    /// How many of the execution's steps come before it.
    pub step: u32,
    /// The thread that called: an index into [`Execution::threads`].
    pub thread: u32,
    /// The function that it called.
    pub function: String,
    /// Where it called.
    pub location: Location,
    /// The input, with its value.
    pub input: Input,
}

/// How an execution went, for a replay.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Course {
    /// The decisions.
    pub decisions: Vec<Decision>,
    /// Names of the threads, by number.
    pub threads: Vec<ThreadName>,
}

/// One thread of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Lane {
    /// Its name.
    pub name: ThreadName,
    /// The thread that a fork made, whose process it is of; none in the process that the program began in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<ThreadName>,
    /// The function it began in; "" if unknown.
    pub function: String,
    /// The name that the program gave it (`pthread_setname_np`); "" if it gave none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub given: String,
}

impl Lane {
    /// For people: `T1 worker`, by the name that the program gave it or the function it began in. It is
    /// `P1 T1 main` if the program has forked its process.
    pub fn title(&self) -> String {
        self.name.titled(self.process.as_ref(), self.own())
    }

    /// The title without what the thread is called beside its label: `P1 T1`.
    pub fn label(&self) -> String {
        self.name.titled(self.process.as_ref(), "")
    }

    /// The name that the program gave it, or the function it began in; "" if neither is known.
    pub fn own(&self) -> &str {
        if self.given.is_empty() { &self.function } else { &self.given }
    }
}

/// One visible step of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExecutedStep {
    /// Whose step it is, or whose store reaches memory: an index into [`Execution::threads`].
    pub thread: u32,
    /// The kind of step.
    pub kind: EventKind,
    /// Whether it is taken.
    #[serde(default, skip_serializing_if = "ExecutedStep::is_reached")]
    pub progress: Progress,
    /// What has come of it, if it is a call.
    #[serde(default, skip_serializing_if = "ExecutedStep::is_done")]
    pub outcome: CallOutcome,
    /// The object it touches, as the source calls it: `count`, `queue->mutex`, `list[3].next`; "" if none or
    /// unknown.
    #[serde(flatten, with = "written_object")]
    pub object: SourceName,
    /// Where that is, if it is in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceInMemory>,
    /// The value read or written, as people write it; "" where there is none.
    pub value: String,
    /// The step it reads from: an index of an earlier step that writes. None if it reads the initial value,
    /// or nothing.
    pub reads_from: Option<u32>,
    /// For a commit, the step that issued the store.
    pub issued_by: Option<u32>,
    /// The locks the thread holds when it takes the step, outermost first.
    pub locks: Vec<HeldLock>,
    /// The thread's stores not yet in memory when it takes the step, oldest first: `x = 1`.
    pub buffered: Vec<String>,
    /// Where in the source of the program.
    pub location: Location,
    /// Where in a library's that the program called there, if the library takes the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<Location>,
    /// How many further steps like the ones before it are left out here: a thread that spins.
    pub folded: u32,
}

impl ExecutedStep {
    /// A step that is taken at an object; of what else there is to say, nothing.
    pub fn taken(thread: u32, kind: EventKind, object: impl Into<SourceName>) -> Self {
        Self {
            thread,
            kind,
            progress: Progress::Taken,
            outcome: CallOutcome::Done,
            object: object.into(),
            place: None,
            value: String::new(),
            reads_from: None,
            issued_by: None,
            locks: Vec::new(),
            buffered: Vec::new(),
            location: Location::default(),
            library: None,
            folded: 0,
        }
    }
}

impl Execution {
    /// The name of one of its threads for people: `T1 worker`.
    pub fn title(&self, thread: &ThreadName) -> String {
        let lane = self.threads.iter().find(|lane| lane.name == *thread);
        lane.map_or_else(|| thread.label(), Lane::title)
    }

    /// When the effect of a step comes: a store's when it leaves the buffer.
    pub fn effect(&self, number: u32) -> u32 {
        if self.steps[number as usize].kind != EventKind::Write {
            return number;
        }
        let rest = self.steps.iter().enumerate().skip(number as usize + 1);
        let commit = rest.into_iter().find(|(_, step)| step.issued_by == Some(number));
        commit.map_or(number, |(commit, _)| commit as u32)
    }

    /// Whether a step at a condition variable is the end of a wait there. To begin one is a step of its own.
    pub fn ends_wait(&self, number: u32) -> bool {
        let step = &self.steps[number as usize];
        let waits = |step: &ExecutedStep| step.kind.effect() == Some(CallEffect::ConditionWait);
        let is_own = |other: &&ExecutedStep| other.thread == step.thread && other.is_taken() && waits(other);
        waits(step) && self.steps[..number as usize].iter().filter(is_own).count() % 2 == 1
    }

    /// Adds a step as it is in another execution, which this thread does not reach here; its number.
    pub fn add_not_reached(&mut self, thread: u32, step: &ExecutedStep) -> u32 {
        // Objects of the same name may lie elsewhere here.
        let here = self.steps.iter().find(|own| own.is_called_alike(step));
        let place = here.map_or(step.place, |own| own.place);
        self.steps.push(ExecutedStep {
            thread,
            place,
            progress: Progress::NotReached,
            outcome: CallOutcome::Done,
            value: String::new(),
            reads_from: None,
            issued_by: None,
            locks: Vec::new(),
            buffered: Vec::new(),
            folded: 0,
            ..step.clone()
        });
        self.steps.len() as u32 - 1
    }

    /// Adds that a store reaches memory, which it does not any more in this execution.
    pub fn add_commit(&mut self, store: u32) {
        let step = &self.steps[store as usize];
        self.steps.push(ExecutedStep {
            progress: Progress::NotReached,
            place: step.place,
            issued_by: Some(store),
            ..ExecutedStep::taken(step.thread, EventKind::Commit, step.object.clone())
        });
    }
}

impl ExecutedStep {
    /// Whether it happened, and is not merely what its thread would have done next.
    pub fn is_taken(&self) -> bool {
        self.progress == Progress::Taken
    }

    /// The effect that the call has had. One that gave up has taken nothing; a wait at a condition variable
    /// has released the mutex and taken it back.
    pub fn call_effect(&self) -> Option<CallEffect> {
        let effect = self.kind.effect();
        let takes =
            matches!(effect, Some(CallEffect::Lock | CallEffect::SemaphoreWait | CallEffect::JoinThread));
        if takes && self.outcome != CallOutcome::Done { Some(CallEffect::Other) } else { effect }
    }

    fn is_reached(progress: &Progress) -> bool {
        *progress == Progress::Taken
    }

    fn is_done(outcome: &CallOutcome) -> bool {
        *outcome == CallOutcome::Done
    }
}

/// A value's way from one step to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Flow {
    /// The step that writes; none for the initial value.
    pub from: Option<u32>,
    /// The step that reads.
    pub to: u32,
}

/// Exactly what differs between the failing execution and the passing execution (the differential schedule
/// projection).
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Difference {
    /// Steps of the failing execution that take part, ascending.
    pub failing_steps: Vec<u32>,
    /// Steps of the passing execution that take part, ascending.
    #[serde(alias = "alternate_steps")] // up to version 7
    pub passing_steps: Vec<u32>,
    /// Flows that only the failing execution has.
    pub failing_flows: Vec<Flow>,
    /// Flows that only the passing execution has.
    #[serde(alias = "alternate_flows")] // up to version 7
    pub passing_flows: Vec<Flow>,
    /// How many segments of the failing execution, stretches of one thread, the passing execution breaks up.
    pub broken_segments: u32,
}

/// Why an execution fails.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Cause {
    /// Pairs of steps of the failing execution, the earlier first.
    pub orders: Vec<(u32, u32)>,
    /// Whether none of them can be left out.
    pub is_minimal: bool,
    /// Of which executions that is proven.
    #[serde(default)]
    pub reach: Reach,
    /// By order, the numbers of the visits of its steps' threads to their places, from 1; empty where these
    /// very steps are meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub visits: Vec<(u32, u32)>,
    /// The result of exploring the executions in which the orders hold.
    #[serde(default)]
    pub check: Check,
    /// Where an event of the orders is no step of the execution: the orders in words, and no pairs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_words: Vec<String>,
}

/// The result of exploring the executions in which the orders of a cause hold. One that passes on the same
/// paths refutes the cause.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// They were not explored: there was no time, or source locations do not determine the orders.
    #[default]
    Unchecked,
    /// All were explored, and none passes.
    Complete(Explored),
    /// None of those explored passes.
    Partial {
        /// How much was explored.
        #[serde(flatten)]
        explored: Explored,
        /// Why these are not all.
        reason: String,
    },
    /// Some pass in which a thread takes another branch, or goes on further.
    PassesElsewhere,
}

/// How much was explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Explored {
    /// How many executions; the ways into their ends where each state was explored once.
    pub executions: u64,
    /// Distinct states, where each was explored once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<u64>,
}

/// Of which executions a cause is known to make each fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Those in which threads take the branches that they took in the failing one, and have no further events
    /// before the failure.
    #[default]
    Paths,
    /// Those of the program, with the inputs of the failing one: they were explored.
    Program,
}

/// A dependence of the failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dependence {
    /// The order of steps, or it is not known.
    #[default]
    Order,
    /// The inputs alone: all orders were explored, and each execution with these inputs fails.
    Inputs,
    /// Nothing: all orders were explored, and each execution fails; there are no inputs.
    Nothing,
    /// The order decides which of several failures comes first: all orders were explored, and each execution
    /// fails.
    WhichFailure,
}

/// Text that is no explanation.
#[derive(Debug, thiserror::Error)]
pub enum ExplanationError {
    /// It is not the JSON of one.
    #[error("{message}")]
    Json {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// The error, with its place.
        message: String,
    },
    /// It was written by a newer symx.
    #[error("version {0} is newer than this build's {VERSION}")]
    Newer(u32),
    /// An index that is beyond its list, or not where it must be.
    #[error("{what} {index} is beyond the {length} there are")]
    Index {
        /// The list that the index is for.
        what: &'static str,
        /// The index.
        index: u32,
        /// How many there are.
        length: usize,
    },
}

impl Explanation {
    /// The explanation as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data encodes into memory")
    }

    /// Reads an explanation, and checks that its indices are within their lists.
    pub fn from_json(text: &str) -> Result<Self, ExplanationError> {
        let mut explanation: Self = serde_json::from_str(text).map_err(|error| ExplanationError::Json {
            line: error.line(),
            column: error.column(),
            message: error.to_string(),
        })?;
        if explanation.version > VERSION {
            return Err(ExplanationError::Newer(explanation.version));
        }
        if explanation.version < 5 {
            explanation.separate_progress();
        }
        explanation.check()?;
        Ok(explanation)
    }

    /// Up to version 4, values said whether a step is taken.
    fn separate_progress(&mut self) {
        let executions = std::iter::once(&mut self.failing).chain(&mut self.passing);
        for step in executions.flat_map(|execution| &mut execution.steps) {
            step.progress = Progress::of_value(&step.value);
            if !step.is_taken() {
                step.value.clear();
            }
        }
    }

    /// Checks that indices are within their lists.
    pub fn check(&self) -> Result<(), ExplanationError> {
        let failing = self.failing.steps.len();
        let passing = self.passing.as_ref().map_or(0, |execution| execution.steps.len());
        for execution in std::iter::once(&self.failing).chain(&self.passing) {
            for (number, step) in execution.steps.iter().enumerate() {
                within("thread", step.thread, execution.threads.len())?;
                let earlier = step.reads_from.iter().chain(&step.issued_by);
                earlier.copied().try_for_each(|index| within("earlier step", index, number))?;
            }
        }
        let flows = |flows: &[Flow], length| {
            let ends = flows.iter().flat_map(|flow| flow.from.into_iter().chain([flow.to]));
            ends.into_iter().try_for_each(|step| within("step", step, length))
        };
        let difference = &self.difference;
        difference.failing_steps.iter().try_for_each(|step| within("step", *step, failing))?;
        difference.passing_steps.iter().try_for_each(|step| within("step", *step, passing))?;
        flows(&difference.failing_flows, failing)?;
        flows(&difference.passing_flows, passing)?;
        for (earlier, later) in &self.cause.orders {
            within("step", *earlier, failing)?;
            within("step", *later, failing)?;
        }
        for remedy in &self.remedies {
            remedy.all_steps().into_iter().try_for_each(|step| within("step", step, failing))?;
        }
        Ok(())
    }
}

fn within(what: &'static str, index: u32, length: usize) -> Result<(), ExplanationError> {
    if (index as usize) < length { Ok(()) } else { Err(ExplanationError::Index { what, index, length }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Call;

    fn lost_update() -> Explanation {
        let step = |thread, kind, value: &str, reads_from| ExecutedStep {
            value: value.into(),
            reads_from,
            ..ExecutedStep::taken(thread, kind, "count")
        };
        let lane = |name: ThreadName| Lane { name, ..Lane::default() };
        let failing = Execution {
            threads: vec![lane(ThreadName::main()), lane(ThreadName::main().child(1))],
            steps: vec![
                step(0, EventKind::Read, "0", None),
                step(1, EventKind::Read, "0", None),
                step(0, EventKind::Write, "1", None),
                step(1, EventKind::Write, "1", None),
            ],
            context_switches: 3,
            preemptions: 2,
            ..Execution::default()
        };
        Explanation {
            version: VERSION,
            program: "count.c".into(),
            memory_model: "sc".into(),
            failing,
            passing: None,
            difference: Difference::default(),
            cause: Cause { orders: vec![(1, 2)], is_minimal: true, ..Cause::default() },
            dependence: Dependence::Order,
            remedies: vec![Remedy::AtomicBlock { first: 0, last: 2, trial: Trial::Untried }],
            branches: Vec::new(),
            limits: Vec::new(),
            inputs: Vec::new(),
        }
    }

    #[test]
    fn json_gives_the_same_back() {
        let explanation = lost_update();
        assert_eq!(Explanation::from_json(&explanation.to_json()).unwrap(), explanation);
    }

    #[test]
    fn a_call_that_gave_up_has_taken_nothing() {
        let mut explanation = lost_update();
        let step = &mut explanation.failing.steps[0];
        step.kind = EventKind::Call(Call::new("pthread_mutex_timedlock", CallEffect::Lock));
        assert_eq!(step.call_effect(), Some(CallEffect::Lock));
        step.outcome = CallOutcome::TimedOut;
        assert_eq!(step.call_effect(), Some(CallEffect::Other));
        let text = explanation.to_json();
        assert_eq!(text.matches(r#""outcome":"timed_out""#).count(), 1, "{text}");
        assert_eq!(Explanation::from_json(&text).unwrap(), explanation);
    }

    #[test]
    fn what_version_4_wrote_is_read() {
        let mut old = lost_update();
        old.version = 4;
        old.failing.steps[1].value = "not reached".into();
        old.failing.steps[3].kind = EventKind::Call(Call::new("pthread_mutex_lock", CallEffect::Lock));
        old.failing.steps[3].value = "waits for ever".into();
        let text = old.to_json();
        let written = r#"{"call":{"name":"pthread_mutex_lock","effect":"lock"}}"#;
        assert!(text.contains(written), "{text}");
        let read =
            Explanation::from_json(&text.replace(written, r#"{"call":"pthread_mutex_lock"}"#)).unwrap();
        let progress = read.failing.steps.iter().map(|step| step.progress).collect::<Vec<_>>();
        assert_eq!(progress, [Progress::Taken, Progress::NotReached, Progress::Taken, Progress::Waits]);
        assert_eq!(read.failing.steps[3].value, "");
        let call = Call::new("pthread_mutex_lock", CallEffect::Other);
        assert_eq!(read.failing.steps[3].kind, EventKind::Call(call));
    }

    #[test]
    fn what_version_7_wrote_is_read() {
        let mut explanation = lost_update();
        explanation.passing = Some(explanation.failing.clone());
        explanation.difference.passing_steps = vec![1];
        explanation.difference.passing_flows = vec![Flow { from: Some(2), to: 1 }];
        let text = explanation.to_json();
        let old = [
            ("passing", "alternate"),
            ("passing_steps", "alternate_steps"),
            ("passing_flows", "alternate_flows"),
        ];
        let written = old.iter().fold(text.clone(), |text, (now, then)| {
            text.replace(&format!("\"{now}\":"), &format!("\"{then}\":"))
        });
        assert!(written != text && !written.contains("passing"), "{written}");
        assert_eq!(Explanation::from_json(&written).unwrap(), explanation);
    }

    #[test]
    fn what_version_8_wrote_of_locks_is_read() {
        let mut explanation = lost_update();
        explanation.failing.steps[1].locks = vec!["mutex".into()];
        let text = explanation.to_json();
        let written = text.replace(r#"[{"name":"mutex"}]"#, r#"["mutex"]"#);
        assert!(written != text, "{text}");
        assert_eq!(Explanation::from_json(&written).unwrap(), explanation);
    }

    #[test]
    fn what_points_nowhere_is_refused() {
        type Damage = fn(&mut Explanation);
        let damages: [Damage; 6] = [
            |it| it.failing.steps[1].thread = 2,
            |it| it.failing.steps[1].reads_from = Some(1),
            |it| it.cause.orders[0].1 = 4,
            |it| it.remedies[0] = Remedy::Order { before: 0, after: 4, trial: Trial::Untried },
            |it| it.difference.failing_flows.push(Flow { from: Some(9), to: 0 }),
            |it| it.difference.passing_steps.push(0),
        ];
        for damage in damages {
            let mut damaged = lost_update();
            damage(&mut damaged);
            let read = Explanation::from_json(&damaged.to_json());
            assert!(matches!(read, Err(ExplanationError::Index { .. })), "{read:?}");
        }
        assert!(matches!(Explanation::from_json("{"), Err(ExplanationError::Json { line: 1, .. })));
        let newer = Explanation { version: VERSION + 1, ..lost_update() };
        assert!(matches!(Explanation::from_json(&newer.to_json()), Err(ExplanationError::Newer(_))));
    }
}
