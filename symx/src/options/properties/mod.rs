//! `--property`: what counts as a failure, as verification competitions and their tools state it.
//!
//! A property is a row of a table: its name, its formula, and the failures that violate it. Other defined
//! ends, such as `abort` or a deadlock, end an execution and say nothing of the property. Undefined
//! behaviour that violates no property asked for leaves open what comes after it.

pub mod formula;
pub mod task;

use crate::refusal::Refusal;
use formula::Misstated;
use serde::{Deserialize, Serialize};
use std::path::Path;
use symx_trace::FailureDetail as Detail;
use symx_trace::FailureKind as Kind;
use symx_trace::{Failure, FailureKinds};

/// A property with one formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Property {
    /// `reach_error` is never called.
    UnreachCall,
    /// Freed memory is allocated.
    ValidFree,
    /// The target of a pointer is there when it is accessed.
    ValidDeref,
    /// Allocated memory is pointed to.
    ValidMemtrack,
    /// No memory is allocated when the process ends.
    ValidMemcleanup,
    /// Signed arithmetic has results that fit.
    NoOverflow,
    /// No data races. The end of a variable's life is no access.
    NoDataRace,
    /// Every execution ends.
    Termination,
}

/// A property's row.
struct Row {
    property: Property,
    name: &'static str,
    /// The formulas of it that are in use, the present one first.
    formulas: &'static [&'static str],
    /// The failures that violate it.
    violations: FailureKinds,
}

const NONE: FailureKinds = FailureKinds::NONE;

static ROWS: [Row; 8] = [
    Row {
        property: Property::UnreachCall,
        name: "unreach-call",
        formulas: &["G ! call(reach_error())", "G ! call(__VERIFIER_error())"],
        violations: NONE.with_detail(Kind::Assert, Detail::ErrorCall),
    },
    Row {
        property: Property::ValidFree,
        name: "valid-free",
        formulas: &["G valid-free"],
        violations: NONE
            .with_detail(Kind::Memory, Detail::DoubleFree)
            .with_detail(Kind::Memory, Detail::InvalidFree),
    },
    Row {
        property: Property::ValidDeref,
        name: "valid-deref",
        formulas: &["G valid-deref"],
        violations: NONE
            .with_detail(Kind::Memory, Detail::NullDeref)
            .with_detail(Kind::Memory, Detail::OutOfBounds)
            .with_detail(Kind::Memory, Detail::UseAfterFree)
            .with_detail(Kind::Memory, Detail::UseAfterReturn)
            .with_detail(Kind::Memory, Detail::UseAfterScope)
            .with_detail(Kind::Memory, Detail::WildPointer),
    },
    Row {
        property: Property::ValidMemtrack,
        name: "valid-memtrack",
        formulas: &["G valid-memtrack"],
        violations: NONE.with_detail(Kind::Leak, Detail::Plain),
    },
    Row {
        property: Property::ValidMemcleanup,
        name: "valid-memcleanup",
        formulas: &["G valid-memcleanup"],
        violations: NONE.with_detail(Kind::Leak, Detail::Plain).with_detail(Kind::Leak, Detail::Unfreed),
    },
    Row {
        property: Property::NoOverflow,
        name: "no-overflow",
        formulas: &["G ! overflow"],
        violations: NONE
            .with_detail(Kind::Arithmetic, Detail::SignedOverflow)
            .with_detail(Kind::Arithmetic, Detail::DivisionOverflow),
    },
    Row {
        property: Property::NoDataRace,
        name: "no-data-race",
        formulas: &["G ! data-race"],
        violations: NONE.with_detail(Kind::Race, Detail::Plain),
    },
    Row {
        property: Property::Termination,
        name: "termination",
        formulas: &["F end"],
        violations: NONE.with_detail(Kind::Deadlock, Detail::Plain).with(Kind::Livelock),
    },
];

/// The name of three properties together.
const MEMORY_SAFETY: (&str, [Property; 3]) =
    ("valid-memsafety", [Property::ValidFree, Property::ValidDeref, Property::ValidMemtrack]);

/// Ends of an execution that are defined, so that nothing comes after them. They are a call of `abort`, an
/// assertion that fails, an uncaught exception, and threads that wait or spin forever.
const DEFINED_ENDS: FailureKinds = NONE
    .with(Kind::Assert)
    .with_detail(Kind::Abort, Detail::Plain)
    .with(Kind::Uncaught)
    .with_detail(Kind::Deadlock, Detail::Plain)
    .with(Kind::Livelock);

impl Property {
    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.property == self).unwrap_or(&ROWS[0])
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The one that a failure violates, whatever was asked for.
    pub fn violated_by(failure: &Failure) -> Option<Self> {
        ROWS.iter().find(|row| row.violations.counts(failure)).map(|row| row.property)
    }

    /// Whether the formats of witnesses can express where it is violated. Those of a lost object or of an
    /// execution without an end have no place for that.
    pub fn has_violation_witnesses(self) -> bool {
        !matches!(self, Self::ValidMemtrack | Self::ValidMemcleanup | Self::Termination)
    }

    /// The formula, as it is written today.
    pub fn formula(self) -> &'static str {
        self.row().formulas[0]
    }
}

/// Properties that are asked for together.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Properties(Vec<Property>);

impl Properties {
    /// One alone.
    pub fn of(property: Property) -> Self {
        Self(vec![property])
    }

    /// The properties that a word or a file of `--property` asks for.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.ends_with(".prp") {
            return Self::read(Path::new(text)).map_err(|refusal| refusal.to_string());
        }
        if text == MEMORY_SAFETY.0 {
            return Ok(Self(MEMORY_SAFETY.1.to_vec()));
        }
        let row = ROWS.iter().find(|row| row.name == text);
        row.map(|row| Self(vec![row.property])).ok_or_else(|| {
            let names: Vec<&str> = ROWS.iter().map(|row| row.name).chain([MEMORY_SAFETY.0]).collect();
            format!("expected a .prp file or one of {}", names.join(", "))
        })
    }

    /// The properties that a .prp file states.
    pub fn read(path: &Path) -> Result<Self, Refusal> {
        let text = std::fs::read(path).map_err(|error| Refusal::unreadable(path, error))?;
        formula::specification(&String::from_utf8_lossy(&text)).map_err(|Misstated { line, column, why }| {
            Refusal::Misstated { path: path.into(), line, column, why: why.to_string() }
        })
    }

    /// These and others.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        for property in &others.0 {
            if !self.0.contains(property) {
                self.0.push(*property);
            }
        }
        self
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this property is among them.
    pub fn has(&self, property: Property) -> bool {
        self.0.contains(&property)
    }

    /// Whether the same is asked for.
    pub fn is_same(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().all(|property| other.has(*property))
    }

    /// The name of all of them.
    pub fn name(&self) -> String {
        let has_memory_safety = MEMORY_SAFETY.1.iter().all(|property| self.has(*property));
        let together = has_memory_safety.then_some(MEMORY_SAFETY.0);
        let alone =
            self.0.iter().filter(|property| !(has_memory_safety && MEMORY_SAFETY.1.contains(*property)));
        let names: Vec<&str> = together.into_iter().chain(alone.map(|property| property.name())).collect();
        names.join(", ")
    }

    /// As a .prp file states them, a line each.
    pub fn specification(&self) -> String {
        let line = |property: &Property| format!("CHECK( init(main()), LTL({}) )", property.formula());
        self.0.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The failures that violate one of them.
    pub fn violations(&self) -> FailureKinds {
        self.0.iter().fold(NONE, |all, property| all.or(property.row().violations))
    }

    /// The failures that end an execution and violate none of them.
    pub fn quiet(&self) -> FailureKinds {
        if self.is_empty() { NONE } else { DEFINED_ENDS.but(self.violations()) }
    }

    /// Which of them a failure violates.
    pub fn violated_by(&self, failure: &Failure) -> Option<Property> {
        self.0.iter().copied().find(|property| property.row().violations.counts(failure))
    }
}

/// The verdict on a property, as verification competitions say it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The property holds.
    True,
    /// It is violated.
    False,
    /// The run does not show it.
    Unknown,
}

/// The verdict of a run on the properties that it was asked about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PropertyVerdict {
    /// Their names.
    pub property: String,
    /// As a .prp file states them.
    pub specification: String,
    /// Whether they hold.
    pub answer: Answer,
    /// The one that is violated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violated: Option<String>,
    /// The answer that the task expects, if there is a task and it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<bool>,
    /// Defined ends of executions that do not count, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quiet_ends: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_name_and_by_formula() {
        for row in &ROWS {
            let named = Properties::parse(row.name).unwrap();
            assert_eq!(named, Properties(vec![row.property]));
            assert_eq!(named.name(), row.name);
            for formula in row.formulas {
                let line = format!("CHECK( init(main()), LTL({formula}) )");
                assert_eq!(formula::specification(&line).unwrap(), named, "{line}");
            }
        }
    }

    #[test]
    fn no_end_is_quiet_that_counts() {
        for row in &ROWS {
            let properties = Properties(vec![row.property]);
            assert_eq!(properties.quiet().and(row.violations), NONE, "{}", row.name);
            assert!(properties.quiet().has(Kind::Abort, Detail::Plain));
            assert!(
                !properties.quiet().contains(Kind::Memory) && !properties.quiet().contains(Kind::Arithmetic)
            );
            assert!(!properties.quiet().has(Kind::Abort, Detail::Unreachable));
        }
        assert_eq!(Properties::default().quiet(), NONE);
    }

    #[test]
    fn memory_safety_is_three_properties() {
        let all = Properties::parse("valid-memsafety").unwrap();
        assert_eq!(all.name(), "valid-memsafety");
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(text, r#"["valid-free","valid-deref","valid-memtrack"]"#);
        assert_eq!(serde_json::from_str::<Properties>(&text).unwrap(), all);
        assert_eq!(formula::specification(&all.specification()).unwrap(), all);
        let more = all.and(&Properties::parse("no-overflow").unwrap());
        assert_eq!(more.name(), "valid-memsafety, no-overflow");
        assert!(Properties::parse("memsafety").unwrap_err().contains("valid-memsafety"));
    }
}
