//! Random litmus programs: symx's exploration gives exactly the outcomes that the memory model's two halves give.
//!
//! `SYMX_LITMUS_PROGRAMS` and `SYMX_LITMUS_SEED` say how many and from which seed on (`./x litmus` sets them);
//! [`options`] is how they are explored.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use symx_bitcode::LoadOptions;
use symx_bitcode_corpus::folder;
use symx_expr::Terms;
use symx_expr::solver::{Z3Options, standard};
use symx_interp::explore::{Exploration, ExploreOptions, Observer, Progress, explore_all};
use symx_interp::{Environment, Machine, Options};
use symx_ir::Module;
use symx_litmus::shrink::shrink;
use symx_litmus::{Outcome, Program, llvm, operational, random};
use symx_memmodel::MemoryModel;
use symx_posix_model::{Posix, PosixOptions, ROOTS};

/// How many programs the test explores unless told otherwise.
const PROGRAMS: u64 = 50;

/// How many programs share a module, so that libc is linked once for all of them.
const BATCH: u64 = 100;

/// How programs are explored.
fn options() -> ExploreOptions {
    ExploreOptions::default()
}

/// A number from the environment.
fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

#[test]
fn exploration_gives_the_outcomes_of_the_models() {
    let library = load(Path::new("libc"), &library(), LoadOptions { promote: true, recorded: false });
    let first = number("SYMX_LITMUS_SEED").unwrap_or(0);
    let count = number("SYMX_LITMUS_PROGRAMS").unwrap_or(PROGRAMS);
    let seeds: Vec<u64> = (first..first + count).collect();
    let mut executions = 0;
    let start = Instant::now();
    for seeds in seeds.chunks(BATCH as usize) {
        // Models that keep history have so many executions that they get smaller programs.
        let of_seed = |seed: &u64| [(random::program(*seed), false), (random::small_program(*seed), true)];
        let (programs, history): (Vec<Program>, Vec<bool>) = seeds.iter().flat_map(of_seed).unzip();
        let explored = Explored::new(&library, &programs);
        for (index, (program, history)) in programs.iter().zip(history).enumerate() {
            let seed = seeds[index / 2];
            match explored.disagreement(index, program, history) {
                Ok(explored) => executions += explored,
                Err(why) => {
                    let still = |program: &Program| {
                        let one = Explored::new(&library, std::slice::from_ref(program));
                        one.disagreement(0, program, history).err()
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

fn library() -> Vec<u8> {
    let built = folder().join("../.deps/musl/libc.bc");
    let path = std::env::var_os("SYMX_LIBC").map_or(built, Into::into);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn load(name: &Path, code: &[u8], options: LoadOptions) -> Module {
    symx_bitcode::load(name, code, &options).unwrap_or_else(|error| panic!("{}: {error}", name.display()))
}

/// Programs in one module, ready to be explored.
struct Explored(Arc<symx_ir::Program>);

impl Explored {
    fn new(library: &Module, programs: &[Program]) -> Self {
        let module = load(Path::new("litmus"), llvm::module(programs).as_bytes(), LoadOptions::default());
        let models = <Posix as Environment>::models;
        let linked = symx_ir::link(vec![module, library.clone()], ROOTS, &models).expect("the module links");
        Self(Arc::new(linked))
    }

    /// How symx's outcomes of a program differ from those of a model, of those that keep history or of the others; else
    /// how many executions it took.
    fn disagreement(&self, index: usize, program: &Program, history: bool) -> Result<u64, String> {
        let mut executions = 0;
        for model in symx_memmodel::all().filter(|model| model.keeps_history() == history) {
            let explored = self.explore(index, model);
            if !explored.failures.is_empty() || !explored.incomplete.is_empty() {
                return Err(format!("{}: {:?} {:?}", model.name(), explored.failures, explored.incomplete));
            }
            executions += explored.progress.executions;
            let seen: BTreeSet<Outcome> =
                explored.outcomes.keys().map(|(output, _)| values(output)).collect();
            let expected = operational::outcomes(program, model);
            if seen != expected {
                let missing: Vec<_> = expected.difference(&seen).collect();
                let extra: Vec<_> = seen.difference(&expected).collect();
                return Err(format!("{}: missing {missing:x?}, unexpected {extra:x?}", model.name()));
            }
        }
        Ok(executions)
    }

    fn explore(&self, index: usize, model: &'static dyn MemoryModel) -> Exploration {
        let arguments = vec![b"litmus".to_vec(), llvm::argument(index)];
        let posix = Posix::new(PosixOptions { arguments, ..PosixOptions::default() });
        let program = Arc::clone(&self.0);
        let machine = Machine::new(program, posix, model, Arc::new(Terms::new()), Options::default());
        let solver = Box::new(standard(&machine.terms, Z3Options::default()));
        explore_all(&machine, solver, &options(), &mut Unobserved)
    }
}

/// The values a program wrote.
fn values(output: &[u8]) -> Outcome {
    output.chunks(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes a value"))).collect()
}

struct Unobserved;

impl Observer for Unobserved {
    fn progress(&mut self, _: &Progress) -> Option<&'static str> {
        None
    }

    fn execution(&mut self, _: &[u8], _: u8) {}
}
