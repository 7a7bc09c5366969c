//! Generated programs, compiled for symx and for native runs: many in one file.

use crate::c_text::c_text;
use crate::linked;
use crate::program::Program;
use std::path::PathBuf;
use std::sync::Arc;
use symx::harness::{compile_bitcode, compile_native};
use symx_bitcode::LoadOptions;
use symx_expr::solver::{Z3Options, standard};
use symx_expr::{Assignment, Terms};
use symx_interp::{Machine, Options};
use symx_ir::Module;
use symx_memmodel::MemoryModel;
use symx_posix_explore::{
    Exploration, ExploreOptions, FixedSchedule, Found, Help, Observer, Progress, Replayed, Search, explore,
    explore_all, replay,
};
use symx_posix_model::{Posix, PosixOptions};
use symx_trace::IncompleteReason;
use tempfile::TempDir;

/// The code stays as close to its source as it can.
const FLAGS: [&str; 4] = ["-O0", "-Xclang", "-disable-O0-optnone", "-w"];

/// Programs in one file.
pub struct Batch {
    folder: TempDir,
    program: Arc<symx_ir::Program>,
}

/// When an exploration is abandoned.
#[derive(Clone, Copy)]
pub struct Limits {
    /// After this many instructions.
    pub instructions: u64,
    /// When it was asked this often, to go on later.
    pub looks: u32,
}

/// Instructions after which a program is left out.
const MOST_INSTRUCTIONS: u64 = 6_000_000;

impl Default for Limits {
    fn default() -> Self {
        Self { instructions: MOST_INSTRUCTIONS, looks: u32::MAX }
    }
}

/// How a program is explored.
#[derive(Clone)]
pub struct How {
    pub model: &'static dyn MemoryModel,
    pub options: ExploreOptions,
    pub races: bool,
    pub jobs: usize,
    pub limits: Limits,
}

impl Batch {
    /// Compiles and links programs.
    pub fn new(library: &Module, programs: &[Program]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join("programs.c");
        std::fs::write(&source, c_text(programs)).expect("a file");
        let bitcode = compile_bitcode(&source, &FLAGS.map(str::to_owned), folder.path())
            .unwrap_or_else(|error| panic!("{error}"));
        let module = linked::module(&bitcode, &LoadOptions { promote: true, in_program: false });
        Self { folder, program: linked::link(module, library) }
    }

    fn source(&self) -> PathBuf {
        self.folder.path().join("programs.c")
    }

    /// A native program of all.
    pub fn native(&self) -> PathBuf {
        let flags = ["-O0", "-w", "-DNATIVE"].map(str::to_owned);
        compile_native(&self.source(), &flags, self.folder.path()).unwrap_or_else(|error| panic!("{error}"))
    }

    fn machine(&self, index: usize, how: &How, terms: Arc<Terms>, options: Options) -> Machine<Posix> {
        let arguments = vec![b"programs".to_vec(), index.to_string().into_bytes()];
        let posix = Posix::new(PosixOptions { arguments, ..PosixOptions::default() });
        let options = Options { races: how.races, ..options };
        Machine::new(Arc::clone(&self.program), posix, how.model, terms, options)
    }

    /// Explores the program at `index`.
    pub fn explore(&self, index: usize, how: &How) -> Exploration {
        let machine = self.machine(index, how, Arc::new(Terms::new()), Options::default());
        let solver = || -> Box<dyn symx_expr::solver::Solver> {
            Box::new(standard(&machine.terms, Z3Options::default()))
        };
        let mut observer = Bounded { limits: how.limits, looks: 0 };
        if how.jobs == 1 && how.options.search == Search::Exhaustive {
            // Without random executions beside it.
            return explore_all(&machine, solver(), &how.options, &mut observer);
        }
        let help = Help { jobs: how.jobs, solver: &solver };
        explore(&machine, solver(), &help, &how.options, &mut observer)
    }

    /// Runs the program again as it ran when it failed.
    pub fn replay(&self, index: usize, how: &How, found: &Found) -> Replayed {
        let terms = Arc::new(Terms::new());
        let mut assignment = Assignment::new();
        for input in &found.inputs {
            for (at, byte) in input.bytes.iter().enumerate() {
                let symbol = terms.symbol(&format!("{}[{at}]", input.name), 8);
                assignment.set(symbol, symx_expr::BitVector::from_u64(8, u64::from(*byte)));
            }
        }
        let options = Options {
            assignment: Some(Arc::new(assignment)),
            threads: found.threads.clone().into(),
            ..Options::default()
        };
        let machine = self.machine(index, how, terms, options);
        let solver = Box::new(standard(&machine.terms, Z3Options::default()));
        let schedule = FixedSchedule {
            visible: found.visible.as_deref(),
            decisions: &found.decisions,
            expected: Some(&found.failure),
        };
        replay(&machine, solver, schedule, &how.options)
    }
}

struct Bounded {
    limits: Limits,
    looks: u32,
}

impl Observer for Bounded {
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason> {
        self.looks += 1;
        if self.looks > self.limits.looks {
            return Some(IncompleteReason::MaxTime);
        }
        (progress.instructions > self.limits.instructions).then_some(IncompleteReason::MaxSteps)
    }

    fn steps_between(&self) -> u32 {
        if self.limits.looks == u32::MAX { 1000 } else { 7 }
    }
}
