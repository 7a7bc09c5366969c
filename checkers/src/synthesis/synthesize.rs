//! From a problem to a schedule: engines are asked in turn or side by side, and believed once the schedule
//! has shown the bug.

use crate::synthesis::Unknown;
use crate::synthesis::Unsolved;
use crate::synthesis::engines::clocks::Clocks;
use crate::synthesis::engines::forward::Forward;
use crate::synthesis::engines::order_theory::OrderTheory;
use crate::synthesis::engines::search::{Search, SearchLimits};
use crate::synthesis::engines::{Answer, Engine};
use crate::synthesis::execution::linearise::linearise;
use crate::synthesis::execution::model::Model;
use crate::synthesis::execution::schedule::{Schedule, validate};
use crate::synthesis::fewer::with_fewer_preemptions;
use crate::synthesis::fewest::{fewest_preemptions, with_any_preemptions, with_few_preemptions};
use crate::synthesis::limits::{
    FEW_PREEMPTIONS, MOST_EVENTS_SEARCHED, MOST_SEARCHED, MOST_STEPS_FOR_FEWER, STEPS_FOR_FEWEST,
};
use crate::synthesis::problem::{EventId, Problem};
use crate::synthesis::system::{System, certain_orders};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use symx_expr::solver::Z3Options;
use symx_expr::{Canceller, StopToken};

/// The result of synthesis.
#[derive(Clone, Debug)]
pub enum Synthesis {
    /// A schedule that shows the bug.
    Found {
        /// The schedule, validated.
        schedule: Schedule,
        /// Which engine.
        engine: &'static str,
        /// No schedule of the trace with fewer preemptions shows the bug: all were looked at.
        at_least: u32,
    },
    /// No execution of the trace's paths shows the bug.
    Impossible {
        /// Which engine.
        engine: &'static str,
    },
    /// No engine knows, for these reasons.
    Unknown(Vec<Unsolved>),
}

fn unknown(engine: Option<&'static str>, why: impl Into<Unknown>) -> Synthesis {
    Synthesis::Unknown(vec![Unsolved { engine, why: why.into() }])
}

/// The schedule of a model that has the fewest preemptions; why there is none otherwise.
pub(crate) fn schedule_of(problem: &Problem, system: &System, model: &Model) -> Result<Schedule, Unknown> {
    fewest_preemptions_of(problem, &system.edges, model)
}

fn fewest_preemptions_of(
    problem: &Problem,
    certain: &[(EventId, EventId)],
    model: &Model,
) -> Result<Schedule, Unknown> {
    let moves = [model.moves.clone(), linearise(problem, certain, model)];
    let candidates = moves.iter().flatten().map(|moves| validate(problem, moves, &model.inputs));
    let mut why = Unknown::NoExecution;
    let mut best: Option<Schedule> = None;
    for candidate in candidates {
        match candidate {
            Ok(schedule) => {
                let cost = |schedule: &Schedule| (schedule.preemptions, schedule.context_switches);
                if best.as_ref().is_none_or(|best| cost(&schedule) < cost(best)) {
                    best = Some(schedule);
                }
            }
            Err(invalid) => why = Unknown::Invalid(invalid.to_string()),
        }
    }
    best.ok_or(why)
}

/// Limits of the engines of [`synthesize_by_all`].
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
        let search = SearchLimits { steps: 250_000, ..SearchLimits::default() };
        Self { search, forward: 5_000_000, conflicts: Some(2_000_000), z3: Z3Options::default() }
    }
}

/// Asks all engines in turn: the search for few preemptions, the forward walk, the order theory, and
/// Z3, which knows floats.
pub fn synthesize_by_all(problem: &Problem, limits: &SynthesisLimits) -> Synthesis {
    synthesize_side_by_side(problem, limits, 1, &StopToken::default())
}

/// As [`synthesize_by_all`], `jobs` engines at a time. As soon as one knows, the others are stopped, but for
/// the search: it is short, and what it finds has the fewest preemptions. With one job the answer is always
/// the same. All stop at `over`.
pub fn synthesize_side_by_side(
    problem: &Problem,
    limits: &SynthesisLimits,
    jobs: usize,
    over: &StopToken,
) -> Synthesis {
    let at_least = AtomicU32::new(0);
    let (system, search, rest) = (OnceLock::new(), over.cancellable(), over.cancellable());
    let has_looked_narrowly = AtomicBool::new(false);
    let portfolio = Portfolio { problem, limits, system, at_least, has_looked_narrowly, search, rest };
    let next = AtomicUsize::new(0);
    let answers: [OnceLock<Synthesis>; STAGES.len()] = Default::default();
    let work = || {
        while let Some(stage) = STAGES.get(next.fetch_add(1, Ordering::Relaxed)) {
            let answer = portfolio.ask(*stage);
            portfolio.stop_others(&answer);
            answers[*stage as usize].set(answer).expect("each is asked once");
        }
    };
    std::thread::scope(|scope| {
        (1..jobs.min(STAGES.len())).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let preemptions = |answer: &Synthesis| match answer {
        Synthesis::Impossible { .. } => Some(0),
        Synthesis::Found { schedule, .. } => Some(schedule.preemptions),
        Synthesis::Unknown(_) => None,
    };
    let (known, unknown): (Vec<_>, Vec<_>) = answers
        .into_iter()
        .filter_map(OnceLock::into_inner)
        .partition(|answer| preemptions(answer).is_some());
    if let Some(best) = known.into_iter().min_by_key(preemptions) {
        return portfolio.with_fewest(best, over);
    }
    let reasons = unknown.into_iter().filter_map(|answer| match answer {
        Synthesis::Unknown(reasons) => Some(reasons),
        _ => None,
    });
    let mut reasons: Vec<Unsolved> = reasons.flatten().collect();
    reasons.dedup();
    Synthesis::Unknown(reasons)
}

/// The engines, in the order in which they are asked.
const STAGES: [Stage; 4] = [Stage::Search, Stage::Forward, Stage::OrderTheory, Stage::Z3];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Search,
    Forward,
    OrderTheory,
    Z3,
}

/// Engines that are asked about one problem.
struct Portfolio<'a> {
    problem: &'a Problem,
    limits: &'a SynthesisLimits,
    /// Its constraints, once an engine needs them.
    system: OnceLock<System>,
    /// No schedule with fewer preemptions shows the bug.
    at_least: AtomicU32,
    /// Narrow searches have been made.
    has_looked_narrowly: AtomicBool,
    /// The token that stops the search.
    search: (StopToken, Canceller),
    /// The token that stops the others.
    rest: (StopToken, Canceller),
}

impl Portfolio<'_> {
    fn ask(&self, stage: Stage) -> Synthesis {
        let (stop, _) = if stage == Stage::Search { &self.search } else { &self.rest };
        if let Some(reason) = stop.reason() {
            return unknown(None, reason);
        }
        match stage {
            // These need no constraints, which may be many.
            Stage::Search => return self.search(stop),
            Stage::Forward => return self.forward(stop),
            Stage::OrderTheory | Stage::Z3 => {}
        }
        if let Err(why) = self.problem.fits_in_tables() {
            return unknown(None, Unknown::Invalid(why.to_string()));
        }
        let system = self.system.get_or_init(|| System::stopped_by(self.problem, stop));
        if let Some(reason) = stop.reason() {
            return unknown(None, reason);
        }
        let (problem, stopped) = (self.problem, stop.clone());
        match stage {
            Stage::Z3 => {
                let mut z3 = Clocks::stopped_by(problem, system, self.limits.z3.clone(), stopped);
                synthesize(problem, system, &mut [&mut z3])
            }
            _ => {
                let mut theory = OrderTheory::stopped_by(problem, system, self.limits.conflicts, stopped);
                synthesize(problem, system, &mut [&mut theory])
            }
        }
    }

    fn search_steps(&self) -> u64 {
        self.limits.search.steps.min(MOST_SEARCHED / self.problem.event_count().max(1) as u64)
    }

    /// Looks for a schedule with few preemptions.
    fn search(&self, stop: &StopToken) -> Synthesis {
        if self.problem.event_count() > MOST_EVENTS_SEARCHED {
            return unknown(Some("search"), Unknown::LongTrace);
        }
        // The walk, which is asked next, has stores committed at once: where they may be late, something is
        // to be known soon.
        let buffers_stores = self.problem.model.buffers_stores();
        let any = || with_any_preemptions(self.problem, self.search_steps(), stop);
        let any = buffers_stores.then(any).flatten();
        let limits = SearchLimits { steps: self.search_steps(), ..self.limits.search };
        let mut search = Search::new(self.problem, limits).stopped_by(stop.clone());
        let engine = search.name();
        let answer = search.solve(&[]);
        let at_least = search.at_least();
        self.at_least.fetch_max(at_least, Ordering::Relaxed);
        if buffers_stores && matches!(answer, Answer::Unknown(_)) {
            let known = any.as_ref().map_or(u32::MAX, |any| any.preemptions);
            let few = || with_few_preemptions(self.problem, known, self.search_steps(), stop);
            let few = (known > at_least).then(few).flatten();
            self.has_looked_narrowly.store(true, Ordering::Relaxed);
            if let Some(schedule) = few.or(any) {
                return Synthesis::Found { schedule, engine, at_least };
            }
        }
        let why = match answer {
            Answer::Core(_) => return Synthesis::Impossible { engine },
            Answer::Unknown(reason) => reason,
            Answer::Model(model) => {
                let moves = model.moves.unwrap_or_default();
                match validate(self.problem, &moves, &model.inputs) {
                    Ok(schedule) => return Synthesis::Found { schedule, engine, at_least },
                    Err(invalid) => Unknown::Invalid(invalid.to_string()),
                }
            }
        };
        unknown(Some(engine), why)
    }

    /// Looks for any schedule, in no time if there is much to go by.
    fn forward(&self, stop: &StopToken) -> Synthesis {
        let mut forward = Forward::new(self.problem, self.limits.forward).stopped_by(stop.clone());
        let engine = forward.name();
        let why = match forward.solve(&[]) {
            Answer::Core(_) => return Synthesis::Impossible { engine },
            Answer::Unknown(why) => why,
            Answer::Model(model) => {
                let certain = certain_orders(self.problem);
                match fewest_preemptions_of(self.problem, &certain, &model) {
                    Ok(mut schedule) => {
                        let at_least = self.at_least.load(Ordering::Relaxed);
                        if schedule.preemptions > at_least {
                            schedule = with_fewer_preemptions(
                                self.problem,
                                &certain,
                                schedule,
                                MOST_STEPS_FOR_FEWER,
                                stop,
                            );
                        }
                        return Synthesis::Found { schedule, engine, at_least };
                    }
                    Err(why) => why,
                }
            }
        };
        unknown(Some(engine), why)
    }

    /// The answer with fewer preemptions, if some are found in a moment: with the fewest, if those are few.
    fn with_fewest(&self, found: Synthesis, over: &StopToken) -> Synthesis {
        let Synthesis::Found { mut schedule, mut engine, at_least } = found else { return found };
        let mut at_least = at_least.max(self.at_least.load(Ordering::Relaxed));
        if self.problem.event_count() > MOST_EVENTS_SEARCHED {
            return Synthesis::Found { schedule, engine, at_least };
        }
        let mut take = |better: Option<Schedule>| {
            if let Some(better) = better {
                (schedule, engine) = (better, "search");
            }
            schedule.preemptions
        };
        let mut known = take(None);
        let has_looked = self.has_looked_narrowly.load(Ordering::Relaxed);
        if at_least < known && known > FEW_PREEMPTIONS && !has_looked {
            known = take(with_few_preemptions(self.problem, known, self.search_steps(), over));
        }
        if at_least < known && known <= FEW_PREEMPTIONS {
            let steps = STEPS_FOR_FEWEST * self.search_steps();
            let fewest = fewest_preemptions(self.problem, known, steps, over);
            at_least = at_least.max(fewest.at_least);
            take(fewest.better);
        }
        Synthesis::Found { schedule, engine, at_least }
    }

    /// Stops the engines that cannot find anything better than this.
    fn stop_others(&self, answer: &Synthesis) {
        let is_best = match answer {
            Synthesis::Unknown(_) => return,
            Synthesis::Impossible { .. } => true,
            Synthesis::Found { schedule, .. } => schedule.preemptions == 0,
        };
        self.rest.1.cancel();
        if is_best {
            self.search.1.cancel();
        }
    }
}

/// Asks engines in turn until one knows.
pub fn synthesize(problem: &Problem, system: &System, engines: &mut [&mut dyn Engine]) -> Synthesis {
    if system.is_contradictory() {
        return Synthesis::Impossible { engine: "pruning" };
    }
    let mut reasons = Vec::new();
    for engine in engines {
        match engine.solve(&[]) {
            Answer::Core(_) => return Synthesis::Impossible { engine: engine.name() },
            Answer::Unknown(why) => reasons.push(Unsolved { engine: Some(engine.name()), why }),
            Answer::Model(model) => match schedule_of(problem, system, &model) {
                Ok(schedule) => {
                    let steps = MOST_STEPS_FOR_FEWER;
                    let stop = engine.stop();
                    let schedule = with_fewer_preemptions(problem, &system.edges, schedule, steps, &stop);
                    return Synthesis::Found { schedule, engine: engine.name(), at_least: 0 };
                }
                Err(why) => reasons.push(Unsolved { engine: Some(engine.name()), why }),
            },
        }
    }
    Synthesis::Unknown(reasons)
}
