//! Files an exploration leaves in `--out`.

use crate::confirm::Confirmed;
use crate::refusal::Refusal;
use crate::render;
use crate::source_text::SourceText;
use crate::surroundings::Surroundings;
use crate::test_case::{Ending, TestCase};
use serde::Serialize;
use std::path::{Path, PathBuf};
use symx_trace::Explanation;
use symx_trace::symbolic::{SymbolicTrace, file};

/// Writes schedule, inputs, trace and explanation of a failure, and notes the paths in its violation. The files of the
/// `number`-th failure of an exploration (from 1) begin with `failure-N.`; the one failure that a profile leads to has no
/// number.
/// What a native run needs to be given the same inputs is in the folder `failure-N` (else `failure`).
pub fn write(
    folder: &Path,
    number: Option<usize>,
    surroundings: &Surroundings,
    confirmed: &mut Confirmed,
) -> Result<(), Refusal> {
    std::fs::create_dir_all(folder).map_err(|error| Refusal::unwritable(folder, error))?;
    let prefix = number.map_or_else(String::new, |number| format!("failure-{number}."));
    let named = |what: &str| folder.join(format!("{prefix}{what}.json"));
    let schedule = named("schedule");
    write_json(&schedule, &confirmed.schedule)?;
    let inputs = named("inputs");
    let case = TestCase::new(surroundings, &confirmed.schedule.inputs);
    case.write_json(&inputs, Ending { exit_status: None, failure: Some(&confirmed.violation.message) })?;
    let plain = folder.join(number.map_or_else(|| "failure".into(), |number| format!("failure-{number}")));
    case.write_plain(&plain)?;
    if !confirmed.schedule.inputs.is_empty() {
        case.write_ktest(&plain.join("inputs.ktest"))?;
    }
    // The first trace is always where people and tools look for it.
    let trace = if number == Some(1) { folder.join("trace.json") } else { named("trace") };
    write_json(&trace, &confirmed.trace)?;
    write_explanation(folder, number, &confirmed.explanation)?;
    confirmed.violation.schedule = Some(text(&schedule));
    confirmed.violation.inputs = Some(text(&inputs));
    Ok(())
}

/// Writes an explanation for scripts, and as the page `failure-N.html` (else `failure.html`) for people.
pub fn write_explanation(
    folder: &Path,
    number: Option<usize>,
    explanation: &Explanation,
) -> Result<(), Refusal> {
    let (data, page) = match number {
        Some(number) => (format!("failure-{number}.explanation.json"), format!("failure-{number}.html")),
        None => ("explanation.json".into(), "failure.html".into()),
    };
    write_json(&folder.join(data), &render::ToldExplanation::new(explanation))?;
    let page = folder.join(page);
    std::fs::write(&page, render::page(explanation, &SourceText::default()))
        .map_err(|error| Refusal::unwritable(&page, error))
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Writes a value as JSON.
pub fn write_json(path: &PathBuf, value: &impl Serialize) -> Result<(), Refusal> {
    let file = std::fs::File::create(path).map_err(|error| Refusal::unwritable(path, error))?;
    let mut out = std::io::BufWriter::new(file);
    serde_json::to_writer(&mut out, value)
        .map_err(std::io::Error::from)
        .and_then(|()| std::io::Write::flush(&mut out))
        .map_err(|error| Refusal::unwritable(path, error))
}

/// Writes the symbolic trace of recorded paths.
pub fn write_recorded_trace(folder: &Path, trace: &SymbolicTrace) -> Result<(), Refusal> {
    std::fs::create_dir_all(folder).map_err(|error| Refusal::unwritable(folder, error))?;
    let path = folder.join("recorded.trace");
    std::fs::write(&path, file::write(trace)).map_err(|error| Refusal::unwritable(path, error))
}
