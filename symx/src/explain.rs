//! From a schedule that fails to what there is to say about it: the schedule made simple, the nearest execution that does
//! not fail, and where the two differ. Whatever is shown was executed.

use crate::confirm::simpler;
use crate::session::Session;
use symx_checkers::alternate::{Reordered, ReorderingLimits, reorder};
use symx_checkers::projection::{difference, fold, leaves_paths, remedies};
use symx_expr::solver::Cutoff;
use symx_interp::explore::{ExploreOptions, Found, Rerun, observe};
use symx_interp::state::End;
use symx_trace::explanation::{Cause, Difference, Execution, Explanation, VERSION};
use symx_trace::replay::moves;
use symx_trace::{Decision, ThreadName};

/// Explains a failure, spending what `goes_on` allows. `None` if the decisions do not lead to it.
pub fn explain(
    session: &Session,
    found: &Found,
    options: &ExploreOptions,
    goes_on: &mut dyn FnMut() -> bool,
) -> Option<Explanation> {
    let mut limits = Vec::new();
    let found = match simpler(session, found, options, goes_on) {
        Some(simpler) => simpler.found,
        None => found.clone(),
    };
    let explainer = Explainer { session, options, found: &found };
    let (end, failing) = explainer.observe(&found.decisions);
    match end {
        Some(End::Failed(failure)) if failure.same_fault(&found.failure) => {}
        _ => return None,
    }
    let alternate = explainer.alternate(goes_on, &mut limits);
    let (difference, remedies) = match &alternate {
        Some(alternate) => {
            let difference = difference(&failing, alternate);
            let remedies = remedies(&failing, alternate, &difference);
            (difference, remedies)
        }
        None => (Difference::default(), Vec::new()),
    };
    if let Some(alternate) = &alternate {
        let left = leaves_paths(&failing, alternate);
        if !left.is_empty() {
            let threads = left.iter().map(ThreadName::to_string).collect::<Vec<_>>().join(", ");
            let plural = if left.len() == 1 { "" } else { "s" };
            limits.push(format!(
                "no execution was found that does not fail and takes the same paths: thread{plural} {threads} \
                 takes another branch in the one compared with"
            ));
        }
    }
    let mut explanation = Explanation {
        version: VERSION,
        program: session.loaded.path.display().to_string(),
        memory_model: session.memory_model.name().into(),
        failing,
        alternate,
        difference,
        cause: Cause::default(),
        remedies,
        limits,
    };
    fold(&mut explanation);
    Some(explanation)
}

struct Explainer<'a> {
    session: &'a Session,
    options: &'a ExploreOptions,
    found: &'a Found,
}

impl Explainer<'_> {
    /// What happens under these decisions, and how that ends.
    fn observe(&self, decisions: &[Decision]) -> (Option<End>, Execution) {
        let machine = self.session.machine_for(&self.found.inputs);
        let solver = || self.session.solver(Cutoff::default()).0;
        let (visible, expected) = (self.found.visible.as_deref(), Some(&self.found.failure));
        let (replayed, execution) = observe(&machine, solver, visible, decisions, expected, self.options);
        (replayed.end, execution)
    }

    /// The nearest execution that does not fail, replayed.
    fn alternate(&self, goes_on: &mut dyn FnMut() -> bool, limits: &mut Vec<String>) -> Option<Execution> {
        let Some(Reordered { run, .. }) = self.reordered(goes_on) else {
            limits.push(match goes_on() {
                true => "every order of events that was tried fails as well: a branch has to change, or the inputs",
                false => "no execution that does not fail was found in the time given",
            }.into());
            return None;
        };
        match self.observe(&run.decisions) {
            (Some(End::Exit(_)), execution) => Some(execution),
            _ => {
                limits.push("the execution that was found not to fail does not replay".into());
                None
            }
        }
    }

    fn reordered(&self, goes_on: &mut dyn FnMut() -> bool) -> Option<Reordered> {
        let machine = self.session.machine_for(&self.found.inputs);
        let (solver, _) = self.session.solver(Cutoff::default());
        let Found { failure, decisions, threads, visible, .. } = self.found;
        let mut rerun = Rerun::new(&machine, solver, visible.as_deref(), threads, failure, self.options);
        reorder(&mut rerun, &moves(decisions.iter().copied()), ReorderingLimits::default(), goes_on)
    }
}
