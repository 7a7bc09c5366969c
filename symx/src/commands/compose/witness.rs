//! Witness files: which format, of which source, when.

use crate::load::language::Language;
use crate::options::properties::{Properties, Property};
use crate::refusal::Refusal;
use crate::render::{Witness, WitnessSource, graphml, yaml};
use chrono::{SecondsFormat, Utc};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use symx_trace::explanation::Execution;

/// The formats of witnesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Yaml,
    GraphMl,
}

impl Format {
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "yml" | "yaml" => Some(Self::Yaml),
            "graphml" => Some(Self::GraphMl),
            _ => None,
        }
    }
}

/// A path that a witness can be written to.
pub fn parse_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    Format::of(&path).map(|_| path).ok_or_else(|| "expected a name that ends with .yml or .graphml".into())
}

/// Writes the witness of an execution that violates a property.
pub fn write_violation(path: &Path, program: &Path, failing: &Execution) -> Result<(), Refusal> {
    let refused = |why: String| Err(Refusal::Usage(format!("--witness: {why}")));
    let Some(failure) = &failing.failure else { return refused("the execution does not fail".into()) };
    let Some(property) = Property::violated_by(failure) else {
        return refused(format!("`{}` violates no property that there are witnesses of", failure.class()));
    };
    if !property.has_violation_witnesses() {
        return refused(format!("the formats have no witness of a violation of {}", property.name()));
    }
    let named = Path::new(&failure.location.file);
    let source = if Language::of(program) == Some(Language::C) { program } else { named };
    write(path, source, &Properties::of(property), Some(failing))
}

/// Writes the witness that properties hold: it has no invariants.
pub fn write_correctness(path: &Path, program: &Path, properties: &Properties) -> Result<(), Refusal> {
    write(path, program, properties, None)
}

fn write(
    path: &Path,
    source: &Path,
    properties: &Properties,
    failing: Option<&Execution>,
) -> Result<(), Refusal> {
    if Language::of(source) != Some(Language::C) {
        let why = format!("--witness: a witness is of a source in C, and `{}` is none", source.display());
        return Err(Refusal::Usage(why));
    }
    let held = std::fs::read(source).map_err(|error| Refusal::unreadable(source, error))?;
    let text = String::from_utf8_lossy(&held);
    let hash: String = Sha256::digest(&held).iter().map(|byte| format!("{byte:02x}")).collect();
    let witness = Witness {
        source: &source.display().to_string(),
        text: WitnessSource::new(&text),
        hash: &hash,
        specification: &properties.specification(),
        created: &Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true),
        failing,
    };
    let written = match Format::of(path) {
        Some(Format::GraphMl) => graphml(&witness),
        Some(Format::Yaml) | None => yaml(&witness),
    };
    std::fs::write(path, written).map_err(|error| Refusal::unwritable(path, error))
}
