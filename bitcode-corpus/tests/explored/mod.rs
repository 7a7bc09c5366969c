//! Programs in LLVM IR, linked with libc and explored in this process.

#[path = "../linked/mod.rs"]
mod linked;

pub use linked::library;
use std::path::Path;
use std::sync::Arc;
use symx_bitcode::LoadOptions;
use symx_expr::Terms;
use symx_expr::solver::{Z3Options, standard};
use symx_interp::{Machine, Options};
use symx_ir::Module;
use symx_litmus::llvm;
use symx_memmodel::MemoryModel;
use symx_posix_explore::{Exploration, ExploreOptions, Observer, Progress, explore_all};
use symx_posix_model::{Posix, PosixOptions};
use symx_trace::IncompleteReason;

/// Programs in one module, of which `main` runs the one its argument names, ready to be explored.
pub struct Explored(Arc<symx_ir::Program>);

impl Explored {
    /// Links a module's text.
    pub fn new(library: &Module, text: &str) -> Self {
        let module = symx_bitcode::load(Path::new("random"), text.as_bytes(), &LoadOptions::default());
        Self(linked::link(module.unwrap_or_else(|error| panic!("{error}")), library))
    }

    /// Explores the program at `index`, within these limits.
    pub fn explore(
        &self,
        index: usize,
        model: &'static dyn MemoryModel,
        options: &ExploreOptions,
        limits: Limits,
    ) -> Exploration {
        self.on_machine(index, model, options, limits, Options::default())
    }

    /// Explores the program at `index` and looks for races.
    #[allow(dead_code, reason = "one of the tests that share this file looks for them")]
    pub fn races(
        &self,
        index: usize,
        model: &'static dyn MemoryModel,
        options: &ExploreOptions,
        limits: Limits,
    ) -> Exploration {
        self.on_machine(index, model, options, limits, Options { races: true, ..Options::default() })
    }

    fn on_machine(
        &self,
        index: usize,
        model: &'static dyn MemoryModel,
        options: &ExploreOptions,
        limits: Limits,
        machine_options: Options,
    ) -> Exploration {
        let arguments = vec![b"random".to_vec(), llvm::argument(index)];
        let posix = Posix::new(PosixOptions { arguments, ..PosixOptions::default() });
        let program = Arc::clone(&self.0);
        let machine = Machine::new(program, posix, model, Arc::new(Terms::new()), machine_options);
        let solver = Box::new(standard(&machine.terms, Z3Options::default()));
        explore_all(&machine, solver, options, &mut Bounded(limits))
    }
}

/// When an exploration is abandoned.
#[derive(Clone, Copy)]
pub struct Limits {
    /// After this many visible steps.
    pub steps: u64,
    /// After this many instructions.
    pub instructions: u64,
}

struct Bounded(Limits);

impl Observer for Bounded {
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason> {
        let is_long = progress.events > self.0.steps || progress.instructions > self.0.instructions;
        is_long.then_some(IncompleteReason::MaxSteps)
    }
}
