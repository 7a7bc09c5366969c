//! `--check`: which kinds of failure count. What there is to check is in the rows of [`CHECKS`].

use crate::options::ExploringOptions;
use crate::options::properties::Properties;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use symx_trace::failure::checks::{CHECKS, Check, Made};
use symx_trace::{FailureKind, FailureKinds};

/// Checks that have a name for `--check`.
pub fn named() -> impl Iterator<Item = &'static Check> {
    CHECKS.iter().filter(|check| check.made != Made::Always)
}

/// Checks that are made where they are asked for.
fn on_request() -> impl Iterator<Item = &'static Check> {
    CHECKS.iter().filter(|check| matches!(check.made, Made::OnRequest(_)))
}

/// A value of `--check`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AskedFor {
    /// Those that are made where none is asked for.
    Default,
    /// The check for this kind of failure.
    Kind(FailureKind),
}

/// The name of [`AskedFor::Default`].
const DEFAULT: &str = "default";

/// The parser of a check's name.
pub fn parser() -> impl TypedValueParser<Value = AskedFor> {
    let help = |check: &Check| match check.made {
        Made::Always => None,
        Made::ByDefault(looks_for) => Some(looks_for.to_owned()),
        Made::OnRequest(looks_for) => Some(format!("{looks_for} (only on request)")),
    };
    let names =
        named().filter_map(move |check| Some(PossibleValue::new(check.kind.name()).help(help(check)?)));
    let default = PossibleValue::new(DEFAULT).help("those that are made without this option");
    PossibleValuesParser::new(names.chain([default])).try_map(|name| {
        if name == DEFAULT {
            return Ok(AskedFor::Default);
        }
        let check = named().find(|check| check.kind.name() == name);
        check.map(|check| AskedFor::Kind(check.kind)).ok_or_else(|| format!("no check is called {name}"))
    })
}

/// The help of `--check`.
pub fn help() -> String {
    let names: Vec<&str> = on_request().map(|check| check.kind.name()).collect();
    let but = match names.split_last() {
        Some((last, [])) => format!(" but {last}"),
        Some((last, others)) => format!(" but {} and {last}", others.join(", ")),
        None => String::new(),
    };
    format!("Checks to make (default: all{but})")
}

/// The kinds of failure that these checks find; of the default ones if there is none.
fn counted(checks: &[AskedFor]) -> FailureKinds {
    let has_default = checks.is_empty() || checks.contains(&AskedFor::Default);
    let is_made = |check: &&Check| match check.made {
        Made::Always => true,
        Made::ByDefault(_) if has_default => true,
        Made::ByDefault(_) | Made::OnRequest(_) => checks.contains(&AskedFor::Kind(check.kind)),
    };
    CHECKS.iter().filter(is_made).map(|check| check.kind).collect()
}

impl ExploringOptions {
    /// The failures that count: of properties, where some are asked for.
    pub fn checks(&self) -> FailureKinds {
        match self.properties() {
            none if none.is_empty() => counted(&self.check),
            properties => properties.violations().with(FailureKind::Output),
        }
    }

    /// The properties that are asked for.
    pub fn properties(&self) -> Properties {
        self.property.iter().fold(Properties::default(), Properties::and)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_counts() {
        assert!(!counted(&[]).contains(FailureKind::Leak) && !counted(&[]).contains(FailureKind::Race));
        assert!(!counted(&[]).contains(FailureKind::UnfinishedThread));
        assert!(counted(&[]).contains(FailureKind::Memory));
        let both = counted(&[AskedFor::Default, AskedFor::Kind(FailureKind::Race)]);
        assert!(both.contains(FailureKind::Race) && both.contains(FailureKind::Memory));
        let asked = counted(&[AskedFor::Kind(FailureKind::Leak)]);
        assert!(asked.contains(FailureKind::Leak) && !asked.contains(FailureKind::Memory));
        assert!(asked.contains(FailureKind::Uncaught));
    }

    #[test]
    fn the_help_names_what_is_not_made_by_default() {
        let help = help();
        assert!(help.starts_with("Checks to make (default: all but leak, ") && help.ends_with(" and race)"));
    }
}
