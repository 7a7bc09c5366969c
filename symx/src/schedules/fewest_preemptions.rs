//! `--prove-minimal`: that the failure takes as many preemptions as its schedule has, or
//! a schedule with fewer.

use crate::report::FewestPreemptions;
use crate::schedules::laid_out::problem_of;
use crate::schedules::limits::{MOST_STEPS, MOST_WORK};
use crate::session::Session;
use symx_checkers::synthesis::{Fewest, Problem, fewest_preemptions, moves_of, steps_of, validate};
use symx_expr::StopToken;
use symx_posix_explore::{ExploreOptions, Found, enact, symbolic_trace};

impl FewestPreemptions {
    fn of(known: u32, fewest: &Fewest) -> Self {
        let found = fewest.better.as_ref().map_or(known, |better| better.preemptions);
        Self { at_least: fewest.at_least, found, not_proven: fewest.cut.as_ref().map(ToString::to_string) }
    }

    /// That nothing is proven, for this reason.
    fn unknown(found: u32, why: String) -> Self {
        Self { at_least: 0, found, not_proven: Some(why) }
    }

    /// In one line.
    pub fn told(&self) -> String {
        let least = match self.at_least {
            1 => "at least 1 preemption is required on these paths".to_owned(),
            least => format!("at least {least} preemptions are required on these paths"),
        };
        match &self.not_proven {
            None => format!("proven minimal: {least}\n"),
            Some(why) => format!("not proven minimal ({why}): {least}; found with {}\n", self.found),
        }
    }
}

/// The fewest preemptions with which a trace's bug shows, which is known to show with the `known` number.
pub fn prove(problem: &Problem, known: u32, over: &StopToken) -> (FewestPreemptions, Fewest) {
    let steps = MOST_STEPS.min(MOST_WORK / problem.event_count().max(1) as u64);
    let fewest = fewest_preemptions(problem, known, steps, over);
    (FewestPreemptions::of(known, &fewest), fewest)
}

/// The same for a failure that was found: of all schedules in which the threads do what they do in it. If
/// there is one with fewer preemptions, what the program does under that.
pub fn prove_of_failure(
    session: &Session,
    found: &Found,
    preemptions: u32,
    options: &ExploreOptions,
    over: &StopToken,
) -> (FewestPreemptions, Option<Found>) {
    let machine = session.numbering(&found.threads).machine_for(&found.inputs);
    let solver = || session.solver(StopToken::default());
    let (visible, decisions) = (found.visible.as_deref(), &found.decisions);
    let traced = symbolic_trace(&machine, solver(), visible, decisions, options, over);
    let laid_out = traced.map_err(|why| why.to_string()).and_then(|traced| {
        let problem = problem_of(&traced, session.memory_model)?;
        let inputs = problem.recorded_inputs();
        let schedule = moves_of(&problem, &traced.order, &inputs)
            .and_then(|moves| validate(&problem, &moves, &inputs))
            .map_err(|why| why.to_string())?;
        Ok((traced, problem, schedule))
    });
    let (traced, problem, own) = match laid_out {
        Ok(laid_out) => laid_out,
        Err(why) => return (FewestPreemptions::unknown(preemptions, why), None),
    };
    let known = own.preemptions;
    let (proof, fewest) = prove(&problem, known, over);
    // Further steps of the program besides its events might block others, so the schedule is run.
    let better = fewest.better.or((known < preemptions).then_some(own)).and_then(|schedule| {
        let steps = steps_of(&problem, &schedule).ok()?;
        let enacted = enact(&machine, solver(), &traced, &steps, options, &StopToken::default()).ok()?;
        let failure = enacted.failure().filter(|failure| failure.same_fault(&found.failure))?.clone();
        let (decisions, threads) = (enacted.decisions, enacted.threads);
        Some(Found {
            failure,
            decisions,
            threads,
            visible: Some(traced.shared),
            inputs: found.inputs.clone(),
        })
    });
    (proof, better)
}
