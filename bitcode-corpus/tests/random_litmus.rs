//! Random litmus programs: symx's exploration gives exactly the outcomes that the memory
//! model's two halves give.
//!
//! `SYMX_LITMUS_PROGRAMS` and `SYMX_LITMUS_SEED` say how many and from which seed on
//! (`./x litmus` sets them).

mod explored;

use explored::{Explored, Limits};
use std::collections::BTreeSet;
use std::time::Instant;
use symx_bitcode_corpus::number;
use symx_litmus::shrink::shrink;
use symx_litmus::{Outcome, Program, llvm, operational, random};
use symx_posix_explore::{ExploreOptions, Reduction};

/// How many programs the test explores by default.
const PROGRAMS: u64 = 9;

const UNLIMITED: Limits = Limits { steps: u64::MAX, instructions: u64::MAX };

/// How many programs share a module, so that libc is linked once for all of them.
const BATCH: u64 = 100;

#[test]
fn exploration_gives_the_outcomes_of_the_models() {
    let library = explored::library();
    let first = number("SYMX_LITMUS_SEED").unwrap_or(0);
    let count = number("SYMX_LITMUS_PROGRAMS").unwrap_or(PROGRAMS);
    let seeds: Vec<u64> = (first..first + count).collect();
    let mut executions = 0;
    let start = Instant::now();
    for seeds in seeds.chunks(BATCH as usize) {
        // Models that keep history have more executions, so they get smaller programs.
        let of_seed = |seed: &u64| [(random::program(*seed), false), (random::small_program(*seed), true)];
        let (programs, history): (Vec<Program>, Vec<bool>) = seeds.iter().flat_map(of_seed).unzip();
        let explored = Explored::new(&library, &llvm::module(&programs));
        for (index, (program, history)) in programs.iter().zip(history).enumerate() {
            let seed = seeds[index / 2];
            match disagreement(&explored, index, program, history) {
                Ok(explored) => executions += explored,
                Err(why) => {
                    let still = |program: &Program| {
                        let one = Explored::new(&library, &llvm::module(std::slice::from_ref(program)));
                        disagreement(&one, 0, program, history).err()
                    };
                    let smallest = shrink(program, |program| still(program).is_some());
                    let now = still(&smallest).unwrap_or_default();
                    panic!("seed {seed}:\n{program}{why}\nshrunk:\n{smallest}{now}");
                }
            }
        }
        let done = seeds[seeds.len() - 1] + 1 - first;
        let left = start.elapsed().mul_f64((count - done) as f64 / done as f64).as_secs();
        eprintln!("{done} of {count} programs, {executions} executions, about {left} s left");
    }
    println!("{count} programs, {executions} executions");
}

/// How symx's outcomes of a program differ from those of a model, of those that keep history or of the
/// others. Else how many executions it took, both reductions together.
fn disagreement(explored: &Explored, index: usize, program: &Program, history: bool) -> Result<u64, String> {
    let mut executions = 0;
    for model in symx_memmodel::all().filter(|model| model.keeps_history() == history) {
        let expected = operational::outcomes(program, model);
        // The walk over reads-from classes leaves models that keep history to the other.
        let reductions = [Reduction::SourceSets, Reduction::ReadsFrom, Reduction::States];
        for reduction in reductions.into_iter().take(if history { 1 } else { 3 }) {
            let options = ExploreOptions { reduction, ..ExploreOptions::default() };
            let result = explored.explore(index, model, &options, UNLIMITED);
            let name = format!("{} with {reduction:?}", model.name());
            if !result.failures.is_empty() || !result.incomplete.is_empty() {
                return Err(format!("{name}: {:?} {:?}", result.failures, result.incomplete));
            }
            executions += result.progress.executions;
            let seen: BTreeSet<Outcome> = result.outcomes.keys().map(|(output, _)| values(output)).collect();
            if seen != expected {
                let missing: Vec<_> = expected.difference(&seen).collect();
                let extra: Vec<_> = seen.difference(&expected).collect();
                return Err(format!("{name}: missing {missing:x?}, unexpected {extra:x?}"));
            }
        }
    }
    Ok(executions)
}

/// The values a program wrote.
fn values(output: &[u8]) -> Outcome {
    output.chunks(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes a value"))).collect()
}
