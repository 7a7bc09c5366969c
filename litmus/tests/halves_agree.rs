//! The operational and the axiomatic half of each model have the same outcomes, and they are the right ones.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use symx_litmus::program::Instruction;
use symx_litmus::shrink::shrink;
use symx_litmus::{Outcome, Program, axiomatic, operational, random};
use symx_memmodel::{
    HappensBeforeOnly, MemoryModel, PartialStoreOrder, PartialStoreOrderV9, SequentialConsistency,
    TotalStoreOrder,
};

/// A program of the table with its outcomes, as additions to those of the stronger models.
struct Classic {
    name: &'static str,
    program: Program,
    added: [BTreeSet<Outcome>; 4],
}

/// Each model allows what the models before it allow.
const MODELS: [&dyn MemoryModel; 4] =
    [&SequentialConsistency, &TotalStoreOrder, &PartialStoreOrder, &PartialStoreOrderV9];

/// Allows what none of the others says anything about.
const WEAK: [&dyn MemoryModel; 1] = [&HappensBeforeOnly];

/// Names of the models.
const STRONG_TO_WEAK: [&str; 4] = ["sc", "tso", "pso", "pso-v9"];

fn classics() -> Vec<Classic> {
    let mut classics = Vec::new();
    let mut lines = include_str!("classic.txt").lines().filter(|line| !line.starts_with('#')).peekable();
    while let Some(name) = lines.next() {
        if name.is_empty() {
            continue;
        }
        let (mut threads, mut initial, mut observed) = (Vec::new(), Vec::new(), "");
        let mut added = [const { BTreeSet::new() }; 4];
        while let Some(line) = lines.next_if(|line| line.starts_with(' ')) {
            let (key, rest) = line.trim().split_once(' ').expect("a key and a value");
            match key {
                "init" => initial.push(rest),
                "thread" => threads.push(rest),
                "observe" => observed = rest,
                model => {
                    let model = STRONG_TO_WEAK.iter().position(|&name| name == model).expect("a model");
                    let outcome =
                        |text: &str| text.split(',').map(|value| value.parse().expect("a number")).collect();
                    added[model].extend(rest.split(' ').map(outcome));
                }
            }
        }
        let program = initial
            .iter()
            .fold(Program::parse(&threads, observed), |program, store| program.starting_with(store));
        classics.push(Classic { name, program, added });
    }
    classics
}

/// The outcomes by model, strong to weak, on which both halves must agree.
fn outcomes(program: &Program) -> [BTreeSet<Outcome>; 4] {
    if let Some(difference) = disagreement(program) {
        panic!("{program}{difference}");
    }
    MODELS.map(|model| operational::outcomes(program, model))
}

#[test]
fn classic_shapes_have_their_exact_outcomes() {
    let classics = classics();
    assert_eq!(classics.len(), 74);
    for Classic { name, program, added } in classics {
        let mut expected = BTreeSet::new();
        for ((model, added), outcomes) in STRONG_TO_WEAK.iter().zip(added).zip(outcomes(&program)) {
            expected.extend(added);
            assert_eq!(outcomes, expected, "{model} on {name}");
        }
    }
}

/// Threads, what is observed, one outcome, and the strongest model that allows it ("" for none).
type Verdict = (&'static [&'static str], &'static str, &'static [u64], &'static str);

/// Outcomes the literature discusses and that distinguish models.
const VERDICTS: &[Verdict] = &[
    // Owens, Sarkar and Sewell, "A better x86 memory model: x86-TSO", TPHOLs 2009: n4, n6, n7.
    (&["r0=x; x=1", "r1=x; x=2"], "r0 r1", &[2, 1], ""),
    (&["x=1; r0=x; r1=y", "y=2; x=2"], "r0 r1 x", &[1, 0, 1], "tso"),
    (&["x=1; r0=x; r1=y", "y=1", "r2=y; r3=x"], "r0 r1 r2 r3", &[1, 0, 1, 0], "tso"),
    // A release fence is no full fence.
    (&["x=1; Frel; r0=y", "y=1; Frel; r1=x"], "r0 r1", &[0, 0], "tso"),
    // A StoreStore barrier orders stores, and one in front of a store orders the stores after it as well.
    (&["x=1; Frel; y=1", "r0=y; r1=x"], "r0 r1", &[1, 0], ""),
    (&["x=1; z:rel=1; y=1", "r0=y; r1=x"], "r0 r1", &[1, 0], ""),
    (&["x=1; Facq; y=1", "r0=y; r1=x"], "r0 r1", &[1, 0], "pso"),
    // 2+2W.
    (&["x=1; y=2", "y=1; x=2"], "x y", &[1, 1], "pso"),
    // A sequentially consistent store is a full fence towards later loads, a
    // sequentially consistent load none.
    (&["x:sc=1; r0=y", "y:sc=1; r1=x"], "r0 r1", &[0, 0], ""),
    (&["x=1; r0=y:sc", "y=1; r1=x:sc"], "r0 r1", &[0, 0], "tso"),
    // A load merges its thread's pending byte with memory: each thread misses the other's byte.
    (&["x[0]=1; r0=x[0..2]", "x[1]=1; r1=x[0..2]"], "r0 r1", &[1, 256], "tso"),
    // Peterson's entry: a full fence is not enough when the two stores before it may change order.
    (&["x=1; z=1; F; r0=y; r1=z", "y=1; z=2; F; r2=x; r3=z"], "r0 r1 r2 r3", &[1, 2, 0, 2], "pso"),
    // SPARC V9 lets an atomic overtake older stores to other places, but not one to its own
    // or one it releases.
    (&["x=1; r2=faa(z,1); r0=y", "y=1; r3=faa(w,1); r1=x"], "r0 r1", &[0, 0], "pso-v9"),
    (&["x=1; r2=cas(z,1,2); r0=y", "y=1; r3=cas(z,1,2); r1=x"], "r0 r1", &[0, 0], "pso-v9"),
    (&["x=1; r2=cas(y,0,1)", "r0=y; r1=x"], "r0 r1", &[1, 0], "pso-v9"),
    (&["x=1; r2=cas(y:rel,0,1)", "r0=y; r1=x"], "r0 r1", &[1, 0], ""),
    (&["x=1; Frel; r2=cas(y,0,1)", "r0=y; r1=x"], "r0 r1", &[1, 0], ""),
    (&["x=1; r2=cas(x,0,1); r0=y", "y=1; r3=cas(y,0,1); r1=x"], "r0 r1", &[0, 0], ""),
    (&["x=1; r0=xchg(y,2)", "y=1; r1=xchg(x,2)"], "x y", &[1, 1], "pso-v9"),
];

#[test]
fn telling_outcomes_are_allowed_from_the_right_model_on() {
    for (threads, observed, outcome, strongest) in VERDICTS {
        let mut expected = false;
        for (model, outcomes) in STRONG_TO_WEAK.iter().zip(outcomes(&Program::parse(threads, observed))) {
            expected |= model == strongest;
            assert_eq!(outcomes.contains(*outcome), expected, "{model} on {threads:?}");
        }
    }
}

/// How often a test says how far it is.
const BETWEEN_NEWS: Duration = Duration::from_secs(20);

/// How many random programs the tests run; `./x litmus` runs more.
const RANDOM_PROGRAMS: u64 = 150;

#[test]
fn halves_agree_on_random_programs() {
    agree_on_random_programs("one order of stores", random::program, disagreement);
}

#[test]
fn halves_of_the_happens_before_model_agree_on_random_programs() {
    agree_on_random_programs("happens-before", random::small_program, weak_disagreement);
}

fn agree_on_random_programs(
    models: &str,
    program: fn(u64) -> Program,
    disagreement: fn(&Program) -> Option<String>,
) {
    let (start, mut told) = (Instant::now(), Duration::ZERO);
    for done in 0..programs() {
        let seed = first_seed() + done;
        let program = program(seed);
        if let Some(why) = disagreement(&program) {
            let smallest = shrink(&program, |program| disagreement(program).is_some());
            let now = disagreement(&smallest).unwrap_or_default();
            panic!("seed {seed}:\n{program}{why}\nshrunk:\n{smallest}{now}");
        }
        let elapsed = start.elapsed();
        if elapsed >= told + BETWEEN_NEWS {
            told = elapsed;
            let left = elapsed.mul_f64((programs() - done - 1) as f64 / (done + 1) as f64).as_secs();
            eprintln!("{models}: {} of {} programs, about {left} s left", done + 1, programs());
        }
    }
    println!("{models}: the halves agree on {} programs", programs());
}

/// A number from the environment.
fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

fn programs() -> u64 {
    number("SYMX_LITMUS_PROGRAMS").unwrap_or(RANDOM_PROGRAMS)
}

fn first_seed() -> u64 {
    number("SYMX_LITMUS_SEED").unwrap_or(0)
}

/// How the two halves differ on a program, or how a weaker model allows less.
fn disagreement(program: &Program) -> Option<String> {
    let operational = MODELS.map(|model| operational::outcomes(program, model));
    halves_differ(program, &MODELS, &operational).or_else(|| {
        let smaller = operational.windows(2).zip(MODELS.windows(2));
        smaller.filter(|(sets, _)| !sets[0].is_subset(&sets[1])).map(|(_, models)| not_weaker(models)).next()
    })
}

fn not_weaker(models: &[&dyn MemoryModel]) -> String {
    format!("{} allows what {} does not", models[0].name(), models[1].name())
}

/// How the happens-before model's two halves differ, or how it allows less than partial store
/// order. (Updates of one place are ordered by execution here and by memory there, so programs with
/// several are not compared.)
fn weak_disagreement(program: &Program) -> Option<String> {
    let operational = WEAK.map(|model| operational::outcomes(program, model));
    halves_differ(program, &WEAK, &operational).or_else(|| {
        let updates = program.threads.iter().flatten().any(|one| matches!(one, Instruction::Update { .. }));
        let stronger = operational::outcomes(program, &PartialStoreOrder);
        (!updates && !stronger.is_subset(&operational[0]))
            .then(|| not_weaker(&[&PartialStoreOrder, &HappensBeforeOnly]))
    })
}

fn halves_differ(
    program: &Program,
    models: &[&'static dyn MemoryModel],
    operational: &[BTreeSet<Outcome>],
) -> Option<String> {
    let axiomatic = axiomatic::outcomes(program, models);
    for ((model, operational), axiomatic) in models.iter().zip(operational).zip(&axiomatic) {
        if operational != axiomatic {
            let only_run: Vec<_> = operational.difference(axiomatic).collect();
            let only_allowed: Vec<_> = axiomatic.difference(operational).collect();
            let name = model.name();
            return Some(format!("{name}: only operational {only_run:x?}, only axiomatic {only_allowed:x?}"));
        }
    }
    None
}
