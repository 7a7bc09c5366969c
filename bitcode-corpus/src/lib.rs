//! Programs with their expectations inside, and the tests that run them with the harness of crate `symx`.

use mimalloc::MiMalloc;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use symx::harness::{Case, Expectations, Severity, Symx};

/// The allocator of the command, also in tests that explore in process.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The folder of the programs.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where compiled programs are kept from one test run to the next.
pub fn cache() -> PathBuf {
    folder().parent().unwrap_or(folder()).join("target/corpus-cache")
}

/// What a command does with these arguments and no input.
///
/// # Panics
///
/// If it does not start.
pub fn output_of<S: AsRef<OsStr>>(command: &str, arguments: impl IntoIterator<Item = S>) -> Output {
    Command::new(command).args(arguments).stdin(Stdio::null()).output().expect("the command starts")
}

/// All that a command says: how it ended, and what it printed.
pub fn said(output: &Output) -> String {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    format!("{}\n{}{}", output.status, text(&output.stdout), text(&output.stderr))
}

/// A number from the environment, by which a command makes a test longer.
///
/// # Panics
///
/// If it is set and no number.
pub fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a number"))
}

/// Whether tests that leave part of the corpus to a command of `./x` are to look at all of it.
pub fn is_whole_corpus_audited() -> bool {
    std::env::var("SYMX_AUDIT").is_ok_and(|which| which == "all")
}

/// Whether a program is one of those that are here for their bug, a race that does harm among them, and
/// the model shows it.
pub fn shows_a_bug(case: &Case) -> bool {
    let is_in = |below: &str| case.source.starts_with(folder().join(below));
    let text = std::fs::read_to_string(&case.source).unwrap_or_default();
    let expectations = Expectations::parse(&text).unwrap_or_default();
    let mut races = expectations.races.iter().filter(|(models, _)| models.contain(case.model));
    match expectations.races.is_empty() {
        true => {
            ["fail", "explained", "races/fail"].into_iter().any(is_in)
                && expectations.labels_under(case.model, Severity::Error).count() > 0
        }
        false => races.any(|(_, race)| race.as_ref().is_some_and(|race| race.class == "spec-violated")),
    }
}

/// Whether such a program creates threads, and the model is one of those whose executions
/// are orders of events.
pub fn fails_in_threads(case: &Case) -> bool {
    let text = std::fs::read_to_string(&case.source).unwrap_or_default();
    let creates = ["pthread_create", "thrd_create", "std::thread", "std::jthread", "std::async"];
    ["sc", "tso", "pso"].contains(&case.model)
        && creates.iter().any(|call| text.contains(call))
        && !case.name.starts_with("races")
        && shows_a_bug(case)
}

/// Has a failing schedule of a program explained, which may take as long as runs may; `options` say what is
/// written. Its output; as an error if it did not explain.
pub fn explain(
    symx: &Symx,
    case: &Case,
    program: &Path,
    schedule: &Path,
    options: &[&str],
) -> Result<String, String> {
    of_schedule("explain", symx, case, program, schedule, options)
}

/// The output of a command on a schedule of a case; an error if it does not succeed.
pub fn of_schedule(
    command: &str,
    symx: &Symx,
    case: &Case,
    program: &Path,
    schedule: &Path,
    options: &[&str],
) -> Result<String, String> {
    let time = symx.max_time.to_string();
    let mount = case.source.parent().unwrap_or(Path::new("."));
    let paths = [mount, program, schedule].map(|path| path.display().to_string());
    let fixed = [command, "--max-time", &time, "--mount", &paths[0], &paths[1], &paths[2]];
    let words: Vec<String> = fixed.iter().chain(options).map(|word| (*word).to_owned()).collect();
    let output = symx.output(&words).map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let told = text(&output.stdout) + &text(&output.stderr);
    if output.status.success() { Ok(told) } else { Err(told) }
}
