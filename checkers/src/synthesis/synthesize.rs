//! From a problem to a schedule: engines are asked in turn, and believed once the schedule has shown the bug.

use super::clocks::Clocks;
use super::engine::{Answer, Engine, Interrupt, Model};
use super::fewer::with_fewer_preemptions;
use super::forward::Forward;
use super::linearise::linearise;
use super::order_theory::OrderTheory;
use super::problem::{EventId, Problem};
use super::schedule::{Schedule, validate};
use super::search::{Search, SearchLimits};
use super::system::{System, certain_orders};
use symx_expr::solver::Z3Options;

/// What synthesis found.
#[derive(Clone, Debug)]
pub enum Synthesis {
    /// A schedule that shows the bug.
    Found {
        /// The schedule, validated.
        schedule: Schedule,
        /// Which engine.
        engine: &'static str,
    },
    /// No execution of the trace's paths shows the bug.
    Impossible {
        /// Which engine.
        engine: &'static str,
    },
    /// No engine knows, for these reasons.
    Unknown(Vec<String>),
}

/// The schedule of a model that has the fewest preemptions; why there is none otherwise.
pub(crate) fn schedule_of(problem: &Problem, system: &System, model: &Model) -> Result<Schedule, String> {
    fewest_preemptions(problem, &system.edges, model)
}

fn fewest_preemptions(
    problem: &Problem,
    certain: &[(EventId, EventId)],
    model: &Model,
) -> Result<Schedule, String> {
    let moves = [model.moves.clone(), linearise(problem, certain, model)];
    let candidates = moves.iter().flatten().map(|moves| validate(problem, moves, &model.inputs));
    let mut reason = "its execution is none of the trace".to_string();
    let mut best: Option<Schedule> = None;
    for candidate in candidates {
        match candidate {
            Ok(schedule) => {
                let cost = |schedule: &Schedule| (schedule.preemptions, schedule.context_switches);
                if best.as_ref().is_none_or(|best| cost(&schedule) < cost(best)) {
                    best = Some(schedule);
                }
            }
            Err(invalid) => reason = invalid.to_string(),
        }
    }
    best.ok_or(reason)
}

/// What the engines of [`synthesize_by_all`] may spend.
#[derive(Clone, Debug)]
pub struct SynthesisLimits {
    /// The search, which comes first.
    pub search: SearchLimits,
    /// Steps of the forward walk, which comes next.
    pub forward: u64,
    /// Conflicts of the order theory, which comes second.
    pub conflicts: Option<u32>,
    /// Z3, which comes last.
    pub z3: Z3Options,
}

impl Default for SynthesisLimits {
    fn default() -> Self {
        let search = SearchLimits { steps: 100_000, ..SearchLimits::default() };
        Self { search, forward: 5_000_000, conflicts: Some(2_000_000), z3: Z3Options::default() }
    }
}

/// Asks all engines in turn: the search for few preemptions, the forward walk, the order theory, and Z3, which knows floats.
pub fn synthesize_by_all(problem: &Problem, limits: &SynthesisLimits) -> Synthesis {
    synthesize_while(problem, limits, &mut |_| true)
}

/// As [`synthesize_by_all`]; `begins` is given what stops each engine before that is asked, and says whether to ask it.
pub fn synthesize_while(
    problem: &Problem,
    limits: &SynthesisLimits,
    begins: &mut dyn FnMut(Interrupt) -> bool,
) -> Synthesis {
    // The search needs no constraints, which may be many.
    let mut reasons = match search(problem, limits.search, begins) {
        Synthesis::Unknown(reasons) => reasons,
        known => return known,
    };
    match forward(problem, limits.forward, begins) {
        Synthesis::Unknown(why) => reasons.extend(why),
        known => return known,
    }
    if let Err(why) = problem.fits_in_tables() {
        reasons.push(why.to_string());
        return Synthesis::Unknown(reasons);
    }
    // Before its constraints are made, which may take long.
    if !begins(Interrupt::default()) {
        reasons.push(Interrupt::REASON.into());
        return Synthesis::Unknown(reasons);
    }
    let system = System::new(problem);
    let mut ask = |engine: &mut dyn Engine| {
        if !begins(engine.interrupt()) {
            return None;
        }
        match synthesize(problem, &system, &mut [engine]) {
            Synthesis::Unknown(why) => {
                reasons.extend(why);
                None
            }
            known => Some(known),
        }
    };
    let found = ask(&mut OrderTheory::new(problem, &system, limits.conflicts))
        .or_else(|| ask(&mut Clocks::new(problem, &system, limits.z3.clone())));
    found.unwrap_or(Synthesis::Unknown(reasons))
}

/// Longer traces are not searched: the few steps there would be time for copy, and evaluate terms of, all there is.
const MOST_EVENTS_SEARCHED: usize = 4_096;
/// Steps times events of the search.
const MOST_SEARCHED: u64 = 30_000_000;

/// Looks for a schedule with few preemptions.
fn search(problem: &Problem, limits: SearchLimits, begins: &mut dyn FnMut(Interrupt) -> bool) -> Synthesis {
    if problem.event_count() > MOST_EVENTS_SEARCHED {
        return Synthesis::Unknown(vec!["search: the trace is long".into()]);
    }
    // A step takes time in proportion to the events.
    let steps = limits.steps.min(MOST_SEARCHED / problem.event_count().max(1) as u64);
    let mut search = Search::new(problem, SearchLimits { steps, ..limits });
    if !begins(search.interrupt()) {
        return Synthesis::Unknown(vec![Interrupt::REASON.into()]);
    }
    let engine = search.name();
    let why = match search.solve(&[]) {
        Answer::Core(_) => return Synthesis::Impossible { engine },
        Answer::Unknown(reason) => reason,
        Answer::Model(model) => {
            let moves = model.moves.unwrap_or_default();
            match validate(problem, &moves, &model.inputs) {
                Ok(schedule) => return Synthesis::Found { schedule, engine },
                Err(invalid) => invalid.to_string(),
            }
        }
    };
    Synthesis::Unknown(vec![format!("{engine}: {why}")])
}

/// Looks for any schedule, in no time if there is much to go by.
fn forward(problem: &Problem, steps: u64, begins: &mut dyn FnMut(Interrupt) -> bool) -> Synthesis {
    let mut forward = Forward::new(problem, steps);
    if !begins(forward.interrupt()) {
        return Synthesis::Unknown(vec![Interrupt::REASON.into()]);
    }
    let engine = forward.name();
    let why = match forward.solve(&[]) {
        Answer::Core(_) => return Synthesis::Impossible { engine },
        Answer::Unknown(why) => why,
        Answer::Model(model) => {
            let certain = certain_orders(problem);
            match fewest_preemptions(problem, &certain, &model) {
                Ok(schedule) => {
                    let schedule = with_fewer_preemptions(problem, &certain, schedule, MOST_STEPS_FOR_FEWER);
                    return Synthesis::Found { schedule, engine };
                }
                Err(why) => why,
            }
        }
    };
    Synthesis::Unknown(vec![format!("{engine}: {why}")])
}

/// Steps that may be taken to find a schedule with fewer preemptions, well under a second's work.
const MOST_STEPS_FOR_FEWER: u64 = 300_000;

/// Asks engines in turn until one knows.
pub fn synthesize(problem: &Problem, system: &System, engines: &mut [&mut dyn Engine]) -> Synthesis {
    if system.is_contradictory() {
        return Synthesis::Impossible { engine: "pruning" };
    }
    let mut reasons = Vec::new();
    for engine in engines {
        match engine.solve(&[]) {
            Answer::Core(_) => return Synthesis::Impossible { engine: engine.name() },
            Answer::Unknown(reason) => reasons.push(format!("{}: {reason}", engine.name())),
            Answer::Model(model) => match schedule_of(problem, system, &model) {
                Ok(schedule) => {
                    let steps = MOST_STEPS_FOR_FEWER;
                    let schedule = with_fewer_preemptions(problem, &system.edges, schedule, steps);
                    return Synthesis::Found { schedule, engine: engine.name() };
                }
                Err(reason) => reasons.push(format!("{}: {reason}", engine.name())),
            },
        }
    }
    Synthesis::Unknown(reasons)
}
