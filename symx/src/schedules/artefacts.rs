//! Files an exploration leaves in `--out`.

pub use crate::files::left_behind::remove_earlier;
pub use crate::files::own::write_json;
use crate::files::own::{self, make_folder};
use crate::files::source_text::SourceText;
use crate::files::test_case::{Ending, TestCase};
use crate::refusal::Refusal;
use crate::render;
use crate::schedules::confirm::Confirmed;
use crate::session::Session;
use std::path::{Path, PathBuf};
use symx_trace::Explanation;
use symx_trace::symbolic::{SymbolicTrace, file};

/// Writes schedule, inputs, trace and explanation of a failure, and notes the paths in its violation. The
/// files of the `number`-th failure of an exploration (from 1) begin with `failure-N.`; the one failure that
/// a profile leads to has no number. Files for a native run with the same inputs are in the folder
/// `failure-N` (else `failure`).
pub fn write(
    folder: &Path,
    number: Option<usize>,
    session: &Session,
    confirmed: &mut Confirmed,
) -> Result<(), Refusal> {
    make_folder(folder)?;
    let prefix = number.map_or_else(String::new, |number| format!("failure-{number}."));
    let named = |what: &str| folder.join(format!("{prefix}{what}.json"));
    let schedule = named("schedule");
    write_json(&schedule, &confirmed.schedule)?;
    let inputs = named("inputs");
    let given = &session.surroundings;
    let case = TestCase::new(&given.arguments, &given.standard_input, &confirmed.schedule.inputs);
    case.write_json(&inputs, Ending { exit_status: None, failure: Some(&confirmed.violation.message) })?;
    let plain = folder.join(number.map_or_else(|| "failure".into(), |number| format!("failure-{number}")));
    case.write_plain(&plain)?;
    if !confirmed.schedule.inputs.is_empty() {
        case.write_ktest(&plain.join("inputs.ktest"))?;
    }
    // The first trace is always where people and tools look for it.
    let trace = if number == Some(1) { folder.join("trace.json") } else { named("trace") };
    write_json(&trace, &confirmed.trace)?;
    confirmed.violation.schedule = Some(text(&schedule));
    confirmed.violation.inputs = Some(text(&inputs));
    let (data, page) = write_explanation(folder, number, &confirmed.explanation, &session.loaded.source)?;
    confirmed.violation.explanation = Some(text(&data));
    confirmed.violation.page = Some(text(&page));
    Ok(())
}

/// Writes an explanation for scripts, and as the page `failure-N.html` (else `failure.html`) for people. The
/// paths of both.
fn write_explanation(
    folder: &Path,
    number: Option<usize>,
    explanation: &Explanation,
    source: &SourceText,
) -> Result<(PathBuf, PathBuf), Refusal> {
    let (data, page) = match number {
        Some(number) => (format!("failure-{number}.explanation.json"), format!("failure-{number}.html")),
        None => ("explanation.json".into(), "failure.html".into()),
    };
    let (data, page) = (folder.join(data), folder.join(page));
    write_json(&data, &render::ExplanationWithSentences::new(explanation))?;
    own::write(&page, render::page(explanation, source).as_bytes())?;
    Ok((data, page))
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Writes the symbolic trace of recorded paths.
pub fn write_recorded_trace(folder: &Path, trace: &SymbolicTrace) -> Result<(), Refusal> {
    make_folder(folder)?;
    let path = folder.join("recorded.trace");
    own::write(&path, &file::write(trace))
}
