//! Reproducing a recorded failure by synthesis. The recorded paths become a symbolic trace, its constraints a
//! schedule, and the program runs under that (CLAP, PLDI 2013).

use crate::limits::budget::{Budget, Deadline};
use crate::limits::memory::KeptFree;
use crate::limits::progress::ProgressLine;
use crate::options::ExploringOptions;
use crate::report::SynthesisStatistics;
use crate::schedules::limits::{LONGEST_TRACING, ORDERS, SHORT_SEARCH};
use crate::session::Session;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;
use symx_checkers::synthesis::{
    Problem, Synthesis, SynthesisLimits, Unsolved, steps_of, synthesize_side_by_side,
};
use symx_expr::{StopToken, Terms};
use symx_posix_explore::{Exploration, ExploreOptions, Found, Recorded, enact, explore_all, recorded_trace};
use symx_trace::IncompleteReason;
use symx_trace::symbolic::{ObjectName, SymbolicTrace};

/// Engines that reproduce a recorded failure.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Explore schedules, those near the recorded order first
    Search,
    /// Synthesise a schedule from the recorded paths by constraints
    Synthesis,
    /// A short search, then synthesis, then a long search
    Both,
}

/// The work before, or instead of, a long search.
#[derive(Default)]
pub struct Reproduction {
    /// Its exploration, if that is all that is to be done.
    pub exploration: Option<Exploration>,
    /// Why synthesis found no schedule, if it was tried.
    pub why_not: Option<String>,
    /// The trace of the threads along the recorded paths, if it is known.
    pub trace: Option<SymbolicTrace>,
    /// The cost of synthesis, if it was tried.
    pub statistics: Option<SynthesisStatistics>,
}

/// Looks for a schedule under which the program fails as it did when its paths were recorded.
pub fn reproduce(
    session: &Session,
    options: &ExploreOptions,
    exploring: &ExploringOptions,
    engine: Engine,
) -> Reproduction {
    let started = Instant::now();
    let mut reproduction = Reproduction::default();
    if engine == Engine::Search {
        return reproduction;
    }
    if engine == Engine::Both {
        let limit = exploring.max_time.map_or(SHORT_SEARCH, |whole| SHORT_SEARCH.min(whole / 4));
        let mut budget = Budget::new(Some(limit), exploring.max_memory, ProgressLine::silent());
        let machine = session.machine_until(budget.cutoff());
        let solver = session.solver(budget.cutoff());
        let exploration = explore_all(&machine, solver, options, &mut budget);
        let is_short = exploration.incomplete.iter().any(|cut| cut.reason == IncompleteReason::MaxTime);
        if !exploration.failures.is_empty() || !is_short {
            reproduction.exploration = Some(exploration);
            return reproduction;
        }
    }
    // Some time is left for a long search, or else to explain what is found.
    let end = Instant::now()
        + match exploring.max_time.map(|whole| whole.saturating_sub(started.elapsed())) {
            None => LONGEST_TRACING,
            Some(left) if engine == Engine::Synthesis => left * 3 / 4,
            Some(left) => LONGEST_TRACING.min(left / 2),
        };
    let mut found = Err(String::new());
    for order in 0..ORDERS {
        let mut statistics = SynthesisStatistics::default();
        // Another order may do where this one takes long.
        let now = Instant::now();
        let following =
            Following { order, jobs: exploring.jobs(), end: now + end.saturating_duration_since(now) / 2 };
        let followed = follow(session, options, &following, &mut reproduction, &mut statistics);
        reproduction.statistics = Some(statistics);
        // The result of the first order says most about why there is no schedule.
        if followed.is_ok() || order == 0 {
            found = followed;
        }
        if found.is_ok() || Instant::now() >= end {
            break;
        }
    }
    match found {
        Ok(found) => {
            reproduction.exploration = Some(Exploration { failures: vec![found], ..Exploration::default() });
        }
        Err(why) => reproduction.why_not = Some(why),
    }
    if engine == Engine::Synthesis {
        reproduction.exploration.get_or_insert_with(Exploration::default);
    }
    reproduction
}

/// How recorded paths are followed.
struct Following {
    /// The number of the order of the threads.
    order: u64,
    /// How many engines are asked at a time.
    jobs: usize,
    end: Instant,
}

fn follow(
    session: &Session,
    options: &ExploreOptions,
    &Following { order, jobs, end }: &Following,
    reproduction: &mut Reproduction,
    statistics: &mut SynthesisStatistics,
) -> Result<Found, String> {
    let started = Instant::now();
    let guided = session.machine();
    let new_solver = || session.solver(StopToken::default());
    let deadline = Deadline::at(Some(end));
    let (start, leaves_open) = (order / 2, order.is_multiple_of(2));
    let recorded = recorded_trace(&guided, &new_solver, start, leaves_open, &deadline.cutoff());
    statistics.tracing_ms = started.elapsed().as_millis() as u64;
    let Recorded { traced, attempts, .. } = recorded.map_err(|why| why.to_string())?;
    let trace = reproduction.trace.insert(SymbolicTrace {
        program: session.loaded.path.display().to_string(),
        program_hash: session.loaded.hash.clone(),
        ..traced.trace.clone()
    });
    count(trace, statistics);
    statistics.attempts = attempts;
    let mut problem = Problem::new(Arc::new(Terms::new()), traced.trace.clone(), session.memory_model)
        .map_err(|why| why.to_string())?;
    problem.suggest(&traced.order);
    let started = Instant::now();
    let over = deadline.or_without_memory(None, KeptFree::HalfOfRest).cutoff();
    let answer = synthesize_side_by_side(&problem, &SynthesisLimits::default(), jobs, &over);
    statistics.solving_ms = started.elapsed().as_millis() as u64;
    let (schedule, engine) = match answer {
        Synthesis::Found { schedule, engine, .. } => (schedule, engine),
        Synthesis::Impossible { engine } => {
            return Err(format!("{engine}: no schedule of the recorded paths shows the failure"));
        }
        Synthesis::Unknown(reasons) => {
            return Err(reasons.iter().map(Unsolved::to_string).collect::<Vec<_>>().join("; "));
        }
    };
    statistics.engine = engine.into();
    statistics.context_switches = schedule.context_switches;
    statistics.preemptions = schedule.preemptions;
    let steps = steps_of(&problem, &schedule).map_err(|why| why.to_string())?;
    let machine = session.machine_for(&[]);
    let solver = new_solver();
    let enacted = enact(&machine, solver, &traced, &steps, options, &StopToken::default())
        .map_err(|why| why.to_string())?;
    let expected = traced.trace.bug.failure.as_ref();
    let failure = enacted.failure().filter(|seen| expected.is_some_and(|expected| expected.same_fault(seen)));
    let Some(failure) = failure.cloned() else {
        return Err(match enacted.failure() {
            Some(other) => format!("the schedule found leads to a different failure: {}", other.message),
            None => "the schedule found does not lead to the failure".into(),
        });
    };
    Ok(Found {
        failure,
        decisions: enacted.decisions,
        inputs: Vec::new(),
        threads: enacted.threads,
        visible: Some(traced.shared.clone()),
    })
}

/// Counts what a trace holds.
pub fn count(trace: &SymbolicTrace, statistics: &mut SynthesisStatistics) {
    statistics.threads = trace.threads.len() as u32;
    statistics.events = trace.event_count() as u64;
    statistics.conditions = trace.threads.iter().map(|thread| thread.conditions.len() as u64).sum();
    let spans =
        trace.threads.iter().flat_map(|thread| &thread.events).filter_map(|event| event.operation.span());
    let is_program_memory = |object: &ObjectName| !matches!(object, ObjectName::Within { .. });
    let places: BTreeSet<(u32, u64)> = spans
        .filter(|span| is_program_memory(&trace.objects[span.object.0 as usize].name))
        .map(|span| (span.object.0, span.offset))
        .collect();
    statistics.shared_places = places.len() as u64;
    let objects: BTreeSet<u32> = places.iter().map(|(object, _)| *object).collect();
    statistics.shared_objects = objects.len() as u64;
}
