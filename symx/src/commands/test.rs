//! `symx test`: run a folder of programs with their expectations inside.

use crate::exit_code::VIOLATION;
use crate::harness::{Case, CaseResult, Results, Seen, Symx, blessed, cases};
use crate::options::{jobs, workers};
use crate::refusal::Refusal;
use crate::render;
use clap::Args;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Arguments of `test`.
#[derive(Args, Debug)]
pub struct TestArguments {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Run only programs whose path contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    filter: String,
    /// Time limit of each exploration, in seconds
    #[arg(long, value_name = "SECS", default_value_t = 60)]
    max_time: u32,
    /// Programs to run in parallel (default: one per processor)
    #[arg(long, value_name = "N", value_parser = workers)]
    jobs: Option<NonZeroUsize>,
    /// Write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the results as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// First rewrite the outcomes, numbers of executions and races that programs state, as they came out
    #[arg(long)]
    bless: bool,
    /// Folder that keeps compiled programs (default: a temporary folder)
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

/// Runs the command: exit code 0 if everything is as expected, else 1.
pub fn test(arguments: &TestArguments) -> Result<u8, Refusal> {
    let mut cases =
        cases(&arguments.folder).map_err(|error| Refusal::unreadable(&arguments.folder, error))?;
    cases.retain(|case| case.name.contains(&arguments.filter));
    if cases.is_empty() {
        return Err(Refusal::Usage(format!("no programs in `{}`", arguments.folder.display())));
    }
    let executable = std::env::current_exe().map_err(|error| Refusal::unreadable("symx", error))?;
    let symx = Symx { executable, max_time: arguments.max_time };
    let own_cache = tempfile::tempdir().map_err(|error| Refusal::unwritable(std::env::temp_dir(), error))?;
    let cache = arguments.cache.as_deref().unwrap_or(own_cache.path());
    if arguments.bless {
        bless(&cases, &symx, cache)?;
    }
    let results = run_all(&cases, &symx, cache, jobs(arguments.jobs));
    if let Some(path) = &arguments.junit {
        std::fs::write(path, results.junit()).map_err(|error| Refusal::unwritable(path, error))?;
    }
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&results).expect("results are plain data with string keys");
        std::fs::write(path, text).map_err(|error| Refusal::unwritable(path, error))?;
    }
    print!("{}", render::visible(&results.text()));
    Ok(if results.failed() == 0 { 0 } else { VIOLATION })
}

/// Rewrites what programs expect as it came out. A program that does not do besides what it is to do stays as
/// it is; the run that follows says why.
fn bless(cases: &[Case], symx: &Symx, cache: &Path) -> Result<(), Refusal> {
    for of_one in cases.chunk_by(|one, other| one.source == other.source) {
        let seen: Result<Vec<(&str, Seen)>, String> =
            of_one.iter().map(|case| Ok((case.model, case.seen(symx, cache)?))).collect();
        let (Ok(seen), source) = (seen, &of_one[0].source) else { continue };
        let text = std::fs::read_to_string(source).map_err(|error| Refusal::unreadable(source, error))?;
        let Ok(blessed) = blessed(&text, &seen) else { continue };
        if blessed != text {
            std::fs::write(source, blessed).map_err(|error| Refusal::unwritable(source, error))?;
            println!("blessed {}", render::visible(&source.display().to_string()));
        }
    }
    Ok(())
}

/// Runs the cases, `jobs` at a time; results come in the cases' order.
fn run_all(cases: &[Case], symx: &Symx, cache: &Path, jobs: usize) -> Results {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let started = Instant::now();
                    let problem = case.run(symx, cache).err();
                    let result = CaseResult {
                        name: case.name.clone(),
                        model: case.model.into(),
                        problem,
                        wall_ms: started.elapsed().as_millis() as u64,
                    };
                    done.lock().expect("no worker panics while it holds the lock").push(result);
                }
            });
        }
    });
    let mut results = done.into_inner().expect("no worker panics while it holds the lock");
    let place = |result: &CaseResult| {
        cases.iter().position(|case| case.name == result.name && case.model == result.model)
    };
    results.sort_by_cached_key(place);
    Results { cases: results }
}
