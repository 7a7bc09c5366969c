//! Synthesis: engines agree with each other and with the enumeration of all executions.

mod brute_force;
mod random;

use std::sync::Arc;
use symx_checkers::synthesis::{
    Answer, Clocks, Engine, OrderTheory, Problem, Search, SearchLimits, System, linearise, validate,
};
use symx_expr::Terms;
use symx_expr::solver::Z3Options;
use symx_memmodel::MODELS;

/// What one engine says of one problem: whether there is a schedule. A schedule must be valid.
fn verdict(problem: &Problem, system: &System, engine: &mut dyn Engine, what: &str) -> Option<bool> {
    match engine.solve(&[]) {
        Answer::Unknown(_) => None,
        Answer::Core(core) => {
            assert!(core.is_empty(), "{what}: nothing was assumed");
            Some(false)
        }
        Answer::Model(model) => {
            let moves = model.moves.clone().or_else(|| linearise(problem, system, &model));
            let moves = moves.unwrap_or_else(|| panic!("{what}: {} gives no execution", engine.name()));
            if let Err(invalid) = validate(problem, &moves, &model.inputs) {
                panic!("{what}: {}: {invalid}", engine.name());
            }
            Some(true)
        }
    }
}

/// Counts of what was compared.
#[derive(Default, Debug)]
struct Tally {
    possible: usize,
    impossible: usize,
    enumerated: usize,
    searched: usize,
    pruned: usize,
}

fn compare(seed: u64, most_events: usize, most_states: usize, tally: &mut Tally) {
    for model in MODELS {
        let what = format!("seed {seed} under {}", model.name());
        let trace = random::trace(seed, most_events);
        let problem = Problem::new(Arc::new(Terms::new()), trace, *model).expect("a trace that is right");
        let system = System::new(&problem);
        let theory = verdict(&problem, &system, &mut OrderTheory::new(&problem, &system, None), &what);
        let z3 = verdict(&problem, &system, &mut Clocks::new(&problem, &system, Z3Options::default()), &what);
        let limits = SearchLimits { steps: most_states as u64, ..SearchLimits::default() };
        let search = verdict(&problem, &system, &mut Search::new(&problem, limits), &what);
        let enumerated = brute_force::is_possible(&problem, most_states);
        let said = theory.unwrap_or_else(|| panic!("{what}: the order theory has no limits here"));
        for (name, other) in [("Z3", z3), ("search", search), ("enumeration", enumerated)] {
            assert!(
                other.is_none_or(|other| other == said),
                "{what}: order theory says {said}, {name} {other:?}"
            );
        }
        assert!(z3.is_some(), "{what}: Z3 does not know");
        tally.enumerated += usize::from(enumerated.is_some());
        tally.searched += usize::from(search.is_some());
        tally.pruned += usize::from(system.is_contradictory());
        *(if said { &mut tally.possible } else { &mut tally.impossible }) += 1;
    }
}

/// How many traces: `SYMX_SYNTHESIS_TRACES`, 2,000 for the contract's proof.
fn trace_count() -> u64 {
    std::env::var("SYMX_SYNTHESIS_TRACES").ok().and_then(|count| count.parse().ok()).unwrap_or(150)
}

#[test]
fn engines_agree_on_random_traces() {
    let mut tally = Tally::default();
    for seed in 0..trace_count() {
        let most_events = [12, 24, 40, 60][seed as usize % 4];
        compare(seed, most_events, 20_000, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.possible > tally.impossible / 8 && tally.impossible > tally.possible / 8, "{tally:?}");
}
