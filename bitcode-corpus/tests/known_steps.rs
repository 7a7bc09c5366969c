//! The audit of memoised steps over the corpus. While programs that create threads are explored, each step
//! and each way to the end that is taken from memory is executed, too, and the states are compared. One test
//! a program: those of `litmus/` and `threads/`, or with `SYMX_AUDIT=all` all. Each is compiled with and
//! without optimisation.

mod audited;

use audited::{machine, program, programs};
use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use symx::harness::Case;
use symx_expr::solver::{Z3Options, standard};
use symx_interp::Options;
use symx_posix_explore::{ExploreOptions, Observer, Progress, Reduction, explore_all};
use symx_trace::IncompleteReason;

/// Executions of a program under a model and a reduction at most.
const EXECUTIONS: u64 = 300;

/// Visible steps of these at most.
const STEPS: u64 = 60_000;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    // Programs that grow without end are left out.
    let endless = ["limits", "programs", "real"];
    let programs = programs(&["litmus", "threads"], &endless, &["sc", "tso", "pso"]);
    let compared = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
    let trials = programs.into_iter().map(|(name, cases)| {
        let compared = Arc::clone(&compared);
        Trial::test(name, move || audit(&cases, &compared).map_err(Into::into))
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    if !arguments.list {
        let [steps, ends] = [0, 1].map(|index: usize| compared[index].load(Ordering::Relaxed));
        println!("{steps} known steps and {ends} known ends were executed as well");
    }
    conclusion.exit_code()
}

fn audit(cases: &[Case], compared: &[AtomicU64; 2]) -> Result<(), String> {
    // Without optimisation variables live on the stack, until their function returns.
    let levels: [&[&str]; 2] = [&[], &["-O0", "-Xclang", "-disable-O0-optnone"]];
    let mut wrong = String::new();
    for level in levels {
        let program = program(cases.first().ok_or("no case")?, level)?;
        let reductions = [Reduction::SourceSets, Reduction::ReadsFrom];
        for (case, reduction) in cases.iter().flat_map(|case| reductions.map(|reduction| (case, reduction))) {
            let options = Options { audits_known_steps: true, ..Options::default() };
            let machine = machine(&program, case, options)?;
            let solver = Box::new(standard(&machine.terms, Z3Options::default()));
            let options = ExploreOptions {
                reduction,
                max_executions: Some(EXECUTIONS),
                keep_going: true,
                ..ExploreOptions::default()
            };
            let audit = explore_all(&machine, solver, &options, &mut Bounded).known_steps;
            compared[0].fetch_add(audit.compared, Ordering::Relaxed);
            compared[1].fetch_add(audit.ends, Ordering::Relaxed);
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
