//! `symx report`: an explanation as a page, a graph, a log for other tools.

use super::compose::drawing::DrawingOptions;
use crate::files::source_text::SourceOptions;
use crate::refusal::Refusal;
use clap::Args;
use std::path::PathBuf;
use symx_trace::Explanation;

/// Arguments of `report`.
#[derive(Args, Debug)]
pub struct ReportArguments {
    /// An explanation (*.explanation.json) of `symx run` or `symx explain`
    #[arg(value_name = "EXPLANATION")]
    explanation: PathBuf,
    #[command(flatten)]
    drawing: DrawingOptions,
    #[command(flatten)]
    source: SourceOptions,
}

/// Runs the command.
pub fn report(arguments: &ReportArguments) -> Result<u8, Refusal> {
    let DrawingOptions { html, dot, sarif, chrome_trace, witness } = &arguments.drawing;
    if [html, dot, sarif, chrome_trace].iter().all(|path| path.is_none()) && witness.is_empty() {
        return Err(Refusal::Usage(
            "no output requested: pass --html, --dot, --sarif, --chrome-trace or --witness".into(),
        ));
    }
    let path = &arguments.explanation;
    let text = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
    let explanation = Explanation::from_json(&String::from_utf8_lossy(&text))
        .map_err(|error| Refusal::Explanation { path: path.clone(), why: error.to_string() })?;
    // The file may name any source: what is shown is the user's, here or where an option says.
    let here = std::env::current_dir().ok();
    let source = arguments.source.text(here.as_deref())?;
    arguments.drawing.write(&explanation, &source)?;
    Ok(0)
}
