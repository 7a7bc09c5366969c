//! Benchmarks of every hot path. This is their common part: C programs, compiled and bound to a machine in
//! process.
//!
//! Programs are compiled afresh by clang (`SYMX_CLANG`, else `clang-22`) and linked with libc as bitcode
//! (`SYMX_LIBC`, else what `./x setup` left in `.deps`).

// What it has instantiated is not compiled again.
use symx as _;

use mimalloc::MiMalloc;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use symx_bitcode::LoadOptions;
use symx_expr::Terms;
use symx_expr::solver::{Solver, Z3Options, standard};
use symx_interp::stop::Step;
use symx_interp::{Environment, Executor, Machine, Options, State};
use symx_posix_explore::{
    Exploration, ExploreOptions, Observer, Progress, Reduction, Way, explore_all, run_once,
};
use symx_posix_model::{Posix, PosixOptions, ROOTS};
use symx_trace::{Agent, IncompleteReason, ThreadId};

/// The allocator of the command.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// A machine for `programs/<name>.c`, compiled with `-O1` and these further
/// arguments, under sequential consistency.
///
/// # Panics
/// If clang, the program or libc is missing or wrong: a benchmark has no better answer.
pub fn machine(name: &str, arguments: &[&str]) -> Machine<Posix> {
    machine_under("sc", name, arguments)
}

/// The same under a memory model.
///
/// # Panics
/// As [`machine`], and if there is no such model.
pub fn machine_under(model: &str, name: &str, arguments: &[&str]) -> Machine<Posix> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = folder.join("programs").join(name).with_extension("c");
    let libc =
        std::env::var_os("SYMX_LIBC").map_or_else(|| folder.join("../.deps/musl/libc.bc"), PathBuf::from);
    let modules = vec![load(&compile(&source, arguments), name), load(&read(&libc), "libc")];
    let program = symx_ir::link(modules, ROOTS, &<Posix as Environment>::models).expect("the program links");
    let model = symx_memmodel::by_name(model).expect("a memory model");
    let environment = Posix::new(PosixOptions::default());
    Machine::new(Arc::new(program), environment, model, Arc::new(Terms::new()), Options::default())
}

fn compile(source: &Path, arguments: &[&str]) -> Vec<u8> {
    let clang = std::env::var_os("SYMX_CLANG").unwrap_or_else(|| "clang-22".into());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bitcode = folder.path().join("program.bc");
    let status = Command::new(clang)
        .args(["-O1", "-g", "-c", "-emit-llvm", "-pthread", "-o"])
        .arg(&bitcode)
        .args(arguments)
        .arg(source)
        .status()
        .expect("clang runs");
    assert!(status.success(), "clang compiles {}", source.display());
    read(&bitcode)
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn load(bitcode: &[u8], name: &str) -> symx_ir::Module {
    symx_bitcode::load(name.as_ref(), bitcode, &LoadOptions::default()).expect("bitcode loads")
}

/// A fresh solver for `machine`, all layers over Z3.
pub fn solver(machine: &Machine<Posix>) -> Box<dyn Solver> {
    Box::new(standard(&machine.terms, Z3Options::default()))
}

/// Runs the program once, to exit status 0.
///
/// # Panics
/// If the program fails or cannot be followed.
pub fn run(machine: &Machine<Posix>) -> Progress {
    let options = ExploreOptions::default();
    checked(run_once(machine, solver(machine), None, &options, &mut Unobserved, &mut |_| {}))
}

/// Explores every schedule and input of the program, which must always exit with status 0.
///
/// # Panics
/// If the program fails somewhere or cannot be followed.
pub fn explore(machine: &Machine<Posix>) -> Progress {
    explore_by(machine, Reduction::SourceSets)
}

/// As [`explore`], by this reduction.
///
/// # Panics
/// If the program fails somewhere or cannot be followed.
pub fn explore_by(machine: &Machine<Posix>, reduction: Reduction) -> Progress {
    let options = ExploreOptions { reduction, ..ExploreOptions::default() };
    checked(explore_all(machine, solver(machine), &options, &mut Unobserved))
}

/// Processor time that this thread has used.
///
/// # Panics
/// If the system does not tell.
pub fn processor_time() -> Duration {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells");
    let used = statistics.split(' ').next().and_then(|used| used.parse().ok());
    Duration::from_nanos(used.expect("a number of nanoseconds"))
}

/// Runs the main thread up to its next fork; `None` where the program ends first.
///
/// # Panics
/// If it does anything but run, fork and end.
pub fn to_fork(executor: &mut Executor<'_, Posix>, state: &mut State<Posix>, mut step: Step) -> Option<Step> {
    loop {
        step = match step {
            Step::Fork { .. } => return Some(step),
            Step::Done | Step::Paused if state.end.is_some() => return None,
            Step::Done => executor.step(state, Agent::Thread(ThreadId::MAIN)),
            Step::Paused => executor.resume(state, ThreadId::MAIN, false),
            other => panic!("the program only branches, not {other:?}"),
        };
    }
}

/// Explores the ways of the program breadth first until `count` are pending.
///
/// # Panics
/// If there are never that many.
pub fn live_ways(machine: &Machine<Posix>, count: usize) -> VecDeque<Way<Posix>> {
    let mut executor = Executor::new(machine, solver(machine));
    let mut first = machine.initial_state();
    let step = to_fork(&mut executor, &mut first, Step::Done).expect("the program branches");
    let mut live = VecDeque::with_capacity(count);
    live.extend(Way::all(first, ThreadId::MAIN, step));
    while live.len() < count {
        let way = live.pop_front().expect("the program has as many states");
        let (mut state, step) = way.enter(&mut executor);
        if let Some(step) = to_fork(&mut executor, &mut state, step) {
            live.extend(Way::all(state, ThreadId::MAIN, step));
        }
    }
    live
}

fn checked(exploration: Exploration) -> Progress {
    assert!(exploration.failures.is_empty(), "{:?}", exploration.failures);
    assert!(exploration.incomplete.is_empty(), "{:?}", exploration.incomplete);
    assert!(exploration.outcomes.keys().all(|(_, status)| *status == 0), "{:?}", exploration.outcomes);
    exploration.progress
}

struct Unobserved;

impl Observer for Unobserved {
    fn progress(&mut self, _: &Progress) -> Option<IncompleteReason> {
        None
    }
}
