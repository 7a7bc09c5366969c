//! Synthesis: engines agree with each other and with the enumeration of all executions.

mod brute_force;
mod causes;
mod deadlocks;
mod families;
mod fewer;
mod fewest;
mod models;
mod passing;
mod published;
mod random;
mod second_generator;
mod simulated;
mod spinning;
mod workloads;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use symx_checkers::synthesis::{
    Answer, Clocks, Engine, EventId, Forward, OrderTheory, Problem, Search, SearchLimits, Synthesis,
    SynthesisLimits, System, Unknown, Unsolved, linearise, synthesize, synthesize_by_all,
    synthesize_side_by_side, to_smtlib, validate,
};
use symx_expr::solver::{Z3Options, z3_on_script};
use symx_expr::{StopReason, StopToken, Terms};
use symx_memmodel::MODELS;
use symx_trace::symbolic::{SymbolicTrace, Taken, ThreadRef};

/// The answer of one engine to one problem: whether there is a schedule. A schedule must be valid.
fn verdict(problem: &Problem, system: &System, engine: &mut dyn Engine, what: &str) -> Option<bool> {
    match engine.solve(&[]) {
        Answer::Unknown(_) => None,
        Answer::Core(core) => {
            assert!(core.is_empty(), "{what}: nothing was assumed");
            Some(false)
        }
        Answer::Model(model) => {
            let moves = model.moves.clone().or_else(|| linearise(problem, &system.edges, &model));
            let moves = moves.unwrap_or_else(|| panic!("{what}: {} gives no execution", engine.name()));
            if let Err(invalid) = validate(problem, &moves, &model.inputs) {
                panic!("{what}: {}: {invalid}", engine.name());
            }
            Some(true)
        }
    }
}

/// Counts of comparisons.
#[derive(Default, Debug)]
struct Tally {
    possible: usize,
    impossible: usize,
    enumerated: usize,
    searched: usize,
    walked: usize,
    pruned: usize,
    /// Possible under this model, but under none that is stronger.
    weaker: usize,
}

/// The portfolio finds what its engines find, with `jobs` of them at a time.
fn by_all(problem: &Problem, jobs: usize, what: &str) -> bool {
    match synthesize_side_by_side(problem, &SynthesisLimits::default(), jobs, &StopToken::default()) {
        Synthesis::Found { .. } => true,
        Synthesis::Impossible { .. } => false,
        Synthesis::Unknown(reasons) => panic!("{what}: {reasons:?}"),
    }
}

fn compare(seed: u64, most_events: usize, most_states: usize, tally: &mut Tally) {
    let mut possible_before = false;
    for model in MODELS {
        let what = format!("seed {seed} under {}", model.name());
        let trace = random::trace(seed, most_events);
        let problem = Problem::new(Arc::new(Terms::new()), trace, *model).expect("a trace that is right");
        let system = System::new(&problem);
        let theory = verdict(&problem, &system, &mut OrderTheory::new(&problem, &system, None), &what);
        // However busy the machine is, there is time for an answer.
        let patient = Z3Options { timeout_milliseconds: None, ..Z3Options::default() };
        let z3 = verdict(&problem, &system, &mut Clocks::new(&problem, &system, patient), &what);
        let limits = SearchLimits { steps: most_states as u64, ..SearchLimits::default() };
        let search = verdict(&problem, &system, &mut Search::new(&problem, limits), &what);
        let walked = verdict(&problem, &system, &mut Forward::new(&problem, 20_000), &what);
        let enumerated = brute_force::is_possible(&problem, most_states);
        let said = theory.unwrap_or_else(|| panic!("{what}: the order theory has no limits here"));
        for (name, other) in
            [("Z3", z3), ("search", search), ("forward walk", walked), ("enumeration", enumerated)]
        {
            assert!(
                other.is_none_or(|other| other == said),
                "{what}: order theory says {said}, {name} {other:?}"
            );
        }
        assert!(z3.is_some(), "{what}: Z3 does not know");
        for jobs in [1, 3] {
            assert_eq!(by_all(&problem, jobs, &what), said, "{what}: all engines, {jobs} at a time");
        }
        // Models are ordered from the strongest.
        assert!(said || !possible_before, "{what}: possible under a stronger model only");
        tally.weaker += usize::from(said && !possible_before && model.name() != MODELS[0].name());
        possible_before = said;
        tally.enumerated += usize::from(enumerated.is_some());
        tally.searched += usize::from(search.is_some());
        tally.walked += usize::from(walked.is_some());
        tally.pruned += usize::from(system.is_contradictory());
        *(if said { &mut tally.possible } else { &mut tally.impossible }) += 1;
    }
}

/// How many traces: `SYMX_SYNTHESIS_TRACES`, 2,000 for the contract's proof.
fn trace_count() -> u64 {
    std::env::var("SYMX_SYNTHESIS_TRACES").ok().and_then(|count| count.parse().ok()).unwrap_or(60)
}

/// How many states the enumeration and the search may see: `SYMX_SYNTHESIS_STATES`.
fn most_states() -> usize {
    std::env::var("SYMX_SYNTHESIS_STATES").ok().and_then(|count| count.parse().ok()).unwrap_or(3_000)
}

#[test]
fn engines_agree_on_random_traces() {
    let mut tally = Tally::default();
    for seed in 0..trace_count() {
        let most_events = [12, 24, 40, 60][seed as usize % 4];
        compare(seed, most_events, most_states(), &mut tally);
    }
    println!("{tally:?}");
    // It commits stores at once, and some failures take stores that are late.
    assert!(3 * tally.walked > 2 * tally.possible, "{tally:?}");
    assert!(tally.weaker > 0, "some traces tell models apart");
    assert!(tally.possible > tally.impossible / 8 && tally.impossible > tally.possible / 8, "{tally:?}");
}

#[test]
fn an_order_that_is_suggested_is_taken_if_it_is_an_execution() {
    let problem_of = || {
        let trace = families::lost(4, 100, 4, 10, 0);
        Problem::new(Arc::new(Terms::new()), trace, MODELS[0]).expect("a trace that is right")
    };
    let mut problem = problem_of();
    let Synthesis::Found { schedule, .. } =
        synthesize_side_by_side(&problem, &SynthesisLimits::default(), 1, &StopToken::default())
    else {
        panic!("a lost update has a schedule");
    };
    let taken = schedule.order.iter().map(|event| {
        let position = problem.position(*event);
        let thread = ThreadRef(position.thread as u32);
        Taken::Event { thread, index: position.index as u32, wakes: None }
    });
    let mut taken: Vec<Taken> = taken.collect();
    problem.suggest(&taken);
    let found = |problem: &Problem| match Forward::new(problem, 1).solve(&[]) {
        Answer::Model(model) => model.order,
        other => panic!("{other:?}"),
    };
    assert_eq!(found(&problem), schedule.order);
    // Threads one after the other lose no update: that is no order to keep to, but a way to begin.
    taken.sort_by_key(|taken| matches!(taken, Taken::Event { thread, .. } if thread.0 > 0));
    problem.suggest(&taken);
    assert_ne!(found(&problem), schedule.order);
}

/// Longer traces are walked in an order: a fair one, or one that is nearly an execution.
#[test]
fn a_long_trace_is_walked_in_an_order() {
    let trace = families::lost(8, 3_000, 32, 10, 0);
    let mut problem = Problem::new(Arc::new(Terms::new()), trace, MODELS[0]).expect("a trace that is right");
    assert!(problem.event_count() > 4_096, "{}", problem.event_count());
    let solve = |problem: &Problem| match Forward::new(problem, 1).solve(&[]) {
        Answer::Model(model) => model.order,
        other => panic!("{other:?}"),
    };
    let mut order = solve(&problem);
    // Neighbours of different threads change places: some now acquire a lock that another one holds.
    let thread = |event: &EventId| problem.position(*event).thread;
    for place in (0..order.len() - 1).step_by(20) {
        if thread(&order[place]) != thread(&order[place + 1]) {
            order.swap(place, place + 1);
        }
    }
    let taken = order.iter().map(|event| {
        let position = problem.position(*event);
        let thread = ThreadRef(position.thread as u32);
        Taken::Event { thread, index: position.index as u32, wakes: None }
    });
    let taken: Vec<Taken> = taken.collect();
    problem.suggest(&taken);
    assert_ne!(solve(&problem), order, "the order suggested is no execution");
}

#[test]
fn what_is_stopped_says_so() {
    let trace = families::lost(4, 300, 4, 10, 0);
    let problem = Problem::new(Arc::new(Terms::new()), trace, MODELS[0]).expect("a trace that is right");
    let over = StopToken::when(|| Some(StopReason::MaxTime));
    assert!(System::stopped_by(&problem, &over).is_truncated, "making constraints ends, too");
    let system = System::new(&problem);
    assert!(!system.is_truncated);
    let asked = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&asked);
    let noting = StopToken::when(move || {
        noted.store(true, Ordering::Relaxed);
        Some(StopReason::MaxTime)
    });
    let mut engine = OrderTheory::stopped_by(&problem, &system, None, noting);
    assert!(asked.load(Ordering::Relaxed), "handing over constraints ends, too");
    assert!(matches!(engine.solve(&[]), Answer::Unknown(Unknown::Stopped(StopReason::MaxTime))));
    for jobs in [1, 4] {
        let answer = synthesize_side_by_side(&problem, &SynthesisLimits::default(), jobs, &over);
        let Synthesis::Unknown(reasons) = answer else { panic!("{answer:?}") };
        let why = Unknown::Stopped(StopReason::MaxTime);
        assert_eq!(reasons, [Unsolved { engine: None, why }], "{jobs} at a time");
    }
}

#[test]
fn one_engine_at_a_time_always_says_the_same() {
    for seed in [2, 5, 9] {
        let answers: Vec<String> = (0..2)
            .map(|_| {
                let trace = random::trace(seed, 24);
                let problem =
                    Problem::new(Arc::new(Terms::new()), trace, MODELS[0]).expect("a trace that is right");
                format!("{:?}", synthesize_by_all(&problem, &SynthesisLimits::default()))
            })
            .collect();
        assert_eq!(answers[0], answers[1], "seed {seed}");
    }
}

#[test]
fn a_system_as_text_has_the_answer_of_the_system() {
    let (mut possible, mut impossible) = (0, 0);
    for seed in 0..60 {
        for model in MODELS {
            let trace = random::trace(seed, 20);
            let problem = Problem::new(Arc::new(Terms::new()), trace, *model).expect("a trace that is right");
            let system = System::new(&problem);
            let text = to_smtlib(&problem, &system);
            let what = format!("seed {seed} under {}", model.name());
            let said = verdict(&problem, &system, &mut OrderTheory::new(&problem, &system, None), &what);
            assert_eq!(z3_on_script(&text), said, "{what}");
            *(if said == Some(true) { &mut possible } else { &mut impossible }) += 1;
        }
    }
    assert!(possible > 20 && impossible > 20, "{possible} {impossible}");
}

/// Solves a trace by all engines, and says how.
fn is_solved_in_time(name: &str, trace: SymbolicTrace) {
    let start = Instant::now();
    let problem = Problem::new(Arc::new(Terms::new()), trace, MODELS[0]).expect("a trace that is right");
    let found = synthesize_by_all(&problem, &SynthesisLimits::default());
    let (took, events) = (start.elapsed(), problem.event_count());
    let Synthesis::Found { schedule, engine, .. } = found else { panic!("{name}: {found:?}") };
    println!("{name}: {events} events, {engine}, {took:.2?}, {} preemptions", schedule.preemptions);
    // Under five seconds in a release build on a machine of its own; this is no measurement.
    assert!(took < Duration::from_secs(120), "{name}: {took:?}");
}

/// The sizes of the largest cases of the PLDI 2015 paper. They are pbzip2 with 1,156 shared accesses, nine
/// threads and many locks, and cache4j with 1,411 and none.
#[test]
fn traces_of_published_sizes_are_solved() {
    is_solved_in_time("with locks", families::lost(8, 1_156, 32, 10, 0));
    let (trace, accesses) = published::unlocked_cache(1_411, 20, 0);
    assert!((1_411..1_500).contains(&accesses), "{accesses} accesses");
    is_solved_in_time("without locks", trace);
    // These take the walk by the states of their places.
    for seed in [2, 15, 23, 28] {
        let (trace, accesses) = published::unlocked_cache(1_411, 20, seed);
        assert!((1_411..1_600).contains(&accesses), "{accesses} accesses");
        is_solved_in_time("without locks", trace);
    }
    // And these layers of changes of threads.
    for seed in [74, 120] {
        is_solved_in_time("without locks", published::unlocked_cache(1_411, 20, seed).0);
    }
}

/// Seconds that this thread has had a processor for.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("the kernel counts");
    let nanoseconds: f64 = text.split(' ').next().and_then(|first| first.parse().ok()).expect("a number");
    nanoseconds / 1e9
}

/// How many traces of the size of cache4j (L) are solved within five seconds of CPU time each, or within
/// `SYMX_SYNTHESIS_SECONDS`. There are `SYMX_SYNTHESIS_TRACES` of them.
#[test]
#[ignore = "a table of times"]
fn caches_without_locks_by_seed() {
    let (mut solved, limits) = (0, SynthesisLimits::default());
    let (first, most) = (std::env::var("SYMX_SYNTHESIS_FIRST"), std::env::var("SYMX_SYNTHESIS_ACCESSES"));
    let first: u64 = first.ok().and_then(|first| first.parse().ok()).unwrap_or(0);
    let most: usize = most.ok().and_then(|most| most.parse().ok()).unwrap_or(usize::MAX);
    let seconds =
        std::env::var("SYMX_SYNTHESIS_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5.0);
    let mut asked = 0;
    for seed in first..first + trace_count() {
        let (trace, accesses) = published::unlocked_cache(1_411, 20, seed);
        if accesses > most {
            continue;
        }
        asked += 1;
        let problem = Problem::new(Arc::new(Terms::new()), trace, MODELS[0]).expect("a trace that is right");
        let (start, stop) = (processor_seconds(), second_generator::processor_time(seconds));
        let answer = Forward::new(&problem, limits.forward).stopped_by(stop).solve(&[]);
        let took = processor_seconds() - start;
        let what = match &answer {
            Answer::Model(_) => "solved".to_string(),
            Answer::Core(_) => "impossible".to_string(),
            Answer::Unknown(why) => why.to_string(),
        };
        solved += usize::from(matches!(answer, Answer::Model(_)));
        println!("seed {seed}: {accesses} accesses, {took:.2} s, {what}");
    }
    println!("{solved} of {asked}");
}

/// Time an engine may take for one row of the table.
const LIMIT: Duration = Duration::from_secs(15);

/// Asks an engine under the limit; its answer in a word, and the time.
fn timed(ask: impl FnOnce(StopToken) -> Synthesis) -> String {
    let start = Instant::now();
    let answer = ask(StopToken::when(move || (start.elapsed() > LIMIT).then_some(StopReason::MaxTime)));
    let seconds = start.elapsed().as_secs_f64();
    match answer {
        Synthesis::Found { schedule, .. } => format!("{seconds:.2} ({})", schedule.preemptions),
        Synthesis::Impossible { engine } => format!("{seconds:.2} no, {engine}"),
        Synthesis::Unknown(reasons) => {
            format!("? {}", reasons.iter().map(Unsolved::to_string).collect::<Vec<_>>().join(", "))
        }
    }
}

#[test]
#[ignore = "a table of times"]
fn families_by_engine() {
    let wanted = std::env::var("SYMX_SYNTHESIS_ROWS").unwrap_or_default();
    let model = symx_memmodel::by_name(&std::env::var("SYMX_SYNTHESIS_MODEL").unwrap_or_default());
    let model = model.unwrap_or(MODELS[0]);
    println!(
        "| instance | events | clauses | system | search | order theory | z3 |\n|---|---|---|---|---|---|---|"
    );
    for (name, trace) in families::table() {
        if !name.contains(&wanted) {
            continue;
        }
        let problem = Problem::new(Arc::new(Terms::new()), trace, model).expect("a trace that is right");
        let start = Instant::now();
        let system = System::new(&problem);
        let built = start.elapsed().as_secs_f64();
        let limits = SearchLimits { steps: u64::MAX, ..SearchLimits::default() };
        let engines = std::env::var("SYMX_SYNTHESIS_ENGINES").unwrap_or("search theory z3".into());
        let on = |name: &str, run: &dyn Fn() -> String| {
            if engines.contains(name) { run() } else { "–".to_string() }
        };
        let ask = |mut engine: Box<dyn Engine + '_>| synthesize(&problem, &system, &mut [&mut *engine]);
        let search = |stop| ask(Box::new(Search::new(&problem, limits).stopped_by(stop)));
        let theory = |stop| ask(Box::new(OrderTheory::stopped_by(&problem, &system, None, stop)));
        let options =
            Z3Options { timeout_milliseconds: Some(LIMIT.as_millis() as u32), ..Z3Options::default() };
        let z3 = |stop| ask(Box::new(Clocks::stopped_by(&problem, &system, options.clone(), stop)));
        let search = on("search", &|| timed(search));
        let theory = on("theory", &|| timed(theory));
        let z3 = on("z3", &|| timed(z3));
        let (events, clauses) = (problem.event_count(), system.clauses.len());
        println!("| {name} | {events} | {clauses} | {built:.2} | {search} | {theory} | {z3} |");
    }
}
