//! `symx test`: run a folder of programs with their expectations inside.

mod output;

use super::cluster::prepared::ReadCommand;
use super::run::campaign_task::refuse_what_does_not_work;
use crate::harness::{
    Campaigns, Case, CaseResult, Children, Entry, Passed, Problems, Results, Seen, Symx, blessed, cases,
};
use crate::limits::budget::interruption;
use crate::options::cluster::ServerOptions;
use crate::options::project_file::{self, ProjectFile};
use crate::options::{jobs, workers};
use crate::refusal::Refusal;
use crate::text::one_line;
use chrono::Utc;
use clap::Args;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Arguments of `test`.
#[derive(Args, Debug)]
pub struct TestArguments {
    /// The folder [default: the one that symx.toml names]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Run only programs whose path contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    filter: String,
    /// Time limit of each exploration, in seconds
    #[arg(long, value_name = "SECS", default_value_t = 60)]
    max_time: u32,
    /// Explore with the workers that have joined this NATS server; what cannot be a campaign is explored here
    #[arg(long, value_name = "URL")]
    cluster: Option<String>,
    #[command(flatten)]
    server: ServerOptions,
    /// Programs to run in parallel [default: one per processor; with --cluster, one]
    #[arg(long, value_name = "N", value_parser = workers)]
    jobs: Option<NonZeroUsize>,
    /// Write the results as JUnit XML; `-` for standard output
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the results as JSON; `-` for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// First rewrite the outcomes, numbers of executions and races that programs state, as they came out
    #[arg(long)]
    bless: bool,
    /// Folder that keeps compiled programs [default: a temporary folder; with --changed, symx-out/cache]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Run only what has changed since it passed: programs, files that they are made of or may read, or symx
    #[arg(long)]
    changed: bool,
    /// List the programs and memory models without running them
    #[arg(long)]
    list: bool,
    /// Keep schedules and pages of the failures of each failing case in a folder below this one
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Append a summary in Markdown to FILE [default: where GitHub Actions wants it, when run there]
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
}

/// Keeps compiled programs from one `--changed` to the next, if no folder is named.
const KEPT_CACHE: &str = "symx-out/cache";

/// The folder given, else the project's.
fn folder(arguments: &TestArguments) -> Result<PathBuf, Refusal> {
    if let Some(given) = &arguments.folder {
        return Ok(given.clone());
    }
    let of_project = project_file::find().map(|path| ProjectFile::read(path).map(|file| file.tests()));
    let none = || Refusal::Usage("no folder given, and no symx.toml names one (test.folder)".into());
    of_project.transpose()?.flatten().ok_or_else(none)
}

/// The workers of the server that is named, if it answers. `read` is how command lines are read.
fn campaigns(arguments: &TestArguments, read: ReadCommand) -> Result<Option<Campaigns>, Refusal> {
    let Some(address) = &arguments.cluster else { return Ok(None) };
    arguments.server.connect(address)?;
    let options = ["--cluster", address, "--quiet"].map(str::to_owned);
    let options = options.into_iter().chain(arguments.server.words()?).collect();
    let is_one = move |words: &[String]| {
        let command: Vec<String> = ["symx".to_owned()].into_iter().chain(words.iter().cloned()).collect();
        // A command line that cannot be read is refused by the process that gets it.
        read(&command).ok().flatten().is_none_or(|asked| refuse_what_does_not_work(&asked).is_ok())
    };
    Ok(Some(Campaigns { options, is_one: Arc::new(is_one) }))
}

/// Runs the command: exit code 0 if everything is as expected, 3 if all that is not is incomplete, else
/// 1. `read` is how command lines are read.
pub fn test(arguments: &TestArguments, read: ReadCommand) -> Result<u8, Refusal> {
    let folder = &folder(arguments)?;
    let mut cases = cases(folder).map_err(|error| Refusal::unreadable(folder, error))?;
    cases.retain(|case| case.name.contains(&arguments.filter));
    if cases.is_empty() {
        return Err(Refusal::Usage(format!("no programs in `{}`", folder.display())));
    }
    if arguments.list {
        for case in &cases {
            println!("{} [{}]", one_line(&case.name), case.model);
        }
        return Ok(0);
    }
    output::check(arguments)?;
    let interrupted = interruption();
    let children = Children::default();
    end_when(Arc::clone(&interrupted), children.clone());
    let executable = std::env::current_exe().map_err(|error| Refusal::unreadable("symx", error))?;
    let campaigns = campaigns(arguments, read)?;
    let jobs = match (&campaigns, arguments.jobs) {
        (Some(_), None) => 1,
        (_, asked) => jobs(asked),
    };
    let symx = Symx { campaigns, children, ..Symx::new(executable, arguments.max_time) };
    let own_cache = tempfile::tempdir().map_err(|error| Refusal::unwritable(std::env::temp_dir(), error))?;
    let usual = if arguments.changed { Path::new(KEPT_CACHE) } else { own_cache.path() };
    let cache = arguments.cache.as_deref().unwrap_or(usual);
    if arguments.bless {
        bless(&cases, &symx, cache, arguments)?;
    }
    let passed = match arguments.changed {
        true => {
            let written = [&arguments.out, &arguments.junit, &arguments.json, &arguments.summary];
            let written: Vec<&Path> = written.into_iter().filter_map(Option::as_deref).collect();
            Some(Passed::of(cache, &symx, &written).map_err(|error| Refusal::unwritable(cache, error))?)
        }
        false => None,
    };
    let out = arguments.out.as_deref();
    let suite = Suite { cases: &cases, symx: &symx, cache, passed, out, interrupted: &interrupted };
    let results = suite.run(jobs);
    output::write(&results, arguments)?;
    Ok(results.exit_code())
}

/// Once `interrupted` is set, ends the processes that explore. Ctrl-C reaches them, too: they have a while to
/// end by themselves, as a second signal leaves no time for removing temporary files.
fn end_when(interrupted: Arc<AtomicBool>, children: Children) {
    std::thread::spawn(move || {
        while !interrupted.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
        }
        std::thread::sleep(Duration::from_secs(1));
        children.end_all();
    });
}

/// Rewrites the expectations of programs by their results. A program that does not otherwise do what it is to
/// do stays as it is; the run that follows says why.
fn bless(cases: &[Case], symx: &Symx, cache: &Path, arguments: &TestArguments) -> Result<(), Refusal> {
    for of_one in cases.chunk_by(|one, other| one.source == other.source) {
        let seen: Result<Vec<(&str, Seen)>, Problems> =
            of_one.iter().map(|case| Ok((case.model, case.seen(symx, cache)?))).collect();
        let (Ok(seen), source) = (seen, &of_one[0].source) else { continue };
        // A text in another encoding could not be written as it was.
        let Ok(text) = std::fs::read_to_string(source) else { continue };
        let Ok(blessed) = blessed(&text, &seen) else { continue };
        if blessed != text {
            std::fs::write(source, blessed).map_err(|error| Refusal::unwritable(source, error))?;
            let name = one_line(&source.display().to_string());
            output::print(&format!("blessed {name}\n"), arguments);
        }
    }
    Ok(())
}

/// Cases to run, and how.
struct Suite<'s> {
    cases: &'s [Case],
    symx: &'s Symx,
    cache: &'s Path,
    /// The cases that need not be run again.
    passed: Option<Passed>,
    /// Where failures leave their schedules and pages.
    out: Option<&'s Path>,
    /// Set when no further case is to be run.
    interrupted: &'s AtomicBool,
}

impl Suite<'_> {
    /// Runs the cases, `jobs` at a time; results come in the cases' order.
    fn run(&self, jobs: usize) -> Results {
        let began = Utc::now();
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    while let Some((at, case)) = self.next(&next) {
                        let Some(result) = self.run_one(case) else { continue };
                        done.lock().expect("no worker panics while it holds the lock").push((at, result));
                    }
                });
            }
        });
        let mut results = done.into_inner().expect("no worker panics while it holds the lock");
        results.sort_by_key(|(at, _)| *at);
        let not_run = self.cases.len() - results.len();
        Results { cases: results.into_iter().map(|(_, result)| result).collect(), not_run, began }
    }

    fn next(&self, next: &AtomicUsize) -> Option<(usize, &Case)> {
        if self.interrupted.load(Ordering::Relaxed) {
            return None;
        }
        let at = next.fetch_add(1, Ordering::Relaxed);
        Some((at, self.cases.get(at)?))
    }

    /// Its result, unless it was ended before it had one.
    fn run_one(&self, case: &Case) -> Option<CaseResult> {
        let started = Instant::now();
        // Looked at before the run: a file that changes meanwhile may have been read as it was.
        let entry = self.passed.as_ref().and_then(|passed| passed.entry(case));
        let is_unchanged = entry.as_ref().is_some_and(Entry::exists);
        let problem = if is_unchanged { None } else { case.run(self.symx, self.cache).err() };
        if problem.is_some() && self.interrupted.load(Ordering::Relaxed) {
            return None;
        }
        if let (None, Some(entry)) = (&problem, &entry) {
            entry.add();
        }
        Some(CaseResult {
            name: case.name.clone(),
            source: case.source.clone(),
            model: case.model.into(),
            artefacts: problem.as_ref().and_then(|_| self.artefacts(case)),
            line: problem.as_ref().and_then(Problems::line),
            is_incompleteness: problem.as_ref().is_some_and(Problems::are_incompleteness),
            problem,
            wall_ms: started.elapsed().as_millis() as u64,
            is_unchanged,
        })
    }

    /// Runs a failing case again for the files that it leaves; the folder, if anything is there.
    fn artefacts(&self, case: &Case) -> Option<PathBuf> {
        let folder = self.out?.join(&case.name).join(case.model);
        let (_, schedules) = case.explained_failures(self.symx, self.cache, &folder).ok()?;
        (!schedules.is_empty()).then_some(folder)
    }
}
