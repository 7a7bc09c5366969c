//! Where the results of a suite go: text, files, and the code host that runs it.

use super::TestArguments;
use crate::files::writable::{check_file, check_folder};
use crate::harness::Results;
use crate::refusal::Refusal;
use crate::text::visible;
use std::collections::hash_map::RandomState;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Set by GitHub Actions, where all that is printed is searched for workflow commands.
const ON_GITHUB: &str = "GITHUB_ACTIONS";

/// Names the file of the job's summary there.
const GITHUB_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// Refuses what could not be written in the end.
pub fn check(arguments: &TestArguments) -> Result<(), Refusal> {
    let files = files(arguments);
    for file in &files {
        check_file(file)?;
    }
    if files.iter().filter(|file| is_standard_output(file)).count() > 1 {
        return Err(Refusal::Usage("standard output takes one of --json, --junit and --summary".into()));
    }
    let folders = [&arguments.out, &arguments.cache];
    folders.into_iter().flatten().try_for_each(|folder| check_folder(folder))
}

/// Prints the results, then writes the files that are asked for.
pub fn write(results: &Results, arguments: &TestArguments) -> Result<(), Refusal> {
    print(&told(results), arguments);
    if let Some(path) = &arguments.junit {
        write_file(path, &results.junit(), OpenOptions::new().truncate(true))?;
    }
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(results).expect("results are plain data with string keys");
        write_file(path, &text, OpenOptions::new().truncate(true))?;
    }
    if let Some(path) = &summary(arguments) {
        write_file(path, &results.summary(), OpenOptions::new().append(true))?;
    }
    Ok(())
}

/// The results for people. On GitHub, nothing in them is a command but the marks at failing programs.
fn told(results: &Results) -> String {
    let text = results.text();
    let text = visible(&text);
    if std::env::var_os(ON_GITHUB).is_none_or(|set| set != "true") {
        return text.into_owned();
    }
    // No program can know the word that ends the text.
    let random = || RandomState::new().build_hasher().finish();
    let word = format!("{:016x}{:016x}", random(), random());
    format!("::stop-commands::{word}\n{text}::{word}::\n{}", results.github_annotations())
}

/// Prints for people: not where a file is to be, which is all that stands there then.
pub fn print(text: &str, arguments: &TestArguments) {
    if files(arguments).iter().any(|file| is_standard_output(file)) {
        eprint!("{text}");
    } else {
        print!("{text}");
    }
}

/// The files that are asked for.
fn files(arguments: &TestArguments) -> Vec<PathBuf> {
    let files = [arguments.junit.clone(), arguments.json.clone(), summary(arguments)];
    files.into_iter().flatten().collect()
}

/// The file that the summary is appended to.
fn summary(arguments: &TestArguments) -> Option<PathBuf> {
    let named = std::env::var_os(GITHUB_SUMMARY).filter(|path| *path != OsString::new());
    arguments.summary.clone().or(named.map(PathBuf::from))
}

fn is_standard_output(file: &Path) -> bool {
    file.as_os_str() == "-"
}

fn write_file(path: &Path, text: &str, how: &mut OpenOptions) -> Result<(), Refusal> {
    let written = if is_standard_output(path) {
        std::io::stdout().write_all(text.as_bytes())
    } else {
        how.write(true).create(true).open(path).and_then(|mut file| file.write_all(text.as_bytes()))
    };
    written.map_err(|error| Refusal::unwritable(path, error))
}
