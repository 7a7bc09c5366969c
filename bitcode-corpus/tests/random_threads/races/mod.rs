//! Random programs that race or do not: symx finds the races that the definition gives, and no others.

mod generator;
mod machine;
mod order;

use crate::explored::{self, Explored, Limits};
use crate::module::{Loops, module};
use crate::program::Program;
use generator::program;
use machine::{Buffers, executions};
use order::{Pair, Races};
use std::collections::BTreeSet;
use symx_bitcode_corpus::number;
use symx_memmodel::Ordering;
use symx_posix_explore::{Exploration, ExploreOptions, Reduction};
use symx_trace::{FailureKind, IncompleteReason, Location};

/// How many programs the test explores by default.
const PROGRAMS: u64 = 16;
const BATCH: usize = 50;

/// Programs with more executions than this are left out: as the definition lists them, and
/// as symx explores them.
const MOST_LISTED: usize = 30_000;
const MOST_EXECUTIONS: u64 = 4_000;
const LIMITS: Limits = Limits { steps: 100_000, instructions: 20_000_000 };

/// With what the definition takes them for. Of `weak` it has those executions alone in which
/// memory keeps one order.
const MODELS: [(&str, Buffers); 4] =
    [("sc", Buffers::None), ("tso", Buffers::InOrder), ("pso", Buffers::ByPlace), ("weak", Buffers::None)];

#[derive(Default, Debug)]
struct Counts {
    /// Program and model.
    explorations: u64,
    racy: u64,
    race_free: u64,
    pairs: usize,
    too_large: u64,
    executions: u64,
    listed: u64,
}

/// `SYMX_RACES_PROGRAMS` and `SYMX_RACES_SEED` say how many programs and from which seed on.
#[test]
fn races_are_those_of_the_definition() {
    let library = explored::library();
    let first = number("SYMX_RACES_SEED").unwrap_or(0);
    let count = number("SYMX_RACES_PROGRAMS").unwrap_or(PROGRAMS);
    let seeds: Vec<u64> = (first..first + count).collect();
    let mut counts = Counts::default();
    for seeds in seeds.chunks(BATCH) {
        let programs: Vec<Program> = seeds.iter().map(|seed| program(*seed)).collect();
        let explored = Explored::new(&library, &module(&programs, Loops::Whole));
        for (index, (program, seed)) in programs.iter().zip(seeds).enumerate() {
            if let Err(why) = disagreement(&explored, index, program, &mut counts) {
                let still = |program: &Program| {
                    let explored =
                        Explored::new(&library, &module(std::slice::from_ref(program), Loops::Whole));
                    disagreement(&explored, 0, program, &mut Counts::default()).err()
                };
                let smallest = program.shrunk(|program| is_whole(program) && still(program).is_some());
                let now = still(&smallest).unwrap_or_default();
                panic!("seed {seed}:\n{program}{why}\nshrunk:\n{smallest}{now}");
            }
        }
    }
    println!("{count} programs, {counts:?}");
}

/// Whether all threads that are there are created and joined, and no condition stands before another or at
/// the end, nor an unlock alone.
fn is_whole(program: &Program) -> bool {
    use crate::program::Operation::{Call, Create, Join, SkipUnless};
    let all = || program.threads.iter().flatten();
    let is_made = |thread: usize| {
        all().any(|operation| *operation == Create(thread))
            && all().any(|operation| *operation == Join(thread))
    };
    let is_balanced = |code: &Vec<crate::program::Operation>| {
        let mut is_held = false;
        let locks = code.iter().all(|operation| match operation {
            Call(name, _) if name.ends_with("unlock") => std::mem::take(&mut is_held),
            Call(name, _) if name.ends_with("lock") => !std::mem::replace(&mut is_held, true),
            _ => true,
        });
        let conditions =
            code.windows(2).all(|two| !matches!(two, [SkipUnless(_), SkipUnless(_) | Create(_) | Join(_)]));
        locks && !is_held && conditions && !matches!(code.last(), Some(SkipUnless(_)))
    };
    (1..program.threads.len()).all(is_made) && program.threads.iter().all(is_balanced)
}

/// How the races that symx finds differ from those of the definition, under any model.
fn disagreement(
    explored: &Explored,
    index: usize,
    program: &Program,
    counts: &mut Counts,
) -> Result<(), String> {
    for (name, buffers) in MODELS {
        let mut races = Races::default();
        let listed = executions(program, buffers, MOST_LISTED, &mut |events| {
            races.add(events, name == "sc");
        });
        let Some(listed) = listed else {
            counts.too_large += 1;
            continue;
        };
        let model = symx_memmodel::by_name(name).expect("a model");
        let options = ExploreOptions {
            reduction: Reduction::SourceSets,
            max_executions: Some(MOST_EXECUTIONS),
            keep_going: true,
            ..ExploreOptions::default()
        };
        let exploration = explored.races(index, model, &options, LIMITS);
        if exploration
            .incomplete
            .iter()
            .any(|cut| matches!(cut.reason, IncompleteReason::MaxExecutions | IncompleteReason::MaxSteps))
        {
            counts.too_large += 1;
            continue;
        }
        counts.explorations += 1;
        counts.executions += exploration.progress.executions;
        counts.listed += listed as u64;
        counts.pairs += races.possible.len();
        *(if races.possible.is_empty() { &mut counts.race_free } else { &mut counts.racy }) += 1;
        let found = found(&exploration);
        let missed: Vec<&Pair> = races.needed.difference(&found).collect();
        let mut false_alarms: Vec<&Pair> = found.difference(&races.possible).collect();
        // Without races, atomics of one order for all have no executions but those (C++20 intro.races, 21).
        if model.keeps_history() && !(races.possible.is_empty() && is_sequentially_consistent(program)) {
            false_alarms.clear();
        }
        if !(missed.is_empty() && false_alarms.is_empty()) {
            return Err(format!(
                "{name}: missed {missed:?}, false alarms {false_alarms:?} among {found:?}; {} executions, {:?}",
                exploration.progress.executions, exploration.incomplete
            ));
        }
    }
    Ok(())
}

/// Whether all its atomic operations are sequentially consistent.
fn is_sequentially_consistent(program: &Program) -> bool {
    use crate::program::Operation::{Await, Load, LoadPart, Store, StorePart, Update};
    program.threads.iter().flatten().all(|operation| match operation {
        Load(_, ordering)
        | Store(_, ordering, _)
        | Update(_, ordering, _)
        | LoadPart(_, _, ordering)
        | StorePart(_, _, ordering, _)
        | Await(_, ordering, _) => matches!(ordering, Ordering::NotAtomic | Ordering::SequentiallyConsistent),
        _ => true,
    })
}

/// The pairs of places that symx names.
fn found(exploration: &Exploration) -> BTreeSet<Pair> {
    let races = exploration.failures.iter().map(|found| &found.failure);
    let races = races.filter(|failure| failure.kind == FailureKind::Race);
    let pairs = races.map(|failure| {
        let mut pair = [&failure.location, &failure.notes[0].location].map(place);
        pair.sort_unstable();
        pair
    });
    pairs.collect()
}

/// The thread and the operation of a place: `main`'s function has no `.t` and a number.
fn place(location: &Location) -> (usize, usize) {
    let thread =
        location.function.split_once(".t").map_or(0, |(_, number)| number.parse().expect("a number"));
    (thread, location.line as usize)
}
