//! The audit of known steps over the corpus: while programs that create threads are explored, each step that
//! is held to be known is executed, too, and the states are compared. One test a program: those of `litmus/`
//! and `threads/`, or with `SYMX_AUDIT=all` all. Each is compiled with and without optimisation.

mod linked;

use libtest_mimic::{Arguments, Trial};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use symx::harness::{Case, Expectations, cases, compile_bitcode};
use symx_bitcode::LoadOptions;
use symx_bitcode_corpus::{cache, folder};
use symx_explore::{ExploreOptions, Observer, Progress, Reduction, explore_all};
use symx_expr::Terms;
use symx_expr::solver::{Z3Options, standard};
use symx_interp::{Machine, Options};
use symx_ir::Module;
use symx_posix_model::{Posix, PosixOptions};
use symx_trace::IncompleteReason;

/// Executions of a program under a model and a reduction at most.
const EXECUTIONS: u64 = 300;

/// Visible steps of these at most.
const STEPS: u64 = 60_000;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let is_whole = std::env::var("SYMX_AUDIT").is_ok_and(|which| which == "all");
    let mut programs: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases(folder()).expect("the corpus is beside this file") {
        let text = std::fs::read_to_string(&case.source).unwrap_or_default();
        let starts_with = |folders: &[&str]| folders.iter().any(|folder| case.name.starts_with(folder));
        // What grows without end is left out.
        let is_wanted =
            starts_with(&["litmus", "threads"]) || is_whole && !starts_with(&["limits", "programs", "real"]);
        let is_c = case.source.extension().is_some_and(|extension| extension == "c");
        if is_c && is_wanted && text.contains("pthread_create") && ["sc", "tso", "pso"].contains(&case.model)
        {
            programs.entry(case.name.replace('/', "::")).or_default().push(case);
        }
    }
    assert!(programs.len() > 100, "only {} programs were found", programs.len());
    let compared = Arc::new(AtomicU64::new(0));
    let trials = programs.into_iter().map(|(name, cases)| {
        let compared = Arc::clone(&compared);
        Trial::test(name, move || audit(&cases, &compared).map_err(Into::into))
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    if !arguments.list {
        println!("{} known steps were executed as well", compared.load(Ordering::Relaxed));
    }
    conclusion.exit_code()
}

fn audit(cases: &[Case], compared: &AtomicU64) -> Result<(), String> {
    static LIBRARY: LazyLock<Module> = LazyLock::new(linked::library);
    let source = &cases.first().ok_or("no case")?.source;
    let text = std::fs::read_to_string(source).map_err(|error| error.to_string())?;
    let flags = Expectations::parse(&text).unwrap_or_default().compiler_flags;
    // Without optimisation variables live on the stack, until their function returns.
    let plain = [&flags[..], &["-O0", "-Xclang", "-disable-O0-optnone"].map(String::from)].concat();
    let mut wrong = String::new();
    for (case, flags) in cases.iter().flat_map(|case| [(case, &flags), (case, &plain)]) {
        let bitcode = compile_bitcode(source, flags, &cache()).map_err(|error| error.to_string())?;
        let program = linked::link(linked::module(&bitcode, &LoadOptions::default()), &LIBRARY);
        for reduction in [Reduction::SourceSets, Reduction::ReadsFrom] {
            let arguments = vec![b"audited".to_vec()];
            let posix = Posix::new(PosixOptions { arguments, ..PosixOptions::default() });
            let model = symx_memmodel::by_name(case.model).ok_or("no such model")?;
            let options = Options { audits_known_steps: true, ..Options::default() };
            let machine = Machine::new(Arc::clone(&program), posix, model, Arc::new(Terms::new()), options);
            let solver = Box::new(standard(&machine.terms, Z3Options::default()));
            let options = ExploreOptions {
                reduction,
                max_executions: Some(EXECUTIONS),
                keep_going: true,
                ..ExploreOptions::default()
            };
            let audit = explore_all(&machine, solver, &options, &mut Bounded).known_steps;
            compared.fetch_add(audit.compared, Ordering::Relaxed);
            for difference in audit.differences {
                wrong += &format!("under {}, {reduction:?}: {difference}\n", case.model);
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// Ends an exploration that is long.
struct Bounded;

impl Observer for Bounded {
    fn progress(&mut self, progress: &Progress) -> Option<IncompleteReason> {
        (progress.events > STEPS).then_some(IncompleteReason::MaxSteps)
    }
}
