//! `symx field`: what installations that watch candidates reported.

use super::super::compose::write_text;
use crate::exit_code::VIOLATION;
use crate::races::field::joined::{FieldEnd, JoinedReports};
use crate::races::field::listed::Listed;
use crate::races::field::report::RunReport;
use crate::races::field::table::table;
use crate::refusal::Refusal;
use clap::Args;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Arguments of `field`.
#[derive(Args, Debug)]
pub struct FieldArguments {
    /// The folder of the reports, which SYMX_WATCH_DIR named where the programs ran
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The list that the programs were instrumented with (see `symx races --candidates --json`)
    #[arg(long, value_name = "FILE")]
    candidates: PathBuf,
    /// Write the result as JSON; `-` for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Print nothing
    #[arg(long)]
    quiet: bool,
}

/// Runs the command. The exit code is that of a violation if a race was seen.
pub fn field(arguments: &FieldArguments) -> Result<u8, Refusal> {
    let listed = read_list(&arguments.candidates)?;
    let mut joined = JoinedReports::new(&listed);
    // A run says how long it took, in nanoseconds: no other one has the same report.
    let mut known = HashSet::new();
    for path in reports(&arguments.folder)? {
        let refused = |why: String| Refusal::FieldReport { path: path.clone(), why };
        let text = std::fs::read(&path).map_err(|error| Refusal::unreadable(&path, error))?;
        let report = RunReport::read(&text).map_err(|error| refused(error.to_string()))?;
        if !known.insert(blake3::hash(&text)) {
            joined.copies += 1;
            continue;
        }
        joined.add(&listed, &report).map_err(|error| refused(error.to_string()))?;
    }
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&joined).expect("plain data becomes JSON");
        write_text(path, &format!("{text}\n"))?;
    }
    if !arguments.quiet && arguments.json.as_deref() != Some(Path::new("-")) {
        print!("{}", table(&joined));
    }
    Ok(if joined.count(FieldEnd::Confirmed) > 0 { VIOLATION } else { 0 })
}

/// The candidates of a result file.
pub fn read_list(path: &Path) -> Result<Listed, Refusal> {
    let text = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
    let refused = |why: String| Refusal::Candidates { path: path.to_path_buf(), why };
    Listed::read(&text).map_err(|error| refused(error.to_string()))
}

/// The files of reports in a folder, by name. Those under other names are not whole yet.
fn reports(folder: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let unreadable = |error| Refusal::unreadable(folder, error);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
