//! One program bound to everything it runs with.

pub(crate) mod external_calls;
pub(crate) mod host_files;
pub(crate) mod sent_files;
pub(crate) mod surroundings;

use crate::limits::budget::Deadline;
use crate::limits::counted_solver::{SolverCounts, counted_solver};
use crate::limits::memory::KeptFree;
use crate::load::what_if::remedies;
use crate::load::{Changed, Loaded, Wanted, load_changed};
use crate::options::SurroundingOptions;
use crate::refusal::Refusal;
use crate::session::host_files::VisibleFiles;
use crate::session::sent_files::SentFiles;
use crate::session::surroundings::Surroundings;
use std::sync::Arc;
use symx_expr::solver::Solver;
use symx_expr::{Assignment, BitVector, StopToken, Terms};
use symx_interp::machine::{Machine, Options};
use symx_interp::paths::reference::Reference;
use symx_interp::remedies::{Remedies, SourceRemedy};
use symx_ir::guard::{Guard, Section, Unguarded};
use symx_memmodel::MemoryModel;
use symx_posix_model::{Posix, PosixOptions};
use symx_trace::{Input, ThreadName};

/// A program, its surroundings and a memory model.
pub struct Session {
    /// The program.
    pub loaded: Loaded,
    /// Arguments, environment, standard input.
    pub surroundings: Surroundings,
    /// The memory model.
    pub memory_model: &'static dyn MemoryModel,
    /// Options of the interpreter.
    pub options: Options,
    posix: PosixOptions,
    files: Arc<VisibleFiles>,
    terms: Arc<Terms>,
}

impl Session {
    /// Binds them.
    pub fn new(
        loaded: Loaded,
        surroundings: Surroundings,
        visible: &SurroundingOptions,
        memory_model: &'static dyn MemoryModel,
        options: Options,
    ) -> Result<Self, Refusal> {
        let (posix, files) = surroundings.posix_options(visible)?;
        let is_fence = |remedy: &SourceRemedy| matches!(remedy, SourceRemedy::Fence { .. });
        if memory_model.keeps_history() && remedies(&loaded.what_if).iter().any(is_fence) {
            let model = memory_model.name();
            let why = format!(
                "--what-if: no store waits under --memmodel {model}, and a fence has nothing to wait for"
            );
            return Err(Refusal::Usage(why));
        }
        let stop = Deadline::at(None).or_without_memory(None, KeptFree::Eighth).cutoff();
        let options = Options { remedies: loaded.remedies.clone(), stop, ..options };
        // Recorded paths lead through what is modelled otherwise.
        let posix = PosixOptions { models_rust_runtime: options.guide.is_none(), ..posix };
        Ok(Self { loaded, surroundings, memory_model, options, posix, files, terms: Arc::new(Terms::new()) })
    }

    /// The same, with misuse of synchronisation objects having the effect it has natively (`true`)
    /// or being a failure.
    ///
    /// A recorded run that crashed went on after any misuse before, so an execution that follows its paths
    /// must, too.
    pub fn tolerating_sync_misuse(mut self, tolerated: bool) -> Self {
        self.options.tolerates_misuse = tolerated;
        self
    }

    /// The same, with unwritten memory that is passed to the library being zero (`true`) or a failure.
    pub fn tolerating_unwritten_arguments(mut self, tolerated: bool) -> Self {
        self.options.tolerates_unwritten_arguments = tolerated;
        self
    }

    /// The same, with what the program writes to its standard streams having values at once, to be passed on.
    pub fn passing_output_on(mut self) -> Self {
        self.posix.concrete_output = true;
        self
    }

    /// Whether unwritten memory is passed to the library.
    pub fn tolerates_unwritten_arguments(&self) -> bool {
        self.options.tolerates_unwritten_arguments
    }

    /// Whether misuse of synchronisation objects is tolerated.
    pub fn tolerates_sync_misuse(&self) -> bool {
        self.options.tolerates_misuse
    }

    /// The same, with waits at condition variables that may end by themselves.
    pub fn with_spurious_wakeups(mut self, spurious: bool) -> Self {
        self.posix.spurious_wake_ups = spurious;
        self
    }

    /// The same, where threads take numbers of descriptors of their own.
    pub fn with_independent_descriptors(mut self, independent: bool) -> Self {
        self.posix.independent_descriptors = independent;
        self
    }

    /// Whether threads take numbers of descriptors of their own.
    pub fn has_independent_descriptors(&self) -> bool {
        self.posix.independent_descriptors
    }

    /// The same, with parts of Rust's standard library modelled (`true`) or run as they are.
    pub fn with_rust_runtime(mut self, modelled: bool) -> Self {
        self.posix.models_rust_runtime = modelled;
        self
    }

    /// Whether parts of Rust's standard library are modelled.
    pub fn models_rust_runtime(&self) -> bool {
        self.posix.models_rust_runtime
    }

    /// The same, with panics of Rust code being failures (`true`) or unwinding.
    pub fn with_failing_panics(mut self, fail: bool) -> Self {
        self.posix.panics_fail = fail;
        self
    }

    /// Whether waits at condition variables may end by themselves.
    pub fn has_spurious_wakeups(&self) -> bool {
        self.posix.spurious_wake_ups
    }

    /// A machine whose work is ended by nothing but want of memory.
    pub fn machine(&self) -> Machine<Posix> {
        self.machine_with(self.options.clone())
    }

    /// A machine for exploring until then.
    pub fn machine_until(&self, stop: StopToken) -> Machine<Posix> {
        self.machine_with(Options { stop, ..self.options.clone() })
    }

    /// A machine for exploring until then that compares executions with a recorded run.
    pub fn machine_near(&self, reference: Arc<Reference>, stop: StopToken) -> Machine<Posix> {
        self.machine_with(Options { reference: Some(reference), stop, ..self.options.clone() })
    }

    /// A machine for recording a run until then.
    pub fn recording(&self, stop: StopToken) -> Machine<Posix> {
        self.machine_with(Options { records_paths: true, stop, ..self.options.clone() })
    }

    /// A machine for exploring until then that looks for races, under a memory model that need not be the
    /// session's.
    pub fn machine_that_sees_races(
        &self,
        model: &'static dyn MemoryModel,
        stop: StopToken,
    ) -> Machine<Posix> {
        self.machine_under(model, Options { races: true, stop, ..self.options.clone() })
    }

    /// A machine for exploring under these fixes, which no profile guides.
    pub fn machine_under_remedies(&self, remedies: Arc<Remedies>) -> Machine<Posix> {
        let remedies = Some(remedies);
        self.machine_with(Options { remedies, guide: None, coverage: false, ..self.options.clone() })
    }

    /// The same session under these fixes.
    pub fn under_remedies(&self, remedies: Arc<Remedies>) -> Self {
        self.with(Options { remedies: Some(remedies), ..self.options.clone() })
    }

    /// The same session of the program with a lock held at these places, without a guide.
    pub fn guarded(&self, sections: &[Section], with: &Guard) -> Result<Self, Unguarded> {
        let mut guarded = self.with(Options { guide: None, coverage: false, ..self.options.clone() });
        Arc::make_mut(&mut guarded.loaded.program).guard(sections, with)?;
        Ok(guarded)
    }

    /// The same session of the program with its source changed, without a guide, and without assumptions:
    /// they are about lines.
    pub fn of_changed(&self, changed: &[Changed]) -> Result<Self, Refusal> {
        let entry = self.surroundings.symbolic.entry.as_ref().map(|entry| entry.function.as_str());
        let (checks_overflow, standards) = (self.loaded.checks_overflow, self.loaded.standard.as_slice());
        let wanted = Wanted { entry, checks_overflow, standards };
        let loaded = load_changed(&self.loaded.path, wanted, changed)?;
        let remedies = loaded.remedies.clone();
        let same = self.with(Options { guide: None, coverage: false, remedies, ..self.options.clone() });
        Ok(Self { loaded, ..same })
    }

    /// The same session in which threads have the numbers that they have in an execution.
    pub fn numbering(&self, threads: &[ThreadName]) -> Self {
        self.with(Options { threads: threads.into(), ..self.options.clone() })
    }

    fn with(&self, options: Options) -> Self {
        Self {
            loaded: self.loaded.clone(),
            surroundings: self.surroundings.clone(),
            memory_model: self.memory_model,
            options,
            posix: self.posix.clone(),
            files: Arc::clone(&self.files),
            terms: Arc::clone(&self.terms),
        }
    }

    /// All files that the program sees, to be sent to other machines.
    pub fn files_to_send(&self) -> Result<SentFiles, Refusal> {
        SentFiles::of(&*self.files)
    }

    /// Files of the host that the program asked for and did not see.
    pub fn hidden_files(&self) -> Vec<String> {
        self.files.hidden()
    }

    /// The pool of terms of all machines.
    pub fn terms(&self) -> &Arc<Terms> {
        &self.terms
    }

    /// A machine in which symbolic inputs have these values and no profile guides.
    pub fn machine_for(&self, inputs: &[Input]) -> Machine<Posix> {
        let mut assignment = Assignment::new();
        for input in inputs {
            for (index, byte) in input.bytes.iter().enumerate() {
                // The name the interpreter gives each byte of an input.
                let symbol = self.terms.symbol(&format!("{}[{index}]", input.name), 8);
                assignment.set(symbol, BitVector::from_u64(8, u64::from(*byte)));
            }
        }
        let assignment = Some(Arc::new(assignment));
        let options = self.options.clone();
        self.machine_with(Options {
            assignment,
            guide: None,
            records_paths: false,
            coverage: false,
            ..options
        })
    }

    /// The same as `machine_for`, comparing with a recorded run.
    pub fn beside(&self, inputs: &[Input], reference: Arc<Reference>) -> Machine<Posix> {
        let Machine { options, .. } = self.machine_for(inputs);
        self.machine_with(Options { reference: Some(reference), ..options })
    }

    /// The same as `machine_for`, for recording paths.
    pub fn recording_for(&self, inputs: &[Input]) -> Machine<Posix> {
        let Machine { options, .. } = self.machine_for(inputs);
        self.machine_with(Options { records_paths: true, ..options })
    }

    /// The same as `machine_for`, with a note of every edge.
    pub fn watching(&self, inputs: &[Input]) -> Machine<Posix> {
        let Machine { options, .. } = self.machine_for(inputs);
        self.machine_with(Options { coverage: true, ..options })
    }

    /// A machine that sees every edge and that no profile guides, for executions with logs, until then; with
    /// these inputs, if any are given.
    pub fn logging(&self, inputs: Option<&[Input]>, stop: StopToken) -> Machine<Posix> {
        let options = match inputs.filter(|inputs| !inputs.is_empty()) {
            Some(inputs) => self.machine_for(inputs).options,
            None => self.options.clone(),
        };
        self.machine_with(Options { coverage: true, guide: None, stop, ..options })
    }

    /// A machine that sees every edge and that the session's profile guides, for executions with logs.
    pub fn logging_along(&self, stop: StopToken) -> Machine<Posix> {
        self.machine_with(Options { coverage: true, stop, ..self.options.clone() })
    }

    fn machine_with(&self, options: Options) -> Machine<Posix> {
        self.machine_under(self.memory_model, options)
    }

    fn machine_under(&self, model: &'static dyn MemoryModel, options: Options) -> Machine<Posix> {
        let posix = Posix::new(self.posix.clone());
        Machine::new(Arc::clone(&self.loaded.program), posix, model, Arc::clone(&self.terms), options)
    }

    /// A solver for the machine's terms, whose queries this ends.
    pub fn solver(&self, cutoff: StopToken) -> Box<dyn Solver> {
        self.counted_solver(cutoff, &SolverCounts::default())
    }

    /// As [`solver`](Self::solver); its queries are added to these counts when it is gone.
    pub fn counted_solver(&self, cutoff: StopToken, counts: &SolverCounts) -> Box<dyn Solver> {
        counted_solver(&self.terms, cutoff, counts)
    }
}
