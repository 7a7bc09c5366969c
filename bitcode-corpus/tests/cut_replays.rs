//! Replays end when there is a reason to, in the midst of an execution.

mod linked;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use symx::harness::compile_bitcode;
use symx_bitcode::LoadOptions;
use symx_bitcode_corpus::{cache, folder};
use symx_expr::solver::{Solver, Z3Options, standard};
use symx_expr::{StopReason, StopToken, Terms};
use symx_interp::{Machine, Options};
use symx_posix_explore::{
    ExploreOptions, FixedSchedule, Found, Observer, Progress, Rerun, explore_all, observe,
};
use symx_posix_model::{Posix, PosixOptions};
use symx_trace::replay::moves;
use symx_trace::{IncompleteReason, Replay};

/// Steps that a replay may take before it is to end.
const STEPS: usize = 3;

fn machine(program: &str) -> Machine<Posix> {
    let bitcode = compile_bitcode(&folder().join(program), &[], &cache()).unwrap();
    let module = linked::module(&bitcode, &LoadOptions::default());
    let program = linked::link(module, &linked::library());
    let posix = Posix::new(PosixOptions { arguments: vec![b"it".to_vec()], ..PosixOptions::default() });
    let model = symx_memmodel::by_name("sc").expect("there is one");
    Machine::new(program, posix, model, Arc::new(Terms::new()), Options::default())
}

struct Endless;

impl Observer for Endless {
    fn progress(&mut self, _: &Progress) -> Option<IncompleteReason> {
        None
    }
}

/// Ends what asks it more often than `STEPS` times; how often it was asked.
fn cutoff() -> (StopToken, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&asked);
    let reason = move || (counts.fetch_add(1, Ordering::Relaxed) >= STEPS).then_some(StopReason::MaxTime);
    (StopToken::when(reason), asked)
}

#[test]
fn replays_end_in_the_midst_of_an_execution() {
    let machine = machine("fail/lost_update.c");
    let solver = || -> Box<dyn Solver> { Box::new(standard(&machine.terms, Z3Options::default())) };
    let options = ExploreOptions::default();
    let exploration = explore_all(&machine, solver(), &options, &mut Endless);
    let Found { failure, decisions, threads, visible, .. } = exploration.failures.first().expect("it fails");
    let visible = visible.as_deref();
    let schedule = FixedSchedule { visible, decisions, expected: Some(failure) };
    let told = |cutoff: &StopToken| observe(&machine, solver, schedule, &options, cutoff);
    let (whole, execution) = told(&StopToken::default());
    assert!(whole.failure().is_some() && execution.steps.len() > STEPS);
    let (replayed, execution) = told(&cutoff().0);
    assert!(replayed.end.is_none() && execution.steps.len() <= STEPS);
    assert!(replayed.divergence.is_some_and(|why| why.contains("max-time")));

    // The first execution of a search, which others are compared with, is no exception.
    let given = moves(decisions.iter().copied());
    let attempt = |cutoff: StopToken| {
        Rerun::new(&machine, solver(), visible, threads, failure, &options).until(cutoff).attempt(&given)
    };
    assert!(attempt(StopToken::default()).is_some());
    let (cutoff, asked) = cutoff();
    assert!(attempt(cutoff).is_none());
    assert_eq!(asked.load(Ordering::Relaxed), STEPS + 1);
}
