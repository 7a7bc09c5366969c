//! From a schedule that fails to its explanation: the minimised schedule, the nearest passing execution,
//! where the two differ, and which orders make it fail. Everything shown was executed.

pub(crate) mod branches;
pub(crate) mod budgeted;
pub(crate) mod checked_cause;
pub(crate) mod ends;
pub(crate) mod explored_cause;
mod explored_fix;
pub(crate) mod held_orders;
mod limits;
mod lock_trial;
mod mutex_trial;
mod nearest;
mod passing;
pub mod patch;
pub mod sketch;
mod solving;
pub(crate) mod trial;
pub(crate) mod weakest_ordering;

use crate::explain::branches::changed_branches;
use crate::explain::checked_cause::{Checking, Verdict};
use crate::explain::ends::Ends;
use crate::explain::explored_cause::explored_cause;
use crate::explain::limits::{FEW_STEPS, MOST_FINER};
use crate::limits::budget::Deadline;
use crate::render::advised;
use crate::schedules::confirm::{in_finer_steps, simpler};
use crate::session::Session;
use solving::{ProvenCause, Solved};
use symx_checkers::projection::{
    self, add_last_use, fold, is_cut_short, leaves_paths, missing_locks, of_old_reads, of_race, remedies,
    show_cause, suspects,
};
use symx_expr::StopToken;
use symx_interp::memory::Site;
use symx_interp::state::End;
use symx_posix_explore::{ExploreOptions, FixedSchedule, Found, enact, observe, symbolic_trace};
use symx_trace::explanation::{
    Cause, Check, Dependence, Difference, Execution, Explanation, Limit, Remedy, VERSION,
};
use symx_trace::{Decision, FailureKind, FlippedBranch, Schedule};

const NO_NEAR_ONE: &str = "every reordering that was tried fails";

/// A failure, explained.
pub struct Explained {
    /// The explanation.
    pub explanation: Explanation,
    /// The failing execution that it is about, by its minimised schedule.
    pub found: Found,
}

/// Explains a failure until the `end`; the schedule is minimised before unless it is to stay `as_it_is`.
/// `None` if the decisions do not lead to the failure.
pub fn explain(
    session: &Session,
    found: &Found,
    options: &ExploreOptions,
    as_it_is: bool,
    end: &Deadline,
) -> Option<Explained> {
    let session = &session.numbering(&found.threads);
    let found = minimised(session, found, options, as_it_is, end);
    let mut explainer = Explainer {
        session,
        options,
        found: &found,
        end,
        no_cause: None,
        in_words: Vec::new(),
        dependence: Dependence::Order,
        shared: None,
        limits: Vec::new(),
    };
    // The execution to be reported is replayed however long that takes.
    let (ended, mut failing) = explainer.observe(&found.decisions, &StopToken::default());
    match ended {
        Some(End::Failed(failure)) if failure.same_fault(&found.failure) => {}
        _ => return None,
    }
    let ends = Ends::within(session, &found.inputs, options, end, FEW_STEPS);
    let undone = (!ends.all_fail()).then(|| explainer.undone(&failing)).flatten();
    let solved = explainer.solved(&failing, undone.as_ref()).unwrap_or_else(|why| {
        explainer.no_cause = Some(why);
        Solved::default()
    });
    let passing = solved.passing.or_else(|| explainer.executed(&failing, undone, &ends));
    if let Some(visible) = explainer.shared.take() {
        match in_finer_steps(session, &found, visible, options) {
            Some(wider) => return explain(session, &wider.found, options, as_it_is, end),
            None => explainer.limits.push(NO_NEAR_ONE.into()),
        }
    }
    let mut difference = Difference::default();
    if let Some(passing) = &passing {
        add_last_use(&mut failing, passing);
        difference = projection::difference(&failing, passing);
    }
    // An access to memory not known to be shared is no step, and cannot be seen to differ.
    let known = found.visible.as_ref().map_or(0, Vec::len);
    if passing.is_some()
        && difference.failing_steps.is_empty()
        && ends.good.is_some()
        && ends.visible.len() > known
        && let Some(wider) = in_finer_steps(session, &found, ends.visible, options)
    {
        return explain(session, &wider.found, options, as_it_is, end);
    }
    let remedies = suggested(found.failure.kind, &failing, passing.as_ref(), &difference);
    let cause = explainer.settled(solved.cause, &mut failing, passing.as_ref(), &difference);
    if let (Some(passing), Some(cause)) = (&passing, &cause) {
        show_cause(&mut difference, &failing, passing, cause);
    }
    let changed = |passing: &Execution| changed_branches(session, &found, &failing, passing);
    let branches = passing.as_ref().map_or_else(Vec::new, changed);
    explainer.say_what_is_missing(&failing, passing.as_ref(), (&difference, &branches), &remedies);
    let mut explanation = Explanation {
        version: VERSION,
        program: session.loaded.path.display().to_string(),
        memory_model: session.memory_model.name().into(),
        failing,
        passing,
        difference,
        cause: cause.unwrap_or_default(),
        dependence: explainer.dependence,
        remedies,
        branches,
        limits: explainer.limits,
        inputs: found.inputs.clone(),
    };
    fold(&mut explanation);
    Some(Explained { explanation, found })
}

/// The execution to explain: in fine steps, and by a minimised schedule unless that is to stay `as_it_is`.
fn minimised(
    session: &Session,
    found: &Found,
    options: &ExploreOptions,
    as_it_is: bool,
    end: &Deadline,
) -> Found {
    // To see that threads spin forever takes long: one execution of that is enough.
    if found.failure.kind == FailureKind::Livelock {
        return found.clone();
    }
    let finer = finer(session, found, options, end);
    let found = finer.as_ref().unwrap_or(found);
    let simpler = if as_it_is { None } else { simpler(session, found, options, end) };
    simpler.map_or_else(|| found.clone(), |simpler| simpler.found)
}

/// Fixes to try.
fn suggested(
    kind: FailureKind,
    failing: &Execution,
    passing: Option<&Execution>,
    difference: &Difference,
) -> Vec<Remedy> {
    match passing {
        _ if kind == FailureKind::Race => of_race(failing),
        Some(passing) => {
            let mut suggested = missing_locks(failing, difference);
            suggested.extend(remedies(failing, passing, difference));
            suggested
        }
        None => of_old_reads(failing),
    }
}

/// The same failure with a step for each access to all that its threads share, if the schedule given has none
/// for some. A failure that is found early is found while it is not known yet what is shared. `None` if there
/// is nothing to add.
fn finer(session: &Session, found: &Found, options: &ExploreOptions, end: &Deadline) -> Option<Found> {
    let known = found.visible.as_deref();
    if session.options.remedies.is_some() {
        return None;
    }
    let machine = session.machine_for(&found.inputs);
    let solver = || session.solver(StopToken::default());
    let traced = symbolic_trace(&machine, solver(), known, &found.decisions, options, &end.cutoff()).ok()?;
    let is_known = known.is_some_and(|known| traced.shared.len() <= known.len());
    // Where threads change at synchronisation only, the execution was too long for steps of all accesses.
    if is_known || known.is_none() && traced.trace.event_count() > MOST_FINER {
        return None;
    }
    let enacted = enact(&machine, solver(), &traced, &traced.order, options, &end.cutoff()).ok()?;
    let failure = enacted.failure().filter(|failure| failure.same_fault(&found.failure))?.clone();
    Some(Found {
        failure,
        decisions: enacted.decisions,
        threads: enacted.threads,
        visible: Some(traced.shared),
        inputs: found.inputs.clone(),
    })
}

/// The failure that a schedule leads to, with the way there.
pub fn found_by(schedule: &Schedule) -> Option<Found> {
    let sites = schedule.visible_sites.as_ref();
    Some(Found {
        failure: schedule.failure.clone()?,
        decisions: schedule.unfolded().collect(),
        inputs: schedule.inputs.clone(),
        threads: schedule.threads.clone(),
        visible: sites.map(|sites| sites.iter().map(|site| Site(*site)).collect()),
    })
}

struct Explainer<'a> {
    session: &'a Session,
    options: &'a ExploreOptions,
    found: &'a Found,
    end: &'a Deadline,
    /// Why no orders are proven to be the cause.
    no_cause: Option<String>,
    /// The orders that are proven, where an event of theirs is no step.
    in_words: Vec<String>,
    dependence: Dependence,
    /// Sites that threads share, if a passing execution needs more of them to be visible than the failing one
    /// has.
    shared: Option<Vec<Site>>,
    limits: Vec<Limit>,
}

impl Explainer<'_> {
    /// The execution under these decisions before the `cutoff`, and how that ends.
    fn observe(&self, decisions: &[Decision], cutoff: &StopToken) -> (Option<End>, Execution) {
        self.observe_in(self.session, decisions, cutoff)
    }

    /// The same where threads have other numbers.
    fn observe_in(
        &self,
        session: &Session,
        decisions: &[Decision],
        cutoff: &StopToken,
    ) -> (Option<End>, Execution) {
        let machine = session.machine_for(&self.found.inputs);
        let solver = || session.solver(StopToken::default());
        let (visible, expected) = (self.found.visible.as_deref(), Some(&self.found.failure));
        let schedule = FixedSchedule { visible, decisions, expected };
        let (replayed, execution) = observe(&machine, solver, schedule, self.options, cutoff);
        (replayed.end, execution)
    }

    /// The execution under these decisions, if it does not fail.
    fn observe_passing(&self, decisions: &[Decision]) -> Option<Execution> {
        self.observe_passing_in(self.session, decisions)
    }

    /// The same where threads have other numbers.
    fn observe_passing_in(&self, session: &Session, decisions: &[Decision]) -> Option<Execution> {
        match self.observe_in(session, decisions, &self.end.cutoff()) {
            (Some(End::Exit(_)), execution) => Some(execution),
            _ => None,
        }
    }

    /// The cause to be reported: the proven one as far as it stands, or one that is explored if that says
    /// more.
    fn settled(
        &mut self,
        proven: Option<ProvenCause>,
        failing: &mut Execution,
        passing: Option<&Execution>,
        difference: &Difference,
    ) -> Option<Cause> {
        // Orders of the trace's events lead to this thread's failure. Without them another one fails alike.
        if matches!(self.dependence, Dependence::Inputs | Dependence::Nothing) {
            return None;
        }
        let cause = proven.and_then(|cause| self.as_steps(cause, failing, passing));
        let cause = cause.and_then(|cause| self.checked(cause, failing, passing.is_some()));
        if self.found.failure.kind == FailureKind::Race {
            return cause;
        }
        let Some(passing) = passing else { return cause };
        // One that is about all executions says more.
        let says_little = |cause: &Cause| cause.orders.is_empty() || cause.check == Check::PassesElsewhere;
        let is_open = self.no_cause.is_some() || cause.as_ref().is_some_and(says_little);
        let cause = is_open.then(|| self.explored(failing, passing, difference)).flatten().or(cause);
        let in_words = std::mem::take(&mut self.in_words);
        let without_steps = || Some(Cause { in_words, ..Cause::default() });
        cause.or_else(without_steps)
    }

    /// The part of a cause that stands when it is held against the program's executions.
    fn checked(&mut self, cause: Cause, failing: &Execution, has_passing: bool) -> Option<Cause> {
        let (session, inputs, options) = (self.session, &self.found.inputs, self.options);
        let checking = Checking { session, failing, inputs, options, end: self.end, has_passing };
        match checking.verdict(cause) {
            Verdict::Stands(cause) => Some(cause),
            Verdict::Refuted => {
                self.no_cause = Some("an execution with the orderings found passes".into());
                None
            }
        }
    }

    /// Orders that explorations show to make it fail.
    fn explored(
        &mut self,
        failing: &Execution,
        passing: &Execution,
        difference: &Difference,
    ) -> Option<Cause> {
        let suspects = suspects(failing, passing, difference);
        let (session, inputs) = (self.session, &self.found.inputs);
        let cause = explored_cause(session, failing, &suspects, inputs, self.options, self.end)?;
        self.no_cause = None;
        Some(cause)
    }

    /// Says why parts are missing. Where no order of steps avoids a failure, none is.
    fn say_what_is_missing(
        &mut self,
        failing: &Execution,
        passing: Option<&Execution>,
        (difference, branches): (&Difference, &[FlippedBranch]),
        remedies: &[Remedy],
    ) {
        match self.dependence {
            Dependence::Order => {}
            // The failure that comes otherwise is noted.
            Dependence::WhichFailure => return,
            Dependence::Inputs | Dependence::Nothing => {
                self.limits.clear();
                return;
            }
        }
        if let Some(why) = &self.no_cause {
            self.limits.insert(0, format!("no root cause proven: {why}").into());
        }
        if remedies.is_empty() && advised(failing).is_empty() {
            let why = match passing {
                Some(_) => "none follows from the events that differ",
                None => "there is no passing execution to compare with",
            };
            self.limits.push(Limit::NoFix(why.into()));
        }
        let Some(passing) = passing else { return };
        for limit in &mut self.limits {
            if let Limit::Unavoidable { is_shown } = limit {
                *is_shown = true;
            }
        }
        if branches.is_empty() {
            self.note_threads_that_leave(failing, passing);
        }
        if is_cut_short(failing, passing) {
            let who = failing.failure.as_ref().map_or_else(String::new, |it| failing.title(&it.thread));
            let limit = format!("the passing execution ends before {who} reaches the failing line");
            self.limits.push(limit.into());
        }
        if difference.failing_steps.is_empty() {
            let why = "no common event differs: one execution has events that the other does not have";
            self.limits.push(why.into());
        }
    }

    fn note_threads_that_leave(&mut self, failing: &Execution, passing: &Execution) {
        let left = leaves_paths(failing, passing);
        if left.is_empty() {
            return;
        }
        let threads = left.iter().map(|thread| failing.title(thread)).collect::<Vec<_>>().join(", ");
        let verb = if left.len() == 1 { "takes" } else { "take" };
        self.limits.push(format!("in the passing execution, {threads} {verb} another branch").into());
    }
}
