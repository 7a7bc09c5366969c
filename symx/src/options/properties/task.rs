//! Tasks of SV-COMP: a file that names the source, the properties with what is expected, and the data model.

use super::Properties;
use crate::refusal::Refusal;
use serde::Deserialize;
use serde_saphyr::{Location, Spanned};
use std::path::{Path, PathBuf};

/// A task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The source to run.
    pub source: PathBuf,
    /// The properties it states, and the expected answers.
    pub stated: Vec<Stated>,
}

/// A property of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stated {
    /// The properties.
    pub properties: Properties,
    /// Whether it holds, if the task says so.
    pub expected: Option<bool>,
}

/// As it is written.
#[derive(Deserialize)]
struct Written {
    input_files: Spanned<OneOrMany>,
    #[serde(default)]
    properties: Vec<WrittenProperty>,
    #[serde(default)]
    options: WrittenOptions,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize)]
struct WrittenProperty {
    property_file: Spanned<String>,
    expected_verdict: Option<bool>,
}

#[derive(Deserialize, Default)]
struct WrittenOptions {
    language: Option<Spanned<String>>,
    data_model: Option<Spanned<String>>,
}

/// Whether a program on the command line is a task.
pub fn is_task(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "yml" || end == "yaml")
}

impl Task {
    /// Reads a task. Properties that are no verdict on the program, such as coverage of tests, are left out.
    pub fn read(path: &Path) -> Result<Self, Refusal> {
        let text = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
        let refused = |at: Location, why: String| Refusal::Misstated {
            path: path.into(),
            line: at.line().max(1) as usize,
            column: at.column().max(1) as usize,
            why,
        };
        let written: Written = serde_saphyr::from_str(&String::from_utf8_lossy(&text)).map_err(|error| {
            let at = error.location().unwrap_or(Location::UNKNOWN);
            refused(at, first_line(&error.without_snippet().to_string()))
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let at = written.input_files.referenced;
        let source = match written.input_files.value {
            OneOrMany::One(source) => source,
            OneOrMany::Many(sources) => match <[String; 1]>::try_from(sources) {
                Ok([source]) => source,
                Err(sources) => {
                    return Err(refused(at, format!("{} input files: symx takes one", sources.len())));
                }
            },
        };
        let source = folder.join(source);
        if is_task(&source) {
            return Err(refused(at, format!("`{}` is a task itself, and no source", source.display())));
        }
        if let Some(language) = written.options.language.filter(|language| language.value != "C") {
            let why = format!("a task in {}: symx takes those in C", language.value);
            return Err(refused(language.referenced, why));
        }
        if let Some(model) = written.options.data_model.filter(|model| model.value != "LP64") {
            let why = format!(
                "data model {}: symx executes programs as LP64; name {} itself to run it as one",
                model.value,
                source.display()
            );
            return Err(refused(model.referenced, why));
        }
        let mut stated = Vec::new();
        for WrittenProperty { property_file, expected_verdict } in written.properties {
            let file = folder.join(&property_file.value);
            match Properties::read(&file) {
                Ok(properties) => stated.push(Stated { properties, expected: expected_verdict }),
                Err(Refusal::Misstated { .. }) => {}
                Err(other) => return Err(refused(property_file.referenced, other.to_string())),
            }
        }
        Ok(Self { source, stated })
    }

    /// The properties to check: those asked for, or the only one of the task.
    pub fn question(&self, asked: &Properties, path: &Path) -> Result<Stated, Refusal> {
        if !asked.is_empty() {
            let known = self.stated.iter().find(|stated| stated.properties.is_same(asked));
            let expected = known.and_then(|stated| stated.expected);
            return Ok(Stated { properties: asked.clone(), expected });
        }
        match self.stated.as_slice() {
            [only] => Ok(only.clone()),
            [] => Err(Refusal::Usage(format!(
                "`{}` states no property that symx checks: choose one with --property",
                path.display()
            ))),
            several => {
                let names: Vec<String> = several.iter().map(|stated| stated.properties.name()).collect();
                Err(Refusal::Usage(format!(
                    "`{}` states {} properties: choose one with --property ({})",
                    path.display(),
                    several.len(),
                    names.join("; ")
                )))
            }
        }
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
