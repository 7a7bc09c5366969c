//! What is drawn of an explanation: a page, graphs, logs for other tools.

use super::witness;
use crate::files::source_text::SourceText;
use crate::refusal::Refusal;
use crate::render;
use clap::Args;
use std::path::{Path, PathBuf};
use symx_trace::Explanation;

/// What is drawn, and where to.
#[derive(Args, Clone, Debug, Default)]
pub struct DrawingOptions {
    /// Write a self-contained page: one lane per thread, stepping, source code
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write a graph for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// Write SARIF 2.1.0, which editors and code hosts show
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write Chrome trace events, which Perfetto shows: one track per thread, locks held, reads-from arrows
    #[arg(long, value_name = "FILE")]
    pub chrome_trace: Option<PathBuf>,
    /// Write a witness for validators: .yml is version 2.0 (2.2 with threads), .graphml is 1.0
    #[arg(long, value_name = "FILE", value_parser = witness::parse_path)]
    pub witness: Vec<PathBuf>,
}

impl DrawingOptions {
    /// Writes what is asked for.
    pub fn write(&self, explanation: &Explanation, source: &SourceText) -> Result<(), Refusal> {
        let write = |path: &Option<PathBuf>, text: &dyn Fn() -> String| match path {
            Some(path) => write(path, &text()),
            None => Ok(()),
        };
        write(&self.html, &|| render::page(explanation, source))?;
        write(&self.dot, &|| render::dot(explanation))?;
        write(&self.chrome_trace, &|| render::chrome_trace(explanation))?;
        self.sarif.as_ref().map_or(Ok(()), |path| write_sarif(path, &[explanation]))?;
        // Not every failure has one.
        for path in &self.witness {
            witness::write_violation(path, Path::new(&explanation.program), &explanation.failing)?;
        }
        Ok(())
    }
}

/// Writes a log that names files below the current folder relative to it.
pub fn write_sarif(path: &Path, explanations: &[&Explanation]) -> Result<(), Refusal> {
    write(path, &render::sarif(explanations, std::env::current_dir().ok().as_deref()))
}

fn write(path: &Path, text: &str) -> Result<(), Refusal> {
    std::fs::write(path, text).map_err(|error| Refusal::unwritable(path, error))
}
