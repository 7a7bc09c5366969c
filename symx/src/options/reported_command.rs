//! The commands that report what an exploration found.

use serde::{Deserialize, Serialize};

/// A command with a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ReportedCommand {
    /// `symx run`.
    Run,
    /// `symx races`.
    Races,
    /// `symx exec`.
    Exec,
}

impl ReportedCommand {
    /// Its name on command lines.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The command of this name; `None` if it has no such report.
    pub fn by_name(name: &str) -> Option<Self> {
        [Self::Run, Self::Races, Self::Exec].into_iter().find(|command| command.name() == name)
    }
}
