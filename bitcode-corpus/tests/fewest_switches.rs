//! Every failure of the corpus that takes several threads, minimised: no schedule with fewer context switches
//! leads to it. `symx simplify --optimal` proves this by looking at all of them. One test a program, under
//! the first model that it fails under, or with `SYMX_AUDIT=all` (as `./x switches` has it) under each.

use libtest_mimic::{Arguments, Trial};
use std::path::Path;
use std::process::ExitCode;
use symx::harness::{Case, Symx, cases};
use symx_bitcode_corpus::{cache, fails_in_threads, folder, is_whole_corpus_audited, of_schedule};
use symx_trace::Schedule;

/// Time limit of a proof, in seconds.
const MAX_TIME: u32 = 60;

/// Programs and models with too many executions within the bound to look at them all in that time. They are
/// not run unless asked for.
const TOO_LARGE: &[&str] = &[
    // Threads of Rust's standard library have a hundred steps each.
    "fail/rust/lost_update::pso",
    "fail/rust/lost_update::sc",
    "fail/rust/lost_update::tso",
    "explained/cxx/order_pipeline::pso",
    "explained/cxx/order_pipeline::tso",
    "explained/two_flows::tso",
    "explained/two_flows::pso",
    "fail/cxx/entry_evicted_while_used::pso",
    "fail/deadlock_signal_wakes_the_wrong_side::pso",
    "fail/livelock_load_moved_out_of_the_loop::pso",
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut cases = cases(folder()).expect("the corpus is beside this file");
    cases.retain(fails_in_threads);
    if is_whole_corpus_audited() {
        assert!(cases.len() > 400, "only {} cases were found", cases.len());
    } else {
        // They come in order, the strongest model first.
        cases.dedup_by(|case, stronger| case.source == stronger.source);
        assert!(cases.len() > 150, "only {} cases were found", cases.len());
    }
    let trials = cases.into_iter().map(|case| {
        let name = format!("{}::{}", case.name.replace('/', "::"), case.model);
        let is_too_large = TOO_LARGE.contains(&format!("{}::{}", case.name, case.model).as_str());
        Trial::test(name, move || prove(&case).map_err(Into::into)).with_ignored_flag(is_too_large)
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn prove(case: &Case) -> Result<(), String> {
    let symx = Symx::new(env!("CARGO_BIN_EXE_symx-under-test"), MAX_TIME);
    let out = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (program, schedules) = case.failing_schedules(&symx, &cache(), out.path())?;
    let schedule = schedules.first().ok_or("it does not fail")?;
    if threads(schedule)? < 2 {
        return Ok(());
    }
    let told = of_schedule("simplify", &symx, case, &program, schedule, &["--optimal"])?;
    let proven = told
        .lines()
        .find_map(|line| Some(line.strip_prefix("optimal: it takes ")?.split_once(" context switch")?.0))
        .and_then(|number| number.parse::<u32>().ok());
    let reached = told
        .lines()
        .find_map(|line| line.strip_prefix("simplified: "))
        .and_then(|line| line.split_once(") to ")?.1.split_once(' ')?.0.parse::<u32>().ok());
    match (reached, proven) {
        (Some(reached), Some(least)) if reached == least => Ok(()),
        _ => Err(told),
    }
}

fn threads(schedule: &Path) -> Result<usize, String> {
    let text = std::fs::read_to_string(schedule).map_err(|error| error.to_string())?;
    let schedule: Schedule = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    Ok(schedule.threads.len())
}
