//! From a schedule that fails to what there is to say about it: the schedule made simple, the nearest execution that does
//! not fail, where the two differ, and which orders make it fail. Whatever is shown was executed.

use crate::budget::Deadline;
use crate::confirm::{in_finer_steps, simpler};
use crate::explored_cause::{Ends, explored_cause};
use crate::render::{advice, of_wait, place};
use crate::session::Session;
use std::sync::Arc;
use symx_checkers::alternate::{NoAlternate, ReorderingLimits, earlier, nearest, reorder};
use symx_checkers::projection::{
    self, add_last_use, fold, is_cut_short, leaves_paths, of_old_reads, of_race, remedies, show_cause,
    steps_of_events, suspects,
};
use symx_checkers::synthesis::{self, OrderTheory, Problem, System, moves_of, steps_of, validate};
use symx_checkers::{
    CauseLimits, NoRootCause, RootCause, avoiding, avoiding_within, cause_by_scope, deadlock_cause,
    root_cause,
};
use symx_expr::Terms;
use symx_expr::solver::Cutoff;
use symx_interp::explore::{ExploreOptions, Found, Rerun, enact, enact_fine, observe, symbolic_trace};
use symx_interp::memory::Site;
use symx_interp::state::End;
use symx_interp::symbolic_trace::Traced;
use symx_trace::explanation::{Cause, Dependence, Difference, Execution, Explanation, Remedy, VERSION};
use symx_trace::replay::moves;
use symx_trace::symbolic::Operation;
use symx_trace::{Decision, FailureKind, Schedule, ThreadName};

/// Conflicts that one question to the order theory may take.
const MOST_CONFLICTS: u32 = 200_000;

/// Literals of a system that takes no more than a moment; longer executions are asked about in windows.
const MOST_LITERALS: u64 = 1_500_000;
/// Gates of circuits that take no more than a moment.
const MOST_GATES: u64 = 1_000_000;
/// Events at the end of a long execution that may change their order.
const WINDOWS: [usize; 3] = [60, 200, 600];

/// Events of an execution that is looked at access by access though it was found by its synchronisation only.
const MOST_FINER: usize = 5_000;

/// Steps of an exploration that is tried before executions in which steps change places: where it is complete and each execution
/// fails, there is nothing to look for.
const FEW_STEPS: u64 = 10_000;

/// Orders of a trace that the program is run in, in search of one in which it does not fail.
const MOST_ENACTED: u32 = 16;

const UNAVOIDABLE: &str =
    "no order of the same events avoids the failure: a branch has to change, or more to happen first";

/// Why none is suggested, unless something else turns out to help.
pub const NO_REMEDY_FOLLOWS: &str = "no remedy is suggested: none follows from the steps that differ";

const NO_NEAR_ONE: &str = "every order of steps that was tried fails";

/// Explains a failure until the `end`; the schedule is made simple before unless it is to stay `as_it_is`.
/// `None` if the decisions do not lead to the failure.
pub fn explain(
    session: &Session,
    found: &Found,
    options: &ExploreOptions,
    as_it_is: bool,
    end: &Deadline,
) -> Option<Explanation> {
    let session = &session.numbering(&found.threads);
    let goes_on: &mut dyn FnMut() -> bool = &mut || !end.is_over();
    // To see that threads go round for ever takes long: one execution of that is enough.
    let is_livelock = found.failure.kind == FailureKind::Livelock;
    let finer = (!is_livelock).then(|| finer(session, found, options, end)).flatten();
    let found = finer.as_ref().unwrap_or(found);
    let simpler = (!as_it_is && !is_livelock).then(|| simpler(session, found, options, end)).flatten();
    let found = simpler.map_or_else(|| found.clone(), |simpler| simpler.found);
    let limits = CauseLimits {
        most_literals: MOST_LITERALS,
        most_conflicts: MOST_CONFLICTS,
        interrupt: end.interrupt(),
    };
    let mut explainer = Explainer {
        session,
        options,
        found: &found,
        asking: limits,
        end,
        no_cause: None,
        dependence: Dependence::Order,
        shared: None,
        limits: Vec::new(),
    };
    // What there is to be told is replayed however long that takes.
    let (ended, mut failing) = explainer.observe(&found.decisions, &Cutoff::default());
    match ended {
        Some(End::Failed(failure)) if failure.same_fault(&found.failure) => {}
        _ => return None,
    }
    let solved = explainer.solved(&failing, goes_on).unwrap_or_else(|why| {
        explainer.no_cause = Some(why);
        Solved::default()
    });
    let alternate = solved.alternate.or_else(|| explainer.reordered(goes_on));
    if let Some(visible) = explainer.shared.take() {
        match in_finer_steps(session, &found, visible, options) {
            Some(wider) => return explain(session, &wider.found, options, as_it_is, end),
            None => explainer.limits.push(NO_NEAR_ONE.into()),
        }
    }
    let mut difference = Difference::default();
    if let Some(alternate) = &alternate {
        add_last_use(&mut failing, alternate);
        difference = projection::difference(&failing, alternate);
    }
    let is_race = found.failure.kind == FailureKind::Race;
    let remedies = match &alternate {
        _ if is_race => of_race(&failing),
        Some(alternate) => remedies(&failing, alternate, &difference),
        None => of_old_reads(&failing),
    };
    let mut cause = solved.cause.and_then(|cause| explainer.told(cause, &mut failing, alternate.as_ref()));
    if let Some(alternate) = alternate.as_ref().filter(|_| !is_race) {
        let is_open =
            explainer.no_cause.is_some() || cause.as_ref().is_some_and(|cause| cause.orders.is_empty());
        cause = is_open.then(|| explainer.explored(&failing, alternate, &difference)).flatten().or(cause);
    }
    if let (Some(alternate), Some(cause)) = (&alternate, &cause) {
        show_cause(&mut difference, &failing, alternate, cause);
    }
    explainer.say_what_is_missing(&failing, alternate.as_ref(), &difference, &remedies);
    let mut explanation = Explanation {
        version: VERSION,
        program: session.loaded.path.display().to_string(),
        memory_model: session.memory_model.name().into(),
        failing,
        alternate,
        difference,
        cause: cause.unwrap_or_default(),
        dependence: explainer.dependence,
        remedies,
        limits: explainer.limits,
    };
    fold(&mut explanation);
    Some(explanation)
}

/// The same failure with a step for each access to all that its threads share, if the schedule given has none for some: a
/// failure that is found early is found while it is not known yet what is shared. `None` if there is nothing to add.
fn finer(session: &Session, found: &Found, options: &ExploreOptions, end: &Deadline) -> Option<Found> {
    let known = found.visible.as_deref();
    if session.options.remedies.is_some() {
        return None;
    }
    let machine = session.machine_for(&found.inputs);
    let solver = || session.solver(Cutoff::default()).0;
    let traced =
        symbolic_trace(&machine, solver(), known, &found.decisions, options, &mut || !end.is_over()).ok()?;
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
    /// What questions to engines may take.
    asking: CauseLimits,
    end: &'a Deadline,
    /// Why no orders are proven to be the cause.
    no_cause: Option<String>,
    dependence: Dependence,
    /// What threads share, if more of it has to be visible than is in the failing execution to tell one that does not fail.
    shared: Option<Vec<Site>>,
    limits: Vec<String>,
}

/// An event by its thread and place in program order.
type Place = (usize, usize);

/// What the symbolic trace of the failing execution led to.
#[derive(Default)]
struct Solved {
    alternate: Option<Execution>,
    cause: Option<ProvenCause>,
}

/// Orders that make the execution fail.
struct ProvenCause {
    /// What they are orders of events of.
    traced: Traced,
    /// The earlier event first.
    orders: Vec<(Place, Place)>,
    /// Whether none can be left out.
    is_minimal: bool,
}

impl ProvenCause {
    fn new(traced: Traced, problem: &Problem, cause: &RootCause) -> Self {
        let place = |event| {
            let position = problem.position(event);
            (position.thread, position.index)
        };
        let orders = cause.orders.iter().map(|(one, other)| (place(*one), place(*other))).collect();
        let is_minimal = cause.is_minimal && !traced.has_path_in_bug;
        Self { traced, orders, is_minimal }
    }
}

impl Explainer<'_> {
    /// What happens under these decisions before the `cutoff`, and how that ends.
    fn observe(&self, decisions: &[Decision], cutoff: &Cutoff) -> (Option<End>, Execution) {
        self.observe_in(self.session, decisions, cutoff)
    }

    /// The same where threads have other numbers.
    fn observe_in(
        &self,
        session: &Session,
        decisions: &[Decision],
        cutoff: &Cutoff,
    ) -> (Option<End>, Execution) {
        let machine = session.machine_for(&self.found.inputs);
        let solver = || session.solver(Cutoff::default()).0;
        let (visible, expected) = (self.found.visible.as_deref(), Some(&self.found.failure));
        let (replayed, execution) =
            observe(&machine, solver, visible, decisions, expected, self.options, cutoff);
        (replayed.end, execution)
    }

    /// The execution under these decisions, if it does not fail.
    fn observe_fine(&self, decisions: &[Decision]) -> Option<Execution> {
        self.observe_fine_in(self.session, decisions)
    }

    /// The same where threads have other numbers.
    fn observe_fine_in(&self, session: &Session, decisions: &[Decision]) -> Option<Execution> {
        match self.observe_in(session, decisions, &self.end.cutoff()) {
            (Some(End::Exit(_)), execution) => Some(execution),
            _ => None,
        }
    }

    /// What engines find for the execution's symbolic trace; why they are not asked, otherwise.
    fn solved(
        &mut self,
        failing_execution: &Execution,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Solved, String> {
        if self.session.options.remedies.is_some() {
            return Err("a symbolic trace knows nothing of remedies assumed".into());
        }
        if self.found.failure.kind == FailureKind::Race {
            return Err("these accesses race in whatever order they are made".into());
        }
        let machine = self.session.machine_for(&self.found.inputs);
        let (solver, _) = self.session.solver(Cutoff::default());
        let (visible, decisions) = (self.found.visible.as_deref(), &self.found.decisions);
        let traced = symbolic_trace(&machine, solver, visible, decisions, self.options, goes_on)
            .map_err(|not| format!("a symbolic trace cannot express {}", not.what))?;
        let terms = Arc::new(Terms::new());
        let problem = Problem::new(terms, traced.trace.clone(), self.session.memory_model)
            .and_then(|problem| problem.fits_in_tables().map(|()| problem))
            .map_err(|why| format!("{why}"))?;
        let inputs = problem.recorded_inputs();
        let failing = moves_of(&problem, &traced.order, &inputs)
            .and_then(|moves| validate(&problem, &moves, &inputs))
            .map_err(|why| format!("{why}"))?;
        if problem.trace.threads.iter().any(|thread| thread.blocked.is_some()) {
            return self.come_to_stand(traced, &problem, &failing, goes_on);
        }
        if problem.terms.is_constant(problem.bug()) {
            // Executions are tried instead.
            return Err(format!("{}", NoRootCause::NoCondition));
        }
        if System::estimate(&problem) > MOST_LITERALS || problem.gates() > MOST_GATES {
            return self.solved_in_parts(failing_execution, traced, &problem, &failing, goes_on);
        }
        let system = match avoiding(&problem, &failing) {
            Ok(system) => system,
            Err(why) => return Err(format!("{why}")),
        };
        let mut engine = self.asking.engine(&problem, &system);
        let alternate = match nearest(&problem, &failing, &system, &mut engine, goes_on) {
            Ok(nearest) => self.enacted(failing_execution, &traced, &problem, nearest.schedule, goes_on),
            Err(NoAlternate::Unavoidable) => {
                self.limits.push(UNAVOIDABLE.into());
                None
            }
            Err(NoAlternate::Unknown(why)) => {
                self.limits.push(format!("no nearest execution is proven: {why}"));
                None
            }
        };
        let cause = self.cause(traced, &problem, &failing, &system, &mut engine, goes_on);
        Ok(Solved { alternate, cause })
    }

    /// Why threads wait for ever. Executions are tried in search of an alternate: who gets past goes on with events that are
    /// in no trace.
    fn come_to_stand(
        &mut self,
        mut traced: Traced,
        problem: &Problem,
        failing: &synthesis::Schedule,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Solved, String> {
        let found =
            deadlock_cause(problem, failing, &self.asking, goes_on).map_err(|why| format!("{why}"))?;
        if found.cause.orders.is_empty() {
            self.limits.push(UNAVOIDABLE.into());
        }
        traced.trace = found.problem.trace.clone();
        let cause = Some(ProvenCause::new(traced, &found.problem, &found.cause));
        Ok(Solved { alternate: None, cause })
    }

    /// Of a long execution: the nearest one among those that differ near the end, in windows that grow (MaxSMT section
    /// 4.3), and a cause among the orders of what the failure depends on, wherever that is.
    fn solved_in_parts(
        &mut self,
        failing_execution: &Execution,
        traced: Traced,
        problem: &Problem,
        failing: &synthesis::Schedule,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Solved, String> {
        let cause = cause_by_scope(problem, failing, &self.asking, goes_on);
        if cause.is_none() {
            self.no_cause = Some("the execution is long".into());
        }
        if cause.as_ref().is_some_and(|cause| cause.orders.is_empty()) {
            self.limits.push(UNAVOIDABLE.into());
        }
        let mut alternate = None;
        for window in WINDOWS.into_iter().filter(|window| *window < problem.event_count()) {
            if !goes_on() {
                break;
            }
            let system = match avoiding_within(problem, failing, window) {
                Ok(system) => system,
                Err(why) => return Err(format!("{why}")),
            };
            let mut engine = self.asking.engine(problem, &system);
            match nearest(problem, failing, &system, &mut engine, goes_on) {
                Ok(nearest) => {
                    alternate = self.enacted(failing_execution, &traced, problem, nearest.schedule, goes_on);
                    self.limits.push(format!(
                        "the execution is long: the nearest one was looked for where all but its last {window} events \
                         stay in their order"
                    ));
                    break;
                }
                Err(NoAlternate::Unavoidable) => {}
                Err(NoAlternate::Unknown(why)) => {
                    self.limits.push(format!("no nearest execution is proven: {why}"));
                    break;
                }
            }
        }
        Ok(Solved { alternate, cause: cause.map(|cause| ProvenCause::new(traced, problem, &cause)) })
    }

    /// The orders of events that make it fail.
    fn cause(
        &mut self,
        traced: Traced,
        problem: &Problem,
        failing: &synthesis::Schedule,
        system: &System,
        engine: &mut OrderTheory,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<ProvenCause> {
        match root_cause(problem, failing, system, engine, goes_on) {
            Ok(cause) => Some(ProvenCause::new(traced, problem, &cause)),
            Err(why) => {
                self.no_cause = Some(why.to_string());
                None
            }
        }
    }

    /// A cause as orders of steps. `None`, and why, if some event is no step.
    fn told(
        &mut self,
        cause: ProvenCause,
        failing: &mut Execution,
        alternate: Option<&Execution>,
    ) -> Option<Cause> {
        let ProvenCause { traced, orders, is_minimal } = cause;
        let looks = |thread, event| traced.looks_for_life(thread, event);
        let steps = steps_of_events(failing, &traced.trace, looks);
        let step = |(thread, index): Place| steps.get(thread)?.get(index).copied().flatten();
        let named: Option<Vec<(u32, u32)>> =
            orders.iter().map(|(one, other)| Some((step(*one)?, step(*other)?))).collect();
        let Some(named) = named else {
            let told = |(one, other): &(Place, Place)| {
                format!("{} before {}", event_in_words(&traced, *one), event_in_words(&traced, *other))
            };
            let told: Vec<String> = orders.iter().map(told).collect();
            self.limits.push(format!(
                "it fails whenever {} (proven; not all of these are steps of this schedule, in which threads change at \
                 synchronisation only)",
                told.join(", and ")
            ));
            return None;
        };
        // One order is none too many if there is an execution of the same paths that does not fail.
        let stays = |alternate: &Execution| leaves_paths(failing, alternate).is_empty();
        let is_minimal = is_minimal || named.len() == 1 && alternate.is_some_and(stays);
        // What comes before or after others of a store that waits is that it reaches memory.
        let effects = named.into_iter().map(|(one, other)| {
            let one = failing.effect(one);
            if failing.effect(other) < one {
                failing.add_commit(other);
            }
            (one, failing.effect(other))
        });
        Some(Cause { orders: effects.collect(), is_minimal, ..Cause::default() })
    }

    /// The program under a schedule of its trace, if it does not fail then; or under one in which the thread that failed
    /// comes a little earlier, since what it does next is in no trace.
    fn enacted(
        &mut self,
        failing: &Execution,
        traced: &Traced,
        problem: &Problem,
        schedule: synthesis::Schedule,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<Execution> {
        let failed = &self.found.failure.thread;
        let failed = problem.trace.threads.iter().position(|thread| thread.name == *failed);
        let others = failed.into_iter().flat_map(|thread| earlier(problem, &schedule, thread));
        let mut left = MOST_ENACTED;
        for schedule in std::iter::once(schedule.clone()).chain(others) {
            if left == 0 || !goes_on() {
                break;
            }
            left -= 1;
            let steps = steps_of(problem, &schedule).ok()?;
            let machine = self.session.machine_for(&self.found.inputs);
            let (solver, _) = self.session.solver(Cutoff::default());
            let fine = enact_fine(&machine, solver, traced, &steps, self.options, &self.end.cutoff());
            if let Some(execution) = fine.and_then(|enacted| self.observe_fine(&enacted.decisions))
                && !is_cut_short(failing, &execution)
            {
                return Some(execution);
            }
        }
        None
    }

    /// The nearest execution among those in which steps change places.
    fn reordered(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Option<Execution> {
        let ends = Ends::within(self.session, &self.found.inputs, self.options, self.end, FEW_STEPS);
        if self.always_fails(&ends) {
            return None;
        }
        let machine = self.session.machine_for(&self.found.inputs);
        let (solver, _) = self.session.solver(Cutoff::default());
        let Found { failure, decisions, threads, visible, .. } = self.found;
        let mut rerun = Rerun::new(&machine, solver, visible.as_deref(), threads, failure, self.options)
            .until(self.end.cutoff());
        let given = moves(decisions.iter().copied());
        let found = reorder(&mut rerun, &given, ReorderingLimits::default(), goes_on);
        let execution = found.and_then(|found| self.observe_fine(&found.run.decisions));
        if execution.is_none()
            && let Some(why) = self.end.reason()
        {
            self.limits.push(match why {
                "max-time" => "no execution that does not fail was found in the time given".into(),
                why => format!("no execution that does not fail was found: {why}"),
            });
            return None;
        }
        execution.or_else(|| self.explored_alternate())
    }

    /// Whether every execution fails, which is all there is to say then.
    fn always_fails(&mut self, ends: &Ends) -> bool {
        let always = ends.always_fails();
        if always {
            self.dependence =
                if self.found.inputs.is_empty() { Dependence::Nothing } else { Dependence::Inputs };
        }
        always
    }

    /// An execution that does not fail, wherever it is: the first one that an exploration comes to.
    fn explored_alternate(&mut self) -> Option<Execution> {
        let Found { inputs, visible, .. } = self.found;
        let ends = Ends::of(self.session, inputs, self.options, self.end);
        if self.always_fails(&ends) {
            return None;
        }
        // It is compared step by step, so that both need to have the same ones.
        let known = visible.as_deref().unwrap_or_default();
        if ends.good.is_some() && ends.visible.len() > known.len() {
            self.shared = Some(ends.visible);
            return None;
        }
        let good = ends.good.filter(|_| ends.visible == known);
        let execution = good.and_then(|(decisions, threads)| {
            self.observe_fine_in(&self.session.numbering(&threads), &decisions)
        });
        self.limits.push(match (&execution, ends.cut) {
            (Some(_), _) => format!("{NO_NEAR_ONE}; the one shown is the first that exploring came to"),
            (None, Some(why)) => {
                format!("{NO_NEAR_ONE}; there may be others: exploring all was cut short ({why})")
            }
            (None, None) => NO_NEAR_ONE.into(),
        });
        execution
    }

    /// Orders that explorations show to make it fail.
    fn explored(
        &mut self,
        failing: &Execution,
        alternate: &Execution,
        difference: &Difference,
    ) -> Option<Cause> {
        let suspects = suspects(failing, alternate, difference);
        let (session, inputs) = (self.session, &self.found.inputs);
        let cause = explored_cause(session, failing, &suspects, inputs, self.options, self.end)?;
        self.no_cause = None;
        Some(cause)
    }

    /// Says why parts are missing. Where nothing depends on the order of steps, none is.
    fn say_what_is_missing(
        &mut self,
        failing: &Execution,
        alternate: Option<&Execution>,
        difference: &Difference,
        remedies: &[Remedy],
    ) {
        if self.dependence != Dependence::Order {
            self.limits.clear();
            return;
        }
        if let Some(why) = &self.no_cause {
            self.limits.insert(0, format!("no orders are proven to be the cause: {why}"));
        }
        let is_advised = failing.failure.as_ref().is_some_and(|failure| advice(failure).is_some());
        let is_advised = is_advised || of_wait(failing).is_some();
        if remedies.is_empty() && !is_advised {
            let why = match alternate {
                Some(_) => NO_REMEDY_FOLLOWS,
                None => "no remedy is suggested: there is no execution to compare with",
            };
            self.limits.push(why.into());
        }
        let Some(alternate) = alternate else { return };
        self.say_who_leaves(failing, alternate);
        if is_cut_short(failing, alternate) {
            let who = failing.failure.as_ref().map_or_else(String::new, |failure| failure.thread.to_string());
            self.limits.push(format!(
                "the execution that does not fail ends before thread {who} comes to where it fails"
            ));
        }
        if difference.failing_steps.is_empty() {
            let why =
                "no step that both executions take differs: they differ in which steps are taken at all";
            self.limits.push(why.into());
        }
    }

    fn say_who_leaves(&mut self, failing: &Execution, alternate: &Execution) {
        let left = leaves_paths(failing, alternate);
        if left.is_empty() {
            return;
        }
        let threads = left.iter().map(ThreadName::to_string).collect::<Vec<_>>().join(", ");
        let (plural, verb) = if left.len() == 1 { ("", "takes") } else { ("s", "take") };
        self.limits.push(format!(
            "in the execution that does not fail, thread{plural} {threads} {verb} another branch"
        ));
    }
}

/// `thread 0.1 reads queue (a.c:12)`, of an event of a symbolic trace.
fn event_in_words(traced: &Traced, (thread, index): Place) -> String {
    let trace = &traced.trace;
    let thread = &trace.threads[thread];
    let event = &thread.events[index];
    let does = match event.operation {
        Operation::Read { .. } => "looks at",
        Operation::Write { .. } => "writes",
        _ => "comes to",
    };
    let what = event.operation.span().map(|span| trace.objects[span.object.0 as usize].description.as_str());
    let place = place(&event.location);
    match what {
        Some(what) => format!("thread {} {does} {} ({place})", thread.name, what.replace('`', "")),
        None => format!("thread {} {does} {place}", thread.name),
    }
}
