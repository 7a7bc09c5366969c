//! The part of every way of exploring that concerns one execution: recording decisions, collecting results.

use super::{Exploration, Found, Observer, PathCase};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use symx_expr::solver::{Undecided, Unresolved};
use symx_expr::{Assignment, StopReason, evaluate};
use symx_interp::environment::{Environment, LockTaken};
use symx_interp::machine::Executor;
use symx_interp::memory::Site;
use symx_interp::memory::byte_string::Stretch;
use symx_interp::state::{End, State, SymbolicInput};
use symx_interp::stop::Incomplete;
use symx_interp::stop::position::location;
use symx_trace::failure::checks::AtEnd;
use symx_trace::nesting::Lock;
use symx_trace::race::{EndResult, Ending, Unknown, Written};
use symx_trace::{Decision, Failure, IncompleteReason, Input, Nesting};

/// Executions in which a race is seen for the first times, each.
const MOST_SIGHTS: usize = 8;
/// Distinct ends of executions.
pub(crate) const MOST_ENDINGS: usize = 1_000;

/// Why there are no inputs under which an execution takes its path.
pub(crate) enum Unsolved {
    /// It is unknown.
    Incomplete(Incomplete),
    /// The query was ended from outside.
    Halted(StopReason),
}

impl From<Unresolved> for Unsolved {
    fn from(unresolved: Unresolved) -> Self {
        match unresolved {
            Unresolved::Unknown(Undecided::Stopped(reason)) => Self::Halted(reason),
            other => Self::Incomplete(Incomplete {
                reason: IncompleteReason::SolverUnknown,
                what: other.to_string(),
                span: symx_ir::SpanId::UNKNOWN,
            }),
        }
    }
}

impl From<Unsolved> for Incomplete {
    fn from(unsolved: Unsolved) -> Self {
        match unsolved {
            Unsolved::Incomplete(incomplete) => incomplete,
            Unsolved::Halted(reason) => reason.into(),
        }
    }
}

/// The effect of adding an execution to a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Collected {
    /// Exploration continues.
    GoOn,
    /// It has found what it looked for.
    Enough,
    /// All work is ended from outside, and the result says so. The execution is not counted: it is still to
    /// be explored.
    Halted,
}

/// Notes in a result what this worker has done so far.
pub(crate) fn account<E: Environment>(executor: &Executor<'_, E>, exploration: &mut Exploration) {
    exploration.progress.instructions = executor.counters.instructions;
    exploration.progress.known = executor.counters.known;
    exploration.progress.events = executor.counters.events;
    exploration.note_misuse(&executor.notes.misuse);
    exploration.departure = executor.notes.departure.as_deref().cloned();
    exploration.known_steps.add(&executor.notes.known_steps);
    exploration.coverage = executor.notes.coverage.clone();
    let externals = &executor.machine.program.externals;
    exploration.havocked =
        executor.notes.havocked.iter().map(|id| externals[id.0 as usize].name.clone()).collect();
}

/// Values of the symbols under which the execution takes the path it took.
fn solution<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
) -> Result<Arc<Assignment>, Unsolved> {
    match &executor.machine.options.assignment {
        Some(assignment) => Ok(Arc::clone(assignment)),
        None if state.inputs.is_empty() => Ok(Arc::default()),
        None => Ok(executor.queries.model(&state.path)?),
    }
}

/// Inputs under which the execution takes the path it took.
pub(crate) fn inputs<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
) -> Result<Vec<Input>, Unsolved> {
    let model = solution(executor, state)?;
    let terms = &executor.machine.terms;
    let bytes = |symbols: &[symx_expr::Term]| {
        symbols.iter().map(|symbol| evaluate(terms, *symbol, &model).limbs()[0] as u8).collect()
    };
    Ok(state
        .inputs
        .iter()
        .map(|input| Input {
            name: input.name.to_string(),
            bytes: bytes(&input.bytes),
            origin: (*input.origin).clone(),
            declared: input.declared,
        })
        .collect())
}

/// The output, in one example; whether there are others.
fn example_of<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    written: Stretch,
) -> Result<(Vec<u8>, bool), Unsolved> {
    if written.is_concrete() {
        return Ok((written.bytes, false));
    }
    let solution = solution(executor, state)?;
    Ok((written.under(&executor.machine.terms, &solution), true))
}

/// The allocation sites that count as visible, ascending; `None` if threads
/// change at synchronisation only.
pub(crate) fn visible_sites<E: Environment>(executor: &Executor<'_, E>) -> Option<Vec<Site>> {
    let mut sites: Vec<Site> = executor.visible.as_ref()?.iter().copied().collect();
    sites.sort_unstable();
    Some(sites)
}

/// A failure with the way to see it again.
pub(crate) fn found<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    failure: &Failure,
    decisions: &[Decision],
) -> Result<Found, Unsolved> {
    let inputs = inputs(executor, state)?;
    Ok(Found {
        failure: failure.clone(),
        decisions: decisions.to_vec(),
        inputs,
        threads: state.threads.iter().map(|thread| thread.name.clone()).collect(),
        visible: visible_sites(executor),
    })
}

/// Adds the races of the step just taken, of which `decisions` ends with the last decision. Returns whether
/// exploration should continue; the execution does, since a race need not have an effect. One that does not
/// count ends nothing, and nothing is left open behind it.
pub(crate) fn collect_races<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    decisions: &[Decision],
    exploration: &mut Exploration,
    options: &super::ExploreOptions,
) -> bool {
    let guide = executor.machine.options.guide.as_ref();
    for failure in std::mem::take(&mut executor.notes.races) {
        let alike = exploration.failures.iter().filter(|found| found.failure.same_fault(&failure));
        let most = if options.keep_endings { MOST_SIGHTS } else { 1 };
        let is_known = alike.take(most).count() == most;
        if is_known
            || !options.counted.counts(&failure)
            || guide.is_some_and(|guide| !guide.accepts(state, &failure))
        {
            continue;
        }
        exploration.progress.races += 1;
        match found(executor, state, &failure, decisions) {
            Ok(found) => exploration.failures.push(found),
            Err(Unsolved::Incomplete(incomplete)) => exploration.cut(incomplete),
            Err(Unsolved::Halted(reason)) => {
                exploration.cut(reason.into());
                return false;
            }
        }
        if options.end_with(&exploration.failures) {
            return false;
        }
    }
    true
}

/// Reports lock nestings to the observer that it does not know yet.
pub(crate) fn report_nestings<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    observer: &mut dyn Observer,
) {
    for nesting in executor.machine.environment.nestings(&state.data) {
        let mut hasher = FxHasher::default();
        nesting.hash(&mut hasher);
        if !executor.notes.nestings_told.insert(hasher.finish()) {
            continue;
        }
        let lock = |lock: &LockTaken| Lock {
            address: lock.address,
            name: executor.name_of(state, lock.address),
            shared: lock.shared,
            location: location(&executor.machine.program, lock.span),
        };
        observer.nesting(Nesting {
            thread: state.thread(nesting.thread).name.clone(),
            title: executor.title(state, nesting.thread),
            stretch: symx_trace::nesting::Stretch {
                thread: nesting.thread.0,
                before: Arc::clone(&nesting.stretch),
            },
            held: nesting.held.iter().map(lock).collect(),
            wanted: lock(&nesting.wanted),
        });
    }
}

/// The result of an execution that has ended, to compare executions by.
pub(crate) fn ending<E: Environment>(
    executor: &Executor<'_, E>,
    state: &State<E>,
    decisions: &[Decision],
    failure: Option<&Failure>,
) -> Option<Ending> {
    let written = |stretch: Stretch| Written { bytes: stretch.bytes, symbolic: stretch.symbolic };
    let unknown = |input: &SymbolicInput| Unknown {
        name: input.name.to_string(),
        bytes: Arc::clone(&input.bytes),
        origin: (*input.origin).clone(),
        declared: input.declared,
    };
    let environment = &executor.machine.environment;
    let files = environment.files(&state.data).into_iter();
    let result = match (failure, &state.end) {
        (Some(failure), _) => EndResult::Failed(failure.clone()),
        (None, Some(End::Exit(exit))) => EndResult::Exit {
            status: exit.status,
            output: written(environment.standard_output(&state.data)),
            errors: written(environment.standard_error(&state.data)),
            files: files.map(|(path, left)| (path, left.map(written))).collect(),
        },
        _ => return None,
    };
    Some(Ending {
        path: state.path.to_vec(),
        result,
        decisions: decisions.to_vec(),
        threads: state.threads.iter().map(|thread| thread.name.clone()).collect(),
        inputs: state.inputs.iter().map(unknown).collect(),
    })
}

/// Whether all that [`collect`] reports of an execution that exits is its outcome. Then another one with the
/// same outcome need only be counted.
pub(crate) fn collects_outcomes_only<E: Environment>(
    executor: &Executor<'_, E>,
    observer: &dyn Observer,
    options: &super::ExploreOptions,
) -> bool {
    let machine = &executor.machine.options;
    !options.keep_endings
        && !options.counted.look_at(AtEnd::Process)
        && machine.remedies.is_none()
        && machine.expected_output.is_none()
        && !observer.wants_paths()
}

/// Adds the result of an execution that has ended.
pub(crate) fn collect<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    decisions: &[Decision],
    exploration: &mut Exploration,
    observer: &mut dyn Observer,
    options: &super::ExploreOptions,
) -> Collected {
    let before = exploration.progress;
    if may_be_impossible(executor, state) {
        exploration.progress.blocked += 1;
        return Collected::GoOn;
    }
    match collect_solved(executor, state, decisions, exploration, observer, options) {
        Ok(true) => Collected::GoOn,
        Ok(false) => Collected::Enough,
        Err(reason) => {
            exploration.progress = before;
            exploration.cut(reason.into());
            Collected::Halted
        }
    }
}

/// Whether an execution may be none of the memory model's. A store to an object that does not count as
/// visible goes past its thread's buffer, and past what loads remember of other stores. If another thread
/// then touches the object, it may see that store and miss older ones.
fn may_be_impossible<E: Environment>(executor: &Executor<'_, E>, state: &State<E>) -> bool {
    let is_visible = || executor.visible.as_ref().is_some_and(|sites| !sites.is_empty());
    let keeps_history = executor.machine.model.keeps_history();
    !state.discovered.is_empty()
        && (keeps_history && is_visible() || state.threads.iter().any(|thread| thread.stores_issued > 0))
}

/// Counts what an execution has written that ended with this status.
fn add_outcome<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    status: u8,
    exploration: &mut Exploration,
) -> Result<(), Unsolved> {
    let written = executor.machine.environment.standard_output(&state.data);
    if let Some(why) = crate::exit_checks::cannot_compare(executor, &written) {
        exploration.cut(why);
    }
    let (output, is_example) = example_of(executor, state, written)?;
    if exploration.errors.is_none() {
        let errors = executor.machine.environment.standard_error(&state.data).bytes;
        exploration.errors = Some(errors).filter(|errors| !errors.is_empty());
    }
    if is_example {
        exploration.examples.insert((output.clone(), status));
    }
    *exploration.outcomes.entry((output, status)).or_default() += 1;
    Ok(())
}

/// An execution as a case of its path.
fn path_case<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    failure: Option<&Failure>,
) -> Result<PathCase, Unsolved> {
    let exit_status = match (failure, &state.end) {
        (None, Some(End::Exit(exit))) => Some(exit.status),
        _ => None,
    };
    Ok(PathCase { inputs: inputs(executor, state)?, exit_status, failure: failure.cloned() })
}

/// As [`collect`]: whether exploration should continue, unless queries are ended.
fn collect_solved<E: Environment>(
    executor: &mut Executor<'_, E>,
    state: &State<E>,
    decisions: &[Decision],
    exploration: &mut Exploration,
    observer: &mut dyn Observer,
    options: &super::ExploreOptions,
) -> Result<bool, StopReason> {
    exploration.progress.executions += 1;
    report_nestings(executor, state, observer);
    let threads = state.threads.iter().filter(|thread| !thread.is_to_come).count() as u32;
    exploration.progress.threads = exploration.progress.threads.max(threads);
    let failure = match &state.end {
        Some(End::Failed(failure)) => Some(Arc::clone(failure)),
        Some(End::Exit(exit)) => {
            let failure = crate::exit_checks::check(executor, state, *exit, options).map(Arc::new);
            if failure.is_none() && executor.is_beside_precedences(state) {
                exploration.progress.blocked += 1;
                return Ok(true);
            }
            if failure.is_none() {
                match add_outcome(executor, state, exit.status, exploration) {
                    Ok(()) => observer.execution_passed(),
                    Err(Unsolved::Halted(reason)) => return Err(reason),
                    Err(Unsolved::Incomplete(incomplete)) => {
                        exploration.cut(incomplete);
                        return Ok(true);
                    }
                }
            }
            failure
        }
        None => None,
    };
    if let Some(why) = crate::exit_checks::cannot_tell_leaks(executor, state, options) {
        exploration.cut(why);
    }
    if options.keep_endings && exploration.endings.len() < MOST_ENDINGS {
        let is_equal = |a: &Ending, b: &Ending| (&a.path, &a.result) == (&b.path, &b.result);
        let ending = ending(executor, state, decisions, failure.as_deref());
        let endings = &mut exploration.endings;
        endings.extend(ending.filter(|ending| !endings.iter().any(|known| is_equal(known, ending))));
    }
    if observer.wants_paths() {
        match path_case(executor, state, failure.as_deref()) {
            Ok(case) => observer.path(case),
            Err(Unsolved::Halted(reason)) => return Err(reason),
            Err(Unsolved::Incomplete(incomplete)) => exploration.cut(incomplete),
        }
    }
    let Some(failure) = failure else { return Ok(true) };
    if let Some(guide) = &executor.machine.options.guide
        && !guide.accepts(state, &failure)
    {
        return Ok(true);
    }
    if exploration.failures.iter().any(|found| found.failure.same_fault(&failure)) {
        return Ok(true);
    }
    match found(executor, state, &failure, decisions) {
        Ok(found) => {
            exploration.failures.push(found);
            Ok(!options.end_with(&exploration.failures))
        }
        Err(Unsolved::Halted(reason)) => Err(reason),
        Err(Unsolved::Incomplete(incomplete)) => {
            exploration.cut(incomplete);
            Ok(true)
        }
    }
}
